//! Hints: what a worker writes down for hooks, and that it is right where it speaks.

mod remedies;
mod repairs;
mod session;
mod story;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use custos_model::Kind;
use custos_recall::hints::{Hint, Hints, Trigger};
use custos_worker::stop::Stop;
use custos_worker::{Rules, Time as _};
use serde_json::json;

use super::desk::{Desk, append};
use remedies::REMEDIES;
use repairs::REPAIRS;
use story::{CASES, Case, MENDED, RUAMEL, ordinary};

const PROJECT: &str = "github.com/acme/shop";

fn told() -> Desk {
    let desk = Desk { distil: Arc::new(Rules), ..Desk::new() };
    for mended in MENDED {
        mended.record(&desk);
        desk.pass(10);
    }
    for session in REPAIRS.iter().chain(REMEDIES) {
        session.record(&desk, PROJECT);
        desk.pass(10);
    }
    remedies::ELSEWHERE.record(&desk, "github.com/acme/warehouse");
    desk.pass(10);
    ordinary(&desk);
    desk.pass(60 * 24);
    desk.run();
    desk
}

fn hints(desk: &Desk) -> Option<Hints> {
    Hints::read(&desk.log.places().state, PROJECT)
}

/// Finds the session that a hint is from.
fn of_session(desk: &Desk, hint: &Hint) -> String {
    desk.index().get(hint.id).unwrap().unwrap().session.unwrap()
}

#[test]
fn a_hint_is_right_where_there_is_one() {
    let desk = told();
    let hints = hints(&desk).unwrap();
    let (mut right, mut wrong, mut told, mut to_tell) = (0, 0, 0, 0);
    let mut report = String::new();
    for case in CASES.iter().chain(repairs::CASES).chain(remedies::CASES) {
        let (asked, expected, trigger, found) = match case {
            Case::File(file, expected) => (*file, *expected, Trigger::File, hints.of_file(file)),
            Case::Output(output, expected) => (*output, *expected, Trigger::Error, hints.of_output(output)),
        };
        let session = found.as_ref().map(|hint| of_session(&desk, hint));
        to_tell += usize::from(expected.is_some());
        if session.as_deref() == expected {
            right += 1;
            told += usize::from(expected.is_some());
        } else {
            wrong += usize::from(session.is_some());
            let line = found.map(|hint| hint.line(trigger, desk.clocks.now()));
            report.push_str(&format!("{asked:?}: expected {expected:?}, got {line:?}\n"));
        }
    }
    let asked = CASES.len() + repairs::CASES.len() + remedies::CASES.len();
    assert!(asked >= 100);
    assert_eq!(wrong, 0, "{report}");
    assert!(right * 10 >= asked * 9, "{right} of {asked}\n{report}");
    // Silence is right often enough by itself; so what should be said is counted apart.
    assert!(told * 10 >= to_tell * 9, "{told} of {to_tell}\n{report}");
}

/// Puts a mark in the place of the id, which is another one each time.
fn without_id(hint: &Hint, line: &str) -> String {
    line.replace(&hint.id.to_string()[24..], "ID")
}

#[test]
fn a_hint_says_what_helped() {
    let desk = told();
    let hints = hints(&desk).unwrap();
    let now = desk.clocks.now();
    let mut said = Vec::new();
    for path in ["src/window.rs", "app/orders.py", "app.py", "docker-compose.yml"] {
        said.extend(hints.of_file(path).map(|hint| without_id(&hint, &hint.line(Trigger::File, now))));
    }
    let repaired = repairs::CASES.iter().filter_map(|case| match case {
        Case::Output(output, Some(_)) => Some(*output),
        _ => None,
    });
    for output in repaired.chain(["zsh: command not found: protoc", RUAMEL]) {
        said.extend(hints.of_output(output).map(|hint| without_id(&hint, &hint.line(Trigger::Error, now))));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    <custos-memory>known about this file, bugfix 1 d ago, ID: Fixed “the refresh window of svc-a was empty at t=300” in open (window.rs); `n < 3` → `n <= 3`</custos-memory>
    <custos-memory>known about this file, bugfix 1 d ago, ID: Fixed “KeyError: 'net_price'” in orders.py; `…net_price…` → `…price_net…`</custos-memory>
    <custos-memory>known about this file, bugfix 1 d ago, ID: Fixed “KeyError: 'DATABASE_URL'” in app.py; `…["DATABASE_URL"]` → `….get("DATABASE_URL", "sqlite://")`</custos-memory>
    <custos-memory>known about this file, bugfix 1 d ago, ID: Fixed “Error response from daemon: driver failed: Bind for 0.0.0.0:5432…” in docker-compose.yml</custos-memory>
    <custos-memory>the same error was fixed 1 d ago, ID: Cargo.toml: `sqlx = "0.7"` → `sqlx = { version = "0.7", features = ["postgres"] }`</custos-memory>
    <custos-memory>1 d ago this error went away after this, ID: Cargo.toml: `tonic = "0.12"` → `tonic = { version = "0.12", features = ["transport"] }`</custos-memory>
    <custos-memory>1 d ago this error went away after this, ID: psycopg added (requirements.txt)</custos-memory>
    <custos-memory>1 d ago this error went away after this, ID: psycopg added (requirements.txt)</custos-memory>
    <custos-memory>the same error was fixed 1 d ago, ID: package.json: `"vite": "5"` → `"vite": "5", "vitest": "2"`</custos-memory>
    <custos-memory>the same error was fixed 1 d ago, ID: app.py: `os.environ["DATABASE_URL"]` → `os.environ.get("DATABASE_URL", "sqlite://")`</custos-memory>
    <custos-memory>the same error was fixed 1 d ago, ID: docker-compose.yml: `5432:5432` → `5433:5432`</custos-memory>
    <custos-memory>1 d ago this error went away after this, ID: dependencies: ["rich"] → ["rich", "asyncpg>=0.30"] (pyproject.toml)</custos-memory>
    <custos-memory>the same error was fixed 1 d ago, ID: Makefile: `protoc -I proto proto/*.proto` → `buf generate proto`</custos-memory>
    <custos-memory>the same error was fixed 1 d ago, ID: The package is imported as ruamel.yaml since 0.16, so I changed the import in app/loader.py.</custos-memory>
    "#);
}

#[test]
fn a_hint_names_the_command_that_helped_and_no_secret() {
    let desk = told();
    let hints = hints(&desk).unwrap();
    for (output, command) in remedies::HELPED {
        let line = hints.of_output(output).unwrap().line(Trigger::Error, desk.clocks.now());
        assert!(line.contains(&format!("`{command}`")), "{command}: {line}");
        assert!(!line.contains("correct-horse"), "{line}");
    }
}

#[test]
fn what_is_forgotten_or_replaced_is_hinted_at_no_more() {
    let desk = told();
    let hint = hints(&desk).unwrap().of_file("src/window.rs").unwrap();
    desk.forget(hint.id);
    custos_recall::hints::discard(&desk.log.places().state, PROJECT).unwrap();
    assert!(hints(&desk).is_none());
    let replaced = hints_after(&desk).of_file("app/orders.py").unwrap();
    assert_eq!(hints_after(&desk).of_file("src/window.rs"), None);
    desk.append(
        Kind::ObservationRecorded,
        "orders",
        "",
        json!({"type": "discovery", "title": "It was the export after all", "supersedes": [replaced.id]}),
    );
    custos_recall::hints::discard(&desk.log.places().state, PROJECT).unwrap();
    assert_eq!(hints_after(&desk).of_file("app/orders.py"), None);
}

#[test]
fn what_is_replaced_while_hints_are_made_is_in_none() {
    let desk = told();
    let replaced = hints(&desk).unwrap().of_file("app/orders.py").unwrap().id;
    custos_recall::hints::discard(&desk.log.places().state, PROJECT).unwrap();
    // The worker has caught up, and looks whether it is to end, before it makes the hints of a project.
    let (log, looks) = (desk.log.clone(), AtomicUsize::new(0));
    let meanwhile = move || {
        if looks.fetch_add(1, Ordering::Relaxed) == 1 {
            let body = json!({"type": "discovery", "title": "It was the export", "supersedes": [replaced]});
            append(&log, Kind::ObservationRecorded, "orders", "", body);
        }
        false
    };
    desk.run_until(Stop::when(Arc::clone(&desk.stop)).or_when(meanwhile));
    let hint = hints(&desk).and_then(|hints| hints.of_file("app/orders.py"));
    assert_eq!(hint, None);
}

fn hints_after(desk: &Desk) -> Hints {
    desk.run();
    hints(desk).unwrap()
}

#[test]
fn what_another_machine_says_reaches_the_hints() {
    let desk = told();
    let hint = hints(&desk).unwrap().of_file("store.go").unwrap();
    let other = desk.beside("there");
    other.append(
        Kind::ObservationRecorded,
        "replica",
        "",
        json!({"type": "discovery", "title": "The replica is gone", "supersedes": [hint.id]}),
    );
    assert_eq!(hints_after(&desk).of_file("store.go"), None);
}
