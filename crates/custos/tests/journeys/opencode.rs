//! OpenCode, through our plugin. It tells nobody when a session ends.

use crate::journey::{AGAIN, FIRST, Journey, NEXT};

#[test]
fn a_journey_with_the_real_client() {
    let journey = Journey::new("opencode");
    journey.set_up();
    let first = journey.session("opencode", FIRST, &[]);
    let next = journey.session("answer", NEXT, &[]);
    let again = journey.session("answer", AGAIN, &["--continue"]);

    insta::assert_snapshot!(journey.trace(), @r#"
    session 1
      session.started · startup
      prompt.submitted · "\"Let the refresh token live 7 days.\""
      tool.used · bash · ok · exit 0 · changed note.txt
      tool.used · write · ok · changed src/refresh.ts
      tool.used · edit · ok · changed src/refresh.ts
      tool.failed · bash · failed · exit 1 · read missing.txt
      tool.failed · read · failed · read missing.txt
      tool.used · task · ok
      turn.ended · ok · "Done: the refresh token now lives 7 days." · quiet {"todowrite":1}
    a sub-agent of session 1
      subagent.started
      tool.used · bash · ok · exit 0
      subagent.stopped · "It is there."
    session 2
      session.started · startup
      prompt.submitted · "\"How long does the refresh token live?\""
      turn.ended · ok · "Seven days."
      prompt.submitted · "\"Are you sure?\""
      turn.ended · ok · "Seven days."
    "#);
    for session in [&first, &next, &again] {
        session.assert_instructed_once();
    }
    first.assert_results(&[
        "Shorten the life",
        "no output",
        "Wrote file successfully",
        "Edit applied successfully",
        "cat: missing.txt: No such file or directory",
        "File not found",
        "It is there.",
    ]);
}
