//! Reading files, a few or thousands.
//!
//! To open, read and understand one takes some five microseconds, most of them in the system. Mostly there are a few, which have changed. After a
//! checkout, or in a clone that nobody has catalogued, it is all of them: these are read on several cores, and each in as few steps as there are.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{Fault, Item, Kept, below};
use crate::directory::{File, Opened};
use crate::store::{LARGEST, Store};

/// What was found in a file.
pub(super) type Found<T> = Result<Kept<T>, Box<Fault>>;

/// What was found in files, for a shelf and for the one beside it.
type Both<T> = (Vec<Found<T>>, Vec<Option<Found<<T as Item>::Beside>>>);

/// The fewest files that are worth another thread, which takes as long to begin as twenty of them.
const SHARE: usize = 128;
/// The fewest that are read for both: the doctor is not asked after every change.
const WORTH_BOTH: usize = 16;
/// The most threads that read at once. A disk gives no more.
const MOST_READERS: usize = 4;

/// Counts the threads that read, in whatever shelf: more than there are cores would only be in each other's way.
static READERS: AtomicUsize = AtomicUsize::new(0);

/// Reads files of a directory, given what was seen of them, and gives what was found in each; of many also what a shelf beside this one wants
/// of them, if it is `for_both`.
pub(super) fn read_all<T: Item>(
    store: &Store,
    directory: &str,
    open: Option<&Opened>,
    files: &[File],
    for_both: bool,
) -> Both<T> {
    let read = |share: &[File], for_both: bool| -> Both<T> {
        let mut reading = Reading { store, directory, open, for_both, room: Vec::new() };
        share.iter().map(|file| reading.read(file)).unzip()
    };
    if files.len() < SHARE {
        return read(files, for_both && files.len() >= WORTH_BOTH);
    }
    let _here = Reader::begin();
    let readers = free_readers().min(files.len() / SHARE).max(1);
    let each = files.len().div_ceil(readers);
    let (here, aside) = files.split_at(each);
    thread::scope(|scope| {
        let begin = |share| {
            let reader = Reader::begin();
            let read = move || {
                let _reader = reader;
                read(share, for_both)
            };
            (share, thread::Builder::new().spawn_scoped(scope, read))
        };
        let others: Vec<_> = aside.chunks(each).map(begin).collect();
        let (mut found, mut beside) = read(here, for_both);
        for (share, other) in others {
            let (of_other, beside_other) = match other {
                Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // No thread is to be had.
                Err(_) => read(share, for_both),
            };
            found.extend(of_other);
            beside.extend(beside_other);
        }
        (found, beside)
    })
}

/// A thread that reads, until this is dropped.
struct Reader;

impl Reader {
    fn begin() -> Self {
        READERS.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        READERS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many threads may read for whoever asks, itself included.
fn free_readers() -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let others = READERS.load(Ordering::Relaxed).saturating_sub(1);
    cores.min(MOST_READERS).saturating_sub(others)
}

/// Reads one file after the other.
struct Reading<'a> {
    store: &'a Store,
    directory: &'a str,
    open: Option<&'a Opened>,
    for_both: bool,
    room: Vec<u8>,
}

impl Reading<'_> {
    fn read<T: Item>(&mut self, (name, seen): &File) -> (Found<T>, Option<Found<T::Beside>>) {
        let file = below(self.directory, name);
        let is_small = seen.version.length() <= LARGEST;
        let bytes = self.open.filter(|_| is_small).and_then(|open| open.read(name, seen, &mut self.room));
        if let Some(text) = bytes.and_then(|bytes| str::from_utf8(bytes).ok()) {
            return found(file, text, self.for_both);
        }
        let fault = match self.store.read_listed(&file, seen.is_link) {
            Ok(Some(text)) => return found(file, &text, self.for_both),
            Ok(None) => Fault::new(file, 0, "vanished while it was read"),
            Err(error) => Fault::new(file, 0, error.to_string()),
        };
        (Err(fault.into()), None)
    }
}

fn found<T: Item>(file: String, text: &str, for_both: bool) -> (Found<T>, Option<Found<T::Beside>>) {
    let (item, beside) = if for_both { T::read_both(&file, text) } else { (T::read(&file, text), None) };
    let beside = beside.map(|read| match read {
        Ok(item) => Ok(Kept::new(file.clone(), item)),
        Err(fault) => Err(fault.into()),
    });
    (item.map(|item| Kept::new(file, item)).map_err(Box::new), beside)
}
