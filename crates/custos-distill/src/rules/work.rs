//! What sort of work a turn was, if it was any.
//!
//! One turn is one piece of work: its edits belong together because one person asked for them at once. Which sort it is decides how it is
//! told; the order of the questions below is the order of what matters more to whoever comes next.

use custos_model::Sort;
use custos_syntax::How;

use super::commands::Purpose;
use super::facts::Symbols;
use super::failures::Failure;
use super::story::{Story, Trial, is_noise, is_prose};
use super::words;
use super::{changes, fixes, settings, thread, trifles};
use crate::Found;
use crate::turn::Fate;

/// Prose that is shorter is a correction of prose.
const SUBSTANTIAL: usize = 400;
/// The same for prose that somebody made a commit of.
const COMMITTED: usize = 160;
/// Of more files with settings than this, nobody can tell which one cured something.
const CURES: usize = 3;

/// Tells the work of a turn.
pub(crate) fn found(story: &Story<'_>) -> Option<Found> {
    let is_settled = story.is_settled() || story.carried.is_empty() && thread::is_settled_prose(story.turn);
    if !has_own_edits(story) || !is_settled {
        return None;
    }
    // Who stopped in the middle, and says so, goes on later.
    let is_pause = story.net.changes.iter().all(|change| change.steps.is_empty())
        && story.turn.message.as_deref().is_some_and(changes::is_halfway);
    if is_pause {
        return None;
    }
    if trifles::only(story) && confirmed(story).is_none() || hangs_on_chance(story) {
        return None;
    }
    match sort(story)? {
        sort @ (Sort::Bugfix | Sort::Security) => Some(fixes::found(story, sort)),
        sort => changes::found(story, sort),
    }
}

/// Says whether a turn committed something.
pub(crate) fn commits(turn: &crate::Turn) -> bool {
    turn.steps.iter().any(|step| match &step.what {
        crate::What::Ran(line) => {
            step.ok != Some(false)
                && super::commands::runs(line).iter().any(|run| matches!(run.purpose, Purpose::Commit { .. }))
        }
        _ => false,
    })
}

/// Says whether anything stayed that was edited in this turn, or in what it goes on with.
fn has_own_edits(story: &Story<'_>) -> bool {
    let in_turn = story.net.changes.iter().any(|change| !change.steps.is_empty() && !is_noise(&change.path));
    let goes_on = !story.carried.is_empty() && !story.net.changes.is_empty();
    in_turn || goes_on || !story.packages.is_empty()
}

/// Says what sort of work it was; none if it is not worth a word.
fn sort(story: &Story<'_>) -> Option<Sort> {
    let wishes = story.wishes();
    let code: Vec<_> = story.code().filter(|change| !is_thrown_away(story, change)).collect();
    let has_code = code.iter().any(|change| !is_prose(&change.path) && !is_plain_settings(&change.path));
    let subject = story.commit.as_deref().map(super::request::subject);
    let by_commit = subject.and_then(|(word, _)| word);
    if code.is_empty() {
        return tests_alone(story);
    }
    if code.iter().all(|change| is_prose(&change.path)) {
        let size: usize = code.iter().map(|change| change.size()).sum();
        let least = if story.commit.is_some() { COMMITTED } else { SUBSTANTIAL };
        return (size >= least).then_some(Sort::Change);
    }
    let is_security = wishes.iter().any(|wish| words::is_security(wish))
        || subject.is_some_and(|(word, rest)| word == Some("security") || words::is_security(rest));
    if is_security {
        return Some(Sort::Security);
    }
    if !has_code {
        return Some(if is_cure_by_settings(story, &code, &wishes) { Sort::Bugfix } else { Sort::Change });
    }
    if is_upgrade(story, &wishes) || moves_commits(&wishes) {
        return Some(Sort::Change);
    }
    let last = wishes.last().map_or("", String::as_str);
    let asks_refactor = wishes.iter().any(|wish| words::is_refactor(wish))
        || subject.is_some_and(|(_, rest)| words::is_refactor(rest));
    let is_trouble = story.is_trouble();
    if by_commit == Some("fix") && !asks_refactor
        || confirmed(story).is_some() && !asks_refactor && !words::is_feature(last)
    {
        return Some(Sort::Bugfix);
    }
    let symbols = Symbols::of(story);
    let brings_new = code.iter().any(|change| change.fate == Fate::Created) || !symbols.added.is_empty();
    // `add` and `fix` stand in one prompt often enough; what the first sentence asks for decides.
    let has_new_file =
        code.iter().any(|change| change.fate == Fate::Created && !is_plain_settings(&change.path));
    if is_trouble && !asks_refactor && !(brings_new && asks_feature(&wishes, has_new_file)) {
        // What nobody ran, and of which its author is not sure, is a try.
        return (!is_hedged(story)).then_some(Sort::Bugfix);
    }
    if asks_refactor || by_commit == Some("refactor") || only_moves(story) {
        return Some(Sort::Refactor);
    }
    if brings_new
        && (words::is_feature(last)
            || symbols.added.len() > 1
            || code.iter().any(|change| change.fate == Fate::Created))
    {
        return Some(Sort::Feature);
    }
    let is_tiny = story.net.changes.iter().map(super::net::Change::size).sum::<usize>() < 12;
    (!is_tiny).then_some(Sort::Change)
}

/// Says whether settings or manifests mended something: they cured what was reported, or made pass what failed in words that they have in
/// them. A setting that was changed while something else became well again has not.
fn is_cure_by_settings(story: &Story<'_>, code: &[&super::net::Change], wishes: &[String]) -> bool {
    let proof = confirmed(story);
    let is_infra = code.iter().any(|change| super::hurdles::is_infra(&change.path));
    if story.is_trouble() && is_infra && (proof.is_some() || fixes::seen(story).is_some()) {
        return true;
    }
    let is_asked = is_upgrade(story, wishes) || wishes.last().is_some_and(|wish| words::is_feature(wish));
    let failure = proof.and_then(|proof| proof.failure);
    !is_asked
        && code.len() <= CURES
        && failure.is_some_and(|failure| {
            let pieces = code.iter().flat_map(|change| &change.pieces);
            pieces.into_iter().any(|piece| is_spoken_of(&failure.message, &piece.before, &piece.after))
        })
}

/// Says whether lines that came or went have something in them that a failure quotes, or a number of it, such as a port.
fn is_spoken_of(failure: &str, before: &str, after: &str) -> bool {
    let of = |text: &str, other: &str| -> String {
        let gone = text.lines().filter(|line| !other.lines().any(|kept| kept.trim() == line.trim()));
        gone.collect::<Vec<_>>().join("\n").to_lowercase()
    };
    let changed = [of(before, after), of(after, before)].join("\n");
    let parts = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect()
    };
    let quoted = failure.split(['\'', '"', '`']).skip(1).step_by(2).flat_map(parts);
    let is_name = |part: &String| {
        part.chars().count() > 3 && !["config", "index", "test", "main"].contains(&part.as_str())
    };
    let is_number = |part: &String| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let lines = parts(&changed);
    quoted.filter(is_name).any(|part| changed.contains(&part))
        || parts(failure).iter().filter(|part| is_number(part)).any(|part| lines.contains(part))
}

/// Says whether a file went that had only come in this session: a script to measure with, a trial.
fn is_thrown_away(story: &Story<'_>, change: &super::net::Change) -> bool {
    let steps = story.before.iter().flat_map(|turn| &turn.steps);
    let mut edits = steps
        .filter_map(|step| match &step.what {
            crate::What::Edited(edits) => Some(edits),
            _ => None,
        })
        .flatten();
    change.fate == Fate::Deleted
        && edits.any(|edit| edit.path == change.path && matches!(edit.fate, Fate::Created | Fate::Written))
}

/// Says whether a race is said to be over because it did not show once: a single run proves nothing about chance.
fn hangs_on_chance(story: &Story<'_>) -> bool {
    let is_chance = |trial: &&Trial| {
        trial.failure.as_ref().is_some_and(|failure| {
            let text = failure.message.to_lowercase();
            ["data race", "race detected", "race condition", "deadlock"]
                .iter()
                .any(|word| text.contains(word))
        })
    };
    let Some(failed) = story.trials.iter().rfind(is_chance) else { return false };
    let again: Vec<&Trial> =
        story.trials.iter().filter(|trial| trial.passed == Some(true) && is_kin(failed, trial)).collect();
    let is_repeated = |trial: &&Trial| {
        let line = match story.turn.steps.get(trial.step).map(|step| &step.what) {
            Some(crate::What::Ran(line)) if trial.is_own => line.as_str(),
            _ => trial.run.label.as_str(),
        };
        ["count", "repeat", "runs", "times", "for i", "seq ", "while", "iterations", "stress"]
            .iter()
            .any(|word| line.contains(word))
    };
    again.len() < 3 && !again.iter().any(is_repeated) && story.commit.is_none()
}

/// Says whether the agent only hopes that it helped: nothing was run or committed behind the last edit, and it says so.
fn is_hedged(story: &Story<'_>) -> bool {
    #[rustfmt::skip]
    const HOPES: &[&str] = &[
        "should fix", "should help", "should now", "should be fixed", "should resolve", "should solve", "might fix", "sollte",
        "müsste", "devrait", "debería", "deberia", "deve resolver", "deveria", "dovrebbe", "zou moeten", "должно", "должен",
        "应该", "はず", "것 같",
    ];
    let edits = story.turn.steps.iter().rposition(|step| matches!(step.what, crate::What::Edited(_)));
    let is_run = story.trials.iter().any(|trial| {
        trial.is_own && edits.is_none_or(|edit| trial.step > edit) && trial.run.purpose != Purpose::Look
    });
    let message = story.turn.message.as_deref().unwrap_or_default().to_lowercase();
    !is_run && HOPES.iter().any(|word| message.contains(word))
}

/// A turn that only wrote tests: part of what was done before, unless it is about something else.
fn tests_alone(story: &Story<'_>) -> Option<Sort> {
    let paths: Vec<&str> = story.tests().map(|change| change.path.as_str()).collect();
    if paths.is_empty() {
        return (!story.packages.is_empty()).then_some(Sort::Change);
    }
    let is_known = |path: &str| {
        story
            .before
            .iter()
            .flat_map(|turn| &turn.steps)
            .any(|step| step.files_changed.iter().any(|file| file == path || stem(file) == stem(path)))
    };
    let is_follow_up = paths.iter().any(|path| is_known(path));
    let added = super::facts::tests_added(story).len();
    (!is_follow_up && added >= 2).then_some(Sort::Change)
}

/// Gives the name of a file without its ending and what marks it as a test.
fn stem(path: &str) -> String {
    let name = super::wording::file_name(path).split('.').next().unwrap_or_default().to_lowercase();
    name.trim_start_matches("test_")
        .trim_end_matches("_test")
        .trim_end_matches("_spec")
        .trim_end_matches("test")
        .to_owned()
}

fn is_plain_settings(path: &str) -> bool {
    settings::is_settings(path) || super::dependencies::is_manifest(path) || is_noise(path)
}

/// Says whether the work was to bring a dependency to another version, with all that it entailed.
pub(crate) fn is_upgrade(story: &Story<'_>, wishes: &[String]) -> bool {
    let is_named = |name: &str| {
        let short = name.rsplit(['/', ':']).next().unwrap_or(name).to_lowercase();
        wishes.iter().any(|wish| wish.to_lowercase().contains(&short))
    };
    let moves = story.packages.iter().filter(|package| package.from.is_some() && package.to.is_some());
    let asks = [
        "upgrade",
        "update",
        "bump",
        "migrate",
        "aktualisier",
        "mettre à jour",
        "actualiz",
        "atualiz",
        "aggiorn",
        "обнов",
        "升级",
        "アップグレード",
        "更新",
        "업그레이드",
    ];
    let is_asked = wishes.iter().any(|wish| asks.iter().any(|word| wish.to_lowercase().contains(word)));
    moves.clone().any(|package| is_named(&package.name)) || (is_asked && moves.count() > 0)
}

/// Says whether the work was to bring commits elsewhere.
fn moves_commits(wishes: &[String]) -> bool {
    let first = wishes.first().map(|wish| super::request::bare(wish).to_lowercase()).unwrap_or_default();
    [
        "rebase",
        "merge ",
        "cherry-pick",
        "cherry pick",
        "resolve the conflict",
        "resolve conflict",
        "backport",
        "git rebase",
        "git merge",
    ]
    .iter()
    .any(|word| first.starts_with(word))
}

/// Says whether something new is asked for: in the first sentence, or behind the trouble that it is meant to end.
fn asks_feature(wishes: &[String], has_new_file: bool) -> bool {
    let Some(first) = wishes.first() else { return false };
    let sentences = super::wording::sentences(first);
    let wants = |sentence: &&str| words::is_feature(sentence) && !words::is_trouble(sentence);
    let opens = sentences.first().is_some_and(&wants);
    let orders = |sentence: &&str| {
        wants(sentence) && super::request::is_order(sentence) && !sentence.to_lowercase().contains("test")
    };
    opens || has_new_file && sentences.iter().any(orders)
}

/// Says whether definitions only moved or got other names.
fn only_moves(story: &Story<'_>) -> bool {
    let touched: Vec<&How> =
        story.code().flat_map(|change| &change.touched).map(|touched| &touched.how).collect();
    let renames = touched.iter().filter(|how| matches!(how, How::Renamed { .. })).count();
    renames > 0 && touched.iter().all(|how| matches!(how, How::Renamed { .. } | How::Changed))
}

/// A failure that was there before anything was edited, and the run that passed after it.
pub(crate) struct Confirmed<'s> {
    pub(crate) failed: &'s Trial,
    pub(crate) failure: Option<&'s Failure>,
    pub(crate) passed: &'s Trial,
}

/// Finds a run that failed before the work and passed after it.
pub(crate) fn confirmed<'s>(story: &'s Story<'_>) -> Option<Confirmed<'s>> {
    let trials = &story.trials;
    for (at, failed) in trials.iter().enumerate() {
        let was_there = failed.edits_before == 0
            || (failed.run.purpose == Purpose::Test && is_telling(failed) && is_reported(story, failed));
        if failed.passed != Some(false)
            || !failed.is_proof()
            || !was_there
            || is_slip(failed)
            || is_slip_of_test(failed)
            || is_new_test(story, failed)
        {
            continue;
        }
        let passed = trials[at + 1..].iter().rev().find(|later| {
            later.passed == Some(true) && is_kin(failed, later) && later.edits_before > failed.edits_before
        });
        if let Some(passed) = passed {
            // Runs of the same thing may have failed in different ways; the last before it passed had the work's own slips out of it.
            return Some(Confirmed { failed, failure: failed.failure.as_ref(), passed });
        }
    }
    None
}

/// Says whether a failure that was seen only behind an edit is what the person had reported.
fn is_reported(story: &Story<'_>, failed: &Trial) -> bool {
    let Some(failure) = failed.failure.as_ref().filter(|_| story.is_trouble()) else { return false };
    let seen = format!("{} {}", failure.message, failure.tests.join(" ")).to_lowercase();
    let wishes = story.wishes().join(" ").to_lowercase();
    super::ground::is_dense(&wishes)
        || wishes.split(|c: char| !c.is_alphanumeric()).any(|word| {
            word.chars().count() > 3
                && !["fail", "fails", "test", "tests", "error"].contains(&word)
                && seen.contains(word)
        })
}

/// Says whether all that failed are tests which were only just written: they failed because what they test was not there yet.
fn is_new_test(story: &Story<'_>, failed: &Trial) -> bool {
    let Some(failure) = &failed.failure else { return false };
    let added = super::facts::tests_added(story);
    let short = |name: &str| {
        name.rsplit(['.', ':', '#', '>', ' ']).next().unwrap_or(name).trim_end_matches("()").to_owned()
    };
    let is_added =
        |test: &String| added.iter().any(|name| short(name) == short(test) || test.contains(name.as_str()));
    // Who only wanted tests, and had to mend something for them, found a fault.
    let wants_tests =
        story.wishes().last().is_some_and(|wish| words::is_about_tests(wish)) && failed.edits_before == 0;
    !wants_tests && !story.is_trouble() && !failure.tests.is_empty() && failure.tests.iter().all(is_added)
}

/// Says whether a test did not even compile: what it is to show comes with the next run.
fn is_slip_of_test(failed: &Trial) -> bool {
    let Some(failure) = failed.failure.as_ref().filter(|failure| failure.tests.is_empty()) else {
        return false;
    };
    !failed.is_own
        && failure.code.is_some()
        && failure.place.as_ref().is_some_and(|(path, _)| custos_syntax::is_test(path))
}

/// Says whether one run can confirm another.
pub(crate) fn is_kin(failed: &Trial, passed: &Trial) -> bool {
    let both_test = failed.run.purpose == Purpose::Test && passed.run.purpose == Purpose::Test;
    failed.run.family == passed.run.family || both_test
}

/// Says whether a test failed in what it asserts, rather than in being compiled or found.
pub(crate) fn is_telling(trial: &Trial) -> bool {
    trial.failure.as_ref().is_some_and(|failure| {
        let text = failure.message.to_lowercase();
        !failure.tests.is_empty()
            && ![
                "nameerror",
                "importerror",
                "modulenotfound",
                "syntaxerror",
                "cannot find",
                "unresolved",
                "is not defined",
            ]
            .iter()
            .any(|word| text.contains(word))
    })
}

/// Recognises a command that was merely typed wrong, or run in the wrong place.
pub(crate) fn is_slip(trial: &Trial) -> bool {
    let Some(failure) = &trial.failure else { return false };
    let text = failure.message.to_lowercase();
    let slips = [
        "command not found",
        "no such file",
        "not found, exiting",
        "no test files",
        "unknown option",
        "unrecognized",
        "unexpected argument",
        "requires the features",
        "no tests found",
        "usage:",
        "permission denied",
        "could not connect",
        "connection refused",
        "connection to server",
        "no such container",
        "not a git repository",
        "missing script",
        "cannot find path",
        "no tests ran",
        "no test target",
        "address already in use",
    ];
    slips.iter().any(|slip| text.contains(slip))
}
