//! A memory in one line: whole, whatever stands before it.

use custos_model::{EventId, Sort, Timestamp};
use rstest::rstest;

use super::super::file::Key;
use super::super::hint::{Hint, TEXT, Trigger};
use super::super::wording::{Said, told};

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
    let said = Said { title, facts: facts.to_vec(), ..Said::default() };
    assert_eq!(told(&said, &files, trigger).as_deref(), Some(expected));
}

#[rstest]
#[case::the_sentence_that_tells(
    "`pytest -q` failed. The package is imported as ruamel.yaml since 0.16, so I changed the import in app/loader.py.",
    Some("The package is imported as ruamel.yaml since 0.16, so I changed the import in app/loader.py.")
)]
#[case::as_many_as_fit(
    "`make` failed: No such file. Version 2 has no `old. Name`. It is `new` now. That took me all of the morning, and then some of the afternoon as well.",
    Some("Version 2 has no `old. Name`. It is `new` now.")
)]
#[case::only_the_failure("`pytest -q` failed.", None)]
#[case::none("", None)]
#[case::none_that_is_whole("`make` failed. The package is imported as…", None)]
#[case::none_that_fits(
    "The package is imported as ruamel.yaml since version 0.16, as its authors announced a long time ago, so I changed the import in app/loader.py.",
    None
)]
fn where_a_title_repeats_the_error_the_narrative_tells_what_helped(
    #[case] narrative: &str,
    #[case] expected: Option<&str>,
) {
    let title = "Fixed “ModuleNotFoundError: No module named 'ruamel_yaml'” in loader.py";
    let said = Said { title, narrative, facts: vec!["Error: it failed"] };
    let files = ["app/loader.py".to_owned()];
    assert_eq!(told(&said, &files, Trigger::Error).as_deref(), expected);
    assert_eq!(told(&said, &files, Trigger::File).as_deref(), Some(title));
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
