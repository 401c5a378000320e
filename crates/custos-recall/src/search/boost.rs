//! What else counts, beside words and meaning: small addends, and 0 where nothing is known.

use custos_index::Entry;

use crate::policy::Boosts;
use crate::search::{Ask, Parts};

const DAY_MS: f64 = 24.0 * 60.0 * 60.0 * 1000.0;

/// Adds to the parts of a score what is known of a row.
pub(super) fn weigh(parts: Parts, entry: &Entry, ask: &Ask<'_>, boosts: &Boosts) -> Parts {
    let work = &ask.work;
    let same = |a: Option<&str>, b: Option<&str>, worth: f64| if a.is_some() && a == b { worth } else { 0.0 };
    Parts {
        files: boosts.files * share_of_files(entry, work.files),
        recency: boosts.recency * freshness(ask.now.as_millis() - entry.ts.as_millis(), boosts.recency_days),
        importance: entry
            .importance
            .map_or(0.0, |value| boosts.importance * (2.0 * value.clamp(0.0, 1.0) - 1.0)),
        scope: same(entry.project.as_deref(), work.project, boosts.project)
            + same(entry.branch.as_deref(), work.branch, boosts.branch)
            + same(entry.role.as_deref(), ask.viewer.role(), boosts.role),
        pinned: if entry.pinned { boosts.pinned } else { 0.0 },
        trust: if entry.trusted { 0.0 } else { -boosts.untrusted },
        ..parts
    }
}

/// Gives the share of a row's own files that are at hand: what is about one of them only counts in full.
fn share_of_files(entry: &Entry, at_hand: &[&str]) -> f64 {
    let own = || entry.files_changed.iter().chain(&entry.files_read);
    let shared = own().filter(|file| at_hand.iter().any(|other| is_same_file(file, other))).count();
    shared as f64 / own().count().max(1) as f64
}

/// Says whether two names mean one file: the same, or one of them within the directory that the other leaves out.
fn is_same_file(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let Some(directory) = long.strip_suffix(short) else { return false };
    !short.is_empty()
        && (directory.is_empty() || directory.ends_with(['/', '\\']) || short.starts_with(['/', '\\']))
}

/// Halves with every so many days. A clock that is behind makes nothing fresher than fresh.
fn freshness(age_ms: i64, days: f64) -> f64 {
    (-(age_ms.max(0) as f64) / DAY_MS / days).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("src/a.rs", "src/a.rs", true)]
    #[case("/home/x/shop/src/a.rs", "src/a.rs", true)]
    #[case("a.rs", "/home/x/a.rs", true)]
    #[case("src/data.rs", "a.rs", false)]
    #[case("src/a.rs", "lib/a.rs", false)]
    #[case("src/a.rs", "", false)]
    fn names_of_one_file(#[case] a: &str, #[case] b: &str, #[case] expected: bool) {
        assert_eq!(is_same_file(a, b), expected);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "powers of two are exact")]
    fn what_is_new_fades() {
        let days = |days: f64| {
            #[expect(clippy::cast_possible_truncation, reason = "whole days")]
            let age = (days * DAY_MS) as i64;
            freshness(age, 30.0)
        };
        let faded = [days(0.0), days(30.0), days(60.0), days(-5.0)];
        assert_eq!(faded, [1.0, 0.5, 0.25, 1.0]);
        assert!(freshness(i64::MAX, 30.0) >= 0.0 && freshness(i64::MIN, 30.0) <= 1.0);
    }
}
