//! The knowledge base's own doctor, and what the other tools say about files that cannot be read.
//!
//! A list leaves such files out, and an agent that reads it must not take it for the whole: each list ends with how many are missing, and
//! with the directories that nobody can look into.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use custos_config::source::is_absence;

use custos_knowledge::base::Stack;
use custos_knowledge::check::broken_settings;
use custos_knowledge::described::{SECTIONS, read_section};
use custos_knowledge::{Fault, Refusal, Store, View};
use serde_json::json;

use crate::answer::{Answer, Unvouched, counted, store_name, with_notes};
use crate::desk::Desk;
use crate::fields::Arguments;
use crate::pages::List;

pub(super) fn kb_doctor(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    let fix = arguments.flag("fix");
    let root = &view.root.path;
    // Whoever asks for a further page of a repair would find nothing any more.
    let goes_on = fix && arguments.number("page").is_some_and(|page| page > 1);
    let report = match goes_on.then(|| desk.repaired(root.clone())).flatten() {
        Some(report) => report,
        None => desk.base.check(&view, fix)?,
    };
    if fix {
        desk.has_repaired(root.clone(), report.clone());
    }
    let left = report.findings.iter().filter(|finding| !finding.fixed).count();
    let fixable = report.findings.iter().filter(|finding| finding.fixable && !finding.fixed).count();
    let summary = match (report.findings.len(), left, fixable) {
        (0, ..) => "The knowledge base is in order.".to_owned(),
        (all, 0, _) => format!("{all} found, all of them fixed."),
        (all, left, 0) => format!("{all} found, {left} left for a person."),
        (all, left, fixable) => format!("{all} found, {left} left; fix: true repairs {fixable} of them."),
    };
    // A finding may quote what a file says.
    let looked_at = if report.findings.is_empty() { Vec::new() } else { desk.base.to_check(&view) };
    let unvouched = Unvouched::among(&desk.base, looked_at.iter().map(|stack| &stack.store));
    let mut list = List::beginning_with(unvouched.caution());
    list.say(&format!("{summary}\n\n"));
    for finding in &report.findings {
        let place = if finding.line == 0 {
            finding.file.clone()
        } else {
            format!("{}:{}", finding.file, finding.line)
        };
        let state = match (finding.fixed, finding.fixable) {
            (true, _) => "fixed",
            (false, true) => "can be fixed",
            (false, false) => "by hand",
        };
        let next = if finding.next.is_empty() { String::new() } else { format!(". {}", finding.next) };
        let (level, store, what) = (finding.level.word(), &finding.store, &finding.what);
        list.item(format!("- [{state}] {level} ({store}) {place}: {what}{next}\n"));
    }
    list.say(&with_notes(String::new(), &report.notes));
    let page = desk.page(&list, arguments);
    let mut data = json!({
        "findings": report.findings[page.items.clone()], "total": report.findings.len(), "left": left, "fixable": fixable, "page": page.number,
        "pages": page.of,
    });
    if !report.notes.is_empty() {
        data["notes"] = json!(report.notes);
    }
    unvouched.mark(&mut data);
    Ok(Answer::new(page.text, data))
}

/// The files of a view that cannot be read, each once.
pub(super) fn faults(desk: &Desk, view: &View) -> Vec<Fault> {
    let mut faults: Vec<Fault> = view.stacks.iter().flat_map(|stack| stack.faults()).collect();
    faults.extend(of_descriptions(view));
    faults.extend(desk.base.plans(view, None).faults);
    faults.extend(desk.base.handoffs(view).faults);
    // All questions are in one file, which may have several faults.
    faults.extend(desk.base.questions(view).faults.into_iter().take(1));
    faults
}

/// The files in the repos of a workspace that cannot be read, each with its repo; all items of theirs are read for it. Their settings are left
/// to the doctor: nothing here goes by them, and nobody keeps them at hand.
pub(super) fn faults_beside(desk: &Desk, view: &View) -> Vec<Fault> {
    let of_repo = |beside: &View| -> Vec<Fault> {
        desk.base.decisions(beside, false);
        desk.base.memories(beside, None);
        desk.base.tasks(beside, None);
        let place = format!("{}/.ai", beside.own().store.name);
        let placed = |fault: Fault| Fault { file: format!("{place}/{}", fault.file), ..fault };
        faults(desk, beside).into_iter().map(placed).collect()
    };
    desk.base.repos_beside(view).iter().flat_map(of_repo).collect()
}

/// The rules and settings of a view that cannot be read. Whoever goes by them says so as well; here it is counted.
pub(super) fn of_settings(view: &View) -> Vec<Fault> {
    view.stacks.iter().flat_map(|stack| broken_settings(&stack.store)).collect()
}

/// The files about the project as a whole that cannot be read.
pub(super) fn of_descriptions(view: &View) -> Vec<Fault> {
    let read = |stack: &Arc<Stack>| SECTIONS.map(|section| read_section(&stack.store, section));
    view.stacks.iter().flat_map(read).filter_map(Result::err).collect()
}

/// Says how many files are missing from a list; nothing where none is.
pub(super) fn missing(count: usize) -> String {
    match count {
        0 => String::new(),
        count => {
            format!("{} cannot be read: `kb_doctor` says which and why.", counted(count, "file", "files"))
        }
    }
}

/// The directories of a store whose items are listed.
pub(super) const DIRECTORIES: &[&str] = &["decisions", "memory/feedback", "memory/patterns", "backlog"];

/// Says which of these directories nobody can look into, in any store of a view; nothing where there is none.
pub(super) fn shut(view: &View, directories: &[&str]) -> String {
    let mut told = String::new();
    for stack in &view.stacks {
        let shut: Vec<&str> =
            directories.iter().copied().filter(|name| is_shut(&stack.store, name)).collect();
        if !shut.is_empty() {
            let (names, of) = (shut.join(", "), store_name(&stack.store));
            told.push_str(&format!("What is in {names} of {of} cannot be read: `kb_doctor` says why.\n"));
        }
    }
    told
}

/// Says whether a directory is there and is not looked into: it or one above it is a link or a file, or only others may read it.
fn is_shut(store: &Store, directory: &str) -> bool {
    let path = store.path(directory);
    let is_other = |part: &Path| fs::symlink_metadata(part).is_ok_and(|metadata| !metadata.is_dir());
    path.ancestors().take_while(|part| *part != store.root).any(is_other)
        || fs::read_dir(&path).is_err_and(|error| !is_absence(&error))
}
