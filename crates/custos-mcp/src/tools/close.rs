//! The end of a session: a checklist first, then everything in one call.
//!
//! `finalize_close` takes many items from a model that is about to stop, and some of them will be wrong. Each is checked and done for itself:
//! what is right is kept, what is wrong is named with its place and what to send instead, and the handoff is written in any case.

use custos_knowledge::handoff::{Author, NewHandoff, Parts};
use custos_knowledge::{Refusal, View};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, one_line};
use crate::desk::Desk;
use crate::fields::{Arguments, Field, Type, may, need};

use super::{PROJECT, SCOPE, decisions, memories, safety};

const ACTION: Field = may("action", Type::OneOf(&["add", "remove"]), "");

const MEMORY: &[Field] = &[
    ACTION,
    may("type", Type::OneOf(memories::KINDS), ""),
    may("title", Type::Text, ""),
    may("description", Type::Text, ""),
    may("body", Type::Text, ""),
    may("keywords", Type::Texts, ""),
    may("scope", Type::Texts, ""),
    may("supersedes", Type::Texts, ""),
    may("slug", Type::Text, "to remove"),
    may("reason", Type::Text, "to remove"),
];
const DECISION: &[Field] = &[
    ACTION,
    may("title", Type::Text, ""),
    may("decision", Type::Text, ""),
    may("reasoning", Type::Text, ""),
    may("enforce", Type::OneOf(&["required", "advisory"]), ""),
    may("scope", Type::Texts, ""),
    may("supersedes", Type::Texts, ""),
    may("id", Type::Text, "to remove"),
    may("reason", Type::Text, "to remove"),
    may("superseded_by", Type::Text, ""),
];
const RULE: &[Field] = &[
    need("rule_type", Type::OneOf(safety::RULE_TYPES), ""),
    need("value", Type::Text, ""),
    may("scope", Type::Texts, ""),
];

/// What an item that is added must have.
const ADDED_MEMORY: &[Field] = &[
    need("type", Type::OneOf(memories::KINDS), ""),
    need("title", Type::Text, "the lesson in one line"),
    need("description", Type::Text, "what to do"),
    may("body", Type::Text, ""),
    may("keywords", Type::Texts, ""),
    SCOPE,
    may("supersedes", Type::Texts, ""),
];
const REMOVED_MEMORY: &[Field] = &[
    need("slug", Type::Text, ""),
    need("reason", Type::Text, "why it no longer holds"),
    may("superseded_by", Type::Text, ""),
];
const ADDED_DECISION: &[Field] = &[
    need("title", Type::Text, "the decision in one line"),
    need("decision", Type::Text, "what is decided"),
    need("reasoning", Type::Text, "why"),
    may("enforce", Type::OneOf(&["required", "advisory"]), ""),
    SCOPE,
    may("supersedes", Type::Texts, ""),
];
const REMOVED_DECISION: &[Field] = &[
    need("id", Type::Text, ""),
    need("reason", Type::Text, "why it no longer holds"),
    may("superseded_by", Type::Text, ""),
];

/// The arguments of `finalize_close`.
pub(super) const FINALIZE: &[Field] = &[
    may("memories", Type::Objects(MEMORY), ""),
    may("decisions", Type::Objects(DECISION), ""),
    may("safety_rules", Type::Objects(RULE), ""),
    need("stopped_at", Type::Text, "where the work stopped, in one line"),
    need("summary", Type::Text, "what was done"),
    need("in_progress", Type::Text, "what is half done; \"nothing\" if so"),
    need("next_steps", Type::Text, "what comes next"),
    need("worklog_entry", Type::Text, "a few lines for the worklog"),
    need("startup_text", Type::Text, "what to tell the next session first"),
    may("prs", Type::Text, ""),
    may("test_results", Type::Text, ""),
    may("blockers", Type::Text, ""),
    may("dirty_branches", Type::Text, ""),
    PROJECT,
];

/// The checklist; what is known of this session is put in its place.
const CHECKLIST: &str = include_str!("checklist.md");

/// How many titles the checklist shows, so that nothing is saved twice.
const SHOWN: usize = 25;

pub(super) fn begin_close(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let session = desk.base.around().session();
    let is_of_session = |of: &Option<String>| session.is_some() && *of == session;
    let (mut saved, mut known) = (Vec::new(), Vec::new());
    for placed in desk.base.decisions(&view, false).iter().rev() {
        let item = &placed.kept.item;
        let list = if is_of_session(&item.session) { &mut saved } else { &mut known };
        list.push(format!("- {} {}", item.id, one_line(&item.title, 100)));
    }
    known.truncate(SHOWN);
    let decisions = known.len();
    for placed in desk.base.memories(&view, None).iter().rev() {
        let item = &placed.kept.item;
        let list = if is_of_session(&item.session) { &mut saved } else { &mut known };
        list.push(format!("- {} {}", item.slug, one_line(&item.title, 100)));
    }
    known.truncate(decisions + SHOWN);
    let listed =
        |list: &[String], none: &str| if list.is_empty() { none.to_owned() } else { list.join("\n") };
    let repos: Vec<String> = view.root.repos().into_iter().map(|child| child.name).collect();
    let scopes = if repos.is_empty() {
        "there are no other repos here".to_owned()
    } else {
        format!("repos here: {}", repos.join(", "))
    };
    let text = CHECKLIST
        .replace("{saved}", &listed(&saved, "nothing yet"))
        .replace("{known}", &listed(&known, "nothing yet"))
        .replace("{scopes}", &scopes);
    let data = json!({ "session": session, "saved_in_this_session": saved.len(), "repos": repos });
    Ok(Answer::new(text, data))
}

/// Does one item, given its place in the call.
type Run<'a> = &'a dyn Fn(&str, Map<String, Value>) -> Result<String, Refusal>;

/// What became of one item.
#[derive(Debug, Serialize)]
struct Outcome {
    item: String,
    ok: bool,
    result: String,
}

pub(super) fn finalize_close(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let mut outcomes = Vec::new();
    let mut each = |list: &str, run: Run<'_>| {
        for (at, item) in arguments.objects(list).into_iter().enumerate() {
            let name = format!("{list}[{at}]");
            let done = run(&name, item);
            let ok = done.is_ok();
            let result = done.unwrap_or_else(|refusal| refusal.to_string());
            outcomes.push(Outcome { item: name, ok, result });
        }
    };
    each("memories", &|name, item| memory(desk, &view, name, item));
    each("decisions", &|name, item| decision(desk, &view, name, item));
    each("safety_rules", &|name, item| {
        let item = Arguments::check(name, RULE, item)?;
        let added = safety::add(desk, &view, &item)?;
        Ok(added.iter().map(safety::told_added).collect::<Vec<_>>().join("; "))
    });
    let mut wrote = |name: &str, done: Result<String, Refusal>| {
        let ok = done.is_ok();
        let result = done.unwrap_or_else(|refusal| refusal.to_string());
        outcomes.push(Outcome { item: name.to_owned(), ok, result });
    };
    let worklog = desk.base.append_entry(&view, arguments.text("worklog_entry"));
    wrote("worklog", worklog.map(|saved| saved.file));
    let handoff = desk.base.write_handoff(&view, &handoff(arguments));
    let is_closed = handoff.is_ok();
    wrote("handoff", handoff.map(|saved| saved.file));
    Ok(report(&outcomes, is_closed, desk.base.around().session().as_deref(), arguments.text("startup_text")))
}

fn report(outcomes: &[Outcome], is_closed: bool, session: Option<&str>, startup_text: &str) -> Answer {
    let failed = outcomes.iter().filter(|outcome| !outcome.ok).count();
    let mut text = match (is_closed, failed) {
        (true, 0) => "The session is closed.\n\n".to_owned(),
        (true, failed) => format!(
            "The session is closed, but {failed} of {} items were not kept. Send just these again, with the tools of their own (save_memory, save_decision, update_safety).\n\n",
            outcomes.len()
        ),
        (false, _) => "The session is NOT closed: the handoff could not be written.\n\n".to_owned(),
    };
    for outcome in outcomes {
        let mark = if outcome.ok { "kept" } else { "NOT KEPT" };
        text.push_str(&format!("- {}: {mark}: {}\n", outcome.item, outcome.result));
    }
    text.push_str(&format!("\nTo begin the next session, tell it:\n\n{startup_text}"));
    let data = json!({
        "closed": is_closed, "session": session, "items": outcomes, "failed": failed, "startup_text": startup_text,
    });
    Answer::new(text, data)
}

fn memory(desk: &Desk, view: &View, name: &str, item: Map<String, Value>) -> Result<String, Refusal> {
    if removes(&item) {
        let item = Arguments::check(name, REMOVED_MEMORY, item)?;
        let archived = desk.base.archive_memory(
            view,
            item.text("slug"),
            item.text("reason"),
            item.some_text("superseded_by"),
        )?;
        return Ok(memories::told(&archived));
    }
    let item = Arguments::check(name, ADDED_MEMORY, item)?;
    let saved = desk.base.save_memory(&memories::new(&item, "session"), view)?;
    Ok(saved.iter().map(memories::told).collect::<Vec<_>>().join("; "))
}

fn decision(desk: &Desk, view: &View, name: &str, item: Map<String, Value>) -> Result<String, Refusal> {
    if removes(&item) {
        let item = Arguments::check(name, REMOVED_DECISION, item)?;
        let archived = decisions::archive(&desk.base, view, &item, desk.caller)?;
        return Ok(format!("{} archived", archived.id));
    }
    let item = Arguments::check(name, ADDED_DECISION, item)?;
    let saved = desk.base.save_decision(&decisions::new(&item, "session")?, view)?;
    Ok(saved.iter().map(decisions::told).collect::<Vec<_>>().join("; "))
}

/// Says whether an item is to be put away. Some agents know other words for it.
fn removes(item: &Map<String, Value>) -> bool {
    let action = item.get("action").and_then(Value::as_str).unwrap_or_default();
    matches!(action, "remove" | "archive" | "revoke" | "delete")
}

fn handoff(arguments: &Arguments) -> NewHandoff {
    let part = |name: &str| arguments.text(name).to_owned();
    NewHandoff {
        source: Author::Agent,
        session: None,
        time: None,
        parts: Parts {
            stopped_at: part("stopped_at"),
            summary: part("summary"),
            in_progress: part("in_progress"),
            next_steps: part("next_steps"),
            prs: part("prs"),
            test_results: part("test_results"),
            blockers: part("blockers"),
            dirty_branches: part("dirty_branches"),
            startup_text: part("startup_text"),
        },
    }
}
