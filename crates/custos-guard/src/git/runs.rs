//! The programs that a subcommand would start because its arguments say so, and the files whose content it takes or gives.

use crate::case::Case;
use crate::git::flags::{Flag, Flags, attached, flag, value};
use crate::git::nested::Nested;
use crate::invocation::{Arg, UNKNOWN, Use};
use crate::verdict::{Hold, Rule};

pub(super) static TRANSPORT: Rule = Rule {
    id: "git.transport-program",
    hold: Hold::Deny,
    reason: "has git run a program in place of a connection to a remote",
    safer: "use an https or ssh address",
};

/// The options of `send-email` that name programs.
static MAILING: &[Flag] =
    &[value('\0', "to-cmd"), value('\0', "cc-cmd"), value('\0', "header-cmd"), value('\0', "sendmail-cmd")];

/// Collects what a subcommand would start, read or write.
pub(super) fn collect(name: &str, args: &[Arg], case: &mut Case<'_>, nested: &mut Vec<Nested>) {
    match name {
        "bisect" => bisect(args, nested),
        "for-each-repo" => for_each_repo(args, nested),
        "submodule" => {
            foreach(args, nested);
            transports(args, case, nested);
        }
        "filter-branch" => filters(args, nested),
        "rebase" => scripts(args, &[value('x', "exec")], &["exec"], nested),
        "difftool" => scripts(args, &[value('x', "extcmd")], &["extcmd"], nested),
        "grep" => {
            let table = &[attached('O', "open-files-in-pager"), value('e', "e")];
            scripts(args, table, &["open-files-in-pager"], nested);
            let dashes = args.iter().position(|arg| arg.is("--")).unwrap_or(args.len());
            nested.extend(args[dashes..].iter().skip(1).map(|path| Nested::File(Use::Read, path.clone())));
        }
        "clone" => {
            scripts(
                args,
                &[value('u', "upload-pack"), value('c', "config"), value('b', "branch")],
                &["upload-pack"],
                nested,
            );
            clone_settings(args, case, nested);
            transports(args, case, nested);
        }
        "fetch" | "pull" | "ls-remote" | "fetch-pack" | "send-pack" | "push" | "remote" => {
            scripts(args, &[value('\0', "upload-pack")], &["upload-pack"], nested);
            transports(args, case, nested);
        }
        "archive" => {
            scripts(args, &[value('\0', "exec")], &["exec"], nested);
            written(args, &[value('o', "output")], nested);
            transports(args, case, nested);
        }
        "remote-ext" => {
            if let Some(program) = args.get(1) {
                case.hold(&TRANSPORT, "git remote-ext");
                nested.push(Nested::script(program.text()));
            }
        }
        "send-email" => scripts(args, MAILING, &["to-cmd", "cc-cmd", "header-cmd", "sendmail-cmd"], nested),
        "add" | "stage" => added(args, nested),
        "show" | "cat-file" | "blame" | "annotate" | "diff" | "log" => {
            shown(name, args, nested);
            written(args, &[value('\0', "output")], nested);
        }
        "format-patch" => {
            written(args, &[value('\0', "output"), value('o', "output-directory")], nested);
        }
        "init" | "init-db" => template(&Flags::read(args, &[value('\0', "template")]), case, nested),
        "checkout" | "restore" | "rm" | "mv" => changed(name, args, nested),
        "hash-object" => nested.extend(plain(args).map(Nested::reads)),
        _ => {}
    }
}

fn scripts(args: &[Arg], table: &[Flag], names: &[&str], nested: &mut Vec<Nested>) {
    let flags = Flags::read(args, table);
    for name in names {
        nested.extend(flags.values(name).filter(|text| !text.is_empty()).map(Nested::script));
    }
}

fn written(args: &[Arg], table: &[Flag], nested: &mut Vec<Nested>) {
    let flags = Flags::read(args, table);
    nested.extend(flags.values("output").chain(flags.values("output-directory")).map(Nested::writes));
}

/// `clone -c key=value` sets in the new repo what `-c` sets for a call.
fn clone_settings(args: &[Arg], case: &mut Case<'_>, nested: &mut Vec<Nested>) {
    static FLAGS: &[Flag] = &[
        value('c', "config"),
        value('\0', "template"),
        value('b', "branch"),
        value('o', "origin"),
        value('u', "upload-pack"),
    ];
    let flags = Flags::read(args, FLAGS);
    for setting in flags.values("config") {
        let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
        super::settings::judge(&super::globals::canonical(key), value, case, nested);
    }
    template(&flags, case, nested);
}

/// `--template DIR` fills a new repo with hooks.
fn template(flags: &Flags<'_>, case: &mut Case<'_>, nested: &mut Vec<Nested>) {
    if let Some(directory) = flags.value("template") {
        super::settings::judge("init.templatedir", directory, case, nested);
    }
}

/// `bisect run COMMAND…`.
fn bisect(args: &[Arg], nested: &mut Vec<Nested>) {
    if args.first().is_some_and(|deed| deed.is("run")) && args.len() > 1 {
        nested.push(Nested::argv(&args[1..]));
    }
}

/// `for-each-repo --config=KEY COMMAND…`, where the command is one of git's own.
fn for_each_repo(args: &[Arg], nested: &mut Vec<Nested>) {
    static FLAGS: &[Flag] = &[value('\0', "config"), flag('\0', "keep-going")];
    let first = Flags::read(args, FLAGS)
        .operands
        .first()
        .and_then(|first| args.iter().position(|arg| std::ptr::eq(arg, *first)));
    if let Some(first) = first {
        nested.push(Nested::argv([&Arg::new("git")].into_iter().chain(&args[first..])));
    }
}

/// `submodule foreach [--recursive] COMMAND…`: one word is a script, several are a program with its arguments.
fn foreach(args: &[Arg], nested: &mut Vec<Nested>) {
    let mut words = args.iter().skip_while(|word| word.text().starts_with('-'));
    if words.next().is_some_and(|deed| deed.is("foreach")) {
        let command: Vec<&Arg> = words.skip_while(|word| word.text().starts_with("--")).collect();
        match command.as_slice() {
            [] => {}
            [script] => nested.push(Nested::script(script.text())),
            command => nested.push(Nested::argv(command.iter().copied())),
        }
    }
}

/// `filter-branch --tree-filter SCRIPT` and its siblings.
fn filters(args: &[Arg], nested: &mut Vec<Nested>) {
    for pair in args.windows(2) {
        let name = pair[0].text();
        if name.starts_with("--") && name.ends_with("-filter") || name == "--setup" {
            nested.push(Nested::script(pair[1].text()));
        }
    }
}

/// Addresses such as `ext::sh -c …`, for which git runs a program.
fn transports(args: &[Arg], case: &mut Case<'_>, nested: &mut Vec<Nested>) {
    for arg in args {
        let text = arg.text();
        let address =
            text.split_once('=').filter(|_| text.starts_with("--")).map_or(text, |(_, value)| value);
        if let Some(program) = address.strip_prefix("ext::") {
            case.hold(&TRANSPORT, text.replace(UNKNOWN, "…"));
            nested.push(Nested::script(program));
        }
    }
}

/// The files that `add` takes in by name; that they leave the machine with the next push makes it a way of reading them.
fn added(args: &[Arg], nested: &mut Vec<Nested>) {
    static FLAGS: &[Flag] = &[
        flag('n', "dry-run"),
        flag('\0', "refresh"),
        value('\0', "chmod"),
        value('\0', "pathspec-from-file"),
        flag('e', "edit"),
    ];
    let flags = Flags::read(args, FLAGS);
    if !flags.has("dry-run") && !flags.has("refresh") {
        nested.extend(flags.operands.iter().map(|path| Nested::File(Use::Read, (*path).clone())));
    }
}

/// The files that are brought back to an older state, moved or deleted.
fn changed(name: &str, args: &[Arg], nested: &mut Vec<Nested>) {
    static FLAGS: &[Flag] = &[
        flag('S', "staged"),
        flag('W', "worktree"),
        flag('\0', "cached"),
        flag('n', "dry-run"),
        value('s', "source"),
        value('b', "b"),
        value('B', "B"),
        value('\0', "orphan"),
        value('\0', "conflict"),
    ];
    let flags = Flags::read(args, FLAGS);
    let only_index = flags.has("cached") || flags.has("staged") && !flags.has("worktree");
    if only_index || flags.has("dry-run") || name == "checkout" && (flags.has("b") || flags.has("B")) {
        return;
    }
    let (before, after) = flags.around_dashes();
    let paths = if flags.dashes.is_some() { after } else { before };
    nested.extend(paths.iter().map(|path| Nested::File(Use::Write, (*path).clone())));
}

/// The files whose content is shown: `show HEAD:path`, `blame path`, `diff path`, `log -p path`.
fn shown(name: &str, args: &[Arg], nested: &mut Vec<Nested>) {
    if name == "log" && !args.iter().any(|arg| matches!(arg.text(), "-p" | "-u" | "--patch")) {
        return;
    }
    for text in plain(args) {
        match text.split_once(':') {
            Some((_, path)) if !path.is_empty() && !text.starts_with(':') => nested.push(Nested::reads(path)),
            Some(_) => {}
            None if matches!(name, "show" | "cat-file") => {}
            None => nested.push(Nested::reads(text)),
        }
    }
}

/// The words that are no options, and all words after `--`.
fn plain(args: &[Arg]) -> impl Iterator<Item = &str> {
    let dashes = args.iter().position(|arg| arg.is("--")).unwrap_or(args.len());
    args.iter()
        .enumerate()
        .filter(move |(index, arg)| *index > dashes || *index < dashes && !arg.text().starts_with('-'))
        .map(|(_, arg)| arg.text())
}
