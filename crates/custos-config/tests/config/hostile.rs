//! Files that want to hang, fill or mislead.

use std::fmt::Write as _;
use std::fs;

use custos_config::Settings;
use insta::assert_snapshot;
use rstest::rstest;

use crate::files::{Home, write};

#[test]
fn a_billion_laughs_cost_nothing() {
    let mut bomb = String::from("l0: &l0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n");
    for level in 1..10 {
        let below = vec![format!("*l{}", level - 1); 9].join(", ");
        let _ = writeln!(bomb, "l{level}: &l{level} [{below}]");
    }
    bomb.push_str("access:\n  prompts: *l9\n");
    let problems = Home::problems_of(bomb);
    assert_snapshot!(problems.lines().last().unwrap(), @r#"~/.config/ai/config.yaml:12:12: `access.prompts` takes a list of "*", user, client:NAME, role:NAME or agent:ID ([] is nobody), but this is a list that contains a list. The value is ignored: correct it, or remove it to keep what applies without it"#);
}

#[test]
fn nesting_by_aliases_has_an_end() {
    let mut chain = String::from("a0: &a0 [x]\n");
    for level in 1..5000 {
        let _ = writeln!(chain, "a{level}: &a{level} [*a{}]", level - 1);
    }
    assert_snapshot!(Home::problems_of(chain), @"~/.config/ai/config.yaml:16:12: this is not usable as YAML: it is nested deeper than 16. The whole file is ignored until that is corrected");
}

#[rstest]
#[case::brackets("[", 900_000)]
#[case::braces("{a: ", 250_000)]
#[case::dashes("- ", 500_000)]
#[case::questions("? ", 500_000)]
#[case::anchors("&a [", 250_000)]
#[case::quotes("'", 900_001)]
#[case::stars("*a ", 300_000)]
#[case::bangs("!", 900_000)]
fn repetition_is_refused(#[case] piece: &str, #[case] times: usize) {
    let home = Home::new();
    write(&home.user_file(), piece.repeat(times));
    let loaded = home.load(&[], &[]);
    assert_eq!((loaded.settings, loaded.problems.len()), (Settings::default(), 1));
}

#[test]
fn deep_nesting_says_where_it_is_too_deep() {
    let million = Home::problems_of("[".repeat(1_000_000));
    let mut block = String::new();
    for depth in 0..1000 {
        let _ = writeln!(block, "{:depth$}a:", "");
    }
    assert_snapshot!([million, Home::problems_of(block)].join("\n"), @r#"
    ~/.config/ai/config.yaml:1:17: this is not usable as YAML: it is nested deeper than 16. The whole file is ignored until that is corrected
    ~/.config/ai/config.yaml:17:17: this is not usable as YAML: it is nested deeper than 16. The whole file is ignored until that is corrected
    "#);
}

#[test]
fn many_parts_and_many_problems_are_cut() {
    let mut many = String::new();
    for number in 0..60_000 {
        let _ = writeln!(many, "k{number}: 1");
    }
    assert_snapshot!(Home::problems_of(&many), @"~/.config/ai/config.yaml:9999:8: this is not usable as YAML: it has more than 20000 parts. The whole file is ignored until that is corrected");
    let few: String = many.lines().take(300).flat_map(|line| [line, "\n"]).collect();
    let problems = Home::problems_of(few);
    assert_eq!(problems.lines().count(), 51);
    assert_snapshot!(problems.lines().last().unwrap(), @"~/.config/ai/config.yaml:50:1: more than 50 problems. The rest of the file is ignored: correct the first ones and look again");
}

#[test]
fn a_large_file_is_not_read() {
    assert_snapshot!(Home::problems_of(vec![b'#'; 1024 * 1024 + 1]), @"~/.config/ai/config.yaml: this is larger than 1048576 bytes: shorten it or remove it. The whole file is ignored");
    assert_eq!(Home::problems_of(vec![b'#'; 1024 * 1024]), "");
}

#[test]
fn text_that_is_not_utf8_is_told_with_its_line() {
    assert_snapshot!(Home::problems_of(b"search:\n  limit: \xff\n"), @"~/.config/ai/config.yaml: line 2 is not valid UTF-8: save the file as UTF-8. The whole file is ignored");
}

#[test]
fn a_zero_byte_is_a_problem() {
    assert_snapshot!(Home::problems_of(b"search:\n  li\0mit: 3\n"), @r#"~/.config/ai/config.yaml:2:5: this is not usable as YAML: unexpected character: `\u{0}'. The whole file is ignored until that is corrected"#);
}

#[test]
fn a_directory_in_its_place_is_a_problem() {
    let home = Home::new();
    fs::create_dir_all(home.user_file()).unwrap();
    assert_snapshot!(home.problems(), @"~/.config/ai/config.yaml: this is a directory, not a file, and is not opened: put a regular file in its place or remove it. The whole file is ignored");
}

#[test]
fn a_file_in_place_of_the_directory_is_no_settings_file() {
    let home = Home::new();
    write(&home.path("repo/.ai"), "not a directory");
    assert_eq!(home.problems(), "");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::process::Command;

    use super::*;

    #[test]
    fn a_fifo_is_not_opened() {
        let home = Home::new();
        fs::create_dir_all(&home.places.config).unwrap();
        assert!(Command::new("mkfifo").arg(home.user_file()).status().unwrap().success());
        assert_snapshot!(home.problems(), @"~/.config/ai/config.yaml: this is a FIFO, not a file, and is not opened: put a regular file in its place or remove it. The whole file is ignored");
    }

    #[test]
    fn a_device_is_not_opened() {
        let home = Home::new();
        fs::create_dir_all(&home.places.config).unwrap();
        symlink("/dev/zero", home.user_file()).unwrap();
        assert_snapshot!(home.problems(), @"~/.config/ai/config.yaml: this is a device, not a file, and is not opened: put a regular file in its place or remove it. The whole file is ignored");
    }

    #[test]
    fn an_unreadable_file_is_a_problem() {
        let home = Home::new();
        write(&home.user_file(), "search:\n  limit: 3\n");
        fs::set_permissions(home.user_file(), fs::Permissions::from_mode(0o000)).unwrap();
        // For root nothing is unreadable.
        if fs::File::open(home.user_file()).is_err() {
            assert_snapshot!(home.problems(), @"~/.config/ai/config.yaml: it cannot be read: Permission denied (os error 13); check its permissions. The whole file is ignored");
        }
    }

    #[test]
    fn links_that_go_in_circles_are_a_problem() {
        let home = Home::new();
        fs::create_dir_all(&home.places.config).unwrap();
        symlink(home.user_file(), home.user_file()).unwrap();
        assert_eq!(home.load(&[], &[]).problems.len(), 1);
    }

    #[test]
    fn the_user_may_link_and_a_clone_may_not() {
        let home = Home::new();
        let elsewhere = home.path("elsewhere/config.yaml");
        write(&elsewhere, "search:\n  limit: 3\n");
        fs::create_dir_all(&home.places.config).unwrap();
        symlink(&elsewhere, home.user_file()).unwrap();
        assert_eq!((home.problems(), home.load(&[], &[]).settings.search.limit), (String::new(), 3));

        write(&elsewhere, "search:\n  limit: 4\n");
        fs::remove_file(home.user_file()).unwrap();
        fs::create_dir_all(home.path("repo")).unwrap();
        fs::create_dir_all(home.path("workspace/.ai")).unwrap();
        symlink(home.path("elsewhere"), home.path("repo/.ai")).unwrap();
        symlink(&elsewhere, home.workspace_file()).unwrap();
        assert_eq!(home.load(&[], &[]).settings, Settings::default());
        assert_snapshot!(home.problems(), @r#"
        ~/workspace/.ai/config.yaml: this is a link, and files that come with a clone are not followed elsewhere: replace it by a regular file or remove it. The whole file is ignored
        ~/repo/.ai/config.yaml: this is a link, and files that come with a clone are not followed elsewhere: replace it by a regular file or remove it. The whole file is ignored
        "#);
    }
}
