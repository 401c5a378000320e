//! The part of a text that shows why it was found.

use crate::analyse::{Analyser, cut};
use crate::rank::Term;

/// How long a snippet is, and how much of it stands before the word, in bytes.
const LENGTH: usize = 160;
const BEFORE: usize = 40;

/// Cuts a snippet around the first word that is asked for; the beginning of the text where none is in it.
pub(crate) fn snippet(text: &str, terms: &[Term], analyser: &mut Analyser) -> String {
    let found = words(text).find(|(_, word)| {
        let mut matches = false;
        analyser.analyse(word, |token| matches |= terms.iter().any(|term| term.token == token));
        matches
    });
    let start = match found {
        Some((at, _)) if at > BEFORE => word_start(text, at - BEFORE),
        _ => 0,
    };
    let cut_off = cut(&text[start..], LENGTH);
    let mut snippet = String::with_capacity(LENGTH + 8);
    if start > 0 {
        snippet.push('…');
    }
    // Line breaks and indentation are the text's; a snippet is one line.
    for (i, word) in cut_off.split_whitespace().enumerate() {
        if i > 0 {
            snippet.push(' ');
        }
        snippet.push_str(word);
    }
    if start + cut_off.len() < text.len() {
        snippet.push('…');
    }
    snippet
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Finds the beginning of the first word that begins at or after a place.
fn word_start(text: &str, at: usize) -> usize {
    words(text).map(|(start, _)| start).find(|start| *start >= at).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut_for(text: &str, question: &str) -> String {
        let mut analyser = Analyser::default();
        let terms: Vec<Term> =
            analyser.distinct(question, 8).into_iter().map(|token| Term::new(token, 1.0, 2.0)).collect();
        snippet(text, &terms, &mut analyser)
    }

    #[test]
    fn a_short_text_is_shown_whole_and_on_one_line() {
        assert_eq!(cut_for("It failed.\n  Then it passed.", "pass"), "It failed. Then it passed.");
    }

    #[test]
    fn a_long_text_is_cut_around_the_word() {
        let text = format!("{} the refreshToken was stale {}", "before ".repeat(40), "after ".repeat(40));
        assert_eq!(
            cut_for(&text, "refresh token"),
            "…before before before before before the refreshToken was stale after after after after after after after after \
             after after after after after after after after a…"
        );
    }

    proptest! {
        #[test]
        fn any_text_has_a_snippet_of_bounded_length(text in "(?s).{0,400}", question in "\\PC{0,20}") {
            prop_assert!(cut_for(&text, &question).len() <= LENGTH + 2 * '…'.len_utf8());
        }
    }
}
