//! Reads words: quotes, backslashes, and what the shell would put in their place.
//!
//! A word comes with what is known of it: its text without quotes, whether the shell would put something else in its
//! place, and whether it stays one word. Most words have no quotes at all and are slices of the script.

use std::borrow::Cow;

use super::ansi_c;
use super::effort::spend;
use super::lexer::Lexer;
use super::paths::{Known, Name};

/// A word of a command.
#[derive(Debug)]
pub(super) struct Word<'a> {
    /// The text without quotes; each substitution is one `$` in it.
    pub(super) text: Cow<'a, str>,
    /// How much of what the program gets is certain.
    pub(super) known: Known,
    /// Whether nothing in it is quoted: only then can it be a keyword.
    pub(super) bare: bool,
    /// Whether it begins with a `~` that the shell replaces.
    pub(super) tilde: bool,
}

impl Word<'_> {
    /// Returns the word as a name.
    pub(super) fn name(&self) -> Name<'_> {
        Name { text: &self.text, known: self.known, tilde: self.tilde }
    }

    /// Takes note of a substitution, which in quotes cannot become more than one word.
    fn put_in(&mut self, quoted: bool) {
        self.text.to_mut().push('$');
        self.doubt(if quoted { Known::Count } else { Known::Nothing });
    }

    fn doubt(&mut self, known: Known) {
        self.known = self.known.min(known);
    }
}

impl<'a> Lexer<'a> {
    /// Reads a word. At an operator it is empty, and nothing is taken.
    pub(super) fn word(&mut self) -> Word<'a> {
        let start = self.at;
        let mut word = Word { text: Cow::Borrowed(""), known: Known::Text, bare: true, tilde: false };
        let mut braces = false;
        while let Some(byte) = self.peek(0) {
            match byte {
                // A process substitution is a word; everywhere else these begin a redirection.
                b'<' | b'>' if self.peek(1) == Some(b'(') => {
                    self.at += 2;
                    self.substitution();
                    word.put_in(true);
                }
                // An extended pattern or the value of an array; everywhere else it is an operator.
                b'(' if self.at > start && b"=?*+@!".contains(&self.text.as_bytes()[self.at - 1]) => {
                    self.skip_brackets(b'(', b')');
                    word.put_in(false);
                }
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                b'\'' => {
                    word.bare = false;
                    self.single_quoted(&mut word);
                }
                b'"' => {
                    word.bare = false;
                    self.at += 1;
                    self.double_quoted(&mut word);
                }
                b'\\' => {
                    word.bare = false;
                    self.escaped(&mut word);
                }
                b'$' | b'`' => self.expansion(&mut word, false),
                _ => {
                    let run = self.plain_run();
                    braces |= run.contains('{');
                    if run.contains(['*', '?', '[']) {
                        word.doubt(Known::Nothing);
                    }
                    append(&mut word.text, run);
                }
            }
        }
        if braces && word.text.contains('}') && (word.text.contains(',') || word.text.contains("..")) {
            word.doubt(Known::Nothing);
        }
        if self.text.as_bytes().get(start) == Some(&b'~') && self.at > start {
            // Only an unquoted slash, or nothing, may stand behind it; `~user` is a home that is not known here.
            word.tilde = self.at == start + 1 || self.text.as_bytes().get(start + 1) == Some(&b'/');
            if !word.tilde {
                word.doubt(Known::Count);
            }
        }
        if self.cut && self.at == self.text.len() {
            word.doubt(Known::Count);
        }
        word
    }

    /// Takes the bytes up to the next one that may mean something.
    fn plain_run(&mut self) -> &'a str {
        let start = self.at;
        while let Some(byte) = self.peek(0)
            && !b" \t\r\n;&|()<>'\"\\$`".contains(&byte)
        {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn single_quoted(&mut self, word: &mut Word<'a>) {
        let rest = &self.text[self.at + 1..];
        let end = rest.find('\'');
        append(&mut word.text, &rest[..end.unwrap_or(rest.len())]);
        if end.is_none() {
            word.doubt(Known::Count);
        }
        self.at += end.map_or(rest.len() + 1, |end| end + 2);
        spend(rest.len().min(end.unwrap_or(rest.len())));
    }

    /// Reads the text up to the closing `"`, the opening one being behind.
    fn double_quoted(&mut self, word: &mut Word<'a>) {
        let mut start = self.at;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'"' => {
                    append(&mut word.text, &self.text[start..self.at]);
                    self.at += 1;
                    return;
                }
                b'$' | b'`' => {
                    append(&mut word.text, &self.text[start..self.at]);
                    self.expansion(word, true);
                    start = self.at;
                }
                b'\\' if matches!(self.peek(1), Some(b'"' | b'\\' | b'$' | b'`' | b'\n')) => {
                    append(&mut word.text, &self.text[start..self.at]);
                    self.escaped(word);
                    start = self.at;
                }
                _ => self.at += 1,
            }
        }
        append(&mut word.text, &self.text[start..]);
        word.doubt(Known::Count);
    }

    /// Reads a backslash and the character it stands before; with a line's end, it stands for nothing.
    fn escaped(&mut self, word: &mut Word<'a>) {
        let rest = &self.text[self.at + 1..];
        let length = rest.chars().next().map_or(0, char::len_utf8);
        if !rest.starts_with('\n') {
            append(&mut word.text, &rest[..length]);
        }
        self.at += 1 + length;
    }

    /// Reads what begins with `$` or a backquote.
    fn expansion(&mut self, word: &mut Word<'a>, quoted: bool) {
        let dollar = self.peek(0) == Some(b'$');
        self.at += 1;
        match self.peek(0) {
            _ if !dollar => {
                word.put_in(quoted);
                self.skip_backquoted();
            }
            Some(b'\'') if !quoted => {
                word.bare = false;
                let (plain, length) = ansi_c::unescape(&self.text[self.at + 1..], b'\'');
                self.at += 1 + length;
                spend(length);
                match plain {
                    Some(plain) => word.text.to_mut().push_str(&plain),
                    None => word.put_in(true),
                }
            }
            // The quotes of a translated text: the `$` says nothing else.
            Some(b'"') if !quoted => {}
            Some(b'(') => {
                word.put_in(quoted);
                if self.peek(1) == Some(b'(') {
                    self.skip_brackets(b'(', b')');
                } else {
                    self.at += 1;
                    self.substitution();
                }
            }
            Some(b'{') => {
                let start = self.at;
                self.skip_brackets(b'{', b'}');
                // `"${all[@]}"` is as many words as it likes.
                word.put_in(quoted && !self.text[start..self.at].contains('@'));
            }
            Some(byte) if byte.is_ascii_alphanumeric() || b"_?!#$*@-".contains(&byte) => {
                word.put_in(quoted && byte != b'@');
                self.at += 1;
                if byte.is_ascii_alphabetic() || byte == b'_' {
                    while self.peek(0).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                        self.at += 1;
                    }
                }
            }
            _ => append(&mut word.text, "$"),
        }
    }
}

/// Appends without copying while one piece of the script is all there is.
fn append<'a>(text: &mut Cow<'a, str>, piece: &'a str) {
    if text.is_empty() {
        *text = Cow::Borrowed(piece);
    } else if !piece.is_empty() {
        text.to_mut().push_str(piece);
    }
}
