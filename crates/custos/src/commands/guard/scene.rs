//! The scene of a question: the world that it is asked in, and the rules in force there.
//!
//! Setting it reads files; asking in it does not read them again. Whoever asks ten thousand times sets it once.

use std::path::{Component, Path, PathBuf};

use custos_config::Project;
use custos_guard::rules::{self, Loaded, Sources};
use custos_guard::world::Own;
use custos_guard::{CATALOGUE, Files as _, Guard, World};
use custos_hooks::world::Disk;

use crate::context::Context;
use crate::environment::working_directory;
use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::{machine, program, wiring};
use crate::output::{BAD, styled, tell};

/// Where a question is asked, as far as it is not where the person is.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Whereabouts {
    pub(super) cwd: Option<String>,
    pub(super) home: Option<String>,
    pub(super) branch: Option<String>,
}

/// A world and its rules.
pub(crate) struct Scene {
    pub(crate) home: Option<String>,
    pub(crate) cwd: String,
    /// The repo of the working directory, or the directory itself.
    pub(crate) root: String,
    pub(crate) sources: Sources,
    pub(crate) loaded: Loaded,
    own: Own,
    disk: Disk,
}

impl Scene {
    /// Sets the scene.
    pub(crate) fn set(context: &Context, at: &Whereabouts) -> Result<Self, CliError> {
        let cwd = match &at.cwd {
            Some(cwd) => absolute("--cwd", Path::new(cwd))?,
            None => working_directory().ok_or_else(|| {
                CliError::new(Exit::NotFound, "the working directory is gone")
                    .hint("go elsewhere, or name one with --cwd")
            })?,
        };
        let home = match &at.home {
            Some(home) => Some(absolute("--home", Path::new(home))?),
            None => machine::home().ok(),
        };
        let project = Project::find(&cwd);
        let is_repo = project.repo.is_some();
        // A session that begins here has this directory as its root: a repo's rules are the repo's, any other's the workspace's.
        let sources = Sources::new(
            Some(&context.places.config),
            (!is_repo).then_some(project.root.as_path()),
            is_repo.then_some(project.root.as_path()),
        );
        let loaded = rules::load(&sources, &compiled_rules(context), CATALOGUE);
        Ok(Self {
            home: home.as_deref().map(text).transpose()?,
            cwd: text(&cwd)?,
            root: text(&project.root)?,
            sources,
            loaded,
            own: own(context),
            disk: Disk::new(at.branch.clone()),
        })
    }

    /// Gives the guard in this scene.
    pub(crate) fn guard(&self) -> Guard<'_> {
        let world = World {
            home: self.home.as_deref(),
            cwd: &self.cwd,
            root: &self.root,
            own: &self.own,
            files: &self.disk,
        };
        Guard { world, policy: &self.loaded.policy }
    }

    /// Gives the branch that is checked out.
    pub(super) fn branch(&self) -> Option<String> {
        self.disk.branch(&self.cwd)
    }

    /// Gives where a path really leads, from the working directory.
    pub(super) fn real(&self, path: &str) -> Option<String> {
        let path = match (path.strip_prefix('~'), &self.home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
            _ => path.to_owned(),
        };
        self.disk.real(clean(&Path::new(&self.cwd).join(path)).to_str()?)
    }

    /// Gives what is wrong with the rules files.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.loaded.problems.iter().map(ToString::to_string).collect()
    }

    /// Says loudly what is wrong with the rules files.
    pub(super) fn warn(&self) {
        for problem in &self.loaded.problems {
            tell(format!("{} {problem}", styled(BAD, "warning:")));
        }
    }
}

/// Where the rules are kept as hooks read them.
fn compiled_rules(context: &Context) -> PathBuf {
    context.places.state.join("rules.bin")
}

/// What an agent may not change.
fn own(context: &Context) -> Own {
    let text = |path: &Path| path.to_str().map(str::to_owned);
    let programs = [program::remembered(&context.places.config), std::env::current_exe().ok()];
    let registrations = wiring::wired(context).into_iter().filter_map(|(_, files)| files.ok()).flatten();
    Own {
        config: text(&context.places.config),
        memory: text(&context.places.memory),
        state: text(&context.places.state),
        programs: programs.into_iter().flatten().filter_map(|path| text(&path)).collect(),
        registrations: registrations.filter_map(|path| text(&path)).collect(),
    }
}

/// Makes a directory that was typed absolute. It need not exist: a question may be about another machine.
fn absolute(option: &str, typed: &Path) -> Result<PathBuf, CliError> {
    let path = match working_directory() {
        Some(here) => here.join(typed),
        None => typed.to_owned(),
    };
    if typed.as_os_str().is_empty() || !path.is_absolute() {
        return Err(CliError::new(Exit::Usage, format!("{option}: {} is no directory", typed.display()))
            .hint("give an absolute path"));
    }
    Ok(clean(&path))
}

/// Takes `.`, `..` and a slash at the end out of an absolute path.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

fn text(path: &Path) -> Result<String, CliError> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        CliError::new(Exit::Data, format!("{} is not valid UTF-8, and the guard reads text", path.display()))
    })
}
