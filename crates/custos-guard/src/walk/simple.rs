//! A simple command: its words resolved, its wrappers taken off, what it carries opened, the rest judged.

use std::collections::BTreeMap;

use crate::git::Nested;
use crate::invocation::{Arg, Invocation, Stream};
use crate::shell::syntax::{AssignedValue, Assignment, Kind, Part, Script, Simple, Word};
use crate::walk::scope::{Running, Scope};
use crate::walk::{Walk, carriers, declarations, interpreters, output, suspicion, wrappers};
use crate::words::expand::{self, Shell};
use crate::words::raw;

/// Resolves words in a scope; substitutions are visited on the way.
pub(crate) struct Resolver<'r, 'c, 'w> {
    walk: &'r mut Walk<'c, 'w>,
    scope: &'r mut Scope,
}

impl Shell for Resolver<'_, '_, '_> {
    fn value(&self, name: &str) -> Option<String> {
        self.scope.value(name)
    }

    fn elements(&self, name: &str) -> Option<Vec<String>> {
        self.scope.elements(name)
    }

    fn entries(&self, name: &str) -> Option<&BTreeMap<String, String>> {
        self.scope.entries(name)
    }

    fn is_unset(&self, name: &str) -> bool {
        self.scope.is_unset(name)
    }

    fn assign(&mut self, name: &str, value: String) {
        self.scope.assign(name, value);
    }

    fn output(&mut self, script: &Script) -> Stream {
        let mut own = self.scope.clone();
        let printed = self.walk.script(script, &mut own, &Stream::Inherited);
        match printed {
            // `$(<file)` and `$(cat file)`: what was written into it on the way is known.
            Stream::File(file) => own.content(&file),
            other => other,
        }
    }

    fn home(&self) -> Option<String> {
        self.scope.home.clone()
    }

    fn cwd(&self) -> Option<String> {
        self.scope.cwd.clone()
    }

    fn previous(&self) -> Option<String> {
        self.scope.previous.clone()
    }

    fn spend(&mut self, amount: usize) -> bool {
        self.walk.spend(amount)
    }
}

impl<'c, 'w> Walk<'c, 'w> {
    /// Something that resolves words here.
    pub(crate) fn resolver<'r>(&'r mut self, scope: &'r mut Scope) -> Resolver<'r, 'c, 'w> {
        Resolver { walk: self, scope }
    }

    /// Visits a simple command; gives what it prints.
    pub(crate) fn simple(&mut self, simple: &Simple, scope: &mut Scope, stdin: &Stream) -> Stream {
        let words = simple.words.iter().chain(simple.redirects.iter().map(|redirect| &redirect.target));
        let assigned = simple.assignments.iter().filter_map(|assignment| match &assignment.value {
            AssignedValue::Word(word) => Some(word),
            AssignedValue::Array(_) => None,
        });
        let several = several(words.chain(assigned), scope);
        if several.is_empty() {
            return self.simple_once(simple, scope, stdin);
        }
        // Once for each combination of the values of the variables in it; then any of them may have happened.
        let mut ways = Vec::new();
        let mut printed = None;
        for picks in combinations(&several) {
            if !self.spend(1) {
                break;
            }
            let mut way = scope.clone();
            way.picks = picks;
            let out = self.simple_once(simple, &mut way, stdin);
            printed = printed.or(Some(out));
            way.picks.clone_from(&scope.picks);
            // Only where something is set, the ways differ.
            if !simple.assignments.is_empty() || ways.is_empty() {
                ways.push(way);
            }
        }
        scope.join(ways);
        printed.unwrap_or(Stream::Output)
    }

    fn simple_once(&mut self, simple: &Simple, scope: &mut Scope, stdin: &Stream) -> Stream {
        let mut argv: Vec<Arg> = Vec::with_capacity(simple.words.len());
        for word in &simple.words {
            match declarations::array(word).filter(|_| declarations::declares(&argv)) {
                Some(array) => argv.push(self.declare_array(&argv, array, scope)),
                None => argv.extend(expand::fields(word, &mut self.resolver(scope))),
            }
            if argv.len() > super::MOST_WORDS {
                self.spend(usize::MAX);
                return Stream::Output;
            }
        }
        if argv.is_empty() {
            self.assign(&simple.assignments, scope);
        }
        let mut env: Vec<(String, Arg)> = Vec::new();
        if !argv.is_empty() {
            env.extend(
                scope.exported.iter().map(|(name, value)| (name.clone(), raw::arg(value.clone(), false))),
            );
            for assignment in &simple.assignments {
                if let AssignedValue::Word(word) = &assignment.value {
                    let value = expand::value(word, &mut self.resolver(scope));
                    self.prompt_code(&assignment.name, &value, scope);
                    self.starting_file(&assignment.name, word, scope);
                    env.push((assignment.name.clone(), raw::arg(value, false)));
                }
            }
        }
        let plumbing = self.plumbing(&simple.redirects, scope);
        let stdin = plumbing.stdin.unwrap_or_else(|| stdin.clone());
        let is_exec = argv.first().is_some_and(|arg| arg.is("exec"));
        let descriptors = plumbing.descriptors;
        let kept = scope.descriptors.len();
        scope.descriptors.extend(descriptors);
        if is_exec && argv.len() == 1 && stdin != Stream::Inherited {
            scope.descriptors.push(("0".to_owned(), stdin.clone()));
        }
        let fed = stdin.clone();
        let call = Invocation {
            argv,
            env,
            redirects: plumbing.files,
            stdin,
            cwd: scope.cwd.clone(),
            elevated: scope.elevated,
            elsewhere: scope.elsewhere,
            open_ended: false,
        };
        let printed = self.run(call, scope);
        if !is_exec {
            scope.descriptors.truncate(kept);
        }
        self.feed(simple, &fed, &printed, scope);
        match plumbing.out {
            None => printed,
            Some((file, append)) => {
                scope.write(file.text(), printed, append);
                Stream::Text(String::new())
            }
        }
    }

    /// `> >(cmd)` and `tee >(cmd)`: what is written there is what `cmd` reads.
    fn feed(&mut self, simple: &Simple, read: &Stream, printed: &Stream, scope: &Scope) {
        let of_words = simple.words.iter().map(|word| (word, read));
        let of_redirects = simple.redirects.iter().map(|redirect| (&redirect.target, printed));
        for (word, stream) in of_words.chain(of_redirects) {
            for part in &word.parts {
                if let Part::Process { script, output: true } = part {
                    self.script(script, &mut scope.clone(), stream);
                }
            }
        }
    }

    /// `BASH_ENV=file`: what a shell runs before anything else.
    fn starting_file(&mut self, name: &str, word: &Word, scope: &mut Scope) {
        if matches!(name, "BASH_ENV" | "ENV") {
            let file = expand::single(word, &mut self.resolver(scope));
            let content = scope.content(&file);
            interpreters::run_stream(&content, &Invocation::of([name]), self, scope);
        }
    }

    fn assign(&mut self, assignments: &[Assignment], scope: &mut Scope) {
        for assignment in assignments {
            let index =
                assignment.index.as_ref().map(|index| expand::value(index, &mut self.resolver(scope)));
            match &assignment.value {
                AssignedValue::Word(word) => {
                    let value = expand::value(word, &mut self.resolver(scope));
                    self.prompt_code(&assignment.name, &value, scope);
                    match (&index, assignment.append) {
                        (Some(index), _) => scope.variables.put(&assignment.name, index, value),
                        (None, true) => {
                            let before = scope.value(&assignment.name).unwrap_or_default();
                            scope.assign(&assignment.name, before + &value);
                        }
                        (None, false) => scope.assign(&assignment.name, value),
                    }
                }
                AssignedValue::Array(words) => {
                    let has_keys = scope.entries(&assignment.name).is_some();
                    self.assign_array(&assignment.name, words, assignment.append, has_keys, scope);
                }
            }
        }
    }

    /// Runs a program: wrappers off, functions and builtins followed, carried scripts opened, judged. Gives what it prints.
    pub(crate) fn run(&mut self, mut call: Invocation, scope: &mut Scope) -> Stream {
        if !self.spend(32 + call.argv.len()) {
            return Stream::Output;
        }
        if self.depth > super::DEEPEST {
            self.case.hold(&super::TOO_DEEP, call.shown());
            return Stream::Output;
        }
        self.case.visit(&call);
        if call.argv.is_empty() {
            self.case.judge(&call);
            return match call.stdin {
                // `$(< file)`.
                Stream::File(file) => Stream::File(file),
                _ => Stream::Text(String::new()),
            };
        }
        suspicion::name_the_program(&mut call, scope);
        if let Some(printed) = self.alias_or_function(&call, scope) {
            return printed;
        }
        self.program(&call, scope)
    }

    /// Runs what is no function and no alias.
    fn program(&mut self, call: &Invocation, scope: &mut Scope) -> Stream {
        if self.depth > super::DEEPEST {
            self.case.hold(&super::TOO_DEEP, call.shown());
            return Stream::Output;
        }
        if let Some(inner) = wrappers::unwrap(call) {
            // The wrapper's own options and redirections are looked at too: `env`, `sudo` and their kind write nothing, but read files.
            self.case.hold_as_written(call);
            self.depth += 1;
            let printed = self.wrapped(inner, call, scope);
            self.depth -= 1;
            return printed;
        }
        if let Some(printed) = self.builtin(call, scope) {
            self.case.hold_as_written(call);
            return printed;
        }
        let bytes: usize = call.argv.iter().map(|arg| arg.text().len()).sum();
        let is_builtin = matches!(call.program(), "echo" | "printf");
        if call.argv.len() > super::MOST_WORDS || bytes > super::MOST_BYTES && !is_builtin {
            self.case.hold(&super::TOO_MUCH, super::excerpt(&call.shown()));
            return Stream::Output;
        }
        if !self.spend(super::JUDGING + bytes) {
            return Stream::Output;
        }
        suspicion::judge(call, self, scope);
        interpreters::visit(call, self, scope);
        carriers::visit(call, self, scope);
        self.behind_links(call, scope);
        let nested = self.case.judge_with(call, &mut scope.earlier);
        for deed in nested {
            self.beyond(deed, call, scope);
        }
        output::of(call, self, scope)
    }

    /// Judges the call once more with the files to which links lead that were made on the way.
    fn behind_links(&mut self, call: &Invocation, scope: &Scope) {
        let follow = |arg: &Arg| {
            scope
                .through_links(arg.text())
                .map(|path| if arg.is_glob() { Arg::glob(path) } else { Arg::new(path) })
        };
        if call.args().iter().any(|arg| follow(arg).is_some()) {
            let argv = call.argv.iter().map(|arg| follow(arg).unwrap_or_else(|| arg.clone())).collect();
            self.case.judge(&Invocation { argv, ..call.clone() });
        }
    }

    /// What git does beyond itself.
    fn beyond(&mut self, deed: Nested, call: &Invocation, scope: &mut Scope) {
        match deed {
            Nested::Script(text) => {
                self.text(&text, &mut scope.clone(), &Stream::Inherited);
            }
            Nested::Argv(argv) => {
                self.nested(Invocation { argv, ..carriers::bare(call) }, scope);
            }
            Nested::File(how, file) => {
                self.case.judge(&Invocation { redirects: vec![(how, file)], ..carriers::bare(call) });
            }
        }
    }

    fn wrapped(&mut self, inner: wrappers::Inner, outer: &Invocation, scope: &mut Scope) -> Stream {
        match inner {
            wrappers::Inner::Nothing => {
                self.case.judge(outer);
                match outer.program() {
                    "env" | "genv" => Stream::Environment,
                    // `command -v` prints where a program is.
                    "command" => output::of(outer, self, scope),
                    _ => Stream::Output,
                }
            }
            wrappers::Inner::Call(call) => {
                let here = (scope.elevated, scope.elsewhere, scope.cwd.clone());
                scope.elevated |= call.elevated;
                scope.elsewhere = call.elsewhere.or(scope.elsewhere);
                if call.cwd != scope.cwd {
                    scope.cwd.clone_from(&call.cwd);
                }
                // A program that starts another knows nothing of the shell's functions.
                let printed = if wrappers::knows_functions(outer.program()) || call.argv.is_empty() {
                    self.run(call, scope)
                } else {
                    let mut call = call;
                    self.case.visit(&call);
                    suspicion::name_the_program(&mut call, scope);
                    self.program(&call, scope)
                };
                (scope.elevated, scope.elsewhere) = (here.0, here.1);
                if outer.argv.first().and_then(Arg::known).is_none_or(|name| !wrappers::keeps_the_shell(name))
                {
                    scope.cwd = here.2;
                }
                printed
            }
            wrappers::Inner::Script(text) => {
                let mut own = scope.clone();
                give(&outer.env, &mut own);
                own.elevated |= outer.program() != "env";
                self.text(&text, &mut own, &outer.stdin)
            }
        }
    }

    fn alias_or_function(&mut self, call: &Invocation, scope: &mut Scope) -> Option<Stream> {
        let name = call.argv.first()?.known()?;
        if let Some(body) = scope.function(name) {
            let exported = scope.exported.clone();
            give(&call.env, scope);
            let printed = self.call(&body, call.args(), scope, &call.stdin);
            scope.exported = exported;
            return Some(printed);
        }
        let text = scope.alias(name)?;
        if scope.running.iter().any(|running| matches!(running, Running::Alias(known) if known == name)) {
            return None;
        }
        scope.running.push(Running::Alias(name.to_owned()));
        // The alias is text before it is words; what follows it is appended.
        let rest: Vec<String> = call.args().iter().map(|arg| quoted(&raw::of(arg))).collect();
        let exported = scope.exported.clone();
        give(&call.env, scope);
        let printed = self.text(&format!("{text} {}", rest.join(" ")), scope, &call.stdin);
        scope.exported = exported;
        scope.running.pop();
        Some(printed)
    }
}

/// Gives what stands in front of a command to everything that it runs.
fn give(env: &[(String, Arg)], scope: &mut Scope) {
    for (name, value) in env {
        scope.export(name, &raw::of(value));
    }
}

/// The variables in some words that have several values, with how many.
pub(crate) fn several<'s>(words: impl Iterator<Item = &'s Word>, scope: &Scope) -> Vec<(String, usize)> {
    fn of(parts: &[Part], scope: &Scope, several: &mut Vec<(String, usize)>) {
        for part in parts {
            match part {
                Part::Parameter(parameter) => {
                    let count = scope.variables.choices(&parameter.name);
                    if count > 1 && !several.iter().any(|(known, _)| *known == parameter.name) {
                        several.push((parameter.name.clone(), count));
                    }
                }
                Part::Substitution { script, .. } => {
                    for command in &script.commands {
                        if let Kind::Simple(simple) = &command.kind {
                            simple.words.iter().for_each(|word| of(&word.parts, scope, several));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let mut several = Vec::new();
    words.for_each(|word| of(&word.parts, scope, &mut several));
    several
}

/// The combinations of the values of some variables: all of them, or, if they are too many, as many as the longest list has.
pub(crate) fn combinations(several: &[(String, usize)]) -> impl Iterator<Item = Vec<(String, usize)>> {
    const MOST: usize = 512;
    let product = several.iter().map(|(_, count)| *count).fold(1_usize, usize::saturating_mul);
    let longest = several.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let count = if product <= MOST { product } else { longest };
    (0..count).map(move |number| {
        let mut rest = number;
        // The last changes first, as in loops in one another.
        let picks = several.iter().rev().map(|(name, values)| {
            let pick = if product <= MOST { rest % values } else { number % values };
            rest /= values;
            (name.clone(), pick)
        });
        picks.collect()
    })
}

/// Writes a value as one word of a script.
pub(crate) fn quoted(value: &str) -> String {
    if !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c)) {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', "'\\''"))
    }
}
