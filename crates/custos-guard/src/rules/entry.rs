//! The things that a rules file can say, one by one.

use std::fmt;

use serde::Serialize;

use super::policy::Level;
use crate::path::Access;
use crate::verdict::Hold;

/// One entry of a rules file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// `protected_branches`: a branch that only people push to.
    Branch(String),
    /// `commands` below `deny`, `ask` or `allow`.
    Command {
        /// Which of the three.
        list: List,
        /// The argv pattern.
        pattern: String,
        /// The name that the person gave it.
        id: Option<String>,
        /// Why, in the person's words.
        reason: Option<String>,
    },
    /// `paths` below `deny`, `ask` or `allow`, or `read_only`.
    Path {
        /// Which of them.
        list: List,
        /// The path pattern.
        pattern: String,
        /// What it is about.
        ops: Ops,
        /// The name that the person gave it.
        id: Option<String>,
        /// Why, in the person's words.
        reason: Option<String>,
    },
    /// `rules`: what a built-in rule does.
    Rule {
        /// The rule.
        id: String,
        /// What it shall do.
        to: Setting,
    },
    /// `packs`: what a pack does.
    Pack {
        /// The pack.
        name: String,
        /// What it shall do.
        to: Setting,
    },
    /// `git` and `commit_gate`.
    Flag {
        /// Which one.
        flag: Flag,
        /// Its value.
        value: bool,
    },
}

impl Entry {
    /// A protected branch, called as a push names it.
    pub fn branch(name: &str) -> Self {
        Self::Branch(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
    }

    /// Says whether the entry can only make the guard stricter, whatever else is in force. Such an entry may come from a clone or an agent.
    pub fn only_tightens(&self) -> bool {
        match self {
            Self::Branch(_) => true,
            Self::Command { list, .. } | Self::Path { list, .. } => *list != List::Allow,
            // `ask` may be less than what is in force, and at user level it then replaces it.
            Self::Rule { to, .. } | Self::Pack { to, .. } => *to == Setting::Deny,
            Self::Flag { flag, value } => *value != flag.is_allowance(),
        }
    }

    /// Says whether both stand in the same list of a file.
    pub fn stands_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Command { list, .. }, Self::Command { list: other, .. })
            | (Self::Path { list, .. }, Self::Path { list: other, .. }) => list == other,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// A list that entries stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// It does not run.
    Deny,
    /// The person decides.
    Ask,
    /// The person is not asked.
    Allow,
    /// It may be read, not changed; for paths only.
    ReadOnly,
}

impl List {
    /// The key that the list stands below.
    pub fn key(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
            Self::ReadOnly => "read_only",
        }
    }

    /// What being in the list does to a call; nothing, if it allows it.
    pub(crate) fn hold(self) -> Option<Hold> {
        match self {
            Self::Deny | Self::ReadOnly => Some(Hold::Deny),
            Self::Ask => Some(Hold::Ask),
            Self::Allow => None,
        }
    }
}

/// What a built-in rule or a pack is told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Setting {
    /// Nothing.
    Off,
    /// Ask the person.
    Ask,
    /// Refuse.
    Deny,
}

impl Setting {
    /// Every setting, the weakest first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Ask, Self::Deny];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Reads the word for it.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|setting| setting.word() == word)
    }

    /// The hold that it stands for.
    pub fn hold(self) -> Option<Hold> {
        match self {
            Self::Off => None,
            Self::Ask => Some(Hold::Ask),
            Self::Deny => Some(Hold::Deny),
        }
    }
}

impl From<Option<Hold>> for Setting {
    fn from(hold: Option<Hold>) -> Self {
        match hold {
            None => Self::Off,
            Some(Hold::Ask) => Self::Ask,
            Some(Hold::Deny) => Self::Deny,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A set of ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ops(u8);

impl Ops {
    /// Every op.
    pub const ANY: Self = Self(0b111);
    /// Whatever changes a file.
    pub const CHANGE: Self = Self(0b110);

    /// A set of one.
    pub const fn only(op: Access) -> Self {
        Self(1 << op as u8)
    }

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Says whether an op is in the set.
    pub const fn has(self, op: Access) -> bool {
        self.0 & Self::only(op).0 != 0
    }

    /// Reads `read`, `write`, `delete` or `any`.
    pub fn of(word: &str) -> Option<Self> {
        if word == "any" {
            return Some(Self::ANY);
        }
        Access::ALL.into_iter().find(|(_, name)| *name == word).map(|(op, _)| Self::only(op))
    }

    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    pub(crate) fn from_bits(bits: u8) -> Option<Self> {
        (bits != 0 && bits & !Self::ANY.0 == 0).then_some(Self(bits))
    }
}

impl fmt::Display for Ops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ANY {
            return f.write_str("any");
        }
        let words: Vec<_> =
            Access::ALL.into_iter().filter(|(op, _)| self.has(*op)).map(|(_, word)| word).collect();
        f.write_str(&words.join(", "))
    }
}

/// A switch. An allowance holds if every level grants it, a requirement if any level makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flag {
    /// `git push --force-with-lease` to a branch that is not protected.
    AllowForceWithLease,
    /// Pushing at all.
    AllowPush,
    /// Deleting branches that are not protected, here or on a remote, merged or not.
    AllowBranchDelete,
    /// Leaving out hooks with `--no-verify`.
    AllowNoVerify,
    /// Commits go to a branch that is not protected.
    RequireFeatureBranch,
    /// Commits and pushes name their pull request.
    CommitGate,
}

impl Flag {
    /// Every flag.
    pub const ALL: [Self; 6] = [
        Self::AllowForceWithLease,
        Self::AllowPush,
        Self::AllowBranchDelete,
        Self::AllowNoVerify,
        Self::RequireFeatureBranch,
        Self::CommitGate,
    ];

    /// The section and the key that it is set with.
    pub const fn key(self) -> (&'static str, &'static str) {
        match self {
            Self::AllowForceWithLease => ("git", "allow_force_with_lease"),
            Self::AllowPush => ("git", "allow_push"),
            Self::AllowBranchDelete => ("git", "allow_branch_delete"),
            Self::AllowNoVerify => ("git", "allow_no_verify"),
            Self::RequireFeatureBranch => ("git", "require_feature_branch"),
            Self::CommitGate => ("commit_gate", "enabled"),
        }
    }

    /// Its value unless somebody says otherwise.
    pub const fn default_value(self) -> bool {
        matches!(self, Self::AllowForceWithLease | Self::AllowPush)
    }

    /// Says whether it allows something, rather than requiring it.
    pub const fn is_allowance(self) -> bool {
        !matches!(self, Self::RequireFeatureBranch | Self::CommitGate)
    }

    /// Finds the flag of a section and key.
    pub fn of(section: &str, key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.key() == (section, key))
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (section, key) = self.key();
        write!(f, "{section}.{key}")
    }
}

/// The packs: rules about one kind of service, which are switched together. The area of a rule's id is its pack.
pub const PACKS: [&str; 6] = ["cloud", "databases", "docker", "kubernetes", "publishing", "terraform"];

/// An entry and where it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) entry: Entry,
    pub(crate) at: custos_config::yaml::Position,
}

/// What one file says, and whose it is.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) level: Level,
    /// The directory that the level's relative paths begin at; the user has none.
    pub(crate) root: Option<String>,
    pub(crate) entries: Vec<Placed>,
}
