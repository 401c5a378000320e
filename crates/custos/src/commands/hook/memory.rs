//! The memory for hooks: opened when a session starts or is asked something, and never at a tool.
//!
//! A client waits, so everything has a budget: reading up what the log has gained, looking for changed files of the knowledge base. What
//! is not done in time is done by the worker or by the next hook, and what is told says so.

use std::path::Path;
use std::time::{Duration, Instant};

use custos_config::{Embedder, Roots, Settings};
use custos_hooks::Recaller;
use custos_hooks::recalling::{Occasion, Request, Wants};
use custos_index::{Budget, User};
use custos_recall::context::{self, Served};
use custos_recall::{Places, Policy, RecallError, Store, hints};

use crate::context::Context;
use crate::embedder;
use crate::environment::ProcessEnvironment;
use crate::knowledge;

/// How long a hook reads what the log has gained, and how long it looks for changed files.
const CATCH_UP: Duration = Duration::from_millis(4);
const FILES: Duration = Duration::from_millis(3);

/// The memory, not opened yet.
pub(super) struct Memory<'a> {
    pub(super) context: &'a Context,
}

impl Memory<'_> {
    /// Loads the settings as the project has them, which may want less than the person does.
    fn settings(&self, root: Option<&Path>) -> Settings {
        let roots = Roots { workspace: None, repo: root };
        custos_config::load_fast(&self.context.places, roots, &ProcessEnvironment)
    }

    fn answer(&self, request: &Request<'_>) -> Result<Option<Served>, RecallError> {
        let Request { occasion, scene, directory } = request;
        let asked = match occasion {
            Occasion::Start(_) => "",
            Occasion::Prompt(text) | Occasion::Subagent { task: text, .. } => text,
        };
        let is_trivial = context::is_trivial(asked, &Policy::DEFAULT.prompt);
        if is_trivial && matches!(occasion, Occasion::Prompt(_)) {
            return Ok(None);
        }
        // Loading the model is worth it only where something is compared by its meaning.
        let embedder = if is_trivial { None } else { embedder::for_hook(self.context) };
        let places = Places { state: self.context.places.state.clone(), log: self.context.places.log() };
        let mut store = Store::open(&places, User::Hook, embedder, Policy::DEFAULT)?;
        let started = Instant::now();
        let elapsed = || started.elapsed();
        // Whoever holds the index up, a worker that writes or a rebuild, does so for longer than a client waits. What is there is told, with
        // a note; and what is really broken shows when it is read.
        let _ = store.catch_up(Some(Budget { limit: CATCH_UP, elapsed: &elapsed }));
        let base = directory.map(|directory| knowledge::for_hook(self.context, directory));
        if let Some(base) = &base {
            let started = Instant::now();
            let elapsed = || started.elapsed();
            let _ = store.refresh_knowledge(base, Some(Budget { limit: FILES, elapsed: &elapsed }));
        }
        let served = match occasion {
            Occasion::Start(source) => context::start(&mut store, base.as_ref(), scene, source),
            Occasion::Prompt(text) => context::prompt(&mut store, scene, text),
            Occasion::Subagent { sort, task } => {
                context::subagent(&mut store, base.as_ref(), scene, sort, task)
            }
        };
        self.wake_for_files(&mut store, scene.project);
        served
    }

    /// Wakes a worker for texts without vectors, and for hints that have to be made anew. What people and servers write to files ends no
    /// turn, so nobody else would.
    fn wake_for_files(&self, store: &mut Store, project: Option<&str>) {
        let embeds = self.context.settings.recall.embedder != Embedder::None;
        let lacks_vectors = embeds && store.index().has_unembedded().unwrap_or(false);
        let lacks_hints = project.is_some_and(|project| !hints::file::is_there(store.state(), project));
        let has_files =
            |store: &mut Store| store.index().knowledge_stores().is_ok_and(|known| !known.is_empty());
        if lacks_vectors || lacks_hints && has_files(store) {
            // One that cannot be started is told about at the end of the turn, where it matters more.
            let _ = super::wake(self.context);
        }
    }
}

impl Recaller for Memory<'_> {
    fn wants(&self, root: Option<&Path>) -> Wants {
        let settings = self.settings(root).recall;
        Wants { start: settings.start, prompt: settings.prompt, tool: settings.tool, tokens: settings.tokens }
    }

    fn recall(&self, request: &Request<'_>) -> Result<Option<Served>, String> {
        self.answer(request).map_err(|error| error.to_string())
    }
}
