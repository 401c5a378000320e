//! `custos forget`: show what goes, ask a person if there is one, then take it out of log, backups, index and vectors.

use custos_index::{Index, User};
use custos_log::Selection;
use custos_log::forget::{self, Plan};
use custos_model::{EventId, PieceId};
use custos_worker::embedding;

use crate::args::ForgetArgs;
use crate::commands::{index, log};
use crate::context::Context;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::named;
use crate::output::{BOLD, DIM, Output, WARN, ask, read_line, styled};
use crate::progress::{Progress, Unit};
use crate::recall;
use crate::render;

/// How many events are listed before the rest is only counted.
const LISTED: usize = 20;

pub(crate) fn run(context: &Context, args: &ForgetArgs, output: &mut Output) -> Result<Exit, CliError> {
    let store = context.log();
    // What waits for the log must not arrive after it was forgotten.
    context.spool().replay(&store, usize::MAX);
    let selection = selection(context, args)?;
    let mut progress = Progress::new("reading the log", None, Unit::Lines);
    let plan = forget::plan(&store, &selection, &mut |lines| progress.at(lines))?;
    drop(progress);
    if plan.is_empty() {
        match &selection {
            Selection::Id(id) => {
                return Err(CliError::new(
                    Exit::NotFound,
                    format!("no event has the id {id}, or it was forgotten before"),
                )
                .hint("`custos log tail --json` shows ids"));
            }
            Selection::Session(wanted) => return Err(named::no_session(wanted)),
            Selection::Project(wanted) => return Err(named::no_project(wanted)),
            Selection::Matching(_) => {}
        }
    }
    if !output.is_json() {
        list(&plan, output)?;
    }
    if args.dry_run || plan.is_empty() {
        if output.is_json() {
            output.json(&serde_json::json!({
                "dry_run": args.dry_run, "events": plan.records, "fragments": plan.fragments(), "strays": plan.strays(),
            }))?;
        }
        return Ok(Exit::Success);
    }
    if environment::is_interactive()
        && !args.yes
        && !ask(output, "Forget them for good? This cannot be undone. [y/N] ", false)?
    {
        if output.is_json() {
            output.json(&serde_json::json!({ "declined": true, "events": [] }))?;
        } else {
            output.line("nothing was forgotten")?;
        }
        return Ok(Exit::Success);
    }
    let ids: Vec<EventId> = plan.records.iter().map(|planned| planned.id).collect();
    // Known to the index only as long as it knows the texts. Whatever is wrong with it, the log forgets first.
    let pieces = index::up_to_date(context).and_then(|mut index| pieces(&mut index, &ids));
    let done = forget::forget(&store, &plan, &selection, &args.reason)?;
    // Of which projects they were, only the log knew. What is left is made anew by the next worker.
    recall::discard_hints(context)?;
    let mut index = Index::open(&context.places.state, User::Worker)?;
    index.forget(&ids)?;
    // Once more: a worker may have written them while the index still had what was forgotten.
    recall::discard_hints(context)?;
    // After the index, which a worker asks whether what it has just embedded is still there.
    embedding::forget_unknown(&context.places.state, &mut index, &pieces?)?;
    if output.is_json() {
        output.json(&serde_json::json!({ "dry_run": false, "events": plan.records, "done": done }))?;
        return Ok(Exit::Success);
    }
    let records = render::count(done.overwritten as u64, "record");
    let copies = render::count(done.in_backups as u64, "copy");
    output.line(format!(
        "{} {records}, {copies} in backups, and what the index held of them",
        styled(BOLD, "forgotten:")
    ))?;
    if done.left_to_others > 0 {
        let others = render::count(done.left_to_others as u64, "record");
        output.line(format!(
            "{} {others} of another machine: no longer found here, and overwritten there when it next runs custos",
            styled(WARN, "left:")
        ))?;
    }
    Ok(Exit::Success)
}

/// Finds the pieces of texts, under which their vectors are kept.
fn pieces(index: &mut Index, ids: &[EventId]) -> Result<Vec<PieceId>, CliError> {
    let mut pieces = Vec::new();
    for id in ids {
        if let Some((key, _)) = index.entry_of(*id)? {
            pieces.extend(index.pieces(key)?);
        }
    }
    Ok(pieces)
}

fn selection(context: &Context, args: &ForgetArgs) -> Result<Selection, CliError> {
    if args.reason.trim().is_empty() {
        return Err(
            CliError::new(Exit::Usage, "--reason is empty").hint("say why in a few words; the log keeps it")
        );
    }
    if let Some(id) = &args.id {
        // What was derived from an event can be forgotten by its id even if the event itself is gone.
        if let Ok(id) = id.parse() {
            return Ok(Selection::Id(id));
        }
        return log::find(&context.reader(), id).map(|(id, ..)| Selection::Id(id));
    }
    // The index may not have read all of the log, which alone decides what there is to forget.
    let or_as_it_stands = |found: Result<String, CliError>, wanted: &str| match found {
        Err(error) if error.exit == Exit::NotFound => Ok(wanted.to_owned()),
        found => found,
    };
    if let Some(wanted) = &args.session {
        let found = named::session(context, &mut index::up_to_date(context)?, wanted);
        return or_as_it_stands(found, wanted).map(Selection::Session);
    }
    if let Some(wanted) = &args.project {
        let found = named::project(context, &mut index::up_to_date(context)?, wanted);
        return or_as_it_stands(found, wanted).map(Selection::Project);
    }
    let text = match args.matching.as_deref() {
        Some("-") => read_line()?.trim_end_matches(['\r', '\n']).to_owned(),
        Some(text) => text.to_owned(),
        None => String::new(),
    };
    if text.is_empty() {
        return Err(
            CliError::new(Exit::Usage, "the text to forget is empty").hint("an empty text is in everything")
        );
    }
    Ok(Selection::Matching(text))
}

fn list(plan: &Plan, output: &mut Output) -> Result<(), CliError> {
    if plan.is_empty() {
        return output.line(styled(DIM, "nothing to forget"));
    }
    for planned in plan.records.iter().take(LISTED) {
        let why = if planned.derived { "derived from it" } else { "" };
        output.line(format!("{}  {:<22} {}  {why}", planned.id, planned.kind, render::local(planned.ts)))?;
    }
    if plan.records.len() > LISTED {
        output.line(format!("… and {} more", plan.records.len() - LISTED))?;
    }
    let derived = plan.records.iter().filter(|planned| planned.derived).count();
    let events = render::count(plan.records.len() as u64, "event");
    output.line(format!("{events}, {derived} of them derived from others"))
}
