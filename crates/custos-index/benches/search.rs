//! How long a search takes in an index of 100,000 observations: rare words, several words, and the word that most of them contain.
//!
//! The 95th percentile is what is promised, and Criterion does not tell it; so it is measured and printed first, over queries that
//! are all different, and then Criterion watches one query of each sort for changes.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot write its files has nothing to measure")]

#[path = "../tests/index/writing.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod writing;

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use custos_index::{Index, SearchQuery, User};
use custos_log::LogReader;
use custos_testkit::corpus::{COMMON_WORD, observations, rare_word};
use custos_testkit::random::Random;
use serde_json::Value;
use writing::Writing;

const OBSERVATIONS: usize = 100_000;
const QUERIES: usize = 1_000;

fn search(c: &mut Criterion) {
    let home = tempfile::tempdir().unwrap();
    let log = write_log(&home.path().join("log"), observations(1, OBSERVATIONS));
    let mut grown = Index::open(&home.path().join("state"), User::Worker).unwrap();
    grown.catch_up(&log, None, &mut |_| {}).unwrap();

    let mut rebuilt = Index::open(&home.path().join("other"), User::Worker).unwrap();
    rebuilt.rebuild(&log, &mut |_| {}).unwrap();

    let mut group = c.benchmark_group("search");
    for (sort, queries) in queries() {
        for (name, index) in [("grown", &mut grown), ("rebuilt", &mut rebuilt)] {
            let mut times: Vec<Duration> = queries.iter().map(|query| timed(index, query)).collect();
            times.sort_unstable();
            let [median, p95, slowest] = [50, 95, 100].map(|percent| times[(QUERIES - 1) * percent / 100]);
            println!(
                "{sort:>16}, {name:>7}: median {median:>9.1?}, p95 {p95:>9.1?}, slowest {slowest:>9.1?}"
            );
        }
        group.bench_function(sort, |bencher| {
            bencher.iter(|| black_box(grown.search(&SearchQuery::new(&queries[0])).unwrap()));
        });
    }
    group.finish();
}

fn timed(index: &mut Index, text: &str) -> Duration {
    let begin = Instant::now();
    black_box(index.search(&SearchQuery::new(text)).unwrap());
    begin.elapsed()
}

/// Queries of each sort.
fn queries() -> Vec<(&'static str, Vec<String>)> {
    let mut random = Random::seeded(2);
    let texts: Vec<Vec<String>> = observations(1, OBSERVATIONS)
        .step_by(OBSERVATIONS / QUERIES)
        .map(|draft| {
            let body = &draft["body"];
            let texts = ["title", "subtitle", "narrative"].map(|name| body[name].as_str().unwrap());
            texts.iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect()
        })
        .collect();
    let mut rare: Vec<String> = (0..OBSERVATIONS).filter_map(rare_word).collect();
    random.shuffle(&mut rare);
    rare.truncate(QUERIES);
    let beginnings = texts.iter().flatten().filter(|word| word.is_ascii() && word.len() > 4);
    let beginnings: Vec<String> = beginnings.take(QUERIES).map(|word| word[..3].to_owned()).collect();
    let mut pick = |text: &Vec<String>, count: usize| {
        let words: Vec<&str> = (0..count).map(|_| random.pick(text).as_str()).collect();
        words.join(" ")
    };
    vec![
        ("rare word", rare),
        ("three words", texts.iter().map(|text| pick(text, 3)).collect()),
        ("common word", vec![COMMON_WORD.to_owned(); QUERIES]),
        ("common and two", texts.iter().map(|text| format!("{COMMON_WORD} {}", pick(text, 2))).collect()),
        ("beginning", beginnings),
        ("twelve words", texts.iter().map(|text| pick(text, 12)).collect()),
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
