//! The tools about decisions.

use custos_config::yaml::{Content, Node, Pair};
use custos_knowledge::decision::{Decision, Enforce, NewDecision, Placed, SavedDecision, twins};
use custos_knowledge::naming::Unread;
use custos_knowledge::text::Document;
use custos_knowledge::{Base, Refusal, View};
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Unvouched, file_of, one_line, place, store_name, titled, whose, with_notes};
use crate::desk::{Caller, Desk};
use crate::fields::{Arguments, Field, Type, may};
use crate::pages::{List, Page};

use super::beside::{add_beside, counts_beside, told_beside};
use super::health::{missing, shut};
use super::kept::{noted_at_home, really_kept};
use super::shown::{Shown, notes};

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
    let view = desk.look(arguments)?;
    let with_archived = arguments.flag("include_archived");
    let found = desk.base.decisions(&view, with_archived);
    let unvouched = Unvouched::of(&desk.base, &view);
    let mut list = List::beginning_with(unvouched.caution());
    // The decisions come store by store, as the text shows them.
    for stack in &view.stacks {
        let of_store: Vec<&Placed<Decision>> =
            found.iter().filter(|placed| placed.store == stack.store).collect();
        if of_store.is_empty() {
            continue;
        }
        list.section(&format!("## Decisions of {} ({})\n\n", store_name(&stack.store), of_store.len()));
        for placed in of_store {
            list.item(placed.kept.line(line));
        }
        list.say("\n");
    }
    let unread: usize = view.stacks.iter().map(|stack| stack.decisions.faults().len()).sum();
    let directories: &[&str] =
        if with_archived { &["decisions", "archive/decisions"] } else { &["decisions"] };
    let shut = shut(&view, directories);
    let beside = counts_beside(desk, &view, |view| desk.base.decisions(view, false).len());
    list.say(match (found.is_empty(), unread) {
        (true, _) if !shut.is_empty() => "No decision can be shown.",
        (true, 0) if !beside.is_empty() => "No decision is kept for the whole workspace yet.",
        (true, 0) => "No decisions yet. `save_decision` records one as soon as it is made.",
        (true, _) => "No decision can be shown.",
        (false, _) if unvouched.is_empty() => {
            "`get_decision` shows one with its reasoning. Required ones bind you; advisory ones need a reason to deviate."
        }
        (false, _) => {
            "`get_decision` shows one with its reasoning. Of those that are vouched for, required ones bind you and advisory ones need a reason to deviate; ask the person before you follow any other."
        }
    });
    list.say(&format!("\n\n{}{shut}{}", told_beside(&beside), missing(unread)));
    let page = desk.page(&list, arguments);
    let rows: Vec<Value> = found[page.items.clone()].iter().map(row).collect();
    let mut data = json!({
        "decisions": rows, "total": found.len(), "unreadable": unread, "page": page.number, "pages": page.of,
    });
    add_beside(&mut data, &beside);
    unvouched.mark(&mut data);
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
    let text = if text.is_empty() || text == title { String::new() } else { format!(" — {text}") };
    // Behind a colon a title that ends in "password" would make a secret of its text.
    format!("- **{}** [{}] {title}{text}\n", titled(&item.id), one_line(&marks.join(", "), 100))
}

fn row(placed: &Placed<Decision>) -> Value {
    let item = &placed.kept.item;
    let mut row = json!({
        "id": item.id, "slug": item.slug, "title": item.title, "level": placed.level, "store": placed.store.name,
        "enforce": item.enforce, "status": item.status, "date": item.date, "guarded": item.guarded,
        "decision": one_line(&item.decision, SHOWN),
    });
    if let Some(by) = &item.superseded_by {
        row["superseded_by"] = json!(by);
    }
    row
}

pub(super) fn get_decision(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    let wanted = arguments.text("id_or_slug");
    let found = desk.base.find_decisions(&view, wanted);
    let beside = desk.base.decisions_beside(&view, wanted);
    let unread = desk.base.unread_decision(&view, wanted);
    let Some(first) = found.first() else {
        return Err(unread.as_ref().map_or_else(
            || {
                let next = "`decisions` lists what there is; with include_archived also what was put away";
                desk.base.not_here(&view, "decision", wanted, &beside, next)
            },
            Unread::refusal,
        ));
    };
    let notes = notes(twins(&found), &beside, unread.as_ref());
    let shown = Shown::of((desk, &view, arguments), &found, notes, |placed| {
        let Decision { id, title, .. } = &*placed.kept.item;
        (format!("{}: {}", titled(id), titled(title)), whole(placed))
    });
    let page = &shown.page;
    let (item, Beyond { guard, archived }) = (&first.kept.item, Beyond::of(first));
    let guard = guard.map_or(Value::Null, |fields| fields.into_iter().collect());
    let mut data = row(first);
    let mut told = texts(item);
    told.push(("guard", guard));
    page.add_texts(0, &mut data, &told);
    data["file"] = json!(file_of(&first.store.dir, &first.kept.file));
    data["supersedes"] = json!(item.supersedes);
    data["superseded_by"] = json!(item.superseded_by);
    data["archived"] = archived.map_or(Value::Null, |(time, why)| json!({ "time": time, "reason": why }));
    data["others"] = found.iter().enumerate().skip(1).map(|(at, placed)| other(page, at, placed)).collect();
    Ok(shown.answer(data, "notes"))
}

/// Another decision that is shown along with the one that was asked for.
fn other(page: &Page, at: usize, placed: &Placed<Decision>) -> Value {
    let mut data = row(placed);
    page.add_texts(at, &mut data, &texts(&placed.kept.item));
    data["file"] = json!(file_of(&placed.store.dir, &placed.kept.file));
    data
}

/// The texts of a decision, as data.
fn texts(item: &Decision) -> Vec<(&'static str, Value)> {
    let mut texts = vec![("decision", json!(item.decision)), ("reasoning", json!(item.reasoning))];
    if !item.sections.is_empty() {
        texts.push(("sections", json!(item.sections)));
    }
    texts
}

/// What the file of a decision says of it that is needed only where it is shown in full.
#[derive(Debug, Default)]
struct Beyond {
    /// The fields of the predicate, in their order: one text each, or several.
    guard: Option<Vec<(String, Value)>>,
    /// When it was put away, and why.
    archived: Option<(String, String)>,
}

impl Beyond {
    /// Reads it. A file that somebody has broken since says nothing.
    fn of(placed: &Placed<Decision>) -> Self {
        let text = placed.store.read(&placed.kept.file).ok().flatten().unwrap_or_default();
        let Ok(document) = Document::parse(&text) else { return Self::default() };
        let document = document.without_secrets();
        let front = document.front();
        let field = |pair: &Pair| Some((pair.key.text()?.to_owned(), predicate(&pair.value)));
        let guard = front.node("guard").map(|node| match node.content() {
            Content::Mapping(pairs) => pairs.iter().filter_map(field).collect(),
            _ => Vec::new(),
        });
        let archived = front
            .text("archived")
            .map(|time| (one_line(time, 30), front.text("archived_reason").unwrap_or_default().to_owned()));
        Self { guard, archived }
    }
}

/// Gives a field of a predicate as data, without what nobody else is to be told.
fn predicate(node: &Node) -> Value {
    let clean = |text: &str| Value::from(custos_redact::redact(text).into_owned());
    match node.content() {
        Content::Sequence(nodes) => nodes.iter().filter_map(Node::text).map(clean).collect(),
        _ => node.text().map_or(Value::Null, clean),
    }
}

/// Spells a decision in full, below its heading.
fn whole(placed: &Placed<Decision>) -> String {
    let item = &placed.kept.item;
    let Beyond { guard, archived } = Beyond::of(placed);
    let whose = whose(&placed.store);
    let mut text = format!("{} · {} · {whose} · {}", item.enforce.word(), item.status, item.date);
    if let Some((time, _)) = &archived {
        text.push_str(&format!(" · archived {time}"));
    }
    if let Some(by) = &item.superseded_by {
        text.push_str(&format!(" · superseded by {by}"));
    }
    if !item.supersedes.is_empty() {
        text.push_str(&format!(" · supersedes {}", item.supersedes.join(", ")));
    }
    let said = placed.in_full();
    text.push_str(&format!(" · {}\n\n{said}\n", file_of(&placed.store.dir, &placed.kept.file)));
    if let Some(guard) = guard {
        text.push_str(&format!("\n## Guard\n\n{}", told_guard(&guard)));
    }
    if let Some(reason) = &item.revoked_reason {
        text.push_str(&format!("\n## Revoked\n\n{reason}\n"));
    }
    // One that was revoked has the same reason twice.
    let archived = archived.filter(|(_, why)| !why.is_empty() && item.revoked_reason.as_ref() != Some(why));
    if let Some((_, why)) = archived {
        text.push_str(&format!("\n## Archived\n\n{why}\n"));
    }
    text
}

/// Spells a predicate: what is blocked, and the examples that it has to hold for.
fn told_guard(guard: &[(String, Value)]) -> String {
    let mut text = String::new();
    for (name, value) in guard {
        let each = match value {
            Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
            value => Vec::from_iter(value.as_str()),
        };
        let name = titled(name);
        text.extend(each.into_iter().map(|each| format!("- {name}: {}\n", one_line(each, SHOWN))));
    }
    text
}

pub(super) fn save_decision(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let source = if desk.caller == Caller::Person { "manual" } else { "session" };
    let saved = really_kept(desk, keep(desk, &view, &new(arguments, source)?)?)?;
    let texts: Vec<String> = saved.iter().map(told).collect();
    let data = json!({ "id": saved.first().map(|saved| &saved.id), "saved": saved });
    Ok(Answer::new(texts.join("\n"), data))
}

/// Keeps a decision.
pub(super) fn keep(desk: &Desk, view: &View, new: &NewDecision) -> Result<Vec<SavedDecision>, Refusal> {
    let mut saved = desk.base.save_decision(new, view)?;
    noted_at_home(desk, view, &new.scope, &mut saved);
    for saved in saved.iter().filter(|saved| saved.created) {
        desk.has_saved(saved.level, &saved.store, &saved.id);
    }
    Ok(saved)
}

/// Reads a decision from the arguments of a call.
pub(super) fn new(arguments: &Arguments, source: &'static str) -> Result<NewDecision, Refusal> {
    Ok(NewDecision {
        title: arguments.text("title").to_owned(),
        decision: arguments.text("decision").to_owned(),
        reasoning: arguments.text("reasoning").to_owned(),
        enforce: arguments.some_text("enforce").map(Enforce::of),
        scope: arguments.texts("scope"),
        guard: arguments.object("guard").map(guard).transpose()?,
        source,
        supersedes: arguments.names("supersedes"),
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
