//! The backlog of AXME Code.

use super::cargo::{Cargo, event, has_letter, iso, stem_in};
use super::known::{Library, ORIGIN};
use super::numbers::Numbers;
use super::paper::{Paper, Style};
use crate::backlog::{LONGEST_SLUG, Priority, Status, Task, number};
use crate::decision::split_name;
use crate::shelf::Item as _;
use crate::text::{self, Document, Front};

const DIRECTORY: &str = "backlog";
const PAST: &str = "archive/backlog";
const KEYS: &[&str] = &["id", "slug", "title", "status", "priority", "tags", "created", "updated", "scope"];

/// A task on its way.
struct Parcel {
    file: String,
    item: Task,
    number: Option<u32>,
    named: String,
    others: Vec<(String, String)>,
}

pub(super) fn pack(cargo: &mut Cargo<'_>) {
    let is_task = |file: &str| stem_in(file, &[DIRECTORY]).is_some_and(|stem| has_letter(stem, "B-"));
    let mut parcels = Vec::new();
    for file in cargo.take(is_task) {
        parcels.extend(read(cargo, file));
    }
    let library = Library::<Task>::read(cargo.ahead(), &[DIRECTORY, PAST], |item| &item.title);
    let named = [DIRECTORY, PAST].into_iter().flat_map(|directory| cargo.ahead().list(directory));
    let named = named.filter_map(|name| number(split_name(name.trim_end_matches(".md")).0));
    let there = named.chain(library.items().filter_map(|item| number(&item.id)));
    let mut numbers = Numbers::of(cargo.ahead().store(), 'B', there);
    for own in parcels.iter().filter_map(|parcel: &Parcel| parcel.number) {
        numbers.came_with(own);
    }
    parcels.sort_by(|a, b| {
        let order = |parcel: &Parcel| {
            (parcel.number.is_none(), parcel.number, parcel.item.created.clone(), parcel.file.clone())
        };
        order(a).cmp(&order(b))
    });
    for parcel in parcels {
        let there = parcel.number.map(id_of);
        let known = known_as(cargo, &library, &parcel);
        cargo.count("tasks", known.is_none());
        let here = known.unwrap_or_else(|| load(cargo, &mut numbers, parcel));
        if let Some(there) = there {
            cargo.settle(&there, &here);
        }
    }
    cargo.gave(&numbers);
}

fn read(cargo: &mut Cargo<'_>, file: String) -> Option<Parcel> {
    let paper = cargo.paper(&file, Style::Quoted)?;
    let stem = file.rsplit('/').next().unwrap_or(&file).trim_end_matches(".md").to_owned();
    let (named_id, named_slug) = split_name(&stem);
    let named = Some(paper.word("id")).filter(|id| !id.is_empty()).unwrap_or(named_id).to_owned();
    let title = unquoted(&paper.title(named_slug));
    let title = cargo.title(&file, &title);
    let own = [paper.word("slug"), named_slug].into_iter().find(|slug| text::is_slug(slug, LONGEST_SLUG));
    let parts = paper.parts("Notes");
    // A heading that a person gave it is the title once more; any other is text.
    let lead = match parts.title {
        heading if heading.is_empty() || text::equivalent(heading, &title) => parts.lead.to_owned(),
        heading => format!("{heading}\n\n{}", parts.lead),
    };
    let mut notes = cargo.text(&file, parts.rest);
    let mut remember = |cargo: &mut Cargo<'_>, what: &str, word: &str, read: &str| {
        let gap = if notes.is_empty() { "" } else { "\n\n" };
        let word = cargo.title(&file, word);
        notes.push_str(&format!("{gap}In AXME Code its {what} was `{word}`."));
        cargo.odd(&file, format!("its {what} is `{word}`, which is read as {read}"));
    };
    let status = paper.word("status");
    let priority = paper.word("priority");
    let (known_status, known_priority) = (status.parse::<Status>().ok(), priority.parse::<Priority>().ok());
    if known_status.is_none() && !status.is_empty() {
        remember(cargo, "status", status, "open");
    }
    if known_priority.is_none() && !priority.is_empty() {
        remember(cargo, "priority", priority, "medium");
    }
    let (created, updated) = times(cargo, &file, &paper);
    let number = number(&named);
    let item = Task {
        id: number.map_or_else(String::new, id_of),
        slug: own.map_or_else(|| text::slug(&title, LONGEST_SLUG), str::to_owned),
        title,
        status: known_status.unwrap_or_default(),
        priority: known_priority.unwrap_or_default(),
        tags: cargo.labels(&file, &paper.list("tags")),
        scope: cargo.labels(&file, &paper.list("scope")),
        created,
        updated,
        description: cargo.text(&file, &lead),
        notes,
        sections: Vec::new(),
    };
    let others = cargo.others(&file, &paper, KEYS);
    Some(Parcel { file, item, number, named, others })
}

/// Reads both times. One that cannot be read is taken from the other.
fn times(cargo: &mut Cargo<'_>, file: &str, paper: &Paper) -> (String, String) {
    let (created, updated) = (iso(paper.word("created")), iso(paper.word("updated")));
    if created.is_none() && updated.is_none() {
        cargo.odd(file, "does not say when it was added; the time of the import is taken");
    }
    let any = created.clone().or_else(|| updated.clone()).unwrap_or_else(|| cargo.now());
    (created.unwrap_or_else(|| any.clone()), updated.unwrap_or(any))
}

/// Gives the id under which a task is here already.
fn known_as(cargo: &mut Cargo<'_>, library: &Library<Task>, parcel: &Parcel) -> Option<String> {
    let written = Task::read(&parcel.file, &spell(parcel, None)).ok();
    let item = written.as_ref().unwrap_or(&parcel.item);
    let has_its_text = |known: &Task| known.description == item.description && known.notes == item.notes;
    let says_the_same = |known: &Task| known.status == item.status && has_its_text(known);
    let is_same = |known: &Task| parcel.number.is_some() && number(&known.id) == parcel.number;
    if let Some(known) = library.from(&cargo.origin(&parcel.file)) {
        if !says_the_same(known) {
            cargo.was_changed(&parcel.file, &known.id);
        }
        return Some(known.id.clone());
    }
    let titled = library.titled(&item.title).into_iter().find(|known| says_the_same(known));
    let known = titled.or_else(|| library.retitled(|known| is_same(known) && has_its_text(known)));
    if let Some(known) = known {
        return Some(known.id.clone());
    }
    let changed = library.changed(&item.title, is_same)?;
    cargo.differs(&parcel.file, &changed.id);
    Some(changed.id.clone())
}

/// Gives a task its id and plans to write it.
fn load(cargo: &mut Cargo<'_>, numbers: &mut Numbers, mut parcel: Parcel) -> String {
    let kept = parcel.number.is_some_and(|number| numbers.claim(number));
    if !kept {
        parcel.item.id = id_of(numbers.next());
        cargo.rename(&parcel.file, &parcel.named, &parcel.item.id);
    }
    let origin = cargo.origin(&parcel.file);
    let Task { id, slug, title, description, .. } = &parcel.item;
    let file = format!("{DIRECTORY}/{id}-{slug}.md");
    let event = event("task", id, title, &file, description);
    let text = spell(&parcel, Some(&origin));
    cargo.keep(file, text, vec![event]);
    parcel.item.id
}

fn spell(parcel: &Parcel, origin: Option<&str>) -> String {
    let item = &parcel.item;
    let mut front = Front::default();
    // A task that has no number yet is spelt for comparison only.
    front.set_text("id", if item.id.is_empty() { "B-000" } else { &item.id });
    front.set_text("slug", &item.slug);
    front.set_text("title", &item.title);
    front.set_text("status", item.status.word());
    front.set_text("priority", item.priority.word());
    for (key, list) in [("tags", &item.tags), ("scope", &item.scope)] {
        if !list.is_empty() {
            front.set_list(key, list);
        }
    }
    front.set_text("created", &item.created);
    front.set_text("updated", &item.updated);
    if let Some(origin) = origin {
        front.set_text(ORIGIN, origin);
    }
    for (key, value) in &parcel.others {
        front.set_text(key, value);
    }
    let notes = [("Notes", item.notes.as_str())];
    let sections = if item.notes.is_empty() { &notes[..0] } else { &notes };
    Document::compose(front, &item.title, &item.description, sections).to_text()
}

fn id_of(number: u32) -> String {
    format!("B-{number:03}")
}

/// Takes the quotes off a title. Each time that AXME Code wrote one again, it put another backslash before a quote in it.
fn unquoted(title: &str) -> String {
    let inner = title.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let Some(inner) = inner else { return title.trim().to_owned() };
    let mut out = String::with_capacity(inner.len());
    let mut slashes = 0;
    for c in inner.chars() {
        if c == '\\' {
            slashes += 1;
            continue;
        }
        if c != '"' {
            out.extend(std::iter::repeat_n('\\', slashes));
        }
        slashes = 0;
        out.push(c);
    }
    out.extend(std::iter::repeat_n('\\', slashes));
    out
}
