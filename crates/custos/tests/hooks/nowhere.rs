//! Nowhere to write: the client must not notice, and nothing that could be kept is lost.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::{Desk, fed, silence, spooled_in, with};

const CLAUDE: &str = "claude-code";

fn is_root() -> bool {
    // Root writes where nobody may.
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

fn ids(events: &[Value]) -> Vec<String> {
    let mut ids: Vec<String> = events.iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

#[test]
fn a_memory_that_is_not_there_yet_is_made() {
    let desk = Desk::new();
    assert!(!desk.memory().exists());
    desk.play(CLAUDE, &["PostToolUse.Bash"]);
    assert_eq!(desk.events().len(), 2);
    // And again, when somebody removes it in the middle of a session.
    fs::remove_dir_all(desk.memory()).unwrap();
    desk.play(CLAUDE, &["PostToolUse.Bash"]);
    assert_eq!(desk.events_of("tool.used").len(), 1);
}

#[test]
fn events_wait_for_the_memory_and_come_back_with_their_own_ids() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart"]);
    let aside = desk.memory().with_file_name("aside");
    fs::rename(desk.memory(), &aside).unwrap();
    let in_the_way = desk.put(".config/ai/memory", "in the way");
    desk.play(CLAUDE, &["UserPromptSubmit", "PostToolUse.Bash", "PostToolUseFailure.Bash", "Stop"]);
    let waiting = desk.spooled();
    assert_eq!(waiting.len(), 4);
    let troubles = desk.troubles();
    let spooled: Vec<&str> = troubles
        .iter()
        .filter_map(|line| line.split_once(": spooled, because "))
        .map(|(who, _)| who)
        .collect();
    let events = ["UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"];
    assert_eq!(spooled, events.map(|event| format!("claude-code {event}")), "{troubles:?}");
    assert_eq!(fs::read(&in_the_way).unwrap(), b"in the way", "what is there is not ours to touch");

    fs::remove_file(&in_the_way).unwrap();
    fs::rename(&aside, desk.memory()).unwrap();
    // Any hook brings them back, also one that records nothing of its own.
    desk.play(CLAUDE, &["PreToolUse.Bash"]);
    assert_eq!(desk.spooled(), Vec::<String>::new());
    let events = desk.events();
    assert_eq!(ids(&events)[1..], waiting);
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["session.started", "prompt.submitted", "tool.used", "tool.failed", "turn.ended"]);
    assert!(events.iter().all(|event| event["session"] == events[0]["session"]));
    let task = &events[1]["task"];
    assert!(events[1..].iter().all(|event| event["task"] == *task));
    desk.verify();
}

#[test]
fn a_memory_below_a_file_or_behind_a_dead_link_is_no_obstacle() {
    let mut below = Desk::new();
    let file = below.put("file", "a file");
    below.set("AI_MEMORY_PATH", file.join("memory").to_str().unwrap());
    below.play(CLAUDE, &["SessionStart", "UserPromptSubmit"]);
    assert_eq!(below.spooled().len(), 2);

    let mut linked = Desk::new();
    let link = linked.home.path().join("link");
    std::os::unix::fs::symlink(linked.home.path().join("nowhere/at/all"), &link).unwrap();
    linked.set("AI_MEMORY_PATH", link.to_str().unwrap());
    linked.play(CLAUDE, &["SessionStart", "UserPromptSubmit"]);
    fs::create_dir_all(linked.home.path().join("nowhere/at/all")).unwrap();
    linked.play(CLAUDE, &["Stop"]);
    linked.settle();
    assert_eq!(linked.events().len(), 3);
}

#[test]
fn a_memory_that_may_only_be_read_is_no_obstacle() {
    if is_root() {
        eprintln!(
            "skipped: root may write everywhere; the tests with a file in the way cover the same for root"
        );
        return;
    }
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart"]);
    let log = desk.memory().join("log");
    let writer = fs::read_dir(&log).unwrap().next().unwrap().unwrap().path();
    let segment = writer.join("0001.jsonl");
    let set = |mode: u32, file: u32| {
        fs::set_permissions(&segment, fs::Permissions::from_mode(file)).unwrap();
        fs::set_permissions(&writer, fs::Permissions::from_mode(mode)).unwrap();
    };
    set(0o500, 0o400);
    desk.play(CLAUDE, &["UserPromptSubmit", "Stop"]);
    assert_eq!(desk.spooled().len(), 2);
    set(0o700, 0o600);
    desk.play(CLAUDE, &["SessionEnd"]);
    assert_eq!(desk.events().len(), 4);
}

#[test]
fn without_a_state_directory_events_wait_where_the_login_keeps_its_files() {
    let mut desk = Desk::new();
    let runtime = desk.home.path().join("run");
    fs::create_dir(&runtime).unwrap();
    desk.set("XDG_RUNTIME_DIR", runtime.to_str().unwrap());
    let in_the_way = desk.put(".local/state/ai", "in the way");
    desk.play(CLAUDE, &["SessionStart", "UserPromptSubmit", "PostToolUse.Bash"]);
    let place = fs::read_dir(runtime.join("ai")).unwrap().next().unwrap().unwrap().path();
    let waiting = spooled_in(&place);
    assert_eq!(waiting.len(), 3);
    fs::remove_file(in_the_way).unwrap();
    desk.play(CLAUDE, &["Stop"]);
    assert_eq!(spooled_in(&place), Vec::<String>::new());
    let events = desk.events();
    assert!(waiting.iter().all(|id| ids(&events).contains(id)));
    // Nobody knew the session then; a pseudonym needs the key that is kept with the state.
    for event in events.iter().filter(|event| waiting.contains(&event["id"].as_str().unwrap().to_owned())) {
        assert_eq!((&event["session"], &event["agent"]), (&Value::Null, &json!({ "client": CLAUDE })));
    }
    desk.verify();
}

#[test]
fn without_any_place_the_client_goes_on() {
    let desk = Desk::new();
    desk.put(".local/state/ai", "in the way");
    desk.put(".config/ai/memory", "in the way");
    for event in
        ["SessionStart", "UserPromptSubmit", "PreToolUse.Bash", "PostToolUse.Bash", "Stop", "SessionEnd"]
    {
        desk.play(CLAUDE, &[event]);
    }
    assert_eq!(desk.hook(CLAUDE, "Stop", "not JSON"), silence());
    fs::remove_file(desk.states()).unwrap();
    fs::remove_file(desk.memory()).unwrap();
    desk.play(CLAUDE, &["Stop"]);
    let kinds: Vec<String> = desk.told().into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["session.started", "turn.ended"]);
}

#[test]
fn no_part_of_the_state_is_needed_for_an_answer() {
    for part in
        ["sessions", "agents", "agent.key", "hooks.trouble", "spool", "log.lock", "sweep.lock", "log.head"]
    {
        for with_directory in [true, false] {
            let desk = Desk::new();
            desk.play(CLAUDE, &["SessionStart"]);
            let path: PathBuf = desk.state().join(part);
            let _ = fs::remove_file(&path);
            let _ = fs::remove_dir_all(&path);
            if with_directory {
                fs::create_dir_all(path.join("in the way")).unwrap();
            } else {
                fs::write(&path, "in the way").unwrap();
            }
            let start = with(desk.fixture(CLAUDE, "SessionStart"), json!({ "session_id": "another" }));
            desk.tell(CLAUDE, "SessionStart", &start);
            desk.play(
                CLAUDE,
                &["UserPromptSubmit", "SubagentStart", "PostToolUse.TaskCreate", "Stop", "SessionEnd"],
            );
            assert_eq!(desk.hook(CLAUDE, "Stop", "not JSON"), silence(), "{part}");
        }
    }
}

#[test]
fn without_a_home_the_client_goes_on_and_the_person_could_read_why() {
    let desk = Desk::new();
    let payload = desk.fixture(CLAUDE, "PostToolUse.Bash").to_string();
    for (name, value) in
        [("HOME", None), ("HOME", Some("")), ("HOME", Some("relative")), ("AI_MEMORY_PATH", Some("relative"))]
    {
        for client in ["claude-code", "codex", "gemini", "copilot", "opencode", "cursor"] {
            let mut command = desk.command(&["hook", client, "PostToolUse"]);
            command.env_clear();
            if let Some(value) = value {
                command.env(name, value);
            }
            let ran = fed(&mut command, payload.as_bytes());
            assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{client} {name}={value:?}");
            assert!(ran.stderr.starts_with("custos: "), "{}", ran.stderr);
        }
    }
    assert!(!desk.project().join("relative").exists());
}

#[test]
fn a_configuration_that_cannot_be_read_is_no_obstacle() {
    let desk = Desk::new();
    for text in ["capture: [", "capture:\n  output_kb: lots\n", "\u{0}", "a: &a [*a]\n"] {
        desk.put(".config/ai/config.yaml", text);
        desk.play(CLAUDE, &["PostToolUse.Bash"]);
    }
    fs::remove_file(desk.home.path().join(".config/ai/config.yaml")).unwrap();
    fs::create_dir(desk.home.path().join(".config/ai/config.yaml")).unwrap();
    desk.play(CLAUDE, &["PostToolUse.Bash"]);
    fs::remove_dir(desk.home.path().join(".config/ai/config.yaml")).unwrap();
    assert_eq!(desk.events_of("tool.used").len(), 5);
}

#[test]
fn a_log_that_somebody_holds_is_waited_for_once_and_not_for_every_event() {
    let desk = Desk::new();
    desk.play(CLAUDE, &["SessionStart"]);
    let lock = fs::File::options().write(true).open(desk.state().join("log.lock")).unwrap();
    lock.lock().unwrap();
    desk.play(CLAUDE, &["UserPromptSubmit"]);
    // An event waits to be replayed, and a session has to be opened: that makes three reasons to wait two seconds.
    let began = Instant::now();
    desk.play("codex", &["PostToolUse.Bash"]);
    assert!(began.elapsed() < Duration::from_millis(3_900), "{:?}", began.elapsed());
    let waiting = desk.spooled();
    assert_eq!(waiting.len(), 3);
    lock.unlock().unwrap();
    desk.play(CLAUDE, &["Stop"]);
    assert_eq!(desk.spooled(), Vec::<String>::new());
    let events = desk.events();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["session.started", "prompt.submitted", "session.started", "tool.used", "turn.ended"]);
    assert!(waiting.iter().all(|id| ids(&events).contains(id)));
    desk.verify();
}

#[test]
fn a_log_that_somebody_holds_is_not_waited_for_by_every_silent_session() {
    let desk = Desk::new();
    for n in 0..8 {
        let start =
            with(desk.fixture(CLAUDE, "SessionStart"), json!({ "session_id": format!("silent {n}") }));
        desk.tell(CLAUDE, "SessionStart", &start);
    }
    crate::sessions::age(&desk, 25);
    let lock = fs::File::options().write(true).open(desk.state().join("log.lock")).unwrap();
    lock.lock().unwrap();
    let began = Instant::now();
    desk.play("codex", &["SessionStart"]);
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    lock.unlock().unwrap();
    desk.play("gemini", &["SessionStart"]);
    assert_eq!(desk.events_of("session.interrupted").len(), 8);
}
