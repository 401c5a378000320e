//! Receipts: the same bytes again, what was forgotten since, and what would have been there instead.

use super::desk::{Desk, hours_ago, scene};
use crate::context::{Scene, again, prompt, receipt, short, start, stored_of, without};
use crate::policy::Policy;
use crate::receipt::{Ceiling, Receipt};
use crate::viewer::Viewer;

fn desk() -> Desk {
    let mut desk = Desk::new();
    for n in 0..12 {
        desk.observe(
            hours_ago(n * 7 + 1),
            0.9 - 0.05 * n as f64,
            "bugfix",
            &format!("Lesson number {n} of the shop"),
            "",
        );
    }
    desk.sum_up(hours_ago(2), "s-old", "Mend the shop", "It is mended.");
    desk
}

#[test]
fn a_receipt_holds_no_word_of_what_is_in_the_log() {
    let desk = desk();
    let served = start(&mut desk.open(), None, &scene(), "startup").unwrap().unwrap();
    let body = serde_json::to_string(&served.receipt.body()).unwrap();
    assert!(!body.contains("Lesson") && !body.contains("mended"), "{body}");
    assert_eq!(Receipt::read(served.receipt.body()), Some(served.receipt));
}

#[test]
fn the_log_and_a_receipt_give_the_same_bytes_until_something_is_forgotten() {
    let desk = desk();
    let mut store = desk.open();
    let served = start(&mut store, None, &scene(), "startup").unwrap().unwrap();
    let written = |store: &mut crate::Store| {
        let stored = stored_of(store, &Viewer::owner(), &served.receipt).unwrap();
        again(&served.receipt, |id| stored.get(&id).cloned())
    };
    let first = written(&mut store);
    assert_eq!((first.text.as_str(), first.is_same, first.gone), (served.text.as_str(), true, Vec::new()));
    let forgotten = served.receipt.items[2].id;
    desk.forget(&mut store, forgotten);
    let second = written(&mut store);
    assert_eq!((second.is_same, second.gone), (false, vec![forgotten]));
    assert!(!second.text.contains(&short(forgotten)));
}

#[test]
fn without_one_the_next_one_comes_by_the_same_rules() {
    let desk = desk();
    let mut store = desk.open();
    let ceiling = Ceiling { tokens: 330, characters: 10_000, ..Ceiling::default() };
    let served = start(&mut store, None, &Scene { ceiling, ..scene() }, "startup").unwrap().unwrap();
    let stored = stored_of(&mut store, &Viewer::owner(), &served.receipt).unwrap();
    let first = served.receipt.items[1].id;
    let other = without(&Policy::DEFAULT, &served.receipt, first, |id| stored.get(&id).cloned()).unwrap();
    let ids: Vec<_> = other.receipt.ids().collect();
    let mut expected: Vec<_> = served.receipt.ids().filter(|id| *id != first).collect();
    expected.push(served.receipt.left_out[0].item.id);
    expected.sort();
    let mut sorted = ids.clone();
    sorted.sort();
    assert_eq!(sorted, expected);
    // And with everything, the same as it was.
    let nobody = custos_model::EventId::from_bytes([0; 16]);
    let same = without(&Policy::DEFAULT, &served.receipt, nobody, |id| stored.get(&id).cloned()).unwrap();
    assert_eq!((same.text, same.receipt.sha256), (served.text, served.receipt.sha256));
}

#[test]
fn a_session_that_got_fifty_memories_gets_no_one_twice() {
    let mut desk = Desk::new();
    for (n, topic) in (0..160).zip(["billing", "search", "login", "export"].into_iter().cycle()) {
        desk.observe(
            hours_ago(n),
            0.5,
            "bugfix",
            &format!("The {topic} worker dropped retries, case {n}"),
            "",
        );
    }
    let mut store = desk.open();
    let mut seen: Vec<String> = Vec::new();
    for round in 0..50 {
        let topic = ["billing", "search", "login", "export"][round % 4];
        let text = format!("the {topic} worker dropped retries");
        let scene = Scene { seen: &seen, ..scene() };
        let Some(served) = prompt(&mut store, &scene, &text).unwrap() else { break };
        let new: Vec<String> = served.receipt.ids().map(short).collect();
        assert!(new.len() <= 3 && new.iter().all(|id| !seen.contains(id)), "round {round}: {new:?}");
        seen.extend(new);
    }
    assert!(seen.len() >= 50, "only {}", seen.len());
}

#[test]
fn what_is_no_receipt_is_none() {
    let mut desk = desk();
    let id = desk.observe(hours_ago(1), 0.5, "bugfix", "No receipt", "");
    assert_eq!(receipt(&mut desk.open(), id).unwrap().map(|receipt| receipt.items), Some(Vec::new()));
}
