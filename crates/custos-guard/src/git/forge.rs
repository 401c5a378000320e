//! The command lines of the forges: `gh`, `glab` and `hub`.
//!
//! What they do happens on a server, in the person's name and before everybody's eyes. Looking, commenting and opening pull requests is an
//! agent's daily work; merging, publishing, deleting and giving access is the person's.

use crate::case::Case;
use crate::git::flags::{Flag, Flags, flag, value};
use crate::git::globals::Globals;
use crate::git::nested::{Earlier, Nested};
use crate::git::refs::{is_protected, names_protected};
use crate::invocation::{Arg, Invocation, UNKNOWN};
use crate::verdict::{Hold, Rule};

static MERGE: Rule = Rule {
    id: "forge.merge",
    hold: Hold::Ask,
    reason: "merges or approves a pull request in the person's name",
    safer: "leave the merge to the person",
};
static MERGE_ADMIN: Rule = Rule {
    id: "forge.merge-admin",
    hold: Hold::Deny,
    reason: "merges a pull request past the protection of its branch",
    safer: "wait for the checks and the review",
};
static REPO_DELETE: Rule = Rule {
    id: "forge.repo-delete",
    hold: Hold::Deny,
    reason: "deletes a repo on the server",
    safer: "leave that to the person",
};
static REPO_CHANGE: Rule = Rule {
    id: "forge.repo-change",
    hold: Hold::Ask,
    reason: "changes what a repo is on the server: its name, owner, state or protection",
    safer: "leave that to the person",
};
static VISIBILITY: Rule = Rule {
    id: "forge.visibility",
    hold: Hold::Deny,
    reason: "changes who can see the repo",
    safer: "leave that to the person",
};
static PUBLISH: Rule = Rule {
    id: "forge.publish",
    hold: Hold::Ask,
    reason: "publishes files or a release",
    safer: "prepare it as a draft",
};
static DELETE: Rule = Rule {
    id: "forge.delete",
    hold: Hold::Ask,
    reason: "deletes something on the server that cannot be brought back",
    safer: "close or archive it instead",
};
static SECRET: Rule = Rule {
    id: "forge.secret",
    hold: Hold::Ask,
    reason: "changes a secret or variable of the pipelines",
    safer: "leave secrets to the person",
};
static ACCESS: Rule = Rule {
    id: "forge.access",
    hold: Hold::Ask,
    reason: "changes who or what has access to the account or the repo",
    safer: "leave that to the person",
};
static TOKEN: Rule = Rule {
    id: "forge.token",
    hold: Hold::Ask,
    reason: "prints the access token",
    safer: "let the tool use its token itself",
};
static API: Rule = Rule {
    id: "forge.api",
    hold: Hold::Ask,
    reason: "changes or deletes something on the server through its programming interface",
    safer: "use the subcommand that is made for it, or leave it to the person",
};

/// The rules about forges.
pub(crate) static RULES: &[&Rule] = &[
    &MERGE,
    &MERGE_ADMIN,
    &REPO_DELETE,
    &REPO_CHANGE,
    &VISIBILITY,
    &PUBLISH,
    &DELETE,
    &SECRET,
    &ACCESS,
    &TOKEN,
    &API,
];

/// What is held whatever its options: group, verb, rule.
static DEEDS: &[(&str, &str, &Rule)] = &[
    ("auth", "git-credential", &TOKEN),
    ("auth", "token", &TOKEN),
    ("ci", "delete", &DELETE),
    ("codespace", "delete", &DELETE),
    ("cs", "delete", &DELETE),
    ("deploy-key", "add", &ACCESS),
    ("deploy-key", "delete", &ACCESS),
    ("gist", "delete", &DELETE),
    ("gpg-key", "add", &ACCESS),
    ("gpg-key", "delete", &ACCESS),
    ("issue", "delete", &DELETE),
    ("label", "delete", &DELETE),
    ("milestone", "delete", &DELETE),
    ("mr", "approve", &MERGE),
    ("mr", "delete", &DELETE),
    ("project", "delete", &DELETE),
    ("project", "field-delete", &DELETE),
    ("project", "item-delete", &DELETE),
    ("release", "delete", &DELETE),
    ("release", "delete-asset", &DELETE),
    ("repo", "archive", &REPO_CHANGE),
    ("repo", "delete", &REPO_DELETE),
    ("repo", "rename", &REPO_CHANGE),
    ("repo", "transfer", &REPO_CHANGE),
    ("repo", "unarchive", &REPO_CHANGE),
    ("run", "delete", &DELETE),
    ("schedule", "delete", &DELETE),
    ("secret", "delete", &SECRET),
    ("secret", "remove", &SECRET),
    ("secret", "set", &SECRET),
    ("snippet", "delete", &DELETE),
    ("ssh-key", "add", &ACCESS),
    ("ssh-key", "delete", &ACCESS),
    ("token", "create", &ACCESS),
    ("token", "revoke", &ACCESS),
    ("token", "rotate", &ACCESS),
    ("variable", "delete", &SECRET),
    ("variable", "remove", &SECRET),
    ("variable", "set", &SECRET),
    ("variable", "update", &SECRET),
    ("workflow", "disable", &REPO_CHANGE),
];

/// Options that may stand before the verb.
static FRONT: &[Flag] = &[value('R', "repo"), value('\0', "hostname")];

/// Judges a call of `gh`, `glab` or `hub`; gives back what it would do beyond itself.
pub(crate) fn judge_forge(call: &Invocation, case: &mut Case<'_>, earlier: &mut Earlier) -> Vec<Nested> {
    let mut nested = Vec::new();
    for (name, text) in &call.env {
        if matches!(
            name.as_str(),
            "GH_PAGER" | "GH_EDITOR" | "GH_BROWSER" | "GLAB_PAGER" | "PAGER" | "EDITOR" | "BROWSER"
        ) {
            nested.push(Nested::script(text.text()));
        }
    }
    let front = Flags::read(call.args(), FRONT);
    if front.help || call.args().iter().any(|arg| arg.is("--help")) {
        return nested;
    }
    let (group, verb) = (front.operand(0), front.operand(1));
    if call.program() == "hub" && !matches!(group, "api" | "delete" | "release" | "gist" | "pr" | "issue") {
        // Whatever hub does not know, it hands to git.
        let git = Invocation { argv: [&[Arg::new("git")], call.args()].concat(), ..call.clone() };
        return super::judge(&git, case, earlier);
    }
    let group = match group {
        "project" if call.program() == "glab" => "repo",
        "r" => "repo",
        other => other,
    };
    // With glab, `repo archive` downloads one.
    let downloads = call.program() == "glab" && verb == "archive";
    if let Some((_, _, rule)) =
        DEEDS.iter().find(|(known, deed, _)| *known == group && *deed == verb && !downloads)
    {
        case.hold(rule, part(call, group, verb));
    }
    match (group, verb) {
        ("delete", _) => case.hold(&REPO_DELETE, part(call, group, "")),
        ("api", _) => api(call, case),
        ("pr" | "mr", "merge" | "accept") => merge(call, verb, case),
        ("pr" | "mr", "close") if given(call, &[flag('d', "delete-branch")]) => {
            case.hold(&DELETE, part(call, group, "close --delete-branch"));
        }
        ("pr", "review")
            if given(call, &[flag('a', "approve"), value('b', "body"), value('F', "body-file")]) =>
        {
            case.hold(&MERGE, part(call, group, "review --approve"));
        }
        ("pr" | "mr", "checkout" | "co") | ("co", _) => Globals::new(call).check_out(case, earlier, None),
        ("repo", "edit" | "create" | "new" | "sync" | "update" | "deploy-key") => repo(call, verb, case),
        ("release", "create" | "upload" | "edit" | "new") => release(call, verb, case),
        ("auth", "status") if given(call, &[flag('t', "show-token")]) => {
            case.hold(&TOKEN, part(call, group, "status --show-token"));
        }
        ("gist" | "snippet", "create" | "new") => gist(call, &front, case, &mut nested),
        ("alias", "set") => alias(&front, call, &mut nested),
        ("config", "set") if matches!(front.operand(2), "editor" | "pager" | "browser") => {
            nested.push(Nested::script(front.operand(3)));
        }
        _ => {}
    }
    if matches!(group, "secret" | "variable") {
        let flags = Flags::read(call.args(), &[value('f', "env-file"), value('b', "body")]);
        nested.extend(flags.value("env-file").map(Nested::reads));
    }
    nested
}

/// Says whether the first option of a table is given; the others are there because they take values.
fn given(call: &Invocation, table: &[Flag]) -> bool {
    table.first().is_some_and(|first| Flags::read(call.args(), table).has(first.name))
}

fn part(call: &Invocation, group: &str, verb: &str) -> String {
    [call.program(), " ", group, " ", verb].concat().trim_end().to_owned()
}

fn merge(call: &Invocation, verb: &str, case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[
        flag('\0', "admin"),
        flag('\0', "disable-auto"),
        value('b', "body"),
        value('t', "subject"),
        value('F', "body-file"),
        value('A', "author-email"),
        value('\0', "match-head-commit"),
        value('R', "repo"),
    ];
    let flags = Flags::read(call.args(), FLAGS);
    if flags.has("admin") {
        case.hold(&MERGE_ADMIN, "--admin");
    } else if !flags.has("disable-auto") {
        case.hold(&MERGE, part(call, "pr", verb));
    }
}

fn repo(call: &Invocation, verb: &str, case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[
        value('\0', "visibility"),
        flag('\0', "public"),
        flag('\0', "push"),
        value('s', "source"),
        flag('\0', "force"),
        value('d', "description"),
        value('b', "branch"),
        flag('\0', "archive"),
    ];
    let flags = Flags::read(call.args(), FLAGS);
    match verb {
        "edit" | "update" if flags.has("visibility") => {
            case.hold(&VISIBILITY, ["--visibility ", flags.value("visibility").unwrap_or_default()].concat());
        }
        "update" if flags.has("archive") => case.hold(&REPO_CHANGE, "--archive"),
        "create" | "new" if flags.has("public") && (flags.has("push") || flags.has("source")) => {
            case.hold(&PUBLISH, part(call, "repo", "create --public"));
        }
        "sync" if flags.has("force") => case.hold(&REPO_CHANGE, part(call, "repo", "sync --force")),
        "deploy-key" if matches!(flags.operand(2), "add" | "delete") => {
            case.hold(&ACCESS, part(call, "repo", "deploy-key"));
        }
        _ => {}
    }
}

fn release(call: &Invocation, verb: &str, case: &mut Case<'_>) {
    static FLAGS: &[Flag] =
        &[flag('d', "draft"), value('n', "notes"), value('t', "title"), value('F', "notes-file")];
    let flags = Flags::read(call.args(), FLAGS);
    let published = match verb {
        "edit" => call.args().iter().any(|arg| arg.is("--draft=false")),
        _ => !flags.has("draft") || flags.value("draft").is_some_and(|draft| draft == "false"),
    };
    if published {
        case.hold(&PUBLISH, part(call, "release", verb));
    }
}

fn gist(call: &Invocation, front: &Flags<'_>, case: &mut Case<'_>, nested: &mut Vec<Nested>) {
    if given(call, &[flag('p', "public"), value('d', "desc"), value('f', "filename")]) {
        case.hold(&PUBLISH, part(call, "gist", "create --public"));
    }
    nested.extend(front.operands.iter().skip(2).map(|file| Nested::reads(file.text())));
}

fn alias(front: &Flags<'_>, call: &Invocation, nested: &mut Vec<Nested>) {
    let meaning = front.operand(3);
    if let Some(script) = meaning.strip_prefix('!') {
        nested.push(Nested::script(script));
    } else if given(call, &[flag('s', "shell")]) {
        nested.push(Nested::script(meaning));
    } else if !meaning.is_empty() {
        nested.push(Nested::Script([call.program(), " ", meaning].concat()));
    }
}

/// Judges a request by its method and address.
fn api(call: &Invocation, case: &mut Case<'_>) {
    static FLAGS: &[Flag] = &[
        value('X', "method"),
        value('H', "header"),
        value('f', "raw-field"),
        value('F', "field"),
        value('\0', "input"),
        value('q', "jq"),
        value('t', "template"),
        value('p', "preview"),
        value('\0', "cache"),
        value('\0', "hostname"),
    ];
    let flags = Flags::read(call.args(), FLAGS);
    let fields = || flags.values("raw-field").chain(flags.values("field"));
    let address = flags.operand(1).trim_start_matches('/');
    let address = address.split(['?', '#']).next().unwrap_or_default();
    if address == "graphql" {
        if let Some(mutation) = fields().find_map(|field| destructive_mutation(field)) {
            case.hold(&API, mutation);
        }
        return;
    }
    let writes = flags.has("input") || fields().next().is_some();
    let method = flags
        .value("method")
        .map_or_else(|| if writes { "POST" } else { "GET" }.to_owned(), str::to_ascii_uppercase);
    let shown = || [&method, " ", address].concat().replace(UNKNOWN, "…");
    let parts: Vec<&str> = address.split('/').collect();
    let below = |name: &str| parts.iter().skip(2).any(|part| *part == name);
    let last = parts.last().copied().unwrap_or_default();
    match method.as_str() {
        "GET" | "HEAD" | "OPTIONS" => {}
        "DELETE" if matches!(parts.as_slice(), ["repos", _, _] | ["projects", _]) => {
            case.hold(&REPO_DELETE, shown());
        }
        "DELETE" => case.hold(&API, shown()),
        _ if ["collaborators", "keys", "hooks", "memberships", "invitations", "members"]
            .iter()
            .any(|name| below(name))
            || matches!(parts.as_slice(), ["user", "keys" | "gpg_keys", ..]) =>
        {
            case.hold(&ACCESS, shown());
        }
        _ if below("secrets") || below("variables") => case.hold(&SECRET, shown()),
        _ if last == "merge" || last == "merges" || last == "approve" => case.hold(&MERGE, shown()),
        _ if below("protection")
            || below("rulesets")
            || below("protected_branches")
            || last == "transfer" =>
        {
            case.hold(&REPO_CHANGE, shown());
        }
        "PATCH" if matches!(parts.as_slice(), ["repos", _, _]) => case.hold(&REPO_CHANGE, shown()),
        "PATCH" if matches!(parts.as_slice(), ["repos", _, _, "git", "refs", ..]) => {
            let forced = fields().any(|field| field == "force=true");
            if forced || parts.get(5..).is_some_and(|reference| names_protected(case, &reference.join("/"))) {
                case.hold(&API, shown());
            }
        }
        "PUT" if below("contents") => {
            let branch = fields().find_map(|field| field.strip_prefix("branch="));
            if branch.is_none_or(|branch| is_protected(case, branch)) {
                case.hold(&API, shown());
            }
        }
        _ if method.contains(UNKNOWN) => case.hold(&API, shown()),
        _ => {}
    }
}

/// The first mutation in a query that deletes, merges, moves or gives away.
fn destructive_mutation(query: &str) -> Option<&str> {
    const DEEDS: &[&str] = &[
        "delete",
        "remove",
        "merge",
        "archive",
        "transfer",
        "updateRef",
        "createCommitOnBranch",
        "updateBranchProtection",
        "addCollaborator",
        "updateRepository",
        "enablePullRequestAutoMerge",
    ];
    if !query.contains("mutation") {
        return None;
    }
    // A name that is followed by its arguments; text in quotes is data.
    query
        .split('"')
        .step_by(2)
        .flat_map(|code| code.split_inclusive('('))
        .filter_map(|piece| piece.strip_suffix('('))
        .filter_map(|piece| {
            piece.trim_end().rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
        })
        .find(|name| DEEDS.iter().any(|deed| name.starts_with(deed)))
}
