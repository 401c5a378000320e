//! A home directory that belongs to one test.
//!
//! The program finds its places through a handful of environment variables. A [`TempHome`] owns a fresh
//! directory, and its [`TempHome::command`] starts a program that sees these variables and nothing else of
//! the machine: neither the developer's settings nor the keys in their environment. Whatever the program
//! then writes is below the home, where [`TempHome::every_file`] finds it.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// How the name of a home begins.
const PREFIX: &str = "custos-home-";

/// A temporary home that is removed when it is dropped.
///
/// It starts empty, as on a new machine: the directories that its accessors name are the program's to make.
#[derive(Debug)]
pub struct TempHome {
    /// Held for its `Drop`.
    _directory: TempDir,
    root: PathBuf,
    /// Where `AI_MEMORY_PATH` points, when it is set.
    memory: Option<PathBuf>,
}

impl TempHome {
    /// Makes an empty home, with `AI_MEMORY_PATH` unset.
    pub fn new() -> io::Result<Self> {
        Self::of(TempDir::with_prefix(PREFIX)?)
    }

    /// Makes an empty home in a directory of another disk than that of temporary files.
    pub fn below(directory: &Path) -> io::Result<Self> {
        Self::of(TempDir::with_prefix_in(PREFIX, directory)?)
    }

    fn of(directory: TempDir) -> io::Result<Self> {
        // The temporary directory of macOS lies behind a link, and a program that resolves its paths would
        // report others than the test expects. On Windows the canonical form is one nobody ever types.
        let root =
            if cfg!(windows) { directory.path().to_path_buf() } else { directory.path().canonicalize()? };
        Ok(Self { _directory: directory, root, memory: None })
    }

    /// Points `AI_MEMORY_PATH` at a path below the home.
    #[must_use]
    pub fn with_memory_at(mut self, below_home: impl AsRef<Path>) -> Self {
        self.memory = Some(self.root.join(below_home));
        self
    }

    /// Returns the home itself.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Returns what `XDG_CONFIG_HOME` (on Windows also `APPDATA`) points at.
    pub fn config_home(&self) -> PathBuf {
        self.root.join(".config")
    }

    /// Returns what `XDG_STATE_HOME` (on Windows also `LOCALAPPDATA`) points at.
    pub fn state_home(&self) -> PathBuf {
        self.root.join(".local").join("state")
    }

    /// Returns the directory of the settings.
    pub fn config_dir(&self) -> PathBuf {
        self.config_home().join("ai")
    }

    /// Returns the directory of the log and its backups.
    pub fn memory_dir(&self) -> PathBuf {
        self.memory.clone().unwrap_or_else(|| self.config_dir().join("memory"))
    }

    /// Returns the directory that holds all derived state: one directory for each memory, named by a hash.
    pub fn state_dir(&self) -> PathBuf {
        self.state_home().join("ai")
    }

    /// Prepares a program that sees this home's variables and no others, not even `PATH`.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", &self.root)
            .env("XDG_CONFIG_HOME", self.config_home())
            .env("XDG_STATE_HOME", self.state_home());
        if let Some(memory) = &self.memory {
            command.env("AI_MEMORY_PATH", memory);
        }
        #[cfg(windows)]
        self.add_windows_variables(&mut command);
        command
    }

    #[cfg(windows)]
    fn add_windows_variables(&self, command: &mut Command) {
        command
            .env("USERPROFILE", &self.root)
            .env("APPDATA", self.config_home())
            .env("LOCALAPPDATA", self.state_home());
        #[expect(clippy::disallowed_methods, reason = "without SystemRoot no Windows program finds its DLLs")]
        if let Some(system_root) = std::env::var_os("SystemRoot") {
            command.env("SystemRoot", system_root);
        }
    }

    /// Reads every regular file below the home, sorted by path.
    ///
    /// Links are not followed and special files are not opened. A file that vanishes during the walk (a
    /// program may still be running) is left out.
    pub fn every_file(&self) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
        let mut files = Vec::new();
        let mut pending = vec![self.root.clone()];
        while let Some(directory) = pending.pop() {
            let Some(entries) = if_present(fs::read_dir(&directory))? else { continue };
            for entry in entries {
                let entry = entry?;
                let Some(kind) = if_present(entry.file_type())? else { continue };
                if kind.is_dir() {
                    pending.push(entry.path());
                } else if kind.is_file()
                    && let Some(bytes) = if_present(fs::read(entry.path()))?
                {
                    files.push((entry.path(), bytes));
                }
            }
        }
        files.sort_unstable();
        Ok(files)
    }

    /// Lists the files that hold these bytes, in their contents or in their name below the home.
    ///
    /// Names count because a secret that became a file name has leaked as much as one inside the file.
    pub fn find_bytes(&self, needle: impl AsRef<[u8]>) -> io::Result<Vec<PathBuf>> {
        let needle = needle.as_ref();
        let holds_needle = |path: &Path, bytes: &[u8]| {
            let name = path.strip_prefix(&self.root).unwrap_or(path);
            contains(bytes, needle) || contains(name.as_os_str().as_encoded_bytes(), needle)
        };
        let files = self.every_file()?;
        Ok(files
            .into_iter()
            .filter(|(path, bytes)| holds_needle(path, bytes))
            .map(|(path, _)| path)
            .collect())
    }
}

/// Turns "it is gone" into `None` and leaves every other error.
fn if_present<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    needle.is_empty() || haystack.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the tests plant files directly; nothing has to survive a crash"
)]
mod tests {
    use super::*;

    fn plant(home: &TempHome, below_home: &str, bytes: &[u8]) -> PathBuf {
        let path = home.path().join(below_home);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_home_is_empty_and_goes_away() {
        let home = TempHome::new().unwrap();
        let root = home.path().to_path_buf();
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
        drop(home);
        assert!(!root.exists());
    }

    #[test]
    fn the_places_are_where_the_program_looks_for_them() {
        let home = TempHome::new().unwrap();
        let root = home.path();
        assert_eq!(home.memory_dir(), root.join(".config/ai/memory"));
        assert_eq!(home.state_dir(), root.join(".local/state/ai"));
        assert_eq!(home.config_dir(), root.join(".config/ai"));
    }

    #[cfg(unix)]
    #[test]
    fn a_command_sees_the_home_and_nothing_else() {
        let home = TempHome::new().unwrap().with_memory_at("elsewhere/memory");
        let output = home.command("/usr/bin/env").output().unwrap();
        let seen: std::collections::BTreeMap<String, String> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| {
                line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap()
            })
            .collect();
        let below = |path: &str| home.path().join(path).to_str().unwrap().to_owned();
        let expected = [
            ("AI_MEMORY_PATH", below("elsewhere/memory")),
            ("HOME", home.path().to_str().unwrap().to_owned()),
            ("XDG_CONFIG_HOME", below(".config")),
            ("XDG_STATE_HOME", below(".local/state")),
        ];
        assert_eq!(seen, expected.map(|(name, value)| (name.to_owned(), value)).into());
        assert_eq!(home.memory_dir(), home.path().join("elsewhere/memory"));
    }

    #[test]
    fn every_file_is_listed_with_its_bytes() {
        let home = TempHome::new().unwrap();
        let second = plant(&home, "b/c/deep.bin", &[0, 255, 0]);
        let first = plant(&home, "a.txt", b"alpha");
        assert_eq!(home.every_file().unwrap(), [(first, b"alpha".to_vec()), (second, vec![0, 255, 0])]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_special_files_are_passed_over() {
        let home = TempHome::new().unwrap();
        let outside = TempHome::new().unwrap();
        plant(&outside, "secret", b"outside");
        std::os::unix::fs::symlink(outside.path(), home.path().join("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(home.path().join("socket")).unwrap();
        assert_eq!(home.every_file().unwrap(), []);
    }

    #[test]
    fn bytes_are_found_in_contents_and_in_names() {
        let home = TempHome::new().unwrap();
        let inside = plant(&home, "log/0001.jsonl", b"{\"token\":\"needle-42\"}");
        let name = plant(&home, "spool/needle-42.json", b"{}");
        plant(&home, "log/0002.jsonl", b"needle-4");
        assert_eq!(home.find_bytes("needle-42").unwrap(), [inside, name]);
        assert_eq!(home.find_bytes("not there").unwrap(), Vec::<PathBuf>::new());
        // The temporary directory's own name is not the program's doing.
        assert_eq!(home.find_bytes("custos-home-").unwrap(), Vec::<PathBuf>::new());
    }
}
