//! When a provider wants to be asked again.
//!
//! `Retry-After` is a number of seconds or a date. A date is counted from the server's own `Date`, so that a clock that goes wrong on
//! either side is of no matter, and no clock is read here.

use std::time::Duration;

use jiff::fmt::rfc2822::DateTimeParser;
use serde_json::Value;

/// Nobody waits longer than a day; a number past it is a mistake, and would not fit a clock.
const MOST: Duration = Duration::from_hours(24);

/// Reads the headers of an answer.
pub(crate) fn of_headers(retry_after: Option<&str>, date: Option<&str>) -> Option<Duration> {
    let retry_after = retry_after?.trim();
    if let Ok(seconds) = retry_after.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok().map(|wait| wait.min(MOST));
    }
    let instant = |text| DateTimeParser::new().parse_timestamp(text).ok();
    let wait = instant(retry_after)?.duration_since(instant(date?)?);
    Some(Duration::try_from(wait).unwrap_or_default().min(MOST))
}

/// Reads what Google puts into the body: `{"error": {"details": [{"retryDelay": "13s"}]}}`.
pub(crate) fn of_google(body: &Value) -> Option<Duration> {
    let details = body["error"]["details"].as_array()?;
    let delay = details.iter().find_map(|detail| detail["retryDelay"].as_str())?;
    of_headers(delay.strip_suffix('s'), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: Option<&str> = Some("Mon, 16 Nov 2026 10:00:00 GMT");

    #[rstest::rstest]
    #[case::seconds("7", None, Some(7_000))]
    #[case::a_part_of_a_second("0.5", None, Some(500))]
    #[case::date("Mon, 16 Nov 2026 10:00:30 GMT", DATE, Some(30_000))]
    #[case::date_that_is_over("Mon, 16 Nov 2026 09:59:00 GMT", DATE, Some(0))]
    #[case::date_without_the_servers("Mon, 16 Nov 2026 10:00:30 GMT", None, None)]
    #[case::far_away("99999999999", None, Some(86_400_000))]
    #[case::negative("-3", None, None)]
    #[case::infinite("inf", None, None)]
    #[case::words("soon", DATE, None)]
    fn seconds_and_dates_are_read(
        #[case] header: &str,
        #[case] date: Option<&str>,
        #[case] millis: Option<u64>,
    ) {
        assert_eq!(of_headers(Some(header), date), millis.map(Duration::from_millis));
    }

    #[test]
    fn googles_delay_is_read() {
        let body = serde_json::json!({"error": {"details": [{"@type": "Help"}, {"retryDelay": "13.5s"}]}});
        assert_eq!(of_google(&body), Some(Duration::from_millis(13_500)));
        assert_eq!(of_google(&Value::Null), None);
    }
}
