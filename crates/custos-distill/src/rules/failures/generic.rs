//! What is left: a line that calls itself an error.

use super::Failure;
use super::places::{colons, place};

/// How such lines begin, in the languages of tools; without case.
const BEGINNINGS: &[&str] = &[
    "error:",
    "error ",
    "fatal:",
    "fatal error",
    "exception:",
    "panic:",
    "failed:",
    "failure:",
    "uncaught ",
    "unhandled ",
    "traceback",
    "critical:",
    "[error]",
    "[fatal]",
    "err:",
    "abort:",
    "aborted:",
    "caused by:",
    "e: ",
    "assertion",
    "fehler:",
    "erreur:",
    "erreur ",
    "errore:",
    "ошибка:",
    "错误:",
    "错误：",
    "エラー:",
    "エラー：",
    "오류:",
];

/// Without one of these there is no such line.
pub(super) const SIGNS: &[&str] = &[
    "rror",
    "RROR",
    "rr:",
    "atal",
    "ATAL",
    "xception",
    "anic:",
    "ailed",
    "AILED",
    "ailure",
    "AILURE",
    "ncaught",
    "nhandled",
    "raceback",
    "ritical",
    "RITICAL",
    "bort",
    "aused by",
    "ssertion",
    "ehler:",
    "rreur",
    "шибка:",
    "错误",
    "エラー",
    "오류:",
    "e: ",
];

/// Lines that only say that something else failed.
const HOLLOW: &[&str] = &[
    "error: process completed",
    "error: command failed",
    "error command failed",
    "error: exit status",
    "error: recipe",
    "error: script",
    "error: aborting",
    "error: could not compile",
    "error: test failed",
    "error: build failed",
    "failure: build failed",
    "error code",
    "error: the following",
    "failed: 0",
    "error: 0",
    "errors: 0",
    "error: subprocess",
    "error: target",
    "error handling",
    "exit code",
    "error: failed to run custom build command",
];

/// Takes the last line that calls itself an error, or has an error's name before a colon.
pub(super) fn last(lines: &[&str]) -> Option<Failure> {
    let mut hollow = None;
    for (at, line) in lines.iter().enumerate().rev() {
        let text = line.trim().trim_start_matches(['✘', '✖', '×', '❌', '>', '│', '*', '!', ' ', '✗']);
        if text.len() < 6 || text.len() > 1600 {
            continue;
        }
        let lower: String = text.chars().take(60).collect::<String>().to_lowercase();
        let is_error = BEGINNINGS.iter().any(|start| lower.starts_with(start))
            || is_named_error(text)
            || is_marked(text);
        if !is_error {
            continue;
        }
        let mut message = text.to_owned();
        if text.ends_with(':')
            && let Some(next) =
                lines[at + 1..].iter().take(3).map(|line| line.trim()).find(|line| !line.is_empty())
        {
            message = format!("{text} {next}");
        }
        let spot = lines[at + 1..]
            .iter()
            .take(4)
            .find_map(|line| line.trim().strip_prefix("--> ").and_then(colons))
            .and_then(|(path, row, _)| place(path, row));
        let found = Failure { message, code: None, place: spot, tests: Vec::new() };
        if HOLLOW.iter().any(|start| lower.starts_with(start)) {
            hollow.get_or_insert(found);
        } else {
            return Some(found);
        }
    }
    hollow
}

/// Tells whether a line begins with the name of an error: `ValueError: …`, `sqlalchemy.exc.OperationalError: …`.
fn is_named_error(text: &str) -> bool {
    let Some((name, rest)) = text.split_once(": ") else { return false };
    !rest.is_empty()
        && name.len() < 80
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | ':'))
        && (name.ends_with("Error") || name.ends_with("Exception"))
}

/// Tells whether a line of a log is one of an error: a level behind a time, or `prog: error: …`.
fn is_marked(text: &str) -> bool {
    let head: String = text.chars().take(80).collect();
    [
        " ERROR ",
        " ERROR: ",
        "[ERROR]",
        " FATAL ",
        " error: ",
        ": fatal: ",
        " level=error ",
        "\"level\":\"error\"",
    ]
    .iter()
    .any(|mark| head.contains(mark))
}
