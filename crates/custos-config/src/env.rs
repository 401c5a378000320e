//! Every environment variable that Custos reads, one constant each.
//!
//! The list is the documentation: the man page and the reference are printed from [`ALL`]. The crate itself
//! reads none of them; the binary hands in an [`Environment`], tests hand in [`Variables`]. Besides these,
//! each setting has a variable of its own, named by [`setting_variable`].

use std::collections::BTreeMap;
use std::ffi::OsString;

/// A documented environment variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnvVar {
    /// The name as the environment spells it.
    pub name: &'static str,
    /// What it decides, in one line.
    pub what: &'static str,
}

/// Where the memory is kept.
pub const AI_MEMORY_PATH: EnvVar = EnvVar {
    name: "AI_MEMORY_PATH",
    what: "the directory of the memory (log and backups); default: `memory` in the configuration directory",
};
/// The base of the configuration directory.
pub const XDG_CONFIG_HOME: EnvVar = EnvVar {
    name: "XDG_CONFIG_HOME",
    what: "base of the configuration directory `ai`; default: `.config` in the home directory",
};
/// The base of the state directory.
pub const XDG_STATE_HOME: EnvVar = EnvVar {
    name: "XDG_STATE_HOME",
    what: "base of the state directory `ai` (locks, index, caches); default: `.local/state` in the home directory",
};
/// The home directory.
pub const HOME: EnvVar =
    EnvVar { name: "HOME", what: "the home directory, where the two variables above are not set" };
/// The roaming application data of Windows.
pub const APPDATA: EnvVar =
    EnvVar { name: "APPDATA", what: "Windows: base of the configuration directory, instead of `HOME`" };
/// The local application data of Windows.
pub const LOCALAPPDATA: EnvVar =
    EnvVar { name: "LOCALAPPDATA", what: "Windows: base of the state directory, instead of `HOME`" };
/// The home directory of Windows.
pub const USERPROFILE: EnvVar = EnvVar {
    name: "USERPROFILE",
    what: "Windows: the home directory, where `APPDATA` or `LOCALAPPDATA` is not set",
};
/// The name of a Windows machine.
pub const COMPUTERNAME: EnvVar = EnvVar {
    name: "COMPUTERNAME",
    what: "Windows: the machine's name, from which its directory in the log is named",
};
/// The wish for output without colour, <https://no-color.org>.
pub const NO_COLOR: EnvVar = EnvVar {
    name: "NO_COLOR",
    what: "any value but the empty one: no colour where `output.color` is `auto`",
};

/// The role of an agent.
pub const AGENT_ROLE: EnvVar = EnvVar {
    name: "AGENT_ROLE",
    what: "the role that a hook records with what happens, such as `musician`; default: the sort of the sub-agent. For delegation it is the main agent's, and what the client says of a sub-agent goes before it",
};
/// The mark that our own worker sets for a client that distils.
pub const CUSTOS_DISTILLING: EnvVar = EnvVar {
    name: "CUSTOS_DISTILLING",
    what: "`1`: set by Custos for the client that it runs to distil; hooks then record and say nothing, so that it never feeds itself; the guard judges as always",
};
/// The mark that Copilot CLI sets for the hooks that it runs.
pub const COPILOT_CLI: EnvVar = EnvVar {
    name: "COPILOT_CLI",
    what: "`1`: set by Copilot CLI, which also runs the hooks of Claude Code; these then still judge, and record nothing, as its own do",
};
/// The mark that Cursor sets for the hooks that it runs.
pub const CURSOR_VERSION: EnvVar = EnvVar {
    name: "CURSOR_VERSION",
    what: "set by Cursor, which also runs the hooks of Claude Code; these then still judge, and record nothing, as its own do",
};
/// The project that a command is about.
pub const CUSTOS_ROOT: EnvVar = EnvVar {
    name: "CUSTOS_ROOT",
    what: "the project whose knowledge base `custos mcp` and the commands about it work on, where `--root` names none; default: the working directory",
};
/// The editor for a screen.
pub const VISUAL: EnvVar = EnvVar {
    name: "VISUAL",
    what: "the editor that opens for texts that a command was not given; without a terminal only if it is a script; goes before `EDITOR`",
};
/// The editor.
pub const EDITOR: EnvVar = EnvVar {
    name: "EDITOR",
    what: "the editor, where `VISUAL` is not set; default: `vi`, on Windows `notepad`",
};
/// The session for which Claude Code started a server.
pub const CLAUDE_CODE_SESSION_ID: EnvVar = EnvVar {
    name: "CLAUDE_CODE_SESSION_ID",
    what: "set by Claude Code: the session for which it started `custos mcp`, where no hook has told",
};
/// The session for which Copilot CLI started a server.
pub const COPILOT_AGENT_SESSION_ID: EnvVar = EnvVar {
    name: "COPILOT_AGENT_SESSION_ID",
    what: "set by Copilot CLI: the session for which it started `custos mcp`, where no hook has told",
};
/// The wish that hooks start no worker.
pub const CUSTOS_NO_WORKER: EnvVar = EnvVar {
    name: "CUSTOS_NO_WORKER",
    what: "`1`: hooks start no worker; work waits until something else does it",
};
/// The key for Anthropic's API.
pub const ANTHROPIC_API_KEY: EnvVar = EnvVar {
    name: "ANTHROPIC_API_KEY",
    what: "the key for `distill.provider` `anthropic`; goes before the file `keys/anthropic` in the configuration directory",
};
/// The key for OpenAI's API.
pub const OPENAI_API_KEY: EnvVar = EnvVar {
    name: "OPENAI_API_KEY",
    what: "the key for `distill.provider` `openai`; goes before the file `keys/openai`. Not needed where `distill.base_url` names a server that asks for none",
};
/// The key for Google's API.
pub const GEMINI_API_KEY: EnvVar = EnvVar {
    name: "GEMINI_API_KEY",
    what: "the key for `distill.provider` `gemini`; goes before `GOOGLE_API_KEY` and the file `keys/gemini`",
};
/// The key for Google's API, under its other name.
pub const GOOGLE_API_KEY: EnvVar = EnvVar {
    name: "GOOGLE_API_KEY",
    what: "the key for `distill.provider` `gemini`, where `GEMINI_API_KEY` is not set",
};
/// The key for a server that makes vectors.
pub const CUSTOS_EMBEDDER_KEY: EnvVar = EnvVar {
    name: "CUSTOS_EMBEDDER_KEY",
    what: "the key for `recall.embedder` `http`; goes before the file `keys/embedder`. Not needed where `recall.embedder_url` names a server that asks for none",
};
/// The proxy for requests over TLS.
pub const HTTPS_PROXY: EnvVar = EnvVar {
    name: "HTTPS_PROXY",
    what: "the proxy through which a worker reaches the provider of a model, such as `http://proxy:3128`",
};
/// The same proxy, as other programs spell it.
pub const HTTPS_PROXY_SMALL: EnvVar =
    EnvVar { name: "https_proxy", what: "the same, where `HTTPS_PROXY` is not set" };
/// The authorities that vouch for servers.
pub const SSL_CERT_FILE: EnvVar = EnvVar {
    name: "SSL_CERT_FILE",
    what: "a file with the certificates of the authorities (PEM) that vouch for the provider of a model, in the place of those that are compiled in; for a company with an authority of its own",
};
/// The directory for what lives as long as the person is logged in.
pub const XDG_RUNTIME_DIR: EnvVar = EnvVar {
    name: "XDG_RUNTIME_DIR",
    what: "where events wait if neither the memory nor the state directory can be written to",
};
/// The directories in which programs are found.
pub const PATH: EnvVar = EnvVar {
    name: "PATH",
    what: "where `setup` and `doctor` look for the clients, and a worker for `claude`",
};

/// Where Claude Code keeps its settings.
pub const CLAUDE_CONFIG_DIR: EnvVar =
    EnvVar { name: "CLAUDE_CONFIG_DIR", what: "where Claude Code keeps its settings; default: `~/.claude`" };
/// Where Codex keeps its settings.
pub const CODEX_HOME: EnvVar =
    EnvVar { name: "CODEX_HOME", what: "where Codex keeps its settings; default: `~/.codex`" };
/// Where Copilot keeps its settings.
pub const COPILOT_HOME: EnvVar =
    EnvVar { name: "COPILOT_HOME", what: "where Copilot CLI keeps its settings; default: `~/.copilot`" };
/// Where OpenCode keeps its settings.
pub const OPENCODE_CONFIG_DIR: EnvVar = EnvVar {
    name: "OPENCODE_CONFIG_DIR",
    what: "where OpenCode keeps its settings; default: `opencode` in the base of configuration directories",
};

/// Every variable above, in the order in which a person would look them up.
pub const ALL: &[EnvVar] = &[
    AI_MEMORY_PATH,
    XDG_CONFIG_HOME,
    XDG_STATE_HOME,
    HOME,
    APPDATA,
    LOCALAPPDATA,
    USERPROFILE,
    COMPUTERNAME,
    NO_COLOR,
    AGENT_ROLE,
    CUSTOS_DISTILLING,
    COPILOT_CLI,
    CURSOR_VERSION,
    CUSTOS_ROOT,
    VISUAL,
    EDITOR,
    CLAUDE_CODE_SESSION_ID,
    COPILOT_AGENT_SESSION_ID,
    CUSTOS_NO_WORKER,
    ANTHROPIC_API_KEY,
    OPENAI_API_KEY,
    GEMINI_API_KEY,
    GOOGLE_API_KEY,
    CUSTOS_EMBEDDER_KEY,
    HTTPS_PROXY,
    HTTPS_PROXY_SMALL,
    SSL_CERT_FILE,
    XDG_RUNTIME_DIR,
    PATH,
    CLAUDE_CONFIG_DIR,
    CODEX_HOME,
    COPILOT_HOME,
    OPENCODE_CONFIG_DIR,
];

/// What the variables of the settings begin with.
pub const SETTING_PREFIX: &str = "CUSTOS_";

/// Names the variable that overrides a setting: `log.lock_wait_ms` is `CUSTOS_LOG_LOCK_WAIT_MS`.
pub fn setting_variable(key: &str) -> String {
    let mut name = String::with_capacity(SETTING_PREFIX.len() + key.len());
    name.push_str(SETTING_PREFIX);
    name.extend(key.chars().map(|c| if c == '.' { '_' } else { c.to_ascii_uppercase() }));
    name
}

/// Answers what a variable is set to.
pub trait Environment {
    /// Returns the value of `name`, or nothing where it is not set.
    fn get(&self, name: &str) -> Option<OsString>;
}

/// Returns the value of `name`; the empty string counts as not set, as the XDG specification has it.
pub(crate) fn non_empty(env: &dyn Environment, name: &str) -> Option<OsString> {
    env.get(name).filter(|value| !value.is_empty())
}

/// An environment made of given values: for tests, and for callers that collected theirs beforehand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables(BTreeMap<String, OsString>);

impl Environment for Variables {
    fn get(&self, name: &str) -> Option<OsString> {
        self.0.get(name).cloned()
    }
}

impl<K: Into<String>, V: Into<OsString>> FromIterator<(K, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}
