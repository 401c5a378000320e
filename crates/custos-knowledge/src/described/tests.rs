//! What is said about a project as a whole stays what somebody said.

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

#[test]
fn a_heading_that_is_sent_along_stands_there_once() {
    let desk = Desk::repo();
    desk.base.save_section(&desk.view(), "stack", "# Stack\n\nRust.", Mode::Append).unwrap();
    assert_eq!(desk.read("oracle/stack.md"), "# Stack\n\nRust.\n");
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
        "oracle/stack.md of repo root, line 3: has an unresolved merge conflict. The file is left as it is. Mend it first; `kb_doctor` lists all such files"
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
    let note = "oracle/stack.md: what somebody wrote between the markers of the scan stands below them now";
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

#[test]
fn a_private_tag_that_nobody_closed_hides_no_more_than_its_part() {
    let desk = Desk::repo();
    desk.put(
        "oracle/glossary.md",
        "# Glossary\n\nText in <private> is not stored.\n\n## Words\n\n- hook <private>mine</private>\n",
    );
    let shown = desk.base.described(&desk.view()).remove(0).text;
    assert_eq!(shown, "# Glossary\n\nText in [redacted:private]\n\n## Words\n\n- hook [redacted:private]\n");
}
