//! `clients`: what each can do.

use serde_json::json;

use crate::machine::{ALL, Machine, shape};

#[test]
fn the_clients_and_what_each_can_do() {
    let machine = Machine::new();
    machine.make_dir(".gemini");
    machine.set_up(&["codex"]);
    insta::assert_snapshot!(machine.must(&["clients"]));
}

#[test]
fn one_client() {
    let machine = Machine::new();
    insta::assert_snapshot!(machine.must(&["clients", "opencode"]), @r"
OpenCode not found
  name         opencode
  tested       1.18.33; others: used as tested; `custos doctor` replays recorded payloads through the installed command and says what held
  context      at most 10000 characters
  timeouts     none
  a hook fails the tool is denied, as we install it; takes too long: the tool is denied, as we install it
  transcripts  ~/.local/share/opencode/opencode.db
    session starts             event.session.created
    prompt                     chat.message, takes context
    before a tool              tool.execute.before, can deny
    permission asked           – tool.execute.before judges every call; permission.ask was never seen to be called
    after a tool               tool.execute.after
    tool failed                event.message.part.updated
    tool denied by the client  – a call that the person refuses leaves no trace but in the transcript
    turn ends                  event.session.idle
    sub-agent starts           – event.session.created of a child session says so
    sub-agent stops            – event.session.idle of a child session says so
    compaction                 experimental.session.compacting
    session ends               – there is none; when OpenCode is gone, the next MCP server that starts says so; without a server, a session that was silent for a day is marked as interrupted
");
    let ran = machine.custos(&["clients", "emacs"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (66, ""));
    insta::assert_snapshot!(ran.stderr, @r#"
custos: there is no client "emacs"
  the clients are claude-code, codex, gemini, copilot, opencode, cursor
"#);
}

#[test]
fn the_clients_for_machines() {
    let machine = Machine::new();
    machine.put_program("codex", "codex-cli 0.166.0").make_dir(".gemini");
    machine.must(&["setup", "--client", "codex"]);
    let answer = machine.json(&["clients"]);
    let clients = answer["clients"].as_array().unwrap();
    let told: Vec<_> = clients
        .iter()
        .map(|client| json!([client["client"], client["version"], client["here"], client["wired"]]))
        .collect();
    let expected = ALL.map(|name| match name {
        "codex" => json!([name, "0.166.0", true, true]),
        "gemini" => json!([name, null, true, false]),
        _ => json!([name, null, false, false]),
    });
    assert_eq!(told, expected);
    insta::assert_snapshot!(format!("{:#}", shape(&json!({ "schema": answer["schema"], "clients": [clients[1]] }))), @r#"
{
  "clients": [
    {
      "client": "text",
      "files": {
        "project": "text",
        "user": "text"
      },
      "here": "yes or no",
      "manifest": {
        "context_limit": "number",
        "events": [
          {
            "context": "yes or no",
            "event": "text",
            "moment": "text",
            "verdict": "text"
          }
        ],
        "fallbacks": [
          {
            "instead": "text",
            "moment": "text"
          }
        ],
        "on_crash": "text",
        "on_timeout": "text",
        "schema": "text",
        "tested": {
          "from": "text",
          "outside": "text",
          "to": "text"
        },
        "timeout_unit": "text",
        "transcripts": "text"
      },
      "program": "text",
      "title": "text",
      "version": "text",
      "wired": "yes or no"
    }
  ],
  "schema": "text"
}
"#);
}
