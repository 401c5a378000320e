//! Puts the levels together.
//!
//! The laws are few. Lists unite. Of several holds the strongest counts. A workspace or repo can only tighten: whatever it says that would
//! loosen is left out and reported. The user's own file can loosen a built-in rule, by its id or its pack, and can allow what would be asked.
//! Since everything that tightens is a union or a maximum, the order of the levels does not matter, nor does saying a thing twice.

use std::borrow::Cow;

use custos_config::nearest::nearest;

use super::document::{Fault, MOST_FAULTS};
use super::entry::{Entry, Flag, List, PACKS, Placed, Said, Setting};
use super::glob::PathPattern;
use super::pattern::CommandPattern;
use super::policy::{Adjustment, CommandRule, Level, Origin, PathRule, Policy, Stated};
use super::problem::ProblemKind;
use crate::verdict::Rule;

/// The built-in rules, by the modules that apply them.
#[derive(Debug, Clone, Copy)]
pub struct Catalogue(pub &'static [&'static [&'static Rule]]);

impl Catalogue {
    /// Every rule.
    pub fn iter(self) -> impl Iterator<Item = &'static Rule> {
        self.0.iter().copied().flatten().copied()
    }

    /// The rule of an id.
    pub fn find(self, id: &str) -> Option<&'static Rule> {
        self.iter().find(|rule| rule.id == id)
    }

    /// The number of rules.
    pub(crate) fn len(self) -> usize {
        self.0.iter().map(|rules| rules.len()).sum()
    }
}

/// Puts together what the files say. The faults are those that show only now, with the level of the file they are in.
pub(crate) fn merge(said: &[Said], catalogue: Catalogue) -> (Policy, Vec<(Level, Fault)>) {
    let mut merging = Merging { policy: Policy::builtin(), faults: Vec::new(), catalogue };
    // The user's come first: what is in force without a repo decides whether the repo loosens it.
    for level in Level::ALL {
        for said in said.iter().filter(|said| said.level == level) {
            said.entries.iter().for_each(|placed| merging.take(said, placed));
        }
    }
    (merging.policy, merging.faults)
}

struct Merging {
    policy: Policy,
    faults: Vec<(Level, Fault)>,
    catalogue: Catalogue,
}

impl Merging {
    fn take(&mut self, said: &Said, placed: &Placed) {
        let level = said.level;
        let origin = Origin { level, line: u32::try_from(placed.at.line).unwrap_or(u32::MAX) };
        if let Some(kind) = self.objection(level, &placed.entry) {
            return self.fault(level, placed, kind);
        }
        let policy = &mut self.policy;
        match &placed.entry {
            Entry::Branch(name) => add(&mut policy.branches, name.clone(), origin),
            Entry::Rule { id, to } => {
                add(
                    &mut policy.adjustments,
                    Adjustment { is_pack: false, name: id.clone(), to: *to },
                    origin,
                );
            }
            Entry::Pack { name, to } => {
                add(
                    &mut policy.adjustments,
                    Adjustment { is_pack: true, name: name.clone(), to: *to },
                    origin,
                );
            }
            Entry::Flag { flag, value } => add(&mut policy.flags, (*flag, *value), origin),
            Entry::Command { list, pattern, id, reason } => {
                let pattern = CommandPattern::checked(pattern.clone());
                let Some(hold) = list.hold() else {
                    return add(&mut policy.allowed_commands, pattern, origin);
                };
                if !policy.commands.iter().any(|rule| rule.pattern == pattern && rule.hold == hold) {
                    let id = self.id(said, placed, id.as_deref(), pattern.text());
                    let reason = reason.clone().unwrap_or_default();
                    self.policy.commands.push(CommandRule { id, hold, pattern, reason, origin });
                }
            }
            Entry::Path { list, pattern, ops, id, reason } => {
                let pattern = PathPattern::checked(pattern.clone(), said.root.clone());
                let ops = *ops;
                let Some(hold) = list.hold() else {
                    return add(&mut policy.allowed_paths, (pattern, ops), origin);
                };
                let same = |rule: &PathRule| rule.pattern == pattern && rule.hold == hold && rule.ops == ops;
                if !policy.paths.iter().any(same) {
                    let id = self.id(said, placed, id.as_deref(), pattern.text());
                    let reason = reason.clone().unwrap_or_default();
                    self.policy.paths.push(PathRule { id, hold, pattern, ops, reason, origin });
                }
            }
        }
    }

    fn fault(&mut self, level: Level, placed: &Placed, kind: ProblemKind) {
        self.faults.push((level, Fault { at: placed.at, kind }));
    }

    /// Says why an entry does not count.
    fn objection(&self, level: Level, entry: &Entry) -> Option<ProblemKind> {
        let of_clone = level.comes_with_a_clone();
        match entry {
            Entry::Command { list: List::Allow, .. } | Entry::Path { list: List::Allow, .. } => {
                of_clone.then_some(ProblemKind::AllowFromClone)
            }
            Entry::Branch(_) | Entry::Command { .. } | Entry::Path { .. } => None,
            Entry::Rule { id, to } => {
                let Some(rule) = self.catalogue.find(id) else {
                    let nearest = (self.faults.len() < MOST_FAULTS)
                        .then(|| nearest(id, self.catalogue.iter().map(|rule| rule.id)))
                        .flatten();
                    return Some(ProblemKind::Unknown { what: "built-in rule", name: id.clone(), nearest });
                };
                let now = Setting::from(self.policy.hold_for_user(rule));
                (of_clone && *to < now).then(|| ProblemKind::Loosens { name: id.clone(), to: *to, now })
            }
            Entry::Pack { name, to } => {
                let now = self.user_pack(name);
                (of_clone && *to < now).then(|| ProblemKind::Loosens { name: name.clone(), to: *to, now })
            }
            Entry::Flag { flag, value } => {
                let allows_more = *value == flag.is_allowance() && self.user_flag(*flag) != *value;
                (of_clone && allows_more).then_some(ProblemKind::LoosensFlag { flag: *flag })
            }
        }
    }

    fn user_pack(&self, name: &str) -> Setting {
        let of_user =
            self.policy.adjustments.iter().find(|said| {
                said.origin.level == Level::User && said.value.is_pack && said.value.name == name
            });
        of_user.map_or(Setting::Ask, |said| said.value.to)
    }

    fn user_flag(&self, flag: Flag) -> bool {
        let of_user =
            self.policy.flags.iter().find(|said| said.origin.level == Level::User && said.value.0 == flag);
        of_user.map_or(flag.default_value(), |said| said.value.1)
    }

    /// Gives a rule its id: the one that the person chose, or one made from its level and pattern.
    fn id(&mut self, said: &Said, placed: &Placed, chosen: Option<&str>, pattern: &str) -> String {
        let chosen = match chosen {
            Some(id) if is_id(id) && self.catalogue.find(id).is_none() && !is_pack(id) => Some(id),
            Some(id) => {
                self.fault(said.level, placed, ProblemKind::Id { id: id.to_owned() });
                None
            }
            None => None,
        };
        let base = chosen.map_or_else(|| Cow::Owned(made_id(said.level, pattern)), Cow::Borrowed);
        let policy = &self.policy;
        let is_free = |id: &str| {
            !policy.commands.iter().any(|rule| rule.id == id)
                && !policy.paths.iter().any(|rule| rule.id == id)
        };
        // The number of rules is a number that is free at once, however many have the same words.
        let numbered =
            (policy.commands.len() + policy.paths.len() + 1..).map(|number| format!("{base}-{number}"));
        std::iter::once(base.to_string()).chain(numbered).find(|id| is_free(id)).unwrap_or_default()
    }
}

fn is_pack(id: &str) -> bool {
    PACKS.contains(&id.split('.').next().unwrap_or_default())
}

fn add<T: PartialEq>(list: &mut Vec<Stated<T>>, value: T, origin: Origin) {
    if !list.iter().any(|said| said.value == value && said.origin.level == origin.level) {
        list.push(Stated { value, origin });
    }
}

/// Says whether a text can be the id of a rule.
pub(crate) fn is_id(text: &str) -> bool {
    const LONGEST: usize = 60;
    text.len() <= LONGEST
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.')
}

/// Makes an id from the words of a pattern: `user.terraform-apply`.
fn made_id(level: Level, pattern: &str) -> String {
    const LONGEST: usize = 40;
    let mut id = format!("{level}.");
    let start = id.len();
    for c in pattern.chars() {
        if c.is_ascii_alphanumeric() {
            id.push(c.to_ascii_lowercase());
        } else if id.len() > start && !id.ends_with('-') {
            id.push('-');
        }
        if id.len() >= start + LONGEST {
            break;
        }
    }
    id.truncate(id.trim_end_matches('-').len());
    if id.len() == start {
        id.push_str("rule");
    }
    id
}
