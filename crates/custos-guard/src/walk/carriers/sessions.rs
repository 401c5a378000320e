//! Programs that give a command a place to run in: another user, another root, a lock, a terminal, a clock.
//!
//! They are no wrappers, because the command is not simply the rest of their words: it may be one word with a whole script in it, stand
//! behind a file, or come from standard input.

use super::bare;
use crate::invocation::{Arg, Elsewhere, Invocation, Stream};
use crate::options::{Options, Order, Taking};
use crate::walk::scope::Scope;
use crate::walk::{Walk, interpreters};
use crate::words::raw;

pub(super) fn su(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking { short: "cgGsuw", long: &["command", "session-command", "group", "shell", "user"] };
    let options = Options::read(call.args(), &taking, Order::Anywhere);
    let mut own = scope.clone();
    own.elevated = true;
    let given = options.value('c', "command").or_else(|| options.value('\0', "session-command"));
    match given {
        Some(script) => {
            walk.text(script, &mut own, &call.stdin);
        }
        None if call.program() == "runuser" && options.has('u', "user") => {
            let first = Options::read(call.args(), &taking, Order::First).first;
            let argv = call.args().get(first..).unwrap_or_default().to_vec();
            if !argv.is_empty() {
                walk.nested(Invocation { argv, elevated: true, ..bare(call) }, scope);
            }
        }
        None if call.program() == "sg" => {
            if let Some(script) = options.operands.get(1) {
                walk.text(script.text(), &mut own, &call.stdin);
            }
        }
        None => interpreters::run_stream(&call.stdin, call, walk, &mut own),
    }
}

pub(super) fn script(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking {
        short: "cIOBTmEo",
        long: &["command", "log-in", "log-out", "log-io", "log-timing", "output-limit"],
    };
    let options = Options::read(call.args(), &taking, Order::First);
    if let Some(command) = options.value('c', "command") {
        walk.text(command, &mut scope.clone(), &call.stdin);
    } else if options.operands.len() > 1 {
        // The BSD form: a file, then the command. The Linux form takes options after the file.
        let rest: Vec<Arg> = options.operands[1..].iter().map(|arg| (*arg).clone()).collect();
        let late = Options::read(&rest, &taking, Order::First);
        match late.value('c', "command") {
            Some(command) => {
                walk.text(command, &mut scope.clone(), &call.stdin);
            }
            None => {
                walk.nested(Invocation { argv: rest, ..bare(call) }, scope);
            }
        }
    }
}

pub(super) fn flock(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking { short: "wEc", long: &["timeout", "wait", "conflict-exit-code", "command"] };
    let options = Options::read(call.args(), &taking, Order::First);
    let rest: Vec<Arg> = options.operands.iter().skip(1).map(|arg| (*arg).clone()).collect();
    let late = Options::read(&rest, &taking, Order::First);
    match options.value('c', "command").or_else(|| late.value('c', "command")) {
        Some(command) => {
            walk.text(command, &mut scope.clone(), &call.stdin);
        }
        None if !rest.is_empty() => {
            let argv = rest.get(late.first..).unwrap_or_default().to_vec();
            walk.nested(Invocation { argv, stdin: call.stdin.clone(), ..bare(call) }, scope);
        }
        None => {}
    }
}

pub(super) fn watch(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking { short: "nq", long: &["interval", "equexit"] };
    let options = Options::read(call.args(), &taking, Order::First);
    let words: Vec<String> = options.operands.iter().map(|arg| raw::of(arg)).collect();
    if !words.is_empty() {
        walk.text(&words.join(" "), &mut scope.clone(), &Stream::Inherited);
    }
}

pub(super) fn chroot(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking { short: "Ggu", long: &["groups", "userspec"] };
    let options = Options::read(call.args(), &taking, Order::First);
    let argv: Vec<Arg> = options.operands.iter().skip(1).map(|arg| (*arg).clone()).collect();
    let argv = if argv.is_empty() { vec![Arg::from("sh")] } else { argv };
    let changes_nothing = options.operands.first().is_some_and(|root| root.is("/"));
    let (cwd, elsewhere) = if changes_nothing {
        (Some("/".to_owned()), call.elsewhere)
    } else {
        (call.cwd.clone(), Some(Elsewhere::Container))
    };
    walk.nested(Invocation { argv, stdin: call.stdin.clone(), elsewhere, cwd, ..bare(call) }, scope);
}

pub(super) fn multiplexer(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let words: Vec<&Arg> = call.args().iter().collect();
    for (at, arg) in words.iter().enumerate() {
        // A command is one word with spaces, or the words after the options of `screen -dmS name`.
        if arg.text().contains(' ') {
            walk.text(arg.text().trim_end_matches("\\n"), &mut scope.clone(), &Stream::Inherited);
        } else if matches!(arg.known(), Some("rm" | "git" | "bash" | "sh" | "sudo" | "dd" | "shred")) {
            let argv = words[at..]
                .iter()
                .filter(|arg| !matches!(arg.text(), "Enter" | "C-m"))
                .map(|arg| (*arg).clone())
                .collect();
            walk.nested(Invocation { argv, ..bare(call) }, scope);
            return;
        }
    }
}

/// The command is what follows the options.
pub(crate) fn after_options(call: &Invocation, taking: &Taking, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let options = Options::read(call.args(), taking, Order::First);
    let argv = call.args().get(options.first..).unwrap_or_default().to_vec();
    if !argv.is_empty() {
        walk.nested(Invocation { argv, stdin: call.stdin.clone(), ..bare(call) }, scope);
    }
}
