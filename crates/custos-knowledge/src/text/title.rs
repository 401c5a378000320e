//! A title as one clean line.
//!
//! A title stands in a list, in a file name, in front matter and in the context of a model. It is one line everywhere, and it holds nothing
//! that a person would not see.
//!
//! What is too long for that is cut, and ends with the beginning of its hash: two titles that only differ after the cut are still two.

use std::borrow::Cow;

use thiserror::Error;
use unicode_normalization::char::is_combining_mark;

use super::slug::{DIGITS, hash_digits};
use super::unseen::{is_joined, is_joiner, is_selector, is_unseen};
use super::words::words;

/// The longest title, in characters.
pub const LONGEST_TITLE: usize = 200;

/// A title that can be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// The title.
    pub title: String,
    /// What was cut off, if it was longer than [`LONGEST_TITLE`]; else nothing.
    pub rest: String,
}

/// Why a title cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TitleProblem {
    /// There is nothing in it that anybody could see.
    #[error(
        "the title is empty: send `title` as one line of at most {LONGEST_TITLE} characters that says what this is about"
    )]
    Empty,
}

/// Makes one line of a title: blanks and line breaks become single spaces, what nobody sees is dropped, and a title that is too long ends
/// with `…` after a whole word, and with what tells it from others that begin alike.
pub fn clean_title(raw: &str) -> Result<Cleaned, TitleProblem> {
    let line = one_line(raw);
    if !line.chars().any(|c| !c.is_whitespace() && !is_selector(c) && !is_combining_mark(c)) {
        return Err(TitleProblem::Empty);
    }
    match cut_off(&line) {
        Some((title, rest)) => Ok(Cleaned { title, rest }),
        None => Ok(Cleaned { title: line, rest: String::new() }),
    }
}

/// Gives the title that a name would be kept as, if it is too long for one: whoever looks for an item may have what it was saved with.
pub(crate) fn as_title(name: &str) -> Cow<'_, str> {
    if name.len() <= LONGEST_TITLE {
        return Cow::Borrowed(name);
    }
    clean_title(name).map_or(Cow::Borrowed(name), |cleaned| Cow::Owned(cleaned.title))
}

impl Cleaned {
    /// Whether it was longer than [`LONGEST_TITLE`].
    pub fn is_shortened(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Puts what was cut off before a text, so that nothing is lost.
    pub fn before(&self, text: &str) -> String {
        match (self.rest.is_empty(), text.is_empty()) {
            (true, _) => text.to_owned(),
            (false, true) => format!("… {}", self.rest),
            (false, false) => format!("… {}\n\n{text}", self.rest),
        }
    }
}

/// Puts a text on one line, without what nobody sees.
pub(super) fn one_line(raw: &str) -> String {
    if is_one_line(raw) {
        return raw.to_owned();
    }
    let mut line = String::with_capacity(raw.len().min(4 * LONGEST_TITLE));
    let mut last = ' ';
    let mut rest = raw.chars().peekable();
    while let Some(c) = rest.next() {
        if c.is_whitespace() {
            if !last.is_whitespace() {
                last = ' ';
                line.push(' ');
            }
            continue;
        }
        let keep = if is_joiner(c) {
            let next = rest.peek().copied().unwrap_or(' ');
            is_joined(last) && is_joined(next)
        } else if is_selector(c) {
            !last.is_whitespace() && !is_selector(last)
        } else {
            !is_unseen(c)
        };
        if keep {
            line.push(c);
            last = c;
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// Says whether a text is sure to be one line already: most titles are plain words with a space between them.
fn is_one_line(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let is_apart = |pair: &[u8]| pair != b"  ";
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~'))
        && bytes.windows(2).all(is_apart)
        && !raw.starts_with(' ')
        && !raw.ends_with(' ')
}

/// Cuts a line that is too long, at a word where there are words.
fn cut_off(line: &str) -> Option<(String, String)> {
    line.char_indices().nth(LONGEST_TITLE)?;
    // Two characters and some digits are for the mark of the cut.
    let (end, _) = line.char_indices().nth(LONGEST_TITLE - 2 - DIGITS)?;
    let middle = line.char_indices().nth(LONGEST_TITLE / 2).map_or(0, |(at, _)| at);
    let word_end = if line[end..].starts_with(' ') { Some(end) } else { line[..end].rfind(' ') };
    let cut = word_end.filter(|at| *at >= middle).unwrap_or_else(|| whole_cluster(line, end, middle));
    let kept = line[..cut]
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '-' | '–' | '—'));
    // Of its words, so that titles which say the same are cut to the same.
    let said = words(line).join(" ");
    let digits = hash_digits(if said.is_empty() { line } else { &said });
    Some((format!("{kept}… {digits}"), line[cut..].trim_start().to_owned()))
}

/// Moves a cut back until it takes no mark away from its letter, and no part from an emoji.
fn whole_cluster(line: &str, end: usize, least: usize) -> usize {
    let clings = |c: char| is_combining_mark(c) || is_selector(c) || is_joiner(c);
    let mut cut = end;
    while let Some(before) = line[..cut].chars().next_back() {
        let torn = line[cut..].starts_with(clings) || is_joiner(before);
        if !torn || cut - before.len_utf8() < least {
            break;
        }
        cut -= before.len_utf8();
    }
    cut
}
