//! What dotnet test and exceptions of .NET print.

use super::places::is_foreign;
use super::{Failure, Place};

/// Finds the first failing test.
pub(super) fn testing(lines: &[&str]) -> Option<Failure> {
    let at = lines.iter().position(|line| line.trim() == "Error Message:")?;
    let tests = lines
        .iter()
        .filter_map(|line| line.trim().strip_prefix("Failed "))
        .filter(|rest| rest.ends_with(']'))
        .filter_map(|rest| rest.rsplit_once(" [").map(|(name, _)| name.to_owned()))
        .collect();
    let told: Vec<&str> = lines[at + 1..]
        .iter()
        .map(|line| line.trim())
        .take_while(|line| *line != "Stack Trace:")
        .filter(|line| !line.is_empty())
        .take(6)
        .collect();
    let mut message = (*told.first()?).to_owned();
    for side in told.iter().filter(|line| {
        line.starts_with("Expected:") || line.starts_with("Actual:") || line.starts_with("But was:")
    }) {
        if **side != message {
            message.push_str(", ");
            message.push_str(&side.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    Some(Failure { message, code: None, place: own(&lines[at..]), tests })
}

/// Finds the root of an exception: the innermost one, which stands behind the last arrow.
pub(super) fn traced(lines: &[&str]) -> Option<Failure> {
    let first = lines.iter().position(|line| {
        line.contains("Unhandled exception. ")
            || (line.contains("Exception: ") && lines.len() > 1 && line.starts_with("System."))
    })?;
    let inner = lines[first..].iter().map(|line| line.trim()).rfind(|line| line.starts_with("---> "));
    let text = inner.map_or_else(
        || lines[first].trim().trim_start_matches("Unhandled exception. "),
        |line| line.trim_start_matches("---> "),
    );
    let text = text.rsplit(" ---> ").next().unwrap_or(text);
    Some(Failure { message: text.to_owned(), code: None, place: own(&lines[first..]), tests: Vec::new() })
}

/// The first frame with a file: `at App.Total() in /src/App.cs:line 12`.
fn own(lines: &[&str]) -> Option<Place> {
    lines.iter().take(80).find_map(|line| {
        let (_, rest) = line.trim().strip_prefix("at ")?.rsplit_once(" in ")?;
        let (path, row) = rest.split_once(":line ")?;
        (!is_foreign(path)).then(|| (path.to_owned(), row.trim().parse().ok()))
    })
}
