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

#[test]
fn the_last_pass_says_who_did_it() {
    let desk = Desk::new();
    desk.record(6, 6);
    desk.work();
    desk.set("distill.tokens_per_day", "10");
    let redone = desk.custos(&["work", "redo", "--session", "s-0"]);
    let said = String::from_utf8(redone.stderr).unwrap();
    assert!(said.contains("the budget of 10 tokens a day is spent"), "it is said beforehand: {said}");
    desk.work();
    let by = || {
        let work = desk.json(&["work", "list", "--all"]);
        let turns = work.as_array().unwrap().iter().filter(|unit| unit["sort"] == "turns");
        turns.map(|unit| unit["by"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(by(), ["rules"; 6]);
    desk.set("distill.tokens_per_day", "1000000000");
    let again = || desk.json(&["work", "redo", "--all-fallbacks"])["reopened"].as_array().unwrap().len();
    assert_eq!(again(), 6);
    desk.work();
    assert_eq!((by(), again()), (vec!["openai/m".to_owned(); 6], 0));
}

#[test]
fn work_that_cannot_be_moved_is_said_to_be_what_it_is() {
    let desk = Desk::with_rules();
    desk.record(1, 1);
    let id = desk.json(&["work", "list"])[0]["id"].as_str().unwrap()[..8].to_owned();
    let refused = |command: &str| {
        let output = desk.custos(&["work", command, &id]);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = refused("redo");
    assert!(
        code == Some(64) && said.contains(&format!("work {id} is not done yet: it is ready")),
        "{code:?} {said}"
    );
    desk.work();
    for command in ["retry", "drop"] {
        let (code, said) = refused(command);
        assert!(code == Some(64) && said.contains(&format!("work {id} is done")), "{code:?} {said}");
        assert!(said.contains(&format!("`custos work redo {id}`")), "{said}");
    }
    // Whoever drops another pass keeps what the last one made.
    desk.json(&["work", "redo", &id]);
    let dropped = String::from_utf8(desk.custos(&["work", "drop", &id, "--yes"]).stdout).unwrap();
    assert!(dropped.contains("what was made of them before stays"), "{dropped}");
    assert_eq!(desk.counts(), (0, 11, 0));
}
