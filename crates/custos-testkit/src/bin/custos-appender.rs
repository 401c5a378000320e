//! Appends events and says so, until somebody kills it: `custos-appender LOG STATE COUNT SIZE [SEGMENT [PIECE]]`.
//!
//! With PIECE, the disk takes no more than so many bytes at once, as a full or a remote one may do.
//! Every acknowledged event is one line on stdout, `ID SEQ`, written right after the append has returned. What is on stdout must
//! therefore be in the log, whenever the process ended.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use custos_log::append::{Places, Surroundings};
use custos_log::{Limits, Log, WriterId};
use custos_model::{Draft, Kind, Origin, Scope};
use custos_testkit::faulty::FaultyDisk;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            // Nobody reads this but the person whose test has failed.
            let _ = writeln!(std::io::stderr(), "{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args_os().skip(1);
    let mut path = || args.next().map(PathBuf::from).ok_or("LOG and STATE are missing");
    let (log, state) = (path()?, path()?);
    let mut numbers = args.map(|arg| arg.to_str().and_then(|text| text.parse::<u64>().ok()));
    let mut number = || numbers.next().flatten();
    let (count, size) = number().zip(number()).ok_or("COUNT and SIZE are missing")?;
    let limits = Limits {
        segment: number().unwrap_or(Limits::default().segment),
        patience: Duration::from_mins(1),
        ..Limits::default()
    };
    let mut surroundings = Surroundings::system();
    if let Some(piece) = number() {
        surroundings.disk = Arc::new(FaultyDisk::in_pieces(usize::try_from(piece)?));
    }
    let places = Places { backups: state.join("backups"), log, state };
    let log = Log::new(places, surroundings, limits, "appender".parse::<WriterId>()?);
    let text = "torn or whole ".repeat(usize::try_from(size / 14 + 1)?);
    let mut stdout = std::io::stdout().lock();
    for _ in 0..count {
        let body = serde_json::Map::from_iter([("output".to_owned(), text.as_str().into())]);
        let appended = log.append(Draft::new(Kind::ToolUsed, Scope::User, body), Origin::Hook)?;
        // Line-buffered, so this is one write.
        writeln!(stdout, "{} {}", appended.id, appended.seq)?;
    }
    Ok(())
}
