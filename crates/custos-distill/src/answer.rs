//! What is taken from a model's answer.
//!
//! A model is believed as far as the evidence bears it out, and no further. The answer must be the JSON that was asked for, or all of it
//! is refused and may be asked for once more. Inside it, what does not hold is dropped one by one: a type that there is none of, an
//! empty title, a title that is only a path or a command, a file that the evidence does not name, a step that was not shown, a claim
//! that the person said so where hardly a word of it is theirs. Long fields are cut, and everything is redacted once more: a model that
//! was told a secret in pieces may have put it together.
//!
//! Nothing is a good answer. Most of the time it is the right one.

use std::collections::BTreeSet;
use std::ops::Range;
use std::str::FromStr;

use custos_model::{Observation, Sort, Summary};
use serde_json::{Map, Value};

use crate::alike;
use crate::prompt;
use crate::turn::{Step, Turn, What};
use crate::{Distilled, Found};

const MOST_OBSERVATIONS: usize = 4;
const MOST_TITLE: usize = 100;
const MOST_SUBTITLE: usize = 140;
const MOST_NARRATIVE: usize = 500;
const MOST_FACTS: (usize, usize) = (6, 160);
const MOST_CONCEPTS: (usize, usize) = (6, 40);
const MOST_FILES: usize = 12;
const MOST_OF_SUMMARY: usize = 300;

/// Reads the answer to a question about some steps of these turns; the steps are those of the [`prompt::Piece`].
///
/// The error says what is wrong with an answer that is not the JSON that was asked for.
pub fn read(text: &str, turns: &[Turn], steps: Range<usize>) -> Result<Distilled, String> {
    let answer: Value = serde_json::from_str(unfenced(text)).map_err(|error| format!("not JSON: {error}"))?;
    let answer = answer.as_object().ok_or("not a JSON object")?;
    let observations = match answer.get("observations") {
        Some(Value::Array(observations)) => observations,
        Some(_) => return Err("`observations` is no list".to_owned()),
        None => return Err("`observations` is missing".to_owned()),
    };
    let summary = match answer.get("summary") {
        None | Some(Value::Null) => None,
        Some(Value::Object(summary)) => Some(summary),
        Some(_) => return Err("`summary` is neither an object nor null".to_owned()),
    };
    let evidence = Evidence::of(turns, steps);
    let mut found: Vec<Found> = Vec::new();
    for observation in observations.iter().filter_map(Value::as_object) {
        let Some(next) = evidence.observation(observation) else { continue };
        if found.len() < MOST_OBSERVATIONS
            && found.iter().all(|one| one.observation.title != next.observation.title)
        {
            found.push(next);
        }
    }
    Ok(Distilled { observations: found, summary: summary.and_then(|summary| evidence.summary(summary)) })
}

/// Puts the answers to the pieces of one question together, in order.
pub fn joined(answers: impl IntoIterator<Item = Distilled>) -> Distilled {
    let mut all = Distilled::default();
    for answer in answers {
        all.observations.extend(answer.observations);
        all.summary = answer.summary.or(all.summary);
    }
    all
}

/// Takes JSON out of a Markdown fence, which models like to put around it; anything else around it stays, and is no JSON.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    inside.map_or(text, |inside| inside.strip_prefix("json").unwrap_or(inside).trim())
}

/// What an answer is held against.
struct Evidence<'t> {
    read: BTreeSet<&'t str>,
    changed: BTreeSet<&'t str>,
    commands: BTreeSet<&'t str>,
    /// The steps that were shown, with their numbers.
    steps: Vec<(usize, &'t Step)>,
    /// What the person said.
    said: String,
    has_changed: bool,
}

impl<'t> Evidence<'t> {
    fn of(turns: &'t [Turn], shown: Range<usize>) -> Self {
        let numbered = turns.iter().flat_map(|turn| turn.steps.iter().map(|step| (step, turn.is_private)));
        let open: Vec<_> = numbered
            .enumerate()
            .filter(|(_, (_, private))| !private)
            .map(|(at, (step, _))| (at, step))
            .collect();
        let steps = || open.iter().map(|(_, step)| *step);
        let commands = steps().filter_map(|step| match &step.what {
            What::Ran(command) => Some(command.trim()),
            _ => None,
        });
        let spoken = turns.iter().filter(|turn| !turn.is_private);
        let said = spoken.flat_map(|turn| &turn.said).map(|said| said.text.as_str());
        Self {
            read: steps().flat_map(|step| &step.files_read).map(String::as_str).collect(),
            changed: steps().flat_map(prompt::changed_files).collect(),
            commands: commands.collect(),
            said: said.collect::<Vec<_>>().join("\n"),
            has_changed: turns.iter().any(prompt::changed_something),
            steps: open.into_iter().filter(|(at, _)| shown.contains(at)).collect(),
        }
    }

    fn observation(&self, fields: &Map<String, Value>) -> Option<Found> {
        let sort = Sort::from_str(fields.get("type")?.as_str()?).ok()?;
        let title = text(fields, "title", MOST_TITLE);
        if title.is_empty() || self.restates(&title) || is_from_the_example(&title) {
            return None;
        }
        let (files_read, files_modified) = self.files(fields);
        let is_theirs = self.was_said(&title);
        let said = is_theirs && fields.get("said").and_then(Value::as_bool) == Some(true);
        let observation = Observation {
            // Whoever steers a model by what it reads must not speak in the person's name.
            sort: if sort == Sort::Decision && !is_theirs { Sort::Discovery } else { sort },
            title,
            subtitle: text(fields, "subtitle", MOST_SUBTITLE),
            narrative: text(fields, "narrative", MOST_NARRATIVE),
            facts: texts(fields, "facts", MOST_FACTS),
            concepts: texts(fields, "concepts", MOST_CONCEPTS),
            files_read,
            files_modified,
        };
        Some(Found { steps: self.steps_of(fields, &observation, said), observation, said })
    }

    /// Says whether the person said something: a good part of its words are theirs.
    fn was_said(&self, title: &str) -> bool {
        const THEIRS: f64 = 0.4;
        alike::within(title, &self.said) >= THEIRS
    }

    /// Says whether a title is nothing but a file or a command of the evidence.
    fn restates(&self, title: &str) -> bool {
        let bare = title.trim_matches(['`', '"', '\'', '.', '$', ' ']);
        [&self.read, &self.changed, &self.commands].into_iter().any(|known| known.contains(bare))
    }

    /// Takes the files that were read and those that were changed; one that was only read was not changed, whatever is said.
    fn files(&self, fields: &Map<String, Value>) -> (Vec<String>, Vec<String>) {
        let (mut read, mut changed) = (Vec::new(), Vec::new());
        for name in ["files_modified", "files_read"] {
            for file in strings(fields, name) {
                let file = file.trim().trim_start_matches("./");
                let files = match (name, self.changed.contains(file), self.read.contains(file)) {
                    ("files_modified", true, _) => &mut changed,
                    (_, true, _) | (_, _, true) => &mut read,
                    _ => continue,
                };
                if files.len() < MOST_FILES && !files.iter().any(|known| known == file) {
                    files.push(file.to_owned());
                }
            }
        }
        read.retain(|file| !changed.contains(file));
        (read, changed)
    }

    /// Takes the steps that are named and were shown; where none is, those that touched its files; and where none did, all.
    fn steps_of(&self, fields: &Map<String, Value>, observation: &Observation, said: bool) -> Vec<usize> {
        let named: BTreeSet<usize> = list(fields, "steps")
            .filter_map(|step| usize::try_from(step.as_u64()?).ok())
            .filter(|step| self.steps.iter().any(|(at, _)| at == step))
            .collect();
        if !named.is_empty() || said {
            return named.into_iter().collect();
        }
        let files: BTreeSet<&str> =
            observation.files_read.iter().chain(&observation.files_modified).map(String::as_str).collect();
        let touched = |step: &Step| {
            step.files_read
                .iter()
                .map(String::as_str)
                .chain(prompt::changed_files(step))
                .any(|file| files.contains(file))
        };
        let by_file: Vec<_> =
            self.steps.iter().filter(|(_, step)| touched(step)).map(|(at, _)| *at).collect();
        if by_file.is_empty() { self.steps.iter().map(|(at, _)| *at).collect() } else { by_file }
    }

    /// Takes a summary's words from the model and its files from the evidence.
    fn summary(&self, fields: &Map<String, Value>) -> Option<Summary> {
        let of = |name| text(fields, name, MOST_OF_SUMMARY);
        let summary = Summary {
            request: of("request"),
            investigated: of("investigated"),
            learned: of("learned"),
            completed: of("completed"),
            next_steps: of("next_steps"),
            files_read: named(self.read.difference(&self.changed)),
            files_edited: named(self.changed.iter()),
            notes: of("notes"),
        };
        let says_something = !summary.completed.is_empty() || !summary.learned.is_empty();
        (self.has_changed && says_something).then_some(summary)
    }
}

fn named<'t>(files: impl Iterator<Item = &'t &'t str>) -> Vec<String> {
    files.take(MOST_FILES).map(|file| (*file).to_owned()).collect()
}

/// Weak models hand the example back as their own.
fn is_from_the_example(title: &str) -> bool {
    const TELLING: usize = 20;
    title.chars().count() > TELLING && prompt::SYSTEM.contains(title.trim_end_matches('…'))
}

fn list<'v>(fields: &'v Map<String, Value>, name: &str) -> impl Iterator<Item = &'v Value> {
    fields.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn strings<'v>(fields: &'v Map<String, Value>, name: &str) -> impl Iterator<Item = &'v str> {
    list(fields, name).filter_map(Value::as_str)
}

fn text(fields: &Map<String, Value>, name: &str, most: usize) -> String {
    kept(fields.get(name).and_then(Value::as_str).unwrap_or_default(), most)
}

fn texts(fields: &Map<String, Value>, name: &str, (most, length): (usize, usize)) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in strings(fields, name).map(|text| kept(text, length)) {
        if !text.is_empty() && !all.contains(&text) && all.len() < most {
            all.push(text);
        }
    }
    all
}

/// Makes one line of a field: without what nobody would see and without secrets, cut at a word where it is too long.
fn kept(text: &str, most: usize) -> String {
    let visible: String =
        text.chars().filter(|character| character.is_whitespace() || prompt::is_shown(*character)).collect();
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let safe = custos_redact::redact(&line);
    if safe.chars().count() <= most {
        return safe.into_owned();
    }
    let front: String = safe.chars().take(most - 1).collect();
    let at_word = front.rfind(' ').filter(|at| *at > front.len() / 2).unwrap_or(front.len());
    format!("{}…", front[..at_word].trim_end_matches([' ', ',', ';', ':']))
}

#[cfg(test)]
mod tests;
