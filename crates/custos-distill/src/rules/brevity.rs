//! As much as the evidence deserves.
//!
//! A turn of three steps that is told in half a page is told badly, and what is stored of a session should be about a tenth of what it left
//! behind. So what an observation may say grows with what it was made from, down to a least that says what and why. Its parts stand in the
//! order of their worth; what is too much goes from the end.

use custos_model::{Observation, Sort};

use super::wording::sentences;
use crate::Found;
use crate::turn::{Turn, What};

/// The share of its evidence that the texts of a turn may take.
const SHARE: usize = 12;
/// The least and the most that the texts of one observation may take, in bytes: a rule is mostly its title, what was found out mostly its
/// reasons.
const fn bounds(sort: Sort) -> (usize, usize) {
    match sort {
        Sort::Decision => (140, 220),
        Sort::Discovery | Sort::Security => (360, 900),
        _ => (260, 600),
    }
}

/// Brings observations to the length that their turn deserves.
pub(crate) fn fit(found: &mut [Found], turn: &Turn) {
    let room = weight(turn) / SHARE / found.len().max(1);
    // What a question came to is all that is left of it.
    let is_answer = found.len() == 1 && found[0].observation.files_modified.is_empty();
    for one in found {
        let (least, most) = bounds(one.observation.sort);
        let least = if is_answer { least * 3 / 2 } else { least };
        shorten(&mut one.observation, room.clamp(least, most));
    }
}

/// Counts what a turn left behind, in bytes.
fn weight(turn: &Turn) -> usize {
    let said: usize = turn.said.iter().map(|said| said.text.len()).sum();
    let steps: usize = turn
        .steps
        .iter()
        .map(|step| {
            step.output.len()
                + match &step.what {
                    What::Ran(text) | What::Delegated(text) | What::Other(text) => text.len(),
                    What::Edited(edits) => {
                        edits.iter().map(|edit| edit.before.len() + edit.after.len() + edit.path.len()).sum()
                    }
                    What::Read => 0,
                }
        })
        .sum();
    said + steps + turn.message.as_ref().map_or(0, String::len)
}

/// Says whether what is kept of a fix tells only what was seen: why it was so comes behind that.
fn only_tells_what(sort: Sort, kept: &str) -> bool {
    let is_sight = |sentence: &&str| {
        sentence.starts_with("Seen: ")
            || sentence.starts_with("Reported: ")
            || sentence.starts_with('`') && sentence.contains("` failed")
    };
    matches!(sort, Sort::Bugfix | Sort::Security) && sentences(kept).iter().all(is_sight)
}

fn shorten(observation: &mut Observation, room: usize) {
    // The narrative says why: it has the greater part, and what the facts leave.
    let facts: usize = observation.facts.iter().map(String::len).sum();
    let mut beyond = 0;
    let for_narrative = (room * 3 / 5).max(room.saturating_sub(facts));
    if observation.narrative.len() > for_narrative {
        let mut kept = String::new();
        let mut is_short_of_why = false;
        for sentence in sentences(&observation.narrative) {
            // One sentence more is better than half of what there is room for.
            let is_enough = kept.len() * 2 >= for_narrative;
            if is_enough && kept.len() + sentence.len() > for_narrative {
                if is_short_of_why || !only_tells_what(observation.sort, &kept) {
                    break;
                }
                // Why it was so is worth its room twice: facts do not make way for it.
                is_short_of_why = true;
                beyond = sentence.len();
            }
            if !kept.is_empty() {
                kept.push(' ');
            }
            kept.push_str(sentence);
        }
        observation.narrative = kept;
    }
    let mut left = (room + beyond).saturating_sub(observation.narrative.len());
    let mut is_first = true;
    observation.facts.retain(|fact| {
        let fits = fact.len() <= left || is_first;
        is_first = false;
        if fits {
            left = left.saturating_sub(fact.len());
        }
        fits
    });
}
