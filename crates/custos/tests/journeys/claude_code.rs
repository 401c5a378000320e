//! Claude Code.

use crate::journey::{AGAIN, FIRST, Journey, NEXT};

#[test]
fn a_journey_with_the_real_client() {
    let journey = Journey::new("claude-code");
    journey.set_up();
    let first = journey.session("claude-code", FIRST, &[]);
    let next = journey.session("answer", NEXT, &[]);
    let again = journey.session("answer", AGAIN, &["--continue"]);

    insta::assert_snapshot!(journey.trace(), @r#"
    session 1
      session.started · startup
      prompt.submitted · "Let the refresh token live 7 days."
      tool.used · Bash · ok · exit 0 · changed note.txt
      tool.used · Write · ok · changed src/refresh.ts
      tool.used · Edit · ok · changed src/refresh.ts
      tool.failed · Bash · failed · exit 1 · read missing.txt
      tool.used · Agent · ok
      turn.ended · ok · "Done: the refresh token now lives 7 days." · quiet {"ToolSearch":1}
      session.ended · other
    a sub-agent of session 1
      subagent.started · general-purpose
      tool.used · Bash · ok · exit 0
      subagent.stopped · general-purpose · "It is there."
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
        "",
        "no output",
        "File created successfully",
        "has been updated successfully",
        "cat: missing.txt: No such file or directory",
        "It is there.",
    ]);
    assert_eq!(first.stdout.matches(r#""outcome":"error""#).count(), 0, "a hook failed: {}", first.stdout);
}
