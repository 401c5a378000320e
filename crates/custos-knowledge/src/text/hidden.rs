//! What nobody is shown of a text: secrets, and what stands between private tags.
//!
//! A tag that nobody closed hides what follows, for its end may have been forgotten. But people also write about such tags, and a decision of
//! which everything behind its first sentence is gone tells nobody anything. So it reaches to the end of the part that it is in, as a block
//! of code without an end does. One that is closed hides all that is between, in whatever part it ends, and so does one behind which there is
//! an end too few: nobody can tell which of the tags it closes.

use std::borrow::Cow;
use std::ops::Range;

use custos_redact::{Finding, MARKER_CLOSE, MARKER_OPEN, PRIVATE, find, redact};

use super::escape::self_contained;

/// The most tags of a text that end with their part although nobody closed them. For each of them the rest of the text is read once more; the
/// one behind them reaches to the end of the text.
const MOST_UNCLOSED: usize = 16;

/// Gives a text without what is secret or private in it. `end_behind` says where the part ends that a place of the text is in.
pub(super) fn hidden(text: &str, end_behind: impl Fn(usize) -> usize) -> Cow<'_, str> {
    let clean = redact(text);
    if matches!(clean, Cow::Borrowed(_)) {
        return clean;
    }
    let (mut out, mut from) = (String::new(), 0);
    for _ in 0..MOST_UNCLOSED {
        let rest = &text[from..];
        let Some(begin) = unclosed(rest) else { break };
        let Some(part) = rest.get(..end_behind(from + begin).saturating_sub(from)) else { break };
        // The line that ends a part is not private, and the next one begins in a line of its own.
        let part = part.trim_end();
        // The tag itself may go over the end of a part; then nobody can tell where it would end.
        if !find(part).last().is_some_and(|last| last.kind == PRIVATE && last.range == (begin..part.len())) {
            break;
        }
        if has_stray_end(&rest[part.len()..]) {
            break;
        }
        // It may have swallowed the end of a block of code.
        out.push_str(&self_contained(&redact(part)));
        from += part.len();
    }
    if from == 0 {
        return clean;
    }
    out.push_str(&redact(&text[from..]));
    Cow::Owned(out)
}

/// Finds the private tag that nobody closed: the first of them, for nothing is read behind it.
fn unclosed(text: &str) -> Option<usize> {
    let reaches = |last: &Finding, text: &str| last.kind == PRIVATE && last.range.end == text.len();
    find(text).pop().filter(|last| reaches(last, text))?;
    // One that is closed by the last word of the text would not reach any further.
    let longer = [text, "\n"].concat();
    find(&longer).pop().filter(|last| reaches(last, &longer)).map(|last| last.range.start)
}

/// Says whether a text closes a private tag that it does not begin.
fn has_stray_end(text: &str) -> bool {
    const TAG: &str = "<private>";
    let begun = [TAG, text, "\n"].concat();
    find(&begun).first().is_some_and(|first| first.range.start == 0 && first.range.end < begun.len())
}

/// What stands in the place of a part of which nobody can show anything.
pub(crate) fn marker() -> String {
    [MARKER_OPEN, PRIVATE, MARKER_CLOSE].concat()
}

/// Something private that goes over several lines.
#[derive(Debug)]
pub(crate) struct PrivatePassage {
    pub(crate) range: Range<usize>,
    /// Whether somebody said where it ends.
    pub(crate) is_closed: bool,
}

/// Finds what is private over several lines.
pub(crate) fn passages(text: &str) -> Vec<PrivatePassage> {
    // What has nothing private in it is looked through for that one word only.
    if memchr::memmem::find(text.to_ascii_lowercase().as_bytes(), PRIVATE.as_bytes()).is_none() {
        return Vec::new();
    }
    let longer = [text, "\n"].concat();
    let private = find(&longer).into_iter().filter(|found| found.kind == PRIVATE);
    let passage = |Finding { range, .. }| PrivatePassage { is_closed: range.end <= text.len(), range };
    private.map(passage).filter(|passage| longer[passage.range.clone()].trim_end().contains('\n')).collect()
}

/// Says whether a private passage that is closed begins or ends in a part, and is not within it: then nobody can tell what of the part it hides.
pub(crate) fn cuts(passages: &[PrivatePassage], part: &Range<usize>) -> bool {
    passages.iter().filter(|passage| passage.is_closed).any(|PrivatePassage { range, .. }| {
        let overlaps = range.start < part.end && part.start < range.end;
        overlaps && !(part.start <= range.start && range.end <= part.end)
    })
}
