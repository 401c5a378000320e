//! The program among others: many at once, killed, with a damaged index.

use serde_json::{Value, json};

use crate::shell::{append, command, custos, fed, home, json, json_lines};

#[test]
fn sixty_four_processes_append_at_once_and_nothing_is_lost() {
    let home = home();
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..64)
            .map(|n| {
                let home = &home;
                scope.spawn(move || {
                    let drafts: String = (0..8)
                        .map(|i| json!({"kind": "tool.used", "scope": "user", "body": {"writer": n, "i": i, "pad": "x".repeat(n * 40)}}).to_string() + "\n")
                        .collect();
                    let ran = fed(&mut command(home, &["log", "append"]), drafts.as_bytes());
                    assert_eq!(ran.code, 0, "{ran:?}");
                    json_lines(&ran.stdout).iter().map(|answer| answer["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    let events = json_lines(&custos(&home, &["log", "tail", "-n", "1000", "--json"]).stdout);
    let mut sequences: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    sequences.sort_unstable();
    assert_eq!(sequences, (1..=512).collect::<Vec<u64>>());
    let mut stored: Vec<&str> = events.iter().map(|event| event["id"].as_str().unwrap()).collect();
    let mut acknowledged: Vec<&str> = acknowledged.iter().map(String::as_str).collect();
    stored.sort_unstable();
    acknowledged.sort_unstable();
    assert_eq!(stored, acknowledged);
    assert_eq!(custos(&home, &["verify"]).code, 0);
}

#[test]
fn a_damaged_or_deleted_index_is_made_anew_without_being_asked() {
    let home = home();
    append(
        &home,
        &[json!({"kind": "prompt.submitted", "scope": "user", "body": {"text": "still findable"}})],
    );
    let found = json(&home, &["search", "findable"]);
    let (index, bytes) = home
        .every_file()
        .unwrap()
        .into_iter()
        .find(|(path, _)| path.extension().is_some_and(|e| e == "db"))
        .unwrap();
    let damaged: Vec<u8> = bytes.iter().map(|b| b ^ 0x5a).collect();
    std::fs::write(&index, damaged).unwrap();
    let answer = |ran: crate::shell::Ran| -> Value { serde_json::from_str(&ran.stdout).unwrap() };
    let after_damage = custos(&home, &["search", "findable", "--json"]);
    assert_eq!(after_damage.code, 0, "{after_damage:?}");
    assert_eq!(answer(after_damage), found);
    std::fs::remove_file(&index).unwrap();
    assert_eq!(answer(custos(&home, &["search", "findable", "--json"])), found);
}

#[test]
fn an_event_of_a_newer_schema_is_kept_skipped_and_reported() {
    let home = home();
    append(&home, &[json!({"kind": "prompt.submitted", "scope": "user", "body": {"text": "ours"}})]);
    let writer = home.memory_dir().join("log/newer-machine");
    std::fs::create_dir(&writer).unwrap();
    let opening = custos_log::frame::Opening {
        v: "2.0.0".parse().unwrap(),
        id: "0193f0a1-7c00-7000-8000-000000000001".parse().unwrap(),
        seq: 1,
        ts: custos_model::Timestamp::from_millis(0),
        kind: custos_model::Kind::PromptSubmitted,
    };
    let (mut line, _) = custos_log::frame::write(
        &opening,
        &custos_log::frame::GENESIS,
        &[1; 16],
        br#"{"future":{"text":"theirs"}}"#,
    );
    line.push(b'\n');
    std::fs::write(writer.join("0001.jsonl"), &line).unwrap();
    let status = json(&home, &["index", "status"]);
    assert_eq!(status["problems"].as_array().unwrap().len(), 1, "{status}");
    let verify = json(&home, &["verify"]);
    assert_eq!(verify["writers"][0]["newer"], json!(1), "{verify}");
    assert_eq!(json(&home, &["search", "ours"]).as_array().unwrap().len(), 1);
    let show = custos(&home, &["log", "show", "0193f0a1-7c00-7000-8000-000000000001"]);
    assert_eq!(show.code, 65, "{show:?}");
    assert_eq!(std::fs::read(writer.join("0001.jsonl")).unwrap(), line);
}
