//! What tells one version of a file from another.
//!
//! What was read of a file is kept under its version, so that nobody reads it twice. Two things make that safe. A version holds everything
//! that the file system notes of a change. And nothing is kept under a version that has not settled ([`Version::is_settled`]), unless somebody
//! tells of every change ([`Seen::told`]): a file that was changed just now may change again within the same tick of the file system's clock,
//! and its version would not show it.

use std::path::Path;
use std::time::{Duration, SystemTime};

/// A version of a file or a directory, as far as the file system knows: which it is, how long, and when it and its metadata were last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version(pub(crate) [u64; Version::PARTS]);

/// What the file system says of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The version of what is there.
    pub(crate) version: Version,
    /// Whether it is a link; the version is that of the link.
    pub(crate) is_link: bool,
    /// Whether it is a file, and nothing that only has a name like one.
    pub(crate) is_file: bool,
    /// Whether the same file is to be found by another name as well.
    pub(crate) has_other_names: bool,
    /// Another number whenever somebody told of a change, which may not show in the version.
    pub(crate) told: u64,
}

/// The longest tick by which a file system counts whose times have a part below the second, with something to spare.
const TICK: Duration = Duration::from_millis(25);
/// The same where they have none: FAT counts by two seconds.
const WHOLE_SECONDS: Duration = Duration::from_secs(2);
const NANOSECONDS: u64 = 1_000_000_000;

impl Version {
    /// How many numbers it is made of.
    pub(crate) const PARTS: usize = 5;

    /// Takes the version of what is at a path.
    #[cfg(unix)]
    pub(crate) fn of(path: &Path) -> Option<Self> {
        rustix::fs::lstat(path).ok().map(|stat| Seen::from(&stat).version)
    }

    /// Takes the version of what is at a path.
    #[cfg(not(unix))]
    pub(crate) fn of(path: &Path) -> Option<Self> {
        std::fs::symlink_metadata(path).ok().map(|metadata| Seen::from(&metadata).version)
    }

    /// Says whether another version is one of the same file.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        let ([device, number, ..], [of_other, other, ..]) = (self.0, other.0);
        (device, number) == (of_other, other)
    }

    /// How long it is.
    pub(crate) fn length(&self) -> u64 {
        let [_, _, length, ..] = self.0;
        length
    }

    /// Tells when the content last changed, in milliseconds since 1970.
    pub fn modified(&self) -> i64 {
        let [.., modified, _] = self.0;
        i64::try_from(modified / 1_000_000).unwrap_or(i64::MAX)
    }

    /// Says whether a change after `now` is sure to make another version of it.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let [.., changed] = self.0;
        let tick = if changed.is_multiple_of(NANOSECONDS) { WHOLE_SECONDS } else { TICK };
        let age = since_1970(now).and_then(|now| now.checked_sub(changed));
        age.is_some_and(|age| u128::from(age) >= tick.as_nanos())
    }
}

#[cfg(unix)]
impl From<&rustix::fs::Stat> for Seen {
    fn from(stat: &rustix::fs::Stat) -> Self {
        // The numbers are of other types on every system.
        fn number(number: impl Into<i128>) -> u64 {
            u64::try_from(number.into()).unwrap_or_default()
        }
        fn time(seconds: impl Into<i128>, rest: impl Into<i128>) -> u64 {
            number(seconds.into() * i128::from(NANOSECONDS) + rest.into())
        }
        let version = Version([
            number(stat.st_dev),
            number(stat.st_ino),
            number(stat.st_size),
            time(stat.st_mtime, stat.st_mtime_nsec),
            time(stat.st_ctime, stat.st_ctime_nsec),
        ]);
        let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
        Self {
            version,
            is_link: kind.is_symlink(),
            is_file: kind.is_file(),
            has_other_names: number(stat.st_nlink) > 1,
            told: 0,
        }
    }
}

#[cfg(not(unix))]
impl From<&std::fs::Metadata> for Seen {
    fn from(metadata: &std::fs::Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(since_1970).unwrap_or_default();
        let version = Version([0, 0, metadata.len(), modified, modified]);
        Self {
            version,
            is_link: metadata.is_symlink(),
            is_file: metadata.is_file(),
            has_other_names: false,
            told: 0,
        }
    }
}

fn since_1970(time: SystemTime) -> Option<u64> {
    u64::try_from(time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_just_now_has_not_settled() {
        let at = |nanoseconds: u64| SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
        let changed = |changed: u64| Version([0, 0, 0, 0, changed]);
        let second = 1_800_000_000 * NANOSECONDS;
        for (version, now, expected) in [
            (changed(second + 1), at(second + 1), false),
            (changed(second + 1), at(second + 24_000_000), false),
            (changed(second + 1), at(second + 26_000_000), true),
            // Whole seconds: nobody knows how coarse that clock is.
            (changed(second), at(second + 26_000_000), false),
            (changed(second), at(second + 2 * NANOSECONDS), true),
            // From a clock that is ahead.
            (changed(second + 1), at(second), false),
            (changed(second + 1), at(second - NANOSECONDS), false),
        ] {
            assert_eq!(version.is_settled(now), expected, "{version:?} {now:?}");
        }
    }
}
