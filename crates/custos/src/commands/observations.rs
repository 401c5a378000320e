//! `custos observations` and `custos summaries`: what was made of the work, and why it is believed.
//!
//! The list comes from the index, where only what still holds is listed; one of them comes whole from the log, with who made it, from
//! which events, and the parts of its importance.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use custos_config::Project;
use custos_index::Entry;
use custos_log::{Line, LogReader, Position, WriterId};
use custos_model::{Event, EventId, Kind, Sort};
use serde_json::{Map, Value, json};

use crate::commands::{index, log};
use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::named;
use crate::output::{BOLD, DIM, Output, styled};
use crate::render::{self, cut, printable, wrapped};

/// How wide the answer is.
const WIDTH: usize = 80;

/// How many sources are shown.
const SOURCES: usize = 12;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ObservationsArgs {
    #[command(subcommand)]
    command: Option<Show>,
    #[command(flatten)]
    which: Which,
    /// Only this type
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(Sort::ALL.map(Sort::name)))]
    sort: Option<String>,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct SummariesArgs {
    #[command(subcommand)]
    command: Option<Show>,
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
struct Which {
    /// Only this session, of whichever project: its id, the beginning of it, or the client's own
    #[arg(long, value_name = "SESSION", conflicts_with = "project")]
    session: Option<String>,
    /// Of this project: its name, identity or directory [default: the one that you are in]
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// Of all projects
    #[arg(long, conflicts_with_all = ["project", "session"])]
    all: bool,
    /// At most so many (setting search.limit)
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

#[derive(Debug, Subcommand)]
enum Show {
    /// Show one whole: all it says, who made it, from which events, and why it matters
    #[command(after_help = "\
Examples:
  custos observations show ffffffffffff
  custos summaries show ffffffffffff --json | jq .body.sources

`custos log show` shows each of the events that it was made from.")]
    Show {
        /// Its id, or 8 characters or more of its beginning or its end
        id: String,
    },
}

/// Lists observations, or shows one.
pub(crate) fn run(context: &Context, args: &ObservationsArgs, output: &mut Output) -> Result<Exit, CliError> {
    match &args.command {
        Some(Show::Show { id }) => show(context, Kind::ObservationRecorded, id, output),
        None => list(context, Kind::ObservationRecorded, &args.which, args.sort.as_deref(), output),
    }
}

/// Lists summaries, or shows one.
pub(crate) fn summaries(
    context: &Context,
    args: &SummariesArgs,
    output: &mut Output,
) -> Result<Exit, CliError> {
    match &args.command {
        Some(Show::Show { id }) => show(context, Kind::SummaryRecorded, id, output),
        None => list(context, Kind::SummaryRecorded, &args.which, None, output),
    }
}

fn list(
    context: &Context,
    kind: Kind,
    which: &Which,
    sort: Option<&str>,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let limit = which.limit.unwrap_or_else(|| usize::try_from(context.settings.search.limit).unwrap_or(20));
    let mut index = index::up_to_date(context)?;
    let session = which.session.as_deref();
    let session = session.map(|wanted| named::session(context, &mut index, wanted)).transpose()?;
    let project = match (&which.project, &session, which.all) {
        (Some(wanted), ..) => Some(named::project(context, &mut index, wanted)?),
        (None, None, false) => environment::working_directory().map(|dir| Project::find(&dir).identity),
        _ => None,
    };
    let wanted = |entry: &Entry| {
        session.as_ref().is_none_or(|session| entry.session.as_ref() == Some(session))
            && sort.is_none_or(|sort| entry.sort.as_deref() == Some(sort))
    };
    // The index lists by project; what else is asked for is picked from all of them.
    let looked_at = if session.is_some() || sort.is_some() { usize::MAX } else { limit };
    let entries = index.ask(&context.reader(), |index| index.recent(kind, project.as_deref(), looked_at))?;
    let entries: Vec<Entry> = entries.into_iter().filter(wanted).take(limit).collect();
    if output.is_json() {
        output.json(&entries.iter().map(as_json).collect::<Vec<_>>())?;
        return Ok(Exit::Success);
    }
    for entry in &entries {
        line(entry, output)?;
    }
    if entries.is_empty() {
        let all = if project.is_some() { "; --all shows every project" } else { "" };
        output.line(styled(
            DIM,
            format!("nothing here{all}. `custos status` says whether work waits to be distilled."),
        ))?;
    }
    Ok(Exit::Success)
}

fn as_json(entry: &Entry) -> Value {
    json!({
        "id": entry.id, "ts": entry.ts, "kind": entry.kind, "project": entry.project, "session": entry.session,
        "type": entry.sort, "title": entry.title, "excerpt": entry.excerpt, "importance": entry.importance,
        "files_read": entry.files_read, "files_modified": entry.files_changed,
    })
}

fn line(entry: &Entry, output: &mut Output) -> Result<(), CliError> {
    let title = entry.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(&entry.excerpt);
    output.line(styled(BOLD, cut(&printable(title), WIDTH)))?;
    let importance = entry.importance.map_or_else(String::new, |value| format!("  importance {value:.2}"));
    let project = entry.project.as_deref().map_or("-", render::short_project);
    let about = format!(
        "{}  {:<9}  {}  {}{importance}",
        render::local(entry.ts),
        entry.sort.as_deref().unwrap_or("summary"),
        render::short_id(entry.id),
        cut(project, render::PROJECT),
    );
    output.line(styled(DIM, format!("  {}", printable(&about))))
}

/// Shows one whole.
fn show(context: &Context, kind: Kind, wanted: &str, output: &mut Output) -> Result<Exit, CliError> {
    let reader = context.reader();
    let (id, writer, at) = log::find(&reader, wanted)?;
    let none = |what: &str| CliError::new(Exit::NotFound, format!("event {id} {what}"));
    let line = record(&reader, &writer, at)?.ok_or_else(|| none("was forgotten, or cannot be read"))?;
    let event: Event<'_> = serde_json::from_slice(&line).map_err(|_| none("cannot be read"))?;
    if event.kind != kind {
        return Err(none(&format!("is a {}", event.kind)).hint(format!("`custos log show {id}` shows it")));
    }
    if output.is_json() {
        output.json(&event)?;
        return Ok(Exit::Success);
    }
    let body: Map<String, Value> = serde_json::from_str(event.body.get()).unwrap_or_default();
    show_text(kind, &body, output)?;
    output.line("")?;
    show_origin(&event, &body, output)?;
    show_sources(context, &reader, &body, output)?;
    Ok(Exit::Success)
}

fn record(reader: &LogReader, writer: &WriterId, at: Position) -> Result<Option<Vec<u8>>, CliError> {
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
        let lines = wrapped(&printable(text), WIDTH, "             ");
        output.line(format!("{} {}", styled(BOLD, format!("{name:<12}")), lines.trim_start()))
    };
    let fields: &[&str] = match kind {
        Kind::ObservationRecorded => &["type", "title", "subtitle", "narrative"],
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
fn show_origin(event: &Event<'_>, body: &Map<String, Value>, output: &mut Output) -> Result<(), CliError> {
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
    ];
    for (name, value) in rows {
        if let Some(value) = value {
            let lines = wrapped(&printable(&value), WIDTH, "             ");
            output.line(format!("{} {}", styled(BOLD, format!("{name:<12}")), lines.trim_start()))?;
        }
    }
    Ok(())
}

/// Shows the events that it was made from, in one line each.
fn show_sources(
    context: &Context,
    reader: &LogReader,
    body: &Map<String, Value>,
    output: &mut Output,
) -> Result<(), CliError> {
    let sources: Vec<EventId> = texts(body, "sources").iter().filter_map(|id| id.parse().ok()).collect();
    if sources.is_empty() {
        return Ok(());
    }
    let mut index = index::up_to_date(context)?;
    output.line(styled(BOLD, format!("made from {}", render::count(sources.len() as u64, "event"))))?;
    for id in sources.iter().take(SOURCES) {
        let place = index.ask(reader, |index| index.locate(*id))?;
        let line = place.map(|place| record(reader, &place.writer, place.at)).transpose()?.flatten();
        let event = line.as_deref().and_then(|line| serde_json::from_slice::<Event<'_>>(line).ok());
        let said = event.map_or_else(
            || "is not there any more".to_owned(),
            |event| format!("{:<16} {}", event.kind.name(), render::gist(event.kind, event.body.get(), 46)),
        );
        output.line(cut(&printable(&format!("  {}  {said}", render::short_id(*id))), WIDTH))?;
    }
    if sources.len() > SOURCES {
        output.line(styled(DIM, format!("  and {} more; --json lists them", sources.len() - SOURCES)))?;
    }
    Ok(())
}
