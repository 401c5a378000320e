//! What would reach a remote: pushes, by their refspecs.

use crate::case::Case;
use crate::git::alias;
use crate::git::flags::{Flag, Flags, attached, flag, value};
use crate::git::globals::Globals;
use crate::git::nested::{Earlier, Nested};
use crate::git::refs::{branch, is_protected, names_protected, takes_protected};
use crate::invocation::{Arg, UNKNOWN};
use crate::rules;
use crate::verdict::{Hold, Rule};

pub(super) static FORCE: Rule = Rule {
    id: "git.force-push",
    hold: Hold::Deny,
    reason: "overwrites what others may have pushed to the remote branch",
    safer: "use --force-with-lease on your own branch",
};
pub(super) static MIRROR: Rule = Rule {
    id: "git.push-mirror",
    hold: Hold::Deny,
    reason: "makes the remote a copy of this repo: overwrites and deletes every other ref there",
    safer: "push the one branch by its name",
};
pub(super) static EVERYTHING: Rule = Rule {
    id: "git.push-all",
    hold: Hold::Deny,
    reason: "pushes every branch, protected ones among them",
    safer: "push the one branch by its name",
};
pub(super) static PROTECTED: Rule = Rule {
    id: "git.push-protected",
    hold: Hold::Deny,
    reason: "pushes to a protected branch",
    safer: "push to a branch of your own and open a pull request",
};
pub(super) static DELETE_PROTECTED: Rule = Rule {
    id: "git.push-delete-protected",
    hold: Hold::Deny,
    reason: "deletes a protected branch on the remote",
    safer: "leave protected branches alone",
};
pub(super) static DELETE: Rule = Rule {
    id: "git.push-delete",
    hold: Hold::Ask,
    reason: "deletes a branch or tag on the remote",
    safer: "leave the deletion to the person, or to the merge of the pull request",
};
pub(super) static PRUNE: Rule = Rule {
    id: "git.push-prune",
    hold: Hold::Ask,
    reason: "deletes the remote branches that do not exist here",
    safer: "delete the one remote branch by its name",
};
pub(super) static FOREIGN: Rule = Rule {
    id: "git.publish-foreign",
    hold: Hold::Ask,
    reason: "publishes commits to another version control system, where they cannot be taken back",
    safer: "try it with --dry-run first",
};

pub(super) static FORBIDDEN: Rule = Rule {
    id: "git.push-forbidden",
    hold: Hold::Deny,
    reason: "pushes, which the rules in force leave to people (allow_push)",
    safer: "commit, and let the person push",
};
pub(super) static LEASE: Rule = Rule {
    id: "git.force-with-lease",
    hold: Hold::Deny,
    reason: "overwrites the remote branch, which the rules in force forbid even with a lease (allow_force_with_lease)",
    safer: "add commits instead of rewriting those that were pushed",
};

static FLAGS: &[Flag] = &[
    flag('f', "force"),
    attached('\0', "force-with-lease"),
    flag('\0', "force-if-includes"),
    flag('d', "delete"),
    flag('\0', "mirror"),
    flag('\0', "all"),
    flag('\0', "branches"),
    flag('\0', "prune"),
    flag('\0', "no-verify"),
    flag('n', "dry-run"),
    flag('\0', "tags"),
    flag('\0', "stdin"),
    value('\0', "repo"),
    value('\0', "receive-pack"),
    value('\0', "recurse-submodules"),
    value('\0', "exec"),
    value('o', "push-option"),
    attached('\0', "signed"),
    flag('u', "set-upstream"),
    flag('\0', "follow-tags"),
];

/// Judges `push`, and `send-pack` and `http-push`, which read alike.
pub(super) fn judge(
    args: &[Arg],
    globals: &Globals<'_>,
    case: &mut Case<'_>,
    earlier: &Earlier,
    nested: &mut Vec<Nested>,
) {
    let flags = Flags::read(args, FLAGS);
    nested.extend(flags.values("receive-pack").chain(flags.values("exec")).map(Nested::script));
    if flags.help || flags.has("dry-run") {
        return;
    }
    reaches_remote("push", case);
    if flags.has("force-with-lease") && !case.policy.flag(rules::Flag::AllowForceWithLease) {
        case.hold(&LEASE, "--force-with-lease");
    }
    if flags.has("no-verify") {
        super::commit::skips_hooks("--no-verify", case);
    }
    if flags.has("force") {
        case.hold(&FORCE, "--force");
    }
    if flags.has("mirror") {
        case.hold(&MIRROR, "--mirror");
    }
    if flags.has("all") || flags.has("branches") {
        case.hold(&EVERYTHING, if flags.has("all") { "--all" } else { "--branches" });
    }
    if flags.has("prune") {
        case.hold(&PRUNE, "--prune");
    }
    if flags.has("delete") && globals.call.open_ended {
        case.hold(&DELETE, "--delete");
    }

    // With `--repo`, what looks like the remote may be meant as a refspec.
    let remote = usize::from(!flags.has("repo")).min(flags.operands.len());
    let refspecs = &flags.operands[remote..];
    let head = || globals.head(case, earlier);
    if refspecs.is_empty() {
        let whole =
            ["mirror", "all", "branches", "tags", "delete", "stdin"].iter().any(|name| flags.has(name));
        if !whole && !globals.call.open_ended {
            bare(&flags, head(), globals, case, earlier);
        }
        return;
    }
    let head = refspecs.iter().any(|spec| needs_head(spec.text(), &flags)).then(head).flatten();
    let mut refspecs = refspecs.iter();
    while let Some(spec) = refspecs.next() {
        if spec.is("tag") && refspecs.len() > 0 {
            refspecs.next();
            continue;
        }
        refspec(spec.text(), flags.has("delete"), head.as_deref(), case);
        if flags.has("force-with-lease")
            && destination(spec.text()).contains(UNKNOWN)
            && head.as_deref().is_some_and(|head| is_protected(case, head))
        {
            case.hold(&PROTECTED, spec.to_string());
        }
    }
}

/// Holds whatever reaches a remote, where the rules in force leave that to people.
pub(super) fn reaches_remote(deed: &str, case: &mut Case<'_>) {
    if !case.policy.flag(rules::Flag::AllowPush) {
        case.hold(&FORBIDDEN, ["git ", deed].concat());
    }
}

/// Judges `subtree push`, whose destination is its last operand.
pub(super) fn judge_subtree(args: &[Arg], case: &mut Case<'_>) {
    static FLAGS: &[Flag] =
        &[value('P', "prefix"), value('b', "branch"), value('m', "message"), flag('n', "dry-run")];
    let flags = Flags::read(args, FLAGS);
    let pushes = flags.operand(0) == "push" && !flags.help;
    if pushes {
        reaches_remote("subtree push", case);
    }
    if let Some(spec) = flags.operands.get(2).filter(|_| pushes) {
        refspec(spec.text(), false, None, case);
    }
}

/// Judges the bridges to other systems.
pub(super) fn judge_bridge(name: &str, args: &[Arg], case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[flag('n', "dry-run")];
    let flags = Flags::read(args, FLAGS);
    let publishes = matches!(
        (name, flags.operand(0)),
        ("svn", "dcommit" | "set-tree" | "commit-diff") | ("p4", "submit")
    );
    if publishes && !flags.help && !flags.has("dry-run") {
        reaches_remote(&[name, " ", flags.operand(0)].concat(), case);
        case.hold(&FOREIGN, ["git ", name, " ", flags.operand(0)].concat());
    }
}

/// Judges a push that names no branch: it goes where the branch that is checked out goes.
fn bare(
    flags: &Flags<'_>,
    head: Option<String>,
    globals: &Globals<'_>,
    case: &mut Case<'_>,
    earlier: &Earlier,
) {
    let Some(head) = head else { return };
    let whole = || ["git push (on ", &head, ")"].concat();
    if is_protected(case, &head) {
        let part = whole();
        return case.hold(&PROTECTED, part);
    }
    let mut settings = alias::configured(globals, case);
    settings.extend_from_slice(earlier.settings());
    settings.extend(globals.settings.iter().map(|(key, value)| (key.clone(), value.to_string())));
    let setting = |key: &str| {
        settings.iter().rev().find(|(known, _)| known == key).map_or("", |(_, value)| value.as_str())
    };
    let remote = match flags.operand(0) {
        "" => [
            &["branch.", &head, ".pushremote"].concat(),
            "remote.pushdefault",
            &["branch.", &head, ".remote"].concat(),
        ]
        .iter()
        .map(|key| setting(key))
        .find(|remote| !remote.is_empty())
        .unwrap_or("origin"),
        named => named,
    };
    if setting(&["remote.", remote, ".mirror"].concat()) == "true" {
        case.hold(&MIRROR, whole());
    }
    let refspecs = ["remote.", remote, ".push"].concat();
    let mut configured = false;
    for (_, spec) in settings.iter().filter(|(key, _)| *key == refspecs) {
        configured = true;
        refspec(spec, false, Some(&head), case);
    }
    if configured {
        return;
    }
    match setting("push.default") {
        "matching" => case.hold(&EVERYTHING, whole()),
        "upstream" | "tracking" => {
            let upstream = setting(&["branch.", &head, ".merge"].concat());
            if names_protected(case, upstream) {
                case.hold(&PROTECTED, [&whole(), " to ", upstream].concat());
            }
        }
        _ => {}
    }
}

/// Judges one refspec.
fn refspec(text: &str, delete: bool, head: Option<&str>, case: &mut Case<'_>) {
    if let Some(plain) = text.strip_prefix('+') {
        case.hold(&FORCE, text.replace(UNKNOWN, "…"));
        return refspec(plain, delete, head, case);
    }
    if text == ":" {
        return case.hold(&EVERYTHING, text);
    }
    // `^ref` excludes.
    if text.starts_with('^') {
        return;
    }
    let written = destination(text);
    let target = match (written, head) {
        ("HEAD" | "@", Some(head)) if !text.contains(':') => head,
        (written, _) => written,
    };
    // The remote's own HEAD is, all but always, its main branch.
    let protected = names_protected(case, target) || text.contains(':') && written == "HEAD";
    if delete || text.starts_with(':') {
        // A tag is no branch, and what is not known may be a protected one.
        let may_be_deleted = case.policy.flag(rules::Flag::AllowBranchDelete)
            && branch(target).is_some_and(|name| !name.contains([UNKNOWN, '*']));
        if protected || !may_be_deleted {
            case.hold(if protected { &DELETE_PROTECTED } else { &DELETE }, text.replace(UNKNOWN, "…"));
        }
    } else if protected {
        let part = if target == written { text.to_owned() } else { [text, " (", target, ")"].concat() };
        case.hold(&PROTECTED, part.replace(UNKNOWN, "…"));
    } else if takes_protected(case, target) {
        case.hold(&EVERYTHING, text.replace(UNKNOWN, "…"));
    }
}

/// Where a refspec goes; without a name of its own, where it comes from.
fn destination(text: &str) -> &str {
    match text.trim_start_matches('+').rsplit_once(':') {
        Some((source, "")) => source,
        Some((_, written)) => written,
        None => text.trim_start_matches('+'),
    }
}

/// Says whether what a refspec does depends on the branch that is checked out.
fn needs_head(text: &str, flags: &Flags<'_>) -> bool {
    matches!(text.trim_start_matches('+'), "HEAD" | "@")
        || flags.has("force-with-lease") && text.contains(UNKNOWN)
}

/// Says whether a fetch would overwrite a protected branch here.
pub(super) fn fetch(args: &[Arg], case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[
        flag('f', "force"),
        flag('\0', "dry-run"),
        value('\0', "depth"),
        value('\0', "deepen"),
        value('\0', "filter"),
        value('\0', "negotiation-tip"),
        value('\0', "refmap"),
        value('\0', "shallow-exclude"),
        value('\0', "shallow-since"),
        value('\0', "upload-pack"),
        value('j', "jobs"),
        value('o', "server-option"),
        value('s', "strategy"),
        value('X', "strategy-option"),
    ];
    let flags = Flags::read(args, FLAGS);
    if flags.help || flags.has("dry-run") {
        return;
    }
    for spec in flags.operands.iter().skip(1) {
        let text = spec.text();
        let overwrites = (text.starts_with('+') || flags.has("force")) && text.contains(':');
        let target = destination(text);
        if overwrites && (names_protected(case, target) || takes_protected(case, target)) {
            case.hold(&super::branch::MOVE_PROTECTED, text);
        }
    }
}
