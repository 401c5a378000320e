//! What the person writes, and what it does to commands and paths.

use rstest::rstest;

use crate::path::Access;
use crate::rules::document;
use crate::rules::entry::Said;
use crate::rules::merge::merge;
use crate::rules::policy::{Level, Policy};
use crate::world::{NoFiles, Own, World};
use crate::{CATALOGUE, Guard, Judgement};

/// The rules that a user's file of this text comes to.
fn policy(yaml: &str) -> Policy {
    let found = document::read(yaml).unwrap();
    let said = Said { level: Level::User, root: None, entries: found.entries };
    let (policy, late) = merge(&[said], CATALOGUE);
    assert_eq!((found.faults, late), (Vec::new(), Vec::new()));
    policy
}

fn judged(yaml: &str, branch: &str, judge: impl FnOnce(Guard<'_>) -> Judgement) -> String {
    let (own, policy) = (Own::default(), policy(yaml));
    let files = NoFiles { branch: Some(branch.to_owned()) };
    let root = "/home/user/project";
    let world = World { home: Some("/home/user"), cwd: root, root, own: &own, files: &files };
    let judgement = judge(Guard { world, policy: &policy });
    judgement.reason().map_or("silence".to_owned(), |finding| {
        format!("{} {}", crate::rules::Setting::from(Some(finding.hold)), finding.rule)
    })
}

const PATHS: &str = "
deny: {paths: [{path: secrets/**, id: my.secrets}]}
ask: {paths: [{path: migrations/**, op: write, id: my.migrations}, {path: notes/**, id: my.notes}]}
read_only: [{path: vendor/**, id: my.vendor}]
allow: {paths: [{path: migrations/draft.sql}, {path: notes/mine}, {path: secrets/open}, ~/.bashrc, ~/scratch/**]}
";

#[rstest]
// A rule of the person holds like a built-in one, in every spelling.
#[case("cat secrets/a.txt", "deny my.secrets")]
#[case("cat ./x/../secrets/a.txt", "deny my.secrets")]
#[case("cat /home/user/project/secrets/a.txt", "deny my.secrets")]
#[case("cd secrets && cat a.txt", "deny my.secrets")]
#[case("echo x > secrets/new", "deny my.secrets")]
#[case("bash -c 'grep -r x secrets/deep'", "deny my.secrets")]
#[case("cat secre*/a.txt", "deny my.secrets")]
#[case("rm -r secrets/deep", "deny my.secrets")]
#[case("rm -r secrets", "deny my.secrets")]
#[case("python3 -c \"open('secrets/a').read()\"", "deny my.secrets")]
#[case("cat src/secrets.rs", "silence")]
#[case("echo secrets/a.txt", "silence")]
#[case("cat vendor/a.c", "silence")]
#[case("sed -i s/a/b/ vendor/a.c", "deny my.vendor")]
#[case("rm vendor/a.c", "deny my.vendor")]
#[case("cp a.c vendor/", "deny my.vendor")]
#[case("cp *.c vendor", "deny my.vendor")]
#[case("mv a.c vendor", "deny my.vendor")]
#[case("cp vendor/a.c .", "silence")]
#[case("cat migrations/1.sql", "silence")]
#[case("echo x > migrations/1.sql", "ask my.migrations")]
// What is allowed is not asked about …
#[case("echo x > migrations/draft.sql", "silence")]
#[case("cat notes/mine", "silence")]
#[case("cat notes/yours", "ask my.notes")]
#[case("echo x >> ~/.bashrc", "silence")]
#[case("echo x >> ~/.zshrc", "ask persist.start-file")]
#[case("rm -rf ~/scratch/a", "silence")]
#[case("rm -rf ~/other/a", "ask files.delete-outside")]
// … unless it is not known what it is, or is denied.
#[case("rm -rf ~/scratch/*", "ask files.delete-outside")]
#[case("rm -rf ~/scratch/$(cat x)", "ask files.delete-outside")]
#[case("cat secrets/open", "deny my.secrets")]
fn paths_in_commands(#[case] command: &str, #[case] expected: &str) {
    assert_eq!(judged(PATHS, "feat", |guard| guard.command(command)), expected);
}

#[rstest]
#[case("secrets/a.txt", Access::Read, "deny my.secrets")]
#[case("/home/user/project/secrets", Access::Delete, "deny my.secrets")]
#[case("secrets/open", Access::Read, "deny my.secrets")]
#[case("vendor/a.c", Access::Read, "silence")]
#[case("vendor/a.c", Access::Write, "deny my.vendor")]
#[case("migrations/1.sql", Access::Write, "ask my.migrations")]
#[case("migrations/1.sql", Access::Read, "silence")]
#[case("migrations/draft.sql", Access::Write, "silence")]
#[case("/home/user/.bashrc", Access::Write, "silence")]
#[case("/home/user/.zshrc", Access::Write, "ask persist.start-file")]
#[case("src/main.rs", Access::Write, "silence")]
fn paths_of_tools(#[case] path: &str, #[case] access: Access, #[case] expected: &str) {
    assert_eq!(judged(PATHS, "feat", |guard| guard.path(path, access)), expected);
}

const NOTHING: &str = "";
const NO_PUSH: &str = "git: {allow_push: false}";
const NO_LEASE: &str = "git: {allow_force_with_lease: false}";
const DELETE: &str = "git: {allow_branch_delete: true}";
const NO_VERIFY: &str = "git: {allow_no_verify: true}";
const FEATURE: &str = "git: {require_feature_branch: true}";

#[rstest]
#[case(NOTHING, "git push", "silence")]
#[case(NO_PUSH, "git push", "deny git.push-forbidden")]
#[case(NO_PUSH, "git push origin feat", "deny git.push-forbidden")]
#[case(NO_PUSH, "git push --tags", "deny git.push-forbidden")]
#[case(NO_PUSH, "git -C sub push -u origin HEAD", "deny git.push-forbidden")]
#[case(NO_PUSH, "git -c alias.p=push p origin x", "deny git.push-forbidden")]
#[case(NO_PUSH, "git subtree push -P docs origin pages", "deny git.push-forbidden")]
#[case(NO_PUSH, "git lfs push origin feat", "deny git.push-forbidden")]
#[case(NO_PUSH, "git push --dry-run", "silence")]
#[case(NO_PUSH, "git stash push", "silence")]
#[case(NO_PUSH, "git fetch && git pull", "silence")]
#[case(NOTHING, "git push --force-with-lease origin feat", "silence")]
#[case(NO_LEASE, "git push --force-with-lease origin feat", "deny git.force-with-lease")]
#[case(NO_LEASE, "git push --force-with-lease=feat:abc origin feat", "deny git.force-with-lease")]
#[case(NO_LEASE, "git push --force-w", "deny git.force-with-lease")]
#[case(NO_LEASE, "git push origin feat", "silence")]
#[case(NOTHING, "git branch -D old", "ask git.branch-delete")]
#[case(DELETE, "git branch -D old older", "silence")]
#[case(DELETE, "git branch -D old main", "deny git.branch-delete-protected")]
#[case(DELETE, "git branch -D $(cat x)", "ask git.branch-delete")]
#[case(DELETE, "git branch | xargs git branch -D", "ask git.branch-delete")]
#[case(NOTHING, "git push origin --delete old", "ask git.push-delete")]
#[case(DELETE, "git push origin --delete old", "silence")]
#[case(DELETE, "git push origin :old", "silence")]
#[case(DELETE, "git push origin :main", "deny git.push-delete-protected")]
#[case(DELETE, "git push origin :refs/tags/v1", "ask git.push-delete")]
#[case(DELETE, "git push origin --delete $(cat x)", "ask git.push-delete")]
#[case(NOTHING, "git commit --no-verify -m x", "ask git.no-verify")]
#[case(NO_VERIFY, "git commit --no-verify -m x", "silence")]
#[case(NO_VERIFY, "git commit -nm x", "silence")]
#[case(NO_VERIFY, "git push --no-verify origin feat", "silence")]
#[case(NO_VERIFY, "git merge --no-verify x", "silence")]
#[case(NO_VERIFY, "HUSKY=0 git commit -m x", "silence")]
#[case(NO_VERIFY, "git config core.hooksPath /dev/null", "ask git.hooks-path")]
#[case(FEATURE, "git commit -m x", "silence")]
fn switches_of_git(#[case] yaml: &str, #[case] command: &str, #[case] expected: &str) {
    assert_eq!(judged(yaml, "feat", |guard| guard.command(command)), expected);
}

#[rstest]
#[case(NOTHING, "git commit -m x", "silence")]
#[case(FEATURE, "git commit -m x", "deny git.commit-protected")]
#[case(FEATURE, "git commit --amend", "deny git.commit-protected")]
#[case(FEATURE, "git cherry-pick abc", "deny git.commit-protected")]
#[case(FEATURE, "git revert HEAD", "deny git.commit-protected")]
#[case(FEATURE, "git am x.patch", "deny git.commit-protected")]
#[case(FEATURE, "git cherry-pick --abort", "silence")]
#[case(FEATURE, "git revert -n HEAD", "silence")]
#[case(FEATURE, "git commit --dry-run", "silence")]
#[case(FEATURE, "git switch -c feat && git commit -m x", "silence")]
#[case(FEATURE, "git pull && git merge --ff-only origin/main", "silence")]
#[case(
    "rules: {git.commit-protected: ask}\ngit: {require_feature_branch: true}",
    "git commit",
    "ask git.commit-protected"
)]
fn switches_of_git_on_main(#[case] yaml: &str, #[case] command: &str, #[case] expected: &str) {
    assert_eq!(judged(yaml, "main", |guard| guard.command(command)), expected);
}

#[rstest]
#[case("make x", true, true)]
#[case("make -j x", true, false)]
#[case("make ** last", true, false)]
#[case("make other", false, false)]
fn of_a_very_long_call_the_beginning_is_compared(
    #[case] pattern: &str,
    #[case] held: bool,
    #[case] done: bool,
) {
    let pattern = crate::rules::CommandPattern::new(pattern).unwrap();
    let call = |words: usize| {
        crate::Invocation::of(["make", "x"].into_iter().chain(std::iter::repeat_n("y", words)))
    };
    // Options and words that are not among the first may be among the rest.
    assert_eq!((pattern.holds(&call(600)), pattern.holds(&call(100))), (held, done));
    assert!(!crate::rules::CommandPattern::new("make **").unwrap().allows(&call(600)));
    assert!(crate::rules::CommandPattern::new("make **").unwrap().allows(&call(100)));
}
