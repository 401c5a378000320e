//! The tools about the project as a whole.

use custos_knowledge::Refusal;
use custos_knowledge::described::{Mode, SECTIONS as NAMES};
use serde_json::{Value, json};

use crate::answer::{Answer, cautions, store_name, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::page;

/// The sections that can be written.
pub(super) const SECTIONS: &[&str] = &NAMES;

pub(super) fn oracle(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let described = desk.base.described(&view);
    let mut text = cautions(&desk.base, &view);
    for part in &described {
        text.push_str(&format!(
            "<!-- {} of {} -->\n{}\n\n",
            part.section,
            store_name(&part.stack),
            part.text.trim()
        ));
    }
    if described.is_empty() {
        text.push_str("The project is not described yet. `custos init` scans it; `save_oracle` writes down what you learn.");
    }
    let sections: Vec<Value> = described
        .iter()
        .map(|part| json!({ "section": part.section, "level": part.stack.store.level }))
        .collect();
    let page = page(&text, arguments.number("page"));
    Ok(Answer::new(page.text, json!({ "sections": sections, "page": page.number, "pages": page.of })))
}

pub(super) fn save_oracle(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let mode = if arguments.text("mode") == "replace" { Mode::Replace } else { Mode::Append };
    let saved = desk.base.save_section(&view, arguments.text("section"), arguments.text("content"), mode)?;
    let text = with_notes(format!("{} saved · {}", saved.section, saved.file), &saved.notes);
    Ok(Answer::new(text, json!({ "saved": saved })))
}
