//! Which command a project has settled on for a purpose.
//!
//! Such a command is proven, is run at the root, ends by itself and leaves the files alone; and it does the whole work, or is the only one there
//! is. Where several are as good as each other the project has not said which it means. Only what CI runs side by side is meant together.

use super::commands::{plainest, standing};
use super::findings::{Command, Origin, Purpose};
use super::programs::valued;
use super::purpose;
use super::walk::name_of;

/// How much of the work of its purpose a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    Whole,
    Part,
}

/// Tools that look at one side of a project. What they do is not what its people call testing or linting.
const SIDES: &[&str] = &[
    "actionlint",
    "audit",
    "bandit",
    "check",
    "deny",
    "hadolint",
    "machete",
    "manage.py",
    "markdownlint",
    "shellcheck",
    "yamllint",
];

/// Words that narrow a command down to one package or one kind of test.
const NARROWING: &[(&str, &[&str])] = &[
    ("cargo", &["--bin", "--bins", "--doc", "--lib", "--package", "--test", "-p"]),
    ("make", &["--directory", "-C"]),
    ("npm", &["--prefix", "--workspace", "-C", "-w"]),
    ("nx", &["--projects", "-p"]),
    ("pnpm", &["--dir", "--filter", "-C", "-F"]),
    ("turbo", &["--filter", "-F"]),
    ("yarn", &["--cwd", "workspace"]),
];

/// Tools that do a part: type checkers lint for types, browsers are for the tests from end to end, and what runs before a commit calls others.
const PARTS: &[&str] = &["cypress", "mypy", "playwright", "pre-commit", "pyright", "tsc"];

/// Words in the name of a command for one kind of tests, beside which there are always others.
const KINDS: &[&str] = &[
    "acceptance",
    "bench",
    "browser",
    "e2e",
    "integration",
    "load",
    "perf",
    "performance",
    "smoke",
    "visual",
];

/// How a command tells what it does beside its work.
struct Signs {
    /// Words of the name of a script.
    names: &'static [&'static str],
    /// Words of the name of another script that it calls. In `dev:server` or `test:ui` a name is no proof.
    called: &'static [&'static str],
    /// Options, here or in what stands behind the name.
    options: &'static [&'static str],
    /// Programs, and words that are as good as one.
    programs: &'static [&'static str],
    /// What programs do with a word behind them.
    habits: &'static [Habit],
}

/// What a program does when it is called with one of these words.
struct Habit {
    program: &'static str,
    /// The words; none where it does so anyway.
    words: &'static [&'static str],
    /// Words with which it does not.
    unless: &'static [&'static str],
}

/// What keeps a runner of tests from watching the files.
const ONCE: &[&str] = &["--no-watch", "--watch=false", "--watchAll=false", "CI=1", "CI=true"];

/// It waits for somebody: it never ends by itself, or opens a window.
const WAITING: Signs = Signs {
    names: &["debug", "dev", "inspect", "open", "tdd", "ui", "watch"],
    called: &["tdd", "watch"],
    options: &["inspect-brk", "interactive", "open", "ui", "watch", "watch-all", "watchAll"],
    programs: &["chokidar", "entr", "nodemon", "watch", "watchexec"],
    habits: &[
        Habit { program: "karma", words: &["start"], unless: &["--single-run", "--singleRun"] },
        Habit { program: "ng", words: &["test"], unless: ONCE },
        Habit { program: "react-scripts", words: &["test"], unless: ONCE },
        Habit {
            program: "vitest",
            words: &[],
            unless: &["--run", "--watch=false", "--no-watch", "CI=1", "CI=true", "list", "run"],
        },
    ],
};

/// It changes files.
const REWRITING: Signs = Signs {
    names: &["autofix", "fix", "update", "write"],
    called: &["autofix", "fix", "update", "write"],
    options: &[
        "apply",
        "auto-correct",
        "autocorrect",
        "autocorrect-all",
        "autofix",
        "fix",
        "snapshot-update",
        "update-snapshot",
        "update-snapshots",
        "updateSnapshot",
        "write",
    ],
    programs: &[],
    habits: &[
        Habit { program: "jest", words: &["-u"], unless: &[] },
        Habit { program: "rubocop", words: &["-A", "-a"], unless: &[] },
        Habit { program: "vitest", words: &["--update", "-u"], unless: &[] },
    ],
};

/// It looks whether code is formatted, and formats nothing.
const CHECKING: Signs = Signs {
    names: &["check", "verify"],
    called: &["check", "spotlessCheck", "verify"],
    options: &["check", "check-only", "dry-run", "lint", "list-different", "verify-no-changes"],
    programs: &[],
    habits: &[
        Habit { program: "biome", words: &["check", "ci", "format"], unless: &["--fix", "--write"] },
        Habit { program: "black", words: &["--diff"], unless: &[] },
        Habit { program: "clang-format", words: &["-n"], unless: &["-i"] },
        Habit { program: "dprint", words: &["check"], unless: &[] },
        Habit { program: "gofmt", words: &["-d", "-l"], unless: &["-w"] },
        Habit { program: "gofumpt", words: &["-d", "-l"], unless: &["-w"] },
        Habit { program: "goimports", words: &["-d", "-l"], unless: &["-w"] },
        Habit { program: "gradle", words: &["spotlessCheck"], unless: &["spotlessApply"] },
        Habit { program: "gradlew", words: &["spotlessCheck"], unless: &["spotlessApply"] },
        Habit { program: "isort", words: &["--diff", "-c"], unless: &[] },
        Habit { program: "php-cs-fixer", words: &["check"], unless: &[] },
        Habit { program: "pint", words: &["--test"], unless: &[] },
        Habit { program: "prettier", words: &["-c", "-l"], unless: &["-w"] },
        Habit { program: "ruff", words: &["--diff"], unless: &[] },
        Habit { program: "swift-format", words: &["lint"], unless: &[] },
    ],
};

/// The most commands that are meant together.
const MOST_TOGETHER: usize = 3;

/// Gives the command that a project has settled on for a purpose, or several that CI runs side by side; nothing if it has said no such thing, or
/// not what starts it.
pub(super) fn settled(commands: &[Command], purpose: Purpose) -> Vec<&Command> {
    let meant = meant(commands, purpose);
    if meant.iter().any(|command| command.origin == Origin::Default) { Vec::new() } else { meant }
}

/// Gives the command that is meant, also where it is open which program starts it: then no other is.
fn meant(commands: &[Command], purpose: Purpose) -> Vec<&Command> {
    let proven = |command: &&Command| command.purpose == purpose && standing(command) != Origin::Default;
    let at_root = commands.iter().filter(proven).filter(|command| command.folder.is_empty());
    let (unfit, fit): (Vec<&Command>, Vec<&Command>) =
        at_root.partition(|command| waits(command) || rewrites(command));
    let mut ranked: Vec<(Rank, &Command)> =
        fit.into_iter().filter_map(|command| Some((Rank::of(command)?, command))).collect();
    // What formats also brings about what a check asks for.
    if ranked.iter().any(|(_, command)| !only_checks_formatting(command)) {
        ranked.retain(|(_, command)| !only_checks_formatting(command));
    }
    let Some(best) = ranked.iter().map(|(rank, _)| *rank).min() else { return Vec::new() };
    let mut equal: Vec<&Command> =
        ranked.into_iter().filter(|(rank, _)| *rank == best).map(|(_, command)| command).collect();
    equal.sort_by_key(|command| &command.command);
    // What a plainer one calls, that is itself not fit, is a part of what is meant.
    let is_part = |one: &&Command| {
        unfit.iter().any(|plain| Rank::of(plain).is_some_and(|rank| rank < best) && starts(plain, one))
    };
    if equal.iter().any(is_part) {
        return Vec::new();
    }
    let is_of_ci = |command: &Command| command.origin == Origin::Ci;
    let beside = commands.iter().filter(proven).any(|other| other.is_run_by_ci && !other.folder.is_empty());
    match equal[..] {
        // What CI runs at the root is half of it where it runs the same elsewhere.
        [one] if is_of_ci(one) && beside => Vec::new(),
        [one] if best.extent == Extent::Part && is_of_one_kind(one) => Vec::new(),
        [_] => equal,
        _ if best.extent == Extent::Whole
            && equal.len() <= MOST_TOGETHER
            && is_of_ci(equal[0])
            && !beside =>
        {
            equal
        }
        // The one that calls the others is the one that is meant.
        _ => equal.iter().find(|one| calls_all(one, &equal)).map(|one| vec![*one]).unwrap_or_default(),
    }
}

/// Says how far a command is from the main one of its purpose, of those that are proven alike.
pub(super) fn remoteness(command: &Command) -> impl Ord + use<> {
    Rank::of(command).map_or((true, None), |rank| (false, Some(rank)))
}

/// How good a command is, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    extent: Extent,
    origin: Origin,
    /// How plain its name is, if the project named it.
    plainness: (bool, usize),
}

impl Rank {
    /// Ranks a command; one that does only a side of the work has no rank.
    fn of(command: &Command) -> Option<Self> {
        let origin = standing(command);
        if origin == Origin::Named {
            // A script for some of the tests says less than what CI runs.
            let named = plainness(command);
            let extent = if named.is_some() { Extent::Whole } else { Extent::Part };
            return Some(Self { extent, origin, plainness: named.unwrap_or_default() });
        }
        let tool = purpose::tool(&command.command).unwrap_or_default();
        let words = || command.command.split(' ');
        let narrowed = NARROWING.iter().any(|(program, options)| {
            let named = |word: &str| options.contains(&word.split('=').next().unwrap_or(word));
            words().any(|word| word == *program) && words().any(named)
        });
        // Nx names one project, unless it is told to find them itself.
        let finds =
            |word: &str| ["affected", "format:", "run-many"].iter().any(|start| word.starts_with(start));
        let narrowed = narrowed || (tool == "nx" && !words().any(finds));
        let linting = command.purpose == Purpose::Lint;
        if narrowed || (linting && SIDES.contains(&tool)) {
            return None;
        }
        // What Go itself finds is the least of what its linters do.
        let part = PARTS.contains(&tool) || (linting && tool == "go");
        let extent = if part { Extent::Part } else { Extent::Whole };
        Some(Self { extent, origin, plainness: Default::default() })
    }
}

/// Says how plain a name is that says the purpose and nothing else: `lint` before `check`, and both before `lint:ci`; nothing for `test:e2e`.
fn plainness(command: &Command) -> Option<(bool, usize)> {
    const ADDITIONS: &[&str] = &["all", "check", "ci", "fix", "run"];
    const ENDINGS: &[&str] = &["py", "sh"];
    // What the work itself is called, then what stands for it.
    let names: [&[&str]; 2] = match command.purpose {
        Purpose::Test => [&["test", "tests", "tox"], &["spec"]],
        Purpose::Lint => [&["lint"], &["check", "clippy"]],
        Purpose::Format => [&["fmt", "format"], &[]],
        Purpose::Build | Purpose::Run => return None,
    };
    let mut words = words(last_name(command)).filter(|word| !ENDINGS.contains(word));
    let first = words.next()?;
    let at = names.iter().position(|names| names.contains(&first))?;
    let additions: Vec<&str> = words.collect();
    additions.iter().all(|word| ADDITIONS.contains(word)).then_some((!additions.is_empty(), at))
}

/// The name of a script or a target, which stands at the end of the command that starts it; none where the value of an option stands there.
fn last_name(command: &Command) -> &str {
    name_of(last_word(command).unwrap_or_default())
}

fn last_word(command: &Command) -> Option<&str> {
    let mut words = command.command.rsplit(' ');
    let last = words.next()?;
    let program = name_of(command.command.split(' ').next().unwrap_or_default());
    let is_value = words.next().is_some_and(|option| valued(program).contains(&option));
    (!is_value).then_some(last)
}

/// The words of a name: `test:e2e` and `test-e2e` have the same two.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
}

/// Says whether a command never ends by itself.
pub(super) fn waits(command: &Command) -> bool {
    says(command, &WAITING)
}

/// Says whether a command changes files, where that is not what it is for.
fn rewrites(command: &Command) -> bool {
    command.purpose != Purpose::Format && says(command, &REWRITING)
}

/// Says whether a command is there for the formatting and leaves the code as it is. Where one of its calls formats, it formats.
pub(super) fn only_checks_formatting(command: &Command) -> bool {
    if command.purpose != Purpose::Format {
        return false;
    }
    if is_named_so(command, &CHECKING) {
        return !is_named_so(command, &REWRITING);
    }
    let line = command.runs.as_deref().unwrap_or(&command.command);
    let is_telling = |call: &&str| {
        purpose::of_command(call) == Some(Purpose::Format)
            || line_says(call, &CHECKING)
            || line_says(call, &REWRITING)
    };
    let mut calls = line.split(['&', '|', ';']).filter(is_telling).peekable();
    calls.peek().is_some() && calls.all(|call| line_says(call, &CHECKING) && !line_says(call, &REWRITING))
}

/// Says whether a command has one of these signs.
fn says(command: &Command, signs: &Signs) -> bool {
    is_named_so(command, signs)
        || line_says(&command.command, signs)
        || command.runs.as_deref().is_some_and(|line| line_says(line, signs))
}

/// Says whether the project gave a command a name with one of these signs.
fn is_named_so(command: &Command, signs: &Signs) -> bool {
    standing(command) == Origin::Named && words(last_name(command)).any(|word| signs.names.contains(&word))
}

/// Says whether a line of shell has one of these signs.
fn line_says(line: &str, signs: &Signs) -> bool {
    let calls_such = |word: &str| word.contains(':') && words(word).any(|part| signs.called.contains(&part));
    let says = |word: &str| match word.strip_prefix("--") {
        Some(option) => {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            // `--watch=false` says the opposite.
            value != "false" && signs.options.contains(&name)
        }
        // A script may call another by its name: `lint:fix`.
        None => signs.programs.contains(&word) || calls_such(word),
    };
    line.split_whitespace().any(says) || line.split(['&', '|', ';']).any(|call| has_habit(call, signs.habits))
}

/// Says whether one call is of a program with such a habit.
fn has_habit(call: &str, habits: &[Habit]) -> bool {
    let words: Vec<&str> = call.split_whitespace().map(|word| word.trim_matches(['(', ')'])).collect();
    habits.iter().any(|habit| {
        let mut from = words.iter().skip_while(|word| name_of(word) != habit.program);
        from.next().is_some()
            && (habit.words.is_empty() || from.any(|word| habit.words.contains(word)))
            && !words.iter().any(|word| habit.unless.contains(word))
    })
}

fn is_of_one_kind(command: &Command) -> bool {
    words(last_name(command)).any(|word| KINDS.contains(&word))
}

/// Says whether what stands behind a command calls all the others.
fn calls_all(one: &Command, all: &[&Command]) -> bool {
    all.iter().filter(|other| other.command != one.command).all(|other| calls(one, other))
}

/// Says whether what stands behind a command calls another, in any of its spellings.
fn calls(one: &Command, other: &Command) -> bool {
    let called = format!("{} ", plainest(&other.command));
    let behind = behind(one);
    (0..behind.len()).any(|at| format!("{} ", plainest(&behind[at..].join(" "))).starts_with(&called))
}

/// Says whether what stands behind a command starts a script: it calls it, or has another program do so by its name.
fn starts(one: &Command, script: &Command) -> bool {
    let is_name = |word: &&str| Some(word.trim_start_matches("npm:")) == last_word(script);
    let is_named = || behind(one).iter().any(is_name);
    standing(script) == Origin::Named && (calls(one, script) || is_named())
}

/// The words of what stands behind a command.
fn behind(command: &Command) -> Vec<&str> {
    let runs = command.runs.as_deref().unwrap_or_default();
    let words = runs.split(|c: char| c.is_whitespace() || "&|;()\"'".contains(c));
    words.filter(|word| !word.is_empty()).collect()
}
