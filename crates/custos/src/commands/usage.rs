//! `custos usage`: what models took, who for, and how much of the day's budget is left.
//!
//! The books are the log: each question that a model answered, or that may be charged for, leaves a `usage.recorded`. Costs are the provider's own figures or list prices times
//! tokens, so they are marked as estimates; where neither is known, nothing is said rather than nothing being charged.

use clap::{Args, ValueEnum};
use custos_index::{Index, IndexError, Usage};
use custos_model::Timestamp;
use serde::Serialize;

use crate::commands::index;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{BOLD, DIM, Output, WARN, styled};
use crate::render::{self, cut, grouped, printable};
use crate::when;

/// The name of what was asked in no session.
const NONE: &str = "no session";

#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// How many days, today included
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=366))]
    days: u16,
    /// What the lines are
    #[arg(long, value_enum, default_value_t = By::Day)]
    by: By,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum By {
    /// Days of this machine's time zone
    Day,
    /// Coding sessions
    Session,
    /// Providers and models
    Provider,
}

/// What was taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Sum {
    pub(crate) calls: u64,
    pub(crate) input: u64,
    pub(crate) cached: u64,
    pub(crate) output: u64,
    /// Estimated; none where no price is known.
    microdollars: Option<u64>,
}

impl Sum {
    fn add(&mut self, usage: &Usage) {
        self.calls += usage.calls;
        self.input += usage.input;
        self.cached += usage.cached;
        self.output += usage.output;
        // The index adds up what is known; where that is nothing, something was still paid or not.
        let known = Some(usage.microdollars).filter(|micros| *micros > 0);
        self.microdollars = known.map(|micros| micros + self.microdollars.unwrap_or(0)).or(self.microdollars);
    }

    fn of<'a>(usage: impl IntoIterator<Item = &'a Usage>) -> Self {
        let mut sum = Self::default();
        usage.into_iter().for_each(|usage| sum.add(usage));
        sum
    }

    /// Gives what counts against the budget.
    pub(crate) fn tokens(&self) -> u64 {
        self.input + self.output
    }
}

/// One line.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Row {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(flatten)]
    sum: Sum,
}

pub(crate) fn run(context: &Context, args: &UsageArgs, output: &mut Output) -> Result<Exit, CliError> {
    let mut index = index::up_to_date(context)?;
    let days = when::days(when::now(), args.days);
    let (rows, total, today) = index.ask(&context.reader(), |index| {
        let rows = match args.by {
            By::Day => by_day(index, &days)?,
            By::Session | By::Provider => by_name(index, &days, args.by)?,
        };
        Ok((rows, Sum::of(&since(index, days.last())?), Sum::of(&since(index, days.first())?)))
    })?;
    let limit = context.settings.distill.tokens_per_day;
    if output.is_json() {
        output.json(&serde_json::json!({
            "days": args.days, "by": args.by, "rows": rows, "total": total, "costs_are_estimates": true,
            "today": { "tokens": today.tokens(), "limit": limit, "left": limit.saturating_sub(today.tokens()) },
        }))?;
        return Ok(Exit::Success);
    }
    if total.calls == 0 {
        output.line(styled(DIM, format!("no model answered in {}", spelt(args.days))))?;
    } else {
        table(&rows, &total, output)?;
    }
    output.line(budget(context, today.tokens()))?;
    Ok(Exit::Success)
}

fn spelt(days: u16) -> String {
    if days == 1 { "today".to_owned() } else { format!("the last {days} days") }
}

/// Gives what was taken since a day began.
fn since(index: &mut Index, day: Option<&when::Day>) -> Result<Vec<Usage>, IndexError> {
    let end = Timestamp::from_millis(i64::MAX);
    day.map_or_else(|| Ok(Vec::new()), |day| index.usage(day.began, end))
}

/// Gives what was taken today.
pub(crate) fn today(index: &mut Index) -> Result<Sum, IndexError> {
    Ok(Sum::of(&since(index, when::days(when::now(), 1).first())?))
}

fn by_day(index: &mut Index, days: &[when::Day]) -> Result<Vec<Row>, IndexError> {
    let mut until = Timestamp::from_millis(i64::MAX);
    let mut rows = Vec::new();
    for day in days {
        let sum = Sum::of(&index.usage(day.began, until)?);
        if sum.calls > 0 {
            rows.push(Row { name: day.name.clone(), project: None, sum });
        }
        until = day.began;
    }
    Ok(rows)
}

/// Adds up by session or by model; the one that took most comes first.
fn by_name(index: &mut Index, days: &[when::Day], by: By) -> Result<Vec<Row>, IndexError> {
    let mut rows: Vec<Row> = Vec::new();
    for usage in since(index, days.last())? {
        let (name, project) = match by {
            By::Session => (usage.session.clone().unwrap_or_else(|| NONE.to_owned()), usage.project.clone()),
            By::Day | By::Provider => (format!("{}/{}", usage.provider, usage.model), None),
        };
        let at = rows.iter().position(|row| row.name == name).unwrap_or_else(|| {
            rows.push(Row { name, project, sum: Sum::default() });
            rows.len() - 1
        });
        rows[at].sum.add(&usage);
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.sum.tokens()));
    Ok(rows)
}

fn table(rows: &[Row], total: &Sum, output: &mut Output) -> Result<(), CliError> {
    let line = |name: &str, cells: [String; 5]| {
        let [calls, input, cached, received, cost] = cells;
        // The spaces stay where a number is wider than its column.
        format!("{name:<25} {calls:>7} {input:>11} {cached:>11} {received:>10} {cost:>8}")
    };
    let cells = |sum: &Sum| {
        [grouped(sum.calls), grouped(sum.input), grouped(sum.cached), grouped(sum.output), cost(sum)]
    };
    let head = ["calls", "tokens in", "cached", "out", "cost *"].map(str::to_owned);
    output.line(styled(BOLD, line("", head)))?;
    for row in rows {
        let name = match &row.project {
            Some(project) => format!("{} {}", cut(&row.name, 14), render::short_project(project)),
            None => row.name.clone(),
        };
        output.line(line(&cut(&printable(&name), 25), cells(&row.sum)))?;
    }
    output.line(styled(BOLD, line("total", cells(total))))?;
    if rows.iter().any(|row| row.name == NONE) {
        let who = format!("{NONE}: `custos distill test`, and what clients did outside of sessions");
        output.line(styled(DIM, who))?;
    }
    output
        .line(styled(DIM, "* estimated: list prices or the provider's own figure; – where neither is known"))
}

fn cost(sum: &Sum) -> String {
    sum.microdollars.map_or_else(|| "–".to_owned(), |micros| format!("${:.4}", micros as f64 / 1e6))
}

/// Says how much of the day's budget is spent.
pub(crate) fn budget(context: &Context, spent: u64) -> String {
    let limit = context.settings.distill.tokens_per_day;
    let said = format!("today {} of {} tokens", grouped(spent), grouped(limit));
    if spent >= limit && limit > 0 {
        let until = "the budget is spent: rules take over until midnight";
        return format!("{said}; {}", styled(WARN, until));
    }
    let share = if limit == 0 { 0.0 } else { spent as f64 * 100.0 / limit as f64 };
    format!("{said} ({share:.0} %, setting distill.tokens_per_day)")
}
