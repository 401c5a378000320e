//! Presets: decisions, memories and rules that a new knowledge base can begin with.
//!
//! Each is a file of texts (`preset/essential.yaml` and its neighbours), so that they are reviewed as texts. A rule comes with examples of
//! what it must block and what it must leave alone; the tests prove both with the guard itself. Rules are only ever of the kinds that tighten.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::memory::MemoryKind;
use crate::refusal::Refusal;

/// The preset of whoever names none.
pub const DEFAULT: &str = "essential";

/// The presets and their files, in the order in which they are listed.
const FILES: [(&str, &str); 4] = [
    (DEFAULT, include_str!("preset/essential.yaml")),
    ("production", include_str!("preset/production.yaml")),
    ("team", include_str!("preset/team.yaml")),
    ("guardrails", include_str!("preset/guardrails.yaml")),
];

/// What a knowledge base can begin with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// What a command calls it.
    #[serde(default)]
    pub name: String,
    /// What people call it.
    pub title: String,
    /// What it is about, in one line.
    pub about: String,
    /// Its decisions.
    pub decisions: Vec<PresetDecision>,
    /// Its memories.
    pub memories: Vec<PresetMemory>,
    /// Its rules for the guard.
    pub rules: Vec<PresetRule>,
}

/// A decision of a preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetDecision {
    /// In one line.
    pub title: String,
    /// Whether it must be followed.
    #[serde(default)]
    pub required: bool,
    /// In full.
    pub decision: String,
    /// Why.
    pub reasoning: String,
}

/// A memory of a preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetMemory {
    /// What it is about.
    #[serde(rename = "type", deserialize_with = "kind")]
    pub kind: MemoryKind,
    /// In one line.
    pub title: String,
    /// In full.
    pub description: String,
    /// Words by which it is found.
    pub keywords: Vec<String>,
}

/// A rule of a preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetRule {
    /// Which kind of rule.
    #[serde(rename = "type")]
    pub kind: RuleKind,
    /// The branch, command or path.
    pub value: String,
    /// Why, for whoever is held by it.
    pub reason: String,
    /// Commands or paths that it must hold.
    pub must_block: Vec<String>,
    /// Commands or paths that it must leave alone.
    pub must_allow: Vec<String>,
}

/// The kinds of rules, as the tools call them. None of them loosens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// A branch that only people push to.
    GitProtectedBranch,
    /// A command that does not run.
    BashDeny,
    /// A path that is not touched.
    FsDeny,
    /// A path that is read only.
    FsReadonly,
}

impl RuleKind {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::GitProtectedBranch => "git_protected_branch",
            Self::BashDeny => "bash_deny",
            Self::FsDeny => "fs_deny",
            Self::FsReadonly => "fs_readonly",
        }
    }
}

/// Gives all presets.
pub fn presets() -> Vec<Preset> {
    // The files are part of the program, and a test reads all of them.
    FILES.into_iter().filter_map(|(name, text)| read(name, text).ok()).collect()
}

/// Finds presets by name.
pub fn named(names: &[impl AsRef<str>]) -> Result<Vec<Preset>, Refusal> {
    let all = presets();
    let mut wanted: Vec<Preset> = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        let Some(preset) = all.iter().find(|preset| preset.name == name) else {
            let names: Vec<&str> = all.iter().map(|preset| preset.name.as_str()).collect();
            return Err(Refusal::missing(
                format!("there is no preset {}", custos_config::shown::shown(name)),
                format!("There are {}", names.join(", ")),
            ));
        };
        if !wanted.contains(preset) {
            wanted.push(preset.clone());
        }
    }
    Ok(wanted)
}

fn read(name: &str, text: &str) -> Result<Preset, serde_saphyr::Error> {
    let preset: Preset = serde_saphyr::from_str(text)?;
    Ok(Preset { name: name.to_owned(), ..preset })
}

fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<MemoryKind, D::Error> {
    let word = String::deserialize(deserializer)?;
    MemoryKind::of(&word).ok_or_else(|| D::Error::custom("a memory is feedback or pattern"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::save::LONGEST_DESCRIPTION;
    use crate::text::{clean_title, nearly_the_same, points_at};

    #[test]
    fn every_preset_can_be_read_and_has_its_parts() {
        for (name, text) in FILES {
            let preset = read(name, text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!((3..=7).contains(&preset.decisions.len()), "{name}");
            assert!((2..=5).contains(&preset.memories.len()), "{name}");
            assert!(preset.decisions.iter().any(|decision| decision.required), "{name}");
            for rule in &preset.rules {
                assert!(!rule.must_block.is_empty() && !rule.must_allow.is_empty(), "{name}: {}", rule.value);
            }
            for memory in &preset.memories {
                assert!(
                    memory.description.chars().count() <= LONGEST_DESCRIPTION,
                    "{name}: {}",
                    memory.title
                );
            }
        }
    }

    #[test]
    fn no_two_titles_say_the_same() {
        let all = presets();
        let decisions = all.iter().flat_map(|preset| preset.decisions.iter().map(|item| &item.title));
        let titles: Vec<&String> = decisions
            .chain(all.iter().flat_map(|preset| preset.memories.iter().map(|item| &item.title)))
            .collect();
        for (at, title) in titles.iter().enumerate() {
            assert_eq!(clean_title(title).unwrap().title, **title);
            assert_eq!(points_at(title), None);
            for other in &titles[..at] {
                assert!(!nearly_the_same(title, other), "{title} / {other}");
            }
        }
    }

    #[test]
    fn presets_are_found_by_name_and_none_comes_twice() {
        let names = |wanted: &[&str]| {
            named(wanted).map(|all| all.into_iter().map(|preset| preset.name).collect::<Vec<_>>())
        };
        assert_eq!(
            names(&["team", "essential", "team"]),
            Ok(vec!["team".to_owned(), "essential".to_owned()])
        );
        let refusal = names(&["safe"]).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "there is no preset safe. There are essential, production, team, guardrails"
        );
    }
}
