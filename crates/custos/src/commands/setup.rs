//! `custos setup`: from nothing to a wired machine in one command, which proves itself.
//!
//! It puts the program in its place, prepares the memory, wires the clients that it finds, and then does what the clients will do: it runs
//! the very commands that now stand in their files on recorded payloads, and shows what came of it. What cannot be changed is left alone
//! and named; a second run changes nothing.

use std::path::{Path, PathBuf};

use custos_clients::edit::diff::DiffLine;
use custos_clients::edit::{Action, Ledger, Part, Report};
use custos_clients::wiring::Wish;
use custos_clients::{CLIENTS, Client};
use serde::Serialize;

use crate::args::SetupArgs;
use crate::commands::init::{self, Place};
use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::machine::{self, Found};
use crate::installation::program::{self, Put};
use crate::installation::replay::{self, Trial, Worth};
use crate::installation::server::{self, ServerTrial};
use crate::installation::wiring::{self, Wiring, done};
use crate::output::{Output, ask};

mod model;
mod proof;
mod show;

/// What became of one file.
#[derive(Serialize)]
struct FileResult {
    path: String,
    what: &'static str,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    #[serde(skip)]
    changes: bool,
    #[serde(skip)]
    lines: Vec<DiffLine>,
}

impl FileResult {
    fn new(path: String, what: &'static str, report: Report, rehearsal: bool) -> Self {
        let (result, changes) = (done(report.action, rehearsal), report.action != Action::Unchanged);
        Self { path, what, result, problem: None, changes, lines: report.lines }
    }
}

/// What became of one client.
#[derive(Serialize)]
struct ClientResult {
    client: &'static str,
    found: String,
    files: Vec<FileResult>,
    proof: Vec<Trial>,
    servers: Vec<ServerTrial>,
    notes: Vec<String>,
    #[serde(skip)]
    known: &'static Client,
}

impl ClientResult {
    /// Says whether something that was tried does not do what it should.
    fn does_not_work(&self) -> bool {
        self.proof.iter().any(|trial| matches!(trial.worth, Worth::Failed | Worth::NotWired))
            || self.servers.iter().any(|server| !server.is_well())
    }
}

pub(crate) fn run(context: &Context, args: &SetupArgs, output: &mut Output) -> Result<Exit, CliError> {
    let home = machine::home()?;
    let project = args.project.as_deref().map(project_root).transpose()?;
    let place = match &args.prefix {
        Some(prefix) => program::place(&std::path::absolute(prefix).map_err(|error| {
            CliError::new(Exit::Usage, format!("{} is no path: {error}", prefix.display()))
        })?),
        // Where it was put before, it stays: the clients' files name it there.
        None => program::remembered(&context.places.config)
            .filter(|place| place.exists())
            .unwrap_or_else(|| program::place(&home.join(".local"))),
    };
    let wiring = Wiring::new(context, home.clone(), project, &place)?;
    let found = machine::clients(&home);
    let (chosen, covered): (Vec<_>, Vec<_>) = choose(args, &found)?
        .into_iter()
        .partition(|(client, _)| wiring.project.is_none() || !wiring.covers_projects(client));

    let beginning = if args.no_init { None } else { init::Offer::find(&home) };
    let plan = wire(&wiring, &chosen, true);
    let putting = program::put(&place, true)?;
    let pending = putting != Put::Unchanged
        || plan.iter().flat_map(|client| &client.files).any(|file| file.changes)
        || beginning.is_some();
    let asks = environment::is_interactive() && !args.yes && !output.is_json();
    if !asks && !args.dry_run {
        output.outlive_reader();
    }
    if !output.is_json() {
        show::plan(output, &place, putting, &plan, args.dry_run)?;
        beginning.iter().try_for_each(|offer| offer.show(output))?;
    }
    // The repos of a workspace were shown, and somebody is there to say no; or it was said beforehand.
    let agreed = args.yes || (environment::is_interactive() && !output.is_json());
    if args.dry_run {
        if output.is_json() {
            output.json(&serde_json::json!({
                "dry_run": true,
                "program": { "path": place.display().to_string(), "result": putting },
                "clients": plan,
                "knowledge": beginning.map(|offer| offer.rehearse(context, agreed)).unwrap_or_default(),
            }))?;
        }
        return Ok(Exit::Success);
    }
    if pending && asks && !ask(output, "Go on? [Y/n] ", true)? {
        output.line("nothing was changed")?;
        return Ok(Exit::Success);
    }
    output.outlive_reader();

    create_memory(context)?;
    let put = program::put(&place, false)?;
    if put != Put::Unchanged {
        program::remember(&context.places.config, &place);
    }
    let mut clients = wire(&wiring, &chosen, false);
    let knowledge = beginning.map(|offer| offer.take(context, agreed)).unwrap_or_default();
    let proofs = proof::prove(context)?;
    prove_clients(&wiring, &mut clients, output)?;
    clients.extend(covered.into_iter().map(covered_already));
    let rehearsed =
        if clients.is_empty() { prove_all_elsewhere(context, &place, output)? } else { Vec::new() };
    for client in clients.iter_mut().filter(|client| !client.files.is_empty()) {
        client.notes = notes(client, &wiring);
    }

    let bad = |client: &ClientResult| {
        client.files.iter().any(|file| file.problem.is_some()) || client.does_not_work()
    };
    let ok = proofs.iter().all(|proof| proof.ok)
        && !clients.iter().chain(&rehearsed).any(bad)
        && !knowledge.iter().any(Place::is_refused);
    let offer = model::Offer::find(context, &found);
    if output.is_json() {
        output.json(&serde_json::json!({
            "ok": ok,
            "distilling": { "provider": context.settings.distill.provider.name(), "offer": offer },
            "program": { "path": place.display().to_string(), "result": put },
            "memory": context.places.memory.display().to_string(),
            "state": context.places.state.display().to_string(),
            "clients": clients,
            "rehearsed": rehearsed,
            "proofs": proofs,
            "knowledge": knowledge,
        }))?;
    } else {
        init::show_places(&knowledge, output)?;
        show::result(output, context, &place, put, &clients, &rehearsed, &proofs, ok)?;
        if let Some(offer) = offer {
            // Asked once, when something is set up; later runs only say how it is done.
            let may_ask = pending && ok && !args.yes && environment::is_interactive();
            offer.put(context, may_ask, output)?;
        }
    }
    Ok(if ok { Exit::Success } else { Exit::Found })
}

/// Finds the project to wire: the one of a directory.
pub(super) fn project_root(given: &Path) -> Result<PathBuf, CliError> {
    let dir = if given == "." { environment::working_directory() } else { std::path::absolute(given).ok() };
    dir.filter(|dir| dir.is_dir()).map(|dir| custos_config::Project::by_place(&dir).root).ok_or_else(|| {
        CliError::new(Exit::NotFound, format!("there is no project at {}", given.display()))
            .hint("name its directory: --project=DIR")
    })
}

/// Chooses the clients to wire: those that were named, or those that are here.
fn choose(args: &SetupArgs, found: &[Found]) -> Result<Vec<(&'static Client, String)>, CliError> {
    let mut chosen = Vec::new();
    for name in &args.client {
        let Some(found) = found.iter().find(|found| found.client.name == name) else {
            let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
            return Err(CliError::new(Exit::Usage, format!("there is no client {name:?}"))
                .hint(format!("the clients are {}", names.join(", "))));
        };
        if !chosen.iter().any(|(client, _): &(&Client, _)| client.name == name) {
            chosen.push((found.client, found.evidence()));
        }
    }
    if args.client.is_empty() {
        chosen.extend(
            found.iter().filter(|found| found.is_here()).map(|found| (found.client, found.evidence())),
        );
    }
    Ok(chosen)
}

/// Wires clients, or says what wiring them would change.
fn wire(wiring: &Wiring, chosen: &[(&'static Client, String)], rehearsal: bool) -> Vec<ClientResult> {
    let together: Vec<&'static str> = chosen.iter().map(|(client, _)| client.name).collect();
    let wired = chosen.iter().map(|(client, evidence)| {
        let files = match wiring.ledger(client, rehearsal) {
            Ok(mut ledger) => {
                let wishes = wiring.wishes(client, &together);
                let mut files: Vec<FileResult> =
                    wishes.iter().map(|wish| wire_file(wiring, &mut ledger, wish, rehearsal)).collect();
                for (path, retired) in wiring.retire(&mut ledger, client, &wishes) {
                    match retired {
                        Ok(report) if matches!(report.action, Action::Gone | Action::Unknown) => {}
                        Ok(report) => files.push(FileResult::new(
                            path.display().to_string(),
                            "left over",
                            report,
                            rehearsal,
                        )),
                        Err(error) => files.push(left_alone(path.display().to_string(), "left over", &error)),
                    }
                }
                files
            }
            Err(error) => vec![left_alone(String::new(), "ledger", &error)],
        };
        ClientResult {
            client: client.name,
            found: evidence.clone(),
            files,
            proof: Vec::new(),
            servers: Vec::new(),
            notes: Vec::new(),
            known: client,
        }
    });
    wired.collect()
}

fn wire_file(wiring: &Wiring, ledger: &mut Ledger, wish: &Wish, rehearsal: bool) -> FileResult {
    let shown = wish.path.display().to_string();
    match wiring.grant(ledger, wish) {
        Ok(mut report) => {
            // A file that is all ours would be shown from top to bottom.
            if matches!(wish.part, Part::Whole { .. }) {
                report.lines.clear();
            }
            FileResult::new(shown, wish.what, report, rehearsal)
        }
        Err(error) => left_alone(shown, wish.what, &error),
    }
}

/// Says that a project needs nothing of its own.
fn covered_already((client, found): (&'static Client, String)) -> ClientResult {
    let note = "wired for everything you do already, this project included: nothing is added, or all would be heard twice";
    ClientResult {
        client: client.name,
        found,
        files: Vec::new(),
        proof: Vec::new(),
        servers: Vec::new(),
        notes: vec![note.to_owned()],
        known: client,
    }
}

fn left_alone(path: String, what: &'static str, error: &dyn std::error::Error) -> FileResult {
    FileResult {
        path,
        what,
        result: "left alone",
        problem: Some(error.to_string()),
        changes: false,
        lines: Vec::new(),
    }
}

fn create_memory(context: &Context) -> Result<(), CliError> {
    let log = context.log();
    let disk = &log.surroundings().disk;
    for dir in [&log.places().log, &log.places().backups, &log.places().state] {
        disk.create_dirs(dir).map_err(|error| {
            CliError::new(Exit::Io, format!("cannot create {}: {error}", dir.display()))
                .hint("point AI_MEMORY_PATH or XDG_STATE_HOME to a place that you may write to")
        })?;
    }
    Ok(())
}

fn prove_clients(wiring: &Wiring, clients: &mut [ClientResult], output: &Output) -> Result<(), CliError> {
    let together: Vec<&'static str> = clients.iter().map(|client| client.client).collect();
    let mut progress =
        crate::progress::Progress::new("proving", Some(clients.len() as u64), crate::progress::Unit::Lines);
    for (done, client) in clients.iter_mut().enumerate() {
        if !output.is_json() {
            progress.at(done as u64);
        }
        let wishes = wiring.wishes(client.known, &together);
        let servers = wiring::servers(client.known, &wishes, &wiring.home);
        client.servers = servers.iter().map(|file| server::prove(client.known, file)).collect();
        let files: Vec<PathBuf> = wishes.into_iter().map(|wish| wish.path).collect();
        client.proof = replay::prove(client.known, &wiring::commands(client.known, files, &wiring.home))?;
    }
    Ok(())
}

/// Wires all clients in a temporary home and proves them there, for a machine that has none yet.
fn prove_all_elsewhere(
    context: &Context,
    place: &Path,
    output: &Output,
) -> Result<Vec<ClientResult>, CliError> {
    let dir = tempfile::tempdir().map_err(|error| {
        CliError::new(Exit::Io, format!("cannot create a temporary directory: {error}")).hint("check TMPDIR")
    })?;
    let config = dir.path().join(".config").join("ai");
    let places = custos_config::Places { config, ..context.places.clone() };
    let trial = Context { places, settings: context.settings.clone() };
    let wiring = Wiring::new(&trial, dir.path().to_owned(), Some(dir.path().to_owned()), place)?;
    let all: Vec<(&'static Client, String)> =
        CLIENTS.into_iter().map(|client| (client, String::new())).collect();
    let mut clients = wire(&wiring, &all, false);
    prove_clients(&wiring, &mut clients, output)?;
    Ok(clients)
}

/// Says what the person still has to do for a client.
fn notes(client: &ClientResult, wiring: &Wiring) -> Vec<String> {
    let mut notes = Vec::new();
    let changed = client.files.iter().any(|file| file.what == "hooks" && file.changes);
    match client.client {
        "codex" if changed => notes.push(
            "Codex runs no new hook until you trust it: start `codex`, enter /hooks (or answer the dialog at its start) and trust those of custos"
                .to_owned(),
        ),
        "gemini" | "copilot" if wiring.project.is_some() => {
            notes.push(format!(
                "{} runs a project's hooks and its MCP server only in a folder that you have trusted",
                client.known.title
            ));
        }
        "cursor" if wiring.project.is_none() => notes.push("Cursor's hooks follow its documentation; we could not run Cursor itself".to_owned()),
        _ => {}
    }
    let registered =
        client.files.iter().any(|file| file.what == custos_clients::server::WHAT && file.changes);
    match client.client {
        "claude-code" if wiring.project.is_some() && registered => notes.push(
            "Claude Code asks you once, in the project, whether its MCP server may be started".to_owned(),
        ),
        "codex" if wiring.project.is_some() && registered => {
            notes.push("Codex starts a project's MCP server only if you trust the project".to_owned());
        }
        _ => {}
    }
    if wiring.project.is_some() && changed {
        notes.push(format!(
            "these files name {}, on this machine: think twice before you commit them",
            wiring.program
        ));
    }
    if !client.files.iter().any(|file| file.what == "instructions") {
        notes.push(match client.client {
            "opencode" => "OpenCode gets the instructions from ~/.claude/CLAUDE.md".to_owned(),
            _ => format!("{} has no file for instructions in this scope", client.known.title),
        });
    }
    notes
}
