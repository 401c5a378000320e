//! Vectors of what was learnt: made once, kept through everything, gone with what is forgotten.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use custos_embed::{EmbedError, Embedder, EmbedderId, MiniLm, Vector};
use custos_index::{Index, KnowledgeRow, User};
use custos_model::{EventId, Kind, PieceId, Scope, Timestamp};
use custos_vectors::{ScopeTag, Vectors, stored};
use custos_worker::Ended;
use custos_worker::stop::Stop;
use serde_json::json;

use crate::desk::{Desk, NOON};

const DIMS: usize = 16;
const PROJECT: &str = "github.com/acme/shop";

/// An embedder that counts, and fails as it is told to.
struct Counting {
    id: EmbedderId,
    asked: Mutex<Vec<String>>,
    /// It answers so many batches, then no more.
    answers: AtomicUsize,
    /// It does not take texts with this in it.
    refuses: Option<&'static str>,
    /// It answers so many batches with nothing that anybody could read.
    garbles: AtomicUsize,
    hangs: AtomicBool,
    /// Called before each answer.
    before: Mutex<Option<Box<dyn FnMut() + Send>>>,
}

impl Counting {
    fn new(id: &str) -> Arc<Self> {
        Arc::new(Self::named(id))
    }

    fn named(id: &str) -> Self {
        Self {
            id: EmbedderId::new(id),
            asked: Mutex::default(),
            answers: AtomicUsize::new(usize::MAX),
            refuses: None,
            garbles: AtomicUsize::new(0),
            hangs: AtomicBool::new(false),
            before: Mutex::default(),
        }
    }

    fn take_asked(&self) -> Vec<String> {
        let mut asked = std::mem::take(&mut *self.asked.lock().unwrap());
        asked.sort();
        asked
    }
}

impl Embedder for Counting {
    fn id(&self) -> &EmbedderId {
        &self.id
    }

    fn dims(&self) -> usize {
        DIMS
    }

    fn embed(&self, text: &str, max_tokens: usize) -> Result<Vector, EmbedError> {
        Ok(self.embed_all(&[text], max_tokens)?.remove(0))
    }

    fn embed_all(&self, texts: &[&str], max_tokens: usize) -> Result<Vec<Vector>, EmbedError> {
        assert_eq!(max_tokens, 128);
        assert!(texts.len() <= 32);
        if let Some(before) = &mut *self.before.lock().unwrap() {
            before();
        }
        while self.hangs.load(Ordering::Relaxed) {
            std::thread::park_timeout(Duration::from_millis(5));
        }
        let left = |left: usize| left.checked_sub(1);
        if self.answers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_err() {
            return Err(EmbedError::Unavailable("it sleeps".into()));
        }
        if self.garbles.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left).is_ok() {
            return Err(EmbedError::Refused("it stammers".into()));
        }
        if texts.iter().any(|text| self.refuses.is_some_and(|refused| text.contains(refused))) {
            return Err(EmbedError::Refused("it is tasteless".into()));
        }
        self.asked.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        let numbers = |text: &&str| PieceId::of(text).as_bytes().map(|byte| f32::from(byte) - 127.5);
        Ok(texts.iter().map(|text| Vector::quantise(self.id.clone(), &numbers(text))).collect())
    }
}

fn desk(embedder: &Arc<Counting>) -> Desk {
    Desk { embedder: Some(Arc::clone(embedder) as Arc<dyn Embedder>), ..Desk::new() }
}

fn with(desk: Desk, embedder: &Arc<Counting>) -> Desk {
    Desk { embedder: Some(Arc::clone(embedder) as Arc<dyn Embedder>), ..desk }
}

fn observe(desk: &Desk, title: &str, narrative: &str, facts: &[&str]) -> EventId {
    let body = json!({
        "type": "discovery", "title": title, "subtitle": "", "narrative": narrative, "facts": facts,
        "concepts": [], "files_read": [], "files_modified": [],
    });
    desk.append(Kind::ObservationRecorded, "s", "", body)
}

fn vectors(desk: &Desk, embedder: &Counting) -> Vectors {
    Vectors::open(&desk.log.places().state, embedder.id(), DIMS).unwrap()
}

/// Says whether there is a vector of a text.
fn is_embedded(desk: &Desk, embedder: &Counting, text: &str) -> bool {
    vectors(desk, embedder).vector(PieceId::of(text)).is_some()
}

fn lose_index(desk: &Desk) {
    for file in std::fs::read_dir(&desk.log.places().state).unwrap() {
        let file = file.unwrap();
        if file.file_name().to_str().unwrap().starts_with("index-") && file.path().is_file() {
            std::fs::remove_file(file.path()).unwrap();
        }
    }
}

#[test]
fn narrative_and_facts_are_found_by_what_they_mean() {
    let model = Arc::new(MiniLm::new());
    let desk = Desk { embedder: Some(model.clone()), ..Desk::new() };
    let facts = ["The job queue moved to Postgres.", "Redis is used for sessions only."];
    observe(&desk, "Queue of jobs", "Jobs were lost when the cache restarted.", &facts);
    observe(&desk, "Colour of the button", "The button is green now, as the designers wanted it.", &[]);
    desk.append(Kind::PromptSubmitted, "s", "t", json!({"text": "why do we lose jobs?"}));
    let report = desk.run();
    assert_eq!((report.ended, report.vectors), (Ended::Idle, 5));
    assert_eq!(desk.index().unembedded_count().unwrap(), 0);

    let vectors = Vectors::open(&desk.log.places().state, model.id(), model.dims()).unwrap();
    let query = model.embed("which database has the queue?", 32).unwrap();
    let scope = [ScopeTag::of(Some(PROJECT))];
    let nearest = vectors.nearest(&query, Some(&scope), 5);
    assert_eq!((nearest.len(), nearest[0].0), (5, PieceId::of(facts[0])));
    let expected = query.similarity(&model.embed(facts[0], 128).unwrap()).unwrap();
    assert_eq!(nearest[0].1.to_bits(), expected.to_bits());
    assert_eq!(vectors.nearest(&query, Some(&[ScopeTag::of(Some("github.com/acme/other"))]), 5), []);
}

#[test]
fn an_index_that_is_made_anew_costs_no_vector() {
    let embedder = Counting::new("a");
    let desk = desk(&embedder);
    observe(&desk, "One", "the first", &["a fact", "another fact"]);
    observe(&desk, "Two", "the second", &["a fact"]);
    desk.run();
    let asked = ["One\nthe first", "Two\nthe second", "a fact", "another fact"];
    assert_eq!(embedder.take_asked(), asked);
    desk.run();
    lose_index(&desk);
    let report = desk.run();
    assert_eq!((embedder.take_asked(), report.vectors), (Vec::new(), 0));
    assert_eq!(desk.index().unembedded_count().unwrap(), 0);
    assert_eq!(vectors(&desk, &embedder).len(), 4);
}

#[test]
fn vectors_that_were_deleted_are_made_again() {
    let embedder = Counting::new("a");
    let desk = desk(&embedder);
    observe(&desk, "One", "the first", &[]);
    desk.run();
    std::fs::remove_dir_all(desk.log.places().state.join("vectors")).unwrap();
    embedder.take_asked();
    desk.run();
    assert_eq!(embedder.take_asked(), ["One\nthe first"]);
}

#[test]
fn what_was_forgotten_elsewhere_loses_its_vectors_and_what_others_say_too_keeps_its_own() {
    let embedder = Counting::new("a");
    let desk = desk(&embedder);
    let secret = observe(&desk, "Secret", "the password is swordfish", &["swordfish opens it", "shared"]);
    observe(&desk, "Open", "nothing to hide", &["shared"]);
    desk.run();
    assert!(is_embedded(&desk, &embedder, "swordfish opens it"));
    // The log says so, and nobody here has done anything about it.
    desk.forget(secret);
    desk.run();
    for (text, is_left) in [
        ("Secret\nthe password is swordfish", false),
        ("swordfish opens it", false),
        ("shared", true),
        ("Open\nnothing to hide", true),
    ] {
        assert_eq!(is_embedded(&desk, &embedder, text), is_left, "{text}");
    }
    embedder.take_asked();
    lose_index(&desk);
    desk.run();
    assert_eq!(embedder.take_asked(), [""; 0], "and it does not come back");
}

#[test]
fn what_is_forgotten_while_it_is_embedded_leaves_no_vector() {
    let embedder = Counting::new("a");
    let desk = desk(&embedder);
    let secret = observe(&desk, "Secret", "the password is swordfish", &[]);
    desk.index();
    let (log, state) = (desk.log.clone(), desk.log.places().state.clone());
    let mut is_done = false;
    *embedder.before.lock().unwrap() = Some(Box::new(move || {
        if !std::mem::replace(&mut is_done, true) {
            let selection = custos_log::Selection::Id(secret);
            let plan = custos_log::forget::plan(&log, &selection, &mut |_| {}).unwrap();
            custos_log::forget(&log, &plan, &selection, "private").unwrap();
            Index::open(&state, User::Worker).unwrap().forget(&[secret]).unwrap();
        }
    }));
    desk.run();
    assert_eq!(embedder.take_asked().len(), 1);
    assert!(!is_embedded(&desk, &embedder, "Secret\nthe password is swordfish"));
}

#[test]
fn another_embedder_takes_over_when_it_has_made_everything() {
    let (old, new) = (Counting::new("old"), Counting::new("new"));
    let desk = desk(&old);
    for number in 0..40 {
        observe(&desk, &format!("Number {number}"), "counted", &[]);
    }
    desk.run();
    let desk = with(desk, &new);
    new.answers.store(1, Ordering::Relaxed);
    desk.run();
    let rows = |desk: &Desk| -> Vec<(String, usize)> {
        let stored = stored(&desk.log.places().state).unwrap();
        stored.into_iter().map(|stored| (stored.embedder.to_string(), stored.rows)).collect()
    };
    assert_eq!(rows(&desk), [("new".to_owned(), 32), ("old".to_owned(), 40)]);
    assert_eq!(desk.index().unembedded_count().unwrap(), 8);
    assert!(is_embedded(&desk, &old, "Number 3\ncounted"));
    new.answers.store(usize::MAX, Ordering::Relaxed);
    desk.run();
    assert_eq!(rows(&desk), [("new".to_owned(), 40)]);
    assert_eq!(new.take_asked().len(), 40, "none of them twice");
}

#[test]
fn an_embedder_that_fails_costs_vectors_and_no_work() {
    let embedder = Counting::new("a");
    embedder.answers.store(0, Ordering::Relaxed);
    let desk = desk(&embedder);
    desk.turn("s", "one", 1);
    observe(&desk, "One", "the first", &[]);
    let report = desk.run();
    assert_eq!((report.ended, report.vectors, desk.counts().pending), (Ended::Idle, 0, 0));
    assert_eq!(desk.titles(), ["Learnt one", "One"]);
    let expected = "vectors wait for the next worker, because the embedder does not answer: it sleeps";
    assert_eq!(*desk.troubles.borrow(), [expected]);
    let waiting = desk.index().unembedded_count().unwrap();
    assert!(waiting >= 3, "{waiting}: prompt, observations and summary wait");

    embedder.answers.store(usize::MAX, Ordering::Relaxed);
    desk.run();
    assert_eq!(desk.index().unembedded_count().unwrap(), 0);
    assert!(is_embedded(&desk, &embedder, "One\nthe first"));
}

#[test]
fn vectors_that_cannot_be_kept_cost_no_work_either() {
    let embedder = Counting::new("a");
    let desk = desk(&embedder);
    std::fs::create_dir_all(desk.log.places().state.join("vectors/lock")).unwrap();
    desk.turn("s", "one", 1);
    let report = desk.run();
    assert_eq!((report.ended, desk.titles()), (Ended::Idle, vec!["Learnt one".to_owned()]));
    let [told] = &desk.troubles.borrow()[..] else { panic!("it is told once") };
    assert!(told.starts_with("vectors wait for the next worker, because cannot open"), "{told}");
}

#[test]
fn a_text_that_is_not_taken_keeps_no_other_from_it() {
    let embedder = Arc::new(Counting { refuses: Some("bitter"), ..Counting::named("a") });
    let desk = desk(&embedder);
    observe(&desk, "One", "the first", &["a bitter fact", "a sweet fact"]);
    observe(&desk, "Two", "the second", &[]);
    desk.run();
    assert_eq!(embedder.take_asked(), ["One\nthe first", "Two\nthe second", "a sweet fact"]);
    assert_eq!(desk.index().unembedded_count().unwrap(), 0);
    desk.run();
    assert_eq!(embedder.take_asked(), [""; 0], "it is not asked again and again");
    assert_eq!(desk.troubles.borrow().len(), 0);
}

#[test]
fn an_embedder_that_takes_nothing_is_left_alone() {
    let embedder = Arc::new(Counting { refuses: Some(""), ..Counting::named("a") });
    let desk = desk(&embedder);
    for number in 0..10 {
        observe(&desk, &format!("Number {number}"), "counted", &[]);
    }
    desk.run();
    assert_eq!(desk.index().unembedded_count().unwrap(), 10);
    assert!(desk.troubles.borrow()[0].contains("it is tasteless"));
}

#[test]
fn an_embedder_that_garbles_everything_keeps_even_one_text_waiting() {
    let embedder = Counting::new("a");
    embedder.garbles.store(usize::MAX, Ordering::Relaxed);
    let desk = desk(&embedder);
    observe(&desk, "One", "the first", &[]);
    desk.run();
    let expected =
        "vectors wait for the next worker, because the embedder does not take the text: it stammers";
    assert_eq!(*desk.troubles.borrow(), [expected]);
    assert_eq!(desk.index().unembedded_count().unwrap(), 1);

    embedder.garbles.store(0, Ordering::Relaxed);
    desk.run();
    assert_eq!(desk.index().unembedded_count().unwrap(), 0);
    assert!(is_embedded(&desk, &embedder, "One\nthe first"));
}

#[test]
fn what_an_embedder_garbles_for_a_moment_gets_its_vector() {
    for garbled in 1..=4 {
        let embedder = Counting::new("a");
        embedder.garbles.store(garbled, Ordering::Relaxed);
        let desk = desk(&embedder);
        observe(&desk, "One", "the first", &[]);
        desk.run();
        desk.run();
        assert!(is_embedded(&desk, &embedder, "One\nthe first"), "{garbled}");
        assert_eq!(desk.index().unembedded_count().unwrap(), 0);
    }
}

#[test]
fn one_text_alone_that_is_not_taken_is_asked_for_once() {
    let embedder = Arc::new(Counting { refuses: Some("bitter"), ..Counting::named("a") });
    let desk = desk(&embedder);
    observe(&desk, "Bitter", "a bitter fact", &[]);
    desk.run();
    assert_eq!(desk.index().unembedded_count().unwrap(), 0);
    assert_eq!(embedder.take_asked(), ["memory"], "it takes others");
    assert_eq!(desk.troubles.borrow().len(), 0);
}

#[test]
fn nobody_waits_for_an_embedder_when_the_worker_is_to_end() {
    let embedder = Counting::new("a");
    embedder.hangs.store(true, Ordering::Relaxed);
    let desk = desk(&embedder);
    observe(&desk, "One", "the first", &[]);
    let stop = Arc::clone(&desk.stop);
    *embedder.before.lock().unwrap() = Some(Box::new(move || stop.store(true, Ordering::Relaxed)));
    let report = desk.run_until(Stop::when(Arc::clone(&desk.stop)));
    embedder.hangs.store(false, Ordering::Relaxed);
    assert_eq!(report.ended, Ended::Asked);
    assert_eq!(desk.index().unembedded_count().unwrap(), 1);
}

#[test]
fn what_happens_meanwhile_goes_before() {
    let embedder = Counting::new("a");
    let desk = desk(&embedder);
    for number in 0..40 {
        observe(&desk, &format!("Number {number}"), "counted", &[]);
    }
    // A minute later: which of two texts of one moment is the newer, nobody can say.
    let (log, wall) = (desk.log.clone(), Arc::clone(&desk.clocks.wall));
    let batches = AtomicUsize::new(0);
    *embedder.before.lock().unwrap() = Some(Box::new(move || {
        if batches.fetch_add(1, Ordering::Relaxed) == 0 {
            *wall.lock().unwrap() += 60_000;
            crate::desk::append_turn(&log, "s", "meanwhile", 1);
        }
    }));
    desk.run();
    assert_eq!(desk.index().unembedded_count().unwrap(), 0);
    // With the second batch came what was learnt after the first: the newest goes first.
    let mut second = std::mem::take(&mut *embedder.asked.lock().unwrap()).split_off(32);
    let mut newest: Vec<String> = second.drain(..3).collect();
    newest.sort();
    assert_eq!(newest, ["Learnt meanwhile\nafter 0 turns", "asked for meanwhile", "do meanwhile"]);
    assert!(second.iter().all(|text| text.starts_with("Number ")), "{second:?}");
    assert_eq!(second.len(), 8);
}

/// A decision, as its file has it.
fn decision(text: &str) -> KnowledgeRow<'_> {
    KnowledgeRow {
        path: "decisions/D-001-postgres.md",
        stamp: 1,
        sort: "decision",
        name: "D-001",
        title: "Postgres",
        text,
        project: Some(PROJECT),
        scope: Scope::Project,
        ts: Timestamp::from_millis(NOON),
        importance: 0.9,
        binds: true,
        trusted: true,
    }
}

#[test]
fn knowledge_has_vectors_too_as_long_as_a_file_says_it() {
    let embedder = Counting::new("a");
    let desk = desk(&embedder);
    desk.turn("s", "one", 1);
    let store = desk.home.path().join("repo");
    std::fs::create_dir(&store).unwrap();
    let put = |text| desk.index().put_knowledge(store.to_str().unwrap(), &[decision(text)], &[]).unwrap();
    let has = |text| is_embedded(&desk, &embedder, text);
    put("All queues live in Postgres.");
    desk.run();
    assert!(has("Postgres\nAll queues live in Postgres."));
    put("Only one queue does.");
    desk.run();
    assert!(has("Postgres\nOnly one queue does.") && !has("Postgres\nAll queues live in Postgres."));
    // Nobody looks into a directory again that is gone.
    std::fs::remove_dir(&store).unwrap();
    desk.run();
    assert!(!has("Postgres\nOnly one queue does."));
    assert_eq!(desk.index().knowledge_stores().unwrap(), [""; 0]);
}

#[test]
fn knowledge_keeps_its_vectors_when_the_index_is_made_anew_and_something_is_forgotten() {
    let embedder = Counting::new("a");
    let desk = desk(&embedder);
    let secret = observe(&desk, "Secret", "the password is swordfish", &[]);
    let store = desk.home.path().join("repo");
    std::fs::create_dir(&store).unwrap();
    let name = store.to_str().unwrap();
    desk.index().put_knowledge(name, &[decision("All queues live in Postgres.")], &[]).unwrap();
    desk.run();
    embedder.take_asked();
    desk.index().rebuild(&desk.log.reader(), &mut |_| {}).unwrap();
    desk.forget(secret);
    desk.run();
    assert!(is_embedded(&desk, &embedder, "Postgres\nAll queues live in Postgres."));
    assert!(!is_embedded(&desk, &embedder, "Secret\nthe password is swordfish"));
    assert_eq!(embedder.take_asked(), [""; 0]);
    // And whoever looks finds the file as it was read.
    assert_eq!(desk.index().knowledge_stamps(name).unwrap(), [("decisions/D-001-postgres.md".to_owned(), 1)]);
}

#[test]
fn no_embedder_is_opened_for_nothing() {
    let embedder = Counting::new("a");
    let desk = desk(&embedder);
    assert_eq!(desk.run().ended, Ended::Idle);
    assert!(!desk.log.places().state.join("vectors").exists());
}
