//! `custos init`: begins the knowledge base of a project.
//!
//! It makes `.ai/`, reads what the project says about itself, adds a preset, and puts what could be decided before the person. In a workspace it
//! does so for the repos as well, once the person has seen which: presets stay with the workspace, whose repos would only repeat them.
//! A base that this run made is trusted, because nobody else's texts are in it; one that came with a clone is not, and that is said.

mod offer;
mod place;
mod rules;
mod show;

use std::path::{Path, PathBuf};

use clap::Args;
use custos_knowledge::preset::{self, Preset};
use custos_knowledge::root::Child;
use custos_knowledge::{Nature, Root};
use serde_json::json;

pub(crate) use self::offer::Offer;
pub(crate) use self::place::Place;
use self::place::{Chosen, Wish};
pub(crate) use self::show::made as show_places;
use super::kb::answer::refused;
use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::knowledge;
use crate::output::{BOLD, DIM, Output, ask, styled};

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch on the command line")]
pub(crate) struct InitArgs {
    /// The project [default: $CUSTOS_ROOT, else the one that you are in]
    dir: Option<PathBuf>,
    /// Add this preset; may be repeated. `none`, alone, adds none [default: essential, for a base with nothing in it]
    #[arg(long, value_name = "NAME")]
    preset: Vec<String>,
    /// Do not read the project's files
    #[arg(long)]
    no_scan: bool,
    /// Do not ask; begin in every repo of a workspace
    #[arg(long, short)]
    yes: bool,
    /// Show what would be made, and make nothing
    #[arg(long)]
    dry_run: bool,
    /// List the presets with what is in them
    #[arg(long, conflicts_with_all = ["dir", "preset", "no_scan", "yes", "dry_run"])]
    list_presets: bool,
}

pub(crate) fn run(context: &Context, args: &InitArgs, output: &mut Output) -> Result<Exit, CliError> {
    if args.list_presets {
        return show::presets(&preset::presets(), output);
    }
    let root = root(args.dir.as_deref())?;
    let wish = Wish { presets: chosen(&args.preset)?, scan: !args.no_scan, dry_run: args.dry_run };
    let repos = root.repos();
    let may_ask = !output.is_json() && environment::is_interactive();
    // A rehearsal takes the person's yes for granted, but only where the real run would ask for it.
    let with_repos = repos.is_empty() || args.yes || (may_ask && (args.dry_run || agreed(&repos, output)?));
    let (taken, left) = if with_repos { (repos, Vec::new()) } else { (Vec::new(), repos) };
    let mut places = vec![place::begin(context, root.clone(), &wish)?];
    places.extend(in_repos(context, &taken, &wish));
    let left: Vec<String> = left.into_iter().filter(|repo| !has_base(repo)).map(|repo| repo.name).collect();
    if output.is_json() {
        output.json(&json!({
            "dry_run": args.dry_run,
            "root": root.path,
            "nature": nature(&root),
            "changed": places.iter().any(Place::changes),
            "places": places,
            "left": left,
        }))?;
    } else {
        show::places(&places, &left, &root, args.dry_run, output)?;
    }
    Ok(if places.iter().any(Place::is_partial) { Exit::Found } else { Exit::Success })
}

/// Begins in the repos of a workspace. One that refuses does not keep the others from it.
fn in_repos(context: &Context, repos: &[Child], wish: &Wish) -> Vec<Place> {
    let wish = Wish { presets: Chosen::These(Vec::new()), ..wish.clone() };
    let begin = |repo: &Child| match place::begin(context, repo.root(), &wish) {
        Ok(place) => Place { name: repo.name.clone(), ..place },
        Err(error) => Place::refused(&repo.name, &repo.path, error),
    };
    repos.iter().map(begin).collect()
}

/// Shows the repos of a workspace and asks whether they are meant, too.
fn agreed(repos: &[Child], output: &mut Output) -> Result<bool, CliError> {
    output.line(styled(BOLD, "The repos of this workspace:"))?;
    for repo in repos {
        let word = if has_base(repo) { "has a knowledge base" } else { "gets one" };
        output.line(format!("  {}  {}", crate::render::printable(&repo.name), styled(DIM, word)))?;
    }
    ask(output, "Begin in each of them as well? [Y/n] ", true)
}

fn has_base(repo: &Child) -> bool {
    repo.path.join(".ai").is_dir()
}

/// Finds the root to begin in. Its path is as it really is, because so it is trusted.
fn root(named: Option<&Path>) -> Result<Root, CliError> {
    let Some(named) = named else { return knowledge::root(None) };
    knowledge::root(Some(named))
        .map_err(|error| error.hint("give the directory of a project: custos init DIR"))
}

fn chosen(names: &[String]) -> Result<Chosen, CliError> {
    match names {
        [] => Ok(Chosen::Default),
        names if names.iter().all(|name| name == "none") => Ok(Chosen::These(Vec::new())),
        names if names.iter().any(|name| name == "none") => {
            Err(CliError::new(Exit::Usage, "`none` goes alone: it is no preset, but the wish for none")
                .hint("leave out `--preset none`, or the other presets"))
        }
        names => {
            let presets: Vec<Preset> = preset::named(names).map_err(|refusal| refused(&refusal))?;
            Ok(Chosen::These(presets))
        }
    }
}

fn nature(root: &Root) -> &'static str {
    match root.nature {
        Nature::Repo => "repo",
        Nature::Workspace(_) => "workspace",
        Nature::Directory => "directory",
    }
}
