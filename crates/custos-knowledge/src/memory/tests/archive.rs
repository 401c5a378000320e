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

#[test]
fn a_memory_of_another_level_is_archived_only_by_its_full_name() {
    let desk = Desk::workspace();
    let view = desk.base.view(Some("api")).unwrap();
    for (title, scope) in
        [("Mine", "user"), ("Of all", "all"), ("Of api", "api"), ("Both", "user"), ("Both", "api")]
    {
        let new = NewMemory { scope: texts(&[scope]), ..feedback(title, "Text.") };
        desk.base.save_memory(&new, &desk.view()).unwrap();
    }
    let archive = |name: &str| desk.base.archive_memory(&view, name, "over", None);
    assert_eq!(
        archive("mine").unwrap_err().to_string(),
        "this project has no memory mine; there is one that is the person's own. If you mean that one, send slug: \"user:mine\""
    );
    assert_eq!(
        archive("Of all").unwrap_err().to_string(),
        "this project has no memory Of all; there is one that is of workspace root. If you mean that one, send slug: \"workspace:of-all\""
    );
    assert_eq!(archive("of-api").unwrap().level, Level::Repo);
    assert_eq!(archive("both").unwrap().level, Level::Repo);
    assert!(archive("both").is_err());
    assert_eq!(archive("user:both").unwrap().level, Level::User);
    assert_eq!(archive("user:mine").unwrap().level, Level::User);
    assert_eq!(archive("workspace:of-all").unwrap().level, Level::Workspace);
    assert!(desk.base.memories(&view, None).is_empty());
}

#[test]
fn a_successor_in_another_store_is_named_with_it() {
    let desk = Desk::with_repos(&["api", "web"]);
    let view = desk.view();
    for scope in ["all", "api"] {
        let new = NewMemory { scope: texts(&[scope]), ..feedback("Shared", "Text.") };
        desk.base.save_memory(&new, &view).unwrap();
    }
    desk.base.archive_memory(&view, "workspace:shared", "over", Some("api:shared")).unwrap();
    let archived = desk.read("archive/memory/feedback/shared.md");
    assert!(archived.contains("superseded_by: api:shared\n"), "{archived}");
}

#[test]
fn nothing_is_changed_in_the_stead_of_one_that_cannot_be_read() {
    let desk = Desk::repo();
    let view = desk.view();
    desk.save(&new(MemoryKind::Pattern, "Use UTC", "Text."));
    desk.save(&feedback("Other", "Text."));
    desk.put("memory/feedback/use-utc.md", "---\nslug: use-utc\ntitle: [Use UTC\n---\n\nText.\n");
    let before = desk.read("memory/patterns/use-utc.md");
    let merge = |into: &str, from: &str| {
        desk.base.merge_memories(&view, into, &texts(&[from]), None, None).unwrap_err()
    };
    let superseding = NewMemory { supersedes: texts(&["use-utc"]), ..feedback("Newer", "Text.") };
    let refused = [
        desk.base.archive_memory(&view, "use-utc", "over", None).unwrap_err(),
        desk.base.archive_memory(&view, "Use UTC", "over", None).unwrap_err(),
        merge("use-utc", "other"),
        merge("other", "use-utc"),
        desk.base.save_memory(&superseding, &view).unwrap_err(),
    ];
    for refusal in refused {
        assert!(refusal.problem.starts_with("memory/feedback/use-utc.md of repo root, line "), "{refusal}");
        assert_eq!(refusal.cause, crate::refusal::Cause::Broken);
    }
    assert_eq!(desk.read("memory/patterns/use-utc.md"), before);
    assert!(desk.base.find_memory(&view, "newer").is_none());
    // By its file it is meant, and nothing else.
    desk.base.archive_memory(&view, "patterns/use-utc", "over", None).unwrap();
}
