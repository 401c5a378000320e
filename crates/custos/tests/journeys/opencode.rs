//! OpenCode, through our plugin. It tells nobody when a session ends: the server of the next one finds that it is gone. The last one of a journey
//! has no next.

use serde_json::{Value, json};

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
      session.ended · server: client gone
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

#[test]
fn two_windows_that_share_a_process_do_not_mix() {
    let journey = Journey::new("opencode");
    journey.custos(&["setup", "--yes", "--client", "opencode"]);
    let turns = |window: &str| -> Vec<Value> {
        let save = |thing: &str| {
            let title = format!("{thing} {window}");
            let arguments = json!({ "title": title, "decision": title, "reasoning": "So it is." });
            json!({ "tool": "custos_save_decision", "args": arguments, "together": true })
        };
        let mut turns = vec![json!({ "tool": "custos_context", "args": {}, "together": true })];
        turns.extend(["Apples keep in", "Trains run through", "Lamps burn behind"].map(save));
        // What fails is shown to the model in another way.
        turns.push(
            json!({ "tool": "custos_get_decision", "args": { "id_or_slug": "nothing" }, "together": true }),
        );
        turns.push(json!({ "text": "Done." }));
        turns
    };
    let (first, second) = (turns("Porto"), turns("Oulu"));
    let windows =
        journey.two_windows([("I am the window Porto.", &first), ("I am the window Oulu.", &second)]);
    assert!(!windows.saw("_session"), "{}", windows.everything());
    let trace = journey.trace().to_string();
    let sessions: Vec<&str> =
        trace.split("session ").skip(1).filter(|part| part.contains("prompt.")).collect();
    assert_eq!(sessions.len(), 2, "{trace}");
    for (own, other) in [("Porto", "Oulu"), ("Oulu", "Porto")] {
        let session = sessions.iter().find(|part| part.contains(&format!("the window {own}"))).unwrap();
        assert_eq!(
            (session.matches("knowledge.saved").count(), session.contains(other)),
            (3, false),
            "{trace}"
        );
    }
}
