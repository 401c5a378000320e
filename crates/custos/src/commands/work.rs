//! `custos work`: what waits to be distilled and why, and a person's word on it.

use clap::{ArgGroup, Args, Subcommand};
use custos_index::Index;
use custos_worker::queue::{self, Listed, Standing};
use custos_worker::unit::{Outlook, Unit};
use serde_json::{Value, json};

use crate::commands::{hook, index};
use crate::context::Context;
use crate::distiller;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, DIM, Output, WARN, ask, styled, tell};
use crate::render;
use crate::when;

/// How much finished work is listed, and looked through for an id.
const LISTED: usize = 50;
const SEARCHED: usize = 100_000;

#[derive(Debug, Subcommand)]
pub(crate) enum WorkCommand {
    /// List what waits to be distilled, and why
    #[command(after_help = "\
Examples:
  custos work list
  custos work list --all             with what was finished last, and by whom
  custos work list --session s-4f1c2a --json

A turn is distilled when it is over: when the agent has ended its answer, the
person has gone on, the session is closed, or nothing came for ten minutes. With
a model, small turns wait for each other, five minutes at most.")]
    List {
        /// Also what is done
        #[arg(long)]
        all: bool,
        /// Only this session
        #[arg(long, value_name = "SESSION")]
        session: Option<String>,
    },
    /// Try again what failed or was given up
    #[command(after_help = "Examples:\n  custos work retry 3f9c0a12\n  custos work retry --all")]
    Retry(RetryArgs),
    /// Distil again what is done; the new results take the place of the old ones
    #[command(after_help = "\
Examples:
  custos work redo --all-fallbacks   what rules did in the place of a model
  custos work redo --session s-4f1c2a
  custos work redo 3f9c0a12

Nothing is forgotten: old observations stay in the log and are no longer found.")]
    Redo(RedoArgs),
    /// Give up what waits; it will not be distilled
    #[command(after_help = "\
Examples:
  custos work drop 3f9c0a12
  custos work drop 3f9c0a12 --yes    without being asked

What was recorded stays in the log. `custos work retry` takes it back. Where there
is no terminal nobody is asked.")]
    Drop {
        /// Its id, or the beginning of it
        id: String,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true).args(["id", "all"]))]
pub(crate) struct RetryArgs {
    /// Its id, or the beginning of it
    id: Option<String>,
    /// All that failed or was given up
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").required(true).args(["id", "session", "all_fallbacks"]))]
pub(crate) struct RedoArgs {
    /// Its id, or the beginning of it
    id: Option<String>,
    /// All of a session
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// All that rules did in the place of a model
    #[arg(long)]
    all_fallbacks: bool,
}

pub(crate) fn run(context: &Context, command: &WorkCommand, output: &mut Output) -> Result<Exit, CliError> {
    let mut index = index::up_to_date(context)?;
    match command {
        WorkCommand::List { all, session } => list(context, &mut index, *all, session.as_deref(), output),
        WorkCommand::Retry(args) => {
            let open = open(context, &mut index, None)?;
            let units: Vec<&Unit> = match &args.id {
                Some(id) => vec![&found(&open, id)?.unit],
                None => open.iter().filter(|one| is_stuck(one)).map(|one| &one.unit).collect(),
            };
            again(context, &units, "asked for", "to be tried again", output)
        }
        WorkCommand::Redo(args) => {
            let done = queue::done(&mut index, args.session.as_deref(), args.all_fallbacks, SEARCHED)?;
            let units: Vec<&Unit> = match &args.id {
                Some(id) => vec![&found(&done, id)?.unit],
                None => done.iter().map(|one| &one.unit).collect(),
            };
            if distiller::models(context).is_none() && !units.is_empty() {
                tell(format!(
                    "{} no model is set (distill.provider), so rules will do it again",
                    styled(WARN, "note:")
                ));
            }
            again(context, &units, "asked for again", "to be distilled again", output)
        }
        WorkCommand::Drop { id, yes } => {
            let open = open(context, &mut index, None)?;
            let one = found(&open, id)?;
            if one.standing == Standing::Abandoned {
                return Err(CliError::new(Exit::Usage, format!("work {id} is given up already"))
                    .hint("`custos work retry` takes it back"));
            }
            drop_work(context, &one.unit, *yes, output)
        }
    }
}

fn open(context: &Context, index: &mut Index, session: Option<&str>) -> Result<Vec<Listed>, CliError> {
    let in_company = distiller::models(context).is_some();
    let outlook = Outlook { own: context.log().writer(), now: when::now(), in_company };
    Ok(queue::open(index, session, &outlook)?)
}

fn is_stuck(one: &Listed) -> bool {
    one.standing == Standing::Abandoned || one.unit.attempts > 0
}

fn found<'a>(listed: &'a [Listed], id: &str) -> Result<&'a Listed, CliError> {
    if id.is_empty() {
        return Err(
            CliError::new(Exit::Usage, "an empty id names no work").hint("`custos work list` shows ids")
        );
    }
    queue::find(listed, id).map_err(|several| match several {
        0 => CliError::new(Exit::NotFound, format!("no such work has the id {id}"))
            .hint("`custos work list --all` shows what there is"),
        _ => CliError::new(Exit::Usage, format!("the ids of {several} pieces of work begin with {id}"))
            .hint("give more of it"),
    })
}

fn again(
    context: &Context,
    units: &[&Unit],
    reason: &str,
    what: &str,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let log = context.log();
    for unit in units {
        queue::reopen(&log, unit, reason)?;
    }
    let woken = if units.is_empty() { Ok(()) } else { hook::wake(context) };
    if output.is_json() {
        let ids: Vec<&str> = units.iter().map(|unit| unit.id.as_str()).collect();
        output.json(&json!({ "reopened": ids }))?;
    } else if units.is_empty() {
        output.line(styled(DIM, "nothing to do"))?;
    } else {
        let count = render::count(units.len() as u64, "piece of work");
        output.line(format!("{count} {what}"))?;
        if woken.is_err() || !context.settings.worker.wake {
            output.line(styled(DIM, "`custos worker run --until-idle` does it now"))?;
        }
    }
    Ok(Exit::Success)
}

fn drop_work(context: &Context, unit: &Unit, yes: bool, output: &mut Output) -> Result<Exit, CliError> {
    let events = render::count(unit.events().count() as u64, "event");
    let wanted = yes
        || !environment::is_interactive()
        || ask(output, &format!("Give up work {} ({events})? [y/N] ", short(unit)), false)?;
    if wanted {
        queue::abandon(&context.log(), unit, "dropped by the person")?;
    }
    if output.is_json() {
        output.json(&json!({ "dropped": wanted.then(|| unit.id.as_str()), "declined": !wanted }))?;
    } else {
        output.line(if wanted { format!("dropped {events}") } else { "nothing was dropped".to_owned() })?;
    }
    Ok(Exit::Success)
}

fn list(
    context: &Context,
    index: &mut Index,
    all: bool,
    session: Option<&str>,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let mut listed = open(context, index, session)?;
    if all {
        listed.extend(queue::done(index, session, false, LISTED)?);
    }
    if output.is_json() {
        output.json(&listed.iter().map(as_json).collect::<Vec<_>>())?;
        return Ok(Exit::Success);
    }
    for one in &listed {
        line(one, output)?;
    }
    if listed.is_empty() {
        output.line(styled(DIM, "nothing waits"))?;
    }
    Ok(Exit::Success)
}

fn short(unit: &Unit) -> &str {
    &unit.id.as_str()[..8]
}

/// Says how it stands: in a word, and why.
fn words(one: &Listed) -> (&'static str, String) {
    match &one.standing {
        Standing::Ready if one.unit.attempts > 0 => {
            ("failed", format!("will be tried again, {} so far", render::count(one.unit.attempts, "attempt")))
        }
        Standing::Ready => ("ready", String::new()),
        Standing::Waits(reason) => ("waits", (*reason).to_owned()),
        Standing::Abandoned => ("given up", "`custos work retry` tries again".to_owned()),
        Standing::Done { by, fell_back: Some(reason), .. } => ("done", format!("by {by}: {reason}")),
        Standing::Done { by, .. } => ("done", format!("by {by}")),
    }
}

fn line(one: &Listed, output: &mut Output) -> Result<(), CliError> {
    let unit = &one.unit;
    let (word, why) = words(one);
    let style = if is_stuck(one) { WARN } else { BOLD };
    let project = unit.project.as_deref().map_or("-", render::short_project);
    let line = format!(
        "{}  {}  {}  {:>5}  {:<16}  {}",
        short(unit),
        styled(style, format!("{word:<8}")),
        render::local(unit.last()),
        unit.events().count(),
        render::cut(&render::printable(project), 16),
        render::printable(unit.session.as_deref().unwrap_or("-")),
    );
    output.line(line.trim_end())?;
    if !why.is_empty() {
        output.line(styled(DIM, format!("          {}", render::printable(&why))))?;
    }
    Ok(())
}

fn as_json(one: &Listed) -> Value {
    let unit = &one.unit;
    let (word, why) = words(one);
    let mut value = json!({
        "id": unit.id.as_str(), "sort": unit.sort.name(), "state": word, "session": unit.session,
        "project": unit.project, "events": unit.events().count(), "turns": unit.turns.len(),
        "first": unit.first(), "last": unit.last(), "attempts": unit.attempts, "passes": unit.passes,
    });
    if !why.is_empty() {
        value["why"] = json!(why);
    }
    if let Standing::Done { by, fell_back, results } = &one.standing {
        value["by"] = json!(by);
        value["fell_back"] = json!(fell_back);
        value["results"] = json!(results);
    }
    value
}
