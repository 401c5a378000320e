//! What a person, or a project, changes about a client.
//!
//! A client may come in a version that we do not know, with tools of somebody's own, or in a place where some of its events are of no use. So
//! the table of a client can be overridden, without a new version of the program, by a file `tools/<client>/manifest.json`: the
//! person's own in the configuration directory, then the project's below `.ai`. The later wins, but a project comes from anywhere and may
//! only tighten: tell of more tools, and ask for less context. That a tool does no harm is not for it to say.
//!
//! ```json
//! {
//!   "schema": "^1.0",
//!   "off": ["PreCompact"],
//!   "context_limit": 4000,
//!   "tools": { "mcp__files__write": { "deed": "change", "field": "path" } },
//!   "quiet_tools": ["mcp__clock__now"]
//! }
//! ```
//!
//! JSON and not YAML, because a hook reads it: a missing file costs it one system call, a present one some microseconds.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::event::HOOK_SCHEMA;
use crate::tool::Deed;

/// The least that the limit of context can be set to, in characters.
const LEAST_CONTEXT: usize = 1000;

/// The largest file that is read.
const LARGEST: u64 = 64 << 10;

/// What is different about a client here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Overrides {
    /// Events that are neither recorded nor answered.
    pub off: Vec<String>,
    /// The most characters of context, where it is less than what the client takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_limit: Option<usize>,
    /// Tools that the client's table does not know, or knows otherwise.
    pub tools: BTreeMap<String, OwnTool>,
    /// Tools that carry nothing, beside those of the settings.
    pub quiet_tools: Vec<String>,
    /// What could not be taken over, and why; for `doctor`.
    pub problems: Vec<String>,
}

/// What a tool does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnTool {
    /// What it does.
    pub deed: Deed,
    /// The field of its input that says with what.
    pub field: String,
}

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    schema: Option<String>,
    off: Vec<String>,
    context_limit: Option<usize>,
    tools: BTreeMap<String, OwnTool>,
    quiet_tools: Vec<String>,
}

/// Where an override comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Person,
    Project,
}

impl Overrides {
    /// Reads the overrides of a client: the person's below `config`, then the project's below `root`.
    pub fn load(client: &Client, config: &Path, root: Option<&Path>) -> Self {
        let mut overrides = Self::default();
        overrides.add(client, &path(config, client), Whose::Person);
        if let Some(root) = root {
            overrides.add(client, &path(&root.join(".ai"), client), Whose::Project);
        }
        overrides
    }

    fn add(&mut self, client: &Client, path: &Path, whose: Whose) {
        // Asked first: whatever else may be at this path, such as a pipe that nobody writes to, must not hold up a hook.
        if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return;
        }
        let Ok(file) = File::open(path) else { return };
        let mut text = String::new();
        let read = file.take(LARGEST + 1).read_to_string(&mut text).map_err(|error| error.to_string());
        let written = read.and_then(|_| {
            if text.len() as u64 > LARGEST {
                return Err(format!("it is larger than {} KB", LARGEST >> 10));
            }
            serde_json::from_str::<Written>(&text).map_err(|error| error.to_string())
        });
        match written {
            Ok(written) => self.take(client, path, written, whose),
            Err(error) => self.problems.push(format!("{}: {error}; it has no effect", path.display())),
        }
    }

    fn take(&mut self, client: &Client, path: &Path, written: Written, whose: Whose) {
        let mut problem = |text: String| self.problems.push(format!("{}: {text}", path.display()));
        if let Some(schema) = written.schema.filter(|schema| !is_ours(schema)) {
            problem(format!(
                "it is for schema {schema}, and this program speaks {HOOK_SCHEMA}; it has no effect"
            ));
            return;
        }
        for event in written.off {
            if client.moment(&event).is_none() {
                problem(format!("{} has no event {event:?}", client.title));
            } else if whose == Whose::Project {
                problem(format!("a project cannot switch off {event}; put it into your own file"));
            } else {
                self.off.push(event);
            }
        }
        if !written.quiet_tools.is_empty() && whose == Whose::Project {
            self.problems
                .push(format!("{}: a project cannot keep tools from being recorded", path.display()));
        } else {
            self.quiet_tools.extend(written.quiet_tools);
        }
        if let Some(limit) = written.context_limit {
            let known = self.context_limit.unwrap_or(client.manifest.context_limit);
            // Enough for what we have to say about ourselves is never taken away.
            self.context_limit = Some(limit.max(LEAST_CONTEXT).min(known));
        }
        for (name, tool) in written.tools {
            if whose == Whose::Project && matches!(tool.deed, Deed::Read | Deed::Delegate) {
                self.problems.push(format!(
                    "{}: a project cannot say that {name:?} only reads or delegates; put it into your own file",
                    path.display()
                ));
                continue;
            }
            // What the person said about a tool is not for a project to change.
            if whose == Whose::Person
                || !(self.tools.contains_key(&name) || client.tools.iter().any(|tool| tool.name == name))
            {
                self.tools.insert(name, tool);
            }
        }
    }

    /// Says whether an event is switched off.
    pub fn is_off(&self, event: &str) -> bool {
        self.off.iter().any(|off| off == event)
    }
}

fn path(base: &Path, client: &Client) -> PathBuf {
    let mut path = base.join("tools");
    path.push(client.name);
    path.push("manifest.json");
    path
}

/// Says whether a range of versions means the schema that this program speaks.
fn is_ours(range: &str) -> bool {
    let version = range.trim().trim_start_matches(['^', '~', '=', '>', ' ']);
    version.split('.').next() == HOOK_SCHEMA.split('.').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(base: &Path, text: &str) {
        let path = path(base, crate::find("claude-code").unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = File::create(path).unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
    }

    fn load(person: &str, project: &str) -> (Overrides, String) {
        let dir = tempfile::tempdir().unwrap();
        let (config, root) = (dir.path().join("config"), dir.path().join("repo"));
        write(&config, person);
        write(&root.join(".ai"), project);
        let mut overrides = Overrides::load(crate::find("claude-code").unwrap(), &config, Some(&root));
        let problems = std::mem::take(&mut overrides.problems).join("\n");
        (overrides, problems.replace(dir.path().to_str().unwrap(), "~"))
    }

    #[test]
    fn without_files_nothing_is_different() {
        let client = crate::find("codex").unwrap();
        let nowhere = Path::new("/nowhere");
        assert_eq!(Overrides::load(client, nowhere, Some(nowhere)), Overrides::default());
    }

    #[test]
    fn the_person_changes_what_they_like() {
        let (overrides, problems) = load(
            r#"{"schema": "^1.0", "off": ["PreCompact"], "context_limit": 4000, "quiet_tools": ["clock"],
                "tools": {"mcp__files__write": {"deed": "change", "field": "path"}}}"#,
            "{}",
        );
        let tool = OwnTool { deed: Deed::Change, field: "path".to_owned() };
        let expected = Overrides {
            off: vec!["PreCompact".to_owned()],
            context_limit: Some(4000),
            tools: BTreeMap::from([("mcp__files__write".to_owned(), tool)]),
            quiet_tools: vec!["clock".to_owned()],
            problems: Vec::new(),
        };
        assert_eq!((overrides, problems.as_str()), (expected, ""));
    }

    #[test]
    fn a_project_only_tightens() {
        let (overrides, problems) = load(
            r#"{"context_limit": 4000}"#,
            r#"{"context_limit": 9000, "off": ["PreToolUse"], "quiet_tools": ["Bash"],
                "tools": {"Bash": {"deed": "change", "field": "x"}, "own": {"deed": "shell", "field": "cmd"}}}"#,
        );
        let own = OwnTool { deed: Deed::Shell, field: "cmd".to_owned() };
        let expected = Overrides {
            context_limit: Some(4000),
            tools: BTreeMap::from([("own".to_owned(), own)]),
            ..Overrides::default()
        };
        assert_eq!(overrides, expected);
        assert_eq!(
            problems,
            "~/repo/.ai/tools/claude-code/manifest.json: a project cannot switch off PreToolUse; put it into your own file\n\
             ~/repo/.ai/tools/claude-code/manifest.json: a project cannot keep tools from being recorded"
        );
    }

    #[test]
    fn a_project_cannot_call_a_tool_harmless() {
        let (overrides, problems) = load(
            r#"{"tools": {"mcp__a__b": {"deed": "read", "field": "x"}}}"#,
            r#"{"tools": {"mcp__c__d": {"deed": "read", "field": "x"}, "mcp__e__f": {"deed": "delegate", "field": "x"},
                          "mcp__g__h": {"deed": "delete", "field": "x"}}}"#,
        );
        let told: Vec<(&str, Deed)> =
            overrides.tools.iter().map(|(name, tool)| (name.as_str(), tool.deed)).collect();
        assert_eq!(told, [("mcp__a__b", Deed::Read), ("mcp__g__h", Deed::Delete)]);
        assert_eq!(
            problems,
            "~/repo/.ai/tools/claude-code/manifest.json: a project cannot say that \"mcp__c__d\" only reads or delegates; put it into your own file\n\
             ~/repo/.ai/tools/claude-code/manifest.json: a project cannot say that \"mcp__e__f\" only reads or delegates; put it into your own file"
        );
    }

    #[test]
    fn what_is_wrong_is_named_and_has_no_effect() {
        let (overrides, problems) = load(r#"{"offf": []}"#, r#"{"schema": "^2.0", "context_limit": 1}"#);
        assert_eq!(overrides, Overrides::default());
        assert!(
            problems.starts_with("~/config/tools/claude-code/manifest.json: unknown field `offf`"),
            "{problems}"
        );
        assert!(problems.ends_with(
            "~/repo/.ai/tools/claude-code/manifest.json: it is for schema ^2.0, and this program speaks 1.0.0; it has no effect"
        ));
        let (_, problems) = load(r#"{"off": ["NoSuch"]}"#, "{}");
        assert_eq!(problems, "~/config/tools/claude-code/manifest.json: Claude Code has no event \"NoSuch\"");
    }
}
