//! Providers that answer in every wrong way, over a real wire: work waits, goes on by itself, and is never lost.

use std::time::Duration;

use custos_testkit::model_server::Play;
use rstest::rstest;

use crate::desk::{Desk, eventually};

#[rstest]
#[case::too_often(Play::refusal(429, "rate_limit", "slow down").with_header("retry-after", "1"), 3)]
#[case::broken(Play::refusal(500, "server_error", "oops"), 3)]
#[case::garbage(Play::Raw(b"<html>proxy login</html>".to_vec()), 3)]
#[case::ten_megabytes(Play::Endless(10 << 20), 4)]
#[case::half(Play::Half("{\"observations\": [".repeat(50)), 4)]
#[case::gone(Play::Closes, 4)]
fn work_goes_on_when_the_provider_does_and_what_was_cut_off_is_in_the_books(
    #[case] play: Play,
    #[case] booked: usize,
) {
    let desk = Desk::new();
    desk.record(3, 3);
    desk.server.play([play]);
    let report = desk.work();
    assert_eq!((&report["fell_back"], &report["left"]), (&0.into(), &0.into()), "{report}");
    assert_eq!(desk.events("usage.recorded").len(), booked);
    desk.assert_distilled(3);
}

#[test]
fn the_third_failure_is_told() {
    let desk = Desk::new();
    desk.record(1, 1);
    let doctor = || String::from_utf8(desk.custos(&["doctor"]).stdout).unwrap();
    desk.server.play(vec![Play::refusal(500, "server_error", "oops"); 3]);
    let worker = desk.stay();
    assert!(desk.server.wait_for(3, Duration::from_secs(30)));
    assert!(eventually(Duration::from_secs(5), || doctor().contains("BAD  provider")), "{}", doctor());
    assert!(doctor().contains("openai/m failed 3 times since"), "{}", doctor());
    assert!(worker.wait_with_output().unwrap().status.success());
    // What is mended is no news any more.
    assert!(!doctor().contains("oops"), "{}", doctor());
    desk.assert_distilled(1);
}

/// Runs a worker that does what can be done, before a person's eyes; gives how it ended and what it complained about.
fn ended(desk: &Desk) -> (Option<i32>, String) {
    let output = desk.command(&["worker", "run", "--until-idle"]).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_key_that_is_refused_is_told_at_once_and_the_work_waits() {
    let desk = Desk::new();
    desk.record(2, 2);
    desk.server.play([Play::refusal(401, "invalid_api_key", "no such key")]);
    let (code, said) = ended(&desk);
    assert!(said.contains("21 events wait for openai, which fails: openai answered 401"), "{said}");
    assert_eq!((code, desk.counts()), (Some(75), (21, 0, 0)));
    let doctor = String::from_utf8(desk.custos(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("BAD  provider") && doctor.contains("since"), "{doctor}");
    assert!(doctor.contains("openai answered 401") && !doctor.contains("openai: openai"), "{doctor}");
    assert!(doctor.contains("ok   hooks          none reported trouble"), "no hook is to blame: {doctor}");
    // The next worker knows that it need not ask for a while; with the circuit forgotten, it asks at once.
    let output = desk.start().wait_with_output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), desk.server.requests().len()), (Some(75), 1));
    assert!(said.contains(report["waits"].as_str().unwrap()), "the same to a machine: {report}");
    std::fs::remove_file(desk.state().join("circuit.json")).unwrap();
    desk.work();
    desk.assert_distilled(2);
}

#[test]
fn a_provider_that_cannot_be_reached_is_asked_again_later() {
    let desk = Desk::new();
    desk.record(1, 1);
    let there = format!("{}/v1", desk.server.url());
    desk.set("distill.base_url", "http://127.0.0.1:9/v1");
    let (code, said) = ended(&desk);
    assert!(code == Some(75) && said.contains("the connection was refused"), "{code:?} {said}");
    desk.set("distill.base_url", &there);
    // Whoever stays waits until it is time to ask again.
    assert!(desk.stay().wait_with_output().unwrap().status.success());
    desk.assert_distilled(1);
}

#[test]
fn who_switches_the_model_off_is_heard_by_the_worker_that_runs() {
    let desk = Desk::new();
    desk.record(3, 1);
    desk.server.play([Play::Hangs]);
    let worker = desk.stay();
    assert!(desk.server.wait_for(1, Duration::from_secs(30)));
    desk.set("distill.provider", "rules");
    let output = worker.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!((desk.server.requests().len(), desk.counts().0), (1, 33));
    desk.work();
    assert_eq!((desk.server.requests().len(), desk.counts()), (1, (0, 33, 0)));
}
