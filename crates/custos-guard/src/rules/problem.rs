//! What is wrong in the rules files.
//!
//! Nothing here stops a hook. What cannot be taken is left out, the rest applies, and the message says what happened, where, why, and what
//! to do. Names and values come from files that may be hostile, so they are escaped and cut before they reach a terminal or a model.

use std::path::PathBuf;

use custos_config::ReadError;
use custos_config::shown::{shown, shown_path};
use custos_config::yaml::Position;
use thiserror::Error;

use super::entry::{Flag, Setting};
use super::glob::PathPatternError;
use super::pattern::PatternError;

/// Something in a rules file that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{}: {kind}", shown_path(path), at.map(|at| format!(":{}:{}", at.line, at.column)).unwrap_or_default())]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// Where in it; nowhere if it is about the whole file.
    pub at: Option<Position>,
    /// What it is.
    pub kind: ProblemKind,
}

/// The rules that apply in place of a file that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Instead {
    /// What the file held when it last could be read.
    #[error("the last good version of this file stays in force, without what it allowed")]
    LastGood,
    /// Nothing from this file.
    #[error("none of its rules apply, only the built-in ones and those of other files")]
    Nothing,
}

/// The ways in which a rules file can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProblemKind {
    /// The file is there but was not read.
    #[error("{why}. Until then, {instead}")]
    Unreadable {
        /// Why not.
        why: ReadError,
        /// What applies.
        instead: Instead,
    },
    /// The file came with a clone and leads out of it.
    #[error(
        "this is reached through a link, and files that come with a clone are not followed elsewhere: replace the link by what it leads to. Until then, {instead}"
    )]
    Linked {
        /// What applies.
        instead: Instead,
    },
    /// The text is not YAML, or is something else than rules.
    #[error("this is not usable as rules: {why}. Until that is corrected, {instead}")]
    Broken {
        /// The parser's reason.
        why: String,
        /// What applies.
        instead: Instead,
    },
    /// Nothing has this name.
    #[error("there is no {what} `{}`{}. It is ignored: correct the name or remove it", shown(name), hint(*nearest))]
    Unknown {
        /// What it would be.
        what: &'static str,
        /// The name.
        name: String,
        /// The name that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A value has the wrong form.
    #[error("`{key}` takes {takes}, but this is {found}. It is ignored: correct it or remove it")]
    Wrong {
        /// The key, with those above it.
        key: String,
        /// What it takes.
        takes: &'static str,
        /// What is there.
        found: String,
    },
    /// A key is there twice.
    #[error(
        "`{}` is already there on line {first}. This second one is ignored: put both in one place",
        shown(key)
    )]
    Duplicate {
        /// The key.
        key: String,
        /// The line of the one that counts.
        first: usize,
    },
    /// A pattern for commands is none.
    #[error("`{}`: {why}. The entry is ignored", shown(pattern))]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Why not.
        why: PatternError,
    },
    /// A pattern for paths is none.
    #[error("`{}`: {why}. The entry is ignored", shown(pattern))]
    PathPattern {
        /// The pattern.
        pattern: String,
        /// Why not.
        why: PathPatternError,
    },
    /// A name for a rule that it cannot have.
    #[error(
        "`{}` cannot be the id of a rule: take small letters, digits, `-` and `.`, and no id of a built-in rule. The entry applies under another id",
        shown(id)
    )]
    Id {
        /// The id.
        id: String,
    },
    /// A repo or workspace would allow something.
    #[error(
        "`allow` is not for a repo or workspace, because such a file comes with a clone. The entry is ignored: allow it in your own safety.yaml if you want it"
    )]
    AllowFromClone,
    /// A repo or workspace would loosen a rule or pack.
    #[error(
        "a repo or workspace may only tighten, and `{name}: {to}` is less than `{now}`, which is in force. It is ignored: set it in your own safety.yaml if you want it"
    )]
    Loosens {
        /// The rule or pack.
        name: String,
        /// What the file asks for.
        to: Setting,
        /// What is in force without it.
        now: Setting,
    },
    /// A repo or workspace would loosen a flag.
    #[error(
        "a repo or workspace may only tighten, and `{flag}: {}` allows more than what is in force. It is ignored: set it in your own safety.yaml if you want it",
        flag.is_allowance()
    )]
    LoosensFlag {
        /// The flag.
        flag: Flag,
    },
    /// There are more entries than any hook should go through.
    #[error(
        "there are more than {limit} entries. The rest of the file is ignored: remove what is not needed"
    )]
    TooManyEntries {
        /// How many are taken.
        limit: usize,
    },
    /// More is wrong than anyone wants to read.
    #[error("there are more than {limit} problems. The others are not shown: correct these first")]
    TooManyProblems {
        /// How many are shown.
        limit: usize,
    },
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|nearest| format!("; the nearest name is `{nearest}`")).unwrap_or_default()
}
