//! What goes before what, beyond words and meaning.

use custos_model::{Draft, DraftAgent, Importance, Kind, Scope};
use custos_recall::{Ask, Depth, Viewer, Work};
use serde_json::{Map, json};

use crate::memory::{Memory, ask, now, observation, texts, with_body};

/// Finds which of two equal memories goes first, by a question that both answer.
fn first(drafts: &[Draft], question: &Ask<'_>) -> String {
    let (_memory, mut store, _) = Memory::with(drafts);
    texts(&store.search(question).unwrap())[0].to_owned()
}

fn twin(name: &str) -> Draft {
    observation(10, &format!("the queue {name}"))
}

#[test]
fn of_equals_what_concerns_the_files_at_hand_goes_first() {
    let about = |name: &str, file: &str| {
        with_body(10, json!({ "narrative": format!("the queue {name}"), "files_modified": [file] }))
    };
    let drafts = [about("one", "src/queue.rs"), about("two", "src/button.rs")];
    let work = Work { files: &["/home/x/shop/src/button.rs"], ..Work::default() };
    assert_eq!(first(&drafts, &Ask { work, ..ask("queue") }), "the queue two");
    let work = Work { files: &["src/queue.rs"], ..Work::default() };
    assert_eq!(first(&drafts, &Ask { work, ..ask("queue") }), "the queue one");
}

#[test]
fn of_equals_the_newer_the_weightier_and_the_branch_at_hand_go_first() {
    let mut old = twin("one");
    old.ts = Some(now().minus_millis(90 * 24 * 3_600_000));
    assert_eq!(first(&[old, twin("two")], &ask("queue")), "the queue two");

    let mut light = twin("one");
    light.importance = Importance::new(0.1);
    assert_eq!(first(&[light, twin("two")], &ask("queue")), "the queue two");

    let mut branch = twin("two");
    branch.branch = Some("fix".to_owned());
    let work = Work { branch: Some("fix"), ..Work::default() };
    assert_eq!(first(&[branch, twin("one")], &Ask { work, ..ask("queue") }), "the queue two");
}

#[test]
fn of_equals_the_role_of_the_one_who_asks_goes_first() {
    let mut draft = twin("two");
    draft.agent =
        Some(DraftAgent { client: "codex".to_owned(), id: None, role: Some("musician".to_owned()) });
    let viewer = Viewer::agent(Some("codex"), Some("musician"), None, None, Some("p"));
    assert_eq!(first(&[draft, twin("one")], &Ask { viewer, ..ask("queue") }), "the queue two");
}

#[test]
fn a_pin_lifts_and_an_unpin_lets_go() {
    let (memory, mut store, ids) = Memory::with(&[twin("one"), twin("two")]);
    let best = |store: &mut custos_recall::Store| texts(&store.search(&ask("queue")).unwrap())[0].to_owned();
    let pin = |word: &str, minutes: i64, id: custos_model::EventId| {
        let body = Map::from_iter([(word.to_owned(), json!(id))]);
        let mut draft = Draft::new(Kind::PolicyUpdated, Scope::User, body);
        draft.ts = Some(now().minus_millis(minutes * 60_000));
        draft
    };
    let before = best(&mut store);
    let other = usize::from(before == "the queue one");
    memory.append(pin("pin", 5, ids[other]));
    store.catch_up(None).unwrap();
    assert_ne!(best(&mut store), before);
    memory.append(pin("unpin", 4, ids[other]));
    store.catch_up(None).unwrap();
    assert_eq!(best(&mut store), before);
}

#[test]
fn what_nobody_has_reviewed_goes_behind_its_equal() {
    let memory = Memory::new();
    memory.log().append(twin("two"), custos_model::Origin::Import).unwrap();
    memory.append(twin("one"));
    let answer = memory.open(None).search(&ask("queue")).unwrap();
    assert_eq!(texts(&answer), ["the queue one", "the queue two"]);
    assert!(answer.found[1].parts.trust < 0.0);
}

#[test]
fn a_boost_does_not_put_a_bad_answer_before_a_good_one() {
    let mut weighty = observation(1, "the buttons are blue, and the queue is mentioned");
    weighty.importance = Importance::new(1.0);
    let mut plain = observation(90 * 24 * 60, "why the queue lost jobs: the lock was released too early");
    plain.importance = Importance::new(0.3);
    let others = (0..30).map(|at| observation(50 + at, &format!("button {at} is blue")));
    let drafts: Vec<Draft> = others.chain([weighty, plain]).collect();
    assert_eq!(
        first(&drafts, &ask("why did the queue lose jobs")),
        "why the queue lost jobs: the lock was released too early"
    );
}

#[test]
fn the_turn_beside_the_words_of_the_question_is_found() {
    let turn = |at: i64, text: &str| {
        let mut draft = observation(100 - at, text);
        draft.session = Some("s".to_owned());
        draft
    };
    let mut drafts = vec![
        turn(1, "Which port does the staging proxy use?"),
        turn(2, "It is 8443 since Tuesday."),
        turn(3, "Thanks."),
    ];
    drafts.extend((0..30).map(|at| observation(200 + at, &format!("button {at} is blue"))));
    let (_memory, mut store, _) = Memory::with(&drafts);
    for depth in [Depth::Hook, Depth::Server] {
        let answer = store.search(&Ask { depth, limit: 2, ..ask("staging proxy port") }).unwrap();
        assert_eq!(
            texts(&answer),
            ["Which port does the staging proxy use?", "It is 8443 since Tuesday."],
            "{depth:?}"
        );
        assert!(answer.found[1].parts.neighbours > 0.0);
    }
}

#[test]
fn prompts_summaries_and_observations_are_in_one_ranking() {
    let kinds = [Kind::PromptSubmitted, Kind::SummaryRecorded, Kind::ObservationRecorded];
    let drafts: Vec<Draft> = kinds
        .iter()
        .enumerate()
        .map(|(at, kind)| {
            let repeated = "queue ".repeat(3 - at);
            let mut draft =
                with_body(10, json!({ "text": format!("{repeated}and other words that fill the line") }));
            draft.kind = *kind;
            draft
        })
        .collect();
    let (_memory, mut store, _) = Memory::with(&drafts);
    let answer = store.search(&ask("queue")).unwrap();
    let found: Vec<Kind> = answer.found.iter().map(|found| found.entry.kind).collect();
    assert_eq!(found, kinds);
    let only = store.search(&Ask { kinds: &[Kind::SummaryRecorded], ..ask("queue") }).unwrap();
    assert_eq!(only.found.len(), 1);
}
