//! Where files are not mapped they are read: slower to open, the same to search.

use std::io;
use std::path::Path;

use custos_log::disk::{Access, Disk, OsDisk};

#[derive(Debug, Default)]
pub(super) struct Bytes(Vec<u8>);

impl Bytes {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if path.symlink_metadata()?.is_dir() {
            return Err(super::not_a_file());
        }
        let file = OsDisk.open(path, Access::Read)?;
        let mut bytes = vec![0; usize::try_from(file.len()?).map_err(io::Error::other)?];
        let read = file.read_full_at(&mut bytes, 0)?;
        bytes.truncate(read);
        Ok(Self(bytes))
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.0
    }
}
