//! How a tool is started in a project: inside of the environment that the lock file stands for.

use super::purpose;
use super::walk::{Tree, above, join};

/// Lock files of Python, and what a program is started with.
const PYTHON: &[(&str, &str)] = &[
    ("uv.lock", "uv run"),
    ("poetry.lock", "poetry run"),
    ("pdm.lock", "pdm run"),
    ("Pipfile.lock", "pipenv run"),
];

/// Programs of Python that live in the environment of a project. `pre-commit` lives beside it.
const PYTHON_TOOLS: &[&str] = &["black", "flake8", "isort", "mypy", "pylint", "pyright", "pytest", "ruff"];

/// Lock files of Node and what is as good as one, the program that a script is started with, and what the program of a package is started with.
const NODE: &[(&str, &str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm", "pnpm exec"),
    ("pnpm-workspace.yaml", "pnpm", "pnpm exec"),
    ("yarn.lock", "yarn", "yarn"),
    ("bun.lock", "bun", "bunx"),
    ("bun.lockb", "bun", "bunx"),
    ("package-lock.json", "npm", "npx"),
    ("npm-shrinkwrap.json", "npm", "npx"),
];

/// The program that scripts of a package are started with, where a lock file says so.
pub(super) fn of_scripts(tree: &Tree, folder: &str) -> Option<&'static str> {
    node(tree, folder).map(|(runner, _)| runner)
}

/// The files, one for each program, where those of several lie side by side: then none of them proves anything.
pub(super) fn rivals(tree: &Tree, folder: &str) -> Vec<&'static str> {
    let mut found = locks(tree, folder);
    found.dedup_by_key(|(_, runner, _)| *runner);
    if found.len() > 1 { found.into_iter().map(|(lock, ..)| *lock).collect() } else { Vec::new() }
}

/// A command as it is started in a folder.
pub(super) fn started(tree: &Tree, folder: &str, command: &str) -> String {
    if let Some(program) = command.strip_prefix("npx ") {
        let starter = node(tree, folder).map_or("npx", |(_, starter)| starter);
        return format!("{starter} {program}");
    }
    let locks: Vec<&str> = PYTHON.iter().map(|(lock, _)| *lock).collect();
    let lock = tree.nearest(folder, &locks).map(|(_, name)| name);
    match PYTHON.iter().find(|(name, _)| Some(*name) == lock) {
        Some((_, runner)) if purpose::tool(command).is_some_and(|tool| PYTHON_TOOLS.contains(&tool)) => {
            format!("{runner} {command}")
        }
        _ => command.to_owned(),
    }
}

fn node(tree: &Tree, folder: &str) -> Option<(&'static str, &'static str)> {
    let found = locks(tree, folder);
    let (_, runner, starter) = found.first()?;
    found.iter().all(|(_, other, _)| other == runner).then_some((*runner, *starter))
}

/// The lock files that hold for a folder: those in it, or in the nearest one above that has any.
fn locks(tree: &Tree, folder: &str) -> Vec<&'static (&'static str, &'static str, &'static str)> {
    let inside = |folder| NODE.iter().filter(|(lock, ..)| tree.has(&join(folder, lock))).collect::<Vec<_>>();
    above(folder).map(inside).find(|locks| !locks.is_empty()).unwrap_or_default()
}
