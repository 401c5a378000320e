//! What stands between the values: space, line ends and comments.

use std::ops::Range;

/// One piece of what stands between the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trivia {
    Space,
    Newline,
    LineComment,
    BlockComment,
}

impl Trivia {
    pub(super) fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }
}

/// Goes over the trivia from a byte on, up to the first thing that is none.
///
/// It agrees with the parser on what a line end is: a lone carriage return is not one, and so does not end a comment. At the
/// end of a comment it counts as space, for a line end that is put behind it would swallow it.
pub(super) fn trivia(text: &str, from: usize) -> impl Iterator<Item = (Trivia, Range<usize>)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let (kind, length) = if rest.starts_with("//") {
            let line = rest.split('\n').next().unwrap_or_default();
            (Trivia::LineComment, line.trim_end_matches('\r').len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (Trivia::BlockComment, comment.find("*/")? + "/**/".len())
        } else if let length @ 1.. = newline_length(rest) {
            (Trivia::Newline, length)
        } else {
            let is_space =
                |&(at, char): &(usize, char)| char.is_whitespace() && newline_length(&rest[at..]) == 0;
            let (last, char) = rest.char_indices().take_while(is_space).last()?;
            (Trivia::Space, last + char.len_utf8())
        };
        let range = at..at + length;
        at = range.end;
        Some((kind, range))
    })
}

fn newline_length(text: &str) -> usize {
    if text.starts_with('\n') { 1 } else { usize::from(text.starts_with("\r\n")) * 2 }
}

/// Where the trivia from a byte on ends.
pub(super) fn after_trivia(text: &str, from: usize) -> usize {
    trivia(text, from).last().map_or(from, |(_, range)| range.end)
}

/// The comma after a value, wherever it stands.
pub(super) fn comma_after(text: &str, end: usize) -> Option<usize> {
    let next = after_trivia(text, end);
    text[next..].starts_with(',').then_some(next)
}

/// The last comment between two bytes that have nothing but trivia between them.
pub(super) fn last_comment(text: &str, range: Range<usize>) -> Option<(Trivia, Range<usize>)> {
    let within = trivia(text, range.start).take_while(|(_, found)| found.end <= range.end);
    within.filter(|(kind, _)| kind.is_comment()).last()
}
