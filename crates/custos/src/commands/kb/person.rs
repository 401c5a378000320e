//! A person before the desk: which project they mean, and what they ask.

use std::path::PathBuf;

use clap::Args;
use custos_knowledge::{Base, View};
use custos_mcp::Desk;
use custos_mcp::answer::Answer;
use serde_json::{Map, Value};

use super::answer::refused;
use crate::context::Context;
use crate::environment::working_directory;
use crate::error::CliError;
use crate::knowledge;

/// Which project a command is about.
#[derive(Debug, Args)]
pub(super) struct Place {
    /// The repo or workspace that you work in [default: $CUSTOS_ROOT, else the working directory]
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    root: Option<PathBuf>,
    /// Another project: its directory, or the name of a repo in the workspace
    #[arg(long, global = true, value_name = "DIR", help_heading = "Everywhere")]
    project: Option<PathBuf>,
}

impl Place {
    /// Opens the desk there.
    pub(super) fn open(&self, context: &Context) -> Result<Person, CliError> {
        let root = knowledge::root(self.root.as_deref())?;
        let project = self.project.as_ref().map(|named| {
            // As a shell would read it; what is no directory from here may be the name of a repo.
            let from_here = working_directory().map(|here| here.join(named)).filter(|path| path.is_dir());
            from_here.as_ref().unwrap_or(named).to_string_lossy().into_owned()
        });
        Ok(Person { desk: knowledge::for_person(context, root), project })
    }
}

/// A person who asks at the desk.
pub(super) struct Person {
    desk: Desk,
    project: Option<String>,
}

impl Person {
    /// Calls a tool.
    pub(super) fn ask(&self, tool: &str, call: Call) -> Result<Answer, CliError> {
        self.ask_by("project_path", tool, call)
    }

    /// Calls a tool that has its own word for the project.
    pub(super) fn ask_by(&self, word: &str, tool: &str, call: Call) -> Result<Answer, CliError> {
        let Call(arguments) = call.text(word, self.project.as_deref());
        self.desk.ask(tool, arguments).map_err(|refusal| refused(&refusal))
    }

    /// Calls a tool that gives agents page after page. People get all of it at once, and no numbers of pages.
    pub(super) fn ask_to_the_end(&self, tool: &str, call: Call) -> Result<Answer, CliError> {
        self.ask(tool, call).map(in_one)
    }

    /// The knowledge base, for what has no tool.
    pub(super) fn base(&self) -> &Base {
        self.desk.base()
    }

    /// The levels of the project.
    pub(super) fn view(&self) -> Result<View, CliError> {
        self.base().view(self.project.as_deref()).map_err(|refusal| refused(&refusal))
    }
}

/// Takes the numbers of pages out of an answer.
pub(super) fn in_one(mut answer: Answer) -> Answer {
    if let Value::Object(fields) = &mut answer.data {
        fields.remove("page");
        fields.remove("pages");
    }
    answer
}

/// The arguments of a tool; what was not given is left out.
#[derive(Debug, Default)]
pub(super) struct Call(Map<String, Value>);

impl Call {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn text<'a>(mut self, name: &str, text: impl Into<Option<&'a str>>) -> Self {
        if let Some(text) = text.into() {
            self.0.insert(name.to_owned(), text.into());
        }
        self
    }

    pub(super) fn texts(mut self, name: &str, texts: &[String]) -> Self {
        if !texts.is_empty() {
            self.0.insert(name.to_owned(), texts.into());
        }
        self
    }

    pub(super) fn flag(mut self, name: &str, is_set: bool) -> Self {
        if is_set {
            self.0.insert(name.to_owned(), true.into());
        }
        self
    }

    pub(super) fn number(mut self, name: &str, number: Option<u64>) -> Self {
        if let Some(number) = number {
            self.0.insert(name.to_owned(), number.into());
        }
        self
    }

    pub(super) fn thing(mut self, name: &str, thing: Option<Call>) -> Self {
        if let Some(Call(fields)) = thing {
            self.0.insert(name.to_owned(), fields.into());
        }
        self
    }
}
