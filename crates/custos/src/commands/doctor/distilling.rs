//! Who makes memories, whether that works, and what waits. Nothing is contacted unless the person asked for it.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use custos_config::Provider;
use custos_distill::model::Question;
use custos_model::Timestamp;

use super::Check;
use super::clients::how_long;
use crate::commands::index;
use crate::context::Context;
use crate::distiller::standing::Standing;
use crate::distiller::{self, Reach};
use crate::error::CliError;
use crate::render::{self, grouped};
use crate::when;

/// How long a provider may take for the question that only asks whether it answers.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long work may wait before it is mentioned, in milliseconds.
const HOUR: i64 = 3_600_000;

/// How long a line of the worker's log is news, in milliseconds.
const NEWS: i64 = 24 * HOUR;

/// How much of the worker's log is looked at, from its end.
const LOOKED_AT: u64 = 64 << 10;

/// Makes the checks that are about distilling.
pub(super) fn checks(context: &Context, online: bool) -> Vec<Check> {
    let read = || -> Result<Standing, CliError> {
        let mut index = index::up_to_date(context)?;
        Ok(index.ask(&context.reader(), |index| Standing::read(context, index))?)
    };
    // What keeps the index from being read is told by its own check.
    let Ok(standing) = read() else { return Vec::new() };
    let mut checks = Vec::new();
    match distiller::chosen(context) {
        Ok(None) => checks.push(by_rules(context)),
        Ok(Some(reach)) => {
            checks.push(by_model(context, &reach));
            checks.extend(circuit(&reach, &standing));
            if online {
                checks.push(asked(&reach));
            }
            checks.extend(budget(&standing));
        }
        Err(not_ready) => {
            checks.push(Check::bad(
                "distilling",
                format!("{not_ready}; work waits for it for 10 minutes, then rules stand in"),
                not_ready.advice(),
            ));
        }
    }
    checks.push(work(context, &standing));
    checks.extend(last_error(&context.places.state));
    checks
}

fn by_rules(context: &Context) -> Check {
    if context.settings.distill.provider == Provider::Rules {
        return Check::ok("distilling", "by rules: no model, no tokens");
    }
    Check::note(
        "distilling",
        format!("by rules: {} may take no tokens", context.settings.distill.provider.name()),
        "`custos config set distill.tokens_per_day 200000`",
    )
}

fn by_model(context: &Context, reach: &Reach) -> Check {
    // Nobody is asked: this only says whether the address is one.
    if let Err(fault) = reach.open() {
        let advice = "`custos config set distill.base_url https://…`, without a name, a password or a query";
        return Check::bad("distilling", format!("{reach} cannot be asked: {fault}"), advice);
    }
    let address = reach.base_url().map_or_else(String::new, |url| format!(" at {url}"));
    let from = match (&reach.key, context.settings.distill.provider) {
        (Some(key), _) => format!(", key from {}", key.from),
        (None, Provider::ClaudeCli) => format!(", {}", reach.claude.display()),
        (None, _) => ", without a key".to_owned(),
    };
    Check::ok("distilling", format!("by {reach}{address}{from}"))
}

/// Says that the provider has failed, if it has.
fn circuit(reach: &Reach, standing: &Standing) -> Option<Check> {
    let (broken, said) = (standing.broken.as_ref()?, standing.broken_said()?);
    let away = when::now().as_millis().saturating_sub(broken.since);
    let instead = if away >= 10 * 60_000 { "; rules stand in" } else { "" };
    let advice = if broken.refused {
        reach.advice_if_refused()
    } else {
        "the worker asks again by itself; what rules did meanwhile, `custos work redo --all-fallbacks` does again"
            .to_owned()
    };
    let found = format!("{reach} {said}{instead}");
    Some(if broken.refused || broken.failures >= 3 {
        Check::bad("provider", found, advice)
    } else {
        Check::note("provider", found, advice)
    })
}

/// Asks the provider whether it answers.
fn asked(reach: &Reach) -> Check {
    let Ok(dir) = tempfile::tempdir() else {
        return Check::bad("provider", "no temporary directory can be made", "check TMPDIR");
    };
    let reach = reach.clone().with_state(dir.path());
    let began = Instant::now();
    let question = Question {
        session: "doctor",
        system: "Answer with the JSON that you are asked for, and with nothing else.",
        prompt: "Answer with {\"observations\":[],\"summary\":null}.",
        most_tokens: 64,
        within: PATIENCE,
    };
    let answered = reach.open().and_then(|mut model| model.ask(&question));
    match answered {
        Ok(reply) => Check::ok(
            "provider",
            format!(
                "{reach} answered in {:.1} s, {} tokens",
                began.elapsed().as_secs_f64(),
                grouped(reply.spent.input + reply.spent.output)
            ),
        ),
        Err(fault) => {
            let advice = reach.advice(&fault);
            Check::bad("provider", format!("{reach} does not answer: {fault}"), advice)
        }
    }
}

fn budget(standing: &Standing) -> Option<Check> {
    (standing.today >= standing.limit).then(|| {
        Check::note(
            "budget",
            format!("today's {} tokens are spent: rules stand in until midnight", grouped(standing.limit)),
            "`custos usage` shows on what; `custos config set distill.tokens_per_day N` changes it",
        )
    })
}

fn work(context: &Context, standing: &Standing) -> Check {
    let said = standing.work_said();
    if standing.work.abandoned > 0 {
        return Check::note(
            "work",
            said,
            "`custos work list` shows what was given up, `custos work retry --all` tries it again",
        );
    }
    let now = when::now().as_millis();
    let waited = standing.oldest.map_or(0, |oldest| now.saturating_sub(oldest.as_millis()));
    if waited >= HOUR && !context.settings.worker.wake && standing.is_running != Some(true) {
        return Check::note(
            "work",
            format!("{said}; the oldest for {}", how_long(waited)),
            "worker.wake is off: `custos worker run --until-idle` does it, `custos config set worker.wake true` lets hooks see to it",
        );
    }
    Check::ok("work", said)
}

/// Gives the last thing that went wrong in the worker, if that was lately.
fn last_error(state: &Path) -> Option<Check> {
    let path = state.join("worker.log");
    let mut file = std::fs::File::open(&path).ok()?;
    let len = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(len.saturating_sub(LOOKED_AT))).ok()?;
    let mut bytes = Vec::new();
    file.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (at, said) =
        text.lines().rev().filter_map(|line| line.split_once(' ')).find(|(_, said)| is_error(said))?;
    let age = when::now().as_millis().saturating_sub(at.parse::<Timestamp>().ok()?.as_millis());
    (age < NEWS).then(|| {
        let found = format!("{} ago: {}", how_long(age), render::cut(said, 200));
        Check::note("worker log", found, format!("what came before it is in {}", path.display()))
    })
}

fn is_error(said: &str) -> bool {
    said.starts_with("cannot go on: ") || said.contains(" failed, attempt ")
}
