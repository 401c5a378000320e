//! The values a setting can have, and how each kind is read and written.
//!
//! A value is read from YAML (a file) or from text (a variable, a flag, `config set`). What it prints as is
//! read back as the same value; `config get`, the compiled settings and the editor rely on that.

use std::fmt;

use crate::address::Address;
use crate::shown::shown;
use crate::yaml::{Content, Node};

/// One value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing of its own: the program's own rule applies.
    Unset,
    /// A switch.
    Bool(bool),
    /// A whole number.
    Count(u64),
    /// One of a fixed set of words.
    Word(&'static str),
    /// A text, as its kind writes it.
    Text(String),
    /// Who may read something, as [`Kind::AccessList`] describes it; or names.
    List(Vec<String>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => f.write_str("null"),
            Self::Bool(on) => write!(f, "{on}"),
            Self::Count(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
            Self::Text(text) => f.write_str(text),
            Self::List(entries) => write!(f, "[{}]", entries.join(", ")),
        }
    }
}

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number from `min` to `max`.
    Count {
        /// The least value.
        min: u64,
        /// The greatest value.
        max: u64,
    },
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of `*`, `user`, `client:NAME`, `role:NAME` and `agent:ID`; the empty list is nobody.
    AccessList,
    /// A list of names.
    Names,
    /// One name, or nothing.
    Name,
    /// An [`Address`], or nothing.
    Address,
    /// The address of a provider, or nothing. What a file or a variable says is kept as it is, whatever is wrong with it: to leave it out
    /// would send what is meant for that address to the provider's own. Who uses it refuses it.
    BaseUrl,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("true or false"),
            Self::Count { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Word(words) => write!(f, "one of {}", words.join(", ")),
            Self::Names => f.write_str("a list of names"),
            Self::Name => f.write_str("a name, or null"),
            Self::Address => f.write_str("an address such as http://localhost:11434, or null"),
            Self::BaseUrl => f.write_str(
                "an address such as https://models.example.com/v1 or http://localhost:11434/v1, or null",
            ),
            Self::AccessList => {
                f.write_str("a list of \"*\", user, client:NAME, role:NAME or agent:ID ([] is nobody)")
            }
        }
    }
}

/// Whether a file that comes with a clone may set a key.
#[derive(Debug, Clone, Copy)]
pub enum RepoRule {
    /// Never: it concerns the machine or the person, not the project.
    Forbidden,
    /// As it likes: nothing depends on it but taste.
    Free,
    /// Only if the new value (second) allows no more than the one in force (first).
    Tighten(fn(&Value, &Value) -> bool),
}

/// A value that its setting does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The setting.
    pub key: &'static str,
    /// What it takes.
    pub expected: Kind,
    /// What it was given, in words.
    pub found: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` takes {}, but this is {}", self.key, self.expected, self.found)
    }
}

impl std::error::Error for Wrong {}

impl Kind {
    /// Reads a value from YAML; the error says in words what was found instead.
    pub(crate) fn read(self, node: &Node) -> Result<Value, String> {
        match (self, node.content()) {
            (Self::AccessList | Self::Names, Content::Sequence(items)) => {
                let entries = items.iter().map(|item| match item.content() {
                    Content::Scalar { text, .. } => Ok(text.clone()),
                    _ => Err(format!("a list that contains {}", item.describe())),
                });
                self.list(entries.collect::<Result<_, _>>()?)
            }
            (Self::AccessList | Self::Names | Self::Name | Self::Address | Self::BaseUrl, _)
                if node.is_null() =>
            {
                Ok(Value::Unset)
            }
            // A word may be quoted; a quoted number or switch is text, which somebody wrote on purpose.
            (Self::Word(_) | Self::Name | Self::Address | Self::BaseUrl, Content::Scalar { text, .. })
                if !node.is_null() =>
            {
                self.read_text(text)
            }
            (Self::Bool | Self::Count { .. }, Content::Scalar { text, plain: true }) if !node.is_null() => {
                self.read_text(text).map_err(|_| node.describe())
            }
            _ => Err(node.describe()),
        }
    }

    /// Reads a value from text; the error says in words what was found instead.
    pub(crate) fn read_text(self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let found = || describe_text(text);
        match self {
            Self::Bool => match text {
                "true" | "True" | "TRUE" => Ok(Value::Bool(true)),
                "false" | "False" | "FALSE" => Ok(Value::Bool(false)),
                _ => Err(found()),
            },
            Self::Count { min, max } => {
                let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                match text.parse() {
                    Ok(number) if digits && (min..=max).contains(&number) => Ok(Value::Count(number)),
                    _ => Err(found()),
                }
            }
            Self::Word(words) => {
                words.iter().find(|word| **word == text).map(|word| Value::Word(word)).ok_or_else(found)
            }
            Self::Name | Self::Address | Self::BaseUrl if matches!(text, "" | "null") => Ok(Value::Unset),
            Self::Name => is_model(text).then(|| Value::Text(text.to_owned())).ok_or_else(found),
            Self::Address => Address::read(text).map(|address| Value::Text(address.to_string())),
            Self::BaseUrl => Ok(Value::Text(text.chars().filter(|c| !c.is_control()).collect())),
            Self::AccessList | Self::Names => {
                let bracketed = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
                let inner = bracketed.unwrap_or(text).trim();
                match inner {
                    "" if bracketed.is_some() => Ok(Value::List(Vec::new())),
                    "" => Err(found()),
                    _ => self.list(inner.split(',').map(|entry| unquoted(entry.trim())).collect()),
                }
            }
        }
    }
}

impl Kind {
    /// Says what is wrong with a value that somebody is about to set, beyond what keeps it from being read; in words, without repeating
    /// what may be secret.
    pub(crate) fn objection(self, value: &Value) -> Option<String> {
        let (Self::BaseUrl, Value::Text(text)) = (self, value) else { return None };
        let place = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let host = place.map_or("", |place| place.split(['/', '?', '#']).next().unwrap_or(""));
        let found = if host.contains('@') {
            "one with a name or a password in it. Keys go into the environment or the file `keys/PROVIDER`"
        } else if text.contains('?') {
            "one with a query, which would be lost: what is asked for is added to its end"
        } else if text.contains('#') {
            "one with a fragment, which no server gets to see"
        } else if host.is_empty() {
            "none that begins with https:// or http:// and names a host"
        } else if text.len() > LONGEST_ADDRESS
            || !text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte))
        {
            "one with signs that no address has, or too long"
        } else {
            return None;
        };
        Some(found.to_owned())
    }
}

/// The longest address of a provider.
const LONGEST_ADDRESS: usize = 512;
/// The most entries of a list; more is a mistake.
const MOST_ENTRIES: usize = 64;
/// The longest entry of a list.
const LONGEST_ENTRY: usize = 128;

impl Kind {
    fn list(self, entries: Vec<String>) -> Result<Value, String> {
        if entries.len() > MOST_ENTRIES {
            return Err(format!("a list of {} entries, and {MOST_ENTRIES} is the most", entries.len()));
        }
        let fits = if matches!(self, Self::Names) { is_name } else { is_access_entry };
        match entries.iter().find(|entry| !fits(entry)) {
            Some(entry) => Err(format!("a list that contains {}", describe_text(entry))),
            None => Ok(Value::List(entries)),
        }
    }
}

/// A name that reads back as it was written, whatever list it stands in.
fn is_name(entry: &str) -> bool {
    !entry.is_empty()
        && entry.len() <= LONGEST_ENTRY
        && entry.chars().all(|c| c.is_alphanumeric() || "._-:/*".contains(c))
}

/// The name of a model, as the programs that run them write it: `qwen/qwen3-4b@q4_k_m`. It means the same in YAML with and without quotes.
fn is_model(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric();
    name.len() <= LONGEST_ENTRY
        && name.starts_with(is_plain)
        && name.ends_with(is_plain)
        && name.chars().all(|c| is_plain(c) || "._-:/@+".contains(c))
}

fn is_access_entry(entry: &str) -> bool {
    let named = |name: &str, also: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || also.contains(c))
    };
    entry.len() <= LONGEST_ENTRY
        && match entry.split_once(':') {
            None => entry == "*" || entry == "user",
            Some(("client" | "role", name)) => named(name, "._-"),
            // The ids of agents are given by their clients, some of which use paths and addresses.
            Some(("agent", id)) => named(id, "._-:@/+"),
            Some(_) => false,
        }
}

fn unquoted(entry: &str) -> String {
    let inner = |quote| entry.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(entry).to_owned()
}

fn describe_text(text: &str) -> String {
    match text {
        "" => "empty".to_owned(),
        _ if text.bytes().all(|byte| byte.is_ascii_digit()) => format!("the number {}", shown(text)),
        _ => format!("the text \"{}\"", shown(text)),
    }
}

/// Tells whether the second access list lets in nobody whom the first keeps out.
///
/// Where the first is the program's own table, only nobody and the person alone are surely narrower: the
/// memory is the person's, who reads it in every table.
pub(crate) fn narrower(current: &Value, proposed: &Value) -> bool {
    match (current, proposed) {
        (Value::List(current), Value::List(proposed)) => {
            current.iter().any(|entry| entry == "*") || proposed.iter().all(|entry| current.contains(entry))
        }
        (Value::Unset, Value::List(proposed)) => proposed.iter().all(|entry| entry == "user"),
        (current, proposed) => current == proposed,
    }
}

/// Says whether a switch or a number allows no more than the one in force.
pub(crate) fn no_more(current: &Value, proposed: &Value) -> bool {
    match (current, proposed) {
        (Value::Bool(current), Value::Bool(proposed)) => *current || !proposed,
        (Value::Count(current), Value::Count(proposed)) => proposed <= current,
        (current, proposed) => current == proposed,
    }
}
