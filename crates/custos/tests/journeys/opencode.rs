//! OpenCode, through our plugin. It tells nobody when a session ends: the server of the next one finds that it is gone. The last one of a journey
//! has no next.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use custos_clients::clients::opencode;
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

/// Lets all that OpenCode says to our server be written down on its way there.
fn listen_in(journey: &Journey) {
    let path = journey.home.join(".config/opencode/opencode.json");
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let both = r#"tee "$HOME/said.jsonl" | "$HOME/.local/bin/custos" mcp"#;
    settings["mcp"]["custos"]["command"] = json!(["sh", "-c", both]);
    fs::write(&path, settings.to_string()).unwrap();
}

/// The sessions that were named in calls about each of these words.
fn named_in_calls<'a>(journey: &Journey, words: [&'a str; 2]) -> BTreeMap<&'a str, BTreeSet<String>> {
    let said = fs::read_to_string(journey.home.join("said.jsonl")).unwrap();
    let said: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut named: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for arguments in said.iter().map(|message| &message["params"]["arguments"]) {
        for word in words.into_iter().filter(|word| arguments["title"].to_string().contains(word)) {
            named.entry(word).or_default().insert(arguments["_session"].to_string());
        }
    }
    named
}

#[test]
fn two_windows_that_share_a_process_do_not_mix() {
    let journey = Journey::new("opencode");
    journey.custos(&["setup", "--yes", "--client", "opencode"]);
    listen_in(&journey);
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
    // Which call comes between another one and its hook is up to chance; that each names its session is not.
    let named = named_in_calls(&journey, ["Porto", "Oulu"]);
    let one_each = named.values().all(|sessions| sessions.len() == 1 && !sessions.contains("null"));
    assert!(named.len() == 2 && one_each && named["Porto"] != named["Oulu"], "{named:?}");
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

/// What OpenCode would send to the server of a tool, if a model calls it with these arguments.
const SEND: &str = r#"
const { Custos } = await import(process.argv[1]);
const hooks = await Custos({ directory: "/" });
for (const [tool, text] of JSON.parse(process.argv[2])) {
  const args = JSON.parse(text);
  await hooks["tool.execute.before"]({ tool, sessionID: "ses_real", callID: "c" }, { args });
  console.log(JSON.stringify({ tool, arguments: args }));
}
"#;

#[test]
fn a_model_cannot_speak_for_another_session_to_the_real_client() {
    let dir = tempfile::tempdir().unwrap();
    let plugin = dir.path().join("custos.mjs");
    // Without a program that has to be there, every call is let through.
    fs::write(&plugin, opencode::plugin("/nowhere/custos", false)).unwrap();
    let calls = json!([
        ["custos_save_memory", r#"{"title":"a"}"#],
        ["custos_save_memory", r#"{"title":"a","_session":"ses_forged"}"#],
        ["custos_save_memory", r#"{"title":"a","toJSON":1,"_session":"ses_forged"}"#],
        ["custos_save_memory", r#"{"__proto__":{"toJSON":1},"_session":"ses_forged"}"#],
        ["custos_save_memory", "[1]"],
        ["custos_save_memory", "null"],
        // A server that somebody called `custos_dev` has tools that begin like ours.
        ["custos_dev_query", r#"{"toJSON":1}"#],
    ]);
    let mut node = Command::new("node");
    node.args(["--input-type=module", "-e", SEND]).arg(&plugin).arg(calls.to_string());
    let sent = node.output().unwrap();
    insta::assert_snapshot!(String::from_utf8(sent.stdout).unwrap() + &String::from_utf8(sent.stderr).unwrap(), @r#"
    {"tool":"custos_save_memory","arguments":{"title":"a","_session":"ses_real"}}
    {"tool":"custos_save_memory","arguments":{"title":"a","_session":"ses_real"}}
    {"tool":"custos_save_memory","arguments":{"title":"a","_session":"ses_real"}}
    {"tool":"custos_save_memory","arguments":{"__proto__":{"toJSON":1},"_session":"ses_real"}}
    {"tool":"custos_save_memory","arguments":[1]}
    {"tool":"custos_save_memory","arguments":null}
    {"tool":"custos_dev_query","arguments":{"toJSON":1}}
    "#);
}
