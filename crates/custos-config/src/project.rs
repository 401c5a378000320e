//! Which project a directory belongs to, read from `.git` without starting git.
//!
//! Starting `git` costs a hook several times its whole budget, and git would obey the configuration of a
//! repo that nobody has looked at yet. What is needed is in a handful of small files: where the repo is, what
//! is checked out, and which remote it came from. They are read with bounds, nothing that is not a regular
//! file is opened, and the name of a branch becomes a path only when it cannot leave the repo.
//!
//! The identity is a name, not a proof: a directory can claim any remote. It decides under which project an
//! event is filed, never what is allowed. What a linked working tree belongs to is proven by both sides ([`main_working_tree`]): whoever trusts
//! the one trusts the other.

use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::remote::{origin_url, remote_identity};
use crate::source::{Links, read_small};
use crate::workspace::holds_repos;

/// The project of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The top of the working tree, or the directory itself where there is no repo.
    pub root: PathBuf,
    /// What the project is called everywhere: `host/owner/name` of its remote, else a path; after a move the one that it had, where
    /// [`Names`](crate::Names) knows it.
    pub identity: String,
    /// The repo, if there is one.
    pub repo: Option<Repo>,
}

/// A git repo as it is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    /// The directory of this working tree's `HEAD`.
    pub git_dir: PathBuf,
    /// The directory that all working trees of the repo share.
    pub common_dir: PathBuf,
    /// The remote that it came from or goes to, as `host/owner/name`.
    pub remote: Option<String>,
    /// The branch that is checked out; none if it is a bare commit or cannot be told.
    pub branch: Option<String>,
    /// The commit that is checked out, in hexadecimal; none before the first one or where it cannot be told.
    pub commit: Option<String>,
}

/// The largest of git's small files: `HEAD`, `.git`, `commondir`, a ref.
const LARGEST_POINTER: u64 = 4096;
/// The largest `packed-refs` that is searched; some 100,000 refs.
const LARGEST_PACKED_REFS: u64 = 8 * 1024 * 1024;
/// How often a ref may point to another, as git has it.
const MOST_POINTERS: usize = 5;

impl Project {
    /// Finds the project of an absolute directory, by nothing but its place. A project without a remote is called by its path then: whoever
    /// files something under it, or looks it up, asks [`Names`](crate::Names), which know it after a move as well.
    ///
    /// It is the repo around it, unless several repos of their own lie in it: a home may be under version control, and a workspace in it
    /// is still no part of somebody's dotfiles.
    pub fn by_place(directory: &Path) -> Self {
        match Self::of_working_tree(directory) {
            Some(repo) if repo.root == directory || !holds_repos(directory) => repo,
            _ => Self::of_directory(directory),
        }
    }

    /// Finds the repo that git would work in, in an absolute directory.
    pub fn of_working_tree(directory: &Path) -> Option<Self> {
        directory.ancestors().find_map(|root| Some(Self::of_repo(root, git_dir_of(root)?)))
    }

    /// Gives the project that a directory is by itself, without looking for a repo.
    pub fn of_directory(directory: &Path) -> Self {
        Self { root: directory.to_owned(), identity: path_identity(directory), repo: None }
    }

    fn of_repo(root: &Path, git_dir: PathBuf) -> Self {
        let common_dir = common_dir_of(&git_dir);
        let remote = origin_url(&common_dir.join("config")).and_then(|url| remote_identity(&url));
        let identity = remote.clone().unwrap_or_else(|| path_identity(&common_dir));
        let (branch, commit) = checked_out(&git_dir, &common_dir);
        let repo = Repo { git_dir, common_dir, remote, branch, commit };
        Self { root: root.to_owned(), identity, repo: Some(repo) }
    }
}

/// Tells whether a directory is the top of a working tree.
pub fn is_repo(directory: &Path) -> bool {
    git_dir_of(directory).is_some()
}

/// The git directory of a working tree: `.git`, or where the file `.git` points to.
fn git_dir_of(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    let metadata = fs::metadata(&dot_git).ok()?;
    let git_dir = if metadata.is_dir() {
        dot_git
    } else {
        let pointer = pointer(&dot_git)?;
        below(root, pointer.strip_prefix("gitdir:")?.trim())
    };
    // A directory of that name without HEAD is not a repo; git says so, too.
    fs::metadata(git_dir.join("HEAD")).ok().filter(fs::Metadata::is_file).map(|_| git_dir)
}

/// The directory that a linked working tree shares with its repo.
fn common_dir_of(git_dir: &Path) -> PathBuf {
    match pointer(&git_dir.join("commondir")) {
        Some(path) if !path.is_empty() => below(git_dir, &path),
        _ => git_dir.to_owned(),
    }
}

/// Gives the working tree that a linked one (`git worktree add`) belongs to. A `.git` file may name any directory of the machine, whoever brought
/// it: so the repo that it leads to has to name this very working tree as one of its own.
pub fn main_working_tree(root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    // Mostly it is a directory, or nothing.
    fs::symlink_metadata(&dot_git).ok().filter(fs::Metadata::is_file)?;
    let git_dir = fs::canonicalize(below(root, pointer(&dot_git)?.strip_prefix("gitdir:")?.trim())).ok()?;
    let named = |path: &'_ Path, name: &str| path.file_name().is_some_and(|own| own == name);
    let worktrees = git_dir.parent().filter(|path| named(path, "worktrees"))?;
    let common_dir = worktrees.parent().filter(|path| named(path, ".git"))?;
    let back = fs::canonicalize(below(&git_dir, &pointer(&git_dir.join("gitdir"))?)).ok()?;
    let is_its_own = back == fs::canonicalize(&dot_git).ok()?;
    common_dir.parent().filter(|_| is_its_own).map(Path::to_owned)
}

/// Joins paths and takes out `.` and `..`, so that a repo has the same common directory from everywhere.
fn below(base: &Path, path: &str) -> PathBuf {
    let mut joined = PathBuf::new();
    for component in base.join(path).components() {
        match component {
            Component::ParentDir => {
                joined.pop();
            }
            Component::CurDir => {}
            other => joined.push(other),
        }
    }
    joined
}

/// Reads one of git's small files as one line of text.
fn pointer(path: &Path) -> Option<String> {
    let bytes = read_small(path, LARGEST_POINTER, Links::Follow).ok()??;
    Some(String::from_utf8(bytes).ok()?.trim_end().to_owned())
}

/// The branch and commit of `HEAD`.
fn checked_out(git_dir: &Path, common_dir: &Path) -> (Option<String>, Option<String>) {
    let Some(head) = pointer(&git_dir.join("HEAD")) else { return (None, None) };
    let Some(name) = head.strip_prefix("ref:").map(str::trim) else { return (None, object_id(&head)) };
    if !is_ref_name(name) {
        return (None, None);
    }
    let branch = name.strip_prefix("refs/heads/").map(str::to_owned);
    (branch, resolved(git_dir, common_dir, name))
}

/// Follows a ref to its commit.
fn resolved(git_dir: &Path, common_dir: &Path, name: &str) -> Option<String> {
    let mut name = name.to_owned();
    for _ in 0..MOST_POINTERS {
        // These few belong to one working tree; all others are shared.
        let own = ["refs/worktree/", "refs/bisect/", "refs/rewritten/"];
        let base = if own.iter().any(|prefix| name.starts_with(prefix)) { git_dir } else { common_dir };
        let Some(loose) = pointer(&base.join(&name)) else { return packed(common_dir, &name) };
        match loose.strip_prefix("ref:").map(str::trim) {
            Some(next) if is_ref_name(next) => next.clone_into(&mut name),
            Some(_) => return None,
            None => return object_id(&loose),
        }
    }
    None
}

/// Looks a ref up in `packed-refs`, whose lines are `<object id> <name>`.
fn packed(common_dir: &Path, name: &str) -> Option<String> {
    let bytes = read_small(&common_dir.join("packed-refs"), LARGEST_PACKED_REFS, Links::Follow).ok()??;
    bytes.split(|byte| *byte == b'\n').find_map(|line| {
        let id = line.strip_suffix(name.as_bytes())?.strip_suffix(b" ")?;
        object_id(std::str::from_utf8(id).ok()?)
    })
}

/// Takes a text for an object id if it is one: SHA-1 or SHA-256 in hexadecimal.
fn object_id(text: &str) -> Option<String> {
    let hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (hexadecimal && matches!(text.len(), 40 | 64)).then(|| text.to_ascii_lowercase())
}

/// The longest ref name that is believed.
const LONGEST_REF: usize = 255;

/// Tells whether a text can be a ref, by git's own rules, and so is safe below a git directory.
fn is_ref_name(name: &str) -> bool {
    let fine = |part: &str| {
        // A leading dot covers `..` and reftable's stand-in `.invalid`.
        !part.is_empty() && !part.starts_with('.') && !part.contains("..")
    };
    name.len() <= LONGEST_REF
        && name.starts_with("refs/")
        && name.split('/').all(fine)
        && !name.chars().any(|c| c.is_control() || c.is_whitespace() || "\\:?*[~^".contains(c))
}

/// Spells a path as a name: one line of text, different for different paths whatever bytes they are of.
pub(crate) fn path_identity(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '%' || c.is_control() {
                c.to_string().bytes().for_each(|byte| push_escaped(&mut name, byte));
            } else {
                name.push(c);
            }
        }
        chunk.invalid().iter().for_each(|byte| push_escaped(&mut name, *byte));
    }
    name
}

fn push_escaped(name: &mut String, byte: u8) {
    let _ = write!(name, "%{byte:02X}");
}
