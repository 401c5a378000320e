//! A case before the judges: the world, the rules in force, and what was found so far.

use std::borrow::Cow;

use crate::git::{Earlier, Nested};
use crate::invocation::Invocation;
use crate::judge;
use crate::path;
use crate::rules::Policy;
use crate::verdict::{Finding, Hold, Rule};
use crate::world::World;

/// A call that is being judged.
#[derive(Debug)]
pub struct Case<'a> {
    /// The world it would run in.
    pub world: World<'a>,
    /// The rules in force.
    pub policy: &'a Policy,
    /// What was found so far, each rule and part once.
    pub findings: Vec<Finding>,
    /// Each call that was looked at, as people would write it; kept only if somebody wants to see it.
    pub steps: Option<Vec<String>>,
    /// Directories that may be in another repo, and in which something would run or lie.
    pub(crate) directories: Vec<String>,
    /// Whether the call that is being judged has to do with where the rules are for.
    is_concerned: bool,
    /// Whether git would commit or push.
    pub(crate) commits_or_pushes: bool,
    /// How many calls were judged, and how many of them the person allows.
    pub(crate) judged: usize,
    pub(crate) allowed: usize,
}

/// How many directories are noted in the project, and as many beside it; each may have rules of its own to be looked up.
const MOST_DIRECTORIES: usize = 64;
/// How many of them the words of calls may lead to. The others are for where something runs: whatever is named before, that is noted.
const MOST_LED_TO: usize = 32;

/// How deep in the project a repo of its own is looked for: each level costs a question to the file system.
const DEEPEST_REPO: usize = 4;

impl<'a> Case<'a> {
    /// Opens a case.
    pub fn new(world: World<'a>, policy: &'a Policy) -> Self {
        Self {
            world,
            policy,
            findings: Vec::new(),
            steps: None,
            directories: Vec::new(),
            is_concerned: false,
            commits_or_pushes: false,
            judged: 0,
            allowed: 0,
        }
    }

    /// Notes that a rule holds this part of the call.
    pub fn hold(&mut self, rule: &'static Rule, part: impl Into<String>) {
        self.hold_because(rule, part, rule.reason);
    }

    /// Notes that a rule holds this part of the call, for a reason that says more than the rule's own.
    pub fn hold_because(
        &mut self,
        rule: &'static Rule,
        part: impl Into<String>,
        reason: impl Into<Cow<'static, str>>,
    ) {
        let Some(hold) = self.policy.hold_of(rule) else { return };
        self.find(Finding {
            rule: Cow::Borrowed(rule.id),
            hold,
            reason: reason.into(),
            part: part.into(),
            safer: Cow::Borrowed(rule.safer),
        });
    }

    /// Adds a finding, unless it is there already.
    pub fn find(&mut self, finding: Finding) {
        if !self.findings.iter().any(|known| known.rule == finding.rule && known.part == finding.part) {
            self.findings.push(finding);
        }
    }

    /// Judges one call, in the light of what git was told earlier on the same line.
    ///
    /// Gives what git would do beyond itself.
    pub(crate) fn judge_with(&mut self, call: &Invocation, earlier: &mut Earlier) -> Vec<Nested> {
        let before = self.findings.len();
        self.look_where(call);
        let nested = judge::all(call, self, earlier);
        self.find_against(call);
        if !self.is_concerned {
            self.findings.truncate(before);
        }
        let allowed = self.policy.allows(call);
        self.judged += 1;
        self.allowed += usize::from(allowed);
        if allowed {
            self.keep_denials(before);
        }
        nested
    }

    /// Judges one call that has no history: the files of a compound command, a deed in another language.
    pub(crate) fn judge(&mut self, call: &Invocation) {
        self.judge_with(call, &mut Earlier::default());
    }

    /// Notes what the person's own rules have against a call as it is written, before it is taken apart: a wrapper, or what the shell does
    /// itself. Nobody else judges those.
    pub(crate) fn hold_as_written(&mut self, call: &Invocation) {
        if self.policy.commands.is_empty() {
            return;
        }
        self.look_where(call);
        if self.is_concerned {
            let before = self.findings.len();
            self.find_against(call);
            if self.policy.allows(call) {
                self.keep_denials(before);
            }
        }
    }

    fn find_against(&mut self, call: &Invocation) {
        let against: Vec<Finding> = self.policy.against(call).map(|rule| rule.finding(call)).collect();
        for finding in against {
            self.find(finding);
        }
    }

    /// Leaves of what was found since then what is denied: the person allows the call, so that nobody is asked about it.
    fn keep_denials(&mut self, since: usize) {
        let kept = self.findings.split_off(since).into_iter().filter(|finding| finding.hold == Hold::Deny);
        self.findings.extend(kept);
    }

    /// Notes where a call works, as far as its words and its directory say, and begins to find out whether that concerns the rules. It does
    /// where nobody knows.
    fn look_where(&mut self, call: &Invocation) {
        self.is_concerned = self.policy.only_in.is_none() || call.cwd.is_none() || call.elsewhere.is_some();
        path::told(call, self);
        if let Some(dir) = &call.cwd {
            self.works_in(dir);
        }
    }

    /// Notes a directory in which something would run, if it may be in another repo than the project's.
    pub(crate) fn works_in(&mut self, dir: &str) {
        self.note(dir, MOST_DIRECTORIES);
    }

    /// Notes a directory that words lead to, if it may be in another repo than the project's.
    pub(crate) fn leads_to(&mut self, dir: &str) {
        self.note(dir, MOST_LED_TO);
    }

    /// Notes that a call may work anywhere, also where the rules are for.
    pub(crate) const fn may_work_anywhere(&mut self) {
        self.is_concerned = true;
    }

    fn note(&mut self, dir: &str, most: usize) {
        let World { root, cwd, .. } = self.world;
        self.is_concerned |= self.policy.only_in.as_deref().is_some_and(|repo| after(dir, repo).is_some());
        let is_inside = |dir: &str| after(dir, root).is_some();
        let dir = match after(dir, root) {
            // Between the root and the working directory lies no other repo, for the root is that of the working directory.
            Some(_) if after(cwd, dir).is_some() => return,
            Some(inside) => {
                let end = inside.match_indices('/').nth(DEEPEST_REPO).map_or(inside.len(), |(at, _)| at);
                &dir[..dir.len() - inside.len() + end]
            }
            None => dir,
        };
        // Whoever looks for the repo of a directory looks at all above it.
        if self
            .directories
            .iter()
            .any(|known| known == dir || (is_inside(dir) && after(known, dir).is_some()))
        {
            return;
        }
        let beside = self.directories.iter().filter(|known| is_inside(known) == is_inside(dir));
        if beside.count() < most {
            self.directories.push(dir.to_owned());
        }
    }

    /// Notes a step for whoever wants to see how a verdict came about.
    pub(crate) fn visit(&mut self, call: &Invocation) {
        if let Some(steps) = &mut self.steps {
            let mut step = call.shown();
            for (how, file) in &call.redirects {
                let sign = match how {
                    crate::invocation::Use::Read => '<',
                    crate::invocation::Use::Write => '>',
                    crate::invocation::Use::Both => '±',
                };
                step.push_str(&format!(" {sign} {file}"));
            }
            steps.push(step);
        }
    }
}

/// The rest of a path behind a directory, empty or with a slash in front; `None` if it lies elsewhere.
fn after<'p>(path: &'p str, dir: &str) -> Option<&'p str> {
    path.strip_prefix(dir).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}
