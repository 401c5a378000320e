//! `custos status`: what there is and where.

use custos_log::backup;

use crate::commands::index;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, DIM, Output, styled};
use crate::render;

pub(crate) fn run(context: &Context, output: &mut Output) -> Result<Exit, CliError> {
    let log = context.log();
    let reader = context.reader();
    let writers = reader.writers()?;
    let mut bytes = 0;
    let mut segments = 0;
    for writer in &writers {
        for segment in reader.segments(writer)? {
            segments += 1;
            bytes += reader.segment_len(writer, segment)?;
        }
    }
    let backups = backup::list(&log)?;
    let mut index = index::up_to_date(context)?;
    let (status, problems) = index.ask(&reader, |index| Ok((index.status()?, index.problems(100)?)))?;
    let events: u64 = status.kinds.iter().map(|(_, count)| count).sum();
    let newest = backups.last().map(|backup| backup.name.clone());
    if output.is_json() {
        output.json(&serde_json::json!({
            "memory": context.places.memory.display().to_string(),
            "state": context.places.state.display().to_string(),
            "config": context.places.user_config().display().to_string(),
            "log": {
                "writer": log.writer().as_str(),
                "writers": writers.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "events": events, "segments": segments, "bytes": bytes,
            },
            "index": index::as_json(context, &status, &problems),
            "backups": { "count": backups.len(), "newest": newest },
        }))?;
        return Ok(Exit::Success);
    }
    let mut row =
        |name: &str, text: String| output.line(format!("{} {text}", styled(BOLD, format!("{name:<9}"))));
    row("memory", context.places.memory.display().to_string())?;
    row("state", context.places.state.display().to_string())?;
    let others = writers.len().saturating_sub(usize::from(writers.contains(&log.writer())));
    let machines = if others == 0 {
        String::new()
    } else {
        format!(", {} of other machines", render::count(others as u64, "log"))
    };
    row("log", format!("{}, {}{machines}", render::count(events, "event"), render::bytes(bytes)))?;
    let shown = [
        ("sessions", "session"),
        ("prompts", "prompt"),
        ("observations", "observation"),
        ("summaries", "summary"),
    ];
    let rows =
        |table: &str| status.tables.iter().find(|(name, _)| *name == table).map_or(0, |(_, count)| *count);
    let tables: Vec<String> = shown.iter().map(|(table, one)| render::count(rows(table), one)).collect();
    row("index", format!("{} ({})", tables.join(", "), render::bytes(status.bytes)))?;
    row(
        "backups",
        newest.map_or_else(|| "none yet".to_owned(), |name| format!("{}, newest {name}", backups.len())),
    )?;
    if status.problems > 0 {
        let lines = render::count(status.problems, "line");
        row("problems", format!("{lines} of the log could not be read; `custos index status` lists them"))?;
    }
    if events == 0 {
        output.line(styled(
            DIM,
            "Nothing is recorded yet; `custos help log append` shows how a program records events.",
        ))?;
    }
    Ok(Exit::Success)
}
