//! What is remembered while code is walked through.

use std::collections::BTreeMap;

use super::likeness::{self, Traits};
use super::reader::Reader;
use super::value::{self, ANYTHING, Value};
use super::{DECODED, DOWNLOADED, Deed, INPUT, Language};
use crate::invocation::{Arg, Source};
use crate::words::raw;

/// How deep code in strings in code is followed.
const DEEPEST: usize = 6;
/// What a byte of code costs in comparison with a byte of a copied text.
const EFFORT_PER_BYTE: usize = 3;
/// How many deeds are noted; a snippet with more of them has been judged by then.
const MOST_DEEDS: usize = 4096;

/// A function that is called or defined by the snippet.
#[derive(Debug, Default)]
pub(super) struct Function {
    /// Whether it is the snippet's own.
    pub(super) is_defined: bool,
    /// What it is called with.
    pub(super) arguments: Vec<Value>,
}

/// The variables, the deeds so far, and what is left of the effort.
pub(super) struct State<'e> {
    pub(super) language: Language,
    pub(super) variables: BTreeMap<String, Value>,
    /// Modules whose functions are called without their name.
    pub(super) included: Vec<String>,
    /// Functions by their names.
    pub(super) functions: BTreeMap<String, Function>,
    /// What a callback's first parameter will be.
    pub(super) passed: Value,
    /// What the code is like as a whole.
    pub(super) traits: Traits,
    /// The directory that was changed to.
    pub(super) cwd: Option<String>,
    /// Files that were downloaded.
    pub(super) fetched: Vec<String>,
    deeds: Vec<Deed>,
    effort: &'e mut dyn FnMut(usize) -> bool,
    is_spent: bool,
    nesting: usize,
    /// How deep the expression is that is being worked out, through all code in code.
    pub(super) depth: usize,
}

impl<'e> State<'e> {
    pub(super) fn new(language: Language, effort: &'e mut dyn FnMut(usize) -> bool) -> Self {
        Self {
            language,
            variables: BTreeMap::new(),
            included: Vec::new(),
            functions: BTreeMap::new(),
            passed: ANYTHING,
            traits: Traits::default(),
            cwd: None,
            fetched: Vec::new(),
            deeds: Vec::new(),
            effort,
            is_spent: false,
            nesting: 0,
            depth: 0,
        }
    }

    /// Walks through a whole snippet, twice if it defines functions that it calls with something that is known.
    pub(super) fn run(mut self, text: &str) -> Vec<Deed> {
        if let Some(command) = text.strip_prefix('!').filter(|_| self.language == Language::Python) {
            // Python's shells take a command like that.
            self.script(command, None);
            return self.deeds;
        }
        self.code(text);
        let is_called = self
            .functions
            .values()
            .any(|function| function.is_defined && function.arguments.iter().any(|value| *value != ANYTHING));
        if is_called && !self.is_spent {
            self.variables.clear();
            self.included.clear();
            self.cwd = None;
            self.fetched.clear();
            let first = std::mem::take(&mut self.deeds);
            self.code(text);
            if self.is_spent {
                self.deeds.extend(first);
            }
        }
        self.deeds
    }

    /// Walks through code and gives the value of its last expression.
    pub(super) fn code(&mut self, text: &str) -> Value {
        if self.nesting >= DEEPEST || !self.spend(text.len().saturating_mul(EFFORT_PER_BYTE)) {
            return ANYTHING;
        }
        self.nesting += 1;
        let value = Reader::new(self, text).statements();
        self.nesting -= 1;
        value
    }

    /// Takes effort; `false` if there is none left.
    pub(super) fn spend(&mut self, amount: usize) -> bool {
        self.is_spent |= !(self.effort)(amount);
        !self.is_spent
    }

    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// What a variable holds.
    pub(super) fn variable(&mut self, name: &str) -> Option<Value> {
        let size = self.variables.get(name)?.size();
        if !self.spend(size) {
            return None;
        }
        self.variables.get(name).cloned()
    }

    pub(super) fn assign(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), value);
    }

    fn note(&mut self, deed: Deed) {
        if self.deeds.len() < MOST_DEEDS {
            self.deeds.push(deed);
        }
    }

    /// Notes that something unknown is run, if it comes from where nothing unknown should be run from.
    pub(super) fn unresolved(&mut self, source: Source) {
        match source {
            Source::Local => {}
            Source::Decoded => self.note(Deed::Unresolved(DECODED)),
            Source::Downloaded => self.note(Deed::Unresolved(DOWNLOADED)),
        }
    }

    /// Notes that what is read from standard input is run.
    pub(super) fn runs_input(&mut self) {
        self.note(Deed::Unresolved(INPUT));
    }

    /// Notes a text for a shell, which runs in this directory if one is named.
    pub(super) fn script(&mut self, text: &str, cwd: Option<&str>) {
        self.unresolved(raw::source(text));
        self.fetched_run(text);
        if likeness::is_waiting_shell(text.split_whitespace()) {
            self.shell_waits();
        }
        let script = value::script(text);
        match cwd.or(self.cwd.as_deref()) {
            Some(cwd) => {
                let script = format!("cd {} && {script}", value::script(&quoted(cwd)));
                self.note(Deed::Script(script));
            }
            None => self.note(Deed::Script(script)),
        }
    }

    /// Notes a program that is started without a shell.
    pub(super) fn argv(&mut self, argv: &[String], cwd: Option<&str>) {
        if argv.is_empty() {
            return;
        }
        for arg in argv {
            self.fetched_run(arg);
        }
        if likeness::is_waiting_shell(argv.iter().map(String::as_str)) {
            self.shell_waits();
        }
        let is_moved = cwd.is_some() || self.cwd.is_some();
        if is_moved {
            let script = argv.iter().map(|arg| quoted(arg)).collect::<Vec<_>>().join(" ");
            self.script(&script, cwd);
        } else {
            let argv: Vec<Arg> = argv.iter().map(|arg| value::word(arg)).collect();
            self.note(Deed::Argv(argv));
        }
    }

    fn fetched_run(&mut self, text: &str) {
        if self.fetched.iter().any(|file| text.contains(file.as_str())) {
            self.unresolved(Source::Downloaded);
        }
    }

    /// Notes something that is done to each of the paths that a value may be.
    pub(super) fn paths(&mut self, value: &Value, deed: impl Fn(Arg) -> Deed) {
        if matches!(value, Value::Number(_) | Value::Map(_)) {
            return;
        }
        for path in value.texts() {
            let is_relative = !path.starts_with(['/', '~', value::HOME]);
            let path = match &self.cwd {
                Some(cwd) if is_relative => Value::Text(cwd.clone()).below(Value::Text(path)).raw(),
                _ => path,
            };
            self.note(deed(value::word(&path)));
        }
    }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
