//! Where a quoted value begins and ends, in whatever way the text around it is escaped.
//!
//! A log is full of strings inside strings: `"{\"password\":\"x\"}"`. A quote is therefore known by its sign and by
//! the number of backslashes before it, and is closed by its like.

use std::ops::Range;

use crate::charset::Set;
use crate::effort;
use crate::scan::Scan;

/// The longest value whose closing quote is looked for.
const LONGEST: usize = 4096;
/// The deepest nesting of strings in strings, in backslashes.
const DEEPEST: usize = 7;
/// Quotes as HTML, JSON and addresses escape them.
const ESCAPED: [&str; 6] = ["&quot;", "&#34;", "&#39;", "\\u0022", "\\u0027", "%22"];

/// An opening quote.
#[derive(Clone, Copy)]
pub(crate) enum Quote {
    Sign { sign: u8, backslashes: usize },
    Escaped(&'static str),
}

impl Quote {
    /// Reads an opening quote at `at`.
    pub(crate) fn at(scan: &Scan<'_, '_>, at: usize) -> Option<Self> {
        if let Some(escaped) = ESCAPED.iter().find(|escaped| scan.has(at, escaped)) {
            return Some(Self::Escaped(escaped));
        }
        let backslashes = backslashes(scan, at);
        let sign = scan.byte(at + backslashes).filter(|b| matches!(b, b'"' | b'\'' | b'`'))?;
        Some(Self::Sign { sign, backslashes })
    }

    /// Says whether a shell would run what the quote holds.
    pub(crate) fn runs_a_command(self) -> bool {
        matches!(self, Self::Sign { sign: b'`', .. })
    }

    fn length(self) -> usize {
        match self {
            Self::Sign { backslashes, .. } => backslashes + 1,
            Self::Escaped(escaped) => escaped.len(),
        }
    }

    /// Returns the value behind the opening quote at `at`. If it is not closed on its line, it was cut off, and
    /// reaches as far as a word does.
    pub(crate) fn value(self, scan: &mut Scan<'_, '_>, at: usize) -> Range<usize> {
        let start = at + self.length();
        let end = match self {
            Self::Sign { sign, backslashes: depth } => closing(scan, start, sign, depth),
            Self::Escaped(escaped) => {
                let text = &scan.bytes[start..scan.bytes.len().min(start + LONGEST)];
                text.windows(escaped.len()).position(|w| w == escaped.as_bytes()).map(|i| start + i)
            }
        };
        let end = end.unwrap_or_else(|| scan.run(Set::Line, start));
        effort::spend(end - start);
        start..end
    }
}

/// Returns where the quote that closes `sign` begins.
fn closing(scan: &Scan<'_, '_>, start: usize, sign: u8, depth: usize) -> Option<usize> {
    let mut at = start;
    while at < start + LONGEST {
        let escape = backslashes(scan, at);
        match scan.byte(at + escape)? {
            b'\n' => return None,
            // Fewer backslashes than opened it: the string around it ends, and this one with it.
            b if b == sign && escape <= depth => return Some(at),
            b if b == sign => at += escape + 1,
            // The letter of an escape, or any other.
            _ => at += escape.max(1),
        }
    }
    None
}

fn backslashes(scan: &Scan<'_, '_>, at: usize) -> usize {
    let tail = scan.bytes.get(at..).unwrap_or_default();
    tail.iter().take(DEEPEST).take_while(|&&b| b == b'\\').count()
}

/// Steps back over a closing quote that ends at `end`.
pub(crate) fn before(scan: &Scan<'_, '_>, end: usize) -> usize {
    let text = &scan.bytes[scan.floor..end];
    if let Some(escaped) = ESCAPED.iter().find(|escaped| text.ends_with(escaped.as_bytes())) {
        return end - escaped.len();
    }
    if !text.last().is_some_and(|b| matches!(b, b'"' | b'\'' | b'`')) {
        return end;
    }
    let escape = text[..text.len() - 1].iter().rev().take(DEEPEST).take_while(|&&b| b == b'\\').count();
    end - 1 - escape
}
