//! The safety rules of AXME Code, read and put into neutral words.
//!
//! What they come to here is for the guard to say, which this crate does not know: the rules that it holds already need not be written, and
//! what it cannot hold has to be told. So this gives a list. Nothing in it loosens: what AXME Code allowed it never enforced either.

use custos_config::shown::shown;
use custos_config::yaml::{self, Content, Node, Pair};
use serde::Serialize;

use super::cargo::Cargo;

const SOURCE: &str = "safety/rules.yaml";

/// What a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// A branch that nobody pushes to.
    Branch,
    /// A command that does not run.
    Command,
    /// A path that is not touched.
    Path,
    /// A path that is not changed.
    ReadOnly,
}

/// A rule of AXME Code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found {
    /// What it is about.
    pub sort: Sort,
    /// The name or pattern, as AXME Code has it.
    pub value: String,
    /// The name or pattern, as ours is written.
    pub pattern: String,
}

pub(super) fn pack(cargo: &mut Cargo<'_>) {
    let Some(file) = cargo.take_one(SOURCE) else { return };
    let Some(raw) = cargo.read(&file) else { return };
    // What is not carried rule by rule stays in the copy.
    cargo.set_aside(&file, "its rules are carried one by one; the whole is kept as well");
    let document = match yaml::parse(&raw) {
        Ok(document) => document,
        Err(broken) => {
            cargo.odd(
                SOURCE,
                format!("line {}: {}; AXME Code went by its defaults", broken.at.line, broken.why),
            );
            return;
        }
    };
    cargo.note("AXME Code asked for a mark on every commit and push; the commit gate does that here, and is off until you switch it on");
    let sections = document.as_ref().map(pairs).unwrap_or_default();
    for section in sections {
        let name = section.key.text().unwrap_or_default();
        if !matches!(name, "git" | "bash" | "filesystem") {
            cargo.odd(SOURCE, format!("`{}` is nothing that AXME Code knew", shown(name)));
            continue;
        }
        for entry in pairs(&section.value) {
            take(cargo, name, entry);
        }
    }
}

fn pairs(node: &Node) -> &[Pair] {
    match node.content() {
        Content::Mapping(pairs) => pairs,
        _ => &[],
    }
}

fn take(cargo: &mut Cargo<'_>, section: &str, entry: &Pair) {
    let key = entry.key.text().unwrap_or_default();
    let sort = match (section, key) {
        ("git", "protectedBranches") => Sort::Branch,
        ("bash", "deniedPrefixes" | "deniedCommands") => Sort::Command,
        ("filesystem", "deniedPaths") => Sort::Path,
        ("filesystem", "readOnlyPaths") => Sort::ReadOnly,
        ("bash", "allowedPrefixes") => {
            let count = items(&entry.value).len();
            if count > 0 {
                cargo.note(format!(
                    "{count} allowed commands are not carried: AXME Code never asked about them"
                ));
            }
            return;
        }
        ("git", "allowForcePush" | "allowDirectPushToMain") => {
            if matches!(entry.value.text(), Some("true" | "yes" | "on")) {
                cargo.note(format!("{key} is not carried: a project's rules can only tighten; loosen it in your own rules if you want it"));
            }
            return;
        }
        ("git", "requirePrForMain") => return,
        _ => {
            cargo.odd(SOURCE, format!("`{section}.{}` is nothing that AXME Code knew", shown(key)));
            return;
        }
    };
    for item in items(&entry.value) {
        let is_text = matches!(item.content(), Content::Scalar { text, plain } if !plain || text.parse::<f64>().is_err());
        let Some(value) =
            item.text().map(str::trim).filter(|text| is_text && !text.is_empty() && !item.is_null())
        else {
            cargo.odd(
                SOURCE,
                format!("line {}: in {section}.{key}, {} is no rule", item.at.line, item.describe()),
            );
            continue;
        };
        if cargo.has_secret(value) {
            // What is written here goes to git, to the guard's caches and to the terminal.
            cargo.lose(
                SOURCE,
                format!("line {}: in {section}.{key}, a rule has a secret in it, which is not kept, and without it the rule would hold nothing; `custos guard add` takes one with `*` in its place", item.at.line),
            );
            continue;
        }
        let pattern = pattern(sort, key, value);
        if !cargo.rules.iter().any(|known| known.sort == sort && known.pattern == pattern) {
            cargo.rules.push(Found { sort, value: value.to_owned(), pattern });
        }
    }
}

/// A list, or the one thing that stands in its place.
fn items(node: &Node) -> Vec<&Node> {
    match node.content() {
        Content::Sequence(items) => items.iter().collect(),
        _ if node.is_null() => Vec::new(),
        _ => vec![node],
    }
}

/// Writes a rule as ours are written.
fn pattern(sort: Sort, key: &str, value: &str) -> String {
    match sort {
        // Was looked for anywhere in a command.
        Sort::Command if key == "deniedCommands" && value.ends_with('=') => format!("{value}*"),
        Sort::Path if value.ends_with("/*") => format!("{value}*"),
        Sort::ReadOnly | Sort::Path if value.len() > 1 => value.trim_end_matches('/').to_owned(),
        _ => value.to_owned(),
    }
}
