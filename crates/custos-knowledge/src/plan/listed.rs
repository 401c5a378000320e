//! The steps of a plan as they stand in its file, with what people wrote between and below them.
//!
//! An agent sends the whole list each time, and knows of a line below a step at most as the end of that step. So such a line goes on with the
//! step that begins as before, or, if there is none, stands below the list: nobody who only ticks off a step takes away what is said about it.
//! For the same reason a step that is sent again keeps its line, with its number and its indentation; of that only the mark changes.
//!
//! A block of code and a private passage of several lines are one thing, whatever their lines look like: nobody who never saw the steps in
//! them can take these away, and no tag loses what it is around.

use custos_redact::redact;

use super::{STEPS, Step, StepState};
use crate::lines::lines;
use crate::text::{Document, Fences, passages};

/// The steps in a text, and what else it says.
#[derive(Debug, Default)]
pub(super) struct Listed {
    steps: Vec<Written>,
    /// What stands between and below them.
    pub(super) rest: String,
}

/// A step as it stands in a file.
#[derive(Debug)]
struct Written {
    /// The step, with what stands below it.
    step: Step,
    /// Its first line, without the mark.
    first: String,
    /// That line as it stands there.
    line: String,
    /// The indented lines below it.
    below: Vec<String>,
}

impl Written {
    /// A step of one line.
    fn new(step: Step) -> Self {
        let line = format!("- [{}] {}", step.state.mark(), step.text);
        Self { first: step.text.clone(), step, line, below: Vec::new() }
    }

    /// A step that stands in a file.
    fn read(line: &str) -> Option<Self> {
        let step = step_of(line)?;
        Some(Self { first: step.text.clone(), step, line: line.trim_end().to_owned(), below: Vec::new() })
    }

    /// Says how far it has come now.
    fn marked(mut self, state: StepState) -> Self {
        let mark = self.line.find('[').map(|at| at + 1).filter(|_| state != self.step.state);
        if let Some((at, old)) = mark.and_then(|at| Some((at, self.line[at..].chars().next()?))) {
            self.line.replace_range(at..at + old.len_utf8(), state.mark().encode_utf8(&mut [0; 4]));
        }
        self.step.state = state;
        self
    }

    /// What somebody who read the plan may call it: with what stands below it or without, and without what is secret in it.
    fn names(&self) -> [String; 4] {
        let (first, whole) = (&self.first, &self.step.text);
        [words_of(first), words_of(&redact(first)), words_of(whole), words_of(&redact(whole))]
    }

    /// Takes a line that stands below it.
    fn take_below(&mut self, line: &str) {
        if !line.trim().is_empty() {
            self.step.text.push(' ');
            self.step.text.push_str(line.trim());
        }
        self.below.push(line.to_owned());
    }

    fn to_text(&self) -> String {
        let lines = std::iter::once(&self.line).chain(&self.below);
        lines.map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

impl Listed {
    /// Reads the steps in the file of a plan, and what stands in the section between them.
    pub(super) fn of(document: &Document) -> Self {
        match document.section(STEPS) {
            Some(section) => Self::read(section),
            // What a person wrote above and between them stays there.
            None => Self { rest: String::new(), ..Self::read(document.lead()) },
        }
    }

    /// Tells the steps in a text from what else it says. Indented lines below a step go on with it, and so does all of what begins in one.
    pub(super) fn read(text: &str) -> Self {
        let mut steps: Vec<Written> = Vec::new();
        let mut rest: Vec<&str> = Vec::new();
        let mut below_step = false;
        let mut fences = Fences::default();
        let mut private = passages(text).into_iter().map(|passage| passage.range).peekable();
        let mut was_in_code = false;
        for line in lines(text, 0..text.len()) {
            let in_code = fences.holds(line.text);
            while private.next_if(|passage| passage.end <= line.start).is_some() {}
            // A passage may begin in a step, which is one all the same.
            let in_passage = private.peek().is_some_and(|passage| passage.start < line.start);
            let goes_on = in_passage || (in_code && was_in_code);
            was_in_code = in_code;
            if let Some(step) = Written::read(line.text).filter(|_| !in_code && !in_passage) {
                steps.push(step);
                below_step = true;
            } else if let Some(written) =
                steps.last_mut().filter(|_| below_step && (goes_on || is_indented(line.text)))
            {
                written.take_below(line.text);
            } else {
                below_step = false;
                rest.push(line.text);
            }
        }
        Self { steps, rest: rest.join("\n").trim().to_owned() }
    }

    /// Puts other steps in the place of these. One that begins as an old one did keeps its line and what stands below that; what then belongs
    /// to no step stands below all of them.
    pub(super) fn renewed(mut self, steps: Vec<Step>) -> Self {
        let mut renewed = Vec::with_capacity(steps.len());
        let mut names: Vec<_> = self.steps.iter().map(Written::names).collect();
        for step in steps {
            let text = words_of(&step.text);
            renewed.push(match names.iter().position(|names| names.contains(&text)) {
                Some(at) => {
                    names.remove(at);
                    self.steps.remove(at).marked(step.state)
                }
                None => Written::new(step),
            });
        }
        let left = self.steps.iter().filter(|old| !old.below.is_empty());
        let left = left.map(|old| format!("Below \"{}\":\n{}", old.first, outdented(&old.below)));
        let rest = std::iter::once(self.rest).filter(|rest| !rest.is_empty()).chain(left);
        let rest = rest.collect::<Vec<_>>().join("\n\n");
        Self { steps: renewed, rest }
    }

    /// The steps, each with what stands below it.
    pub(super) fn steps(&self) -> Vec<Step> {
        self.steps.iter().map(|written| written.step.clone()).collect()
    }

    /// Writes them as they stand in a file.
    pub(super) fn to_text(&self) -> String {
        let list = self.steps.iter().map(Written::to_text).collect::<Vec<_>>().join("\n");
        if self.rest.is_empty() { list } else { format!("{list}\n\n{}", self.rest) }
    }
}

/// Gives the words of a text, each behind one blank.
fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Moves lines to the left, each as far as all of them can go: below a list they would go on with its last step.
fn outdented(lines: &[String]) -> String {
    let indent = |line: &String| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    lines.iter().map(|line| line.get(common..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Reads a line like `- [x] Measure it`.
fn step_of(line: &str) -> Option<Step> {
    let line = line.trim();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let item = if digits > 0 {
        line[digits..].strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*', '+'])?
    };
    let mut marked = item.trim_start().strip_prefix('[')?.chars();
    let mark = marked.next()?;
    let text = marked.as_str().strip_prefix(']')?;
    let text = if text.is_empty() { text } else { text.strip_prefix([' ', '\t'])? };
    Some(Step { text: text.trim().to_owned(), state: StepState::marked(mark) })
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t']) && !line.trim().is_empty()
}
