//! `custos context`: what a session is told at its start, what it was told at any time, and what it would have been told otherwise.

use std::collections::BTreeMap;

use clap::Args;
use custos_config::{Environment as _, env};
use custos_index::User;
use custos_model::{EventId, Timestamp};
use custos_recall::context::{self as recalled, Again, Scene, Served, Stored};
use custos_recall::receipt::{Ceiling, Receipt};
use custos_recall::{Places, Policy, Store, Viewer};
use serde_json::json;

use crate::context::Context;
use crate::environment::{self, ProcessEnvironment};
use crate::error::CliError;
use crate::exit::Exit;
use crate::knowledge;
use crate::named;
use crate::output::{DIM, GOOD, Output, WARN, styled, tell};
use crate::render::{self, printable};
use crate::when;

/// What most clients take, in characters.
const CHARACTERS: usize = 10_000;

#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    /// What was told then: the id of its receipt as `custos why` shows it, whole or 8 characters or more of its end
    #[arg(value_name = "RECEIPT", conflicts_with_all = ["at", "session"])]
    receipt: Option<String>,
    /// What was told at this time or last before it: '2026-11-15 20:55:09' as `custos why` shows it,
    /// 2026-11-15T20:55:09Z, a date, or how long ago: 30m, 2h, 7d
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// What was told to this session: its id, the beginning of it, or the client's own
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// What would have been told without this memory: its id, 8 characters or more of its end, or its name
    #[arg(long, value_name = "ID")]
    without: Option<String>,
}

/// Shows a context.
pub(crate) fn run(context: &Context, args: &ContextArgs, output: &mut Output) -> Result<Exit, CliError> {
    let mut store = open(context)?;
    if args.receipt.is_none() && args.at.is_none() && args.session.is_none() {
        let served = preview(context, &mut store)?;
        return match (&args.without, served) {
            (Some(id), Some(served)) => otherwise(&mut store, &served.receipt, id, output),
            (_, served) => show_preview(context, served.as_ref(), output),
        };
    }
    let (ts, receipt) = receipt(context, &mut store, args)?;
    if let Some(id) = &args.without {
        return otherwise(&mut store, &receipt, id, output);
    }
    let stored = recalled::stored_of(&mut store, &Viewer::owner(), &receipt)?;
    let again = recalled::again(&receipt, |id| stored.get(&id).cloned());
    show_again(ts, &receipt, &again, output)
}

/// Opens the memory, and reads all that the log has.
pub(crate) fn open(context: &Context) -> Result<Store, CliError> {
    let places = Places { state: context.places.state.clone(), log: context.places.log() };
    let mut store = Store::open(&places, User::Worker, None, Policy::DEFAULT)?;
    store.catch_up(None)?;
    Ok(store)
}

/// Finds the receipt that is meant.
fn receipt(
    context: &Context,
    store: &mut Store,
    args: &ContextArgs,
) -> Result<(Timestamp, Receipt), CliError> {
    let at = args.at.as_deref().map(|text| when::parse_until(text, when::now())).transpose();
    let at = at.map_err(|problem| CliError::new(Exit::Usage, format!("--at: {problem}")))?;
    let session = args.session.as_deref();
    let session = session.map(|wanted| named::session(context, store.index(), wanted)).transpose()?;
    let served = store.index().receipts(session.as_deref(), usize::MAX)?;
    let wanted = args.receipt.as_deref();
    let found = served.iter().find(|served| match wanted {
        Some(wanted) => is_end(served.id, wanted),
        None => at.is_none_or(|at| served.ts <= at),
    });
    let none = || {
        if let Some(wanted) = wanted {
            return CliError::new(Exit::NotFound, format!("no receipt has the id {:?}", printable(wanted)))
                .hint("`custos why` shows them; give 8 characters or more");
        }
        let to = session.as_deref().map_or("any session", render::short_session);
        let until = at.map_or_else(String::new, |at| format!(" up to {}", render::local(at)));
        CliError::new(Exit::NotFound, format!("nothing was told to {to}{until}"))
            .hint("`custos why` lists what was told, and when")
    };
    let found = found.ok_or_else(none)?;
    let receipt = recalled::receipt(store, found.id)?.ok_or_else(|| {
        CliError::new(Exit::NotFound, format!("the receipt {} cannot be read", found.id))
            .hint("it may have been forgotten; `custos log show` shows what is left of it")
    })?;
    Ok((found.ts, receipt))
}

/// The least of an id that names something.
const SHORTEST: usize = 8;

/// Says whether a text is an id, or enough of its end.
fn is_end(id: EventId, text: &str) -> bool {
    text.len() >= SHORTEST && id.to_string().ends_with(&text.to_ascii_lowercase())
}

/// Makes what a session would be told that starts here and now. Nothing is recorded.
fn preview(context: &Context, store: &mut Store) -> Result<Option<Served>, CliError> {
    let directory = environment::working_directory();
    let project = directory.as_deref().map(|directory| context.names().find(directory));
    let home = ProcessEnvironment.get(env::HOME.name).and_then(|home| home.into_string().ok());
    let base = directory.as_deref().map(|directory| knowledge::for_hook(context, directory));
    if let Some(base) = &base {
        store.refresh_knowledge(base, None)?;
    }
    let identity = project.as_ref().map(|project| project.identity.as_str());
    let safety = project.as_ref().filter(|_| context.settings.guard.enabled).map(|project| {
        let places = &context.places;
        custos_hooks::guarding::summary(&places.config, &places.state, project, home.as_deref())
    });
    let scene = Scene {
        viewer: Viewer::agent(None, None, None, None, identity),
        session: None,
        project: identity,
        branch: project.as_ref().and_then(|project| project.repo.as_ref()?.branch.as_deref()),
        now: when::now(),
        ceiling: Ceiling {
            tokens: context.settings.recall.tokens,
            characters: CHARACTERS,
            ..Ceiling::default()
        },
        seen: &[],
        before: None,
        safety: safety.as_deref(),
    };
    Ok(recalled::start(store, base.as_ref(), &scene, "startup")?)
}

fn show_preview(context: &Context, served: Option<&Served>, output: &mut Output) -> Result<Exit, CliError> {
    let is_told = context.settings.recall.start;
    if output.is_json() {
        let (text, receipt) = served.map(|served| (&served.text, &served.receipt)).unzip();
        output.json(&json!({ "told": is_told, "text": text, "receipt": receipt }))?;
        return Ok(Exit::Success);
    }
    let Some(served) = served else {
        let why = if is_told { "nothing is known of this project yet" } else { "recall.start is false" };
        output.line(styled(DIM, format!("a session that starts here is told nothing: {why}")))?;
        return Ok(Exit::Success);
    };
    output.line(&served.text)?;
    let Receipt { tokens, ceiling, .. } = &served.receipt;
    let size = format!("about {tokens} of {} tokens", ceiling.tokens);
    tell(if is_told {
        styled(DIM, format!("a session that starts here is told this: {size}"))
    } else {
        let nothing = "a session that starts here is told nothing: recall.start is false. With it, this:";
        styled(WARN, format!("{nothing} {size}"))
    });
    Ok(Exit::Success)
}

fn show_again(
    ts: Timestamp,
    receipt: &Receipt,
    again: &Again,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let exit = if again.is_same { Exit::Success } else { Exit::Found };
    if output.is_json() {
        output.json(&json!({
            "ts": ts, "text": again.text, "same": again.is_same, "gone": again.gone, "receipt": receipt,
        }))?;
        return Ok(exit);
    }
    output.line(&again.text)?;
    let when = render::local(ts);
    if again.is_same {
        tell(styled(GOOD, format!("the same bytes as were told at {when} (sha256 {})", receipt.sha256)));
        return Ok(exit);
    }
    let why = match again.gone.as_slice() {
        [] if receipt.policy != Policy::DEFAULT.version => {
            format!("they were written by rules of version {}", receipt.policy)
        }
        [] => "something that they were made from has changed since".to_owned(),
        gone => {
            let ids: Vec<String> = gone.iter().map(EventId::end).collect();
            format!("forgotten since: {}", ids.join(", "))
        }
    };
    tell(styled(WARN, format!("not the bytes that were told at {when}: {why}")));
    Ok(exit)
}

/// Reports that a text names none of the memories that were told, or several.
fn untold<'n>(
    receipt: &Receipt,
    wanted: &str,
    fitting: usize,
    name: impl Fn(&EventId) -> Option<&'n str>,
) -> CliError {
    let called = |id: EventId| match name(&id) {
        Some(name) => format!("{} ({})", id.end(), printable(name)),
        None => id.end(),
    };
    let told: Vec<String> = receipt.ids().map(called).collect();
    let told = if told.is_empty() { "none".to_owned() } else { told.join(", ") };
    let wanted = printable(wanted);
    let problem = match fitting {
        0 => format!("no memory called {wanted:?} was told"),
        _ => format!("{wanted} may be {fitting} memories that were told; give the end of its id"),
    };
    CliError::new(Exit::NotFound, problem).hint(format!("told were {told}"))
}

/// Shows what would have been told without a memory.
fn otherwise(
    store: &mut Store,
    receipt: &Receipt,
    wanted: &str,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let stored: BTreeMap<EventId, Stored> = recalled::stored_of(store, &Viewer::owner(), receipt)?;
    let name = |id: &EventId| stored.get(id).and_then(|stored| stored.entry.name.as_deref());
    let is_called = |id: &EventId| name(id).is_some_and(|name| name.eq_ignore_ascii_case(wanted.trim()));
    let ids: Vec<EventId> = receipt.ids().filter(|id| is_end(*id, wanted) || is_called(id)).collect();
    let [id] = ids[..] else {
        return Err(untold(receipt, wanted, ids.len(), name));
    };
    let other = recalled::without(&Policy::DEFAULT, receipt, id, |id| stored.get(&id).cloned());
    let before: Vec<EventId> = receipt.ids().collect();
    let instead: Vec<EventId> = other
        .iter()
        .flat_map(|served| served.receipt.ids().collect::<Vec<_>>())
        .filter(|id| !before.contains(id))
        .collect();
    if output.is_json() {
        let (text, receipt) = other.map(|served| (served.text, served.receipt)).unzip();
        output.json(&json!({ "without": id, "instead": instead, "text": text, "receipt": receipt }))?;
        return Ok(Exit::Success);
    }
    match &other {
        Some(served) => output.line(&served.text)?,
        None => output.line(styled(DIM, "nothing"))?,
    }
    let instead: Vec<String> = instead.into_iter().map(|id| id.end()).collect();
    let instead = if instead.is_empty() { "nothing in its place".to_owned() } else { instead.join(", ") };
    tell(styled(DIM, format!("without {}: {instead}", id.end())));
    Ok(Exit::Success)
}
