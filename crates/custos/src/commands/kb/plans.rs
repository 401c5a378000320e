//! `custos plans`.

use clap::{Args, Subcommand};
use custos_knowledge::plan::Plan;

use super::answer::{show, show_list};
use super::form::Form;
use super::person::{Call, Person, Place};
use crate::args::Text;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct PlansArgs {
    #[command(subcommand)]
    command: Option<PlansCommand>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    place: Place,
}

const STATUSES: [&str; 3] = ["active", "done", "dropped"];

#[derive(Debug, Args)]
struct ListArgs {
    /// Only plans of this status
    #[arg(long, value_name = "STATUS", value_parser = STATUSES)]
    status: Option<String>,
}

#[derive(Debug, Subcommand)]
enum PlansCommand {
    /// List the plans, and how far each has come
    #[command(after_help = "Examples:\n  custos plans list\n  custos plans list --status active --json")]
    List(ListArgs),
    /// Save a plan; the same title again changes it
    #[command(after_help = "\
Examples:
  custos plans save                  $EDITOR opens for title and steps
  custos plans save --title 'Split the parser' 'move the lexer' 'cut the cycle'
  custos plans save --title 'Split the parser' '[x] move the lexer' '[>] cut the cycle'
  custos plans save --title 'Split the parser' - < steps.txt
  custos plans save --title 'Split the parser' --status done

A step is pending, or begins with a mark: [>] active, [x] done, [-] skipped.
A plan that is there keeps its steps where only its status is given; where neither
is, $EDITOR opens with them. Active plans are part of what a session begins with.")]
    Save(SaveArgs),
}

#[derive(Debug, Args)]
struct SaveArgs {
    /// The plan in one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    title: Option<String>,
    /// Whether it is followed
    #[arg(long, value_name = "STATUS", value_parser = STATUSES)]
    status: Option<String>,
    /// The steps, in their order; `-` reads them from standard input, one per line
    #[arg(value_name = "STEP")]
    steps: Vec<String>,
}

pub(super) fn run(context: &Context, args: &PlansArgs, output: &mut Output) -> Result<Exit, CliError> {
    let person = args.place.open(context)?;
    match &args.command {
        None => list(&person, &args.list, output),
        Some(PlansCommand::List(args)) => list(&person, args, output),
        Some(PlansCommand::Save(args)) => save(&person, args, output),
    }
}

fn list(person: &Person, args: &ListArgs, output: &mut Output) -> Result<Exit, CliError> {
    let call = Call::new().text("status", args.status.as_deref());
    show_list(person.ask_to_the_end("plans", call)?, output)
}

fn save(person: &Person, args: &SaveArgs, output: &mut Output) -> Result<Exit, CliError> {
    let given = (!args.steps.is_empty()).then(|| args.steps.join("\n"));
    let there = match &args.title {
        Some(title) => person.base().plan_titled(&person.view()?, title),
        None => None,
    };
    let about = "one per line; [>] active, [x] done, [-] skipped";
    let form = Form::new("A plan").need("title", "--title", "the plan in one line", args.title.as_deref());
    let form = match &there {
        // Whoever only finishes a plan does not write it anew.
        Some(_) if args.status.is_some() => form.may("steps", "STEP", about, given.as_deref()),
        _ => form.need("steps", "STEP", about, given.as_deref()),
    };
    let filled = form.begun("steps", &there.map(|plan| lines(&plan)).unwrap_or_default()).fill()?;
    let steps: Vec<String> = filled
        .text("steps")
        .lines()
        .map(str::trim)
        .filter(|step| !step.is_empty())
        .map(str::to_owned)
        .collect();
    let call = filled.call().texts("steps", &steps).text("status", args.status.as_deref());
    let answer = person.ask("save_plan", call).map_err(|error| filled.rescue(error))?;
    show(&answer, output)
}

/// Writes the steps of a plan as they are given, one per line.
fn lines(plan: &Plan) -> String {
    let lines = plan.steps.iter().map(|step| format!("[{}] {}", step.state.mark(), step.text));
    lines.collect::<Vec<_>>().join("\n")
}
