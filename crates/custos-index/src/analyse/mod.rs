//! The analyser: text in, tokens out, the same for what is stored and for what is asked.
//!
//! A programmer remembers a name by its sound and not by its spelling, so `refreshToken`, `refresh_token`, `refresh-token` and
//! `RefreshToken` all give the tokens `refreshtoken`, `refresh` and `token`, and so does each of them as a question. What is written
//! between blanks is taken apart in three steps:
//!
//! | unit | what it is | `HTTPServer_v2.rs` |
//! |---|---|---|
//! | compound | runs held together by `_`, `-` or `.` | `httpserverv2rs` |
//! | run | letters and digits without a gap | `httpserver`, `v2`, `rs` |
//! | part | a run cut where the case or the sort of character changes | `http`, `server` |
//!
//! Case, accents, width and ligatures are folded first; English endings are cut off tokens of ASCII letters. Scripts that put no
//! blanks between words (Chinese, Japanese, Korean, Thai and their neighbours) give each character and each pair of neighbours.
//! Everything else (emoji, punctuation, private-use characters) separates and is never part of a token, which is what lets the
//! index mark its own filter tokens with a private-use character and nobody forge them.
//!
//! A change here changes what a stored index means: raise [`crate::SCHEMA`] with it.

mod fold;
mod stem;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use fold::Folded;
use stem::Stems;
use unicode_normalization::UnicodeNormalization;

/// The longest token, in bytes. A longer one is cut and told apart by its hash.
pub const MAX_TOKEN: usize = 64;

/// The most text that one call looks at, in bytes. A question or a field beyond it is pasted data.
pub const MAX_TEXT: usize = 128 * 1024;

/// A run that falls into more parts than this is a hash or a key, and its parts are noise.
const MAX_PARTS_OF_A_RUN: usize = 8;

/// A run whose letters and digits alternate more often than this is a hash or a key as well.
const MAX_DIGIT_BOUNDARIES: usize = 3;

/// A compound of more runs than this is no name that somebody would type.
const MAX_RUNS_OF_A_COMPOUND: usize = 8;

/// Turns text into tokens; keeps its buffers and the stems it has seen.
#[derive(Default)]
pub struct Analyser {
    compound: Compound,
    stems: Stems,
    scratch: String,
}

impl std::fmt::Debug for Analyser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Analyser")
    }
}

impl Analyser {
    /// Hands every token of the text to `emit`, in order, repeated as often as it occurs.
    pub fn analyse(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        let text = cut(text, MAX_TEXT);
        self.compound.clear();
        if text.is_ascii() {
            for byte in text.bytes() {
                let folded = fold::ascii(byte);
                self.take(folded, |word| word.push(char::from(byte.to_ascii_lowercase())), &mut emit);
            }
        } else {
            self.analyse_unicode(text, &mut emit);
        }
        self.finish_compound(&mut emit);
    }

    /// Collects the distinct tokens of the text, at most `limit`, in the order of their first occurrence.
    pub fn distinct(&mut self, text: &str, limit: usize) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
        let mut tokens = Vec::new();
        self.analyse(text, |token| {
            if tokens.len() < limit && !seen.contains(token) {
                seen.insert(token.to_owned());
                tokens.push(token.to_owned());
            }
        });
        tokens
    }

    fn analyse_unicode(&mut self, text: &str, emit: &mut impl FnMut(&str)) {
        let mut before: Option<char> = None;
        for c in text.nfkc() {
            if c.is_ascii() {
                before = None;
                // An ASCII character is one byte; the cast cannot lose anything.
                let folded = fold::ascii(u8::try_from(c).unwrap_or(b' '));
                self.take(folded, |word| word.push(c.to_ascii_lowercase()), emit);
                continue;
            }
            match fold::unicode(c) {
                Folded::Ignored => {}
                Folded::Unspaced => {
                    self.finish_compound(emit);
                    let mut pair = [0_u8; 8];
                    let first = before.map_or(0, |before| before.encode_utf8(&mut pair).len());
                    let length = first + c.encode_utf8(&mut pair[first..]).len();
                    let pair = str::from_utf8(&pair[..length]).unwrap_or_default();
                    emit(&pair[first..]);
                    if first > 0 {
                        emit(pair);
                    }
                    before = Some(c);
                }
                folded => {
                    before = None;
                    self.take(folded, |word| fold::push_folded(c, word), emit);
                }
            }
        }
    }

    fn take(&mut self, folded: Folded, push: impl FnOnce(&mut String), emit: &mut impl FnMut(&str)) {
        match folded {
            Folded::Lower | Folded::Upper | Folded::Digit => self.compound.letter(folded, push),
            Folded::Connector if self.compound.connect() => {}
            Folded::Apostrophe if self.compound.apostrophe() => {}
            Folded::Ignored => {}
            _ => self.finish_compound(emit),
        }
    }

    fn finish_compound(&mut self, emit: &mut impl FnMut(&str)) {
        let Self { compound, stems, scratch } = self;
        if compound.text.is_empty() {
            return;
        }
        let mut emit = |token: &str| emit(stems.stem(fit(token, scratch)));
        for run in 0..compound.runs.len() {
            let whole = compound.run(run);
            let parts = compound.parts_of(run);
            let named = parts.len() > 1
                && parts.len() <= MAX_PARTS_OF_A_RUN
                && compound.runs[run].digit_boundaries <= MAX_DIGIT_BOUNDARIES;
            if named {
                for part in parts {
                    let part = compound.part(part);
                    // `x` of `getX` and `2` of `v2` say nothing alone; the run holds them.
                    if part.len() > 1 {
                        emit(part);
                    }
                }
            }
            // The `s` of `user's` and the `t` of `don't` are no words.
            if !(compound.runs[run].after_apostrophe && whole.len() == 1) {
                emit(whole);
            }
        }
        let runs = compound.runs.len();
        if (2..=MAX_RUNS_OF_A_COMPOUND).contains(&runs)
            && compound.text.len() <= MAX_TOKEN
            && !compound.runs.iter().any(|run| run.after_apostrophe)
        {
            emit(&compound.text);
        }
        compound.clear();
    }
}

/// Gives the hash under which a document's term vector remembers a token. Stable: it is stored.
pub fn term_hash(token: &str) -> u64 {
    // FNV-1a, finished with a multiply-shift so that the upper half, which is what is stored, depends on every byte.
    let hash = token.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Cuts a text to at most so many bytes, between two characters.
pub fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// Brings a token to at most [`MAX_TOKEN`] bytes: its beginning, and a hash that tells it from its like.
fn fit<'a>(token: &'a str, scratch: &'a mut String) -> &'a str {
    if token.len() <= MAX_TOKEN {
        return token;
    }
    scratch.clear();
    scratch.push_str(cut(token, MAX_TOKEN - 16));
    // Writing to a String cannot fail.
    let _ = write!(scratch, "{:016x}", term_hash(token));
    scratch
}

/// A compound in the making: its folded text without connectors, and where its runs and parts begin.
#[derive(Default)]
struct Compound {
    text: String,
    runs: Vec<Run>,
    parts: Vec<usize>,
    last: Option<Folded>,
    /// How many characters in a row were upper case, so that `HTTPServer` is cut before the `S`.
    upper_run: usize,
    /// Where the last character begins.
    last_start: usize,
    /// A connector or an apostrophe was read and waits for what follows.
    pending: Option<Folded>,
}

#[derive(Clone, Copy)]
struct Run {
    start: usize,
    first_part: usize,
    digit_boundaries: usize,
    after_apostrophe: bool,
}

impl Compound {
    fn clear(&mut self) {
        self.text.clear();
        self.runs.clear();
        self.parts.clear();
        self.last = None;
        self.upper_run = 0;
        self.pending = None;
    }

    /// Takes a connector; false when there is nothing to connect, or two in a row.
    fn connect(&mut self) -> bool {
        self.hold(Folded::Connector)
    }

    fn apostrophe(&mut self) -> bool {
        self.hold(Folded::Apostrophe)
    }

    fn hold(&mut self, joint: Folded) -> bool {
        let holds = !self.text.is_empty() && self.pending.is_none();
        if holds {
            self.pending = Some(joint);
        }
        holds
    }

    fn letter(&mut self, class: Folded, push: impl FnOnce(&mut String)) {
        let start = self.text.len();
        let joint = self.pending.take();
        match self.last {
            Some(last) if joint.is_none() => self.part_boundary(last, class, start),
            _ => {
                self.runs.push(Run {
                    start,
                    first_part: self.parts.len(),
                    digit_boundaries: 0,
                    after_apostrophe: joint == Some(Folded::Apostrophe),
                });
                self.parts.push(start);
                self.upper_run = 0;
            }
        }
        push(&mut self.text);
        if self.text.len() == start && self.runs.last().is_some_and(|run| run.start == start) {
            // Folded to nothing: the run has not begun.
            self.runs.pop();
            self.parts.pop();
            self.pending = joint;
            return;
        }
        self.upper_run = if class == Folded::Upper { self.upper_run + 1 } else { 0 };
        self.last_start = start;
        self.last = Some(class);
    }

    fn part_boundary(&mut self, last: Folded, class: Folded, start: usize) {
        let digit_boundary = (last == Folded::Digit) != (class == Folded::Digit);
        if digit_boundary && let Some(run) = self.runs.last_mut() {
            run.digit_boundaries += 1;
        }
        let boundary = if digit_boundary || (last == Folded::Lower && class == Folded::Upper) {
            start
        } else if class == Folded::Lower && self.upper_run > 1 {
            // `HTTPServer`: the last capital belongs to what follows.
            self.last_start
        } else {
            return;
        };
        if self.parts.last().is_some_and(|&part| part < boundary) {
            self.parts.push(boundary);
        }
    }

    fn run(&self, run: usize) -> &str {
        let end = self.runs.get(run + 1).map_or(self.text.len(), |next| next.start);
        &self.text[self.runs[run].start..end]
    }

    fn parts_of(&self, run: usize) -> std::ops::Range<usize> {
        let end = self.runs.get(run + 1).map_or(self.parts.len(), |next| next.first_part);
        self.runs[run].first_part..end
    }

    fn part(&self, part: usize) -> &str {
        let end = self.parts.get(part + 1).copied().unwrap_or(self.text.len());
        &self.text[self.parts[part]..end]
    }
}
