//! What hangs on a value: members, indices, and calls with their arguments.

use super::Language;
use super::lexer::Kind;
use super::reader::Reader;
use super::table::{self, Act};
use super::value::{ANYTHING, HOME, Value};
use crate::invocation::Source;

/// How many arguments of a call are kept.
const MOST_ARGUMENTS: usize = 256;

/// The arguments of a call.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Those without a name.
    pub(super) values: Vec<Value>,
    /// Those with one; options in a map count too.
    pub(super) named: Vec<(String, Value)>,
}

impl Arguments {
    /// The argument at this place.
    pub(super) fn at(&self, index: usize) -> Value {
        self.values.get(index).cloned().unwrap_or(ANYTHING)
    }

    /// The argument at this place or of this name.
    pub(super) fn at_or(&self, index: usize, name: &str) -> Value {
        self.values.get(index).or_else(|| self.option(name)).cloned().unwrap_or(ANYTHING)
    }

    /// An option, given by name or in a map.
    pub(super) fn option(&self, name: &str) -> Option<&Value> {
        let in_maps = self.values.iter().filter_map(|value| match value {
            Value::Map(entries) => Some(entries),
            _ => None,
        });
        std::iter::once(&self.named)
            .chain(in_maps)
            .flatten()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }

    /// Says whether an option is switched on.
    pub(super) fn has(&self, name: &str) -> bool {
        self.option(name).is_some_and(Value::is_true)
    }

    /// The worst source among them.
    pub(super) fn source(&self) -> Source {
        let named = self.named.iter().map(|(_, value)| value);
        self.values.iter().chain(named).map(Value::source).max().unwrap_or_default()
    }
}

impl Reader<'_, '_, '_> {
    /// Follows everything that hangs on a value.
    pub(super) fn postfix(&mut self, mut value: Value) -> Value {
        loop {
            if self.state.is_spent() {
                return value;
            }
            self.continued();
            let Some(token) = self.tokens.get(self.at) else { return value };
            let (glued, here) = (token.glued, self.at);
            match &token.kind {
                Kind::Sign(sign) if self.is_member_sign(sign) => {
                    let Some(name) = self.word_at(self.at + 1) else {
                        // `value->[0]`, `f?.(x)`, `&.call`
                        if matches!(*sign, "->" | "?.")
                            && matches!(self.sign_at(self.at + 1), Some("(" | "[" | "{"))
                        {
                            self.at += 1;
                            continue;
                        }
                        return value;
                    };
                    self.at += 2;
                    value = self.member(value, name);
                    value = self.without_brackets(value);
                }
                Kind::Sign("(") if glued || self.language() != Language::Ruby => {
                    if !is_callable(&value, self.language()) {
                        if self.sign_at(self.at + 1) != Some(")") {
                            return value;
                        }
                        self.at += 2;
                        continue;
                    }
                    self.at += 1;
                    value = self.call(value, Some(")"));
                }
                Kind::Sign("[") if glued => value = self.index(value, "]"),
                Kind::Sign("{")
                    if glued && self.language() == Language::Perl && matches!(value, Value::Name(_)) =>
                {
                    value = self.index(value, "}");
                }
                Kind::Text(_)
                    if self.language() == Language::JavaScript
                        && glued
                        && is_callable(&value, self.language()) =>
                {
                    let text = self.text(self.at);
                    self.at += 1;
                    // A tag is called by a name of its own, so that `$(…)` is not mistaken for it.
                    let tag = match value {
                        Value::Name(name) => Value::Name(name + "`"),
                        other => other,
                    };
                    value = self.apply(tag, Arguments { values: vec![text], named: Vec::new() });
                }
                Kind::Text(_) | Kind::Sign("{")
                    if self.language() == Language::Lua && matches!(value, Value::Name(_)) =>
                {
                    if matches!(token.kind, Kind::Sign(_)) && !self.has_act(&value) {
                        return value;
                    }
                    let argument = self.bare_argument();
                    value = self.apply(value, Arguments { values: vec![argument], named: Vec::new() });
                }
                Kind::Sign("{") | Kind::Word("do") if self.language() == Language::Ruby => {
                    self.at += 1;
                    if !self.take("|") {
                        self.at = here;
                        return value;
                    }
                    self.block(&value);
                    return value;
                }
                _ if self.takes_bare_arguments(&value) => value = self.call(value, None),
                _ => return value,
            }
            if self.at <= here {
                return value;
            }
        }
    }

    /// Calls a path's method that has neither brackets nor arguments, as Ruby does.
    fn without_brackets(&mut self, value: Value) -> Value {
        let is_path = matches!(&value, Value::Method(receiver, name)
            if matches!(**receiver, Value::Text(_) | Value::OneOf(_)) && self.act(&format!(".{name}")).is_some());
        let is_alone = self.language() == Language::Ruby && is_path && self.sign() != Some("(");
        if is_alone && !self.takes_bare_arguments(&value) {
            self.apply(value, Arguments::default())
        } else {
            value
        }
    }

    /// Steps over a line's end, if the expression goes on after it.
    fn continued(&mut self) {
        let here = self.at;
        self.skip_lines();
        if self.at > here && !matches!(self.sign(), Some("." | "?." | "&.")) {
            self.at = here;
        }
    }

    fn is_member_sign(&self, sign: &str) -> bool {
        match self.language() {
            Language::Perl | Language::Php => matches!(sign, "->" | "::"),
            Language::Lua => matches!(sign, "." | ":"),
            Language::Python => sign == ".",
            Language::Ruby => matches!(sign, "." | "::" | "&."),
            _ => matches!(sign, "." | "?."),
        }
    }

    /// A member of a value.
    pub(super) fn member(&mut self, value: Value, name: &str) -> Value {
        match value {
            Value::Name(base) => {
                // Detours that lead back to the module itself.
                if matches!(name, "promises" | "default" | "__dict__" | "posix")
                    || base == "globalThis"
                    || base == "global"
                {
                    let is_root = base == "globalThis" || base == "global";
                    return Value::Name(if is_root { name.to_owned() } else { base });
                }
                // `__import__('urllib.request')` gives `urllib`, which is the name before its last part.
                let is_again = self.language() == Language::Python
                    && base.strip_suffix(name).is_some_and(|start| start.ends_with('.'));
                if is_again {
                    return Value::Name(base);
                }
                let full = format!("{base}.{name}");
                self.state
                    .variable(&full)
                    .or_else(|| self.constant(&full))
                    .unwrap_or_else(|| Value::name(&full))
            }
            Value::Map(entries) => {
                entries.into_iter().find(|(key, _)| key == name).map_or(ANYTHING, |(_, value)| value)
            }
            Value::OneOf(values) if values.iter().any(|value| matches!(value, Value::Name(_))) => {
                let base = values.into_iter().find(|value| matches!(value, Value::Name(_)));
                base.map_or(ANYTHING, |base| self.member(base, name))
            }
            Value::Shell => Value::Shell,
            Value::Text(path) if name == "parent" => Value::Text(path).below(Value::text("..")),
            // Of a method's member nothing is known but where it comes from.
            Value::Method(receiver, _) => {
                Value::Method(Box::new(Value::Unknown(receiver.source())), name.to_owned())
            }
            other => Value::Method(Box::new(other), name.to_owned()),
        }
    }

    fn index(&mut self, value: Value, close: &str) -> Value {
        let open = self.at;
        self.at += 1;
        let is_reversed = self.sign() == Some("::") && self.sign_at(self.at + 1) == Some("-")
            || self.sign() == Some(":")
                && self.sign_at(self.at + 1) == Some(":")
                && self.sign_at(self.at + 2) == Some("-");
        let index = self.expression();
        if let Some(end) = self.tokens[open].closing().filter(|end| *end >= self.at) {
            // Slices and the like: what is in them runs, but gives nothing.
            while self.at < end {
                let before = self.at;
                self.expression();
                self.at += usize::from(self.at == before);
            }
        }
        self.take(close);
        match (value, index) {
            (Value::Text(text), _) if is_reversed => Value::Text(text.chars().rev().collect()),
            (Value::Name(base), index) => {
                let key = match &index {
                    Value::Name(key) => Some(key.as_str()),
                    other => other.known(),
                };
                if matches!(
                    base.as_str(),
                    "os.environ" | "process.env" | "ENV" | "$ENV" | "$_SERVER" | "$_ENV"
                ) {
                    return if key == Some("HOME") { Value::Text(HOME.to_string()) } else { ANYTHING };
                }
                match index.known() {
                    Some(key) => self.member(Value::Name(base), key),
                    None => ANYTHING,
                }
            }
            (Value::List(mut values), Value::Number(index)) => {
                let index = index as usize;
                if index < values.len() { values.swap_remove(index) } else { ANYTHING }
            }
            (value, index) => match index.known() {
                Some(key) => self.member(value, key),
                None => Value::Unknown(value.source()),
            },
        }
    }

    fn has_act(&self, value: &Value) -> bool {
        let is_defined =
            |name: &String| self.state.functions.get(name).is_some_and(|function| function.is_defined);
        matches!(value, Value::Name(name) if self.act(name).is_some() || is_defined(name))
    }

    /// Says whether what follows is the arguments of a call without brackets.
    fn takes_bare_arguments(&self, value: &Value) -> bool {
        let is_method = matches!(value, Value::Method(..) | Value::Shell);
        if !matches!(self.language(), Language::Ruby | Language::Perl) || !(is_method || self.has_act(value))
        {
            return false;
        }
        let Some(token) = self.tokens.get(self.at) else { return false };
        match token.kind {
            Kind::Text(_) | Kind::Words(_) | Kind::Command(_) => true,
            Kind::Number(_) => !token.glued,
            Kind::Word(word) => !matches!(
                word,
                "or" | "and"
                    | "if"
                    | "unless"
                    | "do"
                    | "end"
                    | "x"
                    | "for"
                    | "foreach"
                    | "while"
                    | "then"
                    | "eq"
                    | "ne"
            ),
            Kind::Sign(sign) => !token.glued && matches!(sign, "[" | "(" | "\\" | "*") && !is_method,
            Kind::Line | Kind::Opaque => false,
        }
    }

    fn bare_argument(&mut self) -> Value {
        if matches!(self.tokens.get(self.at).map(|token| &token.kind), Some(Kind::Text(_))) {
            let text = self.text(self.at);
            self.at += 1;
            return text;
        }
        self.expression()
    }

    /// Reads the arguments and calls. Without a closing bracket they end where the statement does.
    fn call(&mut self, callee: Value, close: Option<&str>) -> Value {
        let passed = match &callee {
            Value::Method(receiver, _) => {
                let size = receiver.size();
                if self.state.spend(size) { passed_on(receiver.as_ref().clone()) } else { ANYTHING }
            }
            Value::Name(name) if matches!(self.act(name), Some(Act::Download)) => {
                Value::Unknown(Source::Downloaded)
            }
            _ => Value::Unknown(self.state.passed.source()),
        };
        let outer = std::mem::replace(&mut self.state.passed, passed);
        let arguments = self.arguments(close);
        self.state.passed = outer;
        self.apply(callee, arguments)
    }

    fn arguments(&mut self, close: Option<&str>) -> Arguments {
        let mut arguments = Arguments::default();
        let generator = match (close, self.at.checked_sub(1)) {
            (Some(_), Some(open)) => self.tokens[open].take_comprehension().zip(self.tokens[open].closing()),
            _ => None,
        };
        if let Some((clause, end)) = generator {
            let value = match self.comprehension(clause, end) {
                Value::OneOf(values) => Value::List(values),
                other => other,
            };
            arguments.values.push(value);
            return arguments;
        }
        loop {
            if close.is_some() {
                self.skip_lines();
            }
            let here = self.at;
            let Some(token) = self.tokens.get(here) else { return arguments };
            match &token.kind {
                Kind::Sign(",") => {
                    self.at += 1;
                    self.skip_lines();
                    continue;
                }
                Kind::Sign(sign) if Some(*sign) == close => {
                    self.at += 1;
                    return arguments;
                }
                Kind::Sign(")" | "]" | "}" | ";") | Kind::Line if close.is_none() => return arguments,
                Kind::Sign("]" | "}" | ";") => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            if let Some(name) = self.argument_name() {
                self.at += 2;
                let value = self.expression();
                arguments.named.push((name, value));
            } else {
                let value = if close.is_none() { self.sum() } else { self.expression() };
                let is_spread =
                    self.language() == Language::Perl || matches!(self.sign_at(here), Some("*" | "..."));
                if self.language() == Language::Ruby && self.take("=>") {
                    // `[:in, :out] => file`: an option, whatever its key is.
                    self.expression();
                    continue;
                }
                match value {
                    _ if arguments.values.len() >= MOST_ARGUMENTS => {}
                    Value::List(values) if is_spread => arguments.values.extend(values),
                    other => arguments.values.push(other),
                }
            }
            if close.is_none() && self.sign() != Some(",") {
                return arguments;
            }
            self.at += usize::from(self.at == here);
        }
    }

    /// The name of the argument that is next, if it has one.
    fn argument_name(&self) -> Option<String> {
        let sign = self.sign_at(self.at + 1)?;
        let is_named = match self.language() {
            Language::Python => sign == "=",
            Language::Ruby | Language::Php => matches!(sign, ":" | "=>"),
            Language::Perl => sign == "=>",
            _ => false,
        };
        self.word_at(self.at).filter(|_| is_named).map(str::to_owned)
    }

    /// Reads the parameters of Ruby's block, of which the first `|` was read; its body is read as statements.
    fn block(&mut self, value: &Value) {
        let start = self.at;
        while self.at < self.tokens.len() && !matches!(self.sign(), Some("|" | ";" | "}")) {
            self.at += 1;
        }
        let receiver = match value {
            Value::Method(receiver, _) => receiver.as_ref(),
            other => other,
        };
        let passed = passed_on(receiver.clone());
        let outer = std::mem::replace(&mut self.state.passed, passed);
        self.parameters(start, self.at);
        self.state.passed = outer;
        self.take("|");
    }

    /// What the tables say about a name.
    pub(super) fn act(&self, name: &str) -> Option<Act> {
        let table = table::of(self.language());
        table.act(name).or_else(|| {
            let included = &self.state.included;
            if name.contains('.') {
                None
            } else {
                included.iter().find_map(|module| table.act(&format!("{module}.{name}")))
            }
        })
    }
}

fn is_callable(value: &Value, language: Language) -> bool {
    match value {
        Value::Name(_) | Value::Method(..) | Value::Shell | Value::Unknown(_) | Value::OneOf(_) => true,
        Value::Text(_) => language == Language::Php,
        _ => false,
    }
}

/// What a callback is given by a method of this value.
fn passed_on(receiver: Value) -> Value {
    match receiver {
        Value::Shell => Value::Shell,
        file @ Value::File(_) => file,
        Value::Method(receiver, _) => passed_on(*receiver),
        other => other.element(),
    }
}
