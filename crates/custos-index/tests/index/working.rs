//! The work queue: what waits, what closes it, what opens it again, and what was made of it.

use custos_index::{Index, Junk, Usage, WorkCounts, WorkState};
use custos_model::{EventId, Timestamp};
use serde_json::json;

use crate::writing::Writing;
use crate::{Bench, catch_up, ids};

fn tool(writer: &mut Writing) -> EventId {
    writer.append(&json!({"kind": "tool.used", "session": "s", "task": "t", "body": {"tool": "Bash"}}))
}

fn say(writer: &mut Writing, kind: &str, pass: u64, source: EventId) -> EventId {
    let body = json!({"sources": [source.to_string()], "work": "w", "pass": pass});
    writer.append(&json!({"kind": kind, "session": "s", "body": body}))
}

fn state(index: &mut Index, bench: &Bench, event: EventId) -> (WorkState, u64, u64) {
    catch_up(index, bench);
    let work = index.work_of(Some("s")).unwrap().into_iter().find(|work| work.event == event).unwrap();
    (work.state, work.attempts, work.passes)
}

#[test]
fn work_is_closed_by_what_says_so_and_opened_again_by_a_person() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut index = bench.index();
    let event = tool(&mut writer);
    // What is said, and the state, the attempts and the pass after it.
    let story = [
        ("", WorkState::Pending, 0, 0),
        // A text of a worker does not close it: the worker may have died right after it.
        ("observation.recorded", WorkState::Pending, 0, 0),
        ("work.failed", WorkState::Pending, 1, 0),
        ("work.failed", WorkState::Pending, 2, 0),
        ("work.abandoned", WorkState::Abandoned, 2, 0),
        ("work.reopened", WorkState::Pending, 0, 1),
        ("work.failed", WorkState::Pending, 1, 1),
        ("work.done", WorkState::Done, 1, 1),
        ("work.reopened", WorkState::Pending, 0, 2),
        ("work.done", WorkState::Done, 0, 2),
    ];
    for (kind, expected, attempts, passes) in story {
        if !kind.is_empty() {
            say(&mut writer, kind, passes, event);
        }
        writer.flush();
        assert_eq!(state(&mut index, &bench, event), (expected, attempts, passes), "after {kind:?}");
    }
}

#[test]
fn to_say_a_thing_about_work_twice_changes_nothing() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut index = bench.index();
    let event = tool(&mut writer);
    let story = [
        // Opened before it was ever closed, and by two people.
        ("work.reopened", 1, WorkState::Pending, 1),
        ("work.reopened", 1, WorkState::Pending, 1),
        // A worker ends that had begun before that.
        ("work.done", 0, WorkState::Pending, 1),
        ("work.done", 1, WorkState::Done, 1),
        ("work.reopened", 2, WorkState::Pending, 2),
        // Done together with other events, which were opened more often.
        ("work.done", 4, WorkState::Done, 4),
        ("work.abandoned", 4, WorkState::Done, 4),
        ("work.reopened", 5, WorkState::Pending, 5),
        ("work.done", 5, WorkState::Done, 5),
    ];
    for (kind, pass, expected, passes) in story {
        say(&mut writer, kind, pass, event);
        writer.flush();
        assert_eq!(state(&mut index, &bench, event), (expected, 0, passes), "after {kind} {pass}");
    }
    let dropped = tool(&mut writer);
    let story = [("abandoned", 0, WorkState::Abandoned), ("abandoned", 0, WorkState::Abandoned)];
    for (kind, pass, expected) in story.into_iter().chain([("reopened", 1, WorkState::Pending)]) {
        say(&mut writer, &format!("work.{kind}"), pass, dropped);
        writer.flush();
        assert_eq!(state(&mut index, &bench, dropped), (expected, 0, pass), "after {kind} {pass}");
    }
}

#[test]
fn a_text_that_somebody_else_made_closes_its_sources() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let event = tool(&mut writer);
    writer.append(
        &json!({"kind": "observation.recorded", "body": {"title": "x", "sources": [event.to_string()]}}),
    );
    writer.flush();
    let counts = bench.caught_up().work_counts().unwrap();
    assert_eq!(counts, WorkCounts { done: 1, ..WorkCounts::default() });
}

/// An observation of a worker.
fn learnt(writer: &mut Writing, title: &str, content: &str, source: EventId) -> EventId {
    writer.append(&json!({
        "kind": "observation.recorded", "session": "s", "project": "p",
        "body": {"title": title, "work": "w", "content": content, "by": "rules", "sources": [source.to_string()]}
    }))
}

#[test]
fn what_was_learnt_is_found_by_what_it_says_until_something_better_comes() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let event = tool(&mut writer);
    let old = learnt(&mut writer, "The parser drops tokens", "c1", event);
    writer.flush();
    let mut index = bench.caught_up();
    assert_eq!(index.learnt_before("s", "c1").unwrap(), Some(old));
    assert_eq!(
        (index.learnt_before("s", "c2").unwrap(), index.learnt_before("r", "c1").unwrap()),
        (None, None)
    );
    assert_eq!(
        (index.made_from(&[event], false).unwrap(), ids(&mut index, "parser")),
        (vec![old], vec![old])
    );
    assert!(ids(&mut index, "rules").is_empty(), "the books are not searched");

    let new = learnt(&mut writer, "The parser drops the last token", "c2", event);
    let done = writer.append(&json!({"kind": "work.done", "session": "s", "body": {
        "sources": [event.to_string()], "supersedes": [old.to_string()], "work": "w", "by": "rules",
        "fell_back": "no answer", "results": [new.to_string()], "merged": 1,
    }}));
    writer.flush();
    catch_up(&mut index, &bench);
    assert_eq!(index.learnt_in("s").unwrap(), [(new, "c2".to_owned())]);
    assert_eq!(index.learnt_before("s", "c1").unwrap(), None);
    assert_eq!(
        (index.made_from(&[event], false).unwrap(), ids(&mut index, "parser")),
        (vec![new], vec![new])
    );
    assert_eq!(index.get(old).unwrap().map(|entry| entry.id), Some(old), "it is hidden, not gone");
    let finished = index.finished(None, true, 10).unwrap();
    assert_eq!(finished.iter().map(|one| (one.id, one.results)).collect::<Vec<_>>(), [(done, 1)]);
    assert_eq!(index.sources_of(done).unwrap()[0].event, event);
    let ever = Timestamp::from_millis(0);
    assert_eq!(index.junk(ever).unwrap(), Junk { observations: 2, superseded: 1, merged: 1, forgotten: 0 });
    index.forget(&[new]).unwrap();
    assert_eq!(index.junk(ever).unwrap(), Junk { observations: 2, superseded: 1, merged: 1, forgotten: 1 });
}

#[test]
fn junk_is_what_was_replaced_or_forgotten_within_a_week_of_what_is_new_enough() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let day = |day: u32| format!("2026-11-{day:02}T12:00:00.000Z");
    let mut learnt = |on: u32| {
        let body =
            json!({"title": "x", "work": "w", "content": on.to_string(), "by": "rules", "sources": []});
        writer.append(&json!({"kind": "observation.recorded", "ts": day(on), "session": "s", "body": body}))
    };
    let (first, second, third, fourth) = (learnt(1), learnt(2), learnt(10), learnt(11));
    let mut done = |on: u32, replaced: EventId| {
        let body = json!({"sources": [], "work": "w", "by": "rules", "merged": 1, "supersedes": [replaced]});
        writer.append(&json!({"kind": "work.done", "ts": day(on), "session": "s", "body": body}));
    };
    done(5, first);
    done(20, second);
    let mut forgotten = |on: u32, id: EventId| {
        writer.append(&json!({"kind": "forget.done", "ts": day(on), "body": {"ids": [id], "reason": "x"}}));
    };
    forgotten(12, third);
    forgotten(25, fourth);
    writer.flush();
    let junk = |since: u32| bench.caught_up().junk(day(since).parse().unwrap()).unwrap();
    assert_eq!(junk(1), Junk { observations: 4, superseded: 1, merged: 2, forgotten: 1 });
    assert_eq!(junk(2), Junk { observations: 3, superseded: 0, merged: 2, forgotten: 1 });
    assert_eq!(junk(11), Junk { observations: 1, superseded: 0, merged: 1, forgotten: 0 });
}

#[test]
fn work_that_was_done_again_is_no_junk() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let event = tool(&mut writer);
    let done = |writer: &mut Writing, pass: u64, results: &[EventId], supersedes: &[EventId]| {
        let body = json!({
            "sources": [event], "work": "w", "by": "rules", "merged": 1, "pass": pass,
            "results": results, "supersedes": supersedes,
        });
        writer.append(&json!({"kind": "work.done", "session": "s", "body": body}));
    };
    let old = learnt(&mut writer, "The parser drops tokens", "c1", event);
    let kept = learnt(&mut writer, "The lexer is slow", "c2", event);
    done(&mut writer, 0, &[old, kept], &[]);
    writer.flush();
    let ever = Timestamp::from_millis(0);
    let mut index = bench.caught_up();
    let before = Junk { observations: 2, superseded: 0, merged: 1, forgotten: 0 };
    assert_eq!(index.junk(ever).unwrap(), before);

    let body = json!({"sources": [event], "work": "w", "pass": 1, "reason": "asked for"});
    writer.append(&json!({"kind": "work.reopened", "session": "s", "body": body}));
    let new = learnt(&mut writer, "The parser drops the last token", "c3", event);
    done(&mut writer, 1, &[new, kept], &[old]);
    writer.flush();
    catch_up(&mut index, &bench);
    assert_eq!(index.learnt_in("s").unwrap(), [(kept, "c2".to_owned()), (new, "c3".to_owned())]);
    assert_eq!(index.junk(ever).unwrap(), before, "one has taken the place of another, that is all");
}

#[test]
fn what_another_machine_recorded_waits_for_us_only_when_it_is_old() {
    const DAY: i64 = 86_400_000;
    let bench = Bench::new();
    let mut other = bench.writer("b", 2);
    let event =
        |ts: &str, session: &str| json!({"kind": "turn.ended", "ts": ts, "session": session, "body": {}});
    other.append(&event("2026-11-16T11:00:00.000Z", "theirs"));
    other.append(&event("2026-11-15T11:00:00.000Z", "left"));
    other.flush();
    let mut own = bench.writer("a", 1);
    own.append(&event("2026-11-16T10:00:00.000Z", "ours"));
    own.flush();
    let mut index = bench.caught_up();
    let now = "2026-11-16T12:00:00Z".parse().unwrap();
    let sessions = |waiting: Vec<custos_index::Waiting>| -> Vec<String> {
        waiting.into_iter().filter_map(|waiting| waiting.session).collect()
    };
    assert_eq!(sessions(index.waiting().unwrap()), ["left", "ours", "theirs"]);
    let mut waiting_for = |name: &str| sessions(index.waiting_for(&name.parse().unwrap(), now, DAY).unwrap());
    assert_eq!(waiting_for("a"), ["left", "ours"]);
    assert_eq!(waiting_for("nobody"), ["left"]);
}

#[test]
fn a_text_is_as_new_as_its_rarest_words() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let event = tool(&mut writer);
    for number in 0..50 {
        learnt(&mut writer, &format!("The window number{number} opens"), &number.to_string(), event);
    }
    writer.flush();
    let mut index = bench.caught_up();
    let mut novelty = |text, project| index.novelty(text, project).unwrap();
    let known = novelty("The window number7 opens", Some("p"));
    let partly = novelty("The window zebra opens", Some("p"));
    let new = novelty("Zebras graze", Some("p"));
    let elsewhere = novelty("The window number7 opens", Some("q"));
    assert!(known < 0.01 && partly > 0.2 && partly < 1.0, "{known} {partly}");
    assert!([new, elsewhere, novelty("", None)].iter().all(|novelty| *novelty > 0.99), "{new} {elsewhere}");
}

#[test]
fn what_models_took_is_added_up_by_session_and_model() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut ask = |ts: &str, session: &str, work: Option<&str>| {
        writer.append(&json!({"kind": "usage.recorded", "ts": ts, "session": session, "body": {
            "provider": "anthropic", "model": "m", "work": work, "input": 100, "cached": 40, "output": 10, "microdollars": 3,
        }}));
    };
    ask("2026-11-15T23:59:59.999Z", "s", Some("w"));
    ask("2026-11-16T00:00:00.000Z", "s", Some("w"));
    ask("2026-11-16T12:00:00.000Z", "s", Some("w"));
    ask("2026-11-16T12:00:00.000Z", "r", Some("w"));
    ask("2026-11-16T13:00:00.000Z", "s", None);
    ask("2026-11-17T00:00:00.000Z", "s", Some("w"));
    writer.flush();
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let usage = bench.caught_up().usage(at("2026-11-16T00:00:00Z"), at("2026-11-17T00:00:00Z")).unwrap();
    let expected = |session: &str, calls| Usage {
        session: Some(session.to_owned()),
        project: None,
        provider: "anthropic".to_owned(),
        model: "m".to_owned(),
        calls,
        input: 100 * calls,
        cached: 40 * calls,
        output: 10 * calls,
        microdollars: 3 * calls,
    };
    assert_eq!(usage, [expected("r", 1), expected("s", 2)]);
}
