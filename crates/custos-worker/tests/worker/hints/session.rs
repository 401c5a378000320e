//! A session as the tables tell it: something failed, something was done, and it passed or did not.

use custos_model::{Draft, DraftAgent, Kind, Origin, Scope};
use serde_json::{Value, json};

use crate::desk::Desk;

/// What an agent does in a session.
pub(crate) enum Deed {
    /// Runs a command that fails, and prints this.
    Fails(&'static str, &'static str),
    /// Runs a command that goes well, and prints this.
    Passes(&'static str, &'static str),
    /// Edits a file: what stood there, and what stands there now.
    Edits(&'static str, &'static str, &'static str),
}

use Deed::{Edits, Fails, Passes};

/// A session of one turn.
pub(crate) struct Session {
    pub(crate) name: &'static str,
    pub(crate) prompt: &'static str,
    pub(crate) course: &'static [Deed],
    /// What the agent says at its end.
    pub(crate) message: &'static str,
}

impl Session {
    /// Records it in a project, as hooks do.
    pub(crate) fn record(&self, desk: &Desk, project: &str) {
        let append = |kind: Kind, body: Value| {
            let Value::Object(body) = body else { panic!("a body is an object") };
            let mut draft = Draft::new(kind, Scope::Project, body);
            draft.session = Some(self.name.to_owned());
            draft.project = Some(project.to_owned());
            draft.task = Some(format!("t-{}", self.name));
            draft.agent = Some(DraftAgent { client: "claude-code".to_owned(), id: None, role: None });
            desk.log.append(draft, Origin::Hook).unwrap();
        };
        let ran = |command: &str, output: &str, exit: i64| json!({"tool": "Bash", "input": {"command": command}, "output": output, "exit": exit});
        append(Kind::PromptSubmitted, json!({"text": self.prompt}));
        for deed in self.course {
            match deed {
                Fails(command, output) => append(Kind::ToolFailed, ran(command, output, 1)),
                Passes(command, output) => append(Kind::ToolUsed, ran(command, output, 0)),
                Edits(file, before, after) => {
                    let input = json!({"file_path": format!("/home/user/shop/{file}"), "old_string": before, "new_string": after});
                    append(Kind::ToolUsed, json!({"tool": "Edit", "input": input, "files_changed": [file]}));
                }
            }
        }
        append(Kind::TurnEnded, json!({"message": self.message}));
    }
}
