//! What a word is worth, and that what is found by it is what a count of all texts would find.

use std::collections::BTreeMap;

use custos_index::analyse::Analyser;
use custos_index::{Index, SearchQuery};
use custos_model::{EventId, Kind};
use proptest::prelude::*;
use serde_json::json;

use crate::Bench;

/// The rule, as plainly as it can be written down.
fn bm25(texts: &[(EventId, Vec<String>)], question: &[String]) -> BTreeMap<EventId, f64> {
    let count = texts.len() as f64;
    let average = texts.iter().map(|(_, text)| text.len()).sum::<usize>() as f64 / count;
    let weights: Vec<f64> = question
        .iter()
        .map(|word| {
            let having = texts.iter().filter(|(_, text)| text.contains(word)).count() as f64;
            (1.0 + (count - having + 0.5).max(0.0) / (having + 0.5)).ln().powf(1.5)
        })
        .collect();
    let score = |text: &[String]| {
        let saturation = 1.2 * (1.0 - 0.6 + 0.6 * text.len() as f64 / average.max(1.0));
        let (mut sum, mut covered) = (0.0, 0.0);
        for (word, weight) in question.iter().zip(&weights) {
            let frequency = text.iter().filter(|other| *other == word).count() as f64;
            if frequency > 0.0 {
                sum += weight * frequency * 2.2 / (frequency + saturation);
                covered += weight;
            }
        }
        sum * (0.5 + 0.5 * covered / weights.iter().sum::<f64>())
    };
    texts.iter().map(|(id, text)| (*id, score(text))).filter(|(_, score)| *score > 0.0).collect()
}

fn found(index: &mut Index, query: &SearchQuery<'_>) -> BTreeMap<EventId, f64> {
    let (_, matching) = index.match_words(query, 512).unwrap();
    assert!(matching.is_sorted_by(|a, b| a.score >= b.score));
    let scored = matching.into_iter().map(|matching| {
        let (_, entry) = index.entries(&[matching.key]).unwrap().remove(0);
        assert!(Index::is_wanted(&entry, query));
        (entry.id, matching.score)
    });
    scored.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever else is in the store, and however it got there.
    #[test]
    fn words_are_weighed_within_the_scope(
        texts in proptest::collection::vec((0_usize..3, any::<bool>(), "([a-l] ){1,12}"), 1..120),
        question in "([a-n] ){1,9}",
        batches in 1_usize..4,
    ) {
        let projects = ["p", "q", ""];
        let bench = Bench::new();
        let mut writer = bench.writer("a", 1);
        let mut index = bench.index();
        let mut analyser = Analyser::default();
        let mut tokens = |text: &str| {
            let mut tokens = Vec::new();
            analyser.analyse(text, |token| tokens.push(token.to_owned()));
            tokens
        };
        let mut written = Vec::new();
        for (number, (project, is_prompt, text)) in texts.iter().enumerate() {
            let kind = if *is_prompt { "prompt.submitted" } else { "observation.recorded" };
            let mut draft = json!({"kind": kind, "body": {"text": text}});
            if !projects[*project].is_empty() {
                draft["project"] = json!(projects[*project]);
            }
            let id = writer.append(&draft);
            written.push((projects[*project], *is_prompt, id, tokens(text)));
            if number % texts.len().div_ceil(batches) == 0 {
                writer.flush();
                crate::catch_up(&mut index, &bench);
            }
        }
        writer.flush();
        crate::catch_up(&mut index, &bench);
        let mut asked = tokens(&question);
        asked.sort_unstable();
        asked.dedup();
        let everything = [Kind::PromptSubmitted, Kind::ObservationRecorded];
        for wanted in [&[][..], &["p"], &["q", "nowhere"], &["p", ""]] {
            for kinds in [&[][..], &everything[..1], &everything] {
                let scope: Vec<(EventId, Vec<String>)> = written
                    .iter()
                    .filter(|(project, ..)| wanted.is_empty() || wanted.contains(project))
                    .filter(|(_, is_prompt, ..)| kinds.len() != 1 || *is_prompt)
                    .map(|(_, _, id, tokens)| (*id, tokens.clone()))
                    .collect();
                let query = SearchQuery { projects: wanted, kinds, ..SearchQuery::new(&question) };
                let (found, expected) = (found(&mut index, &query), bm25(&scope, &asked));
                prop_assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
                for (id, score) in found {
                    prop_assert!((score - expected[&id]).abs() < 1e-9, "{} is not {}", score, expected[&id]);
                }
            }
        }
    }
}

/// How common a word is must be known even where nobody counts it.
#[test]
fn a_common_word_is_estimated_within_the_scope() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    // Everywhere in one project, and in one text of ten in the other.
    for number in 0..24_000 {
        let (project, word) = if number % 2 == 0 {
            ("loud", "token")
        } else {
            ("quiet", if number % 20 == 1 { "token" } else { "other" })
        };
        let text = format!("{word} filler{}", number % 7);
        writer.append(&json!({"kind": "prompt.submitted", "project": project, "body": {"text": text}}));
    }
    writer.flush();
    let mut index = bench.caught_up();
    let mut best = |projects: &[&str], text: &str| {
        index.match_words(&SearchQuery { projects, ..SearchQuery::new(text) }, 300).unwrap().1[0].score
    };
    let weight = |share: f64| (1.0 + (1.0 - share) / share).ln().powf(1.5);
    // A text of two words, each once, of average length: what is left is the weight.
    let quiet = best(&["quiet"], "token");
    assert!((quiet - weight(0.1)).abs() < 1e-3, "{quiet}");
    let loud = best(&["loud"], "token");
    assert!(loud < 1e-3, "{loud}");
    // Of both together it is in more than anybody counts: a sample of them tells.
    let both = best(&["loud", "quiet"], "token");
    assert!((both - weight(0.55)).abs() < 0.12, "{both}");
    assert!((best(&[], "token") - both).abs() < 1e-9);
}

/// More words than are looked up, in more projects than one: none of them may be taken for rarer than it is.
#[test]
fn a_long_question_in_several_projects() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let words: Vec<String> = (b'a'..=b'z').map(|letter| format!("{0}{0}{0}", char::from(letter))).collect();
    for number in 0..6_000 {
        let text: Vec<&str> = (0..4).map(|n| words[(number * 7 + n * n * 5) % 26].as_str()).collect();
        let draft = json!({"kind": "prompt.submitted", "project": format!("p{}", number % 3), "body": {"text": text.join(" ")}});
        writer.append(&draft);
    }
    let all = json!({"kind": "prompt.submitted", "project": "p1", "body": {"text": words.join(" ")}});
    let best = writer.append(&all);
    writer.flush();
    let mut index = bench.caught_up();
    let question = words.join(" ");
    for projects in [&[][..], &["p0", "p1"], &["p1"]] {
        let query = SearchQuery { projects, ..SearchQuery::new(&question) };
        let (words, matching) = index.match_words(&query, 300).unwrap();
        let keys: Vec<_> = matching.iter().map(|matching| matching.key).collect();
        assert_eq!(keys.len(), 300);
        assert_eq!(index.entries(&keys[..1]).unwrap()[0].1.id, best);
        let coverage = index.coverage(&words, &keys[..1]).unwrap()[0];
        assert!((coverage - 1.0).abs() < 1e-9, "{coverage}");
    }
}

/// There are fewer slots than that, so some projects share one.
#[test]
fn projects_that_share_a_slot_are_told_apart() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let written: Vec<(String, EventId)> = (0..3_000)
        .map(|number| {
            let project = format!("project-{number}");
            let draft = json!({"kind": "prompt.submitted", "project": project, "body": {"text": "needle"}});
            let id = writer.append(&draft);
            (project, id)
        })
        .collect();
    writer.flush();
    let mut index = bench.caught_up();
    for (project, id) in written.iter().step_by(7) {
        let query = SearchQuery { projects: &[project], ..SearchQuery::new("needle") };
        assert_eq!(found(&mut index, &query).into_keys().collect::<Vec<_>>(), [*id]);
        let recent = index.recent(Kind::PromptSubmitted, Some(project), 9).unwrap();
        assert_eq!(recent.iter().map(|entry| entry.id).collect::<Vec<_>>(), [*id]);
    }
    let two = [written[0].0.as_str(), written[2_999].0.as_str()];
    let query = SearchQuery { projects: &two, ..SearchQuery::new("needle") };
    assert_eq!(found(&mut index, &query).len(), 2);
    assert_eq!(index.sample(&query, 100).unwrap().len(), 2);
}

#[test]
fn what_narrows_a_question_chooses_and_does_not_weigh() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut write = |session: &str, sort: &str, file: &str| {
        writer.append(&json!({"kind": "observation.recorded", "project": "p", "session": session, "body": {
            "type": sort, "narrative": "needle", "files_modified": [file],
        }}))
    };
    let a = write("s", "bugfix", "/home/me/p/src/auth/token.rs");
    let b = write("s", "decision", "src/auth/token.rs");
    let c = write("t", "bugfix", "src/other/token.rs");
    writer.flush();
    let mut index = bench.caught_up();
    let all = found(&mut index, &SearchQuery::new("needle"));
    assert_eq!(all.len(), 3);
    let mut narrowed = |change: &dyn Fn(&mut SearchQuery<'static>)| -> Vec<EventId> {
        let mut query = SearchQuery { projects: &["p"], ..SearchQuery::new("needle") };
        change(&mut query);
        let (_, matching) = index.match_words(&query, 300).unwrap();
        let keys: Vec<_> = matching.iter().map(|matching| matching.key).collect();
        let mut ids = Vec::new();
        for ((_, entry), matching) in index.entries(&keys).unwrap().iter().zip(matching) {
            assert!((all[&entry.id] - matching.score).abs() < 1e-9);
            ids.extend(Index::is_wanted(entry, &query).then_some(entry.id));
        }
        ids.sort_unstable();
        ids
    };
    assert_eq!(narrowed(&|query| query.session = Some("s")), [a, b]);
    assert_eq!(narrowed(&|query| query.sorts = &["bugfix"]), [a, c]);
    assert_eq!(narrowed(&|query| query.sorts = &["bugfix", "decision"]), [a, b, c]);
    assert_eq!(narrowed(&|query| query.files = &["src/auth/token.rs"]), [a, b]);
    assert_eq!(narrowed(&|query| query.files = &["/elsewhere/src/other/token.rs"]), [c]);
    assert_eq!(narrowed(&|query| query.files = &["token.rs", "x.rs"]), [a, b, c]);
    assert_eq!(narrowed(&|query| query.files = &["oken.rs", "tok"]), []);
    let both = |query: &mut SearchQuery<'static>| {
        query.session = Some("s");
        query.sorts = &["bugfix"];
    };
    assert_eq!(narrowed(&both), [a]);
}
