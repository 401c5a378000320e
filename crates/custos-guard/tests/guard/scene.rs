//! The world in which the corpora are judged, and the cases that they are made of.
//!
//! A home in `/home/user`, a project with a repo in `/home/user/project`, a feature branch, the rules that come with the program, and a
//! disk of which nothing is known: so that a verdict depends on the command and on nothing else.

use custos_guard::Access;
use custos_guard::guard::{Guard, Judgement};
use custos_guard::rules::Policy;
use custos_guard::world::{NoFiles, Own, World};
use serde::Deserialize;

/// The branch that is checked out unless a case says otherwise.
const BRANCH: &str = "feat";

/// What a world is made of.
#[derive(Debug)]
pub(crate) struct Scene {
    own: Own,
    files: NoFiles,
    policy: Policy,
}

impl Scene {
    /// The world with a branch checked out.
    pub(crate) fn on(branch: Option<&str>) -> Self {
        let files = NoFiles { branch: Some(branch.unwrap_or(BRANCH).to_owned()) };
        Self { own: Own::default(), files, policy: Policy::builtin() }
    }

    /// The guard in it.
    pub(crate) fn guard(&self) -> Guard<'_> {
        let world = World {
            home: Some("/home/user"),
            cwd: "/home/user/project",
            root: "/home/user/project",
            own: &self.own,
            files: &self.files,
        };
        Guard { world, policy: &self.policy }
    }
}

/// What a file tool wants with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Op {
    Read,
    Write,
    Delete,
}

impl From<Op> for Access {
    fn from(op: Op) -> Self {
        match op {
            Op::Read => Self::Read,
            Op::Write => Self::Write,
            Op::Delete => Self::Delete,
        }
    }
}

/// What is right for a case; a case where people may differ is `debatable` and is not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expected {
    Deny,
    Allow,
}

/// A line of a corpus.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    cmd: Option<String>,
    path: Option<String>,
    op: Option<Op>,
    pub(crate) expect: Expected,
    pub(crate) class: String,
    #[serde(rename = "why")]
    _why: String,
    branch: Option<String>,
    #[serde(default)]
    pub(crate) debatable: bool,
}

impl Case {
    /// The guard's judgement.
    pub(crate) fn judge(&self) -> Judgement {
        let scene = Scene::on(self.branch.as_deref());
        match (&self.cmd, &self.path, self.op) {
            (Some(command), None, None) => scene.guard().command(command),
            (None, Some(path), Some(op)) => scene.guard().path(path, op.into()),
            _ => panic!("neither a command nor a path with what is done to it: {self:?}"),
        }
    }

    /// The case on one line, as somebody would say it.
    pub(crate) fn shown(&self) -> String {
        let what = match (&self.cmd, &self.path, self.op) {
            (Some(command), ..) => {
                command.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'")
            }
            (_, Some(path), Some(op)) => format!("{op:?} {path}"),
            _ => String::new(),
        };
        let branch = self.branch.as_ref().map(|branch| format!(" (on {branch})")).unwrap_or_default();
        format!("{}: {what}{branch}", self.class)
    }
}

/// Reads a data file, a JSON object on each line.
pub(crate) fn lines<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    let parse = |(number, line)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("line {}: {error}: {line}", number + 1))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(parse).collect()
}
