//! Reading what a client sends, within bounds of size and time.

use std::time::Duration;

/// How long a client may take to send its payload. Far more than any needs, and less than any waits for a hook.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long we wait for more after what looks like a whole payload.
#[cfg(unix)]
const AFTERWARDS: Duration = Duration::from_millis(200);

/// Reads standard input to its end, or says why not.
#[cfg(unix)]
pub(super) fn read(limit: usize) -> Result<Vec<u8>, String> {
    use std::os::fd::AsFd as _;
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    let stdin = std::io::stdin();
    let fd = stdin.as_fd();
    let mut bytes: Vec<u8> = Vec::with_capacity(16 << 10);
    // The clock is asked only if the client sends piece by piece: mostly there is one, and then the end.
    let mut deadline: Option<Instant> = None;
    let mut pieces = 0;
    let mut shortcut = true;
    loop {
        let left = deadline.map_or(PATIENCE, |deadline| deadline.saturating_duration_since(Instant::now()));
        // What looks whole is not waited for long: some clients forget to close the pipe.
        let may_be_whole = shortcut && last_word(&bytes).ends_with(b"}");
        let wait = if may_be_whole { left.min(AFTERWARDS) } else { left };
        let seconds = i64::try_from(wait.as_secs()).unwrap_or(0);
        let timeout = Timespec { tv_sec: seconds, tv_nsec: wait.subsec_nanos().into() };
        match poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&timeout)) {
            Ok(0) if may_be_whole && serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok() => {
                return Ok(bytes);
            }
            Ok(0) if may_be_whole => {
                shortcut = false;
                continue;
            }
            Ok(0) => {
                return Err(format!("the client did not finish its payload within {} s", PATIENCE.as_secs()));
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(format!("standard input cannot be waited for: {error}")),
        }
        if deadline.is_none() && pieces > 1 {
            deadline = Some(Instant::now() + PATIENCE);
        }
        pieces += 1;
        if bytes.capacity() - bytes.len() < 4096 {
            bytes.reserve(64 << 10);
        }
        match rustix::io::read(fd, rustix::buffer::spare_capacity(&mut bytes)) {
            Ok(0) => return Ok(bytes),
            Ok(_) if bytes.len() > limit => {
                return Err(format!("the payload is longer than {} MB", limit >> 20));
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(format!("standard input cannot be read: {error}")),
        }
    }
}

/// The end of what came, without blanks; only a short stretch of it is looked at, because this is asked after every read.
#[cfg(unix)]
fn last_word(bytes: &[u8]) -> &[u8] {
    const STRETCH: usize = 64;
    bytes[bytes.len().saturating_sub(STRETCH)..].trim_ascii_end()
}

/// Reads standard input to its end, or says why not. A thread reads, so that waiting for it can end.
#[cfg(not(unix))]
pub(super) fn read(limit: usize) -> Result<Vec<u8>, String> {
    use std::io::Read as _;

    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(limit as u64 + 1).read_to_end(&mut bytes);
        let _ = send.send(read.map(|_| bytes));
    });
    match receive.recv_timeout(PATIENCE) {
        Ok(Ok(bytes)) if bytes.len() > limit => Err(format!("the payload is longer than {} MB", limit >> 20)),
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(format!("standard input cannot be read: {error}")),
        Err(_) => Err(format!("the client did not finish its payload within {} s", PATIENCE.as_secs())),
    }
}
