//! The shell's own commands, as far as they change what comes later or run text.

use crate::invocation::{Arg, Invocation, Stream, UNKNOWN};
use crate::options::{Options, Order, Taking};
use crate::walk::Walk;
use crate::walk::scope::Scope;
use crate::walk::{interpreters, output};
use crate::words::parameter;
use crate::words::raw;
use crate::words::variables::Binding;

impl Walk<'_, '_> {
    /// Follows a builtin; gives what it prints, or `None` if the command is none of these (or is to be judged all the same).
    pub(crate) fn builtin(&mut self, call: &Invocation, scope: &mut Scope) -> Option<Stream> {
        let nothing = Stream::Text(String::new());
        let name = call.argv.first()?.known()?;
        match name {
            "cd" | "chdir" => {
                scope.enter(target(call.args(), scope));
            }
            "pushd" => {
                scope.push();
                let operand = call.args().iter().find(|arg| !arg.text().starts_with(['-', '+']));
                if operand.is_some() {
                    scope.enter(target(call.args(), scope));
                }
            }
            "popd" => scope.pop(),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                let exports = name == "export"
                    || call
                        .args()
                        .first()
                        .is_some_and(|arg| arg.text().starts_with('-') && arg.text().contains('x'));
                let is_reference = name != "export"
                    && call
                        .args()
                        .first()
                        .is_some_and(|arg| arg.text().starts_with('-') && arg.text().contains('n'));
                for arg in call.args() {
                    self.subscript(arg, scope);
                    if let Some((name, value)) = arg.text().split_once('=')
                        && !name.starts_with('-')
                    {
                        let value = if arg.source() == crate::invocation::Source::Local {
                            value.to_owned()
                        } else {
                            raw::of(arg)
                                .split_once('=')
                                .map(|(_, value)| value.to_owned())
                                .unwrap_or_default()
                        };
                        let name = name.trim_end_matches('+');
                        if exports {
                            scope.export(name, &value);
                        }
                        if call.argv[0].is("local") || call.argv[0].is("declare") && !scope.running.is_empty()
                        {
                            let before = scope.variables.get(name).cloned();
                            scope.locals.push((name.to_owned(), before));
                        }
                        if is_reference {
                            scope.refer(name, &value);
                            continue;
                        }
                        scope.assign(name, value.trim_matches(['(', ')']).to_owned());
                        self.prompt_code(name, &value, scope);
                    } else if exports && let Some(value) = arg.known().and_then(|name| scope.value(name)) {
                        scope.export(arg.text(), &value);
                    }
                }
                // `export GIT_SSH_COMMAND=…` matters to a later call: it is judged as a call's environment.
                return None;
            }
            "unset" => {
                for arg in call.args() {
                    self.subscript(arg, scope);
                    match arg.text() {
                        "-f" | "-v" | "-n" => {}
                        name => {
                            scope.undefine(name);
                            scope.variables.unset(name);
                        }
                    }
                }
            }
            "set" => {
                let after_dashes = call.args().iter().position(|arg| arg.is("--"));
                let words = match after_dashes {
                    Some(at) => &call.args()[at + 1..],
                    None => call.args(),
                };
                let sets = after_dashes.is_some()
                    || words.first().is_some_and(|arg| !arg.text().starts_with(['-', '+']));
                if sets {
                    scope.positional = words.iter().map(raw::of).collect();
                }
            }
            "shift" => {
                let count =
                    call.args().first().and_then(Arg::known).and_then(|n| n.parse().ok()).unwrap_or(1_usize);
                scope.positional.drain(..count.min(scope.positional.len()));
            }
            "read" | "readarray" | "mapfile" => self.read(call, scope),
            "alias" => {
                for arg in call.args() {
                    if let Some((name, text)) = arg.text().split_once('=') {
                        scope.define_alias(name, text);
                    }
                }
            }
            "trap" => {
                if let Some(handler) =
                    call.args().iter().find(|arg| !matches!(arg.text(), "-l" | "-p" | "--" | "-"))
                {
                    self.carried(handler, &call.stdin, &mut scope.clone());
                }
            }
            "eval" => {
                let texts: Vec<String> = call.args().iter().map(raw::of).collect();
                let joined = raw::arg(texts.join(" "), false);
                interpreters::judge_source(&joined, call, self);
                return Some(self.text(joined.text(), scope, &call.stdin));
            }
            "." | "source" => return self.source(call, scope),
            "let" => {
                for arg in call.args() {
                    self.subscript(arg, scope);
                    if let Some((name, value)) = arg.text().split_once('=') {
                        let value = parameter::number(value)
                            .map_or_else(|| UNKNOWN.to_string(), |number| number.to_string());
                        scope.assign(name, value);
                    }
                }
            }
            "printf" | "test" | "[" => {
                for arg in call.args() {
                    self.subscript(arg, scope);
                }
                if let [flag, name, rest @ ..] = call.args()
                    && flag.is("-v")
                    && call.argv[0].is("printf")
                {
                    scope.assign(name.text(), raw::of_stream(&output::printf(rest)));
                }
                return None;
            }
            "bind" => {
                for binding in call.args().iter().filter_map(|arg| arg.text().split_once(':')) {
                    self.text(binding.1.trim().trim_matches('"'), &mut scope.clone(), &Stream::Inherited);
                }
            }
            "compgen" | "complete" => {
                let options =
                    Options::read(call.args(), &Taking { short: "CFWAGPSXo", long: &[] }, Order::Anywhere);
                if let Some(command) = options.value('C', "") {
                    self.text(command, &mut scope.clone(), &call.stdin);
                }
            }
            "hash" => {
                // `hash -p /bin/rm ls`: from here on `ls` is `rm`.
                if let [flag, program, name, ..] = call.args()
                    && flag.is("-p")
                {
                    scope.define_alias(name.text(), program.text());
                }
            }
            "exit" | "return" | "break" | "continue" | "shopt" | "ulimit" | "umask" | "wait" | "jobs"
            | "fg" | "bg" | "true" | "false" | ":" | "getopts" | "disown" | "times" => {
                if call.redirects.is_empty() {
                    return Some(nothing);
                }
                return None;
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

    /// `read x`: what comes in is known if it was printed on this line.
    fn read(&mut self, call: &Invocation, scope: &mut Scope) {
        let taking =
            Taking { short: if call.argv[0].is("read") { "adinNptu" } else { "dnOsuCc" }, long: &[] };
        let options = Options::read(call.args(), &taking, Order::First);
        if let Some(command) = options.value('C', "").filter(|_| !call.argv[0].is("read")) {
            self.text(command, &mut scope.clone(), &call.stdin);
        }
        let lines: Option<Vec<String>> = match &call.stdin {
            Stream::Text(text) => Some(text.lines().map(str::to_owned).collect()),
            _ => None,
        };
        let unknown = || vec![raw::of_stream(&call.stdin)];
        if !call.argv[0].is("read") {
            let name = options.operands.first().map_or("MAPFILE", |arg| arg.text());
            scope.variables.set(name, Binding::Array(lines.unwrap_or_else(unknown)));
            return;
        }
        if let Some(array) = options.value('a', "") {
            let words = lines.map(|lines| {
                lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect()
            });
            scope.variables.set(array, Binding::Array(words.unwrap_or_else(unknown)));
            return;
        }
        let own = call.env.iter().find(|(name, _)| name == "IFS").map(|(_, value)| raw::of(value));
        let separators = own.or_else(|| scope.value("IFS")).filter(|ifs| !ifs.is_empty());
        let last = options.operands.len().saturating_sub(1);
        for (place, arg) in options.operands.iter().enumerate() {
            self.subscript(arg, scope);
            let values = match &lines {
                None => unknown(),
                Some(lines) => lines
                    .iter()
                    .map(|line| match &separators {
                        Some(separators) if last > 0 => {
                            let mut fields = line.splitn(last + 1, |c| separators.contains(c));
                            fields.nth(place).unwrap_or_default().to_owned()
                        }
                        _ if place == 0 => line.clone(),
                        _ => String::new(),
                    })
                    .collect(),
            };
            scope.variables.set_any(arg.text(), values);
        }
    }

    /// `. file`: a script that runs here.
    fn source(&mut self, call: &Invocation, scope: &mut Scope) -> Option<Stream> {
        let file = call.args().iter().find(|arg| !arg.is("--"))?;
        let content = match file.text() {
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => call.stdin.clone(),
            _ => self.content(file, scope),
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

    /// `a[$(command)]`: bash runs what stands in a subscript, even in single quotes, where a builtin takes a variable's name.
    fn subscript(&mut self, arg: &Arg, scope: &mut Scope) {
        let text = arg.text();
        let Some(open) = text.find('[') else { return };
        if text[open..].contains("$(") || text[open..].contains('`') {
            let inner = text[open + 1..].trim_end_matches(']');
            self.text(&format!(": \"{inner}\""), &mut scope.clone(), &Stream::Inherited);
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

    /// A word that is a script for later: a trap, a hook.
    pub(crate) fn carried(&mut self, script: &Arg, stdin: &Stream, scope: &mut Scope) {
        self.text(script.text(), scope, stdin);
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
