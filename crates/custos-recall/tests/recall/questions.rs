//! Any question, to any memory.

use custos_index::Budget;
use custos_log::{Selection, forget};
use custos_model::{Draft, Kind, Timestamp};
use custos_recall::{Ask, Depth, Echo, Order, Replacement, Types, Viewer};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

use crate::memory::{Bag, Memory, ask, draft, now, observation, texts, with_body};

#[test]
fn an_empty_memory_answers_with_nothing() {
    let mut store = Memory::new().open(Some(Bag::named("bag.1")));
    for text in ["", "database", "???"] {
        for depth in [Depth::Server, Depth::Hook] {
            assert_eq!(store.search(&Ask { depth, ..ask(text) }).unwrap().found, []);
        }
    }
}

#[test]
fn one_memory_is_found_by_its_words_by_its_meaning_and_by_nothing() {
    let (_memory, mut store, _) = Memory::with(&[observation(1, "The queue moved to Postgres")]);
    for text in ["queue", "which database", ""] {
        assert_eq!(texts(&store.search(&ask(text)).unwrap()), ["The queue moved to Postgres"], "{text:?}");
    }
    assert_eq!(store.search(&Ask { limit: 0, ..ask("queue") }).unwrap().found, []);
}

#[test]
fn what_means_the_same_is_found_by_the_server_without_a_common_word() {
    let drafts = [
        observation(3, "The queue moved to Postgres"),
        observation(2, "She rode her bicycle along the river"),
        observation(1, "Buttons are blue now"),
    ];
    let (_memory, mut store, _) = Memory::with(&drafts);
    let best = |answer: &custos_recall::Answer| texts(answer).first().map(|text| (*text).to_owned());
    assert_eq!(
        best(&store.search(&ask("cycling")).unwrap()).unwrap(),
        "She rode her bicycle along the river"
    );
    // A hook looks at what has the words.
    assert_eq!(store.search(&Ask { depth: Depth::Hook, ..ask("cycling") }).unwrap().found, []);
}

#[rstest]
#[case::german("Welche Datenbank nutzen wir?", "Die Datenbank läuft jetzt auf dem neuen Server")]
#[case::german_umlaut("Schlüssel erneuern", "Der Schlüssel wird alle 90 Tage erneuert")]
#[case::japanese("データベースの移行", "データベースを新しいサーバーに移行した")]
#[case::japanese_part("認証エラー", "認証の更新でエラーが出たので再試行を追加した")]
#[case::code("refresh token", "refreshToken() was called twice")]
fn questions_in_other_languages(#[case] question: &str, #[case] expected: &str) {
    let drafts = [
        observation(5, "Die Datenbank läuft jetzt auf dem neuen Server"),
        observation(4, "Der Schlüssel wird alle 90 Tage erneuert"),
        observation(3, "データベースを新しいサーバーに移行した"),
        observation(2, "認証の更新でエラーが出たので再試行を追加した"),
        observation(1, "refreshToken() was called twice"),
    ];
    let (_memory, mut store, _) = Memory::with(&drafts);
    for depth in [Depth::Server, Depth::Hook] {
        let answer = store.search(&Ask { depth, ..ask(question) }).unwrap();
        assert_eq!(texts(&answer).first(), Some(&expected), "{depth:?}");
    }
}

#[test]
fn a_question_of_a_hundred_kilobytes_is_a_question() {
    let (_memory, mut store, _) = Memory::with(&[observation(1, "The queue moved to Postgres")]);
    for text in ["queue ".repeat(20_000), "ü".repeat(50_000), "x".repeat(100_000)] {
        store.search(&ask(&text)).unwrap();
    }
}

#[rstest]
fn syntax_is_text(
    #[values(
        "\" OR 1=1 --",
        "'; DROP TABLE texts; --",
        "NEAR(a b)",
        "title:*",
        "a AND NOT b",
        "^queue",
        "{queue}",
        "\0",
        "\u{202e}queue",
        "</system-reminder>",
        "\u{e000}kobservationrecorded",
        "🚀"
    )]
    text: &str,
) {
    let (_memory, mut store, _) = Memory::with(&[observation(1, "The queue moved to Postgres")]);
    for depth in [Depth::Server, Depth::Hook] {
        store.search(&Ask { depth, ..ask(text) }).unwrap();
    }
}

#[test]
fn without_vectors_words_decide_and_a_note_says_so() {
    let memory = Memory::new();
    memory.append(observation(2, "The queue moved to Postgres"));
    memory.append(observation(1, "Buttons are blue now"));
    let answer = memory.open(Some(Bag::named("bag.1"))).search(&ask("queue")).unwrap();
    assert_eq!(texts(&answer), ["The queue moved to Postgres"]);
    assert_eq!(answer.found[0].relevance.cosine, None);
    assert!(answer.notes[0].starts_with("no vectors have been made yet"), "{:?}", answer.notes);
    // Whoever wants no embedder is not told about one.
    assert_eq!(memory.open(None).search(&ask("queue")).unwrap().notes, Vec::<String>::new());
}

#[test]
fn a_new_memory_without_a_vector_is_not_put_behind_old_ones_that_have_one() {
    let memory = Memory::new();
    let old: Vec<_> =
        (0..20).map(|at| observation(1000 + at, &format!("The queue number {at} is slow"))).collect();
    let other: Vec<_> = (0..20).map(|at| observation(2000 + at, &format!("Button {at} is blue"))).collect();
    for draft in old.iter().chain(&other) {
        memory.append(draft.clone());
    }
    let embedder = Bag::named("bag.1");
    memory.embed(&embedder, &old);
    memory.embed(&embedder, &other);
    memory.append(observation(1, "The queue moved to Postgres because the old one lost jobs"));
    let answer = memory.open(Some(embedder)).search(&ask("queue moved lost jobs")).unwrap();
    assert_eq!(texts(&answer)[0], "The queue moved to Postgres because the old one lost jobs");
}

#[test]
fn vectors_of_another_embedder_are_never_compared() {
    let drafts = [observation(2, "The queue moved to Postgres"), observation(1, "Buttons are blue now")];
    let memory = Memory::new();
    for draft in &drafts {
        memory.append(draft.clone());
    }
    let (first, second) = (Bag::named("bag.1"), Bag::named("bag.2"));
    memory.embed(&first, &drafts);
    let found = |embedder| {
        let answer = memory.open(Some(embedder)).search(&ask("database queue")).unwrap();
        (texts(&answer).join("|"), answer.found[0].relevance.cosine.is_some())
    };
    let by_words = ("The queue moved to Postgres".to_owned(), false);
    assert_eq!(found(second.clone()), by_words);
    // Both in one directory, each with its own.
    memory.embed(&second, &drafts[..1]);
    assert!(found(second).1);
    assert!(found(first).1);
}

/// While one embedder takes over from another, some memories have the vectors of the one, some of the other, some of both.
#[test]
fn with_two_embedders_in_one_memory_every_memory_is_found_by_what_it_has() {
    let memory = Memory::new();
    let drafts = [
        observation(5, "The queue moved to Postgres"),
        observation(4, "The queue lost its jobs"),
        observation(3, "The queue is slow at night"),
        observation(2, "Buttons are blue now"),
        observation(1, "The bicycle is in the shed"),
    ];
    for draft in &drafts {
        memory.append(draft.clone());
    }
    let (old, new) = (Bag::named("bag.1"), Bag::named("bag.2"));
    memory.embed(&old, &drafts);
    memory.embed(&new, &drafts[2..]);
    let found = |embedder, text| {
        let answer = memory.open(Some(embedder)).search(&ask(text)).unwrap();
        assert_eq!(answer.notes, Vec::<String>::new());
        let found = answer.found.into_iter();
        found.map(|found| (found.entry.excerpt, found.relevance.cosine.is_some())).collect::<Vec<_>>()
    };
    let named = |has: [bool; 3]| {
        let texts = ["The queue is slow at night", "The queue lost its jobs", "The queue moved to Postgres"];
        texts.map(str::to_owned).into_iter().zip(has).collect::<Vec<_>>()
    };
    let by_words = |embedder| {
        let mut found = found(embedder, "queue");
        found.truncate(3);
        found.sort();
        found
    };
    assert_eq!(by_words(old.clone()), named([true, true, true]));
    assert_eq!(by_words(new.clone()), named([true, false, false]));
    // By meaning alone, each finds what it knows.
    assert_eq!(found(new, "cycling")[0], ("The bicycle is in the shed".to_owned(), true));
    assert_eq!(found(old, "database")[0], ("The queue moved to Postgres".to_owned(), true));
}

#[test]
fn what_only_stands_beside_an_answer_takes_no_answers_place() {
    // Those beside the best are worth more than the last answers, but they are none.
    let said = |minutes, text: &str| {
        let mut draft = observation(minutes, text);
        draft.session = Some("talk".to_owned());
        draft
    };
    let mut drafts = vec![
        said(50, "Buttons are blue now"),
        said(49, "The kangaroo parser fails on the kangaroo parser"),
        said(48, "Lunch is at noon"),
    ];
    drafts.extend((0..3).map(|at| observation(at, &format!("A kangaroo of the zoo, number {at}"))));
    let (_memory, mut store, _) = Memory::with(&drafts);
    for limit in 1..=4 {
        let ask = Ask { limit, ..ask("kangaroo parser") };
        assert_eq!(store.search_types(&ask, &Types::default()).unwrap().found.len(), limit);
    }
}

#[test]
fn without_words_as_many_are_looked_at_as_it_takes() {
    let mut drafts = vec![with_body(9_000, json!({"type": "bugfix", "narrative": "the first fix"}))];
    drafts.extend((0..5_000).map(|at| observation(8_999 - at, "an observation")));
    let memory = Memory::new();
    for draft in drafts {
        memory.append(draft);
    }
    let answer = memory.open(None).search(&Ask { sorts: &["bugfix"], ..ask("") }).unwrap();
    assert_eq!((texts(&answer), &answer.notes), (vec!["the first fix"], &Vec::new()));
}

#[test]
fn what_is_merely_the_least_bad_is_no_answer_for_somebody_who_reads_the_list() {
    let drafts = [
        observation(4, "The queue moved to Postgres"),
        observation(3, "Buttons are blue now"),
        observation(2, "The bicycle shed is full"),
        observation(1, "Invoices go out weekly"),
    ];
    let (_memory, mut store, _) = Memory::with(&drafts);
    let mut listed = |text| texts(&store.search_types(&ask(text), &Types::default()).unwrap()).join("|");
    assert_eq!(listed("zeppelin"), "");
    assert_eq!(listed("cycling"), "The bicycle shed is full");
    assert_eq!(listed("queue"), "The queue moved to Postgres");
    // Whoever measures the ranking gets all of it.
    assert_eq!(store.search(&ask("zeppelin")).unwrap().found.len(), 4);
}

#[test]
fn whole_kinds_and_single_types_are_in_one_ranking() {
    let prompt = |minutes, text: &str| {
        draft(Kind::PromptSubmitted, minutes, json!({ "text": text }).as_object().unwrap().clone())
    };
    let of = |minutes, sort: &str, text: &str| with_body(minutes, json!({ "type": sort, "narrative": text }));
    let drafts = [
        prompt(50, "why does the queue lose jobs at midnight"),
        prompt(40, "paint the buttons"),
        of(30, "bugfix", "The queue of jobs was renamed"),
        of(20, "decision", "The queue loses no jobs at midnight any more, decided"),
        of(10, "bugfix", "The buttons are blue"),
    ];
    let (_memory, mut store, ids) = Memory::with(&drafts);
    let mut found = |types: &[&str], order| -> Vec<(usize, f64)> {
        let types = Types::read(types.iter().copied()).unwrap();
        let answer = store.search_types(&Ask { order, ..ask("queue jobs midnight") }, &types).unwrap();
        let place = |id| ids.iter().position(|known| *known == id).unwrap();
        answer.found.iter().map(|found| (place(found.entry.id), found.parts.words)).collect()
    };
    let places = |found: &[(usize, f64)]| found.iter().map(|(place, _)| *place).collect::<Vec<_>>();
    let mixed = found(&["prompt", "bugfix"], Order::Relevance);
    assert_eq!(places(&mixed), [0, 2]);
    // The best among the fixes is not as good as the best of all.
    assert!(mixed[0].1 > 0.99 && mixed[1].1 < 0.9, "{mixed:?}");
    assert_eq!(places(&found(&["prompt", "bugfix"], Order::Newest)), [2, 0]);
    assert_eq!(places(&found(&["prompt", "bugfix", "decision"], Order::Oldest)), [0, 2, 3]);
}

#[test]
fn filters_hold_also_for_what_was_found_by_its_meaning() {
    let mut other = observation(2, "Postgres is in another project");
    other.project = Some("q".to_owned());
    let drafts = [
        observation(4, "The queue moved to Postgres"),
        with_body(
            3,
            json!({"type": "bugfix", "narrative": "Postgres lost a row", "files_modified": ["src/row.rs"]}),
        ),
        other,
    ];
    let (_memory, mut store, _) = Memory::with(&drafts);
    let mut found = |ask: Ask<'_>| {
        let answer = store.search(&ask).unwrap();
        let mut found: Vec<String> = texts(&answer).into_iter().map(str::to_owned).collect();
        found.sort();
        found.join("|")
    };
    assert_eq!(found(Ask { projects: &["q"], ..ask("database") }), "Postgres is in another project");
    assert_eq!(
        found(Ask { projects: &["p"], ..ask("database") }),
        "Postgres lost a row|The queue moved to Postgres"
    );
    assert_eq!(found(Ask { sorts: &["bugfix"], ..ask("database") }), "Postgres lost a row");
    assert_eq!(found(Ask { files: &["src/row.rs"], ..ask("database") }), "Postgres lost a row");
    assert_eq!(
        found(Ask { since: Some(now().minus_millis(150_000)), ..ask("database") }),
        "Postgres is in another project"
    );
}

/// A prompt of a session, so many minutes before now.
fn prompt(minutes: i64, session: &str, text: &str) -> Draft {
    let mut prompt = with_body(minutes, json!({ "text": text }));
    (prompt.kind, prompt.session) = (Kind::PromptSubmitted, Some(session.to_owned()));
    prompt
}

#[test]
fn what_a_session_has_typed_itself_is_no_answer_to_it() {
    let question = "why does the queue lose jobs in the night";
    let drafts = [
        observation(90, "jobs: the night shift restarts the queue"),
        prompt(80, "s-old", "why does the queue lose jobs"),
        prompt(5, "s-now", "the queue again"),
        prompt(1, "s-now", "Why does the queue lose jobs, in the night?"),
    ];
    let (_memory, mut store, _) = Memory::with(&drafts);
    let mut found = |echo, text| {
        let answer = store.search_types(&Ask { echo, ..ask(text) }, &Types::default()).unwrap();
        answer.found.into_iter().map(|found| found.entry.excerpt).collect::<Vec<_>>()
    };
    assert_eq!(found(Echo::Kept, question)[0], "Why does the queue lose jobs, in the night?");
    let others = ["why does the queue lose jobs", "jobs: the night shift restarts the queue"];
    assert_eq!(found(Echo::LeftOut(Some("s-now")), question), others);
    // Also where nothing is asked, or the session is not known: then only what says the same, and only just now.
    assert_eq!(found(Echo::LeftOut(Some("s-now")), ""), others);
    let unknown = found(Echo::LeftOut(None), question);
    assert!(
        unknown.len() == 3 && others.iter().all(|other| unknown.contains(&(*other).to_owned())),
        "{unknown:?}"
    );
    assert_eq!(found(Echo::LeftOut(None), "").len(), 4);
    assert_eq!(found(Echo::LeftOut(None), "why does the queue lose jobs")[0], others[0], "80 minutes ago");
}

#[test]
fn an_answer_is_measured_by_the_other_answers_and_not_by_the_question_itself() {
    // Many rare words, of which the answer has one: beside the prompt that has them all, that is next to nothing.
    let question = "does zebra yak xerus wombat vole urial tapir serval raccoon quokka matter";
    let memory = Memory::new();
    for draft in [prompt(1, "s-now", question), observation(9, "a quokka was seen"), observation(8, "other")]
    {
        memory.append(draft);
    }
    let mut store = memory.open(None);
    let mut worth = |echo| {
        let answer = store.search(&Ask { echo, ..ask(question) }).unwrap();
        let answer = answer.found.into_iter().find(|found| found.entry.excerpt == "a quokka was seen");
        answer.unwrap().parts.words
    };
    assert!(worth(Echo::Kept) < 0.25);
    assert!(worth(Echo::LeftOut(Some("s-now"))) >= 1.0);
    assert!(worth(Echo::LeftOut(None)) >= 1.0);
}

#[test]
fn an_index_that_is_behind_answers_from_what_is_there_and_says_so() {
    let memory = Memory::new();
    memory.append(observation(1, "The queue moved to Postgres"));
    memory.open(None);
    memory.append(observation(0, "The queue is slow again"));
    let mut store = memory.open_as_it_is();
    let no_time = Budget { limit: std::time::Duration::ZERO, elapsed: &|| std::time::Duration::ZERO };
    assert!(!store.catch_up(Some(no_time)).unwrap().complete);
    let answer = store.search(&ask("queue")).unwrap();
    assert_eq!(texts(&answer), ["The queue moved to Postgres"]);
    assert!(answer.notes[0].starts_with("the index has not read the whole log yet"), "{:?}", answer.notes);
    store.catch_up(None).unwrap();
    assert_eq!(store.search(&ask("queue")).unwrap().notes, Vec::<String>::new());
}

#[test]
fn what_is_shown_of_an_answer() {
    let body = json!({"type": "bugfix", "title": "Queue lost jobs", "narrative": "The queue moved to Postgres", "facts": ["jobs are rows"]});
    let (_memory, mut store, ids) = Memory::with(&[with_body(0, body)]);
    let found = store.search(&ask("queue")).unwrap().found.remove(0);
    assert_eq!((found.entry.id, found.entry.title.as_deref()), (ids[0], Some("Queue lost jobs")));
    assert_eq!(found.snippet, "The queue moved to Postgres");
    assert_eq!(found.tokens, found.entry.chars.div_ceil(4));
    assert!((found.relevance.coverage - 1.0).abs() < 1e-9 && found.relevance.cosine.is_some());
    assert!((found.score - found.parts.sum()).abs() < 1e-9);
    assert!((found.parts.words - 1.0).abs() < 1e-9);
}

#[test]
fn a_timeline_is_what_happened_around_it_in_its_project() {
    let mut elsewhere = observation(25, "elsewhere");
    elsewhere.project = Some("q".to_owned());
    let mut drafts: Vec<_> = (1..=5).map(|at| observation(60 - 10 * at, &format!("step {at}"))).collect();
    drafts.push(elsewhere);
    let (_memory, mut store, ids) = Memory::with(&drafts);
    let mut line = |anchor, before, after| {
        let rows = store.timeline(anchor, before, after, &Viewer::owner()).unwrap();
        rows.into_iter().map(|(_, entry)| entry.excerpt).collect::<Vec<_>>().join("|")
    };
    assert_eq!(line(ids[2], 1, 2), "step 2|step 3|step 4|step 5");
    assert_eq!(line(ids[0], 9, 0), "step 1");
    let unknown = custos_model::EventId::new(Timestamp::from_millis(5), [7; 10]);
    assert_eq!(line(unknown, 5, 5), "");
}

#[test]
fn all_of_something_with_its_sources_and_what_took_its_place() {
    let memory = Memory::new();
    let source = memory.append(observation(9, "a source"));
    let old = memory.append(with_body(8, json!({"narrative": "we use MySQL", "sources": [source]})));
    let new = memory.append(with_body(7, json!({"narrative": "we use Postgres", "supersedes": [old]})));
    let mut store = memory.open(None);
    let whole = store.whole(&[new, old], &Viewer::owner()).unwrap();
    let told: Vec<_> = whole
        .iter()
        .map(|whole| {
            (whole.body["narrative"].as_str().unwrap(), whole.sources.clone(), whole.replaced_by.clone())
        })
        .collect();
    assert_eq!(
        told,
        [("we use Postgres", vec![], None), ("we use MySQL", vec![source], Some(Replacement::Memory(new)))]
    );
    // What was replaced is found no more.
    assert_eq!(texts(&store.search(&ask("use")).unwrap()), ["we use Postgres"]);
}

#[test]
fn a_forgotten_memory_is_found_never_again() {
    let drafts = [observation(2, "The queue moved to Postgres"), observation(1, "The queue is slow")];
    let (memory, mut store, ids) = Memory::with(&drafts);
    let selection = Selection::Id(ids[0]);
    let plan = forget::plan(memory.log(), &selection, &mut |_| {}).unwrap();
    forget::forget(memory.log(), &plan, &selection, "test").unwrap();
    store.catch_up(None).unwrap();
    assert_eq!(texts(&store.search(&ask("queue")).unwrap()), ["The queue is slow"]);
    assert_eq!(store.whole(&[ids[0]], &Viewer::owner()).unwrap(), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is asked, the answer is an answer: at most so many, each once, the best first, and the same again.
    #[test]
    fn any_question_has_an_answer(
        text in prop_oneof!["\\PC{0,60}", "(queue|moved|Postgres|blue|the| ){0,8}"],
        limit in 0usize..6,
        depth in prop_oneof![Just(Depth::Hook), Just(Depth::Server)],
    ) {
        thread_local! {
            static STORE: std::cell::RefCell<(Memory, custos_recall::Store)> = std::cell::RefCell::new({
                let drafts = [
                    observation(4, "The queue moved to Postgres"),
                    observation(3, "Buttons are blue now"),
                    observation(2, "The queue is slow"),
                    observation(1, "the the the"),
                ];
                let (memory, store, _) = Memory::with(&drafts);
                (memory, store)
            });
        }
        STORE.with_borrow_mut(|(_, store)| {
            let ask = Ask { limit, depth, ..ask(&text) };
            let answer = store.search(&ask).unwrap();
            let mut ids: Vec<_> = answer.found.iter().map(|found| found.entry.id).collect();
            prop_assert!(ids.len() <= limit);
            prop_assert!(answer.found.iter().all(|found| found.score.is_finite()));
            if !text.trim().is_empty() {
                prop_assert!(answer.found.is_sorted_by(|better, worse| better.score >= worse.score));
            }
            prop_assert_eq!(&answer, &store.search(&ask).unwrap());
            ids.sort();
            ids.dedup();
            prop_assert_eq!(ids.len(), answer.found.len());
            Ok(())
        })?;
    }
}
