//! What recall takes in a large memory: the hooks that tell a session something, as whole processes, and the server's search.
//!
//! All observations are of one project, the worst case: everything competes with everything. Their vectors are drawn, not made; it is
//! searching them that is measured.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use custos_embed::{Embedder as _, MiniLm, Vector};
use custos_model::Kind;
use custos_model::piece::{PieceId, pieces};
use custos_testkit::TempHome;
use custos_testkit::corpus;
use custos_testkit::random::Random;
use custos_testkit::spawn::Launch;
use custos_testkit::store::{Filled, fill};
use custos_vectors::{Pen, ScopeTag};
use serde_json::{Value, json};

use crate::mcp::Server;
use crate::{Table, ms, output, segments, three_word_queries};

const PROJECT: &str = "github.com/acme/ledger";

/// A question of twelve tokens.
const QUESTION: &str = "why did the nightly export of invoices fail last week";

/// A home with a project that has been worked on for years.
struct Remembering<'a> {
    home: TempHome,
    root: PathBuf,
    log: PathBuf,
    program: &'a Path,
}

impl<'a> Remembering<'a> {
    fn new(program: &'a Path, observations: usize) -> Self {
        let home = TempHome::new().unwrap();
        let root = home.path().join("ledger");
        std::fs::create_dir_all(root.join(".git/refs/heads")).unwrap();
        std::fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let remote = format!("[remote \"origin\"]\n\turl = https://{PROJECT}.git\n");
        std::fs::write(root.join(".git/config"), remote).unwrap();
        eprintln!("writing {observations} observations …");
        let drafts = corpus::observations(11, observations).map(|mut draft| {
            draft["project"] = json!(PROJECT);
            draft
        });
        let Filled { log, .. } = fill(&home, drafts).unwrap();
        let remembering = Self { home, root, log, program };
        eprintln!("indexing …");
        remembering.run(&["index", "rebuild"]);
        remembering.draw_vectors();
        // The worker sees that nothing lacks a vector, and writes the hints.
        remembering.run(&["worker", "run", "--until-idle"]);
        remembering
    }

    fn run(&self, arguments: &[&str]) {
        output(self.home.command(self.program).args(arguments).env("CUSTOS_BACKUP_DAILY", "false"));
    }

    fn draw_vectors(&self) {
        eprintln!("drawing vectors …");
        let mut states = std::fs::read_dir(self.home.state_dir()).unwrap();
        let state = states.next().unwrap().unwrap().path();
        let embedder = MiniLm::new();
        let mut pen = Pen::open(&state, embedder.id(), embedder.dims()).unwrap();
        let (mut random, mut rows) = (Random::seeded(5), Vec::new());
        for path in segments(&self.log) {
            for line in BufReader::new(std::fs::File::open(path).unwrap()).lines() {
                let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
                for text in pieces(Kind::ObservationRecorded, event["body"].as_object().unwrap()) {
                    let bytes: Vec<u8> =
                        (0..embedder.dims() / 8).flat_map(|_| random.next_u64().to_le_bytes()).collect();
                    let vector = Vector::from_bytes(embedder.id().clone(), &bytes);
                    rows.push((PieceId::of(&text), ScopeTag::of(Some(PROJECT)), vector));
                }
                if rows.len() > 16_384 {
                    pen.append(&rows).unwrap();
                    rows.clear();
                }
            }
        }
        pen.append(&rows).unwrap();
    }

    /// Calls a hook once, as a whole process.
    fn hook(&self, event: &str, session: usize, fields: &Value, embeds: bool) -> Duration {
        let mut payload = json!({
            "session_id": format!("23314114-96f6-4e08-8026-{session:012}"), "cwd": self.root, "hook_event_name": event,
            "transcript_path": self.home.path().join("t.jsonl"), "permission_mode": "default",
        });
        for (name, value) in fields.as_object().unwrap() {
            payload[name] = value.clone();
        }
        let mut command = self.home.command(self.program);
        command.args(["hook", "claude-code", event]).env("CUSTOS_NO_WORKER", "1");
        if !embeds {
            command.env("CUSTOS_RECALL_EMBEDDER", "none");
        }
        let run = Launch::new(&command).unwrap().with_pipe(payload.to_string()).unwrap().run().unwrap();
        assert!(run.status.success());
        run.wall
    }

    /// Lets the worker tidy up now and then, as it does at the end of every turn.
    fn settle(&self, number: usize) {
        if number.is_multiple_of(5) {
            self.run(&["worker", "run", "--until-idle"]);
        }
    }

    /// Says how often something was told.
    fn told(&self) -> usize {
        let files = segments(&self.log).into_iter().map(|path| std::fs::read_to_string(path).unwrap());
        files.map(|text| text.matches("\"kind\":\"recall.served\"").count()).sum()
    }
}

/// Measures recall; what a hook does, and what the server does.
pub(crate) fn recall(table: &mut Table, name: &str, program: &Path) {
    embedding(table, name, program);
    let large = Remembering::new(program, 100_000);
    hooks(table, name, &large);
    searches(table, name, &large);
}

fn hooks(table: &mut Table, name: &str, large: &Remembering<'_>) {
    let start = |number: usize| {
        large.settle(number);
        large.hook("SessionStart", number, &json!({"source": "startup"}), true)
    };
    let starts = (1..=100).map(start).collect();
    let what = format!("`hook claude-code SessionStart` at 100,000 observations, whole process, {name}");
    timed(table, &what, starts, 15);
    let questions = three_word_queries(&large.log);
    let prompts = questions.iter().take(100).enumerate().map(|(number, words)| {
        large.settle(number);
        let prompt = format!("please look into {words} and tell me what it was");
        large.hook("UserPromptSubmit", number / 10, &json!({ "prompt": prompt }), true)
    });
    let prompts = prompts.collect();
    let what = format!("`hook claude-code UserPromptSubmit` at 100,000 observations, whole process, {name}");
    timed(table, &what, prompts, 20);
    assert!(large.told() >= 100, "the sessions were told something");
}

/// What it takes to embed a question, with everything that is loaded for it: the prompt hook with and without an embedder, in a memory
/// that has nothing else to look at.
fn embedding(table: &mut Table, name: &str, program: &Path) {
    let small = Remembering::new(program, 1);
    small.hook("SessionStart", 0, &json!({"source": "startup"}), true);
    let prompted = |embeds| {
        let mut times: Vec<Duration> = (0..100)
            .map(|number| {
                small.settle(number);
                small.hook("UserPromptSubmit", 0, &json!({"prompt": QUESTION}), embeds)
            })
            .collect();
        times.sort_unstable();
        times[50]
    };
    let (with, without) = (prompted(true), prompted(false));
    table.row(
        &format!("embedding a question of 12 tokens in `hook claude-code UserPromptSubmit`, one observation, {name}"),
        &format!("{} more", ms(with.saturating_sub(without))),
        &format!("{} with words alone", ms(without)),
        None,
        "5 ms",
        with.saturating_sub(without) <= Duration::from_millis(5),
    );
}

fn timed(table: &mut Table, what: &str, mut times: Vec<Duration>, budget_ms: u64) {
    times.sort_unstable();
    let (median, p95) = (times[times.len() / 2], times[times.len() * 95 / 100]);
    let budget = Duration::from_millis(budget_ms);
    table.row(
        what,
        &format!("{} (p95 {})", ms(median), ms(p95)),
        "",
        None,
        &format!("{budget_ms} ms"),
        median <= budget,
    );
}

fn searches(table: &mut Table, name: &str, memory: &Remembering<'_>) {
    let rare: Vec<String> = (0..).filter_map(corpus::rare_word).take(200).collect();
    let mut several = three_word_queries(&memory.log);
    several.truncate(200);
    let common = vec![corpus::COMMON_WORD.to_owned(); 200];
    let mut server = Server::start(&memory.home, memory.program, &memory.root);
    server.call("search", &json!({"query": QUESTION}));
    for (what, queries) in
        [("a rare word", rare), ("three words", several), ("a word in most of them", common)]
    {
        let mut times: Vec<Duration> =
            queries.iter().map(|query| server.call("search", &json!({"query": query})).1).collect();
        times.sort_unstable();
        let p95 = times[times.len() * 95 / 100];
        table.row(
            &format!("`custos mcp`: `search` for {what}, 100,000 observations with vectors, {name}"),
            &format!("p95 {}, median {}", ms(p95), ms(times[times.len() / 2])),
            "",
            None,
            "p95 10 ms",
            p95 <= Duration::from_millis(10),
        );
    }
    server.end();
}
