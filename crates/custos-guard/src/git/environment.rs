//! What the environment tells git to run or to skip.

use std::borrow::Cow;

use crate::case::Case;
use crate::git::alias;
use crate::git::globals::Globals;
use crate::git::nested::Nested;
use crate::git::settings::{is_installed, is_plain_ssh};
use crate::invocation::{Arg, UNKNOWN};
use crate::verdict::{Hold, Rule};

pub(super) static PROGRAM: Rule = Rule {
    id: "git.environment-program",
    hold: Hold::Ask,
    reason: "makes git run a program of the caller's choice through the environment",
    safer: "run the program itself, where everybody sees it",
};
pub(super) static CONFIG: Rule = Rule {
    id: "git.environment-config",
    hold: Hold::Ask,
    reason: "makes git take its settings from another file",
    safer: "give the one setting that is needed with -c",
};
pub(super) static TLS: Rule = Rule {
    id: "git.no-tls-check",
    hold: Hold::Ask,
    reason: "talks to the remote without checking who it is",
    safer: "install the certificate of the remote",
};

/// Judges the variables that are set for a call, and takes the settings in them.
pub(super) fn judge(globals: &mut Globals<'_>, case: &mut Case<'_>, nested: &mut Vec<Nested>) {
    let call = globals.call;
    for (name, value) in &call.env {
        let text = value.text();
        match name.as_str() {
            "GIT_SSH_COMMAND" | "GIT_SSH" | "GIT_PROXY_COMMAND"
                if !text.is_empty() && !is_plain_ssh(text) =>
            {
                case.hold(&PROGRAM, shown(name, text));
                nested.push(Nested::script(text));
            }
            "GIT_ASKPASS" | "SSH_ASKPASS" if !is_installed(text) => {
                case.hold(&PROGRAM, shown(name, text));
                nested.push(Nested::script(text));
            }
            "GIT_EDITOR"
            | "GIT_SEQUENCE_EDITOR"
            | "GIT_PAGER"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_ASKPASS"
            | "SSH_ASKPASS"
            | "EDITOR"
            | "VISUAL"
            | "PAGER"
            | "BROWSER"
                if !text.is_empty() =>
            {
                nested.push(Nested::script(text));
            }
            "GIT_EXEC_PATH" => case.hold(&PROGRAM, shown(name, text)),
            "GIT_TEMPLATE_DIR" if !text.is_empty() => case.hold(&CONFIG, shown(name, text)),
            "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" | "GIT_CONFIG"
                if value.is_sure() && !matches!(text, "" | "/dev/null") =>
            {
                case.hold(&CONFIG, shown(name, text));
            }
            "GIT_SSL_NO_VERIFY" if !matches!(text, "" | "0" | "false") => case.hold(&TLS, shown(name, text)),
            "GIT_CONFIG_PARAMETERS" => parameters(text, globals),
            _ => {
                if let Some(number) = name.strip_prefix("GIT_CONFIG_KEY_") {
                    let partner = ["GIT_CONFIG_VALUE_", number].concat();
                    let given = call.env.iter().rev().find(|(name, _)| *name == partner);
                    globals.set(text, Cow::Borrowed(given.map_or("", |(_, given)| given.text())));
                }
            }
        }
    }
}

/// Judges the switches by which the usual managers of hooks are told to do nothing.
pub(super) fn judge_hooks(subcommand: &str, globals: &Globals<'_>, case: &mut Case<'_>) {
    if !matches!(subcommand, "am" | "cherry-pick" | "commit" | "merge" | "push" | "rebase" | "revert") {
        return;
    }
    for (name, value) in &globals.call.env {
        let off = match name.as_str() {
            "HUSKY" | "LEFTHOOK" => matches!(value.text(), "0" | "false"),
            "HUSKY_SKIP_HOOKS" | "OVERCOMMIT_DISABLE" => !matches!(value.text(), "" | "0" | "false"),
            _ => false,
        };
        if off {
            super::commit::skips_hooks(shown(name, value.text()), case);
        }
    }
}

/// Takes the settings from git's own way of handing them to its children: `'key=value' 'key'='value'`.
fn parameters(text: &str, globals: &mut Globals<'_>) {
    for word in alias::split(text).iter().map(Arg::text) {
        let (key, value) = word.split_once('=').unwrap_or((word, "true"));
        globals.set(key, Cow::Owned(value.to_owned()));
    }
}

fn shown(name: &str, value: &str) -> String {
    [name, "=", &value.replace(UNKNOWN, "…")].concat()
}
