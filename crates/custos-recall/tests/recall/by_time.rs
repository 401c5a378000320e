//! Lists by time: of the answers to a question, and of everything where there are no words.

use custos_model::Kind;
use custos_recall::{Ask, Order};
use serde_json::json;

use crate::memory::{Memory, ask, draft, now, observation, texts, with_body};

#[test]
fn the_order_of_time_is_among_the_answers_only() {
    let drafts = [
        observation(40, "The queue lost jobs"),
        observation(30, "The queue was restarted"),
        observation(20, "Buttons are blue now"),
        observation(10, "The queue moved to Postgres"),
    ];
    let (_memory, mut store, _) = Memory::with(&drafts);
    let mut found = |order| texts(&store.search(&Ask { order, ..ask("queue") }).unwrap()).join("|");
    assert_eq!(
        found(Order::Newest),
        "The queue moved to Postgres|The queue was restarted|The queue lost jobs"
    );
    assert_eq!(
        found(Order::Oldest),
        "The queue lost jobs|The queue was restarted|The queue moved to Postgres"
    );
}

#[test]
fn by_time_the_first_is_the_newest_or_oldest_answer_and_not_the_best() {
    let drafts = [
        observation(40, "The queue lost jobs"),
        observation(30, "The queue: the queue of the queue"),
        observation(20, "The queue moved to Postgres"),
        observation(10, "Buttons are blue now"),
    ];
    let (_memory, mut store, _) = Memory::with(&drafts);
    let mut found =
        |order, limit| texts(&store.search(&Ask { order, limit, ..ask("queue") }).unwrap()).join("|");
    assert_eq!(found(Order::Newest, 1), "The queue moved to Postgres");
    assert_eq!(found(Order::Oldest, 1), "The queue lost jobs");
    assert_eq!(found(Order::Relevance, 1), "The queue: the queue of the queue");
}

#[test]
fn without_words_the_newest_of_every_kind_within_the_filters() {
    let text = |kind, minutes, text: &str| {
        let mut body = serde_json::Map::new();
        body.insert("text".to_owned(), text.into());
        draft(kind, minutes, body)
    };
    let drafts = [
        text(Kind::PromptSubmitted, 4, "a prompt"),
        text(Kind::SummaryRecorded, 3, "a summary"),
        observation(2, "an observation"),
        with_body(1, json!({"type": "bugfix", "narrative": "a fix"})),
    ];
    let (_memory, mut store, _) = Memory::with(&drafts);
    let mut found = |ask: Ask<'_>| texts(&store.search(&ask).unwrap()).join("|");
    assert_eq!(found(ask("  ")), "a fix|an observation|a summary|a prompt");
    assert_eq!(found(Ask { limit: 1, ..ask("") }), "a fix");
    assert_eq!(found(Ask { order: Order::Oldest, limit: 2, ..ask("") }), "a prompt|a summary");
    assert_eq!(found(Ask { kinds: &[Kind::SummaryRecorded], ..ask("") }), "a summary");
    assert_eq!(found(Ask { sorts: &["bugfix"], ..ask("") }), "a fix");
    assert_eq!(found(Ask { projects: &["q"], ..ask("") }), "");
    let until = Some(now().minus_millis(3 * 60_000));
    assert_eq!(found(Ask { projects: &["p"], until, ..ask("") }), "a summary|a prompt");
    assert_eq!(found(Ask { order: Order::Oldest, since: until, limit: 1, ..ask("") }), "a summary");
}

#[test]
fn without_words_what_belongs_to_no_project_is_there_as_well() {
    let mut own = observation(9, "my own");
    own.project = None;
    let (_memory, mut store, _) = Memory::with(&[observation(5, "of the project"), own]);
    let answer = store.search(&Ask { projects: &["p"], ..ask("") }).unwrap();
    assert_eq!(texts(&answer), ["of the project", "my own"]);
}
