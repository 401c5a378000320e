//! What becomes of the items that are nested below another.
//!
//! "Use UTC everywhere:" needs what stands below it, and so do "Never:" and "When adding a route:"; these stay whole. "Git" is only what the
//! items below it are about, each of which is a rule or is none, and which mean nothing without it: "Python: Use 4 spaces". Steps stay with
//! what they are steps of. What stands below a rule explains it, unless it is a rule by its own words.
//! Below what is forbidden that is only what says itself how it is meant, for the rest may belong to the prohibition. What may be a habit that
//! is forbidden, or what to do instead, is left out there as well.

use std::ops::Range;

use super::against::{self, Bearing, Mark, demands, may_be_habit, of_lead, speaks_for_itself};
use super::judging::{MOST_OF_TOPIC, is_case, wanted, words};
use super::pieces::{Form, Piece, speaks_of_rules};
use super::spans::without_marks;
use super::within_title;
use super::words::{RULING, SEQUENCE};

/// The most that is put before a rule to say what it is about, in characters. What is longer is only told beside it.
const LONGEST_ABOUT: usize = 80;

/// Gives the pieces that a piece with what is nested below it comes to, each with its whole text.
pub(super) fn unfolded(mut piece: Piece) -> Vec<Piece> {
    if piece.nested.is_empty() {
        return vec![piece];
    }
    let plain = without_marks(&piece.text);
    let leads = plain.ends_with([':', '：']);
    let is_rule = is_rule_itself(&piece);
    let lead = of_lead(&piece.text);
    let barred = against::barred(&piece.text, piece.bearing.as_ref()).0;
    let is_barred = barred.is_some_and(|barred| !barred.is_given);
    // "What you must never do" leads to what is forbidden as well, with or without a colon.
    let said = against::of_heading(&plain);
    let is_against = is_barred || [&lead, &said].into_iter().flatten().any(Bearing::is_against);
    let only_shows = [&lead, &said, &piece.bearing].into_iter().flatten().any(Bearing::only_shows);
    let is_ruling = leads && speaks_of_rules(&plain);
    // A list of rules may have numbers, and still is none of steps.
    let has_steps = !is_ruling && are_steps(&piece.nested);
    // What stands below a prohibition that is whole may well explain it.
    let is_list_of_forbidden = is_against && (lead.is_some() || !speaks_for_itself(&piece.text));
    let is_given = against::is_given(&piece.text);
    let is_whole = lead.is_some() || is_given || is_case(&plain) || (leads && is_rule) || has_steps;
    let count = words(&plain).count();
    // What may be done only with leave is no topic either.
    let is_bound = is_against || matches!(piece.bearing, Some(Bearing::Given { is_rule: true, .. }));
    let is_short = if is_bound { count == 1 } else { count < MOST_OF_TOPIC };
    let is_topic = !is_whole && (leads || (is_short && !is_rule));
    let topic = within_title(&plain);
    let about = about(&piece.about, &topic);
    let (mut apart, mut details) = (Vec::new(), Vec::new());
    for mut item in std::mem::take(&mut piece.nested) {
        let is_alone =
            if is_against { speaks_for_itself(&item.text) } else { !is_whole && is_rule_itself(&item) };
        let is_habit = is_list_of_forbidden && !is_alone && may_be_habit(&item.text);
        if is_topic || is_alone || is_habit {
            // "Always use npm" below "Bad examples" may be just that.
            item.is_unclear |= is_habit || (only_shows && demands(&item.text));
            item.topics = piece.topics.iter().chain([&topic]).cloned().collect();
            item.is_ruled = is_topic && (item.is_ruled || is_ruling);
            item.about.clone_from(if is_topic { &about } else { &piece.about });
            apart.extend(unfolded(item));
        } else {
            details.push(item);
        }
    }
    piece.is_ruled |= is_whole && (is_given || details.iter().any(is_rule_itself));
    piece.nested = details;
    // A topic is no rule wherever it stands, but one that is not marked as leading to others is named.
    piece.is_unclear |= is_topic;
    let own = (!(is_topic && leads)).then(|| folded(piece));
    own.into_iter().chain(apart).collect()
}

/// Says whether items are done one after the other, so that each means nothing without the others.
fn are_steps(nested: &[Piece]) -> bool {
    let is_numbered = |item: &Piece| item.bullet.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let goes_on = |item: &Piece| {
        let lower = item.text.to_lowercase();
        // "Next.js" is a name.
        let first = lower.split_whitespace().next().map(|first| first.trim_end_matches([',', ':']));
        first.is_some_and(|first| SEQUENCE.contains(&first))
    };
    nested.first().is_some_and(is_numbered) || nested.iter().skip(1).any(goes_on)
}

/// Gives what is put before what stands below a topic. One that only says that these are rules says nothing of them.
fn about(above: &str, topic: &str) -> String {
    let (_, topic) = against::unmarked(topic);
    if topic.is_empty() || RULING.contains(&topic.to_lowercase().as_str()) {
        return above.to_owned();
    }
    let each = [format!("{above}{topic}: "), format!("{topic}: ")];
    each.into_iter().find(|about| about.chars().count() <= LONGEST_ABOUT).unwrap_or_default()
}

/// Says whether an item is a rule by its own words or its mark.
fn is_rule_itself(item: &Piece) -> bool {
    let alone = Piece { text: item.text.clone(), form: Form::Item, ..Piece::default() };
    let (barred, text) = against::barred(&alone.text, None);
    let is_marked = against::unmarked(&item.text).0.is_some();
    is_marked
        || wanted(&Piece { text: text.trim_end_matches([':', '：']).to_owned(), ..alone }, barred.as_ref())
            .is_some()
}

/// Puts what is nested below a piece into its text, each item in its line.
fn folded(mut piece: Piece) -> Piece {
    for item in std::mem::take(&mut piece.nested) {
        let bullet = item.bullet.clone();
        piece.text.push_str(&format!("\n{bullet}{}", folded(item).text));
    }
    piece
}

/// Finds what is marked as right beside what is marked as wrong: together they say what is to be, where one alone may tick something off, and
/// more of them may be the features of something.
pub(super) fn pair(all: &mut [(Piece, Option<String>)]) {
    let marks: Vec<_> = all.iter().map(|(piece, _)| against::unmarked(&piece.text).0).collect();
    let is_beside = |at: usize| {
        let ((before, _), (piece, heading)) = (&all[at - 1], &all[at]);
        let are_alike = piece.form == before.form && piece.topics == before.topics;
        are_alike && heading.is_none() && marks[at].is_some() && marks[at - 1].is_some()
    };
    let is_next_line = |at: usize| all[at].0.line == all[at - 1].0.line + 1;
    let is_pair = |run: &Range<usize>| run.len() == 2 && marks[run.start] != marks[run.start + 1];
    let mut pairs = Vec::new();
    for run in runs(0..all.len(), is_beside) {
        // Pairs may stand below each other, each in lines of its own.
        let each = if is_pair(&run) { vec![run] } else { runs(run, is_next_line) };
        if each.iter().all(is_pair) {
            pairs.extend(each);
        }
    }
    for Range { start, .. } in pairs {
        let is_first = marks[start] == Some(Mark::For);
        let (right, wrong) = if is_first { (start, start + 1) } else { (start + 1, start) };
        all[right].0.beside = marks[wrong];
    }
}

/// Takes what is numbered apart, each part as far as it goes on.
fn runs(all: Range<usize>, goes_on: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in all {
        match runs.last_mut() {
            Some(run) if goes_on(at) => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}
