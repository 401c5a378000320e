//! Why something was not done, and what to do instead.

use std::fmt;

/// A refusal, in words for whoever asked: a person or an agent that will act on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub problem: String,
    /// What to do next.
    pub next: String,
    /// Where it lies, for a script that reads no words.
    pub cause: Cause,
}

/// Where it lies that something was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cause {
    /// In what was asked for.
    #[default]
    Asked,
    /// In a file that it is about, which cannot be read as it is.
    Broken,
    /// What was asked for is not there.
    Missing,
    /// Another process is at it.
    Busy,
    /// The system refused to read or write.
    System,
}

impl Refusal {
    /// Says what is wrong with what was asked for, and what to do next.
    pub fn new(problem: impl Into<String>, next: impl Into<String>) -> Self {
        Self { problem: problem.into(), next: next.into(), cause: Cause::default() }
    }

    /// Says what is not there, and what to do next.
    pub fn missing(problem: impl Into<String>, next: impl Into<String>) -> Self {
        Self::new(problem, next).because(Cause::Missing)
    }

    /// Says where it lies.
    #[must_use]
    pub fn because(self, cause: Cause) -> Self {
        Self { cause, ..self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)?;
        if !self.next.is_empty() {
            write!(f, ". {}", self.next)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}
