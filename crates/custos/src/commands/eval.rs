//! `custos eval`: how good recall is, and how fast.
//!
//! Both run the product's own code on a memory of their own: documents become events in a log, the index catches up with it, vectors are
//! kept as the worker keeps them, and questions go the way that an agent's question goes. What is measured is what is shipped.

mod invented;
mod retrieval;
mod scratch;
mod speed;

use crate::args::EvalCommand;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

/// Runs an evaluation.
pub(crate) fn run(command: &EvalCommand, output: &mut Output) -> Result<Exit, CliError> {
    match command {
        EvalCommand::Retrieval(args) => retrieval::run(args, output),
        EvalCommand::Speed(args) => speed::run(args, output),
    }
}
