//! One key of front matter with its value and its lines, and how YAML says what they are.

use std::ops::Range;

use custos_config::shown::shown;
use custos_config::splice::is_alias;
use custos_config::yaml::{self, Content, Node, Pair};

use super::code::{Line, lines};
use super::split::FrontProblem;

/// The most keys of front matter. Ours have a dozen.
pub(super) const MOST_KEYS: usize = 200;

/// The most parts of two values that are compared; an alias in an alias stands for many.
pub(super) const MOST_COMPARED: usize = 20_000;

/// A key with its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: Piece,
    pub(super) value: Value,
    /// The bytes of its lines in the source, from the first to the last, without comments before or behind them.
    pub(super) lines: Range<usize>,
}

/// A value of front matter.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// Nothing, in any of YAML's spellings.
    Empty,
    /// A text; YAML's numbers, dates and the like are read as they are written.
    Text(Piece),
    /// A list of texts.
    List(Vec<Piece>),
    /// Anything else. It is kept as it is written.
    Nested,
}

/// A text that stands in the source as it is, or had to be made.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    Here(Range<usize>),
    Made(String),
}

impl Default for Piece {
    fn default() -> Self {
        Self::Here(0..0)
    }
}

impl Piece {
    /// Moves with the source when the text before it becomes longer or shorter.
    pub(super) fn shift(&mut self, from: usize, to: usize) {
        if let Self::Here(range) = self {
            *range = shifted(range, from, to);
        }
    }

    /// Says whether it is this text. Of thousands of files every key is looked for by its name, and most differ in their lengths.
    pub(super) fn is(&self, text: &str, source: &str) -> bool {
        match self {
            Self::Here(range) => range.len() == text.len() && source[range.clone()] == *text,
            Self::Made(own) => own == text,
        }
    }

    pub(super) fn of<'a>(&'a self, source: &'a str) -> &'a str {
        match self {
            Self::Here(range) => &source[range.clone()],
            Self::Made(text) => text,
        }
    }
}

impl Entry {
    /// Moves with the source when the text before it, which ended at `from`, ends at `to`.
    pub(super) fn shift(&mut self, from: usize, to: usize) {
        self.lines = shifted(&self.lines, from, to);
        self.key.shift(from, to);
        match &mut self.value {
            Value::Text(text) => text.shift(from, to),
            Value::List(items) => items.iter_mut().for_each(|item| item.shift(from, to)),
            Value::Empty | Value::Nested => {}
        }
    }
}

fn shifted(range: &Range<usize>, from: usize, to: usize) -> Range<usize> {
    range.start - from + to..range.end - from + to
}

/// Tells whether a word without quotes is YAML's way of saying nothing.
pub(super) fn is_null(word: &str) -> bool {
    matches!(word, "" | "~" | "null" | "Null" | "NULL")
}

/// Reads front matter as YAML. A problem's line is that in the source, from 1.
///
/// Each entry has to stand on its own lines, so that one can be changed without the others.
pub(super) fn read_yaml(source: &str) -> Result<Vec<Entry>, FrontProblem> {
    if let Some(at) = lines(source).position(|line| line.text.trim_end() == "...") {
        return Err(FrontProblem::new(at + 1, "`...` ends the front matter here: end it with `---`"));
    }
    let root = yaml::parse(source).map_err(|broken| FrontProblem::new(broken.at.line, broken.why))?;
    let Some(root) = root else { return Ok(Vec::new()) };
    let Content::Mapping(pairs) = root.content() else {
        let reason = format!("the front matter is {} and not `key: value` lines", root.describe());
        return Err(FrontProblem::new(root.at.line, reason));
    };
    if root.flow {
        return Err(FrontProblem::new(
            root.at.line,
            "the front matter stands in braces: write one `key: value` per line",
        ));
    }
    if pairs.len() > MOST_KEYS {
        return Err(FrontProblem::new(
            root.at.line,
            format!("the front matter has more than {MOST_KEYS} keys"),
        ));
    }
    let starts = pairs.iter().map(|pair| line_start(source, pair.key.bytes.start));
    let ends = starts.clone().skip(1).chain([source.len()]);
    let regions = starts.zip(ends).map(|(start, end)| start..end.max(start));
    pairs.iter().zip(regions).map(|(pair, region)| read_pair(source, pair, region)).collect()
}

fn read_pair(source: &str, pair: &Pair, region: Range<usize>) -> Result<Entry, FrontProblem> {
    let line = pair.key.at.line;
    let Some(key) = pair.key.text().filter(|key| !key.is_empty()) else {
        return Err(FrontProblem::new(
            line,
            format!("a key must be a word, and this is {}", pair.key.describe()),
        ));
    };
    // A text may be told to keep the blank lines behind it.
    let ranges = [own_lines(source, region.clone(), pair.key.at.column - 1), region];
    let Some(lines) = ranges.into_iter().find(|lines| stands_alone(&source[lines.clone()], pair)) else {
        let reason =
            format!("`{}` needs other lines than its own to be understood: write its value out", shown(key));
        return Err(FrontProblem::new(line, reason));
    };
    Ok(Entry { key: Piece::Made(key.to_owned()), value: value(source, &pair.value), lines })
}

/// Tells whether an entry says the same without what is around it: it holds no alias of another entry, and it is where we think it is.
fn stands_alone(lines: &str, pair: &Pair) -> bool {
    let Ok(Some(root)) = yaml::parse(lines) else { return false };
    let Content::Mapping(pairs) = root.content() else { return false };
    let [alone] = pairs.as_slice() else { return false };
    let mut left = MOST_COMPARED;
    is_same(&alone.key, &pair.key, &mut left) && is_same(&alone.value, &pair.value, &mut left)
}

/// Tells whether two values say the same; beyond [`MOST_COMPARED`] parts it gives up and says no.
pub(super) fn is_same(a: &Node, b: &Node, left: &mut usize) -> bool {
    let Some(fewer) = left.checked_sub(1) else { return false };
    *left = fewer;
    match (a.content(), b.content()) {
        (Content::Scalar { text: a, plain: p }, Content::Scalar { text: b, plain: q }) => a == b && p == q,
        (Content::Sequence(a), Content::Sequence(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b, left))
        }
        (Content::Mapping(a), Content::Mapping(b)) => {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len()
                && pairs.all(|(a, b)| is_same(&a.key, &b.key, left) && is_same(&a.value, &b.value, left))
        }
        (Content::Tagged, Content::Tagged) => true,
        _ => false,
    }
}

fn value(source: &str, node: &Node) -> Value {
    let made = |text: &str| Piece::Made(text.to_owned());
    match node.content() {
        _ if node.is_null() => Value::Empty,
        Content::Scalar { text, .. } => Value::Text(made(text)),
        Content::Sequence(items) => {
            let texts = items.iter().map(|item| item.text().filter(|_| !is_alias(source, item)).map(made));
            texts.collect::<Option<Vec<_>>>().map_or(Value::Nested, Value::List)
        }
        _ => Value::Nested,
    }
}

fn line_start(source: &str, at: usize) -> usize {
    source[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Leaves off the blank lines and comments behind an entry: they may belong to the next one, and they stay when this one goes.
fn own_lines(source: &str, region: Range<usize>, indent: usize) -> Range<usize> {
    let is_own = |line: &Line<'_>| {
        let text = line.text.trim_start_matches(' ');
        let is_comment = text.starts_with('#') && line.text.len() - text.len() <= indent;
        !text.trim_end_matches('\t').is_empty() && !is_comment
    };
    let end = lines(&source[region.clone()]).filter(is_own).last().map_or(0, |line| line.next);
    region.start..region.start + end
}
