//! A single plain command, with its words as they are written.
//!
//! The parser's tree says what words mean and not how they were spelled, so the words are cut out of the text here. That is done only for
//! texts that are easy to cut: anything with an operator, a substitution or a reserved word is left to the rewritings that need no words.

use crate::shell;
use crate::shell::syntax::Kind;

/// A command: assignments in front, a program, its arguments.
pub(super) struct Line<'t> {
    pub(super) assignments: Vec<&'t str>,
    pub(super) program: &'t str,
    pub(super) args: Vec<&'t str>,
}

/// What bash does itself. Nothing but bash can be asked to do it, so no wrapper goes in front.
static BUILTINS: &[&str] = &[
    ".",
    ":",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "times",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Words that are no program's name where a command begins.
static RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "in", "select", "then", "time", "until", "while", "{", "}",
];

impl<'t> Line<'t> {
    /// Takes a text apart, if it is one plain command with a program that is written out.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let words = cut(text)?;
        let first = words.iter().position(|word| !is_assignment(word))?;
        let program = words[first];
        if !is_plain(program) || RESERVED.contains(&program) {
            return None;
        }
        // The parser has the last word on what is a single command.
        let parsed = shell::parse(text);
        let is_one = match parsed.script.commands.as_slice() {
            [command] => matches!(&command.kind, Kind::Simple(simple)
                if simple.redirects.is_empty()
                    && simple.assignments.len() == first
                    && simple.words.len() == words.len() - first),
            _ => false,
        };
        is_one.then(|| Self {
            assignments: words[..first].to_vec(),
            program,
            args: words[first + 1..].to_vec(),
        })
    }

    /// Says whether the program is a file that something else can start.
    pub(super) fn is_external(&self) -> bool {
        !BUILTINS.contains(&self.program)
    }

    /// Says whether every argument means itself, in or out of quotes.
    pub(super) fn is_all_plain(&self) -> bool {
        self.args.iter().all(|arg| is_plain(arg))
    }

    /// The assignments, with a space behind them if there are any.
    pub(super) fn front(&self) -> String {
        self.assignments.iter().flat_map(|word| [word, " "]).collect()
    }

    /// The arguments, with a space in front of them if there are any.
    pub(super) fn rest(&self) -> String {
        self.args.iter().flat_map(|word| [" ", word]).collect()
    }

    /// The command with something else for the program's name.
    pub(super) fn called(&self, program: &str) -> String {
        format!("{}{program}{}", self.front(), self.rest())
    }

    /// The command with other arguments.
    pub(super) fn with_args<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> String {
        let mut text = format!("{}{}", self.front(), self.program);
        for arg in args {
            text.push(' ');
            text.push_str(arg);
        }
        text
    }
}

/// Says whether a word means itself, in or out of quotes.
pub(super) fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_./:@%+=-".contains(&byte))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Cuts a text into words; `None` if it is not made of words alone.
fn cut(text: &str) -> Option<Vec<&str>> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut start = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if matches!(byte, b' ' | b'\t') {
            words.extend(start.take().map(|start| &text[start..at]));
            at += 1;
            continue;
        }
        if byte == b'#' && start.is_none() {
            return None;
        }
        start = start.or(Some(at));
        at = match byte {
            b'\'' => at + 2 + bytes[at + 1..].iter().position(|byte| *byte == b'\'')?,
            b'"' => after_double(bytes, at)?,
            b'\\' if !matches!(bytes.get(at + 1)?, b'\n' | b'\r') => at + 2,
            b'$' if !matches!(bytes.get(at + 1), Some(b'(' | b'{' | b'[' | b'\'' | b'"')) => at + 1,
            b'$' | b'\\' | b'`' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' | b'\n' | b'\r' => {
                return None;
            }
            _ => at + 1,
        };
    }
    words.extend(start.map(|start| &text[start..]));
    Some(words)
}

/// The place after a double-quoted string without substitutions.
fn after_double(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => 2,
            b'`' => return None,
            b'$' if matches!(bytes.get(at + 1), Some(b'(' | b'{' | b'[')) => return None,
            _ => 1,
        };
    }
}
