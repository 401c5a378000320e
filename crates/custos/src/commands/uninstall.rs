//! `custos uninstall`: takes out of the clients' files what is ours.
//!
//! A file that nobody else has touched since becomes what it was, byte for byte; of any other only our part is taken out. The memory stays:
//! it is the person's, and what to do about it is said at the end.

use std::path::{Path, PathBuf};

use custos_clients::clients::claude_code;
use custos_clients::edit::LedgerError;
use custos_clients::{CLIENTS, Client};
use serde::Serialize;

use crate::args::UninstallArgs;
use crate::commands::setup;
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
    let project = args.project.as_deref().map(setup::project_root).transpose()?;
    // The ledgers name files as they are behind all links.
    let project = project.map(|root| root.canonicalize().unwrap_or(root));
    let wanted =
        |client: &Client| args.client.is_empty() || args.client.iter().any(|name| name == client.name);
    let mut results = Vec::new();
    let (mut leaving, mut staying) = (Vec::new(), Vec::new());
    for (client, files) in wiring::wired(context) {
        match files {
            Ok(mut files) if wanted(client) => {
                files.retain(|file| project.as_ref().is_none_or(|root| file.starts_with(root)));
                leaving.push((client, files));
            }
            Ok(files) => staying.push((client, files)),
            // What is ours there cannot be told, so nothing is touched, and the program stays: hooks may still call it.
            Err(error) => results.push(FileResult::left_alone(client, Path::new(""), &error)),
        }
    }
    leaving.retain(|(_, files)| !files.is_empty());
    let place = program::remembered(&context.places.config);
    let with_program = args.client.is_empty() && project.is_none();

    let wiring = Wiring::new(context, home.clone(), None, &program::place(&home.join(".local")))?;
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
    for (client, files) in &leaving {
        results.extend(unwire(&wiring, client, files, &staying, args.dry_run));
    }
    // A plugin of ours calls the program as well, and blocks tools when it is gone.
    let plugin = wiring::commands(&claude_code::CLIENT, Vec::new(), &home);
    let left = !plugin.is_empty() || results.iter().any(|result| result.problem.is_some());
    if let Some(place) = place.filter(|_| with_program) {
        results.push(remove_program(context, &place, left, args.dry_run));
    }
    if !args.dry_run {
        wiring::tidy(context);
    }
    let bad = results.iter().any(|result| result.problem.is_some());
    if output.is_json() {
        output.json(&serde_json::json!({
            "ok": !bad, "dry_run": args.dry_run, "files": results,
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
    output.line("")?;
    output.line(format!(
        "The memory stays at {}. To remove it as well, delete it and {}.",
        context.places.memory.display(),
        context.places.state.display()
    ))?;
    Ok(if bad { Exit::Found } else { Exit::Success })
}

impl FileResult {
    fn new(client: &Client, path: &Path, result: &'static str) -> Self {
        Self { client: client.name, path: path.display().to_string(), result, problem: None }
    }

    fn left_alone(client: &Client, path: &Path, error: &dyn std::error::Error) -> Self {
        Self { problem: Some(error.to_string()), ..Self::new(client, path, "left alone") }
    }
}

fn unwire(
    wiring: &Wiring,
    client: &'static Client,
    files: &[PathBuf],
    staying: &[(&'static Client, Vec<PathBuf>)],
    rehearsal: bool,
) -> Vec<FileResult> {
    let mut ledger = match wiring.ledger(client, rehearsal) {
        Ok(ledger) => ledger,
        Err(error) => return vec![FileResult::left_alone(client, Path::new(""), &error)],
    };
    let mut one = |path: &PathBuf| -> Result<&'static str, LedgerError> {
        // A file that a client which stays needs as well is not touched, and is that client's to give back.
        if let Some((heir, _)) = staying.iter().find(|(_, files)| files.contains(path)) {
            ledger.pass_on(path, &mut wiring.ledger(heir, rehearsal)?)?;
            return Ok("kept for another client");
        }
        Ok(done(wiring::restore(&mut ledger, path)?.action, rehearsal))
    };
    files
        .iter()
        .map(|path| match one(path) {
            Ok(word) => FileResult::new(client, path, word),
            Err(error) => FileResult::left_alone(client, path, &error),
        })
        .collect()
}

/// Removes the program that setup put in its place, unless something may still call it.
fn remove_program(context: &Context, place: &Path, left: bool, rehearsal: bool) -> FileResult {
    let path = place.display().to_string();
    let result = |result| FileResult { client: "program", path: path.clone(), result, problem: None };
    if left {
        return result("stays, as something may still call it: a file that was left alone, or our plugin");
    }
    if rehearsal {
        return result("would be removed");
    }
    match program::remove(&context.places.config, place) {
        Ok(()) => result("removed"),
        Err(error) => FileResult { problem: Some(error.to_string()), ..result("left alone") },
    }
}
