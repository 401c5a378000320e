//! What is Custos's own: its rules and settings, where the clients' hooks are registered, its memory, its program, the knowledge base.
//!
//! An agent may read all of it but the keys, and change none of it by hand, or the guard would last as long as it is not in the way.

use crate::verdict::{Hold, Rule};
use crate::world::World;

use super::guarded::Ward;
use super::normal::Place;

pub(super) static RULES_FILE: Rule = Rule {
    id: "own.rules",
    hold: Hold::Deny,
    reason: "changes the guard's own rules or settings, which only the person may do",
    safer: "tell the person which rule is in the way, or add a stricter one with the tool update_safety",
};
pub(super) static REGISTRATION: Rule = Rule {
    id: "own.registration",
    hold: Hold::Deny,
    reason: "changes the settings file in which an agent's hooks are registered",
    safer: "tell the person what should be changed in it",
};
pub(super) static MEMORY: Rule = Rule {
    id: "own.memory",
    hold: Hold::Deny,
    reason: "changes the memory or the state of Custos behind its back",
    safer: "use the tools of the MCP server custos",
};
pub(super) static PROGRAM: Rule = Rule {
    id: "own.program",
    hold: Hold::Deny,
    reason: "changes the installed program custos, which the hooks run",
    safer: "ask the person to install another version",
};
pub(super) static KNOWLEDGE: Rule = Rule {
    id: "own.knowledge-file",
    hold: Hold::Deny,
    reason: "changes a file of the knowledge base by hand, past its ids, locks and history",
    safer: "change it through the tools of the MCP server custos",
};

/// The rules of this module, for the catalogue.
pub(super) static RULES: &[&Rule] = &[&RULES_FILE, &REGISTRATION, &MEMORY, &PROGRAM, &KNOWLEDGE];

/// Files in which clients register hooks, by the end of their path: in a home and in a project alike.
static REGISTRATIONS: &[&str] = &[
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/plugins/installed_plugins.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".gemini/settings.json",
    ".copilot/config.json",
    ".copilot/settings.json",
    ".cursor/hooks.json",
    ".github/copilot/settings.json",
    ".github/copilot/settings.local.json",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    "claude-code/managed-settings.json",
    "opencode.json",
    "opencode.jsonc",
];

/// Files in which clients list the MCP servers that they start, ours among them, and nothing of hooks. A project's is often changed with
/// good reason, so the person is asked.
static AGENT_TOOLS: &[&str] = &[
    ".mcp.json",
    ".copilot/mcp-config.json",
    ".cursor/mcp.json",
    ".gemini/mcp-server-enablement.json",
    ".github/mcp.json",
];

/// Directories that are registrations as a whole.
static REGISTRATION_DIRECTORIES: &[&str] = &[
    ".copilot/hooks",
    ".github/hooks",
    ".opencode/plugins",
    ".opencode/plugin",
    ".config/opencode/plugins",
    ".config/opencode/plugin",
];

/// Directories in which our plugin may lie among others.
static PLUGIN_DIRECTORIES: &[&str] = &["opencode/plugins", "opencode/plugin"];

/// Directories whose loss would take a registration or the knowledge base with it.
static HOLDERS: &[(&str, Ward)] = &[
    (".ai", Ward::Rules),
    (".claude", Ward::Registration),
    (".codex", Ward::Registration),
    (".gemini", Ward::Registration),
    (".copilot", Ward::Registration),
    (".cursor", Ward::Registration),
    (".opencode", Ward::Registration),
];

/// The parts of the knowledge base below `.ai/`, and the tools that change each.
static KNOWLEDGE_PARTS: &[(&str, &str)] = &[
    ("decisions", "save_decision or archive_decision"),
    ("memory", "save_memory, merge_memories or archive_memory"),
    ("backlog", "backlog_add or backlog_update"),
    ("questions.md", "ask_question, answer_question or update_question"),
    ("oracle", "save_oracle"),
    ("archive", "archive_decision or archive_memory"),
    ("local/handoffs", "begin_close and finalize_close"),
    ("local/worklog.md", "finalize_close"),
    ("local/plans", "save_plan"),
];

/// The parts below `.ai/` that decide what the guard does.
static RULE_PARTS: &[&str] = &["policies", "config.yaml", "tools", "profiles", "local/delegation"];

/// Where the program may be installed for everybody.
static INSTALLED: &[&str] = &["/usr/local/bin/custos", "/usr/bin/custos", "/opt/homebrew/bin/custos"];

/// Finds which of our own things a place is, or lies in.
pub(super) fn own(place: &Place, world: &World<'_>) -> Option<Ward> {
    by_location(place, world).or_else(|| by_name(place))
}

fn by_location(place: &Place, world: &World<'_>) -> Option<Ward> {
    if place.is_floating() {
        return None;
    }
    let own = world.own;
    let within = |dir: &Option<String>| dir.as_deref().is_some_and(|dir| place.after(dir).is_some());
    if within(&own.memory) || within(&own.state) {
        return Some(Ward::Memory);
    }
    let is_program = |program: &str| place.after(program) == Some("");
    if own.programs.iter().any(|program| is_program(program))
        || INSTALLED.iter().any(|program| is_program(program))
    {
        return Some(Ward::Program);
    }
    if own.registrations.iter().any(|file| place.after(file) == Some("")) {
        return Some(Ward::Registration);
    }
    if let Some(rest) = own.config.as_deref().and_then(|dir| place.after(dir)) {
        return Some(in_config(place, rest));
    }
    // Where things lie unless the environment says otherwise.
    let home = world.home?;
    let rest = place.after(home)?;
    let opens = |rest: &str| rest.is_empty() || rest.starts_with('/');
    let below = |dir: &str| rest.strip_prefix(dir).is_some_and(opens);
    if below(".config/ai/memory") || below(".local/state/ai") {
        Some(Ward::Memory)
    } else if let Some(rest) = rest.strip_prefix(".config/ai").filter(|rest| opens(rest)) {
        Some(in_config(place, rest.trim_start_matches('/')))
    } else if rest == ".claude.json" {
        Some(Ward::ClientState)
    } else if [".local/bin/custos", ".cargo/bin/custos", "bin/custos"].contains(&rest) {
        Some(Ward::Program)
    } else {
        None
    }
}

/// What lies in the configuration directory: rules and settings, and the keys of those who distil.
fn in_config(place: &Place, rest: &str) -> Ward {
    let first = rest.split('/').next().unwrap_or_default();
    if !super::glob::sweeps(first) && place.means(first, "keys") { Ward::Secret } else { Ward::Rules }
}

fn by_name(place: &Place) -> Option<Ward> {
    let name = place.name();
    // All of them lie in hidden directories, but for these.
    let stands_alone =
        name.starts_with("opencode.") || name.starts_with("managed-settings") || name.starts_with("custos");
    if !place.may_be_hidden() && !stands_alone {
        return None;
    }
    // A pattern means these only if it names the directory too: `*.json` is meant for others.
    let pattern = super::glob::is_pattern(name);
    let settings = [".json", ".jsonc", ".toml"];
    if (pattern || settings.iter().any(|end| ends_with(name, end)))
        && REGISTRATIONS.iter().any(|file| (!pattern || file.contains('/')) && place.ends_with(file))
    {
        return Some(Ward::Registration);
    }
    if REGISTRATION_DIRECTORIES.iter().any(|dir| place.ends_with(dir) || place.lies_in(dir)) {
        return Some(Ward::Registration);
    }
    if name.starts_with("custos") && PLUGIN_DIRECTORIES.iter().any(|dir| place.lies_in(dir)) {
        return Some(Ward::Registration);
    }
    let is_tools = |file: &&str| (!pattern || file.contains('/')) && place.ends_with(file);
    if (pattern || ends_with(name, ".json")) && AGENT_TOOLS.iter().any(is_tools) {
        return Some(Ward::AgentTools);
    }
    // Of a nested `.ai`, the innermost counts; the pattern `*` is not taken to mean it.
    let depth = place.components().rev().position(|component| place.means(component, ".ai"))?;
    let rest: Vec<&str> = place.components().rev().take(depth).collect();
    let part = |wanted: &str| {
        let mut inner = rest.iter().rev();
        wanted.split('/').all(|name| inner.next().is_some_and(|component| place.means(component, name)))
    };
    if RULE_PARTS.iter().any(|wanted| part(wanted)) {
        return Some(Ward::Rules);
    }
    KNOWLEDGE_PARTS.iter().any(|(wanted, _)| part(wanted)).then_some(Ward::Knowledge)
}

fn ends_with(name: &str, end: &str) -> bool {
    name.len()
        .checked_sub(end.len())
        .and_then(|at| name.get(at..))
        .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// Finds what would be lost of our own with a whole directory.
pub(crate) fn held_by(place: &Place) -> Option<Ward> {
    HOLDERS.iter().find(|(dir, _)| place.ends_with(dir)).map(|(_, ward)| *ward)
}

/// Names the tools that change a file of the knowledge base.
pub(super) fn instead(rule: &Rule, place: &Place) -> Option<&'static str> {
    if !std::ptr::eq(rule, &raw const KNOWLEDGE) {
        return None;
    }
    let depth = place.components().rev().position(|component| place.means(component, ".ai"))?;
    let rest: Vec<&str> = place.components().rev().take(depth).collect();
    KNOWLEDGE_PARTS
        .iter()
        .find(|(part, _)| {
            part.split('/').zip(rest.iter().rev()).all(|(name, component)| place.means(component, name))
        })
        .map(|(_, tools)| *tools)
}
