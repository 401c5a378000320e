//! `custos guard log`: what was denied, asked about and decided.

use custos_log::{Line, LogReader, Position, WriterId};
use custos_model::{Event, Kind, Timestamp};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, DIM, GOOD, Output, WARN, styled};
use crate::render::{self, cut, printable};

const KINDS: [Kind; 3] = [Kind::ToolDenied, Kind::ToolAsked, Kind::PermissionDecided];

/// An event that waits to be shown among those of other writers.
struct Shown {
    ts: Timestamp,
    text: String,
}

pub(super) fn run(context: &Context, lines: usize, output: &mut Output) -> Result<Exit, CliError> {
    let reader = context.reader();
    let mut newest = Vec::new();
    for writer in reader.writers()? {
        newest.extend(newest_of(&reader, &writer, lines, output.is_json())?);
    }
    // By time across writers, for display only; of two at the same instant, each writer's order holds.
    newest.sort_by_key(|shown| shown.ts);
    for shown in newest.iter().skip(newest.len().saturating_sub(lines)) {
        output.event(&shown.text)?;
    }
    if newest.is_empty() && !output.is_json() {
        output.line(styled(DIM, "nothing was denied or asked"))?;
    }
    Ok(Exit::Success)
}

/// Finds the newest of a writer, from the newest segment back until there are enough.
fn newest_of(
    reader: &LogReader,
    writer: &WriterId,
    lines: usize,
    json: bool,
) -> Result<Vec<Shown>, CliError> {
    let mut found: Vec<Shown> = Vec::new();
    for segment in reader.segments(writer)?.into_iter().rev() {
        if found.len() >= lines {
            break;
        }
        let mut of_segment = Vec::new();
        let mut cursor = reader.cursor(writer, Position { segment, offset: 0 })?;
        while cursor.position().segment == segment
            && let Some(line) = cursor.next()?
        {
            if let Line::Record(record) = line
                && record.at.segment == segment
                && KINDS.iter().any(|kind| kind.name() == record.frame.kind)
                && let Ok(event) = record.event()
            {
                let text = if json {
                    serde_json::to_string(&event).unwrap_or_default()
                } else {
                    event_lines(&event)
                };
                of_segment.push(Shown { ts: event.ts, text });
            }
        }
        of_segment.append(&mut found);
        found = of_segment;
    }
    Ok(found)
}

/// Shows what was said, about what, by which rule and why.
fn event_lines(event: &Event<'_>) -> String {
    let body: Map<String, Value> = serde_json::from_str(event.body.get()).unwrap_or_default();
    let text = |name: &str| body.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let verdict = text("verdict").unwrap_or(match event.kind {
        Kind::ToolDenied => "deny",
        Kind::ToolAsked => "ask",
        _ => "-",
    });
    let style = match verdict {
        "deny" => BAD,
        "ask" => WARN,
        "allow" => GOOD,
        _ => DIM,
    };
    let field = |text: &str, width: usize| format!("{:<width$}", cut(&one_line(text), width));
    // Clients deny things by themselves, too; the guard has a rule for what it holds.
    let by = if event.kind == Kind::ToolDenied { "by the client" } else { "-" };
    let rule = field(text("rule").unwrap_or(by), 28);
    let client = field(event.agent.as_ref().map_or("-", |agent| agent.client.as_str()), 12);
    let mut shown = format!(
        "{}  {}  {rule}  {}  {}",
        styled(DIM, render::local(event.ts)),
        styled(style, field(verdict, 5)),
        styled(DIM, client),
        cut(&subject(&body), 120),
    );
    if let Some(reason) = text("reason") {
        // Below the rule, behind time and verdict.
        let reason = styled(DIM, cut(&one_line(reason), 160));
        shown.push_str(&format!("\n{:28}{reason}", ""));
    }
    shown
}

/// Says what it was about: the call, or failing that its offending part.
fn subject(body: &Map<String, Value>) -> String {
    let tool = body.get("tool").and_then(Value::as_str).unwrap_or_default();
    let input = body.get("input");
    let detail = ["command", "file_path", "path", "filePath", "notebook_path", "url"]
        .iter()
        .find_map(|name| input?.get(*name)?.as_str())
        .or_else(|| input.and_then(Value::as_str))
        .or_else(|| body.get("part").and_then(Value::as_str))
        .unwrap_or_default();
    one_line(format!("{tool} {detail}").trim())
}

fn one_line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
