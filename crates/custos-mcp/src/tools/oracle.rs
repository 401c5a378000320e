//! The tools about the project as a whole.

use custos_knowledge::Refusal;
use custos_knowledge::described::{Mode, SECTIONS as NAMES};
use serde_json::{Value, json};

use crate::answer::{Answer, cautions, store_name, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::List;

use super::health::{missing, of_descriptions};

/// The sections that can be written.
pub(super) const SECTIONS: &[&str] = &NAMES;

pub(super) fn oracle(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let described = desk.base.described(&view);
    let unread = of_descriptions(&view).len();
    let mut list = List::default();
    list.say(&cautions(&desk.base, &view));
    for part in &described {
        let (section, store) = (part.section, store_name(&part.stack));
        list.item(format!("<!-- {section} of {store} -->\n{}\n\n", part.text.trim()));
    }
    if described.is_empty() && unread == 0 {
        list.say("The project is not described yet. `custos init` scans it; `save_oracle` writes down what you learn.");
    }
    list.say(&missing(unread));
    let page = list.page(arguments.number("page"));
    let sections: Vec<Value> = described[page.items.clone()]
        .iter()
        .map(|part| json!({ "section": part.section, "level": part.stack.store.level, "text": part.text }))
        .collect();
    let data = json!({
        "sections": sections, "total": described.len(), "unreadable": unread, "page": page.number, "pages": page.of,
    });
    Ok(Answer::new(page.text, data))
}

pub(super) fn save_oracle(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let mode = if arguments.text("mode") == "replace" { Mode::Replace } else { Mode::Append };
    let saved = desk.base.save_section(&view, arguments.text("section"), arguments.text("content"), mode)?;
    let text = with_notes(format!("{} saved · {}", saved.section, saved.file), &saved.notes);
    Ok(Answer::new(text, json!({ "saved": saved })))
}
