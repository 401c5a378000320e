//! Asks `gh` for the state of a pull request: without a shell, with arguments that were checked, and to a deadline.
//!
//! The only program that a hook ever waits for, and only where the person has switched the commit gate on.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use custos_guard::gate::{self, PrState, PullRequests, Repo};

/// The longest answer that is read.
const LONGEST: u64 = 64 << 10;

/// GitHub, through its command line.
#[derive(Debug)]
pub(super) struct Gh;

impl PullRequests for Gh {
    fn state(&self, repo: &Repo, number: u32, deadline: Instant) -> Result<PrState, String> {
        let argv = gate::argv(repo, number);
        let Some((program, args)) = argv.split_first() else {
            return Err("there is nothing to ask".to_owned());
        };
        super::last_word::limit_memory(None);
        let mut child = Command::new(program)
            .args(args)
            .env("GH_PROMPT_DISABLED", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("`gh` cannot be started: {error}"))?;
        let Some(out) = child.stdout.take() else { return Err("`gh` has no output".to_owned()) };
        // A thread reads, so that waiting can end at the deadline whatever `gh` does.
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let read = out.take(LONGEST).read_to_end(&mut text).map(|_| text);
            let _ = send.send(read);
        });
        let left = deadline.saturating_duration_since(Instant::now());
        let printed = receive.recv_timeout(left);
        let ended = finish(&mut child, deadline);
        match (printed, ended) {
            (Ok(Ok(text)), true) => gate::read_answer(&text),
            (Ok(Err(error)), _) => Err(format!("the answer of `gh` cannot be read: {error}")),
            (Ok(Ok(_)), false) => Err("`gh` failed; `gh auth status` may say why".to_owned()),
            (Err(_), _) => Err("`gh` did not answer in time".to_owned()),
        }
    }
}

/// Ends a child: says whether it ended well by itself; one that has not ended by now is killed.
fn finish(child: &mut Child, deadline: Instant) -> bool {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < deadline => std::thread::park_timeout(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}
