//! Walks through tokens and works out expressions.
//!
//! Precedence is kept as far as values need it: sums of texts, products (where `/` joins paths and `%` fills in), and everything else
//! below. Whatever is not understood is skipped, token by token, so that a call further on is still seen.

use super::Language;
use super::format::{fill_percent, number, spaced};
use super::lexer::{self, Kind, Piece, Token};
use super::state::State;
use super::table;
use super::value::{self, ANYTHING, HOME, Value};
use crate::invocation::UNKNOWN;

/// How deep expressions are followed; what is deeper is walked through as if it stood outside.
const DEEPEST: usize = 64;

/// Words that stand before an expression and change nothing about what it does; sorted.
const PREFIXES: &[&str] = &[
    "assert",
    "async",
    "await",
    "begin",
    "case",
    "const",
    "default",
    "defined",
    "delete",
    "do",
    "echo",
    "elif",
    "else",
    "elsif",
    "end",
    "ensure",
    "export",
    "finally",
    "global",
    "if",
    "in",
    "let",
    "local",
    "my",
    "new",
    "nonlocal",
    "not",
    "our",
    "print",
    "private",
    "protected",
    "public",
    "puts",
    "raise",
    "rescue",
    "return",
    "say",
    "static",
    "then",
    "throw",
    "try",
    "typeof",
    "unless",
    "until",
    "var",
    "void",
    "when",
    "while",
    "with",
    "yield",
];

/// A place in the tokens.
pub(super) struct Reader<'s, 'a, 'e> {
    pub(super) state: &'s mut State<'e>,
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) at: usize,
}

impl<'s, 'a, 'e> Reader<'s, 'a, 'e> {
    pub(super) fn new(state: &'s mut State<'e>, text: &'a str) -> Self {
        let tokens = lexer::tokens(state.language, text);
        state.traits.look(&tokens);
        Self { state, tokens, at: 0 }
    }

    /// The sign that is next.
    pub(super) fn sign(&self) -> Option<&'a str> {
        self.sign_at(self.at)
    }

    pub(super) fn sign_at(&self, at: usize) -> Option<&'a str> {
        match self.tokens.get(at)?.kind {
            Kind::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    pub(super) fn word_at(&self, at: usize) -> Option<&'a str> {
        match self.tokens.get(at)?.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Steps over a sign, if it is next.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let is_next = self.sign() == Some(sign);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn skip_lines(&mut self) {
        while matches!(self.tokens.get(self.at).map(|token| &token.kind), Some(Kind::Line)) {
            self.at += 1;
        }
    }

    pub(super) fn language(&self) -> Language {
        self.state.language
    }

    /// Works out an expression.
    pub(super) fn expression(&mut self) -> Value {
        self.nested(Self::choice)
    }

    /// Works something out that may hold the like of itself, unless it is too deep.
    fn nested(&mut self, work: fn(&mut Self) -> Value) -> Value {
        if self.state.depth >= DEEPEST || self.state.is_spent() {
            self.at += 1;
            return ANYTHING;
        }
        self.state.depth += 1;
        let value = work(self);
        self.state.depth -= 1;
        value
    }

    fn choice(&mut self) -> Value {
        let start = self.at;
        let mut value = self.sum();
        loop {
            let next = match self.tokens.get(self.at).map(|token| &token.kind) {
                Some(Kind::Sign(sign) | Kind::Word(sign)) => *sign,
                _ => return value,
            };
            let here = self.at;
            match next {
                "=" | ":=" | "||=" | "??=" | "//=" => {
                    self.at += 1;
                    self.skip_lines();
                    let assigned = self.expression();
                    self.bind(start, here, &assigned);
                    return assigned;
                }
                "+=" | ".=" | "..=" => {
                    self.at += 1;
                    self.skip_lines();
                    let whole = value.plus(self.expression());
                    self.bind(start, here, &whole);
                    return whole;
                }
                "=>" if self.language() == Language::JavaScript => {
                    self.at += 1;
                    return self.arrow(start, here);
                }
                "?" => {
                    self.at += 1;
                    let first = self.expression();
                    self.take(":");
                    value = Value::one_of(vec![first, self.expression()]);
                }
                "if" if self.language() == Language::Python && start < here => {
                    self.at += 1;
                    self.sum();
                    if self.word_at(self.at) == Some("else") {
                        self.at += 1;
                        value = Value::one_of(vec![value, self.expression()]);
                    }
                }
                "||" | "or" | "??" | "&&" | "and" => {
                    self.at += 1;
                    self.skip_lines();
                    value = Value::one_of(vec![value, self.sum()]);
                }
                "//" if self.language() == Language::Perl => {
                    self.at += 1;
                    value = Value::one_of(vec![value, self.sum()]);
                }
                "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "|" | "&" | "^" | "=~" | "!~"
                | "<=>" | "eq" | "ne" => {
                    self.at += 1;
                    self.skip_lines();
                    self.sum();
                    value = ANYTHING;
                }
                _ => return value,
            }
            if self.at <= here {
                return value;
            }
        }
    }

    /// Reads the body of an arrow function whose parameters stand in these tokens.
    fn arrow(&mut self, start: usize, end: usize) -> Value {
        let name = match start.checked_sub(2) {
            Some(before) if self.sign_at(start - 1) == Some("=") => self.word_at(before),
            _ => None,
        };
        let Some(name) = name else {
            self.parameters(start, end);
            self.skip_lines();
            return self.expression();
        };
        let known = self.called_with(name);
        let parameters: Vec<_> = (start..end.min(start + 16))
            .filter_map(|at| self.word_at(at))
            .filter(|word| *word != "async")
            .collect();
        for (index, parameter) in parameters.iter().enumerate() {
            let value = known.get(index).cloned().unwrap_or(ANYTHING);
            self.state.assign(parameter, value);
        }
        self.skip_lines();
        self.expression();
        Value::name(name)
    }

    /// Works out a sum: what is put behind each other, or taken away.
    pub(super) fn sum(&mut self) -> Value {
        let mut value = self.product();
        while let Some(sign) = self.sign() {
            let is_plus = match (self.language(), sign) {
                (Language::Perl | Language::Php, ".")
                | (Language::Lua, "..")
                | (Language::Ruby, "<<")
                | (_, "+") => true,
                (_, "-") => false,
                _ => break,
            };
            self.at += 1;
            self.skip_lines();
            let other = self.product();
            value = if is_plus { value.plus(other) } else { Value::Unknown(value.source()) };
        }
        value
    }

    fn product(&mut self) -> Value {
        let mut value = self.operand();
        loop {
            let next = match self.tokens.get(self.at).map(|token| &token.kind) {
                Some(Kind::Sign(sign @ ("*" | "/" | "%" | "**"))) => *sign,
                Some(Kind::Word("x")) if self.language() == Language::Perl => "*",
                _ => return value,
            };
            self.at += 1;
            self.skip_lines();
            let other = self.operand();
            value = match (next, &value, self.language()) {
                (
                    "/",
                    Value::Text(_) | Value::OneOf(_) | Value::Unknown(_) | Value::Method(..),
                    Language::Python,
                ) => value.below(other),
                ("%", Value::Text(format), Language::Python | Language::Ruby) => fill_percent(format, &other),
                ("*", Value::Text(text), _) => match other {
                    Value::Number(times @ 0..=64) if text.len() < 1024 => {
                        Value::Text(text.repeat(times as usize))
                    }
                    _ => Value::Unknown(value.source()),
                },
                _ => Value::Unknown(value.source()),
            };
        }
    }

    /// Works out a value with everything that hangs on it: members, indices, calls.
    fn operand(&mut self) -> Value {
        let mut is_negated = false;
        while let Some(token) = self.tokens.get(self.at) {
            match token.kind {
                Kind::Sign("!") => {
                    is_negated = !is_negated;
                    self.at += 1;
                }
                Kind::Sign("-" | "+" | "~" | "*" | "**" | "&" | "\\" | "@" | "..." | "$" | "++" | "--") => {
                    self.at += 1;
                }
                Kind::Word(word) if PREFIXES.binary_search(&word).is_ok() && !self.is_name(word) => {
                    self.at += 1;
                }
                _ => break,
            }
        }
        let value = self.nested(|reader| {
            let value = reader.primary();
            reader.postfix(value)
        });
        match value {
            Value::Number(number) if is_negated => Value::Number(u32::from(number == 0)),
            other => other,
        }
    }

    /// Says whether a word that could be a prefix is a variable, a key or a function here.
    fn is_name(&self, word: &str) -> bool {
        matches!(self.sign_at(self.at + 1), Some("." | "=" | ":" | "," | ")" | "=>" | ";"))
            && !matches!(word, "else" | "try" | "finally" | "do" | "then" | "begin" | "end" | "return")
    }

    fn primary(&mut self) -> Value {
        let Some(token) = self.tokens.get(self.at) else { return ANYTHING };
        let here = self.at;
        match &token.kind {
            Kind::Text(_) => {
                let mut value = self.text(here);
                self.at += 1;
                // Literals beside each other are one.
                while matches!(self.language(), Language::Python | Language::Ruby)
                    && matches!(self.tokens.get(self.at).map(|token| &token.kind), Some(Kind::Text(_)))
                {
                    value = value.plus(self.text(self.at));
                    self.at += 1;
                }
                value
            }
            Kind::Command(_) => {
                let command = self.text(here);
                self.at += 1;
                for text in command.texts() {
                    self.state.script(&text, None);
                }
                ANYTHING
            }
            Kind::Words(words) => {
                let list = words.iter().map(|word| Value::text(word)).collect();
                self.at += 1;
                Value::List(list)
            }
            Kind::Number(digits) => {
                let number = number(digits, self.language());
                self.at += 1;
                number
            }
            Kind::Word(word) => {
                let word = *word;
                self.word(word)
            }
            Kind::Sign("(" | "[") => self.bracket(),
            Kind::Sign("{") => self.braces(),
            Kind::Sign(")" | "]" | "}" | "," | ";") | Kind::Line => ANYTHING,
            Kind::Sign(_) | Kind::Opaque => {
                self.at += 1;
                ANYTHING
            }
        }
    }

    /// The value of a text token, with what is put into it.
    pub(super) fn text(&mut self, at: usize) -> Value {
        let Some(Kind::Text(pieces) | Kind::Command(pieces)) = self.tokens.get(at).map(|token| &token.kind)
        else {
            return ANYTHING;
        };
        let mut value = Value::Text(String::new());
        for piece in pieces {
            value = match piece {
                Piece::Literal(text) => value.plus(Value::text(text)),
                Piece::Code(code) => {
                    let is_bare = code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                    let inserted = match self.state.language {
                        Language::Perl | Language::Php if is_bare => self.state.variable(&format!("${code}")),
                        _ => None,
                    };
                    let inserted = inserted.unwrap_or_else(|| self.state.code(code));
                    let inserted = match inserted {
                        Value::List(values) => spaced(&values),
                        other => other,
                    };
                    match value.plus(inserted) {
                        Value::Unknown(source) => Value::Text(value::mark(source).to_string()),
                        other => other,
                    }
                }
            };
        }
        value
    }

    fn word(&mut self, word: &'a str) -> Value {
        self.at += 1;
        match word {
            "True" | "true" | "TRUE" => return Value::Number(1),
            "False" | "false" | "FALSE" => return Value::Number(0),
            "None" | "null" | "nil" | "undefined" | "undef" | "NULL" => return ANYTHING,
            "lambda" => {
                let start = self.at;
                while self.at < self.tokens.len() && !matches!(self.sign(), Some(":" | ")" | "{")) {
                    self.at += 1;
                }
                self.parameters(start, self.at);
                self.take(":");
                return self.expression();
            }
            "fork" if matches!(self.language(), Language::Perl | Language::Ruby) => {
                self.state.fork();
                return ANYTHING;
            }
            "shift" if self.language() == Language::Perl => {
                return match self.state.variable("@_") {
                    Some(Value::List(mut values)) if !values.is_empty() => {
                        let first = values.remove(0);
                        self.state.assign("@_", Value::List(values));
                        first
                    }
                    _ => ANYTHING,
                };
            }
            "function" | "fn" | "sub" if self.language() != Language::Python => {
                self.definition();
                return ANYTHING;
            }
            _ => {}
        }
        if word.contains(UNKNOWN) {
            return ANYTHING;
        }
        match self.state.variable(word) {
            Some(value) => value,
            None => self.constant(word).unwrap_or_else(|| Value::name(word)),
        }
    }

    /// The value of a name that means the same everywhere.
    pub(super) fn constant(&self, name: &str) -> Option<Value> {
        let constants = table::of(self.language()).constants;
        constants.contains(&name).then(|| Value::Text(HOME.to_string()))
    }
}

impl Value {
    /// A name, which is unknown if it is absurdly long.
    pub(super) fn name(name: &str) -> Self {
        const LONGEST: usize = 160;
        if name.len() > LONGEST { ANYTHING } else { Self::Name(name.to_owned()) }
    }
}
