//! Rewritings of a single plain command: other spellings of its words, and wrappers in front.

use super::line::{Line, is_plain};
use super::quoting::{double, numbered, single};

type Rewrite = fn(&Line<'_>) -> Option<String>;

/// The rewritings by their names; each gives nothing where it would not keep the meaning.
pub(super) static REWRITINGS: &[(&str, Rewrite)] = &[
    // Spelling.
    ("double spaces", |l| Some(spaced(l, "  "))),
    ("tabs", |l| Some(spaced(l, "\t"))),
    ("lines that go on", |l| Some(spaced(l, " \\\n  "))),
    ("program in double quotes", |l| Some(l.called(&format!("\"{}\"", l.program)))),
    ("program in single quotes", |l| Some(l.called(&single(l.program)))),
    ("program after a backslash", |l| Some(l.called(&format!("\\{}", l.program)))),
    ("backslash in the program", |l| halved(l, "\\")),
    ("empty quotes in the program", |l| halved(l, "''")),
    ("half of the program in quotes", |l| {
        let (first, second) = halves(l.program)?;
        Some(l.called(&format!("{first}\"{second}\"")))
    }),
    ("program in numbers", |l| Some(l.called(&numbered(l.program)))),
    ("line that goes on in the program", |l| halved(l, "\\\n")),
    ("arguments in single quotes", |l| Some(quoted(l, '\''))),
    ("arguments in double quotes", |l| Some(quoted(l, '"'))),
    ("arguments in numbers", |l| {
        let spelled: Vec<String> =
            l.args.iter().map(|arg| if is_plain(arg) { numbered(arg) } else { (*arg).to_owned() }).collect();
        Some(l.with_args(spelled.iter().map(String::as_str)))
    }),
    ("braces", |l| {
        let is_safe = l.is_all_plain() && !l.args.is_empty();
        is_safe.then(|| format!("{}{{{},{}}}", l.front(), l.program, l.args.join(",")))
    }),
    ("words split at $IFS", |l| {
        l.is_all_plain().then(|| {
            let args: String = l.args.iter().flat_map(|arg| ["${IFS}", *arg]).collect();
            format!("{}{}{args}", l.front(), l.program)
        })
    }),
    // Names that are made up on the way.
    ("program in a variable", |l| Some(format!("run={}; {}", l.program, l.called("$run")))),
    ("program in a quoted variable", |l| Some(format!("run='{}'\n{}", l.program, l.called("\"${run}\"")))),
    ("program in two variables", |l| {
        let (first, second) = halves(l.program)?;
        Some(format!("a={first} b={second}; {}", l.called("$a$b")))
    }),
    ("program as a default", |l| Some(l.called(&format!("${{nothing:-{}}}", l.program)))),
    ("program from echo", |l| Some(l.called(&format!("$(echo {})", l.program)))),
    ("program from printf", |l| Some(l.called(&format!("`printf %s {}`", l.program)))),
    ("alias", |l| {
        Some(format!("shopt -s expand_aliases\nalias run_it={}\n{}", single(l.program), l.called("run_it")))
    }),
    ("function with its arguments", |l| {
        Some(format!("run_it() {{ {} \"$@\"; }}; {}", l.program, l.called("run_it")))
    }),
    ("array", |l| Some(format!("words=({}{}); {}\"${{words[@]}}\"", l.program, l.rest(), l.front()))),
    ("positional parameters", |l| {
        let is_safe = !l.args.is_empty();
        is_safe.then(|| format!("set --{}; {}{} \"$@\"", l.rest(), l.front(), l.program))
    }),
    ("last argument in a variable", |l| {
        let (before, last) = last_plain(l)?;
        Some(format!("value={last}; {}", l.with_args(before.iter().copied().chain(["\"$value\""]))))
    }),
    ("last argument in a loop", |l| {
        let (before, last) = last_plain(l)?;
        Some(format!(
            "for value in {last}; do {}; done",
            l.with_args(before.iter().copied().chain(["$value"]))
        ))
    }),
    ("last argument from echo", |l| {
        let (before, last) = last_plain(l).filter(|(_, last)| !last.starts_with('-'))?;
        Some(l.with_args(before.iter().copied().chain([format!("\"$(echo {last})\"").as_str()])))
    }),
    // Programs that start programs.
    ("path of the program", |l| by_path(l, "/usr/bin/")),
    ("other path of the program", |l| by_path(l, "/bin/")),
    ("sudo", |l| wrapped(l, "sudo")),
    ("sudo with options", |l| wrapped(l, "sudo -n -u root")),
    ("doas", |l| wrapped(l, "doas")),
    ("env", |l| wrapped(l, "env")),
    ("env by its path", |l| wrapped(l, "/usr/bin/env")),
    ("env with a variable", |l| wrapped(l, "env -u NOTHING COLOUR=never")),
    ("env -S", |l| {
        let is_safe = l.is_external() && l.is_all_plain();
        is_safe.then(|| format!("{}env -S '{}{}'", l.front(), l.program, l.rest()))
    }),
    ("variable in front", |l| Some(format!("COLOUR=never {}", l.called(l.program)))),
    ("command", |l| Some(l.called(&format!("command {}", l.program)))),
    ("command --", |l| Some(l.called(&format!("command -- {}", l.program)))),
    ("exec", |l| l.is_external().then(|| format!("( {} )", l.called(&format!("exec {}", l.program))))),
    ("nice", |l| wrapped(l, "nice")),
    ("nice with a value", |l| wrapped(l, "nice -n 5")),
    ("timeout", |l| wrapped(l, "timeout 5")),
    ("timeout with options", |l| wrapped(l, "timeout -k 1 --signal=TERM 5s")),
    ("nohup", |l| wrapped(l, "nohup")),
    ("setsid", |l| wrapped(l, "setsid -w")),
    ("stdbuf", |l| wrapped(l, "stdbuf -oL -e 0")),
    ("ionice", |l| wrapped(l, "ionice -c 3")),
    ("several wrappers", |l| wrapped(l, "sudo env COLOUR=never nice -n 5 timeout 5")),
    ("sh -c", |l| {
        // Braces are bash's own.
        let is_portable = l.is_external() && l.args.iter().all(|arg| !arg.contains('{'));
        is_portable.then(|| format!("sh -c {}", double(&l.called(l.program))))
    }),
    ("xargs", |l| {
        let first = l.args.first()?;
        let is_echo_option =
            first.strip_prefix('-').is_some_and(|letters| letters.bytes().all(|b| b"neE".contains(&b)));
        let is_safe = l.is_external() && l.is_all_plain() && !is_echo_option;
        is_safe.then(|| format!("echo{} | {}xargs {}", l.rest(), l.front(), l.program))
    }),
    ("xargs with the last argument", |l| {
        let (before, last) = last_plain(l).filter(|_| l.is_external())?;
        let before: String = before.iter().flat_map(|arg| [" ", *arg]).collect();
        Some(format!("printf '%s\\n' {last} | {}xargs -n 1 {}{before}", l.front(), l.program))
    }),
    ("xargs -I", |l| {
        let (before, last) = last_plain(l).filter(|_| l.is_external())?;
        let before: String = before.iter().flat_map(|arg| [" ", *arg]).collect();
        Some(format!("printf '%s\\n' {last} | {}xargs -I % {}{before} %", l.front(), l.program))
            .filter(|_| l.args.iter().all(|arg| !arg.contains('%')))
    }),
    ("find -exec", |l| {
        let is_safe = l.is_external() && l.args.iter().all(|arg| !arg.contains("{}") && !is_terminator(arg));
        is_safe.then(|| format!("{}find . -maxdepth 0 -exec {}{} \\;", l.front(), l.program, l.rest()))
    }),
];

/// Puts a wrapper in front of a program that it can start.
fn wrapped(line: &Line<'_>, wrapper: &str) -> Option<String> {
    line.is_external().then(|| line.called(&format!("{wrapper} {}", line.program)))
}

/// Names the program by its path.
fn by_path(line: &Line<'_>, directory: &str) -> Option<String> {
    let is_name = line.is_external() && !line.program.contains('/');
    is_name.then(|| line.called(&format!("{directory}{}", line.program)))
}

fn spaced(line: &Line<'_>, between: &str) -> String {
    let words = line.assignments.iter().chain([&line.program]).chain(&line.args);
    words.copied().collect::<Vec<_>>().join(between)
}

fn quoted(line: &Line<'_>, mark: char) -> String {
    let args: Vec<String> = line
        .args
        .iter()
        .map(|arg| if is_plain(arg) { format!("{mark}{arg}{mark}") } else { (*arg).to_owned() })
        .collect();
    line.with_args(args.iter().map(String::as_str))
}

/// The program's name in two pieces; plain names are ASCII, so any place will do.
fn halves(program: &str) -> Option<(&str, &str)> {
    (program.len() > 1).then(|| program.split_at(1))
}

fn halved(line: &Line<'_>, between: &str) -> Option<String> {
    let (first, second) = halves(line.program)?;
    Some(line.called(&format!("{first}{between}{second}")))
}

/// The last argument, if it can be said in any place, and those before it.
fn last_plain<'a, 't>(line: &'a Line<'t>) -> Option<(&'a [&'t str], &'t str)> {
    let (last, before) = line.args.split_last()?;
    is_plain(last).then_some((before, *last))
}

fn is_terminator(arg: &str) -> bool {
    matches!(arg, "\\;" | "';'" | "\";\"" | "+")
}
