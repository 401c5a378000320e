//! Commands on another machine: `ssh`, and the consoles of those who rent machines out.
//!
//! What they do there is judged without our paths: whose home that is and what lies where, nobody here knows.

use crate::invocation::{Arg, Elsewhere, Invocation, Stream};
use crate::options::{Options, Order, Taking};
use crate::walk::scope::Scope;
use crate::walk::{Walk, interpreters};
use crate::words::raw;

pub(super) fn ssh(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking { short: "BbcDEeFIiJLlmOoPpQRSWwM", long: &["ssh", "port"] };
    let options = Options::read(call.args(), &taking, Order::First);
    ssh_options(call, walk, scope);
    let mut there = elsewhere(scope);
    let command: Vec<String> =
        options.operands.iter().skip(1).filter(|arg| !arg.is("--")).map(|arg| raw::of(arg)).collect();
    if command.is_empty() {
        if !options.operands.is_empty() {
            interpreters::run_stream(&call.stdin, call, walk, &mut there);
        }
    } else {
        walk.text(&command.join(" "), &mut there, &call.stdin);
    }
}

/// `-o ProxyCommand=…` and its kind run here.
pub(super) fn ssh_options(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    const RUNS: [&str; 3] = ["proxycommand", "localcommand", "knownhostscommand"];
    let args = call.args();
    for (at, arg) in args.iter().enumerate() {
        let Some(attached) = arg.text().strip_prefix("-o") else { continue };
        let value =
            if attached.is_empty() { args.get(at + 1).map(Arg::text).unwrap_or_default() } else { attached };
        if let Some((name, command)) = value.split_once(['=', ' '])
            && RUNS.contains(&name.trim().to_ascii_lowercase().as_str())
            && command != "none"
        {
            walk.text(command, &mut scope.clone(), &Stream::Inherited);
        }
    }
}

/// The same shell on another machine.
pub(super) fn elsewhere(scope: &Scope) -> Scope {
    let mut there = scope.clone();
    there.elsewhere = Some(Elsewhere::Machine);
    there.cwd = None;
    // Whose home that is, nobody here knows.
    there.home = None;
    there
}

/// `gcloud compute ssh vm --command='…'`, `fly ssh console -C '…'`, `aws ssm send-command`: a command on another machine.
pub(super) fn console(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let args = call.args();
    if !args.iter().any(|arg| matches!(arg.text(), "ssh" | "ssm" | "run" | "ps:exec")) {
        return;
    }
    for (at, arg) in args.iter().enumerate() {
        let text = arg.text();
        let command =
            text.strip_prefix("--command=").or_else(|| text.strip_prefix("commands=[\"")).or_else(|| {
                matches!(text, "--command" | "-C" | "-c").then(|| args.get(at + 1).map(Arg::text)).flatten()
            });
        if let Some(command) = command {
            walk.text(command.trim_end_matches("\"]"), &mut elsewhere(scope), &Stream::Inherited);
        }
    }
}
