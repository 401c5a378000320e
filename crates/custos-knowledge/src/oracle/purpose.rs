//! What a command is for: by the name that a project gave it, or by the program it starts.
//!
//! A name that says nothing, and a program that is not in the table, have no purpose, and are not shown. Wrong answers would be worse
//! than none: an agent runs what stands under "Test".

use super::findings::Purpose::{self, Build, Format, Lint, Run, Test};

/// What the first telling word of a name says.
const NAMES: &[(&str, Purpose)] = &[
    ("analyse", Lint),
    ("analyze", Lint),
    ("build", Build),
    ("bundle", Build),
    ("clippy", Lint),
    ("compile", Build),
    ("cov", Test),
    ("coverage", Test),
    ("cs", Lint),
    ("dev", Run),
    ("dist", Build),
    ("e2e", Test),
    ("eslint", Lint),
    ("fmt", Format),
    ("format", Format),
    ("formatting", Format),
    ("integration", Test),
    ("lint", Lint),
    ("linting", Lint),
    ("mypy", Lint),
    ("nextest", Test),
    ("package", Build),
    ("phpcs", Lint),
    ("phpstan", Lint),
    ("phpunit", Test),
    ("prettier", Format),
    ("psalm", Lint),
    ("pytest", Test),
    ("rubocop", Lint),
    ("ruff", Lint),
    ("run", Run),
    ("serve", Run),
    ("server", Run),
    ("smoke", Test),
    ("spec", Test),
    ("specs", Test),
    ("start", Run),
    ("stan", Lint),
    ("test", Test),
    ("tests", Test),
    ("tsc", Lint),
    ("type", Lint),
    ("typecheck", Lint),
    ("types", Lint),
    ("typing", Lint),
    ("unit", Test),
    ("vet", Lint),
];

/// Words that leave it to the next one.
const INTRODUCTIONS: &[&str] = &["all", "check", "ci", "do", "py", "run"];

/// Says what a script, target or recipe is for, by its name. A name that a shell would not take as one word is no name: what is
/// behind a blank or a semicolon would be run along with it.
pub(super) fn of_name(name: &str) -> Option<Purpose> {
    if !is_one_word(name) {
        return None;
    }
    let name = name.to_lowercase();
    let words: Vec<&str> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let (first, rest) = words.split_first()?;
    if INTRODUCTIONS.contains(first)
        && let Some(purpose) = rest.first().and_then(|word| known(word))
    {
        return Some(purpose);
    }
    // A recipe for documentation is none for building the program.
    if rest
        .iter()
        .any(|word| matches!(*word, "docs" | "doc" | "site" | "image" | "docker" | "storybook" | "clean"))
    {
        return None;
    }
    if *first == "check" {
        return Some(Lint);
    }
    known(first).or_else(|| suffix(first))
}

/// Tells whether a shell takes a name as one word, and as nothing but a word.
pub(super) fn is_one_word(name: &str) -> bool {
    !name.starts_with('-')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '/' | '@'))
}

fn known(word: &str) -> Option<Purpose> {
    NAMES.iter().find(|(name, _)| *name == word).map(|(_, purpose)| *purpose)
}

/// Reads names such as Gradle's `spotlessCheck` and `integrationTest`, already in lower case.
fn suffix(word: &str) -> Option<Purpose> {
    const SUFFIXES: &[(&str, Purpose)] = &[
        ("spotlesscheck", Format),
        ("spotlessapply", Format),
        ("ktlintcheck", Lint),
        ("ktlintformat", Format),
        ("detekt", Lint),
        ("integrationtest", Test),
        ("unittest", Test),
        ("unittests", Test),
        ("bootrun", Run),
        ("bootjar", Build),
        ("assemble", Build),
        ("checkstylemain", Lint),
    ];
    SUFFIXES.iter().find(|(name, _)| *name == word).map(|(_, purpose)| *purpose)
}

/// Programs that do one thing.
const PROGRAMS: &[(&str, Purpose)] = &[
    ("actionlint", Lint),
    ("ava", Test),
    ("bandit", Lint),
    ("black", Format),
    ("clang-format", Format),
    ("clang-tidy", Lint),
    ("cppcheck", Lint),
    ("ctest", Test),
    ("cypress", Test),
    ("detekt", Lint),
    ("eslint", Lint),
    ("flake8", Lint),
    ("gofmt", Format),
    ("gofumpt", Format),
    ("goimports", Format),
    ("golangci-lint", Lint),
    ("gotestsum", Test),
    ("hadolint", Lint),
    ("isort", Format),
    ("jest", Test),
    ("karma", Test),
    ("ktlint", Lint),
    ("markdownlint", Lint),
    ("mocha", Test),
    ("mypy", Lint),
    ("ninja", Build),
    ("oxlint", Lint),
    ("pest", Test),
    ("php-cs-fixer", Format),
    ("phpcs", Lint),
    ("phpstan", Lint),
    ("phpunit", Test),
    ("pint", Format),
    ("playwright", Test),
    ("pre-commit", Lint),
    ("prettier", Format),
    ("psalm", Lint),
    ("pylint", Lint),
    ("pyright", Lint),
    ("pytest", Test),
    ("rspec", Test),
    ("rubocop", Lint),
    ("rustfmt", Format),
    ("shellcheck", Lint),
    ("standardrb", Lint),
    ("staticcheck", Lint),
    ("swiftformat", Format),
    ("swift-format", Format),
    ("swiftlint", Lint),
    ("tox", Test),
    ("trunk", Lint),
    ("uvicorn", Run),
    ("vitest", Test),
    ("xo", Lint),
    ("yamllint", Lint),
];

/// Programs whose first argument decides.
const SUBCOMMANDS: &[(&str, &[(&str, Purpose)])] = &[
    ("artisan", &[("test", Test), ("serve", Run)]),
    ("bazel", &[("test", Test), ("build", Build), ("run", Run)]),
    ("bazelisk", &[("test", Test), ("build", Build), ("run", Run)]),
    ("biome", &[("check", Lint), ("lint", Lint), ("ci", Lint), ("format", Format)]),
    ("buf", &[("lint", Lint), ("build", Build), ("format", Format)]),
    ("bun", &[("test", Test), ("build", Build)]),
    (
        "cargo",
        &[
            ("test", Test),
            ("t", Test),
            ("nextest", Test),
            ("llvm-cov", Test),
            ("clippy", Lint),
            ("check", Lint),
            ("deny", Lint),
            ("build", Build),
            ("b", Build),
            ("fmt", Format),
            ("run", Run),
        ],
    ),
    ("coverage", &[("run", Test)]),
    (
        "deno",
        &[("test", Test), ("lint", Lint), ("check", Lint), ("fmt", Format), ("compile", Build), ("run", Run)],
    ),
    (
        "dotnet",
        &[
            ("test", Test),
            ("build", Build),
            ("publish", Build),
            ("pack", Build),
            ("format", Format),
            ("run", Run),
        ],
    ),
    ("flask", &[("run", Run)]),
    (
        "go",
        &[("test", Test), ("vet", Lint), ("build", Build), ("install", Build), ("fmt", Format), ("run", Run)],
    ),
    ("manage.py", &[("test", Test), ("check", Lint), ("runserver", Run)]),
    ("meson", &[("test", Test), ("compile", Build)]),
    ("next", &[("build", Build), ("lint", Lint), ("dev", Run), ("start", Run)]),
    ("ng", &[("test", Test), ("lint", Lint), ("build", Build), ("serve", Run)]),
    ("rails", &[("test", Test), ("spec", Test), ("server", Run), ("s", Run)]),
    ("ruff", &[("check", Lint), ("format", Format)]),
    ("swift", &[("test", Test), ("build", Build), ("run", Run), ("format", Format)]),
    ("unittest", &[("discover", Test)]),
    ("vite", &[("build", Build), ("dev", Run), ("preview", Run)]),
    ("xcodebuild", &[("test", Test), ("build", Build)]),
    ("zig", &[("test", Test), ("build", Build), ("fmt", Format)]),
];

/// Programs that run what a project has named; the name follows.
const RUNNERS: &[&str] = &[
    "composer", "gradle", "gradlew", "invoke", "just", "lerna", "make", "mise", "mvn", "mvnw", "nox", "npm",
    "nx", "pnpm", "rake", "task", "turbo", "xtask", "yarn",
];

/// Words that come before a command and are not it.
const PREFIXES: &[&[&str]] = &[
    &["sudo"],
    &["time"],
    &["exec"],
    &["env"],
    &["xvfb-run"],
    &["uv", "run"],
    &["poetry", "run"],
    &["pipenv", "run"],
    &["pdm", "run"],
    &["hatch", "run"],
    &["rye", "run"],
    &["bundle", "exec"],
    &["npx"],
    &["bunx"],
    &["uvx"],
    &["pnpm", "exec"],
    &["pnpm", "dlx"],
    &["yarn", "exec"],
    &["npm", "exec"],
    &["python", "-m"],
    &["python3", "-m"],
    &["python"],
    &["python3"],
    &["php"],
    &["bash"],
    &["sh"],
    &["cross-env"],
    &["bun", "run"],
    &["deno", "task"],
    &["cargo", "xtask"],
];

/// Says what a line of shell is for: by the first of its commands that tells.
pub(super) fn of_command(line: &str) -> Option<Purpose> {
    line.split("&&").flat_map(|part| part.split(['|', ';'])).find_map(of_single)
}

fn of_single(command: &str) -> Option<Purpose> {
    let words: Vec<&str> = command.split_whitespace().take(24).collect();
    let mut words = words.as_slice();
    let mut named = false;
    loop {
        // Settings of the environment, a toolchain, and options of a prefix.
        let skipped = words.iter().take_while(|word| is_setting(word)).count();
        words = &words[skipped..];
        let Some(prefix) = PREFIXES.iter().find(|prefix| words.starts_with(prefix)) else { break };
        named = matches!(*prefix, ["bun" | "deno" | "cargo", _]);
        words = &words[prefix.len()..];
        let options = words.iter().take_while(|word| word.starts_with('-') && **word != "-c").count();
        words = &words[options..];
    }
    let (program, arguments) = words.split_first()?;
    if named {
        return of_name(program);
    }
    let name = program.rsplit('/').next().unwrap_or(program);
    let mut operands = arguments.iter().filter(|word| !word.starts_with(['-', '+']) && !is_setting(word));
    if RUNNERS.contains(&name) {
        // In these two a check includes the tests.
        let builds = matches!(name, "mvn" | "mvnw" | "gradle" | "gradlew");
        if builds && operands.clone().any(|word| matches!(*word, "check" | "verify")) {
            return Some(Test);
        }
        return operands
            .find(|word| !matches!(**word, "run" | "run-script" | "workspace"))
            .and_then(|word| of_name(word));
    }
    if let Some((_, purpose)) = PROGRAMS.iter().find(|(known, _)| *known == name) {
        return Some(*purpose);
    }
    if let Some((_, table)) = SUBCOMMANDS.iter().find(|(known, _)| *known == name) {
        let operand = operands.next()?;
        return table.iter().find(|(known, _)| known == operand).map(|(_, purpose)| *purpose);
    }
    match name {
        "tsc" if arguments.contains(&"--noEmit") => Some(Lint),
        "tsc" => Some(Build),
        "cmake" if arguments.contains(&"--build") => Some(Build),
        "unittest" => Some(Test),
        // A script of the project, by its name.
        _ if program.contains('/') && !program.contains('$') => {
            of_name(name.split('.').next().unwrap_or(name))
        }
        _ => None,
    }
}

fn is_setting(word: &str) -> bool {
    word.find('=').is_some_and(|at| {
        at > 0
            && word[..at].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !word.starts_with('-')
    })
}
