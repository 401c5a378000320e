//! What is kept of a file that needs no repair, so that it is not read again for every look.
//!
//! A healthy base has thousands of files, and a look is to take no longer than seeing that they are still the same. So the doctor keeps a
//! *card* of each: what the others have to know of it (its number, its slug, whom it names), and what only a person can put right in it. Cards
//! lie on a [`Shelf`], so they count only for the very version of the file that they were made of, and a catalogue of them serves the next
//! server.
//!
//! A file has no card if it cannot be read, has a defect that a repair would mend, or lies where it does not belong: what is to be done about
//! it depends on its text and on the store around it. Such a file is read in full at every look ([`super::paper`]), as is one whose number or
//! slug another one has. There are few of them, and none after a repair but those that nobody can read.

use std::borrow::Cow;

use super::defects;
use super::gist::Gist;
use super::paper::{Paper, Sort};
use super::trouble::Trouble;
use crate::catalogue::Catalogued;
use crate::catalogue::wire::{Reader, Writer};
use crate::shelf::{Fault, Item, ReadBoth, Shelf};
use crate::store::Store;
use crate::text::Document;

/// What is kept of a file that needs no repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The number of its id; memories have none.
    pub(super) number: Option<u32>,
    pub(super) slug: String,
    pub(super) references: Vec<Reference>,
    /// What a person should put right, in the order in which it is told.
    pub(super) remarks: Vec<Remark>,
}

/// What one decision says about another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) key: &'static str,
    pub(super) name: String,
    pub(super) line: usize,
}

/// Something that only a person can put right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remark {
    line: usize,
    what: String,
    next: String,
}

pub(super) const SUPERSEDED_BY: &str = "superseded_by";
pub(super) const SUPERSEDES: &str = "supersedes";

impl Card {
    /// Reads a file once, for the item in it and for its card.
    pub(crate) fn with<T>(
        (file, text): (&str, &str),
        read: impl FnOnce(&Document) -> Result<T, Fault>,
    ) -> ReadBoth<T, Self>
    where
        for<'a> Gist: From<&'a T>,
    {
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(problem) => return (Err(Fault::of(file, &problem)), None),
        };
        // Thousands of files are read, and each is looked through once.
        let clean = document.without_secrets();
        let (item, has_secret) = (read(&clean), matches!(clean, Cow::Owned(_)));
        let sort = Sort::of(file);
        // A repair is about the file as it is: what was taken out of the item is still there.
        let gist = match &item {
            Ok(item) if !has_secret => Ok(Gist::from(item)),
            _ => Gist::read(sort, file, &document),
        };
        let of_gist = |gist| {
            let place = (sort, file.to_owned());
            Self::of_paper(file, &Paper::of(place, text.to_owned(), document, has_secret, gist))
        };
        (item, Some(gist.and_then(of_gist)))
    }

    fn of_paper(file: &str, paper: &Paper) -> Result<Self, Fault> {
        // Nobody is told this: whoever finds no card reads the file.
        Self::of(paper).ok_or_else(|| Fault::new(file, 0, "is to be read in full"))
    }

    /// Makes the card of a file, if it can have one.
    fn of(paper: &Paper) -> Option<Self> {
        if paper.is_astray() {
            return None;
        }
        // What is in the archive is not repaired, so nothing is said of its form.
        let found = if paper.is_archived() { Vec::new() } else { defects::within(paper) };
        let needs_no_repair = found.iter().all(|trouble| trouble.remedy.is_none());
        (needs_no_repair && (paper.is_archived() || defects::is_in_place(paper))).then(|| Self {
            number: paper.number,
            slug: paper.slug.clone(),
            references: references(paper),
            remarks: found.into_iter().map(Remark::of).collect(),
        })
    }

    /// Says what is wrong with its file.
    pub(super) fn troubles(&self, sort: Sort, file: &str) -> impl Iterator<Item = Trouble> {
        self.remarks.iter().map(move |Remark { line, what, next }| {
            Trouble::new(sort.word(), file, *line, what.as_str(), next.as_str())
        })
    }
}

impl Remark {
    fn of(trouble: Trouble) -> Self {
        let Trouble { line, what, next, .. } = trouble;
        Self { line, what, next }
    }
}

/// Gives what a file says about other decisions.
pub(super) fn references(paper: &Paper) -> Vec<Reference> {
    if paper.sort != Sort::Decision {
        return Vec::new();
    }
    let front = paper.document.front();
    let named = |key: &'static str| {
        let line = front.line_of(key).unwrap_or(1);
        let names = front.list(key).into_iter().filter(|name| !name.trim().is_empty());
        names.map(move |name| Reference { key, name, line })
    };
    [SUPERSEDED_BY, SUPERSEDES].into_iter().flat_map(named).collect()
}

impl Item for Card {
    type Beside = ();

    fn read(file: &str, text: &str) -> Result<Self, Fault> {
        Self::of_paper(file, &Paper::read(Sort::of(file), file.to_owned(), text.to_owned())?)
    }

    fn title(&self) -> &str {
        &self.slug
    }
}

impl Catalogued for Card {
    const KIND: &'static str = "card";

    fn spell(&self, out: &mut Writer) {
        let Self { number, slug, references, remarks } = self;
        out.flag(number.is_some());
        out.number(number.unwrap_or_default());
        out.text(slug);
        out.count(references.len());
        for Reference { key, name, line } in references {
            out.flag(*key == SUPERSEDES);
            out.text(name);
            out.line(*line);
        }
        out.count(remarks.len());
        for Remark { line, what, next } in remarks {
            out.line(*line);
            out.text(what);
            out.text(next);
        }
    }

    fn recall(from: &mut Reader<'_>) -> Self {
        let (is_numbered, number) = (from.flag(), from.number());
        let slug = from.owned();
        let reference = |from: &mut Reader<'_>| Reference {
            key: if from.flag() { SUPERSEDES } else { SUPERSEDED_BY },
            name: from.owned(),
            line: from.line(),
        };
        let references = (0..from.count()).map(|_| reference(from)).collect();
        let remark =
            |from: &mut Reader<'_>| Remark { line: from.line(), what: from.owned(), next: from.owned() };
        let remarks = (0..from.count()).map(|_| remark(from)).collect();
        Self { number: is_numbered.then_some(number), slug, references, remarks }
    }
}

/// The cards of a store.
#[derive(Debug)]
pub(crate) struct Cards([(Sort, [Shelf<Card>; 2]); 4]);

/// The directories with the files of each sort, and what was put away of them.
const DIRECTORIES: [(Sort, [&str; 2]); 4] = [
    (Sort::Decision, ["decisions", "archive/decisions"]),
    (Sort::Task, ["backlog", "archive/backlog"]),
    (Sort::Memory, ["memory/feedback", "archive/memory/feedback"]),
    (Sort::Memory, ["memory/patterns", "archive/memory/patterns"]),
];

impl Cards {
    /// Takes the cards of a store; `shelve` makes the shelf of a directory.
    pub(crate) fn new(shelve: impl Fn(&'static str) -> Shelf<Card>) -> Self {
        Self(DIRECTORIES.map(|(sort, directories)| (sort, directories.map(&shelve))))
    }

    /// The shelves of one sort: each with what holds, and with what was put away.
    pub(super) fn of(&self, sort: Sort) -> impl Iterator<Item = &[Shelf<Card>; 2]> {
        self.0.iter().filter(move |(of, _)| *of == sort).map(|(_, shelves)| shelves)
    }

    fn shelves(&self) -> impl Iterator<Item = &Shelf<Card>> {
        self.0.iter().flat_map(|(_, shelves)| shelves)
    }

    /// Makes the cards of directories that nobody has catalogued.
    pub(crate) fn make_ahead(&self, store: &Store) {
        self.shelves().for_each(|shelf| shelf.read_ahead(store));
    }

    /// Makes the cards of files that came or changed, where there are many.
    pub(crate) fn keep_up(&self, store: &Store) {
        self.shelves().for_each(|shelf| shelf.keep_up(store));
    }

    /// Catalogues the cards for the next who looks.
    pub(crate) fn write_catalogues(&self, store: &Store) {
        self.shelves().for_each(|shelf| shelf.write_catalogue(store));
    }
}
