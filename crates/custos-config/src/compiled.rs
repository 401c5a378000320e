//! The settings for hooks: what the files came to, kept so that nobody reads YAML twice.
//!
//! A hook has about a millisecond for everything, and the time that YAML takes grows with the files, some of
//! which a clone brings along. [`load_fast`] asks the file system for the stamps of the settings files. If
//! there is none of them, the defaults apply and nothing is read. Otherwise
//! `config.bin` in the state directory is asked for the values under exactly these stamps; it holds one line
//! per set of files, the latest first, so that sessions in several projects do not undo each other's work:
//!
//! ```text
//! custos-config 1
//! <SHA-256 of the stamps> <start of the SHA-256 of the values> key=value⇥key=value…
//! ```
//!
//! The file is a cache and is treated as one: a line that is damaged or foreign does not exist, and a file
//! that cannot be written is not written. The environment is applied after it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hmac_sha256::Hash;

use crate::env::Environment;
use crate::layers::{Layer, Loaded, Roots, files, load_files};
use crate::paths::Places;
use crate::replace::Draft;
use crate::settings::{Settings, TABLE, row};
use crate::source::{Links, read_small};
use crate::stamp::{Stamp, are_settled};

const HEADING: &str = "custos-config 1";
/// How many sets of files are remembered.
const MOST_LINES: usize = 16;
/// A cache that is larger was not written here.
const LARGEST_CACHE: u64 = 256 * 1024;
/// The digits of the checksum of a line; it guards against damage, not against the owner of the file.
const CHECKSUM_DIGITS: usize = 16;

/// Loads the settings without their origins and problems, and without reading a settings file that was read
/// before. Gives the same settings as [`crate::load`] without flags.
pub fn load_fast(places: &Places, roots: Roots<'_>, env: &dyn Environment) -> Settings {
    let files = files(places, roots);
    let stamps = stamps(&files);
    let settings = if stamps.iter().all(Stamp::is_absent) {
        Settings::default()
    } else {
        let cache = places.compiled_config();
        let name = name_of(&files, &stamps);
        recall(&cache, &name).unwrap_or_else(|| compile(&cache, &files))
    };
    let mut loaded = Loaded::of(settings);
    loaded.apply_environment(env);
    loaded.settings
}

fn stamps(files: &[(Layer, PathBuf)]) -> Vec<Stamp> {
    files.iter().map(|(layer, path)| Stamp::of(path, layer.links())).collect()
}

/// Names a set of files in the state they are in.
fn name_of(files: &[(Layer, PathBuf)], stamps: &[Stamp]) -> String {
    let mut digest = Hash::new();
    for ((layer, path), stamp) in files.iter().zip(stamps) {
        stamp.spell(*layer as u8, path, |bytes| digest.update(bytes));
    }
    hex(&digest.finalize())
}

/// Finds the settings under a name.
fn recall(cache: &Path, name: &str) -> Option<Settings> {
    lines(cache).iter().find_map(|line| read_line(line.strip_prefix(name)?))
}

/// The lines of the cache; none if it is not one.
fn lines(cache: &Path) -> Vec<String> {
    let bytes = read_small(cache, LARGEST_CACHE, Links::Follow).ok().flatten().unwrap_or_default();
    let Ok(text) = String::from_utf8(bytes) else { return Vec::new() };
    let mut lines = text.lines();
    if lines.next() != Some(HEADING) {
        return Vec::new();
    }
    lines.map(str::to_owned).collect()
}

fn read_line(line: &str) -> Option<Settings> {
    let (checksum, values) = line.strip_prefix(' ')?.split_once(' ')?;
    if checksum != checksum_of(values) {
        return None;
    }
    let mut settings = Settings::default();
    for pair in values.split('\t').filter(|pair| !pair.is_empty()) {
        let (key, text) = pair.split_once('=')?;
        let row = row(key)?;
        row.put(&mut settings, &row.read_text(text).ok()?);
    }
    Some(settings)
}

fn write_line(name: &str, settings: &Settings) -> String {
    let pairs = TABLE.iter().filter_map(|row| {
        let value = row.value(settings);
        (value != *row.default_value()).then(|| format!("{}={value}", row.key))
    });
    let values = pairs.collect::<Vec<_>>().join("\t");
    format!("{name} {} {values}", checksum_of(&values))
}

/// Reads the files, and remembers what they came to where that is safe and possible.
fn compile(cache: &Path, files: &[(Layer, PathBuf)]) -> Settings {
    // The order matters: see `are_settled`.
    let draft = Draft::begin(cache).ok();
    let stamps = stamps(files);
    let settings = load_files(files).settings;
    if let Some(draft) = draft
        && are_settled(&stamps, &draft)
    {
        remember(draft, cache, &name_of(files, &stamps), &settings);
    }
    settings
}

fn remember(draft: Draft, cache: &Path, name: &str, settings: &Settings) {
    let mut text = format!("{HEADING}\n{}\n", write_line(name, settings));
    for line in lines(cache).iter().filter(|line| !line.starts_with(name)).take(MOST_LINES - 1) {
        text.push_str(line);
        text.push('\n');
    }
    // Nothing depends on it: without the cache the next hook reads the files again.
    let _ = draft.publish_disposable(text.as_bytes());
}

fn checksum_of(values: &str) -> String {
    let mut checksum = hex(&Hash::hash(values.as_bytes()));
    checksum.truncate(CHECKSUM_DIGITS);
    checksum
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
