//! What configuration files, standard input and the place of a call change.

use rstest::rstest;

use super::{Disk, calls, judged};
use crate::git::Nested;
use crate::invocation::{Elsewhere, Stream};

const CONFIG: &str = "
[alias]
    yolo = push --force
    cleanall = \"!git clean -fdx\"
[push]
    default = upstream
[branch \"feat\"]
    remote = origin
    merge = refs/heads/main
";

#[rstest]
#[case("/home/user/.gitconfig", "git yolo origin x", "git.force-push")]
#[case("/home/user/.config/git/config", "git yolo origin x", "git.force-push")]
#[case("/home/user/project/.git/config", "git YOLO origin x", "git.force-push")]
#[case("/home/user/project/.git/config", "git push", "git.push-protected")]
#[case("/home/user/project/.git/config", "git push origin", "git.push-protected")]
fn configuration_files_count(#[case] path: &'static str, #[case] line: &str, #[case] rule: &str) {
    let disk = Disk { branch: Some("feat"), texts: Box::leak(Box::new([(path, CONFIG)])) };
    let (findings, _) = judged(&calls(line), &disk);
    assert_eq!(findings.iter().map(|finding| finding.rule.as_ref()).collect::<Vec<_>>(), [rule]);
}

#[test]
fn a_shell_alias_from_a_file_is_handed_back() {
    let disk = Disk { branch: Some("feat"), texts: &[("/home/user/.gitconfig", CONFIG)] };
    assert_eq!(
        judged(&calls("git cleanall src"), &disk),
        (vec![], vec![Nested::script("git clean -fdx 'src'")])
    );
}

#[test]
fn a_worktree_finds_the_settings_of_its_repo() {
    let disk = Disk {
        branch: Some("feat"),
        texts: &[
            ("/home/user/project/.git", "gitdir: /home/user/big/.git/worktrees/project\n"),
            ("/home/user/big/.git/config", CONFIG),
        ],
    };
    assert_eq!(judged(&calls("git yolo origin x"), &disk).0.len(), 1);
}

#[rstest]
#[case("git branch -D", 1)]
#[case("git push origin --delete", 1)]
#[case("git", 1)]
#[case("git add", 0)]
#[case("git branch -d", 0)]
#[case("git push origin", 0)]
#[case("git checkout --", 0)]
fn arguments_that_come_later(#[case] line: &str, #[case] findings: usize) {
    let mut call = calls(line).remove(0);
    call.open_ended = true;
    assert_eq!(judged(&[call], &Disk { branch: Some("main"), ..Disk::default() }).0.len(), findings);
}

#[rstest]
#[case("delete refs/heads/main\n", &["git.branch-delete-protected"])]
#[case("update refs/heads/main abc\n", &["git.branch-move-protected"])]
#[case("delete refs/heads/x\n", &["git.update-ref"])]
#[case("start\nupdate refs/heads/x abc\ncommit\n", &[])]
fn references_from_standard_input(#[case] text: &str, #[case] rules: &[&str]) {
    let mut call = calls("git update-ref --stdin").remove(0);
    call.stdin = Stream::Text(text.to_owned());
    let (findings, _) = judged(&[call], &Disk::default());
    assert_eq!(findings.iter().map(|finding| finding.rule.as_ref()).collect::<Vec<_>>(), rules);
}

#[test]
fn another_machine_has_other_branches() {
    let mut call = calls("git push").remove(0);
    call.elsewhere = Some(Elsewhere::Machine);
    assert_eq!(judged(&[call], &Disk { branch: Some("main"), ..Disk::default() }).0, []);
}
