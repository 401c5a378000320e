//! The tools about the guard's rules. They add; taking away is for a person at their command line.

use std::path::Path;

use custos_config::shown::{shown, shown_path, typed};
use custos_guard::rules::edit::EditError;
use custos_guard::rules::show::{Row, rows};
use custos_guard::rules::sources::workspace_above;
use custos_guard::rules::{
    self, Change, Entry, Level as RulesLevel, List, Ops, Place, Policy, Sources, edit, whole_of,
};
use custos_guard::{CATALOGUE, decisions};
use custos_knowledge::base::{Stack, Targets, View};
use custos_knowledge::keeping::not_taken;
use custos_knowledge::{Cause, Level, Nature, Refusal, Store};
use custos_model::Kind;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::close::Action;
use super::kept::{Saved, noted_at_home};
use crate::answer::{Answer, Unvouched, one_line, place, whose, with_notes};
use crate::desk::{Caller, Desk};
use crate::fields::Arguments;
use crate::pages;

/// What can be added.
pub(super) const RULE_TYPES: &[&str] =
    &["git_protected_branch", "bash_deny", "bash_allow", "fs_deny", "fs_readonly"];

/// The rules of a store, below it.
const RULES_FILE: &str = "policies/safety.yaml";

/// The compiled rules, in the state directory.
const RULES_CACHE: &str = "rules.bin";

/// How many new or changed decisions prove themselves when somebody asks for the rules; the others do so when the guard comes upon them.
const PROVEN: usize = 2;

/// The rules files of a view, as the guard names them.
pub(super) fn sources(desk: &Desk, view: &View) -> Sources {
    let of = |level: RulesLevel| {
        let mut stores = view.stacks.iter().map(|stack| &*stack.store);
        stores.find(|store| rules_level(view, store) == level).map(|store| store.root.as_path())
    };
    let repo = of(RulesLevel::Repo);
    // The guard looks for a workspace above a repo, also where the knowledge base does not.
    let above = || repo.and_then(|repo| workspace_above(repo, desk.places.home.as_deref()));
    Sources::new(Some(&desk.places.config), of(RulesLevel::Workspace).or_else(above), repo)
}

/// The rules in force in a view: those that people wrote first, with the decisions that the guard enforces, then the built-in ones. `decided`
/// adds the decisions of a root.
fn in_force(
    desk: &Desk,
    view: &View,
    decided: impl Fn(&mut Policy, (RulesLevel, &Path)),
) -> (Vec<Row>, Vec<String>) {
    let sources = sources(desk, view);
    let mut loaded = rules::load(&sources, &desk.places.state.join(RULES_CACHE), CATALOGUE);
    sources.roots().for_each(|root| decided(&mut loaded.policy, root));
    // Both quote what a person wrote into a file by hand, private text and all.
    let clean = |text: &str| custos_redact::redact(text).into_owned();
    let problems = loaded.problems.iter().map(|problem| clean(&problem.to_string())).collect();
    let mut rows = rows(&loaded.policy, &sources, CATALOGUE);
    for row in &mut rows {
        (row.name, row.about) = (clean(&row.name), clean(&row.about));
    }
    (rows, problems)
}

/// Has the decisions of a view prove themselves, so that nobody waits for it who asks for the rules.
pub(crate) fn prove_ahead(desk: &Desk, view: &View) {
    let state = &desk.places.state;
    for (_, root) in sources(desk, view).roots() {
        // What cannot be kept is enforced as it was, and the guard says so.
        let _ = decisions::check(root, &decisions::cache(state, root), PROVEN);
    }
}

/// Has those decisions prove themselves that came since.
pub(crate) fn prove_on(desk: &Desk, view: &View) {
    for (_, root) in sources(desk, view).roots() {
        decisions::catch_up(&desk.places.state, root, PROVEN);
    }
}

pub(super) fn safety(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let (rows, problems) = in_force(desk, &view, |policy, root| {
        decisions::enforce(policy, &desk.places.state, root, PROVEN);
    });
    let (built_in, own): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.kind == "built-in");
    let unvouched = Unvouched::of(&desk.base, &view);
    let mut list = pages::List::beginning_with(unvouched.caution());
    list.say("## Rules of this project and of the person\n\n");
    for row in &own {
        list.item(told(row));
    }
    for problem in &problems {
        list.say(&format!("- **broken**: {problem}\n"));
    }
    list.say(&format!("\n## Built-in rules ({})\n\n", built_in.len()));
    for row in &built_in {
        list.item(told(row));
    }
    list.say("\n`update_safety` adds a rule. Only a person takes one away: `custos guard remove NAME --level LEVEL` with the level that it comes from, or `custos decisions archive` for a decision. `custos guard test 'COMMAND'` explains a verdict.");
    let page = list.page(arguments.number("page"));
    let shown = [own, built_in].concat();
    let mut data = json!({
        "rules": shown[page.items.clone()], "problems": if page.number == 1 { problems } else { Vec::new() }, "total": rows.len(),
        "page": page.number, "pages": page.of,
    });
    unvouched.mark(&mut data);
    Ok(Answer::new(page.text, data))
}

fn told(row: &Row) -> String {
    let about = if row.about.is_empty() { String::new() } else { format!(": {}", row.about) };
    let origin = row.origin.join("; ");
    let origin = if origin == "built-in" { String::new() } else { format!(" ({origin})") };
    format!("- {} {} **{}**{about}{origin}\n", row.effect, row.kind, row.name)
}

/// How many branches and rules the start of a session shows.
const BRANCHES: usize = 8;
const RULES: usize = 6;

/// The rules in a few lines, for the start of a session; without those of a view that was told before.
pub(super) fn summary(desk: &Desk, view: &View, told_before: Option<&View>) -> String {
    // As they were last looked at: a session does not wait for proofs, and the guard looked when it began.
    let in_force = |view: &View| {
        in_force(desk, view, |policy, root| decisions::add_known(policy, &desk.places.state, root))
    };
    let (mut rows, mut problems) = in_force(view);
    if let Some((known, known_problems)) = told_before.map(in_force) {
        rows.retain(|row| !known.contains(row));
        problems.retain(|problem| !known_problems.contains(problem));
    }
    let mut branches: Vec<String> =
        rows.iter().filter(|row| row.kind == "branch").map(|row| one_line(&row.name, 30)).collect();
    branches.dedup();
    let rules: Vec<String> = rows
        .iter()
        .filter(|row| matches!(row.kind, "command" | "path") && row.effect != "allow")
        .map(|row| one_line(&format!("{} {}", row.effect, row.about), 80))
        .collect();
    let mut lines = Vec::new();
    if !branches.is_empty() {
        lines.push(format!("Protected branches: {}.", few(&branches, BRANCHES, ", ")));
    }
    if !rules.is_empty() {
        lines.push(format!("Rules beside the built-in ones: {}", few(&rules, RULES, "; ")));
    }
    lines.extend(
        problems.iter().take(1).map(|problem| format!("A rules file is broken: {}", one_line(problem, 120))),
    );
    lines.join("\n")
}

/// Lists the first of some things, and says how many more there are and what shows them.
fn few(all: &[String], most: usize, between: &str) -> String {
    match all.len().checked_sub(most) {
        Some(more @ 1..) => format!("{}{between}and {more} more (`safety`)", all[..most].join(between)),
        _ => all.join(between),
    }
}

/// What became of a rule in one store.
#[derive(Debug, Serialize)]
pub(super) struct Added {
    pub(super) rule_type: String,
    pub(super) value: String,
    pub(super) level: Level,
    pub(super) store: String,
    pub(super) created: bool,
    /// The other stores of its scope, which did not take it; said once, with the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) refused: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl Saved for Added {
    fn place(&self) -> (Level, &str, &str) {
        (self.level, &self.store, RULES_FILE)
    }

    fn is_written(&self) -> bool {
        self.created
    }

    fn notes(&mut self) -> (&mut Vec<String>, &mut Vec<String>) {
        (&mut self.notes, &mut self.refused)
    }

    fn refused(&self) -> &[String] {
        &self.refused
    }
}

pub(super) fn update_safety(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let added = add(desk, &view, arguments)?;
    let texts: Vec<String> = added.iter().map(told_added).collect();
    Ok(Answer::new(texts.join("\n"), json!({ "added": added })))
}

pub(super) fn told_added(added: &Added) -> String {
    let what = if added.created { "added" } else { "in force already" };
    let place = place(added.level, &added.store);
    let text = format!("{} {what}: {} · {place}", added.rule_type, added.value);
    with_notes(text, &added.notes)
}

/// Adds a rule to every store that its scope names. One that refuses does not keep it from the others; only if all of them do, it is refused.
pub(super) fn add(desk: &Desk, view: &View, arguments: &Arguments) -> Result<Vec<Added>, Refusal> {
    let rule_type = arguments.text("rule_type").to_owned();
    if desk.base.has_secret(arguments.text("value")) {
        return Err(Refusal::new(
            "value has a secret in it, which is not kept, and without it the rule would hold nothing",
            "Send a pattern that does without it (`*` stands for any word); nothing was changed",
        ));
    }
    let sent = desk.base.clean("value", arguments.text("value"))?;
    // As agents write a pattern into a text.
    let value = rules::bare(&sent).to_owned();
    let scope = arguments.texts("scope");
    let targets = desk.base.targets(&scope, view);
    only_adds(arguments.unknown(), || taken_away(desk, view, &targets, &rule_type, &value))?;
    if value.is_empty() || value.contains('\n') {
        return Err(Refusal::new("value is empty or has several lines", "Send one branch, command or path"));
    }
    let entry = entry(desk.caller, &rule_type, &value)?;
    let value = if let Entry::Branch(name) = &entry { name.clone() } else { value };
    let (mut all, mut refused) = (Vec::new(), Vec::new());
    for stack in &targets.stacks {
        let change = match write(desk, view, stack, &entry) {
            Ok(change) => change,
            Err(refusal) => {
                refused.push((stack.store.name.as_str(), refusal));
                continue;
            }
        };
        let mut notes = Vec::new();
        if change == Change::Written {
            let body = json!({ "change": "added", "list": rule_type, "value": value, "by": "tool" });
            let body = if let Value::Object(body) = body { body } else { Map::new() };
            notes.extend(desk.base.record(Kind::PolicyUpdated, &stack.store, body));
        }
        all.push(Added {
            rule_type: rule_type.clone(),
            value: value.clone(),
            level: stack.store.level,
            store: stack.store.name.clone(),
            created: change == Change::Written,
            refused: Vec::new(),
            notes,
        });
    }
    let Some(first) = all.first_mut() else {
        let nowhere =
            || Refusal::missing("there is no store for this", "Leave scope out to protect this project");
        return Err(refused.into_iter().next().map_or_else(nowhere, |(_, refusal)| refusal));
    };
    if value != sent.trim() {
        first.notes.push(format!("value was taken as {value}: what stood around it is no part of it"));
    }
    first.notes.extend(targets.notes.iter().cloned());
    first.notes.extend(refused.iter().map(|(store, refusal)| not_taken(store, refusal)));
    first.refused.extend(refused.iter().map(|(store, _)| (*store).to_owned()));
    noted_at_home(desk, view, &scope, &mut all);
    // Kept at once, so that this is the last good version if a file is broken before a hook has seen it.
    rules::load_fast(&sources(desk, view), &desk.places.state.join(RULES_CACHE), CATALOGUE);
    Ok(all)
}

/// Fields that say something about a rule, or about the call, and change nothing. Some clients give every tool fields of their own.
const BESIDE: &[&str] = &[
    "reason",
    "reasoning",
    "why",
    "title",
    "description",
    "comment",
    "note",
    "explanation",
    "source",
    "session",
    "session_id",
    "date",
    "wait_for_previous",
];

/// Refuses whatever asks for anything but a new rule. Elsewhere a field that nobody knows is passed over. Here it could turn the request round
/// (`action: remove`, `enabled: false`, `except: …`), and what the guard holds is not to be guessed at.
fn only_adds(unknown: &Map<String, Value>, taken_away: impl Fn() -> String) -> Result<(), Refusal> {
    for (name, sent) in unknown.iter().filter(|(name, _)| !BESIDE.contains(&name.as_str())) {
        let wish = if name == "action" { Action::of(sent) } else { None };
        return match wish {
            Some(Action::Add) => continue,
            Some(Action::Remove) => Err(Refusal::new(
                "rules can be added here, not taken away; nothing was changed",
                format!("Ask the person to run: {}", taken_away()),
            )),
            None => Err(Refusal::new(
                format!(
                    "{} is not known here and could make another rule of it; nothing was changed",
                    one_line(name, 40)
                ),
                "A rule is added with rule_type, value and scope alone; anything else is for the person (`custos guard`)",
            )),
        };
    }
    Ok(())
}

/// Spells the command that takes a rule away, as a person types it where the session is.
fn taken_away(desk: &Desk, view: &View, targets: &Targets, rule_type: &str, value: &str) -> String {
    let found = |stack: &Stack| {
        let (sources, level) = rules_of(desk, view, &stack.store);
        edit::find(&sources, level, value, CATALOGUE).unwrap_or_default()
    };
    // It may stand elsewhere than the call says, which is about a rule to be added.
    let stacks = || targets.stacks.iter().chain(&view.stacks);
    let Some(stack) = stacks().find(|stack| !found(stack).is_empty()).or_else(|| stacks().next()) else {
        return format!("custos guard remove {}", typed(value));
    };
    let level = rules_level(view, &stack.store);
    let there = there(desk, &stack.store, level);
    let list = match rule_type {
        _ if found(stack).len() < 2 => "",
        "git_protected_branch" => " --list protect",
        "bash_deny" => " --list deny",
        "fs_deny" => " --list deny-path",
        "fs_readonly" => " --list read-only",
        _ => " --list allow",
    };
    format!("{there}custos guard remove {} --level {level}{list}", typed(value))
}

/// Spells how a person gets to where a store is, if that is elsewhere than the session.
fn there(desk: &Desk, store: &Store, level: RulesLevel) -> String {
    let is_elsewhere = level != RulesLevel::User && store.root != desk.base.root().path;
    if is_elsewhere { format!("cd {} && ", typed(&shown_path(&store.root))) } else { String::new() }
}

fn write(desk: &Desk, view: &View, stack: &Stack, entry: &Entry) -> Result<Change, Refusal> {
    let (sources, level) = rules_of(desk, view, &stack.store);
    let refused = |error: EditError| not_added(&error, &stack.store);
    // What is refused anyway makes no store.
    edit::check(level, entry, CATALOGUE).map_err(refused)?;
    if desk.caller == Caller::Agent {
        leaves_something(desk, view, &stack.store, entry)?;
    }
    // The lock of the store also makes the rest of it, so that git never sees what is local.
    let _writing = match stack.store.level {
        Level::User => None,
        _ => Some(desk.base.lock(&stack.store)?),
    };
    edit::add(&sources, level, entry, CATALOGUE).map_err(refused)
}

/// Says why a rule was not added. What is wrong with a file is said with whose it is: the reason may quote it.
fn not_added(error: &EditError, store: &Store) -> Refusal {
    let next = "`safety` shows the rules in force";
    let cause = match error {
        EditError::NoLevel { .. } => Cause::Missing,
        EditError::Busy { .. } => Cause::Busy,
        EditError::Unwritable { .. } => Cause::System,
        EditError::Broken { .. } | EditError::Entangled { .. } | EditError::Unreadable { .. } => {
            Cause::Broken
        }
        _ => return Refusal::new(error.to_string(), next),
    };
    Refusal::new(format!("{}: {error}", whose(store)), next).because(cause)
}

/// A place at which no project is.
const NOWHERE: &str = "/.nowhere/at-all";

/// Refuses a rule under which nothing could be worked with. An agent could not take it back.
fn leaves_something(desk: &Desk, view: &View, store: &Store, entry: &Entry) -> Result<(), Refusal> {
    let level = rules_level(view, store);
    let is_own = level == RulesLevel::User;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let root = (!is_own).then(|| text(&store.root));
    let home = desk.places.home.as_deref().map(text);
    let projects = [Some(&view.root.path), (!is_own).then_some(&store.root)];
    let mut places = projects.into_iter().flatten().flat_map(|path| {
        // A root may be known by another name than it really has.
        let real = path.canonicalize().ok().filter(|real| real != path);
        std::iter::once(text(path)).chain(real.as_deref().map(text))
    });
    let found = places.find_map(|project| {
        whole_of(entry, root.as_deref(), Place { home: home.as_deref(), root: &project })
    });
    // What closes the home closes every project in it as well; it is the home all the same, unless it closes any place whatever.
    let anywhere = Place { home: home.as_deref(), root: NOWHERE };
    let Some(whole) = found.map(|whole| whole_of(entry, root.as_deref(), anywhere).unwrap_or(whole)) else {
        return Ok(());
    };
    let (word, pattern) = match entry {
        Entry::Branch(pattern) => ("protect", pattern),
        Entry::Path { list: List::ReadOnly, pattern, .. } => ("read-only", pattern),
        Entry::Path { pattern, .. } => ("deny-path", pattern),
        _ => return Ok(()),
    };
    let command = format!("custos guard add {word} {} --level {level}", typed(pattern));
    Err(Refusal::new(
        format!(
            "`{}` is {whole}, which only a person may close to agents; nothing was changed",
            shown(pattern)
        ),
        format!(
            "Name the part that is meant; if it is all of it, ask the person to run: {}{command}",
            there(desk, store, level)
        ),
    ))
}

/// The rules file of one store.
fn rules_of(desk: &Desk, view: &View, store: &Store) -> (Sources, RulesLevel) {
    let (level, root) = (rules_level(view, store), Some(store.root.as_path()));
    let sources = match level {
        RulesLevel::User => Sources::new(Some(&desk.places.config), None, None),
        RulesLevel::Workspace => Sources::new(None, root, None),
        RulesLevel::Repo => Sources::new(None, None, root),
    };
    (sources, level)
}

/// What the guard calls the level of a store. A directory that is neither repo nor workspace may hold several repos, so its rules are those of
/// a workspace.
fn rules_level(view: &View, store: &Store) -> RulesLevel {
    let is_alone = view.stacks.iter().all(|stack| stack.store.level != Level::Workspace);
    match store.level {
        Level::User => RulesLevel::User,
        Level::Workspace => RulesLevel::Workspace,
        Level::Repo if view.root.nature == Nature::Directory && is_alone && store.root == view.root.path => {
            RulesLevel::Workspace
        }
        Level::Repo => RulesLevel::Repo,
    }
}

fn entry(caller: Caller, rule_type: &str, value: &str) -> Result<Entry, Refusal> {
    let pattern = value.to_owned();
    let (id, reason) = (None, None);
    Ok(match rule_type {
        "git_protected_branch" => Entry::branch(value),
        "bash_deny" => Entry::Command { list: List::Deny, pattern, id, reason },
        "fs_deny" => Entry::Path { list: List::Deny, pattern, ops: Ops::ANY, id, reason },
        "fs_readonly" => Entry::Path { list: List::ReadOnly, pattern, ops: Ops::CHANGE, id, reason },
        _ if caller == Caller::Agent => {
            return Err(Refusal::new(
                "an allow rule loosens the guard, and only a person may do that",
                format!("Ask the person to run: custos guard add allow {}", typed(value)),
            ));
        }
        _ => Entry::Command { list: List::Allow, pattern, id, reason },
    })
}
