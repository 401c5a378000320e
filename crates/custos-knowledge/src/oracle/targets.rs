//! Runners that are given several names at once: `gradle lint test`, `nx affected -t lint test build`.
//!
//! Each name may be for something else. So such a command is told once for each purpose, with the names that serve it and no others.

use super::findings::Purpose;
use super::programs::GOALS;
use super::purpose::{self, of_gradle_task, of_make_target, of_name, operands, without_prefixes};

/// Runners that take names in a row.
const IN_A_ROW: &[&str] =
    &["gradle", "gradlew", "invoke", "make", "mvn", "mvnw", "ninja", "nox", "nx", "rake", "task", "turbo"];
/// Options of Nx behind which the names stand.
const OPTIONS: &[&str] = &["--target", "--targets", "-t"];
/// The most words of a command that are looked at.
const MOST_WORDS: usize = 24;

/// A word of a command that names targets.
struct Named<'a> {
    /// Which word it is.
    at: usize,
    /// What stands before the names: `--targets=`.
    head: &'a str,
    names: Vec<&'a str>,
}

/// Says what a command is for, and how it is written for that alone. Most are for one thing, and stay as they are.
pub(super) fn each(command: &str) -> Vec<(Purpose, String)> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let (program, named) = named(&words);
    let mut purposes: Vec<Purpose> = Vec::new();
    for purpose in named.iter().flat_map(|word| &word.names).filter_map(|name| of_target(program, name)) {
        if !purposes.contains(&purpose) {
            purposes.push(purpose);
        }
    }
    // What is quoted or goes on elsewhere is not written anew.
    if purposes.len() < 2 || words.len() > MOST_WORDS || command.contains(['"', '\'', '|', '&', '>']) {
        return purpose::of_command(command)
            .map(|purpose| (purpose, command.to_owned()))
            .into_iter()
            .collect();
    }
    purposes.into_iter().map(|purpose| (purpose, only(purpose, program, &named, &words))).collect()
}

/// A command without the names that are for something else.
fn only(purpose: Purpose, program: &str, named: &[Named<'_>], words: &[&str]) -> String {
    let kept = words.iter().enumerate().filter_map(|(at, word)| {
        let Some(list) = named.iter().find(|named| named.at == at) else { return Some((*word).to_owned()) };
        let is_meant = |name: &&str| of_target(program, name).is_none_or(|other| other == purpose);
        let names: Vec<&str> = list.names.iter().copied().filter(is_meant).collect();
        (!names.is_empty()).then(|| format!("{}{}", list.head, names.join(",")))
    });
    kept.collect::<Vec<_>>().join(" ")
}

/// What a runner does by a name.
fn of_target(program: &str, name: &str) -> Option<Purpose> {
    match program {
        "gradle" | "gradlew" => of_gradle_task(name),
        "make" | "ninja" => of_make_target(name),
        "mvn" | "mvnw" => GOALS.iter().find(|(known, _)| *known == name).map(|(_, purpose)| *purpose),
        _ => of_name(name),
    }
}

/// The runner of a command, and the names that it is given.
fn named<'a>(words: &[&'a str]) -> (&'a str, Vec<Named<'a>>) {
    let (rest, is_task) = without_prefixes(words);
    let Some((program, arguments)) = rest.split_first().filter(|_| !is_task) else { return ("", Vec::new()) };
    let name = program.rsplit('/').next().unwrap_or(program);
    let from = words.len() - arguments.len();
    let named = match name {
        "nx" => of_nx(arguments),
        _ if IN_A_ROW.contains(&name) => {
            let operands = operands(name, arguments).into_iter().filter(|(_, word)| *word != "run");
            operands.map(|(at, word)| Named { at, head: "", names: vec![word] }).collect()
        }
        _ => Vec::new(),
    };
    (name, named.into_iter().map(|word| Named { at: word.at + from, ..word }).collect())
}

/// What Nx does with these words: by the first target that tells.
pub(super) fn purpose_of_nx(arguments: &[&str]) -> Option<Purpose> {
    of_nx(arguments).iter().flat_map(|word| &word.names).find_map(|name| of_name(name))
}

/// The targets that Nx is given: behind an option, behind a project, or as the first word.
fn of_nx<'a>(arguments: &[&'a str]) -> Vec<Named<'a>> {
    let mut bare = arguments.iter().copied().enumerate().filter(|(_, word)| !word.starts_with('-'));
    let Some((at, verb)) = bare.next() else { return Vec::new() };
    let alone = |at, name| vec![Named { at, head: "", names: vec![name] }];
    match verb {
        // `project:target:configuration`.
        "run" => {
            bare.next().and_then(|(at, word)| Some(alone(at, word.split(':').nth(1)?))).unwrap_or_default()
        }
        "affected" | "run-many" => behind_options(arguments),
        _ => alone(at, verb.strip_prefix("affected:").unwrap_or(verb)),
    }
}

/// The names behind an option, which takes all words up to the next one.
fn behind_options<'a>(arguments: &[&'a str]) -> Vec<Named<'a>> {
    let mut named = Vec::new();
    let mut is_list = false;
    for (at, word) in arguments.iter().copied().enumerate() {
        let (head, list) = match word.split_once('=') {
            Some((option, _)) if OPTIONS.contains(&option) => word.split_at(option.len() + 1),
            _ if word.starts_with('-') => {
                is_list = OPTIONS.contains(&word);
                continue;
            }
            _ if is_list => ("", word),
            _ => continue,
        };
        named.push(Named { at, head, names: list.split(',').collect() });
    }
    named
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::each;

    #[rstest]
    #[case::gradle("./gradlew ktlintCheck detekt test", &["Lint: ./gradlew ktlintCheck detekt", "Test: ./gradlew test"])]
    #[case::gradle_with_more("./gradlew --no-daemon clean test build -x lint", &["Test: ./gradlew --no-daemon clean test -x lint", "Build: ./gradlew --no-daemon clean build -x lint"])]
    #[case::make("make -j4 lint test", &["Lint: make -j4 lint", "Test: make -j4 test"])]
    #[case::maven("mvn -B spotless:check verify", &["Format: mvn -B spotless:check", "Test: mvn -B verify"])]
    #[case::one_purpose("./gradlew clean build", &["Build: ./gradlew clean build"])]
    #[case::quoted("make lint test ARGS='a  b'", &["Lint: make lint test ARGS='a  b'"])]
    #[case::nx_affected("npx nx affected -t lint test build", &["Lint: npx nx affected -t lint", "Test: npx nx affected -t test", "Build: npx nx affected -t build"])]
    #[case::nx_list("npx nx run-many --targets=lint,test --all", &["Lint: npx nx run-many --targets=lint --all", "Test: npx nx run-many --targets=test --all"])]
    #[case::nx_target("npx nx run-many --target=test --all", &["Test: npx nx run-many --target=test --all"])]
    #[case::nx_option("npx nx run-many -t lint", &["Lint: npx nx run-many -t lint"])]
    #[case::nx_option_ends("npx nx affected --target test --base main", &["Test: npx nx affected --target test --base main"])]
    #[case::nx_project("npx nx run web:test", &["Test: npx nx run web:test"])]
    #[case::nx_configuration("yarn nx run web:build:production", &["Build: yarn nx run web:build:production"])]
    #[case::nx_first_word("pnpm nx lint web", &["Lint: pnpm nx lint web"])]
    #[case::nx_as_it_was("nx affected:test", &["Test: nx affected:test"])]
    #[case::nx_format("pnpm exec nx format:check", &["Format: pnpm exec nx format:check"])]
    #[case::nx_says_nothing("npx nx run-many --all", &[])]
    #[case::nx_graph("npx nx graph", &[])]
    #[case::turbo("pnpm turbo run lint test --filter=web", &["Lint: pnpm turbo run lint --filter=web", "Test: pnpm turbo run test --filter=web"])]
    #[case::turbo_short("npx turbo build test", &["Build: npx turbo build", "Test: npx turbo test"])]
    #[case::turbo_one("turbo run build", &["Build: turbo run build"])]
    fn a_command_is_told_for_each_purpose(#[case] command: &str, #[case] told: &[&str]) {
        let each: Vec<String> =
            each(command).into_iter().map(|(purpose, command)| format!("{purpose:?}: {command}")).collect();
        assert_eq!(each, told);
    }
}
