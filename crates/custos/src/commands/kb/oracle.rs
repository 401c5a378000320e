//! `custos oracle`: what the project says about itself.

use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use custos_config::shown::shown_path;
use custos_knowledge::described::{SECTIONS, SavedScan, read_section};
use custos_knowledge::oracle::{self, Limits, Oracle, Scan};
use custos_knowledge::proposal::Staged;
use custos_knowledge::{Fault, View};
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
model, no network. What people wrote in .ai/oracle/ stays as it is.")]
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
    let (texts, unwritten) = to_be_changed(&view, &rendered);
    let SavedScan { changed, left } = if dry_run {
        SavedScan { changed: texts.iter().map(|(section, _)| *section).collect(), left: unwritten }
    } else {
        person.base().save_scan(&view, &rendered).map_err(|refusal| refused(&refusal))?
    };
    let staged = if dry_run {
        Staged::default()
    } else {
        person.base().propose_of(&view, &found).map_err(|refusal| refused(&refusal))?
    };
    if output.is_json() {
        output.json(&json!({
            "dry_run": dry_run, "changed": changed, "left": left, "scan": found, "proposals": staged,
        }))?;
        return Ok(Exit::Success);
    }
    if dry_run {
        for (section, text) in texts {
            output.line(styled(DIM, format!("--- oracle/{section}.md")))?;
            output.line(safe(text.trim_end()))?;
        }
    }
    report(&view, &found, &changed, dry_run, output)?;
    for fault in &left {
        let line = if fault.line == 0 { String::new() } else { format!(", line {}", fault.line) };
        let told = format!("left as it is: {}{line}: {}", fault.file, fault.reason);
        output.line(styled(WARN, safe(&told)))?;
    }
    if !staged.staged.is_empty() {
        let waiting = count(staged.staged.len() as u64, "new proposal");
        output.line(format!("{waiting}: `custos proposals` shows and accepts them"))?;
    }
    Ok(Exit::Success)
}

fn look(view: &View) -> Scan {
    let begun = Instant::now();
    let limits = Limits { expired: &|| begun.elapsed() > PATIENCE, ..Limits::default() };
    let mut progress = Progress::new("reading the project", None, Unit::Lines);
    oracle::scan(&view.root.path, &limits, &mut |files| progress.at(files as u64))
}

/// The sections that a scan would change, with what they would say; and the files that it would leave as they are.
fn to_be_changed(view: &View, rendered: &Oracle) -> (Vec<(&'static str, String)>, Vec<Fault>) {
    let parts = [&rendered.stack, &rendered.structure, &rendered.patterns, &rendered.glossary];
    let (mut changed, mut left) = (Vec::new(), Vec::new());
    for (section, generated) in SECTIONS.into_iter().zip(parts) {
        match read_section(&view.own().store, section) {
            Ok(old) => {
                let new = oracle::merge(old.as_deref(), generated);
                if old.as_deref() != Some(new.as_str()) {
                    changed.push((section, new));
                }
            }
            Err(fault) => left.push(fault),
        }
    }
    (changed, left)
}

fn report(
    view: &View,
    found: &Scan,
    changed: &[&str],
    dry_run: bool,
    output: &mut Output,
) -> Result<(), CliError> {
    let place = safe(&shown_path(&view.own().store.path("oracle")));
    let said = match (changed, dry_run) {
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
