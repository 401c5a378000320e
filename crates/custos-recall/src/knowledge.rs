//! The files of the knowledge base in the index, so that one ranking has them beside what sessions learnt.
//!
//! People edit these files, and git brings others, so nobody announces a change. Instead each file has a *stamp*, made of what the file system
//! notes of a change, and whoever asks compares the stamps first: a look at a thousand files takes about a millisecond, and only what has
//! changed is read. A file that was changed just now gets no lasting stamp, for it may change again within one tick of the clock. A server
//! asks again and again, so it also remembers what it saw when the index had all of it ([`watch`]): as long as it sees the same, and nobody
//! has written to the index, there is nothing to compare.
//!
//! A whole base takes the better part of a second, so it is put into the index in portions. With a budget, what is left unread is told by the
//! notes of every answer, and the next one goes on.
//!
//! Two checkouts of one repo are one project, and share what sessions learnt. Their files may differ, for another branch has other decisions.
//! So whoever asks says where from, and of that project only the files of the checkout *at hand* answer.
//!
//! A file says on which day it was written and not when. Where the file system's time is of that day it tells more, and is taken.
//!
//! A store whose directory is gone has nobody who looks at it again, so whoever has time takes out what is known of it. Should it only have
//! been away, it is read again.

mod told;
pub(crate) mod watch;

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::time::SystemTime;

use custos_index::{Budget, Entry, Index, IndexError, KnowledgeRow, knowledge_id};
use custos_knowledge::{Base, Level, Version, View, store};
use custos_model::{Scope, Timestamp};

use crate::error::RecallError;
use crate::fence::{day, is_day};
use crate::hints;
use crate::policy::Filed;
use crate::store::Store;
use told::{Tell, Told};
use watch::{Sighting, Watch};

/// What a refresh came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// Items that were read.
    pub read: usize,
    /// Items that are gone.
    pub gone: usize,
    /// Files that have changed and for which there was no time.
    pub left: usize,
}

/// A stamp that no file keeps: it is read again.
const UNSETTLED: i64 = 0;

/// Counts the ways in which files were read; another one reads all of them again.
const FORM: u32 = 5;

/// How many files are put into the index at once: some ten milliseconds' worth, for nobody else can write meanwhile.
const PORTION: usize = 64;

/// The file with all questions of a project.
const QUESTIONS: &str = "questions.md";

/// The stores of files from which somebody asks, each with its project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AtHand {
    stores: Vec<(String, String)>,
}

impl AtHand {
    /// Says whether a text is not from a file of another checkout of a project that is at hand.
    pub(crate) fn has(&self, entry: &Entry) -> bool {
        let (Some(file), Some(project)) = (&entry.file, &entry.project) else { return true };
        let mut here = self.stores.iter().filter(|(of, _)| of == project).peekable();
        // The id of an item is made of its place.
        here.peek().is_none() || here.any(|(_, store)| knowledge_id(store, file) == entry.id)
    }

    /// Says how far a file is from whoever asks: first their own project's, then those of the workspace around it, last the person's own.
    /// Nothing of files elsewhere.
    pub(crate) fn distance(&self, entry: &Entry) -> Option<usize> {
        let file = entry.file.as_ref()?;
        if entry.project.is_none() {
            return Some(self.stores.len());
        }
        self.stores.iter().position(|(_, store)| knowledge_id(store, file) == entry.id)
    }
}

impl Store {
    /// Says from where the memory is asked: of a project that is there, the files of other checkouts are left out.
    pub fn ask_from(&mut self, base: &Base) {
        let view = base.view(None).ok();
        self.at_hand = view.map(|view| at_hand(&refreshes(&view, base, None))).unwrap_or_default();
    }

    /// Brings the files of the session's project and of the person up to date in the index, and [asks from there](Self::ask_from).
    pub fn refresh_knowledge(
        &mut self,
        base: &Base,
        budget: Option<Budget<'_>>,
    ) -> Result<Refreshed, RecallError> {
        let mut total = Refreshed::default();
        if budget.is_none() {
            total.gone = drop_lost_stores(&mut self.index)?;
        }
        // A project that is gone has no knowledge.
        let Ok(view) = base.view(None) else { return Ok(total) };
        let refreshes = refreshes(&view, base, budget);
        self.at_hand = at_hand(&refreshes);
        for refresh in refreshes {
            let refreshed = refresh.run(self, &view)?;
            if let Some(project) = refresh.project.as_deref().filter(|_| refreshed.read + refreshed.gone > 0)
            {
                // What was filed may be a hint, or is none any more. A file that cannot be taken away says what it said before.
                let _ = hints::discard(self.state(), project);
            }
            total.read += refreshed.read;
            total.gone += refreshed.gone;
            total.left += refreshed.left;
        }
        self.unread_files = total.left;
        Ok(total)
    }
}

fn refreshes<'a>(view: &'a View, base: &'a Base, budget: Option<Budget<'a>>) -> Vec<Refresh<'a>> {
    view.stacks.iter().map(|stack| Refresh::new(&stack.store, base, budget)).collect()
}

fn at_hand(refreshes: &[Refresh<'_>]) -> AtHand {
    let stores =
        refreshes.iter().filter_map(|refresh| Some((refresh.project.clone()?, refresh.name.clone())));
    AtHand { stores: stores.collect() }
}

/// Takes out what is known of stores whose directories are gone; says how many items that were.
pub fn drop_lost_stores(index: &mut Index) -> Result<usize, IndexError> {
    let mut dropped = 0;
    for store in index.knowledge_stores()? {
        // One whose name is no Unicode is not found by the name that the index has of it.
        let is_named = !store.contains(char::REPLACEMENT_CHARACTER);
        let is_lost = fs::symlink_metadata(&store).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        if is_named && is_lost {
            let gone: Vec<String> =
                index.knowledge_stamps(&store)?.into_iter().map(|(path, _)| path).collect();
            index.put_knowledge(&store, &[], &gone)?;
            dropped += gone.len();
        }
    }
    Ok(dropped)
}

/// One store being brought up to date.
struct Refresh<'a> {
    base: &'a Base,
    store: &'a store::Store,
    /// What the index calls it.
    name: String,
    project: Option<String>,
    scope: Scope,
    trusted: bool,
    budget: Option<Budget<'a>>,
    /// When it began: what was changed later shows.
    now: SystemTime,
}

/// An item as it goes to the index.
struct Item {
    path: String,
    stamp: i64,
    told: Told,
    /// When it was written, if its file is its own.
    modified: Option<Timestamp>,
}

/// A file that is not as the index has it.
struct Changed {
    path: String,
    stamp: i64,
    tell: Tell,
    modified: Timestamp,
    is_known: bool,
}

impl<'a> Refresh<'a> {
    fn new(store: &'a store::Store, base: &'a Base, budget: Option<Budget<'a>>) -> Self {
        let is_own = store.level == Level::User;
        Self {
            base,
            store,
            name: store.dir.to_string_lossy().into_owned(),
            project: (!is_own).then(|| base.around().project(&store.root).identity),
            scope: if is_own { Scope::User } else { Scope::Project },
            trusted: is_own || base.around().trusts(&store.root),
            budget,
            now: SystemTime::now(),
        }
    }

    fn run(&self, recall: &mut Store, view: &View) -> Result<Refreshed, RecallError> {
        let Store { index, watches, policy, .. } = recall;
        let filed = &policy.filed;
        let watch = watches.entry(self.store.dir.clone()).or_default();
        let edition = index.edition()?;
        let sighting = self.look(watch);
        if watch.is_as_before(edition, &sighting) {
            return Ok(Refreshed::default());
        }
        let mut known: BTreeMap<String, i64> = index.knowledge_stamps(&self.name)?.into_iter().collect();
        if !self.store.exists() && known.is_empty() {
            return Ok(Refreshed::default());
        }
        let changed = self.changed(&sighting, &mut known);
        let mut items = Vec::new();
        self.questions(view, sighting.questions, filed, &mut known, &mut items);
        // What was not met is gone.
        let gone = known.into_keys().collect();
        let refreshed = self.put(index, filed, &changed, items, gone)?;
        let is_settled = sighting.versions().all(|version| self.stamp(version) != UNSETTLED);
        if refreshed == Refreshed::default() && is_settled {
            watch.remember(edition, sighting);
        }
        Ok(refreshed)
    }

    /// Looks at what is there.
    fn look(&self, watch: &mut Watch) -> Sighting {
        Sighting {
            trusted: self.trusted,
            project: self.project.clone(),
            files: watch.look(self.store, self.now),
            questions: self.store.file_version(QUESTIONS),
        }
    }

    /// Finds the files that are not as the index has them, and leaves among the known what was not met.
    fn changed(&self, sighting: &Sighting, known: &mut BTreeMap<String, i64>) -> Vec<Changed> {
        let mut changed = Vec::new();
        for (tell, path, version) in &sighting.files {
            let stamp = self.stamp(*version);
            let before = known.remove(path);
            if before != Some(stamp) || stamp == UNSETTLED {
                let modified = Timestamp::from_millis(version.modified());
                let is_known = before.is_some();
                changed.push(Changed { path: path.clone(), stamp, tell: *tell, modified, is_known });
            }
        }
        changed
    }

    /// Puts what has changed into the index, in portions, as long as there is time.
    fn put(
        &self,
        index: &mut Index,
        filed: &Filed,
        changed: &[Changed],
        mut items: Vec<Item>,
        mut gone: Vec<String>,
    ) -> Result<Refreshed, RecallError> {
        let mut refreshed = Refreshed::default();
        let mut rest = changed;
        loop {
            let is_out_of_time = self.is_out_of_time();
            let (portion, others) = rest.split_at(if is_out_of_time { 0 } else { rest.len().min(PORTION) });
            rest = others;
            for Changed { path, stamp, tell, modified, is_known } in portion {
                match self.store.read(path).ok().flatten().and_then(|text| tell(path, &text, filed)) {
                    Some(told) => {
                        let modified = Some(*modified);
                        items.push(Item { path: path.clone(), stamp: *stamp, told, modified });
                    }
                    // It cannot be read, or does not hold any more.
                    None if *is_known => gone.push(path.clone()),
                    None => {}
                }
            }
            if !items.is_empty() || !gone.is_empty() {
                let rows: Vec<KnowledgeRow<'_>> = items.iter().map(|item| self.row(item)).collect();
                match self.budget {
                    Some(budget) => {
                        let patience = budget.limit.saturating_sub((budget.elapsed)());
                        index.put_knowledge_within(patience, &self.name, &rows, &gone)?;
                    }
                    None => index.put_knowledge(&self.name, &rows, &gone)?,
                }
            }
            refreshed.read += items.len();
            refreshed.gone += gone.len();
            items.clear();
            gone.clear();
            if rest.is_empty() || is_out_of_time {
                break;
            }
        }
        // What the index has of them is old, and better than nothing.
        refreshed.left = rest.len();
        Ok(refreshed)
    }

    /// Reads the questions, which share a file; only the project's own are asked.
    fn questions(
        &self,
        view: &View,
        version: Option<Version>,
        filed: &Filed,
        known: &mut BTreeMap<String, i64>,
        items: &mut Vec<Item>,
    ) {
        let is_question = |path: &str| path.starts_with(QUESTIONS);
        if *self.store != *view.own().store {
            return;
        }
        let Some(stamp) = version.map(|version| self.stamp(version)) else { return };
        let is_known = known.keys().any(|path| is_question(path));
        let is_same = known.iter().all(|(path, seen)| !is_question(path) || *seen == stamp);
        if is_known && is_same && stamp != UNSETTLED {
            known.retain(|path, _| !is_question(path));
            return;
        }
        for question in self.base.questions(view).questions {
            let path = format!("{QUESTIONS}#{}", question.id);
            known.remove(&path);
            items.push(Item { path, stamp, told: told::question(question, filed), modified: None });
        }
    }

    fn row<'i>(&'i self, item: &'i Item) -> KnowledgeRow<'i> {
        let Item { path, stamp, told, modified } = item;
        KnowledgeRow {
            path,
            stamp: *stamp,
            sort: told.sort,
            name: &told.name,
            title: &told.title,
            text: &told.text,
            project: self.project.as_deref(),
            scope: self.scope,
            ts: told.ts.map_or_else(|| self.base.around().now(), |ts| nearer(ts, *modified)),
            importance: told.importance,
            binds: told.binds,
            trusted: self.trusted,
        }
    }

    /// Makes the stamp of a version of a file.
    fn stamp(&self, version: Version) -> i64 {
        if !version.is_settled(self.now) {
            return UNSETTLED;
        }
        let mut hasher = DefaultHasher::new();
        (FORM, self.trusted, &self.project, version).hash(&mut hasher);
        hasher.finish().cast_signed()
    }

    fn is_out_of_time(&self) -> bool {
        self.budget.is_some_and(|budget| (budget.elapsed)() >= budget.limit)
    }
}

/// Gives the time of day of something of which only the day is known, if the file has it.
fn nearer(ts: Timestamp, modified: Option<Timestamp>) -> Timestamp {
    modified.filter(|modified| is_day(ts) && day(*modified) == day(ts)).unwrap_or(ts)
}

/// Reads a day or an instant, as files have them.
fn instant(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| format!("{text}T00:00:00Z").parse().ok())
}
