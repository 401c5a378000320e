//! Which work would be lost: changes that were never committed, and stashes.
//!
//! Discarding everything is held, discarding a file or a directory that is named is everyday work.

use crate::case::Case;
use crate::git::flags::{Flag, Flags, attached, flag, value};
use crate::git::globals::{Globals, joined};
use crate::git::nested::Earlier;
use crate::git::refs::is_protected;
use crate::invocation::Arg;
use crate::path::{self, Access, Frame, Place, Ward};
use crate::verdict::{Hold, Rule};

pub(super) static RESET: Rule = Rule {
    id: "git.reset-hard",
    hold: Hold::Ask,
    reason: "throws away all uncommitted changes",
    safer: "git stash first, or git reset --keep",
};
pub(super) static CLEAN: Rule = Rule {
    id: "git.clean",
    hold: Hold::Ask,
    reason: "deletes untracked files, which git cannot bring back",
    safer: "look with git clean -n, then delete by name",
};
pub(super) static DISCARD: Rule = Rule {
    id: "git.discard-all",
    hold: Hold::Ask,
    reason: "throws away all uncommitted changes",
    safer: "git stash first, or name the files",
};
pub(super) static STASH: Rule = Rule {
    id: "git.stash-drop",
    hold: Hold::Ask,
    reason: "deletes stashed work",
    safer: "keep the stash, or git stash branch",
};
pub(super) static REMOVE: Rule = Rule {
    id: "git.remove-all",
    hold: Hold::Ask,
    reason: "deletes every tracked file",
    safer: "name the files; --cached keeps them on disk",
};
pub(super) static WORKTREE: Rule = Rule {
    id: "git.worktree-remove",
    hold: Hold::Ask,
    reason: "deletes a worktree with the changes in it",
    safer: "git worktree remove without --force, which refuses to lose changes",
};
pub(super) static SUBMODULE: Rule = Rule {
    id: "git.submodule-deinit",
    hold: Hold::Ask,
    reason: "deletes submodules with the changes in them",
    safer: "git submodule deinit without --force",
};

/// Judges `reset`.
pub(super) fn reset(args: &[Arg], case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[
        flag('\0', "hard"),
        flag('\0', "merge"),
        flag('\0', "mixed"),
        flag('\0', "keep"),
        flag('\0', "soft"),
        value('\0', "pathspec-from-file"),
        attached('\0', "recurse-submodules"),
        value('U', "unified"),
    ];
    let flags = Flags::read(args, FLAGS);
    if flags.help {
        return;
    }
    for mode in ["hard", "merge"] {
        if flags.has(mode) {
            case.hold(&RESET, ["git reset --", mode].concat());
        }
    }
}

/// Judges `clean`.
pub(super) fn clean(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>, earlier: &Earlier) {
    static FLAGS: &[Flag] = &[
        flag('f', "force"),
        flag('n', "dry-run"),
        flag('i', "interactive"),
        value('e', "exclude"),
        flag('d', "d"),
    ];
    let flags = Flags::read(args, FLAGS);
    let forced = flags.has("force")
        || globals
            .setting("clean.requireforce")
            .or_else(|| earlier.setting("clean.requireforce"))
            .is_some_and(|value| value == "false");
    if forced && !flags.has("dry-run") && !flags.help {
        case.hold(&CLEAN, "git clean --force");
    }
}

static CHECKOUT: &[Flag] = &[
    flag('f', "force"),
    value('b', "b"),
    value('B', "B"),
    value('\0', "orphan"),
    value('\0', "conflict"),
    value('\0', "pathspec-from-file"),
    value('U', "unified"),
    attached('t', "track"),
    attached('\0', "recurse-submodules"),
    flag('d', "detach"),
    flag('p', "patch"),
    flag('m', "merge"),
];

/// Judges `checkout`.
pub(super) fn checkout(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>, earlier: &mut Earlier) {
    let flags = Flags::read(args, CHECKOUT);
    if flags.help {
        return;
    }
    if flags.has("force") {
        case.hold(&DISCARD, "git checkout --force");
    }
    if let Some(branch) = flags.value("B").filter(|branch| is_protected(case, branch)) {
        case.hold(&super::branch::MOVE_PROTECTED, ["-B ", branch].concat());
    }
    let (before, after) = flags.around_dashes();
    let paths = if flags.dashes.is_some() { after } else { before };
    if !flags.has("patch") {
        hold_everything(paths, "git checkout ", globals, case);
    }
    // Also piece by piece: what asks about each piece may be answered by a pipe.
    hold_rules(paths, globals, case);
    // What the work was based on may be taken back, what another commit says about hooks may not.
    if let Some((revision, rest)) = before.split_first()
        && !matches!(revision.text(), "HEAD" | "@")
    {
        hold_own(if flags.dashes.is_some() { after } else { rest }, globals, case);
    }
    if let Some(created) = flags.value("b").or(flags.value("B")).or(flags.value("orphan")) {
        globals.check_out(case, earlier, Some(created));
    } else if let ([target], []) = (before, after)
        && !is_file(target.text(), globals, case)
    {
        let branch = target.known().filter(|name| !flags.has("detach") && is_branch(name));
        globals.check_out(case, earlier, branch);
    }
}

/// Judges `switch`.
pub(super) fn switch(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>, earlier: &mut Earlier) {
    static FLAGS: &[Flag] = &[
        flag('f', "force"),
        flag('\0', "discard-changes"),
        value('c', "create"),
        value('C', "force-create"),
        value('\0', "orphan"),
        value('\0', "conflict"),
        attached('t', "track"),
        attached('\0', "recurse-submodules"),
        flag('d', "detach"),
        flag('m', "merge"),
    ];
    let flags = Flags::read(args, FLAGS);
    if flags.help {
        return;
    }
    if flags.has("force") || flags.has("discard-changes") {
        case.hold(&DISCARD, "git switch --discard-changes");
    }
    if let Some(branch) = flags.value("force-create").filter(|branch| is_protected(case, branch)) {
        case.hold(&super::branch::MOVE_PROTECTED, ["-C ", branch].concat());
    }
    let created = flags.value("create").or(flags.value("force-create")).or(flags.value("orphan"));
    let target = flags.operands.first().and_then(|arg| arg.known());
    let named = created.or(target).filter(|name| !flags.has("detach") && is_branch(name));
    globals.check_out(case, earlier, named);
}

/// Judges `restore`.
pub(super) fn restore(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[
        flag('S', "staged"),
        flag('W', "worktree"),
        value('s', "source"),
        value('\0', "conflict"),
        value('\0', "pathspec-from-file"),
        value('U', "unified"),
        flag('p', "patch"),
    ];
    let flags = Flags::read(args, FLAGS);
    let only_unstages = flags.has("staged") && !flags.has("worktree");
    if !flags.help && !only_unstages {
        if !flags.has("patch") {
            hold_everything(&flags.operands, "git restore ", globals, case);
        }
        hold_rules(&flags.operands, globals, case);
        if flags.value("source").is_some_and(|source| !matches!(source, "HEAD" | "@")) {
            hold_own(&flags.operands, globals, case);
        }
    }
}

/// Judges the plumbing below `checkout`.
pub(super) fn plumbing(name: &str, args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>) {
    static INDEX: &[Flag] = &[
        flag('a', "all"),
        flag('f', "force"),
        flag('u', "index"),
        value('\0', "prefix"),
        value('\0', "stage"),
        flag('z', "z"),
    ];
    static TREE: &[Flag] = &[
        flag('\0', "reset"),
        flag('u', "u"),
        flag('n', "dry-run"),
        value('\0', "prefix"),
        value('\0', "index-output"),
    ];
    if name == "checkout-index" {
        let flags = Flags::read(args, INDEX);
        if flags.has("force") && !flags.has("prefix") {
            if flags.has("all") {
                case.hold(&DISCARD, "git checkout-index --all --force");
            }
            hold_rules(&flags.operands, globals, case);
        }
    } else {
        let flags = Flags::read(args, TREE);
        if flags.has("reset") && flags.has("u") && !flags.has("dry-run") {
            case.hold(&DISCARD, "git read-tree --reset -u");
        }
    }
}

/// Judges `stash`.
pub(super) fn stash(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[value('m', "message"), value('\0', "pathspec-from-file")];
    let flags = Flags::read(args, FLAGS);
    let (before, after) = flags.around_dashes();
    match before.split_first() {
        None => hold_own(after, globals, case),
        Some((deed, paths)) if deed.is("push") => {
            hold_own(paths, globals, case);
            hold_own(after, globals, case);
        }
        Some(_) => {}
    }
    let Some(deed) = args.first().and_then(Arg::known) else { return };
    let help = args.get(1).is_some_and(|arg| arg.is("-h") || arg.is("--help"));
    if matches!(deed, "drop" | "clear") && !help {
        case.hold(&STASH, ["git stash ", deed].concat());
    }
}

/// Judges `rm`.
pub(super) fn remove(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[
        flag('f', "force"),
        flag('r', "r"),
        flag('n', "dry-run"),
        flag('\0', "cached"),
        value('\0', "pathspec-from-file"),
    ];
    let flags = Flags::read(args, FLAGS);
    let on_disk = !flags.has("cached") && !flags.has("dry-run") && !flags.help;
    if on_disk
        && let Some(path) = flags.operands.iter().find(|path| is_everything(path.text(), globals, case))
    {
        case.hold(&REMOVE, ["git rm ", path.text()].concat());
    }
    if on_disk {
        hold_own(&flags.operands, globals, case);
    }
}

/// Judges `worktree`.
pub(super) fn worktree(args: &[Arg], globals: &Globals<'_>, case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[flag('f', "force"), value('b', "b"), value('B', "B"), value('\0', "reason")];
    let flags = Flags::read(args, FLAGS);
    if flags.help {
        return;
    }
    if flags.operand(0) == "add" {
        hold_own(flags.operands.get(1..2).unwrap_or_default(), globals, case);
    }
    if flags.operand(0) == "remove" && flags.has("force") {
        case.hold(&WORKTREE, "git worktree remove --force");
    }
    if let Some(branch) = flags.value("B").filter(|branch| is_protected(case, branch)) {
        case.hold(&super::branch::MOVE_PROTECTED, ["-B ", branch].concat());
    }
}

/// Judges `submodule`; what its `foreach` runs is judged elsewhere.
pub(super) fn submodule(args: &[Arg], case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[flag('f', "force"), flag('\0', "all")];
    let flags = Flags::read(args, FLAGS);
    if flags.operand(0) == "deinit" && flags.has("force") && !flags.help {
        case.hold(&SUBMODULE, "git submodule deinit --force");
    }
}

fn hold_everything(paths: &[&Arg], deed: &str, globals: &Globals<'_>, case: &mut Case<'_>) {
    if let Some(path) = paths.iter().find(|path| is_everything(path.text(), globals, case)) {
        case.hold(&DISCARD, [deed, path.text()].concat());
    }
}

/// Holds pathspecs that name where hooks are registered, or the rules: git puts other content there.
fn hold_own(paths: &[&Arg], globals: &Globals<'_>, case: &mut Case<'_>) {
    hold_wards(paths, |ward| matches!(ward, Ward::Registration | Ward::Rules), globals, case);
}

/// Holds pathspecs that name the rules, where what was there before is put back: a rule that nobody has committed yet would be gone.
fn hold_rules(paths: &[&Arg], globals: &Globals<'_>, case: &mut Case<'_>) {
    hold_wards(paths, |ward| matches!(ward, Ward::Rules), globals, case);
}

fn hold_wards(paths: &[&Arg], is_held: impl Fn(Ward) -> bool, globals: &Globals<'_>, case: &mut Case<'_>) {
    if globals.call.elsewhere.is_some() {
        return;
    }
    let world = case.world;
    for path in paths {
        let spec = Pathspec::of(path.text());
        if spec.excludes {
            continue;
        }
        let dir = if spec.is_from_top { Some(world.root) } else { globals.dir() };
        let lower = spec.path.to_lowercase();
        for plain in
            [Some(spec.path), Some(lower.as_str()).filter(|_| spec.is_in_any_case)].into_iter().flatten()
        {
            // Git fills in patterns itself.
            let place = Place::of(plain, plain.contains(['*', '?', '[']), &Frame::of(&world, dir));
            if place.sweeps() && path::held_by(&place.swept()).is_none() {
                continue;
            }
            let ward = path::held_by(&place.swept()).or_else(|| path::ward(&place, &world));
            if let Some(rule) = ward.filter(|ward| is_held(*ward)).and_then(|ward| ward.rule(Access::Write)) {
                case.hold(rule, path.text());
                break;
            }
        }
    }
}

/// What git understands by a path: `src`, `:/src`, `:(top,glob)src/**`, `:!src`.
#[derive(Debug)]
struct Pathspec<'a> {
    path: &'a str,
    is_from_top: bool,
    is_in_any_case: bool,
    /// Whether it is about all the others.
    excludes: bool,
}

impl<'a> Pathspec<'a> {
    fn of(text: &'a str) -> Self {
        let plain = Self { path: text, is_from_top: false, is_in_any_case: false, excludes: false };
        let Some(magic) = text.strip_prefix(':') else { return plain };
        if let Some((words, path)) = magic.strip_prefix('(').and_then(|magic| magic.split_once(')')) {
            let has = |wanted: &str| words.split(',').any(|word| word.trim() == wanted);
            return Self {
                path,
                is_from_top: has("top"),
                is_in_any_case: has("icase"),
                excludes: has("exclude"),
            };
        }
        let path = magic.trim_start_matches(['/', '!', '^']);
        let signs = &magic[..magic.len() - path.len()];
        Self {
            path: path.strip_prefix(':').unwrap_or(path),
            is_from_top: signs.contains('/'),
            is_in_any_case: false,
            excludes: signs.contains(['!', '^']),
        }
    }
}

/// Says whether a pathspec takes everything: `.`, `*`, `:/`, `:(top)`, only exclusions, or a directory at or above where we are.
fn is_everything(path: &str, globals: &Globals<'_>, case: &Case<'_>) -> bool {
    let Pathspec { path: plain, excludes, .. } = Pathspec::of(path);
    if excludes {
        return true;
    }
    if plain.is_empty() {
        return path.starts_with(':');
    }
    if !path.starts_with(':') && (plain.starts_with('/') || plain.starts_with("../")) {
        let place = joined(globals.dir().unwrap_or_default(), plain.trim_end_matches(['/', '*']));
        let at_or_above = |dir: &str| {
            let rest = place.as_deref().and_then(|place| dir.strip_prefix(place));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if at_or_above(case.world.root) || globals.dir().is_some_and(at_or_above) {
            return true;
        }
    }
    plain.split('/').all(|part| matches!(part, "" | "." | ".." | "*" | "**" | "*.*"))
}

/// Says whether an operand of `checkout` is rather a file than a branch.
fn is_file(text: &str, globals: &Globals<'_>, case: &Case<'_>) -> bool {
    let name = text.rsplit('/').next().unwrap_or_default();
    // `v1.2` and `release/1.2` have dots too.
    let version = name.starts_with(|first: char| first.is_ascii_digit() || first == 'v');
    name.is_empty()
        || name.contains('.') && !version
        || globals.dir().is_some_and(|dir| case.world.files.text(&[dir, "/", text].concat()).is_some())
}

/// Says whether a revision can be the name of a branch, and not `-`, `HEAD~2` or `@{u}`.
fn is_branch(name: &str) -> bool {
    name != "-" && name != "HEAD" && !name.contains(['~', '^', '@'])
}
