//! The Windows side of [`super::OsDisk`]: profile directories are private by their inherited rights.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// Opens the link itself instead of what it points to, so that it can be refused.
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;

pub(super) fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)
}

pub(super) fn create_private_dirs(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

pub(super) fn sync_dir(_path: &Path) -> io::Result<()> {
    // NTFS journals its directories; there is no handle to flush.
    Ok(())
}

pub(super) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

pub(super) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    file.seek_write(bytes, offset)
}
