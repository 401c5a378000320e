//! The first look at the arguments, and the last line of defence.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::args::Cli;
use crate::commands;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, BAD, Output, tell};

/// Runs the program: the quick paths first, then everything else. A panic ends as a reported bug, never as a code that blocks.
pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let ended = catch_unwind(AssertUnwindSafe(|| {
        // `log append` is called by other programs for every single event. It gets no parser, no index, no colour.
        if let [_, log, append] = arguments.as_slice()
            && log == "log"
            && append == "append"
        {
            return commands::append::run();
        }
        run(&arguments)
    }));
    match ended {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(error)) => report(&error).into(),
        Err(_) => {
            tell("custos: this is a bug in Custos; the message above says where. Please report it.");
            Exit::Internal.into()
        }
    }
}

fn run(arguments: &[OsString]) -> Result<Exit, CliError> {
    let parsed =
        Cli::command().try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
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
                    Ok(*exit)
                }
                ended => ended,
            }
        }
        // clap would exit with 2 here.
        Err(error) => {
            if !error.use_stderr() {
                error.print()?;
                return Ok(Exit::Success);
            }
            if arguments.iter().any(|argument| argument == "--json") {
                let text = error.render().to_string();
                let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
                let hint = "`--help` shows how it is used";
                let code = Exit::Usage.code();
                Output::new(true)
                    .json(&serde_json::json!({ "error": message, "hint": hint, "code": code }))?;
            } else {
                error.print()?;
            }
            Ok(Exit::Usage)
        }
    }
}

fn report(error: &CliError) -> Exit {
    if !error.is_silent() {
        tell(format!("{} {}", output::styled(BAD, "custos:"), error.message));
        if let Some(hint) = &error.hint {
            tell(format!("  {hint}"));
        }
    }
    error.exit
}
