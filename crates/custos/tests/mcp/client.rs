//! A client that speaks the protocol by hand, so that a test says what is on the wire.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use custos_testkit::TempHome;
use serde_json::{Value, json};

/// The program.
pub(crate) const CUSTOS: &str = env!("CARGO_BIN_EXE_custos");

/// How long an answer may take before a test gives up. Nothing is measured by it.
const PATIENCE: Duration = Duration::from_mins(1);

/// A machine with a project on it.
pub(crate) struct Machine {
    pub(crate) home: TempHome,
}

impl Machine {
    /// A machine with one repo.
    pub(crate) fn with_repo() -> Self {
        let machine = Self { home: TempHome::new().unwrap() };
        make_repo(&machine.project());
        machine
    }

    /// A machine with a workspace of two repos.
    pub(crate) fn with_workspace() -> Self {
        let machine = Self { home: TempHome::new().unwrap() };
        for name in ["api", "web"] {
            make_repo(&machine.project().join(name));
        }
        machine
    }

    /// A machine with a directory that is neither a repo nor a workspace.
    #[cfg(unix)]
    pub(crate) fn with_directory() -> Self {
        let machine = Self { home: TempHome::new().unwrap() };
        fs::create_dir_all(machine.project()).unwrap();
        machine
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.home.path().join("shop")
    }

    /// A file of the project's knowledge base.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.project().join(".ai").join(name)
    }

    /// Writes a file of the project's knowledge base, as a person would.
    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }

    /// The names of the files in a directory of the knowledge base, without the one that keeps it in git.
    pub(crate) fn list(&self, directory: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.file(directory)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != ".gitkeep");
        names.sort();
        names
    }

    /// A server in the project.
    pub(crate) fn serve(&self) -> Client {
        self.serve_in(&self.project())
    }

    /// A server in the project, of a client that was started in a role.
    pub(crate) fn serve_role(&self, role: &str) -> Client {
        let mut command = self.home.command(CUSTOS);
        command.env("AGENT_ROLE", role);
        Self::started(command, &self.project())
    }

    pub(crate) fn serve_in(&self, directory: &Path) -> Client {
        Self::started(self.home.command(CUSTOS), directory)
    }

    fn started(mut command: Command, directory: &Path) -> Client {
        command
            .arg("mcp")
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Client { child, input, lines, requests: 0 }
    }

    /// Runs a command in the project, and gives its output.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let output = self.home.command(CUSTOS).args(arguments).current_dir(self.project()).output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    }

    /// Runs a command in the project that is given something to read, and gives its output.
    pub(crate) fn fed(&self, arguments: &[&str], input: &str) -> String {
        let mut command = self.home.command(CUSTOS);
        command.args(arguments).current_dir(self.project()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    }

    /// What a text looks like on any machine: paths and times taken out.
    pub(crate) fn anywhere(&self, text: &str) -> String {
        let home = self.home.path().canonicalize().unwrap();
        let text =
            text.replace(home.to_str().unwrap(), "HOME").replace(self.home.path().to_str().unwrap(), "HOME");
        without_times(&text)
    }
}

/// Makes a repo, as far as anybody looks.
pub(crate) fn make_repo(path: &Path) {
    fs::create_dir_all(path.join(".git")).unwrap();
    fs::write(path.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
}

/// Replaces times and days by placeholders.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("20") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let length = from
            .char_indices()
            .find(|(_, c)| !(c.is_ascii_digit() || "-T:.Z".contains(*c)))
            .map_or(from.len(), |(at, _)| at);
        let candidate = from[..length].trim_end_matches(['.', ':', '-']);
        let is_time = candidate.len() >= 10 && candidate.as_bytes()[4] == b'-'
            || candidate.len() == 16 && candidate.as_bytes()[8] == b'T';
        // A day may be followed by the time of the day: ` 20:55`.
        let clock = &from.as_bytes()[candidate.len()..];
        let has_clock = candidate.len() == 10 && clock.len() >= 6 && clock[0] == b' ' && clock[3] == b':';
        let taken = if is_time { candidate.len() + if has_clock { 6 } else { 0 } } else { 2 };
        out.push_str(if is_time { "TIME" } else { "20" });
        rest = &from[taken..];
    }
    out + rest
}

/// What a tool said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) data: Value,
    pub(crate) is_error: bool,
}

/// One conversation with one server.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    requests: u64,
}

impl Client {
    /// Sends a line as it is.
    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input
            .write_all(line.as_bytes())
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush())
            .unwrap();
    }

    /// The next line that comes back.
    pub(crate) fn receive(&mut self) -> Value {
        serde_json::from_str(&self.lines.recv_timeout(PATIENCE).expect("an answer")).unwrap()
    }

    /// Asks, and gives the answer with that id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        self.send(
            &json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params }).to_string(),
        );
        loop {
            let answer = self.receive();
            if answer["id"] == self.requests {
                return answer;
            }
        }
    }

    pub(crate) fn initialize(&mut self, version: &str, name: &str) -> Value {
        let info = json!({ "name": name, "version": "1" });
        let answer = self.ask(
            "initialize",
            &json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": info }),
        );
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer["result"].clone()
    }

    /// Calls a tool.
    #[expect(clippy::needless_pass_by_value, reason = "arguments are written where the call is")]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Said {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        assert!(result.is_object(), "{tool}: {answer}");
        Said {
            text: result["content"][0]["text"].as_str().unwrap().to_owned(),
            data: result["structuredContent"].clone(),
            is_error: result["isError"].as_bool().unwrap_or(false),
        }
    }

    /// Calls a tool that must succeed, and gives its text.
    pub(crate) fn told(&mut self, tool: &str, arguments: Value) -> String {
        let said = self.call(tool, arguments);
        assert!(!said.is_error, "{tool}: {}", said.text);
        said.text
    }

    /// Calls a tool that must refuse, and gives its text.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let said = self.call(tool, arguments);
        assert!(said.is_error, "{tool}: {}", said.text);
        said.text
    }

    /// Ends the input, and waits for the server to go.
    pub(crate) fn close(mut self) -> ExitStatus {
        self.input = None;
        self.child.wait().unwrap()
    }

    /// How many bytes the server has read so far, of whatever.
    #[cfg(target_os = "linux")]
    pub(crate) fn bytes_read(&self) -> u64 {
        let io = fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap();
        io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
    }

    /// The same a moment later: there is nothing to wait for.
    #[cfg(target_os = "linux")]
    pub(crate) fn bytes_read_later(&self) -> u64 {
        std::thread::sleep(Duration::from_millis(300));
        self.bytes_read()
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
