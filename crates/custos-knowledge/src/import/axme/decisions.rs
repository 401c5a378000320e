//! Decisions of AXME Code.
//!
//! Ids are kept. AXME Code gave some out twice, and a merge may do so too: then the live one before the archived, the older before the newer
//! keeps the id, and the others get the next free ones. What refers to such an id is left as it is and told, for nobody knows which was meant;
//! what refers to an id that is only taken here, by the store or another tree, goes on to the new one.
//! What was superseded or revoked goes to the archive, wherever it was.

use std::collections::{HashMap, HashSet};

use super::cargo::{self, Cargo, event, has_letter, iso, stem_in};
use super::known::{Library, ORIGIN};
use super::numbers::Numbers;
use super::paper::{Paper, Style};
use crate::decision::{Decision, Enforce, LONGEST_SLUG, id_of, number, split_name};
use crate::shelf::Item as _;
use crate::text::{self, Document, Front};

const LIVE: &str = "decisions";
const PAST: &str = "archive/decisions";
const KEYS: &[&str] = &[
    "id",
    "slug",
    "title",
    "date",
    "source",
    "enforce",
    "sessionId",
    "scope",
    "status",
    "supersededBy",
    "supersedes",
    "revokedAt",
    "revokedReason",
    "archivedReason",
    "archivedAt",
];

/// A decision on its way.
struct Parcel {
    file: String,
    item: Decision,
    number: Option<u32>,
    named: String,
    /// Whether it says how binding it is.
    binds: bool,
    /// When and why it was archived.
    archived: Option<(String, String)>,
    others: Vec<(String, String)>,
}

pub(super) fn pack(cargo: &mut Cargo<'_>) {
    let is_decision = |file: &str| stem_in(file, &[LIVE, PAST]).is_some_and(|stem| has_letter(stem, "D-"));
    let mut parcels = Vec::new();
    for file in cargo.take(is_decision) {
        parcels.extend(read(cargo, file));
    }
    let silent = parcels.iter().filter(|parcel| !parcel.binds).count();
    if silent > 0 {
        cargo.note(format!(
            "decisions that do not say whether they are required, and are read as advisory: {silent}"
        ));
    }
    let library = Library::<Decision>::read(cargo.ahead(), &[LIVE, PAST], |item| &item.title);
    let mut numbers = numbers_of(cargo, &library);
    for own in parcels.iter().filter_map(|parcel| parcel.number) {
        numbers.came_with(own);
    }
    tell_references(cargo, &parcels, &library);
    // Who keeps an id: the live before the archived, the older before the newer.
    parcels.sort_by(|a, b| {
        let order = |parcel: &Parcel| {
            (
                parcel.number.is_none(),
                parcel.number,
                parcel.archived.is_some(),
                parcel.item.date.clone(),
                parcel.file.clone(),
            )
        };
        order(a).cmp(&order(b))
    });
    let mut new = Vec::new();
    for mut parcel in parcels {
        let kind = if parcel.archived.is_some() { "archived decisions" } else { "decisions" };
        let known = known_as(cargo, &library, &parcel);
        cargo.count(kind, known.is_none());
        let there = parcel.number.map(id_of);
        let here = known.clone().unwrap_or_else(|| {
            give_id(cargo, &mut numbers, &mut parcel);
            parcel.item.id.clone()
        });
        if let Some(there) = there {
            cargo.settle(&there, &here);
        }
        if known.is_none() {
            new.push(parcel);
        }
    }
    cargo.gave(&numbers);
    for mut parcel in new {
        // A decision refers to others by the ids that they have here.
        let Decision { supersedes, superseded_by, .. } = &mut parcel.item;
        for id in supersedes.iter_mut().chain(superseded_by) {
            if let Some(home) = cargo.home(id) {
                home.clone_into(id);
            }
        }
        load(cargo, &parcel);
    }
}

/// Reads the numbers that the store has given out, also to files that cannot be read.
fn numbers_of(cargo: &Cargo<'_>, library: &Library<Decision>) -> Numbers {
    let named = [LIVE, PAST].into_iter().flat_map(|directory| cargo.ahead().list(directory));
    let named = named.filter_map(|name| number(split_name(name.trim_end_matches(".md")).0));
    let there = named.chain(library.items().filter_map(|item| number(&item.id)));
    Numbers::of(cargo.ahead().store(), 'D', there)
}

fn read(cargo: &mut Cargo<'_>, file: String) -> Option<Parcel> {
    let paper = cargo.paper(&file, Style::Plain)?;
    let stem = file.rsplit('/').next().unwrap_or(&file).trim_end_matches(".md").to_owned();
    let (named_id, named_slug) = split_name(&stem);
    let own = Some(paper.word("id")).filter(|id| !id.is_empty()).unwrap_or(named_id).to_owned();
    let number = number(&own.to_ascii_uppercase());
    let title = cargo.title(&file, &paper.title(named_slug));
    let parts = paper.parts("Reasoning");
    let (decision, reasoning) = (cargo.text(&file, parts.lead), cargo.text(&file, parts.rest));
    let mut item = Decision {
        id: number.map_or_else(String::new, id_of),
        slug: slug(&paper, named_slug, &title),
        title,
        date: date(cargo, &file, paper.word("date")),
        source: source(cargo, &file, paper.word("source")),
        enforce: Enforce::of(paper.word("enforce")),
        session: session(&paper),
        scope: cargo.labels(&file, &paper.list("scope")),
        status: "active".to_owned(),
        superseded_by: ids(&cargo.labels(&file, &paper.list("supersededBy"))).into_iter().next(),
        supersedes: ids(&cargo.labels(&file, &paper.list("supersedes"))),
        revoked_reason: Some(cargo.text(&file, paper.get("revokedReason")))
            .filter(|reason| !reason.is_empty()),
        guarded: false,
        decision,
        reasoning,
        sections: Vec::new(),
    };
    let word = paper.word("enforce");
    if !matches!(word, "" | "required" | "advisory") {
        cargo.keep_original(&file, &format!("enforce is `{word}`, which is read as advisory"));
    }
    let is_past = file.starts_with("archive/");
    settle_status(cargo, &file, &paper, is_past, &mut item);
    let archived = (is_past || !item.is_active()).then(|| put_away(cargo, &file, &paper, &item));
    let others = cargo.others(&file, &paper, KEYS);
    let binds = matches!(word, "required" | "advisory");
    Some(Parcel { file, item, number, named: own, binds, archived, others })
}

/// Says in our words what became of a decision.
fn settle_status(cargo: &mut Cargo<'_>, file: &str, paper: &Paper, archived: bool, item: &mut Decision) {
    // What is in the archive no longer holds, whatever it says.
    let place = match (archived, &item.superseded_by) {
        (false, _) => "active",
        (true, Some(_)) => "superseded",
        (true, None) => "revoked",
    };
    let status = match paper.word("status") {
        "superseded" => "superseded",
        "revoked" => "revoked",
        "deprecated" => {
            item.revoked_reason.get_or_insert_with(|| "deprecated".to_owned());
            "revoked"
        }
        "" | "active" => place,
        other => {
            cargo.keep_original(file, &format!("its status is `{other}`, which is read as {place}"));
            place
        }
    };
    status.clone_into(&mut item.status);
}

/// Says when and why a decision was put away. AXME Code leaves what no longer holds among the rest; here it is in the archive.
fn put_away(cargo: &mut Cargo<'_>, file: &str, paper: &Paper, item: &Decision) -> (String, String) {
    let time =
        iso(paper.word("archivedAt")).or_else(|| iso(paper.word("revokedAt"))).unwrap_or_else(|| cargo.now());
    let own = cargo.text(file, paper.get("archivedReason"));
    let reason = match (&item.superseded_by, &item.revoked_reason) {
        _ if !own.is_empty() => own,
        (_, Some(reason)) => reason.clone(),
        (Some(successor), None) => format!("superseded by {successor}"),
        (None, None) => "AXME Code does not say why".to_owned(),
    };
    (time, reason)
}

/// Gives the id under which a decision is here already.
fn known_as(cargo: &mut Cargo<'_>, library: &Library<Decision>, parcel: &Parcel) -> Option<String> {
    // As it would be read again: what a file cannot hold is no difference.
    let written = Decision::read(&parcel.file, &spell(parcel, None)).ok();
    let item = written.as_ref().unwrap_or(&parcel.item);
    let says_the_same =
        |known: &Decision| known.decision == item.decision && known.reasoning == item.reasoning;
    let is_same = |known: &Decision| parcel.number.is_some() && number(&known.id) == parcel.number;
    if let Some(known) = library.from(&cargo.origin(&parcel.file)) {
        if !says_the_same(known) {
            cargo.was_changed(&parcel.file, &known.id);
        }
        return Some(known.id.clone());
    }
    let titled = library.titled(&item.title).into_iter().find(|known| says_the_same(known));
    let known = titled.or_else(|| library.retitled(|known| is_same(known) && says_the_same(known)));
    if let Some(known) = known {
        return Some(known.id.clone());
    }
    let changed = library.changed(&item.title, is_same)?;
    cargo.differs(&parcel.file, &changed.id);
    Some(changed.id.clone())
}

/// Gives a decision its id: its own, if that is free.
fn give_id(cargo: &mut Cargo<'_>, numbers: &mut Numbers, parcel: &mut Parcel) {
    if !parcel.number.is_some_and(|number| numbers.claim(number)) {
        parcel.item.id = id_of(numbers.next());
        cargo.rename(&parcel.file, &parcel.named, &parcel.item.id);
    }
}

/// Plans to write a decision.
fn load(cargo: &mut Cargo<'_>, parcel: &Parcel) {
    let origin = cargo.origin(&parcel.file);
    let directory = if parcel.archived.is_some() { PAST } else { LIVE };
    let Decision { id, slug, title, .. } = &parcel.item;
    let mut file = format!("{directory}/{id}-{slug}.md");
    for count in 2.. {
        if cargo.is_free(&file) {
            break;
        }
        file = format!("{directory}/{id}-{slug}-{count}.md");
    }
    let event = event("decision", id, title, &file, &parcel.item.decision);
    let text = spell(parcel, Some(&origin));
    cargo.keep(file, text, vec![event]);
}

fn spell(parcel: &Parcel, origin: Option<&str>) -> String {
    let item = &parcel.item;
    let mut front = Front::default();
    // A decision that has no number yet is spelt for comparison only.
    front.set_text("id", if item.id.is_empty() { "D-000" } else { &item.id });
    front.set_text("slug", &item.slug);
    front.set_text("title", &item.title);
    let enforce = if parcel.binds { item.enforce.word() } else { "" };
    let some = |text: &Option<String>| text.clone().unwrap_or_default();
    let (time, reason) = parcel.archived.clone().unwrap_or_default();
    let texts = [
        ("date", item.date.clone()),
        ("source", item.source.clone()),
        ("enforce", enforce.to_owned()),
        ("session", some(&item.session)),
        ("status", item.status.clone()),
        ("superseded_by", some(&item.superseded_by)),
        ("revoked_reason", some(&item.revoked_reason)),
        ("archived", time),
        ("archived_reason", reason),
        (ORIGIN, origin.unwrap_or_default().to_owned()),
    ];
    for (key, text) in texts.iter().filter(|(_, text)| !text.is_empty()) {
        front.set_text(key, text);
    }
    for (key, list) in [("scope", &item.scope), ("supersedes", &item.supersedes)] {
        if !list.is_empty() {
            front.set_list(key, list);
        }
    }
    for (key, value) in &parcel.others {
        front.set_text(key, value);
    }
    Document::compose(front, &item.title, &item.decision, &[("Reasoning", &item.reasoning)]).to_text()
}

/// Tells which ids lead nowhere, in a circle, or to several decisions.
fn tell_references(cargo: &mut Cargo<'_>, parcels: &[Parcel], library: &Library<Decision>) {
    let mut holders: HashMap<u32, usize> = HashMap::new();
    let mut successors: HashMap<u32, u32> = HashMap::new();
    for parcel in parcels {
        let Some(own) = parcel.number else { continue };
        *holders.entry(own).or_default() += 1;
        if let Some(next) = parcel.item.superseded_by.as_deref().and_then(number) {
            successors.insert(own, next);
        }
    }
    let there: HashSet<u32> = library.items().filter_map(|item| number(&item.id)).collect();
    for parcel in parcels {
        let successor = parcel.item.superseded_by.as_deref().and_then(number);
        let referred = parcel.item.supersedes.iter().filter_map(|id| number(id)).chain(successor);
        for other in referred {
            let id = id_of(other);
            match holders.get(&other) {
                None if !there.contains(&other) => {
                    cargo.odd(&parcel.file, format!("refers to {id}, which is not there"));
                }
                Some(2..) => cargo.odd(&parcel.file, format!("refers to {id}, which several decisions had")),
                _ => {}
            }
        }
        let Some(own) = parcel.number.filter(|_| successor.is_some()) else { continue };
        let (mut at, mut seen) = (own, HashSet::new());
        while let Some(next) = successors.get(&at).copied().filter(|_| seen.insert(at)) {
            at = next;
        }
        if at == own {
            cargo.odd(&parcel.file, "is superseded in a circle");
        }
    }
}

/// Writes ids as we do: `D-24` is D-024.
fn ids(raw: &[String]) -> Vec<String> {
    raw.iter().map(|id| number(&id.to_ascii_uppercase()).map_or_else(|| id.clone(), id_of)).collect()
}

fn slug(paper: &Paper, named: &str, title: &str) -> String {
    let own = [paper.word("slug"), named].into_iter().find(|slug| text::is_slug(slug, LONGEST_SLUG));
    own.map_or_else(|| text::slug(title, LONGEST_SLUG), str::to_owned)
}

/// The session in which an item was made.
pub(super) fn session(paper: &Paper) -> Option<String> {
    Some(paper.word("sessionId")).filter(|session| !session.is_empty()).map(crate::handoff::safe_session)
}

/// Reads a day. One that is none is left out, and told.
pub(super) fn date(cargo: &mut Cargo<'_>, file: &str, raw: &str) -> String {
    match iso(raw) {
        Some(time) => time[..10].to_owned(),
        None if raw.is_empty() => String::new(),
        None => {
            cargo.keep_original(
                file,
                &format!("its date is `{}`, which is none", custos_config::shown::shown(raw)),
            );
            String::new()
        }
    }
}

/// Says where an item comes from. A word that nobody knows means a person, and is told.
pub(super) fn source(cargo: &mut Cargo<'_>, file: &str, word: &str) -> String {
    let source = cargo::source(word);
    if source.is_none() {
        cargo.keep_original(
            file,
            &format!("its source is `{}`, which is read as manual", custos_config::shown::shown(word)),
        );
    }
    source.unwrap_or("manual").to_owned()
}
