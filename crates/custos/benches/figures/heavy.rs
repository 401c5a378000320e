//! Calls of the server that have more to do than others: the end of a session that learned a lot, and the first one after a checkout.
//!
//! A close with ten decisions and ten memories forces 22 files to the disk, each before it gets its name. So on a disk it stands beside the same
//! number of files written one after the other without Custos; what is the program's own is measured in memory.
//!
//! After a `git checkout` that changes every file, all of them have to be read. A server does that while they come; whoever asks at once waits
//! for the last of them. And so does the first call of the first server that ever sees a base. Both stand beside a loop that does nothing but
//! open and read the same files.
//!
//! The floor tells how much of a time is the machine's. It excuses nothing: the budget is that of every call.
//!
//! The disk comes first: where thousands of files were removed, ext4 takes twenty times as long to make one, for minutes.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
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
const ASKED: [Asked; 8] = [
    ("context", |_| json!({})),
    ("decisions", |_| json!({})),
    ("memories", |_| json!({})),
    ("get_decision", |_| json!({ "id_or_slug": "D-400" })),
    ("safety", |_| json!({})),
    ("save_memory", memory),
    ("finalize_close", |n| close(20_000 + n, 1)),
    ("kb_doctor", |_| json!({})),
];

pub(crate) fn heavy(table: &mut Table, name: &str, program: &Path) {
    let base = format!("{DECISIONS} decisions and {MEMORIES} memories, {name}");
    closes_on_the_disk(table, &base, program);
    let in_memory = Path::new("/dev/shm");
    if in_memory.is_dir() {
        let home = TempHome::below(in_memory).unwrap();
        let (_, times) = closes(&home, program, || {});
        table.row(
            &format!("`custos mcp`: `finalize_close` with {EACH} decisions and {EACH} memories, {} calls on a disk in memory, {base}", times.len()),
            &format!("slowest {}, median {}", ms(*times.last().unwrap()), ms(times[times.len() / 2])),
            "",
            None,
            "10 ms for each",
            times.last().is_some_and(|slowest| *slowest < BUDGET),
        );
        checkouts(table, &base, program, &TempHome::below(in_memory).unwrap());
        strangers(table, &base, program, in_memory);
    }
}

fn closes_on_the_disk(table: &mut Table, base: &str, program: &Path) {
    let home = TempHome::new().unwrap();
    let directory = home.path().join("floor");
    fs::create_dir(&directory).unwrap();
    let mut floors = Vec::new();
    let (first, times) = closes(&home, program, || floors.push(durable_files(&directory, floors.len())));
    floors.sort_unstable();
    let (close, floor) = (times[times.len() / 2], floors[floors.len() / 2]);
    table.row(
        &format!("`custos mcp`: `finalize_close` with {EACH} decisions and {EACH} memories, {} calls, forced to the disk, {base}", times.len()),
        &format!(
            "slowest {}, median {}; {} took 10 ms or more; the memory saved before them, the first of all that is written there, {}",
            ms(*times.last().unwrap()),
            ms(close),
            times.iter().filter(|time| **time >= BUDGET).count(),
            ms(first)
        ),
        &format!(
            "{FILES} durable files and a line: slowest {}, median {}",
            ms(*floors.last().unwrap()),
            ms(floor)
        ),
        Some(close.as_secs_f64() / floor.as_secs_f64()),
        "10 ms for each",
        times.last().is_some_and(|slowest| first.max(*slowest) < BUDGET),
    );
}

/// What is sent at the end of the nth session, which keeps so many decisions and memories.
pub(crate) fn close(n: usize, each: usize) -> Value {
    let numbers = || (0..each).map(|at| 100_000 + n * EACH + at);
    json!({
        "stopped_at": "here", "summary": format!("The {n}th session."), "in_progress": "nothing", "next_steps": "the rest",
        "worklog_entry": format!("Entry {n}."), "startup_text": "Go on.",
        "decisions": numbers().map(decision).collect::<Vec<_>>(), "memories": numbers().map(memory).collect::<Vec<_>>(),
    })
}

/// Closes sessions, and does something else in between. Gives the time of the first thing that is ever saved there, as happens once in the life
/// of a base that somebody has made by hand, and that of each close, the slowest last.
fn closes(home: &TempHome, program: &Path, mut between: impl FnMut()) -> (Duration, Vec<Duration>) {
    let root = project(home);
    let mut server = rested(home, program, &root, Duration::from_secs(3));
    let first = server.call("save_memory", &memory(99_999)).1;
    server.end();
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
    (first, times)
}

/// A server that had some time to itself.
fn rested(home: &TempHome, program: &Path, root: &Path, rest: Duration) -> Server {
    let mut server = Server::start(home, program, root);
    server.ask("tools/list", &json!({}));
    std::thread::sleep(rest);
    server
}

/// Asks after every file was replaced by `git checkout`: a moment later, and at once.
fn checkouts(table: &mut Table, base: &str, program: &Path, home: &TempHome) {
    let root = home.path().join("project");
    two_branches(&root);
    let mut server = rested(home, program, &root, Duration::from_secs(3));
    let mut branches = ["one", "two"].into_iter().cycle();
    let mut ask = |wait: Duration| {
        let mut times: Vec<(Duration, &str)> = Vec::new();
        for round in 0..ROUNDS {
            for (tool, sent) in ASKED {
                git(&root, &["checkout", "-q", "-f", branches.next().unwrap()]);
                std::thread::sleep(wait);
                times.push((server.call(tool, &sent(round)).1, tool));
                std::thread::sleep(AFTER);
            }
        }
        times
    };
    for (wait, when) in [(AFTER, "half a second after"), (Duration::ZERO, "right after")] {
        let what = format!(
            "each {when} a `git checkout` that replaced every file of the base, on a disk in memory, {base}"
        );
        let times = ask(wait);
        // Half a second later it has been read.
        let floor = wait.is_zero().then(|| middle((0..ROUNDS).map(|_| reading(&root.join(".ai"))).collect()));
        each(table, &what, times, floor);
    }
    server.end();
}

/// Makes a repository with a base, of which every file is another one on each of two branches.
pub(crate) fn two_branches(root: &Path) {
    fs::create_dir(root).unwrap();
    fill(root);
    fs::write(root.join(".ai/.gitignore"), "local/\n.custos-*\n").unwrap();
    git(root, &["init", "-q", "-b", "one"]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "one"]);
    git(root, &["checkout", "-q", "-b", "two"]);
    revise(root);
    git(root, &["commit", "-q", "-a", "-m", "two"]);
}

/// Asks a server that is the first to see a base, right after its list of tools.
fn strangers(table: &mut Table, base: &str, program: &Path, disk: &Path) {
    let (mut times, mut floors) = (Vec::new(), Vec::new());
    let place = TempHome::below(disk).unwrap();
    let root = project(&place);
    for round in 0..ROUNDS {
        for (tool, sent) in ASKED {
            // Nobody who has this home has seen the base.
            let home = TempHome::below(disk).unwrap();
            let mut server = rested(&home, program, &root, Duration::ZERO);
            times.push((server.call(tool, &sent(30_000 + round)).1, tool));
            server.end();
            floors.push(reading(&root.join(".ai")));
        }
    }
    let what = format!(
        "each the first one of the first server that sees the base, right after its list of tools, on a disk in memory, {base}"
    );
    each(table, &what, times, Some(middle(floors)));
}

/// The one in the middle.
fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A row for calls of several tools, each of which has the budget of a call. Where the files have to be read first, that is the floor.
fn each(table: &mut Table, what: &str, mut times: Vec<(Duration, &str)>, floor: Option<Duration>) {
    times.sort_unstable();
    let (slowest, tool) = times[times.len() - 1];
    let median = times[times.len() / 2].0;
    let late = times.iter().filter(|(time, _)| *time >= BUDGET).count();
    table.row(
        &format!("`custos mcp`: {} calls, {what}", times.len()),
        &format!("slowest {} (`{tool}`), median {}; {late} took 10 ms or more", ms(slowest), ms(median)),
        &floor.map_or_else(String::new, |floor| {
            format!("opening and reading the files, one core: median {}", ms(floor))
        }),
        floor.map(|floor| median.as_secs_f64() / floor.as_secs_f64()),
        "10 ms for each",
        slowest < BUDGET,
    );
}

fn git(root: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(root).args(["-c", "user.name=bench", "-c", "user.email=bench@example.org"]);
    assert!(command.args(arguments).status().unwrap().success(), "git {arguments:?}");
}

/// The files of decisions and memories.
fn files(store: &Path) -> Vec<std::path::PathBuf> {
    let directories = ["decisions", "memory/feedback", "memory/patterns"];
    let entries = directories.iter().flat_map(|directory| fs::read_dir(store.join(directory)).unwrap());
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Writes something else into every file.
fn revise(root: &Path) {
    for path in files(&root.join(".ai")) {
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, text.replace("the part with", "another part with").replace("The service", "It"))
            .unwrap();
    }
}

/// Opens and reads every file, and does nothing with it.
fn reading(store: &Path) -> Duration {
    let begun = Instant::now();
    for path in files(store) {
        std::hint::black_box(fs::read(path).unwrap());
    }
    begun.elapsed()
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
