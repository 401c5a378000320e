//! Lays the sources of the settings over each other and remembers where each value came from.
//!
//! Built-in default < user < workspace < repo < environment < flag. A value that is wrong, unknown or not
//! allowed where it stands is left out and becomes a [`Problem`]; loading itself cannot fail.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::document::{Fault, Found, FoundValue, find_values};
use crate::env::{Environment, non_empty};
use crate::nearest::UnknownKey;
use crate::paths::Places;
use crate::problem::{Problem, ProblemKind, Spot};
use crate::settings::{Row, Settings, TABLE, row};
use crate::shown::shown_path;
use crate::source::{Links, read_text};
use crate::value::{RepoRule, Value};

/// The largest settings file that is read.
pub(crate) const LARGEST_FILE: u64 = 1024 * 1024;

/// The layers, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// What the program was built with.
    Default,
    /// The user's own file.
    User,
    /// The file of the workspace.
    Workspace,
    /// The file of the repo.
    Repo,
    /// Environment variables.
    Environment,
    /// The command line.
    Flag,
}

impl Layer {
    /// Tells whether a layer's file came from elsewhere and is therefore held to its row's [`RepoRule`].
    fn comes_with_a_clone(self) -> bool {
        matches!(self, Self::Workspace | Self::Repo)
    }

    pub(crate) fn links(self) -> Links {
        if self.comes_with_a_clone() { Links::Refuse } else { Links::Follow }
    }
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// A line of a file.
    File {
        /// Whose file.
        layer: Layer,
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// An environment variable.
    Variable(String),
    /// A flag of the command line.
    Flag,
}

impl Origin {
    /// The layer of the origin.
    pub fn layer(&self) -> Layer {
        match self {
            Self::Default => Layer::Default,
            Self::File { layer, .. } => *layer,
            Self::Variable(_) => Layer::Environment,
            Self::Flag => Layer::Flag,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { layer, path, line } => {
                let whose = match layer {
                    Layer::Workspace => "workspace",
                    Layer::Repo => "repo",
                    _ => "user",
                };
                write!(f, "{whose} {}:{line}", shown_path(path))
            }
            Self::Variable(name) => write!(f, "environment {name}"),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// The directories whose `.ai/config.yaml` take part.
#[derive(Debug, Clone, Copy, Default)]
pub struct Roots<'a> {
    /// The workspace, if there is one.
    pub workspace: Option<&'a Path>,
    /// The repo, if there is one.
    pub repo: Option<&'a Path>,
}

/// The settings in force, where they came from, and what was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The settings in force.
    pub settings: Settings,
    /// What was left out, in the order of the layers and lines.
    pub problems: Vec<Problem>,
    origins: BTreeMap<&'static str, Origin>,
}

/// One setting as it is in force.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The setting.
    pub row: &'static Row,
    /// Its value.
    pub value: Value,
    /// Where the value came from.
    pub origin: Origin,
}

/// Loads the settings from all layers. `flags` are pairs of key and value, the last one wins.
pub fn load(places: &Places, roots: Roots<'_>, env: &dyn Environment, flags: &[(String, String)]) -> Loaded {
    let mut loaded = load_files(&files(places, roots));
    loaded.apply_environment(env);
    loaded.apply_flags(flags);
    loaded
}

/// The files that take part, the weakest first.
pub(crate) fn files(places: &Places, roots: Roots<'_>) -> Vec<(Layer, PathBuf)> {
    let below = |root: &Path| root.join(".ai").join("config.yaml");
    // A directory that is both is one project and has one file.
    let workspace = roots.workspace.filter(|workspace| Some(*workspace) != roots.repo);
    let mut files = vec![(Layer::User, places.user_config())];
    files.extend(workspace.map(|root| (Layer::Workspace, below(root))));
    files.extend(roots.repo.map(|root| (Layer::Repo, below(root))));
    files
}

pub(crate) fn load_files(files: &[(Layer, PathBuf)]) -> Loaded {
    let mut loaded = Loaded::of(Settings::default());
    for (layer, path) in files {
        loaded.apply_file(*layer, path);
    }
    loaded
}

impl Loaded {
    /// Begins with given settings, whose origins are not known or not wanted.
    pub(crate) fn of(settings: Settings) -> Self {
        Self { settings, problems: Vec::new(), origins: BTreeMap::new() }
    }

    /// Every setting as it is in force, in the order of the table.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        TABLE.iter().map(|row| self.entry(row))
    }

    /// One setting as it is in force.
    pub fn get(&self, key: &str) -> Result<Entry, UnknownKey> {
        row(key).map(|row| self.entry(row)).ok_or_else(|| UnknownKey::key(key))
    }

    fn entry(&self, row: &'static Row) -> Entry {
        let origin = self.origins.get(row.key).cloned().unwrap_or(Origin::Default);
        Entry { row, value: row.value(&self.settings), origin }
    }

    fn apply_file(&mut self, layer: Layer, path: &Path) {
        let text = match read_text(path, LARGEST_FILE, layer.links()) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(error) => {
                let spot = Spot::File(path.to_owned());
                return self.problems.push(Problem { spot, kind: ProblemKind::Unreadable(error) });
            }
        };
        let Found { values, mut faults } = find_values(&text);
        for FoundValue { row, value, at } in values {
            if let Some(kind) = self.objection(layer, row, &value) {
                faults.push(Fault { at, kind });
                continue;
            }
            row.put(&mut self.settings, &value);
            self.origins.insert(row.key, Origin::File { layer, path: path.to_owned(), line: at.line });
        }
        faults.sort_by_key(|fault| (fault.at.line, fault.at.column));
        self.problems.extend(faults.into_iter().map(|fault| fault.in_file(path)));
    }

    /// Says why a layer may not set this value.
    fn objection(&self, layer: Layer, row: &'static Row, value: &Value) -> Option<ProblemKind> {
        if !layer.comes_with_a_clone() {
            return None;
        }
        let key = row.key;
        match row.repo {
            RepoRule::Free => None,
            RepoRule::Forbidden => Some(ProblemKind::NotForRepo { key }),
            RepoRule::Tighten(is_tighter) => {
                let current = row.value(&self.settings);
                (!is_tighter(&current, value)).then(|| ProblemKind::Loosens {
                    key,
                    proposed: value.to_string(),
                    current: match current {
                        Value::Unset => "the built-in table".to_owned(),
                        current => current.to_string(),
                    },
                })
            }
        }
    }

    pub(crate) fn apply_environment(&mut self, env: &dyn Environment) {
        for row in TABLE {
            let variable = row.variable();
            let Some(text) = non_empty(env, &variable) else { continue };
            let kind = match text.to_str().map(|text| row.read_text(text)) {
                // Whoever starts an agent hands it an environment, and agents start agents: the guard is not switched off that way.
                Some(Ok(_)) if row.section() == "guard" => ProblemKind::NotFromEnvironment { key: row.key },
                Some(Ok(value)) => {
                    row.put(&mut self.settings, &value);
                    self.origins.insert(row.key, Origin::Variable(variable));
                    continue;
                }
                Some(Err(wrong)) => ProblemKind::Wrong(wrong),
                None => ProblemKind::NotText { expected: row.kind.to_string() },
            };
            self.problems.push(Problem { spot: Spot::Variable(variable), kind });
        }
    }

    fn apply_flags(&mut self, flags: &[(String, String)]) {
        for (key, text) in flags {
            let kind = match row(key).map(|row| (row, row.read_text(text))) {
                Some((row, Ok(value))) => {
                    row.put(&mut self.settings, &value);
                    self.origins.insert(row.key, Origin::Flag);
                    continue;
                }
                Some((_, Err(wrong))) => ProblemKind::Wrong(wrong),
                None => ProblemKind::Unknown(UnknownKey::key(key)),
            };
            self.problems.push(Problem { spot: Spot::Flag(key.clone()), kind });
        }
    }
}
