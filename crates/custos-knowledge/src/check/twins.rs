//! What is wrong with items only because others are there: ids and slugs that two of them have, copies, references that lead nowhere.
//!
//! Two branches give out the same id, and git merges both files without a word. The older one keeps the id, for that is the one that others
//! may have written down; the other gets one that was never given out. Dates are days, and of two that are of one day nobody can tell which is
//! older: a clone keeps no times of files. Then the first by name keeps it, so that it is the same one wherever the doctor comes first, and
//! nobody is called the newer. A reference within the store that is mutual (it says that it is
//! superseded by the id, and one of the two says that it supersedes it) tells who is meant, and goes with it, also in the archive. Who is meant
//! by the others, nobody can tell, so they stay as they are and are shown.
//!
//! What was archived keeps its id. Two with one id there are only shown. So are two decisions of one name with different ids that both hold.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use custos_config::shown::shown;
use custos_model::Timestamp;

use super::card::{SUPERSEDED_BY, SUPERSEDES, references};
use super::paper::{By, Drawer, Mention, Paper, Sort};
use super::trouble::{Follower, Given, Remedy, Trouble};
use crate::store::Store;
use crate::text::{self, Document};

/// Finds what is wrong with the items of one sort, taken together. `leads_elsewhere` says whether a name with a store before it leads anywhere.
pub(super) fn look(
    store: &Store,
    drawer: &Drawer,
    leads_elsewhere: impl Fn(&str) -> Option<bool>,
) -> Vec<Trouble> {
    let doubles = doubles(store, drawer);
    let (double, single): (Vec<&Paper>, Vec<&Paper>) =
        drawer.active.iter().partition(|paper| doubles.contains(paper.file.as_str()));
    let mut found: Vec<Trouble> = double.into_iter().map(still_here).collect();
    match drawer.sort {
        Sort::Decision | Sort::Task => {
            found.extend(twin_ids(store, drawer, &single));
            found.extend(archived_twins(drawer));
        }
        Sort::Memory => found.extend(twin_slugs(drawer, &single)),
    }
    if drawer.sort == Sort::Decision {
        found.extend(twin_names(drawer));
        found.extend(dangling(drawer, leads_elsewhere));
    }
    found
}

/// Finds decisions that hold and have one name, as where two branches decided the same and were merged. Which of them is right, nobody else can
/// tell.
fn twin_names(drawer: &Drawer) -> Vec<Trouble> {
    let mut named: HashMap<&str, By<'_>> = HashMap::new();
    let mut found = Vec::new();
    for by in drawer.holding() {
        let Some(other) = named.insert(by.slug, by).filter(|other| other.number != by.number) else {
            continue;
        };
        let (first, later) = if other.number < by.number { (other, by) } else { (by, other) };
        named.insert(by.slug, first);
        let what = format!("has the same name as {}, and both hold", shown(first.file));
        let next = "Look at both: archive the one that is past with `superseded_by` the other, or give one another title and slug";
        found.push(Trouble::new(drawer.sort.word(), later.file, 0, what, next));
    }
    found.sort_by(|a, b| a.file.cmp(&b.file));
    found
}

/// How far the time of a copy in the archive may be from that of its stamp: it is written within one call.
const OF_ONE_CALL: Duration = Duration::from_secs(30);

/// Finds the files that a crash left among the others after they were archived: the copy in the archive says the same, came later, and is as
/// old as its stamp says.
///
/// What came after its copy was taken back from the archive, or said again. And where files were copied, by `cp` or by git, their times say
/// nothing: then a person says which one is right.
fn doubles<'a>(store: &Store, drawer: &'a Drawer) -> HashSet<&'a str> {
    let came =
        |file: &str| fs::symlink_metadata(store.path(file)).and_then(|metadata| metadata.modified()).ok();
    let is_as_stamped = |past: &Paper, came: SystemTime| {
        let stamp = past.document.front().text("archived")?.parse::<Timestamp>().ok()?;
        let stamp = UNIX_EPOCH + Duration::from_millis(u64::try_from(stamp.as_millis()).ok()?);
        let apart = came.duration_since(stamp).unwrap_or_else(|early| early.duration());
        Some(apart <= OF_ONE_CALL)
    };
    let is_left = |active: &Paper, past: &Paper| {
        let (active, came) = (came(&active.file)?, came(&past.file)?);
        Some(active < came && is_as_stamped(past, came)?)
    };
    let mut archived: HashMap<(Option<u32>, &str), Vec<&Paper>> = HashMap::new();
    for past in &drawer.past {
        archived.entry((past.number, &past.slug)).or_default().push(past);
    }
    let is_double = |paper: &&Paper| {
        let copies = archived.get(&(paper.number, paper.slug.as_str())).into_iter().flatten();
        copies
            .filter(|past| past.essence() == paper.essence())
            .any(|past| is_left(paper, past).unwrap_or(false))
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

fn twin_ids(store: &Store, drawer: &Drawer, papers: &[&Paper]) -> Vec<Trouble> {
    let mut groups: BTreeMap<u32, (Vec<&Paper>, Vec<&Paper>)> = BTreeMap::new();
    for paper in papers {
        paper.number.into_iter().for_each(|number| groups.entry(number).or_default().0.push(paper));
    }
    for past in drawer.past.iter().filter(|past| !past.is_astray()) {
        past.number.into_iter().for_each(|number| groups.entry(number).or_default().1.push(past));
    }
    let mut given = 0;
    let mut found = Vec::new();
    // Gathered once, and only if there are twins: there may be thousands of both.
    let mentions = LazyCell::new(|| by_number(drawer));
    for (number, (mut group, archived)) in groups {
        group.sort_by_cached_key(|paper| paper.seniority());
        // What is archived keeps its id: nothing in the archive is renumbered.
        let mut keeper = archived.first().copied();
        let mut twins = None;
        for paper in &group {
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
            let is_first = twins.is_none();
            let twins = twins.get_or_insert_with(|| {
                let all: Vec<&Paper> = archived.iter().chain(&group).copied().collect();
                let named = mentions.get(&number).map_or(&[][..], Vec::as_slice);
                Twins::of(drawer.sort, number, &all, named)
            });
            let mut trouble = renumbered(store, drawer, paper, keeper, given, twins);
            given += u32::from(trouble.remedy.is_some());
            if is_first {
                trouble.beside = twins.ambiguous(drawer.sort);
            }
            found.push(trouble);
        }
    }
    found
}

/// What the files say about others, by the number that they name.
fn by_number(drawer: &Drawer) -> HashMap<u32, Vec<Mention<'_>>> {
    let mut named: HashMap<u32, Vec<Mention<'_>>> = HashMap::new();
    for mention in drawer.mentions() {
        if let Some(number) = drawer.sort.referred(&mention.reference.name) {
            named.entry(number).or_default().push(mention);
        }
    }
    named
}

/// Items that have one id, and what others say about it.
struct Twins<'a> {
    id: String,
    number: u32,
    /// What tells which of them is meant, with the file of that one.
    settled: Vec<(Mention<'a>, String)>,
    /// What does not.
    open: Vec<Mention<'a>>,
}

impl<'a> Twins<'a> {
    /// Takes what is said of a number apart by who is meant.
    fn of(sort: Sort, number: u32, twins: &[&Paper], named: &[Mention<'a>]) -> Self {
        let mut found = Self { id: sort.id(number), number, settled: Vec::new(), open: Vec::new() };
        for mention in named {
            let mut meant: Vec<&&Paper> = twins.iter().filter(|twin| answers(twin, mention)).collect();
            // A copy says nothing that the other does not.
            let mut said = HashSet::new();
            meant.retain(|twin| said.insert(&twin.text));
            match meant[..] {
                [one] => found.settled.push((mention.clone(), one.file.clone())),
                _ => found.open.push(mention.clone()),
            }
        }
        found
    }

    /// The references of which nobody can tell whom they mean.
    fn ambiguous(&self, sort: Sort) -> Vec<Trouble> {
        let trouble = |Mention { by, reference }: &Mention<'_>| {
            let what = format!("names {} in `{}`, and two files had that id", self.id, reference.key);
            let next = "See which one is meant; only one of them keeps it";
            Trouble::new(sort.word(), by.file, reference.line, what, next)
        };
        self.open.iter().map(trouble).collect()
    }

    /// The files that name this one of the twins, with its next id in them.
    fn followers(&self, store: &Store, paper: &Paper, next: &str) -> Vec<Follower> {
        let of_paper = self.settled.iter().filter(|(_, file)| *file == paper.file);
        let follow = |(mention, _): &(Mention<'_>, String)| {
            let file = mention.by.file.to_owned();
            let was = store.read(&file).ok()??;
            let mut document = Document::parse(&was).ok()?;
            let front = document.front_mut();
            let key = mention.reference.key;
            if key == SUPERSEDED_BY {
                front.set_text(key, next);
            } else {
                let is_it = |name: &String| paper.sort.referred(name) == Some(self.number);
                let renamed = |name: String| if is_it(&name) { next.to_owned() } else { name };
                let names: Vec<String> = front.list(key).into_iter().map(renamed).collect();
                front.set_list(key, &names);
            }
            Some(Follower { file, text: document.to_text(), was })
        };
        of_paper.filter_map(follow).collect()
    }
}

/// Says whether an item says the other half of what another says of it: the one supersedes, the other is superseded.
fn answers(paper: &Paper, mention: &Mention<'_>) -> bool {
    let By { file, number, slug } = mention.by;
    let other_half = if mention.reference.key == SUPERSEDES { SUPERSEDED_BY } else { SUPERSEDES };
    let names_it = |name: &str| match paper.sort.referred(name) {
        Some(named) => number == Some(named),
        None => name.trim() == slug,
    };
    let says = references(paper).into_iter();
    paper.file != file && says.filter(|said| said.key == other_half).any(|said| names_it(&said.name))
}

/// Finds items in the archive that have one id. What was archived, taken back and archived again is one item.
fn archived_twins(drawer: &Drawer) -> Vec<Trouble> {
    let mut put_away = drawer.put_away();
    put_away.sort_by_key(|by| by.file);
    let mut first: HashMap<u32, By<'_>> = HashMap::new();
    let mut found = Vec::new();
    for by in put_away {
        let Some(number) = by.number else { continue };
        let first = *first.entry(number).or_insert(by);
        if first.slug == by.slug {
            continue;
        }
        let id = drawer.sort.id(number);
        let what = format!("has the id {id}, and so has {}", shown(first.file));
        let next = format!(
            "Nothing in the archive is renumbered; give one of them a free id by hand, and see which one is meant by what names {id}"
        );
        found.push(Trouble::new(drawer.sort.word(), by.file, 0, what, next));
    }
    found
}

fn copy(paper: &Paper, of: &Paper) -> Trouble {
    let what = format!("is a copy of {}, to the last byte", shown(&of.file));
    let remedy = Some(Remedy::RemoveCopy { was: paper.text.clone() });
    Trouble { is_copy: true, remedy, ..paper.trouble(0, what, "The repair removes it") }
}

/// Gives a twin the next free id.
fn renumbered(
    store: &Store,
    drawer: &Drawer,
    paper: &Paper,
    other: &Paper,
    given: u32,
    twins: &Twins<'_>,
) -> Trouble {
    let line = paper.document.front().line_of("id").unwrap_or(0);
    let what = format!("has the id {}, and so has {}", twins.id, shown(&other.file));
    let Some(next) = drawer.next_number(given) else {
        return paper.trouble(line, what, "There is no higher id left: give it a free one by hand");
    };
    let id = drawer.sort.id(next);
    let mut document = paper.document.clone();
    document.front_mut().set_text("id", &id);
    let to = Some(paper.place_under(Some(next), &paper.slug));
    let followers = twins.followers(store, paper, &id);
    let files: Vec<String> = followers.iter().map(|follower| shown(&follower.file)).collect();
    let references = if files.is_empty() {
        "references to it are left as they are".to_owned()
    } else {
        format!("{} then names it so", files.join(", "))
    };
    let told = format!("The repair gives this one{}, the next free id; {references}", junior(paper, other));
    let given = Given(drawer.sort.letter(), next);
    let (was, text) = (paper.text.clone(), document.to_text());
    let remedy = Remedy::Renumber { was, text, to, given, followers, said: None };
    paper.trouble(line, what, told).mended_by(remedy)
}

/// Says why the other one of two keeps what they have in common.
fn junior(paper: &Paper, other: &Paper) -> String {
    let is_in_place = |paper: &Paper| paper.place().as_deref() == Some(paper.file.as_str());
    if other.is_archived() {
        ", for the other is in the archive".to_owned()
    } else if !other.date.is_empty() && paper.date.is_empty() {
        ", which has no date".to_owned()
    } else if other.date < paper.date {
        ", the newer".to_owned()
    } else if is_in_place(other) && !is_in_place(paper) {
        ", whose file is called otherwise than it says".to_owned()
    } else {
        ", for nothing tells which is older and the other comes first by name".to_owned()
    }
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
            let next = format!(
                "The repair gives this one{}, another slug; merge_memories makes one of two",
                junior(paper, eldest)
            );
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
fn dangling(drawer: &Drawer, leads_elsewhere: impl Fn(&str) -> Option<bool>) -> Vec<Trouble> {
    // Mostly ids are named, and nobody asks for slugs.
    let slugs = LazyCell::new(|| {
        let of_cards = drawer.cards.iter().map(|card| card.item.slug.as_str());
        let papers = drawer.active.iter().chain(&drawer.past);
        of_cards.chain(papers.map(|paper| paper.slug.as_str())).collect::<HashSet<&str>>()
    });
    let is_known = |name: &str| match drawer.sort.referred(name) {
        Some(number) => drawer.numbers.contains(&number),
        None => slugs.contains(name) || leads_elsewhere(name).unwrap_or(false),
    };
    let lost = drawer.mentions().into_iter().filter(|mention| !is_known(mention.reference.name.trim()));
    lost.map(|Mention { by, reference }| {
        let named = shown(&reference.name);
        let what = format!("names {named} in `{}`, and there is no such decision here", reference.key);
        let next = "Correct the id, or take it out";
        Trouble::new(drawer.sort.word(), by.file, reference.line, what, next)
    })
    .collect()
}
