//! Tools that nobody described: MCP servers and whatever a client adds.
//!
//! Their input is JSON of any shape. What can be told is told by the names: a field called `path` holds a path, one called `command` a
//! command, and a tool called `delete_file` deletes. A field that is called otherwise is the tool's own business.

use serde_json::Value;

use crate::guard::{Guard, Judgement};
use crate::path::Access;

/// How deep and how far an input is looked into.
const DEEPEST: usize = 8;
const MOST: usize = 4096;
/// Nothing longer is a path.
const LONGEST_PATH: usize = 4096;

/// Fields that hold a command line.
const COMMANDS: [&str; 7] =
    ["bash", "cmd", "command", "command_line", "commandline", "script", "shell_command"];

/// Words in a field's name that say it holds a path.
const PATHS: [&str; 13] = [
    "path",
    "file",
    "filename",
    "filepath",
    "dir",
    "directory",
    "folder",
    "uri",
    "source",
    "destination",
    "target",
    "notebook",
    "root",
];

/// Words in a tool's name that say what it does; the first that fits counts.
const VERBS: [(&[&str], Access); 3] = [
    (&["delete", "remove", "rm", "unlink", "trash", "destroy"], Access::Delete),
    (
        &[
            "write", "edit", "create", "update", "move", "rename", "append", "save", "patch", "insert",
            "replace", "put", "set", "copy", "mkdir", "touch", "upload", "modify", "apply",
        ],
        Access::Write,
    ),
    (&["read", "get", "view", "cat", "open", "load", "fetch", "show", "download"], Access::Read),
];

impl Guard<'_> {
    /// Judges the input of a tool that nobody described.
    pub fn input(&self, tool: &str, input: &Value) -> Judgement {
        let mut look =
            Look { guard: self, access: access(tool), left: MOST, judgement: Judgement::default() };
        look.at(None, input, 0);
        look.judgement
    }
}

/// What a tool does with the paths that it is given, by its name: the one after the server's.
fn access(tool: &str) -> Access {
    let own_name = tool.rsplit("__").next().unwrap_or(tool);
    let words = words(own_name);
    let does = |verbs: &[&str]| words.iter().any(|word| verbs.contains(&word.as_str()));
    VERBS.iter().find(|(verbs, _)| does(verbs)).map_or(Access::Read, |(_, access)| *access)
}

/// Splits `readFile`, `read_file` and `read-file` into words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars().take(128) {
        if !c.is_alphanumeric() || c.is_uppercase() && after_lower {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

struct Look<'l, 'w> {
    guard: &'l Guard<'w>,
    access: Access,
    left: usize,
    judgement: Judgement,
}

impl Look<'_, '_> {
    fn at(&mut self, name: Option<&str>, value: &Value, depth: usize) {
        if depth > DEEPEST || self.left == 0 {
            return;
        }
        self.left -= 1;
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.at(Some(name), value, depth + 1);
                }
            }
            // The elements of `paths` are paths.
            Value::Array(values) => {
                for value in values {
                    self.at(name, value, depth + 1);
                }
            }
            Value::String(text) => self.text(name.unwrap_or_default(), text),
            _ => {}
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        let words = words(name);
        let lower = name.to_ascii_lowercase();
        if COMMANDS.contains(&lower.as_str()) {
            self.judgement.unite(self.guard.command(text));
        } else if text.len() <= LONGEST_PATH && !text.contains('\n') {
            let is_path = words
                .iter()
                .any(|word| PATHS.contains(&word.as_str()) || PATHS.contains(&word.trim_end_matches('s')));
            let is_remote = text.contains("://") && !text.starts_with("file://");
            if is_path && !is_remote && !text.is_empty() {
                self.judgement.unite(self.guard.path(text.trim_start_matches("file://"), self.access));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::rules::Policy;
    use crate::world::{NoFiles, Own, World};

    #[rstest]
    #[case("mcp__fs__read_file", json!({"path": "/home/user/.ssh/id_rsa"}), true)]
    #[case("mcp__fs__read_file", json!({"path": "src/main.rs"}), false)]
    #[case("mcp__fs__read_multiple_files", json!({"paths": ["README.md", ".env"]}), true)]
    #[case("mcp__fs__write_file", json!({"filePath": "/etc/hosts", "content": "x"}), true)]
    #[case("mcp__fs__read_file", json!({"filePath": "/etc/hosts"}), false)]
    #[case("mcp__fs__delete_directory", json!({"directory": "/home/user"}), true)]
    #[case("mcp__box__exec", json!({"command": "rm -fr ~"}), true)]
    #[case("mcp__box__exec", json!({"command": "ls"}), false)]
    #[case("mcp__web__fetch", json!({"url": "https://example.org/.env", "source": "https://example.org/.env"}), false)]
    #[case("mcp__notes__add", json!({"text": "rm -rf /", "title": ".env"}), false)]
    #[case("mcp__fs__write_file", json!({"options": {"target_file": "file:///home/user/project/.claude/settings.json"}}), true)]
    fn inputs_of_unknown_tools(#[case] tool: &str, #[case] input: Value, #[case] held: bool) {
        let (own, files, policy) = (Own::default(), NoFiles::default(), Policy::builtin());
        let world = World {
            home: Some("/home/user"),
            cwd: "/home/user/project",
            root: "/home/user/project",
            own: &own,
            files: &files,
        };
        let judgement = Guard { world, policy: &policy }.input(tool, &input);
        assert_eq!(judgement.verdict().is_some(), held, "{judgement:?}");
    }

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(words("readTextFile_v2"), ["read", "text", "file", "v2"]);
        assert_eq!(words("HTTPGet"), ["httpget"]);
    }
}
