//! What people write below headings of their own.

use super::*;
use crate::text::Passage;

const ADR: &str = "---\nid: D-001\nslug: use-postgres\ntitle: Use Postgres\nstatus: active\n---\n\n# Use Postgres\n\n## Context\n\nSQLite locks.\n\n## Decision\n\nWe use Postgres 17.\n\n## Consequences\n\nA server.\n";

fn passage(heading: &str, text: &str) -> Passage {
    Passage { heading: heading.to_owned(), text: text.to_owned() }
}

#[test]
fn a_decision_in_the_usual_form_of_others_says_what_its_section_says() {
    let desk = Desk::repo();
    desk.put("decisions/D-001-use-postgres.md", ADR);
    let found = desk.base.find_decisions(&desk.view(), "D-001").remove(0);
    let item = &found.kept.item;
    assert_eq!((item.decision.as_str(), item.reasoning.as_str()), ("We use Postgres 17.", ""));
    assert_eq!(item.sections, [passage("Context", "SQLite locks."), passage("Consequences", "A server.")]);
    assert_eq!(
        found.in_full(),
        "## Context\n\nSQLite locks.\n\n## Decision\n\nWe use Postgres 17.\n\n## Consequences\n\nA server."
    );
}

#[test]
fn whatever_a_hand_adds_is_there_in_full() {
    let desk = Desk::repo();
    let saved = save(&desk, "Use UTC");
    let added = "\n## Decision\n\nMore of it.\n\n## Reasoning\n\nA second one.\n\n## Empty\n";
    desk.put(&saved.file, format!("{}{added}", desk.read(&saved.file).replace("# Use UTC", "# Use it")));
    let found = desk.base.find_decisions(&desk.view(), "D-001").remove(0);
    let item = &found.kept.item;
    let (decision, reasoning) = (&item.decision, &item.reasoning);
    assert_eq!(
        item.sections,
        [passage("Decision", "More of it."), passage("Reasoning", "A second one."), passage("Empty", "")]
    );
    assert_eq!(
        found.in_full(),
        format!(
            "# Use it\n\n{decision}\n\n## Reasoning\n\n{reasoning}\n\n## Decision\n\nMore of it.\n\n## Reasoning\n\nA second one.\n\n## Empty"
        )
    );
}

#[test]
fn of_a_file_that_went_meanwhile_everything_is_told_that_was_read() {
    let desk = Desk::repo();
    let view = desk.view();
    let own = "\n\n## Of our own\n\nKept.\n";
    let told = |heading: &str| format!("The text.\n\n## {heading}\n\nMore of it.{}", own.trim_end());
    let files = [
        ("decisions/D-001-a.md", "id: D-001\nslug: a", "Reasoning"),
        ("memory/feedback/a.md", "slug: a\ntype: feedback", "Details"),
        ("backlog/B-001-a.md", "id: B-001\nslug: a", "Notes"),
    ];
    for (file, front, heading) in files {
        desk.put(file, format!("---\n{front}\ntitle: A\n---\n\n# A\n\n{}\n", told(heading)));
    }
    let decision = desk.base.find_decisions(&view, "D-001").remove(0);
    let memory = desk.base.find_memories(&view, "a").remove(0);
    let task = desk.base.find_tasks(&view, "B-001").remove(0);
    let in_full = || [decision.in_full(), memory.in_full(), task.in_full()];
    let expected = files.map(|(.., heading)| told(heading));
    assert_eq!(in_full(), expected);
    for (file, ..) in files {
        std::fs::remove_file(view.own().store.path(file)).unwrap();
    }
    assert_eq!(in_full(), expected);
}
