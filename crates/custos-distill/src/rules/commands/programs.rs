//! From the words of a command to what it is for.

use super::tables::{NAMES, PROGRAMS, Sort, VALUED};
use super::words::Simple;
use super::{Purpose, git, packages};

/// The last part of a path to a program, without the ending that Windows wants.
pub(super) fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    [".exe", ".cmd", ".bat"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Commands that only change the shell that they run in.
const SILENT: [&str; 22] = [
    "cd", "pushd", "popd", "export", "set", "unset", "source", ".", "sleep", "true", "false", ":", "wait",
    "trap", "umask", "shopt", "ulimit", "alias", "local", "return", "exit", "read",
];

/// Tells what a command is for, and its family; none for what only changes the shell.
pub(super) fn classified(arguments: &[&str], simple: &Simple<'_>) -> Option<(Purpose, String)> {
    let (first, rest) = arguments.split_first()?;
    let program = canonical(base_name(first));
    if SILENT.contains(&program) {
        return None;
    }
    if rest.iter().any(|word| matches!(*word, "--version" | "--help"))
        && !matches!(program, "cargo" | "dotnet" | "gem")
    {
        return Some((Purpose::Look, program.to_owned()));
    }
    Some(match program {
        "git" => git::classified(arguments, simple),
        "jj" | "hg" | "sl" | "svn" => other_versioning(program, rest, simple),
        "npx" | "bunx" | "pnpx" | "uvx" => through(program, behind_options(rest), simple),
        "python" => python(rest, simple),
        "php" if rest.first().is_some_and(|word| base_name(word) == "artisan") => {
            known("artisan", &rest[1..])
        }
        "php" | "ruby" | "node" | "perl" if rest.first().is_some_and(|word| is_known_script(word)) => {
            through(program, rest, simple)
        }
        "node" if rest.contains(&"--test") => (Purpose::Test, "npm test".to_owned()),
        "node" | "php" | "ruby" if rest.iter().any(|word| matches!(*word, "--check" | "-l")) => {
            (Purpose::Build, format!("{program} --check"))
        }
        "npm" | "pnpm" | "yarn" | "bun" => scripts_of_node(program, rest, simple),
        "make" | "gmake" | "just" | "task" | "rake" | "invoke" | "inv" | "mage" | "ant" | "doit"
        | "earthly" => targets(program, rest),
        "mvn" | "gradle" => goals(program, rest),
        "turbo" | "nx" | "lerna" | "rush" | "moon" => monorepo(program, rest),
        "docker" if operands("docker", rest).first() == Some(&"compose") => {
            let at = rest.iter().position(|word| *word == "compose").unwrap_or(0);
            known("docker-compose", &rest[at + 1..])
        }
        "composer" if packages::classified(program, rest).is_none() => composer(rest),
        "curl" | "wget" => fetch(program, rest, simple),
        "sed" if rest.iter().any(|word| word.starts_with("-i") || *word == "--in-place") => other(program),
        "gh" => github(rest),
        "cat" | "echo" | "printf" | "sed" if simple.writes => other(program),
        _ => match packages::classified(program, rest) {
            Some(found) => found,
            None => known(program, rest),
        },
    })
}

fn other(program: &str) -> (Purpose, String) {
    (Purpose::Other, program.to_owned())
}

/// One name for the names of a program.
fn canonical(name: &str) -> &str {
    match name {
        "gradlew" => "gradle",
        "mvnw" | "mvnd" => "mvn",
        "pip3" => "pip",
        "nodejs" => "node",
        "py" | "pypy3" => "python",
        _ if name.starts_with("python") && name[6..].chars().all(|c| c.is_ascii_digit() || c == '.') => {
            "python"
        }
        _ if name.starts_with("pip3.") => "pip",
        _ => name,
    }
}

/// Looks a program up; one that is written as a path is run for itself.
fn known(program: &str, rest: &[&str]) -> (Purpose, String) {
    let operands = operands(program, rest);
    let sub = operands.first().copied().unwrap_or_default();
    for (names, subs, sort, family) in PROGRAMS {
        if !names.split_whitespace().any(|name| name == program) {
            continue;
        }
        if subs.is_empty() || subs.split_whitespace().any(|word| word == sub) {
            let shown = if program == "docker-compose" { "docker compose" } else { program };
            let family = match *family {
                "" if subs.is_empty() => shown.to_owned(),
                "" => format!("{shown} {sub}"),
                family => family.to_owned(),
            };
            return (sort.purpose(), family);
        }
    }
    // A project's own script, whose name may say what it does: `./scripts/run-tests.sh`.
    if let Some(stem) = ["sh", "bash", "py", "rb", "js", "mjs", "ts", "pl", "ps1"]
        .iter()
        .find_map(|ending| program.strip_suffix(ending)?.strip_suffix('.'))
    {
        let sort = named(stem).unwrap_or(Sort::Run);
        return (if sort == Sort::Install { Purpose::Run } else { sort.purpose() }, program.to_owned());
    }
    if matches!(program, "bash" | "sh" | "zsh") {
        return match sub {
            "" => (Purpose::Other, program.to_owned()),
            script => known(base_name(script), &[]),
        };
    }
    (Purpose::Other, program.to_owned())
}

/// The words that are no options, nor the values of such.
fn operands<'w>(program: &str, rest: &[&'w str]) -> Vec<&'w str> {
    let valued = VALUED.iter().find(|(name, _)| *name == program).map_or(&[][..], |(_, options)| options);
    let mut found = Vec::new();
    let mut words = rest.iter().copied();
    while let Some(word) = words.next() {
        if valued.contains(&word) {
            words.next();
        } else if !word.starts_with('-') && !word.starts_with('+') {
            found.push(word);
        }
    }
    found
}

fn behind_options<'a, 'w>(rest: &'a [&'w str]) -> &'a [&'w str] {
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
        at += if matches!(*word, "-p" | "--package" | "--from" | "--with" | "-c") { 2 } else { 1 };
    }
    rest.get(at..).unwrap_or_default()
}

/// Looks at the program that another one runs; `npx jest@29` runs jest.
fn through(outer: &str, inner: &[&str], simple: &Simple<'_>) -> (Purpose, String) {
    let Some((first, rest)) = inner.split_first() else { return other(outer) };
    let name = first.get(1..).and_then(|tail| tail.find('@')).map_or(*first, |at| &first[..=at]);
    let name = name.rsplit('/').next().unwrap_or(name);
    let mut words = vec![name];
    words.extend_from_slice(rest);
    match classified(&words, simple) {
        Some((Purpose::Other, _)) | None => (Purpose::Run, format!("{outer} {name}")),
        Some(found) => found,
    }
}

/// Tells whether a script is a known tool by its path: `node node_modules/.bin/jest`, `php vendor/bin/phpunit`.
fn is_known_script(word: &str) -> bool {
    word.contains(".bin/")
        || word.contains("vendor/bin/")
        || word.starts_with("bin/rails")
        || word.ends_with("/bin/rspec")
}

fn python(rest: &[&str], simple: &Simple<'_>) -> (Purpose, String) {
    if let Some(at) = rest.iter().position(|word| *word == "-m") {
        return match rest.get(at + 1) {
            Some(&("json.tool" | "site" | "sysconfig" | "pydoc")) => (Purpose::Look, "python -m".to_owned()),
            Some(&("py_compile" | "compileall" | "build")) => (Purpose::Build, "python -m build".to_owned()),
            Some(&"coverage") if rest.get(at + 2) == Some(&"run") => {
                let inner: Vec<&str> = rest[at + 3..].to_vec();
                python(&inner, simple)
            }
            _ => through("python -m", &rest[at + 1..], simple),
        };
    }
    let script = operands("python", rest).first().copied().unwrap_or_default();
    if base_name(script) == "manage.py" {
        let at = rest.iter().position(|word| *word == script).unwrap_or(0);
        return match rest.get(at + 1).copied().unwrap_or_default() {
            "test" => (Purpose::Test, "manage.py test".to_owned()),
            "migrate" => (Purpose::Migrate, "manage.py migrate".to_owned()),
            "check" => (Purpose::Lint, "manage.py check".to_owned()),
            "showmigrations" | "diffsettings" => (Purpose::Look, "manage.py".to_owned()),
            sub => (Purpose::Run, format!("manage.py {sub}").trim_end().to_owned()),
        };
    }
    if script.is_empty() || rest.first() == Some(&"-c") {
        return (Purpose::Run, "python".to_owned());
    }
    let (purpose, family) = known(base_name(script), &[]);
    let purpose = if purpose == Purpose::Other { Purpose::Run } else { purpose };
    (purpose, if family.is_empty() { "python".to_owned() } else { family })
}

fn scripts_of_node(program: &str, rest: &[&str], simple: &Simple<'_>) -> (Purpose, String) {
    let operands = operands(program, rest);
    let mut words = operands.iter().copied();
    let mut sub = words.next().unwrap_or_default();
    if sub == "workspace" || sub == "workspaces" {
        words.next();
        sub = words.next().unwrap_or_default();
    }
    if matches!(sub, "exec" | "dlx" | "x") {
        let at = rest.iter().position(|word| *word == sub).unwrap_or(0);
        let inner = behind_options(&rest[at + 1..]);
        return through(program, inner, simple);
    }
    let script = match sub {
        "run" | "run-script" | "rum" => words.next().unwrap_or_default(),
        "test" | "t" | "tst" | "install-test" | "it" | "cit" => "test",
        "start" => "start",
        _ => {
            if let Some(found) = packages::classified(program, rest) {
                return found;
            }
            let (purpose, family) = known(program, rest);
            if purpose == Purpose::Look || program == "npm" {
                return (purpose, family);
            }
            sub
        }
    };
    if script.is_empty() {
        return (Purpose::Look, format!("{program} run"));
    }
    if script == "test" {
        return (Purpose::Test, "npm test".to_owned());
    }
    // `yarn jest`, `pnpm tsc`, `bun src/index.ts`: the tools of the project, without a script.
    if !matches!(sub, "run" | "run-script") {
        let (purpose, family) = known(script, &[]);
        if purpose != Purpose::Other {
            return (purpose, family);
        }
    }
    let sort = named(script).unwrap_or(Sort::Run);
    let sort = if sort == Sort::Install { Sort::Run } else { sort };
    (sort.purpose(), format!("npm run {script}"))
}

fn targets(program: &str, rest: &[&str]) -> (Purpose, String) {
    let operands = operands(program, rest);
    let mut named_targets = operands
        .iter()
        .copied()
        .filter(|word| !word.contains('=') && !word.chars().all(|c| c.is_ascii_digit()) && *word != "clean");
    let target = named_targets.next().unwrap_or_default();
    if target.is_empty() {
        let sort = if matches!(program, "make" | "gmake" | "ant") { Sort::Build } else { Sort::Look };
        return (sort.purpose(), program.to_owned());
    }
    if program == "rake" && target.starts_with("db:") {
        return known("rake", &[target]);
    }
    let sort = match named(target) {
        Some(Sort::Install) | None => {
            if matches!(program, "make" | "gmake") {
                Sort::Build
            } else {
                Sort::Run
            }
        }
        Some(sort) => sort,
    };
    (sort.purpose(), format!("{program} {target}"))
}

/// Goals and tasks: the last one that says something, since the others only lead up to it.
fn goals(program: &str, rest: &[&str]) -> (Purpose, String) {
    let skips_tests =
        rest.iter().any(|word| word.starts_with("-DskipTests") || word.starts_with("-Dmaven.test.skip"));
    let mut found = (Sort::Build, "build");
    for goal in operands(program, rest) {
        let task = goal.rsplit(':').next().unwrap_or(goal);
        let plugin = goal.split(':').next().unwrap_or(goal);
        found = match task {
            "clean" => continue,
            "verify" | "check" if !skips_tests => (Sort::Test, "test"),
            "verify" | "check" | "install" | "deploy" => (Sort::Build, "build"),
            "bootRun" | "run" | "exec" | "java" => (Sort::Run, "run"),
            "apply" | "format" | "spotlessApply" | "ktlintFormat" => (Sort::Format, "format"),
            "tree" | "analyze" | "help" | "effective-pom" => (Sort::Look, "look"),
            "migrate" => (Sort::Migrate, "migrate"),
            _ => match named(task).or_else(|| named(plugin)) {
                Some(Sort::Test) => (Sort::Test, "test"),
                Some(Sort::Lint) => (Sort::Lint, "lint"),
                Some(Sort::Format) => (Sort::Lint, "format"),
                Some(Sort::Run) => (Sort::Run, "run"),
                Some(Sort::Look) => (Sort::Look, "look"),
                Some(Sort::Migrate) => (Sort::Migrate, "migrate"),
                _ => found,
            },
        };
        if found.0 == Sort::Test {
            break;
        }
    }
    (found.0.purpose(), format!("{program} {}", found.1))
}

fn monorepo(program: &str, rest: &[&str]) -> (Purpose, String) {
    let target = rest
        .iter()
        .position(|word| matches!(*word, "-t" | "--target" | "--targets"))
        .and_then(|at| rest.get(at + 1).copied());
    let mut operands = operands(program, rest)
        .into_iter()
        .filter(|word| !matches!(*word, "run" | "run-many" | "affected" | "exec"));
    let Some(task) = target.or_else(|| operands.next()) else { return other(program) };
    // `nx run api:test` names the project first.
    let task = task.rsplit(':').next().unwrap_or(task);
    let sort = named(task).unwrap_or(Sort::Run);
    (sort.purpose(), format!("{program} {task}"))
}

fn composer(rest: &[&str]) -> (Purpose, String) {
    let mut operands =
        operands("composer", rest).into_iter().filter(|word| !matches!(*word, "run" | "run-script" | "exec"));
    let Some(script) = operands.next() else { return other("composer") };
    let (purpose, family) = known("composer", &[script]);
    if purpose != Purpose::Other {
        return (purpose, family);
    }
    (named(script).map_or(Purpose::Other, Sort::purpose), format!("composer {script}"))
}

/// What is fetched only looks; what is sent does something.
fn fetch(program: &str, rest: &[&str], simple: &Simple<'_>) -> (Purpose, String) {
    let sends = rest.iter().enumerate().any(|(at, word)| {
        let method = match *word {
            "-X" | "--request" | "--method" => rest.get(at + 1).copied().unwrap_or_default(),
            _ => word.strip_prefix("-X").or_else(|| word.strip_prefix("--request=")).unwrap_or_default(),
        };
        matches!(method, "POST" | "PUT" | "PATCH" | "DELETE")
            || ["-d", "--data", "-F", "--form", "--json", "-T", "--upload-file", "--post"]
                .iter()
                .any(|option| *word == *option || (option.starts_with("--") && word.starts_with(option)))
    });
    let saves = rest.iter().any(|word| matches!(*word, "-o" | "-O" | "--output" | "-LO" | "-fsSLO"));
    let purpose = if sends {
        Purpose::Run
    } else if simple.writes || (program == "wget" || saves) && !rest.contains(&"/dev/null") {
        Purpose::Other
    } else {
        Purpose::Look
    };
    (purpose, program.to_owned())
}

fn github(rest: &[&str]) -> (Purpose, String) {
    let operands = operands("gh", rest);
    let sub = operands.first().copied().unwrap_or_default();
    let deed = operands.get(1).copied().unwrap_or_default();
    let looks = matches!(deed, "view" | "list" | "status" | "diff" | "checks" | "watch")
        || matches!(sub, "search" | "status" | "browse" | "auth")
        || (sub == "api"
            && !rest.iter().any(|word| matches!(*word, "-X" | "--method" | "-f" | "-F" | "--input")));
    let family =
        if deed.is_empty() || sub == "api" { format!("gh {sub}") } else { format!("gh {sub} {deed}") };
    (if looks { Purpose::Look } else { Purpose::Other }, family.trim_end().to_owned())
}

fn other_versioning(program: &str, rest: &[&str], simple: &Simple<'_>) -> (Purpose, String) {
    let sub = rest.iter().copied().find(|word| !word.starts_with('-')).unwrap_or_default();
    let purpose = match sub {
        "commit" | "ci" | "describe" | "desc" => match git::message(rest, simple) {
            None if sub.starts_with("desc") => Purpose::Look,
            message => Purpose::Commit { message },
        },
        "" | "st" | "status" | "log" | "diff" | "show" | "blame" | "annotate" | "info" | "evolog" => {
            Purpose::Look
        }
        "revert" | "restore" => {
            let named = rest.iter().filter(|word| !word.starts_with('-') && **word != sub && **word != ".");
            Purpose::Revert(named.map(|word| (*word).to_owned()).collect())
        }
        _ => Purpose::Other,
    };
    (purpose, format!("{program} {sub}").trim_end().to_owned())
}

/// What the name of a script or a target says: `test:unit`, `lint-fix`, `compileTestJava`, `run_tests`.
pub(super) fn named(name: &str) -> Option<Sort> {
    let mut words: Vec<String> = Vec::new();
    let mut last_was_lower = false;
    let mut starts_word = true;
    for c in name.chars().take(64) {
        if !c.is_alphanumeric() {
            starts_word = true;
            continue;
        }
        if starts_word || (c.is_uppercase() && last_was_lower) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        starts_word = false;
        last_was_lower = c.is_lowercase();
    }
    if words
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .windows(2)
        .any(|pair| matches!(pair, ["type" | "types", "check"] | ["check", "types" | "type"]))
    {
        return Some(Sort::Build);
    }
    NAMES.iter().find_map(|(names, sort)| {
        words.iter().any(|word| names.split_whitespace().any(|name| name == word)).then_some(*sort)
    })
}
