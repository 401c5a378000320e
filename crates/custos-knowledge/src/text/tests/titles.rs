use proptest::prelude::*;
use rstest::rstest;

use super::{TITLES, any_text};
use crate::text::title::LONGEST_TITLE;
use crate::text::{
    Aim, Cleaned, Pointer, TitleProblem, clean_title, equivalent, nearly_the_same, points_at, similarity,
    tidy, words,
};

#[rstest]
#[case("Use UTC", "Use UTC")]
#[case("  Use\r\n\tUTC \u{2028} everywhere\n", "Use UTC everywhere")]
#[case("a\u{200b}b\u{202e}c\u{7}d\u{feff}e\u{ad}f\0g", "abcdefg")]
#[case("a\u{200d}b", "ab")]
#[case("می\u{200c}خواهم", "می\u{200c}خواهم")]
#[case("👨\u{200d}👩\u{200d}👧", "👨\u{200d}👩\u{200d}👧")]
#[case("❤\u{fe0f}\u{fe0f} x", "❤\u{fe0f} x")]
#[case("hidden\u{e0068}\u{e0069}", "hidden")]
#[case("--- : # \"quotes\"", "--- : # \"quotes\"")]
fn a_title_is_one_clean_line(#[case] raw: &str, #[case] title: &str) {
    assert_eq!(clean_title(raw), Ok(Cleaned { title: title.to_owned(), rest: String::new() }));
}

#[rstest]
#[case("")]
#[case(" \n\t")]
#[case("\u{200b}\u{202e}\u{3164}")]
#[case("\u{fe0f}")]
fn nothing_to_see_is_no_title(#[case] raw: &str) {
    assert_eq!(clean_title(raw), Err(TitleProblem::Empty));
}

#[test]
fn an_empty_title_is_answered_with_what_to_send() {
    assert_eq!(
        TitleProblem::Empty.to_string(),
        "the title is empty: send `title` as one line of at most 200 characters that says what this is about"
    );
}

#[test]
fn a_long_title_is_cut_after_a_word() {
    let cut = |raw: &str| clean_title(raw).unwrap();
    let exact = "x".repeat(LONGEST_TITLE);
    assert_eq!(cut(&exact), Cleaned { title: exact.clone(), rest: String::new() });
    // What is left, without the hash that stands behind it.
    let kept = |raw: &str| {
        let cleaned = cut(raw);
        assert!(cleaned.is_shortened() && cleaned.title.chars().count() <= LONGEST_TITLE, "{cleaned:?}");
        assert_eq!(cut(&cleaned.title), Cleaned { title: cleaned.title.clone(), rest: String::new() });
        let (kept, digits) = cleaned.title.rsplit_once(' ').unwrap();
        assert!(digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digits}");
        kept.to_owned()
    };
    assert_eq!(kept(&"x".repeat(10_000)), format!("{}…", "x".repeat(190)));
    assert_eq!(kept(&"word, ".repeat(100)), format!("{}word…", "word, ".repeat(30)));
    let fits = format!("{} {}", "a".repeat(190), "b".repeat(19));
    assert_eq!(kept(&fits), format!("{}…", "a".repeat(190)));
    let marks = format!("{}e\u{301}{}", "日".repeat(189), "本".repeat(19));
    assert_eq!(kept(&marks), format!("{}…", "日".repeat(189)));
}

#[test]
fn what_is_cut_off_still_counts() {
    let title = |raw: &str| clean_title(raw).unwrap().title;
    let long = "w".repeat(300);
    assert_ne!(title(&format!("{long} one")), title(&format!("{long} two")));
    assert_ne!(title(&"🚀".repeat(300)), title(&"🚀".repeat(301)));
    // The same words are the same title, in whatever case.
    assert!(equivalent(&title(&format!("{long} one")), &title(&format!("{} ONE!", long.to_uppercase()))));
}

#[rstest]
#[case("Use the UTC of the server", &["use", "utc", "server"])]
#[case("Don't retry: it's idempotent!", &["do", "not", "retry", "its", "idempotent"])]
#[case("We can't, won't and cannot", &["we", "can", "not", "will", "not", "and", "can", "not"])]
#[case("Die Zeit ist in der Datenbank UTC", &["zeit", "ist", "in", "datenbank", "utc"])]
#[case("L'heure de l’API", &["heure", "api"])]
#[case("Plan A", &["plan", "a"])]
#[case("The", &["the"])]
#[case("C++17, C# and node.js 1.5", &["c++17", "c#", "and", "node", "js", "1.5"])]
#[case("Straße ΟΔΟΣ οδος", &["strasse", "οδοσ", "οδοσ"])]
#[case("ＦＵＬＬ ﬁle", &["full", "file"])]
#[case("x >= 5% -> y", &["x", ">", "=", "5", "%", "y"])]
#[case("हिन्दी में", &["हिन्दी", "में"])]
#[case("Deploy 🚀", &["deploy", "🚀"])]
fn words_carry_the_meaning(#[case] title: &str, #[case] expected: &[&str]) {
    assert_eq!(words(title), expected);
}

#[rstest]
#[case("Use UTC everywhere", "use utc, everywhere.")]
#[case("The retry is a must", "Retry is must")]
#[case("Do not retry", "Don't retry")]
#[case("Время — UTC", "время utc")]
#[case("🦄", "🦄")]
#[case("!!!", "!!!")]
#[case("", "")]
fn the_same_words_are_equivalent(#[case] a: &str, #[case] b: &str) {
    assert!(equivalent(a, b));
}

#[rstest]
#[case("n't works", "not works")]
#[case("Retry", "Never retry")]
#[case("Do retry", "Do not retry")]
#[case("Prefer tabs over spaces", "Prefer spaces over tabs")]
#[case("Allow GET, deny POST", "Allow POST, deny GET")]
#[case("Migrate from A1 to B2", "Migrate from B2 to A1")]
#[case("Use C", "Use C++")]
#[case("Use C", "Use C#")]
#[case("Timeout < 5 s", "Timeout > 5 s")]
#[case("Python 3.1", "Python 31")]
#[case("UTC +5", "UTC -5")]
#[case("Plan", "Plan A")]
#[case("A", "The")]
#[case("🦄", "🐶")]
#[case("!!!", "???")]
#[case("🦄", "")]
fn other_words_are_not(#[case] a: &str, #[case] b: &str) {
    assert!(!equivalent(a, b));
}

#[rstest]
#[case("Retries are logged with the request id", "Retry is logged with a request id", true)]
#[case("Caching responses of the gateway", "Cache the response of gateways", true)]
#[case("Always use UTC for timestamps", "Use UTC for all timestamps", true)]
#[case("Use UTC", "Use GMT", false)]
#[case("Use UTC", "Use UTC", true)]
#[case("Tests run with nextest", "Deploys run with argo", false)]
#[case("所有时间都用世界时", "所有时间都用世界时间", true)]
fn near_duplicates_are_noticed(#[case] a: &str, #[case] b: &str, #[case] near: bool) {
    assert_eq!(nearly_the_same(a, b), near, "{}", similarity(a, b));
}

#[rstest]
#[case("D-012 supersedes D-003", &["D-012", "D-003"], Aim::Supersede)]
#[case("D-003 → superseded by D-012", &["D-003", "D-012"], Aim::Supersede)]
#[case("Supersede D-003", &["D-003"], Aim::Supersede)]
#[case("Revoke D-007", &["D-007"], Aim::Revoke)]
#[case("d-4 replaced by D-9.", &["D-4", "D-9"], Aim::Supersede)]
#[case("Update to D-012", &["D-012"], Aim::Update)]
#[case("See D-003", &["D-003"], Aim::Update)]
#[case("D-003->D-012", &["D-003", "D-012"], Aim::Supersede)]
#[case("Decision D\u{2011}003 is now obsolete (see D-012, D-012)", &["D-003", "D-012"], Aim::Supersede)]
#[case("B-002", &["B-002"], Aim::Update)]
#[case("Merge D-001 into D-002", &["D-001", "D-002"], Aim::Supersede)]
#[case("D-001 duplicates D-002", &["D-001", "D-002"], Aim::Supersede)]
#[case("D-001 moved to D-002", &["D-001", "D-002"], Aim::Supersede)]
#[case("D1 -> D2", &["D1", "D2"], Aim::Supersede)]
#[case("D-001 → D-002 (see there)", &["D-001", "D-002"], Aim::Supersede)]
#[case("Alias: D-001 = D-002", &["D-001", "D-002"], Aim::Update)]
#[case("D-001 is the same as d2", &["D-001", "D2"], Aim::Update)]
#[case("D-001 ersetzt D-002", &["D-001", "D-002"], Aim::Supersede)]
#[case("D-001 wurde durch D-002 abgelöst", &["D-001", "D-002"], Aim::Supersede)]
#[case("siehe D-002", &["D-002"], Aim::Update)]
#[case("workspace:D-001 superseded by workspace:D-002.", &["D-001", "D-002"], Aim::Supersede)]
#[case("See api:D-007", &["D-007"], Aim::Update)]
#[case("D-001 заменяет D-002", &["D-001", "D-002"], Aim::Supersede)]
#[case("См. D-002", &["D-002"], Aim::Update)]
fn a_title_may_only_point(#[case] title: &str, #[case] ids: &[&str], #[case] what: Aim) {
    let ids = ids.iter().map(ToString::to_string).collect();
    assert_eq!(points_at(title), Some(Pointer { ids, what }));
}

#[rstest]
#[case("D-003 was wrong: use UTC")]
#[case("D-012 supersedes D-003: use UTC")]
#[case("Replace the cache")]
#[case("Update dependencies weekly")]
#[case("Use D-Bus")]
#[case("Update D3")]
#[case("Q1 moves to Q2")]
#[case("Merge D-001 into the main branch")]
#[case("D-001 gilt auch für Berichte")]
#[case("D-001 заменяет кэш")]
#[case("Moved from D3 to Plotly, see D-002")]
#[case("D-003x")]
#[case("")]
fn a_title_may_say_something(#[case] title: &str) {
    assert_eq!(points_at(title), None);
}

#[rstest]
#[case("a\r\nb\rc\u{2028}d", "a\nb\nc\nd")]
#[case("  two  blanks\n\n\ttab ", "  two  blanks\n\n\ttab ")]
#[case("\u{1b}[31mred\u{202e}\u{200b}\0", "[31mred")]
#[case("👨\u{200d}👩 a\u{200d}b", "👨\u{200d}👩 ab")]
fn a_text_keeps_its_lines(#[case] raw: &str, #[case] tidied: &str) {
    assert_eq!(tidy(raw), tidied);
}

#[test]
fn every_title_survives() {
    for title in TITLES {
        if let Ok(cleaned) = clean_title(title) {
            assert_eq!(clean_title(&cleaned.title), Ok(cleaned.clone()));
            assert!(equivalent(title, &cleaned.title), "{title:?}");
        }
    }
}

proptest! {
    #[test]
    fn cleaning_is_done_once(raw in any_text()) {
        if let Ok(cleaned) = clean_title(&raw) {
            prop_assert!(cleaned.title.chars().count() <= LONGEST_TITLE);
            prop_assert_eq!(clean_title(&cleaned.title), Ok(Cleaned { rest: String::new(), ..cleaned }));
        }
        let tidied = tidy(&raw);
        prop_assert_eq!(tidy(&tidied), tidied);
    }

    #[test]
    fn equivalence_is_reflexive_and_symmetric(a in any_text(), b in any_text()) {
        prop_assert!(equivalent(&a, &a));
        prop_assert!(nearly_the_same(&a, &a));
        prop_assert_eq!(equivalent(&a, &b), equivalent(&b, &a));
        prop_assert_eq!(nearly_the_same(&a, &b), nearly_the_same(&b, &a));
        prop_assert!((similarity(&a, &b) - similarity(&b, &a)).abs() < f32::EPSILON);
        prop_assert!((0.0..=1.0).contains(&similarity(&a, &b)));
    }
}
