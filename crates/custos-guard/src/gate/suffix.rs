//! The comment at the end of a command.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::shell;

/// How the comment may begin; the second is what another tool's users are used to.
const MARKS: [&str; 2] = ["#!custos", "#!axme"];

/// What a command says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suffix {
    /// The pull request that it is for; none with `pr=none`.
    pub pr: Option<u32>,
    /// The repo.
    pub repo: Repo,
}

impl fmt::Display for Suffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pr {
            Some(number) => write!(f, "#!custos pr={number} repo={}", self.repo),
            None => write!(f, "#!custos pr=none repo={}", self.repo),
        }
    }
}

/// A repo on GitHub, `owner/name`; only what GitHub itself would take as one, so that it can be an argument of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    full_name: String,
}

impl Repo {
    /// The repo as `owner/name`.
    pub fn as_str(&self) -> &str {
        &self.full_name
    }
}

impl fmt::Display for Repo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.full_name)
    }
}

impl FromStr for Repo {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const LONGEST_OWNER: usize = 39;
        const LONGEST_NAME: usize = 100;
        // Owners of companies have an underscore in theirs.
        let fits = |part: &str, longest: usize, others: &[u8]| {
            (1..=longest).contains(&part.len())
                && !part.starts_with('-')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
        };
        match text.split_once('/') {
            Some((owner, name))
                if fits(owner, LONGEST_OWNER, b"-_")
                    && fits(name, LONGEST_NAME, b"-_.")
                    && !matches!(name, "." | "..") =>
            {
                Ok(Self { full_name: text.to_owned() })
            }
            _ => Err(GateError::Repo),
        }
    }
}

/// Why a comment at the end does not say what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum GateError {
    /// The number is none.
    #[error("`pr=` takes the number of a pull request, or `none`")]
    Number,
    /// The repo is none.
    #[error("`repo=` takes a repo as `owner/name`")]
    Repo,
    /// One of the two is not there.
    #[error("`{0}=` is missing")]
    Missing(&'static str),
    /// One of the two is there twice.
    #[error("`{0}=` is there twice")]
    Twice(&'static str),
    /// There is more than the two.
    #[error("there is more in it than `pr=` and `repo=`, and it must be the last of the command")]
    More,
}

/// Finds what a command says about itself: in a comment that is the last of its text. A comment-like text in quotes or in a heredoc is
/// none.
pub fn suffix(text: &str) -> Result<Option<Suffix>, GateError> {
    let text = text.trim_end();
    let line = text.rfind('\n').map_or(0, |end| end + 1);
    // The last one counts, so that the text is parsed once, however many there are.
    let Some(start) = MARKS.iter().filter_map(|mark| text[line..].rfind(mark)).max().map(|at| line + at)
    else {
        return Ok(None);
    };
    let (before, comment) = text.split_at(start);
    let fields = MARKS.iter().find_map(|mark| comment.strip_prefix(mark)).unwrap_or_default();
    if (fields.is_empty() || fields.starts_with([' ', '\t'])) && is_comment(before) {
        return read(fields).map(Some);
    }
    Ok(None)
}

/// Says whether a `#` after this text begins a comment: it stands between words, and everything before is complete.
fn is_comment(before: &str) -> bool {
    let mut rest = before;
    // A line that goes on is no end of a word.
    while let Some(joined) = rest.strip_suffix("\\\n").filter(|joined| !ends_escaping(joined)) {
        rest = joined;
    }
    let begins = match rest.strip_suffix([' ', '\t', '\n']) {
        Some(word) => !ends_escaping(word),
        None => rest.is_empty(),
    };
    begins && shell::parse(rest).flaws.is_empty()
}

/// Says whether the character after this text is escaped by its end.
fn ends_escaping(text: &str) -> bool {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

fn read(fields: &str) -> Result<Suffix, GateError> {
    let (mut pr, mut repo) = (None, None);
    for field in fields.split_ascii_whitespace() {
        match field.split_once('=') {
            Some(("pr", _)) if pr.is_some() => return Err(GateError::Twice("pr")),
            Some(("pr", value)) => pr = Some(number(value)?),
            Some(("repo", _)) if repo.is_some() => return Err(GateError::Twice("repo")),
            Some(("repo", value)) => repo = Some(value.parse()?),
            _ => return Err(GateError::More),
        }
    }
    Ok(Suffix { pr: pr.ok_or(GateError::Missing("pr"))?, repo: repo.ok_or(GateError::Missing("repo"))? })
}

fn number(value: &str) -> Result<Option<u32>, GateError> {
    if value == "none" {
        return Ok(None);
    }
    // `parse` alone would take `+1` and `007`.
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit()) && !value.starts_with('0');
    value.parse().ok().filter(|_| is_number).map(Some).ok_or(GateError::Number)
}
