//! PowerShell: cmdlets by their names and aliases, programs by their words.
//!
//! It is a shell, so it is read like one: statements and pipelines of words. A cmdlet that deletes, reads or writes becomes a deed;
//! whatever else begins a statement is a program and is judged as such.

use std::collections::BTreeMap;

use super::value::{self, HOME};
use super::{DOWNLOADED, Deed};
use crate::invocation::{Arg, UNKNOWN};
use crate::words::raw;

/// How deep `Invoke-Expression` is followed.
const DEEPEST: usize = 4;

/// Finds what a PowerShell script does.
pub(super) fn deeds(text: &str, effort: &mut dyn FnMut(usize) -> bool) -> Vec<Deed> {
    let mut script = Script { found: Vec::new(), variables: BTreeMap::new(), evaluates: false, effort };
    script.run(text, 0);
    script.found
}

struct Script<'e> {
    found: Vec<Deed>,
    variables: BTreeMap<String, String>,
    /// Whether an `Invoke-Expression` waits for what the brackets after it give.
    evaluates: bool,
    effort: &'e mut dyn FnMut(usize) -> bool,
}

/// A word, and whether any of it was quoted.
#[derive(Debug, Clone, Default)]
struct Word {
    text: String,
    quoted: bool,
}

/// What separates commands.
enum Break {
    Statement,
    Pipe,
}

impl Script<'_> {
    fn run(&mut self, text: &str, depth: usize) {
        if depth >= DEEPEST || !(self.effort)(text.len()) {
            return;
        }
        let mut words: Vec<Word> = Vec::new();
        let mut is_download = false;
        let mut at = 0;
        while at < text.len() {
            let (separator, end) = self.word(text, at, &mut words);
            at = end;
            if let Some(separator) = separator {
                is_download = self.command(&words, is_download, depth) && matches!(separator, Break::Pipe)
                    || is_download && words.is_empty();
                words.clear();
            }
        }
        self.command(&words, is_download, depth);
    }

    /// Reads a word, or what separates commands.
    fn word(&mut self, text: &str, start: usize, words: &mut Vec<Word>) -> (Option<Break>, usize) {
        let mut word = Word::default();
        let mut at = start;
        while let Some(c) = text[at..].chars().next() {
            let next = at + c.len_utf8();
            let breaks = match c {
                '#' if word.text.is_empty() => {
                    return (None, at + text[at..].find('\n').unwrap_or(text.len() - at));
                }
                ';' | '\n' | '{' | '}' | '(' | ')' => Some(Break::Statement),
                '|' => Some(Break::Pipe),
                '&' if text[next..].starts_with('&') => Some(Break::Statement),
                _ => None,
            };
            if breaks.is_some() && (!word.text.is_empty() || word.quoted) {
                words.push(word);
                return (None, at);
            }
            if breaks.is_some() {
                return (breaks, next);
            }
            match c {
                c if c.is_whitespace() || c == ',' => {
                    at = next;
                    break;
                }
                '\'' => {
                    let end = text[next..].find('\'').map_or(text.len(), |end| next + end);
                    word.text.push_str(&text[next..end]);
                    word.quoted = true;
                    at = (end + 1).min(text.len());
                }
                '"' => at = self.double_quoted(text, next, &mut word),
                '$' => at = self.variable(text, next, &mut word.text),
                '`' => {
                    at = next;
                    if let Some(escaped) = text[next..].chars().next() {
                        word.text.push(escaped);
                        at += escaped.len_utf8();
                    }
                }
                other => {
                    word.text.push(other);
                    at = next;
                }
            }
        }
        if !word.text.is_empty() || word.quoted {
            words.push(word);
        }
        (None, at)
    }

    fn double_quoted(&mut self, text: &str, start: usize, word: &mut Word) -> usize {
        word.quoted = true;
        let mut at = start;
        while let Some(c) = text[at..].chars().next() {
            at += c.len_utf8();
            match c {
                '"' => return at,
                '$' => at = self.variable(text, at, &mut word.text),
                '`' => {
                    if let Some(escaped) = text[at..].chars().next() {
                        word.text.push(escaped);
                        at += escaped.len_utf8();
                    }
                }
                other => word.text.push(other),
            }
        }
        at
    }

    /// Reads a variable's name after its `$`, and adds its value.
    fn variable(&mut self, text: &str, start: usize, into: &mut String) -> usize {
        let end = text[start..]
            .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':'))
            .map_or(text.len(), |end| start + end);
        let name = text[start..end].to_ascii_lowercase();
        match name.as_str() {
            "home" | "env:home" | "env:userprofile" => into.push(HOME),
            "true" => into.push('1'),
            name => match self.variables.get(name) {
                Some(value) if (self.effort)(value.len()) => into.push_str(value),
                // An assignment's target keeps its name.
                _ if into.is_empty() && text[end..].trim_start().starts_with('=') => {
                    into.push('$');
                    into.push_str(name);
                }
                _ => into.push(UNKNOWN),
            },
        }
        end
    }

    /// Judges a command; says whether what it gives was downloaded.
    fn command(&mut self, words: &[Word], from_download: bool, depth: usize) -> bool {
        if let [target, equals, value, ..] = words
            && equals.text == "="
            && let Some(name) = target.text.strip_prefix('$')
        {
            self.variables.insert(name.to_owned(), value.text.clone());
            return false;
        }
        let words = match words {
            [call, rest @ ..] if matches!(call.text.as_str(), "&" | ".") && !call.quoted => rest,
            [word] if word.quoted => return false,
            words => words,
        };
        let Some(name) = words.first() else { return false };
        let args = &words[1..];
        match name.text.to_ascii_lowercase().as_str() {
            "remove-item" | "ri" | "rm" | "del" | "erase" | "rd" | "rmdir" | "clear-content" | "clc" => {
                let recursive = args.iter().any(|arg| {
                    is_switch(arg, "recurse") || matches!(arg.text.as_str(), "-rf" | "-fr" | "/s")
                });
                for path in operands(args) {
                    self.found.push(Deed::Delete { path: path_of(path), recursive });
                }
            }
            "get-content" | "gc" | "cat" | "type" => {
                let reads = operands(args).into_iter().take(1).map(|path| Deed::Read(path_of(path)));
                self.found.extend(reads);
            }
            "set-content" | "add-content" | "out-file" | "tee-object" | "sc" | "ac" | "new-item" | "ni" => {
                let writes = operands(args).into_iter().take(1).map(|path| Deed::Write(path_of(path)));
                self.found.extend(writes);
            }
            "copy-item" | "cpi" | "cp" | "copy" => self.pair(args, false),
            "move-item" | "mi" | "mv" | "move" | "rename-item" | "rni" | "ren" => self.pair(args, true),
            "invoke-expression" | "iex" => {
                if from_download || args.iter().any(|arg| is_download(&arg.text)) {
                    self.found.push(Deed::Unresolved(DOWNLOADED));
                }
                let code = args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
                self.run(&code, depth + 1);
                self.evaluates |= args.is_empty() && !from_download;
            }
            "start-process" | "saps" | "start" => {
                let argv = operands(args).into_iter().map(path_of).collect::<Vec<_>>();
                if !argv.is_empty() {
                    self.found.push(Deed::Argv(argv));
                }
            }
            "if" | "else" | "foreach" | "foreach-object" | "while" | "function" | "param" | "try"
            | "catch" | "%" | "?" | "where-object" | "write-host" | "write-output" | "echo" | "return" => {}
            other if is_download(other) => {
                let into =
                    args.iter().position(|arg| is_switch(arg, "outfile")).and_then(|at| args.get(at + 1));
                if let Some(path) = into {
                    self.found.push(Deed::Write(path_of(&path.text)));
                }
                if self.evaluates {
                    self.found.push(Deed::Unresolved(DOWNLOADED));
                }
                return into.is_none();
            }
            other if !name.quoted && (other.contains(['$', '=', '[', UNKNOWN]) || other.starts_with('-')) => {
                return words.iter().any(|word| is_download(&word.text));
            }
            _ => self.found.push(Deed::Argv(words.iter().map(|word| path_of(&word.text)).collect())),
        }
        false
    }

    fn pair(&mut self, args: &[Word], deletes: bool) {
        let paths = operands(args);
        if let Some(from) = paths.first() {
            let path = path_of(from);
            self.found.push(if deletes { Deed::Delete { path, recursive: false } } else { Deed::Read(path) });
        }
        if let Some(to) = paths.get(1) {
            self.found.push(Deed::Write(path_of(to)));
        }
    }
}

fn path_of(text: &str) -> Arg {
    let text = text.replace('\\', "/");
    if text.contains(['*', '?']) { value::word(&value::pattern(&text)) } else { value::word(&text) }
}

/// Says whether a word is this switch, possibly abbreviated, as `-Rec` for `-Recurse`.
fn is_switch(word: &Word, name: &str) -> bool {
    let given = word.text.strip_prefix('-').map(str::to_ascii_lowercase);
    given.is_some_and(|given| !word.quoted && !given.is_empty() && name.starts_with(given.as_str()))
}

/// The words that are no switches, nor the values of switches that are not about paths.
fn operands(args: &[Word]) -> Vec<&str> {
    let mut operands = Vec::new();
    let mut skip = false;
    for arg in args {
        let is_option = arg.text.starts_with('-') && !arg.quoted;
        if skip && !is_option {
            skip = false;
            continue;
        }
        skip = is_option
            && ["erroraction", "ea", "include", "exclude", "filter", "encoding", "value", "itemtype"]
                .iter()
                .any(|name| is_switch(arg, name) && arg.text.len() > 2);
        if !is_option {
            operands.push(arg.text.as_str());
        }
    }
    operands
}

fn is_download(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    matches!(
        word.as_str(),
        "invoke-webrequest" | "iwr" | "invoke-restmethod" | "irm" | "curl" | "wget" | "start-bitstransfer"
    ) || word.contains("downloadstring")
        || raw::source(&word) == crate::invocation::Source::Downloaded
}
