//! Copilot CLI, which denies every tool when a hook fails: that the tools ran at all says that ours do not.

use crate::journey::{AGAIN, FIRST, Journey, NEXT};

#[test]
fn a_journey_with_the_real_client() {
    let journey = Journey::new("copilot");
    journey.set_up();
    // Copilot also runs the hooks that a project has for Claude Code: these must neither count twice nor fail.
    journey.custos(&["setup", "--yes", "--no-init", "--project=.", "--client", "claude-code"]);
    let first = journey.session("copilot", FIRST, &[]);
    let next = journey.session("answer", NEXT, &[]);
    let again = journey.session("answer", AGAIN, &["--continue"]);

    insta::assert_snapshot!(journey.trace(), @r#"
    session 1
      session.started · new
      prompt.submitted · "Let the refresh token live 7 days."
      tool.used · bash · ok · exit 0 · changed note.txt
      tool.used · create · ok · changed refresh.ts
      tool.used · edit · ok · changed refresh.ts
      permission.decided · bash · only reads: cat · ok
      tool.failed · bash · failed · exit 1 · read missing.txt
      tool.failed · view · failed · read missing.txt
      tool.used · task · ok
      turn.ended · ok · quiet {"glob":1}
      session.ended · complete
    a sub-agent of session 1
      subagent.started · general-purpose
      permission.decided · bash · only reads: ls · ok
      tool.used · bash · ok · exit 0
      subagent.stopped · general-purpose · "It is there."
    session 2
      session.started · new
      prompt.submitted · "How long does the refresh token live?"
      turn.ended · ok
      session.ended · complete
      session.started · resume
      prompt.submitted · "Are you sure?"
      turn.ended · ok
      session.ended · complete
    "#);
    for session in [&first, &next, &again] {
        session.assert_instructed_once();
    }
    first.assert_results(&[
        "./README.md",
        "completed with exit code 0",
        "Created file",
        "updated with changes",
        "cat: missing.txt: No such file or directory",
        "does not exist",
        "It is there.",
    ]);
}
