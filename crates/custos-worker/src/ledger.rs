//! The budget: how many tokens models may take, and what they have taken.
//!
//! The books are the log: each question leaves a `usage.recorded`, and the sums come from the index. So they survive everything that the
//! log survives, and a second worker knows what the first one spent. The day is that of this machine's time zone; the caller says when it
//! began.

use std::collections::HashMap;

use custos_distill::model::Spent;
use custos_index::{Index, IndexError};
use custos_model::Timestamp;
use serde_json::{Map, Value, json};

/// How many tokens may be spent; none is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// In a day.
    pub per_day: Option<u64>,
    /// For one coding session, in all.
    pub per_session: Option<u64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { per_day: Some(200_000), per_session: None }
    }
}

/// What was spent.
#[derive(Debug, Clone)]
pub struct Ledger {
    budget: Budget,
    today: u64,
    sessions: HashMap<String, u64>,
}

impl Ledger {
    /// Adds up what the index knows. It must have caught up.
    pub fn read(index: &mut Index, budget: Budget, day_began: Timestamp) -> Result<Self, IndexError> {
        let end = Timestamp::from_millis(i64::MAX);
        let mut ledger = Self { budget, today: 0, sessions: HashMap::new() };
        if budget.per_day.is_some() {
            let today = index.usage(day_began, end)?;
            ledger.today = today.iter().map(|usage| usage.input + usage.output).sum();
        }
        if budget.per_session.is_some() {
            for usage in index.usage(Timestamp::from_millis(0), end)? {
                *ledger.sessions.entry(usage.session.unwrap_or_default()).or_default() +=
                    usage.input + usage.output;
            }
        }
        Ok(ledger)
    }

    /// Gives what was spent today, in tokens.
    pub fn today(&self) -> u64 {
        self.today
    }

    /// Says whether so many tokens may be spent on a session, or why not.
    pub fn may_spend(&self, session: &str, estimate: u64) -> Result<(), String> {
        let Budget { per_day, per_session } = self.budget;
        let of_session = self.sessions.get(session).copied().unwrap_or(0);
        for (limit, spent, span) in [(per_day, self.today, "day"), (per_session, of_session, "session")] {
            if let Some(limit) = limit.filter(|limit| spent.saturating_add(estimate) > *limit) {
                return Err(format!("the budget of {limit} tokens a {span} is spent"));
            }
        }
        Ok(())
    }

    /// Notes what a question took.
    pub fn add(&mut self, session: &str, spent: Spent) {
        let tokens = spent.input.saturating_add(spent.output);
        self.today = self.today.saturating_add(tokens);
        let of_session = self.sessions.entry(session.to_owned()).or_default();
        *of_session = of_session.saturating_add(tokens);
    }
}

/// Gives the entry for a question, as the body of a `usage.recorded`.
pub fn entry(provider: &str, model: &str, spent: Spent) -> Map<String, Value> {
    let mut body = Map::from_iter([
        ("provider".to_owned(), json!(provider)),
        ("model".to_owned(), json!(model)),
        ("input".to_owned(), json!(spent.input)),
        ("cached".to_owned(), json!(spent.cached)),
        ("output".to_owned(), json!(spent.output)),
    ]);
    if let Some(money) = spent.microdollars {
        body.insert("microdollars".to_owned(), json!(money));
    }
    body
}

/// Estimates the tokens of a text: four bytes each, as providers say of English, and more of what is no English.
pub fn estimate(text: &str) -> u64 {
    text.len() as u64 / 4 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(per_day: Option<u64>, per_session: Option<u64>) -> Ledger {
        Ledger { budget: Budget { per_day, per_session }, today: 0, sessions: HashMap::new() }
    }

    #[test]
    fn nothing_is_spent_beyond_a_limit() {
        let mut ledger = ledger(Some(1_000), Some(300));
        let spent = Spent { input: 150, cached: 100, output: 50, microdollars: None };
        assert_eq!(ledger.may_spend("s", 300), Ok(()));
        ledger.add("s", spent);
        assert_eq!(ledger.may_spend("s", 101), Err("the budget of 300 tokens a session is spent".into()));
        assert_eq!((ledger.may_spend("s", 100), ledger.may_spend("r", 300)), (Ok(()), Ok(())));
        (0..4).for_each(|_| ledger.add("r", spent));
        assert_eq!(ledger.may_spend("q", 1), Err("the budget of 1000 tokens a day is spent".into()));
        assert_eq!(ledger.today(), 1_000);
    }

    #[test]
    fn no_limit_is_none() {
        let mut ledger = ledger(None, None);
        ledger.add("s", Spent { input: u64::MAX, output: u64::MAX, ..Spent::default() });
        assert_eq!(ledger.may_spend("s", u64::MAX), Ok(()));
    }
}
