//! The end of a session: a checklist first, then everything in one call.
//!
//! `finalize_close` takes many items from a model that is about to stop, and some of them will be wrong. Each is checked and done for itself:
//! what is right is kept, what is wrong is named with its place and what to send instead, and the handoff is written in any case.

mod outcome;

use custos_knowledge::decision::Decision;
use custos_knowledge::handoff::{Author, NewHandoff, Parts};
use custos_knowledge::scope::spelt;
use custos_knowledge::{Level, Refusal, Store, View};
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Unvouched, few, one_line, place, shortened, with_notes};
use crate::desk::{Caller, Desk};
use crate::fields::{Arguments, Field, Type, may, need};

use super::{PROJECT, SCOPE, decisions, kept, memories, safety};
use outcome::{Done, Outcome, wrote};

/// What may be done with an item.
const ACTIONS: &[&str] = &["add", "remove"];

const ACTION: Field = may("action", Type::OneOf(ACTIONS), "");

// What every session is told of an item: enough to send one. Whatever else the item's own tool takes is taken here as well.
const MEMORY: &[Field] = &[
    ACTION,
    may("type", Type::OneOf(memories::KINDS), ""),
    may("title", Type::Text, ""),
    may("description", Type::Text, ""),
    may("body", Type::Text, ""),
    may("scope", Type::Texts, ""),
    may("supersedes", Type::Names, ""),
    may("slug", Type::Name, "to remove"),
    may("reason", Type::Text, ""),
];
const DECISION: &[Field] = &[
    ACTION,
    may("title", Type::Text, ""),
    may("decision", Type::Text, ""),
    may("reasoning", Type::Text, ""),
    may("enforce", Type::OneOf(&["required", "advisory"]), ""),
    may("scope", Type::Texts, ""),
    may("supersedes", Type::Names, ""),
    may("id", Type::Name, "to remove"),
    may("reason", Type::Text, ""),
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
    may("supersedes", Type::Names, ""),
];
const REMOVED_MEMORY: &[Field] = &[
    need("slug", Type::Name, ""),
    need("reason", Type::Text, "why it no longer holds"),
    may("superseded_by", Type::Name, ""),
];
const ADDED_DECISION: &[Field] = &[
    need("title", Type::Text, "the decision in one line"),
    need("decision", Type::Text, "what is decided"),
    need("reasoning", Type::Text, "why"),
    may("enforce", Type::OneOf(&["required", "advisory"]), ""),
    SCOPE,
    may("supersedes", Type::Names, ""),
    may("guard", Type::Object(decisions::GUARD), ""),
];
const REMOVED_DECISION: &[Field] = &[
    need("id", Type::Name, ""),
    need("reason", Type::Text, "why it no longer holds"),
    may("superseded_by", Type::Name, ""),
];

/// What an empty text says of what is half done, or comes next: no session is left open for want of a word.
const NOTHING: &str = "nothing";

/// The arguments of `finalize_close`.
pub(super) const FINALIZE: &[Field] = &[
    may("memories", Type::Objects(MEMORY), ""),
    may("decisions", Type::Objects(DECISION), ""),
    may("safety_rules", Type::Objects(RULE), ""),
    need("stopped_at", Type::Lines, "in one line"),
    need("summary", Type::Lines, "what was done"),
    need("in_progress", Type::Lines, "what is half done, or nothing").or(NOTHING),
    need("next_steps", Type::Lines, "").or(NOTHING),
    need("worklog_entry", Type::Lines, "a few lines"),
    need("startup_text", Type::Lines, "what to tell the next session first"),
    may("prs", Type::Lines, ""),
    may("test_results", Type::Lines, ""),
    may("blockers", Type::Lines, ""),
    may("dirty_branches", Type::Lines, ""),
    PROJECT,
];

/// The checklist; what is known of this session is put in its place.
const CHECKLIST: &str = include_str!("checklist.md");

/// How many titles of each kind the checklist shows, so that nothing is saved twice.
const SHOWN: usize = 25;

/// How much of them it shows, in bytes: with its own words no more than every client shows whole.
const SHOWN_BYTES: usize = 4_000;

/// How many repos it names, and in how many bytes.
const REPOS: usize = 40;
const REPOS_BYTES: usize = 1_500;

pub(super) fn begin_close(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.look(arguments)?;
    let session = desk.base.around().session();
    let line = |name: &str, store: &Store, title: &str| {
        let name = match store.level {
            _ if *store == *view.own().store => name.to_owned(),
            // As a tool takes it; of a repo's items only its name says which are meant.
            Level::Repo => format!("{}:{name}", store.name),
            level => format!("{name} ({})", level.word()),
        };
        format!("- {} {}", one_line(&name, 100), one_line(title, 100))
    };
    // Where nobody knows which session this is, it is at least this connection.
    let is_ours = |of: &Option<String>, store: &Store, name: &str| match &session {
        Some(_) => *of == session,
        None => desk.was_saved_here(store, name),
    };
    // A session keeps things for every repo of its workspace, and must not keep them twice in any.
    let repos = desk.base.repos_in_scope(&view);
    let mut views = vec![view.clone()];
    views.extend(
        desk.base
            .stores_of(&view, &repos)
            .into_iter()
            .filter(|beside| view.stacks.iter().all(|stack| stack.store != beside.own().store)),
    );
    let decisions: Vec<_> = views.iter().flat_map(|view| desk.base.decisions(view, false)).collect();
    let [saved_decisions, known_decisions] = newest(
        decisions.iter().rev().map(|placed| (placed, &*placed.kept.item)),
        |(placed, item)| (&item.date, is_ours(&item.session, &placed.store, &item.id)),
        |(placed, item)| line(&item.id, &placed.store, &item.title),
    );
    let memories: Vec<_> = views.iter().flat_map(|view| desk.base.memories(view, None)).collect();
    let [saved_memories, known_memories] = newest(
        memories.iter().map(|placed| (placed, &*placed.kept.item)),
        |(placed, item)| (&item.date, is_ours(&item.session, &placed.store, &item.slug)),
        |(placed, item)| line(&item.slug, &placed.store, &item.title),
    );
    let count = saved_decisions.count + saved_memories.count;
    let listed = |lists: [Newest; 2]| {
        let lines = lists.into_iter().flat_map(|list| list.lines).collect::<Vec<_>>();
        if lines.is_empty() { "nothing yet".to_owned() } else { lines.join("\n") }
    };
    let repos: Vec<String> = repos.iter().map(|child| spelt(&child.name)).collect();
    let mut room = REPOS_BYTES;
    let fits = |name: &&String| {
        let is_room = name.len() < room;
        room = room.saturating_sub(name.len());
        is_room
    };
    let named = &repos[..repos.iter().take(REPOS).take_while(fits).count()];
    let scopes = if repos.is_empty() {
        "there are no other repos here".to_owned()
    } else {
        let more = if repos.len() > named.len() { "; `workspace` lists them" } else { "" };
        format!("repos here: {}{more}", few(&repos, named.len()))
    };
    let unvouched =
        Unvouched::among(&desk.base, views.iter().flat_map(|view| &view.stacks).map(|stack| &stack.store));
    let checklist = CHECKLIST
        .replace("{saved}", &listed([saved_decisions, saved_memories]))
        .replace("{known}", &listed([known_decisions, known_memories]))
        .replace("{scopes}", &scopes);
    let text = unvouched.caution() + &checklist;
    let mut data = json!({ "session": session, "saved_in_this_session": count, "repos": named });
    if named.len() < repos.len() {
        data["more_repos"] = json!(repos.len() - named.len());
    }
    unvouched.mark(&mut data);
    Ok(Answer::new(text, data))
}

/// The newest of some items, as lines, and how many there are.
struct Newest {
    lines: Vec<String>,
    count: usize,
}

/// Gives the newest of some items: those of this session, and those from before. `facts` gives the date of an item, and whether it is of this
/// session.
fn newest<'a, T: Copy>(
    items: impl Iterator<Item = T>,
    facts: impl Fn(T) -> (&'a str, bool),
    line: impl Fn(T) -> String,
) -> [Newest; 2] {
    let mut items: Vec<T> = items.collect();
    items.sort_by(|a, b| facts(*b).0.cmp(facts(*a).0));
    let (saved, known): (Vec<T>, Vec<T>) = items.into_iter().partition(|item| facts(*item).1);
    // Of thousands only these few are spelt.
    [saved, known].map(|items| {
        let count = items.len();
        let mut room = SHOWN_BYTES;
        let fits = |line: &String| {
            let is_room = line.len() < room;
            room = room.saturating_sub(line.len() + 1);
            is_room
        };
        let mut lines: Vec<String> = items.into_iter().take(SHOWN).map(&line).take_while(fits).collect();
        let more = count - lines.len();
        lines.extend((more > 0).then(|| format!("- and {more} more")));
        Newest { lines, count }
    })
}

/// Does one item, given its place in the call.
type Run<'a> = &'a dyn Fn(&str, Map<String, Value>) -> Result<Done, Refusal>;

pub(super) fn finalize_close(desk: &Desk, arguments: &Arguments) -> Result<Answer, Refusal> {
    let view = desk.view(arguments)?;
    let mut done = Vec::new();
    let mut each = |list: &str, run: Run<'_>| {
        for (at, item) in arguments.objects(list).iter().enumerate() {
            let name = format!("{list}[{at}]");
            let result = match item {
                Value::Object(item) => run(&name, item.clone()),
                _ => Err(Refusal::new(
                    format!("{name} should be an object with named fields"),
                    "Send it with the tool of its own",
                )),
            };
            done.push((name, result));
        }
    };
    each("memories", &|name, item| memory(desk, &view, name, item));
    each("decisions", &|name, item| decision(desk, &view, name, item));
    each("safety_rules", &|name, item| {
        let item = checked(name, (RULE, RULE), item, "update_safety")?;
        Ok(Done::Rules(safety::add(desk, &view, &item)?, desk.noted(&item)))
    });
    let worklog = desk.base.append_entry(&view, arguments.text("worklog_entry"));
    let kept = |level, store: &str, file: &str, notes: &[String]| {
        Done::Told(with_notes(format!("{} · {file}", place(level, store)), notes))
    };
    let worklog = worklog.map(|saved| kept(saved.level, &saved.store, &saved.file, &saved.notes));
    done.push(("worklog".to_owned(), worklog));
    let handoff = desk.base.write_handoff(&view, &handoff(arguments));
    let is_closed = handoff.is_ok();
    let handoff = handoff.map(|saved| kept(saved.level, &saved.store, &saved.file, &saved.notes));
    done.push(("handoff".to_owned(), handoff));
    // Files get their names together, and one may have failed to.
    let unkept = desk.base.unkept();
    let nobodys = unkept.iter().filter(|unkept| !done.iter().any(|(_, done)| wrote(done, unkept)));
    let nobodys: Vec<Outcome> =
        nobodys.map(|unkept| Outcome::refused(unkept.file.clone(), &unkept.refusal())).collect();
    let outcomes: Vec<Outcome> = done
        .into_iter()
        .map(|(name, result)| match result {
            Ok(done) => done.outcome(name, &unkept),
            Err(refusal) => Outcome::refused(name, &refusal),
        })
        .chain(nobodys)
        .collect();
    // As the handoff has it: what is secret is not said again.
    let (startup_text, cut) = desk.base.clean_and_cut("startup_text", arguments.text("startup_text"));
    let rest = if cut.is_none() { "all" } else { "more" };
    let startup_text = match shortened(&startup_text, STARTUP) {
        short if short.len() < startup_text.len() => {
            format!("{short}\n(shortened; the handoff has {rest} of it)")
        }
        whole => whole,
    };
    Ok(report(desk, &outcomes, is_closed, &startup_text))
}

/// How much of what the next session is to be told comes back.
const STARTUP: usize = 4_000;

fn report(desk: &Desk, outcomes: &[Outcome], is_closed: bool, startup_text: &str) -> Answer {
    let session = desk.base.around().session();
    let failed = outcomes.iter().filter(|outcome| !outcome.ok).count();
    let mut text = match (is_closed, failed) {
        (true, 0) => "The session is closed.\n\n".to_owned(),
        (true, failed) => {
            let next = match desk.caller {
                Caller::Agent => {
                    "Each says why and what to do. What can be mended is sent again with the tool of its own (save_memory, save_decision, update_safety), not with finalize_close."
                }
                Caller::Person => "Each says why.",
            };
            let in_part = outcomes.iter().any(|outcome| outcome.in_part);
            let or_in_part = if in_part { ", or not everywhere" } else { "" };
            format!(
                "The session is closed, but {failed} of {} items were not kept{or_in_part}. {next}\n\n",
                outcomes.len()
            )
        }
        (false, _) => {
            let next = match desk.caller {
                Caller::Agent => "call finalize_close again without the items that were kept",
                Caller::Person => "run `custos close` again",
            };
            format!(
                "The session is NOT closed: the handoff could not be written. Mend that, then {next}.\n\n"
            )
        }
    };
    for outcome in outcomes {
        let mark = match outcome {
            Outcome { ok: true, .. } => "kept",
            Outcome { in_part: true, .. } => "KEPT ONLY IN PART",
            Outcome { .. } => "NOT KEPT",
        };
        text.push_str(&format!("- {}: {mark}: {}\n", outcome.item, outcome.result));
    }
    if is_closed && session.is_none() && desk.caller == Caller::Agent {
        text.push_str("\nWhich session this is could not be told, so the handoff names none.\n");
    }
    if is_closed {
        text.push_str(&format!("\nTo begin the next session, tell it:\n\n{startup_text}"));
    }
    let data = json!({
        "closed": is_closed, "session": session, "items": outcomes, "failed": failed, "startup_text": startup_text,
    });
    Answer { is_error: !is_closed, ..Answer::new(text, data) }
}

fn memory(desk: &Desk, view: &View, name: &str, item: Map<String, Value>) -> Result<Done, Refusal> {
    if removes(name, &item)? {
        let item = checked(name, (REMOVED_MEMORY, MEMORY), item, "archive_memory")?;
        let archived = desk.base.archive_memory(
            view,
            item.text("slug"),
            item.text("reason"),
            item.some_text("superseded_by"),
        );
        let told = match archived {
            Ok(archived) => memories::told(&archived),
            Err(refusal) => {
                let past = desk.base.archived_memory(view, item.text("slug")).ok_or(refusal)?;
                memories::gone(&past)
            }
        };
        return Ok(Done::Told(with_notes(told, &desk.noted(&item))));
    }
    let item = checked(name, (ADDED_MEMORY, MEMORY), item, "save_memory")?;
    let saved = memories::keep(desk, view, memories::new(&item, "session"))?;
    Ok(Done::Memories(saved, desk.noted(&item)))
}

fn decision(desk: &Desk, view: &View, name: &str, item: Map<String, Value>) -> Result<Done, Refusal> {
    if removes(name, &item)? {
        let item = checked(name, (REMOVED_DECISION, DECISION), item, "archive_decision")?;
        let told = match decisions::archive(&desk.base, view, &item, desk.caller) {
            Ok(archived) => decisions::told_archived(&archived),
            Err(refusal) => {
                let past = desk.base.archived_decision(view, item.text("id")).ok_or(refusal)?;
                let Decision { id, superseded_by, .. } = &*past.kept.item;
                kept::gone(id, &past.store, superseded_by.as_deref())
            }
        };
        return Ok(Done::Told(with_notes(told, &desk.noted(&item))));
    }
    let item = checked(name, (ADDED_DECISION, DECISION), item, "save_decision")?;
    let saved = decisions::keep(desk, view, &decisions::new(&item, "session")?)?;
    Ok(Done::Decisions(saved, desk.noted(&item)))
}

/// Checks an item: what is wanted of it, and what every session is told that it may have, which is more. The session may be closed by then, so
/// what is wrong is sent again with the tool for one such item, not with this one.
fn checked(
    name: &str,
    (fields, told): (&'static [Field], &'static [Field]),
    mut item: Map<String, Value>,
    tool: &str,
) -> Result<Arguments, Refusal> {
    let has = |fields: &[Field], key: &str| fields.iter().any(|field| field.name == key);
    item.retain(|key, _| has(fields, key) || !has(told, key));
    Arguments::read(fields, item).map_err(|problems| {
        Refusal::new(format!("{name}: {}", problems.join("; ")), format!("Send it whole with `{tool}`"))
    })
}

/// What is to be done with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Add,
    Remove,
}

impl Action {
    /// Reads the wish. Some agents know other words for it; one that nobody knows is not guessed at.
    pub(super) fn of(sent: &Value) -> Option<Self> {
        match sent.as_str().unwrap_or_default().trim().to_lowercase().as_str() {
            "" if sent.is_string() => Some(Self::Add),
            "add" | "save" | "create" => Some(Self::Add),
            "remove" | "archive" | "revoke" | "delete" => Some(Self::Remove),
            _ => None,
        }
    }
}

/// Says whether an item is to be put away.
fn removes(name: &str, item: &Map<String, Value>) -> Result<bool, Refusal> {
    let action = item.get("action").filter(|action| !action.is_null());
    match action.map_or(Some(Action::Add), Action::of) {
        Some(action) => Ok(action == Action::Remove),
        None => Err(Refusal::new(
            format!("{name}: action should be one of {}", ACTIONS.join(", ")),
            "Send it with the tool of its own",
        )),
    }
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
