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
#[derive(Debug, Clone, PartialEq, Eq)]
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
    let packages: Vec<String> = [before, after].iter().flat_map(|text| dependencies::names(path, text)).collect();
    let is_package = |entry: &Entry| {
        let last = entry.key.rsplit('.').next().unwrap_or(&entry.key);
        packages.iter().any(|name| entry.key == *name || last == name || entry.key.ends_with(name.as_str()) || entry.is_item && entry.value.starts_with(name.as_str()))
            || packages.iter().any(|name| entry.key.contains(&format!("ependencies.{name}.")))
    };
    let read = |text: &str| -> Vec<Entry> { formats::read(format, text).into_iter().filter(|entry| !is_package(entry)).collect() };
    let (mut old, mut new) = (read(before), read(after));
    // What stands on both sides did not change, wherever it stands.
    new.retain(|entry| match old.iter().position(|other| other == entry) {
        Some(at) => {
            old.remove(at);
            false
        }
        None => true,
    });
    let holds_secrets = [before, after].iter().any(|text| text.contains("kind: Secret") || text.contains("kind: SealedSecret"));
    let mut found = Vec::new();
    for entry in new {
        let was = if entry.is_item { None } else { old.iter().position(|other| other.key == entry.key && !other.is_item) };
        let was = was.map(|at| old.remove(at).value);
        found.push(told(entry.key, was, Some(entry.value), holds_secrets));
    }
    for entry in old {
        found.push(told(entry.key, Some(entry.value), None, holds_secrets));
    }
    found.truncate(MOST);
    found
}

/// A setting as it may be told.
fn told(key: String, from: Option<String>, to: Option<String>, holds_secrets: bool) -> Setting {
    let is_secret = holds_secrets
        || is_secret_key(&key)
        || [&from, &to].into_iter().flatten().any(|value| is_secret_value(&key, value));
    if is_secret {
        return Setting { key, from: None, to: None };
    }
    let shown = |value: Option<String>| value.map(|value| cut(&value, VALUE));
    Setting { key, from: shown(from), to: shown(to) }
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
    "token", "secret", "password", "passwd", "passphrase", "pwd", "dsn", "salt", "credentials", "credential", "apikey", "privatekey", "accesskey", "key",
];
/// How keys of secrets end.
const ENDINGS: [&str; 13] = [
    "password", "passwd", "secret", "apikey", "accesskey", "privatekey", "secretkey", "signingkey", "encryptionkey", "accesstoken", "authtoken", "passphrase", "credentials",
];

/// Tells whether a key looks like that of a secret.
fn is_secret_key(key: &str) -> bool {
    let last = key.rsplit(['.', ' ']).next().unwrap_or(key);
    if custos_redact::names_a_secret(last) {
        return true;
    }
    let lower: String = last.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    WHOLE.contains(&lower.as_str()) || ENDINGS.iter().any(|ending| lower.ends_with(ending)) || lower.ends_with("token") && !lower.starts_with("max")
}
