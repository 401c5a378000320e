//! `custos memories`.

use clap::{Args, Subcommand};

use super::answer::{show, show_saved, show_with_last_word};
use super::form::Form;
use super::person::{Call, Person, Place};
use crate::args::{Name, Text};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct MemoriesArgs {
    #[command(subcommand)]
    command: Option<MemoriesCommand>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    place: Place,
}

/// What a memory is: feedback is what a person corrected, a pattern what works here.
const KINDS: [&str; 2] = ["feedback", "pattern"];

#[derive(Debug, Args)]
struct ListArgs {
    /// Only feedback (what was corrected) or patterns (what works here)
    #[arg(long = "type", value_name = "TYPE", value_parser = KINDS)]
    kind: Option<String>,
}

#[derive(Debug, Subcommand)]
enum MemoriesCommand {
    /// List the memories of every level
    #[command(after_help = "Examples:\n  custos memories list\n  custos memories list --type pattern --json")]
    List(ListArgs),
    /// Show a memory in full, with its details
    #[command(after_help = "Examples:\n  custos memories show tests-run-with-nextest")]
    Show {
        /// Its slug
        #[arg(value_parser = Name)]
        slug: String,
    },
    /// Keep a lesson for later sessions
    #[command(after_help = "\
Examples:
  custos memories add --type pattern               $EDITOR opens for the texts
  custos memories add --type feedback --title 'No emoji in commits' \\
      --description 'Commit messages are plain text.' --keyword git --scope user

The same title again changes the memory in place.

Exit codes:
  0  it is kept
  1  a repo of its scope did not take it; it says which and why")]
    Add(AddArgs),
    /// Put away a memory that is wrong or outdated
    #[command(after_help = "\
Examples:
  custos memories archive old-ci-trick --reason 'the runner was replaced'
  custos memories archive old-ci-trick --reason replaced --superseded-by new-ci-trick")]
    Archive {
        /// Its slug
        #[arg(value_parser = Name)]
        slug: String,
        /// Why it no longer holds
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
        reason: Option<String>,
        /// The memory that holds instead
        #[arg(long, value_name = "SLUG")]
        superseded_by: Option<String>,
    },
    /// Fold memories that say the same into one
    #[command(after_help = "\
Examples:
  custos memories merge run-nextest use-nextest nextest-not-test
  custos memories merge run-nextest use-nextest --description 'Tests run with cargo nextest.'

The first stays, the others are archived in its favour: all of them or none.")]
    Merge {
        /// The slug of the one that stays
        #[arg(value_parser = Name)]
        into: String,
        /// The slugs of those that go
        #[arg(required = true, value_parser = Name)]
        from: Vec<String>,
        /// What the one that stays says from now on
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
        description: Option<String>,
        /// Its details from now on
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
        body: Option<String>,
    },
}

#[derive(Debug, Args)]
struct AddArgs {
    /// Feedback (what was corrected) or pattern (what works here)
    #[arg(long = "type", value_name = "TYPE", value_parser = KINDS)]
    kind: String,
    /// The lesson in one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    title: Option<String>,
    /// What to do, in one to three sentences; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    description: Option<String>,
    /// Details, which are read on demand; `-` reads them from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    body: Option<String>,
    /// A word to find it by; may be repeated
    #[arg(long, value_name = "WORD", allow_hyphen_values = true, value_parser = Text)]
    keyword: Vec<String>,
    /// Where it is kept: the name of a repo in the workspace, or `user` for all your projects; may be repeated
    #[arg(long, value_name = "NAME")]
    scope: Vec<String>,
    /// A memory whose place it takes; may be repeated
    #[arg(long, value_name = "SLUG")]
    supersedes: Vec<String>,
}

pub(super) fn run(context: &Context, args: &MemoriesArgs, output: &mut Output) -> Result<Exit, CliError> {
    let person = args.place.open(context)?;
    match &args.command {
        None => list(&person, &args.list, output),
        Some(MemoriesCommand::List(args)) => list(&person, args, output),
        Some(MemoriesCommand::Show { slug }) => {
            show(&person.ask_to_the_end("get_memory", Call::new().text("slug", slug.as_str()))?, output)
        }
        Some(MemoriesCommand::Add(args)) => add(&person, args, output),
        Some(MemoriesCommand::Archive { slug, reason, superseded_by }) => {
            let form = Form::new("Why a memory is put away").need(
                "reason",
                "--reason",
                "why it no longer holds",
                reason.as_deref(),
            );
            let filled = form.fill()?;
            let call =
                filled.call().text("slug", slug.as_str()).text("superseded_by", superseded_by.as_deref());
            let answer = person.ask("archive_memory", call).map_err(|error| filled.rescue(error))?;
            show(&answer, output)
        }
        Some(MemoriesCommand::Merge { into, from, description, body }) => {
            let call = Call::new()
                .text("into", into.as_str())
                .texts("from", from)
                .text("description", description.as_deref())
                .text("body", body.as_deref());
            show(&person.ask("merge_memories", call)?, output)
        }
    }
}

fn list(person: &Person, args: &ListArgs, output: &mut Output) -> Result<Exit, CliError> {
    let call = Call::new().text("type", args.kind.as_deref());
    show_with_last_word(person.ask_to_the_end("memories", call)?, output)
}

fn add(person: &Person, args: &AddArgs, output: &mut Output) -> Result<Exit, CliError> {
    let filled = Form::new("A memory")
        .need("title", "--title", "the lesson in one line", args.title.as_deref())
        .need(
            "description",
            "--description",
            "what to do, in one to three sentences",
            args.description.as_deref(),
        )
        .may("body", "--body", "details, which are read on demand", args.body.as_deref())
        .fill()?;
    let call = filled
        .call()
        .text("type", args.kind.as_str())
        .texts("keywords", &args.keyword)
        .texts("scope", &args.scope)
        .texts("supersedes", &args.supersedes);
    let answer = person.ask("save_memory", call).map_err(|error| filled.rescue(error))?;
    show_saved(&answer, output)
}
