//! `custos backlog`.

use clap::{ArgGroup, Args, Subcommand};

use super::answer::{show, show_list, show_saved};
use super::form::Form;
use super::person::{Call, Person, Place};
use crate::args::{Name, Text};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct BacklogArgs {
    #[command(subcommand)]
    command: Option<BacklogCommand>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    place: Place,
}

const STATUSES: [&str; 4] = ["open", "in-progress", "blocked", "done"];
const PRIORITIES: [&str; 3] = ["high", "medium", "low"];

#[derive(Debug, Args)]
struct ListArgs {
    /// Only tasks of this status [default: all but what is done]
    #[arg(long, value_name = "STATUS", value_parser = STATUSES)]
    status: Option<String>,
}

#[derive(Debug, Subcommand)]
enum BacklogCommand {
    /// List the tasks of every level
    #[command(
        after_help = "Examples:\n  custos backlog list\n  custos backlog list --status blocked --json | jq -r '.tasks[].id'"
    )]
    List(ListArgs),
    /// Show a task in full, with its notes
    #[command(after_help = "Examples:\n  custos backlog show B-003")]
    Show {
        /// Its id or title
        #[arg(allow_hyphen_values = true, value_parser = Name)]
        id: String,
    },
    /// Note a task for later
    #[command(after_help = "\
Examples:
  custos backlog add                 $EDITOR opens for the texts
  custos backlog add --title 'Cut the cycle in resolve.rs' --description 'See D-012.' \\
      --priority high --tag parser

Exit codes:
  0  it is kept
  1  a repo of its scope did not take it; it says which and why")]
    Add(AddArgs),
    /// Change a task's status or priority, or add a note
    #[command(after_help = "\
Examples:
  custos backlog update B-003 --status done
  custos backlog update B-003 --priority high --note 'it broke again'")]
    #[command(group = ArgGroup::new("change").required(true).multiple(true).args(["status", "priority", "note"]))]
    Update {
        /// Its id or title
        #[arg(allow_hyphen_values = true, value_parser = Name)]
        id: String,
        /// How far it is
        #[arg(long, value_name = "STATUS", value_parser = STATUSES)]
        status: Option<String>,
        /// How urgent it is
        #[arg(long, value_name = "PRIORITY", value_parser = PRIORITIES)]
        priority: Option<String>,
        /// What to add to its notes; `-` reads it from standard input
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
        note: Option<String>,
    },
}

#[derive(Debug, Args)]
struct AddArgs {
    /// The task in one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    title: Option<String>,
    /// What is to be done, and how one sees that it is; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    description: Option<String>,
    /// How urgent it is [default: medium]
    #[arg(long, value_name = "PRIORITY", value_parser = PRIORITIES)]
    priority: Option<String>,
    /// A word to find it by; may be repeated
    #[arg(long, value_name = "WORD", allow_hyphen_values = true, value_parser = Text)]
    tag: Vec<String>,
    /// Where it is kept: the name of a repo in the workspace, or `user` for all your projects; may be repeated
    #[arg(long, value_name = "NAME")]
    scope: Vec<String>,
}

pub(super) fn run(context: &Context, args: &BacklogArgs, output: &mut Output) -> Result<Exit, CliError> {
    let person = args.place.open(context)?;
    match &args.command {
        None => list(&person, &args.list, output),
        Some(BacklogCommand::List(args)) => list(&person, args, output),
        Some(BacklogCommand::Show { id }) => {
            show(&person.ask_to_the_end("backlog", Call::new().text("id", id.as_str()))?, output)
        }
        Some(BacklogCommand::Add(args)) => add(&person, args, output),
        Some(BacklogCommand::Update { id, status, priority, note }) => {
            let filled = Form::new("A note").may("notes", "--note", "what is new", note.as_deref()).fill()?;
            if status.is_none() && priority.is_none() && filled.text("notes").is_empty() {
                return Err(CliError::new(
                    Exit::Data,
                    format!("nothing of {id} was changed: the note is empty"),
                )
                .hint("give a text to --note, or --status, or --priority"));
            }
            let call = filled
                .call()
                .text("id", id.as_str())
                .text("status", status.as_deref())
                .text("priority", priority.as_deref());
            show(&person.ask("backlog_update", call)?, output)
        }
    }
}

fn list(person: &Person, args: &ListArgs, output: &mut Output) -> Result<Exit, CliError> {
    let call = Call::new().text("status", args.status.as_deref());
    show_list(person.ask_to_the_end("backlog", call)?, output)
}

fn add(person: &Person, args: &AddArgs, output: &mut Output) -> Result<Exit, CliError> {
    let filled = Form::new("A task")
        .need("title", "--title", "the task in one line", args.title.as_deref())
        .need(
            "description",
            "--description",
            "what is to be done, and how one sees that it is",
            args.description.as_deref(),
        )
        .fill()?;
    let call = filled
        .call()
        .text("priority", args.priority.as_deref())
        .texts("tags", &args.tag)
        .texts("scope", &args.scope);
    let answer = filled.rescue_unused(person.ask("backlog_add", call))?;
    show_saved(&answer, output)
}
