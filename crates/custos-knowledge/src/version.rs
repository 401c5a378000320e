//! What tells one version of a file from another.
//!
//! What was read of a file is kept under its version, so that nobody reads it twice. Two things make that safe. A version holds everything
//! that the file system notes of a change. And nothing is kept under a version that has not settled ([`Version::is_settled`]): a file that was
//! changed just now may change again within the same tick of the file system's clock, and its version would not show it.

use std::fs::Metadata;
use std::time::{Duration, SystemTime};

/// A version of a file or a directory, as far as the file system knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version(pub(crate) [u64; Version::PARTS]);

/// The longest tick by which a file system counts whose times have a part below the second, with something to spare.
const TICK: Duration = Duration::from_millis(25);
/// The same where they have none: FAT counts by two seconds.
const WHOLE_SECONDS: Duration = Duration::from_secs(2);
const NANOSECONDS: u64 = 1_000_000_000;

impl Version {
    /// How many numbers it is made of.
    pub(crate) const PARTS: usize = 5;

    /// Takes the version from what the file system says: which file it is, how long, and when it and its metadata were last changed.
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        // A time before 1970 wraps; it is compared, and not computed with.
        let time = |seconds: i64, rest: i64| {
            seconds.cast_unsigned().wrapping_mul(NANOSECONDS).wrapping_add(rest.cast_unsigned())
        };
        Self([
            metadata.dev(),
            metadata.ino(),
            metadata.len(),
            time(metadata.mtime(), metadata.mtime_nsec()),
            time(metadata.ctime(), metadata.ctime_nsec()),
        ])
    }

    /// Takes the version from what the file system says: how long the file is, and when it was last changed.
    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(since_1970).unwrap_or_default();
        Self([0, 0, metadata.len(), modified, modified])
    }

    /// Says whether a change after `now` is sure to make another version of it.
    pub(crate) fn is_settled(&self, now: SystemTime) -> bool {
        let [.., changed] = self.0;
        let tick = if changed.is_multiple_of(NANOSECONDS) { WHOLE_SECONDS } else { TICK };
        let age = since_1970(now).and_then(|now| now.checked_sub(changed));
        age.is_some_and(|age| u128::from(age) >= tick.as_nanos())
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
