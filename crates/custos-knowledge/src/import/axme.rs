//! AXME Code's knowledge (`.axme-code/`), carried over.
//!
//! Nothing is lost, nothing is overwritten, and doing it twice is doing it once. What has a place in our files is written there, with its id
//! if that is free; what has none goes verbatim, but without secrets, to `archive/axme/` (what is private to a machine to `local/axme/`); what
//! cannot be carried at all is named with the reason. The tree itself stays as it is.
//!
//! A run first looks, then writes. Looking gives a [`Report`] of everything that would be done, and that is the preview; carrying out looks
//! again under the store's lock, so that the ids in the files are right whatever happened in between, and gives the same report.
//!
//! | module | what lives there |
//! |---|---|
//! | [`tree`] | the directories and files of a tree, within bounds |
//! | `paper` | front matter that only looks like YAML, and what stands below it |
//! | `aside` | what is kept as it is |
//! | `awaited` | what is still to come, when a base begins beside a tree |
//! | `cargo` | what is found on the way: counts, names, oddities |
//! | `ahead` | the store as it will be after what is planned |
//! | `known` | what the store holds already |
//! | `numbers` | the ids that are given out |
//! | `references` | the ids that items had, and the texts that name them |
//! | `decisions`, `memories`, `tasks`, `questions`, `sessions`, `plans`, `oracle`, `rules` | one kind each |

mod ahead;
mod aside;
mod awaited;
mod cargo;
mod decisions;
mod known;
mod memories;
mod numbers;
mod oracle;
mod paper;
mod plans;
mod questions;
mod references;
pub mod rules;
mod sessions;
mod tasks;
pub mod tree;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use custos_config::shown::shown;
use custos_model::Kind;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::base::{Base, Stack};
use crate::refusal::Refusal;
use crate::store::Level;
use cargo::{Cargo, Packed};
use rules::Found;
use tree::Tree;

/// How many items of a kind there are, and how many of them are new to us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The kind, in the plural.
    pub kind: &'static str,
    /// How many there are.
    pub found: usize,
    /// How many are new.
    pub new: usize,
}

/// An item that could not keep its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Renamed {
    /// The file that it comes from, below the tree.
    pub file: String,
    /// The id or slug that it had.
    pub from: String,
    /// The one that it has now.
    pub to: String,
}

/// A file and what is to be said of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Remark {
    /// The file, below the tree.
    pub file: String,
    /// What is to be said.
    pub what: String,
}

/// What becomes of the trees that go to one store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Carried {
    /// The store.
    pub store: String,
    /// Its level.
    pub level: Level,
    /// The directory that it belongs to.
    pub root: PathBuf,
    /// The items, by kind.
    pub counts: Vec<Count>,
    /// Those that could not keep their names.
    pub renamed: Vec<Renamed>,
    /// The files that are kept as they are, with where.
    pub aside: Vec<Remark>,
    /// The files that are not carried since they say nothing that is missed here, with why.
    pub left: Vec<Remark>,
    /// What could not be carried, and is not here now, with why.
    pub lost: Vec<Remark>,
    /// What is odd about single items.
    pub oddities: Vec<Remark>,
    /// What is to be said about the whole.
    pub notes: Vec<String>,
    /// In how many texts something secret was taken out.
    pub redacted: usize,
    /// How many files are written.
    pub writes: usize,
    /// The rules for the guard, which are not this crate's to judge.
    #[serde(skip)]
    pub rules: Vec<Found>,
}

/// What becomes of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The stores, the root's first.
    pub stores: Vec<Carried>,
    /// What is to be said about the whole.
    pub notes: Vec<String>,
    /// How many trees are of a repo that is not here, and are not carried.
    #[serde(skip)]
    pub homeless: usize,
}

impl Report {
    /// Says whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.stores.iter().all(|store| store.writes == 0)
    }

    /// How much could not be carried, and is not here now.
    pub fn lost(&self) -> usize {
        self.stores.iter().map(|store| store.lost.len()).sum::<usize>() + self.homeless
    }

    /// The items of one kind that are new, of all stores together.
    pub fn new_of(&self, kind: &str) -> usize {
        let counts = self.stores.iter().flat_map(|store| &store.counts);
        counts.filter(|count| count.kind == kind).map(|count| count.new).sum()
    }
}

/// An import that could not be finished.
#[derive(Debug)]
pub struct Broken {
    /// What was done before.
    pub done: Report,
    /// Why it ended.
    pub refusal: Refusal,
}

/// The trees of one store.
struct Load<'a> {
    stack: Arc<Stack>,
    trees: Vec<&'a Tree>,
}

impl Base {
    /// Says what carrying the trees over would do.
    pub fn preview_axme(&self, trees: &[Tree]) -> Report {
        let (loads, notes) = self.loads(trees);
        let stores = loads.iter().map(|load| self.pack(load).carried).collect();
        Report { stores, homeless: notes.len(), notes }
    }

    /// Carries the trees over, and says what was done. After an error, what was written before is whole, and the next run goes on.
    pub fn carry_axme(&self, trees: &[Tree]) -> Result<Report, Box<Broken>> {
        let (loads, notes) = self.loads(trees);
        let mut report = Report { stores: Vec::new(), homeless: notes.len(), notes };
        for load in &loads {
            if let Err(refusal) = self.unload(load, &mut report) {
                return Err(Box::new(Broken { done: report, refusal }));
            }
        }
        Ok(report)
    }

    /// Records that an import is over. What comes back is a note, if the log did not take it.
    pub fn record_import(&self, report: &Report, rules: usize) -> Option<String> {
        let stores = report.stores.iter().map(|store| {
            let mut counts = Map::new();
            for count in store.counts.iter().filter(|count| count.new > 0) {
                counts.insert(count.kind.to_owned(), count.new.into());
            }
            json!({"store": store.store, "level": store.level, "new": counts, "redacted": store.redacted})
        });
        let body = Map::from_iter([
            ("item".to_owned(), json!("import")),
            ("source".to_owned(), json!("axme")),
            ("stores".to_owned(), Value::Array(stores.collect())),
            ("rules".to_owned(), rules.into()),
        ]);
        let view = self.view(None).ok()?;
        self.record(Kind::ImportFinished, &view.own().store, body)
    }

    /// Sorts the trees by the stores that they go to.
    fn loads<'a>(&self, trees: &'a [Tree]) -> (Vec<Load<'a>>, Vec<String>) {
        let mut loads: Vec<Load<'a>> = Vec::new();
        let mut notes = Vec::new();
        for tree in trees {
            let Some(stack) = self.place_of(&tree.name) else {
                let (name, root) = (shown(&tree.name), shown(&self.root().name()));
                notes.push(format!(
                    "{name} has a tree of its own, but there is no such repo in {root}: not carried"
                ));
                continue;
            };
            match loads.iter_mut().find(|load| load.stack.store == stack.store) {
                Some(load) => load.trees.push(tree),
                None => loads.push(Load { stack, trees: vec![tree] }),
            }
        }
        (loads, notes)
    }

    /// Finds the store for the tree of a repo: the one of the same name. A tree without a name is the root's.
    fn place_of(&self, name: &str) -> Option<Arc<Stack>> {
        let root = &self.root().path;
        if name.is_empty() {
            return self.view(None).ok().map(|view| Arc::clone(view.own()));
        }
        let path = root.join(name);
        let is_here = path.is_dir() && !custos_config::source::is_linked_below(root, &path);
        let view = self.view(Some(name)).ok().filter(|_| is_here)?;
        view.root.path.starts_with(root).then(|| Arc::clone(view.own()))
    }

    /// Looks at everything that goes to a store.
    fn pack(&self, load: &Load<'_>) -> Packed {
        let mut cargo = Cargo::new(self, &load.stack);
        for tree in &load.trees {
            cargo.begin(tree);
            decisions::pack(&mut cargo);
            memories::pack(&mut cargo);
            tasks::pack(&mut cargo);
            questions::pack(&mut cargo);
            oracle::pack(&mut cargo);
            sessions::pack(&mut cargo);
            plans::pack(&mut cargo);
            rules::pack(&mut cargo);
            cargo.finish();
        }
        cargo.packed()
    }

    /// Writes everything that goes to a store.
    fn unload(&self, load: &Load<'_>, report: &mut Report) -> Result<(), Refusal> {
        // Nothing to write: then a store that cannot be written is no obstacle, and one that is not there is not made.
        let preview = self.pack(load);
        if preview.writes.is_empty() {
            report.stores.push(preview.carried);
            return Ok(());
        }
        let store = &load.stack.store;
        let writing = self.lock(store)?;
        let Packed { mut carried, writes, given } = self.pack(load);
        carried.writes = 0;
        for numbers in &given {
            numbers::remember(&writing, numbers);
        }
        let mut events = Vec::new();
        let mut outcome = Ok(());
        for write in writes {
            if let Err(error) = crate::keeping::write(&writing, &write.file, &write.text) {
                outcome = Err(error);
                break;
            }
            carried.writes += 1;
            events.extend(write.events);
        }
        drop(writing);
        self.let_go();
        let mut unrecorded = None;
        for (kind, body) in events {
            unrecorded = unrecorded.or(self.record(kind, store, body));
        }
        carried.notes.extend(unrecorded);
        report.stores.push(carried);
        outcome
    }
}

/// Finds the trees of a directory: its own, and those of the repos in it.
pub fn find(directory: &Path) -> Result<Vec<Tree>, Refusal> {
    tree::find(directory)
}
