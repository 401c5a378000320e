//! `custos log append`: the boundary for other programs.
//!
//! Runs before anything else is loaded. One line in, one answer out, and the answer is on its way before the next line is read: a
//! program that sees an id knows that the event is in the log.

use std::io::{BufRead, Read, StdoutLock, Write};

use custos_log::{Appended, Log, LogError, intake};
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
    let log = context.log();
    let mut answers = std::io::stdout().lock();
    let mut input = std::io::stdin().lock();
    let mut line = Vec::new();
    let mut exit = Exit::Success;
    for number in 1.. {
        line.clear();
        let read = (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line);
        match read.map_err(|error| CliError::new(Exit::Io, format!("cannot read standard input: {error}")))? {
            0 => break,
            read if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') => {
                line = Vec::new();
                input.skip_until(b'\n')?;
                let violation = SchemaViolation {
                    path: "(whole line)".to_owned(),
                    problem: format!("is longer than {} MB", LONGEST_LINE >> 20),
                };
                exit = Exit::Data;
                answer(&mut answers, &refusal(number, &violation.path, &violation.problem))?;
                continue;
            }
            _ => {}
        }
        let draft = line.trim_ascii_end().len();
        if draft == 0 {
            continue;
        }
        match append(&log, &mut line[..draft]) {
            Ok(acknowledged) => answer(&mut answers, &acknowledged)?,
            Err(Refused::Draft(violation)) => {
                exit = Exit::Data;
                answer(&mut answers, &refusal(number, &violation.path, &violation.problem))?;
            }
            Err(Refused::Log(error)) => {
                answer(&mut answers, &refusal(number, "", &error.to_string()))?;
                exit = CliError::from(error).exit;
            }
        }
        // A huge line must not keep its memory for the small ones after it.
        line.shrink_to(1 << 20);
    }
    Ok(exit)
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

fn refusal<'a>(line: u64, path: &'a str, error: &'a str) -> Refusal<'a> {
    Refusal { line, path, error }
}

fn answer(out: &mut StdoutLock<'_>, value: &impl Serialize) -> Result<(), CliError> {
    let mut text = serde_json::to_vec(value).map_err(std::io::Error::from)?;
    text.push(b'\n');
    out.write_all(&text)?;
    out.flush()?;
    Ok(())
}
