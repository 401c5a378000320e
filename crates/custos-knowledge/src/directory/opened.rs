//! A directory that is open: the way to it is walked once for all of its files.

use std::path::Path;

use crate::version::{Seen, Version};

/// A directory that is open. Whoever clones it shares it.
#[derive(Debug, Clone)]
pub(crate) struct Opened(
    #[cfg(unix)] std::sync::Arc<rustix::fd::OwnedFd>,
    #[cfg(not(unix))] std::path::PathBuf,
);

#[cfg(unix)]
impl Opened {
    /// Opens a directory; a link to one is none.
    pub(super) fn at(path: &Path) -> Option<Self> {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        open(path, flags, Mode::empty()).ok().map(|open| Self(open.into()))
    }

    /// Takes its version.
    pub(super) fn version(&self) -> Option<Version> {
        rustix::fs::fstat(&self.0).ok().map(|stat| Seen::from(&stat).version)
    }

    /// Looks at a file by its name.
    pub(super) fn see(&self, name: &str) -> Option<Seen> {
        let stat = rustix::fs::statat(&self.0, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(Seen::from(&stat))
    }

    /// Reads a file of the length that was seen, in as few steps as there are. Nothing if there is any reason to look more closely: it is no
    /// file, has become longer or shorter, or cannot be read at all.
    pub(crate) fn read<'r>(&self, name: &str, seen: &Seen, room: &'r mut Vec<u8>) -> Option<&'r [u8]> {
        use rustix::fs::{Mode, OFlags, openat};
        let length = usize::try_from(seen.version.length()).ok().filter(|_| seen.is_file)?;
        // By now something may be in its place at whose other end nobody is.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::empty()).ok()?;
        if room.len() <= length {
            room.resize(length + 1, 0);
        }
        // One byte more than there should be shows that there are more.
        let read = rustix::io::read(&file, &mut room[..=length]).ok()?;
        (read == length).then(|| &room[..length])
    }

    /// What the system calls it.
    #[cfg(target_os = "linux")]
    pub(super) fn descriptor(&self) -> &rustix::fd::OwnedFd {
        &self.0
    }
}

#[cfg(not(unix))]
impl Opened {
    /// Names a directory.
    pub(super) fn at(path: &Path) -> Option<Self> {
        path.is_dir().then(|| Self(path.to_owned()))
    }

    /// Takes its version.
    pub(super) fn version(&self) -> Option<Version> {
        Version::of(&self.0)
    }

    /// Looks at a file by its name.
    pub(super) fn see(&self, name: &str) -> Option<Seen> {
        std::fs::symlink_metadata(self.0.join(name)).ok().map(|metadata| Seen::from(&metadata))
    }

    /// There is no short way.
    pub(crate) fn read<'r>(&self, _: &str, _: &Seen, _: &'r mut Vec<u8>) -> Option<&'r [u8]> {
        None
    }
}
