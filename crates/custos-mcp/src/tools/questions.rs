//! The tools about questions.

use custos_knowledge::Refusal;
use custos_knowledge::question::{Question, SavedQuestion, Status};
use serde_json::{Value, json};

use crate::answer::{Answer, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::page;

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
    let mut questions = desk.base.questions(&view);
    questions.questions.retain(|question| matches!(question.status, Status::Open | Status::Answered));
    let mut text = String::new();
    for question in &questions.questions {
        text.push_str(&whole(question));
    }
    for fault in &questions.faults {
        text.push_str(&format!("{} cannot be read, line {}: {}\n", fault.file, fault.line, fault.reason));
    }
    if text.is_empty() {
        text.push_str("No open questions. `ask_question` leaves one for the person.");
    }
    let page = page(&text, arguments.number("page"));
    let rows: Vec<Value> =
        questions.questions.iter().filter_map(|question| serde_json::to_value(question).ok()).collect();
    Ok(Answer::new(page.text, json!({ "questions": rows, "total": rows.len() })))
}

fn whole(question: &Question) -> String {
    let mut text = format!("## {} [{}] {}\n\n", question.id, question.status.word(), question.title);
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
