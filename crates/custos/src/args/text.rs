//! Texts that begin with a dash: a list in Markdown, a title that is `---`.
//!
//! clap takes whatever begins with a dash for an option. Where a text is wanted, [`Text`] takes it as it is, but for what can only be a slip: an
//! option of the same command, and, where no option stands before the text, a single word that looks like one.
//!
//! The steps of a plan are several, and clap would take every option after the first of them for a step. So [`with_steps_last`] sorts these
//! arguments beforehand.

use std::ffi::{OsStr, OsString};

use clap::builder::{StringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command};

/// Options of `plans save` whose value is the next argument.
const BEFORE_STEPS: [&str; 4] = ["--project", "--root", "--status", "--title"];

/// Reads a text that may begin with a dash.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text;

impl TypedValueParser for Text {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        let text = StringValueParser::new().parse_ref(command, arg, value)?;
        match arg {
            Some(arg) if arg.is_positional() && looks_like_option(&text) => {
                let mut error = Error::new(ErrorKind::UnknownArgument).with_cmd(command);
                error.insert(ContextKind::InvalidArg, ContextValue::String(text));
                Err(error)
            }
            Some(arg) if is_option_of(command, &text) => {
                let said = format!("'{text}' is an option, and '{arg}' wants a text before it\n");
                Err(Error::raw(ErrorKind::InvalidValue, said).with_cmd(command))
            }
            _ => Ok(text),
        }
    }
}

/// Reads the name of something that is looked for: an id or a slug, which is never empty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name;

impl TypedValueParser for Name {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        let name = Text.parse_ref(command, arg, value)?;
        match arg {
            Some(arg) if name.trim().is_empty() => {
                let said = format!("'{arg}' is empty, and should name one\n");
                Err(Error::raw(ErrorKind::InvalidValue, said).with_cmd(command))
            }
            _ => Ok(name),
        }
    }
}

/// Puts the steps of `plans save` behind all options, and `--` between them. Other commands stay as they are.
pub(crate) fn with_steps_last(arguments: &[OsString]) -> Vec<OsString> {
    let is_flag = |argument: &OsString| argument.to_str().is_some_and(|text| text.starts_with('-'));
    let plans = arguments.iter().skip(1).position(|argument| !is_flag(argument)).map(|at| at + 1);
    let Some(begin) = plans.filter(|at| arguments[*at] == "plans").map(|at| at + 2) else {
        return arguments.to_vec();
    };
    if arguments.get(begin - 1).is_none_or(|argument| argument != "save") {
        return arguments.to_vec();
    }
    let (before, rest) = arguments.split_at(begin);
    let mut sorted = before.to_vec();
    let mut steps = Vec::new();
    let mut rest = rest.iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            steps.extend(rest.cloned());
            break;
        }
        if !argument.to_str().is_some_and(looks_like_option) {
            steps.push(argument.clone());
            continue;
        }
        sorted.push(argument.clone());
        if BEFORE_STEPS.iter().any(|option| argument == option) {
            sorted.extend(rest.next().cloned());
        }
    }
    if !steps.is_empty() {
        sorted.push("--".into());
        sorted.extend(steps);
    }
    sorted
}

/// Tells whether a text is a word as options are: `-n`, `--title`, `--title=…`.
fn looks_like_option(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("--").or_else(|| text.strip_prefix('-')) else { return false };
    let name = rest.split_once('=').map_or(rest, |(name, _)| name);
    name.starts_with(char::is_alphabetic) && !name.contains(char::is_whitespace)
}

fn is_option_of(command: &Command, text: &str) -> bool {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    command.get_arguments().any(|arg| {
        let long = name.strip_prefix("--").is_some_and(|name| arg.get_long() == Some(name));
        let short = arg.get_short().is_some_and(|short| text.strip_prefix('-') == Some(&*short.to_string()));
        long || short
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    fn sorted(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        with_steps_last(&arguments).into_iter().map(|argument| argument.into_string().unwrap()).collect()
    }

    #[test]
    fn steps_go_behind_the_options() {
        assert_eq!(
            sorted(&[
                "custos", "--json", "plans", "save", "- a", "--title", "- T", "[x] b", "---", "-", "--statu"
            ]),
            [
                "custos", "--json", "plans", "save", "--title", "- T", "--statu", "--", "- a", "[x] b",
                "---", "-"
            ]
        );
        assert_eq!(
            sorted(&["custos", "plans", "save", "a", "--title=T x", "--", "--root"]),
            ["custos", "plans", "save", "--title=T x", "--", "a", "--root"]
        );
        assert_eq!(sorted(&["custos", "plans", "save", "--title"]), ["custos", "plans", "save", "--title"]);
    }

    #[test]
    fn other_commands_stay_as_they_are() {
        for line in [
            &["custos"][..],
            &["custos", "plans"],
            &["custos", "plans", "list", "--status", "done"],
            &["custos", "search", "plans", "save", "--limit", "3"],
        ] {
            assert_eq!(sorted(line), line);
        }
    }

    #[test]
    fn every_option_of_the_command_is_known_here() {
        let mut cli = Cli::command();
        cli.build();
        let save = cli.find_subcommand("plans").and_then(|plans| plans.find_subcommand("save")).unwrap();
        let mut valued: Vec<String> = save
            .get_opts()
            .filter(|arg| arg.get_action().takes_values())
            .filter_map(|arg| arg.get_long().map(|long| format!("--{long}")))
            .collect();
        valued.sort();
        assert_eq!(valued, BEFORE_STEPS);
    }
}
