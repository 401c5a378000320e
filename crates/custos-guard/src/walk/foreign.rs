//! Code in languages that nobody here reads.
//!
//! Their grammars are not followed. A text in quotes is tried as the command that it would be, a row of them behind a program's name as its
//! arguments, and each of them as a path where the code has a word that deletes. Only what would be denied counts, so that text stays text.

use crate::invocation::{Arg, Invocation, Stream};
use crate::walk::Walk;
use crate::walk::scope::Scope;
use crate::walk::suspicion::{SHARP, UNKNOWN_WRAPPER, script_would_be_denied};

/// The interpreters, sorted by name.
static INTERPRETERS: &[&str] = &[
    "R",
    "Rscript",
    "amm",
    "bb",
    "clj",
    "clojure",
    "crystal",
    "csi",
    "dotnet",
    "elixir",
    "emacs",
    "erl",
    "expect",
    "ghc",
    "ghci",
    "gnuplot",
    "gosh",
    "groovy",
    "guile",
    "iex",
    "jshell",
    "julia",
    "kotlin",
    "kotlinc",
    "matlab",
    "mix",
    "nim",
    "ocaml",
    "octave",
    "racket",
    "raku",
    "runghc",
    "sbcl",
    "scala",
    "scala-cli",
    "swift",
    "swipl",
    "tcc",
    "tclsh",
    "wish",
];

/// Words that delete, in one language or another.
static DELETING: &[&str] = &[
    "RemoveAll",
    "deleteDir",
    "deleteRecursively",
    "del_dir_r",
    "delete-directory",
    "delete-tree",
    "removeDir",
    "removeItem",
    "remove_all",
    "rm(",
    "rm_rf",
    "rmdir(",
    "unlink(",
];

/// The longest code that is looked at, and the most texts of it.
const LONGEST: usize = 4096;
const MOST: usize = 64;

/// Looks at the code that an interpreter is given among its words or on its input.
pub(super) fn judge(call: &Invocation, walk: &mut Walk<'_, '_>, scope: &Scope) {
    if INTERPRETERS.binary_search(&call.program()).is_err() {
        return;
    }
    let mut codes: Vec<&str> =
        call.args().iter().map(Arg::text).filter(|text| text.contains(['"', '\'', '('])).collect();
    if let Stream::Text(text) = &call.stdin {
        codes.push(text);
    }
    for code in codes.into_iter().filter(|code| code.len() < LONGEST) {
        if commands(code).iter().any(|command| script_would_be_denied(command, walk, scope)) {
            walk.case.hold(&UNKNOWN_WRAPPER, call.shown());
            return;
        }
    }
}

/// The commands that a code may run.
fn commands(code: &str) -> Vec<String> {
    let texts = texts(code);
    let mut commands: Vec<String> =
        texts.iter().map(|(text, _)| *text).filter(|text| text.contains(' ')).map(str::to_owned).collect();
    // `System.cmd("rm", ["-rf", "/"])`: a program, and behind it its arguments.
    for (at, (program, _)) in texts.iter().enumerate() {
        if SHARP.contains(&program.rsplit('/').next().unwrap_or_default()) {
            let args = texts[at + 1..].iter().take_while(|(_, goes_on)| *goes_on).map(|(text, _)| *text);
            commands.push(std::iter::once(*program).chain(args).collect::<Vec<_>>().join(" "));
        }
    }
    // `exec rm -rf /`, `file delete -force /`: a language in which commands are plain words.
    for line in code.lines().map(str::trim_start) {
        if let Some(command) = line.strip_prefix("exec ") {
            commands.push(command.to_owned());
        } else if let Some(paths) = line.strip_prefix("file delete ") {
            commands.push(format!("rm -rf {}", paths.trim_start_matches("-force ")));
        }
    }
    if DELETING.iter().any(|word| code.contains(word)) {
        commands.extend(texts.iter().map(|(path, _)| format!("rm -rf {path}")));
    }
    commands
}

/// The texts in quotes, each with whether it stands in the same call as the one before it.
fn texts(code: &str) -> Vec<(&str, bool)> {
    let mut texts = Vec::new();
    let mut rest = code;
    while let Some(open) = rest.find(['"', '\'', '`']).filter(|_| texts.len() < MOST) {
        let (between, quoted) = rest.split_at(open);
        let (quote, inner) = quoted.split_at(1);
        // A quote that nothing closes is a letter, or Lisp's.
        let Some((text, after)) = inner.split_once(quote) else {
            rest = inner;
            continue;
        };
        texts.push((text, !between.contains([')', ';', '\n'])));
        rest = after;
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(INTERPRETERS.is_sorted());
    }

    #[test]
    fn arguments_end_with_the_call() {
        let code = "System.cmd(\"rm\", [\"-rf\", \"build\"]); File.read(\"/\")";
        assert_eq!(commands(code), ["rm -rf build"]);
    }
}
