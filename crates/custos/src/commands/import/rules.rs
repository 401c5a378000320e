//! What the safety rules of AXME Code come to here.
//!
//! Most of them are AXME Code's defaults, and the guard holds them without being told. Those are left out, so that the rules of a project say
//! only what is its own. What the guard merely asks about, and AXME Code denied, is written down: an import never loosens.

use std::fs;
use std::path::Path;

use custos_config::Change;
use custos_guard::rules::edit::{self, EditError};
use custos_guard::rules::{self, Entry, Level, List, Ops, Sources};
use custos_guard::{Access, CATALOGUE, Guard, Hold, Judgement};
use custos_hooks::guarding::RULES_CACHE;
use custos_knowledge::import::axme::Carried;
use custos_knowledge::import::axme::rules::{Found, Sort};
use serde::Serialize;

use crate::commands::guard::{NotAdopted, Scene, Whereabouts, adopt};
use crate::context::Context;
use crate::error::CliError;

/// What becomes of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct RuleOutcome {
    pub(super) store: String,
    pub(super) sort: Sort,
    pub(super) value: String,
    pub(super) became: Became,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) why: String,
}

/// What can become of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Became {
    New,
    There,
    BuiltIn,
    Refused,
}

/// Says what would become of the rules of a store; `write` says whether it shall.
pub(super) fn settle(
    context: &Context,
    carried: &Carried,
    write: bool,
) -> Result<Vec<RuleOutcome>, CliError> {
    if carried.rules.is_empty() {
        return Ok(Vec::new());
    }
    let scene = Scene::set(context, &Whereabouts::at(&carried.root))?;
    let level = if scene.sources.path(Level::Repo).is_some() { Level::Repo } else { Level::Workspace };
    let draft = Draft::of(&scene, level);
    let mut outcomes = Vec::new();
    for found in &carried.rules {
        let (became, why) = if is_built_in(&scene, found) {
            (Became::BuiltIn, String::new())
        } else {
            let entry = entry(found);
            let change = match &draft {
                Some(draft) if !write => {
                    edit::add(&draft.sources, Level::Repo, &entry, CATALOGUE).map_err(NotAdopted::from)
                }
                _ if write => adopt(context, &scene, level, &entry),
                _ => Ok(Change::Written),
            };
            match change {
                Ok(Change::Written) => (Became::New, String::new()),
                Ok(Change::Nothing) => (Became::There, String::new()),
                Err(error) => (Became::Refused, reason(&error)),
            }
        };
        outcomes.push(RuleOutcome {
            store: carried.store.clone(),
            sort: found.sort,
            value: found.value.clone(),
            became,
            why,
        });
    }
    if write {
        // Kept at once, so that this is the last good version if the file is broken before a hook has seen it.
        rules::load_fast(&scene.sources, &context.places.state.join(RULES_CACHE), CATALOGUE);
    }
    Ok(outcomes)
}

/// A copy of the rules, on which is tried out what would become of them.
struct Draft {
    sources: Sources,
    _dir: tempfile::TempDir,
}

impl Draft {
    fn of(scene: &Scene, level: Level) -> Option<Self> {
        let dir = tempfile::tempdir().ok()?;
        let sources = Sources::new(None, None, Some(dir.path()));
        let (from, to) = (scene.sources.path(level)?, sources.path(Level::Repo)?.to_owned());
        if fs::symlink_metadata(from).is_ok_and(|metadata| metadata.is_file()) {
            custos_config::replace::create_private(to.parent()?).ok()?;
            fs::copy(from, &to).ok()?;
        }
        Some(Self { sources, _dir: dir })
    }
}

/// Says why a rule cannot be written, without the file, which may be the copy.
fn reason(error: &NotAdopted) -> String {
    let error = match error {
        NotAdopted::Rule(error) => error,
        NotAdopted::Base(refusal) => return refusal.problem.clone(),
    };
    let why = match error {
        EditError::Pattern { why, .. } => why.to_string(),
        EditError::PathPattern { why, .. } => why.to_string(),
        EditError::Idle { why, .. } => why.to_string(),
        EditError::Broken { at, why, .. } => format!("the rules file is not usable, line {}: {why}", at.line),
        EditError::Name { what, .. } => format!("this is no {what}"),
        other => other.to_string(),
    };
    why.trim_end_matches("; nothing was changed").to_owned()
}

fn entry(found: &Found) -> Entry {
    let pattern = found.pattern.clone();
    let path = |list, ops| Entry::Path { list, pattern: pattern.clone(), ops, id: None, reason: None };
    match found.sort {
        Sort::Branch => Entry::branch(&pattern),
        Sort::Command => Entry::Command { list: List::Deny, pattern, id: None, reason: None },
        Sort::Path => path(List::Deny, Ops::ANY),
        Sort::ReadOnly => path(List::ReadOnly, Ops::CHANGE),
    }
}

/// Says whether the guard denies all that a rule denies, and will go on doing so whatever becomes of the rules files. The built-in rules are
/// asked by themselves, because a rule of the project that denies the same is reported before them; the rules in force are asked as well,
/// because a person may have switched a built-in one off.
fn is_built_in(scene: &Scene, found: &Found) -> bool {
    let is_denied = |ask: &dyn Fn(Guard<'_>) -> Judgement| {
        [scene.judge_built_in(ask), scene.judge(ask)]
            .iter()
            .all(|judgement| judgement.reason().is_some_and(|finding| finding.hold == Hold::Deny))
    };
    let value = found.value.as_str();
    match found.sort {
        Sort::Branch => matches!(value, "main" | "master"),
        Sort::Command => samples(value).iter().all(|command| is_denied(&|guard| guard.command(command))),
        Sort::Path => {
            let path = value.replace('*', "x");
            is_plain(Path::new(value))
                && Access::ALL.into_iter().all(|(access, _)| is_denied(&|guard| guard.path(&path, access)))
        }
        Sort::ReadOnly => false,
    }
}

/// A star in the middle of a path stands for too much to be tried out.
fn is_plain(path: &Path) -> bool {
    path.parent().is_none_or(|parent| !parent.to_string_lossy().contains('*'))
}

/// Commands that a prefix would deny.
fn samples(prefix: &str) -> Vec<String> {
    match prefix.split_once('|') {
        // Names of a pipeline, whatever stands behind them.
        Some((first, rest)) => vec![format!("{} https://tables.example/x | {}", first.trim(), rest.trim())],
        None => vec![prefix.to_owned(), format!("{prefix}{}x", if prefix.ends_with('=') { "" } else { " " })],
    }
}
