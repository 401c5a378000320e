//! The documentation at the top of a module, in the languages that have such a thing.

use super::sentence;
use super::walk::{extension_of, name_of};

/// The most lines above the documentation: a licence, imports of the future, attributes.
const MOST_LINES: usize = 80;

/// Returns what a module says it is, and the line that says so.
pub(super) fn of_module(path: &str, text: &str) -> Option<(String, usize)> {
    let (text, line) = match extension_of(path) {
        "rs" => rust(text),
        "py" => python(text),
        "go" => go(text),
        "java" | "kt" | "ts" | "js" | "tsx" | "mjs" if name_of(path) != "index.d.ts" => block(text),
        _ => None,
    }?;
    Some((sentence::of_documentation(&text)?, line))
}

fn rust(text: &str) -> Option<(String, usize)> {
    let first = text.lines().take(MOST_LINES).position(|line| line.starts_with("//!"))?;
    let lines = text.lines().skip(first).map_while(|line| line.strip_prefix("//!"));
    Some((joined(lines), first + 1))
}

fn python(text: &str) -> Option<(String, usize)> {
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let first = lines.iter().position(|line| !line.trim().is_empty() && !line.starts_with('#'))?;
    let start = lines[first].trim_start_matches(['r', 'R', 'u', 'U']);
    let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| start.starts_with(quotes))?;
    let body = joined(std::iter::once(&start[3..]).chain(lines[first + 1..].iter().copied()));
    Some((body.split(quotes).next()?.to_owned(), first + 1))
}

/// The comment right above `package`.
fn go(text: &str) -> Option<(String, usize)> {
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let package = lines.iter().position(|line| line.starts_with("package "))?;
    let comment = lines[..package].iter().rev().take_while(|line| line.starts_with("//")).count();
    let first = package - comment;
    // A constraint for the build is a comment, too.
    let lines = lines[first..package]
        .iter()
        .filter(|line| !line.starts_with("//go:") && !line.starts_with("// +build"));
    let text = joined(lines.map(|line| line.trim_start_matches('/')));
    (!text.trim().is_empty()).then_some((text, first + 1))
}

/// The first `/** … */`, unless it is a licence.
fn block(text: &str) -> Option<(String, usize)> {
    let text: String = text.lines().take(MOST_LINES).map(|line| format!("{line}\n")).collect();
    let start = text.find("/**")?;
    // Code above it means that it belongs to something else than the module.
    let above = &text[..start];
    if above
        .lines()
        .any(|line| !line.trim().is_empty() && !line.trim_start().starts_with(['/', '*', '\'', '"']))
    {
        return None;
    }
    let body = text[start + 3..].split("*/").next()?;
    if ["Copyright", "License", "@license", "SPDX"].iter().any(|word| body.contains(word)) {
        return None;
    }
    let lines = body.lines().map(|line| line.trim().trim_start_matches('*'));
    Some((joined(lines), above.lines().count() + 1))
}

fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| format!("{}\n", line.trim())).collect()
}
