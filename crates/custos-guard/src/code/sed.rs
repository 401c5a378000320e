//! sed: the commands that it runs, and the files that it reads and writes.
//!
//! A program is a row of commands of one letter, with addresses before them and texts between delimiters of any kind behind them. It is
//! read as GNU sed reads it, because only there a command runs something: `1e date`, `s/x/date/e`.

use super::Deed;
use crate::invocation::{Arg, UNKNOWN};

/// A shell that runs what sed has read.
const SHELL: &str = "sh";

/// Finds what a program of sed does.
pub(super) fn deeds(text: &str, effort: &mut dyn FnMut(usize) -> bool) -> Vec<Deed> {
    if !effort(text.len()) {
        return Vec::new();
    }
    let mut reader = Reader { rest: text, has_brackets: true, replacement: None };
    let mut found = Vec::new();
    while let Some(command) = reader.command() {
        match command {
            'e' => match reader.line().trim() {
                "" => reader.run(&mut found),
                script => found.push(Deed::Script(script.to_owned())),
            },
            's' => reader.substitution(&mut found),
            'y' => {
                if let Some(delimiter) = reader.next() {
                    reader.text(delimiter);
                    reader.text(delimiter);
                }
            }
            'r' | 'R' => found.push(Deed::Read(Arg::new(reader.line().trim()))),
            'w' | 'W' => found.push(Deed::Write(Arg::new(reader.line().trim()))),
            'a' | 'i' | 'c' => reader.lines(),
            'b' | 't' | 'T' | ':' => reader.label(),
            '#' => {
                reader.line();
            }
            _ => {}
        }
    }
    found
}

/// A program that is being read.
struct Reader<'a> {
    rest: &'a str,
    /// Whether there is still a bracket that closes; without one, those that open are letters.
    has_brackets: bool,
    /// What the last substitution put in, and the delimiter behind it.
    replacement: Option<(&'a str, char)>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    /// The letter of the next command, after its addresses.
    fn command(&mut self) -> Option<char> {
        loop {
            match self.next()? {
                '/' => self.pattern('/'),
                '\\' => {
                    let delimiter = self.next()?;
                    self.pattern(delimiter);
                }
                // What may follow an address that is a pattern.
                'I' | 'M' => {}
                c if c.is_ascii_digit() || c.is_whitespace() || ",;{}!$~+".contains(c) => {}
                letter => return Some(letter),
            }
        }
    }

    /// `s/pattern/replacement/flags`.
    fn substitution(&mut self, found: &mut Vec<Deed>) {
        let Some(delimiter) = self.next() else { return };
        self.pattern(delimiter);
        self.replacement = Some((self.text(delimiter), delimiter));
        while let Some(flag) = self.rest.chars().next() {
            match flag {
                'e' => self.run(found),
                'w' => {
                    self.next();
                    found.push(Deed::Write(Arg::new(self.line().trim())));
                    return;
                }
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {}
                _ => return,
            }
            self.next();
        }
    }

    /// Runs the line as it stands: what was read, and what was put into it.
    fn run(&self, found: &mut Vec<Deed>) {
        if let Some((with, delimiter)) = self.replacement {
            found.push(Deed::Script(replacement(with, delimiter)));
        }
        found.push(Deed::Script(SHELL.to_owned()));
    }

    /// Passes over a pattern; between brackets, the delimiter is a letter like any other.
    fn pattern(&mut self, delimiter: char) {
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    self.next();
                }
                '[' if self.has_brackets => {
                    // A bracket that comes first does not close.
                    let inner = self.rest.strip_prefix('^').unwrap_or(self.rest);
                    let inner = inner.strip_prefix(']').unwrap_or(inner);
                    match inner.find(']') {
                        Some(end) => self.rest = &inner[end + 1..],
                        None => self.has_brackets = false,
                    }
                }
                c if c == delimiter => return,
                _ => {}
            }
        }
    }

    /// The text up to the delimiter.
    fn text(&mut self, delimiter: char) -> &'a str {
        let text = self.rest;
        while let Some(c) = self.next() {
            if c == delimiter {
                return &text[..text.len() - self.rest.len() - c.len_utf8()];
            }
            if c == '\\' {
                self.next();
            }
        }
        text
    }

    /// The rest of the line.
    fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Passes over a text that goes on as long as its lines end in a backslash.
    fn lines(&mut self) {
        while !self.rest.is_empty() && self.line().ends_with('\\') {}
    }

    /// Passes over the name of a place in the program.
    fn label(&mut self) {
        let rest = self.rest.trim_start_matches([' ', '\t']);
        let end = rest.find(|c: char| c.is_whitespace() || c == ';').unwrap_or(rest.len());
        self.rest = &rest[end..];
    }
}

/// The text that a replacement becomes, as far as it does not come from what was read.
fn replacement(with: &str, delimiter: char) -> String {
    let mut text = String::with_capacity(with.len());
    let mut chars = with.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => text.push(UNKNOWN),
            '\\' => match chars.next() {
                Some('n') if delimiter != 'n' => text.push('\n'),
                Some('0'..='9') => text.push(UNKNOWN),
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}
