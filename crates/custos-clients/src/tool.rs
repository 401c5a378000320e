//! What a client's tools do, as far as files and commands are concerned.
//!
//! Recording wants to know which files a call touched, the guard which it is about to touch. Both ask here. A tool that is in no table is
//! somebody's own; it may still name paths, but nobody can know.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::ToolCall;
use crate::overrides::Overrides;

/// What a tool does with what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// Runs a shell command.
    Shell,
    /// Reads a file.
    Read,
    /// Writes or changes a file.
    Change,
    /// Deletes a file.
    Delete,
    /// Applies a patch, which names its files itself.
    Patch,
    /// Sends a sub-agent.
    Delegate,
}

/// A tool of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// What the client calls it.
    pub name: &'static str,
    /// What it does.
    pub deed: Deed,
    /// The field of its input that says with what.
    pub field: &'static str,
}

/// Writes a row of a client's table.
pub(crate) const fn tool(name: &'static str, deed: Deed, field: &'static str) -> Tool {
    Tool { name, deed, field }
}

/// A deed and what it is done with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Act<'a> {
    /// The deed.
    pub deed: Deed,
    /// The command, the path or the patch.
    pub with: &'a str,
}

/// What is known about a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known<'a> {
    /// What it does.
    pub deed: Deed,
    /// The field of its input that says with what.
    pub field: &'a str,
    /// Whether the client's own table says so, and nobody else.
    pub is_builtin: bool,
}

/// Says what is known about a tool.
pub fn known<'a>(tools: &[Tool], overrides: &'a Overrides, name: &str) -> Option<Known<'a>> {
    if let Some(own) = overrides.tools.get(name) {
        return Some(Known { deed: own.deed, field: &own.field, is_builtin: false });
    }
    let tool = tools.iter().find(|tool| tool.name == name)?;
    Some(Known { deed: tool.deed, field: tool.field, is_builtin: true })
}

/// Says what a call does, if its tool is known and its input is as expected.
pub fn act<'a>(tools: &[Tool], overrides: &Overrides, call: &'a ToolCall) -> Option<Act<'a>> {
    let known = known(tools, overrides, &call.tool)?;
    // A client may call the same path otherwise when it asks for permission, and the same patch in another version.
    let others: &[&str] = match known.deed {
        Deed::Read | Deed::Change | Deed::Delete => &["file_path", "path"],
        Deed::Patch => &["input", "patch", "patchText", "command"],
        Deed::Shell | Deed::Delegate => &[],
    };
    let with = match &call.input {
        Value::String(text) => text.as_str(),
        input => [known.field].iter().chain(others).find_map(|field| input.get(*field)?.as_str())?,
    };
    Some(Act { deed: known.deed, with })
}

/// Spells the command of a shell tool that was given its words one by one; none if it was given a line, or is no such tool.
pub fn spelled(tools: &[Tool], overrides: &Overrides, call: &ToolCall) -> Option<String> {
    let known = known(tools, overrides, &call.tool).filter(|known| known.deed == Deed::Shell)?;
    // `local_shell` wraps what it runs.
    let wrapped = call.input.get("action").filter(|_| call.input.get(known.field).is_none());
    let input = wrapped.unwrap_or(&call.input);
    let command = input.get(known.field)?;
    let more = ["args", "arguments", "argv"].iter().find_map(|field| input.get(*field)?.as_array());
    let mut line = match command {
        Value::Array(words) => joined(words)?,
        Value::String(line) if more.is_some() || wrapped.is_some() => line.clone(),
        _ => return None,
    };
    if let Some(more) = more.filter(|more| !more.is_empty()) {
        line.push(' ');
        line.push_str(&joined(more)?);
    }
    Some(line)
}

/// Writes words so that a shell reads the same; none if one of them is no word.
fn joined(words: &[Value]) -> Option<String> {
    let words: Option<Vec<String>> = words
        .iter()
        .map(|word| match word {
            Value::String(word) => Some(quoted(word)),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
        .collect();
    words.map(|words| words.join(" "))
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(tool: &str, input: Value) -> ToolCall {
        ToolCall { tool: tool.to_owned(), input }
    }

    fn spelled_by(client: &str, tool: &str, input: Value) -> Option<String> {
        let tools = crate::find(client).unwrap().tools;
        spelled(tools, &Overrides::default(), &call(tool, input))
    }

    #[test]
    fn words_become_a_line() {
        let line = Some("rm -rf '/home/a user'".to_owned());
        let words = json!(["rm", "-rf", "/home/a user"]);
        assert_eq!(spelled_by("claude-code", "Bash", json!({ "command": words })), line);
        assert_eq!(spelled_by("codex", "shell", json!({ "command": words })), line);
        assert_eq!(spelled_by("codex", "local_shell", json!({ "action": { "command": words } })), line);
        let split = json!({ "command": "rm", "args": ["-rf", "/home/a user"] });
        assert_eq!(spelled_by("claude-code", "Bash", split), line);
        assert_eq!(spelled_by("claude-code", "Bash", json!({ "command": "rm -rf x" })), None);
        assert_eq!(spelled_by("claude-code", "Bash", json!({ "command": ["rm", {}] })), None);
        assert_eq!(spelled_by("claude-code", "Read", json!({ "file_path": ["x"] })), None);
    }

    #[test]
    fn only_a_path_has_other_names() {
        let tools = crate::find("claude-code").unwrap().tools;
        let overrides = Overrides::default();
        let shell = call("Bash", json!({ "path": "rm" }));
        assert_eq!(act(tools, &overrides, &shell), None);
        let read = call("Read", json!({ "path": "x" }));
        assert_eq!(act(tools, &overrides, &read), Some(Act { deed: Deed::Read, with: "x" }));
        let tools = crate::find("codex").unwrap().tools;
        let patch = call("apply_patch", json!({ "input": "*** Begin Patch" }));
        assert_eq!(act(tools, &overrides, &patch), Some(Act { deed: Deed::Patch, with: "*** Begin Patch" }));
    }

    #[test]
    fn what_somebody_else_says_is_not_built_in() {
        let client = crate::find("cursor").unwrap();
        let mut overrides = Overrides::default();
        let delete = Known { deed: Deed::Delete, field: "file_path", is_builtin: true };
        assert_eq!(known(client.tools, &overrides, "Delete"), Some(delete));
        let own = crate::overrides::OwnTool { deed: Deed::Shell, field: "x".to_owned() };
        overrides.tools.insert("Shell".to_owned(), own);
        let shell = Known { deed: Deed::Shell, field: "x", is_builtin: false };
        assert_eq!(known(client.tools, &overrides, "Shell"), Some(shell));
        assert_eq!(known(client.tools, &overrides, "mcp__a__b"), None);
    }
}
