//! A machine with a home and a project on it, and clients that call hooks.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use custos_hooks::trouble::{self, Trouble};
use custos_log::OsDisk;
use custos_testkit::TempHome;
use serde_json::{Map, Value, json};

use crate::trace::trace;

/// The program.
pub(crate) const CUSTOS: &str = env!("CARGO_BIN_EXE_custos");

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../custos-clients/fixtures");

/// The main session of Claude Code's fixtures, and a prompt in it.
pub(crate) const SESSION: &str = "23314114-96f6-4e08-8026-238d6a1d6441";
pub(crate) const PROMPT: &str = "ad0df8a4-b0f0-4916-abfe-7a1875190289";

const CODEX_SESSION: &str = "01a1e077-1f5c-7d11-bbd0-1ddd23e4f9ab";
const CODEX_TURN: &str = "01a1e077-1fa0-7cd3-aff0-afa62ebac956";

/// What a run of the program came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// What a hook without anything to say comes to.
pub(crate) fn silence() -> Ran {
    Ran { code: 0, stdout: String::new(), stderr: String::new() }
}

pub(crate) struct Desk {
    pub(crate) home: TempHome,
    /// The person's directory: the home, or one below it with a name of its own.
    person: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let home = TempHome::new().unwrap();
        Self::of(home.path().to_owned(), home)
    }

    /// A desk whose home has a name of the test's choice.
    pub(crate) fn named(name: &str) -> Self {
        let home = TempHome::new().unwrap();
        Self::of(home.path().join(name), home)
    }

    fn of(person: PathBuf, home: TempHome) -> Self {
        let desk = Self { home, person, variables: Vec::new() };
        fs::create_dir_all(desk.project()).unwrap();
        desk
    }

    /// Sets a variable for everything that is run from here on.
    pub(crate) fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.variables.push((name, value.into()));
    }

    /// The directory in which the fixtures' clients work.
    pub(crate) fn project(&self) -> PathBuf {
        self.person.join("project")
    }

    pub(crate) fn memory(&self) -> PathBuf {
        self.person.join(".config/ai/memory")
    }

    /// The directory of all state; that of the memory is the one in it.
    pub(crate) fn states(&self) -> PathBuf {
        self.person.join(".local/state/ai")
    }

    pub(crate) fn state(&self) -> PathBuf {
        let mut entries = fs::read_dir(self.states()).unwrap();
        entries.next().unwrap().unwrap().path()
    }

    /// Puts a file below the person's directory.
    pub(crate) fn put(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.person.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Prepares a program, which sees this home and the desk's variables and nothing else.
    pub(crate) fn program(&self, path: &str) -> Command {
        let mut command = Command::new(path);
        command.env_clear().env("HOME", &self.person).env("TZ", "UTC").current_dir(self.project());
        // What a worker makes of it is another matter; who wants one sets the variable anew.
        command.env("CUSTOS_NO_WORKER", "1");
        command.envs(self.variables.iter().map(|(name, value)| (*name, value)));
        command
    }

    /// Prepares our own.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.program(CUSTOS);
        command.args(arguments);
        command
    }

    pub(crate) fn custos(&self, arguments: &[&str]) -> Ran {
        fed(&mut self.command(arguments), b"")
    }

    /// Calls a hook.
    pub(crate) fn hook(&self, client: &str, event: &str, payload: impl AsRef<[u8]>) -> Ran {
        fed(&mut self.command(&["hook", client, event]), payload.as_ref())
    }

    /// Calls a hook with an object; it must have nothing to say.
    pub(crate) fn tell(&self, client: &str, event: &str, payload: &Value) {
        assert_eq!(self.hook(client, event, payload.to_string()), silence(), "{client} {event}: {payload}");
    }

    /// Calls the hooks of fixtures, `EVENT` or `EVENT.variant`; they must have nothing to say.
    pub(crate) fn play(&self, client: &str, fixtures: &[&str]) {
        for name in fixtures {
            self.tell(client, event_of(client, name), &self.fixture(client, name));
        }
    }

    /// Reads a recorded payload, with this desk's directories in place of the recorded ones.
    pub(crate) fn fixture(&self, client: &str, name: &str) -> Value {
        let text = fs::read_to_string(format!("{FIXTURES}/{client}/{name}.json")).unwrap();
        let person = json!(self.person).to_string();
        let text = text.replace("/home/user", person.trim_matches('"'));
        // Its sub-agents and its quiet tools were recorded in other sessions of the same client.
        let text = ALIASES.iter().fold(text, |text, (recorded, here)| text.replace(recorded, here));
        serde_json::from_str(&text).unwrap()
    }

    /// Reads the log, the oldest event first.
    pub(crate) fn events(&self) -> Vec<Value> {
        let ran = self.custos(&["log", "tail", "-n", "100000", "--json"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn events_of(&self, kind: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["kind"] == kind).collect()
    }

    /// The bodies of all events, with their kinds.
    pub(crate) fn told(&self) -> Vec<(String, Value)> {
        let told = |event: Value| (event["kind"].as_str().unwrap().to_owned(), event["body"].clone());
        self.events().into_iter().map(told).collect()
    }

    /// Writes the log down in lines that a person can compare.
    pub(crate) fn trace(&self) -> String {
        trace(&self.events(), &self.person)
    }

    /// What went wrong, as `client event: problem`.
    pub(crate) fn troubles(&self) -> Vec<String> {
        let line = |Trouble { client, event, problem, .. }| format!("{client} {event}: {problem}");
        trouble::read(&OsDisk, &self.state()).into_iter().map(line).collect()
    }

    /// The log must be whole: every record proven, none missing.
    pub(crate) fn verify(&self) {
        let ran = self.custos(&["verify"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }

    /// The events that wait for the log.
    pub(crate) fn spooled(&self) -> Vec<String> {
        spooled_in(&self.state())
    }

    /// Calls hooks that record nothing of their own until nothing waits any more.
    pub(crate) fn settle(&self) {
        for _ in 0..20 {
            if self.spooled().is_empty() {
                return;
            }
            self.play("claude-code", &["PreToolUse.Bash"]);
        }
        panic!("events still wait: {:?}", self.spooled());
    }

    /// Lists the files below the memory directory that hold these bytes.
    pub(crate) fn in_memory(&self, needle: &str) -> Vec<PathBuf> {
        let found = self.home.find_bytes(needle).unwrap();
        found.into_iter().filter(|path| path.starts_with(self.memory())).collect()
    }
}

/// Lists the ids of the events that wait in a place.
pub(crate) fn spooled_in(place: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(place.join("spool")) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let events = names.filter_map(|name| match name.rsplit_once('.') {
        Some((_, "event" | "tried")) => name.split('.').next().map(str::to_owned),
        _ => None,
    });
    let mut ids: Vec<String> = events.collect();
    ids.sort();
    ids
}

/// Recorded ids, and what they become so that all fixtures of a client belong to one session and one prompt.
const ALIASES: [(&str, &str); 19] = [
    ("397d46a5-2266-411d-b2c7-e324fdef47d2", SESSION),
    ("c61f89a9-a9b2-457e-ac57-40c7cbdfdc7e", SESSION),
    ("e4d19a5c-6658-42d0-adae-1bdebd0bc8ab", SESSION),
    ("4a990677-6d63-4d52-8c0d-3b635ce6aaf8", SESSION),
    ("aaeb6b4a-a07e-4b80-8af0-2ce0820cf0b6", SESSION),
    ("d8b92577-7920-4a22-9eb1-465a7ad52413", SESSION),
    ("36d89852-00f5-433c-831c-18733c8ca1b3", PROMPT),
    ("0c096e16-f0aa-4f28-99c6-8c01568a698c", PROMPT),
    ("2e491bee-2f50-49c8-8e9c-5b9fee76b10c", PROMPT),
    ("af4b71e7-56cb-4298-8e17-30e1003aa0a0", PROMPT),
    ("9a60b1a6-47c1-49b6-9bdc-07d2fee2a2dc", PROMPT),
    ("ff6d6d2f-f5b6-4119-aae4-f0263aac7f9c", PROMPT),
    ("01a1e079-5f1a-70b2-bb69-ab70b062627d", CODEX_SESSION),
    ("01a1e079-4e1c-7a33-b7e6-371329d1cc93", CODEX_SESSION),
    ("01a1e081-8467-7563-bd04-03673a24e283", CODEX_SESSION),
    ("01a1e079-4f03-7d53-8950-c4f41cf6f145", CODEX_TURN),
    ("01a1e081-85cf-7263-a86e-f7bfe9274024", CODEX_TURN),
    ("9b294cea-0f0c-4b65-b725-57f8d6f7a3de", "e3206fc3-ab05-4690-9f89-faaea4b2f8e7"),
    ("ses_e1f7c96c2ffeLB8Wx5DifM2SlY", "ses_e1f801922ffex12ZDj313tlY8S"),
];

/// Names the event of a fixture, whose name may say more. OpenCode's events have dots of their own.
pub(crate) fn event_of<'a>(client: &str, fixture: &'a str) -> &'a str {
    if client != "opencode" {
        return fixture.split('.').next().unwrap();
    }
    let known = custos_clients::find(client).unwrap().manifest.events;
    let event = known.iter().map(|row| row.event).find(|event| fixture.starts_with(event));
    event.unwrap_or(fixture)
}

/// Lists the fixtures of a client.
pub(crate) fn fixtures(client: &str) -> Vec<String> {
    let entries = fs::read_dir(format!("{FIXTURES}/{client}")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect();
    names.sort();
    names
}

/// Changes fields of a payload.
pub(crate) fn with(mut payload: Value, fields: Value) -> Value {
    let Value::Object(fields) = fields else { panic!("fields are an object") };
    for (name, value) in fields {
        payload[name] = value;
    }
    payload
}

/// Takes a field out of a payload.
pub(crate) fn without(mut payload: Value, field: &str) -> Value {
    assert!(payload.as_object_mut().and_then(|fields: &mut Map<_, _>| fields.remove(field)).is_some());
    payload
}

/// Runs the program and feeds it.
pub(crate) fn fed(command: &mut Command, input: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A program that ends early is no failure of the feeder.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    });
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
