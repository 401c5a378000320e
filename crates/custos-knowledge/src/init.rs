//! The beginning of a knowledge base: what a scan found, what presets bring, and what waits for a person's word.
//!
//! It can begin any number of times. What is there stays as it is: a hand-written text, a decision that somebody rewrote, a memory that was put
//! away. Only what no level has yet is added, so that a second time changes no byte. [`Base::to_begin`] says beforehand what
//! [`Base::begin`] would write. The guard's rules of a preset are not written here: the guard has its own hand for them.

use std::sync::Arc;

use serde::Serialize;

use crate::base::{Base, Stack, View};
use crate::decision::{self, Enforce, NewDecision};
use crate::described::rescanned;
use crate::ignore;
use crate::keeping::{self, Became};
use crate::memory;
use crate::memory::save::NewMemory;
use crate::oracle::{self, Oracle, Scan};
use crate::preset::{Preset, PresetDecision, PresetMemory};
use crate::proposal::{Proposed, Staged};
use crate::refusal::Refusal;
use crate::store::Level;
use crate::text;

#[cfg(test)]
mod tests;

/// A file that is written, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Made {
    /// What it holds: `ignore`, `oracle`, `decision` or `memory`.
    pub item: &'static str,
    /// Its title, or its name.
    pub title: String,
    /// The file, below the store. A decision that is not there yet has no number, and so no file.
    pub file: Option<String>,
    /// What becomes of it.
    pub became: Became,
}

/// What a beginning came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Begun {
    /// The files.
    pub made: Vec<Made>,
    /// What waits for a person's word.
    pub proposals: Staged,
    /// How many files had to be left as they are, for what is wrong with them.
    pub left: usize,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

/// What is missing from a store.
struct Missing<'a> {
    ignore: Option<Became>,
    sections: Vec<(&'static str, Became)>,
    decisions: Vec<&'a PresetDecision>,
    memories: Vec<&'a PresetMemory>,
}

impl Base {
    /// Says whether nobody has written anything into the store yet that a preset could repeat or contradict.
    pub fn is_blank(&self, view: &View) -> bool {
        let stack = view.own();
        let is_empty = |directory: &str| stack.store.list(directory).is_empty();
        is_empty("decisions")
            && is_empty("archive/decisions")
            && memory::MemoryKind::ALL.iter().all(|kind| is_empty(kind.directory()))
            && !stack.store.path("policies/safety.yaml").exists()
    }

    /// Says what a beginning would write.
    pub fn to_begin(&self, view: &View, presets: &[Preset], scan: Option<&Scan>) -> Vec<Made> {
        let missing = self.missing(view, presets, scan.map(oracle::render).as_ref());
        let mut made = missing.plain_files();
        made.extend(missing.decisions.iter().map(|new| Made {
            item: "decision",
            title: new.title.clone(),
            file: None,
            became: Became::Created,
        }));
        made.extend(missing.memories.iter().map(|new| Made {
            item: "memory",
            title: new.title.clone(),
            file: Some(format!(
                "{}/{}.md",
                new.kind.directory(),
                text::slug(&new.title, memory::LONGEST_SLUG)
            )),
            became: Became::Created,
        }));
        made
    }

    /// Says what whoever begins here should know beforehand.
    pub fn note_before(&self, view: &View) -> Option<String> {
        self.awaited(view).map(|awaited| awaited.told())
    }

    /// Begins a knowledge base, or adds to one what it lacks.
    pub fn begin(&self, view: &View, presets: &[Preset], scan: Option<&Scan>) -> Result<Begun, Refusal> {
        let rendered = scan.map(oracle::render);
        let missing = self.missing(view, presets, rendered.as_ref());
        // Makes the directory, and keeps git from what is local, before there is anything in it.
        drop(self.lock(&view.own().store)?);
        // Who asks for a beginning need not be told of it.
        let _: Option<String> = self.note_beginning();
        let mut begun = Begun { made: missing.plain_files(), ..Begun::default() };
        if let Some(awaited) = self.awaited(view) {
            self.keep_free(view, &awaited)?;
            begun.notes.push(awaited.told());
        }
        if let Some(rendered) = &rendered {
            let saved = self.save_scan(view, rendered)?;
            begun.left = saved.left.len();
            let store = &view.own().store;
            begun.notes.extend(saved.left.iter().map(|fault| keeping::broken(store, fault).to_string()));
            begun.notes.extend(saved.notes);
        }
        for new in missing.decisions {
            let saved = self.save_decision(&new_decision(new), view)?;
            for saved in saved.into_iter().filter(|saved| saved.created) {
                begun.made.push(Made {
                    item: "decision",
                    title: saved.title,
                    file: Some(saved.file),
                    became: Became::Created,
                });
                begun.notes.extend(saved.notes);
            }
        }
        for new in missing.memories {
            for saved in self.save_memory(&new_memory(new), view)? {
                begun.made.push(Made {
                    item: "memory",
                    title: saved.title,
                    file: Some(saved.file),
                    became: saved.became,
                });
                begun.notes.extend(saved.notes);
            }
        }
        if let Some(scan) = scan {
            begun.proposals = self.propose_of(view, scan)?;
        }
        begun.notes.dedup();
        Ok(begun)
    }

    /// Stages the decisions that a scan proves, and takes back those that an earlier one proved and this one does not.
    pub fn propose_of(&self, view: &View, scan: &Scan) -> Result<Staged, Refusal> {
        let proposed: Vec<Proposed> = scan.proposals.iter().map(Proposed::from).collect();
        let place = Self::place_alone(view);
        // What was not looked at is not disproved: a scan that was cut short, a manifest that is broken just now.
        if scan.cut_short.is_none() {
            self.withdraw(&place, |waiting| {
                proposed.iter().any(|one| {
                    let title = self.clean_title(&one.title).map(|cleaned| cleaned.title);
                    text::equivalent(title.as_ref().unwrap_or(&one.title), &waiting.title)
                }) || scan.unread.iter().any(|unread| waiting.evidence.starts_with(&unread.file))
            })?;
        }
        self.propose(&place, &proposed)
    }

    /// A view of a place without what is around it: what a scan proves is about the place that was scanned, and waits there.
    fn place_alone(view: &View) -> View {
        let own = view.own();
        let is_own = |stack: &&Arc<Stack>| stack.store == own.store || stack.store.level == Level::User;
        View { root: view.root.clone(), stacks: view.stacks.iter().filter(is_own).cloned().collect() }
    }

    fn missing<'a>(&self, view: &View, presets: &'a [Preset], rendered: Option<&Oracle>) -> Missing<'a> {
        let known: Vec<String> =
            self.decisions(view, true).into_iter().map(|placed| placed.kept.item.title.clone()).collect();
        let memories = self.memories(view, None);
        let is_known_memory = |title: &str| {
            let slug = text::slug(title, memory::LONGEST_SLUG);
            memories.iter().any(|placed| text::equivalent(&placed.kept.item.title, title))
                || self.find_memory(view, &slug).is_some()
                || is_broken(view, &slug)
        };
        let is_known_decision = |title: &str| {
            known.iter().any(|known| text::equivalent(known, title))
                || is_broken(view, &text::slug(title, decision::LONGEST_SLUG))
        };
        let decisions = presets.iter().flat_map(|preset| &preset.decisions);
        let new = presets.iter().flat_map(|preset| &preset.memories);
        Missing {
            ignore: view.own().store.unhidden().map(|(_, is_there)| became(is_there)),
            sections: rendered.map(|rendered| to_be_changed(view, rendered)).unwrap_or_default(),
            decisions: decisions.filter(|new| !is_known_decision(&new.title)).collect(),
            memories: new.filter(|new| !is_known_memory(&new.title)).collect(),
        }
    }
}

impl Missing<'_> {
    /// The files that are no items.
    fn plain_files(&self) -> Vec<Made> {
        let ignore = self.ignore.map(|became| Made {
            item: "ignore",
            title: "what stays on this machine".to_owned(),
            file: Some(ignore::FILE.to_owned()),
            became,
        });
        let sections = self.sections.iter().map(|(section, became)| Made {
            item: "oracle",
            title: (*section).to_owned(),
            file: Some(format!("oracle/{section}.md")),
            became: *became,
        });
        ignore.into_iter().chain(sections).collect()
    }
}

/// Says whether a file of the view that cannot be read has this slug. It may be the very item, and nobody can tell.
fn is_broken(view: &View, slug: &str) -> bool {
    view.stacks.iter().any(|stack| {
        let mut faults = stack.decisions.contents(&stack.store).faults;
        for shelf in &stack.memories {
            faults.extend(shelf.contents(&stack.store).faults);
        }
        faults.iter().any(|fault| {
            let stem = keeping::stem(&fault.file);
            stem == slug || decision::split_name(stem).1 == slug
        })
    })
}

/// The sections that a scan would change. A file that cannot be read is left as it is.
fn to_be_changed(view: &View, rendered: &Oracle) -> Vec<(&'static str, Became)> {
    let (changed, _) = rescanned(&view.own().store, rendered);
    changed.iter().map(|rescan| (rescan.section, became(rescan.old.is_some()))).collect()
}

/// What becomes of a file that is written.
fn became(is_there: bool) -> Became {
    if is_there { Became::Updated } else { Became::Created }
}

fn new_decision(new: &PresetDecision) -> NewDecision {
    NewDecision {
        title: new.title.clone(),
        decision: new.decision.clone(),
        reasoning: new.reasoning.clone(),
        enforce: Some(if new.required { Enforce::Required } else { Enforce::Advisory }),
        source: "preset",
        ..NewDecision::default()
    }
}

fn new_memory(new: &PresetMemory) -> NewMemory {
    NewMemory {
        kind: new.kind,
        title: new.title.clone(),
        description: new.description.clone(),
        body: String::new(),
        keywords: new.keywords.clone(),
        scope: Vec::new(),
        source: "preset",
        supersedes: Vec::new(),
    }
}
