//! Programs that run a command for each thing of a list: what they read, what they find, what they are given.
//!
//! The list is followed where the command line makes it; where it does not, the command is judged with a word that nobody knows.

use super::bare;
use crate::invocation::{Arg, Invocation, Stream};
use crate::options::{Options, Order, Taking};
use crate::walk::scope::Scope;
use crate::walk::{Walk, interpreters, output};
use crate::words::raw;

pub(super) fn xargs(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking {
        short: "adEILnPsJRS",
        long: &[
            "arg-file",
            "delimiter",
            "max-lines",
            "max-args",
            "max-procs",
            "max-chars",
            "process-slot-var",
        ],
    };
    let options = Options::read(call.args(), &taking, Order::First);
    let command = call.args().get(options.first..).unwrap_or_default();
    if command.is_empty() {
        return;
    }
    let placeholder = options.value('I', "").or_else(|| options.value('J', "")).or_else(|| {
        options
            .given
            .iter()
            .find(|given| given.name == "replace" || given.name == "i")
            .map(|given| given.value.unwrap_or("{}"))
    });
    // `-a file` is read instead of standard input.
    let file = options.value('a', "arg-file").filter(|name| !matches!(*name, "-" | "/dev/stdin"));
    let file = file.and_then(|name| call.args().iter().find(|arg| arg.text().ends_with(name)));
    let content = file.map(|file| scope.content(file));
    let stdin = content.as_ref().unwrap_or(&call.stdin);
    // What is read is known if it was printed on this line.
    let items: Vec<String> = match stdin {
        Stream::Text(text) if text.len() < 4096 => text.split_whitespace().map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let unknown = || match stdin {
        Stream::Download => raw::arg(raw::DOWNLOADED.to_string(), false),
        Stream::Decoded => raw::arg(raw::DECODED.to_string(), false),
        _ => Arg::unknown(),
    };
    let mut argv: Vec<Arg> = command.to_vec();
    match placeholder {
        Some(placeholder) if !placeholder.is_empty() => {
            // With a placeholder, an item is a whole line.
            let lines: Vec<String> = match stdin {
                Stream::Text(text) if text.len() < 4096 => {
                    text.lines().map(|line| line.trim().to_owned()).collect()
                }
                _ => Vec::new(),
            };
            let filling: Vec<Arg> = if lines.is_empty() {
                vec![unknown()]
            } else {
                lines.iter().map(|line| known(line)).collect()
            };
            for item in filling.iter().take(32) {
                let fill = |arg: &Arg| {
                    if arg.text().contains(placeholder) {
                        raw::arg(arg.text().replace(placeholder, &raw::of(item)), arg.is_glob())
                    } else {
                        arg.clone()
                    }
                };
                let inner = Invocation { argv: command.iter().map(fill).collect(), ..bare(call) };
                walk.nested(inner, scope);
            }
            return;
        }
        _ => {}
    }
    let is_open = items.is_empty();
    argv.extend(items.iter().map(|item| known(item)));
    if is_open {
        argv.push(unknown());
    }
    let inner = Invocation { argv, open_ended: is_open, ..bare(call) };
    walk.nested(inner, scope);
}

fn known(text: &str) -> Arg {
    raw::arg(text.to_owned(), false)
}

pub(super) fn parallel(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking {
        short: "jPanNLIdCSs",
        long: &[
            "jobs",
            "arg-file",
            "max-args",
            "colsep",
            "delay",
            "timeout",
            "retries",
            "joblog",
            "results",
            "tmpdir",
            "workdir",
            "wd",
            "env",
            "return",
            "load",
            "nice",
            "memfree",
            "tagstring",
            "halt",
            "sshlogin",
            "delimiter",
            "arg-sep",
        ],
    };
    let options = Options::read(call.args(), &taking, Order::First);
    let rest = call.args().get(options.first..).unwrap_or_default();
    let end = rest.iter().position(|arg| arg.text().starts_with(":::")).unwrap_or(rest.len());
    let (command, inputs) = rest.split_at(end);
    let mut given: Vec<Arg> = inputs.iter().filter(|arg| !arg.text().starts_with(":::")).cloned().collect();
    if given.is_empty()
        && let Stream::Text(text) = &call.stdin
    {
        given.extend(text.lines().take(32).map(|line| raw::arg(line.to_owned(), false)));
    }
    let inputs: Vec<&Arg> = given.iter().collect();
    if command.is_empty() {
        for input in inputs {
            walk.text(input.text(), &mut scope.clone(), &Stream::Inherited);
        }
        interpreters::judge_stream(&call.stdin, call, walk);
        return;
    }
    let line: Vec<&str> = command.iter().map(Arg::text).collect();
    let line = line.join(" ");
    let unknown = Arg::unknown();
    let fillings: Vec<&Arg> = if inputs.is_empty() { vec![&unknown] } else { inputs };
    for input in fillings.into_iter().take(32) {
        let filled = if line.contains("{}") {
            line.replace("{}", input.text())
        } else {
            format!("{line} {}", input.text())
        };
        walk.text(&filled, &mut scope.clone(), &Stream::Inherited);
    }
}

pub(super) fn find(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let args = call.args();
    let roots: Vec<&Arg> = args.iter().take_while(|arg| !arg.text().starts_with(['-', '(', '!'])).collect();
    let has_tests = args.iter().any(|arg| {
        matches!(
            arg.text(),
            "-name"
                | "-iname"
                | "-path"
                | "-ipath"
                | "-wholename"
                | "-regex"
                | "-iregex"
                | "-mtime"
                | "-mmin"
                | "-size"
                | "-empty"
                | "-newer"
                | "-atime"
                | "-ctime"
                | "-user"
                | "-perm"
        )
    });
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        if matches!(arg.text(), "-exec" | "-execdir" | "-ok" | "-okdir") {
            let rest = &args[index + 1..];
            let end = rest
                .iter()
                .enumerate()
                .position(|(at, arg)| {
                    arg.is(";") || arg.is("+") && at > 0 && rest[at - 1].text().contains("{}")
                })
                .unwrap_or(rest.len());
            let command = &rest[..end];
            // Without a test the command gets the roots themselves; with one, some file below them.
            let here = [Arg::from(".")];
            let roots = if roots.is_empty() { here.iter().collect() } else { roots.clone() };
            let names = if has_tests { output::names_sought(args) } else { Vec::new() };
            let found = roots.iter().flat_map(|root| {
                let below = names.iter().map(|name| format!("{}/{name}", root.text().trim_end_matches('/')));
                if names.is_empty() { vec![raw::of(root)] } else { below.collect::<Vec<_>>() }
            });
            let takes_files = command.iter().any(|arg| arg.text().contains("{}"));
            for file in found.take(if takes_files { 8 } else { 1 }) {
                let fill = |arg: &Arg| {
                    if arg.text().contains("{}") {
                        raw::arg(arg.text().replace("{}", &file), false)
                    } else {
                        arg.clone()
                    }
                };
                let inner = Invocation { argv: command.iter().map(fill).collect(), ..bare(call) };
                walk.nested(inner, scope);
            }
            index += end + 1;
        }
        index += 1;
    }
}

pub(super) fn fd(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let args = call.args();
    let Some(at) = args.iter().position(|arg| matches!(arg.text(), "-x" | "-X" | "--exec" | "--exec-batch"))
    else {
        return;
    };
    let mut sought = args[..at].iter().filter(|arg| !arg.text().starts_with('-'));
    let pattern = sought.next().map_or(".", Arg::text);
    let root = sought.next().map_or(".", Arg::text);
    let name = if pattern == "." { raw::STAR } else { crate::invocation::UNKNOWN };
    let file = format!("{}/{name}", root.trim_end_matches('/'));
    let command = &args[at + 1..];
    let mut argv: Vec<Arg> = command.iter().filter(|arg| !arg.is(";")).cloned().collect();
    if !command.iter().any(|arg| arg.text().contains('{')) {
        argv.push(Arg::from("{}"));
    }
    let fill = |arg: Arg| {
        if arg.text().contains("{}") { raw::arg(arg.text().replace("{}", &file), false) } else { arg }
    };
    walk.nested(Invocation { argv: argv.into_iter().map(fill).collect(), ..bare(call) }, scope);
}
