//! The many ways to start a program.

use super::Language;
use super::invoke::Arguments;
use super::likeness;
use super::reader::Reader;
use super::table::Act;
use super::value::{self, ANYTHING, Value};

impl Reader<'_, '_, '_> {
    /// Starts a program in one of the many ways.
    pub(super) fn start(&mut self, act: Act, arguments: &Arguments) -> Value {
        let cwd = arguments.option("cwd").or_else(|| arguments.option("chdir")).and_then(|cwd| match cwd {
            Value::Text(cwd) => Some(cwd.clone()),
            _ => None,
        });
        let cwd = cwd.as_deref();
        let command = arguments
            .values
            .iter()
            .find(|value| !matches!(value, Value::Map(_)))
            .or_else(|| arguments.option("args"))
            .or_else(|| arguments.option("cmd"))
            .cloned()
            .unwrap_or(ANYTHING);
        let mut argv: Vec<String> = Vec::new();
        match (act, &command) {
            (Act::Shell, _) | (Act::Process | Act::Words | Act::Options, Value::OneOf(_)) => {
                for text in command.texts() {
                    self.state.script(&text, cwd);
                }
                argv = command.raw().split_whitespace().map(str::to_owned).collect();
            }
            (Act::Process, Value::List(values)) => {
                argv = values.iter().map(Value::raw).collect();
                if arguments.has("shell") {
                    argv.truncate(1);
                    if let Some(script) = argv.first() {
                        self.state.script(script, cwd);
                    }
                } else {
                    self.state.argv(&argv, cwd);
                }
            }
            (Act::Process, _) => {
                argv = command.raw().split_whitespace().map(str::to_owned).collect();
                self.state.script(&command.raw(), cwd);
            }
            (Act::Exec, _) => {
                // The second argument names the program once more.
                argv = vec![command.raw()];
                if let Some(Value::List(values)) = arguments.values.get(1) {
                    argv.extend(values.iter().skip(1).map(Value::raw));
                }
                self.state.argv(&argv, cwd);
            }
            (Act::ExecList, _) => {
                argv = vec![command.raw()];
                argv.extend(
                    arguments
                        .values
                        .iter()
                        .skip(2)
                        .filter(|value| !matches!(value, Value::Map(_)))
                        .map(Value::raw),
                );
                self.state.argv(&argv, cwd);
            }
            (Act::Program | Act::Options, _) => {
                argv = command.texts();
                match arguments
                    .values
                    .get(1)
                    .filter(|value| !matches!(value, Value::Map(_)))
                    .or_else(|| arguments.option("args"))
                {
                    Some(Value::List(values)) => argv.extend(values.iter().map(Value::raw)),
                    Some(Value::Unknown(source)) => argv.push(value::mark(*source).to_string()),
                    _ => {}
                }
                if arguments.has("shell") {
                    self.state.script(&argv.join(" "), cwd);
                } else {
                    self.state.argv(&argv, cwd);
                }
            }
            _ => {
                for value in &arguments.values {
                    match value {
                        // Ruby: the environment, or `[program, name]`.
                        Value::Map(_) => {}
                        Value::List(values) if self.language() == Language::Ruby => {
                            argv.extend(values.iter().take(1).map(Value::raw));
                        }
                        Value::List(values) => argv.extend(values.iter().map(Value::raw)),
                        other => argv.push(other.raw()),
                    }
                }
                self.words(&argv, cwd);
            }
        }
        self.feed(&argv, arguments, cwd)
    }

    /// One word goes to a shell, several are a program with its arguments.
    pub(super) fn words(&mut self, argv: &[String], cwd: Option<&str>) {
        match argv {
            [script] => self.state.script(script, cwd),
            argv => self.state.argv(argv, cwd),
        }
    }

    /// Gives a shell its input, if it is known; otherwise the shell waits for it.
    fn feed(&mut self, argv: &[String], arguments: &Arguments, cwd: Option<&str>) -> Value {
        let is_waiting = likeness::is_waiting_shell(argv.iter().map(String::as_str));
        if !is_waiting {
            return ANYTHING;
        }
        if let Some(input) = arguments.option("input").or_else(|| arguments.option("stdin_data")) {
            for text in input.texts() {
                self.state.script(&text, cwd);
            }
        }
        Value::Shell
    }
}
