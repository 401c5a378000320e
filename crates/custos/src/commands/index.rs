//! `custos index`: what the index holds, and making it anew; and the catch-up that every reader begins with.

use std::time::{Duration, Instant};

use custos_index::{Budget, CatchUp, Index, Problem, Status, User};

use crate::args::IndexCommand;
use crate::commands::backup;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, DIM, GOOD, Output, WARN, styled, tell};
use crate::progress::{Progress, Unit};
use crate::render;

pub(crate) fn run(context: &Context, command: &IndexCommand, output: &mut Output) -> Result<Exit, CliError> {
    match command {
        IndexCommand::Status => status(context, output),
        IndexCommand::Rebuild => {
            let started = Instant::now();
            let mut index = Index::open(&context.places.state, User::Worker)?;
            let mut progress = Progress::new("rebuilding the index", None, Unit::Lines);
            let done = index.rebuild(&context.reader(), &mut |at| progress.at(at.events))?;
            drop(progress);
            if output.is_json() {
                output.json(&serde_json::json!({ "events": done.events, "problems": done.problems, "ms": started.elapsed().as_millis() }))?;
            } else {
                let events = render::count(done.events, "event");
                output.line(format!(
                    "{} {events} in {:.1} s",
                    styled(GOOD, "rebuilt from"),
                    started.elapsed().as_secs_f64()
                ))?;
                tell_problems(&done);
            }
            backup::in_passing(context);
            Ok(Exit::Success)
        }
    }
}

/// Opens the index and reads what the log has more, within the time that the settings allow.
pub(crate) fn up_to_date(context: &Context) -> Result<Index, CliError> {
    let mut index = Index::open(&context.places.state, User::Worker)?;
    let started = Instant::now();
    let elapsed = || started.elapsed();
    let budget = match context.settings.index.catch_up_ms {
        0 => None,
        millis => Some(Budget { limit: Duration::from_millis(millis), elapsed: &elapsed }),
    };
    let mut progress = Progress::new("reading the log", None, Unit::Lines);
    let done = index.catch_up(&context.reader(), budget, &mut |at| progress.at(at.events))?;
    drop(progress);
    if done.rebuilt {
        tell(styled(DIM, "the index was missing, damaged or did not fit the log, and was made anew"));
    }
    if !done.complete {
        tell(styled(
            WARN,
            "the log is longer than index.catch_up_ms allows to read; the newest events are not searched yet",
        ));
    }
    Ok(index)
}

fn tell_problems(done: &CatchUp) {
    if done.problems > 0 {
        let lines = render::count(done.problems, "line");
        tell(format!(
            "{} {lines} of the log could not be read; `custos index status` lists them",
            styled(WARN, "note:")
        ));
    }
}

/// The index's own account of itself, as JSON.
pub(crate) fn as_json(context: &Context, status: &Status, problems: &[Problem]) -> serde_json::Value {
    let cursors: Vec<_> = status
        .cursors
        .iter()
        .map(|(writer, at, seq)| {
            serde_json::json!({ "writer": writer.as_str(), "segment": at.segment, "offset": at.offset, "seq": seq })
        })
        .collect();
    let problems: Vec<_> = problems
        .iter()
        .map(|problem| {
            serde_json::json!({ "file": file(context, problem), "offset": problem.at.offset, "reason": problem.reason })
        })
        .collect();
    let counts =
        |rows: &mut dyn Iterator<Item = (&'static str, u64)>| -> serde_json::Map<String, serde_json::Value> {
            rows.map(|(name, count)| (name.to_owned(), count.into())).collect()
        };
    serde_json::json!({
        "file": context.places.index(custos_index::SCHEMA).display().to_string(),
        "bytes": status.bytes,
        "kinds": counts(&mut status.kinds.iter().map(|(kind, count)| (kind.name(), *count))),
        "tables": counts(&mut status.tables.iter().copied()),
        "cursors": cursors,
        "problems": problems,
    })
}

fn file(context: &Context, problem: &Problem) -> String {
    let path = custos_log::read::segment_path(&context.places.log(), &problem.writer, problem.at.segment);
    path.display().to_string()
}

fn status(context: &Context, output: &mut Output) -> Result<Exit, CliError> {
    let mut index = up_to_date(context)?;
    let (status, problems) =
        index.ask(&context.reader(), |index| Ok((index.status()?, index.problems(100)?)))?;
    if output.is_json() {
        output.json(&as_json(context, &status, &problems))?;
        return Ok(Exit::Success);
    }
    let path = context.places.index(custos_index::SCHEMA).display().to_string();
    output.line(format!("{} ({})", styled(BOLD, render::printable(&path)), render::bytes(status.bytes)))?;
    for (name, count) in &status.tables {
        output.line(format!("  {name:<16} {count:>10}"))?;
    }
    for (writer, at, seq) in &status.cursors {
        output
            .line(format!("  {writer}: read to record {seq} (segment {}, byte {})", at.segment, at.offset))?;
    }
    for problem in &problems {
        output.line(format!(
            "  {} {} at byte {}: {}",
            styled(WARN, "skipped"),
            render::printable(&file(context, problem)),
            problem.at.offset,
            render::printable(&problem.reason)
        ))?;
    }
    Ok(Exit::Success)
}
