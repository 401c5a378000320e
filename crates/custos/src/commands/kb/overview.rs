//! `custos kb`: what a session begins with, what there is, and whether it is in order.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::answer::{safe, show, show_with_last_word};
use super::person::{Call, Person, Place, in_one};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, Output, styled};
use crate::render::count;

#[derive(Debug, Args)]
pub(crate) struct KbArgs {
    #[command(subcommand)]
    command: KbCommand,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Subcommand)]
enum KbCommand {
    /// Show what an agent gets at the start of a session
    #[command(after_help = "\
Examples:
  custos kb context
  custos kb context --stats          what that costs, part by part
  custos kb context --project web

A token is taken for four characters, which is about right for English.")]
    Context {
        /// Show how long each part is, and what the start of a session costs
        #[arg(long)]
        stats: bool,
    },
    /// Find what is mechanically wrong with the files, and repair what can be repaired
    #[command(after_help = "\
Examples:
  custos kb doctor
  custos kb doctor --fix

Broken front matter, ids that a merge gave out twice, references to nothing. What
needs judgement is left to you.

Exit codes:
  0  all is well, or was repaired
  1  something is left; each finding says what to do")]
    Doctor {
        /// Repair what can be repaired without judgement
        #[arg(long)]
        fix: bool,
    },
    /// Count what there is, and say where it is
    #[command(after_help = "Examples:\n  custos kb status\n  custos kb status --json | jq .decisions")]
    Status,
    /// Show the repos of a workspace, and which of them have a knowledge base
    #[command(
        after_help = "Examples:\n  custos kb workspace\n  custos kb workspace --json | jq -r '.repos[].name'"
    )]
    Workspace,
}

pub(super) fn run(context: &Context, args: &KbArgs, output: &mut Output) -> Result<Exit, CliError> {
    let person = args.place.open(context)?;
    match args.command {
        KbCommand::Context { stats: true } => stats(&person, output),
        KbCommand::Context { stats: false } => show(&person.ask_to_the_end("context", Call::new())?, output),
        KbCommand::Doctor { fix } => doctor(&person, fix, output),
        KbCommand::Status => show_with_last_word(person.ask("status", Call::new())?, output),
        KbCommand::Workspace => {
            show_with_last_word(in_one(person.ask_by("path", "workspace", Call::new())?), output)
        }
    }
}

fn doctor(person: &Person, fix: bool, output: &mut Output) -> Result<Exit, CliError> {
    let mut answer = person.ask_to_the_end("kb_doctor", Call::new().flag("fix", fix))?;
    // The summary says how an agent would go on. It is the first line, below what is said of foreign texts.
    let is_summary = |line: &&str| !line.is_empty() && !line.starts_with("> ");
    if let Some(summary) = answer.text.lines().find(is_summary) {
        let said = summary.replace("fix: true", "--fix");
        answer.text = answer.text.replacen(summary, &said, 1);
    }
    show(&answer, output)?;
    Ok(if answer.data["left"] == 0 { Exit::Success } else { Exit::Found })
}

/// How many characters a token has, for an estimate.
const TOKEN: u64 = 4;

fn stats(person: &Person, output: &mut Output) -> Result<Exit, CliError> {
    let answer = person.ask("context", Call::new())?;
    let parts: Vec<(&String, u64)> = answer.data["parts"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, characters)| (name, characters.as_u64().unwrap_or_default()))
        .collect();
    let characters = answer.data["characters"].as_u64().unwrap_or_default();
    if output.is_json() {
        let size = |characters: u64| json!({ "characters": characters, "tokens": tokens(characters) });
        let parts: serde_json::Map<String, Value> =
            parts.iter().map(|(name, characters)| ((*name).clone(), size(*characters))).collect();
        output.json(&json!({
            "root": answer.data["root"], "parts": parts, "characters": characters, "tokens": tokens(characters),
        }))?;
        return Ok(Exit::Success);
    }
    output.line(styled(BOLD, format!("{:<12}{:>12}{:>10}", "part", "characters", "tokens")))?;
    for (name, characters) in parts {
        output.line(format!("{:<12}{characters:>12}{:>10}", safe(name), tokens(characters)))?;
    }
    let cost = format!(
        "session start cost: {}, about {}",
        count(characters, "character"),
        count(tokens(characters), "token")
    );
    output.line(format!("\n{cost}"))?;
    Ok(Exit::Success)
}

fn tokens(characters: u64) -> u64 {
    characters.div_ceil(TOKEN)
}
