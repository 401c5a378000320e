//! The knowledge of a session: its root, the stores of every level, and who is asking.
//!
//! A [`Base`] is made once, for a server or a command. It knows where things are written ([`Base::targets`], by [scope](crate::scope)) and what
//! is read together ([`Base::view`], the levels of one project). What it takes from outside is in [`Around`]: the time, the log, who is trusted, how a
//! predicate is proven. Items have their modules ([`crate::decision`] and its neighbours), which extend the base by what can be done with them.

mod changing;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use custos_config::Project;
use custos_model::{Draft, DraftAgent, Kind, Scope, Timestamp};
use serde_json::{Map, Value};

use crate::aftercare::{Aftercare, Debt};
use crate::backlog::Task;
use crate::check::{Card, Cards};
use crate::decision::Decision;
use crate::handoff::{self, Handoff};
use crate::memory::{Memory, MemoryKind};
use crate::plan::{self, Plan};
use crate::pledge;
use crate::refusal::Refusal;
use crate::root::Root;
pub use crate::scope::Targets;
use crate::shelf::{Fault, Shelf};
use crate::store::{Level, Store};
use crate::text::{self, Cleaned};
use crate::together::{Span, Together};

/// What the knowledge base takes from outside.
pub trait Around: Send + Sync {
    /// Gives the time.
    fn now(&self) -> Timestamp;

    /// Records an event. An error says why it is not in the log.
    fn record(&self, draft: Draft) -> Result<(), String>;

    /// Records events that belong together. An error says why one of them is not in the log.
    fn record_all(&self, drafts: Vec<Draft>) -> Result<(), String> {
        // Each is tried: of those that fail, one says why.
        drafts.into_iter().map(|draft| self.record(draft)).fold(Ok(()), Result::and)
    }

    /// Is told that the events that follow belong together, and need not be forced to the disk one by one.
    fn gather(&self) {}

    /// Is told that no more of them follow, and gives what forces them to the disk. An error says why they may not survive a power cut.
    fn owed(&self) -> Debt {
        Box::new(|| Ok(()))
    }

    /// Finds the project of an absolute directory, by the name under which events about it are filed.
    fn project(&self, directory: &Path) -> Project {
        Project::by_place(directory)
    }

    /// Is told that something is about to be filed under a project's name, so that it is known under it later, wherever it is moved.
    fn files_under(&self, _: &Project) {}

    /// Says whether a person has looked at the `.ai/` of this root and takes its texts for their own.
    fn trusts(&self, root: &Path) -> bool;

    /// Is told that the `.ai/` of this root was made here, so that no foreign texts are in it.
    fn made(&self, root: &Path);

    /// Proves a predicate of a decision, given as the front matter that holds it. Gives the number of spellings in which it held.
    fn prove(&self, front: &str, root: &Path) -> Result<usize, String>;

    /// Is told that a decision with a predicate came to this root or went, so that the guard knows at once. An error says why it does not.
    fn decided(&self, root: &Path) -> Result<(), String>;

    /// Says whether a person asks, at their command line.
    fn is_person(&self) -> bool;

    /// Gives the session that is served, as the log calls it, if it is known by now.
    fn session(&self) -> Option<String>;

    /// Gives the client that the session belongs to.
    fn client(&self) -> Option<String>;

    /// Gives the sub-agent of the session that asks, as the log calls it, if it is known to be one.
    fn subagent(&self) -> Option<String> {
        None
    }

    /// Gives the role in which the session works, if its environment names one.
    fn role(&self) -> Option<String> {
        None
    }
}

/// A store with what was read of it.
#[derive(Debug)]
pub struct Stack {
    /// The store.
    pub store: Arc<Store>,
    /// Its decisions.
    pub decisions: Shelf<Decision>,
    /// Its archived decisions.
    pub past_decisions: Shelf<Decision>,
    /// Its memories: feedback, then patterns.
    pub memories: [Shelf<Memory>; 2],
    /// Its backlog.
    pub backlog: Shelf<Task>,
    /// Its plans, and its handoffs: a session keeps both at its root.
    pub(crate) plans: Shelf<Plan>,
    pub(crate) handoffs: Shelf<Handoff>,
    /// What the doctor keeps of all of them.
    pub(crate) cards: Cards,
}

impl Stack {
    /// Takes a store; `catalogues` is where the catalogues of what was read are kept, `span` tells what is done together.
    fn new(store: Store, catalogues: Option<&Path>, span: &Span) -> Self {
        let memories =
            MemoryKind::ALL.map(|kind| Shelf::catalogued(kind.directory(), &store, catalogues).during(span));
        let decisions = Shelf::catalogued("decisions", &store, catalogues).during(span);
        let card = |directory| {
            let shelf = Shelf::<Card>::catalogued(directory, &store, catalogues);
            let kind = MemoryKind::ALL.iter().position(|kind| kind.directory() == directory);
            match kind {
                Some(kind) => shelf.beside(&memories[kind]),
                None if directory == "decisions" => shelf.beside(&decisions),
                None => shelf,
            }
        };
        Self {
            cards: Cards::new(card),
            decisions,
            past_decisions: Shelf::catalogued("archive/decisions", &store, catalogues).during(span),
            memories,
            backlog: Shelf::new("backlog").during(span),
            plans: Shelf::new(plan::DIRECTORY).during(span),
            handoffs: Shelf::new(handoff::DIRECTORY).during(span),
            store: Arc::new(store),
        }
    }
}

impl Stack {
    /// Counts the files of memories, without reading them.
    pub fn count_memories(&self) -> usize {
        self.memories.iter().map(|shelf| shelf.count(&self.store)).sum()
    }

    /// Catalogues what was read, for the next who reads it.
    fn write_catalogues(&self) {
        self.decisions.write_catalogue(&self.store);
        self.past_decisions.write_catalogue(&self.store);
        for shelf in &self.memories {
            shelf.write_catalogue(&self.store);
        }
        self.cards.write_catalogues(&self.store);
    }

    /// Gives the files that could not be read when they were last asked for.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = self.decisions.faults();
        faults.extend(self.memories.iter().flat_map(Shelf::faults));
        faults.extend(self.backlog.faults());
        faults
    }
}

/// The levels that are read together, the nearest first.
#[derive(Debug, Clone)]
pub struct View {
    /// The root that it is about.
    pub root: Root,
    /// The stores: that of the root, that of the workspace around it, the person's own.
    pub stacks: Vec<Arc<Stack>>,
}

impl View {
    /// The store of the root itself.
    pub fn own(&self) -> &Arc<Stack> {
        &self.stacks[0]
    }
}

/// The knowledge of a session.
pub struct Base {
    root: Root,
    user: Arc<Stack>,
    stacks: Mutex<BTreeMap<PathBuf, Arc<Stack>>>,
    around: Arc<dyn Around>,
    /// What is done together, while something is.
    pub(crate) together: Together,
    /// The directories in which a base was begun, and whether that goes without saying or was said.
    begun: Mutex<BTreeMap<PathBuf, bool>>,
    /// Where the catalogues are kept of what was read, if they are.
    catalogues: Option<PathBuf>,
}

/// The longest text that is taken in one go. More than that is a document, and belongs into the repo.
const LONGEST_TEXT: usize = 64 << 10;
/// Stands at the end of a text that was cut.
const CUT_OFF: &str = "\n\n[cut off here: it was too long]";

impl Base {
    /// Makes the base of an absolute directory; `config` is where the person's own store is.
    pub fn new(directory: &Path, config: &Path, around: Arc<dyn Around>) -> Self {
        let real = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        Self::at(Root::find(&real), config, around)
    }

    /// Makes the base of a root.
    pub fn at(root: Root, config: &Path, around: Arc<dyn Around>) -> Self {
        let together = Together::default();
        Self {
            root,
            user: Arc::new(Stack::new(Store::of_user(config), None, together.span())),
            stacks: Mutex::default(),
            around,
            together,
            begun: Mutex::default(),
            catalogues: None,
        }
    }

    /// Lets the base keep catalogues of what it read below the state directory, so that the next one begins with them.
    #[must_use]
    pub fn with_catalogues(self, state: &Path) -> Self {
        let catalogues = catalogues(state);
        let user =
            Arc::new(Stack::new(Store::clone(&self.user.store), Some(&catalogues), self.together.span()));
        Self { user, stacks: Mutex::default(), catalogues: Some(catalogues), ..self }
    }

    /// Waits no longer than this for a store that another process is changing.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.together.patience = patience;
        self
    }

    /// Lets the base do what can wait once whoever asked has an answer. Whoever makes it so lives on, and [ends](Self::end) it.
    #[must_use]
    pub fn with_aftercare(mut self) -> Self {
        self.together.span().live_on();
        self.together.aftercare = pledge::is_possible().then(Aftercare::default);
        self
    }

    /// Sees to it that what is written next is written quickly. It takes no time: that is done beside whoever asks.
    pub fn prepare(&self, view: &View) {
        if let Some(aftercare) = &self.together.aftercare {
            aftercare.take(view.stacks.iter().map(|stack| Store::clone(&stack.store)), None);
        }
    }

    /// Prepares for more at once: the server has begun.
    pub fn prepare_all(&self, view: &View) {
        if let Some(aftercare) = &self.together.aftercare {
            aftercare.has_begun();
            self.prepare(view);
        }
    }

    /// Sees to what a power cut has left behind: for whoever has time.
    pub fn settle_all(&self, view: &View) {
        if self.together.aftercare.is_some() {
            view.stacks.iter().for_each(|stack| self.settle(&stack.store));
        }
    }

    /// Finishes what could wait, and waits for it. Gives what the disk did not confirm and nobody was told.
    pub fn end(&self) -> Vec<String> {
        self.together.aftercare.as_ref().map(Aftercare::end).unwrap_or_default()
    }

    /// Takes all catalogues away: something that they may hold is to be forgotten. They are written anew from the files.
    pub fn discard_catalogues(state: &Path) -> io::Result<()> {
        match fs::remove_dir_all(catalogues(state)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }

    /// Writes the catalogues that lag behind what was read. Nobody has to; it makes the next beginning quicker.
    pub fn write_catalogues(&self) {
        let stacks: Vec<Arc<Stack>> =
            self.stacks.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for stack in stacks.iter().chain([&self.user]) {
            stack.write_catalogues();
        }
    }

    /// The root of the session.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The person's own store.
    pub fn user(&self) -> &Arc<Stack> {
        &self.user
    }

    /// What was given from outside.
    pub fn around(&self) -> &dyn Around {
        &*self.around
    }

    /// The day, as files have it: `2026-11-15`.
    pub fn today(&self) -> String {
        self.now_text()[..10].to_owned()
    }

    /// The time, as files have it: `2026-11-15T20:55:09Z`.
    pub fn now_text(&self) -> String {
        let text = self.around.now().to_string();
        // Milliseconds tell nobody anything here.
        match text.split_once('.') {
            Some((seconds, _)) => format!("{seconds}Z"),
            None => text,
        }
    }

    /// Gives the levels of a project: the session's own, or another that was named by its path or by its name in the workspace.
    pub fn view(&self, project: Option<&str>) -> Result<View, Refusal> {
        let root = match project.map(str::trim).filter(|path| !path.is_empty()) {
            None => self.root.clone(),
            Some(named) => self.project(named)?,
        };
        let mut stacks = vec![self.stack_of(&root)];
        if self.root.is_workspace() && root.path != self.root.path && root.path.starts_with(&self.root.path) {
            stacks.push(self.stack_of(&self.root));
        }
        stacks.push(Arc::clone(&self.user));
        Ok(View { root, stacks })
    }

    /// Finds a project that somebody named.
    fn project(&self, named: &str) -> Result<Root, Refusal> {
        let path = self.root.path.join(named);
        match fs::canonicalize(&path) {
            Ok(real) if real.is_dir() => Ok(self.root_of(&real)),
            _ => Err(Refusal::missing(
                format!("there is no directory {}", custos_config::shown::shown(named)),
                "Send the absolute path of a project or the name of a repo in the workspace, or leave it out for the one of this session; `workspace` lists the repos",
            )),
        }
    }

    /// Finds the root of a directory; that of the session was found before, and may have been named.
    pub(crate) fn root_of(&self, directory: &Path) -> Root {
        if directory == self.root.path { self.root.clone() } else { Root::find(directory) }
    }

    /// Gives the store of a root. Each is made once, so that what was read of it is kept.
    pub(crate) fn stack_of(&self, root: &Root) -> Arc<Stack> {
        let mut stacks = self.stacks.lock().unwrap_or_else(PoisonError::into_inner);
        let stack = stacks.entry(root.path.clone()).or_insert_with(|| {
            let level = if root.is_workspace() { Level::Workspace } else { Level::Repo };
            // A repo of the workspace is called as a scope calls it.
            let inner = root.path.strip_prefix(&self.root.path).ok().filter(|_| self.root.is_workspace());
            let name = match inner.map(|path| path.to_string_lossy().replace('\\', "/")) {
                Some(name) if !name.is_empty() => name,
                _ => root.name(),
            };
            let store = Store::of(level, &root.path, name);
            Arc::new(Stack::new(store, self.catalogues.as_deref(), self.together.span()))
        });
        Arc::clone(stack)
    }

    /// Says whether a text that is to be kept has something in it that is not: a secret, or private text.
    pub fn has_secret(&self, text: &str) -> bool {
        custos_redact::redact(text) != text
    }

    /// Cleans a text that is to be kept: secrets and private text taken out, leaked markup and invisible characters dropped.
    pub fn clean(&self, what: &str, raw: &str) -> Result<String, Refusal> {
        if raw.len() > LONGEST_TEXT {
            return Err(Refusal::new(
                format!("{what} is {} bytes long, and at most {LONGEST_TEXT} are taken", raw.len()),
                "Keep what matters, and put the rest into a file of the repo that the text names",
            ));
        }
        Ok(cleaned(raw))
    }

    /// Cleans a text that is to be kept in any case: one that is too long is cut, and a note says so.
    pub fn clean_and_cut(&self, what: &str, raw: &str) -> (String, Option<String>) {
        let mut text = cleaned(raw);
        if text.len() <= LONGEST_TEXT {
            return (text, None);
        }
        let was = text.len();
        let end = text.floor_char_boundary(LONGEST_TEXT - CUT_OFF.len());
        text.truncate(end);
        text.push_str(CUT_OFF);
        (text, Some(format!("{what} was {was} bytes long, and ends after {end} of them")))
    }

    /// Cleans a title: one line, without secrets.
    pub fn clean_title(&self, raw: &str) -> Result<Cleaned, Refusal> {
        // What nobody sees is dropped first: it would hide a secret from whoever looks for one.
        let seen = text::tidy(&text::strip_markup(raw));
        let cleaned = text::clean_title(&custos_redact::redact(&seen))
            .map_err(|problem| Refusal::new(problem.to_string(), "Send a short line that says it all"))?;
        Ok(cleaned)
    }

    /// Tells the guard that what it enforces for a store came or went; the caller holds the store's lock, so that two who save do not bring
    /// the guard up to date over each other. What comes back is a note for whoever asked, if the guard did not take it.
    pub(crate) fn tell_guard(&self, store: &Store) -> Option<String> {
        // What is the person's own is enforced nowhere.
        if store.level == Level::User {
            return None;
        }
        self.around.decided(&store.root).err().map(|why| {
            format!(
                "The file is written, but the guard does not know of it yet: {why}. `custos guard decisions` tries again"
            )
        })
    }

    /// Records what was written. What comes back is a note for whoever asked, if the log did not take it or a base was begun by it.
    pub fn record(&self, kind: Kind, store: &Store, body: Map<String, Value>) -> Option<String> {
        let scope = if store.level == Level::User { Scope::User } else { Scope::Project };
        let mut draft = Draft::new(kind, scope, body);
        draft.body.insert("level".to_owned(), store.level.word().into());
        if store.level != Level::User {
            let project = self.together.project(&store.root, || {
                let project = self.around.project(&store.root);
                self.around.files_under(&project);
                project
            });
            draft.branch = project.repo.as_ref().and_then(|repo| repo.branch.clone());
            draft.commit = project.repo.and_then(|repo| repo.commit);
            draft.project = Some(project.identity);
        }
        draft.session = self.around.session();
        draft.agent = self.around.client().map(|client| DraftAgent { client, id: None, role: None });
        let unrecorded = self.tell(store, draft).err();
        let notes: Vec<String> = self.note_beginning().into_iter().chain(unrecorded).collect();
        (!notes.is_empty()).then(|| notes.join(". "))
    }
}

/// Says where catalogues are kept.
fn catalogues(state: &Path) -> PathBuf {
    state.join("catalogues")
}

/// Takes out of a text what is secret or private, what leaked into it, and what nobody sees.
fn cleaned(raw: &str) -> String {
    let text = text::tidy(&text::strip_markup(raw));
    custos_redact::redact(text.trim()).into_owned()
}

#[cfg(test)]
mod tests {
    use crate::decision::NewDecision;
    use crate::testing::Desk;

    fn notes(desk: &Desk, title: &str, scope: &[&str]) -> Vec<String> {
        let new = NewDecision {
            title: title.to_owned(),
            decision: "d".to_owned(),
            scope: scope.iter().map(|name| (*name).to_owned()).collect(),
            source: "manual",
            ..NewDecision::default()
        };
        desk.base.save_decision(&new, &desk.view()).unwrap().remove(0).notes
    }

    #[test]
    fn a_base_that_begins_in_a_plain_directory_is_told_once() {
        let desk = Desk::directory();
        let root = desk.view().root.path;
        let told = format!(
            "This begins a knowledge base in {}: the directory is neither a repo nor a workspace",
            root.join(".ai").display()
        );
        assert_eq!(notes(&desk, "Mine", &["user"]), [""; 0]);
        assert_eq!(notes(&desk, "Use UTC", &[]), [told]);
        assert_eq!(notes(&desk, "Keep logs", &[]), [""; 0]);
        assert_eq!(notes(&Desk::repo(), "Use UTC", &[]), [""; 0]);
        assert_eq!(notes(&Desk::workspace(), "Use UTC", &[]), [""; 0]);
    }

    #[test]
    fn the_persons_own_store_needs_no_mark() {
        let desk = Desk::repo();
        notes(&desk, "Mine", &["user"]);
        assert!(desk.made().is_empty());
        notes(&desk, "Ours", &[]);
        assert_eq!(desk.made(), [desk.view().root.path]);
    }
}
