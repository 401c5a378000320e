//! The distiller without a model: deterministic, and the same for everybody.
//!
//! A turn is read as a [story]: what was wanted, which edits [stayed](net), which [commands] [failed](failures) and which
//! passed after which edit, what the person [said], what the agent [concluded](message). Out of that come [decisions], the
//! [work] itself as a [fix](fixes) or another [change](changes), and [discoveries]. Routine gives nothing.
//!
//! | module | what lives there |
//! |---|---|
//! | [`story`], [`thread`], [`net`], [`trifles`] | a turn as a whole, and what it goes on with; what is left of its edits, and whether it matters |
//! | [`commands`], [`failures`], [`said`], [`settings`], [`dependencies`] | finders: pure functions over one text |
//! | [`message`], [`names`], [`request`], [`words`], [`ground`] | prose: what may be taken over, and what it is about |
//! | [`work`], [`fixes`], [`changes`], [`decisions`], [`bounds`], [`choices`], [`objections`], [`discoveries`], [`answers`], [`measures`], [`history`], [`hurdles`], [`surroundings`], [`remedies`] | observations |
//! | [`facts`], [`wording`], [`draft`], [`merge`], [`brevity`], [`summary`] | how they are put together |

mod answers;
mod bounds;
mod brevity;
mod changes;
mod choices;
mod commands;
mod decisions;
mod dependencies;
pub(crate) mod discoveries;
mod draft;
mod facts;
mod failures;
mod fixes;
mod ground;
mod history;
mod hurdles;
mod measures;
mod merge;
mod message;
mod names;
mod net;
mod objections;
mod remedies;
mod request;
mod said;
mod settings;
mod story;
mod summary;
mod surroundings;
#[cfg(test)]
mod tests;
mod thread;
mod trifles;
pub(crate) mod wording;
mod words;
mod work;

use custos_model::{Observation, Sort, Summary};

use crate::turn::Turn;
use crate::{Distilled, Found};
use ground::Ground;
use story::Story;

/// Distils a turn. `before` holds earlier turns of the session, oldest first: what failed there may pass here.
pub fn distil(turn: &Turn, before: &[Turn]) -> Distilled {
    if turn.is_private {
        return Distilled::default();
    }
    // What was done in private is no context for anybody, either.
    let from = before.iter().rposition(|turn| turn.is_private).map_or(0, |at| at + 1);
    let before = &before[from..];
    let mut story = thread::read(turn, before);
    let decisions = decisions::found(&story);
    let mut found: Vec<Found> = Vec::new();
    let mut work = if decisions.absorb_work { None } else { work::found(&story) };
    // A correction that replaces what the turn before recorded makes that untrue: it is told anew, with what stands there now.
    if story.carried.is_empty()
        && let Some(again) = replaced(turn, before, &decisions)
    {
        story = again;
        work = work::found(&story).or(work);
    }
    if measures::is_on_the_way(turn, before) {
        work = None;
    } else if let Some(faster) = measures::found(turn, before) {
        // What was only slow was not broken: it is told once.
        let is_broken = work::confirmed(&story).is_some() || fixes::seen(&story).is_some();
        let is_that = |work: &Found| match work.observation.sort {
            Sort::Security => false,
            Sort::Bugfix => !is_broken,
            _ => true,
        };
        if work.as_ref().is_none_or(is_that) {
            work = None;
        }
        found.push(faster);
    }
    let lost = history::found(&story);
    found.extend(lost.clone());
    if let Some(untracked) = history::untracked(&story) {
        // What only told git to leave a file alone is told by that.
        let is_that =
            |work: &Found| work.observation.files_modified.iter().all(|file| file.ends_with("ignore"));
        work = work.filter(|work| !is_that(work));
        found.push(untracked);
    }
    let around = if work.is_none() && !decisions.absorb_work { surroundings::found(&story) } else { None };
    let limit = discoveries::limit(&story, work.as_ref()).filter(|_| around.is_none());
    let attempt = discoveries::attempt(&story);
    if attempt.is_some() {
        work = None;
    }
    // What the person said when they stopped an attempt is told with it, and a limit with what they made of it.
    // A demand that became the work is told once, as the work.
    let demanded = work.as_ref().map(|work| work.observation.title.clone()).unwrap_or_default();
    let core = work
        .as_ref()
        .map(|work| work.observation.sort)
        .filter(|sort| matches!(sort, Sort::Bugfix | Sort::Security))
        .and_then(|sort| fixes::complaint(&story, sort, &Ground::of(&story)))
        .map(|complaint| complaint.to_lowercase());
    let becomes_work = |one: &Found| {
        let title = &one.observation.title;
        crate::alike::within(title, &demanded) >= 0.6
            || core.as_ref().is_some_and(|core| title.to_lowercase().contains(core.as_str()))
    };
    if let Some(work) = &mut work {
        bind(work, &decisions);
        work.said = decisions.found.iter().any(becomes_work);
    }
    let is_told = |one: &Found| {
        becomes_work(one)
            || attempt.is_some() && one.observation.facts.is_empty() && !decisions::is_standing(one)
            || limit.as_ref().is_some_and(|limit| quotes(limit, one))
    };
    found.extend(decisions.found.into_iter().filter(|one| !is_told(one)));
    if let Some(attempt) = attempt {
        found.push(attempt);
    } else if work.is_none() && found.iter().all(|one| one.said) && !decisions.absorb_work {
        found.extend(around.or_else(|| answers::answer(&story)));
    }
    if work.as_ref().is_some_and(|work| !matches!(work.observation.sort, Sort::Bugfix | Sort::Security)) {
        // A limit that the work ran into is told as one.
        let start = |limit: &Found| limit.observation.title.chars().take(24).collect::<String>();
        let is_limit = |aside: &Found| {
            limit.as_ref().is_some_and(|limit| aside.observation.narrative.contains(&start(limit)))
        };
        let handed_over = || fixes::handed_over(&story).filter(|_| limit.is_none() && lost.is_none());
        found.extend(fixes::aside(&story).or_else(handed_over).filter(|aside| !is_limit(aside)));
    }
    found.extend(hurdles::found(&story, work.as_ref()));
    found.extend(surroundings::beside(&story, &mut work));
    found.extend(discoveries::abandoned(&story));
    found.extend(work);
    found.extend(limit);
    let mut observations = merge::merged(found);
    brevity::fit(&mut observations, turn);
    let summary = summary::of_turn(&story, &observations);
    Distilled { observations, summary }
}

/// Tells with the work what the person bound it to.
fn bind(work: &mut Found, decisions: &decisions::Decisions) {
    let facts = &mut work.observation.facts;
    let quoted = |bound: &String| format!("Bound by the person: {}", wording::quoted(bound, 120));
    let room = wording::FACTS.saturating_sub(facts.len());
    facts.extend(decisions.bounds.iter().map(quoted).take(room));
}

/// Reads a turn together with the one before it, where it replaces what was recorded of that one.
fn replaced<'t>(turn: &'t Turn, before: &'t [Turn], decisions: &decisions::Decisions) -> Option<Story<'t>> {
    if decisions.rejected.is_empty() && !decisions.objects {
        return None;
    }
    let from = before.len().checked_sub(1)?;
    let (last, earlier) = (before.last()?, &before[..from]);
    let story = Story::read(last, earlier);
    // What was told with a decision was not told as work.
    if decisions::found(&story).absorb_work {
        return None;
    }
    let is_replaced = work::found(&story).is_some_and(|told| {
        let told = told.observation;
        let text = format!("{} {} {}", told.title, told.narrative, told.facts.join(" "));
        decisions.rejected.iter().any(|name| name.chars().count() > 2 && text.contains(name.as_str()))
    });
    (is_replaced || decisions.objects).then(|| Story::read_from(turn, before, from))
}

/// Says whether one observation holds what the person said in another.
fn quotes(one: &Found, said: &Found) -> bool {
    let words: String = said.observation.title.chars().skip(1).take(24).collect();
    said.said && one.observation.narrative.contains(&words)
}

/// Sums a session up from its turns and what was recorded of them; none if there is nothing to go on from.
pub fn session_summary(turns: &[Turn], observations: &[Observation]) -> Option<Summary> {
    summary::of_session(turns, observations)
}
