//! `custos doctor`: checks everything and says what to do about what is wrong.

use std::path::Path;

use custos_config::Loaded;
use custos_index::{Index, User};
use custos_log::disk::Access;
use custos_log::head::Lock;
use custos_log::verify::Severity;
use custos_log::{Log, backup};
use serde::Serialize;

use crate::context::Context;
use crate::distiller::key::open_to_others;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, DIM, GOOD, Output, WARN, styled};
use crate::progress::{Progress, Unit};
use crate::render;
use crate::when;

mod clients;
mod distilling;
mod guard;
mod knowledge;
mod vectors;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    Note,
    Bad,
}

/// One thing that was checked.
#[derive(Serialize)]
struct Check {
    what: &'static str,
    state: State,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Check {
    fn ok(what: &'static str, found: impl Into<String>) -> Self {
        Self { what, state: State::Ok, found: found.into(), advice: None }
    }

    fn note(what: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what, state: State::Note, found: found.into(), advice: Some(advice.into()) }
    }

    fn bad(what: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what, state: State::Bad, found: found.into(), advice: Some(advice.into()) }
    }

    fn failed(what: &'static str, error: CliError) -> Self {
        let advice = error.hint.unwrap_or_else(|| "mend that and run `custos doctor` again".to_owned());
        Self::bad(what, error.message, advice)
    }
}

/// The column in which what was found begins.
const INDENT: usize = 20;

pub(crate) fn run(
    context: &Context,
    loaded: &Loaded,
    online: bool,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let log = context.log();
    let mut checks = vec![settings(context, loaded)];
    checks.extend(places(context));
    checks.push(writable(&log));
    checks.push(chain(&log));
    checks.push(index(context));
    checks.push(backups(context, &log));
    checks.extend(distilling::checks(context, online));
    checks.extend(vectors::checks(context, online));
    let columns = clients::columns(context, output.is_json())?;
    checks.extend(clients::checks(context, &log, &columns));
    checks.extend(guard::checks(context));
    checks.extend(knowledge::checks(context));
    let bad = checks.iter().any(|check| check.state == State::Bad);
    if output.is_json() {
        output.json(&serde_json::json!({ "ok": !bad, "checks": checks, "matrix": columns }))?;
    } else {
        for check in &checks {
            let word = match check.state {
                State::Ok => styled(GOOD, "ok  "),
                State::Note => styled(WARN, "note"),
                State::Bad => styled(BAD, "BAD "),
            };
            let found = render::fitted(&render::printable(&check.found), INDENT, output.is_terminal());
            output.line(format!("{word} {:<14} {found}", check.what))?;
            if let Some(advice) = &check.advice {
                let advice = render::fitted(advice, INDENT, output.is_terminal());
                output.line(format!("{:INDENT$}{}", "", styled(DIM, advice)))?;
            }
        }
        clients::show(&columns, output)?;
    }
    Ok(if bad { Exit::Found } else { Exit::Success })
}

fn settings(context: &Context, loaded: &Loaded) -> Check {
    match loaded.problems.as_slice() {
        [] => {
            let file = context.places.user_config();
            let none = if file.exists() { "" } else { "the defaults; there is no " };
            Check::ok("settings", format!("{none}{}", file.display()))
        }
        problems => {
            let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Check::bad(
                "settings",
                all.join("; "),
                "the defaults apply instead; `custos config list --show-origin` shows what is in force",
            )
        }
    }
}

fn places(context: &Context) -> Vec<Check> {
    let places = [("memory", &context.places.memory), ("state", &context.places.state)];
    places.into_iter().map(|(what, path)| place(what, path)).collect()
}

fn place(what: &'static str, path: &Path) -> Check {
    let shown = path.display().to_string();
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Check::note(
            what,
            format!("{shown} does not exist yet"),
            "the first event creates it, or `custos setup`",
        ),
        Err(error) => {
            Check::bad(what, format!("{shown}: {error}"), "check the rights of the directories above it")
        }
        Ok(metadata) if !metadata.is_dir() => {
            Check::bad(what, format!("{shown} is no directory"), "move it away")
        }
        Ok(metadata) => match open_to_others(&metadata) {
            Some(mode) => Check::bad(
                what,
                format!("{shown} has mode {mode:o}"),
                format!("others can look in: chmod 700 '{shown}'"),
            ),
            None => Check::ok(what, shown),
        },
    }
}

/// Takes the lock and opens the log as an append would, without appending.
fn writable(log: &Log) -> Check {
    let disk = &*log.surroundings().disk;
    let places = log.places();
    if let Err(error) = Lock::take(disk, &places.state, log.limits().patience) {
        return Check::failed("recording", error.into());
    }
    let writer = log.writer();
    let dir = places.log.join(writer.as_str());
    // An unnamed file where the log is, or will be: it tells of a full or read-only disk and leaves nothing behind.
    let nearest = dir.ancestors().find(|dir| dir.exists()).unwrap_or(&dir);
    if let Err(error) = tempfile::tempfile_in(nearest) {
        let found = format!("cannot write below {}: {error}", nearest.display());
        return Check::bad("recording", found, "check what is there, its rights and the room on the disk");
    }
    let last = log.reader().segments(&writer).ok().and_then(|segments| segments.last().copied());
    if let Some(segment) = last {
        let path = custos_log::read::segment_path(&places.log, &writer, segment);
        if let Err(error) = disk.open(&path, Access::Append) {
            let found = format!("cannot append to {}: {error}", path.display());
            return Check::bad("recording", found, "check what is there and its rights");
        }
    }
    Check::ok("recording", format!("as {writer}"))
}

fn chain(log: &Log) -> Check {
    let mut progress = Progress::new("verifying", None, Unit::Bytes);
    let found = match custos_log::verify(log, &mut |bytes| progress.at(bytes)) {
        Ok(found) => found,
        Err(error) => return Check::failed("log", error.into()),
    };
    drop(progress);
    let records: u64 = found.writers.iter().map(|writer| writer.records).sum();
    let count = |severity| {
        found.writers.iter().flat_map(|writer| &writer.findings).filter(|f| f.severity == severity).count()
    };
    let (damage, notices) = (count(Severity::Damage), count(Severity::Notice));
    if damage > 0 {
        let damage = render::count(damage as u64, "damaged place");
        return Check::bad(
            "log",
            damage,
            "`custos verify` lists them, `custos backup restore` mends what a backup has a good copy of",
        );
    }
    let cut_short = if notices > 0 {
        format!(", {} cut short and set apart", render::count(notices as u64, "write"))
    } else {
        String::new()
    };
    Check::ok(
        "log",
        format!(
            "{} of {} intact{cut_short}",
            render::count(records, "record"),
            render::count(found.writers.len() as u64, "writer")
        ),
    )
}

fn index(context: &Context) -> Check {
    let asked = || -> Result<_, CliError> {
        let mut index = Index::open(&context.places.state, User::Worker)?;
        let reader = context.reader();
        index.catch_up(&reader, None, &mut |_| {})?;
        Ok(index.ask(&reader, Index::status)?)
    };
    match asked() {
        Err(error) => Check::failed("index", error),
        Ok(status) if status.problems == 0 => {
            Check::ok("index", format!("up to date, {}", render::bytes(status.bytes)))
        }
        Ok(status) => {
            let lines = render::count(status.problems, "line");
            Check::note(
                "index",
                format!("{lines} of the log could not be read"),
                "`custos index status` lists them; everything else is there",
            )
        }
    }
}

fn backups(context: &Context, log: &Log) -> Check {
    match backup::list(log) {
        Err(error) => Check::failed("backups", error.into()),
        Ok(_) if !context.settings.backup.daily => Check::note(
            "backups",
            "the daily backup is switched off",
            "`custos config set backup.daily true`",
        ),
        Ok(backups) => match (backups.last(), backup::is_due(log, when::now())) {
            (Some(newest), Ok(false)) => {
                Check::ok("backups", format!("{}, newest {}", backups.len(), newest.name))
            }
            (newest, _) => {
                let found =
                    newest.map_or_else(|| "none yet".to_owned(), |newest| format!("newest {}", newest.name));
                Check::note(
                    "backups",
                    found,
                    "the next command that runs longer takes one, or `custos backup create` now",
                )
            }
        },
    }
}
