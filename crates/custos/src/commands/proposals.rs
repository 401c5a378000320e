//! `custos proposals`: what a scan or an import found, for the person to accept or drop.
//!
//! Proposals wait in the store of the place that they are about. In a workspace the list goes on with those of its repos, which are accepted
//! there (`--root`), so that a decision about a repo is kept in that repo.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use custos_knowledge::proposal::{Accepted, Proposal};
use custos_knowledge::{Base, Fault, Refusal, Root, View};
use serde::Serialize;
use serde_json::json;

use super::kb::answer::{refused, safe};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::knowledge;
use crate::output::{BAD, BOLD, DIM, GOOD, Output, WARN, styled};
use crate::render::{count, printable};

#[derive(Debug, Args)]
pub(crate) struct ProposalsArgs {
    #[command(subcommand)]
    command: Option<ProposalsCommand>,
    /// The repo or workspace that they are about [default: $CUSTOS_ROOT, else the working directory]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    root: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum ProposalsCommand {
    /// List the proposals that wait
    #[command(
        after_help = "Examples:\n  custos proposals list\n  custos proposals list --json | jq -r '.proposals[].id'"
    )]
    List,
    /// Keep proposals: each becomes the decision or memory that it says
    #[command(after_help = "\
Examples:
  custos proposals accept P-001 P-003
  custos proposals accept --all

Exit codes:
  0   all of them are kept
  1   some are not; it says which and why
  66  there is none that waits")]
    Accept(Which),
    /// Turn proposals down; a later scan does not bring them up again
    #[command(after_help = "Examples:\n  custos proposals drop P-002\n  custos proposals drop --all")]
    Drop(Which),
}

/// Which proposals are meant.
#[derive(Debug, Args)]
struct Which {
    /// Their ids
    #[arg(required_unless_present = "all", value_name = "ID")]
    ids: Vec<String>,
    /// All that wait
    #[arg(long, conflicts_with = "ids")]
    all: bool,
}

impl Which {
    fn ids(&self, base: &Base, view: &View) -> Vec<String> {
        if !self.all {
            return self.ids.clone();
        }
        base.proposed(view).items.iter().map(|kept| kept.item.id.clone()).collect()
    }
}

/// The proposals of one place.
#[derive(Debug, Serialize)]
struct Waiting {
    name: String,
    root: PathBuf,
    proposals: Vec<Proposal>,
    faults: Vec<Fault>,
}

/// What became of one proposal.
#[derive(Debug, Serialize)]
struct Settled {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<Accepted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(crate) fn run(context: &Context, args: &ProposalsArgs, output: &mut Output) -> Result<Exit, CliError> {
    let root = knowledge::root(args.root.as_deref())?;
    let desk = knowledge::for_person(context, root);
    let base = desk.base();
    let view = base.view(None).map_err(|refusal| refused(&refusal))?;
    match &args.command {
        None | Some(ProposalsCommand::List) => list(context, base, &view, output),
        Some(ProposalsCommand::Accept(which)) => {
            let settle = |id: &String| base.accept(&view, id).map(Some);
            settled(&which.ids(base, &view), settle, "accepted", output)
        }
        Some(ProposalsCommand::Drop(which)) => {
            let settle = |id: &String| base.drop_proposed(&view, id).map(|_| None);
            settled(&which.ids(base, &view), settle, "dropped", output)
        }
    }
}

fn list(context: &Context, base: &Base, view: &View, output: &mut Output) -> Result<Exit, CliError> {
    let own = waiting(base, view, view.root.name());
    let mut repos = Vec::new();
    for repo in view.root.repos() {
        let found = in_repo(context, &repo.path, repo.name).map_err(|refusal| refused(&refusal))?;
        repos.extend(Some(found).filter(|found| !found.proposals.is_empty()));
    }
    if output.is_json() {
        output.json(&json!({ "proposals": own.proposals, "faults": own.faults, "repos": repos }))?;
        return Ok(Exit::Success);
    }
    for fault in &own.faults {
        let said = safe(&format!("{}:{}: {}", fault.file, fault.line, fault.reason));
        output.line(format!("{} {said}", styled(WARN, "left out:")))?;
    }
    show(&own, output)?;
    for repo in &repos {
        let root = printable(&repo.root.display().to_string());
        output.line(format!(
            "{} {}",
            styled(BOLD, printable(&repo.name)),
            styled(DIM, format!("--root {root}"))
        ))?;
        show(repo, output)?;
    }
    let all = own.proposals.len() + repos.iter().map(|repo| repo.proposals.len()).sum::<usize>();
    output.line(match all {
        0 => "no proposal waits; `custos init` looks for some".to_owned(),
        all => format!("{}: custos proposals accept ID…, or drop ID…", count(all as u64, "proposal")),
    })?;
    Ok(Exit::Success)
}

fn waiting(base: &Base, view: &View, name: String) -> Waiting {
    let found = base.proposed(view);
    let proposals = found.items.iter().map(|kept| (*kept.item).clone()).collect();
    Waiting { name, root: view.root.path.clone(), proposals, faults: found.faults }
}

fn in_repo(context: &Context, root: &Path, name: String) -> Result<Waiting, Refusal> {
    let desk = knowledge::for_person(context, Root::find(root));
    let view = desk.base().view(None)?;
    Ok(waiting(desk.base(), &view, name))
}

fn show(waiting: &Waiting, output: &mut Output) -> Result<(), CliError> {
    for proposal in &waiting.proposals {
        let id = styled(BOLD, printable(&proposal.id));
        let from = styled(DIM, printable(&format!("{}, from {}", proposal.wanted.word(), proposal.evidence)));
        output.line(format!("{id}  {}  {from}", printable(&proposal.title)))?;
        for line in safe(&proposal.text).lines() {
            output.line(format!("       {line}"))?;
        }
    }
    Ok(())
}

/// Settles proposals one by one; one that cannot be settled does not keep the others from it.
fn settled(
    ids: &[String],
    settle: impl Fn(&String) -> Result<Option<Accepted>, Refusal>,
    word: &str,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let mut all = Vec::new();
    let mut first_refusal = None;
    for id in ids {
        let mut one = Settled { id: id.clone(), accepted: None, problem: None };
        match settle(id) {
            Ok(accepted) => one.accepted = accepted,
            Err(refusal) => {
                one.problem = Some(refusal.to_string());
                first_refusal.get_or_insert(refusal);
            }
        }
        all.push(one);
    }
    if let Some(refusal) = &first_refusal
        && all.iter().all(|one| one.problem.is_some())
    {
        return Err(refused(refusal));
    }
    if output.is_json() {
        output.json(&json!({ word: all }))?;
    } else {
        for one in &all {
            show_settled(one, word, output)?;
        }
        if all.is_empty() {
            output.line("no proposal waits")?;
        }
    }
    Ok(if first_refusal.is_some() { Exit::Found } else { Exit::Success })
}

fn show_settled(one: &Settled, word: &str, output: &mut Output) -> Result<(), CliError> {
    let id = printable(&one.id);
    match (&one.problem, &one.accepted) {
        (Some(problem), _) => output.line(format!("{} {id}: {}", styled(BAD, "left"), printable(problem))),
        (None, Some(Accepted { became, file, notes, .. })) => {
            let file = styled(DIM, printable(file));
            output.line(format!("{} {id} is {} now  {file}", styled(GOOD, word), printable(became)))?;
            notes
                .iter()
                .try_for_each(|note| output.line(format!("  {} {}", styled(WARN, "note"), printable(note))))
        }
        (None, None) => output.line(format!("{} {id}", styled(GOOD, word))),
    }
}
