use super::*;
use crate::memory::merge::MergedMemories;

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
