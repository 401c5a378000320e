//! The mark of a project, beside each row.
//!
//! Most questions are about one project. Eight bytes per row tell its rows from the others without asking the index; should
//! two projects have the same mark, the index still does not give one's memories to the other.

/// Marks the rows of a project, or those that belong to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeTag(u64);

impl ScopeTag {
    /// Gives the mark of a project's name; without one, that of what belongs to no project.
    pub fn of(project: Option<&str>) -> Self {
        // No name contains a byte that UTF-8 does not have.
        let none: &[u8] = &[0xff];
        // Zero is what a forgotten row has.
        Self(fnv1a(project.map_or(none, str::as_bytes)).max(1))
    }

    pub(crate) const fn to_bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }

    pub(crate) const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_le_bytes(bytes))
    }

    pub(crate) const fn number(self) -> u64 {
        self.0
    }
}

/// Hashes a few bytes, the same way on each machine and in each version.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
