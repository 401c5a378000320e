//! The clones whose `.ai/` the person trusts: one path per line, in `trust` beside the settings.
//!
//! A clone's rules tighten whether it is trusted or not. What trust adds is said elsewhere: that its texts are no longer labelled as
//! foreign, and that git may be run in it without asking. A path that a person named is trusted as it is; another clone in its place would
//! be, too.
//!
//! Nobody named a project whose `.ai/` was begun on this machine. Such a one carries a [mark](custos_config::mark) instead. Its line has the
//! word behind a tab, and holds only where that word is found.
//!
//! A linked working tree (`git worktree add`) is trusted with the one that it belongs to.

use std::io;
use std::path::{Path, PathBuf};

use custos_config::mark::{is_mark, mark};
use custos_config::replace::{Draft, append_private};
use custos_config::shown::shown_path;
use custos_config::source::{Links, read_text};
use custos_config::{Change, ReadError, main_working_tree};
use thiserror::Error;

/// The largest list that is read.
const LARGEST_LIST: u64 = 256 * 1024;

/// Why the list was not changed.
#[derive(Debug, Error)]
pub enum TrustError {
    /// The list cannot be read.
    #[error("{}: {why}; nothing was changed", shown_path(path))]
    Unreadable {
        /// The list.
        path: PathBuf,
        /// Why not.
        why: ReadError,
    },
    /// The path cannot stand in the list.
    #[error("{}: {why}; nothing was changed", shown_path(root))]
    Root {
        /// The path.
        root: PathBuf,
        /// Why not.
        why: &'static str,
    },
    /// The list could not be written.
    #[error("{}: it cannot be written: {why}; nothing was changed", shown_path(path))]
    Unwritable {
        /// The list.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
}

/// Takes a line of the list apart: the root, and the mark that it has to have.
fn parts(line: &str) -> (&str, Option<&str>) {
    match line.rsplit_once('\t').filter(|(_, word)| is_mark(word)) {
        Some((root, word)) => (root, Some(word)),
        None => (line, None),
    }
}

/// The list in a configuration directory.
pub fn file(config: &Path) -> PathBuf {
    config.join("trust")
}

/// Says whether a root is in the list, or the working tree that it belongs to. It is given as it really is, without links; a list that cannot be read trusts nobody.
pub fn is_trusted(list: &Path, root: &Path) -> bool {
    is_listed(list, root) || main_working_tree(root).is_some_and(|main| is_listed(list, &main))
}

/// Says whether a root is in the list itself. Where somebody else's branch may be looked at in a working tree of its own, that says more of the
/// code in it than that the repo is one's own.
pub fn is_listed(list: &Path, root: &Path) -> bool {
    let Ok(Some(text)) = read_text(list, LARGEST_LIST, Links::Follow) else { return false };
    text.lines().map(parts).any(|(of, word)| {
        root.to_str() == Some(of) && word.is_none_or(|word| mark(root).as_deref() == Some(word))
    })
}

/// The roots in the list.
pub fn trusted(list: &Path) -> Result<Vec<PathBuf>, TrustError> {
    let text = read(list)?;
    let mut roots: Vec<PathBuf> = Vec::new();
    for root in text.lines().map(|line| PathBuf::from(parts(line).0)).filter(|root| root.is_absolute()) {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    Ok(roots)
}

/// Adds a root to the list.
pub fn add(list: &Path, root: &Path) -> Result<Change, TrustError> {
    add_line(list, line_of(root)?)
}

/// Adds a root that was begun on this machine: it is trusted as long as it has its mark.
pub fn add_made(list: &Path, root: &Path) -> Result<Change, TrustError> {
    let line = line_of(root)?;
    match mark(root) {
        Some(word) => add_line(list, &format!("{line}\t{word}")),
        None => add_line(list, line),
    }
}

fn add_line(list: &Path, wanted: &str) -> Result<Change, TrustError> {
    let text = read(list)?;
    if text.lines().any(|line| line == wanted) {
        return Ok(Change::Nothing);
    }
    // Appended, so that two who add at once do not lose each other's.
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    append_private(list, &format!("{end}{wanted}\n"))
        .map_err(|why| TrustError::Unwritable { path: list.to_owned(), why })?;
    Ok(Change::Written)
}

/// Removes a root from the list.
pub fn remove(list: &Path, root: &Path) -> Result<Change, TrustError> {
    let root = line_of(root)?;
    let text = read(list)?;
    let rest: String = text
        .split_inclusive('\n')
        .filter(|line| parts(line.trim_end_matches(['\r', '\n'])).0 != root)
        .collect();
    if rest == text {
        return Ok(Change::Nothing);
    }
    write(list, &rest)
}

fn read(list: &Path) -> Result<String, TrustError> {
    let text = read_text(list, LARGEST_LIST, Links::Follow)
        .map_err(|why| TrustError::Unreadable { path: list.to_owned(), why })?;
    Ok(text.unwrap_or_default())
}

fn write(list: &Path, text: &str) -> Result<Change, TrustError> {
    Draft::begin(list)
        .and_then(|draft| draft.publish(text.as_bytes()))
        .map_err(|why| TrustError::Unwritable { path: list.to_owned(), why })?;
    Ok(Change::Written)
}

fn line_of(root: &Path) -> Result<&str, TrustError> {
    let refuse = |why| TrustError::Root { root: root.to_owned(), why };
    let line = root.to_str().ok_or_else(|| refuse("the path is not valid UTF-8"))?;
    if !root.is_absolute() {
        return Err(refuse("the path is not absolute"));
    }
    if line.contains(['\n', '\r']) {
        return Err(refuse("there is a line break in the path"));
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use custos_config::mark::{mark, put_mark};

    use super::{add, add_made, is_listed, is_trusted, remove, trusted};
    use crate::rules::Change;

    #[test]
    fn a_root_is_trusted_from_when_it_is_added_until_it_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let list = home.path().join("config/trust");
        let (one, other) = (Path::new("/src/one"), Path::new("/src/other one"));
        assert!(!is_trusted(&list, one));
        assert_eq!(remove(&list, one).unwrap(), Change::Nothing);
        assert_eq!(
            [add(&list, one), add(&list, other), add(&list, one)].map(Result::unwrap),
            [Change::Written, Change::Written, Change::Nothing]
        );
        assert_eq!(trusted(&list).unwrap(), [one, other].map(PathBuf::from));
        assert!(is_trusted(&list, one) && is_trusted(&list, other) && !is_trusted(&list, Path::new("/src")));
        assert_eq!(remove(&list, one).unwrap(), Change::Written);
        assert!(!is_trusted(&list, one) && is_trusted(&list, other));
    }

    #[test]
    fn one_that_was_begun_here_is_trusted_as_long_as_it_has_its_mark() {
        let home = tempfile::tempdir().unwrap();
        let list = home.path().join("config/trust");
        let (own, aside) = (home.path().join("own"), home.path().join("aside"));
        let word = put_mark(&own, [7; 16]).unwrap();
        assert_eq!(mark(&own), Some(word));
        assert_eq!(add_made(&list, &own).unwrap(), Change::Written);
        assert_eq!(add_made(&list, &own).unwrap(), Change::Nothing);
        assert!(is_trusted(&list, &own));
        // A clone in its place has none, or another one, or would borrow it.
        fs::rename(&own, &aside).unwrap();
        fs::create_dir_all(own.join(".ai")).unwrap();
        assert!(!is_trusted(&list, &own));
        put_mark(&own, [8; 16]).unwrap();
        assert!(!is_trusted(&list, &own));
        #[cfg(unix)]
        {
            fs::remove_dir_all(own.join(".ai/local")).unwrap();
            std::os::unix::fs::symlink(aside.join(".ai/local"), own.join(".ai/local")).unwrap();
            assert!(!is_trusted(&list, &own) && put_mark(&own, [9; 16]).is_err());
        }
        // What a person says goes.
        assert_eq!(add(&list, &own).unwrap(), Change::Written);
        assert!(is_trusted(&list, &own));
        assert_eq!(trusted(&list).unwrap(), std::slice::from_ref(&own));
        assert_eq!(remove(&list, &own).unwrap(), Change::Written);
        assert!(!is_trusted(&list, &own) && trusted(&list).unwrap().is_empty());
    }

    #[test]
    fn a_linked_working_tree_is_trusted_with_the_one_that_it_belongs_to() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let (list, main, side) = (home.join("trust"), home.join("main"), home.join("side"));
        let put = |path: PathBuf, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::File::create(path)
                .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
                .unwrap();
        };
        let admin = main.join(".git/worktrees/side");
        put(side.join(".git"), &format!("gitdir: {}\n", admin.display()));
        put(admin.join("gitdir"), &format!("{}\n", side.join(".git").display()));
        put_mark(&main, [7; 16]).unwrap();
        assert!(!is_trusted(&list, &side));
        add_made(&list, &main).unwrap();
        // Its texts are one's own; the code that is checked out in it may be anybody's.
        assert!(is_trusted(&list, &side) && !is_listed(&list, &side));
        // Whoever only says so of itself is not.
        put(home.join("evil/.git"), &format!("gitdir: {}\n", admin.display()));
        assert!(!is_trusted(&list, &home.join("evil")));
        fs::remove_dir_all(&admin).unwrap();
        assert!(!is_trusted(&list, &side));
    }

    #[test]
    fn what_the_person_wrote_into_the_list_stays() {
        let home = tempfile::tempdir().unwrap();
        let list = home.path().join("trust");
        fs::File::create(&list)
            .and_then(|mut file| std::io::Write::write_all(&mut file, b"# mine\n\n/a\n/b"))
            .unwrap();
        add(&list, Path::new("/c")).unwrap();
        remove(&list, Path::new("/a")).unwrap();
        assert_eq!(fs::read_to_string(&list).unwrap(), "# mine\n\n/b\n/c\n");
        assert_eq!(trusted(&list).unwrap(), [Path::new("/b"), Path::new("/c")]);
    }

    #[test]
    fn a_path_that_cannot_be_a_line_is_refused() {
        let list = Path::new("/nonexistent/trust");
        let said = ["src", "/a\n/b"].map(|root| add(list, Path::new(root)).unwrap_err().to_string());
        assert_eq!(
            said,
            [
                "src: the path is not absolute; nothing was changed",
                "/a\\n/b: there is a line break in the path; nothing was changed"
            ]
        );
    }

    #[test]
    fn a_list_that_is_none_trusts_nobody() {
        let home = tempfile::tempdir().unwrap();
        let list = home.path().join("trust");
        fs::create_dir(&list).unwrap();
        assert!(!is_trusted(&list, Path::new("/a")));
        assert!(add(&list, Path::new("/a")).is_err());
    }
}
