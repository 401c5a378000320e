//! The mark of a project whose `.ai/` was begun on this machine: a random word in `.ai/local/`.
//!
//! Git leaves that directory alone, so the word moves with the project and does not come with a clone. It says nothing by itself: it counts
//! only for whoever has written it down before, and a word that somebody else made up is in no list.

use std::io;
use std::path::Path;

use crate::replace::Draft;
use crate::source::{Links, is_linked_below, read_text};

/// The file with the mark.
const MARK: &str = ".ai/local/made-here";
/// The largest such file that is read.
const LARGEST_MARK: u64 = 256;
/// How many letters a mark has.
const LETTERS: usize = 32;

/// Gives the mark of a root, if it has one. A link to that of another is none.
pub fn mark(root: &Path) -> Option<String> {
    let path = root.join(MARK);
    if is_linked_below(root, &path) {
        return None;
    }
    let text = read_text(&path, LARGEST_MARK, Links::Refuse).ok()??;
    Some(text.trim().to_owned()).filter(|word| is_mark(word))
}

/// Marks a root as begun on this machine, by a word that is drawn at random.
pub fn put_mark(root: &Path, word: [u8; LETTERS / 2]) -> io::Result<String> {
    let path = root.join(MARK);
    if is_linked_below(root, &path) {
        return Err(io::Error::other("a link is in its place"));
    }
    let word: String = word.iter().map(|byte| format!("{byte:02x}")).collect();
    Draft::begin(&path)?.publish(format!("{word}\n").as_bytes())?;
    Ok(word)
}

/// Says whether a word has the form of a mark.
pub fn is_mark(word: &str) -> bool {
    word.len() == LETTERS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}
