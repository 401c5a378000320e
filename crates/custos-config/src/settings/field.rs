//! The types that settings have, and the values that they are written as.

use super::{Color, Embedder, Provider};
use crate::address::Address;
use crate::value::Value;

/// A type that a field of [`Settings`](super::Settings) may have. `None` cannot happen for a value that its row's kind read;
/// a test puts a value of each kind into each field.
pub(super) trait Field: Sized {
    fn to_value(&self) -> Value;
    fn from_value(value: &Value) -> Option<Self>;
}

impl Field for bool {
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Bool(on) = value { Some(*on) } else { None }
    }
}

impl Field for u64 {
    fn to_value(&self) -> Value {
        Value::Count(*self)
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Count(number) = value { Some(*number) } else { None }
    }
}

impl Field for Option<Vec<String>> {
    fn to_value(&self) -> Value {
        self.clone().map_or(Value::Unset, Value::List)
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Unset => Some(None),
            Value::List(entries) => Some(Some(entries.clone())),
            _ => None,
        }
    }
}

impl Field for Option<String> {
    fn to_value(&self) -> Value {
        self.clone().map_or(Value::Unset, Value::Text)
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Unset => Some(None),
            Value::Text(text) => Some(Some(text.clone())),
            _ => None,
        }
    }
}

impl Field for Option<Address> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Unset, |address| Value::Text(address.to_string()))
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Unset => Some(None),
            Value::Text(text) => Address::read(text).ok().map(Some),
            _ => None,
        }
    }
}

impl Field for Color {
    fn to_value(&self) -> Value {
        Value::Word(match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        })
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Word("auto") => Some(Self::Auto),
            Value::Word("always") => Some(Self::Always),
            Value::Word("never") => Some(Self::Never),
            _ => None,
        }
    }
}

impl Field for Provider {
    fn to_value(&self) -> Value {
        Value::Word(self.name())
    }

    fn from_value(value: &Value) -> Option<Self> {
        let Value::Word(word) = value else { return None };
        Self::ALL.into_iter().find(|provider| provider.name() == *word)
    }
}

impl Field for Embedder {
    fn to_value(&self) -> Value {
        Value::Word(self.name())
    }

    fn from_value(value: &Value) -> Option<Self> {
        let Value::Word(word) = value else { return None };
        Self::ALL.into_iter().find(|embedder| embedder.name() == *word)
    }
}
