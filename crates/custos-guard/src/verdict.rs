//! What is held, and why.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What happens to a call that a rule holds; the stronger is the greater. Silence is the absence of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hold {
    /// The person decides.
    Ask,
    /// It does not run.
    Deny,
}

/// A rule that comes with the program. Each lives beside the code that applies it.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name, `area.deed`; the area of a pack's rule is the pack.
    pub id: &'static str,
    /// What it does unless the person says otherwise.
    pub hold: Hold,
    /// What the held call would do, as a sentence without its full stop.
    pub reason: &'static str,
    /// What to do instead, as a sentence without its full stop; empty if there is nothing.
    pub safer: &'static str,
}

/// One reason to hold a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's id.
    pub rule: Cow<'static, str>,
    /// What it does.
    pub hold: Hold,
    /// What the call would do, for the person and the model to read.
    pub reason: Cow<'static, str>,
    /// The part of the call that offends.
    pub part: String,
    /// A safer way, or empty.
    pub safer: Cow<'static, str>,
}
