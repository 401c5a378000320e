//! The settings of hooks are the settings.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use custos_config::{Roots, Settings, Variables, load_fast, set};
use proptest::prelude::*;

use crate::files::{Home, write};
use crate::layers::setting;

fn fast_with(home: &Home, variables: &[(&str, &str)]) -> Settings {
    let variables: Variables = variables.iter().copied().collect();
    let (workspace, repo) = (home.path("workspace"), home.path("repo"));
    load_fast(&home.places, Roots { workspace: Some(&workspace), repo: Some(&repo) }, &variables)
}

fn fast(home: &Home) -> Settings {
    fast_with(home, &[])
}

/// Writes a file that was last changed a while ago, as files usually were.
fn write_settled(path: &Path, content: &str) {
    write(path, content);
    let past = SystemTime::now() - Duration::from_mins(1);
    fs::File::options().write(true).open(path).unwrap().set_modified(past).unwrap();
}

fn cache(home: &Home) -> Option<Vec<u8>> {
    fs::read(home.places.compiled_config()).ok()
}

#[test]
fn without_files_nothing_is_written() {
    let home = Home::new();
    assert_eq!(fast(&home), Settings::default());
    assert!(!home.places.state.exists());
}

#[test]
fn the_second_load_reads_no_yaml() {
    let home = Home::new();
    write_settled(&home.user_file(), "search:\n  limit: 5\naccess:\n  prompts: ['*', role:x]\n  tools: []\n");
    let first = fast(&home);
    assert_eq!(first, home.load(&[], &[]).settings);
    // A lie in the cache, told with the right checksum, shows that the answer comes from there.
    let text = String::from_utf8(cache(&home).unwrap()).unwrap();
    let (heading, line) = text.trim_end().split_once('\n').unwrap();
    let name = line.split(' ').next().unwrap();
    // Taken from `printf search.limit=77 | sha256sum`.
    write(&home.places.compiled_config(), format!("{heading}\n{name} abcdff881583a193 search.limit=77\n"));
    assert_eq!(fast(&home).search.limit, 77);
}

#[test]
fn every_change_of_a_file_is_seen() {
    let home = Home::new();
    let both = |limit: u64| {
        assert_eq!((fast(&home).search.limit, fast(&home).search.limit), (limit, limit));
    };
    write_settled(&home.user_file(), "search:\n  limit: 5\n");
    both(5);
    write_settled(&home.user_file(), "search:\n  limit: 6\n");
    both(6);
    set(&home.user_file(), "search.limit", "7").unwrap();
    both(7);
    write_settled(&home.repo_file(), "search: {limit: 8}\n");
    both(8);
    write_settled(&home.workspace_file(), "search: {limit: 9}\n");
    both(8);
    fs::remove_file(home.repo_file()).unwrap();
    both(9);
    fs::remove_file(home.workspace_file()).unwrap();
    both(7);
    fs::remove_file(home.user_file()).unwrap();
    both(20);
}

#[test]
fn a_file_that_was_changed_just_now_is_read_again() {
    let home = Home::new();
    write(&home.user_file(), "search:\n  limit: 5\n");
    let future = SystemTime::now() + Duration::from_mins(1);
    let file = fs::File::options().write(true).open(home.user_file()).unwrap();
    file.set_modified(future).unwrap();
    assert_eq!(fast(&home).search.limit, 5);
    assert_eq!(cache(&home), None);
}

#[test]
fn the_environment_comes_after_the_cache() {
    let home = Home::new();
    write_settled(&home.user_file(), "search:\n  limit: 5\n");
    assert_eq!(fast_with(&home, &[("CUSTOS_SEARCH_LIMIT", "6")]).search.limit, 6);
    assert_eq!(fast(&home).search.limit, 5);
    assert_eq!(fast_with(&home, &[("CUSTOS_SEARCH_LIMIT", "7")]).search.limit, 7);
}

#[test]
fn projects_do_not_undo_each_others_work() {
    let home = Home::new();
    let at = |root: &Path| {
        load_fast(&home.places, Roots { workspace: None, repo: Some(root) }, &Variables::default())
            .search
            .limit
    };
    let (one, two) = (home.path("one"), home.path("two"));
    write_settled(&one.join(".ai/config.yaml"), "search: {limit: 1}\n");
    write_settled(&two.join(".ai/config.yaml"), "search: {limit: 2}\n");
    assert_eq!((at(&one), at(&two)), (1, 2));
    let written = cache(&home);
    assert_eq!((at(&one), at(&two), at(&one)), (1, 2, 1));
    assert_eq!(cache(&home), written);
}

#[test]
fn the_cache_does_not_grow_without_end() {
    let home = Home::new();
    for number in 0..40 {
        let root = home.path(&format!("repo{number}"));
        write_settled(&root.join(".ai/config.yaml"), &format!("search: {{limit: {}}}\n", number + 1));
        load_fast(&home.places, Roots { workspace: None, repo: Some(&root) }, &Variables::default());
    }
    let text = String::from_utf8(cache(&home).unwrap()).unwrap();
    assert_eq!(text.lines().count(), 1 + 16);
}

#[test]
fn a_cache_that_cannot_be_written_costs_only_time() {
    let home = Home::new();
    write_settled(&home.user_file(), "search:\n  limit: 5\n");
    write(&home.path(".local/state/ai"), "a file where a directory should be");
    assert_eq!((fast(&home).search.limit, fast(&home).search.limit), (5, 5));
}

#[test]
fn a_directory_in_place_of_the_cache_costs_only_time() {
    let home = Home::new();
    write_settled(&home.user_file(), "search:\n  limit: 5\n");
    fs::create_dir_all(home.places.compiled_config()).unwrap();
    assert_eq!((fast(&home).search.limit, fast(&home).search.limit), (5, 5));
    assert_eq!(fs::read_dir(&home.places.state).unwrap().count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_cache_changes_nothing(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let home = Home::new();
        write_settled(&home.user_file(), "search:\n  limit: 5\nbackup:\n  keep: 9\n");
        let right = fast(&home);
        let mut bytes = cache(&home).unwrap();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at); } else { bytes[at] = byte; }
        write(&home.places.compiled_config(), &bytes);
        prop_assert_eq!(fast(&home), right);
    }

    #[test]
    fn fast_is_the_same_as_slow(first in setting(), second in setting()) {
        let home = Home::new();
        for (key, value) in [&first, &second] {
            set(&home.user_file(), key, &value.to_string()).unwrap();
        }
        let slow = home.load(&[], &[]).settings;
        let past = SystemTime::now() - Duration::from_mins(1);
        fs::File::options().write(true).open(home.user_file()).unwrap().set_modified(past).unwrap();
        prop_assert_eq!(fast(&home), slow.clone());
        prop_assert!(cache(&home).is_some());
        prop_assert_eq!(fast(&home), slow);
    }
}
