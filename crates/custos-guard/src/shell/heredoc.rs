//! Heredocs, whose bodies begin on the line after the one that names them.
//!
//! When a body is read, the redirection that it belongs to is already somewhere in the tree. Until the whole text has been parsed, a
//! number stands in the body's place; then the bodies are put there.

use super::parser::Parser;
use super::syntax::{
    Action, AssignedValue, Command, FlawKind, Kind, Operator, Parameter, Part, Redirect, Script, Word,
};
use super::word::{literal, push_quoted};

/// How many heredocs are followed; nobody writes a hundred.
const MOST_HEREDOCS: usize = 4096;

/// A heredoc whose body has not been reached.
pub(super) struct Heredoc {
    delimiter: String,
    /// Whether the body is text as it stands, because the delimiter is quoted.
    raw: bool,
    /// Whether tabs at the beginning of its lines are taken off.
    tabs: bool,
    /// Its place among the bodies.
    number: usize,
}

impl Parser<'_> {
    /// Remembers a heredoc by its delimiter and the delimiter's source, and gives what stands for its body.
    pub(super) fn await_heredoc(&mut self, delimiter: &Word, source: &str, tabs: bool) -> Word {
        let number = self.bodies.len();
        if number >= MOST_HEREDOCS || !self.foresee(source.len()) {
            self.note(FlawKind::TooDeep, self.pos);
            return Word::default();
        }
        let known = delimiter.parts.iter().all(|part| matches!(part, Part::Bare(_) | Part::Quoted(_)));
        // Nothing is expanded in a delimiter.
        let text = if known { literal(delimiter) } else { source.replace(['\'', '"', '\\'], "") };
        let raw = source.replace("\\\n", "").contains(['\'', '"', '\\']);
        self.pending.push(Heredoc { delimiter: text, raw, tabs, number });
        self.bodies.push(Word::default());
        Word { parts: vec![Part::Bare(number.to_string())] }
    }

    /// Reads the bodies that begin here, at the beginning of a line.
    pub(super) fn read_heredocs(&mut self) {
        let carriage_returns = self.bytes.get(..self.pos).is_some_and(|read| read.ends_with(b"\r\n"));
        for heredoc in std::mem::take(&mut self.pending) {
            self.read_heredoc(&heredoc, carriage_returns);
        }
    }

    /// Notes the heredocs whose line was the last one.
    pub(super) fn finish_heredocs(&mut self) {
        if !self.pending.is_empty() {
            self.note(FlawKind::Unclosed, self.bytes.len());
            self.read_heredocs();
        }
    }

    fn read_heredoc(&mut self, heredoc: &Heredoc, carriage_returns: bool) {
        let start = self.pos;
        let (end, next) = self.heredoc_end(heredoc, carriage_returns);
        let body = self.slice(start, end);
        let mut word = Word::default();
        if !self.foresee(next - start) {
            let script = self.within(end, Self::flatten_rest);
            word.parts.push(Part::Substitution { script, quoted: true });
        } else if heredoc.tabs && (body.starts_with('\t') || body.contains("\n\t")) {
            let copy: String = body.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect();
            if heredoc.raw {
                push_quoted(&mut word, &copy);
            } else {
                let mut inner = self.for_copy(&copy, start..end);
                word = inner.text_to_end();
                inner.place_bodies_in_word(&mut word);
                self.take_over(inner);
            }
        } else if heredoc.raw {
            push_quoted(&mut word, body);
        } else {
            word = self.within(end, Self::text_to_end);
        }
        if word.parts.is_empty() {
            push_quoted(&mut word, "");
        }
        self.pos = next;
        if let Some(place) = self.bodies.get_mut(heredoc.number) {
            *place = word;
        }
    }

    /// Reads the rest as if it stood within double quotes.
    pub(super) fn text_to_end(&mut self) -> Word {
        let mut word = Word::default();
        self.expanded_text(&mut word, false, true);
        word
    }

    /// Finds where a body ends and where the text goes on.
    fn heredoc_end(&mut self, heredoc: &Heredoc, carriage_returns: bool) -> (usize, usize) {
        let mut line_start = self.pos;
        let mut joined = false;
        let reach = self.pos + self.foreseeable(self.pos).len();
        while line_start < reach {
            let rest = self.bytes.get(line_start..).unwrap_or_default();
            let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            let line_end = line_start + length;
            let next = (line_end + 1).min(self.bytes.len());
            let mut line = self.slice(line_start, line_end);
            if carriage_returns {
                line = line.strip_suffix('\r').unwrap_or(line);
            }
            if heredoc.tabs {
                line = line.trim_start_matches('\t');
            }
            if !joined && line == heredoc.delimiter {
                return (line_start, next);
            }
            // `EOF)` ends both the heredoc and the substitution that it is in.
            if !joined
                && self.in_substitution
                && let Some(after) = line.strip_prefix(heredoc.delimiter.as_str())
                && after.contains(')')
            {
                return (
                    line_start,
                    line_end - after.len() - (length_of_return(carriage_returns, rest, length)),
                );
            }
            joined = !heredoc.raw && line.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1;
            line_start = next;
        }
        self.note(FlawKind::Unclosed, self.bytes.len());
        (self.bytes.len(), self.bytes.len())
    }

    /// Reads everything and puts the bodies of heredocs where they belong.
    pub(super) fn whole(&mut self) -> Script {
        let mut script = self.everything();
        if !self.bodies.is_empty() {
            in_script(&mut script, &mut self.bodies);
        }
        script
    }

    pub(super) fn place_bodies_in_word(&mut self, word: &mut Word) {
        if !self.bodies.is_empty() {
            in_word(word, &mut self.bodies);
        }
    }
}

/// How much of a line was a carriage return that was set aside.
fn length_of_return(carriage_returns: bool, rest: &[u8], length: usize) -> usize {
    usize::from(carriage_returns && length > 0 && rest.get(length - 1) == Some(&b'\r'))
}

fn in_script(script: &mut Script, bodies: &mut [Word]) {
    for command in &mut script.commands {
        in_command(command, bodies);
    }
}

fn in_command(command: &mut Command, bodies: &mut [Word]) {
    match &mut command.kind {
        Kind::Simple(simple) => {
            for assignment in &mut simple.assignments {
                if let Some(index) = &mut assignment.index {
                    in_word(index, bodies);
                }
                match &mut assignment.value {
                    AssignedValue::Word(word) => in_word(word, bodies),
                    AssignedValue::Array(words) => in_words(words, bodies),
                }
            }
            in_words(&mut simple.words, bodies);
            in_redirects(&mut simple.redirects, bodies);
        }
        Kind::Pipeline(stages) => {
            for stage in stages {
                in_command(stage, bodies);
            }
        }
        Kind::Subshell(script) | Kind::Group(script) => in_script(script, bodies),
        Kind::If(branches) => {
            for (condition, body) in branches {
                if let Some(condition) = condition {
                    in_script(condition, bodies);
                }
                in_script(body, bodies);
            }
        }
        Kind::Loop { condition, body } => {
            in_script(condition, bodies);
            in_script(body, bodies);
        }
        Kind::For { words, body, .. } => {
            in_words(words.as_deref_mut().unwrap_or_default(), bodies);
            in_script(body, bodies);
        }
        Kind::Arithmetic { expression, body } => {
            in_word(expression, bodies);
            in_script(body, bodies);
        }
        Kind::Case { word, arms } => {
            in_word(word, bodies);
            for (patterns, script) in arms {
                in_words(patterns, bodies);
                in_script(script, bodies);
            }
        }
        Kind::Test(words) => in_words(words, bodies),
        Kind::Function { body, .. } | Kind::Coprocess(body) => in_command(body, bodies),
    }
    in_redirects(&mut command.redirects, bodies);
}

fn in_redirects(redirects: &mut [Redirect], bodies: &mut [Word]) {
    for redirect in redirects {
        if redirect.operator == Operator::Heredoc {
            let number = literal(&redirect.target).parse::<usize>().ok();
            if let Some(body) = number.and_then(|number| bodies.get_mut(number)) {
                redirect.target = std::mem::take(body);
            }
        }
        in_word(&mut redirect.target, bodies);
    }
}

fn in_words(words: &mut [Word], bodies: &mut [Word]) {
    for word in words {
        in_word(word, bodies);
    }
}

fn in_word(word: &mut Word, bodies: &mut [Word]) {
    in_parts(&mut word.parts, bodies);
}

fn in_parts(parts: &mut [Part], bodies: &mut [Word]) {
    for part in parts {
        match part {
            Part::Bare(_) | Part::Quoted(_) => {}
            Part::Parameter(parameter) => in_parameter(parameter, bodies),
            Part::Substitution { script, .. } | Part::Process { script, .. } => in_script(script, bodies),
            Part::Arithmetic(parts) => in_parts(parts, bodies),
        }
    }
}

fn in_parameter(parameter: &mut Parameter, bodies: &mut [Word]) {
    match &mut parameter.action {
        Action::Plain | Action::Length | Action::Case { .. } | Action::Transform(_) => {}
        Action::Default(word, _)
        | Action::Assign(word, _)
        | Action::Demand(word, _)
        | Action::Alternative(word, _)
        | Action::WithoutPrefix { pattern: word, .. }
        | Action::WithoutSuffix { pattern: word, .. } => in_word(word, bodies),
        Action::Replace { pattern, with, .. } => {
            in_word(pattern, bodies);
            in_word(with, bodies);
        }
        Action::Slice { offset, length } => {
            in_word(offset, bodies);
            if let Some(length) = length {
                in_word(length, bodies);
            }
        }
    }
}
