//! Calls of the forges.

use rstest::rstest;

use super::{disturbed, missed};

#[rstest]
#[case::merge(
    "forge.merge",
    "
    gh pr merge 5
    gh pr merge 12 --squash --delete-branch
    gh -R acme/app pr merge 5
    gh pr -R acme/app merge 5
    gh pr merge --auto
    gh pr review 5 --approve
    gh pr review -a
    gh api -X PUT repos/acme/app/pulls/5/merge
    gh api repos/acme/app/merges -f base=main -f head=x
    glab mr merge 5
    glab mr approve 5
"
)]
#[case::merge_admin(
    "forge.merge-admin",
    "
    gh pr merge 5 --admin
    gh pr merge --admin --squash 12
    gh pr merge 7 --merge --delete-branch --admin
"
)]
#[case::repo_delete(
    "forge.repo-delete",
    "
    gh repo delete acme/app --yes
    gh repo delete --yes
    gh api -X DELETE repos/acme/app
    gh api -X DELETE /repos/acme/app
    glab repo delete acme/app -y
    glab project delete acme/app
    hub delete acme/app
"
)]
#[case::repo_change(
    "forge.repo-change",
    "
    gh repo archive acme/app -y
    gh repo rename new --yes
    gh repo sync --force
    gh workflow disable ci
    gh api -X PUT repos/acme/app/branches/main/protection --input x.json
    gh api -X PATCH repos/acme/app -f private=false
    gh api repos/acme/app/transfer -f new_owner=x
"
)]
#[case::visibility(
    "forge.visibility",
    "
    gh repo edit --visibility public
    gh repo edit acme/app --visibility=public
"
)]
#[case::publish(
    "forge.publish",
    "
    gh release create v2.0.0 dist/x --notes x
    gh release upload v2 dist/x
    gh release edit v2 --draft=false
    gh gist create notes.md --public
    gh gist create -p notes.md
    gh repo create acme/new --public --source=. --push
"
)]
#[case::delete(
    "forge.delete",
    "
    gh release delete v1 --yes
    gh issue delete 12 --yes
    gh run delete 1
    gh gist delete x
    gh label delete bug
    glab release delete v1 -y
"
)]
#[case::secret(
    "forge.secret",
    "
    gh secret set X --body y
    gh secret set --env-file .env
    gh secret delete X
    gh variable delete X
    gh variable set X --body y
    glab variable set X y
    gh api -X PUT repos/acme/app/actions/secrets/X -f encrypted_value=y
"
)]
#[case::access(
    "forge.access",
    "
    gh ssh-key add x.pub
    gh gpg-key delete X
    gh repo deploy-key add x.pub
    gh api -X PUT repos/acme/app/collaborators/mallory -f permission=admin
    gh api repos/acme/app/keys -f key=x
    gh api user/keys -f key=x
    gh api repos/acme/app/hooks --input x
    glab ssh-key add x.pub
"
)]
#[case::token(
    "forge.token",
    "
    gh auth token
    gh auth status --show-token
    gh auth status -t
    gh auth git-credential get
"
)]
#[case::api(
    "forge.api",
    "
    gh api -XDELETE /repos/acme/app/releases/1
    gh api --method DELETE /repos/acme/app/branches/main/protection
    gh api --method=DELETE repos/acme/app/git/refs/heads/main
    gh api repos/acme/app/git/refs/heads/x -X PATCH -F force=true -f sha=abc
    gh api repos/acme/app/git/refs/heads/main -X PATCH -f sha=abc
    gh api -X delete repos/acme/app/issues/comments/1
    gh api -X PUT repos/acme/app/contents/x -f message=y -f content=z
    gh api -X PUT repos/acme/app/contents/x -f branch=main -f content=z
    gh api graphql -f query='mutation { deleteRef(input: {refId: \"x\"}) { clientMutationId } }'
    gh api graphql -f query='mutation { mergePullRequest(input: {x: 1}) { x } }'
    glab api -X DELETE projects/1/releases/v1
    gh api -X $X repos/acme/app/x
"
)]
fn is_held(#[case] rule: &str, #[case] table: &str) {
    assert_eq!(missed(rule, table), [""; 0], "not held by {rule}");
}

#[test]
fn daily_work_is_silent() {
    const TABLE: &str = "
    gh pr create --title 'merge --admin' --body 'gh repo delete'
    gh pr view 5
    gh pr list
    gh pr checks
    gh pr diff 5
    gh pr checkout 5
    gh pr comment 5 --body 'x'
    gh pr ready 5
    gh pr merge --help
    gh pr merge 5 --disable-auto
    gh pr review 5 --comment -b approve
    gh pr edit 5 --add-label x
    gh pr close 5
    gh issue create --title x --body y
    gh issue list
    gh issue close 5
    gh run list
    gh run view 1 --log-failed
    gh run watch
    gh run rerun 1
    gh workflow run ci
    gh repo view
    gh repo clone a/b
    gh repo fork a/b
    gh repo create x --private
    gh repo edit --description x
    gh release list
    gh release view v1
    gh release create v2 --draft --notes x
    gh release download v1
    gh secret list
    gh variable list
    gh auth status
    gh auth login
    gh gist list
    gh gist create notes.md
    gh label create x
    gh api repos/acme/app
    gh api repos/acme/app/pulls/5/merge
    gh api user --jq .login
    gh api repos/acme/app/collaborators
    gh api repos/acme/app/issues/5/comments -f body='delete it'
    gh api -X POST repos/acme/app/issues -f title=x
    gh api -X PATCH repos/acme/app/issues/5 -f state=closed
    gh api -X PUT repos/acme/app/contents/x -f branch=feat -f content=z
    gh api -X PATCH repos/acme/app/git/refs/heads/feat -f sha=abc
    gh api graphql -f query='query { viewer { login } }'
    gh api graphql -f query='mutation { addComment(input: {body: \"delete(x)\"}) { x } }'
    gh api graphql -f query='query { repository(name: \"x\") { deleteBranchOnMerge } }'
    gh alias list
    gh extension install x/y
    glab mr create
    glab mr list
    glab ci status
    hub pr list
    hub push origin feat
";
    assert_eq!(disturbed(TABLE), []);
}
