//! The scene of a question: the world that it is asked in, and the rules in force there.
//!
//! Setting it reads files; asking in it does not read them again. Whoever asks ten thousand times sets it once.

use std::path::{Component, Path, PathBuf};

use custos_config::{Project, workspace_marker};
use custos_guard::decisions;
use custos_guard::rules::{self, Level, Loaded, Policy, Sources};
use custos_guard::world::Own;
use custos_guard::{CATALOGUE, Files as _, Guard, Judgement, World};
use custos_hooks::guarding::{Elsewhere, RULES_CACHE, sources};
use custos_hooks::world::Disk;

use crate::commands::hook;
use crate::context::Context;
use crate::environment::working_directory;
use crate::error::CliError;
use crate::exit::Exit;
use crate::installation::machine;
use crate::output::{BAD, styled, tell};

/// Where a question is asked, as far as it is not where the person is.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Whereabouts {
    pub(super) cwd: Option<String>,
    pub(super) home: Option<String>,
    pub(super) branch: Option<String>,
}

impl Whereabouts {
    /// In a directory.
    pub(crate) fn at(directory: &Path) -> Self {
        Self { cwd: Some(directory.to_string_lossy().into_owned()), ..Self::default() }
    }
}

/// A world and its rules.
pub(crate) struct Scene {
    pub(crate) home: Option<String>,
    pub(crate) cwd: String,
    /// The repo of the working directory, or the directory itself.
    pub(crate) root: String,
    pub(crate) sources: Sources,
    pub(crate) loaded: Loaded,
    /// The directory of the person's own rules.
    config: PathBuf,
    /// The state directory, in which the rules are kept as hooks read them.
    state: PathBuf,
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
        let project = Project::by_place(&cwd);
        let config = context.places.config.clone();
        let cache = context.places.state.join(RULES_CACHE);
        let home = home.as_deref().map(text).transpose()?;
        let mut sources = sources(&config, None, &project, home.as_deref());
        let decided: Vec<(Level, PathBuf)> =
            sources.roots().map(|(level, root)| (level, root.to_owned())).collect();
        if sources.path(Level::Workspace).is_none() {
            // One that has no rules yet may get some.
            let above = project.root.ancestors().skip(1).take(6);
            let workspace = above
                .take_while(|dir| {
                    home.as_deref().is_some_and(|home| dir.starts_with(home) && *dir != Path::new(home))
                })
                .find(|dir| workspace_marker(dir).is_some() || dir.join(".ai").is_dir());
            sources = Sources::new(Some(&config), workspace, Some(&project.root));
        }
        let mut loaded = rules::load(&sources, &cache, CATALOGUE);
        let state = &context.places.state;
        for (level, root) in &decided {
            // A person may have edited a file just now, and has the time to wait. What cannot be kept is enforced as it was.
            let _ = decisions::check(root, &decisions::cache(state, root), usize::MAX);
            decisions::enforce(&mut loaded.policy, state, (*level, root), 0);
        }
        Ok(Self {
            own: hook::own(context, home.as_deref()),
            home,
            cwd: text(&cwd)?,
            root: text(&project.root)?,
            sources,
            loaded,
            config,
            state: context.places.state.clone(),
            disk: Disk::new(at.branch.clone()),
        })
    }

    /// Has something judged by the rules in force here and, as in a hook, by those of the other repos that it would do something in.
    pub(crate) fn judge(&self, ask: impl Fn(Guard<'_>) -> Judgement) -> Judgement {
        let elsewhere = Elsewhere { config: &self.config, state: &self.state, root: &self.root };
        elsewhere.unite(ask(self.guard(&self.loaded.policy)), |policy| ask(self.guard(policy)))
    }

    /// Has something judged by the built-in rules alone, as if nobody had written any.
    pub(crate) fn judge_built_in(&self, ask: impl Fn(Guard<'_>) -> Judgement) -> Judgement {
        ask(self.guard(&Policy::builtin()))
    }

    fn guard<'a>(&'a self, policy: &'a Policy) -> Guard<'a> {
        let world = World {
            home: self.home.as_deref(),
            cwd: &self.cwd,
            root: &self.root,
            own: &self.own,
            files: &self.disk,
        };
        Guard { world, policy }
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
