//! Test runners with a form of their own: ExUnit, TAP.

use super::Failure;
use super::places::{colons, is_foreign};

/// Finds the first failing test of ExUnit: `  1) test adds (CartTest)`, the place, then the assertion.
pub(super) fn elixir(lines: &[&str]) -> Option<Failure> {
    let head = |line: &str| -> Option<String> {
        let (number, rest) = line.trim().split_once(") ")?;
        let rest = rest.strip_prefix("test ")?;
        (number.bytes().all(|byte| byte.is_ascii_digit()) && rest.ends_with(')'))
            .then(|| rest.rsplit_once(" (").map_or(rest, |(name, _)| name).to_owned())
    };
    let at = lines.iter().position(|line| head(line).is_some())?;
    let section = &lines[at + 1..];
    let spot = section
        .iter()
        .take(20)
        .filter_map(|line| colons(line.trim()))
        .find(|(path, ..)| !is_foreign(path))
        .map(|(path, row, _)| (path.to_owned(), Some(row)));
    let told: Vec<&str> = section
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty() && colons(line).is_none())
        .take(8)
        .collect();
    let side = |name: &str| told.iter().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let message = match (side("left: "), side("right: ")) {
        (Some(left), Some(right)) => format!("assertion failed: left {left}, right {right}"),
        _ => told.first().map(|line| (*line).to_owned())?,
    };
    Some(Failure {
        message,
        code: None,
        place: spot,
        tests: lines.iter().filter_map(|line| head(line)).collect(),
    })
}

/// Finds the first `not ok` of a test protocol, with what its block says.
pub(super) fn tap(lines: &[&str]) -> Option<Failure> {
    let name = |line: &str| -> Option<String> {
        let rest = line.trim_start().strip_prefix("not ok ")?;
        let rest =
            rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().trim_start_matches("- ");
        (!rest.contains("# TODO") && !rest.contains("# SKIP"))
            .then(|| rest.split(" # ").next().unwrap_or(rest).to_owned())
    };
    let at = lines.iter().position(|line| name(line).is_some())?;
    let tests: Vec<String> = lines.iter().filter_map(|line| name(line)).collect();
    let section: Vec<&str> =
        lines[at + 1..].iter().take(30).map(|line| line.trim().trim_start_matches("# ")).collect();
    let field = |key: &str| {
        section
            .iter()
            .find_map(|line| line.strip_prefix(key))
            .map(|value| value.trim().trim_matches(['\'', '"', '|', '-']).trim())
    };
    let message = match field("error:").or_else(|| field("message:")) {
        Some("") => section
            .iter()
            .skip_while(|line| !line.starts_with("error:") && !line.starts_with("message:"))
            .nth(1)
            .map(|line| (*line).to_owned()),
        Some(message) => Some(message.to_owned()),
        None => section
            .iter()
            .find(|line| line.starts_with('`') || line.contains("failed"))
            .map(|line| (*line).to_owned()),
    };
    let spot = field("location:")
        .or_else(|| field("at:"))
        .and_then(colons)
        .map(|(path, row, _)| (path.to_owned(), Some(row)));
    let code = field("code:").map(str::to_owned).filter(|code| !code.is_empty());
    Some(Failure {
        message: message.unwrap_or_else(|| format!("{} failed", tests[0])),
        code,
        place: spot,
        tests,
    })
}
