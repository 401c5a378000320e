//! A memory of a million observations.

use custos_model::{Draft, Origin};
use custos_recall::context;
use custos_recall::{Ask, Depth};

use crate::memory::{Bag, Memory, ask, observation, scene, texts};

const TEXTS: usize = 1_000_000;
const SPECIAL: &str = "The nightly export loses umlauts whenever Postgres restarts";

/// Says something that others say in nearly the same words.
fn ordinary(number: usize) -> Draft {
    let text = format!("Step {number} of the import fills column {} of table {}", number % 89, number % 997);
    observation(i64::try_from(TEXTS - number).unwrap() / 60 + 10, &text)
}

#[test]
fn in_a_million_the_one_is_found_and_the_context_stays_within_its_ceiling() {
    let memory = Memory::new();
    let draft = |number| if number == TEXTS / 2 { observation(9_000, SPECIAL) } else { ordinary(number) };
    for first in (0..TEXTS).step_by(10_000) {
        memory.log().append_all((first..first + 10_000).map(draft).collect(), Origin::Cli).unwrap();
    }
    let embedder = Bag::named("bag.1");
    // The worker has come to some of them.
    let embedded: Vec<Draft> = (0..TEXTS).step_by(100).map(draft).collect();
    memory.embed(&embedder, &embedded);
    let mut store = memory.open_as_it_is();
    let log = store.log().clone();
    store.index().rebuild(&log, &mut |_| {}).unwrap();
    drop(store);
    let mut store = memory.open(Some(embedder));
    for depth in [Depth::Server, Depth::Hook] {
        let mut best = |text: &str| {
            let answer = store.search(&Ask { depth, ..ask(text) }).unwrap();
            assert_eq!(answer.notes, Vec::<String>::new(), "{text}");
            texts(&answer)[0].to_owned()
        };
        assert_eq!(best("umlauts"), SPECIAL, "a rare word");
        assert_eq!(best("why does the export lose umlauts"), SPECIAL, "a sentence");
        assert!(best("step of the import").starts_with("Step "), "words that nearly all of them have");
    }
    let scene = scene();
    let started = context::start(&mut store, None, &scene, "startup").unwrap().unwrap();
    assert!((1..=1500).contains(&started.receipt.tokens), "{}", started.receipt.tokens);
    let prompted = context::prompt(&mut store, &scene, "why does the export lose umlauts").unwrap().unwrap();
    let given: Vec<&str> = prompted.text.lines().filter(|line| line.contains("umlauts")).collect();
    assert_eq!((given.len(), prompted.receipt.items.len()), (1, 1), "{}", prompted.text);
}
