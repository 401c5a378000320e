//! Calls of the server that have more to do than others: the end of a session that learned a lot, and the first one after a checkout.
//!
//! A close with ten decisions and ten memories forces 22 files to the disk, each before it gets its name. So on a disk it stands beside the same
//! number of files written one after the other without Custos; what is the program's own is measured in memory.
//!
//! After a checkout that changes every file, all of them have to be read. A server does that while they come; whoever asks at once waits for
//! the last of them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use custos_testkit::TempHome;
use serde_json::{Value, json};

use crate::mcp::{DECISIONS, MEMORIES, Server, fill, project};
use crate::tools::{BUDGET, decision, memory};
use crate::{Table, ms};

/// How many servers close, and how often each.
const SERVERS: usize = 6;
const CLOSES: usize = 3;
/// How many decisions a close has, and how many memories.
const EACH: usize = 10;
/// The files that such a close writes: also a worklog and a handoff.
const FILES: usize = 2 * EACH + 2;

/// How long after a checkout somebody asks: what a person or a model needs at the least.
const AFTER: Duration = Duration::from_millis(500);
const ROUNDS: usize = 3;

/// A tool, and what it is sent the nth time.
type Asked = (&'static str, fn(usize) -> Value);

/// The tools that are asked after a checkout.
const ASKED: [Asked; 7] = [
    ("context", |_| json!({})),
    ("decisions", |_| json!({})),
    ("memories", |_| json!({})),
    ("get_decision", |_| json!({ "id_or_slug": "D-400" })),
    ("save_memory", memory),
    ("finalize_close", |n| close(20_000 + n, 1)),
    ("kb_doctor", |_| json!({})),
];

pub(crate) fn heavy(table: &mut Table, name: &str, program: &Path) {
    let base = format!("{DECISIONS} decisions and {MEMORIES} memories, {name}");
    let in_memory = Path::new("/dev/shm");
    if in_memory.is_dir() {
        let home = TempHome::below(in_memory).unwrap();
        let times = closes(&home, program, || {});
        table.row(
            &format!("`custos mcp`: `finalize_close` with {EACH} decisions and {EACH} memories, {} calls on a disk in memory, {base}", times.len()),
            &format!("slowest {}, median {}", ms(*times.last().unwrap()), ms(times[times.len() / 2])),
            "",
            None,
            "10 ms for each",
            times.last().is_some_and(|slowest| *slowest < BUDGET),
        );
        checkouts(table, &base, program, &TempHome::below(in_memory).unwrap());
    }
    let home = TempHome::new().unwrap();
    let directory = home.path().join("floor");
    fs::create_dir(&directory).unwrap();
    let mut floors = Vec::new();
    let times = closes(&home, program, || floors.push(durable_files(&directory, floors.len())));
    floors.sort_unstable();
    let (close, floor) = (times[times.len() / 2], floors[floors.len() / 2]);
    table.row(
        &format!("`custos mcp`: the same close, forced to the disk, {base}"),
        &format!("slowest {}, median {}", ms(*times.last().unwrap()), ms(close)),
        &format!(
            "{FILES} durable files and a line: slowest {}, median {}",
            ms(*floors.last().unwrap()),
            ms(floor)
        ),
        Some(close.as_secs_f64() / floor.as_secs_f64()),
        "10 ms for each",
        times.last().is_some_and(|slowest| *slowest < BUDGET),
    );
}

fn close(n: usize, each: usize) -> Value {
    let numbers = || (0..each).map(|at| 100_000 + n * EACH + at);
    json!({
        "stopped_at": "here", "summary": format!("The {n}th session."), "in_progress": "nothing", "next_steps": "the rest",
        "worklog_entry": format!("Entry {n}."), "startup_text": "Go on.",
        "decisions": numbers().map(decision).collect::<Vec<_>>(), "memories": numbers().map(memory).collect::<Vec<_>>(),
    })
}

/// Closes sessions, and does something else in between. Gives each call's time, the slowest last.
fn closes(home: &TempHome, program: &Path, mut between: impl FnMut()) -> Vec<Duration> {
    let root = project(home);
    rested(home, program, &root, Duration::from_secs(3)).end();
    let mut times = Vec::new();
    for server in 0..SERVERS {
        let mut asked = rested(home, program, &root, Duration::ZERO);
        for at in 0..CLOSES {
            times.push(asked.call("finalize_close", &close(server * CLOSES + at, EACH)).1);
            between();
        }
        asked.end();
        rested(home, program, &root, Duration::from_millis(500)).end();
    }
    times.sort_unstable();
    times
}

/// A server that had some time to itself.
fn rested(home: &TempHome, program: &Path, root: &Path, rest: Duration) -> Server {
    let mut server = Server::start(home, program, root);
    server.ask("tools/list", &json!({}));
    std::thread::sleep(rest);
    server
}

/// Asks after every file was replaced, as `git checkout` does it: a moment later, and at once.
fn checkouts(table: &mut Table, base: &str, program: &Path, home: &TempHome) {
    let root = project(home);
    let mut server = rested(home, program, &root, Duration::from_secs(3));
    let mut ask = |wait: Duration| {
        let mut times: Vec<(Duration, &str)> = Vec::new();
        for round in 0..ROUNDS {
            for (tool, sent) in ASKED {
                for directory in ["decisions", "memory"] {
                    fs::remove_dir_all(root.join(".ai").join(directory)).unwrap();
                }
                fill(&root);
                std::thread::sleep(wait);
                times.push((server.call(tool, &sent(round)).1, tool));
            }
        }
        times.sort_unstable();
        times
    };
    for (wait, when) in [(AFTER, "half a second after"), (Duration::ZERO, "right after")] {
        let times = ask(wait);
        let (slowest, tool) = times[times.len() - 1];
        table.row(
            &format!("`custos mcp`: {} calls, each {when} every file of the base was replaced, on a disk in memory, {base}", times.len()),
            &format!("slowest {} (`{tool}`), median {}", ms(slowest), ms(times[times.len() / 2].0)),
            "",
            None,
            "10 ms for each",
            slowest < BUDGET,
        );
    }
    server.end();
}

/// As many files as a close writes, each durable before it gets its name, and a line at the end of another; without Custos.
fn durable_files(directory: &Path, number: usize) -> Duration {
    let begun = Instant::now();
    let draft = directory.join(".draft");
    for at in 0..FILES {
        let mut file = File::create(&draft).unwrap();
        file.write_all(&[b'x'; 400]).unwrap();
        file.sync_all().unwrap();
        fs::rename(&draft, directory.join(format!("{number}-{at}.md"))).unwrap();
    }
    File::open(directory).unwrap().sync_all().unwrap();
    let mut log = File::options().create(true).append(true).open(directory.join("log")).unwrap();
    log.write_all(&vec![b'y'; 600 * FILES]).unwrap();
    log.sync_data().unwrap();
    begun.elapsed()
}
