//! A home, a project in it, and a client that works there.
//!
//! The home's name has a space, an apostrophe and a letter beyond ASCII in it, because the installed commands do too then, and each client
//! hands them to its shell in its own way. Clients and Custos see this home and a `PATH`, nothing else of the machine.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::rc::Rc;
use std::slice;

use custos_testkit::TempHome;
use serde_json::Value;

use crate::trace::Trace;

/// What the person asks for in the first session.
pub(crate) const FIRST: &str = "Let the refresh token live 7 days.";
/// What the person asks for in the next one.
pub(crate) const NEXT: &str = "How long does the refresh token live?";
/// What the person asks for when they come back to that one.
pub(crate) const AGAIN: &str = "Are you sure?";

/// Words of the instruction block that nothing else says.
const INSTRUCTION: &str = "Custos: the memory of this machine";

pub(crate) struct Journey {
    client: &'static str,
    /// Held for its `Drop`.
    _directory: Rc<TempHome>,
    pub(crate) home: PathBuf,
    pub(crate) project: PathBuf,
    out: PathBuf,
}

/// How a client decides whether a tool may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As for people, except that nobody is there to be asked.
    Careful,
    /// Every tool runs, without a question.
    Bypass,
}

/// What a session of the client left behind, beside the log.
pub(crate) struct Session {
    requests: Vec<Value>,
    pub(crate) stdout: String,
}

impl Journey {
    /// Makes a home with a repository in it, and nothing installed.
    pub(crate) fn new(client: &'static str) -> Self {
        let directory = Rc::new(TempHome::new().unwrap());
        let home = directory.path().join("Zoë's home");
        let out = directory.path().join("out");
        let project = home.clone();
        Self { client, _directory: directory, home, project, out }.beside("shop")
    }

    /// Makes another repository in the same home, and works there.
    pub(crate) fn beside(&self, name: &str) -> Self {
        let Self { client, _directory: directory, home, out, .. } = self;
        let project = home.join(name);
        fs::create_dir_all(project.join("src")).unwrap();
        fs::write(project.join("README.md"), "# Shop\n").unwrap();
        let (directory, home, out) = (Rc::clone(directory), home.clone(), out.clone());
        let journey = Self { client, _directory: directory, home, project, out };
        let remote = format!("remote add origin https://github.com/acme/{name}.git");
        for arguments in [
            "init --quiet --initial-branch=main",
            &remote,
            "add .",
            "-c user.name=Zoe -c user.email=zoe@example.com commit --quiet --message=begin",
        ] {
            journey.must(journey.command("git").args(arguments.split(' ')));
        }
        journey
    }

    /// Goes on in another client.
    pub(crate) fn change_to(&mut self, client: &'static str) {
        self.client = client;
    }

    /// Installs Custos for the client, and gives what the person is told. A knowledge base is not begun: it would be in the log first.
    pub(crate) fn set_up(&self) -> String {
        self.custos(&["setup", "--yes", "--no-init", "--client", self.client])
    }

    /// Trusts the hooks that Codex found, as a person does in its dialog.
    pub(crate) fn trust_hooks(&self) {
        let mut drive = self.drive("trust");
        self.must(&mut drive);
    }

    /// Lets the client work on a prompt while the model plays a script; the client must play it to the end.
    pub(crate) fn session(&self, script: &str, prompt: &str, arguments: &[&str]) -> Session {
        self.session_in(Mode::Bypass, script, prompt, arguments)
    }

    /// The same in a mode of the test's choice.
    pub(crate) fn session_in(&self, mode: Mode, script: &str, prompt: &str, arguments: &[&str]) -> Session {
        self.play(mode, &clients().join("scripts").join(script).with_extension("json"), prompt, arguments)
    }

    /// The same with turns that the test made up.
    pub(crate) fn session_of(&self, turns: &[Value], prompt: &str) -> Session {
        self.play(Mode::Bypass, &self.written(&serde_json::json!({ "main": turns })), prompt, &[])
    }

    /// Lets two windows that share one process of the client work at the same time, each with its prompt and its turns.
    pub(crate) fn two_windows(&self, windows: [(&str, &[Value]); 2]) -> Session {
        let [(prompt, turns), (beside, turns_beside)] = windows;
        let script = serde_json::json!({ "main": turns, "task": beside, "sub": turns_beside });
        let mut drive = self.playing(Mode::Bypass, &self.written(&script), prompt);
        drive.args(["--beside", beside]);
        self.played(drive, &script.to_string())
    }

    /// Writes a script down.
    fn written(&self, script: &Value) -> PathBuf {
        fs::create_dir_all(&self.out).unwrap();
        let path = self.out.join("script.json");
        fs::write(&path, script.to_string()).unwrap();
        path
    }

    fn play(&self, mode: Mode, script: &Path, prompt: &str, arguments: &[&str]) -> Session {
        let mut drive = self.playing(mode, script, prompt);
        drive.arg("--").args(arguments);
        self.played(drive, &script.display().to_string())
    }

    fn playing(&self, mode: Mode, script: &Path, prompt: &str) -> Command {
        let mut drive = self.drive("run");
        if mode == Mode::Careful {
            drive.arg("--careful");
        }
        drive.arg("--script").arg(script);
        drive.args(["--prompt", prompt, "--out"]).arg(&self.out);
        drive
    }

    fn played(&self, mut drive: Command, script: &str) -> Session {
        let output = run(&mut drive);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let played = serde_json::json!({ "turns": 0, "requests": 0 });
        assert!(
            output.status.success() && report["exit"] == 0 && report["unplayed"] == played,
            "{} did not play {script} to the end: {report}{}{}",
            self.client,
            failure(&output),
            self.what_it_said(),
        );
        Session {
            requests: json_lines(&fs::read_to_string(self.out.join("requests.jsonl")).unwrap()),
            stdout: fs::read_to_string(self.out.join("stdout")).unwrap(),
        }
    }

    /// Reads the whole log.
    pub(crate) fn trace(&self) -> Trace {
        Trace::new(self.client, &json_lines(&self.custos(&["log", "tail", "-n", "1000", "--json"])))
    }

    /// Runs the program, which must succeed, and gives what it printed.
    pub(crate) fn custos(&self, arguments: &[&str]) -> String {
        let output = self.must(self.command(env!("CARGO_BIN_EXE_custos")).args(arguments));
        String::from_utf8(output.stdout).unwrap()
    }

    fn drive(&self, verb: &str) -> Command {
        let mut drive = Command::new("python3");
        // With this process's environment: npm needs its settings, and the driver hands the client none of it.
        drive.arg(clients().join("drive.py")).args([verb, self.client, "--project"]).arg(&self.project);
        drive.arg("--home").arg(&self.home);
        drive
    }

    /// Prepares a program that sees this home and a `PATH`, in the project.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.home).current_dir(&self.project).env("CUSTOS_NO_WORKER", "1");
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command
    }

    /// Runs what must succeed.
    pub(crate) fn must(&self, command: &mut Command) -> Output {
        let output = run(command);
        assert!(output.status.success(), "{}: {command:?}{}", self.client, failure(&output));
        output
    }

    fn what_it_said(&self) -> String {
        let mut said = String::new();
        for name in ["stdout", "stderr"] {
            let text = fs::read(self.out.join(name)).unwrap_or_default();
            let _ = write!(said, "\n--- the end of the client's {name} ---\n{}", end_of(&text));
        }
        said
    }
}

impl Session {
    /// Checks that the model read the instruction block in every request of the session and its sub-agents, and once.
    pub(crate) fn assert_instructed_once(&self) {
        for request in self.of("main").chain(self.of("sub")) {
            let body = request["body"].to_string();
            assert_eq!(body.matches(INSTRUCTION).count(), 1, "of the instruction block in {body}");
        }
    }

    /// Checks what the model was told that its tools did: one text for each call, of which a part must be there.
    pub(crate) fn assert_results(&self, expected: &[&str]) {
        let results = self.results();
        let as_expected = |(result, part): (&&str, &&str)| result.contains(part) && !result.contains("hook");
        assert!(
            results.len() == expected.len() && results.iter().zip(expected).all(as_expected),
            "expected {expected:#?}\nbut the model read {results:#?}"
        );
    }

    /// What the model was told that its tools did, one text for each call.
    pub(crate) fn results(&self) -> Vec<&str> {
        let last = self.of("main").last().unwrap();
        last["results"].as_array().unwrap().iter().filter_map(Value::as_str).collect()
    }

    /// The tools that the model could call at once, by name.
    pub(crate) fn tools(&self) -> Vec<&str> {
        let offered = self.first()["tools"].as_array().unwrap();
        offered.iter().flat_map(declared).filter_map(name_of).collect()
    }

    /// Counts how often the model read a text before it said anything.
    pub(crate) fn told_at_first(&self, text: &str) -> usize {
        self.first().to_string().matches(text).count()
    }

    fn first(&self) -> &Value {
        &self.of("main").next().unwrap()["body"]
    }

    /// All that the model read, for a failure.
    pub(crate) fn everything(&self) -> String {
        self.requests.iter().map(|request| request["body"].to_string() + "\n").collect()
    }

    /// Says whether the model read a text anywhere.
    pub(crate) fn saw(&self, text: &str) -> bool {
        self.requests.iter().any(|request| request["body"].to_string().contains(text))
    }

    fn of(&self, conversation: &str) -> impl Iterator<Item = &Value> {
        self.requests.iter().filter(move |request| request["conversation"] == conversation)
    }
}

/// The tools that an entry of a list of tools stands for: itself, except that Gemini declares them all in one.
fn declared(tool: &Value) -> &[Value] {
    tool["functionDeclarations"].as_array().map_or(slice::from_ref(tool), Vec::as_slice)
}

fn name_of(tool: &Value) -> Option<&str> {
    tool["name"].as_str().or_else(|| tool["function"]["name"].as_str())
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{error}: {command:?}"))
}

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients")
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Says what went wrong, and what to do where it is the network.
fn failure(output: &Output) -> String {
    const UNAVAILABLE: i32 = 3;
    let mut text = format!("\n{}\n{}{}", output.status, end_of(&output.stdout), end_of(&output.stderr));
    if output.status.code() == Some(UNAVAILABLE) {
        text.push_str(
            "\nTHE REAL CLIENT IS NOT THERE and could not be fetched, so nothing of this journey was tested.\n\
             To run the tests without the real clients: scripts/test --offline\n",
        );
    }
    text
}

fn end_of(bytes: &[u8]) -> String {
    const ENOUGH: usize = 4000;
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(ENOUGH)..]).into_owned()
}
