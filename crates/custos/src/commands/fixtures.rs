//! `custos fixtures`: hooks as recorded cases.
//!
//! A case is a folder: what a client said (`stdin.json`), what the hook command answered (`expected.json`), and under which circumstances
//! (`case.yaml`). [`record`](mod@record) stands between a client and any hook command and writes such folders without either noticing;
//! [`replay`] asks the same questions again and compares, in a home that is thrown away afterwards; its sibling `diff` asks two
//! commands. What differs from run to run by its nature is left out of the comparison, by rules in `case.yaml`.

mod args;
mod case;
mod compare;
mod line;
mod record;
mod replay;
mod running;

use std::path::{Path, PathBuf};

pub(crate) use args::FixturesCommand;
pub(crate) use record::record;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

/// Runs one of the commands that check cases.
pub(crate) fn run(command: &FixturesCommand, output: &mut Output) -> Result<Exit, CliError> {
    match command {
        // Taken out by the dispatcher: it ends as the command that it wraps.
        FixturesCommand::Record(_) => Ok(Exit::Usage),
        FixturesCommand::Replay(args) => replay::replay(args, output),
        FixturesCommand::Diff(args) => replay::diff(args, output),
    }
}

/// Gives the directory of the cases: the one that was named, or one beside the rest of what never leaves this machine.
fn directory(named: Option<&Path>) -> Result<PathBuf, CliError> {
    match named {
        Some(named) => Ok(named.to_owned()),
        None => Ok(Context::quick()?.places.state.join("fixtures")),
    }
}
