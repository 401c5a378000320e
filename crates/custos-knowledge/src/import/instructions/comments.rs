//! A text without its comments: what somebody took out of the file for now is no rule.

use std::borrow::Cow;

use super::pieces::{Fence, OWN};

const BEGIN: &str = "<!--";
const END: &str = "-->";

/// Takes the comments of HTML out of a text, also those over several lines. Every line stays where it is, and so does what marks our own part
/// of the file. In code there are no comments.
pub(super) fn without_comments(whole: &str) -> Cow<'_, str> {
    if !whole.contains(BEGIN) {
        return Cow::Borrowed(whole);
    }
    let mut out = String::with_capacity(whole.len());
    let mut fence = None;
    let mut at = 0;
    while at < whole.len() {
        let end = whole[at..].find('\n').map_or(whole.len(), |end| at + end + 1);
        let line = &whole[at..end];
        if let Some(found) = Fence::of(line) {
            fence = found.after(fence);
        }
        let begin = line.find(BEGIN).filter(|begin| fence.is_none() && !is_code(&line[..*begin]));
        let Some(begin) = begin.filter(|_| !OWN.contains(&line.trim())) else {
            out.push_str(line);
            at = end;
            continue;
        };
        let from = at + begin;
        out.push_str(&whole[at..from]);
        let over = whole[from + BEGIN.len()..].find(END).map(|found| from + BEGIN.len() + found + END.len());
        let over = match over {
            Some(over) => over,
            // One without an end hides the rest, if it is the beginning of a line; else it is only text.
            None if line[..begin].trim().is_empty() => whole.len(),
            None => {
                out.push_str(&whole[from..end]);
                at = end;
                continue;
            }
        };
        out.extend(whole[from..over].matches('\n'));
        at = over;
    }
    Cow::Owned(out)
}

/// Says whether what follows stands in code.
fn is_code(before: &str) -> bool {
    before.matches('`').count() % 2 == 1
}
