//! Programs that carry a command among their arguments: `xargs`, `find -exec`, `ssh`, `su -c` and their kind.
//!
//! Unlike a wrapper, a carrier does something of its own as well, so it is judged itself afterwards.

use crate::invocation::{Arg, Invocation, Stream};
use crate::options::{Options, Order, Taking};
use crate::walk::scope::Scope;
use crate::walk::{Walk, containers, interpreters, output, runners, suspicion};
use crate::words::raw;

impl Walk<'_, '_> {
    /// Judges a call that another one makes.
    pub(crate) fn nested(&mut self, call: Invocation, scope: &Scope) -> Stream {
        self.depth += 1;
        let mut own = scope.clone();
        own.elevated |= call.elevated;
        own.elsewhere |= call.elsewhere;
        own.cwd.clone_from(&call.cwd);
        let printed = self.run(call, &mut own);
        self.depth -= 1;
        printed
    }
}

/// Opens what a call carries.
pub(crate) fn visit(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    match call.program() {
        "xargs" | "gxargs" => xargs(call, walk, scope),
        "parallel" | "sem" | "rush" => parallel(call, walk, scope),
        "find" | "gfind" => find(call, walk, scope),
        "fd" | "fdfind" => fd(call, walk, scope),
        "ssh" | "autossh" | "mosh" => ssh(call, walk, scope),
        "su" | "runuser" | "sg" => su(call, walk, scope),
        "script" => script(call, walk, scope),
        "flock" => flock(call, walk, scope),
        "watch" | "viddy" => watch(call, walk, scope),
        "entr" => after_options(call, &Taking::default(), walk, scope),
        "at" | "batch" => at(call, walk, scope),
        "crontab" => crontab(call, walk, scope),
        "newgrp" => interpreters::run_stream(&call.stdin, call, walk, scope),
        "sshpass" => after_options(call, &Taking { short: "pfdeP", long: &[] }, walk, scope),
        "pssh" | "parallel-ssh" | "dsh" | "pdsh" | "clush" => scripts_in_words(call, walk, &elsewhere(scope)),
        "gcloud" | "fly" | "flyctl" | "heroku" | "railway" | "aws" => remote_console(call, walk, scope),
        "ansible" | "salt" => scripts_in_words(call, walk, &elsewhere(scope)),
        "man" => options_that_run(call, &["pager"], &['P'], walk, scope),
        "split" => options_that_run(call, &["filter"], &[], walk, scope),
        "go" => single_dash_options_that_run(call, &["-toolexec", "-exec"], walk, scope),
        "sqlite3" | "dc" | "ftp" | "m4" => bangs(call, walk, scope),
        "npm" | "pnpm" | "yarn" => package_scripts(call, walk, scope),
        "cargo" => cargo(call, walk, scope),
        "chroot" => chroot(call, walk, scope),
        "tar" | "gtar" | "bsdtar" => options_that_run(
            call,
            &["to-command", "use-compress-program", "rsh-command", "info-script", "new-volume-script"],
            &['I', 'F'],
            walk,
            scope,
        ),
        "rsync" => options_that_run(call, &["rsh", "rsync-path"], &['e'], walk, scope),
        "scp" | "sftp" => {
            options_that_run(call, &[], &['S'], walk, scope);
            ssh_options(call, walk, scope);
        }
        "zip" => options_that_run(call, &["unzip-command"], &[], walk, scope),
        "vim" | "vi" | "nvim" | "ex" | "view" | "gvim" | "emacs" | "less" | "ed" => editor(call, walk, scope),
        "sed" | "gsed" => sed(call, walk, scope),
        "gdb" | "lldb" => debugger(call, walk, scope),
        "tmux" | "screen" => multiplexer(call, walk, scope),
        "nix-shell" | "nix" | "devbox" | "flox" | "hyperfine" | "nodemon" | "concurrently" | "watchexec"
        | "cargo-watch" | "onchange" | "chokidar" | "wsl" | "adb" | "vagrant" | "sops" | "expect" | "pee" => {
            scripts_in_words(call, walk, scope)
        }
        "make" | "gmake" | "just" => make(call, walk, scope),
        _ => {}
    }
    commands_in_variables(call, walk, scope);
    containers::visit(call, walk, scope);
    runners::visit(call, walk, scope);
    checkpoint_actions(call, walk, scope);
}

/// Variables that programs take a command from.
fn commands_in_variables(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

/// The same surroundings, without arguments and redirections.
pub(crate) fn bare(call: &Invocation) -> Invocation {
    Invocation {
        argv: Vec::new(),
        redirects: Vec::new(),
        stdin: Stream::Inherited,
        open_ended: false,
        env: call.env.clone(),
        cwd: call.cwd.clone(),
        elevated: call.elevated,
        elsewhere: call.elsewhere,
    }
}

fn xargs(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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
    // What is read is known if it was printed on this line.
    let items: Vec<String> = match &call.stdin {
        Stream::Text(text) if text.len() < 4096 => text.split_whitespace().map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let unknown = || match &call.stdin {
        Stream::Download => raw::arg(raw::DOWNLOADED.to_string(), false),
        Stream::Decoded => raw::arg(raw::DECODED.to_string(), false),
        _ => Arg::unknown(),
    };
    let mut argv: Vec<Arg> = command.to_vec();
    match placeholder {
        Some(placeholder) if !placeholder.is_empty() => {
            // With a placeholder, an item is a whole line.
            let lines: Vec<String> = match &call.stdin {
                Stream::Text(text) if text.len() < 4096 => {
                    text.lines().map(|line| line.trim().to_owned()).collect()
                }
                _ => Vec::new(),
            };
            let filling: Vec<Arg> =
                if lines.is_empty() { vec![unknown()] } else { lines.iter().map(raw_arg).collect() };
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
    argv.extend(items.iter().map(raw_arg));
    if is_open {
        argv.push(unknown());
    }
    let inner = Invocation { argv, open_ended: is_open, ..bare(call) };
    walk.nested(inner, scope);
}

fn raw_arg(text: &String) -> Arg {
    raw::arg(text.clone(), false)
}

fn parallel(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

fn find(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

fn fd(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

fn ssh(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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
fn ssh_options(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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
fn elsewhere(scope: &Scope) -> Scope {
    let mut there = scope.clone();
    there.elsewhere = true;
    there.cwd = None;
    // Whose home that is, nobody here knows.
    there.home = None;
    there
}

/// `gcloud compute ssh vm --command='…'`, `fly ssh console -C '…'`, `aws ssm send-command`: a command on another machine.
fn remote_console(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

/// `at -f FILE`, or what it reads.
fn at(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let at = call.args().iter().position(|arg| arg.is("-f"));
    let stream = match at.and_then(|at| call.args().get(at + 1)) {
        Some(file) => walk.content(file, scope),
        None => call.stdin.clone(),
    };
    interpreters::run_stream(&stream, call, walk, scope);
}

/// The commands of a crontab, each after its five fields.
fn crontab(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    if let Stream::Text(text) = &call.stdin {
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let skipped = if line.starts_with('@') { 1 } else { 5 };
            let command = line.splitn(skipped + 1, char::is_whitespace).nth(skipped).unwrap_or_default();
            walk.text(command, &mut scope.clone(), &Stream::Inherited);
        }
    }
    interpreters::judge_stream(&call.stdin, call, walk);
}

/// `go build -toolexec 'cmd'`.
fn single_dash_options_that_run(call: &Invocation, names: &[&str], walk: &mut Walk<'_, '_>, scope: &Scope) {
    let args = call.args();
    for (at, arg) in args.iter().enumerate() {
        if names.contains(&arg.text())
            && let Some(command) = args.get(at + 1)
        {
            walk.text(command.text(), &mut scope.clone(), &Stream::Inherited);
        }
    }
}

/// Programs with a way out to the shell: `.shell cmd`, `!cmd`, `syscmd(cmd)`.
fn bangs(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let mut texts: Vec<String> = call.args().iter().map(|arg| arg.text().to_owned()).collect();
    if let Stream::Text(text) = &call.stdin {
        texts.extend(text.lines().map(str::to_owned));
    }
    for text in texts {
        let text = text.trim_start();
        let script =
            [".shell ", ".system ", "!", "syscmd(", "esyscmd("].iter().find_map(|way| text.strip_prefix(way));
        if let Some(script) = script {
            walk.text(script.trim_end_matches(')'), &mut scope.clone(), &Stream::Inherited);
        }
    }
}

/// `npm pkg set scripts.x='cmd'`: a script that is about to be run.
fn package_scripts(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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
fn cargo(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    if call.args().first().is_some_and(|arg| arg.is("watch")) {
        scripts_in_words(call, walk, scope);
    }
}

fn su(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

fn script(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

fn flock(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

fn watch(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking { short: "nq", long: &["interval", "equexit"] };
    let options = Options::read(call.args(), &taking, Order::First);
    let words: Vec<String> = options.operands.iter().map(|arg| raw::of(arg)).collect();
    if !words.is_empty() {
        walk.text(&words.join(" "), &mut scope.clone(), &Stream::Inherited);
    }
}

fn chroot(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking { short: "Ggu", long: &["groups", "userspec"] };
    let options = Options::read(call.args(), &taking, Order::First);
    let argv: Vec<Arg> = options.operands.iter().skip(1).map(|arg| (*arg).clone()).collect();
    let argv = if argv.is_empty() { vec![Arg::from("sh")] } else { argv };
    let changes_nothing = options.operands.first().is_some_and(|root| root.is("/"));
    let cwd = if changes_nothing { Some("/".to_owned()) } else { call.cwd.clone() };
    walk.nested(
        Invocation { argv, stdin: call.stdin.clone(), elsewhere: !changes_nothing, cwd, ..bare(call) },
        scope,
    );
}

/// The command is what follows the options.
pub(crate) fn after_options(call: &Invocation, taking: &Taking, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let options = Options::read(call.args(), taking, Order::First);
    let argv = call.args().get(options.first..).unwrap_or_default().to_vec();
    if !argv.is_empty() {
        walk.nested(Invocation { argv, stdin: call.stdin.clone(), ..bare(call) }, scope);
    }
}

/// Options whose value is a command.
fn options_that_run(
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

/// `--checkpoint-action=exec=…`, `-TT cmd`.
fn checkpoint_actions(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

fn editor(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let args = call.args();
    let commands = args.iter().enumerate().filter_map(|(at, arg)| match arg.text() {
        "-c" | "-sc" | "--cmd" | "--eval" | "-eval" => args.get(at + 1).map(|arg| arg.text()),
        text => text.strip_prefix('+'),
    });
    let mut texts: Vec<String> = commands.map(str::to_owned).collect();
    if let Stream::Text(text) = &call.stdin {
        texts.extend(text.lines().map(str::to_owned));
    }
    for (at, arg) in args.iter().enumerate() {
        if matches!(arg.text(), "-S" | "-s" | "-u")
            && let Some(Stream::Text(text)) = args.get(at + 1).map(|file| walk.content(file, scope))
        {
            texts.extend(text.lines().map(str::to_owned));
        }
    }
    for text in texts {
        let text = text.trim_start_matches([':', '%', '.']);
        if let Some(code) = text.strip_prefix("lua ").or_else(|| text.strip_prefix("lua=")) {
            interpreters::foreign_code(crate::code::Language::Lua, code, call, walk, &mut scope.clone());
        } else if let Some(code) = text
            .strip_prefix("py ")
            .or_else(|| text.strip_prefix("py3 "))
            .or_else(|| text.strip_prefix("python3 "))
        {
            interpreters::foreign_code(crate::code::Language::Python, code, call, walk, &mut scope.clone());
        }
        let script = text
            .strip_prefix('!')
            .or_else(|| text.strip_prefix("silent !"))
            .or_else(|| text.strip_prefix("r!"));
        if let Some(script) =
            script.or_else(|| between(text, "system(\"", "\"")).or_else(|| between(text, "system('", "'"))
        {
            walk.text(script, &mut scope.clone(), &Stream::Inherited);
        } else if let Some(script) = between(text, "shell-command \"", "\"")
            .or_else(|| between(text, "shell-command-to-string \"", "\""))
        {
            walk.text(script, &mut scope.clone(), &Stream::Inherited);
        }
    }
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inner, _)| inner)
}

/// `sed '1e rm -rf /'`, `s/x/y/e`: GNU sed runs commands.
fn sed(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let taking = Taking { short: "efl", long: &["expression", "file", "line-length"] };
    let options = Options::read(call.args(), &taking, Order::Anywhere);
    let mut programs: Vec<&str> = options
        .given
        .iter()
        .filter(|given| given.means('e', "expression"))
        .filter_map(|given| given.value)
        .collect();
    if programs.is_empty() && !options.has('f', "file") {
        programs.extend(options.operands.first().map(|arg| arg.text()));
    }
    for program in programs {
        for line in program.split(['\n', ';']) {
            let line = line
                .trim_start()
                .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | '!' | ' '));
            if let Some(script) = line.strip_prefix("e ") {
                walk.text(script, &mut scope.clone(), &Stream::Inherited);
            } else if let Some(script) = substitution_that_runs(line) {
                walk.text(&script, &mut scope.clone(), &call.stdin);
            }
        }
    }
}

/// The replacement of `s/…/…/e`, which becomes a command.
fn substitution_that_runs(line: &str) -> Option<String> {
    let rest = line.strip_prefix('s')?;
    let delimiter = rest.chars().next().filter(|c| !c.is_alphanumeric() && *c != '\\')?;
    let mut parts = rest[delimiter.len_utf8()..].split(delimiter);
    let (_, with, flags) = (parts.next()?, parts.next()?, parts.next()?);
    (flags.contains('e') && parts.next().is_none())
        .then(|| with.replace('&', &crate::invocation::UNKNOWN.to_string()))
}

fn debugger(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    let args = call.args();
    for (at, arg) in args.iter().enumerate() {
        let text = arg.text();
        let attached = text.strip_prefix("--eval-command=").or_else(|| text.strip_prefix("-ex="));
        match text {
            _ if attached.is_some()
                || matches!(text, "-ex" | "-iex" | "--ex" | "-o" | "--eval-command" | "-x") =>
            {
                let next = args.get(at + 1);
                let command = match (attached, text) {
                    (Some(command), _) => command.to_owned(),
                    (None, "-x") => match next.map(|file| {
                        if file.is("/dev/stdin") { call.stdin.clone() } else { walk.content(file, scope) }
                    }) {
                        Some(Stream::Text(text)) => text,
                        _ => continue,
                    },
                    (None, _) => next.map(|arg| arg.text().to_owned()).unwrap_or_default(),
                };
                let command = command.as_str();
                let script = ["shell ", "!", "platform shell ", "make "]
                    .iter()
                    .find_map(|prefix| command.strip_prefix(prefix));
                if let Some(script) = script {
                    walk.text(script, &mut scope.clone(), &Stream::Inherited);
                } else if let Some(code) =
                    command.strip_prefix("python ").or_else(|| command.strip_prefix("script "))
                {
                    interpreters::foreign_code(
                        crate::code::Language::Python,
                        code,
                        call,
                        walk,
                        &mut scope.clone(),
                    );
                }
            }
            "--args" | "--" => {
                let argv = args[at + 1..].to_vec();
                if !argv.is_empty() {
                    walk.nested(Invocation { argv, ..bare(call) }, scope);
                }
                return;
            }
            _ => {}
        }
    }
}

fn multiplexer(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

/// Runners with a script in one of their words; every word that has a space in it is taken for one.
fn scripts_in_words(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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

/// `make SHELL='…'`, `make -f - <<EOF`, `--eval`.
fn make(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
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
        Some(file) => walk.content(file, scope),
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
