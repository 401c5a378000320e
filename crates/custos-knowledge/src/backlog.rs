//! The backlog: what is still to be done, or was.
//!
//! `backlog/B-001-slug.md`. Ids count up within one store and are never given out twice; two stores may both have a B-001. A task that is done
//! stays where it is, and what was noted on the way stays with it: notes are only ever added.

use std::sync::Arc;

use custos_config::shown::shown;
use custos_model::Kind;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::base::{Base, Stack, View};
use crate::counter;
use crate::decision::{Placed, split_name};
use crate::keeping::{self, Became};
use crate::naming::{self, Address, Called, Namesake, Numbered, Unread, called, names_file};
use crate::refusal::Refusal;
use crate::shelf::{Contents, Fault, Item};
use crate::store::{Level, Store};
use crate::text::{self, Document, Front, Passage, Section, Wording};

mod standing;
#[cfg(test)]
mod tests;

pub use standing::{Priority, Status};

/// The longest slug of a task.
pub const LONGEST_SLUG: usize = 50;
/// The highest number of an id; a file could name it, and nothing comes after it.
const HIGHEST: u32 = 999_999_999;
const DIRECTORY: &str = "backlog";
const PAST: &str = "archive/backlog";
const NOTES: &str = "Notes";

/// A task as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task {
    /// `B-001`.
    pub id: String,
    /// The rest of the file's name.
    pub slug: String,
    /// What is to be done, in one line.
    pub title: String,
    /// How far it is. A word that nobody knows leaves it open: better seen than forgotten.
    pub status: Status,
    /// How urgent it is.
    pub priority: Priority,
    /// Words by which it is found.
    pub tags: Vec<String>,
    /// What it is about, where that was said.
    pub scope: Vec<String>,
    /// When it was added.
    pub created: String,
    /// When it was last changed.
    pub updated: String,
    /// What is to be done, in full.
    pub description: String,
    /// What was noted on the way.
    pub notes: String,
    /// What else its file says, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Passage>,
}

impl Item for Task {
    type Beside = ();

    fn read(file: &str, text: &str) -> Result<Self, Fault> {
        let document = Document::parse(text).map_err(|problem| Fault::of(file, &problem))?;
        Self::of(file, &document.without_secrets())
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn said(&self) -> String {
        let own = Section { heading: NOTES, text: &self.notes };
        Passage::outlined(&self.description, own, &self.sections)
    }
}

impl Task {
    /// Takes it from its file, which was read.
    pub(crate) fn of(file: &str, document: &Document) -> Result<Self, Fault> {
        let front = document.front();
        let own = |key: &str| front.text(key).filter(|text| !text.is_empty()).map(str::to_owned);
        let (named_id, named_slug) = split_name(keeping::stem(file));
        let Some(number) = number(own("id").as_deref().unwrap_or(named_id)) else {
            let line = front.line_of("id").unwrap_or(1);
            return Err(Fault::new(
                file,
                line,
                "has no id; its front matter should give it one that no other has: `id: B-…`",
            ));
        };
        let slug = own("slug")
            .filter(|slug| text::is_slug(slug, LONGEST_SLUG))
            .unwrap_or_else(|| named_slug.to_owned());
        let heading = Some(document.title()).filter(|title| !title.is_empty());
        let created = own("created").unwrap_or_default();
        let mut sections: Vec<Section<'_>> = document.sections().collect();
        let notes = Section::take(&mut sections, NOTES);
        Ok(Self {
            id: id_of(number),
            title: keeping::shown_title(
                &own("title").or_else(|| heading.map(str::to_owned)).unwrap_or_else(|| slug.clone()),
            ),
            slug,
            status: own("status").and_then(|word| word.parse().ok()).unwrap_or_default(),
            priority: own("priority").and_then(|word| word.parse().ok()).unwrap_or_default(),
            tags: front.list("tags"),
            scope: front.list("scope"),
            updated: own("updated").unwrap_or_else(|| created.clone()),
            created,
            description: document.lead().to_owned(),
            notes: notes.unwrap_or_default().to_owned(),
            sections: sections.into_iter().map(Passage::from).collect(),
        })
    }
}

impl Called for Task {
    const WHAT: &'static str = "task";

    fn name(&self) -> &str {
        &self.id
    }
}

impl Numbered for Task {
    const LETTER: char = 'B';

    fn number(&self) -> Option<u32> {
        number(&self.id)
    }

    fn slug(&self) -> &str {
        &self.slug
    }
}

impl Task {
    fn to_text(&self) -> String {
        let mut front = Front::default();
        front.set_text("id", &self.id);
        front.set_text("slug", &self.slug);
        front.set_text("title", &self.title);
        front.set_text("status", self.status.word());
        front.set_text("priority", self.priority.word());
        if !self.tags.is_empty() {
            front.set_list("tags", &self.tags);
        }
        if !self.scope.is_empty() {
            front.set_list("scope", &self.scope);
        }
        front.set_text("created", &self.created);
        front.set_text("updated", &self.updated);
        let no_notes: [(&str, &str); 0] = [];
        Document::compose(front, &self.title, &self.description, &no_notes).to_text()
    }
}

/// The number of an id such as `B-012`, however it is written.
pub fn number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix(['B', 'b'])?.strip_prefix('-')?;
    // A sign would be a number as well.
    digits
        .parse()
        .ok()
        .filter(|number| *number <= HIGHEST && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn id_of(number: u32) -> String {
    format!("B-{number:03}")
}

/// A task that somebody wants to have kept.
#[derive(Debug, Clone, Default)]
pub struct NewTask {
    /// What is to be done, in one line.
    pub title: String,
    /// In full.
    pub description: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Words by which it is found.
    pub tags: Vec<String>,
    /// Where it belongs.
    pub scope: Vec<String>,
}

/// What became of a task, in one store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SavedTask {
    /// Its id.
    pub id: String,
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// How far it is.
    pub status: Status,
    /// How urgent it is.
    pub priority: Priority,
    /// The level of the store.
    pub level: Level,
    /// The store.
    pub store: String,
    /// The file, below the store.
    pub file: String,
    /// What became of it.
    pub became: Became,
    /// The stores of its scope that did not take it; with the first of those that did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

impl SavedTask {
    fn new(item: &Task, store: &Store, file: &str, became: Became, notes: Vec<String>) -> Self {
        Self {
            id: item.id.clone(),
            slug: item.slug.clone(),
            title: item.title.clone(),
            status: item.status,
            priority: item.priority,
            level: store.level,
            store: store.name.clone(),
            file: file.to_owned(),
            became,
            refused: Vec::new(),
            notes,
        }
    }
}

impl Base {
    /// Adds a task, in every store that its scope names. One with an equivalent title that is not done yet is given back instead.
    pub fn add_task(&self, new: &NewTask, view: &View) -> Result<Vec<SavedTask>, Refusal> {
        let cleaned = self.clean_title(&new.title)?;
        let mut shortened = None;
        let description = self.clean("description", &new.description)?;
        if !description.is_empty() && cleaned.is_shortened() {
            shortened =
                Some("The title was shortened; its end is at the beginning of the description".to_owned());
        }
        if description.is_empty() {
            return Err(Refusal::new(
                "description is empty",
                "Say what is to be done, and how one sees that it is",
            ));
        }
        let now = self.now_text();
        let task = Task {
            id: String::new(),
            slug: text::slug(&cleaned.title, LONGEST_SLUG),
            description: cleaned.before(&description),
            title: cleaned.title,
            status: Status::Open,
            priority: new.priority,
            tags: keeping::labels(self, &new.tags),
            scope: keeping::labels(self, &new.scope),
            created: now.clone(),
            updated: now,
            notes: String::new(),
            sections: Vec::new(),
        };
        let targets = self.targets(&new.scope, view);
        let stacks = targets.stacks.clone();
        let mut added = keeping::in_each_store(
            targets,
            |stack| self.add_task_in(stack, &task),
            |saved| (&mut saved.notes, &mut saved.refused),
        )?;
        if let Some(first) = added.first_mut() {
            first.notes.extend(shortened);
        }
        if let Some(created) = added.iter_mut().find(|added| added.became == Became::Created) {
            let of = |stack: &Stack| stack.backlog.contents(&stack.store).items;
            let same = keeping::same_elsewhere(view, &stacks, &Wording::of(&task.title), of);
            let undone = same.iter().filter(|found| found.kept.item.status != Status::Done);
            created
                .notes
                .extend(undone.map(|found| format!("{} has the same title; both stay", found.address())));
        }
        Ok(added)
    }

    fn add_task_in(&self, stack: &Stack, task: &Task) -> Result<SavedTask, Refusal> {
        let writing = self.lock(&stack.store)?;
        let there = stack.backlog.contents(&stack.store);
        let wanted = Wording::of(&task.title);
        let mut undone = there.items.iter().filter(|kept| kept.item.status != Status::Done);
        if let Some(twin) = undone.clone().find(|kept| kept.wording().is_equivalent(&wanted)) {
            let id = &twin.item.id;
            let dropped: Vec<&str> = [
                ("description", task.description != twin.item.description),
                ("priority", task.priority != Priority::default() && task.priority != twin.item.priority),
                ("tags", task.tags.iter().any(|tag| !twin.item.tags.contains(tag))),
            ]
            .into_iter()
            .filter_map(|(name, says_more)| says_more.then_some(name))
            .collect();
            let dropped = if dropped.is_empty() {
                String::new()
            } else {
                format!(". NOT taken: {}", dropped.join(", "))
            };
            let note = format!(
                "{id} has this title, and was left as it is; backlog_update adds notes to it{dropped}"
            );
            return Ok(SavedTask::new(&twin.item, &stack.store, &twin.file, Became::Unchanged, vec![note]));
        }
        // It may be this very task, and nobody can tell.
        let is_meant = |fault: &&Fault| split_name(keeping::stem(&fault.file)).1 == task.slug;
        if let Some(fault) = there.faults.iter().find(is_meant) {
            return Err(keeping::broken(&stack.store, fault));
        }
        let near = undone.find(|kept| kept.wording().is_near(&wanted));
        let mut notes: Vec<String> = near
            .map(|near| format!("{} is much the same ({})", near.item.id, near.item.title))
            .into_iter()
            .collect();
        let item = Task { id: next_id(stack, &there)?, ..task.clone() };
        let file = format!("{DIRECTORY}/{}-{}.md", item.id, item.slug);
        counter::note(&writing, 'B', number(&item.id));
        keeping::add(&writing, &file, &item.to_text())?;
        writing.publish_with(&file)?;
        drop(writing);
        notes.extend(self.record(Kind::KnowledgeSaved, &stack.store, body(&item, &file, None)));
        Ok(SavedTask::new(&item, &stack.store, &file, Became::Created, notes))
    }

    /// Lists the tasks of every level, the nearest first, by their numbers. Ids of different levels never hide each other.
    pub fn tasks(&self, view: &View, status: Option<Status>) -> Vec<Placed<Task>> {
        let mut placed = Vec::new();
        for stack in &view.stacks {
            let mut items = stack.backlog.contents(&stack.store).items;
            items.retain(|kept| status.is_none_or(|status| kept.item.status == status));
            items.sort_by_key(|kept| number(&kept.item.id));
            placed.extend(items.into_iter().map(|kept| Placed {
                level: stack.store.level,
                store: stack.store.clone(),
                kept,
            }));
        }
        placed
    }

    /// Finds the tasks that a name means, by id, slug, file or title: the nearest level that has any counts.
    pub fn find_tasks(&self, view: &View, name: &str) -> Vec<Placed<Task>> {
        let Address { view, name, .. } = self.address(view, name);
        let of_stack = |stack: &Arc<Stack>| {
            let mut items = called(stack.backlog.contents(&stack.store).items, name);
            items.sort_by_key(|kept| number(&kept.item.id));
            let place = |kept| Placed { level: stack.store.level, store: stack.store.clone(), kept };
            items.into_iter().map(place).collect::<Vec<_>>()
        };
        view.stacks.iter().map(of_stack).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Finds the file of a task that a name means and that cannot be read.
    pub fn unread_task(&self, view: &View, name: &str) -> Option<Unread> {
        self.unread_in(view, name, unreadable)
    }

    /// Finds the tasks of the repos of a workspace that a name could mean as well.
    pub fn tasks_beside(&self, view: &View, name: &str) -> Vec<Namesake> {
        self.namesakes_beside(view, name, |view, name| self.tasks_called(view, name))
    }

    fn tasks_called(&self, view: &View, name: &str) -> Vec<Namesake> {
        naming::namesakes(&self.find_tasks(view, name))
    }

    /// Changes how far or how urgent a task is, or adds a note to it.
    pub fn update_task(
        &self,
        view: &View,
        name: &str,
        status: Option<Status>,
        priority: Option<Priority>,
        note: Option<&str>,
    ) -> Result<SavedTask, Refusal> {
        let note = self.clean("notes", note.unwrap_or_default())?;
        if status.is_none() && priority.is_none() && note.is_empty() {
            return Err(Refusal::new("nothing is to be changed", "Send status, priority or notes"));
        }
        let asked_from = view.own().store.clone();
        let address = self.settled(view, "task", name, |view, name| self.tasks_called(view, name))?;
        let (view, name) = (&address.view, address.name);
        if let Some(fault) = unreadable(view.own(), name) {
            // It may be the very one that is meant, whatever else has the name.
            return Err(keeping::broken(&view.own().store, &fault));
        }
        let mut all = self.find_tasks(view, name);
        if all.len() > 1 {
            return Err(naming::several(name, &all, &asked_from));
        }
        if !address.is_told
            && let [found] = &naming::namesakes(&all)[..]
            && found.level == Level::User
            && asked_from.level != Level::User
        {
            // A task that all projects share is not changed by an id that was meant for this one.
            return Err(found.is_elsewhere("task", "id", name));
        }
        let found = all.pop().ok_or_else(|| no_such_task(view, name))?;
        let store = &found.store;
        let writing = self.lock(store)?;
        let file = &found.kept.file;
        let mut document = keeping::open(&writing, file)?;
        // Bytes are compared: an item is without what is secret, and may be the same where its file is not.
        let text = document.to_text();
        let before = Task::read(file, &text).map_err(|fault| keeping::broken(store, &fault))?;
        // What a file says in other words is left alone if it means the same.
        if let Some(status) = status.filter(|status| *status != before.status) {
            document.front_mut().set_text("status", status.word());
        }
        if let Some(priority) = priority.filter(|priority| *priority != before.priority) {
            document.front_mut().set_text("priority", priority.word());
        }
        let now = self.now_text();
        if !note.is_empty() {
            document.append_to_section(NOTES, &entry(&now, &note));
        }
        let mut notes = self.namesakes(view, &found);
        let read = |document: &Document| {
            Task::read(file, &document.to_text()).map_err(|fault| keeping::broken(store, &fault))
        };
        if document.to_text() == text {
            return Ok(SavedTask::new(&before, store, file, Became::Unchanged, notes));
        }
        document.front_mut().set_text("updated", &now);
        let item = read(&document)?;
        keeping::write(&writing, file, &document.to_text())?;
        drop(writing);
        notes.extend(self.record(Kind::KnowledgeUpdated, store, body(&item, file, Some(&note))));
        Ok(SavedTask::new(&item, store, file, Became::Updated, notes))
    }

    /// Names the other tasks with the same id: somebody may have meant one of those.
    fn namesakes(&self, view: &View, found: &Placed<Task>) -> Vec<String> {
        let is_other = |other: &Placed<Task>| {
            other.kept.item.id == found.kept.item.id
                && (other.store != found.store || other.kept.file != found.kept.file)
        };
        let others = self.tasks(view, None).into_iter().filter(is_other);
        others
            .map(|other| {
                let Task { id, title, .. } = &*other.kept.item;
                format!("{} has a {id} as well ({title}), which was left as it is", other.store.name)
            })
            .collect()
    }
}

/// A note as an entry of a list; its other lines are indented, so that they stay with it.
fn entry(time: &str, note: &str) -> String {
    let indented = |line: &str| if line.trim().is_empty() { String::new() } else { format!("  {line}") };
    let lines: Vec<String> = note.lines().map(indented).collect();
    format!("- {time}: {}", lines.join("\n").trim_start())
}

/// Says which of some tasks share an id with another of their store, if any do.
pub fn twins(found: &[Placed<Task>]) -> Option<String> {
    naming::twins_noted(found)
}

/// Says that there is no such task, or that its file cannot be read.
fn no_such_task(view: &View, name: &str) -> Refusal {
    let unread =
        |stack: &Arc<Stack>| unreadable(stack, name).map(|fault| keeping::broken(&stack.store, &fault));
    view.stacks.iter().find_map(unread).unwrap_or_else(|| {
        Refusal::missing(format!("there is no task {}", shown(name)), "`backlog` lists what there is")
    })
}

/// Finds the file of a task that a name means, and that cannot be read.
fn unreadable(stack: &Stack, name: &str) -> Option<Fault> {
    let faults = stack.backlog.contents(&stack.store).faults;
    faults.into_iter().find(|fault| names_file(Task::LETTER, &fault.file, name))
}

/// Gives the next id of a store: one more than any that is or was there.
fn next_id(stack: &Stack, there: &Contents<Task>) -> Result<String, Refusal> {
    let highest = [DIRECTORY, PAST]
        .into_iter()
        .flat_map(|directory| stack.store.list(directory))
        .filter_map(|name| number(split_name(keeping::stem(&name)).0))
        // A file may be called otherwise than its front matter says.
        .chain(there.items.iter().filter_map(|kept| number(&kept.item.id)))
        .max()
        .unwrap_or(0);
    let highest = counter::highest(&stack.store, 'B', highest);
    if highest >= HIGHEST {
        return Err(Refusal::new(
            format!("{} is taken, and there is no higher id", id_of(highest)),
            "Give that task a lower one, in its file and its front matter",
        ));
    }
    Ok(id_of(highest + 1))
}

/// What the log says of a task.
fn body(item: &Task, file: &str, note: Option<&str>) -> Map<String, Value> {
    let fields = json!({
        "item": "task", "id": item.id, "title": item.title, "file": file, "status": item.status,
        "priority": item.priority, "tags": item.tags, "text": item.description,
    });
    let Value::Object(mut fields) = fields else { return Map::new() };
    if let Some(note) = note.filter(|note| !note.is_empty()) {
        fields.insert("note".to_owned(), json!(note));
    }
    fields
}
