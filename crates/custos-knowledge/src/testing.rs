//! A desk to try things at: a base in a temporary directory, with a clock that ticks once per look and a log that is a list.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use custos_config::Project;
use custos_model::{Draft, Timestamp};
use tempfile::TempDir;

use crate::aftercare::Debt;
use crate::base::{Around, Base, View};
use crate::decision::NewDecision;

/// A base, and what it wrote down.
pub(crate) struct Desk {
    /// Holds `root`, the session's root, and `config`, where the person's own store is.
    pub(crate) dir: TempDir,
    /// The base.
    pub(crate) base: Base,
    /// The events, as they came.
    pub(crate) events: Arc<Mutex<Vec<Draft>>>,
    /// The roots whose guard was told of a change.
    pub(crate) decided: Arc<Mutex<Vec<PathBuf>>>,
    around: Surroundings,
}

/// 2026-11-15T20:55:09Z.
const BEGIN: i64 = 1_794_776_109_000;

#[derive(Clone)]
struct Surroundings {
    clock: Arc<AtomicI64>,
    events: Arc<Mutex<Vec<Draft>>>,
    decided: Arc<Mutex<Vec<PathBuf>>>,
    /// The roots whose store was begun.
    made: Arc<Mutex<Vec<PathBuf>>>,
    /// What was said about forcing events to the disk.
    forced: Arc<Mutex<Vec<&'static str>>>,
    /// How often the project of a directory was looked for.
    looked_for: Arc<AtomicUsize>,
    session: Option<String>,
    log_is_broken: bool,
}

impl Around for Surroundings {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.fetch_add(1_000, Ordering::Relaxed))
    }

    fn record(&self, draft: Draft) -> Result<(), String> {
        if self.log_is_broken {
            return Err("the disk is full".to_owned());
        }
        self.events.lock().unwrap().push(draft);
        Ok(())
    }

    fn gather(&self) {
        self.forced.lock().unwrap().push("gather");
    }

    fn owed(&self) -> Debt {
        let forced = Arc::clone(&self.forced);
        Box::new(move || {
            forced.lock().unwrap().push("force");
            Ok(())
        })
    }

    fn project(&self, directory: &Path) -> Project {
        self.looked_for.fetch_add(1, Ordering::Relaxed);
        Project::by_place(directory)
    }

    fn trusts(&self, _root: &Path) -> bool {
        true
    }

    fn made(&self, root: &Path) {
        self.made.lock().unwrap().push(root.to_owned());
    }

    fn is_person(&self) -> bool {
        false
    }

    fn prove(&self, _front: &str, _root: &Path) -> Result<usize, String> {
        Ok(1)
    }

    fn decided(&self, root: &Path) -> Result<(), String> {
        self.decided.lock().unwrap().push(root.to_owned());
        Ok(())
    }

    fn session(&self) -> Option<String> {
        self.session.clone()
    }

    fn client(&self) -> Option<String> {
        Some("claude-code".to_owned())
    }
}

impl Desk {
    /// A session in a repo.
    pub(crate) fn repo() -> Self {
        Self::with_repos(&[""])
    }

    /// A session in a workspace with the repos `api` and `web`.
    pub(crate) fn workspace() -> Self {
        Self::with_repos(&["api", "web"])
    }

    /// A session in a directory that is neither.
    pub(crate) fn directory() -> Self {
        Self::with_repos(&[])
    }

    /// A session in a directory with these repos; the empty name is the directory itself.
    #[expect(clippy::disallowed_methods, reason = "a test that makes its own directories")]
    pub(crate) fn with_repos(names: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("root")).unwrap();
        for name in names {
            let git = dir.path().join("root").join(name).join(".git");
            fs::create_dir_all(&git).unwrap();
            fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        let around = Surroundings {
            clock: Arc::new(AtomicI64::new(BEGIN)),
            events: Arc::default(),
            decided: Arc::default(),
            made: Arc::default(),
            forced: Arc::default(),
            looked_for: Arc::default(),
            session: Some("s-1".to_owned()),
            log_is_broken: false,
        };
        let (events, decided) = (Arc::clone(&around.events), Arc::clone(&around.decided));
        let base = base(&dir, "root", around.clone());
        Self { dir, base, events, decided, around }
    }

    /// The same place in another session, or in none that is known.
    pub(crate) fn in_session(&self, session: Option<&str>) -> Base {
        let session = session.map(str::to_owned);
        base(&self.dir, "root", Surroundings { session, ..self.around.clone() })
    }

    /// The same as a server has it, which lives on after its answer.
    pub(crate) fn serving(self) -> Self {
        Self { base: self.base.with_aftercare(), ..self }
    }

    /// The same place with a log that takes nothing.
    pub(crate) fn with_broken_log(&self) -> Base {
        base(&self.dir, "root", Surroundings { log_is_broken: true, ..self.around.clone() })
    }

    /// A session in one of the repos alone.
    pub(crate) fn within(&self, repo: &str) -> Base {
        base(&self.dir, &format!("root/{repo}"), Surroundings { session: None, ..self.around.clone() })
    }

    /// What is read together, from the session's root.
    pub(crate) fn view(&self) -> View {
        self.base.view(None).unwrap()
    }

    /// What a file of the root's store holds.
    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.view().own().store.path(file)).unwrap()
    }

    /// Writes a file of the root's store, as a person would.
    #[expect(clippy::disallowed_methods, reason = "a person's editor is not atomic either")]
    pub(crate) fn put(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.view().own().store.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The roots whose store was begun.
    pub(crate) fn made(&self) -> Vec<PathBuf> {
        self.around.made.lock().unwrap().clone()
    }

    /// What the log was told about forcing events to the disk.
    pub(crate) fn forced(&self) -> Vec<&'static str> {
        self.around.forced.lock().unwrap().clone()
    }

    /// How often the project of a directory was looked for.
    pub(crate) fn looked_for_projects(&self) -> usize {
        self.around.looked_for.load(Ordering::Relaxed)
    }

    /// The kinds of the events so far, with the items that they are about.
    pub(crate) fn recorded(&self) -> Vec<String> {
        let events = self.events.lock().unwrap();
        events
            .iter()
            .map(|draft| format!("{} {}", draft.kind, draft.body["item"].as_str().unwrap()))
            .collect()
    }
}

fn base(dir: &TempDir, root: &str, around: Surroundings) -> Base {
    Base::new(&dir.path().join(root), &dir.path().join("config"), Arc::new(around))
}

/// A decision with that title, and nothing special about it.
pub(crate) fn decision(title: &str) -> NewDecision {
    let text = || "Text.".to_owned();
    NewDecision {
        title: title.to_owned(),
        decision: text(),
        reasoning: text(),
        source: "session",
        ..NewDecision::default()
    }
}
