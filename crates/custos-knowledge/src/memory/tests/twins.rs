//! Two memories with one slug, as a merge of branches leaves them.

use super::*;

fn twins() -> Desk {
    let desk = Desk::repo();
    for (directory, kind) in [("feedback", "feedback"), ("patterns", "pattern")] {
        let text = format!("---\nslug: twin\ntype: {kind}\ntitle: Twin\n---\n\n# Twin\n\nOf {directory}.\n");
        desk.put(&format!("memory/{directory}/twin.md"), text);
    }
    desk
}

#[test]
fn the_one_of_the_same_type_is_brought_up_to_date() {
    let desk = twins();
    let saved = desk.save(&new(MemoryKind::Pattern, "Twin", "Anew."));
    assert_eq!((saved.file.as_str(), saved.became), ("memory/patterns/twin.md", Became::Updated));
    assert!(desk.read("memory/feedback/twin.md").contains("Of feedback."));
    // Two of one type, and nobody can tell.
    desk.put(
        "memory/patterns/twin-2.md",
        "---\nslug: twin-2\ntype: pattern\ntitle: Twin\n---\n\n# Twin\n\nThird.\n",
    );
    let refusal =
        desk.base.save_memory(&new(MemoryKind::Pattern, "Twin", "Once more."), &desk.view()).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "Twin could mean several: repo root has feedback/twin (Twin), and repo root has twin-2 (Twin), and repo root has patterns/twin (Twin). Nothing was saved. Make one of them (merge_memories) or archive the one that is wrong, then save it again"
    );
}

#[test]
fn both_are_found_and_none_is_changed_by_the_slug() {
    let desk = twins();
    let view = desk.view();
    let found = desk.base.find_memories(&view, "twin");
    assert_eq!(
        super::super::twins(&found).unwrap(),
        "2 have one slug: repo root has feedback/twin (Twin), and repo root has patterns/twin (Twin). kb_doctor with `fix` gives one of them a slug of its own"
    );
    let before = desk.files();
    let refused = "twin could mean several: repo root has feedback/twin (Twin), and repo root has patterns/twin (Twin). Nothing was changed. Send \"feedback/twin\" or \"patterns/twin\"; kb_doctor with `fix` gives one of them a slug of its own";
    let archive = |name: &str, by: Option<&str>| desk.base.archive_memory(&view, name, "over", by);
    assert_eq!(archive("twin", None).unwrap_err().to_string(), refused);
    let supersedes = NewMemory { supersedes: texts(&["twin"]), ..feedback("Another", "It.") };
    assert_eq!(desk.base.save_memory(&supersedes, &view).unwrap_err().to_string(), refused);
    assert_eq!(
        desk.base.merge_memories(&view, "twin", &texts(&["x"]), None, None).unwrap_err().to_string(),
        refused
    );
    assert_eq!(desk.files(), before);
    let merged = desk.base.merge_memories(&view, "feedback/twin", &texts(&["twin"]), None, None).unwrap_err();
    assert_eq!(merged.to_string(), refused);
    let archived = archive("memory/feedback/twin.md", Some("twin")).unwrap();
    assert_eq!(archived.file, "archive/memory/feedback/twin.md");
    assert_eq!(archive("twin", None).unwrap().file, "archive/memory/patterns/twin.md");
}

#[test]
fn one_that_cannot_be_read_is_not_absent_by_the_name_of_its_file() {
    let desk = Desk::repo();
    desk.put("memory/feedback/x.md", "---\nslug: x\ntitle: [X\n---\n\nText.\n");
    let archive =
        |name: &str| desk.base.archive_memory(&desk.view(), name, "over", None).unwrap_err().to_string();
    let fault = archive("x");
    assert!(fault.starts_with("memory/feedback/x.md of repo root, line "), "{fault}");
    assert_eq!(["feedback/x", "memory/feedback/X.md"].map(archive), [fault.clone(), fault]);
    assert_eq!(archive("patterns/x"), "there is no memory patterns/x. `memories` lists what there is");
}
