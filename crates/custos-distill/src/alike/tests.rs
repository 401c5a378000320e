use proptest::prelude::*;

use super::*;

fn observation(sort: Sort, title: &str, files: &[&str]) -> Observation {
    Observation {
        sort,
        title: title.to_owned(),
        subtitle: String::new(),
        narrative: String::new(),
        facts: Vec::new(),
        concepts: Vec::new(),
        files_read: Vec::new(),
        files_modified: files.iter().map(|file| (*file).to_owned()).collect(),
    }
}

#[test]
fn the_same_words_give_the_same_key_however_they_are_written() {
    let one = observation(Sort::Bugfix, "Fixed  the `cursor`, at last", &[]);
    let two = observation(Sort::Bugfix, "fixed the cursor at last.", &["a.rs"]);
    assert_eq!(content_key("s", &one), content_key("s", &two));
    assert_ne!(content_key("s", &one), content_key("t", &one));
    assert_ne!(content_key("s", &one), content_key("s", &observation(Sort::Change, &one.title, &[])));
    let mut longer = one.clone();
    longer.narrative = "And why".to_owned();
    assert_ne!(content_key("s", &one), content_key("s", &longer));
}

#[test]
fn near_is_what_says_much_the_same_about_the_same() {
    let one = observation(Sort::Change, "Raised the pool size to 40", &["a.yaml"]);
    assert!(near(&one, &observation(Sort::Change, "raised the pool size to 60", &["a.yaml"])));
    assert!(!near(&one, &observation(Sort::Feature, "Raised the pool limit to 60", &["a.yaml"])));
    assert!(!near(&one, &observation(Sort::Change, "Added a retry to the client", &["a.yaml"])));
}

#[test]
fn what_was_reverted_or_told_anew_does_not_hold_any_more() {
    let old = observation(Sort::Bugfix, "Fixed the race in Hub.Broadcast", &["hub.go"]);
    let mut reverted = observation(Sort::Discovery, "Unresolved: the race", &[]);
    reverted.files_read = vec!["hub.go".to_owned()];
    assert!(!supersedes(&reverted, &old));
    reverted.concepts = vec![REVERTED.to_owned()];
    assert!(supersedes(&reverted, &old));
    assert!(supersedes(
        &observation(Sort::Bugfix, "Fixed the race in Hub.Broadcast at last", &["hub.go", "b.go"]),
        &old
    ));
    assert!(!supersedes(&observation(Sort::Bugfix, "Fixed the race in Hub.Broadcast", &["b.go"]), &old));
    let said = observation(Sort::Decision, "Always lint", &["hub.go"]);
    assert!(!supersedes(&reverted, &said));
}

#[test]
fn a_title_that_is_a_path_or_a_command_says_nothing() {
    let bare = ["src/a.rs", "`cargo test`", "Edited src/a.rs", "Ran `ls`", ""];
    let telling = ["Fixed the cursor (src/a.rs)", "`Cursor` carries the id now", "Changed Cursor"];
    assert!(bare.iter().all(|title| restates(&observation(Sort::Change, title, &[]))));
    assert!(!telling.iter().any(|title| restates(&observation(Sort::Change, title, &[]))));
}

proptest! {
    #[test]
    fn spaces_case_and_marks_never_matter(words in prop::collection::vec("[a-zA-Z0-9äöüßéи漢]{1,8}", 1..8)) {
        let plain = observation(Sort::Change, &words.join(" "), &[]);
        let marked = observation(Sort::Change, &words.join(" … \t"), &[]);
        prop_assert_eq!(content_key("s", &plain), content_key("s", &marked));
        prop_assert!(near(&plain, &marked));
    }
}
