//! The beginnings of files that may carry a predicate.
//!
//! Few decisions carry one, and most files are done with when nothing in their front matter looks like it. After a checkout thousands of them
//! may be other ones; whoever asks for the rules waits for that, so they are read on two cores, each in one step where that is possible.

use std::fs::File;
use std::io::{self, Read as _};
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use super::{LARGEST, Listed};

/// How much of a file is read in one go: nearly all are shorter, and there may be thousands of them.
const FIRST: usize = 8 << 10;

/// The fewest files that are worth another thread.
const SHARE: usize = 256;

/// What a file begins with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// Nothing that looks like a predicate, which is cheaper to say than to read YAML.
    None,
    /// Front matter that may carry one.
    Front(String),
    /// The same, of which others have to be proven first.
    Later,
}

/// What some files begin with, one after the other.
pub(super) struct Openings(std::vec::IntoIter<Opening>);

impl Openings {
    /// Reads files of a directory. Of those that may carry a predicate the first `most` are given.
    pub(super) fn of(directory: &Path, files: &[&Listed], most: usize) -> Self {
        let (here, aside) =
            files.split_at(if files.len() < 2 * SHARE { files.len() } else { files.len() / 2 });
        let mut openings = if aside.is_empty() {
            read_all(directory, here, most)
        } else {
            thread::scope(|scope| {
                let other = thread::Builder::new().spawn_scoped(scope, || read_all(directory, aside, most));
                let mut openings = read_all(directory, here, most);
                openings.extend(match other {
                    Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
                    // No thread is to be had.
                    Err(_) => read_all(directory, aside, most),
                });
                openings
            })
        };
        let mut left = most;
        for opening in &mut openings {
            limit(opening, &mut left);
        }
        Self(openings.into_iter())
    }

    /// Gives that of the next file.
    pub(super) fn next(&mut self) -> Opening {
        self.0.next().unwrap_or(Opening::Later)
    }
}

fn read_all(directory: &Path, files: &[&Listed], mut left: usize) -> Vec<Opening> {
    let mut room = vec![0; FIRST];
    let read = |listed: &&Listed| {
        let path = directory.join(&listed.name);
        let front = read_into(&mut room, &path, listed.length).ok().and_then(|bytes| opening(&bytes));
        let mut opening = front.map_or(Opening::None, Opening::Front);
        // Also so that no more is kept of a clone than will be looked at.
        limit(&mut opening, &mut left);
        opening
    };
    files.iter().map(read).collect()
}

fn limit(opening: &mut Opening, left: &mut usize) {
    if matches!(opening, Opening::Front(_)) {
        match left.checked_sub(1) {
            Some(less) => *left = less,
            None => *opening = Opening::Later,
        }
    }
}

/// Reads a file as far as anything of it is enforced; one that is as long as it was said to be and fits takes one step.
fn read_into<'r>(room: &'r mut [u8], path: &Path, length: u64) -> io::Result<std::borrow::Cow<'r, [u8]>> {
    let mut file = File::open(path)?;
    let read = file.read(room)?;
    if read < room.len() && read as u64 == length {
        return Ok(room[..read].into());
    }
    let mut bytes = room[..read].to_vec();
    file.take((LARGEST + 1).saturating_sub(read as u64)).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

/// Gives the front matter if something in it looks like a predicate.
fn opening(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let front = front_matter(&text)?;
    let names_a_guard = |line: &str| line.trim_start_matches(['"', '\'']).starts_with("guard");
    front.lines().any(names_a_guard).then(|| front.to_owned())
}

/// What stands between the first line and the next one that are `---`. Editors may put a byte order mark or blank lines before it, or end lines
/// as Windows does. Where a slip took one of the two lines away, what is left of it still counts: the file is broken, which the knowledge base
/// says, and until somebody mends it a decision is enforced rather than forgotten.
fn front_matter(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let is_rule = |line: &str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n').peekable();
    let opening = lines.next_if(|line| is_rule(line));
    let start = opening.map_or(0, str::len);
    let is_key =
        |line: &&str| line.split_once(':').is_some_and(|(key, _)| !key.contains(char::is_whitespace));
    if opening.is_none() && !lines.peek().is_some_and(is_key) {
        return None;
    }
    let (mut end, mut blank) = (start, None);
    for line in lines {
        if is_rule(line) {
            return Some(&text[start..end]);
        }
        if line.trim().is_empty() {
            blank = blank.or(Some(end));
        }
        end += line.len();
    }
    opening.map(|_| &text[start..blank.unwrap_or(end)])
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test that writes its own files")]
mod tests {
    use std::fs;

    use super::*;

    fn listed(name: &str, length: u64) -> Listed {
        Listed { name: name.to_owned(), stamp: String::new(), length }
    }

    fn read(directory: &Path, files: &[Listed], most: usize) -> Vec<Opening> {
        Openings::of(directory, &files.iter().collect::<Vec<_>>(), most).0.collect()
    }

    #[test]
    fn of_many_files_the_first_that_may_carry_a_predicate_are_given_in_their_order() {
        let directory = tempfile::tempdir().unwrap();
        let carries = |number: usize| number % 300 == 7;
        let files: Vec<Listed> = (0..1_000)
            .map(|number| {
                let guard = if carries(number) { "guard:\n  command: a\n" } else { "" };
                let text = format!("---\nid: D-{number}\n{guard}---\n");
                let name = format!("D-{number:03}.md");
                fs::write(directory.path().join(&name), &text).unwrap();
                listed(&name, text.len() as u64)
            })
            .collect();
        let openings = read(directory.path(), &files, 3);
        let expected = |number: usize| match number {
            907 => Opening::Later,
            _ if carries(number) => Opening::Front(format!("id: D-{number}\nguard:\n  command: a\n")),
            _ => Opening::None,
        };
        assert_eq!(openings, (0..1_000).map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn a_file_that_has_grown_or_is_long_is_read_as_far_as_anything_is_enforced() {
        let directory = tempfile::tempdir().unwrap();
        let front = |length: usize| format!("note: {}\nguard: a\n", "x".repeat(length));
        let cases = [("grown", 10, 3), ("long", 20_000, 20_100), ("at the edge", FIRST - 30, FIRST)];
        for (name, length, said) in cases {
            fs::write(directory.path().join(name), format!("---\n{}---\nText\n", front(length))).unwrap();
            let openings = read(directory.path(), &[listed(name, said as u64)], 1);
            assert_eq!(openings, [Opening::Front(front(length))], "{name}");
        }
        assert_eq!(read(directory.path(), &[listed("gone", 1)], 1), [Opening::None]);
    }
}
