//! The parser against the real bash, and against texts that nobody would write.
//!
//! Bash is never asked to run a script: `-n` only reads, and `--pretty-print` only prints what it has read. For quotes alone it runs
//! `printf`, with words in which nothing is expanded.

mod printed;

use std::io::Write;
use std::process::{self, Output, Stdio};

use custos_guard::shell::syntax::{Command, FlawKind, Kind, Part, Script, Word};
use custos_guard::shell::{fuzz_parse, parse};
use proptest::prelude::*;

/// Scripts that bash takes, and some that it does not.
const SCRIPTS: &str = include_str!("../../data/scripts.txt");

fn scripts() -> impl Iterator<Item = &'static str> {
    SCRIPTS.trim_end_matches('\n').split("\n%%\n")
}

/// Gives a text to bash, with these options; `None` if there is no bash here.
fn bash(option: &str, text: &str) -> Option<Output> {
    let mut child = process::Command::new("bash")
        .args(["--norc", "--noprofile", option])
        .env_clear()
        .env("PATH", "/nonexistent")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    stdin.write_all(text.as_bytes()).ok()?;
    stdin.write_all(b"\n").ok()?;
    drop(stdin);
    child.wait_with_output().ok()
}

/// Says whether bash takes a text without a word of complaint.
fn bash_accepts(text: &str) -> Option<bool> {
    bash("-n", text).map(|output| output.status.success() && output.stderr.is_empty())
}

fn is_sound(text: &str) -> bool {
    !parse(text).flaws.iter().any(|flaw| matches!(flaw.kind, FlawKind::Unclosed | FlawKind::Unexpected))
}

#[test]
fn what_bash_takes_has_no_flaws_and_what_it_refuses_has() {
    if bash_accepts(":").is_none() {
        return;
    }
    let differing: Vec<_> = scripts().filter(|text| bash_accepts(text) != Some(is_sound(text))).collect();
    assert_eq!(differing, [] as [&str; 0]);
    assert!(scripts().count() >= 250);
}

/// What this parser takes and bash does not: a reserved word that begins nothing, and patterns that bash takes after `shopt -s extglob`.
const TAKEN: &[&str] =
    &["in", "]]", "case in in in) in;; esac", "for x { b; }", "time &", "a !(b)", "@(a)", "a @(b)"];

/// What this parser refuses and bash does not, yet: it looks between backticks when it comes to run them.
const REFUSED: &[&str] = &["echo `a 'b`", "a `b \"c` d"];

#[test]
fn the_differences_from_bash_are_known() {
    if bash_accepts(":").is_none() {
        return;
    }
    let seen = |texts: &[&str]| -> Vec<(Option<bool>, bool)> {
        texts.iter().map(|text| (bash_accepts(text), is_sound(text))).collect()
    };
    assert_eq!(seen(TAKEN), vec![(Some(false), true); TAKEN.len()]);
    assert_eq!(seen(REFUSED), vec![(Some(true), false); REFUSED.len()]);
}

#[test]
fn a_tree_that_is_printed_is_the_same_script_to_bash() {
    if bash_accepts(":").is_none() {
        return;
    }
    let mut compared = 0;
    for text in scripts().filter(|text| is_sound(text) && printed::is_faithful(text)) {
        let printed = printed::script(&parse(text).script);
        let [original, again] = [text, printed.as_str()].map(|text| {
            let output = bash("--pretty-print", text).expect("it was there a moment ago");
            printed::normal(&String::from_utf8_lossy(&output.stdout))
        });
        assert_eq!(original, again, "{text:?} was printed as {printed:?}");
        compared += 1;
    }
    assert!(compared >= 250, "only {compared} were compared");
}

#[test]
fn a_tree_that_is_printed_is_parsed_to_the_same_tree() {
    for text in scripts().filter(|text| is_sound(text) && !printed::has_heredoc(text)) {
        let tree = parse(text).script;
        let printed = printed::script(&tree);
        let again = parse(&printed);
        assert_eq!(again.flaws, [], "{text:?} was printed as {printed:?}");
        assert_eq!(printed::script(&again.script), printed, "from {text:?}");
    }
}

/// Pieces of words in which nothing is expanded.
fn literal_piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "é",
        "=",
        "#",
        "\\a",
        "\\$",
        "\\ ",
        "\\'",
        "\\\"",
        "\\\\",
        "\\\n",
        " ",
        "  ",
        "'b c'",
        "''",
        "'\\'",
        "'\"'",
        "\"\"",
        "\"d e\"",
        "\"\\\"\"",
        "\"\\a\\$\\\\\\`\"",
        "\"'\"",
        "\"\\\n\"",
        "\"\n\"",
        "$'f g'",
        "$'\\n\\t\\r\\a\\b\\e\\E\\f\\v'",
        "$'\\x41'",
        "$'\\x4g'",
        "$'\\xg'",
        "$'\\x{41}'",
        "$'\\101'",
        "$'\\1012'",
        "$'\\18'",
        "$'\\u41'",
        "$'\\u0041b'",
        "$'\\U00000041'",
        "$'\\ug'",
        "$'\\cA'",
        "$'\\c?'",
        "$'\\\\'",
        "$'\\''",
        "$'\\\"'",
        "$'\\?'",
        "$'\\q'",
        "$'h\\0i'",
        "$'\\\n'",
        "$\"j k\"",
        "$",
    ])
}

/// The words of the one command in a text.
fn literal_words(text: &str) -> Vec<String> {
    let parsed = parse(text);
    let [Command { kind: Kind::Simple(simple), .. }] = parsed.script.commands.as_slice() else {
        panic!("{text:?} is no simple command");
    };
    let literal = |word: &Word| {
        let piece = |part: &Part| match part {
            Part::Bare(text) | Part::Quoted(text) => text.clone(),
            _ => panic!("{text:?} expands {part:?}"),
        };
        word.parts.iter().map(piece).collect()
    };
    simple.words.iter().map(literal).collect()
}

/// Pieces of which scripts are made; many of the scripts are broken.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        " ",
        " ",
        " ",
        "\n",
        ";",
        "&",
        "|",
        "&&",
        "||",
        "(",
        ")",
        "{ ",
        "; }",
        "}",
        "if ",
        "; then ",
        "; fi",
        "while ",
        "; do ",
        "; done",
        "for x in ",
        "case x in ",
        ";;",
        "esac",
        "$(",
        "`",
        "\\`",
        "\"",
        "'",
        "$x",
        "${x",
        "${x:-",
        "$((",
        "))",
        "((",
        "[[ ",
        " ]]",
        "<",
        ">",
        "<(",
        "2>",
        "<<<",
        "\\",
        "\\\n",
        "#",
        "=",
        "a=(",
        "a[",
        "f() ",
        "function ",
        "!",
        "time ",
        "coproc ",
        "$[",
        "]",
        "$'",
        "$\"",
        "é",
        "\u{200b}",
        "\u{feff}",
        "\0",
        "\r\n",
        "<<E",
        "<<-'E'",
        "E\n",
        "\t",
        "@(",
        "${x/",
        ":",
        "%",
        "~",
        "*",
    ])
}

/// What a text may be made of that is meant to take long.
const TEDIOUS: &[&str] = &[
    "(",
    "$(",
    "((",
    "$((",
    "$((1+",
    "$(('",
    "{ ",
    "{",
    "`",
    "\\`",
    "`a \\`b \\\\\\`c ",
    "\"",
    "\"$(",
    "'",
    "$'\\x41' ",
    "${a:-",
    "\"${a:-",
    "${a[$(",
    "${a:",
    "if ",
    "while a; do ",
    "for x in a; do ",
    "case x in ",
    "case x in a) ",
    "$(case x in ",
    "case x in $(",
    "select ",
    "[[ ",
    "f() ",
    "$(a)() ",
    "function ",
    "coproc ",
    "coproc <(",
    "time ",
    "! ",
    "a;",
    ";",
    ")",
    "fi ",
    "a ",
    "a=1 ",
    "a=(",
    "a[",
    "a (  ",
    "@(",
    "$[",
    "<(",
    ">",
    "2>&1 ",
    "&",
    "a|",
    "|",
    "#",
    "\n",
    "a\r\n",
    "\\",
    "\\\n",
    "a\\\n",
    "$\\\n",
    "\u{200b}",
    "\0",
    "<<A ",
    "<<",
    "cat <<A\n",
    "$(cat <<A\n",
    "cat <<A\n$(cat <<A\n",
    "cat <<-A\n\t$(cat <<-A\n",
    "<<-'A'$(",
    "cat <<A\n${a:-",
    "cat <<A\nb\nA\n",
    "$(`",
    "\"`$(",
    "${ ",
    "${((",
];

/// Time and memory that did not grow with the text alone would end this before it ended by itself.
#[test]
fn what_is_meant_to_take_long_does_not() {
    for piece in TEDIOUS {
        assert_places_are_in(&piece.repeat(64_000 / piece.len()));
    }
}

/// Every command in a script, with those inside of it.
fn spans(script: &Script, all: &mut Vec<std::ops::Range<usize>>) {
    for command in &script.commands {
        spans_of(command, all);
    }
}

fn spans_of(command: &Command, all: &mut Vec<std::ops::Range<usize>>) {
    all.push(command.span.clone());
    match &command.kind {
        Kind::Simple(simple) => simple.words.iter().for_each(|word| spans_in(word, all)),
        Kind::Pipeline(stages) => stages.iter().for_each(|stage| spans_of(stage, all)),
        Kind::Subshell(script) | Kind::Group(script) => spans(script, all),
        Kind::If(branches) => {
            for (condition, body) in branches {
                spans(condition.as_ref().unwrap_or(&Script::default()), all);
                spans(body, all);
            }
        }
        Kind::Loop { condition, body } => {
            spans(condition, all);
            spans(body, all);
        }
        Kind::For { body, .. } | Kind::Arithmetic { body, .. } => spans(body, all),
        Kind::Case { arms, .. } => arms.iter().for_each(|(_, script)| spans(script, all)),
        Kind::Test(words) => words.iter().for_each(|word| spans_in(word, all)),
        Kind::Function { body, .. } | Kind::Coprocess(body) => spans_of(body, all),
    }
}

fn spans_in(word: &Word, all: &mut Vec<std::ops::Range<usize>>) {
    for part in &word.parts {
        if let Part::Substitution { script, .. } | Part::Process { script, .. } = part {
            spans(script, all);
        }
    }
}

fn assert_places_are_in(text: &str) {
    let parsed = parse(text);
    let mut all = Vec::new();
    spans(&parsed.script, &mut all);
    for span in all {
        assert!(text.get(span.clone()).is_some(), "{span:?} is not in {text:?}");
    }
    for flaw in parsed.flaws {
        assert!(flaw.at <= text.len(), "{flaw:?} is not in {text:?}");
    }
}

proptest! {
    #[test]
    fn quotes_are_taken_off_as_bash_does(pieces in prop::collection::vec(literal_piece(), 0..8)) {
        // A `$` before a quote that was meant to be a piece of its own is as good as any.
        let text = format!("printf '%s\\0' x{}", pieces.concat());
        prop_assume!(is_sound(&text));
        let Some(output) = bash("-s", &text) else { return Ok(()) };
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let words = literal_words(&text).split_off(2).iter().map(|word| format!("{word}\0")).collect::<String>();
        prop_assert_eq!(words, printed, "{}", text);
    }

    #[test]
    fn any_text_is_parsed_and_every_place_is_in_it(text in "\\PC{0,80}|[ -~\n]{0,80}") {
        assert_places_are_in(&text);
    }

    #[test]
    fn any_script_is_parsed_and_every_place_is_in_it(pieces in prop::collection::vec(piece(), 0..60)) {
        assert_places_are_in(&pieces.concat());
    }

    #[test]
    fn any_bytes_are_parsed(data in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz_parse(&data);
    }

    /// Whatever is repeated thousands of times is parsed in the time that its length takes: were it not, this would never end.
    #[test]
    fn any_repetition_ends(pieces in prop::collection::vec(piece(), 1..5)) {
        let text = pieces.concat();
        assert_places_are_in(&text.repeat(16_000 / text.len().max(1)));
    }
}
