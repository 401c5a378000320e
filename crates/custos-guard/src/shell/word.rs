//! Words: bare text, quotes and expansions, side by side.

use super::parser::Parser;
use super::quote;
use super::syntax::{Action, FlawKind, Parameter, Part, Word};

/// Bytes of a word that mean nothing but themselves; the others have to be looked at.
static PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let special = b" \t\n\r|&;()<>'\"`$\\";
    let mut index = 0;
    while index < special.len() {
        plain[special[index] as usize] = false;
        index += 1;
    }
    // Characters beyond ASCII may be ones that nobody sees. All of those begin with one of these two bytes.
    plain[0xE2] = false;
    plain[0xEF] = false;
    plain
};

/// Adds bare text to a word.
pub(super) fn push_bare(word: &mut Word, text: &str) {
    match word.parts.last_mut() {
        Some(Part::Bare(last)) => last.push_str(text),
        _ => push(word, Part::Bare(text.to_owned())),
    }
}

/// Adds text that means itself to a word.
pub(super) fn push_quoted(word: &mut Word, text: &str) {
    match word.parts.last_mut() {
        Some(Part::Quoted(last)) => last.push_str(text),
        _ => push(word, Part::Quoted(text.to_owned())),
    }
}

/// Adds text to a word that stands within double quotes, or not.
pub(super) fn push_text(word: &mut Word, text: &str, quoted: bool) {
    if text.is_empty() {
        return;
    }
    if quoted { push_quoted(word, text) } else { push_bare(word, text) }
}

/// Adds a part to a word. Most words have only one, and parts are large.
pub(super) fn push(word: &mut Word, part: Part) {
    if word.parts.is_empty() {
        word.parts.reserve_exact(1);
    }
    word.parts.push(part);
}

/// The text of a word as far as it is literal.
pub(super) fn literal(word: &Word) -> String {
    let mut text = String::new();
    for part in &word.parts {
        if let Part::Bare(piece) | Part::Quoted(piece) = part {
            text.push_str(piece);
        }
    }
    text
}

/// Says whether a word is exactly this text, without quotes.
pub(super) fn is_bare(word: &Word, text: &str) -> bool {
    matches!(word.parts.as_slice(), [Part::Bare(bare)] if bare == text)
}

/// How parentheses are taken within a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parentheses {
    /// Only after `?`, `*`, `+`, `@` or `!`, as in the pattern `*.@(jpg|png)`.
    Pattern,
    /// Anywhere, and `|` too: after `=~`.
    Regex,
}

impl Parser<'_> {
    /// Reads a word; it has no parts if there is none.
    pub(super) fn word(&mut self) -> Word {
        self.word_from(Word::default())
    }

    /// Reads the rest of a word.
    pub(super) fn word_from(&mut self, word: Word) -> Word {
        self.word_with(word, Parentheses::Pattern)
    }

    /// Reads the regular expression after `=~`.
    pub(super) fn regex(&mut self) -> Word {
        self.word_with(Word::default(), Parentheses::Regex)
    }

    fn word_with(&mut self, mut word: Word, parentheses: Parentheses) -> Word {
        let mut open = 0_u32;
        loop {
            self.plain_run(&mut word);
            let Some(byte) = self.peek() else { break };
            match byte {
                b'\\' => self.escaped(&mut word),
                b'\'' => self.single_quoted(&mut word),
                b'"' => {
                    self.pos += 1;
                    self.double_quoted(&mut word);
                }
                b'$' => self.dollar(&mut word, false),
                b'`' => self.backticks(&mut word, false, false),
                b'<' | b'>' if self.second() == Some(b'(') => self.process(&mut word, byte == b'>'),
                b'(' if open > 0 || parentheses == Parentheses::Regex || self.is_pattern(&word) => {
                    open += 1;
                    self.bare_byte(&mut word);
                }
                b')' if open > 0 => {
                    open -= 1;
                    self.bare_byte(&mut word);
                }
                b'|' if parentheses == Parentheses::Regex => self.bare_byte(&mut word),
                b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'<' | b'>' if open > 0 => {
                    self.bare_byte(&mut word);
                }
                b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' => break,
                b'\r' if self.ends_line(self.pos) && open == 0 => break,
                0xE2 | 0xEF => self.uncommon(&mut word),
                // Part of the word after a line continuation.
                _ => self.plain_run(&mut word),
            }
        }
        if open > 0 {
            self.missing();
        }
        word
    }

    /// Takes bytes up to one that has to be looked at.
    fn plain_run(&mut self, word: &mut Word) {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        let length = rest.iter().position(|&byte| !PLAIN[usize::from(byte)]).unwrap_or(rest.len());
        // A lone carriage return is a character like others.
        let length = if length == 0 && rest.first() == Some(&b'\r') { 1 } else { length };
        if length > 0 {
            push_bare(word, self.slice(self.pos, self.pos + length));
            self.pos += length;
        }
    }

    fn bare_byte(&mut self, word: &mut Word) {
        push_bare(word, self.slice(self.pos, self.pos + 1));
        self.pos += 1;
    }

    /// Says whether a parenthesis here belongs to a pattern such as `@(a|b)`, not to a function such as `a+()`.
    fn is_pattern(&self, word: &Word) -> bool {
        matches!(word.parts.last(), Some(Part::Bare(bare)) if bare.ends_with(['?', '*', '+', '@', '!']))
            && self.second() != Some(b')')
    }

    /// Takes a character beyond ASCII, and notes it if it shows nothing.
    pub(super) fn uncommon(&mut self, word: &mut Word) {
        let Some(character) = self.slice(self.pos, self.bytes.len()).chars().next() else {
            self.pos += 1;
            return;
        };
        if is_invisible(character) {
            self.note(FlawKind::Invisible, self.pos);
        }
        let end = self.pos + character.len_utf8();
        push_bare(word, self.slice(self.pos, end));
        self.pos = end;
    }

    /// Takes the character after a backslash.
    pub(super) fn escaped(&mut self, word: &mut Word) {
        let from = self.pos + 1;
        let length = self.slice(from, self.bytes.len()).chars().next().map_or(0, char::len_utf8);
        // At the end of everything, a backslash means itself.
        let from = if length == 0 { self.pos } else { from };
        let end = from + length.max(1);
        push_quoted(word, self.slice(from, end));
        self.pos = end;
    }

    pub(super) fn single_quoted(&mut self, word: &mut Word) {
        let start = self.pos + 1;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let length = rest.iter().position(|&byte| byte == b'\'');
        let end = start + length.unwrap_or(rest.len());
        push_quoted(word, self.slice(start, end));
        if length.is_none() {
            self.note(FlawKind::Unclosed, self.pos);
        }
        self.pos = (end + 1).min(self.bytes.len());
    }

    /// Reads `$'…'`, from the quote.
    fn ansi_quoted(&mut self, word: &mut Word) {
        let start = self.pos + 1;
        let mut end = start;
        loop {
            match self.bytes.get(end) {
                Some(b'\\') => end += 2,
                Some(b'\'') => break,
                Some(_) => end += 1,
                None => {
                    self.note(FlawKind::Unclosed, self.pos);
                    end = self.bytes.len();
                    break;
                }
            }
        }
        push_quoted(word, &quote::ansi(self.slice(start, end)));
        self.pos = (end + 1).min(self.bytes.len());
    }

    /// Reads what stands between double quotes, after the first.
    pub(super) fn double_quoted(&mut self, word: &mut Word) {
        let opened = self.pos - 1;
        let before = word.parts.len();
        self.expanded_text(word, true, true);
        if !self.eat(b'"') {
            self.note(FlawKind::Unclosed, opened);
        }
        if word.parts.len() == before {
            push_quoted(word, "");
        }
    }

    /// Reads text in which only `$`, backticks and a few backslashes mean something: up to a double quote, or up to the end.
    pub(super) fn expanded_text(&mut self, word: &mut Word, until_quote: bool, quoted: bool) {
        loop {
            let rest = self.bytes.get(self.pos..).unwrap_or_default();
            let length = rest
                .iter()
                .position(|&byte| matches!(byte, b'$' | b'`' | b'\\') || (byte == b'"' && until_quote))
                .unwrap_or(rest.len());
            push_text(word, self.slice(self.pos, self.pos + length), quoted);
            self.pos += length;
            match self.peek() {
                None => return,
                Some(b'"') if until_quote => return,
                Some(b'$') => self.dollar(word, quoted),
                Some(b'`') => self.backticks(word, quoted, until_quote),
                Some(b'\\') => self.escaped_in_quotes(word, until_quote, quoted),
                // Text after a line continuation.
                Some(_) => {}
            }
        }
    }

    /// Takes a backslash within double quotes, which only escapes what would mean something there.
    fn escaped_in_quotes(&mut self, word: &mut Word, in_quotes: bool, quoted: bool) {
        let next = self.bytes.get(self.pos + 1).copied();
        let escapes = matches!(next, Some(b'$' | b'`' | b'\\')) || (in_quotes && next == Some(b'"'));
        if escapes {
            push_quoted(word, self.slice(self.pos + 1, self.pos + 2));
            self.pos += 2;
        } else {
            push_text(word, "\\", quoted);
            self.pos += 1;
        }
    }

    /// Reads what begins with `$`.
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) {
        let next = self.after(self.pos);
        let Some(&byte) = self.bytes.get(next) else {
            self.pos += 1;
            return push_text(word, "$", quoted);
        };
        match byte {
            b'(' => self.dollar_parenthesis(word, quoted, next),
            b'{' => {
                self.pos = next + 1;
                self.braced_parameter(word, quoted);
            }
            b'[' => {
                self.pos = next + 1;
                self.bracket_arithmetic(word);
            }
            b'\'' if !quoted => {
                self.pos = next;
                self.ansi_quoted(word);
            }
            b'"' if !quoted => {
                self.pos = next + 1;
                self.double_quoted(word);
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let end = self.name_end(next);
                push(word, plain(self.unfolded(next, end), quoted));
                self.pos = end;
            }
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => {
                push(word, plain(char::from(byte).to_string(), quoted));
                self.pos = next + 1;
            }
            _ => {
                self.pos += 1;
                push_text(word, "$", quoted);
            }
        }
    }

    /// Where the name that begins at `at` ends; `at` itself, if none does.
    pub(super) fn name_end(&self, at: usize) -> usize {
        let mut end = at;
        if self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
            return at;
        }
        while self.bytes.get(end).is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
            end = self.after(end);
        }
        end
    }

    /// The text between two places without its line continuations.
    pub(super) fn unfolded(&self, start: usize, end: usize) -> String {
        let text = self.slice(start, end);
        if text.contains('\\') { text.replace("\\\n", "") } else { text.to_owned() }
    }
}

/// `$name`.
fn plain(name: String, quoted: bool) -> Part {
    Part::Parameter(Parameter { name, index: None, indirect: false, action: Action::Plain, quoted })
}

/// Says whether a character shows nothing, or changes the order in which others are shown.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}'
            // The soft hyphen, joiners and fillers without a shape, tags; and what moves a terminal's cursor.
            | '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{3164}' | '\u{E0000}'..='\u{E007F}'
            | '\u{1}'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{7F}'
    )
}
