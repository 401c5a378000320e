//! `custos status`: what there is, where, and what waits.

use custos_config::Provider;
use custos_log::backup;

use crate::commands::{index, usage};
use crate::context::Context;
use crate::distiller::standing::Standing;
use crate::distiller::{self, NotReady, Reach};
use crate::embedder;
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
    let (status, problems, standing, vectors) = index.ask(&reader, |index| {
        let standing = Standing::read(context, index)?;
        let vectors = embedder::Standing::read(context, index)?;
        Ok((index.status()?, index.problems(100)?, standing, vectors))
    })?;
    let provider = context.settings.distill.provider;
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
            "distilling": standing.as_json(provider.name()),
            "vectors": vectors.as_json(),
        }))?;
        return Ok(Exit::Success);
    }
    let on_terminal = output.is_terminal();
    let mut row = |name: &str, text: String| {
        let text = render::fitted(&text, 10, on_terminal);
        output.line(format!("{} {text}", styled(BOLD, format!("{name:<9}"))))
    };
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
    row("work", standing.work_said())?;
    row("distiller", distiller(context, &standing))?;
    row("vectors", vectors.said())?;
    if provider != Provider::Rules || standing.today > 0 {
        row("tokens", usage::budget(context, standing.today))?;
    }
    if let Some(junk) = standing.meter.said() {
        row("junk", junk)?;
    }
    if status.problems > 0 {
        let lines = render::count(status.problems, "line");
        row("problems", format!("{lines} of the log could not be read; `custos index status` lists them"))?;
    }
    if events == 0 {
        output.line(styled(DIM, "Nothing is recorded yet; `custos setup` wires your clients."))?;
    }
    Ok(Exit::Success)
}

/// Says who distils, and whether that works.
fn distiller(context: &Context, standing: &Standing) -> String {
    let provider = context.settings.distill.provider;
    let not_ready =
        |not_ready: &NotReady| format!("{}: {not_ready}; `custos doctor` says more", provider.name());
    let who = |reach: Option<Reach>| reach.map_or_else(|| "rules".to_owned(), |reach| reach.to_string());
    match (distiller::chosen(context), standing.broken_said()) {
        (Ok(None), _) if provider.name() != "rules" => {
            format!("rules: {} may take no tokens (distill.tokens_per_day is 0)", provider.name())
        }
        (Ok(reach @ Some(_)), Some(broken)) => format!("{}, {broken}", who(reach)),
        (Ok(reach), _) => who(reach),
        (Err(error), _) => not_ready(&error),
    }
}
