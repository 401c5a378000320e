//! Lists that nobody has to ask a question for: what matters, what is pinned, what stands beside what.

use custos_index::{Entry, Index, Key};
use custos_model::{EventId, Kind};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{Bench, texts};

fn ids(found: Vec<(Key, Entry)>) -> Vec<EventId> {
    found.into_iter().map(|(_, entry)| entry.id).collect()
}

#[test]
fn the_weightiest_observations_of_a_project_that_hold() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut write = |kind: &str, project: &str, importance: Option<f64>, supersedes: &[EventId]| {
        let ids: Vec<String> = supersedes.iter().map(ToString::to_string).collect();
        let mut draft =
            json!({"kind": kind, "project": project, "body": {"narrative": "n", "supersedes": ids}});
        if let Some(importance) = importance {
            draft["importance"] = json!(importance);
        }
        writer.append(&draft)
    };
    let old = write("observation.recorded", "p", Some(0.9), &[]);
    let unknown = write("observation.recorded", "p", None, &[]);
    let least = write("observation.recorded", "p", Some(0.1), &[]);
    write("observation.recorded", "q", Some(1.0), &[]);
    write("summary.recorded", "p", Some(1.0), &[]);
    let most = write("observation.recorded", "p", Some(0.9), &[]);
    let new = write("observation.recorded", "p", Some(0.9), &[old]);
    writer.flush();
    let mut index = bench.caught_up();
    assert_eq!(ids(index.weighty("p", 9).unwrap()), [new, most, least, unknown]);
    assert_eq!(ids(index.weighty("p", 1).unwrap()), [new]);
    assert_eq!(ids(index.weighty("nowhere", 9).unwrap()), []);
    assert_eq!(index.replacement_of(old).unwrap(), Some(new));
    assert!(index.get(old).unwrap().unwrap().superseded && !index.get(new).unwrap().unwrap().superseded);
}

#[test]
fn the_files_in_hand_are_those_of_the_project_and_in_a_workspace_those_of_its_repos() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut call = |session: &str, project: &str, read: &str, changed: &str| {
        let body = json!({"tool": "Edit", "files_read": [read], "files_changed": [changed]});
        writer.append(&json!({"kind": "tool.used", "session": session, "project": project, "body": body}));
    };
    call("one", "shop", "a.rs", "b.rs");
    call("one", "shop", "c.rs", "a.rs");
    call("one", "bank", "x.rs", "y.rs");
    call("two", "shop", "z.rs", "z.rs");
    writer.flush();
    let mut index = bench.caught_up();
    let mut in_hand = |project: &str, session: &str, limit| {
        let files = index.files_at_hand(project, session, limit).unwrap();
        files.join(" ")
    };
    assert_eq!(in_hand("shop", "one", 9), "a.rs b.rs c.rs");
    assert_eq!(in_hand("shop", "one", 2), "a.rs b.rs");
    assert_eq!(in_hand("bank", "one", 9), "y.rs x.rs");
    assert_eq!(in_hand("/home/user/work", "one", 9), "y.rs a.rs b.rs x.rs c.rs");
    assert_eq!(in_hand("shop", "nobody", 9), "");
}

#[test]
fn an_event_may_put_another_text_in_the_place_of_one() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let text = json!({"kind": "observation.recorded", "project": "p", "body": {"narrative": "n"}});
    let [old, new] = [writer.append(&text), writer.append(&text)];
    let told = writer.append(&json!({"kind": "knowledge.updated", "body": {"supersedes": [old], "by": new}}));
    writer.flush();
    let mut index = bench.caught_up();
    assert_eq!(index.replacement_of(old).unwrap(), Some(new));
    assert_eq!(ids(index.weighty("p", 9).unwrap()), [new]);
    // It counts again when its replacement goes, or the event that says so.
    assert_eq!(index.replaced_only_by(&[new]).unwrap(), [old]);
    assert_eq!(index.replaced_only_by(&[told]).unwrap(), [old]);
    assert_eq!(index.replaced_only_by(&[old, new]).unwrap(), []);
    index.forget(&[new]).unwrap();
    assert_eq!(ids(index.weighty("p", 9).unwrap()), [old]);
    assert_eq!(index.replacement_of(old).unwrap(), None);
}

#[test]
fn what_belongs_to_no_project_is_listed_by_the_empty_name_and_pinned_everywhere() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut write = |project: Option<&str>| {
        let mut draft = json!({"kind": "observation.recorded", "body": {"narrative": "n"}});
        draft["project"] = json!(project);
        writer.append(&draft)
    };
    let [own, of_p, of_q] = [write(None), write(Some("p")), write(Some("q"))];
    for id in [own, of_p, of_q] {
        writer.append(&json!({"kind": "policy.updated", "body": {"pin": id}}));
    }
    writer.flush();
    let mut index = bench.caught_up();
    let mut recent = |project| {
        let found = index.recent(Kind::ObservationRecorded, project, 9).unwrap();
        found.into_iter().map(|entry| entry.id).collect::<Vec<_>>()
    };
    assert_eq!(recent(Some("")), [own]);
    assert_eq!(recent(Some("p")), [of_p]);
    assert_eq!(recent(None), [of_q, of_p, own]);
    assert_eq!(ids(index.pinned(Some("p")).unwrap()), [of_p, own]);
    assert_eq!(ids(index.pinned(None).unwrap()), [of_q, of_p, own]);
}

#[test]
fn summaries_of_sessions_and_of_less() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut write = |of: &str| {
        let body = json!({"request": "r", "work": "w", "of": of});
        writer.append(&json!({"kind": "summary.recorded", "project": "p", "session": "s", "body": body}))
    };
    let [first, turn, second] = [write("session"), write("turn"), write("session")];
    writer.flush();
    let mut index = bench.caught_up();
    assert_eq!(ids(index.summaries("p", true, 9).unwrap()), [second, first]);
    assert_eq!(ids(index.summaries("p", false, 9).unwrap()), [second, turn, first]);
    assert_eq!(ids(index.summaries("p", false, 1).unwrap()), [second]);
    assert_eq!(ids(index.summaries("q", false, 9).unwrap()), []);
}

#[test]
fn neighbours_are_of_the_same_session_and_what_stands_beside_of_the_same_project() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut write = |kind: &str, second: u32, session: Option<&str>| {
        let ts = format!("2026-01-01T00:00:{second:02}.000Z");
        let mut draft = json!({"kind": kind, "project": "p", "ts": ts, "body": {"text": "t"}});
        if let Some(session) = session {
            draft["session"] = json!(session);
        }
        writer.append(&draft)
    };
    // Not in the order of time.
    let fifth = write("summary.recorded", 9, Some("s"));
    let first = write("prompt.submitted", 1, Some("s"));
    let third = write("observation.recorded", 5, Some("s"));
    let other = write("observation.recorded", 4, Some("t"));
    let second = write("observation.recorded", 3, Some("s"));
    let fourth = write("prompt.submitted", 7, Some("s"));
    let alone = write("prompt.submitted", 6, None);
    writer.flush();
    let mut index = bench.caught_up();
    let key = |index: &mut Index, id| index.entry_of(id).unwrap().unwrap().0;
    let mut neighbours = |id| {
        let key = key(&mut index, id);
        let found = index.neighbours(key).unwrap();
        assert_eq!(index.neighbours_of(&[key, key]).unwrap(), [found, found]);
        found.map(|key| key.map(|key| index.entries(&[key]).unwrap()[0].1.id))
    };
    assert_eq!(neighbours(first), [None, None, Some(second), Some(third)]);
    assert_eq!(neighbours(third), [Some(first), Some(second), Some(fourth), Some(fifth)]);
    assert_eq!(neighbours(fifth), [Some(third), Some(fourth), None, None]);
    assert_eq!(neighbours(alone), [None; 4]);
    assert_eq!(neighbours(other), [None; 4]);
    let middle = key(&mut index, third);
    assert_eq!(ids(index.beside(middle, 2, 2).unwrap()), [second, other, third, alone, fourth]);
    assert_eq!(ids(index.beside(middle, 99, 0).unwrap()), [first, second, other, third]);
    assert_eq!(ids(index.beside(middle, 0, 99).unwrap()), [third, alone, fourth, fifth]);
    let beginning = key(&mut index, first);
    assert_eq!(ids(index.entries(&[middle, beginning]).unwrap()), [third, first]);
}

#[test]
fn receipts_are_listed_the_newest_first() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut write = |session: &str, moment: Value| {
        let body = json!({"moment": moment, "items": []});
        writer.append(&json!({"kind": "recall.served", "project": "p", "session": session, "body": body}))
    };
    let [a, b, c] = [write("s", json!("start")), write("t", json!("prompt")), write("s", json!(7))];
    writer.flush();
    let mut index = bench.caught_up();
    let mut receipts = |session, limit| {
        let served = index.receipts(session, limit).unwrap();
        served.into_iter().map(|served| (served.id, served.moment)).collect::<Vec<_>>()
    };
    assert_eq!(receipts(None, 9), [(c, String::new()), (b, "prompt".into()), (a, "start".into())]);
    assert_eq!(receipts(Some("s"), 1), [(c, String::new())]);
    assert_eq!(receipts(Some("u"), 9), []);
    // A forgotten receipt is no receipt.
    index.forget(&[c]).unwrap();
    assert_eq!(index.receipts(None, 9).unwrap().len(), 2);
}

/// One event of a small history in which everything happens to everything.
fn event() -> impl Strategy<Value = (usize, usize, u8, u8)> {
    (0_usize..8, 0_usize..40, 0_u8..3, 0_u8..4)
}

fn draft(number: usize, (what, about, project, second): (usize, usize, u8, u8)) -> Value {
    let id = |number: usize| format!("0193f0a1-7c00-7000-8000-{:012x}", number * 0x9e37);
    // What forgets is not forgotten: that would depend on which of the two is read first.
    let about = if what == 7 { id(about / 3 * 3 + 1) } else { id(about) };
    let sources = if number.is_multiple_of(2) { Vec::new() } else { vec![about.clone()] };
    let (kind, body) = match what {
        0 => ("prompt.submitted", json!({"text": format!("alpha beta{}", number % 5)})),
        1 | 2 => (
            "observation.recorded",
            json!({"title": format!("alpha {number}"), "facts": ["gamma", format!("delta{}", number % 3)],
                   "sources": sources}),
        ),
        3 => ("summary.recorded", json!({"request": "beta", "supersedes": [about]})),
        4 => ("policy.updated", json!({"pin": about})),
        5 => ("policy.updated", json!({"unpin": about})),
        6 => ("recall.served", json!({"moment": "prompt"})),
        _ if number.is_multiple_of(3) => ("forget.done", json!({"ids": [about]})),
        _ => ("knowledge.updated", json!({"supersedes": [about]})),
    };
    let ts = format!("2026-01-01T00:00:0{second}.000Z");
    let project = [crate::PROJECT, "q", "r"][usize::from(project)];
    let session = format!("s{}", number % 3);
    json!({"id": id(number), "kind": kind, "ts": ts, "session": session, "project": project, "body": body})
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn in_whatever_order_events_arrive_the_texts_are_the_same(
        (events, order) in proptest::collection::vec(event(), 40)
            .prop_flat_map(|events| (Just(events), Just((0..40_usize).collect::<Vec<_>>()).prop_shuffle())),
    ) {
        let questions = ["alpha".to_owned(), "beta gamma".to_owned(), "delta1 alpha".to_owned()];
        let told = |order: &[usize]| {
            let bench = Bench::new();
            let mut writers = [bench.writer("a", 1), bench.writer("b", 2)];
            let mut index = bench.index();
            for number in order {
                let writer = &mut writers[number % 2];
                writer.append(&draft(*number, events[*number]));
                if number % 5 == 0 {
                    writer.flush();
                    crate::catch_up(&mut index, &bench);
                }
            }
            writers.iter_mut().for_each(crate::writing::Writing::flush);
            crate::catch_up(&mut index, &bench);
            let grown = texts(&mut index, &questions);
            assert_eq!(grown, texts(&mut bench.rebuilt(), &questions));
            grown
        };
        prop_assert_eq!(told(&(0..40).collect::<Vec<_>>()), told(&order));
    }
}

#[test]
fn a_correction_reaches_what_repeats_the_corrected_and_nothing_else() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut write = |kind: &str, mut body: Value, sources: &[EventId], supersedes: &[EventId]| {
        let ids = |ids: &[EventId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        body["sources"] = json!(ids(sources));
        body["supersedes"] = json!(ids(supersedes));
        writer.append(&json!({"kind": kind, "project": "p", "session": "s", "body": body}))
    };
    let made = |work: &str, of: &str| json!({"title": "t", "work": work, "of": of});
    let prompt = write("prompt.submitted", json!({"text": "Deploy with make."}), &[], &[]);
    let other_prompt = write("prompt.submitted", json!({"text": "Fix the parser."}), &[], &[]);
    let old = write("observation.recorded", made("w1", ""), &[prompt], &[]);
    let of_turn = write("summary.recorded", made("w1", "turn"), &[prompt], &[]);
    let other = write("observation.recorded", made("w2", ""), &[other_prompt], &[]);
    let of_other_turn = write("summary.recorded", made("w2", "turn"), &[other_prompt], &[]);
    let of_session =
        write("summary.recorded", made("w3", "session"), &[prompt, other_prompt, old, other], &[]);
    let of_later_session = write("summary.recorded", made("w4", "session"), &[prompt, other], &[]);
    // A worker tidies up: nobody said that anything is wrong.
    let tidied = write("observation.recorded", made("w5", ""), &[other_prompt], &[other]);
    // Made of the same events as what it corrects, as an edit is.
    let new = write("observation.recorded", json!({"title": "t"}), &[prompt], &[old]);
    writer.flush();
    let mut index = bench.caught_up();
    let mut corrected = |id| (index.get(id).unwrap().unwrap().corrected, index.corrected_behind(id).unwrap());
    for id in [prompt, of_turn, of_session] {
        assert_eq!(corrected(id), (true, vec![old]), "{id}");
    }
    for id in [other_prompt, of_other_turn, of_later_session] {
        assert_eq!(corrected(id), (false, vec![]), "{id}");
    }
    for id in [old, other, tidied, new] {
        assert!(!corrected(id).0, "{id}");
    }
    // Without the correction, all of it holds again.
    index.forget(&[new]).unwrap();
    assert!(!index.get(of_session).unwrap().unwrap().corrected);
}
