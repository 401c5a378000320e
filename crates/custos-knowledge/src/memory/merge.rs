//! Making one memory of several: all of it, or nothing.
//!
//! Whatever could go wrong is looked for before anything is written. The merged memory is written first, then the others are copied to the
//! archive, and only then they go: until the last moment every text is somewhere. Should the disk refuse in the middle, what was done is
//! taken back, in reverse; should the process die, whoever changes the store next does that ([`crate::whole`]). So a merge that nobody got an
//! answer to can be sent again.

use custos_config::shown::shown;
use custos_model::Kind;
use serde::Serialize;

use super::save::overlong;
use super::{DETAILS, Memory, SavedMemory, all, body, no_such_memory, place, positions, unreadable};
use crate::base::{Base, Stack, View};
use crate::decision::Placed;
use crate::keeping::{self, Became};
use crate::naming;
use crate::refusal::{Cause, Refusal};
use crate::shelf::{Item as _, Kept};
use crate::store::Writing;
use crate::text::{Document, Passage};
use crate::whole::{self, Step, Unmade};

/// What became of several memories that were made one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedMemories {
    /// The one that stays, with what whoever asked should know.
    pub into: SavedMemory,
    /// Those that were put away.
    pub archived: Vec<SavedMemory>,
}

impl Base {
    /// Makes one memory of several of a store. It keeps its own description and gets the texts of all others as details, unless other
    /// words are given.
    pub fn merge_memories(
        &self,
        view: &View,
        into: &str,
        from: &[String],
        description: Option<&str>,
        details: Option<&str>,
    ) -> Result<MergedMemories, Refusal> {
        let description = self.clean("description", description.unwrap_or_default())?;
        let details = self.clean("body", details.unwrap_or_default())?;
        let address = self.settled(view, "memory", into, |view, name| self.memories_called(view, name))?;
        let (stack, file) = self.locate_own(&view.own().store, &address)?;
        let writing = self.lock(&stack.store)?;
        // Another process may have been quicker than the lock; from here on nobody is.
        let items = all(stack).items;
        let into = items.iter().find(|kept| kept.file == file);
        let into = into.ok_or_else(|| no_such_memory(&address.view, address.name))?;
        let from = self.others(view, (stack, &items), into, from)?;

        let document = keeping::open(&writing, &into.file)?;
        let unmerged = document.to_text();
        let text = self.merged(document, &from, &description, &details);
        keeping::refuse_overlong(&into.file, &text)?;
        let item = Memory::read(&into.file, &text).map_err(|fault| keeping::broken(&stack.store, &fault))?;
        let reason = format!("merged into {}", item.slug);
        let (mut copies, mut removals, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for kept in &from {
            let document = keeping::open(&writing, &kept.file)?;
            let file = archived_name(&writing, &kept.file, &files)?;
            let before = Some(document.to_text());
            let after = Some(self.stamped(document, &reason, Some(&item.slug)));
            copies.push(Step { file: file.clone(), before: None, after });
            removals.push(Step { file: kept.file.clone(), before, after: None });
            files.push(file);
        }
        let renewed = Step { file: into.file.clone(), before: Some(unmerged), after: Some(text) };
        let steps: Vec<Step> = [renewed].into_iter().chain(copies).chain(removals).collect();
        whole::change(&writing, &steps).map_err(unmerged_because)?;
        drop(writing);

        let mut notes: Vec<String> = overlong(&item.description).into_iter().collect();
        notes.extend(self.record(Kind::KnowledgeUpdated, &stack.store, body(&item, &into.file)));
        let mut archived = Vec::new();
        for (kept, file) in from.iter().zip(files) {
            let note = self.record_archived(&kept.item, stack, &file, &reason, Some(&item.slug));
            let notes = note.into_iter().collect();
            archived.push(SavedMemory::new(&kept.item, &stack.store, &file, Became::Archived, notes));
        }
        let into = SavedMemory::new(&item, &stack.store, &into.file, Became::Updated, notes);
        Ok(MergedMemories { into, archived })
    }

    /// Finds the memories that are to go, or says everything that is wrong with them.
    fn others(
        &self,
        view: &View,
        (stack, items): (&Stack, &[Kept<Memory>]),
        into: &Kept<Memory>,
        names: &[String],
    ) -> Result<Vec<Kept<Memory>>, Refusal> {
        let (mut others, mut problems, mut settled_by) = (Vec::<Kept<Memory>>::new(), Vec::new(), Vec::new());
        let mut cause = Cause::Asked;
        for name in names {
            // A name without a store means the store of the memory that stays.
            let address = self.address(view, name);
            let is_elsewhere = address.is_told && address.view.own().store != stack.store;
            let mut found = if is_elsewhere { Vec::new() } else { positions(items.iter(), address.name) };
            if found.len() > 1 {
                let all: Vec<Placed<Memory>> =
                    found.iter().map(|at| place(stack, items[*at].clone())).collect();
                let several = naming::several(address.name, &all, &view.own().store);
                problems.push(several.problem);
                settled_by.push(several.next);
                continue;
            }
            // It may be the very one that is meant, whatever else has the name.
            if let Some(fault) = unreadable(stack, address.name).filter(|_| !is_elsewhere) {
                problems.push(keeping::broken(&stack.store, &fault).problem);
                cause = Cause::Broken;
                continue;
            }
            match found.pop().map(|at| &items[at]) {
                Some(kept) if kept.file == into.file => {
                    problems.push(format!("{} is the memory that stays", shown(name)));
                }
                Some(kept) if others.iter().any(|known| known.file == kept.file) => {
                    problems.push(format!("{} is named twice", shown(name)));
                }
                Some(kept) => others.push(kept.clone()),
                None => problems.push(match self.locate(&view.own().store, &address.view, address.name) {
                    Ok((elsewhere, _)) => {
                        format!(
                            "{} is in {}, and memories of two stores are not merged",
                            shown(name),
                            elsewhere.store.name
                        )
                    }
                    Err(refusal) => {
                        // A file that cannot be read is what has to be seen to first.
                        cause = if cause == Cause::Broken { cause } else { refusal.cause };
                        refusal.problem
                    }
                }),
            }
        }
        if names.is_empty() {
            problems.push("from is empty".to_owned());
        }
        if problems.is_empty() {
            return Ok(others);
        }
        if settled_by.is_empty() {
            settled_by.push("Nothing was changed. Send in from the slugs of the other memories of the same store; `memories` lists what there is".to_owned());
        }
        Err(Refusal::new(problems.join("; "), settled_by.join(". ")).because(cause))
    }

    /// Makes the text of the memory that stays.
    fn merged(
        &self,
        mut document: Document,
        from: &[Kept<Memory>],
        description: &str,
        details: &str,
    ) -> String {
        if !description.is_empty() {
            document.replace_lead(description);
        }
        if details.is_empty() {
            for Memory { title, description, body, sections, .. } in from.iter().map(|kept| &*kept.item) {
                let mut part = vec![format!("### {title}"), description.clone(), body.clone()];
                for Passage { heading, text } in sections {
                    part.extend([format!("#### {heading}"), text.clone()]);
                }
                part.retain(|text| !text.is_empty());
                document.append_to_section(DETAILS, &part.join("\n\n"));
            }
        } else {
            document.replace_section(DETAILS, details);
        }
        let mut keywords = document.front().list("keywords");
        keeping::unite(&mut keywords, from.iter().flat_map(|kept| kept.item.keywords.clone()));
        if !keywords.is_empty() {
            document.front_mut().set_list("keywords", &keywords);
        }
        document.front_mut().set_text("updated", &self.today());
        document.to_text()
    }
}

/// Finds a name in the archive for a memory; those that others of the merge get are `taken`.
fn archived_name(writing: &Writing<'_>, file: &str, taken: &[String]) -> Result<String, Refusal> {
    let directory = format!("archive/{}", file.rsplit_once('/').map_or("memory", |(directory, _)| directory));
    Ok(writing.free_name(&directory, keeping::stem(file), taken)?)
}

/// Says why nothing was merged, and how taking it back went.
fn unmerged_because(unmade: Unmade) -> Refusal {
    let (why, left) = match unmade {
        Unmade::Failed { why, left } => (why, left),
        Unmade::Waits { why } => {
            return Refusal::new(
                format!("{}: {why}", whole::FILE),
                format!(
                    "Nothing was merged. Mend what keeps it there, or remove {} once the memories are as they should be (`custos kb doctor` says what is wrong with it)",
                    whole::FILE
                ),
            );
        }
        Unmade::TooLarge { bytes } => {
            return Refusal::new(
                format!(
                    "a merge of these memories has to note {bytes} bytes before it begins, and at most {} can be taken back after a crash",
                    whole::LARGEST
                ),
                "Nothing was merged. Merge them in several calls, with fewer memories in from",
            );
        }
    };
    let state = if left.is_empty() {
        "Nothing was merged: what had begun was taken back".to_owned()
    } else {
        let files: Vec<String> = left.iter().map(|file| shown(file)).collect();
        format!("What had begun could not be taken back in {}: look at these files", files.join(", "))
    };
    let refusal = Refusal::from(why);
    Refusal { next: format!("{state}. {}", refusal.next), ..refusal }
}
