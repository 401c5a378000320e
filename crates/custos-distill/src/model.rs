//! A model that can be asked, whoever serves it.
//!
//! The trait knows nothing of prompts and answers beyond their text: what is asked is made in [`crate::prompt`], what comes back is read
//! in [`crate::answer`]. How a provider is reached stands in `custos-providers`.

use std::time::Duration;

/// A model that can be asked.
pub trait Model: Send {
    /// Names the provider, such as `anthropic`.
    fn provider(&self) -> &str;

    /// Names the model, such as `claude-haiku-4-5`.
    fn model(&self) -> &str;

    /// Asks, and waits for the whole answer or the deadline.
    fn ask(&mut self, question: &Question<'_>) -> Result<Reply, Fault>;

    /// Gives what ends everything that the model has started, such as a child process, while another thread may be waiting for an answer.
    fn halt(&self) -> Option<Halt> {
        None
    }
}

/// Ends what a model has started; nothing can be asked of it any more.
pub type Halt = Box<dyn Fn() + Send>;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The coding session that it is about: a provider may keep one conversation for each.
    pub session: &'a str,
    /// What holds for every question: the task, the form of the answer. The same bytes each time, so that a provider can cache it.
    pub system: &'a str,
    /// The evidence.
    pub prompt: &'a str,
    /// The most that the answer may be, in tokens.
    pub most_tokens: u32,
    /// How long to wait for all of it.
    pub within: Duration,
}

/// What came back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The answer.
    pub text: String,
    /// What it took.
    pub spent: Spent,
}

/// What an answer took, as the provider counts it; where it does not, an estimate of four characters a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens sent, those from the provider's cache included.
    pub input: u64,
    /// Tokens of these that came from the provider's cache.
    pub cached: u64,
    /// Tokens received.
    pub output: u64,
    /// Money in millionths of a dollar, where it is known.
    pub microdollars: Option<u64>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It could not be reached.
    #[error("{0}")]
    Unreachable(String),
    /// It was asked, and then there was no whole answer: the time was over, or the connection broke off. What that took nobody knows.
    #[error("{0}")]
    CutOff(String),
    /// It is busy, or we asked too often.
    #[error("{message}")]
    Busy {
        /// What it said.
        message: String,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// It does not know us: a key that is missing, wrong or used up.
    #[error("{0}")]
    Refused(String),
    /// It failed by itself.
    #[error("{0}")]
    Broken(String),
    /// It does not take this question, or has no words for it. Another question it may well answer.
    #[error("{message}")]
    Declined {
        /// What it said.
        message: String,
        /// What that took; none where nobody knows.
        spent: Option<Spent>,
    },
    /// It answered, but in no form that can be read.
    #[error("{0}")]
    Garbled(String),
}
