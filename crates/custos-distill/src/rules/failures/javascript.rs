//! What jest, vitest, mocha, Playwright, eslint, bundlers and node print.

use super::places::{colons, is_file, own_frame};
use super::{Failure, Place};

/// Finds the first failing test of jest: a line with a dot, then what was expected.
pub(super) fn jest(lines: &[&str]) -> Option<Failure> {
    let is_head = |line: &str| line.trim_start().starts_with("● ") && !line.contains("● Console");
    let first = lines.iter().position(|line| is_head(line))?;
    let mut tests = Vec::new();
    for line in lines.iter().filter(|line| is_head(line)) {
        let name = line.trim().trim_start_matches("● ").trim();
        if !name.starts_with("Test suite failed to run") && !name.starts_with("Cannot log after") {
            tests.push(name.to_owned());
        }
    }
    let end =
        lines[first + 1..].iter().position(|line| is_head(line)).map_or(lines.len(), |at| first + 1 + at);
    let section = &lines[first + 1..end];
    let message = expectation(section)?;
    Some(Failure { message, code: None, place: own_frame(section), tests })
}

/// Makes one line of what a test expected and what it got.
fn expectation(section: &[&str]) -> Option<String> {
    let told = section.iter().map(|line| line.trim()).find(|line| !line.is_empty())?;
    let side = |names: &[&str]| {
        section.iter().take(40).find_map(|line| {
            let line = line.trim();
            names.iter().find_map(|name| line.strip_prefix(name)).map(|rest| {
                rest.split_once(": ").map_or(rest, |(_, value)| value).trim_start_matches(':').trim()
            })
        })
    };
    if !told.contains("expect(") {
        return Some(told.to_owned());
    }
    match (side(&["Expected"]), side(&["Received"])) {
        (Some(expected), Some(received)) => Some(format!("{told}: expected {expected}, received {received}")),
        (Some(expected), None) => Some(format!("{told}: expected {expected}")),
        (None, Some(received)) => Some(format!("{told}: received {received}")),
        (None, None) => Some(told.to_owned()),
    }
}

/// Finds the first failing test of vitest.
pub(super) fn vitest(lines: &[&str]) -> Option<Failure> {
    let head = |line: &str| -> Option<String> {
        let rest = line.trim_start().strip_prefix("FAIL ")?.trim_start();
        let (_, name) = rest.split_once(" > ")?;
        Some(name.trim().to_owned())
    };
    let heads: Vec<(usize, String)> =
        lines.iter().enumerate().filter_map(|(at, line)| head(line).map(|name| (at, name))).collect();
    let suite = || {
        // A file that could not be loaded has no test: ` FAIL  src/a.test.ts [ src/a.test.ts ]`.
        lines
            .iter()
            .position(|line| line.trim_start().strip_prefix("FAIL ").is_some_and(|rest| rest.contains(" [ ")))
    };
    let at = heads.first().map(|(at, _)| *at).or_else(suite)?;
    let section = &lines[at + 1..];
    let told = section.iter().position(|line| is_error(line.trim()).is_some())?;
    let message = section[told].trim().to_owned();
    Some(Failure {
        message: message.trim_start_matches("Error: ").to_owned(),
        code: None,
        place: own_frame(&section[told..]),
        tests: heads.into_iter().map(|(_, name)| name).collect(),
    })
}

/// Finds the first failing test of Playwright.
pub(super) fn playwright(lines: &[&str]) -> Option<Failure> {
    let head = |line: &str| -> Option<(String, Option<Place>)> {
        let line = line.trim();
        let (number, rest) = line.split_once(") ")?;
        if !number.bytes().all(|byte| byte.is_ascii_digit()) || !rest.contains(" › ") {
            return None;
        }
        let parts: Vec<&str> = rest.trim_end_matches(['─', ' ']).split(" › ").collect();
        let place =
            parts.iter().find_map(|part| colons(part)).map(|(path, row, _)| (path.to_owned(), Some(row)));
        place.as_ref()?;
        Some((parts.last()?.trim().to_owned(), place))
    };
    let heads: Vec<_> =
        lines.iter().enumerate().filter_map(|(at, line)| head(line).map(|found| (at, found))).collect();
    let (at, (_, place)) = heads.first()?;
    let told = lines[at + 1..].iter().map(|line| line.trim()).find(|line| is_error(line).is_some())?;
    Some(Failure {
        message: told.to_owned(),
        code: None,
        place: place.clone(),
        tests: heads.iter().map(|(_, (name, _))| name.clone()).collect(),
    })
}

/// Finds the first failing test of mocha, of node's own runner and of their kind.
pub(super) fn mocha(lines: &[&str]) -> Option<Failure> {
    if let Some(from) = lines.iter().position(|line| {
        line.trim()
            .strip_suffix(" failing")
            .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    }) {
        let mut tests = Vec::new();
        let mut at = from + 1;
        let mut first = None;
        while at < lines.len() {
            if let Some((number, name)) = lines[at].trim().split_once(") ")
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && !number.is_empty()
            {
                let mut full = name.trim().trim_end_matches(':').to_owned();
                let mut ends = name.trim_end().ends_with(':');
                while !ends && at + 1 < lines.len() && !lines[at + 1].trim().is_empty() && full.len() < 300 {
                    at += 1;
                    let part = lines[at].trim();
                    full.push(' ');
                    full.push_str(part.trim_end_matches(':'));
                    ends = part.ends_with(':');
                }
                tests.push(full);
                first.get_or_insert(at + 1);
            }
            at += 1;
        }
        let section = &lines[first?..];
        let told = section.iter().map(|line| line.trim()).find(|line| !line.is_empty())?;
        return Some(Failure { message: told.to_owned(), code: None, place: own_frame(section), tests });
    }
    // `✖ failing tests:` and a list with the errors.
    let from = lines.iter().position(|line| line.trim() == "✖ failing tests:")?;
    let section = &lines[from + 1..];
    let tests = section
        .iter()
        .filter_map(|line| line.trim().strip_prefix("✖ "))
        .map(|name| name.split(" (").next().unwrap_or(name).to_owned())
        .collect();
    let told = section.iter().position(|line| is_error(line.trim()).is_some())?;
    Some(Failure {
        message: plain(section[told].trim()).0,
        code: plain(section[told].trim()).1,
        place: own_frame(&section[told..]),
        tests,
    })
}

/// Finds the first error of eslint and its kind: a file, then `12:5  error  message  rule`.
pub(super) fn eslint(lines: &[&str]) -> Option<Failure> {
    let mut file = None;
    for line in lines {
        let text = line.trim();
        if !line.starts_with(' ') && is_file(text) {
            file = Some(text);
            continue;
        }
        let Some((position, rest)) = text.split_once(char::is_whitespace) else { continue };
        let Some((row, column)) = position.split_once(':') else { continue };
        let Some(rest) =
            rest.trim_start().strip_prefix("error").or_else(|| rest.trim_start().strip_prefix("✖"))
        else {
            continue;
        };
        let (Ok(row), Ok(_)) = (row.parse::<u32>(), column.parse::<u32>()) else { continue };
        let Some(file) = file else { continue };
        let rest = rest.trim();
        let (message, rule) = rest
            .rsplit_once("  ")
            .map_or((rest, None), |(message, rule)| (message.trim(), Some(rule.trim().to_owned())));
        return Some(Failure {
            message: message.to_owned(),
            code: rule,
            place: Some((file.to_owned(), Some(row))),
            tests: Vec::new(),
        });
    }
    None
}

/// Finds what a bundler could not do.
pub(super) fn bundling(lines: &[&str]) -> Option<Failure> {
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        let behind = &lines[at + 1..];
        let next = || behind.iter().map(|line| line.trim()).find(|line| !line.is_empty());
        let position = || {
            behind
                .iter()
                .take(6)
                .find_map(|line| colons(line.trim()))
                .map(|(path, row, _)| (path.to_owned(), Some(row)))
        };
        let (message, place) = if let Some(rest) = text.strip_prefix("✘ [ERROR] ") {
            (rest.to_owned(), position())
        } else if text == "Failed to compile." {
            let Some(next) = next() else { continue };
            match colons(next) {
                Some((path, row, "")) => (
                    behind
                        .iter()
                        .map(|line| line.trim())
                        .filter(|line| !line.is_empty())
                        .nth(1)
                        .unwrap_or(next)
                        .to_owned(),
                    Some((path.to_owned(), Some(row))),
                ),
                _ if is_file(next) => (
                    behind
                        .iter()
                        .map(|line| line.trim())
                        .filter(|line| !line.is_empty())
                        .nth(1)
                        .unwrap_or(next)
                        .to_owned(),
                    Some((next.to_owned(), None)),
                ),
                _ => (next.to_owned(), None),
            }
        } else if let Some(rest) = text.strip_prefix("ERROR in ") {
            let Some(next) = next() else { continue };
            let path = rest.split_whitespace().next().unwrap_or(rest);
            (next.to_owned(), is_file(path).then(|| (path.to_owned(), None)))
        } else if text.starts_with("Module not found:")
            || text.starts_with("[vite]: Rollup failed")
            || text.starts_with("[vite] Internal server error")
            || text.contains("[plugin:vite:")
        {
            (text.to_owned(), position())
        } else {
            continue;
        };
        return Some(Failure { message: without_directory(&message), code: None, place, tests: Vec::new() });
    }
    None
}

/// Takes `in '/home/…'` off the end of a message: where the project lies says nothing.
fn without_directory(message: &str) -> String {
    message.split_once(" in '/").map_or(message, |(head, _)| head).to_owned()
}

/// Finds the cause of an error with its stack; the last `[cause]` is the root.
pub(super) fn traced(lines: &[&str]) -> Option<Failure> {
    let mut found: Option<(usize, &str)> = None;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        let text = text.strip_prefix("[cause]: ").map_or(text, |cause| {
            found = None;
            cause
        });
        if found.is_some() || is_error(text).is_none() {
            continue;
        }
        if lines[at + 1..].iter().take(8).any(|line| line.trim_start().starts_with("at ")) {
            found = Some((at, text));
        }
    }
    let (at, text) = found?;
    let text =
        text.strip_prefix("Uncaught ").unwrap_or(text).strip_prefix("Error: Uncaught ").unwrap_or(text);
    let (message, code) = plain(text);
    let code = code.or_else(|| {
        let field = lines[at..].iter().take(40).find_map(|line| line.trim().strip_prefix("code: '"))?;
        field.split('\'').next().map(str::to_owned)
    });
    Some(Failure { message, code, place: own_frame(&lines[at + 1..]), tests: Vec::new() })
}

/// Takes the code out of `TypeError [ERR_X]: message`.
fn plain(text: &str) -> (String, Option<String>) {
    if let Some((name, rest)) = text.split_once(" [")
        && let Some((code, message)) = rest.split_once("]: ")
        && code.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    {
        return (format!("{name}: {message}"), Some(code.to_owned()));
    }
    (text.to_owned(), None)
}

/// Tells whether a line names an error of JavaScript: `TypeError: …`, `AssertionError [ERR_ASSERTION]: …`.
fn is_error(line: &str) -> Option<&str> {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    let end = line.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '$')))?;
    let name = &line[..end];
    let rest = &line[end..];
    let is_name = name.ends_with("Error") || name.ends_with("Exception") || name == "Error";
    (is_name && (rest.starts_with(": ") || rest.starts_with(" ["))).then_some(name)
}
