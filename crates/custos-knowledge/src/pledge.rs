//! What is promised to the disk before all of it is there.
//!
//! To force a new file to the disk is to wait for the journal of the file system, and for whatever else the machine is writing into it. Whoever
//! adds twenty files waits for it again and again. So a server, which lives on after its answer, writes all that a call adds into one more file
//! first, the pledge. Its place on the disk was mostly taken long ago, so that nothing has to get there but its bytes. Once they have, the files
//! get their names and the call its answer. The files themselves are forced when nobody waits ([`crate::aftercare`]), and then the pledge is
//! wiped.
//!
//! As long as the machine runs, a pledge has nothing to tell: what was written is there, whoever was killed. What a power cut takes is put in
//! place from it ([`settling`]).
//!
//! What is about to be removed or moved is forced before ([`crate::aftercare::at_once`]): a pledge would bring it back.
//!
//! Where nobody can tell one run of the machine from another, on file systems that are not known to keep the numbers of their files, or if the
//! pledge cannot be written, each file is forced before it gets its name. It helps against a power cut, and not where a disk is pulled out of a
//! machine that runs on.

mod settling;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use custos_config::replace::sync_directory;
use custos_config::shown::shown_path;
use custos_config::source::{Links, is_absence, read_small, read_text};
use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};

use crate::handoff;
use crate::ignore;
use crate::lock;
use crate::store::{LARGEST as LARGEST_FILE, Store, is_markdown};
use crate::worklog;
pub(crate) use settling::{Settled, settle, taken};

/// The file, below the store.
pub(crate) const FILE: &str = "local/pledge";
/// How much room it has from the start. What goes beyond waits for the journal once, and stays for the next.
const ROOM: usize = 64 << 10;
/// The largest it becomes. What would not fit is forced file by file.
const LARGEST: usize = 1 << 20;
/// Where the files lie that are pledged, beside the worklog. A pledge that came with a clone makes no others.
const PLACES: [&str; 4] = ["decisions", "memory/feedback", "memory/patterns", handoff::DIRECTORY];

/// A file that is to be there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pledged {
    /// The file, below the store.
    pub(crate) file: String,
    /// What it holds.
    pub(crate) text: String,
    /// Whether it takes the place of one that was there.
    pub(crate) replaces: bool,
}

/// What was pledged in one go.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    /// The run of the machine.
    run: String,
    /// The number of the file that holds this: in a copy or a clone it is another.
    holder: u64,
    /// When: milliseconds since 1970.
    time: u64,
    /// Whether somebody may have removed these files, so that their texts go aside.
    #[serde(default)]
    doubtful: bool,
    files: Vec<Pledged>,
}

/// What a pledge holds.
#[derive(Debug, Default)]
pub(crate) struct Look {
    records: Vec<Record>,
    /// All of it, as it is written: others may write as much in its place.
    written: Vec<u8>,
}

/// Names this run of the machine, from its start on; nothing where the system does not say.
static RUN: LazyLock<Option<String>> = LazyLock::new(|| {
    let id = read_text(Path::new("/proc/sys/kernel/random/boot_id"), 100, Links::Follow).ok()??;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
});

/// Says whether files can be pledged here at all.
pub(crate) fn is_possible() -> bool {
    RUN.is_some()
}

/// Says whether files keep their numbers for good where a store is: by that a pledge is told from a copy.
#[cfg(target_os = "linux")]
fn keeps_numbers(store: &Store) -> bool {
    const EXT4: i128 = 0xEF53;
    const XFS: i128 = 0x5846_5342;
    const BTRFS: i128 = 0x9123_683E;
    const F2FS: i128 = 0xF2F5_2010;
    const TMPFS: i128 = 0x0102_1994;
    rustix::fs::statfs(&store.dir)
        .is_ok_and(|found| [EXT4, XFS, BTRFS, F2FS, TMPFS].contains(&i128::from(found.f_type)))
}

#[cfg(not(target_os = "linux"))]
fn keeps_numbers(_: &Store) -> bool {
    false
}

/// Pledges files. The caller holds the lock, and gives them their names once this has returned; if it has not, they have to be forced.
pub(crate) fn make(store: &Store, files: Vec<Pledged>) -> io::Result<()> {
    let run = RUN.clone().filter(|_| keeps_numbers(store)).ok_or(ErrorKind::Unsupported)?;
    if !files.iter().all(is_fit) {
        return Err(ErrorKind::InvalidInput.into());
    }
    append(store, run, files, false)
}

/// Makes the file where there is none, with its room, so that nobody waits for it who has something to pledge. The caller holds the lock.
pub(crate) fn make_room(store: &Store) -> io::Result<()> {
    open_or_make(store).map(drop)
}

/// Says whether the file may be made ahead: it is not there, and somebody has written to the store before, so that git does not see it. Who only
/// reads leaves nothing.
pub(crate) fn may_have_room(store: &Store) -> bool {
    let is_ours = || store.lock_path().is_file() && store.path(ignore::OWN_OF_LOCAL).is_file();
    is_possible()
        && place(store).is_ok_and(|place| fs::symlink_metadata(place).is_err_and(|error| is_absence(&error)))
        && is_ours()
        && keeps_numbers(store)
}

/// Adds a record to what is pledged, and forces it to the disk.
fn append(store: &Store, run: String, files: Vec<Pledged>, doubtful: bool) -> io::Result<()> {
    let mut file = open_or_make(store)?;
    let end = written(&mut file)?.len();
    let record = Record { run, holder: number(&file)?, time: millis(SystemTime::now()), doubtful, files };
    let line = spelt(&record)?;
    if end + line.len() > LARGEST {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let write = |file: &mut File| {
        file.seek(SeekFrom::Start(end as u64))?;
        file.write_all(&line)?;
        file.sync_data()
    };
    let made = write(&mut file);
    if made.is_err() {
        // The files are forced instead, and may be refused: nobody is to find them here.
        let _: io::Result<()> = wipe_from(&mut file, end, end + line.len());
    }
    made
}

/// Looks at what is pledged. Who means to [wipe](Look::wipe) it has the lock meanwhile: else the files may not have their names yet, and would be
/// taken for removed.
pub(crate) fn look(store: &Store) -> io::Result<Look> {
    let bytes = read_small(&place(store)?, LARGEST as u64, Links::Refuse).map_err(io::Error::other)?;
    let written = without_zeros(bytes.unwrap_or_default());
    if written.is_empty() {
        return Ok(Look::default());
    }
    let holder = number(&open(store)?)?;
    let records = written.split(|byte| matches!(byte, 0 | b'\n')).filter_map(read);
    // What was copied tells nothing: the other is still there, or came from somewhere else.
    let records = records.filter(|record| record.holder == holder).collect();
    Ok(Look { records, written })
}

impl Look {
    /// Says whether nothing is pledged.
    pub(crate) fn is_empty(&self) -> bool {
        self.written.is_empty()
    }

    /// Says whether there is something in it that was pledged before the machine was started, or may have been.
    pub(crate) fn is_old(&self) -> bool {
        self.records.iter().any(Record::is_old)
    }

    /// Says whether one of these files is pledged.
    pub(crate) fn names(&self, files: &[&str]) -> bool {
        self.records.iter().flat_map(|record| &record.files).any(|pledged| files.contains(&&*pledged.file))
    }

    /// Forces to the disk what was pledged. An error names the file.
    pub(crate) fn force(&self, store: &Store) -> io::Result<()> {
        let files = self.records.iter().flat_map(|record| &record.files).filter(|pledged| is_fit(pledged));
        let files: BTreeSet<&str> = files.map(|pledged| &*pledged.file).collect();
        let mut directories = BTreeSet::new();
        for file in files {
            let path = store.path(file);
            if store.refuse_links(&path).is_err() {
                continue;
            }
            match force(&path) {
                // Git or a hand has taken it away; who does so by a tool forces it before.
                Err(error) if is_absence(&error) => {}
                forced => forced.map_err(|error| named(&path, &error))?,
            }
            directories.extend(path.parent().map(Path::to_owned));
        }
        let mut there = directories.iter().filter(|directory| directory.is_dir());
        there.try_for_each(|directory| sync_directory(directory).map_err(|error| named(directory, &error)))
    }

    /// Wipes what was pledged, unless something came to it since, or it is for [`settle`]. The caller holds the lock. Gives the file, to be forced
    /// to the disk: what is removed elsewhere is not to be found here.
    pub(crate) fn wipe(&self, store: &Store) -> io::Result<Option<File>> {
        if self.is_old() { Ok(None) } else { self.wipe_all(store) }
    }

    fn wipe_all(&self, store: &Store) -> io::Result<Option<File>> {
        let mut file = open(store)?;
        if written(&mut file)? != self.written {
            return Ok(None);
        }
        wipe_from(&mut file, 0, self.written.len())?;
        Ok(Some(file))
    }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", shown_path(path)))
}

impl Record {
    fn is_old(&self) -> bool {
        RUN.as_deref() != Some(&self.run)
    }
}

fn is_fit(pledged: &Pledged) -> bool {
    let is_item = |(directory, name): (&str, &str)| PLACES.contains(&directory) && is_markdown(name);
    let is_ours = pledged.file == worklog::FILE || pledged.file.rsplit_once('/').is_some_and(is_item);
    is_ours && !pledged.file.contains('\\') && pledged.text.len() as u64 <= LARGEST_FILE
}

fn place(store: &Store) -> io::Result<PathBuf> {
    let path = store.path(FILE);
    store.refuse_links(&path).map_err(io::Error::other)?;
    Ok(path)
}

/// Opens the pledge, which is there.
fn open(store: &Store) -> io::Result<File> {
    let path = place(store)?;
    let metadata = fs::symlink_metadata(&path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("something that is no file is in its place"));
    }
    lock::open(&path)
}

/// Opens the pledge, and makes it where there is none. The caller holds the lock.
fn open_or_make(store: &Store) -> io::Result<File> {
    match open(store) {
        Err(error) if is_absence(&error) => {}
        opened => return opened,
    }
    let path = place(store)?;
    let make = || {
        let mut file = lock::open(&path)?;
        // Written, not only reserved: what is reserved has to be noted in the journal when it is used.
        file.write_all(&vec![0; ROOM])?;
        file.sync_all()?;
        path.parent().map_or(Ok(()), sync_directory)?;
        Ok(file)
    };
    let made: io::Result<File> = make();
    if made.is_err() {
        // Nobody is to take it for one whose name is on the disk.
        let _: io::Result<()> = fs::remove_file(&path);
    }
    made
}

/// Reads what is written in it.
fn written(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(ROOM);
    file.rewind()?;
    file.take(LARGEST as u64).read_to_end(&mut bytes)?;
    Ok(without_zeros(bytes))
}

/// Drops the zeros at the end, which are room. Others are what is left of a wiping that broke off.
fn without_zeros(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    bytes.truncate(end);
    bytes
}

fn wipe_from(file: &mut File, begin: usize, end: usize) -> io::Result<()> {
    file.seek(SeekFrom::Start(begin as u64))?;
    file.write_all(&vec![0; end - begin])
}

/// Spells a record: a hash of all that follows, and that in a line of its own. The line before it may be half of one.
fn spelt(record: &Record) -> io::Result<Vec<u8>> {
    let text = serde_json::to_string(record)?;
    Ok(format!("\n{} {text}\n", hash(text.as_bytes())).into_bytes())
}

/// Reads a line that is whole.
fn read(line: &[u8]) -> Option<Record> {
    let (sum, text) = line.split_at_checked(64)?;
    let text = text.strip_prefix(b" ")?;
    if hash(text).as_bytes() != sum {
        return None;
    }
    serde_json::from_slice(text).ok()
}

fn hash(bytes: &[u8]) -> String {
    Hash::hash(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(unix)]
fn number(file: &File) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(file.metadata()?.ino())
}

#[cfg(not(unix))]
fn number(_: &File) -> io::Result<u64> {
    Ok(0)
}

fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn force(path: &Path) -> io::Result<()> {
    let file = open_file(path)?;
    if file.metadata()?.is_file() { file.sync_all() } else { Ok(()) }
}

/// Opens what is there, without waiting for what may be at the other end of a FIFO.
#[cfg(unix)]
fn open_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_NOCTTY)
        .open(path)
}

#[cfg(not(unix))]
fn open_file(path: &Path) -> io::Result<File> {
    // Elsewhere what was only opened to be read cannot be forced.
    fs::OpenOptions::new().write(true).open(path)
}
