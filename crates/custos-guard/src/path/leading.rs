//! Where the words of a call lead, whatever its program makes of them.
//!
//! `make -C web deploy` and `pytest web/tests` run something in `web`, which may be a repo with rules of its own. Few programs are known so
//! well that their judge could tell. So every word that is written as a path leads where it leads, and so does the value of an option by which
//! programs are told where to work. It decides nothing by itself: it says whose rules are asked.

use super::{Frame, Place};
use crate::case::Case;
use crate::invocation::Invocation;

/// Options by which programs are told in which directory to work.
const DIRECTORY_OPTIONS: [&str; 10] = [
    "-C",
    "--directory",
    "--dir",
    "--cwd",
    "--prefix",
    "--chdir",
    "-chdir",
    "--project-directory",
    "--project-dir",
    "--working-directory",
];

/// Notes the directories that the words of a call lead to.
pub(crate) fn told(call: &Invocation, case: &mut Case<'_>) {
    // Where it runs elsewhere, our paths mean something else.
    if call.elsewhere.is_some() {
        return;
    }
    let world = case.world;
    let frame = Frame::of(&world, call.cwd.as_deref());
    let mut is_directory = false;
    for arg in &call.argv {
        let word = arg.text();
        let is_value = std::mem::take(&mut is_directory);
        let (word, is_value) = match word.split_once('=') {
            _ if is_value => (word, true),
            Some((option, value)) if word.starts_with('-') => (value, DIRECTORY_OPTIONS.contains(&option)),
            None if DIRECTORY_OPTIONS.contains(&word) => {
                is_directory = true;
                continue;
            }
            // Of short options the value may be attached.
            _ => word.strip_prefix("-C").map_or((word, false), |value| (value, true)),
        };
        let is_path = word.contains('/') && !word.starts_with('-') && !word.contains("://");
        if is_value || is_path {
            Place::of(word, arg.is_glob(), &frame).told(true, case);
        }
    }
}
