//! The knowledge base's doctor: what is mechanically wrong with the files of a store, and its repair.
//!
//! Files come from hands, from git merges, from clones and from crashes. What is wrong with them falls into two groups. Whatever takes a
//! judgement (two truths in one file, a word that nobody knows, a reference that leads nowhere) is shown with its line and left to a person.
//! What is wrong only in form is repaired on request: a name that contradicts the front matter, an id that a merge gave out twice, a file that
//! a crash left in two places. A repair never changes what an item says, keeps every other byte of its file, loses nothing, and is an event.
//!
//! One defect may hide another, so the doctor looks, repairs at most one thing per file, and looks again until nothing is left that it could
//! repair. What it reports as left is what the last look saw: a second run sees the same, and has nothing to do.
//!
//! At the root of a workspace it looks through the repos that have a store as well: who asks there means all of it. A store that came with a
//! clone and that nobody has vouched for is repaired only where somebody asks for it by name.
//!
//! | module | what is looked at |
//! |---|---|
//! | `trouble` | what is wrong and what would mend it |
//! | `card` | what is kept of a file that needs no repair |
//! | `gist` | what the form of a file depends on of the item in it |
//! | `paper` | the files of decisions, tasks and memories |
//! | `defects` | one such file on its own |
//! | `twins` | such files together: ids, slugs, copies, references |
//! | `succession` | decisions whose place another took, and that still hold |
//! | `premises` | the store around them: directories, leftovers, what git ignores, all other files |
//! | `tracked` | what git takes along although it is of this machine |

mod card;
mod defects;
mod gist;
mod paper;
mod premises;
mod succession;
#[cfg(test)]
mod tests;
mod tracked;
mod trouble;
mod twins;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use custos_config::shown::{shown_path, typed};
use custos_model::Kind;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::base::{Base, Stack, View};
use crate::naming::Address;
use crate::refusal::Refusal;
use crate::root::Child;
use crate::store::{Level, Store, Writing};
use crate::{decision, naming};
pub(crate) use card::{Card, Cards};
use paper::{Drawer, Sort};
pub use premises::broken_settings;
use trouble::Trouble;

/// Something that is wrong in a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The level of the store.
    pub level: Level,
    /// The store.
    pub store: String,
    /// The file, below the store.
    pub file: String,
    /// The line, or 0 where it is about the whole file.
    pub line: usize,
    /// What is wrong, as the end of a sentence that begins with the file.
    pub what: String,
    /// Whether it can be repaired without judgement.
    pub fixable: bool,
    /// Whether it was.
    pub fixed: bool,
    /// What to do about it, or what was done.
    pub next: String,
}

/// What the doctor found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// All of it: the nearest store first, in each by file and line.
    pub findings: Vec<Finding>,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

/// How often a store is looked at again. Each look mends something, and a file has no more than half as many kinds of defects.
const MOST_LOOKS: usize = 12;

/// Repairs that did not succeed, with the reason.
type Failed = HashMap<(String, String), String>;

impl Base {
    /// Looks through every store of a project, and of the repos in it; with `fix`, repairs what takes no judgement.
    pub fn check(&self, view: &View, fix: bool) -> Result<Report, Refusal> {
        let mut report = Report::default();
        for stack in &self.to_check(view) {
            let is_asked_for = view.stacks.iter().any(|known| known.store == stack.store);
            let may_repair = is_asked_for || self.around().trusts(&stack.store.root);
            let mut round =
                Round { base: self, view, stack, may_repair, findings: Vec::new(), events: Vec::new() };
            round.go(fix);
            let Round { mut findings, events, .. } = round;
            for event in events {
                let note = self.record(Kind::KnowledgeUpdated, &stack.store, event);
                report.notes.extend(note.filter(|note| !report.notes.contains(note)));
            }
            findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
            report.findings.extend(findings);
        }
        Ok(report)
    }

    /// The stores that the doctor looks through: those of a view, and of the repos of a workspace those that there are.
    pub fn to_check(&self, view: &View) -> Vec<Arc<Stack>> {
        let mut stacks = view.stacks.clone();
        // What is no directory is the doctor's business as well.
        let has_store = |child: &Child| fs::symlink_metadata(child.path.join(".ai")).is_ok();
        let repos = view.root.repos().into_iter().filter(has_store);
        stacks.extend(repos.map(|child| self.stack_of(&child.root())));
        stacks
    }
}

/// The doctor's round through one store.
struct Round<'a> {
    base: &'a Base,
    view: &'a View,
    stack: &'a Arc<Stack>,
    /// Whether this store may be changed from where the doctor was asked.
    may_repair: bool,
    findings: Vec<Finding>,
    /// The events of what was repaired, to be recorded once the lock is free.
    events: Vec<Map<String, Value>>,
}

impl Round<'_> {
    fn go(&mut self, fix: bool) {
        let mut found = self.look();
        let mut failed = Failed::new();
        // A store in which all is well is not even locked: it may belong to somebody else.
        if fix && self.may_repair && found.iter().any(|trouble| trouble.remedy.is_some()) {
            let store = &self.stack.store;
            self.base.let_go();
            match store.lock() {
                Ok(writing) => {
                    self.events.extend(writing.settled.events());
                    // What taking the lock has mended is found no longer, and was wrong all the same.
                    found.retain(Trouble::is_mended_by_lock);
                    found.extend(self.look());
                    found = self.mend(&writing, found, &mut failed);
                }
                Err(error) => {
                    let why = Refusal::from(error).to_string();
                    let fixable = found.iter().filter(|trouble| trouble.remedy.is_some());
                    failed.extend(fixable.map(|trouble| (trouble.key(), why.clone())));
                }
            }
        }
        for trouble in found {
            let next = failed.remove(&trouble.key()).unwrap_or_else(|| trouble.next.clone());
            self.tell(trouble, false, next);
        }
    }

    /// Finds everything that is wrong, the most urgent repair of a file before its others.
    fn look(&self) -> Vec<Trouble> {
        let store = &self.stack.store;
        let mut found = match premises::entrance(store) {
            Some(trouble) => return vec![trouble],
            None if !store.exists() => return Vec::new(),
            None => premises::look(self.base, self.stack),
        };
        for sort in Sort::ALL {
            let drawer = Drawer::open(self.stack, sort);
            let twins = twins::look(store, &drawer, |name| self.leads_elsewhere(name));
            // What is wrong with a copy is wrong with the other one as well.
            let copies: HashSet<&str> =
                twins.iter().filter(|twin| twin.is_copy).map(|twin| twin.file.as_str()).collect();
            let mut succeeded = Vec::new();
            if sort == Sort::Decision {
                let holds_elsewhere = |name: &str| self.holds_elsewhere(name);
                succeeded.extend(succession::look(self.base, self.stack, &drawer, holds_elsewhere));
                succeeded.retain(|trouble| !copies.contains(trouble.file.as_str()));
            }
            let papers = drawer.active.iter().filter(|paper| !copies.contains(paper.file.as_str()));
            let defects: Vec<Trouble> = papers
                .flat_map(|paper| defects::look(self.base, store, paper, drawer.is_alone(paper)))
                .collect();
            let past = drawer.past.iter();
            found.extend(twins);
            found.extend(succeeded);
            found.extend(defects);
            found.extend(past.filter_map(|paper| defects::astray(self.base, store, &drawer, paper)));
            found.extend(drawer.troubles);
            found.extend(drawer.cards.iter().flat_map(|card| card.item.troubles(sort, &card.file)));
        }
        found
    }

    /// Says whether a name with a store before it leads to a decision; `None` for a name without one. Of a store that cannot be seen from here,
    /// such as the workspace around a repo that is open alone, nobody can tell, and nothing is said.
    fn leads_elsewhere(&self, name: &str) -> Option<bool> {
        naming::split_address(name)?;
        let seen = self.seen_elsewhere(name);
        Some(seen.is_none_or(|address| decision::is_known(address.view.own(), address.name)))
    }

    /// Says whether a name with a store before it leads to a decision that still holds.
    fn holds_elsewhere(&self, name: &str) -> bool {
        let seen = self.seen_elsewhere(name);
        seen.is_some_and(|address| decision::holds(address.view.own(), address.name))
    }

    /// Gives what a name with a store before it means, if that store can be seen from here.
    fn seen_elsewhere<'a>(&self, name: &'a str) -> Option<Address<'a>> {
        let (store, _) = naming::split_address(name)?;
        // What is the person's own is read in many projects, and another one may have a repo of that name.
        let may_be_meant = self.stack.store.level != Level::User || store == Level::User.word();
        Some(self.base.address(self.view, name)).filter(|address| address.is_told && may_be_meant)
    }

    /// Repairs until a look finds nothing more to repair; gives what that look found.
    fn mend(&mut self, writing: &Writing<'_>, mut found: Vec<Trouble>, failed: &mut Failed) -> Vec<Trouble> {
        for _ in 0..MOST_LOOKS {
            let before = self.events.len();
            let mut touched: HashSet<String> = HashSet::new();
            for trouble in found {
                let Some(remedy) = &trouble.remedy else { continue };
                if failed.contains_key(&trouble.key()) {
                    continue;
                }
                // What cannot be done in this look is done in the next, before anything else is done to its file.
                let is_touched = remedy.others().any(|other| touched.contains(other));
                if !touched.insert(trouble.file.clone()) || is_touched {
                    continue;
                }
                touched.extend(remedy.others().map(str::to_owned));
                match remedy.apply(writing, &trouble.file) {
                    Ok(done) => {
                        self.events.push(event(&trouble, &done));
                        self.tell(trouble, true, done);
                    }
                    Err(refusal) => {
                        failed.insert(trouble.key(), refusal.to_string());
                    }
                }
            }
            found = self.look();
            if self.events.len() == before {
                break;
            }
        }
        found
    }

    fn tell(&mut self, trouble: Trouble, fixed: bool, next: String) {
        let Store { level, name, .. } = &*self.stack.store;
        let is_mechanical = trouble.remedy.is_some();
        let next = if is_mechanical && !self.may_repair {
            format!(
                "Nobody has vouched for this base (`custos trust` does), so it is repaired by itself: custos kb doctor --fix --project {}",
                typed(&shown_path(Path::new(name)))
            )
        } else {
            next
        };
        self.findings.push(Finding {
            level: *level,
            store: name.clone(),
            file: shown_path(Path::new(&trouble.file)),
            line: trouble.line,
            what: trouble.what,
            fixable: is_mechanical && self.may_repair,
            fixed,
            next,
        });
        for beside in trouble.beside {
            let next = beside.next.clone();
            self.tell(beside, false, next);
        }
    }
}

/// What the log says of a repair.
fn event(trouble: &Trouble, done: &str) -> Map<String, Value> {
    Map::from_iter([
        ("item".to_owned(), json!(trouble.item)),
        ("file".to_owned(), json!(trouble.file)),
        ("what".to_owned(), json!(trouble.what)),
        ("text".to_owned(), json!(done)),
    ])
}
