//! What can go wrong on the wire, and which fault it is.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use custos_distill::model::{Fault, Question};
use custos_providers::{Named, Provider, open};
use custos_testkit::model_server::{ModelServer, Play};

use crate::{KEY, OVER_HTTP, opened, question, settings};

/// Asks each provider a server that plays this, and gives the faults.
fn faults(play: &Play) -> Vec<Fault> {
    let ask = |named| {
        let server = ModelServer::start().unwrap();
        server.always(play.clone());
        let fault = opened(named, &server).ask(&question("What happened?")).unwrap_err();
        assert!(!fault.to_string().contains(KEY), "{fault}");
        fault
    };
    OVER_HTTP.into_iter().map(ask).collect()
}

fn sort(fault: &Fault) -> &'static str {
    match fault {
        Fault::Unreachable(_) => "unreachable",
        Fault::CutOff(_) => "cut off",
        Fault::Busy { .. } => "busy",
        Fault::Refused(_) => "refused",
        Fault::Broken(_) => "broken",
        Fault::Declined { .. } => "declined",
        Fault::Garbled(_) => "garbled",
    }
}

#[rstest::rstest]
#[case::wrong_key(Play::refusal(401, "authentication_error", "invalid x-api-key key-of-a-test"), "refused")]
#[case::forbidden(Play::refusal(403, "permission_error", "no"), "refused")]
#[case::unpaid(Play::refusal(402, "payment", "no"), "refused")]
#[case::used_up(Play::refusal(429, "insufficient_quota", "You exceeded your current quota"), "refused")]
#[case::no_credit(Play::refusal(400, "invalid_request_error", "Your credit balance is too low"), "refused")]
#[case::googles_wrong_key(
    Play::refusal(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
    "refused"
)]
#[case::no_such_model(Play::refusal(404, "not_found_error", "model: none"), "refused")]
#[case::moved(Play::refusal(302, "", "").with_header("location", "http://127.0.0.1:1/"), "refused")]
#[case::too_often(Play::refusal(429, "rate_limit_error", "slow down"), "busy")]
#[case::overloaded(Play::refusal(529, "overloaded_error", "Overloaded"), "busy")]
#[case::unavailable(Play::refusal(503, "UNAVAILABLE", "The model is overloaded"), "busy")]
#[case::failed(Play::refusal(500, "api_error", "Internal"), "broken")]
#[case::bad_gateway(Play::Status(502, vec![], "<html>Bad Gateway</html>".into()), "broken")]
#[case::too_long_a_question(Play::refusal(413, "request_too_large", "no"), "declined")]
#[case::no_json(Play::Raw(b"<html>Welcome</html>".to_vec()), "garbled")]
#[case::nothing(Play::Raw(Vec::new()), "garbled")]
#[case::other_json(Play::Raw(b"{\"hello\":[1,2,3]}".to_vec()), "garbled")]
#[case::no_words(Play::Says("  ".into()), "declined")]
#[case::half_of_the_json(Play::Raw(b"{\"content\":[{\"type\":\"text\",\"te".to_vec()), "cut off")]
#[case::no_utf8(Play::Raw(vec![0xff; 100]), "garbled")]
#[case::ten_megabytes(Play::Endless(10 << 20), "declined")]
#[case::half_an_answer(Play::Half("{\"observations\":[]}".into()), "cut off")]
#[case::closed(Play::Closes, "cut off")]
fn every_failure_is_a_fault_of_its_sort(#[case] play: Play, #[case] expected: &str) {
    let faults = faults(&play);
    let sorts: Vec<_> = faults.iter().map(sort).collect();
    assert_eq!(sorts, [expected; 3], "{faults:?}");
}

#[rstest::rstest]
#[case::seconds("7", None, 7)]
#[case::date("Mon, 16 Nov 2026 10:00:30 GMT", Some("Mon, 16 Nov 2026 10:00:00 GMT"), 30)]
fn who_is_busy_says_when_to_ask_again(
    #[case] header: &str,
    #[case] date: Option<&str>,
    #[case] seconds: u64,
) {
    let mut play = Play::refusal(429, "rate_limit_error", "slow down").with_header("retry-after", header);
    if let Some(date) = date {
        play = play.with_header("date", date);
    }
    for fault in faults(&play) {
        let Fault::Busy { message, retry_after } = fault else { panic!("{fault:?}") };
        assert_eq!(retry_after, Some(Duration::from_secs(seconds)));
        assert!(message.ends_with(" answered 429: rate_limit_error: slow down"), "{message}");
    }
}

#[test]
fn google_says_when_to_ask_again_in_the_body() {
    let body = r#"{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"13s"}]}}"#;
    let fault = faults(&Play::Status(429, vec![], body.into())).remove(2);
    let busy = Fault::Busy {
        message: "gemini answered 429: RESOURCE_EXHAUSTED: quota".into(),
        retry_after: Some(Duration::from_secs(13)),
    };
    assert_eq!(fault, busy);
}

#[rstest::rstest]
#[case::hangs(Play::Hangs)]
#[case::drips(Play::Drips("x".repeat(10_000), Duration::from_millis(5)))]
fn nobody_is_waited_for_past_the_deadline(#[case] play: Play) {
    for named in OVER_HTTP {
        let server = ModelServer::start().unwrap();
        server.always(play.clone());
        let began = Instant::now();
        let brief = Question { within: Duration::from_millis(300), ..question("What happened?") };
        let fault = opened(named, &server).ask(&brief).unwrap_err();
        assert_eq!(sort(&fault), "cut off", "{fault:?}");
        // Generous, because the machine may be busy; without a deadline it would be a minute.
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    }
}

#[test]
fn ten_megabytes_are_not_read_whole() {
    // The server goes on for as long as somebody takes it: it is the client that hangs up.
    let server = ModelServer::start().unwrap();
    server.always(Play::Endless(usize::MAX / 2));
    let fault = opened(Named::Anthropic, &server).ask(&question("What happened?")).unwrap_err();
    let message = "anthropic answered more than a megabyte".to_owned();
    assert_eq!(fault, Fault::Declined { message, spent: None });
}

#[test]
fn nobody_at_home_is_unreachable() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for named in OVER_HTTP {
        let url = format!("http://{free}");
        let fault = open(&settings(named, &url)).unwrap().ask(&question("What happened?")).unwrap_err();
        assert_eq!(sort(&fault), "unreachable", "{fault:?}");
    }
}

#[test]
fn tls_is_there_and_somebody_who_does_not_speak_it_is_unreachable() {
    let server = ModelServer::start().unwrap();
    let url = server.url().replace("http://", "https://");
    let brief = Question { within: Duration::from_secs(5), ..question("What happened?") };
    let fault = open(&settings(Named::OpenAi, &url)).unwrap().ask(&brief).unwrap_err();
    assert_eq!(sort(&fault), "unreachable", "{fault:?}");
}

#[test]
fn a_key_does_not_go_to_a_public_host_unencrypted() {
    for named in OVER_HTTP {
        let provider = settings(named, "http://models.example.com/v1");
        let Err(fault) = open(&provider) else { panic!("{named} would have sent it") };
        assert_eq!(sort(&fault), "refused", "{fault:?}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused_before_anybody_is_asked() {
    let refused = |provider: &Provider<'_>| matches!(open(provider), Err(Fault::Refused(_)));
    for named in OVER_HTTP {
        assert!(
            refused(&Provider { base_url: None, key: None, ..settings(named, "") }),
            "{named} without a key"
        );
        assert!(
            refused(&Provider { key: Some(" \n"), base_url: None, ..settings(named, "") }),
            "{named} with an empty key"
        );
        assert!(refused(&Provider { model: Some("a b"), ..settings(named, "http://localhost") }), "{named}");
    }
    assert!(refused(&Provider { model: Some("../../x?y"), ..settings(Named::Gemini, "http://localhost") }));
    assert!(refused(&Provider { model: Some("--help"), ..settings(Named::ClaudeCli, "") }));
}

#[test]
fn it_answers_again_after_every_failure() {
    let server = ModelServer::start().unwrap();
    let mut model = opened(Named::Anthropic, &server);
    let brief = Question { within: Duration::from_secs(1), ..question("What happened?") };
    server.play([
        Play::Closes,
        Play::Half("{}".into()),
        Play::Endless(10 << 20),
        Play::refusal(500, "api_error", "no"),
    ]);
    for _ in 0..4 {
        model.ask(&brief).unwrap_err();
    }
    assert_eq!(model.ask(&brief).unwrap().text, custos_testkit::model_server::NOTHING);
}
