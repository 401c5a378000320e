//! How a tool is started in a project: inside of the environment that the lock file stands for.

use super::purpose;
use super::walk::Tree;

/// Lock files of Python, and what a program is started with.
const PYTHON: &[(&str, &str)] = &[
    ("uv.lock", "uv run"),
    ("poetry.lock", "poetry run"),
    ("pdm.lock", "pdm run"),
    ("Pipfile.lock", "pipenv run"),
];

/// Programs of Python that live in the environment of a project. `pre-commit` lives beside it.
const PYTHON_TOOLS: &[&str] = &["black", "flake8", "isort", "mypy", "pylint", "pyright", "pytest", "ruff"];

/// Lock files of Node, the program that a script is started with, and what the program of a package is started with.
const NODE: &[(&str, &str, &str)] = &[
    ("pnpm-lock.yaml", "pnpm", "pnpm exec"),
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
    let locks: Vec<&str> = NODE.iter().map(|(lock, ..)| *lock).collect();
    let (_, lock) = tree.nearest(folder, &locks)?;
    NODE.iter().find(|(name, ..)| *name == lock).map(|(_, runner, starter)| (*runner, *starter))
}
