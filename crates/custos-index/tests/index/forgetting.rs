//! What was forgotten is in no byte of any file.

use custos_index::{Index, KnowledgeRow, knowledge_id};
use custos_model::{EventId, PieceId, Scope, Timestamp};
use custos_testkit::corpus::events;
use serde_json::json;

use crate::writing::Writing;
use crate::{Bench, answers, catch_up, ids};

/// The ends of words that no corpus has. Only the ends: FTS5 leaves out of a token what it shares with the one before, and a search
/// for the whole word would find nothing where nearly all of it still stands.
const PLANTED: [&str; 3] = ["wvutsrq", "lantedfil", "qtoolfile"];

/// Counts the pages of the full-text index in which a planted word stands.
fn full_text_pages(bench: &Bench) -> i64 {
    let connection = rusqlite::Connection::open(bench.database()).unwrap();
    let sql = "SELECT count(*) FROM search_data WHERE instr(block, CAST('wvutsrq' AS BLOB)) > 0";
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// The pieces of what is planted, as the index names them.
fn planted_pieces() -> [PieceId; 3] {
    ["the Zyxwvutsrq affair", "Zyxwvutsrq seen", "a fact about it"].map(PieceId::of)
}

fn found_in(bench: &Bench) -> Vec<String> {
    let mut found = Vec::new();
    for (path, bytes) in bench.state_bytes() {
        for word in PLANTED {
            if bytes.windows(word.len()).any(|window| window == word.as_bytes()) {
                found.push(format!("{word} in {}", path.display()));
            }
        }
        for piece in planted_pieces() {
            // Half of a name is what finds the other half.
            if bytes.windows(8).any(|window| window == &piece.as_bytes()[..8]) {
                found.push(format!("a piece in {}", path.display()));
            }
        }
    }
    found
}

/// A log with a planted prompt, a tool event, and what was derived from them: an observation, and from that a summary.
fn planted(bench: &Bench) -> (Writing, Vec<EventId>) {
    let mut writer = bench.writer("a", 1);
    let mut drafts = events(9, 600);
    for draft in drafts.by_ref().take(300) {
        writer.append(&draft);
    }
    let prompt = writer.append(
        &json!({"kind": "prompt.submitted", "session": "s", "body": {"text": "the Zyxwvutsrq affair"}}),
    );
    let tool = writer.append(&json!({"kind": "tool.used", "session": "s", "body": {"tool": "Edit", "files_changed": ["qqtoolfile"]}}));
    let observation = writer.append(&json!({
        "kind": "observation.recorded", "session": "s",
        "body": {"title": "Zyxwvutsrq seen", "facts": ["a fact about it"], "files_read": ["qqplantedfile"], "sources": [prompt.to_string(), tool.to_string()]}
    }));
    let summary = writer.append(&json!({
        "kind": "summary.recorded", "session": "s", "body": {"request": "zyxwvutsrq", "sources": [observation.to_string()]}
    }));
    for draft in drafts {
        writer.append(&draft);
    }
    writer.flush();
    (writer, vec![prompt, tool, observation, summary])
}

#[test]
fn forgetting_takes_every_byte_and_what_was_derived() {
    let bench = Bench::new();
    let (_writer, planted) = planted(&bench);
    let mut index = bench.caught_up();
    assert_eq!(ids(&mut index, "zyxwvutsrq").len(), 3);
    // What is about to be shown to be gone can be seen while it is there, in rows and in the full-text index.
    assert!(PLANTED.iter().all(|word| found_in(&bench).iter().any(|found| found.starts_with(word))));
    assert!(full_text_pages(&bench) > 0);
    assert_eq!(index.with_pieces(&planted_pieces()).unwrap().concat().len(), 3);
    assert!(found_in(&bench).iter().any(|found| found.starts_with("a piece")));
    // The prompt and the tool event are named; the observation and the summary follow.
    assert_eq!(index.forget(&planted[..2]).unwrap(), 4);
    assert_eq!(found_in(&bench), Vec::<String>::new());
    assert_eq!(ids(&mut index, "zyxwvutsrq"), []);
    assert_eq!(index.with_pieces(&planted_pieces()).unwrap().concat(), []);
    for id in planted {
        assert_eq!((index.get(id).unwrap(), index.locate(id).unwrap()), (None, None));
    }
    assert_eq!(catch_up(&mut index, &bench).events, 0);
}

#[test]
fn catching_up_over_a_forgetting_leaves_the_same_clean_state() {
    let bench = Bench::new();
    let (mut writer, planted) = planted(&bench);
    let mut index = bench.caught_up();
    writer.append(
        &json!({"kind": "forget.done", "body": {"ids": [planted[0].to_string(), planted[1].to_string()]}}),
    );
    writer.flush();
    let caught_up = catch_up(&mut index, &bench);
    assert_eq!((caught_up.events, caught_up.rebuilt), (1, false));
    assert_eq!(found_in(&bench), Vec::<String>::new());
    let questions = ["zyxwvutsrq".to_owned(), "the".to_owned()];
    assert_eq!(answers(&mut index, &questions), answers(&mut bench.rebuilt(), &questions));
    index.rebuild(&bench.log(), &mut |_| {}).unwrap();
    assert_eq!(found_in(&bench), Vec::<String>::new());
}

/// Counts the texts of each scope, as they are kept and as they are.
fn scopes(bench: &Bench) -> [Vec<(String, i64, i64, i64)>; 2] {
    let connection = rusqlite::Connection::open(bench.database()).unwrap();
    let kept = "SELECT project, kind, documents, tokens FROM scopes ORDER BY project, kind";
    let counted =
        "SELECT coalesce(project, ''), kind, count(*), sum(length) FROM texts JOIN documents USING (key)
                   GROUP BY project, kind ORDER BY coalesce(project, ''), kind";
    [kept, counted].map(|sql| {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
        rows.unwrap().collect::<Result<_, _>>().unwrap()
    })
}

#[test]
fn forgetting_keeps_the_counts_right_and_no_name_of_a_project_that_has_nothing() {
    let bench = Bench::new();
    let (mut writer, planted) = planted(&bench);
    let secret = writer.append(&json!({
        "kind": "observation.recorded", "project": "hidden/qqplantedfil", "body": {"title": "something"}
    }));
    writer.flush();
    let mut index = bench.caught_up();
    let [before, counted] = scopes(&bench);
    assert_eq!(before, counted);
    index.forget(&[secret, planted[0], planted[1]]).unwrap();
    let [after, counted] = scopes(&bench);
    assert_eq!(after, counted);
    // Of what was planted three are texts, and they belonged to no project.
    let texts = |scopes: &[(String, i64, i64, i64)]| scopes.iter().map(|(_, _, texts, _)| texts).sum::<i64>();
    assert_eq!(texts(&before) - texts(&after), 4);
    assert_eq!(found_in(&bench), Vec::<String>::new());
}

#[test]
fn a_hook_hides_at_once_and_leaves_the_bytes_to_a_worker() {
    let bench = Bench::new();
    let (mut writer, planted) = planted(&bench);
    bench.caught_up();
    writer.append(
        &json!({"kind": "forget.done", "body": {"ids": [planted[0].to_string(), planted[1].to_string()]}}),
    );
    writer.flush();
    let mut hook = Index::open(&bench.state(), custos_index::User::Hook).unwrap();
    let elapsed = || std::time::Duration::ZERO;
    let budget = custos_index::Budget { limit: std::time::Duration::from_secs(1), elapsed: &elapsed };
    assert!(hook.catch_up(&bench.log(), Some(budget), &mut |_| {}).unwrap().complete);
    assert_eq!(ids(&mut hook, "zyxwvutsrq"), []);
    bench.caught_up();
    assert_eq!(found_in(&bench), Vec::<String>::new());
    assert_eq!(ids(&mut hook, "zyxwvutsrq"), []);
}

#[test]
fn a_forgetting_that_is_read_first_keeps_everything_out() {
    let bench = Bench::new();
    // Writers are read in the order of their names: the forgetting comes before what it forgets.
    let mut first = bench.writer("0", 2);
    let (_writer, planted) = planted(&bench);
    first.append(
        &json!({"kind": "forget.done", "body": {"ids": [planted[0].to_string(), planted[1].to_string()]}}),
    );
    first.flush();
    let mut index = bench.caught_up();
    assert_eq!(ids(&mut index, "zyxwvutsrq"), []);
    assert_eq!(index.sessions(None, usize::MAX).unwrap().iter().find(|session| session.session == "s"), None);
    assert_eq!(found_in(&bench), Vec::<String>::new());
}

#[test]
fn an_item_of_a_file_goes_as_thoroughly_and_comes_back_with_the_file() {
    let bench = Bench::new();
    let mut index = bench.index();
    let row = KnowledgeRow {
        path: "memory/door.md",
        stamp: 7,
        sort: "memory",
        name: "door",
        title: "the Zyxwvutsrq affair",
        text: "a fact about it, in qqplantedfile",
        project: Some("p"),
        scope: Scope::Project,
        ts: Timestamp::from_millis(1_000),
        importance: 0.5,
        binds: false,
        trusted: true,
    };
    index.put_knowledge("repo", &[row], &[]).unwrap();
    let id = knowledge_id("repo", row.path);
    assert_eq!(ids(&mut index, "zyxwvutsrq"), [id]);
    assert_eq!(index.forget(&[id]).unwrap(), 1);
    assert_eq!(found_in(&bench), Vec::<String>::new());
    assert_eq!((ids(&mut index, "zyxwvutsrq"), index.get(id).unwrap()), (vec![], None));
    assert_eq!(index.orphaned().unwrap(), 1, "their vectors are still to be taken out");
    index.put_knowledge("repo", &[row], &[]).unwrap();
    assert_eq!(ids(&mut index, "zyxwvutsrq"), [id]);
}

#[test]
fn what_counts_again_is_what_nothing_else_has_replaced() {
    let bench = Bench::new();
    let mut writer = bench.writer("a", 1);
    let mut learn = |title: &str, old: &[EventId]| {
        writer.append(&json!({"kind": "observation.recorded", "body": {"title": title, "supersedes": old}}))
    };
    let first = learn("first", &[]);
    let second = learn("second", &[first]);
    let third = learn("third", &[second, first]);
    let other = learn("other", &[]);
    let fourth = learn("fourth", &[third, other]);
    writer.flush();
    let mut index = bench.caught_up();
    let mut back = |ids: &[EventId]| index.replaced_only_by(ids).unwrap();
    assert_eq!(back(&[second]), [], "the third has replaced it too");
    assert_eq!(back(&[second, third]), [first]);
    assert_eq!(back(&[fourth]), [third, other]);
    assert_eq!(back(&[fourth, third]), [second, other]);
    assert_eq!(back(&[first, other]), []);
    index.forget(&[fourth]).unwrap();
    assert!(!index.get(third).unwrap().unwrap().superseded);
}
