//! A machine: a home, a `PATH` with nothing on it but a shell, and the program.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use custos_testkit::TempHome;
use serde_json::{Map, Value};

use crate::listing::Listing;

pub(crate) const ALL: [&str; 6] = ["claude-code", "codex", "gemini", "copilot", "opencode", "cursor"];

/// What a run of the program came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) struct Machine {
    /// Held for its `Drop`.
    _directory: TempHome,
    home: PathBuf,
    bin: PathBuf,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self::named("home")
    }

    /// A machine whose home has a name of the test's choice.
    pub(crate) fn named(name: &str) -> Self {
        let directory = TempHome::new().unwrap();
        let (home, bin) = (directory.path().join(name), directory.path().join("bin"));
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&bin).unwrap();
        // Some clients' commands are lines for a shell; of the real PATH a client might be found on it.
        symlink("/bin/sh", bin.join("sh")).unwrap();
        Self { _directory: directory, home, bin }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.home.clone() } else { self.home.join(name) }
    }

    /// Puts a file into the home.
    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn make_dir(&self, name: &str) -> &Self {
        fs::create_dir_all(self.path(name)).unwrap();
        self
    }

    pub(crate) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Puts a program on the PATH that prints a text, whatever it is asked.
    pub(crate) fn put_program(&self, name: &str, says: &str) -> &Self {
        let path = self.bin.join(name);
        fs::write(&path, format!("#!/bin/sh\necho '{says}'\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Puts the program itself on the PATH.
    pub(crate) fn put_custos(&self) -> &Self {
        symlink(env!("CARGO_BIN_EXE_custos"), self.bin.join("custos")).unwrap();
        self
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_custos"));
        command.args(arguments).env_clear().current_dir(&self.home);
        command.env("HOME", &self.home).env("PATH", &self.bin).env("TZ", "UTC").env("CUSTOS_NO_WORKER", "1");
        command
    }

    pub(crate) fn custos(&self, arguments: &[&str]) -> Ran {
        fed(&mut self.command(arguments), b"")
    }

    /// Runs the program, which must succeed without a complaint, and gives what it printed.
    pub(crate) fn must(&self, arguments: &[&str]) -> String {
        let ran = self.custos(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}: {}", ran.stdout);
        ran.stdout
    }

    /// Wires clients, which must succeed.
    pub(crate) fn set_up(&self, clients: &[&str]) -> String {
        let named: Vec<&str> = clients.iter().flat_map(|client| ["--client", client]).collect();
        self.must(&[&["setup", "--yes"][..], &named].concat())
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.custos(&[arguments, &["--json"]].concat());
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }

    /// Calls a hook as a client would.
    pub(crate) fn hook(&self, client: &str, event: &str, payload: &str) -> Ran {
        fed(&mut self.command(&["hook", client, event]), payload.as_bytes())
    }

    /// Lists the home without the memory and what else is the program's own.
    pub(crate) fn listing(&self) -> Listing {
        Listing::new(&self.home, &[".config/ai", ".local/state/ai", ".local/bin"])
    }

    /// Lists the home with all that is in it.
    pub(crate) fn everything(&self) -> Listing {
        Listing::new(&self.home, &[])
    }

    /// Replaces what differs from run to run, for snapshots.
    pub(crate) fn settings(&self) -> insta::Settings {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(&literal(&self.home), "~");
        settings.add_filter(&literal(&self.bin), "BIN");
        // Of a home in quotes only this part is left as it is.
        settings.add_filter(&literal(self.home.parent().unwrap()), "TMP");
        settings.add_filter(r"\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d[:-]\d\d([.-]\d{3}Z)?", "TIME");
        settings.add_filter(r"[a-z0-9-]+-[0-9a-f]{10}\b", "WRITER");
        settings.add_filter(r"ai/[0-9a-f]{16}", "ai/HASH");
        settings.add_filter(r"\d+\.\d+ ms", "N ms");
        settings.add_filter(r"\b\d+ tools", "N tools");
        settings.add_filter(r"up to date, [\d.]+ [KM]B", "up to date, SIZE");
        settings.add_filter(r" +\n", "\n");
        settings
    }
}

/// Writes a path as a regular expression.
fn literal(path: &Path) -> String {
    let escaped = |c: char| if c.is_ascii_punctuation() { format!("\\{c}") } else { c.to_string() };
    path.display().to_string().chars().map(escaped).collect()
}

fn fed(command: &mut Command, input: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that ends without reading is no failure of ours; and no payload here fills a pipe.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Gives the shape of an answer in JSON: its names, and of each list the first element.
pub(crate) fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(
            fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect::<Map<_, _>>(),
        ),
        Value::Array(elements) => Value::Array(elements.first().map(shape).into_iter().collect()),
        Value::String(_) => "text".into(),
        Value::Number(_) => "number".into(),
        Value::Bool(_) => "yes or no".into(),
        Value::Null => Value::Null,
    }
}
