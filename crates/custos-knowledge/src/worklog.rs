//! The worklog: what was done, session by session, for people who look back.
//!
//! `local/worklog.md`, at the session's root and on this machine only. Each session has one section; what it writes later goes below what it
//! wrote before, and a new session begins at the end. A section begins at a heading with a time and at nothing else, so that a text may have
//! headings of its own; a line of a text that looks just like one of ours gets a backslash, and loses it when it is read. So does one that
//! looks like the mark of a merge, and one that begins a block of code which its text does not end: it would reach into the next section.
//!
//! The file is kept small: when it is full, its oldest sections move to `local/archive/`, beside the other things of this machine. Nothing is
//! ever removed.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use custos_model::Kind;
use custos_redact::redact;
use serde::Serialize;
use serde_json::{Map, json};

use crate::base::{Base, View};
use crate::handoff::safe_session;
use crate::keeping::{self, Became};
use crate::lines::{Line, end_of_text, insert, lines};
use crate::refusal::Refusal;
use crate::store::{Level, Store, Writing};
use crate::text;

/// The file, below the store.
pub const FILE: &str = "local/worklog.md";
/// Where sections go when the file is full.
const ARCHIVE: &str = "local/archive";
/// How large the file may grow: well below what is read again.
const FULL: usize = 512 << 10;
/// What whoever says the same again is told.
const SAYS_SO: &str = "The worklog says so already";

/// A section of the worklog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// When it was begun: `2026-11-15 20:55`, UTC.
    pub time: String,
    /// The session.
    pub session: Option<String>,
    /// The client of the session.
    pub client: Option<String>,
    /// What was done.
    pub text: String,
}

/// What became of a text for the worklog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SavedEntry {
    /// When its section was begun.
    pub time: String,
    /// The session.
    pub session: Option<String>,
    /// The level of the store.
    pub level: Level,
    /// The store.
    pub store: String,
    /// The file, below the store.
    pub file: String,
    /// Whether its section is new, or was added to.
    pub became: Became,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

impl Base {
    /// Adds a text to the section of this session. A session that is not known has a new section each time, but for one that says what the last
    /// of them does.
    pub fn append_entry(&self, view: &View, text: &str) -> Result<SavedEntry, Refusal> {
        let now = self.now_text();
        let entry = Entry {
            time: format!("{} {}", &now[..10], &now[11..16]),
            session: self.around().session(),
            client: self.around().client(),
            text: text.to_owned(),
        };
        self.keep_entry(view, &entry)
    }

    /// Adds a text to the section of any session; a new one begins with the time of the entry.
    pub fn keep_entry(&self, view: &View, entry: &Entry) -> Result<SavedEntry, Refusal> {
        let (text, cut) = self.clean_and_cut("worklog_entry", &entry.text);
        if text.is_empty() {
            return Err(Refusal::new("worklog_entry is empty", "Say in a few lines what was done"));
        }
        let begun = Heading::of(entry)
            .ok_or_else(|| Refusal::new("the time of the entry is none", "Send it like 2026-11-15 20:55"))?;
        let store = self.session_store(view);
        let writing = self.lock(store)?;
        let old = writing.read(FILE)?.unwrap_or_default();
        // Whoever closes a session twice says the same twice.
        let told_before = own_section(&old, &begun)
            .filter(|section| section.says(&old, &text))
            .or_else(|| nobodys_section(&old, &begun).filter(|section| section.entry(&old).text == text));
        if let Some(section) = told_before {
            let notes = cut.into_iter().chain([SAYS_SO.to_owned()]).collect();
            return Ok(saved(store, &section.heading, Became::Unchanged, notes));
        }
        let (old, mut notes) = with_room(&writing, old, text.len())?;
        let own = own_section(&old, &begun);
        notes.extend(cut);
        let new = match &own {
            Some(section) => {
                insert(&old, end_of_text(&old, section.range.clone()), &format!("\n{}\n", escaped(&text)))
            }
            None => with_section(&old, &begun, &text),
        };
        keeping::refuse_overlong(FILE, &new)?;
        writing.write_later(FILE, &new)?;
        drop(writing);
        let (became, kind) = match own {
            Some(_) => (Became::Updated, Kind::KnowledgeUpdated),
            None => (Became::Created, Kind::KnowledgeSaved),
        };
        let heading = own.map_or(begun, |section| section.heading);
        let body = Map::from_iter([
            ("item".to_owned(), json!("worklog")),
            ("id".to_owned(), json!(heading.session)),
            ("title".to_owned(), json!(heading.to_line())),
            ("file".to_owned(), json!(FILE)),
            ("text".to_owned(), json!(text)),
        ]);
        notes.extend(self.record(kind, store, body));
        Ok(saved(store, &heading, became, notes))
    }

    /// Gives the newest sections of the worklog, the newest first.
    pub fn entries(&self, view: &View, limit: usize) -> Result<Vec<Entry>, Refusal> {
        let text = self.session_store(view).read(FILE)?.unwrap_or_default();
        let private = text::passages(&text);
        let shown = |section: &Section| {
            let entry = section.entry(&text);
            // Of one in which a private passage begins or ends that goes beyond it, nothing is left.
            let is_cut = text::cuts(&private, &section.range);
            let said = if is_cut { text::marker() } else { redact(&entry.text).into_owned() };
            Entry { text: said, ..entry }
        };
        Ok(sections(&text).iter().rev().take(limit).map(shown).collect())
    }

    /// Gives the newest section of the worklog, if there is one that can be read.
    pub fn last_entry(&self, view: &View) -> Option<Entry> {
        self.entries(view, 1).ok()?.pop()
    }
}

fn saved(store: &Store, heading: &Heading, became: Became, notes: Vec<String>) -> SavedEntry {
    SavedEntry {
        time: heading.time.clone(),
        session: heading.session.clone(),
        level: store.level,
        store: store.name.clone(),
        file: FILE.to_owned(),
        became,
        notes,
    }
}

/// The first line of a section: `2026-11-15 20:55 · s-1 (claude-code)`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heading {
    time: String,
    session: Option<String>,
    client: Option<String>,
    /// What a person wrote behind the time instead.
    title: String,
}

impl Heading {
    /// The heading of a new section, if the time is one.
    fn of(entry: &Entry) -> Option<Self> {
        let named = |name: &Option<String>| name.as_deref().map(safe_session);
        let bare = Self::read(&format!("## {}", entry.time)).filter(|heading| heading.time == entry.time)?;
        Some(Self { session: named(&entry.session), client: named(&entry.client), ..bare })
    }

    fn read(line: &str) -> Option<Self> {
        let (time, rest) = line.strip_prefix("## ")?.split_at_checked("2026-11-15 20:55".len())?;
        let is_time = time.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            10 => byte == b' ',
            13 => byte == b':',
            _ => byte.is_ascii_digit(),
        });
        if !is_time || rest.starts_with(|c: char| !c.is_whitespace()) {
            return None;
        }
        let rest = rest.trim();
        let mut heading = Self { time: time.to_owned(), session: None, client: None, title: String::new() };
        let (named, client) = match rest.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
            Some((named, client)) => (named.trim_end(), Some(client)),
            None => (rest, None),
        };
        let session = named.strip_prefix('·').map(str::trim_start);
        let is_name = |name: &str| !name.is_empty() && name == safe_session(name);
        if session.is_some_and(is_name) || named.is_empty() && client.is_some_and(is_name) {
            heading.session = session.map(str::to_owned);
            heading.client = client.map(str::to_owned);
        } else {
            rest.clone_into(&mut heading.title);
        }
        Some(heading)
    }

    fn to_line(&self) -> String {
        let session = self.session.as_ref().map_or_else(String::new, |session| format!(" · {session}"));
        let client = self.client.as_ref().map_or_else(String::new, |client| format!(" ({client})"));
        format!("{}{session}{client}", self.time)
    }
}

/// A section and where it stands.
#[derive(Debug)]
struct Section {
    heading: Heading,
    range: Range<usize>,
    /// What stands below the heading.
    below: Range<usize>,
}

impl Section {
    fn entry(&self, text: &str) -> Entry {
        let body = self.below.start..end_of_text(text, self.below.clone());
        let mut said: Vec<Cow<'_, str>> =
            lines(text, body).skip_while(Line::is_blank).map(|line| unescaped(line.text)).collect();
        if !self.heading.title.is_empty() {
            said.insert(0, Cow::Borrowed(&self.heading.title));
        }
        Entry {
            time: self.heading.time.clone(),
            session: self.heading.session.clone(),
            client: self.heading.client.clone(),
            text: said.join("\n"),
        }
    }

    /// Says whether a text is the last that was added to it.
    fn says(&self, text: &str, added: &str) -> bool {
        let said = self.entry(text).text;
        said.strip_suffix(added).is_some_and(|before| before.is_empty() || before.ends_with("\n\n"))
    }
}

/// Finds the section of a session. One that is not known has none.
fn own_section(text: &str, begun: &Heading) -> Option<Section> {
    let is_own = |section: &Section| begun.session.is_some() && section.heading.session == begun.session;
    sections(text).into_iter().rfind(is_own)
}

/// How much of a time is the day.
const DAY: usize = 10;

/// Finds the newest section of no session, for one that is not known: that of the same client, as far as anybody can tell.
fn nobodys_section(text: &str, begun: &Heading) -> Option<Section> {
    let is_alike = |section: &Section| {
        let Heading { session, client, title, time } = &section.heading;
        // On another day it is something else.
        begun.session.is_none()
            && session.is_none()
            && *client == begun.client
            && title.is_empty()
            && time.get(..DAY) == begun.time.get(..DAY)
    };
    sections(text).into_iter().rfind(is_alike)
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in lines(text, 0..text.len()) {
        if let Some(heading) = Heading::read(line.text) {
            sections.push(Section { heading, range: line.start..line.end, below: line.end..line.end });
        } else if let Some(section) = sections.last_mut() {
            section.range.end = line.end;
            section.below.end = line.end;
        }
    }
    sections
}

/// Puts a new section at the end.
fn with_section(old: &str, heading: &Heading, text: &str) -> String {
    let gap = match old.trim_end_matches(['\r', '\n']).len() {
        0 => "# Worklog\n\n",
        end if old[end..].matches('\n').count() > 1 => "",
        _ => "\n",
    };
    insert(old, old.len(), &format!("{gap}## {}\n\n{}\n", heading.to_line(), escaped(text)))
}

/// Moves the oldest sections to the archive until there is room for a text; what stands before the first section stays and does not count.
///
/// They are written there before they leave the file: after a crash they are in both, and never in neither.
fn with_room(writing: &Writing<'_>, old: String, needed: usize) -> Result<(String, Vec<String>), Refusal> {
    let sections = sections(&old);
    let Some(begin) = sections.first().map(|section| section.range.start) else {
        return Ok((old, Vec::new()));
    };
    let Some(excess) = (old.len() - begin + needed).checked_sub(FULL) else { return Ok((old, Vec::new())) };
    // Half of the file goes, so that this is not done again for every entry.
    let enough = begin + excess.max(FULL / 2);
    let end =
        sections.iter().map(|section| section.range.end).find(|end| *end >= enough).unwrap_or(old.len());
    let number =
        writing.store().list(ARCHIVE).iter().filter_map(|name| archive_number(name)).max().unwrap_or(0) + 1;
    let file = writing.set_aside(ARCHIVE, &format!("worklog-{number}"), &old[begin..end])?;
    let note = format!("The worklog was full, so its oldest sections are in {file} now");
    Ok(([&old[..begin], &old[end..]].concat(), vec![note]))
}

fn archive_number(name: &str) -> Option<u64> {
    name.strip_prefix("worklog-")?.strip_suffix(".md")?.parse::<u32>().ok().map(u64::from)
}

/// Where a line has, or would have, the backslash that keeps it from being anything but text, and how many stand there.
fn guards(line: &str) -> Option<(usize, usize)> {
    let bare = line.trim_start_matches('\\');
    let heading = Heading::read(bare).map(|_| (0, line.len() - bare.len()));
    heading.or_else(|| text::mark_guard(line)).or_else(|| text::fence_guard(line))
}

fn escaped(said: &str) -> String {
    let lines: Vec<&str> = said.split('\n').collect();
    let in_code = text::in_code(&lines);
    let guarded = |(line, in_code): (&&str, bool)| {
        // A section begins in a block of code as well, and a merge leaves its marks there; only what begins and ends the block is as it should be.
        let is_fence = in_code && text::fence_guard(line).is_some_and(|(_, count)| count == 0);
        match guards(line).filter(|_| !is_fence) {
            Some((at, _)) => [&line[..at], "\\", &line[at..]].concat(),
            None => String::from(*line),
        }
    };
    lines.iter().zip(in_code).map(guarded).collect::<Vec<_>>().join("\n")
}

fn unescaped(line: &str) -> Cow<'_, str> {
    match guards(line) {
        Some((0, 1..)) => Cow::Borrowed(&line[1..]),
        Some((at, 1..)) => Cow::Owned([&line[..at], &line[at + 1..]].concat()),
        _ => Cow::Borrowed(line),
    }
}

/// Puts sections of another system among those that are there, by their times. Those of sessions that have one already are left out; gives
/// the text and how many were put in.
pub(crate) fn with_older(old: &str, entries: &[Entry]) -> (String, usize) {
    let there = entries_of(old);
    let is_there = |entry: &Entry| {
        there.iter().any(|known| match &entry.session {
            Some(session) => known.session.as_ref() == Some(session),
            None => known.time == entry.time && known.text == entry.text,
        })
    };
    let new = entries.iter().filter(|entry| !is_there(entry));
    let mut new: Vec<(Heading, &str)> =
        new.filter_map(|entry| Some((Heading::of(entry)?, entry.text.as_str()))).collect();
    new.sort_by(|a, b| a.0.time.cmp(&b.0.time));
    let sections = sections(old);
    let later = |heading: &Heading| sections.iter().find(|section| section.heading.time > heading.time);
    let (between, behind): (Vec<_>, Vec<_>) = new.iter().partition(|(heading, _)| later(heading).is_some());
    let mut text = old.to_owned();
    for (heading, said) in behind {
        text = with_section(&text, heading, said);
    }
    // From behind, so that what is put in moves no place that is still needed.
    for (heading, said) in between.into_iter().rev() {
        let at = later(heading).map_or(text.len(), |section| section.range.start);
        text = insert(&text, at, &format!("## {}\n\n{}\n\n", heading.to_line(), escaped(said)));
    }
    (text, new.len())
}

/// Says whether a worklog has all these texts, each in the section of its session.
pub(crate) fn says_all(text: &str, entries: &[Entry]) -> bool {
    let there = entries_of(text);
    entries.iter().all(|entry| {
        let of_session = |known: &&Entry| known.session == entry.session;
        there.iter().filter(of_session).any(|known| known.text.contains(entry.text.trim()))
    })
}

fn entries_of(text: &str) -> Vec<Entry> {
    sections(text).into_iter().map(|section| section.entry(text)).collect()
}
