//! What was learnt from a piece of work, and what it came to.
//!
//! An [`Observation`] is one thing that the next session should know; a [`Summary`] is what a turn or a session came to. Whoever makes
//! them, rules or a model, makes the same two types, and the log holds them in the same words.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What kind of thing was learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// Something was broken and works now.
    Bugfix,
    /// Something can be done that could not.
    Feature,
    /// The same, built otherwise.
    Refactor,
    /// Anything else that was changed: settings, dependencies, data.
    Change,
    /// Something was found out.
    Discovery,
    /// Something was settled.
    Decision,
    /// Something that concerns who may do or see what.
    Security,
}

impl Sort {
    /// Lists every sort.
    pub const ALL: [Self; 7] = [
        Self::Bugfix,
        Self::Feature,
        Self::Refactor,
        Self::Change,
        Self::Discovery,
        Self::Decision,
        Self::Security,
    ];

    /// Gives the name under which the log stores the sort.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bugfix => "bugfix",
            Self::Feature => "feature",
            Self::Refactor => "refactor",
            Self::Change => "change",
            Self::Discovery => "discovery",
            Self::Decision => "decision",
            Self::Security => "security",
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Sort {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|sort| sort.name() == name).ok_or(())
    }
}

/// One thing that the next session should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// What kind of thing it is.
    #[serde(rename = "type")]
    pub sort: Sort,
    /// What it is, in one line.
    pub title: String,
    /// What else it is about, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subtitle: String,
    /// What happened and why, in a few sentences.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub narrative: String,
    /// What can be looked up: names, values, commands, causes. Each stands for itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// Words under which somebody would look for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concepts: Vec<String>,
    /// Files that were read for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_read: Vec<String>,
    /// Files that were changed for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_modified: Vec<String>,
}

/// What a turn or a session came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// What the person wanted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub request: String,
    /// What was looked at.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub investigated: String,
    /// What came to light.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub learned: String,
    /// What was done.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub completed: String,
    /// What is left.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub next_steps: String,
    /// Files that were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_read: Vec<String>,
    /// Files that were edited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_edited: Vec<String>,
    /// What else should be known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub notes: String,
}
