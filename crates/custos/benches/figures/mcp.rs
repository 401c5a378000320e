//! The MCP server over a large base: how long until it answers, what it takes, and what a session begins with.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::{Table, ms};

pub(crate) const DECISIONS: usize = 1_000;
pub(crate) const MEMORIES: usize = 2_000;

/// A server and the pipe to it.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Server {
    pub(crate) fn start(home: &TempHome, program: &Path, root: &Path) -> Self {
        let mut command = home.command(program);
        command.arg("mcp").current_dir(root).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, requests: 0 }
    }

    /// Asks, and gives the answer with the time until it came.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> (Value, Duration) {
        self.requests += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params });
        let started = Instant::now();
        writeln!(self.input, "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let elapsed = started.elapsed();
        (serde_json::from_str(&line).unwrap(), elapsed)
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> (String, Duration) {
        let (answer, elapsed) = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert!(!answer["result"]["isError"].as_bool().unwrap_or(false), "{tool}: {answer}");
        (answer["result"]["content"][0]["text"].as_str().unwrap().to_owned(), elapsed)
    }

    /// The most memory that it took so far, where the system tells.
    pub(crate) fn peak(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
    }

    pub(crate) fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

/// Writes a base as people and agents would have in some years.
pub(crate) fn fill(root: &Path) {
    let store = root.join(".ai");
    for dir in ["decisions", "memory/feedback", "memory/patterns"] {
        std::fs::create_dir_all(store.join(dir)).unwrap();
    }
    let sentence =
        "The service keeps its state in one place and derives everything else, so that it can be rebuilt. ";
    for number in 1..=DECISIONS {
        let enforce = if number % 10 == 0 { "required" } else { "advisory" };
        let text = format!(
            "---\nid: D-{number:03}\nslug: decision-{number}\ntitle: Decision {number} about the part with the number {number}\ndate: 2026-11-15\nsource: session\nenforce: {enforce}\nstatus: active\n---\n\n# Decision {number}\n\n{}\n\n## Reasoning\n\n{}\n",
            sentence.repeat(3),
            sentence.repeat(8)
        );
        std::fs::write(store.join(format!("decisions/D-{number:03}-decision-{number}.md")), text).unwrap();
    }
    for number in 1..=MEMORIES {
        let (dir, kind) = if number % 2 == 0 { ("feedback", "feedback") } else { ("patterns", "pattern") };
        let text = format!(
            "---\nslug: memory-{number}\ntype: {kind}\ntitle: Memory {number} of the way in which part {number} is done\nsource: session\ndate: 2026-11-15\nkeywords: [part, number-{number}]\n---\n\n# Memory {number}\n\n{}\n\n## Details\n\n{}\n",
            sentence.repeat(2),
            sentence.repeat(4)
        );
        std::fs::write(store.join(format!("memory/{dir}/memory-{number}.md")), text).unwrap();
    }
}

/// Makes a project with such a base.
pub(crate) fn project(home: &TempHome) -> PathBuf {
    let root = home.path().join("project");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fill(&root);
    root
}

/// Measures the server; all rows are about the same base.
pub(crate) fn server(table: &mut Table, name: &str, program: &Path) {
    let home = TempHome::new().unwrap();
    let root = project(&home);
    let base = format!("{DECISIONS} decisions and {MEMORIES} memories, {name}");

    let (mut starts, mut first, mut peaks) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..50 {
        let started = Instant::now();
        let mut server = Server::start(&home, program, &root);
        let (list, _) = server.ask("tools/list", &json!({}));
        starts.push(started.elapsed());
        peaks.extend(server.peak());
        assert!(list["result"]["tools"].as_array().unwrap().len() > 20);
        first.push(server.call("context", &json!({})).1);
        server.end();
    }
    starts.sort_unstable();
    first.sort_unstable();
    let (median, p95, peak) = (starts[25], starts[47], peaks.iter().max().copied().unwrap_or(0));
    table.row(
        &format!("`custos mcp`: start to the answer of tools/list, {base}"),
        &format!("{} (p95 {}), peak {:.1} MB", ms(median), ms(p95), peak as f64 / 1e6),
        "",
        None,
        "20 ms, 20 MB",
        p95 < Duration::from_millis(20) && peak < 20_000_000,
    );
    table.row(
        &format!("`custos mcp`: `context` as the first call, {base}"),
        &format!("{} (p95 {})", ms(first[25]), ms(first[47])),
        "",
        None,
        "10 ms",
        first[25] < Duration::from_millis(10),
    );

    let mut server = Server::start(&home, program, &root);
    let (context, _) = server.call("context", &json!({}));
    table.row(
        &format!("`context` for {DECISIONS} decisions and {MEMORIES} memories"),
        &format!("{} characters, about {} tokens", context.chars().count(), context.chars().count() / 4),
        "",
        None,
        "12,000 characters",
        context.chars().count() <= 12_000,
    );
    server.end();
}
