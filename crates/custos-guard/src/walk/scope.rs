//! What a shell knows at a point of the walk: variables, functions, aliases, where it is, what was written to which file.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::git::Earlier;
use crate::invocation::{Arg, Elsewhere, Stream, UNKNOWN};
use crate::shell::syntax::Command;
use crate::words::variables::{Binding, Variables};
use crate::world::World;

/// The state of a shell. A copy is cheap: subshells, branches and stages of a pipeline get their own.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    pub(crate) variables: Variables,
    /// Which of their values variables with several have at the moment.
    pub(crate) picks: Vec<(String, usize)>,
    /// What variables were before a function made them its own.
    pub(crate) locals: Vec<(String, Option<Binding>)>,
    functions: Rc<Vec<(String, Rc<Command>)>>,
    aliases: Rc<Vec<(String, String)>>,
    /// What git was told on the way: aliases, the branch that was checked out.
    pub(crate) earlier: Earlier,
    /// Files that were written on the way, with what is in them.
    files: Rc<Vec<(String, Stream)>>,
    /// Variables that later programs get in their environment.
    pub(crate) exported: Vec<(String, String)>,
    /// Variables that stand for others: `declare -n`.
    references: Vec<(String, String)>,
    /// Links that were made on the way, and where they lead.
    links: Vec<(String, String)>,
    /// Programs that were copied or linked to another name.
    programs: Vec<(String, String)>,
    /// What can be read from descriptors that `exec` opened.
    pub(crate) descriptors: Vec<(String, Stream)>,
    pub(crate) positional: Vec<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) previous: Option<String>,
    stack: Vec<Option<String>>,
    pub(crate) home: Option<String>,
    pub(crate) elevated: bool,
    pub(crate) elsewhere: Option<Elsewhere>,
    /// Functions and aliases that are being run, against endless recursion.
    pub(crate) running: Vec<Running>,
}

/// Something that is being run: a function's body, or an alias.
#[derive(Debug, Clone)]
pub(crate) enum Running {
    Function(Rc<Command>),
    Alias(String),
}

/// The longest text that is kept of what flows somewhere.
const LONGEST_TEXT: usize = 512 << 10;

/// The longest path that is followed.
const LONGEST_PATH: usize = 4096;

/// How many files, functions and aliases are remembered; nobody writes more in one command.
const MOST: usize = 256;

impl Scope {
    /// The state in which a client's shell starts.
    pub(crate) fn new(world: &World<'_>) -> Self {
        Self {
            variables: Variables::default(),
            picks: Vec::new(),
            locals: Vec::new(),
            functions: Rc::default(),
            aliases: Rc::default(),
            earlier: Earlier::default(),
            files: Rc::default(),
            exported: Vec::new(),
            references: Vec::new(),
            links: Vec::new(),
            programs: Vec::new(),
            descriptors: Vec::new(),
            positional: Vec::new(),
            cwd: Some(world.cwd.to_owned()),
            previous: None,
            stack: Vec::new(),
            home: world.home.map(str::to_owned),
            elevated: false,
            elsewhere: None,
            running: Vec::new(),
        }
    }

    /// The value of a variable; `None` if nobody can know it.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        let name = self
            .references
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map_or(name, |(_, other)| other.as_str());
        match self.variables.get(name) {
            Some(Binding::Scalar(values)) => {
                let pick = self.picks.iter().find(|(known, _)| known == name).map_or(0, |(_, pick)| *pick);
                values.get(pick % values.len().max(1)).cloned()
            }
            Some(Binding::Array(values)) => Some(values.first().cloned().unwrap_or_default()),
            Some(Binding::Map(pairs)) => Some(pairs.get("0").cloned().unwrap_or_default()),
            Some(Binding::Unset) => Some(String::new()),
            None => self.given(name),
        }
    }

    /// What a variable holds that the shell or the login sets.
    fn given(&self, name: &str) -> Option<String> {
        if let Ok(place) = name.parse::<usize>() {
            return match place {
                0 => Some("bash".to_owned()),
                place => Some(self.positional.get(place - 1).cloned().unwrap_or_default()),
            };
        }
        let user = || self.home.as_deref().and_then(|home| home.rsplit('/').next()).map(str::to_owned);
        match name {
            "HOME" => self.home.clone(),
            "PWD" => self.cwd.clone(),
            "OLDPWD" => self.previous.clone(),
            "USER" | "LOGNAME" | "USERNAME" => user(),
            "SHELL" | "BASH" => Some("/bin/bash".to_owned()),
            "PATH" => Some("/usr/local/bin:/usr/bin:/bin".to_owned()),
            "IFS" => Some(" \t\n".to_owned()),
            // Wherever it is, it is a temporary directory of the person's own.
            "TMPDIR" | "TMP" | "TEMP" | "RUNNER_TEMP" => Some(format!("/tmp/{UNKNOWN}")),
            "@" | "*" => Some(self.positional.join(" ")),
            "#" => Some(self.positional.len().to_string()),
            "OSTYPE" => Some("linux-gnu".to_owned()),
            _ => None,
        }
    }

    /// The elements of an array or of the positional parameters.
    pub(crate) fn elements(&self, name: &str) -> Option<Vec<String>> {
        match name {
            "@" | "*" => Some(self.positional.clone()),
            name => match self.variables.get(name)? {
                Binding::Array(values) => Some(values.clone()),
                Binding::Map(pairs) => Some(pairs.values().cloned().collect()),
                Binding::Scalar(_) => self.value(name).map(|value| vec![value]),
                Binding::Unset => Some(Vec::new()),
            },
        }
    }

    /// The elements of an array with keys.
    pub(crate) fn entries(&self, name: &str) -> Option<&BTreeMap<String, String>> {
        match self.variables.get(name)? {
            Binding::Map(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// Says whether a variable is known not to be set.
    pub(crate) fn is_unset(&self, name: &str) -> bool {
        match (self.variables.get(name), name.parse::<usize>()) {
            (Some(binding), _) => *binding == Binding::Unset,
            (None, Ok(place)) => place > self.positional.len(),
            (None, Err(_)) => matches!(name, "@" | "*") && self.positional.is_empty(),
        }
    }

    /// Sets a variable to one value.
    pub(crate) fn assign(&mut self, name: &str, value: String) {
        if name == "HOME" {
            self.home = Some(value.clone()).filter(|home| home.starts_with('/'));
        }
        self.variables.set(name, Binding::Scalar(vec![value]));
    }

    /// Puts a variable into the environment of what runs later.
    pub(crate) fn export(&mut self, name: &str, value: &str) {
        self.exported.retain(|(known, _)| known != name);
        if self.exported.len() < MOST {
            self.exported.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Makes a variable stand for another.
    pub(crate) fn refer(&mut self, name: &str, other: &str) {
        if self.references.len() < MOST && name != other {
            self.references.push((name.to_owned(), other.to_owned()));
        }
    }

    /// Changes the directory; `None` for one that is not known.
    pub(crate) fn enter(&mut self, dir: Option<String>) {
        let dir = dir.filter(|dir| dir.len() <= LONGEST_PATH);
        self.previous = std::mem::replace(&mut self.cwd, dir);
    }

    /// Keeps the directory for `popd`.
    pub(crate) fn push(&mut self) {
        if self.stack.len() < MOST {
            self.stack.push(self.cwd.clone());
        }
    }

    /// Goes back to the directory that `pushd` left.
    pub(crate) fn pop(&mut self) {
        if let Some(dir) = self.stack.pop() {
            self.enter(dir);
        }
    }

    /// Defines a function.
    pub(crate) fn define(&mut self, name: &str, body: &Command) {
        if self.functions.len() < MOST {
            Rc::make_mut(&mut self.functions).push((name.to_owned(), Rc::new(body.clone())));
        }
    }

    /// Finds a function.
    pub(crate) fn function(&self, name: &str) -> Option<Rc<Command>> {
        self.functions.iter().rev().find(|(known, _)| known == name).map(|(_, body)| Rc::clone(body))
    }

    /// All functions, with their names.
    pub(crate) fn functions(&self) -> Rc<Vec<(String, Rc<Command>)>> {
        Rc::clone(&self.functions)
    }

    /// Forgets a function.
    pub(crate) fn undefine(&mut self, name: &str) {
        if self.function(name).is_some() {
            Rc::make_mut(&mut self.functions).retain(|(known, _)| known != name);
        }
    }

    /// Defines an alias.
    pub(crate) fn define_alias(&mut self, name: &str, text: &str) {
        if self.aliases.len() < MOST {
            Rc::make_mut(&mut self.aliases).push((name.to_owned(), text.to_owned()));
        }
    }

    /// Finds an alias.
    pub(crate) fn alias(&self, name: &str) -> Option<String> {
        self.aliases.iter().rev().find(|(known, _)| known == name).map(|(_, text)| text.clone())
    }

    /// Notes what a file holds from now on.
    pub(crate) fn write(&mut self, path: &str, stream: Stream, append: bool) {
        let path = self.absolute(path);
        let files = Rc::make_mut(&mut self.files);
        if let Some((_, known)) = files.iter_mut().find(|(known, _)| *known == path) {
            *known = if append { join(std::mem::take(known), stream) } else { stream };
        } else if files.len() < MOST {
            files.push((path, stream));
        }
    }

    /// What a file holds, if it was written on the way.
    pub(crate) fn written(&self, path: &str) -> Option<&Stream> {
        if self.files.is_empty() {
            return None;
        }
        let path = self.absolute(path);
        self.files.iter().find(|(known, _)| *known == path).map(|(_, stream)| stream)
    }

    /// What a file holds: what was written into it on the way, what a process prints into it, or whatever is there.
    pub(crate) fn content(&self, file: &Arg) -> Stream {
        if let Some(stream) = file.holds() {
            return stream.clone();
        }
        let path = file.text();
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            return Stream::Download;
        }
        let descriptor = path.strip_prefix("/dev/fd/").or_else(|| path.strip_prefix("/proc/self/fd/"));
        if let Some(descriptor) = descriptor
            && let Some((_, stream)) = self.descriptors.iter().rev().find(|(fd, _)| fd == descriptor)
        {
            return stream.clone();
        }
        match self.written(path) {
            Some(stream) => stream.clone(),
            None => Stream::File(file.clone()),
        }
    }

    /// Moves or copies what is known about a file.
    pub(crate) fn copy(&mut self, from: &str, to: &str) {
        if let Some(stream) = self.written(from).cloned() {
            self.write(to, stream, false);
        }
    }

    /// Notes a link, and a program under another name.
    pub(crate) fn link(&mut self, target: &str, link: &str, is_program: bool) {
        let (target, link) = (self.absolute(target), self.absolute(link));
        if is_program && self.programs.len() < MOST {
            let name = target.rsplit('/').next().unwrap_or_default().to_owned();
            self.programs.push((link.clone(), name));
        }
        if self.links.len() < MOST {
            self.links.push((link, target));
        }
    }

    /// Notes a copy of a program.
    pub(crate) fn copy_program(&mut self, name: &str, copy: &str) {
        if self.programs.len() < MOST {
            let copy = self.absolute(copy);
            self.programs.push((copy, name.to_owned()));
        }
    }

    /// The program that a path was made to be.
    pub(crate) fn program_at(&self, path: &str) -> Option<&str> {
        if self.programs.is_empty() {
            return None;
        }
        let path = self.absolute(path);
        self.programs.iter().rev().find(|(known, _)| *known == path).map(|(_, name)| name.as_str())
    }

    /// Where a path leads, if it goes through a link that was made on the way.
    pub(crate) fn through_links(&self, path: &str) -> Option<String> {
        if self.links.is_empty() {
            return None;
        }
        let absolute = self.absolute(path);
        self.links.iter().find_map(|(link, target)| {
            let rest = absolute
                .strip_prefix(link.as_str())
                .filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
            // The link itself may be removed; what lies behind it, not.
            let reaches = !rest.is_empty() || path.ends_with('/');
            reaches
                .then(|| format!("{}{rest}", target.trim_end_matches('/')))
                .map(|path| if path.is_empty() { "/".to_owned() } else { path })
        })
    }

    /// Spells a path from the root, as far as the directory is known.
    pub(crate) fn absolute(&self, path: &str) -> String {
        absolute(path, self.cwd.as_deref())
    }

    /// Goes on after branches of which any may have been taken.
    pub(crate) fn join(&mut self, ways: Vec<Self>) {
        let all: Vec<Variables> = ways.iter().map(|way| way.variables.clone()).collect();
        self.variables.join(&all);
        if ways.iter().any(|way| way.cwd != self.cwd) {
            let first = ways[0].cwd.clone();
            self.cwd = if ways.iter().all(|way| way.cwd == first) { first } else { None };
        }
        // Of what can only grow, the longest is the newest.
        for way in ways {
            if way.earlier != self.earlier {
                self.earlier = way.earlier;
            }
            if way.functions.len() > self.functions.len() {
                self.functions = way.functions;
            }
            if way.aliases.len() > self.aliases.len() {
                self.aliases = way.aliases;
            }
            if way.files.len() > self.files.len() {
                self.files = way.files;
            }
            if way.exported.len() > self.exported.len() {
                self.exported = way.exported;
            }
            if way.links.len() > self.links.len() {
                self.links = way.links;
            }
            if way.programs.len() > self.programs.len() {
                self.programs = way.programs;
            }
        }
    }
}

/// Spells a path from the root, without `.` and `..`.
pub(crate) fn absolute(path: &str, cwd: Option<&str>) -> String {
    let base = if path.starts_with('/') { "" } else { cwd.unwrap_or_default() };
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let is_relative = !path.starts_with('/') && cwd.is_none();
    if is_relative { parts.join("/") } else { format!("/{}", parts.join("/")) }
}

/// What two commands print after one another.
pub(crate) fn join(first: Stream, second: Stream) -> Stream {
    match (first, second) {
        (Stream::Download, _) | (_, Stream::Download) => Stream::Download,
        (Stream::Decoded, _) | (_, Stream::Decoded) => Stream::Decoded,
        (Stream::Environment, _) | (_, Stream::Environment) => Stream::Environment,
        (Stream::Text(text), other) | (other, Stream::Text(text)) if text.is_empty() => other,
        // Longer than anybody reads: as good as decoded.
        (Stream::Text(first), Stream::Text(second)) if first.len() + second.len() > LONGEST_TEXT => {
            Stream::Decoded
        }
        (Stream::Text(mut first), Stream::Text(second)) => {
            first.push_str(&second);
            Stream::Text(first)
        }
        (Stream::Text(mut text), _) => {
            text.push(UNKNOWN);
            Stream::Text(text)
        }
        (_, Stream::Text(text)) => Stream::Text(format!("{UNKNOWN}\n{text}")),
        _ => Stream::Output,
    }
}
