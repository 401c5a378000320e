//! What is found, in which order, and that nothing somebody types is more than words.

use custos_index::SearchQuery;
use custos_model::access::Party;
use custos_model::{EventId, Kind, Reader, Timestamp};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

use crate::{Bench, ids};

/// One row: what is written, and what finds it.
#[rstest]
#[case::camel("fn refreshToken()", &["refreshToken", "refresh_token", "RefreshToken", "refresh-token", "refresh", "tokens"])]
#[case::snake("call refresh_token now", &["refreshToken", "token refresh", "REFRESH_TOKEN"])]
#[case::path("edited src/auth/token_store.rs", &["src/auth/token_store.rs", "token_store.rs", "tokenStore", "auth", "src/auth"])]
#[case::acronym("class HTTPServer", &["httpserver", "http server", "HttpServer", "HTTP_SERVER"])]
#[case::digits("uses sha256", &["sha256", "SHA-256", "sha 256"])]
#[case::stemming("the connections were refused", &["connection", "connect", "refusing"])]
#[case::german("die Größe der Übungsaufgaben", &["größe", "grosse", "GRÖSSE", "Ubungsaufgaben"])]
#[case::accents("un café à Málaga", &["cafe", "MÁLAGA", "malaga", "cafe\u{301}"])]
#[case::japanese("トークンを更新しました", &["トークン", "更新", "新"])]
#[case::chinese("刷新令牌失败", &["令牌", "刷新令牌", "牌"])]
#[case::korean("토큰 갱신 실패", &["토큰", "갱신", "실"])]
#[case::thai("ภาษาไทย", &["ภาษา", "ไทย"])]
#[case::russian("Ошибка токена", &["ошибка", "ТОКЕНА"])]
#[case::prefix("kubernetes authentication", &["kuber", "authent", "Kubern"])]
fn is_found_by(#[case] text: &str, #[case] questions: &[&str]) {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    writer.append(&json!({"kind": "prompt.submitted", "body": {"text": "something else entirely"}}));
    let id = writer.append(&json!({"kind": "prompt.submitted", "body": {"text": text}}));
    writer.flush();
    let mut index = bench.caught_up();
    for question in questions {
        assert_eq!(ids(&mut index, question), [id], "{question}");
    }
}

#[test]
fn all_of_the_words_go_before_some_and_a_title_before_text() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut write = |body| writer.append(&json!({"kind": "observation.recorded", "body": body}));
    let in_title = write(json!({"title": "gate alpha beta", "narrative": "n"}));
    let in_text = write(json!({"title": "t", "narrative": "gate alpha beta"}));
    let two = write(json!({"title": "t", "narrative": "gate alpha"}));
    let one = write(json!({"title": "t", "narrative": "gate"}));
    let unknown_field = write(json!({"remark": {"deep": ["alpha"]}}));
    writer.flush();
    let mut index = bench.caught_up();
    let found = ids(&mut index, "beta gate alpha");
    assert_eq!(found[..3], [in_title, in_text, two]);
    assert_eq!(found.len(), 5);
    assert!(found.contains(&one) && found.contains(&unknown_field));
}

#[test]
fn filters_leave_what_they_say() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut write = |kind: &str, project: &str, session: &str, ts: &str| {
        let draft = json!({"kind": kind, "project": project, "session": session, "ts": ts, "body": {"text": "needle"}});
        writer.append(&draft)
    };
    let a = write("prompt.submitted", "p", "s", "2026-01-01T00:00:00.000Z");
    let b = write("observation.recorded", "p", "t", "2026-01-01T00:00:00.500Z");
    let c = write("summary.recorded", "q", "t", "2026-01-02T00:00:00.000Z");
    writer.flush();
    let mut index = bench.caught_up();
    let mut found = |change: &dyn Fn(&mut SearchQuery<'static>)| -> Vec<EventId> {
        let mut query = SearchQuery::new("needle");
        change(&mut query);
        index.search(&query).unwrap().into_iter().map(|hit| hit.id).collect()
    };
    let at = |text: &str| Some(text.parse::<Timestamp>().unwrap());
    assert_eq!(found(&|_| {}), [c, b, a]);
    assert_eq!(found(&|query| query.projects = &["p"]), [b, a]);
    assert_eq!(found(&|query| query.session = Some("t")), [c, b]);
    assert_eq!(found(&|query| query.kinds = &[Kind::PromptSubmitted, Kind::SummaryRecorded]), [c, a]);
    assert_eq!(found(&|query| query.kinds = &[Kind::ToolUsed]), []);
    assert_eq!(found(&|query| query.since = at("2026-01-01T00:00:00.400Z")), [c, b]);
    assert_eq!(found(&|query| query.until = at("2026-01-01T00:00:00.400Z")), [a]);
    assert_eq!(found(&|query| query.limit = 1), [c]);
    assert_eq!(found(&|query| query.limit = 0), []);
    // A prompt is for its owner's own agents, an observation for everybody in the project.
    let colleague = Party { in_team: true, project: Some("p"), ..Party::default() };
    assert_eq!(found(&|query| query.reader = Reader::Other(colleague)), [b]);
}

#[test]
fn a_word_that_is_everywhere_gives_the_newest() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let written: Vec<EventId> = (0..3_000)
        .map(|_| writer.append(&json!({"kind": "prompt.submitted", "body": {"text": "everywhere"}})))
        .collect();
    writer.flush();
    let newest: Vec<EventId> = written.into_iter().rev().take(20).collect();
    assert_eq!(ids(&mut bench.caught_up(), "everywhere"), newest);
}

#[test]
fn a_snippet_shows_the_word() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let text = format!("{}the needle is here", "hay ".repeat(60));
    writer.append(&json!({"kind": "prompt.submitted", "body": {"text": text}}));
    writer.flush();
    let hits = bench.caught_up().search(&SearchQuery::new("needle")).unwrap();
    assert_eq!(
        hits.iter().map(|hit| hit.snippet.as_str()).collect::<Vec<_>>(),
        ["…hay hay hay hay hay hay hay hay hay the needle is here"]
    );
}

#[test]
fn hostile_questions_are_words() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let id = writer
        .append(&json!({"kind": "prompt.submitted", "body": {"text": "drop table prompts near the end"}}));
    writer.flush();
    let mut index = bench.caught_up();
    for question in [
        "'; DROP TABLE prompts; --",
        "\"drop",
        "drop OR",
        "NEAR(drop table, 2)",
        "tokens : drop",
        "-drop",
        "^drop*",
        "drop)))",
        "drop\0table",
    ] {
        assert_eq!(ids(&mut index, question), [id], "{question}");
    }
    let words: Vec<String> = (0..20_000).map(|n| format!("w{n}")).collect();
    for question in ["", " ", "\"", "*", "()", "\u{e000}kpromptsubmitted", "🚀", words.join(" ").as_str()] {
        assert_eq!(ids(&mut index, question), [], "{question:.40}");
    }
    assert_eq!(ids(&mut index, &format!("drop {}", "x".repeat(100_000))), [id]);
}

#[test]
fn any_question_is_answered() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    for draft in custos_testkit::corpus::events(2, 300) {
        writer.append(&draft);
    }
    writer.flush();
    let index = std::cell::RefCell::new(bench.caught_up());
    proptest!(ProptestConfig::with_cases(300), |(text in "\\PC{0,80}|(?s).{0,80}|[a-z\"*^():+ -]{0,60}", limit in 0_usize..600)| {
        let query = SearchQuery { limit, ..SearchQuery::new(&text) };
        let hits = index.borrow_mut().search(&query).unwrap();
        prop_assert!(hits.len() <= limit);
        prop_assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
        prop_assert_eq!(&hits, &index.borrow_mut().search(&query).unwrap());
    });
}
