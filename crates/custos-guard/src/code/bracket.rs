//! What stands in brackets: one value, a list, keys and values, or statements.

use super::Language;
use super::lexer::Kind;
use super::reader::Reader;
use super::value::Value;

/// How many elements of a list are kept.
const MOST_ELEMENTS: usize = 256;

impl Reader<'_, '_, '_> {
    /// Works out what stands in round or square brackets: one value, or a list.
    pub(super) fn bracket(&mut self) -> Value {
        let open = self.at;
        let is_square = self.sign() == Some("[");
        let close = self.tokens[open].closing();
        self.at += 1;
        if let (Some(clause), Some(close)) = (self.tokens[open].take_comprehension(), close) {
            let value = self.comprehension(clause, close);
            return match value {
                Value::OneOf(values) => Value::List(values),
                other => Value::List(vec![other]),
            };
        }
        let mut values = Vec::new();
        let mut is_list = is_square;
        loop {
            self.skip_lines();
            match self.sign() {
                Some(")" | "]") => {
                    self.at += 1;
                    break;
                }
                Some(",") => {
                    is_list = true;
                    self.at += 1;
                }
                Some(";" | "}") => self.at += 1,
                _ if self.at >= self.tokens.len() => break,
                _ => {
                    let before = self.at;
                    let value = self.expression();
                    let value = self.pair_value(value);
                    if values.len() < MOST_ELEMENTS {
                        values.push(value);
                    }
                    self.at += usize::from(self.at == before);
                }
            }
        }
        if is_list || values.len() != 1 { Value::List(values) } else { values.remove(0) }
    }

    /// In PHP and Perl `key => value` makes a list's element; the key is dropped.
    fn pair_value(&mut self, value: Value) -> Value {
        let is_pair = self.language() != Language::JavaScript && self.take("=>");
        if is_pair { self.expression() } else { value }
    }

    /// Works out `{ … }`: keys and values, or statements.
    pub(super) fn braces(&mut self) -> Value {
        self.at += 1;
        let mut entries = Vec::new();
        let mut values = Vec::new();
        loop {
            self.skip_lines();
            if self.at >= self.tokens.len() || self.take("}") {
                break;
            }
            let before = self.at;
            let key = match &self.tokens[self.at].kind {
                Kind::Word(word) => Some((*word).to_owned()),
                Kind::Text(_) => Some(self.text(self.at).raw()),
                _ => None,
            };
            let has_key = matches!(self.sign_at(self.at + 1), Some(":" | "=>"))
                || self.language() == Language::Lua && self.sign_at(self.at + 1) == Some("=");
            match key {
                Some(key) if has_key => {
                    self.at += 2;
                    self.skip_lines();
                    let value = self.expression();
                    if entries.len() < MOST_ELEMENTS {
                        entries.push((key, value));
                    }
                }
                _ => {
                    let value = self.statement();
                    if values.len() < MOST_ELEMENTS {
                        entries.extend(key.map(|key| (key, value.clone())));
                        values.push(value);
                    }
                }
            }
            self.at += usize::from(self.at == before);
        }
        if self.language() == Language::Lua && !values.is_empty() {
            Value::List(values)
        } else {
            Value::Map(entries)
        }
    }
}
