//! `custos close` and `custos handoff`: where the work stopped, written and read.

use clap::Args;
use custos_knowledge::handoff::Author;
use custos_mcp::answer::Unvouched;
use serde_json::json;

use super::answer::{safe, show_closed};
use super::form::Form;
use super::person::Place;
use crate::args::Text;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{DIM, Output, WARN, styled};

#[derive(Debug, Args)]
pub(crate) struct HandoffArgs {
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct CloseArgs {
    /// Where the work stopped, in one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    stopped_at: Option<String>,
    /// What was done; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    summary: Option<String>,
    /// What comes next; `-` reads it from standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    next_steps: Option<String>,
    /// What is half done [default: nothing]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    in_progress: Option<String>,
    /// The entry of the worklog [default: the summary]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    worklog_entry: Option<String>,
    /// What the next session is told first [default: the next steps]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    startup_text: Option<String>,
    /// Pull requests
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    prs: Option<String>,
    /// What the tests said
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    test_results: Option<String>,
    /// What is in the way
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    blockers: Option<String>,
    /// Branches with changes that are not committed
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = Text)]
    dirty_branches: Option<String>,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(context: &Context, args: &CloseArgs, output: &mut Output) -> Result<Exit, CliError> {
    let person = args.place.open(context)?;
    let filled = Form::new("Where the work stopped, for the next session")
        .need("stopped_at", "--stopped-at", "where the work stopped, in one line", args.stopped_at.as_deref())
        .need("summary", "--summary", "what was done", args.summary.as_deref())
        .need("next_steps", "--next-steps", "what comes next", args.next_steps.as_deref())
        .may("in_progress", "--in-progress", "what is half done", args.in_progress.as_deref())
        .may(
            "worklog_entry",
            "--worklog-entry",
            "for the worklog, if not the summary",
            args.worklog_entry.as_deref(),
        )
        .may(
            "startup_text",
            "--startup-text",
            "what to tell the next session first, if not the next steps",
            args.startup_text.as_deref(),
        )
        .may("prs", "--prs", "pull requests", args.prs.as_deref())
        .may("test_results", "--test-results", "what the tests said", args.test_results.as_deref())
        .may("blockers", "--blockers", "what is in the way", args.blockers.as_deref())
        .may(
            "dirty_branches",
            "--dirty-branches",
            "branches with changes that are not committed",
            args.dirty_branches.as_deref(),
        )
        .fill()?;
    // An agent must say all of it; a person may leave out what follows from the rest.
    let or = |field: &str, otherwise: &str| match filled.text(field) {
        "" => otherwise.to_owned(),
        text => text.to_owned(),
    };
    let call = filled
        .call()
        .text("in_progress", or("in_progress", "nothing").as_str())
        .text("worklog_entry", or("worklog_entry", filled.text("summary")).as_str())
        .text("startup_text", or("startup_text", filled.text("next_steps")).as_str());
    let answer = filled.rescue_unused(person.ask("finalize_close", call))?;
    show_closed(&answer, output)?;
    Ok(if answer.data["failed"] == 0 { Exit::Success } else { Exit::Found })
}

/// Shows the handoff that the next session begins with. Agents get it with their context, so no tool does this.
pub(super) fn handoff(context: &Context, args: &HandoffArgs, output: &mut Output) -> Result<Exit, CliError> {
    let person = args.place.open(context)?;
    let view = person.view()?;
    let newest = person.base().newest_handoff(&view);
    let to_come = person.base().handoff_to_come(&view);
    // The one that cannot be read may be the one that was meant.
    let faults = person.base().handoffs(&view).faults;
    let exit = if newest.is_none() && !faults.is_empty() { Exit::Found } else { Exit::Success };
    let is_quoted = newest.is_some() || to_come.is_some() || !faults.is_empty();
    let unvouched = is_quoted.then(|| Unvouched::of(person.base(), &view));
    if output.is_json() {
        let file = newest.as_ref().map(|kept| &kept.file);
        let handoff = newest.as_ref().map(|kept| &*kept.item);
        let mut data = json!({ "handoff": handoff, "file": file, "to_come": to_come.as_ref().map(|kept| &kept.file), "faults": faults });
        if let Some(unvouched) = unvouched {
            unvouched.mark(&mut data);
        }
        output.json(&data)?;
        return Ok(exit);
    }
    if let Some(caution) = unvouched.map(|unvouched| unvouched.caution()).filter(|text| !text.is_empty()) {
        output.line(safe(caution.trim_end_matches('\n')))?;
        output.line("")?;
    }
    for fault in &faults {
        let said = safe(&format!("{}, line {}: {}", fault.file, fault.line, fault.reason));
        output.line(format!("{} {said}", styled(WARN, "cannot be read:")))?;
    }
    if let Some(to_come) = to_come {
        let said = format!("{} says that it is of {}, which is to come", to_come.file, to_come.item.date);
        output.line(format!("{} {}", styled(WARN, "does not count:"), safe(&said)))?;
    }
    let Some(kept) = newest else {
        let said = if faults.is_empty() {
            "no session has closed here yet; `custos close` writes a handoff"
        } else {
            "no other handoff is here; mend the file, or `custos close` writes a new one"
        };
        output.line(styled(DIM, said))?;
        return Ok(exit);
    };
    let session =
        kept.item.session.as_ref().map(|session| format!(" · session {session}")).unwrap_or_default();
    let by = if kept.item.source == Author::Auditor { " · by the auditor" } else { "" };
    let mut text = format!("# Handoff of {}{by}{session} · {}\n", kept.item.date, kept.file);
    for (heading, part) in kept.item.parts.headed().into_iter().filter(|(_, part)| !part.is_empty()) {
        text.push_str(&format!("\n## {heading}\n\n{part}\n"));
    }
    output.line(safe(text.trim_end()))?;
    Ok(Exit::Success)
}
