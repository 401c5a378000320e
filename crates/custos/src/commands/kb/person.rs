//! A person before the desk: which project they mean, and what they ask.

use std::path::PathBuf;

use clap::Args;
use custos_knowledge::{Base, Refusal, View};
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
        self.desk.ask(tool, self.about_project(call)).map_err(|refusal| refused(&refusal))
    }

    /// Calls a tool until its last page, and puts the pages together again: agents read page by page, people pipe to a pager.
    pub(super) fn ask_to_the_end(&self, tool: &str, call: Call) -> Result<Answer, CliError> {
        let sent = self.about_project(call);
        pages(|number| {
            let mut sent = sent.clone();
            sent.insert("page".to_owned(), number.into());
            self.desk.ask(tool, sent)
        })
        .map_err(|refusal| refused(&refusal))
    }

    /// The knowledge base, for what has no tool.
    pub(super) fn base(&self) -> &Base {
        self.desk.base()
    }

    /// The levels of the project.
    pub(super) fn view(&self) -> Result<View, CliError> {
        self.base().view(self.project.as_deref()).map_err(|refusal| refused(&refusal))
    }

    /// The project that was named, for a tool that has its own word for it.
    pub(super) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    fn about_project(&self, call: Call) -> Map<String, Value> {
        call.text("project_path", self.project.as_deref()).0
    }
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

/// Asks for page after page, and gives one answer without page numbers.
fn pages(ask: impl Fn(u64) -> Result<Answer, Refusal>) -> Result<Answer, Refusal> {
    let mut whole = ask(1)?;
    let (text, mut of) = without_page(&whole.text);
    whole.text = text.to_owned();
    for number in 2.. {
        if of.is_none_or(|(_, last)| number > last) {
            break;
        }
        let next = ask(number)?;
        let (text, place) = without_page(&next.text);
        if place.is_none_or(|(at, _)| at != number) {
            // A tool without pages says the same again.
            whole.text.push_str("\n… (shortened)");
            break;
        }
        let gap = if text.starts_with('#') { "\n\n" } else { "\n" };
        whole.text.push_str(gap);
        whole.text.push_str(text);
        add_rows(&mut whole.data, next.data);
        of = place;
    }
    if let Value::Object(fields) = &mut whole.data {
        fields.remove("page");
        fields.remove("pages");
    }
    Ok(whole)
}

/// Takes the line about pages from the end of a text: which this is, and how many there are.
fn without_page(text: &str) -> (&str, Option<(u64, u64)>) {
    let read = || {
        let (before, line) = text.rsplit_once("\n\n(page ")?;
        let (number, rest) = line.strip_suffix(')')?.split_once(" of ")?;
        let (of, _) = rest.split_once(';')?;
        Some((before, (number.parse().ok()?, of.parse().ok()?)))
    };
    read().map_or((text, None), |(before, place)| (before, Some(place)))
}

/// Adds the rows of the next page. A list that is whole already, as `total` tells, does not grow.
fn add_rows(whole: &mut Value, next: Value) {
    let Some(total) = whole.get("total").and_then(Value::as_u64) else { return };
    let (Value::Object(fields), Value::Object(next)) = (whole, next) else { return };
    for (name, more) in next {
        if let (Some(Value::Array(rows)), Value::Array(more)) = (fields.get_mut(&name), more)
            && (rows.len() as u64) < total
        {
            rows.extend(more);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pages_become_one_text_and_one_list() {
        let ask = |number: u64| {
            let (text, rows) = match number {
                1 => ("## A\n\n- one\n\n(page 1 of 3; send page: 2 for more)", json!([1, 2])),
                2 => ("- two\n\n(page 2 of 3; send page: 3 for more)", json!([3, 4])),
                _ => ("## B\n\n- three\n\n(page 3 of 3; the last)", json!([5])),
            };
            Ok(Answer::new(
                text,
                json!({"rows": rows, "problems": [], "total": 5, "page": number, "pages": 3}),
            ))
        };
        let whole = Answer::new(
            "## A\n\n- one\n- two\n\n## B\n\n- three",
            json!({"rows": [1, 2, 3, 4, 5], "problems": [], "total": 5}),
        );
        assert_eq!(pages(ask), Ok(whole));
    }

    #[test]
    fn a_tool_without_pages_is_asked_no_further() {
        let ask = |_| {
            Ok(Answer::new(
                "begins\n\n(page 1 of 9; send page: 2 for more)",
                json!({"rows": [1], "total": 1}),
            ))
        };
        let cut = Answer::new("begins\n… (shortened)", json!({"rows": [1], "total": 1}));
        assert_eq!(pages(ask), Ok(cut));
        let short = |_| Ok(Answer::new("all (page 1 of 2)", json!({})));
        assert_eq!(pages(short), Ok(Answer::new("all (page 1 of 2)", json!({}))));
    }
}
