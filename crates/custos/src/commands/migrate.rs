//! `custos migrate`: into a new directory, with an audit report.

use std::path::{Path, PathBuf};

use custos_config::Places;
use custos_log::migrate::Migration;

use crate::args::MigrateArgs;
use crate::commands::backup;
use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, Output, WARN, styled};
use crate::progress::{Progress, Unit};
use crate::render;
use crate::when;

pub(crate) fn run(context: &Context, args: &MigrateArgs, output: &mut Output) -> Result<Exit, CliError> {
    let target = match (&args.to, args.dry_run) {
        (_, true) => None,
        (Some(to), false) => Some(absolute(to)?),
        (None, false) => Some(beside(&context.places.memory)),
    };
    let new = target.as_deref().map(|target| new_log(context, target)).transpose()?;
    let mut progress = Progress::new("migrating", None, Unit::Lines);
    let report = custos_log::migrate(&context.log().reader(), new.as_ref(), &mut |lines| progress.at(lines))?;
    drop(progress);
    if output.is_json() {
        let mut value = serde_json::to_value(&report).map_err(std::io::Error::from)?;
        value["dry_run"] = args.dry_run.into();
        value["total"] = report.total().into();
        value["to"] = target.as_ref().map(|path| path.display().to_string()).into();
        output.json(&value)?;
    } else {
        describe(&report, target.as_deref(), output)?;
    }
    backup::in_passing(context);
    Ok(if report.refused.is_empty() { Exit::Success } else { Exit::Found })
}

fn absolute(path: &Path) -> Result<PathBuf, CliError> {
    match environment::working_directory() {
        Some(dir) => Ok(dir.join(path)),
        None if path.is_absolute() => Ok(path.to_owned()),
        None => {
            Err(CliError::new(Exit::Usage, "the working directory is gone")
                .hint("give an absolute path to --to"))
        }
    }
}

fn beside(memory: &Path) -> PathBuf {
    let name = memory.file_name().map_or_else(|| "memory".into(), |name| name.to_string_lossy().into_owned());
    let stamp: String = when::now().to_string().chars().filter(char::is_ascii_digit).take(14).collect();
    memory.with_file_name(format!("{name}-{}-{stamp}", custos_model::SchemaVersion::CURRENT))
}

fn new_log(context: &Context, target: &Path) -> Result<custos_log::Log, CliError> {
    if target.starts_with(&context.places.memory) || target.as_os_str().is_empty() {
        return Err(CliError::new(Exit::Usage, format!("{} is inside the old memory", target.display()))
            .hint("give a directory to --to that is elsewhere"));
    }
    let occupied =
        std::fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_some()) || target.is_file();
    if occupied {
        return Err(CliError::new(Exit::Usage, format!("{} is not empty", target.display())).hint(
            "give a directory to --to that does not exist yet; a migration never writes into an old log",
        ));
    }
    // Its own state, as whoever points AI_MEMORY_PATH there will have: the new log is this machine's to continue.
    let places = Places::of_memory(&environment::ProcessEnvironment, target.to_owned())?;
    let settings = context.settings.clone();
    Ok(Context { places, settings }.log())
}

fn describe(report: &Migration, target: Option<&Path>, output: &mut Output) -> Result<(), CliError> {
    let total = render::count(report.total(), "event");
    match target {
        Some(target) => {
            output.line(format!("carried {} over into {}", styled(BOLD, total), target.display()))?;
        }
        None => output.line(format!("would carry {} over", styled(BOLD, total)))?,
    }
    for (version, kinds) in &report.carried {
        output.line(format!("  from schema {version}"))?;
        for (kind, count) in kinds {
            output.line(format!("    {kind:<22} {count:>10}"))?;
        }
    }
    if report.forgotten > 0 {
        let forgotten = render::count(report.forgotten, "record");
        output.line(format!("  {forgotten} had been forgotten; there is nothing to carry over"))?;
    }
    if !report.refused.is_empty() {
        let refused = render::count(report.refused.len() as u64, "line");
        output.line(format!("  {} could not be carried over:", styled(WARN, refused)))?;
        for line in &report.refused {
            let file = render::printable(&line.file.display().to_string());
            output.line(format!(
                "    {file} at byte {}: {}",
                line.offset,
                render::printable(&line.reason)
            ))?;
        }
    }
    if let Some(target) = target {
        output.line(format!(
            "The old log is unchanged. To use the new one: export AI_MEMORY_PATH='{}'",
            target.display()
        ))?;
    }
    Ok(())
}
