//! The tools about the backlog.

use custos_knowledge::backlog::{NewTask, SavedTask, Status, Task, twins};
use custos_knowledge::decision::Placed;
use custos_knowledge::keeping::Became;
use custos_knowledge::naming::Unread;
use custos_knowledge::{Refusal, View};
use serde_json::{Value, json};

use crate::answer::{Answer, Unvouched, file_of, one_line, place, store_name, titled, whose, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::List;

use super::beside::{add_beside, counts_beside, told_beside};
use super::health::{missing, shut};
use super::kept::noted_at_home;
use super::shown::{Shown, notes};

/// How far a task may be.
pub(super) const STATUSES: &[&str] = &["open", "in-progress", "done", "blocked"];
/// How urgent it may be.
pub(super) const PRIORITIES: &[&str] = &["high", "medium", "low"];

/// How much of its description the list shows.
const SHOWN: usize = 200;
/// How much of its tags a task shows.
const TAGS: usize = 400;

pub(super) fn backlog(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    if let Some(id) = arguments.some_text("id") {
        return task(desk, &view, id, arguments);
    }
    let unvouched = Unvouched::of(&desk.base, &view);
    let mut list = List::beginning_with(unvouched.caution());
    let wanted = arguments.text("status").parse::<Status>().ok();
    let mut found = desk.base.tasks(&view, None);
    let all = found.len();
    // What is done is asked for by name.
    let is_wanted = |placed: &Placed<Task>| {
        let status = placed.kept.item.status;
        wanted.map_or(status != Status::Done, |wanted| status == wanted)
    };
    found.retain(is_wanted);
    let mut shown = Vec::new();
    for stack in &view.stacks {
        let mut of_store: Vec<&Placed<Task>> =
            found.iter().filter(|placed| placed.store == stack.store).collect();
        if of_store.is_empty() {
            continue;
        }
        of_store.sort_by_key(|placed| urgency(&placed.kept.item));
        list.section(&format!("## Backlog of {} ({})\n\n", store_name(&stack.store), of_store.len()));
        for placed in &of_store {
            list.item(line(&placed.kept.item));
        }
        list.say("\n");
        shown.extend(of_store);
    }
    let unread: usize = view.stacks.iter().map(|stack| stack.backlog.faults().len()).sum();
    let shut = shut(&view, &["backlog"]);
    if shown.is_empty() && unread == 0 && shut.is_empty() {
        list.say(&match wanted {
            Some(status) if all > 0 => {
                let status = status.word();
                format!("No task has the status {status}. Others: {all} (`backlog` without status shows what is not done).\n")
            }
            _ => {
                let done = if all > 0 { format!(" ({all} done: status: done)") } else { String::new() };
                format!("Nothing in the backlog{done}. `backlog_add` notes a task for later.\n")
            }
        });
    }
    let beside = counts_beside(desk, &view, |view| {
        desk.base.tasks(view, None).iter().filter(|placed| is_wanted(placed)).count()
    });
    list.say(&told_beside(&beside));
    list.say(&format!("{shut}{}", missing(unread)));
    let page = desk.page(&list, arguments);
    let rows: Vec<Value> = shown[page.items.clone()].iter().map(|placed| row(placed)).collect();
    let mut data = json!({
        "tasks": rows, "total": shown.len(), "unreadable": unread, "page": page.number,
        "pages": page.of,
    });
    add_beside(&mut data, &beside);
    unvouched.mark(&mut data);
    Ok(Answer::new(page.text, data))
}

/// Shows one task in full.
fn task(desk: &Desk, view: &View, id: &str, arguments: &Arguments) -> Result<Answer, Refusal> {
    let beside = desk.base.tasks_beside(view, id);
    let found = desk.base.find_tasks(view, id);
    let unread = desk.base.unread_task(view, id);
    let Some((placed, others)) = found.split_first() else {
        return Err(unread.as_ref().map_or_else(
            || desk.base.not_here(view, "task", id, &beside, "`backlog` without an id lists what there is"),
            Unread::refusal,
        ));
    };
    let notes = notes(twins(&found), &beside, unread.as_ref());
    let shown = Shown::of((desk, view, arguments), &found, notes, |placed| {
        let Task { id, title, .. } = &*placed.kept.item;
        (format!("{}: {}", titled(id), titled(title)), whole(placed))
    });
    let page = &shown.page;
    let (mut data, item) = (row(placed), &placed.kept.item);
    let mut texts = vec![("description", json!(item.description)), ("notes", json!(item.notes))];
    if !item.sections.is_empty() {
        texts.push(("sections", json!(item.sections)));
    }
    page.add_texts(0, &mut data, &texts);
    if !others.is_empty() {
        data["others"] = others.iter().map(row).collect();
    }
    // Its notes are the task's own.
    Ok(shown.answer(data, "answer_notes"))
}

/// What comes first in the list: what is being done, then what is stuck, the urgent before the rest.
fn urgency(task: &Task) -> (Option<usize>, Option<usize>) {
    let at = |words: &[&str], word: &str| words.iter().position(|known| *known == word);
    (
        at(&["in-progress", "blocked", "open", "done"], task.status.word()),
        at(PRIORITIES, task.priority.word()),
    )
}

fn line(task: &Task) -> String {
    let (status, priority) = (task.status.word(), task.priority.word());
    let description = one_line(&task.description, SHOWN);
    let more = if description.is_empty() { String::new() } else { format!(" — {description}") };
    format!("- **{}** [{status}, {priority}] {}{more}\n", titled(&task.id), titled(&task.title))
}

/// Spells a task in full, below its heading.
fn whole(placed: &Placed<Task>) -> String {
    let item = &placed.kept.item;
    let mut text = format!(
        "{} · {} · {} · created {} · updated {} · {}\n",
        item.status.word(),
        item.priority.word(),
        whose(&placed.store),
        item.created,
        item.updated,
        file_of(&placed.store.dir, &placed.kept.file)
    );
    if !item.tags.is_empty() {
        text.push_str(&format!("\nTags: {}\n", one_line(&item.tags.join(", "), TAGS)));
    }
    let said = placed.in_full();
    text.push_str(&format!("\n{said}\n"));
    text
}

fn row(placed: &Placed<Task>) -> Value {
    let mut row = serde_json::to_value(&*placed.kept.item).unwrap_or_default();
    if let Value::Object(fields) = &mut row {
        fields.insert("level".to_owned(), json!(placed.level));
        fields.insert("store".to_owned(), json!(placed.store.name));
        fields.insert("description".to_owned(), json!(one_line(&placed.kept.item.description, SHOWN)));
        fields.remove("notes");
        fields.remove("sections");
    }
    row
}

pub(super) fn backlog_add(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let new = NewTask {
        title: arguments.text("title").to_owned(),
        description: arguments.text("description").to_owned(),
        priority: arguments.text("priority").parse().unwrap_or_default(),
        tags: arguments.labels("tags"),
        scope: arguments.texts("scope"),
    };
    let mut saved = desk.base.add_task(&new, &view)?;
    noted_at_home(desk, &view, &new.scope, &mut saved);
    let texts: Vec<String> = saved.iter().map(told).collect();
    Ok(Answer::new(texts.join("\n"), json!({ "id": saved.first().map(|saved| &saved.id), "saved": saved })))
}

pub(super) fn backlog_update(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let saved = desk.base.update_task(
        &view,
        arguments.text("id"),
        arguments.text("status").parse::<Status>().ok(),
        arguments.text("priority").parse().ok(),
        arguments.some_text("notes"),
    )?;
    Ok(Answer::new(told(&saved), json!({ "id": saved.id, "saved": saved })))
}

fn told(saved: &SavedTask) -> String {
    let (status, priority, place) =
        (saved.status.word(), saved.priority.word(), place(saved.level, &saved.store));
    let is = if saved.became == Became::Unchanged { " is as it was:" } else { "" };
    let text = format!(
        "{}{is} [{status}, {priority}] {} · {place} · {}",
        saved.id,
        titled(&saved.title),
        saved.file
    );
    with_notes(text, &saved.notes)
}
