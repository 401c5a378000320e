use proptest::prelude::*;
use rstest::rstest;

use super::*;
use crate::testing::Desk;

fn append(base: &Base, text: &str) -> SavedEntry {
    base.append_entry(&base.view(None).unwrap(), text).unwrap()
}

#[test]
fn each_session_has_its_section() {
    let desk = Desk::repo();
    assert_eq!(append(&desk.base, "Moved the gauges.").became, Became::Created);
    let other = desk.in_session(Some("s-2"));
    assert_eq!(append(&other, "Wrote the tests.\n\n## Open\n\n- one").became, Became::Created);
    assert_eq!(append(&desk.base, "And measured them.").became, Became::Updated);
    let nobody = desk.in_session(None);
    append(&nobody, "Who was that?");
    append(&nobody, "And that?");
    let entry = |session: Option<&str>, text: &str| Entry {
        time: "2026-11-15 20:55".to_owned(),
        session: session.map(str::to_owned),
        client: Some("claude-code".to_owned()),
        text: text.to_owned(),
    };
    let expected = [
        entry(None, "And that?"),
        entry(None, "Who was that?"),
        entry(Some("s-2"), "Wrote the tests.\n\n## Open\n\n- one"),
        entry(Some("s-1"), "Moved the gauges.\n\nAnd measured them."),
    ];
    assert_eq!(desk.base.entries(&desk.view(), 10).unwrap(), expected);
    assert_eq!(desk.base.entries(&desk.view(), 2).unwrap(), expected[..2]);
    assert_eq!(desk.base.last_entry(&desk.view()).as_ref(), expected.first());
    assert_eq!(
        desk.recorded()[..3],
        ["knowledge.saved worklog", "knowledge.saved worklog", "knowledge.updated worklog"]
    );
    insta::assert_snapshot!(desk.read(FILE), @"
    # Worklog

    ## 2026-11-15 20:55 · s-1 (claude-code)

    Moved the gauges.

    And measured them.

    ## 2026-11-15 20:55 · s-2 (claude-code)

    Wrote the tests.

    ## Open

    - one

    ## 2026-11-15 20:55 (claude-code)

    Who was that?

    ## 2026-11-15 20:55 (claude-code)

    And that?
    ");
}

#[test]
fn what_people_wrote_stays() {
    let desk = Desk::repo();
    let by_hand = "My worklog\r\n\r\n## Rules\r\n\r\nBe brief.\r\n\r\n## 2026-01-02 03:04 New year (late)\r\nNothing done.\r\n\r\n## 2026-01-05 08:00 · s-1\r\n\r\nStarted.\r\n\r\n## 2026-01-06\r\nno time, no entry";
    desk.put(FILE, by_hand);
    append(&desk.base, "Went on.");
    assert_eq!(desk.read(FILE), format!("{by_hand}\r\n\r\nWent on.\r\n"));
    let entries = desk.base.entries(&desk.view(), 5).unwrap();
    assert_eq!(entries[0].text, "Started.\n\n## 2026-01-06\nno time, no entry\n\nWent on.");
    assert_eq!(
        (entries[1].session.as_deref(), entries[1].text.as_str()),
        (None, "New year (late)\nNothing done.")
    );
    append(&desk.in_session(Some("s-2")), "New.");
    assert!(
        desk.read(FILE).ends_with("Went on.\r\n\r\n## 2026-11-15 20:55 · s-2 (claude-code)\r\n\r\nNew.\r\n")
    );
}

#[rstest]
#[case("## 2026-11-15 20:55", Some((None, None, "")))]
#[case("## 2026-11-15 20:55 · s-1 (codex)", Some((Some("s-1"), Some("codex"), "")))]
#[case("## 2026-11-15 20:55 · s-1", Some((Some("s-1"), None, "")))]
#[case("## 2026-11-15 20:55 (codex)", Some((None, Some("codex"), "")))]
#[case("## 2026-11-15 20:55 · two words", Some((None, None, "· two words")))]
#[case("## 2026-11-15 20:55 ()", Some((None, None, "()")))]
#[case("## 2026-11-15 20:555", None)]
#[case("## 2026-11-15T20:55", None)]
#[case("# 2026-11-15 20:55", None)]
#[case("## 2026-11-15 20:5é", None)]
#[case("## ", None)]
fn a_heading_is_a_time_and_a_session(
    #[case] line: &str,
    #[case] expected: Option<(Option<&str>, Option<&str>, &str)>,
) {
    let read = Heading::read(line);
    let parts = read
        .as_ref()
        .map(|heading| (heading.session.as_deref(), heading.client.as_deref(), heading.title.as_str()));
    assert_eq!(parts, expected);
}

#[test]
fn an_entry_of_another_time_keeps_it() {
    let desk = Desk::repo();
    let mut entry = Entry {
        time: "2001-02-03 04:05".to_owned(),
        session: Some("1f6c2a90".to_owned()),
        client: None,
        text: "Long ago.".to_owned(),
    };
    desk.base.keep_entry(&desk.view(), &entry).unwrap();
    assert_eq!(desk.base.last_entry(&desk.view()).as_ref(), Some(&entry));
    for time in ["2001-02-03", "", "2001-02-03 04:05 · s-1", "2001-02-03 04:05\n"] {
        time.clone_into(&mut entry.time);
        assert!(desk.base.keep_entry(&desk.view(), &entry).is_err(), "{time:?}");
    }
}

#[test]
fn a_full_file_gives_its_oldest_sections_away() {
    let desk = Desk::repo();
    desk.put(FILE, "Mine.\n");
    let text = "word ".repeat(12_000);
    let mut notes = Vec::new();
    for number in 0..30 {
        let base = desk.in_session(Some(&format!("s-{number}")));
        notes.extend(append(&base, &format!("{number} {text}")).notes);
        assert!(desk.read(FILE).len() <= FULL);
    }
    assert_eq!(
        notes[0],
        "The worklog was full, so its oldest sections are in local/archive/worklog-1.md now"
    );
    let mut all = desk.read(FILE);
    assert!(all.starts_with("Mine.\n\n## "));
    for number in 1..=notes.len() {
        all += &desk.read(&format!("local/archive/worklog-{number}.md"));
    }
    for number in 0..30 {
        assert_eq!(all.matches(&format!("· s-{number} (")).count(), 1, "{number}");
    }
    assert_eq!(all.matches(&text.trim_end()).count(), 30);

    let long = desk.in_session(Some("s-long"));
    for _ in 0..20 {
        append(&long, &text);
    }
    assert!(desk.read(FILE).len() <= FULL);
    assert_eq!(desk.base.last_entry(&desk.view()).unwrap().session.as_deref(), Some("s-long"));
}

#[test]
fn what_cannot_be_read_is_left_alone() {
    let desk = Desk::repo();
    desk.put(FILE, b"# Worklog\n\xff");
    let refusal = desk.base.append_entry(&desk.view(), "x").unwrap_err();
    assert!(refusal.problem.contains("worklog.md"), "{refusal}");
    assert!(desk.base.entries(&desk.view(), 1).is_err());
    assert_eq!(desk.base.last_entry(&desk.view()), None);
    let text = "x".repeat((1 << 20) - 10);
    desk.put(FILE, &text);
    assert!(desk.base.append_entry(&desk.view(), "a longer text").is_err());
    assert_eq!(desk.read(FILE), text);
    assert!(desk.base.append_entry(&desk.view(), " ").is_err());
    assert_eq!(desk.events.lock().unwrap().len(), 0);
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_store_is_not_followed() {
    let desk = Desk::repo();
    let outside = desk.dir.path().join("outside.md");
    desk.put("local/x.md", "");
    std::fs::copy(desk.view().own().store.path("local/x.md"), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, desk.view().own().store.path(FILE)).unwrap();
    assert!(desk.base.append_entry(&desk.view(), "x").is_err());
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "");
}

#[test]
fn the_worklog_belongs_to_the_root_of_the_session() {
    let desk = Desk::workspace();
    let repo = desk.base.view(Some("api")).unwrap();
    let saved = desk.base.append_entry(&repo, "Done.").unwrap();
    assert_eq!((saved.level, saved.store.as_str()), (Level::Workspace, "root"));
    assert_eq!(desk.base.last_entry(&repo), desk.base.last_entry(&desk.view()));
}

#[test]
fn many_at_once_lose_nothing() {
    let desk = Desk::repo();
    let desk = &desk;
    std::thread::scope(|scope| {
        for number in 0..32 {
            scope.spawn(move || {
                let base = desk.in_session(Some(&format!("s-{}", number % 8)));
                append(&base, &format!("entry {number}."));
                append(&base, &format!("second {number}."));
            });
        }
    });
    let entries = desk.base.entries(&desk.view(), 100).unwrap();
    assert_eq!(entries.len(), 8);
    for number in 0..32 {
        let own = entries.iter().find(|entry| entry.session == Some(format!("s-{}", number % 8))).unwrap();
        assert!(
            own.text.contains(&format!("entry {number}.")) && own.text.contains(&format!("second {number}."))
        );
    }
    assert_eq!(desk.events.lock().unwrap().len(), 64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_text_survives(
        texts in prop::collection::vec(
            "(\\PC|[\n#`>\\\\-]|\r\n|\n## 2026-11-15 20:55 · s-1\n|\n\\\\+## 2026-01-01 10:00\n|\n```\n|\n---\n|\n=======\n|\n<<<<<<< a\n|\n\\\\?>>>>>>> b\n|\n- ~~~\n|\n- \\\\```\n){1,30}",
            1..5
        ),
        crlf: bool,
    ) {
        let desk = Desk::repo();
        let own = "Mine.\n\n```\n";
        desk.put(FILE, if crlf { own.replace('\n', "\r\n") } else { own.to_owned() });
        let mut expected = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let clean = desk.base.clean("worklog_entry", text).unwrap();
            if !clean.is_empty() {
                let more = format!("{text} more");
                let clean_more = desk.base.clean("worklog_entry", &more).unwrap();
                for text in [text, &more, &more] {
                    append(&desk.in_session(Some(&format!("s-{at}"))), text);
                }
                expected.insert(0, format!("{clean}\n\n{clean_more}"));
            }
        }
        let read: Vec<String> = desk.base.entries(&desk.view(), 10).unwrap().into_iter().map(|entry| entry.text).collect();
        prop_assert_eq!(read, expected);
        prop_assert!(desk.read(FILE).replace("\r\n", "\n").starts_with(own));
        // Where every text was blank, nobody has begun the store yet.
        drop(desk.base.lock(&desk.view().own().store).unwrap());
        prop_assert_eq!(desk.base.check(&desk.view(), false).unwrap().findings, []);
    }
}

#[rstest]
#[case::a_rule(["Morning\n\n=======\n\nAfternoon", "More."], "Morning\n\n\\=======\n\nAfternoon")]
#[case::a_block_without_an_end(["Ran it:\n```\nunclosed", "Details\n=======\nmore"], "Ran it:\n\\```\nunclosed")]
#[case::a_block_with_an_end(["```\n<<<<<<< a\n```", "> b"], "```\n\\<<<<<<< a\n```")]
fn what_only_looks_like_a_merge_is_no_finding(#[case] texts: [&str; 2], #[case] first: &str) {
    let desk = Desk::repo();
    append(&desk.base, texts[0]);
    append(&desk.in_session(Some("s-2")), texts[1]);
    assert!(desk.read(FILE).contains(&format!("· s-1 (claude-code)\n\n{first}\n")), "{}", desk.read(FILE));
    assert_eq!(desk.base.check(&desk.view(), false).unwrap().findings, []);
    let read = desk.base.entries(&desk.view(), 2).unwrap().into_iter().rev().map(|entry| entry.text);
    assert_eq!(read.collect::<Vec<_>>(), texts);
}

#[test]
fn what_is_said_again_takes_no_room() {
    let desk = Desk::repo();
    // The file is so full that another text of this length would not fit.
    let text = "word ".repeat(12_000);
    for number in (1..=8).rev() {
        append(&desk.in_session(Some(&format!("s-{number}"))), &text);
    }
    let before = desk.read(FILE);
    for _ in 0..2 {
        let again = append(&desk.base, &text);
        assert_eq!((again.became, again.notes), (Became::Unchanged, vec![SAYS_SO.to_owned()]));
    }
    assert_eq!((desk.read(FILE), desk.view().own().store.list(ARCHIVE)), (before, Vec::new()));
}

#[test]
fn what_is_said_again_without_a_session_stands_there_once() {
    let desk = Desk::repo();
    let nobody = desk.in_session(None);
    append(&nobody, "Moved the gauges.\n\n## 2026-11-15 20:55");
    append(&desk.base, "Wrote the tests.");
    let before = desk.read(FILE);
    let again = append(&nobody, "Moved the gauges.\n\n## 2026-11-15 20:55\n");
    let expected = SavedEntry {
        time: "2026-11-15 20:55".to_owned(),
        session: None,
        level: Level::Repo,
        store: again.store.clone(),
        file: FILE.to_owned(),
        became: Became::Unchanged,
        notes: vec![SAYS_SO.to_owned()],
    };
    assert_eq!((again, desk.read(FILE)), (expected, before));
    // A part of it is something else, and so is what somebody said before the last.
    let became = ["Moved the gauges.", "Moved the gauges.\n\n## 2026-11-15 20:55", "Wrote the tests."]
        .map(|text| append(&nobody, text).became);
    assert_eq!(became, [Became::Created; 3]);
}

#[test]
fn what_a_session_says_again_stands_there_once() {
    let desk = Desk::repo();
    append(&desk.base, "Moved the gauges.\n\n## Not a section");
    let before = desk.read("local/worklog.md");
    let again = append(&desk.base, "Moved the gauges.\n\n## Not a section");
    assert_eq!(
        (again.became, again.notes),
        (Became::Unchanged, vec!["The worklog says so already".to_owned()])
    );
    assert_eq!(desk.read("local/worklog.md"), before);
}
