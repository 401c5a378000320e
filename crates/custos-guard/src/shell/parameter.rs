//! `${…}` in all its forms.
//!
//! The tree has no place for a pattern of `${name^pattern}`, nor for what runs inside of an index. What is expanded in those is kept as
//! parts beside the parameter, so that whoever visits a word meets all that would run.

use super::parser::Parser;
use super::syntax::{Action, FlawKind, Missing, Parameter, Part, Which, Word};
use super::word::{push, push_quoted, push_text};

/// Where a text inside of brackets ends, and what quotes mean in it.
#[derive(Clone, Copy)]
struct Inside {
    /// What closes it.
    close: u8,
    /// What opens another level of it.
    open: Option<u8>,
    /// What also ends it, outside of parentheses.
    also: Option<u8>,
    /// Whether all of it stands within double quotes.
    quoted: bool,
    /// Whether single quotes quote.
    singles: bool,
}

impl Parser<'_> {
    /// Reads `${…}`, after the brace.
    pub(super) fn braced_parameter(&mut self, word: &mut Word, quoted: bool) {
        if self.deeper(|parser| parser.parameter(word, quoted)).is_none() {
            let script = self.flatten_rest();
            push(word, Part::Substitution { script, quoted });
        }
    }

    fn parameter(&mut self, word: &mut Word, quoted: bool) {
        let opened = self.pos;
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            // Newer shells run what is in `${ …; }`.
            self.eat(b'|');
            let script = self.list();
            push(word, Part::Substitution { script, quoted });
            return self.close_brace(opened);
        }
        // The flags of zsh: `${(f)name}`.
        if self.eat(b'(') {
            let rest = self.bytes.get(self.pos..).unwrap_or_default();
            self.pos +=
                rest.iter().position(|&byte| matches!(byte, b')' | b'}')).map_or(rest.len(), |at| at + 1);
        }
        let mark = self.prefix_mark();
        let name = self.parameter_name();
        let mut beside = Word::default();
        let index = self.eat(b'[').then(|| self.parameter_index(&mut beside));
        let action = match mark {
            Some(b'#') if self.peek() == Some(b'}') => Action::Length,
            _ => self.action(&mut beside, quoted),
        };
        let indirect = mark == Some(b'!');
        push(word, Part::Parameter(Parameter { name, index, indirect, action, quoted }));
        for part in beside.parts {
            push(word, part);
        }
        self.close_brace(opened);
    }

    fn close_brace(&mut self, opened: usize) {
        if self.eat(b'}') {
            return;
        }
        if self.pos >= self.bytes.len() {
            self.note(FlawKind::Unclosed, opened);
        } else {
            self.unexpected();
        }
    }

    /// Goes past a `#` or `!` that asks for the length or the indirection of what follows, and is no name itself.
    fn prefix_mark(&mut self) -> Option<u8> {
        let mark = self.peek().filter(|byte| matches!(byte, b'#' | b'!'))?;
        let next = self.after(self.pos);
        let name = *self.bytes.get(next)?;
        let after_name = self.bytes.get(self.after(next)).copied();
        let marks = match name {
            b'_' | b'@' | b'*' => true,
            _ if name.is_ascii_alphanumeric() => true,
            b'#' | b'?' | b'-' | b'$' | b'!' => after_name == Some(b'}'),
            _ => false,
        };
        if !marks {
            return None;
        }
        self.pos = next;
        Some(mark)
    }

    fn parameter_name(&mut self) -> String {
        let start = self.pos;
        match self.peek() {
            Some(b'0'..=b'9') => {
                while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                    self.pos += 1;
                }
            }
            // Not `${${name}}`, which zsh takes.
            Some(b'$') if matches!(self.second(), Some(b'{' | b'(')) => {}
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => self.pos += 1,
            _ => self.pos = self.name_end(self.pos),
        }
        self.unfolded(start, self.pos)
    }

    /// Reads an index as it is written, and its bracket; what runs in it is added to `beside`.
    fn parameter_index(&mut self, beside: &mut Word) -> String {
        let start = self.pos;
        let parts = self.index().parts;
        let closed = self.bytes.get(self.pos.saturating_sub(1)) == Some(&b']');
        keep_expansions(parts, beside);
        self.unfolded(start, if closed { self.pos - 1 } else { self.pos })
    }

    /// Reads an index, or an expression in brackets, and the bracket that closes it.
    pub(super) fn index(&mut self) -> Word {
        let opened = self.pos;
        let inside = Inside { close: b']', open: Some(b'['), also: None, quoted: false, singles: true };
        let index = self.deeper(|parser| parser.inside(inside));
        let index = index.unwrap_or_else(|| {
            let script = self.flatten_rest();
            Word { parts: vec![Part::Substitution { script, quoted: false }] }
        });
        if !self.eat(b']') {
            self.note(FlawKind::Unclosed, opened);
        }
        index
    }

    /// Reads what is done with the value, up to the closing brace.
    fn action(&mut self, beside: &mut Word, quoted: bool) -> Action {
        let Some(byte) = self.peek() else { return Action::Plain };
        let word = Inside { close: b'}', open: None, also: None, quoted, singles: !quoted };
        // Quotes in a pattern always quote.
        let pattern = Inside { singles: true, ..word };
        if byte == b'}' {
            return Action::Plain;
        }
        self.pos += 1;
        match byte {
            b':' => match self.peek() {
                Some(sign @ (b'-' | b'=' | b'?' | b'+')) => {
                    self.pos += 1;
                    self.substitute(sign, Missing::Empty, word)
                }
                _ => self.slice_action(word),
            },
            b'-' | b'=' | b'?' | b'+' => self.substitute(byte, Missing::Unset, word),
            b'#' => {
                let longest = self.eat(b'#');
                Action::WithoutPrefix { pattern: self.inside(pattern), longest }
            }
            b'%' => {
                let longest = self.eat(b'%');
                Action::WithoutSuffix { pattern: self.inside(pattern), longest }
            }
            b'/' => self.replace(pattern),
            b'^' | b',' | b'~' => {
                let all = self.eat(byte);
                keep_expansions(self.inside(pattern).parts, beside);
                Action::Case { upper: byte != b',', all }
            }
            b'@' | b'*' if self.peek() == Some(b'}') => Action::Transform(char::from(byte)),
            b'@' if self.second() == Some(b'}') => {
                let how = self.peek().map_or('@', char::from);
                self.pos += 1;
                Action::Transform(how)
            }
            // No shell takes this, but one may still expand what is in it.
            _ => {
                self.pos -= 1;
                Action::Default(self.inside(word), Missing::Unset)
            }
        }
    }

    fn substitute(&mut self, sign: u8, missing: Missing, inside: Inside) -> Action {
        let word = self.inside(inside);
        match sign {
            b'-' => Action::Default(word, missing),
            b'=' => Action::Assign(word, missing),
            b'?' => Action::Demand(word, missing),
            _ => Action::Alternative(word, missing),
        }
    }

    fn slice_action(&mut self, inside: Inside) -> Action {
        let offset = self.inside(Inside { also: Some(b':'), ..inside });
        let length = self.eat(b':').then(|| self.inside(inside));
        Action::Slice { offset, length }
    }

    fn replace(&mut self, inside: Inside) -> Action {
        let which = match self.peek() {
            Some(b'/') => Which::All,
            Some(b'#') => Which::Prefix,
            Some(b'%') => Which::Suffix,
            _ => Which::First,
        };
        if which != Which::First {
            self.pos += 1;
        }
        let pattern = self.inside(Inside { also: Some(b'/'), ..inside });
        let with = if self.eat(b'/') { self.inside(inside) } else { Word::default() };
        Action::Replace { pattern, with, which }
    }

    /// Reads text up to what ends it, which stays.
    fn inside(&mut self, inside: Inside) -> Word {
        let mut word = Word::default();
        let mut nested = 0_u32;
        let mut parentheses = 0_u32;
        let quoted = inside.quoted;
        // Within double quotes, single quotes are text, but a brace between two of them closes nothing.
        let mut in_singles = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' if !inside.singles => in_singles = !in_singles,
                b'"' if in_singles => {}
                _ if byte == inside.close && nested == 0 && !in_singles => break,
                _ if Some(byte) == inside.also && parentheses == 0 && !in_singles => break,
                b'\'' if inside.singles => {
                    self.single_quoted(&mut word);
                    continue;
                }
                b'"' => {
                    self.pos += 1;
                    self.double_quoted(&mut word);
                    continue;
                }
                b'\\' if quoted => {
                    self.escaped_in_braces(&mut word);
                    continue;
                }
                b'\\' => {
                    self.escaped(&mut word);
                    continue;
                }
                b'$' => {
                    self.dollar(&mut word, quoted);
                    continue;
                }
                b'`' => {
                    self.backticks(&mut word, quoted, quoted);
                    continue;
                }
                b'<' | b'>' if !quoted && self.second() == Some(b'(') => {
                    self.process(&mut word, byte == b'>');
                    continue;
                }
                0xE2 | 0xEF if !quoted => {
                    self.uncommon(&mut word);
                    continue;
                }
                b'(' => parentheses += 1,
                b')' => parentheses = parentheses.saturating_sub(1),
                _ if Some(byte) == inside.open => nested += 1,
                _ if byte == inside.close && nested > 0 => nested -= 1,
                _ => {}
            }
            let start = self.pos;
            self.pos += 1;
            while self.bytes.get(self.pos).is_some_and(|&byte| is_text(byte, inside)) {
                self.pos += 1;
            }
            push_text(&mut word, self.slice(start, self.pos), quoted);
        }
        word
    }

    /// Takes a backslash in `"${name:-…}"`, where it may also escape the brace.
    fn escaped_in_braces(&mut self, word: &mut Word) {
        if matches!(self.bytes.get(self.pos + 1), Some(b'$' | b'`' | b'"' | b'\\' | b'}')) {
            self.escaped(word);
        } else {
            push_quoted(word, "\\");
            self.pos += 1;
        }
    }
}

/// Says whether a byte inside of brackets is text and nothing else.
fn is_text(byte: u8, inside: Inside) -> bool {
    !matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'<' | b'>' | b'(' | b')' | 0xE2 | 0xEF)
        && byte != inside.close
        && Some(byte) != inside.open
        && Some(byte) != inside.also
}

/// Keeps those parts in which something is expanded.
fn keep_expansions(parts: Vec<Part>, beside: &mut Word) {
    for part in parts {
        if !matches!(part, Part::Bare(_) | Part::Quoted(_) | Part::Parameter(_)) {
            push(beside, part);
        }
    }
}
