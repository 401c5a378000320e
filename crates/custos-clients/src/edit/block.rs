//! A marked block in a Markdown file.
//!
//! What an agent reads at its start (`AGENTS.md`, `CLAUDE.md`, …) is prose of the project. Ours stands between two
//! comments that no renderer shows, each on a line of its own; what is between them is replaced as a whole. Whether
//! the markers stand inside a code fence makes no difference.

use std::ops::Range;

use thiserror::Error;

use super::tail;
use super::text::{Spot, newline_of, spliced, split_mark};

/// The line above our block.
pub const BEGIN: &str = "<!-- custos:begin -->";
/// The line below our block.
pub const END: &str = "<!-- custos:end -->";

/// Why a block could not be put or removed. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BlockError {
    /// The block has no end.
    #[error("the block that begins at {at} has no end; add the line `{END}` where it ends")]
    Unclosed {
        /// Where it begins.
        at: Spot,
    },
    /// A block ends that did not begin.
    #[error(
        "a block ends at {at} that did not begin; add the line `{BEGIN}` where it begins, or delete this one"
    )]
    Unopened {
        /// Where it ends.
        at: Spot,
    },
    /// There is more than one block.
    #[error("a second block begins at {at}; delete one of the two")]
    Second {
        /// Where the second one begins.
        at: Spot,
    },
    /// The text to be put holds a marker, so its end could not be found again.
    #[error("the text for the block holds one of its markers")]
    MarkerInside,
}

/// Makes sure that the text holds one block with this body: appended after a blank line, or replaced where it is.
pub fn put(text: Option<&str>, body: &str) -> Result<String, BlockError> {
    let text = text.unwrap_or_default();
    if body.lines().any(|line| is_marker(line, BEGIN) || is_marker(line, END)) {
        return Err(BlockError::MarkerInside);
    }
    let newline = newline_of(text);
    let lines: Vec<&str> = [BEGIN].into_iter().chain(body.trim_end().lines()).chain([END]).collect();
    let block = lines.join(newline);
    Ok(match find(text)? {
        Some(old) => spliced(text, old, &block),
        None => tail::append(text, &block),
    })
}

/// Removes the block. If [`put`] appended it, the text is what it was before, byte for byte.
pub fn remove(text: &str) -> Result<String, BlockError> {
    Ok(match find(text)? {
        Some(block) => tail::cut(text, block),
        None => text.to_owned(),
    })
}

/// Finds the block, from the start of its first line to the end of its last, without the line end.
fn find(text: &str) -> Result<Option<Range<usize>>, BlockError> {
    let (mut start, mut found) = (None, None);
    let mut at = text.len() - split_mark(text).1.len();
    for line in text[at..].split_inclusive('\n') {
        let spot = || Spot::of(text, at);
        if is_marker(line, BEGIN) {
            if start.is_some() || found.is_some() {
                return Err(BlockError::Second { at: spot() });
            }
            start = Some(at);
        } else if is_marker(line, END) {
            let begin = start.take().ok_or_else(|| BlockError::Unopened { at: spot() })?;
            found = Some(begin..at + line.trim_end_matches(['\n', '\r']).len());
        }
        at += line.len();
    }
    match start {
        Some(begin) => Err(BlockError::Unclosed { at: Spot::of(text, begin) }),
        None => Ok(found),
    }
}

fn is_marker(line: &str, marker: &str) -> bool {
    line.trim() == marker
}

#[cfg(test)]
mod tests;
