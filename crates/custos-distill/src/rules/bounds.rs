//! What a person says about the task at hand, in the words of a rule.
//!
//! “Don't touch the tests”, “no panic in the logs”, “don't commit the bench script”: built like what holds for months, and over with the
//! day. What bounds the task is told with it; what only describes a trouble, or speaks of a thing that came with the task, not at all.

use super::said::{Stance, Statement};
use super::story::Story;
use super::words;
use crate::turn::{Fate, What};

/// What bounds one task: what is not to be touched on the way.
#[rustfmt::skip]
const OF_A_TASK: &[&str] = &[
    "touch", "behaviour", "behavior", "nothing else", "anything else", "change anything", "leave the rest", "for now", "this time",
    "in this pr", "in this commit", "nichts anderes", "erstmal", "vorerst", "verhalten", "pour l'instant", "rien d'autre",
    "por ahora", "nada más", "por enquanto", "per ora", "voorlopig", "пока", "ничего не меня", "暂时", "其他不要", "今回は", "他は",
];

/// What holds for a moment only: something else comes first. People leave accents out.
#[rustfmt::skip]
const NOT_YET: &[&str] = &[
    "yet", "not now", "noch nicht", "noch nichts", "noch kein", "pas encore", "rien encore", "todavía", "todavia", "aún", "aun no",
    "ainda", "non ancora", "ancora", "nog niet", "nog niets", "nog geen", "ещё не", "еще не", "先不", "还不", "先别", "まだ", "아직",
];

/// Says whether a statement is over with the moment: “don't change anything yet”, also behind a no.
fn is_of_the_moment(statement: &Statement) -> bool {
    // Who corrects and names what to take means more than the moment: “no, they don't have v2 yet, use v1”.
    let may_be = match statement.stance {
        Stance::Limit => true,
        Stance::Correction => statement.subject.is_none(),
        _ => false,
    };
    may_be && words::contains_any(&statement.text.to_lowercase(), NOT_YET)
}

/// Says whether a statement only bounds the task.
pub(crate) fn is_of_the_task(statement: &Statement, prompt: &str) -> bool {
    if is_of_the_moment(statement) {
        return true;
    }
    let text = statement.text.to_lowercase();
    let is_hands_off = text.contains("no ") && text.contains(" changes") && !text.contains("breaking");
    // “it must not be marked as done then”: when, was said before it.
    let is_tied = without_then(&text).is_some() && untied(&statement.text, prompt).is_none();
    statement.stance == Stance::Limit
        && (is_hands_off || is_tied || OF_A_TASK.iter().any(|word| text.contains(word)))
}

fn without_then(text: &str) -> Option<&str> {
    text.trim_end_matches(['.', '!', ' ']).strip_suffix(" then")
}

/// Puts the condition that a question had named in the place of a “then”: `what if it throws? it must not be stored then`.
pub(crate) fn untied(text: &str, prompt: &str) -> Option<String> {
    let rest = without_then(text)?;
    let mut asked = super::wording::sentences(prompt).into_iter().filter(|sentence| sentence.ends_with('?'));
    let condition = asked.find_map(|question| {
        let at = question.find(" if ").or_else(|| question.find(" when "))?;
        Some(question[at + 1..].trim_end_matches('?').trim_end())
    })?;
    Some(format!("{rest} {condition}"))
}

/// Says whether a statement describes what was seen with a trouble: “no panic in the logs”.
pub(crate) fn is_description(statement: &Statement, prompt: &str) -> bool {
    #[rustfmt::skip]
    const OPENINGS: &[&str] = &["no ", "nothing ", "kein ", "keine ", "nichts ", "aucun ", "aucune ", "rien ", "ningún ", "nada ", "nessun ", "geen "];
    #[rustfmt::skip]
    const PLACES: &[&str] = &[
        " in ", " on ", " from ", " at ", " im ", " auf ", " vom ", " dans ", " sur ", " en ", " nel ", " nei ", " em ", " no ",
    ];
    // What is named as one's own is where a rule holds.
    const OWN: &[&str] = &[
        " this ", " our ", " new ", " these ", " neuen ", " diesem ", " dieser ", " ce ", " cette ", " este ",
    ];
    let text = statement.text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    statement.stance == Stance::Limit
        && OPENINGS.iter().any(|opening| text.starts_with(opening))
        && has(PLACES)
        && !has(OWN)
        && !text.contains([',', '!'])
        && words::is_trouble(prompt)
}

/// Says whether a statement is about what becomes of a file that came with this session.
pub(crate) fn is_of_the_session(statement: &Statement, story: &Story<'_>) -> bool {
    #[rustfmt::skip]
    const VERBS: &[&str] = &["commit", "push", "check in", "stage", "merge", "einchecken", "committe", "ajoute pas", "subas"];
    #[rustfmt::skip]
    const STANDING: &[&str] = &["never", "ever ", "always", "from now", "nie ", "niemals", "jamais", "nunca"];
    let text = statement.text.to_lowercase();
    if !VERBS.iter().any(|verb| text.contains(verb)) || STANDING.iter().any(|word| text.contains(word)) {
        return false;
    }
    let steps = story.before.iter().chain([story.turn]).flat_map(|turn| &turn.steps);
    let mut created = steps
        .filter_map(|step| match &step.what {
            What::Edited(edits) => Some(edits),
            _ => None,
        })
        .flatten()
        .filter(|edit| matches!(edit.fate, Fate::Created | Fate::Written));
    let is_named = |path: &str| {
        let name = super::wording::file_name(path).to_lowercase();
        let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
        words.any(|word| text.contains(word))
    };
    created.any(|edit| is_named(&edit.path))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::said::statements;
    use super::{is_description, is_of_the_task};

    #[rstest]
    #[case("checkout hangs since monday. no timeouts in the gateway", true)]
    #[case("the import is broken. no unsafe in this crate", false)]
    #[case("add a page for invoices. no jquery in the templates", false)]
    fn what_is_seen_is_no_rule(#[case] prompt: &str, #[case] expected: bool) {
        let found = statements(prompt);
        assert_eq!(found.iter().any(|statement| is_description(statement, prompt)), expected, "{found:?}");
    }

    #[rstest]
    #[case("don't touch anything yet")]
    #[case("dont change the schema yet, just look")]
    #[case("no, don't push yet")]
    #[case("noch nichts ändern, erst erklären")]
    #[case("fass die Tests noch nicht an")]
    #[case("ne touche pas encore aux tests")]
    #[case("no cambies nada todavia")]
    #[case("no cambies nada todavía, primero explica")]
    #[case("não mude nada ainda")]
    #[case("non cambiare ancora il formato")]
    fn what_is_for_the_moment_is_over_with_it(#[case] prompt: &str) {
        let lasting: Vec<_> =
            statements(prompt).into_iter().filter(|statement| !is_of_the_task(statement, prompt)).collect();
        assert!(lasting.is_empty(), "{lasting:?}");
    }

    #[rstest]
    #[case("don't touch the migrations, they are generated")]
    #[case("no cambies los identificadores en minusculas")]
    #[case("no, they don't have v2 yet, use v1")]
    fn what_says_nothing_of_the_moment_stays(#[case] prompt: &str) {
        let found = statements(prompt);
        assert!(!found.is_empty(), "{prompt}");
        assert!(found.iter().all(|statement| !super::is_of_the_moment(statement)), "{found:?}");
    }
}
