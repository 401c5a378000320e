//! What runs, or is reckoned, inside of a word: `$( … )`, backticks, `<( … )`, `$(( … ))`.
//!
//! Whether `((` begins an expression or two subshells is only known at its end. Bash looks for that end first, by brackets and quotes
//! alone, and so does this.

use super::parser::Parser;
use super::syntax::{FlawKind, Part, Script, Word};
use super::word::push;

impl Parser<'_> {
    /// Reads `$( … )` or `$(( … ))`, whose first parenthesis is at `opened`.
    pub(super) fn dollar_parenthesis(&mut self, word: &mut Word, quoted: bool, opened: usize) {
        let second = self.after(opened);
        if self.bytes.get(second) == Some(&b'(')
            && let Some(end) = self.arithmetic_end(second + 1)
        {
            self.pos = second + 1;
            let expression = self.arithmetic(end, 2);
            return push(word, Part::Arithmetic(expression.parts));
        }
        self.pos = opened + 1;
        let script = self.parenthesised();
        push(word, Part::Substitution { script, quoted });
    }

    /// Reads `<( … )` or `>( … )`.
    pub(super) fn process(&mut self, word: &mut Word, output: bool) {
        self.pos = self.after(self.pos) + 1;
        let script = self.parenthesised();
        push(word, Part::Process { script, output });
    }

    /// Reads the script of a substitution and its `)`.
    fn parenthesised(&mut self) -> Script {
        let opened = self.pos;
        let mut outer_pending = std::mem::take(&mut self.pending);
        let outer_substitution = std::mem::replace(&mut self.in_substitution, true);
        let script = self.deeper(|parser| {
            let script = parser.list_until(Some(b')'));
            if !parser.eat(b')') {
                parser.note(FlawKind::Unclosed, opened);
            }
            script
        });
        let script = script.unwrap_or_else(|| self.flatten_rest());
        self.in_substitution = outer_substitution;
        // A heredoc that was begun on the last line of a substitution has its body after the line that it ends on.
        outer_pending.append(&mut self.pending);
        self.pending = outer_pending;
        script
    }

    /// Reads `` ` … ` ``: a text of its own, with one level of backslashes taken off, between double quotes also before those.
    pub(super) fn backticks(&mut self, word: &mut Word, quoted: bool, in_quotes: bool) {
        let opened = self.pos;
        let start = opened + 1;
        let mut end = start;
        let mut escapes = false;
        loop {
            match self.bytes.get(end) {
                Some(b'\\') => {
                    escapes = true;
                    end += 2;
                }
                Some(b'`') => break,
                Some(_) => end += 1,
                None => {
                    self.note(FlawKind::Unclosed, opened);
                    end = self.bytes.len();
                    break;
                }
            }
        }
        let past = (end + 1).min(self.bytes.len());
        let foreseen = self.foresee(end - start);
        self.pos = start;
        let script = if escapes {
            let copy = unescaped(self.slice(start, end), in_quotes);
            self.deeper(|parser| {
                let mut inner = parser.for_copy(&copy, opened..past);
                let script = inner.whole();
                parser.take_over(inner);
                script
            })
        } else {
            self.deeper(|parser| parser.within(end, Self::everything))
        };
        let script = match script {
            Some(script) if foreseen => script,
            _ => self.within(end, Self::flatten_rest),
        };
        self.pos = past;
        push(word, Part::Substitution { script, quoted });
    }

    /// Reads `$[ … ]`, after the bracket.
    pub(super) fn bracket_arithmetic(&mut self, word: &mut Word) {
        let expression = self.index();
        push(word, Part::Arithmetic(expression.parts));
    }

    /// Reads the expression up to `end`, and goes past the brackets that close it.
    pub(super) fn arithmetic(&mut self, end: usize, brackets: usize) -> Word {
        let read = |parser: &mut Self| {
            let mut expression = Word::default();
            parser.expanded_text(&mut expression, false, false);
            expression
        };
        let expression = self.deeper(|parser| parser.within(end, read));
        let expression = expression.unwrap_or_else(|| {
            let script = self.within(end, Self::flatten_rest);
            Word { parts: vec![Part::Substitution { script, quoted: false }] }
        });
        for _ in 0..brackets {
            self.eat(b')');
        }
        expression
    }

    /// Where the `))` stands that closes the expression which begins at `start`, if that is what it is.
    pub(super) fn arithmetic_end(&mut self, start: usize) -> Option<usize> {
        let bytes = self.foreseeable(start);
        let (read, end) = closing_parenthesis(bytes);
        self.foresee(read);
        if end.is_none() && start + bytes.len() < self.bytes.len() {
            self.note(FlawKind::TooDeep, start);
        }
        let end = start + end?;
        (self.bytes.get(self.after(end)) == Some(&b')')).then_some(end)
    }
}

/// Finds the parenthesis that closes one which was opened before, by brackets and quotes alone, and says how much was read.
fn closing_parenthesis(bytes: &[u8]) -> (usize, Option<usize>) {
    // What has to be closed, innermost last.
    let mut open: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let inner = open.last().copied();
        let in_quotes = inner == Some(b'"');
        let next = bytes.get(at + 1).copied();
        match byte {
            b'\\' => at += 1,
            _ if inner == Some(byte) => {
                open.pop();
            }
            b'"' | b'`' => open.push(byte),
            b'\'' if !in_quotes => at = end_of_quote(bytes, at, |_| false),
            b'$' if !in_quotes && next == Some(b'\'') => {
                at = end_of_quote(bytes, at + 1, |byte| byte == b'\\');
            }
            // Outside of quotes, bash counts the parenthesis of `$(` like any other, and no brace.
            b'$' if in_quotes && matches!(next, Some(b'(' | b'{')) => {
                open.push(if next == Some(b'(') { b')' } else { b'}' });
                at += 1;
            }
            b'(' if !in_quotes => open.push(b')'),
            b')' if inner.is_none() => return (at, Some(at)),
            _ => {}
        }
        at += 1;
    }
    (at, None)
}

/// The place of the single quote that closes the one at `at`.
fn end_of_quote(bytes: &[u8], at: usize, escapes: impl Fn(u8) -> bool) -> usize {
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'\'' => return end,
            _ if escapes(byte) => end += 2,
            _ => end += 1,
        }
    }
    end
}

/// Takes one level of backslashes off, as bash does between backticks.
fn unescaped(text: &str, in_quotes: bool) -> String {
    let mut copy = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        copy.push_str(before);
        let escaped = escape.get(1..).unwrap_or_default();
        let dropped = escaped.starts_with(['$', '`', '\\']) || (in_quotes && escaped.starts_with('"'));
        if !dropped {
            copy.push('\\');
        }
        let length = escaped.chars().next().map_or(0, char::len_utf8);
        let (character, after) = escaped.split_at(length);
        copy.push_str(character);
        rest = after;
    }
    copy.push_str(rest);
    copy
}
