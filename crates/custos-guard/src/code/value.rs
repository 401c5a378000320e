//! Values, as far as they can be known without running anything.

use crate::invocation::{Arg, Source, UNKNOWN};
use crate::words::raw;

/// Stands in a text for the home directory, until it is known whether the text is a path or a script.
pub(super) const HOME: char = '\u{FDD3}';
/// How long a text may grow; what is longer was made to exhaust us.
const LONGEST: usize = 256 << 10;
/// How many alternatives are followed.
const MOST: usize = 32;

/// What an expression gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Anything; where it comes from may matter.
    Unknown(Source),
    /// A text or a path, with marks for the parts that are not known.
    Text(String),
    /// A whole number; truth is 1.
    Number(u32),
    /// A list, tuple or array.
    List(Vec<Value>),
    /// One of several, as a loop's variable is.
    OneOf(Vec<Value>),
    /// Keys and values: options, mostly.
    Map(Vec<(String, Value)>),
    /// A module, class or function by its full name, joined by dots.
    Name(String),
    /// A value's method that was not called yet.
    Method(Box<Value>, String),
    /// A file that is open.
    File(String),
    /// A shell that reads what is written to it.
    Shell,
}

/// Of which nothing is known, and nothing bad either.
pub(super) const ANYTHING: Value = Value::Unknown(Source::Local);

impl Value {
    /// A text that is known.
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Where the unknown part of it comes from; of several, the worst.
    pub(super) fn source(&self) -> Source {
        match self {
            Self::Unknown(source) => *source,
            Self::Text(text) => raw::source(text),
            Self::List(values) | Self::OneOf(values) => {
                values.iter().map(Self::source).max().unwrap_or_default()
            }
            Self::Map(entries) => entries.iter().map(|(_, value)| value.source()).max().unwrap_or_default(),
            Self::Method(receiver, _) => receiver.source(),
            Self::Number(_) | Self::Name(_) | Self::File(_) | Self::Shell => Source::Local,
        }
    }

    /// How much it costs to copy.
    pub(super) fn size(&self) -> usize {
        /// An allocation costs as much as so many bytes.
        const NODE: usize = 32;
        match self {
            Self::Unknown(_) | Self::Number(_) | Self::Shell => 1,
            Self::Text(text) | Self::Name(text) | Self::File(text) => NODE + text.len(),
            Self::List(values) | Self::OneOf(values) => NODE + values.iter().map(Self::size).sum::<usize>(),
            Self::Map(entries) => {
                NODE + entries.iter().map(|(key, value)| key.len() + value.size()).sum::<usize>()
            }
            Self::Method(receiver, _) => NODE + receiver.size(),
        }
    }

    /// The text of it, with marks; a number as it is written.
    pub(super) fn raw(&self) -> String {
        match self {
            Self::Text(text) | Self::File(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            other => mark(other.source()).to_string(),
        }
    }

    /// The same, without a copy.
    fn into_raw(self) -> String {
        match self {
            Self::Text(text) => text,
            other => other.raw(),
        }
    }

    /// Every text that it may be, or for a list, that is in it.
    pub(super) fn texts(&self) -> Vec<String> {
        match self {
            Self::OneOf(values) if values.iter().any(|value| matches!(value, Self::Text(_))) => {
                let texts = values.iter().filter(|value| !matches!(value, Self::Name(_)));
                texts.flat_map(Self::texts).take(MOST).collect()
            }
            Self::List(values) | Self::OneOf(values) => {
                values.iter().take(MOST).flat_map(Self::texts).take(MOST).collect()
            }
            other => vec![other.raw()],
        }
    }

    /// The text, if it is one and all of it is known.
    pub(super) fn known(&self) -> Option<&str> {
        match self {
            Self::Text(text) if raw::is_sure(text) && !text.contains(HOME) => Some(text),
            _ => None,
        }
    }

    /// Says whether it counts as true.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Number(number) => *number != 0,
            Self::Text(text) => !text.is_empty(),
            Self::List(_) | Self::Map(_) => true,
            _ => false,
        }
    }

    /// What a loop over it gives.
    pub(super) fn element(self) -> Self {
        match self {
            Self::List(values) => Self::one_of(values),
            Self::OneOf(values) => Self::one_of(values.into_iter().map(Self::element).collect()),
            // A pattern stands for the names that it matches.
            Self::Text(text) if text.contains([raw::STAR, raw::QUESTION]) => Self::Text(text),
            other => Self::Unknown(other.source()),
        }
    }

    /// One of these; what is not known at all is dropped where something else is known.
    pub(super) fn one_of(values: Vec<Self>) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        let mut source = Source::Local;
        for value in values {
            match value {
                Self::OneOf(inner) => kept.extend(inner),
                Self::Unknown(from) => source = source.max(from),
                other => kept.push(other),
            }
        }
        kept.truncate(MOST);
        if source != Source::Local || kept.is_empty() {
            kept.push(Self::Unknown(source));
        }
        match kept.len() {
            1 => kept.remove(0),
            _ => Self::OneOf(kept),
        }
    }

    /// Does something with each alternative.
    pub(super) fn map(self, mut with: impl FnMut(Self) -> Self) -> Self {
        match self {
            Self::OneOf(values) => Self::one_of(values.into_iter().map(with).collect()),
            other => with(other),
        }
    }

    /// Does something with each pair of alternatives.
    pub(super) fn pair(self, other: Self, with: fn(Self, Self) -> Self) -> Self {
        match (self, other) {
            (Self::OneOf(left), right) => {
                Self::one_of(left.into_iter().map(|left| left.pair(right.clone(), with)).collect())
            }
            (left, Self::OneOf(right)) => {
                Self::one_of(right.into_iter().map(|right| with(left.clone(), right)).collect())
            }
            (left, right) => with(left, right),
        }
    }

    /// Puts one behind the other.
    pub(super) fn plus(self, other: Self) -> Self {
        self.pair(other, |left, right| match (left, right) {
            (Self::List(mut left), Self::List(right)) => {
                left.extend(right);
                Self::List(left)
            }
            (Self::Text(left), right) => joined(left, &right),
            (left @ (Self::Number(_) | Self::Unknown(_) | Self::Method(..)), right @ Self::Text(_)) => {
                joined(left.raw(), &right)
            }
            (Self::Name(_), right @ Self::Text(_)) => joined(UNKNOWN.to_string(), &right),
            (left, right) => Self::Unknown(left.source().max(right.source())),
        })
    }

    /// Goes from a directory to what lies in it, as `os.path.join` does.
    pub(super) fn below(self, part: Self) -> Self {
        self.pair(part, |dir, part| {
            let part = part.into_raw();
            let mut path = dir.into_raw();
            if part.starts_with(['/', HOME]) || path.is_empty() {
                return Self::Text(part);
            }
            if !path.ends_with('/') {
                path.push('/');
            }
            joined(path, &Self::Text(part))
        })
    }
}

fn joined(mut left: String, right: &Value) -> Value {
    match right {
        Value::Text(right) => left.push_str(right),
        other => left.push_str(&other.raw()),
    }
    if left.len() > LONGEST { Value::Unknown(raw::source(&left)) } else { Value::Text(left) }
}

/// The mark for something unknown from there.
pub(super) fn mark(source: Source) -> char {
    match source {
        Source::Local => UNKNOWN,
        Source::Decoded => raw::DECODED,
        Source::Downloaded => raw::DOWNLOADED,
    }
}

/// Makes a pattern for file names of a text.
pub(super) fn pattern(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '*' => raw::STAR,
            '?' => raw::QUESTION,
            other => other,
        })
        .collect()
}

/// Makes a word of a text.
pub(super) fn word(text: &str) -> Arg {
    if !text.contains(HOME) {
        return raw::arg(text.to_owned(), false);
    }
    let path = match text.strip_prefix(HOME) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        _ => text.to_owned(),
    };
    raw::arg(path.replace(HOME, UNKNOWN.encode_utf8(&mut [0; 4])), false)
}

/// Makes a script of a text: the home directory becomes a variable, whatever quotes it stands in.
pub(super) fn script(text: &str) -> String {
    if !text.contains(HOME) {
        return text.to_owned();
    }
    let mut written = String::with_capacity(text.len() + 16);
    let (mut single, mut double, mut escaped) = (false, false, false);
    for c in text.chars() {
        match c {
            HOME if single => written.push_str("'\"$HOME\"'"),
            HOME => written.push_str("${HOME}"),
            other => {
                single ^= other == '\'' && !double && !escaped;
                double ^= other == '"' && !single && !escaped;
                written.push(other);
            }
        }
        escaped = c == '\\' && !escaped && !single;
    }
    written
}
