//! How long questions take, in a store of several projects and in one of a single project: rare words, several, the word that most texts
//! contain, and what else is read on the way to an answer.
//!
//! The 95th percentile is what is promised, and Criterion does not tell it; so it is measured and printed first, over questions that are
//! all different, and then Criterion watches one question of each sort for changes. `CUSTOS_BENCH_ROWS` says how many texts there are.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot write its files has nothing to measure")]

#[path = "../tests/index/writing.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod writing;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use custos_index::{Index, Key, SearchQuery, User};
use custos_log::LogReader;
use custos_model::Kind;
use custos_testkit::corpus::{COMMON_WORD, observations, rare_word};
use custos_testkit::random::Random;
use serde_json::{Value, json};
use writing::Writing;

const QUESTIONS: usize = 500;

/// How many of the best a hook looks at more closely.
const BEST: usize = 300;

/// One of the projects of the corpus.
const PROJECT: &str = "github.com/acme/ledger";

fn search(c: &mut Criterion) {
    #[expect(clippy::disallowed_methods, reason = "a benchmark's own setting")]
    let rows: usize = std::env::var("CUSTOS_BENCH_ROWS").map_or(100_000, |rows| rows.parse().unwrap());
    let questions = questions(rows);
    let mut group = c.benchmark_group("search");
    for (store, in_one_project) in [("several projects", false), ("one project", true)] {
        let home = tempfile::tempdir().unwrap();
        let drafts = observations(1, rows).map(|mut draft| {
            if in_one_project {
                draft["project"] = json!(PROJECT);
            }
            draft
        });
        let log = write_log(&home.path().join("log"), drafts);
        let mut index = Index::open(&home.path().join("state"), User::Worker).unwrap();
        let begin = Instant::now();
        index.catch_up(&log, None, &mut |_| {}).unwrap();
        println!("{rows} texts, {store}; caught up in {:.1?}", begin.elapsed());
        for (scope, projects) in [("all", &[][..]), ("one", &[PROJECT][..])] {
            measure(&mut index, scope, projects, &questions);
        }
        lists(&mut index, &home.path().join("state"));
        for (sort, texts) in &questions {
            let query = SearchQuery { projects: &[PROJECT], ..SearchQuery::new(&texts[0]) };
            group.bench_function(format!("{store}/{sort}"), |bencher| {
                bencher.iter(|| black_box(index.match_words(&query, BEST).unwrap()));
            });
        }
    }
    group.finish();
}

/// Measures the questions within all projects or one, and what is read about the best answers.
fn measure(index: &mut Index, scope: &str, projects: &[&str], questions: &[(&str, Vec<String>)]) {
    let mut found: Vec<Vec<Key>> = Vec::new();
    let query = |text| SearchQuery { projects, ..SearchQuery::new(text) };
    for (sort, texts) in questions {
        let times = texts.iter().map(|text| {
            let (time, (_, matching)) = timed(|| index.match_words(&query(text), BEST).unwrap());
            found.push(matching.into_iter().map(|matching| matching.key).collect());
            time
        });
        print(&format!("{scope}, {sort}"), times.collect());
    }
    let few = found.iter().step_by(20);
    let times = few.clone().map(|keys| timed(|| index.neighbours_of(&keys[..keys.len().min(20)]).unwrap()).0);
    print(&format!("{scope}, neighbours of 20"), times.collect());
    let times = few.map(|keys| timed(|| index.pieces_of(keys).unwrap()).0);
    print(&format!("{scope}, pieces of {BEST}"), times.collect());
    let times = (0..50).map(|_| timed(|| index.sample(&query(""), 256).unwrap()).0);
    print(&format!("{scope}, sample of 256"), times.collect());
}

/// Measures what a session is given before it asks, and opening the file.
fn lists(index: &mut Index, state: &Path) {
    let times = (0..50).map(|_| timed(|| index.weighty(PROJECT, 50).unwrap()).0);
    print("50 weighty", times.collect());
    let times =
        (0..50).map(|_| timed(|| index.recent(Kind::ObservationRecorded, Some(PROJECT), 50).unwrap()).0);
    print("50 recent", times.collect());
    let times = (0..50).map(|_| timed(|| index.summaries(PROJECT, true, 20).unwrap()).0);
    print("20 summaries", times.collect());
    let times = (0..50).map(|_| timed(|| Index::open(state, User::Hook).unwrap()).0);
    print("opening", times.collect());
}

fn timed<T>(action: impl FnOnce() -> T) -> (Duration, T) {
    let begin = Instant::now();
    let result = black_box(action());
    (begin.elapsed(), result)
}

fn print(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let last = times.len() - 1;
    let [median, p95, slowest] = [50, 95, 100].map(|percent| times[last * percent / 100]);
    println!("{what:>24}: median {median:>9.1?}, p95 {p95:>9.1?}, slowest {slowest:>9.1?}");
}

/// Questions of each sort.
fn questions(rows: usize) -> Vec<(&'static str, Vec<String>)> {
    let mut random = Random::seeded(2);
    let texts: Vec<Vec<String>> = observations(1, rows)
        .step_by(rows.div_ceil(QUESTIONS))
        .map(|draft| {
            let body = &draft["body"];
            let texts = ["title", "subtitle", "narrative"].map(|name| body[name].as_str().unwrap());
            texts.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect()
        })
        .collect();
    let mut rare: Vec<String> = (0..rows).filter_map(rare_word).collect();
    random.shuffle(&mut rare);
    rare.truncate(QUESTIONS);
    let beginnings = texts.iter().flatten().filter(|word| word.is_ascii() && word.len() > 4);
    let beginnings: Vec<String> = beginnings.take(QUESTIONS).map(|word| word[..3].to_owned()).collect();
    let mut pick = |text: &Vec<String>, count: usize| {
        let words: Vec<&str> = (0..count).map(|_| random.pick(text).as_str()).collect();
        words.join(" ")
    };
    vec![
        ("rare word", rare),
        ("three words", texts.iter().map(|text| pick(text, 3)).collect()),
        ("common word", vec![COMMON_WORD.to_owned(); QUESTIONS]),
        ("common and two", texts.iter().map(|text| format!("{COMMON_WORD} {}", pick(text, 2))).collect()),
        ("beginning", beginnings),
        ("twelve words", texts.iter().map(|text| pick(text, 12)).collect()),
        ("whole text", texts.iter().map(|text| text.join(" ")).collect()),
    ]
}

/// Writes drafts as the log of one writer, in segments like those of the log.
fn write_log(log: &Path, drafts: impl Iterator<Item = Value>) -> LogReader {
    let mut writing = Writing::new(log, "bench", 1);
    for draft in drafts {
        writing.append(&draft);
        if writing.seq.is_multiple_of(40_000) {
            writing.next_segment();
        }
    }
    writing.flush();
    LogReader::new(log)
}

criterion_group!(benches, search);
criterion_main!(benches);
