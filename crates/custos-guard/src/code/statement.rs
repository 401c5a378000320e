//! Statements: assignments, loops, definitions.

use super::Language;
use super::lexer::Kind;
use super::reader::Reader;
use super::value::{ANYTHING, Value};

impl Reader<'_, '_, '_> {
    /// Walks to the end and gives the value of the last expression.
    pub(super) fn statements(&mut self) -> Value {
        let mut last = ANYTHING;
        while self.at < self.tokens.len() && !self.state.is_spent() {
            let before = self.at;
            if matches!(self.tokens[self.at].kind, Kind::Line | Kind::Sign(";" | ")" | "]" | "}" | ",")) {
                self.at += 1;
                continue;
            }
            last = self.statement();
            self.at += usize::from(self.at == before);
        }
        last
    }

    pub(super) fn statement(&mut self) -> Value {
        let language = self.language();
        match self.word_at(self.at) {
            Some("import") if self.sign_at(self.at + 1) != Some("(") => self.import(),
            Some("from") if language == Language::Python => self.import_from(),
            Some("for" | "foreach") => {
                self.loop_clause();
                ANYTHING
            }
            Some("def") => {
                self.at += 1;
                self.definition();
                ANYTHING
            }
            Some("include") if language == Language::Ruby => {
                self.at += 1;
                if let Value::Name(module) = self.expression() {
                    self.state.included.push(module);
                }
                ANYTHING
            }
            Some(_) if self.targets() || self.typed() => ANYTHING,
            _ => {
                let value = self.expression();
                if language == Language::Python && self.word_at(self.at) == Some("as") {
                    // `with open(…) as name`
                    if let Some(name) = self.word_at(self.at + 1) {
                        self.state.assign(name, value.clone());
                    }
                    self.at += 2;
                }
                value
            }
        }
    }

    /// Reads `a, b = 1, 2`, if that is what stands here.
    fn targets(&mut self) -> bool {
        const MOST_TARGETS: usize = 8;
        if !matches!(self.language(), Language::Python | Language::Ruby | Language::Lua) {
            return false;
        }
        let start = self.at + usize::from(self.word_at(self.at) == Some("local"));
        let mut names = Vec::new();
        let mut at = start;
        while let Some(name) = self.word_at(at).filter(|_| names.len() < MOST_TARGETS) {
            names.push(name);
            at += 1;
            if self.sign_at(at) != Some(",") {
                break;
            }
            at += 1;
        }
        if names.len() < 2 || self.sign_at(at) != Some("=") {
            return false;
        }
        self.at = at + 1;
        let first = self.expression();
        if self.sign() != Some(",") {
            for (index, name) in names.iter().enumerate() {
                let value = element(&first, index);
                self.state.assign(name, value);
            }
            return true;
        }
        let mut values = vec![first];
        while self.take(",") {
            values.push(self.expression());
        }
        for (name, value) in names.iter().zip(values) {
            self.state.assign(name, value);
        }
        true
    }

    /// Reads `name: type = value`, if that is what stands here.
    fn typed(&mut self) -> bool {
        const LONGEST_TYPE: usize = 16;
        let name_at = match (self.language(), self.word_at(self.at)) {
            (Language::JavaScript, Some("const" | "let" | "var")) => self.at + 1,
            (Language::Python, Some(word)) if !matches!(word, "else" | "try" | "finally" | "lambda") => {
                self.at
            }
            _ => return false,
        };
        let (Some(name), Some(":")) = (self.word_at(name_at), self.sign_at(name_at + 1)) else {
            return false;
        };
        let after = name_at + 2..self.tokens.len().min(name_at + 2 + LONGEST_TYPE);
        for at in after {
            match self.tokens[at].kind {
                Kind::Sign("=") => {
                    self.at = at + 1;
                    let value = self.expression();
                    self.state.assign(name, value);
                    return true;
                }
                Kind::Word(_) | Kind::Sign("[" | "]" | "|" | "." | "<" | ">" | ",") => {}
                _ => return false,
            }
        }
        false
    }

    /// Assigns to what stands in these tokens.
    pub(super) fn bind(&mut self, start: usize, end: usize, value: &Value) {
        let mut start = start;
        while matches!(
            self.word_at(start),
            Some(
                "const"
                    | "let"
                    | "var"
                    | "my"
                    | "our"
                    | "local"
                    | "export"
                    | "with"
                    | "if"
                    | "while"
                    | "static"
            )
        ) && start + 1 < end
        {
            start += 1;
        }
        match self.sign_at(start) {
            Some("{") => self.bind_members(start, end, value),
            Some("(" | "[") => {
                let names: Vec<_> = (start..end).filter_map(|at| self.word_at(at)).collect();
                let is_whole = names.len() == 1 && names[0].starts_with('@');
                for (index, name) in names.iter().enumerate() {
                    let value = if is_whole { value.clone() } else { element(value, index) };
                    self.state.assign(name, value);
                }
            }
            _ => {
                let mut name = String::new();
                for at in start..end.min(start + 8) {
                    match self.tokens[at].kind {
                        Kind::Word(word) => name.push_str(word),
                        Kind::Sign("." | "->" | "::") => name.push('.'),
                        // A type: `const p: string = …`
                        Kind::Sign(":") => break,
                        _ => return,
                    }
                }
                let size = value.size();
                if self.state.spend(size) {
                    self.state.assign(&name, value.clone());
                }
            }
        }
    }

    /// Assigns what `{ a, b: c }` takes out of a value.
    fn bind_members(&mut self, start: usize, end: usize, value: &Value) {
        let mut at = start + 1;
        while at < end {
            if let Some(name) = self.word_at(at) {
                let mut target = name;
                if self.sign_at(at + 1) == Some(":")
                    && let Some(alias) = self.word_at(at + 2)
                {
                    target = alias;
                    at += 2;
                }
                let size = value.size();
                self.state.spend(size);
                let taken = self.member(value.clone(), name);
                self.state.assign(target, taken);
            }
            at += 1;
        }
    }

    /// Reads the clause of a comprehension before its body, which names its variable before it is bound.
    ///
    /// What is nested in broken code may be walked through by both, so it is paid for.
    pub(super) fn comprehension(&mut self, clause: usize, close: usize) -> Value {
        const EFFORT_PER_TOKEN: usize = 32;
        let body = self.at;
        if self.state.spend(close.saturating_sub(body).saturating_mul(EFFORT_PER_TOKEN)) {
            self.at = clause;
            self.loop_clause();
        }
        self.at = body;
        let value = self.expression();
        self.at = close + 1;
        value
    }

    /// Reads the head of a loop and gives its variables what they will be.
    pub(super) fn loop_clause(&mut self) {
        self.at += 1;
        if self.word_at(self.at) == Some("await") {
            self.at += 1;
        }
        let open = self.at;
        let is_bracketed = self.take("(");
        let start = self.at;
        if self.language() == Language::Php && is_bracketed {
            // `foreach (list as $key => $value)`
            let list = self.expression();
            if self.word_at(self.at) == Some("as") {
                self.at += 1;
                let start = self.at;
                while self.at < self.tokens.len() && self.sign() != Some(")") {
                    self.at += 1;
                }
                self.bind_each(start, self.at, list);
            }
            return;
        }
        let mut at = start;
        while at < self.tokens.len().min(start + 16) {
            match self.tokens[at].kind {
                Kind::Word("in" | "of") => {
                    self.at = at + 1;
                    let list = self.listed();
                    self.bind_each(start, at, list);
                    return;
                }
                Kind::Sign("(") if self.language() == Language::Perl => break,
                Kind::Line | Kind::Sign(";" | "{" | "=" | ":") => break,
                _ => at += 1,
            }
        }
        if self.language() == Language::Perl {
            // `for my $x (list)`, `for (list)`
            let list_at = if is_bracketed { open } else { at };
            if self.sign_at(list_at) == Some("(") {
                self.at = list_at;
                let list = self.expression();
                if is_bracketed {
                    self.state.assign("$_", list.element());
                } else {
                    self.bind_each(start, at, list);
                }
            }
        }
    }

    /// What a loop runs over; Lua and Python wrap it.
    fn listed(&mut self) -> Value {
        let first = self.sum();
        if self.sign() != Some(",") || self.language() != Language::Python {
            return first;
        }
        let mut values = vec![first];
        while self.take(",") {
            values.push(self.sum());
        }
        Value::List(values)
    }

    /// Gives the words in these tokens what an element of a list is.
    pub(super) fn bind_each(&mut self, start: usize, end: usize, list: Value) {
        let names: Vec<_> = (start..end)
            .filter_map(|at| self.word_at(at))
            .filter(|name| !matches!(*name, "const" | "let" | "var" | "my" | "our" | "local" | "async"))
            .collect();
        let each = list.element();
        match names.as_slice() {
            [name] => self.state.assign(name, each),
            names => {
                for (index, name) in names.iter().enumerate() {
                    // Pairs: a walk gives tuples, an enumeration gives the value last.
                    let value = match &each {
                        Value::List(_) => element(&each, index),
                        Value::OneOf(values)
                            if values.iter().all(|value| matches!(value, Value::List(_))) =>
                        {
                            Value::one_of(values.iter().map(|value| element(value, index)).collect())
                        }
                        other if index + 1 == names.len() => other.clone(),
                        _ => ANYTHING,
                    };
                    self.state.assign(name, value);
                }
            }
        }
    }

    /// Reads a function's name and parameters, which are what it was called with in the walk before.
    pub(super) fn definition(&mut self) {
        let mut name = String::new();
        while let Some(word) = self.word_at(self.at) {
            name = word.to_owned();
            self.at += 1;
            if !self.take(".") {
                break;
            }
        }
        let known = self.called_with(&name);
        if self.language() == Language::Perl {
            self.state.assign("@_", Value::List(known));
            return;
        }
        let (start, end) = match self.tokens.get(self.at) {
            Some(token) if matches!(token.kind, Kind::Sign("(")) => {
                (self.at, token.closing().unwrap_or(self.at))
            }
            _ => return,
        };
        let mut index = 0;
        for at in start..end {
            let is_parameter =
                matches!(self.sign_at(at.saturating_sub(1)), Some("(" | "," | "*" | "**" | "&" | "..."))
                    || self.language() == Language::Php;
            if let Some(parameter) = self.word_at(at).filter(|_| is_parameter) {
                let value = known.get(index).cloned().unwrap_or(ANYTHING);
                self.state.assign(parameter, value);
                index += 1;
            }
        }
        self.at = end + 1;
    }

    /// Notes that the snippet defines a function, and gives what it is called with.
    pub(super) fn called_with(&mut self, name: &str) -> Vec<Value> {
        if name.is_empty() {
            return Vec::new();
        }
        let function = self.state.functions.entry(name.to_owned()).or_default();
        function.is_defined = true;
        let arguments = function.arguments.clone();
        let size = arguments.iter().map(Value::size).sum();
        if self.state.spend(size) { arguments } else { Vec::new() }
    }

    /// Gives the parameters of an arrow function, lambda or block what is passed to it.
    pub(super) fn parameters(&mut self, start: usize, end: usize) {
        let names =
            (start..end.min(start + 16)).filter_map(|at| self.word_at(at)).filter(|name| *name != "async");
        let names: Vec<_> = names.collect();
        let mut passed = self.state.passed.clone();
        let size = passed.size();
        self.state.spend(size);
        for name in names {
            let rest = Value::Unknown(passed.source());
            self.state.assign(name, std::mem::replace(&mut passed, rest));
        }
    }
}

fn element(value: &Value, index: usize) -> Value {
    match value {
        Value::List(values) => values.get(index).cloned().unwrap_or(ANYTHING),
        other => Value::Unknown(other.source()),
    }
}
