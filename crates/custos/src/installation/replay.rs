//! Proof by doing: the very command that stands in a client's file is run on a recorded payload of that client.
//!
//! Everything happens in a memory of its own in a temporary directory. What a cell of the matrix says is what happened there, not what
//! a document promises: *enforced* is a denial that came out in exactly the form that the client was seen to obey.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use custos_clients::clients::opencode;
use custos_clients::edit::Ours;
use custos_clients::manifest::{EventRow, Reach};
use custos_clients::{Answer, Client, Moment, sample};
use custos_config::{Places, Variables, env};
use custos_log::{Line as LogLine, LogReader, Position};
use serde::Serialize;
use serde_json::Value;

use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::machine::finish;

/// How long an installed command may take in a proof.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a hook at a moment of a client is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Worth {
    /// A denial binds the client.
    Enforced,
    /// It is heard and recorded.
    Advisory,
    /// The client has no such event.
    Unsupported,
    /// The client has the event, and nothing of ours is there.
    NotWired,
    /// The client does not run it, because it was not told to trust it.
    Untrusted,
    /// The client does not run it, because the person has switched hooks off.
    SwitchedOff,
    /// The installed command does not do what it should.
    Failed,
}

/// What came of one event.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Trial {
    pub(crate) event: &'static str,
    #[serde(serialize_with = "moment_name")]
    pub(crate) moment: Moment,
    pub(crate) worth: Worth,
    /// The kinds of the events that it appended.
    pub(crate) recorded: Vec<String>,
    /// What it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<String>,
    /// What is the matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
    /// How long it took, in milliseconds.
    pub(crate) ms: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn moment_name<S: serde::Serializer>(moment: &Moment, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(moment.name())
}

/// Runs the commands that stand in a client's files on recorded payloads, event by event.
pub(crate) fn prove(client: &'static Client, files: &[PathBuf]) -> Result<Vec<Trial>, CliError> {
    let dir = tempfile::tempdir().map_err(|error| {
        CliError::new(Exit::Io, format!("cannot create a temporary directory: {error}")).hint("check TMPDIR")
    })?;
    let stage = Stage::new(dir.path())?;
    let commands = installed(client, files);
    Ok(client.manifest.events.iter().map(|row| stage.play(client, row, commands.get(row.event))).collect())
}

/// A command as it stands in a client's file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    /// A program and its arguments.
    Words(Vec<String>),
    /// A line for a shell.
    Shell(String),
}

/// Reads the commands of each event out of the files as they are now.
fn installed(client: &'static Client, files: &[PathBuf]) -> BTreeMap<&'static str, Line> {
    let mut lines = BTreeMap::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        if file.extension().is_some_and(|end| end == "js") {
            if let Some(program) = plugin_program(&text).filter(|program| is_our_plugin(&text, program)) {
                for row in client.manifest.events {
                    let words = [program.as_str(), "hook", client.name, row.event];
                    lines.insert(row.event, Line::Words(words.map(str::to_owned).to_vec()));
                }
            }
            continue;
        }
        let Some(hooks) =
            custos_clients::wiring::settings(&text).and_then(|mut file| Some(file.get_mut("hooks")?.take()))
        else {
            continue;
        };
        for row in client.manifest.events {
            let ours = Ours::hook(client.name, row.event);
            let groups = hooks.get(row.event).and_then(Value::as_array).into_iter().flatten();
            let entries = groups.flat_map(|group| match group.get("hooks").and_then(Value::as_array) {
                Some(hooks) => hooks.iter().collect::<Vec<_>>(),
                None => vec![group],
            });
            if let Some(line) = entries.filter(|entry| ours.owns(entry)).find_map(line_of) {
                lines.insert(row.event, line);
            }
        }
    }
    lines
}

fn line_of(entry: &Value) -> Option<Line> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let command = text("command").or_else(|| text(if cfg!(windows) { "powershell" } else { "bash" }))?;
    match entry.get("args").and_then(Value::as_array) {
        Some(args) => {
            let args = args.iter().filter_map(Value::as_str).map(str::to_owned);
            Some(Line::Words(std::iter::once(command.to_owned()).chain(args).collect()))
        }
        None => Some(Line::Shell(command.to_owned())),
    }
}

/// Finds the program that our plugin calls.
fn plugin_program(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("const PROGRAM = "))?;
    serde_json::from_str(line.trim_end_matches(';')).ok()
}

/// Says whether a plugin is still what we wrote: in a changed one, nobody can tell what is called when.
fn is_our_plugin(text: &str, program: &str) -> bool {
    [true, false].into_iter().any(|required| opencode::plugin(program, required) == text)
}

/// A memory for one proof.
struct Stage {
    places: Places,
    dir: PathBuf,
}

/// What a command did.
struct Ran {
    code: Option<i32>,
    stdout: String,
    ms: f64,
}

impl Stage {
    fn new(dir: &Path) -> Result<Self, CliError> {
        let below = |name: &str| dir.join(name).into_os_string();
        let variables: Variables =
            [(env::XDG_CONFIG_HOME.name, below("config")), (env::XDG_STATE_HOME.name, below("state"))]
                .into_iter()
                .collect();
        Ok(Self { places: Places::resolve(&variables)?, dir: dir.to_owned() })
    }

    fn play(&self, client: &'static Client, row: &'static EventRow, line: Option<&Line>) -> Trial {
        let mut trial = Trial {
            event: row.event,
            moment: row.moment,
            worth: Worth::NotWired,
            recorded: Vec::new(),
            answer: None,
            problem: None,
            ms: 0.0,
        };
        let Some(line) = line else { return trial };
        let before = self.records();
        let payload = sample::payload(client.name, row.event).unwrap_or("{}");
        match self.run(line, payload) {
            Err(problem) => {
                trial.worth = Worth::Failed;
                trial.problem = Some(problem);
            }
            Ok(ran) => {
                trial.ms = ran.ms;
                trial.recorded = self.records().split_off(before.len());
                trial.answer = Some(ran.stdout.trim().to_owned()).filter(|answer| !answer.is_empty());
                trial.worth = Worth::Advisory;
                if ran.code != Some(0) {
                    trial.worth = Worth::Failed;
                    trial.problem = Some(match ran.code {
                        // As a shell says that there is no such program.
                        Some(127) => format!("{} was not found", shown(line)),
                        Some(code) => format!("it ended with {code} instead of 0"),
                        None => "it was killed by a signal".to_owned(),
                    });
                } else if !self.heard(client, row.event) {
                    trial.worth = Worth::Failed;
                    trial.problem = Some("it left no sign of life".to_owned());
                }
            }
        }
        if trial.worth == Worth::Advisory
            && row.verdict != Reach::None
            && self.denies(client, row, line, payload)
        {
            trial.worth = Worth::Enforced;
        }
        trial
    }

    /// Says whether the command denies what nobody should ever run, in the form that the client obeys.
    fn denies(&self, client: &'static Client, row: &EventRow, line: &Line, payload: &str) -> bool {
        let Ok(mut dangerous) = serde_json::from_str::<Value>(payload) else { return false };
        if !replace_command(&mut dangerous, "rm -rf / --no-preserve-root") {
            return false;
        }
        let Ok(ran) = self.run(line, &dangerous.to_string()) else { return false };
        let reference = client.reply(row.event, &Answer::deny(REASON));
        let wanted: Option<Value> = serde_json::from_slice(&reference.stdout).ok();
        let given: Option<Value> = serde_json::from_str(&ran.stdout).ok();
        ran.code == Some(i32::from(reference.exit))
            && matches!((wanted, given), (Some(wanted), Some(given)) if is_like(&wanted, &given))
    }

    fn run(&self, line: &Line, payload: &str) -> Result<Ran, String> {
        let mut command = match line {
            Line::Words(words) => {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]);
                command
            }
            Line::Shell(text) if cfg!(windows) => {
                let mut command = Command::new("powershell");
                command.args(["-NoProfile", "-Command", text]);
                command
            }
            Line::Shell(text) => {
                let mut command = Command::new("sh");
                command.args(["-c", text]);
                command
            }
        };
        set_apart(&mut command, &self.dir);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = Instant::now();
        let mut child =
            command.spawn().map_err(|error| format!("{} cannot be started: {error}", shown(line)))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A command that does not read is judged by what it does.
            let _ = stdin.write_all(payload.as_bytes());
        }
        let Some((status, stdout)) = finish(&mut child, PATIENCE) else {
            return Err(format!("{} took longer than {} s", shown(line), PATIENCE.as_secs()));
        };
        let ms = started.elapsed().as_secs_f64() * 1e3;
        let stdout = String::from_utf8(stdout).map_err(|error| format!("its answer is no text: {error}"))?;
        Ok(Ran { code: status.code(), stdout, ms })
    }

    /// Lists the kinds of all events in the memory of the proof.
    fn records(&self) -> Vec<String> {
        let reader = LogReader::new(&self.places.log());
        let mut kinds = Vec::new();
        for writer in reader.writers().unwrap_or_default() {
            let Ok(mut cursor) = reader.cursor(&writer, Position::START) else { continue };
            while let Ok(Some(line)) = cursor.next() {
                if let LogLine::Record(record) = line
                    && let Ok(event) = record.event()
                {
                    kinds.push(event.kind.name().to_owned());
                }
            }
        }
        kinds
    }

    /// Looks for the event in the journals of the proof.
    fn heard(&self, client: &Client, event: &str) -> bool {
        let dir = custos_hooks::session::directory(&self.places.state);
        let Ok(entries) = std::fs::read_dir(dir) else { return false };
        let needle = format!("\t{event}\t");
        let heading = format!("\"client\":\"{}\"", client.name);
        entries
            .flatten()
            .filter_map(|entry| std::fs::read_to_string(entry.path()).ok())
            .any(|journal| journal.contains(&heading) && journal.contains(&needle))
    }
}

/// Gives a command a home, a memory and a state of its own in a directory, so that what it does is done there.
pub(super) fn set_apart(command: &mut Command, dir: &Path) {
    let of_a_session = [
        env::AI_MEMORY_PATH,
        env::AGENT_ROLE,
        env::CLAUDE_CODE_SESSION_ID,
        env::COPILOT_AGENT_SESSION_ID,
        env::COPILOT_CLI,
        env::CURSOR_VERSION,
        env::CUSTOS_ROOT,
    ];
    for variable in of_a_session {
        command.env_remove(variable.name);
    }
    command
        .env(env::HOME.name, dir)
        .env(env::XDG_CONFIG_HOME.name, dir.join("config"))
        .env(env::XDG_STATE_HOME.name, dir.join("state"))
        .env(env::CUSTOS_NO_WORKER.name, "1");
}

/// Stands for the reason of a denial.
const REASON: &str = "\u{1}";

/// Says whether an answer has the form of another, whatever reasons stand in it.
fn is_like(wanted: &Value, given: &Value) -> bool {
    match (wanted, given) {
        (Value::String(wanted), Value::String(given)) => {
            wanted == given || (wanted == REASON && !given.is_empty())
        }
        (Value::Object(wanted), Value::Object(given)) => {
            wanted.len() == given.len()
                && wanted
                    .iter()
                    .all(|(name, wanted)| given.get(name).is_some_and(|given| is_like(wanted, given)))
        }
        (wanted, given) => wanted == given,
    }
}

/// Puts a command in the place of every command in a payload.
fn replace_command(payload: &mut Value, command: &str) -> bool {
    match payload {
        Value::Object(fields) => {
            let mut replaced = false;
            for (name, value) in fields {
                if name == "command" && value.is_string() {
                    *value = Value::String(command.to_owned());
                    replaced = true;
                } else {
                    replaced |= replace_command(value, command);
                }
            }
            replaced
        }
        _ => false,
    }
}

fn shown(line: &Line) -> String {
    match line {
        Line::Words(words) => words.join(" "),
        Line::Shell(text) => text.clone(),
    }
}
