use custos_model::{AgentId, AgentKey, EventId};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::*;

/// Events of one turn, as the log holds them.
fn events(client: &str, list: &[(&str, &str, Value)]) -> Vec<String> {
    let main = AgentId::pseudonym(&AgentKey::new([1; 32]), client, "main");
    let sub = AgentId::pseudonym(&AgentKey::new([1; 32]), client, "sub");
    let event = |(at, (kind, who, body)): (usize, &(&str, &str, Value))| {
        let id = EventId::new(Timestamp::from_millis(i64::try_from(at).unwrap()), [0; 10]);
        let actor = if *who == "sub" { &sub } else { &main };
        let mut event = json!({
            "v": "1.0.0", "id": id, "seq": at + 1, "ts": "2026-11-16T10:00:00.000Z", "kind": kind, "scope": "project",
            "acl": ["user"], "origin": "hook", "agent": { "client": client, "id": actor, "role": if *who == "sub" { Some("Explore") } else { None } },
            "body": body,
        });
        if *kind == "tool.failed" {
            event["outcome"] = json!("failed");
        }
        event.to_string()
    };
    list.iter().enumerate().map(event).collect()
}

fn turn_of(client: &str, list: &[(&str, &str, Value)]) -> Turn {
    let lines = events(client, list);
    let events: Vec<Event<'_>> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    turn(&events, Some("/home/user/project"))
}

fn used(tool: &str, input: Value) -> (&'static str, &'static str, Value) {
    let mut body = json!({ "tool": tool });
    body["input"] = input;
    ("tool.used", "main", body)
}

fn edited(turn: &Turn) -> Vec<Edit> {
    let edits = turn.steps.iter().filter_map(|step| match &step.what {
        What::Edited(edits) => Some(edits.clone()),
        _ => None,
    });
    edits.flatten().collect()
}

fn edit(path: &str, before: &str, after: &str, fate: Fate) -> Edit {
    Edit { path: path.to_owned(), before: before.to_owned(), after: after.to_owned(), fate }
}

#[test]
fn every_client_spells_an_edit_in_its_own_way() {
    let path = "/home/user/project/src/a.rs";
    let table = [
        ("claude-code", used("Edit", json!({ "file_path": path, "old_string": "x", "new_string": "y" }))),
        ("gemini", used("replace", json!({ "file_path": "src/a.rs", "old_string": "x", "new_string": "y" }))),
        ("copilot", used("edit", json!({ "path": path, "old_str": "x", "new_str": "y" }))),
        ("opencode", used("edit", json!({ "filePath": path, "oldString": "x", "newString": "y" }))),
        ("cursor", used("Edit", json!({ "file_path": path, "old_string": "x", "new_string": "y" }))),
        (
            "claude-code",
            used(
                "MultiEdit",
                json!({ "file_path": path, "edits": [{ "old_string": "x", "new_string": "y" }] }),
            ),
        ),
        ("claude-code", used("some_tool", json!({ "path": path, "old_string": "x", "new_string": "y" }))),
    ];
    for (client, event) in table {
        assert_eq!(
            edited(&turn_of(client, &[event])),
            [edit("src/a.rs", "x", "y", Fate::Changed)],
            "{client}"
        );
    }
}

#[test]
fn a_whole_file_is_written_or_created() {
    let path = "/home/user/project/new.txt";
    let written = [
        ("claude-code", used("Write", json!({ "file_path": path, "content": "line\n" }))),
        ("opencode", used("write", json!({ "filePath": path, "content": "line\n" }))),
        ("codex", used("Bash", json!({ "command": "cat > new.txt <<'EOF'\nline\nEOF\ncargo test" }))),
    ];
    for (client, event) in written {
        assert_eq!(
            edited(&turn_of(client, &[event])),
            [edit("new.txt", "", "line\n", Fate::Written)],
            "{client}"
        );
    }
    let (_, _, mut body) = used("create", json!({ "path": path, "file_text": "line\n" }));
    body["output"] = json!("Created file /home/user/project/new.txt with 5 characters");
    let turn = turn_of("copilot", &[("tool.used", "main", body)]);
    assert_eq!(edited(&turn), [edit("new.txt", "", "line\n", Fate::Created)]);
}

#[test]
fn a_patch_is_an_edit_for_each_hunk() {
    let patch = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n     x = 1\n-    return 2\n+    return 3\n@@\n-old\n+new\n*** Add File: b.py\n+line\n*** Delete File: c.py\n*** Update File: d.py\n*** Move to: e.py\n@@ -1,2 +1,2 @@\n-p\n+q\n*** End Patch\n";
    let expected = [
        edit(
            "a.py",
            "def f():\n    x = 1\n    return 2\n",
            "def f():\n    x = 1\n    return 3\n",
            Fate::Changed,
        ),
        edit("a.py", "old\n", "new\n", Fate::Changed),
        edit("b.py", "", "line\n", Fate::Created),
        edit("c.py", "", "", Fate::Deleted),
        edit("d.py", "", "", Fate::Deleted),
        edit("e.py", "p\n", "q\n", Fate::Changed),
    ];
    assert_eq!(edited(&turn_of("codex", &[used("apply_patch", json!({ "command": patch }))])), expected);
    let shell = format!("apply_patch <<'EOF'\n{patch}EOF");
    assert_eq!(edited(&turn_of("codex", &[used("Bash", json!({ "command": shell }))])), expected);
}

#[test]
fn a_here_document_leaves_the_command_without_its_body() {
    let turn =
        turn_of("codex", &[used("Bash", json!({ "command": "cat > a.txt <<EOF\none\nEOF\nnpm test" }))]);
    let ran: Vec<&What> =
        turn.steps.iter().map(|step| &step.what).filter(|what| matches!(what, What::Ran(_))).collect();
    assert_eq!(ran, [&What::Ran("cat > a.txt <<EOF\n\nnpm test".to_owned())]);
}

#[test]
fn a_prompt_that_is_private_as_a_whole_makes_the_turn_private() {
    let prompt = |text: &str| ("prompt.submitted", "main", json!({ "text": text }));
    assert!(turn_of("codex", &[prompt(" [redacted:private]\n")]).is_private);
    let partly = turn_of("codex", &[prompt("do it [redacted:private]")]);
    assert_eq!((partly.is_private, partly.said.len()), (false, 1));
    assert!(!turn_of("codex", &[prompt("")]).is_private);
    assert!(!turn_of("codex", &[prompt("[redacted:private]"), prompt("and this")]).is_private);
}

#[test]
fn what_a_sub_agent_did_and_said_is_told_apart() {
    let list = [
        ("prompt.submitted", "main", json!({ "text": "find it" })),
        ("subagent.started", "sub", json!({ "parent": "x", "sort": "Explore" })),
        (
            "tool.used",
            "sub",
            json!({ "tool": "Read", "input": { "file_path": "/home/user/project/a.rs" }, "files_read": ["a.rs"] }),
        ),
        ("subagent.stopped", "sub", json!({ "parent": "x", "sort": "Explore", "message": "it is in a.rs" })),
        ("turn.ended", "main", json!({ "message": "Found." })),
    ];
    let turn = turn_of("claude-code", &list);
    let steps: Vec<(Option<&str>, &str)> =
        turn.steps.iter().map(|step| (step.by.as_deref(), step.output.as_str())).collect();
    assert_eq!(steps, [(Some("Explore"), ""), (Some("Explore"), "it is in a.rs")]);
    assert_eq!((turn.message.as_deref(), turn.error.as_deref()), (Some("Found."), None));
}

#[test]
fn a_turn_without_an_end_says_so() {
    let turn = turn_of("claude-code", &[used("Bash", json!({ "command": "ls" }))]);
    assert_eq!(turn.error.as_deref(), Some(NO_END));
}

#[test]
fn the_note_about_what_was_cut_is_no_code() {
    assert_eq!(without_note("head…[cut: 9000 bytes, sha256 00]…tail".to_owned()), "head\ntail");
}

#[test]
fn a_body_that_cannot_be_read_is_left_out() {
    let body = RawValue::from_string("[1]".to_owned()).unwrap();
    let line = events("codex", &[used("Bash", json!({ "command": "ls" }))]).remove(0);
    let mut event: Event<'_> = serde_json::from_str(&line).unwrap();
    event.body = &body;
    assert_eq!(turn(&[event], None).steps, []);
    assert_eq!(turn(&[], None).steps, []);
}
