//! A text as it is searched: what to show of it, and its term vector.
//!
//! Nothing here needs a body to have particular fields. Every string in it, however deep, is found; the names of fields only say what
//! makes a good title, what is worth showing, and that a word in a title weighs more than one in a list of files.
//!
//! The *term vector* is what ranking reads instead of the text: for every distinct token four bytes of its hash, sorted, then for
//! each one byte of weighted frequency. It is a third of the text's size, and counting a query's terms in it is a few binary
//! searches. Two tokens of one text whose four bytes agree are told apart by the full hash when the vector is made; a query's term
//! that agrees with a foreign token by chance gains a little score and never a hit, because hits come from the full-text index.

use custos_model::EventId;
use serde_json::{Map, Value};

use crate::analyse::{Analyser, cut, term_hash};
use crate::key::Table;

/// What is kept of a text to be listed and to cut snippets from, in bytes.
const EXCERPT: usize = 512;
const TITLE: usize = 256;

/// The most that is kept of a list of files, in entries and in bytes of one.
const FILES: usize = 64;
const FILE_NAME: usize = 512;

/// How often a token may be counted in one text before the rest is left out, and with it how much of a pasted log is searched.
const MAX_OCCURRENCES: usize = 32 * 1024;

/// How much an occurrence counts. Plain text counts [`PLAIN`]; ranking divides by it.
pub(crate) const PLAIN: u8 = 2;
const IN_TITLE: u8 = 6;
const IN_FILES: u8 = 1;

/// What makes a title, by kind, the best first.
const TITLES: [&str; 2] = ["title", "request"];

/// What is worth showing, the best first.
const SHOWN: [&str; 8] =
    ["text", "prompt", "narrative", "subtitle", "completed", "learned", "investigated", "notes"];

/// A text, ready to be stored.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) sort: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) excerpt: String,
    pub(crate) files: Files,
    /// How many characters it has in all.
    pub(crate) chars: u32,
    pub(crate) document: Document,
}

/// The files that an event read and changed, each as a JSON array; none where there are none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Files {
    pub(crate) read: Option<String>,
    pub(crate) changed: Option<String>,
}

/// Says whether a field holds ids of events, which nobody types, or the worker's own books.
fn is_bookkeeping(name: &str, is_distilled: bool) -> bool {
    matches!(name, "sources" | "supersedes")
        || is_distilled && matches!(name, "work" | "content" | "by" | "why" | "of")
}

/// The searchable side of a text.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// How many tokens it has, repetitions included.
    pub(crate) length: u32,
    /// The term vector.
    pub(crate) terms: Vec<u8>,
    /// Its distinct tokens, with blanks between: what FTS5 gets.
    pub(crate) tokens: String,
}

/// Makes texts; keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct Composer {
    analyser: Analyser,
    occurrences: Vec<Occurrence>,
    arena: String,
    chars: usize,
}

#[derive(Debug, Clone, Copy)]
struct Occurrence {
    hash: u64,
    start: u32,
    len: u8,
    weight: u8,
}

impl Composer {
    /// Makes the text of a body. `marks` are tokens that stand for its kind, project and session; its sort gets one here.
    pub(crate) fn compose(&mut self, body: &Map<String, Value>, marks: &[String]) -> Text {
        self.occurrences.clear();
        self.arena.clear();
        self.chars = 0;
        let is_distilled = body.contains_key("work");
        for (name, value) in body {
            let weight = match name.as_str() {
                name if is_bookkeeping(name, is_distilled) => continue,
                "title" | "subtitle" | "request" => IN_TITLE,
                name if name.starts_with("files") => IN_FILES,
                _ => PLAIN,
            };
            self.collect(value, weight);
        }
        let text =
            |name: &&str| body.get(*name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let title = TITLES.iter().find_map(text);
        let shown = SHOWN.iter().find_map(text).or_else(|| {
            let said = body.iter().filter(|(name, _)| *name != "type" && !is_bookkeeping(name, is_distilled));
            said.filter_map(|(_, value)| value.as_str())
                .find(|text| Some(*text) != title && !text.trim().is_empty())
        });
        // What has no words beside its title may still have facts.
        let shown = shown.or_else(|| body.get("facts")?.as_array()?.first()?.as_str());
        let sort = text(&"type").map(|sort| cut(sort, 64).to_owned());
        let mut marks = marks.to_vec();
        marks.extend(sort.as_deref().map(sort_mark));
        Text {
            sort,
            title: title.map(|title| cut(title.trim(), TITLE).to_owned()),
            excerpt: cut(shown.unwrap_or_default().trim(), EXCERPT).to_owned(),
            files: Files {
                read: file_list(&[body.get("files_read")]),
                changed: file_list(
                    &["files_changed", "files_modified", "files_edited"].map(|name| body.get(name)),
                ),
            },
            chars: u32::try_from(self.chars).unwrap_or(u32::MAX),
            document: self.document(&marks),
        }
    }

    fn collect(&mut self, value: &Value, weight: u8) {
        match value {
            Value::String(text) => self.collect_text(text, weight),
            Value::Array(values) => values.iter().for_each(|value| self.collect(value, weight)),
            Value::Object(fields) => fields.values().for_each(|value| self.collect(value, weight)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn collect_text(&mut self, text: &str, weight: u8) {
        self.chars += text.chars().count();
        let Self { analyser, occurrences, arena, .. } = self;
        analyser.analyse(text, |token| {
            // Tokens are at most MAX_TOKEN bytes, and there are at most MAX_OCCURRENCES: both conversions hold.
            let (Ok(start), Ok(len)) = (u32::try_from(arena.len()), u8::try_from(token.len())) else {
                return;
            };
            if occurrences.len() < MAX_OCCURRENCES {
                arena.push_str(token);
                occurrences.push(Occurrence { hash: term_hash(token), start, len, weight });
            }
        });
    }

    fn document(&mut self, marks: &[String]) -> Document {
        self.occurrences.sort_unstable_by_key(|occurrence| occurrence.hash);
        let mut hashes = Vec::with_capacity(self.occurrences.len() * 5);
        let mut weights = Vec::with_capacity(self.occurrences.len());
        let mut tokens = String::with_capacity(self.arena.len() + 64);
        for same in self.occurrences.chunk_by(|a, b| a.hash == b.hash) {
            let Occurrence { hash, start, len, .. } = same[0];
            let start = start as usize;
            tokens.push_str(&self.arena[start..start + usize::from(len)]);
            tokens.push(' ');
            let [.., a, b, c, d] = (hash >> 32).to_be_bytes();
            hashes.extend_from_slice(&[a, b, c, d]);
            weights.push(same.iter().fold(0_u8, |sum, occurrence| sum.saturating_add(occurrence.weight)));
        }
        for mark in marks {
            tokens.push_str(mark);
            tokens.push(' ');
        }
        hashes.append(&mut weights);
        let length = u32::try_from(self.occurrences.len()).unwrap_or(u32::MAX);
        Document { length, terms: hashes, tokens }
    }
}

/// Reads the weighted frequency of a term from a term vector; 0 if it is not in it.
pub(crate) fn frequency(terms: &[u8], hash: u64) -> u8 {
    let count = terms.len() / 5;
    let (hashes, weights) = terms.split_at(count * 4);
    // Compared as numbers, which is faster, and in the order of their bytes.
    let wanted = hash >> 32;
    let found =
        hashes.as_chunks().0.binary_search_by_key(&wanted, |bytes| u64::from(u32::from_be_bytes(*bytes)));
    found.ok().and_then(|at| weights.get(at).copied()).unwrap_or(0)
}

/// Gathers names of files from several fields into one JSON array.
pub(crate) fn file_list(fields: &[Option<&Value>]) -> Option<String> {
    let names = fields.iter().flatten().flat_map(|value| match value {
        Value::Array(values) => values.as_slice(),
        other => std::slice::from_ref(*other),
    });
    let names: Vec<&str> =
        names.filter_map(Value::as_str).filter(|name| name.len() <= FILE_NAME).take(FILES).collect();
    if names.is_empty() { None } else { serde_json::to_string(&names).ok() }
}

/// Reads the ids of events that a body lists under a name.
pub(crate) fn ids(body: &Map<String, Value>, name: &str) -> Vec<EventId> {
    let listed = body.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    listed.iter().filter_map(Value::as_str).filter_map(|id| id.parse().ok()).collect()
}

/// Reads the ids of the events that a body names as its sources.
pub(crate) fn sources(body: &Map<String, Value>) -> Vec<EventId> {
    let mut sources = ids(body, "sources");
    sources.sort_unstable();
    sources.dedup();
    sources
}

/// Begins the tokens by which rows are filtered. The analyser takes private-use characters for blanks, so no text can contain one.
const MARK: char = '\u{e000}';

/// Gives the token that stands for a kind of text.
pub(crate) fn kind_mark(table: Table) -> String {
    format!("{MARK}k{}", table as i64)
}

/// Gives the token that stands for a project.
pub(crate) fn project_mark(project: &str) -> String {
    format!("{MARK}p{:016x}", term_hash(project))
}

/// Gives the token that stands for a session.
pub(crate) fn session_mark(session: &str) -> String {
    format!("{MARK}s{:016x}", term_hash(session))
}

/// Gives the token that stands for the sort of an observation.
pub(crate) fn sort_mark(sort: &str) -> String {
    format!("{MARK}t{:016x}", term_hash(sort))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compose(body: Value) -> Text {
        let Value::Object(body) = body else { panic!("a body is an object") };
        Composer::default().compose(&body, &[session_mark("s")])
    }

    fn tokens(text: &Text) -> Vec<&str> {
        let mut tokens: Vec<&str> = text.document.tokens.split_whitespace().collect();
        tokens.sort_unstable();
        tokens
    }

    #[test]
    fn every_string_is_searched_whatever_its_field_is_called() {
        let text =
            compose(json!({"whatever": {"deep": ["alpha", {"er": "beta"}]}, "n": 7, "sources": ["gamma"]}));
        assert_eq!(tokens(&text), ["alpha", "beta", &session_mark("s")]);
        assert_eq!((text.title, text.excerpt.as_str(), text.chars, text.document.length), (None, "", 9, 2));
    }

    #[test]
    fn a_title_weighs_more_than_text_and_text_more_than_files() {
        let text = compose(json!({"title": "alpha", "narrative": "beta beta", "files_read": ["gamma"]}));
        let weight = |token| frequency(&text.document.terms, term_hash(token));
        assert_eq!(["alpha", "beta", "gamma", "delta"].map(weight), [IN_TITLE, 2 * PLAIN, IN_FILES, 0]);
    }

    #[test]
    fn what_is_listed_of_an_observation() {
        let text = compose(json!({
            "type": "bugfix", "title": " Refresh ", "narrative": "It failed.", "files_read": ["a.rs"], "files_modified": ["b.rs", 7]
        }));
        let files = Files { read: Some(r#"["a.rs"]"#.into()), changed: Some(r#"["b.rs"]"#.into()) };
        assert_eq!(
            (text.sort.as_deref(), text.title.as_deref(), text.excerpt.as_str(), text.files),
            (Some("bugfix"), Some("Refresh"), "It failed.", files)
        );
    }

    #[test]
    fn the_books_are_not_what_is_listed() {
        let decision = |facts: &[&str]| {
            compose(json!({
                "type": "decision", "title": "Never use unwrap", "subtitle": "", "narrative": "", "facts": facts,
                "by": "rules", "work": "00ff", "content": "c1", "sources": ["e"], "of": "turn",
            }))
        };
        assert_eq!(decision(&["amount.rs: total changed"]).excerpt, "amount.rs: total changed");
        assert_eq!(decision(&[]).excerpt, "");
    }

    #[test]
    fn a_text_that_repeats_one_word_without_end_is_bounded() {
        let text = compose(json!({"text": "abc ".repeat(100_000)}));
        assert_eq!(text.document.terms.len(), 5);
        assert_eq!(frequency(&text.document.terms, term_hash("abc")), u8::MAX);
    }

    #[test]
    fn a_torn_term_vector_is_no_panic() {
        for len in 0..12 {
            frequency(&vec![0xff; len], term_hash("x"));
        }
    }
}
