//! Front matter and body, told apart.
//!
//! Front matter stands between two lines `---`, the first of which is the first line of the file. YAML ends a document at such a line
//! whatever it is in the middle of, so the second one is the end, and what then misses its quote is broken and not guessed at.
//!
//! A hand that edits a file slips. Blank lines above the first `---` are passed over, if what follows is front matter and not a text below a
//! rule; and where that line itself was lost, the file is broken. To take it for one without front matter would lose what it says of itself
//! with the next change.
//!
//! A file with the marks of an unresolved merge has two truths. It is not read at all.

use thiserror::Error;

use super::code::{Fences, Line, lines};

const BOM: char = '\u{feff}';

/// Why a file cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct FrontProblem {
    /// The line in the file, from 1.
    pub line: usize,
    /// Why, as the end of a sentence.
    pub reason: String,
}

impl FrontProblem {
    pub(super) fn new(line: usize, reason: impl Into<String>) -> Self {
        Self { line, reason: reason.into() }
    }
}

/// A file in its parts; together they are the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split<'a> {
    /// Whether it begins with a byte order mark.
    pub bom: bool,
    /// The front matter, if there is any.
    pub front: Option<Block<'a>>,
    /// The rest.
    pub body: &'a str,
    /// The line in the file in which the body begins, from 1.
    pub body_line: usize,
}

/// Front matter as it stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'a> {
    /// The line that begins it, with its end and the blank lines above it.
    pub opening: &'a str,
    /// The lines between.
    pub source: &'a str,
    /// The line that ends it, with its end if it has one.
    pub closing: &'a str,
}

/// Tells front matter and body of a file apart. That there is no front matter is no problem.
pub fn split(text: &str) -> Result<Split<'_>, FrontProblem> {
    let body = text.strip_prefix(BOM).unwrap_or(text);
    let bom = body.len() < text.len();
    let mut parts = Split { bom, front: None, body, body_line: 1 };
    let beginning = Beginning::of(body);
    if let Beginning::Fenced { number: first, opening } = beginning {
        let found = lines(body).enumerate().skip(first).find(|(_, line)| is_rule(line.text));
        let Some((number, closing)) = found else {
            // A conflict may be the reason, and is the better answer.
            refuse_conflict(body, 1)?;
            return Err(FrontProblem::new(
                first,
                "the front matter begins here and never ends: the line `---` behind it is missing",
            ));
        };
        let block = Block {
            opening: &body[..opening.next],
            source: &body[opening.next..closing.start],
            closing: &body[closing.start..closing.next],
        };
        refuse_conflict_in_yaml(block.source, first + 1)?;
        parts = Split { bom, front: Some(block), body: &body[closing.next..], body_line: number + 2 };
    }
    refuse_conflict(parts.body, parts.body_line)?;
    match beginning {
        Beginning::Unfenced { number } => Err(FrontProblem::new(
            number,
            "the front matter begins here without the line `---` that belongs above it",
        )),
        Beginning::Fenced { .. } | Beginning::Text => Ok(parts),
    }
}

/// Tells whether a text would be read as front matter, or as what is left of it, if a file began with it.
pub(super) fn looks_like_front(text: &str) -> bool {
    !matches!(Beginning::of(text), Beginning::Text)
}

/// Refuses the marks of a merge in a text that has no front matter and may begin with a rule.
pub(crate) fn refuse_marks(text: &str) -> Result<(), FrontProblem> {
    refuse_conflict(text, 1)
}

/// How a file begins.
#[derive(Debug, Clone, Copy)]
enum Beginning<'a> {
    /// With the line `---`, blank lines aside.
    Fenced { number: usize, opening: Line<'a> },
    /// With front matter that has an end and no such line above it.
    Unfenced { number: usize },
    /// With anything else.
    Text,
}

impl<'a> Beginning<'a> {
    fn of(body: &'a str) -> Self {
        let is_blank = |line: &Line<'_>| line.text.trim_matches(BOM).trim().is_empty();
        let Some((at, first)) = lines(body).enumerate().find(|(_, line)| !is_blank(line)) else {
            return Self::Text;
        };
        let number = at + 1;
        if is_rule(first.text.trim_start_matches(BOM)) {
            let below = lines(body)
                .skip(number)
                .find(|line| !line.is_blank() && !line.text.trim_start().starts_with("# "));
            // Below a blank line it may be a rule above a text.
            let is_front = at == 0 || below.is_some_and(|line| key(line.text).is_some());
            return if is_front { Self::Fenced { number, opening: first } } else { Self::Text };
        }
        if is_unfenced(&body[first.start..]) { Self::Unfenced { number } } else { Self::Text }
    }
}

/// Tells whether a text begins with lines that are front matter in form, and a line `---` behind them. One line above such a line is a heading
/// in Markdown; that is meant, unless the line begins with a key as we write them.
fn is_unfenced(text: &str) -> bool {
    let mut keys = 0;
    for line in lines(text) {
        let line = line.text.trim_start_matches(BOM);
        if is_rule(line) {
            return keys > 1
                || keys == 1 && text.trim_start_matches(BOM).starts_with(|c: char| c.is_ascii_lowercase());
        }
        let belongs = line.trim().is_empty() || line.starts_with([' ', '\t', '#']) || line.starts_with("- ");
        match key(line) {
            Some(_) => keys += 1,
            None if belongs && keys > 0 => {}
            None => return false,
        }
    }
    false
}

/// The key that a line of front matter begins with.
fn key(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(':')?;
    let is_word = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    (is_word && (value.is_empty() || value.starts_with([' ', '\t']))).then_some(key)
}

fn is_rule(line: &str) -> bool {
    line.trim_end_matches([' ', '\t']) == "---"
}

/// How many characters a mark of git has. It has more where git merges what is in conflict itself, as when both sides renamed the file.
const MARK: usize = 7;

/// Tells whether a line is one that git puts into a file that it could not merge. A longer line between the sides says nothing by itself: it is
/// what underlines a heading.
pub(super) fn is_conflict_mark(line: &str) -> bool {
    is_conflict_side(line) || line == "======="
}

pub(super) fn is_conflict_side(line: &str) -> bool {
    ['<', '>'].iter().any(|mark| {
        let rest = line.trim_start_matches(*mark);
        line.len() - rest.len() >= MARK && (rest.is_empty() || rest.starts_with(' '))
    })
}

fn conflict(line: usize) -> FrontProblem {
    FrontProblem::new(line, "has an unresolved merge conflict")
}

/// Refuses YAML with the marks of a conflict.
pub(crate) fn refuse_conflict_in_yaml(source: &str, first_line: usize) -> Result<(), FrontProblem> {
    match lines(source).position(|line| is_conflict_mark(line.text)) {
        Some(at) => Err(conflict(first_line + at)),
        None => Ok(()),
    }
}

/// Refuses a body with the marks of a conflict. Those in a block of code are shown and not meant, if the block ends; and `=======` under a
/// line of text is a heading.
fn refuse_conflict(body: &str, first_line: usize) -> Result<(), FrontProblem> {
    if !lines(body).any(|line| is_conflict_mark(line.text)) {
        return Ok(());
    }
    let mut fences = Fences::default();
    let mut shown = None;
    let mut below_text = false;
    for (at, line) in lines(body).enumerate() {
        let in_code = fences.holds(line.text);
        let is_mark = is_conflict_side(line.text) || (line.text == "=======" && (in_code || !below_text));
        match (is_mark, in_code) {
            (true, true) => shown = shown.or(Some(at)),
            (true, false) => return Err(conflict(first_line + at)),
            (false, _) => {}
        }
        if fences.open().is_none() {
            shown = None;
        }
        below_text = !line.is_blank();
    }
    shown.map_or(Ok(()), |at| Err(conflict(first_line + at)))
}
