//! Errors that name their place: compilers that write `path:line: error: …` or `path(line): error CODE: …`, linkers, CMake and make.

use super::places::{brackets, colons, is_foreign, place};
use super::{Failure, jvm};

/// Finds `src/a.ts(12,5): error TS2345: …` and `src/a.ts:12:5 - error TS2345: …`: tsc, dotnet, MSVC.
pub(super) fn coded(lines: &[&str]) -> Option<Failure> {
    lines.iter().find_map(|line| {
        let text = line.trim();
        let (path, row, rest) = brackets(text).or_else(|| {
            colons(text).map(|(path, row, rest)| (path, row, rest.trim_start_matches(['-', ' '])))
        })?;
        let rest = rest.strip_prefix("error ").or_else(|| rest.strip_prefix("fatal error "))?;
        let (code, message) = rest.split_once(": ")?;
        if code.contains(' ') || !code.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // MSBuild names the project at the end: `… [/src/app.csproj]`.
        let message = message
            .rsplit_once(" [")
            .filter(|(_, tail)| tail.ends_with("proj]"))
            .map_or(message, |(message, _)| message);
        Some(Failure {
            message: format!("{code}: {message}"),
            code: Some(code.to_owned()),
            place: place(path, row),
            tests: Vec::new(),
        })
    })
}

/// Finds `path:12:5: error: …`: gcc, clang, swiftc, javac, ghc, zig, mypy, and whoever writes like them.
pub(super) fn located(lines: &[&str]) -> Option<Failure> {
    let mut first = None;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        let Some((path, row, rest)) = colons(text) else { continue };
        let lower = rest.get(..12).unwrap_or(rest).to_ascii_lowercase();
        let Some(marked) =
            ["error: ", "fatal error:", "error["].iter().find(|mark| lower.starts_with(**mark))
        else {
            continue;
        };
        let message = rest[marked.trim_end_matches('[').len()..].trim();
        if message.is_empty() {
            continue;
        }
        // mypy and clang put what it is called in brackets at the end.
        let code = message
            .rsplit_once('[')
            .and_then(|(_, tail)| tail.strip_suffix(']'))
            .filter(|code| !code.contains(' ') && code.len() < 40)
            .map(str::to_owned);
        let message = match &code {
            Some(code) => message
                .trim_end_matches(']')
                .trim_end_matches(code.as_str())
                .trim_end_matches('[')
                .trim()
                .to_owned(),
            None => jvm::with_symbol(message, &lines[at + 1..]),
        };
        let found = Failure { message, code, place: place(path, row), tests: Vec::new() };
        if !is_foreign(path) {
            return Some(found);
        }
        first.get_or_insert(found);
    }
    first
}

/// Finds what a linker misses.
pub(super) fn linking(lines: &[&str]) -> Option<Failure> {
    let line = lines.iter().map(|line| line.trim()).find(|line| {
        line.contains("undefined reference to")
            || line.starts_with("Undefined symbols for architecture")
            || line.contains("unresolved external symbol")
            || line.starts_with("ld: ")
            || line.contains(": cannot find -l")
            || line.contains("multiple definition of")
    })?;
    let message =
        ["undefined reference to", "cannot find -l", "multiple definition of", "unresolved external symbol"]
            .iter()
            .find_map(|mark| line.find(mark).map(|at| &line[at..]))
            .unwrap_or(line);
    let message = if message.starts_with("Undefined symbols") {
        let at = lines.iter().position(|other| other.trim() == line)?;
        lines.get(at + 1).map_or_else(
            || message.to_owned(),
            |symbol| {
                format!(
                    "Undefined symbol: {}",
                    symbol.trim().split(", referenced").next().unwrap_or_default()
                )
            },
        )
    } else {
        message.to_owned()
    };
    Some(Failure { message, ..Failure::default() })
}

/// Finds the first error of CMake.
pub(super) fn cmake(lines: &[&str]) -> Option<Failure> {
    let at = lines.iter().position(|line| line.starts_with("CMake Error"))?;
    let line = lines[at];
    let spot =
        line.strip_prefix("CMake Error at ").and_then(colons).and_then(|(path, row, _)| place(path, row));
    let same_line = line.strip_prefix("CMake Error: ").map(str::to_owned);
    let message = same_line.or_else(|| {
        lines[at + 1..].iter().map(|line| line.trim()).find(|line| !line.is_empty()).map(str::to_owned)
    })?;
    Some(Failure { message, code: None, place: spot, tests: Vec::new() })
}

/// Finds what make could not do, where what it ran says nothing that is known.
pub(super) fn make(lines: &[&str]) -> Option<Failure> {
    let at = lines.iter().position(|line| line.starts_with("make") && line.contains("*** "))?;
    let (_, told) = lines[at].split_once("*** ")?;
    if told.starts_with("No rule") || told.contains("missing separator") {
        return Some(Failure {
            message: told.trim_end_matches(" Stop.").trim_end().trim_end_matches('.').to_owned(),
            ..Failure::default()
        });
    }
    super::generic::last(&lines[..at])
        .or_else(|| Some(Failure { message: format!("make: {told}"), ..Failure::default() }))
}
