//! Tokens that give themselves away: how a row of the table is matched, and how the right row is found fast.
//!
//! The compiler turns the table into two smaller ones. `GATE` has a mask per first and second byte, with a bit for each
//! third byte that some prefix has: nearly every word of a clean text ends there, and few of its lines are ever touched.
//! `BUCKETS` lists the prefixes by first byte with their first four bytes packed, so that a word that passes the gate
//! is compared with a handful of numbers.

use std::ops::{Range, RangeInclusive};

use crate::charset::Set;
use crate::placeholders::{invites, is_filler};
use crate::redaction::Finding;
use crate::scan::Scan;
use crate::table::{BESIDE_A_NAME, SHAPES};
use crate::texture;

/// A family of secrets, as it is named in markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The name in the marker.
    pub name: &'static str,
    /// What it is, for people.
    pub what: &'static str,
}

/// Lists what can be found, each kind once.
pub fn kinds() -> impl Iterator<Item = Kind> {
    SHAPES.iter().map(|shape| shape.kind).chain(BESIDE_A_NAME.iter().copied())
}

/// A row of the table: prefixes, and what must follow them.
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    pub(crate) prefixes: &'static [&'static str],
    pub(crate) tail: Tail,
    /// The prefix says where the secret leads and is no secret itself: it stays.
    pub(crate) keeps_prefix: bool,
    /// The prefix is an ordinary word: it counts only if no word is joined to it from the left.
    pub(crate) stands_alone: bool,
    /// The prefix is short, or a word: it counts only if the tail looks drawn. Behind any other prefix, what is not
    /// plainly a placeholder is a token, however it looks.
    pub(crate) faint: bool,
}

/// What follows a prefix.
pub(crate) enum Tail {
    /// A run of an alphabet, this long.
    Run { set: Set, least: usize, most: usize },
    /// Something with parts. The function gets the start of the word and the end of its prefix.
    Parts(fn(&mut Scan<'_, '_>, usize, usize) -> Option<Range<usize>>),
}

/// A prefix with the row that it belongs to.
#[derive(Clone, Copy)]
struct Entry {
    /// The first four bytes, and which of them a shorter prefix has.
    head: u32,
    mask: u32,
    prefix: &'static [u8],
    row: usize,
}

impl Entry {
    const fn new(prefix: &'static [u8], row: usize) -> Self {
        let (mut head, mut mask) = ([0; 4], [0; 4]);
        let mut i = 0;
        while i < prefix.len() && i < 4 {
            head[i] = prefix[i];
            mask[i] = u8::MAX;
            i += 1;
        }
        Self { head: u32::from_le_bytes(head), mask: u32::from_le_bytes(mask), prefix, row }
    }
}

const ENTRIES: usize = {
    let (mut count, mut row) = (0, 0);
    while row < SHAPES.len() {
        count += SHAPES[row].prefixes.len();
        row += 1;
    }
    count
};

/// All prefixes by first byte, and where each byte's bucket begins. Within a bucket the order of the table holds.
static BUCKETS: ([Entry; ENTRIES], [usize; 129]) = {
    let mut entries = [Entry::new(b"", 0); ENTRIES];
    let mut starts = [0; 129];
    let (mut first, mut count) = (0, 0);
    while first < 128 {
        starts[first] = count;
        let mut row = 0;
        while row < SHAPES.len() {
            let mut i = 0;
            while i < SHAPES[row].prefixes.len() {
                let prefix = SHAPES[row].prefixes[i].as_bytes();
                if prefix[0] as usize == first {
                    entries[count] = Entry::new(prefix, row);
                    count += 1;
                }
                i += 1;
            }
            row += 1;
        }
        first += 1;
    }
    assert!(count == ENTRIES, "every prefix begins with an ASCII byte");
    starts[128] = count;
    (entries, starts)
};

/// For each first byte and each second one folded to 32, the third bytes that can follow, one bit each.
static GATE: [[u32; 32]; 128] = {
    let mut gate = [[0; 32]; 128];
    let mut i = 0;
    while i < ENTRIES {
        let prefix = BUCKETS.0[i].prefix;
        gate[prefix[0] as usize][(prefix[1] & 31) as usize] |=
            if prefix.len() > 2 { 1 << (prefix[2] & 31) } else { u32::MAX };
        i += 1;
    }
    gate
};

/// Says whether some prefix may begin with these bytes: wrong sometimes, cheap always, and free of branches.
#[inline]
pub(crate) fn may_begin(first: u8, second: u8, third: u8) -> bool {
    let thirds = GATE[usize::from(first & 127)][usize::from(second & 31)];
    (thirds >> (third & 31)) & 1 != 0
}

/// Matches the word at `at` against the table.
pub(crate) fn at(scan: &mut Scan<'_, '_>, at: usize) -> Option<Finding> {
    let first = usize::from(scan.byte(at)?);
    let (entries, starts) = &BUCKETS;
    let bucket = *starts.get(first)?..*starts.get(first + 1)?;
    let word = &scan.bytes[at..];
    let mut head = [0; 4];
    for (byte, &b) in head.iter_mut().zip(word) {
        *byte = b;
    }
    let head = u32::from_le_bytes(head);
    for entry in &entries[bucket] {
        if head & entry.mask != entry.head || !word.starts_with(entry.prefix) {
            continue;
        }
        let shape = &SHAPES[entry.row];
        if shape.stands_alone && scan.before(at).is_some_and(|b| matches!(b, b'_' | b'-' | b'.' | b'+')) {
            continue;
        }
        let tail = at + entry.prefix.len();
        let range = match shape.tail {
            Tail::Run { set, least, most } => {
                run(scan, set, least..=most, tail, shape.faint).map(|end| at..end)
            }
            Tail::Parts(parts) => parts(scan, at, tail),
        };
        if let Some(range) = range {
            let start = if shape.keeps_prefix { tail } else { range.start };
            return Some(Finding { kind: shape.kind.name, range: start..range.end });
        }
    }
    None
}

/// Matches a tail of one alphabet and returns its end.
fn run(
    scan: &mut Scan<'_, '_>,
    set: Set,
    lengths: RangeInclusive<usize>,
    from: usize,
    faint: bool,
) -> Option<usize> {
    let mut end = scan.run(set, from);
    if set == Set::Dotted {
        // A full stop or a dash behind a token ends the sentence, not the token.
        let stops =
            scan.bytes[from..end].iter().rev().take(4).take_while(|b| matches!(b, b'.' | b'-')).count();
        end -= stops;
    }
    if end - from < *lengths.start() {
        return wrapped(scan, set, *lengths.start(), from, end);
    }
    let tail = &scan.bytes[from..end];
    let plausible = if faint { is_plausible(set, tail) } else { !is_filler(tail) && !invites(tail) };
    (lengths.contains(&(end - from)) && ends_here(scan, end) && plausible).then_some(end)
}

/// Matches a tail that a line break divides. Only the exact length is taken: anything else would be a guess
/// about where the token ends and the next line's text begins.
fn wrapped(scan: &mut Scan<'_, '_>, set: Set, least: usize, from: usize, end: usize) -> Option<usize> {
    if end - from < 4 {
        return None;
    }
    let next = scan.skip_space(end, true);
    let breaks = scan.bytes[end..next].iter().any(|b| matches!(b, b'\n' | b'\\'));
    let rest = scan.run(set, next);
    let whole = (end - from) + (rest - next) == least;
    let plausible = is_plausible(set, &scan.bytes[from..end]) && is_plausible(set, &scan.bytes[next..rest]);
    (breaks && whole && ends_here(scan, rest) && plausible).then_some(rest)
}

/// Says whether a token can end at `end`: no letter or digit goes on.
pub(crate) fn ends_here(scan: &Scan<'_, '_>, end: usize) -> bool {
    !scan.byte(end).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Says whether a tail could have been drawn: `xxxxxxxx` was not, nor was `my-project-name`.
fn is_plausible(set: Set, tail: &[u8]) -> bool {
    let enough = tail.len().min(5);
    texture::distinct(tail) >= enough && !(set.has_separators() && texture::is_wordy(tail))
}
