//! The tools that show where things stand.

use std::fs;
use std::path::Path;

use custos_config::shown::shown_path;
use custos_knowledge::backlog::Status;
use custos_knowledge::decision::Enforce;
use custos_knowledge::plan::PlanStatus;
use custos_knowledge::root::Child;
use custos_knowledge::scope::spelt;
use custos_knowledge::{Cause, Nature, Refusal, View};
use custos_log::recent;
use custos_model::Event;
use serde_json::{Value, json};

use crate::answer::{Answer, Unvouched, counted, one_line, shortened};
use crate::desk::{Caller, Desk};
use crate::fields::Arguments;
use crate::pages::List;

use super::context::whereabouts;
use super::health;

pub(super) fn status(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    let decisions = desk.base.decisions(&view, false);
    let memories = desk.base.memories(&view, None);
    let tasks = desk.base.tasks(&view, None);
    let questions = desk.base.questions(&view).questions;
    let open = |word: &str| questions.iter().filter(|question| question.status.word() == word).count();
    let mut faults = health::faults(desk, &view);
    faults.extend(health::of_settings(&view));
    faults.extend(health::faults_beside(desk, &view));
    let mut text = format!("{}\n\n", whereabouts(desk, &view));
    let required = decisions.iter().filter(|placed| placed.kept.item.enforce == Enforce::Required).count();
    let undone = tasks.iter().filter(|placed| placed.kept.item.status != Status::Done).count();
    let plans = desk.base.plans(&view, Some(PlanStatus::Active)).items.len();
    text.push_str(&format!(
        "{} ({required} required), {}, {} ({undone} open), {} ({} open, {} answered), {}.\n",
        counted(decisions.len(), "decision", "decisions"),
        counted(memories.len(), "memory", "memories"),
        counted(tasks.len(), "task", "tasks"),
        counted(questions.len(), "question", "questions"),
        open("open"),
        open("answered"),
        counted(plans, "active plan", "active plans"),
    ));
    let shut = health::shut(&view, health::DIRECTORIES);
    text.push_str(&match faults.len() {
        0 if shut.is_empty() => "Every file can be read.".to_owned(),
        count => shut + &health::missing(count),
    });
    let mut data = json!({
        "root": shown_path(&view.root.path), "session": desk.base.around().session(), "client": desk.base.around().client(),
        "decisions": decisions.len(), "required_decisions": required, "memories": memories.len(),
        "tasks": tasks.len(), "open_tasks": undone, "questions": questions.len(),
        "open_questions": open("open"), "answered_questions": open("answered"), "active_plans": plans,
        "faults": faults,
    });
    if !faults.is_empty() {
        // Their reasons quote the files.
        let beside = desk.base.repos_beside(&view);
        Unvouched::with(&desk.base, &view, beside.iter().map(|beside| &beside.own().store)).mark(&mut data);
    }
    Ok(Answer::new(text.trim_end(), data))
}

/// How many events are shown, and how much of the log is read for them.
const EVENTS: usize = 30;
const MOST_EVENTS: usize = 200;
const MOST_READ: u64 = 1 << 20;

/// How much of an entry of the worklog is shown, and how much is said of the names of repos.
const ENTRY: usize = 1_500;
const REPOS: usize = 300;

pub(super) fn worklog(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    let most = arguments.number("limit").unwrap_or(EVENTS).min(MOST_EVENTS);
    let Events { lines, is_cut, in_repos } = events(desk, &view, most)?;
    let unvouched = Unvouched::of(&desk.base, &view);
    let mut list = List::beginning_with(unvouched.caution());
    list.section("## Newest events of this project\n\n");
    for line in &lines {
        list.item(format!("- {line}\n"));
    }
    if lines.is_empty() {
        list.say("None yet.\n");
    }
    if is_cut && lines.len() < most {
        list.say("\nOlder ones were not looked for; `custos log tail --project` finds them.\n");
    }
    if !in_repos.is_empty() {
        let names = one_line(&in_repos.join(", "), REPOS);
        let how = match desk.caller {
            Caller::Agent => "project_path",
            Caller::Person => "--project",
        };
        list.say(&format!(
            "\nThere are events of repos as well: {names}. Send a repo's name as `{how}` to see them.\n"
        ));
    }
    let mut entries = desk.base.entries(&view, 3).unwrap_or_default();
    for entry in &mut entries {
        entry.text = shortened(&entry.text, ENTRY);
    }
    if !entries.is_empty() {
        list.say("\n## Worklog\n\n");
        for entry in &entries {
            list.say(&format!("**{}**\n{}\n\n", entry.time, entry.text));
        }
        list.say(".ai/local/worklog.md has all of it.");
    }
    let page = desk.page(&list, arguments);
    // They are the end of it.
    let entries = if page.number == page.of { entries } else { Vec::new() };
    let mut data = json!({
        "events": lines[page.items.clone()], "entries": entries, "total": lines.len(), "page": page.number, "pages": page.of,
    });
    if !in_repos.is_empty() {
        data["repos_with_events"] = json!(in_repos);
    }
    unvouched.mark(&mut data);
    Ok(Answer::new(page.text, data))
}

/// What the log says of a project.
struct Events {
    /// The newest events, the newest first, each in a line.
    lines: Vec<String>,
    /// Whether older ones were not looked for.
    is_cut: bool,
    /// The repos of the workspace of which there are events as well.
    in_repos: Vec<String>,
}

/// Finds the newest events of a project. At the root of a session they are also those of the session, wherever it kept something.
fn events(desk: &Desk, view: &View, most: usize) -> Result<Events, Refusal> {
    let around = desk.base.around();
    let identity = around.project(&view.root.path).identity;
    let session = around.session().filter(|_| view.root.path == desk.base.root().path);
    let beside = desk.base.repos_beside(view);
    let mut repos: Vec<(String, &str, bool)> = beside
        .iter()
        .map(|beside| (around.project(&beside.root.path).identity, beside.own().store.name.as_str(), false))
        .collect();
    let mut take = |event: &Event<'_>| {
        let project = event.project.as_deref();
        if let Some((.., is_seen)) = repos.iter_mut().find(|(of_repo, ..)| project == Some(of_repo.as_str()))
        {
            *is_seen = true;
        }
        let is_ours = project == Some(identity.as_str()) || (session.is_some() && event.session == session);
        is_ours.then(|| (event.ts, line(event)))
    };
    let reader = desk.log();
    let unreadable = |error: custos_log::LogError| {
        Refusal::new(error.to_string(), "`custos doctor` says what to do").because(Cause::System)
    };
    let (mut events, mut is_cut) = (Vec::new(), false);
    for writer in reader.writers().map_err(unreadable)? {
        let newest = recent::newest(&reader, &writer, most, MOST_READ, &mut take).map_err(unreadable)?;
        is_cut |= newest.is_cut;
        events.extend(newest.found);
    }
    events.sort_by_key(|(ts, _)| *ts);
    events.reverse();
    events.truncate(most);
    let lines = events.into_iter().map(|(_, line)| line).collect();
    let in_repos = repos.into_iter().filter(|(.., is_seen)| *is_seen).map(|(_, name, _)| name.to_owned());
    Ok(Events { lines, is_cut, in_repos: in_repos.collect() })
}

/// One event in one line: when, what, and the field that says most.
fn line(event: &Event<'_>) -> String {
    let body: Value = serde_json::from_str(event.body.get()).unwrap_or_default();
    let text = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| body.get(*name).and_then(Value::as_str))
            .map(|text| one_line(text, 160))
            .unwrap_or_default()
    };
    let who = event.agent.as_ref().map(|agent| format!(" {}", agent.client)).unwrap_or_default();
    let tool = text(&["tool", "item"]);
    let about = text(&["title", "command", "prompt", "text", "summary", "reason", "rule", "value", "source"]);
    format!("{}{who} {} {tool} {about}", event.ts, event.kind).trim_end().replace("  ", " ")
}

/// Says whether a directory has a knowledge base, in a fact and in words. One that is a link is not read.
fn knowledge_at(directory: &Path) -> (bool, &'static str) {
    match fs::symlink_metadata(directory.join(".ai")) {
        Ok(metadata) if metadata.is_dir() => (true, "has a knowledge base"),
        Ok(_) => (false, "has none that is read: its .ai is a link or no directory"),
        Err(_) => (false, "has none yet"),
    }
}

pub(super) fn workspace(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look_at(arguments.some_text("path"))?;
    let repos = view.root.repos();
    let root = shown_path(&view.root.path);
    let (is_known, state) = knowledge_at(&view.root.path);
    let store = format!("It {}.", state.replace("none", "no knowledge base"));
    let mut list = List::default();
    list.section(&match &view.root.nature {
        Nature::Repo => format!("{root} is one repo. {store}\n"),
        Nature::Directory => format!("{root} is neither a repo nor a workspace. {store}\n"),
        Nature::Workspace(marker) => {
            format!("{root} is a workspace ({marker}) with {} repos:\n", repos.len())
        }
    });
    let stores: Vec<(bool, &str)> = repos.iter().map(|child| knowledge_at(&child.path)).collect();
    for (child, (_, state)) in repos.iter().zip(&stores) {
        // As a scope knows it, and a project_path does as well.
        list.item(format!("- {}: {state}\n", spelt(&child.name)));
    }
    if !repos.is_empty() {
        list.say("\nUse these names in `scope`, or as `project_path`. `custos init` makes the missing ones.");
    }
    let page = desk.page(&list, arguments);
    let row = |(child, (has_store, _)): (&Child, &(bool, &str))| json!({ "name": spelt(&child.name), "path": shown_path(&child.path), "has_knowledge": has_store });
    let rows = repos[page.items.clone()].iter().zip(&stores[page.items.clone()]).map(row);
    let data = json!({
        "root": root, "is_workspace": view.root.is_workspace(), "has_knowledge": is_known, "repos": rows.collect::<Vec<_>>(),
        "total": repos.len(), "page": page.number, "pages": page.of,
    });
    Ok(Answer::new(page.text, data))
}
