//! Custos's own commands, as far as they are a person's, and agents that are started without a guard.
//!
//! Whoever is guarded may not take the guard away: not by removing rules, trusting a repo, forgetting what happened or uninstalling. What
//! only tightens (`custos guard add`) or only shows (`custos guard test`) is free. The files behind all this are judged with the files.

#[cfg(test)]
mod tests;

use crate::case::Case;
use crate::invocation::{Arg, Invocation};
use crate::judge::system::process_names;
use crate::packs::shape::{self, Programs, Tool, disarms, fits, has, held, matches};
use crate::rules::Flag;
use crate::verdict::{Hold, Rule};
use crate::walk::excerpt;

/// Holds commands that are a person's.
pub(crate) static COMMAND: Rule = Rule {
    id: "own.command",
    hold: Hold::Deny,
    reason: "takes away or loosens what guards this session; only a person may do that, by typing it themselves",
    safer: "tell the person which command to type, and why",
};

/// Holds environments that mislead Custos.
pub(crate) static ENVIRONMENT: Rule = Rule {
    id: "own.environment",
    hold: Hold::Deny,
    reason: "sets variables that send Custos to other rules or another memory",
    safer: "tell the person which setting you need",
};

/// Holds the end of Custos's own processes.
pub(crate) static KILL: Rule = Rule {
    id: "own.kill",
    hold: Hold::Deny,
    reason: "ends Custos itself",
    safer: "say what is wrong; `custos doctor` finds out more",
};

/// Holds restores.
pub(crate) static RESTORE: Rule = Rule {
    id: "own.restore",
    hold: Hold::Ask,
    reason: "replaces the memory by an older copy",
    safer: "show the copies with `custos backup list`",
};

/// Holds what is done in the person's name.
pub(crate) static IN_NAME: Rule = Rule {
    id: "own.in-your-name",
    hold: Hold::Ask,
    reason: "vouches for a project, or takes knowledge over, in the person's name",
    safer: "save what you learnt with the tools of the server (save_decision, save_memory), and leave this to the person",
};

/// Holds what would go to a model that the person has not chosen, or once more to the one that they have.
pub(crate) static SENT: Rule = Rule {
    id: "own.sent",
    hold: Hold::Ask,
    reason: "sends what was recorded to a model that the person has not chosen, or has finished work done again, at their cost",
    safer: "leave --provider out: the one that they have chosen is tried, or rules; what is done, leave as it is",
};

/// Holds hooks that no client called.
pub(crate) static HOOK: Rule = Rule {
    id: "own.hook",
    hold: Hold::Ask,
    reason: "plays a client's hook, and so writes into the memory what never happened",
    safer: "use `custos guard test` to see a verdict",
};

/// Holds agents without a guard.
pub(crate) static UNGUARDED_AGENT: Rule = Rule {
    id: "own.unguarded-agent",
    hold: Hold::Ask,
    reason: "starts another agent that asks nobody before it acts",
    safer: "start it without that option",
};

/// Holds changes to how an agent works.
pub(crate) static AGENT_SETTINGS: Rule = Rule {
    id: "own.agent-settings",
    hold: Hold::Ask,
    reason: "changes the settings, tools or plugins of an agent",
    safer: "propose the change and let the person make it",
};

/// The rules of this judge.
pub(crate) static RULES: &[&Rule] =
    &[&COMMAND, &ENVIRONMENT, &KILL, &RESTORE, &IN_NAME, &SENT, &HOOK, &UNGUARDED_AGENT, &AGENT_SETTINGS];

/// Judges what a call does to Custos and to other agents.
pub(crate) fn judge(call: &Invocation, case: &mut Case<'_>) {
    let program = call.program();
    let is_custos = program == "custos"
        || !program.is_empty()
            && case.world.own.programs.iter().any(|own| own.rsplit('/').next() == Some(program));
    if is_custos {
        CUSTOS.judge(call, case);
    } else {
        shape::judge(PROGRAMS, call, case);
    }
    environment(call, is_custos, case);
    lasting_environment(call, case);
}

static PROGRAMS: &Programs = &[
    ("aider", &AIDER),
    ("amp", &AMP),
    ("brew", &UNINSTALLS),
    ("cargo", &UNINSTALLS),
    ("claude", &CLAUDE),
    ("codex", &CODEX),
    ("copilot", &COPILOT),
    ("crush", &YOLO),
    ("cursor-agent", &CURSOR),
    ("fuser", &ENDS),
    ("gemini", &GEMINI),
    ("kill", &ENDS),
    ("killall", &ENDS),
    ("npm", &UNINSTALLS),
    ("opencode", &OPENCODE),
    ("pkill", &ENDS),
    ("pnpm", &UNINSTALLS),
    ("qwen", &YOLO),
    ("skill", &ENDS),
    ("systemctl", &ENDS),
];

static CUSTOS: Tool = Tool::new(&[
    held("trust", &COMMAND).unless("--list"),
    held("untrust|forget|uninstall", &COMMAND),
    held("config edit|import", &COMMAND),
    // The tool of the server archives whatever an agent may archive.
    held("decisions archive", &COMMAND),
    held("decisions add", &COMMAND).when("--supersedes"),
    held("init|import|setup", &IN_NAME).unless("--dry-run|--list-presets"),
    held("proposals accept|drop", &IN_NAME),
    held("backup restore", &RESTORE),
    // What is dropped is never distilled, as if it were forgotten.
    held("work drop", &COMMAND),
    held("distill test", &SENT).when("--provider"),
    held("work redo", &SENT),
    held("hook", &HOOK),
])
.taking(
    "n",
    &[
        "reason", "session", "project", "matching", "client", "level", "file", "id", "op", "cwd", "home",
        "branch", "path", "batch", "lines", "remove", "provider", "days", "by", "type", "limit",
    ],
)
.also(|call, read, case| {
    let sets = matches("config set|unset|reset", &read.operands)
        && read.operands.get(2).is_none_or(|key| !is_harmless(key.text()));
    // Whatever it turns out to be, it may be one of those that are a person's.
    let is_hidden = read.operands.first().is_some_and(|word| word.known().is_none());
    let loosens = is_hidden || matches("guard", &read.operands) && !only_tightens(&read.operands[1..]);
    if (sets || loosens) && !disarms(read, "-h|--help") {
        case.hold(&COMMAND, call.shown());
    }
});

/// Says whether a `custos guard …` asks something, or adds what can only make the rules stricter. What is not known here may loosen them.
fn only_tightens(words: &[&Arg]) -> bool {
    let word = |at: usize| words.get(at).and_then(|word| word.known());
    match word(0) {
        None => words.is_empty(),
        Some("test" | "rules" | "log" | "decisions" | "help") => true,
        Some("add") => match (word(1), word(2)) {
            (Some("deny" | "ask" | "deny-path" | "ask-path" | "read-only" | "protect"), _) => true,
            (Some("rule" | "pack"), Some(entry)) => entry.ends_with("=deny"),
            (Some("flag"), Some(entry)) => {
                let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
                let flag =
                    Flag::ALL.into_iter().find(|flag| flag.to_string() == name || flag.key().1 == name);
                // An allowance that is taken back, or a requirement that is made.
                flag.is_some_and(|flag| value == if flag.is_allowance() { "false" } else { "true" })
            }
            _ => false,
        },
        Some(_) => false,
    }
}

/// Says whether a setting has nothing to do with safety. What is not known here may have.
fn is_harmless(key: &str) -> bool {
    fits("search.*|output.*|index.*", key)
}

/// Variables that decide which rules and which memory are in force.
fn environment(call: &Invocation, is_custos: bool, case: &mut Case<'_>) {
    const HARMLESS: &str = "CUSTOS_OUTPUT_*|CUSTOS_SEARCH_*|CUSTOS_INDEX_*|CUSTOS_NO_WORKER|CUSTOS_LOG_LEVEL";
    const AGENTS: &str = "claude|codex|gemini|copilot|opencode|cursor-agent";
    const SETTINGS: &str =
        "HOME|CLAUDE_CONFIG_DIR|CODEX_HOME|GEMINI_*HOME|COPILOT_HOME|OPENCODE_CONFIG|OPENCODE_CONFIG_DIR";
    for (name, value) in &call.env {
        let moves_custos = fits("AI_MEMORY_PATH|XDG_CONFIG_HOME|XDG_STATE_HOME", name);
        let switches = name.starts_with("CUSTOS_") && !fits(HARMLESS, name);
        let is_ours = is_custos || fits(AGENTS, call.program());
        // Under this mark nothing is recorded, whichever program starts the agent in the end.
        let hides = name == "CUSTOS_DISTILLING";
        if hides || is_ours && (moves_custos || switches) {
            case.hold(&ENVIRONMENT, excerpt(&format!("{name}={value}")));
            return;
        }
        // With other settings, it has other hooks or none.
        if fits(AGENTS, call.program()) && fits(SETTINGS, name) && value.known() != case.world.home {
            case.hold(&UNGUARDED_AGENT, excerpt(&format!("{name}={value}")));
            return;
        }
    }
}

/// The same variables, set for whatever is started later.
fn lasting_environment(call: &Invocation, case: &mut Case<'_>) {
    let sets = match call.program() {
        "export" => true,
        "systemctl" | "tmux" | "launchctl" | "setx" | "dbus-update-activation-environment" => {
            !call.args().iter().any(|arg| fits("show*|getenv|unset*", arg.text()))
        }
        _ => false,
    };
    // Whether there is a guard, whether anything is recorded, and where the evidence goes.
    let matters = |arg: &&Arg| {
        ["CUSTOS_GUARD", "CUSTOS_DISTILL", "CUSTOS_CAPTURE", "CUSTOS_WORKER"].iter().any(|name| {
            arg.text().starts_with(name) || call.program() != "export" && arg.text().contains(name)
        })
    };
    if sets && let Some(word) = call.args().iter().find(matters) {
        case.hold(&ENVIRONMENT, excerpt(word.text()));
    }
}

/// Removes what is installed for the person, not what a project depends on.
static UNINSTALLS: Tool = Tool::code(|call, read, case| {
    let (verbs, for_person) = match call.program() {
        "cargo" => ("uninstall", true),
        "brew" => ("uninstall|remove|rm|unlink", true),
        _ => ("uninstall|remove|rm|un|r|unlink", read.has('g', "global")),
    };
    if for_person
        && matches(verbs, &read.operands)
        && read.operands.iter().skip(1).any(|name| fits("custos|*/custos|custos@*", name.text()))
    {
        case.hold(&COMMAND, call.shown());
    }
});

/// Says whether a process is named that is ours.
static ENDS: Tool = Tool::code(|call, read, case| {
    // Who names more is held for that alone.
    let names_us = read.operands.iter().take(64).any(|name| process_names(name).any(is_ours));
    let ends = match call.program() {
        "systemctl" => matches("stop|disable|mask|kill", &read.operands),
        "fuser" => has(read, "-k|--kill"),
        // Signal 0 only asks whether it is there.
        _ => !call.args().first().is_some_and(|signal| signal.is("-0")),
    };
    if names_us && ends {
        case.hold(&KILL, call.shown());
    }
});

/// Says whether a name, or a pattern for names, means our processes.
fn is_ours(name: &str) -> bool {
    /// Fewer letters are a part of too many names.
    const FEWEST: usize = 4;
    let name = name.replace(['[', ']', '^', '$'], "").to_ascii_lowercase();
    fits("custos|custos.*|custos *|*/custos|*/custos *", &name)
        || name.len() >= FEWEST && "custos".contains(&name)
}

static CLAUDE: Tool = Tool::new(&[
    held("config set|add|remove|rm|unset", &AGENT_SETTINGS),
    held("mcp add|add-json|add-from-claude-desktop|remove", &AGENT_SETTINGS),
    held("plugin|plugins install|i|uninstall|remove|enable|disable|update", &AGENT_SETTINGS),
    held("", &UNGUARDED_AGENT)
        .when("--dangerously-skip-permissions|--allow-dangerously-skip-permissions|--bare"),
    held("", &UNGUARDED_AGENT).when("--permission-mode=bypassPermissions|--setting-sources|--settings"),
])
.taking(
    "pcrnw",
    &[
        "permission-mode",
        "settings",
        "setting-sources",
        "model",
        "allowedTools",
        "append-system-prompt",
        "output-format",
        "resume",
    ],
);

static CODEX: Tool = Tool::new(&[
    held("mcp add|remove", &AGENT_SETTINGS),
    held("features disable", &AGENT_SETTINGS),
    held("", &UNGUARDED_AGENT)
        .when("--yolo|--dangerously-bypass-approvals-and-sandbox|--dangerously-bypass-hook-trust|--dangerously-auto-approve-everything"),
    held("", &UNGUARDED_AGENT).when("-s=danger-full-access|--sandbox=danger-full-access|--disable=hooks"),
])
.taking("asmcpiC", &["ask-for-approval", "sandbox", "model", "config", "profile", "image", "cd", "disable", "enable"])
.also(|call, read, case| {
    // `-c hooks=…` and `-c sandbox_mode=…` override what the files say.
    let overrides = read.given.iter().filter(|given| given.means('c', "config")).filter_map(|given| given.value);
    let loosens = |value: &str| fits("hooks*|features.hooks*|sandbox_mode=*danger*|approval_policy=*never*", value);
    if overrides.into_iter().any(loosens) {
        case.hold(&UNGUARDED_AGENT, call.shown());
    }
});

static GEMINI: Tool = Tool::new(&[
    held("mcp add|remove|enable|disable", &AGENT_SETTINGS),
    held("extensions install|uninstall|disable|enable|link", &AGENT_SETTINGS),
    held("hooks disable|disable-all|uninstall", &AGENT_SETTINGS),
    held("", &UNGUARDED_AGENT).when("-y|--yolo|--approval-mode=yolo"),
])
.taking(
    "mpie",
    &[
        "model",
        "prompt",
        "prompt-interactive",
        "approval-mode",
        "extensions",
        "allowed-tools",
        "output-format",
    ],
);

static COPILOT: Tool = Tool::new(&[
    held("mcp add|remove|enable|disable", &AGENT_SETTINGS),
    held("", &UNGUARDED_AGENT).when("--allow-all-tools|--allow-all|--yolo|--allow-all-paths"),
])
.taking("pi", &["prompt", "model", "agent", "allow-tool", "deny-tool", "add-dir"]);
static CURSOR: Tool = Tool::new(&[
    held("mcp enable|disable", &AGENT_SETTINGS),
    held("", &UNGUARDED_AGENT).when("-f|--force|--yolo|--approve-mcps"),
])
.taking("am", &["api-key", "model"]);
static OPENCODE: Tool = Tool::new(&[
    held("mcp add", &AGENT_SETTINGS),
    held("", &UNGUARDED_AGENT).when("--pure|--yolo|--dangerously-skip-permissions"),
])
.taking("m", &["model", "agent"]);
static YOLO: Tool = Tool::new(&[held("", &UNGUARDED_AGENT).when("-y|--yolo|--approval-mode=yolo")])
    .taking("pm", &["prompt", "model", "approval-mode"]);
static AMP: Tool = Tool::new(&[held("", &UNGUARDED_AGENT).when("--dangerously-allow-all")]);
static AIDER: Tool = Tool::new(&[held("", &UNGUARDED_AGENT).when("--yes-always")]);
