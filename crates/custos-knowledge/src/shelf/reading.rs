//! Reading files, a few or thousands.
//!
//! To open, read and understand one takes some ten microseconds. Mostly there are a few, which have changed. After a checkout, or in a clone that
//! nobody has catalogued, it is all of them: these are read on several cores.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

use super::{Fault, Item, Kept, below};
use crate::directory::Name;
use crate::store::Store;

/// What was found in a file.
pub(super) type Found<T> = Result<Kept<T>, Box<Fault>>;

/// The fewest files that are worth another thread, which takes as long to begin as ten of them.
const SHARE: usize = 128;
/// The most threads that read at once. A disk gives no more.
const MOST_READERS: usize = 4;

/// Reads files of a directory, given which of them are links, and gives what was found in each.
pub(super) fn read_all<T: Item>(store: &Store, directory: &str, files: &[(Name, bool)]) -> Vec<Found<T>> {
    let read = |share: &[(Name, bool)]| -> Vec<Found<T>> {
        let one = |(name, is_link): &(Name, bool)| read(store, below(directory, name), *is_link);
        share.iter().map(|file| one(file).map_err(Box::new)).collect()
    };
    if files.len() < 2 * SHARE {
        return read(files);
    }
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let readers = cores.min(MOST_READERS).min(files.len() / SHARE);
    let each = files.len().div_ceil(readers);
    let (here, aside) = files.split_at(each);
    thread::scope(|scope| {
        let begin = |share| (share, thread::Builder::new().spawn_scoped(scope, move || read(share)));
        let others: Vec<_> = aside.chunks(each).map(begin).collect();
        let mut found = read(here);
        for (share, other) in others {
            found.extend(match other {
                Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // No thread is to be had.
                Err(_) => read(share),
            });
        }
        found
    })
}

fn read<T: Item>(store: &Store, file: String, is_link: bool) -> Result<Kept<T>, Fault> {
    match store.read_listed(&file, is_link) {
        Ok(Some(text)) => T::read(&file, &text).map(|item| Kept::new(file, item)),
        Ok(None) => Err(Fault::new(file, 0, "vanished while it was read")),
        Err(error) => Err(Fault::new(file, 0, error.to_string())),
    }
}
