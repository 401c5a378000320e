//! `custos import`: what was kept elsewhere, carried over.
//!
//! [`axme`] shows first what it would do, asks, and then does it; [`rules`] has the guard say what the safety rules of the other come to here.
//! [`instructions`] only proposes.

mod axme;
mod instructions;
mod rules;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Carry over what AXME Code keeps in `.axme-code/`
    #[command(after_help = "\
Examples:
  custos import axme --dry-run       what would be done
  custos import axme ~/src/shop
  custos import axme --yes --json

Decisions, memories, tasks, questions, the oracle, handoffs, the worklog, plans
and safety rules, of a workspace and of the repos in it. Ids are kept where they
are free; what has no place here is kept as it is below .ai/archive/axme, and
what is private to this machine below .ai/local/axme. Nothing that is there is
changed, secrets are taken out, .axme-code stays as it is, and a second run
finds nothing to do.

Exit codes:
  0  everything is here, or would be
  1  something could not be carried; it says what and why")]
    Axme(AxmeArgs),
    /// Propose the rules in CLAUDE.md, AGENTS.md and the like as memories
    #[command(after_help = "\
Examples:
  custos import instructions
  custos import instructions --file docs/CONVENTIONS.md
  custos proposals accept P-001 P-004

Reads CLAUDE.md, AGENTS.md, GEMINI.md, .github/copilot-instructions.md and
.cursor/rules. Nothing is kept until you accept it.")]
    Instructions(InstructionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AxmeArgs {
    /// The project, or its `.axme-code`
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// The project to carry it to [default: the one that it is in]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct InstructionsArgs {
    /// A file to read, instead of those that clients read; may be given several times
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// The project [default: $CUSTOS_ROOT, else the working directory]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

pub(crate) fn run(context: &Context, command: &ImportCommand, output: &mut Output) -> Result<Exit, CliError> {
    match command {
        ImportCommand::Axme(args) => axme::run(context, args, output),
        ImportCommand::Instructions(args) => instructions::run(context, args, output),
    }
}
