//! Commands whose program is not known, or not known to be a wrapper, with arguments that would destroy something.

use crate::invocation::{Arg, Invocation};
use crate::verdict::{Hold, Rule};
use crate::walk::scope::Scope;
use crate::walk::{Walk, excerpt, foreign, interpreters};
use crate::words::pattern;

/// Holds a program whose name is only known when it runs.
pub(crate) static UNRESOLVED: Rule = Rule {
    id: "shell.unresolved-command",
    hold: Hold::Ask,
    reason: "runs a program whose name cannot be known beforehand, with arguments that would destroy something",
    safer: "write the program's name out",
};

/// Holds a program that nobody knows, before a command that would be held.
pub(crate) static UNKNOWN_WRAPPER: Rule = Rule {
    id: "shell.unknown-wrapper",
    hold: Hold::Ask,
    reason: "seems to start another command that would be held",
    safer: "run the inner command directly",
};

/// Programs that destroy when they are given what they should not be given, and shells.
pub(crate) const SHARP: &[&str] = &[
    "rm", "dd", "shred", "mkfs", "git", "bash", "sh", "zsh", "chmod", "chown", "find", "unlink", "curl",
    "wget", "python3", "cat", "truncate", "wipefs", "mv",
];

/// Programs whose arguments are text or names and never a command.
const TEXTUAL: &[&str] = &[
    "[",
    "ack",
    "ag",
    "alias",
    "apropos",
    "awk",
    "basename",
    "cat",
    "cowsay",
    "cp",
    "custos",
    "declare",
    "diff",
    "dirname",
    "echo",
    "egrep",
    "export",
    "expr",
    "fgrep",
    "figlet",
    "file",
    "gawk",
    "gh",
    "git",
    "glab",
    "grep",
    "head",
    "help",
    "hg",
    "info",
    "jq",
    "less",
    "local",
    "logger",
    "ls",
    "man",
    "mkdir",
    "mv",
    "notify-send",
    "printf",
    "read",
    "readonly",
    "rg",
    "rm",
    "say",
    "sed",
    "svn",
    "tail",
    "tee",
    "test",
    "tldr",
    "touch",
    "tr",
    "type",
    "typeset",
    "unset",
    "wall",
    "wc",
    "whatis",
    "whereis",
    "which",
    "write",
    "yq",
    "zgrep",
];

/// `/bin/r?`: a pattern that a sharp program's name matches is that program; and so is its copy under another name.
pub(crate) fn name_the_program(call: &mut Invocation, scope: &Scope) {
    let Some(first) = call.argv.first() else { return };
    if let Some(name) =
        first.known().filter(|name| name.contains('/')).and_then(|name| scope.program_at(name))
    {
        call.argv[0] = Arg::from(name);
        return;
    }
    if first.is_glob() && first.is_sure() {
        let name = first.text().rsplit('/').next().unwrap_or_default();
        // A pattern that matches everything names nothing.
        let says_something = name.chars().any(char::is_alphanumeric);
        if let Some(sharp) = SHARP.iter().find(|sharp| says_something && pattern::matches(name, sharp)) {
            call.argv[0] = Arg::from(*sharp);
        }
    }
}

/// Looks at calls whose program is not known.
pub(crate) fn judge(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let Some(first) = call.argv.first() else { return };
    if !first.is_sure() {
        walk.calls_anything = true;
        interpreters::judge_source(first, call, walk);
        unresolved(call, walk, scope);
        return;
    }
    if TEXTUAL.binary_search(&call.program()).is_ok() || super::is_known(call.program()) {
        return;
    }
    foreign::judge(call, walk, scope);
    // A word that names a sharp program, with arguments for which it would be held.
    for (at, arg) in call.args().iter().enumerate() {
        let name = arg.known().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
        let is_sharp = SHARP.contains(&name) && at + 1 < call.args().len();
        if is_sharp && would_be_denied(call.args()[at..].to_vec(), call, walk, scope) {
            walk.case.hold(&UNKNOWN_WRAPPER, call.shown());
            return;
        }
        // `something -c 'rm -rf /'`.
        let carries =
            matches!(arg.text(), "-c" | "-e" | "--command" | "--exec" | "--eval" | "-exec" | "--run");
        if let Some(script) = call.args().get(at + 1).filter(|script| carries && script.text().contains(' '))
            && script_would_be_denied(script.text(), walk, scope)
        {
            walk.case.hold(&UNKNOWN_WRAPPER, call.shown());
            return;
        }
    }
}

/// Tries what an unknown program would do if it were a sharp one.
fn unresolved(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    if call.args().is_empty() {
        return;
    }
    let guesses: &[&str] = &["rm", "git", "sh", "dd", "chmod"];
    for guess in guesses {
        // A part of the name that is known must fit.
        let shape = call.argv[0].text().replace(crate::invocation::UNKNOWN, "*");
        let name = shape.rsplit('/').next().unwrap_or_default();
        if !pattern::matches(name, guess) {
            continue;
        }
        let mut argv = call.argv.clone();
        argv[0] = Arg::from(*guess);
        if would_be_denied(argv, call, walk, scope) {
            walk.case.hold(&UNRESOLVED, call.shown());
            return;
        }
    }
}

/// Judges a call on the side: would it be denied?
fn would_be_denied(argv: Vec<Arg>, call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) -> bool {
    let before = std::mem::take(&mut walk.case.findings);
    let inner = Invocation { argv, ..super::carriers::bare(call) };
    walk.nested(inner, scope);
    let found = std::mem::replace(&mut walk.case.findings, before);
    found.iter().any(|finding| finding.hold == Hold::Deny)
}

pub(crate) fn script_would_be_denied(text: &str, walk: &mut Walk<'_, '_>, scope: &Scope) -> bool {
    let before = std::mem::take(&mut walk.case.findings);
    walk.text(text, &mut scope.clone(), &crate::invocation::Stream::Inherited);
    let found = std::mem::replace(&mut walk.case.findings, before);
    found.iter().any(|finding| finding.hold == Hold::Deny)
}

/// Judges a script on the side: would anything in it be held?
pub(crate) fn script_would_be_held(text: &str, walk: &mut Walk<'_, '_>, scope: &Scope) -> bool {
    let before = std::mem::take(&mut walk.case.findings);
    let parsed = crate::shell::parse(text);
    walk.script(&parsed.script, &mut scope.clone(), &crate::invocation::Stream::Inherited);
    let found = std::mem::replace(&mut walk.case.findings, before);
    !found.is_empty()
}

/// Judges the words of a text that is no proper script: would any of them be denied?
pub(crate) fn judge_tokens(tokens: &[String], rule: &'static Rule, walk: &mut Walk<'_, '_>, scope: &Scope) {
    for at in 0..tokens.len() {
        let name = tokens[at].rsplit('/').next().unwrap_or_default();
        let is_critical = SHARP.contains(&name) || name.starts_with("mkfs");
        if is_critical && tokens.len() > at + 1 {
            let argv: Vec<Arg> =
                tokens[at..].iter().map(|token| crate::words::raw::arg(token.clone(), false)).collect();
            let call = Invocation { argv: argv.clone(), cwd: scope.cwd.clone(), ..Invocation::default() };
            if would_be_denied(argv, &call, walk, scope) {
                walk.case.hold(rule, excerpt(&tokens[at..].join(" ")));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TEXTUAL.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
