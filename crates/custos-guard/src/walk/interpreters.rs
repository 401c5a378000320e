//! Shells and other interpreters: the scripts that they are given, on the command line, from standard input or from a file that was written
//! on the way.

use std::borrow::Cow;

use crate::code::{self, Deed, Language};
use crate::invocation::{Arg, Invocation, Source, Stream, Use};
use crate::options::{Options, Order, Taking};
use crate::verdict::{Hold, Rule};
use crate::walk::scope::Scope;
use crate::walk::{Walk, consoles};
use crate::words::raw;
use crate::words::variables::Variables;

/// Holds what runs a download.
pub(crate) static DOWNLOADED: Rule = Rule {
    id: "network.run-download",
    hold: Hold::Deny,
    reason: "runs what was just downloaded, before anybody has read it",
    safer: "download it to a file, read it, and let the person run it",
};

/// Holds what runs something that was decoded.
pub(crate) static DECODED: Rule = Rule {
    id: "shell.run-decoded",
    hold: Hold::Ask,
    reason: "runs something that is only known once it is decoded",
    safer: "write the command out",
};

/// The shells.
pub(crate) const SHELLS: &[&str] =
    &["ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "rbash", "sh", "tcsh", "yash", "zsh"];

/// Says whether a program is a shell, whatever its version is called.
pub(crate) fn is_shell(program: &str) -> bool {
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    SHELLS.contains(&name)
}

/// The language of an interpreter, with the options that carry code and those that take a value.
fn language(program: &str) -> Option<(Language, &'static str, Taking)> {
    const fn taking(short: &'static str) -> Taking {
        Taking { short, long: &["eval", "print", "require", "import", "loader", "input-type", "run"] }
    }
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    Some(match name {
        "python" | "pypy" | "ipython" => (Language::Python, "c", taking("cmWX")),
        "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" | "electron" => {
            (Language::JavaScript, "ep", taking("eprC"))
        }
        "perl" => (Language::Perl, "eE", taking("eEIMmF")),
        "ruby" | "jruby" => (Language::Ruby, "e", taking("eIrC")),
        "php" => (Language::Php, "rBRE", taking("rBRECdfSt")),
        "lua" | "luajit" => (Language::Lua, "e", taking("el")),
        "osascript" => (Language::AppleScript, "e", taking("el")),
        "pwsh" | "powershell" => (Language::PowerShell, "c", taking("c")),
        _ => return None,
    })
}

/// Opens the scripts of a shell or another interpreter.
pub(crate) fn visit(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let program = call.program();
    if is_shell(program) {
        shell(call, walk, scope);
    } else if matches!(program, "awk" | "gawk" | "mawk" | "nawk" | "sed" | "gsed") {
        filter(call, walk, scope);
    } else if let Some((language, code_options, taking)) = language(program) {
        other(call, language, code_options, &taking, walk, scope);
    } else if consoles::visit(&call.argv.iter().collect::<Vec<_>>(), call, walk, scope) {
        // A framework's own program.
    } else if let Some(content) = call.argv.first().and_then(|arg| written_program(arg, scope)) {
        // `./x` that was written on the way.
        run_stream(&content, call, walk, scope);
    }
}

/// What a program holds that was written on the way, if it is started by its path.
fn written_program(arg: &Arg, scope: &Scope) -> Option<Stream> {
    let path = arg.known().filter(|path| path.contains('/'))?;
    scope.written(path).cloned()
}

fn shell(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let taking = Taking { short: "oO", long: &["rcfile", "init-file"] };
    // `bash +x -c …`: what is switched off with a plus is an option, too.
    let args: Vec<Arg> = call
        .args()
        .iter()
        .filter(|arg| !(arg.text().len() == 2 && arg.text().starts_with('+')))
        .cloned()
        .collect();
    let options = Options::read(&args, &taking, Order::First);
    if options.has_long("version") || options.has_long("help") {
        return;
    }
    let is_only_checked = options.has_short('n')
        || options.given.iter().any(|given| given.name == "o" && given.value == Some("noexec"));
    if is_only_checked {
        return;
    }
    for file in ["rcfile", "init-file"].iter().filter_map(|name| options.value('\0', name)) {
        let content = scope.content(&Arg::new(file));
        run_stream(&content, call, walk, scope);
    }
    // Another shell knows only what was exported.
    let mut own = scope.clone();
    own.variables = Variables::default();
    for (name, value) in scope.exported.clone() {
        own.assign(&name, value);
    }
    if options.has_short('c') {
        // Options may follow `-c`; the script is the first operand.
        let Some(script) = options.operands.first() else { return };
        judge_source(script, call, walk);
        own.positional = options.operands.iter().skip(2).map(|arg| raw::of(arg)).collect();
        if let Some(name) = options.operands.get(1) {
            own.assign("0", raw::of(name));
        }
        for (name, value) in &call.env {
            own.assign(name, raw::of(value));
        }
        walk.text(script.text(), &mut own, &call.stdin);
        return;
    }
    let from_stdin = options.has_short('s') || options.operands.is_empty();
    if from_stdin {
        if options.has_short('s') {
            own.positional = options.operands.iter().map(|arg| raw::of(arg)).collect();
        }
        run_stream(&call.stdin, call, walk, &mut own);
        return;
    }
    let Some(file) = options.operands.first() else { return };
    own.positional = options.operands.iter().skip(1).map(|arg| raw::of(arg)).collect();
    let content = match file.text() {
        "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-" => call.stdin.clone(),
        _ if file.source() != Source::Local => {
            judge_source(file, call, walk);
            return;
        }
        _ => scope.content(file),
    };
    run_stream(&content, call, walk, &mut own);
}

/// Runs what flows somewhere as a shell script.
pub(crate) fn run_stream(stream: &Stream, call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    match stream {
        Stream::Text(text) => {
            let interpreter = text.strip_prefix("#!").and_then(|rest| rest.lines().next());
            let foreign = interpreter.and_then(|line| {
                line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word)).find_map(language)
            });
            match foreign {
                Some((language, ..)) => foreign_code(language, text, call, walk, scope),
                None => {
                    walk.text(text, &mut scope.clone(), &Stream::Inherited);
                }
            }
        }
        other => judge_stream(other, call, walk),
    }
}

/// Holds a script whose text comes from outside or out of a decoder.
pub(crate) fn judge_stream(stream: &Stream, call: &Invocation, walk: &mut Walk<'_, '_>) {
    match stream {
        Stream::Download => walk.case.hold(&DOWNLOADED, call.shown()),
        Stream::Decoded => walk.case.hold(&DECODED, call.shown()),
        Stream::Text(text) => match raw::source(text) {
            Source::Downloaded => walk.case.hold(&DOWNLOADED, call.shown()),
            Source::Decoded => walk.case.hold(&DECODED, call.shown()),
            Source::Local => {}
        },
        Stream::Inherited | Stream::File(_) | Stream::Environment | Stream::Processes(_) | Stream::Output => {
        }
    }
}

/// Holds a script given as a word that comes from outside or out of a decoder.
pub(crate) fn judge_source(script: &Arg, call: &Invocation, walk: &mut Walk<'_, '_>) {
    match script.source() {
        Source::Downloaded => walk.case.hold(&DOWNLOADED, call.shown()),
        Source::Decoded => walk.case.hold(&DECODED, call.shown()),
        Source::Local => {}
    }
    if let Some(stream) = script.holds() {
        judge_stream(stream, call, walk);
    }
}

/// awk and sed: the program is the first operand, unless options carry it or name its file.
fn filter(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let is_sed = call.program().ends_with("sed");
    let (language, code, order) = if is_sed {
        (Language::Sed, "expression", Order::Anywhere)
    } else {
        (Language::Awk, "source", Order::First)
    };
    let taking = if is_sed {
        Taking { short: "efl", long: &["expression", "file", "line-length"] }
    } else {
        Taking { short: "fFvei", long: &["file", "field-separator", "assign", "source", "include"] }
    };
    let options = Options::read(call.args(), &taking, order);
    let mut parts: Vec<Cow<'_, str>> = options
        .given
        .iter()
        .filter(|given| given.means('e', code))
        .filter_map(|given| given.value)
        .map(Cow::Borrowed)
        .collect();
    match options.value('f', "file") {
        None if parts.is_empty() => parts.extend(options.operands.first().map(|arg| arg.text().into())),
        None => {}
        // What was written on the way, and `-f <( … )`.
        Some(file) => {
            let held = call.args().iter().filter(|arg| arg.holds().is_some()).map(|arg| scope.content(arg));
            for content in held.chain([scope.content(&Arg::new(file))]) {
                if let Stream::Text(text) = content {
                    parts.push(text.into());
                }
            }
        }
    }
    // Several are lines of one program.
    foreign_code(language, &parts.join("\n"), call, walk, scope);
}

fn other(
    call: &Invocation,
    language: Language,
    code_options: &str,
    taking: &Taking,
    walk: &mut Walk<'_, '_>,
    scope: &mut Scope,
) {
    let args = unclustered(call.args(), language);
    let options = Options::read(&args, taking, Order::First);
    if options.has_long("version") || options.has_long("help") {
        return;
    }
    if language == Language::Python && options.has_short('m') {
        if let Some(at) = args.iter().position(|arg| matches!(arg.text(), "timeit" | "-mtimeit")) {
            timed(&args[at + 1..], call, walk, scope);
        }
        return;
    }
    if consoles::visit(&options.operands, call, walk, scope) {
        return;
    }
    // `deno eval CODE`, `bun -e`, `tsx -e`.
    let subcommand = options.operands.first().and_then(|arg| arg.known());
    if call.program() == "deno" && subcommand == Some("eval") {
        if let Some(code) = options.operands.iter().skip(1).find(|arg| !arg.text().starts_with('-')) {
            foreign_code(language, code.text(), call, walk, scope);
        }
        return;
    }
    if language == Language::PowerShell {
        powershell(call, walk, scope);
        return;
    }
    let mut found = false;
    for given in &options.given {
        let is_code = !given.long && code_options.contains(given.name)
            || given.long && matches!(given.name, "eval" | "print" | "run" | "command");
        let Some(code) = given.value.filter(|_| is_code) else { continue };
        found = true;
        let whole = call.args().iter().find(|arg| arg.text().ends_with(code));
        if let Some(arg) = whole {
            judge_source(arg, call, walk);
        }
        if call.program() == "ipython" {
            consoles::notebook(code, call, walk, scope);
        }
        foreign_code(language, code, call, walk, scope);
    }
    if found {
        return;
    }
    let is_url = |arg: &&Arg| arg.text().starts_with("http://") || arg.text().starts_with("https://");
    let takes_urls = matches!(call.program(), "deno" | "bun");
    if options.operands.iter().take(if takes_urls { usize::MAX } else { 1 }).any(is_url) {
        walk.case.hold(&DOWNLOADED, call.shown());
        return;
    }
    let content = match options.operands.first() {
        None => call.stdin.clone(),
        Some(file) if matches!(file.text(), "-" | "/dev/stdin" | "/dev/fd/0") => call.stdin.clone(),
        Some(file) => scope.content(file),
    };
    match &content {
        Stream::Text(text) => foreign_code(language, text, call, walk, scope),
        other => judge_stream(other, call, walk),
    }
}

/// `node -pe CODE` is `node -p -e CODE`, although `-p` alone takes the code as well.
fn unclustered(args: &[Arg], language: Language) -> Cow<'_, [Arg]> {
    let is_cluster = |arg: &Arg| language == Language::JavaScript && arg.is("-pe");
    if !args.iter().any(is_cluster) {
        return Cow::Borrowed(args);
    }
    Cow::Owned(args.iter().map(|arg| if is_cluster(arg) { Arg::from("-e") } else { arg.clone() }).collect())
}

/// `python -m timeit -s SETUP CODE`; `args` begin with the options of the module.
fn timed(args: &[Arg], call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let taking = Taking { short: "nrsu", long: &["number", "repeat", "setup", "unit"] };
    let options = Options::read(args, &taking, Order::First);
    let setups = options.given.iter().filter(|given| given.means('s', "setup"));
    let code: Vec<&str> =
        setups.filter_map(|given| given.value).chain(options.operands.iter().map(|arg| arg.text())).collect();
    foreign_code(Language::Python, &code.join("\n"), call, walk, scope);
}

/// `pwsh -Command …`, `-EncodedCommand …`: names in any case, and abbreviated.
fn powershell(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let args = call.args();
    for (at, arg) in args.iter().enumerate() {
        let name = arg.text().to_ascii_lowercase();
        let Some(name) = name.strip_prefix('-').filter(|name| !name.is_empty()) else { continue };
        if "command".starts_with(name) {
            let code: Vec<&str> = args[at + 1..].iter().map(Arg::text).collect();
            foreign_code(Language::PowerShell, &code.join(" "), call, walk, scope);
            return;
        }
        if name.len() > 1 && "encodedcommand".starts_with(name) {
            walk.case.hold(&DECODED, call.shown());
            return;
        }
    }
    if let Stream::Text(text) = &call.stdin {
        foreign_code(Language::PowerShell, text, call, walk, scope);
    }
    judge_stream(&call.stdin, call, walk);
}

/// Looks at what code in another language does.
pub(crate) fn foreign_code(
    language: Language,
    text: &str,
    call: &Invocation,
    walk: &mut Walk<'_, '_>,
    scope: &mut Scope,
) {
    let deeds = code::deeds(language, text, &mut |amount| walk.spend(amount));
    for deed in deeds {
        match deed {
            Deed::Script(script) => {
                walk.text(&script, &mut scope.clone(), &call.stdin);
            }
            Deed::Argv(argv) => {
                let inner = Invocation {
                    argv,
                    stdin: Stream::Inherited,
                    redirects: Vec::new(),
                    open_ended: false,
                    ..call.clone()
                };
                walk.nested(inner, scope);
            }
            Deed::Read(path) => connected(Use::Read, path, call, walk),
            Deed::Write(path) => connected(Use::Write, path, call, walk),
            Deed::Delete { path, recursive } => {
                let flag = if recursive { "-rf" } else { "-f" };
                let path =
                    if path.text().starts_with('-') { Arg::new(format!("./{}", path.text())) } else { path };
                deed_as(vec![Arg::from("rm"), Arg::from(flag), path], call, walk, scope);
            }
            Deed::Rights { path, mode } => {
                if let Some(mode) = mode {
                    deed_as(vec![Arg::from("chmod"), Arg::new(format!("{mode:o}")), path], call, walk, scope);
                }
            }
            // What is run is read: then it matters from where, and of most inputs nothing is known.
            Deed::Unresolved(code::INPUT) => judge_stream(&call.stdin, call, walk),
            Deed::Unresolved(code::DOWNLOADED) => walk.case.hold(&DOWNLOADED, call.shown()),
            Deed::Unresolved(_) => walk.case.hold(&DECODED, call.shown()),
        }
    }
}

/// Judges a deed in another language as the command that does the same.
fn deed_as(argv: Vec<Arg>, call: &Invocation, walk: &mut Walk<'_, '_>, scope: &mut Scope) {
    let inner = Invocation {
        argv,
        redirects: Vec::new(),
        stdin: Stream::Inherited,
        open_ended: false,
        ..call.clone()
    };
    walk.nested(inner, scope);
}

/// Judges a file that code opens, like a redirection.
fn connected(how: Use, path: Arg, call: &Invocation, walk: &mut Walk<'_, '_>) {
    let tilde = path.text().starts_with("~/").then_some(walk.case.world.home).flatten();
    let path = match tilde {
        Some(home) => Arg::new(format!("{home}{}", &path.text()[1..])),
        None => path,
    };
    let only_file = Invocation {
        argv: Vec::new(),
        redirects: vec![(how, path)],
        stdin: Stream::Inherited,
        ..call.clone()
    };
    walk.case.judge(&only_file);
}
