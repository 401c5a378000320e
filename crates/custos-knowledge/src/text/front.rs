//! Front matter: read as YAML, changed entry by entry.
//!
//! The lines are kept as they stand in the file. A change replaces the lines of its own key and no others, so that comments, unknown keys,
//! nested values and a person's own way of quoting survive. That this is possible is made sure when a file is read: each entry has to say
//! the same without the others. What stands in braces or needs an alias from elsewhere is a problem of the file, to be mended by hand.

use std::borrow::Cow;

use custos_config::shown::shown;
use custos_config::splice::after_colon;
use custos_config::yaml::{self, Content, Node};
use custos_redact::redact;

use super::canonical;
use super::entry::{Entry, MOST_COMPARED, Piece, Value, is_same, read_yaml};
use super::split::{Block, FrontProblem};

/// The line of a file in which its front matter usually begins, behind the `---`.
const FIRST_LINE: usize = 2;

/// What separates, for YAML; other blanks are text.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// The front matter of a file.
#[derive(Debug, Clone)]
pub struct Front {
    source: String,
    entries: Vec<Entry>,
    crlf: bool,
    /// The line of the file in which it begins, behind the `---`.
    first_line: usize,
}

impl Default for Front {
    fn default() -> Self {
        Self { source: String::new(), entries: Vec::new(), crlf: false, first_line: FIRST_LINE }
    }
}

/// A value of front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Field<'a> {
    /// Nothing: the key stands alone, or says `null`.
    Empty,
    /// A text. Numbers, dates and the like are texts, as they are written.
    Text(&'a str),
    /// A list of texts.
    List(Vec<&'a str>),
    /// Anything else: its lines as they stand in the file, with the key.
    Nested(&'a str),
}

impl PartialEq for Front {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Front {}

impl Front {
    /// Makes front matter without any entry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the front matter of a file.
    pub fn parse(block: &Block<'_>) -> Result<Self, FrontProblem> {
        let first_line = block.opening.matches('\n').count() + 1;
        Self::read(block.source, block.opening.ends_with("\r\n"), first_line)
    }

    fn read(source: &str, crlf: bool, first_line: usize) -> Result<Self, FrontProblem> {
        let entries = match canonical::read(source) {
            Some(entries) => entries,
            None => read_yaml(source).map_err(|problem| {
                // The parser shows the end of the text as a line behind it.
                let line = problem.line.clamp(1, source.lines().count().max(1));
                FrontProblem { line: line + first_line - 1, ..problem }
            })?,
        };
        let front = Self { source: source.to_owned(), entries, crlf, first_line };
        front.refuse_twins()?;
        Ok(front)
    }

    fn refuse_twins(&self) -> Result<(), FrontProblem> {
        for (at, entry) in self.entries.iter().enumerate() {
            let key = self.key(entry);
            if let Some(first) = self.entries[..at].iter().find(|earlier| self.key(earlier) == key) {
                let reason =
                    format!("the key `{}` is there already, in line {}", shown(key), self.line(first));
                return Err(FrontProblem::new(self.line(entry), reason));
            }
        }
        Ok(())
    }

    /// The lines between the two `---`, as they stand in the file.
    pub fn to_text(&self) -> &str {
        &self.source
    }

    /// Tells whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What a line ends with.
    pub(super) fn newline(&self) -> &'static str {
        if self.crlf { "\r\n" } else { "\n" }
    }

    /// Lets lines end as those of the file do that this belongs to.
    pub(super) fn with_newlines(self, crlf: bool) -> Self {
        Self { crlf, ..self }
    }

    /// The entries in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = (&str, Field<'_>)> {
        self.entries.iter().map(|entry| (self.key(entry), self.field(entry)))
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Field<'_>> {
        self.find(key).map(|at| self.field(&self.entries[at]))
    }

    /// The text of a key; `None` as well if it is empty or no text.
    pub fn text(&self, key: &str) -> Option<&str> {
        match &self.entries[self.find(key)?].value {
            Value::Text(text) => Some(text.of(&self.source)),
            _ => None,
        }
    }

    /// The list of a key: one text is a list of one, and anything else is a list of none.
    pub fn list(&self, key: &str) -> Vec<String> {
        match self.get(key) {
            Some(Field::Text(text)) => vec![text.to_owned()],
            Some(Field::List(items)) => items.into_iter().map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }

    /// Tells whether a key has a value.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some_and(|field| field != Field::Empty)
    }

    /// The lines of a key as they stand in the file.
    pub fn raw(&self, key: &str) -> Option<&str> {
        self.find(key).map(|at| &self.source[self.entries[at].lines.clone()])
    }

    /// The value of a key as a tree, for what is neither text nor list.
    pub fn node(&self, key: &str) -> Option<Node> {
        let root = yaml::parse(&self.source).ok()??;
        let Content::Mapping(pairs) = root.content() else { return None };
        pairs.iter().find(|pair| pair.is_named(key)).map(|pair| pair.value.clone())
    }

    /// The line of a key in the file, from 1.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        self.find(key).map(|at| self.line(&self.entries[at]))
    }

    /// Gives a key a text, in its place or at the end.
    pub fn set_text(&mut self, key: &str, text: &str) {
        if self.text(key) != Some(text) {
            self.put(key, &canonical::text_entry(key, text), Value::Text(Piece::Made(text.to_owned())));
        }
    }

    /// Gives a key a list of texts, in its place or at the end.
    pub fn set_list(&mut self, key: &str, items: &[impl AsRef<str>]) {
        let wanted: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
        if let Some(longer) = self.with_items_behind(key, &wanted) {
            *self = longer;
        }
        if self.get(key) != Some(Field::List(wanted)) {
            let made = items.iter().map(|item| Piece::Made(item.as_ref().to_owned())).collect();
            self.put(key, &canonical::list_entry(key, items), Value::List(made));
        }
    }

    /// The same without what is secret or private in its texts and lists, if there is any.
    pub(super) fn without_secrets(&self) -> Option<Self> {
        if matches!(redact(&self.source), Cow::Borrowed(_)) {
            return None;
        }
        let mut clean = self.clone();
        for (key, field) in self.entries() {
            match field {
                Field::Text(text) => clean.set_text(key, &redact(text)),
                Field::List(items) => {
                    clean.set_list(key, &items.into_iter().map(redact).collect::<Vec<_>>());
                }
                // What has a structure is shown field by field, and each answer is looked through.
                Field::Empty | Field::Nested(_) => {}
            }
        }
        Some(clean)
    }

    /// Adds items behind those of a list that has comments between them, which would be gone with its lines. Gives nothing where the list does
    /// not go on like this.
    fn with_items_behind(&self, key: &str, items: &[&str]) -> Option<Self> {
        let entry = &self.entries[self.find(key)?];
        let Field::List(old) = self.field(entry) else { return None };
        let more = items.strip_prefix(&old[..]).filter(|more| !more.is_empty())?;
        let lines = self.source[entry.lines.clone()].trim_end_matches(BLANKS);
        let last = lines.lines().last().filter(|_| lines.contains('#'))?;
        let indent = &last[..last.len() - last.trim_start_matches(' ').len()];
        if !last[indent.len()..].starts_with("- ") {
            return None;
        }
        let end = entry.lines.start + lines.len();
        let added: String = more
            .iter()
            .map(|item| [self.newline(), indent, "- ", &canonical::item_of_line(item)].concat())
            .collect();
        let source = [&self.source[..end], &added, &self.source[end..]].concat();
        let longer = Self::read(&source, self.crlf, self.first_line).ok()?;
        let others = |front: &Self| {
            let others = front.entries().filter(|(name, _)| *name != key);
            others.map(|(name, value)| format!("{name} {value:?}")).collect::<Vec<_>>()
        };
        let is_meant =
            longer.get(key) == Some(Field::List(items.to_vec())) && others(&longer) == others(self);
        is_meant.then_some(longer)
    }

    /// Gives a key a value that is written as YAML, in its place or at the end. The value is not indented; that is done here. Text that is
    /// not YAML, or would be another value at its place, is refused with the line in it.
    pub fn set_raw(&mut self, key: &str, value: &str) -> Result<(), FrontProblem> {
        let refused =
            |line, why| FrontProblem::new(line, format!("the value of `{}` is not YAML: {why}", shown(key)));
        let wanted = yaml::parse(value).map_err(|broken| refused(broken.at.line, broken.why))?;
        let name = canonical::key(key);
        let entry = match &wanted {
            None => format!("{name}:"),
            Some(node) if node.flow && !value.trim().contains('\n') => format!("{name}: {}", value.trim()),
            Some(_) => {
                let indented =
                    |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("\n  {line}") };
                format!("{name}:{}", value.trim_end().lines().map(indented).collect::<String>())
            }
        };
        let read = Self::read(&format!("{entry}\n"), false, FIRST_LINE)
            .map_err(|problem| refused(problem.line, problem.reason))?;
        let is_wanted = match (&read.node(key), &wanted) {
            (Some(read), Some(wanted)) => is_same(read, wanted, &mut { MOST_COMPARED }),
            (read, wanted) => wanted.is_none() && read.as_ref().is_none_or(Node::is_null),
        };
        let [Entry { value, .. }] = read.entries.as_slice() else {
            return Err(refused(1, "it is more than one value".to_owned()));
        };
        if !is_wanted {
            return Err(refused(1, "it would be another value at its place".to_owned()));
        }
        let made = |piece: &Piece| Piece::Made(piece.of(&read.source).to_owned());
        let value = match value {
            Value::Text(text) => Value::Text(made(text)),
            Value::List(items) => Value::List(items.iter().map(made).collect()),
            same @ (Value::Empty | Value::Nested) => same.clone(),
        };
        self.put(key, &entry, value);
        Ok(())
    }

    /// Removes a key with its lines; comments around it stay.
    pub fn remove(&mut self, key: &str) {
        if let Some(at) = self.find(key) {
            let lines = self.entries.remove(at).lines;
            self.source.replace_range(lines.clone(), "");
            self.entries[at..].iter_mut().for_each(|entry| entry.shift(lines.end, lines.start));
        }
    }

    fn key<'a>(&'a self, entry: &'a Entry) -> &'a str {
        entry.key.of(&self.source)
    }

    fn find(&self, key: &str) -> Option<usize> {
        self.entries.iter().position(|entry| entry.key.is(key, &self.source))
    }

    fn line(&self, entry: &Entry) -> usize {
        self.first_line + self.source[..entry.lines.start].matches('\n').count()
    }

    fn field<'a>(&'a self, entry: &'a Entry) -> Field<'a> {
        match &entry.value {
            Value::Empty => Field::Empty,
            Value::Text(text) => Field::Text(text.of(&self.source)),
            Value::List(items) => Field::List(items.iter().map(|item| item.of(&self.source)).collect()),
            Value::Nested => Field::Nested(&self.source[entry.lines.clone()]),
        }
    }

    /// Puts the lines of an entry in the place of the old ones, or at the end.
    fn put(&mut self, key: &str, entry: &str, value: Value) {
        let newline = self.newline();
        let at = self.find(key);
        let indent = if self.entries.is_empty() { "" } else { self.indent_of(at.unwrap_or(0)) };
        let mut lines = String::new();
        if at.is_none() && !self.source.is_empty() && !self.source.ends_with('\n') {
            lines.push_str(newline);
        }
        let before = lines.len();
        for (number, line) in entry.lines().enumerate() {
            let comment = at.filter(|_| number == 0).and_then(|at| self.comment_behind(at));
            let indent = if line.is_empty() { "" } else { indent };
            lines.extend([indent, line, comment.unwrap_or_default(), newline]);
        }
        let old = at.map_or(self.source.len()..self.source.len(), |at| self.entries[at].lines.clone());
        let end = old.start + lines.len();
        let new = Entry { key: Piece::Made(key.to_owned()), value, lines: old.start + before..end };
        self.source.replace_range(old.clone(), &lines);
        match at {
            Some(at) => {
                self.entries[at] = new;
                self.entries[at + 1..].iter_mut().for_each(|entry| entry.shift(old.end, end));
            }
            None => self.entries.push(new),
        }
    }

    /// The blanks before an entry, which all entries share.
    fn indent_of(&self, at: usize) -> &str {
        let line = &self.source[self.entries[at].lines.clone()];
        &line[..line.len() - line.trim_start_matches(' ').len()]
    }

    /// The comment behind a value on the same line, with the blanks before it.
    fn comment_behind(&self, at: usize) -> Option<&str> {
        let entry = &self.entries[at];
        let line = self.source[entry.lines.clone()].trim_end_matches(BLANKS);
        if !line.contains('#') || line.contains('\n') {
            return None;
        }
        let root = yaml::parse(&self.source).ok()??;
        let Content::Mapping(pairs) = root.content() else { return None };
        let pair = pairs.iter().find(|pair| pair.is_named(self.key(entry)))?;
        let value = pair.value.bytes.clone();
        let end = if value.is_empty() {
            after_colon(&self.source, &pair.key)?
        } else {
            value.start + self.source.get(value.clone())?.trim_end_matches(BLANKS).len()
        };
        let rest = self.source.get(end..entry.lines.start + line.len())?;
        rest.trim_start_matches(BLANKS).starts_with('#').then_some(rest)
    }
}
