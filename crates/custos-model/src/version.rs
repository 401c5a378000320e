//! Schema versions, and which of them a reader accepts.
//!
//! The rule, in one place: every older version is read (see [`crate::upgrade`]); a newer minor or patch version of our own major is
//! read too, because within a major fields are only ever added; a newer major is kept where it is, skipped and reported. So two
//! versions of the program can share one log, and the older one never destroys what it does not understand.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The version of the schema that an event was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaVersion {
    /// Changes when an older reader would misunderstand.
    pub major: u32,
    /// Changes when something was added.
    pub minor: u32,
    /// Changes when nothing did but the words of the documentation.
    pub patch: u32,
}

/// How an event of some version is to be treated by this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readability {
    /// Written in our schema, or in one that only added to it.
    Current,
    /// Written before; is upgraded when it is read.
    Older,
    /// Written by a program that knows more: kept, skipped, reported.
    Newer,
}

/// Reports a text that is no version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a version like 1.0.0")]
pub struct NotAVersion(pub String);

impl SchemaVersion {
    /// The schema that this program writes.
    pub const CURRENT: Self = Self { major: 1, minor: 0, patch: 0 };

    /// Says how this program treats an event of this version.
    pub fn readability(self) -> Readability {
        match self.major.cmp(&Self::CURRENT.major) {
            Ordering::Less => Readability::Older,
            Ordering::Equal => Readability::Current,
            Ordering::Greater => Readability::Newer,
        }
    }
}

impl fmt::Display for SchemaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for SchemaVersion {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let number = |part: Option<&str>| {
            let part = part?;
            // No sign, no leading zero: one version has one spelling, as the chain demands.
            let canonical =
                part.bytes().all(|b| b.is_ascii_digit()) && (part == "0" || !part.starts_with('0'));
            canonical.then(|| part.parse::<u32>().ok()).flatten()
        };
        let mut parts = text.split('.');
        let version = (|| {
            Some(Self {
                major: number(parts.next())?,
                minor: number(parts.next())?,
                patch: number(parts.next())?,
            })
        })();
        version.filter(|_| parts.next().is_none()).ok_or_else(|| NotAVersion(text.to_owned()))
    }
}

impl Serialize for SchemaVersion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SchemaVersion {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl serde::de::Visitor<'_> for Text {
            type Value = SchemaVersion;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a version like 1.0.0")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<SchemaVersion, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("0.9.0", Readability::Older)]
    #[case("1.0.0", Readability::Current)]
    #[case("1.7.3", Readability::Current)]
    #[case("2.0.0", Readability::Newer)]
    fn the_version_matrix(#[case] version: SchemaVersion, #[case] expected: Readability) {
        assert_eq!(version.readability(), expected);
    }

    #[rstest]
    fn refuses_what_is_no_version(
        #[values("", "1", "1.0", "1.0.0.0", "v1.0.0", "01.0.0", "+1.0.0", "1.-0.0", "1.0.99999999999")] text: &str,
    ) {
        assert_eq!(text.parse::<SchemaVersion>(), Err(NotAVersion(text.into())));
    }
}
