//! The tools about the backlog.

use custos_knowledge::Refusal;
use custos_knowledge::backlog::{NewTask, SavedTask, Status, Task};
use custos_knowledge::decision::Placed;
use serde_json::{Value, json};

use crate::answer::{Answer, cautions, file_of, one_line, store_name, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::page;

use super::decisions::of_page;

/// How far a task may be.
pub(super) const STATUSES: &[&str] = &["open", "in-progress", "done", "blocked"];
/// How urgent it may be.
pub(super) const PRIORITIES: &[&str] = &["high", "medium", "low"];

pub(super) fn backlog(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    if let Some(id) = arguments.some_text("id") {
        let Some(placed) = desk.base.find_task(&view, id) else {
            return Err(Refusal::new(
                format!("there is no task {}", custos_config::shown::shown(id)),
                "`backlog` without an id lists what there is",
            ));
        };
        return Ok(Answer::new(cautions(&desk.base, &view) + &whole(&placed), row(&placed, true)));
    }
    let wanted = arguments.text("status").parse::<Status>().ok();
    let mut found = desk.base.tasks(&view, wanted);
    // What is done is asked for by name.
    found.retain(|placed| wanted.is_some() || placed.kept.item.status != Status::Done);
    let mut text = cautions(&desk.base, &view);
    for stack in &view.stacks {
        let mut of_store: Vec<&Placed<Task>> =
            found.iter().filter(|placed| placed.store == stack.store).collect();
        if of_store.is_empty() {
            continue;
        }
        of_store.sort_by_key(|placed| {
            let at = |words: &[&str], word: &str| words.iter().position(|known| *known == word);
            let Task { status, priority, .. } = &*placed.kept.item;
            (at(&["in-progress", "blocked", "open", "done"], status.word()), at(PRIORITIES, priority.word()))
        });
        text.push_str(&format!("## Backlog of {} ({})\n\n", store_name(stack), of_store.len()));
        for placed in of_store {
            let item = &placed.kept.item;
            let text_ = one_line(&item.description, 200);
            text.push_str(&format!(
                "- **{}** [{}, {}] {}: {text_}\n",
                item.id,
                item.status.word(),
                item.priority.word(),
                item.title
            ));
        }
        text.push('\n');
    }
    if found.is_empty() {
        text.push_str("Nothing in the backlog. `backlog_add` notes a task for later.");
    }
    let page = page(&text, arguments.number("page"));
    let rows = of_page(&found, &page, |placed| row(placed, false));
    let data = json!({ "tasks": rows, "total": found.len(), "page": page.number, "pages": page.of });
    Ok(Answer::new(page.text, data))
}

fn whole(placed: &Placed<Task>) -> String {
    let item = &placed.kept.item;
    let mut text = format!(
        "# {}: {}\n\n{} · {} · {} · created {} · updated {} · {}\n\n{}\n",
        item.id,
        item.title,
        item.status.word(),
        item.priority.word(),
        placed.level.word(),
        item.created,
        item.updated,
        file_of(&placed.store.dir, &placed.kept.file),
        item.description
    );
    if !item.notes.is_empty() {
        text.push_str(&format!("\n## Notes\n\n{}\n", item.notes));
    }
    text
}

fn row(placed: &Placed<Task>, is_whole: bool) -> Value {
    let mut row = serde_json::to_value(&*placed.kept.item).unwrap_or_default();
    if let Value::Object(fields) = &mut row {
        fields.insert("level".to_owned(), json!(placed.level));
        fields.insert("store".to_owned(), json!(placed.store.name));
        if !is_whole {
            fields.remove("description");
            fields.remove("notes");
        }
    }
    row
}

pub(super) fn backlog_add(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let new = NewTask {
        title: arguments.text("title").to_owned(),
        description: arguments.text("description").to_owned(),
        priority: arguments.text("priority").parse().unwrap_or_default(),
        tags: arguments.texts("tags"),
        scope: arguments.texts("scope"),
    };
    let saved = desk.base.add_task(&new, &view)?;
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
    let text = format!(
        "{} [{}, {}] {} · {} ({}) · {}",
        saved.id,
        saved.status.word(),
        saved.priority.word(),
        saved.title,
        saved.level.word(),
        saved.store,
        saved.file
    );
    with_notes(text, &saved.notes)
}
