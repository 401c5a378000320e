//! Paths: absolute, clean, each once, few.

use proptest::prelude::*;
use rstest::rstest;

use super::super::{Touched, changed_one, read_one};
use super::{expected, touched};

fn one(path: &str, cwd: &str) -> Vec<String> {
    let mut out = Touched::default();
    read_one(path, cwd, Some("/h"), &mut out);
    let mut changed = Touched::default();
    changed_one(path, cwd, Some("/h"), &mut changed);
    assert_eq!((&out.read, &out.changed), (&changed.changed, &changed.read), "both lists have one rule");
    out.read
}

#[rstest]
#[case("a", "/w", "/w/a")]
#[case("/a/b", "/w", "/a/b")]
#[case("/a//b/./c", "/w", "/a/b/c")]
#[case("../a", "/w/x", "/w/a")]
#[case("../../../a", "/w", "/a")]
#[case("a/../../b", "/w/x", "/w/b")]
#[case("a", "/w/", "/w/a")]
#[case("a", "/w/./x/../y//", "/w/y/a")]
#[case("a", "/", "/a")]
#[case("~/a", "/w", "/h/a")]
#[case("x/~/a", "/w", "/w/x/~/a")]
#[case("$route.tsx", "/w", "/w/$route.tsx")]
#[case("app/[id]/*", "/w", "/w/app/[id]/*")]
#[case("a b", "/w", "/w/a b")]
#[case("a\\b", "/w", "/w/a\\b")]
#[case("...", "/w", "/w/...")]
#[case("C:\\src\\..\\a.rs", "/w", "C:\\a.rs")]
#[case("src/a.rs", "C:\\repo", "C:\\repo\\src\\a.rs")]
#[case("..\\a.rs", "C:/repo", "C:/a.rs")]
fn names_become_paths(#[case] name: &str, #[case] cwd: &str, #[case] path: &str) {
    assert_eq!(one(name, cwd), [path]);
}

#[rstest]
#[case("", "/w")]
#[case("-", "/w")]
#[case(".", "/w")]
#[case("a/..", "/w")]
#[case("/", "/w")]
#[case("~bob/a", "/w")]
#[case("a\nb", "/w")]
#[case("a\0", "/w")]
#[case("a\u{85}b", "/w")]
#[case("a", "")]
#[case("a", "relative")]
#[case("a", "/w\u{7}")]
#[case("/dev/null", "/w")]
#[case("/dev/../dev/tty", "/w")]
#[case("null", "/dev")]
#[case("/dev", "/w")]
fn what_is_no_path_is_dropped(#[case] name: &str, #[case] cwd: &str) {
    assert_eq!(one(name, cwd), [""; 0]);
}

#[test]
fn long_paths_are_dropped() {
    assert_eq!(one(&"a".repeat(1024 - 3), "/w"), [format!("/w/{}", "a".repeat(1024 - 3))]);
    assert_eq!(one(&"a".repeat(1024 - 2), "/w"), [""; 0]);
    assert_eq!(one(&"../a/".repeat(1000), "/w"), [""; 0]);
}

#[test]
fn without_a_home_the_tilde_means_nothing() {
    let mut out = Touched::default();
    read_one("~/a", "/w", None, &mut out);
    super::super::by_shell("cat ~/a b; cd && cat c", "/w", None, &mut out);
    assert_eq!(out, expected("b", ""));
}

#[test]
fn lists_are_short_and_keep_what_came_first() {
    let names: Vec<String> = (0..100).map(|number| format!("f{number}")).collect();
    let command = format!("cat {0}; rm {0}", names.join(" "));
    let first = names[..64].join(",");
    assert_eq!(touched(&command), expected(&first, &first));
}

#[test]
fn what_was_told_before_stays() {
    let mut out = expected("a", "b");
    super::super::by_shell("cat b a; rm a b", "/w", None, &mut out);
    assert_eq!(out, expected("a,b", "b,a"));
}

proptest! {
    #[test]
    fn normalising_twice_changes_nothing(name in "([a-c.~/\\\\:C -]|\\.\\.|\\./){0,30}", cwd in "(/|C:\\\\|)[a-c./\\\\]{0,20}") {
        for path in one_of_either(&name, &cwd) {
            prop_assert!(!path.split('/').any(|part| part == "." || part == ".."));
            prop_assert_eq!(one_of_either(&path, "/elsewhere"), [path]);
        }
    }
}

/// Returns the path if it is told; a name with a slash at its end is told only as changed.
fn one_of_either(name: &str, cwd: &str) -> Vec<String> {
    let mut out = Touched::default();
    changed_one(name, cwd, Some("/h"), &mut out);
    out.changed
}
