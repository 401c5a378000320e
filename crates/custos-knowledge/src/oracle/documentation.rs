//! The documentation at the top of a module, in the languages that have such a thing.

use super::sentence;
use super::walk::{extension_of, name_of};

/// The most lines above the documentation: a licence, imports of the future, attributes.
const MOST_LINES: usize = 80;

/// Endings of headers in C and C++.
pub(super) const HEADERS: &[&str] = &["h", "hh", "hpp", "hxx"];

/// A comment at the top of a file.
struct Comment {
    text: String,
    /// The lines that it is on, from 1.
    first: usize,
    last: usize,
    /// Whether it is marked as documentation: `/** … */`.
    is_marked: bool,
}

/// Returns what a module says it is, and the line that says so.
pub(super) fn of_module(path: &str, text: &str) -> Option<(String, usize)> {
    let (text, line) = match extension_of(path) {
        "rs" => rust(text),
        "py" => python(text),
        "go" => go(text),
        "java" | "kt" | "ts" | "js" | "tsx" | "mjs" if name_of(path) != "index.d.ts" => block(text),
        extension if HEADERS.contains(&extension) => header(path, text),
        _ => None,
    }?;
    let sentence = sentence::of_documentation(&text)?;
    (!is_legal(&sentence)).then_some((sentence, line))
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
    let package = text.lines().take(MOST_LINES).position(|line| line.starts_with("package "))?;
    let comment = comments(text).into_iter().find(|comment| comment.last == package)?;
    // A constraint for the build is a comment, too.
    let lines = comment.text.lines().filter(|line| !line.starts_with("go:") && !line.starts_with("+build"));
    let text = joined(lines);
    (!text.trim().is_empty()).then_some((text, comment.first))
}

/// The first `/** … */` that is no licence. Code above it means that it belongs to something else than the module.
fn block(text: &str) -> Option<(String, usize)> {
    let is_meant = |comment: &Comment| comment.is_marked && !is_licence(&comment.text);
    comments(text).into_iter().find(is_meant).map(|comment| (comment.text, comment.first))
}

/// The first comment of a header that is no licence: what Doxygen calls the brief, or all of it.
fn header(path: &str, text: &str) -> Option<(String, usize)> {
    const MARKS: &[&str] = &["@brief", "\\brief"];
    const NAMES: &[&str] = &["@file", "\\file"];
    // Editors have their lines there as well.
    let is_telling = |comment: &Comment| {
        let text = comment.text.trim_start();
        !is_licence(text) && !text.starts_with("-*-") && text.split_whitespace().count() > 1
    };
    let comment = comments(text).into_iter().find(is_telling)?;
    let lines = comment.text.lines().filter(|line| !NAMES.iter().any(|name| line.starts_with(name)));
    let told = lines.map(|line| {
        let line = MARKS.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
        // `widget.h - what it is`.
        let unnamed = line.trim_start().strip_prefix(name_of(path));
        unnamed.map_or(line, |rest| rest.trim_start_matches([' ', '-', ':', '\u{2013}', '\u{2014}']))
    });
    Some((joined(told), comment.first))
}

/// The comments above the code, in the languages that write them with slashes. Settings and the guards of a header may stand between.
fn comments(text: &str) -> Vec<Comment> {
    let lines: Vec<&str> = text.lines().take(MOST_LINES).map(str::trim).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let first = at + 1;
        let count = if line.starts_with("//") {
            lines[at..].iter().take_while(|line| line.starts_with("//")).count()
        } else if line.starts_with("/*") {
            let end = lines[at..].iter().enumerate().position(|(index, line)| {
                // `/*/` opens and does not close.
                if index == 0 { line[2..].contains("*/") } else { line.contains("*/") }
            });
            end.map_or(lines.len() - at, |end| end + 1)
        } else if line.is_empty() || line.starts_with(['\'', '"']) || is_guard(line) {
            at += 1;
            continue;
        } else {
            break;
        };
        let is_block = line.starts_with("/*");
        let written = &lines[at..at + count];
        let text = if is_block {
            let whole = written.join("\n");
            let inside = whole[2..].split("*/").next().unwrap_or_default();
            joined(inside.lines().map(|line| line.trim().trim_start_matches(['*', '!'])))
        } else {
            joined(written.iter().map(|line| line.trim_start_matches(['/', '!'])))
        };
        at += count;
        found.push(Comment { text, first, last: at, is_marked: line.starts_with("/**") });
        // What follows on the line is code.
        if is_block && !lines[at - 1].ends_with("*/") {
            break;
        }
    }
    found
}

/// Tells whether a line is what a header begins with.
fn is_guard(line: &str) -> bool {
    ["#pragma once", "#ifndef ", "#define "].iter().any(|start| line.starts_with(start))
}

/// Tells whether a comment is there for the licence.
fn is_licence(text: &str) -> bool {
    ["Copyright", "License", "@license", "SPDX"].iter().any(|word| text.contains(word))
}

/// Tells whether a sentence is about rights, and not about what the module does.
fn is_legal(sentence: &str) -> bool {
    const STARTS: &[&str] = &["copyright", "spdx", "(c) ", "©", "licensed under", "all rights reserved"];
    let sentence = sentence.to_lowercase();
    STARTS.iter().any(|start| sentence.starts_with(start))
}

fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| format!("{}\n", line.trim())).collect()
}
