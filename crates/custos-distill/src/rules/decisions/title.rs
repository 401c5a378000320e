//! What a decision is called: the part of what was said that holds by itself.

use super::super::bounds;
use super::super::ground;
use super::super::names;
use super::super::request;
use super::super::said::{Stance, Statement};
use super::super::wording::{TITLE, capitalised, headline, one_line, sentences};
use super::{terms, without_tie};

/// Gives the title of a statement.
pub(super) fn title(text: &str, statement: &Statement, prompt: &str) -> String {
    let said = without_tie(plain(text.trim_end_matches(['.', '!', '。', '\u{ff01}']).trim()));
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
        return capitalised(without_tie(&one_line(&without_orders(prompt))));
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

/// Leaves out what is to be done now: it is no part of what holds.
fn without_orders(prompt: &str) -> String {
    let all = sentences(prompt);
    let lasting: Vec<&str> = all.iter().copied().filter(|sentence| !request::is_order(sentence)).collect();
    if lasting.is_empty() || lasting.len() == all.len() { prompt.to_owned() } else { lasting.join(" ") }
}

/// Takes off what stands before an aside, `commit it, btw …`, and the thanks behind it.
fn plain(said: &str) -> &str {
    const ASIDES: [&str; 8] =
        ["btw", "by the way", "fyi", "for the record", "übrigens", "au fait", "por cierto", "a proposito"];
    const THANKS: [&str; 10] =
        [" pls", " plz", " please", " thanks", " thx", " ok", " bitte", " danke", " merci", " por favor"];
    let lower = said.to_lowercase();
    // Lower case may be longer; then places in one are none in the other.
    let is_aligned = lower.len() == said.len();
    let aside = ASIDES.iter().filter_map(|aside| {
        let at = lower.find(aside)?;
        let is_word = lower[..at].ends_with([' ', ',', ';', '(']) || at == 0;
        let rest = said.get(at + aside.len()..)?.trim_start_matches([',', ':', ' ']);
        (is_word && rest.len() < said.len() - at - aside.len() && rest.chars().count() >= 16).then_some(rest)
    });
    let mut said = aside.min_by_key(|rest| rest.len()).filter(|_| is_aligned).unwrap_or(said);
    while let Some(thanks) = THANKS.iter().find(|thanks| {
        said.len() > thanks.len()
            && said.is_char_boundary(said.len() - thanks.len())
            && said[said.len() - thanks.len()..].eq_ignore_ascii_case(thanks)
    }) {
        said = said[..said.len() - thanks.len()].trim_end_matches([',', ' ']);
    }
    said
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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{plain, without_orders};

    #[rstest]
    #[case("no, the limit is fine as it is. revert that", "no, the limit is fine as it is.")]
    #[case("never log tokens. add a filter to log.rs", "never log tokens.")]
    #[case("add a filter to log.rs", "add a filter to log.rs")]
    fn what_is_to_be_done_now_is_no_part_of_a_rule(#[case] prompt: &str, #[case] expected: &str) {
        assert_eq!(without_orders(prompt), expected);
    }

    #[rstest]
    #[case::aside("push it, btw release tags are signed by the bot", "release tags are signed by the bot")]
    #[case::with_a_colon("Übrigens: Migrationen laufen nur nachts", "Migrationen laufen nur nachts")]
    #[case::thanks("no globals in the parser pls, thanks", "no globals in the parser")]
    #[case::within_a_word("the subtwig stays where it is for good", "the subtwig stays where it is for good")]
    #[case::nothing_behind_it("never on fridays btw", "never on fridays btw")]
    #[case::longer_in_lower_case("İ, btw we never squash merges here", "İ, btw we never squash merges here")]
    fn what_is_around_a_rule_is_no_part_of_it(#[case] said: &str, #[case] expected: &str) {
        assert_eq!(plain(said), expected);
    }
}
