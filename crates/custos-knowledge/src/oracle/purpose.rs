//! What a command is for: by the name that a project gave it, or by the program it starts.
//!
//! A name that says nothing, and a program that is not in the table, have no purpose, and are not shown. Wrong answers would be worse
//! than none: an agent runs what stands under "Test".

use super::findings::Purpose::{self, Build, Format, Lint, Run, Test};
use super::programs::{GOALS, INSTALLING, PREFIXES, PROGRAMS, RUNNERS, SUBCOMMANDS, valued};
use super::targets;

/// What the first telling word of a name says.
const NAMES: &[(&str, Purpose)] = &[
    ("analyse", Lint),
    ("analyze", Lint),
    ("assemble", Build),
    ("build", Build),
    ("bundle", Build),
    ("clippy", Lint),
    ("compile", Build),
    ("cov", Test),
    ("coverage", Test),
    ("cs", Lint),
    ("detekt", Lint),
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

/// Words that make a name one for something else: documentation is not the program, and bringing a tool here is not using it.
const OTHERWISE: &[&str] = &[
    "clean",
    "dependencies",
    "deps",
    "doc",
    "docker",
    "docs",
    "gen",
    "generate",
    "image",
    "init",
    "install",
    "migrate",
    "migration",
    "migrations",
    "setup",
    "site",
    "storybook",
    "uninstall",
    "update",
    "upgrade",
];

/// Says what a script, target or recipe is for, by its name. A name that a shell would not take as one word is no name: what is
/// behind a blank or a semicolon would be run along with it.
pub(super) fn of_name(name: &str) -> Option<Purpose> {
    if !is_one_word(name) {
        return None;
    }
    let words = words(name);
    if words.iter().any(|word| OTHERWISE.contains(&word.as_str())) {
        return None;
    }
    let (first, rest) = words.split_first()?;
    if INTRODUCTIONS.contains(&first.as_str())
        && let Some(purpose) = rest.first().and_then(|word| known(word))
    {
        return Some(purpose);
    }
    let whole = || composed(&name.to_lowercase());
    whole().or_else(|| if first == "check" { Some(Lint) } else { known(first) })
}

/// The words of a name, in lower case: `test:unit`, `test_unit` and `testUnit` have the same two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (small && c.is_uppercase()) {
            words.push(String::new());
        }
        small = c.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Says what a task of Gradle is for: `:app:testDebugUnitTest`, `lintDebug`.
pub(super) fn of_gradle_task(task: &str) -> Option<Purpose> {
    let name = task.rsplit(':').next().unwrap_or(task);
    let words = words(name);
    let last = words.last()?.as_str();
    match name {
        // It includes the tests.
        "check" => Some(Test),
        // Compiles the tests and runs none.
        _ if last == "classes" => None,
        _ if words[0] == "connected" && matches!(last, "test" | "check") => Some(Test),
        _ => of_name(name).or_else(|| matches!(last, "test" | "tests").then_some(Test)),
    }
}

/// Says what a target of make is for. `check` runs the tests where the conventions of GNU hold.
pub(super) fn of_make_target(target: &str) -> Option<Purpose> {
    match target {
        "check" => Some(Test),
        "all" => Some(Build),
        _ => of_name(target),
    }
}

/// Tells whether a shell takes a name as one word, and as nothing but a word.
pub(super) fn is_one_word(name: &str) -> bool {
    !name.starts_with('-')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '/' | '@'))
}

fn known(word: &str) -> Option<Purpose> {
    NAMES.iter().find(|(name, _)| *name == word).map(|(_, purpose)| *purpose)
}

/// Reads names such as Gradle's `spotlessCheck`, whose first word does not tell; already in lower case.
fn composed(name: &str) -> Option<Purpose> {
    const NAMES: &[(&str, Purpose)] = &[
        ("spotlesscheck", Format),
        ("spotlessapply", Format),
        ("ktlintcheck", Lint),
        ("ktlintformat", Format),
        ("unittest", Test),
        ("unittests", Test),
        ("bootrun", Run),
        ("bootjar", Build),
        ("checkstylemain", Lint),
    ];
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, purpose)| *purpose)
}

/// Says what a line of shell is for: by the first of its commands that tells.
pub(super) fn of_command(line: &str) -> Option<Purpose> {
    line.split("&&").flat_map(|part| part.split(['|', ';'])).find_map(|command| {
        let words: Vec<&str> = command.split_whitespace().take(24).collect();
        of_words(&words)
    })
}

/// The word that tells a tool from its surroundings: `nextest` of `cargo nextest run`, `rspec` of `bundle exec rspec`.
pub(super) fn tool(command: &str) -> Option<&str> {
    let words: Vec<&str> = command.split_whitespace().take(24).collect();
    let (words, _) = without_prefixes(&words);
    let (program, arguments) = words.split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    if matches!(name, "cargo" | "npm" | "pnpm" | "yarn") {
        return operands(name, arguments).into_iter().map(|(_, word)| word).find(|word| *word != "run");
    }
    Some(name)
}

/// Passes by what comes before a program, and tells whether it is the name of a task instead of one.
pub(super) fn without_prefixes<'w, 'a>(mut words: &'w [&'a str]) -> (&'w [&'a str], bool) {
    let mut named = false;
    loop {
        // Settings of the environment, a toolchain, and options of a prefix.
        let skipped = words.iter().take_while(|word| is_setting(word)).count();
        words = &words[skipped..];
        // These two start programs of packages by their names.
        if let ["pnpm" | "yarn", "nx" | "turbo", ..] = words {
            words = &words[1..];
        }
        let Some(prefix) = PREFIXES.iter().find(|prefix| words.starts_with(prefix)) else { break };
        named = matches!(*prefix, ["bun" | "deno" | "cargo", _]);
        words = without_options(&words[prefix.len()..], valued(prefix[0]));
    }
    (words, named)
}

fn of_words(words: &[&str]) -> Option<Purpose> {
    let (words, named) = without_prefixes(words);
    let (program, arguments) = words.split_first()?;
    if named {
        return of_name(program);
    }
    if arguments.iter().any(|word| matches!(*word, "--version" | "--help")) {
        return None;
    }
    let name = program.rsplit('/').next().unwrap_or(program);
    if name == "nx" {
        return targets::purpose_of_nx(arguments);
    }
    let operands: Vec<&str> = operands(name, arguments).into_iter().map(|(_, word)| word).collect();
    if RUNNERS.contains(&name) {
        return of_runner(name, &operands);
    }
    let first = operands.first().copied();
    if let Some((_, purpose)) = PROGRAMS.iter().find(|(known, _)| *known == name) {
        return Some(*purpose).filter(|_| !first.is_some_and(|word| INSTALLING.contains(&word)));
    }
    match (name, first) {
        // What comes from elsewhere is a tool, not the project.
        ("go", Some("install")) => operands[1..].iter().all(|word| word.starts_with('.')).then_some(Build),
        ("rails", _) => of_rails(&operands),
        ("tox", _) => of_tox(arguments),
        ("tsc", _) if arguments.contains(&"--noEmit") => Some(Lint),
        ("tsc", _) => Some(Build),
        ("cmake", _) if arguments.contains(&"--build") => {
            let target = arguments.iter().position(|word| matches!(*word, "--target" | "-t"));
            let target = target.and_then(|at| arguments.get(at + 1)).copied().unwrap_or("all");
            of_make_target(target)
        }
        ("unittest", None) => Some(Test),
        _ => match SUBCOMMANDS.iter().find(|(known, _)| *known == name) {
            Some((_, table)) => {
                let operand = first?;
                table.iter().find(|(known, _)| *known == operand).map(|(_, purpose)| *purpose)
            }
            // A script of the project, by its name.
            None if program.contains('/') && !program.contains('$') => {
                of_name(name.split('.').next().unwrap_or(name))
            }
            None => None,
        },
    }
}

/// Passes by the options that words begin with, up to a program given as text.
fn without_options<'w, 'a>(mut words: &'w [&'a str], valued: &[&str]) -> &'w [&'a str] {
    while let Some((word, rest)) = words.split_first()
        && word.starts_with('-')
        && *word != "-c"
    {
        let taken = usize::from(valued.contains(word)).min(rest.len());
        words = &rest[taken..];
    }
    words
}

/// The words that say what is to be done, and which they are: no options and their values, no settings, no numbers of jobs.
pub(super) fn operands<'a>(program: &str, arguments: &[&'a str]) -> Vec<(usize, &'a str)> {
    let valued = valued(program);
    let mut operands = Vec::new();
    let mut words = arguments.iter().copied().enumerate();
    while let Some((at, word)) = words.next() {
        if word == "--" {
            break;
        } else if valued.contains(&word) {
            words.next();
        } else if !word.starts_with(['-', '+'])
            && !is_setting(word)
            && !word.bytes().all(|byte| byte.is_ascii_digit())
        {
            operands.push((at, word));
        }
    }
    operands
}

/// What a runner does: the names that follow decide.
fn of_runner(program: &str, operands: &[&str]) -> Option<Purpose> {
    let after_run = || {
        let words = operands.iter().filter(|word| !matches!(**word, "run" | "run-script"));
        words.copied().collect::<Vec<&str>>()
    };
    match program {
        "gradle" | "gradlew" => {
            // In these two a check includes the tests.
            let check = operands.contains(&"check").then_some(Test);
            check.or_else(|| operands.iter().find_map(|task| of_gradle_task(task)))
        }
        "mvn" | "mvnw" => operands.contains(&"verify").then_some(Test).or_else(|| {
            operands
                .iter()
                .find_map(|goal| GOALS.iter().find(|(known, _)| known == goal).map(|(_, purpose)| *purpose))
        }),
        "make" | "ninja" if operands.is_empty() => Some(Build),
        "make" | "ninja" => operands.iter().find_map(|target| of_make_target(target)),
        "rake" => operands.iter().find_map(|task| of_name(task)),
        "npm" | "pnpm" | "yarn" => {
            let words = after_run();
            let words = words.strip_prefix(&["workspace"]).map_or(words.as_slice(), |rest| {
                // The name of the workspace.
                rest.get(1..).unwrap_or_default()
            });
            match words.split_first() {
                Some((&("exec" | "dlx"), rest)) => of_words(rest),
                // Of these three, npm does not start programs of packages by their names.
                Some((first, _)) => {
                    of_name(first).or_else(|| if program == "npm" { None } else { of_words(words) })
                }
                None => None,
            }
        }
        _ => after_run().first().and_then(|word| of_name(word)),
    }
}

/// Rails runs several tasks in a row; those of the database come before the tests.
fn of_rails(operands: &[&str]) -> Option<Purpose> {
    match operands.iter().find(|word| !word.contains(':')) {
        Some(&("test" | "spec")) => Some(Test),
        Some(&("server" | "s")) => Some(Run),
        Some(_) => None,
        None => operands.iter().any(|word| word.starts_with("test:")).then_some(Test),
    }
}

/// What tox does: the environments decide, and without any it runs the tests.
fn of_tox(arguments: &[&str]) -> Option<Purpose> {
    let mut environments = None;
    let mut words = arguments.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "-e" | "--env" => environments = words.next(),
            "--" => break,
            "run" | "r" | "run-parallel" | "p" => {}
            _ if word.starts_with("-e") => environments = word.get(2..),
            _ if word.starts_with('-') => {}
            // Another thing to do, or a path.
            _ => return None,
        }
    }
    let Some(environments) = environments else { return Some(Test) };
    let mut purposes = environments.split(',').map(|environment| {
        let python = |factor: &str| {
            factor == "ALL"
                || factor.starts_with("pypy")
                || factor
                    .strip_prefix("py")
                    .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let told = environment.split('-').find_map(of_name).or_else(|| of_name(environment));
        told.or_else(|| environment.split('-').any(python).then_some(Test))
    });
    let first = purposes.next()?;
    first.filter(|_| purposes.all(|other| other == first))
}

fn is_setting(word: &str) -> bool {
    word.find('=').is_some_and(|at| {
        at > 0
            && word[..at].bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !word.starts_with('-')
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{Build, Format, Lint, Purpose, Run, Test, of_command, of_name};

    #[rstest]
    #[case::plain("test", Some(Test))]
    #[case::part("test:unit", Some(Test))]
    #[case::camel("testUnit", Some(Test))]
    #[case::introduced("run-tests", Some(Test))]
    #[case::gradle("spotlessCheck", Some(Format))]
    #[case::types("types:check", Some(Lint))]
    #[case::install("e2e:install", None)]
    #[case::dependencies("dev-deps", None)]
    #[case::migrations("run-migrations", None)]
    #[case::generate("types:generate", None)]
    #[case::documentation("build:docs", None)]
    fn names(#[case] name: &str, #[case] purpose: Option<Purpose>) {
        assert_eq!(of_name(name), purpose);
    }

    #[rstest]
    #[case::browsers("npx playwright install --with-deps", None)]
    #[case::browsers_then_tests("npx playwright install && npx playwright test", Some(Test))]
    #[case::hooks("pre-commit install", None)]
    #[case::version("pytest --version", None)]
    #[case::go_tool("go install honnef.co/go/tools/cmd/staticcheck@latest", None)]
    #[case::go_own("go install ./cmd/...", Some(Build))]
    #[case::tox("tox", Some(Test))]
    #[case::tox_parallel("tox run-parallel", Some(Test))]
    #[case::tox_lint("tox -e lint", Some(Lint))]
    #[case::tox_docs("tox -e docs", None)]
    #[case::tox_python("tox -e py312", Some(Test))]
    #[case::tox_factors("tox run -e py311-django42,py312-django50", Some(Test))]
    #[case::tox_joined("tox -elint", Some(Lint))]
    #[case::tox_mixed("tox -e py312,docs", None)]
    #[case::ninja("ninja -C build", Some(Build))]
    #[case::ninja_test("ninja -C build test", Some(Test))]
    #[case::ninja_install("ninja -C build install", None)]
    #[case::cmake("cmake --build build -j 4", Some(Build))]
    #[case::cmake_test("cmake --build build --target test", Some(Test))]
    #[case::cmake_docs("cmake --build build --target docs", None)]
    #[case::make("make", Some(Build))]
    #[case::make_jobs("make -j 4", Some(Build))]
    #[case::make_check("make check", Some(Test))]
    #[case::make_elsewhere("make -C tools test", Some(Test))]
    #[case::make_dependencies("make dev-deps", None)]
    #[case::android_test("./gradlew testDebugUnitTest", Some(Test))]
    #[case::android_lint("./gradlew :app:lintDebug", Some(Lint))]
    #[case::android_build("./gradlew assembleDebug", Some(Build))]
    #[case::android_device("./gradlew connectedDebugAndroidTest", Some(Test))]
    #[case::gradle_classes("./gradlew testClasses", None)]
    #[case::gradle_clean("./gradlew clean build", Some(Build))]
    #[case::gradle_exclude("./gradlew -x test build", Some(Build))]
    #[case::gradle_check("./gradlew clean check", Some(Test))]
    #[case::maven("mvn -B clean install", Some(Build))]
    #[case::maven_verify("./mvnw -B -P ci clean verify", Some(Test))]
    #[case::maven_fetch("mvn dependency:go-offline", None)]
    #[case::pnpm_filter("pnpm --filter web test", Some(Test))]
    #[case::pnpm_exec("pnpm --filter web exec vitest run", Some(Test))]
    #[case::pnpm_program("pnpm vitest run", Some(Test))]
    #[case::pnpm_add("pnpm add -D vitest", None)]
    #[case::yarn_workspace("yarn workspace api lint", Some(Lint))]
    #[case::npm_prefix("npm --prefix web run lint", Some(Lint))]
    #[case::npm_install("npm install -g eslint", None)]
    #[case::uv_group("uv run --group dev pytest", Some(Test))]
    #[case::uv_with("uv run --with pytest-cov pytest --cov", Some(Test))]
    #[case::rails("bin/rails db:test:prepare test test:system", Some(Test))]
    #[case::rails_generator("bin/rails generate test", None)]
    #[case::xcode("xcodebuild -scheme App test", Some(Test))]
    #[case::serve("php artisan serve", Some(Run))]
    fn commands(#[case] line: &str, #[case] purpose: Option<Purpose>) {
        assert_eq!(of_command(line), purpose);
    }
}
