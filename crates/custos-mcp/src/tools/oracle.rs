//! The tools about the project as a whole.

use custos_knowledge::Refusal;
use custos_knowledge::described::{Mode, SECTIONS as NAMES};
use serde_json::{Value, json};

use crate::answer::{Answer, Unvouched, place, store_name, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::List;

use super::health::{missing, of_descriptions};

/// The sections that can be written.
pub(super) const SECTIONS: &[&str] = &NAMES;

pub(super) fn oracle(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    let described = desk.base.described(&view);
    let unread = of_descriptions(&view).len();
    let unvouched = Unvouched::of(&desk.base, &view);
    let mut list = List::beginning_with(unvouched.caution());
    for part in &described {
        let (section, store) = (part.section, store_name(&part.stack.store));
        list.section(&format!("<!-- {section} of {store} -->\n"));
        list.item(format!("{}\n\n", part.text.trim()));
    }
    if described.is_empty() && unread == 0 {
        list.say("The project is not described yet. `custos init` scans it; `save_oracle` writes down what you learn.");
    }
    list.say(&missing(unread));
    let page = desk.page(&list, arguments);
    let row = |at: usize| {
        let part = described.get(at)?;
        let mut row = json!({ "section": part.section, "level": part.stack.store.level });
        page.add_texts(at, &mut row, &[("text", json!(part.text))]);
        Some(row)
    };
    let sections: Vec<Value> = page.shown().filter_map(row).collect();
    let mut data = json!({
        "sections": sections, "total": described.len(), "unreadable": unread, "page": page.number, "pages": page.of,
    });
    unvouched.mark(&mut data);
    Ok(Answer::new(page.text, data))
}

pub(super) fn save_oracle(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let mode = if arguments.text("mode") == "replace" { Mode::Replace } else { Mode::Append };
    let saved = desk.base.save_section(&view, arguments.text("section"), arguments.text("content"), mode)?;
    let became = if saved.changed { "saved" } else { "unchanged" };
    let store = &view.own().store;
    let place = place(store.level, &store.name);
    let text = with_notes(format!("{} {became} · {place} · {}", saved.section, saved.file), &saved.notes);
    let mut data = json!({ "saved": saved });
    data["saved"]["store"] = json!(store.name);
    Ok(Answer::new(text, data))
}
