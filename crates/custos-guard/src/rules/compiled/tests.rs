//! The rules of hooks are the rules.

use std::fs;
use std::time::{Duration, SystemTime};

use super::{Kept, MOST_SETS, key_of, stamps};
use crate::rules::policy::{Level, Policy};
use crate::rules::tests::{CATALOGUE, EVERYTHING, Home, write};
use crate::rules::{Sources, load_fast, wire};

fn count(home: &Home) -> [usize; 2] {
    [home.fast().commands.len(), home.fast().commands.len()]
}

fn commands(number: usize) -> String {
    let list: String = (0..number).map(|number| format!("    - make x{number}\n")).collect();
    format!("deny:\n  commands:\n{list}")
}

#[test]
fn the_second_load_reads_no_yaml() {
    let home = Home::new();
    home.write(Level::User, EVERYTHING).write(Level::Repo, "deny: {paths: [x/**]}\nallow: {paths: [y]}\n");
    let first = home.fast();
    assert_eq!(first, home.load().policy);
    assert_eq!(first.problems.len(), 1);
    // A lie in the cache, told with the right checksum, shows that the answer comes from there.
    let lie = Policy { problems: vec!["a lie".to_owned()], ..Policy::builtin() };
    let sources = home.sources();
    let mut bytes = super::HEADING.to_vec();
    Kept::of(&key_of(&sources, &stamps(&sources), CATALOGUE), &wire::encode(&lie)).write(&mut bytes);
    write(&home.cache(), &bytes);
    assert_eq!(home.fast(), lie);
}

#[test]
fn every_change_of_a_file_is_seen() {
    let home = Home::new();
    home.write(Level::User, commands(1));
    assert_eq!(count(&home), [1, 1]);
    home.write(Level::User, commands(2));
    assert_eq!(count(&home), [2, 2]);
    home.write(Level::Repo, commands(3).replace("make", "just"));
    assert_eq!(count(&home), [5, 5]);
    fs::remove_file(home.file(Level::User)).unwrap();
    assert_eq!(count(&home), [3, 3]);
    fs::remove_file(home.file(Level::Repo)).unwrap();
    assert_eq!(count(&home), [0, 0]);
}

#[test]
fn a_file_that_was_changed_just_now_is_read_again() {
    let home = Home::new();
    home.write(Level::User, commands(1));
    let file = fs::File::options().write(true).open(home.file(Level::User)).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_mins(1)).unwrap();
    assert_eq!(count(&home), [1, 1]);
    assert!(!home.cache().exists());
}

#[test]
fn a_file_that_was_changed_just_now_is_the_last_good_version_all_the_same() {
    let home = Home::new();
    let change_just_now = |text: &str| {
        home.write(Level::Repo, text);
        let file = fs::File::options().write(true).open(home.file(Level::Repo)).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_mins(1)).unwrap();
    };
    home.write(Level::Repo, commands(1));
    home.fast();
    change_just_now(&commands(3));
    let good = home.fast();
    assert_eq!(good.commands.len(), 3);
    // As a merge leaves it.
    change_just_now(&format!("<<<<<<< HEAD\n{}", commands(3)));
    assert_eq!(home.fast().commands, good.commands);
}

#[test]
fn damage_is_compiled_away() {
    let home = Home::new();
    home.write(Level::User, commands(3));
    let good = home.fast();
    let bytes = fs::read(home.cache()).unwrap();
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x55;
        write(&home.cache(), &damaged);
        assert_eq!(home.fast(), good, "byte {at}");
        write(&home.cache(), &bytes[..at]);
        assert_eq!(home.fast(), good, "cut at {at}");
    }
    assert_eq!(fs::read(home.cache()).unwrap(), bytes);
}

#[test]
fn several_sets_of_files_are_remembered_and_not_more_than_that() {
    let home = Home::new();
    let sources: Vec<_> = (0..MOST_SETS + 4)
        .map(|number| {
            let root = home.path(&format!("repo{number}"));
            write(&root.join(".ai/policies/safety.yaml"), commands(number + 1).as_bytes());
            Sources::new(None, None, Some(&root))
        })
        .collect();
    for (number, sources) in sources.iter().enumerate() {
        assert_eq!(load_fast(sources, &home.cache(), CATALOGUE).commands.len(), number + 1);
    }
    let bytes = fs::read(home.cache()).unwrap();
    let mut rest = bytes.strip_prefix(super::HEADING).unwrap();
    let kept = std::iter::from_fn(|| Kept::next(&mut rest)).count();
    assert_eq!((kept, rest.len()), (MOST_SETS, 0));
    // The latest are there: asking for them writes nothing.
    load_fast(&sources[MOST_SETS], &home.cache(), CATALOGUE);
    assert_eq!(fs::read(home.cache()).unwrap(), bytes);
}

#[test]
fn where_nothing_can_be_written_the_rules_apply_all_the_same() {
    let home = Home::new();
    home.write(Level::User, commands(2));
    let in_the_way = home.path("state");
    write(&in_the_way, b"");
    assert_eq!(count(&home), [2, 2]);
}

#[test]
fn many_at_once_get_the_same() {
    let home = Home::new();
    home.write(Level::User, EVERYTHING);
    let wanted = home.load().policy;
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert_eq!(home.fast(), wanted));
        }
    });
    assert_eq!(home.fast(), wanted);
}
