//! Which checks would be skipped: hooks that a commit, a merge or a patch would run, and files that an agent should not take in.

use crate::case::Case;
use crate::git::flags::{Flag, Flags, attached, flag, value};
use crate::git::globals::Globals;
use crate::git::nested::Earlier;
use crate::git::refs::is_protected;
use crate::invocation::Arg;
use crate::rules;
use crate::verdict::{Hold, Rule};

pub(super) static NO_VERIFY: Rule = Rule {
    id: "git.no-verify",
    hold: Hold::Ask,
    reason: "skips the hooks that check the work",
    safer: "let the hooks run and mend what they find",
};
pub(super) static PROTECTED: Rule = Rule {
    id: "git.commit-protected",
    hold: Hold::Deny,
    reason: "commits to a protected branch, which the rules in force forbid (require_feature_branch)",
    safer: "create a branch of your own and commit there",
};
pub(super) static UNSAFE_PATHS: Rule = Rule {
    id: "git.apply-unsafe-paths",
    hold: Hold::Ask,
    reason: "lets a patch change files outside of the working directory",
    safer: "apply the patch inside the directory it belongs to",
};
pub(super) static CREDENTIAL: Rule = Rule {
    id: "git.credential",
    hold: Hold::Deny,
    reason: "prints or deletes a stored password or token",
    safer: "let git ask its credential helper itself",
};
pub(super) static SERVE: Rule = Rule {
    id: "git.serve",
    hold: Hold::Ask,
    reason: "offers repos of this machine to the network",
    safer: "share through the remote",
};

static COMMIT: &[Flag] = &[
    flag('n', "no-verify"),
    value('m', "message"),
    value('F', "file"),
    value('C', "reuse-message"),
    value('c', "reedit-message"),
    value('t', "template"),
    value('\0', "author"),
    value('\0', "date"),
    value('\0', "fixup"),
    value('\0', "squash"),
    value('\0', "cleanup"),
    value('\0', "trailer"),
    value('\0', "pathspec-from-file"),
    attached('S', "gpg-sign"),
    attached('u', "untracked-files"),
    flag('v', "verbose"),
    flag('\0', "dry-run"),
];

/// Judges `commit`; `-n` is its `--no-verify`.
pub(super) fn commit(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>, earlier: &Earlier) {
    let flags = Flags::read(args, COMMIT);
    if flags.help || flags.has("dry-run") {
        return;
    }
    if flags.has("no-verify") {
        skips_hooks("--no-verify", case);
    }
    adds_commits("commit", globals, case, earlier);
}

/// Judges `am`, `cherry-pick` and `revert`, which commit, too, unless they are told not to or to give up.
pub(super) fn apply_commits(
    name: &str,
    args: &[Arg],
    globals: &Globals<'_>,
    case: &mut Case<'_>,
    earlier: &Earlier,
) {
    const ADDS_NONE: [&str; 8] =
        ["--abort", "--quit", "--skip", "--no-commit", "-n", "--show-current-patch", "--help", "-h"];
    if !args.iter().any(|arg| ADDS_NONE.iter().any(|word| arg.is(word))) {
        adds_commits(name, globals, case, earlier);
    }
}

/// Holds commits on a protected branch, where the rules in force want them elsewhere.
fn adds_commits(name: &str, globals: &Globals<'_>, case: &mut Case<'_>, earlier: &Earlier) {
    // Which branch it is takes a look at the disk.
    if !case.policy.flag(rules::Flag::RequireFeatureBranch) {
        return;
    }
    if let Some(head) = globals.head(case, earlier).filter(|head| is_protected(case, head)) {
        case.hold(&PROTECTED, ["git ", name, " (on ", &head, ")"].concat());
    }
}

/// Holds the leaving out of hooks, unless the rules in force allow it.
pub(super) fn skips_hooks(part: impl Into<String>, case: &mut Case<'_>) {
    if !case.policy.flag(rules::Flag::AllowNoVerify) {
        case.hold(&NO_VERIFY, part);
    }
}

/// Judges `merge`, `pull` and `am`, where `-n` means other things.
pub(super) fn merge(args: &[Arg], case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[
        flag('\0', "no-verify"),
        flag('\0', "no-verify-signatures"),
        value('m', "message"),
        value('F', "file"),
        value('s', "strategy"),
        value('X', "strategy-option"),
        attached('S', "gpg-sign"),
        value('\0', "cleanup"),
        value('\0', "into-name"),
    ];
    let flags = Flags::read(args, FLAGS);
    if flags.has("no-verify") && !flags.help {
        skips_hooks("--no-verify", case);
    }
}

/// Judges `apply`.
pub(super) fn apply(args: &[Arg], case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[flag('\0', "unsafe-paths"), flag('\0', "check"), flag('\0', "stat")];
    let flags = Flags::read(args, FLAGS);
    if flags.has("unsafe-paths") && !flags.help {
        case.hold(&UNSAFE_PATHS, "--unsafe-paths");
    }
}

/// Judges `credential` and the helpers behind it.
pub(super) fn credential(name: &str, args: &[Arg], case: &mut Case<'_>) {
    let deed = args.iter().filter_map(Arg::known).find(|word| !word.starts_with('-')).unwrap_or_default();
    if matches!(deed, "fill" | "get" | "reject" | "erase") {
        case.hold(&CREDENTIAL, ["git ", name, " ", deed].concat());
    }
}

/// Judges `daemon` and `instaweb`.
pub(super) fn serve(name: &str, args: &[Arg], case: &mut Case<'_>) {
    let stops = args.iter().any(|arg| ["--stop", "stop", "--help", "-h"].iter().any(|word| arg.is(word)));
    if !stops {
        case.hold(&SERVE, ["git ", name].concat());
    }
}
