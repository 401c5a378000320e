//! `custos eval speed`: how long recall takes in a large memory.
//!
//! The first line of each table is the floor: a question without words, which reads the newest and ranks nothing. What a hook does
//! is measured within this process; starting one comes on top.

use std::time::Instant;

use custos_model::piece::{PieceId, pieces};
use custos_model::{Kind, Timestamp};
use custos_recall::context::{self, Scene};
use custos_recall::receipt::Ceiling;
use custos_recall::{Ask, Depth, RecallError, Store, Viewer};
use custos_vectors::ScopeTag;
use serde::Serialize;

use super::invented::{Chance, Questions, observation, project, questions};
use super::scratch::{Batch, Scratch};
use crate::args::SpeedArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, Output, styled};
use crate::progress::{Progress, Unit};

/// When the questions are asked: a little after the last of a million observations.
const ASKED: i64 = 1_720_100_000_000;

/// One line of the table.
#[derive(Debug, Serialize)]
struct Measured {
    /// What was asked.
    question: &'static str,
    /// In which process.
    #[serde(rename = "in")]
    process: &'static str,
    /// Of which projects.
    #[serde(rename = "of")]
    scope: &'static str,
    p50_ms: f64,
    p95_ms: f64,
}

pub(super) fn run(args: &SpeedArgs, output: &mut Output) -> Result<Exit, CliError> {
    let scratch = Scratch::new()?;
    scratch.append((0..args.rows).map(observation))?;
    keep_vectors(&scratch, args.rows)?;
    let mut store = scratch.open()?;
    let measured = measure(&mut store, args.questions)?;
    if output.is_json() {
        output.json(
            &serde_json::json!({ "rows": args.rows, "questions": args.questions, "measured": measured }),
        )?;
        return Ok(Exit::Success);
    }
    output.line(styled(
        BOLD,
        format!("{:<20} {:<7} {:<12} {:>9} {:>9}", "question", "in", "of", "p50 ms", "p95 ms"),
    ))?;
    for Measured { question, process, scope, p50_ms, p95_ms } in measured {
        output.line(format!("{question:<20} {process:<7} {scope:<12} {p50_ms:>9.2} {p95_ms:>9.2}"))?;
    }
    Ok(Exit::Success)
}

/// Gives every text a direction, as if it had been embedded.
fn keep_vectors(scratch: &Scratch, rows: usize) -> Result<(), CliError> {
    let embedder = scratch.embedder();
    let mut chance = Chance::new(0x7ec);
    let mut progress = Progress::new("inventing vectors", Some(rows as u64), Unit::Lines);
    let (mut pen, mut batch) = (scratch.pen()?, Batch::default());
    for number in 0..rows {
        let draft = observation(number);
        let tag = ScopeTag::of(draft.project.as_deref());
        for text in pieces(Kind::ObservationRecorded, &draft.body) {
            let vector = chance.vector(embedder.id(), embedder.dims());
            batch.add(&mut pen, (PieceId::of(&text), tag, vector))?;
        }
        progress.at(number as u64);
    }
    batch.write(&mut pen)
}

/// Takes times, and tells how far it is.
struct Watch {
    measured: Vec<Measured>,
    progress: Progress,
    done: u64,
}

impl Watch {
    /// Measures one kind of question.
    fn time(
        &mut self,
        (question, process, scope): (&'static str, &'static str, &'static str),
        texts: &[String],
        mut ask: impl FnMut(&str) -> Result<(), RecallError>,
    ) -> Result<(), CliError> {
        let mut times = Vec::with_capacity(texts.len());
        for text in texts {
            let started = Instant::now();
            ask(text)?;
            times.push(started.elapsed().as_secs_f64() * 1000.0);
            self.done += 1;
            self.progress.at(self.done);
        }
        times.sort_by(f64::total_cmp);
        let [p50_ms, p95_ms] = [50, 95].map(|percent| percentile(&times, percent));
        self.measured.push(Measured { question, process, scope, p50_ms, p95_ms });
        Ok(())
    }
}

fn measure(store: &mut Store, count: usize) -> Result<Vec<Measured>, CliError> {
    let own = project(0);
    let (one, all) = ([own.as_str()], []);
    let now = Timestamp::from_millis(ASKED);
    let kinds = questions(count);
    let total = ((kinds.len() * 3 + 2) * count) as u64;
    let mut watch =
        Watch { measured: Vec::new(), progress: Progress::new("asking", Some(total), Unit::Lines), done: 0 };
    // A hook asks about its own project only.
    let ways: [(Depth, &str, &[&str], &str); 3] = [
        (Depth::Server, "server", &all, "all projects"),
        (Depth::Server, "server", &one, "one project"),
        (Depth::Hook, "hook", &one, "one project"),
    ];
    for (depth, process, projects, scope) in ways {
        for Questions { name, texts } in &kinds {
            watch.time((name, process, scope), texts, |text| {
                store.search(&Ask { projects, ..Ask::new(text, Viewer::owner(), now, depth) }).map(drop)
            })?;
        }
    }
    let ceiling = Ceiling { tokens: 1500, characters: 10_000, taken_tokens: 0, taken_characters: 0 };
    let scene = Scene {
        viewer: Viewer::agent(None, None, None, Some("asking"), Some(&own)),
        session: Some("asking"),
        project: Some(&own),
        branch: None,
        now,
        ceiling,
        seen: &[],
        before: None,
        safety: None,
    };
    watch.time(("start of a session", "hook", "one project"), &vec![String::new(); count], |_| {
        context::start(store, None, &scene, "startup").map(drop)
    })?;
    let sentences = kinds.last().map(|kind| kind.texts.as_slice()).unwrap_or_default();
    watch.time(("prompt", "hook", "one project"), sentences, |text| {
        context::prompt(store, &scene, text).map(drop)
    })?;
    Ok(watch.measured)
}

/// Gives the time within which so many of a hundred are done.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "they are picked out, not computed")]
    fn percentiles_of_few_and_of_many() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!([50, 95].map(|percent| percentile(&hundred, percent)), [50.0, 95.0]);
        assert_eq!([50, 95].map(|percent| percentile(&[7.0], percent)), [7.0, 7.0]);
        assert_eq!(percentile(&[], 50), 0.0);
    }
}
