//! A temporary home and the program in it.

use std::io::Write;
use std::process::{Command, Stdio};

use custos_testkit::TempHome;
use serde_json::Value;

/// What a run of the program came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn home() -> TempHome {
    TempHome::new().unwrap()
}

pub(crate) fn command(home: &TempHome, arguments: &[&str]) -> Command {
    let mut command = home.command(env!("CARGO_BIN_EXE_custos"));
    command.args(arguments).current_dir(home.path()).env("TZ", "UTC").env("CUSTOS_NO_WORKER", "1");
    command
}

/// Runs the program with nothing on its standard input.
pub(crate) fn custos(home: &TempHome, arguments: &[&str]) -> Ran {
    fed(&mut command(home, arguments), b"")
}

/// Runs the program while nobody reads what it prints, and gives its exit code and what it complained about.
pub(crate) fn unread(command: &mut Command) -> (i32, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let ended = child.wait_with_output().unwrap();
    (ended.status.code().unwrap(), String::from_utf8(ended.stderr).unwrap())
}

/// Runs the program and feeds it.
pub(crate) fn fed(command: &mut Command, input: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || {
        // A program that ends early is no failure of the feeder.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Appends drafts and gives the answers.
pub(crate) fn append(home: &TempHome, drafts: &[Value]) -> Vec<Value> {
    let lines: String = drafts.iter().map(|draft| format!("{draft}\n")).collect();
    let ran = fed(&mut command(home, &["log", "append"]), lines.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    json_lines(&ran.stdout)
}

pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Runs the program, which must succeed, and gives its one JSON answer.
pub(crate) fn json(home: &TempHome, arguments: &[&str]) -> Value {
    let ran = custos(home, &[arguments, &["--json"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

pub(crate) fn id(answer: &Value) -> String {
    answer["id"].as_str().unwrap().to_owned()
}

/// Replaces what differs from run to run, for snapshots.
pub(crate) fn settings(home: &TempHome) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    let path = home.path().display().to_string();
    settings.add_filter(&path.replace('.', r"\."), "~");
    settings.add_filter(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "ID");
    settings.add_filter(r"\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d[:-]\d\d([.-]\d{3}Z)?", "TIME");
    settings.add_filter(r"[a-z0-9-]+-[0-9a-f]{10}\b", "WRITER");
    settings.add_filter(r"ai/[0-9a-f]{16}", "ai/HASH");
    settings.add_filter(r"  [0-9a-f]{12}  ", "  SHORT-ID  ");
    settings.add_filter(r"\d+\.\d\d ms each", "N ms each");
    settings.add_filter(r"\d+\.\d ms\n", "N ms\n");
    settings.add_filter(r"in \d+\.\d s", "in N s");
    settings.add_filter(r"up to date, [\d.]+ [KM]B", "up to date, SIZE");
    settings
}
