//! Instants, as the log spells them: UTC, milliseconds, always 24 characters.
//!
//! Order in the log comes from the sequence, never from the clock, so a coarse instant is enough; a fixed width keeps lines easy
//! to read by eye and cheap to compare as text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An instant in milliseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// The years 0 to 9999, which have four digits: `0000-01-01T00:00:00.000Z` and `9999-12-30T22:00:00.000Z` (as far as jiff goes).
const RANGE: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_207_200_000;

/// Reports a text or number that is no instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a time like 2026-11-15T20:55:09.123Z")]
pub struct NotATime(pub String);

impl Timestamp {
    /// Makes an instant from milliseconds since 1970; outside the years 0 to 9999 it is clamped.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(*RANGE.start(), *RANGE.end()))
    }

    /// Gives the milliseconds since 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Goes back by so many milliseconds.
    #[must_use]
    pub fn minus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_sub(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Infallible: the range is clamped on the way in.
        let instant = jiff::Timestamp::from_millisecond(self.0).unwrap_or_default();
        write!(f, "{instant:.3}")
    }
}

impl FromStr for Timestamp {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        text.parse::<jiff::Timestamp>()
            .map(|instant| Self::from_millis(instant.as_millisecond()))
            .map_err(|_| NotATime(text.to_owned()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl serde::de::Visitor<'_> for Text {
            type Value = Timestamp;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time like 2026-11-15T20:55:09.123Z")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Timestamp, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_offsets_and_writes_utc() {
        let time: Timestamp = "2026-11-15T21:55:09.1234+01:00".parse().unwrap();
        assert_eq!(time.to_string(), "2026-11-15T20:55:09.123Z");
        assert_eq!("yesterday".parse::<Timestamp>(), Err(NotATime("yesterday".into())));
    }

    proptest! {
        #[test]
        fn any_instant_is_24_characters_and_comes_back(millis in any::<i64>()) {
            let time = Timestamp::from_millis(millis);
            let text = time.to_string();
            prop_assert_eq!(text.len(), 24, "{}", text);
            prop_assert_eq!(text.parse::<Timestamp>(), Ok(time));
        }
    }
}
