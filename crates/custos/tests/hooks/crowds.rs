//! Many hooks at once, and hooks that do not get to their end.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use custos_testkit::kill::Killer;
use serde_json::{Value, json};

use crate::desk::{Desk, silence, with};

const CLAUDE: &str = "claude-code";
const MANY: usize = 64;

/// Calls hooks at once; each must have nothing to say.
fn at_once(desk: &Desk, count: usize, payload: impl Fn(usize) -> (&'static str, Value) + Sync) {
    std::thread::scope(|scope| {
        for n in 0..count {
            let payload = &payload;
            scope.spawn(move || {
                let (event, payload) = payload(n);
                desk.tell(CLAUDE, event, &payload);
            });
        }
    });
    desk.settle();
}

fn numbered(desk: &Desk, n: usize) -> Value {
    with(
        desk.fixture(CLAUDE, "PostToolUse.Bash"),
        json!({ "tool_input": { "command": format!("echo {n}") } }),
    )
}

fn sessions(events: &[Value]) -> BTreeSet<&str> {
    events.iter().map(|event| event["session"].as_str().unwrap()).collect()
}

#[test]
fn sixty_four_hooks_of_one_session_make_one_session() {
    let desk = Desk::new();
    at_once(&desk, MANY, |n| ("PostToolUse", numbered(&desk, n)));
    assert_eq!(desk.events_of("session.started").len(), 1);
    let tools = desk.events_of("tool.used");
    let commands: BTreeSet<String> =
        tools.iter().map(|event| event["body"]["input"]["command"].to_string()).collect();
    assert_eq!((tools.len(), commands.len()), (MANY, MANY), "none is lost and none is there twice");
    let events = desk.events();
    assert_eq!(sessions(&events).len(), 1);
    assert_eq!(events.len(), MANY + 1);
    desk.verify();
}

#[test]
fn a_start_among_the_first_events_is_the_same_start() {
    let desk = Desk::new();
    at_once(&desk, MANY, |n| match n % 4 {
        0 => ("SessionStart", desk.fixture(CLAUDE, "SessionStart")),
        _ => ("PostToolUse", numbered(&desk, n)),
    });
    assert_eq!(desk.events_of("session.started").len(), 1);
    assert_eq!(desk.events_of("tool.used").len(), MANY / 4 * 3);
    desk.verify();
}

#[test]
fn sixty_four_sessions_at_once_stay_apart_and_start_once_each() {
    let desk = Desk::new();
    at_once(&desk, 2 * MANY, |n| {
        let session = json!({ "session_id": format!("session {}", n / 2) });
        match n % 2 {
            // Every start looks through the journals of all the others.
            0 => ("SessionStart", with(desk.fixture(CLAUDE, "SessionStart"), session)),
            _ => ("PostToolUse", with(numbered(&desk, n), session)),
        }
    });
    for kind in ["session.started", "tool.used"] {
        let events = desk.events_of(kind);
        assert_eq!((events.len(), sessions(&events).len()), (MANY, MANY), "{kind}");
    }
    desk.verify();
}

#[test]
fn quiet_tools_of_many_hooks_are_all_counted() {
    let desk = Desk::new();
    at_once(&desk, MANY, |n| ("PostToolUse", with(numbered(&desk, n), json!({ "tool_name": "Grep" }))));
    desk.play(CLAUDE, &["Stop"]);
    assert_eq!(desk.events_of("turn.ended")[0]["body"]["quiet"], json!({ "Grep": MANY }));
    assert_eq!(desk.events_of("session.started").len(), 1);
}

/// Starts a hook whose payload is all there already.
fn start(desk: &Desk, event: &str, payload: &Path) -> io::Result<Child> {
    let mut command = desk.command(&["hook", CLAUDE, event]);
    command.stdin(File::open(payload)?).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
}

#[test]
fn hooks_that_are_killed_leave_a_sound_log_and_do_not_stop_the_next() {
    let desk = Desk::new();
    let payload = desk.put("payload.json", desk.fixture(CLAUDE, "PostToolUse.Bash").to_string());
    let begin = desk.put("start.json", desk.fixture(CLAUDE, "SessionStart").to_string());
    let ended: usize = std::thread::scope(|scope| {
        let killers: Vec<_> = (0..4)
            .map(|seed| {
                let (desk, payload, begin) = (&desk, &payload, &begin);
                scope.spawn(move || {
                    let mut ended = 0;
                    let mut killer = Killer::new(seed, Duration::ZERO..Duration::from_millis(12));
                    let start = |round: u32| match round % 10 {
                        0 => start(desk, "SessionStart", begin),
                        _ => start(desk, "PostToolUse", payload),
                    };
                    killer
                        .rounds::<io::Error>(60, start, |_, strike| {
                            assert!(
                                strike.output.stdout.is_empty() && strike.output.stderr.is_empty(),
                                "{strike}"
                            );
                            if strike.came_too_late() {
                                assert_eq!(strike.output.status.code(), Some(0), "{strike}");
                                ended += 1;
                            }
                            Ok(())
                        })
                        .unwrap();
                    ended
                })
            })
            .collect();
        killers.into_iter().map(|killer| killer.join().unwrap()).sum()
    });
    assert!(
        (1..240).contains(&ended),
        "{ended} of 240 came to their end: too early or too late to show anything"
    );
    desk.verify();
    let before = desk.events_of("tool.used").len();
    desk.play(CLAUDE, &["PostToolUse.Bash", "Stop"]);
    desk.settle();
    assert!(desk.events_of("tool.used").len() > before);
    assert_eq!(desk.events_of("turn.ended").len(), 1);
    let events = desk.events();
    assert_eq!(sessions(&events).len(), 1);
    // The opener may have been killed after it recorded the start and before it could say so; the turn's end says it again.
    let starts = desk.events_of("session.started");
    let plain = starts.iter().filter(|event| event["body"]["source"] != "recovered").count();
    assert!(plain <= 1 && !starts.is_empty(), "{starts:#?}");
    desk.verify();
}

#[test]
fn a_client_that_is_killed_while_it_speaks_leaves_a_hook_that_ends_well() {
    let desk = Desk::new();
    let whole = desk.fixture(CLAUDE, "PostToolUse.Bash").to_string();
    for said in [0, 1, whole.len() / 2, whole.len() - 1] {
        let mut command = desk.command(&["hook", CLAUDE, "PostToolUse"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // All its pipes are gone with the client.
        drop((child.stdout.take(), child.stderr.take()));
        child.stdin.take().unwrap().write_all(&whole.as_bytes()[..said]).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{said}");
    }
    assert_eq!(desk.events_of("hook.alive").len(), 4);
    assert_eq!(desk.hook(CLAUDE, "PostToolUse", &whole), silence());
    assert_eq!(desk.events_of("tool.used").len(), 1);
    desk.verify();
}
