//! The mark of a project whose `.ai/` was begun on this machine: a random word in `.ai/local/`.
//!
//! Git leaves that directory alone, so the word moves with the project and does not come with a clone. It says nothing by itself: it counts
//! only for whoever has written it down before, and a word that somebody else made up is in no list.
//!
//! `git clean -x` takes the directory away, and a project does not become somebody else's thereby: so a repo has a copy of the word in its
//! `.git`, which does not come with a clone either. It counts as long as the `.ai/` is the one that was marked: who takes that away and gets
//! another's has somebody else's.

use std::fs;
use std::io;
use std::path::Path;

use crate::names::born_at;
use crate::replace::Draft;
use crate::source::{Links, is_absence, is_linked_below, read_text};

/// The file with the mark.
const MARK: &str = ".ai/local/made-here";
/// The copy in a repo.
const COPY: &str = ".git/custos-made-here";
/// The directory in which it is, where a repo is no working tree of another.
const GIT: &str = ".git";
/// What was marked.
const MARKED: &str = ".ai";
/// The largest such file that is read.
const LARGEST_MARK: u64 = 256;
/// How many letters a mark has.
const LETTERS: usize = 32;

/// Gives the mark of a root, if it has one. A link to that of another is none.
pub fn mark(root: &Path) -> Option<String> {
    let [own, copy] = [MARK, COPY].map(|file| root.join(file));
    if is_linked_below(root, &own) {
        return None;
    }
    read_mark(&own).or_else(|| read_copy(root, &copy))
}

fn read_mark(path: &Path) -> Option<String> {
    let text = read_text(path, LARGEST_MARK, Links::Refuse).ok()??;
    Some(text.trim().to_owned()).filter(|word| is_mark(word))
}

/// Reads the copy: the word, and which directory was marked by it.
fn read_copy(root: &Path, copy: &Path) -> Option<String> {
    let text = read_text(copy, LARGEST_MARK, Links::Refuse).ok()?.filter(|_| !is_linked_below(root, copy))?;
    let (word, marked) = text.trim().split_once(' ')?;
    (is_mark(word) && born_at(&root.join(MARKED))? == marked).then(|| word.to_owned())
}

/// Takes the mark off a root.
pub fn remove_mark(root: &Path) -> io::Result<()> {
    for path in [MARK, COPY].map(|file| root.join(file)) {
        if is_linked_below(root, &path) {
            continue;
        }
        match fs::remove_file(&path) {
            Err(error) if !is_absence(&error) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Marks a root as begun on this machine, by a word that is drawn at random.
pub fn put_mark(root: &Path, word: [u8; LETTERS / 2]) -> io::Result<String> {
    let path = root.join(MARK);
    if is_linked_below(root, &path) {
        return Err(io::Error::other("a link is in its place"));
    }
    let word: String = word.iter().map(|byte| format!("{byte:02x}")).collect();
    Draft::begin(&path)?.publish(format!("{word}\n").as_bytes())?;
    let copy = root.join(COPY);
    if let Some(marked) = born_at(&root.join(MARKED))
        && root.join(GIT).is_dir()
        && !is_linked_below(root, &copy)
    {
        // Without it the mark is as good, until somebody cleans up.
        let line = format!("{word} {marked}\n");
        let _: io::Result<()> =
            Draft::begin(&copy).and_then(|draft| draft.publish_disposable(line.as_bytes()));
    }
    Ok(word)
}

/// Says whether a word has the form of a mark.
pub fn is_mark(word: &str) -> bool {
    word.len() == LETTERS && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn repo(dir: &tempfile::TempDir, name: &str) -> PathBuf {
        let root = dir.path().join(name);
        fs::create_dir_all(root.join(".git")).unwrap();
        root
    }

    #[test]
    fn a_repo_that_was_cleaned_is_still_ones_own() {
        let dir = tempfile::tempdir().unwrap();
        let root = repo(&dir, "own");
        let word = put_mark(&root, [7; 16]).unwrap();
        fs::remove_dir_all(root.join(".ai/local")).unwrap();
        assert_eq!(mark(&root), Some(word));
        // What is in the directory itself counts for more.
        let other = put_mark(&root, [8; 16]).unwrap();
        assert_eq!(mark(&root), Some(other));
        // A clone has neither, and neither has another's `.ai` that comes in its place.
        assert_eq!(mark(&repo(&dir, "clone")), None);
        fs::remove_dir_all(root.join(".ai")).unwrap();
        fs::create_dir(root.join(".ai")).unwrap();
        assert_eq!(mark(&root), None);
    }

    #[test]
    fn a_mark_that_is_taken_off_is_gone_with_its_copy() {
        let dir = tempfile::tempdir().unwrap();
        let root = repo(&dir, "own");
        remove_mark(&root).unwrap();
        put_mark(&root, [7; 16]).unwrap();
        remove_mark(&root).unwrap();
        assert_eq!((mark(&root), root.join(COPY).exists()), (None, false));
    }

    #[test]
    fn the_copy_of_another_repo_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let (own, other) = (repo(&dir, "own"), dir.path().join("other"));
        fs::create_dir_all(&other).unwrap();
        put_mark(&own, [7; 16]).unwrap();
        let copy = fs::read_to_string(own.join(COPY)).unwrap();
        std::os::unix::fs::symlink(own.join(".git"), other.join(".git")).unwrap();
        assert_eq!(mark(&other), None);
        put_mark(&other, [8; 16]).unwrap();
        remove_mark(&other).unwrap();
        assert_eq!(fs::read_to_string(own.join(COPY)).unwrap(), copy);
    }
}
