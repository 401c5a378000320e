//! A home with a memory, a provider that plays a script, and workers.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use custos_testkit::TempHome;
use custos_testkit::model_server::{ModelServer, Play, Request};
use serde_json::{Value, json};

/// The program.
pub(crate) const CUSTOS: &str = env!("CARGO_BIN_EXE_custos");

/// How many tool events a turn has here: enough for a question of its own.
const TOOLS: usize = 9;

pub(crate) struct Desk {
    pub(crate) home: TempHome,
    pub(crate) server: ModelServer,
}

impl Desk {
    /// A desk with a provider that finds one thing in each turn, named after it.
    pub(crate) fn new() -> Self {
        let (home, server) = (TempHome::new().unwrap(), ModelServer::start().unwrap());
        server.always_with(answer);
        let desk = Self { home, server };
        desk.settle(&format!(
            "distill:\n  provider: openai\n  model: m\n  base_url: {}/v1\n  tokens_per_day: 1000000000\n",
            desk.server.url()
        ));
        desk
    }

    /// A desk whose model is a Claude Code that starts and says nothing; each one writes down its number, and that of what it started.
    pub(crate) fn with_hung_claude() -> Self {
        let desk = Self { home: TempHome::new().unwrap(), server: ModelServer::start().unwrap() };
        desk.settle("distill:\n  provider: claude-cli\n");
        let claude = desk.home.path().join("bin/claude");
        fs::create_dir_all(claude.parent().unwrap()).unwrap();
        fs::write(&claude, "#!/bin/sh\nsleep 600 &\necho $$ $! >> \"$HOME/claudes\"\nwait\n").unwrap();
        fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).unwrap();
        desk
    }

    /// A desk without a model.
    pub(crate) fn with_rules() -> Self {
        let desk = Self { home: TempHome::new().unwrap(), server: ModelServer::start().unwrap() };
        desk.settle("");
        desk
    }

    fn settle(&self, settings: &str) {
        fs::create_dir_all(self.home.config_dir()).unwrap();
        fs::create_dir_all(self.home.path().join("project")).unwrap();
        fs::write(self.home.config_dir().join("config.yaml"), format!("{settings}worker:\n  idle_s: 1\n"))
            .unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.command(CUSTOS);
        let path = format!("{}:/usr/bin:/bin", self.home.path().join("bin").display());
        command.args(arguments).env("TZ", "UTC").env("PATH", path).current_dir(self.home.path());
        command
    }

    pub(crate) fn custos(&self, arguments: &[&str]) -> Output {
        self.command(arguments).env("CUSTOS_NO_WORKER", "1").output().unwrap()
    }

    /// Runs a command that must succeed, and reads its answer.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.custos(&[arguments, &["--json"]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{arguments:?}: {text} {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_str(&text).unwrap()
    }

    /// Calls a hook of Claude Code; what it prints is of no interest here.
    pub(crate) fn hook(&self, event: &str, session: &str, wakes: bool) -> Output {
        let payload = json!({
            "session_id": session, "transcript_path": "", "cwd": self.home.path().join("project"),
            "hook_event_name": event, "reason": "other", "source": "startup",
        });
        let mut command = self.command(&["hook", "claude-code", event]);
        if !wakes {
            command.env("CUSTOS_NO_WORKER", "1");
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Records turns, so many in each session, with names from 0 on, and the ends of the sessions.
    pub(crate) fn record(&self, turns: usize, in_session: usize) {
        let mut lines = String::new();
        let mut append = |kind: &str, session: usize, task: Option<usize>, body: Value| {
            let mut draft = json!({
                "kind": kind, "scope": "project", "project": "github.com/acme/shop", "body": body,
                "session": format!("s-{session}"), "agent": {"client": "claude-code"},
            });
            if let Some(task) = task {
                draft["task"] = json!(format!("t-{task}"));
            }
            lines.push_str(&format!("{draft}\n"));
        };
        for turn in 0..turns {
            let session = turn / in_session;
            append("prompt.submitted", session, Some(turn), json!({"text": "go on"}));
            for tool in 0..TOOLS {
                let output = format!("piece-{turn} step {tool}");
                let body = json!({"tool": "Bash", "input": {"command": "make"}, "output": output});
                append("tool.used", session, Some(turn), body);
            }
            append("turn.ended", session, Some(turn), json!({"message": "ok"}));
            if (turn + 1) % in_session == 0 || turn + 1 == turns {
                append("session.ended", session, None, json!({}));
            }
        }
        let mut child =
            self.command(&["log", "append"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }

    /// Starts a worker in the foreground that does what can be done.
    pub(crate) fn start(&self) -> Child {
        self.spawn(&["worker", "run", "--until-idle", "--json"])
    }

    /// Starts a worker in the foreground that stays for a while, and as long as a provider fails.
    pub(crate) fn stay(&self) -> Child {
        self.spawn(&["worker", "run", "--json"])
    }

    fn spawn(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The state directory of the memory.
    pub(crate) fn state(&self) -> PathBuf {
        fs::read_dir(self.home.state_dir()).unwrap().next().unwrap().unwrap().path()
    }

    /// Changes the settings, and leaves what they do not name.
    pub(crate) fn set(&self, key: &str, value: &str) {
        assert!(self.custos(&["config", "set", key, value]).status.success());
    }

    /// Lets a worker do all that can be done.
    pub(crate) fn work(&self) -> Value {
        let output = self.start().wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text} {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_str(&text).unwrap()
    }

    /// How many events wait, are done, were given up.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        let work = self.json(&["work", "list", "--all"]);
        let of = |wanted: &[&str]| {
            let units = work.as_array().unwrap().iter();
            units
                .filter(|unit| wanted.contains(&unit["state"].as_str().unwrap()))
                .map(|unit| unit["events"].as_u64().unwrap())
                .sum()
        };
        (of(&["ready", "waits", "failed"]), of(&["done"]), of(&["given up"]))
    }

    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        let output = self.custos(&["log", "tail", "-n", "1000000", "--kind", kind, "--json"]);
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Every turn must have been distilled, once, and the log must be whole.
    pub(crate) fn assert_distilled(&self, turns: usize) {
        // By id: a worker that died after its append may have appended the same events again.
        let by_id = |kind: &str| -> BTreeMap<String, Value> {
            let id = |event: &Value| event["id"].as_str().unwrap().to_owned();
            self.events(kind).into_iter().map(|event| (id(&event), event)).collect()
        };
        let mut confirmed: BTreeMap<String, usize> = BTreeMap::new();
        for done in by_id("work.done").values() {
            for source in done["body"]["sources"].as_array().unwrap() {
                *confirmed.entry(source.as_str().unwrap().to_owned()).or_default() += 1;
            }
        }
        let work: Vec<Value> =
            ["tool.used", "turn.ended", "session.ended"].map(|kind| self.events(kind)).concat();
        for event in &work {
            let times = confirmed.get(event["id"].as_str().unwrap()).copied();
            assert_eq!(times, Some(1), "{event}");
        }
        let found = self.json(&["observations", "--all", "--limit", "100000"]);
        let mut titles: Vec<&str> =
            found.as_array().unwrap().iter().map(|entry| entry["title"].as_str().unwrap()).collect();
        titles.sort_unstable();
        let mut expected: Vec<String> = (0..turns).map(title).collect();
        expected.sort_unstable();
        assert_eq!(titles, expected);
        assert!(self.custos(&["verify"]).status.success());
    }
}

/// What is found in a turn. Turns of one session share no word, because what is nearly the same is the same to whoever compares.
pub(crate) fn title(turn: usize) -> String {
    const WORDS: [&str; 40] = [
        "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty", "kelp",
        "ledge", "maple", "north", "ocean", "pearl", "quartz", "ridge", "slate", "thorn", "umber", "vale",
        "willow", "xenon", "yarrow", "zephyr", "anchor", "beacon", "candle", "dagger", "engine", "falcon",
        "garnet", "hammer", "island", "jacket", "kernel", "ladder", "magnet", "needle",
    ];
    let words: Vec<&str> = (0..4).map(|nth| WORDS[(turn * 4 + nth) % WORDS.len()]).collect();
    format!("{} {turn}", words.join(" "))
}

/// What the provider answers: one observation, named after the turn that it is asked about.
fn answer(request: &Request) -> Play {
    let text = request.body.to_string();
    let number: String =
        text.rsplit("piece-").next().unwrap().chars().take_while(char::is_ascii_digit).collect();
    let title = title(number.parse().unwrap());
    let observation = json!({"type": "discovery", "title": title, "narrative": title, "steps": [0]});
    Play::Says(json!({"observations": [observation], "summary": null}).to_string())
}

/// Waits until something is so; says whether it became so.
pub(crate) fn eventually(within: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + within;
    while !is_so() {
        if Instant::now() >= end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

/// Sends a signal to one process.
pub(crate) fn signal(name: &str, pid: u32) {
    assert!(
        Command::new("/bin/kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap().success()
    );
}
