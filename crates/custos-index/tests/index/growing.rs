//! An index that grew with its log and one that was made from it in one go give the same answers.

use custos_index::{CatchUp, Problem, WorkCounts};
use custos_log::{Line, Position};
use custos_model::{EventId, Kind};
use custos_testkit::corpus::{COMMON_WORD, events, rare_word};
use custos_testkit::random::Random;
use serde_json::json;

use crate::{Bench, answers, catch_up, ids};

fn questions() -> Vec<String> {
    let known =
        [COMMON_WORD, "refresh token", "parse config file error", "sessionStore", "the", "größe", "設定"];
    known.iter().map(|question| (*question).to_owned()).chain((0..400).filter_map(rare_word)).collect()
}

/// An event that says something about another: a pin, its end, a receipt, or knowledge that takes its place.
fn about_a_text(random: &mut Random, seen: &[EventId]) -> serde_json::Value {
    let id = seen[random.index(seen.len())].to_string();
    // Often at the same instant, so that ids decide which was the last word.
    let ts = format!("2026-02-01T00:00:0{}.000Z", random.index(3));
    match random.index(4) {
        0 => json!({"kind": "policy.updated", "ts": ts, "body": {"pin": id}}),
        1 => json!({"kind": "policy.updated", "ts": ts, "body": {"unpin": id, "other": 1}}),
        2 => {
            json!({"kind": "recall.served", "ts": ts, "session": "s", "body": {"moment": "prompt", "items": [id]}})
        }
        _ => json!({"kind": "knowledge.saved", "body": {"slug": "x", "supersedes": [id, "a-slug"]}}),
    }
}

#[test]
fn a_rebuilt_index_gives_the_same_answers() {
    let bench = Bench::new();
    let mut random = Random::seeded(7);
    let mut writers = [bench.writer("a", 1), bench.writer("b", 2), bench.writer("c", 3)];
    let mut index = bench.index();
    let mut seen: Vec<EventId> = Vec::new();
    let mut stored = 0;
    for (number, mut draft) in events(7, 3_000).enumerate() {
        let text_or_setback = draft["kind"] == "observation.recorded" || draft["kind"] == "summary.recorded";
        if text_or_setback && seen.len() > 20 {
            // The corpus cannot know ids; here some of the sources are real, and some lie in another writer's log.
            let sources: Vec<String> =
                (0..3).map(|_| seen[seen.len() - 1 - random.index(20)].to_string()).collect();
            draft["body"]["sources"] = json!(sources);
            if random.percent(50) {
                draft["body"]["work"] = json!(format!("{number:x}"));
                draft["body"]["content"] = json!(format!("{:x}", number % 97));
            }
            if random.percent(50) {
                let kind = *random.pick(&[
                    "work.failed",
                    "work.abandoned",
                    "work.reopened",
                    "work.done",
                    "usage.recorded",
                ]);
                draft = json!({"kind": kind, "session": draft["session"], "body": {
                    "sources": sources, "supersedes": [seen[random.index(seen.len())].to_string()], "work": "w", "by": "rules",
                    "provider": "p", "model": "m", "input": 7, "output": 1, "merged": 1,
                }});
            }
        }
        if number % 40 == 39 {
            draft = about_a_text(&mut random, &seen);
        }
        if number % 700 == 699 {
            let gone = seen[random.index(seen.len())].to_string();
            draft = json!({"kind": "forget.done", "body": {"ids": [gone], "reason": "test"}});
        }
        let writer = random.pick(&[0_usize, 1, 2]);
        seen.push(writers[*writer].append(&draft));
        if number % 500 == 250 {
            writers[*writer].raw(b"{\"torn\":");
            writers[*writer].next_segment();
        }
        if random.percent(1) {
            // Not all at once: the reader sees some writers' news before others'.
            writers[random.index(3)].flush();
            stored += catch_up(&mut index, &bench).events;
        }
    }
    writers.iter_mut().for_each(crate::writing::Writing::flush);
    let last = catch_up(&mut index, &bench);
    assert!(last.complete && !last.rebuilt && stored > 1_000);
    let questions = questions();
    let grown = answers(&mut index, &questions);
    assert!(grown.hits.iter().any(|hits| hits.len() == 20) && grown.work_counts.done > 100);
    assert!(!grown.texts.pinned.is_empty() && grown.texts.receipts.len() > 5);
    assert!(grown.texts.each.iter().any(|(_, pieces, ..)| pieces.len() > 1));
    assert_eq!(grown, answers(&mut bench.rebuilt(), &questions));
    index.rebuild(&bench.log(), &mut |_| {}).unwrap();
    assert_eq!(grown, answers(&mut index, &questions));
}

#[test]
fn the_same_event_in_a_restored_copy_counts_once() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    for draft in events(3, 200) {
        writer.append(&draft);
    }
    writer.flush();
    std::fs::create_dir(bench.log_dir().join("a-copy")).unwrap();
    std::fs::copy(writer.path(), bench.log_dir().join("a-copy/0001.jsonl")).unwrap();
    let mut index = bench.index();
    assert_eq!(catch_up(&mut index, &bench).events, 200);
    let total: u64 = index.status().unwrap().kinds.iter().map(|(_, events)| events).sum();
    assert_eq!(total, 200);
}

#[test]
fn broken_and_newer_lines_are_counted_named_and_passed_over() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let first = writer.append(&json!({"kind": "prompt.submitted", "body": {"text": "before"}}));
    writer.flush();
    let broken_at = std::fs::metadata(writer.path()).unwrap().len();
    writer.raw(b"not a record");
    let second = writer.append(&json!({"kind": "prompt.submitted", "body": {"text": "after"}}));
    writer.flush();
    let mut lines = std::fs::read_to_string(writer.path()).unwrap();
    let newer_at = lines.len() as u64;
    let newer = lines
        .lines()
        .next()
        .unwrap()
        .replace("\"v\":\"1.0.0\"", "\"v\":\"2.0.0\"")
        .replace("\"seq\":1", "\"seq\":3");
    lines.push_str(&newer);
    lines.push('\n');
    writer.raw(newer.as_bytes());
    writer.flush();
    let mut index = bench.index();
    let caught_up = catch_up(&mut index, &bench);
    let bytes = lines.len() as u64;
    assert_eq!(caught_up, CatchUp { events: 2, bytes, problems: 2, complete: true, rebuilt: false });
    let problem = |offset, reason: &str| Problem {
        writer: "a".parse().unwrap(),
        at: Position { segment: 1, offset },
        reason: reason.into(),
    };
    assert_eq!(
        index.problems(10).unwrap(),
        [problem(broken_at, "is no record"), problem(newer_at, "schema 2.0.0 is newer than this program")]
    );
    assert_eq!((ids(&mut index, "before"), ids(&mut index, "after")), (vec![first], vec![second]));
}

#[test]
fn a_log_that_was_replaced_by_a_shorter_or_another_one_is_read_anew() {
    for replace in [
        |path: &std::path::Path, old: &[u8]| std::fs::write(path, &old[..old.len() / 2]).unwrap(),
        |path: &std::path::Path, _: &[u8]| std::fs::remove_file(path).unwrap(),
        |path: &std::path::Path, old: &[u8]| {
            // As long as before, but the second half is the first half again: another history.
            let middle = old.iter().take(old.len() / 2).rposition(|b| *b == b'\n').unwrap() + 1;
            let mut other = old[..middle].to_vec();
            other.extend_from_slice(&vec![b' '; old.len() - middle - 1]);
            other.push(b'\n');
            other.extend_from_slice(&old[..middle]);
            std::fs::write(path, other).unwrap();
        },
    ] {
        let bench = Bench::new();
        let mut writer = bench.writer("a", 1);
        for draft in events(3, 100) {
            writer.append(&draft);
        }
        writer.flush();
        let mut index = bench.caught_up();
        let old = std::fs::read(writer.path()).unwrap();
        replace(&writer.path(), &old);
        let caught_up = catch_up(&mut index, &bench);
        assert!(caught_up.rebuilt && caught_up.complete, "{caught_up:?}");
        assert_eq!(answers(&mut index, &questions()), answers(&mut bench.rebuilt(), &questions()));
    }
}

#[test]
fn a_clock_that_goes_back_breaks_nothing() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let prompt = |writer: &mut crate::writing::Writing, ts: &str, text: &str| {
        writer.append(&json!({"kind": "prompt.submitted", "ts": ts, "body": {"text": text}}))
    };
    let future = prompt(&mut writer, "9999-12-30T00:00:00.000Z", "clock alpha");
    let past = prompt(&mut writer, "1234-01-01T00:00:00.000Z", "clock beta");
    writer.flush();
    let mut index = bench.caught_up();
    let now = prompt(&mut writer, "2026-01-01T00:00:00.000Z", "clock gamma");
    writer.flush();
    assert_eq!(catch_up(&mut index, &bench).events, 1);
    assert_eq!(ids(&mut index, "clock"), [future, now, past]);
}

#[test]
fn many_events_of_one_instant_are_all_found() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    for number in 0..9_000 {
        let body = json!({"text": format!("same instant {}", number % 2)});
        writer.append(&json!({"kind": "prompt.submitted", "ts": "2026-01-01T00:00:00.000Z", "body": body}));
    }
    writer.flush();
    let mut index = bench.caught_up();
    assert_eq!(index.recent(Kind::PromptSubmitted, None, usize::MAX).unwrap().len(), 9_000);
    assert_eq!(ids(&mut index, "instant").len(), 20);
}

#[test]
fn the_newest_are_listed_whatever_their_ids_are() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    // Within one second and across two, in no order.
    let times = [(1, 150), (1, 228), (0, 999), (1, 3), (1, 199), (0, 1), (1, 227), (1, 77)];
    for (second, millis) in times {
        let ts = format!("2026-01-01T00:00:0{second}.{millis:03}Z");
        writer.append(&json!({"kind": "prompt.submitted", "ts": ts, "body": {"text": "when"}}));
    }
    writer.flush();
    let mut index = bench.caught_up();
    let all = index.recent(Kind::PromptSubmitted, None, usize::MAX).unwrap();
    assert!(all.len() == times.len() && all.is_sorted_by_key(|entry| std::cmp::Reverse(entry.ts)));
    for limit in 0..times.len() {
        assert_eq!(index.recent(Kind::PromptSubmitted, None, limit).unwrap(), all[..limit], "{limit}");
    }
}

#[test]
fn work_is_pending_until_a_result_names_it() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let tool = |writer: &mut crate::writing::Writing| {
        writer.append(&json!({"kind": "tool.used", "session": "s", "project": "p", "body": {"tool": "Bash"}}))
    };
    let [done, failed, abandoned, untouched] = [(); 4].map(|()| tool(&mut writer));
    let result = |writer: &mut crate::writing::Writing, kind: &str, source: EventId| {
        writer.append(&json!({"kind": kind, "body": {"sources": [source.to_string()]}}))
    };
    result(&mut writer, "observation.recorded", done);
    result(&mut writer, "work.failed", failed);
    result(&mut writer, "work.failed", failed);
    result(&mut writer, "work.abandoned", abandoned);
    writer.flush();
    let mut index = bench.caught_up();
    let pending: Vec<(EventId, u64)> = index
        .pending_work(Some("s"), 10)
        .unwrap()
        .into_iter()
        .map(|work| (work.event, work.attempts))
        .collect();
    assert_eq!(pending, [(failed, 2), (untouched, 0)]);
    assert_eq!(index.work_counts().unwrap(), WorkCounts { pending: 2, failed: 1, done: 1, abandoned: 1 });
    assert_eq!(index.pending_work(Some("other"), 10).unwrap(), []);
}

#[test]
fn an_event_is_located_where_the_log_has_it() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let drafts: Vec<_> = events(5, 50).collect();
    let written: Vec<EventId> = drafts.iter().map(|draft| writer.append(draft)).collect();
    writer.flush();
    let mut index = bench.caught_up();
    for (id, draft) in written.into_iter().zip(drafts) {
        let location = index.locate(id).unwrap().unwrap();
        assert_eq!(location.kind.name(), draft["kind"]);
        let mut cursor = bench.log().cursor(&location.writer, location.at).unwrap();
        let Some(Line::Record(record)) = cursor.next().unwrap() else { panic!("{id} is not there") };
        assert_eq!((record.frame.id, record.at), (id, location.at));
    }
}
