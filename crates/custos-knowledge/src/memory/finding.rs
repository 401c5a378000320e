//! Which memory a name means.
//!
//! A memory is called by its slug or its title. Where a merge of two branches gave one slug to two, feedback and pattern, the slug means neither
//! of them alone: both are shown, none is changed by it, and each is called by its file, as in `feedback/slug`.

use std::sync::Arc;

use custos_config::shown::shown;

use super::{LONGEST_SLUG, Memory, MemoryKind, all, place};
use crate::base::{Base, Stack, View};
use crate::decision::Placed;
use crate::keeping;
use crate::naming::{self, Address, Namesake, Unread, address_of};
use crate::refusal::Refusal;
use crate::shelf::{Fault, Item as _, Kept};
use crate::store::Store;
use crate::text::{self, Wording};

impl Base {
    /// Finds a memory by its slug, its title or its file; one that was put away only by its slug, and only if there is no other. Of several,
    /// the first.
    pub fn find_memory(&self, view: &View, name: &str) -> Option<Placed<Memory>> {
        self.find_memories(view, name).into_iter().next()
    }

    /// Finds all memories that a name means, at the nearest level that has any. A merge of two branches may have given one slug to two.
    pub fn find_memories(&self, view: &View, name: &str) -> Vec<Placed<Memory>> {
        let Address { view, name, .. } = self.address(view, name);
        let mut memories = self.memories(&view, None);
        let meant = positions(memories.iter().map(|placed| &placed.kept), name);
        let Some(nearest) = meant.first().map(|at| memories[*at].store.clone()) else {
            return archived(&view, name).into_iter().collect();
        };
        let mut at = 0;
        memories.retain(|placed| {
            at += 1;
            meant.contains(&(at - 1)) && placed.store == nearest
        });
        memories
    }

    /// Finds a memory that was put away, in the store that its name says, or else in the project's own. Nothing where the name means or could
    /// mean one that is still there.
    pub fn archived_memory(&self, view: &View, name: &str) -> Option<Placed<Memory>> {
        if !self.memories_beside(view, name).is_empty() {
            return None;
        }
        let Address { mut view, name, .. } = self.address(view, name);
        view.stacks.truncate(1);
        let is_past = |placed: &Placed<Memory>| placed.kept.item.archived.is_some();
        self.find_memory(&view, name).filter(is_past).filter(|_| unreadable(view.own(), name).is_none())
    }

    /// Finds the memories of the repos of a workspace that a name could mean as well.
    pub fn memories_beside(&self, view: &View, name: &str) -> Vec<Namesake> {
        self.namesakes_beside(view, name, |view, name| self.memories_called(view, name))
    }

    pub(super) fn memories_called(&self, view: &View, name: &str) -> Vec<Namesake> {
        let mut found = self.find_memories(view, name);
        found.retain(|placed| placed.kept.item.archived.is_none());
        naming::namesakes(&found)
    }

    /// Finds a memory that is to be changed. One of another level has to be named with it, for it is not the project's alone.
    pub(super) fn locate_own<'a>(
        &self,
        asked_from: &Store,
        address: &'a Address<'_>,
    ) -> Result<(&'a Stack, String), Refusal> {
        let (stack, file) = self.locate(asked_from, &address.view, address.name)?;
        let own = address.view.own();
        if let Some(fault) = unreadable(own, address.name) {
            // It may be the very one that is meant, whatever else has the name.
            return Err(keeping::broken(&own.store, &fault));
        }
        if stack.store == own.store {
            return Ok((stack, file));
        }
        let found = self.memories_called(&address.view, address.name);
        Err(match found.first() {
            Some(elsewhere) => elsewhere.is_elsewhere("memory", "slug", address.name),
            None => no_such_memory(&address.view, address.name),
        })
    }

    /// Finds the store and the file of a memory that is not in the archive. A name that means several is refused.
    pub(super) fn locate<'a>(
        &self,
        asked_from: &Store,
        view: &'a View,
        name: &str,
    ) -> Result<(&'a Stack, String), Refusal> {
        let mut found = self.find_memories(view, name);
        found.retain(|placed| placed.kept.item.archived.is_none());
        if found.len() > 1 {
            return Err(naming::several(name, &found, asked_from));
        }
        let stack_of = |placed: Placed<Memory>| {
            let stack = view.stacks.iter().find(|stack| stack.store == placed.store)?;
            Some((&**stack, placed.kept.file.clone()))
        };
        found.pop().and_then(stack_of).ok_or_else(|| no_such_memory(view, name))
    }

    /// Finds the file of a memory that a name means and that cannot be read.
    pub fn unread_memory(&self, view: &View, name: &str) -> Option<Unread> {
        self.unread_in(view, name, unreadable)
    }

    /// Finds the memory that takes another's place; it may be at another level.
    pub(super) fn successor_of(
        &self,
        kept: &Kept<Memory>,
        stack: &Stack,
        view: &View,
        successor: &str,
    ) -> Result<String, Refusal> {
        let is_another = |other: &Placed<Memory>| {
            let is_itself = other.store == stack.store && other.kept.file == kept.file;
            other.kept.item.archived.is_none() && !is_itself
        };
        let mut others = self.find_memories(view, successor).into_iter();
        others
            .find(is_another)
            .map(|other| {
                let slug = &other.kept.item.slug;
                if other.store == stack.store { slug.clone() } else { address_of(&other.store, slug) }
            })
            .ok_or_else(|| {
                Refusal::missing(
                    format!("there is no other memory {}", shown(successor)),
                    "Save the successor first (save_memory), then archive this one; `memories` lists what there is",
                )
            })
    }
}

/// Says which of some memories share a slug with another of their store, if any do.
pub fn twins(found: &[Placed<Memory>]) -> Option<String> {
    naming::twins_noted(found)
}

/// What a memory is called by its file: `feedback/slug`.
pub fn by_file(file: &str) -> &str {
    let file = file.strip_prefix("memory/").unwrap_or(file);
    file.strip_suffix(".md").unwrap_or(file)
}

/// A way in which a name may mean a memory.
type Way<'a> = &'a dyn Fn(&Kept<Memory>) -> bool;

/// Finds the memories that a name means: by its file, a slug, a title word for word, or an equivalent one. The first of these ways that leads
/// anywhere counts.
pub(super) fn positions<'a>(items: impl Iterator<Item = &'a Kept<Memory>>, name: &str) -> Vec<usize> {
    let name = text::as_title(name.trim());
    let name = name.as_ref();
    let items: Vec<&Kept<Memory>> = items.collect();
    let those = |is_meant: Way<'_>| -> Vec<usize> {
        let meant = items.iter().enumerate().filter(|(_, kept)| is_meant(kept));
        meant.map(|(at, _)| at).collect()
    };
    let ways: [Way<'_>; 4] = [
        &|kept| name.contains('/') && by_file(&kept.file).eq_ignore_ascii_case(by_file(name)),
        &|kept| kept.item.slug == name,
        // Two titles that only a stroke or a dot tells apart share the words of a slug.
        &|kept| kept.item.title == name,
        &|kept| kept.item.slug.eq_ignore_ascii_case(name),
    ];
    let found = ways.into_iter().map(those).find(|found| !found.is_empty());
    found.unwrap_or_else(|| {
        let wanted = Wording::of(name);
        those(&|kept| kept.wording().is_equivalent(&wanted))
    })
}

/// Finds a memory that was put away, at the nearest level. Of several that had the same slug it is the one that was put away last.
fn archived(view: &View, slug: &str) -> Option<Placed<Memory>> {
    // What comes from outside becomes part of a path here.
    if !text::is_slug(slug, LONGEST_SLUG) {
        return None;
    }
    view.stacks.iter().find_map(|stack| {
        let found = MemoryKind::ALL.into_iter().flat_map(|kind| archived_in(&stack.store, kind, slug));
        let time =
            |(_, kept): &(usize, Kept<Memory>)| kept.item.archived.as_ref().map(|put| put.time.clone());
        // In one second the one with the higher number came later.
        let last = found.max_by_key(|found| (time(found), found.0));
        last.map(|(_, kept)| place(stack, kept))
    })
}

/// Finds the memories with a slug in the archive, each with the number behind its name: `slug.md` is the first, then comes `slug-2.md`.
fn archived_in(store: &Store, kind: MemoryKind, slug: &str) -> Vec<(usize, Kept<Memory>)> {
    let directory = format!("archive/{}", kind.directory());
    let read = |name: String| {
        let count = match keeping::stem(&name).strip_prefix(slug)? {
            "" => 1,
            rest => rest.strip_prefix('-')?.parse::<usize>().ok()?,
        };
        let file = format!("{directory}/{name}");
        let item = Memory::read(&file, &store.read(&file).ok()??).ok()?;
        // What is called `slug-2` itself is another.
        (count == 1 || item.slug == slug).then(|| (count, Kept::new(file, item)))
    };
    store.list(&directory).into_iter().filter_map(read).collect()
}

/// Reads a memory again that was found before the store was locked.
pub(super) fn still_there(stack: &Stack, file: &str) -> Option<Kept<Memory>> {
    all(stack).items.into_iter().find(|kept| kept.file == file)
}

/// Says that there is no such memory, or that its file cannot be read.
pub(super) fn no_such_memory(view: &View, name: &str) -> Refusal {
    let unread =
        |stack: &Arc<Stack>| unreadable(stack, name).map(|fault| keeping::broken(&stack.store, &fault));
    view.stacks.iter().find_map(unread).unwrap_or_else(|| {
        Refusal::missing(format!("there is no memory {}", shown(name)), "`memories` lists what there is")
    })
}

/// Finds a file that has the name of a memory and cannot be read. It may be the very one.
pub(super) fn unreadable(stack: &Stack, name: &str) -> Option<Fault> {
    let name = name.trim();
    // By its title, which nobody can read, it is called as well.
    let slug = text::slug(name, LONGEST_SLUG);
    let is_meant = |fault: &Fault| {
        if name.contains('/') {
            return by_file(&fault.file).eq_ignore_ascii_case(by_file(name));
        }
        let stem = keeping::stem(&fault.file);
        stem.eq_ignore_ascii_case(name) || stem == slug
    };
    all(stack).faults.into_iter().find(is_meant)
}
