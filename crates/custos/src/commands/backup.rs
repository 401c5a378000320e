//! `custos backup`: taking, listing and using copies; and the daily one, taken in passing.

use custos_index::{Index, User};
use custos_log::backup::{self, Taken};
use custos_log::forget;
use custos_worker::embedding;

use crate::args::BackupCommand;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, BOLD, DIM, GOOD, Output, styled, tell};
use crate::progress::{Progress, Unit};
use crate::recall;
use crate::render;
use crate::when;

pub(crate) fn run(context: &Context, command: &BackupCommand, output: &mut Output) -> Result<Exit, CliError> {
    match command {
        BackupCommand::Create => {
            let taken = create(context)?;
            if output.is_json() {
                output.json(&taken)?;
            } else {
                output.line(describe(&taken))?;
                for file in &taken.damaged {
                    let file = render::printable(&file.display().to_string());
                    output.line(format!(
                        "  {} {file}: its last good copy was carried on, if there is one",
                        styled(BAD, "damaged")
                    ))?;
                }
            }
            Ok(if taken.damaged.is_empty() { Exit::Success } else { Exit::Found })
        }
        BackupCommand::List => list(context, output),
        BackupCommand::Restore { name } => restore(context, name.as_deref(), output),
    }
}

fn create(context: &Context) -> Result<Taken, CliError> {
    let keep = usize::try_from(context.settings.backup.keep).unwrap_or(usize::MAX);
    let mut progress = Progress::new("backing up", None, Unit::Bytes);
    Ok(backup::create(&context.log(), keep, &mut |bytes| progress.at(bytes))?)
}

fn describe(taken: &Taken) -> String {
    let mut text = format!("backup {}: {} copied", taken.name, render::count(taken.copied as u64, "segment"));
    if taken.shared > 0 {
        text.push_str(&format!(", {} shared with the one before", taken.shared));
    }
    if !taken.removed.is_empty() {
        text.push_str(&format!(", {} removed", render::count(taken.removed.len() as u64, "old backup")));
    }
    text
}

fn list(context: &Context, output: &mut Output) -> Result<Exit, CliError> {
    let backups = backup::list(&context.log())?;
    if output.is_json() {
        output.json(&backups)?;
    } else if backups.is_empty() {
        output.line(styled(DIM, "no backups yet; `custos backup create` takes one"))?;
    }
    if !output.is_json() {
        for backup in &backups {
            let segments = render::count(backup.segments as u64, "segment");
            output.line(format!(
                "{}  {:>10}  {segments}",
                styled(BOLD, &backup.name),
                render::bytes(backup.bytes)
            ))?;
        }
    }
    Ok(Exit::Success)
}

fn restore(context: &Context, name: Option<&str>, output: &mut Output) -> Result<Exit, CliError> {
    let log = context.log();
    if let Some(name) = name
        && !backup::names(&*log.surroundings().disk, &log.places().backups)?.iter().any(|known| known == name)
    {
        return Err(CliError::new(Exit::NotFound, format!("there is no backup {name:?}"))
            .hint("`custos backup list` names them"));
    }
    let mut progress = Progress::new("looking for damage", None, Unit::Bytes);
    let restored = backup::restore(&log, name, &mut |bytes| progress.at(bytes))?;
    drop(progress);
    let hopeless = restored.iter().any(|segment| segment.from.is_none());
    if output.is_json() {
        output.json(&serde_json::json!({ "ok": !hopeless, "segments": restored }))?;
    } else if restored.is_empty() {
        output.line(format!("{}: nothing is damaged or missing", styled(GOOD, "intact")))?;
    } else {
        for segment in &restored {
            let file = render::printable(&segment.file.display().to_string());
            output.line(match &segment.from {
                Some(name) => format!(
                    "{} {file} from {name}: {}, and {} kept that were newer",
                    styled(GOOD, "restored"),
                    render::bytes(segment.restored),
                    render::bytes(segment.kept)
                ),
                None => format!("{} {file}: no backup has a good copy of it", styled(BAD, "damaged")),
            })?;
        }
    }
    Ok(if hopeless { Exit::Found } else { Exit::Success })
}

/// Does what whoever runs longer anyway does in passing: carries out what other machines want forgotten, and what is due once a day.
pub(crate) fn in_passing(context: &Context) {
    let log = context.log();
    let settled = || -> Result<(), CliError> {
        // Alone on its memory, a machine has carried out its own wishes when they were made, unless it was interrupted.
        if forget::is_pending(&log) || log.reader().writers()?.len() > 1 {
            let done = forget::carry_out(&log)?;
            if done.overwritten > 0 {
                recall::discard_hints(context)?;
                // All of the log, whatever the settings allow: what the index does not know yet must not count as gone.
                let mut index = Index::open(&context.places.state, User::Worker)?;
                index.catch_up(&context.reader(), None, &mut |_| {})?;
                embedding::sweep(&context.places.state, &mut index, &|| false)?;
                let records = render::count(done.overwritten as u64, "record");
                tell(styled(DIM, format!("carried out what was left of a forgetting: {records}")));
            }
        }
        Ok(())
    };
    if let Err(error) = settled() {
        tell(styled(DIM, format!("what is left to be forgotten was not carried out: {}", error.message)));
    }
    daily(context);
}

/// Takes the daily backup if it is due. A failure is told and disturbs nothing.
pub(crate) fn daily(context: &Context) {
    if !context.settings.backup.daily {
        return;
    }
    let log = context.log();
    let due = || -> Result<bool, CliError> {
        Ok(!log.reader().writers()?.is_empty() && backup::is_due(&log, when::now())?)
    };
    match due().and_then(|due| if due { create(context).map(Some) } else { Ok(None) }) {
        Ok(Some(taken)) if taken.damaged.is_empty() => {
            tell(styled(DIM, format!("took the daily {}", describe(&taken))));
        }
        Ok(Some(taken)) => tell(format!(
            "{} {}; `custos verify` says where",
            styled(BAD, "the log is damaged:"),
            describe(&taken)
        )),
        Ok(None) => {}
        Err(error) => tell(styled(DIM, format!("the daily backup was not taken: {}", error.message))),
    }
}
