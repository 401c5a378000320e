//! A client's payload, taken apart field by field.
//!
//! A field that must be there and is not, or is of another type, is an error that names it: a default in its place would make a product
//! believe that it works while it does nothing. What nobody asked for is still there at the end, and is kept.

use serde_json::{Map, Value};

/// Reports a payload that is not what its client's contract says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misread {
    /// A field is not there.
    #[error("the field `{0}` is missing")]
    Missing(&'static str),
    /// A field is of another type.
    #[error("the field `{field}` should be {expected} and is {found}")]
    WrongType {
        /// The field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
}

/// What is left of a payload.
#[derive(Debug)]
pub struct Payload(Map<String, Value>);

impl Payload {
    /// Begins with all fields.
    pub fn new(fields: Map<String, Value>) -> Self {
        Self(fields)
    }

    /// Takes a text that must be there and must not be empty: an id, a name.
    pub fn name(&mut self, field: &'static str) -> Result<String, Misread> {
        self.optional_text(field)?.filter(|text| !text.is_empty()).ok_or(Misread::Missing(field))
    }

    /// Takes a text that must be there but may be empty or null.
    pub fn text(&mut self, field: &'static str) -> Result<String, Misread> {
        if !self.0.contains_key(field) {
            return Err(Misread::Missing(field));
        }
        Ok(self.optional_text(field)?.unwrap_or_default())
    }

    /// Takes a text that may be absent or null.
    pub fn optional_text(&mut self, field: &'static str) -> Result<Option<String>, Misread> {
        match self.0.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(field, "a text", &other)),
        }
    }

    /// Takes a yes or no; absent is no.
    pub fn flag(&mut self, field: &'static str) -> Result<bool, Misread> {
        match self.0.remove(field) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(wrong(field, "true or false", &other)),
        }
    }

    /// Takes a count that may be absent.
    pub fn count(&mut self, field: &'static str) -> Result<Option<u64>, Misread> {
        match self.0.remove(field) {
            None | Some(Value::Null) => Ok(None),
            // Durations come as fractions from some clocks.
            Some(Value::Number(number)) => Ok(number.as_u64().or_else(|| whole(number.as_f64()?))),
            Some(other) => Err(wrong(field, "a number", &other)),
        }
    }

    /// Takes an object that must be there.
    pub fn object(&mut self, field: &'static str) -> Result<Map<String, Value>, Misread> {
        match self.0.remove(field) {
            None | Some(Value::Null) => Err(Misread::Missing(field)),
            Some(Value::Object(fields)) => Ok(fields),
            Some(other) => Err(wrong(field, "an object", &other)),
        }
    }

    /// Takes what must be there, whatever it is, null included.
    pub fn told(&mut self, field: &'static str) -> Result<Value, Misread> {
        self.0.remove(field).ok_or(Misread::Missing(field))
    }

    /// Takes whatever is there.
    pub fn value(&mut self, field: &str) -> Option<Value> {
        self.0.remove(field).filter(|value| !value.is_null())
    }

    /// Looks at a field without taking it.
    pub fn peek(&self, field: &str) -> Option<&Value> {
        self.0.get(field)
    }

    /// Puts a field in, as if the client had sent it: for clients that say the same in a deeper place.
    pub fn put(&mut self, field: &str, value: Value) {
        self.0.insert(field.to_owned(), value);
    }

    /// Gives what nobody took.
    pub fn rest(self) -> Map<String, Value> {
        self.0
    }
}

fn whole(number: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
    (0.0..=9e15).contains(&number).then_some(number as u64)
}

pub(crate) fn wrong(field: &'static str, expected: &'static str, found: &Value) -> Misread {
    let found = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Misread::WrongType { field, expected, found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn payload(value: Value) -> Payload {
        let Value::Object(fields) = value else { panic!("a payload is an object") };
        Payload::new(fields)
    }

    #[test]
    fn what_must_be_there_is_there_or_named() {
        let mut payload = payload(json!({"id": "x", "empty": "", "null": null, "n": 7, "o": {"a": 1}}));
        assert_eq!(payload.name("id"), Ok("x".to_owned()));
        assert_eq!(payload.name("empty"), Err(Misread::Missing("empty")));
        assert_eq!(payload.text("gone"), Err(Misread::Missing("gone")));
        assert_eq!(payload.text("null"), Ok(String::new()));
        assert_eq!(payload.object("o"), Ok(Map::from_iter([("a".to_owned(), json!(1))])));
        let error = payload.name("n").unwrap_err();
        assert_eq!(error.to_string(), "the field `n` should be a text and is a number");
    }

    #[test]
    fn what_nobody_took_is_kept() {
        let mut payload = payload(json!({"a": 1, "b": 2.9, "flag": true, "new": {"x": [1]}}));
        assert_eq!(payload.count("a"), Ok(Some(1)));
        assert_eq!(payload.count("b"), Ok(Some(2)));
        assert_eq!(payload.flag("flag"), Ok(true));
        assert_eq!(payload.flag("gone"), Ok(false));
        assert_eq!(Value::Object(payload.rest()), json!({"new": {"x": [1]}}));
    }
}
