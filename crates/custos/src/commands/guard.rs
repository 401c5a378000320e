//! `custos guard`: asking the guard, and telling it what to hold.
//!
//! [`test`](mod@test) and [`batch`] ask what would become of a command or a path, in the [`scene`] that the flags set. [`rules`] shows
//! what is in force and where it comes from, [`edit`] changes it, [`decisions`] has the project's decisions prove themselves, and [`log`] shows what the guard has said so far. Nothing here decides
//! anything: the verdicts are those that a hook would get.

mod args;
mod batch;
mod decisions;
mod edit;
mod log;
mod rules;
mod scene;
mod test;

pub(crate) use args::GuardCommand;
pub(crate) use edit::{NotAdopted, adopt};
pub(crate) use scene::{Scene, Whereabouts};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

pub(crate) fn run(context: &Context, command: &GuardCommand, output: &mut Output) -> Result<Exit, CliError> {
    match command {
        GuardCommand::Test(args) => match &args.batch {
            Some(file) => batch::run(context, file, &args.whereabouts(), output),
            None => test::run(context, args, output),
        },
        GuardCommand::Rules { show_origin } => rules::run(context, *show_origin, output),
        GuardCommand::Add(args) => edit::add(context, args, output),
        GuardCommand::Remove(args) => edit::remove(context, args, output),
        GuardCommand::Decisions => decisions::run(context, output),
        GuardCommand::Log { lines } => log::run(context, *lines, output),
    }
}
