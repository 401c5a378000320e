//! What is not read at all: private text, and the markers that an earlier run left.
//!
//! Tags are recognised as they are written and as JSON, HTML and addresses escape them. A tag is closed by a tag
//! of the same spelling only: text that quotes `&lt;/private&gt;` inside a plain `<private>` does not end it. A
//! tag that is never closed reaches to the end of the text, because the end may have been cut off.

use std::ops::Range;

use crate::effort;

/// The kind of private text.
pub const PRIVATE: &str = "private";
/// The name of the tag that marks private text, in any case.
pub const PRIVATE_TAG: &str = "private";
/// How a marker begins; the kind follows.
pub const MARKER_OPEN: &str = "[redacted:";
/// How a marker ends.
pub const MARKER_CLOSE: &str = "]";

/// The longest kind that a marker may name.
const LONGEST_KIND: usize = 40;
/// The longest tag, attributes included. What is longer is no tag but a stray `<`.
const LONGEST_TAG: usize = 256;
/// The spellings of `<` and `>`.
const BRACKETS: [(&str, &str); 7] = [
    ("<", ">"),
    ("\\u003c", "\\u003e"),
    ("\\x3c", "\\x3e"),
    ("&lt;", "&gt;"),
    ("&#60;", "&#62;"),
    ("&#x3c;", "&#x3e;"),
    ("%3c", "%3e"),
];

/// A stretch of text that the scan steps over.
pub(crate) struct Hole {
    pub(crate) range: Range<usize>,
    /// Private text is a finding; an old marker is not.
    pub(crate) is_private: bool,
}

/// The holes of a text, from left to right.
pub(crate) struct Holes<'t> {
    bytes: &'t [u8],
    at: usize,
}

/// A tag of either kind: which spelling, and where it ends.
struct Tag {
    spelling: usize,
    closes: bool,
    end: usize,
}

impl<'t> Holes<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }

    /// Moves to the next byte that a bracket or a marker can begin with. Whole blocks without one are passed
    /// over in a form that the compiler turns into vector code.
    fn next_candidate(&self, from: usize, wanted: impl Fn(u8) -> bool) -> Option<usize> {
        const BLOCK: usize = 32;
        let mut at = from;
        for block in self.bytes.get(from..)?.chunks(BLOCK) {
            effort::spend(block.len());
            if block.iter().fold(false, |hit, &b| hit | wanted(b)) {
                return block.iter().position(|&b| wanted(b)).map(|i| at + i);
            }
            at += block.len();
        }
        None
    }

    /// Says, from the byte behind it, whether the byte at `at` can begin a tag or a marker.
    fn may_begin(&self, at: usize) -> bool {
        let Some(next) = self.bytes.get(at + 1) else { return false };
        match self.bytes[at] {
            b'<' => matches!(next, b'p' | b'P' | b'/' | b'\\') || next.is_ascii_whitespace(),
            b'[' => *next == b'r',
            b'\\' => matches!(next, b'u' | b'U' | b'x' | b'X'),
            b'&' => matches!(next, b'l' | b'L' | b'#'),
            _ => *next == b'3',
        }
    }

    /// Reads a private tag at `at`, or `None`.
    fn tag(&self, at: usize) -> Option<Tag> {
        let here = &self.bytes[at..];
        let spelling = BRACKETS.iter().position(|(open, _)| starts_with(here, open))?;
        let (open, close) = BRACKETS[spelling];
        let mut rest = trim_start(&here[open.len()..]);
        let slash = rest.iter().take_while(|&&b| b == b'\\').count();
        let closes = slash <= 3 && rest.get(slash) == Some(&b'/');
        if closes {
            rest = trim_start(&rest[slash + 1..]);
        }
        if !starts_with(rest, PRIVATE_TAG) {
            return None;
        }
        rest = &rest[PRIVATE_TAG.len()..];
        if !starts_with(rest, close)
            && !rest.first().is_some_and(|b| b.is_ascii_whitespace() || b"\\/&%+".contains(b))
        {
            return None;
        }
        let bound = rest.len().min(LONGEST_TAG);
        for i in 0..bound {
            effort::spend(1);
            if starts_with(&rest[i..], close) {
                let itself = !closes && i > 0 && rest[i - 1] == b'/';
                let end = self.bytes.len() - rest.len() + i + close.len();
                return (!itself).then_some(Tag { spelling, closes, end });
            }
            if rest[i] == b'<' {
                break;
            }
        }
        None
    }

    /// Returns the end of the private text whose tag was just read.
    fn private_end(&self, opened: &Tag) -> usize {
        let first = BRACKETS[opened.spelling].0.as_bytes()[0];
        let mut depth = 1;
        let mut at = opened.end;
        while let Some(candidate) = self.next_candidate(at, |b| b == first) {
            at = candidate + 1;
            let Some(tag) = self.tag(candidate).filter(|tag| tag.spelling == opened.spelling) else {
                continue;
            };
            at = tag.end;
            depth = if tag.closes { depth - 1 } else { depth + 1 };
            if depth == 0 {
                return tag.end;
            }
        }
        self.bytes.len()
    }

    fn marker_end(&self, at: usize) -> Option<usize> {
        let kind = self.bytes[at..].strip_prefix(MARKER_OPEN.as_bytes())?;
        let plain = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
        let length = kind.iter().take(LONGEST_KIND).take_while(|b| plain(b)).count();
        let closed = length > 0 && kind[length..].starts_with(MARKER_CLOSE.as_bytes());
        closed.then_some(at + MARKER_OPEN.len() + length + MARKER_CLOSE.len())
    }
}

impl Iterator for Holes<'_> {
    type Item = Hole;

    fn next(&mut self) -> Option<Hole> {
        let wanted = |b| matches!(b, b'<' | b'[' | b'\\' | b'&' | b'%');
        while let Some(at) = self.next_candidate(self.at, wanted) {
            if !self.may_begin(at) {
                self.at = at + 1;
                continue;
            }
            let end = if self.bytes[at] == b'[' {
                self.marker_end(at)
            } else {
                self.tag(at).filter(|tag| !tag.closes).map(|tag| self.private_end(&tag))
            };
            if let Some(end) = end {
                self.at = end;
                return Some(Hole { range: at..end, is_private: self.bytes[at] != b'[' });
            }
            self.at = at + 1;
        }
        self.at = self.bytes.len();
        None
    }
}

fn starts_with(bytes: &[u8], prefix: &str) -> bool {
    bytes.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
}

/// Steps over white space, up to a few characters of it.
fn trim_start(bytes: &[u8]) -> &[u8] {
    let blank = bytes.iter().take(8).take_while(|b| b.is_ascii_whitespace()).count();
    &bytes[blank..]
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use crate::redact;

    #[rstest]
    #[case::plain("a <private>b</private> c", "a [redacted:private] c")]
    #[case::any_case("a <PRIVATE>b</Private> c", "a [redacted:private] c")]
    #[case::across_lines("a\n<private>\nb\n</private>\nc", "a\n[redacted:private]\nc")]
    #[case::attributes("<private reason=\"health\">b</private >c", "[redacted:private]c")]
    #[case::white_space("< private\n>b< / private >c", "[redacted:private]c")]
    #[case::nested("<private>a<private>b</private>c</private>d", "[redacted:private]d")]
    #[case::two("<private>a</private>-<private>b</private>", "[redacted:private]-[redacted:private]")]
    #[case::unclosed("a <private>b c", "a [redacted:private]")]
    #[case::nested_unclosed("a <private>b<private>c</private> d", "a [redacted:private]")]
    #[case::json_escape("\\u003cprivate\\u003eb\\u003c/private\\u003e c", "[redacted:private] c")]
    #[case::json_escape_upper("\\u003Cprivate\\u003Eb\\u003C/private\\u003E c", "[redacted:private] c")]
    #[case::doubly_escaped(
        "\\\\u003cprivate\\\\u003eb\\\\u003c/private\\\\u003e c",
        "\\[redacted:private] c"
    )]
    #[case::json_slash("<private>b<\\/private>c", "[redacted:private]c")]
    #[case::html("&lt;private&gt;b&lt;/private&gt;c", "[redacted:private]c")]
    #[case::html_numbers("&#60;private&#62;b&#60;/private&#62;c", "[redacted:private]c")]
    #[case::percent("q=%3Cprivate%3Eb%3C/private%3Ec", "q=[redacted:private]c")]
    #[case::other_spelling_does_not_close("<private>a&lt;/private&gt;b</private>c", "[redacted:private]c")]
    #[case::secret_inside("<private>password=hunter2x9</private>", "[redacted:private]")]
    #[case::inside_a_value("password=\"ab<private>cd\" ef</private>gh", "password=\"ab[redacted:private]gh")]
    #[case::unicode("größe <private>ü</private> größe", "größe [redacted:private] größe")]
    #[case::empty("<private></private>", "[redacted:private]")]
    fn taken_out(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(redact(text), expected);
    }

    #[rstest]
    #[case::stray_close("a</private>b")]
    #[case::empty_element("a<private/>b")]
    #[case::longer_name("<privateer>b</privateer>")]
    #[case::no_tag("a < private b")]
    #[case::marker("[redacted:private] [redacted:github-token]")]
    #[case::prose("the private key of a private person")]
    #[case::visibility("template <class T> private: int x;")]
    fn left_alone(#[case] text: &str) {
        assert_eq!(redact(text), text);
    }
}
