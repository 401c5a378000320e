//! The oracle's files: what the project is, in four sections.
//!
//! Each file (`oracle/stack.md` and its neighbours) has a part that the scan writes, between markers, and whatever people and agents wrote
//! around it. A scan never touches the latter ([`crate::oracle::rescan`]); what is saved here never touches the former. Whoever writes
//! something of their own between the markers, an agent that sends a whole file back or a person with an editor, finds that below them.
//!
//! A file with the marks of an unresolved merge has two truths: it is neither read nor written until somebody has chosen one. So a text that
//! only looks like one gets a backslash where it does, and a block of code that it leaves open ends with it: whatever is written can be read.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use custos_model::Kind;
use serde::Serialize;
use serde_json::Map;

use crate::base::{Base, Stack, View};
use crate::keeping;
use crate::oracle::{self, Rescanned, SentBack};
use crate::refusal::Refusal;
use crate::shelf::Fault;
use crate::store::{Level, Store};
use crate::text;

/// The sections, each a file.
pub const SECTIONS: [&str; 4] = ["stack", "structure", "patterns", "glossary"];

/// One section of one level.
#[derive(Debug, Clone)]
pub struct Described {
    /// The level that it is of.
    pub stack: Arc<Stack>,
    /// Which section.
    pub section: &'static str,
    /// The text.
    pub text: String,
}

/// What became of a text about the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SavedSection {
    /// Which section.
    pub section: String,
    /// The level of the store.
    pub level: Level,
    /// The file, below the store.
    pub file: String,
    /// Whether anything is different now.
    pub changed: bool,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

/// What became of a scan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavedScan {
    /// The sections that are different now.
    pub changed: Vec<&'static str>,
    /// The files that were left as they are, for what is wrong with them.
    pub left: Vec<Fault>,
    /// What whoever asked should know.
    pub notes: Vec<String>,
}

/// A section that a scan changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescan {
    /// Which section.
    pub section: &'static str,
    /// What its file says now, if there is one.
    pub old: Option<String>,
    /// What becomes of it.
    pub new: Rescanned,
}

/// Gives the sections that a scan changes, and the files that it leaves as they are.
pub fn rescanned(store: &Store, rendered: &oracle::Oracle) -> (Vec<Rescan>, Vec<Fault>) {
    let parts = [&rendered.stack, &rendered.structure, &rendered.patterns, &rendered.glossary];
    let (mut changed, mut left) = (Vec::new(), Vec::new());
    for (section, generated) in SECTIONS.into_iter().zip(parts) {
        match read_section(store, section) {
            Ok(old) => {
                let last = store.read(&last_of(section)).ok().flatten();
                let new = oracle::rescan(old.as_deref(), generated, last.as_deref());
                if old.as_deref() != Some(new.text.as_str()) {
                    changed.push(Rescan { section, old, new });
                }
            }
            Err(fault) => left.push(fault),
        }
    }
    (changed, left)
}

/// How a text joins what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// After it.
    Append,
    /// In its place; what the scan wrote stays.
    Replace,
}

fn file_of(section: &str) -> String {
    format!("oracle/{section}.md")
}

/// Where the generated part of a section is kept as the last scan on this machine left it.
fn last_of(section: &str) -> String {
    format!("local/scanned/{section}.md")
}

/// Reads a section, or says why it cannot be read.
pub fn read_section(store: &Store, section: &str) -> Result<Option<String>, Fault> {
    let file = file_of(section);
    let text = store.read(&file).map_err(|error| Fault::new(&file, 0, error.to_string()))?;
    if let Some(text) = &text {
        text::split::refuse_marks(text).map_err(|problem| Fault::of(&file, &problem))?;
    }
    Ok(text)
}

impl Base {
    /// Gives the sections of every level, the widest first: a workspace is described before its repo.
    pub fn described(&self, view: &View) -> Vec<Described> {
        let mut all = Vec::new();
        for stack in view.stacks.iter().rev() {
            for section in SECTIONS {
                if let Ok(Some(text)) = read_section(&stack.store, section)
                    && !text.trim().is_empty()
                {
                    let text = text::without_secrets(&text).into_owned();
                    all.push(Described { stack: Arc::clone(stack), section, text });
                }
            }
        }
        all
    }

    /// Writes down something about the project as a whole.
    pub fn save_section(
        &self,
        view: &View,
        section: &str,
        content: &str,
        mode: Mode,
    ) -> Result<SavedSection, Refusal> {
        let content = self.clean("content", content)?;
        if !SECTIONS.contains(&section) {
            return Err(Refusal::missing(
                format!("there is no section {section}"),
                format!("There are {}", SECTIONS.join(", ")),
            ));
        }
        let store = &view.own().store;
        let file = file_of(section);
        let writing = self.lock(store)?;
        let old =
            read_section(store, section).map_err(|fault| keeping::broken(store, &fault))?.unwrap_or_default();
        let sent = oracle::sent_back(&content, oracle::generated(&old).unwrap_or_default());
        // What the file says already need not be put into words that it could hold.
        let is_known = joined(&old, &sent, mode, section) == old;
        let new = if is_known { old.clone() } else { readable(&old, &sent, mode, section) };
        let changed = new != old;
        let mut notes = Vec::new();
        if changed && !sent.moved.is_empty() {
            notes.push(MOVED.to_owned());
        }
        if changed {
            keeping::refuse_overlong(&file, &new)?;
            if mode == Mode::Replace && !old.trim().is_empty() {
                let kept = writing.set_aside("archive/oracle", section, &old)?;
                notes.push(format!("What was there before is kept in {kept}"));
            }
            writing.write(&file, &new)?;
        }
        drop(writing);
        if changed {
            let body = Map::from_iter([
                ("item".to_owned(), "oracle".into()),
                ("id".to_owned(), section.into()),
                ("file".to_owned(), file.as_str().into()),
                ("text".to_owned(), content.into()),
            ]);
            notes.extend(self.record(Kind::KnowledgeUpdated, store, body));
        } else {
            notes.push("It says so already".to_owned());
        }
        Ok(SavedSection { section: section.to_owned(), level: store.level, file, changed, notes })
    }

    /// Writes the outcome of a scan beside what people wrote. A file that cannot be read keeps it from no other.
    pub fn save_scan(&self, view: &View, rendered: &oracle::Oracle) -> Result<SavedScan, Refusal> {
        let store = &view.own().store;
        let writing = self.lock(store)?;
        let (rescans, left) = rescanned(store, rendered);
        let (mut changed, mut notes) = (Vec::new(), Vec::new());
        for Rescan { section, old, new } in rescans {
            let file = file_of(section);
            if let Some(old) = old.filter(|_| new.is_unsure) {
                let kept = writing.set_aside("archive/oracle", section, &old)?;
                notes.push(format!("{file}: somebody may have written between the markers of the scan, which replaces what is there; the file as it was is kept in {kept}"));
            }
            if !new.moved.is_empty() {
                notes.push(format!(
                    "{file}: what somebody wrote between the markers of the scan stands below them now"
                ));
            }
            keeping::write(&writing, &file, &new.text)?;
            // Without it, the next scan keeps a copy of what it cannot tell.
            let _: Result<(), crate::store::StoreError> =
                writing.write_disposable(&last_of(section), &new.body);
            changed.push(section);
        }
        drop(writing);
        if !changed.is_empty() {
            let body = Map::from_iter([
                ("item".to_owned(), "oracle".into()),
                ("id".to_owned(), changed.join(", ").into()),
                ("source".to_owned(), "scan".into()),
            ]);
            // Nobody waits for a note about it: whoever scans reads the doctor as well.
            let _ = self.record(Kind::KnowledgeUpdated, store, body);
        }
        Ok(SavedScan { changed, left, notes })
    }
}

/// What whoever sent something of their own between the markers of a scan is told.
const MOVED: &str = "What you wrote between the markers of the scan stands below them now: the next scan would have replaced it";

/// Does the same as [`joined`], with words that leave the file readable, whatever they are.
fn readable(old: &str, sent: &SentBack, mode: Mode, section: &str) -> String {
    let [above, moved, below] =
        [&sent.above, &sent.moved, &sent.below].map(|part| text::self_contained(part));
    let new = joined(old, &SentBack { above, moved, below }, mode, section);
    // A block of code may begin between the markers of the scan, where somebody wrote it, and have its end outside of them.
    text::self_contained(&new)
}

/// Puts a text beside or in place of what people wrote, and leaves what the scan wrote where it is.
fn joined(old: &str, sent: &SentBack, mode: Mode, section: &str) -> String {
    let heading = format!("# {}{}\n", section[..1].to_uppercase(), &section[1..]);
    let SentBack { above, moved, below } = sent;
    if mode == Mode::Replace {
        let block = oracle::generated(old).unwrap_or_default();
        let rest = [block, moved, below].into_iter().filter(|part| !part.is_empty());
        let new = with_heading(&heading, above) + &rest.map(|part| format!("\n{part}\n")).collect::<String>();
        return with_line_ends_of(old, &new);
    }
    let is_new = |part: &&str| !part.is_empty() && !says(old, part);
    let content = [above.as_str(), moved, below].into_iter().filter(is_new).collect::<Vec<_>>().join("\n\n");
    if content.is_empty() {
        return old.to_owned();
    }
    // What is added is not part of a block of code that nobody ended.
    match text::self_contained(old).trim_end() {
        "" => with_heading(&heading, &content),
        text => format!("{text}{}", with_line_ends_of(old, &format!("\n\n{content}\n"))),
    }
}

/// Lets the lines of a text end as those of its file do.
fn with_line_ends_of(old: &str, new: &str) -> String {
    let lines = new.replace("\r\n", "\n");
    if old.contains("\r\n") { lines.replace('\n', "\r\n") } else { lines }
}

/// Says whether a text has these very lines in it.
fn says(text: &str, content: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = content.lines().collect();
    !wanted.is_empty() && lines.windows(wanted.len()).any(|window| window == wanted)
}

fn with_heading(heading: &str, content: &str) -> String {
    match content {
        "" => heading.to_owned(),
        text if text.starts_with("# ") => format!("{text}\n"),
        text => format!("{heading}\n{text}\n"),
    }
}
