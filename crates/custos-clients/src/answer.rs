//! What we say to a client.
//!
//! One [`Answer`] for all; each client's file writes it in the client's own dialect. Nothing to say is said by printing nothing: every
//! client was seen to take that as "go on".

use serde_json::Value;

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// May the tool run? Silence leaves it to the client.
    pub verdict: Option<Verdict>,
    /// What the model should know.
    pub context: Option<String>,
}

/// Whether a tool may run. Every reason is for the person and the model to read, and never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may, without asking.
    Allow,
    /// The person should decide.
    Ask(String),
    /// It must not.
    Deny(String),
}

impl Answer {
    /// Says nothing.
    pub fn silence() -> Self {
        Self::default()
    }

    /// Denies.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { verdict: Some(Verdict::Deny(reason.into())), context: None }
    }

    /// Tells the model something.
    pub fn tell(context: impl Into<String>) -> Self {
        Self { verdict: None, context: Some(context.into()) }
    }
}

/// What the hook's process does: what it prints, and the code it ends with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// One JSON object, or nothing at all.
    pub stdout: Vec<u8>,
    /// The exit code.
    pub exit: u8,
}

impl Reply {
    /// Prints nothing.
    pub fn silence() -> Self {
        Self::default()
    }

    /// Prints one object.
    pub fn json(value: &Value) -> Self {
        let mut stdout = value.to_string().into_bytes();
        stdout.push(b'\n');
        Self { stdout, exit: 0 }
    }
}

/// Shortens a text to what a client takes, at a line's end where there is one near.
///
/// A client that gets one character more than it takes shows the model a file's name instead of the text. Characters are counted as
/// clients written in JavaScript do: most emoji are two.
pub fn within(text: &str, limit: usize) -> &str {
    let mut units = 0;
    let over = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > limit
    });
    let Some((end, _)) = over else { return text };
    let cut = &text[..end];
    match cut.rfind('\n') {
        Some(line) if line > end / 2 => &cut[..line],
        _ => cut,
    }
}

/// Stands where a reason is missing: clients take an empty one for no answer at all.
const NO_REASON: &str = "Custos denied this call and gave no reason; `custos doctor` may know more.";

impl Verdict {
    /// Makes sure that there is a reason.
    #[must_use]
    pub(crate) fn with_reason(self) -> Self {
        let given = |reason: String| if reason.trim().is_empty() { NO_REASON.to_owned() } else { reason };
        match self {
            Self::Allow => Self::Allow,
            Self::Ask(reason) => Self::Ask(given(reason)),
            Self::Deny(reason) => Self::Deny(given(reason)),
        }
    }
}

/// Turns a question into a denial, for clients that cannot ask: silence would let the tool run.
pub(crate) fn instead_of_asking(reason: &str) -> String {
    format!("{reason} (This client cannot ask the person from a hook. Ask them, and let them run it.)")
}
