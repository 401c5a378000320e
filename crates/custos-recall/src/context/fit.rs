//! What goes into a context, and what is left out of it.
//!
//! There is one ceiling for everything, and it is kept by construction: each line takes its room before it is said, in the order of what
//! matters most. Rules that bind come first, then where the last session stopped, then the last summary and what waits for an answer; what
//! is known here fills what is left, the best first: a part of the room for what sessions came to, the rest for what was learnt, and what
//! that leaves for either. It usually stops before the ceiling: the last lines are worth less than the room that
//! they take from the work itself. What came with a repo that nobody has looked at gets what nothing else wanted.

use std::cmp::Ordering;

use custos_model::{Kind, Timestamp};

use super::wording::{self, Part};
use crate::policy::Policy;
use crate::receipt::{Ceiling, Frame, Item, LeftOut, Moment, More, Reason, Receipt, Section, sha256};
use crate::tokens::{Room, estimate};

/// How many of those that were left out are told, and first of all how many of each kind of what would have come next.
const TOLD: usize = 12;
const NEXT: usize = 4;

/// Something that could be said.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// What it is.
    pub(super) item: Item,
    /// What is said of it.
    pub(super) line: String,
    /// Why it cannot be said, if that is clear already.
    pub(super) barred: Option<Reason>,
}

/// Orders by section, then the best first, then the newest.
fn best_first(a: &Candidate, b: &Candidate) -> Ordering {
    let (a, b) = (&a.item, &b.item);
    let order = a.section.cmp(&b.section).then(b.score.total_cmp(&a.score));
    order.then(a.age_s.cmp(&b.age_s)).then(a.id.cmp(&b.id))
}

/// A context, with its receipt.
#[derive(Debug, Clone, PartialEq)]
pub struct Served {
    /// What the model gets.
    pub text: String,
    /// What it is, and why.
    pub receipt: Receipt,
}

/// What a context is made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occasion<'a> {
    pub(super) moment: Moment,
    pub(super) source: &'a str,
    pub(super) at: Timestamp,
    pub(super) ceiling: Ceiling,
}

/// How many lines there are of each sort.
struct Caps {
    summaries: usize,
    lines: usize,
    /// How many of both.
    both: usize,
    /// From so many tokens on, only what was pinned is added.
    usual: u64,
    /// The part of that which is for summaries first, in per cent.
    for_summaries: u64,
}

impl Caps {
    fn of(policy: &Policy, occasion: &Occasion<'_>) -> Self {
        let start = &policy.start;
        if occasion.moment != Moment::Start {
            let most = policy.prompt.most;
            return Self { summaries: most, lines: most, both: most, usual: u64::MAX, for_summaries: 0 };
        }
        let (summaries, for_summaries) = match occasion.source {
            "compact" => (start.summaries_after_compaction, start.summaries_percent_after_compaction),
            _ => (start.summaries, start.summaries_percent),
        };
        Self {
            summaries,
            for_summaries,
            lines: start.lines,
            both: usize::MAX,
            usual: occasion.ceiling.tokens * start.usual_percent / 100,
        }
    }
}

/// Chooses what fits, and writes it; nothing if nothing is worth saying.
pub(super) fn fit(
    policy: &Policy,
    occasion: &Occasion<'_>,
    frame: Frame,
    mut candidates: Vec<Candidate>,
) -> Option<Served> {
    let mut room = occasion.ceiling.room();
    let available = room.tokens();
    let (before, after) = wording::around(occasion.moment);
    if !room.take(&before) || !room.take(&after) {
        return None;
    }
    let mut sheet = Sheet { room, begun: Vec::new(), more: frame.more };
    let mut kept = Frame { more: frame.more, ..Frame::default() };
    let mut unsaid = Frame::default();
    (kept.rules, unsaid.rules) = sheet.keep(Part::Rules, frame.rules);
    (kept.handoff, unsaid.handoff) = sheet.keep(Part::Handoff, frame.handoff);
    let caps = Caps::of(policy, occasion);
    candidates.sort_by(best_first);
    let (mut said, mut left_out): (Vec<Candidate>, Vec<LeftOut>) = (Vec::new(), Vec::new());
    let (first, others): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|candidate| candidate.item.section == Section::Summary);
    for candidate in first {
        sheet.choose(candidate, None, &mut said, &mut left_out);
    }
    (kept.questions, unsaid.questions) = sheet.keep(Part::Questions, frame.questions);
    (kept.notes, unsaid.notes) = sheet.keep(Part::Notes, frame.notes);
    let (mut summaries, mut lines) = (0, 0);
    let used = |sheet: &Sheet| available.saturating_sub(sheet.room.tokens());
    for candidate in summaries_ahead(others, caps.usual.saturating_sub(used(&sheet)), &caps) {
        let is_pinned = candidate.item.why.contains_key("pinned");
        let is_summary = candidate.item.kind == Kind::SummaryRecorded.name();
        let is_full = summaries + lines >= caps.both;
        let (count, most) =
            if is_summary { (&mut summaries, caps.summaries) } else { (&mut lines, caps.lines) };
        let is_enough =
            is_full || *count >= most || (!is_pinned && used(&sheet) + candidate.item.tokens > caps.usual);
        *count += usize::from(sheet.choose(
            candidate,
            is_enough.then_some(Reason::Enough),
            &mut said,
            &mut left_out,
        ));
    }
    (kept.unreviewed, unsaid.unreviewed) = sheet.keep(Part::Unreviewed, frame.unreviewed);
    if said.is_empty() && kept.is_empty() {
        return None;
    }
    // What is known is read from the newest to the oldest; what answers a prompt, from the best on.
    said.sort_by(|a, b| match (a.item.section, b.item.section) {
        (Section::Index, Section::Index) => a.item.age_s.cmp(&b.item.age_s),
        _ => best_first(a, b),
    });
    let lines: Vec<(Section, String)> =
        said.iter().map(|candidate| (candidate.item.section, candidate.line.clone())).collect();
    let text = wording::context(occasion.moment, &kept, &unsaid, &lines);
    let receipt = Receipt {
        moment: occasion.moment,
        source: occasion.source.to_owned(),
        at: occasion.at,
        policy: policy.version,
        ceiling: occasion.ceiling,
        tokens: estimate(&text),
        items: said.into_iter().map(|candidate| candidate.item).collect(),
        left_out: nearest(left_out),
        frame: kept,
        unsaid,
        sha256: sha256(&text),
    };
    Some(Served { text, receipt })
}

/// Keeps of what was left out first what would have come next: of that somebody asks what it would have been. In the place of a summary comes
/// a summary, however many observations are better.
fn nearest(left_out: Vec<LeftOut>) -> Vec<LeftOut> {
    let (mut summaries, mut lines) = (0, 0);
    let (mut nearest, mut others): (Vec<_>, Vec<_>) = left_out.into_iter().partition(|left| {
        let is_summary = left.item.kind == Kind::SummaryRecorded.name();
        let count = if is_summary { &mut summaries } else { &mut lines };
        *count += usize::from(left.why.is_spare());
        left.why.is_spare() && *count <= NEXT
    });
    others.sort_by_key(|left| !left.why.is_spare());
    nearest.append(&mut others);
    nearest.truncate(TOLD);
    nearest
}

/// Puts so many summaries first as fit in their part of the room.
fn summaries_ahead(candidates: Vec<Candidate>, room: u64, caps: &Caps) -> Vec<Candidate> {
    let mut room = room / 100 * caps.for_summaries;
    let (ahead, others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| {
        let item = &candidate.item;
        let is_ahead = item.kind == Kind::SummaryRecorded.name()
            && candidate.barred.is_none()
            && item.tokens <= room
            && caps.for_summaries > 0;
        if is_ahead {
            room -= item.tokens;
        }
        is_ahead
    });
    ahead.into_iter().chain(others).collect()
}

/// A context in the making: the room that is left, the parts that have begun, and how much more there is of some.
#[derive(Clone)]
struct Sheet {
    room: Room,
    begun: Vec<Part>,
    more: More,
}

impl Sheet {
    /// Takes the room of a line, and of the heading above it if it is the first of its part.
    fn take(&mut self, part: Part, line: &str) -> bool {
        let is_first = !self.begun.contains(&part);
        let heading = if is_first { part.heading() } else { "" };
        let fits = self.room.take(&format!("{heading}{line}\n"));
        if fits && is_first {
            self.begun.push(part);
        }
        fits
    }

    /// Keeps the first lines of a part, as many as fit beside a word on how many are missing, and gives those that do not.
    fn keep(&mut self, part: Part, mut lines: Vec<String>) -> (Vec<String>, Vec<String>) {
        let beyond = part.beyond(&self.more);
        let mut all = self.clone();
        let fits = (beyond == 0 || all.take(part, &part.and_more(beyond)))
            && lines.iter().all(|line| all.take(part, line));
        if fits {
            *self = all;
            return (lines, Vec::new());
        }
        let mut some = self.clone();
        // No count is longer than that of all.
        let has_word = some.take(part, &part.and_more(beyond + lines.len()));
        let fitting = lines.iter().take_while(|line| has_word && some.take(part, line)).count();
        if fitting > 0 {
            *self = some;
        }
        let missing = lines.split_off(fitting);
        (lines, missing)
    }

    /// Says a candidate if it may be said and fits; else notes why not.
    fn choose(
        &mut self,
        candidate: Candidate,
        barred: Option<Reason>,
        said: &mut Vec<Candidate>,
        left_out: &mut Vec<LeftOut>,
    ) -> bool {
        let why = candidate.barred.or(barred);
        let why = why.or_else(|| {
            let fits = self.take(candidate.item.section.into(), &candidate.line);
            (!fits).then_some(Reason::Room)
        });
        match why {
            None => said.push(candidate),
            Some(why) => left_out.push(LeftOut { item: candidate.item, why }),
        }
        why.is_none()
    }
}
