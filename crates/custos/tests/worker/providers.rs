//! Providers that answer in every wrong way, over a real wire: work waits, goes on by itself, and is never lost.

use std::time::Duration;

use custos_testkit::model_server::Play;
use rstest::rstest;

use crate::desk::{Desk, eventually, signal};

#[rstest]
#[case::too_often(Play::refusal(429, "rate_limit", "slow down").with_header("retry-after", "1"))]
#[case::broken(Play::refusal(500, "server_error", "oops"))]
#[case::garbage(Play::Raw(b"<html>proxy login</html>".to_vec()))]
#[case::ten_megabytes(Play::Endless(10 << 20))]
#[case::half(Play::Half("{\"observations\": [".repeat(50)))]
#[case::gone(Play::Closes)]
fn work_goes_on_when_the_provider_does(#[case] play: Play) {
    let desk = Desk::new();
    desk.record(3, 3);
    desk.server.play([play]);
    let report = desk.work();
    assert_eq!((&report["fell_back"], &report["left"]), (&0.into(), &0.into()), "{report}");
    desk.assert_distilled(3);
}

#[test]
fn the_third_failure_is_told() {
    let desk = Desk::new();
    desk.record(1, 1);
    let doctor = || String::from_utf8(desk.custos(&["doctor"]).stdout).unwrap();
    desk.server.play(vec![Play::refusal(500, "server_error", "oops"); 3]);
    let worker = desk.start();
    assert!(desk.server.wait_for(3, Duration::from_secs(30)));
    assert!(eventually(Duration::from_secs(5), || doctor().contains("openai: ")), "{}", doctor());
    assert!(worker.wait_with_output().unwrap().status.success());
    desk.assert_distilled(1);
}

#[test]
fn a_key_that_is_refused_is_told_at_once_and_the_work_waits() {
    let desk = Desk::new();
    desk.record(2, 2);
    desk.server.play([Play::refusal(401, "invalid_api_key", "no such key")]);
    let worker = desk.start();
    assert!(desk.server.wait_for(1, Duration::from_secs(30)));
    let doctor = || String::from_utf8(desk.custos(&["doctor"]).stdout).unwrap();
    assert!(eventually(Duration::from_secs(5), || doctor().contains("openai: ")), "{}", doctor());
    assert_eq!(desk.counts(), (21, 0, 0));
    signal("TERM", worker.id());
    assert!(worker.wait_with_output().unwrap().status.success());
    // The next worker knows that it need not ask for a while; with the circuit forgotten, it asks at once.
    let state = std::fs::read_dir(desk.home.state_dir()).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(state.join("circuit.json")).unwrap();
    desk.work();
    desk.assert_distilled(2);
}

#[test]
fn a_provider_that_cannot_be_reached_is_asked_again_later() {
    let desk = Desk::new();
    desk.record(1, 1);
    let config = desk.home.config_dir().join("config.yaml");
    let good = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, good.replace(&desk.server.url(), "http://127.0.0.1:9")).unwrap();
    let worker = desk.start();
    let state = || std::fs::read_dir(desk.home.state_dir()).unwrap().next().unwrap().unwrap().path();
    assert!(eventually(Duration::from_secs(30), || state().join("circuit.json").exists()));
    signal("TERM", worker.id());
    assert!(worker.wait_with_output().unwrap().status.success());
    std::fs::write(&config, good).unwrap();
    desk.work();
    desk.assert_distilled(1);
}
