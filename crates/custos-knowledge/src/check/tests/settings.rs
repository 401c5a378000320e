//! The files of a store that others read.

use super::Patient;

#[test]
fn what_others_read_is_looked_at_too() {
    let desk = Patient::in_order();
    desk.put("config.yaml", "memory:\n  enabled: [yes\n");
    desk.put(
        "policies/safety.yaml",
        "commands:\n<<<<<<< ours\n  deny: [a]\n=======\n  deny: [b]\n>>>>>>> theirs\n",
    );
    desk.put("local/worklog.md", "# Worklog\n\n<<<<<<< ours\n## 2026-11-15 20:55\n\nText.\n");
    let before = desk.files();
    let found = desk.check(true);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found[0].starts_with("config.yaml:") && found[0].contains(" by hand: "), "{}", found[0]);
    assert_eq!(
        found[1..],
        [
            "local/worklog.md:3 by hand: has an unresolved merge conflict",
            "policies/safety.yaml:2 by hand: has an unresolved merge conflict",
        ]
    );
    assert_eq!(desk.files(), before);
    desk.put("config.yaml", "- a list\n");
    assert_eq!(desk.check(false)[0], "config.yaml:1 by hand: is no list of settings with names");
    for (file, text) in [
        ("config.yaml", "---\n# Nothing yet.\n"),
        ("policies/safety.yaml", "commands:\n  deny:\n    - make deploy\n"),
        ("local/worklog.md", "# Worklog\n"),
    ] {
        desk.put(file, text);
    }
    assert_eq!(desk.check(false), [""; 0]);
}
