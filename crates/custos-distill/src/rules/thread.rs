//! Which turns a turn goes on with, where how they ended does not tell.
//!
//! A story carries over what stopped in the middle. Two kinds of turns look otherwise than they are: one that wrote a test which shows the
//! trouble is settled by the look of it, and its cure comes with the next; one that wrote prose, while a build fails as it had failed
//! before, is done.

use super::story::{Story, is_noise, is_prose, joined};
use super::words;
use crate::turn::{Turn, What};

/// Reads a turn as a story, together with what it goes on with.
pub(crate) fn read<'t>(turn: &'t Turn, before: &'t [Turn]) -> Story<'t> {
    let story = Story::read(turn, before);
    match before {
        [earlier @ .., last] if story.carried.is_empty() && reproduces(last) && edits(turn) => {
            Story::read_from(turn, before, earlier.len())
        }
        [.., last] if story.carried.len() == 1 && is_settled_prose(last) => {
            Story::read_from(turn, before, before.len())
        }
        _ => story,
    }
}

/// Says whether a turn only wrote tests for a trouble, and left them red.
fn reproduces(turn: &Turn) -> bool {
    let mut paths = edited(turn).peekable();
    let is_red = || {
        let last = turn.steps.iter().rfind(|step| matches!(step.what, What::Ran(_)));
        last.is_some_and(|step| step.ok == Some(false) && super::failures::failure(&step.output).is_some())
    };
    !turn.is_private
        && paths.peek().is_some()
        && paths.all(custos_syntax::is_test)
        && words::is_trouble(&joined(turn))
        && is_red()
}

/// Says whether a turn wrote nothing but prose, and what still failed had failed before it.
pub(crate) fn is_settled_prose(turn: &Turn) -> bool {
    #[rustfmt::skip]
    const BEFORE: &[&str] = &[
        "already there", "existed before", "was there before", "fails without", "failed before", "pre-existing", "unrelated",
        "gab es schon", "schon vorher", "bereits vorher", "existait déjà", "déjà avant", "déjà présent", "ya existía",
        "ya estaba", "já existia", "já estava", "esisteva già", "già prima", "bestond al", "был и раньше", "было и раньше",
        "之前就", "以前から", "이전부터",
    ];
    let mut paths = edited(turn).filter(|path| !is_noise(path)).peekable();
    let message = turn.message.as_deref().unwrap_or_default().to_lowercase();
    paths.peek().is_some() && paths.all(is_prose) && BEFORE.iter().any(|words| message.contains(words))
}

fn edits(turn: &Turn) -> bool {
    edited(turn).next().is_some()
}

fn edited(turn: &Turn) -> impl Iterator<Item = &str> {
    turn.steps
        .iter()
        .filter(|step| step.ok != Some(false))
        .filter_map(|step| match &step.what {
            What::Edited(edits) => Some(edits),
            _ => None,
        })
        .flatten()
        .map(|edit| edit.path.as_str())
}
