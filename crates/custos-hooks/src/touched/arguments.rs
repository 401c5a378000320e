//! Sorts a program's arguments into options and operands.
//!
//! Which of them a file is depends on which options take a value, and that is told by a line such as
//! `"n lines <f >o"`: the options with a value, short and long, without their dashes. Marks before a name say more:
//!
//! | mark | the option |
//! |---|---|
//! | `<` | has a value that names a file to read |
//! | `>` | has a value that names a file to write |
//! | `@` | has a value that names a file to read if it begins with `@` |
//! | `+` | has two values, of which the second is meant |
//! | `=` | stands in for the first operand: the script, the pattern, the mode |
//! | `!` | makes the program change its operands; a value is only what is attached |
//! | `?` | has no value but what is attached |
//! | `-` | has no value |
//! | `/` | has no value, and makes the program go down into directories |
//! | `^` | makes the program do something else, of which nothing is told |
//!
//! Options that are not named have no value.

use super::effort::spend;
use super::paths::Name;
use super::words::Word;

const MARKS: &[u8] = b"<>@+=!?-/^";

/// An argument of a program.
#[derive(Debug, Clone, Copy)]
pub(super) enum Argument<'w> {
    /// An option.
    Option(Choice<'w>),
    /// Anything else.
    Operand(Name<'w>),
}

/// An option as it was given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'w> {
    /// Its name, without dashes.
    pub(super) name: &'w str,
    /// Its value, if it has one.
    pub(super) value: Option<Name<'w>>,
    marks: &'static str,
}

impl Choice<'_> {
    /// Returns whether the option has a mark.
    pub(super) fn has(&self, mark: char) -> bool {
        self.marks.contains(mark)
    }
}

/// The arguments of a program, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Arguments<'w, 'a> {
    words: &'w [Word<'a>],
    spec: &'static str,
    /// The rest of a word of short options, with how much of the word is behind.
    cluster: Option<(Name<'w>, usize)>,
    /// Whether `--` has ended the options.
    ended: bool,
}

impl<'w, 'a> Arguments<'w, 'a> {
    pub(super) fn new(words: &'w [Word<'a>], spec: &'static str) -> Self {
        Self { words, spec, cluster: None, ended: false }
    }

    /// Returns the words that have not been taken yet.
    pub(super) fn rest(&self) -> &'w [Word<'a>] {
        self.words
    }

    fn take(&mut self) -> Option<Name<'w>> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word.name())
    }

    /// Makes an option of what was given and what is `known` of it.
    fn choose(
        &mut self,
        name: &'w str,
        known: Option<&'static str>,
        attached: Option<Name<'w>>,
    ) -> Argument<'w> {
        let marks = known.unwrap_or_default();
        let value = if attached.is_some() || known.is_none() || marks.contains(['!', '?', '-', '/']) {
            attached
        } else {
            if marks.contains('+') {
                self.take();
            }
            self.take()
        };
        Argument::Option(Choice { name, value, marks })
    }
}

impl<'w> Iterator for Arguments<'w, '_> {
    type Item = Argument<'w>;

    fn next(&mut self) -> Option<Argument<'w>> {
        let (word, at) = match self.cluster.take() {
            Some(cluster) => cluster,
            None => (self.take()?, 1),
        };
        if self.ended || word.text == "-" || !word.text.starts_with('-') {
            return Some(Argument::Operand(word));
        }
        if word.text == "--" {
            self.ended = true;
            return self.next();
        }
        if at == 1
            && let Some(long) = word.text.strip_prefix("--")
        {
            let (name, attached) = match long.split_once('=') {
                Some((name, _)) => (name, Some(word.behind(name.len() + 3))),
                None => (long, None),
            };
            return Some(self.choose(name, look_up(self.spec, name), attached));
        }
        let end = at + word.text.get(at..)?.chars().next().map_or(0, char::len_utf8);
        let name = word.text.get(at..end)?;
        let attached = (end < word.text.len()).then(|| word.behind(end));
        let known = look_up(self.spec, name);
        let alone = known.is_none_or(|marks| marks.contains(['-', '/']));
        if alone && attached.is_some() {
            self.cluster = Some((word, end));
        }
        Some(self.choose(name, known, attached.filter(|_| !alone)))
    }
}

/// Returns the marks of an option in `spec`, if it is named there.
fn look_up(spec: &'static str, name: &str) -> Option<&'static str> {
    spec.split(' ').filter(|_| !name.is_empty()).find_map(|entry| {
        spend(1);
        entry.strip_suffix(name).filter(|marks| marks.bytes().all(|mark| MARKS.contains(&mark)))
    })
}
