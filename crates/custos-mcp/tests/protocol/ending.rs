//! How a conversation ends. However it does, what was read is answered and the tools are told once.

use std::future::pending;
use std::time::Duration;

use custos_mcp::server::serve;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::client::{PIPE, Tools, call, run, say};

/// Longer than any of this takes, and shorter than anyone's patience.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn input_that_ends_at_once_is_an_end() {
    let heard = say(b"");
    assert_eq!((heard.answers.as_str(), heard.told), ("", vec!["closed".to_owned()]));
}

#[test]
fn input_that_ends_in_the_middle_of_a_request_leaves_the_others_answered() {
    let bytes = format!("{}\n{}", call(1, "list_names", r#"{"text":""}"#), call(2, "echo", "{}"));
    let first =
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a, b"}],"isError":false}}"#;
    for half in [bytes.len() - 1, bytes.len() - 20] {
        let heard = say(&bytes.as_bytes()[..half]);
        assert_eq!(heard.answers, first);
        assert_eq!(heard.told, [r#"list_names {"text":""}"#, "closed"]);
    }
    // The end of the last line may be missing, as `printf` leaves it.
    let heard = say(bytes.as_bytes());
    let second = r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"client":null,"meta":null},"isError":false}}"#;
    assert_eq!(heard.answers, format!("{first}\n{second}"));
    assert_eq!(heard.told, [r#"list_names {"text":""}"#, "echo {}", "closed"]);
}

#[test]
fn being_told_to_stop_is_an_end_although_the_input_stays_open() {
    let tools = Tools::new();
    run(async {
        let (mut ours, input) = duplex(PIPE);
        let (answers, output) = duplex(PIPE);
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = serve(tools.clone(), input, output, async { stopped.await.unwrap() });
        let asking = async {
            ours.write_all(format!("{}\n", call(1, "echo", "{}")).as_bytes()).await.unwrap();
            let mut answer = String::new();
            BufReader::new(answers).read_line(&mut answer).await.unwrap();
            stop.send(()).unwrap();
            answer
        };
        let (served, answer) = timeout(PATIENCE, async { tokio::join!(serving, asking) }).await.unwrap();
        served.unwrap();
        assert!(answer.starts_with(r#"{"jsonrpc":"2.0","id":1,"result""#), "{answer}");
        drop(ours);
    });
    assert_eq!(tools.told(), ["echo {}", "closed"]);
}

#[test]
fn an_output_that_nobody_reads_is_an_end_although_the_input_stays_open() {
    let tools = Tools::new();
    run(async {
        let (mut ours, input) = duplex(PIPE);
        let (answers, output) = duplex(PIPE);
        drop(answers);
        ours.write_all(format!("{}\n", call(1, "echo", "{}")).as_bytes()).await.unwrap();
        timeout(PATIENCE, serve(tools.clone(), input, output, pending())).await.unwrap().unwrap();
        drop(ours);
    });
    assert_eq!(tools.told(), ["echo {}", "closed"]);
}

#[test]
fn being_told_to_stop_is_an_end_although_nobody_reads_the_answers() {
    let tools = Tools::new();
    run(async {
        let (mut ours, input) = duplex(PIPE);
        let (answers, output) = duplex(PIPE);
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = serve(tools.clone(), input, output, async { stopped.await.unwrap() });
        let asking = async {
            // More than the pipe and the server together take, so that both stand still.
            let text = "x".repeat(64 << 10);
            let question = format!("{}\n[5]\n", call(1, "echo", &format!(r#"{{"text":"{text}"}}"#)));
            let mut asked = 0;
            while timeout(Duration::from_millis(300), ours.write_all(question.as_bytes())).await.is_ok() {
                asked += 1;
                assert!(asked < 1_000, "it goes on reading for a client that does not listen");
            }
            stop.send(()).unwrap();
            asked
        };
        let (served, asked) = timeout(PATIENCE, async { tokio::join!(serving, asking) }).await.unwrap();
        served.unwrap();
        assert!(asked > 8, "{asked}");
        drop((ours, answers));
    });
    assert_eq!(tools.told().last().map(String::as_str), Some("closed"));
}
