//! What sessions of AXME Code left behind: handoffs and the worklog.
//!
//! A handoff of AXME Code knows its day only; the minute is in the worklog or in the session's own file. `handoff.md` is a copy of the newest
//! one, or the newest one itself. The newest five are ours to keep, so older ones are put aside.

use std::collections::HashMap;

use custos_config::shown::shown;
use custos_model::Timestamp;
use serde_json::Value;

use super::cargo::{Cargo, as_text, event, time};
use crate::handoff::{self, Author, DIRECTORY, Handoff, MOST, Parts, safe_session};
use crate::shelf::Item as _;
use crate::store::LARGEST;
use crate::text;
use crate::worklog::{self, Entry};

const COPY: &str = "plans/handoff.md";
const WORKLOG: &str = "worklog.md";
/// How much of a worklog is carried into ours; the rest stays in the copy of the whole.
const MOST_OF_WORKLOG: usize = 128 << 10;

/// A handoff on its way.
struct Parcel {
    file: String,
    time: Option<Timestamp>,
    session: Option<String>,
    source: Author,
    parts: Parts,
}

pub(super) fn pack(cargo: &mut Cargo<'_>) {
    let ended = worklog(cargo);
    handoffs(cargo, &ended);
}

/// Carries the worklog; gives when sessions ended, by the first eight characters of their names.
fn worklog(cargo: &mut Cargo<'_>) -> HashMap<String, Timestamp> {
    let mut ended = HashMap::new();
    let Some(file) = cargo.take_one(WORKLOG) else { return ended };
    let Some(raw) = cargo.read_many(&file) else { return ended };
    let whole = text::tidy(&raw);
    let (before, sections) = sections(&whole);
    let mut entries: Vec<Entry> = Vec::new();
    let mut of_session: HashMap<String, usize> = HashMap::new();
    for (time_text, session, said) in sections {
        if let (Some(session), Some(time)) = (&session, time(&time_text)) {
            ended.insert(session.clone(), time);
        }
        let said = cargo.text(WORKLOG, &said);
        let own = session.as_ref().and_then(|session| of_session.get(session));
        if let Some(at) = own {
            // The agent's account, then the auditor's.
            entries[*at].text.push_str(&format!("\n\n{said}"));
            continue;
        }
        if let Some(session) = &session {
            of_session.insert(session.clone(), entries.len());
        }
        entries.push(Entry { time: time_text, session, client: None, text: said });
    }
    entries.retain(|entry| !entry.text.trim().is_empty());
    entries.sort_by(|a, b| a.time.cmp(&b.time));
    if !before.trim().is_empty() {
        cargo.set_aside(WORKLOG, "has a text before its first section");
    }
    let mut room = MOST_OF_WORKLOG;
    let fitting = entries.iter().rev().take_while(|entry| {
        room = room.saturating_sub(entry.text.len() + 64);
        room > 0
    });
    let surplus = entries.len() - fitting.count();
    if surplus > 0 {
        cargo.set_aside(WORKLOG, format!("its {surplus} oldest sections are too much for ours"));
        entries.drain(..surplus);
    }
    let old = match cargo.ahead().read(worklog::FILE) {
        Ok(old) => old.unwrap_or_default(),
        Err(error) => {
            cargo.set_aside(WORKLOG, error.to_string());
            return ended;
        }
    };
    let (new, count) = worklog::with_older(&old, &entries);
    if new.len() as u64 > LARGEST {
        cargo.set_aside(WORKLOG, format!("{} has no room for it", worklog::FILE));
        return ended;
    }
    for at in 0..entries.len() {
        cargo.count("worklog sections", at < count);
    }
    // Two trees may tell of one session, each its own part.
    if cargo.is_further() && !worklog::says_all(&new, &entries) {
        cargo.set_aside(WORKLOG, "has another account of a session that is told already");
    }
    if count > 0 {
        let event = event("worklog", "axme", &format!("{count} sections"), worklog::FILE, "");
        cargo.keep(worklog::FILE.to_owned(), new, vec![event]);
    }
    ended
}

/// Tells the sections apart: when, of which session, and what they say. What stands before the first comes first.
fn sections(whole: &str) -> (String, Vec<(String, Option<String>, String)>) {
    let mut before = String::new();
    let mut sections: Vec<(String, Option<String>, String)> = Vec::new();
    for line in whole.lines() {
        let begun = line.strip_prefix("## ").and_then(|rest| {
            let (stamp, rest) = rest.split_at_checked("2026-06-20 17:58".len())?;
            time(stamp).map(|_| (stamp.to_owned(), rest))
        });
        match (begun, sections.last_mut()) {
            (Some((stamp, rest)), _) => {
                let rest = rest.trim_start_matches([' ', '-', '–', '—']);
                let (session, title) = match rest.strip_prefix("Session ") {
                    Some(rest) => {
                        let (session, title) = rest.split_once(':').unwrap_or((rest, ""));
                        (Some(safe_session(session)), title.trim())
                    }
                    None => (None, rest),
                };
                sections.push((stamp, session, format!("{title}\n")));
            }
            (None, Some((_, _, text))) => text.push_str(&format!("{line}\n")),
            (None, None) => before.push_str(&format!("{line}\n")),
        }
    }
    (before, sections)
}

fn handoffs(cargo: &mut Cargo<'_>, ended: &HashMap<String, Timestamp>) {
    let is_handoff = |file: &str| {
        let name = file.strip_prefix("plans/handoff").and_then(|rest| rest.strip_suffix(".md"));
        name.is_some_and(|name| name.is_empty() || (name.starts_with('-') && !name.contains('/')))
    };
    let mut parcels: Vec<Parcel> = Vec::new();
    for file in cargo.take(is_handoff) {
        let Some(raw) = cargo.read(&file) else { continue };
        parcels.push(read(cargo, file, &text::tidy(&raw), ended));
    }
    // The copy is the newest by definition, or one of the others once more.
    if let Some(at) = parcels.iter().position(|parcel| parcel.file == COPY) {
        let copy = parcels.swap_remove(at);
        if !parcels.iter().any(|other| other.parts == copy.parts) {
            parcels.push(copy);
        }
    }
    let newest = parcels.iter().filter_map(|parcel| parcel.time).max();
    let oldest = parcels.iter().filter_map(|parcel| parcel.time).min();
    let now = time(&cargo.now());
    let there: Vec<(Option<Timestamp>, Handoff)> = cargo
        .ahead()
        .items::<Handoff>(DIRECTORY)
        .into_iter()
        .map(|held| (time(&held.kept.item.date), Handoff::clone(&held.kept.item)))
        .collect();
    let newest_here = there.iter().filter_map(|(time, _)| *time).max();
    for parcel in parcels.iter_mut().filter(|parcel| parcel.time.is_none()) {
        cargo.odd(&parcel.file, "does not say when it was written");
        let guessed = match (parcel.file == COPY, newest, oldest) {
            (true, Some(newest), _) => Some(newest.minus_millis(-1_000)),
            (false, _, Some(oldest)) => Some(oldest.minus_millis(1_000)),
            _ => cargo.modified(&parcel.file).min(now).or(now),
        };
        // The next session begins with the newest. What may be old does not come before what is known to be from here.
        let is_older = newest.is_none_or(|newest| newest_here.is_some_and(|here| newest < here));
        let latest = newest_here.filter(|_| is_older).map(|here| here.minus_millis(1_000));
        parcel.time = latest.map_or(guessed, |latest| guessed.map(|guessed| guessed.min(latest)));
    }
    parcels.sort_by(|a, b| (b.time, &b.file).cmp(&(a.time, &a.file)));
    let is_there = |parcel: &Parcel| {
        let written = Handoff::read(DIRECTORY, &spell(parcel).1).ok();
        let same = |known: &Handoff| Some(&known.parts) == written.as_ref().map(|written| &written.parts);
        there.iter().any(|(_, known)| same(known) && known.session == parcel.session)
    };
    let (old, new): (Vec<Parcel>, Vec<Parcel>) = parcels.into_iter().partition(is_there);
    for _ in &old {
        cargo.count("handoffs", false);
    }
    for (at, parcel) in new.iter().enumerate() {
        let newer = there.iter().filter(|(time, _)| *time >= parcel.time).count();
        if at + newer >= MOST {
            cargo.set_aside(&parcel.file, format!("only the newest {MOST} handoffs are kept"));
            continue;
        }
        cargo.count("handoffs", true);
        let (stem, text) = spell(parcel);
        let mut file = format!("{DIRECTORY}/{stem}.md");
        for count in 2.. {
            if cargo.is_free(&file) {
                break;
            }
            file = format!("{DIRECTORY}/{stem}-{count}.md");
        }
        let session = parcel.session.as_deref().unwrap_or_default();
        let event = event("handoff", session, &parcel.parts.stopped_at, &file, &parcel.parts.summary);
        cargo.keep(file, text, vec![event]);
    }
}

fn spell(parcel: &Parcel) -> (String, String) {
    let date = parcel.time.map_or_else(|| "1970-01-01T00:00:00Z".to_owned(), as_text);
    let session = parcel.session.as_deref();
    let stem = format!("{}-{}", date.replace(['-', ':'], ""), session.unwrap_or("unknown"));
    (stem, handoff::written(&date, session, parcel.source, &parcel.parts))
}

fn read(cargo: &mut Cargo<'_>, file: String, whole: &str, ended: &HashMap<String, Timestamp>) -> Parcel {
    let (head, sections) = headed(whole);
    let mut parts = Parts::default();
    let mut meta: HashMap<&str, &str> = HashMap::new();
    let mut loose = Vec::new();
    // What stands between two rules at the very beginning.
    let mut front = None;
    for (at, line) in head.lines().enumerate() {
        if line.trim_end() == "---" && (at == 0 || front.is_some()) {
            front = (at == 0).then_some(());
            continue;
        }
        if line.trim().is_empty() || line.starts_with("# ") {
            continue;
        }
        if let Some(stopped) = line.strip_prefix("Stopped at:") {
            parts.stopped_at = cargo.text(&file, stopped);
        } else if let Some((key, value)) = front.and_then(|()| line.split_once(':')) {
            // Front matter has the same words in lower case.
            let known = ["Date", "Session", "Source"]
                .into_iter()
                .find(|known| known.eq_ignore_ascii_case(key.trim()));
            match known {
                Some(known) => drop(meta.insert(known, value.trim().trim_matches(['"', '\'']))),
                None => loose.push(line),
            }
        } else if ["Date:", "Session:", "Source:"].iter().any(|key| line.starts_with(key)) {
            meta.extend(
                line.split('|')
                    .filter_map(|part| part.split_once(':'))
                    .map(|(key, value)| (key.trim(), value.trim())),
            );
        } else {
            loose.push(line);
        }
    }
    let mut more = cargo.text(&file, &loose.join("\n"));
    for (heading, text) in sections {
        let text = cargo.text(&file, &text);
        if text.is_empty() || text == "None" {
            continue;
        }
        let place = match heading.to_lowercase().as_str() {
            "summary" => &mut parts.summary,
            "in progress" => &mut parts.in_progress,
            "prs" | "pull requests" => &mut parts.prs,
            "test results" => &mut parts.test_results,
            "blockers" => &mut parts.blockers,
            "next steps" => &mut parts.next_steps,
            "dirty branches" => &mut parts.dirty_branches,
            _ => {
                more.push_str(&format!("\n\n{heading}:\n{text}"));
                continue;
            }
        };
        let gap = if place.is_empty() { "" } else { "\n\n" };
        place.push_str(&format!("{gap}{text}"));
    }
    if !more.trim().is_empty() {
        let summary = format!("{}\n\n{}", parts.summary, more.trim());
        summary.trim().clone_into(&mut parts.summary);
    }
    let of_name = file.strip_prefix("plans/handoff-").and_then(|rest| rest.strip_suffix(".md"));
    let session = meta.get("Session").copied().or(of_name).map(safe_session);
    let day = meta.get("Date").copied().unwrap_or_default();
    if time(day).is_none() && !day.is_empty() {
        cargo.odd(&file, format!("its date is `{}`, which is none", shown(day)));
    }
    let known =
        session.as_deref().and_then(|session| ended.get(session).copied().or_else(|| closed(cargo, session)));
    let source = if meta.get("Source") == Some(&"agent") { Author::Agent } else { Author::Auditor };
    let when = known.or_else(|| time(day)).or_else(|| named_day(&file));
    Parcel { file, time: when, session, source, parts }
}

/// Finds the day that the name of a file has in it, such as `handoff-2026-06-20-api.md`.
fn named_day(file: &str) -> Option<Timestamp> {
    let name = file.rsplit('/').next().unwrap_or(file);
    (0..name.len()).find_map(|at| time(name.get(at..at + "2026-06-20".len())?))
}

/// Tells what stands before the first heading from the sections below.
fn headed(whole: &str) -> (String, Vec<(String, String)>) {
    let mut head = String::new();
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in whole.lines() {
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(heading), _) => sections.push((heading.trim().to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(&format!("{line}\n")),
            (None, None) => head.push_str(&format!("{line}\n")),
        }
    }
    (head, sections)
}

/// Reads when a session was closed from AXME Code's own file about it.
fn closed(cargo: &Cargo<'_>, session: &str) -> Option<Timestamp> {
    let begin = format!("sessions/{session}");
    let file = cargo.bookkeeping().find(|file| file.starts_with(&begin) && file.ends_with("/meta.json"))?;
    let text = cargo.read_quietly(file, 64 << 10)?;
    let meta: Value = serde_json::from_str(&text).ok()?;
    meta.get("closedAt")?.as_str().and_then(time)
}
