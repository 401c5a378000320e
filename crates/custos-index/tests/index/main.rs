//! The index as its callers see it: logs on a real disk, indexes beside them.

#![expect(clippy::unwrap_used, reason = "a test that cannot write its files has failed")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests plant and damage files directly; nothing has to survive a crash"
)]

mod budget;
mod damage;
mod forgetting;
mod growing;
mod keeping;
mod ranking;
mod renaming;
mod searching;
mod standing;
mod together;
mod working;
mod writing;

use std::path::PathBuf;

use custos_index::{CatchUp, Entry, Hit, Index, Key, SearchQuery, Session, User, Work, WorkCounts};
use custos_log::LogReader;
use custos_model::{EventId, Kind, PieceId, Reader, Timestamp};
use tempfile::TempDir;
use writing::Writing;

/// A log and the state directory of one machine.
struct Bench {
    home: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    fn log_dir(&self) -> PathBuf {
        self.home.path().join("log")
    }

    fn log(&self) -> LogReader {
        LogReader::new(&self.log_dir())
    }

    fn state(&self) -> PathBuf {
        self.home.path().join("state")
    }

    fn database(&self) -> PathBuf {
        self.state().join(format!("index-{}.db", custos_index::SCHEMA))
    }

    fn writer(&self, name: &str, number: u8) -> Writing {
        Writing::new(&self.log_dir(), name, number)
    }

    fn index(&self) -> Index {
        Index::open(&self.state(), User::Worker).unwrap()
    }

    /// An index that has read everything.
    fn caught_up(&self) -> Index {
        let mut index = self.index();
        assert!(catch_up(&mut index, self).complete);
        index
    }

    /// An index that was made from the log in one go, in another place.
    fn rebuilt(&self) -> Index {
        let mut index = Index::open(&self.home.path().join("rebuilt"), User::Worker).unwrap();
        index.rebuild(&self.log(), &mut |_| {}).unwrap();
        index
    }

    /// The bytes of every file in the state directory.
    fn state_bytes(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let files = std::fs::read_dir(self.state()).unwrap().map(|entry| entry.unwrap().path());
        files.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    }
}

fn catch_up(index: &mut Index, bench: &Bench) -> CatchUp {
    index.catch_up(&bench.log(), None, &mut |_| {}).unwrap()
}

fn ids(index: &mut Index, text: &str) -> Vec<EventId> {
    index.search(&SearchQuery::new(text)).unwrap().into_iter().map(|hit| hit.id).collect()
}

/// Everything that an index answers, for comparing two of them. Where a line stands is left out only for sizes of files.
#[derive(Debug, PartialEq)]
struct Answers {
    hits: Vec<Vec<Hit>>,
    recent: Vec<Vec<Entry>>,
    sessions: Vec<Session>,
    work: Vec<Work>,
    work_counts: WorkCounts,
    waiting: Vec<custos_index::Waiting>,
    finished: Vec<custos_index::Finished>,
    usage: Vec<custos_index::Usage>,
    junk: custos_index::Junk,
    kinds: Vec<(Kind, u64)>,
    tables: Vec<(&'static str, u64)>,
    problems: Vec<custos_index::Problem>,
    texts: Texts,
}

/// What an index says about texts besides what it finds. Keys are left out: they mean nothing in another file.
#[derive(Debug, PartialEq)]
struct Texts {
    matching: Vec<Vec<(EventId, f64)>>,
    sampled: Vec<Vec<EventId>>,
    /// Each text, its pieces, its neighbours, and what has taken its place.
    each: Vec<Text>,
    pinned: Vec<Entry>,
    weighty: Vec<Entry>,
    summaries: Vec<Entry>,
    receipts: Vec<custos_index::Served>,
    unembedded: usize,
}

type Text = (Entry, Vec<PieceId>, [Option<EventId>; 4], Option<EventId>);

/// The project of the corpus that is looked at more closely.
const PROJECT: &str = "github.com/acme/ledger";

fn texts(index: &mut Index, questions: &[String]) -> Texts {
    fn entries(found: Vec<(Key, Entry)>) -> Vec<Entry> {
        found.into_iter().map(|(_, entry)| entry).collect()
    }
    fn ids(index: &mut Index, keys: &[Key]) -> Vec<EventId> {
        index.entries(keys).unwrap().into_iter().map(|(_, entry)| entry.id).collect()
    }
    let mut matching = Vec::new();
    for text in questions {
        for projects in [&[][..], &[PROJECT], &[PROJECT, "", "nowhere"]] {
            let query = SearchQuery { projects, ..SearchQuery::new(text) };
            let (words, found) = index.match_words(&query, 300).unwrap();
            let keys: Vec<Key> = found.iter().map(|matching| matching.key).collect();
            let scores: Vec<f64> = found.iter().map(|matching| matching.score).collect();
            let weighed = index.weigh(&words, &keys).unwrap();
            assert_eq!(weighed, found);
            let pieces: Vec<_> = found.into_iter().map(|matching| matching.pieces).collect();
            assert_eq!(pieces, index.pieces_of(&keys).unwrap());
            let mut scored: Vec<(EventId, f64)> = ids(index, &keys).into_iter().zip(scores).collect();
            // Among equals the order is that of keys.
            scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            matching.push(scored);
        }
    }
    let sampled = [&[][..], &[PROJECT]].map(|projects| {
        let query = SearchQuery { projects, ..SearchQuery::new("") };
        let keys = index.sample(&query, 100).unwrap();
        assert_eq!(index.sample_pieces(&query, 100).unwrap(), index.pieces_of(&keys).unwrap());
        let mut sampled = ids(index, &keys);
        sampled.sort_unstable();
        sampled
    });
    let mut each = Vec::new();
    for kind in [Kind::PromptSubmitted, Kind::ObservationRecorded, Kind::SummaryRecorded] {
        for entry in index.recent(kind, None, usize::MAX).unwrap() {
            let (key, again) = index.entry_of(entry.id).unwrap().unwrap();
            assert_eq!(again, entry);
            let pieces = index.pieces(key).unwrap();
            assert!(index.with_pieces(&pieces).unwrap().iter().all(|keys| keys.contains(&key)));
            let neighbours = index.neighbours(key).unwrap();
            let neighbours = neighbours.map(|key| key.map(|key| ids(index, &[key])[0]));
            let replacement = index.replacement_of(entry.id).unwrap();
            each.push((entry, pieces, neighbours, replacement));
        }
    }
    Texts {
        matching,
        sampled: sampled.into(),
        each,
        pinned: entries(index.pinned(None).unwrap()),
        weighty: entries(index.weighty(PROJECT, 100).unwrap()),
        summaries: entries(index.summaries(PROJECT, false, 100).unwrap()),
        receipts: index.receipts(None, usize::MAX).unwrap(),
        unembedded: index.unembedded(usize::MAX).unwrap().len(),
    }
}

fn answers(index: &mut Index, questions: &[String]) -> Answers {
    let noon = Timestamp::from_millis(1_767_700_000_000);
    let mut hits = Vec::new();
    for text in questions {
        let all = SearchQuery::new(text);
        let variants = [
            all,
            SearchQuery { projects: &[PROJECT], ..all },
            SearchQuery { kinds: &[Kind::PromptSubmitted, Kind::SummaryRecorded], limit: 3, ..all },
            SearchQuery { since: Some(noon), ..all },
            SearchQuery {
                until: Some(noon),
                reader: Reader::Other(custos_model::access::Party::default()),
                ..all
            },
        ];
        hits.extend(variants.iter().map(|query| index.search(query).unwrap()));
    }
    let text_kinds = [Kind::PromptSubmitted, Kind::ObservationRecorded, Kind::SummaryRecorded];
    let status = index.status().unwrap();
    Answers {
        hits,
        texts: texts(index, questions),
        recent: text_kinds.map(|kind| index.recent(kind, None, usize::MAX).unwrap()).into(),
        sessions: index.sessions(None, usize::MAX).unwrap(),
        work: index.pending_work(None, usize::MAX).unwrap(),
        work_counts: index.work_counts().unwrap(),
        waiting: index.waiting().unwrap(),
        finished: index.finished(None, false, usize::MAX).unwrap(),
        usage: index.usage(Timestamp::from_millis(i64::MIN), Timestamp::from_millis(i64::MAX)).unwrap(),
        junk: index.junk(custos_model::Timestamp::from_millis(0)).unwrap(),
        kinds: status.kinds,
        tables: status.tables,
        problems: index.problems(usize::MAX).unwrap(),
    }
}
