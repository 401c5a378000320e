//! A server that makes vectors, and everything that can come in the place of one.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use custos_embed::{EmbedError, Embedder, Vector};
use custos_providers::HttpEmbedder;
use custos_providers::embeddings::Server;
use serde_json::{Value, json};

use crate::KEY;

/// What the server does with a request.
#[derive(Debug, Clone)]
enum Play {
    Answers(u16, String),
    Endless(usize),
    Hangs,
    Closes,
}

impl Play {
    fn refusal(status: u16, kind: &str, message: &str) -> Self {
        Self::Answers(status, json!({"error": {"type": kind, "message": message}}).to_string())
    }
}

/// A server that always plays the same, and remembers what it was asked: the head of the request and its body.
struct Scripted {
    url: String,
    play: Arc<Mutex<Play>>,
    requests: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Scripted {
    fn playing(play: Play) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (play, requests) = (Arc::new(Mutex::new(play)), Arc::new(Mutex::new(Vec::new())));
        let (playing, asked) = (Arc::clone(&play), Arc::clone(&requests));
        std::thread::spawn(move || {
            let mut hanging = Vec::new();
            while let Ok((mut connection, _)) = listener.accept() {
                let Some(request) = read(&connection) else { continue };
                asked.lock().unwrap().push(request);
                match playing.lock().unwrap().clone() {
                    Play::Answers(status, body) => {
                        let _ = write!(
                            connection,
                            "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                            body.len()
                        );
                    }
                    Play::Endless(bytes) => {
                        let _ = write!(connection, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
                        let block = vec![b'1'; 1 << 16];
                        let _ = (0..bytes >> 16).try_for_each(|_| connection.write_all(&block));
                    }
                    Play::Hangs => hanging.push(connection),
                    Play::Closes => {}
                }
            }
        });
        Self { url, play, requests }
    }

    fn plays(&self, play: Play) {
        *self.play.lock().unwrap() = play;
    }

    fn requests(&self) -> Vec<(String, Value)> {
        self.requests.lock().unwrap().clone()
    }
}

fn read(connection: &TcpStream) -> Option<(String, Value)> {
    let mut reader = BufReader::new(connection.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        let lower = line.to_ascii_lowercase();
        length =
            lower.strip_prefix("content-length:").map_or(length, |length| length.trim().parse().unwrap());
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).ok()?))
}

fn server(url: &str) -> Server<'_> {
    Server {
        base_url: url,
        model: "small",
        key: Some(KEY),
        proxy: None,
        authorities: None,
        within: Duration::from_secs(20),
    }
}

fn answer(vectors: &Value) -> Play {
    Play::Answers(200, json!({"object": "list", "data": vectors}).to_string())
}

fn opened(scripted: &Scripted, dims: usize) -> HttpEmbedder {
    HttpEmbedder::open(&server(&scripted.url), Some(dims)).unwrap()
}

#[test]
fn texts_become_vectors_in_their_order() {
    let scripted = Scripted::playing(answer(&json!([
        {"index": 1, "embedding": [0, 2.5]},
        {"index": 0, "embedding": [1e-3, -1e-3]},
    ])));
    let embedder = opened(&scripted, 2);
    let vectors = embedder.embed_all(&["one", "größer"], 1).unwrap();
    let expected = |numbers: &[f32]| Vector::quantise(embedder.id().clone(), numbers);
    assert_eq!(vectors, [expected(&[1.0, -1.0]), expected(&[0.0, 1.0])]);
    assert_eq!(embedder.embed_all(&[], 1).unwrap(), []);

    let [(head, body)] = &scripted.requests()[..] else { panic!("one request, and none for no texts") };
    assert!(head.starts_with("POST /v1/embeddings HTTP/1.1"), "{head}");
    assert!(head.contains(&format!("authorization: Bearer {KEY}")), "{head}");
    let sent = json!({"model": "small", "input": ["one", "größer"], "encoding_format": "float"});
    assert_eq!(*body, sent);
}

#[test]
fn no_more_of_a_text_is_sent_than_may_be_read() {
    let scripted = Scripted::playing(answer(&json!([{"embedding": [1]}])));
    opened(&scripted, 1).embed(&"ä".repeat(1_000_000), 10).unwrap();
    assert_eq!(scripted.requests()[0].1["input"][0].as_str().unwrap(), "ä".repeat(40));
}

#[test]
fn the_size_of_vectors_is_asked_for_once_and_holds() {
    let scripted = Scripted::playing(answer(&json!([{"index": 0, "embedding": [1, 2, 3]}])));
    let embedder = HttpEmbedder::open(&server(&scripted.url), None).unwrap();
    assert_eq!(embedder.dims(), 3);
    assert_eq!(*embedder.id(), HttpEmbedder::id_of(&format!("{}/", scripted.url), "small"));
    assert_ne!(*embedder.id(), HttpEmbedder::id_of(&scripted.url, "large"));
    embedder.embed("text", 128).unwrap();
    assert_eq!(scripted.requests().len(), 2);
    scripted.plays(answer(&json!([{"index": 0, "embedding": [1, 2, 3, 4]}])));
    assert!(matches!(embedder.embed("text", 128), Err(EmbedError::Refused(_))));
}

#[rstest::rstest]
#[case::wrong_key(Play::refusal(401, "authentication_error", "wrong key-of-a-test"), false)]
#[case::no_such_model(Play::refusal(404, "not_found_error", "no such model"), false)]
#[case::too_often(Play::refusal(429, "rate_limit_error", "slow down"), false)]
#[case::failed(Play::refusal(500, "api_error", "Internal"), false)]
#[case::closed(Play::Closes, false)]
#[case::too_long(Play::refusal(413, "request_too_large", "no"), true)]
#[case::not_taken(Play::refusal(400, "invalid_request_error", "input is too long"), true)]
#[case::no_json(Play::Answers(200, "<html>".to_owned()), true)]
#[case::endless(Play::Endless(40 << 20), true)]
#[case::other_json(Play::Answers(200, "{\"data\":7}".to_owned()), true)]
#[case::none(answer(&json!([])), true)]
#[case::too_few(answer(&json!([{"index": 0, "embedding": [1, 2]}])), true)]
#[case::another_place(answer(&json!([{"index": 0, "embedding": [1, 2]}, {"index": 9, "embedding": [1, 2]}])), true)]
#[case::no_numbers(answer(&json!([{"embedding": ["1", 2]}, {"embedding": [1, 2]}])), true)]
#[case::uneven(answer(&json!([{"embedding": [1, 2]}, {"embedding": [1, 2, 3]}])), true)]
#[case::packed(answer(&json!([{"embedding": "AACAPw=="}, {"embedding": "AACAPw=="}])), true)]
fn what_is_no_vector_is_an_error_of_its_sort(#[case] play: Play, #[case] is_final: bool) {
    let scripted = Scripted::playing(play);
    let error = opened(&scripted, 2).embed_all(&["a", "b"], 128).unwrap_err();
    match &error {
        EmbedError::Refused(why) => assert!(is_final && !why.to_string().contains(KEY), "{why}"),
        EmbedError::Unavailable(why) => assert!(!is_final && !why.to_string().contains(KEY), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn nobody_waits_for_a_server_that_hangs() {
    let scripted = Scripted::playing(Play::Hangs);
    let began = Instant::now();
    let hurried = Server { within: Duration::from_millis(300), ..server(&scripted.url) };
    let opened = HttpEmbedder::open(&hurried, None);
    assert!(matches!(opened.err(), Some(EmbedError::Unavailable(_))));
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_key_goes_to_nobody_who_could_be_overheard() {
    let opened = HttpEmbedder::open(&server("http://models.example.com/v1"), Some(2));
    let Err(EmbedError::Unavailable(why)) = opened else { panic!("it was opened") };
    assert!(why.to_string().contains("unencrypted"), "{why}");
}
