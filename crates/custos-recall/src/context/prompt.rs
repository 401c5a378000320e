//! What a prompt brings back: a few memories that surely bear on it, or nothing.
//!
//! A memory that does not fit costs more than one that is missing: the model reads it, and may follow it. So most prompts get nothing.
//! "Yes", "go on" and commands are not looked up at all; of what is found, only that is given which has both the words and the meaning of
//! the prompt ([`AtPrompt`]), and never what the session has got before.

use std::collections::BTreeMap;

use custos_knowledge::Base;
use custos_model::Kind;

use super::fit::{Candidate, Occasion, Served, fit};
use super::start::{BEHIND, item, told};
use super::wording::{self, Stored, short};
use super::{Scene, frame, stored};
use crate::error::RecallError;
use crate::policy::AtPrompt;
use crate::receipt::{Frame, Moment, Reason, Section};
use crate::search::{Ask, Depth, Found, Parts, Relevance, Work};
use crate::store::Store;
use crate::tokens::estimate;

/// How many of those that the session has got are looked past.
const MOST_SEEN: usize = 64;

/// The kinds that answer; what a person typed earlier is no answer.
const KINDS: [Kind; 3] = [Kind::ObservationRecorded, Kind::SummaryRecorded, Kind::KnowledgeSaved];

/// Words that say nothing about what a prompt is about, in the tongues that are most often typed.
const EMPTY_WORDS: &str = " a about again ahead all also an and any are as at be can continue could did do does done explain fine first for \
     from further get give go good great had has have hello help hey hi how i if in is it its just keep let lets like looks make me \
     more my nice no not now of ok okay on one please proceed run same see should show so some sure tell test than thank thanks that the \
     their them then there these they thing things this those to try two up us use using want was we well were what when where which \
     who why will with work would yeah yep yes you your \
     aber alle als am an auch auf aus bei bin bis bitte da danke das dass dem den der des die dies doch du ein eine einen einer er es \
     für gut hab habe hat ich im in ist ja jetzt kann mach machen mal man mein mit nein nicht noch nun nur oder schon sein sie sind so \
     super und uns von wann warum was weiter wenn wer wie wir wird wo zu zum zur ";

/// Says whether there is nothing in a prompt to look anything up by: an assent, a command, a word or two.
pub fn is_trivial(text: &str, policy: &AtPrompt) -> bool {
    let text = text.trim();
    if is_command(text) {
        return true;
    }
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'' | '’')));
    let mut content = 0;
    for word in words.filter(|word| !word.is_empty()).take(policy.looked_up) {
        // Without blanks between words, two characters make about one.
        let dense = word.chars().filter(|c| is_dense(*c)).count();
        let says_something = || word.chars().count() > 1 && !is_empty_word(word);
        content += if dense > 0 { dense / 2 } else { usize::from(says_something()) };
    }
    content < policy.least_words
}

fn is_empty_word(word: &str) -> bool {
    EMPTY_WORDS.contains(&format!(" {} ", word.to_lowercase()))
}

/// Leaves the words out that say nothing. In a large memory most texts have them, and to look for all of these takes longer than to look
/// for what is asked.
fn telling(text: &str) -> String {
    let is_telling = |word: &&str| !is_empty_word(word.trim_matches(|c: char| !c.is_alphanumeric()));
    text.split_whitespace().filter(is_telling).collect::<Vec<_>>().join(" ")
}

/// Says whether a prompt is for the client and not for the model: `/compact`, `!ls`, but not `/src/main.rs is broken`.
fn is_command(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':'))
    };
    first.strip_prefix('/').is_some_and(is_name) || text.starts_with('!')
}

/// Says whether a character belongs to a script that puts no blanks between words.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

/// Gives the memories that bear on a prompt; nothing if none surely does.
pub fn prompt(store: &mut Store, scene: &Scene<'_>, text: &str) -> Result<Option<Served>, RecallError> {
    // What the session learnt itself, it knows.
    let candidates = relevant(store, scene, text, scene.session)?;
    let occasion = Occasion { moment: Moment::Prompt, source: "", at: scene.now, ceiling: scene.ceiling };
    let mut frame = Frame::default();
    // What was left out is told only beside what was given, and so is what may be missing.
    if store.is_behind && candidates.iter().any(|candidate| candidate.barred.is_none()) {
        frame.notes.push(BEHIND.to_owned());
    }
    Ok(fit(&store.policy, &occasion, frame, candidates))
}

/// Gives what an agent begins with that another has sent: what binds, and what bears on its task, if the client tells that.
pub fn subagent(
    store: &mut Store,
    base: Option<&Base>,
    scene: &Scene<'_>,
    sort: &str,
    task: &str,
) -> Result<Option<Served>, RecallError> {
    let mut frame = Frame::default();
    if let Some((base, view)) = base.and_then(|base| Some((base, base.view(None).ok()?))) {
        frame = frame::binding(base, &view, &scene.viewer, &store.policy.told);
    }
    if !frame.rules.is_empty() {
        frame.rules.extend(scene.safety.map(str::to_owned));
    }
    let candidates = relevant(store, scene, task, None)?;
    let occasion = Occasion { moment: Moment::Subagent, source: sort, at: scene.now, ceiling: scene.ceiling };
    Ok(fit(&store.policy, &occasion, frame, candidates))
}

/// Finds what bears on a text, and what does not quite, for whoever knows already what was learnt in the session `knows`: in a long one
/// that would be the best answers, and leave no room for what others learnt.
fn relevant(
    store: &mut Store,
    scene: &Scene<'_>,
    text: &str,
    knows: Option<&str>,
) -> Result<Vec<Candidate>, RecallError> {
    let policy = store.policy.prompt;
    let (Some(project), false) = (scene.project, is_trivial(text, &policy)) else { return Ok(Vec::new()) };
    let end = text.char_indices().nth(policy.looked_up).map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    let at_hand = store.at_hand(project, scene.session)?;
    let at_hand: Vec<&str> = at_hand.iter().map(String::as_str).collect();
    let answer = store.search(&Ask {
        words: Some(&telling(text)),
        projects: &[project],
        apart_from: knows,
        kinds: &KINDS,
        // What the session has got must not stand in the way of what it has not.
        limit: policy.considered + scene.seen.len().min(MOST_SEEN),
        work: Work { files: &at_hand, branch: scene.branch, project: Some(project) },
        ..Ask::new(text, scene.viewer, scene.now, Depth::Hook)
    })?;
    let mut candidates = Vec::with_capacity(answer.found.len());
    let mut given = 0;
    // Where the last session stopped was told at the start.
    for found in answer.found.into_iter().filter(|found| found.entry.sort.as_deref() != Some("handoff")) {
        let barred = if scene.seen.iter().any(|seen| *seen == short(found.entry.id)) {
            Some(Reason::Seen)
        } else if !is_sure(&policy, &found) {
            Some(Reason::Unsure)
        } else if given == policy.most {
            Some(Reason::Enough)
        } else {
            None
        };
        given += usize::from(barred.is_none());
        candidates.push(candidate(store, scene, &found, barred)?);
    }
    Ok(candidates)
}

/// Decides whether something surely bears on a prompt.
fn is_sure(policy: &AtPrompt, found: &Found) -> bool {
    let coverage = found.relevance.coverage;
    match found.relevance.cosine.map(f64::from) {
        Some(cosine) => {
            let is_both = coverage >= policy.sure_least_words && cosine >= policy.sure_least_meaning;
            cosine >= policy.sure_by_meaning || (is_both && coverage + cosine >= policy.sure)
        }
        None => coverage >= policy.sure_by_words,
    }
}

fn candidate(
    store: &mut Store,
    scene: &Scene<'_>,
    found: &Found,
    barred: Option<Reason>,
) -> Result<Candidate, RecallError> {
    let entry = &found.entry;
    let mut item = item(entry, scene.now, Section::Memory, found.score, parts(found));
    item.nearness = nearness(found);
    let mut line = String::new();
    // Only what is given is read whole.
    if barred.is_none() {
        let whole = stored(store, &scene.viewer, &[entry.id])?.remove(&entry.id);
        let whole = whole.unwrap_or(Stored { entry: entry.clone(), body: serde_json::Map::new() });
        line = wording::said(&item, scene.now, Some(&whole)).unwrap_or_default();
        if entry.file.is_some() {
            item.text = Some(line.clone());
        }
    }
    item.tokens = estimate(&line);
    Ok(Candidate { item, line, barred })
}

/// Tells the parts of a score that are not 0.
fn parts(found: &Found) -> BTreeMap<String, f64> {
    let Parts { words, meaning, neighbours, files, recency, importance, scope, pinned, trust } = found.parts;
    told([
        ("words", words),
        ("meaning", meaning),
        ("neighbours", neighbours),
        ("files", files),
        ("recency", recency),
        ("importance", importance),
        ("scope", scope),
        ("pinned", pinned),
        ("trust", trust),
    ])
}

/// Tells what the threshold was asked.
fn nearness(found: &Found) -> BTreeMap<String, f64> {
    let Relevance { coverage, cosine } = found.relevance;
    told([("coverage", coverage), ("cosine", cosine.map_or(0.0, f64::from))])
}
