//! The tools about decisions.

use custos_knowledge::decision::{Decision, Enforce, NewDecision, Placed, SavedDecision, twins};
use custos_knowledge::naming::noted;
use custos_knowledge::{Base, Level, Refusal, View};
use serde_json::{Map, Value, json};

use crate::answer::{Answer, cautions, file_of, one_line, place, store_name, titled, with_notes};
use crate::desk::{Caller, Desk};
use crate::fields::{Arguments, Field, Type, may};
use crate::pages::{List, page};

use super::beside::{add_beside, counts_beside, told_beside};
use super::health::{missing, unreadable};

/// The predicate of a decision.
pub(super) const GUARD: &[Field] = &[
    may("command", Type::Text, "such as \"terraform apply\""),
    may("path", Type::Text, ""),
    may("must_block", Type::Texts, ""),
    may("must_allow", Type::Texts, ""),
];

/// How much of a decision's text the list shows.
const SHOWN: usize = 400;

pub(super) fn decisions(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let found = desk.base.decisions(&view, arguments.flag("include_archived"));
    let mut list = List::default();
    list.say(&cautions(&desk.base, &view));
    // The decisions come store by store, as the text shows them.
    for stack in &view.stacks {
        let of_store: Vec<&Placed<Decision>> =
            found.iter().filter(|placed| placed.store == stack.store).collect();
        if of_store.is_empty() {
            continue;
        }
        list.say(&format!("## Decisions of {} ({})\n\n", store_name(stack), of_store.len()));
        for placed in of_store {
            list.item(placed.kept.line(line));
        }
        list.say("\n");
    }
    let unread: usize = view.stacks.iter().map(|stack| stack.decisions.faults().len()).sum();
    let beside = counts_beside(desk, &view, |view| desk.base.decisions(view, false).len());
    list.say(match (found.is_empty(), unread) {
        (true, 0) if !beside.is_empty() => "No decision is kept for the whole workspace yet.",
        (true, 0) => "No decisions yet. `save_decision` records one as soon as it is made.",
        (true, _) => "No decision can be shown.",
        (false, _) => {
            "`get_decision` shows one with its reasoning. Required ones bind you; advisory ones need a reason to deviate."
        }
    });
    list.say(&format!("\n\n{}{}", told_beside(&beside), missing(unread)));
    let page = list.page(arguments.number("page"));
    let rows: Vec<Value> = found[page.items.clone()].iter().map(row).collect();
    let mut data = json!({
        "decisions": rows, "total": found.len(), "unreadable": unread, "page": page.number, "pages": page.of,
    });
    add_beside(&mut data, &beside);
    Ok(Answer::new(page.text, data))
}

fn line(item: &Decision) -> String {
    let mut marks = vec![item.enforce.word().to_owned()];
    if item.guarded {
        marks.push("enforced by the guard".to_owned());
    }
    if !item.is_active() {
        let by = item.superseded_by.as_ref().map(|id| format!(" by {id}")).unwrap_or_default();
        marks.push(format!("{}{by}", item.status));
    } else if item.has_unknown_status() {
        marks.push(format!("status {} is not known and counts as active", one_line(&item.status, 30)));
    }
    let title = titled(&item.title);
    let text = one_line(&item.decision, SHOWN);
    let text = if text.is_empty() || text == title { String::new() } else { format!(": {text}") };
    format!("- **{}** [{}] {title}{text}\n", titled(&item.id), one_line(&marks.join(", "), 100))
}

fn row(placed: &Placed<Decision>) -> Value {
    let item = &placed.kept.item;
    json!({
        "id": item.id, "slug": item.slug, "title": item.title, "level": placed.level, "store": placed.store.name,
        "enforce": item.enforce, "status": item.status, "date": item.date, "guarded": item.guarded,
        "decision": one_line(&item.decision, SHOWN),
    })
}

pub(super) fn get_decision(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let wanted = arguments.text("id_or_slug");
    let found = desk.base.find_decisions(&view, wanted);
    let beside = desk.base.decisions_beside(&view, wanted);
    let Some(first) = found.first() else {
        return Err(unreadable(&view, wanted).unwrap_or_else(|| {
            let next = "`decisions` lists what there is; with include_archived also what was put away";
            desk.base.not_here(&view, "decision", wanted, &beside, next)
        }));
    };
    let mut text = cautions(&desk.base, &view);
    text.push_str(&found.iter().map(whole).collect::<Vec<_>>().join("\n---\n\n"));
    let notes: Vec<String> = twins(&found).into_iter().chain(noted(&beside)).collect();
    text = with_notes(text, &notes);
    let mut data = row(first);
    if let Value::Object(fields) = &mut data {
        fields.insert("decision".to_owned(), json!(first.kept.item.decision));
        fields.insert("reasoning".to_owned(), json!(first.kept.item.reasoning));
        fields.insert("file".to_owned(), json!(file_of(&first.store.dir, &first.kept.file)));
        fields.insert("superseded_by".to_owned(), json!(first.kept.item.superseded_by));
        fields.insert("others".to_owned(), found[1..].iter().map(row).collect());
    }
    let page = page(&text, arguments.number("page"));
    data["page"] = json!(page.number);
    data["pages"] = json!(page.of);
    Ok(Answer::new(page.text, data))
}

fn whole(placed: &Placed<Decision>) -> String {
    let item = &placed.kept.item;
    let level = match placed.level {
        Level::User => "your own".to_owned(),
        level => format!("{} {}", level.word(), placed.store.name),
    };
    let mut text = format!("# {}: {}\n\n", titled(&item.id), titled(&item.title));
    text.push_str(&format!("{} · {} · {level} · {}", item.enforce.word(), item.status, item.date));
    if let Some(by) = &item.superseded_by {
        text.push_str(&format!(" · superseded by {by}"));
    }
    if !item.supersedes.is_empty() {
        text.push_str(&format!(" · supersedes {}", item.supersedes.join(", ")));
    }
    text.push_str(&format!(" · {}\n\n{}\n", file_of(&placed.store.dir, &placed.kept.file), item.decision));
    if !item.reasoning.is_empty() {
        text.push_str(&format!("\n## Reasoning\n\n{}\n", item.reasoning));
    }
    if let Some(reason) = &item.revoked_reason {
        text.push_str(&format!("\n## Revoked\n\n{reason}\n"));
    }
    text
}

pub(super) fn save_decision(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let source = if desk.caller == Caller::Person { "manual" } else { "session" };
    let saved = desk.base.save_decision(&new(arguments, source)?, &view)?;
    let texts: Vec<String> = saved.iter().map(told).collect();
    let data = json!({ "id": saved.first().map(|saved| &saved.id), "saved": saved });
    Ok(Answer::new(texts.join("\n"), data))
}

/// Reads a decision from the arguments of a call.
pub(super) fn new(arguments: &Arguments, source: &'static str) -> Result<NewDecision, Refusal> {
    Ok(NewDecision {
        title: arguments.text("title").to_owned(),
        decision: arguments.text("decision").to_owned(),
        reasoning: arguments.text("reasoning").to_owned(),
        enforce: Enforce::of(arguments.text("enforce")),
        scope: arguments.texts("scope"),
        guard: arguments.object("guard").map(guard).transpose()?,
        source,
        supersedes: arguments.texts("supersedes"),
        // What an agent says is never a person's word.
        by_person: source == "manual",
    })
}

/// Spells a predicate as front matter does. JSON is YAML, so that every text survives.
fn guard(sent: &Map<String, Value>) -> Result<String, Refusal> {
    let sent = Arguments::check("guard", GUARD, sent.clone())?;
    if !sent.notes().is_empty() {
        // What is enforced is not guessed at.
        return Err(Refusal::new(
            "the markup of a call had leaked into the guard",
            "Send guard again without it; nothing was saved",
        ));
    }
    let mut block = String::new();
    for name in ["command", "path"] {
        if let Some(text) = sent.some_text(name) {
            block.push_str(&format!("{name}: {}\n", json!(text)));
        }
    }
    for name in ["must_block", "must_allow"] {
        block.push_str(&format!("{name}:\n"));
        for example in sent.texts(name) {
            block.push_str(&format!("  - {}\n", json!(example)));
        }
    }
    Ok(block)
}

pub(super) fn told(saved: &SavedDecision) -> String {
    let what = if saved.created { "saved" } else { "is there already" };
    let place = place(saved.level, &saved.store);
    let mut text = format!("{} {what}: {} · {place} · {}", saved.id, titled(&saved.title), saved.file);
    if let Some(spellings) = saved.spellings {
        text.push_str(&format!(
            ". The guard enforces it from now on; it held in {spellings} spellings of the examples"
        ));
    }
    with_notes(text, &saved.notes)
}

pub(super) fn archive_decision(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let archived = archive(&desk.base, &view, arguments, desk.caller)?;
    let data = json!({ "id": archived.id, "archived": archived });
    Ok(Answer::new(told_archived(&archived), data))
}

pub(super) fn told_archived(archived: &SavedDecision) -> String {
    let SavedDecision { id, title, file, .. } = archived;
    let text =
        format!("{id} archived: {} · {} · {file}", titled(title), place(archived.level, &archived.store));
    with_notes(text, &archived.notes)
}

pub(super) fn archive(
    base: &Base,
    view: &View,
    arguments: &Arguments,
    caller: Caller,
) -> Result<SavedDecision, Refusal> {
    base.archive_decision(
        view,
        arguments.text("id"),
        arguments.text("reason"),
        arguments.some_text("superseded_by"),
        caller == Caller::Person,
    )
}
