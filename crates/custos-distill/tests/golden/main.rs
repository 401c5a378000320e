//! Whole sessions, from the payloads of their clients to what is kept of them.
//!
//! Each directory below `sessions/` holds what a client sent (`session.jsonl`, `client`), what a careful colleague would keep of it
//! (`expected.md`, and `expected.json` for the checker), and what the rules keep (`kept.json`: types and titles, judged by a person when it
//! was last changed). The payloads go through the real adapters, redaction and recording into a log, and are read back from there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]
#![expect(
    clippy::disallowed_methods,
    reason = "a report and judged titles are written for a person, not by the program"
)]

mod check;
mod play;
mod report;

use std::fs;
use std::path::PathBuf;

use check::Score;
use play::Played;

fn sessions() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sessions")
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(sessions())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn each_session_leaves_what_it_left_when_a_person_judged_it() {
    for name in names() {
        let played = Played::of(&sessions().join(&name));
        insta::assert_snapshot!(name, report::whole(&played));
    }
}

#[test]
fn types_and_titles_are_the_ones_that_were_judged() {
    let mut differing = Vec::new();
    for name in names() {
        let dir = sessions().join(&name);
        let kept = report::kept(&Played::of(&dir));
        let judged = fs::read_to_string(dir.join("kept.json")).unwrap_or_default();
        // A person who has judged the new titles sets the variable, and the file is theirs.
        if option_env!("GOLDEN_KEEP").is_some() {
            fs::write(dir.join("kept.json"), &kept).unwrap();
        } else if kept != judged {
            differing.push(format!("{name}:\n{kept}"));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn a_careful_colleague_would_agree() {
    let mut all = Score::default();
    let mut table = report::heading();
    for name in names() {
        let dir = sessions().join(&name);
        let score = check::score(&dir, &Played::of(&dir));
        table.push_str(&report::row(&name, &score));
        all.add(&score);
    }
    table.push_str(&report::row("all", &all));
    if let Some(path) = option_env!("GOLDEN_REPORT") {
        fs::write(path, &table).unwrap();
    }
    assert!(all.forbidden.is_empty() && all.too_many.is_empty(), "{table}");
    assert!(all.recall() >= 0.85 && all.precision() >= 0.8, "{table}");
    assert!(all.junk_share() < 0.10, "{table}");
    assert!(all.stored * 10 <= all.evidence, "{table}");
}

#[test]
fn the_same_session_gives_the_same_result() {
    let dir = sessions().join("bug-hunt-rust");
    assert_eq!(report::whole(&Played::of(&dir)), report::whole(&Played::of(&dir)));
}
