//! What pytest, unittest and tracebacks say.

use super::Failure;
use super::places::{colons, has_ending, is_foreign, place};

/// Finds the cause of the first failing test of pytest.
pub(super) fn pytest(lines: &[&str]) -> Option<Failure> {
    let is_pytest = lines.iter().any(|line| {
        line.starts_with("E   ")
            || line.starts_with("E\t")
            || (line.starts_with("FAILED ") || line.starts_with("ERROR ")) && line.contains(".py")
    });
    if !is_pytest {
        return None;
    }
    let mut tests = Vec::new();
    let mut summed = None;
    for line in lines {
        if let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
            let (id, message) =
                rest.split_once(" - ").map_or((rest, None), |(id, message)| (id, Some(message)));
            if id.contains(".py") {
                tests.extend(id.split_once("::").map(|(_, name)| name.trim().to_owned()));
                summed = summed.or(message);
            }
        } else if let Some((id, _)) = line.split_once(" FAILED").or_else(|| line.split_once(" ERROR ["))
            && let Some((file, name)) = id.split_once("::")
            && has_ending(file, "py")
        {
            tests.push(name.trim().to_owned());
        }
    }
    let heads: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| is_head(line)).map(|(at, _)| at).collect();
    let section = match heads.as_slice() {
        [first, second, ..] => &lines[*first..*second],
        [only] => &lines[*only..],
        [] => lines,
    };
    if tests.is_empty() {
        tests.extend(heads.iter().filter_map(|at| head(lines[*at])));
    }
    let message = told(section).map(str::to_owned).or_else(|| summed.map(str::to_owned))?;
    let place = section
        .iter()
        .filter(|line| !line.starts_with([' ', 'E', '>']))
        .filter_map(|line| colons(line))
        .rfind(|(path, _, rest)| !is_foreign(path) && !rest.contains("warning"))
        .map(|(path, row, _)| (path.to_owned(), Some(row)))
        .or_else(|| traced(section).and_then(|found| found.place));
    Some(Failure { message, code: None, place, tests })
}

fn is_head(line: &str) -> bool {
    line.starts_with("____") && line.ends_with("____") && line.contains(' ')
}

fn head(line: &str) -> Option<String> {
    let name = line.trim_matches('_').trim();
    let name = name
        .strip_prefix("ERROR at setup of ")
        .or_else(|| name.strip_prefix("ERROR at teardown of "))
        .unwrap_or(name);
    (!name.is_empty() && !name.starts_with("ERROR collecting")).then(|| name.replace('.', "::"))
}

/// The line that says why: that of the root where one error was raised from another, else that of the last error.
fn told<'l>(section: &[&'l str]) -> Option<&'l str> {
    let from_root = section.iter().any(|line| line.contains("direct cause of the following exception"));
    let mut found = None;
    let mut was_told = false;
    for line in section {
        let told = line.strip_prefix("E   ").map(str::trim).filter(|told| !told.is_empty());
        if let Some(told) = told
            && !was_told
        {
            found = Some(told);
            if from_root {
                break;
            }
        }
        was_told = line.starts_with('E');
    }
    found
}

/// Finds the cause of a traceback, or of several that led to each other.
pub(super) fn traceback(lines: &[&str]) -> Option<Failure> {
    let mut found = traced(lines)?;
    for line in lines {
        if let Some(rest) = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "))
            && rest.contains('(')
        {
            found.tests.extend(rest.split_whitespace().next().map(str::to_owned));
        }
    }
    Some(found)
}

fn traced(lines: &[&str]) -> Option<Failure> {
    let mut found: Option<Failure> = None;
    let mut frame = None;
    let mut own = None;
    let mut keeps_root = false;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim_start_matches(['|', '+', ' ']);
        if let Some(rest) = text.strip_prefix("File \"") {
            if let Some((path, rest)) = rest.split_once("\", line ") {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                if let Ok(row) = rest[..digits].parse() {
                    frame = Some(at);
                    own = place(path, row).filter(|_| !path.starts_with('<')).or(own);
                }
            }
        } else if line.contains("was the direct cause of the following exception") {
            keeps_root = true;
        } else if line.contains("During handling of the above exception") {
            keeps_root = false;
        } else if frame.is_some() && !line.starts_with([' ', '\t']) && is_exception(line) {
            let failure =
                Failure { message: (*line).to_owned(), code: None, place: own.take(), tests: Vec::new() };
            // The first of several unconnected tracebacks is where the trouble began.
            let follows =
                found.is_some()
                    && lines[..at].iter().rev().take(200).any(|line| {
                        line.contains("the above exception") || line.contains("The above exception")
                    });
            if found.is_none() || (follows && !keeps_root) {
                found = Some(failure);
            }
            frame = None;
            keeps_root = false;
        }
    }
    found
}

/// Tells whether a line names an exception: `ValueError: …`, `requests.exceptions.ConnectionError`, `KeyboardInterrupt`.
fn is_exception(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or(line).trim();
    !name.is_empty()
        && name.len() < 120
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_'))
        && name.rsplit('.').next().is_some_and(|last| {
            last.starts_with(|c: char| c.is_ascii_uppercase())
                || last.ends_with("error")
                || last == "exception"
                || last.contains("Error")
        })
}
