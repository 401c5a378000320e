//! `custos log append`: the boundary for other programs.
//!
//! Runs before anything else is loaded. One line in, one answer out, and the answer is on its way before the next line is read: a
//! program that sees an id knows that the event is in the log.

use std::io::{BufRead, Read, StdoutLock, Write};
use std::time::Duration;

use custos_log::{Appended, Limits, Log, LogError, intake};
use custos_model::{Origin, SchemaViolation};
use serde::Serialize;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// The longest line that is read; a longer one is refused without being held.
const LONGEST_LINE: u64 = 64 << 20;

#[derive(Serialize)]
struct Acknowledged {
    #[serde(flatten)]
    appended: Appended,
    /// Present when bytes that were no text had to be replaced.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    mended: bool,
}

#[derive(Serialize)]
struct Refusal<'a> {
    line: u64,
    path: &'a str,
    error: &'a str,
}

pub(crate) fn run() -> Result<Exit, CliError> {
    let context = Context::quick()?;
    let mut log = context.log();
    let mut answers = Answers { out: std::io::stdout().lock(), is_open: true };
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    let mut exit = Exit::Success;
    for number in 1.. {
        line.clear();
        let read = (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
            line = Vec::new();
            input.skip_until(b'\n').map_err(unreadable)?;
            exit = Exit::Data;
            let error = format!("is longer than {} MB", LONGEST_LINE >> 20);
            answers.give(&Refusal { line: number, path: "(whole line)", error: &error })?;
            continue;
        }
        let draft = line.trim_ascii_end().len();
        if draft == 0 {
            continue;
        }
        match append(&log, &mut line[..draft]) {
            Ok(acknowledged) => answers.give(&acknowledged)?,
            Err(Refused::Draft(violation)) => {
                exit = Exit::Data;
                answers.give(&Refusal { line: number, path: &violation.path, error: &violation.problem })?;
            }
            Err(Refused::Log(error)) => {
                answers.give(&Refusal { line: number, path: "", error: &error.to_string() })?;
                if matches!(error, LogError::Busy { .. }) {
                    // The patience of one draft is spent; a thousand of them must not wait for half an hour.
                    log = log.with_limits(Limits { patience: Duration::ZERO, ..log.limits().clone() });
                }
                exit = CliError::from(error).exit;
            }
        }
        // A huge line must not keep its memory for the small ones after it.
        line.shrink_to(1 << 20);
    }
    Ok(exit)
}

#[expect(clippy::needless_pass_by_value, reason = "the form that map_err takes")]
fn unreadable(error: std::io::Error) -> CliError {
    CliError::new(Exit::Io, format!("cannot read standard input: {error}"))
}

enum Refused {
    Draft(SchemaViolation),
    Log(LogError),
}

fn append(log: &Log, line: &mut [u8]) -> Result<Acknowledged, Refused> {
    let taken = intake::read_draft(line, log.limits().event).map_err(Refused::Draft)?;
    let appended = log.append(taken.draft, Origin::Cli).map_err(Refused::Log)?;
    Ok(Acknowledged { appended, mended: taken.mended })
}

/// Where the answers go. When nobody reads them any more, the events still go in.
struct Answers<'a> {
    out: StdoutLock<'a>,
    is_open: bool,
}

impl Answers<'_> {
    fn give(&mut self, answer: &impl Serialize) -> Result<(), CliError> {
        if !self.is_open {
            return Ok(());
        }
        let mut text = serde_json::to_vec(answer).map_err(std::io::Error::from)?;
        text.push(b'\n');
        match self.out.write_all(&text).and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                self.is_open = false;
                Ok(())
            }
            given => Ok(given?),
        }
    }
}
