//! Everything that may come instead of a payload.

use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::{Value, json};

use crate::desk::{CUSTOS, Desk, fed, silence, with};

const CLAUDE: &str = "claude-code";
const MB: usize = 1 << 20;

/// What comes after must be as if nothing had been.
fn assert_goes_on(desk: &Desk) {
    let before = desk.events().len();
    desk.play(CLAUDE, &["SessionStart", "PostToolUse.Bash"]);
    let kinds: Vec<String> = desk.told().split_off(before).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["session.started", "tool.used"]);
    desk.verify();
}

#[rstest]
#[case::empty(b"", "EOF while parsing a value (byte 0)")]
#[case::blank(b" \n\t ", "EOF while parsing a value (byte 2)")]
#[case::text(b"Do the thing", "expected value (byte 1)")]
#[case::cut(b"{\"session_id\":\"x\",\"prompt\":\"half of", "EOF while parsing a string (byte 35)")]
#[case::two(b"{}{}", "trailing characters (byte 3)")]
#[case::list(b"[1, 2]", "expected a JSON object")]
#[case::null(b"null", "expected a JSON object")]
#[case::number(b"42", "expected a JSON object")]
#[case::twice(
    b"{\"session_id\":\"a\",\"session_id\":\"b\"}",
    "the key \"session_id\" is there twice (byte 35)"
)]
#[case::nul(
    b"{\"session_id\":\"a\0b\"}",
    "control character (\\u0000-\\u001F) found while parsing a string (byte 17)"
)]
#[case::nuls(b"\0\0\0\0", "expected value (byte 1)")]
#[case::utf16(b"\xff\xfe{\0}\0", "expected value (byte 1)")]
#[case::one_bom(b"\xef\xbb\xbf", "EOF while parsing a value (byte 0)")]
fn what_is_no_object_is_kept_and_told(#[case] payload: &[u8], #[case] problem: &str) {
    let desk = Desk::new();
    assert_eq!(desk.hook(CLAUDE, "UserPromptSubmit", payload), silence());
    let problem = format!("the payload is no JSON object: {problem}");
    let shown: String = problem.chars().filter(|c| !c.is_control()).collect();
    assert_eq!(desk.troubles(), [format!("{CLAUDE} UserPromptSubmit: {shown}")]);
    let told = desk.told();
    assert_eq!(told.len(), 1);
    assert_eq!(
        (told[0].0.as_str(), &told[0].1["event"], &told[0].1["problem"]),
        ("hook.alive", &json!("UserPromptSubmit"), &json!(problem))
    );
    assert!(told[0].1["payload"].is_string());
    assert_goes_on(&desk);
}

#[test]
fn a_million_levels_are_refused_in_no_time() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let desk = Desk::new();
        let deep = format!(
            "{{\"session_id\":\"x\",\"cwd\":{}1{}}}",
            open.repeat(1_000_000),
            close.repeat(1_000_000)
        );
        assert_eq!(desk.hook(CLAUDE, "UserPromptSubmit", deep), silence());
        let unclosed = open.repeat(1_000_000);
        assert_eq!(desk.hook(CLAUDE, "UserPromptSubmit", unclosed), silence());
        let troubles = desk.troubles();
        assert_eq!(troubles.len(), 2);
        assert!(troubles.iter().all(|line| line.contains("nested deeper than 128 levels")), "{troubles:?}");
        let told = desk.told();
        assert!(told.iter().all(|(kind, body)| kind == "hook.alive" && body.to_string().len() < 16 << 10));
        assert_goes_on(&desk);
    }
}

#[test]
fn a_payload_of_any_depth_leaves_an_event_that_can_be_read_back() {
    let desk = Desk::new();
    let payload = with(desk.fixture(CLAUDE, "PostToolUse.Bash"), json!({ "newer": "@" })).to_string();
    for event in ["PostToolUse", "Unknown"] {
        for depth in 120..132 {
            let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            assert_eq!(desk.hook(CLAUDE, event, payload.replace("\"@\"", &nested)), silence(), "{depth}");
        }
    }
    // Not parsed here: a line may be two levels deeper than what came, and so deeper than this reader goes.
    let log = desk.custos(&["log", "tail", "-n", "100", "--json"]);
    let calls = log.stdout.lines().filter(|line| !line.contains("session.started")).count();
    assert_eq!((log.code, calls), (0, 24));
    desk.verify();
}

#[test]
fn broken_utf8_marks_and_escaped_nuls_are_mended_and_recorded() {
    let desk = Desk::new();
    let prompt = |text: &[u8], before: &[u8]| {
        let payload = with(desk.fixture(CLAUDE, "UserPromptSubmit"), json!({ "prompt": "@" })).to_string();
        let (head, tail) = payload.split_once("\"@\"").unwrap();
        let payload = [before, head.as_bytes(), b"\"", text, b"\"", tail.as_bytes()].concat();
        assert_eq!(desk.hook(CLAUDE, "UserPromptSubmit", payload), silence());
        let event = desk.events_of("prompt.submitted").pop().unwrap();
        event["body"]["text"].as_str().unwrap().to_owned()
    };
    let bom = b"\xef\xbb\xbf";
    assert_eq!(prompt(b"caf\xff\xe9", b""), "caf??");
    assert_eq!(prompt(b"half \\ud83d of a crab", b""), "half \u{fffd} of a crab");
    assert_eq!(prompt(b"a\\u0000b", b""), "a\0b");
    assert_eq!(prompt(b"one mark", bom), "one mark");
    assert_eq!(prompt(b"two marks", &bom.repeat(2)), "two marks");
    assert_eq!(desk.troubles(), Vec::<String>::new());
    assert_goes_on_after_start(&desk);
}

/// Of a session that is open, a start says nothing new.
fn assert_goes_on_after_start(desk: &Desk) {
    let before = desk.events().len();
    desk.play(CLAUDE, &["SessionStart", "PostToolUse.Bash"]);
    let kinds: Vec<String> = desk.told().split_off(before).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["tool.used"]);
    desk.verify();
}

#[test]
fn fifty_megabytes_of_output_become_an_excerpt() {
    let desk = Desk::new();
    let output = format!("HEAD{}TAIL", "x".repeat(50 * MB));
    let huge =
        with(desk.fixture(CLAUDE, "PostToolUse.Bash"), json!({ "tool_response": { "stdout": output } }));
    desk.tell(CLAUDE, "PostToolUse", &huge);
    let event = desk.events_of("tool.used").remove(0);
    let kept = event["body"]["output"].as_str().unwrap();
    assert!(kept.starts_with("HEAD") && kept.ends_with("TAIL") && kept.len() <= 8 << 10, "{}", kept.len());
    assert_eq!((&event["outcome"], &event["body"]["exit"]), (&json!("ok"), &json!(0)));
    assert_eq!(desk.troubles(), Vec::<String>::new());
    assert_goes_on_after_start(&desk);
}

#[test]
fn fifty_megabytes_of_small_values_become_an_excerpt() {
    for values in [format!("[{}0]", "0,".repeat(25 * MB)), format!("{{{}\"z\":0}}", keys(50 * MB))] {
        let desk = Desk::new();
        let payload = desk.fixture(CLAUDE, "PostToolUse.Bash").to_string();
        let payload =
            payload.replacen(r#""tool_response":{"#, &format!(r#""tool_response":{values},"was":{{"#), 1);
        assert!(payload.len() > 50 * MB);
        assert_eq!(desk.hook(CLAUDE, "PostToolUse", payload), silence());
        let event = desk.events_of("tool.used").remove(0);
        assert_eq!(event["body"]["input"]["command"], json!("echo hi"));
        assert!(event.to_string().len() < 32 << 10, "{}", event.to_string().len());
        assert_eq!(desk.troubles(), Vec::<String>::new());
        assert_goes_on_after_start(&desk);
    }
}

fn keys(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    for n in 0.. {
        if text.len() > bytes {
            break;
        }
        text.push_str(&format!("\"k{n}\":{n},"));
    }
    text
}

#[test]
fn fifty_megabytes_of_a_prompt_are_kept_within_the_size_of_an_event() {
    let desk = Desk::new();
    let prompt = with(desk.fixture(CLAUDE, "UserPromptSubmit"), json!({ "prompt": "wort ".repeat(10 * MB) }));
    desk.tell(CLAUDE, "UserPromptSubmit", &prompt);
    let event = desk.events_of("prompt.submitted").remove(0);
    let len = event["body"]["text"].as_str().unwrap().len();
    assert!((10_000..1 << 20).contains(&len), "{len}");
    assert_goes_on_after_start(&desk);
}

#[test]
fn fifty_megabytes_that_are_no_json_are_kept_as_an_excerpt() {
    let desk = Desk::new();
    assert_eq!(desk.hook(CLAUDE, "PostToolUse", "no json ".repeat(50 * MB / 8)), silence());
    assert_eq!(desk.troubles().len(), 1);
    let (kind, body) = desk.told().remove(0);
    assert_eq!(kind, "hook.alive");
    assert!(body["payload"].as_str().unwrap().contains("[cut: 52428800 bytes"), "{body}");
    assert_goes_on(&desk);
}

#[test]
fn more_than_a_hook_reads_is_told_and_left() {
    let desk = Desk::new();
    assert_eq!(desk.hook(CLAUDE, "PostToolUse", vec![b' '; 65 * MB]), silence());
    assert_eq!(desk.troubles(), [format!("{CLAUDE} PostToolUse: the payload is longer than 64 MB")]);
    assert_goes_on(&desk);
}

/// Starts a hook, says something, keeps the pipe open, and gives how long the hook took.
fn kept_waiting(desk: &Desk, said: &[&[u8]]) -> Duration {
    let began = Instant::now();
    let mut command = desk.command(&["hook", CLAUDE, "PostToolUse"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for part in said {
        stdin.write_all(part).unwrap();
        custos_testkit::kill::wait_until(Instant::now() + Duration::from_millis(200));
    }
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
    began.elapsed()
}

#[rstest]
#[case::nothing(&[])]
#[case::half(&[b"{\"session_id\":" as &[u8]])]
#[case::drops(&[b"{" as &[u8], b"\"", b"s", b"e", b"s"])]
fn standard_input_that_never_ends_is_not_waited_for(#[case] said: &[&[u8]]) {
    let desk = Desk::new();
    let took = kept_waiting(&desk, said);
    assert!(took < Duration::from_secs(20), "{took:?}");
    let problem = "the client did not finish its payload within 3 s";
    assert_eq!(desk.troubles(), [format!("{CLAUDE} PostToolUse: {problem}")]);
    assert_goes_on(&desk);
}

#[test]
fn standard_input_that_is_closed_a_directory_or_no_file_is_told() {
    let desk = Desk::new();
    for (n, redirection) in ["<&-", "</", "</dev/null", "0>/dev/null"].into_iter().enumerate() {
        let mut shell = desk.program("/bin/sh");
        shell.args(["-c", &format!("exec '{CUSTOS}' hook {CLAUDE} PostToolUse {redirection}")]);
        assert_eq!(fed(&mut shell, b""), silence(), "{redirection}");
        assert_eq!(desk.troubles().len(), n + 1, "{redirection}: {:?}", desk.troubles());
    }
    assert_goes_on(&desk);
}

#[test]
fn every_byte_of_a_payload_may_be_missing_or_wrong() {
    // Not all of them, or the test would take minutes; a stride that meets every part of the payload.
    let desk = Desk::new();
    let whole = desk.fixture(CLAUDE, "PostToolUse.Bash").to_string().into_bytes();
    let mut recorded = 0;
    for at in (0..whole.len()).step_by(7) {
        let mut changed = whole.clone();
        changed[at] ^= 0x15;
        assert_eq!(desk.hook(CLAUDE, "PostToolUse", &changed), silence(), "{at}");
        assert_eq!(desk.hook(CLAUDE, "PostToolUse", &whole[..at]), silence(), "{at}");
        recorded += 2;
    }
    let kinds: Vec<String> = desk.told().into_iter().map(|(kind, _)| kind).collect();
    let calls = kinds.iter().filter(|kind| ["tool.used", "hook.alive"].contains(&kind.as_str())).count();
    let unknown = kinds.iter().filter(|kind| *kind == "session.started").count();
    assert_eq!(calls, recorded, "every call left an event, and {unknown} sessions were opened");
    desk.verify();
}

#[test]
fn the_trouble_file_is_bounded() {
    let desk = Desk::new();
    desk.hook(CLAUDE, "Stop", "no json");
    let file = desk.state().join("hooks.trouble");
    let line = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, line.repeat((128 << 10) / line.len() + 1)).unwrap();
    for _ in 0..3 {
        desk.hook(CLAUDE, "Stop", "no json");
    }
    let sizes: u64 = ["hooks.trouble", "hooks.trouble.old"]
        .map(|name| desk.state().join(name).metadata().unwrap().len())
        .iter()
        .sum();
    assert!(sizes < 140 << 10, "{sizes}");
    let last: Value = serde_json::from_str(line.trim_end()).unwrap();
    assert!(desk.troubles().iter().all(|line| line.ends_with(last["problem"].as_str().unwrap())));
}
