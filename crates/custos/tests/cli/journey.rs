//! From the first command to the last: what a user does with a log over its life.

use serde_json::{Value, json};

use crate::shell::{append, command, custos, fed, home, id, json, json_lines, settings};

fn prompt(text: &str) -> Value {
    json!({"kind": "prompt.submitted", "scope": "project", "project": "github.com/acme/shop", "session": "s1",
           "agent": {"client": "codex", "id": "client-session-1", "role": "musician"}, "body": {"text": text}})
}

fn observation(title: &str, sources: &[&str]) -> Value {
    json!({"kind": "observation.recorded", "scope": "project", "project": "github.com/acme/shop", "session": "s1",
           "body": {"type": "bugfix", "title": title, "narrative": "the clock was read in seconds", "sources": sources}})
}

#[test]
fn setup_prepares_the_machine_and_proves_itself() {
    let home = home();
    let ran = custos(&home, &["setup"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    settings(&home).bind(|| {
        insta::assert_snapshot!(ran.stdout, @r"
        This will be changed:
          ~/.local/bin/custos  the program

        program ~/.local/bin/custos installed
        memory  ~/.config/ai/memory
        state   ~/.local/state/ai/HASH

        No client was found on this machine. All of them were wired in a temporary home instead:
          ok     Claude Code  13 events heard, 16 records in the log, 32 tools
          ok     Codex        10 events heard, 11 records in the log, 32 tools
          ok     Gemini CLI   6 events heard, 5 records in the log, 32 tools
          ok     Copilot CLI  11 events heard, 12 records in the log, 32 tools
          ok     OpenCode     7 events heard, 8 records in the log, 32 tools
          ok     Cursor       10 events heard, 9 records in the log, 32 tools
        Install one (`npm install -g @anthropic-ai/claude-code`, @openai/codex, @google/gemini-cli,
        @github/copilot, opencode-ai) and run `custos setup` again, or wire one now with --client NAME.

        The memory proven in a temporary one
          ok     events are recorded                                  N ms each
          ok     a secret in a tool's output never reaches the disk   [redacted]
          ok     the chain proves that nothing was changed            3 records
          ok     search finds refreshToken and refresh_token          2 hits
          ok     forgetting removes an event and what came of it      2 records

        Custos works on this machine. Next: work with a client, then `custos log tail`; `custos doctor` checks, `custos uninstall` undoes.
        ");
    });
    // Nothing of the proof is left in the real memory.
    assert_eq!(custos(&home, &["log", "tail"]).stdout, "no events\n");
    let again = json(&home, &["setup"]);
    assert_eq!(again["ok"], json!(true));
}

#[test]
fn what_is_appended_is_shown_found_and_proven() {
    let home = home();
    let answers = append(&home, &[prompt("why does the refreshToken expire?")]);
    let source = id(&answers[0]);
    append(&home, &[observation("refresh_token used seconds", &[&source])]);
    assert_eq!(answers[0]["seq"], json!(1));

    let tail = custos(&home, &["log", "tail"]).stdout;
    let show = custos(&home, &["log", "show", &source]).stdout;
    let search = custos(&home, &["search", "TOKEN", "refresh"]).stdout;
    let verify = custos(&home, &["verify"]);
    let status = custos(&home, &["status"]).stdout;
    settings(&home).bind(|| {
        insta::assert_snapshot!(tail, @r"
TIME  SHORT-ID  prompt.submitted      codex         shop              why does the refreshToken expire?
TIME  SHORT-ID  observation.recorded  -             shop              refresh_token used seconds
");
        insta::assert_snapshot!(show.replace(&pseudonym(&show), "PSEUDONYM"), @r#"
id          ID
kind        prompt.submitted
time        TIME
place       record 1 of WRITER
project     github.com/acme/shop
session     s1
agent       codex PSEUDONYM (musician)
scope       project
may read    user
origin      cli
{
  "text": "why does the refreshToken expire?"
}
"#);
        insta::assert_snapshot!(search, @r"
refresh_token used seconds
  the clock was read in seconds
  TIME  bugfix       SHORT-ID  shop  16t  1.39
why does the refreshToken expire?
  TIME  prompt       SHORT-ID  shop  9t  1.23
");
        insta::assert_snapshot!(verify.stdout, @r"WRITER (this machine): intact, 2 records, 0 forgotten, 1.1 KB in 1 segment");
        insta::assert_snapshot!(status.replace(&size_of_index(&status), "SIZE"), @r"
memory    ~/.config/ai/memory
state     ~/.local/state/ai/HASH
log       2 events, 1.1 KB
index     1 session, 1 prompt, 1 observation, 0 summaries (SIZE)
backups   1, newest TIME
work      0 events wait, 0 done; no worker runs
distiller rules
vectors   0 vectors by all-minilm-l6-v2.int8.1, 2 texts wait
");
    });
    assert_eq!(verify.code, 0);
}

fn pseudonym(text: &str) -> String {
    let at = text.find("ag-").unwrap();
    text[at..at + 35].to_owned()
}

fn size_of_index(text: &str) -> String {
    let at = text.rfind('(').unwrap();
    text[at..].split(')').next().unwrap().trim_start_matches('(').to_owned()
}

#[test]
fn tail_filters_by_kind_session_project_and_time() {
    let home = home();
    let mut drafts = vec![prompt("one"), observation("two", &[])];
    drafts.push(json!({"kind": "tool.used", "scope": "user", "session": "s2", "ts": "2020-01-01T00:00:00Z", "body": {"tool": "Bash"}}));
    drafts.push(json!({"kind": "tool.failed", "scope": "user", "session": "s2", "body": {"tool": "Bash"}}));
    append(&home, &drafts);
    let kinds = |arguments: &[&str]| -> Vec<String> {
        let ran = custos(&home, &[&["log", "tail", "--json"], arguments].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        json_lines(&ran.stdout).iter().map(|event| event["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&[]), ["tool.used", "prompt.submitted", "observation.recorded", "tool.failed"]);
    assert_eq!(kinds(&["--kind", "tool"]), ["tool.used", "tool.failed"]);
    assert_eq!(
        kinds(&["--kind", "tool.used", "--kind", "prompt.submitted"]),
        ["tool.used", "prompt.submitted"]
    );
    assert_eq!(kinds(&["--session", "s2"]), ["tool.used", "tool.failed"]);
    assert_eq!(kinds(&["--project", "github.com/acme/shop"]), ["prompt.submitted", "observation.recorded"]);
    assert_eq!(kinds(&["--since", "1h"]), ["prompt.submitted", "observation.recorded", "tool.failed"]);
    assert_eq!(kinds(&["-n", "1"]), ["tool.failed"]);
    let unknown = custos(&home, &["log", "tail", "--kind", "tools"]);
    assert_eq!(unknown.code, 64);
    assert!(
        unknown
            .stderr
            .starts_with("custos: no kind of event is called \"tools\"\n  there are session.started, ")
    );
}

#[test]
fn tail_finds_what_is_far_back_in_many_segments() {
    let home = home();
    assert_eq!(custos(&home, &["config", "set", "log.segment_mb", "1"]).code, 0);
    append(
        &home,
        &[
            json!({"kind": "prompt.submitted", "scope": "user", "session": "old", "body": {"text": "the first"}}),
        ],
    );
    let filler = json!({"kind": "tool.used", "scope": "user", "session": "new", "body": {"output": "x".repeat(150_000)}});
    for _ in 0..3 {
        append(&home, &vec![filler.clone(); 20]);
    }
    append(
        &home,
        &[
            json!({"kind": "prompt.submitted", "scope": "user", "session": "old", "body": {"text": "the last"}}),
        ],
    );
    let texts = |arguments: &[&str]| -> Vec<Value> {
        let ran = custos(&home, &[&["log", "tail", "--json"], arguments].concat());
        json_lines(&ran.stdout).iter().map(|event| event["body"]["text"].clone()).collect()
    };
    assert_eq!(texts(&["--session", "old"]), [json!("the first"), json!("the last")]);
    assert_eq!(custos(&home, &["log", "tail", "--session", "nobody"]).code, 66);
    assert_eq!(texts(&["--kind", "tool.used", "-n", "9223372036854775808"]).len(), 60);
    let all = custos(&home, &["log", "tail", "-n", "1000", "--json"]);
    let sequences: Vec<u64> =
        json_lines(&all.stdout).iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(sequences, (1..=62).collect::<Vec<u64>>());
}

#[test]
fn tail_follows_new_events_of_every_writer_until_its_reader_goes() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let home = home();
    append(&home, &[prompt("before")]);
    let mut child = command(&home, &["log", "tail", "-f", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut text = || -> String {
        let event: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        event["body"]["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(text(), "before");
    append(&home, &[prompt("after")]);
    assert_eq!(text(), "after");
    // A second machine is a second state directory on the same memory.
    let mut other = command(&home, &["log", "append"]);
    other.env("XDG_STATE_HOME", home.path().join("other-state"));
    assert_eq!(fed(&mut other, format!("{}\n", prompt("elsewhere")).as_bytes()).code, 0);
    assert_eq!(text(), "elsewhere");
    drop(lines);
    append(&home, &[prompt("nobody reads this")]);
    assert_eq!(child.wait().unwrap().code(), Some(0), "a reader that goes away is a success");
}

#[test]
fn forgetting_leaves_no_byte_behind_and_the_proof_intact() {
    let home = home();
    let planted = ["Zanzibarplanet", "Wolframquelle", "Quittenkompott"];
    let answers = append(
        &home,
        &[prompt(&format!("about {} and {}", planted[0], planted[1])), prompt("harmless refreshToken")],
    );
    let source = id(&answers[0]);
    let derived = append(&home, &[observation(&format!("learnt of {}", planted[1]), &[&source])]);
    append(
        &home,
        &[
            json!({"kind": "recall.served", "scope": "user", "body": {"text": format!("served {}", planted[1]), "sources": [id(&derived[0])]}}),
        ],
    );
    append(&home, &[observation(&format!("separate {}", planted[2]), &[])]);
    custos(&home, &["search", planted[0]]);
    assert_eq!(custos(&home, &["backup", "create"]).code, 0);

    let dry = json(&home, &["forget", &source, "--reason", "test", "--dry-run"]);
    let kinds: Vec<&str> =
        dry["events"].as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["prompt.submitted", "observation.recorded", "recall.served"]);
    assert_eq!(
        json(&home, &["search", planted[1]]).as_array().unwrap().len(),
        2,
        "a dry run changes nothing"
    );

    let by_id = custos(&home, &["forget", &source, "--reason", "pasted by mistake"]);
    let by_text =
        custos(&home, &["forget", "--matching", planted[2], "--reason", &format!("no {}", planted[2])]);
    settings(&home).bind(|| {
        insta::assert_snapshot!(by_id.stdout, @r"
ID  prompt.submitted       TIME  
ID  observation.recorded   TIME  derived from it
ID  recall.served          TIME  derived from it
3 events, 2 of them derived from others
forgotten: 3 records, 3 copies in backups, and what the index held of them
");
        insta::assert_snapshot!(by_text.stdout, @r"
ID  observation.recorded   TIME  
1 event, 0 of them derived from others
forgotten: 1 record, 1 copy in backups, and what the index held of them
");
    });
    for text in planted {
        let lower = text.to_lowercase();
        for needle in [text, lower.as_str(), &lower[..lower.len() - 2]] {
            assert_eq!(home.find_bytes(needle).unwrap(), Vec::<std::path::PathBuf>::new(), "{needle}");
        }
        assert_eq!(json(&home, &["search", text]), json!([]));
    }
    assert_eq!(json(&home, &["verify"])["ok"], json!(true));
    assert_eq!(
        json(&home, &["search", "refresh token"]).as_array().unwrap().len(),
        1,
        "the rest is still there"
    );
    let gone = custos(&home, &["forget", &source, "--reason", "again"]);
    assert_eq!(gone.code, 66, "{gone:?}");

    let rebuilt = custos(&home, &["index", "rebuild"]);
    assert_eq!(rebuilt.code, 0, "{rebuilt:?}");
    assert_eq!(json(&home, &["search", planted[1]]), json!([]));
    let shown = custos(&home, &["log", "show", &source]);
    settings(&home).bind(|| insta::assert_snapshot!(shown.stdout, @r"ID was a prompt.submitted at TIME; its content was forgotten"));
}

#[test]
fn forget_takes_the_text_from_standard_input() {
    let home = home();
    append(&home, &[prompt("about Jane Doe"), prompt("about nothing")]);
    let ran = fed(
        &mut command(&home, &["forget", "--matching", "-", "--reason", "asked to", "--json"]),
        b"Jane Doe\n",
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(home.find_bytes("Jane Doe").unwrap(), Vec::<std::path::PathBuf>::new());
    assert_eq!(json(&home, &["search", "nothing"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_changed_byte_is_named_and_restored_from_a_backup() {
    let home = home();
    append(&home, &[prompt("first"), prompt("second"), prompt("third")]);
    assert_eq!(custos(&home, &["backup", "create"]).code, 0);
    append(&home, &[prompt("newer than the backup")]);
    let (segment, original) = home
        .every_file()
        .unwrap()
        .into_iter()
        .find(|(path, _)| {
            path.ends_with("0001.jsonl") && !path.components().any(|part| part.as_os_str() == "backups")
        })
        .unwrap();
    let mut damaged = original.clone();
    let at = original.windows(6).position(|window| window == b"second").unwrap();
    damaged[at] = b'S';
    std::fs::write(&segment, &damaged).unwrap();

    let verify = custos(&home, &["verify"]);
    assert_eq!(verify.code, 1);
    let restore = custos(&home, &["backup", "restore"]);
    assert_eq!(restore.code, 0);
    settings(&home).bind(|| {
        insta::assert_snapshot!(verify.stdout, @r"
WRITER (this machine): damaged, 4 records, 0 forgotten, 2.1 KB in 1 segment
  damage ~/.config/ai/memory/log/WRITER/0001.jsonl at byte 528, record 2: its content is not the one that was written

`custos backup restore` mends what a backup has a good copy of.
");
        insta::assert_snapshot!(restore.stdout, @r"restored ~/.config/ai/memory/log/WRITER/0001.jsonl from TIME: 1.6 KB, and 544 bytes kept that were newer");
    });
    assert_eq!(std::fs::read(&segment).unwrap(), original);
    assert_eq!(custos(&home, &["verify"]).code, 0);
    assert_eq!(append(&home, &[prompt("goes on")])[0]["seq"], json!(5));
}

#[test]
fn migrate_brings_an_old_log_forward_and_leaves_it_alone() {
    let home = home();
    let writer = home.memory_dir().join("log/old-machine");
    std::fs::create_dir_all(&writer).unwrap();
    let old = include_str!("../fixtures/schema-0.9.jsonl");
    std::fs::write(writer.join("0001.jsonl"), old).unwrap();
    append(&home, &[prompt("written today")]);

    let dry = custos(&home, &["migrate", "--dry-run"]);
    let target = home.path().join("new-memory");
    let done = custos(&home, &["migrate", "--to", target.to_str().unwrap()]);
    settings(&home).bind(|| {
        insta::assert_snapshot!(dry.stdout, @r#"
would carry 5 events over
  from schema 0.9.0
    observation.recorded            1
    prompt.submitted                1
    session.started                 1
    tool.failed                     1
  from schema 1.0.0
    prompt.submitted                1
  2 lines could not be carried over:
    ~/.config/ai/memory/log/old-machine/0001.jsonl at byte 686: schema 0.9.0: type: "telepathy" has no counterpart in schema 1.0
    ~/.config/ai/memory/log/old-machine/0001.jsonl at byte 1119: is no record
"#);
        insta::assert_snapshot!(done.stdout, @r#"
carried 5 events over into ~/new-memory
  from schema 0.9.0
    observation.recorded            1
    prompt.submitted                1
    session.started                 1
    tool.failed                     1
  from schema 1.0.0
    prompt.submitted                1
  2 lines could not be carried over:
    ~/.config/ai/memory/log/old-machine/0001.jsonl at byte 686: schema 0.9.0: type: "telepathy" has no counterpart in schema 1.0
    ~/.config/ai/memory/log/old-machine/0001.jsonl at byte 1119: is no record
The old log is unchanged. To use the new one: export AI_MEMORY_PATH='~/new-memory'
"#);
    });
    assert_eq!((dry.code, done.code), (1, 1), "something could not be carried over");
    assert_eq!(std::fs::read_to_string(writer.join("0001.jsonl")).unwrap(), old);
    let again = custos(&home, &["migrate", "--to", target.to_str().unwrap()]);
    assert_eq!(again.code, 64, "never into what is there: {again:?}");

    let at_target = |arguments: &[&str]| fed(command(&home, arguments).env("AI_MEMORY_PATH", &target), b"");
    assert_eq!(at_target(&["verify"]).code, 0);
    let events = json_lines(&at_target(&["log", "tail", "--json"]).stdout);
    let seen: Vec<(&str, &str)> =
        events.iter().map(|event| (event["kind"].as_str().unwrap(), event["v"].as_str().unwrap())).collect();
    assert_eq!(
        seen,
        [
            ("session.started", "1.0.0"),
            ("prompt.submitted", "1.0.0"),
            ("tool.failed", "1.0.0"),
            ("observation.recorded", "1.0.0"),
            ("prompt.submitted", "1.0.0")
        ]
    );
    let agents: Vec<&Value> = events[..4].iter().map(|event| &event["agent"]["id"]).collect();
    assert!(
        agents.iter().all(|id| id.as_str().unwrap().starts_with("ag-") && *id == agents[0]),
        "{agents:?}"
    );
}

#[test]
fn doctor_tells_the_truth() {
    let home = home();
    let fresh = custos(&home, &["doctor"]);
    append(&home, &[prompt("one")]);
    custos(&home, &["backup", "create"]);
    let well = custos(&home, &["doctor"]);
    std::fs::write(home.config_dir().join("config.yaml"), "backup:\n  kep: 3\n").unwrap();
    let (segment, mut bytes) = home
        .every_file()
        .unwrap()
        .into_iter()
        .find(|(path, _)| path.ends_with("0001.jsonl") && !path.to_string_lossy().contains("backups"))
        .unwrap();
    bytes[300] ^= 1;
    std::fs::write(&segment, bytes).unwrap();
    let ill = custos(&home, &["doctor"]);
    assert_eq!((fresh.code, well.code, ill.code), (0, 0, 1));
    settings(&home).bind(|| {
        insta::assert_snapshot!(fresh.stdout, @r"
        ok   settings       the defaults; there is no ~/.config/ai/config.yaml
        note memory         ~/.config/ai/memory does not exist yet
                            the first event creates it, or `custos setup`
        note state          ~/.local/state/ai/HASH does not exist yet
                            the first event creates it, or `custos setup`
        ok   recording      as WRITER
        ok   log            0 records of 0 writers intact
        ok   index          up to date, SIZE
        note backups        none yet
                            the next command that runs longer takes one, or `custos backup create` now
        ok   distilling     by rules: no model, no tokens
        ok   work           0 events wait, 0 done; no worker runs
        ok   vectors        0 vectors by all-minilm-l6-v2.int8.1
        note clients        none is wired
                            install one and run `custos setup`
        ok   hooks          none reported trouble
        ok   spool          nothing waits for the log
        note guard          no client asks it
                            `custos setup` wires them
        ok   guard rules    the built-in ones; there are no files
        note knowledge      this project has no .ai/ yet
                            `custos init` makes it
        ");
        insta::assert_snapshot!(well.stdout, @r"
        ok   settings       the defaults; there is no ~/.config/ai/config.yaml
        ok   memory         ~/.config/ai/memory
        ok   state          ~/.local/state/ai/HASH
        ok   recording      as WRITER
        ok   log            1 record of 1 writer intact
        ok   index          up to date, SIZE
        ok   backups        1, newest TIME
        ok   distilling     by rules: no model, no tokens
        ok   work           0 events wait, 0 done; no worker runs
        ok   vectors        0 vectors by all-minilm-l6-v2.int8.1, 1 text waits
        note clients        none is wired
                            install one and run `custos setup`
        ok   hooks          none reported trouble
        ok   spool          nothing waits for the log
        note guard          no client asks it
                            `custos setup` wires them
        ok   guard rules    the built-in ones; there are no files
        note knowledge      this project has no .ai/ yet
                            `custos init` makes it
        ");
        insta::assert_snapshot!(ill.stdout, @r"
        BAD  settings       ~/.config/ai/config.yaml:2:3: there is no setting `backup.kep`; the nearest name is `backup.keep`. It is ignored: correct the name or remove it
                            the defaults apply instead; `custos config list --show-origin` shows what is in force
        ok   memory         ~/.config/ai/memory
        ok   state          ~/.local/state/ai/HASH
        ok   recording      as WRITER
        BAD  log            1 damaged place
                            `custos verify` lists them, `custos backup restore` mends what a backup has a good copy of
        ok   index          up to date, SIZE
        ok   backups        1, newest TIME
        ok   distilling     by rules: no model, no tokens
        ok   work           0 events wait, 0 done; no worker runs
        ok   vectors        0 vectors by all-minilm-l6-v2.int8.1, 1 text waits
        note clients        none is wired
                            install one and run `custos setup`
        ok   hooks          none reported trouble
        ok   spool          nothing waits for the log
        note guard          no client asks it
                            `custos setup` wires them
        ok   guard rules    the built-in ones; there are no files
        note knowledge      this project has no .ai/ yet
                            `custos init` makes it
        ");
    });
}
