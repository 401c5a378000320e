//! Words that say under which condition something holds, or that it is only allowed: "Ask first", "Only in emergencies", "Allowed".
//!
//! "Push to main" below one of these is no order. What stands there keeps these words, as what is forbidden keeps its own; and all of it is
//! meant likewise, also what looks like no rule. Only a case ("Before a release") may as well be the place of a description.

mod words;

use self::words::{ALLOWING, ALONE, ASKED, CALLING, EMERGENCIES, LEAVE, OPTIONAL, TIMES, WITH, WITHOUT};
use super::super::LONGEST_RULE;
use super::super::judging::{spaced, tells};
use super::super::spans::without_marks;
use super::super::words::VERBS;
use super::itself::{asks_first, begins, is_condition, limits};
use super::{Bearing, lowered, shortened};

/// How something is meant that is not simply to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Condition {
    /// It may be done only so: who does it was asked to, has asked, or has a reason.
    Restricted,
    /// It may be done, and need not.
    Allowed,
    /// It holds in some case. Below a prohibition it is forbidden in that case.
    Case,
}

/// Says which condition some words set for what stands below them, or behind them.
pub(super) fn given(heading: &str) -> Option<Bearing> {
    let plain = without_marks(heading);
    let said = spaced(&lowered(&plain));
    let bare = said.trim_start();
    let has = |list: &[&str]| list.iter().any(|phrase| said.contains(&format!(" {phrase} ")));
    let is_without = has(WITHOUT);
    let by_leave = has(LEAVE) && (has(CALLING) || is_without);
    let asks = asks_first(&said) || has(ASKED);
    let allows = has(ALLOWING) || ALONE.contains(&bare.trim_end());
    let is_case = is_condition(&lowered(&plain)) || begins(bare, TIMES) || has(EMERGENCIES);
    let (condition, is_rule) = match () {
        // "Without approval" may stand below "Never".
        () if begins(bare, WITH) && (by_leave || asks || allows) => (Condition::Case, true),
        () if asks || (by_leave && !is_case && !is_without) => (Condition::Restricted, true),
        () if allows || (by_leave && !is_case) => (Condition::Allowed, true),
        () if limits(bare) => (Condition::Restricted, true),
        () if is_case => (Condition::Case, by_leave),
        () if has(OPTIONAL) => (Condition::Allowed, false),
        () => return None,
    };
    Some(Bearing::Given { words: shortened(heading), is_rule, condition })
}

/// Says whether an item only sets a condition for what is nested below it.
pub(in super::super) fn is_given(item: &str) -> bool {
    let plain = without_marks(item);
    plain.len() <= LONGEST_RULE
        && !tells(&plain.to_lowercase(), VERBS)
        && super::of_heading(&plain).is_some_and(|bearing| bearing.is_given())
}
