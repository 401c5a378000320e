//! Writing a context again, from its receipt and the log.

use custos_model::EventId;

use super::fit::{Candidate, Occasion, Served, fit};
use super::wording::{self, Stored};
use crate::hints::build::line_again;
use crate::hints::hint::Trigger;
use crate::policy::Policy;
use crate::receipt::{Item, LeftOut, Moment, Reason, Receipt, sha256};

/// A context that was written again.
#[derive(Debug, Clone, PartialEq)]
pub struct Again {
    /// What it says now.
    pub text: String,
    /// Whether these are the bytes that were given then.
    pub is_same: bool,
    /// What was given then and is not in the log any more.
    pub gone: Vec<EventId>,
}

/// Writes a context again as it was given; `stored` gives what is still in the log.
pub fn again(receipt: &Receipt, stored: impl Fn(EventId) -> Option<Stored>) -> Again {
    if receipt.moment == Moment::Tool {
        return hint_again(receipt, stored);
    }
    let mut gone = Vec::new();
    let mut said = Vec::with_capacity(receipt.items.len());
    for item in &receipt.items {
        match wording::said(item, receipt.at, stored(item.id).as_ref()) {
            Some(line) => said.push((item.section, line)),
            None => gone.push(item.id),
        }
    }
    let text = wording::context(receipt.moment, &receipt.frame, &said);
    let is_same = sha256(&text) == receipt.sha256;
    Again { text, is_same, gone }
}

/// Writes a hint again, which is a line by itself.
fn hint_again(receipt: &Receipt, stored: impl Fn(EventId) -> Option<Stored>) -> Again {
    let (mut text, mut gone) = (String::new(), Vec::new());
    for item in &receipt.items {
        let trigger = Trigger::of_word(&receipt.source);
        let line = stored(item.id)
            .zip(trigger)
            .and_then(|(Stored { entry, body }, trigger)| line_again(&entry, &body, trigger, receipt.at));
        match line {
            Some(line) => text.push_str(&line),
            None => gone.push(item.id),
        }
    }
    let is_same = sha256(&text) == receipt.sha256;
    Again { text, is_same, gone }
}

/// Writes what would have been given if one item had not been there: by the same rules, with what was left out for room.
pub fn without(
    policy: &Policy,
    receipt: &Receipt,
    id: EventId,
    stored: impl Fn(EventId) -> Option<Stored>,
) -> Option<Served> {
    if receipt.moment == Moment::Tool {
        // A hint says one thing or nothing.
        return None;
    }
    let spare = |left: &&LeftOut| matches!(left.why, Reason::Room | Reason::Enough);
    let others = receipt.left_out.iter().filter(spare).map(|left| &left.item);
    let candidates = receipt.items.iter().chain(others).filter(|item| item.id != id);
    let candidates = candidates.filter_map(|item: &Item| {
        let stored = stored(item.id);
        let line = wording::said(item, receipt.at, stored.as_ref())?;
        Some(Candidate { item: item.clone(), line, barred: None })
    });
    let occasion = Occasion {
        moment: receipt.moment,
        source: &receipt.source,
        at: receipt.at,
        ceiling: receipt.ceiling,
    };
    fit(policy, &occasion, receipt.frame.clone(), candidates.collect())
}
