//! Text that looks like our own structure, kept apart from it.
//!
//! A lead or a section may hold any text: also a line that begins like a heading of ours, like the mark of a merge conflict, or a fence that
//! nobody closes and that would swallow the rest of the file. Such a line is written with a backslash before it, as Markdown has it, and
//! read without. A line that has backslashes there already gets one more, so that reading gives back exactly what was written.
//!
//! Inside a block of code nothing is structure, and nothing is touched.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use super::code::{Endings, Fence, Fences, lines, margin};
use super::split::is_conflict_mark;

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
    let backslashes = |at: usize| line[at..].bytes().take_while(|byte| *byte == b'\\').count();
    let count = backslashes(0);
    let bare = &line[count..];
    if heading(bare).is_some() || is_conflict_mark(bare) {
        return Some((0, count));
    }
    let (at, _) = margin(line);
    let count = backslashes(at);
    let is_fence = Fence::opened_by(&line[at + count..]).is_some_and(|fence| fence.at == 0);
    is_fence.then_some((at, count))
}

/// Prepares a text for its place in a document: line ends are `\n`, blank lines around it are gone, and nothing in it is structure.
pub(super) fn escaped(text: &str) -> String {
    let unix = with_unix_lines(text);
    let trimmed = without_blank_ends(&unix);
    let lines: Vec<&str> = trimmed.split('\n').collect();
    let endings = Endings::of(&lines);
    let mut out = String::with_capacity(trimmed.len() + 8);
    let mut block: Option<Fence> = None;
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        if let Some(fence) = block {
            block = (!fence.is_closed_by(line)).then_some(fence);
            out.push_str(line);
            continue;
        }
        block = Fence::opened_by(line).filter(|fence| endings.has_end(fence, at));
        match guarded(line).filter(|_| block.is_none()) {
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
