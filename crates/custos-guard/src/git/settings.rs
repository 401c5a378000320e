//! Settings that decide what git runs and whom it trusts, wherever they are given: `git config`, `-c`, or the environment.

use crate::case::Case;
use crate::git::flags::{Flag, Flags, flag, value};
use crate::git::globals::{Globals, canonical};
use crate::git::nested::{Earlier, Nested};
use crate::invocation::{Arg, UNKNOWN};
use crate::verdict::{Hold, Rule};

pub(super) static HOOKS: Rule = Rule {
    id: "git.hooks-path",
    hold: Hold::Ask,
    reason: "replaces or switches off the hooks that check the work",
    safer: "leave core.hooksPath as it is",
};
pub(super) static PROGRAM: Rule = Rule {
    id: "git.config-program",
    hold: Hold::Ask,
    reason: "makes git run a program of the caller's choice",
    safer: "run the program itself, where everybody sees it",
};
pub(super) static INCLUDE: Rule = Rule {
    id: "git.config-include",
    hold: Hold::Ask,
    reason: "makes git take settings or hooks from another file",
    safer: "set the one setting that is needed",
};
pub(super) static TRUST: Rule = Rule {
    id: "git.config-trust",
    hold: Hold::Ask,
    reason: "switches off a check on whom git trusts",
    safer: "name the one directory or host that is to be trusted",
};

pub(super) static REDIRECT: Rule = Rule {
    id: "git.config-redirect",
    hold: Hold::Ask,
    reason: "sends what git fetches and pushes, in every repository, over another host",
    safer: "set it for this one repository",
};

/// What a setting makes git do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Hooks come from elsewhere.
    Hooks,
    /// A program runs where nobody expects one: held, and judged as a script.
    Hidden,
    /// A program runs that people choose every day, such as an editor: only judged as a script.
    Chosen,
    /// As `Chosen`, but it is told secrets: held unless it is an installed program.
    Secrets,
    /// As `Chosen`, but only what begins with `!` or `/`; the rest names one of git's own commands or helpers.
    Helper,
    /// The program that connects to the remote.
    Connection,
    /// More settings, or hooks for new repos, come from a file.
    Include,
    /// A check is switched off by this value.
    Trust(&'static [&'static str]),
}

fn effect(key: &str) -> Option<Effect> {
    use Effect::{Chosen, Connection, Helper, Hidden, Hooks, Include, Secrets, Trust};
    let (section, last) = (key.split_once('.')?.0, key.rsplit_once('.')?.1);
    Some(match (section, last) {
        ("core", "hookspath") => Hooks,
        ("core", "sshcommand") => Connection,
        ("core", "fsmonitor" | "gitproxy" | "alternaterefscommand")
        | ("uploadpack", "packobjectshook")
        | ("filter", "clean" | "smudge" | "process")
        | ("remote", "uploadpack" | "receivepack" | "vcs")
        | ("hook", "command") => Hidden,
        ("core" | "sequence", "editor")
        | ("core", "pager")
        | ("pager", _)
        | ("diff", "external" | "command" | "textconv")
        | ("merge", "driver")
        | ("difftool" | "mergetool" | "man" | "browser" | "trailer", "cmd" | "path" | "command")
        | ("tar", "command")
        | ("interactive", "difffilter")
        | ("sendemail", "sendmailcmd" | "tocmd" | "cccmd" | "headercmd") => Chosen,
        ("core", "askpass") | ("gpg", "program" | "defaultkeycommand") => Secrets,
        ("alias", _) | ("credential", "helper") | ("submodule", "update") => Helper,
        ("include" | "includeif", "path") | ("init", "templatedir") => Include,
        ("http", "sslverify") => Trust(&["false", "0", "no", "off", ""]),
        ("protocol", "allow") => Trust(&["always"]),
        ("safe", "directory") => Trust(&["*"]),
        _ => return None,
    })
}

/// Judges a setting that is given or written.
pub(super) fn judge(key: &str, value: &str, case: &mut Case<'_>, nested: &mut Vec<Nested>) {
    let Some(effect) = effect(key) else { return };
    let part = || [key, "=", &value.replace(UNKNOWN, "…")].concat();
    let runs =
        !value.is_empty() && !matches!(value, "true" | "false" | "yes" | "no" | "on" | "off" | "0" | "1");
    match effect {
        Effect::Hooks => case.hold(&HOOKS, part()),
        Effect::Hidden if runs && !is_lfs(value) => {
            case.hold(&PROGRAM, part());
            nested.push(Nested::script(value));
        }
        Effect::Connection if runs && !is_plain_ssh(value) => {
            case.hold(&PROGRAM, part());
            nested.push(Nested::script(value));
        }
        Effect::Chosen | Effect::Secrets if runs => {
            if effect == Effect::Secrets && !is_installed(value) {
                case.hold(&PROGRAM, part());
            }
            nested.push(Nested::script(value));
        }
        Effect::Helper => {
            let program = value.strip_prefix('!').or(Some(value).filter(|value| value.starts_with('/')));
            nested.extend(program.map(Nested::script));
        }
        Effect::Include if !value.is_empty() => case.hold(&INCLUDE, part()),
        Effect::Trust(values) if values.contains(&value) => case.hold(&TRUST, part()),
        Effect::Hidden
        | Effect::Connection
        | Effect::Chosen
        | Effect::Secrets
        | Effect::Include
        | Effect::Trust(_) => {}
    }
}

/// Judges what only matters if it is set for every repository.
fn judge_lasting(key: &str, value: &str, case: &mut Case<'_>) {
    let part = || [key, "=", &value.replace(UNKNOWN, "…")].concat();
    let rule = match effect(key) {
        Some(Effect::Chosen) => (!is_installed(value)).then_some(&PROGRAM),
        Some(Effect::Helper) if key.starts_with("credential.") => {
            let script = value.strip_prefix('!').unwrap_or_default();
            // The command lines of the forges install themselves so.
            let known =
                ["gh auth git-credential", "glab auth git-credential", "aws codecommit credential-helper"];
            let program = script.split(' ').next().unwrap_or_default();
            let plain =
                is_installed(script).then(|| &script[program.rfind('/').map_or(0, |slash| slash + 1)..]);
            let is_known = plain.is_some_and(|plain| known.contains(&plain.trim_end_matches(" $@")));
            (!script.is_empty() && !is_known).then_some(&PROGRAM)
        }
        _ if key.starts_with("url.") && (key.ends_with(".insteadof") || key.ends_with(".pushinsteadof")) => {
            let base =
                key.strip_prefix("url.").and_then(|key| key.rsplit_once('.')).map_or("", |(base, _)| base);
            (host(base) != host(value)).then_some(&REDIRECT)
        }
        _ if key.starts_with("http.") && key.rsplit('.').next() == Some("proxy") => {
            let host = host(value);
            (!host.is_empty() && host != "localhost" && !host.starts_with("127.")).then_some(&REDIRECT)
        }
        _ => None,
    };
    if let Some(rule) = rule {
        case.hold(rule, part());
    }
}

/// The host of an address: of `https://user@host:1/x` and of `git@host:x`.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split('/').next().unwrap_or_default();
    let rest = rest.rsplit('@').next().unwrap_or_default();
    rest.split(':').next().unwrap_or_default()
}

/// Judges `git config`, and remembers what it sets.
pub(super) fn config(
    args: &[Arg],
    globals: &Globals<'_>,
    case: &mut Case<'_>,
    earlier: &mut Earlier,
    nested: &mut Vec<Nested>,
) {
    static FLAGS: &[Flag] = &[
        value('f', "file"),
        value('\0', "blob"),
        value('\0', "type"),
        value('\0', "default"),
        value('\0', "comment"),
        value('\0', "value"),
        value('\0', "url"),
        flag('\0', "add"),
        flag('\0', "append"),
        flag('\0', "replace-all"),
        flag('\0', "unset"),
        flag('\0', "unset-all"),
        flag('\0', "remove-section"),
        flag('\0', "rename-section"),
        flag('\0', "get"),
        flag('\0', "get-all"),
        flag('\0', "get-regexp"),
        flag('\0', "get-urlmatch"),
        flag('\0', "get-color"),
        flag('\0', "get-colorbool"),
        flag('\0', "global"),
        flag('\0', "system"),
        flag('\0', "show-origin"),
        flag('l', "list"),
        flag('e', "edit"),
    ];
    const READING: &[&str] =
        &["get", "get-all", "get-regexp", "get-urlmatch", "get-color", "get-colorbool", "list"];
    let flags = Flags::read(args, FLAGS);
    if flags.help || READING.iter().any(|name| flags.has(name)) {
        return;
    }
    // The newer spelling has a verb in front; a setting always has a dot in its name.
    let (verb, operands) = match flags.operands.split_first() {
        Some((verb, rest)) if !verb.text().contains('.') => (verb.text(), rest),
        _ => ("", flags.operands.as_slice()),
    };
    let Some(key) = operands.first().map(|key| canonical(key.text())) else { return };
    let unsets = verb == "unset" || flags.has("unset") || flags.has("unset-all");
    if unsets {
        if key == "core.hookspath" {
            case.hold(&HOOKS, "unset core.hooksPath");
        }
        return;
    }
    let Some(value) = operands.get(1).filter(|_| matches!(verb, "" | "set")) else {
        if globals.call.open_ended {
            judge(&key, &UNKNOWN.to_string(), case, nested);
        }
        return;
    };
    if let Some(file) = flags.value("file") {
        nested.push(Nested::writes(file));
    }
    // The same setting for a container or another machine is that machine's affair.
    let elsewhere = globals.call.elsewhere.is_some() && matches!(effect(&key), Some(Effect::Trust(_)));
    if !elsewhere {
        judge(&key, value.text(), case, nested);
        if flags.has("global") || flags.has("system") {
            judge_lasting(&key, value.text(), case);
        }
    }
    earlier.configure(key, value.text());
}

/// Says whether a filter is that of Git LFS, which its own installer sets up.
fn is_lfs(value: &str) -> bool {
    let mut words = value.split_whitespace();
    let lfs = match words.next() {
        Some("git-lfs") => true,
        Some("git") => words.next() == Some("lfs"),
        _ => false,
    };
    lfs && !value.contains([';', '|', '&', '`', '$', '\n'])
}

/// Says whether a command is a program from one of the system's own directories.
pub(super) fn is_installed(value: &str) -> bool {
    let program = value.split_whitespace().next().unwrap_or_default();
    !program.contains('/')
        || ["/usr/", "/bin/", "/opt/", "/nix/"].iter().any(|place| program.starts_with(place))
}

/// Says whether a command is `ssh` with options that start nothing else: `ssh -i key -o IdentitiesOnly=yes`.
pub(super) fn is_plain_ssh(value: &str) -> bool {
    let program = value.split_whitespace().next().unwrap_or_default();
    let lower = value.to_ascii_lowercase();
    matches!(program, "ssh" | "/usr/bin/ssh" | "/bin/ssh")
        && !value.contains([';', '|', '&', '`', '\n', '(', '<', '>'])
        && !["proxycommand", "localcommand", "knownhostscommand", "pkcs11provider", "securitykeyprovider"]
            .iter()
            .any(|option| lower.contains(option))
        // Another configuration file may say any of these.
        && value.split(" -F").skip(1).all(|file| matches!(file.split_whitespace().next(), Some("/dev/null" | "none")))
}
