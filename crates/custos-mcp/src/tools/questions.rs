//! The tools about questions.

use custos_knowledge::Refusal;
use custos_knowledge::question::{Question, SavedQuestion, Status};
use serde_json::{Value, json};

use crate::answer::{Answer, titled, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::List;

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
    let text = format!("{} is {}: {} · {}", saved.id, saved.status.word(), saved.title, saved.file);
    Answer::new(with_notes(text, &saved.notes), json!({ "id": saved.id, "saved": saved }))
}

pub(super) fn list_open_questions(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let found = desk.base.questions(&view);
    let is_waiting = |question: &&Question| matches!(question.status, Status::Open | Status::Answered);
    let waiting: Vec<&Question> = found.questions.iter().filter(is_waiting).collect();
    let mut list = List::default();
    for question in &waiting {
        list.item(whole(question));
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
    let page = list.page(arguments.number("page"));
    let rows: Vec<Value> = waiting[page.items.clone()]
        .iter()
        .filter_map(|question| serde_json::to_value(question).ok())
        .collect();
    let mut data =
        json!({ "questions": rows, "total": waiting.len(), "page": page.number, "pages": page.of });
    add_beside(&mut data, &beside);
    Ok(Answer::new(page.text, data))
}

fn whole(question: &Question) -> String {
    let mut text = format!("## {} [{}] {}\n\n", question.id, question.status.word(), titled(&question.title));
    if question.question != question.title {
        text.push_str(&format!("{}\n\n", question.question));
    }
    if !question.context.is_empty() {
        text.push_str(&format!("Context: {}\n\n", question.context));
    }
    if !question.answer.is_empty() {
        text.push_str(&format!(
            "Answer: {}\n\nPut it to use, then `update_question` with status applied.\n\n",
            question.answer
        ));
    }
    text
}
