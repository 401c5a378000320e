//! The servers that run: each holds a lock on a small file for as long as it lives.
//!
//! The lock is the sign of life, because the system takes it away from whoever dies, however that happens. What stands in the file is for
//! people (which client, which project, which session) and for the servers that come after it: in which process its client ran. One that
//! was killed, or was ended by a client that still ran, leaves its file behind. The next ones see whether that client is gone, too, and what is
//! then to be settled ([`orphans`]), and remove it.

use std::cmp::Reverse;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use custos_hooks::kin::orphans::{self, NotNow, Noticed};
use custos_hooks::kin::{Process, SessionFound};
use custos_log::Log;
use custos_log::disk::{Access, Disk, Handle};
use custos_model::Timestamp;
use serde::{Deserialize, Serialize};

/// The most that is read of a file.
const LARGEST: usize = 16 << 10;

/// How long a file is kept whose client nobody sees from here, in milliseconds.
const KEPT_FOR: i64 = 30 * 24 * 60 * 60 * 1000;

/// How many clients that are gone one start settles, the latest first. The next start goes on.
const MOST_SETTLED: usize = 16;

/// The processes above a server, and who sees them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Above {
    /// Those that may be its client, nearest first.
    pub(crate) clients: Vec<Process>,
    /// Whose processes they are among: another machine with the same home, or a container, has others of the same numbers.
    pub(crate) sight: String,
}

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

/// What stands in a file.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    server: Server,
    #[serde(default)]
    clients: Vec<String>,
    #[serde(default)]
    sight: String,
}

impl Entry {
    fn above(&self) -> Above {
        let clients = self.clients.iter().filter_map(|client| client.parse().ok()).collect();
        Above { clients, sight: self.sight.clone() }
    }
}

/// The sign of life of this server.
pub(crate) struct Live {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    /// None once it is no longer shown.
    shown: Mutex<Option<Shown>>,
}

struct Shown {
    /// Open for its lock.
    handle: Box<dyn Handle>,
    entry: Entry,
}

fn directory(state: &Path) -> PathBuf {
    state.join("servers")
}

impl Live {
    /// Shows that a server runs.
    pub(crate) fn begin(
        disk: Arc<dyn Disk>,
        state: &Path,
        process: Option<Process>,
        above: &Above,
        root: &Path,
        now: Timestamp,
    ) -> io::Result<Self> {
        let dir = directory(state);
        disk.create_dirs(&dir)?;
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
        let clients = above.clients.iter().map(Process::to_string).collect();
        let shown = Shown { handle, entry: Entry { server, clients, sight: above.sight.clone() } };
        shown.write()?;
        let path = dir.join(format!("{name}.json"));
        disk.rename(&draft, &path)?;
        Ok(Self { disk, path, shown: Mutex::new(Some(shown)) })
    }

    /// Says whom the server serves. Costs nothing as long as that stays the same.
    pub(crate) fn tell(&self, found: &SessionFound) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shown) = &mut *shown else { return };
        let server = &mut shown.entry.server;
        let (client, session) = (Some(found.client.clone()), Some(found.id.clone()));
        if server.client != client || server.session != session {
            server.client = client;
            server.session = session;
            // Whoever looks sees the old session for a little longer.
            let _ = shown.write();
        }
    }

    /// Takes the sign away.
    pub(crate) fn withdraw(&self) {
        let _ = self.disk.remove(&self.path);
        self.leave_behind();
    }

    /// Shows no longer that a server runs, but leaves what it knew to the next.
    pub(crate) fn leave_behind(&self) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Shown {
    fn write(&self) -> io::Result<()> {
        let text = serde_json::to_vec(&self.entry)?;
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
            if is_left_behind { None } else { read(&*handle).map(|entry| entry.server) }
        })
        .collect();
    living.sort_by_key(|server| (server.since, server.pid));
    living
}

/// Sees to what servers left behind: ends the sessions whose client is gone, and removes what nobody needs any more.
pub(crate) fn settle(log: &Log, above: &Above, is_running: &dyn Fn(Process) -> bool) {
    let surroundings = log.surroundings();
    let (disk, now) = (&*surroundings.disk, (surroundings.clock)());
    let mut paths: Vec<PathBuf> = files(disk, &directory(&log.places().state)).collect();
    paths.sort_by_cached_key(|path| Reverse(path.symlink_metadata().and_then(|it| it.modified()).ok()));
    let mut settled = 0;
    for path in paths {
        let Ok(handle) = disk.open(&path, Access::Edit) else { continue };
        if !handle.try_lock().unwrap_or(false) {
            continue;
        }
        if let Some(entry) = read(&*handle) {
            let its = entry.above();
            if its.clients.is_empty() || its == *above {
                // Of no client, or of our own: whatever becomes of that, this server's own file tells.
            } else if its.sight == above.sight {
                match orphans::settle(log, &its.clients, is_running, Noticed::Later) {
                    Ok(_) => settled += 1,
                    Err(NotNow::Runs) => continue,
                    Err(NotNow::Barred) => return,
                }
            } else if now.as_millis() - entry.server.since <= KEPT_FOR {
                continue;
            }
        }
        let _ = disk.remove(&path);
        if settled == MOST_SETTLED {
            return;
        }
    }
}

fn files(disk: &dyn Disk, dir: &Path) -> impl Iterator<Item = PathBuf> {
    let names = disk.list(dir).unwrap_or_default();
    let paths: Vec<PathBuf> = names.into_iter().map(|name| dir.join(name)).collect();
    paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"))
}

fn read(handle: &dyn Handle) -> Option<Entry> {
    let mut text = vec![0; LARGEST];
    let len = handle.read_full_at(&mut text, 0).ok()?;
    serde_json::from_slice(&text[..len]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use custos_hooks::kin::register;
    use custos_log::append::{Places, Surroundings};
    use custos_log::{Limits, OsDisk, WriterId};
    use std::cell::RefCell;
    use std::time::{Duration, SystemTime};

    fn begin(state: &Path, start: u64, since: i64) -> Live {
        let process = Process { pid: 7, start };
        Live::begin(
            Arc::new(OsDisk),
            state,
            Some(process),
            &Above::default(),
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
        settle(&log(dir.path()), &Above::default(), &|_| true);
        assert_eq!(names(), ["7-2.json"]);
        assert_eq!(living(&OsDisk, dir.path()), [server(200)]);
    }

    fn log(state: &Path) -> Log {
        let place = |name: &str| state.join(name);
        let places = Places { log: place("log"), backups: place("backups"), state: state.to_owned() };
        Log::new(places, Surroundings::system(), Limits::default(), "desk".parse::<WriterId>().unwrap())
    }

    /// Leaves what is left of clients that were killed with their servers, the first of them first.
    fn leave_killed(log: &Log, starts: std::ops::Range<u64>) {
        let state = &log.places().state;
        let sessions = custos_hooks::session::directory(state);
        OsDisk.create_dirs(&sessions).unwrap();
        for start in starts {
            let (client, session) = (Process { pid: 70, start }, format!("s-{start:032x}"));
            register::note(&OsDisk, state, client, &session).unwrap();
            let journal = OsDisk.open(&sessions.join(&session), Access::Append).unwrap();
            let heading = r#"{"client":"gemini","session":"a","transcript":null,"project":"shop"}"#;
            journal.append(format!("{heading}\n1000\tSessionStart\topened\n").as_bytes()).unwrap();
            let above = Above { clients: vec![client], sight: "desk".to_owned() };
            let process = Process { pid: 7, start };
            let root = Path::new("/home/user/shop");
            let now = Timestamp::from_millis(1000);
            drop(Live::begin(Arc::new(OsDisk), state, Some(process), &above, root, now).unwrap());
            let file = std::fs::File::open(directory(state).join(format!("{process}.json"))).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(start)).unwrap();
        }
    }

    /// A server of another client starts. Gives the clients that it asked about.
    fn start_another(log: &Log, is_running: bool) -> Vec<u64> {
        let asked = RefCell::new(Vec::new());
        let above = Above { clients: vec![Process { pid: 71, start: 1 }], sight: "desk".to_owned() };
        settle(log, &above, &|process| {
            asked.borrow_mut().push(process.start);
            is_running
        });
        asked.into_inner()
    }

    #[test]
    fn one_start_settles_a_few_and_the_next_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(dir.path());
        leave_killed(&log, 1..21);
        assert_eq!(start_another(&log, true).len(), 20, "whoever runs is not counted");
        assert_eq!(start_another(&log, false), (5..21).rev().collect::<Vec<u64>>());
        assert_eq!(start_another(&log, false), [4, 3, 2, 1]);
        assert_eq!(start_another(&log, false), Vec::<u64>::new());
        let text = std::fs::read_to_string(dir.path().join("log/desk/0001.jsonl")).unwrap();
        assert_eq!(text.matches(r#""kind":"session.ended""#).count(), 20);
    }

    #[test]
    fn when_the_log_takes_nothing_it_is_asked_once() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(dir.path());
        leave_killed(&log, 1..4);
        drop(OsDisk.open(&dir.path().join("log"), Access::Append).unwrap());
        assert_eq!(start_another(&log, false), [3]);
        OsDisk.remove(&dir.path().join("log")).unwrap();
        assert_eq!(start_another(&log, false), [3, 2, 1], "nothing is forgotten");
    }
}
