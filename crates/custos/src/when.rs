//! Times as people type them.

use custos_model::Timestamp;

/// Reads a time: `2026-11-15T20:55:09Z`, a date, how long ago (`90s`, `30m`, `2h`, `7d`, `4w`), or `2026-11-15 20:55:09` where the machine
/// is, as lists print it.
pub(crate) fn parse(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    parse_in(&jiff::tz::TimeZone::system(), text, now)
}

fn parse_in(zone: &jiff::tz::TimeZone, text: &str, now: Timestamp) -> Result<Timestamp, String> {
    Timestamp::typed(text, now).or_else(|problem| {
        let local = text.parse::<jiff::civil::DateTime>().and_then(|time| time.to_zoned(zone.clone()));
        local.map(|time| Timestamp::from_millis(time.timestamp().as_millisecond())).map_err(|_| problem)
    })
}

/// Reads a time up to which something is meant: to the end of its second, for lists print no more of it, or of its minute or day.
pub(crate) fn parse_until(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    parse(text, now).map(|time| time.minus_millis(-Timestamp::length_of_typed(text)))
}

/// Gives the time now.
pub(crate) fn now() -> Timestamp {
    custos_log::append::system_clock()()
}

/// A day of this machine's time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Day {
    /// Its date, such as `2026-11-16`.
    pub(crate) name: String,
    /// When it began.
    pub(crate) began: Timestamp,
}

/// Gives the last few days, today first.
pub(crate) fn days(now: Timestamp, count: u16) -> Vec<Day> {
    days_in(&jiff::tz::TimeZone::system(), now, count)
}

fn days_in(zone: &jiff::tz::TimeZone, now: Timestamp, count: u16) -> Vec<Day> {
    let Ok(now) = jiff::Timestamp::from_millisecond(now.as_millis()) else { return Vec::new() };
    let mut date = Some(now.to_zoned(zone.clone()).date());
    // Days are not all of the same length, so each is asked when it began.
    std::iter::from_fn(|| {
        let day = date?;
        let began = day.to_zoned(zone.clone()).ok()?.timestamp().as_millisecond();
        date = day.yesterday().ok();
        Some(Day { name: day.to_string(), began: Timestamp::from_millis(began) })
    })
    .take(count.into())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("2026-11-01T10:00:00Z", "2026-11-01T10:00:00.000Z")]
    #[case("2026-11-01T12:00:00+02:00", "2026-11-01T10:00:00.000Z")]
    #[case("2026-11-01", "2026-11-01T00:00:00.000Z")]
    #[case("90s", "2026-11-15T11:58:30.000Z")]
    #[case("2h", "2026-11-15T10:00:00.000Z")]
    #[case("7d", "2026-11-08T12:00:00.000Z")]
    #[case("4w", "2026-10-18T12:00:00.000Z")]
    fn reads_what_people_type(#[case] text: &str, #[case] expected: &str) {
        let now = "2026-11-15T12:00:00Z".parse().unwrap();
        assert_eq!(parse(text, now).map(|time| time.to_string()), Ok(expected.to_owned()));
    }

    #[rstest]
    #[case("2026-11-01 10:00:00", "2026-11-01T09:00:00.000Z")]
    #[case("2026-11-01T10:00:00", "2026-11-01T09:00:00.000Z")]
    #[case("2026-11-01 10:00:00Z", "2026-11-01T10:00:00.000Z")]
    #[case("2026-11-01", "2026-11-01T00:00:00.000Z")]
    fn what_names_no_zone_is_where_the_machine_is(#[case] text: &str, #[case] expected: &str) {
        let zone = jiff::tz::TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let now = "2026-11-15T12:00:00Z".parse().unwrap();
        assert_eq!(parse_in(&zone, text, now).map(|time| time.to_string()), Ok(expected.to_owned()));
    }

    #[rstest]
    #[case("2026-11-01T10:00:00Z", "2026-11-01T10:00:00.999Z")]
    #[case("2026-11-01T10:00:00.123Z", "2026-11-01T10:00:00.123Z")]
    #[case("2026-11-01T12:00+02:00", "2026-11-01T10:00:59.999Z")]
    #[case("2026-11-01", "2026-11-01T23:59:59.999Z")]
    #[case("2h", "2026-11-15T10:00:00.000Z")]
    fn up_to_a_second_a_minute_or_a_day_is_to_its_end(#[case] text: &str, #[case] expected: &str) {
        let now = "2026-11-15T12:00:00Z".parse().unwrap();
        assert_eq!(parse_until(text, now).map(|time| time.to_string()), Ok(expected.to_owned()));
    }

    #[rstest]
    fn refuses_the_rest(#[values("", "h", "2", "2y", "-2h", "yesterday", "é", "9999999999h")] text: &str) {
        let now = "2026-11-15T12:00:00Z".parse().unwrap();
        assert!(parse(text, now).unwrap_err().contains("is no time; give"));
    }

    #[test]
    fn a_day_begins_at_midnight_where_the_machine_is() {
        let zone = jiff::tz::TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let now = "2026-10-26T10:00:00Z".parse().unwrap();
        let days: Vec<(String, String)> =
            days_in(&zone, now, 3).into_iter().map(|day| (day.name, day.began.to_string())).collect();
        let expected = [
            ("2026-10-26", "2026-10-25T23:00:00.000Z"),
            // The day on which summer time ends has 25 hours.
            ("2026-10-25", "2026-10-24T22:00:00.000Z"),
            ("2026-10-24", "2026-10-23T22:00:00.000Z"),
        ];
        assert_eq!(days, expected.map(|(name, began)| (name.to_owned(), began.to_owned())));
    }
}
