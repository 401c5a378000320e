//! `custos verify`: the proof, for people and for machines.

use custos_log::verify::{Severity, WriterVerification};

use crate::commands::backup;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BAD, BOLD, GOOD, Output, WARN, styled};
use crate::progress::{Progress, Unit};
use crate::render;

pub(crate) fn run(context: &Context, output: &mut Output) -> Result<Exit, CliError> {
    let mut progress = Progress::new("verifying", None, Unit::Bytes);
    let found = custos_log::verify(&context.log(), &mut |bytes| progress.at(bytes))?;
    drop(progress);
    let exit = if found.is_damaged() { Exit::Found } else { Exit::Success };
    if output.is_json() {
        output.json(&serde_json::json!({ "ok": !found.is_damaged(), "writers": found.writers }))?;
    } else {
        for writer in &found.writers {
            describe(writer, output)?;
        }
        if found.writers.is_empty() {
            output.line("the log is empty")?;
        }
        if found.is_damaged() {
            output.line("")?;
            output.line("`custos backup restore` mends what a backup has a good copy of.")?;
        }
    }
    if exit == Exit::Success {
        backup::in_passing(context);
    }
    Ok(exit)
}

fn describe(writer: &WriterVerification, output: &mut Output) -> Result<(), CliError> {
    let verdict = if writer.is_damaged() { styled(BAD, "damaged") } else { styled(GOOD, "intact") };
    let whose = if writer.own { "this machine" } else { "another machine" };
    output.line(format!(
        "{} ({whose}): {verdict}, {}, {} forgotten, {} in {}",
        styled(BOLD, &writer.writer),
        render::count(writer.records, "record"),
        writer.forgotten,
        render::bytes(writer.bytes),
        render::count(writer.segments as u64, "segment"),
    ))?;
    if writer.newer > 0 {
        output.line(format!(
            "  {} of a newer schema: kept, but not read",
            render::count(writer.newer, "record")
        ))?;
    }
    if writer.unchained > 0 {
        let records = render::count(writer.unchained, "record");
        output.line(format!("  {records} from before the chain: `custos migrate` brings them forward"))?;
    }
    for finding in &writer.findings {
        let word = match finding.severity {
            Severity::Damage => styled(BAD, "damage"),
            Severity::Notice => styled(WARN, "notice"),
        };
        let record = finding.seq.map_or_else(String::new, |seq| format!(", record {seq}"));
        output.line(format!(
            "  {word} {} at byte {}{record}: {}",
            render::printable(&finding.file.display().to_string()),
            finding.offset,
            finding.what
        ))?;
    }
    Ok(())
}
