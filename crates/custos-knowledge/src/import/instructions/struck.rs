//! A text without what is struck out in it: somebody took it back, and left it for people to see.

use std::borrow::Cow;

use super::pieces::Fence;
use super::spans::{code_spans, is_within};

/// What begins what is struck out, and what ends it.
const MARKS: [(&str, &str); 4] =
    [("~~", "~~"), ("<del>", "</del>"), ("<s>", "</s>"), ("<strike>", "</strike>")];

/// The longest line that is looked through. What is longer is no rule, whatever is struck out in it.
const LONGEST: usize = 8 << 10;

/// Takes what is struck out off the lines that say something else as well. A line of nothing else stays, to be left out as a whole. In code
/// nothing is struck out.
pub(super) fn without_struck(whole: &str) -> Cow<'_, str> {
    if !MARKS.iter().any(|(begin, _)| whole.contains(begin)) {
        return Cow::Borrowed(whole);
    }
    let mut fence = None;
    let line = |line: &str| {
        if let Some(found) = Fence::of(line) {
            fence = found.after(fence);
            return line.to_owned();
        }
        if fence.is_some() || line.len() > LONGEST { line.to_owned() } else { of_line(line) }
    };
    Cow::Owned(whole.split_inclusive('\n').map(line).collect())
}

/// Says whether all of a text is struck out.
pub(super) fn is_struck(text: &str) -> bool {
    MARKS.iter().any(|(begin, end)| {
        text.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end)).is_some_and(|said| !said.is_empty())
    })
}

fn of_line(line: &str) -> String {
    let code = code_spans(line);
    let mut kept = String::with_capacity(line.len());
    let mut at = 0;
    while let Some((begin, end)) = next_struck(line, at, |found| is_within(&code, found)) {
        kept.push_str(line[at..begin].trim_end_matches(' '));
        // One blank stays between what is left on both sides.
        let rest = line[end..].trim_start_matches(' ');
        if !kept.is_empty() && !rest.starts_with(['.', ',', ';', ':', '!', '?']) {
            kept.push(' ');
        }
        at = line.len() - rest.len();
    }
    kept.push_str(&line[at..]);
    let says_something = kept.chars().filter(|c| c.is_alphabetic()).count() > 1;
    if says_something { kept } else { line.to_owned() }
}

/// Finds what is struck out next, with its marks.
fn next_struck(line: &str, from: usize, is_code: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
    let spans = MARKS.iter().filter_map(|(open, close)| {
        let mut begins = line[from..].match_indices(open).map(|(at, _)| from + at);
        let begin = begins.find(|at| !is_code(*at))?;
        let inner = begin + open.len();
        let end = inner + line[inner..].find(close)?;
        (end > inner).then_some((begin, end + close.len()))
    });
    spans.min()
}
