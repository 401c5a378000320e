//! Gemini CLI, which has no events for sub-agents: what they do is told as the session's own.

use crate::journey::{AGAIN, FIRST, Journey, NEXT};

#[test]
fn a_journey_with_the_real_client() {
    let journey = Journey::new("gemini");
    journey.set_up();
    let first = journey.session("gemini", FIRST, &[]);
    let next = journey.session("answer", NEXT, &[]);
    let again = journey.session("answer", AGAIN, &["--resume", "latest"]);

    insta::assert_snapshot!(journey.trace(), @r#"
    session 1
      session.started · startup
      prompt.submitted · "Let the refresh token live 7 days."
      tool.used · run_shell_command · ok · exit 0 · changed note.txt
      tool.used · write_file · ok · changed src/refresh.ts
      tool.used · replace · ok · changed src/refresh.ts
      tool.failed · run_shell_command · failed · exit 1 · read missing.txt
      tool.used · run_shell_command · ok · exit 0
      tool.used · invoke_agent · ok
      turn.ended · ok · "Done: the refresh token now lives 7 days." · quiet {"complete_task":1,"glob":1}
      session.ended · exit
    session 2
      session.started · startup
      prompt.submitted · "How long does the refresh token live?"
      turn.ended · ok · "Seven days."
      session.ended · exit
      session.started · resume
      prompt.submitted · "Are you sure?"
      turn.ended · ok · "Seven days."
      session.ended · exit
    "#);
    for session in [&first, &next, &again] {
        session.assert_instructed_once();
    }
    first.assert_results(&[
        "Found 1 file(s)",
        "Output: (empty)",
        "Successfully created and wrote to new file",
        "Successfully modified file",
        "cat: missing.txt: No such file or directory",
        "It is there.",
    ]);
}
