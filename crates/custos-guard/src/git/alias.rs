//! Aliases, and the configuration files that hold them.
//!
//! An alias cannot replace a command of git's own, so nothing is read from disk unless the subcommand is none of those.

use crate::case::Case;
use crate::git::globals::{Globals, canonical};
use crate::git::nested::Earlier;
use crate::invocation::Arg;

/// Git's own commands, in order.
#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "add", "am", "annotate", "apply", "archimport", "archive", "bisect", "blame", "branch", "bugreport",
    "bundle", "cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format", "checkout",
    "checkout-index", "cherry", "cherry-pick", "citool", "clean", "clone", "column", "commit", "commit-graph",
    "commit-tree", "config", "count-objects", "credential", "credential-cache", "credential-store",
    "cvsexportcommit", "cvsimport", "cvsserver", "daemon", "describe", "diagnose", "diff", "diff-files",
    "diff-index", "diff-pairs", "diff-tree", "difftool", "fast-export", "fast-import", "fetch", "fetch-pack",
    "filter-branch", "fmt-merge-msg", "for-each-ref", "for-each-repo", "format-patch", "fsck", "fsck-objects",
    "gc", "get-tar-commit-id", "gitk", "grep", "gui", "hash-object", "help", "hook", "http-backend",
    "http-fetch", "http-push", "imap-send", "index-pack", "init", "init-db", "instaweb", "interpret-trailers",
    "log", "ls-files", "ls-remote", "ls-tree", "mailinfo", "mailsplit", "maintenance", "merge", "merge-base",
    "merge-file", "merge-index", "merge-one-file", "merge-tree", "mergetool", "mktag", "mktree",
    "multi-pack-index", "mv", "name-rev", "notes", "p4", "pack-objects", "pack-redundant", "pack-refs",
    "patch-id", "pickaxe", "prune", "prune-packed", "pull", "push", "quiltimport", "range-diff", "read-tree",
    "rebase", "receive-pack", "reflog", "refs", "remote", "remote-ext", "remote-fd", "remote-http",
    "remote-https", "repack", "replace", "replay", "request-pull", "rerere", "reset", "restore", "rev-list",
    "rev-parse", "revert", "rm", "scalar", "send-email", "send-pack", "shell", "shortlog", "show",
    "show-branch", "show-index", "show-ref", "sparse-checkout", "stage", "stash", "status", "stripspace",
    "submodule", "svn", "switch", "symbolic-ref", "tag", "unpack-file", "unpack-objects", "update-index",
    "update-ref", "update-server-info", "upload-archive", "upload-pack", "var", "verify-commit",
    "verify-pack", "verify-tag", "version", "whatchanged", "worktree", "write-tree",
];

/// Says whether git has a command of this name.
pub(super) fn is_command(name: &str) -> bool {
    COMMANDS.binary_search(&name).is_ok()
}

/// What an alias stands for: defined for this call, earlier on the command line, or in a configuration file.
pub(super) fn meaning(
    name: &str,
    globals: &Globals<'_>,
    case: &Case<'_>,
    earlier: &Earlier,
) -> Option<String> {
    let key = canonical(&["alias.", name].concat());
    if let Some(meaning) = globals.setting(&key) {
        return Some(meaning.to_owned());
    }
    if let Some(meaning) = earlier.setting(&key) {
        return Some(meaning.to_owned());
    }
    if globals.call.elsewhere.is_some() {
        return None;
    }
    configured(globals, case).into_iter().rev().find(|(known, _)| *known == key).map(|(_, meaning)| meaning)
}

/// Everything that the configuration files say, the person's first, so that what comes later counts.
pub(super) fn configured(globals: &Globals<'_>, case: &Case<'_>) -> Vec<(String, String)> {
    let files = case.world.files;
    let mut found = Vec::new();
    if let Some(home) = case.world.home {
        for place in ["/.config/git/config", "/.gitconfig"] {
            found.extend(files.text(&[home, place].concat()).iter().flat_map(|text| entries(text)));
        }
    }
    if let Some(repo) = globals.repo(case) {
        let git_dir = match files.text(&[&repo, "/.git"].concat()) {
            // A worktree or a submodule: a file says where its repo is.
            Some(link) => {
                link.strip_prefix("gitdir:").map_or_else(String::new, |path| path.trim().to_owned())
            }
            None => [&repo, "/.git"].concat(),
        };
        let shared = git_dir.split_once("/worktrees/").map_or(git_dir.as_str(), |(shared, _)| shared);
        found.extend(files.text(&[shared, "/config"].concat()).iter().flat_map(|text| entries(text)));
    }
    found
}

/// Reads a configuration file: full names of settings with their values.
pub(super) fn entries(text: &str) -> Vec<(String, String)> {
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    let mut found = Vec::new();
    let mut section = String::new();
    for line in joined.lines().map(str::trim) {
        let mut line = line;
        if let Some(rest) = line.strip_prefix('[') {
            let Some((name, after)) = rest.split_once(']') else { continue };
            section = match name.split_once('"') {
                Some((name, sub)) => [name.trim(), ".", sub.trim_end_matches('"')].concat(),
                None => name.trim().to_owned(),
            };
            line = after.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        found.push((canonical(&[&section, ".", key.trim()].concat()), unquoted(value.trim())));
    }
    found
}

/// A value without its quotes, escapes and comment.
fn unquoted(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut quoted = false;
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' => match letters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some(other) => plain.push(other),
                None => {}
            },
            '#' | ';' if !quoted => break,
            other => plain.push(other),
        }
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// Splits an alias into words, as git does: quotes and backslashes, and nothing else of a shell.
pub(super) fn split(meaning: &str) -> Vec<Arg> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut begun = false;
    let mut quote = None;
    let mut letters = meaning.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => word.extend(letters.next()),
            (letter, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => quote = Some(letter),
            (space, None) if space.is_whitespace() => {
                if begun {
                    words.push(Arg::new(std::mem::take(&mut word)));
                    begun = false;
                }
                continue;
            }
            _ => word.push(letter),
        }
        begun = true;
    }
    if begun {
        words.push(Arg::new(word));
    }
    words
}

/// The script that a shell alias (`!…`) becomes with these arguments.
pub(super) fn script(meaning: &str, args: &[Arg]) -> String {
    let mut script = meaning.to_owned();
    for arg in args {
        script.push_str(" '");
        script.push_str(&arg.text().replace('\'', r"'\''"));
        script.push('\'');
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_in_order() {
        assert!(COMMANDS.is_sorted());
    }

    #[test]
    fn a_configuration_file_is_read() {
        let text = "# mine\n[alias]\n  p = push -f ; force\n\tX = \"!sh -c 'a; b'\"\n[remote \"Up\"] url = x\n[core]\nbare\n[a]k=1\\\n2\n";
        let found = entries(text);
        let found: Vec<_> = found.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(
            found,
            [
                ("alias.p", "push -f"),
                ("alias.x", "!sh -c 'a; b'"),
                ("remote.Up.url", "x"),
                ("core.bare", "true"),
                ("a.k", "12")
            ]
        );
    }

    #[test]
    fn an_alias_is_split_as_git_splits_it() {
        let words = split(r#"log  --format="%h %s" 'a b'\ c "" "#);
        let words: Vec<_> = words.iter().map(Arg::text).collect();
        assert_eq!(words, ["log", "--format=%h %s", "a b c", ""]);
    }
}
