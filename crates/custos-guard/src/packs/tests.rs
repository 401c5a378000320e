//! What the packs hold and what they leave alone.
//!
//! The calls are data, in `tests/data/packs-*.jsonl` of this crate, one per line, in the words of [`call`]; a failure names the line.

use serde::Deserialize;

use super::{PACKS, RULES, judge};
use crate::judge::trial::{call, found};
use crate::verdict::Hold;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The one rule that holds it; none, if it is left alone.
    rule: Option<String>,
    call: String,
}

/// Of the cases in a text, those that come to something else, with what was found instead.
fn wrong(cases: &str) -> Vec<String> {
    let judged = |(number, line): (usize, &str)| {
        let case: Case = serde_json::from_str(line).unwrap_or_else(|error| panic!("line {number}: {error}"));
        let found = found(judge, &call(&case.call));
        (found != Vec::from_iter(case.rule)).then(|| format!("line {number}: {line} -> {found:?}"))
    };
    (1..).zip(cases.lines()).filter_map(judged).collect()
}

#[test]
fn what_destroys_or_publishes_is_held() {
    assert_eq!(wrong(include_str!("../../tests/data/packs-held.jsonl")), [""; 0]);
}

#[test]
fn everyday_work_is_not() {
    assert_eq!(wrong(include_str!("../../tests/data/packs-silent.jsonl")), [""; 0]);
}

#[test]
fn variables_can_make_an_apply_a_destroy() {
    let held = found(judge, &call("TF_CLI_ARGS_apply=-destroy terraform apply"));
    assert_eq!(held, ["terraform.destroy", "terraform.apply"]);
}

#[test]
fn each_rule_asks_and_belongs_to_a_pack() {
    for rule in RULES {
        let (pack, _) = rule.id.split_once('.').unwrap();
        assert!(PACKS.iter().any(|(name, _)| *name == pack), "{}", rule.id);
        assert_eq!(rule.hold, Hold::Ask, "{}", rule.id);
    }
    let mut ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RULES.len());
}
