//! `custos decisions`.

use clap::{ArgGroup, Args, Subcommand};

use super::answer::{show, show_saved, show_with_last_word};
use super::form::Form;
use super::person::{Call, Person, Place};
use crate::args::{Name, Text};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct DecisionsArgs {
    #[command(subcommand)]
    command: Option<DecisionsCommand>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Show those that were put away as well
    #[arg(long)]
    archived: bool,
}

#[derive(Debug, Subcommand)]
enum DecisionsCommand {
    /// List the decisions in force, of every level
    #[command(
        after_help = "Examples:\n  custos decisions list\n  custos decisions list --archived --json | jq -r '.decisions[].id'"
    )]
    List(ListArgs),
    /// Show a decision in full, with its reasoning
    #[command(after_help = "Examples:\n  custos decisions show D-012\n  custos decisions show use-utc")]
    Show {
        /// Its id, slug or title
        #[arg(allow_hyphen_values = true, value_parser = Name)]
        id: String,
    },
    /// Record a decision
    #[command(after_help = "\
Examples:
  custos decisions add               $EDITOR opens for the texts
  custos decisions add --title 'Times are UTC' --decision 'All times are stored in UTC.' \\
      --reasoning 'Two time zones were mixed up in May.' --required
  custos decisions add --title 'The pipeline applies' --decision - --reasoning 'state locks' \\
      --required --guard-command 'terraform apply' \\
      --must-block 'terraform apply -auto-approve' --must-allow 'terraform plan' < decision.md

A guard makes the decision hold: what must be blocked is blocked from then on, once
its examples hold in every spelling that is tried. An equivalent title changes nothing.

Exit codes:
  0  it is kept
  1  a repo of its scope did not take it; it says which and why")]
    Add(AddArgs),
    /// Put away a decision that no longer holds
    #[command(after_help = "\
Examples:
  custos decisions archive D-012 --reason 'the service is gone'
  custos decisions archive D-012 --reason 'replaced' --superseded-by D-031

It moves to .ai/archive/ with the time and the reason. One that the guard enforces is
archived here and nowhere else: no agent can.")]
    Archive {
        /// Its id, slug or title
        #[arg(allow_hyphen_values = true, value_parser = Name)]
        id: String,
        /// Why it no longer holds
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
        reason: Option<String>,
        /// The decision that holds instead
        #[arg(long, value_name = "ID")]
        superseded_by: Option<String>,
    },
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("guard").args(["guard_command", "guard_path"]))]
struct AddArgs {
    /// The decision in one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    title: Option<String>,
    /// What is decided, in full; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    decision: Option<String>,
    /// Why, and what was rejected; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    reasoning: Option<String>,
    /// It binds; otherwise a good reason is enough to deviate
    #[arg(long)]
    required: bool,
    /// Where it is kept: the name of a repo in the workspace, or `user` for all your projects; may be repeated
    #[arg(long, value_name = "NAME")]
    scope: Vec<String>,
    /// A decision whose place it takes; may be repeated
    #[arg(long, value_name = "ID")]
    supersedes: Vec<String>,
    /// Block commands that break it, such as 'terraform apply'
    #[arg(long, value_name = "PATTERN", requires_all = ["required", "must_block", "must_allow"])]
    guard_command: Option<String>,
    /// Block access to files that break it, such as 'infra/prod/**'
    #[arg(long, value_name = "PATTERN", requires_all = ["required", "must_block", "must_allow"])]
    guard_path: Option<String>,
    /// An example that must be blocked; may be repeated
    #[arg(long, value_name = "EXAMPLE", requires = "guard")]
    must_block: Vec<String>,
    /// An example that must not be blocked; may be repeated
    #[arg(long, value_name = "EXAMPLE", requires = "guard")]
    must_allow: Vec<String>,
}

pub(super) fn run(context: &Context, args: &DecisionsArgs, output: &mut Output) -> Result<Exit, CliError> {
    let person = args.place.open(context)?;
    match &args.command {
        None => list(&person, &args.list, output),
        Some(DecisionsCommand::List(args)) => list(&person, args, output),
        Some(DecisionsCommand::Show { id }) => {
            let call = Call::new().text("id_or_slug", id.as_str());
            show(&person.ask_to_the_end("get_decision", call)?, output)
        }
        Some(DecisionsCommand::Add(args)) => add(&person, args, output),
        Some(DecisionsCommand::Archive { id, reason, superseded_by }) => {
            let form = Form::new("Why a decision is put away").need(
                "reason",
                "--reason",
                "why it no longer holds",
                reason.as_deref(),
            );
            let filled = form.fill()?;
            let call = filled.call().text("id", id.as_str()).text("superseded_by", superseded_by.as_deref());
            let answer = person.ask("archive_decision", call).map_err(|error| filled.rescue(error))?;
            show(&answer, output)
        }
    }
}

fn list(person: &Person, args: &ListArgs, output: &mut Output) -> Result<Exit, CliError> {
    let call = Call::new().flag("include_archived", args.archived);
    show_with_last_word(person.ask_to_the_end("decisions", call)?, output)
}

fn add(person: &Person, args: &AddArgs, output: &mut Output) -> Result<Exit, CliError> {
    let filled = Form::new("A decision")
        .need("title", "--title", "the decision in one line", args.title.as_deref())
        .need("decision", "--decision", "what is decided, in full", args.decision.as_deref())
        .need("reasoning", "--reasoning", "why, and what was rejected", args.reasoning.as_deref())
        .fill()?;
    let is_guarded = args.guard_command.is_some() || args.guard_path.is_some();
    let guard = is_guarded.then(|| {
        Call::new()
            .text("command", args.guard_command.as_deref())
            .text("path", args.guard_path.as_deref())
            .texts("must_block", &args.must_block)
            .texts("must_allow", &args.must_allow)
    });
    let call = filled
        .call()
        // Left out otherwise: an equivalent decision may be required, and nobody asked for that to change.
        .text("enforce", args.required.then_some("required"))
        .texts("scope", &args.scope)
        .texts("supersedes", &args.supersedes)
        .thing("guard", guard);
    let answer = filled.rescue_unused(person.ask("save_decision", call))?;
    show_saved(&answer, output)
}
