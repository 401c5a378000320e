//! What is found on the way through a tree: counts, names, and everything that is odd.

use std::collections::BTreeSet;

use custos_config::shown::shown;
use custos_model::{Kind, Timestamp};
use serde_json::{Map, Value, json};

use super::ahead::{Ahead, Events, Write};
use super::aside::{self, Aside};
use super::known::ORIGIN;
use super::numbers::{Given, Numbers};
use super::paper::{Paper, Style, without_leaks};
use super::references::References;
use super::rules::Found;
use super::tree::{Files, Flaw, LARGEST_FILE, LARGEST_ITEM, Tree};
use super::{Carried, Count, Remark, Renamed};
use crate::base::{Base, Stack};
use crate::text;

/// The kinds, in the order in which they are told.
const KINDS: [&str; 10] = [
    "decisions",
    "archived decisions",
    "memories",
    "archived memories",
    "tasks",
    "questions",
    "oracle sections",
    "handoffs",
    "worklog sections",
    "plans",
];

/// Keys that only we write.
const RESERVED: &[&str] = &[
    "guard",
    "session",
    "status",
    "superseded_by",
    "revoked_reason",
    "archived",
    "archived_reason",
    "updated",
    "priority",
    "tags",
    "keywords",
    "supersedes",
    "enforce",
    ORIGIN,
];

/// Everything that goes to one store.
pub(super) struct Cargo<'a> {
    base: &'a Base,
    ahead: Ahead<'a>,
    tree: Option<&'a Tree>,
    /// What tells the files of a second tree from those of the first.
    prefix: String,
    files: Files,
    /// The ids of the tree, and who speaks of them.
    references: References,
    /// How much was planned when the tree was begun.
    planned: usize,
    counts: Vec<Count>,
    renamed: Vec<Renamed>,
    aside: Aside,
    left: Vec<Remark>,
    lost: Vec<Remark>,
    oddities: BTreeSet<Remark>,
    notes: Vec<String>,
    redacted: usize,
    given: Vec<Given>,
    pub(super) rules: Vec<Found>,
}

/// What was found for one store.
pub(super) struct Packed {
    pub(super) carried: Carried,
    pub(super) writes: Vec<Write>,
    pub(super) given: Vec<Given>,
}

impl<'a> Cargo<'a> {
    pub(super) fn new(base: &'a Base, stack: &'a Stack) -> Self {
        Self {
            base,
            ahead: Ahead::new(&stack.store),
            tree: None,
            prefix: String::new(),
            files: Files::default(),
            references: References::default(),
            planned: 0,
            counts: KINDS.map(|kind| Count { kind, found: 0, new: 0 }).to_vec(),
            renamed: Vec::new(),
            aside: Aside::default(),
            left: Vec::new(),
            lost: Vec::new(),
            oddities: BTreeSet::new(),
            notes: Vec::new(),
            redacted: 0,
            given: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Begins with a tree.
    pub(super) fn begin(&mut self, tree: &'a Tree) {
        self.prefix = if self.tree.is_some() { format!("{}/", tree.name) } else { String::new() };
        self.tree = Some(tree);
        self.files = tree.files();
        self.references = References::default();
        self.planned = self.ahead.planned_files();
    }

    /// The store, as it will be after what is planned so far.
    pub(super) fn ahead(&self) -> &Ahead<'a> {
        &self.ahead
    }

    /// The time of the import, for what has none of its own.
    pub(super) fn now(&self) -> String {
        self.base.now_text()
    }

    /// Takes the files that are meant out of those that are left.
    pub(super) fn take(&mut self, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
        let (meant, rest) =
            std::mem::take(&mut self.files.telling).into_iter().partition(|file| is_meant(file));
        self.files.telling = rest;
        let meant: BTreeSet<String> = meant;
        meant.into_iter().collect()
    }

    /// Takes one file, if it is there.
    pub(super) fn take_one(&mut self, file: &str) -> Option<String> {
        self.files.telling.take(file)
    }

    /// The files of AXME Code's own bookkeeping.
    pub(super) fn bookkeeping(&self) -> impl Iterator<Item = &str> {
        self.files.bookkeeping.iter().map(String::as_str)
    }

    /// Reads a file. One that cannot be read is told; one that is only too large, or broken in places, is kept aside.
    pub(super) fn read(&mut self, file: &str) -> Option<String> {
        self.read_within(file, LARGEST_ITEM)
    }

    /// Reads a file that holds many items.
    pub(super) fn read_many(&mut self, file: &str) -> Option<String> {
        self.read_within(file, LARGEST_FILE)
    }

    fn read_within(&mut self, file: &str, largest: u64) -> Option<String> {
        let unread = match self.tree?.read(file, largest) {
            Ok(text) => return Some(text),
            Err(unread) => unread,
        };
        match unread.flaw {
            Flaw::Broken | Flaw::Large => self.set_aside(file, unread.why),
            Flaw::Closed => self.lose(file, unread.why),
        }
        None
    }

    /// Reads an item's file and takes it apart. One that is empty is left, and one that cannot be taken apart is set aside; both are said.
    pub(super) fn paper(&mut self, file: &str, style: Style) -> Option<Paper> {
        let raw = self.read(file)?;
        if raw.trim().is_empty() {
            self.leave(file, "is empty");
            return None;
        }
        let paper = Paper::read(&raw, style).map_err(|why| self.set_aside(file, why)).ok()?;
        for oddity in &paper.oddities {
            self.odd(file, oddity.as_str());
        }
        Some(paper)
    }

    /// Reads a file that may as well not be there.
    pub(super) fn read_quietly(&self, file: &str, largest: u64) -> Option<String> {
        self.tree?.read(file, largest).ok()
    }

    /// When a file was last changed, as far as the file system knows.
    pub(super) fn modified(&self, file: &str) -> Option<Timestamp> {
        self.tree?.modified(file)
    }

    /// What a file is called in the store: an item remembers it, so that the next run knows it again, whatever a person made of it.
    pub(super) fn origin(&self, file: &str) -> String {
        format!("{}{file}", self.prefix)
    }

    /// Says whether another tree goes to the same store, and came first.
    pub(super) fn is_further(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// Names the repo that a further tree is of, after a word.
    pub(super) fn named(&self, word: &str) -> String {
        match self.prefix.trim_end_matches('/') {
            "" => word.to_owned(),
            name => format!("{word}: {name}"),
        }
    }

    /// Cleans a text: leaked markup, what nobody sees and what is secret is taken out. What markup took with it stays in the original.
    pub(super) fn text(&mut self, file: &str, raw: &str) -> String {
        let tidied = text::tidy(raw);
        let whole = without_leaks(&tidied);
        let stripped = text::strip_markup(&whole);
        if stripped.trim() != tidied.trim() {
            self.keep_original(file, "markup of a tool call had leaked into its text, and was cut off");
        }
        self.references.hear(file, &stripped);
        self.redacted(stripped.trim())
    }

    /// Cleans a title.
    pub(super) fn title(&mut self, file: &str, raw: &str) -> String {
        self.references.hear(file, raw);
        self.label(file, raw)
    }

    /// Remembers which id an item has here.
    pub(super) fn settle(&mut self, there: &str, here: &str) {
        self.references.settle(there, here);
    }

    /// Gives the id here of what a field refers to.
    pub(super) fn home(&self, id: &str) -> Option<&str> {
        self.references.home(id)
    }

    fn label(&mut self, file: &str, raw: &str) -> String {
        // What nobody sees goes first: dropped afterwards, it would put a secret together again.
        let tidied = text::tidy(raw);
        let redacted = self.redacted(&text::strip_markup(&tidied));
        match text::clean_title(&redacted) {
            Ok(cleaned) => {
                if cleaned.is_shortened() {
                    self.keep_original(file, "its title was too long, and was shortened");
                }
                cleaned.title
            }
            Err(_) => "Untitled".to_owned(),
        }
    }

    /// Cleans short words: keywords, tags, scopes.
    pub(super) fn labels(&mut self, file: &str, raw: &[String]) -> Vec<String> {
        raw.iter().map(|raw| self.label(file, raw)).collect()
    }

    /// Gives the keys of a file that nobody knows, to be kept. One that means something here, but did not there, is not ours to take over.
    pub(super) fn others(&mut self, file: &str, paper: &Paper, known: &[&str]) -> Vec<(String, String)> {
        let mut others = Vec::new();
        for (key, value) in paper.others(known) {
            if RESERVED.contains(&key) {
                self.keep_original(file, &format!("`{key}` means something else here, and is left out"));
            } else {
                others.push((key.to_owned(), self.text(file, value)));
            }
        }
        others
    }

    /// Takes the secrets out of a text that otherwise stays as it is. One that something unseen stands in is no less a secret.
    fn without_secrets(&mut self, text: &str) -> String {
        let tidied = text::tidy(text);
        let clean = self.redacted(&tidied);
        if clean == tidied { self.redacted(text) } else { clean }
    }

    fn redacted(&mut self, text: &str) -> String {
        let clean = custos_redact::redact(text).into_owned();
        if clean != text {
            self.redacted += 1;
        }
        clean
    }

    /// Says whether a text has something in it that is not kept. One that something unseen stands in is no less a secret.
    pub(super) fn has_secret(&self, text: &str) -> bool {
        self.base.has_secret(text) || self.base.has_secret(&text::tidy(text))
    }

    /// Counts an item.
    pub(super) fn count(&mut self, kind: &str, is_new: bool) {
        if let Some(count) = self.counts.iter_mut().find(|count| count.kind == kind) {
            count.found += 1;
            count.new += usize::from(is_new);
        }
    }

    /// Says what is odd about a file.
    pub(super) fn odd(&mut self, file: &str, what: impl Into<String>) {
        self.oddities.insert(self.remark(file, &what.into()));
    }

    /// Says that an item is there, but says something else. A person may have changed it; but what is there may be another tree's as well.
    pub(super) fn differs(&mut self, file: &str, name: &str) {
        self.was_changed(file, name);
        if self.is_further() {
            self.put_aside(file, None);
        }
    }

    /// Says that an item is there, since it came from this very file, but says something else.
    pub(super) fn was_changed(&mut self, file: &str, name: &str) {
        self.odd(file, format!("is there as {name} and says something else there, which stays"));
    }

    /// Says that a file is not carried, since it says nothing that is missed here.
    pub(super) fn leave(&mut self, file: &str, why: impl Into<String>) {
        self.left.push(self.remark(file, &why.into()));
    }

    /// Says that something could not be carried, and is not here now.
    pub(super) fn lose(&mut self, file: &str, why: impl Into<String>) {
        self.lost.push(self.remark(file, &why.into()));
    }

    /// What people are told of a file. It may repeat what stands in it, and what is secret is not said again.
    fn remark(&self, file: &str, what: &str) -> Remark {
        Remark { file: self.shown(file), what: custos_redact::redact(what).into_owned() }
    }

    /// Says something about the whole.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Says that an item has another name now.
    pub(super) fn rename(&mut self, file: &str, from: &str, to: &str) {
        let from = shown(&custos_redact::redact(from));
        self.renamed.push(Renamed { file: self.shown(file), from, to: to.to_owned() });
    }

    /// Says which numbers were given out.
    pub(super) fn gave(&mut self, numbers: &Numbers) {
        self.given.extend(numbers.given());
    }

    /// Says whether there is no file of a name, now and after what is planned.
    pub(super) fn is_free(&self, file: &str) -> bool {
        self.ahead.is_free(file)
    }

    /// Plans to write a file.
    pub(super) fn keep(&mut self, file: String, text: String, events: Events) {
        self.ahead.keep(file, text, events);
    }

    /// A file as people are told of it.
    fn shown(&self, file: &str) -> String {
        shown(&self.origin(file))
    }

    /// Keeps the original of an item beside it, since the item says less.
    pub(super) fn keep_original(&mut self, file: &str, why: &str) {
        self.odd(file, why);
        self.put_aside(file, None);
    }

    /// Keeps a file as it is, but without secrets.
    pub(super) fn set_aside(&mut self, file: &str, why: impl Into<String>) {
        self.put_aside(file, Some(why.into()));
    }

    fn put_aside(&mut self, file: &str, why: Option<String>) {
        let Some(tree) = self.tree else { return };
        let origin = self.origin(file);
        // Several things may be odd about one file, and it is read once.
        let place = self.aside.known(&origin).unwrap_or_else(|| {
            let place = self.aside.read(tree, file).map(|(text, broken)| {
                let clean = self.without_secrets(&text);
                aside::keep(&mut self.ahead, &aside::place(file, &self.prefix), &clean) + broken
            });
            self.aside.know(origin, place)
        });
        match (place, why) {
            (Ok(place), Some(why)) => {
                let remark = self.remark(file, &format!("{why}: in {place}"));
                self.aside.told.push(remark);
            }
            (Ok(_), None) => {}
            (Err(unread), Some(why)) if unread.flaw == Flaw::Closed => {
                self.lose(file, format!("{why}; {}", unread.why));
            }
            (Err(unread), _) => self.lose(file, unread.why),
        }
    }

    /// Ends with a tree: what nobody took is kept as it is.
    pub(super) fn finish(&mut self) {
        for settings in ["config.yaml", "workspace.yaml"] {
            if self.take_one(settings).is_some() {
                self.leave(settings, "settings of AXME Code, which mean nothing here");
            }
        }
        if self.take_one("worklog.jsonl").is_some() {
            self.set_aside("worklog.jsonl", "the journal of AXME Code has times and writers of its own");
        }
        for file in std::mem::take(&mut self.files.telling) {
            self.set_aside(&file, "has no place of its own");
        }
        let count = self.files.bookkeeping.len();
        if count > 0 {
            self.note(format!("{count} files of AXME Code's own bookkeeping are not carried"));
        }
        // Whoever imports once more has been told.
        if self.ahead.planned_files() > self.planned {
            let broken: Vec<Remark> =
                self.references.broken().map(|(file, what)| self.remark(file, &what)).collect();
            self.oddities.extend(broken);
        }
        for remark in std::mem::take(&mut self.files.left) {
            self.lost.push(Remark { file: self.origin(&remark.file), ..remark });
        }
    }

    /// Gives everything that was found.
    pub(super) fn packed(mut self) -> Packed {
        self.counts.retain(|count| count.found > 0);
        let mut aside = self.aside.told;
        aside.sort();
        for remarks in [&mut self.left, &mut self.lost] {
            remarks.sort();
            remarks.dedup();
        }
        let store = self.ahead.store();
        let writes = self.ahead.into_writes();
        let carried = Carried {
            store: store.name.clone(),
            level: store.level,
            root: store.root.clone(),
            counts: self.counts,
            renamed: self.renamed,
            aside,
            left: self.left,
            lost: self.lost,
            oddities: self.oddities.into_iter().collect(),
            notes: self.notes,
            redacted: self.redacted,
            writes: writes.len(),
            rules: self.rules,
        };
        Packed { carried, writes, given: self.given }
    }
}

/// Gives the name of a Markdown file that lies in one of these directories, without its ending.
pub(super) fn stem_in<'f>(file: &'f str, directories: &[&str]) -> Option<&'f str> {
    let name = directories.iter().find_map(|directory| file.strip_prefix(directory)?.strip_prefix('/'))?;
    name.strip_suffix(".md").filter(|stem| !stem.contains('/'))
}

/// Says whether a name begins with the letter of an id: `d-012` is one of D.
pub(super) fn has_letter(stem: &str, letter: &str) -> bool {
    stem.get(..letter.len()).is_some_and(|start| start.eq_ignore_ascii_case(letter))
}

/// What the log says of an item that was carried over.
pub(super) fn event(item: &str, id: &str, title: &str, file: &str, text: &str) -> (Kind, Map<String, Value>) {
    let body = Map::from_iter([
        ("item".to_owned(), json!(item)),
        ("id".to_owned(), json!(id)),
        ("title".to_owned(), json!(title)),
        ("file".to_owned(), json!(file)),
        ("text".to_owned(), json!(text)),
        ("source".to_owned(), json!("import")),
    ]);
    (Kind::KnowledgeSaved, body)
}

/// Reads a time in any of the forms that AXME Code wrote: `2026-06-28 16:40:11 UTC`, without the zone, as a date, or as ISO has it.
pub(super) fn time(raw: &str) -> Option<Timestamp> {
    let raw = raw.trim().trim_end_matches("UTC").trim();
    let full = match raw.len() {
        10 => format!("{raw}T00:00:00Z"),
        16 => format!("{}:00Z", raw.replacen(' ', "T", 1)),
        19 => format!("{}Z", raw.replacen(' ', "T", 1)),
        _ => raw.to_owned(),
    };
    full.parse().ok()
}

/// Reads a time as files have it.
pub(super) fn iso(raw: &str) -> Option<String> {
    time(raw).map(as_text)
}

/// Writes a time as files have it.
pub(super) fn as_text(time: Timestamp) -> String {
    format!("{}Z", &time.to_string()[..19])
}

/// Says where an item comes from, in our words.
pub(super) fn source(word: &str) -> Option<&'static str> {
    match word {
        "init-scan" | "scan" => Some("scan"),
        "session" | "agent" => Some("session"),
        "" | "manual" => Some("manual"),
        "preset" => Some("preset"),
        "audit" | "auditor" => Some("audit"),
        _ => None,
    }
}
