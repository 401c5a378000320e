//! What became of the items of a close.
//!
//! Files get their names together, at the end of the call, and a title may be taken by something else: what is told of an item is what is there.

use custos_knowledge::decision::SavedDecision;
use custos_knowledge::memory::SavedMemory;
use custos_knowledge::{Refusal, Unkept};
use serde::Serialize;

use crate::answer::with_notes;
use crate::tools::kept::{Saved, without_lost};
use crate::tools::safety::{self, Added};
use crate::tools::{decisions, memories};

/// What was done with one item.
pub(super) enum Done {
    /// It is done, and this is said of it.
    Told(String),
    /// Memories or decisions were saved, whose files get their names at the end; and what there is to say about how it was read.
    Memories(Vec<SavedMemory>, Vec<String>),
    Decisions(Vec<SavedDecision>, Vec<String>),
    /// Rules were added, each to the file of its store, and that is done by now.
    Rules(Vec<Added>, Vec<String>),
}

impl Done {
    /// Says what became of it, now that it is known which files could not be kept.
    pub(super) fn outcome(self, item: String, unkept: &[Unkept]) -> Outcome {
        let settled = match self {
            Self::Told(told) => return Outcome { item, ok: true, in_part: false, result: told },
            Self::Memories(saved, notes) => settled(saved, unkept, memories::told, &notes),
            Self::Decisions(saved, notes) => settled(saved, unkept, decisions::told, &notes),
            Self::Rules(added, notes) => settled(added, unkept, safety::told_added, &notes),
        };
        match settled {
            Ok((result, Kept::Everywhere)) => Outcome { item, ok: true, in_part: false, result },
            Ok((result, kept)) => Outcome { item, ok: false, in_part: kept == Kept::InPart, result },
            Err(refusal) => Outcome::refused(item, &refusal),
        }
    }
}

/// Says whether a file that could not be kept was written for an item.
pub(super) fn wrote(done: &Result<Done, Refusal>, unkept: &Unkept) -> bool {
    match done {
        Ok(Done::Memories(saved, _)) => saved.iter().any(|saved| unkept.is_at(saved.place())),
        Ok(Done::Decisions(saved, _)) => saved.iter().any(|saved| unkept.is_at(saved.place())),
        Ok(Done::Told(_) | Done::Rules(..)) | Err(_) => false,
    }
}

/// Which stores of its scope have an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Everywhere,
    InPart,
    /// Each has another of that title, which was left as it is.
    Nowhere,
}

/// Spells what is kept of an item, and says where.
fn settled<T: Saved>(
    saved: Vec<T>,
    unkept: &[Unkept],
    told: fn(&T) -> String,
    notes: &[String],
) -> Result<(String, Kept), Refusal> {
    let mut stores = without_lost(saved, unkept)?;
    let is_whole = stores.iter().all(|store| store.is_taken() && store.refused().is_empty());
    let kept = match stores.iter().any(Saved::is_taken) {
        _ if is_whole => Kept::Everywhere,
        true => Kept::InPart,
        false => Kept::Nowhere,
    };
    // What there is to say stands behind all of them, each on its line.
    let said = stores.iter_mut().flat_map(|store| std::mem::take(store.notes().0)).collect::<Vec<_>>();
    let text = stores.iter().map(told).collect::<Vec<_>>().join("; ");
    Ok((with_notes(with_notes(text, &said), notes), kept))
}

/// What became of one item.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    pub(super) item: String,
    pub(super) ok: bool,
    /// Whether some store of its scope has it, and another did not take it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) in_part: bool,
    pub(super) result: String,
}

impl Outcome {
    pub(super) fn refused(item: String, refusal: &Refusal) -> Self {
        // It may repeat what was sent.
        let result = custos_redact::redact(&refusal.to_string()).into_owned();
        Self { item, ok: false, in_part: false, result }
    }
}
