//! Codex, which runs no hook that the person did not trust.

use crate::journey::{AGAIN, FIRST, Journey, NEXT};

#[test]
fn a_journey_with_the_real_client() {
    let journey = Journey::new("codex");
    journey.set_up();
    journey.trust_hooks();
    let first = journey.session("codex", FIRST, &[]);
    let next = journey.session("answer", NEXT, &[]);
    let again = journey.session("answer", AGAIN, &["resume", "--last"]);

    insta::assert_snapshot!(journey.trace(), @r#"
    session 1
      session.started · startup
      prompt.submitted · "Let the refresh token live 7 days."
      tool.used · Bash · changed note.txt
      tool.used · apply_patch · ok · exit 0 · changed src/refresh.ts
      tool.used · apply_patch · ok · exit 0 · changed src/refresh.ts
      tool.used · Bash · read missing.txt
      tool.used · spawn_agent
      turn.ended · ok · "Done: the refresh token now lives 7 days." · quiet {"multi_agent_v1wait_agent":1}
      session.ended · other
    a sub-agent of session 1
      subagent.started · default
      tool.used · Bash
      subagent.stopped · default · "It is there."
    session 2
      session.started · startup
      prompt.submitted · "How long does the refresh token live?"
      turn.ended · ok · "Seven days."
      session.ended · other
      session.started · resume
      prompt.submitted · "Are you sure?"
      turn.ended · ok · "Seven days."
      session.ended · other
    "#);
    for session in [&first, &next, &again] {
        session.assert_instructed_once();
    }
    first.assert_results(&[
        "Process exited with code 0",
        "A src/refresh.ts",
        "M src/refresh.ts",
        "cat: missing.txt: No such file or directory",
        "agent_id",
        "It is there.",
    ]);
    // Codex complains in this way about a hook that asks for too much time, or answers in words that it does not know.
    assert_eq!(first.stdout.matches(r#""type":"error""#).count(), 0, "{}", first.stdout);
}

#[test]
fn nothing_is_recorded_until_the_real_client_is_told_to_trust_the_hooks() {
    let journey = Journey::new("codex");
    let told = journey.set_up();
    assert!(told.contains("until you trust it") && told.contains("/hooks"), "{told}");
    journey.session("answer", NEXT, &[]);
    assert_eq!(journey.trace().sessions.len(), 0);

    journey.trust_hooks();
    journey.session("answer", NEXT, &[]);
    assert_eq!(journey.trace().sessions.len(), 1);

    // Trust is a hash of each command: setting up again, as after an update, must leave them as they are.
    journey.set_up();
    journey.session("answer", NEXT, &[]);
    assert_eq!(journey.trace().sessions.len(), 2);
}
