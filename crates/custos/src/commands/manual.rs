//! `custos completions` and `custos man`: made from the same definition as the commands.

use clap::CommandFactory;

use crate::args::Cli;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;

pub(crate) fn completions(shell: clap_complete::Shell, output: &mut Output) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "custos", &mut script);
    output.raw(&script)?;
    Ok(Exit::Success)
}

pub(crate) fn page(path: &[String], output: &mut Output) -> Result<Exit, CliError> {
    let mut command = Cli::command();
    command.build();
    for name in path {
        let Some(found) = command.find_subcommand(name) else {
            return Err(CliError::new(Exit::Usage, format!("there is no command `{}`", path.join(" ")))
                .hint("`custos help` lists them"));
        };
        command = found.clone();
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    if path.is_empty() {
        page.extend(extra_sections().into_bytes());
    }
    output.raw(&page)?;
    Ok(Exit::Success)
}

/// The tables that the help has no room for: exit codes and environment variables.
fn extra_sections() -> String {
    let mut text = String::from(".SH \"EXIT CODES\"\n");
    for exit in Exit::ALL {
        text.push_str(&format!(".TP\n{}\n{}\n", exit.code(), exit.meaning()));
    }
    text.push_str(".SH ENVIRONMENT\n");
    for variable in custos_config::env::ALL {
        text.push_str(&format!(".TP\n\\fB{}\\fR\n{}\n", variable.name, variable.what.replace('\\', "\\\\")));
    }
    text
}
