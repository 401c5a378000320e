//! `custos guard add` and `custos guard remove`: changes a rules file, records that, and says what came of it.

use std::path::Path;

use custos_config::Change;
use custos_guard::CATALOGUE;
use custos_guard::rules::edit::{self, EditError};
use custos_guard::rules::show::{Row, rows};
use custos_guard::rules::{self, Entry, Flag, Level, List, Ops, Place, Setting, whole_of};
use custos_hooks::guarding::RULES_CACHE;
use custos_knowledge::{Level as StoreLevel, Refusal, Root, Store};
use serde::Serialize;

use super::args::{AddArgs, RemoveArgs, What};
use super::scene::{Scene, Whereabouts};
use crate::commands::kb::refused;
use crate::commands::trust::updated::{self, Updated};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::knowledge;
use crate::output::{BAD, DIM, GOOD, Output, WARN, styled, tell};
use crate::render::printable;

/// What an edit came to.
#[derive(Serialize)]
struct Outcome {
    changed: bool,
    level: Level,
    file: String,
    /// The lines that are new, and those that are gone, each with its number.
    added: Vec<Line>,
    removed: Vec<Line>,
    /// The entry as it counts now, with all levels together.
    in_force: Vec<Row>,
    problems: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Line {
    line: usize,
    text: String,
}

pub(super) fn add(context: &Context, args: &AddArgs, output: &mut Output) -> Result<Exit, CliError> {
    let entry = entry(args)?;
    let level = args.level.into();
    let scene = Scene::set(context, &Whereabouts::default())?;
    let before = text(scene.sources.path(level));
    let change = adopt(context, &scene, level, &entry)?;
    let root = root_of(&scene, level).map(Path::to_string_lossy);
    let place = Place { home: scene.home.as_deref(), root: &scene.root };
    // From an agent it would be refused. A person may mean it, and can take it back.
    if let Some(whole) = whole_of(&entry, root.as_deref(), place).filter(|_| !output.is_json()) {
        tell(format!("{} this is {whole}: agents can no longer work with it", styled(WARN, "warning:")));
    }
    let said = format!("now in the rules of the {level}: {}", words(&entry));
    let known = format!("nothing to change: the rules of the {level} say so already: {}", words(&entry));
    let said = if change == Change::Written { said } else { known };
    tell_outcome(context, level, &before, &[entry], &said, output)
}

pub(super) fn remove(context: &Context, args: &RemoveArgs, output: &mut Output) -> Result<Exit, CliError> {
    let level = args.level.into();
    let scene = Scene::set(context, &Whereabouts::default())?;
    let before = text(scene.sources.path(level));
    let is_meant = |entry: &Entry| args.list.is_none_or(|list| What::of(entry) == list);
    let removed = edit::remove(&scene.sources, level, &args.entry, is_meant, CATALOGUE)?;
    for entry in &removed {
        record(context, updated::Change::Removed, level, entry, &scene);
    }
    let all: Vec<String> = removed.iter().map(words).collect();
    let said = format!("no longer in the rules of the {level}: {}", all.join("; "));
    tell_outcome(context, level, &before, &removed, &said, output)
}

/// Why an entry was not added.
#[derive(Debug)]
pub(crate) enum NotAdopted {
    /// The rules do not take it.
    Rule(EditError),
    /// The knowledge base that the rules are a part of cannot be changed.
    Base(Refusal),
}

impl From<EditError> for NotAdopted {
    fn from(error: EditError) -> Self {
        Self::Rule(error)
    }
}

impl From<NotAdopted> for CliError {
    fn from(error: NotAdopted) -> Self {
        match error {
            NotAdopted::Rule(error) => error.into(),
            NotAdopted::Base(refusal) => refused(&refusal),
        }
    }
}

/// The root of the workspace or repo that the rules of a level lie in.
fn root_of(scene: &Scene, level: Level) -> Option<&Path> {
    // The file is `.ai/policies/safety.yaml` below it.
    scene.sources.path(level).filter(|_| level.comes_with_a_clone())?.ancestors().nth(3)
}

/// Adds an entry to the rules of a level, and records that.
///
/// Where the rules are a part of a knowledge base that is not there yet, it is made: with what keeps its local part out of git, and remembered
/// as begun here. What is refused anyway makes none.
pub(crate) fn adopt(
    context: &Context,
    scene: &Scene,
    level: Level,
    entry: &Entry,
) -> Result<Change, NotAdopted> {
    edit::check(level, entry, CATALOGUE)?;
    let base = root_of(scene, level).map(|root| {
        let at = Root::named(root);
        let of = if level == Level::Workspace { StoreLevel::Workspace } else { StoreLevel::Repo };
        (Store::of(of, root, at.name()), knowledge::for_person(context, at))
    });
    let writing = base.as_ref().map(|(store, desk)| desk.base().lock(store)).transpose();
    let _writing = writing.map_err(NotAdopted::Base)?;
    let change = edit::add(&scene.sources, level, entry, CATALOGUE)?;
    if change == Change::Written {
        record(context, updated::Change::Added, level, entry, scene);
    }
    Ok(change)
}

/// Records what became of an entry, in the words with which it is added.
fn record(context: &Context, change: updated::Change, level: Level, entry: &Entry, scene: &Scene) {
    let value = match entry {
        Entry::Branch(value) | Entry::Command { pattern: value, .. } | Entry::Path { pattern: value, .. } => {
            value.clone()
        }
        Entry::Rule { id: name, to } | Entry::Pack { name, to } => format!("{name}={to}"),
        Entry::Flag { flag, value } => format!("{flag}={value}"),
    };
    let root = root_of(scene, level);
    Updated { change, level, root, list: &What::of(entry).word(), value: &value }.record(context);
}

/// Loads the rules again and tells what is in force now.
fn tell_outcome(
    context: &Context,
    level: Level,
    before: &str,
    entries: &[Entry],
    said: &str,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let scene = Scene::set(context, &Whereabouts::default())?;
    // Kept at once, so that this is the last good version if the file is broken before a hook has seen it.
    rules::load_fast(&scene.sources, &context.places.state.join(RULES_CACHE), CATALOGUE);
    let path = scene.sources.path(level);
    let (removed, added) = difference(before, &text(path));
    let mut in_force = rows(&scene.loaded.policy, &scene.sources, CATALOGUE);
    in_force.retain(|row| entries.iter().any(|entry| is_about(row, entry)));
    let outcome = Outcome {
        changed: !added.is_empty() || !removed.is_empty(),
        level,
        file: path.map(|path| path.display().to_string()).unwrap_or_default(),
        added,
        removed,
        in_force,
        problems: scene.problems(),
    };
    if output.is_json() {
        output.json(&outcome)?;
        return Ok(Exit::Success);
    }
    scene.warn();
    output.line(printable(said))?;
    output.line(format!("  {}", styled(DIM, printable(&outcome.file))))?;
    let signed = [("-", BAD, &outcome.removed), ("+", GOOD, &outcome.added)];
    for (sign, style, lines) in signed {
        for Line { line, text } in lines {
            output.line(format!("  {:>4} {}", line, styled(style, format!("{sign} {}", printable(text)))))?;
        }
    }
    if outcome.in_force.is_empty() {
        return output.line("nothing of it is in force any more").map(|()| Exit::Success);
    }
    for row in &outcome.in_force {
        let about = if row.about.is_empty() { String::new() } else { format!("  {}", row.about) };
        let origin = styled(DIM, printable(&format!("({})", row.origin.join(" + "))));
        let row = printable(&format!("{}  {}{about}", row.effect, row.name));
        output.line(format!("in force: {row}  {origin}"))?;
    }
    Ok(Exit::Success)
}

fn text(file: Option<&Path>) -> String {
    // A file that is not there, or is no text, is the editor's to judge.
    file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default()
}

/// Gives the lines that are gone and those that are new, but for empty ones. An edit changes one stretch of a file, or a few close by.
fn difference(before: &str, after: &str) -> (Vec<Line>, Vec<Line>) {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let stretch = |lines: &[&str]| {
        let numbered = (head + 1..).zip(&lines[head..lines.len() - tail]);
        let numbered = numbered.filter(|(_, text)| !text.trim().is_empty());
        numbered.map(|(line, text)| Line { line, text: (*text).to_owned() }).collect()
    };
    (stretch(&old), stretch(&new))
}

/// Says whether a row shows an entry.
fn is_about(row: &Row, entry: &Entry) -> bool {
    match entry {
        Entry::Branch(name) => row.kind == "branch" && row.name == *name,
        Entry::Command { list, pattern, .. } => is_in_list(row, "command", *list, pattern),
        Entry::Path { list, pattern, .. } => is_in_list(row, "path", *list, pattern),
        Entry::Rule { id, .. } => row.kind == "built-in" && row.name == *id,
        Entry::Pack { name, .. } => row.kind == "pack" && row.name == *name,
        Entry::Flag { flag, .. } => row.kind == "flag" && row.name == flag.to_string(),
    }
}

fn is_in_list(row: &Row, kind: &str, list: List, pattern: &str) -> bool {
    let effect = match list {
        List::Deny | List::ReadOnly => "deny",
        List::Ask => "ask",
        List::Allow => return row.kind == "allow" && row.name == pattern && row.about.starts_with(kind),
    };
    // The row goes on with what is held, and why.
    let rest = row.about.strip_prefix(pattern);
    row.kind == kind
        && row.effect == effect
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": ") || rest.starts_with(" ("))
}

/// Puts what was typed into an entry.
fn entry(args: &AddArgs) -> Result<Entry, CliError> {
    let AddArgs { what, entry, reason, id, op, .. } = args;
    let list = match what {
        What::Deny | What::DenyPath => List::Deny,
        What::Ask | What::AskPath => List::Ask,
        What::Allow | What::AllowPath => List::Allow,
        What::ReadOnly => List::ReadOnly,
        What::Protect | What::Rule | What::Pack | What::Flag => {
            refuse_options(
                args,
                &[("--reason", reason.is_some()), ("--id", id.is_some()), ("--op", !op.is_empty())],
            )?;
            return setting(*what, entry);
        }
    };
    let (pattern, reason) = (entry.clone(), reason.clone());
    if list == List::Allow {
        refuse_options(args, &[("--id", id.is_some())])?;
    }
    let id = id.clone();
    if matches!(what, What::Deny | What::Ask | What::Allow) {
        refuse_options(args, &[("--op", !op.is_empty())])?;
        return Ok(Entry::Command { list, pattern, id, reason });
    }
    let ops = if list == List::ReadOnly {
        refuse_options(args, &[("--op", !op.is_empty())])?;
        Ops::CHANGE
    } else {
        op.iter().map(|op| Ops::only(op.access())).reduce(Ops::and).unwrap_or(Ops::ANY)
    };
    Ok(Entry::Path { list, pattern, ops, id, reason })
}

fn setting(what: What, typed: &str) -> Result<Entry, CliError> {
    if what == What::Protect {
        return Ok(Entry::branch(typed));
    }
    let is_flag = what == What::Flag;
    let takes = if is_flag { "NAME=true or NAME=false" } else { "NAME=off, NAME=ask or NAME=deny" };
    let wrong = || {
        CliError::new(Exit::Usage, format!("{typed:?} is not of the form {takes}"))
            .hint("`custos guard rules` lists the names")
    };
    let (name, value) =
        typed.split_once('=').map(|(name, value)| (name.trim(), value.trim())).ok_or_else(wrong)?;
    if is_flag {
        let value = value.parse().map_err(|_| wrong())?;
        let flag = Flag::ALL.into_iter().find(|flag| flag.to_string() == name).ok_or_else(|| {
            let names: Vec<String> = Flag::ALL.iter().map(ToString::to_string).collect();
            CliError::new(Exit::NotFound, format!("there is no flag {name:?}"))
                .hint(format!("there are {}", names.join(", ")))
        })?;
        return Ok(Entry::Flag { flag, value });
    }
    let to = Setting::of(value).ok_or_else(wrong)?;
    let name = name.to_owned();
    Ok(if what == What::Rule { Entry::Rule { id: name, to } } else { Entry::Pack { name, to } })
}

/// Refuses options that mean nothing for what is added, rather than dropping them.
fn refuse_options(args: &AddArgs, given: &[(&str, bool)]) -> Result<(), CliError> {
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            let what = args.what.word();
            Err(CliError::new(Exit::Usage, format!("{option} means nothing for `{what}`"))
                .hint("`custos guard add --help` shows what goes together"))
        }
        None => Ok(()),
    }
}

/// Says an entry in words.
fn words(entry: &Entry) -> String {
    match entry {
        Entry::Branch(name) => format!("protected branch {name}"),
        Entry::Command { list, pattern, .. } => format!("{} {pattern}", list.key()),
        Entry::Path { list: List::ReadOnly, pattern, .. } => format!("read-only {pattern}"),
        Entry::Path { list, pattern, ops, .. } => format!("{} path {pattern} ({ops})", list.key()),
        Entry::Rule { id, to } => format!("rule {id}: {to}"),
        Entry::Pack { name, to } => format!("pack {name}: {to}"),
        Entry::Flag { flag, value } => format!("{flag}: {value}"),
    }
}

/// Says in which lists entries stand, by the words that `--list` takes.
fn lists(entries: &[Entry]) -> String {
    let mut words: Vec<String> = entries.iter().map(|entry| What::of(entry).word()).collect();
    words.dedup();
    format!("it stands in {}: name the one that is meant with --list", words.join(", "))
}

impl From<EditError> for CliError {
    fn from(error: EditError) -> Self {
        let lists = match &error {
            EditError::OtherList { entries, .. } | EditError::SeveralLists { entries, .. } => lists(entries),
            _ => String::new(),
        };
        let (exit, hint) = match &error {
            EditError::NoLevel { level: Level::Workspace } => (
                Exit::NotFound,
                "nothing above this repo looks like one: go to the directory that shall be it",
            ),
            EditError::NoLevel { .. } => (Exit::NotFound, "go to a directory of the repo"),
            EditError::Loosens { .. } => (Exit::Data, "leave --level out"),
            EditError::Pattern { .. } | EditError::PathPattern { .. } | EditError::Idle { .. } => {
                (Exit::Data, "")
            }
            EditError::Name { .. } => (Exit::NotFound, "`custos guard rules` lists the names"),
            EditError::NotThere { .. } => (Exit::NotFound, ""),
            EditError::OtherList { .. } => (Exit::NotFound, lists.as_str()),
            EditError::SeveralLists { .. } => (Exit::Usage, lists.as_str()),
            EditError::Busy { .. } => (Exit::Busy, ""),
            EditError::Unreadable { .. } | EditError::Unwritable { .. } => (Exit::Io, ""),
            EditError::Broken { .. } | EditError::Entangled { .. } => (Exit::Config, ""),
        };
        let error = Self::new(exit, error.to_string());
        if hint.is_empty() { error } else { error.hint(hint) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, difference};

    #[test]
    fn only_the_lines_between_what_stayed_are_told() {
        let line = |line, text: &str| Line { line, text: text.to_owned() };
        assert_eq!(difference("a\nb\n", "a\nx\nb\n"), (vec![], vec![line(2, "x")]));
        assert_eq!(difference("a\nx\nb\n", "a\nb\n"), (vec![line(2, "x")], vec![]));
        assert_eq!(difference("a\nx\n", "a\ny\n"), (vec![line(2, "x")], vec![line(2, "y")]));
        assert_eq!(difference("a\na\n", "a\n"), (vec![line(2, "a")], vec![]));
        assert_eq!(difference("", ""), (vec![], vec![]));
    }
}
