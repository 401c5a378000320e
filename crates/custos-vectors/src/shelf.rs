//! Where the files of an embedder are, and what proves that they are its own.
//!
//! The name of a directory is a hash, so that any embedder's id can have one. What counts is the file `about` in it, which is
//! written once: the number of dimensions, a mark that no other shelf ever had, and the id in full. A directory whose
//! `about` says something else, or cannot be read, holds no vectors for anybody.
//!
//! The mark tells the index which shelf it was that it knows all vectors to be on. If somebody deletes the directory, the next
//! one has another mark, and everything is embedded again; an index that was rebuilt asks again about everything, and finds it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use custos_embed::EmbedderId;
use custos_log::disk::{Access, Disk, Handle, OsDisk};

use crate::error::VectorsError;
use crate::mapped::Mapped;
use crate::scope::fnv1a;

/// The most dimensions whose products can be added up in 32 bits.
const MOST_DIMS: usize = 1 << 16;

const TITLE: &str = "custos vectors 1";

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(10);

/// The directory of one embedder's vectors.
#[derive(Debug, Clone)]
pub(crate) struct Shelf {
    pub(crate) dir: PathBuf,
    pub(crate) embedder: EmbedderId,
    pub(crate) dims: usize,
    /// None as long as nothing was written.
    pub(crate) mark: Option<String>,
}

impl Shelf {
    /// Looks at an embedder's place.
    pub(crate) fn of(state: &Path, embedder: &EmbedderId, dims: usize) -> Result<Self, VectorsError> {
        if dims == 0 || dims > MOST_DIMS {
            return Err(VectorsError::Dimensions(dims));
        }
        let name = fnv1a(format!("{dims} {embedder}").as_bytes());
        let dir = root(state).join(format!("{name:016x}"));
        let found = Self::at(&dir)?.filter(|found| found.embedder == *embedder && found.dims == dims);
        Ok(found.unwrap_or_else(|| Self { dir, embedder: embedder.clone(), dims, mark: None }))
    }

    /// Reads what a directory says about itself.
    fn at(dir: &Path) -> Result<Option<Self>, VectorsError> {
        let path = dir.join("about");
        let about = Mapped::open(&path).map_err(VectorsError::io("open", &path))?;
        let read = || {
            let mut lines = std::str::from_utf8(&about).ok()?.splitn(4, '\n');
            let title = lines.next()?;
            let dims = lines.next()?.parse().ok().filter(|dims| (1..=MOST_DIMS).contains(dims))?;
            let mark = lines.next()?;
            let embedder = EmbedderId::new(lines.next()?.strip_suffix('\n')?);
            (title == TITLE).then(|| Self {
                dir: dir.to_owned(),
                embedder,
                dims,
                mark: Some(mark.to_owned()),
            })
        };
        Ok(read())
    }

    /// Makes the directory, if there is none yet. Whatever foreign lies in its place is removed.
    pub(crate) fn create(&mut self, disk: &dyn Disk) -> Result<(), VectorsError> {
        if self.mark.is_some() {
            return Ok(());
        }
        remove(disk, &self.dir)?;
        disk.create_dirs(&self.dir).map_err(VectorsError::io("create", &self.dir))?;
        self.renew_mark(disk)
    }

    /// Gives the shelf a mark that no other has.
    pub(crate) fn renew_mark(&mut self, disk: &dyn Disk) -> Result<(), VectorsError> {
        let mut random = [0; 8];
        getrandom::fill(&mut random)
            .map_err(|error| VectorsError::io("name", &self.dir)(io::Error::other(error)))?;
        let mark = format!("{:016x}", u64::from_le_bytes(random));
        let about = format!("{TITLE}\n{}\n{mark}\n{}\n", self.dims, self.embedder);
        write_anew(disk, &self.dir.join("about"), about.as_bytes())?;
        self.mark = Some(mark);
        Ok(())
    }
}

/// What there is of one embedder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The embedder.
    pub embedder: EmbedderId,
    /// The dimensions of its vectors.
    pub dims: usize,
    /// How many rows there are that were not forgotten.
    pub rows: usize,
}

/// Lists what there is, of each embedder.
pub fn stored(state: &Path) -> Result<Vec<Stored>, VectorsError> {
    let mut all = Vec::new();
    for shelf in readable(&OsDisk, state)? {
        let sections = crate::sections::Sections::open(&shelf)?;
        let rows = (0..sections.len()).filter(|row| sections.name(*row).is_some()).count();
        all.push(Stored { embedder: shelf.embedder, dims: shelf.dims, rows });
    }
    all.sort_by(|one, other| one.embedder.cmp(&other.embedder));
    Ok(all)
}

/// Removes the vectors of all embedders but one, and says of how many.
pub fn remove_others(state: &Path, embedder: &EmbedderId, dims: usize) -> Result<usize, VectorsError> {
    let kept = Shelf::of(state, embedder, dims)?;
    let mut removed = 0;
    for dir in directories(&OsDisk, state)? {
        if dir != kept.dir {
            let _lock = lock(&OsDisk, state)?;
            remove(&OsDisk, &dir)?;
            removed += 1;
        }
    }
    Ok(removed)
}

fn root(state: &Path) -> PathBuf {
    state.join("vectors")
}

/// Names the file that says when it was last looked for what is to be forgotten.
pub(crate) fn sweeps(state: &Path) -> PathBuf {
    root(state).join("swept")
}

/// Lists the directories of all embedders, and whatever else lies among them.
pub(crate) fn directories(disk: &dyn Disk, state: &Path) -> Result<Vec<PathBuf>, VectorsError> {
    let root = root(state);
    let names = disk.list(&root).map_err(VectorsError::io("list", &root))?;
    let paths = names.into_iter().map(|name| root.join(name));
    // A link is not followed: it is none of ours, and what it leads to even less.
    Ok(paths.filter(|path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())).collect())
}

/// Finds the shelves of all embedders.
pub(crate) fn readable(disk: &dyn Disk, state: &Path) -> Result<Vec<Shelf>, VectorsError> {
    let mut shelves = Vec::new();
    for dir in directories(disk, state)? {
        shelves.extend(Shelf::at(&dir)?);
    }
    Ok(shelves)
}

/// Removes what lies among the shelves and is none: nobody can tell what of it is to be forgotten.
pub(crate) fn remove_unreadable(disk: &dyn Disk, state: &Path) -> Result<(), VectorsError> {
    for dir in directories(disk, state)? {
        if Shelf::at(&dir)?.is_none() {
            remove(disk, &dir)?;
        }
    }
    Ok(())
}

/// Takes the lock that all writers share.
pub(crate) fn lock(disk: &dyn Disk, state: &Path) -> Result<Box<dyn Handle>, VectorsError> {
    let root = root(state);
    disk.create_dirs(&root).map_err(VectorsError::io("create", &root))?;
    let path = root.join("lock");
    let file = disk.open(&path, Access::ReadWrite).map_err(VectorsError::io("open", &path))?;
    let began = Instant::now();
    while !file.try_lock().map_err(VectorsError::io("lock", &path))? {
        if began.elapsed() >= PATIENCE {
            return Err(VectorsError::Busy { path, waited: PATIENCE });
        }
        std::thread::park_timeout(Duration::from_millis(1));
    }
    Ok(file)
}

/// Writes a file beside its place and renames it. After a crash, the old one or the new one is there, whole.
pub(crate) fn write_anew(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), VectorsError> {
    let beside = path.with_extension("new");
    match disk.remove(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(VectorsError::io("remove", &beside)(error));
        }
        _ => {}
    }
    let file = disk.open(&beside, Access::Create).map_err(VectorsError::io("create", &beside))?;
    file.write_all_at(bytes, 0).map_err(VectorsError::io("write", &beside))?;
    file.sync().map_err(VectorsError::io("sync", &beside))?;
    drop(file);
    disk.rename(&beside, path).map_err(VectorsError::io("rename", &beside))
}

fn remove(disk: &dyn Disk, dir: &Path) -> Result<(), VectorsError> {
    match disk.remove_tree(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(VectorsError::io("remove", dir)(error)),
        _ => Ok(()),
    }
}
