//! What becomes of texts before anything is written: secrets are taken out, and what is too long keeps its head and its tail.
//!
//! Redaction comes first, always: a secret that lies across a cut would otherwise survive in two halves. For a text of many megabytes
//! neither step makes a copy of the whole; what is kept is put together from the stretches between the findings.
//!
//! A shortened text says in its middle what it was: `[cut: 52301223 bytes, sha256 3f2a…]`. Length and hash are those of the
//! redacted text, so that the hash gives no secret away.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::frame::push_hex;
use crate::hash;

/// Takes secrets and private text out of one text.
pub fn redact_text(text: &mut String) {
    if let Cow::Owned(clean) = custos_redact::redact(text) {
        *text = clean;
    }
}

/// Takes secrets and private text out of every text in an object, its keys included.
pub fn redact_fields(fields: &mut Map<String, Value>) {
    for (name, value) in fields.iter_mut() {
        redact_value(Some(name), value);
    }
    let telling: Vec<String> =
        fields.keys().filter(|name| matches!(custos_redact::redact(name), Cow::Owned(_))).cloned().collect();
    for name in telling {
        if let Some(value) = fields.remove(&name) {
            let clean = custos_redact::redact(&name).into_owned();
            // Two secrets of one kind make one key; the value of the second is not to be lost.
            let mut free = clean.clone();
            let mut n = 1;
            while fields.contains_key(&free) {
                n += 1;
                free = format!("{clean} ({n})");
            }
            fields.insert(free, value);
        }
    }
}

fn redact_value(name: Option<&str>, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = custos_redact::redact_field(name, text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(name, item)),
        Value::Object(fields) => redact_fields(fields),
        // A password need not be a text.
        Value::Number(number) if name.is_some_and(custos_redact::names_a_secret) => {
            let text = number.to_string();
            if let Cow::Owned(clean) = custos_redact::redact_field(name, &text) {
                *value = Value::String(clean);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Redacts a text and, where it is longer than `limit` bytes in JSON, keeps its head and its tail.
pub fn shorten(name: Option<&str>, text: &str, limit: usize) -> String {
    // Up to here a copy costs less than the care to avoid it.
    const COPIED: usize = 1 << 20;
    if text.len() <= COPIED || name.is_some_and(custos_redact::names_a_secret) {
        let clean = custos_redact::redact_field(name, text);
        return if text_len(&clean) <= limit { clean.into_owned() } else { cut(&[&clean], limit) };
    }
    let mut pieces: Vec<Cow<'_, str>> = Vec::new();
    let mut from = 0;
    for finding in custos_redact::find(text) {
        pieces.push(Cow::Borrowed(&text[from..finding.range.start]));
        pieces.push(Cow::Owned(format!("[redacted:{}]", finding.kind)));
        from = finding.range.end;
    }
    pieces.push(Cow::Borrowed(&text[from..]));
    let pieces: Vec<&str> = pieces.iter().map(AsRef::as_ref).collect();
    if pieces.iter().map(|piece| text_len(piece)).sum::<usize>() <= limit {
        pieces.concat()
    } else {
        cut(&pieces, limit)
    }
}

/// The room that the note in the middle takes, for any length.
const NOTE: usize = 128;

/// How a note begins and ends.
const NOTE_MARKS: (&str, &str) = ("…[cut: ", "]…");

fn cut(pieces: &[&str], limit: usize) -> String {
    let pieces_as_bytes: Vec<&[u8]> = pieces.iter().map(|piece| piece.as_bytes()).collect();
    let total: usize = pieces.iter().map(|piece| piece.len()).sum();
    let mut digest = Vec::with_capacity(64);
    push_hex(&mut digest, &hash::bulk(&pieces_as_bytes));
    let (open, close) = NOTE_MARKS;
    let note = format!("{open}{total} bytes, sha256 {}{close}", String::from_utf8_lossy(&digest));
    around(&note, pieces, pieces, limit)
}

/// Cuts a text further that was cut while it was read: the note goes on telling of the text as it came.
fn cut_again(text: &str, limit: usize) -> Option<String> {
    let (open, close) = NOTE_MARKS;
    let begin = text.find(open)?;
    let end = begin + text[begin..].find(close)? + close.len();
    let total = text[begin + open.len()..].split(' ').next()?;
    let genuine = end - begin <= NOTE && total.parse::<usize>().is_ok_and(|total| total > text.len());
    genuine.then(|| around(&text[begin..end], &[&text[..begin]], &[&text[end..]], limit))
}

/// Puts a note between as much of a head and a tail as the limit leaves room for.
fn around(note: &str, head_of: &[&str], tail_of: &[&str], limit: usize) -> String {
    let room = limit.saturating_sub(NOTE);
    let mut kept = String::new();
    let mut left = room - room / 3;
    'head: for piece in head_of {
        for c in piece.chars() {
            let Some(rest) = left.checked_sub(char_len(c)) else { break 'head };
            left = rest;
            kept.push(c);
        }
    }
    let mut tail = Vec::new();
    let mut left = room / 3;
    'tail: for piece in tail_of.iter().rev() {
        for c in piece.chars().rev() {
            let Some(rest) = left.checked_sub(char_len(c)) else { break 'tail };
            left = rest;
            tail.push(c);
        }
    }
    kept.push_str(note);
    kept.extend(tail.into_iter().rev());
    kept
}

/// Shortens the longest texts of a body until it takes at most `limit` bytes as JSON.
///
/// All texts are cut to one common length, the greatest that fits, so that short ones stay whole. A body that is long without
/// having long texts is kept as an excerpt of its own JSON.
pub fn fit(body: &mut Map<String, Value>, limit: usize) {
    /// Under this, a head and a tail tell nothing.
    const SHORTEST: usize = 512;
    let mut lengths = Vec::new();
    for value in body.values() {
        collect_lengths(value, &mut lengths);
    }
    lengths.sort_unstable();
    let texts: usize = lengths.iter().sum();
    let whole = json_len(body);
    if whole <= limit {
        return;
    }
    if let Some(common) =
        common_length(&lengths, limit.saturating_sub(whole - texts)).filter(|c| *c >= SHORTEST)
    {
        for (name, value) in body.iter_mut() {
            shorten_value(name, value, common);
        }
        if json_len(body) <= limit {
            return;
        }
    }
    let json = serde_json::to_string(body).unwrap_or_default();
    // As a text within JSON, quotes and backslashes count double; `shorten` measures that.
    let excerpt = shorten(None, &json, limit.saturating_sub(32));
    body.clear();
    body.insert("excerpt".to_owned(), Value::String(excerpt));
}

/// Finds the greatest length to which all texts can be cut so that together they fit into `room`.
fn common_length(sorted: &[usize], room: usize) -> Option<usize> {
    let mut left = room;
    for (i, length) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - i);
        if *length > share {
            return Some(share);
        }
        left -= length;
    }
    None
}

fn collect_lengths(value: &Value, out: &mut Vec<usize>) {
    match value {
        Value::String(text) => out.push(text_len(text)),
        Value::Array(items) => items.iter().for_each(|item| collect_lengths(item, out)),
        Value::Object(fields) => fields.values().for_each(|value| collect_lengths(value, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn shorten_value(name: &str, value: &mut Value, limit: usize) {
    match value {
        Value::String(text) if text_len(text) > limit => {
            *text = cut_again(text, limit).unwrap_or_else(|| shorten(Some(name), text, limit));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten_value(name, item, limit)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(name, value)| shorten_value(name, value, limit));
        }
        _ => {}
    }
}

/// Gives the length of an object as JSON.
pub fn json_len(body: &Map<String, Value>) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail, and a map of values always serialises.
    let _ = serde_json::to_writer(&mut count, body);
    count.0
}

/// Gives the length of a text within JSON, without its quotes.
fn text_len(text: &str) -> usize {
    text.chars().map(char_len).sum()
}

fn char_len(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        let Value::Object(fields) = value else { panic!("an object") };
        fields
    }

    #[test]
    fn a_long_text_keeps_head_and_tail_and_says_what_it_was() {
        let text = format!("{}{}{}", "a".repeat(500), "b".repeat(5000), "c".repeat(500));
        let digest = "1d84d2c8a0a5d2b1";
        let short = shorten(None, &text, 1024);
        let (head, rest) = short.split_once('…').unwrap();
        let (note, tail) = rest.split_once('…').unwrap();
        assert_eq!(head, format!("{}{}", "a".repeat(500), "b".repeat(98)));
        assert_eq!(tail, "c".repeat(298));
        assert!(note.starts_with("[cut: 6000 bytes, sha256 ") && note.len() == 90, "{note} {digest}");
    }

    #[test]
    fn a_text_that_is_cut_twice_still_says_what_it_was_at_first() {
        let text = "a".repeat(10_000) + &"z".repeat(10_000);
        let once = shorten(None, &text, 4_000);
        let mut body = object(json!({ "output": once }));
        fit(&mut body, 2_000);
        let twice = body["output"].as_str().unwrap();
        let note = |text: &str| text.split('…').nth(1).unwrap().to_owned();
        assert_eq!(note(twice), note(&once));
        assert!(note(twice).starts_with("[cut: 20000 bytes, sha256 ") && json_len(&body) <= 2_000);
    }

    #[test]
    fn short_texts_stay_whole_beside_a_long_one() {
        let mut body = object(json!({"title": "kept", "output": "x".repeat(10_000), "list": ["also kept"]}));
        fit(&mut body, 2_000);
        assert_eq!((&body["title"], &body["list"]), (&json!("kept"), &json!(["also kept"])));
        assert!(json_len(&body) <= 2_000 && json_len(&body) > 1_800);
    }

    #[test]
    fn a_body_of_many_small_things_becomes_an_excerpt() {
        let mut body = object(json!({"numbers": vec![1234; 10_000]}));
        fit(&mut body, 4_000);
        assert_eq!(body.keys().collect::<Vec<_>>(), ["excerpt"]);
        assert!(body["excerpt"].as_str().unwrap().starts_with(r#"{"numbers":[1234,1234,"#));
        assert!(json_len(&body) <= 4_000);
    }

    #[test]
    fn a_secret_across_the_cut_does_not_survive_in_halves() {
        let secret = format!("ghp_{}", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
        for pad in [560, 580, 590, 598, 600, 620] {
            let text = format!("{} {secret} {}", "x ".repeat(pad / 2), "y ".repeat(2_000));
            let short = shorten(None, &text, 1024);
            assert!(!short.contains("A1b2C3d4"), "{pad}: {short}");
        }
    }

    #[test]
    fn a_text_over_the_copying_limit_is_redacted_in_stretches() {
        let secret = format!("ghp_{}", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
        let text = format!("start {secret} {} {secret} end", "word ".repeat(400_000));
        let short = shorten(None, &text, 4_096);
        assert!(short.starts_with("start [redacted:") && short.ends_with("] end"), "{short}");
        assert!(!short.contains("A1b2C3d4") && short.len() <= 4_096);
    }

    proptest! {
        #[test]
        fn shortening_never_splits_a_character_and_keeps_its_limit(text in "\\PC{0,300}[\u{0}-\u{1f}äß漢🦀\"\\\\]{0,300}", limit in 200_usize..600) {
            let short = shorten(None, &text, limit);
            prop_assert!(text_len(&short) <= limit, "{} > {limit}", text_len(&short));
        }

        #[test]
        fn any_body_fits(texts in prop::collection::vec("[ -~äß漢\u{0}]{0,2000}", 0..8), limit in 1_000_usize..4_000) {
            let mut body = object(json!({"texts": texts}));
            fit(&mut body, limit);
            prop_assert!(json_len(&body) <= limit, "{} > {limit}", json_len(&body));
        }
    }
}
