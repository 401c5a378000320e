//! Front matter that only looks like YAML, and what stands below it.
//!
//! AXME Code writes `key: value` lines and never quotes a value, so that a title may hold colons, hashes and quotes: a YAML parser would fail
//! or read something else. Its own reader takes the lines as they are, and so do we. Only a value that a person wrote as real YAML (in quotes,
//! as a list) is read as such, by itself: it says nothing about how its neighbours are written. What AXME Code does not see at all (other line
//! ends, a byte order mark, no or half a front matter) is read as well.

use crate::text::{self, Block, Front};

/// A file of a tree, taken apart.
#[derive(Debug, Default)]
pub(super) struct Paper {
    fields: Vec<Entry>,
    /// Whether there was any front matter.
    pub(super) has_front: bool,
    /// What is odd about it.
    pub(super) oddities: Vec<String>,
    /// What stands below the front matter.
    pub(super) body: String,
}

/// A key with its value.
#[derive(Debug)]
struct Entry {
    key: String,
    /// The value as it stands there, on one line.
    raw: String,
    /// The same as YAML, if a person wrote it so.
    yaml: Option<Front>,
}

/// How front matter is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Never quoted.
    Plain,
    /// As in the backlog: titles and lists are quoted, in a way of its own.
    Quoted,
}

impl Paper {
    /// Takes a file apart. An unfinished merge is refused, with its line.
    pub(super) fn read(raw: &str, style: Style) -> Result<Self, String> {
        let text = text::tidy(raw);
        if let Some(line) = conflict(&text) {
            return Err(format!("line {line}: has an unresolved merge conflict"));
        }
        let mut paper = Self::default();
        let Some(rest) = text.strip_prefix("---\n") else {
            paper.oddities.push("has no front matter".to_owned());
            paper.body = text;
            return Ok(paper);
        };
        paper.has_front = true;
        if let Some((source, body)) = closed(rest) {
            paper.body = body.to_owned();
            paper.take_fields(source, style);
        } else {
            paper.oddities.push("its front matter is not closed".to_owned());
            let end = rest
                .lines()
                .take_while(|line| field(line).is_some())
                .map(|line| line.len() + 1)
                .sum::<usize>();
            let (source, body) = rest.split_at(end.min(rest.len()));
            paper.take_fields(source, style);
            paper.body = body.to_owned();
        }
        Ok(paper)
    }

    fn take_fields(&mut self, source: &str, style: Style) {
        let mut lines = source.split_inclusive('\n').peekable();
        while let Some(line) = lines.next() {
            let Some((key, value)) = field(line) else { continue };
            let (mut own, mut raw) = (line.to_owned(), value.to_owned());
            // A title of two lines, or the items of a list.
            while let Some(more) = lines.next_if(|next| field(next).is_none()) {
                own.push_str(more);
                let joined = format!("{raw} {}", more.trim());
                joined.trim().clone_into(&mut raw);
            }
            let yaml = if is_by_hand(value, &raw, style) { read_yaml(&own) } else { None };
            self.fields.push(Entry { key: key.to_owned(), raw, yaml });
        }
    }

    fn entry(&self, key: &str) -> Option<&Entry> {
        self.fields.iter().find(|entry| entry.key == key)
    }

    /// The value of a key; empty if there is none.
    pub(super) fn get(&self, key: &str) -> &str {
        self.entry(key).map_or("", |entry| {
            let of_yaml = entry.yaml.as_ref().and_then(|yaml| yaml.text(key));
            of_yaml.map_or(entry.raw.as_str(), str::trim)
        })
    }

    /// The value of a key that says a word, a date or an id. Behind these a hash is a person's remark, and no text.
    pub(super) fn word(&self, key: &str) -> &str {
        let value = self.get(key);
        value.split_once(" #").map_or(value, |(word, _)| word.trim_end())
    }

    /// The values of a key, separated by commas.
    pub(super) fn list(&self, key: &str) -> Vec<String> {
        let yaml = self.entry(key).and_then(|entry| entry.yaml.as_ref());
        let of_yaml = yaml.map(|yaml| yaml.list(key)).unwrap_or_default();
        let raw = if of_yaml.is_empty() { vec![self.get(key).to_owned()] } else { of_yaml };
        let mut list: Vec<String> = Vec::new();
        for item in
            raw.iter().flat_map(|item| item.trim().trim_start_matches('[').trim_end_matches(']').split(','))
        {
            let item = item.trim().trim_matches(['"', '\'']).trim();
            if !item.is_empty() && !list.iter().any(|known| known == item) {
                list.push(item.to_owned());
            }
        }
        list
    }

    /// The keys that are none of these, with their values.
    pub(super) fn others(&self, known: &[&str]) -> Vec<(&str, &str)> {
        let is_other = |key: &str| !known.contains(&key);
        self.fields
            .iter()
            .filter(|entry| is_other(&entry.key))
            .map(|entry| (entry.key.as_str(), self.get(&entry.key)))
            .collect()
    }

    /// The body in its parts: the title in its first line, the text, and what stands below a heading.
    pub(super) fn parts(&self, heading: &str) -> Parts<'_> {
        let body = self.body.trim_start_matches('\n');
        let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
        let (title, rest) = match first.strip_prefix("# ") {
            Some(title) => (title.trim(), rest),
            None => ("", body),
        };
        let wanted = format!("## {heading}");
        let mut fence = Fence::default();
        let mut at = 0;
        for line in rest.split_inclusive('\n') {
            if !fence.holds(line) && line.trim_end() == wanted {
                return Parts { title, lead: rest[..at].trim(), rest: rest[at + line.len()..].trim() };
            }
            at += line.len();
        }
        Parts { title, lead: rest.trim(), rest: "" }
    }

    /// The title: what the front matter says, or the heading, or the first line, or the name of the file.
    pub(super) fn title(&self, stem: &str) -> String {
        let parts = self.parts("");
        let first = parts.lead.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let candidates = [self.get("title"), parts.title, first.trim_start_matches(['#', '-', '*', ' '])];
        let found = candidates.into_iter().find(|text| !text.trim().is_empty());
        found.map_or_else(|| stem.replace('-', " "), str::to_owned)
    }
}

/// The body of a file in its parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    pub(super) title: &'a str,
    pub(super) lead: &'a str,
    pub(super) rest: &'a str,
}

/// Reads a line like `key: value`.
fn field(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    is_key.then(|| (key, value.trim()))
}

/// Finds the end of the front matter.
fn closed(rest: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// Tells whether a person wrote a value as YAML: by what its first line begins with, or by the list below it.
fn is_by_hand(first: &str, raw: &str, style: Style) -> bool {
    let is_marked = first.starts_with(['"', '\'', '[']) || matches!(first, "|" | "|-" | ">" | ">-");
    style == Style::Plain && is_marked || first.is_empty() && raw.starts_with("- ")
}

/// Reads the lines of one key.
fn read_yaml(source: &str) -> Option<Front> {
    Front::parse(&Block { opening: "---\n", source, closing: "---\n" }).ok()
}

/// Finds the first mark of an unfinished merge, outside of code.
fn conflict(text: &str) -> Option<usize> {
    let is_side = |line: &str, mark: &str| {
        line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let mut fence = Fence::default();
    let mut begun = None;
    for (at, line) in text.lines().enumerate() {
        if fence.holds(line) {
            continue;
        }
        if begun.is_none() && is_side(line, "<<<<<<<") {
            begun = Some(at + 1);
        } else if begun.is_some() && is_side(line, ">>>>>>>") {
            return begun;
        }
    }
    None
}

/// The tags that agents left behind when an argument ended.
const LEAKED: &[&str] =
    &["description", "parameter", "body", "decision", "reasoning", "title", "invoke", "function_calls"];

/// Cuts off the end of a tool call that became part of a text: from a closing tag at the end of a line to the last line that is nothing but
/// the frame of such a call. A tag that stands alone, or in code, is somebody's text.
pub(super) fn without_leaks(raw: &str) -> String {
    let is_frame = |line: &str| {
        let line = line.trim();
        let closes = LEAKED.iter().any(|tag| line == format!("</{tag}>"));
        closes || (line.starts_with("<parameter name=") && line.ends_with("</parameter>"))
    };
    let mut fence = Fence::default();
    let mut kept: Vec<&str> = Vec::new();
    let lines: Vec<&str> = raw.lines().collect();
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        at += 1;
        let in_code = fence.holds(line);
        let ends = lines.get(at).is_none_or(|next| is_frame(next));
        let cut = LEAKED.iter().find_map(|tag| line.trim_end().strip_suffix(&format!("</{tag}>")));
        let Some(before) = cut.filter(|_| ends && !in_code) else {
            kept.push(line);
            continue;
        };
        kept.push(before.trim_end());
        while lines.get(at).is_some_and(|next| is_frame(next)) {
            at += 1;
        }
    }
    kept.join("\n")
}

/// A block of code, in which nothing is structure.
#[derive(Debug, Default)]
pub(super) struct Fence {
    open: Option<(char, usize)>,
}

impl Fence {
    /// Takes the next line and tells whether it is in a block of code, the fences included.
    pub(super) fn holds(&mut self, line: &str) -> bool {
        let marks = line.trim();
        let mark = marks.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let count = mark.map_or(0, |mark| marks.chars().take_while(|c| *c == mark).count());
        match (self.open, mark) {
            (Some((open, longest)), Some(mark))
                if open == mark && count >= longest && count == marks.len() =>
            {
                self.open = None;
                true
            }
            (Some(_), _) => true,
            (None, Some(mark)) if count >= 3 => {
                self.open = Some((mark, count));
                true
            }
            (None, _) => false,
        }
    }
}
