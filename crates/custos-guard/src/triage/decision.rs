//! What becomes of a permission request.

use serde::Serialize;

use crate::verdict::{Finding, Hold};

use super::advice::Advice;
use super::proof::{Doubt, Proof};

/// What was found out about a request, by those who can. An error anywhere is never a reason to allow.
#[derive(Debug, Clone)]
pub struct Parts {
    /// What the danger pass found, after the person's rules were applied; or why it could not be finished.
    pub danger: Result<Vec<Finding>, String>,
    /// Whether the command was proven to only read.
    pub proof: Result<Proof, Doubt>,
    /// The entry of the person's own list that allows every command in it, if one does; or why the list could not be read.
    pub listed: Result<Option<String>, String>,
    /// What the advisor said, if there is one and it was asked.
    pub advice: Option<Advice>,
}

/// The answer to a permission request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "decision")]
pub enum Decision {
    /// It does not run.
    Deny {
        /// Why: at least one, all of them denials.
        findings: Vec<Finding>,
    },
    /// It runs, and nobody is asked.
    Allow {
        /// Why, as a sentence without its full stop.
        why: String,
    },
    /// The client asks its person, as it was about to.
    None {
        /// Why nothing was decided, as a sentence without its full stop.
        why: String,
    },
}

impl Parts {
    /// Says whether an advisor could still make a difference: only if nothing is held against the command and nothing is known for it.
    pub fn is_open(&self) -> bool {
        self.danger.as_ref().is_ok_and(Vec::is_empty)
            && self.proof.is_err()
            && matches!(self.listed, Ok(None))
    }
}

/// Decides about a permission request.
///
/// What is held stays held, whoever else is for it. Then any one of the proof, the person's list and the advisor is enough; without any of
/// them, and after any failure, the person decides.
pub fn decide(parts: Parts) -> Decision {
    let findings = match parts.danger {
        Ok(findings) => findings,
        Err(why) => return Decision::None { why: format!("it could not be judged: {why}") },
    };
    if findings.iter().any(|finding| finding.hold == Hold::Deny) {
        let findings = findings.into_iter().filter(|finding| finding.hold == Hold::Deny).collect();
        return Decision::Deny { findings };
    }
    if let Some(finding) = findings.first() {
        return Decision::None { why: format!("{} ({})", finding.reason, finding.rule) };
    }
    let doubt = match parts.proof {
        Ok(proof) => return Decision::Allow { why: proof.to_string() },
        Err(doubt) => doubt,
    };
    match parts.listed {
        Ok(Some(entry)) => return Decision::Allow { why: format!("allowed by your rule `{entry}`") },
        Ok(None) => {}
        Err(why) => return Decision::None { why: format!("your rules could not be read: {why}") },
    }
    match parts.advice {
        Some(Advice::Allow) => Decision::Allow { why: "the advisor allowed it".to_owned() },
        Some(Advice::Ask) => {
            Decision::None { why: format!("{doubt}, and the advisor leaves it to the person") }
        }
        Some(Advice::Failed(failure)) => Decision::None { why: format!("{doubt}, and {failure}") },
        None => Decision::None { why: doubt.to_string() },
    }
}
