//! Hints for hooks, made anew where they are missing.
//!
//! Whoever changes what a hint could say takes the project's file away: this worker when it has learnt something there, a command that
//! corrects or forgets. So a file that is there is right, and one that is missing is made when nothing else waits. What other machines
//! have learnt, replaced or forgotten comes in with their logs; when one of these has changed, all files are made anew.

use std::io;
use std::path::Path;

use custos_config::replace::Draft as Replacement;
use custos_model::{Draft, Kind};
use custos_recall::Policy;
use custos_recall::hints::{self, file};

use crate::error::WorkerError;
use crate::run::Worker;

/// The file that says how far the logs of other machines had come when the hints were made.
const OTHERS: &str = "others";

impl Worker<'_> {
    /// Takes the hints away of projects in which something is about to be learnt.
    pub(crate) fn drop_hints(&self, drafts: &[Draft]) {
        let learnt = drafts.iter().filter(|draft| draft.kind == Kind::ObservationRecorded);
        for project in learnt.filter_map(|draft| draft.project.as_deref()) {
            self.note_trouble(hints::discard(self.state(), project));
        }
    }

    /// Makes the hints that are missing. What goes wrong costs a hint, and never work.
    pub(crate) fn renew_hints(&mut self) -> Result<(), WorkerError> {
        let state = self.state().to_owned();
        let others = self.others()?;
        let seen = state.join("hints").join(OTHERS);
        if std::fs::read_to_string(&seen).unwrap_or_default() != others {
            self.note_trouble(hints::discard_all(&state));
            self.note_trouble(
                Replacement::begin(&seen).and_then(|draft| draft.publish_disposable(others.as_bytes())),
            );
        }
        for project in self.index.projects()? {
            if self.around.stop.is_asked() {
                break;
            }
            if !file::is_there(&state, &project) {
                self.make_hints(&state, &project)?;
            }
        }
        Ok(())
    }

    fn make_hints(&mut self, state: &Path, project: &str) -> Result<(), WorkerError> {
        let now = self.around.time.now();
        let mut made = match hints::build(&mut self.index, &self.reader, project, now, &Policy::DEFAULT.hints)
        {
            Ok(made) => made,
            Err(error) => {
                self.note(&format!("no hints for {project}: {error}"));
                return Ok(());
            }
        };
        self.note_trouble(file::write(state, project, &mut made));
        // What was forgotten or replaced meanwhile may have been read before that and written after. Whoever did so takes the file away
        // after the log has it: so either we read of it here, or the file is written by now and is taken away.
        self.catch_up_soon()?;
        for hint in &made {
            if self.index.get(hint.id)?.is_none_or(|entry| entry.superseded) {
                self.note_trouble(hints::discard(state, project));
                break;
            }
        }
        Ok(())
    }

    /// Tells how far the logs of other machines have come.
    fn others(&self) -> Result<String, WorkerError> {
        let own = self.around.log.writer();
        let mut told = String::new();
        for writer in self.reader.writers()?.iter().filter(|writer| **writer != own) {
            if let Some(last) = self.reader.segments(writer)?.last() {
                told.push_str(&format!("{writer} {last} {}\n", self.reader.segment_len(writer, *last)?));
            }
        }
        Ok(told)
    }

    fn state(&self) -> &Path {
        &self.around.log.places().state
    }

    fn note_trouble(&self, result: io::Result<()>) {
        if let Err(error) = result {
            self.note(&format!("hints cannot be kept: {error}"));
        }
    }
}
