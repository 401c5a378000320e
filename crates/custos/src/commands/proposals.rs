//! `custos proposals`: what a scan or an import found, for the person to accept or drop.
//!
//! Proposals wait in the store of the place that they are about. In a workspace the list goes on with those of its repos. They are answered
//! by their address (`api:P-001`), or there (`--root`), and kept there, so that a decision about a repo is in that repo. `--all` means the place
//! itself: whoever answers all without having looked shall not answer for every repo, but is told what still waits in which.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use custos_knowledge::proposal::{Accepted, Proposal};
use custos_knowledge::scope::spelt;
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
  0   all of them are kept; with --all also if none waits
  1   some are not; it says which and why
  66  none of those that were named waits")]
    Accept(Which),
    /// Turn proposals down; a later scan does not bring them up again
    #[command(after_help = "Examples:\n  custos proposals drop P-002\n  custos proposals drop --all")]
    Drop(Which),
}

/// Which proposals are meant.
#[derive(Debug, Args)]
struct Which {
    /// Their ids; of a repo in this workspace with its name, as in `api:P-001`
    #[arg(required_unless_present = "all", value_name = "ID")]
    ids: Vec<String>,
    /// All that wait here; those of the repos are named
    #[arg(long, conflicts_with = "ids")]
    all: bool,
}

/// The proposals of one place.
#[derive(Debug, Serialize)]
struct Waiting {
    name: String,
    root: PathBuf,
    proposals: Vec<Addressed>,
    faults: Vec<Fault>,
}

/// A proposal with what it is called from here: every repo has a P-001.
#[derive(Debug, Serialize)]
struct Addressed {
    address: String,
    #[serde(flatten)]
    proposal: Proposal,
}

/// A repo of a workspace in which proposals wait.
#[derive(Debug, Serialize)]
struct Left {
    name: String,
    root: PathBuf,
    waiting: usize,
}

/// What a person says to a proposal.
#[derive(Debug, Clone, Copy)]
enum Answer {
    Accept,
    Drop,
}

impl Answer {
    /// What is typed for it.
    const fn command(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Drop => "drop",
        }
    }

    /// What has become of a proposal.
    const fn done(self) -> &'static str {
        match self {
            Self::Accept => "accepted",
            Self::Drop => "dropped",
        }
    }

    /// Answers a proposal of a place, and gives its id.
    fn give(self, base: &Base, view: &View, id: &str) -> Result<(String, Option<Accepted>), Refusal> {
        match self {
            Self::Accept => {
                let accepted = base.accept(view, id)?;
                Ok((accepted.proposal.clone(), Some(accepted)))
            }
            Self::Drop => Ok((base.drop_proposed(view, id)?, None)),
        }
    }
}

/// What became of one proposal.
#[derive(Debug, Serialize)]
struct Settled {
    /// Its address, or what was typed if there is none.
    id: String,
    /// What stands in front of the ids of its place: `api:`.
    #[serde(skip)]
    of: String,
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
        Some(ProposalsCommand::Accept(which)) => answer(context, base, &view, which, Answer::Accept, output),
        Some(ProposalsCommand::Drop(which)) => answer(context, base, &view, which, Answer::Drop, output),
    }
}

fn list(context: &Context, base: &Base, view: &View, output: &mut Output) -> Result<Exit, CliError> {
    let own = waiting(base, view, view.root.name(), "");
    let repos = in_repos(context, view)?;
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
    // The number alone means the one that waits here.
    let of_repos = repos.first().and_then(|repo| repo.proposals.first());
    let of_repos = of_repos.map(|first| format!("; one of a repo as {}", printable(&first.address)));
    output.line(match all {
        0 => "no proposal waits; `custos init` looks for some".to_owned(),
        all => format!(
            "{}: custos proposals accept ID…, or drop ID…{}",
            count(all as u64, "proposal"),
            of_repos.unwrap_or_default()
        ),
    })?;
    Ok(Exit::Success)
}

fn waiting(base: &Base, view: &View, name: String, of: &str) -> Waiting {
    let found = base.proposed(view);
    let addressed = |proposal: &Proposal| Addressed {
        address: format!("{of}{}", proposal.id),
        proposal: proposal.clone(),
    };
    let proposals = found.items.iter().map(|kept| addressed(&kept.item)).collect();
    Waiting { name, root: view.root.path.clone(), proposals, faults: found.faults }
}

/// Gives what waits in the repos of a workspace, for those in which anything does.
fn in_repos(context: &Context, view: &View) -> Result<Vec<Waiting>, CliError> {
    let mut repos = Vec::new();
    for repo in view.root.repos() {
        let found = in_repo(context, &repo.path, repo.name).map_err(|refusal| refused(&refusal))?;
        repos.extend(Some(found).filter(|found| !found.proposals.is_empty()));
    }
    Ok(repos)
}

/// What stands in front of the ids of a repo.
fn prefix(repo: &str) -> String {
    format!("{}:", spelt(repo))
}

fn in_repo(context: &Context, root: &Path, name: String) -> Result<Waiting, Refusal> {
    let desk = knowledge::for_person(context, Root::find(root));
    let view = desk.base().view(None)?;
    let of = prefix(&name);
    Ok(waiting(desk.base(), &view, name, &of))
}

fn show(waiting: &Waiting, output: &mut Output) -> Result<(), CliError> {
    for Addressed { address, proposal } in &waiting.proposals {
        let id = styled(BOLD, printable(address));
        let from = styled(DIM, printable(&format!("{}, from {}", proposal.wanted.word(), proposal.evidence)));
        output.line(format!("{id}  {}  {from}", printable(&proposal.title)))?;
        for line in safe(&proposal.text).lines() {
            output.line(format!("       {line}"))?;
        }
    }
    Ok(())
}

/// Answers proposals one by one; one that cannot be answered does not keep the others from it.
fn answer(
    context: &Context,
    base: &Base,
    view: &View,
    which: &Which,
    answer: Answer,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let own = || base.proposed(view).items.iter().map(|kept| kept.item.id.clone()).collect();
    let ids: Vec<String> = if which.all { own() } else { which.ids.clone() };
    let mut all = Vec::new();
    let mut first_refusal = None;
    for id in &ids {
        match answered(context, base, view, id, answer) {
            Ok(settled) => all.push(settled),
            Err(refusal) => {
                let problem = Some(refusal.to_string());
                all.push(Settled { id: id.clone(), of: String::new(), accepted: None, problem });
                first_refusal.get_or_insert(refusal);
            }
        }
    }
    if let Some(refusal) = &first_refusal
        && all.iter().all(|one| one.problem.is_some())
    {
        return Err(refused(refusal));
    }
    let left: Vec<Left> = if which.all {
        let of = |Waiting { name, root, proposals, .. }| Left { name, root, waiting: proposals.len() };
        in_repos(context, view)?.into_iter().map(of).collect()
    } else {
        Vec::new()
    };
    if output.is_json() {
        output.json(&json!({ answer.done(): all, "left": left }))?;
    } else {
        for one in &all {
            show_settled(one, answer.done(), output)?;
        }
        if all.is_empty() {
            output.line(if left.is_empty() { "no proposal waits" } else { "no proposal waits here" })?;
        }
        show_left(&left, answer, output)?;
    }
    Ok(if first_refusal.is_some() { Exit::Found } else { Exit::Success })
}

/// Answers one proposal, in the place that its name says.
fn answered(
    context: &Context,
    base: &Base,
    view: &View,
    name: &str,
    answer: Answer,
) -> Result<Settled, Refusal> {
    let (root, id) = base.place_of_proposal(view, name)?;
    let settled =
        |of: String, (id, accepted)| Settled { id: format!("{of}{id}"), of, accepted, problem: None };
    if root.path == view.root.path {
        return Ok(settled(String::new(), answer.give(base, view, id)?));
    }
    let repo = view.root.repos().into_iter().find(|repo| repo.path == root.path);
    let of = prefix(&repo.map_or_else(|| root.name(), |repo| repo.name));
    let desk = knowledge::for_person(context, root);
    let there = desk.base().view(None)?;
    match answer.give(desk.base(), &there, id) {
        Ok(given) => Ok(settled(of, given)),
        Err(refusal) => Err(Refusal { problem: format!("{of} {}", refusal.problem), ..refusal }),
    }
}

/// Says what waits in the repos of a workspace, and what is typed to answer it.
fn show_left(left: &[Left], answer: Answer, output: &mut Output) -> Result<(), CliError> {
    if left.is_empty() {
        return Ok(());
    }
    let all: usize = left.iter().map(|repo| repo.waiting).sum();
    let wait = if all == 1 { "waits" } else { "wait" };
    output.line(format!("{} {wait} in the repos:", count(all as u64, "proposal")))?;
    for Left { name, root, waiting } in left {
        let command = format!("custos proposals {} --all --root {}", answer.command(), typed(root));
        output.line(format!("  {}  {waiting}  {}", printable(name), styled(DIM, printable(&command))))?;
    }
    Ok(())
}

/// A path as a shell takes it.
fn typed(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,@".contains(c);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

fn show_settled(one: &Settled, word: &str, output: &mut Output) -> Result<(), CliError> {
    let id = printable(&one.id);
    match (&one.problem, &one.accepted) {
        (Some(problem), _) => output.line(format!("{} {id}: {}", styled(BAD, "left"), printable(problem))),
        (None, Some(Accepted { became, file, notes, .. })) => {
            let (became, file) = (printable(&format!("{}{became}", one.of)), styled(DIM, printable(file)));
            output.line(format!("{} {id} is {became} now  {file}", styled(GOOD, word)))?;
            notes
                .iter()
                .try_for_each(|note| output.line(format!("  {} {}", styled(WARN, "note"), printable(note))))
        }
        (None, None) => output.line(format!("{} {id}", styled(GOOD, word))),
    }
}
