//! How far a task is, and how urgent.

use std::str::FromStr;

use custos_config::shown::shown;
use serde::Serialize;

use crate::refusal::Refusal;

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Nobody has begun.
    #[default]
    Open,
    /// Somebody is at it.
    InProgress,
    /// It is finished.
    Done,
    /// It has to wait for something else.
    Blocked,
}

/// How urgent a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// Before all others.
    High,
    /// In its turn.
    #[default]
    Medium,
    /// When there is nothing better to do.
    Low,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Open, Self::InProgress, Self::Done, Self::Blocked];

    /// The word in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::InProgress => "in-progress",
            Self::Done => "done",
            Self::Blocked => "blocked",
        }
    }
}

impl Priority {
    /// All of them, the most urgent first.
    pub const ALL: [Self; 3] = [Self::High, Self::Medium, Self::Low];

    /// The word in a file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
        }
    }
}

impl FromStr for Status {
    type Err = Refusal;

    fn from_str(word: &str) -> Result<Self, Refusal> {
        let wanted = word.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let found = Self::ALL.into_iter().find(|status| status.word() == wanted);
        found.ok_or_else(|| not_one_of("status", word, &Self::ALL.map(Self::word)))
    }
}

impl FromStr for Priority {
    type Err = Refusal;

    fn from_str(word: &str) -> Result<Self, Refusal> {
        let wanted = word.trim().to_ascii_lowercase();
        let found = Self::ALL.into_iter().find(|priority| priority.word() == wanted);
        found.ok_or_else(|| not_one_of("priority", word, &Self::ALL.map(Self::word)))
    }
}

fn not_one_of(what: &str, word: &str, known: &[&str]) -> Refusal {
    Refusal::new(
        format!("{what} {:?} is not known", shown(word)),
        format!("Send {what} as one of {}", known.join(", ")),
    )
}
