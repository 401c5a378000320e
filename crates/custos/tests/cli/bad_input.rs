//! Whatever comes in on standard input: answered line by line, bounded in memory, and nothing right is lost.

use serde_json::{Value, json};

use crate::shell::{append, command, custos, fed, home, json_lines, settings};

fn draft(body: &Value) -> String {
    json!({"kind": "tool.used", "scope": "user", "body": body}).to_string()
}

#[test]
fn each_line_is_answered_and_the_good_ones_go_in() {
    let home = home();
    let mut input = Vec::new();
    let good = draft(&json!({"n": 1}));
    for line in [
        good.as_bytes(),
        b"not json",
        br#"{"kind":"tool.used","scope":"user"}"#,
        br#"{"kind":"tool.used","scope":"user","body":{"a":1,"a":2}}"#,
        b"",
        br#"{"kind":"tool.used","scope":"user","body":{},"agent":{"client":"x","id":1}}"#,
        b"{\"kind\":\"tool.used\",\"scope\":\"user\",\"body\":{\"text\":\"\xff\xfe\"}}",
        br#"{"kind":"tool.used","scope":"user","body":{"text":"\ud800 alone"}}"#,
        b"\xef\xbb\xbf{\"kind\":\"tool.used\",\"scope\":\"user\",\"body\":{\"text\":\"bom\"}}",
        br#"{"kind":"tool.used","scope":"user","body":{"n":NaN}}"#,
        good.as_bytes(),
    ] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.pop();
    let ran = fed(&mut command(&home, &["log", "append"]), &input);
    assert_eq!((ran.code, ran.stderr.as_str()), (65, ""));
    settings(&home).bind(|| {
        insta::assert_snapshot!(ran.stdout, @r#"
{"id":"ID","writer":"WRITER","seq":1}
{"line":2,"path":"(whole line)","error":"is no draft: expected ident (byte 2)"}
{"line":3,"path":"body","error":"is missing; an object with what happened is required"}
{"line":4,"path":"(whole line)","error":"is no draft: the key \"a\" is there twice (byte 55)"}
{"line":6,"path":"agent.id","error":"expected a text, found a number"}
{"id":"ID","writer":"WRITER","seq":2,"mended":true}
{"id":"ID","writer":"WRITER","seq":3,"mended":true}
{"id":"ID","writer":"WRITER","seq":4}
{"line":10,"path":"(whole line)","error":"is no draft: expected value (byte 48)"}
{"id":"ID","writer":"WRITER","seq":5}
"#);
    });
    assert_eq!(json_lines(&custos(&home, &["log", "tail", "--json"]).stdout).len(), 5);
    assert_eq!(custos(&home, &["verify"]).code, 0);
}

#[test]
fn events_go_in_even_if_nobody_reads_the_answers() {
    use std::io::Write;
    use std::process::Stdio;
    let home = home();
    let mut child =
        command(&home, &["log", "append"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    for n in 0..5 {
        writeln!(stdin, "{}", draft(&json!({ "n": n }))).unwrap();
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(json_lines(&custos(&home, &["log", "tail", "--json"]).stdout).len(), 5);
}

#[test]
fn what_goes_in_comes_out_of_a_pipe_unchanged_and_never_as_a_command_to_a_terminal() {
    let home = home();
    let text = "a\u{7f}b\u{9b}31mc\u{1b}[2Jd\u{2028}e";
    append(&home, &[json!({"kind": "prompt.submitted", "scope": "user", "body": {"text": text}})]);
    let ran = custos(&home, &["log", "tail", "--json"]);
    assert_eq!(json_lines(&ran.stdout)[0]["body"]["text"], json!(text));
    assert!(!ran.stdout.contains(['\u{7f}', '\u{9b}', '\u{1b}']));
    let shown = custos(&home, &["log", "tail"]).stdout;
    assert!(shown.ends_with("a\u{fffd}b\u{fffd}31mc\u{fffd}[2Jd e\n"), "{shown:?}");
}

#[test]
fn no_program_can_make_the_log_forget() {
    let home = home();
    let victim =
        append(&home, &[json!({"kind": "prompt.submitted", "scope": "user", "body": {"text": "evidence"}})]);
    let tombstone = json!({"kind": "forget.done", "scope": "user", "body": {"ids": [victim[0]["id"]]}});
    let ran = fed(&mut command(&home, &["log", "append"]), format!("{tombstone}\n").as_bytes());
    assert_eq!(ran.code, 65);
    assert_eq!(json_lines(&ran.stdout)[0]["path"], json!("kind"));
}

#[test]
fn answers_come_before_the_next_line_is_read() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let home = home();
    let mut child =
        command(&home, &["log", "append"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for seq in 1..=3 {
        writeln!(stdin, "{}", draft(&json!({}))).unwrap();
        let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["seq"], json!(seq));
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn fifty_megabytes_take_little_more_memory_than_themselves() {
    let home = home();
    let draft = |body: &str| format!(r#"{{"kind":"tool.used","scope":"user","body":{body}}}"#);
    let plain = draft(&format!(r#"{{"output":"{}"}}"#, "word ".repeat(10 << 20)));
    let escaped = draft(&format!(r#"{{"output":"{}"}}"#, r"\n\t".repeat(12 << 20)));
    let crowded = draft(&format!(r#"{{"n":[{}1]}}"#, "1,".repeat(25 << 20)));
    let deep = draft(&format!(r#"{{"deep":{}{}}}"#, "[".repeat(25 << 20), "]".repeat(25 << 20)));
    for (name, event) in [("plain", &plain), ("escaped", &escaped), ("crowded", &crowded), ("deep", &deep)] {
        let (answer, peak) = answer_and_peak(&home, event);
        assert_eq!(answer.get("id").is_some(), name != "deep", "{name}: {answer}");
        let above = peak.saturating_sub(event.len());
        assert!(above < 64 << 20, "{name}: {above} bytes above the payload");
    }
    let events = json_lines(&custos(&home, &["log", "tail", "--json"]).stdout);
    assert_eq!(events.len(), 3);
    for (event, (field, length)) in events.iter().zip([
        ("output", 50 << 20),
        ("output", 24 << 20),
        ("excerpt", crowded.len() - draft("").len()),
    ]) {
        let text = event["body"][field].as_str().unwrap();
        assert!(text.len() < 256 << 10, "{field}");
        assert!(
            text.contains(&format!("…[cut: {length} bytes, sha256 ")),
            "{field} {length}: {}",
            note(text)
        );
    }
}

#[cfg(target_os = "linux")]
fn note(text: &str) -> &str {
    text.split('…').nth(1).unwrap_or_default()
}

/// Feeds one event, and reads the answer and the most memory that the program had resident while it still runs.
#[cfg(target_os = "linux")]
fn answer_and_peak(home: &custos_testkit::TempHome, event: &str) -> (Value, usize) {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let mut child =
        command(home, &["log", "append"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(event.as_bytes()).and_then(|()| stdin.write_all(b"\n")).unwrap();
    let answer = BufReader::new(child.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    drop(stdin);
    child.wait().unwrap();
    (serde_json::from_str(&answer).unwrap(), kilobytes << 10)
}

#[test]
fn secrets_and_private_text_never_reach_the_disk() {
    let home = home();
    let secret = format!("ghp_{}", "4kQ9zT2mW7xR1vB8nL5cJ3hF6dS0aPyGuEiO");
    let answers = append(
        &home,
        &[
            json!({"kind": "prompt.submitted", "scope": "user", "body": {"text": format!("use {secret}"), "note": "a <private>Sesamstrasse 7\nBerlin</private> b"}}),
            json!({"kind": "tool.used", "scope": "user", "project": format!("https://u:{secret}@github.com/a/b"), "body": {"input": {"password": "hunter2-Xq9"}, "output": format!("{}{secret}", "x ".repeat(200_000))}}),
        ],
    );
    assert_eq!(answers.len(), 2);
    custos(&home, &["search", "use"]);
    custos(&home, &["backup", "create"]);
    for needle in [&secret[4..20], "Sesamstrasse", "Berlin", "hunter2"] {
        assert_eq!(home.find_bytes(needle).unwrap(), Vec::<std::path::PathBuf>::new(), "{needle}");
    }
    let events = json_lines(&custos(&home, &["log", "tail", "--json"]).stdout);
    assert_eq!(events[0]["body"]["note"], json!("a [redacted:private] b"));
}

#[test]
fn a_query_is_only_text() {
    let home = home();
    append(&home, &[json!({"kind": "prompt.submitted", "scope": "user", "body": {"text": "plain words"}})]);
    for query in [
        "\"",
        "' OR 1=1 --",
        "NEAR(a b)",
        "*",
        "title:x",
        "a AND",
        "(",
        "-",
        "{}",
        "漢",
        "plain*",
        ";DROP TABLE prompts",
    ] {
        let ran = custos(&home, &["search", "--json", "--", query]);
        let is_list = serde_json::from_str::<Vec<Value>>(&ran.stdout).is_ok();
        assert_eq!((ran.code, is_list), (0, true), "{query}: {ran:?}");
        // Two things may be said of such an answer: that there are no vectors, and that there are no words to compare.
        assert!(ran.stderr.lines().all(|line| line.starts_with("note: ")), "{query}: {ran:?}");
    }
    let huge = "plain ".repeat(16 << 10);
    let ran = custos(&home, &["search", "--json", &huge]);
    assert_eq!(json_lines(&ran.stdout)[0].as_array().unwrap().len(), 1);
}
