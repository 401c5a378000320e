//! The words that the guard resolves against those that the real bash gives to a program.
//!
//! Every script here starts only `show`, a stub that writes down what it was given. The guard, asked to explain the same script, must name
//! the same calls with the same words. The scripts run in an empty directory, with a `PATH` on which there is nothing but the stub and
//! the few tools that start other programs or print text.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use custos_guard::Invocation;
use custos_guard::guard::Guard;
use custos_guard::rules::Policy;
use custos_guard::world::{NoFiles, Own, World};
use proptest::prelude::*;
use tempfile::TempDir;

/// Scripts of which the guard knows every word, between lines of `%%`.
const EXACT: &str = include_str!("../data/expansions.txt");

/// Tools that a script may use besides `show`; none of them changes anything.
const TOOLS: [&str; 14] = [
    "base64", "bash", "cat", "env", "find", "nice", "nohup", "rev", "setsid", "sh", "stdbuf", "timeout",
    "tr", "xargs",
];

/// What `show` is: each of its calls is the number of its words and the words, each with a NUL behind it.
const SHOW: &str = "#!/bin/sh\nprintf '%s\\0' \"$#\" \"$@\" >> \"$RECORD\"\n";

const HOME: &str = "/home/user";

/// A place to run scripts in.
struct Stage {
    dir: TempDir,
    bash: PathBuf,
}

impl Stage {
    /// Sets one up; `None` if there is no bash.
    fn set() -> Option<Self> {
        let bash = real("bash")?;
        let dir = TempDir::new().unwrap();
        let bin = dir.path().join("bin");
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir_all(dir.path().join("empty")).unwrap();
        put(&bin.join("show"), SHOW);
        fs::set_permissions(bin.join("show"), fs::Permissions::from_mode(0o755)).unwrap();
        for tool in TOOLS {
            if let Some(path) = real(tool) {
                symlink(path, bin.join(tool)).unwrap();
            }
        }
        Some(Self { dir, bash })
    }

    fn cwd(&self) -> PathBuf {
        self.dir.path().join("empty").canonicalize().unwrap()
    }

    /// Says whether every tool is here that a script names.
    fn has_tools_of(&self, script: &str) -> bool {
        let words = || script.split(|c: char| !c.is_ascii_alphanumeric());
        TOOLS
            .iter()
            .all(|tool| words().all(|word| word != *tool) || self.dir.path().join("bin").join(tool).exists())
    }

    /// Runs a script, and gives the calls of `show` in it.
    fn run(&self, script: &str) -> Vec<String> {
        let record = tempfile::NamedTempFile::new_in(self.dir.path()).unwrap();
        Command::new(&self.bash)
            .args(["--norc", "--noprofile", "-c", script])
            .env_clear()
            .env("HOME", HOME)
            .env("LC_ALL", "C.UTF-8")
            .env("PATH", self.dir.path().join("bin"))
            .env("RECORD", record.path())
            .current_dir(self.cwd())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        let recorded = fs::read(record.path()).unwrap();
        let recorded = String::from_utf8_lossy(&recorded);
        let mut words = recorded.split_terminator('\0');
        let mut calls = Vec::new();
        while let Some(count) = words.next() {
            let args = words.by_ref().take(count.parse().unwrap());
            calls.push(Invocation::of(["show"].into_iter().chain(args)).shown());
        }
        calls
    }

    /// Asks the guard for the calls of `show` in a script.
    fn explain(&self, script: &str) -> Vec<String> {
        let (own, files, policy) = (Own::default(), NoFiles::default(), Policy::builtin());
        let cwd = self.cwd();
        let cwd = cwd.to_str().unwrap();
        let world = World { home: Some(HOME), cwd, root: cwd, own: &own, files: &files };
        let steps = Guard { world, policy: &policy }.explain(script).steps;
        // Of a redirected call the file is shown too; here it is always the same one.
        let plain = |step: String| step.replace(" > /dev/null", "").replace(" < /dev/null", "");
        let is_show = |step: &String| step == "show" || step.starts_with("show ");
        steps.into_iter().map(plain).filter(is_show).collect()
    }
}

/// A real program, by its name.
fn real(tool: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .iter()
        .map(|dir| Path::new(dir).join(tool))
        .find(|path| path.exists())
}

#[expect(clippy::disallowed_methods, reason = "a stub in a directory that only this test knows")]
fn put(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}

/// One stage for all: nothing that a script does stays.
static STAGE: LazyLock<Option<Stage>> = LazyLock::new(Stage::set);

#[expect(clippy::print_stdout, reason = "whoever reads the tests' output should know what was not tested")]
fn stage() -> Option<&'static Stage> {
    if STAGE.is_none() {
        println!("skipped: there is no bash here");
    }
    STAGE.as_ref()
}

#[test]
fn the_guard_sees_the_words_that_bash_gives() {
    let Some(stage) = stage() else { return };
    let scripts: Vec<_> = EXACT.trim_end_matches('\n').split("\n%%\n").collect();
    assert!(scripts.len() >= 200, "{}", scripts.len());
    let mut wrong = Vec::new();
    for script in scripts.into_iter().filter(|script| stage.has_tools_of(script)) {
        let (given, seen) = (stage.run(script), stage.explain(script));
        if given != seen {
            wrong.push(format!("{script}\n    bash  {given:?}\n    guard {seen:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Scripts of which the guard cannot know every word, because a variable may come from outside, or that it follows in another order. It
/// may know less than bash, but nothing else.
const LESS_KNOWN: [&str; 14] = [
    "show $nothing \"$nothing\" a${nothing}b",
    "show \"$x\"'$x'\\$x",
    "show \"${x}\" \"${x:-}\" ''",
    "x=a_b; show ${x_b}z ${x}_b",
    "x=1 y=2 show \"$x\" b",
    "x=abc n=1; show ${x:n} ${x:$n:1} ${x:n+1}",
    "x=3; show $((x)) $((x+1)) $(($x*2))",
    "show $((1+2*3)) $(((1+2)*3))",
    "show $$ $RANDOM \"$SECONDS\"",
    "show $(date 2>/dev/null)z",
    "trap 'show bye' EXIT; show a",
    "if [ -e nothing ]; then show a; else show b; fi",
    "case $nothing in a) show a;; *) show b;; esac",
    "show $BASH_VERSION $0 \"$-\"",
];

/// Where the guard is known to differ, with nothing to be gained from it.
const DIFFERING: [&str; 12] = [
    // Numbers of the same width, and letters in steps.
    "show {01..03}",
    "show {a..g..3}",
    "show $(printf '%03d' 7)",
    // An empty field between two separators that are not blanks.
    "IFS=:; x=a:b::c; show $x",
    // A tilde after a colon or an equals sign; quotes within a pattern, or around the word of `:-`.
    "show a:~ x=~/y",
    r#"x=a:~/b:~; show "$x""#,
    r#"x=abc; show ${x#"a"} ${x#'?'} "${x#a}""#,
    r#"x='a*b'; show "${x#a\*}" "${x%'*b'}""#,
    r#"x=; show ${x:-a} "${x-b}" ${x:-"c d"}"#,
    r#"show "${nothing:-"a b"}" ${nothing:-'c d'}"#,
    // What nobody set here may be set in the environment of whoever runs it.
    r#"show "${nothing:+a}" ${nothing+b} z"#,
    r#"x=1; bash -c 'show "$x" z'"#,
];

/// Says whether a call is what the guard saw, where `…` stands for anything, also for no word at all.
fn covers(seen: &str, given: &str) -> bool {
    let mut rest = given;
    let pieces: Vec<_> = seen.split('…').collect();
    for (n, piece) in pieces.iter().enumerate() {
        let is_last = n + 1 == pieces.len();
        let piece = if pieces.len() > 1 { piece.trim().trim_matches('\'') } else { piece };
        let found = match (n, is_last) {
            (0, true) => (rest == piece).then_some(0),
            (0, false) => rest.starts_with(piece).then_some(0),
            (_, true) => rest.trim_end_matches('\'').ends_with(piece).then(|| rest.len() - piece.len()),
            (_, false) => rest.find(piece),
        };
        let Some(at) = found else { return false };
        rest = rest.get(at + piece.len()..).unwrap_or_default();
    }
    true
}

#[test]
fn the_guard_knows_nothing_else_than_bash() {
    let Some(stage) = stage() else { return };
    for script in LESS_KNOWN {
        let seen = stage.explain(script);
        for given in stage.run(script) {
            assert!(
                seen.iter().any(|seen| covers(seen, &given)),
                "{script}\n    bash  {given}\n    guard {seen:?}"
            );
        }
    }
}

#[test]
fn the_differences_are_known() {
    let Some(stage) = stage() else { return };
    let same: Vec<_> =
        DIFFERING.into_iter().filter(|script| stage.run(script) == stage.explain(script)).collect();
    assert_eq!(same, [] as [&str; 0], "these no longer differ");
}

/// A text in one of the ways to quote it, so that it is one piece of a word.
fn quoted() -> impl Strategy<Value = String> {
    let text = "[ -~é]{0,5}";
    prop_oneof![
        text.prop_map(|text| format!("'{}'", text.replace('\'', "'\\''"))),
        text.prop_map(|text| {
            let escaped: String = text
                .chars()
                .flat_map(|c| "\"\\$`".contains(c).then_some('\\').into_iter().chain([c]))
                .collect();
            format!("\"{escaped}\"")
        }),
        text.prop_map(|text| text.chars().flat_map(|c| ['\\', c]).collect()),
        text.prop_map(|text| format!("$'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))),
        text.prop_map(|text| format!(
            "$'{}'",
            text.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>()
        )),
        "[a-z0-9_./:@%+-]{1,5}".prop_map(|text| text),
    ]
}

/// A piece of a word that is expanded, of variables that [`SETTING`] sets.
fn expanded() -> impl Strategy<Value = String> {
    let action = prop::sample::select(vec![
        "", ":-z", ":+z", "#a", "##*b", "%d", "%%c*", "/b/_", "//[bc]/_", "/#a/_", "/%d/_", ":1", ":1:2",
        ": -2", "^", "^^", ",,",
    ]);
    let name = prop::sample::select(vec!["x", "y", "z"]);
    prop_oneof![
        (name.clone(), action.clone()).prop_map(|(name, action)| format!("${{{name}{action}}}")),
        (name.clone(), action).prop_map(|(name, action)| format!("\"${{{name}{action}}}\"")),
        name.prop_map(|name| format!("${{#{name}}}")),
        prop::sample::select(vec![
            "\"$@\"",
            "$*",
            "\"${a[@]}\"",
            "${a[1]}",
            "{p,q}",
            "{1..3}",
            "$(echo r s)",
            "\"$(echo r  s)\"",
            "`echo t`",
            "$((2+3))",
            "~/",
            "\"$1\"",
        ])
        .prop_map(str::to_owned),
    ]
}

const SETTING: &str = "x=abcd y='ab cd' z='  b  '; a=(one 'two three'); set -- first 'second third'; ";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_quoting_is_taken_off_as_bash_does(words in prop::collection::vec(prop::collection::vec(quoted(), 1..4), 1..4)) {
        let Some(stage) = stage() else { return Ok(()) };
        let words: Vec<String> = words.into_iter().map(|pieces| pieces.concat()).filter(|word| !word.is_empty()).collect();
        let script = format!("show {}", words.join(" "));
        prop_assert_eq!(stage.run(&script), stage.explain(&script), "{}", script);
    }

    #[test]
    fn any_expansion_is_what_bash_makes_of_it(words in prop::collection::vec(prop::collection::vec(prop_oneof![expanded(), quoted()], 1..4), 1..3)) {
        let Some(stage) = stage() else { return Ok(()) };
        let words: Vec<String> = words.into_iter().map(|pieces| pieces.concat()).filter(|word| !word.is_empty()).collect();
        let script = format!("{SETTING}show {}", words.join(" "));
        prop_assert_eq!(stage.run(&script), stage.explain(&script), "{}", script);
    }
}
