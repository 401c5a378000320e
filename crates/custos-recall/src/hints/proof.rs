//! What the course of a session proves: that an error went away because something was edited.
//!
//! Nobody has to say so. A command fails, something is edited, the same command passes: that mended it, in whatever words it is told, if
//!
//! - it did not pass without an edit as well. A test that is green when it is run again was never mended;
//! - few files were edited in between, and none that this work had edited before: what somebody breaks and mends within the hour is a slip;
//! - what was edited has to do with the error. It is the file that the error is in, or the lines that changed have a name of the error in
//!   them, or a number, such as a port.
//!
//! Of an error that came back, the last time counts. What passes behind it is the command that failed, or one that covers it.
//!
//! Where nothing was edited, a command may have helped: a service was started, a package installed, the run given a variable. That is
//! [told](Cure::Ran) by what was run in between, and whoever makes the hint sees to it that what is said names it. What passed with
//! nothing in between but looks went away by itself, whatever is said of it.

use std::collections::BTreeSet;

use custos_index::{Index, Location, Work};
use custos_log::{LogReader, Position, WriterId};
use custos_model::{Event, EventId, Kind};
use serde_json::Value;

use super::evidence::{fields, read, texts_in};
use super::signature::{Signature, signatures};
use crate::error::RecallError;

/// An edit of more lines than this has words of everything in it.
const LINES: usize = 60;

/// Options that change what a command prints and not what it does.
const MANNERS: [&str; 8] = ["-q", "-v", "-vv", "-x", "-s", "--quiet", "--verbose", "--silent"];

/// How many events of a session are looked at between the first and the last that something was made from.
const SPAN: usize = 200;

/// Programs that only look, and what of git only does.
#[rustfmt::skip]
const LOOKS: &[&str] = &[
    "ls", "cat", "head", "tail", "grep", "rg", "find", "fd", "ps", "lsof", "ss", "netstat", "pwd", "echo", "which", "env", "printenv", "wc",
    "stat", "file", "tree", "sed", "awk", "jq", "sleep", "cd", "curl", "pgrep", "df", "du", "date", "true", "test",
];
const LOOKS_AT: &[&str] =
    &["status", "log", "diff", "show", "ps", "logs", "images", "inspect", "config", "branch", "list", "info"];

/// An error that was there and is gone.
pub(super) struct Cured {
    pub(super) signature: Signature,
    pub(super) by: Cure,
}

/// What made an error go.
pub(super) enum Cure {
    /// Nobody can tell: the command was not run again.
    Unseen,
    /// Something was edited.
    Edited {
        /// Whether the course of events shows that it was this, whatever was said about it.
        is_proven: bool,
    },
    /// Nothing was edited, and this was run, or given to what passed: the words of each.
    Ran(Vec<Vec<String>>),
}

/// Finds the errors that went away in the course of some events of a session; `most` is how many files may have been edited for one.
pub(super) fn cured(
    index: &mut Index,
    log: &LogReader,
    ids: &[EventId],
    session: Option<&str>,
    most: usize,
) -> Result<Vec<Cured>, RecallError> {
    let mut steps: Vec<Step> = Vec::new();
    for id in course_of(index, ids, session)? {
        steps.extend(step(index, log, id, ids.contains(&id))?);
    }
    steps.sort_by(|a, b| a.place.cmp(&b.place));
    Ok(Course(steps).cured(most))
}

/// Lists what else the session did while that happened which something was made from: whoever made it names what bears it out, and not what
/// could speak against it.
fn course_of(index: &mut Index, ids: &[EventId], session: Option<&str>) -> Result<Vec<EventId>, RecallError> {
    let mut places: Vec<(WriterId, Position)> = Vec::new();
    for id in ids {
        places.extend(index.locate(*id)?.map(|place| (place.writer, place.at)));
    }
    let (Some(session), Some(first), Some(last)) = (session, places.iter().min(), places.iter().max()) else {
        return Ok(ids.to_vec());
    };
    let is_meanwhile = |work: &Work| {
        let place = (work.writer.clone(), work.at);
        *first <= place && place <= *last
    };
    let meanwhile: Vec<EventId> = index
        .work_of(Some(session))?
        .iter()
        .filter(|work| is_meanwhile(work))
        .map(|work| work.event)
        .collect();
    let is_all = meanwhile.len() <= SPAN && first.0 == last.0;
    let others = meanwhile.into_iter().filter(|id| is_all && !ids.contains(id));
    Ok(ids.iter().copied().chain(others).collect())
}

/// Something that was done, and where it stands in the log, which tells the order better than clocks do.
struct Step {
    place: (WriterId, Position),
    deed: Deed,
    /// Whether the observation was made from it.
    is_source: bool,
}

enum Deed {
    Ran(Run),
    Edited(Edited),
}

/// A command that was run.
struct Run {
    words: BTreeSet<String>,
    program: String,
    /// The commands of its line in their order, each by its words.
    commands: Vec<Vec<String>>,
    /// The variables that its line sets.
    variables: BTreeSet<String>,
    failed: bool,
    output: String,
}

impl Run {
    fn new(command: &str, failed: bool, output: String) -> Self {
        let lines = command.replace("&&", "\n").replace("||", "\n");
        let commands: Vec<Vec<String>> =
            lines.split(['\n', ';']).map(words).filter(|words| !words.is_empty()).collect();
        let variables = command.split_whitespace().filter_map(variable).map(str::to_owned).collect();
        // What a line is run for stands at its end; what is before it leads up to it.
        let own = commands.iter().rfind(|words| !is_look(words)).or(commands.last());
        let own = own.cloned().unwrap_or_default();
        let program = own.first().cloned().unwrap_or_default();
        let words = own.into_iter().filter(|word| !MANNERS.contains(&word.as_str())).collect();
        Self { words, program, commands, variables, failed, output }
    }

    /// Gives the commands of its line that do more than look.
    fn deeds(&self) -> impl Iterator<Item = &Vec<String>> {
        self.commands.iter().filter(|words| !is_look(words))
    }

    /// Says whether a run is the same as another one, or the same without what narrows it down.
    fn covers(&self, other: &Self) -> bool {
        self.program == other.program && self.words.is_subset(&other.words)
    }
}

/// Gives the words of a command, without what is only around it: its variables, and what becomes of its output.
fn words(command: &str) -> Vec<String> {
    let own = command.split('|').next().unwrap_or_default();
    let is_around = |word: &&str| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        is_variable(name) || word.contains('>') || matches!(*word, "sudo" | "export" | "env")
    };
    own.split_whitespace().filter(|word| !is_around(word)).map(str::to_owned).collect()
}

/// Gives the name of the variable that a word sets.
fn variable(word: &str) -> Option<&str> {
    word.split_once('=').map(|(name, _)| name).filter(|name| is_variable(name))
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

fn is_look(words: &[String]) -> bool {
    let Some(program) = words.first() else { return true };
    LOOKS.contains(&program.as_str())
        || matches!(program.as_str(), "git" | "docker" | "kubectl" | "npm" | "pip" | "systemctl")
            && words.iter().skip(1).take(2).any(|word| LOOKS_AT.contains(&word.as_str()))
}

/// An edit that the agent made.
struct Edited {
    files: Vec<String>,
    /// The lines that came or went.
    lines: String,
}

impl Edited {
    fn new(files: Vec<String>, input: &Value) -> Self {
        let mut texts = Vec::new();
        gather(input, &mut texts);
        let is_patch = texts.iter().any(|text| text.contains("\n@@") || text.contains("*** "));
        let mut lines: Vec<&str> = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            // What stands there before and after was not changed.
            let stays = |line: &str| {
                let others = texts.iter().enumerate().filter(|(other, _)| *other != at);
                others.into_iter().any(|(_, other)| other.lines().any(|known| known.trim() == line))
            };
            let is_change = |line: &&str| !is_patch || line.starts_with(['+', '-']);
            lines.extend(text.lines().map(str::trim).filter(is_change).filter(|line| !stays(line)));
        }
        let lines = if lines.len() <= LINES { lines.join("\n") } else { String::new() };
        Self { files, lines }
    }
}

/// Collects the texts of a call's input but for its paths.
fn gather<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(list) => list.iter().for_each(|value| gather(value, texts)),
        Value::Object(fields) => {
            let is_path = |name: &str| name.to_lowercase().contains("path");
            fields.iter().filter(|(name, _)| !is_path(name)).for_each(|(_, value)| gather(value, texts));
        }
        _ => {}
    }
}

/// What was done for one piece of work, in its order.
struct Course(Vec<Step>);

impl Course {
    fn cured(&self, most: usize) -> Vec<Cured> {
        let mut found: Vec<Cured> = Vec::new();
        let mut later: Vec<Signature> = Vec::new();
        let mut has_passed = false;
        // From the end, so that an error is met first where it was seen last.
        for (at, step) in self.0.iter().enumerate().rev() {
            let Deed::Ran(run) = &step.deed else { continue };
            let seen = signatures(&run.output);
            if run.failed && has_passed && step.is_source {
                for signature in seen.iter().filter(|signature| !later.contains(signature)) {
                    let by = self.cure(at, run, signature, most);
                    found.extend(by.map(|by| Cured { signature: signature.clone(), by }));
                }
            }
            has_passed |= !run.failed;
            later.extend(seen);
        }
        found.reverse();
        found
    }

    /// Tells what became of an error that was seen last at a place; nothing where it went away by itself.
    fn cure(&self, at: usize, failed: &Run, signature: &Signature, most: usize) -> Option<Cure> {
        let passes = self.0[at + 1..].iter().enumerate().find_map(|(offset, step)| match &step.deed {
            Deed::Ran(run) if !run.failed && run.covers(failed) => Some((offset, run)),
            _ => None,
        });
        let Some((offset, passed)) = passes else { return Some(Cure::Unseen) };
        let between = &self.0[at + 1..at + 1 + offset];
        let edits: Vec<&Edited> = edits(between).collect();
        if edits.is_empty() {
            let ran = between.iter().filter_map(|step| match &step.deed {
                Deed::Ran(run) if !run.failed => Some(run),
                _ => None,
            });
            let led_up = passed.deeds().count().saturating_sub(1);
            let led_up = passed.deeds().take(led_up);
            let given = passed.variables.difference(&failed.variables).map(|name| vec![name.clone()]);
            let is_other = |words: &&Vec<String>| !failed.commands.contains(words);
            let ran = ran.flat_map(Run::deeds).chain(led_up).filter(is_other).cloned();
            let ran: Vec<Vec<String>> = ran.chain(given).collect();
            return (!ran.is_empty()).then_some(Cure::Ran(ran));
        }
        let files: BTreeSet<&String> = edits.iter().flat_map(|edit| &edit.files).collect();
        let is_slip = edits_of(&self.0[..at]).any(|file| files.contains(file));
        let is_related = edits.iter().any(|edit| {
            edit.files.iter().any(|file| signature.is_in(file)) || signature.is_named_in(&edit.lines)
        });
        let is_proven = (1..=most).contains(&files.len()) && !is_slip && is_related;
        Some(Cure::Edited { is_proven })
    }
}

fn edits(steps: &[Step]) -> impl Iterator<Item = &Edited> {
    steps.iter().filter_map(|step| match &step.deed {
        Deed::Edited(edited) => Some(edited),
        Deed::Ran(_) => None,
    })
}

fn edits_of(steps: &[Step]) -> impl Iterator<Item = &String> {
    edits(steps).flat_map(|edit| &edit.files)
}

/// Reads a call that ran a command or edited files; none if it is something else.
fn step(
    index: &mut Index,
    log: &LogReader,
    id: EventId,
    is_source: bool,
) -> Result<Option<Step>, RecallError> {
    let Some(Location { writer, at, .. }) = index.locate(id)? else { return Ok(None) };
    let deed = read(index, log, id, deed)?;
    Ok(deed.map(|deed| Step { place: (writer, at), deed, is_source }))
}

fn deed(event: &Event<'_>) -> Option<Deed> {
    let body = fields(event);
    let input = body.get("input")?;
    let exit = body.get("exit").and_then(Value::as_i64);
    let output = body.get("output").and_then(Value::as_str).unwrap_or_default().to_owned();
    let failed = match (event.kind, exit) {
        (Kind::ToolFailed, _) => true,
        (Kind::ToolUsed, Some(exit)) => exit != 0,
        // Some clients do not say how a command ended; what it printed does.
        (Kind::ToolUsed, None) => event.outcome.is_none() && !signatures(&output).is_empty(),
        _ => return None,
    };
    let command = ["command", "cmd"].iter().find_map(|name| input.get(name));
    if let Some(command) = command {
        let command = command.as_str().map_or_else(|| command.to_string(), str::to_owned);
        return Some(Deed::Ran(Run::new(&command, failed, output)));
    }
    let files = texts_in(&body, "files_changed");
    let has_changed = event.kind == Kind::ToolUsed && !files.is_empty();
    has_changed.then(|| Deed::Edited(Edited::new(files, input)))
}
