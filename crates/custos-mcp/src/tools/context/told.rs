//! What was told before of a workspace, so that its repos do not repeat it.
//!
//! Between two questions others may write: another window saves a decision, a checkout brings rules. So of each part is remembered of what state
//! it was, and one that changed is told again.

use std::hash::{DefaultHasher, Hash, Hasher};

use custos_knowledge::{Refusal, View};

use super::{Unvouched, handoff, last_entry, plans_in_short, required};
use crate::desk::Desk;
use crate::tools::safety;

/// A part of the context that a workspace shares with its repos.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Handoff,
    Plans,
    Worklog,
    Safety,
    Decisions,
    Questions,
    Backlog,
}

const PARTS: [Part; 7] = [
    Part::Handoff,
    Part::Plans,
    Part::Worklog,
    Part::Safety,
    Part::Decisions,
    Part::Questions,
    Part::Backlog,
];

/// What whoever asks for the context of a repo knows of the workspace around it.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The workspace, if it was told.
    around: Option<View>,
    /// Its parts that are as they were told.
    same: Vec<Part>,
}

impl Told {
    /// Finds out what was told before of the workspace around a view, and remembers what will be now.
    ///
    /// Asked for by itself, a root is shown whole every time: the client may have forgotten what it got.
    pub(super) fn before(desk: &Desk, view: &View) -> Result<Self, Refusal> {
        let session = desk.base.session_store(view).root.clone();
        let is_part = session != view.root.path;
        if !is_part && !view.root.is_workspace() {
            return Ok(Self::default());
        }
        let workspace = desk.base.view(None)?;
        let around = if is_part { &workspace } else { view };
        let states: Vec<u64> = PARTS.iter().map(|part| part.state(desk, around)).collect();
        let Some(before) = desk.was_told(session, states.clone()).filter(|_| is_part) else {
            return Ok(Self::default());
        };
        let same = PARTS.into_iter().zip(states.iter().zip(&before));
        let same = same.filter(|(_, (now, then))| now == then).map(|(part, _)| part).collect();
        Ok(Self { around: Some(workspace), same })
    }

    /// Says whether a part was told, and is not repeated.
    pub(super) fn was(&self, part: Part) -> bool {
        self.of(part).is_some()
    }

    /// The workspace, if this part of it was told.
    pub(super) fn of(&self, part: Part) -> Option<&View> {
        self.around.as_ref().filter(|_| self.same.contains(&part))
    }

    /// Says that something is left out.
    pub(super) fn words(&self) -> &'static str {
        match &self.around {
            None => "",
            Some(_) if self.same.len() == PARTS.len() => {
                "\nWhat holds for the whole workspace was told before; `context` without project_path tells it again."
            }
            Some(_) => {
                "\nWhat holds for the whole workspace was told before, but for what changed since; `context` without project_path tells all of it again."
            }
        }
    }
}

impl Part {
    /// A number that changes with what is told of the part.
    fn state(self, desk: &Desk, around: &View) -> u64 {
        let mut hasher = DefaultHasher::new();
        match self {
            Self::Handoff => handoff(desk, around).hash(&mut hasher),
            Self::Plans => plans_in_short(desk, around).hash(&mut hasher),
            Self::Worklog => last_entry(desk, around).hash(&mut hasher),
            Self::Safety => safety::summary(desk, around, None).hash(&mut hasher),
            Self::Decisions => {
                let unvouched = Unvouched::of(&desk.base, around);
                required(&desk.base.decisions(around, false), &unvouched).hash(&mut hasher);
            }
            // What the repos have of these is counted there.
            Self::Questions => {
                for question in desk.base.questions(around).questions {
                    (question.id, question.status.word(), question.title).hash(&mut hasher);
                }
            }
            Self::Backlog => {
                for placed in desk.base.tasks(around, None) {
                    let task = &placed.kept.item;
                    (&task.id, task.status.word(), &task.title).hash(&mut hasher);
                }
            }
        }
        hasher.finish()
    }
}
