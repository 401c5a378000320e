//! The world that the guard judges in: what the disk says about links, branches and repos.

use std::cell::{OnceCell, RefCell};
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use custos_config::Project;
use custos_guard::Files;

/// The largest file whose text the guard reads.
const LARGEST_TEXT: u64 = 256 << 10;

/// The disk, as the guard sees it.
#[derive(Debug, Default)]
pub struct Disk {
    branch: Option<String>,
    /// The repo that was asked for first; nearly always the only one.
    known: OnceCell<(PathBuf, Option<Project>)>,
    /// Where directories really are: a command names many files in few of them.
    real: RefCell<Vec<(PathBuf, Option<PathBuf>)>>,
}

impl Disk {
    /// The disk; with a branch that is taken to be checked out everywhere, for those who ask what would be.
    pub fn new(branch: Option<String>) -> Self {
        Self { branch, ..Self::default() }
    }

    /// The disk, of which the project of one directory is known already.
    pub fn knowing(directory: &Path, project: &Project) -> Self {
        let disk = Self::default();
        // One that is no repo may lie in one, and git finds it.
        if project.repo.is_some() {
            let _ = disk.known.set((directory.to_owned(), Some(project.clone())));
        }
        disk
    }

    /// The repo that git would work in, in a directory.
    fn working_tree(&self, directory: &str) -> Option<Project> {
        let directory = Path::new(directory);
        let find = || Project::of_working_tree(directory);
        let (known, project) = self.known.get_or_init(|| (directory.to_owned(), find()));
        if known == directory { project.clone() } else { find() }
    }
}

impl Disk {
    /// Where a directory really is; asked once.
    fn real_directory(&self, directory: &Path) -> Option<PathBuf> {
        const MOST: usize = 64;
        let mut known = self.real.borrow_mut();
        if let Some((_, real)) = known.iter().find(|(known, _)| known == directory) {
            return real.clone();
        }
        let real = resolve(directory);
        if known.len() < MOST {
            known.push((directory.to_owned(), real.clone()));
        }
        real
    }
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// Says whether a path is there and leads through no link, so that it is its own real path. Most do; and the C library takes memory and
/// several pages of stack for finding that out.
fn is_plain(path: &Path) -> bool {
    let is_clean = cfg!(unix)
        && path.is_absolute()
        && path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    let leads_on = |part: &Path| {
        part.parent().is_none() || fs::symlink_metadata(part).is_ok_and(|metadata| !metadata.is_symlink())
    };
    is_clean && path.ancestors().all(leads_on)
}

/// Follows the links in a path; the part that exists decides where the rest would be.
fn resolve(path: &Path) -> Option<PathBuf> {
    let mut rest = Vec::new();
    for ancestor in path.ancestors() {
        let real = if is_plain(ancestor) {
            Ok(ancestor.components().collect::<PathBuf>())
        } else {
            fs::canonicalize(ancestor)
        };
        match real {
            Ok(mut real) => {
                real.extend(rest.iter().rev());
                return Some(real);
            }
            Err(_) => rest.push(ancestor.file_name()?),
        }
    }
    None
}

impl Files for Disk {
    fn real(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        let real = match (path.parent(), path.file_name()) {
            // One question to the file system where the directory is known already, and the file is no link.
            (Some(parent), Some(name)) if !is_link(path) => self.real_directory(parent)?.join(name),
            _ => resolve(path)?,
        };
        real.into_os_string().into_string().ok()
    }

    fn folds_case(&self, _dir: &str) -> bool {
        // Asking the file system costs a file; these two fold case unless somebody went out of their way.
        cfg!(any(target_os = "macos", windows))
    }

    fn branch(&self, dir: &str) -> Option<String> {
        match &self.branch {
            Some(branch) => Some(branch.clone()),
            None => self.working_tree(dir)?.repo?.branch,
        }
    }

    fn repo(&self, dir: &str) -> Option<String> {
        self.working_tree(dir)?.root.to_str().map(str::to_owned)
    }

    fn text(&self, path: &str) -> Option<String> {
        let metadata = fs::metadata(path)
            .ok()
            .filter(|metadata| metadata.is_file() && metadata.len() <= LARGEST_TEXT)?;
        let mut text = String::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
        fs::File::open(path).ok()?.take(LARGEST_TEXT).read_to_string(&mut text).ok()?;
        Some(text)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests plant files; nothing has to survive a crash")]
    fn the_real_path_is_that_of_the_system_with_and_without_links() {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/b/file"), "").unwrap();
        std::os::unix::fs::symlink("a/b", root.join("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.join("loose")).unwrap();
        let cases = [
            ("a/b/file", "a/b/file"),
            ("a//b/./file", "a/b/file"),
            ("link/file", "a/b/file"),
            ("link/../x", "a/x"),
            ("a/b/new/deeper", "a/b/new/deeper"),
            ("link/new", "a/b/new"),
            ("loose", "loose"),
            ("", ""),
        ];
        for (path, real) in cases {
            let real = root.join(real).components().collect::<PathBuf>();
            assert_eq!(resolve(&root.join(path)), Some(real), "{path}");
        }
        assert_eq!(resolve(Path::new("/")), Some(PathBuf::from("/")));
    }
}
