//! Events of the log to a turn.
//!
//! Six clients call the same things by different names; here they become the same [`Step`]s. What a tool does is asked of the client's own
//! table (`custos_clients::tool`); how an edit spells its two sides is known here, by the fields that any of them uses. A file that is
//! written by a here-document and a patch that is given to a shell are edits as well, whoever carried them out.

use std::borrow::Cow;
use std::collections::HashSet;

use custos_clients::overrides::Overrides;
use custos_clients::tool::{self, Deed};
use custos_model::{Event, Kind, Outcome, Timestamp};
use serde::Deserialize;
use serde_json::Value;

use crate::turn::{Edit, Fate, Said, Step, Turn, What};

mod heredoc;
mod patch;

/// What a turn that has no end is said to have broken off for.
pub const NO_END: &str = "the turn has no end";

/// What the log holds of an event that matters here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Body {
    text: Option<String>,
    tool: Option<String>,
    input: Value,
    output: Option<String>,
    exit: Option<i64>,
    files_read: Vec<String>,
    files_changed: Vec<String>,
    message: Option<String>,
    error: Option<String>,
    parent: Option<String>,
    sort: Option<String>,
}

/// Reads the events of one turn, in order. Paths below `project_root` are told relative to it.
pub fn turn(events: &[Event<'_>], project_root: Option<&str>) -> Turn {
    let mut reader = Reader::new(events, project_root);
    for event in events {
        // A body that cannot be read was forgotten, or comes from a schema that is not ours: it tells nothing.
        if let Ok(body) = serde_json::from_str::<Body>(event.body.get()) {
            reader.take(event, body);
        }
    }
    reader.finish()
}

struct Reader<'a> {
    turn: Turn,
    root: Option<&'a str>,
    /// The pseudonym of the session's own agent, where something shows it.
    main: Option<String>,
    /// Roles of sub-agents by their pseudonyms.
    roles: Vec<(String, String)>,
    has_end: bool,
    private_prompts: usize,
}

impl<'a> Reader<'a> {
    fn new(events: &[Event<'_>], root: Option<&'a str>) -> Self {
        let epoch = Timestamp::from_millis(0);
        let mut turn = Turn {
            began: events.first().map_or(epoch, |event| event.ts),
            ended: events.last().map_or(epoch, |event| event.ts),
            ..Turn::default()
        };
        let mut main = None;
        for event in events {
            if let Some(agent) = &event.agent {
                turn.client.clone_from(&agent.client);
                if matches!(event.kind, Kind::PromptSubmitted | Kind::TurnEnded) {
                    main = main.or_else(|| agent.id.as_ref().map(|id| id.as_str().to_owned()));
                }
            }
            turn.project = turn.project.or_else(|| event.project.clone());
            turn.branch = event.branch.clone().or(turn.branch);
        }
        Self { turn, root, main, roles: Vec::new(), has_end: false, private_prompts: 0 }
    }

    fn take(&mut self, event: &Event<'_>, body: Body) {
        match event.kind {
            Kind::PromptSubmitted => {
                let text = body.text.unwrap_or_default();
                if is_wholly_private(&text) {
                    self.private_prompts += 1;
                } else {
                    self.turn.said.push(Said { id: event.id, text });
                }
            }
            Kind::ToolUsed | Kind::ToolFailed => self.tool(event, body),
            Kind::SubagentStarted | Kind::SubagentStopped => self.sub_agent(event, body),
            Kind::TurnEnded => {
                self.has_end = true;
                self.turn.message = body.message.filter(|message| !message.trim().is_empty());
                self.turn.error = body.error;
            }
            _ => {}
        }
    }

    fn sub_agent(&mut self, event: &Event<'_>, body: Body) {
        let id = event.agent.as_ref().and_then(|agent| agent.id.as_ref()).map(|id| id.as_str().to_owned());
        let role = body.sort.unwrap_or_else(|| "sub-agent".to_owned());
        self.main = self.main.take().or(body.parent);
        if let Some(id) = id {
            self.roles.push((id, role.clone()));
        }
        let Some(message) = body.message.filter(|message| !message.trim().is_empty()) else { return };
        // Mostly the call that sent it brings the same words back.
        let is_told = self.turn.steps.iter().any(|step| step.output.contains(message.trim()));
        if !is_told {
            self.turn.steps.push(Step {
                id: event.id,
                tool: role.clone(),
                what: What::Delegated(String::new()),
                ok: None,
                exit: None,
                output: message,
                files_read: Vec::new(),
                files_changed: Vec::new(),
                by: Some(role),
            });
        }
    }

    /// Says which sub-agent did something; none for the session's own agent.
    fn by(&self, event: &Event<'_>) -> Option<String> {
        let agent = event.agent.as_ref()?;
        let id = agent.id.as_ref()?.as_str();
        if let Some((_, role)) = self.roles.iter().find(|(known, _)| known == id) {
            return Some(role.clone());
        }
        let is_other = self.main.as_deref().is_some_and(|main| main != id);
        is_other.then(|| agent.role.clone().unwrap_or_else(|| "sub-agent".to_owned()))
    }

    fn tool(&mut self, event: &Event<'_>, body: Body) {
        let ok = match (event.kind, event.outcome) {
            (Kind::ToolFailed, _) | (_, Some(Outcome::Failed | Outcome::Denied)) => Some(false),
            (_, Some(Outcome::Ok)) => Some(true),
            _ => body.exit.map(|exit| exit == 0),
        };
        let mut step = Step {
            id: event.id,
            tool: body.tool.unwrap_or_default(),
            what: What::Read,
            ok,
            exit: body.exit,
            output: without_note(body.output.unwrap_or_default()),
            files_read: body.files_read,
            files_changed: body.files_changed,
            by: self.by(event),
        };
        let tools = custos_clients::find(&self.turn.client).map_or(&[][..], |client| client.tools);
        let call = custos_clients::event::ToolCall { tool: step.tool.clone(), input: body.input };
        let overrides = Overrides::default();
        let act = tool::act(tools, &overrides, &call);
        let line = tool::spelled(tools, &overrides, &call);
        step.what = match (act, line) {
            (_, Some(line)) => return self.ran(step, &line),
            (Some(act), None) => match act.deed {
                Deed::Shell => return self.ran(step, act.with),
                Deed::Patch => What::Edited(self.patched(act.with)),
                Deed::Read => What::Read,
                Deed::Change => What::Edited(self.edits(&call.input, act.with, &step)),
                Deed::Delete => What::Edited(vec![Edit {
                    path: self.relative(act.with, &step.files_changed),
                    before: String::new(),
                    after: String::new(),
                    fate: Fate::Deleted,
                }]),
                Deed::Delegate => What::Delegated(act.with.to_owned()),
            },
            // Somebody's own tool, or one that a newer client brought: what looks like an edit is one.
            (None, None) => match self.looks_like_edit(&call.input, &step) {
                Some(edits) => What::Edited(edits),
                None => What::Other(brief(&call.input)),
            },
        };
        if let (What::Edited(edits), true) = (&step.what, step.files_changed.is_empty()) {
            step.files_changed = edits.iter().map(|edit| edit.path.clone()).collect();
            step.files_changed.dedup();
        }
        self.turn.steps.push(step);
    }

    /// Takes a command line; what it writes from a here-document, or patches, becomes an edit before it.
    fn ran(&mut self, mut step: Step, line: &str) {
        let mut edits: Vec<Edit> = Vec::new();
        if let Some(at) = line.find(patch::BEGIN) {
            edits = self.patched(&line[at..]);
        } else {
            for (path, text) in heredoc::written(line) {
                let path = self.relative(&path, &step.files_changed);
                edits.push(Edit { path, before: String::new(), after: text, fate: Fate::Written });
            }
        }
        if !edits.is_empty() && step.ok != Some(false) {
            let mut edit = step.clone();
            edit.output = String::new();
            edit.what = What::Edited(edits);
            self.turn.steps.push(edit);
            step.files_changed.clear();
        }
        step.what = What::Ran(heredoc::without_bodies(line).into_owned());
        self.turn.steps.push(step);
    }

    fn patched(&self, text: &str) -> Vec<Edit> {
        let mut edits = patch::read(text);
        for edit in &mut edits {
            edit.path = self.relative(&edit.path, &[]);
        }
        edits
    }

    fn edits(&self, input: &Value, path: &str, step: &Step) -> Vec<Edit> {
        let path = self.relative(path, &step.files_changed);
        if let Some(list) = input.get("edits").and_then(Value::as_array) {
            return list.iter().filter_map(|edit| change(edit, &path, step)).collect();
        }
        let one = change(input, &path, step);
        one.into_iter().collect()
    }

    fn looks_like_edit(&self, input: &Value, step: &Step) -> Option<Vec<Edit>> {
        let path = ["file_path", "filePath", "path", "target_file", "filename"]
            .iter()
            .find_map(|field| input.get(*field)?.as_str())?;
        let has_sides = input.get("edits").is_some_and(Value::is_array) || text_of(input, &OLD).is_some();
        let edits = has_sides.then(|| self.edits(input, path, step))?;
        (!edits.is_empty()).then_some(edits)
    }

    /// Spells a path as seen from the project.
    fn relative(&self, path: &str, known: &[String]) -> String {
        if let Some(rest) = self.root.and_then(|root| path.strip_prefix(root.trim_end_matches('/'))) {
            return rest.trim_start_matches('/').to_owned();
        }
        // The log told the same file relative to its project already.
        let same = known.iter().find(|known| {
            path == known.as_str()
                || path.strip_suffix(known.as_str()).is_some_and(|rest| rest.ends_with('/'))
        });
        same.map_or_else(|| path.trim_start_matches("./").to_owned(), Clone::clone)
    }

    fn finish(mut self) -> Turn {
        self.turn.is_private = self.private_prompts > 0 && self.turn.said.is_empty();
        if !self.has_end && self.turn.error.is_none() {
            self.turn.error = Some(NO_END.to_owned());
        }
        for step in &mut self.turn.steps {
            let mut seen = HashSet::new();
            step.files_changed.retain(|file| seen.insert(file.clone()));
        }
        self.turn
    }
}

/// Recognises a prompt of which nothing but what is private was typed.
fn is_wholly_private(text: &str) -> bool {
    let marker =
        format!("{}{}{}", custos_redact::MARKER_OPEN, custos_redact::PRIVATE, custos_redact::MARKER_CLOSE);
    text.contains(&marker) && text.replace(&marker, "").chars().all(|c| !c.is_alphanumeric())
}

/// Names under which clients tell what stood there, and what stands there now.
const OLD: [&str; 4] = ["old_string", "oldString", "old_str", "old_text"];
const NEW: [&str; 5] = ["new_string", "newString", "new_str", "new_text", "new_source"];
const WHOLE: [&str; 4] = ["content", "file_text", "contents", "text"];

fn text_of<'v>(input: &'v Value, names: &[&str]) -> Option<&'v str> {
    names.iter().find_map(|name| input.get(*name)?.as_str())
}

fn change(input: &Value, path: &str, step: &Step) -> Option<Edit> {
    let edit = |before: &str, after: &str, fate: Fate| Edit {
        path: path.to_owned(),
        before: without_note(before.to_owned()),
        after: without_note(after.to_owned()),
        fate,
    };
    let (old, new) = (text_of(input, &OLD), text_of(input, &NEW));
    match (old, new) {
        // Some clients create a file by replacing nothing.
        (Some(""), Some(new)) => Some(edit("", new, Fate::Created)),
        (Some(old), new) => Some(edit(old, new.unwrap_or_default(), Fate::Changed)),
        (None, Some(new)) => Some(edit("", new, Fate::Changed)),
        (None, None) => {
            let text = text_of(input, &WHOLE).or_else(|| text_of(input, &["insert_text"]))?;
            let is_new = ["Created file", "created and wrote to new file", "created successfully"]
                .iter()
                .any(|words| step.output.contains(words));
            Some(edit("", text, if is_new { Fate::Created } else { Fate::Written }))
        }
    }
}

/// Takes the log's note about what it left out from the middle of an excerpt; a reader of code would stumble over it.
fn without_note(text: String) -> String {
    let Some(begin) = text.find("…[cut: ") else { return text };
    let Some(length) = text[begin..].find("]…") else { return text };
    let end = begin + length + "]…".len();
    format!("{}\n{}", &text[..begin], &text[end..])
}

/// Spells the input of a tool that nobody knows: its texts, without the names of its fields where there is only one.
fn brief(input: &Value) -> String {
    const MOST: usize = 2_000;
    let text: Cow<'_, str> = match input {
        Value::String(text) => text.into(),
        Value::Object(fields) if fields.len() == 1 => match fields.values().next() {
            Some(Value::String(text)) => text.into(),
            Some(other) => other.to_string().into(),
            None => "".into(),
        },
        other => other.to_string().into(),
    };
    text.chars().take(MOST).collect()
}

#[cfg(test)]
mod tests;
