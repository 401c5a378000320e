//! What the tools of Go print.

use super::Failure;
use super::places::{colons, has_ending, is_foreign, place};

/// So many failing tests are compared with each other.
const MOST: usize = 64;

/// Finds a data race: who wrote and who read, as far as that was the project's own code.
pub(super) fn racing(lines: &[&str]) -> Option<Failure> {
    let at = lines.iter().position(|line| line.trim() == "WARNING: DATA RACE")?;
    let mut sides: Vec<String> = Vec::new();
    let mut spot = None;
    let mut deed = None;
    let mut function = "";
    for line in lines[at + 1..].iter().take(80).take_while(|line| !line.starts_with("=====")) {
        let text = line.trim();
        if let Some((head, _)) = text.split_once(" at 0x") {
            deed = Some(head.trim_start_matches("Previous ").to_lowercase());
        } else if let Some((path, row, _)) = colons(text) {
            // The first frame of each side that is not the runtime's.
            if let Some(found) = place(path, row)
                && let Some(deed) = deed.take()
            {
                sides.push(format!("{deed} in {function}"));
                spot.get_or_insert(found);
            }
        } else if text.ends_with("()") {
            function = text.rsplit('/').next().unwrap_or(text);
        } else if text.starts_with("Goroutine ") {
            break;
        }
    }
    let message =
        if sides.is_empty() { "DATA RACE".to_owned() } else { format!("DATA RACE: {}", sides.join(", ")) };
    Some(Failure { message, code: None, place: spot, tests: failing(lines) })
}

/// Finds the first failing test.
pub(super) fn testing(lines: &[&str]) -> Option<Failure> {
    let tests = failing(lines);
    if tests.is_empty() {
        return None;
    }
    if let Some(found) = panicking(lines) {
        return Some(Failure { tests, ..found });
    }
    let at = lines.iter().position(|line| line.trim_start().starts_with("--- FAIL: "))?;
    // What a test logs stands behind its line, or with -v before it.
    let told = lines[at..].iter().chain(&lines[..at]).find_map(|line| {
        let (path, row, rest) = colons(line.trim())?;
        (path.ends_with("_test.go") && line.starts_with(' ')).then_some((path, row, rest))
    });
    let (message, spot) = match told {
        Some((path, row, "")) => (testify(lines).unwrap_or_default(), place(path, row)),
        Some((path, row, rest)) => (rest.to_owned(), place(path, row)),
        None => (String::new(), None),
    };
    let message = if message.is_empty() {
        testify(lines).unwrap_or_else(|| format!("{} failed", tests[0]))
    } else {
        message
    };
    Some(Failure { message, code: None, place: spot, tests })
}

fn failing(lines: &[&str]) -> Vec<String> {
    let names: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.trim_start().strip_prefix("--- FAIL: "))
        .filter_map(|rest| rest.split_whitespace().next())
        .take(MOST)
        .collect();
    // A test with failing parts fails as well; the parts say more.
    let is_parent = |name: &str| {
        names.iter().any(|other| {
            other.len() > name.len() && other.starts_with(name) && other.as_bytes()[name.len()] == b'/'
        })
    };
    names.iter().filter(|name| !is_parent(name)).map(|name| (*name).to_owned()).collect()
}

/// Reads the report of testify: `Error: Not equal:`, `expected: 3`, `actual: 4`.
fn testify(lines: &[&str]) -> Option<String> {
    let at = lines.iter().position(|line| line.trim_start().starts_with("Error:"))?;
    let told = lines[at].trim().trim_start_matches("Error:").trim().trim_end_matches(':').to_owned();
    let side = |name: &str| {
        lines[at + 1..].iter().take(6).find_map(|line| {
            let value = line.trim().strip_prefix(name)?.trim_start().strip_prefix(':')?;
            Some(value.trim().to_owned())
        })
    };
    Some(match (side("expected"), side("actual")) {
        (Some(expected), Some(actual)) => format!("{told}: expected {expected}, actual {actual}"),
        _ => told,
    })
}

/// Finds a panic, and the first line of the project below it.
pub(super) fn panicking(lines: &[&str]) -> Option<Failure> {
    let at = lines.iter().position(|line| {
        let text = line.trim_start();
        text.starts_with("panic: ")
            || text.starts_with("fatal error: all goroutines")
            || text.starts_with("fatal error: concurrent map")
    })?;
    if !lines[at..].iter().take(40).any(|line| line.starts_with("goroutine ")) {
        return None;
    }
    let message = lines[at].trim().split(" [recovered]").next().unwrap_or_default();
    let spot = lines[at..]
        .iter()
        .take(80)
        .filter(|line| line.starts_with('\t'))
        .filter_map(|line| colons(line.trim()))
        .find(|(path, ..)| !is_foreign(path))
        .map(|(path, row, _)| (path.to_owned(), Some(row)));
    // A test that hangs is named where the time is up.
    let hanging = lines[at..].iter().take(20).skip_while(|line| line.trim() != "running tests:").skip(1);
    let tests = hanging
        .map_while(|line| line.trim().strip_prefix("Test").and_then(|rest| rest.split_whitespace().next()))
        .map(|name| format!("Test{name}"))
        .collect();
    Some(Failure { message: message.to_owned(), code: None, place: spot, tests })
}

/// Finds the first error of the compiler or of vet: `./main.go:12:5: undefined: foo`.
pub(super) fn compiling(lines: &[&str]) -> Option<Failure> {
    let found = lines.iter().find_map(|line| {
        let text = line.trim().trim_start_matches("vet: ");
        colons(text).filter(|(path, _, rest)| {
            has_ending(path, "go") && !rest.is_empty() && !line.starts_with('\t') && !rest.starts_with("+0x")
        })
    });
    if let Some((path, row, rest)) = found {
        return Some(Failure {
            message: rest.to_owned(),
            code: None,
            place: place(path, row),
            tests: Vec::new(),
        });
    }
    let told = lines.iter().map(|line| line.trim()).find(|line| {
        line.starts_with("go: ")
            && !line.starts_with("go: downloading")
            && !line.starts_with("go: finding")
            && !line.starts_with("go: added")
            && !line.starts_with("go: upgraded")
    })?;
    Some(Failure { message: told.to_owned(), ..Failure::default() })
}
