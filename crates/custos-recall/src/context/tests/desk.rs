//! A memory in a temporary directory: a log with ids and times that a test chooses, an index, vectors, a knowledge base.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use custos_embed::{Embedder, MiniLm};
use custos_index::User;
use custos_knowledge::{Around, Base};
use custos_log::append::{Places as LogPlaces, Surroundings};
use custos_log::forget::{self, Selection};
use custos_log::{Limits, Log, WriterId};
use custos_model::piece::{PieceId, pieces};
use custos_model::{Draft, DraftAgent, EventId, Importance, Kind, Origin, Scope, Timestamp};
use custos_vectors::{Pen, ScopeTag};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::context::{Before, Scene};
use crate::policy::Policy;
use crate::receipt::Ceiling;
use crate::store::{Places, Store};
use crate::viewer::Viewer;

pub(super) const PROJECT: &str = "github.com/acme/shop";

/// 2026-11-15T20:00:00Z.
pub(super) fn now() -> Timestamp {
    Timestamp::from_millis(1_794_772_800_000)
}

pub(super) fn hours_ago(hours: i64) -> Timestamp {
    now().minus_millis(hours * 3_600_000)
}

/// The ceiling that is in use where nobody chose another.
pub(super) const CEILING: Ceiling =
    Ceiling { tokens: 1_500, characters: 10_000, taken_tokens: 0, taken_characters: 0 };

/// Where a session of Claude Code begins that nobody knows yet.
pub(super) fn scene() -> Scene<'static> {
    Scene {
        viewer: Viewer::agent(Some("claude-code"), None, Some("ag-1"), Some("s-now"), Some(PROJECT)),
        session: Some("s-now"),
        project: Some(PROJECT),
        branch: Some("main"),
        now: now(),
        ceiling: CEILING,
        seen: &[],
        before: None,
        safety: None,
    }
}

/// The past of that session, up to an instant.
pub(super) fn until(until: Timestamp) -> Before<'static> {
    Before { session: "s-now", until }
}

/// A memory.
pub(super) struct Desk {
    dir: TempDir,
    log: Log,
    counter: u8,
    model: Option<Arc<MiniLm>>,
    pen: Option<Pen>,
}

impl Desk {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let places = LogPlaces {
            log: dir.path().join("log"),
            backups: dir.path().join("backups"),
            state: dir.path().join("state"),
        };
        let writer: WriterId = "desk".parse().unwrap();
        let limits = Limits { sync: false, ..Limits::default() };
        let log = Log::new(places, Surroundings::system(), limits, writer);
        Self { dir, log, counter: 0, model: None, pen: None }
    }

    /// A memory whose texts are embedded as they come.
    pub(super) fn embedding() -> Self {
        let mut desk = Self::new();
        let model = MiniLm::new();
        desk.pen = Some(Pen::open(&desk.state(), model.id(), model.dims()).unwrap());
        desk.model = Some(Arc::new(model));
        desk
    }

    fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// Appends an event; the ids count up.
    pub(super) fn append(
        &mut self,
        kind: Kind,
        at: Timestamp,
        body: Value,
        change: impl FnOnce(&mut Draft),
    ) -> EventId {
        self.append_as(Origin::Distiller, kind, at, body, change)
    }

    pub(super) fn append_as(
        &mut self,
        origin: Origin,
        kind: Kind,
        at: Timestamp,
        body: Value,
        change: impl FnOnce(&mut Draft),
    ) -> EventId {
        self.counter += 1;
        let Value::Object(body) = body else { panic!("a body is an object") };
        self.embed(kind, &body);
        let mut draft = Draft::new(kind, Scope::Project, body);
        let id = EventId::new(at, [0, 0, 0, 0, 0, 0, 0, 0, 0, self.counter]);
        draft.id = Some(id);
        draft.ts = Some(at);
        draft.project = Some(PROJECT.to_owned());
        draft.session = Some("s-old".to_owned());
        draft.agent = Some(DraftAgent { client: "codex".to_owned(), id: None, role: None });
        change(&mut draft);
        self.log.append(draft, origin).unwrap();
        id
    }

    fn embed(&mut self, kind: Kind, body: &Map<String, Value>) {
        let (Some(model), Some(pen)) = (&self.model, &mut self.pen) else { return };
        let rows = pieces(kind, body)
            .into_iter()
            .map(|text| (PieceId::of(&text), ScopeTag::of(Some(PROJECT)), model.embed(&text, 128).unwrap()));
        pen.append(&rows.collect::<Vec<_>>()).unwrap();
    }

    pub(super) fn observe(
        &mut self,
        at: Timestamp,
        importance: f64,
        sort: &str,
        title: &str,
        narrative: &str,
    ) -> EventId {
        let body = json!({ "type": sort, "title": title, "narrative": narrative });
        self.append(Kind::ObservationRecorded, at, body, |draft| {
            draft.importance = Importance::new(importance);
        })
    }

    pub(super) fn sum_up(&mut self, at: Timestamp, session: &str, request: &str, completed: &str) -> EventId {
        let body = json!({ "of": "session", "work": format!("w-{session}"), "request": request, "completed": completed, "next_steps": "Ship it." });
        self.append(Kind::SummaryRecorded, at, body, |draft| draft.session = Some(session.to_owned()))
    }

    /// Opens the memory and reads all of it.
    pub(super) fn open(&self) -> Store {
        let places = Places { state: self.state(), log: self.dir.path().join("log") };
        let embedder = self.model.clone().map(|model| model as Arc<dyn Embedder>);
        let mut store = Store::open(&places, User::Worker, embedder, Policy::DEFAULT).unwrap();
        store.catch_up(None).unwrap();
        store
    }

    /// Forgets an event as `custos forget` does.
    pub(super) fn forget(&self, store: &mut Store, id: EventId) {
        let selection = Selection::Id(id);
        let plan = forget::plan(&self.log, &selection, &mut |_| ()).unwrap();
        forget::forget(&self.log, &plan, &selection, "asked to").unwrap();
        store.catch_up(None).unwrap();
        store.index().forget(&[id]).unwrap();
    }

    /// Puts a file into the project's knowledge base.
    pub(super) fn file(&self, path: &str, text: &str) {
        Self::file_in(&self.root(), path, text);
    }

    /// Says when a file of the knowledge base last changed.
    pub(super) fn changed(&self, path: &str, at: Timestamp) {
        let file = fs::File::options().append(true).open(self.root().join(".ai").join(path)).unwrap();
        let since_1970 = std::time::Duration::from_millis(at.as_millis().try_into().unwrap());
        file.set_modified(std::time::SystemTime::UNIX_EPOCH + since_1970).unwrap();
    }

    /// Puts a file into the knowledge base of a checkout.
    pub(super) fn file_in(root: &Path, path: &str, text: &str) {
        Self::write(&root.join(".ai").join(path), text);
    }

    /// Gives another checkout of the project.
    pub(super) fn checkout(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Puts a file into the person's own knowledge base.
    pub(super) fn own_file(&self, path: &str, text: &str) {
        Self::write(&self.dir.path().join("config/knowledge").join(path), text);
    }

    #[expect(clippy::disallowed_methods, reason = "a test that makes its own files")]
    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    /// The knowledge base of the project.
    pub(super) fn base(&self, is_trusted: bool) -> Base {
        self.base_in(&self.root(), is_trusted)
    }

    /// The knowledge base of a checkout.
    pub(super) fn base_in(&self, root: &Path, is_trusted: bool) -> Base {
        let git = root.join(".git");
        Self::write(&git.join("HEAD"), "ref: refs/heads/main\n");
        Self::write(&git.join("config"), &format!("[remote \"origin\"]\n\turl = https://{PROJECT}.git\n"));
        Base::new(root, &self.dir.path().join("config"), Arc::new(Person { is_trusted }))
    }
}

/// What the knowledge base takes from outside.
struct Person {
    is_trusted: bool,
}

impl Around for Person {
    fn now(&self) -> Timestamp {
        now()
    }
    fn record(&self, _: Draft) -> Result<(), String> {
        Ok(())
    }
    fn trusts(&self, _: &Path) -> bool {
        self.is_trusted
    }
    fn made(&self, _: &Path) {}
    fn prove(&self, _: &str, _: &Path) -> Result<usize, String> {
        Ok(1)
    }
    fn decided(&self, _: &Path) -> Result<(), String> {
        Ok(())
    }
    fn is_person(&self) -> bool {
        false
    }
    fn session(&self) -> Option<String> {
        None
    }
    fn client(&self) -> Option<String> {
        None
    }
}
