//! `custos clients`: which clients there are, what each can do, and which are here.

use std::io::Read as _;

use custos_clients::manifest::{OnTrouble, Reach, TimeoutUnit};
use custos_clients::{HOOK_SCHEMA, Moment};
use serde_json::json;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::{machine, wiring};
use crate::output::{BOLD, DIM, Output, styled};

/// The most that is read of a payload.
const LARGEST_PAYLOAD: u64 = 64 << 20;

pub(crate) fn run(context: &Context, name: Option<&str>, output: &mut Output) -> Result<Exit, CliError> {
    let home = machine::home()?;
    let wired = wiring::wired(context);
    let found: Vec<machine::Found> = machine::clients(&home)
        .into_iter()
        .filter(|found| name.is_none_or(|name| found.client.name == name))
        .collect();
    if found.is_empty() {
        return Err(unknown(name.unwrap_or_default()));
    }
    let is_wired = |client: &str| wired.iter().any(|(wired, _)| wired.name == client);
    if output.is_json() {
        let clients: Vec<_> = found
            .iter()
            .map(|found| {
                json!({
                    "client": found.client.name,
                    "title": found.client.title,
                    "program": found.program,
                    "version": found.program.as_deref().and_then(machine::version),
                    "here": found.is_here(),
                    "wired": is_wired(found.client.name),
                    "files": { "user": found.dir, "project": found.client.dirs.project },
                    "manifest": found.client.manifest,
                })
            })
            .collect();
        output.json(&json!({ "schema": HOOK_SCHEMA, "clients": clients }))?;
        return Ok(Exit::Success);
    }
    for found in &found {
        let manifest = found.client.manifest;
        let state = match (is_wired(found.client.name), found.is_here()) {
            (true, _) => "wired",
            (false, true) => "found, not wired",
            (false, false) => "not found",
        };
        output.line(format!("{} {}", styled(BOLD, found.client.title), styled(DIM, state)))?;
        let tested = match (manifest.tested.from, manifest.tested.to) {
            ("", _) => "never run by us".to_owned(),
            (from, to) if from == to => from.to_owned(),
            (from, to) => format!("{from} to {to}"),
        };
        output.line(format!("  name         {}", found.client.name))?;
        output.line(format!("  tested       {tested}; others: {}", manifest.tested.outside))?;
        output.line(format!("  context      at most {} characters", manifest.context_limit))?;
        output.line(format!("  timeouts     {}", unit(manifest.timeout_unit)))?;
        output.line(format!(
            "  a hook fails {}; takes too long: {}",
            trouble(manifest.on_crash),
            trouble(manifest.on_timeout)
        ))?;
        output.line(format!("  transcripts  ~/{}", manifest.transcripts))?;
        for moment in Moment::ALL {
            let rows: Vec<String> = manifest
                .events
                .iter()
                .filter(|row| row.moment == moment)
                .map(|row| {
                    let verdict = match row.verdict {
                        Reach::None => "",
                        Reach::Deny => ", can deny",
                        Reach::DenyAsk => ", can deny and ask",
                    };
                    let context = if row.context { ", takes context" } else { "" };
                    format!("{}{verdict}{context}", row.event)
                })
                .collect();
            let fallback = manifest.fallbacks.iter().find(|fallback| fallback.moment == moment);
            let text = match fallback {
                Some(fallback) => styled(DIM, format!("– {}", fallback.instead)),
                None => rows.join("; "),
            };
            output.line(format!("    {:<26} {text}", moment.title()))?;
        }
        output.line("")?;
    }
    Ok(Exit::Success)
}

/// Shows what we read in a payload.
pub(crate) fn read(
    context: &Context,
    name: &str,
    event: &str,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let client = custos_clients::find(name).ok_or_else(|| unknown(name))?;
    let Some(moment) = client.moment(event) else {
        let events: Vec<&str> = client.manifest.events.iter().map(|row| row.event).collect();
        return Err(CliError::new(
            Exit::NotFound,
            format!("{} has no event {event:?} that means something to us", client.title),
        )
        .hint(format!("its events are {}", events.join(", "))));
    };
    let mut payload = Vec::new();
    std::io::stdin()
        .lock()
        .take(LARGEST_PAYLOAD)
        .read_to_end(&mut payload)
        .map_err(|error| CliError::new(Exit::Data, format!("cannot read standard input: {error}")))?;
    let limit = context.log().limits().event;
    let fields = custos_log::intake::read_object(&mut payload, limit)
        .map_err(|problem| CliError::new(Exit::Data, format!("the payload is no JSON object: {problem}")))?;
    let read = client.read(moment, fields).map_err(|misread| {
        CliError::new(Exit::Data, misread.to_string())
            .hint(format!("that is no payload of {event} as {} sends it", client.title))
    })?;
    output.json(&json!({ "v": HOOK_SCHEMA, "moment": moment.name(), "event": read }))?;
    Ok(Exit::Success)
}

fn unknown(name: &str) -> CliError {
    let names: Vec<&str> = custos_clients::CLIENTS.iter().map(|client| client.name).collect();
    CliError::new(Exit::NotFound, format!("there is no client {name:?}"))
        .hint(format!("the clients are {}", names.join(", ")))
}

fn unit(unit: TimeoutUnit) -> &'static str {
    match unit {
        TimeoutUnit::Seconds => "in seconds",
        TimeoutUnit::Milliseconds => "in milliseconds",
        TimeoutUnit::None => "none",
    }
}

fn trouble(trouble: OnTrouble) -> &'static str {
    match trouble {
        OnTrouble::Runs => "the tool runs",
        OnTrouble::Denied => "the tool is denied",
        OnTrouble::DeniedBySetting => "the tool is denied, as we install it",
        OnTrouble::Unknown => "not known",
    }
}
