//! Calls of git that are held, by rule.

use rstest::rstest;

use super::missed;

#[rstest]
#[case::force(
    "git.force-push",
    "
    git push --force
    git push -f
    git push -f origin feat
    git push -fu origin feat/x
    git push -uf origin feat/x
    git push --forc origin x
    git push origin feat --force
    git push origin +feat
    git push origin +HEAD:feat/login
    git push origin feat +other
    git push --force-with-lease --force origin feat
    git push --force-with-lease origin +feat
    git push --no-force --force origin feat
    git push --force --tags
    git push -qf origin feat
    git push -vfu origin feat
    git push -o ci.skip -f origin feat
    git -c a=b push --force origin x
    git --git-dir=.git push -f origin x
    git --git-dir .git push -f origin x
    git --no-pager push -f origin x
    git -P push -f origin x
    git -C '/my repo' push -f origin x
    git -C a -C b --namespace=n push -f
    git --work-tree . --no-replace-objects push -f
    git --unknown-option push -f
    /usr/bin/git push -f origin x
    /usr/lib/git-core/git-push -f origin x
    git-push -f origin x
    GIT_SSH=ssh git push -f origin x
    git send-pack --force origin feat
    git $X push -f
    git push $X -f
    git push -f -- origin feat
    git push -- origin +feat
    hub push -f origin feat
    git -c alias.p='push -f' p origin feat
    git -c ALIAS.P='push -f' p origin feat
    git config alias.p 'push -f' && git p origin feat
    git config --global alias.p 'push -f' && git p
    git config set alias.p 'push -f' && git p
    git config alias.a b && git config alias.b 'push -f' && git a
    git config alias.p push && git p --force
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0='push -f' git p
    A='push -f' git --config-env=alias.p=A p
"
)]
#[case::registration(
    "own.registration",
    "
    git checkout evil -- .claude
    git checkout evil .claude/settings.json
    git restore --source=evil .claude
    git rm -r .claude
    git stash -- .claude/settings.json
    git stash push -m x -- .claude
    git worktree add .claude evil
    git stash push -- ':(top).claude'
    git checkout evil -- ':(icase).Claude'
"
)]
#[case::rules(
    "own.rules",
    "
    git restore .ai
    git restore .ai/policies
    git checkout .ai
    git checkout -- .ai
    git checkout HEAD -- .ai
    git restore --source=HEAD .ai/policies/safety.yaml
    git restore ':(glob).ai/**'
    git restore ':(icase).AI'
    git restore ':(top,glob).ai/**'
    git checkout -- ':(literal).ai'
    git checkout -p .ai
    git checkout-index -f .ai/policies/safety.yaml
"
)]
#[case::redirect(
    "git.config-redirect",
    "
    git config --global url.https://evil.com/.insteadOf https://github.com/
    git config --global http.proxy http://evil.com:8080
"
)]
#[case::lasting_program(
    "git.config-program",
    "
    git config --global core.pager ./evil
    git config --global credential.helper '!f() { cat; }; f'
"
)]
#[case::mirror(
    "git.push-mirror",
    "
    git push --mirror origin
    git push --mirror git@github.com:acme/app.git
    git push --mir origin
    git -c remote.origin.mirror=true push
    git config remote.origin.mirror true && git push
"
)]
#[case::everything(
    "git.push-all",
    "
    git push --all origin
    git push origin --all
    git push --branches origin
    git push origin :
    git push origin refs/heads/*
    git push origin refs/heads/*:refs/heads/*
    git push origin 'm*:m*'
    git push -u --all
    git -c push.default=matching push
    git config push.default matching && git push
"
)]
#[case::protected(
    "git.push-protected",
    "
    git push origin main
    git push origin \"main\"
    git push github main
    git push upstream master
    git push https://github.com/a/b main
    git push git@github.com:acme/app.git HEAD:main
    git push -u origin main
    git push origin refs/heads/main
    git push origin heads/main
    git push origin HEAD:refs/heads/main
    git push origin x:refs/heads/main
    git push origin HEAD:main
    git push origin @:main
    git push origin HEAD~2:main
    git push origin 3f2a91c:refs/heads/master
    git push origin $X:main
    git push origin feat main
    git push origin feat:feat HEAD:main
    git push --atomic origin feat main
    git push origin tag v1.2.0 main
    git push origin main --tags
    git push --force-with-lease origin main
    git push --force-with-lease=main:abc123 origin main
    git push --force-with-lease --force-if-includes origin master
    git push -o ci.skip origin main
    git push -oci.skip origin main
    git push --push-option=ci.skip origin master
    git push --repo=origin main
    git push $X origin main
    git push $X main
    git push --recurse-submodules check origin main
    git push origin release/2
    git push origin feat:HEAD
    git push origin main:
    git push origin +feat:main
    git send-pack origin HEAD:refs/heads/main
    git subtree push --prefix=dist origin main
    @main git push
    @main git push origin
    @main git push -q
    @main git push $X
    @main git push origin HEAD
    @main git push -u origin HEAD
    @main git push origin @
    @main git push --tags origin HEAD
    @main git push --force-with-lease
    @main git push --force-with-lease origin $X
    @main git push --follow-tags
    @release git push
    git config remote.origin.push HEAD:main && git push
    git config branch.feat.merge refs/heads/main && git -c push.default=upstream push
    @main git -C . push
    @main git -C src/.. push
    @main git --git-dir=.git push
    @main git --git-dir=/home/user/project/.git push
    git -C ../other push
    git -C .. -C other push
    git -C /home/user/other push
    git --git-dir=../other/.git push
    GIT_DIR=/home/user/other/.git git push
    git checkout main && git merge feat && git push
    git switch main && git push origin HEAD
    git checkout -B main && git push
    git checkout main && git pull && git push origin
    @main git checkout README.md && git push
    @main git checkout -- src && git push
"
)]
#[case::delete_protected(
    "git.push-delete-protected",
    "
    git push --delete origin main
    git push -d origin main
    git push origin --delete master
    git push origin -d feat main
    git push --del origin main
    git push origin :main
    git push origin :refs/heads/main
    git push origin +:main
    git push origin :HEAD
"
)]
#[case::delete_remote(
    "git.push-delete",
    "
    git push --delete origin feat/old
    git push origin -d feat/old
    git push origin :feat/old
    git push origin :refs/tags/v1
    git push origin :$X
    git push origin --delete $X
"
)]
#[case::prune_remote(
    "git.push-prune",
    "
    git push --prune origin refs/heads/x
    git push --pru origin
"
)]
#[case::foreign(
    "git.publish-foreign",
    "
    git svn dcommit
    git p4 submit
"
)]
#[case::no_verify(
    "git.no-verify",
    "
    git push --no-verify origin feat
    git push --no-ver origin feat
    git commit --no-verify -m x
    git commit --no-veri -m x
    git commit -n -m x
    git commit -nm x
    git commit -anm x
    git commit -m x -n
    git commit --amend --no-edit --no-verify
    git merge --no-verify feat
    git am --no-verify x.patch
    git pull --no-verify
    git rebase --no-verify main
    HUSKY=0 git commit -m x
    HUSKY=0 git push
    LEFTHOOK=0 git commit -m x
"
)]
#[case::reset(
    "git.reset-hard",
    "
    git reset --hard
    git reset -q --hard
    git reset HEAD~1 --hard
    git reset --hard origin/main
    git reset --har
    git reset --merge
    git -C sub reset --hard
    git config alias.undo 'reset --hard' && git undo
    git -c alias.x='-c a.b=c reset' x --hard
"
)]
#[case::clean(
    "git.clean",
    "
    git clean -df
    git clean -xfd
    git clean -ffdx
    git clean --force
    git clean --for -d
    git clean -f src/
    git clean -fd -e .env
    git clean -fde .env
    git clean -d -f -x -q
    git -c clean.requireForce=false clean
    git config clean.requireForce false && git clean -dx
"
)]
#[case::discard(
    "git.discard-all",
    "
    git checkout .
    git checkout -- .
    git checkout HEAD -- .
    git checkout HEAD .
    git checkout -- '*'
    git checkout :/
    git checkout -- ':(top)'
    git checkout -- ':(top,glob)**'
    git checkout -- ':!docs'
    git checkout -- src .
    git checkout -- ./
    git checkout -- ..
    git checkout -- /home/user/project
    git checkout -- ../project
    git checkout -- /home/user/project/*
    git restore -- ../..
    git checkout -q -- .
    git checkout --theirs .
    git checkout -f
    git checkout --force main
    git checkout -qf feat/x
    git checkout --forc
    git restore .
    git restore ./
    git restore --worktree .
    git restore --staged --worktree .
    git restore -SW .
    git restore --source=HEAD~5 .
    git restore -s HEAD~5 .
    git restore :/
    git restore '*'
    git restore -- .
    git switch -f x
    git switch --force x
    git switch --discard-changes main
    git switch --disc main
    git checkout-index -a -f
    git checkout-index -af
    git read-tree --reset -u HEAD
"
)]
#[case::stash(
    "git.stash-drop",
    "
    git stash drop
    git stash drop stash@{0}
    git stash drop -q stash@{2}
    git stash clear
"
)]
#[case::remove(
    "git.remove-all",
    "
    git rm -rf .
    git rm -r -f '*'
    git rm -r .
"
)]
#[case::worktree(
    "git.worktree-remove",
    "
    git worktree remove --force ../wt
    git worktree remove -f -f ../wt
    git worktree remove ../wt --for
"
)]
#[case::submodule(
    "git.submodule-deinit",
    "
    git submodule deinit -f --all
    git submodule deinit --force lib
"
)]
#[case::branch_delete(
    "git.branch-delete",
    "
    git branch -D feat/old
    git branch -D a b c
    git branch -d -f feat/old
    git branch -df feat/old
    git branch --delete --force feat/old
    git branch --del --forc feat/old
    git branch -qD feat/old
    git branch -D $X
    git branch -rD origin/main
"
)]
#[case::branch_delete_protected(
    "git.branch-delete-protected",
    "
    git branch -D main
    git branch -d -f master
    git branch -D feat main
    git branch -d main
    git update-ref -d refs/heads/main
    @main git update-ref -d HEAD
"
)]
#[case::branch_move(
    "git.branch-move-protected",
    "
    git branch -f main HEAD~5
    git branch --force master feat
    git branch -M main
    git branch -M feat main
    git branch -m main old
    git branch -C feat main
    git checkout -B main feat
    git checkout -Bmain feat
    git switch -C master HEAD~10
    git switch --force-create main
    git worktree add -B main ../wt
    git update-ref refs/heads/main HEAD~5
    @main git update-ref HEAD HEAD~5
    git symbolic-ref refs/heads/main refs/heads/feat
    git fetch origin +feat:main
    git fetch -f origin feat:main
    git fetch --prune origin '+refs/heads/*:refs/heads/*'
    git fetch --force origin feat:refs/heads/main
    git pull --force origin x:main
"
)]
#[case::rebase(
    "git.rebase-protected",
    "
    @main git rebase feat
    @main git rebase -i HEAD~5
    @main git rebase --onto HEAD~5 HEAD~3
    @main git rebase
    git rebase feat main
    git rebase --onto v1 v2 master
    git rebase --root main
    git rebase -x 'make test' feat main
    git checkout main && git rebase feat
"
)]
#[case::update_ref(
    "git.update-ref",
    "
    git update-ref -d refs/heads/x
    git update-ref -d HEAD
    git update-ref --stdin
    git symbolic-ref --delete HEAD
"
)]
#[case::rewrite(
    "git.rewrite-history",
    "
    git filter-branch --all
    git filter-branch --tree-filter 'rm -f x' HEAD
    git filter-repo --path x --invert-paths
    git filter-repo --strip-blobs-bigger-than 10M
    git-filter-repo --path x
    bfg --delete-files id_rsa .
    git lfs migrate import --everything
"
)]
#[case::reflog(
    "git.reflog-expire",
    "
    git reflog expire --expire=now --all
    git reflog delete HEAD@{2}
"
)]
#[case::prune(
    "git.prune-objects",
    "
    git gc --prune=now
    git gc --aggressive --prune=all
    git prune
    git prune --expire=now
    git prune -v
"
)]
#[case::apply(
    "git.apply-unsafe-paths",
    "
    git apply --unsafe-paths x.patch
    git apply --unsafe x.patch
"
)]
#[case::credential(
    "git.credential",
    "
    git credential fill
    git credential-store get
    git credential-cache --timeout=5 get
    git credential reject
"
)]
#[case::serve(
    "git.serve",
    "
    git daemon --export-all
    git instaweb
"
)]
#[case::hooks(
    "git.hooks-path",
    "
    git config core.hooksPath /dev/null
    git config --global core.hooksPath ~/.nohooks
    git config --local core.hooksPath ''
    git config CORE.HOOKSPATH x
    git config set core.hooksPath /dev/null
    git config set --global core.hooksPath x
    git config --add core.hooksPath x
    git config --replace-all core.hooksPath x
    git config -f .git/config core.hooksPath x
    git config --unset core.hooksPath
    git config unset core.hooksPath
    git -c core.hooksPath=/dev/null commit -m x
    git -c core.hookspath= commit -m x
    git -ccore.hooksPath=/dev/null commit -m x
    git -c core.hooksPath push origin feat
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null git commit -m x
    GIT_CONFIG_PARAMETERS=\"'core.hooksPath=/dev/null'\" git commit -m x
    H=/dev/null git --config-env=core.hooksPath=H commit -m x
    H=/dev/null git --config-env core.hooksPath=H commit -m x
    git --config-env=core.hooksPath=H commit -m x
    git clone -c core.hooksPath=/tmp/h https://example.com/x
    git clone --config core.hooksPath=/tmp/h https://example.com/x
"
)]
#[case::program(
    "git.config-program",
    "
    git config core.sshCommand 'ssh -o ProxyCommand=evil'
    git config core.sshCommand /tmp/evil
    git config --global core.fsmonitor /tmp/evil.sh
    git config filter.x.smudge 'sh -c evil'
    git config filter.lfs.clean 'git-lfs clean; evil'
    git -c core.fsmonitor=/tmp/x status
    git -c gpg.program=/tmp/x commit -S -m x
    git -c core.sshCommand='sh -c evil' fetch
    git -c remote.origin.uploadpack=/tmp/x fetch
    git -c uploadpack.packObjectsHook=/tmp/x fetch
"
)]
#[case::include(
    "git.config-include",
    "
    git config include.path /tmp/x
    git config --global includeIf.gitdir:/x/.path /tmp/x
    git -c include.path=/tmp/x status
    git config init.templateDir /tmp/x
    git clone --template=/tmp/x https://example.com/x
    git init --template /tmp/x .
"
)]
#[case::trust(
    "git.config-trust",
    "
    git config http.sslVerify false
    git -c http.sslVerify=false clone https://example.com/x
    git -c protocol.ext.allow=always fetch
    git config --global --add safe.directory '*'
"
)]
#[case::environment_program(
    "git.environment-program",
    "
    GIT_SSH_COMMAND='sh -c evil' git fetch
    GIT_SSH_COMMAND='ssh -oProxyCommand=evil' git fetch
    GIT_SSH=/tmp/x git fetch
    GIT_PROXY_COMMAND=/tmp/x git fetch
    GIT_EXEC_PATH=/tmp/x git status
    GIT_ASKPASS=/tmp/x git fetch
"
)]
#[case::environment_config(
    "git.environment-config",
    "
    GIT_CONFIG_GLOBAL=/tmp/x git status
    GIT_TEMPLATE_DIR=/tmp/x git init
"
)]
#[case::tls(
    "git.no-tls-check",
    "
    GIT_SSL_NO_VERIFY=1 git clone https://example.com/x
    GIT_SSL_NO_VERIFY=true git fetch
"
)]
#[case::transport(
    "git.transport-program",
    "
    git clone 'ext::sh -c evil' x
    git fetch 'ext::sh -c evil'
    git ls-remote 'ext::sh -c evil'
    git remote add x 'ext::sh -c evil'
    git archive --remote='ext::sh -c evil' HEAD
    git submodule add 'ext::sh -c evil'
    git remote-ext x 'sh -c evil'
"
)]
#[case::exec_path("git.exec-path", "git --exec-path=/tmp/x status")]
#[case::unclear(
    "git.unclear",
    "
    git $X --force
    git $X -D x
    git $X origin +x
    git -c alias.a=b -c alias.b=a a
"
)]
fn is_held(#[case] rule: &str, #[case] table: &str) {
    assert_eq!(missed(rule, table), [""; 0], "not held by {rule}");
}
