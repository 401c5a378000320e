//! Our MCP server, as a client would start it: the very command that stands in the client's file, asked for its tools.
//!
//! It has a home and a memory of its own while it is asked, in a temporary directory, and nothing is called: what is proven is that it
//! starts, speaks the protocol, has tools, and goes when the client goes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use custos_clients::Client;
use custos_clients::server::{self, Registered};
use serde::Serialize;
use serde_json::{Value, json};

use crate::installation::machine::wait;
use crate::installation::replay::set_apart;

/// How long a server may take to tell its tools.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it may take to end once nobody is there any more.
const FAREWELL: Duration = Duration::from_secs(2);

/// The most bytes that are read of what it says.
const LARGEST_OUTPUT: u64 = 16 << 20;

/// The most pages of tools that are asked for.
const MOST_PAGES: usize = 16;

/// The version of the protocol that is offered, the newest that still begins with `initialize`: every client and every server speaks it.
const PROTOCOL: &str = "2025-11-25";

/// How our server stands in a file of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Standing {
    /// It is there, and it works.
    Registered,
    /// There is no server by our name.
    NotRegistered,
    /// The server by our name is somebody else's.
    AnotherProgram,
    /// It is there, and the person has switched it off.
    SwitchedOff,
    /// It is there, and does not do what it should.
    Failed,
}

/// What came of asking our server.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ServerTrial {
    /// The file.
    pub(crate) path: String,
    pub(crate) standing: Standing,
    /// How many tools it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tools: Option<usize>,
    /// How long it took from its start until it had told them, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ms: Option<f64>,
    /// What is the matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

impl ServerTrial {
    /// Says whether an agent has the tools, as far as we can tell.
    pub(crate) fn is_well(&self) -> bool {
        self.standing == Standing::Registered
    }
}

/// Looks for our server in a file of a client, and asks it for its tools.
pub(crate) fn prove(client: &'static Client, file: &Path) -> ServerTrial {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let trial = |standing, problem: Option<String>| ServerTrial {
        path: file.display().to_string(),
        standing,
        tools: None,
        ms: None,
        problem,
    };
    let Some(found) = server::registered(client, file, &text) else {
        return trial(Standing::NotRegistered, Some("it is not in the file".to_owned()));
    };
    if !found.is_ours {
        let program = found.command.first().map_or("a server elsewhere", String::as_str);
        return trial(
            Standing::AnotherProgram,
            Some(format!("the name {} is that of {program}", server::NAME)),
        );
    }
    if found.is_off {
        return trial(Standing::SwitchedOff, Some("it is switched off in the file".to_owned()));
    }
    match offered(&found) {
        Err(problem) => trial(Standing::Failed, Some(problem)),
        Ok(offer) => {
            ServerTrial { tools: Some(offer.tools), ms: Some(offer.ms), ..trial(Standing::Registered, None) }
        }
    }
}

fn offered(found: &Registered) -> Result<Offer, String> {
    let shown = found.command.join(" ");
    let (program, arguments) = found.command.split_first().ok_or("there is no command")?;
    let dir = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(dir.path());
    set_apart(&mut command, dir.path());
    ask(command, PATIENCE).map_err(|problem| format!("{shown} {problem}"))
}

/// What a server has to offer.
#[derive(Debug, Clone, PartialEq)]
struct Offer {
    tools: usize,
    ms: f64,
}

/// Starts a server and asks it for its tools, as clients do.
fn ask(mut command: Command, patience: Duration) -> Result<Offer, String> {
    let started = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
    let mut conversation = Conversation::begin(child, started + patience);
    conversation.request(
        "initialize",
        &json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": { "name": "custos-doctor", "version": env!("CARGO_PKG_VERSION") },
        }),
    )?;
    conversation.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    let mut tools = 0;
    let mut page = json!({});
    for _ in 0..MOST_PAGES {
        let listed = conversation.request("tools/list", &page)?;
        tools +=
            listed.get("tools").and_then(Value::as_array).ok_or("answered without a list of tools")?.len();
        match listed.get("nextCursor").and_then(Value::as_str) {
            Some(cursor) => page = json!({ "cursor": cursor }),
            None => break,
        }
    }
    let ms = started.elapsed().as_secs_f64() * 1e3;
    conversation.end()?;
    if tools == 0 { Err("has no tools".to_owned()) } else { Ok(Offer { tools, ms }) }
}

/// A server that was started, and what it says, line by line. Dropped, it is ended.
struct Conversation {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    deadline: Instant,
    asked: u64,
}

impl Conversation {
    fn begin(mut child: Child, deadline: Instant) -> Self {
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (send, lines) = mpsc::channel();
        // A thread, because a pipe cannot be read to a deadline; it ends with the server, or with the first line that nobody wants.
        if let Some(stdout) = stdout {
            std::thread::spawn(move || {
                let said = BufReader::new(stdout.take(LARGEST_OUTPUT)).split(b'\n').map_while(Result::ok);
                said.for_each(|line| drop(send.send(line)));
            });
        }
        Self { child, stdin, lines, deadline, asked: 0 }
    }

    /// Asks something and gives the answer. What else it says meanwhile is not for us.
    fn request(&mut self, method: &str, params: &Value) -> Result<Value, String> {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("did not answer `{method}` in time"));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.silence()),
            };
            let mut message: Value = serde_json::from_slice(&line)
                .map_err(|_| "said something that is no message of the protocol".to_owned())?;
            if message.get("id").and_then(Value::as_u64) != Some(id) || message.get("method").is_some() {
                continue;
            }
            if let Some(error) = message.get("error") {
                let reason = error.get("message").and_then(Value::as_str).unwrap_or("without a reason");
                return Err(format!("refused `{method}`: {reason}"));
            }
            return Ok(message.get_mut("result").map(Value::take).unwrap_or_default());
        }
    }

    fn say(&mut self, message: &Value) -> Result<(), String> {
        let line = format!("{message}\n");
        let said = self.stdin.as_mut().map(|stdin| stdin.write_all(line.as_bytes()));
        match said {
            Some(Ok(())) => Ok(()),
            _ => Err(self.silence()),
        }
    }

    /// Says how it ended, if it did.
    fn silence(&mut self) -> String {
        let soon = Instant::now() + FAREWELL;
        match wait(&mut self.child, soon.min(self.deadline)).and_then(|status| status.code()) {
            Some(code) => format!("ended with {code} before it had answered"),
            None => "fell silent before it had answered".to_owned(),
        }
    }

    /// Takes leave: a server whose client is gone has to go, or one is left of every session.
    fn end(mut self) -> Result<(), String> {
        drop(self.stdin.take());
        match wait(&mut self.child, Instant::now() + FAREWELL) {
            Some(_) => Ok(()),
            None => Err(format!("went on for {} s after its client was gone", FAREWELL.as_secs())),
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests;
