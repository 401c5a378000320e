//! The proof that the memory works.
//!
//! It uses a memory of its own in a temporary directory, and the same code paths as real events: what it shows is what will happen.

use std::path::Path;
use std::time::Instant;

use custos_config::Places;
use custos_index::{Index, SearchQuery, User};
use custos_log::{Log, Selection, forget};
use custos_model::{Draft, EventId, Kind, Origin, Scope};
use serde::Serialize;
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// One thing that was proven, or not.
#[derive(Serialize)]
pub(super) struct Proof {
    pub(super) what: &'static str,
    pub(super) ok: bool,
    pub(super) detail: String,
}

/// Proves that the memory works, in one of its own.
pub(super) fn prove(context: &Context) -> Result<Vec<Proof>, CliError> {
    let dir = tempfile::tempdir().map_err(|error| {
        CliError::new(Exit::Io, format!("cannot create a temporary directory: {error}")).hint("check TMPDIR")
    })?;
    let places = Places {
        config: dir.path().to_owned(),
        memory: dir.path().join("memory"),
        state: dir.path().join("state"),
    };
    let trial = Context { places, settings: context.settings.clone() };
    let log = trial.log();
    let mut proofs = Vec::new();
    let mut proven = |what, ok, detail: String| proofs.push(Proof { what, ok, detail });

    // Assembled here, so that nobody who scans this program for secrets finds one.
    let secret = format!("ghp_{}", "4kQ9zT2mW7xR1vB8nL5cJ3hF6dS0aPyGuEiO");
    let started = Instant::now();
    let prompt =
        append(&log, Kind::PromptSubmitted, json!({ "text": "why does the refreshToken expire early?" }))?;
    let tool = append(
        &log,
        Kind::ToolUsed,
        json!({ "tool": "Bash", "output": format!("export GITHUB_TOKEN={secret}") }),
    )?;
    append(
        &log,
        Kind::ObservationRecorded,
        json!({ "type": "bugfix", "title": "refresh_token used seconds as milliseconds", "sources": [prompt.to_string(), tool.to_string()] }),
    )?;
    let each = started.elapsed().as_secs_f64() * 1e3 / 3.0;
    proven("events are recorded", true, format!("{each:.2} ms each"));

    let leaked = holds(dir.path(), secret.as_bytes());
    proven("a secret in a tool's output never reaches the disk", !leaked, "[redacted]".to_owned());

    let verified = custos_log::verify(&log, &mut |_| {})?;
    proven("the chain proves that nothing was changed", !verified.is_damaged(), "3 records".to_owned());

    let mut index = Index::open(&trial.places.state, User::Worker)?;
    index.catch_up(&trial.reader(), None, &mut |_| {})?;
    let hits = index.search(&SearchQuery::new("token refresh"))?;
    proven("search finds refreshToken and refresh_token", hits.len() == 2, format!("{} hits", hits.len()));

    let selection = Selection::Id(prompt);
    let plan = forget::plan(&log, &selection, &mut |_| {})?;
    forget::forget(&log, &plan, &selection, "the proof of setup")?;
    index.forget(&plan.records.iter().map(|planned| planned.id).collect::<Vec<_>>())?;
    drop(index);
    let left = holds(dir.path(), b"expire early") || holds(dir.path(), b"as milliseconds");
    let intact = !custos_log::verify(&log, &mut |_| {})?.is_damaged();
    proven(
        "forgetting removes an event and what came of it",
        !left && intact,
        format!("{} records", plan.records.len()),
    );
    Ok(proofs)
}

fn append(log: &Log, kind: Kind, body: Value) -> Result<EventId, CliError> {
    let Value::Object(body) = body else {
        return Err(CliError::new(Exit::Internal, "a proof without a body"));
    };
    Ok(log.append(Draft::new(kind, Scope::User, body), Origin::Cli)?.id)
}

/// Looks for bytes in every file below a directory.
fn holds(dir: &Path, needle: &[u8]) -> bool {
    let Ok(entries) = std::fs::read_dir(dir) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, needle);
        }
        std::fs::read(&path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|window| window == needle))
    })
}
