//! The proof: a predicate keeps its word, however it is put.

use std::fmt;

use custos_config::shown::shown;
use thiserror::Error;

use super::decision::{Pattern, Predicate};
use super::rewrite;
use crate::rules::CommandPattern;

/// A predicate that may be enforced; only [`prove`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proven {
    predicate: Predicate,
    spellings: usize,
}

impl Proven {
    /// The predicate.
    pub fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    /// How many spellings it was tried on.
    pub fn spellings(&self) -> usize {
        self.spellings
    }
}

/// What was to be done with an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// It must be blocked.
    Block,
    /// It must be allowed.
    Allow,
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Block => "must be blocked and is not",
            Self::Allow => "must be allowed and is blocked",
        })
    }
}

/// Where a predicate fails.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{}` {wanted}{}", shown(example), variant.as_ref().map(as_written).unwrap_or_default())]
pub struct Leak {
    /// The example that it fails on.
    pub example: String,
    /// What was to be done with it.
    pub wanted: Wanted,
    /// The rewriting that made it fail, by its name and its outcome; none if it fails on the example itself.
    pub variant: Option<(&'static str, String)>,
}

fn as_written((name, text): &(&'static str, String)) -> String {
    format!(" when it is written as `{}` ({name})", shown(text))
}

/// Puts a predicate to the proof. The judge says whether the predicate holds a command or, if it is about paths, a path.
pub fn prove(predicate: Predicate, judge: &dyn Fn(&str) -> bool) -> Result<Proven, Leak> {
    let mut spellings = 0;
    let rewritten = match predicate.pattern() {
        Pattern::Command(_) => rewrite::variants,
        Pattern::Path(_) => rewrite::path_variants,
    };
    for (wanted, examples) in
        [(Wanted::Block, predicate.must_block()), (Wanted::Allow, predicate.must_allow())]
    {
        let mut put = |example: &String, variant: Option<(&'static str, String)>| {
            spellings += 1;
            let is_held = judge(variant.as_ref().map_or(example, |(_, text)| text));
            let adds_it =
                || variant.as_ref().is_some_and(|(name, _)| adds_program(name, predicate.pattern()));
            if is_held == (wanted == Wanted::Block) || is_held && adds_it() {
                return Ok(());
            }
            Err(Leak { example: example.clone(), wanted, variant })
        };
        // The plain examples come first: a variant is of no interest to somebody whose pattern misses its point.
        examples.iter().try_for_each(|example| put(example, None))?;
        for example in examples {
            rewritten(example).into_iter().try_for_each(|variant| put(example, Some(variant)))?;
        }
    }
    Ok(Proven { predicate, spellings })
}

/// A command with what rewritings need, to see what they put to it.
const BYSTANDER: &str = "bystander first second";

/// Says whether a rewriting puts the very program to a command that a rule is about. A rule about `sudo` holds what `sudo` is put in front of,
/// and that is no leak: to such a rule the command means something else then.
fn adds_program(rewriting: &str, pattern: &Pattern) -> bool {
    let Pattern::Command(text) = pattern else { return false };
    let Ok(pattern) = CommandPattern::new(text) else { return false };
    let of_it = rewrite::variants(BYSTANDER).into_iter().filter(|(name, _)| *name == rewriting);
    let mut added = of_it.flat_map(|(_, text)| {
        text.split_whitespace()
            .filter(|word| !BYSTANDER.contains(word))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    added.any(|word| pattern.is_about(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;
    use crate::shell::syntax::{Kind, Part};

    fn commands(block: &[&str], allow: &[&str]) -> Predicate {
        let owned = |examples: &[&str]| examples.iter().map(|example| (*example).to_owned()).collect();
        Predicate::new(Pattern::Command("terraform apply".into()), owned(block), owned(allow)).unwrap()
    }

    #[test]
    fn a_judge_who_knows_is_believed() {
        let harmless = rewrite::variants("terraform plan");
        let judge =
            |text: &str| text != "terraform plan" && harmless.iter().all(|(_, variant)| variant != text);
        let predicate = commands(&["terraform apply"], &["terraform plan"]);
        let proven = prove(predicate.clone(), &judge).unwrap();
        assert_eq!(proven.predicate(), &predicate);
        assert!(proven.spellings() > 2 * 30, "{}", proven.spellings());
    }

    #[test]
    fn a_judge_of_text_leaks() {
        let predicate = commands(&["terraform apply"], &["terraform plan"]);
        let leak = prove(predicate, &|text| text.contains("terraform apply")).unwrap_err();
        assert_eq!((leak.example.as_str(), leak.wanted), ("terraform apply", Wanted::Block));
        assert!(leak.variant.is_some());
    }

    #[test]
    fn a_judge_of_first_words_leaks() {
        let first_words =
            |text: &str| match shell::parse(text).script.commands.first().map(|command| &command.kind) {
                Some(Kind::Simple(simple)) => {
                    let is = |index: usize, wanted: &str| {
                        simple.words.get(index).is_some_and(|word| word.parts == [Part::Bare(wanted.into())])
                    };
                    is(0, "terraform") && is(1, "apply")
                }
                _ => false,
            };
        let leak = prove(commands(&["terraform apply"], &["terraform plan"]), &first_words).unwrap_err();
        assert!(leak.variant.is_some());
    }

    #[test]
    fn the_examples_come_before_their_variants() {
        let leak = prove(commands(&["terraform apply", "terraform destroy"], &["ls"]), &|text| {
            text.contains("apply")
        });
        insta::assert_snapshot!(leak.unwrap_err(), @"`terraform destroy` must be blocked and is not");
        let leak = prove(commands(&["terraform apply"], &["ls", "terraform plan"]), &|_| true);
        insta::assert_snapshot!(leak.unwrap_err(), @"`ls` must be allowed and is blocked");
    }

    #[test]
    fn paths_are_put_in_other_ways_too() {
        let predicate = |pattern: &str| {
            Predicate::new(
                Pattern::Path(pattern.into()),
                vec!["infra/prod/main.tf".into()],
                vec!["infra/dev/main.tf".into()],
            )
            .unwrap()
        };
        let leak = prove(predicate("infra/prod/**"), &|path| path.starts_with("infra/prod/")).unwrap_err();
        insta::assert_snapshot!(leak, @"`infra/prod/main.tf` must be blocked and is not when it is written as `./infra/prod/main.tf` (dot in front)");
        assert!(
            prove(predicate("infra/prod/**"), &|path| path.contains("prod") && !path.contains("dev")).is_ok()
        );
    }
}
