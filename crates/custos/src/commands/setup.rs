//! `custos setup`: from nothing to a wired machine in one command, which proves itself.
//!
//! It puts the program in its place, prepares the memory, wires the clients that it finds, and then does what the clients will do: it runs
//! the very commands that now stand in their files on recorded payloads, and shows what came of it. What cannot be changed is left alone
//! and named; a second run changes nothing.

use std::path::{Path, PathBuf};

use custos_clients::edit::diff::{DiffLine, Sign};
use custos_clients::edit::{Action, Ledger, Part, Report};
use custos_clients::wiring::Wish;
use custos_clients::{CLIENTS, Client};
use custos_config::{Environment, env};
use serde::Serialize;

use crate::args::SetupArgs;
use crate::context::Context;
use crate::environment::{self, ProcessEnvironment};
use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::machine::{self, Found};
use crate::installation::program::{self, Put};
use crate::installation::replay::{self, Trial, Worth};
use crate::installation::wiring::{self, Wiring, done};
use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARN, ask, styled};
use crate::render;

mod proof;

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
    notes: Vec<String>,
    #[serde(skip)]
    known: &'static Client,
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

    let plan = wire(&wiring, &chosen, true);
    let putting = program::put(&place, true)?;
    let pending =
        putting != Put::Unchanged || plan.iter().flat_map(|client| &client.files).any(|file| file.changes);
    if !output.is_json() {
        show_plan(output, &place, putting, &plan, args.dry_run)?;
    }
    if args.dry_run {
        if output.is_json() {
            output.json(&serde_json::json!({
                "dry_run": true,
                "program": { "path": place.display().to_string(), "result": putting },
                "clients": plan,
            }))?;
        }
        return Ok(Exit::Success);
    }
    if pending
        && environment::is_interactive()
        && !args.yes
        && !output.is_json()
        && !ask(output, "Go on? [Y/n] ", true)?
    {
        output.line("nothing was changed")?;
        return Ok(Exit::Success);
    }

    create_memory(context)?;
    let put = program::put(&place, false)?;
    if put != Put::Unchanged {
        program::remember(&context.places.config, &place);
    }
    let mut clients = wire(&wiring, &chosen, false);
    let proofs = proof::prove(context)?;
    prove_clients(&wiring, &mut clients, output)?;
    clients.extend(covered.into_iter().map(covered_already));
    let rehearsed =
        if clients.is_empty() { prove_all_elsewhere(context, &place, output)? } else { Vec::new() };
    for client in clients.iter_mut().filter(|client| !client.files.is_empty()) {
        client.notes = notes(client, &wiring);
    }

    let bad = |client: &ClientResult| {
        client.files.iter().any(|file| file.problem.is_some())
            || client.proof.iter().any(|trial| matches!(trial.worth, Worth::Failed | Worth::NotWired))
    };
    let ok = proofs.iter().all(|proof| proof.ok) && !clients.iter().chain(&rehearsed).any(bad);
    if output.is_json() {
        output.json(&serde_json::json!({
            "ok": ok,
            "program": { "path": place.display().to_string(), "result": put },
            "memory": context.places.memory.display().to_string(),
            "state": context.places.state.display().to_string(),
            "clients": clients,
            "rehearsed": rehearsed,
            "proofs": proofs,
        }))?;
    } else {
        show_result(output, context, &place, put, &clients, &rehearsed, &proofs, ok)?;
    }
    Ok(if ok { Exit::Success } else { Exit::Found })
}

/// Finds the project to wire: the one of a directory.
pub(super) fn project_root(given: &Path) -> Result<PathBuf, CliError> {
    let dir = if given == "." { environment::working_directory() } else { std::path::absolute(given).ok() };
    dir.filter(|dir| dir.is_dir()).map(|dir| custos_config::Project::find(&dir).root).ok_or_else(|| {
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
            notes.push(format!("{} runs a project's hooks only in a folder that you have trusted", client.known.title));
        }
        "cursor" if wiring.project.is_none() => notes.push("Cursor's hooks follow its documentation; we could not run Cursor itself".to_owned()),
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

fn show_plan(
    output: &mut Output,
    place: &Path,
    putting: Put,
    plan: &[ClientResult],
    dry_run: bool,
) -> Result<(), CliError> {
    let nothing =
        putting == Put::Unchanged && !plan.iter().flat_map(|client| &client.files).any(|file| file.changes);
    if nothing {
        return Ok(());
    }
    output.line(styled(BOLD, "This will be changed:"))?;
    if putting != Put::Unchanged {
        let word = if putting == Put::Updated { "the program, over another one" } else { "the program" };
        output.line(format!("  {}  {}", place.display(), styled(DIM, word)))?;
    }
    for file in plan.iter().flat_map(|client| &client.files).filter(|file| file.changes) {
        let added = file.lines.iter().filter(|line| line.sign == Sign::Added).count();
        let removed = file.lines.iter().filter(|line| line.sign == Sign::Removed).count();
        let lines =
            if file.lines.is_empty() { String::new() } else { format!(", +{added} −{removed} lines") };
        output.line(format!("  {}  {}", file.path, styled(DIM, format!("{}{lines}", file.what))))?;
        if dry_run {
            for line in file.lines.iter().take(60) {
                let (sign, style) = match line.sign {
                    Sign::Added => ("+", GOOD),
                    Sign::Removed => ("-", BAD),
                };
                // A line of the person's own may have changed by a comma, and hold a key.
                let mut text = line.text.clone();
                custos_log::excerpt::redact_text(&mut text);
                output.line(styled(style, format!("    {sign} {}", render::printable(&text))))?;
            }
        }
    }
    output.line("")
}

#[expect(clippy::too_many_arguments, reason = "the parts of one report")]
fn show_result(
    output: &mut Output,
    context: &Context,
    place: &Path,
    put: Put,
    clients: &[ClientResult],
    rehearsed: &[ClientResult],
    proofs: &[proof::Proof],
    ok: bool,
) -> Result<(), CliError> {
    let word = match put {
        Put::Unchanged => "in place",
        Put::Installed => "installed",
        Put::Updated => "updated",
    };
    output.line(format!("{} {} {}", styled(BOLD, "program"), place.display(), styled(DIM, word)))?;
    output.line(format!("{}  {}", styled(BOLD, "memory"), context.places.memory.display()))?;
    output.line(format!("{}   {}", styled(BOLD, "state"), context.places.state.display()))?;
    for client in clients {
        output.line("")?;
        output.line(format!("{} {}", styled(BOLD, client.known.title), styled(DIM, &client.found)))?;
        for file in &client.files {
            let style = if file.problem.is_some() {
                BAD
            } else if file.changes {
                GOOD
            } else {
                DIM
            };
            output.line(format!("  {:<12} {} {}", file.what, file.path, styled(style, file.result)))?;
            if let Some(problem) = &file.problem {
                output.line(format!("               {}", render::printable(problem)))?;
            }
        }
        show_proof(output, client)?;
        for note in &client.notes {
            output.line(format!("  {} {note}", styled(WARN, "note")))?;
        }
    }
    if clients.is_empty() {
        output.line("")?;
        output.line(
            "No client was found on this machine. All of them were wired in a temporary home instead:",
        )?;
        for client in rehearsed {
            let failed =
                client.proof.iter().any(|trial| matches!(trial.worth, Worth::Failed | Worth::NotWired));
            if failed {
                output.line(styled(BOLD, client.known.title))?;
                show_proof(output, client)?;
            } else {
                let heard = render::count(client.proof.len() as u64, "event");
                let recorded: usize = client.proof.iter().map(|trial| trial.recorded.len()).sum();
                let recorded = render::count(recorded as u64, "record");
                let said = styled(DIM, format!("{heard} heard, {recorded} in the log"));
                output.line(format!("  {} {:<12} {said}", styled(GOOD, "ok    "), client.known.title))?;
            }
        }
        output.line(
            "Install one (`npm install -g @anthropic-ai/claude-code`, @openai/codex, @google/gemini-cli,",
        )?;
        output.line(
            "@github/copilot, opencode-ai) and run `custos setup` again, or wire one now with --client NAME.",
        )?;
    }
    output.line("")?;
    output.line(format!("{} {}", styled(BOLD, "The memory"), styled(DIM, "proven in a temporary one")))?;
    for proof in proofs {
        let word = if proof.ok { styled(GOOD, "  ok    ") } else { styled(BAD, "  FAILED") };
        output.line(format!("{word} {:<52} {}", proof.what, styled(DIM, &proof.detail)))?;
    }
    output.line("")?;
    if ProcessEnvironment.get(env::AI_MEMORY_PATH.name).is_some() {
        let note = "AI_MEMORY_PATH is set here: a client records into this memory only if it is started with it, too";
        output.line(format!("{} {note}", styled(WARN, "note")))?;
    }
    output.line(if ok {
        "Custos works on this machine. Next: work with a client, then `custos log tail`; `custos doctor` checks, `custos uninstall` undoes."
    } else {
        "Not everything works; what does not is marked above, and `custos doctor` looks closer."
    })
}

/// Shows what the installed commands did.
fn show_proof(output: &mut Output, client: &ClientResult) -> Result<(), CliError> {
    if !client.proof.is_empty() && client.proof.iter().all(|trial| trial.worth == Worth::NotWired) {
        return output.line(format!("  {} none of its events is in the file", styled(BAD, "FAILED")));
    }
    for trial in &client.proof {
        let (word, style) = match trial.worth {
            Worth::Failed | Worth::NotWired => ("FAILED", BAD),
            _ => ("ok", GOOD),
        };
        let said = match (&trial.problem, &trial.answer) {
            (Some(problem), _) => problem.clone(),
            (None, Some(answer)) => format!("answered {}", render::printable(answer)),
            (None, None) if trial.recorded.is_empty() => "heard".to_owned(),
            (None, None) => format!("recorded {}", trial.recorded.join(", ")),
        };
        let said = if trial.worth == Worth::NotWired { "is not in the file".to_owned() } else { said };
        let time = if trial.ms > 0.0 { format!("{:.1} ms", trial.ms) } else { String::new() };
        output.line(format!(
            "  {} {:<32} {said} {}",
            styled(style, format!("{word:<6}")),
            trial.event,
            styled(DIM, time)
        ))?;
    }
    Ok(())
}
