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
    ///
    /// Like bash, it counts parentheses outside of quotes and nothing else; comments and `case` do not matter here. What stands in double
    /// quotes is parsed to find their end: it may hold scripts with quotes of their own.
    pub(super) fn arithmetic_end(&mut self, start: usize) -> Option<usize> {
        let reach = start + self.foreseeable(start).len();
        let mut open = 0_usize;
        let mut at = start;
        while at < reach {
            let next = self.bytes.get(at + 1).copied();
            match self.bytes.get(at)? {
                b'\\' => at += 2,
                b'\'' => at = self.end_of_quote(at, false),
                b'`' => at = self.end_of_quote(at, true),
                b'$' if next == Some(b'\'') => at = self.end_of_quote(at + 1, true),
                b'"' => at = self.end_of_double_quotes(at),
                b'(' => {
                    open += 1;
                    at += 1;
                }
                b')' if open > 0 => {
                    open -= 1;
                    at += 1;
                }
                b')' => {
                    self.foresee(at - start);
                    return (self.bytes.get(self.after(at)) == Some(&b')')).then_some(at);
                }
                _ => at += 1,
            }
        }
        self.foresee(at - start);
        if reach < self.bytes.len() {
            self.note(FlawKind::TooDeep, start);
        }
        None
    }

    /// The place after the quote that closes the one at `at`.
    fn end_of_quote(&self, at: usize, escapes: bool) -> usize {
        let quote = self.bytes.get(at);
        let mut end = at + 1;
        loop {
            match self.bytes.get(end) {
                None => return end,
                Some(b'\\') if escapes => end += 2,
                byte if byte == quote => return end + 1,
                Some(_) => end += 1,
            }
        }
    }

    /// The place after the double quotes that begin at `at`, found by parsing them for nothing.
    fn end_of_double_quotes(&mut self, at: usize) -> usize {
        let (pos, flaws) = (self.pos, self.flaws.len());
        let pending = std::mem::take(&mut self.pending);
        self.pos = at + 1;
        let parsed = self.deeper(|parser| parser.double_quoted(&mut Word::default()));
        let end = if parsed.is_some() { self.pos } else { self.bytes.len() };
        self.foresee(end - at);
        self.pos = pos;
        self.flaws.truncate(flaws);
        self.pending = pending;
        end
    }
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
