//! What is wrong with items only because others are there: ids and slugs that two of them have, copies, references that lead nowhere.
//!
//! Two branches give out the same id, and git merges both files without a word. The older one keeps the id, for that is the one that others
//! may have written down; the other gets one that was never given out. Who is meant by references within the store, nobody can tell, so they
//! stay as they are and are shown.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;

use custos_config::shown::shown;

use super::paper::{Drawer, Paper, Sort};
use super::trouble::{Remedy, Trouble};
use crate::store::Store;
use crate::text;

/// Finds what is wrong with the items of one sort, taken together.
pub(super) fn look(store: &Store, drawer: &Drawer) -> Vec<Trouble> {
    let doubles = doubles(store, drawer);
    let (double, single): (Vec<&Paper>, Vec<&Paper>) =
        drawer.active.iter().partition(|paper| doubles.contains(paper.file.as_str()));
    let mut found: Vec<Trouble> = double.into_iter().map(still_here).collect();
    match drawer.sort {
        Sort::Decision | Sort::Task => found.extend(twin_ids(drawer, &single)),
        Sort::Memory => found.extend(twin_slugs(drawer, &single)),
    }
    if drawer.sort == Sort::Decision {
        found.extend(dangling(drawer));
    }
    found
}

/// Finds the files that a crash left among the others after they were archived: the copy in the archive says the same, and came later.
///
/// What came after its copy was taken back from the archive, or said again.
fn doubles<'a>(store: &Store, drawer: &'a Drawer) -> HashSet<&'a str> {
    let came =
        |file: &str| fs::symlink_metadata(store.path(file)).and_then(|metadata| metadata.modified()).ok();
    let mut archived: HashMap<(Option<u32>, &str), Vec<&Paper>> = HashMap::new();
    for past in &drawer.past {
        archived.entry((past.number, &past.slug)).or_default().push(past);
    }
    let is_double = |paper: &&Paper| {
        let copies = archived.get(&(paper.number, paper.slug.as_str())).into_iter().flatten();
        copies
            .filter(|past| past.essence() == paper.essence())
            .any(|past| came(&paper.file).zip(came(&past.file)).is_some_and(|(active, past)| active < past))
    };
    drawer.active.iter().filter(is_double).map(|paper| paper.file.as_str()).collect()
}

fn still_here(paper: &Paper) -> Trouble {
    let next = if paper.is_guarded() {
        "It carries a guard: only the person removes it, or the copy in the archive"
    } else {
        "The repair removes it here; the archive has it"
    };
    let remedy = (!paper.is_guarded()).then(|| Remedy::RemoveCopy { was: paper.text.clone() });
    Trouble { is_copy: true, remedy, ..paper.trouble(0, "was archived, and is still here", next) }
}

fn twin_ids(drawer: &Drawer, papers: &[&Paper]) -> Vec<Trouble> {
    let mut groups: BTreeMap<u32, (Vec<&Paper>, Vec<&Paper>)> = BTreeMap::new();
    for paper in papers {
        paper.number.into_iter().for_each(|number| groups.entry(number).or_default().0.push(paper));
    }
    for past in &drawer.past {
        past.number.into_iter().for_each(|number| groups.entry(number).or_default().1.push(past));
    }
    let mut given = 0;
    let mut found = Vec::new();
    for (number, (mut group, archived)) in groups {
        group.sort_by_cached_key(|paper| paper.seniority());
        // What is archived keeps its id: nothing in the archive is ever changed.
        let mut keeper = archived.first().copied();
        let mut told = false;
        for paper in group {
            let same = archived.iter().find(|past| text::equivalent(&past.title, &paper.title));
            if let Some(past) = same {
                let what = format!("is in the archive as well, as {}", shown(&past.file));
                found.push(paper.trouble(0, what, "Remove the one that is wrong"));
                continue;
            }
            let Some(keeper) = keeper else {
                keeper = Some(paper);
                continue;
            };
            if keeper.text == paper.text {
                found.push(copy(paper, keeper));
                continue;
            }
            let mut trouble = renumbered(drawer, paper, keeper, number, given);
            given += u32::from(trouble.remedy.is_some());
            if !told {
                trouble.beside = ambiguous(drawer, number);
                told = true;
            }
            found.push(trouble);
        }
    }
    found
}

fn copy(paper: &Paper, of: &Paper) -> Trouble {
    let what = format!("is a copy of {}, to the last byte", shown(&of.file));
    let remedy = Some(Remedy::RemoveCopy { was: paper.text.clone() });
    Trouble { is_copy: true, remedy, ..paper.trouble(0, what, "The repair removes it") }
}

/// Gives a twin the next free id.
fn renumbered(drawer: &Drawer, paper: &Paper, other: &Paper, number: u32, given: u32) -> Trouble {
    let id = drawer.sort.id(number);
    let line = paper.document.front().line_of("id").unwrap_or(0);
    let what = format!("has the id {id}, and so has {}", shown(&other.file));
    let Some(next) = drawer.next_number(given) else {
        return paper.trouble(line, what, "There is no higher id left: give it a free one by hand");
    };
    let mut document = paper.document.clone();
    document.front_mut().set_text("id", &drawer.sort.id(next));
    let to = Some(paper.place_under(Some(next), &paper.slug));
    let remedy = Remedy::Change { was: paper.text.clone(), text: document.to_text(), to };
    let told =
        "The repair gives this one, the newer, the next free id; references to it are left as they are";
    paper.trouble(line, what, told).mended_by(remedy)
}

/// The references to an id that two items have.
fn ambiguous(drawer: &Drawer, number: u32) -> Vec<Trouble> {
    let id = drawer.sort.id(number);
    let references = drawer.references().into_iter();
    let named = references.filter(|(_, reference)| drawer.sort.number(&reference.name) == Some(number));
    named
        .map(|(file, reference)| {
            let what = format!("names {id} in `{}`, and two files had that id", reference.key);
            let next = "See which one is meant; only one of them keeps it";
            Trouble::new(drawer.sort.word(), file, reference.line, what, next)
        })
        .collect()
}

/// Gives a memory another slug if an older one has it. Both stay, and whether they say the same is for others to judge.
fn twin_slugs(drawer: &Drawer, papers: &[&Paper]) -> Vec<Trouble> {
    let mut by_slug: BTreeMap<&str, Vec<&Paper>> = BTreeMap::new();
    for paper in papers {
        by_slug.entry(&paper.slug).or_default().push(paper);
    }
    let mut taken = None;
    let mut found = Vec::new();
    for (slug, mut group) in by_slug {
        group.sort_by_cached_key(|paper| paper.seniority());
        let Some((eldest, others)) = group.split_first() else { continue };
        for paper in others {
            if paper.text == eldest.text {
                found.push(copy(paper, eldest));
                continue;
            }
            let free =
                free_slug(slug, drawer.sort.longest_slug(), taken.get_or_insert_with(|| drawer.slugs()));
            let mut document = paper.document.clone();
            document.front_mut().set_text("slug", &free);
            let to = Some(paper.place_under(None, &free));
            let remedy = Remedy::Change { was: paper.text.clone(), text: document.to_text(), to };
            let line = paper.document.front().line_of("slug").unwrap_or(0);
            let what = format!("has the slug {slug}, and so has {}", shown(&eldest.file));
            let next = "The repair gives this one, the newer, another slug; merge_memories makes one of two";
            found.push(paper.trouble(line, what, next).mended_by(remedy));
        }
    }
    found
}

/// Finds a slug that nobody has or had, and takes it.
fn free_slug(slug: &str, longest: usize, taken: &mut HashSet<String>) -> String {
    let mut free = slug.to_owned();
    for count in 2.. {
        let suffix = format!("-{count}");
        let stem = slug.get(..longest - suffix.len()).unwrap_or(slug);
        free = format!("{}{suffix}", stem.trim_end_matches('-'));
        if taken.insert(free.clone()) {
            break;
        }
    }
    free
}

/// References to decisions that are not there. Where they should lead, only a person knows.
fn dangling(drawer: &Drawer) -> Vec<Trouble> {
    let of_cards = drawer.cards.iter().map(|card| card.item.slug.as_str());
    let papers = drawer.active.iter().chain(&drawer.past);
    let slugs: HashSet<&str> = of_cards.chain(papers.map(|paper| paper.slug.as_str())).collect();
    let is_known = |name: &str| match drawer.sort.number(&name.to_ascii_uppercase()) {
        Some(number) => drawer.numbers.contains(&number),
        None => slugs.contains(name),
    };
    let references = drawer.references().into_iter();
    let lost = references.filter(|(_, reference)| !is_known(reference.name.trim()));
    lost.map(|(file, reference)| {
        let named = shown(&reference.name);
        let what = format!("names {named} in `{}`, and there is no such decision here", reference.key);
        let next = "Correct the id, or take it out";
        Trouble::new(drawer.sort.word(), file, reference.line, what, next)
    })
    .collect()
}
