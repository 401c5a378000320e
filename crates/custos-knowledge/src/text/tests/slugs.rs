use std::collections::BTreeMap;

use proptest::prelude::*;
use rstest::rstest;

use super::{TITLES, any_text};
use crate::text::{equivalent, is_slug, slug};

#[rstest]
#[case("Use UTC everywhere", "use-utc-everywhere")]
#[case("  Use\tUTC\n everywhere ", "use-utc-everywhere")]
#[case("Don't retry: it's idempotent!", "dont-retry-its-idempotent")]
#[case("Don’t retry", "dont-retry")]
#[case("Use `cargo nextest` (not `cargo test`)", "use-cargo-nextest-not-cargo-test")]
#[case("snake_case, kebab-case & dots.in.names", "snake-case-kebab-case-and-dots-in-names")]
#[case("A -> B => C → D", "a-b-c-d")]
#[case("Fix #123 — now", "fix-123-now")]
#[case("C++ and C# before C", "cplusplus-and-csharp-before-c")]
#[case("Read+write", "read-plus-write")]
#[case("90% coverage", "90-percent-coverage")]
#[case("2024", "2024")]
#[case("Größe der Übergänge", "grosse-der-ubergange")]
#[case("Élève à l'école", "eleve-a-lecole")]
fn a_plain_title_has_a_plain_name(#[case] title: &str, #[case] name: &str) {
    assert_eq!(slug(title, 60), name);
}

#[rstest]
#[case("Часовой пояс", "chasovoi-poias-ce2e24e7")]
#[case("所有时间", "suo-you-shi-jian-47d807eb")]
#[case("توقيت", "twqyt-258b855a")]
#[case("Χρόνος", "khronos-48a54530")]
#[case("mạ", "ma-d571b475")]
#[case("🦄", "unicorn-36bf2554")]
#[case("!!!", "untitled-e84c538e")]
#[case("", "untitled-e3b0c442")]
#[case("Timeout < 5 s", "timeout-5-s-afd6d823")]
#[case("con", "con-1143da2b")]
#[case("LPT1", "lpt1-6d50a69c")]
fn what_a_name_cannot_show_is_hashed(#[case] title: &str, #[case] name: &str) {
    assert_eq!(slug(title, 60), name);
}

#[test]
fn a_long_title_is_cut_at_a_word() {
    let title = "Every request that reaches the gateway carries a deadline and nobody may extend it";
    assert_eq!(slug(title, 50), "every-request-that-reaches-the-gateway-9e4c3577");
    assert_eq!(slug(&"x".repeat(10_000), 20), "xxxxxxxxxxx-e4ee97ec");
    assert_eq!(slug("abc def", 4), "0109");
    assert_eq!(slug("abc def", 0), "0");
}

#[test]
fn titles_that_differ_have_names_that_differ() {
    let mut names: BTreeMap<String, &str> = BTreeMap::new();
    for title in TITLES.iter().filter(|title| title.chars().any(char::is_alphanumeric)) {
        let other = names.insert(slug(title, 50), title);
        assert!(other.is_none_or(|other| equivalent(other, title)), "{title:?} and {other:?} share a name");
    }
}

#[rstest]
#[case("use-utc", true)]
#[case("2024", true)]
#[case("", false)]
#[case("-a", false)]
#[case("a-", false)]
#[case("a--b", false)]
#[case("A", false)]
#[case("ä", false)]
#[case("a/b", false)]
#[case("..", false)]
#[case("nul", false)]
#[case("com7", false)]
#[case("com77", true)]
#[case("aaaaaaaaaaa", false)]
fn names_from_outside_are_checked(#[case] name: &str, #[case] good: bool) {
    assert_eq!(is_slug(name, 10), good);
}

proptest! {
    #[test]
    fn every_title_has_a_good_name(title in any_text(), longest in 1_usize..80) {
        let name = slug(&title, longest);
        prop_assert!(is_slug(&name, longest), "{name:?}");
        prop_assert_eq!(slug(&title, longest), name);
    }

    #[test]
    fn a_name_names_itself(title in any_text()) {
        let name = slug(&title, 60);
        prop_assert_eq!(slug(&name, 60), name);
    }

    #[test]
    fn other_scripts_never_share_a_name(a in "[а-яա-ևぁ-ん一-鿿ا-ي ]{1,12}", b in "[а-яա-ևぁ-ん一-鿿ا-ي ]{1,12}") {
        let same = a.split_whitespace().eq(b.split_whitespace());
        prop_assert_eq!(slug(&a, 50) == slug(&b, 50), same);
    }
}
