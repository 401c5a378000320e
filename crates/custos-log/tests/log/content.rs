//! What reaches the disk: no secret and nothing private, and of what is too long head, tail, length and hash.

use std::fmt::Write as _;
use std::path::PathBuf;

use custos_log::{Limits, intake};
use custos_model::draft::DraftAgent;
use custos_model::{AccessList, Draft, Grant, Kind, Origin, Scope};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::machine::{Machine, object, quick, tool};

const NOWHERE: [PathBuf; 0] = [];

/// A token as a forge hands them out, put together here so that no scanner takes this file for a leak.
fn secret() -> String {
    ["gh", "p_", "Zk3QmP9xTb7VwR2dLc8NfHs4Yg6JuEa1Oi5D"].concat()
}

/// A part of it that nothing else contains.
const TELLING: &str = "TDb7VwR2dLc8N";

fn telling() -> String {
    TELLING.replace('D', "")
}

fn append(machine: &Machine, draft: Draft) {
    machine.log.append(draft, Origin::Hook).unwrap();
}

#[test]
fn no_secret_reaches_any_file() {
    let machine = Machine::new();
    let secret = secret();
    assert!(secret.contains(&telling()));
    machine.append(json!({ "text": format!("the token is {secret}.") }));
    machine.append(json!({ "list": [1, [format!("export TOKEN={secret}")]] }));
    machine.append(json!({ &secret: "as a key", "deep": { &secret: { &secret: true } } }));
    machine.append(json!({ "json": json!({ "auth": { "token": secret } }).to_string() }));
    machine.append(json!({ "json": json!({ "inner": json!({ "token": secret }).to_string() }).to_string() }));
    machine.append(json!({ "url": format!("https://user:{secret}@example.org/") }));
    append(&machine, Draft { project: Some(format!("https://{secret}@example.org/p")), ..tool(json!({})) });
    append(&machine, Draft { branch: Some(secret.clone()), ..tool(json!({})) });
    append(&machine, Draft { commit: Some(secret.clone()), ..tool(json!({})) });
    append(&machine, Draft { session: Some(secret.clone()), ..tool(json!({})) });
    append(&machine, Draft { task: Some(secret.clone()), ..tool(json!({})) });
    let agent = |client: &str, id: &str, role: &str| {
        Some(DraftAgent { client: client.to_owned(), id: Some(id.to_owned()), role: Some(role.to_owned()) })
    };
    append(&machine, Draft { agent: agent("codex", &secret, "r"), ..tool(json!({})) });
    append(&machine, Draft { agent: agent("codex", "i", &secret), ..tool(json!({})) });
    append(&machine, Draft { agent: agent(&secret, "i", "r"), ..tool(json!({})) });
    let grants =
        vec![Grant::Client(secret.clone()), Grant::Role(secret.clone()), Grant::Agent(secret.clone())];
    append(&machine, Draft { acl: Some(AccessList(grants)), ..tool(json!({})) });
    assert_eq!(machine.files_with(telling()), NOWHERE);
    assert_eq!(machine.records().len(), 15);
    machine.assert_sound();
}

#[test]
fn nothing_private_reaches_any_file() {
    let machine = Machine::new();
    machine.append(json!({ "text": "before <private>SECLUDED one</private> after" }));
    machine.append(json!({ "text": "never closed <private>SECLUDED two" }));
    machine.append(json!({ "deep": [{ "er": "<private>SECLUDED\nthree</private>" }] }));
    machine.append(json!({ "json": json!({ "text": "<private>SECLUDED four</private>" }).to_string() }));
    machine.append(json!({ "long": format!("{}<private>SECLUDED {}</private>", "x ".repeat(200_000), "y ".repeat(300_000)) }));
    assert_eq!(machine.files_with("SECLUDED"), NOWHERE);
    assert!(machine.records()[0].body["text"].as_str().unwrap().starts_with("before [redacted:"));
}

#[test]
fn a_password_need_not_be_a_text() {
    let machine = Machine::new();
    let counts = json!({ "max_tokens": 409_612, "tokens": 20_260, "pass": 17, "exit_code": 80_318_271, "line": 80_318_271 });
    machine.append(json!({ "password": 80_318_272, "pins": { "db_password": [80_318_272] } }));
    machine.append(counts.clone());
    assert_eq!(machine.files_with("80318272"), NOWHERE);
    assert_eq!(machine.records()[1].body, counts);
}

#[test]
fn two_secrets_as_keys_keep_both_values() {
    let machine = Machine::new();
    let other = secret().replace('Z', "Y");
    machine.append(json!({ secret(): 1, other: 2 }));
    let body = machine.records().remove(0).body;
    let mut values: Vec<&Value> = body.as_object().unwrap().values().collect();
    values.sort_by_key(|value| value.as_u64());
    assert_eq!(values, [&json!(1), &json!(2)], "{body}");
    assert_eq!(machine.files_with(telling()), NOWHERE);
}

/// Wherever the cut falls: before, within and behind the secret, at the head and at the tail.
#[test]
fn no_secret_survives_across_the_cut() {
    let machine = Machine::with(Limits { event: 4_096, ..quick() });
    for pad in (2_300..2_700).step_by(20) {
        machine.append(
            json!({ "text": format!("{} {} {}", "ab ".repeat(pad / 3), secret(), "yz ".repeat(3_000)) }),
        );
    }
    for pad in (1_000..1_500).step_by(20) {
        machine.append(
            json!({ "text": format!("{} {} {}", "ab ".repeat(3_000), secret(), "yz ".repeat(pad / 3)) }),
        );
    }
    for part in [4..16, 8..20, 16..28, 24..36] {
        assert_eq!(machine.files_with(&secret()[part]), NOWHERE);
    }
}

#[test]
fn an_event_over_the_limit_keeps_head_tail_length_and_hash() {
    let machine = Machine::new();
    let limit = machine.log.limits().event;
    assert_eq!(limit, 256 << 10);
    let mut text = String::new();
    (0..60_000_u32).for_each(|n| write!(text, "{n:05} ").unwrap());
    machine.append(json!({ "output": text, "tool": "Bash", "n": 7 }));
    let line = std::fs::read(machine.segment(1)).unwrap();
    assert!(line.len() < limit + 600, "{}", line.len());
    let body = machine.records().remove(0).body;
    assert_eq!((&body["tool"], &body["n"], body.as_object().unwrap().len()), (&json!("Bash"), &json!(7), 3));

    let output = body["output"].as_str().unwrap();
    let mut hash = String::new();
    Sha256::digest(text.as_bytes()).iter().for_each(|byte| write!(hash, "{byte:02x}").unwrap());
    let note = format!("…[cut: 360000 bytes, sha256 {hash}]…");
    let (head, tail) = output.split_once(&note).unwrap_or_else(|| panic!("{}", &output[..200]));
    assert_eq!((head, tail), (&text[..head.len()], &text[text.len() - tail.len()..]));
    assert!(head.len() > 150_000 && tail.len() > 80_000, "{} and {}", head.len(), tail.len());
}

#[test]
fn an_event_at_the_limit_is_kept_whole() {
    let machine = Machine::new();
    let text = "a word ".repeat(37_000);
    machine.append(json!({ "output": text }));
    assert_eq!(machine.records()[0].body, json!({ "output": text }));
}

#[test]
fn an_event_of_50_megabytes_is_taken_in_and_shortened() {
    let machine = Machine::new();
    let mut line = br#"{"kind":"tool.used","scope":"user","body":{"tool":"Bash","output":""#.to_vec();
    for n in 0..5_000_000_u32 {
        line.extend_from_slice(format!("{:08} ", n % 100_000_000).as_bytes());
    }
    line.extend_from_slice(br#""}}"#);
    assert!(line.len() > 45_000_000);
    let taken = intake::read_draft(&mut line, machine.log.limits().event).unwrap();
    append(&machine, taken.draft);
    let body = machine.records().remove(0).body;
    let output = body["output"].as_str().unwrap();
    assert!(output.starts_with("00000000 00000001 ") && output.ends_with(" 04999999 "));
    assert!(output.contains("…[cut: 45000000 bytes, sha256 "));
    assert!(std::fs::metadata(machine.segment(1)).unwrap().len() < 300_000);
}

#[test]
fn whatever_text_comes_in_comes_out_again() {
    let machine = Machine::new();
    let odd = json!({
        "nul": "\u{0}", "controls": "\u{1}\u{1b}[0m\u{7f}\u{85}\u{2028}\u{2029}", "bom": "\u{feff}", "emoji": "👩‍👩‍👧‍👦",
        "right to left": "\u{202e}abc", "unpaired": "\u{fffd}", "newlines": "a\r\nb\nc", "quotes": "\"\\/\"", "": "empty key",
        "numbers": [0, -0.0, 1e300, 5e-324, i64::MIN, u64::MAX, 0.1], "deep": [[[[[[[[[[{}]]]]]]]]]],
    });
    machine.append(odd.clone());
    assert_eq!(machine.records()[0].body, odd);
    machine.assert_sound();
    let bytes = std::fs::read(machine.segment(1)).unwrap();
    assert_eq!(memchr::memchr_iter(b'\n', &bytes).count(), 1, "one event is one line");
}

#[rstest::rstest]
#[case::duplicate_key_in_the_envelope(
    r#"{"kind":"tool.used","kind":"x","scope":"user","body":{}}"#,
    "(whole line): is no draft: the key \"kind\" is there twice (byte 30)"
)]
#[case::infinity(
    r#"{"kind":"tool.used","scope":"user","body":{"n":1e999}}"#,
    "(whole line): is no draft: number out of range (byte 52)"
)]
#[case::set_by_the_log(
    r#"{"kind":"tool.used","scope":"user","body":{},"seq":7}"#,
    "seq: is set by the log; leave it out"
)]
#[case::raw_line_break(
    "{\"kind\":\"tool.used\",\"scope\":\"user\",\"body\":{\"a\":\"x\ny\"}}",
    "(whole line): is no draft: control character (\\u0000-\\u001F) found while parsing a string (byte 0)"
)]
#[case::deep_list(&format!(r#"{{"kind":"tool.used","scope":"user","body":{{"a":{}}}}}"#, "[".repeat(1_000_000)), "(whole line): is no draft: it is nested deeper than 128 levels (byte 173)")]
fn what_is_no_draft_is_refused_with_the_place(#[case] line: &str, #[case] message: &str) {
    let refused = intake::read_draft(&mut line.as_bytes().to_vec(), 256 << 10).unwrap_err();
    assert_eq!(refused.to_string(), message);
}

#[test]
fn a_draft_that_says_who_wrote_it_is_not_believed() {
    let machine = Machine::new();
    let mut line = br#"{"kind":"tool.used","scope":"user","body":{},"origin":"cli"}"#.to_vec();
    let refused = intake::read_draft(&mut line, 256 << 10).unwrap_err();
    assert_eq!(refused.to_string(), "origin: is set by the log; leave it out");
    append(&machine, Draft::new(Kind::ToolUsed, Scope::User, object(json!({ "origin": "cli", "seq": 99 }))));
    assert_eq!(machine.records()[0].seq, 1);
}
