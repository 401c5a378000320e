//! What went wrong in a hook, kept for `custos doctor`.
//!
//! Nobody reads what a hook prints to its standard error, and a hook must not fail. So it leaves a line here: when, which client and event,
//! and what was the matter. The file is bounded; when it is full it becomes the old one and a new one begins.

use std::path::{Path, PathBuf};

use custos_log::disk::{Access, Disk};
use custos_model::Timestamp;
use serde::{Deserialize, Serialize};

/// The size at which a new file begins.
const FULL: u64 = 128 << 10;

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The client.
    pub client: String,
    /// The client's event.
    pub event: String,
    /// What was the matter.
    pub problem: String,
}

fn path(state: &Path) -> PathBuf {
    state.join("hooks.trouble")
}

fn old_path(state: &Path) -> PathBuf {
    state.join("hooks.trouble.old")
}

/// Leaves a line. What cannot even be noted is lost: there is nowhere left to say so.
pub fn note(disk: &dyn Disk, state: &Path, now: Timestamp, client: &str, event: &str, problem: &str) {
    let bounded = |text: &str, limit: usize| -> String {
        custos_redact::redact(text).chars().filter(|c| !c.is_control()).take(limit).collect()
    };
    let trouble = Trouble {
        at: now.as_millis(),
        client: bounded(client, 64),
        event: bounded(event, 64),
        problem: bounded(problem, 500),
    };
    let Ok(mut line) = serde_json::to_vec(&trouble) else { return };
    line.push(b'\n');
    let path = path(state);
    let mut opened = disk.open(&path, Access::Append);
    if opened.is_err() {
        let _ = disk.create_dirs(state);
        opened = disk.open(&path, Access::Append);
    }
    let Ok(handle) = opened else { return };
    let _ = handle.append(&line);
    if handle.len().is_ok_and(|len| len > FULL) {
        let _ = disk.rename(&path, &old_path(state));
    }
}

/// Reads what was left, the oldest first. A line that is torn is skipped.
pub fn read(disk: &dyn Disk, state: &Path) -> Vec<Trouble> {
    let mut troubles = Vec::new();
    for path in [old_path(state), path(state)] {
        let Ok(handle) = disk.open(&path, Access::Read) else { continue };
        let mut bytes = vec![0; usize::try_from(2 * FULL).unwrap_or(usize::MAX)];
        let Ok(len) = handle.read_full_at(&mut bytes, 0) else { continue };
        let lines = bytes[..len].split(|byte| *byte == b'\n');
        troubles.extend(lines.filter_map(|line| serde_json::from_slice::<Trouble>(line).ok()));
    }
    troubles
}

#[cfg(test)]
mod tests {
    use super::*;
    use custos_log::OsDisk;

    #[test]
    fn what_is_noted_is_read_back_without_secrets_and_within_bounds() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let at = Timestamp::from_millis(5);
        note(&OsDisk, &state, at, "codex", "Stop\u{1b}[0m", "password=hunter2hunter2 refused");
        let expected = Trouble {
            at: 5,
            client: "codex".into(),
            event: "Stop[0m".into(),
            problem: "password=[redacted:password] refused".into(),
        };
        assert_eq!(read(&OsDisk, &state), [expected]);
        for _ in 0..2000 {
            note(&OsDisk, &state, at, "codex", "Stop", &"x".repeat(10_000));
        }
        let left = read(&OsDisk, &state);
        assert!(left.len() > 100 && left.len() < 1000, "{}", left.len());
    }
}
