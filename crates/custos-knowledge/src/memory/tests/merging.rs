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
