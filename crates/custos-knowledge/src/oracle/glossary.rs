//! The words of the domain, from the names that the code declares.
//!
//! Names are split into words; words of programming in general are dropped; the rest is ranked by how many files use it. A word that is
//! spread over many files is one that a newcomer has to know, and the type that bears it is where to look it up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::declarations::Declarations;
use super::findings::Term;
use super::foreign;
use super::generic::is_generic;

/// The most terms.
const MOST_TERMS: usize = 30;
/// The most words that are kept while counting.
const MOST_WORDS: usize = 50_000;
/// In how many files a word must be.
const SPREAD_OF_TYPES: usize = 2;
/// In how many files a word must be that only functions bear: most of those are verbs.
const SPREAD_OF_FUNCTIONS: usize = 3;

/// What is known of a word.
#[derive(Default)]
struct Word {
    count: usize,
    files: BTreeSet<u32>,
    shown: Option<Shown>,
}

/// A name that shows a word: types before functions, then the shorter, then the first.
struct Shown {
    function: bool,
    name: String,
    path: String,
    line: usize,
}

/// Counts words.
#[derive(Default)]
pub(super) struct Glossary {
    words: BTreeMap<String, Word>,
    file: String,
    files: u32,
    declarations: Declarations,
}

impl Glossary {
    /// Begins with a file.
    pub(super) fn begin(&mut self) {
        self.declarations = Declarations::default();
    }

    /// Takes the name that a line declares, if it declares one.
    pub(super) fn read(&mut self, path: &str, language: &str, line: &str, number: usize) {
        let Some((name, is_type)) = self.declarations.of(language, line) else { return };
        if self.file != path {
            path.clone_into(&mut self.file);
            self.files += 1;
        }
        let mut seen = BTreeSet::new();
        for word in split(name).filter(|word| !is_generic(word)) {
            if !seen.insert(word.clone())
                || (self.words.len() >= MOST_WORDS && !self.words.contains_key(&word))
            {
                continue;
            }
            let known = self.words.entry(word).or_default();
            known.count += 1;
            known.files.insert(self.files);
            let function = !is_type;
            let better = |shown: &Shown| (function, name.len()) < (shown.function, shown.name.len());
            if known.shown.as_ref().is_none_or(better) {
                let (name, path) = (name.to_owned(), path.to_owned());
                known.shown = Some(Shown { function, name, path, line: number });
            }
        }
    }

    /// Ranks the words: those that a type bears, and then, where there is room, those of functions.
    pub(super) fn terms(mut self) -> Vec<Term> {
        self.fold_plurals();
        let mut terms: Vec<(bool, Term)> = self
            .words
            .into_iter()
            .filter_map(|(word, known)| {
                let shown = known.shown?;
                let spread = if shown.function { SPREAD_OF_FUNCTIONS } else { SPREAD_OF_TYPES };
                let term = || Term {
                    word: foreign::line(&word),
                    count: known.count,
                    files: known.files.len(),
                    name: foreign::line(&shown.name),
                    source: foreign::source(&shown.path, Some(shown.line)),
                };
                (known.files.len() >= spread).then(|| (shown.function, term()))
            })
            .collect();
        terms.sort_by(|(function, a), (other, b)| {
            let rank = |function: &bool, term: &Term| (*function, Reverse(term.files), Reverse(term.count));
            rank(function, a).cmp(&rank(other, b)).then_with(|| a.word.cmp(&b.word))
        });
        terms.into_iter().take(MOST_TERMS).map(|(_, term)| term).collect()
    }

    /// Counts `orders` as `order`, where there is one.
    fn fold_plurals(&mut self) {
        let plurals: Vec<(String, String)> = self
            .words
            .keys()
            .filter_map(|word| {
                let singular = singulars(word).find(|singular| self.words.contains_key(singular))?;
                Some((word.clone(), singular))
            })
            .collect();
        for (plural, singular) in plurals {
            let Some(many) = self.words.remove(&plural) else { continue };
            if let Some(one) = self.words.get_mut(&singular) {
                one.count += many.count;
                one.files.extend(many.files);
                // A type that bears the plural says more than a function with the singular.
                let is_type = |shown: &Option<Shown>| shown.as_ref().is_some_and(|shown| !shown.function);
                if !is_type(&one.shown) && is_type(&many.shown) {
                    one.shown = many.shown;
                }
            }
        }
    }
}

fn singulars(word: &str) -> impl Iterator<Item = String> {
    let plain = word.strip_suffix('s').map(str::to_owned);
    let ies = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    plain.into_iter().chain(ies)
}

/// Splits an identifier into words in lower case: `HTTPServer_idle` is `http`, `server`, `idle`.
fn split(name: &str) -> impl Iterator<Item = String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(at + 1);
        let begins = c.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || (before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|after| after.is_lowercase())));
        if (begins || !c.is_alphabetic()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
    }
    words.push(word);
    words.into_iter().filter(|word| word.chars().count() > 2)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn names_are_split_into_words() {
        let words = |name| split(name).collect::<Vec<_>>();
        assert_eq!(words("HTTPServer_idle2time"), ["http", "server", "idle", "time"]);
        assert_eq!(words("OrderLineItem"), ["order", "line", "item"]);
        assert_eq!(words("x_id"), Vec::<String>::new());
        assert_eq!(words("Überweisung"), ["überweisung"]);
    }
}
