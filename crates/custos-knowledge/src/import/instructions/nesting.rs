//! What becomes of the items that are nested below another.
//!
//! "Use UTC everywhere:" needs what stands below it, and so do "Never:" and "When adding a route:"; these stay whole. "Git" is only what the
//! items below it are about, each of which is a rule or is none. What stands below a rule explains it, unless it is a rule by its own words.
//! Below what is forbidden that is only what says itself how it is meant, for the rest may belong to the prohibition.

use super::against::{self, Bearing, Mark, of_lead, speaks_for_itself};
use super::judging::{MOST_OF_TOPIC, is_case, wanted, words};
use super::pieces::{Form, Piece, speaks_of_rules};
use super::spans::without_marks;
use super::within_title;

/// Gives the pieces that a piece with what is nested below it comes to, each with its whole text.
pub(super) fn unfolded(mut piece: Piece) -> Vec<Piece> {
    if piece.nested.is_empty() {
        return vec![piece];
    }
    let plain = without_marks(&piece.text);
    let leads = plain.ends_with([':', '：']);
    let is_rule = is_rule_itself(&piece);
    let lead = of_lead(&piece.text);
    let is_barred = against::barred(&piece.text, piece.bearing.as_ref()).0.is_some();
    let is_against = is_barred || matches!(lead, Some(Bearing::Against { .. }));
    let is_whole = lead.is_some() || is_case(&plain) || (leads && is_rule);
    let count = words(&plain).count();
    let is_short = if is_against { count == 1 } else { count < MOST_OF_TOPIC };
    let is_topic = !is_whole && (leads || (is_short && !is_rule));
    let is_ruling = leads && speaks_of_rules(&plain);
    let topic = within_title(&plain);
    let (mut apart, mut details) = (Vec::new(), Vec::new());
    for mut item in std::mem::take(&mut piece.nested) {
        let is_alone =
            if is_against { speaks_for_itself(&item.text) } else { !is_whole && is_rule_itself(&item) };
        if is_topic || is_alone {
            item.topics = piece.topics.iter().chain([&topic]).cloned().collect();
            item.is_ruled = is_topic && (item.is_ruled || is_ruling);
            apart.extend(unfolded(item));
        } else {
            details.push(item);
        }
    }
    piece.is_ruled |= is_whole && details.iter().any(is_rule_itself);
    piece.nested = details;
    // A topic is no rule wherever it stands, but one that is not marked as leading to others is named.
    piece.is_unclear |= is_topic;
    let own = (!(is_topic && leads)).then(|| folded(piece));
    own.into_iter().chain(apart).collect()
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

/// Finds what is marked as right beside what is marked as wrong: together they say what is to be, where one alone may tick something off.
pub(super) fn pair(all: &mut [(Piece, Option<String>)]) {
    let marks: Vec<_> = all.iter().map(|(piece, _)| against::unmarked(&piece.text).0).collect();
    for at in 1..all.len() {
        let pair = (marks[at - 1], marks[at]);
        if all[at].1.is_some() || all[at].0.form != all[at - 1].0.form {
            continue;
        }
        match pair {
            (Some(Mark::Against), Some(Mark::For)) => all[at].0.beside = pair.0,
            (Some(Mark::For), Some(Mark::Against)) => all[at - 1].0.beside = pair.1,
            _ => {}
        }
    }
}
