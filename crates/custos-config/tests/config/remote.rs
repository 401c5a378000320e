//! One name for all addresses of a repo, and no secret in it.

use custos_config::remote_identity;
use proptest::prelude::*;
use rstest::rstest;

#[rstest]
#[case("https://github.com/owner/name")]
#[case("https://github.com/owner/name.git")]
#[case("https://github.com/owner/name.git/")]
#[case("https://GitHub.com/owner//name/")]
#[case("https://user@github.com/owner/name.git")]
#[case("https://user:token@github.com/owner/name.git")]
#[case("https://user:p@ss@github.com:443/owner/name.git")]
#[case("https://github.com/owner/name.git?private_token=secret")]
#[case("http://github.com:80/owner/name")]
#[case("git://github.com/owner/name.git")]
#[case("git://github.com:9418/owner/name.git")]
#[case("ssh://git@github.com/owner/name.git")]
#[case("ssh://git@github.com:22/owner/name.git")]
#[case("ssh://git@github.com:2222/owner/name.git")]
#[case("git+ssh://git@github.com/owner/name.git")]
#[case("SSH://git@github.com/owner/name.git")]
#[case("git@github.com:owner/name.git")]
#[case("git@github.com:/owner/name.git")]
#[case("github.com:owner/name")]
#[case("  git@github.com:owner/name.git\n")]
fn forms_of_one_repo_agree(#[case] url: &str) {
    assert_eq!(remote_identity(url).as_deref(), Some("github.com/owner/name"));
}

#[rstest]
#[case("https://git.example:8443/a/b.git", "git.example:8443/a/b")]
#[case("https://gitlab.com/group/sub/name.git", "gitlab.com/group/sub/name")]
#[case("git@[::1]:a/b.git", "::1/a/b")]
#[case("ssh://git@[2001:DB8::1]:22/a/b", "2001:db8::1/a/b")]
#[case("https://host/Owner/Name", "host/Owner/Name")]
#[case("me@host:~me/name.git", "host/~me/name")]
fn other_repos(#[case] url: &str, #[case] name: &str) {
    assert_eq!(remote_identity(url).as_deref(), Some(name));
}

#[rstest]
#[case::empty("")]
#[case::path("/srv/git/name.git")]
#[case::relative_path("../name.git")]
#[case::path_with_colon("./a:b/c")]
#[case::drive("C:\\git\\name")]
#[case::drive_with_slashes("C:/git/name")]
#[case::file("file:///srv/git/name.git")]
#[case::command("ext::sh -c whoami")]
#[case::helper("codecommit::eu://name")]
#[case::no_path("https://github.com")]
#[case::no_name("https://github.com/")]
#[case::only_git("https://github.com/.git")]
#[case::goes_up("https://github.com/owner/../name")]
#[case::slash_in_password("https://user:12/34@github.com/owner/name")]
#[case::slash_and_query_in_password("https://user:1/2?3@github.com/owner/name")]
#[case::query_in_password("https://user:pa?s/s@github.com/owner/name")]
#[case::control("https://github.com/own\u{1b}er/name")]
#[case::space("https://github.com/own er/name")]
#[case::odd_host("https://exa$mple/owner/name")]
fn what_is_not_clearly_a_remote_has_no_name(#[case] url: &str) {
    assert_eq!(remote_identity(url), None);
}

proptest! {
    #[test]
    fn credentials_never_come_through(
        user in "[a-z]{1,5}",
        password in "SECRET[A-Za-z0-9:/?#@%.!]{0,12}",
        scheme in "https|http|ssh|git",
    ) {
        let name = remote_identity(&format!("{scheme}://{user}:{password}@github.com/owner/name.git"));
        prop_assert!(name.as_deref().is_none_or(|name| !name.contains("SECRET")), "{:?}", name);
    }

    #[test]
    fn no_address_breaks_it(url in "\\PC{0,80}") {
        let name = remote_identity(&url);
        prop_assert!(name.is_none_or(|name| name.contains('/') && !name.chars().any(char::is_control)));
    }
}
