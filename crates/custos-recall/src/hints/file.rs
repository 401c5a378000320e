//! The file of a project's hints: written whole by the worker, read whole by a hook.
//!
//! ```text
//! magic, version                            8 bytes
//! number of hints                           4 bytes
//! rows, sorted by key, 56 bytes each        key 16, id 16, instant 8, session 8, text at 4, length 2, sort 1, not reviewed 1
//! texts
//! ```
//!
//! Numbers are little-endian. A file that is cut short, of another version or plainly damaged holds no hints; what it says is
//! cleaned again when it is spelt, because nobody vouches for a file.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use custos_config::replace::Draft;
use custos_model::{EventId, Sort, Timestamp};

use super::hint::Hint;
use super::signature;

const MAGIC: [u8; 8] = *b"custosh3";
const HEADER: usize = 12;
const ROW: usize = 56;

/// The largest file that is read: far more than [`super::build::MOST`] hints take.
const LARGEST: u64 = 1 << 20;

/// What leads to a hint: a hash of a file's path, or of what an error is recognised by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u128);

impl Key {
    /// The key of a file, by its path in the project.
    pub fn of_file(path: &str) -> Self {
        Self(hash(&["file", path]))
    }

    /// The key of a file of a repo, among the hints of a workspace around it, by its path in the repo.
    pub fn of_file_in(repo: &str, path: &str) -> Self {
        Self(hash(&["file", repo, path]))
    }

    /// The key of an error, by its signature.
    pub(crate) fn of_error(signature: &str) -> Self {
        Self(hash(&["error", signature]))
    }

    /// Spells it, for the journal of a session.
    pub fn spelt(self) -> String {
        format!("{:032x}", self.0)
    }
}

/// Stands for a session.
pub fn session_mark(session: &str) -> u64 {
    u64::try_from(hash(&["session", session]) & u128::from(u64::MAX)).unwrap_or_default()
}

/// Hashes texts (FNV-1a): 128 bits, so that nothing is taken for something else.
fn hash(texts: &[&str]) -> u128 {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for byte in texts.iter().flat_map(|text| text.bytes().chain([0])) {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    hash
}

/// The hints of a project.
#[derive(Debug)]
pub struct Hints {
    bytes: Vec<u8>,
    count: usize,
}

impl Hints {
    /// Reads the hints of a project; none if there are none, or none that can be read.
    pub fn read(state: &Path, project: &str) -> Option<Self> {
        let file = File::open(place(state, project)).ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(file.metadata().ok()?.len().min(LARGEST)).ok()?);
        file.take(LARGEST).read_to_end(&mut bytes).ok()?;
        Self::parse(bytes)
    }

    pub(crate) fn parse(bytes: Vec<u8>) -> Option<Self> {
        let header = bytes.get(..HEADER).filter(|header| header.starts_with(&MAGIC))?;
        let count = usize::try_from(u32::from_le_bytes(*header.last_chunk()?)).ok()?;
        let rows = count.checked_mul(ROW)?;
        (count > 0 && bytes.len() >= HEADER.checked_add(rows)?).then_some(Self { bytes, count })
    }

    /// Gives the hint about a file, by its path in the project.
    pub fn of_file(&self, path: &str) -> Option<Hint> {
        self.find(Key::of_file(path))
    }

    /// Gives what was learnt in a workspace about a file of a repo inside of it, by its path in the repo.
    pub fn of_file_in(&self, repo: &str, path: &str) -> Option<Hint> {
        self.find(Key::of_file_in(repo, path))
    }

    /// Gives the hint about what a command that failed has printed.
    pub fn of_output(&self, output: &str) -> Option<Hint> {
        signature::signatures(output).iter().find_map(|line| self.find(Key::of_error(&line.text)))
    }

    fn find(&self, key: Key) -> Option<Hint> {
        let (mut from, mut to) = (0, self.count);
        while from < to {
            let middle = from.midpoint(to);
            let row = self.row(middle)?;
            match Key(u128::from_le_bytes(*row.first_chunk()?)).cmp(&key) {
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
                std::cmp::Ordering::Equal => return self.hint(row),
            }
        }
        None
    }

    fn row(&self, at: usize) -> Option<&[u8]> {
        let from = HEADER + at * ROW;
        self.bytes.get(from..from + ROW)
    }

    fn hint(&self, row: &[u8]) -> Option<Hint> {
        let number = |at: usize| row.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let text_at = usize::try_from(number(48)? & u64::from(u32::MAX)).ok()?;
        let length = usize::from(u16::from_le_bytes(*row.get(52..)?.first_chunk()?));
        let from = HEADER.checked_add(self.count * ROW)?.checked_add(text_at)?;
        let text = self.bytes.get(from..from.checked_add(length)?)?;
        Some(Hint {
            key: Key(u128::from_le_bytes(*row.first_chunk()?)),
            id: EventId::from_bytes(*row.get(16..)?.first_chunk()?),
            ts: Timestamp::from_millis(number(32)?.cast_signed()),
            session: number(40)?,
            sort: *Sort::ALL.get(usize::from(*row.get(54)?))?,
            trusted: *row.get(55)? == 0,
            text: String::from_utf8_lossy(text).into_owned(),
        })
    }
}

/// Writes the hints of a project in the place of those that were there. Without any, an empty file says that they were looked for.
pub fn write(state: &Path, project: &str, hints: &mut [Hint]) -> io::Result<()> {
    hints.sort_by_key(|hint| hint.key);
    let mut bytes = Vec::with_capacity(HEADER + hints.len() * (ROW + 100));
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&u32::try_from(hints.len()).unwrap_or_default().to_le_bytes());
    let mut texts = Vec::new();
    for hint in &*hints {
        let length = hint.text.floor_char_boundary(usize::from(u16::MAX));
        bytes.extend_from_slice(&hint.key.0.to_le_bytes());
        bytes.extend_from_slice(hint.id.as_bytes());
        bytes.extend_from_slice(&hint.ts.as_millis().to_le_bytes());
        bytes.extend_from_slice(&hint.session.to_le_bytes());
        bytes.extend_from_slice(&u32::try_from(texts.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(&u16::try_from(length).unwrap_or_default().to_le_bytes());
        let sort = Sort::ALL.iter().position(|sort| *sort == hint.sort).unwrap_or_default();
        bytes.extend_from_slice(&[u8::try_from(sort).unwrap_or_default(), u8::from(!hint.trusted)]);
        texts.extend_from_slice(&hint.text.as_bytes()[..length]);
    }
    bytes.extend_from_slice(&texts);
    Draft::begin(&place(state, project))?.publish_disposable(&bytes)
}

/// Says whether there may be hints of any project.
pub fn are_there(state: &Path) -> bool {
    directory(state).exists()
}

/// Says whether the hints of a project were looked for since they were last discarded.
pub fn is_there(state: &Path, project: &str) -> bool {
    // One of another version says nothing to anybody: its keys are others.
    let mut magic = [0; MAGIC.len()];
    File::open(place(state, project)).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == MAGIC
}

/// Takes the hints of a project away: something that they say was corrected. The next worker makes them anew.
pub fn discard(state: &Path, project: &str) -> io::Result<()> {
    ignore_missing(std::fs::remove_file(place(state, project)))
}

/// Takes all hints away.
pub fn discard_all(state: &Path) -> io::Result<()> {
    ignore_missing(std::fs::remove_dir_all(directory(state)))
}

fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn directory(state: &Path) -> PathBuf {
    state.join("hints")
}

/// Gives the file of a project, named by a hash: a project's identity is a URL or a path, and no name for a file.
fn place(state: &Path, project: &str) -> PathBuf {
    directory(state).join(format!("{:032x}.bin", hash(&["project", project])))
}
