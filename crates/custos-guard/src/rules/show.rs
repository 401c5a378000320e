//! The rules in force as rows, for `custos guard rules`.

use custos_config::shown::shown_path;
use serde::Serialize;

use super::entry::{Flag, PACKS, Setting};
use super::merge::Catalogue;
use super::policy::{Level, Origin, PROTECTED, Policy};
use super::sources::{Source, Sources};
use crate::decisions;

/// One rule as it is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// What it is: `branch`, `command`, `path`, `allow`, `pack`, `flag` or `built-in`.
    pub kind: &'static str,
    /// Its id or name.
    pub name: String,
    /// What it does: deny, ask, off, allow, or the value of a flag.
    pub effect: &'static str,
    /// What it is about: a pattern, or what a built-in rule holds.
    pub about: String,
    /// Where each part of it comes from: `built-in`, or level, file and line; of a decision the directory that it is in.
    pub origin: Vec<String>,
}

/// Every rule in force: the person's own first, then switches, then the built-in rules.
pub fn rows(policy: &Policy, sources: &Sources, catalogue: Catalogue) -> Vec<Row> {
    let origin = |origin: Origin| shown_origin(origin, sources);
    let mut rows = Vec::new();
    let mut row = |kind, name: &str, effect, about: String, origin: Vec<String>| {
        rows.push(Row { kind, name: name.to_owned(), effect, about, origin });
    };
    for branch in PROTECTED {
        row("branch", branch, "protected", String::new(), vec![BUILT_IN.to_owned()]);
    }
    for said in &policy.branches {
        row("branch", &said.value, "protected", String::new(), vec![origin(said.origin)]);
    }
    for rule in &policy.commands {
        let about = with_reason(rule.pattern.text().to_owned(), &rule.reason);
        row("command", &rule.id, Setting::from(Some(rule.hold)).word(), about, vec![origin(rule.origin)]);
    }
    for rule in &policy.paths {
        let about = with_reason(format!("{} ({})", rule.pattern.text(), rule.ops), &rule.reason);
        row("path", &rule.id, Setting::from(Some(rule.hold)).word(), about, vec![origin(rule.origin)]);
    }
    for said in &policy.allowed_commands {
        row("allow", said.value.text(), "allow", "command".to_owned(), vec![origin(said.origin)]);
    }
    for said in &policy.allowed_paths {
        let about = format!("path ({})", said.value.1);
        row("allow", said.value.0.text(), "allow", about, vec![origin(said.origin)]);
    }
    for pack in PACKS {
        let said = policy.adjustments.iter().filter(|said| said.value.is_pack && said.value.name == pack);
        let of_user = said
            .clone()
            .find(|said| said.origin.level == Level::User)
            .map_or(Setting::Ask, |said| said.value.to);
        let of_clones =
            said.clone().filter(|said| said.origin.level != Level::User).map(|said| said.value.to).max();
        let setting = of_clones.map_or(of_user, |to| to.max(of_user));
        row(
            "pack",
            pack,
            setting.word(),
            String::new(),
            or_built_in(said.map(|said| origin(said.origin)).collect()),
        );
    }
    for flag in Flag::ALL {
        let said = policy.flags.iter().filter(|said| said.value.0 == flag);
        let value = if policy.flag(flag) { "true" } else { "false" };
        row(
            "flag",
            &flag.to_string(),
            value,
            String::new(),
            or_built_in(said.map(|said| origin(said.origin)).collect()),
        );
    }
    for rule in catalogue.iter() {
        let pack = rule.id.split('.').next().unwrap_or_default();
        let said = policy
            .adjustments
            .iter()
            .filter(|said| said.value.name == if said.value.is_pack { pack } else { rule.id });
        let effect = Setting::from(policy.hold_of(rule)).word();
        let origin = or_built_in(said.map(|said| origin(said.origin)).collect());
        row("built-in", rule.id, effect, rule.reason.to_owned(), origin);
    }
    rows
}

const BUILT_IN: &str = "built-in";

fn or_built_in(origins: Vec<String>) -> Vec<String> {
    if origins.is_empty() { vec![BUILT_IN.to_owned()] } else { origins }
}

fn with_reason(about: String, reason: &str) -> String {
    if reason.is_empty() { about } else { format!("{about}: {reason}") }
}

fn shown_origin(origin: Origin, sources: &Sources) -> String {
    let Origin { level, line } = origin;
    match sources.file(level) {
        Some(Source { root: Some(root), .. }) if line == 0 => {
            format!("{level} {}", shown_path(&decisions::directory(root)))
        }
        Some(source) => format!("{level} {}:{line}", shown_path(&source.path)),
        None => level.to_string(),
    }
}

#[cfg(test)]
mod tests;
