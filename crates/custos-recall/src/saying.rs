//! Whether two texts say the same.
//!
//! A fact is written down more than once: as an observation, in the summary of its turn, in that of the session, in a file. The words are
//! then mostly the same, cut here and joined there, so words are compared and not meanings: one sentence says what another says if it
//! has nearly all of its words in their order. What looks alike and is not ("port 8080" and "port 8081", `src/a.rs` and `src/b.rs`, "always"
//! and "never") differs in a number, a name of the code, or a word that turns the meaning round, so these have to be the same.

use custos_index::analyse::term_hash;

/// How many words of a sentence are compared.
const LONGEST: usize = 64;

/// Of fewer words than this, all have to follow each other: three words in any order are in every other sentence.
const FEW: usize = 4;

/// How much of the shorter sentence has to be in the longer one, in per cent: a word in ten may be another.
const ENOUGH: usize = 90;

/// What adds no more than so many words to what was said says nothing new: "A rule of the person:" before a title.
const LITTLE: usize = 5;

/// Words that turn round what a sentence says.
const TURNING: [&str; 16] = [
    "always", "instead", "kein", "keine", "keinen", "neither", "never", "nicht", "nie", "no", "nor", "not",
    "off", "on", "t", "without",
];

/// The words of a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Words {
    list: Vec<String>,
    /// Of each of them, whether another one in its place makes another fact.
    sharp: Vec<bool>,
    /// A bit for each of them, of the few that there are: what has other bits has other words, and most have.
    bits: u64,
}

impl Words {
    fn len(&self) -> usize {
        self.list.len()
    }
}

/// What some texts say, sentence by sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Saying(Vec<Words>);

impl Saying {
    /// Takes texts apart.
    pub(crate) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let sentences = texts.into_iter().flat_map(sentences).map(words);
        Self(sentences.filter(|words| words.len() > 0).collect())
    }

    /// Says whether it says anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds what others say.
    pub(crate) fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Says whether they have a sentence in common. A few words, such as "Tests pass", are no sign of it.
    pub(crate) fn shares_a_sentence_with(&self, other: &Self) -> bool {
        other
            .0
            .iter()
            .filter(|words| words.len() >= FEW)
            .any(|words| self.0.iter().filter(|own| own.len() >= FEW).any(|own| is_same(own, words)))
    }

    /// Says whether the other says nothing new.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        !other.is_empty() && other.0.iter().all(|words| self.tells(words))
    }

    /// Gives a text without the sentences that say what is said here, whatever else they say: for what is wrong.
    pub(crate) fn taken_from(&self, text: &str) -> String {
        self.left_of(text, |words| !self.0.iter().any(|own| is_same(own, words)))
    }

    /// Gives what a text says that is not said here: for what is known.
    pub(crate) fn news_of(&self, text: &str) -> String {
        self.left_of(text, |words| !self.tells(words))
    }

    fn left_of(&self, text: &str, is_left: impl Fn(&Words) -> bool) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        let left: String = sentences(text).filter(|sentence| is_left(&words(sentence))).collect();
        left.trim().trim_end_matches(';').to_owned()
    }

    fn tells(&self, words: &Words) -> bool {
        self.0.iter().any(|own| words.len() <= own.len() + LITTLE && is_same(own, words))
    }
}

/// Takes a text apart into its sentences, each with the mark and the blanks that end it.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = end_of_sentence(rest)?;
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// Finds where the first sentence ends; nowhere in an empty text.
fn end_of_sentence(text: &str) -> Option<usize> {
    let mut marks = text.char_indices().peekable();
    let mut is_at_end = false;
    let closes = |c: char| matches!(c, '"' | '”' | ')' | '»');
    while let Some((at, c)) = marks.next() {
        match c {
            '\n' | '。' | '！' | '？' => is_at_end = true,
            // A point within a word is none: `v1.2`, `src/main.rs`.
            '.' | '!' | '?' | ';' | '…' => {
                is_at_end |= marks.peek().is_none_or(|(_, next)| next.is_whitespace() || closes(*next));
            }
            _ if is_at_end && !c.is_whitespace() && !closes(c) => return Some(at),
            _ => {}
        }
    }
    (!text.is_empty()).then_some(text.len())
}

/// Gives the words of a sentence as they are compared; of scripts without blanks, each character is one.
fn words(sentence: &str) -> Words {
    let mut found: Vec<String> = Vec::new();
    let mut is_within = false;
    let mut sharp = Vec::new();
    'all: for chunk in sentence.split_whitespace() {
        let is_name = is_name(chunk);
        for c in chunk.chars() {
            let is_dense = c >= '\u{2e80}' || matches!(c, '\u{e00}'..='\u{eff}');
            if !c.is_alphanumeric() {
                is_within = false;
                continue;
            }
            if is_dense || !is_within {
                if found.len() == LONGEST {
                    break 'all;
                }
                found.push(String::new());
                sharp.push(is_name);
            }
            if let Some(word) = found.last_mut() {
                word.extend(c.to_lowercase());
            }
            is_within = !is_dense;
        }
        is_within = false;
    }
    for (word, is_sharp) in found.iter().zip(&mut sharp) {
        *is_sharp |= word.contains(char::is_numeric) || TURNING.contains(&word.as_str());
    }
    let bits = found.iter().map(|word| 1 << (term_hash(word) % 64)).fold(0, |bits, bit: u64| bits | bit);
    Words { list: found, sharp, bits }
}

/// Says whether something is a name of the code: a path, a call, what stands in backticks.
fn is_name(chunk: &str) -> bool {
    let inner = chunk.trim_end_matches(|c: char| !c.is_alphanumeric());
    inner.contains(['/', '\\', '_', '.', '(', '`', ':'])
}

/// Says whether one of two sentences says what the other says, or part of it.
fn is_same(a: &Words, b: &Words) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    match short.len() {
        0 => false,
        // A single word is a sentence of its own or nothing.
        1 => short.list == long.list,
        2..FEW => long.list.windows(short.len()).any(|window| window == short.list),
        _ => is_nearly_within(short, long),
    }
}

/// Says whether nearly all words of a sentence are in a longer one, in their order, and all that must not differ.
fn is_nearly_within(short: &Words, long: &Words) -> bool {
    let missing = (short.bits & !long.bits).count_ones() as usize;
    if (short.len() - missing) * 100 < short.len() * ENOUGH {
        return false;
    }
    // The usual table of a longest common subsequence, with how many of the common words must not differ.
    let mut row = vec![(0, 0); long.len() + 1];
    for (word, is_sharp) in short.list.iter().zip(&short.sharp) {
        let mut before = (0, 0);
        for (at, other) in long.list.iter().enumerate() {
            let above = row[at + 1];
            let here = if word == other {
                (before.0 + 1, before.1 + usize::from(*is_sharp))
            } else {
                above.max(row[at])
            };
            before = above;
            row[at + 1] = here;
        }
    }
    let (common, sharp) = row[long.len()];
    common * 100 >= short.len() * ENOUGH && sharp == short.sharp.iter().filter(|is_sharp| **is_sharp).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::the_same(
        "Deploy with `make ship`, never with kubectl.",
        "deploy with make ship, never with kubectl",
        true
    )]
    #[case::cut(
        "Deploy with make ship, never with…",
        "Deploy with make ship, never with kubectl apply",
        true
    )]
    #[case::within_more("So from now on deploy with make ship only", "Deploy with make ship only", true)]
    #[case::another_number("The server listens on port 8080", "The server listens on port 8081", false)]
    #[case::another_file(
        "The worker for the billing dropped all of its retries in src/a.rs",
        "The worker for the billing dropped all of its retries in src/b.rs",
        false
    )]
    #[case::another_word(
        "The billing worker sometimes dropped all retries of a failed job",
        "The billing worker at times dropped all retries of a failed job",
        true
    )]
    #[case::turned_round(
        "We always cache the whole index in memory",
        "We never cache the whole index in memory",
        false
    )]
    #[case::other_order(
        "Never deploy by make, always by kubectl",
        "Always deploy by kubectl, never by make",
        false
    )]
    #[case::another_thing("The parser must not allocate", "The lexer may well allocate", false)]
    #[case::words_in_passing("Use tabs", "Tabs are of no use to us", false)]
    #[case::short("Use tabs", "Please use tabs here", true)]
    #[case::one_word("Deploy", "Deploy with make ship", false)]
    #[case::japanese(
        "必ずデータベースの接続はプールを使うこと。",
        "必ずデータベースの接続はプールを使うこと",
        true
    )]
    #[case::nothing("", "", false)]
    fn the_same_in_other_words(#[case] a: &str, #[case] b: &str, #[case] expected: bool) {
        let (a, b) = (words(a), words(b));
        assert_eq!((is_same(&a, &b), is_same(&b, &a)), (expected, expected));
    }

    #[rstest]
    #[case("Deploy with make ship now; the parser must not allocate", "the parser must not allocate")]
    #[case("The parser must not allocate; deploy with make ship now", "The parser must not allocate")]
    #[case("Fixed src/a.rs in v1.2. Deploy with make ship now. Shipped.", "Fixed src/a.rs in v1.2. Shipped.")]
    #[case("Deploy with make ship now.", "")]
    #[case("", "")]
    fn a_sentence_is_taken_out_whole(#[case] text: &str, #[case] left: &str) {
        assert_eq!(Saying::of(["Deploy with make ship now"]).taken_from(text), left);
    }

    #[test]
    fn all_or_some() {
        let said = Saying::of(["Deploy with make ship now. The parser must not allocate."]);
        let both = Saying::of(["the parser must not allocate; deploy with make ship now"]);
        let more = Saying::of(["The parser must not allocate. Times are kept in UTC."]);
        assert_eq!((said.covers(&both), said.covers(&more)), (true, false));
        assert_eq!((said.shares_a_sentence_with(&more), said.covers(&Saying::default())), (true, false));
        let passing = Saying::of(["Tests pass. Shipped."]);
        assert!(!passing.shares_a_sentence_with(&passing));
    }

    #[test]
    fn what_is_known_is_left_out_and_what_goes_on_from_it_is_not() {
        let title = Saying::of(["Refresh raced with logout"]);
        let narrative = "“Refresh raced with logout.” Refresh raced with logout because nobody had locked the row of the session.";
        assert_eq!(
            title.news_of(narrative),
            "Refresh raced with logout because nobody had locked the row of the session."
        );
        assert_eq!(title.taken_from(narrative), "");
    }
}
