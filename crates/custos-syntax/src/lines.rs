//! Definitions by the look of a line: for languages without a grammar here, and for texts too large to parse.
//!
//! A head is a line that begins with the right words: modifiers of the [dialect], then a word that defines, then a name, then something
//! that may follow a name. C and its relatives have no such word; there it is a type, a name and parameters, and a body after them. Where
//! a definition ends is told by its indentation, as a person would see it. What is not sure is left out: a wrong name is worse than none.

use crate::{definition::Definition, language::Language, outline::Place};

mod dialect;
mod head;

use dialect::Dialect;
use head::Head;

/// Finds the definitions of a text.
pub(crate) fn places(language: Language, text: &str) -> Vec<Place> {
    let dialect = Dialect::of(language);
    let lines = split(text);
    let mut places: Vec<Place> = Vec::new();
    // The definitions around a line: their place in the list, and the line after their last.
    let mut around: Vec<(usize, usize)> = Vec::new();
    let mut in_comment = false;
    let mut number = 0;
    while let Some(line) = lines.get(number) {
        around.retain(|(_, end)| number < *end);
        if skips(dialect, line.text, &mut in_comment) {
            number += 1;
            continue;
        }
        let outer = around.last().map(|(place, _)| *place);
        let is_inside_code = outer.is_some_and(|outer| is_code(&places[outer], text));
        let found = if is_inside_code {
            None
        } else {
            head::read(dialect, &lines, number, outer.map(|outer| &places[outer]))
        };
        let Some(head) = found else {
            number += 1;
            continue;
        };
        let end = end(dialect, &lines, number, &head);
        let lead = lead(dialect, &lines, number);
        around.push((places.len(), end));
        let body_line = number + head.lines;
        places.push(place(
            dialect,
            &lines,
            &head,
            (lead, number, end),
            outer.map(|outer| (outer, &places[outer])),
            text,
        ));
        number = body_line;
    }
    places
}

/// A line, and where it begins.
pub(crate) struct Line<'t> {
    text: &'t str,
    start: usize,
    indent: usize,
}

fn split(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let here = start;
        start += line.len();
        let text = line.trim_end();
        Line { text, start: here, indent: text.len() - text.trim_start().len() }
    });
    lines.collect()
}

fn place(
    dialect: &Dialect,
    lines: &[Line<'_>],
    head: &Head,
    (lead, number, end): (usize, usize, usize),
    outer: Option<(usize, &Place)>,
    text: &str,
) -> Place {
    let begins = lines[number].start + lines[number].indent;
    let last = &lines[end.max(number + 1) - 1];
    let ends = last.start + last.text.len();
    let body = lines.get(number + head.lines).map_or(text.len(), |line| line.start).clamp(begins, ends);
    let owner = outer.map(|(_, place)| place).filter(|place| place.sort != Definition::Test);
    let joint = match (dialect.member_joint, head.sort) {
        (Some(joint), Definition::Method) if !head.is_static => joint,
        _ => dialect.joint,
    };
    Place {
        name: owner.map_or_else(|| head.name.clone(), |owner| format!("{}{joint}{}", owner.name, head.name)),
        short: head.name.clone(),
        sort: head.sort,
        span: lines[lead].start + lines[lead].indent..ends,
        head: begins,
        body,
        within: outer.map(|(place, _)| place),
    }
}

/// Tells whether nothing inside a definition is one: it is how it works.
fn is_code(place: &Place, text: &str) -> bool {
    match place.sort {
        Definition::Function | Definition::Method | Definition::Constant => true,
        // A group of tests is one that has tests in it; a test has steps.
        Definition::Test => {
            let head = text.get(place.head..).unwrap_or_default();
            !["describe", "context", "suite", "RSpec"].iter().any(|word| head.starts_with(word))
        }
        _ => false,
    }
}

/// Tells whether a line is blank or a comment, and keeps count of comments over several lines.
fn skips(dialect: &Dialect, line: &str, in_comment: &mut bool) -> bool {
    let line = line.trim_start();
    if *in_comment {
        *in_comment = !line.contains(dialect.comment.1);
        return true;
    }
    if let Some(comment) = line.strip_prefix(dialect.comment.0) {
        *in_comment = !comment.contains(dialect.comment.1);
        return true;
    }
    line.is_empty() || is_comment(dialect, line)
}

fn is_comment(dialect: &Dialect, line: &str) -> bool {
    dialect.line_comments.iter().any(|comment| line.starts_with(comment))
}

/// The first of the comments and attributes directly before a line.
fn lead(dialect: &Dialect, lines: &[Line<'_>], number: usize) -> usize {
    let belongs = |line: &Line<'_>| {
        let text = line.text.trim_start();
        line.indent == lines[number].indent
            && (is_comment(dialect, text) || is_attribute(text))
            // The preprocessor of C is not about what comes after it.
            && !(text.starts_with('#') && dialect.has_preprocessor)
    };
    let mut first = number;
    while first > 0 && belongs(&lines[first - 1]) {
        first -= 1;
    }
    first
}

pub(crate) fn is_attribute(text: &str) -> bool {
    text.starts_with('@') || text.starts_with("#[") || (text.starts_with('[') && text.ends_with(']'))
}

/// The line after the last of a definition.
fn end(dialect: &Dialect, lines: &[Line<'_>], number: usize, head: &Head) -> usize {
    if dialect.ends_with_semicolon {
        return end_of_statement(lines, number);
    }
    let indent = lines[number].indent;
    let mut last = number + head.lines - 1;
    if head.ends_there {
        return last + 1;
    }
    for (at, line) in lines.iter().enumerate().skip(number + head.lines) {
        let text = line.text.trim_start();
        if text.is_empty() {
            continue;
        }
        if line.indent > indent {
            last = at;
            continue;
        }
        let opens = text.starts_with('{');
        // Labels of C++ and lines of the preprocessor stand to the left of what they are in.
        let is_within = matches!(text, "public:" | "private:" | "protected:")
            || (dialect.has_preprocessor && text.starts_with('#'));
        let closes = line.indent == indent
            && (text.starts_with(['}', ')', ']']) || text == "end" || text.starts_with("end "));
        if !(opens || is_within || closes) {
            break;
        }
        last = at;
        // `) -> Result {` closes the parameters only.
        if closes && !text.ends_with(['{', ':']) {
            break;
        }
    }
    last + 1
}

/// Statements of SQL end with a semicolon that is not in a quoted body.
fn end_of_statement(lines: &[Line<'_>], number: usize) -> usize {
    let mut is_quoted = false;
    for (at, line) in lines.iter().enumerate().skip(number) {
        is_quoted ^= line.text.matches("$$").count() % 2 == 1;
        if !is_quoted && line.text.ends_with(';') {
            return at + 1;
        }
    }
    lines.len()
}
