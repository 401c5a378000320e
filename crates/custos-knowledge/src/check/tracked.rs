//! The things of this machine that git takes along all the same.
//!
//! What was committed once, before anybody hid it or by force, git goes on tracking whatever it is told to ignore: it is pushed, and removed where
//! a branch has none of it. Which files these are stands in the repo's index, which is read without starting git; one that cannot be read tells
//! nothing.

use std::fmt::Write as _;

use custos_config::Project;
use custos_config::shown::shown;
use custos_config::source::{Links, read_small};
use memchr::memchr;

use super::trouble::Trouble;
use crate::store::{Level, Store};

/// The largest index that is read: some half a million files.
const LARGEST_INDEX: u64 = 64 << 20;
/// Where an entry has its flags, behind ten numbers about the file and the name of its content.
const FLAGS: usize = 40 + 20;
/// What they say: that there are more of them, and how long the name of the file is.
const EXTENDED: u16 = 0x4000;
const LENGTH: u16 = 0x0fff;

/// Finds what git tracks below the `local/` of a store.
pub(super) fn look(store: &Store) -> Option<Trouble> {
    // The person's own store is in no repo.
    if store.level == Level::User {
        return None;
    }
    let project = Project::of_working_tree(&store.root)?;
    let mut directory = String::new();
    for part in store.root.strip_prefix(&project.root).ok()? {
        write!(directory, "{}/", part.to_str()?).ok()?;
    }
    directory.push_str(".ai/local/");
    let index = read_small(&project.repo?.git_dir.join("index"), LARGEST_INDEX, Links::Follow).ok()??;
    let what = match &below(&directory, &index)?[..] {
        [] => return None,
        [file] => format!("is to stay on this machine, and git tracks {} in it", shown(file)),
        [first, others @ ..] => format!(
            "is to stay on this machine, and git tracks {} in it and {} more",
            shown(first),
            others.len()
        ),
    };
    let next = "`git rm -r --cached .ai/local` in the project's directory, then a commit: the files stay here, and git forgets them from then on";
    Some(Trouble::new("store", "local", 0, what, next))
}

/// Gives the files below a directory that an index names, without that directory. One of version 4, or with hashes of another length, tells nothing.
fn below(directory: &str, index: &[u8]) -> Option<Vec<String>> {
    let (head, mut rest) = index.split_at_checked(12)?;
    let number = |at: usize| Some(u32::from_be_bytes(*head.get(at..)?.first_chunk()?));
    if !head.starts_with(b"DIRC") || !matches!(number(4)?, 2 | 3) {
        return None;
    }
    let mut found = Vec::new();
    for _ in 0..number(8)? {
        let flags = u16::from_be_bytes(*rest.get(FLAGS..)?.first_chunk()?);
        let begin = FLAGS + if flags & EXTENDED == 0 { 2 } else { 4 };
        let end = begin + memchr(0, rest.get(begin..)?)?;
        let name = &rest[begin..end];
        if name.len().min(LENGTH.into()) != usize::from(flags & LENGTH) {
            return None;
        }
        match name.strip_prefix(directory.as_bytes()) {
            Some(file) => found.push(String::from_utf8_lossy(file).into_owned()),
            // They are in order.
            None if name > directory.as_bytes() => break,
            None => {}
        }
        rest = rest.get((end + 1).next_multiple_of(8)..)?;
    }
    Some(found)
}
