//! The Unix side: `mmap`.

use std::fs::File;
use std::io;
use std::path::Path;
use std::ptr;

use rustix::fs::{Mode, OFlags};
use rustix::mm::{MapFlags, ProtFlags};

/// A mapping that is given back when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Bytes(&'static [u8]);

impl Bytes {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // Never through a link, and never waiting for somebody to write into a FIFO.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(super::not_a_file());
        }
        let len = usize::try_from(metadata.len()).map_err(io::Error::other)?;
        if len == 0 {
            return Ok(Self::default());
        }
        #[expect(unsafe_code, reason = "a file can only be searched where it lies if it is mapped")]
        // SAFETY: the mapping is new, `len` bytes long and readable until `drop` gives it back; the slice never leaves this
        // struct for longer than a borrow of it. Others may write to the file meanwhile, but none ever cuts it (see `pen`), and
        // whoever reads takes any bytes for possible and none for the same twice: each row is copied or compared once, and checked.
        let bytes = unsafe {
            let start = rustix::mm::mmap(ptr::null_mut(), len, ProtFlags::READ, MapFlags::SHARED, &file, 0)?;
            std::slice::from_raw_parts(start.cast::<u8>(), len)
        };
        Ok(Self(bytes))
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        self.0
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        if self.0.is_empty() {
            return;
        }
        let start = self.0.as_ptr().cast_mut().cast();
        #[expect(unsafe_code, reason = "the counterpart of `mmap`")]
        // SAFETY: this is the mapping that `open` made, whole, and nobody has borrowed it any more.
        let _ = unsafe { rustix::mm::munmap(start, self.0.len()) };
    }
}
