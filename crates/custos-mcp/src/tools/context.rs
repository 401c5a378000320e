//! What every session begins with.
//!
//! The handoff of the last session first, then what binds and what waits, then what to load next. Whatever the base holds, it stays under
//! 12,000 characters: each part has its share, and what does not fit is named with the tool or the file that shows it.
//!
//! Handoff, plans and worklog belong to the root of a session, and a repo of a workspace shares those of the workspace. So the context of a
//! repo does not repeat what this connection got with the context of its workspace, unless it changed since; another project has its own, and
//! shows them.

mod told;

use custos_config::shown::shown_path;
use custos_knowledge::backlog::{Status, Task};
use custos_knowledge::decision::{Decision, Enforce, Placed};
use custos_knowledge::handoff::Handoff;
use custos_knowledge::plan::PlanStatus;
use custos_knowledge::question::{Question, Status as QuestionStatus};
use custos_knowledge::{Fault, Nature, Refusal, View};
use serde_json::{Map, json};

use crate::answer::{Answer, Unvouched, file_of, one_line, shortened, store_name};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::{PAGE, page};

use super::beside::{counts_beside, told_beside};
use super::{audits, health, plans, safety};
use told::{Part, Told};

/// The parts in their order: the name, the most characters, and what shows the rest.
const SHARES: [(&str, usize, &str); 11] = [
    ("caution", 600, "every list says it again"),
    ("handoff", 4_200, "the newest file in .ai/local/handoffs has all of it"),
    ("audits", 200, "`worklog` shows all"),
    ("where", 600, "`status` shows all"),
    ("plans", 1_500, "`plans` shows all"),
    ("worklog", 800, ".ai/local/worklog.md has all of it"),
    ("safety", 1_000, "`safety` shows all"),
    ("decisions", 1_400, "`decisions` shows all"),
    ("questions", 600, "`list_open_questions` shows all"),
    ("backlog", 450, "`backlog` shows all"),
    ("next", 600, "`status` shows more"),
];

pub(super) fn context(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    // It is one page, and whoever asks for another has not been told anything by that.
    let beyond = page("", arguments.number("page"));
    if !beyond.text.is_empty() {
        return Ok(Answer::new(
            beyond.text,
            json!({ "root": shown_path(&view.root.path), "page": beyond.number, "pages": 1 }),
        ));
    }
    let parts = parts(desk, &view, &Told::before(desk, &view)?);
    let parts: Vec<_> = SHARES
        .iter()
        .zip(parts)
        .map(|((name, most, rest), part)| (name, rest, cut(&part, *most, rest)))
        .collect();
    // In some scripts a character takes three bytes, and no client is to show but a part of it.
    let bytes = fair_share(parts.iter().map(|(.., part)| part.len()).collect(), PAGE - WORDS_OF_PAGE);
    let mut text = String::new();
    let mut sizes = Map::new();
    for (name, rest, part) in parts {
        let part = cut_to_bytes(&part, bytes, rest);
        if !part.is_empty() {
            sizes.insert((*name).to_owned(), json!(part.chars().count()));
            text.push_str(&part);
            text.push_str("\n\n");
        }
    }
    let text = text.trim_end();
    let mut data = json!({
        "root": shown_path(&view.root.path), "session": desk.base.around().session(), "characters": text.chars().count(), "parts": sizes,
        "text": text,
    });
    Unvouched::of(&desk.base, &view).mark(&mut data);
    Ok(Answer::new(text, data))
}

/// Cuts a part to its share, on a whole line where that leaves enough, and names what shows the rest.
fn cut(text: &str, most: usize, rest: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let ending = format!("\n… (shortened; {rest})");
    let short = shortened(text, most.saturating_sub(ending.chars().count() + 1));
    let end = short.rfind('\n').filter(|at| *at > short.len() / 2).unwrap_or(short.len());
    format!("{}{ending}", short[..end].trim_end())
}

/// The same for a share in bytes.
fn cut_to_bytes(part: &str, most: usize, rest: &str) -> String {
    if part.len() <= most {
        return part.to_owned();
    }
    let fitting = part.floor_char_boundary(most);
    cut(part, part[..fitting].chars().count(), rest)
}

/// How much of a page is left for blank lines between the parts, and for what is said of those that are cut.
const WORDS_OF_PAGE: usize = 200;

/// The parts, as [`SHARES`] names them. What was told before of the levels around is left out.
fn parts(desk: &Desk, view: &View, told: &Told) -> [String; SHARES.len()] {
    let mut decisions = desk.base.decisions(view, false);
    let known = decisions.len();
    let mut unvouched = Unvouched::of(&desk.base, view);
    if told.was(Part::Decisions) {
        decisions.retain(|placed| placed.store == view.own().store);
        unvouched = Unvouched::among(&desk.base, [&view.own().store]);
    }
    let whereabouts = whereabouts(desk, view) + told.words();
    let unless_told = |part: Part, tell: &dyn Fn(&Desk, &View) -> String| {
        if told.was(part) { String::new() } else { tell(desk, view) }
    };
    let handed_over = unless_told(Part::Handoff, &handoff);
    let audits = unless_told(Part::Handoff, &audits::pending);
    let active_plans = unless_told(Part::Plans, &plans_in_short);
    let entry = unless_told(Part::Worklog, &last_entry);
    let safety = match safety::summary(desk, view, told.of(Part::Safety)) {
        rules if rules.is_empty() => rules,
        rules => format!("# Safety\n\n{rules}"),
    };
    let questions = waiting_questions(desk, view, told.of(Part::Questions));
    let backlog = backlog_counts(desk, view, told.of(Part::Backlog));
    let is_bare = desk.base.newest_handoff(view).is_none()
        && [&active_plans, &entry, &questions, &backlog].iter().all(|part| part.is_empty());
    let next = next(desk, view, known, is_bare);
    let required = required(&decisions, &unvouched);
    [
        unvouched.caution(),
        handed_over,
        audits,
        whereabouts,
        active_plans,
        entry,
        safety,
        required,
        questions,
        backlog,
        next,
    ]
}

/// Where the session is, and where its knowledge is kept.
pub(super) fn whereabouts(desk: &Desk, view: &View) -> String {
    let nature = match &view.root.nature {
        Nature::Repo => "repo".to_owned(),
        Nature::Workspace(marker) => format!("workspace ({marker})"),
        Nature::Directory => "directory without a repo".to_owned(),
    };
    let stores: Vec<String> = view
        .stacks
        .iter()
        .map(|stack| {
            let state = if stack.store.exists() { "" } else { ", nothing in it yet" };
            format!("{}: {}{state}", store_name(&stack.store), shown_path(&stack.store.dir))
        })
        .collect();
    let session =
        desk.base.around().session().map(|session| format!(" · session {session}")).unwrap_or_default();
    format!("# Where\n\n{nature} {}{session}\nKnowledge: {}", shown_path(&view.root.path), stores.join("; "))
}

fn handoff(desk: &Desk, view: &View) -> String {
    let mut text = match desk.base.newest_handoff(view) {
        Some(kept) => told(&kept.item, &file_of(&desk.base.session_store(view).dir, &kept.file)),
        None => "# No handoff\n\nNo session has closed here yet. At the end of this one: `begin_close`, then `finalize_close`.\n".to_owned(),
    };
    if let Some(to_come) = desk.base.handoff_to_come(view) {
        let (file, date) = (one_line(&to_come.file, 100), one_line(&to_come.item.date, 30));
        text.push_str(&format!(
            "Another handoff says that it is of {date}, which is to come, and does not count: {file}\n"
        ));
    }
    // The one that cannot be read may be the one that was meant.
    for fault in desk.base.handoffs(view).faults.iter().take(1) {
        let (file, reason) = (one_line(&fault.file, 100), one_line(&fault.reason, 100));
        text.push_str(&format!("Another handoff cannot be read: {file}, line {}: {reason}\n", fault.line));
    }
    text
}

/// How much of the parts of a handoff is shown; the rest of its share is for headings and for what is said about it.
const HANDOFF_TEXT: usize = 3_400;

/// Shows a handoff, with what the next session is to be told first at its top.
fn told(handoff: &Handoff, file: &str) -> String {
    let by = if handoff.source.word() == "auditor" { ", written by the auditor" } else { "" };
    let mut text = format!("# Handoff of the last session ({}{by})\n\n", one_line(&handoff.date, 30));
    let mut parts = handoff.parts.headed();
    parts.rotate_right(1);
    let share = fair_share(parts.iter().map(|(_, part)| part.chars().count()).collect(), HANDOFF_TEXT);
    for (heading, part) in parts.iter().filter(|(_, part)| !part.is_empty()) {
        text.push_str(&format!("**{heading}:** {}\n", shortened(part, share)));
    }
    if parts.iter().any(|(_, part)| part.chars().count() > share) {
        text.push_str(&format!("(shortened; {file} has all of it)\n"));
    }
    text
}

/// Finds how long each of some texts may be so that all of them fit: short ones stay whole, and long ones share what these leave.
fn fair_share(mut lengths: Vec<usize>, most: usize) -> usize {
    lengths.sort_unstable();
    let mut left = most;
    for (at, length) in lengths.iter().enumerate() {
        let share = left / (lengths.len() - at);
        if *length > share {
            return share;
        }
        left -= length;
    }
    most
}

/// How many plans are shown, and how many of their steps all together.
const PLANS: usize = 3;
const STEPS: usize = 12;

fn plans_in_short(desk: &Desk, view: &View) -> String {
    let found = desk.base.plans(view, Some(PlanStatus::Active)).items;
    let count = found.len().min(PLANS);
    if count == 0 {
        return String::new();
    }
    let more = if found.len() > count {
        format!(" ({count} of {}; `plans` shows all)", found.len())
    } else {
        String::new()
    };
    let shown: String =
        found[..count].iter().map(|kept| plans::in_short(&kept.item, STEPS / count)).collect();
    format!("# Active plans{more}\n\n{shown}")
}

fn last_entry(desk: &Desk, view: &View) -> String {
    desk.base
        .last_entry(view)
        .map_or_else(String::new, |entry| format!("# Last worklog entry ({})\n\n{}", entry.time, entry.text))
}

/// How many required decisions are shown.
const REQUIRED: usize = 10;

/// The decisions that bind, by their titles. What nobody has vouched for binds nobody, whatever it says of itself.
fn required(decisions: &[Placed<Decision>], unvouched: &Unvouched) -> String {
    let required: Vec<&Placed<Decision>> =
        decisions.iter().filter(|placed| placed.kept.item.enforce == Enforce::Required).collect();
    if required.is_empty() {
        return String::new();
    }
    let more = match required.len().saturating_sub(REQUIRED) {
        0 => String::new(),
        more => format!("\n- and {more} more (`decisions`)"),
    };
    let line = |placed: &&Placed<Decision>| {
        let item = &placed.kept.item;
        format!("- {} ({}) {}", one_line(&item.id, 20), placed.level.word(), one_line(&item.title, 100))
    };
    let shown = required.iter().take(REQUIRED).map(line).collect::<Vec<_>>().join("\n");
    let but = if unvouched.is_empty() {
        String::new()
    } else {
        format!(
            "Those of {} are not vouched for: ask the person before you follow one.\n\n",
            unvouched.named()
        )
    };
    format!("# Required decisions ({} of {})\n\n{but}{shown}{more}", required.len(), decisions.len())
}

/// How many questions are shown.
const QUESTIONS: usize = 4;

/// The questions of the project, and those of the session's root around it, unless they were told before.
fn waiting_questions(desk: &Desk, view: &View, told_before: Option<&View>) -> String {
    let own = desk.base.questions(view).questions;
    let session = desk.base.session_store(view);
    let is_around = told_before.is_none() && *session != *view.own().store;
    let around = if is_around { desk.base.view(None).ok() } else { None };
    let around = around.map_or_else(Vec::new, |around| desk.base.questions(&around).questions);
    let level = format!(" ({})", session.level.word());
    let questions = around.iter().map(|question| (level.as_str(), question));
    let questions: Vec<(&str, &Question)> =
        questions.chain(own.iter().map(|question| ("", question))).collect();
    let of = |status: QuestionStatus| -> Vec<&(&str, &Question)> {
        // The newest stand last in the file.
        questions.iter().rev().filter(|(_, question)| question.status == status).collect()
    };
    let (open, answered) = (of(QuestionStatus::Open), of(QuestionStatus::Answered));
    let is_waiting =
        |question: &&Question| matches!(question.status, QuestionStatus::Open | QuestionStatus::Answered);
    let beside = counts_beside(desk, view, |view| {
        desk.base.questions(view).questions.iter().filter(is_waiting).count()
    });
    if open.is_empty() && answered.is_empty() && beside.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "# Questions: {} open, {} answered and to be applied (`list_open_questions`)\n",
        open.len(),
        answered.len()
    );
    for (level, question) in answered.iter().chain(&open).take(QUESTIONS) {
        let (status, title) = (question.status.word(), one_line(&question.title, 90));
        text.push_str(&format!("\n- {}{level} [{status}] {title}", question.id));
    }
    format!("{text}\n{}", told_beside(&beside))
}

fn backlog_counts(desk: &Desk, view: &View, told_before: Option<&View>) -> String {
    let mut tasks = desk.base.tasks(view, None);
    tasks.retain(|placed| told_before.is_none() || placed.store == view.own().store);
    let count = |status: Status| tasks.iter().filter(|placed| placed.kept.item.status == status).count();
    let (active, open, blocked) = (count(Status::InProgress), count(Status::Open), count(Status::Blocked));
    let is_undone = |placed: &&Placed<Task>| placed.kept.item.status != Status::Done;
    let beside =
        counts_beside(desk, view, |view| desk.base.tasks(view, None).iter().filter(is_undone).count());
    if active + open + blocked == 0 && beside.is_empty() {
        return String::new();
    }
    let mut text = format!("# Backlog: {active} in progress, {open} open, {blocked} blocked (`backlog`)\n");
    for placed in tasks.iter().filter(|placed| placed.kept.item.status == Status::InProgress).take(3) {
        let item = &placed.kept.item;
        let is_own = placed.store == view.own().store;
        let level = if is_own { String::new() } else { format!(" ({})", placed.level.word()) };
        text.push_str(&format!("\n- {}{level} {}", one_line(&item.id, 20), one_line(&item.title, 90)));
    }
    format!("{text}\n{}", told_beside(&beside))
}

fn next(desk: &Desk, view: &View, decisions: usize, is_bare: bool) -> String {
    let memories = if desk.base.is_large(view) {
        // Counted, not read: the files are many, and nobody is shown them here. What is known by now to be none is not counted.
        let is_memory = |fault: &Fault| fault.file.starts_with("memory/");
        let broken = view.stacks.iter().flat_map(|stack| stack.faults()).filter(is_memory).count();
        desk.base.count_memories(view).saturating_sub(broken)
    } else {
        desk.base.memories(view, None).len()
    };
    let described = desk.base.described(view).len();
    let mut calls = Vec::new();
    if decisions > 0 {
        calls.push(format!("`decisions` ({decisions})"));
    }
    if memories > 0 {
        calls.push(format!("`memories` ({memories})"));
    }
    if described > 0 {
        calls.push("`oracle`".to_owned());
    }
    let missing =
        health::shut(view, health::DIRECTORIES) + &health::missing(health::faults(desk, view).len());
    let repos = repos_that_know(view);
    let next = if !calls.is_empty() {
        format!("Call in parallel, before you work: {}.", calls.join(", "))
    } else if !repos.is_empty() {
        "For the whole workspace no decisions or lessons are kept yet.".to_owned()
    } else if is_bare && missing.is_empty() {
        "The knowledge base is empty: save decisions (`save_decision`) and lessons (`save_memory`) as they come up.".to_owned()
    } else {
        "No decisions or lessons are kept yet: `save_decision` and `save_memory` as they come up.".to_owned()
    };
    format!("# Next\n\n{next}\n{repos}{missing}")
}

/// How much is said of the names of repos.
const REPOS: usize = 200;

/// Names the repos of a workspace that know something themselves: from the workspace nothing of theirs is shown.
fn repos_that_know(view: &View) -> String {
    let known: Vec<String> = view
        .root
        .repos()
        .into_iter()
        .filter(|child| child.path.join(".ai").is_dir())
        .map(|child| child.name)
        .collect();
    if known.is_empty() {
        return String::new();
    }
    let names = one_line(&known.join(", "), REPOS);
    format!(
        "Repos with knowledge of their own: {names}. Before you work in one, call `decisions`, `memories` and `oracle` with its name as `project_path`.\n"
    )
}

#[cfg(test)]
mod tests {
    use custos_knowledge::handoff::{Author, Parts};
    use custos_knowledge::shelf::Item;

    use super::*;

    #[test]
    fn the_shares_fit_into_what_a_client_shows() {
        assert!(SHARES.iter().map(|(_, most, _)| most + "\n\n".len()).sum::<usize>() <= 12_000);
    }

    #[test]
    fn what_is_cut_fits_and_says_where_the_rest_is() {
        let text = "a line of words\n".repeat(40);
        let short = cut(&text, 100, "`plans` shows all");
        assert_eq!(short, "a line of words\n".repeat(4) + "… (shortened; `plans` shows all)");
        for (_, most, rest) in SHARES {
            assert!(cut(&"é".repeat(20_000), most, rest).chars().count() <= most);
        }
        assert_eq!(cut(" short\n", 100, ""), "short");
    }

    #[test]
    fn short_texts_stay_whole_and_long_ones_share_the_rest() {
        assert_eq!(fair_share(vec![10, 20, 30], 100), 100);
        assert_eq!(fair_share(vec![10, 500, 500], 100), 45);
        assert_eq!(fair_share(vec![500; 4], 100), 25);
        assert_eq!(fair_share(vec![], 100), 100);
    }

    #[test]
    fn no_part_of_a_handoff_pushes_out_another() {
        let parts = Parts {
            stopped_at: "the clock".to_owned(),
            next_steps: "run the tests ".repeat(400),
            blockers: "no key".to_owned(),
            startup_text: "Go on. ".repeat(3_000),
            ..Parts::default()
        };
        let file = "local/handoffs/20261115T205509Z-s-1.md";
        let mut handoff =
            Handoff::read(file, "---\ndate: 2026-11-15T20:55:09Z\n---\n\n# Handoff\n\n## Stopped at\n\nx\n")
                .unwrap();
        assert_eq!(handoff.source, Author::Agent);
        handoff.parts = parts;
        let text = told(&handoff, ".ai/local/handoffs/20261115T205509Z-s-1.md");
        let lines: Vec<String> = text.lines().map(|line| one_line(line, 30)).collect();
        assert_eq!(
            lines,
            [
                "# Handoff of the last session…",
                "",
                "**Startup text:** Go on. Go on…",
                "**Stopped at:** the clock",
                "**Next steps:** run the tests…",
                "**Blockers:** no key",
                "(shortened; .ai/local/handoffs…",
            ]
        );
        assert!(text.chars().count() <= 4_200 - 300, "{}", text.chars().count());
    }
}
