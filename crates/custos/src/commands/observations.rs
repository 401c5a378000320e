//! `custos observations` and `custos summaries`: what was made of the work, and why it is believed.
//!
//! The list comes from the index, where only what still holds is listed; one of them is shown whole as [`show`] shows everything.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use custos_index::Entry;
use custos_model::{Kind, Sort};
use serde_json::{Value, json};

use crate::commands::{index, show};
use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::named;
use crate::output::{BOLD, DIM, Output, styled};
use crate::render::{self, cut, printable};

/// How wide the answer is.
const WIDTH: usize = 80;

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
        Some(Show::Show { id }) => show::one(context, Some(Kind::ObservationRecorded), id, output),
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
        Some(Show::Show { id }) => show::one(context, Some(Kind::SummaryRecorded), id, output),
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
        (None, None, false) => {
            environment::working_directory().map(|dir| context.names().find(&dir).identity)
        }
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
