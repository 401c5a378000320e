//! What is wrong with the file of one item, whatever is around it.

use std::borrow::Cow;

use custos_config::shown::shown;
use custos_redact::redact;

use super::paper::{ARCHIVE, Drawer, Paper, Sort};
use super::premises::is_free;
use super::trouble::{Remedy, Trouble};
use crate::backlog;
use crate::base::Base;
use crate::decision::{self, Enforce, SOURCES, STATUSES};
use crate::memory::MemoryKind;
use crate::store::Store;
use crate::text::{self, Document, Field};

/// How often markup is taken out of a text that only shows it once other markup is gone.
const MOST_LAYERS: usize = 8;

const NO_ID: &str = "has no id in its front matter";
const NOT_ALONE: &str = "Another file has the id of its name: write a free one into it by hand";

/// Finds what is wrong with a file, the most urgent repair first; `is_alone` says that no other has its number.
pub(super) fn look(base: &Base, store: &Store, paper: &Paper, is_alone: bool) -> Vec<Trouble> {
    let mut found = within(paper);
    if !is_alone {
        // The doctor does not settle who is meant by writing it down.
        found.retain(|trouble| trouble.what != NO_ID);
        found.extend(no_id(paper).map(|trouble| Trouble {
            next: NOT_ALONE.to_owned(),
            remedy: None,
            ..trouble
        }));
    }
    if paper.is_empty() {
        return found;
    }
    match put_away(base, paper) {
        Some(trouble) => found.push(trouble),
        None => found.extend(misplaced(store, paper)),
    }
    found
}

/// Finds what is wrong in a file wherever it lies, and whenever it is looked at. It is catalogued: whoever lets it find something else gives the
/// catalogue another form.
pub(super) fn within(paper: &Paper) -> Vec<Trouble> {
    if paper.is_empty() {
        return vec![paper.trouble(0, "is empty", "Remove it, or take its text from git")];
    }
    let mut found = unknown_words(paper);
    found.extend(no_title(paper));
    found.extend(no_text(paper));
    found.extend(endless_code(paper));
    found.extend(secret(paper));
    found.extend(leaked_markup(paper));
    found.extend(no_id(paper));
    found.extend(no_status(paper));
    found.extend(bad_slug(paper));
    found
}

/// Says whether a file lies where it belongs, so that [`look`] finds no more than [`within`].
pub(super) fn is_in_place(paper: &Paper) -> bool {
    let is_named = || paper.place().is_none_or(|place| place == paper.file);
    paper.is_empty() || status_of_the_past(paper).is_none() && is_named()
}

/// A change of the document, and nothing else.
fn change(paper: &Paper, edit: impl FnOnce(&mut Document)) -> Remedy {
    let mut document = paper.document.clone();
    edit(&mut document);
    Remedy::Change { was: paper.text.clone(), text: document.to_text(), to: None }
}

/// Words that should be one of a few. What was meant, only a person knows.
fn unknown_words(paper: &Paper) -> Vec<Trouble> {
    let kinds = MemoryKind::ALL.map(MemoryKind::word);
    let states = backlog::Status::ALL.map(backlog::Status::word);
    let priorities = backlog::Priority::ALL.map(backlog::Priority::word);
    let expected: &[(&str, &[&str])] = match paper.sort {
        Sort::Decision => {
            &[("source", &SOURCES), ("enforce", &["required", "advisory"]), ("status", &STATUSES)]
        }
        Sort::Task => &[("status", &states), ("priority", &priorities)],
        Sort::Memory => &[("type", &kinds), ("source", &SOURCES)],
    };
    let front = paper.document.front();
    let mut found = Vec::new();
    for (key, words) in expected {
        let is_known = match front.get(key) {
            None | Some(Field::Empty | Field::Text("")) => true,
            Some(Field::Text(word)) => words.contains(&word) || is_understood(paper.sort, key, word),
            Some(_) => false,
        };
        if !is_known {
            let line = front.line_of(key).unwrap_or(1);
            let what = match front.text(key) {
                Some(word) => format!("says `{key}: {}`, which nobody knows", shown(word)),
                None => format!("has a `{key}` that is not one word"),
            };
            found.push(paper.trouble(line, what, format!("Write one of {}", words.join(", "))));
        }
    }
    found
}

/// Says whether a word is taken although it is spelt otherwise.
fn is_understood(sort: Sort, key: &str, word: &str) -> bool {
    match (sort, key) {
        (Sort::Task, "status") => word.parse::<backlog::Status>().is_ok(),
        (Sort::Task, "priority") => word.parse::<backlog::Priority>().is_ok(),
        (Sort::Decision, "enforce") => Enforce::of(word) == Enforce::Required || is(word, "advisory"),
        (Sort::Decision, "status") => decision::known_status(word).is_some(),
        _ => false,
    }
}

/// Says whether a word is another in whatever case.
fn is(word: &str, known: &str) -> bool {
    word.trim().eq_ignore_ascii_case(known)
}

fn no_title(paper: &Paper) -> Option<Trouble> {
    let own = paper.document.front().text("title").unwrap_or_default();
    let is_missing = own.trim().is_empty() && paper.document.title().is_empty();
    is_missing.then(|| paper.trouble(1, "has no title", "Say in its first heading what it is about: `# …`"))
}

/// A decision or a memory of which a list shows nothing but the title: what stands in its sections is read only by who asks for it.
fn no_text(paper: &Paper) -> Option<Trouble> {
    (paper.sort != Sort::Task && !paper.has_text).then(|| {
        let next = "Say it in a sentence or two below its title: that is what every session reads";
        paper.trouble(0, "has no text that lists could show beside its title", next)
    })
}

/// A block of code without an end: every section behind it is taken for code.
fn endless_code(paper: &Paper) -> Option<Trouble> {
    let below = paper.document.unclosed_at()?;
    let above = paper.text.len() - paper.document.body().len();
    let line = paper.text.get(..above)?.matches('\n').count() + below + 1;
    let next = "End it with the marks that begin it; until then Markdown takes every section below for code";
    Some(paper.trouble(line, "has a block of code that never ends", next))
}

/// Something that is kept from models and from every copy: it stands in the file all the same, and goes with it wherever git takes it.
fn secret(paper: &Paper) -> Option<Trouble> {
    if !paper.has_secret {
        return None;
    }
    let clean = redact(&paper.text);
    let line = 1 + paper.text.lines().zip(clean.lines()).position(|(was, is)| was != is)?;
    let next = "Take it out, and out of git if it was committed; no agent is shown it";
    Some(paper.trouble(line, "has something secret or private in it", next))
}

/// Tool-call markup in what every session reads. Text that would be cut off with it may belong anywhere, and stays for a person.
fn leaked_markup(paper: &Paper) -> Option<Trouble> {
    let document = &paper.document;
    let title = document.front().text("title").unwrap_or_default();
    let parts = [title, document.title(), document.lead()];
    let [clean_title, clean_heading, clean_lead] = parts.map(stripped);
    if [&clean_title, &clean_heading, &clean_lead].iter().all(|part| part.is_none()) {
        return None;
    }
    let is_harmless = |(part, clean): (&str, &Option<String>)| {
        clean.as_ref().is_none_or(|clean| said(part) == said(clean) && !clean.trim().is_empty())
    };
    let harmless = parts.into_iter().zip([&clean_title, &clean_heading, &clean_lead]).all(is_harmless);
    let line = if clean_title.is_some() { document.front().line_of("title").unwrap_or(0) } else { 0 };
    let what = "has markup of a tool call in its title or its first text";
    if !harmless {
        return Some(paper.trouble(line, what, "Take it out by hand: text would be cut off with it"));
    }
    let remedy = change(paper, |document| {
        if let Some(title) = clean_title {
            document.front_mut().set_text("title", title.trim());
        }
        if let Some(heading) = clean_heading {
            document.replace_title(&heading);
        }
        if let Some(lead) = clean_lead {
            document.replace_lead(&lead);
        }
    });
    Some(paper.trouble(line, what, "The repair takes the tags out and leaves the text").mended_by(remedy))
}

/// Gives a text without markup, if there is any in it.
fn stripped(text: &str) -> Option<String> {
    let mut clean: Option<String> = None;
    for _ in 0..MOST_LAYERS {
        match text::strip_markup(clean.as_deref().unwrap_or(text)) {
            Cow::Borrowed(_) => break,
            Cow::Owned(next) => clean = Some(next),
        }
    }
    clean
}

/// What a text says, without anything that could be a tag.
pub(super) fn said(text: &str) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        said.push_str(&rest[..at]);
        let inner = &rest[at + 1..];
        rest = match inner.find(['<', '>', '\n']) {
            Some(end) if inner[end..].starts_with('>') => &inner[end + 1..],
            _ => inner,
        };
    }
    said.push_str(rest);
    said.retain(char::is_alphanumeric);
    said
}

/// An id that only the name of the file has counts, and a repair writes it down.
fn no_id(paper: &Paper) -> Option<Trouble> {
    let id = paper.sort.id(paper.number?);
    let is_missing = matches!(paper.document.front().get("id"), None | Some(Field::Empty | Field::Text("")));
    is_missing.then(|| {
        let remedy = change(paper, |document| document.front_mut().set_text("id", &id));
        paper.trouble(1, NO_ID, format!("The repair writes `id: {id}`, as its name has it")).mended_by(remedy)
    })
}

/// A status that is not there is read of the text of a decision, or else as the first one; a repair writes that down.
fn no_status(paper: &Paper) -> Option<Trouble> {
    let front = paper.document.front();
    let status = match paper.sort {
        Sort::Decision => decision::status(&paper.document),
        Sort::Task => backlog::Status::Open.word(),
        Sort::Memory => return None,
    };
    let contradiction = || ["superseded_by", "revoked_reason"].into_iter().find(|key| front.has(key));
    let is_missing = matches!(front.get("status"), None | Some(Field::Empty | Field::Text("")));
    if paper.sort == Sort::Decision
        && status == decision::ACTIVE
        && (is_missing || front.text("status").is_some())
        && let Some(key) = contradiction()
    {
        let line = front.line_of(key).unwrap_or(1);
        let next = "Set its status to superseded or revoked, or take that key out";
        return Some(paper.trouble(line, format!("is active, and has `{key}` all the same"), next));
    }
    // The guard reads front matter only: what it enforces would hold no more once this is written there.
    if paper.is_guarded() && status_of_the_past(paper).is_some() {
        return None;
    }
    is_missing.then(|| {
        let remedy = change(paper, |document| document.front_mut().set_text("status", status));
        paper
            .trouble(1, "has no status", format!("It counts as {status}, and the repair writes that down"))
            .mended_by(remedy)
    })
}

/// A slug that is missing can be derived; one that is none would change the name of the file, and is left alone.
fn bad_slug(paper: &Paper) -> Option<Trouble> {
    let front = paper.document.front();
    match front.get("slug") {
        None | Some(Field::Empty | Field::Text("")) => {
            let remedy = change(paper, |document| document.front_mut().set_text("slug", &paper.slug));
            let next = format!("The repair writes `slug: {}`", paper.slug);
            Some(paper.trouble(1, "has no slug in its front matter", next).mended_by(remedy))
        }
        Some(Field::Text(slug)) if slug == paper.slug => None,
        Some(_) => {
            let line = front.line_of("slug").unwrap_or(1);
            let what = format!(
                "has a slug that is none: at most {} lower case letters, digits and hyphens",
                paper.sort.longest_slug()
            );
            Some(paper.trouble(line, what, format!("`slug: {}` would do", paper.slug)))
        }
    }
}

/// The status of a decision that no longer holds.
fn status_of_the_past(paper: &Paper) -> Option<&'static str> {
    if paper.sort == Sort::Decision { decision::past_status(&paper.document) } else { None }
}

/// A decision that no longer holds and lies among those that do. What the guard enforces, only a person puts away.
fn put_away(base: &Base, paper: &Paper) -> Option<Trouble> {
    let front = paper.document.front();
    let status = status_of_the_past(paper)?;
    let line = front.line_of("status").unwrap_or(1);
    let what = format!("is {status}, and is not in the archive");
    if paper.is_guarded() {
        let id = front.text("id").unwrap_or("its id");
        let next =
            format!("It carries a guard: ask the person to run `custos decisions archive {id} --reason …`");
        return Some(paper.trouble(line, what, next));
    }
    let reason = match (front.text("revoked_reason"), front.text("superseded_by")) {
        (Some(reason), _) if !reason.is_empty() => reason.to_owned(),
        (_, Some(id)) if !id.is_empty() => format!("superseded by {id}"),
        _ => format!("its status is {status}"),
    };
    let mut document = paper.document.clone();
    let front = document.front_mut();
    for (key, value) in [("archived", base.now_text()), ("archived_reason", reason)] {
        if !front.has(key) {
            front.set_text(key, &value);
        }
    }
    let remedy = Remedy::Archive { was: paper.text.clone(), text: document.to_text() };
    Some(paper.trouble(line, what, "The repair moves it there").mended_by(remedy))
}

/// A file in the archive that nobody put there: everybody takes it for what no longer holds.
pub(super) fn astray(base: &Base, store: &Store, drawer: &Drawer, paper: &Paper) -> Option<Trouble> {
    // One whose text says that it is past lies where it belongs.
    let is_astray = paper.is_astray() && status_of_the_past(paper).is_none();
    let place = paper.file.strip_prefix(ARCHIVE).filter(|_| is_astray)?;
    let what = "is in the archive, and nothing in it says that it was put away";
    let meant = format!("If it is meant to lie there, write `archived: {}` into it", base.today());
    if drawer.has_namesake(paper) || !is_free(store, place) {
        let next = format!(
            "Move it back to {} once it has an id, a slug and a name of its own, for another has one of them. {meant}",
            shown(place)
        );
        return Some(paper.trouble(0, what, next));
    }
    let next = format!(
        "The repair moves it back to {}: a merge carries a new file along where another branch archived all others. {meant}",
        shown(place)
    );
    if paper.is_guarded() && drawer.has_successor(paper) {
        let next =
            format!("{meant}; if not, move it back to {}: its guard counts from then on", shown(place));
        let what = format!("{what}, but another says that it supersedes it");
        return Some(paper.trouble(0, what, next));
    }
    let (was, text) = (paper.text.clone(), paper.text.clone());
    let remedy = Remedy::Change { was, text, to: Some(place.to_owned()) };
    Some(paper.trouble(0, what, next).mended_by(remedy))
}

/// A file whose name contradicts its front matter, which wins.
fn misplaced(store: &Store, paper: &Paper) -> Option<Trouble> {
    let place = paper.place().filter(|place| *place != paper.file)?;
    let what = format!("should be {}, as its front matter has it", shown(&place));
    if !is_free(store, &place) {
        let next = "There is a file of that name: rename one of them, and change its front matter";
        return Some(paper.trouble(0, what, next));
    }
    let remedy = Remedy::Change { was: paper.text.clone(), text: paper.text.clone(), to: Some(place) };
    Some(paper.trouble(0, what, "The repair renames it").mended_by(remedy))
}
