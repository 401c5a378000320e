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
    insta::assert_snapshot!(machine.must(&["clients", "opencode"]), @"");
    let ran = machine.custos(&["clients", "emacs"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (66, ""));
    insta::assert_snapshot!(ran.stderr, @"");
}

#[test]
fn the_clients_for_machines() {
    let machine = Machine::new();
    machine.put_program("codex", "codex-cli 0.166.0").make_dir(".gemini");
    machine.must(&["setup", "--client", "codex"]);
    let answer = machine.json(&["clients"]);
    let clients = answer["clients"].as_array().unwrap();
    let told: Vec<_> =
        clients.iter().map(|client| json!([client["client"], client["version"], client["here"], client["wired"]])).collect();
    let expected = ALL.map(|name| match name {
        "codex" => json!([name, "0.166.0", true, true]),
        "gemini" => json!([name, null, true, false]),
        _ => json!([name, null, false, false]),
    });
    assert_eq!(told, expected);
    insta::assert_snapshot!(format!("{:#}", shape(&json!({ "schema": answer["schema"], "clients": [clients[1]] }))), @"");
}
