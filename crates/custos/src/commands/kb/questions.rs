//! `custos questions`.

use clap::{Args, Subcommand};
use custos_knowledge::question::{Question, is_called};
use serde_json::json;

use super::answer::{in_commands, safe, show, show_list};
use super::form::Form;
use super::person::{Call, Person, Place};
use crate::args::{Name, Text};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct QuestionsArgs {
    #[command(subcommand)]
    command: Option<QuestionsCommand>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Show those that are over as well
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Subcommand)]
enum QuestionsCommand {
    /// List the questions that wait for an answer, or for their answer to be applied
    #[command(
        after_help = "Examples:\n  custos questions list\n  custos questions list --all --json | jq -r '.questions[].title'"
    )]
    List(ListArgs),
    /// Leave a question
    #[command(after_help = "\
Examples:
  custos questions ask               $EDITOR opens for the text
  custos questions ask 'Do we still support Node 18?' --context 'package.json says so'")]
    Ask {
        /// The question; `-` reads it from standard input
        #[arg(value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
        text: Option<String>,
        /// What one has to know in order to answer
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
        context: Option<String>,
    },
    /// Answer a question
    #[command(after_help = "\
Examples:
  custos questions answer Q-002      $EDITOR opens, with the question in it
  custos questions answer Q-002 'Keep it for another release.'

The next session finds the answer and puts it to use.")]
    Answer {
        /// Its id
        #[arg(value_parser = Name)]
        id: String,
        /// The answer; `-` reads it from standard input
        #[arg(value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
        text: Option<String>,
    },
    /// Mark an answer as applied, or put a question away
    #[command(after_help = "\
Examples:
  custos questions update Q-002 --status applied --note 'engines field raised'
  custos questions update Q-002 --status archived")]
    Update {
        /// Its id
        #[arg(value_parser = Name)]
        id: String,
        /// What it becomes
        #[arg(long, value_name = "STATUS", value_parser = ["applied", "archived"])]
        status: String,
        /// What was done, or why it is over; `-` reads it from standard input
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
        note: Option<String>,
    },
}

pub(super) fn run(context: &Context, args: &QuestionsArgs, output: &mut Output) -> Result<Exit, CliError> {
    let person = args.place.open(context)?;
    match &args.command {
        None => list(&person, &args.list, output),
        Some(QuestionsCommand::List(args)) => list(&person, args, output),
        Some(QuestionsCommand::Ask { text, context }) => {
            let filled = Form::new("A question")
                .need("question", "TEXT", "the question", text.as_deref())
                .may("context", "--context", "what one has to know in order to answer", context.as_deref())
                .fill()?;
            let call = filled.call();
            let answer = filled.rescue_unused(person.ask("ask_question", call))?;
            show(&answer, output)
        }
        Some(QuestionsCommand::Answer { id, text }) => {
            let filled = Form::new("An answer")
                .need("answer", "TEXT", "the answer", text.as_deref())
                .beside(asked(&person, id)?)
                .fill()?;
            let call = filled.call().text("question_id", id.as_str());
            let answer = person.ask("answer_question", call).map_err(|error| filled.rescue(error))?;
            show(&answer, output)
        }
        Some(QuestionsCommand::Update { id, status, note }) => {
            let filled =
                Form::new("A note").may("note", "--note", "what was done", note.as_deref()).fill()?;
            let call = filled.call().text("question_id", id.as_str()).text("status", status.as_str());
            show(&person.ask("update_question", call)?, output)
        }
    }
}

/// Gives a question in the words in which it was asked, so that it stands beside the answer. One that is not there is refused later.
fn asked(person: &Person, id: &str) -> Result<String, CliError> {
    let questions = person.base().questions(&person.view()?).questions;
    let found = questions.iter().find(|question| is_called(question, id));
    Ok(found.map_or_else(String::new, |question| whole(question, "")))
}

fn list(person: &Person, args: &ListArgs, output: &mut Output) -> Result<Exit, CliError> {
    if args.all {
        return all(person, output);
    }
    let mut answer = person.ask_to_the_end("list_open_questions", Call::new())?;
    // What to do about an answer stands below it; all else is somebody's text.
    let is_advice = |line: &str| ADVICE.iter().any(|advice| line.starts_with(advice));
    let line = |line: &str| if is_advice(line) { in_commands(line) } else { line.to_owned() };
    answer.text = answer.text.split('\n').map(line).collect::<Vec<_>>().join("\n");
    show_list(answer, output)
}

/// How the lines begin that say what to do about an answer.
const ADVICE: [&str; 2] = [
    "Put it to use, then `update_question`",
    "Nobody has vouched for this answer: ask the person before you",
];

/// Lists every question of the file. Agents have no need for those that are over, so no tool does this.
fn all(person: &Person, output: &mut Output) -> Result<Exit, CliError> {
    let found = person.base().questions(&person.view()?);
    if output.is_json() {
        let total = found.questions.len();
        output.json(&json!({ "questions": found.questions, "faults": found.faults, "total": total }))?;
        return Ok(Exit::Success);
    }
    let mut parts: Vec<String> = found.questions.iter().map(|question| whole(question, "## ")).collect();
    parts.extend(
        found
            .faults
            .iter()
            .map(|fault| format!("{} cannot be read, line {}: {}\n", fault.file, fault.line, fault.reason)),
    );
    if parts.is_empty() {
        parts.push("No questions. `custos questions ask` leaves one.".to_owned());
    }
    output.line(safe(parts.join("\n").trim_end()))?;
    Ok(Exit::Success)
}

fn whole(question: &Question, mark: &str) -> String {
    let mut text = format!("{mark}{} [{}] {}\n", question.id, question.status.word(), question.title);
    let parts = [
        ("", &question.question),
        ("Context: ", &question.context),
        ("Answer: ", &question.answer),
        ("Note: ", &question.note),
    ];
    for (name, part) in parts.into_iter().filter(|(_, part)| !part.is_empty() && **part != question.title) {
        text.push_str(&format!("\n{name}{part}\n"));
    }
    text
}
