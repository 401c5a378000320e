//! What a person sees of vectors: who makes them, how many there are, and that they go with what is forgotten.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use custos_embed::{EmbedderId, MiniLm};
use custos_model::PieceId;
use custos_testkit::TempHome;
use custos_vectors::Vectors;
use serde_json::{Value, json};

use crate::guard::{custos_in, repo};
use crate::shell::{append, command, custos, home, id, json};

fn observation(title: &str, facts: &[&str]) -> Value {
    json!({
        "kind": "observation.recorded", "scope": "project", "project": "github.com/acme/shop", "session": "s1",
        "body": {"type": "discovery", "title": title, "narrative": "Seen in the log.", "facts": facts},
    })
}

fn state(home: &TempHome) -> PathBuf {
    json(home, &["status"])["state"].as_str().unwrap().into()
}

fn vectors(home: &TempHome) -> Vectors {
    Vectors::open(&state(home), &EmbedderId::new(MiniLm::ID), MiniLm::DIMS).unwrap()
}

/// Gives what doctor says about something.
fn check(home: &TempHome, what: &str) -> Option<Value> {
    // Its code says whether all is well.
    let doctor: Value = serde_json::from_str(&custos(home, &["doctor", "--json"]).stdout).unwrap();
    doctor["checks"].as_array().unwrap().iter().find(|check| check["what"] == what).cloned()
}

#[test]
fn a_worker_makes_them_and_whoever_forgets_takes_them_away() {
    let home = home();
    let secret = id(&append(&home, &[observation("A secret", &["the password is swordfish"])])[0]);
    append(&home, &[observation("No secret", &["the port is 8080"])]);
    let waiting = json!({"embedder": MiniLm::ID, "problem": null, "waiting": 2, "stored": []});
    assert_eq!(json(&home, &["status"])["vectors"], waiting);

    let ran = json(&home, &["worker", "run", "--until-idle"]);
    assert_eq!(ran["vectors"], json!(4));
    let stored = json!([{"embedder": MiniLm::ID, "dimensions": 384, "vectors": 4}]);
    let made = json!({"embedder": MiniLm::ID, "problem": null, "waiting": 0, "stored": stored});
    assert_eq!(json(&home, &["status"])["vectors"], made);
    let found = check(&home, "vectors").unwrap();
    assert_eq!(found["found"], json!(format!("4 vectors by {}", MiniLm::ID)));

    let (secret_piece, other) = (PieceId::of("the password is swordfish"), PieceId::of("the port is 8080"));
    let before = vectors(&home);
    let bytes = before.vector(secret_piece).unwrap().as_bytes().to_vec();
    assert_eq!(custos(&home, &["forget", &secret, "--reason", "private", "--yes"]).code, 0);
    let after = vectors(&home);
    assert!(before.vector(secret_piece).is_none() && after.vector(secret_piece).is_none());
    assert!(after.vector(other).is_some());
    for directory in std::fs::read_dir(state(&home).join("vectors")).unwrap() {
        let directory = directory.unwrap().path();
        for file in std::fs::read_dir(directory).into_iter().flatten() {
            let content = std::fs::read(file.unwrap().path()).unwrap();
            assert!(!content.windows(bytes.len()).any(|window| window == bytes));
            assert!(!content.windows(16).any(|window| window == secret_piece.as_bytes()));
        }
    }
}

/// The example of README.md and docs/recall.md.
#[test]
fn what_means_the_same_is_found_without_a_word_in_common() {
    let home = home();
    let shop = repo(&home, "feat");
    let asked = ["search", "where", "do", "background", "tasks", "wait", "--json"];
    let found = |more: &[&str]| {
        let ran = custos_in(&home, &shop, &[&asked, more].concat());
        let found: Value = serde_json::from_str(&ran.stdout).unwrap();
        let told = |found: &Value| (found["title"].clone(), found["parts"]["words"].clone());
        found.as_array().unwrap().iter().map(told).collect::<Vec<_>>()
    };
    let title = "the job queue moved to Postgres";
    let text = "The job queue moved to Postgres.";
    let typed = ["memories", "add", "--type", "pattern", "--title", title, "--description", text];
    assert_eq!(custos_in(&home, &shop, &typed).code, 0);
    append(&home, &[observation(title, &[])]);
    // The worker sees the file although nobody has asked for it yet.
    let ran = custos_in(&home, &shop, &["worker", "run", "--until-idle", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&ran.stdout).unwrap()["vectors"], json!(2));
    let expected = [(json!(title), json!(0.0))];
    assert_eq!(found(&[]), expected);
    assert_eq!(found(&["--project", "github.com/acme/shop"]), expected);
}

#[test]
fn an_index_that_is_rebuilt_needs_no_new_vectors() {
    let home = home();
    append(&home, &[observation("One", &["a fact"])]);
    assert_eq!(json(&home, &["worker", "run", "--until-idle"])["vectors"], json!(2));
    assert_eq!(custos(&home, &["index", "rebuild"]).code, 0);
    assert_eq!(json(&home, &["status"])["vectors"]["waiting"], json!(1), "it is to be looked at again");
    assert_eq!(json(&home, &["worker", "run", "--until-idle"])["vectors"], json!(0));
    assert_eq!(json(&home, &["status"])["vectors"]["waiting"], json!(0));
}

#[test]
fn whoever_wants_none_gets_none() {
    let home = home();
    assert_eq!(custos(&home, &["config", "set", "recall.embedder", "none"]).code, 0);
    append(&home, &[observation("One", &[])]);
    assert_eq!(json(&home, &["worker", "run", "--until-idle"])["vectors"], json!(0));
    let status = custos(&home, &["status"]).stdout;
    let said = "vectors   none: memories are found by their words (recall.embedder is none)";
    assert!(status.contains(said), "{status}");
    assert!(!state(&home).join("vectors").exists());
}

/// A server that gives each text a vector of three numbers; writes down what it was sent.
fn server(requests: Arc<Mutex<Vec<(String, Value)>>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        while let Ok((mut connection, _)) = listener.accept() {
            let mut reader = BufReader::new(connection.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
            let length = head.to_ascii_lowercase();
            let length = length.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
            let mut body = vec![0; length.trim().parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            let body: Value = serde_json::from_slice(&body).unwrap();
            let texts = body["input"].as_array().unwrap().iter();
            let vectors: Vec<Value> = texts.map(|_| json!({"embedding": [1, -1, 0.5]})).collect();
            requests.lock().unwrap().push((head, body));
            let answer = json!({ "data": vectors }).to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", answer.len());
            connection.write_all(format!("{head}{answer}").as_bytes()).unwrap();
        }
    });
    url
}

#[test]
fn a_server_makes_them_too_and_takes_the_place_of_the_model() {
    let home = home();
    append(&home, &[observation("One", &["a fact"])]);
    json(&home, &["worker", "run", "--until-idle"]);
    let requests = Arc::default();
    let url = server(Arc::clone(&requests));
    custos(&home, &["config", "set", "recall.embedder_url", &url]);
    custos(&home, &["config", "set", "recall.embedder_model", "small"]);
    custos(&home, &["config", "set", "recall.embedder", "http"]);
    let run = || {
        let mut worker = command(&home, &["worker", "run", "--until-idle", "--json"]);
        let ran = worker.env("CUSTOS_EMBEDDER_KEY", "key-of-a-test").output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        let ran: Value = serde_json::from_slice(&ran.stdout).unwrap();
        ran["vectors"].clone()
    };
    assert_eq!(run(), json!(2));
    let id = format!("http {url} small");
    let stored = json!([{"embedder": id, "dimensions": 3, "vectors": 2}]);
    let made = json!({"embedder": id, "problem": null, "waiting": 0, "stored": stored});
    assert_eq!(json(&home, &["status"])["vectors"], made, "those of the model are gone");
    assert_eq!(run(), json!(0));

    let requests = requests.lock().unwrap();
    let sent: Vec<&Value> = requests.iter().map(|(_, body)| &body["input"]).collect();
    let texts = json!(["One\nSeen in the log.", "a fact"]);
    assert_eq!(sent, [&json!(["dimensions"]), &texts], "its size is asked for once");
    for (head, _) in &*requests {
        assert!(head.contains("authorization: Bearer key-of-a-test"), "{head}");
    }
}

#[test]
fn until_a_server_has_made_as_many_those_of_the_model_answer() {
    let home = home();
    let topics = [
        "The car needs new brakes",
        "Bread rises overnight",
        "The choir sings on Sundays",
        "Snow blocks the pass",
        "Invoices are due in May",
        "The cat sleeps on the printer",
        "Tides turn at noon",
        "Chess club moved upstairs",
        "The lighthouse was painted",
        "Garlic goes in first",
        "A violin lost a string",
        "The lift is slow",
    ];
    append(&home, &topics.map(|topic| observation(topic, &[])));
    let ask = || {
        let ran = custos(&home, &["search", "automobile repair", "--project", "shop"]);
        (ran.stdout.contains(topics[0]), ran.stdout + &ran.stderr)
    };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    custos(&home, &["config", "set", "recall.embedder_url", &format!("http://127.0.0.1:{port}/v1")]);
    custos(&home, &["config", "set", "recall.embedder_model", "small"]);
    custos(&home, &["config", "set", "recall.embedder", "http"]);
    let (is_found, said) = ask();
    assert!(!is_found && said.contains("no vectors have been made yet"), "{said}");

    custos(&home, &["config", "set", "recall.embedder", "minilm"]);
    json(&home, &["worker", "run", "--until-idle"]);
    custos(&home, &["config", "set", "recall.embedder", "http"]);
    let (is_found, said) = ask();
    assert!(is_found, "{said}");
    let standing = json(&home, &["status"])["vectors"].clone();
    assert_eq!((&standing["waiting"], &standing["stored"][0]["embedder"]), (&json!(12), &json!(MiniLm::ID)));
}

#[test]
fn a_server_that_is_not_there_costs_vectors_and_is_told() {
    let home = home();
    custos(&home, &["config", "set", "recall.embedder", "http"]);
    append(&home, &[observation("One", &[])]);
    let found = check(&home, "vectors").unwrap();
    assert_eq!(
        (&found["state"], &found["advice"]),
        (&json!("bad"), &json!("`custos config set recall.embedder_url …`"))
    );

    // A port that nobody listens on.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    custos(&home, &["config", "set", "recall.embedder_url", &format!("http://127.0.0.1:{port}/v1")]);
    custos(&home, &["config", "set", "recall.embedder_model", "small"]);
    let ran = command(&home, &["worker", "run", "--until-idle", "--json"]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let status = json(&home, &["status"])["vectors"].clone();
    let id = format!("http http://127.0.0.1:{port}/v1 small");
    assert_eq!((&status["embedder"], &status["waiting"]), (&json!(id), &json!(1)));
    let told = custos(&home, &["doctor"]).stdout;
    assert!(
        told.contains("vectors wait for the next worker, because the embedder does not answer"),
        "{told}"
    );
    let online = custos(&home, &["doctor", "--online"]).stdout;
    assert!(online.contains("gives no vectors"), "{online}");
}

#[test]
fn a_worker_says_what_still_waits_for_vectors() {
    let home = home();
    append(&home, &[observation("One", &["a fact"])]);
    // Nobody listens there any more.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    custos(&home, &["config", "set", "recall.embedder_url", &format!("http://127.0.0.1:{port}")]);
    custos(&home, &["config", "set", "recall.embedder_model", "small"]);
    custos(&home, &["config", "set", "recall.embedder", "http"]);
    let ran = custos(&home, &["worker", "run", "--until-idle"]);
    assert!(ran.stdout.contains("still 1 text waits for vectors; `custos doctor` says why"), "{ran:?}");
    assert_eq!(json(&home, &["worker", "run", "--until-idle"])["unembedded"], 1);
    custos(&home, &["config", "set", "recall.embedder", "none"]);
    let ran = custos(&home, &["worker", "run", "--until-idle"]);
    assert!(!ran.stdout.contains("vectors"), "{ran:?}");
}
