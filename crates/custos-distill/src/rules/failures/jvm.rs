//! What javac, kotlinc, Maven, Gradle, JUnit and the JVM print.

use super::places::{colons, has_ending, is_file, place};
use super::{Failure, Place};

/// Finds the first failing test of Maven's and Gradle's runners.
pub(super) fn testing(lines: &[&str]) -> Option<Failure> {
    let mut tests = Vec::new();
    let mut first: Option<(String, Option<Place>)> = None;
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        // `[ERROR]   OrderTest.total:42 expected: <3> but was: <4>`
        if let Some(rest) = text.strip_prefix("[ERROR] ").map(str::trim)
            && let Some((head, message)) = rest.split_once(' ')
            && let Some((name, row)) = head
                .rsplit_once(':')
                .or_else(|| head.split_once("->").and_then(|(head, _)| head.rsplit_once(':')))
            && let Ok(row) = row.parse::<u32>()
            && name.contains('.')
            && !name.contains('/')
            && !has_ending(name, "java")
        {
            tests.push(name.to_owned());
            let class = name.split('.').next().unwrap_or(name);
            first.get_or_insert((
                message.trim_start_matches('»').trim().to_owned(),
                Some((format!("{class}.java"), Some(row))),
            ));
        }
        // `OrderTest > total() FAILED`
        if let Some(head) = text.strip_suffix(" FAILED")
            && !text.starts_with("> Task")
            && let Some((class, method)) = head.split_once(" > ")
        {
            let class = class.rsplit('.').next().unwrap_or(class);
            tests.push(format!("{class}.{}", method.trim_end_matches("()")));
            if let Some(told) = lines.get(at + 1).map(|line| line.trim()).filter(|told| !told.is_empty()) {
                let (message, spot) =
                    told.rsplit_once(" at ").map_or((told, None), |(message, spot)| (message, colons(spot)));
                let spot = spot.and_then(|(path, row, _)| place(path, row)).or_else(|| own(&lines[at + 1..]));
                first.get_or_insert((short(message), spot));
            }
        }
    }
    let (message, place) = first?;
    Some(Failure { message, code: None, place, tests })
}

/// Finds the first error of a compiler.
pub(super) fn compiling(lines: &[&str]) -> Option<Failure> {
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim();
        // Maven: `[ERROR] /src/A.java:[12,5] cannot find symbol`
        if let Some(rest) = text.strip_prefix("[ERROR] ")
            && let Some((path, rest)) = rest.split_once(":[")
            && let Some((position, message)) = rest.split_once("] ")
            && is_file(path)
        {
            let row = position.split(',').next().and_then(|row| row.parse().ok());
            return Some(Failure {
                message: with_symbol(message, &lines[at + 1..]),
                code: None,
                place: Some((path.to_owned(), row)),
                tests: Vec::new(),
            });
        }
        // Kotlin: `e: file:///src/A.kt:12:5 Unresolved reference: foo`
        if let Some(rest) = text.strip_prefix("e: ") {
            let rest = rest.strip_prefix("file://").unwrap_or(rest);
            if let Some((path, row, message)) = colons(rest) {
                return Some(Failure {
                    message: message.to_owned(),
                    code: None,
                    place: place(path, row),
                    tests: Vec::new(),
                });
            }
        }
        // Scala: `[error] src/A.scala:12:5: not found: value foo`
        if let Some((path, row, message)) = text.strip_prefix("[error] ").and_then(colons)
            && !message.is_empty()
        {
            return Some(Failure {
                message: message.to_owned(),
                code: None,
                place: place(path, row),
                tests: Vec::new(),
            });
        }
    }
    None
}

/// `cannot find symbol` says nothing without the symbol, which javac prints below.
pub(super) fn with_symbol(message: &str, behind: &[&str]) -> String {
    let symbol = behind.iter().take(5).find_map(|line| {
        let text = line.trim();
        let text = text.strip_prefix("[ERROR]").map_or(text, str::trim);
        text.strip_prefix("symbol:").map(str::trim)
    });
    match symbol {
        Some(symbol) if message.contains("cannot find symbol") => {
            format!("{message}: {}", symbol.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        _ => message.to_owned(),
    }
}

/// Finds the root of an exception: the last `Caused by:` of the first trace.
pub(super) fn traced(lines: &[&str]) -> Option<Failure> {
    let is_frame = |line: &str| {
        let text = line.trim_start();
        text.starts_with("at ")
            && text.ends_with(')')
            && (text.contains(".java:")
                || text.contains(".kt:")
                || text.contains(".scala:")
                || text.contains(".groovy:")
                || text.contains("Native Method")
                || text.contains("Unknown Source"))
    };
    let first = lines.iter().position(|line| is_frame(line))?;
    let root = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.trim_start().starts_with("Caused by: "))
        .map(|(at, _)| at)
        .next_back();
    let at = root.or_else(|| (0..first).rev().find(|at| is_exception(lines[*at])))?;
    let text = lines[at].trim().trim_start_matches("Caused by: ");
    let text = text
        .strip_prefix("Exception in thread ")
        .and_then(|rest| rest.split_once("\" "))
        .map_or(text, |(_, rest)| rest);
    let text = match text.find("Exception").or_else(|| text.find("Error")) {
        // A log line has its time and level before the exception.
        Some(found) => {
            let word = text[..found].rsplit(char::is_whitespace).next().unwrap_or_default();
            &text[found - word.len()..]
        }
        None => text,
    };
    Some(Failure {
        message: short(text),
        code: None,
        place: own(&lines[at + 1..]).or_else(|| own(&lines[first..])),
        tests: Vec::new(),
    })
}

fn is_exception(line: &str) -> bool {
    let text = line.trim();
    (text.contains("Exception") || text.contains("Error")) && !text.starts_with("at ")
}

/// Without the package of an exception's class: `java.lang.IllegalStateException: …`.
fn short(message: &str) -> String {
    let (name, rest) = message.split_once(':').map_or((message, ""), |(name, rest)| (name, rest));
    if name.contains(char::is_whitespace) || !name.contains('.') {
        return message.to_owned();
    }
    let name = name.rsplit('.').next().unwrap_or(name);
    if rest.is_empty() { name.to_owned() } else { format!("{name}:{rest}") }
}

/// The first frame whose class is not of the platform, a framework or a test runner.
fn own(lines: &[&str]) -> Option<Place> {
    const FRAMES: [&str; 20] = [
        "java.",
        "javax.",
        "jdk.",
        "sun.",
        "org.junit",
        "org.springframework",
        "org.apache",
        "org.gradle",
        "kotlin.",
        "kotlinx.",
        "org.hibernate",
        "com.zaxxer",
        "io.netty",
        "reactor.",
        "org.mockito",
        "scala.",
        "org.assertj",
        "com.fasterxml",
        "jakarta.",
        "org.opentest4j",
    ];
    lines.iter().take(80).find_map(|line| {
        let rest = line.trim().strip_prefix("at ")?;
        let rest =
            rest.split_once('/').filter(|(head, _)| !head.contains('(')).map_or(rest, |(_, rest)| rest);
        if FRAMES.iter().any(|package| rest.starts_with(package)) {
            return None;
        }
        let (_, inner) = rest.rsplit_once('(')?;
        let (file, row) = inner.trim_end_matches(')').split_once(':')?;
        Some((file.to_owned(), row.parse().ok()))
    })
}

/// Finds what went wrong with a build of Gradle or Maven, where nothing else says it.
pub(super) fn gradle(lines: &[&str]) -> Option<Failure> {
    if let Some(at) = lines.iter().position(|line| line.trim() == "* What went wrong:") {
        let told: Vec<&str> = lines[at + 1..]
            .iter()
            .map(|line| line.trim())
            .take_while(|line| !line.is_empty() && !line.starts_with("* Try"))
            .collect();
        let message = told.iter().rev().find(|line| line.starts_with('>')).or_else(|| told.first())?;
        return Some(Failure {
            message: message.trim_start_matches(['>', ' ']).to_owned(),
            ..Failure::default()
        });
    }
    lines.iter().any(|line| line.contains("BUILD FAILURE")).then_some(())?;
    let told = lines
        .iter()
        .filter_map(|line| line.trim().strip_prefix("[ERROR] "))
        .find(|line| line.len() > 8 && !line.starts_with("COMPILATION"))?;
    Some(Failure { message: told.split(" -> [Help").next().unwrap_or(told).to_owned(), ..Failure::default() })
}
