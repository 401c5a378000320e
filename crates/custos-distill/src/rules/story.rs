//! A turn, read as a story: what was wanted, what was tried, what failed, what stayed.
//!
//! A person thinks in tasks, a client in turns. A turn that was broken off, or that ended with its tests red, goes on in the next one; so its
//! edits are carried over, and its prompt is still what was wanted. What was settled before is only context.

use std::collections::BTreeMap;

use super::commands::{self, Purpose, Run};
use super::dependencies::{self, Package};
use super::failures::{self, Failure};
use super::message::{self, Sentence};
use super::names::Evidence;
use super::net::{Change, Net};
use super::settings::{self, Setting};
use super::words;
use crate::read::NO_END;
use crate::turn::{Fate, Turn, What};

/// How many turns a story may go back.
const BACK: usize = 4;

/// A command that was run, and what came of it.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    /// Its step in its turn.
    pub(crate) step: usize,
    /// Whether its turn is the one that is distilled.
    pub(crate) is_own: bool,
    /// What was run.
    pub(crate) run: Run,
    /// Whether it went well, where that can be told.
    pub(crate) passed: Option<bool>,
    /// Whether it printed nothing that looks like a failure, where nobody tells whether it went well.
    is_clean: bool,
    /// Why it failed.
    pub(crate) failure: Option<Failure>,
    /// How many edits of the story outside of tests came before it.
    pub(crate) edits_before: usize,
}

impl Trial {
    /// Says whether it proves something about the code: a test, a build, a migration, a program.
    pub(crate) fn is_proof(&self) -> bool {
        // What git says is about commits.
        !self.run.family.starts_with("git ")
            && matches!(
                self.run.purpose,
                Purpose::Test | Purpose::Build | Purpose::Migrate | Purpose::Run | Purpose::Other
            )
    }
}

impl Trial {
    /// Says whether its failure alone shows that the work does not hold.
    fn is_strong(&self) -> bool {
        matches!(self.run.purpose, Purpose::Test | Purpose::Build | Purpose::Migrate)
    }
}

/// What a turn came to.
pub(crate) struct Story<'t> {
    /// The turn.
    pub(crate) turn: &'t Turn,
    /// Turns before it whose work it goes on with, oldest first.
    pub(crate) carried: &'t [Turn],
    /// Turns before those that only asked about the same trouble.
    pub(crate) asked: &'t [Turn],
    /// Everything before it.
    pub(crate) before: &'t [Turn],
    /// Commands of the carried turns and of this one, in order.
    pub(crate) trials: Vec<Trial>,
    /// What stayed, and what was taken back.
    pub(crate) net: Net,
    /// The message of the commit that tells most of it: the one that has most of what was asked for, else the last.
    pub(crate) commit: Option<String>,
    /// Dependencies that changed.
    pub(crate) packages: Vec<Package>,
    /// Settings that changed, with their files.
    pub(crate) settings: Vec<(String, Setting)>,
    /// What the agent said at the end.
    pub(crate) sentences: Vec<Sentence>,
    /// The words of the evidence.
    pub(crate) evidence: Evidence<'t>,
}

impl<'t> Story<'t> {
    /// Reads a turn, knowing what came before it.
    pub(crate) fn read(turn: &'t Turn, before: &'t [Turn]) -> Self {
        let begin = before.len().saturating_sub(BACK);
        let mut from = before.len();
        // A question in between does not settle what was left open before it.
        for at in (begin..before.len()).rev() {
            if is_unsettled(&before[at]) {
                from = at;
            } else if before[at].is_private || edits(&before[at]) {
                break;
            }
        }
        Self::read_from(turn, before, from)
    }

    /// Reads a turn that goes on with the work of `before[from..]`.
    pub(crate) fn read_from(turn: &'t Turn, before: &'t [Turn], from: usize) -> Self {
        let begin = before.len().saturating_sub(BACK).min(from);
        let carried = &before[from..];
        let mut asked_from = from;
        while asked_from > begin && only_asks(&before[asked_from - 1]) {
            asked_from -= 1;
        }
        // What was tried in several turns and is gone again was only a way to find out.
        for at in (begin..asked_from).rev() {
            if leaves_nothing(&before[at..from]) {
                asked_from = at;
            }
        }
        let asked = &before[asked_from..from];
        let mut net = Net::over(before[begin..].iter().chain([turn]));
        for earlier in &before[begin..from] {
            net.remember(earlier);
        }
        let mut trials = Vec::new();
        let mut edits = 0;
        for earlier in carried {
            let own = trials_of(earlier, false, &mut edits);
            net.take(earlier, &own, false);
            trials.extend(own);
        }
        let own = trials_of(turn, true, &mut edits);
        net.take(turn, &own, true);
        trials.extend(own);
        tell_silence(&mut trials);
        net.settle();
        let evidence = Evidence::of(before[begin..].iter().chain([turn]));
        let sentences = turn.message.as_deref().map_or_else(Vec::new, |text| message::read(text, &evidence));
        let wished = carried.iter().chain([turn]).map(joined).collect::<Vec<_>>().join(" ").to_lowercase();
        let commits = trials.iter().filter_map(|trial| match &trial.run.purpose {
            Purpose::Commit { message } if trial.is_own && trial.passed != Some(false) => message.clone(),
            _ => None,
        });
        let commit = commits.max_by_key(|message| {
            let line = message.lines().next().unwrap_or_default().to_lowercase();
            let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
            words.filter(|word| wished.contains(*word)).count()
        });
        let packages = packages(&net, &trials);
        let settings = changed_settings(&net);
        Self { turn, carried, asked, before, trials, net, commit, packages, settings, sentences, evidence }
    }

    /// Gives what the person typed in this turn.
    pub(crate) fn prompt(&self) -> String {
        joined(self.turn)
    }

    /// Lists what the person wanted, oldest first: what is carried over, and this turn's prompt.
    pub(crate) fn wishes(&self) -> Vec<String> {
        self.asked
            .iter()
            .chain(self.carried)
            .chain([self.turn])
            .map(joined)
            .filter(|text| !text.trim().is_empty())
            .collect()
    }

    /// Says whether the person reported that something does not work.
    pub(crate) fn is_trouble(&self) -> bool {
        self.wishes().iter().any(|wish| words::is_trouble(wish))
    }

    /// Says whether what was edited holds: nothing that proves something failed last.
    pub(crate) fn is_settled(&self) -> bool {
        let is_cut = self.turn.error.as_deref() == Some(NO_END);
        holds(&self.trials, self.turn) && (!is_cut || is_proven(&self.trials))
    }

    /// Lists the changes outside of tests, lock files and what is generated.
    pub(crate) fn code(&self) -> impl Iterator<Item = &Change> {
        self.net.changes.iter().filter(|change| !is_noise(&change.path) && !change.is_test())
    }

    /// Lists the changes of tests.
    pub(crate) fn tests(&self) -> impl Iterator<Item = &Change> {
        self.net.changes.iter().filter(|change| !is_noise(&change.path) && change.is_test())
    }
}

/// Puts the prompts of a turn together, without the marks of what was private.
pub(crate) fn joined(turn: &Turn) -> String {
    let texts: Vec<String> = turn.said.iter().map(|said| without_markers(&said.text)).collect();
    texts.join("\n")
}

/// Takes out what redaction left in the place of something.
pub(crate) fn without_markers(text: &str) -> String {
    let mut rest = text;
    let mut clean = String::with_capacity(text.len());
    while let Some(at) = rest.find(custos_redact::MARKER_OPEN) {
        clean.push_str(&rest[..at]);
        clean.push('…');
        rest = match rest[at..].find(custos_redact::MARKER_CLOSE) {
            Some(end) => &rest[at + end + custos_redact::MARKER_CLOSE.len()..],
            None => "",
        };
    }
    clean.push_str(rest);
    clean
}

/// Recognises files that nobody writes by hand.
pub(crate) fn is_noise(path: &str) -> bool {
    let folder = |name: &str| path.split('/').any(|part| part == name);
    dependencies::is_lock_file(path)
        || ["node_modules", "dist", "target", ".git", "__snapshots__", "__pycache__", ".venv"]
            .iter()
            .any(|name| folder(name))
        || [".snap", ".min.js"].iter().any(|end| path.ends_with(end))
        || path.starts_with("/tmp/")
}

/// Recognises prose.
pub(crate) fn is_prose(path: &str) -> bool {
    [".md", ".mdx", ".rst", ".adoc", ".txt"].iter().any(|end| path.to_lowercase().ends_with(end))
        && !dependencies::is_manifest(path)
}

/// Says whether a turn stopped before its work held.
fn is_unsettled(turn: &Turn) -> bool {
    let is_cut = turn.error.as_deref() == Some(NO_END);
    if !edits(turn) && !is_cut {
        return false;
    }
    let mut edits = 0;
    let trials = trials_of(turn, false, &mut edits);
    !holds(&trials, turn) || is_cut && !is_proven(&trials)
}

/// Says whether a turn changed files.
fn edits(turn: &Turn) -> bool {
    turn.steps.iter().any(|step| match &step.what {
        What::Edited(_) => step.ok != Some(false),
        What::Ran(line) => step.ok != Some(false) && edits_in_place(line, step),
        _ => false,
    })
}

/// Says whether turns that begin with a trouble tried something, and took all of it back.
fn leaves_nothing(turns: &[Turn]) -> bool {
    let is_tried = turns.first().is_some_and(|first| words::is_trouble(&joined(first)))
        && turns.iter().any(edits)
        && !turns.iter().any(|turn| turn.is_private || super::work::commits(turn));
    if !is_tried {
        return false;
    }
    let mut count = 0;
    let trials: Vec<Vec<Trial>> = turns.iter().map(|turn| trials_of(turn, false, &mut count)).collect();
    if !may_be_undone(turns, trials.iter().flatten()) {
        return false;
    }
    let mut net = Net::over(turns.iter());
    for (turn, trials) in turns.iter().zip(&trials) {
        net.take(turn, trials, false);
    }
    net.settle();
    net.changes.iter().all(|change| is_noise(&change.path))
}

/// Says whether all that was edited may have been taken back: by a command, or by edits that put in as much as others took out.
fn may_be_undone<'s>(turns: &[Turn], mut trials: impl Iterator<Item = &'s Trial>) -> bool {
    let is_removing =
        |trial: &Trial| matches!(trial.run.purpose, Purpose::Revert(_)) || trial.run.label.contains("rm ");
    if trials.any(is_removing) {
        return true;
    }
    let size = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    let mut grown: BTreeMap<&str, isize> = BTreeMap::new();
    for step in turns.iter().flat_map(|turn| &turn.steps).filter(|step| step.ok != Some(false)) {
        let What::Edited(edits) = &step.what else { continue };
        for edit in edits {
            if edit.fate != Fate::Changed {
                return true;
            }
            *grown.entry(edit.path.as_str()).or_default() +=
                size(&edit.after).cast_signed() - size(&edit.before).cast_signed();
        }
    }
    grown.iter().all(|(path, grown)| *grown == 0 || is_noise(path))
}

/// Says whether nothing that proves something failed last, of all that was tried after an edit.
fn holds(trials: &[Trial], turn: &Turn) -> bool {
    let tried = |strong: bool| {
        let wanted = move |trial: &&Trial| {
            trial.is_proof() && trial.passed.is_some() && (!strong || trial.is_strong())
        };
        trials.iter().filter(|trial| trial.edits_before > 0).rfind(wanted)
    };
    // Without tests, what was run last tells, where it says why it failed.
    let last = tried(true)
        .or_else(|| tried(false).filter(|trial| trial.passed == Some(true) || trial.failure.is_some()));
    let Some(failed) = last.filter(|trial| trial.passed == Some(false)) else { return true };
    was_red(trials, failed) || is_committed(trials) || is_disowned(turn)
}

/// Says whether the same trouble was there before anything was edited, beside what the work was about.
fn was_red(trials: &[Trial], failed: &Trial) -> bool {
    let Some(failure) = &failed.failure else { return false };
    let baseline = trials
        .iter()
        .filter(|trial| trial.edits_before == 0 && trial.is_strong())
        .filter_map(|trial| trial.failure.as_ref());
    let others_passed =
        trials.iter().any(|trial| trial.edits_before > 0 && trial.is_strong() && trial.passed == Some(true));
    others_passed && baseline.into_iter().any(|before| failures::same(before, failure))
}

fn is_committed(trials: &[Trial]) -> bool {
    trials.iter().any(|trial| {
        matches!(trial.run.purpose, Purpose::Commit { .. })
            && trial.passed != Some(false)
            && trial.edits_before > 0
    })
}

/// Says whether the agent told that what still fails has nothing to do with its work.
fn is_disowned(turn: &Turn) -> bool {
    let message = turn.message.as_deref().unwrap_or_default().to_lowercase();
    [
        "unrelated",
        "pre-existing",
        "preexisting",
        "flaky",
        "already failing",
        "also fails on main",
        "was failing before",
        "hat nichts damit zu tun",
        "関係ありません",
        "无关",
    ]
    .iter()
    .any(|word| message.contains(word))
}

fn is_proven(trials: &[Trial]) -> bool {
    let last_edit = trials.iter().map(|trial| trial.edits_before).max().unwrap_or(0);
    let passes =
        |trial: &Trial| trial.is_proof() && trial.edits_before == last_edit && trial.passed == Some(true);
    is_committed(trials) || last_edit > 0 && trials.iter().any(passes)
}

/// Recognises a turn that looked into something and changed nothing.
fn only_asks(turn: &Turn) -> bool {
    !edits(turn)
        && !turn.steps.is_empty()
        && !turn.is_private
        && turn.said.iter().any(|said| words::is_trouble(&said.text))
}

/// Lists the commands of a turn. `edits` counts on from the turns before it.
fn trials_of(turn: &Turn, is_own: bool, edits: &mut usize) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (at, step) in turn.steps.iter().enumerate() {
        match &step.what {
            What::Edited(list) if step.ok != Some(false) => {
                *edits += usize::from(list.iter().any(|edit| !custos_syntax::is_test(&edit.path)));
            }
            What::Ran(line) => {
                *edits += usize::from(step.ok != Some(false) && edits_in_place(line, step));
                // Why it failed is looked for once, however many commands the line has.
                let seen = std::cell::OnceCell::new();
                let failure = || seen.get_or_init(|| failures::failure(&step.output));
                let line = commands::Line::of(step);
                for (which, run) in line.runs().enumerate() {
                    let is_look = run.purpose == Purpose::Look;
                    // How a look ended tells nothing, and what it printed is long.
                    let told = || line.outcome(which).or_else(|| located(run, failure));
                    let passed = if is_look { None } else { told() };
                    let cause = if passed == Some(false) { failure().clone() } else { None };
                    let is_clean = passed.is_none() && !is_look && failure().is_none();
                    trials.push(Trial {
                        step: at,
                        is_own,
                        run: run.clone(),
                        passed,
                        is_clean,
                        failure: cause,
                        edits_before: *edits,
                    });
                }
            }
            _ => {}
        }
    }
    trials
}

/// Where nobody tells how a build or a test ended, an error with its place in the code does.
fn located<'f>(run: &Run, failure: impl Fn() -> &'f Option<Failure>) -> Option<bool> {
    let is_proof = matches!(run.purpose, Purpose::Test | Purpose::Build);
    let failure = if is_proof { failure().as_ref() } else { None };
    failure.filter(|failure| failure.place.is_some() || failure.code.is_some()).map(|_| false)
}

/// Recognises a command line that changes files of the project where they stand.
fn edits_in_place(line: &str, step: &crate::Step) -> bool {
    let is_edit =
        ["sed -i", "perl -pi", "perl -i", "git mv ", "rename -w", "gofmt -r", "codemod", "ast-grep", "comby"]
            .iter()
            .any(|word| line.contains(word));
    is_edit
        && (!step.files_changed.is_empty()
            || line.contains("git mv ")
            || line.contains("xargs")
            || line.contains("rename -w"))
}

/// Some clients tell no exit status. A command that failed before, and now prints nothing that looks like a failure, has passed.
fn tell_silence(trials: &mut [Trial]) {
    for at in 0..trials.len() {
        let failed_before = trials[..at]
            .iter()
            .any(|earlier| earlier.passed == Some(false) && earlier.run.label == trials[at].run.label);
        if trials[at].passed.is_none() && trials[at].is_clean && failed_before {
            trials[at].passed = Some(true);
        }
    }
}

/// Sums the dependencies up that changed, by manifests and by commands.
fn packages(net: &Net, trials: &[Trial]) -> Vec<Package> {
    let mut found = declared(net);
    for trial in trials.iter().filter(|trial| trial.passed != Some(false)) {
        match &trial.run.purpose {
            Purpose::Install(installed) => {
                for package in installed {
                    if !found.iter().any(|known| known.name == package.name) {
                        found.push(package.clone());
                    }
                }
            }
            // What was fetched for an attempt goes with it.
            Purpose::Revert(paths) => {
                let is_manifest =
                    |path: &String| dependencies::is_manifest(path) || path.is_empty() || path == ".";
                if paths.is_empty() || paths.iter().any(is_manifest) {
                    found.clear();
                    found.extend(declared(net));
                }
            }
            Purpose::Remove(names) => {
                for name in names {
                    let came = found.iter().position(|known| known.name == *name && known.from.is_none());
                    match came {
                        Some(at) => {
                            found.remove(at);
                        }
                        None => found.push(Package {
                            name: name.clone(),
                            from: Some("any".to_owned()),
                            to: None,
                            dev: false,
                        }),
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Lists the dependencies that changed in manifests.
fn declared(net: &Net) -> Vec<Package> {
    // A manifest that is written anew lists what a new project has, which is no news of its own.
    let is_changed = |change: &&Change| {
        dependencies::is_manifest(&change.path) && !matches!(change.fate, Fate::Deleted | Fate::Created)
    };
    net.changes
        .iter()
        .filter(is_changed)
        .flat_map(|change| change.pieces.iter().map(|piece| (&change.path, piece)))
        .flat_map(|(path, piece)| dependencies::dependencies(path, &piece.before, &piece.after))
        .collect()
}

/// Lists the settings that changed.
fn changed_settings(net: &Net) -> Vec<(String, Setting)> {
    let mut found: Vec<(String, Setting)> = Vec::new();
    let wanted =
        |path: &str| settings::is_settings(path) && !dependencies::is_lock_file(path) && !is_noise(path);
    for change in net.changes.iter().filter(|change| wanted(&change.path) && change.fate != Fate::Deleted) {
        if change.fate == Fate::Created {
            continue;
        }
        for piece in &change.pieces {
            for setting in settings::settings(&change.path, &piece.before, &piece.after) {
                let is_known = found.iter().any(|(path, known)| *path == change.path && *known == setting);
                if !is_known {
                    found.push((change.path.clone(), setting));
                }
            }
        }
    }
    found
}
