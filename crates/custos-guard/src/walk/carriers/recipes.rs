//! Commands that are written down to be run by somebody else: recipes of `make`, tables of `cron`, scripts of a package, jobs for later.
//!
//! When they run, no guard is asked. So they are judged where they are written or handed over.

use super::bare;
use super::editors::between;
use crate::invocation::{Invocation, Stream};
use crate::options::{Options, Order, Taking};
use crate::walk::scope::Scope;
use crate::walk::{Walk, interpreters, suspicion};

/// `make SHELL='…'`, `make -f - <<EOF`, `--eval`.
pub(super) fn make(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let args = call.args();
    let options = Options::read(
        args,
        &Taking { short: "CfIjloW", long: &["file", "makefile", "directory", "eval"] },
        Order::Anywhere,
    );
    let mut recipes: Vec<String> = options.value('\0', "eval").map(str::to_owned).into_iter().collect();
    let given = args.iter().position(|arg| arg.is("-f")).and_then(|at| args.get(at + 1));
    let content = match given {
        Some(file) if matches!(file.text(), "-" | "/dev/stdin") => call.stdin.clone(),
        Some(file) => scope.content(file),
        // A file that was written on the way.
        None => ["Makefile", "makefile", "GNUmakefile", "justfile"]
            .iter()
            .find_map(|name| scope.written(name).cloned())
            .unwrap_or_default(),
    };
    match content {
        Stream::Text(text) => recipes.push(text),
        other => interpreters::judge_stream(&other, call, walk),
    }
    for recipe in recipes {
        for line in recipe.lines() {
            let line = match line.strip_prefix('\t').or_else(|| line.strip_prefix("  ")) {
                Some(line) => line,
                None => line.split_once(';').map(|(_, line)| line).unwrap_or_default(),
            };
            let line = line.trim_start().trim_start_matches(['@', '-', '+']).replace("$$", "$");
            if !line.is_empty() {
                walk.text(&line, &mut scope.clone(), &Stream::Inherited);
            }
        }
        if let Some(script) = between(&recipe, "$(shell ", ")") {
            walk.text(script, &mut scope.clone(), &Stream::Inherited);
        }
    }
}

/// `at -f FILE`, or what it reads.
pub(super) fn at(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let at = call.args().iter().position(|arg| arg.is("-f"));
    let stream = match at.and_then(|at| call.args().get(at + 1)) {
        Some(file) => scope.content(file),
        None => call.stdin.clone(),
    };
    interpreters::run_stream(&stream, call, walk, scope);
}

/// The commands of a crontab, each after its five fields.
pub(super) fn crontab(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    if let Stream::Text(text) = &call.stdin {
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let skipped = if line.starts_with('@') { 1 } else { 5 };
            let command = line.splitn(skipped + 1, char::is_whitespace).nth(skipped).unwrap_or_default();
            walk.text(command, &mut scope.clone(), &Stream::Inherited);
        }
    }
    interpreters::judge_stream(&call.stdin, call, walk);
}

/// `npm pkg set scripts.x='cmd'`: a script that is about to be run.
pub(super) fn package_scripts(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    if call.args().first().is_some_and(|arg| arg.is("pkg")) {
        for (_, script) in
            call.args().iter().filter_map(|arg| arg.text().strip_prefix("scripts.")?.split_once('='))
        {
            // It is only written down here; what would destroy something is held all the same, for nothing sees it run.
            if suspicion::script_would_be_denied(script, walk, scope) {
                walk.case.hold(&suspicion::UNKNOWN_WRAPPER, call.shown());
            }
        }
    }
}

/// `cargo watch -s '…'`.
pub(super) fn cargo(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    if call.args().first().is_some_and(|arg| arg.is("watch")) {
        scripts_in_words(call, walk, scope);
    }
}

/// Runners with a script in one of their words; every word that has a space in it is taken for one.
pub(super) fn scripts_in_words(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let args = call.args();
    for (at, arg) in args.iter().enumerate() {
        if arg.text().contains(' ') {
            walk.text(arg.text(), &mut scope.clone(), &Stream::Inherited);
        }
        if matches!(arg.text(), "-c" | "--command" | "--" | "shell" | "-e" | "--exec" | "-x") {
            let argv = args[at + 1..].to_vec();
            if argv.len() > 1 {
                walk.nested(Invocation { argv, ..bare(call) }, scope);
            }
        }
    }
}
