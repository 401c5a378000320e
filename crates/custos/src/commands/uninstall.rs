//! `custos uninstall`: takes out of the clients' files what is ours.
//!
//! A file that nobody else has touched since becomes what it was, byte for byte; of any other only our part is taken out. The memory stays:
//! it is the person's, and what to do about it is said at the end.

use std::path::{Path, PathBuf};

use custos_clients::edit::LedgerError;
use custos_clients::{CLIENTS, Client};
use serde::Serialize;

use crate::args::UninstallArgs;
use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::wiring::{self, Wiring, done};
use crate::installation::{machine, program};
use crate::output::{BAD, BOLD, DIM, Output, ask, styled};
use crate::render;

#[derive(Serialize)]
struct FileResult {
    client: &'static str,
    path: String,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(crate) fn run(context: &Context, args: &UninstallArgs, output: &mut Output) -> Result<Exit, CliError> {
    if let Some(name) = args.client.iter().find(|name| custos_clients::find(name).is_none()) {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        return Err(CliError::new(Exit::Usage, format!("there is no client {name:?}"))
            .hint(format!("the clients are {}", names.join(", "))));
    }
    let home = machine::home()?;
    let place = program::place(&args.prefix.clone().unwrap_or_else(|| home.join(".local")));
    let wired = wiring::wired(context);
    let wanted = |client: &Client| args.client.is_empty() || args.client.iter().any(|name| name == client.name);
    let (leaving, staying): (Vec<_>, Vec<_>) = wired.into_iter().partition(|(client, _)| wanted(client));
    let with_program = args.client.is_empty() && place.exists();

    let wiring = Wiring::new(context, home, None, &place)?;
    let ask_first = environment::is_interactive() && !args.yes && !args.dry_run && !output.is_json();
    if ask_first && !leaving.is_empty() {
        output.line(styled(BOLD, "Our part will be taken out of:"))?;
        for file in leaving.iter().flat_map(|(_, files)| files) {
            output.line(format!("  {}", file.display()))?;
        }
        if !ask(output, "Go on? [Y/n] ", true)? {
            output.line("nothing was changed")?;
            return Ok(Exit::Success);
        }
    }
    let mut results = Vec::new();
    for (client, files) in &leaving {
        results.extend(unwire(&wiring, client, files, &staying, args.dry_run));
    }
    let program_result = with_program.then(|| remove_program(&place, args.dry_run));
    let bad = results.iter().any(|result| result.problem.is_some()) || matches!(program_result, Some(Err(_)));
    if output.is_json() {
        let program = program_result.map(|result| match result {
            Ok(word) => serde_json::json!({ "path": place.display().to_string(), "result": word }),
            Err(problem) => serde_json::json!({ "path": place.display().to_string(), "problem": problem }),
        });
        output.json(&serde_json::json!({
            "ok": !bad, "dry_run": args.dry_run, "files": results, "program": program,
            "memory": context.places.memory.display().to_string(),
        }))?;
        return Ok(if bad { Exit::Found } else { Exit::Success });
    }
    if results.is_empty() {
        output.line("No client is wired.")?;
    }
    for result in &results {
        let style = if result.problem.is_some() { BAD } else { DIM };
        output.line(format!("{:<12} {} {}", result.client, result.path, styled(style, result.result)))?;
        if let Some(problem) = &result.problem {
            output.line(format!("             {}", render::printable(problem)))?;
        }
    }
    match program_result {
        Some(Ok(word)) => output.line(format!("{:<12} {} {}", "program", place.display(), styled(DIM, word)))?,
        Some(Err(problem)) => output.line(format!("{:<12} {} {}", "program", place.display(), styled(BAD, problem)))?,
        None => {}
    }
    output.line("")?;
    output.line(format!(
        "The memory stays at {}. To remove it as well, delete it and {}.",
        context.places.memory.display(),
        context.places.state.display()
    ))?;
    Ok(if bad { Exit::Found } else { Exit::Success })
}

fn unwire(
    wiring: &Wiring,
    client: &'static Client,
    files: &[PathBuf],
    staying: &[(&'static Client, Vec<PathBuf>)],
    rehearsal: bool,
) -> Vec<FileResult> {
    let result = |path: &Path, result: &'static str, problem: Option<String>| FileResult {
        client: client.name,
        path: path.display().to_string(),
        result,
        problem,
    };
    let mut ledger = match wiring.ledger(client, rehearsal) {
        Ok(ledger) => ledger,
        Err(error) => return vec![result(Path::new(""), "left alone", Some(error.to_string()))],
    };
    let mut one = |path: &PathBuf| -> Result<&'static str, LedgerError> {
        // A file that a client which stays needs as well is not touched, and is that client's to give back.
        if let Some((heir, _)) = staying.iter().find(|(_, files)| files.contains(path)) {
            ledger.pass_on(path, &mut wiring.ledger(heir, rehearsal)?)?;
            return Ok("kept for another client");
        }
        Ok(done(ledger.restore(path)?.action, rehearsal))
    };
    files
        .iter()
        .map(|path| match one(path) {
            Ok(word) => result(path, word, None),
            Err(error) => result(path, "left alone", Some(error.to_string())),
        })
        .collect()
}

fn remove_program(place: &Path, rehearsal: bool) -> Result<&'static str, String> {
    if rehearsal {
        return Ok("would be removed");
    }
    std::fs::remove_file(place).map(|()| "removed").map_err(|error| error.to_string())
}
