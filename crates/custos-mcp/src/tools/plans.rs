//! The tools about plans.

use custos_knowledge::Refusal;
use custos_knowledge::plan::{Plan, PlanStatus, Step, StepState};
use serde_json::{Value, json};

use crate::answer::{Answer, Unvouched, one_line, place, titled, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::List;

use super::health::shut;

/// Whether a plan is followed.
pub(super) const STATUSES: &[&str] = &["active", "done", "dropped"];

pub(super) fn plans(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    let wanted = PlanStatus::of(arguments.text("status"));
    let mut contents = desk.base.plans(&view, None);
    let all = contents.items.len();
    contents.items.retain(|kept| wanted.is_none_or(|wanted| kept.item.status == wanted));
    let unvouched = Unvouched::of(&desk.base, &view);
    let mut list = List::beginning_with(unvouched.caution());
    for kept in &contents.items {
        list.section(&heading(&kept.item));
        list.item(steps_of(&kept.item, usize::MAX, usize::MAX));
    }
    for fault in &contents.faults {
        list.say(&format!("{} cannot be read, line {}: {}\n", fault.file, fault.line, fault.reason));
    }
    let shut = shut(&view, &["local/plans"]);
    list.say(&shut);
    if contents.items.is_empty() && contents.faults.is_empty() && shut.is_empty() {
        list.say(&match wanted {
            Some(status) if all > 0 => {
                let status = status.word();
                format!("No plan has the status {status}. Others: {all} (`plans` without status shows them).")
            }
            _ => "No plans. `save_plan` keeps one.".to_owned(),
        });
    }
    let page = desk.page(&list, arguments);
    let row = |at: usize| {
        let mut row = serde_json::to_value(&*contents.items.get(at)?.item).ok()?;
        let steps = row.as_object_mut()?.remove("steps")?;
        page.add_texts(at, &mut row, &[("steps", steps)]);
        Some(row)
    };
    let rows: Vec<Value> = page.shown().filter_map(row).collect();
    let mut data =
        json!({ "plans": rows, "total": contents.items.len(), "page": page.number, "pages": page.of });
    unvouched.mark(&mut data);
    Ok(Answer::new(page.text, data))
}

/// How much of a step is shown at the start of a session.
const SHORT_STEP: usize = 70;

/// Shows a plan with a few of its steps, for the start of a session.
pub(super) fn in_short(plan: &Plan, steps: usize) -> String {
    heading(plan) + &steps_of(plan, steps, SHORT_STEP)
}

fn is_over(step: &Step) -> bool {
    matches!(step.state, StepState::Done | StepState::Skipped)
}

fn heading(plan: &Plan) -> String {
    let done = plan.steps.iter().filter(|step| is_over(step)).count();
    format!("## {} [{}] {done} of {} steps\n\n", titled(&plan.title), plan.status.word(), plan.steps.len())
}

/// Shows the steps of a plan: at most so many from the first that is not over, and so many characters of each.
fn steps_of(plan: &Plan, most: usize, longest: usize) -> String {
    let from = if plan.steps.len() > most {
        plan.steps.iter().position(|step| !is_over(step)).unwrap_or(0).saturating_sub(1)
    } else {
        0
    };
    let mut text = String::new();
    let shown = plan.steps.iter().skip(from).take(most);
    text.extend(shown.map(|step| format!("- [{}] {}\n", step.state.mark(), one_line(&step.text, longest))));
    if plan.steps.len() > from.saturating_add(most) {
        text.push_str("- … (`plans` shows all)\n");
    }
    text.push('\n');
    text
}

pub(super) fn save_plan(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let steps = steps(&arguments.texts("steps"));
    let saved = desk.base.save_plan(
        &view,
        arguments.text("title"),
        &steps,
        PlanStatus::of(arguments.text("status")),
    )?;
    let (status, place) = (saved.status.word(), place(saved.level, &saved.store));
    let text = format!("Plan saved: {} [{status}] · {place} · {}", saved.title, saved.file);
    Ok(Answer::new(with_notes(text, &saved.notes), json!({ "slug": saved.slug, "saved": saved })))
}

/// Reads the steps. Some send all of them as one text, with a line for each.
fn steps(sent: &[String]) -> Vec<Step> {
    match sent {
        [all] if all.trim().contains('\n') => all
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| step(without_number(line)))
            .collect(),
        each => each.iter().map(|text| step(text)).collect(),
    }
}

/// Takes the number or the mark of a list off a line.
fn without_number(line: &str) -> &str {
    let line = line.trim();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+']),
        _ => line[digits..].strip_prefix(['.', ')']),
    };
    rest.filter(|rest| rest.starts_with([' ', '\t'])).map_or(line, str::trim)
}

/// Reads a step: `[x] done`, `done: text`, or just a text.
fn step(text: &str) -> Step {
    let text = text.trim().trim_start_matches("- ");
    // A mark may stand in a list of any kind.
    if let Some((mark, rest)) = without_number(text).strip_prefix('[').and_then(|rest| rest.split_once(']'))
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

    #[test]
    fn one_text_with_several_lines_is_several_steps() {
        let read = |sent: &[&str]| -> Vec<(StepState, String)> {
            let sent: Vec<String> = sent.iter().map(|text| (*text).to_owned()).collect();
            steps(&sent).into_iter().map(|step| (step.state, step.text)).collect()
        };
        let expected =
            [(StepState::Done, "Read".to_owned()), (StepState::Pending, "Write 2.5 pages".to_owned())];
        assert_eq!(read(&["1. [x] Read\n\n2. Write 2.5 pages\n"]), expected);
        assert_eq!(read(&["- done: Read\n* Write 2.5 pages"]), expected);
        assert_eq!(read(&["[x] Read", "Write 2.5 pages"]), expected);
        assert_eq!(read(&["3 of them\n4.5 more"]).len(), 2);
        assert_eq!(read(&["Read\nall", "Write"]).len(), 2);
    }

    #[rstest]
    #[case("write the parser", StepState::Pending, "write the parser")]
    #[case("[ ] write", StepState::Pending, "write")]
    #[case("[] write", StepState::Pending, "write")]
    #[case("- [x] write", StepState::Done, "write")]
    #[case("* [x] write", StepState::Done, "write")]
    #[case("2. [>] write", StepState::Active, "write")]
    #[case("2. write", StepState::Pending, "2. write")]
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
