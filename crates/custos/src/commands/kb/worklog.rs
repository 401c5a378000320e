//! `custos worklog`.

use clap::{Args, Subcommand};
use serde_json::json;

use super::answer::{refused, safe, show, with_notes};
use super::form::Form;
use super::person::{Call, Person, Place};
use crate::args::Text;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct WorklogArgs {
    #[command(subcommand)]
    command: Option<WorklogCommand>,
    /// How many events [default: 30]
    #[arg(long, short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..=200))]
    limit: Option<u64>,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Subcommand)]
enum WorklogCommand {
    /// Add a few lines about what was done
    #[command(after_help = "\
Examples:
  custos worklog add                 $EDITOR opens for the text
  custos worklog add 'Moved the staging database.'
  git log -1 --format=%B | custos worklog add -")]
    Add {
        /// What was done; `-` reads it from standard input
        #[arg(value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
        text: Option<String>,
    },
}

pub(super) fn run(context: &Context, args: &WorklogArgs, output: &mut Output) -> Result<Exit, CliError> {
    let person = args.place.open(context)?;
    match &args.command {
        None => show(&person.ask_to_the_end("worklog", Call::new().number("limit", args.limit))?, output),
        Some(WorklogCommand::Add { text }) => add(&person, text.as_deref(), output),
    }
}

/// Adds an entry. An agent writes its own when it closes the session, so no tool does this alone.
fn add(person: &Person, text: Option<&str>, output: &mut Output) -> Result<Exit, CliError> {
    let view = person.view()?;
    let filled = Form::new("An entry of the worklog")
        .need("text", "TEXT", "what was done, in a few lines", text)
        .fill()?;
    let saved = match person.base().append_entry(&view, filled.text("text")) {
        Ok(mut saved) => {
            saved.notes.splice(..0, person.base().note_session_store(&view));
            saved
        }
        Err(refusal) => return Err(filled.rescue(refused(&refusal))),
    };
    if output.is_json() {
        output.json(&json!({ "saved": saved }))?;
    } else {
        let text =
            format!("added: {} · {} ({}) · {}", saved.time, saved.level.word(), saved.store, saved.file);
        output.line(safe(&with_notes(text, &saved.notes)))?;
    }
    Ok(Exit::Success)
}
