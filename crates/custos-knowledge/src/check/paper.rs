//! The files of decisions, tasks and memories, read for their form.
//!
//! The three have the same shape: front matter with an id or at least a slug, a title, a date; a file named after it; an archive. So they are
//! read by their own modules, which know what is no such item at all, and then looked at alike.

use std::collections::HashSet;

use super::trouble::Trouble;
use crate::backlog::{self, Task};
use crate::decision::{self, Decision, split_name};
use crate::keeping::stem;
use crate::memory::{self, Memory, MemoryKind};
use crate::shelf::{Fault, Item as _};
use crate::store::Store;
use crate::text::{self, Document};

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Decision,
    Task,
    Memory,
}

/// The highest number of an id; one more digit, and it is none.
const HIGHEST: u32 = 999_999_999;

impl Sort {
    pub(super) const ALL: [Self; 3] = [Self::Decision, Self::Task, Self::Memory];

    /// The word of the log.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Task => "task",
            Self::Memory => "memory",
        }
    }

    fn directories(self) -> Vec<&'static str> {
        match self {
            Self::Decision => vec!["decisions"],
            Self::Task => vec!["backlog"],
            Self::Memory => MemoryKind::ALL.map(MemoryKind::directory).to_vec(),
        }
    }

    pub(super) const fn longest_slug(self) -> usize {
        match self {
            Self::Decision => decision::LONGEST_SLUG,
            Self::Task => backlog::LONGEST_SLUG,
            Self::Memory => memory::LONGEST_SLUG,
        }
    }

    /// The keys that archiving adds or changes.
    pub(super) const fn stamp(self) -> &'static [&'static str] {
        match self {
            Self::Decision => &["status", "superseded_by", "revoked_reason", "archived", "archived_reason"],
            Self::Task | Self::Memory => &["superseded_by", "archived", "archived_reason"],
        }
    }

    /// The number of an id; memories have none.
    pub(super) fn number(self, id: &str) -> Option<u32> {
        match self {
            Self::Decision => decision::number(id),
            Self::Task => backlog::number(id),
            Self::Memory => None,
        }
    }

    /// The number that the name of a file begins with.
    pub(super) fn named_number(self, file: &str) -> Option<u32> {
        self.number(split_name(stem(file)).0)
    }

    /// Spells an id; memories have none.
    pub(super) fn id(self, number: u32) -> String {
        let letter = if self == Self::Task { 'B' } else { 'D' };
        format!("{letter}-{number:03}")
    }
}

/// A file, and what its form depends on.
#[derive(Debug)]
pub(super) struct Paper {
    pub(super) sort: Sort,
    pub(super) file: String,
    pub(super) text: String,
    pub(super) document: Document,
    /// The number of its id; memories have none.
    pub(super) number: Option<u32>,
    /// The slug that its file could have: that of the front matter, or what comes nearest to one.
    pub(super) slug: String,
    pub(super) title: String,
    pub(super) date: String,
    /// The directory in which it should be.
    directory: &'static str,
}

impl Paper {
    fn read(sort: Sort, file: String, text: String) -> Result<Self, Fault> {
        let (number, title, date, directory) = match sort {
            Sort::Decision => {
                let item = Decision::read(&file, &text)?;
                (decision::number(&item.id), item.title, item.date, "decisions")
            }
            Sort::Task => {
                let item = Task::read(&file, &text)?;
                (backlog::number(&item.id), item.title, item.created, "backlog")
            }
            Sort::Memory => {
                let item = Memory::read(&file, &text)?;
                (None, item.title, item.date, item.kind.directory())
            }
        };
        let document = Document::parse(&text).map_err(|problem| Fault::of(&file, &problem))?;
        let own = document.front().text("slug").filter(|slug| text::is_slug(slug, sort.longest_slug()));
        let named = || Some(named_slug(sort, &file)).filter(|slug| text::is_slug(slug, sort.longest_slug()));
        let slug = own.or_else(named).map_or_else(|| text::slug(&title, sort.longest_slug()), str::to_owned);
        Ok(Self { sort, file, text, document, number, slug, title, date, directory })
    }

    /// Says what is wrong with it.
    pub(super) fn trouble(&self, line: usize, what: impl Into<String>, next: impl Into<String>) -> Trouble {
        Trouble::new(self.sort.word(), &self.file, line, what, next)
    }

    /// The file that it should be in, as far as its front matter says.
    pub(super) fn place(&self) -> Option<String> {
        if self.document.front().text("slug") != Some(self.slug.as_str()) {
            return None;
        }
        // However many digits an id has, it is the same.
        let is_named = self.sort.named_number(&self.file) == self.number
            && named_slug(self.sort, &self.file) == self.slug
            && self.file.rsplit_once('/').is_some_and(|(directory, _)| directory == self.directory);
        if is_named { Some(self.file.clone()) } else { Some(self.place_under(self.number, &self.slug)) }
    }

    /// The file that it would be in with another id or slug.
    pub(super) fn place_under(&self, number: Option<u32>, slug: &str) -> String {
        match number {
            Some(number) => format!("{}/{}-{slug}.md", self.directory, self.sort.id(number)),
            None => format!("{}/{slug}.md", self.directory),
        }
    }

    /// What decides which of two keeps its id: age, if it is known, then a name that fits.
    pub(super) fn seniority(&self) -> impl Ord + use<> {
        let is_misplaced = self.place().as_ref() != Some(&self.file);
        (self.date.is_empty(), self.date.clone(), is_misplaced, self.file.clone())
    }

    /// Says whether the guard enforces it: then only a person takes it away.
    pub(super) fn is_guarded(&self) -> bool {
        self.sort == Sort::Decision && self.document.front().has("guard")
    }

    /// What it says, without what archiving adds.
    pub(super) fn essence(&self) -> String {
        let mut document = self.document.clone();
        for key in self.sort.stamp() {
            document.front_mut().remove(key);
        }
        format!("{}\0{}", document.front().to_text(), document.body())
    }
}

fn named_slug(sort: Sort, file: &str) -> &str {
    match sort {
        Sort::Decision | Sort::Task => split_name(stem(file)).1,
        Sort::Memory => stem(file),
    }
}

/// All files of one sort in a store.
#[derive(Debug)]
pub(super) struct Drawer {
    pub(super) sort: Sort,
    pub(super) active: Vec<Paper>,
    pub(super) past: Vec<Paper>,
    /// The files that are no items.
    pub(super) troubles: Vec<Trouble>,
    /// Every name that a file has, without its directory and ending.
    pub(super) stems: HashSet<String>,
    /// Every number that is or was given out, also to files that nobody can read.
    pub(super) numbers: HashSet<u32>,
}

impl Drawer {
    pub(super) fn open(store: &Store, sort: Sort) -> Self {
        let mut drawer = Self {
            sort,
            active: Vec::new(),
            past: Vec::new(),
            troubles: Vec::new(),
            stems: HashSet::new(),
            numbers: HashSet::new(),
        };
        for directory in sort.directories() {
            let active = drawer.read(store, directory);
            let past = drawer.read(store, &format!("archive/{directory}"));
            drawer.active.extend(active);
            drawer.past.extend(past);
        }
        drawer
    }

    fn read(&mut self, store: &Store, directory: &str) -> Vec<Paper> {
        let mut papers = Vec::new();
        for name in store.list(directory) {
            let file = format!("{directory}/{name}");
            self.stems.insert(stem(&name).to_owned());
            self.numbers.extend(self.sort.named_number(&file));
            let text = match store.read(&file) {
                Ok(Some(text)) => text,
                Ok(None) => continue,
                Err(error) => {
                    self.troubles.push(Trouble::of_error(self.sort.word(), &file, &error));
                    continue;
                }
            };
            match Paper::read(self.sort, file, text) {
                Ok(paper) => {
                    self.numbers.extend(paper.number);
                    papers.push(paper);
                }
                Err(fault) => self.troubles.push(Trouble::of_fault(self.sort.word(), fault)),
            }
        }
        papers
    }

    /// The next number that was never given out, if there is one; `given` are those of this look.
    pub(super) fn next_number(&self, given: u32) -> Option<u32> {
        let next = self.numbers.iter().max().copied().unwrap_or(0).checked_add(given)?.checked_add(1)?;
        (next <= HIGHEST).then_some(next)
    }
}
