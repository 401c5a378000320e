//! Simple commands: assignments, words and redirections, in any order that bash takes.

use super::parser::Parser;
use super::syntax::{AssignedValue, Assignment, Command, Kind, Operator, Part, Redirect, Simple, Word};
use super::word::{is_bare, literal, push, push_bare};

/// Builtins whose arguments may be assignments of arrays.
const DECLARING: &[&str] = &["declare", "typeset", "local", "export", "readonly", "alias", "eval", "let"];

impl Simple {
    /// Says whether it may yet turn out to be the name of a function.
    fn is_one_word(&self) -> bool {
        self.words.len() == 1 && self.assignments.is_empty() && self.redirects.is_empty()
    }
}

impl Parser<'_> {
    /// Reads a simple command, or the function that one turns out to be; `words` are those already read.
    pub(super) fn simple(&mut self, start: usize, words: Vec<Word>) -> Command {
        let mut simple = Simple { words, ..Simple::default() };
        let mut end = self.pos;
        loop {
            self.blanks();
            if self.redirect(&mut simple.redirects) {
                end = self.pos;
                continue;
            }
            match self.peek() {
                Some(b'(') if simple.is_one_word() && self.eat_empty_parentheses() => {
                    return self.function_by_name(&simple, start);
                }
                None | Some(b'\n' | b';' | b'&' | b'|' | b'(' | b')') => break,
                _ => {}
            }
            if simple.words.is_empty() {
                match self.assignment() {
                    Ok(assignment) => simple.assignments.push(assignment),
                    Err(begun) => {
                        let word = self.word_from(begun);
                        simple.words.reserve_exact(4);
                        simple.words.push(word);
                    }
                }
            } else {
                let word = self.argument(&simple);
                simple.words.push(word);
            }
            end = self.pos;
        }
        if simple == Simple::default() {
            self.missing();
        }
        self.command_between(Kind::Simple(simple), start, end)
    }

    /// Goes past `()`, if it is here.
    pub(super) fn eat_empty_parentheses(&mut self) -> bool {
        if self.peek() != Some(b'(') {
            return false;
        }
        let mut next = self.after(self.pos);
        while matches!(self.bytes.get(next), Some(b' ' | b'\t')) {
            next = self.after(next);
        }
        let empty = self.bytes.get(next) == Some(&b')');
        if empty {
            self.pos = next + 1;
        }
        empty
    }

    fn function_by_name(&mut self, simple: &Simple, start: usize) -> Command {
        let name = simple.words.first().map(literal).unwrap_or_default();
        let Some(kind) = self.deeper(|parser| parser.function(name)) else {
            let rest = self.flatten_rest();
            return self.command(Kind::Group(rest), start);
        };
        self.command(kind, start)
    }

    /// Reads an assignment; if there is none, gives the beginning of a word that had to be read to see it.
    fn assignment(&mut self) -> Result<Assignment, Word> {
        let name_end = self.name_end(self.pos);
        if name_end == self.pos {
            return Err(Word::default());
        }
        let name = || self.unfolded(self.pos, name_end);
        match self.bytes.get(name_end) {
            Some(b'=') => {
                let name = name();
                self.pos = name_end + 1;
                Ok(Assignment { name, index: None, append: false, value: self.value() })
            }
            Some(b'+') if self.bytes.get(name_end + 1) == Some(&b'=') => {
                let name = name();
                self.pos = name_end + 2;
                Ok(Assignment { name, index: None, append: true, value: self.value() })
            }
            Some(b'[') => {
                let name = name();
                self.pos = name_end + 1;
                let index = self.index();
                let append = self.peek() == Some(b'+') && self.second() == Some(b'=');
                if append || self.peek() == Some(b'=') {
                    self.pos = if append { self.after(self.pos) + 1 } else { self.pos + 1 };
                    return Ok(Assignment { name, index: Some(index), append, value: self.value() });
                }
                let mut word = Word::default();
                push_bare(&mut word, &name);
                push_bare(&mut word, "[");
                word.parts.extend(index.parts);
                push_bare(&mut word, "]");
                Err(word)
            }
            _ => Err(Word::default()),
        }
    }

    /// Reads what is assigned, after the `=`.
    fn value(&mut self) -> AssignedValue {
        if self.peek() == Some(b'(') {
            self.pos += 1;
            return AssignedValue::Array(self.array());
        }
        AssignedValue::Word(self.word())
    }

    /// Reads the elements of an array and its `)`.
    fn array(&mut self) -> Vec<Word> {
        let mut elements = Vec::new();
        loop {
            self.newlines();
            match self.peek() {
                Some(b')') => {
                    self.pos += 1;
                    return elements;
                }
                None => {
                    self.missing();
                    return elements;
                }
                _ => {}
            }
            let element = if self.peek() == Some(b'[') { self.keyed_element() } else { self.word() };
            if element.parts.is_empty() {
                // An operator, or a redirection: bash takes none here.
                self.unexpected();
                self.pos += 1;
            } else {
                elements.push(element);
            }
        }
    }

    /// Reads `[key]=value`, or a pattern that begins like it.
    fn keyed_element(&mut self) -> Word {
        self.pos += 1;
        let key = self.index();
        let keyed = self.eat_both(b'+', b'=') || self.eat(b'=');
        let mut word = Word::default();
        push_bare(&mut word, "[");
        word.parts.extend(key.parts);
        push_bare(&mut word, if keyed { "]=" } else { "]" });
        self.word_from(word)
    }

    /// Reads a word that is no longer the first.
    fn argument(&mut self, simple: &Simple) -> Word {
        let name_end = self.name_end(self.pos);
        let append = usize::from(self.bytes.get(name_end) == Some(&b'+'));
        let opened = name_end + append + 1;
        if name_end == self.pos
            || self.bytes.get(opened - 1) != Some(&b'=')
            || self.bytes.get(opened) != Some(&b'(')
        {
            return self.word();
        }
        if !simple.words.first().is_some_and(|word| DECLARING.iter().any(|name| is_bare(word, name))) {
            self.unexpected();
        }
        let mut word = Word::default();
        push_bare(&mut word, self.slice(self.pos, opened + 1));
        self.pos = opened + 1;
        for (index, element) in self.array().into_iter().enumerate() {
            if index > 0 {
                push_bare(&mut word, " ");
            }
            for part in element.parts {
                push(&mut word, part);
            }
        }
        push_bare(&mut word, ")");
        word
    }

    /// Reads a redirection, if there is one here.
    pub(super) fn redirect(&mut self, redirects: &mut Vec<Redirect>) -> bool {
        let Some(operator_at) = self.redirection_at() else { return false };
        let descriptor = (operator_at > self.pos).then(|| self.unfolded(self.pos, operator_at));
        self.pos = operator_at;
        let Some(operator) = self.operator() else { return false };
        self.blanks();
        let start = self.pos;
        let target = self.word();
        if target.parts.is_empty() {
            self.missing();
        }
        let (operator, target) = match operator {
            Sign::Plain(operator) => (operator, target),
            Sign::OutputAnd if descriptor.is_some() || is_descriptor(&target) => {
                (Operator::Duplicate, target)
            }
            Sign::OutputAnd => (Operator::Write, target),
            Sign::Heredoc { tabs } => {
                let source = self.slice(start, self.pos);
                (Operator::Heredoc, self.await_heredoc(&target, source, tabs))
            }
        };
        redirects.push(Redirect { descriptor, operator, target });
        true
    }

    /// Where the operator of a redirection stands, if one begins here.
    fn redirection_at(&mut self) -> Option<usize> {
        let mut at = self.pos;
        match self.peek()? {
            b'<' | b'>' => at = self.pos,
            b'&' => return (self.second() == Some(b'>')).then_some(self.pos),
            b'0'..=b'9' => {
                while self.bytes.get(at).is_some_and(u8::is_ascii_digit) {
                    at = self.after(at);
                }
            }
            b'{' => {
                at = self.name_end(self.pos + 1);
                if at == self.pos + 1 || self.bytes.get(at) != Some(&b'}') {
                    return None;
                }
                at = self.after(at);
            }
            _ => return None,
        }
        let operator = matches!(self.bytes.get(at), Some(b'<' | b'>'));
        // `<(` and `>(` begin a word.
        (operator && self.bytes.get(self.after(at)) != Some(&b'(')).then_some(at)
    }

    fn operator(&mut self) -> Option<Sign> {
        let first = self.peek()?;
        self.pos += 1;
        Some(match (first, self.peek()) {
            (b'&', _) => {
                self.pos += 1;
                if self.eat(b'>') { Sign::Plain(Operator::Append) } else { Sign::Plain(Operator::Write) }
            }
            (b'>', Some(b'>')) => self.past(Sign::Plain(Operator::Append)),
            (b'>', Some(b'|')) => self.past(Sign::Plain(Operator::Write)),
            (b'>', Some(b'&')) => self.past(Sign::OutputAnd),
            (b'>', _) => Sign::Plain(Operator::Write),
            (_, Some(b'>')) => self.past(Sign::Plain(Operator::ReadWrite)),
            (_, Some(b'&')) => self.past(Sign::Plain(Operator::Duplicate)),
            (_, Some(b'<')) => {
                self.pos += 1;
                if self.eat(b'<') {
                    Sign::Plain(Operator::HereString)
                } else {
                    Sign::Heredoc { tabs: self.eat(b'-') }
                }
            }
            _ => Sign::Plain(Operator::Read),
        })
    }

    fn past(&mut self, sign: Sign) -> Sign {
        self.pos += 1;
        sign
    }
}

/// An operator as it is written.
enum Sign {
    /// One that is clear by itself.
    Plain(Operator),
    /// `>&`, which copies a descriptor or writes a file.
    OutputAnd,
    /// `<<`, or `<<-` that takes tabs off.
    Heredoc { tabs: bool },
}

/// Says whether what follows `>&` is a descriptor: digits, `-`, or digits that are moved by a `-`.
fn is_descriptor(target: &Word) -> bool {
    let text = literal(target);
    let digits = text.strip_suffix('-').unwrap_or(&text);
    target.parts.iter().all(|part| matches!(part, Part::Bare(_) | Part::Quoted(_)))
        && !text.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}
