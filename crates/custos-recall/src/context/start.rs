//! What a session begins with.
//!
//! Not the newest alone: a fix of last spring that everybody should know goes before what was touched an hour ago and does not matter. So
//! the candidates are the weightiest of the project, the newest and the pinned ones, and each gets a score from how much it matters, how
//! fresh it is, whether it is of this branch, and whether it concerns the files of the latest work.
//!
//! What follows the person through all projects is told as well: what they pinned, and the lessons that they keep for themselves.
//!
//! A session that goes on (resumed, forked) still has what it was told. It gets its own last summary, and what others have added since. One
//! that was never told anything goes on from nothing, and begins like any other.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use custos_index::{Entry, IndexError};
use custos_knowledge::Base;
use custos_model::{EventId, Kind, Timestamp};

use super::fit::{Candidate, Occasion, Served, fit};
use super::frame::{self, Filed};
use super::wording::{self, Stored, short};
use super::{Before, Scene, saying_of, stored};
use crate::access::may_see;
use crate::error::RecallError;
use crate::policy::Start;
use crate::receipt::{Item, Moment, Reason, Section, Trust, title_hash};
use crate::saying::Saying;
use crate::store::Store;
use crate::tokens::estimate;

/// What is said where the index does not hold everything yet.
pub(super) const BEHIND: &str =
    "(The index is still being read up: the newest memories may be missing here.)";

/// Gives what a session begins with; nothing if there is nothing worth saying.
pub fn start(
    store: &mut Store,
    base: Option<&Base>,
    scene: &Scene<'_>,
    source: &str,
) -> Result<Option<Served>, RecallError> {
    let before = scene.before.filter(|_| matches!(source, "resume" | "fork"));
    let mut filed = Filed::default();
    if let Some((base, view)) = base.and_then(|base| Some((base, base.view(None).ok()?))) {
        let since = before.map(|before| before.until);
        filed = frame::filed(base, &view, &scene.viewer, scene.now, since, &store.policy.told);
    }
    if let Some(before) = before {
        keep_news(&mut filed, before);
    }
    let mut candidates = match scene.project {
        Some(project) => candidates(store, scene, project, before, &filed)?,
        None => Vec::new(),
    };
    for candidate in &mut candidates {
        // After a compaction the model has lost what it was told; a session that goes on has not.
        let is_seen = before.is_some() && scene.seen.iter().any(|seen| *seen == short(candidate.item.id));
        candidate.barred = is_seen.then_some(Reason::Seen).or(candidate.barred);
    }
    let mut frame = filed.frame;
    let has_something = !frame.is_empty() || candidates.iter().any(|candidate| candidate.barred.is_none());
    if has_something && before.is_none() {
        frame.rules.extend(scene.safety.map(str::to_owned));
    }
    if store.is_behind {
        frame.notes.push(BEHIND.to_owned());
    }
    let occasion = Occasion { moment: Moment::Start, source, at: scene.now, ceiling: scene.ceiling };
    Ok(fit(&store.policy, &occasion, frame, candidates))
}

/// Leaves of the handoff only what a session that goes on cannot know: one of somebody else since.
fn keep_news(filed: &mut Filed, before: Before<'_>) {
    let is_news = filed.handed_at > Some(before.until) && filed.handed_by.as_deref() != Some(before.session);
    if !is_news {
        filed.frame.handoff.clear();
    }
}

fn candidates(
    store: &mut Store,
    scene: &Scene<'_>,
    project: &str,
    before: Option<Before<'_>>,
    filed: &Filed,
) -> Result<Vec<Candidate>, RecallError> {
    let policy = store.policy.start;
    let summaries = summaries(store, scene, project)?;
    let work = files_of(&summaries, policy.latest);
    let last = last_summary(store, &summaries, scene, before, filed)?;
    let mut known: BTreeMap<_, Entry> = BTreeMap::new();
    let (index, at_hand) = (&mut store.index, &store.at_hand);
    let is_shown = |entry: &Entry| !entry.superseded && at_hand.has(entry) && may_see(&scene.viewer, entry);
    let mut entries = enough(policy.considered, is_shown, |far| {
        index.recent(Kind::ObservationRecorded, Some(project), far)
    })?;
    // Of what people and agents wrote down, lessons and what advises; what binds or waits has its own place.
    let mut noted =
        enough(policy.considered, is_shown, |far| index.recent(Kind::KnowledgeSaved, Some(project), far))?;
    // And those of the person, which belong to no project.
    noted.extend(index.recent(Kind::KnowledgeSaved, Some(""), policy.own)?);
    for entry in noted {
        let is_told = match entry.sort.as_deref() {
            Some("memory") => true,
            Some("decision") => !index.binds(entry.id)?,
            _ => false,
        };
        entries.extend(is_told.then_some(entry));
    }
    entries.extend(enough(policy.considered, is_shown, |far| {
        Ok(index.weighty(project, far)?.into_iter().map(|(_, entry)| entry).collect())
    })?);
    entries.extend(index.pinned(Some(project))?.into_iter().map(|(_, entry)| entry));
    known.extend(entries.into_iter().filter(is_shown).map(|entry| (entry.id, entry)));
    known.extend(summaries.into_iter().map(|entry| (entry.id, entry)));
    let is_wanted = |entry: &Entry| {
        before.is_none_or(|before| {
            let is_news = entry.ts > before.until && entry.session.as_deref() != Some(before.session);
            is_news || Some(entry.id) == last
        })
    };
    let wanted = known.into_values().filter(is_wanted);
    let mut scored: Vec<Scored> =
        wanted.map(|entry| Scored::of(&policy, scene, entry, &work, last)).collect();
    let_weighty_last(&policy, &mut scored);
    scored.sort_by(Scored::best_first);
    bar_twins(&mut scored);
    let others = scored.iter().filter(|scored| !scored.is_last && scored.barred.is_none()).count();
    let section = section(&policy, others);
    keep_within_reach(&policy, &mut scored);
    let beside = told_beside(&policy, &scored);
    scored.into_iter().map(|scored| scored.candidate(store, scene, section, &beside)).collect()
}

/// Gives the first of a list that may be shown. Between them there may be many others, such as the files of another checkout or what the
/// viewer may not see: look farther until enough are left.
fn enough(
    most: usize,
    is_shown: impl Fn(&Entry) -> bool,
    mut first: impl FnMut(usize) -> Result<Vec<Entry>, IndexError>,
) -> Result<Vec<Entry>, RecallError> {
    const FARTHEST: usize = 4096;
    let mut far = most;
    loop {
        let mut entries = first(far)?;
        let is_all = entries.len() < far;
        entries.retain(&is_shown);
        if entries.len() >= most || is_all || far >= FARTHEST {
            entries.truncate(most);
            return Ok(entries);
        }
        far *= 4;
    }
}

/// Gives where memories stand, of which there are so many beside the last summary.
pub(super) fn section(policy: &Start, others: usize) -> Section {
    if others <= policy.few { Section::Memory } else { Section::Index }
}

/// An entry with what speaks for it.
struct Scored {
    entry: Entry,
    score: f64,
    why: BTreeMap<String, f64>,
    /// Whether it is the summary that is told in full.
    is_last: bool,
    /// Why it cannot be told, if that is clear already.
    barred: Option<Reason>,
}

impl Scored {
    fn of(
        policy: &Start,
        scene: &Scene<'_>,
        entry: Entry,
        work: &BTreeSet<String>,
        last: Option<EventId>,
    ) -> Self {
        let (score, why) = score(policy, scene, &entry, work);
        Self { is_last: Some(entry.id) == last, entry, score, why, barred: None }
    }

    fn best_first(a: &Self, b: &Self) -> Ordering {
        let order = b.is_last.cmp(&a.is_last).then(b.score.total_cmp(&a.score));
        order.then(a.entry.id.cmp(&b.entry.id))
    }

    /// Writes what is said of it.
    fn candidate(
        self,
        store: &mut Store,
        scene: &Scene<'_>,
        section: Section,
        beside: &[EventId],
    ) -> Result<Candidate, RecallError> {
        let section = if self.is_last { Section::Summary } else { section };
        // A line needs no more than the index has.
        let whole = match section {
            Section::Index => None,
            Section::Summary | Section::Memory => {
                stored(store, &scene.viewer, &[self.entry.id])?.remove(&self.entry.id)
            }
        };
        let mut item = item(&self.entry, scene.now, section, self.score, self.why);
        item.but_for = corrected_behind(store, &self.entry)?;
        let unsaid = if item.but_for.is_empty() { Reason::Twin } else { Reason::Corrected };
        let whole = whole.unwrap_or(Stored { entry: self.entry, body: serde_json::Map::new() });
        if self.is_last {
            let beside = stored(store, &scene.viewer, beside)?;
            item.but_for.extend(wording::repeated(&item, &whole, beside.values()));
        }
        let but_for = unsaid_of(store, scene, &item)?;
        let line = wording::said(&item, scene.now, Some(&whole), &but_for);
        let barred = self.barred.or(line.is_none().then_some(unsaid));
        let line = line.unwrap_or_default();
        item.tokens = estimate(&line);
        item.text = whole.entry.file.as_ref().map(|_| line.clone());
        Ok(Candidate { item, line, barred })
    }
}

/// Lists what was corrected of an entry since.
fn corrected_behind(store: &mut Store, entry: &Entry) -> Result<Vec<EventId>, RecallError> {
    Ok(if entry.corrected { store.index.corrected_behind(entry.id)? } else { Vec::new() })
}

/// Gives what is left out of an item.
fn unsaid_of(store: &mut Store, scene: &Scene<'_>, item: &Item) -> Result<Saying, RecallError> {
    let others = stored(store, &scene.viewer, &item.but_for)?;
    Ok(saying_of(&item.but_for, |id| others.get(&id).cloned()))
}

/// Lists the best observations, which are surely told beside the last summary, so that it need not repeat them.
fn told_beside(policy: &Start, scored: &[Scored]) -> Vec<EventId> {
    let told = scored.iter().filter(|scored| scored.barred.is_none());
    let told = told.filter(|scored| scored.entry.kind == Kind::ObservationRecorded);
    told.take(policy.few).map(|scored| scored.entry.id).collect()
}

/// Leaves out what no ceiling has room for, before its words are written.
fn keep_within_reach(policy: &Start, scored: &mut Vec<Scored>) {
    const SPARE: usize = 12;
    let (mut lines, mut summaries) = (0, 0);
    scored.retain(|scored| {
        let (count, most) = match scored.entry.kind {
            Kind::SummaryRecorded => (&mut summaries, policy.summaries_after_compaction),
            _ => (&mut lines, policy.lines),
        };
        *count += usize::from(scored.barred.is_none());
        *count <= most + SPARE
    });
}

/// Gives the summaries of sessions and the newest ones of turns, the newest first.
fn summaries(store: &mut Store, scene: &Scene<'_>, project: &str) -> Result<Vec<Entry>, RecallError> {
    // One is told in full, beside those that are told in a line.
    let most = store.policy.start.summaries_after_compaction + 1;
    let index = store.index();
    let mut entries: Vec<Entry> =
        index.summaries(project, true, most)?.into_iter().map(|(_, entry)| entry).collect();
    // A turn of a session that was never summed up is the last word about it.
    for (_, entry) in index.summaries(project, false, most)? {
        let is_summed_up = entries.iter().any(|known| known.id == entry.id || known.session == entry.session);
        if !is_summed_up {
            entries.push(entry);
        }
    }
    entries.retain(|entry| !entry.superseded && may_see(&scene.viewer, entry));
    entries.sort_by(|a, b| b.ts.cmp(&a.ts).then(a.id.cmp(&b.id)));
    Ok(entries)
}

/// Chooses the summary that is told in full: the session's own if it goes on, else the newest; none if the handoff says the same.
///
/// One that says nothing beside what was corrected since is none.
fn last_summary(
    store: &mut Store,
    summaries: &[Entry],
    scene: &Scene<'_>,
    before: Option<Before<'_>>,
    filed: &Filed,
) -> Result<Option<EventId>, RecallError> {
    let is_own =
        |entry: &&Entry| before.is_none_or(|before| entry.session.as_deref() == Some(before.session));
    for entry in summaries.iter().filter(is_own) {
        if entry.corrected {
            let mut item = item(entry, scene.now, Section::Summary, 0.0, BTreeMap::new());
            item.but_for = corrected_behind(store, entry)?;
            let but_for = unsaid_of(store, scene, &item)?;
            let whole = stored(store, &scene.viewer, &[entry.id])?.remove(&entry.id);
            if wording::said(&item, scene.now, whole.as_ref(), &but_for).is_none() {
                continue;
            }
        }
        let is_handed = before.is_none() && filed.handed_by.is_some() && filed.handed_by == entry.session;
        return Ok((!is_handed).then_some(entry.id));
    }
    Ok(None)
}

/// Gives the files of the latest work.
fn files_of(summaries: &[Entry], latest: usize) -> BTreeSet<String> {
    summaries.iter().take(latest).flat_map(|entry| entry.files_changed.iter().cloned()).collect()
}

/// Describes an entry for a receipt.
pub(super) fn item(
    entry: &Entry,
    now: Timestamp,
    section: Section,
    score: f64,
    why: BTreeMap<String, f64>,
) -> Item {
    Item {
        id: entry.id,
        kind: entry.kind.name().to_owned(),
        section,
        title: title_hash(entry.title.as_deref().unwrap_or(&entry.excerpt)),
        score: rounded(score),
        why,
        nearness: BTreeMap::new(),
        but_for: Vec::new(),
        tokens: 0,
        trust: if entry.trusted { Trust::Own } else { Trust::Unreviewed },
        age_s: now.as_millis().saturating_sub(entry.ts.as_millis()) / 1_000,
        text: None,
    }
}

/// Tells numbers by their names, as far as they are not 0.
pub(super) fn told<const N: usize>(numbers: [(&str, f64); N]) -> BTreeMap<String, f64> {
    let numbers = numbers.map(|(name, number)| (name.to_owned(), rounded(number)));
    numbers.into_iter().filter(|(_, number)| *number != 0.0).collect()
}

/// Rounds to what a person reads; more digits are no more truth.
fn rounded(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}

/// Scores an entry for the beginning of a session; the parts that are not 0 are told.
fn score(
    policy: &Start,
    scene: &Scene<'_>,
    entry: &Entry,
    work: &BTreeSet<String>,
) -> (f64, BTreeMap<String, f64>) {
    let days = (scene.now.as_millis().saturating_sub(entry.ts.as_millis())).max(0) as f64 / 86_400_000.0;
    let matters = entry.importance.unwrap_or(policy.importance_unknown);
    let is_of_branch = scene.branch.is_some() && entry.branch.as_deref() == scene.branch;
    let files = || entry.files_changed.iter().chain(&entry.files_read);
    let shared = files().filter(|file| work.contains(*file)).count();
    let share = if shared == 0 { 0.0 } else { shared as f64 / files().count() as f64 };
    let mut why = told([
        ("importance", policy.importance * matters),
        ("recency", policy.recency * 0.5_f64.powf(days / policy.recency_days)),
        ("branch", policy.branch * f64::from(u8::from(is_of_branch))),
        ("files", policy.files * share),
        ("pinned", policy.pinned * f64::from(u8::from(entry.pinned))),
    ]);
    let mut sum: f64 = why.values().sum();
    let losses =
        [("trust", !entry.trusted, policy.untrusted), ("corrected", entry.corrected, policy.corrected)];
    for (name, _, share) in losses.into_iter().filter(|(_, is_lost, _)| *is_lost) {
        let loss = rounded(-sum * share);
        why.insert(name.to_owned(), loss);
        sum += loss;
    }
    (sum, why)
}

/// Gives the weightiest back what time took from them: else whatever was touched today would go before them.
fn let_weighty_last(policy: &Start, scored: &mut [Scored]) {
    let matters = |scored: &Scored| scored.entry.importance.unwrap_or_default();
    let is_weighty = |scored: &&mut Scored| {
        let Entry { kind, trusted, corrected, .. } = scored.entry;
        kind != Kind::SummaryRecorded && trusted && !corrected && matters(scored) >= policy.lasting
    };
    let mut weighty: Vec<&mut Scored> = scored.iter_mut().filter(is_weighty).collect();
    weighty.sort_by(|a, b| {
        let order = matters(b).total_cmp(&matters(a)).then(b.entry.ts.cmp(&a.entry.ts));
        order.then(a.entry.id.cmp(&b.entry.id))
    });
    for scored in weighty.into_iter().take(policy.lasting_most) {
        let lost = rounded(policy.recency - scored.why.get("recency").copied().unwrap_or_default());
        if lost > 0.0 {
            scored.why.insert("lasting".to_owned(), lost);
            scored.score += lost;
        }
    }
}

/// Of several whose titles say the same, leaves the best; a summary only where nothing else says it.
fn bar_twins(scored: &mut [Scored]) {
    let mut said = Saying::default();
    for is_summary in [false, true] {
        let of_kind = |scored: &&mut Scored| {
            (scored.entry.kind == Kind::SummaryRecorded) == is_summary && !scored.is_last
        };
        for scored in scored.iter_mut().filter(of_kind) {
            let title = Saying::of([scored.entry.title.as_deref().unwrap_or(&scored.entry.excerpt)]);
            scored.barred = said.covers(&title).then_some(Reason::Twin);
            said.add(title);
        }
    }
}
