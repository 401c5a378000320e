//! What a person sees of the work, and moves.

use crate::desk::Desk;

#[test]
fn work_is_listed_dropped_tried_again_and_done_again() {
    let desk = Desk::new();
    desk.record(2, 2);
    let waiting = desk.json(&["work", "list"]);
    let states: Vec<&str> =
        waiting.as_array().unwrap().iter().map(|unit| unit["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["ready", "ready", "ready"]);
    let id = waiting[0]["id"].as_str().unwrap();
    assert_eq!(desk.json(&["work", "drop", &id[..8], "--yes"])["dropped"], id);
    assert_eq!(desk.counts(), (11, 0, 10));
    desk.work();
    assert_eq!(desk.counts(), (0, 11, 10));
    assert_eq!(desk.json(&["work", "retry", "--all"])["reopened"][0], id);
    desk.work();
    desk.assert_distilled(2);

    let done = desk.json(&["work", "redo", "--session", "s-0"]);
    assert_eq!(done["reopened"].as_array().unwrap().len(), 3);
    assert_eq!(desk.counts(), (21, 0, 0));
    desk.work();
    assert_eq!(desk.counts(), (0, 21, 0));
    let titles = desk.json(&["observations", "--all"]);
    assert_eq!(titles.as_array().unwrap().len(), 2, "{titles}");
    let output = desk.custos(&["work", "drop", "ffffffffff"]);
    assert_eq!(output.status.code(), Some(66));
}

#[test]
fn the_list_is_readable() {
    let desk = Desk::with_rules();
    desk.record(1, 1);
    let list = |arguments: &[&str]| {
        let text = String::from_utf8(desk.custos(arguments).stdout).unwrap();
        // Ids and times differ each time.
        let line = |line: &str| {
            let words: Vec<&str> = line
                .split_whitespace()
                .filter(|word| !word.contains([':', '-']) || word.starts_with("s-"))
                .collect();
            words
                .iter()
                .filter(|word| word.len() != 8 || !word.bytes().all(|b| b.is_ascii_hexdigit()))
                .copied()
                .collect::<Vec<_>>()
                .join(" ")
        };
        text.lines().map(line).collect::<Vec<_>>()
    };
    assert_eq!(list(&["work", "list"]), ["ready 10 shop s-0", "ready 1 shop s-0"]);
    desk.work();
    assert_eq!(list(&["work", "list"]), ["nothing waits"]);
    let all = list(&["work", "list", "--all"]);
    assert!(all.contains(&"by rules".to_owned()) && all.contains(&"done 10 shop s-0".to_owned()), "{all:?}");
}
