//! What the doctor keeps of a file never hides what became of it.

use std::time::Duration;

use super::*;
use crate::base::Base;

/// As many files as are worth a catalogue.
const COUNT: usize = 64;

/// Waits until a change would show in the version of everything that was written so far.
#[expect(clippy::disallowed_methods, reason = "it is the file system's clock that has to go on")]
fn settle() {
    std::thread::sleep(Duration::from_millis(40));
}

/// A store with decisions, tasks and memories in order, looked at once all of it had settled.
fn looked_at() -> Patient {
    let desk = Patient::in_order();
    desk.put("decisions/D-001-a.md", decision("D-001", "a", ""));
    desk.put("decisions/D-002-b.md", decision("D-002", "b", ""));
    let past = "superseded_by: D-001\narchived: 2026-11-01\n";
    desk.put("archive/decisions/D-003-c.md", decision("D-003", "c", past));
    desk.put("backlog/B-001-a.md", "---\nid: B-001\nslug: a\nstatus: open\n---\n# A\n");
    desk.put("memory/feedback/m.md", memory("m", "type: feedback\n"));
    desk.put("memory/patterns/p.md", memory("p", "type: pattern\n"));
    settle();
    assert_eq!(desk.check(false), [""; 0]);
    desk
}

#[test]
fn a_file_that_is_broken_shows_at_once_and_no_longer_once_it_is_mended() {
    let desk = looked_at();
    let (good, file) = (decision("D-001", "a", ""), "decisions/D-001-a.md");
    // Of the same length, so that only its times tell.
    let conflict = good.replacen("slug: a\n", "<<<<<<<\n", 1);
    assert_eq!(conflict.len(), good.len());
    for (bad, expected) in [
        (conflict, "decisions/D-001-a.md:3 by hand: has an unresolved merge conflict"),
        (
            good.replace("title: About a", "title: \"Abou"),
            "decisions/D-001-a.md:5 by hand: invalid indentation in multiline quoted scalar",
        ),
        (
            good.replace("active", "rumour"),
            "decisions/D-001-a.md:5 by hand: says `status: rumour`, which nobody knows",
        ),
        (good.replace("status: active\n", ""), "decisions/D-001-a.md:1 fixable: has no status"),
        (String::new(), "decisions/D-001-a.md:0 by hand: is empty"),
    ] {
        // Looked at as soon as it is written, and once more after a while.
        desk.put(file, &bad);
        assert_eq!(desk.check(false), [expected]);
        settle();
        assert_eq!(desk.check(false), [expected]);
        assert_eq!(desk.check(false), [expected]);
        desk.put(file, &good);
        assert_eq!(desk.check(false), [""; 0], "{bad}");
        settle();
        assert_eq!(desk.check(false), [""; 0], "{bad}");
    }
}

#[test]
fn edits_within_one_tick_of_the_clock_all_show() {
    let desk = looked_at();
    let file = "memory/feedback/m.md";
    let (good, bad) = (memory("m", "type: feedback\n"), memory("m", "type: feedbacc\n"));
    for at in 0..40 {
        if at % 5 == 0 {
            settle();
            desk.check(false);
        }
        desk.put(file, &bad);
        let expected = ["memory/feedback/m.md:4 by hand: says `type: feedbacc`, which nobody knows"];
        assert_eq!(desk.check(false), expected, "the edit {at}");
        desk.put(file, &good);
        assert_eq!(desk.check(false), [""; 0], "the edit {at}");
    }
}

#[test]
fn a_twin_that_comes_shows_as_does_what_it_makes_ambiguous_and_is_gone_when_it_goes() {
    let desk = looked_at();
    let expected = [
        "archive/decisions/D-003-c.md:6 by hand: names D-001 in `superseded_by`, and two files had that id",
        "decisions/D-001-z.md:2 fixable: has the id D-001, and so has decisions/D-001-a.md",
    ];
    desk.put("decisions/D-001-z.md", decision("D-001", "z", ""));
    assert_eq!(desk.check(false), expected);
    settle();
    assert_eq!(desk.check(false), expected);
    fs::remove_file(desk.path("decisions/D-001-z.md")).unwrap();
    assert_eq!(desk.check(false), [""; 0]);
    // By its text alone, in a file whose name is still the old one.
    desk.put("backlog/B-002-b.md", "---\nid: B-002\nslug: b\nstatus: open\n---\n# B\n");
    settle();
    assert_eq!(desk.check(false), [""; 0]);
    desk.put("backlog/B-002-b.md", "---\nid: B-001\nslug: b\nstatus: open\n---\n# B\n");
    assert_eq!(
        desk.check(false),
        [
            "backlog/B-002-b.md:0 fixable: should be backlog/B-001-b.md, as its front matter has it",
            "backlog/B-002-b.md:2 fixable: has the id B-001, and so has backlog/B-001-a.md",
        ]
    );
    fs::remove_file(desk.path("backlog/B-002-b.md")).unwrap();
    // In the archive, and among the memories of the other kind.
    desk.put("archive/decisions/D-001-y.md", decision("D-001", "y", "archived: 2026-11-01\n"));
    desk.put("memory/patterns/m.md", memory("m", "type: pattern\n"));
    settle();
    for _ in 0..2 {
        assert_eq!(
            desk.check(false),
            [
                "archive/decisions/D-003-c.md:6 by hand: names D-001 in `superseded_by`, and two files had that id",
                "decisions/D-001-a.md:2 fixable: has the id D-001, and so has archive/decisions/D-001-y.md",
                "memory/patterns/m.md:2 fixable: has the slug m, and so has memory/feedback/m.md",
            ]
        );
    }
}

#[test]
fn a_reference_leads_nowhere_as_soon_as_its_decision_is_gone() {
    let desk = looked_at();
    fs::remove_file(desk.path("decisions/D-001-a.md")).unwrap();
    let expected = [
        "archive/decisions/D-003-c.md:6 by hand: names D-001 in `superseded_by`, and there is no such decision here",
    ];
    assert_eq!(desk.check(false), expected);
    settle();
    assert_eq!(desk.check(false), expected);
    // Nobody can read it, but the id was given out.
    desk.put("archive/decisions/D-001-a.md", "---\nid: [\n---\n");
    assert_eq!(desk.check(false), ["archive/decisions/D-001-a.md:2 by hand: unclosed bracket '['"]);
}

#[test]
fn what_was_repaired_and_spoilt_again_is_repaired_again() {
    let desk = looked_at();
    for _ in 0..3 {
        desk.put("decisions/D-001-a.md", decision("D-001", "a", "").replace("status: active\n", ""));
        assert_eq!(desk.check(true), ["decisions/D-001-a.md:1 fixed: has no status"]);
        assert_eq!(desk.check(true), [""; 0]);
    }
}

#[test]
fn a_slug_that_only_a_file_has_that_nobody_can_read_is_not_given_out() {
    let desk = looked_at();
    desk.put("memory/patterns/m.md", memory("m", "type: pattern\n"));
    desk.put("memory/patterns/m-2.md", "---\nslug: [\n---\n");
    desk.put("archive/memory/feedback/m-3.md", memory("m-3", "archived: 2026-11-01\n"));
    let expected = [
        "memory/patterns/m-2.md:2 by hand: unclosed bracket '['",
        "memory/patterns/m.md:2 fixed: has the slug m, and so has memory/feedback/m.md",
    ];
    assert_eq!(desk.check(true), expected);
    assert!(desk.path("memory/patterns/m-4.md").exists(), "{:?}", desk.names());
}

/// A base as a new server begins it.
fn begun(desk: &Patient) -> Base {
    desk.in_session(None).with_catalogues(&desk.dir.path().join("state"))
}

fn found(base: &Base) -> Vec<String> {
    told(&base.check(&base.view(None).unwrap(), false).unwrap().findings)
}

fn numbered(number: usize, more: &str) -> (String, String) {
    let slug = format!("d{number}");
    (format!("decisions/D-{number:03}-{slug}.md"), decision(&format!("D-{number:03}"), &slug, more))
}

#[test]
fn what_one_server_kept_spares_the_next_the_reading_and_hides_nothing() {
    let desk = Patient::in_order();
    for number in 1..=COUNT {
        let (file, text) = numbered(number, "supersedes: D-001\nsource: rumour\n");
        desk.put(&file, text);
    }
    settle();
    let base = begun(&desk);
    let unknown = |number: usize| {
        format!("{}:7 by hand: says `source: rumour`, which nobody knows", numbered(number, "").0)
    };
    let first = numbered(1, "").0;
    let superseded =
        format!("{first}:5 by hand: still holds, and {} says that it supersedes it", numbered(2, "").0);
    let all: Vec<String> = [superseded].into_iter().chain((1..=COUNT).map(unknown)).collect();
    assert_eq!(found(&base), all);
    base.write_catalogues();
    assert_eq!(found(&begun(&desk)), all);
    // What came, went and changed since then is seen, also by the first look.
    fs::remove_file(desk.path(&numbered(1, "").0)).unwrap();
    for number in 2..COUNT {
        let (file, text) = numbered(number, "");
        desk.put(&file, text);
    }
    let (twin, text) = numbered(COUNT, "");
    desk.put(&twin.replace("d64", "e"), text.replace("d64", "e"));
    let last = numbered(COUNT, "").0;
    let lost = format!("{last}:6 by hand: names D-001 in `supersedes`, and there is no such decision here");
    let newer = format!("{}:2 fixable: has the id D-064, and so has {last}", last.replace("d64", "e"));
    assert_eq!(found(&begun(&desk)), [lost, unknown(COUNT), newer]);
}
