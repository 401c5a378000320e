//! The store itself: its directories, what git ignores in it, what a crash left behind, and the files that are no items.
//!
//! Nothing in here follows a link. A directory that is one is shown and not looked into, as everywhere in the knowledge base.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

use custos_config::shown::shown;
use custos_config::source::{is_absence, is_linked_below};
use custos_config::yaml;

use super::tracked;
use super::trouble::{Given, Remedy, Trouble};
use crate::base::{Base, Stack};
use crate::described;
use crate::directory::visit_names;
use crate::handoff::Handoff;
use crate::ignore;
use crate::plan::Plan;
use crate::shelf::{Fault, Item};
use crate::store::{Level, MOST_FILES, Store};
use crate::{pledge, question, text, whole, worklog};

/// The directories of a store; what else lies in it is nobody's business.
const DIRECTORIES: [&str; 18] = [
    "decisions",
    "memory",
    "memory/feedback",
    "memory/patterns",
    "backlog",
    "oracle",
    "policies",
    "local",
    "local/handoffs",
    "local/plans",
    "local/proposals",
    "local/archive",
    "archive",
    "archive/decisions",
    "archive/memory",
    "archive/memory/feedback",
    "archive/memory/patterns",
    "archive/backlog",
];

/// The files of a store that are YAML. Others read them: a broken one is told here as well, because this is where one asks.
const SETTINGS: [&str; 2] = ["config.yaml", "policies/safety.yaml"];

/// The word of the log for what is no item.
const STORE: &str = "store";
/// How files are called while they are written, and how old one has to be that nobody writes any more.
const LEFTOVER: &str = ".custos-";
const LEFTOVER_LETTERS: usize = 6;
const LEFTOVER_AGE: i64 = 60 * 60 * 1_000;

/// Says what keeps the store from being looked at, if anything does.
pub(super) fn entrance(store: &Store) -> Option<Trouble> {
    let metadata = fs::symlink_metadata(&store.dir).ok()?;
    let name = store.dir.file_name().unwrap_or_default().to_string_lossy();
    let what = if is_linked_below(&store.root, &store.dir) {
        "is a link, which is not followed"
    } else if metadata.is_dir() {
        return None;
    } else {
        "is not a directory"
    };
    Some(Trouble::new(
        STORE,
        name,
        0,
        what,
        "Put a directory in its place; until then nothing is read or written here",
    ))
}

/// Finds what is wrong with a store apart from its items.
pub(super) fn look(base: &Base, stack: &Stack) -> Vec<Trouble> {
    let store = &stack.store;
    let now = base.around().now().as_millis();
    let mut found = Vec::new();
    found.extend(ignored(store));
    found.extend(tracked::look(store));
    found.extend(taken(store));
    found.extend(broken_off(store));
    walk(store, "", now, &mut found);
    for directory in DIRECTORIES {
        walk(store, directory, now, &mut found);
    }
    if readable(store, question::FILE, "question", &mut found).is_some() {
        found.extend(questions(store));
    }
    for name in store.list("archive") {
        readable(store, &format!("archive/{name}"), STORE, &mut found);
    }
    each::<Plan>(store, "local/plans", "plan", &mut found);
    each::<Handoff>(store, "local/handoffs", "handoff", &mut found);
    if let Some(text) = readable(store, worklog::FILE, "worklog", &mut found) {
        found.extend(unresolved("worklog", worklog::FILE, &text).map(|trouble| Trouble {
            next:
                "Take the marks out by hand; what is added meanwhile goes to the end of the file".to_owned(),
            ..trouble
        }));
    }
    for file in SETTINGS {
        if let Some(text) = readable(store, file, STORE, &mut found) {
            found.extend(unsettled(file, &text));
        }
    }
    for section in described::SECTIONS {
        let file = format!("oracle/{section}.md");
        if let Some(text) = readable(store, &file, "oracle", &mut found) {
            found.extend(unresolved("oracle", &file, &text));
        }
    }
    found
}

/// Says whether there is nothing of this name. The disk is asked: some take names for the same that differ in case.
pub(super) fn is_free(store: &Store, file: &str) -> bool {
    fs::symlink_metadata(store.path(file)).is_err_and(|error| is_absence(&error))
}

/// Reads a file; one that cannot be read is told.
fn readable(store: &Store, file: &str, item: &'static str, found: &mut Vec<Trouble>) -> Option<String> {
    match store.read(file) {
        Ok(text) => text,
        Err(error) => {
            found.push(Trouble::of_error(item, file, &error));
            None
        }
    }
}

fn each<T: Item>(store: &Store, directory: &str, item: &'static str, found: &mut Vec<Trouble>) {
    for name in store.list(directory) {
        let file = format!("{directory}/{name}");
        if let Some(text) = readable(store, &file, item, found)
            && let Err(fault) = T::read(&file, &text)
        {
            found.push(Trouble::of_fault(item, fault));
        }
    }
}

/// Finds what is wrong with the questions. They share a file, so that what is wrong with one does not keep the others from being read.
fn questions(store: &Store) -> Vec<Trouble> {
    let question::Looked { faults, twins, nameless, renumbered } = match question::looked_at(store) {
        Ok(looked) => looked,
        Err(fault) => return vec![Trouble::of_fault("question", fault)],
    };
    let trouble =
        |fault: Fault, next: &str| Trouble::new("question", fault.file, fault.line, fault.reason, next);
    let unknown = "Mend it by hand; until then this question counts as open and is not changed";
    let mut found: Vec<Trouble> = faults.into_iter().map(|fault| trouble(fault, unknown)).collect();
    let heading = |(fault, heading): (Fault, String)| trouble(fault, &format!("Write `{heading}`"));
    found.extend(nameless.into_iter().map(heading));
    let by_hand = "Give one of them a free id by hand; until then neither can be answered";
    let by_repair = "The repair leaves the id to the one that was asked first, or to the first in the file where the times do not tell, and gives the other the next free one; until then neither can be answered";
    // One repair is for all of them.
    found.extend(twins.into_iter().map(|fault| match &renumbered {
        Some(question::Renumbered { was, text, highest, done }) => {
            let remedy = Remedy::Renumber {
                was: was.clone(),
                text: text.clone(),
                to: None,
                given: Given('Q', *highest),
                followers: Vec::new(),
                said: Some(done.clone()),
            };
            trouble(fault, by_repair).mended_by(remedy)
        }
        None => trouble(fault, by_hand),
    }));
    found
}

/// Finds the marks of a merge in a file that has no front matter and may begin with a rule.
fn unresolved(item: &'static str, file: &str, text: &str) -> Option<Trouble> {
    let problem = text::split::refuse_marks(text).err()?;
    Some(Trouble::of_fault(item, Fault::of(file, &problem)))
}

/// Finds the settings of a store that cannot be read.
pub fn broken_settings(store: &Store) -> Vec<Fault> {
    let broken = |file: &str| match store.read(file) {
        Ok(text) => unsettled(file, &text?).map(|trouble| Fault::new(file, trouble.line, trouble.what)),
        Err(error) => Some(Fault::new(file, 0, error.to_string())),
    };
    SETTINGS.into_iter().filter_map(broken).collect()
}

/// Says why a file of settings cannot be read. What its settings mean is known to the guard and to the configuration, which say so themselves.
fn unsettled(file: &str, text: &str) -> Option<Trouble> {
    // A conflict is the better answer than what YAML makes of it.
    let (line, why) = match text::split::refuse_conflict_in_yaml(text, 1) {
        Err(problem) => (problem.line, problem.reason),
        Ok(()) => match yaml::parse(text) {
            Err(broken) => (broken.at.line, broken.why),
            Ok(Some(node)) if !matches!(node.content(), yaml::Content::Mapping(_)) && !node.is_null() => {
                (node.at.line, "is no list of settings with names".to_owned())
            }
            Ok(_) => return None,
        },
    };
    let next = "Mend it by hand; until then the last good version counts, or what is built in";
    Some(Trouble::new(STORE, file, line, why, next))
}

/// Looks at the names in a directory.
fn walk(store: &Store, directory: &str, now: i64, found: &mut Vec<Trouble>) {
    let (path, directory_shown) = match directory {
        "" => (store.dir.clone(), "."),
        directory => (store.path(directory), directory),
    };
    // The link itself is told where it stands.
    if path.parent().is_some_and(|parent| is_linked_below(&store.root, parent)) {
        return;
    }
    let Ok(metadata) = fs::symlink_metadata(&path) else { return };
    if !metadata.is_dir() {
        let what =
            if metadata.is_symlink() { "is a link, which is not followed" } else { "is not a directory" };
        found.push(Trouble::new(
            STORE,
            directory,
            0,
            what,
            "Put a directory in its place; until then nobody reads what is in it",
        ));
        return;
    }
    let listed = visit_names(&path, MOST_FILES, |name| found.extend(stranger((&path, directory), name, now)));
    match listed {
        Ok(false) => {}
        Ok(true) => {
            let what = format!("holds more than {MOST_FILES} files, and only as many are read");
            let next = "Move what is no longer needed elsewhere";
            found.push(Trouble::new(STORE, directory_shown, 0, what, next));
        }
        Err(error) => {
            let what = format!("cannot be read: {error}");
            found.push(Trouble::new(STORE, directory_shown, 0, what, "Check its permissions"));
        }
    }
}

/// A file that was never finished, or that has a name which nobody can read.
fn stranger((path, directory): (&Path, &str), name: &OsStr, now: i64) -> Option<Trouble> {
    let file =
        |name: &str| if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
    let Some(name) = name.to_str() else {
        let shown = name.to_string_lossy();
        let is_ours = shown.ends_with(".md");
        return is_ours.then(|| {
            Trouble::new(
                STORE,
                file(&shown),
                0,
                "has a name that is not UTF-8, so nobody reads it",
                "Rename it",
            )
        });
    };
    let letters = name.strip_prefix(LEFTOVER)?;
    let is_ours =
        letters.len() == LEFTOVER_LETTERS && letters.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_old = fs::symlink_metadata(path.join(name))
        .is_ok_and(|metadata| metadata.is_file() && age(&metadata, now) > LEFTOVER_AGE);
    (is_ours && is_old).then(|| {
        Trouble::new(
            STORE,
            file(name),
            0,
            "was never finished",
            "The repair removes it; the file that it was for is whole",
        )
        .mended_by(Remedy::RemoveLeftover)
    })
}

/// The age of a file, in milliseconds.
fn age(metadata: &Metadata, now: i64) -> i64 {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let millis = modified.and_then(|time| i64::try_from(time.as_millis()).ok());
    millis.map_or(0, |millis| now.saturating_sub(millis))
}

/// What git is told to leave alone: the things of this machine.
fn ignored(store: &Store) -> Option<Trouble> {
    // The person's own store is in no repo.
    if store.level == Level::User {
        return None;
    }
    let text = match store.read(ignore::FILE) {
        Ok(text) => text,
        Err(error) => return Some(Trouble::of_error(STORE, ignore::FILE, &error)),
    };
    let (what, next, done) = match text.as_deref().map(ignore::hides_local) {
        Some(Some(true)) => return None,
        Some(Some(false)) => {
            let what = "takes `local/` out again, so that git takes handoffs, worklog and plans along";
            let next = "Remove that line unless it is meant so";
            return Some(Trouble::new(STORE, ignore::FILE, 0, what, next));
        }
        Some(None) => (
            "lacks `local/`, so that git takes handoffs, worklog and plans along",
            "The repair adds the line",
            "The file says so now",
        ),
        None => (
            "is missing, so that git takes handoffs, worklog and plans along",
            "The repair makes it",
            "It is made",
        ),
    };
    let is_done = |store: &Store| store.unhidden().is_none();
    Some(Trouble::new(STORE, ignore::FILE, 0, what, next).mended_by(Remedy::Lock { done, is_done }))
}

/// What a power cut took of files that were saved, and that the next write would put in place.
fn taken(store: &Store) -> Option<Trouble> {
    let taken = match pledge::taken(store) {
        Ok(taken) => taken,
        Err(error) => {
            let what = format!("cannot be read, so that saving takes longer: {error}");
            let next = "Check whose it is and its permissions; without it a power cut that it tells of costs what it holds, and it is made again";
            return Some(Trouble::new(STORE, pledge::FILE, 0, what, next));
        }
    };
    let first = taken.first()?;
    let more = if taken.len() > 1 { format!(" and {} more", taken.len() - 1) } else { String::new() };
    let what = format!("tells of {}{more}, which a power cut has taken", shown(first));
    let done = "It is in its place again, or beside it in local/archive where somebody may have removed it";
    let is_done = |store: &Store| pledge::taken(store).is_ok_and(|taken| taken.is_empty());
    let next = "The repair puts it in its place, and so does the next write";
    Some(Trouble::new(STORE, pledge::FILE, 0, what, next).mended_by(Remedy::Lock { done, is_done }))
}

/// A change of several files that a process did not live to finish.
fn broken_off(store: &Store) -> Option<Trouble> {
    let trouble = |what: String, next: &str| Trouble::new(STORE, whole::FILE, 0, what, next);
    match whole::broken_off(store) {
        Ok(None) => None,
        Ok(Some(steps)) => {
            let file = steps.first().map_or_else(String::new, |step| format!(" into {}", shown(&step.file)));
            let what = format!("tells of a merge of memories{file} that broke off");
            let done = "It is taken back: the memories are as they were";
            let is_done = |store: &Store| matches!(whole::broken_off(store), Ok(None));
            Some(
                trouble(what, "The repair takes it back, and so does the next write")
                    .mended_by(Remedy::Lock { done, is_done }),
            )
        }
        Err(why) => Some(trouble(why, "Remove it once the memories are as they should be")),
    }
}
