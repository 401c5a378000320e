use super::closed::MOST_CLOSED;
use super::*;
use crate::testing::Desk;

fn new(source: Author, session: &str, stopped_at: &str) -> NewHandoff {
    let parts = Parts { stopped_at: stopped_at.to_owned(), ..Parts::default() };
    NewHandoff { source, session: Some(session.to_owned()), time: None, parts }
}

fn stopped_at(desk: &Desk) -> String {
    desk.base.newest_handoff(&desk.view()).unwrap().item.parts.stopped_at.clone()
}

fn files(desk: &Desk) -> Vec<String> {
    desk.view().own().store.list(DIRECTORY)
}

#[test]
fn a_handoff_is_read_as_it_was_written() {
    let desk = Desk::repo();
    let parts = Parts {
        stopped_at: "Halfway through the tests".to_owned(),
        summary: "- moved the gauges\n\n## Not a section\n\n```\n# open fence".to_owned(),
        in_progress: "the collector".to_owned(),
        next_steps: "1. run it\n2. measure".to_owned(),
        prs: "- [open] Gauges push: https://git.example/pulls/1".to_owned(),
        test_results: "412 passed".to_owned(),
        blockers: "---\nnone".to_owned(),
        dirty_branches: "gauges".to_owned(),
        startup_text: "Go on with the collector.".to_owned(),
    };
    let saved = desk
        .base
        .write_handoff(&desk.view(), &NewHandoff { parts: parts.clone(), ..NewHandoff::default() })
        .unwrap();
    assert_eq!(saved.file, "local/handoffs/20261115T205509Z-s-1.md");
    assert_eq!((saved.newest, saved.notes), (true, Vec::new()));
    let kept = desk.base.newest_handoff(&desk.view()).unwrap();
    let expected = Handoff {
        date: "2026-11-15T20:55:09Z".to_owned(),
        session: Some("s-1".to_owned()),
        source: Author::Agent,
        parts,
        time: "2026-11-15T20:55:09Z".parse().unwrap(),
    };
    assert_eq!((kept.file.as_str(), &*kept.item), (saved.file.as_str(), &expected));
    assert_eq!(desk.recorded(), ["knowledge.saved handoff"]);
    insta::assert_snapshot!(desk.read(&saved.file), @r"
    ---
    date: 2026-11-15T20:55:09.000Z
    session: s-1
    source: agent
    ---

    # Handoff of 2026-11-15 20:55

    ## Stopped at

    Halfway through the tests

    ## Summary

    - moved the gauges

    \## Not a section

    \```
    \# open fence

    ## In progress

    the collector

    ## Next steps

    1. run it
    2. measure

    ## Pull requests

    - [open] Gauges push: https://git.example/pulls/1

    ## Test results

    412 passed

    ## Blockers

    ---
    none

    ## Dirty branches

    gauges

    ## Startup text

    Go on with the collector.
    ");
}

#[test]
fn of_one_session_the_agents_counts_and_of_several_the_newest() {
    let desk = Desk::repo();
    let write = |new: NewHandoff| desk.base.write_handoff(&desk.view(), &new).unwrap();
    write(new(Author::Agent, "s-1", "agent of one"));
    let later = write(new(Author::Auditor, "s-1", "auditor of one"));
    assert_eq!(stopped_at(&desk), "agent of one");
    assert!(!later.newest);
    assert_eq!(later.notes.len(), 1);
    assert!(write(new(Author::Auditor, "s-2", "auditor of two")).newest);
    assert_eq!(stopped_at(&desk), "auditor of two");
    let early =
        NewHandoff { time: Some(Timestamp::from_millis(0)), ..new(Author::Agent, "s-3", "agent of 1970") };
    assert_eq!(write(early).file, "local/handoffs/19700101T000000Z-s-3.md");
    assert_eq!(stopped_at(&desk), "auditor of two");
    write(new(Author::Agent, "s-1", "agent of one, again"));
    assert_eq!(stopped_at(&desk), "agent of one, again");
}

#[test]
fn the_newest_five_are_kept_and_always_the_one_that_counts() {
    let desk = Desk::repo();
    let write = |new: NewHandoff| desk.base.write_handoff(&desk.view(), &new).unwrap();
    desk.put("local/handoffs/by-hand.md", "---\ndate: 2001-01-01T00:00:00Z\n---\n## Summary\n\nOld.\n");
    desk.put("local/handoffs/notes.md", "Just notes.\n");
    desk.put("local/handoffs/20010101T000000Z-s-0.md", "---\nbroken\n");
    for number in 1..=7 {
        write(new(Author::Agent, &format!("s-{number}"), &format!("number {number}")));
    }
    let expected = [
        "20010101T000000Z-s-0.md",
        "20261115T205511Z-s-3.md",
        "20261115T205512Z-s-4.md",
        "20261115T205513Z-s-5.md",
        "20261115T205514Z-s-6.md",
        "20261115T205515Z-s-7.md",
        "by-hand.md",
        "notes.md",
    ];
    assert_eq!(files(&desk), expected);
    for number in 1..=6 {
        write(new(Author::Auditor, "s-7", &format!("audit {number}")));
    }
    assert_eq!(stopped_at(&desk), "number 7");
    assert_eq!(files(&desk).len(), 8);
    let faults = desk.base.handoffs(&desk.view()).faults;
    assert_eq!(
        faults.iter().map(|fault| fault.file.as_str()).collect::<Vec<_>>(),
        ["local/handoffs/20010101T000000Z-s-0.md", "local/handoffs/notes.md"]
    );
}

#[test]
fn time_is_what_the_file_says_and_then_its_name() {
    let desk = Desk::repo();
    desk.put(
        "local/handoffs/20261115T000000Z-a.md",
        "---\ndate: 2026-11-15\nsource: auditor\n---\n## Stopped at\n\nby name\n",
    );
    desk.put(
        "local/handoffs/20200101T000000Z-b.md",
        "---\ndate: 2026-11-15T01:00:00+02:00\n---\n## Stopped at\n\nby date\n",
    );
    assert_eq!(stopped_at(&desk), "by name");
    desk.put(
        "local/handoffs/c.md",
        "---\r\ndate: 2026-11-15T09:00:00Z\r\n---\r\n## Stopped at\r\n\r\nby hand\r\n",
    );
    assert_eq!(stopped_at(&desk), "by hand");
    let kept = desk.base.handoffs(&desk.view()).items;
    let order: Vec<&str> = kept.iter().map(|kept| kept.item.parts.stopped_at.as_str()).collect();
    assert_eq!(order, ["by hand", "by name", "by date"]);
}

#[test]
fn a_session_of_any_name_makes_a_file_of_its_own() {
    let desk = Desk::workspace();
    let repo = desk.base.view(Some("web")).unwrap();
    let odd = desk.base.write_handoff(&repo, &new(Author::Agent, "../../x\n: ☕", "odd")).unwrap();
    assert_eq!(odd.file, "local/handoffs/20261115T205509Z-------x----.md");
    assert_eq!(odd.level, Level::Workspace);
    let long = desk.base.write_handoff(&repo, &new(Author::Agent, &"y".repeat(10_000), "long")).unwrap();
    assert!(long.file.len() < 110, "{}", long.file);
    let unknown = desk.in_session(None);
    let nameless = NewHandoff { parts: new(Author::Agent, "", "nameless").parts, ..NewHandoff::default() };
    let saved = unknown.write_handoff(&unknown.view(None).unwrap(), &nameless).unwrap();
    assert_eq!(saved.file, "local/handoffs/20261115T205511Z-unknown.md");
    assert_eq!(stopped_at(&desk), "nameless");
    assert_eq!(desk.base.handoffs(&desk.view()).items.len(), 3);
}

#[test]
fn an_empty_handoff_is_refused() {
    let desk = Desk::repo();
    let refusal = desk.base.write_handoff(&desk.view(), &new(Author::Agent, "s-1", " ")).unwrap_err();
    assert_eq!(refusal.to_string(), "the handoff is empty. Send at least stopped_at, summary and next_steps");
    assert!(desk.base.newest_handoff(&desk.view()).is_none());
}

#[test]
fn many_at_once_each_have_their_file() {
    let desk = Desk::repo();
    let (base, view) = (&desk.base, &desk.view());
    std::thread::scope(|scope| {
        for number in 0..32 {
            let new = new(Author::Agent, &format!("s-{number}"), "x");
            scope.spawn(move || base.write_handoff(view, &new).unwrap());
        }
    });
    assert_eq!(base.handoffs(view).items.len(), 5);
    assert_eq!(desk.events.lock().unwrap().len(), 32);
}

#[test]
fn seven_in_one_moment_leave_the_last_five() {
    let desk = Desk::repo();
    let moment: Timestamp = "2026-11-15T20:55:09.500Z".parse().unwrap();
    for count in 1..=12 {
        let handoff = NewHandoff { time: Some(moment), ..new(Author::Agent, "s", &count.to_string()) };
        let saved = desk.base.write_handoff(&desk.view(), &handoff).unwrap();
        assert!(saved.newest, "{saved:?}");
        assert_eq!(stopped_at(&desk), count.to_string());
    }
    let kept: Vec<String> = desk
        .base
        .handoffs(&desk.view())
        .items
        .iter()
        .map(|kept| kept.item.parts.stopped_at.clone())
        .collect();
    assert_eq!(kept, ["12", "11", "10", "9", "8"]);
}

#[test]
fn of_two_sessions_in_one_second_the_later_one_is_the_newest() {
    let desk = Desk::repo();
    for (session, time) in [("z", "2026-11-15T20:55:09.100Z"), ("a", "2026-11-15T20:55:09.900Z")] {
        let handoff = NewHandoff { time: time.parse().ok(), ..new(Author::Agent, session, session) };
        let saved = desk.base.write_handoff(&desk.view(), &handoff).unwrap();
        assert_eq!((saved.newest, saved.date.as_str()), (true, "2026-11-15T20:55:09Z"));
    }
    let newest = desk.base.newest_handoff(&desk.view()).unwrap();
    assert_eq!(
        (newest.item.parts.stopped_at.as_str(), newest.item.date.as_str()),
        ("a", "2026-11-15T20:55:09Z")
    );
}

#[test]
fn the_log_tells_for_good_which_sessions_their_agents_closed() {
    let desk = Desk::repo();
    for source in [Author::Agent, Author::Auditor] {
        desk.base.write_handoff(&desk.view(), &new(source, source.word(), "here")).unwrap();
    }
    let events = desk.events.lock().unwrap();
    let told: Vec<_> =
        events.iter().map(|draft| (draft.body["id"].clone(), draft.body["closed"].clone())).collect();
    assert_eq!(told, [(json!("agent"), json!(true)), (json!("auditor"), json!(false))]);
}

#[test]
fn an_auditors_does_not_replace_an_agents_that_is_gone() {
    let desk = Desk::repo();
    let write = |new: NewHandoff| desk.base.write_handoff(&desk.view(), &new).unwrap();
    for session in ["a", "b", "c", "d", "e", "f"] {
        write(new(Author::Agent, session, session));
    }
    assert_eq!(files(&desk).len(), MOST);
    desk.put(
        "local/handoffs/20261115T230000Z-a.md",
        "---\ndate: 2026-11-15T23:00:00Z\nsession: a\nsource: auditor\n---\n## Stopped at\n\naudit of a\n",
    );
    assert_eq!(stopped_at(&desk), "f");
    assert!(!write(new(Author::Auditor, "a", "audit of a, again")).newest);
    assert_eq!(stopped_at(&desk), "f");
    // One whose agent never took leave is another matter, and so is an agent that comes back.
    assert!(write(new(Author::Auditor, "g", "audit of g")).newest);
    assert!(write(new(Author::Agent, "a", "a, again")).newest);
}

#[test]
fn the_memory_of_closed_sessions_is_bounded() {
    let desk = Desk::repo();
    for number in 0..MOST_CLOSED + MOST + 3 {
        desk.base.write_handoff(&desk.view(), &new(Author::Agent, &format!("s-{number}"), "x")).unwrap();
    }
    let text = desk.read("local/closed");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (MOST_CLOSED, "s-3"));
    assert_eq!(lines.last(), Some(&&*format!("s-{}", MOST_CLOSED + 2)));
}

#[test]
fn a_handoff_is_written_however_long_its_parts_are() {
    let desk = Desk::repo();
    let long = "é".repeat(100_000);
    let parts = Parts {
        stopped_at: "Here".to_owned(),
        test_results: long,
        startup_text: "x".repeat(65_536),
        ..Parts::default()
    };
    let saved =
        desk.base.write_handoff(&desk.view(), &NewHandoff { parts, ..NewHandoff::default() }).unwrap();
    assert_eq!(saved.notes, ["Test results was 200000 bytes long, and ends after 65502 of them"]);
    let kept = desk.base.newest_handoff(&desk.view()).unwrap().item.parts.clone();
    let cut = format!("{}\n\n[cut off here: it was too long]", "é".repeat(65_502 / 2));
    assert_eq!(kept.test_results, cut);
    assert_eq!((kept.stopped_at.as_str(), kept.startup_text.len()), ("Here", 65_536));
}

#[test]
fn one_that_says_nothing_is_a_fault_and_hides_none() {
    let desk = Desk::repo();
    let good = "---\ndate: 2026-11-14T20:55:09Z\n---\n\n# Handoff\n\n## Stopped at\n\nthe parser\n";
    desk.put("local/handoffs/20261114T205509Z-a.md", good);
    desk.put("local/handoffs/20261115T205509Z-b.md", "garbage\n");
    assert_eq!(stopped_at(&desk), "the parser");
    let faults = desk.base.handoffs(&desk.view()).faults;
    let reason = "says nothing: it has none of the sections of a handoff, such as `## Stopped at`";
    assert_eq!(faults, [Fault::new("local/handoffs/20261115T205509Z-b.md", 1, reason)]);
    // Without front matter, its name says when it was written.
    desk.put("local/handoffs/20261115T205509Z-b.md", "## Stopped at\n\nthe lexer\n");
    let newest = desk.base.newest_handoff(&desk.view()).unwrap();
    assert_eq!((newest.item.date.as_str(), newest.item.title()), ("2026-11-15T20:55:09Z", "the lexer"));
}

#[test]
fn one_of_a_clock_that_was_ahead_is_kept_and_told_of() {
    let desk = Desk::repo();
    let write = |new: NewHandoff| desk.base.write_handoff(&desk.view(), &new).unwrap();
    let ahead = Timestamp::from_millis(1_800_000_000_000);
    let odd = write(NewHandoff { time: Some(ahead), ..new(Author::Agent, "s-0", "a clock ahead") }).file;
    for number in 1..=7 {
        write(new(Author::Agent, &format!("s-{number}"), &format!("number {number}")));
    }
    assert_eq!((files(&desk).len(), stopped_at(&desk).as_str()), (MOST + 1, "number 7"));
    assert_eq!(desk.base.handoff_to_come(&desk.view()).map(|kept| kept.file.clone()), Some(odd));
}
