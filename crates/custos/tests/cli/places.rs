//! Where things are, and what happens where nothing can be.

use serde_json::json;

use crate::shell::{append, command, custos, fed, home, settings};

const DRAFT: &[u8] = b"{\"kind\":\"tool.used\",\"scope\":\"user\",\"body\":{}}\n";

#[test]
fn no_home_and_relative_paths_are_errors_that_say_what_to_do() {
    let home = home();
    let without = |names: &[&str]| {
        let mut command = command(&home, &["status"]);
        for name in names {
            command.env_remove(name);
        }
        fed(&mut command, b"")
    };
    let nowhere = without(&["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"]);
    let relative = fed(command(&home, &["log", "append"]).env("AI_MEMORY_PATH", "memory"), DRAFT);
    assert_eq!((nowhere.code, relative.code), (78, 78));
    settings(&home).bind(|| {
        insta::assert_snapshot!(nowhere.stderr, @r"custos: there is no place for the configuration directory: none of XDG_CONFIG_HOME, HOME is set; set one of them to an absolute path");
        insta::assert_snapshot!(relative.stderr, @r"custos: AI_MEMORY_PATH is `memory`, which is relative: it would mean another place in every working directory; set it to an absolute path or unset it");
    });
    assert!(!home.path().join("memory").exists());
    let for_machines = fed(command(&home, &["status", "--json"]).env("AI_MEMORY_PATH", "memory"), b"");
    assert_eq!((for_machines.code, for_machines.stderr.as_str()), (78, ""));
    let answer: serde_json::Value = serde_json::from_str(&for_machines.stdout).unwrap();
    assert_eq!(answer["code"], json!(78));
    assert!(answer["error"].as_str().unwrap().starts_with("AI_MEMORY_PATH is `memory`, which is relative"));
}

#[test]
fn a_named_memory_is_enough_where_there_is_no_home() {
    let home = home();
    let memory = home.path().join("only-this");
    let mut append = command(&home, &["log", "append"]);
    append.env_clear().env("AI_MEMORY_PATH", &memory);
    assert_eq!(fed(&mut append, DRAFT).code, 0);
    let mut verify = command(&home, &["verify"]);
    verify.env_clear().env("AI_MEMORY_PATH", &memory);
    assert_eq!(fed(&mut verify, b"").code, 0);
}

#[test]
fn twins_of_one_name_and_hostile_names_are_only_text() {
    let home = home();
    let long = "n".repeat(300);
    let names = ["caf\u{e9}", "cafe\u{301}", "../../etc", "/etc/passwd", "CON", long.as_str()];
    let drafts: Vec<_> = names
        .iter()
        .map(|name| json!({"kind": "prompt.submitted", "scope": "user", "session": name, "project": name, "body": {"text": "named"}}))
        .collect();
    append(&home, &drafts);
    for name in names {
        let ran = custos(&home, &["log", "tail", "--json", "--session", name, "--project", name]);
        let events = crate::shell::json_lines(&ran.stdout);
        assert_eq!(events.len(), 1, "{name}: a name means the bytes that were given, and no other spelling");
        assert_eq!(events[0]["session"], json!(name));
    }
    let ran = custos(&home, &["forget", "--project", "../../etc", "--reason", "test", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(
        crate::shell::json_lines(&custos(&home, &["log", "tail", "--kind", "prompt", "--json"]).stdout).len(),
        5
    );
}

#[test]
fn the_memory_may_be_anywhere_even_behind_a_link_and_with_odd_letters() {
    let home = home();
    let real = home.path().join("ein Ort mit Ümlauten");
    std::fs::create_dir(&real).unwrap();
    let named = home.path().join("named");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&real, &named).unwrap();
    #[cfg(not(unix))]
    let named = real.clone();
    let ran = fed(command(&home, &["log", "append"]).env("AI_MEMORY_PATH", &named), DRAFT);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(real.join("log").is_dir());
}

#[cfg(unix)]
#[test]
fn everything_is_private_to_the_user() {
    use std::os::unix::fs::PermissionsExt;
    let home = home();
    append(
        &home,
        &[
            json!({"kind": "prompt.submitted", "scope": "user", "agent": {"client": "codex", "id": "x"}, "body": {"text": "a"}}),
        ],
    );
    custos(&home, &["search", "a"]);
    custos(&home, &["backup", "create"]);
    let mut pending = vec![home.memory_dir(), home.state_dir()];
    let mut seen = 0;
    while let Some(path) = pending.pop() {
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(metadata.permissions().mode() & 0o777, expected, "{}", path.display());
        seen += 1;
        if metadata.is_dir() {
            pending.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    assert!(seen > 10);
}

#[cfg(unix)]
#[test]
fn a_fifo_or_a_link_in_place_of_our_files_is_refused_and_never_waited_for() {
    let home = home();
    append(&home, &[json!({"kind": "tool.used", "scope": "user", "body": {}})]);
    let (segment, _) =
        home.every_file().unwrap().into_iter().find(|(path, _)| path.ends_with("0001.jsonl")).unwrap();
    let elsewhere = home.path().join("elsewhere");
    std::fs::rename(&segment, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &segment).unwrap();
    let before = std::fs::read(&elsewhere).unwrap();
    let linked = fed(&mut command(&home, &["log", "append"]), DRAFT);
    assert_eq!(linked.code, 74);
    assert_eq!(std::fs::read(&elsewhere).unwrap(), before, "nothing is written through a link");
    std::fs::remove_file(&segment).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&segment).status().unwrap().success());
    let fifo = fed(&mut command(&home, &["log", "append"]), DRAFT);
    assert_eq!(fifo.code, 74);
    settings(&home).bind(|| {
        insta::assert_snapshot!(linked.stdout, @r#"{"line":1,"path":"","error":"cannot open ~/.config/ai/memory/log/WRITER/0001.jsonl: Too many levels of symbolic links (os error 40)"}"#);
        insta::assert_snapshot!(fifo.stdout, @r#"{"line":1,"path":"","error":"cannot open ~/.config/ai/memory/log/WRITER/0001.jsonl: something other than a regular file is in its place"}"#);
    });
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let home = home();
    // A file where the directory should be stops everybody, root included.
    std::fs::create_dir_all(home.config_dir()).unwrap();
    std::fs::write(home.memory_dir(), "in the way").unwrap();
    let append = fed(&mut command(&home, &["log", "append"]), DRAFT);
    let setup = custos(&home, &["setup"]);
    let doctor = custos(&home, &["doctor"]);
    assert_eq!((append.code, setup.code, doctor.code), (74, 74, 1));
    settings(&home).bind(|| {
        insta::assert_snapshot!(append.stdout, @r#"{"line":1,"path":"","error":"cannot open ~/.config/ai/memory/log/WRITER/0001.jsonl: Not a directory (os error 20)"}"#);
        insta::assert_snapshot!(setup.stderr, @r"
custos: cannot create ~/.config/ai/memory/log: Not a directory (os error 20)
  point AI_MEMORY_PATH or XDG_STATE_HOME to a place that you may write to
");
        insta::assert_snapshot!(doctor.stdout, @r"
        ok   settings       the defaults; there is no ~/.config/ai/config.yaml
        BAD  memory         ~/.config/ai/memory is no directory
                            move it away
        ok   state          ~/.local/state/ai/HASH
        BAD  recording      cannot write below ~/.config/ai/memory: Not a directory (os error 20)
                            check what is there, its rights and the room on the disk
        BAD  log            cannot list ~/.config/ai/memory/log: Not a directory (os error 20)
                            a file is where a directory should be: move it away
        BAD  index          cannot list ~/.config/ai/memory/log: Not a directory (os error 20)
                            a file is where a directory should be: move it away
        BAD  backups        cannot list ~/.config/ai/memory/backups: Not a directory (os error 20)
                            a file is where a directory should be: move it away
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

#[test]
fn two_machines_on_one_memory_each_write_their_own_log() {
    let home = home();
    append(
        &home,
        &[
            json!({"kind": "prompt.submitted", "scope": "user", "session": "here", "body": {"text": "from here"}}),
        ],
    );
    let other_state = home.path().join("other-state");
    let there = |arguments: &[&str], input: &[u8]| {
        fed(command(&home, arguments).env("XDG_STATE_HOME", &other_state), input)
    };
    let draft = b"{\"kind\":\"prompt.submitted\",\"scope\":\"user\",\"session\":\"there\",\"body\":{\"text\":\"from there\"}}\n";
    assert_eq!(there(&["log", "append"], draft).code, 0);
    assert_eq!(std::fs::read_dir(home.memory_dir().join("log")).unwrap().count(), 2);
    assert!(custos(&home, &["search", "from"]).stdout.contains("from there"));

    // Its record is not ours to overwrite: it is hidden here, and overwritten there.
    let ran = custos(&home, &["forget", "--session", "there", "--reason", "asked to"]);
    assert_eq!(ran.code, 0);
    settings(&home).bind(|| {
        insta::assert_snapshot!(ran.stdout, @r"
ID  prompt.submitted       TIME  
1 event, 0 of them derived from others
forgotten: 0 records, 0 copies in backups, and what the index held of them
left: 1 record of another machine: no longer found here, and overwritten there when it next runs custos
");
    });
    assert_eq!(custos(&home, &["search", "there"]).stdout, "nothing found\n");
    assert!(!home.find_bytes("from there").unwrap().is_empty());
    assert_eq!(there(&["verify"], b"").code, 0);
    assert_eq!(home.find_bytes("from there").unwrap(), Vec::<std::path::PathBuf>::new());
    assert_eq!(custos(&home, &["verify"]).code, 0);
}

#[test]
fn a_lost_state_directory_costs_nothing_but_time() {
    let home = home();
    let draft = json!({"kind": "prompt.submitted", "scope": "user", "body": {"text": "kept"}});
    let first = append(&home, std::slice::from_ref(&draft));
    std::fs::remove_dir_all(home.state_dir()).unwrap();
    let second = append(&home, &[draft]);
    assert_eq!((&second[0]["writer"], &second[0]["seq"]), (&first[0]["writer"], &json!(2)));
    assert_eq!(custos(&home, &["verify"]).code, 0);
    assert!(custos(&home, &["search", "kept"]).stdout.contains("kept"));
}
