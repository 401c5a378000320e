//! Which commands to show: what the project names comes first, and what is only usual goes where something better is known.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{Command, Origin, Purpose};
use super::foreign;
use super::notes::{Ecosystem, Notes};
use super::purpose;
use super::runners;
use super::settled::{only_checks_formatting, remoteness, waits};
use super::walk::{Tree, above, folder_of, is_aside, join, name_of};

use Purpose::{Build, Format, Lint, Test};

/// What is usual where there is a manifest.
const DEFAULTS: &[(Ecosystem, &[(Purpose, &str)])] = &[
    (Ecosystem::Autotools, &[(Test, "make check"), (Build, "./configure && make")]),
    (Ecosystem::Bazel, &[(Test, "bazel test //..."), (Build, "bazel build //...")]),
    (Ecosystem::CMake, &[(Test, "ctest --test-dir build"), (Build, "cmake -B build && cmake --build build")]),
    (Ecosystem::Deno, &[(Test, "deno test"), (Lint, "deno lint"), (Format, "deno fmt")]),
    (Ecosystem::DotNet, &[(Test, "dotnet test"), (Build, "dotnet build"), (Format, "dotnet format")]),
    (
        Ecosystem::Go,
        &[(Test, "go test ./..."), (Lint, "go vet ./..."), (Build, "go build ./..."), (Format, "gofmt -l .")],
    ),
    (Ecosystem::Gradle, &[(Test, "gradle test"), (Build, "gradle build")]),
    (Ecosystem::Maven, &[(Test, "mvn test"), (Build, "mvn package")]),
    (
        Ecosystem::Meson,
        &[(Test, "meson test -C build"), (Build, "meson setup build && meson compile -C build")],
    ),
    (
        Ecosystem::Rust,
        &[(Test, "cargo test"), (Lint, "cargo clippy"), (Build, "cargo build"), (Format, "cargo fmt")],
    ),
    (Ecosystem::Swift, &[(Test, "swift test"), (Build, "swift build")]),
];

/// Wrappers that a project brings along, for the program of a default.
const WRAPPERS: &[(&str, &str)] = &[("gradle ", "gradlew"), ("mvn ", "mvnw")];

/// Folders of scripts that people start by hand.
const SCRIPTS: &[&str] = &["bin", "hack", "script", "scripts", "tools"];

/// Orders the commands, adds scripts and defaults, and drops what says less than another does.
pub(super) fn choose(tree: &Tree, notes: &mut Notes) -> Vec<Command> {
    scripts(tree, notes);
    defaults(tree, notes);
    let run_by_ci: BTreeSet<(String, String)> = notes
        .commands
        .iter()
        .filter(|command| command.origin == Origin::Ci)
        .map(|command| (command.folder.clone(), plainest(&command.command)))
        .collect();
    let mut chosen: BTreeMap<(Purpose, String, String), Command> = BTreeMap::new();
    for mut command in notes.commands.drain(..) {
        let spelling = (command.folder.clone(), plainest(&command.command));
        // The better proof stands for both, and must not hide that CI runs it.
        command.is_run_by_ci = run_by_ci.contains(&spelling);
        // What CI starts it with is no longer only usual.
        if command.is_run_by_ci {
            command.origin = standing(&command);
        }
        let key = (command.purpose, spelling.0, spelling.1);
        match chosen.get(&key) {
            Some(known) if known.origin <= command.origin => {}
            _ => {
                chosen.insert(key, command);
            }
        }
    }
    let all: Vec<Command> = chosen.into_values().collect();
    let is_needed = |command: &&Command| {
        !all.iter().any(|other| says_more(other, command)) && !is_called_by_ci(command, &all)
    };
    let mut kept: Vec<Command> = all.iter().filter(is_needed).cloned().collect();
    kept.sort_by_cached_key(|command| {
        let depth = if command.folder.is_empty() { 0 } else { command.folder.split('/').count() };
        // What never ends comes last: whoever takes the first would wait for it. A program that is run may do so.
        let is_last = command.purpose != Purpose::Run && waits(command);
        let place = (depth, command.folder.clone());
        (command.purpose, is_last, command.origin, place, remoteness(command), command.command.clone())
    });
    kept
}

/// How well it is proven what a command does, where only the program that starts it may be open: a script of `package.json` is named by the
/// project, and a tool with settings is configured, also if nothing says which program manages the packages.
pub(super) fn standing(command: &Command) -> Origin {
    match command.origin {
        Origin::Default if command.runs.is_some() => Origin::Named,
        Origin::Default if command.command.starts_with(runners::USUAL) => Origin::Configured,
        origin => origin,
    }
}

/// A command in the plainest of its spellings: `./x` and `x` are one script, `pnpm run lint` and `pnpm lint` are one.
pub(super) fn plainest(command: &str) -> String {
    let words: Vec<&str> = command.trim_start_matches("./").split(' ').collect();
    match words.as_slice() {
        [runner @ ("npm" | "pnpm" | "yarn"), "run", name, rest @ ..]
            if *runner != "npm" || matches!(*name, "start" | "test") =>
        {
            [&[*runner, *name], rest].concat().join(" ")
        }
        words => words.join(" "),
    }
}

/// Notes files such as `scripts/test`: their names are commands.
fn scripts(tree: &Tree, notes: &mut Notes) {
    for path in &tree.files {
        let name = name_of(path);
        let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
        if !SCRIPTS.contains(&name_of(folder_of(path))) || !matches!(extension, "" | "sh" | "bash" | "py") {
            continue;
        }
        let repo = tree.repo_of(path);
        let script = &path[repo.len()..];
        if let Some(purpose) = purpose::of_name(stem).filter(|_| SCRIPTS.contains(&folder_of(script))) {
            let command = if extension == "py" { format!("python {script}") } else { script.to_owned() };
            let folder = repo.trim_end_matches('/');
            notes.command(purpose, Origin::Named, folder, (&command, None), foreign::source(path, None));
        }
    }
}

fn defaults(tree: &Tree, notes: &mut Notes) {
    let proofs = std::mem::take(&mut notes.ecosystems);
    for (ecosystem, folder, source) in &proofs {
        // Tools work from the topmost manifest downwards.
        let covered = above(folder)
            .skip(1)
            .any(|above| proofs.iter().any(|(other, at, _)| other == ecosystem && at == above));
        let Some((_, table)) = DEFAULTS.iter().find(|(known, _)| known == ecosystem) else { continue };
        if covered || is_aside(&source.file) {
            continue;
        }
        for (purpose, command) in *table {
            let command = wrapped(tree, folder, command);
            notes.command(*purpose, Origin::Default, folder, (&command, None), source.clone());
        }
    }
}

/// Starts a program by the wrapper that the folder has, or one above it in the same repo.
pub(super) fn wrapped(tree: &Tree, folder: &str, command: &str) -> String {
    let known =
        WRAPPERS.iter().find_map(|(program, wrapper)| Some((command.strip_prefix(program)?, wrapper)));
    let Some((rest, wrapper)) = known else { return command.to_owned() };
    let repo = tree.repo_of(&join(folder, wrapper)).trim_end_matches('/');
    let within = above(folder).enumerate().take_while(|(_, at)| at.len() >= repo.len());
    match within.into_iter().find(|(_, at)| tree.has(&join(at, wrapper))) {
        Some((0, _)) => format!("./{wrapper} {rest}"),
        Some((steps, _)) => format!("{}{wrapper} {rest}", "../".repeat(steps)),
        None => command.to_owned(),
    }
}

/// Tells whether another command makes one superfluous: it is better proven, serves the same purpose, and is about the same tool.
fn says_more(other: &Command, one: &Command) -> bool {
    // The project knows best what its own command is for.
    let same = other.folder == one.folder && other.command == one.command;
    if same && other.origin == Origin::Named && one.origin == Origin::Ci {
        return true;
    }
    if other.purpose != one.purpose || standing(other) >= standing(one) {
        return false;
    }
    match standing(one) {
        Origin::Named | Origin::Ci => false,
        // Spelt as its settings make it, it is as well proven as in any other form.
        _ if one.is_run_by_ci => false,
        Origin::Configured => {
            standing(other) == Origin::Named
                && !leaves_unformatted(other, one)
                && purpose::tool(&one.command).is_some_and(|tool| mentions(other, tool))
        }
        Origin::Default => {
            mentions(other, program(&one.command))
                || (other.folder == one.folder && is_any_tool(&other.command))
        }
    }
}

/// Tells whether CI calls the tool of a configured command, and in one form: that is how it is called here. Of several forms each may
/// be for a part, and the plain one stays.
fn is_called_by_ci(one: &Command, all: &[Command]) -> bool {
    let forms = all.iter().filter(|other| {
        other.origin == Origin::Ci
            && !is_only_for_ci(other)
            && !leaves_unformatted(other, one)
            && (other.purpose, &other.folder) == (one.purpose, &one.folder)
            && purpose::tool(&other.command) == purpose::tool(&one.command)
    });
    standing(one) == Origin::Configured && forms.count() == 1
}

/// Tells whether one command formats what another only looks at: the second does not do for the first.
fn leaves_unformatted(other: &Command, one: &Command) -> bool {
    one.purpose == Format && only_checks_formatting(other) && !only_checks_formatting(one)
}

/// Tells whether a command says itself that it is for CI: `--profile ci`, `--reporter=github`.
fn is_only_for_ci(command: &Command) -> bool {
    ["ci", "--ci", "github"].iter().any(|word| mentions(command, word))
}

fn mentions(command: &Command, word: &str) -> bool {
    let said = |text: &str| text.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|part| part == word);
    said(&command.command) || command.runs.as_deref().is_some_and(said)
}

/// The program of a command, without the path to it.
fn program(command: &str) -> &str {
    let first = command.split(' ').next().unwrap_or(command);
    name_of(first)
}

/// Tells whether a command may stand for any ecosystem: a target, a recipe, a script of the project.
fn is_any_tool(command: &str) -> bool {
    matches!(program(command), "make" | "just" | "task")
        || command.split(' ').next().is_some_and(|word| word.contains('/'))
}
