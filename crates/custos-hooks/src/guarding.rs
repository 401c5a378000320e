//! The phase that judges: a tool call before it runs, and a request for permission.
//!
//! It looks and answers; it writes nothing itself. What it held is recorded by the phase after it, in the place of the call that did not
//! run. Where it cannot judge, it asks: a call that nobody understood must not pass in silence.

mod sources;

use std::path::Path;
use std::time::{Duration, Instant};

use custos_clients::manifest::Reach;
use custos_clients::overrides::Overrides;
use custos_clients::tool::{Act, Deed, Known, act, known, spelled};
use custos_clients::{Happening, HookEvent, Moment, ToolCall, Verdict};
use custos_config::Project;
use custos_guard::gate::{self, PullRequests};
use custos_guard::rules::{self, Flag, Policy};
use custos_guard::triage::{self, Decision, Parts};
use custos_guard::world::Own;
use custos_guard::{Access, CATALOGUE, Finding, Guard, Hold, Judgement, World};
use custos_guard::{decisions, delegation};

use crate::advising::{self, Counsel};
use crate::scribe::Scribe;
use crate::touched;
use crate::wording::{Entry, way_through, words};
use crate::world::Disk;

pub use sources::{Elsewhere, RULES_CACHE, sources};

/// What the guard takes from outside.
pub struct Watch<'a> {
    /// The state directory, in which the compiled rules are.
    pub state: &'a Path,
    /// What is ours and not the agent's to change.
    pub own: &'a Own,
    /// Whether requests for permission are answered where the answer is certain.
    pub triage: bool,
    /// Who is asked about requests that nothing else decides, if anybody.
    pub advisor: Option<Counsel<'a>>,
    /// Whether those who lead are kept from working themselves.
    pub delegation: bool,
    /// Who knows the state of a pull request, for the commit gate.
    pub pull_requests: &'a dyn PullRequests,
}

/// How long the commit gate may ask for a pull request.
const GATE_PATIENCE: Duration = Duration::from_secs(8);

/// How many new or changed decisions prove themselves at the beginning of a session, and in a hook that comes upon a change.
const PROVEN_AT_START: usize = 20;
const PROVEN_ON_THE_WAY: usize = 2;

/// What a call is held by that could not be judged.
const UNJUDGED: &str = "guard.unjudged";

/// What the guard made of a call, and what becomes of it.
#[derive(Debug, Default)]
pub(crate) struct Ruling {
    /// What the client is told.
    pub(crate) verdict: Option<Verdict>,
    /// What is recorded about it.
    pub(crate) noted: Option<Noted>,
    /// What the model should know.
    pub(crate) context: Option<String>,
}

/// A verdict as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Noted {
    /// `deny`, `ask` or `allow`.
    pub(crate) verdict: &'static str,
    /// The rule's id; empty for an allowance.
    pub(crate) rule: String,
    /// Why.
    pub(crate) reason: String,
    /// The part that offends.
    pub(crate) part: String,
    /// Whether it answers a request for permission.
    pub(crate) permission: bool,
}

/// The rules in force where a call is made, with what the guard needs around them.
pub(crate) struct Bench<'a> {
    scribe: &'a Scribe<'a>,
    watch: &'a Watch<'a>,
    event: &'a HookEvent,
    cwd: &'a str,
    root: &'a str,
    disk: Disk,
    policy: Policy,
}

/// Judges an event of a moment that can be judged.
pub(crate) fn judge(
    scribe: &Scribe<'_>,
    watch: &Watch<'_>,
    event: &HookEvent,
    project: Option<&Project>,
    session_root: Option<&str>,
    overrides: &Overrides,
) -> Ruling {
    let (call, asked) = match &event.happening {
        Happening::ToolStarting { call } => (call, false),
        Happening::PermissionAsked { call } => (call, true),
        _ => return Ruling::default(),
    };
    let Some(bench) = Bench::new(scribe, watch, event, project, session_root) else {
        return cannot_judge("the client does not say in which directory it works");
    };
    let known = known(scribe.client.tools, overrides, &call.tool);
    let spelled = spelled(scribe.client.tools, overrides, call);
    let act = match &spelled {
        Some(with) => Some(Act { deed: Deed::Shell, with }),
        None => act(scribe.client.tools, overrides, call),
    };
    let moved = act.and_then(|act| elsewhere(call, act));
    let act = moved.as_deref().map(|with| Act { deed: Deed::Shell, with }).or(act);
    let mut judgement = bench.tool(call, act, known);
    if asked {
        return bench.permission(call, act, known, judgement);
    }
    let mut context = None;
    if let Some(finding) = bench.gate(act) {
        judgement.unite(Judgement { findings: vec![finding], steps: Vec::new(), ..Judgement::default() });
    }
    // Beside another client's entry the same use would count twice.
    if watch.delegation && scribe.around.records {
        match bench.delegation(call, act) {
            delegation::Outcome::Silent => {}
            delegation::Outcome::Warn(text) => context = Some(text),
            delegation::Outcome::Stop(text) => judgement.unite(Judgement {
                findings: vec![Finding {
                    rule: delegation::WORKS_ITSELF.id.into(),
                    hold: Hold::Deny,
                    reason: text.into(),
                    part: call.tool.clone(),
                    safer: delegation::WORKS_ITSELF.safer.into(),
                }],
                ..Judgement::default()
            }),
        }
    }
    Ruling { context, ..bench.rule(call, &judgement, act, known) }
}

/// Has the project's decisions prove themselves, and tells what is wrong with them and with the rules files; at the beginning of a session.
pub(crate) fn problems(
    scribe: &Scribe<'_>,
    watch: &Watch<'_>,
    event: &HookEvent,
    project: Option<&Project>,
) -> Option<String> {
    let bench = Bench::new(scribe, watch, event, project, None)?;
    let root = Path::new(bench.root);
    let checked = decisions::check(root, &decisions::cache(watch.state, root), PROVEN_AT_START);
    let checked = checked.unwrap_or_else(|error| {
        scribe.trouble(&format!("the enforced decisions cannot be kept: {error}"));
        Vec::new()
    });
    let refused = checked.iter().filter_map(|decision| {
        let why = decision.problem.as_ref()?;
        Some(format!("decision {} is not enforced: {why}", decision.id))
    });
    let problems: Vec<String> = bench.policy.problems.iter().cloned().chain(refused).collect();
    let first = problems.first()?;
    let more = if problems.len() > 1 { format!(" (and {} more)", problems.len() - 1) } else { String::new() };
    Some(format!("Custos: {first}{more}. Tell the person; `custos guard rules` shows what is in force."))
}

/// Says in one line what is held here, for a model that begins.
pub fn summary(config: &Path, state: &Path, project: &Project, home: Option<&str>) -> String {
    const BRANCHES: usize = 6;
    let sources = sources(config, None, project, home);
    let policy = rules::load_fast(&sources, &state.join(RULES_CACHE), CATALOGUE);
    let rows = rules::show::rows(&policy, &sources, CATALOGUE);
    let mut branches: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| row.kind == "branch") {
        let name = custos_recall::fence::cut(&row.name, 30);
        if !branches.contains(&name) {
            branches.push(name);
        }
    }
    let more = if branches.len() > BRANCHES { " and others" } else { "" };
    branches.truncate(BRANCHES);
    let own = match rows.iter().filter(|row| matches!(row.kind, "command" | "path")).count() {
        0 => String::new(),
        1 => "; 1 rule beside the built-in ones".to_owned(),
        count => format!("; {count} rules beside the built-in ones"),
    };
    let branches = branches.join(", ");
    format!("- Guard: holds destructive commands and pushes to {branches}{more}{own} (tool `safety`)")
}

/// Asks, because a call could not be judged.
pub(crate) fn cannot_judge(why: &str) -> Ruling {
    let reason = format!("Custos could not judge this call, because {why}. `custos doctor` says more.");
    let noted = Noted {
        verdict: "ask",
        rule: UNJUDGED.to_owned(),
        reason: why.to_owned(),
        part: String::new(),
        permission: false,
    };
    Ruling { verdict: Some(Verdict::Ask(reason)), noted: Some(noted), context: None }
}

impl<'a> Bench<'a> {
    fn new(
        scribe: &'a Scribe<'a>,
        watch: &'a Watch<'a>,
        event: &'a HookEvent,
        project: Option<&'a Project>,
        session_root: Option<&str>,
    ) -> Option<Self> {
        let cwd = event.cwd.as_deref().filter(|cwd| cwd.starts_with('/') || cfg!(windows))?;
        let root = project.and_then(|project| project.root.to_str()).unwrap_or(cwd);
        let repo = Path::new(root);
        let unknown = || Project { root: repo.to_owned(), identity: String::new(), repo: None };
        let here = project.cloned().unwrap_or_else(unknown);
        let sources = sources(scribe.around.config, session_root.map(Path::new), &here, scribe.around.home);
        let mut policy = rules::load_fast(&sources, &watch.state.join(RULES_CACHE), CATALOGUE);
        for root in sources.roots() {
            decisions::enforce(&mut policy, watch.state, root, PROVEN_ON_THE_WAY);
        }
        let disk = match project {
            Some(project) => Disk::knowing(Path::new(cwd), project),
            None => Disk::default(),
        };
        Some(Self { scribe, watch, event, cwd: cwd.trim_end_matches('/'), root, disk, policy })
    }

    fn guard<'b>(&'b self, policy: &'b Policy) -> Guard<'b> {
        let home = self.scribe.around.home;
        // `/` has no slash at its end to spare.
        let cwd = if self.cwd.is_empty() { "/" } else { self.cwd };
        Guard { world: World { home, cwd, root: self.root, own: self.watch.own, files: &self.disk }, policy }
    }

    /// Judges what a call would do, also by the rules of the other repos that it would do it in.
    fn tool(&self, call: &ToolCall, act: Option<Act<'_>>, known: Option<Known<'_>>) -> Judgement {
        let elsewhere =
            Elsewhere { config: self.scribe.around.config, state: self.watch.state, root: self.root };
        elsewhere.unite(tool(&self.guard(&self.policy), call, act, known), |policy| {
            tool(&self.guard(policy), call, act, known)
        })
    }

    /// The commit gate, where it is switched on.
    fn gate(&self, act: Option<Act<'_>>) -> Option<Finding> {
        let text = act.filter(|act| act.deed == Deed::Shell)?.with;
        if !self.policy.flag(Flag::CommitGate) || !self.guard(&self.policy).commits_or_pushes(text) {
            return None;
        }
        let deadline = Instant::now() + GATE_PATIENCE;
        let refusal = gate::check(text, self.watch.pull_requests, deadline).err()?;
        Some(refusal.finding(custos_guard::guard::excerpt(text)))
    }

    fn delegation(&self, call: &ToolCall, act: Option<Act<'_>>) -> delegation::Outcome {
        let session = delegation::Session {
            root: Path::new(self.root),
            config: Some(self.scribe.around.config),
            id: &self.event.session,
        };
        let agent = self.event.agent.as_ref();
        let clues = delegation::Clues {
            agent_role: self.scribe.around.role.as_deref(),
            is_subagent: agent.map(|_| true),
            agent_type: agent.and_then(|agent| agent.kind.as_deref()),
        };
        let (role, trouble) = delegation::role::tell(clues, session);
        let mut touched = touched::Touched::default();
        if let Some(Act { deed: Deed::Patch, with }) = act {
            touched::by_patch(with, self.cwd, &mut touched);
        }
        let mut paths: Vec<&Path> = touched.changed.iter().map(Path::new).collect();
        let deed = match act {
            Some(Act { deed: Deed::Shell, with }) if self.proves(with) => delegation::Deed::Read,
            Some(Act { deed: Deed::Shell, .. }) => delegation::Deed::Shell,
            Some(Act { deed: Deed::Read, .. }) => delegation::Deed::Read,
            Some(Act { deed: Deed::Change | Deed::Delete, with }) => {
                paths.push(Path::new(with));
                delegation::Deed::Change
            }
            Some(Act { deed: Deed::Patch, .. }) => delegation::Deed::Change,
            Some(Act { deed: Deed::Delegate, .. }) => delegation::Deed::Delegate,
            None => delegation::Deed::Other,
        };
        let used = delegation::Use { tool: &call.tool, deed, paths: &paths };
        let now = std::time::UNIX_EPOCH
            + Duration::from_millis(u64::try_from(self.scribe.now.as_millis()).unwrap_or_default());
        let checked = delegation::check(session, role, &used, now);
        for trouble in checked.troubles.iter().chain(&trouble) {
            self.scribe.trouble(&trouble.to_string());
        }
        checked.outcome
    }

    /// Says whether a command is proven to only read.
    fn proves(&self, text: &str) -> bool {
        self.proof(text).is_ok()
    }

    fn proof(&self, text: &str) -> Result<triage::Proof, triage::Doubt> {
        let guard = self.guard(&self.policy);
        let trusted =
            rules::trust::is_listed(&rules::trust::file(self.scribe.around.config), Path::new(self.root));
        triage::prove(text, &guard.world, trusted, &|path| guard.path(path, Access::Read).verdict().is_none())
    }

    /// Turns what was found before a tool into what the client is told.
    fn rule(
        &self,
        call: &ToolCall,
        judgement: &Judgement,
        act: Option<Act<'_>>,
        known: Option<Known<'_>>,
    ) -> Ruling {
        let Some(finding) = judgement.reason() else { return Ruling::default() };
        // A client that cannot ask denies; it is said, recorded and counted as what it is.
        let hold = if self.can_ask() { finding.hold } else { Hold::Deny };
        let mut text = words(&judgement.findings, hold, act);
        let verdict = match (finding.hold, hold) {
            (Hold::Ask, Hold::Deny) => {
                text.push_str(" This client cannot ask the person from a hook: ask them.");
                text.push_str(&way_through(&judgement.findings, act, |entry| {
                    self.lets_pass(entry, call, act, known)
                }));
                Verdict::Deny(text)
            }
            (_, Hold::Deny) => Verdict::Deny(text),
            (_, Hold::Ask) => Verdict::Ask(text),
        };
        Ruling { verdict: Some(verdict), noted: Some(noted(finding, hold, false)), context: None }
    }

    /// Says whether an entry of the person's own list would let a call pass.
    fn lets_pass(
        &self,
        entry: &Entry,
        call: &ToolCall,
        act: Option<Act<'_>>,
        known: Option<Known<'_>>,
    ) -> bool {
        let policy = match entry {
            Entry::Command(pattern) => self.policy.allowing(pattern),
            Entry::Path(pattern) => self.policy.allowing_path(pattern),
        };
        policy.is_some_and(|policy| tool(&self.guard(&policy), call, act, known).verdict().is_none())
    }

    fn can_ask(&self) -> bool {
        let mut rows = self.scribe.client.manifest.events.iter();
        rows.any(|row| row.moment == Moment::ToolStarting && row.verdict == Reach::DenyAsk)
    }

    /// Answers a request for permission, where the answer is certain.
    fn permission(
        &self,
        call: &ToolCall,
        act: Option<Act<'_>>,
        known: Option<Known<'_>>,
        judgement: Judgement,
    ) -> Ruling {
        let denial = judgement.reason().filter(|finding| finding.hold == Hold::Deny).cloned();
        if let Some(finding) = denial {
            let text = words(&judgement.findings, Hold::Deny, act);
            return Ruling {
                verdict: Some(Verdict::Deny(text)),
                noted: Some(noted(&finding, Hold::Deny, true)),
                context: None,
            };
        }
        // What somebody says about a tool of their own proves nothing.
        let is_builtin = known.is_some_and(|known| known.is_builtin);
        let triaged = act.filter(|act| act.deed == Deed::Shell && is_builtin && self.watch.triage);
        let Some(text) = triaged.map(|act| act.with) else { return Ruling::default() };
        let listed = self.guard(&self.policy).allowed(text);
        let mut parts = Parts {
            danger: Ok(judgement.findings),
            proof: self.proof(text),
            listed: Ok(listed.then(|| "a rule of the person's own".to_owned())),
            advice: None,
        };
        if let Some(counsel) = self.watch.advisor.filter(|_| parts.is_open() && self.scribe.around.records) {
            parts.advice = advising::ask(self.scribe, self.watch.state, counsel, text, self.cwd);
        }
        match triage::decide(parts) {
            Decision::Allow { why } => Ruling {
                verdict: Some(Verdict::Allow),
                noted: Some(Noted {
                    verdict: "allow",
                    rule: String::new(),
                    reason: why,
                    part: call.tool.clone(),
                    permission: true,
                }),
                context: None,
            },
            Decision::Deny { .. } | Decision::None { .. } => Ruling::default(),
        }
    }
}

/// Spells a command together with the directory that some shell tools take beside it; none if the tool was given none.
fn elsewhere(call: &ToolCall, act: Act<'_>) -> Option<String> {
    const FIELDS: [&str; 5] = ["workdir", "dir_path", "directory", "cwd", "working_directory"];
    let named = |field: &&str| {
        let dir = call.input.get(*field).or_else(|| call.input.get("action")?.get(*field));
        dir?.as_str().filter(|dir| !dir.is_empty())
    };
    let dir = FIELDS.iter().find_map(named).filter(|_| act.deed == Deed::Shell)?;
    // A line of its own, so that whatever the command begins with stays what it is.
    Some(format!("cd '{}'\n{}", dir.replace('\'', "'\\''"), act.with))
}

/// Judges what a call would do.
fn tool(guard: &Guard<'_>, call: &ToolCall, act: Option<Act<'_>>, known: Option<Known<'_>>) -> Judgement {
    let mut judgement = match act {
        Some(Act { deed: Deed::Shell, with }) => guard.command(with),
        Some(Act { deed: Deed::Read, with }) => guard.path(with, Access::Read),
        Some(Act { deed: Deed::Change, with }) => guard.path(with, Access::Write),
        Some(Act { deed: Deed::Delete, with }) => guard.path(with, Access::Delete),
        Some(Act { deed: Deed::Patch | Deed::Delegate, .. }) | None => Judgement::default(),
    };
    match known {
        Some(Known { deed: Deed::Patch, .. }) => {
            let mut files = Vec::new();
            patches(&call.input, &|_| true, &mut files);
            if files.is_empty() {
                judgement.unite(guard.unreadable(&call.tool));
            }
            judgement.unite(patched(guard, &files));
        }
        Some(Known { deed: Deed::Shell, .. }) if act.is_none() && !is_empty(&call.input) => {
            judgement.unite(guard.unreadable(&call.tool));
        }
        _ => {}
    }
    // What others say about a tool is believed where it holds a call, and not where it would let one pass.
    if act.is_none() || known.is_none_or(|known| !known.is_builtin) {
        judgement.unite(guard.input(&call.tool, &call.input));
        let mut files = Vec::new();
        patches(&call.input, &|text| text.contains("*** Begin Patch"), &mut files);
        judgement.unite(patched(guard, &files));
    }
    judgement
}

fn is_empty(input: &serde_json::Value) -> bool {
    input.is_null() || input.as_object().is_some_and(serde_json::Map::is_empty)
}

/// Collects the files of every patch in an input.
fn patches(input: &serde_json::Value, is_patch: &dyn Fn(&str) -> bool, files: &mut Vec<(String, Access)>) {
    match input {
        serde_json::Value::String(text) if is_patch(text) => files.extend(touched::could_touch(text)),
        serde_json::Value::Array(values) => values.iter().for_each(|value| patches(value, is_patch, files)),
        serde_json::Value::Object(fields) => {
            fields.values().for_each(|value| patches(value, is_patch, files));
        }
        _ => {}
    }
}

/// Judges the files of patches.
fn patched(guard: &Guard<'_>, files: &[(String, Access)]) -> Judgement {
    const MOST: usize = 2000;
    let mut judgement = Judgement::default();
    for (path, access) in files.iter().take(MOST) {
        judgement.unite(guard.path(path, *access));
    }
    if files.len() > MOST {
        judgement.unite(guard.unreadable("a patch of very many files"));
    }
    judgement
}

fn noted(finding: &Finding, hold: Hold, permission: bool) -> Noted {
    Noted {
        verdict: if hold == Hold::Deny { "deny" } else { "ask" },
        rule: finding.rule.to_string(),
        reason: finding.reason.to_string(),
        part: finding.part.clone(),
        permission,
    }
}
