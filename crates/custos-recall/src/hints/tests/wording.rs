//! A memory in one line: whole, whatever stands before it.

use custos_model::{EventId, Sort, Timestamp};
use rstest::rstest;

use super::super::file::Key;
use super::super::hint::{Hint, TEXT, Trigger};
use super::super::wording::told;

#[rstest]
#[case::all_of_it(
    "Fixed “the window was empty” in open (window.rs)", &["`n < 3` → `n <= 3`"], &["src/window.rs"], Trigger::File,
    "Fixed “the window was empty” in open (window.rs); `n < 3` → `n <= 3`"
)]
#[case::where_it_differs(
    "Fixed “KeyError: 'DATABASE_URL'” in app.py",
    &["`os.environ[\"DATABASE_URL\"]` → `os.environ.get(\"DATABASE_URL\", \"sqlite://\")`"], &["app.py"], Trigger::File,
    "Fixed “KeyError: 'DATABASE_URL'” in app.py; `…[\"DATABASE_URL\"]` → `….get(\"DATABASE_URL\", \"sqlite://\")`"
)]
#[case::the_error_is_on_the_screen(
    "Fixed “KeyError: 'DATABASE_URL'” in app.py",
    &["`os.environ[\"DATABASE_URL\"]` → `os.environ.get(\"DATABASE_URL\", \"sqlite://\")`"], &["app.py"], Trigger::Error,
    "app.py: `os.environ[\"DATABASE_URL\"]` → `os.environ.get(\"DATABASE_URL\", \"sqlite://\")`"
)]
#[case::a_file_is_named_once(
    "Fixed “port is already allocated” (docker-compose.yml)", &["docker-compose.yml: `5433:5432`"], &["docker-compose.yml"], Trigger::File,
    "Fixed “port is already allocated” (docker-compose.yml); `5433:5432`"
)]
#[case::and_once_where_there_is_no_room(
    "Fixed “Error response from daemon: driver failed: Bind for 0.0.0.0:5432…” (docker-compose.yml)",
    &["docker-compose.yml: `5433:5432`"], &["docker-compose.yml"], Trigger::Error,
    "docker-compose.yml: `5433:5432`"
)]
#[case::what_was_cut_before_is_left_out(
    "Fixed “the window was empty” in open (window.rs)", &["now `n <= …`", "`n < 3` → `n <= 3`"], &["src/window.rs"], Trigger::File,
    "Fixed “the window was empty” in open (window.rs); `n < 3` → `n <= 3`"
)]
#[case::a_dependency_is_named_once(
    "psycopg added", &["Dependencies: psycopg added"], &["requirements.txt"], Trigger::Error, "psycopg added (requirements.txt)"
)]
fn a_memory_is_told_whole(
    #[case] title: &str,
    #[case] facts: &[&str],
    #[case] files: &[&str],
    #[case] trigger: Trigger,
    #[case] expected: &str,
) {
    let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    assert_eq!(told(title, facts, &files, trigger), expected);
}

#[test]
fn what_was_told_is_never_cut_by_what_stands_before_it() {
    let then = Timestamp::from_millis(1_794_744_000_000);
    let text = "x".repeat(TEXT);
    for sort in Sort::ALL {
        for days in [0, 1, 59, 364, 3_000] {
            let now = Timestamp::from_millis(then.as_millis() + days * 86_400_000);
            let (key, id, text) = (Key::of_file(""), EventId::new(then, [0xab; 10]), text.clone());
            let hint = Hint { key, id, ts: then, sort, session: 0, trusted: true, text };
            for trigger in [Trigger::File, Trigger::Error] {
                let line = hint.line(trigger, now);
                assert!(line.contains(&hint.text), "{line}");
            }
        }
    }
}
