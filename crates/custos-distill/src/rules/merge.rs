//! Few instead of many: what concerns the same becomes one, and a turn tells at most a few things.

use custos_model::Sort;

use super::wording::{FACTS, FILES};
use crate::{Found, alike};

/// The most that a turn may tell beside what the person said.
const MOST: usize = 4;

/// Merges what is alike, and keeps what matters most.
pub(crate) fn merged(found: Vec<Found>) -> Vec<Found> {
    let mut kept: Vec<Found> = Vec::new();
    for one in found {
        match kept.iter_mut().find(|known| alike::near(&known.observation, &one.observation)) {
            Some(known) => absorb(known, one),
            None => kept.push(one),
        }
    }
    let mut others = 0;
    kept.retain(|one| {
        others += usize::from(!one.said);
        one.said || others <= MOST
    });
    kept.retain(|one| !is_bare(one));
    kept
}

/// Takes another observation of the same thing in.
fn absorb(into: &mut Found, other: Found) {
    let (a, b) = (&mut into.observation, other.observation);
    for fact in b.facts {
        if a.facts.len() < FACTS && !a.facts.contains(&fact) {
            a.facts.push(fact);
        }
    }
    for file in b.files_modified {
        if a.files_modified.len() < FILES && !a.files_modified.contains(&file) {
            a.files_modified.push(file);
        }
    }
    // What a person said weighs more than what came of it.
    into.said |= other.said;
    into.steps.extend(other.steps);
    into.steps.sort_unstable();
    into.steps.dedup();
}

/// Recognises what only repeats a path or a command, and work of which nothing can be told but that it was asked for.
fn is_bare(one: &Found) -> bool {
    let it = &one.observation;
    let says_nothing = it.narrative.is_empty() && it.facts.is_empty() && it.subtitle.is_empty();
    let is_work = !matches!(it.sort, Sort::Decision | Sort::Discovery);
    it.sort != Sort::Decision && (alike::restates(it) || is_work && says_nothing)
}
