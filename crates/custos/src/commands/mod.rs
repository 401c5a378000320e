//! One module per command.

pub(crate) mod append;
mod backup;
mod clients;
mod config;
pub(crate) mod context;
pub(crate) mod distill;
mod doctor;
mod eval;
pub(crate) mod fixtures;
mod forget;
pub(crate) mod guard;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod init;
pub(crate) mod kb;
mod log;
mod manual;
pub(crate) mod mcp;
pub(crate) mod memory;
mod migrate;
pub(crate) mod observations;
pub(crate) mod proposals;
pub(crate) mod search;
mod setup;
pub(crate) mod show;
mod status;
pub(crate) mod trust;
mod uninstall;
pub(crate) mod usage;
mod verify;
pub(crate) mod why;
pub(crate) mod work;
pub(crate) mod worker;

use custos_config::Loaded;

use crate::args::{Command, LogCommand};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

/// Runs a command.
pub(crate) fn run(command: Command, output: &mut Output) -> Result<Exit, CliError> {
    match command {
        // What needs no memory must work where there is none.
        Command::Completions { shell } => manual::completions(shell, output),
        Command::Man { command } => manual::page(&command, output),
        Command::Log(LogCommand::Append) => append::run(),
        Command::Fixtures(command) => fixtures::run(&command, output),
        Command::Eval(command) => eval::run(&command, output),
        // Taken out by the dispatcher, which knows how a hook ends.
        Command::Hook { .. } => Ok(Exit::Usage),
        command => {
            let (context, loaded) = Context::full()?;
            output.choose_color(context.settings.output.color);
            run_in(&context, &loaded, command, output)
        }
    }
}

fn run_in(
    context: &Context,
    loaded: &Loaded,
    command: Command,
    output: &mut Output,
) -> Result<Exit, CliError> {
    match command {
        Command::Setup(args) => setup::run(context, &args, output),
        Command::Uninstall(args) => uninstall::run(context, &args, output),
        Command::Clients { name: Some(name), read: Some(event) } => {
            clients::read(context, &name, &event, output)
        }
        Command::Clients { name, .. } => clients::run(context, name.as_deref(), output),
        Command::Guard(command) => guard::run(context, &command, output),
        Command::Trust(args) => trust::run(context, &args, output),
        Command::Init(args) => init::run(context, &args, output),
        Command::Proposals(args) => proposals::run(context, &args, output),
        Command::Knowledge(command) => kb::run(context, &command, output),
        Command::Import(command) => import::run(context, &command, output),
        Command::Mcp(args) => mcp::run(context, &args),
        Command::Status => status::run(context, output),
        Command::Doctor { online } => doctor::run(context, loaded, online, output),
        Command::Log(LogCommand::Tail(args)) => log::tail(context, &args, output),
        Command::Log(LogCommand::Show { id }) => log::show(context, &id, output),
        Command::Search(args) => search::run(context, &args, output),
        Command::Timeline(args) => search::timeline(context, &args, output),
        Command::Show(args) => show::run(context, &args, output),
        Command::Memory(command) => memory::run(context, &command, output),
        Command::Context(args) => context::run(context, &args, output),
        Command::Why(args) => why::run(context, &args, output),
        Command::Observations(args) => observations::run(context, &args, output),
        Command::Summaries(args) => observations::summaries(context, &args, output),
        Command::Distill(command) => distill::run(context, &command, output),
        Command::Worker(args) => worker::run(context, &args, output),
        Command::Work(command) => work::run(context, &command, output),
        Command::Usage(args) => usage::run(context, &args, output),
        Command::Verify => verify::run(context, output),
        Command::Forget(args) => forget::run(context, &args, output),
        Command::Index(command) => index::run(context, &command, output),
        Command::Backup(command) => backup::run(context, &command, output),
        Command::Migrate(args) => migrate::run(context, &args, output),
        Command::Config(command) => config::run(context, loaded, &command, output),
        other @ (Command::Completions { .. }
        | Command::Man { .. }
        | Command::Hook { .. }
        | Command::Fixtures(_)
        | Command::Eval(_)
        | Command::Log(LogCommand::Append)) => run(other, output),
    }
}
