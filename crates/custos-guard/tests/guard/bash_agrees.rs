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

use custos_guard::guard::Guard;
use custos_guard::rules::Policy;
use custos_guard::world::{NoFiles, Own, World};
use custos_guard::Invocation;
use proptest::prelude::*;
use tempfile::TempDir;

/// Scripts of which the guard knows every word, between lines of `%%`.
const EXACT: &str = include_str!("../data/expansions.txt");

/// Tools that a script may use besides `show`; none of them changes anything.
const TOOLS: [&str; 14] = [
    "base64", "bash", "cat", "env", "find", "nice", "nohup", "rev", "setsid", "sh", "stdbuf", "timeout", "tr", "xargs",
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
        TOOLS.iter().all(|tool| words().all(|word| word != *tool) || self.dir.path().join("bin").join(tool).exists())
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
    ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"].iter().map(|dir| Path::new(dir).join(tool)).find(|path| path.exists())
}

#[expect(clippy::disallowed_methods, reason = "a stub in a directory that only this test knows")]
fn put(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}

/// One stage for all: nothing that a script does stays.
static STAGE: LazyLock<Option<Stage>> = LazyLock::new(Stage::set);

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
