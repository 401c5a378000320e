//! What git would not look at.
//!
//! The crate `ignore` matches the patterns. Its own walk is not used: it opens every `.gitignore` it meets, whatever that is, and a
//! clone may bring one that is a link to a device without end. Here rules are read like everything else: small regular files only.

use std::path::Path;
use std::rc::Rc;

use custos_config::source::{Links, read_small};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The largest file of rules that is read.
const LARGEST: u64 = 64 * 1024;
/// The most rules of one file; each is compiled.
const MOST_RULES: usize = 2000;

/// The rules of a folder, and through it those of the folders above.
pub(super) struct Ignored {
    above: Option<Rc<Ignored>>,
    /// How much of a path from the root is the folder's own, with its `/`.
    prefix: usize,
    rules: Gitignore,
}

impl Ignored {
    /// Reads the rules of a folder; where it has none, those above hold unchanged.
    pub(super) fn below(above: Option<&Rc<Self>>, root: &Path, folder: &str) -> Option<Rc<Self>> {
        let directory = root.join(folder);
        let mut builder = GitignoreBuilder::new("");
        let mut found = take(&mut builder, &directory.join(".gitignore"));
        if folder.is_empty() {
            found |= take(&mut builder, &directory.join(".git/info/exclude"));
        }
        let above = above.cloned();
        match builder.build() {
            Ok(rules) if found && !rules.is_empty() => {
                let prefix = if folder.is_empty() { 0 } else { folder.len() + 1 };
                Some(Rc::new(Self { above, prefix, rules }))
            }
            _ => above,
        }
    }

    /// Tells whether a path from the root is ignored, given that the folders on the way to it are not.
    pub(super) fn holds(&self, path: &str, is_folder: bool) -> bool {
        match self.rules.matched(path.get(self.prefix..).unwrap_or(path), is_folder) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => self.above.as_ref().is_some_and(|above| above.holds(path, is_folder)),
        }
    }
}

/// Tells whether git leaves a folder out that lies at the root of its repo.
pub fn is_ignored(root: &Path, folder: &str) -> bool {
    Ignored::below(None, root, "").is_some_and(|rules| rules.holds(folder, true))
}

fn take(builder: &mut GitignoreBuilder, file: &Path) -> bool {
    let Ok(Some(bytes)) = read_small(file, LARGEST, Links::Refuse) else { return false };
    for line in String::from_utf8_lossy(&bytes).lines().take(MOST_RULES) {
        // A rule that cannot be understood ignores nothing, as in git.
        let _ = builder.add_line(None, line);
    }
    true
}
