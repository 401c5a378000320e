use super::*;

#[test]
fn of_several_in_the_archive_the_newest_is_shown() {
    let desk = Desk::repo();
    let view = desk.view();
    for description in ["v0", "v1", "v2"] {
        desk.save(&feedback("Twice", description));
        desk.base.archive_memory(&view, "twice", "over", None).unwrap();
    }
    let found = desk.base.find_memory(&view, "twice").unwrap();
    assert_eq!(
        (found.kept.item.description.as_str(), found.kept.file.as_str()),
        ("v2", "archive/memory/feedback/twice-3.md")
    );
    // Of the other kind as well; and a memory with a name of its own is another.
    desk.save(&new(MemoryKind::Pattern, "Twice", "v3"));
    desk.base.archive_memory(&view, "twice", "over", None).unwrap();
    assert_eq!(desk.memory("twice").description, "v3");
    desk.put(
        "archive/memory/patterns/twice-9.md",
        "---\nslug: twice-9\ntitle: Other\narchived: 2030-01-01T00:00:00Z\n---\n\nOther.\n",
    );
    assert_eq!(desk.memory("twice").description, "v3");
    assert_eq!(desk.memory("twice-9").description, "Other.");
}
