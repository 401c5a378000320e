//! A git call from its program's name to the judge of its subcommand.

use std::borrow::Cow;

use crate::case::Case;
use crate::git::globals::Globals;
use crate::git::nested::{Earlier, Nested};
use crate::git::{alias, branch, commit, discard, environment, history, push, runs, settings};
use crate::invocation::{Arg, Invocation, UNKNOWN};
use crate::verdict::{Hold, Rule};

/// How many aliases may stand for one another.
const LONGEST_CHAIN: usize = 8;

static UNCLEAR: Rule = Rule {
    id: "git.unclear",
    hold: Hold::Ask,
    reason: "runs a git command that cannot be told beforehand, with options that destroy",
    safer: "write the git command out",
};
static EXEC_PATH: Rule = Rule {
    id: "git.exec-path",
    hold: Hold::Ask,
    reason: "makes git take its own programs from another directory",
    safer: "use git as it is installed",
};

/// The rules about git.
pub(crate) static RULES: &[&Rule] = &[
    &UNCLEAR,
    &EXEC_PATH,
    &push::FORCE,
    &push::MIRROR,
    &push::EVERYTHING,
    &push::PROTECTED,
    &push::DELETE_PROTECTED,
    &push::DELETE,
    &push::PRUNE,
    &push::FOREIGN,
    &push::FORBIDDEN,
    &push::LEASE,
    &discard::RESET,
    &discard::CLEAN,
    &discard::DISCARD,
    &discard::STASH,
    &discard::REMOVE,
    &discard::WORKTREE,
    &discard::SUBMODULE,
    &branch::DELETE,
    &branch::DELETE_PROTECTED,
    &branch::MOVE_PROTECTED,
    &branch::REBASE_PROTECTED,
    &branch::REFS,
    &history::REWRITE,
    &history::REFLOG,
    &history::PRUNE,
    &commit::NO_VERIFY,
    &commit::PROTECTED,
    &commit::UNSAFE_PATHS,
    &commit::CREDENTIAL,
    &commit::SERVE,
    &settings::HOOKS,
    &settings::PROGRAM,
    &settings::INCLUDE,
    &settings::TRUST,
    &settings::REDIRECT,
    &environment::PROGRAM,
    &environment::CONFIG,
    &environment::TLS,
    &runs::TRANSPORT,
];

/// Judges a call of `git`, of a program such as `git-push`, or of `bfg`; gives back what it would do beyond itself.
pub(crate) fn judge(call: &Invocation, case: &mut Case<'_>, earlier: &mut Earlier) -> Vec<Nested> {
    let program = call.program();
    if program == "bfg" {
        history::rewrite(program, call.args(), case);
        return Vec::new();
    }
    let mut nested = Vec::new();
    let mut globals = Globals::new(call);
    environment::judge(&mut globals, case, &mut nested);
    let mut args = match program.strip_prefix("git-") {
        Some(name) => Cow::Owned([&[Arg::new(name)], call.args()].concat()),
        None => Cow::Borrowed(call.args()),
    };
    let mut judged = 0;
    for _ in 0..LONGEST_CHAIN {
        let found = globals.read(&args);
        for (key, value) in globals.settings.iter().skip(judged) {
            // What an alias means matters only if it is used.
            if !key.starts_with("alias.") {
                settings::judge(key, value, case, &mut nested);
            }
        }
        judged = globals.settings.len();
        let Some(mut at) = found else {
            if call.open_ended && args.iter().all(|arg| arg.text().starts_with('-')) {
                case.hold(&UNCLEAR, "git …");
            }
            return nested;
        };
        // `git $OPTIONS push`: whatever the options are, it pushes.
        if !args[at].is_sure() && args.get(at + 1).and_then(Arg::known).is_some_and(alias::is_command) {
            at += 1;
        }
        if globals.exec_path {
            case.hold(&EXEC_PATH, "--exec-path");
        }
        let Some(name) = args[at].known() else {
            unclear(&args[at], &args[at + 1..], case);
            return nested;
        };
        let rest = &args[at + 1..];
        if alias::is_command(name) {
            subcommand(name, rest, &globals, case, earlier, &mut nested);
            return nested;
        }
        let Some(meaning) = alias::meaning(name, &globals, case, earlier) else {
            subcommand(name, rest, &globals, case, earlier, &mut nested);
            return nested;
        };
        if let Some(script) = meaning.strip_prefix('!') {
            nested.push(Nested::Script(alias::script(script, rest)));
            return nested;
        }
        let mut words = alias::split(&meaning);
        words.extend_from_slice(rest);
        args = Cow::Owned(words);
    }
    case.hold(&UNCLEAR, call.shown());
    nested
}

fn subcommand(
    name: &str,
    args: &[Arg],
    globals: &Globals<'_>,
    case: &mut Case<'_>,
    earlier: &mut Earlier,
    nested: &mut Vec<Nested>,
) {
    case.commits_or_pushes |= matches!(name, "commit" | "push");
    match globals.dir() {
        Some(dir) => case.works_in(dir),
        None => case.may_work_anywhere(),
    }
    environment::judge_hooks(name, globals, case);
    runs::collect(name, args, case, nested);
    match name {
        "push" | "send-pack" | "http-push" => push::judge(args, globals, case, earlier, nested),
        "fetch" => push::fetch(args, case),
        "pull" => {
            push::fetch(args, case);
            commit::merge(args, case);
        }
        "subtree" => push::judge_subtree(args, case),
        "svn" | "p4" => push::judge_bridge(name, args, case),
        "reset" => discard::reset(args, case),
        "clean" => discard::clean(args, globals, case, earlier),
        "checkout" => discard::checkout(args, globals, case, earlier),
        "switch" => discard::switch(args, globals, case, earlier),
        "restore" => discard::restore(args, globals, case),
        "checkout-index" | "read-tree" => discard::plumbing(name, args, globals, case),
        "stash" => discard::stash(args, globals, case),
        "rm" => discard::remove(args, globals, case),
        "worktree" => discard::worktree(args, globals, case),
        "submodule" => discard::submodule(args, case),
        "branch" => branch::judge(args, globals, case, earlier),
        "rebase" => branch::rebase(args, globals, case, earlier),
        "update-ref" => branch::update_ref(args, globals, case, earlier),
        "symbolic-ref" => branch::symbolic_ref(args, globals, case, earlier),
        "filter-branch" | "filter-repo" => history::rewrite(name, args, case),
        "lfs" => history::lfs(args, case),
        "reflog" => history::reflog(args, case),
        "gc" | "prune" => history::prune(name, args, case),
        "commit" => commit::commit(args, globals, case, earlier),
        "merge" => commit::merge(args, case),
        "am" => {
            commit::merge(args, case);
            commit::apply_commits(name, args, globals, case, earlier);
        }
        "cherry-pick" | "revert" => commit::apply_commits(name, args, globals, case, earlier),
        "apply" => commit::apply(args, case),
        "daemon" | "instaweb" | "http-backend" => commit::serve(name, args, case),
        "config" => settings::config(args, globals, case, earlier, nested),
        _ if name == "credential" || name.starts_with("credential-") => commit::credential(name, args, case),
        _ => {}
    }
}

/// Judges a call whose subcommand is not known, by what is known about the rest.
fn unclear(name: &Arg, args: &[Arg], case: &mut Case<'_>) {
    const DESTROYING: &[&str] = &[
        "--force",
        "-f",
        "-D",
        "-fd",
        "-df",
        "-fdx",
        "-xdf",
        "-xfd",
        "--hard",
        "--delete",
        "--mirror",
        "--all",
        "--no-verify",
        "--prune",
    ];
    if let Some(offending) = args.iter().find(|arg| {
        let text = arg.text();
        DESTROYING.contains(&text)
            || text.len() > 1 && text.starts_with(['+', ':']) && !text.contains(UNKNOWN)
    }) {
        case.hold(&UNCLEAR, ["git ", &name.to_string(), " ", offending.text()].concat());
    }
}
