//! `custos trust`: whose `.ai/` is taken for the person's own.

pub(crate) mod updated;

use std::path::{Path, PathBuf};

use clap::Args;
use custos_config::mark::{mark, remove_mark};
use custos_config::{Change, Project};

use custos_guard::rules::Level;
use custos_guard::rules::trust::{self, TrustError};
use serde_json::json;

use self::updated::Updated;
use crate::context::Context;
use crate::environment::working_directory;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{DIM, Output, styled};
use crate::render::printable;

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// The project [default: the one that you are in]
    dir: Option<PathBuf>,
    /// List the projects that are trusted
    #[arg(long, conflicts_with_all = ["dir", "remove"])]
    list: bool,
    /// Trust a project no longer
    #[arg(long, value_name = "DIR", conflicts_with = "dir")]
    remove: Option<PathBuf>,
}

pub(crate) fn run(context: &Context, args: &TrustArgs, output: &mut Output) -> Result<Exit, CliError> {
    let list = list(context);
    if args.list {
        return show(&list, output);
    }
    if let Some(dir) = &args.remove {
        // It may be gone; then it is in the list as it was typed.
        let root = root(dir).unwrap_or_else(|_| dir.clone());
        let mut change = trust::remove(&list, &root)?;
        // One that was begun here is trusted for its mark.
        if mark(&root).is_some() {
            remove_mark(&root).map_err(|error| {
                CliError::new(Exit::Io, format!("the mark of {} cannot be removed: {error}", root.display()))
                    .hint("remove .ai/local/made-here and .git/custos-made-here there by hand")
            })?;
            change = Change::Written;
        }
        record(context, change, updated::Change::Removed, &root);
        let said = match change {
            Change::Written => format!("{} is no longer trusted", root.display()),
            Change::Nothing => format!("nothing to change: {} was not trusted", root.display()),
        };
        return told(change, &root, false, &said, &list, output);
    }
    let here = args.dir.clone().or_else(working_directory).unwrap_or_default();
    let root = root(&here)?;
    let change = trust::add(&list, &root)?;
    record(context, change, updated::Change::Added, &root);
    let said = match change {
        Change::Written => format!(
            "{} is trusted: its texts are read as yours, and git may be run there without asking",
            root.display()
        ),
        Change::Nothing => format!("nothing to change: {} is trusted already", root.display()),
    };
    told(change, &root, true, &said, &list, output)
}

/// Records that a project is in the list now, or no longer. The list is the person's own, whatever the project says.
fn record(context: &Context, made: Change, change: updated::Change, root: &Path) {
    if made == Change::Written {
        let value = &root.display().to_string();
        Updated { change, level: Level::User, root: None, list: "trust", value }.record(context);
    }
}

/// Gives the file in which the trusted projects are listed.
pub(crate) fn list(context: &Context) -> PathBuf {
    trust::file(&context.places.config)
}

/// Gives the root of a directory's project, as it really is.
fn root(dir: &Path) -> Result<PathBuf, CliError> {
    let real = std::fs::canonicalize(dir).map_err(|error| {
        CliError::new(Exit::NotFound, format!("{}: {error}", dir.display()))
            .hint("give the directory of a project")
    })?;
    if !real.is_dir() {
        return Err(CliError::new(Exit::NotFound, format!("{} is no directory", dir.display()))
            .hint("give the directory of a project"));
    }
    Ok(Project::by_place(&real).root)
}

fn show(list: &Path, output: &mut Output) -> Result<Exit, CliError> {
    let trusted = trust::trusted(list)?;
    if output.is_json() {
        output.json(&json!({ "trusted": trusted, "file": list }))?;
        return Ok(Exit::Success);
    }
    for root in &trusted {
        output.line(printable(&root.display().to_string()))?;
    }
    if trusted.is_empty() {
        output.line(styled(DIM, "no project is trusted; `custos trust DIR` trusts one"))?;
    }
    Ok(Exit::Success)
}

fn told(
    change: Change,
    root: &Path,
    trusted: bool,
    said: &str,
    list: &Path,
    output: &mut Output,
) -> Result<Exit, CliError> {
    if output.is_json() {
        let changed = change == Change::Written;
        output.json(&json!({ "changed": changed, "root": root, "trusted": trusted, "file": list }))?;
    } else {
        output.line(printable(said))?;
    }
    Ok(Exit::Success)
}

impl From<TrustError> for CliError {
    fn from(error: TrustError) -> Self {
        let exit = match &error {
            TrustError::Root { .. } => Exit::Data,
            TrustError::Unreadable { .. } | TrustError::Unwritable { .. } => Exit::Io,
        };
        Self::new(exit, error.to_string())
    }
}
