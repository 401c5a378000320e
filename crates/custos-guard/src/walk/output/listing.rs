//! Programs that print names: of files, of programs, of processes, of the place where we are, of a branch.
//!
//! Nothing is looked up that may have changed when the command runs: a listing is the pattern that stands for it, and the number of a
//! process is what nobody knows, with what the process is called behind it.

use super::decoding;
use crate::invocation::{Arg, Invocation, Stream, UNKNOWN};
use crate::options::{Options, Order, Taking};
use crate::walk::Walk;
use crate::walk::scope::Scope;
use crate::words::raw::{self, QUESTION, STAR};

/// `ls`: the names in a directory, as the pattern that stands for them.
pub(super) fn listed(args: &[Arg]) -> Stream {
    let operands: Vec<&Arg> = args.iter().filter(|arg| !arg.text().starts_with('-')).collect();
    let itself = args
        .iter()
        .any(|arg| arg.text().starts_with('-') && !arg.text().starts_with("--") && arg.text().contains('d'));
    if operands.is_empty() {
        return Stream::Text(format!("{STAR}\n"));
    }
    let name = |arg: &&Arg| {
        let own = raw::of(arg);
        if arg.is_glob() || itself || own.contains("/bin/") {
            own + "\n"
        } else {
            format!("{}/{STAR}\n", own.trim_end_matches('/'))
        }
    };
    Stream::Text(operands.iter().map(name).collect())
}

/// `find`: the names below its roots, as the pattern that stands for them; not known where a test picks some.
pub(super) fn found(args: &[Arg]) -> Stream {
    if args.iter().any(|arg| arg.text().starts_with("-exec") || arg.text().starts_with("-printf")) {
        return Stream::Output;
    }
    let roots: Vec<String> =
        args.iter().take_while(|arg| !arg.text().starts_with(['-', '(', '!'])).map(raw::of).collect();
    let roots = if roots.is_empty() { vec![".".to_owned()] } else { roots };
    let names = names_sought(args);
    Stream::Text(
        roots
            .iter()
            .flat_map(|root| names.iter().map(move |name| format!("{}/{name}\n", root.trim_end_matches('/'))))
            .collect(),
    )
}

/// The patterns of the names that a `find` looks for, with marks for their wildcards; one that stands for anything if it looks at nothing
/// but the kind.
pub(crate) fn names_sought(args: &[Arg]) -> Vec<String> {
    let mut names = Vec::new();
    let mut picks = false;
    for (at, arg) in args.iter().enumerate() {
        match arg.text() {
            "-name" | "-iname" => {
                let pattern = args.get(at + 1).map(Arg::text).unwrap_or_default();
                names.push(pattern.replace('*', &STAR.to_string()).replace('?', &QUESTION.to_string()));
            }
            "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" | "-mtime" | "-mmin" | "-size"
            | "-empty" | "-newer" | "-atime" | "-ctime" | "-user" | "-perm" | "-not" | "!" | "-prune"
            | "-mindepth" => picks = true,
            _ => {}
        }
    }
    match (names.is_empty(), picks) {
        (false, false) => names,
        // Something is sought that nobody can name; below a root, it is not the root.
        (_, true) => vec![UNKNOWN.to_string()],
        (true, false) => vec![STAR.to_string()],
    }
}

/// A directory that `mktemp` makes: somewhere below the temporary directory, or where its template says.
pub(super) fn temporary(args: &[Arg]) -> String {
    let template = args.iter().find(|arg| arg.text().contains("XXX") && !arg.text().starts_with('-'));
    let own_place =
        args.iter().any(|arg| arg.text().starts_with("-p") || arg.text().starts_with("--tmpdir="));
    match template {
        Some(template) if template.text().contains('/') => template.text().replace('X', &UNKNOWN.to_string()),
        _ if own_place => UNKNOWN.to_string(),
        _ => format!("/tmp/{UNKNOWN}"),
    }
}

/// `which rm`, `command -v rm`.
pub(super) fn named(args: &[Arg]) -> Stream {
    let names = args.iter().filter(|arg| !arg.text().starts_with('-'));
    let paths: Option<Vec<String>> = names
        .map(|arg| {
            let name = arg.known()?;
            Some(if name.contains('/') { name.to_owned() } else { format!("/usr/bin/{name}") })
        })
        .collect();
    match paths.filter(|paths| !paths.is_empty()) {
        Some(paths) => Stream::Text(paths.join("\n")),
        None => Stream::Output,
    }
}

/// `pgrep name`, `pidof name`: numbers, or a table if it shows more than those.
pub(super) fn processes(call: &Invocation) -> Stream {
    let is_pgrep = call.program() == "pgrep";
    let taking = Taking {
        short: if is_pgrep { "dFgGPrstuU" } else { "oS" },
        long: &["euid", "uid", "parent", "signal", "delimiter"],
    };
    let options = Options::read(call.args(), &taking, Order::Anywhere);
    let names: Vec<&str> = options.operands.iter().map(|name| name.text()).collect();
    let table = Stream::Processes(without_brackets(&names.join(" ")));
    let shows_more = is_pgrep && (options.has('l', "list-name") || options.has('a', "list-full"));
    if shows_more { table } else { numbers(&table) }
}

/// `ps`: its table; numbers, if it picks processes by their names and shows nothing else.
pub(super) fn process_table(args: &[Arg]) -> Stream {
    let options = Options::read(args, &Taking { short: "CGUgkopqstu", long: &["format"] }, Order::Anywhere);
    let table = Stream::Processes(options.value('C', "").unwrap_or_default().to_owned());
    let shows_numbers = options.value('o', "format").is_some_and(|format| matches!(format, "pid" | "pid="));
    if shows_numbers { numbers(&table) } else { table }
}

/// The numbers of the processes in a table.
pub(super) fn numbers(table: &Stream) -> Stream {
    Stream::Text(raw::of_stream(table) + "\n")
}

/// `[n]ode` is what people search for who do not want to find themselves searching.
fn without_brackets(pattern: &str) -> String {
    pattern.replace(['[', ']'], "")
}

/// How much is kept of what a table of processes was searched for; nobody names them at more length.
const LONGEST_SEARCH: usize = 256;

/// A table of processes through a filter: searched for one more word, or reduced to a column.
pub(super) fn narrowed(sought: &str, call: &Invocation) -> Stream {
    let program = call.args().iter().find(|arg| !arg.text().starts_with('-')).map_or("", Arg::text);
    let same = || Stream::Processes(sought.to_owned());
    let also = |word: &str| {
        if sought.len() + word.len() > LONGEST_SEARCH {
            same()
        } else {
            Stream::Processes(format!("{sought} {}", without_brackets(word)))
        }
    };
    match call.program() {
        "grep" if !decoding::leaves_out(call) => also(program),
        "awk" => match program.strip_prefix('/').and_then(|rest| rest.split_once('/')) {
            Some((word, _)) => numbers(&also(word)),
            None => numbers(&same()),
        },
        "cut" => numbers(&same()),
        _ => same(),
    }
}

pub(super) fn first_operand(args: &[Arg], change: impl FnOnce(&str) -> String) -> Stream {
    match args.iter().find(|arg| !arg.text().starts_with('-')) {
        Some(arg) if !arg.is_glob() => Stream::Text(change(&raw::of(arg))),
        _ => Stream::Output,
    }
}

/// The few questions to git whose answer is known.
pub(super) fn git(call: &Invocation, walk: &Walk<'_, '_>, scope: &Scope) -> Stream {
    let words: Vec<&str> = call.args().iter().map(Arg::text).collect();
    let mut words = words.as_slice();
    // Options before the subcommand that do not change the answer.
    while let ["--no-pager" | "-P", rest @ ..] | ["-c", _, rest @ ..] = words {
        words = rest;
    }
    let Some(cwd) = scope.cwd.as_deref() else { return Stream::Output };
    let asks_branch = matches!(
        words,
        ["branch", "--show-current"]
            | ["rev-parse", "--abbrev-ref", "HEAD"]
            | ["symbolic-ref", "--short", ..]
            | ["symbolic-ref", "-q", "--short", "HEAD"]
    );
    if asks_branch {
        let branch = scope.earlier.branch(cwd, &walk.case.world);
        return branch.map_or(Stream::Output, Stream::Text);
    }
    match words {
        ["rev-parse", "--show-toplevel"] => {
            let root = walk.case.world.files.repo(cwd).unwrap_or_else(|| walk.case.world.root.to_owned());
            Stream::Text(root)
        }
        ["ls-files" | "ls-tree" | "diff", ..] if lists_everything(words) => Stream::Text(format!("{STAR}\n")),
        _ => Stream::Output,
    }
}

/// Says whether git names every file of one kind: all that are tracked, that were changed, or that are not tracked. Named directories and
/// patterns pick some, and so do kinds that are few: what is deleted, in conflict, or tracked although it is ignored.
fn lists_everything(words: &[&str]) -> bool {
    let (options, operands): (Vec<&str>, Vec<&str>) =
        words[1..].iter().copied().filter(|word| *word != "--").partition(|word| word.starts_with('-'));
    let is_everything = |path: &&str| matches!(*path, "." | "./" | ":/" | "*");
    match words[0] {
        "ls-files" => {
            let has = |letter: char, name: &str| {
                options.iter().any(|option| {
                    *option == name || !option.starts_with("--") && option[1..].contains(letter)
                })
            };
            let picks =
                [('d', "--deleted"), ('k', "--killed"), ('u', "--unmerged"), ('s', "--stage"), ('t', "")];
            let is_ignored = has('i', "--ignored") && !has('o', "--others");
            operands.iter().all(is_everything)
                && !is_ignored
                && !picks.iter().any(|(letter, name)| has(*letter, name))
                && !options.iter().any(|option| option.starts_with("--format") || *option == "--eol")
        }
        "ls-tree" => options.contains(&"--name-only") && options.contains(&"-r") && operands.len() == 1,
        _ => {
            options.contains(&"--name-only")
                && !options.iter().any(|option| option.starts_with("--diff-filter"))
                && operands.iter().all(|path| *path == "HEAD" || is_everything(path))
        }
    }
}
