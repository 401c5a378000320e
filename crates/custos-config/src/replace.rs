//! Replaces a file as a whole or not at all.
//!
//! What is new is written into a file that nobody sees yet, and that then gets the name. To make such a file mostly takes no time. But where
//! thousands of files were removed a moment ago, as by a checkout or with a directory of dependencies, ext4 looks at each of them before it finds
//! the place of a new one. Who is not to wait for that keeps some [`Blank`]s ready.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::source::is_absence;

/// A new version of a file that nobody sees yet. Dropped without [`Draft::publish`], it leaves no trace.
#[derive(Debug)]
pub struct Draft {
    sheet: Sheet,
    target: PathBuf,
}

/// What a new version is written on.
#[derive(Debug)]
enum Sheet {
    /// A file with a name of its own, beside the one that is meant.
    Named(NamedTempFile),
    /// One without any.
    Blank(Blank),
}

/// An empty file without a name, made ahead. It goes with the process, unless it gets one.
#[derive(Debug)]
pub struct Blank(File);

impl Blank {
    /// Makes one, on the file system of a directory. Not every system has such files.
    pub fn make(directory: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            let mut options = OpenOptions::new();
            options.read(true).write(true).mode(0o600).custom_flags(libc::O_TMPFILE);
            options.open(directory).map(Self)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = directory;
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// Its number on the file system, by which it is known again once it has a name.
    #[cfg(unix)]
    pub fn number(&self) -> io::Result<u64> {
        use std::os::unix::fs::MetadataExt as _;
        Ok(self.0.metadata()?.ino())
    }

    /// Gives it a name that nothing has.
    fn name(&self, target: &Path) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{AtFlags, CWD, linkat};
            use std::os::fd::AsRawFd as _;
            let file = format!("/proc/self/fd/{}", self.0.as_raw_fd());
            Ok(linkat(CWD, file, CWD, target, AtFlags::SYMLINK_FOLLOW)?)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = target;
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}

impl Sheet {
    fn file(&self) -> &File {
        match self {
            Self::Named(file) => file.as_file(),
            Self::Blank(Blank(file)) => file,
        }
    }
}

impl Draft {
    /// Begins a new version of `path`, in the same directory, which is made if need be. Where `path` is a
    /// link, the file it leads to is the one that will be replaced.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let target = end_of_links(path)?;
        let directory = target.parent().ok_or(io::ErrorKind::InvalidInput)?;
        create_private(directory)?;
        // A temporary file is 0600 from the start, and so is what it becomes.
        let file = tempfile::Builder::new().prefix(".custos-").tempfile_in(directory)?;
        Ok(Self { sheet: Sheet::Named(file), target })
    }

    /// Begins a file that is not there yet on a blank, for [`Draft::write`] and [`Written::name`].
    pub fn begin_on(blank: Blank, path: &Path) -> io::Result<Self> {
        create_private(path.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
        Ok(Self { sheet: Sheet::Blank(blank), target: path.to_owned() })
    }

    /// Gives the new version the permissions of the one that it replaces, for what people share with others; without one it stays for the user
    /// alone. Elsewhere than on Unix a file takes those of its directory.
    pub fn like_the_old(self) -> io::Result<Self> {
        #[cfg(unix)]
        if let Ok(old) = fs::symlink_metadata(&self.target)
            && old.is_file()
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = old.permissions().mode() & 0o777;
            self.sheet.file().set_permissions(fs::Permissions::from_mode(mode))?;
        }
        Ok(self)
    }

    /// The file as it is so far.
    pub fn metadata(&self) -> io::Result<fs::Metadata> {
        self.sheet.file().metadata()
    }

    /// Puts the new version in place. After a crash the file is the old one or the new one, whole; once
    /// this has returned, it is the new one.
    pub fn publish(self, content: &[u8]) -> io::Result<()> {
        sync_directory(&self.publish_owing(content)?)
    }

    /// Puts the new version in place. After a crash the file is the old one or the new one, whole; it is the new one for sure once
    /// [`sync_directory`] was called for the directory that this gives. For whoever writes several files in one go.
    pub fn publish_owing(self, content: &[u8]) -> io::Result<PathBuf> {
        self.sheet.file().write_all(content)?;
        self.sheet.file().sync_all()?;
        let directory = directory_of(&self.target)?;
        self.persist()?;
        Ok(directory)
    }

    /// Writes the new version, which is to be forced to the disk and named later, together with others.
    pub fn write(self, content: &[u8]) -> io::Result<Written> {
        self.sheet.file().write_all(content)?;
        Ok(Written { draft: self, is_forced: Cell::new(false) })
    }

    /// Puts the new version in place without waiting for the disk: for what can be made again.
    pub fn publish_disposable(self, content: &[u8]) -> io::Result<()> {
        self.sheet.file().write_all(content)?;
        self.persist()
    }

    fn persist(self) -> io::Result<()> {
        let named = match self.sheet {
            Sheet::Named(file) => file,
            Sheet::Blank(Blank(file)) => copied(&file, &self.target)?,
        };
        named.persist(&self.target).map(drop).map_err(|error| error.error)
    }
}

/// A file that is written, and that nobody sees yet. Dropped without [`Written::name`], it leaves no trace.
#[derive(Debug)]
pub struct Written {
    draft: Draft,
    /// Whether it is on the disk.
    is_forced: Cell<bool>,
}

impl Written {
    /// Lets the disk begin with it, without waiting. Whoever forces many files does that for all of them first: then the disk takes them in one
    /// go, and each has less to wait for.
    pub fn begin(&self) {
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd as _;
            let file = self.draft.sheet.file().as_raw_fd();
            // SAFETY: the file is open, and nothing is passed by address. What it says about failure shows when the file is forced.
            #[expect(unsafe_code, reason = "neither the standard library nor rustix offers it")]
            unsafe {
                libc::sync_file_range(file, 0, 0, libc::SYNC_FILE_RANGE_WRITE);
            }
        }
    }

    /// Waits until it is on the disk.
    pub fn force(&self) -> io::Result<()> {
        self.draft.sheet.file().sync_all()?;
        self.is_forced.set(true);
        Ok(())
    }

    /// Gives it its name, unless something has that name by now. It has it for sure once [`sync_directory`] was called for the directory that
    /// this gives.
    ///
    /// To look first leaves a moment in which somebody else may take the name. What does both in one step is not to be had on every file
    /// system, or gives the file two names for a moment.
    pub fn name(self) -> io::Result<PathBuf> {
        let directory = directory_of(&self.draft.target)?;
        let is_taken = || io::Error::new(io::ErrorKind::AlreadyExists, "something has that name by now");
        if let Sheet::Blank(blank) = &self.draft.sheet {
            match blank.name(&self.draft.target) {
                // What had no name when it was forced is not on every file system's disk.
                Ok(()) if self.is_forced.get() => {
                    return self.draft.sheet.file().sync_all().map(|()| directory);
                }
                Ok(()) => return Ok(directory),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(is_taken()),
                // The directory is on another file system, or processes are not shown as files here.
                Err(_) => {}
            }
        }
        match fs::symlink_metadata(&self.draft.target) {
            Err(error) if is_absence(&error) => self.draft.persist().map(|()| directory),
            Err(error) => Err(error),
            Ok(_) => Err(is_taken()),
        }
    }

    /// Gives it its name also where something has that name, which goes.
    pub fn replace(self) -> io::Result<PathBuf> {
        let directory = directory_of(&self.draft.target)?;
        self.draft.persist().map(|()| directory)
    }
}

/// Copies a file that got no name into one that has a name beside the one that is meant.
fn copied(mut file: &File, target: &Path) -> io::Result<NamedTempFile> {
    let mut copy = tempfile::Builder::new().prefix(".custos-").tempfile_in(directory_of(target)?)?;
    file.rewind()?;
    io::copy(&mut file, &mut copy)?;
    copy.as_file().sync_all()?;
    Ok(copy)
}

fn directory_of(path: &Path) -> io::Result<PathBuf> {
    Ok(path.parent().ok_or(io::ErrorKind::InvalidInput)?.to_owned())
}

/// The most links that are followed, as the kernel has it.
const MOST_LINKS: usize = 40;

/// Follows links to the path that is not one; it need not exist.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().map_or(next.clone(), |parent| parent.join(next)),
            // Not a link, or nothing at all; anything else shows when the file is written.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many links"))
}

/// Makes a directory and those above it, for the user alone. Once this has returned, those that are new survive a power cut.
pub fn create_private(directory: &Path) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    let new: Vec<&Path> = directory.ancestors().take_while(|part| !part.exists()).collect();
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(directory)?;
    // The names of the new ones stand in the directories above them.
    new.iter().filter_map(|part| part.parent()).try_for_each(sync_directory)
}

/// Appends to a file, which is made for the user alone if need be. It is one write, so that two who append at once do not mix.
pub fn append_private(path: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        create_private(directory)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)?.write_all(text.as_bytes())
}

/// Makes a renaming in `directory` survive a power cut. Elsewhere than on Unix a directory cannot be opened.
///
/// Some file systems, as those that a virtual machine shares with its host, know no way to force a directory, and say that the question
/// makes no sense. There is nothing more to be done there, and nothing has failed.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(directory)?.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        forced => forced,
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::os::unix::fs::MetadataExt::mode(&fs::metadata(path).unwrap()) & 0o777
    }

    #[test]
    fn a_blank_gets_a_name_that_nothing_has() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("below/file.md");
        let write =
            || Draft::begin_on(Blank::make(dir.path()).unwrap(), &path).unwrap().write(b"text").unwrap();
        let (first, second) = (write(), write());
        assert_eq!(fs::read_dir(dir.path().join("below")).unwrap().count(), 0);
        assert_eq!(first.name().unwrap(), dir.path().join("below"));
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"text".to_vec(), 0o600));
        assert_eq!(second.name().unwrap_err().to_string(), "something has that name by now");
        assert_eq!(fs::read_dir(dir.path().join("below")).unwrap().count(), 1);
    }

    #[test]
    fn where_a_blank_gets_no_name_its_copy_does() {
        let dir = tempfile::tempdir().unwrap();
        let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else { return };
        let path = elsewhere.path().join("file.md");
        let Ok(blank) = Blank::make(dir.path()) else { return };
        Draft::begin_on(blank, &path).unwrap().write(b"text").unwrap().name().unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"text".to_vec(), 0o600));
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
    }

    #[test]
    fn where_no_directory_can_be_forced_nothing_has_failed() {
        // The directories of processes are such ones.
        let forced = File::open("/proc/self").unwrap().sync_all();
        assert_eq!(forced.unwrap_err().kind(), io::ErrorKind::InvalidInput);
        sync_directory(Path::new("/proc/self")).unwrap();
        assert_eq!(sync_directory(Path::new("/nowhere")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
