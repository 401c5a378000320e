//! The offer of a model: made where Claude Code is here and rules distil, with what it would take in a day.
//!
//! Rules are what everybody has, and nothing costs tokens that nobody asked for: without an answer from a person it stays so.

use custos_config::Provider;
use custos_index::{Index, IndexError};
use custos_model::Timestamp;
use serde::Serialize;

use crate::commands::index;
use crate::context::Context;
use crate::error::CliError;
use crate::installation::machine::Found;
use crate::output::{DIM, Output, ask, styled};
use crate::render::{self, grouped};
use crate::when;

/// What a tool call takes where nothing was measured, and how many a typical day has.
const TOKENS_PER_CALL: u64 = 300;
const TYPICAL_CALLS: u64 = 200;

/// How far back the person's own days are looked at.
const DAYS: u16 = 14;

/// The most sessions that are looked at for it.
const SESSIONS: usize = 1_000;

const CHANGE: &str = "custos config set distill.provider claude-cli";

/// A model that could be chosen.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Offer {
    provider: &'static str,
    calls_per_day: u64,
    tokens_per_day: u64,
    /// Whether the calls are the person's own, not those of a typical day.
    measured: bool,
    change: &'static str,
}

impl Offer {
    /// Finds what can be offered. What cannot be measured is taken from a typical day.
    pub(super) fn find(context: &Context, found: &[Found]) -> Option<Self> {
        let has_claude =
            found.iter().any(|found| found.client.name == "claude-code" && found.program.is_some());
        if !has_claude || context.settings.distill.provider != Provider::Rules {
            return None;
        }
        let measured = index::up_to_date(context)
            .ok()
            .and_then(|mut index| index.ask(&context.reader(), measure).ok())
            .flatten();
        let (calls, tokens) = measured.unwrap_or((TYPICAL_CALLS, TOKENS_PER_CALL));
        Some(Self {
            provider: Provider::ClaudeCli.name(),
            calls_per_day: calls,
            tokens_per_day: calls * tokens,
            measured: measured.is_some(),
            change: CHANGE,
        })
    }

    fn said(&self) -> String {
        let (tokens, calls) = (grouped(self.tokens_per_day), grouped(self.calls_per_day));
        let whose = if self.measured { "as on your days" } else { "a typical day" };
        format!("about {tokens} tokens for {calls} tool calls, {whose}")
    }

    /// Asks the person where there is one, and says how it can be changed.
    pub(super) fn put(&self, context: &Context, may_ask: bool, output: &mut Output) -> Result<(), CliError> {
        output.line("")?;
        if may_ask {
            output.line("Rules make memories of your work, without a model. Claude Code could do it:")?;
            output.line(format!("{}, from your plan or account.", self.said()))?;
            if ask(output, "Let Claude Code make them? [y/N] ", false)? {
                let (key, name) = ("distill.provider", Provider::ClaudeCli.name());
                custos_config::set(&context.places.user_config(), key, name)?;
                output.line("Claude Code makes memories from now on; `custos usage` shows what it takes.")?;
                return Ok(());
            }
        }
        let change = format!("Rules make memories of your work. A model can: `{CHANGE}` ({}).", self.said());
        output.line(styled(DIM, render::fitted(&change, 0, output.is_terminal())))?;
        Ok(())
    }
}

/// Gives the tool calls of a day on which there were any, and the tokens that each took; none where nothing was recorded.
fn measure(index: &mut Index) -> Result<Option<(u64, u64)>, IndexError> {
    let days = when::days(when::now(), DAYS);
    let Some(first) = days.last() else { return Ok(None) };
    let mut calls = 0;
    let mut worked: Vec<&str> = Vec::new();
    for session in index.sessions(None, SESSIONS)?.iter().filter(|session| session.last >= first.began) {
        calls += session.tool_events;
        let day = days.iter().find(|day| session.last >= day.began).filter(|_| session.tool_events > 0);
        worked.extend(day.map(|day| day.name.as_str()).filter(|name| !worked.contains(name)));
    }
    if calls == 0 || worked.is_empty() {
        return Ok(None);
    }
    let taken = index.usage(first.began, Timestamp::from_millis(i64::MAX))?;
    let tokens: u64 = taken.iter().map(|usage| usage.input + usage.output).sum();
    let per_call = if tokens == 0 { TOKENS_PER_CALL } else { tokens.div_ceil(calls) };
    Ok(Some((calls.div_ceil(worked.len() as u64), per_call)))
}
