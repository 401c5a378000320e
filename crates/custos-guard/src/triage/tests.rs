//! What is proven, and what is doubted and why. What is decided in the end is in [`deciding`].
//!
//! The commands are data, in `tests/data/triage-*.jsonl` of this crate, one per line; a failure names the line.

mod deciding;

use proptest::prelude::*;
use rstest::rstest;
use serde::Deserialize;

use crate::shell::syntax::{Command, Kind, Part};
use crate::world::{Files, NoFiles, Own, World};

use super::*;

/// What stands for the judge of paths: names of secrets, wherever they are, also in patterns.
fn is_free(path: &str) -> bool {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let example = name == ".env.example";
    let secret =
        name.starts_with(".env") || name.contains(".pem") || name.starts_with("id_") || name == "shadow";
    (!secret || example) && !path.contains(".ssh") && !path.starts_with("/root")
}

fn try_to_prove(command: &str, trusted: bool) -> Result<Proof, Doubt> {
    let own = Own::default();
    let files = NoFiles::default();
    let world = World {
        home: Some("/home/user"),
        cwd: "/home/user/project",
        root: "/home/user/project",
        own: &own,
        files: &files,
    };
    prove(command, &world, trusted, &is_free)
}

/// A command that is proven to only read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Proven {
    cmd: String,
    /// Git and its like run what a project's settings name.
    #[serde(default)]
    only_if_trusted: bool,
}

/// A command that is doubted even in a trusted project.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Doubted {
    /// What the doubt is about, for whoever adds a case.
    #[serde(rename = "about")]
    _about: String,
    cmd: String,
    why: String,
}

/// Reads cases, each with the number of its line.
fn cases<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<(usize, T)> {
    let case = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    (1..).zip(text.lines().map(case)).collect()
}

fn proven() -> Vec<(usize, Proven)> {
    cases(include_str!("../../tests/data/triage-proven.jsonl"))
}

/// The commands that are proven in every project.
fn always_proven() -> Vec<String> {
    proven().into_iter().filter(|(_, case)| !case.only_if_trusted).map(|(_, case)| case.cmd).collect()
}

#[test]
fn what_only_reads_is_proven_and_git_only_in_a_trusted_project() {
    let mut wrong = Vec::new();
    for (line, Proven { cmd, only_if_trusted }) in proven() {
        if let Err(doubt) = try_to_prove(&cmd, true) {
            wrong.push(format!("line {line}: {cmd}: {doubt}"));
        }
        match try_to_prove(&cmd, false) {
            Ok(_) if only_if_trusted => wrong.push(format!("line {line}: {cmd}: proven without trust")),
            Err(doubt) if !(only_if_trusted && doubt.to_string().contains("trusted")) => {
                wrong.push(format!("line {line}: {cmd}, without trust: {doubt}"));
            }
            _ => {}
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn what_may_do_more_is_doubted() {
    let mut wrong = Vec::new();
    for (line, case) in cases::<Doubted>(include_str!("../../tests/data/triage-doubted.jsonl")) {
        let said = match try_to_prove(&case.cmd, true) {
            Ok(proof) => format!("proven: {proof}"),
            Err(doubt) => doubt.to_string(),
        };
        if said != case.why {
            wrong.push(format!("line {line}: {:?}: {said}, not: {}", case.cmd, case.why));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// A trusted project with a clone in `vendor/clone` and a bare repo in `vendor/bare`.
struct Nested;

impl Files for Nested {
    fn real(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }

    fn folds_case(&self, _dir: &str) -> bool {
        false
    }

    fn branch(&self, _dir: &str) -> Option<String> {
        None
    }

    fn repo(&self, dir: &str) -> Option<String> {
        ["/p/vendor/clone", "/p"].into_iter().find(|repo| dir.starts_with(repo)).map(str::to_owned)
    }

    fn text(&self, path: &str) -> Option<String> {
        (path == "/p/vendor/bare/HEAD").then(|| "ref: refs/heads/main".to_owned())
    }
}

#[rstest]
#[case("/p", true)]
#[case("/p/src/deep", true)]
#[case("/p/vendor/clone", false)]
#[case("/p/vendor/clone/src", false)]
#[case("/p/vendor/bare", false)]
#[case("/p/vendor/bare/refs/heads", false)]
#[case("/elsewhere", false)]
#[case("/", false)]
fn git_is_proven_only_in_the_repo_of_the_project(#[case] cwd: &str, #[case] proven: bool) {
    let own = Own::default();
    let world = World { home: None, cwd, root: "/p", own: &own, files: &Nested };
    let prove = |command| prove(command, &world, true, &|_| true).is_ok();
    assert_eq!(prove("git status"), proven);
    assert_eq!(prove("cargo --version"), proven);
    assert_eq!(prove("git -C /p status"), proven);
}

#[test]
fn a_proof_says_what_was_proven() {
    let proof = try_to_prove("cd src && git log -5 -- main.rs | head -n 3; cat lib.rs lib.rs", true);
    // `cd src` leaves the place where git is proven.
    assert_eq!(
        proof.unwrap_err().to_string(),
        "git would work in a directory that may be another repository"
    );
    let proof = try_to_prove("git log -5 -- main.rs | head -n 3; cat lib.rs lib.rs", true).unwrap();
    assert_eq!(proof.programs, ["git log", "head", "cat"]);
    assert_eq!(proof.paths, ["main.rs", "lib.rs"]);
    assert_eq!(proof.to_string(), "only reads: git log, head, cat");
}

#[test]
fn what_custos_keeps_for_itself_is_not_read_unasked() {
    let own = Own { memory: Some("/m".to_owned()), state: Some("/s/".to_owned()), ..Own::default() };
    let files = NoFiles::default();
    let world = World { home: Option::None, cwd: "/s/deep", root: "/monkey", own: &own, files: &files };
    let proves = |command| prove(command, &world, true, &|_| true).is_ok();
    for command in ["cat /m/a.md", "cat log", "cat ../x.md", "cat /S/log", "grep -r --include=*.md x /m"] {
        assert!(!proves(command), "{command}");
    }
    for command in ["cat /monkey/src/a.rs", "cat /made.md", "cat ../../made.md"] {
        assert!(proves(command), "{command}");
    }
}

/// Says whether a `$` or backtick stands outside of single quotes, the simple way.
fn has_expansion(text: &str) -> bool {
    let mut outside = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '\\']) {
        outside.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        rest = match rest.as_bytes()[at] {
            b'\'' => after.split_once('\'').map_or("", |(_, after)| after),
            b'"' => {
                let mut end = 0;
                while !matches!(after.as_bytes().get(end), None | Some(b'"')) {
                    end += if after.as_bytes()[end] == b'\\' { 2 } else { 1 };
                }
                outside.push_str(after.get(..end.min(after.len())).unwrap_or_default());
                after.get(end + 1..).unwrap_or_default()
            }
            _ => {
                let skipped = after.chars().next().map_or(0, char::len_utf8);
                outside.push_str(&after[..skipped]);
                &after[skipped..]
            }
        };
    }
    outside.push_str(rest);
    outside.contains(['$', '`'])
}

/// Says whether every word of a command is text and nothing else.
fn is_literal(command: &Command) -> bool {
    match &command.kind {
        Kind::Simple(simple) => {
            let texts = |part: &Part| matches!(part, Part::Bare(_) | Part::Quoted(_));
            simple.assignments.is_empty() && simple.words.iter().all(|word| word.parts.iter().all(texts))
        }
        Kind::Pipeline(stages) => stages.iter().all(is_literal),
        _ => false,
    }
}

/// Pieces of commands, such that a good part of what is made of them is proven.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "ls",
        "cat",
        "git",
        "status",
        "log",
        "echo",
        "sort",
        "find",
        "-l",
        "-n",
        "-o",
        "--all",
        "a",
        "src/x.rs",
        ".env",
        "5",
        "'$x'",
        "\"$x\"",
        "$x",
        "`x`",
        "$(x)",
        "'`'",
        "\\$",
        "~",
        "*",
        "*.rs",
        "{a,b}",
        ">",
        "2>&1",
        "/dev/null",
        "|",
        "&&",
        "||",
        ";",
        "&",
        "\n",
        "x=1",
        "(",
        ")",
        "#",
        "'",
        "\"",
        "\\",
        "<",
        "-exec",
        "-name",
        "!",
        "time",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_proven_is_literal(
        pieces in prop::collection::vec((piece(), prop::bool::weighted(0.85)), 1..8),
    ) {
        let mut text = String::new();
        for (piece, spaced) in pieces {
            text.push_str(piece);
            if spaced {
                text.push(' ');
            }
        }
        if try_to_prove(&text, true).is_ok() {
            let parsed = crate::shell::parse(&text);
            prop_assert!(parsed.flaws.is_empty(), "{text:?}");
            prop_assert!(parsed.script.commands.iter().all(is_literal), "{text:?}");
            // A comment may hold anything.
            prop_assert!(text.contains('#') || !has_expansion(&text), "{text:?}");
        }
    }

    #[test]
    fn anything_gets_an_answer(text in any::<String>()) {
        let _ = try_to_prove(&text, true);
    }

    #[test]
    fn a_proven_command_stays_proven_in_a_list_and_a_doubted_one_doubted(
        one in prop::sample::select(always_proven()),
        between in prop::sample::select(vec!["; ", " && ", " || ", "\n"]),
    ) {
        prop_assume!(!one.contains(['#', '\n']) && !one.starts_with("cd"));
        let proven = format!("{one}{between}pwd");
        let doubted = format!("{one}{between}rm x");
        prop_assert!(try_to_prove(&proven, true).is_ok(), "{proven}");
        prop_assert!(try_to_prove(&doubted, true).is_err(), "{doubted}");
    }
}

#[test]
fn many_at_once_get_the_same_answers() {
    let commands = ["ls -la", "cat .env", "git status", "sort -o x y", "rm -rf /", "grep -n x y | head"];
    let alone: Vec<_> = commands.iter().map(|command| try_to_prove(command, true)).collect();
    let together: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..64)
            .map(|_| {
                scope.spawn(|| commands.iter().map(|command| try_to_prove(command, true)).collect::<Vec<_>>())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(together, vec![alone; 64]);
}
