//! Patterns for paths, in the manner of `.gitignore`.
//!
//! `*` and `?` stay within a name, `**` stands for any number of directories. A pattern with a slash is about one place: `/etc/hosts` is
//! absolute, `~/notes` begins at home, and `config/prod.yaml` begins at the root of the level that says it (of the user: at the root of
//! whatever project is worked on). A name without a slash is meant wherever it occurs. What is below a matching directory matches, too.
//!
//! A comparison takes one pass over the path with a set of states, so that no pattern, however many `**` it has, costs more than the
//! product of the two lengths.

use thiserror::Error;

/// A pattern for paths.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathPattern {
    text: String,
    /// The root of the level, absolute; `None` for the user's.
    root: Option<String>,
}

/// Why a text is no pattern for paths.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathPatternError {
    /// There is nothing in it.
    #[error("the pattern is empty: write a path or a name, like `secrets/**`")]
    Empty,
    /// It is longer than a path would be.
    #[error("the pattern has more than {most} {what}")]
    TooLong {
        /// The limit.
        most: usize,
        /// Of what.
        what: &'static str,
    },
    /// It begins with `!`.
    #[error("a pattern cannot take back another with `!`: write what is meant, or use `allow`")]
    Negated,
    /// It has `..` in it.
    #[error("`..` leads out of where the pattern begins: write the path from `/` or `~/`")]
    Upwards,
    /// It begins with somebody's home.
    #[error("`~` stands for your own home only: write `~/…`, or the path from `/`")]
    OtherHome,
}

/// Where relative patterns and `~/` begin.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The home directory.
    pub home: Option<&'a str>,
    /// The root of the project that is worked on.
    pub root: &'a str,
}

/// A path that a pattern is compared to.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The path, absolute and without `.`, `..` or a slash at its end.
    pub path: &'a str,
    /// Whether it is itself a pattern, which the shell will fill in.
    pub is_glob: bool,
    /// Whether upper and lower case are the same there.
    pub folds_case: bool,
}

impl<'a> Target<'a> {
    /// A path that is known, where case matters.
    pub fn exactly(path: &'a str) -> Self {
        Self { path, is_glob: false, folds_case: false }
    }
}

/// The longest pattern, in bytes.
const LONGEST: usize = 1000;
/// The most parts between slashes; the states of a comparison are the bits of one number.
const MOST_PARTS: usize = 60;

impl PathPattern {
    /// Checks a pattern of the level with this root.
    pub fn new(text: &str, root: Option<&str>) -> Result<Self, PathPatternError> {
        if text.trim_matches(['/', '.', ' ']).is_empty() && text != "/" {
            return Err(PathPatternError::Empty);
        }
        if text.len() > LONGEST {
            return Err(PathPatternError::TooLong { most: LONGEST, what: "bytes" });
        }
        if text.starts_with('!') {
            return Err(PathPatternError::Negated);
        }
        if text.starts_with('~') && text != "~" && !text.starts_with("~/") {
            return Err(PathPatternError::OtherHome);
        }
        if text.split('/').any(|part| part == "..") {
            return Err(PathPatternError::Upwards);
        }
        if text.split('/').count() > MOST_PARTS {
            return Err(PathPatternError::TooLong { most: MOST_PARTS, what: "parts" });
        }
        Ok(Self { text: text.to_owned(), root: root.map(str::to_owned) })
    }

    /// Takes a pattern that was checked before.
    pub(crate) fn checked(text: String, root: Option<String>) -> Self {
        Self { text, root }
    }

    /// The pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Says whether the pattern is about a path.
    pub fn matches(&self, target: Target<'_>, place: Place<'_>) -> bool {
        self.begin(place).is_some_and(|begun| {
            below(target.path, begun.base, target.folds_case)
                .is_some_and(|rest| begun.parts.states_after(rest, target).is_none())
        })
    }

    /// Says whether the pattern is about something below a directory, so that whoever deletes the directory deletes that. A name that is
    /// meant everywhere does not count: it could be below any directory.
    pub fn is_below(&self, directory: Target<'_>, place: Place<'_>) -> bool {
        let Some(Begun { base, parts }) = self.begin(place) else { return false };
        let anywhere = parts.iter().position(|part| part == "**").unwrap_or(parts.len);
        if anywhere == 0 && parts.len > 0 {
            return false;
        }
        if below(base, directory.path, directory.folds_case).is_some() {
            return true;
        }
        let part_of_it = (1_u64 << parts.len.min(anywhere + 1)) - 1;
        below(directory.path, base, directory.folds_case).is_some_and(|rest| {
            parts.states_after(rest, directory).is_none_or(|states| states & part_of_it != 0)
        })
    }

    /// Finds where the pattern begins, and its parts from there.
    fn begin<'a>(&'a self, place: Place<'a>) -> Option<Begun<'a>> {
        let text = self.text.as_str();
        if let Some(absolute) = text.strip_prefix('/') {
            return Some(Begun { base: "", parts: Parts::of(absolute) });
        }
        if let Some(at_home) = text.strip_prefix('~') {
            return Some(Begun { base: place.home?, parts: Parts::of(at_home) });
        }
        let is_name = !text.trim_end_matches('/').contains('/');
        let base = match (&self.root, is_name) {
            (Some(root), _) => root.as_str(),
            (None, true) => "",
            (None, false) => place.root,
        };
        let mut parts = Parts::default();
        if is_name {
            parts.push("**");
        }
        parts.extend(text);
        Some(Begun { base, parts })
    }
}

/// A pattern that has found its place.
struct Begun<'a> {
    /// The directory it begins at, without a slash at its end; empty for the root of the file system.
    base: &'a str,
    parts: Parts<'a>,
}

/// The parts of a pattern between its slashes.
struct Parts<'a> {
    list: [&'a str; MOST_PARTS + 2],
    len: usize,
}

impl Default for Parts<'_> {
    fn default() -> Self {
        Self { list: [""; MOST_PARTS + 2], len: 0 }
    }
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        let mut parts = Self::default();
        parts.extend(text);
        parts
    }

    fn extend(&mut self, text: &'a str) {
        text.split('/').filter(|part| !part.is_empty() && *part != ".").for_each(|part| self.push(part));
        // What is below a match matches anyway, so that a last `**` only asks for something to be there.
        if self.len > 0 && self.list[self.len - 1] == "**" {
            self.list[self.len - 1] = "*";
        }
    }

    fn push(&mut self, part: &'a str) {
        if let Some(free) = self.list.get_mut(self.len) {
            *free = part;
            self.len += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &'a str> {
        self.list[..self.len].iter().copied()
    }

    /// Compares part by part. `None` means that everything was found; otherwise bit n says that the first n parts were.
    fn states_after(&self, path: &str, target: Target<'_>) -> Option<u64> {
        let done = 1_u64 << self.len;
        let mut states = self.skip_many(1);
        for name in path.split('/').filter(|name| !name.is_empty()) {
            if states & done != 0 {
                return None;
            }
            let mut next = 0;
            for (index, part) in self.iter().enumerate().filter(|(index, _)| states & (1 << index) != 0) {
                if part == "**" {
                    next |= 1 << index;
                } else if is_like(part.as_bytes(), name.as_bytes(), target) {
                    next |= 1 << (index + 1);
                }
            }
            states = self.skip_many(next);
        }
        (states & done == 0).then_some(states)
    }

    /// Adds the states that are reached by letting `**` stand for nothing.
    fn skip_many(&self, mut states: u64) -> u64 {
        for (index, part) in self.iter().enumerate() {
            if part == "**" && states & (1 << index) != 0 {
                states |= 1 << (index + 1);
            }
        }
        states
    }
}

/// The rest of a path below a directory; empty for the directory itself.
fn below<'a>(path: &'a str, directory: &str, folds_case: bool) -> Option<&'a str> {
    let directory = directory.trim_end_matches('/');
    let (start, rest) = path.split_at_checked(directory.len())?;
    let is_same = if folds_case { start.eq_ignore_ascii_case(directory) } else { start == directory };
    (is_same && (rest.is_empty() || rest.starts_with('/'))).then_some(rest)
}

/// Compares a name to a part of a pattern.
fn is_like(pattern: &[u8], name: &[u8], target: Target<'_>) -> bool {
    let name_has_meaning = target.is_glob && name.iter().any(|byte| b"*?[".contains(byte));
    if name_has_meaning {
        return overlaps(pattern, name, target.folds_case);
    }
    // Where the last `*` was, and how much of the name it has taken so far.
    let mut star: Option<(usize, usize)> = None;
    let (mut p, mut n) = (0, 0);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(b'?') => {
                p += 1;
                // A character, not a byte.
                n += 1;
                while name.get(n).is_some_and(|byte| byte & 0xC0 == 0x80) {
                    n += 1;
                }
            }
            Some(byte) if is_same(*byte, name[n], target.folds_case) => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

fn is_same(one: u8, other: u8, folds_case: bool) -> bool {
    if folds_case { one.eq_ignore_ascii_case(&other) } else { one == other }
}

/// Says whether there is a name that both patterns mean. A bracket expression is taken for `?`: it may be less, never more.
fn overlaps(one: &[u8], other: &[u8], folds_case: bool) -> bool {
    let (one, other) = (Unit::list(one, false), Unit::list(other, true));
    // `row[j]`: the units of `one` so far and the first j of `other` have a name in common.
    let mut row = vec![false; other.len() + 1];
    row[0] = true;
    for j in 0..other.len() {
        row[j + 1] = row[j] && other[j] == Unit::Any;
    }
    for unit in &one {
        let mut next = vec![false; other.len() + 1];
        next[0] = row[0] && *unit == Unit::Any;
        for j in 0..other.len() {
            next[j + 1] = match (unit, other[j]) {
                (Unit::Any, _) | (_, Unit::Any) => row[j + 1] || next[j],
                (Unit::One, _) | (_, Unit::One) => row[j],
                (Unit::Byte(a), Unit::Byte(b)) => row[j] && is_same(*a, b, folds_case),
            };
        }
        row = next;
    }
    row[other.len()]
}

/// A unit of a pattern for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Any,
    One,
    Byte(u8),
}

impl Unit {
    fn list(pattern: &[u8], has_brackets: bool) -> Vec<Self> {
        let mut units = Vec::with_capacity(pattern.len());
        let mut rest = pattern;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            units.push(match byte {
                b'*' => Self::Any,
                b'?' => Self::One,
                b'[' if has_brackets => match after.iter().skip(1).position(|byte| *byte == b']') {
                    Some(end) => {
                        rest = &after[end + 2..];
                        Self::One
                    }
                    None => Self::Byte(b'['),
                },
                _ => Self::Byte(*byte),
            });
        }
        units
    }
}

#[cfg(test)]
mod tests;
