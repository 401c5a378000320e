//! Every rule, said in every way.
//!
//! For each rule of the catalogue the data holds a command that this very rule holds, and a harmless twin as close to it as can be. Both
//! are written in every way that the rewriter knows: the command must stay held, the twin must stay silent. A guard that matches text
//! passes neither half.

use std::collections::{BTreeMap, BTreeSet};

use custos_guard::CATALOGUE;
use custos_guard::predicate::rewrite::variants;
use serde::Deserialize;

use crate::scene::{Scene, lines};

/// Each command is written in at least so many other ways.
const FEWEST_VARIANTS: usize = 30;

/// Areas whose rules do not judge commands, or not without more than a command, and rules that are off until a switch turns them on.
const ELSEWHERE: [(&str, &str); 6] = [
    ("delegation.", "counts the calls of a session; `delegation` has its own tests"),
    ("gate.", "is off by default and asks about pull requests; `gate` has its own tests"),
    ("git.push-forbidden", "needs `allow_push: false`; `rules` has its own tests"),
    ("git.force-with-lease", "needs `allow_force_with_lease: false`; `rules` has its own tests"),
    ("tool.unreadable", "is about the input of tools, not about commands; `tool` has its own tests"),
    ("git.commit-protected", "needs `require_feature_branch: true`; `rules` has its own tests"),
];

/// A line of the data.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    /// The rule's id.
    rule: String,
    /// What it holds.
    held: String,
    /// What nothing holds.
    twin: String,
    /// The branch that is checked out, if it matters.
    branch: Option<String>,
    /// Rewritings that do not keep the meaning of the held command, each with the reason.
    #[serde(default)]
    except: BTreeMap<String, String>,
    /// Rewritings that do not keep the meaning of the twin, each with the reason.
    #[serde(default)]
    twin_except: BTreeMap<String, String>,
}

fn pairs() -> Vec<Pair> {
    lines(include_str!("../corpus/rules.jsonl"))
}

/// The variants that keep the meaning.
fn rewritten(
    command: &str,
    except: &BTreeMap<String, String>,
) -> impl Iterator<Item = (&'static str, String)> {
    variants(command).into_iter().filter(|(name, _)| !except.contains_key(*name))
}

#[test]
fn every_rule_has_its_pair() {
    let known: BTreeSet<_> = CATALOGUE.iter().map(|rule| rule.id).collect();
    let pairs = pairs();
    let paired: BTreeSet<_> = pairs.iter().map(|pair| pair.rule.as_str()).collect();
    let is_elsewhere = |id: &&str| ELSEWHERE.iter().any(|(area, _)| id.starts_with(area));
    let unpaired: Vec<_> = known.difference(&paired).filter(|id| !is_elsewhere(id)).collect();
    let unknown: Vec<_> = paired.difference(&known).collect();
    assert_eq!((unpaired, unknown), (Vec::<&&str>::new(), Vec::<&&str>::new()));
}

#[test]
fn each_rule_holds_its_command_and_nothing_holds_its_twin() {
    let mut wrong = Vec::new();
    for pair in pairs() {
        let scene = Scene::on(pair.branch.as_deref());
        let judgement = scene.guard().command(&pair.held);
        if !judgement.findings.iter().any(|finding| finding.rule == pair.rule) {
            let rules: Vec<_> = judgement.findings.iter().map(|finding| &finding.rule).collect();
            wrong.push(format!("{} does not hold `{}`, but {rules:?}", pair.rule, pair.held));
        }
        if let Some(finding) = scene.guard().command(&pair.twin).reason() {
            wrong.push(format!(
                "{}: the twin `{}` is held by {} ({})",
                pair.rule, pair.twin, finding.rule, finding.part
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_are_enough_ways_to_say_each() {
    let mut few = Vec::new();
    for pair in pairs().iter().filter(|pair| !is_broken(pair)) {
        for (command, except) in [(&pair.held, &pair.except), (&pair.twin, &pair.twin_except)] {
            let count = rewritten(command, except).count();
            if count < FEWEST_VARIANTS {
                few.push(format!("{}: `{command}` in {count} ways", pair.rule));
            }
        }
    }
    assert!(few.is_empty(), "{}", few.join("\n"));
}

/// What bash would not take cannot be said in another way.
fn is_broken(pair: &Pair) -> bool {
    pair.rule == "shell.broken" || pair.rule == "shell.invisible"
}

#[test]
fn a_held_command_is_held_in_every_way_to_say_it() {
    let mut leaks = Vec::new();
    for pair in pairs() {
        let scene = Scene::on(pair.branch.as_deref());
        for (name, variant) in rewritten(&pair.held, &pair.except) {
            if scene.guard().command(&variant).verdict().is_none() {
                leaks.push(format!("{} [{name}] {variant}", pair.rule));
            }
        }
    }
    assert!(leaks.is_empty(), "{} leaks:\n{}", leaks.len(), leaks.join("\n"));
}

#[test]
fn a_harmless_twin_is_left_alone_in_every_way_to_say_it() {
    let mut alarms = Vec::new();
    for pair in pairs() {
        let scene = Scene::on(pair.branch.as_deref());
        for (name, variant) in rewritten(&pair.twin, &pair.twin_except) {
            if let Some(finding) = scene.guard().command(&variant).reason() {
                alarms.push(format!(
                    "{} [{name}] {variant}\n    {}: {}",
                    pair.rule, finding.rule, finding.part
                ));
            }
        }
    }
    assert!(alarms.is_empty(), "{} alarms:\n{}", alarms.len(), alarms.join("\n"));
}

/// An exception that nothing needs any more hides the next leak.
#[test]
fn every_exception_names_a_rewriting() {
    for pair in pairs() {
        for (command, except) in [(&pair.held, &pair.except), (&pair.twin, &pair.twin_except)] {
            let names: BTreeSet<_> = variants(command).into_iter().map(|(name, _)| name).collect();
            for (name, why) in except {
                assert!(names.contains(name.as_str()) && !why.is_empty(), "{}: {name}", pair.rule);
            }
        }
    }
}
