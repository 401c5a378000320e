//! What became of commits: dropped by a rebase, lost in a merge, put back.
//!
//! Such work leaves few edits and is dear when it has to be done again. What is told comes from the agent, and only where the commit that
//! it names occurs in the evidence.

use custos_model::Sort;

use super::commands::{self, Purpose};
use super::draft::Draft;
use super::message::{self, Sentence};
use super::story::Story;
use super::wording::{TITLE, headline, row};
use crate::Found;
use crate::turn::What;

/// What happens to a commit that should not.
#[rustfmt::skip]
const LOSSES: &[&str] = &[
    "dropped", "lost", "missing", "gone", "overwritten", "overwrote", "clobbered", "reverted by", "disappeared",
    "not on the branch", "swallowed", "skipped", "verloren", "fehlt", "verschwunden", "perdu", "perdido", "perso",
    "потерян", "丢失", "消えた", "失われ", "사라",
];

/// Tells what became of a commit.
pub(crate) fn found(story: &Story<'_>) -> Option<Found> {
    let lines: Vec<(usize, bool, &str)> = lines(story);
    let moves = |line: &str| {
        [
            "git rebase",
            "git merge",
            "git cherry-pick",
            "git revert",
            "git reset",
            "git reflog",
            "git pull",
            "git filter",
            "git am",
        ]
        .iter()
        .any(|deed| line.contains(deed))
    };
    if !lines.iter().any(|(_, _, line)| moves(line)) {
        return None;
    }
    let told: Vec<Sentence> = story
        .asked
        .iter()
        .chain(story.carried)
        .filter_map(|turn| turn.message.as_deref())
        .flat_map(|text| message::read(text, &story.evidence))
        .chain(story.sentences.clone())
        .collect();
    let is_loss = |sentence: &&Sentence| {
        let text = sentence.text.to_lowercase();
        LOSSES.iter().any(|word| text.contains(word))
            && hash(&sentence.text).is_some_and(|hash| story.evidence.knows(hash))
    };
    let lead = told.iter().find(is_loss)?;
    let commit = hash(&lead.text)?.to_owned();
    // Told once: in the turn that put it back, or where it was found and left.
    let back = lines.iter().find(|(_, own, line)| {
        *own && (line.contains("cherry-pick") || line.contains("git reset") || line.contains("git merge"))
            && line.contains(&commit)
    });
    let is_fresh = story.sentences.iter().any(|sentence| sentence.text == lead.text);
    if back.is_none() && !is_fresh {
        return None;
    }
    let sort = if back.is_some() { Sort::Bugfix } else { Sort::Discovery };
    let title = headline(&lead.text, TITLE - 10);
    let title = if back.is_some() { format!("{title}; put back") } else { title };
    let mut draft = Draft::new(sort, &title);
    let at = told.iter().position(|sentence| sentence == lead).unwrap_or(0);
    for sentence in told[at + 1..].iter().filter(|sentence| sentence.names > 0 && !sentence.is_ahead).take(2)
    {
        draft = draft.tell(&sentence.text);
    }
    if let Some((_, _, line)) = back {
        draft = draft.fact(&format!("Put back: `{}`", only(line, &commit)));
    }
    let set = lines.iter().filter(|(_, own, line)| *own && line.contains("git config ")).filter_map(
        |(_, _, line)| {
            commands::runs(line)
                .into_iter()
                .find(|run| run.family == "git config" && run.purpose != Purpose::Look)
                .map(|run| format!("`{}`", run.label))
        },
    );
    draft = draft.facts(set.take(2));
    let doubt = told.iter().find(|sentence| {
        ["not proven", "can't say for sure", "cannot say for sure", "suspect"]
            .iter()
            .any(|word| sentence.text.contains(word))
    });
    if let Some(doubt) = doubt {
        draft = draft.tell(&doubt.text);
    }
    let mut after: Vec<String> = Vec::new();
    for change in story
        .net
        .changes
        .iter()
        .filter(|change| !change.steps.is_empty() && !super::story::is_noise(&change.path))
    {
        after.push(change.path.clone());
    }
    let code: Vec<_> = story.code().filter(|change| !change.steps.is_empty()).collect();
    draft = draft.facts(super::facts::lines(&code, 1));
    let steps: Vec<usize> =
        lines.iter().filter(|(_, own, line)| *own && moves(line)).map(|(at, _, _)| *at).collect();
    Some(draft.concepts([commit]).modified(after).steps(steps).found())
}

/// Tells that git does not keep a file any more that it should never have kept.
pub(crate) fn untracked(story: &Story<'_>) -> Option<Found> {
    let (at, line, path) =
        lines(story).into_iter().filter(|(_, own, _)| *own).find_map(|(at, _, line)| {
            let part = line
                .split("&&")
                .flat_map(|part| part.split(';'))
                .find(|part| part.contains("git rm") && part.contains("--cached"))?;
            let path = part.split_whitespace().rfind(|word| !word.starts_with('-'))?;
            (path != "rm" && path != ".").then_some((at, line, path))
        })?;
    let name = super::wording::file_name(path).to_lowercase();
    let is_secret =
        [".env", "tfvars", "secret", "credential", ".pem", ".key", "id_rsa", ".p12", "token", "password"]
            .iter()
            .any(|word| name.contains(word));
    if !is_secret {
        return None;
    }
    let mut draft =
        Draft::new(Sort::Security, &headline(&format!("{path} is no longer tracked by git"), TITLE));
    let said =
        story.before.iter().rev().take(2).chain([story.turn]).filter_map(|turn| turn.message.as_deref());
    let told: Vec<Sentence> = said
        .flat_map(|text| message::read(text, &story.evidence))
        .filter(|sentence| super::wording::names_file(&sentence.text, path))
        .collect();
    for sentence in told.iter().take(1) {
        draft = draft.tell(&sentence.text);
    }
    let ignored =
        line.split('\'').chain(line.split('"')).find(|part| part.starts_with('*') || part.starts_with('.'));
    if let Some(ignored) = ignored.filter(|_| line.contains("ignore")) {
        draft = draft.fact(&format!("Ignored now: `{}`", super::wording::cut(ignored, 60)));
    }
    Some(draft.read([path.to_owned()]).steps([at]).found())
}

/// Lists the files that a merge or rebase left in conflict.
pub(crate) fn conflicts(story: &Story<'_>) -> Option<String> {
    let mut files: Vec<String> = Vec::new();
    for step in story.carried.iter().chain([story.turn]).flat_map(|turn| &turn.steps) {
        for line in step.output.lines().filter(|line| line.starts_with("CONFLICT (")) {
            if let Some((_, path)) = line.rsplit_once(" in ") {
                let path = path.trim().to_owned();
                if !files.contains(&path) {
                    files.push(path);
                }
            }
        }
    }
    (!files.is_empty()).then(|| format!("Conflicts in {}", row(&files, 4)))
}

/// Lists the command lines of a story; whether they are the turn's own.
fn lines<'s>(story: &'s Story<'_>) -> Vec<(usize, bool, &'s str)> {
    let of = |turn: &'s crate::Turn, own: bool| {
        turn.steps.iter().enumerate().filter_map(move |(at, step)| match &step.what {
            What::Ran(line) => Some((at, own, line.as_str())),
            _ => None,
        })
    };
    story
        .asked
        .iter()
        .chain(story.carried)
        .flat_map(|turn| of(turn, false))
        .chain(of(story.turn, true))
        .collect()
}

/// Gives the part of a line that has a word.
fn only(line: &str, word: &str) -> String {
    let part =
        line.split("&&").flat_map(|part| part.split(';')).find(|part| part.contains(word)).unwrap_or(line);
    super::wording::cut(part.trim(), 80)
}

/// Finds the name of a commit in a text.
fn hash(text: &str) -> Option<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| {
        (7..=40).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && word.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}
