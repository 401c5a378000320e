//! The tools that show where things stand.
//!
//! `context` is what every session begins with, so it is bounded: the handoff of the last session first, then what binds and what waits, then
//! what to load next. Whatever the base holds, it stays under 12,000 characters: each part has a share, and what does not fit is named with the
//! tool that shows it.

use custos_config::Project;
use custos_config::shown::shown_path;
use custos_knowledge::backlog::Status;
use custos_knowledge::decision::{Decision, Enforce, Placed};
use custos_knowledge::handoff::Handoff;
use custos_knowledge::plan::PlanStatus;
use custos_knowledge::{Nature, Refusal, View};
use custos_log::recent;
use custos_model::Event;
use serde_json::{Value, json};

use crate::answer::{Answer, cautions, counted, one_line, shortened, store_name};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::page;

use super::{plans, safety};

/// A part of the context, with the characters that it may take.
struct Part {
    name: &'static str,
    most: usize,
    text: String,
}

pub(super) fn context(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let parts = parts(desk, &view);
    let mut text = String::new();
    let mut sizes = serde_json::Map::new();
    for part in &parts {
        let cut = cut(part);
        if !cut.is_empty() {
            sizes.insert(part.name.to_owned(), json!(cut.chars().count()));
            text.push_str(&cut);
            text.push_str("\n\n");
        }
    }
    let text = text.trim_end();
    let data = json!({
        "root": shown_path(&view.root.path), "session": desk.base.around().session(), "characters": text.chars().count(), "parts": sizes,
    });
    Ok(Answer::new(page(text, arguments.number("page")).text, data))
}

/// Cuts a part to its share, on a whole line.
fn cut(part: &Part) -> String {
    let text = part.text.trim();
    if text.chars().count() <= part.most {
        return text.to_owned();
    }
    let short = shortened(text, part.most.saturating_sub(60));
    let end = short.rfind('\n').filter(|at| *at > short.len() / 2).unwrap_or(short.len());
    format!("{}\n… (shortened; {} characters in all)", short[..end].trim_end(), text.chars().count())
}

fn parts(desk: &Desk, view: &View) -> Vec<Part> {
    let part = |name, most, text| Part { name, most, text };
    let mut parts = vec![part("caution", 800, cautions(&desk.base, view))];
    let is_child = view.root.path != desk.base.root().path;
    let session_was_told = desk.was_told(desk.base.root().path.clone());
    if is_child && session_was_told {
        // The handoff, the worklog and the plans are the session's, and this connection has them.
        parts.push(part("where", 600, whereabouts(desk, view)));
    } else {
        parts.push(part("handoff", 4_200, handoff(desk, view)));
        parts.push(part("where", 600, whereabouts(desk, view)));
        parts.push(part("plans", 1_500, active_plans(desk, view)));
        parts.push(part("worklog", 900, last_entry(desk, view)));
    }
    if is_child {
        desk.was_told(view.root.path.clone());
    }
    parts.push(part("safety", 1_000, format!("# Safety\n\n{}", safety::summary(desk, view, 6).0)));
    let decisions = desk.base.decisions(view, false);
    parts.push(part("decisions", 1_500, required(&decisions)));
    parts.push(part("questions", 700, open_questions(desk, view)));
    parts.push(part("backlog", 500, backlog_counts(desk, view)));
    parts.push(part("next", 700, next(desk, view, decisions.len())));
    parts
}

fn whereabouts(desk: &Desk, view: &View) -> String {
    let nature = match &view.root.nature {
        Nature::Repo => "repo".to_owned(),
        Nature::Workspace(marker) => format!("workspace ({marker})"),
        Nature::Directory => "directory without a repo".to_owned(),
    };
    let stores: Vec<String> = view
        .stacks
        .iter()
        .map(|stack| {
            let state = if stack.store.exists() { "" } else { ", nothing in it yet" };
            format!("{}: {}{state}", store_name(stack), shown_path(&stack.store.dir))
        })
        .collect();
    let session =
        desk.base.around().session().map(|session| format!(" · session {session}")).unwrap_or_default();
    format!("# Where\n\n{nature} {}{session}\nKnowledge: {}", shown_path(&view.root.path), stores.join("; "))
}

fn handoff(desk: &Desk, view: &View) -> String {
    match desk.base.newest_handoff(view) {
        Some(kept) => told(&kept.item),
        None => "# No handoff\n\nNo session has closed here yet. At the end of this one: `begin_close`, then `finalize_close`.".to_owned(),
    }
}

/// Shows a handoff, with what the next session is to be told first at its top.
pub(super) fn told(handoff: &Handoff) -> String {
    let by = if handoff.source.word() == "auditor" { ", written by the auditor" } else { "" };
    let mut text = format!("# Handoff of the last session ({}{by})\n\n", handoff.date);
    let parts = handoff.parts.headed();
    let first = parts.iter().filter(|(heading, _)| *heading == "Startup text");
    let others = parts.iter().filter(|(heading, _)| *heading != "Startup text");
    for (heading, part) in first.chain(others).filter(|(_, part)| !part.is_empty()) {
        text.push_str(&format!("**{heading}:** {part}\n"));
    }
    text
}

fn active_plans(desk: &Desk, view: &View) -> String {
    let contents = desk.base.plans(view, Some(PlanStatus::Active));
    if contents.items.is_empty() {
        return String::new();
    }
    let shown: String = contents.items.iter().take(3).map(|kept| plans::whole(&kept.item, 10)).collect();
    let more = contents.items.len().saturating_sub(3);
    let more = if more > 0 { format!("and {more} more (`plans`)") } else { String::new() };
    format!("# Active plans\n\n{shown}{more}")
}

fn last_entry(desk: &Desk, view: &View) -> String {
    desk.base
        .last_entry(view)
        .map_or_else(String::new, |entry| format!("# Last worklog entry ({})\n\n{}", entry.time, entry.text))
}

/// The decisions that bind, by their titles.
fn required(decisions: &[Placed<Decision>]) -> String {
    let required: Vec<String> = decisions
        .iter()
        .filter(|placed| placed.kept.item.enforce == Enforce::Required)
        .map(|placed| {
            format!(
                "- {} ({}) {}",
                placed.kept.item.id,
                placed.level.word(),
                one_line(&placed.kept.item.title, 100)
            )
        })
        .collect();
    if required.is_empty() {
        return String::new();
    }
    let more = if required.len() > 12 {
        format!("\n- and {} more (`decisions`)", required.len() - 12)
    } else {
        String::new()
    };
    format!(
        "# Required decisions ({} of {})\n\n{}{more}",
        required.len(),
        decisions.len(),
        required[..required.len().min(12)].join("\n")
    )
}

fn open_questions(desk: &Desk, view: &View) -> String {
    let questions = desk.base.questions(view).questions;
    let of =
        |word: &str| questions.iter().filter(|question| question.status.word() == word).collect::<Vec<_>>();
    let (open, answered) = (of("open"), of("answered"));
    if open.is_empty() && answered.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "# Questions: {} open, {} answered and to be applied (`list_open_questions`)\n",
        open.len(),
        answered.len()
    );
    for question in answered.iter().chain(&open).take(5) {
        text.push_str(&format!(
            "\n- {} [{}] {}",
            question.id,
            question.status.word(),
            one_line(&question.title, 100)
        ));
    }
    text
}

fn backlog_counts(desk: &Desk, view: &View) -> String {
    let tasks = desk.base.tasks(view, None);
    let count = |status: Status| tasks.iter().filter(|placed| placed.kept.item.status == status).count();
    let (active, open, blocked) = (count(Status::InProgress), count(Status::Open), count(Status::Blocked));
    if active + open + blocked == 0 {
        return String::new();
    }
    let mut text = format!("# Backlog: {active} in progress, {open} open, {blocked} blocked (`backlog`)\n");
    for placed in tasks.iter().filter(|placed| placed.kept.item.status == Status::InProgress).take(3) {
        text.push_str(&format!("\n- {} {}", placed.kept.item.id, one_line(&placed.kept.item.title, 100)));
    }
    text
}

fn next(desk: &Desk, view: &View, decisions: usize) -> String {
    // Counted, not read: the files are many, and nobody is shown them here.
    let memories: usize = view.stacks.iter().map(|stack| stack.count_memories()).sum();
    let described = desk.base.described(view).len();
    let mut calls = Vec::new();
    if decisions > 0 {
        calls.push(format!("`decisions` ({decisions})"));
    }
    if memories > 0 {
        calls.push(format!("`memories` ({memories})"));
    }
    if described > 0 {
        calls.push("`oracle`".to_owned());
    }
    if calls.is_empty() {
        return "# Next\n\nThe knowledge base is empty: save decisions (`save_decision`) and lessons (`save_memory`) as they come up.".to_owned();
    }
    format!("# Next\n\nCall in parallel, before you work: {}.", calls.join(", "))
}

pub(super) fn status(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let decisions = desk.base.decisions(&view, false);
    let memories = desk.base.memories(&view, None);
    let tasks = desk.base.tasks(&view, None);
    let questions = desk.base.questions(&view).questions;
    let open = |word: &str| questions.iter().filter(|question| question.status.word() == word).count();
    let faults: Vec<Value> = view
        .stacks
        .iter()
        .flat_map(|stack| stack.faults())
        .filter_map(|fault| serde_json::to_value(fault).ok())
        .collect();
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
        count => text.push_str(&format!(
            "{} cannot be read: `kb_doctor` says which and why.",
            counted(count, "file", "files")
        )),
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
    let identity = Project::find(&view.root.path).identity;
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
    let shown = &events[events.len().saturating_sub(most)..];
    let mut text = String::from("## Newest events of this project\n\n");
    text.extend(shown.iter().map(|(_, line)| format!("- {line}\n")));
    if shown.is_empty() {
        text.push_str("None yet.\n");
    }
    if is_cut && shown.len() < most {
        text.push_str("\nOlder ones were not looked for; `custos log tail --project` finds them.\n");
    }
    let entries = desk.base.entries(&view, 3).unwrap_or_default();
    if !entries.is_empty() {
        text.push_str("\n## Worklog\n\n");
        text.extend(
            entries.iter().map(|entry| format!("**{}**\n{}\n\n", entry.time, shortened(&entry.text, 1_500))),
        );
    }
    let lines: Vec<&String> = shown.iter().map(|(_, line)| line).collect();
    Ok(Answer::new(page(&text, None).text, json!({ "events": lines, "entries": entries })))
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
    let about = text(&["title", "command", "prompt", "text", "summary", "reason", "rule", "source"]);
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
