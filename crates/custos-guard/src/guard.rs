//! The guard as others call it: a command, a path or a tool's input in, a judgement out.

use serde::Serialize;

use crate::case::Case;
use crate::path::{self, Access};
use crate::rules::Policy;
use crate::verdict::{Finding, Hold};
use crate::walk;
use crate::world::World;

/// The guard in a world, under rules.
#[derive(Debug, Clone, Copy)]
pub struct Guard<'a> {
    /// The world.
    pub world: World<'a>,
    /// The rules in force.
    pub policy: &'a Policy,
}

/// What the guard makes of something.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// Why it is held, the strongest reason first; empty if it is not.
    pub findings: Vec<Finding>,
    /// What was looked at on the way; empty unless it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// Directories that may be in another repo, in which it would do something; the rules of their repos count, too.
    #[serde(skip)]
    pub directories: Vec<String>,
}

impl Judgement {
    /// The verdict: deny, ask, or nothing.
    pub fn verdict(&self) -> Option<Hold> {
        self.findings.first().map(|finding| finding.hold)
    }

    /// The strongest reason.
    pub fn reason(&self) -> Option<&Finding> {
        self.findings.first()
    }

    /// Adds what another judgement found.
    pub fn unite(&mut self, other: Self) {
        for finding in other.findings {
            if !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }
        self.steps.extend(other.steps);
        self.directories.extend(other.directories);
        self.sort();
    }

    fn sort(&mut self) {
        self.findings.sort_by_key(|finding| std::cmp::Reverse(finding.hold));
    }

    fn of(case: Case<'_>) -> Self {
        let mut judgement = Self {
            findings: case.findings,
            steps: case.steps.unwrap_or_default(),
            directories: case.directories,
        };
        judgement.sort();
        judgement
    }
}

impl<'a> Guard<'a> {
    /// Judges a command line.
    pub fn command(&self, text: &str) -> Judgement {
        Judgement::of(self.walked(text))
    }

    /// Judges a command line, and notes every call in it.
    pub fn explain(&self, text: &str) -> Judgement {
        let mut case = Case::new(self.world, self.policy);
        case.steps = Some(Vec::new());
        walk::judge(text, &mut case);
        Judgement::of(case)
    }

    /// Judges what is to be done with a file.
    pub fn path(&self, path: &str, access: Access) -> Judgement {
        let mut case = Case::new(self.world, self.policy);
        path::judge_path(path, access, &mut case);
        Judgement::of(case)
    }

    /// Says whether a command line has git commit or push.
    pub fn commits_or_pushes(&self, text: &str) -> bool {
        self.walked(text).commits_or_pushes
    }

    /// Says whether the person's own list allows every call of a command line.
    pub fn allowed(&self, text: &str) -> bool {
        let case = self.walked(text);
        case.judged > 0 && case.allowed == case.judged && case.findings.is_empty()
    }

    fn walked(&self, text: &str) -> Case<'a> {
        let mut case = Case::new(self.world, self.policy);
        walk::judge(text, &mut case);
        case
    }
}

pub use crate::walk::excerpt;
