//! What the rules distil: once, together with its confirmation, whoever was here before.

use std::sync::Arc;

use custos_index::WorkCounts;
use custos_log::{Line, Position};
use custos_model::{Draft, Event, Kind, Origin, Timestamp};
use custos_worker::{Ended, Report, Rules};
use serde_json::{Value, json};

use crate::desk::{Desk, NOON};

#[test]
fn a_session_is_distilled_once() {
    let desk = Desk::new();
    let mut work = [desk.turn("s", "one", 3), desk.turn("s", "two", 2)].concat();
    let open = desk.append(Kind::ToolUsed, "r", "t", json!({"tool": "Bash", "output": "open"}));
    work.push(desk.end("s"));
    let report = desk.run();
    let expected = Report {
        units: 3,
        events: 8,
        observations: 2,
        summaries: 3,
        ended: Ended::Idle,
        ..Report::default()
    };
    assert_eq!(report, expected);
    assert_eq!(desk.titles(), ["Learnt one", "Learnt two"]);
    assert_eq!(desk.counts(), WorkCounts { pending: 1, done: 8, ..WorkCounts::default() });
    let confirmed = desk.confirmed();
    assert_eq!(confirmed, work.iter().map(|id| (*id, 1)).collect());
    assert!(!confirmed.contains_key(&open), "a turn that goes on is left alone");
    // Again, and nothing happens; and an index made from the log alone agrees.
    assert_eq!(desk.run(), Report::default());
    std::fs::remove_dir_all(&desk.log.places().state).unwrap();
    assert_eq!(desk.run(), Report::default());
    assert_eq!(desk.counts().done, 8);
}

#[test]
fn what_is_recorded_says_where_it_comes_from() {
    let desk = Desk::new();
    let work = desk.turn("s", "one", 2);
    desk.run();
    let prompt = desk.events(Kind::PromptSubmitted)[0].0;
    let (id, ts, observation) = desk.events(Kind::ObservationRecorded).remove(0);
    assert_eq!(ts, Timestamp::from_millis(NOON));
    let text = |body: &serde_json::Map<String, Value>, name: &str| body[name].as_str().unwrap().to_owned();
    assert_eq!(observation["sources"], json!([work[0], prompt, work[2]]));
    assert_eq!((text(&observation, "by"), text(&observation, "type")), ("rules".into(), "discovery".into()));
    assert_eq!((text(&observation, "work").len(), text(&observation, "content").len()), (32, 32));
    assert!(text(&observation, "content").bytes().all(|b| b.is_ascii_hexdigit()), "{observation:?}");
    assert!(observation["why"].is_object());
    let (summary, _, body) = desk.events(Kind::SummaryRecorded).remove(0);
    assert_eq!((text(&body, "of"), text(&body, "work")), ("turn".into(), text(&observation, "work")));
    let (_, _, done) = desk.events(Kind::WorkDone).remove(0);
    assert_eq!((&done["sources"], &done["results"]), (&json!(work), &json!([id, summary])));
    assert_eq!(desk.index().get(id).unwrap().unwrap().origin, "distiller");
}

#[test]
fn the_same_events_make_the_same_results() {
    let ids = |desk: &Desk| desk.events(Kind::ObservationRecorded)[0].0;
    let desk = Desk::new();
    desk.turn("s", "one", 2);
    let copy = |target: &Desk| {
        // Another machine with the same events, which has distilled nothing yet.
        let mut cursor = desk.log.reader().cursor(&"here".parse().unwrap(), Position::START).unwrap();
        while let Some(Line::Record(record)) = cursor.next().unwrap() {
            let event: Event<'_> = record.event().unwrap();
            let Ok(Value::Object(body)) = serde_json::from_str(event.body.get()) else { panic!() };
            let mut draft = Draft::new(event.kind, event.scope, body);
            draft.id = Some(event.id);
            draft.ts = Some(event.ts);
            draft.session = event.session;
            draft.task = event.task;
            draft.project = event.project;
            target.log.append(draft, Origin::Hook).unwrap();
        }
    };
    let other = Desk::new();
    copy(&other);
    desk.run();
    other.pass(60);
    other.run();
    assert_eq!(ids(&desk), ids(&other));
}

#[test]
fn what_was_said_before_in_the_session_is_not_said_again() {
    let desk = Desk::new();
    let say = |session: &str, task: &str| {
        desk.append(
            Kind::ToolUsed,
            session,
            task,
            json!({"tool": "Bash", "input": {"command": "make"}, "output": "same"}),
        );
        desk.append(Kind::TurnEnded, session, task, json!({}));
    };
    // The narrative of the distiller counts the turns before; those beyond the ninth look alike.
    (0..12).for_each(|task| say("s", &task.to_string()));
    desk.run();
    say("s", "later");
    say("z", "first");
    desk.run();
    let ids: Vec<_> = desk.events(Kind::ObservationRecorded).into_iter().map(|(id, ..)| id).collect();
    let done = desk.events(Kind::WorkDone);
    let results = |at: usize| done[at].2["results"][0].as_str().unwrap().parse().unwrap();
    assert!(ids.len() < 12, "{}", ids.len());
    assert!(ids.contains(&results(12)), "the existing one is named");
    assert_eq!(done[12].2["merged"], json!(1));
    assert_eq!(results(13), *ids.last().unwrap(), "another session learns for itself");
}

#[test]
fn half_an_append_is_no_second_result() {
    let desk = Desk::new();
    desk.turn("s", "one", 2);
    desk.run();
    // As if the worker had died in the middle of its write: the observation is there, what confirms it is not.
    let other = Desk::new();
    let mut cursor = desk.log.reader().cursor(&"here".parse().unwrap(), Position::START).unwrap();
    let mut lines = Vec::new();
    while let Some(Line::Record(record)) = cursor.next().unwrap() {
        let is_done = record.event().unwrap().kind == Kind::WorkDone;
        if !is_done {
            lines.extend_from_slice(record.line());
            lines.push(b'\n');
        }
    }
    let dir = other.log.places().log.join("here");
    std::fs::create_dir_all(&dir).unwrap();
    std::io::Write::write_all(&mut std::fs::File::create(dir.join("0001.jsonl")).unwrap(), &lines).unwrap();
    let report = other.run();
    assert_eq!((report.units, report.observations), (1, 0));
    assert_eq!(other.titles(), desk.titles());
    assert_eq!(other.events(Kind::ObservationRecorded).len(), 1);
    assert_eq!(other.counts().pending, 0);
}

#[test]
fn a_clock_that_jumps_neither_hangs_nor_loses_anything() {
    let desk = Desk::new();
    let jump = |minutes: i64| {
        desk.pass(minutes);
        desk.append(
            Kind::ToolUsed,
            "s",
            "t",
            json!({"tool": "Bash", "input": {}, "output": minutes.to_string()}),
        );
    };
    jump(500_000);
    jump(-1_000_000);
    assert_eq!(desk.run().units, 0, "something came just now");
    desk.pass(11);
    assert_eq!(desk.run().units, 1);
    jump(500_000);
    desk.pass(-1_000_000);
    assert_eq!(desk.run().units, 1, "that is no time at which something could have come");
    assert_eq!(desk.counts().pending, 0);
}

#[test]
fn the_rules_themselves_are_what_everybody_has() {
    let desk = Desk { distil: Arc::new(Rules), ..Desk::new() };
    desk.append(
        Kind::PromptSubmitted,
        "s",
        "t",
        json!({"text": "No, use pnpm instead of npm in this repo."}),
    );
    desk.append(
        Kind::ToolUsed,
        "s",
        "t",
        json!({"tool": "Bash", "input": {"command": "pnpm test"}, "output": "ok"}),
    );
    desk.append(Kind::TurnEnded, "s", "t", json!({"message": "Done, pnpm it is."}));
    let report = desk.run();
    assert_eq!((report.units, desk.counts().pending), (1, 0));
    assert!(desk.titles().iter().any(|title| title.contains("pnpm")), "{:?}", desk.titles());
}

#[test]
fn a_worker_stays_for_a_while_and_sees_what_comes() {
    let mut desk = Desk::new();
    desk.settings.idle = Some(std::time::Duration::from_secs(20));
    desk.turn("s", "one", 1);
    let log = desk.log.clone();
    let came = std::sync::atomic::AtomicBool::new(false);
    desk.clocks.waited = Arc::new(move |steady| {
        if steady.as_secs() == 15 && !came.swap(true, std::sync::atomic::Ordering::Relaxed) {
            let Value::Object(body) = json!({}) else { unreachable!() };
            let mut draft = Draft::new(Kind::TurnEnded, custos_model::Scope::Project, body);
            draft.session = Some("r".to_owned());
            log.append(draft, Origin::Hook).unwrap();
        }
    });
    assert_eq!(desk.run().units, 2);
    let seconds = custos_worker::Time::steady(&desk.clocks).as_secs();
    assert!((35..37).contains(&seconds), "{seconds}");
}

#[test]
fn a_hundred_thousand_events_are_worked_off_in_little_memory() {
    let desk = Desk::new();
    let draft = |number: u64| {
        let (session, task) = (number / 100, number / 20);
        let kind = if number % 20 == 19 { Kind::TurnEnded } else { Kind::ToolUsed };
        let Value::Object(body) =
            json!({"tool": "Bash", "input": {"command": "make"}, "output": number.to_string()})
        else {
            unreachable!()
        };
        let mut draft = Draft::new(kind, custos_model::Scope::Project, body);
        draft.session = Some(format!("s-{session}"));
        draft.task = Some(format!("t-{task}"));
        draft
    };
    for thousand in 0..100 {
        let drafts = (0..1_000).map(|number| draft(thousand * 1_000 + number)).collect();
        desk.log.append_all(drafts, Origin::Hook).unwrap();
    }
    let report = desk.run();
    assert_eq!((report.units, report.events), (5_000, 100_000));
    assert_eq!(desk.counts(), WorkCounts { done: 100_000, ..WorkCounts::default() });
    // Generous, because other tests may run in the same process.
    if let Some(megabytes) = peak_megabytes() {
        assert!(megabytes < 300, "{megabytes} MB");
    }
}

/// The most memory that this process ever had, where the system tells.
fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? / 1024)
}
