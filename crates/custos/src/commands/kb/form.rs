//! The texts of a command: given as flags, read from standard input, or written in an editor.
//!
//! Everything that is missing is asked for at once. The editor opens with one file for all of it; where none can, the refusal names every flag
//! that is missing.

use std::io::Read;

use custos_mcp::answer::Answer;
use serde_json::Value;

use super::draft::Draft;
use super::editor::Editor;
use super::person::Call;
use crate::error::CliError;
use crate::exit::Exit;

/// What a line begins with that is not part of a text.
const ASIDE: &str = "#>";
/// The most that is read from standard input: far more than is taken, so that the refusal of what is longer than a text can say how long it is.
const LONGEST_INPUT: u64 = 4 << 20;

/// A text that a command takes.
#[derive(Debug)]
struct Blank {
    /// The tool's name for it.
    field: &'static str,
    /// How it is given on the command line.
    flag: &'static str,
    /// What to write.
    about: &'static str,
    is_needed: bool,
    text: Option<String>,
    /// What the person finds there already.
    begun: String,
}

impl Blank {
    fn is_empty(&self) -> bool {
        self.text.as_deref().is_none_or(|text| text.trim().is_empty())
    }
}

/// The texts that a command takes.
#[derive(Debug)]
pub(crate) struct Form {
    heading: &'static str,
    aside: String,
    blanks: Vec<Blank>,
}

impl Form {
    /// Begins a form; the heading is what the person finds at the top of their editor.
    pub(crate) fn new(heading: &'static str) -> Self {
        Self { heading, aside: String::new(), blanks: Vec::new() }
    }

    /// Adds a text without which there is nothing to do.
    pub(crate) fn need(
        mut self,
        field: &'static str,
        flag: &'static str,
        about: &'static str,
        given: Option<&str>,
    ) -> Self {
        self.blanks.push(Blank {
            field,
            flag,
            about,
            is_needed: true,
            text: given.map(str::to_owned),
            begun: String::new(),
        });
        self
    }

    /// Adds a text that may be left out.
    pub(crate) fn may(
        mut self,
        field: &'static str,
        flag: &'static str,
        about: &'static str,
        given: Option<&str>,
    ) -> Self {
        self.blanks.push(Blank {
            field,
            flag,
            about,
            is_needed: false,
            text: given.map(str::to_owned),
            begun: String::new(),
        });
        self
    }

    /// Gives the person something to begin with.
    pub(crate) fn begun(mut self, field: &str, text: &str) -> Self {
        if let Some(blank) = self.blanks.iter_mut().find(|blank| blank.field == field) {
            text.clone_into(&mut blank.begun);
        }
        self
    }

    /// Shows the person something beside the blanks.
    pub(super) fn beside(mut self, aside: String) -> Self {
        self.aside = aside;
        self
    }

    /// Gets the texts, from wherever they come.
    pub(crate) fn fill(mut self) -> Result<Filled, CliError> {
        self.read_input()?;
        let missing = self.missing();
        if missing.is_empty() {
            return Ok(Filled { blanks: self.blanks, draft: None });
        }
        let editor = Editor::chosen();
        if !editor.may_open() {
            let are = if missing.len() == 1 { "is" } else { "are" };
            return Err(CliError::new(Exit::Usage, format!("{} {are} missing", flags(&missing)))
                .hint("give a text, or `-` to read it from standard input; on a terminal $EDITOR opens for what is missing, elsewhere only if it is a script of yours"));
        }
        self.write(editor)
    }

    /// Reads the text that was given as `-`.
    fn read_input(&mut self) -> Result<(), CliError> {
        let mut from_input: Vec<&mut Blank> =
            self.blanks.iter_mut().filter(|blank| blank.text.as_deref() == Some("-")).collect();
        match from_input.as_mut_slice() {
            [] => Ok(()),
            [blank] => {
                let mut bytes = Vec::new();
                let unreadable =
                    |error: String| CliError::new(Exit::Data, format!("cannot read standard input: {error}"));
                let read = std::io::stdin().lock().take(LONGEST_INPUT + 1).read_to_end(&mut bytes);
                read.map_err(|error| unreadable(error.to_string()))?;
                if bytes.len() as u64 > LONGEST_INPUT {
                    let said =
                        format!("standard input is more than {LONGEST_INPUT} bytes long, as no text may be");
                    return Err(CliError::new(Exit::Data, said).hint(
                        "keep what matters, and put the rest into a file of the repo that the text names",
                    ));
                }
                let text = String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
                if blank.is_needed && text.trim().is_empty() {
                    let said = format!("standard input is empty, and {} was to be read from it", blank.flag);
                    return Err(CliError::new(Exit::Usage, said)
                        .hint("see whether the command before it printed anything"));
                }
                blank.text = Some(text);
                Ok(())
            }
            several => {
                let names: Vec<&str> = several.iter().map(|blank| blank.flag).collect();
                Err(CliError::new(Exit::Usage, format!("{} cannot all be standard input", flags(&names)))
                    .hint("give `-` to one of them"))
            }
        }
    }

    /// The flags of what is needed and not there.
    fn missing(&self) -> Vec<&'static str> {
        self.blanks
            .iter()
            .filter(|blank| blank.is_needed && blank.is_empty())
            .map(|blank| blank.flag)
            .collect()
    }

    /// Has the person write what was not given.
    fn write(mut self, editor: Editor) -> Result<Filled, CliError> {
        let template = self.template();
        let draft = Draft::begin(&template)?;
        let text = match draft.edit(editor) {
            Ok(text) => text,
            Err(error) => return Err(rescued(error, Some(draft))),
        };
        let begun = self.read(&text);
        if !begun {
            return Err(CliError::new(Exit::Data, "nothing was written, so nothing was saved"));
        }
        let empty: Vec<&str> = self
            .blanks
            .iter()
            .filter(|blank| blank.is_needed && blank.is_empty())
            .map(|blank| blank.field)
            .collect();
        if empty.is_empty() {
            return Ok(Filled { blanks: self.blanks, draft: Some(draft) });
        }
        let are = if empty.len() == 1 { "is" } else { "are" };
        let error = CliError::new(Exit::Data, format!("nothing was saved: {} {are} empty", flags(&empty)));
        Err(rescued(error, Some(draft)))
    }

    /// What the person finds in their editor.
    fn template(&self) -> String {
        let mut text = format!(
            "{ASIDE} {}\n{ASIDE} Write below each name. Lines that begin with {ASIDE} are dropped; without any text, nothing is saved.\n",
            self.heading
        );
        for line in self.aside.lines() {
            text.push_str(format!("{ASIDE} {line}").trim_end());
            text.push('\n');
        }
        for blank in self.blanks.iter().filter(|blank| blank.is_empty()) {
            let optional = if blank.is_needed { "" } else { " (may stay empty)" };
            text.push_str(&format!("\n{ASIDE} [{}] {}{optional}\n\n", blank.field, blank.about));
            if !blank.begun.is_empty() {
                text.push_str(&format!("{}\n", blank.begun));
            }
        }
        text
    }

    /// Takes what the person wrote. Says whether there was anything.
    fn read(&mut self, text: &str) -> bool {
        // Whoever deletes the names as well means the first text.
        let mut at = self.blanks.iter().position(Blank::is_empty).unwrap_or_default();
        let mut written = vec![String::new(); self.blanks.len()];
        for line in text.lines() {
            let Some(aside) = line.strip_prefix(ASIDE) else {
                written[at].push_str(line);
                written[at].push('\n');
                continue;
            };
            let name = aside.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let named = |blank: &Blank| name.is_some_and(|(name, _)| blank.field == name);
            at = self.blanks.iter().position(named).unwrap_or(at);
        }
        let mut any = false;
        for (blank, text) in self.blanks.iter_mut().zip(written) {
            if blank.is_empty() && !text.trim().is_empty() {
                blank.text = Some(text.trim().to_owned());
                any = true;
            }
        }
        any
    }
}

/// The texts of a command.
#[derive(Debug)]
pub(crate) struct Filled {
    blanks: Vec<Blank>,
    draft: Option<Draft>,
}

impl Filled {
    /// Gives one of the texts; empty where there is none.
    pub(crate) fn text(&self, field: &str) -> &str {
        let blank = self.blanks.iter().find(|blank| blank.field == field);
        blank.and_then(|blank| blank.text.as_deref()).unwrap_or_default().trim()
    }

    /// Adds all texts to a call.
    pub(super) fn call(&self) -> Call {
        let given = self.blanks.iter().filter(|blank| !blank.is_empty());
        given.fold(Call::new(), |call, blank| call.text(blank.field, self.text(blank.field)))
    }

    /// Leaves the person what they wrote, where it could not be saved.
    pub(super) fn rescue(self, error: CliError) -> CliError {
        rescued(error, self.draft)
    }

    /// Leaves the person what they wrote, also where an item that was there was left as it is, or some of it was not kept.
    pub(super) fn rescue_unused(self, asked: Result<Answer, CliError>) -> Result<Answer, CliError> {
        let mut answer = match asked {
            Ok(answer) => answer,
            Err(error) => return Err(self.rescue(error)),
        };
        let was_there = |saved: &Value| saved["created"] == false || saved["became"] == "unchanged";
        let is_unused = match &answer.data["saved"] {
            Value::Array(saved) => saved.iter().all(was_there),
            saved => was_there(saved),
        };
        let has_failed = answer.data["failed"].as_u64().is_some_and(|failed| failed > 0);
        if let Some(path) = self.draft.filter(|_| is_unused || has_failed).and_then(Draft::keep) {
            answer.text = format!("{}\nWhat you wrote is in {}", answer.text.trim_end(), path.display());
            answer.data["draft"] = path.to_string_lossy().into();
        }
        Ok(answer)
    }
}

fn rescued(mut error: CliError, draft: Option<Draft>) -> CliError {
    if let Some(path) = draft.and_then(Draft::keep) {
        let hint = error.hint.map(|hint| format!("{hint}. ")).unwrap_or_default();
        error.hint = Some(format!("{hint}What you wrote is in {}", path.display()));
    }
    error
}

fn flags(names: &[&str]) -> String {
    custos_mcp::fields::listed(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> Form {
        Form::new("A decision")
            .need("title", "--title", "the decision in one line", Some("Use UTC"))
            .need("decision", "--decision", "what is decided", None)
            .may("reasoning", "--reasoning", "why", None)
    }

    #[test]
    fn the_template_asks_for_what_was_not_given() {
        assert_eq!(
            form().beside("Seen:\n\n- D-001".to_owned()).template(),
            "#> A decision\n\
             #> Write below each name. Lines that begin with #> are dropped; without any text, nothing is saved.\n\
             #> Seen:\n\
             #>\n\
             #> - D-001\n\
             \n#> [decision] what is decided\n\n\
             \n#> [reasoning] why (may stay empty)\n\n"
        );
    }

    #[test]
    fn what_is_written_below_a_name_is_its_text() {
        let mut form = form();
        let template = form.template();
        assert!(!form.read(&template), "an untouched template says nothing");
        let written = template
            .replace("decided\n", "decided\nAll times in UTC.\n\n# Not an aside\n")
            .replace("empty)\n", "empty)\nzones\n");
        assert!(form.read(&written));
        let filled = Filled { blanks: form.blanks, draft: None };
        assert_eq!(
            ["title", "decision", "reasoning", "unknown"].map(|field| filled.text(field)),
            ["Use UTC", "All times in UTC.\n\n# Not an aside", "zones", ""]
        );
    }

    #[test]
    fn without_the_names_it_is_the_first_text() {
        let mut form = form();
        assert!(form.read("All times in UTC.\n#> [title] not asked for\nignored\n"));
        assert_eq!(form.blanks[0].text.as_deref(), Some("Use UTC"));
        assert_eq!(form.blanks[1].text.as_deref(), Some("All times in UTC."));
    }
}
