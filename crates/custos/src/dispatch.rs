//! The first look at the arguments, and the last line of defence.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::{Cli, Command, with_steps_last};
use crate::commands::{self, fixtures::FixturesCommand};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, BAD, Output, tell};
use crate::render;

/// Runs the program: the quick paths first, then everything else. A panic ends as a reported bug, never as a code that blocks.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let ended = catch_unwind(AssertUnwindSafe(|| {
        // A hook runs at every step of an agent: it gets nothing but itself, and its own way of ending.
        if let [_, hook, client, event] = arguments.as_slice()
            && hook == "hook"
        {
            return Ok(commands::hook::run(client, event));
        }
        // Cursor and Copilot run the hooks of Claude Code without their arguments; a failure would deny every tool there.
        if arguments.len() < 2 && commands::hook::is_run_by_another() {
            return Ok(ExitCode::SUCCESS);
        }
        // `log append` is called by other programs for every single event. It gets no parser, no index, no colour.
        if let [_, log, append] = arguments.as_slice()
            && log == "log"
            && append == "append"
        {
            return commands::append::run().map(ExitCode::from);
        }
        // A client waits for its server before it shows its first line, and a server has nothing to parse.
        if let [_, mcp] = arguments.as_slice()
            && mcp == "mcp"
        {
            return commands::mcp::run_here().map(ExitCode::from);
        }
        // A worker lets go of the hook that started it before it opens anything of its own.
        if let [_, worker] = arguments.as_slice()
            && worker == "worker"
        {
            custos_worker::wake::let_go();
        }
        run(&arguments)
    }));
    match ended {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => report(&error).into(),
        Err(_) => {
            tell("custos: this is a bug in Custos; the message above says where. Please report it.");
            Exit::Internal.into()
        }
    }
}

fn run(arguments: &[OsString]) -> Result<ExitCode, CliError> {
    let parsed = Cli::command()
        .try_get_matches_from(with_steps_last(arguments))
        .and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Ok(Cli { command: Command::Hook { client, event }, .. }) => {
            Ok(commands::hook::run(client.as_ref(), event.as_ref()))
        }
        // Ends as the command that it wraps does.
        Ok(Cli { command: Command::Fixtures(FixturesCommand::Record(args)), .. }) => {
            Ok(commands::fixtures::record(&args))
        }
        Ok(cli) => {
            let mut output = Output::new(cli.json);
            let ended =
                commands::run(cli.command, &mut output).and_then(|exit| output.flush().map(|()| exit));
            match ended {
                // Whoever asked for JSON gets the reason as JSON as well.
                Err(error) if cli.json && !error.is_silent() => {
                    let CliError { exit, message, hint } = &error;
                    output
                        .json(&serde_json::json!({ "error": message, "hint": hint, "code": exit.code() }))?;
                    Ok((*exit).into())
                }
                ended => ended.map(ExitCode::from),
            }
        }
        // clap would exit with 2 here.
        Err(error) => {
            if !error.use_stderr() {
                error.print()?;
                return Ok(ExitCode::SUCCESS);
            }
            if arguments.iter().any(|argument| argument == "--json") {
                let (message, hint) = usage(&error.render().to_string());
                let code = Exit::Usage.code();
                Output::new(true)
                    .json(&serde_json::json!({ "error": message, "hint": hint, "code": code }))?;
            } else {
                error.print()?;
            }
            Ok(Exit::Usage.into())
        }
    }
}

/// Makes one line of what is wrong with the arguments, with all that is missing or allowed, and one of what clap advises.
fn usage(text: &str) -> (String, String) {
    let mut paragraphs =
        text.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    let message = paragraphs.next().unwrap_or_default();
    let tips = paragraphs.filter(|paragraph| paragraph.starts_with("tip: "));
    let hint = tips.map(|tip| tip.trim_start_matches("tip: ").to_owned());
    let hint: Vec<String> = hint.chain(["`--help` shows how it is used".to_owned()]).collect();
    (message.trim_start_matches("error: ").to_owned(), hint.join("; "))
}

fn report(error: &CliError) -> Exit {
    if !error.is_silent() {
        tell(format!("{} {}", output::styled(BAD, "custos:"), error.message));
        if let Some(hint) = &error.hint {
            tell(format!("  {}", render::fitted(hint, 2, output::is_read_on_terminal())));
        }
    }
    error.exit
}
