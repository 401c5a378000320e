use custos_model::{EventId, Observation, Timestamp};
use rstest::rstest;

use super::*;
use crate::turn::Said;

fn found(sort: Sort, said: bool, files: usize, steps: Vec<usize>) -> Found {
    let observation = Observation {
        sort,
        title: "Fixed the cursor of statements".to_owned(),
        subtitle: String::new(),
        narrative: String::new(),
        facts: Vec::new(),
        concepts: Vec::new(),
        files_read: Vec::new(),
        files_modified: (0..files).map(|at| format!("{at}.rs")).collect(),
    };
    Found { observation, steps, said }
}

fn turn() -> Turn {
    let id = EventId::new(Timestamp::from_millis(0), [0; 10]);
    let step = |ok| Step {
        id,
        tool: "Bash".to_owned(),
        what: What::Ran("cargo test".to_owned()),
        ok: Some(ok),
        exit: None,
        output: String::new(),
        files_read: Vec::new(),
        files_changed: Vec::new(),
        by: None,
    };
    let said = vec![Said { id, text: "the statements skip rows".to_owned() }];
    Turn { said, steps: vec![step(false), step(true)], ..Turn::default() }
}

#[rstest]
#[case::proven_fix(found(Sort::Bugfix, false, 2, vec![0, 1]), 1.0, 0.835, Parts { sort: 0.9, outcome: 1.0, novelty: 1.0, user: 0.5, files: 0.5 })]
#[case::known_already(found(Sort::Bugfix, false, 2, vec![0, 1]), 0.0, 0.685, Parts { sort: 0.9, outcome: 1.0, novelty: 0.0, user: 0.5, files: 0.5 })]
#[case::rule_of_the_person(found(Sort::Decision, true, 0, vec![]), 1.0, 0.9, Parts { sort: 1.0, outcome: 1.0, novelty: 1.0, user: 1.0, files: 0.0 })]
#[case::unproven_change(found(Sort::Change, false, 1, vec![]), 0.5, 0.415, Parts { sort: 0.45, outcome: 0.3, novelty: 0.5, user: 0.5, files: 0.25 })]
#[case::many_files(found(Sort::Refactor, false, 40, vec![1]), f64::NAN, 0.515, Parts { sort: 0.5, outcome: 0.7, novelty: 0.0, user: 0.5, files: 1.0 })]
fn the_parts_add_up(#[case] found: Found, #[case] novelty: f64, #[case] value: f64, #[case] parts: Parts) {
    let (importance, told) = appraise(&found, &turn(), novelty);
    assert_eq!((importance.value(), told), (value, parts));
}

#[test]
fn the_weights_are_a_whole() {
    let sum = WEIGHTS.sort + WEIGHTS.outcome + WEIGHTS.novelty + WEIGHTS.user + WEIGHTS.files;
    assert!((sum - 1.0).abs() < 1e-9);
}
