//! Which command put right what a run had failed for.
//!
//! A run fails, a command changes something around the code, the same run passes. That was the remedy if nothing else changed anything in
//! between, and if it could have helped: it names what the error speaks of (`left-pad`, the port 3000), or it is of the kind that helps
//! against errors of this kind, as a service that is started helps against a refused connection. What only looks changes nothing. A
//! variable that only the second run was given counts as what was done for it.
//!
//! What passes when it is run again was never put right, and of several commands nobody knows which one it was, unless the agent says so.

use super::commands::Purpose;
use super::failures::{self, Failure};
use super::story::{Story, Trial};
use super::wording::cut;
use crate::turn::What;

/// The longest command that is told.
const LONGEST: usize = 100;

/// Options that change what a command prints and not what it does.
const MANNERS: [&str; 8] = ["-q", "-v", "-vv", "-x", "-s", "--quiet", "--verbose", "--silent"];

/// A run that failed and passed, and what was done in between.
pub(crate) struct Course<'s> {
    /// The run as it failed last.
    pub(crate) failed: &'s Trial,
    /// Why it failed.
    pub(crate) failure: Failure,
    /// The first one behind it that passed.
    pub(crate) passed: &'s Trial,
    /// The commands in between that changed something, or may have.
    pub(crate) deeds: Vec<&'s Trial>,
    /// The command that helped, as it can be run again.
    pub(crate) helped: Option<String>,
}

/// Follows the runs that failed in this turn and passed without an edit, the first that was put right first.
pub(crate) fn courses<'s>(story: &'s Story<'_>) -> Vec<Course<'s>> {
    let own: Vec<&Trial> = story.trials.iter().filter(|trial| trial.is_own).collect();
    let mut found: Vec<Course<'s>> = Vec::new();
    for (at, failed) in own.iter().enumerate() {
        let is_run = matches!(
            failed.run.purpose,
            Purpose::Test | Purpose::Build | Purpose::Run | Purpose::Migrate | Purpose::Other
        );
        if failed.passed != Some(false) || !is_run || failed.run.family.starts_with("git ") {
            continue;
        }
        let is_again = |later: &&Trial| later.step > failed.step && later.run.family == failed.run.family;
        // What fails once more is told from there.
        let again = own[at + 1..].iter().position(|later| is_again(later) && later.passed.is_some());
        let Some(end) = again.map(|again| at + 1 + again).filter(|end| own[*end].passed == Some(true)) else {
            continue;
        };
        let passed = own[end];
        let Some(failure) = failure(story, failed) else { continue };
        if passed.edits_before != failed.edits_before {
            continue;
        }
        // An error that comes back was not put right by what was done the first time.
        let is_same = |later: &&Trial| {
            let both = later.failure.as_ref().zip(failed.failure.as_ref());
            both.is_some_and(|(later, first)| failures::same(later, first))
        };
        if own[end..].iter().any(is_same) {
            continue;
        }
        let between = own[at + 1..end].iter().filter(|trial| trial.step > failed.step);
        let deeds: Vec<&Trial> =
            between.filter(|trial| is_deed(trial) && trial.passed != Some(false)).copied().collect();
        let helped = helped(story, failed, &failure.message, passed, &deeds);
        found.push(Course { failed, failure, passed, deeds, helped });
    }
    found
}

/// Finds why a run failed: not in what `make` says of the recipe, if that says it itself.
fn failure(story: &Story<'_>, failed: &Trial) -> Option<Failure> {
    let output = &story.turn.steps.get(failed.step)?.output;
    let known = failed.failure.clone().or_else(|| bare(output))?;
    let is_echo = |line: &&str| line.starts_with("make:") || line.starts_with("make[");
    if !output.lines().any(|line| is_echo(&line)) {
        return Some(known);
    }
    let own: Vec<&str> = output.lines().filter(|line| !is_echo(line)).collect();
    Some(failures::failure(&own.join("\n")).unwrap_or(known))
}

/// Finds an error that no tool's shape is around, by what errors say against which something helps.
fn bare(output: &str) -> Option<Failure> {
    let is_error = |line: &&str| {
        let line = line.to_lowercase();
        HELPS.iter().any(|(_, says)| says.iter().any(|words| line.contains(words)))
    };
    let line = output.lines().find(is_error)?;
    let message = line.strip_prefix("E   ").unwrap_or(line).trim();
    Some(Failure { message: cut(message, 200), ..Failure::default() })
}

/// Says whether a command may have changed something that is not code.
fn is_deed(trial: &Trial) -> bool {
    !matches!(trial.run.purpose, Purpose::Test | Purpose::Lint | Purpose::Format | Purpose::Look)
}

/// Finds the one thing that helped.
fn helped(
    story: &Story<'_>,
    failed: &Trial,
    error: &str,
    passed: &Trial,
    deeds: &[&Trial],
) -> Option<String> {
    if !covers(&passed.run.label, &failed.run.label) {
        return None;
    }
    let given = given(line(story, failed)?, line(story, passed)?);
    let mut different: Vec<&Trial> = Vec::new();
    for deed in deeds {
        if !different.iter().any(|known| known.run.label == deed.run.label) {
            different.push(deed);
        }
    }
    let command = |deed: &Trial| spelt(story, deed);
    match (different.as_slice(), given.is_empty()) {
        ([], false) => {
            let run = format!("{} {}", given.join(" "), passed.run.label);
            (run.chars().count() <= LONGEST).then_some(run)
        }
        ([deed], true) if could_help(error, deed) => command(deed),
        ([], true) => None,
        // Only what the agent says itself tells them apart.
        (several, _) => {
            let message = story.turn.message.as_deref()?;
            let mut named = several.iter().filter(|deed| message.contains(&deed.run.label));
            named.next().filter(|_| named.next().is_none()).and_then(|deed| command(deed))
        }
    }
}

/// Says whether a run is the same as another one, or the same without what narrows it down.
fn covers(later: &str, earlier: &str) -> bool {
    let earlier: Vec<&str> = earlier.split_whitespace().collect();
    later.split_whitespace().all(|word| MANNERS.contains(&word) || earlier.contains(&word))
}

fn line<'s>(story: &'s Story<'_>, trial: &Trial) -> Option<&'s str> {
    match &story.turn.steps.get(trial.step)?.what {
        What::Ran(line) => Some(line.as_str()),
        _ => None,
    }
}

/// Gives the variables that one line sets and another does not, as they may be told.
pub(crate) fn given(then: &str, now: &str) -> Vec<String> {
    let assigned = |line: &str| -> Vec<(String, String)> {
        let words = line.split_whitespace().filter_map(|word| word.split_once('='));
        words
            .filter(|(name, _)| is_variable(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    };
    let known = assigned(then);
    let mut new = assigned(now);
    new.retain(|one| !known.contains(one));
    new.iter().map(|(name, value)| format!("{name}={}", shown(name, value))).collect()
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Gives the value of a variable where anybody may read it: nothing that a name or a shape calls a secret, and no address with a person in it.
fn shown<'v>(name: &str, value: &'v str) -> &'v str {
    let is_plain = value.len() <= 48
        && !value.contains(['@', '$', '`', '\'', '"'])
        && !value.contains(custos_redact::MARKER_OPEN)
        && !custos_redact::names_a_secret(name)
        && custos_redact::redact(value) == value;
    if is_plain { value } else { "…" }
}

/// Spells a command so that it can be run again; none where it would be cut, or holds a number that is another one next time.
fn spelt(story: &Story<'_>, deed: &Trial) -> Option<String> {
    let of_step = story.trials.iter().filter(|trial| trial.is_own && trial.step == deed.step).count();
    // A pipe is one run, and only all of it does it: `lsof -ti:3000 | xargs kill`.
    let whole = line(story, deed)?.trim();
    let is_whole = of_step == 1 && !whole.contains(['\n', ';']) && !whole.contains("&&");
    let command = if is_whole { whole } else { deed.run.label.as_str() };
    let words = command.split_whitespace().map(|word| match word.split_once('=') {
        Some((name, value)) if is_variable(name) || name.starts_with("--") => {
            format!("{name}={}", shown(name.trim_start_matches('-'), value))
        }
        _ => word.to_owned(),
    });
    let command = words.collect::<Vec<_>>().join(" ");
    let is_of_a_process = kind(deed) == Some(Kind::Stops)
        && command
            .split_whitespace()
            .skip(1)
            .all(|word| word.starts_with('-') || word.bytes().all(|byte| byte.is_ascii_digit()));
    (command.chars().count() <= LONGEST && !command.contains('`') && !is_of_a_process).then_some(command)
}

/// What a command does around the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Installs,
    Starts,
    Stops,
    Allows,
    Migrates,
}

fn kind(deed: &Trial) -> Option<Kind> {
    match &deed.run.purpose {
        // Packages of another name cannot be what was missing; all that the project names can.
        Purpose::Install(packages) => return packages.is_empty().then_some(Kind::Installs),
        Purpose::Migrate => return Some(Kind::Migrates),
        _ => {}
    }
    let words: Vec<&str> = deed.run.label.split_whitespace().collect();
    let has = |any: &[&str]| words.iter().skip(1).any(|word| any.contains(word));
    let program = words.first()?.rsplit('/').next()?;
    match program {
        "kill" | "pkill" | "killall" | "fuser" | "kill-port" => Some(Kind::Stops),
        "npx" if has(&["kill-port"]) => Some(Kind::Stops),
        "chmod" | "chown" | "chgrp" | "setfacl" => Some(Kind::Allows),
        "docker" | "docker-compose" | "podman" | "systemctl" | "service" | "brew" | "pm2"
        | "supervisorctl" | "pg_ctl" | "pg_ctlcluster" | "minikube" | "colima" | "launchctl" | "supabase"
        | "kubectl" | "nerdctl" | "rc-service" => {
            if has(&["up", "start", "restart", "run", "load"]) {
                Some(Kind::Starts)
            } else {
                has(&["stop", "down", "rm", "kill", "delete"]).then_some(Kind::Stops)
            }
        }
        "open" if has(&["Docker"]) => Some(Kind::Starts),
        "mongod" | "mysqld" | "mysqld_safe" | "postgres" | "dockerd" | "etcd" | "memcached" => {
            Some(Kind::Starts)
        }
        _ if program.ends_with("-server") => Some(Kind::Starts),
        "npm" | "pnpm" | "yarn" | "make" | "just" | "task" => {
            has(&["up", "start", "services", "db"]).then_some(Kind::Starts)
        }
        _ => None,
    }
}

/// What errors of a kind say, and what helps against them.
#[rustfmt::skip]
const HELPS: &[(Kind, &[&str])] = &[
    (Kind::Starts, &[
        "refused", "could not connect", "cannot connect", "can't connect", "unable to connect", "failed to connect", "enotfound",
        "getaddrinfo", "name or service not known", "no such host", "is the server running", "daemon running", "connection reset",
        "could not translate host", "connection error", "server has gone away", "not running",
    ]),
    (Kind::Stops, &["eaddrinuse", "already in use", "already allocated", "address in use", "already running", "could not get lock"]),
    (Kind::Installs, &[
        "no module named", "cannot find module", "module not found", "modulenotfound", "cannot find package", "could not find gem",
        "can't find crate", "cannot resolve", "could not resolve", "no required module", "unmet dependency", "not found",
    ]),
    (Kind::Allows, &["permission denied", "eacces", "not permitted", "access denied"]),
    (Kind::Migrates, &[
        "relation", "no such table", "no such column", "unknown column", "undefinedtable", "undefined table", "pending migration",
        "table", "column",
    ]),
];

/// Says whether a command could have helped against an error.
fn could_help(error: &str, deed: &Trial) -> bool {
    if matches!(deed.run.purpose, Purpose::Commit { .. }) {
        return false;
    }
    let error = error.to_lowercase();
    let is_of_kind = kind(deed).is_some_and(|kind| {
        HELPS.iter().any(|(helps, says)| *helps == kind && says.iter().any(|words| error.contains(words)))
    });
    is_of_kind || names(&error, &deed.run.label.to_lowercase())
}

/// Words in errors and commands that name nothing.
#[rustfmt::skip]
const GENERAL: &[&str] = &[
    "error", "errors", "module", "modules", "package", "packages", "install", "file", "directory", "open", "config", "index", "main", "test",
    "tests", "node", "python", "http", "https", "localhost", "server", "client", "docker", "daemon", "default", "json", "exist", "found",
    "find", "cannot", "such", "with", "from", "address", "already", "connection", "connect", "permission", "denied", "scripts", "script",
    "exception", "exceptions", "errors", "database", "relation", "does", "timed", "waiting", "page", "command", "build", "start", "running",
];

/// Says whether a command names something that an error speaks of: in quotes, an odd name or a number that somebody chose.
fn names(error: &str, command: &str) -> bool {
    let quoted = error.split(['\'', '"', '`', '‘', '’', '“', '”']).skip(1).step_by(2);
    let missing = [": command not found", ": not found"]
        .iter()
        .filter_map(|end| error.strip_suffix(end)?.rsplit([':', ' ']).next());
    let is_odd = |word: &&str| {
        word.contains(['_', '-', '/']) || word.trim_end_matches('.').contains('.') || word.contains(':')
    };
    let odd = error.split_whitespace().filter(is_odd);
    let parts = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let in_command = parts(command);
    quoted.chain(missing).chain(odd).flat_map(parts).any(|name| {
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            return (3..=5).contains(&name.len()) && in_command.contains(&name);
        }
        let length = name.chars().count();
        !GENERAL.contains(&name.as_str())
            && (in_command.contains(&name) && length >= 2 || length >= 4 && command.contains(name.as_str()))
    })
}

/// Tells what helped in a title: what was wrong, until this was done.
pub(crate) fn title(error: &str, helped: &str, most: usize) -> String {
    let room = most.saturating_sub(" until ``".len() + helped.chars().count());
    if room < 24 {
        return cut(&format!("Needed: `{helped}`"), most);
    }
    format!("{} until `{helped}`", super::wording::quoted(error, room))
}
