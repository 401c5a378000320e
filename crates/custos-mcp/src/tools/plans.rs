//! The tools about plans.

use custos_knowledge::Refusal;
use custos_knowledge::plan::{Plan, PlanStatus, Step, StepState};
use serde_json::{Value, json};

use crate::answer::{Answer, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::page;

/// Whether a plan is followed.
pub(super) const STATUSES: &[&str] = &["active", "done", "dropped"];

pub(super) fn plans(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let contents = desk.base.plans(&view, PlanStatus::of(arguments.text("status")));
    let mut text: String = contents.items.iter().map(|kept| whole(&kept.item, usize::MAX)).collect();
    for fault in &contents.faults {
        text.push_str(&format!("{} cannot be read, line {}: {}\n", fault.file, fault.line, fault.reason));
    }
    if text.is_empty() {
        text.push_str("No plans. `save_plan` keeps one.");
    }
    let rows: Vec<Value> =
        contents.items.iter().filter_map(|kept| serde_json::to_value(&*kept.item).ok()).collect();
    Ok(Answer::new(page(&text, arguments.number("page")).text, json!({ "plans": rows, "total": rows.len() })))
}

/// Shows a plan, with at most so many steps from the first that is not over.
pub(super) fn whole(plan: &Plan, most: usize) -> String {
    let is_over = |step: &Step| matches!(step.state, StepState::Done | StepState::Skipped);
    let done = plan.steps.iter().filter(|step| is_over(step)).count();
    let mut text =
        format!("## {} [{}] {done} of {} steps\n\n", plan.title, plan.status.word(), plan.steps.len());
    let from = if plan.steps.len() > most {
        plan.steps.iter().position(|step| !is_over(step)).unwrap_or(0).saturating_sub(1)
    } else {
        0
    };
    let shown = plan.steps.iter().skip(from).take(most);
    text.extend(shown.map(|step| format!("- [{}] {}\n", step.state.mark(), step.text)));
    if plan.steps.len() > from.saturating_add(most) {
        text.push_str("- … (`plans` shows all)\n");
    }
    text.push('\n');
    text
}

pub(super) fn save_plan(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let steps: Vec<Step> = arguments.texts("steps").iter().map(|text| step(text)).collect();
    let saved = desk.base.save_plan(
        &view,
        arguments.text("title"),
        &steps,
        PlanStatus::of(arguments.text("status")),
    )?;
    let text = format!("Plan saved: {} [{}] · {}", saved.title, saved.status.word(), saved.file);
    Ok(Answer::new(with_notes(text, &saved.notes), json!({ "slug": saved.slug, "saved": saved })))
}

/// Reads a step: `[x] done`, `done: text`, or just a text.
fn step(text: &str) -> Step {
    let text = text.trim().trim_start_matches("- ");
    if let Some((mark, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && let Some(state) = marked(mark)
    {
        return Step { text: rest.trim().to_owned(), state };
    }
    if let Some((word, rest)) = text.split_once(':')
        && let Some(state) = StepState::of(word.trim())
    {
        return Step { text: rest.trim().to_owned(), state };
    }
    Step { text: text.to_owned(), state: StepState::Pending }
}

fn marked(mark: &str) -> Option<StepState> {
    let mark = mark.to_ascii_lowercase();
    let is =
        |state: &StepState| mark.trim() == state.mark().to_string().trim() || mark.trim() == state.word();
    StepState::ALL.into_iter().find(is)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("write the parser", StepState::Pending, "write the parser")]
    #[case("[ ] write", StepState::Pending, "write")]
    #[case("[] write", StepState::Pending, "write")]
    #[case("- [x] write", StepState::Done, "write")]
    #[case("[>] write", StepState::Active, "write")]
    #[case("[-] write", StepState::Skipped, "write")]
    #[case("[done] write", StepState::Done, "write")]
    #[case("active: write", StepState::Active, "write")]
    #[case("[WIP] write", StepState::Pending, "[WIP] write")]
    #[case("note: write", StepState::Pending, "note: write")]
    fn steps_are_read_as_they_are_meant(#[case] sent: &str, #[case] state: StepState, #[case] text: &str) {
        assert_eq!(step(sent), Step { text: text.to_owned(), state });
    }
}
