//! `custos oracle`: what the project says about itself.

use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use custos_config::shown::shown_path;
use custos_knowledge::View;
use custos_knowledge::described::{SavedScan, rescanned};
use custos_knowledge::oracle::{self, Limits, Scan};
use custos_knowledge::proposal::Staged;
use serde_json::json;

use super::answer::{refused, safe, show};
use super::person::{Call, Person, Place};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, DIM, Output, WARN, styled};
use crate::progress::{Progress, Unit};
use crate::render::count;

#[derive(Debug, Args)]
pub(crate) struct OracleArgs {
    #[command(subcommand)]
    command: OracleCommand,
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Subcommand)]
enum OracleCommand {
    /// Show stack, structure, patterns and glossary, of every level
    #[command(after_help = "Examples:\n  custos oracle show | less")]
    Show,
    /// Read the project's files and write down what they prove
    #[command(after_help = "\
Examples:
  custos oracle scan
  custos oracle scan --dry-run
  custos oracle scan --json | jq '.scan.commands'

Languages, package managers, frameworks, the commands that test, lint and build, a map
of the directories, and the words of the domain: each with the file that says so. No
model, no network. What people wrote in .ai/oracle/ stays as it is.

Exit codes:
  0  what was found is written down, or was before
  1  a file had to be left as it is; it says which and why")]
    Scan {
        /// Show what would be written, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
}

/// How long a scan may take: a repo with a hundred thousand files needs a few seconds.
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) fn run(context: &Context, args: &OracleArgs, output: &mut Output) -> Result<Exit, CliError> {
    let person = args.place.open(context)?;
    match args.command {
        OracleCommand::Show => {
            let mut answer = person.ask_to_the_end("oracle", Call::new())?;
            if answer.data["sections"].as_array().is_some_and(Vec::is_empty) {
                "The project is not described yet. `custos oracle scan` reads its files."
                    .clone_into(&mut answer.text);
            }
            show(&answer, output)
        }
        OracleCommand::Scan { dry_run } => scan(&person, dry_run, output),
    }
}

fn scan(person: &Person, dry_run: bool, output: &mut Output) -> Result<Exit, CliError> {
    let view = person.view()?;
    let found = look(&view);
    let rendered = oracle::render(&found);
    let (texts, unwritten) = rescanned(&view.own().store, &rendered);
    let SavedScan { changed, left, notes } = if dry_run {
        let changed = texts.iter().map(|rescan| rescan.section).collect();
        SavedScan { changed, left: unwritten, notes: Vec::new() }
    } else {
        person.base().save_scan(&view, &rendered).map_err(|refusal| refused(&refusal))?
    };
    let staged = if dry_run {
        Staged::default()
    } else {
        person.base().propose_of(&view, &found).map_err(|refusal| refused(&refusal))?
    };
    // What was found is not all written down.
    let exit = if left.is_empty() { Exit::Success } else { Exit::Found };
    if output.is_json() {
        output.json(&json!({
            "dry_run": dry_run, "changed": changed, "left": left, "scan": found, "proposals": staged,
            "notes": notes,
        }))?;
        return Ok(exit);
    }
    if dry_run {
        for rescan in texts {
            output.line(styled(DIM, format!("--- oracle/{}.md", rescan.section)))?;
            output.line(safe(rescan.new.text.trim_end()))?;
        }
    }
    report(&view, &found, &changed, (dry_run, left.len()), output)?;
    for fault in &left {
        let line = if fault.line == 0 { String::new() } else { format!(", line {}", fault.line) };
        let told = format!("left as it is: {}{line}: {}", fault.file, fault.reason);
        output.line(styled(WARN, safe(&told)))?;
    }
    for note in &notes {
        output.line(format!("{} {}", styled(WARN, "note:"), safe(note)))?;
    }
    if !staged.staged.is_empty() {
        let waiting = count(staged.staged.len() as u64, "new proposal");
        output.line(format!("{waiting}: `custos proposals` shows and accepts them"))?;
    }
    Ok(exit)
}

fn look(view: &View) -> Scan {
    let begun = Instant::now();
    let limits = Limits { expired: &|| begun.elapsed() > PATIENCE, ..Limits::default() };
    let mut progress = Progress::new("reading the project", None, Unit::Lines);
    oracle::scan(&view.root.path, &limits, &mut |files| progress.at(files as u64))
}

fn report(
    view: &View,
    found: &Scan,
    changed: &[&str],
    (dry_run, left): (bool, usize),
    output: &mut Output,
) -> Result<(), CliError> {
    let place = safe(&shown_path(&view.own().store.path("oracle")));
    let said = match (changed, dry_run) {
        ([], _) if left > 0 => format!("nothing is written to {place}"),
        ([], _) => format!("nothing to change in {place}"),
        (changed, true) => format!("would be written to {place}: {}", changed.join(", ")),
        (changed, false) => format!("written to {place}: {}", changed.join(", ")),
    };
    output.line(format!("{} seen; {said}", count(found.files_seen as u64, "file")))?;
    if let Some(cut) = found.cut_short {
        output.line(format!("{} {cut}", styled(WARN, "cut short:")))?;
    }
    for unread in &found.unread {
        output.line(safe(&format!("not understood: {}: {}", unread.file, unread.why)))?;
    }
    if !found.proposals.is_empty() {
        output.line(format!("\n{}", styled(BOLD, "Decisions that this proves")))?;
        for proposal in &found.proposals {
            output.line(safe(&format!("  {}  ({})", proposal.title, proposal.evidence)))?;
        }
    }
    Ok(())
}
