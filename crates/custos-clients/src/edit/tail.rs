//! A chunk of whole lines that is ours, at the end of a text or wherever somebody moved it.
//!
//! The chunk is set off by one blank line. A text without a line end at its end gets a chunk without one, which
//! keeps the habit of the file and tells the way back: from the last byte alone it shows which of the two it was.

use std::ops::Range;

use super::text::{newline_of, split_mark, without_newline};

/// Appends a chunk, given without a line end at its end.
pub(super) fn append(text: &str, chunk: &str) -> String {
    let newline = newline_of(text);
    let (_, body) = split_mark(text);
    if body.is_empty() {
        [text, chunk, newline].concat()
    } else if body.ends_with('\n') {
        [text, newline, chunk, newline].concat()
    } else {
        [text, newline, newline, chunk].concat()
    }
}

/// Cuts the lines of a chunk out, with the blank line that set it off: the inverse of [`append`].
///
/// The range begins at the start of a line and ends before a line end or at the end of the text.
pub(super) fn cut(text: &str, range: Range<usize>) -> String {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let after = after.strip_prefix('\r').unwrap_or(after);
    if split_mark(before).1.is_empty() {
        return [before, after.strip_prefix('\n').unwrap_or(after)].concat();
    }
    let Some(rest) = after.strip_prefix('\n') else {
        return without_newline(without_newline(before)).to_owned();
    };
    // Whatever follows directly would join the paragraph above, were the blank line gone.
    let apart = rest.is_empty() || rest.starts_with(['\n', '\r']);
    let shorter = without_newline(before);
    let blank_line = shorter.is_empty() || shorter.ends_with('\n');
    [if apart && blank_line { shorter } else { before }, rest].concat()
}
