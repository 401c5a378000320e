//! What a role may do itself: `profiles/<role>.yaml` in the person's configuration.
//!
//! ```yaml
//! work_tools: [change, shell, mcp__deploy__*]   # deeds, or tools by name; `*` at the end stands for any rest
//! window_minutes: 10
//! warn_at: 3
//! stop_at: 5
//! allow_paths: [.claude/, .ai/]                 # from the project's root, or absolute
//! ```
//!
//! What the file does not say stays as it is built in, and so does everything if the file is wrong.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use custos_config::shown::shown;
use serde::Deserialize;

use super::{Role, Trouble, disk};

/// What a tool does, as its client's table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Reads only; also a command that is proven to.
    Read,
    /// Changes files.
    Change,
    /// Runs a command.
    Shell,
    /// Sends a sub-agent.
    Delegate,
    /// Something else, or nobody knows.
    Other,
}

impl Deed {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Change => "change",
            Self::Shell => "shell",
            Self::Delegate => "delegate",
            Self::Other => "other",
        }
    }
}

/// A tool that is about to be used.
#[derive(Debug, Clone, Copy)]
pub struct Use<'a> {
    /// What the client calls the tool.
    pub tool: &'a str,
    /// What it does.
    pub deed: Deed,
    /// The files it is used on, as far as they are known; relative ones begin at the project's root.
    pub paths: &'a [&'a Path],
}

/// What counts as work, and how much of it is too much.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// The deeds and tools that count.
    pub work_tools: Vec<String>,
    /// For how long a use counts.
    pub window_minutes: u32,
    /// The use that is answered with a warning.
    pub warn_at: u32,
    /// The use that is refused.
    pub stop_at: u32,
    /// Where work is always fine.
    pub allow_paths: Vec<PathBuf>,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            work_tools: [Deed::Change, Deed::Shell].map(|deed| deed.name().to_owned()).to_vec(),
            window_minutes: 10,
            warn_at: 3,
            stop_at: 5,
            allow_paths: [".claude/", ".ai/"].map(PathBuf::from).to_vec(),
        }
    }
}

impl Profile {
    /// Reads a profile.
    pub fn parse(yaml: &str) -> Result<Self, String> {
        // A file of comments only is a profile that changes nothing.
        let profile: Option<Self> =
            serde_saphyr::from_str(yaml).map_err(|error| shown(&error.to_string()))?;
        let profile = profile.unwrap_or_default();
        let longest_window = 24 * 60;
        if !(1..=longest_window).contains(&profile.window_minutes) {
            return Err(format!("`window_minutes` takes a number from 1 to {longest_window}"));
        }
        // Every use within the window is kept, so there is a most.
        let most = 1000;
        if !(1..=most).contains(&profile.warn_at) || !(profile.warn_at..=most).contains(&profile.stop_at) {
            return Err(format!(
                "`warn_at` and `stop_at` take numbers from 1 to {most}, the first not above the second"
            ));
        }
        Ok(profile)
    }

    /// For how long a use counts.
    pub fn window(&self) -> Duration {
        Duration::from_secs(u64::from(self.window_minutes) * 60)
    }

    /// Says whether a use is work that others should do.
    pub fn counts(&self, used: &Use<'_>, root: &Path) -> bool {
        let is_meant = |entry: &String| match entry.strip_suffix('*') {
            Some(beginning) => used.tool.starts_with(beginning),
            None => entry == used.tool || entry == used.deed.name(),
        };
        self.work_tools.iter().any(is_meant) && !self.is_allowed(used.paths, root)
    }

    /// Says whether all of a use's files lie where work is always fine.
    fn is_allowed(&self, paths: &[&Path], root: &Path) -> bool {
        let allowed = |path: &&Path| {
            let path = straight(&root.join(path));
            self.allow_paths.iter().any(|place| path.starts_with(straight(&root.join(place))))
        };
        !paths.is_empty() && paths.iter().all(allowed)
    }
}

/// Takes the detours out of a path, without asking the disk: what is written there may not exist yet.
fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                straight.pop();
            }
            part => straight.push(part),
        }
    }
    straight
}

/// Reads the profile of a role; the built-in one if there is none.
pub(super) fn load(config: Option<&Path>, role: Role) -> Result<Profile, Trouble> {
    let Some(config) = config else { return Ok(Profile::default()) };
    let path = config.join("profiles").join(role.name()).with_extension("yaml");
    match disk::read_at(&path) {
        Ok(Some(yaml)) => Profile::parse(&yaml).map_err(|why| Trouble::Profile { path, why }),
        Ok(None) => Ok(Profile::default()),
        Err(error) => Err(Trouble::Profile { path, why: error.to_string() }),
    }
}
