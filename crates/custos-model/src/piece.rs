//! The pieces of a text: what gets one vector each.
//!
//! A vector stands for what a text is about, and the more a text says, the less it says about each thing. So besides the whole, which
//! is always the first piece, what can be looked up by itself is a piece of its own: each fact of an observation, and each stretch of a
//! long narrative. Only prose is cut. Sentences exist in prose only, and half a function is about nothing.
//!
//! A piece is named by the hash of its text. Whoever keeps vectors keeps them under that name, and the same text never needs a
//! second one, whichever event says it and however often the index is made anew.

use hmac_sha256::Hash;
use serde_json::{Map, Value};

use crate::kind::Kind;

/// How many facts and how many stretches of one text are pieces; what comes after is in the whole.
const FACTS: usize = 16;
const STRETCHES: usize = 32;

/// A text of at most so many characters is not cut, and a stretch has at most so many, unless one sentence alone has more.
const SHORT: usize = 480;
const STRETCH: usize = 220;

/// The characters of which code has many and prose has few, and the share of them, in thousandths, that prose may have.
const SIGNS_OF_CODE: &str = "(){}[]=_<>;/\\|&*+%#@$^~`";
const CODE_IN_PROSE: usize = 25;

/// The name of a piece: the first half of the SHA-256 of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceId([u8; 16]);

impl PieceId {
    /// Names a text.
    pub fn of(text: &str) -> Self {
        let digest = Hash::hash(text.as_bytes());
        let mut id = [0; 16];
        id.copy_from_slice(&digest[..16]);
        Self(id)
    }

    /// Gives the sixteen bytes of the name.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Makes a name from its sixteen bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

/// Cuts the body of an event, or of a knowledge item, into its pieces: the whole first, none of them empty, none twice.
///
/// Kinds of which nothing is searched have none.
pub fn pieces(kind: Kind, body: &Map<String, Value>) -> Vec<String> {
    let mut pieces = Pieces::default();
    match kind {
        Kind::ObservationRecorded => {
            let facts = texts(body, "facts");
            let whole = joined(body, &["title", "subtitle", "narrative"]);
            pieces.add(if whole.is_empty() { facts.join("\n") } else { whole });
            facts.into_iter().take(FACTS).for_each(|fact| pieces.add(fact.to_owned()));
            pieces.add_stretches(text(body, "narrative").unwrap_or_default());
        }
        Kind::SummaryRecorded => {
            pieces.add(joined(body, &["request", "completed", "learned", "next_steps"]));
        }
        Kind::PromptSubmitted => {
            pieces.add(text(body, "text").or_else(|| text(body, "prompt")).unwrap_or_default().to_owned());
        }
        Kind::KnowledgeSaved | Kind::KnowledgeUpdated => {
            pieces.add(joined(body, &["title", "text"]));
            pieces.add_stretches(text(body, "text").unwrap_or_default());
        }
        _ => {}
    }
    pieces.texts
}

/// Pieces in the making. Without the whole there are no others.
#[derive(Default)]
struct Pieces {
    texts: Vec<String>,
}

impl Pieces {
    fn add(&mut self, text: String) {
        if !text.trim().is_empty() && !self.texts.contains(&text) {
            self.texts.push(text);
        }
    }

    fn add_stretches(&mut self, text: &str) {
        // Counting stops at the limit: a pasted file is not walked through for it.
        if text.chars().nth(SHORT).is_some() && is_prose(text) {
            stretches(text).for_each(|stretch| self.add(stretch));
        }
    }
}

/// Reads a text that is not blank, without the blanks around it.
fn text<'a>(body: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    body.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// Reads a list of texts, those that are not blank.
fn texts<'a>(body: &'a Map<String, Value>, name: &str) -> Vec<&'a str> {
    let listed = body.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    listed.iter().filter_map(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).collect()
}

fn joined(body: &Map<String, Value>, names: &[&str]) -> String {
    names.iter().filter_map(|name| text(body, name)).collect::<Vec<_>>().join("\n")
}

/// Says whether a text is prose: at most one in forty of its characters is a sign of code.
fn is_prose(text: &str) -> bool {
    let (mut all, mut signs) = (0, 0);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        all += 1;
        signs += usize::from(SIGNS_OF_CODE.contains(c));
    }
    signs * 1000 <= all * CODE_IN_PROSE
}

/// Packs consecutive sentences into stretches.
fn stretches(text: &str) -> impl Iterator<Item = String> {
    let mut sentences = sentences(text).peekable();
    std::iter::from_fn(move || {
        let mut stretch = sentences.next()?.to_owned();
        let mut length = stretch.chars().count();
        while let Some(next) = sentences.peek() {
            length += 1 + next.chars().count();
            if length > STRETCH {
                break;
            }
            stretch.push(' ');
            stretch.push_str(next);
            sentences.next();
        }
        Some(stretch)
    })
    .take(STRETCHES)
}

/// Cuts a text after `.`, `!` and `?` before a blank, and at the ends of lines.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let end = rest
                .match_indices(['.', '!', '?'])
                .map(|(at, _)| at + 1)
                .find(|end| rest[*end..].starts_with(char::is_whitespace))
                .unwrap_or(rest.len());
            let (sentence, after) = rest.split_at(end);
            rest = after;
            Some(sentence.trim())
        })
        .filter(|sentence| !sentence.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn cut(kind: Kind, body: Value) -> Vec<String> {
        let Value::Object(body) = body else { panic!("a body is an object") };
        pieces(kind, &body)
    }

    #[test]
    fn an_observation_is_the_whole_and_each_fact() {
        let body = json!({
            "type": "bugfix", "title": "Tokens expire", "subtitle": " ", "narrative": "They were stale.",
            "facts": ["ttl is 60 s", "", 7, " ttl is 60 s "], "concepts": ["auth"],
        });
        assert_eq!(cut(Kind::ObservationRecorded, body), ["Tokens expire\nThey were stale.", "ttl is 60 s"]);
    }

    #[test]
    fn what_has_only_facts_is_their_sum() {
        let body = json!({"facts": ["one", "two"]});
        assert_eq!(cut(Kind::ObservationRecorded, body), ["one\ntwo", "one", "two"]);
        assert_eq!(cut(Kind::ObservationRecorded, json!({"facts": ["one"]})), ["one"]);
        assert_eq!(
            cut(Kind::ObservationRecorded, json!({"concepts": ["x"], "title": 3})),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_other_kinds() {
        let summary =
            json!({"request": "r", "investigated": "i", "learned": "l", "completed": "c", "next_steps": "n"});
        assert_eq!(cut(Kind::SummaryRecorded, summary), ["r\nc\nl\nn"]);
        assert_eq!(cut(Kind::PromptSubmitted, json!({"text": " why? "})), ["why?"]);
        assert_eq!(cut(Kind::KnowledgeSaved, json!({"title": "t", "text": "x"})), ["t\nx"]);
        assert_eq!(cut(Kind::ToolUsed, json!({"text": "x"})), Vec::<String>::new());
    }

    #[test]
    fn a_long_narrative_is_cut_between_sentences_if_it_is_prose() {
        let sentence = format!("The v1.2 server {} was down.", "really ".repeat(12).trim());
        assert_eq!(sentence.chars().count(), 109);
        let prose = [sentence.as_str(); 5].join(" ");
        let body = json!({"narrative": prose});
        let two = format!("{sentence} {sentence}");
        assert_eq!(cut(Kind::ObservationRecorded, body), [prose.clone(), two, sentence]);
        let code = prose.replace("really", "r(x);");
        assert_eq!(cut(Kind::ObservationRecorded, json!({"narrative": code})), [code]);
    }

    #[test]
    fn a_name_is_the_same_everywhere() {
        assert_eq!(PieceId::of("abc").as_bytes()[..4], [0xba, 0x78, 0x16, 0xbf]);
    }

    proptest! {
        #[test]
        fn stretches_lose_no_word_and_are_short(text in "([a-zé]{1,12}[.!?]?[ \n]){0,90}") {
            let cut: Vec<String> = stretches(&text).collect();
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&cut.join(" ")), words(&text));
            for stretch in cut {
                prop_assert!(stretch.chars().count() <= STRETCH || sentences(&stretch).count() == 1);
            }
        }

        #[test]
        fn any_body_has_few_pieces(text in "(?s).{0,900}", facts in proptest::collection::vec(".{0,9}", 0..40)) {
            let pieces = cut(Kind::ObservationRecorded, json!({"title": text, "narrative": text, "facts": facts}));
            prop_assert!(pieces.len() <= 1 + FACTS + STRETCHES);
            prop_assert!(pieces.iter().all(|piece| !piece.trim().is_empty()));
        }
    }
}
