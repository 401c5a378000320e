//! Our MCP server in a client's files: where it is registered, and what is registered there now.
//!
//! Every client has a list of servers by name; they differ in the file, in the key above the list, and in a field or two. Ours goes by
//! [`NAME`], which somebody else may have taken: then it stays theirs. What a person has added to our entry stays, too; only the program
//! is ours to change.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::Client;
use crate::edit::ours::{is_our_server, server_command};
use crate::edit::{Change, JsonEdit, Part};
use crate::wiring::{Wish, settings};

/// The name of our server.
pub const NAME: &str = "custos";

/// What the wish for our server is called.
pub const WHAT: &str = "MCP server";

/// An entry by the name of our server, as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Whether it starts us.
    pub is_ours: bool,
    /// Whether the person has switched it off there.
    pub is_off: bool,
}

/// Gives our server in the words that most clients share.
pub(crate) fn entry(program: &str) -> Value {
    json!({ "command": program, "args": ["mcp"] })
}

/// Gives our server in the words of Claude Code, which Copilot reads as well in a project.
pub(crate) fn stdio_entry(program: &str) -> Value {
    json!({ "type": "stdio", "command": program, "args": ["mcp"] })
}

/// Gives our server as a wish.
pub(crate) fn wish(client: &Client, path: PathBuf, entry: Value) -> Wish {
    let at = vec![client.servers.to_owned()];
    let part = match entry {
        Value::Object(entries) if is_toml(&path) => {
            Part::Toml { at: [at, vec![NAME.to_owned()]].concat(), entries }
        }
        value => Part::Json(vec![JsonEdit { at, change: Change::Server { name: NAME.to_owned(), value } }]),
    };
    Wish { path, what: WHAT, part }
}

/// Finds what is registered by our name in a file of a client.
pub fn registered(client: &Client, path: &Path, text: &str) -> Option<Registered> {
    let entry = if is_toml(path) {
        let config = text.trim_start_matches('\u{feff}').parse::<toml_edit::DocumentMut>().ok()?;
        in_json(config.get(client.servers)?.get(NAME)?)
    } else {
        settings(text)?.get_mut(client.servers)?.get_mut(NAME)?.take()
    };
    Some(Registered {
        command: server_command(&entry),
        is_ours: is_our_server(&entry),
        is_off: entry.get("enabled") == Some(&Value::Bool(false))
            || entry.get("disabled") == Some(&Value::Bool(true)),
    })
}

/// As much of a table as there is to know about a server.
fn in_json(table: &toml_edit::Item) -> Value {
    let text = |item: &toml_edit::Value| item.as_str().map(str::to_owned);
    let args = table.get("args").and_then(|args| args.as_array());
    json!({
        "command": table.get("command").and_then(|command| text(command.as_value()?)),
        "args": args.map(|args| args.iter().filter_map(text).collect::<Vec<_>>()),
        "enabled": table.get("enabled").and_then(toml_edit::Item::as_bool),
    })
}

fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "toml")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn found(command: &[&str], is_ours: bool, is_off: bool) -> Registered {
        Registered { command: command.iter().map(|&word| word.to_owned()).collect(), is_ours, is_off }
    }

    #[rstest]
    #[case("claude-code", "x.json", r#"{"mcpServers": {"custos": {"command": "/a/custos", "args": ["mcp"]}}}"#, Some(found(&["/a/custos", "mcp"], true, false)))]
    #[case("codex", "x.toml", "[mcp_servers.custos]\ncommand = '/a/custos'\nargs = ['mcp']\nenabled = false\n", Some(found(&["/a/custos", "mcp"], true, true)))]
    #[case("opencode", "x.jsonc", r#"{"mcp": {"custos": {"command": ["/a/custos", "mcp"], "enabled": false,}}} // x"#, Some(found(&["/a/custos", "mcp"], true, true)))]
    #[case("cursor", "x.json", r#"{"mcpServers": {"custos": {"command": "/opt/other"}}}"#, Some(found(&["/opt/other"], false, false)))]
    #[case("gemini", "x.json", r#"{"mcpServers": {"custos": {"httpUrl": "https://example.org"}}}"#, Some(found(&[], false, false)))]
    #[case("codex", "x.toml", "[mcp_servers.custos]\nurl = 'https://example.org'\n", Some(found(&[], false, false)))]
    #[case("codex", "x.toml", "[mcp_servers.other]\n", None)]
    #[case("codex", "x.toml", "[broken", None)]
    #[case("copilot", "x.json", "{", None)]
    #[case("copilot", "x.json", "", None)]
    fn what_is_registered_is_read_as_the_client_reads_it(
        #[case] client: &str,
        #[case] path: &str,
        #[case] text: &str,
        #[case] expected: Option<Registered>,
    ) {
        assert_eq!(registered(crate::find(client).unwrap(), Path::new(path), text), expected);
    }
}
