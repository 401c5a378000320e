//! Which checks would be skipped: hooks that a commit, a merge or a patch would run, and files that an agent should not take in.

use crate::case::Case;
use crate::git::flags::{Flag, Flags, attached, flag, value};
use crate::invocation::Arg;
use crate::verdict::{Hold, Rule};

pub(super) static NO_VERIFY: Rule = Rule {
    id: "git.no-verify",
    hold: Hold::Ask,
    reason: "skips the hooks that check the work",
    safer: "let the hooks run and mend what they find",
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
pub(super) fn commit(args: &[Arg], case: &mut Case<'_>) {
    let flags = Flags::read(args, COMMIT);
    if flags.has("no-verify") && !flags.help && !flags.has("dry-run") {
        case.hold(&NO_VERIFY, "--no-verify");
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
        case.hold(&NO_VERIFY, "--no-verify");
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
