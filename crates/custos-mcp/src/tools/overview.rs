//! The tools that show where things stand.

use custos_config::shown::shown_path;
use custos_knowledge::backlog::Status;
use custos_knowledge::decision::Enforce;
use custos_knowledge::plan::PlanStatus;
use custos_knowledge::{Nature, Refusal};
use custos_log::recent;
use custos_model::Event;
use serde_json::{Value, json};

use crate::answer::{Answer, counted, one_line, shortened};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::List;

use super::context::whereabouts;
use super::health;

pub(super) fn status(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let decisions = desk.base.decisions(&view, false);
    let memories = desk.base.memories(&view, None);
    let tasks = desk.base.tasks(&view, None);
    let questions = desk.base.questions(&view).questions;
    let open = |word: &str| questions.iter().filter(|question| question.status.word() == word).count();
    let mut faults = health::faults(desk, &view);
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
    match faults.len() {
        0 => text.push_str("Every file can be read."),
        count => text.push_str(&health::missing(count)),
    }
    let data = json!({
        "root": shown_path(&view.root.path), "session": desk.base.around().session(), "client": desk.base.around().client(),
        "decisions": decisions.len(), "memories": memories.len(), "tasks": tasks.len(), "questions": questions.len(), "faults": faults,
    });
    Ok(Answer::new(text, data))
}

/// How many events are shown, and how much of the log is read for them.
const EVENTS: usize = 30;
const MOST_EVENTS: usize = 200;
const MOST_READ: u64 = 1 << 20;

pub(super) fn worklog(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let most = arguments.number("limit").unwrap_or(EVENTS).clamp(1, MOST_EVENTS);
    let identity = desk.base.around().project(&view.root.path).identity;
    let mut take = |event: &Event<'_>| {
        let is_ours = event.project.as_deref() == Some(identity.as_str());
        is_ours.then(|| (event.ts, line(event)))
    };
    let reader = desk.log();
    let unreadable =
        |error: custos_log::LogError| Refusal::new(error.to_string(), "`custos doctor` says what to do");
    let (mut events, mut is_cut) = (Vec::new(), false);
    for writer in reader.writers().map_err(unreadable)? {
        let newest = recent::newest(&reader, &writer, most, MOST_READ, &mut take).map_err(unreadable)?;
        is_cut |= newest.is_cut;
        events.extend(newest.found);
    }
    events.sort_by_key(|(ts, _)| *ts);
    events.reverse();
    events.truncate(most);
    let mut list = List::default();
    list.say("## Newest events of this project\n\n");
    for (_, line) in &events {
        list.item(format!("- {line}\n"));
    }
    if events.is_empty() {
        list.say("None yet.\n");
    }
    if is_cut && events.len() < most {
        list.say("\nOlder ones were not looked for; `custos log tail --project` finds them.\n");
    }
    let entries = desk.base.entries(&view, 3).unwrap_or_default();
    if !entries.is_empty() {
        list.say("\n## Worklog\n\n");
        for entry in &entries {
            list.say(&format!("**{}**\n{}\n\n", entry.time, shortened(&entry.text, 1_500)));
        }
        list.say(".ai/local/worklog.md has all of it.");
    }
    let page = list.page(arguments.number("page"));
    let lines: Vec<&String> = events[page.items.clone()].iter().map(|(_, line)| line).collect();
    let entries = if page.number == 1 { entries } else { Vec::new() };
    let data = json!({
        "events": lines, "entries": entries, "total": events.len(), "page": page.number, "pages": page.of,
    });
    Ok(Answer::new(page.text, data))
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

pub(super) fn workspace(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.base.view(arguments.some_text("path"))?;
    let repos = view.root.repos();
    let mut text = match &view.root.nature {
        Nature::Repo => format!("{} is one repo.\n", shown_path(&view.root.path)),
        Nature::Directory => format!("{} is neither a repo nor a workspace.\n", shown_path(&view.root.path)),
        Nature::Workspace(marker) => {
            format!("{} is a workspace ({marker}) with {} repos:\n", shown_path(&view.root.path), repos.len())
        }
    };
    let mut rows = Vec::new();
    for child in &repos {
        let has_store = child.path.join(".ai").is_dir();
        let state = if has_store { "has a knowledge base" } else { "has none yet" };
        text.push_str(&format!("- {}: {state}\n", child.name));
        rows.push(json!({ "name": child.name, "path": shown_path(&child.path), "has_knowledge": has_store }));
    }
    if !repos.is_empty() {
        text.push_str(
            "\nUse these names in `scope`, or as `project_path`. `custos init` makes the missing ones.",
        );
    }
    let data = json!({ "root": shown_path(&view.root.path), "is_workspace": view.root.is_workspace(), "repos": rows });
    Ok(Answer::new(text, data))
}
