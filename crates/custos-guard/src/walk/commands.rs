//! The kinds of command, each visited in its own way.

use std::rc::Rc;

use crate::invocation::{Arg, Invocation, Stream, Use};
use crate::shell::syntax::{Command, Kind, Link, Operator, Redirect, Script};
use crate::verdict::{Hold, Rule};
use crate::walk::Walk;
use crate::walk::scope::{Running, Scope, join};
use crate::walk::simple::{combinations, several};
use crate::words::expand;
use crate::words::raw;

/// Holds a function that starts itself twice.
pub(crate) static FORK_BOMB: Rule = Rule {
    id: "system.fork-bomb",
    hold: Hold::Deny,
    reason: "starts itself over and over until the machine stands still",
    safer: "",
};

/// What a visit to a command costs beside its words.
const VISIT: usize = 64;

impl Walk<'_, '_> {
    /// Visits a script; gives what it prints.
    pub(crate) fn script(&mut self, script: &Script, scope: &mut Scope, stdin: &Stream) -> Stream {
        let mut printed = Stream::Text(String::new());
        let mut after = Link::Then;
        for command in &script.commands {
            if !self.spend(VISIT) {
                break;
            }
            let out = if after == Link::Or {
                // It runs only if something failed: both ways go on.
                let mut other = scope.clone();
                let out = self.command(command, &mut other, stdin);
                other.cwd.clone_from(&scope.cwd);
                let here = scope.clone();
                scope.join(vec![here, other]);
                out
            } else if command.link == Link::Background {
                self.apart(scope, |walk, own| walk.command(command, own, stdin))
            } else {
                self.command(command, scope, stdin)
            };
            printed = join(printed, out);
            after = command.link;
        }
        printed
    }

    fn command(&mut self, command: &Command, scope: &mut Scope, stdin: &Stream) -> Stream {
        if let Kind::Simple(simple) = &command.kind {
            return self.simple(simple, scope, stdin);
        }
        let plumbing = self.plumbing(&command.redirects, scope);
        let stdin = plumbing.stdin.as_ref().unwrap_or(stdin);
        let printed = self.compound(&command.kind, scope, stdin);
        self.finish(plumbing, printed, scope)
    }

    fn compound(&mut self, kind: &Kind, scope: &mut Scope, stdin: &Stream) -> Stream {
        match kind {
            Kind::Simple(simple) => self.simple(simple, scope, stdin),
            Kind::Pipeline(stages) => {
                let mut flow = stdin.clone();
                for stage in stages {
                    flow = self.apart(scope, |walk, own| walk.command(stage, own, &flow));
                }
                flow
            }
            Kind::Subshell(script) => self.apart(scope, |walk, own| walk.script(script, own, stdin)),
            Kind::Group(script) => self.script(script, scope, stdin),
            Kind::If(branches) => self.branches(branches, scope, stdin),
            Kind::Loop { condition, body } => {
                self.script(condition, scope, stdin);
                self.body(body, scope, stdin)
            }
            Kind::For { name, words, body } => {
                let values: Vec<String> = match words {
                    None => scope.positional.clone(),
                    Some(words) => {
                        let mut values = Vec::new();
                        for word in words {
                            let before = scope.picks.clone();
                            for picks in combinations(&several(std::iter::once(word), scope)) {
                                scope.picks = picks;
                                let args = expand::fields(word, &mut self.resolver(scope));
                                values.extend(args.iter().map(raw::of));
                            }
                            scope.picks = before;
                        }
                        values
                    }
                };
                if values.is_empty() {
                    // Nothing to loop over, as far as one can see; what is in it is looked at all the same.
                    scope.assign(name, crate::invocation::UNKNOWN.to_string());
                } else {
                    scope.variables.set_any(name, values);
                }
                self.body(body, scope, stdin)
            }
            Kind::Arithmetic { expression, body } => {
                expand::value(expression, &mut self.resolver(scope));
                self.body(body, scope, stdin)
            }
            Kind::Case { word, arms } => {
                expand::value(word, &mut self.resolver(scope));
                let mut ways = vec![scope.clone()];
                let mut printed = Stream::Text(String::new());
                for (patterns, script) in arms {
                    for pattern in patterns {
                        expand::value(pattern, &mut self.resolver(scope));
                    }
                    let mut way = scope.clone();
                    printed = join(printed, self.script(script, &mut way, stdin));
                    ways.push(way);
                }
                scope.join(ways);
                printed
            }
            Kind::Test(words) => {
                for word in words {
                    expand::value(word, &mut self.resolver(scope));
                }
                Stream::Text(String::new())
            }
            Kind::Function { name, body } => {
                if starts_itself(name, body) {
                    self.case.hold(&FORK_BOMB, format!("{name}()"));
                }
                scope.define(name, body);
                if name == "command_not_found_handle" {
                    self.call(&Rc::new((**body).clone()), &[Arg::unknown()], &mut scope.clone(), stdin);
                }
                Stream::Text(String::new())
            }
            Kind::Coprocess(command) => {
                self.command(command, &mut scope.clone(), stdin);
                Stream::Text(String::new())
            }
        }
    }

    /// Runs something in a shell of its own: what it wrote is there afterwards, whatever else it forgets.
    fn apart(&mut self, scope: &mut Scope, run: impl FnOnce(&mut Self, &mut Scope) -> Stream) -> Stream {
        let mut own = scope.clone();
        let printed = run(self, &mut own);
        own.cwd.clone_from(&scope.cwd);
        own.variables = scope.variables.clone();
        scope.join(vec![own]);
        printed
    }

    fn branches(
        &mut self,
        branches: &[(Option<Script>, Script)],
        scope: &mut Scope,
        stdin: &Stream,
    ) -> Stream {
        let mut ways = Vec::new();
        let mut printed = Stream::Text(String::new());
        let mut has_else = false;
        for (condition, body) in branches {
            match condition {
                Some(condition) => {
                    self.script(condition, scope, stdin);
                }
                None => has_else = true,
            }
            let mut way = scope.clone();
            printed = join(printed, self.script(body, &mut way, stdin));
            ways.push(way);
        }
        if !has_else {
            ways.push(scope.clone());
        }
        scope.join(ways);
        printed
    }

    /// Visits a loop's body, which may run or not.
    fn body(&mut self, body: &Script, scope: &mut Scope, stdin: &Stream) -> Stream {
        let mut way = scope.clone();
        let printed = self.script(body, &mut way, stdin);
        let here = scope.clone();
        scope.join(vec![here, way]);
        printed
    }

    /// Runs the body of a function.
    pub(crate) fn call(
        &mut self,
        body: &Rc<Command>,
        args: &[Arg],
        scope: &mut Scope,
        stdin: &Stream,
    ) -> Stream {
        const DEEPEST_CALL: usize = 8;
        let is_running =
            |running: &Running| matches!(running, Running::Function(known) if Rc::ptr_eq(known, body));
        if scope.running.iter().filter(|running| is_running(running)).count() > 1 {
            return Stream::Output;
        }
        if scope.running.len() >= DEEPEST_CALL {
            self.case.hold(&super::TOO_DEEP, "functions");
            return Stream::Output;
        }
        let positional = std::mem::replace(&mut scope.positional, args.iter().map(raw::of).collect());
        scope.running.push(Running::Function(Rc::clone(body)));
        let locals = std::mem::take(&mut scope.locals);
        let printed = self.command(body, scope, stdin);
        for (name, before) in std::mem::replace(&mut scope.locals, locals).into_iter().rev() {
            scope.variables.restore(&name, before);
        }
        scope.running.pop();
        scope.positional = positional;
        printed
    }

    /// Visits the functions that nobody calls by name, if something is called whose name is only known when it runs.
    pub(crate) fn functions_that_may_run(&mut self, scope: &mut Scope) {
        if !self.calls_anything {
            return;
        }
        for (_, body) in scope.functions().iter() {
            self.call(body, &[Arg::unknown()], &mut scope.clone(), &Stream::Inherited);
        }
    }

    /// Resolves redirections: what comes in, and where what is printed goes.
    pub(crate) fn plumbing(&mut self, redirects: &[Redirect], scope: &mut Scope) -> Plumbing {
        let mut plumbing = Plumbing::default();
        for redirect in redirects {
            let descriptor = redirect.descriptor.as_deref();
            match redirect.operator {
                Operator::Heredoc => {
                    let text = expand::value(&redirect.target, &mut self.resolver(scope));
                    plumbing.connect(descriptor, Stream::Text(text));
                }
                Operator::HereString => {
                    let mut text = expand::value(&redirect.target, &mut self.resolver(scope));
                    let stream = match raw::source(&text) {
                        crate::invocation::Source::Downloaded => Stream::Download,
                        crate::invocation::Source::Decoded => Stream::Decoded,
                        crate::invocation::Source::Local => {
                            text.push('\n');
                            Stream::Text(text)
                        }
                    };
                    plumbing.connect(descriptor, stream);
                }
                Operator::Duplicate => {
                    let other = expand::value(&redirect.target, &mut self.resolver(scope));
                    let known =
                        plumbing.descriptors.iter().chain(&scope.descriptors).find(|(fd, _)| *fd == other);
                    if descriptor.is_none_or(|fd| fd == "0")
                        && let Some((_, stream)) = known
                    {
                        plumbing.stdin = Some(stream.clone());
                    }
                }
                Operator::Read | Operator::ReadWrite => {
                    let file = expand::single(&redirect.target, &mut self.resolver(scope));
                    let content = scope.content(&file);
                    plumbing.connect(descriptor, content);
                    let how = if redirect.operator == Operator::Read { Use::Read } else { Use::Both };
                    plumbing.files.push((how, file));
                }
                Operator::Write | Operator::Append => {
                    let file = expand::single(&redirect.target, &mut self.resolver(scope));
                    if descriptor.is_none_or(|fd| fd == "1") {
                        plumbing.out = Some((file.clone(), redirect.operator == Operator::Append));
                    }
                    plumbing.files.push((Use::Write, file));
                }
            }
        }
        plumbing
    }

    /// Judges the files of a compound command's redirections, and notes what was written.
    fn finish(&mut self, plumbing: Plumbing, printed: Stream, scope: &mut Scope) -> Stream {
        if !plumbing.files.is_empty() {
            let call = Invocation {
                redirects: plumbing.files,
                cwd: scope.cwd.clone(),
                elevated: scope.elevated,
                elsewhere: scope.elsewhere,
                ..Invocation::default()
            };
            self.case.judge(&call);
        }
        match plumbing.out {
            None => printed,
            Some((file, append)) => {
                scope.write(file.text(), printed, append);
                Stream::Text(String::new())
            }
        }
    }
}

/// What a command is connected to.
#[derive(Debug, Default)]
pub(crate) struct Plumbing {
    /// What it reads, if that is redirected.
    pub(crate) stdin: Option<Stream>,
    /// Where its output goes, and whether it is appended.
    pub(crate) out: Option<(Arg, bool)>,
    /// Every file.
    pub(crate) files: Vec<(Use, Arg)>,
    /// What can be read from other descriptors.
    pub(crate) descriptors: Vec<(String, Stream)>,
}

impl Plumbing {
    fn connect(&mut self, descriptor: Option<&str>, stream: Stream) {
        match descriptor {
            None | Some("0") => self.stdin = Some(stream),
            Some(other) => self.descriptors.push((other.to_owned(), stream)),
        }
    }
}

/// Says whether a function starts itself in the background or as both ends of a pipe.
fn starts_itself(name: &str, body: &Command) -> bool {
    fn calls(name: &str, command: &Command) -> bool {
        match &command.kind {
            Kind::Simple(simple) => simple.words.first().is_some_and(|word| {
                matches!(word.parts.as_slice(),
                    [crate::shell::syntax::Part::Bare(text) | crate::shell::syntax::Part::Quoted(text)] if text == name)
            }),
            Kind::Pipeline(stages) => stages.iter().any(|stage| calls(name, stage)),
            Kind::Group(script) | Kind::Subshell(script) => script.commands.iter().any(|command| calls(name, command)),
            _ => false,
        }
    }
    fn bombs(name: &str, command: &Command) -> bool {
        match &command.kind {
            Kind::Pipeline(stages) => stages.iter().filter(|stage| calls(name, stage)).count() > 1,
            Kind::Group(script) | Kind::Subshell(script) => {
                let in_background = script
                    .commands
                    .iter()
                    .filter(|command| command.link == Link::Background && calls(name, command))
                    .count();
                in_background > 0 && script.commands.iter().filter(|command| calls(name, command)).count() > 0
                    || script.commands.iter().any(|command| bombs(name, command))
            }
            _ => false,
        }
    }
    bombs(name, body)
}
