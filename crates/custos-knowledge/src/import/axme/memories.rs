//! Memories of AXME Code.
//!
//! They are known by their slugs. AXME Code had an empty slug for a title in another script, and could have one slug twice, among feedback and
//! among patterns: then the second gets a suffix, and both stay.

use std::collections::HashSet;

use super::cargo::{Cargo, event, iso, stem_in};
use super::decisions::{date, session, source};
use super::known::{Library, ORIGIN};
use super::paper::Style;
use crate::memory::{LONGEST_SLUG, Memory, MemoryKind, PutAway};
use crate::shelf::Item as _;
use crate::text::{self, Document, Front};

const LIVE: [&str; 2] = ["memory/feedback", "memory/patterns"];
const PAST: [&str; 2] = ["archive/memory/feedback", "archive/memory/patterns"];
const ALL: [&str; 4] = [LIVE[0], LIVE[1], PAST[0], PAST[1]];
const KEYS: &[&str] = &[
    "slug",
    "type",
    "title",
    "source",
    "date",
    "keywords",
    "sessionId",
    "scope",
    "archivedReason",
    "archivedAt",
];
/// What AXME Code writes about itself when it is set up.
const BOOTSTRAP: &str = "axme-code-storage-initialized";

/// A memory on its way.
struct Parcel {
    file: String,
    item: Memory,
    others: Vec<(String, String)>,
}

pub(super) fn pack(cargo: &mut Cargo<'_>) {
    let is_memory = |file: &str| stem_in(file, &ALL).is_some();
    let library = Library::<Memory>::read(cargo.ahead(), &ALL, |item| &item.title);
    let mut slugs: HashSet<String> =
        library.items().filter(|item| item.archived.is_none()).map(|item| item.slug.clone()).collect();
    for file in cargo.take(is_memory) {
        let Some(parcel) = read(cargo, file) else { continue };
        let kind = if parcel.item.archived.is_some() { "archived memories" } else { "memories" };
        let is_new = !is_there(cargo, &library, &parcel);
        cargo.count(kind, is_new);
        if is_new {
            load(cargo, &mut slugs, parcel);
        }
    }
}

fn read(cargo: &mut Cargo<'_>, file: String) -> Option<Parcel> {
    let paper = cargo.paper(&file, Style::Plain)?;
    let stem = file.rsplit('/').next().unwrap_or(&file).trim_end_matches(".md").to_owned();
    if stem.starts_with(BOOTSTRAP) || paper.word("slug").starts_with(BOOTSTRAP) {
        cargo.leave(&file, "is AXME Code's note about itself");
        return None;
    }
    let of_directory =
        if file.contains("memory/feedback/") { MemoryKind::Feedback } else { MemoryKind::Pattern };
    let word = paper.word("type");
    let kind = MemoryKind::of(word).unwrap_or(of_directory);
    if kind != of_directory {
        cargo.odd(&file, format!("is a {word}, and goes to its kind"));
    } else if !word.is_empty() && MemoryKind::of(word).is_none() {
        cargo.keep_original(
            &file,
            &format!("its type is `{}`; it is kept as {}", custos_config::shown::shown(word), kind.word()),
        );
    }
    let title = cargo.title(&file, &paper.title(&stem));
    let own = [paper.word("slug"), &stem].into_iter().find(|slug| text::is_slug(slug, LONGEST_SLUG));
    let slug = own.map_or_else(|| text::slug(&title, LONGEST_SLUG), str::to_owned);
    let parts = paper.parts("Details");
    let archived = file.starts_with("archive/").then(|| {
        let reason = Some(paper.get("archivedReason")).filter(|reason| !reason.is_empty());
        let reason = cargo.text(&file, reason.unwrap_or("AXME Code does not say why"));
        PutAway {
            time: iso(paper.word("archivedAt")).unwrap_or_else(|| cargo.now()),
            superseded_by: reason
                .strip_prefix("merged into ")
                .map(str::trim)
                .filter(|slug| text::is_slug(slug, LONGEST_SLUG))
                .map(str::to_owned),
            reason,
        }
    });
    let item = Memory {
        slug,
        kind,
        title,
        source: source(cargo, &file, paper.word("source")),
        date: date(cargo, &file, paper.word("date")),
        updated: None,
        keywords: cargo.labels(&file, &paper.list("keywords")),
        session: session(&paper),
        scope: cargo.labels(&file, &paper.list("scope")),
        archived,
        description: cargo.text(&file, parts.lead),
        body: cargo.text(&file, parts.rest),
        sections: Vec::new(),
    };
    let others = cargo.others(&file, &paper, KEYS);
    Some(Parcel { file, item, others })
}

fn is_there(cargo: &mut Cargo<'_>, library: &Library<Memory>, parcel: &Parcel) -> bool {
    let written = Memory::read(&parcel.file, &spell(parcel, None)).ok();
    let item = written.as_ref().unwrap_or(&parcel.item);
    let says_the_same = |known: &Memory| {
        (known.kind, &known.description, &known.body) == (item.kind, &item.description, &item.body)
    };
    if let Some(known) = library.from(&cargo.origin(&parcel.file)) {
        if !says_the_same(known) {
            cargo.was_changed(&parcel.file, &known.slug);
        }
        return true;
    }
    let is_same = |known: &Memory| known.kind == item.kind && known.slug == item.slug;
    if library.titled(&item.title).into_iter().any(says_the_same)
        || library.retitled(|known| is_same(known) && says_the_same(known)).is_some()
    {
        return true;
    }
    let twin = library.changed(&item.title, is_same);
    if let Some(known) = twin {
        cargo.differs(&parcel.file, &known.slug);
    }
    twin.is_some()
}

/// Gives a memory its slug and plans to write it.
fn load(cargo: &mut Cargo<'_>, slugs: &mut HashSet<String>, mut parcel: Parcel) {
    let at = MemoryKind::ALL.into_iter().position(|kind| kind == parcel.item.kind).unwrap_or(0);
    let is_live = parcel.item.archived.is_none();
    let directory = if is_live { LIVE[at] } else { PAST[at] };
    let wanted = parcel.item.slug.clone();
    let is_taken = |cargo: &Cargo<'_>, slug: &str| {
        let both = if is_live { LIVE } else { [directory; 2] };
        (is_live && slugs.contains(slug))
            || both.iter().any(|directory| !cargo.is_free(&format!("{directory}/{slug}.md")))
    };
    for count in 2.. {
        if !is_taken(cargo, &parcel.item.slug) {
            break;
        }
        let suffix = format!("-{count}");
        let stem = wanted.get(..LONGEST_SLUG - suffix.len()).unwrap_or(&wanted);
        parcel.item.slug = format!("{}{suffix}", stem.trim_end_matches('-'));
    }
    if parcel.item.slug != wanted {
        cargo.rename(&parcel.file, &wanted, &parcel.item.slug);
    }
    let origin = cargo.origin(&parcel.file);
    let Memory { slug, title, description, .. } = &parcel.item;
    let file = format!("{directory}/{slug}.md");
    let event = event("memory", slug, title, &file, description);
    let text = spell(&parcel, Some(&origin));
    if is_live {
        slugs.insert(slug.clone());
    }
    cargo.keep(file, text, vec![event]);
}

fn spell(parcel: &Parcel, origin: Option<&str>) -> String {
    let item = &parcel.item;
    let mut front = Front::default();
    front.set_text("slug", &item.slug);
    front.set_text("type", item.kind.word());
    front.set_text("title", &item.title);
    let put_away = item.archived.as_ref();
    let texts = [
        ("source", item.source.as_str()),
        ("date", &item.date),
        ("session", item.session.as_deref().unwrap_or_default()),
        ("archived", put_away.map_or("", |put_away| &put_away.time)),
        ("archived_reason", put_away.map_or("", |put_away| &put_away.reason)),
        (
            "superseded_by",
            put_away.and_then(|put_away| put_away.superseded_by.as_deref()).unwrap_or_default(),
        ),
        (ORIGIN, origin.unwrap_or_default()),
    ];
    for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        front.set_text(key, text);
    }
    for (key, list) in [("keywords", &item.keywords), ("scope", &item.scope)] {
        if !list.is_empty() {
            front.set_list(key, list);
        }
    }
    for (key, value) in &parcel.others {
        front.set_text(key, value);
    }
    let details = [("Details", item.body.as_str())];
    let sections = if item.body.is_empty() { &details[..0] } else { &details };
    Document::compose(front, &item.title, &item.description, sections).to_text()
}
