use super::*;
use crate::check::Finding;
use crate::memory::merge::MergedMemories;
use crate::whole::{self, Step};

fn merge(desk: &Desk, into: &str, from: &[&str]) -> Result<MergedMemories, Refusal> {
    desk.base.merge_memories(&desk.view(), into, &texts(from), None, None)
}

/// Three memories of one matter.
fn desk_of_three() -> Desk {
    let desk = Desk::repo();
    let details = |body: &str, keyword: &str, memory: NewMemory| NewMemory {
        body: body.to_owned(),
        keywords: texts(&[keyword]),
        ..memory
    };
    desk.save(&details("Kept.", "a", feedback("First", "One.")));
    desk.save(&details("```\nnever closed", "b", feedback("Second", "Two.")));
    desk.save(&details("", "A", new(MemoryKind::Pattern, "Third", "Three.")));
    desk
}

#[test]
fn several_memories_become_one() {
    let desk = desk_of_three();
    let merged = merge(&desk, "first", &["second", "Third"]).unwrap();
    assert_eq!((merged.into.became, merged.into.slug.as_str()), (Became::Updated, "first"));
    let files: Vec<&str> = merged.archived.iter().map(|archived| archived.file.as_str()).collect();
    assert_eq!(files, ["archive/memory/feedback/second.md", "archive/memory/patterns/third.md"]);
    insta::assert_snapshot!(desk.read("memory/feedback/first.md"), @r#"
    ---
    slug: first
    type: feedback
    title: First
    source: session
    date: 2026-11-15
    keywords: [a, b]
    session: s-1
    updated: 2026-11-15
    ---

    # First

    One.

    ## Details

    Kept.

    ### Second

    Two.

    \```
    never closed

    ### Third

    Three.
    "#);
    let stamp = desk.memory("third").archived.unwrap();
    assert_eq!((stamp.reason.as_str(), stamp.superseded_by.as_deref()), ("merged into first", Some("first")));
    let recorded = desk.recorded();
    assert_eq!(
        recorded[3..],
        ["knowledge.updated memory", "knowledge.archived memory", "knowledge.archived memory"]
    );
}

#[test]
fn a_merged_memory_may_be_given_other_words() {
    let desk = desk_of_three();
    let from = texts(&["second"]);
    desk.base.merge_memories(&desk.view(), "first", &from, Some("Both."), Some("All of it.")).unwrap();
    let memory = desk.memory("first");
    assert_eq!((memory.description.as_str(), memory.body.as_str()), ("Both.", "All of it."));
    assert_eq!(memory.keywords, ["a", "b"]);
}

#[test]
fn a_merge_that_is_wrong_in_any_part_changes_nothing() {
    let desk = desk_of_three();
    let user = NewMemory { scope: texts(&["user"]), ..feedback("Mine", "Text.") };
    desk.base.save_memory(&user, &desk.view()).unwrap();
    let before = desk.files();
    let refused = merge(&desk, "first", &["second", "nobody", "first", "Second", "mine"]).unwrap_err();
    assert_eq!(
        refused.problem,
        "there is no memory nobody; first is the memory that stays; Second is named twice; mine is in user, and memories of two stores are not merged"
    );
    assert!(merge(&desk, "first", &[]).is_err());
    assert!(merge(&desk, "nobody", &["first"]).is_err());
    assert_eq!(desk.files(), before);
}

#[test]
fn a_merge_that_fails_half_way_is_taken_back() {
    let desk = desk_of_three();
    // The first of the two can be archived, the second cannot.
    desk.put("archive/memory/patterns", "in the way");
    let before = desk.files();
    let refused = merge(&desk, "first", &["second", "third"]).unwrap_err();
    assert!(refused.next.starts_with("Nothing was merged: what had begun was taken back"), "{refused}");
    assert_eq!(desk.files(), before);
    assert_eq!(desk.recorded().len(), 3);
}

#[test]
fn a_merge_that_could_not_be_taken_back_is_not_begun() {
    let desk = desk_of_three();
    let text = "x".repeat(1_000_000);
    let names: Vec<String> = (0..9).map(|number| format!("large-{number}")).collect();
    for name in &names {
        desk.put(&format!("memory/feedback/{name}.md"), feedback_file(name, &text));
    }
    let before = desk.files();
    let merge = |from: &[String]| {
        desk.base.merge_memories(&desk.view(), "first", from, Some("All."), Some("In short."))
    };
    let refused = merge(&names).unwrap_err();
    let told = "a merge of these memories has to note 18003463 bytes before it begins, and at most 16777216 can be taken back after a crash. Nothing was merged. Merge them in several calls, with fewer memories in from";
    assert_eq!(refused.to_string(), told);
    assert_eq!((desk.files(), is_noted(&desk)), (before, false));
    assert_eq!(merge(&names[..5]).unwrap().archived.len(), 5);
    assert_eq!(merge(&names[5..]).unwrap().archived.len(), 4);
}

/// The steps of a merge of all three, by what it does.
fn steps() -> Vec<Step> {
    let desk = desk_of_three();
    let before = desk.files();
    merge(&desk, "first", &["second", "third"]).unwrap();
    let after = desk.files();
    let files = [
        "memory/feedback/first.md",
        "archive/memory/feedback/second.md",
        "archive/memory/patterns/third.md",
        "memory/feedback/second.md",
        "memory/patterns/third.md",
    ];
    let step = |file: &str| Step {
        file: file.to_owned(),
        before: before.get(file).cloned(),
        after: after.get(file).cloned(),
    };
    files.map(step).to_vec()
}

/// A store whose merge was killed after so many steps.
fn killed_after(count: usize) -> Desk {
    let desk = desk_of_three();
    let steps = steps();
    desk.put(whole::FILE, serde_json::to_vec(&steps).unwrap());
    for Step { file, after, .. } in &steps[..count] {
        match after {
            Some(text) => desk.put(file, text),
            None => fs::remove_file(desk.view().own().store.path(file)).unwrap(),
        }
    }
    desk
}

fn feedback_file(title: &str, text: &str) -> String {
    format!("---\nslug: {}\ntype: feedback\n---\n\n# {title}\n\n{text}\n", title.to_lowercase())
}

fn is_noted(desk: &Desk) -> bool {
    desk.view().own().store.path(whole::FILE).exists()
}

#[test]
fn what_cannot_be_taken_back_keeps_nobody_from_writing_and_is_taken_back_later() {
    let desk = killed_after(steps().len());
    let patterns = desk.view().own().store.path("memory/patterns");
    fs::remove_dir_all(&patterns).unwrap();
    desk.put("memory/patterns", "in the way");
    desk.base.ask(&desk.view(), "What now?", "").unwrap();
    assert!(is_noted(&desk));
    // What the others held is there again, and no other merge takes the place of the note.
    let refused = merge(&desk, "first", &["second"]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "local/change.json: tells of a merge that broke off and could not be taken back. Nothing was merged. Mend what keeps it there, or remove local/change.json once the memories are as they should be (`custos kb doctor` says what is wrong with it)"
    );
    fs::remove_file(&patterns).unwrap();
    desk.base.ask(&desk.view(), "And now?", "").unwrap();
    let mut files = desk.files();
    files.remove("questions.md");
    assert_eq!((files, is_noted(&desk)), (desk_of_three().files(), false));
}

#[test]
fn a_note_with_a_text_that_no_file_can_hold_is_told_and_left_alone() {
    let desk = desk_of_three();
    let before = desk.files();
    let step = Step {
        file: "memory/feedback/first.md".to_owned(),
        before: Some("x".repeat((1 << 20) + 1)),
        after: before.get("memory/feedback/first.md").cloned(),
    };
    desk.put(whole::FILE, serde_json::to_vec(&[step]).unwrap());
    desk.base.ask(&desk.view(), "What now?", "").unwrap();
    let refused = merge(&desk, "first", &["second"]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "local/change.json: holds a text that is larger than any file here. Nothing was merged. Mend what keeps it there, or remove local/change.json once the memories are as they should be (`custos kb doctor` says what is wrong with it)"
    );
    let mut files = desk.files();
    files.remove("questions.md");
    assert_eq!((files, is_noted(&desk)), (before, true));
    let findings = desk.base.check(&desk.view(), true).unwrap().findings;
    let told: Vec<_> = findings.iter().map(|found| (found.file.as_str(), found.what.as_str())).collect();
    assert_eq!(told, [(whole::FILE, "holds a text that is larger than any file here")]);
}

#[test]
fn a_merge_that_was_killed_is_taken_back_by_the_next_write() {
    let unmerged = desk_of_three().files();
    for count in 0..=steps().len() {
        let desk = killed_after(count);
        desk.base.ask(&desk.view(), "What now?", "").unwrap();
        let mut files = desk.files();
        files.remove("questions.md");
        assert_eq!((files, is_noted(&desk)), (unmerged.clone(), false), "after {count} steps");
    }
}

#[test]
fn so_it_is_by_the_doctor_who_tells() {
    let unmerged = desk_of_three().files();
    for count in 0..=steps().len() {
        let desk = killed_after(count);
        let told = |fix| {
            let findings = desk.base.check(&desk.view(), fix).unwrap().findings;
            let tell = |finding: Finding| (finding.file, finding.what, finding.fixed);
            findings.into_iter().map(tell).find(|(file, ..)| file == whole::FILE)
        };
        let what = "tells of a merge of memories into memory/feedback/first.md that broke off";
        let expected = |fixed| Some((whole::FILE.to_owned(), what.to_owned(), fixed));
        assert_eq!([told(false), told(true), told(true)], [expected(false), expected(true), None]);
        assert_eq!((desk.files(), is_noted(&desk)), (unmerged.clone(), false), "after {count} steps");
    }
}

#[test]
fn a_merge_that_is_sent_again_ends_as_if_it_was_sent_once() {
    let once = desk_of_three();
    merge(&once, "first", &["second", "third"]).unwrap();
    for count in 0..=steps().len() {
        let desk = killed_after(count);
        let merged = merge(&desk, "first", &["second", "third"]).unwrap();
        assert_eq!(merged.archived.len(), 2);
        let names = |desk: &Desk| desk.files().into_keys().collect::<Vec<_>>();
        assert_eq!(names(&desk), names(&once), "after {count} steps");
        let text = |desk: &Desk| desk.read("memory/feedback/first.md");
        assert_eq!((text(&desk), is_noted(&desk)), (text(&once), false), "after {count} steps");
    }
}

#[test]
fn what_somebody_edited_since_is_left_as_it_is() {
    let desk = killed_after(4);
    desk.put("memory/feedback/first.md", feedback_file("First", "By hand."));
    desk.base.ask(&desk.view(), "What now?", "").unwrap();
    let names: Vec<String> = desk.files().into_keys().filter(|name| name.contains("memory/")).collect();
    assert_eq!(names, ["memory/feedback/first.md", "memory/feedback/second.md", "memory/patterns/third.md"]);
    assert_eq!(desk.memory("first").description, "By hand.");
}

#[test]
fn a_note_of_somebody_else_changes_nothing() {
    let foreign =
        Step { file: "policies/safety.yaml".to_owned(), before: None, after: Some("x: 1\n".to_owned()) };
    for note in [serde_json::to_string(&[foreign]).unwrap(), "{".to_owned()] {
        let desk = desk_of_three();
        desk.put("policies/safety.yaml", "x: 1\n");
        desk.put(whole::FILE, &note);
        desk.base.ask(&desk.view(), "What now?", "").unwrap();
        assert_eq!((desk.read("policies/safety.yaml"), desk.read(whole::FILE)), ("x: 1\n".to_owned(), note));
        let findings = desk.base.check(&desk.view(), true).unwrap().findings;
        assert_eq!(findings.iter().map(|found| found.file.as_str()).collect::<Vec<_>>(), [whole::FILE]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whoever is kept on whatever levels: a repo sees each slug once, and the nearest level wins.
    #[test]
    fn the_nearest_level_wins_on_every_slug(kept in proptest::collection::vec((0..3_usize, 0..5_usize), 1..12)) {
        const LEVELS: [&[&str]; 3] = [&["api"], &[], &["user"]];
        let desk = Desk::workspace();
        let mut nearest = BTreeMap::new();
        for (level, title) in kept {
            let memory = NewMemory {
                scope: texts(LEVELS[level]),
                ..feedback(&format!("Lesson {title}"), &format!("of {level}"))
            };
            desk.base.save_memory(&memory, &desk.view()).unwrap();
            let of = nearest.entry(format!("lesson-{title}")).or_insert(level);
            *of = level.min(*of);
        }
        let view = desk.base.view(Some("api")).unwrap();
        let found: BTreeMap<String, String> = desk
            .base
            .memories(&view, None)
            .iter()
            .map(|placed| (placed.kept.item.slug.clone(), placed.kept.item.description.clone()))
            .collect();
        let expected: BTreeMap<String, String> =
            nearest.into_iter().map(|(slug, level)| (slug, format!("of {level}"))).collect();
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(desk.base.memories(&view, None).len(), expected.len());
    }

    /// Whatever is merged into whatever: each text is still somewhere, the others are in the archive, and a merge that is refused changes
    /// nothing.
    #[test]
    fn a_merge_loses_no_text(texts in proptest::collection::vec("[a-z]{8,12}( [a-z]{3,8}){0,3}", 2..6), into in 0..5_usize) {
        let desk = Desk::repo();
        let slugs: Vec<String> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| desk.save(&feedback(&format!("Lesson {at}"), text)).slug)
            .collect();
        let into = &slugs[into % slugs.len()];
        let from: Vec<String> = slugs.iter().filter(|slug| *slug != into).cloned().collect();
        let before = desk.files();
        let unknown = [from.as_slice(), &["nobody".to_owned()]].concat();
        prop_assert!(desk.base.merge_memories(&desk.view(), into, &unknown, None, None).is_err());
        prop_assert_eq!(desk.files(), before);

        let merged = desk.base.merge_memories(&desk.view(), into, &from, None, None).unwrap();
        prop_assert_eq!(merged.archived.len(), from.len());
        let left = desk.memory(into);
        for text in &texts {
            prop_assert!(left.description.contains(text) || left.body.contains(text), "{text}: {left:?}");
        }
        prop_assert_eq!(desk.base.memories(&desk.view(), None).len(), 1);
        let archived = desk.files().into_keys().filter(|file| file.starts_with("archive/")).count();
        prop_assert_eq!(archived, from.len());
    }
}

#[test]
fn sections_of_a_persons_own_are_merged_along() {
    let desk = Desk::repo();
    desk.save(&feedback("Stays", "It stays."));
    let goes = desk.save(&feedback("Goes", "It goes."));
    desk.put(&goes.file, format!("{}\n## Example\n\nLike so.\n", desk.read(&goes.file)));
    assert!(desk.memory("goes").has_more());
    desk.base.merge_memories(&desk.view(), "stays", &texts(&["goes"]), None, None).unwrap();
    assert_eq!(desk.memory("stays").body, "### Goes\n\nIt goes.\n\n#### Example\n\nLike so.");
}
