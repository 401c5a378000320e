//! Programs that print names: of files, of programs, of the place where we are, of a branch.
//!
//! Nothing is looked up that may have changed when the command runs: a listing is the pattern that stands for it.

use crate::invocation::{Arg, Invocation, Stream, UNKNOWN};
use crate::walk::Walk;
use crate::walk::scope::Scope;
use crate::words::raw::{self, QUESTION, STAR};

/// `ls`: the names in a directory, as the pattern that stands for them.
pub(super) fn listed(args: &[Arg]) -> Stream {
    let operands: Vec<&Arg> = args.iter().filter(|arg| !arg.text().starts_with('-')).collect();
    let itself = args
        .iter()
        .any(|arg| arg.text().starts_with('-') && !arg.text().starts_with("--") && arg.text().contains('d'));
    if operands.is_empty() {
        return Stream::Text(format!("{STAR}\n"));
    }
    let name = |arg: &&Arg| {
        let own = raw::of(arg);
        if arg.is_glob() || itself || own.contains("/bin/") {
            own + "\n"
        } else {
            format!("{}/{STAR}\n", own.trim_end_matches('/'))
        }
    };
    Stream::Text(operands.iter().map(name).collect())
}

/// `find`: the names below its roots, as the pattern that stands for them; not known where a test picks some.
pub(super) fn found(args: &[Arg]) -> Stream {
    if args.iter().any(|arg| arg.text().starts_with("-exec") || arg.text().starts_with("-printf")) {
        return Stream::Output;
    }
    let roots: Vec<String> =
        args.iter().take_while(|arg| !arg.text().starts_with(['-', '(', '!'])).map(raw::of).collect();
    let roots = if roots.is_empty() { vec![".".to_owned()] } else { roots };
    let names = names_sought(args);
    Stream::Text(
        roots
            .iter()
            .flat_map(|root| names.iter().map(move |name| format!("{}/{name}\n", root.trim_end_matches('/'))))
            .collect(),
    )
}

/// The patterns of the names that a `find` looks for, with marks for their wildcards; one that stands for anything if it looks at nothing
/// but the kind.
pub(crate) fn names_sought(args: &[Arg]) -> Vec<String> {
    let mut names = Vec::new();
    let mut picks = false;
    for (at, arg) in args.iter().enumerate() {
        match arg.text() {
            "-name" | "-iname" => {
                let pattern = args.get(at + 1).map(Arg::text).unwrap_or_default();
                names.push(pattern.replace('*', &STAR.to_string()).replace('?', &QUESTION.to_string()));
            }
            "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" | "-mtime" | "-mmin" | "-size"
            | "-empty" | "-newer" | "-atime" | "-ctime" | "-user" | "-perm" | "-not" | "!" | "-prune"
            | "-mindepth" => picks = true,
            _ => {}
        }
    }
    match (names.is_empty(), picks) {
        (false, false) => names,
        // Something is sought that nobody can name; below a root, it is not the root.
        (_, true) => vec![UNKNOWN.to_string()],
        (true, false) => vec![STAR.to_string()],
    }
}

/// A directory that `mktemp` makes: somewhere below the temporary directory, or where its template says.
pub(super) fn temporary(args: &[Arg]) -> String {
    let template = args.iter().find(|arg| arg.text().contains("XXX") && !arg.text().starts_with('-'));
    let own_place =
        args.iter().any(|arg| arg.text().starts_with("-p") || arg.text().starts_with("--tmpdir="));
    match template {
        Some(template) if template.text().contains('/') => template.text().replace('X', &UNKNOWN.to_string()),
        _ if own_place => UNKNOWN.to_string(),
        _ => format!("/tmp/{UNKNOWN}"),
    }
}

/// `which rm`, `command -v rm`.
pub(super) fn named(args: &[Arg]) -> Stream {
    match args.iter().find(|arg| !arg.text().starts_with('-')).and_then(Arg::known) {
        Some(name) if name.contains('/') => Stream::Text(name.to_owned()),
        Some(name) => Stream::Text(format!("/usr/bin/{name}")),
        None => Stream::Output,
    }
}

pub(super) fn first_operand(args: &[Arg], change: impl FnOnce(&str) -> String) -> Stream {
    match args.iter().find(|arg| !arg.text().starts_with('-')) {
        Some(arg) if !arg.is_glob() => Stream::Text(change(&raw::of(arg))),
        _ => Stream::Output,
    }
}

/// The few questions to git whose answer is known.
pub(super) fn git(call: &Invocation, walk: &Walk<'_, '_>, scope: &Scope) -> Stream {
    let words: Vec<&str> = call.args().iter().map(Arg::text).collect();
    let Some(cwd) = scope.cwd.as_deref() else { return Stream::Output };
    let asks_branch = matches!(
        words.as_slice(),
        ["branch", "--show-current"]
            | ["rev-parse", "--abbrev-ref", "HEAD"]
            | ["symbolic-ref", "--short", ..]
            | ["symbolic-ref", "-q", "--short", "HEAD"]
    );
    if asks_branch {
        let branch = scope.earlier.branch(cwd, &walk.case.world);
        return branch.map_or(Stream::Output, Stream::Text);
    }
    match words.as_slice() {
        ["rev-parse", "--show-toplevel"] => {
            let root = walk.case.world.files.repo(cwd).unwrap_or_else(|| walk.case.world.root.to_owned());
            Stream::Text(root)
        }
        _ => Stream::Output,
    }
}
