//! Finds the name that was probably meant.

use std::fmt;

use crate::settings::{Row, TABLE};
use crate::shown::shown;

/// A name that no setting has, with the nearest one that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// The name as it was given.
    pub name: String,
    /// The key or section that was probably meant.
    pub nearest: Option<&'static str>,
}

impl UnknownKey {
    /// Looks the name up among all keys.
    pub(crate) fn key(name: &str) -> Self {
        Self { name: name.to_owned(), nearest: nearest(name, TABLE.iter().map(|row| row.key)) }
    }

    /// Looks the name up among all sections.
    pub(crate) fn section(name: &str) -> Self {
        let sections = TABLE.iter().map(Row::section);
        Self { name: name.to_owned(), nearest: nearest(name, sections) }
    }
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no setting `{}`", shown(&self.name))?;
        match self.nearest {
            Some(nearest) => write!(f, "; the nearest name is `{nearest}`"),
            None => f.write_str("; `custos config list` shows every name"),
        }
    }
}

impl std::error::Error for UnknownKey {}

/// Beyond this length a name is not a typing error, and comparing it is only work.
const LONGEST_NAME: usize = 64;

/// Finds the candidate that takes the fewest changes, if they are few enough for a slip of the fingers. `-` and `_` are the same here.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    let name = name.to_lowercase().replace('-', "_");
    let allowed = (name.chars().count() / 3).max(2);
    candidates
        .map(|candidate| (distance(&name, &candidate.replace('-', "_")), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The right name in the wrong section is one mistake, however many letters the section has.
fn distance(name: &str, candidate: &str) -> usize {
    let edits = strsim::damerau_levenshtein(name, candidate);
    if name.rsplit('.').next() == candidate.rsplit('.').next() { edits.min(1) } else { edits }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let names = ["protected_branches", "deny", "git.force-push"];
        let found = ["protected-branch", "dney", "git.forcepush", "colour", &"d".repeat(65)]
            .map(|name| nearest(name, names.into_iter()));
        assert_eq!(found, [Some("protected_branches"), Some("deny"), Some("git.force-push"), None, None]);
    }
}
