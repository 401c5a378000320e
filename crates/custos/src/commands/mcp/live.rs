//! The servers that run: each holds a lock on a small file for as long as it lives.
//!
//! The lock is the sign of life, because the system takes it away from whoever dies, however that happens. What stands in the file is for
//! people: which client, which project, which session. A server that was killed leaves its file behind; the next one that starts
//! removes it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use custos_hooks::kin::{Process, SessionFound};
use custos_log::disk::{Access, Disk, Handle};
use custos_model::Timestamp;
use serde::{Deserialize, Serialize};

/// The most that is read of a file.
const LARGEST: usize = 16 << 10;

/// A server that runs, as others see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Server {
    /// The number of its process.
    pub(crate) pid: u32,
    /// The client that it serves, where it is known.
    pub(crate) client: Option<String>,
    /// The root that it serves.
    pub(crate) root: String,
    /// The session that it served last.
    pub(crate) session: Option<String>,
    /// Since when it runs, in milliseconds since 1970.
    pub(crate) since: i64,
}

/// The sign of life of this server.
pub(crate) struct Live {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    shown: Mutex<Shown>,
}

struct Shown {
    /// Open for its lock.
    handle: Box<dyn Handle>,
    server: Server,
}

fn directory(state: &Path) -> PathBuf {
    state.join("servers")
}

impl Live {
    /// Shows that a server runs, and clears away what others left behind that no longer do.
    pub(crate) fn begin(
        disk: Arc<dyn Disk>,
        state: &Path,
        process: Option<Process>,
        root: &Path,
        now: Timestamp,
    ) -> io::Result<Self> {
        let dir = directory(state);
        disk.create_dirs(&dir)?;
        sweep(&*disk, &dir);
        let since = now.as_millis();
        let pid = std::process::id();
        let name = process.map_or_else(|| format!("{pid}-{since}"), |process| process.to_string());
        // Locked before it has the name by which others find it: nobody must take it for one that was left behind.
        let draft = dir.join(format!("{name}.new"));
        let handle = disk.open(&draft, Access::ReadWrite)?;
        if !handle.try_lock()? {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let server = Server { pid, client: None, root: root.display().to_string(), session: None, since };
        let shown = Shown { handle, server };
        shown.write()?;
        let path = dir.join(format!("{name}.json"));
        disk.rename(&draft, &path)?;
        Ok(Self { disk, path, shown: Mutex::new(shown) })
    }

    /// Says whom the server serves. Costs nothing as long as that stays the same.
    pub(crate) fn tell(&self, found: &SessionFound) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let (client, session) = (Some(found.client.clone()), Some(found.id.clone()));
        if shown.server.client != client || shown.server.session != session {
            shown.server.client = client;
            shown.server.session = session;
            // Whoever looks sees the old session for a little longer.
            let _ = shown.write();
        }
    }

    /// Takes the sign away.
    pub(crate) fn withdraw(&self) {
        let _ = self.disk.remove(&self.path);
    }
}

impl Shown {
    fn write(&self) -> io::Result<()> {
        let text = serde_json::to_vec(&self.server)?;
        self.handle.write_all_at(&text, 0)?;
        self.handle.truncate(text.len() as u64)
    }
}

/// Lists the servers that run, the oldest first.
pub(crate) fn living(disk: &dyn Disk, state: &Path) -> Vec<Server> {
    let dir = directory(state);
    let mut living: Vec<Server> = files(disk, &dir)
        .filter_map(|path| {
            let handle = disk.open(&path, Access::Edit).ok()?;
            let is_left_behind = handle.try_lock().unwrap_or(false);
            if is_left_behind { None } else { read(&*handle) }
        })
        .collect();
    living.sort_by_key(|server| (server.since, server.pid));
    living
}

/// Removes what servers left behind that were killed.
fn sweep(disk: &dyn Disk, dir: &Path) {
    for path in files(disk, dir) {
        if disk.open(&path, Access::Edit).is_ok_and(|handle| handle.try_lock().unwrap_or(false)) {
            let _ = disk.remove(&path);
        }
    }
}

fn files(disk: &dyn Disk, dir: &Path) -> impl Iterator<Item = PathBuf> {
    let names = disk.list(dir).unwrap_or_default();
    let paths: Vec<PathBuf> = names.into_iter().map(|name| dir.join(name)).collect();
    paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"))
}

fn read(handle: &dyn Handle) -> Option<Server> {
    let mut text = vec![0; LARGEST];
    let len = handle.read_full_at(&mut text, 0).ok()?;
    serde_json::from_slice(&text[..len]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use custos_log::OsDisk;

    fn begin(state: &Path, start: u64, since: i64) -> Live {
        let process = Process { pid: 7, start };
        Live::begin(
            Arc::new(OsDisk),
            state,
            Some(process),
            Path::new("/home/user/shop"),
            Timestamp::from_millis(since),
        )
        .unwrap()
    }

    fn server(since: i64) -> Server {
        Server { pid: std::process::id(), client: None, root: "/home/user/shop".into(), session: None, since }
    }

    #[test]
    fn a_server_is_seen_while_it_runs() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(living(&OsDisk, dir.path()), []);
        let (first, second) = (begin(dir.path(), 1, 100), begin(dir.path(), 2, 50));
        assert_eq!(living(&OsDisk, dir.path()), [server(50), server(100)]);
        let found = SessionFound { id: "s-1".into(), client: "codex".into(), project: None };
        first.tell(&found);
        first.tell(&found);
        let told = Server { client: Some("codex".into()), session: Some("s-1".into()), ..server(100) };
        assert_eq!(living(&OsDisk, dir.path()), [server(50), told]);
        first.withdraw();
        second.withdraw();
        second.withdraw();
        assert_eq!(living(&OsDisk, dir.path()), []);
        assert_eq!(OsDisk.list(&directory(dir.path())).unwrap(), Vec::<std::ffi::OsString>::new());
    }

    #[test]
    fn what_a_killed_server_left_behind_is_no_server_and_goes_with_the_next_start() {
        let dir = tempfile::tempdir().unwrap();
        // Its lock goes with it, its file does not.
        drop(begin(dir.path(), 1, 100));
        let names = || OsDisk.list(&directory(dir.path())).unwrap();
        assert_eq!(names(), ["7-1.json"]);
        assert_eq!(living(&OsDisk, dir.path()), []);
        let _next = begin(dir.path(), 2, 200);
        assert_eq!(names(), ["7-2.json"]);
        assert_eq!(living(&OsDisk, dir.path()), [server(200)]);
    }
}
