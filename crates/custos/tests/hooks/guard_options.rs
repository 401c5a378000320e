//! What a person has to switch on: the commit gate and delegation.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use crate::desk::{Desk, silence};
use crate::guard::{decision, judged, said};

const CLAUDE: &str = "claude-code";

/// A desk with the gate on and a `gh` that runs this script; what it was called with is in `gh.log`.
fn gated(gh: Option<&str>) -> Desk {
    let mut desk = Desk::new();
    desk.put(".config/ai/policies/safety.yaml", "commit_gate: {enabled: true}\n");
    let bin = desk.home.path().join("bin");
    if let Some(script) = gh {
        let text = format!("#!/bin/sh\nprintf '%s\\n' \"$*\" >> \"$HOME/gh.log\"\n{script}\n");
        let path = desk.put("bin/gh", text);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    desk.set("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    desk
}

fn commit(suffix: &str) -> String {
    format!("git add a.txt && git commit -m 'mend it'{suffix}")
}

/// The verdict, which names this rule.
fn assert_denied(desk: &Desk, command: &str, rule: &str) {
    let (decision, reason) = decision(&judged(desk, CLAUDE, command));
    assert_eq!(decision, "deny", "{command}");
    assert!(reason.contains(&format!("(rule {rule})")), "{command}: {reason}");
}

#[test]
fn the_gate_wants_to_know_the_pull_request_and_asks_about_it() {
    let desk = gated(Some("echo '{\"state\":\"OPEN\"}'"));
    assert_denied(&desk, &commit(""), "gate.no-suffix");
    assert_denied(&desk, &commit(" #!custos pr=many repo=acme/shop"), "gate.bad-suffix");
    assert_eq!(judged(&desk, CLAUDE, &commit(" #!custos pr=none repo=acme/shop")), silence());
    assert_eq!(judged(&desk, CLAUDE, "git status"), silence());
    let log = desk.home.path().join("gh.log");
    assert!(!log.exists(), "nobody had to be asked so far");
    for name in ["custos", "axme"] {
        assert_eq!(judged(&desk, CLAUDE, &commit(&format!(" #!{name} pr=12 repo=acme/shop"))), silence());
    }
    let asked = "pr view 12 --repo acme/shop --json state\n";
    assert_eq!(std::fs::read_to_string(log).unwrap(), asked.repeat(2));
}

#[test]
fn a_merged_pull_request_and_one_that_cannot_be_checked_are_refused() {
    let suffix = " #!custos pr=12 repo=acme/shop";
    assert_denied(&gated(Some("echo '{\"state\":\"MERGED\"}'")), &commit(suffix), "gate.merged");
    for gh in [None, Some("exit 1"), Some("echo nonsense"), Some("echo '{\"state\":\"OPEN\"}'; exit 4")] {
        // Without a `gh` of ours, none on the machine may answer either.
        let mut desk = gated(gh);
        if gh.is_none() {
            desk.set("PATH", "/nowhere");
        }
        assert_denied(&desk, &commit(suffix), "gate.unchecked");
    }
}

#[test]
fn a_program_that_never_answers_is_waited_for_until_the_deadline() {
    let desk = gated(Some("exec sleep 60"));
    let began = Instant::now();
    assert_denied(&desk, &commit(" #!custos pr=12 repo=acme/shop"), "gate.unchecked");
    // Clients wait ten seconds for a hook, and then let the tool run.
    assert!(began.elapsed() < Duration::from_millis(9_500), "{:?}", began.elapsed());
}

#[test]
fn without_the_gate_a_commit_is_free() {
    let desk = Desk::new();
    assert_eq!(judged(&desk, CLAUDE, &commit("")), silence());
}

#[test]
fn a_conductor_that_works_itself_is_warned_and_then_stopped() {
    let mut desk = Desk::new();
    desk.put(".config/ai/config.yaml", "guard:\n  delegation: true\n");
    desk.set("AGENT_ROLE", "conductor");
    let work = |desk: &Desk| judged(desk, CLAUDE, "make all");
    for use_ in 1..=2 {
        assert_eq!(work(&desk), silence(), "use {use_}");
    }
    for use_ in 3..=4 {
        let answer = said(&work(&desk))["hookSpecificOutput"].clone();
        assert!(
            answer["additionalContext"].is_string() && answer["permissionDecision"].is_null(),
            "use {use_}: {answer}"
        );
    }
    assert_denied(&desk, "make all", "delegation.works-itself");
    assert_eq!(judged(&desk, CLAUDE, "ls src"), silence(), "looking is no work");
    desk.set("AGENT_ROLE", "musician");
    assert_eq!(work(&desk), silence());
    desk.set("AGENT_ROLE", "soloist");
    assert_eq!(work(&desk), silence(), "a role that nobody knows is never restricted");
}

#[test]
fn beside_the_entry_of_another_client_nothing_is_counted() {
    let mut desk = Desk::new();
    desk.put(".config/ai/config.yaml", "guard:\n  delegation: true\n");
    desk.set("AGENT_ROLE", "conductor");
    desk.set("COPILOT_CLI", "1");
    for use_ in 1..=6 {
        assert_eq!(judged(&desk, CLAUDE, "make all"), silence(), "use {use_}");
    }
}
