//! Lists on their own; with a server around them they are in `tests/protocol/batches.rs`.

use std::borrow::Cow;

use proptest::prelude::*;
use rmcp::model::{EmptyResult, JsonRpcMessage, RequestId, ServerResult};
use rstest::rstest;
use serde_json::Value;

use super::{Answer, Batches, LONGEST_BATCH, Outgoing, paired};

fn ping(id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

fn cancel(id: i64) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

fn pong(id: i64) -> Answer {
    JsonRpcMessage::response(ServerResult::EmptyResult(EmptyResult {}), RequestId::Number(id))
}

/// What goes out, as JSON.
fn sent(outgoing: Option<Outgoing>) -> Value {
    outgoing.map_or(Value::Null, |outgoing| serde_json::from_slice(&outgoing.line().unwrap()).unwrap())
}

/// The ids that go out together.
fn ids(outgoing: &Value) -> Vec<i64> {
    outgoing.as_array().into_iter().flatten().filter_map(|answer| answer["id"].as_i64()).collect()
}

#[test]
fn answers_are_held_back_until_the_last_one_is_there() {
    let mut batches = Batches::default();
    let opened = batches.open(format!("[{},{}]", ping(1), ping(2)).as_bytes());
    assert_eq!((opened.said.len(), sent(opened.refused)), (2, Value::Null));
    assert_eq!(sent(batches.answered(pong(2))), Value::Null);
    // What is not of the list does not wait for it.
    assert_eq!(sent(batches.answered(pong(9)))["id"], 9);
    assert_eq!(ids(&sent(batches.answered(pong(1)))), [2, 1]);
    assert!(batches.close().is_empty());
}

#[test]
fn what_was_cancelled_is_not_waited_for() {
    let mut batches = Batches::default();
    batches.open(format!("[{},{}]", ping(1), ping(2)).as_bytes());
    let cancelled = |batches: &mut Batches, id| {
        let said = batches.open(cancel(id).as_bytes()).said.remove(0);
        sent(batches.heard(&said))
    };
    assert_eq!(sent(batches.answered(pong(1))), Value::Null);
    assert_eq!(cancelled(&mut batches, 7), Value::Null);
    assert_eq!(ids(&cancelled(&mut batches, 2)), [1]);
    // All of it cancelled: nobody waits for anything.
    batches.open(format!("[{}]", ping(3)).as_bytes());
    assert_eq!(cancelled(&mut batches, 3), Value::Null);
    // An answer that was on its way all the same.
    assert_eq!(sent(batches.answered(pong(3)))["id"], 3);
}

#[test]
fn a_second_request_with_an_id_that_is_at_work_is_refused() {
    let mut batches = Batches::default();
    assert_eq!(batches.open(ping(1).as_bytes()).said.len(), 1);
    let again = batches.open(ping(1).as_bytes());
    let refused = sent(again.refused);
    assert_eq!(
        (again.said.len(), &refused["id"], &refused["error"]["code"]),
        (0, &1.into(), &(-32600).into())
    );
    batches.answered(pong(1));
    assert_eq!(batches.open(ping(1).as_bytes()).said.len(), 1);
}

#[test]
fn the_end_does_not_wait() {
    let mut batches = Batches::default();
    for list in [[1, 2], [3, 4]] {
        batches.open(format!("[{},{}]", ping(list[0]), ping(list[1])).as_bytes());
    }
    batches.answered(pong(1));
    let rest: Vec<Vec<i64>> = batches.close().into_iter().map(|rest| ids(&sent(Some(rest)))).collect();
    assert_eq!(rest, [[1]]);
}

#[test]
fn a_list_that_is_too_long_is_refused_whole() {
    let list = |count: usize| format!("[{}1]", "1,".repeat(count - 1));
    let fits = sent(Batches::default().open(list(LONGEST_BATCH).as_bytes()).refused);
    assert_eq!(fits.as_array().map(Vec::len), Some(LONGEST_BATCH));
    let refused = sent(Batches::default().open(list(LONGEST_BATCH + 1).as_bytes()).refused);
    assert_eq!(
        refused["error"]["message"],
        "Invalid request: a list of 1001 messages; send at most 1000 at once"
    );
}

#[rstest]
#[case::none(r"a \u00e4 \n", None)]
#[case::a_pair(r"\ud83d\ude00", None)]
#[case::a_backslash_before_it(r"\\ud800", None)]
#[case::first_half(r"lone \ud800 surrogate", Some(r"lone \ufffd surrogate"))]
#[case::second_half(r"\uDE00", Some(r"\ufffd"))]
#[case::behind_a_backslash(r"\\\uD83D", Some(r"\\\ufffd"))]
#[case::turned_round(r"\ude00\ud83d", Some(r"\ufffd\ufffd"))]
#[case::before_a_pair(r"\ud83d\ud83d\ude00", Some(r"\ufffd\ud83d\ude00"))]
#[case::at_the_end(r"\ud83d\ud8", Some(r"\ufffd\ud8"))]
fn a_half_without_the_other_is_replaced(#[case] text: &str, #[case] whole: Option<&str>) {
    let replaced = match paired(text.as_bytes()) {
        Cow::Owned(replaced) => Some(replaced),
        Cow::Borrowed(_) => None,
    };
    assert_eq!(replaced.as_deref(), whole.map(str::as_bytes));
}

proptest! {
    /// However lists, single requests and their answers come in between each other, each request is answered once, those of a list together.
    #[test]
    fn every_request_is_answered_once_and_with_its_list(
        lists in prop::collection::vec(1..5_i64, 1..6),
        order in prop::collection::vec(any::<prop::sample::Index>(), 30),
    ) {
        let mut batches = Batches::default();
        let (mut waiting, mut wanted) = (Vec::new(), Vec::new());
        for (number, length) in lists.iter().enumerate() {
            let first = i64::try_from(number).unwrap() * 10;
            let members: Vec<i64> = (first..first + length).collect();
            let pings: Vec<String> = members.iter().map(|id| ping(*id)).collect();
            batches.open(format!("[{}]", pings.join(",")).as_bytes());
            waiting.extend(members.clone());
            wanted.push(members);
        }
        let mut got = Vec::new();
        for pick in order {
            if waiting.is_empty() {
                break;
            }
            let id = waiting.swap_remove(pick.index(waiting.len()));
            got.extend(batches.answered(pong(id)).map(|out| ids(&sent(Some(out)))));
        }
        for ids in &mut got {
            ids.sort_unstable();
        }
        got.sort_unstable();
        prop_assert_eq!(got, wanted);
    }

    /// Whatever a list holds, each request in it is either handed on or refused under its id, and nothing else is.
    #[test]
    fn every_request_of_a_list_is_handed_on_or_refused(messages in prop::collection::vec(message(), 1..12)) {
        let list: Vec<&str> = messages.iter().map(|(text, _)| text.as_str()).collect();
        let mut batches = Batches::default();
        let opened = batches.open(format!("[{}]", list.join(",")).as_bytes());
        let mut said = Vec::new();
        for message in &opened.said {
            if let JsonRpcMessage::Request(request) = message {
                said.push(request.id.clone());
            }
        }
        let mut answered = Vec::new();
        for id in said {
            let RequestId::Number(id) = id else { continue };
            answered.extend(batches.answered(pong(id)));
        }
        let answers: Vec<Value> =
            opened.refused.into_iter().chain(answered).map(|out| sent(Some(out))).collect();
        let mut got: Vec<i64> = answers.iter().flat_map(ids).collect();
        let mut wanted: Vec<i64> = messages.iter().filter_map(|(_, id)| *id).collect();
        got.sort_unstable();
        wanted.sort_unstable();
        prop_assert!(answers.len() <= 1, "{:?}", answers);
        prop_assert_eq!(got, wanted);
        prop_assert!(batches.open.is_empty() && batches.at_work.is_empty());
    }

    #[test]
    fn any_line_can_be_read(line in prop::collection::vec(any::<u8>(), 0..80)) {
        let opened = Batches::default().open(&line);
        let is_empty = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line).trim_ascii().is_empty();
        prop_assert_eq!(opened.refused.is_some(), !is_empty);
    }
}

/// A message of any sort, and the id under which an answer is due.
fn message() -> impl Strategy<Value = (String, Option<i64>)> {
    (0..5_i64, 0..8_u8).prop_map(|(id, sort)| match sort {
        0 | 1 => (ping(id), Some(id)),
        2 => (cancel(99), None),
        3 => (format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#), None),
        4 => (format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"ping"}}"#), Some(id)),
        5 => (
            format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","params":{}1{}}}"#,
                "[".repeat(300),
                "]".repeat(300)
            ),
            Some(id),
        ),
        6 => (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":5}"#.to_owned(), None),
        _ => ("[]".to_owned(), None),
    })
}
