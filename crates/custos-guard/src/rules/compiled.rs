//! The rules for hooks: what the files came to, kept so that nobody reads YAML twice.
//!
//! [`load_fast`] asks the file system for the stamps of at most three files. If there is none of them, the built-in rules apply and nothing
//! is read. Otherwise `rules.bin` in the state directory is asked for the policy under exactly these stamps. It holds several, the latest
//! first, so that sessions in several projects do not undo each other's work:
//!
//! ```text
//! custos-rules 1 0.1.0
//! <length of the key> <length of the policy> <checksum of both> <key> <policy> …
//! ```
//!
//! The file is a cache and is treated as one: what is damaged or foreign does not exist, and a file that cannot be written is not written.
//!
//! A rules file that cannot be used must not switch the guard off. So whenever one is compiled, its text is kept in `rules-good` beside the
//! cache, and when the file is broken later, what that text held is held in its place, with a problem that says so. The file itself is never
//! touched.

use std::path::{Path, PathBuf};

use custos_config::ReadError;
use custos_config::replace::Draft;
use custos_config::source::{Links, read_small, read_text};
use custos_config::stamp::{Stamp, are_settled};
use custos_config::yaml::Broken;
use hmac_sha256::Hash;

use super::document::{self, Fault, Found, shorten};
use super::entry::{Placed, Said};
use super::merge::{Catalogue, merge};
use super::policy::Policy;
use super::problem::{Instead, Problem, ProblemKind};
use super::sources::{Source, Sources};
use super::wire;

const HEADING: &[u8] = concat!("custos-rules 1 ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();
/// How many sets of files are remembered.
const MOST_SETS: usize = 16;
/// Beyond this size older sets are forgotten, so that no hook has to read more because of a project that it is not in.
const SETTLED_SIZE: usize = 128 * 1024;
/// A cache that is larger was not written here.
const LARGEST_CACHE: u64 = 2 * 1024 * 1024;
/// The largest rules file that is read: more than a thousand entries.
pub(crate) const LARGEST_FILE: u64 = 64 * 1024;

/// The rules in force and what is wrong with their files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The rules in force.
    pub policy: Policy,
    /// What was left out, by file and line.
    pub problems: Vec<Problem>,
}

/// Loads the rules without reading a file that was read before, and remembers what it had to read.
pub fn load_fast(sources: &Sources, cache: &Path, catalogue: Catalogue) -> Policy {
    let stamps = stamps(sources);
    if stamps.iter().all(Stamp::is_absent) {
        return Policy::builtin();
    }
    let key = key_of(sources, &stamps, catalogue);
    recall(cache, &key).unwrap_or_else(|| compile(sources, cache, catalogue))
}

/// Loads the rules from their files, with everything that is wrong with them. Writes nothing; `cache` says where good versions are kept.
pub fn load(sources: &Sources, cache: &Path, catalogue: Catalogue) -> Loaded {
    read_all(sources, cache, catalogue).0
}

fn stamps(sources: &Sources) -> Vec<Stamp> {
    // Whether the way there is a link is not asked: the same file under the same stamp has the same content.
    sources.files().iter().map(|source| Stamp::of(&source.path, Links::Follow)).collect()
}

/// Names a set of files in the state they are in, and the built-in rules they were read against. The name is written out, not hashed: it
/// is short, and a hook has better things to do.
fn key_of(sources: &Sources, stamps: &[Stamp], catalogue: Catalogue) -> Vec<u8> {
    let mut key = Vec::with_capacity(512);
    key.extend((catalogue.len() as u64).to_le_bytes());
    for (source, stamp) in sources.files().iter().zip(stamps) {
        stamp.spell(source.level as u8, &source.path, |bytes| key.extend_from_slice(bytes));
    }
    key
}

/// A policy in the cache, with its key.
struct Kept<'a> {
    key: &'a [u8],
    policy: &'a [u8],
    checksum: u64,
}

impl<'a> Kept<'a> {
    /// Takes the next one from the front of the bytes.
    fn next(bytes: &mut &'a [u8]) -> Option<Self> {
        let (key_len, rest) = bytes.split_first_chunk()?;
        let (policy_len, rest) = rest.split_first_chunk()?;
        let (checksum, rest) = rest.split_first_chunk()?;
        let (key, rest) = rest.split_at_checked(u32::from_le_bytes(*key_len) as usize)?;
        let (policy, rest) = rest.split_at_checked(u32::from_le_bytes(*policy_len) as usize)?;
        *bytes = rest;
        Some(Self { key, policy, checksum: u64::from_le_bytes(*checksum) })
    }

    fn of(key: &'a [u8], policy: &'a [u8]) -> Self {
        Self { key, policy, checksum: checksum(key, policy) }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend(u32::try_from(self.key.len()).unwrap_or(u32::MAX).to_le_bytes());
        out.extend(u32::try_from(self.policy.len()).unwrap_or(u32::MAX).to_le_bytes());
        out.extend(self.checksum.to_le_bytes());
        out.extend(self.key);
        out.extend(self.policy);
    }

    fn len(&self) -> usize {
        16 + self.key.len() + self.policy.len()
    }
}

/// FNV-1a. It guards against damage, not against the owner of the file.
fn checksum(key: &[u8], policy: &[u8]) -> u64 {
    key.iter().chain(policy).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn recall(cache: &Path, key: &[u8]) -> Option<Policy> {
    let bytes = read_small(cache, LARGEST_CACHE, Links::Follow).ok()??;
    let mut rest = bytes.strip_prefix(HEADING)?;
    while let Some(kept) = Kept::next(&mut rest) {
        if kept.key == key {
            return (kept.checksum == checksum(kept.key, kept.policy))
                .then(|| wire::decode(kept.policy))
                .flatten();
        }
    }
    None
}

/// Reads the files, and remembers what they came to where that is safe and possible.
fn compile(sources: &Sources, cache: &Path, catalogue: Catalogue) -> Policy {
    // The order matters: see `are_settled`.
    let draft = Draft::begin(cache).ok();
    let stamps = stamps(sources);
    let (loaded, good) = read_all(sources, cache, catalogue);
    // Whatever its stamp, this is what the file held, and it was good. Nobody may look again before the next one breaks it.
    for (path, text) in good {
        keep_good(&path, &text);
    }
    if let Some(draft) = draft
        && are_settled(&stamps, &draft)
    {
        remember(draft, cache, &key_of(sources, &stamps, catalogue), &loaded.policy);
    }
    loaded.policy
}

fn remember(draft: Draft, cache: &Path, key: &[u8], policy: &Policy) {
    let mut out = HEADING.to_vec();
    Kept::of(key, &wire::encode(policy)).write(&mut out);
    let old = read_small(cache, LARGEST_CACHE, Links::Follow).ok().flatten().unwrap_or_default();
    let mut rest = old.strip_prefix(HEADING).unwrap_or_default();
    let mut sets = 1;
    while let Some(kept) = Kept::next(&mut rest) {
        if sets == MOST_SETS || out.len() + kept.len() > SETTLED_SIZE {
            break;
        }
        if kept.key != key {
            kept.write(&mut out);
            sets += 1;
        }
    }
    // Nothing depends on it: without the cache the next hook reads the files again.
    let _ = draft.publish_disposable(&out);
}

/// Where the last good version of a rules file is kept.
fn good_path(cache: &Path, file: &Path) -> PathBuf {
    let name = Hash::hash(file.as_os_str().as_encoded_bytes());
    let name: String = name[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    cache.with_file_name("rules-good").join(name + ".yaml")
}

fn keep_good(path: &Path, text: &str) {
    if read_text(path, LARGEST_FILE, Links::Follow).ok().flatten().as_deref() == Some(text) {
        return;
    }
    // If it cannot be kept, the built-in rules will have to do.
    let _ = Draft::begin(path).and_then(|draft| draft.publish_disposable(text.as_bytes()));
}

/// Good versions of rules files, by where they are to be kept.
type Good = Vec<(PathBuf, String)>;

fn read_all(sources: &Sources, cache: &Path, catalogue: Catalogue) -> (Loaded, Good) {
    let mut said = Vec::new();
    let mut faults: Vec<Vec<Fault>> = Vec::new();
    let mut problems = Vec::new();
    let mut good = Vec::new();
    for source in sources.files() {
        let good_path = good_path(cache, &source.path);
        let (found, broken) = match read_source(source) {
            Ok(None) => (Found::default(), None),
            Ok(Some((text, found))) => {
                good.push((good_path, text));
                (found, None)
            }
            Err(why) => {
                // The faults of the good version were told when it was new, and its lines are no longer there.
                let last = read_text(&good_path, LARGEST_FILE, Links::Follow).ok().flatten();
                let last = last
                    .and_then(|text| document::read(&text).ok())
                    .map(|found| Found { faults: Vec::new(), entries: only_tightening(found.entries) });
                let instead = if last.is_some() { Instead::LastGood } else { Instead::Nothing };
                (last.unwrap_or_default(), Some(why.problem(source, instead)))
            }
        };
        problems.push(broken);
        faults.push(found.faults);
        said.push(Said { level: source.level, root: source.root_text(), entries: found.entries });
    }
    let (mut policy, late) = merge(&said, catalogue);
    let mut all = Vec::new();
    for ((source, mut faults), broken) in sources.files().iter().zip(faults).zip(problems) {
        let of_file = late.iter().filter(|(level, _)| *level == source.level).map(|(_, fault)| fault.clone());
        if broken.is_none() {
            faults.extend(of_file);
        }
        shorten(&mut faults);
        all.extend(broken);
        all.extend(faults.into_iter().map(|fault| Problem {
            path: source.path.clone(),
            at: Some(fault.at),
            kind: fault.kind,
        }));
    }
    policy.problems = all.iter().map(Problem::to_string).collect();
    (Loaded { policy, problems: all }, good)
}

/// What is taken from the last good version of a file. Nobody knows how old that is, or whether it would be allowed still: the person may
/// have deleted it long ago, and the broken file is another one. So it holds what it held, and allows nothing.
fn only_tightening(mut entries: Vec<Placed>) -> Vec<Placed> {
    entries.retain(|placed| placed.entry.only_tightens());
    entries
}

/// Why a file as a whole is not usable.
enum Unusable {
    Unreadable(ReadError),
    Linked,
    Broken(Broken),
}

impl Unusable {
    fn problem(self, source: &Source, instead: Instead) -> Problem {
        let (at, kind) = match self {
            Self::Unreadable(why) => (None, ProblemKind::Unreadable { why, instead }),
            Self::Linked => (None, ProblemKind::Linked { instead }),
            Self::Broken(broken) => (Some(broken.at), ProblemKind::Broken { why: broken.why, instead }),
        };
        Problem { path: source.path.clone(), at, kind }
    }
}

fn read_source(source: &Source) -> Result<Option<(String, Found)>, Unusable> {
    let Some(text) = read_text(&source.path, LARGEST_FILE, Links::Follow).map_err(Unusable::Unreadable)?
    else {
        return Ok(None);
    };
    if source.is_linked() {
        return Err(Unusable::Linked);
    }
    let found = document::read(&text).map_err(Unusable::Broken)?;
    Ok(Some((text, found)))
}

#[cfg(test)]
mod tests;
