//! The open memory: the index, the log behind it, and the vectors beside it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use custos_config::Names;
use custos_embed::Embedder;
use custos_index::{Budget, CatchUp, Index, IndexError, User};
use custos_knowledge::Base;
use custos_log::LogReader;
use custos_vectors::Vectors;

use crate::error::RecallError;
use crate::knowledge::AtHand;
use crate::knowledge::watch::Watch;
use crate::policy::Policy;

/// Where a memory is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// What is derived: the index and the vectors.
    pub state: PathBuf,
    /// The log.
    pub log: PathBuf,
}

/// A memory that can be asked.
pub struct Store {
    pub(crate) index: Index,
    pub(crate) log: LogReader,
    pub(crate) policy: Policy,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    /// Whether the last catch-up left something unread.
    pub(crate) is_behind: bool,
    /// How many files of the knowledge base have changed and were not read by the last refresh.
    pub(crate) unread_files: usize,
    /// Where the memory is asked from.
    pub(crate) at_hand: AtHand,
    /// The vectors as the last question found them; none before the first one.
    pub(crate) vectors: Option<Vectors>,
    /// What was seen of the files of each store, by its directory.
    pub(crate) watches: BTreeMap<PathBuf, Watch>,
    state: PathBuf,
}

impl Store {
    /// Opens a memory. Nothing is read yet: catch up first where the newest matters.
    ///
    /// Without an embedder, or while it does not answer, words alone decide.
    pub fn open(
        places: &Places,
        user: User,
        embedder: Option<Arc<dyn Embedder>>,
        policy: Policy,
    ) -> Result<Self, RecallError> {
        Ok(Self {
            index: Index::open(&places.state, user)?,
            log: LogReader::new(&places.log).calling(Names::of(&places.state).renamed()),
            policy,
            embedder,
            is_behind: false,
            unread_files: 0,
            at_hand: AtHand::default(),
            vectors: None,
            watches: BTreeMap::new(),
            state: places.state.clone(),
        })
    }

    /// Reads what the log has gained, within a budget; without one, all of it.
    ///
    /// What stays unread is told by the notes of every answer until a later catch-up has read it.
    pub fn catch_up(&mut self, budget: Option<Budget<'_>>) -> Result<CatchUp, RecallError> {
        let result = self.index.catch_up(&self.log, budget, &mut |_| {});
        self.is_behind = !matches!(result, Ok(CatchUp { complete: true, .. }));
        Ok(result?)
    }

    /// Reads what the log and the files of the knowledge base have gained, each within a budget, for whoever would rather have an older
    /// answer than none: that another process is working on the index is no error but a note of every answer.
    pub fn keep_up(&mut self, base: &Base, log: Budget<'_>, files: Budget<'_>) -> Result<(), RecallError> {
        let read = match self.catch_up(Some(log)) {
            Ok(_) => self.refresh_knowledge(base, Some(files)),
            Err(error) => {
                self.ask_from(base);
                Err(error)
            }
        };
        match read {
            Err(RecallError::Index(IndexError::Busy)) => self.is_behind = true,
            read => drop(read?),
        }
        Ok(())
    }

    /// Lists the files that a session is working on: what concerns them ranks higher.
    pub fn at_hand(&mut self, project: &str, session: Option<&str>) -> Result<Vec<String>, RecallError> {
        let Some(session) = session else { return Ok(Vec::new()) };
        Ok(self.index.files_at_hand(project, session, self.policy.reach.files_at_hand)?)
    }

    /// Gives the index, for what is no question: lists, counts, the queue.
    pub fn index(&mut self) -> &mut Index {
        &mut self.index
    }

    /// Gives the log.
    pub fn log(&self) -> &LogReader {
        &self.log
    }

    /// Gives the numbers that decide.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Gives the state directory.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Opens the vectors of the embedder that is in use, or brings them up to date: the worker adds to them all the time.
    ///
    /// Where they cannot be opened there are none, and words are left.
    pub(crate) fn renew_vectors(&mut self) {
        let Some(embedder) = &self.embedder else { return };
        let is_current = self.vectors.as_mut().is_some_and(|vectors| vectors.renew().is_ok());
        if !is_current {
            self.vectors = Vectors::open(&self.state, embedder.id(), embedder.dims()).ok();
        }
    }
}
