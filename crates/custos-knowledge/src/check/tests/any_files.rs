//! Stores of any files: what is repaired once needs no second repair, and nothing is lost.

use proptest::prelude::*;

use super::*;

/// A file as a merge, a hand or a clone might leave it; `mark` is in no other.
fn file(mark: usize) -> impl Strategy<Value = (String, String)> {
    let directory = prop::sample::select(vec![
        "decisions",
        "archive/decisions",
        "backlog",
        "archive/backlog",
        "memory/feedback",
        "memory/patterns",
        "archive/memory/patterns",
    ]);
    let name = prop::sample::select(vec![
        "D-001-a", "D-002-b", "D-1-a", "B-001-a", "B-002-b", "a", "b", "a-2", "D-003-", "Odd name",
    ]);
    let entry = prop::sample::select(vec![
        "id: D-001",
        "id: D-002",
        "id: B-001",
        "id: D-999999999",
        "id: x",
        "id:",
        "slug: a",
        "slug: b",
        "slug: A b",
        "slug:",
        "title: One",
        "title: 'Two</parameter>'",
        "date: 2026-11-01",
        "created: 2026-11-02",
        "date: 2026-11-02",
        "status: active",
        "status: revoked",
        "status: superseded",
        "status: odd",
        "status:",
        "superseded_by: D-002",
        "supersedes: [D-001, D-007]",
        "type: feedback",
        "type: pattern",
        "guard: {command: x}",
        "other: kept # so",
    ]);
    let lead = prop::sample::select(vec![
        "",
        "# One\n\n",
        "# One</invoke>\n\n",
        "Said.</parameter>\n\n",
        "<<<<<<< x\n",
    ]);
    (directory, name, prop::collection::vec(entry, 0..6), lead, any::<bool>()).prop_map(
        move |(directory, name, entries, lead, crlf)| {
            let front: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
            let text = format!("---\n{front}---\n{lead}Mark {mark}.\n");
            let text = if crlf { text.replace('\n', "\r\n") } else { text };
            (format!("{directory}/{name}.md"), text)
        },
    )
}

fn files() -> impl Strategy<Value = Vec<(String, String)>> {
    (0_usize..10).prop_flat_map(|count| (0..count).map(file).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn after_a_repair_nothing_is_left_to_repair_and_nothing_is_lost(files in files()) {
        let desk = Patient::in_order();
        let files: BTreeMap<String, String> = files.into_iter().collect();
        for (file, text) in &files {
            desk.put(file, text);
        }
        let report = desk.base.check(&desk.view(), true).unwrap();
        prop_assert_eq!(report.findings.iter().filter(|finding| finding.fixed).count(), desk.recorded().len());
        let after = desk.files();
        let again = desk.base.check(&desk.view(), true).unwrap();
        prop_assert_eq!(told(&again.findings).into_iter().filter(|line| !line.contains("by hand")).collect::<Vec<_>>(), Vec::<String>::new());
        prop_assert_eq!(&desk.files(), &after);
        let marks = |texts: Vec<String>| {
            let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with("Mark "));
            let mut marks: Vec<String> = lines.map(str::to_owned).collect();
            marks.sort();
            marks
        };
        let texts = after.values().map(|bytes| String::from_utf8(bytes.clone()).unwrap());
        prop_assert_eq!(marks(texts.collect()), marks(files.into_values().collect()));
    }
}
