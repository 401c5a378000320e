//! What a call does beyond itself.

use rstest::rstest;

use super::rules_of;
use crate::git::Nested;

#[rstest]
#[case("git -c alias.x='!evil a' x b", &["evil a 'b'"])]
#[case("git config alias.x '!evil'", &["evil"])]
#[case("git config alias.x '!evil' && git x", &["evil", "evil"])]
#[case("git -c core.pager='evil x' log", &["evil x"])]
#[case("git -c core.editor=evil commit", &["evil"])]
#[case("git -c credential.helper='!evil' fetch", &["evil"])]
#[case("git -c diff.external=evil diff", &["evil"])]
#[case("git -c core.sshCommand='evil x' fetch", &["evil x"])]
#[case("git config filter.x.clean evil", &["evil"])]
#[case("GIT_EDITOR=evil git commit", &["evil"])]
#[case("GIT_SEQUENCE_EDITOR='sed -i x' git rebase -i main", &["sed -i x"])]
#[case("GIT_PAGER=evil git log", &["evil"])]
#[case("GIT_EXTERNAL_DIFF=evil git diff", &["evil"])]
#[case("GIT_SSH_COMMAND=evil git fetch", &["evil"])]
#[case("git rebase --exec 'evil x' main", &["evil x"])]
#[case("git rebase -x evil -x more main", &["evil", "more"])]
#[case("git rebase --exe=evil main", &["evil"])]
#[case("git submodule foreach 'evil x'", &["evil x"])]
#[case("git submodule --quiet foreach --recursive 'evil x'", &["evil x"])]
#[case("git filter-branch --tree-filter 'evil x' HEAD", &["evil x"])]
#[case("git difftool -x evil", &["evil"])]
#[case("git difftool --extcmd=evil", &["evil"])]
#[case("git grep -Oevil x", &["evil"])]
#[case("git grep --open-files-in-pager=evil x", &["evil"])]
#[case("git fetch --upload-pack evil origin", &["evil"])]
#[case("git clone -u evil x", &["evil"])]
#[case("git ls-remote --upload-pack=evil x", &["evil"])]
#[case("git push --receive-pack=evil origin feat", &["evil"])]
#[case("git push --exec evil -n origin feat", &["evil"])]
#[case("git clone 'ext::evil x'", &["evil x"])]
#[case("gh alias set x '!evil'", &["evil"])]
#[case("gh alias set --shell x 'evil'", &["evil"])]
#[case("gh alias set m 'pr merge --admin'", &["gh pr merge --admin"])]
#[case("gh config set pager evil", &["evil"])]
#[case("PAGER=evil gh pr list", &["evil"])]
#[case("git -c alias.x='!evil' status", &[])]
#[case("git status", &[])]
fn scripts_are_handed_back(#[case] line: &str, #[case] expected: &[&str]) {
    let expected: Vec<_> = expected.iter().map(|text| Nested::script(*text)).collect();
    assert_eq!(rules_of(line).1, expected);
}

#[rstest]
#[case("git bisect run evil --x", Nested::Argv(vec!["evil".into(), "--x".into()]))]
#[case("git submodule foreach evil x", Nested::Argv(vec!["evil".into(), "x".into()]))]
#[case("git for-each-repo --config=a.b reset --hard", Nested::Argv(vec!["git".into(), "reset".into(), "--hard".into()]))]
#[case("git add -f .env", Nested::reads(".env"))]
#[case("git show HEAD:.env", Nested::reads(".env"))]
#[case("git cat-file -p HEAD~2:.env", Nested::reads(".env"))]
#[case("git blame .env", Nested::reads(".env"))]
#[case("git log -p -- .env", Nested::reads(".env"))]
#[case("git grep --no-index KEY -- .env", Nested::reads(".env"))]
#[case("git checkout HEAD~3 -- a", Nested::writes("a"))]
#[case("git restore a", Nested::writes("a"))]
#[case("git rm -q a", Nested::writes("a"))]
#[case("git format-patch -1 -o x", Nested::writes("x"))]
#[case("git diff --output=x", Nested::writes("x"))]
#[case("git archive -o x.tar HEAD", Nested::writes("x.tar"))]
#[case("git config -f x user.name y", Nested::writes("x"))]
#[case("gh gist create .env", Nested::reads(".env"))]
#[case("gh secret set -f .env", Nested::reads(".env"))]
fn programs_and_files_are_handed_back(#[case] line: &str, #[case] expected: Nested) {
    assert_eq!(rules_of(line).1, [expected]);
}
