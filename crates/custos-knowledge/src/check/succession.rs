//! Decisions whose place another took, and that still hold.
//!
//! Whoever saves a decision in the place of another writes the new one and then puts the old one away. A process that is killed between the two
//! leaves both, and so does a hand that writes `supersedes` and stops there: the next session is told two things. The repair does what saving
//! would have done. It only goes from a later id to an earlier one, so that two that name each other do not both go. What carries a guard or is
//! of another store is left to a person; and so is everything from where a twin may have got another id, for then nobody knows which of the two
//! was meant. That shows in a later id with an earlier day.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use custos_config::shown::shown;

use super::card::{SUPERSEDED_BY, SUPERSEDES};
use super::paper::{By, Drawer, Mention, Paper, Sort};
use super::trouble::{Remedy, Trouble};
use crate::base::{Base, Stack};
use crate::decision::{self, Decision};
use crate::shelf::Kept;

/// Finds the decisions of a store that others say to supersede, and that still hold; `holds_elsewhere` asks other stores.
pub(super) fn look(
    base: &Base,
    stack: &Stack,
    drawer: &Drawer,
    holds_elsewhere: impl Fn(&str) -> bool,
) -> Vec<Trouble> {
    let mut claims = drawer.mentions();
    claims.retain(|mention| mention.reference.key == SUPERSEDES);
    if claims.is_empty() {
        return Vec::new();
    }
    let (mut by_number, mut by_slug) =
        (HashMap::<u32, Vec<By<'_>>>::new(), HashMap::<&str, Vec<By<'_>>>::new());
    let mut files = HashSet::new();
    for one in drawer.holding() {
        one.number.into_iter().for_each(|number| by_number.entry(number).or_default().push(one));
        by_slug.entry(one.slug).or_default().push(one);
        files.insert(one.file);
    }
    // Which of several with one number is meant has to be settled first.
    let mut papers = HashMap::<Option<u32>, Vec<&str>>::new();
    for paper in drawer.active.iter().chain(&drawer.past) {
        papers.entry(paper.number).or_default().push(&paper.file);
    }
    let is_alone = |one: &By<'_>| {
        papers.get(&one.number).is_none_or(|bearers| bearers.iter().all(|file| *file == one.file))
    };
    let numbered = |number: u32| by_number.get(&number).and_then(|some| only(some.iter()));
    // One may take the place of another that is called as it is.
    let called = |name: &str, by: &By<'_>| {
        let bearers = by_slug.get(name)?;
        only(bearers.iter().filter(|one| one.file != by.file))
    };
    let decisions = LazyCell::new(|| stack.decisions.contents(&stack.store).items);
    let (mut told, mut elsewhere) = (HashSet::new(), HashMap::new());
    let mut found: Vec<Trouble> = Vec::new();
    for mention in claims.iter().filter(|mention| files.contains(mention.by.file)) {
        let name = mention.reference.name.trim();
        let old = match drawer.sort.referred(name) {
            Some(number) => numbered(number),
            None => called(name, &mention.by),
        };
        match old.filter(&is_alone) {
            // It is read once, however many say that they took its place.
            Some(old) if old.file != mention.by.file && told.insert(old.file) => {
                let may_be_renumbered = || may_be_renumbered(&decisions, mention.by);
                found.extend(still_holds(base, stack, old, mention, may_be_renumbered));
            }
            None if *elsewhere.entry(name).or_insert_with(|| holds_elsewhere(name)) => {
                found.push(holds_there(mention));
            }
            _ => {}
        }
    }
    found
}

/// Gives the only one of some; of several nobody knows which is meant.
fn only<'a>(mut some: impl Iterator<Item = &'a By<'a>>) -> Option<By<'a>> {
    let one = some.next()?;
    some.next().is_none().then_some(*one)
}

/// Says that a decision of the same store still holds, and what would put it away.
fn still_holds(
    base: &Base,
    stack: &Stack,
    old: By<'_>,
    new: &Mention<'_>,
    may_be_renumbered: impl FnOnce() -> bool,
) -> Option<Trouble> {
    let text = stack.store.read(old.file).ok()??;
    let paper = Paper::read(Sort::Decision, old.file.to_owned(), text).ok()?;
    let id = Sort::Decision.id(new.by.number?);
    let line = paper.document.front().line_of("status").unwrap_or(1);
    let what = format!("still holds, and {} says that it supersedes it", shown(new.by.file));
    let own = paper.number.map(|number| Sort::Decision.id(number)).unwrap_or_default();
    if paper.is_guarded() {
        let next = format!(
            "It carries a guard: ask the person to run `custos decisions archive {own} --reason … --superseded-by {id}`"
        );
        return Some(paper.trouble(line, what, next));
    }
    // It says itself what became of it, and that contradicts its status: that is told by itself.
    if [SUPERSEDED_BY, "revoked_reason"].into_iter().any(|key| paper.document.front().has(key)) {
        return None;
    }
    if paper.number >= new.by.number || may_be_renumbered() {
        let next = format!(
            "Archive it if it is meant (archive_decision with superseded_by {id}), or take it out of `supersedes` there"
        );
        return Some(paper.trouble(line, what, next));
    }
    let mut document = paper.document.clone();
    decision::stamp(document.front_mut(), &base.now_text(), &format!("superseded by {id}"), Some(&id));
    let remedy = Remedy::Archive { was: paper.text.clone(), text: document.to_text() };
    Some(paper.trouble(line, what, format!("The repair archives it in favour of {id}")).mended_by(remedy))
}

/// Says whether a decision that came before this one may have got its id after it: a twin that was given another one.
fn may_be_renumbered(decisions: &[Kept<Decision>], new: By<'_>) -> bool {
    let own = decisions.iter().find(|kept| kept.file == new.file);
    let day = own.map_or("", |kept| kept.item.date.as_str());
    let is_before = |date: &str| day.is_empty() || !date.is_empty() && date < day;
    let mut later = decisions.iter().filter(|kept| decision::number(&kept.item.id) > new.number);
    later.any(|kept| is_before(&kept.item.date))
}

/// Says that a decision of another store still holds.
fn holds_there(Mention { by, reference }: &Mention<'_>) -> Trouble {
    let name = shown(&reference.name);
    let what = format!("says that it supersedes {name}, which still holds");
    let next = format!("Archive that one (archive_decision with id {name}), or take it out of `supersedes`");
    Trouble::new(Sort::Decision.word(), by.file, reference.line, what, next)
}
