//! The line: one record's layout, and the hashes that chain it to the one before.
//!
//! ```text
//! {"v":…,"id":…,"seq":…,"ts":…,"kind":…  ,"prev":…,"commitment":…  ,"salt":…  ,"scope":…  …  ,"body":{…}}
//! └──────────── opening ───────────────┘ └──────── links ───────┘ └─ salt ─┘ └──────── content ────────┘
//! ```
//!
//! `commitment` is the SHA-256 of the salt, the opening and the content. `prev` is the SHA-256 of the previous record's opening and
//! links. So the chain binds every record through its commitment, and still holds when salt and content are gone: forgetting
//! overwrites both with `,"forgotten":true`, spaces and the closing brace. The salt keeps a short content from being guessed by
//! trying.
//!
//! The hashes are over the bytes as they stand, and the layout is exact: no second spelling, no space, no other order. That makes a
//! changed byte visible wherever it is, makes checking as fast as hashing, and never depends on how some library prints a number.

use std::ops::Range;

use crate::hash;
pub use crate::hash::Hash;
use custos_model::{EventId, Kind, SchemaVersion, Timestamp};

/// What the first record of a writer names as its predecessor.
pub const GENESIS: Hash = [0; 32];

/// Sixteen random bytes that keep a commitment from being guessed.
pub type Salt = [u8; 16];

/// The greatest sequence: whoever adds one to a number from a line, or keeps it in a database, does not overflow.
const LAST_SEQ: u64 = i64::MAX.unsigned_abs();

/// What stands in a record whose content was forgotten.
const FORGOTTEN: &[u8] = b",\"forgotten\":true";

/// The opening of a record, before it is written.
#[derive(Debug, Clone, Copy)]
pub struct Opening {
    /// The schema.
    pub v: SchemaVersion,
    /// The id.
    pub id: EventId,
    /// The place in the writer's log.
    pub seq: u64,
    /// The writer's time.
    pub ts: Timestamp,
    /// What happened.
    pub kind: Kind,
}

/// Writes a record without its line break, and gives the hash that the next record names as `prev`.
///
/// `content` is a JSON object; its fields follow the salt.
pub fn write(opening: &Opening, prev: &Hash, salt: &Salt, content: &[u8]) -> (Vec<u8>, Hash) {
    let mut line = Vec::with_capacity(content.len() + 400);
    let Opening { v, id, seq, ts, kind } = opening;
    line.extend_from_slice(
        format!(r#"{{"v":"{v}","id":"{id}","seq":{seq},"ts":"{ts}","kind":"{kind}""#).as_bytes(),
    );
    // The object's opening brace becomes the comma after the salt.
    let fields = content.get(1..).unwrap_or_default();
    let commitment = hash::brief(&[salt, &line, b",", fields]);
    line.extend_from_slice(b",\"prev\":\"");
    push_hex(&mut line, prev);
    line.extend_from_slice(b"\",\"commitment\":\"");
    push_hex(&mut line, &commitment);
    line.push(b'"');
    let link = hash::brief(&[&line]);
    line.extend_from_slice(b",\"salt\":\"");
    push_hex(&mut line, salt);
    line.extend_from_slice(b"\",");
    line.extend_from_slice(fields);
    (line, link)
}

/// A record's line, taken apart. Nothing is decoded that the chain does not need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The schema.
    pub v: SchemaVersion,
    /// The id.
    pub id: EventId,
    /// The place in the writer's log.
    pub seq: u64,
    /// The writer's time.
    pub ts: Timestamp,
    /// What happened, by name: a newer schema may have kinds that we do not know.
    pub kind: &'a str,
    /// The hash that the record names as its predecessor's.
    pub prev: Hash,
    /// The hash of salt, opening and content.
    pub commitment: Hash,
    /// The salt; none when the content was forgotten.
    pub salt: Option<Salt>,
    /// Where the opening ends.
    opening: usize,
    /// Where the links end: from here on, forgetting overwrites.
    links: usize,
    /// Where the content is.
    content: Range<usize>,
}

/// What of a line can be recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed<'a> {
    /// A whole record.
    Whole(Frame<'a>),
    /// A record whose opening and links are whole, but what follows is not: a forgetting that was interrupted, or damage.
    Headed(Frame<'a>),
    /// No record of this layout.
    Not,
}

/// Takes a line (without its line break) apart.
pub fn parse(line: &[u8]) -> Parsed<'_> {
    let Some(mut frame) = parse_links(line) else { return Parsed::Not };
    if let Some(salt) = parse_salt(&line[frame.links..]) {
        frame.salt = Some(salt);
        // `,"salt":"`, 32 digits, `"`
        frame.content = frame.links + 42..line.len();
        let closed = line.ends_with(b"}") && line.get(frame.content.start) == Some(&b',');
        return if closed { Parsed::Whole(frame) } else { Parsed::Headed(frame) };
    }
    match line[frame.links..].strip_prefix(FORGOTTEN).and_then(|rest| rest.strip_suffix(b"}")) {
        Some(padding) if padding.iter().all(|b| *b == b' ') => Parsed::Whole(frame),
        _ => Parsed::Headed(frame),
    }
}

impl Frame<'_> {
    /// Says whether the content was forgotten.
    pub fn is_forgotten(&self) -> bool {
        self.salt.is_none()
    }

    /// Computes what the next record must name as `prev`.
    pub fn link(&self, line: &[u8]) -> Hash {
        hash::bulk(&[&line[..self.links]])
    }

    /// Says whether opening and content are the ones that were committed to. A forgotten content cannot be checked.
    pub fn holds(&self, line: &[u8]) -> bool {
        self.salt.is_none_or(|salt| {
            hash::bulk(&[&salt, &line[..self.opening], &line[self.content.clone()]]) == self.commitment
        })
    }

    /// Gives the offset within the line from which on forgetting overwrites.
    pub fn erasable_from(&self) -> usize {
        self.links
    }
}

/// Gives what forgetting writes over a record's last `len` bytes; none where the marker does not fit.
pub fn erasure(len: usize) -> Option<Vec<u8>> {
    let padding = len.checked_sub(FORGOTTEN.len() + 1)?;
    let mut bytes = FORGOTTEN.to_vec();
    bytes.resize(FORGOTTEN.len() + padding, b' ');
    bytes.push(b'}');
    Some(bytes)
}

fn parse_links(line: &[u8]) -> Option<Frame<'_>> {
    let mut at = Scanner { line, at: 0 };
    let v = at.text("{\"v\":\"")?.parse().ok()?;
    let id_text = at.text(",\"id\":\"")?;
    let id: EventId = id_text.parse().ok()?;
    let seq_text = at.digits(",\"seq\":")?;
    let seq = seq_text.parse().ok().filter(|seq| *seq <= LAST_SEQ)?;
    let ts_text = at.text(",\"ts\":\"")?;
    let ts: Timestamp = ts_text.parse().ok()?;
    let kind = at.text(",\"kind\":\"")?;
    let opening = at.at;
    // One value has one spelling; otherwise a changed byte could hide in another.
    let canonical = id.to_string() == id_text && ts.to_string() == ts_text && !seq_text.starts_with('0');
    if !canonical {
        return None;
    }
    let prev = from_hex(at.text(",\"prev\":\"")?.as_bytes())?;
    let commitment = from_hex(at.text(",\"commitment\":\"")?.as_bytes())?;
    let links = at.at;
    Some(Frame { v, id, seq, ts, kind, prev, commitment, salt: None, opening, links, content: links..links })
}

fn parse_salt(rest: &[u8]) -> Option<Salt> {
    from_hex(Scanner { line: rest, at: 0 }.text(",\"salt\":\"")?.as_bytes())
}

struct Scanner<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Reads a quoted text after `before`, which ends in its opening quote.
    fn text(&mut self, before: &str) -> Option<&'a str> {
        let rest = self.line.get(self.at..)?.strip_prefix(before.as_bytes())?;
        let len = rest.iter().take(80).position(|b| *b == b'"')?;
        let text = &rest[..len];
        let plain = text.iter().all(|b| (b' '..=b'~').contains(b) && *b != b'\\');
        self.at += before.len() + len + 1;
        plain.then(|| std::str::from_utf8(text).ok()).flatten()
    }

    fn digits(&mut self, before: &str) -> Option<&'a str> {
        let rest = self.line.get(self.at..)?.strip_prefix(before.as_bytes())?;
        let len = rest.iter().take(20).take_while(|b| b.is_ascii_digit()).count();
        self.at += before.len() + len;
        std::str::from_utf8(&rest[..len]).ok().filter(|text| !text.is_empty())
    }
}

pub(crate) fn push_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
}

pub(crate) fn from_hex<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let digit = |b: u8| match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(seq: u64) -> Opening {
        let ts = Timestamp::from_millis(1_763_240_109_123);
        Opening { v: SchemaVersion::CURRENT, id: EventId::new(ts, [1; 10]), seq, ts, kind: Kind::ToolUsed }
    }

    #[test]
    fn a_record_looks_like_this_and_reads_back() {
        let (line, link) = write(&opening(7), &[0xab; 32], &[0xcd; 16], br#"{"scope":"user","body":{}}"#);
        let text = String::from_utf8(line.clone()).unwrap();
        let Parsed::Whole(frame) = parse(&line) else { panic!("{text}") };
        assert_eq!(
            (frame.seq, frame.kind, frame.prev, frame.salt),
            (7, "tool.used", [0xab; 32], Some([0xcd; 16]))
        );
        assert!(frame.holds(&line));
        assert_eq!(frame.link(&line), link);
        let json: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(json["body"], serde_json::json!({}));
        let commitment = json["commitment"].as_str().unwrap();
        assert_eq!(
            text.replace(commitment, "COMMITMENT"),
            r#"{"v":"1.0.0","id":"019a894c-e443-7101-8101-010101010101","seq":7,"ts":"2025-11-15T20:55:09.123Z","kind":"tool.used","prev":"abababababababababababababababababababababababababababababababab","commitment":"COMMITMENT","salt":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","scope":"user","body":{}}"#
        );
    }

    #[test]
    fn a_forgotten_record_keeps_its_length_its_link_and_nothing_else() {
        let (mut line, link) =
            write(&opening(1), &GENESIS, &[9; 16], br#"{"scope":"user","body":{"text":"planted"}}"#);
        let Parsed::Whole(frame) = parse(&line) else { panic!() };
        let from = frame.erasable_from();
        let before = line.len();
        let erased = erasure(line.len() - from).unwrap();
        line[from..].copy_from_slice(&erased);
        let Parsed::Whole(frame) = parse(&line) else { panic!("{}", String::from_utf8_lossy(&line)) };
        assert!(frame.is_forgotten() && frame.holds(&line));
        assert_eq!((line.len(), frame.link(&line)), (before, link));
        assert!(!String::from_utf8(line.clone()).unwrap().contains("planted"));
        serde_json::from_slice::<serde_json::Value>(&line).unwrap();
    }

    #[test]
    fn every_flipped_bit_of_a_record_shows_in_its_frame_its_commitment_or_its_link() {
        let (line, link) = write(&opening(42), &[3; 32], &[4; 16], br#"{"scope":"user","body":{"n":1}}"#);
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut changed = line.clone();
                changed[at] ^= 1 << bit;
                let unnoticed = match parse(&changed) {
                    Parsed::Whole(frame) => {
                        frame.holds(&changed) && frame.link(&changed) == link && frame.prev == [3; 32]
                    }
                    Parsed::Headed(_) | Parsed::Not => false,
                };
                assert!(!unnoticed, "byte {at}, bit {bit}");
            }
        }
    }

    #[test]
    fn an_interrupted_forgetting_is_still_recognised_by_its_head() {
        let (mut line, _) =
            write(&opening(1), &GENESIS, &[9; 16], br#"{"scope":"user","body":{"text":"planted"}}"#);
        let Parsed::Whole(frame) = parse(&line) else { panic!() };
        let from = frame.erasable_from();
        let erased = erasure(line.len() - from).unwrap();
        line[from..from + 30].copy_from_slice(&erased[..30]);
        assert!(matches!(parse(&line), Parsed::Headed(frame) if frame.seq == 1));
    }
}
