//! What stands between `git` and its subcommand: where it works, and the settings it is given for this one call.

use std::borrow::Cow;

use crate::case::Case;
use crate::git::nested::Earlier;
use crate::invocation::{Arg, Invocation, UNKNOWN};

/// Global options with a value as the next word, or attached with `=` where they are long.
const TAKING: &[&str] = &[
    "--attr-source",
    "--config-env",
    "--git-dir",
    "--namespace",
    "--super-prefix",
    "--work-tree",
    "-C",
    "-c",
];
/// With these, git only prints something.
const PRINTING: &[&str] = &["--help", "--html-path", "--info-path", "--man-path", "--version", "-h", "-v"];

/// Where a call works and what it is told there.
#[derive(Debug)]
pub(super) struct Globals<'a> {
    /// The call itself.
    pub(super) call: &'a Invocation,
    /// The directory, after every `-C`; `None` if it cannot be told.
    dir: Option<String>,
    /// Settings for this call: their names in lower case where case does not count, and their values.
    pub(super) settings: Vec<(String, Cow<'a, str>)>,
    /// Another place for git's own programs.
    pub(super) exec_path: bool,
}

impl<'a> Globals<'a> {
    pub(super) fn new(call: &'a Invocation) -> Self {
        let dir = call.cwd.clone();
        let mut globals = Self { call, dir, settings: Vec::new(), exec_path: false };
        if let Some((_, git_dir)) = call.env.iter().find(|(name, _)| name == "GIT_DIR") {
            globals.repo_is(git_dir.text());
        }
        globals
    }

    /// Reads the options in front; gives the index of the subcommand, or `None` if there is none to judge.
    pub(super) fn read(&mut self, args: &[Arg]) -> Option<usize> {
        let mut index = 0;
        loop {
            let text = args.get(index)?.text();
            if !text.starts_with('-') {
                return Some(index);
            }
            if PRINTING.contains(&text) {
                return None;
            }
            let attached = text.starts_with("--").then(|| text.split_once('=')).flatten();
            let (name, value) = match attached {
                Some((name, value)) => (name, Some(value)),
                // Git itself wants a space here, but some wrappers do not.
                None if text.len() > 2 && (text.starts_with("-c") || text.starts_with("-C")) => {
                    (&text[..2], Some(&text[2..]))
                }
                None if TAKING.contains(&text) => {
                    index += 1;
                    (text, args.get(index).map(Arg::text))
                }
                None => (text, None),
            };
            index += 1;
            let Some(value) = value else { continue };
            match name {
                "-C" => self.dir = joined(self.dir.as_deref().unwrap_or_default(), value),
                "--git-dir" => self.repo_is(value),
                "--exec-path" => self.exec_path = true,
                "-c" => match value.split_once('=') {
                    Some((key, value)) => self.set(key, Cow::Owned(value.to_owned())),
                    None => self.set(value, Cow::Borrowed("true")),
                },
                "--config-env" => {
                    if let Some((key, variable)) = value.rsplit_once('=') {
                        let held = self.call.env.iter().rev().find(|(name, _)| name == variable);
                        self.set(
                            key,
                            held.map_or(Cow::Owned(UNKNOWN.to_string()), |(_, held)| {
                                Cow::Borrowed(held.text())
                            }),
                        );
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes a setting for this call.
    pub(super) fn set(&mut self, key: &str, value: Cow<'a, str>) {
        self.settings.push((canonical(key), value));
    }

    /// The value of a setting for this call.
    pub(super) fn setting(&self, key: &str) -> Option<&str> {
        self.settings.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value.as_ref())
    }

    /// The directory in which it works.
    pub(super) fn dir(&self) -> Option<&str> {
        self.dir.as_deref()
    }

    /// The root of the repo, or at least one name for it.
    pub(super) fn repo(&self, case: &Case<'_>) -> Option<String> {
        let dir = self.dir()?;
        Some(case.world.files.repo(dir).unwrap_or_else(|| dir.to_owned()))
    }

    /// The branch that is checked out when the call runs.
    pub(super) fn head(&self, case: &Case<'_>, earlier: &Earlier) -> Option<String> {
        if self.call.elsewhere.is_some() {
            return None;
        }
        // Looking for the repo takes system calls, the answer of which is seldom needed.
        if earlier.moved()
            && let Some((_, branch)) = earlier.head(&self.repo(case)?)
        {
            return branch.clone();
        }
        case.world.files.branch(self.dir()?)
    }

    /// Notes that another branch is checked out from here on.
    pub(super) fn check_out(&self, case: &Case<'_>, earlier: &mut Earlier, branch: Option<&str>) {
        if let Some(repo) = self.repo(case) {
            earlier.check_out(&repo, branch);
        }
    }

    fn repo_is(&mut self, git_dir: &str) {
        let work_tree = git_dir.strip_suffix("/.git").or_else(|| git_dir.strip_suffix("/.git/"));
        let place = work_tree.unwrap_or(if git_dir == ".git" { "." } else { git_dir });
        self.dir = joined(self.dir.as_deref().unwrap_or_default(), place);
    }
}

/// A directory seen from another, which is empty if it is not known; `None` if the result is not known.
pub(super) fn joined(dir: &str, next: &str) -> Option<String> {
    let absolute = next.starts_with('/') || dir.starts_with('/');
    if !absolute || next.contains(UNKNOWN) {
        return None;
    }
    let mut path = if next.starts_with('/') { String::new() } else { dir.to_owned() };
    for part in next.split('/') {
        match part {
            "" | "." => {}
            ".." => path.truncate(path.rfind('/').unwrap_or_default()),
            name => {
                path.push('/');
                path.push_str(name);
            }
        }
    }
    Some(if path.is_empty() { "/".to_owned() } else { path })
}

/// The name of a setting as git compares it: section and key without case, what stands between with it.
pub(super) fn canonical(key: &str) -> String {
    match (key.find('.'), key.rfind('.')) {
        (Some(first), Some(last)) if first < last => {
            [&key[..first].to_ascii_lowercase(), &key[first..last], &key[last..].to_ascii_lowercase()]
                .concat()
        }
        _ => key.to_ascii_lowercase(),
    }
}
