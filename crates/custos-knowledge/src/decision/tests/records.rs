//! The decision records of others, as they are.

use super::*;
use crate::check::Finding;
use crate::text::Passage;

const FILE: &str = "decisions/D-001-use-adr.md";

/// As adr-tools writes it.
const ADR: &str = "# 1. Record architecture decisions\n\nDate: 2026-01-01\n\n## Status\n\nSuperseded by [2. Use MADR](0002-use-madr.md)\n\n## Context\n\nNobody knows why.\n\n## Decision\n\nWe will use ADRs.\n";

/// A store in order, with one file.
fn with(file: &str, text: &str) -> Desk {
    let desk = Desk::repo();
    drop(desk.view().own().store.lock().unwrap());
    desk.put(file, text);
    desk
}

fn found(desk: &Desk, fix: bool) -> Vec<String> {
    let line = |finding: Finding| {
        let state = if finding.fixed { "fixed" } else { "open" };
        format!("{}:{} {state}: {}", finding.file, finding.line, finding.what)
    };
    desk.base.check(&desk.view(), fix).unwrap().findings.into_iter().map(line).collect()
}

fn first(desk: &Desk) -> Decision {
    Decision::clone(&desk.base.find_decisions(&desk.view(), "D-001").remove(0).kept.item)
}

#[test]
fn a_record_of_adr_tools_is_read_as_it_is_meant() {
    let passage = |heading: &str, text: &str| Passage { heading: heading.to_owned(), text: text.to_owned() };
    let expected = Decision {
        id: "D-001".to_owned(),
        slug: "use-adr".to_owned(),
        title: "1. Record architecture decisions".to_owned(),
        date: "2026-01-01".to_owned(),
        source: "manual".to_owned(),
        enforce: Enforce::Advisory,
        session: None,
        scope: Vec::new(),
        status: "superseded".to_owned(),
        superseded_by: None,
        supersedes: Vec::new(),
        revoked_reason: None,
        guarded: false,
        decision: "We will use ADRs.".to_owned(),
        reasoning: String::new(),
        sections: vec![
            passage("Status", "Superseded by [2. Use MADR](0002-use-madr.md)"),
            passage("Context", "Nobody knows why."),
        ],
    };
    for text in [ADR.to_owned(), ADR.replace('\n', "\r\n")] {
        let desk = with(FILE, &text);
        assert_eq!((first(&desk), titles(&desk)), (expected.clone(), Vec::new()));
    }
    let desk = with(FILE, &ADR.replace("Superseded by", "Accepted\n\nSupersedes"));
    assert_eq!(titles(&desk), ["D-001 1. Record architecture decisions"]);
}

#[test]
fn a_repair_writes_down_what_the_text_says() {
    let desk = with(FILE, &ADR.replace("Superseded by", "Accepted\n\nSupersedes"));
    let missing = |state: &str| {
        ["has no id in its front matter", "has no status", "has no slug in its front matter"]
            .map(|what| format!("{FILE}:1 {state}: {what}"))
    };
    assert_eq!(found(&desk, false), missing("open"));
    assert_eq!(found(&desk, true), missing("fixed"));
    let front = "---\nid: D-001\nstatus: active\nslug: use-adr\n---\n";
    assert_eq!(desk.read(FILE), format!("{front}{}", ADR.replace("Superseded by", "Accepted\n\nSupersedes")));
    for (word, status) in [("Superseded", "superseded"), ("Deprecated", "revoked")] {
        let text = ADR.replace("Superseded", word);
        let desk = with(FILE, &text);
        let past = |line: usize, state: &str| {
            vec![format!("{FILE}:{line} {state}: is {status}, and is not in the archive")]
        };
        assert_eq!(found(&desk, false), [missing("open").to_vec(), past(1, "open")].concat());
        assert_eq!(desk.read(FILE), text);
        // By then its status is in the third line.
        assert_eq!(found(&desk, true), [missing("fixed").to_vec(), past(3, "fixed")].concat());
        let kept = desk.read("archive/decisions/D-001-use-adr.md");
        let stamped: Vec<&str> =
            kept.split_inclusive('\n').filter(|line| !line.starts_with("archived: ")).collect();
        let front = format!(
            "---\nid: D-001\nstatus: {status}\nslug: use-adr\narchived_reason: its status is {status}\n---\n"
        );
        assert_eq!(stamped.concat(), format!("{front}{text}"));
        assert_eq!(found(&desk, true), [""; 0]);
    }
}

#[rstest]
#[case("Superseded by ADR-2", "superseded")]
#[case("Superceded by ADR-2", "superseded")]
#[case("**Deprecated**", "revoked")]
#[case("* rejected, 2026-01-02", "revoked")]
#[case("REVOKED", "revoked")]
#[case("[Withdrawn](w.md)", "revoked")]
#[case("Accepted\n\nSuperseded by ADR-2", "active")]
#[case("- [ ] Superseded\n- [x] Accepted", "active")]
#[case("- [ ] Accepted\n- [X] Superseded by ADR-2", "superseded")]
#[case("~~Rejected~~ Accepted", "active")]
#[case("Deprecated APIs are gone; accepted.", "active")]
#[case("Rejected alternatives are below.", "active")]
#[case("Deprecated since 2026-01-02", "revoked")]
#[case("Active", "active")]
#[case("Approved", "active")]
#[case("Adopted", "active")]
#[case("Proposed", "active")]
#[case("Draft", "active")]
#[case("Supersedes ADR-0", "active")]
#[case("Not superseded", "active")]
#[case("<!-- Superseded, Rejected -->\nAccepted", "active")]
#[case("<!-- Accepted -->\n<!-- or -->\n\nRejected", "revoked")]
#[case("<!-- Superseded", "active")]
#[case("", "active")]
fn a_section_says_what_became_of_it(#[case] section: &str, #[case] expected: &str) {
    let text = ADR.replace("Superseded by [2. Use MADR](0002-use-madr.md)", section);
    assert_eq!(first(&with(FILE, &text)).status, expected);
    // Front matter counts before it.
    for (front, expected) in
        [("accepted", "active"), ("proposed", "proposed"), ("superseded", "superseded"), ("\"\"", expected)]
    {
        let text = format!("---\nstatus: {front}\n---\n{text}");
        assert_eq!(first(&with(FILE, &text)).status, expected, "{front}");
    }
}

#[rstest]
#[case::day("Date: 2026-01-01", "2026-01-01", "We will use ADRs.")]
#[case::lower_case("date:2026-01-01", "2026-01-01", "We will use ADRs.")]
#[case::no_day("Date: last spring", "", "We will use ADRs.")]
#[case::nothing("Date:", "", "We will use ADRs.")]
#[case::more("Date: 2026-01-01\nWe use UTC.", "", "Date: 2026-01-01\nWe use UTC.")]
#[case::another_word("Update: 2026-01-01", "", "Update: 2026-01-01")]
fn a_date_alone_is_no_text(#[case] lead: &str, #[case] date: &str, #[case] decision: &str) {
    let text = ADR.replace("Date: 2026-01-01", lead);
    let item = first(&with(FILE, &text));
    assert_eq!((item.date.as_str(), item.decision.as_str()), (date, decision));
    let dated = first(&with(FILE, &format!("---\ndate: 2025-12-31\n---\n{text}")));
    assert_eq!((dated.date.as_str(), dated.decision.as_str()), ("2025-12-31", decision));
}

#[rstest]
#[case::day("Date: 2026-01-01", "2026-01-01", "", "has no text that lists could show beside its title")]
#[case::sentence("Date: always as ISO 8601 has it", "", "Date: always as ISO 8601 has it", "")]
fn without_a_section_only_a_day_is_no_text(
    #[case] lead: &str,
    #[case] date: &str,
    #[case] decision: &str,
    #[case] told: &str,
) {
    let front = "---\nid: D-001\nslug: use-adr\nstatus: active\n---\n";
    let desk = with(FILE, &format!("{front}# Dates\n\n{lead}\n"));
    let item = first(&desk);
    assert_eq!((item.date.as_str(), item.decision.as_str()), (date, decision));
    let what: Vec<String> = found(&desk, false);
    assert_eq!(what.concat(), if told.is_empty() { String::new() } else { format!("{FILE}:0 open: {told}") });
}

#[test]
fn what_the_guard_enforces_no_repair_takes_away() {
    let text = format!("---\nid: D-001\nslug: use-adr\nguard:\n  command: a\n---\n{ADR}");
    let desk = with(FILE, &text);
    let told = [format!("{FILE}:1 open: is superseded, and is not in the archive")];
    assert_eq!(found(&desk, true), told);
    assert_eq!(desk.read(FILE), text);
}

#[test]
fn one_whose_text_is_past_may_lie_in_the_archive() {
    let text = format!("---\nid: D-001\nslug: use-adr\n---\n{ADR}");
    let desk = with("archive/decisions/D-001-use-adr.md", &text);
    assert_eq!(found(&desk, true), [""; 0]);
    assert_eq!(desk.read("archive/decisions/D-001-use-adr.md"), text);
}

#[test]
fn a_status_in_the_words_of_others_contradicts_a_successor_all_the_same() {
    let front = |status: &str| {
        format!("---\nid: D-001\nslug: use-adr\nstatus: {status}\nrevoked_reason: Too long\n---\n")
    };
    let desk = with(FILE, &format!("{}{ADR}", front("accepted")));
    assert_eq!(
        found(&desk, true),
        [format!("{FILE}:5 open: is active, and has `revoked_reason` all the same")]
    );
    let desk = with(FILE, &format!("{}{ADR}", front("deprecated")));
    assert_eq!(found(&desk, true), [format!("{FILE}:4 fixed: is revoked, and is not in the archive")]);
}

#[rstest]
#[case("active", true, "active", "")]
#[case("Active", true, "active", "")]
#[case("ACTIVE", true, "active", "")]
#[case("accepted", true, "active", "")]
#[case("Approved", true, "active", "")]
#[case("adopted", true, "active", "")]
#[case("agreed", true, "agreed", "says `status: agreed`, which nobody knows")]
#[case("proposed", true, "proposed", "says `status: proposed`, which nobody knows")]
#[case("draft", true, "draft", "says `status: draft`, which nobody knows")]
#[case("Revoked", false, "revoked", "is revoked, and is not in the archive")]
#[case("deprecated", false, "revoked", "is revoked, and is not in the archive")]
#[case("Rejected", false, "revoked", "is revoked, and is not in the archive")]
fn a_hand_that_writes_another_status_hides_nothing(
    #[case] word: &str,
    #[case] is_listed: bool,
    #[case] read: &str,
    #[case] told: &str,
) {
    let desk = Desk::repo();
    let saved = save(&desk, "Use UTC");
    let text = desk.read(&saved.file).replace("status: active", &format!("status: {word}"));
    desk.put(&saved.file, text.replace("enforce: advisory", "enforce: Required"));
    assert_eq!(titles(&desk).len(), usize::from(is_listed));
    let found = desk.base.find_decisions(&desk.view(), "D-001").remove(0);
    let found = &found.kept.item;
    assert_eq!((found.status.as_str(), found.enforce), (read, Enforce::Required));
    let findings = desk.base.check(&desk.view(), false).unwrap().findings;
    let what: Vec<&str> = findings.iter().map(|finding| finding.what.as_str()).collect();
    assert_eq!(what.concat(), told);
}
