//! The predicate of a decision, as people write it.
//!
//! ```yaml
//! enforce: required
//! guard:
//!   command: terraform apply            # or `path: infra/prod/**`
//!   must_block: [terraform apply -auto-approve]
//!   must_allow: [terraform plan]
//! ```
//!
//! Examples of a command are commands, examples of a path are paths.

use custos_config::shown::shown;
use serde::Deserialize;
use thiserror::Error;

use crate::shell;

/// What a predicate is about, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// A pattern for commands.
    Command(String),
    /// A pattern for paths.
    Path(String),
}

/// A pattern with examples; each kind of example is there at least once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predicate {
    pattern: Pattern,
    must_block: Vec<String>,
    must_allow: Vec<String>,
}

/// Why something is no predicate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PredicateError {
    /// The text is not YAML, or its values have other forms.
    #[error("`guard` cannot be read: {0}")]
    Unreadable(String),
    /// Neither a command nor a path, or both.
    #[error("`guard` takes either a `command` or a `path`: write one of them")]
    NotOne,
    /// The pattern is empty.
    #[error("the pattern is empty: write what is meant, like `terraform apply`")]
    Empty,
    /// A kind of example is not there.
    #[error("`{0}` has no example: write at least one, so that the rule can prove itself")]
    NoExample(&'static str),
    /// There are more examples than anybody needs.
    #[error("`{list}` has more than {most} examples: keep those that differ")]
    TooMany {
        /// The list.
        list: &'static str,
        /// How many are taken.
        most: usize,
    },
    /// An example is too long.
    #[error("an example has more than {most} bytes: shorten it")]
    TooLong {
        /// How many are taken.
        most: usize,
    },
    /// An example is no command.
    #[error("the example `{}` is no complete command: correct it", shown(.0))]
    Broken(String),
    /// Something is to be both blocked and allowed.
    #[error("the example `{}` is both in `must_block` and in `must_allow`: remove one", shown(.0))]
    Both(String),
}

/// The most examples of a kind.
const MOST: usize = 20;
/// The longest example, in bytes.
const LONGEST: usize = 1000;

impl Predicate {
    /// Puts a predicate together.
    pub fn new(
        pattern: Pattern,
        must_block: Vec<String>,
        must_allow: Vec<String>,
    ) -> Result<Self, PredicateError> {
        let (Pattern::Command(text) | Pattern::Path(text)) = &pattern;
        if text.trim().is_empty() {
            return Err(PredicateError::Empty);
        }
        for (list, examples) in [("must_block", &must_block), ("must_allow", &must_allow)] {
            if examples.iter().all(|example| example.trim().is_empty()) {
                return Err(PredicateError::NoExample(list));
            }
            if examples.len() > MOST {
                return Err(PredicateError::TooMany { list, most: MOST });
            }
            if examples.iter().any(|example| example.len() > LONGEST) {
                return Err(PredicateError::TooLong { most: LONGEST });
            }
            // Nobody can say the same in other words if nobody knows what it says.
            let is_broken = |example: &&String| {
                matches!(pattern, Pattern::Command(_)) && {
                    let parsed = shell::parse(example);
                    !parsed.flaws.is_empty() || parsed.script.commands.is_empty()
                }
            };
            if let Some(example) = examples.iter().find(is_broken) {
                return Err(PredicateError::Broken(example.clone()));
            }
        }
        if let Some(example) = must_block.iter().find(|example| must_allow.contains(example)) {
            return Err(PredicateError::Both(example.clone()));
        }
        Ok(Self { pattern, must_block, must_allow })
    }

    /// What it is about.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// What it must block.
    pub fn must_block(&self) -> &[String] {
        &self.must_block
    }

    /// What it must allow.
    pub fn must_allow(&self) -> &[String] {
        &self.must_allow
    }
}

/// Reads the predicate of a decision from the YAML at the top of its file; none if it has none, or if the decision is not required.
pub fn from_front_matter(yaml: &str) -> Result<Option<Predicate>, PredicateError> {
    /// What a guard wants to know of a decision; the rest is not its business.
    #[derive(Deserialize)]
    struct Decision {
        #[serde(default)]
        enforce: String,
        #[serde(default)]
        required: bool,
        guard: Option<Guard>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Guard {
        command: Option<String>,
        path: Option<String>,
        #[serde(default)]
        must_block: Vec<String>,
        #[serde(default)]
        must_allow: Vec<String>,
    }
    let decision: Option<Decision> = serde_saphyr::from_str(yaml)
        .map_err(|error| PredicateError::Unreadable(shown(&error.to_string())))?;
    let Some(Decision { enforce, required, guard: Some(guard) }) = decision else { return Ok(None) };
    if !required && !enforce.trim().eq_ignore_ascii_case("required") {
        return Ok(None);
    }
    let pattern = match (guard.command, guard.path) {
        (Some(command), None) => Pattern::Command(command),
        (None, Some(path)) => Pattern::Path(path),
        _ => return Err(PredicateError::NotOne),
    };
    Predicate::new(pattern, guard.must_block, guard.must_allow).map(Some)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const GOOD: &str = "
id: D-012
title: Infrastructure is applied by the pipeline
required: true
guard:
  command: terraform apply
  must_block: [terraform apply -auto-approve]
  must_allow: [terraform plan, 'echo \"terraform apply\"']
";

    fn predicate(pattern: Pattern) -> Predicate {
        Predicate {
            pattern,
            must_block: vec!["terraform apply -auto-approve".into()],
            must_allow: vec!["terraform plan".into(), "echo \"terraform apply\"".into()],
        }
    }

    #[test]
    fn a_decision_carries_a_predicate() {
        let command = Pattern::Command("terraform apply".into());
        assert_eq!(from_front_matter(GOOD), Ok(Some(predicate(command))));
        let path = Pattern::Path("infra/**".into());
        let yaml = GOOD.replace("command: terraform apply", "path: infra/**");
        assert_eq!(from_front_matter(&yaml), Ok(Some(predicate(path))));
    }

    #[rstest]
    #[case::nothing("")]
    #[case::no_guard("required: true\ntitle: x\n")]
    #[case::not_required("guard: {command: a, must_block: [a], must_allow: [b]}")]
    #[case::advice("required: false\nguard: {command: a, must_block: [a], must_allow: [b]}")]
    fn a_decision_without(#[case] yaml: &str) {
        assert_eq!(from_front_matter(yaml), Ok(None));
    }

    #[rstest]
    #[case("{must_block: [a], must_allow: [b]}", PredicateError::NotOne)]
    #[case("{command: a, path: b, must_block: [a], must_allow: [b]}", PredicateError::NotOne)]
    #[case("{command: ' ', must_block: [a], must_allow: [b]}", PredicateError::Empty)]
    #[case("{command: a, must_allow: [b]}", PredicateError::NoExample("must_block"))]
    #[case("{command: a, must_block: [a], must_allow: ['']}", PredicateError::NoExample("must_allow"))]
    #[case("{command: a, must_block: [a], must_allow: [a]}", PredicateError::Both("a".into()))]
    #[case("{command: a, must_block: ['a \"'], must_allow: [b]}", PredicateError::Broken("a \"".into()))]
    #[case("{command: a, must_block: ['# a'], must_allow: [b]}", PredicateError::Broken("# a".into()))]
    fn a_predicate_that_is_none(#[case] guard: &str, #[case] error: PredicateError) {
        assert_eq!(from_front_matter(&format!("required: true\nguard: {guard}\n")), Err(error));
    }

    #[rstest]
    #[case("required: maybe\nguard: {command: a, must_block: [a], must_allow: [b]}")]
    #[case("required: true\nguard: {comand: a, must_block: [a], must_allow: [b]}")]
    #[case("required: true\nguard: [")]
    fn a_text_that_cannot_be_read(#[case] yaml: &str) {
        assert!(matches!(from_front_matter(yaml), Err(PredicateError::Unreadable(_))));
    }
}
