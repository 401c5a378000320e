//! Text that looks like our own structure, kept apart from it.
//!
//! A lead or a section may hold any text: also a line that begins like a heading of ours, like the mark of a merge conflict, or a fence that
//! nobody closes and that would swallow the rest of the file. Such a line is written with a backslash before it, as Markdown has it, and
//! read without. A line that has backslashes there already gets one more, so that reading gives back exactly what was written.
//!
//! Inside a block of code nothing is structure, and nothing is touched.
//!
//! A file that has no sections of ours is somebody's Markdown, and is shown as it stands. What joins such a file only must not make it
//! unreadable ([`self_contained`]): its headings stay headings.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use super::code::{Endings, Fence, Fences, lines, margin};
use super::split::{is_conflict_mark, is_conflict_side};

/// Reads a heading: its level, which is 1 or 2, and where its text stands in the line.
pub(super) fn heading(line: &str) -> Option<(usize, Range<usize>)> {
    let behind = line.strip_prefix('#')?.trim_start_matches('#');
    let level = line.len() - behind.len();
    let is_heading = matches!(level, 1 | 2) && (behind.is_empty() || behind.starts_with([' ', '\t']));
    let start = line.len() - behind.trim_start().len();
    is_heading.then(|| (level, start..start + behind.trim().len()))
}

/// Where a line has, or would have, the backslash that keeps it from being structure, and how many stand there.
fn guarded(line: &str) -> Option<(usize, usize)> {
    let count = backslashes(line);
    if heading(&line[count..]).is_some() {
        Some((0, count))
    } else {
        mark_guard(line).or_else(|| fence_guard(line))
    }
}

/// The same for a line that could be the mark of a merge.
pub(crate) fn mark_guard(line: &str) -> Option<(usize, usize)> {
    let count = backslashes(line);
    is_conflict_mark(&line[count..]).then_some((0, count))
}

/// The same for a line that could begin or end a block of code.
pub(crate) fn fence_guard(line: &str) -> Option<(usize, usize)> {
    let (at, _) = margin(line);
    let count = backslashes(&line[at..]);
    let is_fence = Fence::opened_by(&line[at + count..]).is_some_and(|fence| fence.at == 0);
    is_fence.then_some((at, count))
}

fn backslashes(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'\\').count()
}

/// Tells which lines belong to a block of code that ends, its fences included.
pub(crate) fn in_code(lines: &[&str]) -> Vec<bool> {
    let endings = Endings::of(lines);
    let mut block: Option<Fence> = None;
    let mut belongs = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let was_open = block.is_some();
        block = match block {
            Some(fence) => Some(fence).filter(|fence| !fence.is_closed_by(line)),
            None => Fence::opened_by(line).filter(|fence| endings.has_end(fence, at)),
        };
        belongs.push(was_open || block.is_some());
    }
    belongs
}

/// Prepares a text for a file that holds others beside it: a block of code that nobody ended ends with it, and what would be taken for the mark
/// of a merge gets a backslash. A text that was prepared is not changed again.
pub(crate) fn self_contained(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut fences = Fences::default();
    let (mut below_text, mut in_conflict) = (false, false);
    for line in lines(text) {
        let in_code = fences.holds(line.text);
        let is_side = is_conflict_side(line.text) && !in_code;
        if is_side {
            in_conflict = line.text.starts_with('<');
        }
        // Under a line of text it is a heading, unless somebody shows a merge.
        let is_middle = line.text == "=======" && !in_code && (in_conflict || !below_text);
        if is_side || is_middle {
            out.push('\\');
        }
        out.push_str(&text[line.start..line.next]);
        below_text = !line.is_blank();
    }
    if let Some(fence) = fences.open() {
        let newline = if out.ends_with('\n') { "" } else { "\n" };
        out.extend([newline, &fence.closing_line()]);
    }
    out
}

/// Prepares a text for its place in a document: line ends are `\n`, blank lines around it are gone, and nothing in it is structure.
pub(super) fn escaped(text: &str) -> String {
    let unix = with_unix_lines(text);
    let trimmed = without_blank_ends(&unix);
    let lines: Vec<&str> = trimmed.split('\n').collect();
    let in_code = in_code(&lines);
    let mut out = String::with_capacity(trimmed.len() + 8);
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        match guarded(line).filter(|_| !in_code[at]) {
            Some((at, _)) => out.extend([&line[..at], "\\", &line[at..]]),
            None => out.push_str(line),
        }
    }
    out
}

/// Gives back the text that [`escaped`] was made of, from a part of a document.
pub(super) fn unescaped(part: &str) -> Cow<'_, str> {
    let trimmed = without_blank_ends(part);
    if memchr2(b'\\', b'\r', trimmed.as_bytes()).is_none() {
        return Cow::Borrowed(trimmed);
    }
    let mut out = String::with_capacity(trimmed.len());
    let mut fences = Fences::default();
    for line in lines(trimmed) {
        if line.start > 0 {
            out.push('\n');
        }
        let in_code = fences.holds(line.text);
        let line = line.text;
        match guarded(line).filter(|(_, count)| *count > 0 && !in_code) {
            Some((at, _)) => out.extend([&line[..at], &line[at + 1..]]),
            None => out.push_str(line),
        }
    }
    Cow::Owned(out)
}

/// Takes blank lines off both ends; the indentation of the first line stays.
fn without_blank_ends(text: &str) -> &str {
    without_blank_start(text).trim_end()
}

/// Takes blank lines off the beginning; the indentation of the first line stays.
pub(super) fn without_blank_start(text: &str) -> &str {
    let start = lines(text).find(|line| !line.is_blank()).map_or(text.len(), |line| line.start);
    &text[start..]
}

fn with_unix_lines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}
