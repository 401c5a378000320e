//! Every tool of the server but recall's, over a large base: as the first call of a new server, and as later ones.
//!
//! A tool that writes waits for the disk three times or more, and a disk sometimes takes a hundred milliseconds for what mostly takes it
//! half of one. So two things are measured. On a disk in memory, where waiting costs nothing, the time is the program's own, and every single
//! call has to keep the budget; beside it stands how long the machine itself stopped a loop that does nothing. On the real disk the same calls stand beside a floor: one durable write (file, rename, directory, a line of
//! the log) without Custos, between the calls of the same run.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::mcp::{DECISIONS, MEMORIES, Server, project};
use crate::{Table, ms};

/// How many servers are asked for each tool, and how often each of them.
const SERVERS: usize = 12;
const CALLS: usize = 4;

/// What every single call may take.
pub(crate) const BUDGET: Duration = Duration::from_millis(10);

/// A tool, whether it writes, and what it is sent the nth time.
type Tried = (&'static str, bool, fn(usize) -> Value);

const TOOLS: [Tried; 29] = [
    ("context", false, |_| json!({})),
    ("oracle", false, |_| json!({})),
    ("decisions", false, |n| json!({ "page": 1 + n % 9 })),
    ("memories", false, |_| json!({})),
    ("get_decision", false, |n| json!({ "id_or_slug": format!("D-{:03}", 400 + n) })),
    ("get_memory", false, |n| json!({ "slug": format!("memory-{}", 1_000 + n) })),
    ("safety", false, |_| json!({})),
    ("backlog", false, |_| json!({})),
    ("status", false, |_| json!({})),
    ("worklog", false, |_| json!({})),
    ("workspace", false, |_| json!({})),
    ("plans", false, |_| json!({})),
    ("list_open_questions", false, |_| json!({})),
    ("begin_close", false, |_| json!({})),
    ("save_decision", true, decision),
    ("save_memory", true, memory),
    ("archive_decision", true, |n| json!({ "id": format!("D-{:03}", 2 + n * 7), "reason": "over" })),
    ("archive_memory", true, |n| json!({ "slug": format!("memory-{}", 100 + n), "reason": "over" })),
    ("merge_memories", true, |n| json!({ "into": "memory-1999", "from": [format!("memory-{}", 200 + n)] })),
    ("save_oracle", true, |n| json!({ "section": "stack", "content": format!("Part {n} is in Rust.") })),
    ("kb_doctor", false, |_| json!({})),
    ("update_safety", true, |n| json!({ "rule_type": "bash_deny", "value": format!("deploy part-{n}") })),
    ("backlog_add", true, |n| json!({ "title": format!("Mend part {n}"), "description": "It is broken." })),
    ("backlog_update", true, |n| json!({ "id": "B-001", "notes": format!("Tried for the {n}th time.") })),
    ("save_plan", true, |n| json!({ "title": format!("Plan {n}"), "steps": ["first", "second"] })),
    ("ask_question", true, |n| json!({ "question": format!("Who owns part {n}?") })),
    ("answer_question", true, |n| json!({ "question_id": format!("Q-{:03}", 1 + n), "answer": "The team." })),
    ("update_question", true, |n| json!({ "question_id": format!("Q-{:03}", 1 + n), "status": "archived" })),
    ("finalize_close", true, |n| {
        json!({
            "stopped_at": "here", "summary": format!("The {n}th session."), "in_progress": "nothing", "next_steps": "the rest",
            "worklog_entry": format!("Entry {n}."), "startup_text": "Go on.",
            "decisions": [decision(10_000 + n)], "memories": [memory(10_000 + n)],
        })
    }),
];

pub(crate) fn decision(n: usize) -> Value {
    json!({ "title": format!("Use library {n} for what it is good at"), "decision": "We use it.", "reasoning": "It works." })
}

pub(crate) fn memory(n: usize) -> Value {
    json!({ "type": "pattern", "title": format!("Lesson {n} of the day"), "description": "What to do." })
}

/// A call that was timed.
#[derive(Clone, Copy)]
struct Timed {
    tool: &'static str,
    /// Whether it was the first of its server.
    is_first: bool,
    time: Duration,
}

impl Timed {
    fn told(&self) -> String {
        let first = if self.is_first { ", a server's first call" } else { "" };
        format!("{} (`{}`{first})", ms(self.time), self.tool)
    }
}

/// Measures every tool.
pub(crate) fn tools(table: &mut Table, name: &str, program: &Path) {
    let base = format!("{DECISIONS} decisions and {MEMORIES} memories, {name}");
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        let mut pause = Duration::ZERO;
        let home = TempHome::below(memory).unwrap();
        let calls = calls(&home, program, |_| true, || pause = pause.max(longest_pause()));
        let [.., slowest] = calls.as_slice() else { return };
        table.row(
            &format!(
                "`custos mcp`: every tool but recall's, {} calls on a disk in memory, {base}",
                calls.len()
            ),
            &format!("slowest {}, p99 {}, median {}", slowest.told(), ms(of(&calls, 99)), ms(of(&calls, 50))),
            &format!("longest pause of an empty loop, run for as long in between: {}", ms(pause)),
            None,
            "10 ms for each",
            slowest.time < BUDGET,
        );
    }
    let home = TempHome::new().unwrap();
    let directory = home.path().join("floor");
    fs::create_dir(&directory).unwrap();
    let mut floors = Vec::new();
    let calls = calls(
        &home,
        program,
        |writes| writes,
        || {
            let time = durable_write(&directory, floors.len());
            floors.push(Timed { tool: "a durable write", is_first: false, time });
        },
    );
    floors.sort_unstable_by_key(|timed| timed.time);
    let told = |times: &[Timed]| {
        let slow = times.iter().filter(|timed| timed.time >= BUDGET);
        let slow: Vec<String> = slow.map(Timed::told).collect();
        format!(
            "median {}, p95 {}, p99 {}; {} of {} took 10 ms or more{}{}",
            ms(of(times, 50)),
            ms(of(times, 95)),
            ms(of(times, 99)),
            slow.len(),
            times.len(),
            if slow.is_empty() { "" } else { ": " },
            slow.join(", ")
        )
    };
    table.row(
        &format!("`custos mcp`: every tool that writes, forced to the disk, {base}"),
        &told(&calls),
        &format!("one durable write: {}", told(&floors)),
        Some(of(&calls, 50).as_secs_f64() / of(&floors, 50).as_secs_f64()),
        "p95 10 ms",
        of(&calls, 95) < BUDGET,
    );
}

/// Calls the tools that are `wanted`, and does something else between them. Gives each call's time, the slowest last.
fn calls(
    home: &TempHome,
    program: &Path,
    wanted: impl Fn(bool) -> bool,
    mut between: impl FnMut(),
) -> Vec<Timed> {
    let root = project(home);
    prepare(Server::start(home, program, &root));
    let mut times = Vec::new();
    for (tool, _, sent) in TOOLS.iter().filter(|(_, writes, _)| wanted(*writes)) {
        // Between two sessions of a person a server has the time to catalogue what the one before it wrote. These live for a few milliseconds.
        let mut between_sessions = Server::start(home, program, &root);
        between_sessions.ask("tools/list", &json!({}));
        std::thread::sleep(Duration::from_millis(500));
        between_sessions.end();
        for server in 0..SERVERS {
            let mut asked = Server::start(home, program, &root);
            asked.ask("tools/list", &json!({}));
            for call in 0..CALLS {
                let (_, time) = asked.call(tool, &sent(server * CALLS + call));
                times.push(Timed { tool, is_first: call == 0, time });
            }
            asked.end();
            between();
        }
    }
    times.sort_unstable_by_key(|timed| timed.time);
    times
}

/// Gives the tools something to work on, and waits until the server has looked at the base.
fn prepare(mut server: Server) {
    let (list, _) = server.ask("tools/list", &json!({}));
    let listed =
        list["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    let recall = ["search", "timeline", "get_observations"];
    let mut listed: Vec<&str> = listed.filter(|name| !recall.contains(name)).collect();
    let mut tried = TOOLS.map(|(tool, ..)| tool);
    listed.sort_unstable();
    tried.sort_unstable();
    assert_eq!(listed, tried, "every tool is measured");
    server.call("backlog_add", &json!({ "title": "The first task", "description": "It waits." }));
    for n in 0..SERVERS * CALLS {
        server.call("ask_question", &json!({ "question": format!("What is prepared as number {n}?") }));
    }
    std::thread::sleep(Duration::from_secs(3));
    server.end();
}

/// How long a loop that does nothing is kept from going on, at the most: by the machine, for no program is to blame for it. It runs for about
/// as long as a server's calls take.
fn longest_pause() -> Duration {
    let begun = Instant::now();
    let (mut last, mut longest) = (begun, Duration::ZERO);
    while last - begun < Duration::from_millis(5) {
        let now = Instant::now();
        longest = longest.max(now - last);
        last = now;
    }
    longest
}

/// One durable write without Custos: a file under its final name, and a line at the end of another.
pub(crate) fn durable_write(directory: &Path, number: usize) -> Duration {
    let begun = Instant::now();
    let (draft, path) = (directory.join(".draft"), directory.join(format!("{number}.md")));
    let mut file = File::create(&draft).unwrap();
    file.write_all(&[b'x'; 400]).unwrap();
    file.sync_all().unwrap();
    fs::rename(&draft, &path).unwrap();
    File::open(directory).unwrap().sync_all().unwrap();
    let mut log = OpenOptions::new().create(true).append(true).open(directory.join("log")).unwrap();
    log.write_all(&[b'y'; 600]).unwrap();
    log.sync_data().unwrap();
    begun.elapsed()
}

/// The time below which so many of a hundred calls stayed.
fn of(times: &[Timed], percent: usize) -> Duration {
    times[(times.len() * percent / 100).min(times.len() - 1)].time
}
