//! Text that bash would not take, or that a person would not see.
//!
//! What was recovered is judged like anything else. Beyond that the plain words of the text are looked at: if any of them, read as a
//! command, would be denied, the person is asked. A broken command that could do no harm is left to bash, which will refuse it.

use crate::shell::fallback::tokens;
use crate::shell::syntax::{Flaw, FlawKind};
use crate::verdict::{Hold, Rule};
use crate::walk::scope::Scope;
use crate::walk::{TOO_DEEP, Walk, excerpt, suspicion};

/// Holds a broken text with something dangerous in it.
pub(crate) static BROKEN: Rule = Rule {
    id: "shell.broken",
    hold: Hold::Ask,
    reason: "cannot be parsed, and has words in it that would be held as a command",
    safer: "write it so that every quote and bracket is closed",
};

/// Holds characters that cannot be seen.
pub(crate) static INVISIBLE: Rule = Rule {
    id: "shell.invisible",
    hold: Hold::Ask,
    reason: "has characters in it that are not shown, or that show it in another order than it runs",
    safer: "write the command without them",
};

/// How much of a broken text is looked at word by word.
const LONGEST: usize = 16 << 10;

/// Judges what was wrong with a text.
pub(crate) fn judge(text: &str, flaws: &[Flaw], walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    if flaws.is_empty() {
        return;
    }
    // Each kind once: thousands of them say no more.
    let mut seen = Vec::new();
    for flaw in flaws {
        if seen.contains(&flaw.kind) {
            continue;
        }
        seen.push(flaw.kind);
        match flaw.kind {
            FlawKind::Nul | FlawKind::Invisible => {
                walk.case.hold(&INVISIBLE, around(text, flaw.at));
            }
            FlawKind::TooDeep => walk.case.hold(&TOO_DEEP, around(text, flaw.at)),
            FlawKind::Unclosed | FlawKind::Unexpected => {}
        }
    }
    fallback(text, walk, scope);
    // A quote too many must not hide the rest.
    if text.len() < 4096 && suspicion::script_would_be_held(&text.replace(['"', '\'', '`'], ""), walk, scope)
    {
        walk.case.hold(&BROKEN, excerpt(text));
    }
}

/// Looks at the plain words of a text.
pub(crate) fn fallback(text: &str, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    for words in tokens(&text[..end]) {
        if !walk.spend(words.len() * 8) {
            return;
        }
        suspicion::judge_tokens(&words, &BROKEN, walk, scope);
    }
}

/// The surroundings of a place in a text.
fn around(text: &str, at: usize) -> String {
    let mut start = at.saturating_sub(30).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    excerpt(&text[start..].escape_default().to_string())
}
