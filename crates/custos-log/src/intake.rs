//! Drafts from outside: any bytes in, a checked draft or a clear refusal out.
//!
//! The other side of this door is another program, a client or an attacker. So memory and time are bounded whatever comes: nesting is
//! limited, long texts are shortened while they are read and not afterwards, and an object of millions of tiny values is kept as an
//! excerpt of its text. Bytes that are no UTF-8 and halves of surrogate pairs, which JavaScript programs send in good faith, are mended
//! rather than refused; what is no JSON is refused with the place.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use custos_model::{Draft, SchemaViolation};
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

use crate::excerpt;

/// The most values that one event may hold before its body is kept as an excerpt.
const MOST_VALUES: usize = 100_000;

/// The most members of an object that holds too many values.
const MOST_MEMBERS: usize = 1_000;

/// The longest key; what is longer is shortened like any text.
const LONGEST_KEY: usize = 1_024;

/// A draft, and whether its bytes had to be mended.
#[derive(Debug, PartialEq)]
pub struct Taken {
    /// The draft.
    pub draft: Draft,
    /// Whether bytes that were no text were replaced.
    pub mended: bool,
}

/// Reads a draft from one line of JSON; the bytes may be mended in place.
///
/// `limit` is the length from which on texts are shortened.
pub fn read_draft(line: &mut [u8], limit: usize) -> Result<Taken, SchemaViolation> {
    let read = mending(line, |line| {
        read_fields(line, limit, Some("body")).map_err(|problem| match problem {
            Some(problem) => format!("is no draft: {problem}"),
            None => "expected a JSON object with kind, scope and body".to_owned(),
        })
    });
    let (fields, mended) =
        read.map_err(|problem| SchemaViolation { path: "(whole line)".to_owned(), problem })?;
    let draft = Draft::from_fields(fields)?;
    Ok(Taken { draft, mended })
}

/// Reads any JSON object within the same bounds, such as what a client sends to a hook; the bytes may be mended in place.
///
/// `limit` is the length from which on texts are shortened. In an object with too many values, every large member is kept as an excerpt of
/// its text.
pub fn read_object(bytes: &mut [u8], limit: usize) -> Result<Map<String, Value>, String> {
    let read = mending(bytes, |bytes| {
        read_fields(bytes, limit, None)
            .map_err(|problem| problem.unwrap_or_else(|| "expected a JSON object".to_owned()))
    });
    read.map(|(fields, _)| fields)
}

/// Reads, and where that fails for bytes that are no text, mends them and reads again. Says whether it mended.
fn mending<T>(bytes: &mut [u8], read: impl Fn(&[u8]) -> Result<T, String>) -> Result<(T, bool), String> {
    let bytes = without_bom(bytes);
    match read(bytes) {
        Err(_) if mend(bytes) => read(bytes).map(|read| (read, true)),
        other => other.map(|read| (read, false)),
    }
}

/// Some programs on Windows put two of them before what they send.
fn without_bom(mut line: &mut [u8]) -> &mut [u8] {
    while line.starts_with(b"\xef\xbb\xbf") {
        line = &mut line[3..];
    }
    line
}

fn read_fields(
    line: &[u8],
    limit: usize,
    excerpted: Option<&'static str>,
) -> Result<Map<String, Value>, Option<String>> {
    let budget = Budget { values: Cell::new(MOST_VALUES), limit };
    let mut json = serde_json::Deserializer::from_slice(line);
    let read = Node { name: None, budget: &budget }.deserialize(&mut json).and_then(|value| {
        json.end()?;
        Ok(value)
    });
    match read {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(None),
        Err(_) if budget.values.get() == 0 => read_crowded(line, limit, excerpted).map_err(Some),
        Err(error) => Err(Some(explain(&error))),
    }
}

/// Reads an object with too many values: small members as usual, the large one as an excerpt of its text. Where it is named, no
/// other may be large.
fn read_crowded(
    line: &[u8],
    limit: usize,
    excerpted: Option<&'static str>,
) -> Result<Map<String, Value>, String> {
    struct Fields(usize, Option<&'static str>);
    impl<'de> Visitor<'de> for Fields {
        type Value = Map<String, Value>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields = Map::new();
            while let Some(name) = map.next_key::<Cow<'de, str>>()? {
                let raw: &RawValue = map.next_value()?;
                if fields.len() >= MOST_MEMBERS {
                    return Err(A::Error::custom(format!("it has more than {MOST_MEMBERS} members")));
                }
                let value = if raw.get().len() <= LONGEST_KEY {
                    serde_json::from_str(raw.get()).map_err(A::Error::custom)?
                } else if self.1.is_none_or(|large| name == large) && raw.get().starts_with(['{', '[', '"']) {
                    let excerpt = excerpt::shorten(Some(&name), raw.get(), self.0);
                    Value::Object(Map::from_iter([("excerpt".to_owned(), Value::String(excerpt))]))
                } else {
                    return Err(A::Error::custom(format!("field `{name}` is too large")));
                };
                if fields.insert(name.clone().into_owned(), value).is_some() {
                    return Err(A::Error::custom(format!("field `{name}` is there twice")));
                }
            }
            Ok(fields)
        }
    }
    let mut json = serde_json::Deserializer::from_slice(line);
    let fields = serde::Deserializer::deserialize_map(&mut json, Fields(limit, excerpted));
    fields.and_then(|fields| json.end().map(|()| fields)).map_err(|error| explain(&error))
}

fn explain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or_default();
    let reason = match reason {
        "recursion limit exceeded" => "it is nested deeper than 128 levels",
        reason => reason,
    };
    format!("{reason} (byte {})", error.column())
}

/// What may still be read, and how long a text may get.
struct Budget {
    values: Cell<usize>,
    limit: usize,
}

/// Reads one value within a budget.
#[derive(Clone, Copy)]
struct Node<'a> {
    name: Option<&'a str>,
    budget: &'a Budget,
}

impl Node<'_> {
    fn spend<E: serde::de::Error>(self) -> Result<(), E> {
        let left = self.budget.values.get();
        self.budget.values.set(left.saturating_sub(1));
        if left <= 1 { Err(E::custom("it holds too many values")) } else { Ok(()) }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;
    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.spend()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        let long = text.len() > self.budget.limit;
        Ok(Value::String(if long {
            excerpt::shorten(self.name, text, self.budget.limit)
        } else {
            text.to_owned()
        }))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let name = if name.len() > LONGEST_KEY {
                excerpt::shorten(None, &name, LONGEST_KEY)
            } else {
                name.into_owned()
            };
            let value = map.next_value_seed(Node { name: Some(&name), budget: self.budget })?;
            if fields.contains_key(&name) {
                // It is shown, and may be kept: a secret in it must not survive as a half.
                let name = custos_redact::redact(&name);
                let name: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
                return Err(A::Error::custom(format!("the key \"{name}\" is there twice")));
            }
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}

/// Replaces what is no text, at equal length, and says whether there was any.
///
/// Bytes that are no UTF-8 become question marks; an escaped half of a surrogate pair becomes U+FFFD.
fn mend(bytes: &mut [u8]) -> bool {
    let mut mended = false;
    let mut from = 0;
    while let Err(error) = std::str::from_utf8(&bytes[from..]) {
        let bad = from + error.valid_up_to();
        let end = error.error_len().map_or(bytes.len(), |len| bad + len);
        bytes[bad..end].fill(b'?');
        mended = true;
        from = end;
    }
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        match escaped_unit(&bytes[at..]) {
            Some(0xd800..=0xdbff) if matches!(escaped_unit(&bytes[at + 6..]), Some(0xdc00..=0xdfff)) => {
                at += 12;
            }
            Some(0xd800..=0xdfff) => {
                bytes[at..at + 6].copy_from_slice(b"\\ufffd");
                mended = true;
                at += 6;
            }
            Some(_) => at += 6,
            // The backslash and what it escapes, which may be another backslash.
            None => at = (at + 2).min(bytes.len()),
        }
    }
    mended
}

pub(crate) fn escaped_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.get(..6)?.strip_prefix(b"\\u")?;
    let text = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::json;

    const LIMIT: usize = 256 << 10;

    fn take(line: impl Into<Vec<u8>>) -> Result<Taken, String> {
        read_draft(&mut line.into(), LIMIT).map_err(|violation| violation.to_string())
    }

    fn with_body(body: &str) -> String {
        format!(r#"{{"kind":"tool.used","scope":"user","body":{body}}}"#)
    }

    fn body_of(line: impl Into<Vec<u8>>) -> Value {
        Value::Object(take(line).unwrap().draft.body)
    }

    #[rstest]
    #[case::empty("", "(whole line): is no draft: EOF while parsing a value (byte 0)")]
    #[case::not_json("hello", "(whole line): is no draft: expected value (byte 1)")]
    #[case::no_object("[1]", "(whole line): expected a JSON object with kind, scope and body")]
    #[case::nan(&with_body(r#"{"n":NaN}"#), "(whole line): is no draft: expected value (byte 48)")]
    #[case::two_glued(&with_body("{}").repeat(2), "(whole line): is no draft: trailing characters (byte 46)")]
    #[case::twice(&with_body(r#"{"a":1,"a":2}"#), "(whole line): is no draft: the key \"a\" is there twice (byte 55)")]
    #[case::deep(&with_body(&format!("{}1{}", r#"{"a":"#.repeat(200), "}".repeat(200))), "(whole line): is no draft: it is nested deeper than 128 levels (byte 673)")]
    fn refuses_what_is_no_draft_with_the_place(#[case] line: &str, #[case] message: &str) {
        assert_eq!(take(line), Err(message.to_owned()));
    }

    #[test]
    fn a_million_levels_are_refused_without_a_million_frames() {
        let line = with_body(&format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000)));
        assert!(take(line).unwrap_err().contains("it is nested deeper than 128 levels"));
    }

    #[test]
    fn mends_broken_text_and_says_so() {
        let mut line =
            with_body(r#"{"a":"x\ud83ey","b":"\ud83e\udd80","c":"\\ud83e","d":"?Z"}"#).into_bytes();
        let at = line.iter().position(|b| *b == b'Z').unwrap();
        line[at] = 0xff;
        let taken = take(line).unwrap();
        assert_eq!(
            Value::Object(taken.draft.body),
            json!({"a": "x\u{fffd}y", "b": "🦀", "c": "\\ud83e", "d": "??"})
        );
        assert!(taken.mended);
    }

    #[test]
    fn a_byte_order_mark_and_nul_are_taken() {
        let line = format!("\u{feff}{}", with_body(r#"{"a":"\u0000"}"#));
        assert_eq!(body_of(line), json!({"a": "\u{0}"}));
    }

    #[test]
    fn a_crowd_of_values_becomes_an_excerpt() {
        let body = body_of(with_body(&format!(r#"{{"n":[{}1]}}"#, "1,".repeat(500_000))));
        let text = body["excerpt"].as_str().unwrap();
        assert!(text.starts_with(r#"{"n":[1,1,1"#) && text.ends_with("1,1]}") && text.len() <= LIMIT);
    }

    #[test]
    fn a_long_text_is_shortened_while_it_is_read() {
        let body = body_of(with_body(&format!(r#"{{"output":"{}"}}"#, "long ".repeat(1_000_000))));
        let text = body["output"].as_str().unwrap();
        assert!(text.len() <= LIMIT && text.contains("[cut: 5000000 bytes, sha256 "));
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_draft(&mut bytes, LIMIT).map_err(|violation| violation.to_string());
        }

        #[test]
        fn any_text_in_a_body_survives(text in any::<String>()) {
            let line = with_body(&json!({"text": text}).to_string());
            prop_assert_eq!(body_of(line), json!({"text": text}));
        }
    }
}
