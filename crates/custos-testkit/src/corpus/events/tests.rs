//! The corpus is what it says it is: its mix, its sizes, its words, and the same every time.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::corpus::{COMMON_WORD, RARE_EVERY};

const N: usize = 10_000;

fn text<'a>(draft: &'a Value, field: &str) -> &'a str {
    draft[field].as_str().unwrap()
}

#[test]
fn a_seed_gives_the_same_drafts() {
    let all: Vec<Value> = events(1, 300).collect();
    assert_eq!(all, events(1, 300).collect::<Vec<_>>());
    assert_eq!(all[..100], events(1, 100).collect::<Vec<_>>(), "a longer corpus begins like a shorter one");
    assert_ne!(all, events(2, 300).collect::<Vec<_>>());
    assert_eq!(events(1, 300).len(), 300);
}

#[test]
fn kinds_are_mixed_as_in_real_sessions() {
    let mut counts = BTreeMap::<String, usize>::new();
    for draft in events(42, N) {
        *counts.entry(text(&draft, "kind").to_owned()).or_default() += 1;
    }
    let permille = |kinds: &[&str]| kinds.iter().map(|&kind| counts[kind]).sum::<usize>() * 1_000 / N;
    assert!((680..720).contains(&permille(&["tool.used", "tool.failed"])), "{counts:?}");
    assert!((70..90).contains(&permille(&["prompt.submitted"])), "{counts:?}");
    assert!((70..90).contains(&permille(&["turn.ended"])), "{counts:?}");
    assert!((90..110).contains(&permille(&["observation.recorded"])), "{counts:?}");
    assert!((22..38).contains(&permille(&["summary.recorded"])), "{counts:?}");
    assert!((6..14).contains(&permille(&["session.started", "session.ended"])), "{counts:?}");
}

#[test]
fn sizes_lie_around_one_kilobyte() {
    let mut sizes: Vec<usize> = events(42, N).map(|draft| draft.to_string().len()).collect();
    sizes.sort_unstable();
    assert!((900..1_150).contains(&sizes[N / 2]), "median {}", sizes[N / 2]);
    assert!(sizes[0] > 200, "smallest {}", sizes[0]);
    assert!((6_500..9_500).contains(&sizes[N - 1]), "largest {}", sizes[N - 1]);
}

#[test]
fn sessions_begin_and_end_once_and_in_order() {
    let mut under_way = BTreeSet::new();
    let mut ended = BTreeSet::new();
    for draft in events(3, N) {
        let session = text(&draft, "session").to_owned();
        match text(&draft, "kind") {
            "session.started" => assert!(under_way.insert(session)),
            "session.ended" => assert!(under_way.remove(&session) && ended.insert(session)),
            kind => assert!(under_way.contains(&session), "{kind} outside of its session"),
        }
    }
    assert!(ended.len() > 20, "{} sessions ended", ended.len());
}

#[test]
fn most_observations_contain_the_common_word_and_nothing_else_does() {
    let holds = |draft: &Value| draft.to_string().contains(COMMON_WORD);
    let all: Vec<Value> = observations(4, 1_000).collect();
    let common = all.iter().filter(|draft| holds(draft)).count();
    assert!((870..930).contains(&common), "{common}");
    assert!(
        events(4, 3_000).filter(|draft| draft["kind"] != "observation.recorded").all(|draft| !holds(&draft))
    );
}

#[test]
fn a_rare_word_is_in_its_own_observation_and_nowhere_else() {
    for corpus in [events(5, 2_000), observations(5, 2_000)] {
        let drafts: Vec<(String, String)> =
            corpus.map(|draft| (text(&draft, "kind").to_owned(), draft["body"].to_string())).collect();
        let mut found = 0;
        for (index, word) in (0..drafts.len()).filter_map(|index| Some((index, rare_word(index)?))) {
            let holders: Vec<usize> = (0..drafts.len()).filter(|&i| drafts[i].1.contains(&word)).collect();
            assert_eq!((holders, drafts[index].0.as_str()), (vec![index], "observation.recorded"), "{word}");
            found += 1;
        }
        assert_eq!(found, 2_000 / RARE_EVERY);
    }
}

#[test]
fn bodies_have_the_fields_of_their_kind() {
    let mut fields = BTreeMap::<String, BTreeSet<String>>::new();
    for draft in events(6, N) {
        let names: Vec<&str> = draft["body"].as_object().unwrap().keys().map(String::as_str).collect();
        let mut names = names;
        names.sort_unstable();
        fields.entry(text(&draft, "kind").to_owned()).or_default().insert(names.join(" "));
    }
    let tool = "duration_ms files_changed files_read input output tool";
    let expected = [
        (
            "observation.recorded",
            "concepts facts files_modified files_read narrative sources subtitle title type",
        ),
        ("prompt.submitted", "text"),
        ("session.ended", "reason"),
        ("session.started", "source"),
        (
            "summary.recorded",
            "completed files_edited files_read investigated learned next_steps notes request sources",
        ),
        ("tool.failed", tool),
        ("tool.used", tool),
        ("turn.ended", "counts last_message"),
    ];
    let expected = expected.map(|(kind, names)| (kind.to_owned(), BTreeSet::from([names.to_owned()])));
    assert_eq!(fields, expected.into());
}

#[test]
fn ids_and_times_have_the_form_of_the_logs_own() {
    let drafts: Vec<Value> = observations(7, 50).collect();
    for draft in &drafts {
        let id = draft["body"]["sources"][0].as_str().unwrap();
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        assert!(id[14..].starts_with('7') && "89ab".contains(&id[19..20]), "{id}");
    }
    let times: Vec<&str> = drafts.iter().map(|draft| text(draft, "ts")).collect();
    assert!(times.is_sorted() && times[0].starts_with("2026-01-05T08:"), "{times:?}");
}

#[test]
fn moments_are_written_as_dates() {
    let moments = [0, 951_782_399_999, 951_782_400_000, FIRST_MOMENT, 1_798_761_599_001, 1_798_761_600_000];
    assert_eq!(
        moments.map(rfc3339),
        [
            "1970-01-01T00:00:00.000Z",
            "2000-02-28T23:59:59.999Z",
            "2000-02-29T00:00:00.000Z",
            "2026-01-05T08:00:00.000Z",
            "2026-12-31T23:59:59.001Z",
            "2027-01-01T00:00:00.000Z",
        ]
    );
}
