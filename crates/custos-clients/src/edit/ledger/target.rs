//! A file of somebody else: found behind its links, read whole, replaced whole.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::LedgerError;

/// Who may read a file that is new. A file that is there keeps its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewFile {
    /// Only its owner (0600, directories 0700): settings, which may come to hold keys.
    Private,
    /// Everybody (0644, directories 0755): prose in a repository.
    Shared,
}

/// The most links that are followed, as the kernel has it.
const MOST_LINKS: usize = 40;

/// A file, or the place of one.
#[derive(Debug)]
pub(super) struct Target {
    /// The file itself, behind all links.
    pub(super) path: PathBuf,
    content: Option<(Vec<u8>, Metadata)>,
}

/// A new version of a file that nobody sees yet. Dropped, it leaves no trace.
pub(super) struct Draft<'t> {
    target: &'t Target,
    file: NamedTempFile,
}

impl Target {
    /// Finds and reads the file that a path leads to.
    pub(super) fn find(file: &Path) -> Result<Self, LedgerError> {
        check_absolute(file)?;
        let unreadable = |why| LedgerError::Unreadable { path: file.to_owned(), why };
        let path = behind_links(file).map_err(unreadable)?;
        let content = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => Some((fs::read(&path).map_err(unreadable)?, metadata)),
            Ok(_) => return Err(LedgerError::NotAFile { path }),
            Err(why) if why.kind() == io::ErrorKind::NotFound => None,
            Err(why) => return Err(unreadable(why)),
        };
        Ok(Self { path, content })
    }

    /// What the file says; nothing if it is not there.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        self.content.as_ref().map(|(bytes, _)| bytes.as_slice())
    }

    /// What the file says, as text.
    pub(super) fn text(&self) -> Result<Option<&str>, LedgerError> {
        let text = self.bytes().map(str::from_utf8).transpose();
        text.map_err(|_| LedgerError::NotText { path: self.path.clone() })
    }

    /// Refuses a file or a directory that is read-only for everybody: root could write it, and must not.
    pub(super) fn check_writable(&self) -> Result<(), LedgerError> {
        let refuse = |path: &Path| Err(LedgerError::ReadOnly { path: path.to_owned() });
        if self.content.as_ref().is_some_and(|(_, metadata)| metadata.permissions().readonly()) {
            return refuse(&self.path);
        }
        // Elsewhere than on Unix the flag of a directory means something else.
        let directory =
            self.path.ancestors().skip(1).find_map(|above| Some((above, fs::metadata(above).ok()?)));
        match directory {
            Some((above, metadata)) if cfg!(unix) && metadata.permissions().readonly() => refuse(above),
            _ => Ok(()),
        }
    }

    /// Makes the directories above the file that are missing, and says which, from the top.
    pub(super) fn make_parents(&self, new_file: NewFile) -> Result<Vec<PathBuf>, LedgerError> {
        let missing: Vec<_> = self.path.ancestors().skip(1).take_while(|above| !above.exists()).collect();
        let mut made = Vec::new();
        for directory in missing.into_iter().rev() {
            if let Err(why) = directory_builder(new_file).create(directory) {
                remove_empty(&made);
                return Err(LedgerError::Unwritable { path: directory.to_owned(), why });
            }
            made.push(directory.to_owned());
        }
        Ok(made)
    }

    /// Prepares a new version beside the file, with its mode and owner.
    pub(super) fn draft(&self, bytes: &[u8], new_file: NewFile) -> Result<Draft<'_>, LedgerError> {
        let prepare = || {
            let directory = self.path.parent().ok_or(io::ErrorKind::InvalidInput)?;
            let mut file = NamedTempFile::new_in(directory)?;
            file.write_all(bytes)?;
            self.give_mode(file.as_file(), new_file)?;
            file.as_file().sync_all()?;
            Ok(Draft { target: self, file })
        };
        prepare().map_err(|why| self.unwritable(why))
    }

    #[cfg(unix)]
    fn give_mode(&self, draft: &File, new_file: NewFile) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
        let Some((_, old)) = &self.content else {
            let mode = match new_file {
                NewFile::Private => 0o600,
                NewFile::Shared => 0o644,
            };
            return draft.set_permissions(fs::Permissions::from_mode(mode));
        };
        let new = draft.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            fchown(draft, Some(old.uid()), Some(old.gid()))?;
        }
        // After the owner, as a change of owner takes some bits away.
        draft.set_permissions(old.permissions())
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the twin on Unix needs both")]
    fn give_mode(&self, _draft: &File, _new_file: NewFile) -> io::Result<()> {
        Ok(())
    }

    /// Deletes the file; a link that led to it stays.
    pub(super) fn delete(&self) -> Result<(), LedgerError> {
        self.check_unchanged()?;
        fs::remove_file(&self.path).map_err(|why| self.unwritable(why))
    }

    /// Refuses to write over what somebody else wrote since the file was read.
    fn check_unchanged(&self) -> Result<(), LedgerError> {
        let now = match fs::read(&self.path) {
            Ok(bytes) => Some(bytes),
            Err(why) if why.kind() == io::ErrorKind::NotFound => None,
            Err(why) => return Err(LedgerError::Unreadable { path: self.path.clone(), why }),
        };
        let same = now.as_deref() == self.bytes();
        if same { Ok(()) } else { Err(LedgerError::ChangedMeanwhile { path: self.path.clone() }) }
    }

    fn unwritable(&self, why: io::Error) -> LedgerError {
        LedgerError::Unwritable { path: self.path.clone(), why }
    }
}

impl Draft<'_> {
    /// Puts the new version in place. After a crash the file is the old one or the new one, whole; once this has
    /// returned, it is the new one.
    pub(super) fn publish(self) -> Result<(), LedgerError> {
        self.target.check_unchanged()?;
        let path = &self.target.path;
        self.file.persist(path).map_err(|error| self.target.unwritable(error.error))?;
        // The file is in place; that a power cut might undo it is no reason to say that it is not.
        let _ = path.parent().map(sync_directory);
        Ok(())
    }
}

/// Refuses a path that depends on the working directory.
pub(super) fn check_absolute(path: &Path) -> Result<(), LedgerError> {
    if path.is_absolute() { Ok(()) } else { Err(LedgerError::Relative { path: path.to_owned() }) }
}

/// Follows links to the file that is none, which need not exist. The directories above it are resolved, too, so that a file has one
/// name only.
fn behind_links(file: &Path) -> io::Result<PathBuf> {
    let mut path = file.to_owned();
    for _ in 0..MOST_LINKS {
        // Not a link, or nothing at all; anything else shows when the file is read.
        let Ok(next) = fs::read_link(&path) else { return Ok(with_real_directory(path)) };
        path = path.parent().map_or(next.clone(), |parent| parent.join(next));
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many links"))
}

fn with_real_directory(path: PathBuf) -> PathBuf {
    let there = path.ancestors().skip(1).find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    let real = there.and_then(|(above, real)| Some(real.join(path.strip_prefix(above).ok()?)));
    real.unwrap_or(path)
}

/// Removes the directories that are empty, from the bottom, and says which are left.
pub(super) fn remove_empty(directories: &[PathBuf]) -> Vec<PathBuf> {
    let mut deepest_first = directories.to_vec();
    deepest_first.sort_by_key(|directory| std::cmp::Reverse(directory.components().count()));
    deepest_first.retain(|directory| fs::remove_dir(directory).is_err() && directory.exists());
    deepest_first
}

/// Makes a directory that only its owner may enter, and those above it.
pub(super) fn make_private(directory: &Path) -> io::Result<()> {
    directory_builder(NewFile::Private).recursive(true).create(directory)
}

fn directory_builder(new_file: NewFile) -> DirBuilder {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(match new_file {
            NewFile::Private => 0o700,
            NewFile::Shared => 0o755,
        });
    }
    #[cfg(not(unix))]
    let _ = new_file;
    builder
}

/// Makes a renaming in `directory` survive a power cut. Elsewhere than on Unix a directory cannot be opened.
pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}
