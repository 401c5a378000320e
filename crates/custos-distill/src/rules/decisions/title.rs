//! What a decision is called: the part of what was said that holds by itself.

use super::super::bounds;
use super::super::ground;
use super::super::names;
use super::super::said::{Stance, Statement};
use super::super::wording::{TITLE, capitalised, headline, one_line};
use super::{terms, without_tie};

/// Gives the title of a statement.
pub(super) fn title(text: &str, statement: &Statement, prompt: &str) -> String {
    let said = without_tie(text.trim_end_matches(['.', '!', '。', '\u{ff01}']).trim());
    if let Some(whole) = bounds::untied(said, prompt) {
        return capitalised(&headline(&whole, TITLE));
    }
    if let Some(held) = followed(said) {
        return headline(&held, TITLE);
    }
    if let Some(meant) = meant(said) {
        return capitalised(&headline(meant, TITLE));
    }
    let length = said.chars().count();
    // The part of a longer sentence that says it.
    let core = statement.core.as_deref().filter(|core| length > 60 && core.chars().count() >= 16);
    if let Some(core) = core {
        return capitalised(&headline(without_tie(core.trim_end_matches(['.', '!'])), TITLE));
    }
    // `no, use zod` says less than the sentence after it, and `never in production` not what; a person would put both into the title.
    let names_nothing = || terms(&[(prompt.to_owned(), statement.clone())]).is_empty();
    // A correction is about what was there before it; a rule stands by itself, unless a name stands beside it.
    let names_elsewhere = statement.stance == Stance::Correction || !names::names(prompt).is_empty();
    let is_unnamed = statement.stance != Stance::Limit && names_elsewhere && names_nothing();
    let least = if ground::is_dense(said) { 8 } else { 24 };
    let says_little = length < least || is_unnamed && !ground::is_dense(said);
    if says_little && one_line(prompt).chars().count() <= TITLE {
        return capitalised(without_tie(&one_line(prompt)));
    }
    match (&statement.subject, &statement.instead_of) {
        (Some(subject), Some(other)) if length > TITLE => format!("{subject} instead of {other}"),
        // Too long for a line: the part that says it, or what stands behind what led to it.
        _ if length > TITLE => {
            let core = statement.core.as_deref().map(|core| without_tie(core.trim()));
            let rule = core.or_else(|| said.rsplit(": ").next()).filter(|part| part.chars().count() >= 16);
            capitalised(&headline(rule.unwrap_or(said), TITLE))
        }
        _ => capitalised(&headline(said, TITLE)),
    }
}

/// Gives what holds elsewhere and is to be followed: `we use X in the other services, follow that`.
fn followed(said: &str) -> Option<String> {
    #[rustfmt::skip]
    const FOLLOWS: &[&str] = &[
        "follow that", "follow this", "do the same", "same here", "do it like that", "do it the same way", "stick to that", "use that",
        "mach es genauso", "hier auch", "fais pareil", "haz lo mismo", "faz igual", "fai lo stesso",
    ];
    let (held, follows) = said.rsplit_once(", ")?;
    let follows = follows.to_lowercase();
    let follows = follows.trim_start_matches("so ").trim_start_matches("please ").trim_end_matches(" here");
    let what = held.get(..7).filter(|start| start.eq_ignore_ascii_case("we use ")).map(|_| &held[7..])?;
    (FOLLOWS.contains(&follows) && what.chars().count() >= 12).then(|| what.replace(" the other ", " "))
}

/// Gives what a rule points at, where it stands before it: `no wildcards in imports, we dont do that here`.
fn meant(said: &str) -> Option<&str> {
    const POINTS: [&str; 6] = [" do that", " do this", " want that", " like that", " need that", " use that"];
    let (before, rule) = said.rsplit_once(", ")?;
    let rule = rule.to_lowercase();
    let is_pointing = rule.starts_with("we ") && POINTS.iter().any(|word| rule.contains(word));
    let clause = before.rsplit_once(" but ").map_or(before, |(_, clause)| clause);
    let clause = without_tie(clause);
    let refuses = ["no ", "not ", "without "].iter().any(|word| clause.starts_with(word));
    (refuses && is_pointing && names::names(&rule).is_empty() && clause.chars().count() >= 16)
        .then_some(clause)
}
