//! Which branch would move or vanish in this repo.

use crate::case::Case;
use crate::git::flags::{Flag, Flags, attached, flag, value};
use crate::git::globals::Globals;
use crate::git::nested::Earlier;
use crate::git::refs::{is_protected, names_protected};
use crate::invocation::{Arg, Stream, UNKNOWN};
use crate::rules;
use crate::verdict::{Hold, Rule};

pub(super) static DELETE: Rule = Rule {
    id: "git.branch-delete",
    hold: Hold::Ask,
    reason: "deletes a branch even if its commits are nowhere else",
    safer: "use git branch -d, which refuses to lose commits",
};
pub(super) static DELETE_PROTECTED: Rule = Rule {
    id: "git.branch-delete-protected",
    hold: Hold::Deny,
    reason: "deletes a protected branch",
    safer: "leave protected branches alone",
};
pub(super) static MOVE_PROTECTED: Rule = Rule {
    id: "git.branch-move-protected",
    hold: Hold::Ask,
    reason: "makes a protected branch point elsewhere",
    safer: "create a branch of your own there",
};
pub(super) static REBASE_PROTECTED: Rule = Rule {
    id: "git.rebase-protected",
    hold: Hold::Ask,
    reason: "rewrites the commits of a protected branch",
    safer: "rebase a branch of your own",
};
pub(super) static REFS: Rule = Rule {
    id: "git.update-ref",
    hold: Hold::Ask,
    reason: "deletes or moves references below git's own safeguards",
    safer: "use git branch or git tag",
};

/// Judges `branch`.
pub(super) fn judge(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>, earlier: &mut Earlier) {
    static FLAGS: &[Flag] = &[
        flag('D', "D"),
        flag('d', "delete"),
        flag('f', "force"),
        flag('m', "move"),
        flag('M', "M"),
        flag('c', "copy"),
        flag('C', "C"),
        flag('r', "remotes"),
        flag('a', "all"),
        flag('l', "list"),
        value('u', "set-upstream-to"),
        attached('\0', "contains"),
        attached('\0', "merged"),
        attached('\0', "abbrev"),
        attached('\0', "color"),
        attached('\0', "column"),
        value('\0', "points-at"),
        value('\0', "sort"),
        value('\0', "format"),
        attached('t', "track"),
    ];
    let flags = Flags::read(args, FLAGS);
    if flags.help {
        return;
    }
    let forced = flags.has("force");
    if flags.has("D") || flags.has("delete") {
        if flags.has("remotes") {
            // What is known of the remote comes back with the next fetch; of a protected branch, nobody should have to.
            let protected =
                |name: &str| name.split_once('/').is_some_and(|(_, name)| is_protected(case, name));
            if let Some(name) = flags.operands.iter().find(|name| protected(name.text())) {
                case.hold(&DELETE, name.to_string());
            }
            return;
        }
        let forced = forced || flags.has("D");
        if let Some(name) = flags.operands.iter().find(|name| is_protected(case, name.text())) {
            case.hold(&DELETE_PROTECTED, name.to_string());
        } else if forced && !may_be_deleted(&flags.operands, globals, case) {
            case.hold(&DELETE, ["git branch -D ", &flags.operand(0).replace(UNKNOWN, "…")].concat());
        }
    } else if flags.has("M") || flags.has("move") {
        let head = globals.head(case, earlier);
        let (old, new) = match flags.operands.as_slice() {
            [new] => (head.as_deref(), new.text()),
            [old, new, ..] => (Some(old.text()), new.text()),
            [] => return,
        };
        let old_protected = old.is_some_and(|old| is_protected(case, old));
        // `git branch -M main` in a fresh repo turns master into main: everyday. On another branch it replaces main.
        let replaces = (forced || flags.has("M")) && old.is_some_and(|old| old != new) && !old_protected;
        if replaces && is_protected(case, new) || old_protected && !is_protected(case, new) {
            case.hold(&MOVE_PROTECTED, ["git branch -M ", new].concat());
        }
        if old == head.as_deref() {
            globals.check_out(case, earlier, Some(new));
        }
    } else if flags.has("C") || forced && flags.has("copy") {
        if let Some(name) = flags.operands.last().filter(|name| is_protected(case, name.text())) {
            case.hold(&MOVE_PROTECTED, ["git branch -C ", name.text()].concat());
        }
    } else if forced && is_protected(case, flags.operand(0)) {
        case.hold(&MOVE_PROTECTED, ["git branch -f ", flags.operand(0)].concat());
    }
}

/// Says whether the rules in force allow the deletion of branches, all of which are known and none of which is protected.
fn may_be_deleted(names: &[&Arg], globals: &Globals<'_>, case: &Case<'_>) -> bool {
    case.policy.flag(rules::Flag::AllowBranchDelete)
        && !globals.call.open_ended
        && names.iter().all(|name| name.known().is_some_and(|name| !is_protected(case, name)))
}

/// Judges `rebase`.
pub(super) fn rebase(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>, earlier: &mut Earlier) {
    static FLAGS: &[Flag] = &[
        value('\0', "onto"),
        value('x', "exec"),
        value('s', "strategy"),
        value('X', "strategy-option"),
        value('\0', "whitespace"),
        value('\0', "empty"),
        value('C', "C"),
        attached('S', "gpg-sign"),
        attached('r', "rebase-merges"),
        flag('\0', "root"),
        flag('\0', "no-verify"),
        flag('\0', "abort"),
        flag('\0', "continue"),
        flag('\0', "skip"),
        flag('\0', "quit"),
        flag('\0', "edit-todo"),
        flag('\0', "show-current-patch"),
        flag('i', "interactive"),
        flag('\0', "autostash"),
        flag('\0', "autosquash"),
    ];
    let flags = Flags::read(args, FLAGS);
    let goes_on = ["abort", "continue", "skip", "quit", "edit-todo", "show-current-patch"];
    if flags.help || goes_on.iter().any(|name| flags.has(name)) {
        return;
    }
    if flags.has("no-verify") {
        super::commit::skips_hooks("--no-verify", case);
    }
    let named = flags.operands.get(usize::from(!flags.has("root")));
    if let Some(named) = named {
        if names_protected(case, named.text()) {
            case.hold(&REBASE_PROTECTED, ["git rebase … ", named.text()].concat());
        }
        globals.check_out(case, earlier, named.known());
    } else if let Some(head) = globals.head(case, earlier).filter(|head| is_protected(case, head)) {
        case.hold(&REBASE_PROTECTED, ["git rebase (on ", &head, ")"].concat());
    }
}

/// Judges `update-ref`.
pub(super) fn update_ref(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>, earlier: &Earlier) {
    static FLAGS: &[Flag] =
        &[flag('d', "d"), value('m', "m"), flag('\0', "stdin"), flag('z', "z"), flag('\0', "deref")];
    let flags = Flags::read(args, FLAGS);
    if flags.help {
        return;
    }
    if flags.has("stdin") {
        return update_refs(&globals.call.stdin, case);
    }
    let reference = flags.operand(0);
    let on_protected =
        || reference == "HEAD" && globals.head(case, earlier).is_some_and(|head| is_protected(case, &head));
    let protected = names_protected(case, reference) || on_protected();
    match (flags.has("d"), protected) {
        (true, true) => case.hold(&DELETE_PROTECTED, ["git update-ref -d ", reference].concat()),
        (true, false) => case.hold(&REFS, ["git update-ref -d ", &reference.replace(UNKNOWN, "…")].concat()),
        (false, true) => case.hold(&MOVE_PROTECTED, ["git update-ref ", reference].concat()),
        (false, false) => {}
    }
}

/// Judges the commands that `update-ref --stdin` reads.
fn update_refs(stdin: &Stream, case: &mut Case<'_>) {
    let Stream::Text(text) = stdin else {
        return case.hold(&REFS, "git update-ref --stdin");
    };
    for line in text.split(['\n', '\0']) {
        let mut words = line.split_whitespace();
        let (deed, reference) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let protected = names_protected(case, reference);
        match deed {
            "delete" | "symref-delete" => case.hold(if protected { &DELETE_PROTECTED } else { &REFS }, line),
            "update" | "create" | "symref-update" if protected => case.hold(&MOVE_PROTECTED, line),
            _ if deed.contains(UNKNOWN) => case.hold(&REFS, "git update-ref --stdin"),
            _ => {}
        }
    }
}

/// Judges `symbolic-ref`.
pub(super) fn symbolic_ref(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>, earlier: &mut Earlier) {
    static FLAGS: &[Flag] = &[flag('d', "delete"), value('m', "m"), flag('q', "quiet"), flag('\0', "short")];
    let flags = Flags::read(args, FLAGS);
    let reference = flags.operand(0);
    if flags.help || reference.is_empty() {
        return;
    }
    if flags.has("delete") {
        case.hold(&REFS, ["git symbolic-ref --delete ", reference].concat());
    } else if flags.operands.len() > 1 {
        if names_protected(case, reference) {
            case.hold(&MOVE_PROTECTED, ["git symbolic-ref ", reference].concat());
        }
        if reference == "HEAD" {
            globals.check_out(case, earlier, flags.operand(1).strip_prefix("refs/heads/"));
        }
    }
}
