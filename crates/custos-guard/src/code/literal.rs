//! Strings: where they end, what their escapes mean, and which parts of them are code.

use std::borrow::Cow;

use super::Language;
use super::lexer::{Kind, Lexer, Piece};

/// How backslashes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// As in C.
    Full,
    /// Only before the delimiter and another backslash.
    Delimiter,
    /// Never, but they keep the delimiter from closing.
    Raw,
}

/// How values are put into a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inserts {
    /// Not at all.
    None,
    /// `{value}`.
    Braces,
    /// `${value}`.
    Dollar,
    /// `#{value}`.
    Hash,
    /// `$value`, `@value`.
    Sigil,
}

/// How a kind of string is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) escapes: Escapes,
    pub(super) inserts: Inserts,
    /// The bracket that nests, for quotes in brackets.
    pub(super) open: Option<u8>,
    /// What ends it; a NUL for nothing but the end.
    pub(super) close: u8,
    /// How many of them.
    pub(super) count: usize,
    /// Whether a line's end closes it too.
    pub(super) one_line: bool,
}

impl Style {
    /// A string between two of these.
    pub(super) fn between(close: u8, escapes: Escapes, inserts: Inserts) -> Self {
        Self { escapes, inserts, open: None, close, count: 1, one_line: false }
    }
}

impl<'a> Lexer<'a> {
    /// Reads a string that begins with this quote.
    pub(super) fn quoted(&mut self, quote: u8, start: usize) {
        use Language::{JavaScript, Lua, Perl, Php, Python, Ruby};
        let (escapes, inserts) = match (self.language, quote) {
            (Perl | Php, b'"' | b'`') => (Escapes::Full, Inserts::Sigil),
            (Ruby, b'"' | b'`') => (Escapes::Full, Inserts::Hash),
            (Perl | Php | Ruby, _) => (Escapes::Delimiter, Inserts::None),
            (JavaScript, b'`') => (Escapes::Full, Inserts::Dollar),
            _ => (Escapes::Full, Inserts::None),
        };
        let mut style = Style::between(quote, escapes, inserts);
        style.one_line = matches!(self.language, JavaScript | Lua) && quote != b'`';
        self.at += 1;
        if self.language == Python {
            self.python_quotes(&mut style);
        }
        let pieces = self.pieces(&style);
        let is_command = quote == b'`' && matches!(self.language, Perl | Php | Ruby);
        self.push(if is_command { Kind::Command(pieces) } else { Kind::Text(pieces) }, start);
    }

    fn python_quotes(&mut self, style: &mut Style) {
        if self.byte(0) == style.close && self.byte(1) == style.close {
            self.at += 2;
            style.count = 3;
        } else {
            style.one_line = true;
        }
    }

    /// Reads Python's `r"…"`, `f'…'` and the like, of which the prefix was read.
    pub(super) fn prefixed_string(&mut self, prefix: &str, start: usize) -> bool {
        let quote = self.byte(0);
        let is_prefix = prefix.len() <= 2 && prefix.bytes().all(|byte| b"rRbBuUfFtT".contains(&byte));
        if !is_prefix || !matches!(quote, b'"' | b'\'') {
            return false;
        }
        let has = |letter: u8| prefix.bytes().any(|byte| byte.eq_ignore_ascii_case(&letter));
        let escapes = if has(b'r') { Escapes::Raw } else { Escapes::Full };
        let inserts = if has(b'f') || has(b't') { Inserts::Braces } else { Inserts::None };
        let mut style = Style::between(quote, escapes, inserts);
        self.at += 1;
        self.python_quotes(&mut style);
        let pieces = self.pieces(&style);
        self.push(Kind::Text(pieces), start);
        true
    }

    /// Reads the inside of a string and steps over its end.
    pub(super) fn pieces(&mut self, style: &Style) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        let mut literal = Cow::Borrowed("");
        let mut run = self.at;
        let mut nested = 0_usize;
        let mut end = None;
        while self.at < self.text.len() {
            let byte = self.byte(0);
            if byte == b'\\' {
                let is_meant = match style.escapes {
                    Escapes::Full => true,
                    Escapes::Delimiter => matches!(self.byte(1), b'\\') || self.byte(1) == style.close,
                    Escapes::Raw => false,
                };
                if is_meant {
                    add(&mut literal, &self.text[run..self.at]);
                    if let Some(c) = self.escape(style) {
                        literal.to_mut().push(c);
                    }
                    run = self.at;
                } else {
                    // The character after it cannot close the string.
                    let protects =
                        style.escapes == Escapes::Raw && self.byte(1).is_ascii() && self.byte(1) != 0;
                    self.at += if protects { 2 } else { 1 };
                }
                continue;
            }
            if style.open == Some(byte) {
                nested += 1;
            } else if byte == style.close && style.close != 0 && nested > 0 {
                nested -= 1;
            } else if byte == style.close && style.close != 0 && self.closes(style) {
                end = Some(self.at);
                self.at += style.count;
                break;
            } else if byte == b'\n' && style.one_line {
                end = Some(self.at);
                break;
            } else if let Some((before, code)) = self.insert(style.inserts) {
                add(&mut literal, &self.text[run..before]);
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                pieces.push(Piece::Code(code));
                run = self.at;
                continue;
            } else if style.inserts == Inserts::Braces
                && matches!((byte, self.byte(1)), (b'{', b'{') | (b'}', b'}'))
            {
                self.at += 1;
                add(&mut literal, &self.text[run..self.at]);
                run = self.at + 1;
            }
            self.at += 1;
        }
        self.at = self.at.min(self.text.len());
        let end = end.unwrap_or(self.at);
        add(&mut literal, self.text.get(run..end).unwrap_or_default());
        if !literal.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        pieces
    }

    fn closes(&self, style: &Style) -> bool {
        (1..style.count).all(|ahead| self.byte(ahead) == style.close)
    }

    /// Steps over a value that is put into the text, and gives where it began and its code.
    fn insert(&mut self, inserts: Inserts) -> Option<(usize, &'a str)> {
        let before = self.at;
        let (byte, next) = (self.byte(0), self.byte(1));
        let skip = match (inserts, byte) {
            (Inserts::Braces, b'{') if next != b'{' => 1,
            (Inserts::Dollar, b'$') | (Inserts::Hash, b'#') if next == b'{' => 2,
            (Inserts::Sigil, b'{') if next == b'$' && self.language == Language::Php => 1,
            (Inserts::Sigil, b'@' | b'$') if next == b'{' => {
                self.at += 2;
                let code = self.braced();
                // `@{[ … ]}` is code, `${name}` a variable.
                return Some((before, code));
            }
            (Inserts::Sigil, b'$' | b'@') if next.is_ascii_alphabetic() || next == b'_' => {
                self.at += 1;
                let rest = self.rest();
                self.at += rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                // `$ENV{HOME}`, `$_SERVER[HOME]`
                if matches!(self.byte(0), b'{' | b'[') && rest.starts_with(['E', '_']) {
                    let close = if self.byte(0) == b'{' { '}' } else { ']' };
                    let length = self.rest().find([close, '"', '\n']).unwrap_or_default();
                    if self.rest()[length..].starts_with(close) {
                        self.at += length + 1;
                    }
                }
                return self.text.get(before..self.at).map(|code| (before, code));
            }
            _ => return None,
        };
        self.at += skip;
        Some((before, self.braced()))
    }

    /// Steps over code up to the brace that closes it.
    fn braced(&mut self) -> &'a str {
        let start = self.at;
        let mut depth = 1_usize;
        let mut quote = None;
        while self.at < self.text.len() {
            let byte = self.byte(0);
            match (quote, byte) {
                (Some(_), b'\\') => self.at += 1,
                (Some(open), byte) if open == byte => quote = None,
                (None, b'"' | b'\'' | b'`') => quote = Some(byte),
                (None, b'{') => depth += 1,
                (None, b'}') => {
                    depth -= 1;
                    if depth == 0 {
                        let code = self.text.get(start..self.at).unwrap_or_default();
                        self.at += 1;
                        return code;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.text.len();
        self.text.get(start..).unwrap_or_default()
    }

    /// Steps over an escape and gives its character; `None` for one that stands for nothing.
    fn escape(&mut self, style: &Style) -> Option<char> {
        let rest = &self.text[self.at + 1..];
        let Some(first) = rest.chars().next() else {
            self.at += 1;
            return None;
        };
        self.at += 1 + first.len_utf8();
        if style.escapes != Escapes::Full {
            return Some(first);
        }
        Some(match first {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'e' => '\u{1B}',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{C}',
            'v' => '\u{B}',
            '\n' => return None,
            'x' | 'u' | 'U' => {
                let braced = self.byte(0) == b'{';
                let most = match first {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                if braced {
                    self.at += 1;
                    let c = self.digits(16, 8);
                    self.at += usize::from(self.byte(0) == b'}');
                    return c;
                }
                return self.digits(16, most).or(Some(first));
            }
            '0'..='9' => {
                self.at -= 1;
                return self.digits(if self.language == Language::Lua { 10 } else { 8 }, 3).or(Some(first));
            }
            other => other,
        })
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<char> {
        let count =
            self.rest().bytes().take(most).take_while(|byte| char::from(*byte).is_digit(radix)).count();
        let number = u32::from_str_radix(&self.rest()[..count], radix).ok();
        self.at += count;
        if count == 0 && radix < 16 {
            self.at += 1;
        }
        char::from_u32(number?)
    }
}

fn add<'a>(literal: &mut Cow<'a, str>, run: &'a str) {
    if literal.is_empty() {
        *literal = Cow::Borrowed(run);
    } else if !run.is_empty() {
        literal.to_mut().push_str(run);
    }
}
