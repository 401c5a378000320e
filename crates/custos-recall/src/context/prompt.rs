//! What a prompt brings back: a few memories that surely bear on it, or nothing.
//!
//! A memory that does not fit costs more than one that is missing: the model reads it, and may follow it. So most prompts get nothing.
//! "Yes", "go on" and commands are not looked up at all; of what is found, only that is given which has both the words and the meaning of
//! the prompt ([`AtPrompt`]), and never what the session has got before.
//!
//! One fact is found several times: as an observation, and in the summaries of its turn and its session. It is told once, by the
//! observation; and not at all by a summary of something that was corrected since, for the correction is found by itself.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use custos_index::Entry;
use custos_knowledge::Base;
use custos_model::{EventId, Kind};

use super::fit::{Candidate, Occasion, Served, fit};
use super::start::{BEHIND, item, told};
use super::wording::{self, Stored, short};
use super::{Scene, frame, stored};
use crate::access::may_see;
use crate::error::RecallError;
use crate::policy::AtPrompt;
use crate::receipt::{Frame, Moment, Reason, Section};
use crate::saying::Saying;
use crate::search::{Ask, Depth, Found, Parts, Relevance, Work};
use crate::store::Store;
use crate::tokens::estimate;

/// How many of those that the session has got are looked past.
const MOST_SEEN: usize = 64;

/// Of how many of the last of them the words are compared: more take longer than a prompt should.
const REMEMBERED: usize = 32;

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

/// Those among them that say something in a question: "run the tests" is an order like a thousand others, "how do I run the tests?" is about
/// nothing else.
const DEEDS: &str = " run test use using work ";

/// Says whether there is nothing in a prompt to look anything up by: an assent, a command, a word or two.
pub fn is_trivial(text: &str, policy: &AtPrompt) -> bool {
    let text = text.trim();
    if is_command(text) {
        return true;
    }
    let is_question = is_question(text);
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\'' | '’')));
    let mut content = 0;
    for word in words.filter(|word| !word.is_empty()).take(policy.looked_up) {
        // Without blanks between words, two characters make about one.
        let dense = word.chars().filter(|c| is_dense(*c)).count();
        let says_something = || word.chars().count() > 1 && !is_empty_word(word, is_question);
        content += match dense {
            0 if is_name(word) => policy.least_words,
            0 => usize::from(says_something()),
            dense => dense / 2,
        };
    }
    content < policy.least_words
}

/// Says whether a word is a name that somebody gave, such as `refreshToken`, `sanitize_title` or `LaunchDarkly`: it says as much as a sentence.
fn is_name(word: &str) -> bool {
    let inner = word.trim_matches(['_', '\'', '’']);
    let mut letters = inner.chars().zip(inner.chars().skip(1));
    inner.contains('_') || letters.any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

fn is_empty_word(word: &str, is_in_question: bool) -> bool {
    let word = format!(" {} ", word.to_lowercase());
    EMPTY_WORDS.contains(&word) && !(is_in_question && DEEDS.contains(&word))
}

fn is_question(text: &str) -> bool {
    text.trim_end().ends_with(['?', '？'])
}

/// Leaves the words out that say nothing. In a large memory most texts have them, and to look for all of these takes longer than to look
/// for what is asked.
fn telling(text: &str) -> String {
    let is_question = is_question(text);
    let is_telling =
        |word: &&str| !is_empty_word(word.trim_matches(|c: char| !c.is_alphanumeric()), is_question);
    let words = text.split_whitespace().filter(is_telling).collect::<Vec<_>>().join(" ");
    // Japanese has no blanks to tell words apart, but writes in hiragana what is between those that say something.
    if words.chars().any(|c| is_katakana(c) || is_ideograph(c)) {
        words.replace(is_hiragana, " ").split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        words
    }
}

fn is_hiragana(c: char) -> bool {
    ('\u{3041}'..='\u{309f}').contains(&c)
}

fn is_katakana(c: char) -> bool {
    ('\u{30a1}'..='\u{30ff}').contains(&c)
}

fn is_ideograph(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
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
        frame = frame::binding(base, &view, &scene.viewer, None, &store.policy.told);
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
    let mut found = answer.found;
    // Where the last session stopped was told at the start.
    found.retain(|found| found.entry.sort.as_deref() != Some("handoff"));
    let best = found.iter().filter(|found| is_sure(&policy, found)).max_by(|a, b| by_coverage(a, b));
    let is_sure = |found: &Found| {
        is_sure(&policy, found) && best.is_none_or(|best| !is_lookalike(&policy, found, best))
    };
    let mut barred: Vec<Option<Reason>> =
        found.iter().map(|found| bar(scene, found, is_sure(found))).collect();
    let sure: Vec<usize> = (0..found.len()).filter(|at| barred[*at].is_none()).collect();
    let ids: Vec<EventId> = sure.iter().map(|at| found[*at].entry.id).collect();
    // Only what may be given is read whole.
    let whole = stored(store, &scene.viewer, &ids)?;
    if !sure.is_empty() {
        let mut choice = Choice { told: told_before(store, scene)?, most: policy.most, given: 0 };
        let sayings =
            sure.iter().map(|at| (*at, Fact::of(&found[*at].entry, whole.get(&found[*at].entry.id))));
        let facts: Vec<(usize, Fact)> = sayings.collect();
        for (at, why) in choice.choose(&facts) {
            barred[at] = why;
        }
    }
    let found = found.iter().zip(barred);
    Ok(found.map(|(found, barred)| candidate(scene, found, barred, whole.get(&found.entry.id))).collect())
}

/// Says why something cannot be given, whatever else is.
fn bar(scene: &Scene<'_>, found: &Found, is_sure: bool) -> Option<Reason> {
    if scene.seen.iter().any(|seen| *seen == short(found.entry.id)) {
        Some(Reason::Seen)
    } else if !is_sure {
        Some(Reason::Unsure)
    } else {
        found.entry.corrected.then_some(Reason::Corrected)
    }
}

/// What something says, and whether it says it after something else.
struct Fact {
    saying: Saying,
    is_summary: bool,
}

impl Fact {
    fn of(entry: &Entry, whole: Option<&Stored>) -> Self {
        let saying = match whole {
            Some(whole) => whole.saying(),
            None => Saying::of([entry.title.as_deref().unwrap_or_default(), &entry.excerpt]),
        };
        Self { saying, is_summary: entry.kind == Kind::SummaryRecorded }
    }
}

/// The choice of what is given.
struct Choice {
    /// What the session knows by now.
    told: Saying,
    most: usize,
    given: usize,
}

impl Choice {
    /// Decides about each, the best first, and says why it is not given.
    fn choose(&mut self, facts: &[(usize, Fact)]) -> Vec<(usize, Option<Reason>)> {
        let mut decided: Vec<Option<Option<Reason>>> = vec![None; facts.len()];
        for at in 0..facts.len() {
            // Where a summary comes first, what it was made of takes its place.
            let (_, fact) = &facts[at];
            let source = (at + 1..facts.len()).find(|later| {
                let (_, other) = &facts[*later];
                fact.is_summary && !other.is_summary && other.saying.shares_a_sentence_with(&fact.saying)
            });
            for at in source.into_iter().chain([at]) {
                if decided[at].is_none() {
                    decided[at] = Some(self.decide(&facts[at].1));
                }
            }
        }
        facts.iter().zip(decided).map(|((at, _), why)| (*at, why.flatten())).collect()
    }

    fn decide(&mut self, fact: &Fact) -> Option<Reason> {
        // A summary was found for the sentence that it repeats; the others in it are about something else.
        let is_twin = self.told.covers(&fact.saying)
            || (fact.is_summary && self.told.shares_a_sentence_with(&fact.saying));
        if is_twin {
            return Some(Reason::Twin);
        }
        if self.given == self.most {
            return Some(Reason::Enough);
        }
        self.given += 1;
        self.told.add(fact.saying.clone());
        None
    }
}

/// Gives what the session has got before, as far as it still holds and the index keeps the words.
fn told_before(store: &mut Store, scene: &Scene<'_>) -> Result<Saying, RecallError> {
    let mut told = Saying::default();
    for end in scene.seen.iter().rev().take(REMEMBERED) {
        for id in store.index.ids_like(end, 1)? {
            let entry =
                store.index.get(id)?.filter(|entry| !entry.superseded && may_see(&scene.viewer, entry));
            if let Some(entry) = entry {
                told.add(Saying::of([entry.title.as_deref().unwrap_or_default(), &entry.excerpt]));
            }
        }
    }
    Ok(told)
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

/// Says whether something is about another thing of the same sort: it has the words that all of these have, but lacks one that the best has.
/// "The mail service listens on port 4004" is no answer to a question about the port of the auth service.
fn is_lookalike(policy: &AtPrompt, found: &Found, best: &Found) -> bool {
    let (ours, theirs) = (found.relevance, best.relevance);
    ours.coverage < theirs.coverage * policy.lookalike && ours.cosine < theirs.cosine
}

fn by_coverage(a: &Found, b: &Found) -> Ordering {
    a.relevance.coverage.total_cmp(&b.relevance.coverage).then(a.score.total_cmp(&b.score))
}

fn candidate(scene: &Scene<'_>, found: &Found, barred: Option<Reason>, whole: Option<&Stored>) -> Candidate {
    let entry = &found.entry;
    let mut item = item(entry, scene.now, Section::Memory, found.score, parts(found));
    item.nearness = nearness(found);
    let mut line = String::new();
    if barred.is_none() {
        let whole = whole.cloned();
        let whole = whole.unwrap_or(Stored { entry: entry.clone(), body: serde_json::Map::new() });
        line = wording::said(&item, scene.now, Some(&whole), &Saying::default()).unwrap_or_default();
        if entry.file.is_some() {
            item.text = Some(line.clone());
        }
    }
    item.tokens = estimate(&line);
    Candidate { item, line, barred }
}

/// Tells the parts of a score that are not 0.
fn parts(found: &Found) -> BTreeMap<String, f64> {
    let Parts { words, meaning, neighbours, files, recency, importance, scope, pinned, trust, corrected } =
        found.parts;
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
        ("corrected", corrected),
    ])
}

/// Tells what the threshold was asked.
fn nearness(found: &Found) -> BTreeMap<String, f64> {
    let Relevance { coverage, cosine } = found.relevance;
    told([("coverage", coverage), ("cosine", cosine.map_or(0.0, f64::from))])
}

#[cfg(test)]
mod unit {
    use rstest::rstest;

    use super::*;
    use crate::policy::Policy;

    #[rstest]
    #[case("why does the export lose umlauts", "export lose umlauts")]
    #[case("データベースの接続はどうすればいいですか？", "データベース 接続 ？")]
    #[case("ありがとう", "ありがとう")]
    #[case("数据库连接池的上限是多少？", "数据库连接池的上限是多少？")]
    fn only_what_says_something_is_looked_up(#[case] prompt: &str, #[case] expected: &str) {
        assert_eq!(telling(prompt), expected);
    }

    #[rstest]
    #[case("yes", true)]
    #[case("ok, go on please", true)]
    #[case("/compact", true)]
    #[case("run the tests", true)]
    #[case("how do I run the tests?", false)]
    #[case("what does it do?", true)]
    #[case("what does refreshToken do?", false)]
    #[case("explain sanitize_title", false)]
    #[case("what is LaunchDarkly?", false)]
    #[case("what is GitHub", false)]
    #[case("OK", true)]
    #[case("_", true)]
    #[case("続けて", true)]
    #[case("データベースの接続", false)]
    fn what_is_looked_up(#[case] prompt: &str, #[case] expected: bool) {
        assert_eq!(is_trivial(prompt, &Policy::DEFAULT.prompt), expected);
    }
}
