//! Writing a context again, from its receipt and the log.

use custos_model::{EventId, Kind};

use super::fit::{Candidate, Occasion, Served, fit};
use super::saying_of;
use super::start::section;
use super::wording::{self, Stored};
use crate::hints::build::line_again;
use crate::hints::hint::Trigger;
use crate::policy::Policy;
use crate::receipt::{Frame, Item, Moment, Reason, Receipt, Section, sha256};
use crate::tokens::estimate;

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
        let but_for = saying_of(&item.but_for, &stored);
        match wording::said(item, receipt.at, stored(item.id).as_ref(), &but_for) {
            Some(line) => said.push((item.section, line)),
            None => gone.push(item.id),
        }
    }
    let text = wording::context(receipt.moment, &receipt.frame, &receipt.unsaid, &said);
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
    let spare = receipt.left_out.iter().filter(|left| left.why.is_spare()).map(|left| &left.item);
    let items: Vec<&Item> = receipt.items.iter().chain(spare).filter(|item| item.id != id).collect();
    let sections = Sections::choose(policy, receipt, id, &items);
    let beside = told_beside(policy, &items);
    let candidates = items.into_iter().filter_map(|item| {
        let mut item = item.clone();
        // What is not told beside it any more, it tells itself.
        item.but_for.retain(|other| *other != id);
        let is_file = item.text.is_some();
        let section = sections.of(&item);
        let text = stored(item.id);
        if let Some(text) = text.as_ref().filter(|_| section != item.section) {
            item.section = section;
            item.text = None;
            if section == Section::Summary {
                let beside: Vec<Stored> = beside.iter().filter_map(|id| stored(*id)).collect();
                item.but_for.extend(wording::repeated(&item, text, &beside));
            }
        }
        let but_for = saying_of(&item.but_for, &stored);
        let line = wording::said(&item, receipt.at, text.as_ref(), &but_for)?;
        item.tokens = estimate(&line);
        item.text = is_file.then(|| line.clone());
        Some(Candidate { item, line, barred: None })
    });
    let occasion = Occasion {
        moment: receipt.moment,
        source: &receipt.source,
        at: receipt.at,
        ceiling: receipt.ceiling,
    };
    fit(policy, &occasion, all_from_files(receipt), candidates.collect())
}

/// Lists the observations that the last summary need not repeat, as [`super::start`] chooses them.
fn told_beside(policy: &Policy, items: &[&Item]) -> Vec<EventId> {
    let observations = items.iter().filter(|item| item.kind == Kind::ObservationRecorded.name());
    let mut best: Vec<&Item> = observations.copied().collect();
    best.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.id.cmp(&b.id)));
    best.into_iter().take(policy.start.few).map(|item| item.id).collect()
}

/// Where things stand at the beginning of a session, as [`super::start`] chooses it; elsewhere all stand where they stood.
struct Sections {
    /// The summary that is told in full.
    last: Option<EventId>,
    /// Where the others stand.
    others: Option<Section>,
}

impl Sections {
    fn choose(policy: &Policy, receipt: &Receipt, gone: EventId, items: &[&Item]) -> Self {
        if receipt.moment != Moment::Start {
            return Self { last: None, others: None };
        }
        let told = receipt.items.iter().find(|item| item.section == Section::Summary).map(|item| item.id);
        // A session that goes on is told its own summary, and has no other.
        let has_next = told == Some(gone) && !matches!(receipt.source.as_str(), "resume" | "fork");
        let summaries = items.iter().filter(|item| item.kind == Kind::SummaryRecorded.name());
        let last = if has_next {
            summaries.min_by_key(|item| (item.age_s, item.id)).map(|item| item.id)
        } else {
            told
        };
        let counted = receipt.left_out.iter().filter(|left| left.why != Reason::Twin);
        let known = receipt.items.iter().chain(counted.map(|left| &left.item));
        let others = known.filter(|item| item.id != gone && Some(item.id) != last).count();
        Self { last, others: Some(section(&policy.start, others)) }
    }

    fn of(&self, item: &Item) -> Section {
        if self.last == Some(item.id) { Section::Summary } else { self.others.unwrap_or(item.section) }
    }
}

/// Gives everything that the files said, whether there was room for it or not.
fn all_from_files(Receipt { frame, unsaid, .. }: &Receipt) -> Frame {
    Frame {
        handoff: [&*frame.handoff, &*unsaid.handoff].concat(),
        rules: [&*frame.rules, &*unsaid.rules].concat(),
        questions: [&*frame.questions, &*unsaid.questions].concat(),
        unreviewed: [&*frame.unreviewed, &*unsaid.unreviewed].concat(),
        notes: [&*frame.notes, &*unsaid.notes].concat(),
        more: frame.more,
    }
}
