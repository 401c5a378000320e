//! Which observations become hints.
//!
//! A hint has to be right nine times out of ten, or people switch it off. So of everything that was learnt only this is taken:
//!
//! - *About a file*: something that was mended, found out, decided or closed, which matters, and of which the file is the subject: one of
//!   at most three that were changed for it, and named in what is said about it where there are several. Of several, the weightiest.
//! - *About an error*: a fix, if one of the events that it was made from is a command that failed with a [signature](mod@super::signature), a later one
//!   succeeded, the signature does not occur in what later ones printed, and what is said about the fix speaks of it. An error for
//!   which three different things have helped is one for which nobody knows what will.
//!
//! A session in a workspace changes files of the repos inside of it, and what is learnt there is the workspace's. Each file is kept with the
//! repo that it lies in, as the events tell that changed it, so that whoever touches the file finds it from there as well.
//!
//! Nothing is taken that not everybody in the project may see, that came from elsewhere, or that something better has replaced.

use std::collections::{BTreeMap, BTreeSet};

use custos_index::{Entry, Index, Location};
use custos_log::{Line, LogReader, Position, WriterId};
use custos_model::{Event, EventId, Kind, Sort, Timestamp};
use serde_json::{Map, Value};

use super::file::{Key, session_mark};
use super::hint::{Hint, TEXT, Trigger, shortened};
use super::signature::{Signature, signatures};
use crate::access::may_see;
use crate::error::RecallError;
use crate::fence;
use crate::policy::AtTool;
use crate::viewer::Viewer;

/// How many hints a project has at most of each sort.
pub const MOST: usize = 512;

/// How many observations are looked at, the newest first.
const LOOKED_AT: usize = 2_000;

/// How many fixes have their evidence read.
const TRACED: usize = 400;

/// How many of the events that a fix was made from are looked at.
const SOURCES: usize = 64;

/// How many corrections of one memory are followed back to the events that it was made from.
const CORRECTIONS: usize = 4;

/// Makes the hints of a project from an index that has caught up.
pub fn build(
    index: &mut Index,
    log: &LogReader,
    project: &str,
    now: Timestamp,
    policy: &AtTool,
) -> Result<Vec<Hint>, RecallError> {
    let everybody = Viewer::subagent(None, None, None, None, Some(project));
    let mut candidates = index.recent(Kind::ObservationRecorded, Some(project), LOOKED_AT)?;
    candidates.retain(|entry| may_see(&everybody, entry) && entry.trusted && is_fresh(entry, now, policy));
    let mut files: BTreeMap<Key, (f64, Hint)> = BTreeMap::new();
    let mut errors: BTreeMap<Key, Vec<Hint>> = BTreeMap::new();
    let mut traced = 0;
    for entry in &candidates {
        let Some(sort) = entry.sort.as_deref().and_then(|sort| sort.parse::<Sort>().ok()) else { continue };
        let importance = entry.importance.unwrap_or_default();
        let is_gotcha = matches!(sort, Sort::Bugfix | Sort::Discovery | Sort::Security | Sort::Decision)
            && importance >= policy.important
            && (1..=policy.subjects).contains(&entry.files_changed.len());
        let is_cure =
            matches!(sort, Sort::Bugfix | Sort::Discovery | Sort::Change | Sort::Security) && traced < TRACED;
        if !is_gotcha && !is_cure {
            continue;
        }
        let Some(body) = body(index, log, entry.id)? else { continue };
        let said = Said::of(entry, &body);
        if is_gotcha {
            let ground = Ground::of(index, log, &body)?;
            for file in entry.files_changed.iter().filter(|file| said.is_about(file, &entry.files_changed)) {
                let Some(key) = ground.key(project, file) else { continue };
                // They come newest first: of two that matter as much, the newer is kept.
                if files.get(&key).is_none_or(|(known, _)| *known < importance) {
                    files.insert(key, (importance, said.hint(key, entry, sort)));
                }
            }
        }
        if is_cure {
            traced += 1;
            for signature in cured(index, log, &body)?.iter().filter(|signature| said.speaks_of(signature)) {
                let key = Key::of_error(&signature.text);
                errors.entry(key).or_default().push(said.hint(key, entry, sort));
            }
        }
    }
    let errors = errors.into_values().filter_map(|cures| {
        let different: BTreeSet<&str> = cures.iter().map(|hint| hint.text.as_str()).collect();
        // What worked last time: they came newest first.
        if different.len() < policy.cures { cures.into_iter().next() } else { None }
    });
    let files = newest(files.into_values().map(|(_, hint)| hint));
    Ok(files.into_iter().chain(newest(errors)).collect())
}

fn newest(hints: impl Iterator<Item = Hint>) -> Vec<Hint> {
    let mut hints: Vec<Hint> = hints.collect();
    hints.sort_by_key(|hint| std::cmp::Reverse((hint.ts, hint.id)));
    hints.truncate(MOST);
    hints
}

/// Writes the line of a hint again that was given at a time, from what the log has of its observation.
pub(crate) fn line_again(
    entry: &Entry,
    body: &Map<String, Value>,
    trigger: Trigger,
    at: Timestamp,
) -> Option<String> {
    let sort = entry.sort.as_deref()?.parse().ok()?;
    // What led to it stands in no line.
    Some(Said::of(entry, body).hint(Key::of_file(""), entry, sort).line(trigger, at))
}

/// A day in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60_000;

fn is_fresh(entry: &Entry, now: Timestamp, policy: &AtTool) -> bool {
    entry.sort.as_deref() == Some(Sort::Decision.name())
        || now.as_millis().saturating_sub(entry.ts.as_millis()) < policy.fresh_days * DAY_MS
}

/// What an observation says.
struct Said {
    /// The one line of it that a hint shows.
    line: String,
    /// All of it, in small letters.
    text: String,
}

impl Said {
    fn of(entry: &Entry, body: &Map<String, Value>) -> Self {
        let text_of = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
        let texts_of = |name: &str| -> Vec<&str> {
            let list = body.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(Value::as_str).collect()
        };
        let title = entry.title.as_deref().unwrap_or_default();
        let (facts, concepts) = (texts_of("facts"), texts_of("concepts"));
        let mut line = fence::line(title);
        // The title names the trouble; what was done about it is mostly the first thing that can be looked up.
        let is_told = |fact: &&&str| {
            !["Error:", "Tests added", "Commits:"].iter().any(|opening| fact.starts_with(opening))
                && !title.contains(**fact)
        };
        if let Some(fact) = facts.iter().find(is_told) {
            let with = format!("{line}; {}", fence::line(fact));
            if with.chars().count() <= TEXT {
                line = with;
            }
        }
        let all = [title, text_of("subtitle"), text_of("narrative")].into_iter().chain(facts).chain(concepts);
        let text = all.collect::<Vec<_>>().join("\n").to_lowercase();
        Self { line: shortened(&line, TEXT), text }
    }

    /// Says whether a file is what it is about: the only one, or one that it names.
    fn is_about(&self, file: &str, all: &[String]) -> bool {
        let name = file.rsplit('/').next().unwrap_or(file).to_lowercase();
        !is_by_catch(&name) && (all.len() == 1 || self.text.contains(&name))
    }

    /// Says whether it speaks of an error: of most of the words that tell what was wrong.
    fn speaks_of(&self, signature: &Signature) -> bool {
        let known = signature.telling.iter().filter(|word| {
            // Numbers were taken out of the words of a signature, and not out of what was said.
            word.split('#').all(|part| self.text.contains(part))
        });
        2 * known.count() > signature.telling.len()
    }

    fn hint(&self, key: Key, entry: &Entry, sort: Sort) -> Hint {
        let session = entry.session.as_deref().map(session_mark).unwrap_or_default();
        Hint { key, id: entry.id, ts: entry.ts, sort, session, text: self.line.clone() }
    }
}

/// Recognises files that change with everything else.
fn is_by_catch(name: &str) -> bool {
    let path = std::path::Path::new(name);
    let has = |ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    has("lock")
        || has("snap")
        || matches!(name, "package-lock.json" | "pnpm-lock.yaml" | "go.sum" | "changelog.md" | "readme.md")
}

/// Where the files of an observation lie: what was changed in which project.
struct Ground {
    changed: Vec<(String, Vec<String>)>,
}

impl Ground {
    /// Reads it from the events that an observation was made from; of a correction, from those of what it corrects.
    fn of(index: &mut Index, log: &LogReader, body: &Map<String, Value>) -> Result<Self, RecallError> {
        let mut ids = ids_in(body, "sources");
        let mut corrected = ids_in(body, "supersedes");
        for _ in 0..CORRECTIONS {
            if !ids.is_empty() {
                break;
            }
            let Some(earlier) = corrected.first().copied() else { break };
            let Some(earlier) = self::body(index, log, earlier)? else { break };
            ids = ids_in(&earlier, "sources");
            corrected = ids_in(&earlier, "supersedes");
        }
        let mut changed = Vec::new();
        for id in ids.into_iter().take(SOURCES) {
            changed.extend(read(index, log, id, |event| {
                let files = texts_in(&fields(event), "files_changed");
                let project = event.project.clone().filter(|_| !files.is_empty())?;
                Some((project, files))
            })?);
        }
        Ok(Self { changed })
    }

    /// Gives what leads to a hint about a file, for whoever reads the hints of a project; nothing where files of two repos have its name.
    fn key(&self, project: &str, file: &str) -> Option<Key> {
        let changed = self.changed.iter().filter(|(_, files)| files.iter().any(|other| other == file));
        let homes: BTreeSet<&str> = changed.map(|(home, _)| home.as_str()).collect();
        let mut homes = homes.into_iter();
        match (homes.next(), homes.next()) {
            (None, _) => Some(Key::of_file(file)),
            (Some(home), None) if home == project => Some(Key::of_file(file)),
            (Some(home), None) => Some(Key::of_file_in(home, file)),
            (Some(_), Some(_)) => None,
        }
    }
}

fn texts_in(body: &Map<String, Value>, name: &str) -> Vec<String> {
    let list = body.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn ids_in(body: &Map<String, Value>, name: &str) -> Vec<EventId> {
    texts_in(body, name).iter().filter_map(|id| id.parse().ok()).collect()
}

/// Gives what the commands that failed have printed before an observation's work made them pass.
fn cured(
    index: &mut Index,
    log: &LogReader,
    body: &Map<String, Value>,
) -> Result<Vec<Signature>, RecallError> {
    let mut runs: Vec<Run> = Vec::new();
    for id in ids_in(body, "sources").into_iter().take(SOURCES) {
        runs.extend(run(index, log, id)?);
    }
    runs.sort_by(|a, b| a.place.cmp(&b.place));
    let Some(cured_at) = runs.iter().rposition(|run| !run.failed) else { return Ok(Vec::new()) };
    let mut found: Vec<Signature> = Vec::new();
    for (at, run) in runs.iter().enumerate().take(cured_at).filter(|(_, run)| run.failed) {
        for signature in signatures(&run.output) {
            let is_over = !runs[at + 1..]
                .iter()
                .any(|later| !later.failed && signatures(&later.output).contains(&signature));
            if is_over && !found.contains(&signature) {
                found.push(signature);
            }
        }
    }
    Ok(found)
}

/// A command that was run.
struct Run {
    /// Where it stands in the log, which tells the order better than clocks do.
    place: (WriterId, Position),
    failed: bool,
    output: String,
}

/// Reads a call that ran a command; none if it is something else.
fn run(index: &mut Index, log: &LogReader, id: EventId) -> Result<Option<Run>, RecallError> {
    let Some(Location { writer, at, .. }) = index.locate(id)? else { return Ok(None) };
    read(index, log, id, |event| {
        let body = fields(event);
        let input = body.get("input")?;
        let is_command = ["command", "cmd"].iter().any(|name| input.get(name).is_some());
        let exit = body.get("exit").and_then(Value::as_i64);
        let output = body.get("output").and_then(Value::as_str).unwrap_or_default().to_owned();
        let failed = match (event.kind, exit) {
            (Kind::ToolFailed, _) => true,
            (Kind::ToolUsed, Some(exit)) => exit != 0,
            // Some clients do not say how a command ended; what it printed does.
            (Kind::ToolUsed, None) => event.outcome.is_none() && !signatures(&output).is_empty(),
            _ => return None,
        };
        is_command.then_some(Run { place: (writer, at), failed, output })
    })
}

/// Reads the body of an event from the log.
fn body(index: &mut Index, log: &LogReader, id: EventId) -> Result<Option<Map<String, Value>>, RecallError> {
    read(index, log, id, |event| Some(fields(event)))
}

fn fields(event: &Event<'_>) -> Map<String, Value> {
    serde_json::from_str(event.body.get()).unwrap_or_default()
}

fn read<T>(
    index: &mut Index,
    log: &LogReader,
    id: EventId,
    take: impl FnOnce(&Event<'_>) -> Option<T>,
) -> Result<Option<T>, RecallError> {
    let Some(place) = index.locate(id)? else { return Ok(None) };
    let mut cursor = log.cursor(&place.writer, place.at)?;
    Ok(match cursor.next()? {
        // The log may be another one than the index has read.
        Some(Line::Record(record)) => {
            record.event().ok().filter(|event| event.id == id).as_ref().and_then(take)
        }
        _ => None,
    })
}
