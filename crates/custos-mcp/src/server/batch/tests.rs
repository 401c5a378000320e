//! Lists on their own; with a server around them they are in `tests/protocol/batches.rs`.

use proptest::prelude::*;
use rmcp::model::{EmptyResult, JsonRpcMessage, RequestId, ServerResult};
use serde_json::Value;

use super::{Answer, Batches, LONGEST_BATCH, Outgoing};

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
        got.iter_mut().for_each(|ids| ids.sort_unstable());
        got.sort_unstable();
        prop_assert_eq!(got, wanted);
    }

    /// Whatever comes, it is read without a panic, and nothing is said that the line did not hold.
    #[test]
    fn any_line_can_be_read(line in r#"[\[\]{},:"a-z0-9 ]{0,60}"#) {
        let opened = Batches::default().open(line.as_bytes());
        prop_assert!(opened.said.is_empty(), "{:?}", opened.said);
    }
}
