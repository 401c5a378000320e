//! A catalogue saves reading, and never changes an answer.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::base::Base;
use crate::check::Card;
use crate::decision::{Decision, Enforce};
use crate::memory::{Memory, MemoryKind, PutAway};
use crate::testing::Desk;
use crate::text::Passage;

/// As many files as are worth a catalogue.
const COUNT: usize = 64;

fn decision(number: usize, title: &str) -> String {
    format!("---\nid: D-{number:03}\ntitle: {title}\n---\n\n# {title}\n\nA text.\n")
}

fn file(number: usize) -> String {
    format!("decisions/D-{number:03}-x.md")
}

/// A desk with decisions in it that were catalogued.
fn catalogued() -> Desk {
    let desk = Desk::repo();
    for number in 1..=COUNT {
        desk.put(&file(number), decision(number, "One"));
    }
    settle();
    let base = begun(&desk);
    titles(&base);
    base.write_catalogues();
    desk
}

/// A base as a new server begins it.
fn begun(desk: &Desk) -> Base {
    desk.in_session(None).with_catalogues(&desk.dir.path().join("state"))
}

/// How many decisions there are of each title.
fn titles(base: &Base) -> BTreeMap<String, usize> {
    let mut titles = BTreeMap::new();
    for placed in base.decisions(&base.view(None).unwrap(), true) {
        *titles.entry(placed.kept.item.title.clone()).or_default() += 1;
    }
    titles
}

fn expected<const N: usize>(titles: [(&str, usize); N]) -> BTreeMap<String, usize> {
    titles.into_iter().map(|(title, count)| (title.to_owned(), count)).collect()
}

/// The only catalogue of a desk.
fn path(desk: &Desk) -> PathBuf {
    let files: Vec<PathBuf> = fs::read_dir(desk.dir.path().join("state/catalogues"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

/// Lets the catalogue say something else than the files, under the right checksum: what is shown then came from it.
fn forge(desk: &Desk) {
    let bytes = fs::read(path(desk)).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("One"));
    let rest = bytes[HEADING.len() + 8..].to_vec();
    let rest: Vec<u8> = replaced(&rest, b"\x03\0\0\0One", b"\x03\0\0\0Two");
    put(desk, &[HEADING, &checksum(&rest).to_le_bytes(), &rest].concat());
}

fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for at in 0..=out.len() - from.len() {
        if out[at..].starts_with(from) {
            out[at..at + to.len()].copy_from_slice(to);
        }
    }
    out
}

#[expect(clippy::disallowed_methods, reason = "damage is not atomic either")]
fn put(desk: &Desk, bytes: &[u8]) {
    fs::write(path(desk), bytes).unwrap();
}

#[expect(clippy::disallowed_methods, reason = "it is the file system's clock that has to go on")]
fn settle() {
    std::thread::sleep(Duration::from_millis(40));
}

#[test]
fn what_was_catalogued_is_not_read_again() {
    let desk = catalogued();
    forge(&desk);
    assert_eq!(titles(&begun(&desk)), expected([("Two", COUNT)]));
}

#[test]
fn a_file_that_changed_came_or_went_since_is_read() {
    let desk = catalogued();
    forge(&desk);
    let path = |number: usize| desk.view().own().store.path(&file(number));
    // Of the same length, in place; with its old time; replaced; gone; new.
    desk.put(&file(1), decision(1, "Six"));
    let modified = fs::metadata(path(2)).unwrap().modified().unwrap();
    desk.put(&file(2), decision(2, "Six"));
    fs::File::options().write(true).open(path(2)).unwrap().set_modified(modified).unwrap();
    desk.put("decisions/new", decision(3, "Six"));
    fs::rename(desk.view().own().store.path("decisions/new"), path(3)).unwrap();
    fs::remove_file(path(4)).unwrap();
    desk.put("decisions/D-000-x.md", decision(0, "Six"));
    desk.put("decisions/none.md", "no item\n");
    desk.put("decisions/D-999-x.md", decision(999, "Six"));
    let now = expected([("Six", 5), ("Two", COUNT - 4)]);
    let base = begun(&desk);
    assert_eq!(titles(&base), now);
    // What is gone is gone from the catalogue, and the rest is found in it.
    settle();
    titles(&base);
    base.write_catalogues();
    assert_eq!(titles(&begun(&desk)), now);
    let text = fs::read(self::path(&desk)).unwrap();
    assert!(!String::from_utf8_lossy(&text).contains("D-004-x.md"));
}

#[test]
fn titles_that_were_compared_are_not_read_for_comparison_again() {
    let desk = catalogued();
    let compared = |base: &Base| -> Vec<Option<Wording>> {
        let placed = base.decisions(&base.view(None).unwrap(), true);
        placed.iter().map(|placed| placed.kept.compared().cloned()).collect()
    };
    assert_eq!(compared(&begun(&desk)), vec![None; COUNT]);
    desk.put(&file(1), decision(1, "Another"));
    settle();
    let base = begun(&desk);
    for placed in base.decisions(&base.view(None).unwrap(), true) {
        placed.kept.wording();
    }
    base.write_catalogues();
    let mut expected = vec![Some(Wording::of("One")); COUNT];
    expected[0] = Some(Wording::of("Another"));
    assert_eq!(compared(&begun(&desk)), expected);
    // With the file, its wording is another one.
    desk.put(&file(2), decision(2, "Six"));
    expected[1] = None;
    assert_eq!(compared(&begun(&desk)), expected);
}

#[test]
fn what_the_doctor_keeps_is_not_made_again_either() {
    let desk = Desk::repo();
    let text = |number: usize, status: &str| {
        format!("---\nid: D-{number:03}\nslug: x\nstatus: {status}\n---\n\n# One\n\nText.\n")
    };
    for number in 1..=COUNT {
        desk.put(&file(number), text(number, "seen"));
    }
    settle();
    let found = |base: &Base| {
        let mut found = BTreeMap::new();
        let findings = base.check(&base.view(None).unwrap(), false).unwrap().findings;
        // All of them are called alike here.
        for finding in findings.into_iter().filter(|finding| !finding.what.starts_with("has the same name")) {
            *found.entry(finding.what).or_default() += 1;
        }
        found
    };
    let base = begun(&desk);
    base.check_ahead(&base.view(None).unwrap());
    let rest = fs::read(path(&desk)).unwrap()[HEADING.len() + 8..].to_vec();
    let rest = replaced(&rest, b"`status: seen`", b"`status: read`");
    put(&desk, &[HEADING, &checksum(&rest).to_le_bytes(), &rest].concat());
    let ignored = "is missing, so that git takes handoffs, worklog and plans along";
    let read = "says `status: read`, which nobody knows";
    assert_eq!(found(&begun(&desk)), expected([(ignored, 1), (read, COUNT)]));
    desk.put(&file(1), text(1, "active"));
    desk.put(&file(2), text(2, "gone"));
    let gone = "says `status: gone`, which nobody knows";
    assert_eq!(found(&begun(&desk)), expected([(ignored, 1), (gone, 1), (read, COUNT - 2)]));
}

#[test]
fn what_has_not_settled_is_not_catalogued() {
    let desk = catalogued();
    desk.put(&file(1), decision(1, "Six"));
    let base = begun(&desk);
    titles(&base);
    base.write_catalogues();
    forge(&desk);
    desk.put(&file(1), decision(1, "Ten"));
    assert_eq!(titles(&begun(&desk)), expected([("Ten", 1), ("Two", COUNT - 1)]));
}

#[test]
fn a_catalogue_that_is_damaged_foreign_or_of_another_version_is_ignored() {
    let desk = catalogued();
    forge(&desk);
    let good = fs::read(path(&desk)).unwrap();
    let rest = &good[HEADING.len()..];
    let mut other_bytes = good.clone();
    let last = other_bytes.len() - 1;
    other_bytes[last] ^= 1;
    let of_elsewhere = {
        let rest = replaced(&rest[8..], b"/root/.ai/", b"/rood/.ai/");
        assert_ne!(rest, good[HEADING.len() + 8..]);
        [HEADING, &checksum(&rest).to_le_bytes(), &rest].concat()
    };
    let as_read = expected([("One", COUNT)]);
    for (what, bytes) in [
        ("empty", Vec::new()),
        ("cut", good[..good.len() / 2].to_vec()),
        ("another byte", other_bytes),
        ("another form", [b"custos-catalogue 0 0.0.0\n", rest].concat()),
        ("another directory", of_elsewhere),
        ("more behind it", [&good[..], b"and more"].concat()),
        ("something else", b"# A text\n".to_vec()),
    ] {
        put(&desk, &bytes);
        assert_eq!(titles(&begun(&desk)), as_read, "{what}");
    }
    fs::remove_file(path(&desk)).unwrap();
    assert_eq!(titles(&begun(&desk)), as_read);
}

#[test]
fn nobody_else_reads_it_and_a_few_files_are_not_worth_it() {
    let desk = catalogued();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = path(&desk);
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
    let small = Desk::repo();
    small.put(&file(1), decision(1, "One"));
    settle();
    let base = begun(&small);
    assert_eq!(titles(&base), expected([("One", 1)]));
    base.write_catalogues();
    assert!(!small.dir.path().join("state").exists());
}

#[test]
fn there_are_never_too_many() {
    let dir = tempfile::tempdir().unwrap();
    let of = |number: usize| Catalogue::<Memory>::new(dir.path(), PathBuf::from(format!("/p/{number}")));
    for number in 0..MOST + 5 {
        of(number).write(None, &[]);
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), MOST);
    assert!(of(MOST + 4).read("memory/patterns").is_some());
}

#[test]
fn a_form_that_is_another_has_another_number() {
    let file = "---\nid: D-001\nslug: a\ntitle: One \ndate: 2026-11-15\nenforce: required\nscope: [x, y]\n---\n\n# One\n\nA *text*.\n\n## Reasoning\n\nWhy.\n\n## More\n\nStill.\n";
    let mut out = Writer::default();
    Decision::read("decisions/D-001-a.md", file).unwrap().spell(&mut out);
    Memory::read("memory/feedback/a.md", file).unwrap().spell(&mut out);
    card().spell(&mut out);
    Wording::of("Caching of the policies").spell(&mut out);
    // Whoever has to change the sum has to count up the form, too.
    let form = String::from_utf8_lossy(&HEADING[..HEADING.len() - 7]);
    assert_eq!((&*form, checksum(&out.done())), ("custos-catalogue 12", 15_399_976_166_290_123_164));
}

/// What the doctor keeps of a decision that names others and has something that only a person can put right.
fn card() -> Card {
    let file = "---\nid: D-001\nslug: a\ntitle: One\nstatus: odd\nsuperseded_by: D-002\nsupersedes: [D-003, b]\n---\n\n# One\n";
    Card::read("decisions/D-001-a.md", file).unwrap()
}

fn text() -> impl Strategy<Value = String> {
    "(\\PC|\n){0,12}"
}

fn some() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(text())
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(text(), 0..4)
}

fn passages() -> impl Strategy<Value = Vec<Passage>> {
    let passage = (text(), text()).prop_map(|(heading, text)| Passage { heading, text });
    proptest::collection::vec(passage, 0..3)
}

prop_compose! {
    fn decisions()(
        [id, slug, title, date, source, status, decision, reasoning] in proptest::array::uniform8(text()),
        [session, superseded_by, revoked_reason] in proptest::array::uniform3(some()),
        [scope, supersedes] in proptest::array::uniform2(texts()),
        sections in passages(),
        is_required: bool,
        guarded: bool,
    ) -> Decision {
        let enforce = if is_required { Enforce::Required } else { Enforce::Advisory };
        Decision {
            id, slug, title, date, source, enforce, session, scope, status, superseded_by, supersedes,
            revoked_reason, guarded, decision, reasoning, sections,
        }
    }
}

prop_compose! {
    fn memories()(
        [slug, title, source, date, description, body, time, reason] in proptest::array::uniform8(text()),
        [updated, session, superseded_by] in proptest::array::uniform3(some()),
        [keywords, scope] in proptest::array::uniform2(texts()),
        sections in passages(),
        is_pattern: bool,
        is_archived: bool,
    ) -> Memory {
        let kind = if is_pattern { MemoryKind::Pattern } else { MemoryKind::Feedback };
        let archived = is_archived.then_some(PutAway { time, reason, superseded_by });
        Memory {
            slug, kind, title, source, date, updated, keywords, session, scope, archived, description, body,
            sections,
        }
    }
}

/// Spells an item and reads it again.
fn again<T: Catalogued + PartialEq + std::fmt::Debug>(item: &T) {
    let mut out = Writer::default();
    item.spell(&mut out);
    Wording::of(item.title()).spell(&mut out);
    let bytes = out.done();
    let mut from = Reader::new(&bytes);
    assert_eq!(&T::recall(&mut from), item);
    assert_eq!((Wording::recall(&mut from), from.left()), (Wording::of(item.title()), 0));
}

proptest! {
    #[test]
    fn what_is_spelt_is_read(decision in decisions(), memory in memories()) {
        again(&decision);
        again(&memory);
        again(&card());
    }

    #[test]
    fn whatever_is_read_does_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        Decision::recall(&mut Reader::new(&bytes));
        Memory::recall(&mut Reader::new(&bytes));
        Card::recall(&mut Reader::new(&bytes));
        Wording::recall(&mut Reader::new(&bytes));
    }
}
