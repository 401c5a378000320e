//! What a tool prints when it is done: how many tests failed, whether the build went well.
//!
//! Counts decide before words: a test that is there to see a panic prints one, and passes.

use super::Purpose;

/// What was printed about success.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Printed {
    /// What the summaries of tests and linters count.
    pub(super) counted: Option<bool>,
    /// What the words around them say.
    pub(super) worded: Option<bool>,
    /// An exit status that somebody printed.
    pub(super) exit: Option<bool>,
}

/// Where a mark stands in its line.
#[derive(Clone, Copy)]
enum Place {
    Start,
    Anywhere,
    Whole,
}

/// Marks of failure.
const BAD: &[(Place, &str)] = &[
    (Place::Start, "test result: FAILED"),
    (Place::Start, "error: could not compile"),
    (Place::Start, "error: test failed"),
    (Place::Start, "error[E"),
    (Place::Start, "error: "),
    (Place::Start, "--- FAIL"),
    (Place::Start, "FAIL\t"),
    (Place::Whole, "FAIL"),
    (Place::Start, "FAILURES!"),
    (Place::Start, "FAILED ("),
    (Place::Start, "FAILED: "),
    (Place::Start, "FAILURE: "),
    (Place::Anywhere, "BUILD FAIL"),
    (Place::Anywhere, "Build FAILED"),
    (Place::Anywhere, "TEST FAILED"),
    (Place::Start, "npm ERR!"),
    (Place::Start, "npm error"),
    (Place::Start, "make: ***"),
    (Place::Start, "make["),
    (Place::Start, "CMake Error"),
    (Place::Anywhere, " error TS"),
    (Place::Anywhere, ": error CS"),
    (Place::Anywhere, ": error: "),
    (Place::Anywhere, ": fatal error: "),
    (Place::Anywhere, "Failed to compile"),
    (Place::Anywhere, "Command failed"),
    (Place::Anywhere, "ELIFECYCLE"),
    (Place::Anywhere, "ERR_PNPM_"),
    (Place::Start, "ERROR: "),
    (Place::Start, "ERROR "),
    (Place::Start, "Error: "),
    (Place::Start, "Traceback (most recent call last)"),
    (Place::Anywhere, "panicked at "),
    (Place::Start, "panic: "),
    (Place::Start, "fatal: "),
    (Place::Start, "Segmentation fault"),
    (Place::Anywhere, "core dumped"),
    (Place::Anywhere, "command not found"),
    (Place::Anywhere, "Some tests failed"),
    (Place::Start, "Exception in thread"),
    (Place::Anywhere, "would reformat"),
    (Place::Anywhere, "Code style issues found"),
    (Place::Anywhere, "Unhandled exception"),
    (Place::Start, "Uncaught "),
    (Place::Anywhere, ") panicked at"),
];

/// Marks of success.
const GOOD: &[(Place, &str)] = &[
    (Place::Start, "test result: ok"),
    (Place::Anywhere, "BUILD SUCCESS"),
    (Place::Anywhere, "BUILD SUCCEEDED"),
    (Place::Anywhere, "TEST SUCCEEDED"),
    (Place::Anywhere, "Build succeeded"),
    (Place::Start, "ok  \t"),
    (Place::Start, "OK ("),
    (Place::Whole, "OK"),
    (Place::Whole, "PASS"),
    (Place::Anywhere, "All tests passed"),
    (Place::Anywhere, "All checks passed"),
    (Place::Anywhere, "no issues found"),
    (Place::Anywhere, "No issues found"),
    (Place::Anywhere, "no offenses detected"),
    (Place::Anywhere, "ompiled successfully"),
    (Place::Anywhere, "built in "),
    (Place::Start, "Finished `"),
    (Place::Start, "Finished dev"),
    (Place::Start, "Finished test"),
    (Place::Start, "Finished release"),
    (Place::Start, "Successfully "),
    (Place::Start, "Apply complete!"),
    (Place::Anywhere, "All matched files use Prettier"),
    (Place::Anywhere, "would be left unchanged"),
    (Place::Start, "up to date"),
    (Place::Anywhere, "No errors"),
    (Place::Anywhere, "Your database is now in sync"),
];

const FAILED: [&str; 9] =
    ["failed", "failing", "failures", "failure", "fail", "errors", "error", "offenses", "errored"];
const PASSED: [&str; 4] = ["passed", "passing", "pass", "succeeded"];

/// Reads what was printed.
pub(super) fn printed(output: &str, purpose: &Purpose) -> Printed {
    let mut found = Printed::default();
    let may_count = matches!(purpose, Purpose::Test | Purpose::Build | Purpose::Lint | Purpose::Format);
    // Most marks stand nowhere: those are not looked for in each line.
    let present = |marks: &[(Place, &'static str)]| -> Vec<(Place, &'static str)> {
        marks.iter().copied().filter(|(_, mark)| output.contains(mark.trim_end_matches('\t'))).collect()
    };
    let (bad, good) = (present(BAD), present(GOOD));
    for raw in output.lines() {
        let line = raw.trim();
        if line.is_empty() || line.len() > 400 {
            continue;
        }
        if let Some(ok) = exit_line(line) {
            found.exit = Some(ok);
        }
        if may_count && let Some(ok) = counted(line) {
            found.counted = Some(found.counted.unwrap_or(true) && ok);
        }
        if bad.iter().any(|mark| stands(line, *mark)) {
            found.worded = Some(false);
        } else if found.worded.is_none() && good.iter().any(|mark| stands(line, *mark)) {
            found.worded = Some(true);
        }
    }
    found
}

fn stands(line: &str, (place, mark): (Place, &str)) -> bool {
    match place {
        Place::Start => {
            line.starts_with(mark.trim_end_matches('\t')) && (!mark.ends_with('\t') || line.contains('\t'))
        }
        Place::Anywhere => line.contains(mark),
        Place::Whole => line == mark,
    }
}

/// Reads a printed exit status: `Exit code 1`, `exit: 0`, `rc=2`, `Process exited with code 1`.
fn exit_line(line: &str) -> Option<bool> {
    let line =
        line.trim_matches(|c: char| matches!(c, '<' | '>' | '[' | ']' | '(' | ')' | '.' | '-' | '=' | ' '));
    if line.len() > 48 {
        return None;
    }
    let digits = line.bytes().rev().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 3 {
        return None;
    }
    let (words, number) = line.split_at(line.len() - digits);
    let words = words.trim_end_matches([' ', ':', '=', '-']).to_ascii_lowercase();
    let is_status = matches!(
        words.as_str(),
        "exit"
            | "rc"
            | "status"
            | "ret"
            | "exit code"
            | "exit_code"
            | "exitcode"
            | "exit status"
            | "exit-code"
            | "return code"
    ) || words.ends_with("exited with code")
        || words.ends_with("exited with exit code")
        || words.ends_with("exit code")
        || words.ends_with("exit status");
    is_status.then(|| number.bytes().all(|digit| digit == b'0'))
}

/// Reads a line that counts what passed and what failed; tells whether nothing failed.
pub(super) fn counted(line: &str) -> Option<bool> {
    let has_word = || {
        ["fail", "Fail", "FAIL", "rror", "pass", "Pass", "PASS", "offens", "succeeded"]
            .iter()
            .any(|part| line.contains(part))
    };
    if !line.bytes().any(|byte| byte.is_ascii_digit()) || !has_word() {
        return None;
    }
    let tokens = tokens(line);
    let is_labelled = line.starts_with('#') || line.starts_with('ℹ');
    let mut passed = false;
    let mut failed = None;
    for (at, token) in tokens.iter().enumerate() {
        let word = token.text.to_ascii_lowercase();
        let is_failed = FAILED.contains(&word.as_str());
        if !is_failed && !PASSED.contains(&word.as_str()) {
            continue;
        }
        let before = |back: usize| at.checked_sub(back).and_then(|place| tokens.get(place));
        let number = before(1)
            .filter(|token| token.gap.trim().is_empty())
            .and_then(|token| match token.text {
                // `2 tests failed`
                "test" | "tests" | "specs" | "files" | "suites" => {
                    before(2).filter(|token| token.gap.trim().is_empty())
                }
                _ => Some(token),
            })
            .and_then(|token| token.text.parse::<u64>().ok())
            .or_else(|| {
                let next = tokens.get(at + 1)?;
                let gap = token.gap.trim();
                let joins = matches!(gap, ":" | "=") || (gap.is_empty() && is_labelled);
                if joins { next.text.parse().ok() } else { None }
            });
        let Some(number) = number else { continue };
        if is_failed {
            failed = Some(failed.unwrap_or(0) + number);
        } else {
            passed |= number > 0;
        }
    }
    match failed {
        Some(0) => Some(true),
        Some(_) => Some(false),
        None => passed.then_some(true),
    }
}

/// A word of a line, and what stands between it and the next.
struct Token<'l> {
    text: &'l str,
    gap: &'l str,
}

fn tokens(line: &str) -> Vec<Token<'_>> {
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut rest = line;
    loop {
        let start = rest.find(|c: char| c.is_alphanumeric()).unwrap_or(rest.len());
        if let Some(last) = found.last_mut() {
            last.gap = &rest[..start];
        }
        rest = &rest[start..];
        if rest.is_empty() {
            return found;
        }
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        found.push(Token { text: &rest[..end], gap: "" });
        rest = &rest[end..];
    }
}
