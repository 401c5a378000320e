use std::path::Path;

use custos_config::Variables;
use custos_log::append::{Places, Surroundings};
use custos_log::disk::{Access, Disk as _};
use custos_log::pseudonym::Pseudonyms;
use custos_log::{Limits, Log, OsDisk, WriterId};
use custos_model::Timestamp;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

use super::found::recognise;
use super::orphans::{NotNow, Noticed};
use super::*;
use crate::session::{Mark, directory, pseudonym, write_mark};
use crate::silence;

/// A machine with clients on it, whose hooks leave what they leave.
struct Machine {
    _dir: tempfile::TempDir,
    log: Log,
}

/// A window in which a client runs, and another one.
const WINDOW: Process = Process { pid: 100, start: 5000 };
const OTHER_WINDOW: Process = Process { pid: 200, start: 9000 };

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let place = |name: &str| dir.path().join(name);
        let places = Places { log: place("log"), backups: place("backups"), state: place("state") };
        let writer: WriterId = "desk".parse().unwrap();
        let log = Log::new(places, Surroundings::system(), Limits::default(), writer);
        Self { _dir: dir, log }
    }

    fn state(&self) -> &Path {
        &self.log.places().state
    }

    /// Gives the id under which the memory knows a client's session.
    fn id(&self, client: &str, session: &str) -> String {
        let names = Pseudonyms::load(&OsDisk, self.state(), &self.log.surroundings().entropy).unwrap();
        pseudonym("s-", &names, client, session)
    }

    /// A hook leaves a sign of life, and before the first one the heading.
    fn mark(&self, client: &str, session: &str, at: i64, mark: Mark<'_>) -> String {
        let id = self.id(client, session);
        OsDisk.create_dirs(&directory(self.state())).unwrap();
        let handle = OsDisk.open(&directory(self.state()).join(&id), Access::Append).unwrap();
        if handle.is_empty().unwrap() {
            let heading =
                json!({ "client": client, "session": session, "transcript": null, "project": "shop" });
            handle.append(format!("{heading}\n").as_bytes()).unwrap();
        }
        write_mark(&*handle, Timestamp::from_millis(at), "-", mark).unwrap();
        id
    }

    /// A session starts in a window.
    fn start(&self, window: Process, client: &str, session: &str, at: i64) -> String {
        let id = self.mark(client, session, at, Mark::Opened);
        register::note(&OsDisk, self.state(), window, &id).unwrap();
        id
    }

    /// Asks on behalf of a server below these processes.
    fn ask(&self, clients: &[Process], calls_itself: Option<&str>) -> Option<String> {
        self.ask_with(clients, calls_itself, None, &[]).map(|found| found.id)
    }

    fn ask_with(
        &self,
        clients: &[Process],
        calls_itself: Option<&str>,
        meta: Option<&Value>,
        variables: &[(&str, &str)],
    ) -> Option<SessionFound> {
        let environment: Variables = variables.iter().copied().collect();
        find_session(
            &self.log,
            clients,
            Facts { calls_itself, meta, plugin: None, environment: &environment },
        )
    }

    /// The events of the log, each with its session and its body.
    fn events(&self) -> Vec<(String, String, Value)> {
        let path = self.log.places().log.join("desk/0001.jsonl");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let text_of = |event: &Value, name: &str| event[name].as_str().unwrap().to_owned();
        text.lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|event| (text_of(&event, "kind"), text_of(&event, "session"), event["body"].clone()))
            .collect()
    }

    /// The server of a window notices that its input has ended.
    fn settle(&self, running: &[Process]) -> Result<Vec<String>, NotNow> {
        self.settle_when(Noticed::AtOnce(Timestamp::from_millis(9_000_000)), running)
    }

    fn settle_when(&self, noticed: Noticed, running: &[Process]) -> Result<Vec<String>, NotNow> {
        orphans::settle(&self.log, &[WINDOW], &|process| running.contains(&process), noticed)
    }
}

fn ancestors(names: &[&str]) -> Vec<Ancestor> {
    let number = |at: usize| u32::try_from(at).unwrap();
    let ancestor = |(at, name): (usize, &&str)| Ancestor {
        process: Process { pid: number(at), start: 1 },
        name: (*name).to_owned(),
    };
    names.iter().enumerate().map(ancestor).collect()
}

#[rstest]
#[case::started_directly(&["claude", "bash", "tmux"], &[0])]
#[case::through_a_shell(&["sh", "codex", "zsh", "login"], &[1])]
#[case::through_our_own_recorder(&["custos", "sh", "MainThread", "-bash"], &[2])]
#[case::a_client_that_starts_itself_again(&["node", "node", "fish"], &[0, 1])]
#[case::below_an_editor(&["claude", "code", "code", "systemd"], &[0, 1, 2, 3])]
#[case::an_agent_that_runs_another(&["opencode", "bash", "claude", "bash"], &[0])]
#[case::a_long_line(&["a", "b", "c", "d", "e", "f"], &[0, 1, 2, 3])]
#[case::typed_by_a_person(&["bash", "tmux"], &[1])]
#[case::nothing_but_shells(&["sh", "bash"], &[])]
#[case::not_to_be_seen(&[], &[])]
fn a_client_is_the_first_program_above(#[case] names: &[&str], #[case] expected: &[u32]) {
    let found: Vec<u32> = clients_of(ancestors(names)).iter().map(|process| process.pid).collect();
    assert_eq!(found, expected);
    assert_eq!(client_of(ancestors(names)).map(|process| process.pid), expected.first().copied());
}

#[test]
fn a_hook_asks_for_no_more_processes_than_it_needs() {
    let mut asked = 0;
    let line = ancestors(&["sh", "claude", "bash", "tmux"]);
    let found = client_of(line.into_iter().inspect(|_| asked += 1));
    assert_eq!((found.map(|process| process.pid), asked), (Some(1), 2));
}

proptest! {
    #[test]
    fn a_process_is_spelt_in_one_way(pid: u32, start: u64, text in "[0-9+-]{0,8}") {
        let process = Process { pid, start };
        prop_assert_eq!(process.to_string().parse(), Ok(process));
        if let Ok(process) = text.parse::<Process>() {
            prop_assert_eq!(process.to_string(), text);
        }
    }
}

#[rstest]
#[case("claude-code", Some("claude-code"))]
#[case("codex-mcp-client", Some("codex"))]
#[case("gemini-cli-mcp-client", Some("gemini"))]
#[case("copilot-cli", Some("copilot"))]
#[case("opencode", Some("opencode"))]
#[case("Cursor-vscode", Some("cursor"))]
#[case("codexes", None)]
#[case("", None)]
fn clients_are_known_by_what_they_call_themselves(#[case] said: &str, #[case] expected: Option<&str>) {
    assert_eq!(recognise(said), expected);
}

#[test]
fn two_windows_on_one_project_never_mix() {
    let machine = Machine::new();
    let here = machine.start(WINDOW, "gemini", "a", 1000);
    let there = machine.start(OTHER_WINDOW, "gemini", "b", 2000);
    for said in [None, Some("gemini-cli-mcp-client")] {
        assert_eq!(machine.ask(&[WINDOW], said), Some(here.clone()));
        assert_eq!(machine.ask(&[OTHER_WINDOW], said), Some(there.clone()));
    }
    let later = Process { start: WINDOW.start + 1, ..WINDOW };
    assert_eq!(machine.ask(&[later], None), None, "the number was given to another process");
    assert_eq!(machine.ask(&[], None), None);
}

#[test]
fn a_session_that_begins_anew_is_followed_although_the_variable_has_the_old_name() {
    let machine = Machine::new();
    let variables = [("CLAUDE_CODE_SESSION_ID", "a")];
    let ask = || machine.ask_with(&[WINDOW], Some("claude-code"), None, &variables).map(|found| found.id);
    // The server may run before the first hook.
    assert_eq!(ask(), Some(machine.id("claude-code", "a")));
    let old = machine.start(WINDOW, "claude-code", "a", 1000);
    assert_eq!(ask(), Some(old.clone()));
    machine.mark("claude-code", "a", 2000, Mark::Ended);
    assert_eq!(ask(), None, "between the two there is none");
    let new = machine.start(WINDOW, "claude-code", "b", 2001);
    assert_eq!(ask(), Some(new.clone()));
    machine.mark("claude-code", "b", 3000, Mark::Ended);
    // The person goes back to the first.
    machine.start(WINDOW, "claude-code", "a", 3001);
    assert_eq!(ask(), Some(old));
}

#[test]
fn a_sub_agent_of_codex_is_known_by_what_its_requests_say() {
    let machine = Machine::new();
    let environment = Variables::default();
    let of = |calls_itself: &str, meta: Value| {
        let facts = Facts {
            calls_itself: Some(calls_itself),
            meta: Some(&meta),
            plugin: None,
            environment: &environment,
        };
        find_subagent(&machine.log, facts)
    };
    // As Codex 0.166.0 sends it.
    let meta = |thread: &str, source: &str| json!({ "sessionId": "a", "threadId": thread, "x-codex-turn-metadata": { "session_id": "a", "thread_id": thread, "thread_source": source } });
    let named = machine.id("codex", "b").replacen("s-", "ag-", 1);
    assert_eq!(of("codex-mcp-client", meta("b", "subagent")), Some(named));
    assert_eq!(of("codex-mcp-client", meta("a", "user")), None);
    // A thread of its own is no sign: whoever goes on from an old session has one as well.
    assert_eq!(of("codex-mcp-client", meta("b", "user")), None);
    assert_eq!(of("codex-mcp-client", json!({ "sessionId": "a", "threadId": "b" })), None);
    assert_eq!(of("claude-code", meta("b", "subagent")), None);
}

#[test]
fn of_several_sessions_in_one_process_it_is_the_one_that_spoke_last() {
    let machine = Machine::new();
    let first = machine.start(WINDOW, "opencode", "a", 1000);
    let second = machine.start(WINDOW, "opencode", "b", 2000);
    assert_eq!(machine.ask(&[WINDOW], Some("opencode")), Some(second.clone()));
    machine.mark("opencode", "a", 3000, Mark::Alive);
    assert_eq!(machine.ask(&[WINDOW], Some("opencode")), Some(first));
    machine.mark("opencode", "a", 4000, Mark::Interrupted);
    assert_eq!(machine.ask(&[WINDOW], Some("opencode")), Some(second));
}

#[test]
fn windows_that_share_a_process_are_told_apart_by_our_plugin() {
    let machine = Machine::new();
    let first = machine.start(WINDOW, "opencode", "a", 1000);
    let second = machine.start(WINDOW, "opencode", "b", 2000);
    let elsewhere = machine.start(OTHER_WINDOW, "opencode", "c", 3000);
    let environment = Variables::default();
    let ask = |said: &str, plugin: &str| {
        let facts =
            Facts { calls_itself: Some(said), meta: None, plugin: Some(plugin), environment: &environment };
        find_session(&machine.log, &[WINDOW], facts).map(|found| found.id)
    };
    assert_eq!(ask("opencode", "a"), Some(first));
    assert_eq!(ask("opencode", "b"), Some(second.clone()));
    // Only what lives in this process is believed, and nothing is guessed in its place.
    for unknown in ["c", "d", "", &elsewhere, &second, &"x".repeat(9999)] {
        assert_eq!(ask("opencode", unknown), None, "{unknown}");
    }
    machine.mark("opencode", "b", 4000, Mark::Ended);
    assert_eq!(ask("opencode", "b"), None);
    // No other client has such a plugin; there it is a model's invention.
    let gemini = machine.start(WINDOW, "gemini", "a", 1000);
    assert_eq!(ask("gemini-cli-mcp-client", "b"), Some(gemini));
}

#[test]
fn a_request_that_names_its_session_is_believed_before_all_else() {
    let machine = Machine::new();
    machine.start(WINDOW, "codex", "a", 2000);
    let other = machine.start(OTHER_WINDOW, "codex", "b", 1000);
    let meta = json!({ "sessionId": "b", "threadId": "c", "progressToken": 1 });
    let expected = SessionFound { id: other, client: "codex".into(), project: Some("shop".into()) };
    let ask = |said, meta: &Value| machine.ask_with(&[WINDOW], Some(said), Some(meta), &[]);
    assert_eq!(ask("codex-mcp-client", &meta), Some(expected.clone()));
    assert_eq!(expected.agent().id, Some(expected.id.replacen("s-", "ag-", 1)));
    // Whoever does not mean sessions by it is not taken at that word.
    assert_eq!(ask("gemini-cli-mcp-client", &meta), None);
    for odd in [
        json!({ "sessionId": 7 }),
        json!({ "sessionId": "" }),
        json!([]),
        json!({ "sessionId": "x".repeat(9999) }),
    ] {
        assert_eq!(
            ask("codex-mcp-client", &odd).map(|found| found.id),
            Some(machine.id("codex", "a")),
            "{odd}"
        );
    }
}

#[test]
fn a_variable_counts_only_for_the_client_that_set_it() {
    let machine = Machine::new();
    let variables = [("CLAUDE_CODE_SESSION_ID", "a"), ("COPILOT_AGENT_SESSION_ID", "b")];
    let ask = |said| machine.ask_with(&[], said, None, &variables).map(|found| found.id);
    assert_eq!(ask(Some("claude-code")), Some(machine.id("claude-code", "a")));
    assert_eq!(ask(Some("copilot-cli")), Some(machine.id("copilot", "b")));
    for said in [Some("opencode"), Some("inspector"), None] {
        assert_eq!(ask(said), None, "{said:?}");
    }
}

#[test]
fn a_client_is_not_given_the_session_of_another() {
    let machine = Machine::new();
    let outer = machine.start(OTHER_WINDOW, "claude-code", "a", 1000);
    // Claude Code has started OpenCode without a shell; OpenCode has no hooks.
    let line = [WINDOW, OTHER_WINDOW];
    assert_eq!(machine.ask(&line, Some("opencode")), None);
    assert_eq!(machine.ask(&line, Some("inspector")), None);
    assert_eq!(machine.ask(&line, Some("claude-code")), Some(outer));
}

#[test]
fn a_note_holds_what_is_a_session_and_nothing_else() {
    let machine = Machine::new();
    let id = machine.start(WINDOW, "gemini", "a", 1000);
    let path = machine.state().join("kin").join(WINDOW.to_string());
    register::note(&OsDisk, machine.state(), WINDOW, &id).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{id}\n"), "once");
    let handle = OsDisk.open(&path, Access::Append).unwrap();
    handle.append(b"../../etc/passwd\n\xff\xfe\ns-short\n").unwrap();
    assert_eq!(register::sessions(&OsDisk, machine.state(), WINDOW), std::slice::from_ref(&id));
    handle.append("x".repeat(100_000).as_bytes()).unwrap();
    assert_eq!(register::sessions(&OsDisk, machine.state(), WINDOW), Vec::<String>::new());
    // Only the end is read, so what has slipped out of it is noted again.
    handle.append(b"\n").unwrap();
    register::note(&OsDisk, machine.state(), WINDOW, &id).unwrap();
    assert_eq!(machine.ask(&[WINDOW], None), Some(id));
}

#[test]
fn a_process_without_a_session_is_forgotten() {
    let machine = Machine::new();
    let first = machine.start(WINDOW, "gemini", "a", 1000);
    let second = machine.start(WINDOW, "gemini", "b", 1000);
    let sessions = || register::sessions(&OsDisk, machine.state(), WINDOW);
    register::leave(&OsDisk, machine.state(), WINDOW, &first);
    assert_eq!(sessions(), [first, second], "another lives there");
    let alone = machine.start(OTHER_WINDOW, "gemini", "c", 1000);
    register::leave(&OsDisk, machine.state(), OTHER_WINDOW, &alone);
    assert_eq!(register::processes(&OsDisk, machine.state()), [WINDOW]);
    let now = (machine.log.surroundings().clock)();
    register::sweep(&OsDisk, machine.state(), now);
    assert_eq!(register::processes(&OsDisk, machine.state()), [WINDOW]);
    let next_year = Timestamp::from_millis(now.as_millis() + 365 * 24 * 60 * 60 * 1000);
    register::sweep(&OsDisk, machine.state(), next_year);
    assert_eq!(register::processes(&OsDisk, machine.state()), []);
}

#[test]
fn sessions_end_with_their_client() {
    let machine = Machine::new();
    let over = machine.start(WINDOW, "opencode", "a", 1000);
    machine.mark("opencode", "a", 1001, Mark::Ended);
    let open = machine.start(WINDOW, "opencode", "b", 2000);
    let elsewhere = machine.start(OTHER_WINDOW, "opencode", "c", 3000);
    assert_eq!(machine.settle(&[WINDOW, OTHER_WINDOW]), Err(NotNow::Runs));
    assert_eq!(machine.events(), [], "a client that lives speaks for itself");
    assert_eq!(machine.settle(&[OTHER_WINDOW]), Ok(vec![open.clone()]));
    let reason = json!({ "reason": "server: input ended" });
    assert_eq!(machine.events(), [("session.ended".to_owned(), open.clone(), reason)]);
    for id in [&over, &open] {
        assert!(found::journal(&machine.log, id).unwrap().is_over());
    }
    assert!(!found::journal(&machine.log, &elsewhere).unwrap().is_over());
    assert_eq!(machine.settle(&[OTHER_WINDOW]), Ok(vec![]));
    assert_eq!(machine.events().len(), 1, "once");
}

#[test]
fn what_is_noticed_later_says_when_the_session_was_last_heard_of() {
    let machine = Machine::new();
    let over = machine.start(WINDOW, "opencode", "a", 1000);
    machine.mark("opencode", "a", 1001, Mark::Ended);
    let open = machine.start(WINDOW, "opencode", "b", 2000);
    machine.mark("opencode", "b", 3000, Mark::Alive);
    let later = |running: &[Process]| machine.settle_when(Noticed::Later, running);
    assert_eq!(later(&[WINDOW]), Err(NotNow::Runs));
    // Another process has the number by now.
    let reused = Process { start: WINDOW.start + 1, ..WINDOW };
    assert_eq!(later(&[reused]), Ok(vec![open.clone()]));
    let body = json!({ "reason": "server: client gone", "last_sign_of_life": "1970-01-01T00:00:03.000Z" });
    assert_eq!(machine.events(), [("session.ended".to_owned(), open.clone(), body)]);
    let journal = found::journal(&machine.log, &open).unwrap();
    assert_eq!(
        (journal.is_over(), journal.span()),
        (true, Some((2000, 3000))),
        "to be found is no sign of life"
    );
    assert!(found::journal(&machine.log, &over).unwrap().is_over());
    assert_eq!(register::processes(&OsDisk, machine.state()), []);
    assert_eq!(later(&[]), Ok(vec![]));
    assert_eq!(machine.events().len(), 1, "once");
    // The person goes on with it, and that comes to its end as well.
    machine.mark("opencode", "b", 4000, Mark::Prompt("t-1"));
    register::note(&OsDisk, machine.state(), WINDOW, &open).unwrap();
    assert_eq!(later(&[]), Ok(vec![open]));
    assert_eq!(machine.events().len(), 2);
}

#[test]
fn what_somebody_else_settles_is_left_to_them_and_not_forgotten() {
    let machine = Machine::new();
    let open = machine.start(WINDOW, "opencode", "a", 1000);
    // A hook that sweeps, or the server of another client.
    let turn = silence::take_turn(&OsDisk, machine.state()).unwrap();
    for noticed in [Noticed::Later, Noticed::AtOnce(Timestamp::from_millis(9_000_000))] {
        assert_eq!(machine.settle_when(noticed, &[]), Err(NotNow::Barred));
    }
    assert_eq!(machine.events(), []);
    drop(turn);
    assert_eq!(machine.settle_when(Noticed::Later, &[]), Ok(vec![open]));
}

#[test]
fn what_a_hook_has_found_interrupted_is_not_ended_as_well() {
    let machine = Machine::new();
    machine.start(WINDOW, "opencode", "a", 1000);
    machine.mark("opencode", "a", 1000, Mark::Interrupted);
    assert_eq!(machine.settle_when(Noticed::Later, &[]), Ok(vec![]));
    assert_eq!(machine.events(), []);
}

#[test]
fn what_the_log_does_not_take_is_not_forgotten() {
    let machine = Machine::new();
    let open = machine.start(WINDOW, "opencode", "a", 1000);
    let in_the_way = &machine.log.places().log;
    drop(OsDisk.open(in_the_way, Access::Append).unwrap());
    assert_eq!(machine.settle_when(Noticed::Later, &[]), Err(NotNow::Barred));
    OsDisk.remove(in_the_way).unwrap();
    assert_eq!(machine.settle_when(Noticed::Later, &[]), Ok(vec![open]));
}

#[test]
fn a_session_that_goes_on_elsewhere_does_not_end_with_the_client_that_had_it_first() {
    for noticed in [Noticed::Later, Noticed::AtOnce(Timestamp::from_millis(9_000_000))] {
        // The other process is not to be seen from here where it runs in a container.
        for seen in [&[OTHER_WINDOW][..], &[]] {
            let machine = Machine::new();
            let id = machine.start(WINDOW, "gemini", "a", 1000);
            machine.start(OTHER_WINDOW, "gemini", "a", 2000);
            assert_eq!(machine.settle_when(noticed, seen), Ok(vec![]));
            assert_eq!(machine.events(), []);
            assert_eq!(machine.ask(&[OTHER_WINDOW], None), Some(id.clone()));
            // When that one is gone, too, it is over.
            let settled = orphans::settle(&machine.log, &[OTHER_WINDOW], &|_| false, noticed);
            assert_eq!(settled, Ok(vec![id]));
            assert_eq!(machine.events().len(), 1);
        }
    }
}
