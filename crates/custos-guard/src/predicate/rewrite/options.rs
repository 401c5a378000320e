//! Rewritings that move options.
//!
//! Whether an option takes the next word as its value cannot be seen, so only those move that are known to take none.

use super::line::Line;

type Rewrite = fn(&Line<'_>) -> Option<String>;

/// The rewritings by their names; each gives nothing where it would not keep the meaning.
pub(super) static REWRITINGS: &[(&str, Rewrite)] = &[
    ("options last", |l| {
        let (switches, others) = sorted(l)?;
        (!others.is_empty()).then(|| l.with_args(others.into_iter().chain(switches)))
    }),
    ("options in another order", |l| {
        let mut switches = sorted(l)?.0.into_iter().rev();
        let args = l
            .args
            .iter()
            .map(|arg| if is_switch(l.program, arg) { switches.next().unwrap_or(arg) } else { arg });
        let args: Vec<&str> = args.collect();
        (args != l.args).then(|| l.with_args(args))
    }),
    ("letters in another order", |l| {
        clusters(l, |letters| format!("-{}", letters.chars().rev().collect::<String>()))
    }),
    ("letters apart", |l| {
        clusters(l, |letters| {
            letters.chars().map(|letter| format!("-{letter}")).collect::<Vec<_>>().join(" ")
        })
    }),
    ("long options", |l| {
        let long = l.args.iter().map(|arg| long(l.program, arg).unwrap_or_else(|| (*arg).to_owned()));
        let long: Vec<String> = long.collect();
        let is_other = long.iter().ne(&l.args);
        (is_other && sorted(l).is_some()).then(|| l.with_args(long.iter().map(String::as_str)))
    }),
    ("git -C", |l| git(l, "-C .")),
    ("git --no-pager", |l| git(l, "--no-pager")),
    ("git -c", |l| git(l, "-c color.ui=never")),
    ("git with several options", |l| git(l, "--no-pager -C . -c color.ui=never --no-optional-locks")),
];

/// Options without a value, by program: letters, then words.
static SWITCHES: &[(&str, &str, &[&str])] = &[
    ("chmod", "Rcfv", &["recursive", "verbose", "quiet"]),
    ("chown", "Rcfv", &["recursive", "verbose", "quiet"]),
    (
        "git",
        "fdq",
        &["force", "hard", "mirror", "all", "tags", "delete", "no-verify", "quiet", "prune", "cached"],
    ),
    ("npm", "g", &["force", "dry-run", "global"]),
    ("rm", "rRfdIv", &["recursive", "force", "dir", "verbose", "no-preserve-root"]),
];

/// Letters and the words for them.
static LONG: &[(&str, &str, &str)] = &[
    ("chmod", "R", "recursive"),
    ("chown", "R", "recursive"),
    ("git", "f", "force"),
    ("git", "q", "quiet"),
    ("rm", "r", "recursive"),
    ("rm", "R", "recursive"),
    ("rm", "f", "force"),
    ("rm", "v", "verbose"),
];

fn letters(arg: &str) -> Option<&str> {
    arg.strip_prefix('-')
        .filter(|letters| !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

fn is_switch(program: &str, arg: &str) -> bool {
    SWITCHES.iter().any(|(name, short, long)| {
        *name == program
            && match arg.strip_prefix("--") {
                Some(word) => long.contains(&word),
                None => {
                    letters(arg).is_some_and(|letters| letters.chars().all(|letter| short.contains(letter)))
                }
            }
    })
}

/// The options without a value, and the other arguments; nothing if there are none that may move.
fn sorted<'t>(line: &Line<'t>) -> Option<(Vec<&'t str>, Vec<&'t str>)> {
    // After `--` there are no options, and git's own come before its command.
    let is_movable =
        !line.args.contains(&"--") && (line.program != "git" || !line.args.first()?.starts_with('-'));
    // An option that is not known may take the next word, whatever it is.
    let is_known = line.args.iter().all(|arg| !arg.starts_with('-') || is_switch(line.program, arg));
    let (switches, others): (Vec<_>, Vec<_>) =
        line.args.iter().copied().partition(|arg| is_switch(line.program, arg));
    (is_movable && is_known && !switches.is_empty()).then_some((switches, others))
}

fn clusters(line: &Line<'_>, rewrite: fn(&str) -> String) -> Option<String> {
    sorted(line)?;
    let args: Vec<String> = line
        .args
        .iter()
        .map(|arg| match letters(arg).filter(|letters| letters.len() > 1 && is_switch(line.program, arg)) {
            Some(letters) => rewrite(letters),
            None => (*arg).to_owned(),
        })
        .collect();
    args.iter().ne(&line.args).then(|| line.with_args(args.iter().map(String::as_str)))
}

fn long(program: &str, arg: &str) -> Option<String> {
    let word = |letter: char| {
        LONG.iter()
            .find(|(name, short, _)| *name == program && short.starts_with(letter))
            .map(|(.., word)| format!("--{word}"))
    };
    letters(arg)?.chars().map(word).collect::<Option<Vec<_>>>().map(|words| words.join(" "))
}

fn git(line: &Line<'_>, options: &str) -> Option<String> {
    (line.program == "git").then(|| line.called(&format!("git {options}")))
}
