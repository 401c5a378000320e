//! `custos show`: a memory whole, with who made it, from which events, and what has become of it.
//!
//! One door for all: `custos observations show` and `custos summaries show` come here as well, and refuse what is something else.

use clap::Args;
use custos_index::Entry;
use custos_log::{Line, LogReader, Position, WriterId};
use custos_model::{Event, EventId, Kind};
use custos_recall::names::could_be_id;
use custos_recall::{Store, Viewer};
use serde_json::{Map, Value, json};

use crate::commands::log;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, DIM, Output, styled};
use crate::recall;
use crate::render::{self, cut, printable, wrapped, wrapped_lines};

/// How wide the answer is.
const WIDTH: usize = 80;

/// How many sources are shown.
const SOURCES: usize = 12;

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Their ids, 8 characters or more of the beginning or the end of each, or names such as D-001
    #[arg(required = true, value_name = "ID")]
    pub(crate) id: Vec<String>,
}

/// What has become of a memory.
#[derive(Debug, Default)]
struct Standing {
    pinned: bool,
    replaced_by: Option<String>,
}

/// Shows memories whole.
pub(crate) fn run(context: &Context, args: &ShowArgs, output: &mut Output) -> Result<Exit, CliError> {
    let mut store = recall::for_reader(context)?;
    let mut shown = Vec::new();
    for (at, wanted) in args.id.iter().enumerate() {
        if at > 0 && !output.is_json() {
            output.line("")?;
        }
        shown.extend(show(context, &mut store, None, wanted, output)?);
    }
    if output.is_json() {
        output.json(&shown)?;
    }
    Ok(Exit::Success)
}

/// Shows one of a kind.
pub(crate) fn one(
    context: &Context,
    kind: Option<Kind>,
    wanted: &str,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let mut store = recall::for_reader(context)?;
    if let Some(shown) = show(context, &mut store, kind, wanted, output)? {
        output.json(&shown)?;
    }
    Ok(Exit::Success)
}

/// Shows one; what it is as JSON comes back where that was asked for.
fn show(
    context: &Context,
    store: &mut Store,
    kind: Option<Kind>,
    wanted: &str,
    output: &mut Output,
) -> Result<Option<Value>, CliError> {
    // What the index does not list may still be in the log: forgotten, or no text.
    let found = recall::find(store, wanted)?;
    let id = match found {
        Some(id) => id,
        None if !could_be_id(wanted) => return Err(recall::no_memory(wanted)),
        None => log::find(&context.reader(), wanted)?.0,
    };
    let is_wanted = |other: Kind| kind.map_or(Kind::TEXTS.contains(&other), |kind| kind == other);
    let none = |what: &str| CliError::new(Exit::NotFound, format!("event {id} {what}"));
    let whole = store.whole(&[id], &Viewer::owner())?.pop();
    if let Some(whole) = whole.as_ref().filter(|whole| whole.entry.file.is_some()) {
        if !is_wanted(whole.entry.kind) {
            return Err(none("is an item of the knowledge base").hint(format!("`custos show {id}` shows it")));
        }
        if output.is_json() {
            return Ok(Some(
                json!({ "id": id, "ts": whole.entry.ts, "kind": whole.entry.kind, "project": whole.entry.project,
                    "origin": whole.entry.origin, "trusted": whole.entry.trusted, "pinned": whole.entry.pinned,
                    "body": whole.body }),
            ));
        }
        show_text(whole.entry.kind, &whole.body, output)?;
        output.line("")?;
        show_rows(&rows_of_file(&whole.entry), output)?;
        return Ok(None);
    }
    let place = store.index().locate(id)?;
    let line = place.map(|place| record(store.log(), &place.writer, place.at)).transpose()?.flatten();
    let line = line.ok_or_else(|| none("was forgotten, or cannot be read"))?;
    let event: Event<'_> = serde_json::from_slice(&line).map_err(|_| none("cannot be read"))?;
    if !is_wanted(event.kind) {
        return Err(none(&format!("is a {}", event.kind)).hint(format!("`custos log show {id}` shows it")));
    }
    let standing = Standing {
        pinned: whole.as_ref().is_some_and(|whole| whole.entry.pinned),
        replaced_by: whole.and_then(|whole| whole.replaced_by).map(|by| by.to_string()),
    };
    if output.is_json() {
        let mut shown = serde_json::to_value(&event).map_err(std::io::Error::from)?;
        shown["pinned"] = json!(standing.pinned);
        shown["replaced_by"] = json!(standing.replaced_by);
        return Ok(Some(shown));
    }
    let body: Map<String, Value> = serde_json::from_str(event.body.get()).unwrap_or_default();
    show_text(event.kind, &body, output)?;
    output.line("")?;
    show_origin(&event, &body, &standing, output)?;
    show_sources(store, &body, output)?;
    Ok(None)
}

/// Reads a record's line.
pub(crate) fn record(
    reader: &LogReader,
    writer: &WriterId,
    at: Position,
) -> Result<Option<Vec<u8>>, CliError> {
    let mut cursor = reader.cursor(writer, at)?;
    Ok(match cursor.next()? {
        Some(Line::Record(record)) => Some(record.line().to_vec()),
        _ => None,
    })
}

fn text<'a>(body: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    body.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn texts<'a>(body: &'a Map<String, Value>, name: &str) -> Vec<&'a str> {
    body.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Shows what it says.
fn show_text(kind: Kind, body: &Map<String, Value>, output: &mut Output) -> Result<(), CliError> {
    let mut row = |name: &str, text: &str| {
        let lines = wrapped_lines(text, WIDTH, "             ");
        output.line(format!("{} {}", styled(BOLD, format!("{name:<12}")), lines.trim_start()))
    };
    let fields: &[&str] = match kind {
        Kind::ObservationRecorded => &["type", "title", "subtitle", "narrative"],
        Kind::PromptSubmitted => &["text"],
        Kind::KnowledgeSaved => &["type", "name", "title", "text", "file"],
        _ => &["of", "request", "investigated", "learned", "completed", "next_steps", "notes"],
    };
    for name in fields {
        if let Some(text) = text(body, name) {
            row(&name.replace('_', " "), text)?;
        }
    }
    for (at, fact) in texts(body, "facts").into_iter().enumerate() {
        row(if at == 0 { "facts" } else { "" }, fact)?;
    }
    let lists = [
        ("concepts", "concepts"),
        ("changed", "files_modified"),
        ("changed", "files_edited"),
        ("read", "files_read"),
    ];
    for (name, field) in lists {
        let all = texts(body, field);
        if !all.is_empty() {
            row(name, &all.join(", "))?;
        }
    }
    Ok(())
}

/// Shows where it comes from and why it matters.
fn show_origin(
    event: &Event<'_>,
    body: &Map<String, Value>,
    standing: &Standing,
    output: &mut Output,
) -> Result<(), CliError> {
    let importance = event.importance.map(|importance| {
        let parts = body.get("why").and_then(Value::as_object).map(|why| {
            let parts: Vec<String> = why
                .iter()
                .map(|(name, part)| match part.as_f64() {
                    Some(part) => format!("{name} {part:.2}"),
                    None => format!("{name} {part}"),
                })
                .collect();
            format!(" (from {})", parts.join(", "))
        });
        format!("{:.2}{}", importance.value(), parts.unwrap_or_default())
    });
    let supersedes = texts(body, "supersedes").join(", ");
    let rows = [
        ("id", Some(event.id.to_string())),
        ("time", Some(render::local(event.ts))),
        ("project", event.project.clone()),
        ("session", event.session.clone()),
        ("importance", importance),
        (
            "made by",
            text(body, "by").map_or_else(|| Some(event.origin.name().to_owned()), |by| Some(by.to_owned())),
        ),
        ("work", text(body, "work").map(str::to_owned)),
        ("replaces", Some(supersedes).filter(|ids| !ids.is_empty())),
        ("replaced by", standing.replaced_by.clone()),
        ("pinned", standing.pinned.then(|| "yes".to_owned())),
    ];
    show_rows(&rows, output)
}

/// Tells where an item of the knowledge base comes from.
fn rows_of_file(entry: &Entry) -> [(&'static str, Option<String>); 6] {
    let trust = if entry.trusted {
        "yes"
    } else {
        "no: it came with the repo, and nobody has reviewed it (`custos trust`)"
    };
    [
        ("id", Some(entry.id.to_string())),
        ("time", Some(render::local(entry.ts))),
        ("project", entry.project.clone()),
        ("made by", Some("a file of the knowledge base".to_owned())),
        ("trusted", Some(trust.to_owned())),
        ("pinned", entry.pinned.then(|| "yes".to_owned())),
    ]
}

fn show_rows(rows: &[(&str, Option<String>)], output: &mut Output) -> Result<(), CliError> {
    for (name, value) in rows {
        if let Some(value) = value {
            let lines = wrapped(&printable(value), WIDTH, "             ");
            output.line(format!("{} {}", styled(BOLD, format!("{name:<12}")), lines.trim_start()))?;
        }
    }
    Ok(())
}

/// Shows the events that it was made from, in one line each.
fn show_sources(store: &mut Store, body: &Map<String, Value>, output: &mut Output) -> Result<(), CliError> {
    let sources: Vec<EventId> = texts(body, "sources").iter().filter_map(|id| id.parse().ok()).collect();
    if sources.is_empty() {
        return Ok(());
    }
    output.line(styled(BOLD, format!("made from {}", render::count(sources.len() as u64, "event"))))?;
    for id in sources.iter().take(SOURCES) {
        let place = store.index().locate(*id)?;
        let line = place.map(|place| record(store.log(), &place.writer, place.at)).transpose()?.flatten();
        let event = line.as_deref().and_then(|line| serde_json::from_slice::<Event<'_>>(line).ok());
        let said = event.map_or_else(
            || "is not there any more".to_owned(),
            |event| format!("{:<20} {}", event.kind.name(), render::gist(event.kind, event.body.get(), 43)),
        );
        output.line(cut(&printable(&format!("  {}  {said}", render::short_id(*id))), WIDTH))?;
    }
    if sources.len() > SOURCES {
        output.line(styled(DIM, format!("  and {} more; --json lists them", sources.len() - SOURCES)))?;
    }
    Ok(())
}
