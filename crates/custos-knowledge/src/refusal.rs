//! Why something was not done, and what to do instead.

use std::fmt;

/// A refusal, in words for whoever asked: a person or an agent that will act on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong.
    pub problem: String,
    /// What to do next.
    pub next: String,
}

impl Refusal {
    /// Says what is wrong and what to do next.
    pub fn new(problem: impl Into<String>, next: impl Into<String>) -> Self {
        Self { problem: problem.into(), next: next.into() }
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
