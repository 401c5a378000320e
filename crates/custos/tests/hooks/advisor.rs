//! The model that a person may have asked about requests which nothing else decides: what it is shown, and what counts as its answer.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rstest::rstest;
use serde_json::{Value, json};

use crate::desk::{Desk, Ran, silence, with};

const CLAUDE: &str = "claude-code";

/// What nothing is known against, and nothing for.
const OPEN: &str = "make all";

/// The longest that a model may take, in milliseconds: for all that is not about the time it takes.
const AMPLE: u64 = 8_000;

/// A server that answers every request alike, and keeps what it was asked.
struct Server {
    place: SocketAddr,
    hears: JoinHandle<Vec<String>>,
}

impl Server {
    /// Serves this response; none is a server that never answers.
    fn new(response: Option<Vec<u8>>) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), response)
    }

    fn on(listener: TcpListener, response: Option<Vec<u8>>) -> Self {
        let place = listener.local_addr().unwrap();
        let hears = std::thread::spawn(move || {
            let (mut heard, mut kept) = (Vec::new(), Vec::new());
            loop {
                let (mut stream, _) = listener.accept().unwrap();
                let request = request_on(&mut stream);
                if request.is_empty() {
                    return heard;
                }
                heard.push(request);
                match &response {
                    // A client that has gone on already does not matter here.
                    Some(response) => drop(stream.write_all(response)),
                    None => kept.push(stream),
                }
            }
        });
        Self { place, hears }
    }

    /// What it was asked so far. Connections are taken in their order, so that ours, which asks nothing, is the last.
    fn heard(self) -> Vec<String> {
        drop(TcpStream::connect(self.place).unwrap());
        self.hears.join().unwrap()
    }
}

/// Reads a request whole; empty if the connection ends before one.
fn request_on(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        let count = stream.read(&mut part).unwrap_or(0);
        bytes.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let length = |head: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            line.and_then(|length| length.parse::<usize>().ok()).unwrap()
        };
        match text.split_once("\r\n\r\n") {
            Some((head, body)) if body.len() >= length(head) => return text,
            _ if count == 0 => return text,
            _ => {}
        }
    }
}

/// What a server says that speaks for a model.
fn completion(said: &str, finish: &str) -> String {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_794_800_000,
        "model": "tiny",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": said }, "finish_reason": finish }],
        "usage": { "prompt_tokens": 500, "completion_tokens": 2, "total_tokens": 502 },
    })
    .to_string()
}

fn counted(status: &str, body: &str) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
    format!("{head}\r\n\r\n{body}").into_bytes()
}

fn chunked(body: &str, size: usize) -> Vec<u8> {
    let mut response =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for chunk in body.as_bytes().chunks(size) {
        response.extend_from_slice(format!("{:x};part=1\r\n", chunk.len()).as_bytes());
        response.extend_from_slice(chunk);
        response.extend_from_slice(b"\r\n");
    }
    response.extend_from_slice(b"0\r\n\r\n");
    response
}

fn says(word: &str) -> Vec<u8> {
    counted("200 OK", &completion(word, "stop"))
}

/// A desk whose person has a model asked; it may take this long.
fn advised(place: SocketAddr, milliseconds: u64) -> Desk {
    let desk = Desk::new();
    let settings = format!(
        "guard:\n  advisor_url: http://{place}/v1\n  advisor_model: tiny:1b\n  advisor_ms: {milliseconds}\n"
    );
    desk.put(".config/ai/config.yaml", settings);
    desk
}

fn request(desk: &Desk, command: &str) -> Ran {
    let fixture = desk.fixture(CLAUDE, "PermissionRequest.Bash");
    let payload = with(fixture, json!({ "tool_input": { "command": command } }));
    desk.hook(CLAUDE, "PermissionRequest", payload.to_string())
}

fn is_allowed(ran: &Ran) -> bool {
    let said: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    said["hookSpecificOutput"]["decision"] == json!({ "behavior": "allow" })
}

/// What is kept of how asking went.
fn breaker(desk: &Desk) -> Value {
    let text = std::fs::read_to_string(desk.state().join("advisor.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// An address at which nobody answers: where there is more than one for this machine, not that of the other tests' servers.
fn nobody() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.2:0").or_else(|_| TcpListener::bind("127.0.0.1:0")).unwrap();
    listener.local_addr().unwrap()
}

#[test]
fn a_command_that_the_model_allows_runs_and_that_is_recorded() {
    let server = Server::new(Some(says("ALLOW")));
    let desk = advised(server.place, AMPLE);
    let ran = request(&desk, OPEN);
    assert!(is_allowed(&ran), "{ran:?}");
    let events = desk.events_of("permission.decided");
    let told = |event: &Value| (event["body"]["verdict"].clone(), event["body"]["reason"].clone());
    let told: Vec<_> = events.iter().map(told).collect();
    assert_eq!(told, [(json!("allow"), json!("the advisor allowed it"))]);
    assert!(!desk.state().join("advisor.json").exists(), "there is nothing to remember");
    let place = server.place;
    let heard = server.heard();
    let (head, body) = heard[0].split_once("\r\n\r\n").unwrap();
    let expected = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {place}\r\nContent-Type: application/json\r\n\
         Accept: application/json\r\nContent-Length: {}\r\nConnection: close",
        body.len()
    );
    assert_eq!((heard.len(), head), (1, expected.as_str()));
    let body: Value = serde_json::from_str(body).unwrap();
    let cwd = desk.fixture(CLAUDE, "PermissionRequest.Bash")["cwd"].as_str().unwrap().to_owned();
    let question = format!("The directory:\n\n```\n{cwd}\n```\n\nThe command:\n\n```\n{OPEN}\n```\n");
    assert_eq!(
        body,
        json!({
            "model": "tiny:1b",
            "messages": [
                { "role": "system", "content": custos_guard::triage::TASK },
                { "role": "user", "content": question },
            ],
            "temperature": 0,
            "max_tokens": 16,
            "stream": false,
        })
    );
}

#[rstest]
#[case::whole(chunked(&completion("ALLOW", "stop"), 100_000))]
#[case::in_small_pieces(chunked(&completion("ALLOW", "stop"), 7))]
#[case::to_the_end(format!("HTTP/1.0 200 OK\r\n\r\n{}", completion("ALLOW", "stop")).into_bytes())]
#[case::with_a_newline(says("ALLOW\n"))]
fn an_answer_may_be_sent_in_any_form(#[case] response: Vec<u8>) {
    let server = Server::new(Some(response));
    let desk = advised(server.place, AMPLE);
    assert!(is_allowed(&request(&desk, OPEN)));
    assert_eq!(server.heard().len(), 1);
}

#[test]
fn a_question_is_an_answer_too() {
    let server = Server::new(Some(says("ASK")));
    let desk = advised(server.place, AMPLE);
    assert_eq!(request(&desk, OPEN), silence());
    assert_eq!((server.heard().len(), breaker(&desk)), (1, Value::Null));
    assert_eq!(desk.events_of("permission.decided"), [Value::Null; 0]);
}

#[rstest]
#[case::more_than_a_word(says("allow all"), json!("unclear"))]
#[case::in_small_letters(says("allow"), json!("unclear"))]
#[case::both(says("ALLOW or ASK"), json!("unclear"))]
#[case::nothing(says(""), json!("unclear"))]
#[case::cut_off(counted("200 OK", &completion("ALLOW", "length")), json!("unclear"))]
#[case::two_choices(counted("200 OK", &{
    let mut two: Value = serde_json::from_str(&completion("ALLOW", "stop")).unwrap();
    let choice = two["choices"][0].clone();
    two["choices"].as_array_mut().unwrap().push(choice);
    two.to_string()
}), json!("unclear"))]
#[case::a_page(counted("200 OK", "<html>ALLOW</html>"), json!("unclear"))]
#[case::the_bare_word(counted("200 OK", "ALLOW"), json!("unclear"))]
#[case::no_http(b"ALLOW\r\n\r\n".to_vec(), json!("unclear"))]
#[case::an_early_end(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{".to_vec(), json!("unclear"))]
#[case::a_broken_chunk(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_vec(), json!("unclear"))]
#[case::too_much(counted("200 OK", &format!("{}{}", " ".repeat(64 << 10), completion("ALLOW", "stop"))), json!("unclear"))]
#[case::an_endless_head(format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(100_000)).into_bytes(), json!("unclear"))]
#[case::an_error(counted("500 Internal Server Error", &completion("ALLOW", "stop")), json!({ "status": 500 }))]
#[case::a_model_that_is_not_there(counted("404 Not Found", &completion("ALLOW", "stop")), json!({ "status": 404 }))]
fn anything_else_leaves_it_to_the_person(#[case] response: Vec<u8>, #[case] last: Value) {
    let server = Server::new(Some(response));
    let desk = advised(server.place, AMPLE);
    assert_eq!(request(&desk, OPEN), silence());
    let kept = breaker(&desk);
    assert_eq!((server.heard().len(), &kept["failures"], &kept["last"]), (1, &json!(1), &last));
    assert_eq!(desk.events_of("permission.decided"), [Value::Null; 0]);
}

#[test]
fn no_other_place_is_asked() {
    let other = Server::new(Some(says("ALLOW")));
    let moved = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{}/v1\r\n\r\n", other.place);
    let server = Server::new(Some(moved.into_bytes()));
    let desk = advised(server.place, AMPLE);
    assert_eq!(request(&desk, OPEN), silence());
    assert_eq!((server.heard().len(), other.heard().len()), (1, 0));
}

#[test]
fn a_model_that_never_answers_is_waited_for_until_the_deadline() {
    let server = Server::new(None);
    let desk = advised(server.place, 300);
    assert_eq!(request(&desk, OPEN), silence());
    assert_eq!(breaker(&desk)["last"], "late");
    assert_eq!(server.heard().len(), 1);
}

#[test]
fn after_three_failures_it_is_left_alone_for_a_while() {
    let place = nobody();
    let desk = advised(place, AMPLE);
    for failures in 1..=3 {
        assert_eq!(request(&desk, OPEN), silence());
        let kept = breaker(&desk);
        assert_eq!((&kept["failures"], &kept["last"]), (&json!(failures), &json!("unreachable")));
        assert_eq!(kept["until"] == json!(0), failures < 3, "{kept}");
    }
    let doctor = desk.custos(&["doctor"]).stdout;
    assert!(doctor.contains("failed 3 times in a row: the model could not be reached"), "{doctor}");
    // As if it had just failed again, so that the rest outlasts this test on any machine.
    let rests_until = |until: Duration| {
        let until = u64::try_from(until.as_millis()).unwrap();
        let kept = json!({ "failures": 9, "last": "unreachable", "until": until });
        std::fs::write(desk.state().join("advisor.json"), kept.to_string()).unwrap();
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    rests_until(now + Duration::from_secs(55));
    let server = Server::on(TcpListener::bind(place).unwrap(), Some(says("ALLOW")));
    assert_eq!(request(&desk, OPEN), silence());
    let doctor = desk.custos(&["doctor"]).stdout;
    assert!(doctor.contains("it is not asked for a while"), "{doctor}");
    assert_eq!(server.heard().len(), 0);
    rests_until(now);
    let server = Server::on(TcpListener::bind(place).unwrap(), Some(says("ALLOW")));
    assert!(is_allowed(&request(&desk, OPEN)));
    assert_eq!(breaker(&desk), json!({ "failures": 0, "last": null, "until": 0 }));
    assert_eq!(server.heard().len(), 1);
    let doctor = desk.custos(&["doctor"]).stdout;
    assert!(doctor.contains(&format!("on: tiny:1b at http://{place}, within {AMPLE} ms")), "{doctor}");
}

#[test]
fn only_open_questions_are_asked() {
    let server = Server::new(Some(says("ALLOW")));
    let desk = advised(server.place, AMPLE);
    assert!(is_allowed(&request(&desk, "ls -la src")), "proven");
    let denied = request(&desk, "git push --force origin main");
    assert!(denied.stdout.contains("\"deny\""), "{denied:?}");
    for command in [
        "git reset --hard",
        "cat .env",
        "make all; git reset --hard",
        "make <private> a; touch b </private> c",
        "make PASSWORD='k3Lq9zTw;touch b;x8Rt2'",
        &format!("make {}", "x".repeat(2 << 10)),
    ] {
        assert_eq!(request(&desk, command), silence(), "{command}");
    }
    // Before a tool, nobody waits for a model.
    desk.play(CLAUDE, &["PreToolUse.Bash"]);
    assert_eq!(server.heard(), [""; 0]);
}

#[test]
fn secrets_do_not_reach_the_model() {
    const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let server = Server::new(Some(says("ASK")));
    let desk = advised(server.place, AMPLE);
    assert_eq!(request(&desk, &format!("make TOKEN={SECRET} all")), silence());
    let heard = server.heard();
    assert_eq!(heard.len(), 1);
    assert!(heard[0].contains("make TOKEN=[redacted:github-token] all"), "{}", heard[0]);
    assert!(!heard[0].contains(SECRET), "{}", heard[0]);
}

#[rstest]
#[case::by_default("")]
#[case::without_a_model("guard:\n  advisor_url: http://PLACE\n")]
#[case::without_a_server("guard:\n  advisor_model: tiny\n")]
#[case::with_tls("guard:\n  advisor_url: https://PLACE\n  advisor_model: tiny\n")]
#[case::without_triage("guard:\n  triage: false\n  advisor_url: http://PLACE\n  advisor_model: tiny\n")]
#[case::without_the_guard("guard:\n  enabled: false\n  advisor_url: http://PLACE\n  advisor_model: tiny\n")]
fn nobody_is_asked_unless_a_person_wants_it(#[case] settings: &str) {
    let server = Server::new(Some(says("ALLOW")));
    let desk = Desk::new();
    desk.put(".config/ai/config.yaml", settings.replace("PLACE", &server.place.to_string()));
    assert_eq!(request(&desk, OPEN), silence());
    assert_eq!(server.heard(), [""; 0]);
}

#[test]
fn a_project_cannot_name_an_advisor() {
    let server = Server::new(Some(says("ALLOW")));
    let desk = Desk::new();
    let settings = format!("guard:\n  advisor_url: http://{}\n  advisor_model: tiny\n", server.place);
    desk.put("project/.ai/config.yaml", settings);
    assert_eq!(request(&desk, OPEN), silence());
    assert_eq!(server.heard(), [""; 0]);
}

#[test]
fn beside_the_entry_of_another_client_nobody_is_asked() {
    let server = Server::new(Some(says("ALLOW")));
    let mut desk = advised(server.place, AMPLE);
    desk.set("COPILOT_CLI", "1");
    assert_eq!(request(&desk, OPEN), silence());
    assert_eq!(server.heard(), [""; 0]);
}

#[test]
fn many_at_once_get_their_answers() {
    let server = Server::new(Some(says("ALLOW")));
    let desk = advised(server.place, AMPLE);
    std::thread::scope(|scope| {
        for n in 0..16 {
            let desk = &desk;
            scope.spawn(move || assert!(is_allowed(&request(desk, &format!("make part-{n}")))));
        }
    });
    assert_eq!(server.heard().len(), 16);
}
