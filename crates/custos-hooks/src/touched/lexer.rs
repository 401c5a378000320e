//! Cuts a script into words, redirections and operators.
//!
//! Words are read in `words`. What stands inside `$(…)` or `<(…)` is skipped by the same rules, so that a
//! quote or a bracket in there ends nothing out here, and set aside for the walk as a script of its own. The body
//! of a here-document is stepped over at the end of its line and kept, in case the command takes it as its input.

use std::borrow::Cow;

use super::effort::spend;
use super::words::Word;

/// How deep substitutions may nest before the rest of the script is given up.
const DEEPEST: usize = 16;

/// A piece of a script.
#[derive(Debug)]
pub(super) enum Token<'a> {
    /// A word of a command.
    Word(Word<'a>),
    /// A redirection, with the word that names its file.
    Redirect(Direction, Word<'a>),
    /// A here-document, by its number among all of the script.
    Document(usize),
    /// What ends a command.
    End(End),
    /// `(`.
    Open,
    /// `)`.
    Close,
}

/// Which way a redirection goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Direction {
    /// From a file.
    In,
    /// Into a file.
    Out,
}

/// What ends a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The end of a line or of the script.
    Line,
    /// `;`.
    Semicolon,
    /// `;;` and its like, in a `case`.
    Branch,
    /// `&`.
    Background,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `|` or `|&`.
    Pipe,
}

impl End {
    /// Returns whether the next command belongs to the same list.
    pub(super) fn joins(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Pipe)
    }
}

/// A here-document whose body has not come yet.
struct Awaited<'a> {
    delimiter: Cow<'a, str>,
    indented: bool,
}

/// Reads a script from left to right.
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    /// How far it has been read.
    pub(super) at: usize,
    /// Whether `text` is the beginning of something longer: its last word is then not certain.
    pub(super) cut: bool,
    nesting: usize,
    awaited: Vec<Awaited<'a>>,
    documents: usize,
    /// The scripts inside substitutions that were met since somebody took them.
    pub(super) nested: Vec<&'a str>,
    /// The bodies of the here-documents so far, by number.
    pub(super) bodies: Vec<&'a str>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, cut: bool) -> Self {
        Self {
            text,
            at: 0,
            cut,
            nesting: 0,
            awaited: Vec::new(),
            documents: 0,
            nested: Vec::new(),
            bodies: Vec::new(),
        }
    }

    /// Gives up the rest of the script.
    pub(super) fn stop(&mut self) {
        self.at = self.text.len();
    }

    /// Steps over `)` if it is next.
    pub(super) fn closes(&mut self) -> bool {
        self.skip_blanks();
        let closes = self.peek(0) == Some(b')');
        self.at += usize::from(closes);
        closes
    }

    /// Returns the next token, or nothing at the end of the script.
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.skip_blanks();
            let next = self.peek(1);
            let (token, length) = match self.peek(0)? {
                b'#' => {
                    self.at = self.line_end();
                    continue;
                }
                b'\n' => {
                    self.at += 1;
                    self.read_bodies();
                    return Some(Token::End(End::Line));
                }
                b';' if next == Some(b';') => {
                    (Token::End(End::Branch), 2 + usize::from(self.peek(2) == Some(b'&')))
                }
                b';' if next == Some(b'&') => (Token::End(End::Branch), 2),
                b';' => (Token::End(End::Semicolon), 1),
                b'&' if next == Some(b'&') => (Token::End(End::And), 2),
                b'&' if next == Some(b'>') => {
                    self.at += 2 + usize::from(self.peek(2) == Some(b'>'));
                    return Some(Token::Redirect(Direction::Out, self.target()));
                }
                b'&' => (Token::End(End::Background), 1),
                b'|' if next == Some(b'|') => (Token::End(End::Or), 2),
                b'|' => (Token::End(End::Pipe), 1 + usize::from(next == Some(b'&'))),
                b'(' if next == Some(b'(') => {
                    // Arithmetic, where `<<` and `>` are sums.
                    self.skip_brackets(b'(', b')');
                    continue;
                }
                b'(' => (Token::Open, 1),
                b')' => (Token::Close, 1),
                b'<' | b'>' if next != Some(b'(') => match self.redirection() {
                    Some(token) => return Some(token),
                    None => continue,
                },
                b'0'..=b'9' if self.skip_descriptor() => continue,
                _ => return Some(Token::Word(self.word())),
            };
            self.at += length;
            return Some(token);
        }
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        spend(1);
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn line_end(&self) -> usize {
        let rest = &self.text[self.at..];
        let length = rest.find('\n').unwrap_or(rest.len());
        spend(length);
        self.at + length
    }

    fn skip_blanks(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t' | b'\r'), _) => self.at += 1,
                (Some(b'\\'), Some(b'\n')) => self.at += 2,
                _ => return,
            }
        }
    }

    /// Steps over the digits of `2>` and returns whether there were any.
    fn skip_descriptor(&mut self) -> bool {
        let mut digits = 1;
        while self.peek(digits).is_some_and(|byte| byte.is_ascii_digit()) {
            digits += 1;
        }
        let redirects = matches!(self.peek(digits), Some(b'<' | b'>')) && self.peek(digits + 1) != Some(b'(');
        self.at += if redirects { digits } else { 0 };
        redirects
    }

    /// Reads a redirection from its `<` or `>` on; nothing is returned for one that names no file.
    fn redirection(&mut self) -> Option<Token<'a>> {
        let out = self.peek(0) == Some(b'>');
        self.at += 1;
        match (out, self.peek(0)) {
            (false, Some(b'<')) if self.peek(1) == Some(b'<') => {
                self.at += 2;
                self.target();
                None
            }
            (false, Some(b'<')) => {
                let indented = self.peek(1) == Some(b'-');
                self.at += 1 + usize::from(indented);
                let delimiter = self.target().text;
                self.awaited.push(Awaited { delimiter, indented });
                self.documents += 1;
                Some(Token::Document(self.documents - 1))
            }
            (_, Some(b'&')) => {
                self.at += 1;
                let target = self.target();
                let copies = target.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                (out && !copies).then_some(Token::Redirect(Direction::Out, target))
            }
            (true, Some(b'>' | b'|')) | (false, Some(b'>')) => {
                self.at += 1;
                Some(Token::Redirect(Direction::Out, self.target()))
            }
            (true, _) => Some(Token::Redirect(Direction::Out, self.target())),
            (false, _) => Some(Token::Redirect(Direction::In, self.target())),
        }
    }

    /// Reads the word behind a redirection, which is empty if there is none.
    fn target(&mut self) -> Word<'a> {
        self.skip_blanks();
        self.word()
    }

    /// Reads the bodies of the here-documents that the line just ended asked for.
    fn read_bodies(&mut self) {
        for Awaited { delimiter, indented } in std::mem::take(&mut self.awaited) {
            let start = self.at;
            let mut body = "";
            while self.at < self.text.len() {
                let end = self.line_end();
                let line = &self.text[self.at..end];
                let line = if indented { line.trim_start_matches('\t') } else { line };
                let last = line.strip_suffix('\r').unwrap_or(line) == delimiter;
                if last {
                    body = &self.text[start..self.at];
                }
                self.at = (end + 1).min(self.text.len());
                if last {
                    break;
                }
            }
            self.bodies.push(body);
        }
    }

    /// Steps over a substitution whose bracket is open, and sets its script aside.
    pub(super) fn substitution(&mut self) {
        if self.nesting == DEEPEST {
            return self.stop();
        }
        let start = self.at;
        let mut open = 1;
        self.nesting += 1;
        while open > 0
            && let Some(token) = self.next()
        {
            match token {
                Token::Open => open += 1,
                Token::Close => open -= 1,
                _ => {}
            }
        }
        self.nesting -= 1;
        if open == 0 && self.nesting == 0 {
            self.nested.push(&self.text[start..self.at - 1]);
        }
    }

    /// Steps over brackets and all that is between them, by their number alone.
    pub(super) fn skip_brackets(&mut self, open: u8, close: u8) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == open {
                depth += 1;
            } else if byte == close {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            } else if byte == b'\\' && self.peek(0).is_some_and(|byte| byte.is_ascii()) {
                self.at += 1;
            }
        }
    }

    pub(super) fn skip_backquoted(&mut self) {
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            match byte {
                b'`' => return,
                b'\\' if self.peek(0).is_some_and(|byte| byte.is_ascii()) => self.at += 1,
                _ => {}
            }
        }
    }
}
