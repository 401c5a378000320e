//! Changing one value and nothing else.

use std::fs;

use custos_config::{Change, set, unset};
use insta::assert_snapshot;
use proptest::prelude::*;
use rstest::rstest;

use crate::files::{Home, write};
use crate::layers::setting;

/// Sets a key in a file with this content and returns the new content or the error.
fn set_in(content: &str, key: &str, value: &str) -> String {
    let home = Home::new();
    let file = home.user_file();
    write(&file, content);
    match set(&file, key, value) {
        Ok(_) => fs::read_to_string(file).unwrap(),
        Err(error) => {
            assert_eq!(fs::read_to_string(file).unwrap(), content);
            home.abbreviated(&error.to_string())
        }
    }
}

fn unset_in(content: &str, key: &str) -> String {
    let home = Home::new();
    let file = home.user_file();
    write(&file, content);
    match unset(&file, key) {
        Ok(_) => fs::read_to_string(file).unwrap(),
        Err(error) => home.abbreviated(&error.to_string()),
    }
}

const COMMENTED: &str = "\
# Mine.

search:   # how much
    # not too many
    limit: 20   # results

log:
    segment_mb:    64
    # the end
# of it
";

#[test]
fn a_value_is_replaced_where_it_stands() {
    assert_eq!(set_in(COMMENTED, "search.limit", "50"), COMMENTED.replace("limit: 20 ", "limit: 50 "));
    assert_eq!(set_in(COMMENTED, "log.segment_mb", "128"), COMMENTED.replace("64", "128"));
}

#[test]
fn a_new_key_goes_to_the_end_of_its_section() {
    let expected =
        COMMENTED.replace("    segment_mb:    64\n", "    segment_mb:    64\n    lock_wait_ms: 5\n");
    assert_eq!(set_in(COMMENTED, "log.lock_wait_ms", "5"), expected);
}

#[test]
fn a_new_section_goes_to_the_end_of_the_file() {
    assert_eq!(set_in(COMMENTED, "backup.keep", "3"), format!("{COMMENTED}\nbackup:\n  keep: 3\n"));
}

#[rstest]
#[case::empty_file("", "search:\n  limit: 5\n")]
#[case::only_a_comment("# x\n", "# x\n\nsearch:\n  limit: 5\n")]
#[case::no_last_newline("search:\n  limit: 1", "search:\n  limit: 5")]
#[case::other_section_without_newline(
    "log:\n  segment_mb: 1",
    "log:\n  segment_mb: 1\n\nsearch:\n  limit: 5\n"
)]
#[case::carriage_returns("# x\r\nsearch:\r\n  limit: 1 # y\r\n", "# x\r\nsearch:\r\n  limit: 5 # y\r\n")]
#[case::new_with_carriage_returns(
    "log:\r\n  segment_mb: 1\r\n",
    "log:\r\n  segment_mb: 1\r\n\r\nsearch:\r\n  limit: 5\r\n"
)]
#[case::byte_order_mark("\u{feff}search:\n  limit: 1\n", "\u{feff}search:\n  limit: 5\n")]
#[case::empty_value("search:\n  limit:\n", "search:\n  limit: 5\n")]
#[case::empty_value_with_comment("search:\n  limit: # many\n", "search:\n  limit: 5 # many\n")]
#[case::wrong_value("search:\n  limit: 'x'\n", "search:\n  limit: 5\n")]
#[case::empty_section("search:\n# then\nlog:\n", "search:\n  limit: 5\n# then\nlog:\n")]
#[case::null_section("search: ~\n", "search: {limit: 5}\n")]
#[case::empty_braces("search: {}\n", "search: {limit: 5}\n")]
#[case::braces("search: { limit: 1 } # c\n", "search: { limit: 5 } # c\n")]
#[case::anchored("search:\n  limit: &n 1\n", "search:\n  limit: &n 5\n")]
#[case::alias("x: &n 1\nsearch:\n  limit: *n\n", "x: &n 1\nsearch:\n  limit: 5\n")]
#[case::unknown_neighbours(
    "zoo: 1\nsearch:\n  ape: 2\n  limit: 1\n",
    "zoo: 1\nsearch:\n  ape: 2\n  limit: 5\n"
)]
#[case::same_section_twice(
    "search:\n  limit: 1\nsearch:\n  limit: 2\n",
    "search:\n  limit: 5\nsearch:\n  limit: 2\n"
)]
#[case::wide_characters(
    "# 日本語 ü\nsearch: # é\n  limit: 1 # ü\n",
    "# 日本語 ü\nsearch: # é\n  limit: 5 # ü\n"
)]
fn forms_of_a_file(#[case] before: &str, #[case] after: &str) {
    assert_eq!(set_in(before, "search.limit", "5"), after);
}

#[rstest]
#[case::beside(
    "access:\n  prompts: [user]  # us\n  tools: []\n",
    "access:\n  prompts: [\"*\", \"role:x\"]  # us\n  tools: []\n"
)]
#[case::below(
    "access:\n  prompts:\n    - user\n    - role:y\n  tools: []\n",
    "access:\n  prompts: [\"*\", \"role:x\"]\n  tools: []\n"
)]
#[case::not_indented(
    "access:\n  prompts:\n  - user\n  tools: []\n",
    "access:\n  prompts: [\"*\", \"role:x\"]\n  tools: []\n"
)]
#[case::comment_behind_it(
    "access:\n  prompts:\n    - user\n    # behind\n  tools: []\n",
    "access:\n  prompts: [\"*\", \"role:x\"]\n    # behind\n  tools: []\n"
)]
#[case::over_lines(
    "access:\n  prompts: [\n    user,\n    role:y\n  ]\n",
    "access:\n  prompts: [\"*\", \"role:x\"]\n"
)]
#[case::new_beside_a_list(
    "access:\n  tools:\n    - user\n",
    "access:\n  tools:\n    - user\n  prompts: [\"*\", \"role:x\"]\n"
)]
fn lists(#[case] before: &str, #[case] after: &str) {
    assert_eq!(set_in(before, "access.prompts", "*, role:x"), after);
}

#[rstest]
#[case::a_line("search:\n  limit: 1 # gone\nlog:\n  segment_mb: 2\n", "search:\nlog:\n  segment_mb: 2\n")]
#[case::the_last_line("log:\n  segment_mb: 2\nsearch:\n  limit: 1", "log:\n  segment_mb: 2\nsearch:\n")]
#[case::braces("search: {limit: 1}\n", "search: {}\n")]
#[case::wrong_value("search:\n  limit: many\n", "search:\n")]
#[case::not_there("log:\n  segment_mb: 2\n", "log:\n  segment_mb: 2\n")]
fn unsetting(#[case] before: &str, #[case] after: &str) {
    assert_eq!(unset_in(before, "search.limit"), after);
}

#[rstest]
#[case::first(
    "log: {segment_mb: 1, max_event_kb: 20, lock_wait_ms: 3}\n",
    "log.segment_mb",
    "log: {max_event_kb: 20, lock_wait_ms: 3}\n"
)]
#[case::last(
    "log: {segment_mb: 1, max_event_kb: 20, lock_wait_ms: 3}\n",
    "log.lock_wait_ms",
    "log: {segment_mb: 1, max_event_kb: 20}\n"
)]
#[case::list(
    "access:\n  prompts:\n    - user\n  # next\n  tools: []\n",
    "access.prompts",
    "access:\n  # next\n  tools: []\n"
)]
fn unsetting_among_others(#[case] before: &str, #[case] key: &str, #[case] after: &str) {
    assert_eq!(unset_in(before, key), after);
}

#[test]
fn refusals_say_why_and_change_nothing() {
    let refusals = [
        set_in("", "serch.limit", "5"),
        set_in("", "search.limit", "0"),
        set_in("search: [\n", "search.limit", "5"),
        set_in("- a\n", "search.limit", "5"),
        set_in("search: 7\n", "search.limit", "5"),
        set_in("{log: {segment_mb: 3}}\n", "search.limit", "5"),
        set_in("s: &s {limit: 1}\nsearch: *s\n", "search.limit", "5"),
        set_in("access:\n  prompts: &p [user]\n  tools: *p\n", "access.prompts", "[]"),
        unset_in("search:\n  limit: 1\n  limit: 2\n", "search.limit"),
        set_in("access:\n  prompts:\n    - user # me\n    - role:x # them\n", "access.prompts", "[]"),
    ];
    assert_snapshot!(refusals.join("\n"), @r#"
    there is no setting `serch.limit`; the nearest name is `search.limit`
    `search.limit` takes a whole number from 1 to 1000, but this is the number 0; nothing was changed
    ~/.config/ai/config.yaml:1:9: this is not usable as YAML: unclosed bracket '['. The whole file is ignored until that is corrected; nothing was changed
    ~/.config/ai/config.yaml:1:1: settings are sections with keys below them, but this is a list. It is ignored: begin with a section like `log:`; nothing was changed
    ~/.config/ai/config.yaml: `search.limit` cannot be changed there without touching something else, because of how the file is written; nothing was changed: edit the file by hand
    ~/.config/ai/config.yaml: `search.limit` cannot be changed there without touching something else, because of how the file is written; nothing was changed: edit the file by hand
    ~/.config/ai/config.yaml: `search.limit` cannot be changed there without touching something else, because of how the file is written; nothing was changed: edit the file by hand
    ~/.config/ai/config.yaml: `access.prompts` cannot be changed there without touching something else, because of how the file is written; nothing was changed: edit the file by hand
    ~/.config/ai/config.yaml: `search.limit` cannot be changed there without touching something else, because of how the file is written; nothing was changed: edit the file by hand
    ~/.config/ai/config.yaml: `access.prompts` cannot be changed there without touching something else, because of how the file is written; nothing was changed: edit the file by hand
    "#);
}

#[test]
fn a_file_that_is_not_one_is_refused() {
    let home = Home::new();
    fs::create_dir_all(home.user_file()).unwrap();
    let error = set(&home.user_file(), "search.limit", "5").unwrap_err();
    assert_snapshot!(home.abbreviated(&error.to_string()), @"~/.config/ai/config.yaml: this is a directory, not a file, and is not opened: put a regular file in its place or remove it; nothing was changed");
}

#[test]
fn a_place_that_cannot_be_written_is_refused() {
    let home = Home::new();
    write(&home.path("blocked"), "a file");
    let error = set(&home.path("blocked/config.yaml"), "search.limit", "5").unwrap_err();
    assert_snapshot!(home.abbreviated(&error.to_string()), @"~/blocked/config.yaml: it cannot be written: File exists (os error 17); nothing was changed: check the permissions of its directory");
}

#[test]
fn the_same_value_again_writes_nothing() {
    let home = Home::new();
    let file = home.user_file();
    assert_eq!(unset(&file, "search.limit").unwrap(), Change::Nothing);
    assert_eq!(set(&file, "search.limit", "5").unwrap(), Change::Written);
    assert_eq!(set(&file, "search.limit", "5").unwrap(), Change::Nothing);
    assert_snapshot!(fs::read_to_string(&file).unwrap(), @r#"
    # Settings of Custos. `custos config list --show-origin` shows every key, its value and where it comes from.

    search:
      limit: 5
    "#);
    assert_eq!(unset(&file, "search.limit").unwrap(), Change::Written);
    assert_eq!(unset(&file, "search.limit").unwrap(), Change::Nothing);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_and_directories_are_private() {
        let home = Home::new();
        set(&home.user_file(), "search.limit", "5").unwrap();
        assert_eq!((mode(&home.user_file()), mode(&home.places.config)), (0o600, 0o700));
        fs::set_permissions(home.user_file(), fs::Permissions::from_mode(0o644)).unwrap();
        set(&home.user_file(), "search.limit", "6").unwrap();
        assert_eq!(mode(&home.user_file()), 0o600);
        assert_eq!(fs::read_dir(&home.places.config).unwrap().count(), 1);
    }

    #[rstest]
    #[case::absolute(true, true)]
    #[case::relative(false, true)]
    #[case::dangling(false, false)]
    fn a_link_stays_a_link(#[case] absolute: bool, #[case] exists: bool) {
        let home = Home::new();
        let target = home.path("dotfiles/custos.yaml");
        if exists {
            write(&target, "# kept\n");
        }
        fs::create_dir_all(&home.places.config).unwrap();
        let relative = Path::new("../../dotfiles/custos.yaml");
        symlink(if absolute { target.as_path() } else { relative }, home.user_file()).unwrap();
        set(&home.user_file(), "search.limit", "5").unwrap();
        assert!(fs::symlink_metadata(home.user_file()).unwrap().is_symlink());
        assert!(fs::read_to_string(&target).unwrap().ends_with("search:\n  limit: 5\n"));
    }
}

/// A settings file as a person might have it: some sections, comments and blank lines in between.
fn file() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        setting().prop_map(|(key, value)| {
            let (section, name) = key.split_once('.').unwrap();
            format!(
                "{section}: # of {section}\n  # about {name}\n  {name}: {}   # so\n",
                in_yaml(&value.to_string())
            )
        }),
        Just("\n".to_owned()),
        "# [a-z #:'\"]{0,20}\n",
        "zoo[0-9]: [a-z]{1,5}\n",
    ];
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
}

/// Quotes what a bare YAML list could not hold.
fn in_yaml(value: &str) -> String {
    match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        None | Some("") => value.to_owned(),
        Some(entries) => {
            let quoted: Vec<_> = entries.split(", ").map(|entry| format!("'{entry}'")).collect();
            format!("[{}]", quoted.join(", "))
        }
    }
}

proptest! {
    #[test]
    fn after_set_get_gives_the_value_and_the_rest_is_as_it_was(text in file(), (key, value) in setting()) {
        let home = Home::new();
        write(&home.user_file(), &text);
        let before = home.load(&[], &[]);
        set(&home.user_file(), key, &value.to_string()).unwrap();
        let after = home.load(&[], &[]);
        for entry in after.entries() {
            let old = before.get(entry.row.key).unwrap().value;
            prop_assert_eq!(&entry.value, if entry.row.key == key { &value } else { &old });
        }
        // Every line but the changed one is there, in its order.
        let new = fs::read_to_string(home.user_file()).unwrap();
        let name = key.split_once('.').unwrap().1;
        let mut rest = new.lines();
        for line in text.lines().filter(|line| !line.trim().starts_with(&format!("{name}:"))) {
            prop_assert!(rest.any(|other| other == line), "{:?} is gone from {:?}", line, new);
        }
        prop_assert!(new.lines().count() <= text.lines().count() + 3);
    }

    #[test]
    fn unset_is_the_reverse_of_set(text in file(), (key, value) in setting()) {
        let home = Home::new();
        write(&home.user_file(), &text);
        unset(&home.user_file(), key).unwrap();
        let without = home.load(&[], &[]).settings;
        set(&home.user_file(), key, &value.to_string()).unwrap();
        unset(&home.user_file(), key).unwrap();
        prop_assert_eq!(home.load(&[], &[]).settings, without);
    }

    #[test]
    fn no_text_is_damaged(text in "[a-z:\\[\\]{}&*!|>'\"#\\- \n]{0,60}", (key, value) in setting()) {
        let home = Home::new();
        write(&home.user_file(), &text);
        if set(&home.user_file(), key, &value.to_string()).is_err() {
            prop_assert_eq!(fs::read_to_string(home.user_file()).unwrap(), text);
        }
    }
}
