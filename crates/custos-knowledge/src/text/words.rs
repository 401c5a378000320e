//! When two titles say the same, or nearly.
//!
//! An equivalent title is taken for the one that is there already, and what came with it is not stored. So every doubt is a difference:
//! negations stay, `C++` is not `C`, `< 5 s` is not `> 5 s`, and the order of the words counts, because it says who calls whom and what
//! replaces what. That two titles are *nearly* the same is only a hint to a reader.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::title::one_line;
use super::unseen::is_unseen;

/// Tells whether a word is an article or a particle, without which a title says the same.
fn is_dropped(word: &str) -> bool {
    #[rustfmt::skip]
    let is_one = matches!(
        word,
        "a" | "an" | "the" | "to" | "of"
        | "der" | "die" | "das" | "den" | "dem" | "des" | "ein" | "eine" | "einen" | "einem" | "einer" | "eines" | "zu"
        | "le" | "la" | "les" | "un" | "une" | "du" | "de" // `l'` and `d'` fall off their words.
        | "el" | "los" | "las" | "una" | "unos" | "unas" | "del"
        | "het" | "een"
        | "же" | "ли" | "бы" | "вот" | "ведь"
    );
    is_one
}

/// From this share of common words on, two titles are nearly the same …
const NEAR: f32 = 0.6;
/// … if they have this many of them: short titles resemble each other by chance.
const LEAST_IN_COMMON: usize = 3;

/// A title, read for comparison with many others. A large base has thousands, so it is kept short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// Its words, one blank between them.
    pub(crate) words: String,
    /// Marks of their stems, in order, each once. Two stems with one mark would only make a hint too much.
    pub(crate) stems: Vec<u64>,
    /// The whole line, of a title without any word.
    pub(crate) wordless: Option<String>,
}

impl Wording {
    /// Reads a title.
    pub fn of(title: &str) -> Self {
        let all = all_words(title);
        let wordless = all.is_empty().then(|| folded(&one_line(title)));
        let words = significant(all);
        Self { stems: stems(&words), words, wordless }
    }

    /// Tells whether another title has the same words in the same order, but for articles and particles.
    pub fn is_equivalent(&self, other: &Self) -> bool {
        self.words == other.words && self.wordless == other.wordless
    }

    /// Gives the share of common words among all words of both titles, from 0 to 1; endings for plural and `-ing` do not count.
    pub fn similarity(&self, other: &Self) -> f32 {
        self.share(other, self.in_common(other))
    }

    /// Tells whether another title is so close that a reader should look at both.
    pub fn is_near(&self, other: &Self) -> bool {
        // All words of the shorter one in common would be the most; for most pairs that settles it.
        let most = self.stems.len().min(other.stems.len());
        let is_close = |common| common >= LEAST_IN_COMMON && self.share(other, common) >= NEAR;
        is_close(most) && is_close(self.in_common(other)) || self.is_equivalent(other)
    }

    /// The share of so many common words among all words of both titles.
    fn share(&self, other: &Self, common: usize) -> f32 {
        let all = self.stems.len() + other.stems.len() - common;
        if all == 0 { 0.0 } else { common as f32 / all as f32 }
    }

    fn in_common(&self, other: &Self) -> usize {
        let (mut common, mut others) = (0, other.stems.as_slice());
        for stem in &self.stems {
            while let [first, rest @ ..] = others
                && first < stem
            {
                others = rest;
            }
            common += usize::from(others.first() == Some(stem));
        }
        common
    }
}

/// Gives the words of a title that carry its meaning, folded, in their order.
///
/// A title of nothing but articles and particles keeps them, and so does the last word: an article leads something, so the A of "plan A" is
/// none.
pub fn words(title: &str) -> Vec<String> {
    let words = significant(all_words(title));
    words.split_terminator(' ').map(str::to_owned).collect()
}

/// Tells whether two titles have the same words, but for articles and particles. Whoever compares one with many makes a [`Wording`] of each.
pub fn equivalent(a: &str, b: &str) -> bool {
    Wording::of(a).is_equivalent(&Wording::of(b))
}

/// Gives the share of common words among all words of two titles: [`Wording::similarity`].
pub fn similarity(a: &str, b: &str) -> f32 {
    Wording::of(a).similarity(&Wording::of(b))
}

/// Tells whether two titles are so close that a reader should look at both.
pub fn nearly_the_same(a: &str, b: &str) -> bool {
    Wording::of(a).is_near(&Wording::of(b))
}

fn significant(words: String) -> String {
    let (before, last) = words.rsplit_once(' ').unwrap_or(("", &words));
    let is_kept = |word: &str| !is_dropped(word);
    if before.is_empty() || !is_kept(last) && !before.split(' ').any(is_kept) {
        return words;
    }
    let mut kept = String::with_capacity(words.len());
    for word in before.split(' ').filter(|word| is_kept(word)) {
        kept.push_str(word);
        kept.push(' ');
    }
    kept + last
}

/// Folds case, width and ligatures.
fn folded(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_ascii_lowercase();
    }
    // By way of the upper case, which unites what has two lower cases: `ß` with `ss`, and both sigmas.
    let fold = |c: char| c.to_uppercase().flat_map(char::to_lowercase);
    text.nfkc().filter(|c| c.is_whitespace() || !is_unseen(*c)).flat_map(fold).nfkc().collect()
}

/// Finds the words of a title: folded, one blank between them.
fn all_words(title: &str) -> String {
    let folded = folded(title);
    let mut words = Words { found: String::with_capacity(folded.len() + 1), begun: 0 };
    let mut before = ' ';
    let mut rest = folded.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        match c {
            c if is_letter(c) => words.letter(c),
            // Inside a word: `don't`, `1.5`, `c++17`, `c#`; at its beginning: `-1`.
            '\'' | '\u{2019}' | '\u{2bc}' if is_letter(before) && is_letter(after) => words.letter('\''),
            '.' if before.is_numeric() && after.is_numeric() => words.letter('.'),
            '+' | '#' if words.is_open() && (!is_letter(after) || before == c) => words.letter(c),
            '+' | '-' if !is_letter(before) && after.is_numeric() => words.letter(c),
            '=' | '>' if matches!((before, c, after), ('-' | '=', '>', _) | (_, '=', '>')) => words.end(),
            '!' if after == '=' => words.sign(c),
            c if is_sign(c) => words.sign(c),
            _ => words.end(),
        }
        before = c;
    }
    words.end();
    words.found.pop();
    words.found
}

fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { c.is_alphanumeric() || is_combining_mark(c) }
}

/// Tells whether a character that is no letter says something all the same: comparisons, units of money and share, emoji and other pictures.
fn is_sign(c: char) -> bool {
    let is_arrow = matches!(c, '\u{2190}'..='\u{21ff}');
    let is_punctuation = matches!(c, '\u{2e00}'..='\u{2e7f}' | '\u{3000}'..='\u{303f}' | '\u{fe00}'..='\u{fe6f}' | '\u{ff00}'..='\u{ffef}');
    let is_money = matches!(c, '$' | '£' | '¥' | '\u{20a0}'..='\u{20cf}');
    is_money || "<>=%±×÷°".contains(c) || (c > '\u{2100}' && !is_arrow && !is_punctuation)
}

struct Words {
    /// The words so far, a blank behind each.
    found: String,
    /// Where the one begins that is being read.
    begun: usize,
}

impl Words {
    fn is_open(&self) -> bool {
        self.begun < self.found.len()
    }

    fn letter(&mut self, c: char) {
        self.found.push(c);
    }

    fn sign(&mut self, c: char) {
        self.end();
        self.found.push(c);
        self.end();
    }

    fn end(&mut self) {
        if !self.is_open() {
            return;
        }
        let word = &self.found[self.begun..];
        if word.contains('\'') || word == "cannot" {
            let plain = plain(word);
            self.found.truncate(self.begun);
            self.found.push_str(&plain);
        }
        self.found.push(' ');
        self.begun = self.found.len();
    }
}

/// A word without what is joined to it: `don't` is `do not`, `l'index` is `index`.
fn plain(word: &str) -> String {
    let negated = match word.strip_suffix("n't") {
        _ if word == "cannot" => Some("can"),
        Some("ca") => Some("can"),
        Some("wo") => Some("will"),
        Some("sha") => Some("shall"),
        other => other,
    };
    if let Some(verb) = negated {
        return format!("{verb} not");
    }
    let word = word.strip_prefix("l'").or_else(|| word.strip_prefix("d'")).unwrap_or(word);
    word.replace('\'', "")
}

/// The marks of the stems of words, sorted, each once.
fn stems(words: &str) -> Vec<u64> {
    let mut stems = Vec::with_capacity(words.len() / 4);
    for word in words.split_terminator(' ') {
        if !word.is_ascii() && word.chars().nth(2).is_some() && word.chars().all(is_unspaced) {
            // Scripts without blanks give pairs of neighbours instead of words.
            let pairs = word.chars().zip(word.chars().skip(1));
            stems.extend(pairs.map(|(first, second)| mark(String::from_iter([first, second]).as_bytes())));
        } else {
            stems.push(mark(stem(word).as_bytes()));
        }
    }
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// Makes a number of a stem (FNV-1a).
fn mark(stem: &[u8]) -> u64 {
    stem.iter()
        .fold(0xcbf2_9ce4_8422_2325, |mark, byte| (mark ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Tells whether a character is of a script that writes no blanks between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

/// Takes the endings of plural and `-ing` off an English word. Crude, and the same for both titles.
fn stem(word: &str) -> &str {
    if !word.is_ascii() || word.len() < 4 {
        return word;
    }
    let singular = match word.strip_suffix('s') {
        Some(rest) if !rest.ends_with(['s', 'u', 'i']) => {
            rest.strip_suffix("ie").filter(|rest| rest.len() > 1).unwrap_or(rest)
        }
        _ => word,
    };
    let bare = match singular.strip_suffix("ing") {
        Some(rest) if rest.len() >= 3 && rest.contains(['a', 'e', 'i', 'o', 'u', 'y']) => {
            match rest.as_bytes() {
                [.., a, b] if a == b && !b"aeiouls".contains(b) => &rest[..rest.len() - 1],
                _ => rest,
            }
        }
        _ => singular,
    };
    // `cache` and `caching`, `policy` and `policies`.
    if bare.len() > 3 { bare.trim_end_matches(['e', 'y']) } else { bare }
}
