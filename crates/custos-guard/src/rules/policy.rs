//! The rules in force, as judges ask for them.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use super::entry::{Flag, Ops, Setting};
use super::glob::{PathPattern, Place, Target};
use super::pattern::CommandPattern;
use crate::invocation::Invocation;
use crate::path::Access;
use crate::verdict::{Finding, Hold, Rule};

/// Whose rules they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The person's own.
    User,
    /// Those of the workspace that the session is in.
    Workspace,
    /// Those of the repo that is worked on.
    Repo,
}

impl Level {
    /// Every level.
    pub const ALL: [Self; 3] = [Self::User, Self::Workspace, Self::Repo];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Workspace => "workspace",
            Self::Repo => "repo",
        }
    }

    /// Says whether the level's file came from elsewhere and may therefore only tighten.
    pub fn comes_with_a_clone(self) -> bool {
        self != Self::User
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Where an entry stands: the level's file and the line in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Whose file.
    pub level: Level,
    /// The line, counted from 1; 0 for what stands in no rules file.
    pub line: u32,
}

/// A rule of the person's own about commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRule {
    /// Its id.
    pub id: String,
    /// What it does.
    pub hold: Hold,
    /// What it is about.
    pub pattern: CommandPattern,
    /// Why, in the person's words; may be empty.
    pub reason: String,
    /// Where it stands.
    pub origin: Origin,
}

/// A rule of the person's own about paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathRule {
    /// Its id.
    pub id: String,
    /// What it does.
    pub hold: Hold,
    /// What it is about.
    pub pattern: PathPattern,
    /// What may not be done.
    pub ops: Ops,
    /// Why, in the person's words; may be empty.
    pub reason: String,
    /// Where it stands.
    pub origin: Origin,
}

/// Something that a file says, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stated<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// What `rules` and `packs` adjust: one rule, or all of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Adjustment {
    pub(crate) is_pack: bool,
    pub(crate) name: String,
    pub(crate) to: Setting,
}

/// The rules in force. Without any file they are the built-in ones, and this is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    pub(crate) branches: Vec<Stated<String>>,
    pub(crate) commands: Vec<CommandRule>,
    pub(crate) paths: Vec<PathRule>,
    pub(crate) allowed_commands: Vec<Stated<CommandPattern>>,
    pub(crate) allowed_paths: Vec<Stated<(PathPattern, Ops)>>,
    pub(crate) adjustments: Vec<Stated<Adjustment>>,
    pub(crate) flags: Vec<Stated<(Flag, bool)>>,
    /// What is wrong with the files, to be said loudly.
    pub problems: Vec<String>,
    /// The directory whose rules they are, if only what is done there is judged by them.
    pub(crate) only_in: Option<String>,
}

/// The branches that are protected whatever the files say.
pub const PROTECTED: [&str; 2] = ["main", "master"];

impl Policy {
    /// The built-in rules.
    pub const fn builtin() -> Self {
        Self {
            branches: Vec::new(),
            commands: Vec::new(),
            paths: Vec::new(),
            allowed_commands: Vec::new(),
            allowed_paths: Vec::new(),
            adjustments: Vec::new(),
            flags: Vec::new(),
            problems: Vec::new(),
            only_in: None,
        }
    }

    /// The same rules for what is done in a directory and nowhere else: what a command does beside it is not its business.
    #[must_use]
    pub fn only_in(self, directory: &str) -> Self {
        Self { only_in: Some(directory.to_owned()), ..self }
    }

    /// Adds a rule about commands that stands in no rules file: a decision.
    pub(crate) fn add_command(&mut self, rule: CommandRule) {
        self.commands.push(rule);
    }

    /// Adds a rule about paths that stands in no rules file.
    pub(crate) fn add_path(&mut self, rule: PathRule) {
        self.paths.push(rule);
    }

    /// The same rules with one more entry in the person's list of commands; none if it is no pattern.
    pub fn allowing(&self, pattern: &str) -> Option<Self> {
        let value = CommandPattern::new(pattern).ok()?;
        let mut policy = self.clone();
        policy.allowed_commands.push(Stated { value, origin: Origin { level: Level::User, line: 0 } });
        Some(policy)
    }

    /// The same rules with one more entry in the person's list of paths; none if it is no pattern.
    pub fn allowing_path(&self, pattern: &str) -> Option<Self> {
        let value = (PathPattern::new(pattern, None).ok()?, Ops::ANY);
        let mut policy = self.clone();
        policy.allowed_paths.push(Stated { value, origin: Origin { level: Level::User, line: 0 } });
        Some(policy)
    }

    /// Says whether there is a rule of that name beside the built-in ones.
    pub(crate) fn has_own_rule(&self, id: &str) -> bool {
        self.commands.iter().any(|rule| rule.id == id) || self.paths.iter().any(|rule| rule.id == id)
    }

    /// The branches that only people push to; patterns with `*`.
    pub fn protected(&self) -> impl Iterator<Item = &str> {
        PROTECTED.into_iter().chain(self.branches.iter().map(|branch| branch.value.as_str()))
    }

    /// Says whether only people push to a branch, given without `refs/heads/`.
    pub fn protects(&self, branch: &str) -> bool {
        self.protected().any(|pattern| is_branch_like(pattern, branch))
    }

    /// What a built-in rule does under these rules; `None` if it is off.
    pub fn hold_of(&self, rule: &Rule) -> Option<Hold> {
        self.hold_with(rule, |_| true)
    }

    /// What a built-in rule would do if only the user's file counted.
    pub(crate) fn hold_for_user(&self, rule: &Rule) -> Option<Hold> {
        self.hold_with(rule, |level| level == Level::User)
    }

    fn hold_with(&self, rule: &Rule, counts: impl Fn(Level) -> bool) -> Option<Hold> {
        let pack = rule.id.split('.').next().unwrap_or_default();
        // A pack's `ask` is its being on: what its rule does by itself.
        let of_pack = |to: Setting| to.hold().map(|hold| hold.max(rule.hold));
        let (mut by_id, mut by_pack, mut tightened) = (None, None, None);
        for Stated { value: Adjustment { is_pack, name, to }, origin } in &self.adjustments {
            if *name != if *is_pack { pack } else { rule.id } || !counts(origin.level) {
                continue;
            }
            let hold = if *is_pack { of_pack(*to) } else { to.hold() };
            match (origin.level, is_pack) {
                (Level::User, true) => by_pack = Some(hold),
                (Level::User, false) => by_id = Some(hold),
                _ => tightened = tightened.max(hold),
            }
        }
        by_id.or(by_pack).unwrap_or(Some(rule.hold)).max(tightened)
    }

    /// The value of a flag: an allowance that every level grants, or a requirement that any level makes.
    pub fn flag(&self, flag: Flag) -> bool {
        let (mut own, mut tightened) = (flag.default_value(), false);
        for Stated { value: (name, value), origin } in self.flags.iter().filter(|said| said.value.0 == flag) {
            match origin.level {
                Level::User => own = *value,
                _ => tightened |= *value != name.is_allowance(),
            }
        }
        if tightened { !flag.is_allowance() } else { own }
    }

    /// The person's own rules that hold a call.
    pub fn against<'a>(&'a self, call: &'a Invocation) -> impl Iterator<Item = &'a CommandRule> {
        self.commands.iter().filter(|rule| rule.pattern.holds(call))
    }

    /// The person's own rules that hold something done to a path. Deleting a directory deletes what is below it.
    pub fn against_path<'a>(
        &'a self,
        target: Target<'a>,
        op: Access,
        place: Place<'a>,
    ) -> impl Iterator<Item = &'a PathRule> {
        self.paths.iter().filter(move |rule| {
            rule.ops.has(op)
                && (rule.pattern.matches(target, place)
                    || op == Access::Delete && rule.pattern.is_below(target, place))
        })
    }

    /// Says whether the person wants not to be asked about a call. It has no bearing on what is denied.
    pub fn allows(&self, call: &Invocation) -> bool {
        self.allowed_commands.iter().any(|allowed| allowed.value.allows(call))
    }

    /// Says whether the person wants not to be asked about something done to a path. A path that is a pattern is not allowed: what it will
    /// stand for is not known.
    pub fn allows_path(&self, target: Target<'_>, op: Access, place: Place<'_>) -> bool {
        !target.is_glob
            && self.allowed_paths.iter().any(|Stated { value: (pattern, ops), .. }| {
                ops.has(op) && pattern.matches(Target { folds_case: false, ..target }, place)
            })
    }
}

/// Says whether a branch is like a pattern, in which `*` stands for anything.
pub fn is_branch_like(pattern: &str, branch: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == branch };
    let Some(mut left) = branch.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    true
}

impl CommandRule {
    /// The finding against a call.
    pub fn finding(&self, call: &Invocation) -> Finding {
        finding(&self.id, self.hold, &self.reason, self.pattern.text(), self.origin.level, call.shown())
    }
}

impl PathRule {
    /// The finding against a part of a call.
    pub fn finding(&self, part: impl Into<String>) -> Finding {
        finding(&self.id, self.hold, &self.reason, self.pattern.text(), self.origin.level, part.into())
    }
}

fn finding(id: &str, hold: Hold, reason: &str, pattern: &str, level: Level, part: String) -> Finding {
    let reason = if reason.is_empty() {
        let what = if hold == Hold::Deny { "deny" } else { "ask about" };
        format!("does what the rules of the {level} {what}: {pattern}")
    } else {
        reason.to_owned()
    };
    Finding {
        rule: Cow::Owned(id.to_owned()),
        hold,
        reason: Cow::Owned(reason),
        part,
        safer: Cow::Borrowed(""),
    }
}
