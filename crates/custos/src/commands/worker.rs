//! `custos worker`: what waits is distilled, by a process that a hook starts and that ends by itself, or before a person's eyes.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use custos_hooks::trouble;
use custos_worker::ledger::Budget;
use custos_worker::run::MachineTime;
use custos_worker::stop::Stop;
use custos_worker::{Ended, Report, Rules, Settings, Surroundings, WorkerError};

use crate::commands::index;
use crate::context::Context;
use crate::distiller;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{DIM, GOOD, Output, WARN, styled, tell as tell_aside};
use crate::progress::{Progress, Unit};
use crate::render;
use crate::when;

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    #[command(subcommand)]
    command: Option<WorkerCommand>,
}

#[derive(Debug, Subcommand)]
enum WorkerCommand {
    /// Do what waits here and now, and tell what came of it
    #[command(after_help = "\
Examples:
  custos worker run --until-idle     what can be done, and no longer
  custos worker run                  and stay for worker.idle_s after the last work
  custos worker run --until-idle --json

Exit codes:
  0   nothing is left that could be done, or it was interrupted; what was begun
      and not finished waits for the next worker
  1   something was given up; `custos work list` shows it
  75  a worker runs already")]
    Run {
        /// End as soon as nothing can be done any more
        #[arg(long)]
        until_idle: bool,
    },
}

pub(crate) fn run(context: &Context, args: &WorkerArgs, output: &mut Output) -> Result<Exit, CliError> {
    match args.command {
        Some(WorkerCommand::Run { until_idle }) => in_sight(context, until_idle, output),
        None => unseen(context),
    }
}

/// Works for nobody to see: what is to be told is left for `doctor`.
fn unseen(context: &Context) -> Result<Exit, CliError> {
    let idle = Some(Duration::from_secs(context.settings.worker.idle_s));
    match work(context, idle, &|_| {}, &|_| {}) {
        Ok(_) => Ok(Exit::Success),
        Err(error) => {
            leave_word(context, &error.to_string());
            Err(error.into())
        }
    }
}

fn in_sight(context: &Context, until_idle: bool, output: &mut Output) -> Result<Exit, CliError> {
    let idle = (!until_idle).then(|| Duration::from_secs(context.settings.worker.idle_s));
    let pending = index::up_to_date(context)?.work_counts()?.pending;
    let progress = RefCell::new(Progress::new("distilling", Some(pending), Unit::Lines));
    // It may be minutes until something moves again.
    let setback = |problem: &str| tell_aside(format!("{} {problem}", styled(WARN, "waiting:")));
    let report = work(context, idle, &|at| progress.borrow_mut().at(at.done), &setback)?;
    drop(progress);
    if report.ended == Ended::AnotherRuns {
        return Err(CliError::new(Exit::Busy, "a worker runs already")
            .hint("it sees what waits; `custos status` shows how far it is"));
    }
    let left = index::up_to_date(context)?.work_counts()?.pending;
    if output.is_json() {
        output.json(&serde_json::json!({
            "units": report.units, "events": report.events, "observations": report.observations,
            "summaries": report.summaries, "fell_back": report.fell_back, "failed": report.failed,
            "abandoned": report.abandoned, "interrupted": report.ended == Ended::Asked, "left": left,
        }))?;
    } else {
        tell(&report, left, output)?;
    }
    Ok(if report.abandoned > 0 { Exit::Found } else { Exit::Success })
}

fn tell(report: &Report, left: u64, output: &mut Output) -> Result<(), CliError> {
    let made =
        [render::count(report.observations, "observation"), render::count(report.summaries, "summary")];
    let events = render::count(report.events, "event");
    output.line(format!("{} {events}: {}", styled(GOOD, "distilled"), made.join(", ")))?;
    if report.fell_back > 0 {
        let units = render::count(report.fell_back, "piece of work");
        output.line(format!(
            "{} {units} in the place of a model; `custos work redo --all-fallbacks` has them done again",
            styled(WARN, "rules did")
        ))?;
    }
    if report.abandoned > 0 {
        let units = render::count(report.abandoned, "piece of work");
        output.line(format!("{} {units}; `custos work list` shows them", styled(WARN, "gave up")))?;
    }
    if report.ended == Ended::Asked {
        output.line(styled(DIM, "interrupted; what was not finished waits for the next worker"))?;
    }
    if left > 0 {
        let events = render::count(left, "event");
        output.line(styled(DIM, format!("{events} still wait; `custos work list` says what for")))?;
    }
    Ok(())
}

fn work(
    context: &Context,
    idle: Option<Duration>,
    progress: &dyn Fn(custos_worker::Progress),
    setback: &dyn Fn(&str),
) -> Result<Report, WorkerError> {
    let settings = Settings {
        idle,
        budget: Budget { per_day: Some(context.settings.distill.tokens_per_day), per_session: None },
        ..Settings::default()
    };
    let stamp = settings_stamp(context);
    let began = stamp();
    let around = Surroundings {
        log: context.log(),
        distil: Arc::new(Rules),
        models: distiller::models(context),
        time: &MachineTime::default(),
        // Whoever switches a model off wants that nothing more is sent; the next hook starts a worker with the new settings.
        stop: Stop::on_signals().or_when(move || stamp() != began),
        day_began: &|now| when::days(now, 1).first().map_or(now, |day| day.began),
        trouble: &|problem| leave_word(context, problem),
        progress,
        setback,
    };
    custos_worker::run(&around, &settings)
}

/// Gives what shows that the person has changed their settings.
fn settings_stamp(
    context: &Context,
) -> impl Fn() -> Option<(Option<SystemTime>, u64)> + Send + Sync + 'static {
    let file = context.places.user_config();
    move || std::fs::metadata(&file).ok().map(|found| (found.modified().ok(), found.len()))
}

fn leave_word(context: &Context, problem: &str) {
    let log = context.log();
    trouble::note(&*log.surroundings().disk, &context.places.state, when::now(), "worker", "distil", problem);
}
