//! Names become paths: absolute, without `.` and `..`, each told once, never more than a few.
//!
//! All of it is text. A hook has no time to ask the disk, and what a name meant when the tool ran may have moved
//! since. Windows paths (`C:\src`) are kept apart by their root: only there is a backslash a separator.

/// The most paths that are told of one kind.
const MOST_PATHS: usize = 64;
/// The longest path that is told, in bytes.
const LONGEST_PATH: usize = 1024;

/// The files that a tool call read and changed: absolute paths in the order they were met, each once.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Touched {
    /// The files whose content was looked at.
    pub read: Vec<String>,
    /// The files that were written, moved or removed, or whose mode was set.
    pub changed: Vec<String>,
}

/// Notes a file that a tool read by name: the name is taken as it stands, but for `~`.
pub fn read_one(path: &str, cwd: &str, home: Option<&str>, out: &mut Touched) {
    Place { cwd: Some(cwd), home }.read(Name::literal(path), out);
}

/// Notes a file that a tool changed by name: the name is taken as it stands, but for `~`.
pub fn changed_one(path: &str, cwd: &str, home: Option<&str>, out: &mut Touched) {
    Place { cwd: Some(cwd), home }.changed(Name::literal(path), out);
}

/// What is known of a word before a shell has run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
    /// Nothing: it may become no word or several.
    Nothing,
    /// That it stays one word.
    Count,
    /// All there is to it: no variable, no pattern, no substitution.
    Text,
}

/// What may name a file: a word of a command, or the part of one that is an option's value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'a> {
    /// The text, without its quotes. Where the shell puts in something, it has a `$`.
    pub(super) text: &'a str,
    /// How much of it is certain.
    pub(super) known: Known,
    /// Whether a leading `~` means the home directory.
    pub(super) tilde: bool,
}

impl<'a> Name<'a> {
    /// Takes `text` at its word, as a tool does that is given a path.
    pub(super) fn literal(text: &'a str) -> Self {
        Self { text, known: Known::Text, tilde: text.starts_with('~') }
    }

    /// Returns what is left behind the first `at` bytes. Shells disagree on a `~` there, so it is not certain.
    pub(super) fn behind(self, at: usize) -> Self {
        let text = self.text.get(at..).unwrap_or_default();
        let known = if text.starts_with('~') { self.known.min(Known::Count) } else { self.known };
        Self { text, known, tilde: false }
    }

    /// Returns whether the text is certain.
    pub(super) fn is_sure(self) -> bool {
        self.known == Known::Text
    }

    /// Returns whether it is certain to be one word.
    pub(super) fn is_single(self) -> bool {
        self.known >= Known::Count
    }

    /// Returns the last component, if it is a proper name.
    pub(super) fn basename(self) -> Option<&'a str> {
        let trimmed = self.text.trim_end_matches('/');
        let base = trimmed.rsplit('/').next().unwrap_or(trimmed);
        (self.is_sure() && !matches!(base, "" | "." | ".." | "~")).then_some(base)
    }

    /// Returns whether the text alone says that this is a directory.
    pub(super) fn is_directory(self) -> bool {
        self.text.ends_with('/') || self.is_dots()
    }

    /// Returns whether the last component has an extension: where a directory would do as well, it is a file then.
    pub(super) fn has_extension(self) -> bool {
        self.basename().is_some_and(|base| base.rfind('.').is_some_and(|dot| dot > 0))
    }

    fn is_dots(self) -> bool {
        matches!(self.text.trim_end_matches('/').rsplit('/').next(), Some("." | ".."))
    }
}

/// Where names begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The working directory, if it is known.
    pub(super) cwd: Option<&'a str>,
    /// The home directory, if it is known.
    pub(super) home: Option<&'a str>,
}

impl Place<'_> {
    /// Notes that the file `name` was read. A directory is not a file.
    pub(super) fn read(self, name: Name<'_>, out: &mut Touched) {
        if !name.is_directory() {
            self.note(name, &mut out.read);
        }
    }

    /// Notes that `name` was changed. `rm -r target/` changes files, so a directory counts if it has a name.
    pub(super) fn changed(self, name: Name<'_>, out: &mut Touched) {
        if !name.is_dots() {
            self.note(name, &mut out.changed);
        }
    }

    fn note(self, name: Name<'_>, list: &mut Vec<String>) {
        if list.len() < MOST_PATHS
            && let Some(path) = self.resolve(name)
            && is_file(&path)
            && !list.contains(&path)
        {
            list.push(path);
        }
    }

    /// Returns the absolute path that `name` stands for, if that is certain.
    pub(super) fn resolve(self, name: Name<'_>) -> Option<String> {
        let text = name.text;
        if !name.is_sure() || text.is_empty() || text == "-" || text.len() > LONGEST_PATH {
            return None;
        }
        let path = if name.tilde {
            let below = text.strip_prefix('~').filter(|below| below.is_empty() || below.starts_with('/'))?;
            join(self.home?, below)
        } else if root(text).is_some() {
            join(text, "")
        } else {
            join(self.cwd?, text)
        }?;
        (path.len() <= LONGEST_PATH && !path.contains(char::is_control)).then_some(path)
    }
}

/// Returns the root of an absolute path: `/`, or a drive and the separator behind it.
fn root(path: &str) -> Option<&str> {
    match path.as_bytes() {
        [b'/', ..] => path.get(..1),
        [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic() => path.get(..3),
        _ => None,
    }
}

/// Joins `below` to the absolute path `base` and takes `.`, `..` and doubled separators out.
fn join(base: &str, below: &str) -> Option<String> {
    let root = root(base)?;
    let (windows, separator) = (root.len() > 1, char::from(*root.as_bytes().last()?));
    let mut path = String::with_capacity(base.len() + 1 + below.len());
    path.push_str(root);
    for part in [base.get(root.len()..)?, below] {
        for component in part.split(|sign| sign == '/' || (windows && sign == '\\')) {
            match component {
                "" | "." => {}
                ".." => path.truncate(path.rfind(separator).unwrap_or(0).max(root.len())),
                _ => {
                    if path.len() > root.len() {
                        path.push(separator);
                    }
                    path.push_str(component);
                }
            }
        }
    }
    Some(path)
}

/// Returns whether `path` can be a file worth telling: no root, and no device but the memory-backed directory.
fn is_file(path: &str) -> bool {
    let device = path.strip_prefix("/dev").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    root(path).is_some_and(|root| root.len() < path.len()) && (!device || path.starts_with("/dev/shm/"))
}
