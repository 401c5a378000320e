//! The session that this server serves, from its start to the end of its input.

use std::path::Path;

use custos_config::Environment;
use custos_hooks::kin::{self, Facts, Process, SessionFound, orphans};
use custos_log::Log;
use serde_json::Value;

use super::live::Live;
use crate::environment::{self, ProcessEnvironment};

/// Whom a server serves.
pub(crate) struct Served {
    log: Log,
    /// The processes that may be its client, nearest first. Looked up at the start: once the client is gone, nothing leads to it any more.
    clients: Vec<Process>,
    environment: Box<dyn Environment + Send + Sync>,
    is_running: fn(Process) -> bool,
    /// None where it could not be shown; the server works without.
    live: Option<Live>,
}

impl Served {
    /// Begins to serve whoever started this process.
    pub(crate) fn begin(log: Log, root: &Path) -> Self {
        let clients = kin::clients_of(environment::ancestors());
        Self::among(log, root, clients, Box::new(ProcessEnvironment), environment::is_running)
    }

    fn among(
        log: Log,
        root: &Path,
        clients: Vec<Process>,
        environment: Box<dyn Environment + Send + Sync>,
        is_running: fn(Process) -> bool,
    ) -> Self {
        let surroundings = log.surroundings();
        let (disk, now) = (surroundings.disk.clone(), (surroundings.clock)());
        let live = Live::begin(disk, &log.places().state, environment::this_process(), root, now).ok();
        Self { log, clients, environment, is_running, live }
    }

    /// Finds the session that a request belongs to, from what the client calls itself and the metadata of the request.
    ///
    /// To be asked for each request: the client may have gone on to another session.
    pub(crate) fn session(&self, calls_itself: Option<&str>, meta: Option<&Value>) -> Option<SessionFound> {
        let facts = Facts { calls_itself, meta, environment: &*self.environment };
        let found = kin::find_session(&self.log, &self.clients, facts)?;
        if let Some(live) = &self.live {
            live.tell(&found);
        }
        Some(found)
    }

    /// Finds the sub-agent that a request comes from, where the client says so.
    pub(crate) fn subagent(&self, calls_itself: Option<&str>, meta: Option<&Value>) -> Option<String> {
        kin::find_subagent(&self.log, Facts { calls_itself, meta, environment: &*self.environment })
    }

    /// Ends the service: the input has ended. If the client is gone and its hooks have not said so, its sessions are over.
    pub(crate) fn end(&self) {
        if let Some(live) = &self.live {
            live.withdraw();
        }
        let now = (self.log.surroundings().clock)();
        orphans::settle(&self.log, &self.clients, &self.is_running, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::mcp::live::living;
    use custos_config::Variables;
    use custos_hooks::kin::register;
    use custos_log::append::{Places, Surroundings};
    use custos_log::{Limits, OsDisk, WriterId};

    const CLIENT: Process = Process { pid: 70, start: 7 };
    const SESSION: &str = "s-000102030405060708090a0b0c0d0e0f";

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
        let environment = Box::new(Variables::default());
        Served::among(log.clone(), Path::new("/home/user/shop"), vec![CLIENT], environment, is_running)
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
        let found = served.session(Some("gemini-cli-mcp-client"), None).unwrap();
        assert_eq!((found.id.as_str(), found.project.as_deref()), (SESSION, Some("github.com/acme/shop")));
        let running = living(&OsDisk, &log.places().state);
        assert_eq!(
            running.iter().map(|server| server.session.as_deref()).collect::<Vec<_>>(),
            [Some(SESSION)]
        );
        served.end();
        assert_eq!(living(&OsDisk, &log.places().state), []);
        assert_eq!(kinds(&log), Vec::<String>::new(), "the client lives, and speaks for itself");
        assert!(served.session(None, None).is_some());
    }

    #[test]
    fn a_server_whose_client_is_gone_ends_its_session() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(dir.path());
        open_session(&log);
        let served = serve(&log, |_| false);
        served.end();
        assert_eq!(kinds(&log), ["session.ended"]);
        assert_eq!(served.session(None, None), None);
        served.end();
        assert_eq!(kinds(&log), ["session.ended"], "once");
    }
}
