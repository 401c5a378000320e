//! What rustc, clippy, cargo test and nextest print.

use super::places::{colons, is_foreign, place};
use super::{Failure, Place};

/// Lines that only say that there were errors.
const SUMS: [&str; 8] = [
    "error: could not compile",
    "error: aborting due to",
    "error: test failed",
    "error: build failed",
    "error: process didn't exit",
    "error: doctest failed",
    "error: test run failed",
    "error: target",
];

/// Finds the first error of the compiler, in the project's files if there is one.
pub(super) fn compiling(lines: &[&str]) -> Option<Failure> {
    let mut first = None;
    for (at, line) in lines.iter().enumerate() {
        let Some(rest) = line.trim_start().strip_prefix("error") else { continue };
        if SUMS.iter().any(|sum| line.trim_start().starts_with(sum)) {
            continue;
        }
        let (code, message) = match rest.strip_prefix('[') {
            Some(rest) => {
                let Some((code, message)) = rest.split_once("]: ") else { continue };
                (Some(code.to_owned()), message)
            }
            None => match rest.strip_prefix(": ") {
                Some(message) => (None, message),
                None => continue,
            },
        };
        let behind = &lines[at + 1..];
        let arrow = behind.iter().take(4).find_map(|line| line.trim_start().strip_prefix("--> "));
        let found = arrow.and_then(colons);
        if found.is_none() && !code.as_ref().is_some_and(|code| code.starts_with('E')) {
            continue;
        }
        let code = code.or_else(|| lint(behind));
        let failure = Failure {
            message: match &code {
                Some(code) if code.starts_with('E') => format!("error[{code}]: {message}"),
                _ => format!("error: {message}"),
            },
            code,
            place: found.and_then(|(path, row, _)| place(path, row)),
            tests: Vec::new(),
        };
        if failure.place.is_some() {
            return Some(failure);
        }
        first.get_or_insert(failure);
    }
    first
}

/// The lint that a note behind an error names: `-D clippy::needless-return`.
fn lint(behind: &[&str]) -> Option<String> {
    let note = behind
        .iter()
        .take(24)
        .take_while(|line| !line.starts_with("error"))
        .find(|line| line.contains("= note: `"))?;
    let inner = note.split('`').nth(1)?;
    let name = inner
        .trim_start_matches("-D ")
        .trim_start_matches("#[deny(")
        .trim_end_matches(")]")
        .trim_start_matches("#[warn(");
    Some(name.replace('-', "_"))
}

/// Finds the panic of the first failing test, or of a program.
pub(super) fn testing(lines: &[&str]) -> Option<Failure> {
    let tests = failing(lines);
    let panics: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.contains("panicked at "))
        .map(|(at, _)| at)
        .collect();
    let chosen = panics
        .iter()
        .copied()
        .find(|at| {
            tests.first().is_some_and(|test| thread(lines[*at]).is_some_and(|name| test.ends_with(name)))
        })
        .or_else(|| panics.first().copied());
    if let Some(at) = chosen {
        let (message, place) = panic(&lines[at..])?;
        return Some(Failure { message, code: None, place, tests });
    }
    if tests.is_empty() {
        return None;
    }
    // A test that returned an error, or died of a signal.
    let told = lines
        .iter()
        .position(|line| line.starts_with("---- ") && line.ends_with("----"))
        .and_then(|at| lines[at + 1..].iter().find(|line| !line.trim().is_empty()))
        .map(|line| line.trim().to_owned());
    let signal = lines.iter().find_map(|line| {
        line.split_once("(signal: ").map(|(_, rest)| format!("signal: {}", rest.trim_end_matches(')')))
    });
    let message = told.or(signal).unwrap_or_else(|| format!("test {} failed", tests[0]));
    Some(Failure { message, code: None, place: None, tests })
}

fn failing(lines: &[&str]) -> Vec<String> {
    let mut tests: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim();
        if !name.is_empty() && !tests.iter().any(|test| test == name) {
            tests.push(name.to_owned());
        }
    };
    for line in lines {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            add(name);
        } else if let Some(name) =
            line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"))
        {
            add(name);
        } else if let Some(rest) = line
            .strip_prefix("FAIL [")
            .or_else(|| line.strip_prefix("TRY 1 FAIL ["))
            .or_else(|| line.strip_prefix("SIGABRT ["))
        {
            // nextest: `FAIL [   0.013s] (1/3) crate module::test`
            if let Some((_, rest)) = rest.split_once(']')
                && let Some(name) = rest.split_whitespace().next_back()
            {
                add(name);
            }
        }
    }
    tests
}

fn thread(line: &str) -> Option<&str> {
    line.split_once("thread '")?.1.split('\'').next()
}

/// Reads a panic: its message and where it was, if that is in the project.
fn panic(lines: &[&str]) -> Option<(String, Option<Place>)> {
    let (_, rest) = lines.first()?.split_once("panicked at ")?;
    // Before 1.73 the message stood first: `panicked at 'message', src/lib.rs:1:2`.
    if let Some(inner) = rest.strip_prefix('\'') {
        let (message, position) = inner.rsplit_once("', ").unwrap_or((inner, ""));
        let place = colons(position).and_then(|(path, row, _)| place(path, row));
        return Some((assertion(&[message], &lines[1..]).unwrap_or_else(|| message.to_owned()), place));
    }
    let found = colons(rest);
    let place = found.and_then(|(path, row, _)| place(path, row)).or_else(|| {
        let traced = lines.iter().take(60).filter_map(|line| line.trim().strip_prefix("at "));
        traced
            .filter_map(colons)
            .find(|(path, ..)| !is_foreign(path))
            .map(|(path, row, _)| (path.to_owned(), Some(row)))
    });
    let told: Vec<&str> = lines[1..]
        .iter()
        .copied()
        .take_while(|line| {
            !line.trim().is_empty() && !line.starts_with("note: ") && !line.starts_with("stack backtrace")
        })
        .take(12)
        .collect();
    let message = assertion(&told, &[]).or_else(|| told.first().map(|line| line.trim().to_owned()))?;
    Some((message, place))
}

/// Makes one line of an assertion and its two sides.
fn assertion(told: &[&str], behind: &[&str]) -> Option<String> {
    let first = told.first()?.trim();
    let rest = first.strip_prefix("assertion ")?;
    let side = |name: &str| {
        told.iter().chain(behind.iter().take(4)).find_map(|line| {
            let value = line.trim().strip_prefix(name)?.trim().trim_end_matches(',').trim_matches('`');
            Some(super::super::commands::cut(value, 70))
        })
    };
    let (left, right) = (side("left: ")?, side("right: ")?);
    let said = rest
        .split_once("failed")
        .and_then(|(_, said)| said.trim().strip_prefix(':'))
        .map(str::trim)
        .filter(|said| !said.starts_with("`(left"));
    let sides = format!("left {left}, right {right}");
    let unequal = if rest.contains("left != right") { " (left != right)" } else { "" };
    Some(match said {
        Some(said) if !said.is_empty() => format!("assertion failed: {said} ({sides})"),
        _ => format!("assertion failed{unequal}: {sides}"),
    })
}
