//! A child that is talked to in lines.
//!
//! Three threads serve it, so that whoever asks only ever waits for a channel, to a deadline: one writes, because a child that does not
//! read would block the writer; one reads lines, each within a bound; one drains what it complains about and remembers the end of it.
//! They end by themselves when the child is gone, and the child goes when this is dropped, with everything that it started. A thread that
//! waits for an answer cannot drop it, so all children are also [known](Nursery) to whoever ends the whole program.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use custos_distill::model::Fault;

use super::system::{self, Leash};

/// The most that is read of one line.
const MOST_LINE: u64 = 1 << 20;
/// The most that is kept of what it complained about.
const MOST_COMPLAINT: usize = 2_000;
/// Lines that wait to be read; past these the child waits.
const MOST_WAITING: usize = 16;

/// Why there is no answer.
pub(super) enum Ended {
    /// The time is over.
    Late,
    /// The child is gone; these were its last words.
    Died(String),
    /// The child is gone, and had begun to work at the question.
    CutOff(String),
    /// It said more than is read.
    TooMuch,
    /// It answered that it cannot.
    Fault(Fault),
}

/// All children that run, and whether there may be more.
#[derive(Debug, Default)]
pub(super) struct Nursery {
    running: Vec<(Arc<Mutex<process::Child>>, Arc<Leash>)>,
    is_closed: bool,
}

impl Nursery {
    /// Ends all children, and lets no other start.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        for (process, leash) in &self.running {
            // None of these was waited for: that comes after it is taken out.
            system::end(&mut process.lock().unwrap_or_else(PoisonError::into_inner));
            leash.put_away();
        }
    }
}

/// A running child.
pub(super) struct Child {
    process: Arc<Mutex<process::Child>>,
    nursery: Arc<Mutex<Nursery>>,
    to: Sender<Vec<u8>>,
    from: Receiver<Result<String, Ended>>,
    complaint: Arc<Mutex<String>>,
    _leash: Arc<Leash>,
    /// What the process has cost so far, in millionths of a dollar.
    pub(super) cost: u64,
}

impl Child {
    /// Starts a child in a group of its own, on a leash from a directory.
    pub(super) fn start(
        mut command: Command,
        leashes: &Path,
        nursery: &Arc<Mutex<Nursery>>,
    ) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Held until the child is in it, so that none is missed by whoever closes it.
        let mut known = nursery.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_closed {
            return Err(io::Error::other("the program ends"));
        }
        let (mut process, leash) = Leash::start(&mut command, leashes)?;
        let (stdin, stdout, stderr) = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (process, leash) = (Arc::new(Mutex::new(process)), Arc::new(leash));
        known.running.push((Arc::clone(&process), Arc::clone(&leash)));
        drop(known);
        let (to, questions) = mpsc::channel::<Vec<u8>>();
        let (lines, from) = mpsc::sync_channel(MOST_WAITING);
        let complaint = Arc::new(Mutex::new(String::new()));
        if let Some(mut stdin) = stdin {
            thread::spawn(move || {
                // Ends, and closes the pipe, when nobody can ask any more or nobody reads.
                while let Ok(question) = questions.recv() {
                    if stdin.write_all(&question).and_then(|()| stdin.flush()).is_err() {
                        return;
                    }
                }
            });
        }
        if let Some(stdout) = stdout {
            thread::spawn(move || pass_on(BufReader::new(stdout), &lines));
        }
        if let Some(stderr) = stderr {
            let complaint = Arc::clone(&complaint);
            thread::spawn(move || remember(stderr, &complaint));
        }
        Ok(Self { process, nursery: Arc::clone(nursery), to, from, complaint, _leash: leash, cost: 0 })
    }

    /// Says a line.
    pub(super) fn say(&self, line: &str) -> Result<(), Ended> {
        self.to.send(format!("{line}\n").into_bytes()).map_err(|_| self.died())
    }

    /// Hears the next line.
    pub(super) fn hear(&self, end: Instant) -> Result<String, Ended> {
        match self.from.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => Err(Ended::Late),
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }

    fn died(&self) -> Ended {
        Ended::Died(self.complaint.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let mut nursery = self.nursery.lock().unwrap_or_else(PoisonError::into_inner);
        nursery.running.retain(|(process, _)| !Arc::ptr_eq(process, &self.process));
        drop(nursery);
        // The group first: once the child is waited for, its number may be somebody else's.
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        system::end(&mut process);
        let _ = process.wait();
    }
}

fn pass_on(mut from: impl BufRead, to: &SyncSender<Result<String, Ended>>) {
    loop {
        let mut line = Vec::new();
        let read = from.by_ref().take(MOST_LINE).read_until(b'\n', &mut line);
        let said = match read {
            Ok(1..) if line.ends_with(b"\n") => Ok(String::from_utf8_lossy(&line).into_owned()),
            Ok(length) if length as u64 == MOST_LINE => Err(Ended::TooMuch),
            // Half a line is no message.
            Ok(_) | Err(_) => return,
        };
        let is_last = said.is_err();
        if to.send(said).is_err() || is_last {
            return;
        }
    }
}

fn remember(mut from: impl Read, complaint: &Mutex<String>) {
    let mut block = [0; 1024];
    while let Ok(length @ 1..) = from.read(&mut block) {
        let mut complaint = complaint.lock().unwrap_or_else(PoisonError::into_inner);
        complaint.push_str(&String::from_utf8_lossy(&block[..length]));
        let excess = complaint.len().saturating_sub(MOST_COMPLAINT);
        let cut = (excess..complaint.len()).find(|at| complaint.is_char_boundary(*at)).unwrap_or(0);
        complaint.drain(..cut);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A child that hangs, and has started another that does.
    fn hung() -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & sleep 600"]);
        command
    }

    /// Waits until nobody holds the child's output any more: then all that it had started is gone as well.
    fn is_gone(child: &Child) -> bool {
        matches!(child.hear(Instant::now() + Duration::from_mins(1)), Err(Ended::Died(_)))
    }

    #[test]
    fn whoever_closes_the_nursery_ends_a_child_that_somebody_waits_for() {
        let (nursery, leashes) = (Arc::new(Mutex::new(Nursery::default())), tempfile::tempdir().unwrap());
        let child = Child::start(hung(), leashes.path(), &nursery).unwrap();
        nursery.lock().unwrap().close();
        assert!(is_gone(&child));
        assert!(Child::start(hung(), leashes.path(), &nursery).is_err(), "and none takes its place");
        drop(child);
        assert_eq!(nursery.lock().unwrap().running.len(), 0);
        assert_eq!(leashes.path().read_dir().unwrap().count(), 0, "nor does a leash stay behind");
    }

    #[test]
    fn what_somebody_left_behind_who_was_killed_is_ended_and_nobody_else() {
        let (nursery, leashes) = (Arc::new(Mutex::new(Nursery::default())), tempfile::tempdir().unwrap());
        let left = Child::start(hung(), leashes.path(), &nursery).unwrap();
        // Of the same number as one that was left behind before the machine was restarted.
        let elsewhere = tempfile::tempdir().unwrap();
        let innocent = Child::start(hung(), elsewhere.path(), &nursery).unwrap();
        let number = innocent.process.lock().unwrap().id().to_string();
        let old = tempfile::Builder::new().tempfile_in(leashes.path()).unwrap();
        old.as_file().write_all(number.as_bytes()).unwrap();
        assert_eq!(Leash::pull(leashes.path()), 1);
        assert!(is_gone(&left));
        let heard = innocent.hear(Instant::now() + Duration::from_millis(50));
        assert!(matches!(heard, Err(Ended::Late)), "it lives");
        assert_eq!(leashes.path().read_dir().unwrap().count(), 0);
    }
}
