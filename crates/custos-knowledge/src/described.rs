//! The oracle's files: what the project is, in four sections.
//!
//! Each file (`oracle/stack.md` and its neighbours) has a part that the scan writes, between markers, and whatever people and agents wrote
//! around it. A scan never touches the latter ([`crate::oracle::rescan`]); what is saved here never touches the former. Whoever writes
//! something of their own between the markers, an agent that sends a whole file back or a person with an editor, finds that below them.
//!
//! A file with the marks of an unresolved merge has two truths: it is neither read nor written until somebody has chosen one. So a text that
//! only looks like one gets a backslash where it does, and a block of code that it leaves open ends with it: whatever is written can be read.

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
        let old = read_section(store, section).map_err(|fault| keeping::broken(&fault))?.unwrap_or_default();
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

    /// Writes the outcome of a scan beside what people wrote. A file that cannot be read keeps it from no other.
    pub fn save_scan(&self, view: &View, rendered: &oracle::Oracle) -> Result<SavedScan, Refusal> {
        let store = &view.own().store;
        let writing = self.lock(store)?;
        let (rescans, left) = rescanned(store, rendered);
        let (mut changed, mut notes) = (Vec::new(), Vec::new());
        for Rescan { section, old, new } in rescans {
            let file = file_of(section);
            if let Some(old) = old.filter(|_| new.is_unsure) {
                let kept = writing.write_new("archive/oracle", section, &old)?;
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
        "" => format!("{heading}\n{content}\n"),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

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
        assert_eq!(desk.read("oracle/stack.md"), "# Stack\r\n\r\nGo\r\n");
        assert!(desk.read("archive/oracle/stack.md").starts_with("# My stack\r\n"));
        // What the scan wrote stays, and nothing is mixed.
        let scanned = SCANNED.replace('\n', "\r\n");
        desk.put("oracle/stack.md", &scanned);
        assert!(!save(SCANNED, Mode::Replace).changed);
        assert!(save(&SCANNED.replace("Ours.", "Theirs.\n\nTwo lines."), Mode::Replace).changed);
        assert_eq!(desk.read("oracle/stack.md"), scanned.replace("Ours.", "Theirs.\r\n\r\nTwo lines."));
    }

    #[rstest]
    #[case::between_blank_lines(
        "Build: cargo build\n\n=======\n\nTest: cargo test",
        "Build: cargo build\n\n\\=======\n\nTest: cargo test"
    )]
    #[case::a_merge_that_is_shown(
        "<<<<<<< HEAD\nRust\n=======\nGo\n>>>>>>> x",
        "\\<<<<<<< HEAD\nRust\n\\=======\nGo\n\\>>>>>>> x"
    )]
    #[case::in_a_block_without_an_end("Build:\n```\n=======\ncargo", "Build:\n```\n=======\ncargo\n```")]
    #[case::in_a_block_with_an_end("```\n=======\n```\nEnd.", "```\n=======\n```\nEnd.")]
    #[case::under_a_line_it_is_a_heading("Tests\n=======\n\ncargo test", "Tests\n=======\n\ncargo test")]
    fn what_only_looks_like_a_merge_can_be_read_again(#[case] content: &str, #[case] written: &str) {
        for mode in [Mode::Replace, Mode::Append] {
            let desk = Desk::repo();
            let save = |content: &str| desk.base.save_section(&desk.view(), "stack", content, mode).unwrap();
            assert!(save(content).changed);
            let text = format!("# Stack\n\n{written}\n");
            assert_eq!(desk.read("oracle/stack.md"), text);
            let shown: Vec<String> =
                desk.base.described(&desk.view()).into_iter().map(|part| part.text).collect();
            assert_eq!(shown, [text.as_str()]);
            for again in [content, &text] {
                assert_eq!(save(again).notes, ["It says so already"]);
            }
        }
    }

    #[test]
    fn a_block_of_code_does_not_reach_into_what_is_added() {
        let desk = Desk::repo();
        let append = |text| desk.base.save_section(&desk.view(), "stack", text, Mode::Append).unwrap();
        append("Build:\n```\ncargo build");
        append("Tests\n=======\ncargo test");
        let both = "# Stack\n\nBuild:\n```\ncargo build\n```\n\nTests\n=======\ncargo test\n";
        assert_eq!(desk.read("oracle/stack.md"), both);
        // One that a person left open is ended as well.
        desk.put("oracle/stack.md", "# Stack\r\n\r\n~~~\r\nby hand\r\n");
        append("Tests\n=======\ncargo test");
        assert_eq!(
            desk.read("oracle/stack.md"),
            "# Stack\r\n\r\n~~~\r\nby hand\r\n~~~\r\n\r\nTests\r\n=======\r\ncargo test\r\n"
        );
    }

    #[test]
    fn what_is_too_long_is_refused_with_the_reason_and_changes_nothing() {
        let desk = Desk::repo();
        let old = format!("# Stack\n\n{}\n", "x".repeat((1 << 20) - 20));
        desk.put("oracle/stack.md", &old);
        let refusal = desk.base.save_section(&desk.view(), "stack", "More of it.", Mode::Append).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "oracle/stack.md would be 1048579 bytes long, and at most 1048576 are read again. Keep what matters, and put the rest into a file of the repo that the text names"
        );
        assert_eq!(desk.read("oracle/stack.md"), old);
    }

    /// A text of lines that mean something to Markdown, to git or to a scan.
    fn any_lines() -> impl Strategy<Value = String> {
        let line = proptest::sample::select(vec![
            "word",
            "",
            "=======",
            "\\=======",
            "<<<<<<< a",
            ">>>>>>> b",
            "```",
            "~~~~ sh",
            "- ```",
            "# Title",
            "- Rust",
            "<!-- custos:scan -->",
            "<!-- /custos:scan -->",
        ]);
        prop::collection::vec(line, 1..9).prop_map(|lines| lines.join("\n"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_is_saved_can_be_read_and_saved_again(
            sent in prop::collection::vec(any_lines(), 1..5),
            replaces in prop::collection::vec(any::<bool>(), 5),
            crlf: bool,
        ) {
            let desk = Desk::repo();
            desk.put("oracle/stack.md", if crlf { SCANNED.replace('\n', "\r\n") } else { SCANNED.to_owned() });
            for (content, replace) in sent.iter().zip(replaces) {
                let mode = if replace { Mode::Replace } else { Mode::Append };
                let save = |text: &str| desk.base.save_section(&desk.view(), "stack", text, mode).map(|saved| saved.changed);
                prop_assert!(save(content).is_ok());
                prop_assert_eq!(save(content), Ok(false), "{}", desk.read("oracle/stack.md"));
                prop_assert!(read_section(&desk.view().own().store, "stack").is_ok(), "{}", desk.read("oracle/stack.md"));
            }
        }
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

    /// A file as a scan leaves it.
    const SCANNED: &str =
        "# Stack\n\n<!-- custos:scan -->\n## Languages\n\n- Rust\n- Go\n<!-- /custos:scan -->\n\nOurs.\n";

    fn scan(stack: &str) -> oracle::Oracle {
        let page = |text: &str| format!("# Page\n\n<!-- custos:scan -->\n{text}\n<!-- /custos:scan -->\n");
        oracle::Oracle {
            stack: page(stack),
            structure: page("structure"),
            patterns: page("patterns"),
            glossary: page("glossary"),
        }
    }

    #[test]
    fn what_is_saved_between_the_markers_of_a_scan_outlives_the_next_one() {
        let desk = Desk::repo();
        let view = desk.view();
        let note = "What you wrote between the markers of the scan stands below them now: the next scan would have replaced it";
        desk.put("oracle/stack.md", SCANNED);
        let sent = SCANNED.replace("- Go\n", "- Go\n- AGENT ADDED: Zig\n\nIn two\nlines.\n");
        let saved = desk.base.save_section(&view, "stack", &sent, Mode::Replace).unwrap();
        assert_eq!(saved.notes, [note, "What was there before is kept in archive/oracle/stack.md"]);
        let below = "- AGENT ADDED: Zig\n\nIn two\nlines.\n\nOurs.\n";
        let generated = SCANNED.strip_suffix("Ours.\n").unwrap();
        assert_eq!(desk.read("oracle/stack.md"), format!("{generated}{below}"));
        desk.base.save_scan(&view, &scan("- Go only")).unwrap();
        assert_eq!(
            desk.read("oracle/stack.md"),
            format!(
                "# Stack\n\n<!-- custos:scan -->\n- Go only\n<!-- as scanned: ce640e489bd42c91 -->\n<!-- /custos:scan -->\n\n{below}"
            )
        );
        // What is added goes the same way, and markers without a partner do not stay.
        let more = "<!-- custos:scan -->\n- Go only\n- C\n<!-- /custos:scan -->\n<!-- custos:scan -->\nMore.";
        let saved = desk.base.save_section(&view, "stack", more, Mode::Append).unwrap();
        assert_eq!(saved.notes, [note]);
        assert!(desk.read("oracle/stack.md").ends_with("\n\nOurs.\n\n- C\n\nMore.\n"));
    }

    #[test]
    fn the_same_text_sent_back_changes_nothing() {
        let desk = Desk::repo();
        desk.put("oracle/stack.md", SCANNED);
        for mode in [Mode::Replace, Mode::Append] {
            let saved = desk.base.save_section(&desk.view(), "stack", SCANNED, mode).unwrap();
            assert_eq!((saved.changed, saved.notes), (false, vec!["It says so already".to_owned()]));
        }
        assert_eq!(desk.read("oracle/stack.md"), SCANNED);
    }

    #[test]
    fn a_file_with_an_unresolved_merge_is_neither_read_nor_written() {
        let desk = Desk::repo();
        let view = desk.view();
        let split = "# Stack\n\n<<<<<<< ours\nRust\n=======\nGo\n>>>>>>> theirs\n";
        desk.put("oracle/stack.md", split);
        desk.put("oracle/patterns.md", "# Patterns\n");
        let sections: Vec<_> = desk.base.described(&view).iter().map(|part| part.section).collect();
        assert_eq!(sections, ["patterns"]);
        let refusal = desk.base.save_section(&view, "stack", "Zig", Mode::Replace).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "oracle/stack.md, line 3: has an unresolved merge conflict. The file is left as it is. Mend it first; `kb_doctor` lists all such files"
        );
        let saved = desk.base.save_scan(&view, &scan("- Go")).unwrap();
        assert_eq!(saved.changed, ["structure", "patterns", "glossary"]);
        assert_eq!(saved.notes, Vec::<String>::new());
        let left: Vec<_> = saved.left.iter().map(|fault| (fault.file.as_str(), fault.line)).collect();
        assert_eq!(left, [("oracle/stack.md", 3)]);
        assert_eq!(desk.read("oracle/stack.md"), split);
    }

    #[test]
    fn what_a_person_wrote_between_the_markers_outlives_a_rescan() {
        let desk = Desk::repo();
        let view = desk.view();
        let rescan = |stack: &str| desk.base.save_scan(&view, &scan(stack)).unwrap();
        assert_eq!(rescan("- Rust\n- Go").changed, SECTIONS);
        let written = desk.read("oracle/stack.md");
        desk.put("oracle/stack.md", written.replace("- Rust\n", "- Rust\nBy hand.\n"));
        let saved = rescan("- Rust\n- Go");
        let note =
            "oracle/stack.md: what somebody wrote between the markers of the scan stands below them now";
        assert_eq!((saved.changed, saved.notes), (vec!["stack"], vec![note.to_owned()]));
        assert_eq!(desk.read("oracle/stack.md"), format!("{written}\nBy hand.\n"));
        assert_eq!(rescan("- Rust\n- Go"), SavedScan::default());
        assert_eq!(view.own().store.list("archive/oracle"), Vec::<String>::new());
        // Whoever cannot tell keeps the file.
        desk.put("oracle/stack.md", SCANNED);
        let saved = rescan("- Zig");
        let note = "oracle/stack.md: somebody may have written between the markers of the scan, which replaces what is there; the file as it was is kept in archive/oracle/stack.md";
        assert_eq!(saved.notes, [note]);
        assert_eq!(desk.read("archive/oracle/stack.md"), SCANNED);
        assert!(desk.read("oracle/stack.md").ends_with("\n\nOurs.\n"));
        assert_eq!(rescan("- Go").notes, Vec::<String>::new());
        assert_eq!(view.own().store.list("archive/oracle"), ["stack.md"]);
    }
}
