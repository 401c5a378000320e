//! Commands that hold other commands.

use super::parser::Parser;
use super::reserved::Reserved;
use super::syntax::{Command, Kind, Part, Script, Simple, Word};
use super::word::{is_bare, literal};

impl Parser<'_> {
    /// Reads one command of whatever kind.
    pub(super) fn one_command(&mut self) -> Command {
        let start = self.pos;
        if !self.has_room() {
            return self.command(Kind::Simple(Simple::default()), start);
        }
        let reserved = self.reserved();
        match reserved {
            Some((word, _)) if word.closes() => {
                self.unexpected();
                return self.command(Kind::Simple(Simple::default()), start);
            }
            None if self.peek() != Some(b'(') => return self.simple(start, Vec::new()),
            Some((Reserved::Time, _)) => return self.simple(start, Vec::new()),
            _ => {}
        }
        let Some(kind) = self.deeper(|parser| match reserved {
            Some((word, end)) => {
                parser.pos = end;
                parser.by_word(word)
            }
            None => parser.by_parenthesis(),
        }) else {
            let rest = self.flatten_rest();
            return self.command(Kind::Group(rest), start);
        };
        self.with_redirects(kind, start)
    }

    /// Adds the redirections that follow a compound command.
    fn with_redirects(&mut self, kind: Kind, start: usize) -> Command {
        let mut command = self.command(kind, start);
        loop {
            let end = self.pos;
            self.blanks();
            if !self.redirect(&mut command.redirects) {
                command.span = self.span(start, end);
                return command;
            }
        }
    }

    fn by_word(&mut self, word: Reserved) -> Kind {
        match word {
            Reserved::If => self.conditional(),
            Reserved::While | Reserved::Until => {
                let condition = self.needed_list();
                let body = self.loop_body();
                Kind::Loop { condition, body }
            }
            Reserved::For | Reserved::Select => self.for_each(),
            Reserved::Case => self.case(),
            Reserved::Open => {
                let script = self.needed_list();
                self.expect(Reserved::Close);
                Kind::Group(script)
            }
            Reserved::Test => self.test(),
            Reserved::Function => self.function_by_word(),
            Reserved::Coprocess => self.coprocess(),
            // `!` and `time` are taken off before, and the others begin no command.
            _ => Kind::Simple(Simple::default()),
        }
    }

    fn by_parenthesis(&mut self) -> Kind {
        let second = self.after(self.pos);
        if self.bytes.get(second) == Some(&b'(')
            && let Some(end) = self.arithmetic_end(second + 1)
        {
            self.pos = second + 1;
            return Kind::Arithmetic { expression: self.arithmetic(end, 2), body: Script::default() };
        }
        self.pos += 1;
        let script = self.list_until(Some(b')'));
        if script.commands.is_empty() {
            self.missing();
        }
        if !self.eat(b')') {
            self.missing();
        }
        Kind::Subshell(script)
    }

    /// Reads a list that must not be empty.
    fn needed_list(&mut self) -> Script {
        let script = self.list();
        if script.commands.is_empty() {
            self.missing();
        }
        script
    }

    fn conditional(&mut self) -> Kind {
        let mut branches = Vec::new();
        let condition = self.needed_list();
        self.expect(Reserved::Then);
        branches.push((Some(condition), self.needed_list()));
        loop {
            match self.reserved() {
                Some((Reserved::Elif, end)) => {
                    self.pos = end;
                    let condition = self.needed_list();
                    self.expect(Reserved::Then);
                    branches.push((Some(condition), self.needed_list()));
                }
                Some((Reserved::Else, end)) => {
                    self.pos = end;
                    branches.push((None, self.needed_list()));
                    self.expect(Reserved::Fi);
                    return Kind::If(branches);
                }
                _ => {
                    self.expect(Reserved::Fi);
                    return Kind::If(branches);
                }
            }
        }
    }

    /// Reads `do … done` or `{ … }`.
    fn loop_body(&mut self) -> Script {
        self.newlines();
        if let Some((Reserved::Open, end)) = self.reserved() {
            self.pos = end;
            let body = self.needed_list();
            self.expect(Reserved::Close);
            return body;
        }
        self.expect(Reserved::Do);
        let body = self.needed_list();
        self.expect(Reserved::Done);
        body
    }

    fn for_each(&mut self) -> Kind {
        self.blanks();
        if self.peek() == Some(b'(') && self.second() == Some(b'(') {
            return self.for_arithmetic();
        }
        let start = self.pos;
        if self.word().parts.is_empty() {
            self.missing();
        }
        // Nothing is expanded in a name.
        let name = self.unfolded(start, self.pos);
        self.newlines();
        let words = self.eat_in().then(|| self.words());
        self.blanks();
        self.eat(b';');
        Kind::For { name, words, body: self.loop_body() }
    }

    fn for_arithmetic(&mut self) -> Kind {
        self.pos = self.after(self.pos) + 1;
        let expression = if let Some(end) = self.arithmetic_end(self.pos) {
            self.arithmetic(end, 2)
        } else {
            self.unexpected();
            Word::default()
        };
        self.blanks();
        self.eat(b';');
        Kind::Arithmetic { expression, body: self.loop_body() }
    }

    /// Reads words up to something that is none.
    fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            let word = self.word();
            if word.parts.is_empty() {
                return words;
            }
            words.push(word);
        }
    }

    fn case(&mut self) -> Kind {
        self.blanks();
        let word = self.word();
        if word.parts.is_empty() {
            self.missing();
        }
        self.newlines();
        if !self.eat_in() {
            self.missing();
        }
        let mut arms = Vec::new();
        loop {
            self.newlines();
            if let Some((Reserved::Esac, end)) = self.reserved() {
                self.pos = end;
                return Kind::Case { word, arms };
            }
            let start = self.pos;
            let patterns = self.patterns();
            arms.push(if self.eat(b')') {
                (patterns, self.list())
            } else {
                // Whatever this is, it is shown as the command that it may be.
                self.missing();
                let command = self.simple(start, patterns);
                (Vec::new(), Script { commands: vec![command] })
            });
            if self.eat_both(b';', b';') {
                self.eat(b'&');
            } else if !self.eat_both(b';', b'&') {
                self.expect(Reserved::Esac);
                return Kind::Case { word, arms };
            }
        }
    }

    fn patterns(&mut self) -> Vec<Word> {
        self.eat(b'(');
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            let pattern = self.word();
            if pattern.parts.is_empty() {
                self.missing();
            } else {
                patterns.push(pattern);
            }
            self.blanks();
            if !self.eat(b'|') {
                return patterns;
            }
        }
    }

    /// Reads what stands between `[[` and `]]`: operators are words there, and nothing is redirected.
    fn test(&mut self) -> Kind {
        let mut words: Vec<Word> = Vec::new();
        loop {
            self.newlines();
            let start = self.pos;
            let operator = match self.peek() {
                Some(b'(' | b')') => 1,
                Some(b'<' | b'>') if self.second() != Some(b'(') => 1,
                Some(byte @ (b'&' | b'|')) if self.second() == Some(byte) => 2,
                None | Some(b';' | b'&' | b'|') => {
                    self.missing();
                    return Kind::Test(words);
                }
                _ => 0,
            };
            if operator > 0 {
                self.pos = if operator == 2 { self.after(self.pos) + 1 } else { self.pos + 1 };
                words.push(Word { parts: vec![Part::Bare(self.slice(start, self.pos).to_owned())] });
                continue;
            }
            let after_match = words.last().is_some_and(|word| is_bare(word, "=~"));
            let word = if after_match { self.regex() } else { self.word() };
            if is_bare(&word, "]]") {
                return Kind::Test(words);
            }
            words.push(word);
        }
    }

    fn function_by_word(&mut self) -> Kind {
        self.blanks();
        let name = self.word();
        if name.parts.is_empty() {
            self.missing();
        }
        self.blanks();
        self.eat_empty_parentheses();
        self.function(literal(&name))
    }

    /// Reads a function's body, after its name and parentheses.
    pub(super) fn function(&mut self, name: String) -> Kind {
        self.newlines();
        if !self.at_compound() {
            self.missing();
        }
        let body = self.one_command();
        Kind::Function { name, body: Box::new(body) }
    }

    fn coprocess(&mut self) -> Kind {
        self.blanks();
        let start = self.pos;
        if !self.at_compound() {
            let word = self.word();
            self.blanks();
            // A name is only one before a compound command.
            if word.parts.is_empty() || !self.at_compound() {
                let words = if word.parts.is_empty() { Vec::new() } else { vec![word] };
                return Kind::Coprocess(Box::new(self.simple(start, words)));
            }
        }
        Kind::Coprocess(Box::new(self.one_command()))
    }

    fn at_compound(&mut self) -> bool {
        self.peek() == Some(b'(') || self.reserved().is_some_and(|(word, _)| word.opens())
    }
}
