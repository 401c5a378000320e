//! Plays a session into a log, and distils what stands there.

use std::fs;
use std::path::Path;

use custos_distill::{Distilled, Turn, alike, read, rules};
use custos_hooks::exclude::Exclude;
use custos_hooks::record::Keep;
use custos_hooks::{Around, Call};
use custos_log::append::{Places, Surroundings};
use custos_log::spool::Spool;
use custos_log::{Limits, Line, Log, LogReader, Position, WriterId};
use custos_model::{Event, Kind, Observation, Summary};
use custos_testkit::TempHome;
use serde_json::Value;

/// What is kept of a call by default, in bytes.
const KEEP: Keep = Keep { input: 32 << 10, output: 8 << 10, extra: 2 << 10 };

/// How many turns a distiller is given beside the one it distils.
const BEFORE: usize = 8;

/// A session that was played.
pub(crate) struct Played {
    pub(crate) turns: Vec<Turn>,
    pub(crate) distilled: Vec<Distilled>,
    pub(crate) summary: Option<Summary>,
    /// How many characters of evidence the log holds.
    pub(crate) evidence: usize,
}

impl Played {
    pub(crate) fn of(dir: &Path) -> Self {
        let lines = record(dir);
        let events: Vec<Event<'_>> = lines.iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
        let evidence = events
            .iter()
            .filter(|event| is_evidence(event.kind))
            .map(|event| event.body.get().chars().count())
            .sum();
        let turns: Vec<Turn> =
            by_task(&events).iter().map(|events| read::turn(events, Some("/home/user/project"))).collect();
        let mut distilled: Vec<Distilled> = Vec::new();
        for (at, turn) in turns.iter().enumerate() {
            let before = &turns[at.saturating_sub(BEFORE)..at];
            distilled.push(rules::distil(turn, before));
        }
        let mut played = Self { turns, distilled, summary: None, evidence };
        let lasting: Vec<Observation> = played.lasting().into_iter().cloned().collect();
        played.summary = rules::session_summary(&played.turns, &lasting);
        played
    }

    /// Lists every observation, in order.
    pub(crate) fn all(&self) -> Vec<&Observation> {
        self.distilled.iter().flat_map(|one| &one.observations).map(|found| &found.observation).collect()
    }

    /// Says which observations a later one of the session took the place of.
    pub(crate) fn superseded(&self) -> Vec<bool> {
        let all = self.all();
        let is_gone = |at: usize| all[at + 1..].iter().any(|newer| alike::supersedes(newer, all[at]));
        (0..all.len()).map(is_gone).collect()
    }

    /// Lists the observations that hold at the end.
    pub(crate) fn lasting(&self) -> Vec<&Observation> {
        let gone = self.superseded();
        self.all().into_iter().zip(gone).filter(|(_, gone)| !gone).map(|(one, _)| one).collect()
    }
}

fn is_evidence(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::PromptSubmitted
            | Kind::ToolUsed
            | Kind::ToolFailed
            | Kind::TurnEnded
            | Kind::SubagentStarted
            | Kind::SubagentStopped
    )
}

/// Sends the payloads of a session to the hooks, and gives the lines of the log.
fn record(dir: &Path) -> Vec<Vec<u8>> {
    let home = TempHome::new().unwrap();
    let writer: WriterId = "golden".parse().unwrap();
    let places = Places {
        log: home.path().join("log"),
        backups: home.path().join("backups"),
        state: home.path().join("state"),
    };
    let log = Log::new(
        places.clone(),
        Surroundings::system(),
        Limits { sync: false, ..Limits::default() },
        writer.clone(),
    );
    let spool = Spool::new(vec![home.path().join("spool")], 1 << 20, log.surroundings().disk.clone());
    let around = Around {
        log: &log,
        spool: &spool,
        keep: KEEP,
        quiet: None,
        exclude: Exclude::default(),
        config: home.path(),
        home: Some("/home/user"),
        cwd: None,
        role: None,
        watch: None,
        records: true,
        client_process: &|| None,
        wired: &Vec::new,
        recaller: None,
        wake: &|| Ok(()),
    };
    let client = fs::read_to_string(dir.join("client")).unwrap();
    let client = custos_clients::find(client.trim()).unwrap();
    for line in fs::read_to_string(dir.join("session.jsonl")).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let payload = Ok(line["payload"].to_string().into_bytes());
        custos_hooks::answer(Call { client, event: line["event"].as_str().unwrap(), payload }, &around);
    }
    let reader = LogReader::new(&places.log);
    let mut cursor = reader.cursor(&writer, Position::START).unwrap();
    let mut lines = Vec::new();
    while let Some(line) = cursor.next().unwrap() {
        if let Line::Record(record) = line {
            lines.push(record.line().to_vec());
        }
    }
    lines
}

/// Puts the events of each prompt together. What names none belongs to the prompt before it.
fn by_task<'e>(events: &[Event<'e>]) -> Vec<Vec<Event<'e>>> {
    let mut turns: Vec<(Option<String>, Vec<Event<'e>>)> = Vec::new();
    for event in events.iter().filter(|event| is_evidence(event.kind)) {
        let place = turns.iter().position(|(task, _)| event.task.is_none() || *task == event.task);
        match place {
            Some(_) if event.task.is_none() => turns.last_mut().unwrap().1.push(event.clone()),
            Some(at) => turns[at].1.push(event.clone()),
            None => turns.push((event.task.clone(), vec![event.clone()])),
        }
    }
    turns.into_iter().map(|(_, events)| events).collect()
}
