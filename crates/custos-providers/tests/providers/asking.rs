//! What is sent, and what is made of a good answer.

use custos_distill::model::{Fault, Reply, Spent};
use custos_providers::{Named, open};
use custos_testkit::model_server::{ModelServer, NOTHING, Play, Request};
use serde_json::{Value, json};

use crate::{KEY, OVER_HTTP, SYSTEM, opened, question, settings};

/// Asks once, and gives what was sent.
fn sent(named: Named) -> (Reply, Request) {
    let server = ModelServer::start().unwrap();
    let reply = opened(named, &server).ask(&question("What happened?")).unwrap();
    let mut requests = server.requests();
    assert_eq!(requests.len(), 1);
    (reply, requests.remove(0))
}

#[test]
fn anthropic_is_asked_with_a_system_prompt_that_can_be_cached() {
    let (reply, request) = sent(Named::Anthropic);
    let body = json!({
        "model": "claude-haiku-4-5",
        "max_tokens": 1000,
        "system": [{"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "What happened?"}],
    });
    assert_eq!((request.path.as_str(), &request.body), ("/v1/messages", &body));
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    let spent = Spent { input: request.tokens(), cached: 0, output: 8, microdollars: None };
    assert_eq!(reply, Reply { text: NOTHING.into(), spent });
}

#[test]
fn openai_is_asked_for_json() {
    let (reply, request) = sent(Named::OpenAi);
    let body = json!({
        "model": "gpt-5-mini",
        "max_tokens": 1000,
        "response_format": {"type": "json_object"},
        "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "What happened?"}],
    });
    assert_eq!((request.path.as_str(), &request.body), ("/chat/completions", &body));
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let spent =
        Spent { input: request.tokens(), cached: request.tokens() / 2, output: 8, microdollars: None };
    assert_eq!(reply, Reply { text: NOTHING.into(), spent });
}

#[test]
fn gemini_is_asked_for_json_with_its_key_in_a_header() {
    let (reply, request) = sent(Named::Gemini);
    let body = json!({
        "systemInstruction": {"parts": [{"text": SYSTEM}]},
        "contents": [{"role": "user", "parts": [{"text": "What happened?"}]}],
        "generationConfig": {
            "responseMimeType": "application/json", "maxOutputTokens": 1000, "thinkingConfig": {"thinkingBudget": 0},
        },
    });
    assert_eq!(
        (request.path.as_str(), &request.body),
        ("/models/gemini-2.5-flash-lite:generateContent", &body)
    );
    assert_eq!(request.header("x-goog-api-key"), Some(KEY));
    let spent =
        Spent { input: request.tokens(), cached: request.tokens() / 2, output: 8, microdollars: None };
    assert_eq!(reply, Reply { text: NOTHING.into(), spent });
}

#[test]
fn the_key_is_in_no_address_and_no_body() {
    for named in OVER_HTTP {
        let (_, request) = sent(named);
        assert!(!request.path.contains(KEY) && !request.body.to_string().contains(KEY), "{named}");
    }
}

#[test]
fn without_a_key_none_is_sent() {
    let server = ModelServer::start().unwrap();
    let url = server.url();
    let provider = custos_providers::Provider { key: None, ..settings(Named::OpenAi, &url) };
    open(&provider).unwrap().ask(&question("What happened?")).unwrap();
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[test]
fn one_that_is_only_nearly_compatible_is_asked_in_its_own_manner() {
    let server = ModelServer::start().unwrap();
    server.always_with(|request: &Request| {
        let no = |message: &str| Play::refusal(400, "invalid_request_error", message);
        match &request.body {
            body if body.get("response_format").is_some() => no("Unknown field: response_format"),
            body if body.get("max_tokens").is_some() => no("Use max_completion_tokens instead"),
            _ => Play::Says(NOTHING.into()),
        }
    });
    let mut model = opened(Named::OpenAi, &server);
    model.ask(&question("one")).unwrap();
    model.ask(&question("two")).unwrap();
    let manners: Vec<_> = server.requests().iter().map(|request| fields(&request.body)).collect();
    let plain = "max_completion_tokens messages model";
    assert_eq!(
        manners,
        ["max_tokens messages model response_format", "max_tokens messages model", plain, plain],
        "what was refused is not tried again"
    );
}

fn fields(body: &Value) -> String {
    let mut names: Vec<_> = body.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names.join(" ")
}

#[test]
fn a_question_that_is_refused_in_every_manner_is_a_fault() {
    let server = ModelServer::start().unwrap();
    server.always(Play::refusal(400, "invalid_request_error", "no"));
    let fault = opened(Named::OpenAi, &server).ask(&question("one")).unwrap_err();
    let Fault::Declined { spent, .. } = fault else { panic!("{fault:?}") };
    assert_eq!(spent, Some(Spent::default()), "what is not taken is not charged");
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn thoughts_of_an_open_model_are_left_away_and_its_router_says_what_it_cost() {
    let server = ModelServer::start().unwrap();
    let answer = json!({
        "choices": [{"message": {"content": "<think>\nhm\n</think>\n\n{}"}}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "cost": 0.000_25},
    });
    server.play([Play::Raw(answer.to_string().into_bytes())]);
    let reply = opened(Named::OpenAi, &server).ask(&question("one")).unwrap();
    let spent = Spent { input: 12, cached: 0, output: 3, microdollars: Some(250) };
    assert_eq!(reply, Reply { text: "{}".into(), spent });
}

#[test]
fn where_nobody_counts_tokens_are_estimated() {
    let server = ModelServer::start().unwrap();
    server.play([Play::Raw(br#"{"choices":[{"message":{"content":"12345678"}}]}"#.to_vec())]);
    let reply = opened(Named::OpenAi, &server).ask(&question("12345678")).unwrap();
    assert_eq!(reply.spent, Spent { input: 7 + 2, cached: 0, output: 2, microdollars: None });
}

#[test]
fn a_connection_is_used_again_and_one_that_was_closed_is_no_matter() {
    for named in OVER_HTTP {
        let server = ModelServer::start().unwrap();
        let mut model = opened(named, &server);
        for number in 0..3 {
            model.ask(&question(&format!("question {number}"))).unwrap();
        }
        assert_eq!(server.requests().len(), 3, "{named}");
    }
}
