//! `custos worker`: what waits is distilled, by a process that a hook starts and that ends by itself, or before a person's eyes.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use custos_config::Embedder;
use custos_hooks::trouble;
use custos_worker::circuit;
use custos_worker::ledger::Budget;
use custos_worker::stop::Stop;
use custos_worker::{Ended, MachineTime, Report, Rules, Settings, Surroundings, WorkerError};

use crate::commands::index;
use crate::context::Context;
use crate::distiller;
use crate::embedder;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{DIM, GOOD, Output, WARN, styled, tell as tell_aside};
use crate::progress::{Progress, Unit};
use crate::recall;
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
  custos worker run                  and stay worker.idle_s after the last work
  custos worker run --until-idle --json

A provider that fails is asked again after 1, 2, 4 … 60 seconds, and after 10
minutes rules do what waits for it. With --until-idle it is waited for only a
few seconds: then the run ends, says so, and what is left waits for the next
one.

Exit codes:
  0   nothing is left that could be done, or it was interrupted; what was begun
      and not finished waits for the next worker
  1   something was given up; `custos work list` shows it
  75  a worker runs already, or with --until-idle: what is left waits for a
      provider that fails")]
    Run {
        /// End as soon as nothing can be done any more, or only by a provider that fails
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
    // A file that a person has just saved is nowhere announced: whoever is there looks.
    let pending = recall::for_person(context)?.index().work_counts()?.pending;
    let progress = RefCell::new((Progress::new("distilling", Some(pending), Unit::Lines), false));
    let show = |at| {
        let (bar, is_embedding) = &mut *progress.borrow_mut();
        match at {
            custos_worker::Progress::Distilled(events) if !*is_embedding => bar.at(events),
            custos_worker::Progress::Distilled(_) => {}
            custos_worker::Progress::Embedded(vectors) => {
                if !*is_embedding {
                    // How many there will be shows only as the texts are read.
                    (*bar, *is_embedding) = (Progress::new("embedding", None, Unit::Lines), true);
                }
                bar.at(vectors);
            }
        }
    };
    // It may be minutes until something moves again.
    let setback = |problem: &str| {
        // Most faults name the provider themselves.
        let provider = format!("{}: ", context.settings.distill.provider.name());
        let said = problem.strip_prefix(&provider).unwrap_or(problem);
        tell_aside(format!("{} {said}", styled(WARN, "waiting:")));
    };
    let report = work(context, idle, &show, &setback)?;
    drop(progress);
    if report.ended == Ended::AnotherRuns {
        return Err(CliError::new(Exit::Busy, "a worker runs already")
            .hint("it sees what waits; `custos status` shows how much is left, worker.log in the state directory what it did"));
    }
    let mut index = index::up_to_date(context)?;
    let left = index.work_counts()?.pending;
    let is_embedded = context.settings.recall.embedder != Embedder::None;
    let unembedded = if is_embedded { index.unembedded_count()? } else { 0 };
    let waits = (report.ended == Ended::Postponed).then(|| waits_for_provider(context, left));
    if output.is_json() {
        output.json(&serde_json::json!({
            "units": report.units, "events": report.events, "observations": report.observations,
            "summaries": report.summaries, "vectors": report.vectors, "fell_back": report.fell_back, "failed": report.failed,
            "abandoned": report.abandoned, "interrupted": report.ended == Ended::Asked, "left": left,
            "unembedded": unembedded, "waits": waits,
        }))?;
    } else {
        tell(&report, left, unembedded, output)?;
    }
    match waits {
        Some(_) if output.is_json() => Ok(Exit::Busy),
        Some(waits) => Err(CliError::new(Exit::Busy, waits).hint(
            "`custos worker run` waits for it, and has rules do it after 10 minutes; so does the next worker that a hook starts",
        )),
        None if report.abandoned > 0 => Ok(Exit::Found),
        None => Ok(Exit::Success),
    }
}

/// Says that what is left waits for a provider, and why.
fn waits_for_provider(context: &Context, left: u64) -> String {
    let provider = context.settings.distill.provider.name();
    let said = circuit::broken(&context.places.state)
        .map_or_else(String::new, |broken| format!(": {}", render::printable(&broken.message)));
    let verb = if left == 1 { "waits" } else { "wait" };
    format!("{} {verb} for {provider}, which fails{said}", render::count(left, "event"))
}

fn tell(report: &Report, left: u64, unembedded: u64, output: &mut Output) -> Result<(), CliError> {
    let made =
        [render::count(report.observations, "observation"), render::count(report.summaries, "summary")];
    let events = render::count(report.events, "event");
    output.line(format!("{} {events}: {}", styled(GOOD, "distilled"), made.join(", ")))?;
    if report.vectors > 0 {
        output.line(styled(DIM, format!("made {}", render::count(report.vectors, "vector"))))?;
    }
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
    if left > 0 && report.ended != Ended::Postponed {
        let events = render::count(left, "event");
        let verb = if left == 1 { "waits" } else { "wait" };
        output.line(styled(DIM, format!("{events} still {verb}; `custos work list` says what for")))?;
    }
    if unembedded > 0 && report.ended != Ended::Asked {
        let texts = render::count(unembedded, "text");
        let verb = if unembedded == 1 { "waits" } else { "wait" };
        output.line(format!(
            "{} {texts} {verb} for vectors; `custos doctor` says why",
            styled(WARN, "still")
        ))?;
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
        embedder: embedder::for_worker(context),
        time: &MachineTime::default(),
        // Whoever switches a model off wants that nothing more is sent; the next hook starts a worker with the new settings.
        stop: Stop::on_signals().or_when(move || stamp() != began),
        day_began: &|now| when::days(now, 1).first().map_or(now, |day| day.began),
        trouble: &|problem| leave_word(context, problem),
        progress,
        setback,
        end_left_behind: &|| distiller::end_left_behind(context),
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
