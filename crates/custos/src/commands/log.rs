//! `custos log tail` and `custos log show`: reading the log itself. The index is asked only whom a name on the command line means.

use std::time::Duration;

use custos_log::recent;
use custos_log::{Cursor, Line, LogReader, Position, Record, WriterId};
use custos_model::{Event, EventId, Timestamp};

use crate::args::TailArgs;
use crate::commands::{backup, index};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::named;
use crate::output::{BOLD, DIM, Output, styled};
use crate::render;
use crate::when;

/// What `tail` shows.
struct Filter<'a> {
    args: &'a TailArgs,
    session: Option<String>,
    project: Option<String>,
    since: Option<Timestamp>,
}

impl Filter<'_> {
    fn admits(&self, event: &Event<'_>) -> bool {
        let name = event.kind.name();
        let kind = |wanted: &String| {
            name == wanted || name.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        let same = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        (self.args.kind.is_empty() || self.args.kind.iter().any(kind))
            && same(&self.session, &event.session)
            && same(&self.project, &event.project)
            && self.since.is_none_or(|since| event.ts >= since)
    }
}

/// An event that waits to be shown among those of other writers.
struct Shown {
    ts: Timestamp,
    text: String,
}

pub(crate) fn tail(context: &Context, args: &TailArgs, output: &mut Output) -> Result<Exit, CliError> {
    for wanted in &args.kind {
        check_kind(wanted)?;
    }
    let since = args.since.as_deref().map(|text| when::parse(text, when::now())).transpose();
    let since = since.map_err(|problem| CliError::new(Exit::Usage, format!("--since: {problem}")))?;
    let mut filter = Filter { args, session: None, project: None, since };
    if args.session.is_some() || args.project.is_some() {
        let mut index = index::up_to_date(context)?;
        let mut session = |wanted: &String| named::session(context, &mut index, wanted);
        filter.session = args.session.as_ref().map(&mut session).transpose()?;
        let mut project = |wanted: &String| named::project(context, &mut index, wanted);
        filter.project = args.project.as_ref().map(&mut project).transpose()?;
    }
    let reader = context.reader();
    let mut newest = Vec::new();
    let mut ends = Vec::new();
    for writer in reader.writers()? {
        let json = output.is_json();
        let mut take = |event: &Event<'_>| {
            filter.admits(event).then(|| Shown { ts: event.ts, text: rendered(event, json) })
        };
        let of_writer = recent::newest(&reader, &writer, args.lines, u64::MAX, &mut take)?;
        newest.extend(of_writer.found);
        ends.push((writer, of_writer.end));
    }
    // By time across writers, for display only; of two at the same instant, each writer's order holds.
    newest.sort_by_key(|shown| shown.ts);
    for shown in newest.iter().skip(newest.len().saturating_sub(args.lines)) {
        output.event(&shown.text)?;
    }
    if newest.is_empty() && !args.follow && !output.is_json() {
        output.line(styled(DIM, "no events"))?;
    }
    if args.follow {
        follow(context, &reader, ends, &filter, output)?;
    }
    Ok(Exit::Success)
}

fn check_kind(wanted: &str) -> Result<(), CliError> {
    let known = custos_model::Kind::ALL
        .iter()
        .any(|kind| kind.name() == wanted || kind.name().split('.').next() == Some(wanted));
    if known {
        return Ok(());
    }
    let kinds: Vec<&str> = custos_model::Kind::ALL.iter().map(|kind| kind.name()).collect();
    Err(CliError::new(Exit::Usage, format!("no kind of event is called {wanted:?}"))
        .hint(format!("there are {}", kinds.join(", "))))
}

fn rendered(event: &Event<'_>, json: bool) -> String {
    if json { serde_json::to_string(event).unwrap_or_default() } else { render::event_line(event) }
}

fn follow(
    context: &Context,
    reader: &LogReader,
    mut ends: Vec<(WriterId, Position)>,
    filter: &Filter<'_>,
    output: &mut Output,
) -> Result<(), CliError> {
    // Looked at every ten minutes: whoever follows for days takes the daily backups on the way.
    let mut rounds = (0..4_000).cycle();
    loop {
        output.flush()?;
        if rounds.next() == Some(0) {
            backup::daily(context);
        }
        #[expect(clippy::disallowed_methods, reason = "following is waiting; a person ends it")]
        std::thread::sleep(Duration::from_millis(150));
        for writer in reader.writers()? {
            if !ends.iter().any(|(known, _)| *known == writer) {
                ends.push((writer, Position::START));
            }
        }
        for (writer, position) in &mut ends {
            let mut cursor: Cursor = reader.cursor(writer, *position)?;
            while let Some(line) = cursor.next()? {
                if let Line::Record(record) = line
                    && let Ok(event) = record.event()
                    && filter.admits(&event)
                {
                    output.event(&rendered(&event, output.is_json()))?;
                }
            }
            *position = cursor.position();
        }
    }
}

/// Finds the one event whose id begins or ends with a text.
pub(crate) fn find(reader: &LogReader, wanted: &str) -> Result<(EventId, WriterId, Position), CliError> {
    let wanted = wanted.to_ascii_lowercase();
    if wanted.len() < 8 || !wanted.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-') {
        return Err(CliError::new(Exit::Usage, format!("{wanted:?} is no id")).hint(
            "give an id, or at least 8 characters of its beginning or its end, as `custos log tail` shows it",
        ));
    }
    let mut found: Option<(EventId, WriterId, Position)> = None;
    for writer in reader.writers()? {
        let mut cursor = reader.cursor(&writer, Position::START)?;
        loop {
            let at = cursor.position();
            let Some(line) = cursor.next()? else { break };
            let id = match &line {
                Line::Record(Record { frame, .. }) | Line::Forgotten(frame) | Line::Newer(frame) => frame.id,
                Line::Broken(_) => continue,
            };
            let text = id.to_string();
            if !text.starts_with(&wanted) && !text.ends_with(&wanted) {
                continue;
            }
            if found.as_ref().is_some_and(|(other, ..)| *other != id) {
                return Err(CliError::new(Exit::Usage, format!("several events have {wanted} in their id"))
                    .hint("give more of the id; its end differs more than its beginning"));
            }
            // A copy in another writer's log is the same event.
            found.get_or_insert((id, writer.clone(), at));
        }
    }
    found.ok_or_else(|| {
        CliError::new(Exit::NotFound, format!("no event has the id {wanted}"))
            .hint("`custos log tail` shows the newest events")
    })
}

pub(crate) fn show(context: &Context, wanted: &str, output: &mut Output) -> Result<Exit, CliError> {
    let reader = context.reader();
    let (_, writer, at) = find(&reader, wanted)?;
    let mut cursor = reader.cursor(&writer, at)?;
    match cursor.next()? {
        Some(Line::Record(record)) => print_record(&record, &writer, output),
        Some(Line::Forgotten(frame)) => {
            let (seq, ts) = (frame.seq, frame.ts);
            if output.is_json() {
                output.json(&serde_json::json!({ "id": frame.id, "seq": seq, "ts": ts, "kind": frame.kind, "writer": writer.as_str(), "forgotten": true }))?;
            } else {
                let id = frame.id;
                output.line(format!(
                    "{id} was a {} at {}; its content was forgotten",
                    frame.kind,
                    render::local(ts)
                ))?;
            }
            Ok(Exit::Success)
        }
        Some(Line::Newer(frame)) => Err(CliError::new(
            Exit::Data,
            format!("event {} is of schema {}, which this version does not know", frame.id, frame.v),
        )
        .hint("a newer version of custos can show it")),
        _ => Err(CliError::new(Exit::NotFound, "the record moved while it was read").hint("try again")),
    }
}

fn print_record(record: &Record<'_>, writer: &WriterId, output: &mut Output) -> Result<Exit, CliError> {
    let event = record.event().map_err(|error| {
        CliError::new(Exit::Data, format!("event {} cannot be read: {error}", record.frame.id))
    })?;
    if output.is_json() {
        let mut value = serde_json::to_value(&event).map_err(std::io::Error::from)?;
        value["writer"] = writer.as_str().into();
        output.json(&value)?;
        return Ok(Exit::Success);
    }
    let agent = event.agent.as_ref().map(|agent| {
        let id = agent.id.as_ref().map_or_else(String::new, |id| format!(" {id}"));
        let role = agent.role.as_ref().map_or_else(String::new, |role| format!(" ({role})"));
        format!("{}{id}{role}", agent.client)
    });
    let acl: Vec<String> = event.acl.0.iter().map(ToString::to_string).collect();
    let rows = [
        ("id", Some(event.id.to_string())),
        ("kind", Some(event.kind.to_string())),
        ("time", Some(render::local(event.ts))),
        ("place", Some(format!("record {} of {writer}", event.seq))),
        ("project", event.project.clone()),
        ("branch", event.branch.clone()),
        ("commit", event.commit.clone()),
        ("session", event.session.clone()),
        ("agent", agent),
        ("task", event.task.clone()),
        ("outcome", event.outcome.map(|outcome| outcome.name().to_owned())),
        ("importance", event.importance.map(|importance| importance.value().to_string())),
        ("scope", Some(event.scope.to_string())),
        ("may read", Some(if acl.is_empty() { "only you".to_owned() } else { acl.join(", ") })),
        ("origin", Some(event.origin.name().to_owned())),
    ];
    for (name, value) in rows {
        if let Some(value) = value {
            output.line(format!("{} {}", styled(BOLD, format!("{name:<11}")), render::printable(&value)))?;
        }
    }
    let body: serde_json::Value = serde_json::from_str(event.body.get()).unwrap_or_default();
    let pretty = serde_json::to_string_pretty(&body).map_err(std::io::Error::from)?;
    // Line breaks are the printer's own; those in texts are escaped.
    let pretty: Vec<String> = pretty.lines().map(render::printable).collect();
    output.line(pretty.join("\n"))?;
    Ok(Exit::Success)
}
