//! Everyday git, which is not disturbed.

use rstest::rstest;

use super::disturbed;

#[rstest]
#[case::looking(
    "
    git
    git --version
    git --help push
    git help push
    git help -a
    git push --help
    git push -h
    git push --force --help
    git reset --hard --help
    git clean -h
    git status
    git status -uno -sb
    git log --oneline main
    git log --grep 'reset --hard'
    git log -S reset --hard-wrap
    git log -S 'push --force' -p -- src/a.rs
    git log --all --graph
    git log -n 5 -f
    git show HEAD
    git show HEAD:src/main.rs
    git diff main...feat --stat
    git diff --cached -- .
    git diff HEAD -- .
    git blame -L 1,5 src/a.rs
    git grep -n 'push -f'
    git grep -e '--force' -- .
    git ls-files -d
    git rev-parse --abbrev-ref HEAD
    git for-each-ref --format='%(refname)' refs/heads/main
    git reflog
    git reflog show main
    git reflog -n 10
    git describe --tags
    git cherry -v main
    git $X
    git $X status
    git $X --oneline
    git lfs ls-files
    git unknown-thing --force
"
)]
#[case::committing(
    "
    git add .
    git add -A
    git add -f src/a.rs
    git add --force dist/x
    git commit -m 'git push --force origin main'
    git commit -m 'rm -rf / --no-verify'
    git commit -am 'x -n'
    git commit -m -n
    git commit -m --no-verify
    git commit -mn
    git commit -F msg.txt
    git commit -uno -m x
    git commit -Snone -m x
    git commit --amend --no-edit
    git commit --amend -m x
    @main git commit --amend --no-edit
    @main git commit -m x
    git commit --fixup HEAD~2
    git commit --allow-empty -m x
    git commit -v
    git commit-tree x
    git commit --dry-run -n
    git merge feat
    git merge -n feat
    git merge --no-ff --no-edit feat
    git merge --ff-only origin/main
    git merge --abort
    git merge --no-verify-signatures x
    git am x.patch
    git cherry-pick -n abc
    git cherry-pick --abort
    git revert -n HEAD
    git revert --no-edit HEAD
    git apply x.patch
    git apply --check x.patch
    git mv a b
    git rm old.rs
    git rm -f old.rs
    git rm -rf src/old
    git rm -r --cached .
    git rm --cached .env
    git rm -rn .
    HUSKY=1 git commit -m x
    HUSKY=0 git status
    SKIP=lint git commit -m x
"
)]
#[case::pushing(
    "
    git push
    git push origin
    git push origin feat
    git push origin HEAD
    git push origin @
    git push -u origin HEAD
    git push --set-upstream origin feat
    git push origin feat/x main-docs
    git push origin main:feat
    git push origin main:refs/heads/feat
    git push origin mainline
    git push origin feature/main
    git push origin HEAD:refs/for/main
    git push origin refs/tags/main
    git push --tags
    @main git push --tags
    @main git push origin --tags
    @main git push origin v1.2.0
    @main git push origin feat
    @main git push origin HEAD:feat
    git push origin v1.2.0
    git push origin tag v1.2.0
    git push origin tag main
    git push --follow-tags
    git push --force-with-lease
    git push --force-with-lease origin feat
    git push --force-with-lease=feat:abc origin feat
    git push --force-with-l
    git push --force-with-lease --force-if-includes origin feat
    git push --force-with-lease -u origin HEAD
    git push --force --no-force origin feat
    git push --dry-run origin main
    git push -n origin main
    git push -nf origin main
    git push -fn origin main
    git push --dry origin main
    git push --mirror -n origin
    git push $X
    git push origin $X
    git push origin HEAD:$X
    git push -u origin $X
    git push origin $X:feat
    git push -o merge_request.create -o merge_request.target=main
    git push -o main origin feat
    git push --repo=origin
    git push --no-recurse-submodules origin feat
    git push --signed origin feat
    git push origin 'refs/tags/*'
    git push origin 'feat/*'
    @main git checkout -b fix && git push -u origin HEAD
    @main git switch -c fix && git commit -m x && git push
    @main git checkout feat/x && git push
    @main git switch feat && git rebase main
    @main gh pr checkout 5 && git push
    @main git -C /elsewhere/$X push
    git subtree push --prefix dist origin gh-pages
    git svn fetch
    git svn dcommit --dry-run
"
)]
#[case::fetching(
    "
    git fetch
    git fetch --all --prune
    git fetch -p origin
    git fetch origin main
    git fetch origin main:main
    git fetch origin +refs/heads/*:refs/remotes/origin/*
    git fetch -f origin feat:feat
    git pull
    git pull --rebase origin main
    git pull -n
    git pull --ff-only
    @main git pull --rebase
    git clone https://github.com/a/b
    git clone --mirror https://github.com/a/b
    git clone --depth 1 -b main https://github.com/a/b x
    git clone -c core.autocrlf=false https://github.com/a/b
    git clone --template= https://github.com/a/b
    git remote add origin git@github.com:a/b.git
    git remote prune origin
    git remote set-url origin git@github.com:a/b.git
    git remote remove old
    git ls-remote --heads origin main
    git submodule update --init --recursive --force
    git submodule deinit lib
    git bundle create x.bundle main
"
)]
#[case::moving(
    "
    git checkout main
    git checkout -
    git checkout -b main-docs
    git checkout -b fix/x origin/main
    git checkout -B feat/x origin/feat/x
    git checkout --detach
    git checkout v1.2.0
    git checkout HEAD~3
    git checkout -q main
    git checkout -t origin/x
    git checkout -- src/a.rs
    git checkout HEAD -- src/a.rs src/b.rs
    git checkout main -- Cargo.lock
    git checkout -- .github/workflows/ci.yml
    git checkout -- ./a.rs
    git checkout .gitignore
    git checkout --ours src/a.rs
    git checkout -p
    git checkout -- $X
    git checkout -- ../project/src
    git checkout -- /home/user/project/src/a.rs
    git restore ../lib/a.rs
    git switch -
    git switch main
    git switch -c feat/y
    git switch -C feat/y origin/feat/y
    git switch --create main-docs
    git restore src/a.rs
    git restore --staged .
    git restore -S .
    git restore --staged src/a.rs
    git restore -p .
    git restore --source=HEAD~1 src/a.rs
    git reset
    git reset HEAD~1
    git reset --soft HEAD~1
    git reset --mixed
    git reset --keep origin/main
    git reset -q HEAD -- src/a.rs
    git reset -- .
    git clean -n
    git clean -nfd
    git clean -dfn
    git clean --dry-run -fd
    git clean -i
    git clean -ndx
    git stash
    git stash push -m 'drop this'
    git stash push -- .
    git stash -u
    git stash pop
    git stash apply stash@{1}
    git stash list
    git stash show -p
    git stash branch x
    git branch
    git branch -a
    git branch -vv
    git branch --show-current
    git branch -d feat/done
    git branch --delete feat/done
    git branch -m old new
    git branch -m new
    git branch -M feat/new
    @main git branch -M main
    git branch -f feat/x HEAD~2
    git branch -r -D origin/gone
    git branch --contains main
    git branch --merged main
    git branch -u origin/main
    git branch fix main
    git tag
    git tag v1
    git tag -a v1 -m x
    git tag -d v1
    git tag -f v1
    git worktree add ../wt
    git worktree add -b x ../wt main
    git worktree remove ../wt
    git worktree prune
    git worktree list
    git rebase main
    git rebase origin/main
    git rebase -i HEAD~3
    git rebase --onto main feat~3
    git rebase --abort
    git rebase --continue
    @main git rebase --abort
    @main git rebase --continue
    git rebase --autosquash -i main
    git rebase -f main
    git bisect start
    git bisect good
    git bisect reset
    git update-ref refs/heads/feat HEAD~1
    git update-ref refs/backup/x HEAD
    git symbolic-ref HEAD
    git symbolic-ref --short HEAD
    git symbolic-ref HEAD refs/heads/x
    git reflog expire --dry-run --all
    git gc
    git gc --auto
    git gc --aggressive
    git gc --prune=2.weeks.ago
    git prune -n
    git prune --expire=2.weeks.ago
    git filter-repo --analyze
    git replace --list
    git notes add -m x
    git read-tree -m -u HEAD
    git checkout-index --prefix=out/ -a -f
    git sparse-checkout set src
"
)]
#[case::settings(
    "
    git config --list
    git config -l
    git config core.hooksPath
    git config --get core.hooksPath
    git config get core.hooksPath
    git config --get-regexp alias
    git config --show-origin core.sshCommand
    git config user.name x
    git config --global user.email x@example.com
    git config --global core.pager delta
    git config --global credential.helper '!gh auth git-credential'
    git config --global credential.helper '!/usr/bin/gh auth git-credential'
    git config --global http.proxy http://127.0.0.1:7890
    git checkout -- .claude/settings.json
    git checkout main -- src/x
    git checkout HEAD -- .claude
    git add .claude
    git rm --cached .claude/settings.json
    git stash push -- src
    git worktree add ../x feat
    git config user.name 'core.hooksPath=/dev/null'
    git config commit.gpgsign false
    git config --unset user.name
    git config --global alias.lg 'log --oneline --graph'
    git config alias.p 'push -f'
    git config pull.rebase true
    git config core.fsmonitor true
    git config core.editor vim
    git config --global credential.helper store
    git config filter.lfs.clean 'git-lfs clean -- %f'
    git config --global --add safe.directory /home/user/project
    git config --global url.git@github.com:.insteadOf https://github.com/
    git config push.default current
    git config http.sslVerify true
    git config core.sshCommand 'ssh -i ~/.ssh/work -o IdentitiesOnly=yes'
    git -c core.pager=cat log
    git -c user.name=x -c user.email=y commit -m x
    git -c core.fsmonitor=false status
    git -c alias.x='push -f' status
    git -c protocol.version=2 fetch
    git --no-optional-locks status
    git --exec-path
    GIT_SSH_COMMAND='ssh -i ~/.ssh/work -o StrictHostKeyChecking=no' git fetch
    GIT_PAGER=cat git log
    GIT_SSH_COMMAND='ssh -F /dev/null -i x' git fetch
    GIT_EDITOR=true git rebase --continue
    GIT_ASKPASS=/bin/echo git fetch
    git config gpg.program gpg2
    GIT_SEQUENCE_EDITOR=: git rebase -i main
    GIT_CONFIG_GLOBAL=/dev/null git status
    GIT_TERMINAL_PROMPT=0 git fetch
    GIT_AUTHOR_DATE=2020-01-01 git commit -m x
    git credential approve
    git credential-store --file x store
"
)]
fn is_silent(#[case] table: &str) {
    assert_eq!(disturbed(table), []);
}
