//! What is kept as it is, but without secrets: files that have no place of their own, and the originals of items that say less.
//!
//! A store has no file that is larger than what is read again. So a large one is kept in parts, cut between two lines.

use std::collections::HashMap;

use custos_config::shown::shown;

use super::Remark;
use super::ahead::Ahead;
use super::tree::{Flaw, LARGEST_FILE, Tree, Unread};
use crate::store::LARGEST;

/// How much is kept as it is, of all trees that go to one store. Nobody wants more in git.
const MOST: usize = 128 << 20;

/// What is kept as it is.
#[derive(Debug, Default)]
pub(super) struct Aside {
    /// What people are told of it.
    pub(super) told: Vec<Remark>,
    /// Where each file is kept, or why it is not.
    places: HashMap<String, Result<String, Unread>>,
    taken: usize,
}

impl Aside {
    /// Gives where a file is kept, if that is settled.
    pub(super) fn known(&self, origin: &str) -> Option<Result<String, Unread>> {
        self.places.get(origin).cloned()
    }

    /// Settles where a file is kept.
    pub(super) fn know(&mut self, origin: String, place: Result<String, Unread>) -> Result<String, Unread> {
        self.places.insert(origin, place.clone());
        place
    }

    /// Reads a file that is to be kept, and says what had to be replaced in it.
    pub(super) fn read(&mut self, tree: &Tree, file: &str) -> Result<(String, &'static str), Unread> {
        let mended = tree.read_mended(file, LARGEST_FILE)?;
        self.taken = self.taken.saturating_add(mended.text.len());
        if self.taken > MOST {
            let why = format!("there is more than {} MB to be kept as it is", MOST >> 20);
            return Err(Unread { why, flaw: Flaw::Large });
        }
        let broken = if mended.broken.is_some() { " with its broken bytes replaced" } else { "" };
        Ok((mended.text, broken))
    }
}

/// Says where a file is kept. Handoffs, plans and the journal are nobody else's business.
pub(super) fn place(file: &str, prefix: &str) -> String {
    let is_private = ["plans/", "worklog"].iter().any(|private| file.starts_with(private));
    let place = if is_private { "local/axme" } else { "archive/axme" };
    format!("{place}/{prefix}{file}")
}

/// Plans to write a text, in parts if it has to be, and says where. What is there stays.
pub(super) fn keep(ahead: &mut Ahead<'_>, target: &str, text: &str) -> String {
    let parts = parts(text);
    let count = parts.len();
    let name = |at: usize| if count == 1 { target.to_owned() } else { part_name(target, at) };
    for (part, at) in parts.into_iter().zip(1..) {
        if ahead.is_free(&name(at)) {
            ahead.keep(name(at), part.to_owned(), Vec::new());
        }
    }
    match count {
        1 => shown(target),
        _ => format!("{} to {}", shown(&name(1)), shown(&name(count))),
    }
}

fn parts(text: &str) -> Vec<&str> {
    let largest = usize::try_from(LARGEST).unwrap_or(usize::MAX);
    let (mut parts, mut rest) = (Vec::new(), text);
    while rest.len() > largest {
        let end = rest.floor_char_boundary(largest);
        let (part, behind) = rest.split_at(rest[..end].rfind('\n').map_or(end, |at| at + 1));
        parts.push(part);
        rest = behind;
    }
    parts.push(rest);
    parts
}

/// Names a part of a file: `worklog.part-2.jsonl`.
fn part_name(target: &str, at: usize) -> String {
    let (directory, name) = target.rsplit_once('/').unwrap_or(("", target));
    let (stem, ending) =
        name.rsplit_once('.').map_or((name, String::new()), |(stem, e)| (stem, format!(".{e}")));
    format!("{directory}/{stem}.part-{at}{ending}")
}
