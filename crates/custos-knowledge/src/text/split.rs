//! Front matter and body, told apart.
//!
//! Front matter stands between two lines `---`, the first of which is the first line of the file. YAML ends a document at such a line
//! whatever it is in the middle of, so the second one is the end, and what then misses its quote is broken and not guessed at.
//!
//! A file with the marks of an unresolved merge has two truths. It is not read at all.

use thiserror::Error;

use super::code::{Fences, lines};

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
    /// The line that begins it, with its end.
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
    let opening = lines(body).next().filter(|line| is_rule(line.text));
    if let Some(opening) = opening {
        let found = lines(body).enumerate().skip(1).find(|(_, line)| is_rule(line.text));
        let Some((number, closing)) = found else {
            // A conflict may be the reason, and is the better answer.
            refuse_conflict(body, 1)?;
            return Err(FrontProblem::new(
                1,
                "the front matter begins here and never ends: the line `---` behind it is missing",
            ));
        };
        let block = Block {
            opening: &body[..opening.next],
            source: &body[opening.next..closing.start],
            closing: &body[closing.start..closing.next],
        };
        refuse_conflict_in_yaml(block.source)?;
        parts = Split { bom, front: Some(block), body: &body[closing.next..], body_line: number + 2 };
    }
    refuse_conflict(parts.body, parts.body_line)?;
    Ok(parts)
}

fn is_rule(line: &str) -> bool {
    line.trim_end_matches([' ', '\t']) == "---"
}

/// Tells whether a line is one that git puts into a file that it could not merge.
pub(super) fn is_conflict_mark(line: &str) -> bool {
    is_conflict_side(line) || line == "======="
}

fn is_conflict_side(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>"]
        .iter()
        .any(|mark| line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

fn conflict(line: usize) -> FrontProblem {
    FrontProblem::new(line, "has an unresolved merge conflict")
}

fn refuse_conflict_in_yaml(source: &str) -> Result<(), FrontProblem> {
    match lines(source).position(|line| is_conflict_mark(line.text)) {
        Some(at) => Err(conflict(at + 2)),
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
