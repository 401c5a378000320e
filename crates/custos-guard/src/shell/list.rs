//! Lists and pipelines, and how the parser finds its feet again.
//!
//! A list ends before anything that cannot begin a command; whoever began the list looks whether that is what ends it. Parentheses are
//! hard borders: within them, a stray `fi` or `}` is noted and skipped, because what follows would run, or would be taken for text,
//! otherwise. Reserved words are soft ones: a group that meets `)` or `done` ends there and leaves it to those around it.

use super::parser::Parser;
use super::reserved::Reserved;
use super::syntax::{Command, Kind, Link, Script, Simple};

impl Parser<'_> {
    /// Reads everything up to the end of the text.
    pub(super) fn everything(&mut self) -> Script {
        let script = self.list_until(None);
        self.finish_heredocs();
        script
    }

    /// Reads commands until this byte is reached, or the end; anything else that ends a list is noted and skipped.
    pub(super) fn list_until(&mut self, close: Option<u8>) -> Script {
        let mut script = self.list();
        loop {
            match self.peek() {
                None => return script,
                byte if byte == close => return script,
                Some(_) => {}
            }
            self.unexpected();
            self.skip_closer();
            script.commands.append(&mut self.list().commands);
        }
    }

    /// Goes past whatever ended a list.
    fn skip_closer(&mut self) {
        match self.reserved() {
            Some((_, end)) => self.pos = end,
            None if self.eat_both(b';', b';') => {
                self.eat(b'&');
            }
            None if self.eat_both(b';', b'&') => {}
            None => self.pos += 1,
        }
    }

    /// Reads commands up to something that cannot begin one.
    pub(super) fn list(&mut self) -> Script {
        let mut commands = Vec::new();
        // Whether the command before needs another one after it.
        let mut owed = false;
        loop {
            self.newlines();
            if self.at_closer() {
                if owed {
                    self.missing();
                }
                return Script { commands };
            }
            if self.at_operator() {
                self.unexpected();
                self.skip_operator();
                continue;
            }
            let mut command = self.pipeline();
            command.link = self.link();
            owed = matches!(command.link, Link::And | Link::Or);
            if commands.is_empty() {
                commands.reserve_exact(1);
            }
            commands.push(command);
        }
    }

    /// Reads what stands between a command and the next one.
    fn link(&mut self) -> Link {
        self.blanks();
        match (self.peek(), self.second()) {
            (Some(b'&'), Some(b'&')) => {
                self.eat_both(b'&', b'&');
                Link::And
            }
            (Some(b'|'), Some(b'|')) => {
                self.eat_both(b'|', b'|');
                Link::Or
            }
            (Some(b'&'), _) => {
                self.pos += 1;
                Link::Background
            }
            (Some(b';'), Some(b';' | b'&')) | (None | Some(b'\n' | b')'), _) => Link::Then,
            (Some(b';'), _) => {
                self.pos += 1;
                Link::Then
            }
            // After a compound command, a word that goes on with the one around it needs no separator: `{ (a) }`.
            _ if self.reserved().is_some_and(|(word, _)| word.closes()) => Link::Then,
            _ => {
                self.unexpected();
                Link::Then
            }
        }
    }

    /// Says whether something is here that ends a list.
    fn at_closer(&mut self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => matches!(self.second(), Some(b';' | b'&')),
            _ => self.reserved().is_some_and(|(word, _)| word.closes()),
        }
    }

    /// Says whether an operator is here that needs a command before it.
    fn at_operator(&mut self) -> bool {
        match self.peek() {
            Some(b';' | b'|') => true,
            Some(b'&') => self.second() != Some(b'>'),
            _ => false,
        }
    }

    fn skip_operator(&mut self) {
        if !self.eat_both(b'&', b'&') && !self.eat_both(b'|', b'|') && !self.eat_both(b'|', b'&') {
            self.pos += 1;
        }
    }

    /// Reads a pipeline, or the one command that it is.
    fn pipeline(&mut self) -> Command {
        let start = self.pos;
        let bare = self.pipeline_prefix() && self.at_end_of_pipeline();
        if bare {
            return self.command(Kind::Simple(Simple::default()), start);
        }
        let first = self.one_command();
        if !self.at_pipe() {
            return first;
        }
        let mut stages = vec![first];
        while self.at_pipe() {
            self.pos += 1;
            self.eat(b'&');
            self.newlines();
            if self.reserved().is_some_and(|(word, _)| word == Reserved::Not) {
                self.unexpected();
            }
            self.pipeline_prefix();
            stages.push(self.one_command());
        }
        let end = stages.last().map_or(self.pos, |stage| stage.span.end);
        self.command_between(Kind::Pipeline(stages), start, end)
    }

    fn at_pipe(&mut self) -> bool {
        self.blanks();
        self.peek() == Some(b'|') && self.second() != Some(b'|')
    }

    fn at_end_of_pipeline(&mut self) -> bool {
        match self.peek() {
            None | Some(b'\n' | b';' | b')') => true,
            Some(b'&') => self.second() != Some(b'>'),
            _ => false,
        }
    }

    /// Skips `!` and `time [-p]`, which change nothing about what runs, and says whether there were any.
    fn pipeline_prefix(&mut self) -> bool {
        let mut any = false;
        loop {
            match self.reserved() {
                Some((Reserved::Not, end)) => self.pos = end,
                Some((Reserved::Time, end)) if self.is_keyword_time(end) => {}
                _ => return any,
            }
            any = true;
            self.blanks();
        }
    }

    /// Goes past `time` and its option, unless it has options that only the program of that name knows.
    fn is_keyword_time(&mut self, end: usize) -> bool {
        let start = std::mem::replace(&mut self.pos, end);
        for option in ["-p", "--"] {
            self.blanks();
            let past = self.pos + option.len();
            let alone = self.bytes.get(past).is_none_or(|&byte| byte.is_ascii_whitespace());
            if alone && self.slice(self.pos, past) == option {
                self.pos = past;
            }
        }
        self.blanks();
        let keyword = self.peek() != Some(b'-');
        if !keyword {
            self.pos = start;
        }
        keyword
    }
}
