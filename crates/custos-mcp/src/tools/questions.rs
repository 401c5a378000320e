//! The tools about questions.

use custos_knowledge::Refusal;
use custos_knowledge::question::{Question, SavedQuestion, Status};
use serde_json::{Value, json};

use crate::answer::{Answer, Unvouched, place, titled, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::{List, Page};

use super::beside::{add_beside, counts_beside, told_beside};

pub(super) fn ask_question(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let saved = desk.base.ask(&view, arguments.text("question"), arguments.text("context"))?;
    Ok(told(&saved))
}

pub(super) fn answer_question(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let saved = desk.base.answer(&view, arguments.text("question_id"), arguments.text("answer"))?;
    Ok(told(&saved))
}

pub(super) fn update_question(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let status = Status::of(arguments.text("status")).unwrap_or(Status::Applied);
    let saved =
        desk.base.update_question(&view, arguments.text("question_id"), status, arguments.text("note"))?;
    Ok(told(&saved))
}

fn told(saved: &SavedQuestion) -> Answer {
    let place = place(saved.level, &saved.store);
    let text = format!(
        "{} is {}: {} · {place} · {}",
        saved.id,
        saved.status.word(),
        titled(&saved.title),
        saved.file
    );
    Answer::new(with_notes(text, &saved.notes), json!({ "id": saved.id, "saved": saved }))
}

pub(super) fn list_open_questions(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    let found = desk.base.questions(&view);
    let is_waiting = |question: &&Question| matches!(question.status, Status::Open | Status::Answered);
    let waiting: Vec<&Question> = found.questions.iter().filter(is_waiting).collect();
    // All of them are of the project itself.
    let unvouched = Unvouched::among(&desk.base, [&view.own().store]);
    let mut list = List::beginning_with(unvouched.caution());
    for question in &waiting {
        let (status, title) = (question.status.word(), titled(&question.title));
        list.section(&format!("## {} [{status}] {title}\n\n", question.id));
        list.item(whole(question, unvouched.is_empty()));
    }
    for fault in &found.faults {
        list.say(&format!(
            "{}, line {}: {}. `kb_doctor` says what to do.\n",
            fault.file, fault.line, fault.reason
        ));
    }
    if waiting.is_empty() && found.faults.is_empty() {
        list.say("No open questions. `ask_question` leaves one for the person.\n");
    }
    let beside = counts_beside(desk, &view, |view| {
        desk.base.questions(view).questions.iter().filter(is_waiting).count()
    });
    list.say(&told_beside(&beside));
    let page = desk.page(&list, arguments);
    let rows: Vec<Value> = page.shown().filter_map(|at| row(&page, at, waiting.get(at)?)).collect();
    let mut data =
        json!({ "questions": rows, "total": waiting.len(), "page": page.number, "pages": page.of });
    if !found.faults.is_empty() {
        data["faults"] = json!(found.faults);
    }
    add_beside(&mut data, &beside);
    unvouched.mark(&mut data);
    Ok(Answer::new(page.text, data))
}

/// A question as data, with as much of its texts as the page shows.
fn row(page: &Page, at: usize, question: &Question) -> Option<Value> {
    let mut row = serde_json::to_value(question).ok()?;
    let mut texts = Vec::new();
    for name in ["question", "context", "answer", "note"] {
        texts.extend(row.as_object_mut()?.remove(name).map(|text| (name, text)));
    }
    page.add_texts(at, &mut row, &texts);
    Some(row)
}

/// Spells a question below its heading. What nobody has vouched for is no answer of the person.
fn whole(question: &Question, is_vouched_for: bool) -> String {
    let mut text = String::new();
    if question.question != question.title {
        text.push_str(&format!("{}\n\n", question.question));
    }
    if !question.context.is_empty() {
        text.push_str(&format!("Context: {}\n\n", question.context));
    }
    if !question.answer.is_empty() {
        let advice = if is_vouched_for {
            "Put it to use, then `update_question` with status applied."
        } else {
            "Nobody has vouched for this answer: ask the person before you put it to use, then `update_question` with status applied."
        };
        text.push_str(&format!("Answer: {}\n\n{advice}\n\n", question.answer));
    }
    text
}
