//! Which history would be rewritten, and which unreachable commits would be lost for good.

use crate::case::Case;
use crate::git::flags::{Flag, Flags, attached, flag, value};
use crate::invocation::Arg;
use crate::verdict::{Hold, Rule};

pub(super) static REWRITE: Rule = Rule {
    id: "git.rewrite-history",
    hold: Hold::Ask,
    reason: "rewrites the history of whole branches",
    safer: "rewrite a fresh clone, and leave the decision to the person",
};
pub(super) static REFLOG: Rule = Rule {
    id: "git.reflog-expire",
    hold: Hold::Ask,
    reason: "deletes the record by which lost commits are found again",
    safer: "leave the reflog to git's own housekeeping",
};
pub(super) static PRUNE: Rule = Rule {
    id: "git.prune-objects",
    hold: Hold::Ask,
    reason: "deletes commits that no branch holds any more, dropped stashes and undone work among them",
    safer: "run git gc without --prune, which keeps two weeks",
};

/// Judges `filter-branch`, `filter-repo` and `bfg`.
pub(super) fn rewrite(name: &str, args: &[Arg], case: &mut Case<'_>) {
    let given = |text: &str| args.iter().any(|arg| arg.is(text));
    let only_looks = match name {
        "filter-repo" => given("--analyze") || given("--dry-run") || given("--version"),
        "filter-branch" => false,
        _ => args.is_empty() || given("--version"),
    };
    if !only_looks && !given("--help") && !given("-h") {
        case.hold(&REWRITE, if name == "bfg" { "bfg".to_owned() } else { ["git ", name].concat() });
    }
}

/// Judges `lfs`, of which one deed rewrites commits.
pub(super) fn lfs(args: &[Arg], case: &mut Case<'_>) {
    let word = |index: usize| args.get(index).and_then(Arg::known).unwrap_or_default();
    let only_looks =
        args.iter().any(|arg| ["--dry-run", "-d", "--help", "-h"].iter().any(|word| arg.is(word)));
    if word(0) == "push" && !only_looks {
        super::push::reaches_remote("lfs push", case);
    }
    if word(0) == "migrate" && matches!(word(1), "import" | "export") {
        case.hold(&REWRITE, ["git lfs migrate ", word(1)].concat());
    }
}

/// Judges `reflog`.
pub(super) fn reflog(args: &[Arg], case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[flag('n', "dry-run"), value('\0', "expire"), value('\0', "expire-unreachable")];
    let deed = args.first().and_then(Arg::known).unwrap_or_default();
    if matches!(deed, "expire" | "delete" | "drop") {
        let flags = Flags::read(args, FLAGS);
        if !flags.has("dry-run") && !flags.help {
            case.hold(&REFLOG, ["git reflog ", deed].concat());
        }
    }
}

/// Judges `gc` and `prune`.
pub(super) fn prune(name: &str, args: &[Arg], case: &mut Case<'_>) {
    static PRUNE_FLAGS: &[Flag] = &[flag('n', "dry-run"), value('\0', "expire")];
    static GC_FLAGS: &[Flag] = &[attached('\0', "prune"), value('\0', "max-cruft-size")];
    let at_once = |date: &str| {
        date.is_empty() || matches!(date, "now" | "all") || date.starts_with("0.") || date == "0"
    };
    let (flags, loses) = if name == "gc" {
        let flags = Flags::read(args, GC_FLAGS);
        let loses = flags.has("prune") && flags.value("prune").is_some_and(at_once);
        (flags, loses)
    } else {
        let flags = Flags::read(args, PRUNE_FLAGS);
        let loses = !flags.has("dry-run") && at_once(flags.value("expire").unwrap_or_default());
        (flags, loses)
    };
    if loses && !flags.help {
        case.hold(&PRUNE, ["git ", name].concat());
    }
}
