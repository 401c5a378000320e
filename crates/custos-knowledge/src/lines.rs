//! The lines of a file that several items share, and that is changed in place.
//!
//! `questions.md` and `worklog.md` hold many items each, and whatever people wrote between them. A change is put between two lines of such a
//! file; all other bytes stay, also the way in which its lines end.

use std::ops::Range;

/// A line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Where it begins, in bytes.
    pub(crate) start: usize,
    /// What it says, without its end.
    pub(crate) text: &'a str,
    /// Where the next one begins.
    pub(crate) end: usize,
}

impl Line<'_> {
    /// Says whether there is nothing in it.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Gives the lines of a part of a text.
pub(crate) fn lines(text: &str, part: Range<usize>) -> impl Iterator<Item = Line<'_>> {
    let mut next = part.start;
    text[part].split_inclusive('\n').map(move |whole| {
        let start = next;
        next += whole.len();
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        Line { start, text: line.strip_suffix('\r').unwrap_or(line), end: next }
    })
}

/// Gives the end of the last line of a part that says anything, or the beginning of the part.
pub(crate) fn end_of_text(text: &str, part: Range<usize>) -> usize {
    let start = part.start;
    lines(text, part).filter(|line| !line.is_blank()).last().map_or(start, |line| line.end)
}

/// Puts whole lines between two lines of a text, in its own line ends.
pub(crate) fn insert(text: &str, at: usize, lines: &str) -> String {
    let newline = newline(text);
    let (before, after) = text.split_at(at);
    // The last line of a file need not have an end.
    let end = if before.is_empty() || before.ends_with('\n') { "" } else { newline };
    [before, end, &lines.replace('\n', newline), after].concat()
}

/// What a line of a text ends with.
fn newline(text: &str) -> &'static str {
    let crlf = text.find('\n').is_some_and(|at| text[..at].ends_with('\r'));
    if crlf { "\r\n" } else { "\n" }
}
