//! The files of decisions, tasks and memories, read for their form.
//!
//! The three have the same shape: front matter with an id or at least a slug, a title, a date; a file named after it; an archive. So they are
//! read by their own modules, which know what is no such item at all, and then looked at alike.
//!
//! Most of them are in order, and a card says all that is asked of them ([`super::card`]). Read in full are those that have none, and those
//! that have a number or a slug in common.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::card::{Card, Reference, SUPERSEDES, references};
use super::gist::Gist;
use super::trouble::Trouble;
use crate::backlog;
use crate::base::Stack;
use crate::counter;
use crate::decision::{self, split_name};
use crate::keeping::stem;
use crate::memory;
use crate::shelf::{Contents, Fault, Kept};
use crate::store::Store;
use crate::text::{self, Document};

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Decision,
    Task,
    Memory,
}

/// Where that lies which was put away.
pub(super) const ARCHIVE: &str = "archive/";
/// The highest number of an id; one more digit, and it is none.
const HIGHEST: u32 = 999_999_999;
/// How many names are looked at that one file has for others. People write a few, and each may take a look into another store.
const MOST_NAMED: usize = 100;

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

    /// What the file of a store holds, by where it lies.
    pub(super) fn of(file: &str) -> Self {
        let active = file.strip_prefix(ARCHIVE).unwrap_or(file);
        match active.split_once('/') {
            Some(("decisions", _)) => Self::Decision,
            Some(("backlog", _)) => Self::Task,
            _ => Self::Memory,
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

    /// The letter of its ids; memories have none.
    pub(super) const fn letter(self) -> char {
        if matches!(self, Self::Task) { 'B' } else { 'D' }
    }

    /// Spells an id; memories have none.
    pub(super) fn id(self, number: u32) -> String {
        format!("{}-{number:03}", self.letter())
    }

    /// The number that a reference names, in whatever case.
    pub(super) fn referred(self, name: &str) -> Option<u32> {
        self.number(&name.trim().to_ascii_uppercase())
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
    /// Whether it has a text that lists show.
    pub(super) has_text: bool,
    /// Whether something in it is secret or private.
    pub(super) has_secret: bool,
    /// The directory in which it should be.
    directory: &'static str,
}

impl Paper {
    pub(super) fn read(sort: Sort, file: String, text: String) -> Result<Self, Fault> {
        let document = Document::parse(&text).map_err(|problem| Fault::of(&file, &problem))?;
        let has_secret = matches!(document.without_secrets(), Cow::Owned(_));
        let gist = Gist::read(sort, &file, &document)?;
        Ok(Self::of((sort, file), text, document, has_secret, gist))
    }

    /// Takes a file that was read, and of which the item is known.
    pub(super) fn of(
        (sort, file): (Sort, String),
        text: String,
        document: Document,
        has_secret: bool,
        gist: Gist,
    ) -> Self {
        let Gist { number, title, date, has_text, directory } = gist;
        let own = document.front().text("slug").filter(|slug| text::is_slug(slug, sort.longest_slug()));
        let named = || Some(named_slug(sort, &file)).filter(|slug| text::is_slug(slug, sort.longest_slug()));
        let slug = own.or_else(named).map_or_else(|| text::slug(&title, sort.longest_slug()), str::to_owned);
        Self { sort, file, text, document, number, slug, title, date, has_text, has_secret, directory }
    }

    /// Says whether there is nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Says whether it was put away.
    pub(super) fn is_archived(&self) -> bool {
        is_archived(&self.file)
    }

    /// Says whether it lies in the archive and nothing in it says that anybody put it there. A merge may carry it along where another branch
    /// archived all that lay beside it.
    pub(super) fn is_astray(&self) -> bool {
        if !self.is_archived() || self.is_empty() {
            return false;
        }
        let front = self.document.front();
        let status = front.text("status").unwrap_or_default().trim();
        let is_in_force = match self.sort {
            Sort::Decision => {
                status.eq_ignore_ascii_case("active")
                    || status.is_empty() && decision::past_status(&self.document).is_none()
            }
            // In the words of another system it may well be past.
            Sort::Task => {
                status.is_empty()
                    || status.parse().is_ok_and(|status: backlog::Status| status != backlog::Status::Done)
            }
            Sort::Memory => true,
        };
        is_in_force && !self.sort.stamp().iter().any(|key| *key != "status" && front.has(key))
    }

    /// What others know of it.
    pub(super) fn by(&self) -> By<'_> {
        By { file: &self.file, number: self.number, slug: &self.slug }
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

    /// Says whether it is a decision that still holds.
    fn holds(&self) -> bool {
        self.sort == Sort::Decision && decision::past_status(&self.document).is_none()
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

/// A file as others know it.
#[derive(Debug, Clone, Copy)]
pub(super) struct By<'a> {
    pub(super) file: &'a str,
    pub(super) number: Option<u32>,
    pub(super) slug: &'a str,
}

/// What one file says about another.
#[derive(Debug, Clone)]
pub(super) struct Mention<'a> {
    pub(super) by: By<'a>,
    pub(super) reference: Cow<'a, Reference>,
}

/// All files of one sort in a store.
#[derive(Debug)]
pub(super) struct Drawer {
    pub(super) sort: Sort,
    /// The files of which a card says enough.
    pub(super) cards: Vec<Kept<Card>>,
    /// The others that hold.
    pub(super) active: Vec<Paper>,
    /// Those that were put away, as far as one of the active has the same number or slug, or they have no card.
    pub(super) past: Vec<Paper>,
    /// The files that are no items.
    pub(super) troubles: Vec<Trouble>,
    /// Every number that is or was given out, also to files that nobody can read.
    pub(super) numbers: HashSet<u32>,
    /// The highest number that was ever given out, as far as this machine knows.
    given_out: u32,
}

impl Drawer {
    pub(super) fn open(stack: &Stack, sort: Sort) -> Self {
        let mut drawer = Self {
            sort,
            cards: Vec::new(),
            active: Vec::new(),
            past: Vec::new(),
            troubles: Vec::new(),
            numbers: HashSet::new(),
            given_out: 0,
        };
        let mut in_full = Vec::new();
        for shelf in stack.cards.of(sort).flatten() {
            let Contents { items, faults } = shelf.contents(&stack.store);
            drawer.cards.extend(items);
            in_full.extend(faults.into_iter().map(|fault| fault.file));
        }
        drawer.numbers.extend(in_full.iter().filter_map(|file| sort.named_number(file)));
        for card in drawer.cards.iter().filter(|_| sort != Sort::Memory) {
            let (named, own) = (sort.named_number(&card.file), card.item.number);
            // Mostly they are the same.
            drawer.numbers.extend(named.into_iter().chain(own.filter(|_| own != named)));
        }
        for file in in_full {
            drawer.read(&stack.store, file);
        }
        drawer.take_out_the_ambiguous(&stack.store);
        if sort != Sort::Memory {
            let there = drawer.numbers.iter().max().copied().unwrap_or(0);
            drawer.given_out = counter::highest(&stack.store, sort.letter(), there);
        }
        for papers in [&mut drawer.active, &mut drawer.past] {
            papers.sort_by(|a, b| a.file.cmp(&b.file));
        }
        drawer
    }

    /// Reads those in full whose number, or without one their slug, an active one has as well.
    fn take_out_the_ambiguous(&mut self, store: &Store) {
        let of_cards =
            self.cards.iter().map(|card| (card.file.as_str(), mark(card.item.number, &card.item.slug)));
        let papers = self.active.iter().chain(&self.past);
        let of_papers = papers.map(|paper| (paper.file.as_str(), mark(paper.number, &paper.slug)));
        let count = self.cards.len() + self.active.len() + self.past.len();
        let mut bearers: HashMap<Mark<'_>, Bearers> = HashMap::with_capacity(count);
        for (file, mark) in of_cards.chain(of_papers) {
            let of_mark = bearers.entry(mark).or_default();
            of_mark.count += 1;
            of_mark.has_active |= !is_archived(file);
        }
        // Mostly each has a mark of its own, and nobody has to be asked again.
        if bearers.len() == count {
            return;
        }
        let is_ambiguous = |card: &Kept<Card>| {
            let of_mark = &bearers[&mark(card.item.number, &card.item.slug)];
            of_mark.count > 1 && of_mark.has_active
        };
        let ambiguous: Vec<bool> = self.cards.iter().map(is_ambiguous).collect();
        let mut ambiguous = ambiguous.into_iter();
        let taken: Vec<Kept<Card>> =
            self.cards.extract_if(.., |_| ambiguous.next().unwrap_or(false)).collect();
        for card in taken {
            self.read(store, card.file.clone());
        }
    }

    /// Reads a file in full.
    fn read(&mut self, store: &Store, file: String) {
        let text = match store.read(&file) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(error) => {
                self.troubles.push(Trouble::of_error(self.sort.word(), &file, &error));
                return;
            }
        };
        match Paper::read(self.sort, file, text) {
            Ok(paper) => {
                self.numbers.extend(paper.number);
                let papers = if paper.is_archived() { &mut self.past } else { &mut self.active };
                papers.push(paper);
            }
            Err(fault) => self.troubles.push(Trouble::of_fault(self.sort.word(), fault)),
        }
    }

    /// What the files say about others of their sort, each thing once.
    pub(super) fn mentions(&self) -> Vec<Mention<'_>> {
        let of_cards = self.cards.iter().flat_map(|card| {
            let Card { number, slug, references, .. } = &*card.item;
            let by = By { file: &card.file, number: *number, slug };
            each_once(by, references.iter().map(Cow::Borrowed))
        });
        let of_paper = |paper| each_once(Paper::by(paper), references(paper).into_iter().map(Cow::Owned));
        let of_papers = self.active.iter().chain(&self.past).flat_map(of_paper);
        of_cards.chain(of_papers).collect()
    }

    /// Says whether one that was not put away says that it supersedes this one.
    pub(super) fn has_successor(&self, paper: &Paper) -> bool {
        let names_it = |name: &str| match self.sort.referred(name) {
            Some(number) => paper.number == Some(number),
            None => paper.slug == name,
        };
        self.mentions().iter().any(|Mention { by, reference }| {
            !is_archived(by.file) && reference.key == SUPERSEDES && names_it(reference.name.trim())
        })
    }

    /// All decisions that still hold, as far as their files say.
    pub(super) fn holding(&self) -> impl Iterator<Item = By<'_>> {
        // Of one that does not hold and is not in the archive there is no card.
        let cards = self.cards.iter().filter(|card| !is_archived(&card.file));
        let of_cards =
            cards.map(|card| By { file: &card.file, number: card.item.number, slug: &card.item.slug });
        of_cards.chain(self.active.iter().filter(|paper| paper.holds()).map(Paper::by))
    }

    /// All files that somebody put away.
    pub(super) fn put_away(&self) -> Vec<By<'_>> {
        let of_cards = self.cards.iter().filter(|card| is_archived(&card.file)).map(|card| By {
            file: &card.file,
            number: card.item.number,
            slug: &card.item.slug,
        });
        // Of one that is there by accident there is no card.
        of_cards.chain(self.past.iter().filter(|paper| !paper.is_astray()).map(Paper::by)).collect()
    }

    /// Says whether one that was not put away has the number of this one or, without a number, its slug; also one that nobody can read.
    pub(super) fn has_namesake(&self, paper: &Paper) -> bool {
        let mut unread = self.troubles.iter().filter(|trouble| !is_archived(&trouble.file));
        if paper.number.is_some()
            && unread.any(|trouble| self.sort.named_number(&trouble.file) == paper.number)
        {
            return true;
        }
        let cards = self.cards.iter().filter(|card| !is_archived(&card.file));
        let of_cards = cards.map(|card| mark(card.item.number, &card.item.slug));
        let of_papers = self.active.iter().map(|paper| mark(paper.number, &paper.slug));
        of_cards.chain(of_papers).any(|of_other| of_other == mark(paper.number, &paper.slug))
    }

    /// Says whether no other file has the number of this one, not even one that nobody can read.
    pub(super) fn is_alone(&self, paper: &Paper) -> bool {
        // Of one that has the number of another there is no card.
        let papers = self.active.iter().chain(&self.past);
        let mut numbers = papers.filter(|other| other.file != paper.file).map(|other| other.number);
        let mut named = self.troubles.iter().map(|trouble| self.sort.named_number(&trouble.file));
        paper.number.is_none()
            || numbers.all(|number| number != paper.number) && named.all(|number| number != paper.number)
    }

    /// Every name that a file has, without its directory and ending, and every slug.
    pub(super) fn slugs(&self) -> HashSet<String> {
        let of_cards = self.cards.iter().flat_map(|card| [stem(&card.file), &card.item.slug]);
        let papers = self.active.iter().chain(&self.past);
        let of_papers = papers.flat_map(|paper| [stem(&paper.file), paper.slug.as_str()]);
        let of_others = self.troubles.iter().map(|trouble| stem(&trouble.file));
        of_cards.chain(of_papers).chain(of_others).map(str::to_owned).collect()
    }

    /// The next number that was never given out, if there is one; `given` are those of this look.
    pub(super) fn next_number(&self, given: u32) -> Option<u32> {
        let highest = self.numbers.iter().max().copied().unwrap_or(0).max(self.given_out);
        let next = highest.checked_add(given)?.checked_add(1)?;
        (next <= HIGHEST).then_some(next)
    }
}

/// What a file says about others, as far as it is looked at.
fn each_once<'a>(
    by: By<'a>,
    references: impl Iterator<Item = Cow<'a, Reference>>,
) -> impl Iterator<Item = Mention<'a>> {
    let mut said = HashSet::new();
    let is_new =
        move |reference: &Cow<'a, Reference>| said.insert((reference.key, reference.name.trim().to_owned()));
    references.filter(is_new).take(MOST_NAMED).map(move |reference| Mention { by, reference })
}

/// What no two files should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Mark<'a> {
    Number(u32),
    Slug(&'a str),
}

/// Who has a mark.
#[derive(Debug, Default)]
struct Bearers {
    count: usize,
    /// Whether one of them was not put away.
    has_active: bool,
}

fn mark(number: Option<u32>, slug: &str) -> Mark<'_> {
    number.map_or(Mark::Slug(slug), Mark::Number)
}

fn is_archived(file: &str) -> bool {
    file.starts_with(ARCHIVE)
}
