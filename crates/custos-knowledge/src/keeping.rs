//! What keeping one item has in common with keeping any other.
//!
//! An item may belong into several stores, and one of them may refuse it: the others still take it, and the answer names the one that did not.
//! Its labels (keywords, tags, scopes) are short lines like titles. Its file may hold more than we know of, so it is opened and changed, never
//! made anew; and one that cannot be read is left alone, with words that say where to look.

use std::sync::Arc;

use custos_config::shown::shown;
use serde::Serialize;

use crate::base::{Base, Stack, Targets, View};
use crate::naming::{self, Found};
use crate::refusal::{Cause, Refusal};
use crate::shelf::{Fault, Item, Kept};
use crate::store::{MOST_FILES, Store, Writing};
use crate::text::{self, Document, Wording};

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Became {
    /// It is new.
    Created,
    /// It was there, and says something else now.
    Updated,
    /// It was there, and nothing had to be written.
    Unchanged,
    /// It was put away.
    Archived,
}

/// The most labels that one item carries; with more than that it is found by anything.
const MOST_LABELS: usize = 50;
/// The longest file. What is larger could be written, but not be read again.
const LONGEST_FILE: usize = 1 << 20;

/// Cleans labels: one line each, none twice, none empty.
pub(crate) fn labels(base: &Base, raw: &[String]) -> Vec<String> {
    let mut labels = Vec::new();
    unite(
        &mut labels,
        raw.iter().filter_map(|label| base.clean_title(label).ok()).map(|cleaned| cleaned.title),
    );
    labels
}

/// Adds those labels that are not there yet, in whatever case.
pub(crate) fn unite(labels: &mut Vec<String>, more: impl IntoIterator<Item = String>) {
    for label in more {
        if labels.len() < MOST_LABELS
            && !labels.iter().any(|known| known.to_lowercase() == label.to_lowercase())
        {
            labels.push(label);
        }
    }
}

/// Writes an item to every store of a scope. A store that refuses it does not keep it from the others; only if all of them do, it is refused.
///
/// `parts` gives the notes of an outcome and the stores that refused, to which those are added that concern the whole.
pub(crate) fn in_each_store<T>(
    targets: Targets,
    mut write: impl FnMut(&Stack) -> Result<T, Refusal>,
    parts: impl Fn(&mut T) -> (&mut Vec<String>, &mut Vec<String>),
) -> Result<Vec<T>, Refusal> {
    let (mut written, mut refused) = (Vec::new(), Vec::new());
    for stack in &targets.stacks {
        match write(Arc::as_ref(stack)) {
            Ok(outcome) => written.push(outcome),
            Err(refusal) => refused.push((stack.store.name.as_str(), refusal)),
        }
    }
    let Some(first) = written.first_mut() else {
        let nowhere =
            || Refusal::missing("there is no store for this", "Leave scope out to keep it with the project");
        return Err(refused.into_iter().next().map_or_else(nowhere, |(_, refusal)| refusal));
    };
    let (notes, stores) = parts(first);
    notes.extend(targets.notes);
    for (store, refusal) in refused {
        notes.push(not_taken(store, &refusal));
        stores.push(store.to_owned());
    }
    Ok(written)
}

/// Says that one of several stores refused. That may quote a file, with what is private in it.
pub fn not_taken(store: &str, refusal: &Refusal) -> String {
    format!("{store} did not take it: {}", custos_redact::redact(&refusal.to_string()))
}

/// Finds the items of other levels that have an equivalent title. Levels never hide each other's, so both stay, and whoever saves one is told of
/// the other. What the stores have that it is `written` to, each of them has told already.
pub(crate) fn same_elsewhere<T: Item>(
    view: &View,
    written: &[Arc<Stack>],
    wording: &Wording,
    items: impl Fn(&Stack) -> Vec<Kept<T>>,
) -> Vec<Found<T>> {
    let is_written = |stack: &&Arc<Stack>| written.iter().any(|known| known.store == stack.store);
    let others = view.stacks.iter().filter(|stack| !is_written(stack));
    let same = |stack: &Arc<Stack>| {
        let mut items = items(stack);
        items.retain(|kept| kept.wording().is_equivalent(wording));
        items.into_iter().map(|kept| Found { stack: Arc::clone(stack), kept }).collect::<Vec<_>>()
    };
    others.flat_map(same).collect()
}

/// Opens the file of an item in order to change it.
pub(crate) fn open(writing: &Writing<'_>, file: &str) -> Result<Document, Refusal> {
    let text = writing.read(file)?.ok_or_else(|| {
        Refusal::new(
            format!("{} is gone", shown(file)),
            "Somebody removed it just now; look again at what there is",
        )
    })?;
    Document::parse(&text).map_err(|problem| broken(writing.store(), &Fault::of(file, &problem)))
}

/// Writes the file of a new item.
pub(crate) fn add(writing: &Writing<'_>, file: &str, text: &str) -> Result<(), Refusal> {
    refuse_overlong(file, text)?;
    Ok(writing.add(file, text)?)
}

/// Writes the file of an item.
pub(crate) fn write(writing: &Writing<'_>, file: &str, text: &str) -> Result<(), Refusal> {
    refuse_overlong(file, text)?;
    Ok(writing.write(file, text)?)
}

/// Refuses a text that would be too long for a file.
pub(crate) fn refuse_overlong(file: &str, text: &str) -> Result<(), Refusal> {
    if text.len() > LONGEST_FILE {
        return Err(Refusal::new(
            format!(
                "{} would be {} bytes long, and at most {LONGEST_FILE} are read again",
                shown(file),
                text.len()
            ),
            "Keep what matters, and put the rest into a file of the repo that the text names",
        ));
    }
    Ok(())
}

/// Refuses to touch a file that cannot be read. Whose it is is said as well: the reason may quote it.
pub(crate) fn broken(store: &Store, fault: &Fault) -> Refusal {
    let line = if fault.line == 0 { String::new() } else { format!(", line {}", fault.line) };
    let place = naming::place(store.level, &store.name);
    Refusal::new(
        format!("{} of {place}{line}: {}", shown(&fault.file), fault.reason),
        "The file is left as it is. Mend it first; `kb_doctor` lists all such files",
    )
    .because(Cause::Broken)
}

/// Gives a slug that is not taken: the one that is wanted, or the same with `-2`, `-3` and so on, no longer than `longest`. The caller holds
/// the lock.
pub(crate) fn free_slug(wanted: &str, longest: usize, is_taken: impl Fn(&str) -> bool) -> String {
    let mut slug = wanted.to_owned();
    // More than that are not looked at, either.
    for count in 2..=MOST_FILES {
        if !is_taken(&slug) {
            break;
        }
        let suffix = format!("-{count}");
        let stem = wanted.get(..longest - suffix.len()).unwrap_or(wanted);
        slug = format!("{}{suffix}", stem.trim_end_matches('-'));
    }
    slug
}

/// The name of a file without its directory and its ending.
pub(crate) fn stem(file: &str) -> &str {
    // Byte by byte: a search that is made for long texts takes longer to begin than such a name has letters.
    let begin = file.bytes().rposition(|byte| byte == b'/').map_or(0, |at| at + 1);
    let name = &file[begin..];
    name.strip_suffix(".md").unwrap_or(name)
}

/// A title as it is shown: one line, whatever stands in the file. A clone may hold anything, and a list must not.
pub(crate) fn shown_title(raw: &str) -> String {
    text::clean_title(raw).map(|cleaned| cleaned.title).unwrap_or_default()
}
