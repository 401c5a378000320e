//! The three directories everything lives in, resolved once.
//!
//! A relative path would mean another memory in every working directory, so there is none: each variable
//! holds an absolute path or resolving fails and says which variable to change. `..` is refused as well,
//! because what it leads to depends on links, and two spellings of one memory must not get two states.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;

use crate::env::{self, EnvVar, Environment, non_empty};
use crate::shown::{shown, shown_path};

/// Where everything of one memory is kept. All paths are absolute; nothing is created here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The user's configuration: settings, guard rules, profiles.
    pub config: PathBuf,
    /// The memory itself: the log and its backups. May be synced.
    pub memory: PathBuf,
    /// Locks, spool and all that is derived. Never synced; one directory per memory path.
    pub state: PathBuf,
}

/// A variable that does not lead to a place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlaceError {
    /// The value depends on the working directory.
    #[error(
        "{variable} is {}, which is relative: it would mean another place in every working directory; \
         set it to an absolute path or unset it",
        quoted(value)
    )]
    Relative {
        /// The variable that holds it.
        variable: &'static str,
        /// What it holds.
        value: PathBuf,
    },
    /// The value goes up by `..`.
    #[error(
        "{variable} is {}, which contains `..`: where that leads depends on links; \
         set it to the path without `..` or unset it",
        quoted(value)
    )]
    Parent {
        /// The variable that holds it.
        variable: &'static str,
        /// What it holds.
        value: PathBuf,
    },
    /// None of the variables that could tell is set.
    #[error(
        "there is no place for the {directory}: none of {} is set; set one of them to an absolute path",
        listed(variables)
    )]
    Nowhere {
        /// Which directory was to be found.
        directory: &'static str,
        /// The variables that were asked, in order.
        variables: Vec<&'static str>,
    },
}

fn quoted(value: &Path) -> String {
    format!("`{}`", shown_path(value))
}

fn listed(variables: &[&'static str]) -> String {
    variables.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
}

/// A variable that may hold the base of a directory, and what is below that base.
type Base = (EnvVar, &'static [&'static str]);

#[cfg(not(windows))]
const CONFIG_BASES: &[Base] = &[(env::XDG_CONFIG_HOME, &["ai"]), (env::HOME, &[".config", "ai"])];
#[cfg(not(windows))]
const STATE_BASES: &[Base] = &[(env::XDG_STATE_HOME, &["ai"]), (env::HOME, &[".local", "state", "ai"])];

#[cfg(windows)]
const CONFIG_BASES: &[Base] = &[
    (env::XDG_CONFIG_HOME, &["ai"]),
    (env::APPDATA, &["ai"]),
    (env::USERPROFILE, &["AppData", "Roaming", "ai"]),
];
#[cfg(windows)]
const STATE_BASES: &[Base] = &[
    (env::XDG_STATE_HOME, &["ai"]),
    (env::LOCALAPPDATA, &["ai"]),
    (env::USERPROFILE, &["AppData", "Local", "ai"]),
];

impl Places {
    /// Resolves all places from the environment.
    ///
    /// Where the memory is named and nothing else is, not even a home, everything else is kept inside the memory.
    pub fn resolve(env: &dyn Environment) -> Result<Self, PlaceError> {
        if let Some(value) = non_empty(env, env::AI_MEMORY_PATH.name) {
            return Self::of_memory(env, checked(env::AI_MEMORY_PATH, value)?);
        }
        let config = first_base(env, "configuration directory", CONFIG_BASES)?;
        let memory = config.join("memory");
        let state = first_base(env, "state directory", STATE_BASES)?.join(state_name(&memory));
        Ok(Self { config, memory, state })
    }

    /// Resolves the places that go with a memory directory, given as an absolute path.
    pub fn of_memory(env: &dyn Environment, memory: PathBuf) -> Result<Self, PlaceError> {
        let inside = |base: Result<PathBuf, PlaceError>, name: &str| match base {
            Err(PlaceError::Nowhere { .. }) => Ok(memory.join(name)),
            found => found,
        };
        let config = inside(first_base(env, "configuration directory", CONFIG_BASES), "config")?;
        let state =
            inside(first_base(env, "state directory", STATE_BASES), "state")?.join(state_name(&memory));
        Ok(Self { config, memory, state })
    }

    /// The log of all writers.
    pub fn log(&self) -> PathBuf {
        self.memory.join("log")
    }

    /// The daily copies of the log.
    pub fn backups(&self) -> PathBuf {
        self.memory.join("backups")
    }

    /// The index for one schema version; versions of the program do not share one.
    pub fn index(&self, schema: u32) -> PathBuf {
        self.state.join(format!("index-{schema}.db"))
    }

    /// The user's settings.
    pub fn user_config(&self) -> PathBuf {
        self.config.join("config.yaml")
    }

    /// The settings compiled for hooks.
    pub fn compiled_config(&self) -> PathBuf {
        self.state.join("config.bin")
    }
}

fn first_base(env: &dyn Environment, directory: &'static str, bases: &[Base]) -> Result<PathBuf, PlaceError> {
    for (variable, below) in bases {
        if let Some(value) = non_empty(env, variable.name) {
            let mut path = checked(*variable, value)?;
            path.extend(*below);
            return Ok(path);
        }
    }
    let variables = bases.iter().map(|(variable, _)| variable.name).collect();
    Err(PlaceError::Nowhere { directory, variables })
}

/// Takes a value as a path in its one spelling: without `.`, doubled or trailing separators.
fn checked(variable: EnvVar, value: OsString) -> Result<PathBuf, PlaceError> {
    let value = PathBuf::from(value);
    let variable = variable.name;
    if !value.is_absolute() {
        return Err(PlaceError::Relative { variable, value });
    }
    if value.components().any(|component| component == Component::ParentDir) {
        return Err(PlaceError::Parent { variable, value });
    }
    Ok(value.components().collect())
}

/// Names the state directory of a memory: 16 hexadecimal digits, the same for every spelling of its path.
fn state_name(memory: &Path) -> String {
    let digest = hmac_sha256::Hash::hash(memory.as_os_str().as_encoded_bytes());
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    digest[..8].iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
