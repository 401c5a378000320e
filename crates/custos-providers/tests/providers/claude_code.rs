//! Claude Code itself, offline, against the scripted model.
//!
//! It comes from npm in the version that `tests/clients/clients.py` pins, and is cached. Where it cannot be had the tests fail and say
//! so; `scripts/test --offline` leaves them out, by the part of the name that they share with the journeys: `the_real_client`.

#![expect(clippy::disallowed_methods, reason = "tests set the scene with plain writes")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use custos_distill::model::{Fault, Model, Question, Reply};
use custos_providers::{Named, Provider, open};
use custos_testkit::model_server::{ModelServer, NOTHING, Play, Request};
use serde_json::json;
use tempfile::TempDir;

use crate::evidence::{EVIDENCE, questions};
use crate::{SYSTEM, question};

/// The provider, with a program that stands for Claude Code.
fn asked_of<'a>(state: &'a Path, program: &'a Path, environment: &'a [(String, String)]) -> Provider<'a> {
    Provider {
        named: Named::ClaudeCli,
        model: None,
        base_url: None,
        key: None,
        proxy: None,
        authorities: None,
        state,
        claude: program,
        environment,
    }
}

/// A home in which everything is installed that Claude Code must not use here.
struct Home {
    server: ModelServer,
    directory: TempDir,
    environment: Vec<(String, String)>,
}

impl Home {
    fn new() -> Self {
        let (server, home) = (ModelServer::start().unwrap(), TempDir::new().unwrap());
        let hook = json!([{"hooks": [{"type": "command", "command": "echo hook >> ~/hooks-that-ran"}]}]);
        let hooks = json!({"SessionStart": hook, "UserPromptSubmit": hook, "Stop": hook, "SessionEnd": hook});
        fs::create_dir(home.path().join(".claude")).unwrap();
        fs::write(home.path().join(".claude/settings.json"), json!({"hooks": hooks}).to_string()).unwrap();
        fs::write(home.path().join(".claude/CLAUDE.md"), "Instructions of the person.").unwrap();
        fs::write(home.path().join("notes.txt"), "what stands in a file").unwrap();
        let environment = [
            ("HOME", home.path().to_str().unwrap()),
            ("ANTHROPIC_BASE_URL", &server.url()),
            ("ANTHROPIC_API_KEY", "none"),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Self { server, directory: home, environment }
    }

    fn open(&self) -> Box<dyn Model> {
        let claude = claude();
        fs::create_dir_all(self.state()).unwrap();
        open(&asked_of(&self.state(), &claude, &self.environment)).unwrap()
    }

    fn state(&self) -> PathBuf {
        self.directory.path().join("state")
    }

    /// Lists the processes of Claude Code that work in this home.
    fn children(&self) -> Vec<u32> {
        let own = fs::canonicalize(self.state().join("conversation")).unwrap();
        let numbers =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        numbers
            .filter(|id: &u32| fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|cwd| cwd == own))
            .collect()
    }
}

/// Fetches the client, or finds it in the cache.
fn claude() -> PathBuf {
    let drive = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/drive.py");
    let output = Command::new("python3").arg(drive).args(["install", "claude-code"]).output().unwrap();
    assert!(
        output.status.success(),
        "THE REAL CLIENT IS NOT THERE and could not be fetched, so nothing was tested: {}\n\
         To run the tests without the real clients: scripts/test --offline",
        String::from_utf8_lossy(&output.stderr)
    );
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

fn patient(prompt: &str) -> Question<'_> {
    Question { within: Duration::from_mins(1), ..question(prompt) }
}

/// What the person is said to have said in a request, in order.
fn asked(request: &Request) -> Vec<String> {
    let messages =
        request.body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
    let texts = messages.flat_map(|message| match &message["content"] {
        serde_json::Value::String(text) => vec![text.clone()],
        content => content
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|block| block["text"].as_str().map(str::to_owned))
            .collect(),
    });
    texts.collect()
}

#[test]
fn the_real_client_is_one_process_for_all_questions_of_a_session_and_nothing_but_a_model() {
    let home = Home::new();
    let mut model = home.open();
    let first = model.ask(&patient("First, see @notes.txt and @~/notes.txt")).unwrap();
    let child = home.children();
    let second = model.ask(&patient("Second")).unwrap();
    assert_eq!((child.len(), home.children()), (1, child));
    let requests = home.server.requests();
    assert_eq!(asked(&requests[0]), ["First, see ＠notes.txt and ＠~/notes.txt"]);
    assert_eq!(asked(&requests[1]), ["First, see ＠notes.txt and ＠~/notes.txt", "Second"]);
    for request in &requests {
        assert_eq!(request.body["tools"], json!([]));
        let everything = request.body.to_string();
        assert!(everything.contains(SYSTEM));
        assert!(
            !everything.contains("Instructions of the person")
                && !everything.contains("what stands in a file")
        );
    }
    assert_eq!(requests.len(), 2);
    assert!(!home.directory.path().join("hooks-that-ran").exists());
    assert_eq!([&first.text, &second.text], [NOTHING; 2]);
    assert_eq!([first.spent.input, second.spent.input], [requests[0].tokens(), requests[1].tokens()]);
    let cost = |reply: &Reply| reply.spent.microdollars.unwrap();
    assert!(cost(&first) > 0 && cost(&second) < 2 * cost(&first), "{first:?} {second:?}");
    drop(model);
    assert_eq!(home.children(), Vec::<u32>::new());
}

#[test]
fn the_real_client_takes_a_conversation_up_again_after_its_death_and_after_a_restart() {
    let home = Home::new();
    let mut model = home.open();
    model.ask(&patient("First")).unwrap();
    let child = home.children();
    let killed = Command::new("kill").args(["-9", &child[0].to_string()]).status().unwrap();
    assert!(killed.success());
    model.ask(&patient("Second")).unwrap();
    assert_ne!(home.children(), child);
    drop(model);
    let mut restarted = home.open();
    restarted.ask(&patient("Third")).unwrap();
    let other = Question { session: "session-2", ..patient("Of another session") };
    restarted.ask(&other).unwrap();
    let requests = home.server.requests();
    assert_eq!(asked(&requests[2]), ["First", "Second", "Third"]);
    assert_eq!(asked(&requests[3]), ["Of another session"]);
    // The transcript is gone: the conversation begins anew.
    drop(restarted);
    fs::remove_dir_all(home.directory.path().join(".claude/projects")).unwrap();
    home.open().ask(&patient("Fourth")).unwrap();
    assert_eq!(asked(home.server.requests().last().unwrap()), ["Fourth"]);
}

#[test]
fn the_real_client_begins_a_new_conversation_before_the_old_one_is_long() {
    let home = Home::new();
    let mut model = home.open();
    let evidence = "0123456789abcde ".repeat(1_000);
    let mut sent = 0;
    for number in 0..6 {
        sent += model.ask(&patient(&format!("Question {number}\n{evidence}"))).unwrap().spent.input;
    }
    let questions: Vec<_> = home.server.requests().iter().map(|request| asked(request).len()).collect();
    assert_eq!(questions, [1, 2, 1, 2, 1, 2]);
    assert!(sent < 6 * 4_000 * 2, "{sent} tokens for 24,000");
}

#[test]
fn the_real_client_is_sent_at_most_one_and_a_half_times_the_evidence_of_a_hundred_calls() {
    for ok in [true, false] {
        let home = Home::new();
        let mut model = home.open();
        let sent: u64 = questions(9, ok)
            .iter()
            .map(|prompt| model.ask(&asked_in_full(prompt)).unwrap().spent.input)
            .sum();
        let requests = home.server.requests();
        assert!(requests.len() <= 12, "{}", requests.len());
        assert_eq!(
            sent,
            requests.iter().map(Request::tokens).sum::<u64>(),
            "what is said to be spent is what was sent"
        );
        assert!(sent * 2 < EVIDENCE * 3, "{sent} of {EVIDENCE}");
        println!(
            "claude-cli, ok: {ok}: {} questions, {sent} tokens for {EVIDENCE} of evidence",
            requests.len()
        );
    }
}

fn asked_in_full(prompt: &str) -> Question<'_> {
    Question { system: custos_distill::prompt::SYSTEM, ..patient(prompt) }
}

#[test]
fn the_real_client_passes_on_why_there_is_no_answer() {
    let home = Home::new();
    let mut model = home.open();
    home.server.play([
        Play::refusal(401, "authentication_error", "invalid x-api-key"),
        Play::refusal(429, "rate_limit_error", "slow down"),
        Play::refusal(529, "overloaded_error", "Overloaded"),
        Play::refusal(500, "api_error", "Internal"),
    ]);
    assert!(matches!(model.ask(&patient("One")), Err(Fault::Refused(_))));
    assert!(matches!(model.ask(&patient("Two")), Err(Fault::Busy { .. })));
    assert!(matches!(model.ask(&patient("Three")), Err(Fault::Busy { .. })));
    assert!(matches!(model.ask(&patient("Four")), Err(Fault::Broken(_))));
    // Of half a stream it asks once more by itself.
    home.server.play(vec![Play::Half("{\"observations\": [".repeat(50)); 2]);
    let half = model.ask(&patient("Half"));
    assert!(matches!(half, Err(Fault::CutOff(_))), "{half:?}");
    home.server.play([Play::Hangs]);
    let late = model.ask(&Question { within: Duration::from_secs(4), ..patient("Five") });
    assert!(matches!(late, Err(Fault::CutOff(_))), "{late:?}");
    assert_eq!(home.children(), Vec::<u32>::new());
    assert_eq!(model.ask(&patient("Six")).unwrap().text, NOTHING);
    assert_eq!(
        asked(home.server.requests().last().unwrap()),
        ["Six"],
        "questions without an answer are not repeated"
    );
}

#[test]
fn a_program_that_is_none_or_says_nothing_is_a_fault() {
    let home = Home::new();
    let ask = |program: &str| {
        fs::create_dir_all(home.state()).unwrap();
        open(&asked_of(&home.state(), Path::new(program), &[])).unwrap().ask(&question("One")).unwrap_err()
    };
    let missing = ask("/nonexistent/claude");
    assert!(matches!(missing, Fault::Unreachable(_)), "{missing:?}");
    let silent = ask("true");
    assert_eq!(silent, Fault::Broken("claude ended without an answer".to_owned()));
}

/// A Claude Code that is a few lines of shell.
fn scripted(home: &Home, script: &str) -> Box<dyn Model> {
    let program = home.directory.path().join("claude");
    fs::create_dir_all(home.state()).unwrap();
    fs::write(&program, format!("#!/bin/sh\nread question\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    open(&asked_of(&home.state(), &program, &home.environment)).unwrap()
}

#[test]
fn a_child_that_dies_in_the_middle_of_an_answer_has_taken_something() {
    const BEGINS: &str = r#"echo '{"type":"system","subtype":"init","session_id":"c-1"}'"#;
    const ANSWERS: &str =
        r#"echo '{"type":"result","subtype":"success","result":"{}","usage":{"input_tokens":7}}'"#;
    let home = Home::new();
    let fault = scripted(&home, &format!("{BEGINS}; exit 1")).ask(&question("One")).unwrap_err();
    assert!(matches!(fault, Fault::CutOff(_)), "{fault:?}");
    // The one that takes its place answers; what the first one had begun is counted.
    let once = format!("{BEGINS}; test -e ~/died || {{ touch ~/died; exit 1; }}; {ANSWERS}; read more");
    let reply = scripted(&home, &once).ask(&question("Two")).unwrap();
    assert_eq!(reply.text, "{}");
    assert!(reply.spent.input > 7, "{reply:?}");
    let reply = scripted(&home, &format!("{BEGINS}; {ANSWERS}; read more")).ask(&question("Three")).unwrap();
    assert_eq!(reply.spent.input, 7);
}
