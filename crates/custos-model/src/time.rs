//! Instants, as the log spells them: UTC, milliseconds, always 24 characters.
//!
//! Order in the log comes from the sequence, never from the clock, so a coarse instant is enough; a fixed width keeps lines easy
//! to read by eye and cheap to compare as text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An instant in milliseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

    /// Reads a time as people type it: `2026-11-15T20:55:09Z`, a date, or how long ago (`90s`, `30m`, `2h`, `7d`, `4w`).
    pub fn typed(text: &str, now: Self) -> Result<Self, String> {
        if let Ok(time) = text.parse() {
            return Ok(time);
        }
        if let Ok(time) = format!("{text}T00:00:00Z").parse() {
            return Ok(time);
        }
        let unit = text.chars().last().unwrap_or_default();
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'w' => 604_800,
            _ => 0,
        };
        let number = text.get(..text.len().saturating_sub(unit.len_utf8())).unwrap_or_default();
        match number.parse::<u32>() {
            Ok(number) if seconds > 0 => Ok(now.minus_millis(i64::from(number) * seconds * 1_000)),
            _ => Err(format!(
                "{text:?} is no time; give 2026-11-15, 2026-11-15T20:55:09Z, or how long ago: 30m, 2h, 7d"
            )),
        }
    }

    /// Reads a time as people type it; one that names no zone is in UTC, as lists for agents print it.
    pub fn typed_in_utc(text: &str, now: Self) -> Result<Self, String> {
        Self::typed(text, now).or_else(|problem| format!("{text}Z").parse().map_err(|_| problem))
    }

    /// Says for how long goes on what a typed time names, in milliseconds: a date is all of its day, `20:55` all of that minute. Whoever asks
    /// for what was *until* then means the end of it.
    pub fn length_of_typed(text: &str) -> i64 {
        let Some((_, time)) = text.split_once(['T', 't', ' ']) else {
            let is_date = format!("{text}T00:00:00Z").parse::<Self>().is_ok();
            return if is_date { DAY - 1 } else { 0 };
        };
        let clock = time.split(['Z', 'z', '+', '-', '[']).next().unwrap_or_default();
        match clock.matches(':').count() {
            1 => 59_999,
            2 if !clock.contains(['.', ',']) => 999,
            _ => 0,
        }
    }

    /// Goes back by so many milliseconds.
    #[must_use]
    pub fn minus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_sub(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // By hand: every append writes one, and the code of a calendar library would have to be brought into memory for it.
        let (days, millis) = (self.0.div_euclid(DAY), self.0.rem_euclid(DAY));
        let (year, month, day) = civil(days);
        let (seconds, millis) = (millis / 1_000, millis % 1_000);
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        let mut text = *b"0000-00-00T00:00:00.000Z";
        put(&mut text[..4], year);
        put(&mut text[5..7], month);
        put(&mut text[8..10], day);
        put(&mut text[11..13], hour);
        put(&mut text[14..16], minute);
        put(&mut text[17..19], second);
        put(&mut text[20..23], millis);
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// Gives year, month and day of a number of days since 1970.
///
/// Years begin with March here, so that the leap day is the last one; an era is the 400 years after which the calendar repeats.
fn civil(days: i64) -> (i64, i64, i64) {
    const ERA: i64 = 146_097;
    // 1 March 0000 is 719,468 days before 1970.
    let since = days + 719_468;
    let (era, day) = (since.div_euclid(ERA), since.rem_euclid(ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// Writes a number into its place, with zeros in front.
fn put(place: &mut [u8], mut number: i64) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
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

    #[test]
    fn what_names_no_zone_may_be_taken_for_utc() {
        let now = Timestamp::from_millis(0);
        let read = |text: &str| Timestamp::typed_in_utc(text, now).map(|time| time.to_string());
        for text in
            ["2026-11-15 20:55", "2026-11-15T20:55:00", "2026-11-15T20:55:00Z", "2026-11-15T21:55+01:00"]
        {
            assert_eq!(read(text).as_deref(), Ok("2026-11-15T20:55:00.000Z"), "{text}");
        }
        assert_eq!(read("2026-11-15").as_deref(), Ok("2026-11-15T00:00:00.000Z"));
        assert!(read("noon").unwrap_err().contains("is no time"));
    }

    #[test]
    fn what_is_typed_goes_on_for_as_long_as_it_names() {
        for (text, millis) in [
            ("2026-11-15", DAY - 1),
            ("2026-11-15 20:55", 59_999),
            ("2026-11-15T20:55+01:00", 59_999),
            ("2026-11-15T20:55:09-01:00", 999),
            ("2026-11-15T20:55:09.1Z", 0),
            ("2h", 0),
            ("noon", 0),
            ("", 0),
        ] {
            assert_eq!(Timestamp::length_of_typed(text), millis, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_instant_is_24_characters_and_comes_back(millis in any::<i64>()) {
            let time = Timestamp::from_millis(millis);
            let text = time.to_string();
            prop_assert_eq!(text.len(), 24, "{}", text);
            prop_assert_eq!(text.parse::<Timestamp>(), Ok(time));
            let calendar = jiff::Timestamp::from_millisecond(time.as_millis()).unwrap();
            prop_assert_eq!(text, format!("{calendar:.3}"));
        }
    }
}
