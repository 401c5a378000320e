//! Measuring recall: documents and questions in, ranked ids out, and nobody's memory touched.

use serde_json::{Value, json};

use crate::shell::{custos, home, json_lines};

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

#[test]
fn questions_are_answered_from_the_documents_of_their_scope() {
    let home = home();
    let document = |id: &str, scope: &str, text: &str| json!({"id": id, "scope": scope, "text": text, "pos": 0, "group": "", "ts": ""});
    let documents = [
        document("a", "one", "The job queue moved to Postgres last week."),
        document("b", "one", "She rode her bicycle along the river."),
        document("c", "two", "The queue at the bakery was long."),
    ];
    let questions = [
        json!({"id": "q1", "scope": "one", "text": "which database holds our jobs", "type": "any"}),
        json!({"id": "q2", "scope": "two", "text": "queue"}),
        json!({"id": "q3", "scope": "nowhere", "text": "queue"}),
    ];
    let (docs, queries) = (home.path().join("docs.jsonl"), home.path().join("queries.jsonl"));
    std::fs::write(&docs, lines(&documents)).unwrap();
    std::fs::write(&queries, lines(&questions)).unwrap();
    let before = home.every_file().unwrap().len();
    for depth in ["server", "hook"] {
        let files = [docs.to_str().unwrap(), queries.to_str().unwrap()];
        let ran = custos(
            &home,
            &["eval", "retrieval", "--docs", files[0], "--queries", files[1], "--k", "1", "--depth", depth],
        );
        assert_eq!(ran.code, 0, "{ran:?}");
        let answers: Vec<(Value, Value)> = json_lines(&ran.stdout)
            .into_iter()
            .map(|mut answer| (answer["id"].take(), answer["ranked"].take()))
            .collect();
        assert_eq!(
            answers,
            [(json!("q1"), json!(["a"])), (json!("q2"), json!(["c"])), (json!("q3"), json!([]))],
            "{depth}"
        );
    }
    assert_eq!(home.every_file().unwrap().len(), before);
}

#[test]
fn a_line_that_is_no_document_is_named() {
    let home = home();
    let docs = home.path().join("docs.jsonl");
    std::fs::write(&docs, "{\"id\":\"a\",\"scope\":\"s\",\"text\":\"t\"}\nnonsense\n").unwrap();
    let path = docs.to_str().unwrap();
    let ran = custos(&home, &["eval", "retrieval", "--docs", path, "--queries", path]);
    assert_eq!(ran.code, 65, "{ran:?}");
    assert!(ran.stderr.contains("docs.jsonl line 2: "), "{ran:?}");
}

#[test]
fn the_speed_of_a_small_memory_has_a_floor_and_every_kind_of_question() {
    let home = home();
    let ran = custos(&home, &["eval", "speed", "--rows", "60", "--questions", "2", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let asked: Vec<&str> = answer["measured"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|measured| measured["in"] == "hook")
        .map(|measured| measured["question"].as_str().unwrap())
        .collect();
    assert_eq!(
        asked,
        [
            "nothing",
            "a rare word",
            "several words",
            "very common words",
            "a sentence",
            "start of a session",
            "prompt"
        ]
    );
    assert_eq!(answer["rows"], json!(60));
}
