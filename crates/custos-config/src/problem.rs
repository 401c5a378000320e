//! What is wrong with a settings file, said so that a person can put it right.
//!
//! A problem never stops the program: a hook that refused to work because of a typing error would cost more
//! than the setting is worth. The offending value is left out, the layers below stay in force, and the
//! message says what happened, where, why, and what to do. Names and values in a message come from files
//! that may be hostile, so they are escaped and cut before they reach a terminal.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::nearest::UnknownKey;
use crate::shown::{shown, shown_path};
use crate::source::ReadError;
use crate::value::Wrong;

/// A place in the sources of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot {
    /// A whole file.
    File(PathBuf),
    /// A line and column of a file, both counted from 1.
    Line {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The column, in characters.
        column: usize,
    },
    /// An environment variable.
    Variable(String),
    /// A command-line flag, by the key it sets.
    Flag(String),
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.write_str(&shown_path(path)),
            Self::Line { path, line, column } => write!(f, "{}:{line}:{column}", shown_path(path)),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::Flag(key) => write!(f, "flag for {}", shown(key)),
        }
    }
}

/// Something in the settings that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{spot}: {kind}")]
pub struct Problem {
    /// Where it is.
    pub spot: Spot,
    /// What it is.
    pub kind: ProblemKind,
}

/// The ways in which a source of settings can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProblemKind {
    /// The file is there but was not read.
    #[error("{0}. The whole file is ignored")]
    Unreadable(ReadError),
    /// The text is not YAML, or more YAML than settings can need.
    #[error("this is not usable as YAML: {why}. The whole file is ignored until that is corrected")]
    Broken {
        /// The parser's reason.
        why: String,
    },
    /// The document is something else than sections with keys.
    #[error(
        "settings are sections with keys below them, but this is {found}. It is ignored: begin with a section like `log:`"
    )]
    NotSections {
        /// What it is.
        found: String,
    },
    /// A section holds a value instead of keys.
    #[error(
        "`{section}` is a section with keys below it, but this is {found}. It is ignored: put the keys below it, indented"
    )]
    NotASection {
        /// The section.
        section: &'static str,
        /// What it holds.
        found: String,
    },
    /// No setting has this name.
    #[error("{0}. It is ignored: correct the name or remove it")]
    Unknown(UnknownKey),
    /// The key of a setting is written with its dot at the top of the file.
    #[error(
        "`{key}` is written in one piece. The line is ignored: write `{name}:` below `{section}:`, indented"
    )]
    Dotted {
        /// The whole key.
        key: &'static str,
        /// Its section.
        section: &'static str,
        /// Its name in the section.
        name: &'static str,
    },
    /// A YAML merge key.
    #[error(
        "`<<` would merge another mapping, which settings do not do. The line is ignored: write the keys out"
    )]
    MergeKey,
    /// A key is there twice.
    #[error("`{key}` is already set on line {first}. This second value is ignored: remove one of the two")]
    Duplicate {
        /// The key, or the section.
        key: String,
        /// The line of the value that counts.
        first: usize,
    },
    /// The value does not fit its setting.
    #[error("{0}. The value is ignored: correct it, or remove it to keep what applies without it")]
    Wrong(Wrong),
    /// The environment may not set this at all.
    #[error(
        "`{key}` cannot be set by a variable, because an agent hands its environment on. The value is ignored: set it in your own config.yaml"
    )]
    NotFromEnvironment {
        /// The key.
        key: &'static str,
    },
    /// A repo or workspace may not set this at all.
    #[error(
        "`{key}` cannot be set by a repo or workspace, because such a file comes with a clone. The value is ignored: set it in your own config.yaml if you want it"
    )]
    NotForRepo {
        /// The key.
        key: &'static str,
    },
    /// A repo or workspace would loosen what is in force.
    #[error(
        "a repo or workspace may only tighten `{key}`, and `{proposed}` allows more than `{current}`. The value is ignored: narrow it, or set it in your own config.yaml"
    )]
    Loosens {
        /// The key.
        key: &'static str,
        /// What the file asks for.
        proposed: String,
        /// What the layers below it say.
        current: String,
    },
    /// The value is not text.
    #[error("the value is not valid UTF-8. It is ignored: set it to {expected} or unset it")]
    NotText {
        /// What the setting takes.
        expected: String,
    },
    /// More is wrong than anyone wants to read.
    #[error(
        "more than {limit} problems. The rest of the file is ignored: correct the first ones and look again"
    )]
    TooMany {
        /// How many are shown.
        limit: usize,
    },
}
