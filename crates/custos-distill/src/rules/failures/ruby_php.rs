//! What RSpec, minitest, PHPUnit, Ruby and PHP print.

use super::Failure;
use super::places::{colons, has_ending, is_foreign, place};

/// Finds the first failing example.
pub(super) fn rspec(lines: &[&str]) -> Option<Failure> {
    let at = lines.iter().position(|line| line.trim_start().starts_with("Failure/Error:"))?;
    let mut tests: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            line.strip_prefix("rspec ")
                .and_then(|rest| rest.split_once(" # "))
                .map(|(_, name)| name.to_owned())
        })
        .collect();
    // `1) Order follows a refund`, where the list at the end was cut off.
    if tests.is_empty() {
        let numbered = lines.iter().filter_map(|line| line.trim_start().split_once(") "));
        let is_number = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        tests.extend(numbered.filter(|(number, _)| is_number(number)).map(|(_, name)| name.to_owned()));
    }
    let section = &lines[at..];
    let behind: Vec<&str> =
        section[1..].iter().map(|line| line.trim()).filter(|line| !line.is_empty()).take(12).collect();
    let side = |name: &str| behind.iter().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let message = match (side("expected: "), side("got: ")) {
        (Some(expected), Some(got)) => format!("expected {expected}, got {got}"),
        _ => behind
            .iter()
            .find(|line| line.starts_with("expected") || line.contains("Error"))
            .or_else(|| behind.first())?
            .trim_end_matches(':')
            .to_owned(),
    };
    // `NoMethodError:` has its text on the next line.
    let message =
        match behind.iter().position(|line| line.trim_end_matches(':') == message && line.ends_with(':')) {
            Some(at) if message.ends_with("Error") => {
                behind.get(at + 1).map_or(message.clone(), |rest| format!("{message}: {rest}"))
            }
            _ => message,
        };
    let spot = section
        .iter()
        .take(40)
        .filter_map(|line| line.trim().strip_prefix("# "))
        .filter_map(colons)
        .find(|(path, ..)| !is_foreign(path))
        .map(|(path, row, _)| (path.to_owned(), Some(row)));
    Some(Failure { message, code: None, place: spot, tests })
}

/// Finds the first failing test of minitest: `Failure:`, then `CartTest#test_total [test/cart_test.rb:12]:`.
pub(super) fn minitest(lines: &[&str]) -> Option<Failure> {
    let mut tests = Vec::new();
    let mut first = None;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        let is_head = text.ends_with("Failure:") || text.ends_with("Error:");
        if !is_head || text.len() > 24 {
            continue;
        }
        let Some(head) = lines.get(at + 1).map(|line| line.trim()).filter(|head| head.contains('#')) else {
            continue;
        };
        let (name, spot) = head
            .split_once(" [")
            .map_or((head.trim_end_matches(':'), None), |(name, rest)| (name, rest.split(']').next()));
        tests.push(name.to_owned());
        if first.is_none() {
            let spot = spot
                .and_then(|spot| spot.rsplit_once(':'))
                .map(|(path, row)| (path.to_owned(), row.parse().ok()));
            let told: Vec<&str> = lines[at + 2..]
                .iter()
                .map(|line| line.trim())
                .take_while(|line| !line.is_empty())
                .take(4)
                .collect();
            let side = |name: &str| told.iter().find_map(|line| line.strip_prefix(name)).map(str::trim);
            let message = match (side("Expected: "), side("Actual: ")) {
                (Some(expected), Some(actual)) => format!("expected {expected}, actual {actual}"),
                _ => told.first().map(|line| (*line).to_owned())?,
            };
            let spot = spot.or_else(|| {
                told.iter().find_map(|line| colons(line)).map(|(path, row, _)| (path.to_owned(), Some(row)))
            });
            first = Some((message, spot));
        }
    }
    let (message, place) = first?;
    Some(Failure { message, code: None, place, tests })
}

/// Finds the first failing test of PHPUnit: `1) CartTest::testTotal`, then the message and the place.
pub(super) fn phpunit(lines: &[&str]) -> Option<Failure> {
    let head = |line: &str| -> Option<String> {
        let (number, name) = line.split_once(") ")?;
        (number.bytes().all(|byte| byte.is_ascii_digit())
            && !number.is_empty()
            && name.contains("::")
            && !name.contains(' '))
        .then(|| name.to_owned())
    };
    let at = lines.iter().position(|line| head(line).is_some())?;
    let tests = lines.iter().filter_map(|line| head(line)).collect();
    let section = &lines[at + 1..];
    let message = section.iter().map(|line| line.trim()).find(|line| !line.is_empty())?.to_owned();
    let spot = section
        .iter()
        .take(40)
        .filter_map(|line| colons(line.trim()))
        .find(|(path, ..)| has_ending(path, "php") && !is_foreign(path))
        .map(|(path, row, _)| (path.to_owned(), Some(row)));
    Some(Failure { message, code: None, place: spot, tests })
}

/// Finds an exception of Ruby: `app.rb:12:in 'total': undefined method 'x' for nil (NoMethodError)`.
pub(super) fn ruby(lines: &[&str]) -> Option<Failure> {
    lines.iter().enumerate().find_map(|(at, line)| {
        let (path, row, rest) = colons(line.trim())?;
        let rest = rest.strip_prefix("in ")?;
        let (_, message) = rest.split_once("': ").or_else(|| rest.split_once("`: "))?;
        let (message, class) = match message.rsplit_once(" (") {
            Some((message, class)) if class.ends_with(')') => (message, Some(class.trim_end_matches(')'))),
            _ => (message, None),
        };
        let spot = place(path, row).or_else(|| {
            let frames = lines[at + 1..]
                .iter()
                .take(40)
                .filter_map(|line| colons(line.trim().trim_start_matches("from ")));
            frames
                .filter(|(path, ..)| !is_foreign(path))
                .map(|(path, row, _)| (path.to_owned(), Some(row)))
                .next()
        });
        let message = class.map_or_else(|| message.to_owned(), |class| format!("{class}: {message}"));
        Some(Failure { message, code: None, place: spot, tests: Vec::new() })
    })
}

/// Finds an error of PHP: `PHP Fatal error:  Uncaught … in /app/x.php:12`.
pub(super) fn php(lines: &[&str]) -> Option<Failure> {
    let line = lines.iter().map(|line| line.trim()).find(|line| {
        let text = line.strip_prefix("PHP ").unwrap_or(line);
        text.starts_with("Fatal error:")
            || text.starts_with("Parse error:")
            || text.starts_with("syntax error,")
    })?;
    let text = line.strip_prefix("PHP ").unwrap_or(line);
    let text = text.trim_start_matches("Fatal error:").trim_start().trim_start_matches("Uncaught ");
    let (message, spot) = match text.rsplit_once(" in ") {
        Some((message, spot)) => (message, Some(spot)),
        None => (text, None),
    };
    let spot = spot.and_then(|spot| {
        let (path, row) = spot.split_once(" on line ").or_else(|| spot.rsplit_once(':'))?;
        Some((path.to_owned(), row.trim().parse().ok()))
    });
    Some(Failure { message: message.to_owned(), code: None, place: spot, tests: Vec::new() })
}
