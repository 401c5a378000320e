//! Options and variables whose value is a command: `tar --to-command`, `rsync -e`, `PAGER`.
//!
//! A name alone is a program that somebody prefers; only what looks like a command with words is opened.

use crate::invocation::{Arg, Invocation, Stream};
use crate::walk::Walk;
use crate::walk::scope::Scope;

/// Options whose value is a command.
pub(super) fn that_run(
    call: &Invocation,
    long: &'static [&'static str],
    short: &[char],
    walk: &mut Walk<'_, '_>,
    scope: &Scope,
) {
    let args = call.args();
    for (at, arg) in args.iter().enumerate() {
        let text = arg.text();
        let value = if let Some(rest) = text.strip_prefix("--") {
            let (name, value) =
                rest.split_once('=').map_or((rest, None), |(name, value)| (name, Some(value)));
            let known = long.iter().any(|known| *known == name || name.len() > 3 && known.starts_with(name));
            known.then(|| value.or_else(|| args.get(at + 1).map(Arg::text))).flatten()
        } else if let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
            short.iter().find_map(|short| {
                let place = cluster.find(*short)?;
                let after = &cluster[place + short.len_utf8()..];
                if after.is_empty() { args.get(at + 1).map(Arg::text) } else { Some(after) }
            })
        } else {
            None
        };
        if let Some(command) = value.filter(|command| command.contains(' ') || command.contains('/')) {
            walk.text(command, &mut scope.clone(), &Stream::Inherited);
        }
    }
}

/// `go build -toolexec 'cmd'`.
pub(super) fn single_dash_that_run(
    call: &Invocation,
    names: &[&str],
    walk: &mut Walk<'_, '_>,
    scope: &Scope,
) {
    let args = call.args();
    for (at, arg) in args.iter().enumerate() {
        if names.contains(&arg.text())
            && let Some(command) = args.get(at + 1)
        {
            walk.text(command.text(), &mut scope.clone(), &Stream::Inherited);
        }
    }
}

/// `--checkpoint-action=exec=…`, `-TT cmd`.
pub(super) fn checkpoint_actions(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    if !matches!(call.program(), "tar" | "gtar" | "bsdtar" | "zip") {
        return;
    }
    for (at, arg) in call.args().iter().enumerate() {
        let text = arg.text();
        if text.starts_with("--checkpoint-act")
            && let Some((_, command)) = text.split_once("exec=")
        {
            walk.text(command, &mut scope.clone(), &Stream::Inherited);
        } else if text == "-TT"
            && let Some(command) = call.args().get(at + 1)
        {
            walk.text(command.text(), &mut scope.clone(), &Stream::Inherited);
        }
    }
}

/// Variables that programs take a command from.
pub(super) fn commands_in_variables(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    for (name, value) in &call.env {
        let runs = matches!(
            name.as_str(),
            "PAGER"
                | "MANPAGER"
                | "EDITOR"
                | "VISUAL"
                | "LESSOPEN"
                | "LESSCLOSE"
                | "BROWSER"
                | "RUSTC_WRAPPER"
        ) || name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER");
        // A name alone is a program that somebody prefers.
        if runs && value.text().contains(' ') {
            walk.text(value.text().trim_start_matches('|'), &mut scope.clone(), &Stream::Inherited);
        }
    }
}
