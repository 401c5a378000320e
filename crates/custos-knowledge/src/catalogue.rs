//! What was read of a large directory, for whoever reads it next.
//!
//! Reading three thousand files takes a server longer than its first client wants to wait. So what it read is catalogued: the items of a
//! directory in one file of the state directory, each with the version of the file that it was read of. A catalogue is derived and
//! disposable. It is of one form and one version of the program, has a checksum, and names the directory and the kind of items that it is of;
//! one that is anything else does not exist. An entry counts only while its file still has that version, and the names only while the directory has, which the
//! shelf asks of the file system as always.
//!
//! ```text
//! custos-catalogue 12 0.1.0
//! <checksum of the rest> <kind> <directory> <its version> <count> (<name> <version> <wording> <length> <item>)…
//! ```
//!
//! The wording of a title is there if somebody has compared it: whoever saves something compares its title with all others.
//!
//! It holds what the files hold, so it is as private as they are at most: nobody else may read it, what was taken out of the directory goes at
//! the next writing, and catalogues of projects that nobody opens make room for others.

mod items;
#[cfg(test)]
mod tests;
pub(crate) mod wire;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use custos_config::replace::Draft;
use custos_config::source::{Links, read_small};
use hmac_sha256::Hash;

use crate::shelf::{Item, Kept, below};
use crate::text::Wording;
use crate::version::Version;
use wire::{Reader, Writer};

/// Names the form: whoever changes what is written here, or what an item's file is read as, counts up.
const HEADING: &[u8] = concat!("custos-catalogue 12 ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();
/// A catalogue that is larger was not written here, or takes longer to read than its files are worth.
const LARGEST: u64 = 64 << 20;
/// How many catalogues are kept: some ten projects' worth.
const MOST: usize = 96;

/// An item that a catalogue can hold.
pub(crate) trait Catalogued: Item {
    /// What it is: a directory may be read as several kinds of items.
    const KIND: &'static str;

    /// Spells it.
    fn spell(&self, out: &mut Writer);

    /// Reads what [`Catalogued::spell`] wrote.
    fn recall(from: &mut Reader<'_>) -> Self;
}

/// An item, with the version of the file that it was read of.
pub(crate) type Entry<T> = (Version, Kept<T>);

/// What a catalogue says.
#[derive(Debug)]
pub(crate) struct Recalled<T> {
    /// The version of the directory with these names, if a change of it is sure to show.
    pub(crate) listed: Option<Version>,
    /// The names, in order, with what was read of each.
    pub(crate) files: Vec<(String, Option<Entry<T>>)>,
}

/// The catalogue of one directory.
#[derive(Debug)]
pub(crate) struct Catalogue<T> {
    path: PathBuf,
    /// The kind and the directory that it is of.
    kind: &'static str,
    of: PathBuf,
    spell: fn(&T, &mut Writer),
    recall: fn(&mut Reader<'_>) -> T,
}

impl<T: Catalogued> Catalogue<T> {
    /// Names the catalogue of a directory, among those that are kept together.
    pub(crate) fn new(catalogues: &Path, of: PathBuf) -> Self {
        let digest = Hash::hash(&[T::KIND.as_bytes(), b"\0", of.as_os_str().as_encoded_bytes()].concat());
        let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { path: catalogues.join(name + ".bin"), kind: T::KIND, of, spell: T::spell, recall: T::recall }
    }
}

impl<T: 'static> Catalogue<T> {
    /// Says whether there is one: then there are many files.
    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Reads it; nothing of it if there is any doubt. The files are those of `directory`, as a store calls it.
    pub(crate) fn read(&self, directory: &str) -> Option<Recalled<T>> {
        let bytes = Arc::new(read_small(&self.path, LARGEST, Links::Follow).ok()??);
        let (sum, rest) = bytes.strip_prefix(HEADING)?.split_first_chunk()?;
        if u64::from_le_bytes(*sum) != checksum(rest) {
            return None;
        }
        let mut from = Reader::new(rest);
        if from.text() != self.kind || from.bytes() != self.of.as_os_str().as_encoded_bytes() {
            return None;
        }
        let listed = from.flag().then(|| from.version());
        let files = (0..from.count()).map(|_| {
            let name = from.owned();
            let entry = from.flag().then(|| {
                let version = from.version();
                let wording = from.flag().then(|| Wording::recall(&mut from));
                let length = from.bytes().len();
                let end = bytes.len() - from.left();
                let (bytes, recall) = (Arc::clone(&bytes), self.recall);
                let source = move || recall(&mut Reader::new(&bytes[end - length..end]));
                (version, Kept::from(below(directory, &name), Box::new(source), wording))
            });
            (name, entry)
        });
        Some(Recalled { listed, files: files.collect() })
    }

    /// Writes what is known of the files, given by name, of which `listed` is the version of the directory. A catalogue that cannot be
    /// written is not: nobody needs it.
    pub(crate) fn write(&self, listed: Option<Version>, files: &[(&str, Option<Entry<T>>)]) {
        let mut out = Writer::default();
        out.text(self.kind);
        out.bytes(self.of.as_os_str().as_encoded_bytes());
        out.flag(listed.is_some());
        if let Some(listed) = listed {
            out.version(listed);
        }
        out.count(files.len());
        for (name, entry) in files {
            out.text(name);
            out.flag(entry.is_some());
            if let Some((version, kept)) = entry {
                out.version(*version);
                out.flag(kept.compared().is_some());
                if let Some(wording) = kept.compared() {
                    wording.spell(&mut out);
                }
                out.measured(|out| (self.spell)(&kept.item, out));
            }
        }
        let rest = out.done();
        let bytes = [HEADING, &checksum(&rest).to_le_bytes(), &rest].concat();
        let published = Draft::begin(&self.path).and_then(|draft| draft.publish_disposable(&bytes));
        if let (Ok(()), Some(catalogues)) = (published, self.path.parent()) {
            make_room(catalogues);
        }
    }
}

/// Removes the catalogues that were not written for the longest time, if there are too many.
fn make_room(catalogues: &Path) {
    let Ok(entries) = fs::read_dir(catalogues) else { return };
    let age = |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
    let mut files: Vec<(SystemTime, PathBuf)> = entries.filter_map(|entry| age(entry.ok()?)).collect();
    if files.len() > MOST {
        files.sort_unstable();
        for (_, path) in &files[..files.len() - MOST] {
            let _: std::io::Result<()> = fs::remove_file(path);
        }
    }
}

/// Adds the bytes up, four words of them at a time, each to a sum of its own: none waits for another. It guards against damage, not against
/// the owner of the file.
fn checksum(bytes: &[u8]) -> u64 {
    let add = |sum: u64, word: &[u8; 8]| {
        (sum.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    let (words, rest) = bytes.as_chunks();
    let (fours, few) = words.as_chunks::<4>();
    let length = bytes.len() as u64;
    let (mut a, mut b, mut c, mut d) = (length, length, length, length);
    for [first, second, third, fourth] in fours {
        (a, b, c, d) = (add(a, first), add(b, second), add(c, third), add(d, fourth));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let sums = [a, b, c, d].map(u64::to_le_bytes);
    few.iter().chain([&last]).chain(&sums).fold(0, add)
}
