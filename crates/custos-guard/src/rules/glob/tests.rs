//! Which paths patterns are about.

use proptest::prelude::*;
use rstest::rstest;

use super::{PathPattern, Place, Target, is_like, overlaps};

const PLACE: Place<'_> = Place { home: Some("/home/user"), root: "/home/user/project" };

fn of_user(text: &str) -> PathPattern {
    PathPattern::new(text, None).unwrap()
}

fn of_repo(text: &str) -> PathPattern {
    PathPattern::new(text, Some("/src/repo")).unwrap()
}

fn matches(pattern: &PathPattern, path: &str) -> bool {
    let target = Target { path, is_glob: path.contains(['*', '?', '[']), folds_case: false };
    pattern.matches(target, PLACE)
}

#[rstest]
#[case("secrets/**", &["/home/user/project/secrets/a", "/home/user/project/secrets/a/b"], &["/home/user/project/secrets", "/home/user/secrets/a", "/home/user/project/x/secrets/a"])]
#[case("secrets", &["/home/user/project/secrets", "/x/secrets/a", "/secrets"], &["/x/secrets2", "/x/mysecrets"])]
#[case("*.pem", &["/a/b.pem", "/home/user/project/x/y.pem", "/a/*.pem", "/a/b.*"], &["/a/b.pem.txt", "/a/*.txt"])]
#[case("/etc/hosts", &["/etc/hosts", "/etc/h*"], &["/home/etc/hosts", "/etc/hostname", "/etc/ho"])]
#[case("~/notes", &["/home/user/notes/a"], &["/home/other/notes", "/home/user/project/notes"])]
#[case("~", &["/home/user", "/home/user/x"], &["/home/user2", "/home"])]
#[case("./config/*.yaml", &["/home/user/project/config/a.yaml"], &["/home/user/project/config/x/a.yaml", "/home/user/project/config/a.yml"])]
#[case("src/**/gen", &["/home/user/project/src/gen", "/home/user/project/src/a/b/gen/x.rs"], &["/home/user/project/src/a/general"])]
#[case("vendor/", &["/home/user/project/vendor", "/a/vendor/x"], &["/a/vendors"])]
#[case("v?.txt", &["/a/v1.txt", "/a/vä.txt", "/a/v[12].txt"], &["/a/v12.txt", "/a/v.txt"])]
#[case("**", &["/a", "/a/b"], &["/"])]
#[case("/", &["/", "/a"], &[])]
fn a_pattern_of_the_user(#[case] text: &str, #[case] about: &[&str], #[case] others: &[&str]) {
    let pattern = of_user(text);
    let wrong: Vec<_> = about
        .iter()
        .filter(|path| !matches(&pattern, path))
        .chain(others.iter().filter(|path| matches(&pattern, path)))
        .collect();
    assert_eq!(wrong, Vec::<&&str>::new());
}

#[test]
fn a_repos_pattern_is_about_the_repo() {
    assert!(matches(&of_repo("vendor/**"), "/src/repo/vendor/x"));
    assert!(matches(&of_repo("*.pem"), "/src/repo/a/b.pem"));
    assert!(!matches(&of_repo("*.pem"), "/home/user/b.pem"));
    assert!(!matches(&of_repo("vendor/**"), "/home/user/project/vendor/x"));
    assert!(!matches(&of_repo("vendor/**"), "/src/repository/vendor/x"));
    assert!(matches(&of_repo("/etc/x"), "/etc/x"));
}

#[rstest]
#[case("secrets/**", "/home/user/project/secrets", true)]
#[case("secrets/prod/key", "/home/user/project/secrets", true)]
#[case("secrets/prod/key", "/home/user/project", true)]
#[case("secrets/prod/key", "/home/user", true)]
#[case("secrets/prod/key", "/home/user/project/other", false)]
#[case("secrets/prod/key", "/home/user/project/secrets/dev", false)]
#[case("packages/*/keys", "/home/user/project/packages/a", true)]
#[case("secrets/**/key", "/home/user/project/secrets", true)]
#[case("*.pem", "/home/user/project/target", false)]
#[case("**/keys/x", "/home/user/project/target", false)]
#[case("/etc/x", "/etc", true)]
#[case("~/.config/x", "/home/user/.config", true)]
fn who_deletes_a_directory_deletes_what_is_below(
    #[case] text: &str,
    #[case] directory: &str,
    #[case] is_below: bool,
) {
    assert_eq!(of_user(text).is_below(Target::exactly(directory), PLACE), is_below);
}

#[test]
fn case_is_folded_where_the_file_system_does() {
    let folded = |path| Target { path, is_glob: false, folds_case: true };
    assert!(of_user("Secrets/**").matches(folded("/HOME/user/project/sECRETS/a"), PLACE));
    assert!(!matches(&of_user("Secrets/**"), "/home/user/project/secrets/a"));
}

#[test]
fn without_a_home_nothing_is_at_home() {
    let place = Place { home: None, root: "/p" };
    assert!(!of_user("~/x").matches(Target::exactly("/x"), place));
}

#[rstest]
#[case("", "the pattern is empty: write a path or a name, like `secrets/**`")]
#[case("./", "the pattern is empty: write a path or a name, like `secrets/**`")]
#[case("!a", "a pattern cannot take back another with `!`: write what is meant, or use `allow`")]
#[case("a/../b", "`..` leads out of where the pattern begins: write the path from `/` or `~/`")]
#[case("~root/x", "`~` stands for your own home only: write `~/…`, or the path from `/`")]
fn what_is_no_pattern_says_why(#[case] text: &str, #[case] why: &str) {
    assert_eq!(PathPattern::new(text, None).unwrap_err().to_string(), why);
}

/// Says slowly and surely whether a name is like a pattern.
fn is_surely_like(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|taken| is_surely_like(rest, &name[taken..])),
        Some((b'?', rest)) => !name.is_empty() && is_surely_like(rest, &name[1..]),
        Some((byte, rest)) => name.first() == Some(byte) && is_surely_like(rest, &name[1..]),
    }
}

proptest! {
    #[test]
    fn names_are_compared_rightly(pattern in "[ab*?]{0,8}", name in "[ab]{0,8}") {
        let target = Target::exactly("");
        let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
        prop_assert_eq!(is_like(pattern, name, target), is_surely_like(pattern, name));
        prop_assert_eq!(overlaps(pattern, name, false), is_surely_like(pattern, name));
    }

    /// Two patterns that mean a name in common overlap, whichever comes first.
    #[test]
    fn patterns_with_a_common_name_overlap(one in "[ab*?]{0,6}", other in "[ab*?]{0,6}", name in "[ab]{0,6}") {
        let (one, other) = (one.as_bytes(), other.as_bytes());
        prop_assert_eq!(overlaps(one, other, false), overlaps(other, one, false));
        if is_surely_like(one, name.as_bytes()) && is_surely_like(other, name.as_bytes()) {
            prop_assert!(overlaps(one, other, false));
        }
    }

    /// What is below a match matches.
    #[test]
    fn a_match_goes_down(pattern in "[ab*/]{1,8}", path in "(/[ab]{1,2}){1,4}", more in "(/[ab]{1,2}){1,2}") {
        if let Ok(pattern) = PathPattern::new(&pattern, None)
            && matches(&pattern, &path)
        {
            let below = format!("{path}{more}");
            prop_assert!(matches(&pattern, &below));
        }
    }
}

#[test]
fn many_stars_cost_no_more_than_the_product() {
    let pattern = of_user(&"**/a*b*c/".repeat(25));
    let path = "/aaaabbbbaaaabbbb".repeat(2000);
    assert!(!matches(&pattern, &path));
}
