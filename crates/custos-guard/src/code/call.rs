//! Calls become deeds and values.

use super::decode::Coding;
use super::invoke::Arguments;
use super::reader::Reader;
use super::table::Act;
use super::value::{self, ANYTHING, HOME, Value};
use super::{Deed, Language, import, method};
use crate::invocation::{Source, UNKNOWN};
use crate::words::raw;

/// Stands for what is read from standard input, whatever is done with it.
const STDIN: &str = "<stdin>";
/// The same, where it is written without a call.
const INPUTS: &[&str] = &["$stdin.read", "ARGF.read", "STDIN.read", "gets"];

impl Reader<'_, '_, '_> {
    /// Calls a value.
    pub(super) fn apply(&mut self, callee: Value, arguments: Arguments) -> Value {
        match callee {
            Value::Name(name) => self.apply_name(&name, &arguments),
            Value::Text(name) if self.language() == Language::Php => self.apply_name(&name, &arguments),
            Value::Method(receiver, name) => self.apply_method(*receiver, &name, arguments),
            Value::OneOf(values) => {
                let name = values.into_iter().find(|value| matches!(value, Value::Name(_)));
                name.map_or(ANYTHING, |name| self.apply(name, arguments))
            }
            Value::Shell => {
                for text in arguments.values.iter().flat_map(Value::texts) {
                    self.state.script(&text, None);
                }
                Value::Shell
            }
            other => Value::Unknown(other.source().max(arguments.source())),
        }
    }

    fn apply_name(&mut self, name: &str, arguments: &Arguments) -> Value {
        let act = self.act(name).or_else(|| {
            // `process.mainModule.require` and other ways to the same function.
            name.ends_with(".require").then_some(Act::Import)
        });
        if let Some(act) = act {
            return self.act_on(act, arguments);
        }
        if name.starts_with(STDIN) {
            return Value::name(STDIN);
        }
        self.state.query(name, arguments);
        self.called(name, arguments);
        Value::Unknown(arguments.source())
    }

    /// Remembers what one of the snippet's own functions is called with.
    fn called(&mut self, name: &str, arguments: &Arguments) {
        const MOST_PARAMETERS: usize = 8;
        let size: usize = arguments.values.iter().map(Value::size).sum();
        if arguments.values.is_empty() || name.contains('.') || !self.state.spend(size) {
            return;
        }
        let known = &mut self.state.functions.entry(name.to_owned()).or_default().arguments;
        for (index, value) in arguments.values.iter().take(MOST_PARAMETERS).enumerate() {
            let value = match value {
                Value::Name(_) | Value::Method(..) => ANYTHING,
                other => other.clone(),
            };
            match known.get_mut(index) {
                Some(before) if *before == value => {}
                Some(before) => *before = Value::one_of(vec![std::mem::replace(before, ANYTHING), value]),
                None => known.push(value),
            }
        }
    }

    /// Does what the table says about a call.
    pub(super) fn act_on(&mut self, act: Act, arguments: &Arguments) -> Value {
        let first = arguments.at_or(0, "path");
        match act {
            Act::Shell
            | Act::Process
            | Act::Program
            | Act::Words
            | Act::Exec
            | Act::ExecList
            | Act::Options => {
                return self.start(act, arguments);
            }
            Act::Code => return self.run_code(&arguments.at(0)),
            Act::Read => {
                let is_remote =
                    first.texts().iter().any(|path| path.starts_with("http:") || path.starts_with("https:"));
                if is_remote {
                    return Value::Unknown(Source::Downloaded);
                }
                let is_input =
                    first == Value::Number(0) || matches!(first.known(), Some("/dev/stdin" | "php://stdin"));
                if is_input {
                    return Value::name(STDIN);
                }
                self.state.paths(&first, Deed::Read);
            }
            Act::Fork => self.state.fork(),
            Act::Write => self.write(&first, arguments),
            Act::Open => return self.open(arguments),
            Act::PerlOpen => return self.perl_open(arguments),
            Act::Copy => {
                self.state.paths(&first, Deed::Read);
                self.state.paths(&arguments.at(1), Deed::Write);
            }
            Act::Move => {
                self.state.paths(&first, |path| Deed::Delete { path, recursive: false });
                self.state.paths(&arguments.at(1), Deed::Write);
            }
            Act::Link => self.state.paths(&arguments.at(1), Deed::Write),
            Act::Remove | Act::RemoveTree => {
                let recursive = act == Act::RemoveTree || arguments.has("recursive");
                for value in
                    arguments.values.iter().filter(|value| !matches!(value, Value::Map(_) | Value::Number(_)))
                {
                    self.state.paths(value, |path| Deed::Delete { path, recursive });
                    if self.language() != Language::Perl && !matches!(self.language(), Language::Ruby) {
                        break;
                    }
                }
                if arguments.values.is_empty() {
                    let value = arguments.at_or(0, "path");
                    self.state.paths(&value, |path| Deed::Delete { path, recursive });
                }
            }
            Act::Chmod => self.chmod(&first, &arguments.at_or(1, "mode")),
            Act::ModeFirst => {
                for path in arguments.values.iter().skip(1) {
                    self.chmod(path, &first);
                }
            }
            Act::ChangeDir => {
                let mut texts = first.texts();
                let to = texts.pop().filter(|_| texts.is_empty());
                self.state.cwd = to.map(|to| match self.state.cwd.take() {
                    Some(before) => Value::Text(before).below(Value::Text(to)).raw(),
                    None => to,
                });
                return ANYTHING;
            }
            other => return self.give(other, first, arguments),
        }
        ANYTHING
    }

    /// The values of the functions that only compute one.
    fn give(&mut self, act: Act, first: Value, arguments: &Arguments) -> Value {
        let language = self.language();
        match act {
            Act::Input => Value::name(STDIN),
            Act::Split => first.map(|value| match value {
                Value::Text(text) => Value::List(
                    text.split_whitespace().map(|word| Value::text(word.trim_matches(['\'', '"']))).collect(),
                ),
                other => other,
            }),
            Act::Home => Value::Text(HOME.to_string()),
            Act::Temporary => Value::Text(format!("/tmp/{UNKNOWN}")),
            Act::TemporaryDir => Value::text("/tmp"),
            Act::Here => Value::text("."),
            Act::Same => first,
            Act::ExpandHome => first.map(|value| match value {
                Value::Text(text) => match text.strip_prefix('~') {
                    Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                        Value::Text(format!("{HOME}{rest}"))
                    }
                    _ => Value::Text(text),
                },
                other => other,
            }),
            Act::Join => {
                let mut parts = arguments.values.iter().cloned();
                let Some(start) = parts.next() else { return Value::text(".") };
                parts.fold(start, Value::below)
            }
            Act::Env => match first.known() {
                Some("HOME" | "USERPROFILE") => Value::Text(HOME.to_string()),
                _ => arguments.values.get(1).cloned().unwrap_or(ANYTHING),
            },
            Act::Import => match first.known() {
                Some(name) => Value::Name(import::module(language, name)),
                None => ANYTHING,
            },
            Act::Attribute => match (first, arguments.at(1).known()) {
                (base, Some(name)) => self.member(base, name),
                (base, None) => Value::Unknown(base.source()),
            },
            Act::Decode(coding) => decoded(coding, first),
            Act::DecodeAs => match arguments.at(1).known().and_then(Coding::named) {
                Some(coding) => decoded(coding, first),
                None => first,
            },
            Act::DecodeBy => match first.known().and_then(Coding::named) {
                Some(coding) => decoded(coding, arguments.at(1)),
                None => Value::Unknown(arguments.source()),
            },
            Act::Inflate => Value::Unknown(arguments.source().max(Source::Decoded)),
            Act::Download => Value::Unknown(Source::Downloaded),
            Act::DownloadTo(index) => {
                let path = arguments.at(index);
                self.state.paths(&path, Deed::Write);
                self.fetched(&path);
                Value::Unknown(Source::Downloaded)
            }
            Act::Character => {
                let characters = arguments.values.iter().cloned().map(|value| value.map(character));
                characters.reduce(Value::plus).unwrap_or(ANYTHING)
            }
            Act::Glob => first.map(|value| match value {
                Value::Text(text) => Value::Text(value::pattern(&text)),
                other => other,
            }),
            Act::GlobBelow => {
                first.below(arguments.at(1).map(|part| Value::Text(value::pattern(&part.raw()))))
            }
            Act::Listing => self.listed_names(),
            Act::ListingBelow => {
                let names = self.listed_names();
                first.below(names)
            }
            Act::Walk => {
                let names = self.listed_names();
                Value::List(vec![Value::List(vec![first, names.clone(), names])])
            }
            Act::List => match first {
                Value::List(values) => Value::List(values),
                _ if language == Language::Perl => Value::List(arguments.values.clone()),
                other => other,
            },
            Act::JoinList => {
                let list = match arguments.values.get(1) {
                    Some(Value::List(values)) => values.as_slice(),
                    _ => arguments.values.get(1..).unwrap_or_default(),
                };
                method::join(list, &first.raw())
            }
            Act::Later => self.later(first, arguments),
            Act::Unfold => self.unfold(first, arguments),
            _ => ANYTHING,
        }
    }

    /// What a listing gives: every name, or those that a condition lets through.
    fn listed_names(&self) -> Value {
        Value::Text(if self.state.traits.chooses { UNKNOWN } else { raw::STAR }.to_string())
    }

    /// Calls the function that is the first argument: on the rest, or on `args`.
    fn later(&mut self, first: Value, arguments: &Arguments) -> Value {
        let function = arguments.option("target").cloned().unwrap_or(first);
        let (Value::Name(_) | Value::Text(_)) = function else { return ANYTHING };
        let values = match arguments.option("args") {
            Some(Value::List(values)) => values.clone(),
            Some(other) => vec![other.clone()],
            None => arguments.values.iter().skip(1).cloned().collect(),
        };
        let function = match function {
            Value::Text(name) => Value::Name(name),
            other => other,
        };
        self.apply(
            function,
            Arguments {
                values,
                named: arguments.named.iter().filter(|(name, _)| name != "target").cloned().collect(),
            },
        )
    }

    /// Calls the function that is the first argument on each element of the second.
    fn unfold(&mut self, first: Value, arguments: &Arguments) -> Value {
        const MOST: usize = 64;
        let list = arguments.at(1);
        let first = match first {
            Value::Text(name) if self.language() == Language::Php => Value::Name(name),
            other => other,
        };
        if !matches!(first, Value::Name(_)) {
            return Value::Unknown(list.source());
        }
        let values = match list {
            Value::List(values) => values,
            other => vec![other],
        };
        let results = values
            .into_iter()
            .take(MOST)
            .map(|value| self.apply(first.clone(), Arguments { values: vec![value], named: Vec::new() }));
        Value::List(results.collect())
    }

    /// Walks through code that is given as text.
    fn run_code(&mut self, code: &Value) -> Value {
        self.state.unresolved(code.source());
        if matches!(code, Value::Name(name) if name.starts_with(STDIN) || INPUTS.contains(&name.as_str())) {
            self.state.runs_input();
        }
        let mut last = ANYTHING;
        if let Value::Text(_) | Value::OneOf(_) = code {
            for text in code.texts() {
                last = self.state.code(&text);
            }
        }
        last
    }

    fn open(&mut self, arguments: &Arguments) -> Value {
        let path = arguments.at_or(0, "file");
        let mode = arguments.at_or(1, "mode").raw();
        if matches!(self.language(), Language::Ruby) {
            let command = path.texts().into_iter().find_map(|text| text.strip_prefix('|').map(str::to_owned));
            if let Some(command) = command {
                self.state.script(&command, None);
                return ANYTHING;
            }
        }
        if mode.contains(['w', 'a', 'x', '+', 'c']) {
            self.state.paths(&path, Deed::Write);
        } else {
            self.state.paths(&path, Deed::Read);
        }
        path.texts().into_iter().next().map_or(ANYTHING, Value::File)
    }

    /// Perl's `open`: the mode may stand in front of the name, and the name may be a command.
    fn perl_open(&mut self, arguments: &Arguments) -> Value {
        let mode = arguments.at(1).raw();
        let trimmed = mode.trim();
        if let Some(target) = arguments.values.get(2) {
            if trimmed.contains('|') {
                let argv: Vec<String> = arguments.values[2..].iter().flat_map(Value::texts).collect();
                self.words(&argv, None);
            } else if trimmed.contains(['>', '+']) {
                self.state.paths(target, Deed::Write);
            } else {
                self.state.paths(target, Deed::Read);
            }
        } else if let Some(command) = trimmed.strip_prefix('|').or_else(|| trimmed.strip_suffix('|')) {
            self.state.script(command, None);
        } else if let Some(path) = trimmed.strip_prefix("+>").or_else(|| trimmed.strip_prefix('>')) {
            self.state.paths(&Value::text(path.trim_start_matches('>').trim()), Deed::Write);
        } else {
            self.state.paths(&Value::text(trimmed.trim_start_matches('<').trim()), Deed::Read);
        }
        ANYTHING
    }

    fn write(&mut self, path: &Value, arguments: &Arguments) {
        self.state.paths(path, Deed::Write);
        if arguments.source() == Source::Downloaded {
            self.fetched(path);
        }
    }

    /// Remembers a file that holds something downloaded.
    pub(super) fn fetched(&mut self, path: &Value) {
        const MOST: usize = 8;
        for path in path.texts() {
            if path.len() > 1 && raw::is_sure(&path) && self.state.fetched.len() < MOST {
                self.state.fetched.push(path);
            }
        }
    }

    fn chmod(&mut self, path: &Value, mode: &Value) {
        let mode = match mode {
            Value::Number(mode) => Some(*mode),
            Value::Text(mode) => u32::from_str_radix(mode.trim_start_matches("0o"), 8).ok(),
            _ => None,
        };
        self.state.paths(path, |path| Deed::Rights { path, mode });
    }
}

fn decoded(coding: Coding, value: Value) -> Value {
    value.map(|value| match value.known().and_then(|text| coding.decode(text)) {
        Some(text) => Value::Text(text),
        None => Value::Unknown(value.source().max(Source::Decoded)),
    })
}

fn character(value: Value) -> Value {
    match value {
        Value::Number(number) => char::from_u32(number).map_or(ANYTHING, |c| Value::Text(c.to_string())),
        Value::List(values) => values.into_iter().map(character).reduce(Value::plus).unwrap_or(ANYTHING),
        other => other,
    }
}
