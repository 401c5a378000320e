//! The oracle's files: what the project is, in four sections.
//!
//! Each file (`oracle/stack.md` and its neighbours) has a part that the scan writes, between markers, and whatever people and agents wrote
//! around it. A scan never touches the latter ([`crate::oracle::merge`]); what is saved here never touches the former.

use std::sync::Arc;

use custos_model::Kind;
use serde::Serialize;
use serde_json::Map;

use crate::base::{Base, Stack, View};
use crate::oracle;
use crate::refusal::Refusal;
use crate::store::Level;

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

impl Base {
    /// Gives the sections of every level, the widest first: a workspace is described before its repo.
    pub fn described(&self, view: &View) -> Vec<Described> {
        let mut all = Vec::new();
        for stack in view.stacks.iter().rev() {
            for section in SECTIONS {
                if let Ok(Some(text)) = stack.store.read(&file_of(section))
                    && !text.trim().is_empty()
                {
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
            return Err(Refusal::new(
                format!("there is no section {section}"),
                format!("There are {}", SECTIONS.join(", ")),
            ));
        }
        let store = &view.own().store;
        let file = file_of(section);
        let writing = self.lock(store)?;
        let old = store.read(&file)?.unwrap_or_default();
        let new = joined(&old, &content, mode, section);
        let changed = new != old;
        let mut notes = Vec::new();
        if changed {
            if mode == Mode::Replace && !old.trim().is_empty() {
                let kept = writing.write_new("archive/oracle", section, &old)?;
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

    /// Writes the outcome of a scan beside what people wrote. Gives the sections that changed.
    pub fn save_scan(&self, view: &View, rendered: &oracle::Oracle) -> Result<Vec<&'static str>, Refusal> {
        let store = &view.own().store;
        let writing = self.lock(store)?;
        let mut changed = Vec::new();
        let parts = [&rendered.stack, &rendered.structure, &rendered.patterns, &rendered.glossary];
        for (section, generated) in SECTIONS.into_iter().zip(parts) {
            let file = file_of(section);
            let old = store.read(&file)?;
            let new = oracle::merge(old.as_deref(), generated);
            if old.as_deref() != Some(new.as_str()) {
                writing.write(&file, &new)?;
                changed.push(section);
            }
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
        Ok(changed)
    }
}

/// Puts a text beside or in place of what people wrote, and leaves what the scan wrote where it is.
fn joined(old: &str, content: &str, mode: Mode, section: &str) -> String {
    let block = oracle::generated(old).unwrap_or_default();
    let heading = format!("# {}{}\n", section[..1].to_uppercase(), &section[1..]);
    match mode {
        Mode::Append if says(old, content) => old.to_owned(),
        Mode::Append if old.trim().is_empty() => format!("{heading}\n{content}\n"),
        // The lines of a file end as its own do.
        Mode::Append if old.contains("\r\n") => {
            format!("{}\r\n\r\n{}\r\n", old.trim_end(), content.replace('\n', "\r\n"))
        }
        Mode::Append => format!("{}\n\n{content}\n", old.trim_end()),
        Mode::Replace if block.is_empty() => with_heading(&heading, content),
        Mode::Replace => format!("{}\n{block}\n", with_heading(&heading, content)),
    }
}

/// Says whether a text has these very lines in it.
fn says(text: &str, content: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = content.lines().collect();
    !wanted.is_empty() && lines.windows(wanted.len()).any(|window| window == wanted)
}

fn with_heading(heading: &str, content: &str) -> String {
    if content.starts_with("# ") { format!("{content}\n") } else { format!("{heading}\n{content}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Desk;

    #[test]
    fn what_people_wrote_stays_and_line_ends_with_it() {
        let desk = Desk::repo();
        let view = desk.view();
        let save = |content: &str, mode| desk.base.save_section(&view, "stack", content, mode).unwrap();
        desk.put("oracle/stack.md", "# My stack\r\n\r\nRusty tools\r\n");
        assert!(save("Rust", Mode::Append).changed);
        assert_eq!(desk.read("oracle/stack.md"), "# My stack\r\n\r\nRusty tools\r\n\r\nRust\r\n");
        assert_eq!(save("Rust", Mode::Append).notes, ["It says so already"]);
        let replaced = save("Go", Mode::Replace);
        assert_eq!(replaced.notes, ["What was there before is kept in archive/oracle/stack.md"]);
        assert_eq!(desk.read("oracle/stack.md"), "# Stack\n\nGo\n");
        assert!(desk.read("archive/oracle/stack.md").starts_with("# My stack\r\n"));
    }

    #[test]
    fn a_section_that_does_not_exist_is_refused() {
        let desk = Desk::repo();
        let refusal = desk.base.save_section(&desk.view(), "../x", "text", Mode::Append).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "there is no section ../x. There are stack, structure, patterns, glossary"
        );
    }
}
