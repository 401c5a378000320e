//! Values that an edit of a configuration file changed.
//!
//! “The pool has 50 connections now, it had 20” is worth more than “edited `application.yml`”. Both sides of the edit are
//! [read](formats) into keys and values, as far as a fragment shows them, and compared: order, indentation and comments do not matter.
//! A value that could be a secret is never told: only its key is.

mod blocks;
mod formats;
mod json;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};

use super::commands::cut;
use super::dependencies;

/// A value that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The key with the sections that the fragment shows: `server.pool.size`.
    pub(crate) key: String,
    /// What it was; none where it was not there, or must not be told.
    pub(crate) from: Option<String>,
    /// What it is now; none where it is gone, or must not be told.
    pub(crate) to: Option<String>,
}

/// A key and its value on one side.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Entry {
    key: String,
    value: String,
    /// Whether it is one of several in a list.
    is_item: bool,
}

/// The longest value, in characters.
const VALUE: usize = 60;
/// So many settings are told of one edit.
const MOST: usize = 40;
/// Files larger than this hold data.
const LARGEST: usize = 512 * 1024;

/// Tells whether a file is one of settings, as far as its name says.
pub(crate) fn is_settings(path: &str) -> bool {
    formats::format(path).is_some()
}

/// Tells which values an edit changed, in the order of the new text, those that are gone at the end.
pub(crate) fn settings(path: &str, before: &str, after: &str) -> Vec<Setting> {
    let Some(format) = formats::format(path) else { return Vec::new() };
    if before == after || before.len() > LARGEST || after.len() > LARGEST {
        return Vec::new();
    }
    let packages: HashSet<String> =
        [before, after].iter().flat_map(|text| dependencies::names(path, text)).collect();
    let read = |text: &str| -> Vec<Entry> {
        formats::read(format, text).into_iter().filter(|entry| !is_of_package(entry, &packages)).collect()
    };
    let (old, new) = (read(before), read(after));
    // What stands on both sides did not change, wherever it stands.
    let (new, old) = (without(&new, &old), without(&old, &new));
    let mut by_key: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (at, entry) in old.iter().enumerate().filter(|(_, entry)| !entry.is_item) {
        by_key.entry(entry.key.as_str()).or_default().push_back(at);
    }
    let mut replaced = HashSet::new();
    let holds_secrets = [before, after]
        .iter()
        .any(|text| text.contains("kind: Secret") || text.contains("kind: SealedSecret"));
    let mut found = Vec::new();
    for entry in &new {
        let was = if entry.is_item {
            None
        } else {
            by_key.get_mut(entry.key.as_str()).and_then(VecDeque::pop_front)
        };
        replaced.extend(was);
        found.push(told(&entry.key, was.map(|at| old[at].value.as_str()), Some(&entry.value), holds_secrets));
    }
    for (_, entry) in old.iter().enumerate().filter(|(at, _)| !replaced.contains(at)) {
        found.push(told(&entry.key, Some(&entry.value), None, holds_secrets));
    }
    found.truncate(MOST);
    found
}

/// The entries of one side that the other does not have as well, counted: two alike stand for two.
fn without<'e>(entries: &'e [Entry], others: &[Entry]) -> Vec<&'e Entry> {
    let mut counts: HashMap<&Entry, usize> = HashMap::new();
    for other in others {
        *counts.entry(other).or_default() += 1;
    }
    let mut is_new = |entry: &&Entry| match counts.get_mut(*entry) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    entries.iter().filter(|entry| is_new(entry)).collect()
}

/// Tells whether an entry is the version of a package: those are told as such.
fn is_of_package(entry: &Entry, packages: &HashSet<String>) -> bool {
    if packages.is_empty() {
        return false;
    }
    if entry.is_item {
        let end = entry
            .value
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')))
            .unwrap_or(entry.value.len());
        return packages.contains(&entry.value[..end]);
    }
    let key = entry.key.as_str();
    // The name may have dots itself, and a table below it.
    let starts = std::iter::once(0).chain(key.match_indices('.').map(|(at, _)| at + 1));
    let ends: Vec<usize> = if key.contains("ependencies.") {
        key.match_indices('.').map(|(at, _)| at).chain([key.len()]).collect()
    } else {
        vec![key.len()]
    };
    starts
        .take(16)
        .any(|from| ends.iter().take(16).any(|to| *to > from && packages.contains(&key[from..*to])))
}

/// A setting as it may be told.
fn told(key: &str, from: Option<&str>, to: Option<&str>, holds_secrets: bool) -> Setting {
    let is_secret = holds_secrets
        || is_secret_key(key)
        || [from, to].into_iter().flatten().any(|value| is_secret_value(key, value));
    let shown = |value: Option<&str>| value.filter(|_| !is_secret).map(|value| cut(value, VALUE));
    Setting { key: key.to_owned(), from: shown(from), to: shown(to) }
}

fn is_secret_value(key: &str, value: &str) -> bool {
    let last = key.rsplit(['.', ' ']).next().unwrap_or(key);
    value.contains("[redacted")
        || custos_redact::redact_field(Some(last), value) != value
        || !custos_redact::find(&format!("{last}={value}")).is_empty()
        // An address with a name and a password in it.
        || value.split_once("://").is_some_and(|(_, rest)| rest.split('/').next().is_some_and(|host| host.contains('@')))
}

/// Keys that are secrets by themselves.
const WHOLE: [&str; 14] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "dsn",
    "salt",
    "credentials",
    "credential",
    "apikey",
    "privatekey",
    "accesskey",
    "key",
];
/// How keys of secrets end.
const ENDINGS: [&str; 13] = [
    "password",
    "passwd",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "signingkey",
    "encryptionkey",
    "accesstoken",
    "authtoken",
    "passphrase",
    "credentials",
];

/// Tells whether a key looks like that of a secret.
fn is_secret_key(key: &str) -> bool {
    let last = key.rsplit(['.', ' ']).next().unwrap_or(key);
    if custos_redact::names_a_secret(last) {
        return true;
    }
    let lower: String = last.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    WHOLE.contains(&lower.as_str())
        || ENDINGS.iter().any(|ending| lower.ends_with(ending))
        || lower.ends_with("token") && !lower.starts_with("max")
}
