//! Tables of calls: which rule holds them, and which stay silent.
//!
//! A line is split as git splits an alias; `NAME=value` in front is the environment, `&&` puts calls one after the other, and `$X` is a
//! word that is not known. `@main` at the beginning says which branch is checked out; otherwise it is `feat`.

mod files;
mod forge;
mod held;
mod nested;
mod silent;

use super::{Earlier, FORGE_RULES, Nested, RULES, alias, judge, judge_forge};
use crate::case::Case;
use crate::invocation::{Arg, Invocation, UNKNOWN};
use crate::rules::policy::{Level, Origin, Policy, Stated};
use crate::verdict::Finding;
use crate::world::{Files, Own, World};

/// A disk with a branch and a few files.
#[derive(Debug, Default)]
struct Disk {
    branch: Option<&'static str>,
    texts: &'static [(&'static str, &'static str)],
}

impl Files for Disk {
    fn real(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }

    fn folds_case(&self, _dir: &str) -> bool {
        false
    }

    fn branch(&self, dir: &str) -> Option<String> {
        // Another repo lies beside the project, with main checked out.
        if dir == "/home/user/other" { Some("main".to_owned()) } else { self.branch.map(str::to_owned) }
    }

    fn repo(&self, dir: &str) -> Option<String> {
        dir.starts_with("/home/user/project").then(|| "/home/user/project".to_owned())
    }

    fn text(&self, path: &str) -> Option<String> {
        self.texts.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
    }
}

fn calls(line: &str) -> Vec<Invocation> {
    let words: Vec<Arg> = alias::split(&line.replace("$X", &UNKNOWN.to_string()));
    words
        .split(|word| word.is("&&"))
        .map(|words| {
            let first = words
                .iter()
                .position(|word| !word.text().contains('=') || word.text().starts_with('-'))
                .unwrap_or_default();
            let (env, argv) = words.split_at(first);
            let env = env
                .iter()
                .filter_map(|word| word.text().split_once('='))
                .map(|(name, value)| (name.to_owned(), Arg::new(value)));
            Invocation {
                argv: argv.to_vec(),
                env: env.collect(),
                cwd: Some("/home/user/project".to_owned()),
                ..Invocation::default()
            }
        })
        .collect()
}

fn judged(calls: &[Invocation], disk: &Disk) -> (Vec<Finding>, Vec<Nested>) {
    let own = Own::default();
    let world = World {
        home: Some("/home/user"),
        cwd: "/home/user/project",
        root: "/home/user/project",
        own: &own,
        files: disk,
    };
    let origin = Origin { level: Level::User, line: 1 };
    let branches = vec![Stated { value: "release/*".to_owned(), origin }];
    let policy = Policy { branches, ..Policy::builtin() };
    let mut case = Case::new(world, &policy);
    let mut earlier = Earlier::default();
    let mut nested = Vec::new();
    for call in calls {
        nested.extend(match call.program() {
            "gh" | "glab" | "hub" => judge_forge(call, &mut case, &mut earlier),
            _ => judge(call, &mut case, &mut earlier),
        });
    }
    (case.findings, nested)
}

fn rules_of(line: &str) -> (Vec<String>, Vec<Nested>) {
    let (branch, line) = match line.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
        Some(("main", line)) => ("main", line),
        Some(("release", line)) => ("release/2", line),
        _ => ("feat", line),
    };
    let (findings, nested) = judged(&calls(line), &Disk { branch: Some(branch), ..Disk::default() });
    (findings.into_iter().map(|finding| finding.rule.into_owned()).collect(), nested)
}

fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// The lines of a table that a rule should hold and does not.
fn missed<'t>(rule: &str, table: &'t str) -> Vec<&'t str> {
    lines(table).filter(|line| !rules_of(line).0.iter().any(|found| found == rule)).collect()
}

/// The lines of a table that should be silent and are not, with the rules that hold them.
fn disturbed(table: &str) -> Vec<(&str, Vec<String>)> {
    lines(table).map(|line| (line, rules_of(line).0)).filter(|(_, rules)| !rules.is_empty()).collect()
}

#[test]
fn a_finding_explains_itself() {
    let (findings, _) =
        judged(&calls("git push origin HEAD"), &Disk { branch: Some("main"), ..Disk::default() });
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(
        (finding.rule.as_ref(), finding.part.as_str(), finding.safer.as_ref()),
        ("git.push-protected", "HEAD (main)", "push to a branch of your own and open a pull request")
    );
}

#[test]
fn every_rule_has_its_own_name_and_says_what_to_do() {
    let rules: Vec<_> = RULES.iter().chain(FORGE_RULES).collect();
    let mut ids: Vec<_> = rules.iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules.len());
    assert!(rules.iter().all(|rule| !rule.reason.ends_with('.') && !rule.safer.is_empty()));
}
