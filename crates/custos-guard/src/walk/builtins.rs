//! The shell's own commands, as far as they change what comes later or run text.
//!
//! Those that set variables are in [`super::declarations`]; here are those that change the place, give names to commands, and run or
//! keep scripts.

use crate::invocation::{Arg, Invocation, Stream, UNKNOWN};
use crate::options::{Options, Order, Taking};
use crate::walk::scope::Scope;
use crate::walk::{Walk, interpreters};
use crate::words::raw;

impl Walk<'_, '_> {
    /// Follows a builtin; gives what it prints, or `None` if the command is none of these (or is to be judged all the same).
    pub(crate) fn builtin(&mut self, call: &Invocation, scope: &mut Scope) -> Option<Stream> {
        let nothing = Stream::Text(String::new());
        match call.argv.first()?.known()? {
            "cd" | "chdir" | "pushd" | "popd" => change_place(call, scope),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(call, scope);
                // `export GIT_SSH_COMMAND=…` matters to a later call: it is judged as a call's environment.
                return None;
            }
            "printf" | "test" | "[" => {
                self.name_variables(call, scope);
                return None;
            }
            "unset" => self.unset(call, scope),
            "let" => self.calculate(call, scope),
            "set" if call.args().is_empty() => return Some(Stream::Environment),
            "set" | "shift" => change_positional(call, scope),
            "read" | "readarray" | "mapfile" => self.read(call, scope),
            "alias" | "hash" => name_commands(call, scope),
            "trap" | "bind" | "compgen" | "complete" => self.keep_scripts(call, scope),
            "eval" => {
                let texts: Vec<String> = call.args().iter().map(raw::of).collect();
                let joined = raw::arg(texts.join(" "), false);
                interpreters::judge_source(&joined, call, self);
                return Some(self.text(joined.text(), scope, &call.stdin));
            }
            "." | "source" => return self.source(call, scope),
            "exit" | "return" | "break" | "continue" | "shopt" | "ulimit" | "umask" | "wait" | "jobs"
            | "fg" | "bg" | "true" | "false" | ":" | "getopts" | "disown" | "times" => {
                return call.redirects.is_empty().then_some(nothing);
            }
            _ => return None,
        }
        // Their redirections are everybody's.
        if !call.redirects.is_empty() {
            let only_files = Invocation { argv: Vec::new(), ..call.clone() };
            self.case.judge(&only_files);
        }
        Some(nothing)
    }

    /// Scripts for later: what a signal, a key or a completion runs.
    fn keep_scripts(&mut self, call: &Invocation, scope: &Scope) {
        match call.program() {
            "trap" => {
                let is_handler = |arg: &&Arg| !matches!(arg.text(), "-l" | "-p" | "--" | "-");
                if let Some(handler) = call.args().iter().find(is_handler) {
                    self.text(handler.text(), &mut scope.clone(), &call.stdin);
                }
            }
            "bind" => {
                for (_, script) in call.args().iter().filter_map(|arg| arg.text().split_once(':')) {
                    self.text(script.trim().trim_matches('"'), &mut scope.clone(), &Stream::Inherited);
                }
            }
            _ => {
                let taking = Taking { short: "CFWAGPSXo", long: &[] };
                let options = Options::read(call.args(), &taking, Order::Anywhere);
                if let Some(command) = options.value('C', "") {
                    self.text(command, &mut scope.clone(), &call.stdin);
                }
            }
        }
    }

    /// `. file`: a script that runs here.
    fn source(&mut self, call: &Invocation, scope: &mut Scope) -> Option<Stream> {
        let file = call.args().iter().find(|arg| !arg.is("--"))?;
        let content = match file.text() {
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => call.stdin.clone(),
            _ => scope.content(file),
        };
        match content {
            Stream::Text(text) => Some(self.text(&text, scope, &Stream::Inherited)),
            Stream::Download | Stream::Decoded => {
                interpreters::judge_stream(&content, call, self);
                Some(Stream::Output)
            }
            _ => None,
        }
    }

    /// `PROMPT_COMMAND`, `PS1` and their kind: variables that a shell runs, or expands as if it did.
    pub(crate) fn prompt_code(&mut self, name: &str, value: &str, scope: &Scope) {
        match name {
            "PROMPT_COMMAND" => {
                self.text(value, &mut scope.clone(), &Stream::Inherited);
            }
            "PS0" | "PS1" | "PS2" | "PS4" if value.contains("$(") || value.contains('`') => {
                self.text(
                    &format!(": \"{}\"", value.replace("\\$", "").replace('"', "")),
                    &mut scope.clone(),
                    &Stream::Inherited,
                );
            }
            _ => {}
        }
    }
}

/// `cd`, `pushd` and `popd`.
fn change_place(call: &Invocation, scope: &mut Scope) {
    match call.program() {
        "popd" => scope.pop(),
        "pushd" => {
            scope.push();
            if call.args().iter().any(|arg| !arg.text().starts_with(['-', '+'])) {
                scope.enter(target(call.args(), scope));
            }
        }
        _ => scope.enter(target(call.args(), scope)),
    }
}

/// `set -- words` and `shift`.
fn change_positional(call: &Invocation, scope: &mut Scope) {
    let args = call.args();
    if call.program() == "shift" {
        let count = args.first().and_then(Arg::known).and_then(|n| n.parse().ok()).unwrap_or(1_usize);
        scope.positional.drain(..count.min(scope.positional.len()));
        return;
    }
    let after_dashes = args.iter().position(|arg| arg.is("--")).map(|at| &args[at + 1..]);
    let begins_with_word = args.first().is_some_and(|arg| !arg.text().starts_with(['-', '+']));
    if let Some(words) = after_dashes.or(begins_with_word.then_some(args)) {
        scope.positional = words.iter().map(raw::of).collect();
    }
}

/// `alias name=text`, and `hash -p /bin/rm ls`, after which `ls` is `rm`.
fn name_commands(call: &Invocation, scope: &mut Scope) {
    match call.args() {
        [flag, program, name, ..] if call.program() == "hash" && flag.is("-p") => {
            scope.define_alias(name.text(), program.text());
        }
        args if call.program() == "alias" => {
            for (name, text) in args.iter().filter_map(|arg| arg.text().split_once('=')) {
                scope.define_alias(name, text);
            }
        }
        _ => {}
    }
}

/// Where `cd` goes; `None` if that cannot be told.
fn target(args: &[Arg], scope: &Scope) -> Option<String> {
    let operand = args.iter().find(|arg| !arg.text().starts_with('-') || arg.text() == "-");
    match operand {
        None => scope.home.clone(),
        Some(arg) if arg.text() == "-" => scope.previous.clone(),
        Some(arg) if arg.is_glob() || !arg.is_sure() => below_known(arg, scope),
        Some(arg) if arg.text().is_empty() => scope.cwd.clone(),
        Some(arg) if arg.text().starts_with('/') || scope.cwd.is_some() => Some(scope.absolute(arg.text())),
        Some(_) => None,
    }
}

/// A directory of which only the end is not known: `cd "$(mktemp -d)"`, `cd packages/$name`.
fn below_known(arg: &Arg, scope: &Scope) -> Option<String> {
    let text = arg.text();
    let first = text.find([UNKNOWN, '*', '?', '['])?;
    let known = &text[..first];
    let is_somewhere =
        known.contains('/') && !known.ends_with("..") && known != "/" && !text[first..].contains("..");
    is_somewhere.then(|| scope.absolute(text))
}
