//! `custos work`: what waits to be distilled and why, and a person's word on it.

use clap::{ArgGroup, Args, Subcommand};
use custos_distill::prompt;
use custos_index::{Index, WorkState};
use custos_worker::circuit;
use custos_worker::ledger::{self, Budget, Ledger};
use custos_worker::queue::{self, Listed, Standing};
use custos_worker::unit::{Outlook, Unit};
use serde_json::{Value, json};

use crate::commands::{hook, index};
use crate::context::Context;
use crate::distiller;
use crate::environment;
use crate::error::CliError;
use crate::exit::Exit;
use crate::named;
use crate::output::{BOLD, DIM, Output, WARN, ask, styled, tell};
use crate::render;
use crate::when;

/// How much finished work is listed, and looked through for an id.
const LISTED: usize = 50;
const SEARCHED: usize = 100_000;

/// How wide the list is, and what its columns are; the reason of each stands below it.
const WIDTH: usize = 80;
const HEADINGS: &str = "id        state     last event           events  project           session";

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
        /// Only this session: its id, the beginning of it, or the client's own
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

What was recorded stays in the log. `custos work retry` takes it back, or, where
it had been done before, `custos work redo`. Without a terminal nobody is asked.")]
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
        WorkCommand::List { all, session } => {
            let session = session.as_deref();
            let session = session.map(|wanted| named::session(context, &mut index, wanted)).transpose()?;
            list(context, &mut index, *all, session.as_deref(), output)
        }
        WorkCommand::Retry(args) => {
            let open = open(context, &mut index, None)?;
            let units: Vec<&Unit> = match &args.id {
                Some(id) => vec![&open_one(&mut index, &open, id)?.unit],
                None => open.iter().filter(|one| is_stuck(one)).map(|one| &one.unit).collect(),
            };
            again(context, &units, "asked for", "to be tried again", output)
        }
        WorkCommand::Redo(args) => {
            let session = args.session.as_deref();
            let session = session.map(|wanted| named::session(context, &mut index, wanted)).transpose()?;
            let done = queue::done(&mut index, session.as_deref(), args.all_fallbacks, SEARCHED)?;
            let units: Vec<&Unit> = match &args.id {
                Some(id) => vec![&done_one(context, &mut index, &done, id)?.unit],
                None => done.iter().map(|one| &one.unit).collect(),
            };
            if let Some(note) = without_model(context, &mut index)?.filter(|_| !units.is_empty()) {
                tell(format!("{} {note}", styled(WARN, "note:")));
            }
            again(context, &units, "asked for again", "to be distilled again", output)
        }
        WorkCommand::Drop { id, yes } => {
            let open = open(context, &mut index, None)?;
            let one = open_one(&mut index, &open, id)?;
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

/// Says why rules and no model will do what is done now; nothing where a model will.
fn without_model(context: &Context, index: &mut Index) -> Result<Option<String>, CliError> {
    match distiller::chosen(context) {
        Ok(None) => {
            return Ok(Some("no model is set (distill.provider), so rules will do it again".to_owned()));
        }
        Ok(Some(_)) => {}
        Err(not_ready) => {
            return Ok(Some(format!(
                "{not_ready}; if that stays so, rules will do it again after 10 minutes"
            )));
        }
    }
    let provider = context.settings.distill.provider.name();
    if let Some(broken) = circuit::broken(&context.places.state).filter(|broken| broken.provider == provider)
    {
        let said = render::printable(&broken.message);
        return Ok(Some(format!("{provider} fails ({said}); if that stays so, rules will do it again")));
    }
    let budget = Budget { per_day: Some(context.settings.distill.tokens_per_day), per_session: None };
    let day = when::days(when::now(), 1).first().map_or_else(when::now, |day| day.began);
    // The least that a question may take.
    let least = ledger::estimate(prompt::SYSTEM) + u64::from(prompt::MOST_ANSWER);
    let spent = Ledger::read(index, budget, day)?.may_spend("", least).err();
    Ok(spent.map(|reason| format!("{reason}, so rules will do it again, and what a model made is replaced")))
}

/// Finds work that waits or was given up.
fn open_one<'a>(index: &mut Index, open: &'a [Listed], id: &str) -> Result<&'a Listed, CliError> {
    let found = found(open, id)?;
    let is_done = found.is_none() && self::found(&queue::done(index, None, false, SEARCHED)?, id)?.is_some();
    found.ok_or_else(|| {
        if !is_done {
            return no_such_work(id);
        }
        CliError::new(Exit::Usage, format!("work {id} is done"))
            .hint(format!("`custos work redo {id}` has it done again"))
    })
}

/// Finds work that is done.
fn done_one<'a>(
    context: &Context,
    index: &mut Index,
    done: &'a [Listed],
    id: &str,
) -> Result<&'a Listed, CliError> {
    if let Some(found) = found(done, id)? {
        return Ok(found);
    }
    let open = open(context, index, None)?;
    let Some(one) = found(&open, id)? else { return Err(no_such_work(id)) };
    let (state, hint) = match &one.standing {
        Standing::Abandoned => ("it was given up", format!("`custos work retry {id}` tries it again")),
        Standing::Waits(_) => ("it waits", "`custos work list` says what for".to_owned()),
        Standing::Ready | Standing::Done { .. } => {
            let state = if one.unit.attempts > 0 { "it has failed so far" } else { "it is ready" };
            (state, "`custos worker run --until-idle` does it now".to_owned())
        }
    };
    Err(CliError::new(Exit::Usage, format!("work {id} is not done yet: {state}")).hint(hint))
}

fn no_such_work(id: &str) -> CliError {
    CliError::new(Exit::NotFound, format!("no work has the id {id}"))
        .hint("`custos work list --all` shows what there is")
}

/// Finds work by its id or the beginning of it.
fn found<'a>(listed: &'a [Listed], id: &str) -> Result<Option<&'a Listed>, CliError> {
    if id.is_empty() {
        return Err(
            CliError::new(Exit::Usage, "an empty id names no work").hint("`custos work list` shows ids")
        );
    }
    match queue::find(listed, id) {
        Ok(one) => Ok(Some(one)),
        Err(0) => Ok(None),
        Err(several) => {
            Err(CliError::new(Exit::Usage, format!("the ids of {several} pieces of work begin with {id}"))
                .hint("give more of it"))
        }
    }
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
        // Where another pass was to come, what the last one made still holds, and the work counts as done.
        let was_done = || Ok::<bool, CliError>(unit.passes > 0 && was_done(context, unit)?);
        output.line(match wanted {
            true if was_done()? => format!("dropped {events}; what was made of them before stays"),
            true => format!("dropped {events}"),
            false => "nothing was dropped".to_owned(),
        })?;
    }
    Ok(Exit::Success)
}

/// Says whether an earlier pass over work that was just given up was done.
fn was_done(context: &Context, unit: &Unit) -> Result<bool, CliError> {
    let sources = unit.sources();
    let work = index::up_to_date(context)?.work_of(unit.session.as_deref())?;
    Ok(work.iter().any(|work| sources.contains(&work.event) && work.state == WorkState::Done))
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
    if output.is_terminal() && !listed.is_empty() {
        output.line(styled(DIM, HEADINGS))?;
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
        "{}  {}  {}  {:>6}  {}  {}",
        short(unit),
        styled(style, format!("{word:<8}")),
        render::local(unit.last()),
        unit.events().count(),
        render::padded(&render::cut(&render::printable(project), render::PROJECT), render::PROJECT),
        render::printable(unit.session.as_deref().map_or("-", render::short_session)),
    );
    output.line(line.trim_end())?;
    if !why.is_empty() {
        output.line(styled(DIM, render::wrapped(&render::printable(&why), WIDTH, "          ")))?;
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
