//! The session that this server serves, from its start to the end of its input.

use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use custos_config::Environment;
use custos_hooks::kin::orphans::{self, Noticed};
use custos_hooks::kin::{self, Facts, Process, SessionFound};
use custos_log::Log;
use serde_json::Value;

use super::live::{self, Above, Live};
use crate::environment::{self, ProcessEnvironment};

/// How long the first call waits for what earlier servers left.
const PATIENCE: Duration = Duration::from_millis(100);

/// Whom a server serves.
pub(crate) struct Served {
    log: Log,
    /// The processes that may be its client. Looked up at the start: once the client is gone, nothing leads to it any more.
    above: Above,
    environment: Box<dyn Environment + Send + Sync>,
    is_running: fn(Process) -> bool,
    /// None where it could not be shown; the server works without.
    live: Option<Live>,
    /// Settles what earlier servers left; none once the input has ended.
    settling: Mutex<Option<JoinHandle<()>>>,
    /// Closed when that is done; none once a call has waited for it.
    settled: Mutex<Option<Receiver<()>>>,
    patience: Duration,
}

/// What a client says about one of its requests.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Said<'a> {
    /// What it calls itself.
    pub(crate) calls_itself: Option<&'a str>,
    /// The metadata of the request.
    pub(crate) meta: Option<&'a Value>,
    /// What our plugin calls the session.
    pub(crate) plugin: Option<&'a str>,
}

impl Served {
    /// Begins to serve whoever started this process.
    pub(crate) fn begin(log: Log, root: &Path) -> Self {
        let clients = kin::clients_of(environment::ancestors());
        let above = Above { clients, sight: environment::sight(&log.places().state) };
        let this = environment::this_process();
        Self::among(log, root, this, above, Box::new(ProcessEnvironment), environment::is_running)
    }

    fn among(
        log: Log,
        root: &Path,
        this: Option<Process>,
        above: Above,
        environment: Box<dyn Environment + Send + Sync>,
        is_running: fn(Process) -> bool,
    ) -> Self {
        let surroundings = log.surroundings();
        let (disk, now) = (surroundings.disk.clone(), (surroundings.clock)());
        let live = Live::begin(disk, &log.places().state, this, &above, root, now).ok();
        // Aside, so that the list of tools need not wait for the log. The first call does, for a little while.
        let (done, settled) = mpsc::channel();
        let settling = {
            let (log, above) = (log.clone(), above.clone());
            let settle = move || {
                live::settle(&log, &above, &is_running);
                drop(done);
            };
            thread::Builder::new().spawn(settle).ok()
        };
        let (settling, settled) = (Mutex::new(settling), Mutex::new(Some(settled)));
        Self { log, above, environment, is_running, live, settling, settled, patience: PATIENCE }
    }

    /// Waits until it is settled what earlier servers left, but once, and not for long: it goes on by itself.
    fn wait(&self) {
        let settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(settled) = settled {
            // Whatever became of it, the next server tries again.
            let _ = settled.recv_timeout(self.patience);
        }
    }

    /// Waits for what is being recorded: whoever stops between an end and its mark has it recorded once more.
    fn finish(&self) {
        let settling = self.settling.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(settling) = settling {
            let _ = settling.join();
        }
    }

    fn facts<'a>(&'a self, said: Said<'a>) -> Facts<'a> {
        let Said { calls_itself, meta, plugin } = said;
        Facts { calls_itself, meta, plugin, environment: &*self.environment }
    }

    /// Finds the session that a request belongs to, from what the client says about it.
    ///
    /// To be asked for each request: the client may have gone on to another session.
    pub(crate) fn session(&self, said: Said<'_>) -> Option<SessionFound> {
        self.wait();
        let found = kin::find_session(&self.log, &self.above.clients, self.facts(said))?;
        if let Some(live) = &self.live {
            live.tell(&found);
        }
        Some(found)
    }

    /// Finds the sub-agent that a request comes from, where the client says so.
    pub(crate) fn subagent(&self, said: Said<'_>) -> Option<String> {
        kin::find_subagent(&self.log, self.facts(said))
    }

    /// Ends the service: the input has ended. If the client is gone and its hooks have not said so, its sessions are over. If it is not, it may
    /// be about to go, and the next server looks again.
    pub(crate) fn end(&self) {
        self.finish();
        let now = (self.log.surroundings().clock)();
        let noticed = Noticed::AtOnce(now);
        let settled = orphans::settle(&self.log, &self.above.clients, &self.is_running, noticed).is_ok();
        if let Some(live) = &self.live {
            if settled { live.withdraw() } else { live.leave_behind() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::mcp::live::living;
    use custos_config::Variables;
    use custos_hooks::kin::register;
    use custos_log::append::{Places, Surroundings};
    use custos_log::disk::{Access, Disk as _};
    use custos_log::{Limits, OsDisk, WriterId};
    use std::sync::atomic::{AtomicU64, Ordering};

    const CLIENT: Process = Process { pid: 70, start: 7 };
    const OTHER_CLIENT: Process = Process { pid: 70, start: 8 };
    const SIGHT: &str = "desk";
    static NEXT_START: AtomicU64 = AtomicU64::new(1);
    const SESSION: &str = "s-000102030405060708090a0b0c0d0e0f";
    const GEMINI: Said<'_> = Said { calls_itself: Some("gemini-cli-mcp-client"), meta: None, plugin: None };

    fn log(dir: &Path) -> Log {
        let places = Places { log: dir.join("log"), backups: dir.join("backups"), state: dir.join("state") };
        Log::new(places, Surroundings::system(), Limits::default(), "desk".parse::<WriterId>().unwrap())
    }

    /// Leaves what a hook of Gemini leaves that opens a session.
    fn open_session(log: &Log) {
        let state = &log.places().state;
        register::note(&OsDisk, state, CLIENT, SESSION).unwrap();
        let dir = custos_hooks::session::directory(state);
        std::fs::create_dir_all(&dir).unwrap();
        let heading =
            r#"{"client":"gemini","session":"a","transcript":null,"project":"github.com/acme/shop"}"#;
        let text = format!("{heading}\n1000\tSessionStart\topened\n");
        tempfile::NamedTempFile::new_in(&dir)
            .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()).map(|()| file))
            .unwrap()
            .persist(dir.join(SESSION))
            .unwrap();
    }

    fn serve(log: &Log, is_running: fn(Process) -> bool) -> Served {
        serve_to(log, CLIENT, SIGHT, is_running)
    }

    fn serve_to(log: &Log, client: Process, sight: &str, is_running: fn(Process) -> bool) -> Served {
        let above = Above { clients: vec![client], sight: sight.to_owned() };
        let environment = Box::new(Variables::default());
        // Every server is a process of its own.
        let this = Process { pid: 7, start: NEXT_START.fetch_add(1, Ordering::Relaxed) };
        let root = Path::new("/home/user/shop");
        let served = Served::among(log.clone(), root, Some(this), above, environment, is_running);
        // However slow the machine is.
        Served { patience: Duration::from_mins(1), ..served }
    }

    fn kinds(log: &Log) -> Vec<String> {
        let reader = log.reader();
        let lines = reader.writers().unwrap().into_iter().flat_map(|writer| {
            let dir = log.places().log.join(writer.as_str());
            std::fs::read_to_string(dir.join("0001.jsonl"))
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        lines
            .map(|line| serde_json::from_str::<Value>(&line).unwrap()["kind"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn a_server_shows_whom_it_serves_until_its_input_ends() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(dir.path());
        open_session(&log);
        let served = serve(&log, |_| true);
        let found = served.session(GEMINI).unwrap();
        assert_eq!((found.id.as_str(), found.project.as_deref()), (SESSION, Some("github.com/acme/shop")));
        let running = living(&OsDisk, &log.places().state);
        assert_eq!(
            running.iter().map(|server| server.session.as_deref()).collect::<Vec<_>>(),
            [Some(SESSION)]
        );
        served.end();
        assert_eq!(living(&OsDisk, &log.places().state), []);
        assert_eq!(kinds(&log), Vec::<String>::new(), "the client lives, and speaks for itself");
        assert!(served.session(Said::default()).is_some());
    }

    #[test]
    fn a_client_that_ends_its_server_first_is_settled_by_the_next_server_of_anybody() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(dir.path());
        open_session(&log);
        let files = || std::fs::read_dir(log.places().state.join("servers")).unwrap().count();
        serve(&log, |_| true).end();
        assert_eq!((kinds(&log), files()), (vec![], 1), "it may be about to go");
        // Another client starts, twice: before the first is gone, and after that.
        let other = |is_running| serve_to(&log, OTHER_CLIENT, SIGHT, is_running);
        other(|_| true).end();
        assert_eq!((kinds(&log), files()), (vec![], 1));
        let later = other(|process| process != CLIENT);
        assert_eq!(later.session(Said::default()), None);
        assert_eq!(kinds(&log), ["session.ended"], "before the first call is answered");
        later.end();
        assert_eq!((kinds(&log), files()), (vec!["session.ended".to_owned()], 0));
    }

    #[test]
    fn no_call_waits_until_a_log_that_somebody_else_has_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(dir.path());
        open_session(&log);
        serve(&log, |_| true).end();
        let lock = OsDisk.open(&log.places().state.join("log.lock"), Access::ReadWrite).unwrap();
        assert!(lock.try_lock().unwrap());
        let gone = |process| process != CLIENT;
        let served = Served { patience: PATIENCE, ..serve_to(&log, OTHER_CLIENT, SIGHT, gone) };
        assert_eq!(served.session(Said::default()), None);
        let is_at_it = served.settling.lock().unwrap().as_ref().is_some_and(|it| !it.is_finished());
        assert!(is_at_it, "it goes on by itself");
        drop(lock);
        served.end();
        serve_to(&log, OTHER_CLIENT, SIGHT, gone).end();
        assert_eq!(kinds(&log), ["session.ended"]);
    }

    #[test]
    fn who_runs_elsewhere_is_not_taken_for_gone() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(dir.path());
        open_session(&log);
        serve(&log, |_| true).end();
        // In a container, or on another machine with the same home, nobody of these numbers runs.
        serve_to(&log, OTHER_CLIENT, "container", |_| false).end();
        assert_eq!(kinds(&log), Vec::<String>::new());
        let served = serve(&log, |_| true);
        assert!(served.session(GEMINI).is_some());
        let files = std::fs::read_dir(log.places().state.join("servers")).unwrap().count();
        assert_eq!(files, 1, "what the first server of this client left is this one's now");
    }

    #[test]
    fn a_server_whose_client_is_gone_ends_its_session() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(dir.path());
        open_session(&log);
        let served = serve(&log, |_| false);
        served.end();
        assert_eq!(kinds(&log), ["session.ended"]);
        assert_eq!(served.session(Said::default()), None);
        served.end();
        assert_eq!(kinds(&log), ["session.ended"], "once");
    }
}
