//! Which observations become hints.
//!
//! A hint has to be right nine times out of ten, or people switch it off. So of everything that was learnt only this is taken:
//!
//! - *About a file*: something that was mended, found out, decided or closed, which matters, and of which the file is the subject: one of
//!   at most three that were changed for it, and named in what is said about it where there are several. And what somebody [filed](mod@super::filed)
//!   in the knowledge base that names the file. Of several, the weightiest.
//! - *About an error*: what made it go, if one of the events that it was made from is a command that failed with a
//!   [signature](mod@super::signature), a later one succeeded, the signature does not occur in what later ones printed, and what is said
//!   speaks of it. Where nothing is said of it, the course of events has to [prove](mod@super::proof) it; where nothing was edited, what is
//!   said has to name a command that was run before it passed. An error for which three different things have helped is one for which
//!   nobody knows what will, and one of which nothing is told but the error itself is left alone.
//!
//! A session in a workspace changes files of the repos inside of it, and what is learnt there is the workspace's. Each file is kept with the
//! repo that it lies in, as the events tell that changed it, so that whoever touches the file finds it from there as well.
//!
//! Nothing is taken that not everybody in the project may see, that came from elsewhere, or that something better has replaced.

use std::collections::{BTreeMap, BTreeSet};

use custos_index::{Entry, Index};
use custos_log::LogReader;
use custos_model::{Kind, Sort, Timestamp};
use serde_json::{Map, Value};

use super::evidence::{self, fields, ids_in, read, texts_in};
use super::file::{Key, session_mark};
use super::hint::{Hint, Trigger};
use super::proof::{Cure, Cured, cured};
use super::signature::Signature;
use super::{filed, wording};
use crate::access::may_see;
use crate::error::RecallError;
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
    // With those of which nothing can be told: they helped as well.
    let mut errors: BTreeMap<Key, Vec<Option<Hint>>> = BTreeMap::new();
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
        let Some(body) = evidence::body(index, log, entry.id)? else { continue };
        let said = Said::of(entry, &body);
        if is_gotcha {
            let ground = Ground::of(index, log, &body)?;
            for file in entry.files_changed.iter().filter(|file| said.is_about(file, &entry.files_changed)) {
                let Some(key) = ground.key(project, file) else { continue };
                // They come newest first: of two that matter as much, the newer is kept.
                if files.get(&key).is_none_or(|(known, _)| *known < importance)
                    && let Some(hint) = said.hint(key, entry, sort, Trigger::File)
                {
                    files.insert(key, (importance, hint));
                }
            }
        }
        if is_cure {
            traced += 1;
            // Of what changed many files at once, nobody can tell which of them helped.
            let is_small = (1..=policy.subjects).contains(&entry.files_changed.len());
            let mut sources = ids_in(&body, "sources");
            sources.truncate(SOURCES);
            let session = entry.session.as_deref();
            for Cured { signature, by } in cured(index, log, &sources, session, policy.subjects)? {
                let is_sure = match by {
                    Cure::Unseen => said.speaks_of(&signature),
                    Cure::Edited { is_proven } => said.speaks_of(&signature) || is_proven && is_small,
                    Cure::Ran(commands) => said.speaks_of(&signature) && said.names_any(&commands),
                };
                if is_sure {
                    let key = Key::of_error(&signature.text);
                    errors.entry(key).or_default().push(said.hint(key, entry, sort, Trigger::Error));
                }
            }
        }
    }
    for (importance, hint) in filed::hints(index, &everybody, project, policy)? {
        // What somebody wrote down on purpose goes before what was only observed.
        if files.get(&hint.key).is_none_or(|(known, _)| *known <= importance) {
            files.insert(hint.key, (importance, hint));
        }
    }
    let errors = errors.into_values().filter_map(|cures| {
        let different: BTreeSet<Option<&str>> =
            cures.iter().map(|hint| hint.as_ref().map(|hint| hint.text.as_str())).collect();
        // What worked last time: they came newest first.
        if different.len() < policy.cures { cures.into_iter().next().flatten() } else { None }
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
    if entry.kind == Kind::KnowledgeSaved {
        let text = body.get("text").and_then(Value::as_str).unwrap_or_default();
        return Some(filed::hint(Key::of_file(""), entry, text)?.line(trigger, at));
    }
    let sort = entry.sort.as_deref()?.parse().ok()?;
    // What led to it stands in no line.
    Some(Said::of(entry, body).hint(Key::of_file(""), entry, sort, trigger)?.line(trigger, at))
}

/// A day in milliseconds.
const DAY_MS: i64 = 24 * 60 * 60_000;

fn is_fresh(entry: &Entry, now: Timestamp, policy: &AtTool) -> bool {
    entry.sort.as_deref() == Some(Sort::Decision.name())
        || now.as_millis().saturating_sub(entry.ts.as_millis()) < policy.fresh_days * DAY_MS
}

/// What an observation says.
struct Said<'e> {
    words: wording::Said<'e>,
    /// All of it, in small letters.
    text: String,
}

impl<'e> Said<'e> {
    fn of(entry: &'e Entry, body: &'e Map<String, Value>) -> Self {
        let text_of = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
        let texts_of = |name: &str| -> Vec<&str> {
            let list = body.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(Value::as_str).collect()
        };
        let title = entry.title.as_deref().unwrap_or_default();
        let (facts, concepts) = (texts_of("facts"), texts_of("concepts"));
        let narrative = text_of("narrative");
        let all = [title, text_of("subtitle"), narrative];
        let all = all.into_iter().chain(facts.iter().copied()).chain(concepts);
        let text = all.collect::<Vec<_>>().join("\n").to_lowercase();
        Self { words: wording::Said { title, narrative, facts }, text }
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

    /// Says whether it names one of the commands that were run: half of its words, or what it was done with, which stands last.
    fn names_any(&self, commands: &[Vec<String>]) -> bool {
        let parts = |text: &str| -> BTreeSet<String> {
            let is_part = |part: &&str| part.chars().count() > 1;
            text.split(|c: char| !c.is_alphanumeric()).filter(is_part).map(str::to_lowercase).collect()
        };
        let own = parts(&self.text);
        commands.iter().any(|command| {
            let words: BTreeSet<String> =
                command.iter().filter(|word| !word.starts_with('-')).flat_map(|word| parts(word)).collect();
            let known = words.iter().filter(|word| own.contains(*word)).count();
            let last = command.last().map(|word| parts(word)).unwrap_or_default();
            let is_last_known = !last.is_empty() && last.iter().all(|word| own.contains(word));
            known > 0 && (2 * known >= words.len() || is_last_known)
        })
    }

    fn hint(&self, key: Key, entry: &Entry, sort: Sort, trigger: Trigger) -> Option<Hint> {
        let session = entry.session.as_deref().map(session_mark).unwrap_or_default();
        let text = wording::told(&self.words, &entry.files_changed, trigger)?;
        Some(Hint { key, id: entry.id, ts: entry.ts, sort, session, trusted: entry.trusted, text })
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
            let Some(earlier) = evidence::body(index, log, earlier)? else { break };
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
