//! The rules of presets, written by the guard's own hand.

use std::path::Path;

use custos_config::{Change, replace};
use custos_guard::CATALOGUE;
use custos_guard::rules::sources::rules_file;
use custos_guard::rules::{self, Entry, Level as RulesLevel, List, Ops, Sources, edit};
use custos_hooks::guarding::RULES_CACHE;
use custos_knowledge::preset::{Preset, PresetRule, RuleKind};
use custos_knowledge::{Base, Level, Store, View};
use custos_model::Kind;
use serde_json::{Map, Value};

use crate::commands::kb::answer::refused;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// Adds the rules of presets to those of a project, and gives the ones that were not there.
pub(super) fn add(
    context: &Context,
    base: &Base,
    view: &View,
    presets: &[Preset],
    notes: &mut Vec<String>,
) -> Result<Vec<PresetRule>, CliError> {
    let store = &view.own().store;
    let (sources, level) = sources(store, &store.root);
    let mut added = Vec::new();
    for rule in presets.iter().flat_map(|preset| &preset.rules) {
        // Released before the event is recorded, as with every other file of the store.
        let writing = base.lock(store).map_err(|refusal| refused(&refusal))?;
        let change = edit::add(&sources, level, &entry(rule), CATALOGUE)?;
        drop(writing);
        if change == Change::Written {
            notes.extend(base.record(Kind::PolicyUpdated, store, event(rule)));
            added.push(rule.clone());
        }
    }
    if !added.is_empty() {
        // Kept at once, so that this is the last good version if the file is broken before a hook has seen it.
        let of = |level: Level| (store.level == level).then_some(store.root.as_path());
        let all = Sources::new(Some(&context.places.config), of(Level::Workspace), of(Level::Repo));
        rules::load_fast(&all, &context.places.state.join(RULES_CACHE), CATALOGUE);
    }
    Ok(added)
}

/// Gives the rules of presets that a project does not have, found by adding them to a copy of its rules.
pub(super) fn missing(view: &View, presets: &[Preset]) -> Result<Vec<PresetRule>, CliError> {
    let store = &view.own().store;
    let elsewhere = tempfile::tempdir().map_err(|error| {
        CliError::new(Exit::Io, format!("cannot create a temporary directory: {error}")).hint("check TMPDIR")
    })?;
    if let Some(text) = store.read("policies/safety.yaml").map_err(|error| refused(&error.into()))? {
        let copy = rules_file(&elsewhere.path().join(".ai"));
        let publish = || replace::Draft::begin(&copy)?.publish(text.as_bytes());
        publish().map_err(|error| CliError::new(Exit::Io, format!("{}: {error}", copy.display())))?;
    }
    let (sources, level) = sources(store, elsewhere.path());
    let mut missing = Vec::new();
    for rule in presets.iter().flat_map(|preset| &preset.rules) {
        if edit::add(&sources, level, &entry(rule), CATALOGUE)? == Change::Written {
            missing.push(rule.clone());
        }
    }
    Ok(missing)
}

fn sources(store: &Store, root: &Path) -> (Sources, RulesLevel) {
    match store.level {
        Level::Workspace => (Sources::new(None, Some(root), None), RulesLevel::Workspace),
        _ => (Sources::new(None, None, Some(root)), RulesLevel::Repo),
    }
}

fn entry(rule: &PresetRule) -> Entry {
    let (pattern, id, reason) = (rule.value.clone(), None, Some(rule.reason.clone()));
    match rule.kind {
        RuleKind::GitProtectedBranch => Entry::branch(&pattern),
        RuleKind::BashDeny => Entry::Command { list: List::Deny, pattern, id, reason },
        RuleKind::FsDeny => Entry::Path { list: List::Deny, pattern, ops: Ops::ANY, id, reason },
        RuleKind::FsReadonly => Entry::Path { list: List::ReadOnly, pattern, ops: Ops::CHANGE, id, reason },
    }
}

fn event(rule: &PresetRule) -> Map<String, Value> {
    let fields = [("change", "added"), ("list", rule.kind.word()), ("value", &rule.value), ("by", "preset")];
    fields.into_iter().map(|(name, text)| (name.to_owned(), text.into())).collect()
}
