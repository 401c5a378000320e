//! The walk over a gap: which byte can begin what, and who is asked.

use std::ops::Range;

use crate::candidates::Candidates;
use crate::charset::{Runs, Set};
use crate::redaction::Finding;
use crate::{assignment, effort, options, pem, shapes, url};

/// A gap being walked. Matchers read `bytes` from `floor` on and report through [`Scan::take`].
pub(crate) struct Scan<'t, 'f> {
    /// The text up to the end of the gap, so that no matcher can look beyond it.
    pub(crate) bytes: &'t [u8],
    /// Where the gap, or what is left of it behind the last finding, begins. Nobody looks back past it.
    pub(crate) floor: usize,
    /// Where the walk is.
    at: usize,
    candidates: Candidates,
    runs: Runs,
    found: &'f mut Vec<Finding>,
}

/// Finds the secrets of one gap.
pub(crate) fn gap(text: &str, gap: Range<usize>, found: &mut Vec<Finding>) {
    let mut scan = Scan::over(&text[..gap.end], found);
    scan.floor = gap.start;
    scan.walk(gap.start);
}

/// Returns the kind of a text that is, as a whole, one secret of a known shape.
pub(crate) fn kind_of_whole(text: &str) -> Option<&'static str> {
    let mut found = Vec::new();
    shapes::at(&mut Scan::over(text, &mut found), 0).filter(|f| f.range == (0..text.len())).map(|f| f.kind)
}

impl<'t, 'f> Scan<'t, 'f> {
    /// Prepares to read a text from its start.
    pub(crate) fn over(text: &'t str, found: &'f mut Vec<Finding>) -> Self {
        Self {
            bytes: text.as_bytes(),
            floor: 0,
            at: 0,
            candidates: Candidates::default(),
            runs: Runs::default(),
            found,
        }
    }

    fn walk(&mut self, from: usize) {
        let mut at = from;
        let mut in_word = false;
        while let Some(next) = self.candidates.next(self.bytes, at, in_word) {
            self.at = next;
            in_word = false;
            at = match self.bytes[next] {
                b'=' => assignment::at(self, next, next + 1).unwrap_or(next + 1),
                b':' => self.colon(next).unwrap_or(next + 1),
                b'-' => pem::at(self, next).or_else(|| options::at(self, next)).unwrap_or(next + 1),
                b'>' => assignment::element(self, next).unwrap_or(next + 1),
                // What follows are escapes, whose letters do not belong to the word behind them: in a JSON string, in
                // an address, on a terminal.
                b'\\' => self.after_backslash(next),
                b'%' => self.percent(next),
                0x1b => self.after_colour(next),
                _ => {
                    let hit = shapes::at(self, next);
                    in_word = hit.is_none();
                    hit.map_or(next + 1, |Finding { kind, range }| self.take(kind, range))
                }
            };
        }
    }

    fn colon(&mut self, at: usize) -> Option<usize> {
        match self.bytes.get(at + 1)? {
            b':' => Some(at + 2),
            b'/' | b'\\' => url::at(self, at).or_else(|| assignment::at(self, at, at + 1)),
            b'0'..=b'9' | b'*' => url::pgpass(self, at).or_else(|| assignment::at(self, at, at + 1)),
            _ => assignment::at(self, at, at + 1),
        }
    }

    fn after_backslash(&self, at: usize) -> usize {
        let hex = |digits: usize| {
            self.bytes.get(at + 2..at + 2 + digits).is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit))
        };
        match self.bytes.get(at + 1) {
            Some(b'n' | b'r' | b't' | b'b' | b'f') => at + 2,
            Some(b'u') if hex(4) => at + 6,
            Some(b'x') if hex(2) => at + 4,
            _ => at + 1,
        }
    }

    fn percent(&mut self, at: usize) -> usize {
        match self.bytes.get(at + 1..at + 3) {
            Some(b"3D" | b"3d") => assignment::at(self, at, at + 3).unwrap_or(at + 3),
            Some(b"3A" | b"3a" | b"25") => url::escaped(self, at).unwrap_or(at + 3),
            Some(code) if code.iter().all(u8::is_ascii_hexdigit) => at + 3,
            _ => at + 1,
        }
    }

    fn after_colour(&self, at: usize) -> usize {
        let Some(code) = self.bytes[at + 1..].strip_prefix(b"[") else { return at + 1 };
        let length = code.iter().take(16).take_while(|b| b.is_ascii_digit() || **b == b';').count();
        if code.get(length) == Some(&b'm') { at + 2 + length + 1 } else { at + 1 }
    }

    /// Reports a finding and returns where the walk goes on. What the walk would skip on its way there is read
    /// first: in `https://TOKEN:x@host` the password is found from the colon, and the user is the secret.
    pub(crate) fn take(&mut self, kind: &'static str, range: Range<usize>) -> usize {
        let end = range.end;
        let from = self.at.max(self.floor);
        if from < range.start {
            let (bytes, candidates, runs) =
                (&self.bytes[..range.start], Candidates::default(), Runs::default());
            Scan { bytes, floor: self.floor, at: from, candidates, runs, found: self.found }.walk(from);
        }
        self.found.push(Finding { kind, range });
        self.floor = end;
        end
    }

    /// Returns the byte at `at`, or `None` outside the gap.
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Returns the byte before `at`, or `None` at the start of the gap.
    pub(crate) fn before(&self, at: usize) -> Option<u8> {
        if at > self.floor { self.byte(at - 1) } else { None }
    }

    /// Says whether the text goes on with `word` at `at`.
    pub(crate) fn has(&self, at: usize, word: &str) -> bool {
        self.bytes.get(at..at + word.len()) == Some(word.as_bytes())
    }

    /// Returns the end of the run of `set` at `at`.
    pub(crate) fn run(&mut self, set: Set, at: usize) -> usize {
        self.runs.end(self.bytes, set, at)
    }

    /// Steps over blanks and, if it is allowed, line breaks, written or as `\n` in a string; at most 64 bytes.
    pub(crate) fn skip_space(&self, at: usize, lines: bool) -> usize {
        let mut end = at;
        while end < at + 64 {
            end += match self.byte(end) {
                Some(b' ' | b'\t') => 1,
                Some(b'\n' | b'\r') if lines => 1,
                Some(b'\\') if lines && matches!(self.byte(end + 1), Some(b'n' | b'r' | b't')) => 2,
                _ => break,
            };
        }
        effort::spend(end - at);
        end
    }
}
