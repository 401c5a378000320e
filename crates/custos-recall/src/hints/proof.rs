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

use std::collections::BTreeSet;

use custos_index::{Index, Location};
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

/// An error that was there and is gone.
pub(super) struct Cured {
    pub(super) signature: Signature,
    /// Whether the course of events shows what made it go, whatever was said about it.
    pub(super) is_proven: bool,
}

/// Finds the errors that went away in the course of some events; `most` is how many files may have been edited for one.
pub(super) fn cured(
    index: &mut Index,
    log: &LogReader,
    ids: impl Iterator<Item = EventId>,
    most: usize,
) -> Result<Vec<Cured>, RecallError> {
    let mut steps: Vec<Step> = Vec::new();
    for id in ids {
        steps.extend(step(index, log, id)?);
    }
    steps.sort_by(|a, b| a.place.cmp(&b.place));
    let course = Course(steps.into_iter().map(|step| step.deed).collect());
    Ok(course.cured(most))
}

/// Something that was done, and where it stands in the log, which tells the order better than clocks do.
struct Step {
    place: (WriterId, Position),
    deed: Deed,
}

enum Deed {
    Ran(Run),
    Edited(Edited),
}

/// A command that was run.
struct Run {
    words: BTreeSet<String>,
    program: String,
    failed: bool,
    output: String,
}

impl Run {
    fn new(command: &str, failed: bool, output: String) -> Self {
        let words = words(command);
        let program = words.first().cloned().unwrap_or_default();
        let words = words.into_iter().filter(|word| !MANNERS.contains(&word.as_str())).collect();
        Self { words, program, failed, output }
    }

    /// Says whether a run is the same as another one, or the same without what narrows it down.
    fn covers(&self, other: &Self) -> bool {
        self.program == other.program && self.words.is_subset(&other.words)
    }
}

/// Gives the words of a command, without what is only around it: where it is run, its variables, and what becomes of its output.
fn words(command: &str) -> Vec<String> {
    let own = command.split(['|', '\n']).next().unwrap_or_default();
    let own = match own.split_once("&&") {
        Some((first, rest)) if first.trim().starts_with("cd ") => rest,
        _ => own,
    };
    let is_around = |word: &&str| {
        let is_variable = word
            .split_once('=')
            .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
        is_variable || word.contains('>')
    };
    own.split_whitespace().filter(|word| !is_around(word)).map(str::to_owned).collect()
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
struct Course(Vec<Deed>);

impl Course {
    fn cured(&self, most: usize) -> Vec<Cured> {
        let mut found: Vec<Cured> = Vec::new();
        let mut later: Vec<Signature> = Vec::new();
        let mut has_passed = false;
        // From the end, so that an error is met first where it was seen last.
        for (at, deed) in self.0.iter().enumerate().rev() {
            let Deed::Ran(run) = deed else { continue };
            let seen = signatures(&run.output);
            if run.failed && has_passed {
                for signature in seen.iter().filter(|signature| !later.contains(signature)) {
                    found.extend(self.cure(at, run, signature, most));
                }
            }
            has_passed |= !run.failed;
            later.extend(seen);
        }
        found.reverse();
        found
    }

    /// Tells what became of an error that was seen last at a place; nothing where it went away by itself.
    fn cure(&self, at: usize, failed: &Run, signature: &Signature, most: usize) -> Option<Cured> {
        let is_pass = |deed: &Deed| matches!(deed, Deed::Ran(run) if !run.failed && run.covers(failed));
        let signature = signature.clone();
        let Some(passed) = self.0[at + 1..].iter().position(is_pass) else {
            return Some(Cured { signature, is_proven: false });
        };
        let between = &self.0[at + 1..at + 1 + passed];
        let has_edits = self.0.iter().any(|deed| matches!(deed, Deed::Edited(_)));
        if between.is_empty() && has_edits {
            return None;
        }
        let edits: Vec<&Edited> = edits(between).collect();
        let files: BTreeSet<&String> = edits.iter().flat_map(|edit| &edit.files).collect();
        let is_slip = edits_of(&self.0[..at]).any(|file| files.contains(file));
        let is_related = edits.iter().any(|edit| {
            edit.files.iter().any(|file| signature.is_in(file)) || signature.is_named_in(&edit.lines)
        });
        let is_proven = (1..=most).contains(&files.len()) && !is_slip && is_related;
        Some(Cured { signature, is_proven })
    }
}

fn edits(deeds: &[Deed]) -> impl Iterator<Item = &Edited> {
    deeds.iter().filter_map(|deed| match deed {
        Deed::Edited(edited) => Some(edited),
        Deed::Ran(_) => None,
    })
}

fn edits_of(deeds: &[Deed]) -> impl Iterator<Item = &String> {
    edits(deeds).flat_map(|edit| &edit.files)
}

/// Reads a call that ran a command or edited files; none if it is something else.
fn step(index: &mut Index, log: &LogReader, id: EventId) -> Result<Option<Step>, RecallError> {
    let Some(Location { writer, at, .. }) = index.locate(id)? else { return Ok(None) };
    let deed = read(index, log, id, deed)?;
    Ok(deed.map(|deed| Step { place: (writer, at), deed }))
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
