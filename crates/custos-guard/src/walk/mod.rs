//! Visits every command that a script would run, and has each judged.
//!
//! The walk follows the script as bash would: variables, the working directory, functions, aliases and files written on the way are known
//! to what comes later ([`scope`]). Of each simple command the words are resolved ([`simple`]), the wrappers taken off ([`wrappers`]), the
//! scripts that it carries opened ([`carriers`], [`interpreters`]), the rest judged. What a command prints is kept where it can be known
//! ([`output`]), because it may be the next one's script.
//!
//! A walk has a bounded effort. When it is spent, or the nesting goes deeper than anybody writes by hand, the person is asked.

pub(crate) mod builtins;
pub(crate) mod carriers;
pub(crate) mod commands;
pub(crate) mod consoles;
pub(crate) mod containers;
pub(crate) mod declarations;
pub(crate) mod flaws;
mod foreign;
pub(crate) mod interpreters;
pub(crate) mod output;
pub(crate) mod runners;
pub(crate) mod scope;
pub(crate) mod simple;
pub(crate) mod suspicion;
#[cfg(test)]
mod tests;
pub(crate) mod wrappers;

use crate::case::Case;
use crate::invocation::Stream;
use crate::shell;
use crate::verdict::{Hold, Rule};
use scope::Scope;

/// Holds what would take too long to judge.
pub(crate) static TOO_MUCH: Rule = Rule {
    id: "shell.too-much",
    hold: Hold::Ask,
    reason: "is too long or too intricate to be judged",
    safer: "split it into smaller commands",
};

/// Holds scripts in scripts in scripts.
pub(crate) static TOO_DEEP: Rule = Rule {
    id: "shell.too-deep",
    hold: Hold::Ask,
    reason: "hides a command in more layers of shells than can be followed",
    safer: "run the innermost command directly",
};

/// The rules of the walk.
pub(crate) static RULES: &[&Rule] = &[
    &TOO_MUCH,
    &TOO_DEEP,
    &flaws::BROKEN,
    &flaws::INVISIBLE,
    &suspicion::UNRESOLVED,
    &suspicion::UNKNOWN_WRAPPER,
    &interpreters::DOWNLOADED,
    &interpreters::DECODED,
    &commands::FORK_BOMB,
];

/// How much a walk may do: characters resolved, and a price per command. One unit is about five nanoseconds of work, so that spending it all
/// takes some 20 milliseconds; everyday commands take a thousandth of it.
const EFFORT: usize = 4 << 20;

/// What judging one call costs beside its words.
const JUDGING: usize = 1500;

/// The longest command that is looked at; no system passes a longer one to a shell.
const LONGEST: usize = 256 << 10;

/// The most words of one call, and the most bytes of them.
const MOST_WORDS: usize = 4096;
const MOST_BYTES: usize = 128 << 10;

/// How many scripts may be nested in one another.
const DEEPEST: usize = 8;

/// A walk through one command line.
pub(crate) struct Walk<'c, 'w> {
    /// The case to which the findings go.
    pub(crate) case: &'c mut Case<'w>,
    effort: usize,
    is_spent: bool,
    depth: usize,
    /// Whether a command was seen whose name is only known when it runs: then any function may be the one.
    calls_anything: bool,
}

/// Judges a command line.
pub(crate) fn judge(text: &str, case: &mut Case<'_>) {
    let mut scope = Scope::new(&case.world);
    let mut walk = Walk { case, effort: EFFORT, is_spent: false, depth: 0, calls_anything: false };
    if text.len() > LONGEST {
        walk.case.hold(&TOO_MUCH, format!("{} bytes", text.len()));
        flaws::fallback(text, &mut walk, &mut scope);
        return;
    }
    walk.text(text, &mut scope, &Stream::Inherited);
    walk.functions_that_may_run(&mut scope);
    if walk.is_spent {
        walk.case.hold(&TOO_MUCH, excerpt(text));
    }
}

impl Walk<'_, '_> {
    /// Parses a text and visits what is in it; gives what it prints.
    pub(crate) fn text(&mut self, text: &str, scope: &mut Scope, stdin: &Stream) -> Stream {
        if !self.spend(text.len() + 16) {
            return Stream::Output;
        }
        if self.depth >= DEEPEST {
            self.case.hold(&TOO_DEEP, excerpt(text));
            flaws::fallback(text, self, scope);
            return Stream::Output;
        }
        let parsed = shell::parse(text);
        self.depth += 1;
        flaws::judge(text, &parsed.flaws, self, scope);
        // Nested deeper than anybody writes: it is held already, and its tree is as large as it is meaningless.
        let is_bottomless = parsed.flaws.iter().any(|flaw| flaw.kind == shell::syntax::FlawKind::TooDeep);
        let printed = if is_bottomless { Stream::Output } else { self.script(&parsed.script, scope, stdin) };
        self.depth -= 1;
        printed
    }

    /// Takes effort; `false`, and the person is asked, if there is none left.
    pub(crate) fn spend(&mut self, amount: usize) -> bool {
        if self.effort < amount {
            // Said at the end: what is found on the side does not count.
            self.effort = 0;
            self.is_spent = true;
            return false;
        }
        self.effort -= amount;
        true
    }
}

/// Says whether the walk knows what a program does with its arguments.
fn is_known(program: &str) -> bool {
    interpreters::is_shell(program)
        || matches!(
            program,
            "xargs"
                | "parallel"
                | "find"
                | "ssh"
                | "su"
                | "runuser"
                | "flock"
                | "watch"
                | "script"
                | "docker"
                | "podman"
                | "kubectl"
                | "python"
                | "python3"
                | "node"
                | "perl"
                | "ruby"
                | "php"
        )
}

/// The beginning of a text, for people.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let text = text.trim();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
