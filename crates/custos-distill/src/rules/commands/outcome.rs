//! What became of a run.

use super::{Placed, Purpose, Run, Status, placed, summaries};
use crate::turn::{Step, What};

/// Programs that say with a status of 1 that there is nothing to see, or a difference.
const ANSWER_BY_STATUS: [&str; 14] = [
    "grep", "egrep", "fgrep", "rg", "ag", "ack", "diff", "cmp", "test", "[", "[[", "pgrep", "which",
    "git diff",
];

/// The commands of a step, in their order, and what tells how each went.
pub(crate) struct Line<'s> {
    text: &'s str,
    step: &'s Step,
    all: Vec<Placed>,
}

impl<'s> Line<'s> {
    /// Reads the command line of a step; it has no commands where the step is none.
    pub(crate) fn of(step: &'s Step) -> Self {
        let text = if let What::Ran(line) = &step.what { line.as_str() } else { "" };
        Self { text, step, all: placed(text, 0) }
    }

    /// Gives the commands.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.all.iter().map(|placed| &placed.run)
    }

    /// Tells whether a command went well: by the exit status where nothing hides it, else by what was printed; none where neither is certain.
    pub(crate) fn outcome(&self, at: usize) -> Option<bool> {
        outcome(&self.all, at, self.text, self.step)
    }
}

fn outcome(all: &[Placed], at: usize, line: &str, step: &Step) -> Option<bool> {
    let Placed { run, told: status } = all.get(at)?;
    let status = *status;
    let is_printed_by_line = line.contains("$?") || line.contains("PIPESTATUS");
    if let (Status::Own, Some(0), false) = (status, step.exit, is_printed_by_line) {
        return Some(true);
    }
    let printed = summaries::printed(&step.output, &run.purpose);
    let told = step.exit.map(|exit| exit == 0).or(step.ok).or(printed.exit.filter(|_| !is_printed_by_line));

    let does = |purpose: &Purpose| !matches!(purpose, Purpose::Look | Purpose::Other);
    let is_only_one =
        does(&run.purpose) && all.iter().filter(|placed| does(&placed.run.purpose)).count() == 1;
    if is_printed_by_line && (is_only_one || all.len() == 1) && printed.exit.is_some() {
        return printed.exit;
    }
    let by_words = if does(&run.purpose) { printed.counted.or(printed.worded) } else { None };
    let has_later_test = all[at + 1..]
        .iter()
        .any(|placed| placed.run.purpose == Purpose::Test && placed.told != Status::Hidden);
    if has_later_test && status == Status::Shared && printed.counted.is_some() && run.purpose != Purpose::Test
    {
        // The tests of `cargo build && cargo test` were counted: so it was built.
        return Some(true);
    }
    if ANSWER_BY_STATUS.contains(&run.family.as_str())
        && told == Some(false)
        && step.exit.is_none_or(|exit| exit == 1)
    {
        return None;
    }
    match (status, told) {
        // Clients that tell no exit status sometimes call a call well because it came to an end.
        (Status::Own | Status::Shared, Some(true))
            if step.exit.is_none() && printed.counted == Some(false) =>
        {
            Some(false)
        }
        (Status::Own, Some(ok)) => Some(ok),
        (Status::Shared, Some(true)) => Some(true),
        (Status::Shared, Some(false)) if is_only_one => Some(false),
        _ => by_words,
    }
}
