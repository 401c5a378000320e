//! The knowledge base on the command line: what agents do with tools, people and scripts do with these commands.
//!
//! Both stand before the same desk and get the same answer, as text or with `--json` as data. [`person`] opens the desk and asks;
//! [`answer`] shows what comes back, and says in commands what was said in tools; [`form`] gets the texts that were not given, from
//! standard input or from the person's editor. Each group of commands has a module with its arguments.

pub(super) mod answer;
mod backlog;
mod close;
mod decisions;
mod draft;
mod editor;
pub(super) mod form;
mod memories;
mod oracle;
mod overview;
mod person;
mod plans;
mod questions;
mod worklog;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum KnowledgeCommand {
    /// See what a session begins with, and check the knowledge base
    #[command(after_help = "\
Examples:
  custos kb context                  what a session begins with
  custos kb doctor")]
    Kb(overview::KbArgs),
    /// List, read, record and archive decisions
    #[command(after_help = "\
Examples:
  custos decisions                   those in force, of every level
  custos decisions --archived
  custos decisions show D-012
  custos decisions add               $EDITOR opens for the texts")]
    Decisions(decisions::DecisionsArgs),
    /// List, read, keep, merge and archive memories: what was corrected, and what works here
    #[command(after_help = "\
Examples:
  custos memories
  custos memories --type feedback
  custos memories show tests-run-with-nextest
  custos memories add --type pattern")]
    Memories(memories::MemoriesArgs),
    /// List, read and change the tasks that outlive a session
    #[command(after_help = "\
Examples:
  custos backlog                     all but what is done
  custos backlog --status done
  custos backlog show B-003
  custos backlog update B-003 --status done --note 'merged'")]
    Backlog(backlog::BacklogArgs),
    /// List and answer the questions that agents left, or leave one
    #[command(after_help = "\
Examples:
  custos questions                   those that wait for you, or for their answer to be applied
  custos questions --all
  custos questions answer Q-002 'Keep it for another release.'")]
    Questions(questions::QuestionsArgs),
    /// List and save plans of several steps
    #[command(after_help = "\
Examples:
  custos plans
  custos plans --status active
  custos plans save --title 'Split the parser' 'move the lexer' 'cut the cycle'")]
    Plans(plans::PlansArgs),
    /// Show what is known about the project as a whole, or scan it
    #[command(after_help = "\
Examples:
  custos oracle show
  custos oracle scan
  custos oracle scan --dry-run")]
    Oracle(oracle::OracleArgs),
    /// Show the handoff that the next session begins with
    #[command(
        after_help = "Examples:\n  custos handoff\n  custos handoff --json | jq -r .handoff.parts.next_steps"
    )]
    Handoff(close::HandoffArgs),
    /// Show what happened lately in this project, or add to the worklog
    #[command(after_help = "\
Examples:
  custos worklog
  custos worklog --limit 100
  custos worklog add 'Moved the staging database.'")]
    Worklog(worklog::WorklogArgs),
    /// Write the handoff for the next session, and the worklog
    #[command(after_help = "\
Examples:
  custos close                       $EDITOR opens with what to fill in
  custos close --stopped-at 'step 3 of the plan' --summary 'the lexer is out' \\
      --next-steps 'cut the cycle in resolve.rs'

What the next session begins with. An agent does this by itself at the end of a
session; this is for work that you did without one.

Exit codes:
  0  everything is kept
  1  some of it is not; it says what and why")]
    Close(close::CloseArgs),
}

pub(crate) fn run(
    context: &Context,
    command: &KnowledgeCommand,
    output: &mut Output,
) -> Result<Exit, CliError> {
    match command {
        KnowledgeCommand::Kb(args) => overview::run(context, args, output),
        KnowledgeCommand::Decisions(args) => decisions::run(context, args, output),
        KnowledgeCommand::Memories(args) => memories::run(context, args, output),
        KnowledgeCommand::Backlog(args) => backlog::run(context, args, output),
        KnowledgeCommand::Questions(args) => questions::run(context, args, output),
        KnowledgeCommand::Plans(args) => plans::run(context, args, output),
        KnowledgeCommand::Oracle(args) => oracle::run(context, args, output),
        KnowledgeCommand::Handoff(args) => close::handoff(context, args, output),
        KnowledgeCommand::Worklog(args) => worklog::run(context, args, output),
        KnowledgeCommand::Close(args) => close::run(context, args, output),
    }
}

/// Reports a refusal of the knowledge base.
pub(crate) fn refused(refusal: &custos_knowledge::Refusal) -> CliError {
    answer::refused(refusal)
}
