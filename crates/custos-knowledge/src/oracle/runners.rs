//! How a tool is started in a project: inside of the environment that the lock file stands for.

use super::findings::Origin;
use super::packages::Packages;
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

/// What starts the program of a package where nothing says what does.
pub(super) const USUAL: &str = "npx ";

/// The command of a configured tool as it is started in a folder, and how well that is proven.
pub(super) fn started(tree: &Tree, packages: &Packages, folder: &str, command: &str) -> (String, Origin) {
    if let Some(program) = command.strip_prefix(USUAL) {
        return match packages.manager(tree, folder).proven() {
            Some(manager) => (format!("{} {program}", manager.starter), Origin::Configured),
            None => (command.to_owned(), Origin::Default),
        };
    }
    (of_python(tree, folder, command), Origin::Configured)
}

/// A command as it is started in a folder if it is one of Python's.
pub(super) fn of_python(tree: &Tree, folder: &str, command: &str) -> String {
    let locks: Vec<&str> = PYTHON.iter().map(|(lock, _)| *lock).collect();
    let lock = tree.nearest(folder, &locks).map(|(_, name)| name);
    match PYTHON.iter().find(|(name, _)| Some(*name) == lock) {
        Some((_, runner)) if purpose::tool(command).is_some_and(|tool| PYTHON_TOOLS.contains(&tool)) => {
            format!("{runner} {command}")
        }
        _ => command.to_owned(),
    }
}
