//! `questions.md`, as it stands and as it changes.
//!
//! ```markdown
//! # Questions
//!
//! ## Q-001: Which port does the collector listen on?
//!
//! - status: answered
//! - asked: 2026-11-15T20:55:09Z
//! - answered: 2026-11-15T21:10:00Z
//!
//! ### Question
//!
//! > Which port does the collector listen on?
//!
//! ### Answer
//!
//! > 8443, as everywhere.
//! ```
//!
//! What was asked and answered is quoted. So it may hold any lines (headings, rules, fences that nobody closes, the marks of a merge) without
//! being taken for the structure of the file, and reading it means to take the mark off each line. People need not quote: a line without the
//! mark is taken as it is.
//!
//! A question begins at its heading, always; it ends at the next one, or at any other heading of the first two levels. What is not part of a
//! question is nobody's business, and what is part of one is changed line by line: the status, the times, a text that is added. Each change is
//! read again and thrown away unless it says what it should and leaves every other question alone.

use std::collections::BTreeMap;
use std::ops::Range;

use custos_redact::redact;

use super::{FILE, HIGHEST, Question, Status, number};
use crate::lines::{Line, end_of_text, insert, lines};
use crate::shelf::Fault;
use crate::text::{self, PrivatePassage};

/// A text of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Question,
    Context,
    Answer,
    Note,
}

impl Part {
    const ALL: [Self; 4] = [Self::Question, Self::Context, Self::Answer, Self::Note];

    const fn heading(self) -> &'static str {
        match self {
            Self::Question => "Question",
            Self::Context => "Context",
            Self::Answer => "Answer",
            Self::Note => "Note",
        }
    }

    /// Reads a line like `### Answer`, and what is said on it already: people also write `### Answer: 8443`.
    fn begun_by(line: &str) -> Option<(Self, &str)> {
        let heading = line.strip_prefix("### ")?;
        let (word, rest) = heading.split_once(':').unwrap_or((heading, ""));
        let part = Self::ALL.into_iter().find(|part| part.heading().eq_ignore_ascii_case(word.trim()))?;
        Some((part, rest.trim()))
    }

    fn of(self, question: &Question) -> &str {
        match self {
            Self::Question => &question.question,
            Self::Context => &question.context,
            Self::Answer => &question.answer,
            Self::Note => &question.note,
        }
    }

    fn of_mut(self, question: &mut Question) -> &mut String {
        match self {
            Self::Question => &mut question.question,
            Self::Context => &mut question.context,
            Self::Answer => &mut question.answer,
            Self::Note => &mut question.note,
        }
    }
}

/// A question and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) question: Question,
    /// The line of its heading, from 1.
    pub(super) line: usize,
    /// From its heading to where it ends.
    range: Range<usize>,
    /// The end of the list of its status and times, or of the heading.
    list_end: usize,
    status: Option<Range<usize>>,
    unknown_status: Option<Fault>,
    /// What stands under its heading and belongs to neither list nor part.
    loose: String,
    parts: Vec<(Part, Range<usize>)>,
}

impl Place {
    /// Says why it cannot be changed, if so.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.unknown_status.clone()
    }

    fn begun_by(line: Line<'_>, number: usize) -> Option<Self> {
        let (id, title) = question_heading(line.text)?;
        let question = Question { id: id.to_owned(), title: title.to_owned(), ..Question::default() };
        Some(Self {
            question,
            line: number,
            range: line.start..line.end,
            list_end: line.end,
            status: None,
            unknown_status: None,
            loose: String::new(),
            parts: Vec::new(),
        })
    }

    /// Takes a line between the heading and the first part.
    fn take(&mut self, line: Line<'_>, number: usize) {
        let entry = line.text.strip_prefix("- ").and_then(|entry| entry.split_once(':'));
        let (key, value) = entry.map_or(("", ""), |(key, value)| (key.trim(), value.trim()));
        let own = &mut self.question;
        let field = match key {
            "status" if self.status.is_none() => {
                let end = line.start + line.text.trim_end().len();
                self.status = Some(end - value.len()..end);
                own.status = Status::of(value).unwrap_or_else(|| {
                    let words = Status::ALL.map(Status::word).join(", ");
                    let shown = custos_config::shown::shown(value);
                    let reason =
                        format!("the status of {} is {shown:?}, and should be one of {words}", own.id);
                    self.unknown_status = Some(Fault::new(FILE, number, reason));
                    Status::default()
                });
                self.list_end = line.end;
                return;
            }
            "asked" => &mut own.asked,
            "answered" => &mut own.answered,
            "applied" => &mut own.applied,
            "archived" => &mut own.archived,
            "session" => &mut own.session,
            _ => {
                self.loose.push_str(line.text);
                self.loose.push('\n');
                return;
            }
        };
        *field = Some(value.to_owned()).filter(|value| !value.is_empty());
        self.list_end = line.end;
    }

    /// Reads the parts, once it is known where they end.
    fn finish(&mut self, text: &str) {
        for (part, range) in &self.parts {
            add_paragraph(part.of_mut(&mut self.question), &unquoted(text, range.clone()));
        }
        if self.question.question.is_empty() {
            self.question.question.clone_from(&self.question.title);
            add_paragraph(&mut self.question.question, self.loose.trim());
        }
        // A person who writes an answer need not know about the status.
        if self.question.status == Status::Open && !self.question.answer.is_empty() {
            self.question.status = Status::Answered;
        }
    }
}

impl Place {
    fn shown(&self, private: &[PrivatePassage]) -> Question {
        let clean = |said: &str| redact(said).into_owned();
        let mut shown = self.question.clone();
        shown.title = clean(&shown.title);
        for part in Part::ALL {
            let said = part.of_mut(&mut shown);
            *said = clean(said);
        }
        let is_cut = |range: &Range<usize>| text::cuts(private, range);
        for (part, _) in self.parts.iter().filter(|(_, range)| is_cut(range)) {
            *part.of_mut(&mut shown) = text::marker();
        }
        let head = self.range.start..self.parts.first().map_or(self.range.end, |(_, range)| range.start);
        if is_cut(&head) {
            shown.title = text::marker();
            if !self.parts.iter().any(|(part, _)| *part == Part::Question) {
                shown.question = text::marker();
            }
        }
        shown
    }
}

/// What is to be changed about a question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) status: Status,
    /// When.
    pub(super) time: &'a str,
    /// Which part the text is added to.
    pub(super) part: Part,
    pub(super) text: &'a str,
}

/// The file.
#[derive(Debug)]
pub(super) struct Sheet {
    text: String,
    places: Vec<Place>,
    nameless: Vec<Nameless>,
}

/// A heading that asks something and has no id, so that nobody can answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Nameless {
    /// What it asks.
    pub(super) title: String,
    /// Its line, from 1.
    pub(super) line: usize,
}

impl Sheet {
    /// Reads the file. One with the marks of a merge has two truths, and is not read.
    pub(super) fn read(text: String) -> Result<Self, Fault> {
        let parts = text::split(&text).map_err(|problem| Fault::of(FILE, &problem))?;
        let (body, first_line) = (text.len() - parts.body.len(), parts.body_line);
        let mut places: Vec<Place> = Vec::new();
        let mut inside = false;
        let mut block = Block::default();
        let (mut nameless, mut heading) = (Vec::new(), None);
        for (at, line) in lines(&text, body..text.len()).enumerate() {
            if let Some(place) = Place::begun_by(line, first_line + at) {
                places.push(place);
                (inside, block) = (true, Block::default());
                continue;
            }
            let in_code = block.holds(line.text);
            if !in_code && is_upper_heading(line.text) {
                heading = line.text.strip_prefix("## ").map(|title| (title.trim(), first_line + at));
                nameless.extend(heading.take_if(|(title, _)| asks(title)));
                (inside, block) = (false, Block::default());
                continue;
            }
            if !inside && !in_code && is_of_question(line.text) {
                nameless.extend(heading.take());
            }
            let Some(place) = places.last_mut().filter(|_| inside) else { continue };
            // In code, `### Note: run as root` is a comment.
            let part = Part::begun_by(line.text).filter(|(_, said)| said.is_empty() || !in_code);
            if let Some((part, said)) = part {
                let begin = if said.is_empty() {
                    line.end
                } else {
                    line.start + line.text.trim_end().len() - said.len()
                };
                place.parts.push((part, begin..line.end));
                block = Block::default();
            } else if let Some((_, range)) = place.parts.last_mut() {
                range.end = line.end;
            } else {
                place.take(line, first_line + at);
            }
            place.range.end = line.end;
        }
        for place in &mut places {
            place.finish(&text);
        }
        let nameless = nameless.into_iter().map(|(title, line)| Nameless { title: title.to_owned(), line });
        let nameless = nameless.collect();
        Ok(Self { text, places, nameless })
    }

    /// The questions that have no id.
    pub(super) fn nameless(&self) -> &[Nameless] {
        &self.nameless
    }

    /// The questions, as they stand in the file.
    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    /// The questions without what is secret or private in them, each text by itself; of one in which a private passage begins or ends that
    /// goes beyond it, nothing is left.
    pub(super) fn shown(&self) -> Vec<Question> {
        let private = text::passages(&self.text);
        self.places.iter().map(|place| place.shown(&private)).collect()
    }

    /// The file, as it is to be written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The highest number that a question has.
    pub(super) fn highest(&self) -> Option<u32> {
        self.places.iter().filter_map(|place| number(&place.question.id)).max()
    }

    /// Gives the text of the file with another question at its end.
    pub(super) fn with(&self, question: &Question) -> String {
        let gap = match self.text.trim_end_matches(['\r', '\n']).len() {
            0 => "# Questions\n\n",
            end if self.text[end..].matches('\n').count() > 1 => "",
            _ => "\n",
        };
        insert(&self.text, self.text.len(), &format!("{gap}{}", question.to_text()))
    }

    /// Changes a question. Nothing comes back if that would harm it or another one.
    pub(super) fn changed(&self, at: usize, change: &Change<'_>) -> Option<Self> {
        let place = &self.places[at];
        let mut expected: Vec<Question> = self.places.iter().map(|place| place.question.clone()).collect();
        let mut text = self.text.clone();
        // From the end to the beginning, so that places stay where they are.
        if !change.text.is_empty() {
            let quoted = quoted(change.text);
            let there = place.parts.iter().rfind(|(part, _)| *part == change.part);
            let heading =
                there.map_or_else(|| format!("### {}\n\n", change.part.heading()), |_| String::new());
            let range = there.map_or(&place.range, |(_, range)| range);
            text = insert(&text, end_of_text(&text, range.clone()), &format!("\n{heading}{quoted}"));
            add_paragraph(change.part.of_mut(&mut expected[at]), change.text);
        }
        let word = change.status.word();
        let mut entries = String::new();
        if place.status.is_none() {
            entries.push_str(&format!("- status: {word}\n"));
        }
        if let Some(time) = time_of(&mut expected[at], change.status).filter(|time| time.is_none()) {
            entries.push_str(&format!("- {word}: {}\n", change.time));
            *time = Some(change.time.to_owned());
        }
        let has_list = place.list_end > lines(&text, place.range.clone()).next()?.end;
        text = insert(&text, place.list_end, &if has_list { entries } else { format!("\n{entries}") });
        if let Some(status) = &place.status {
            text.replace_range(status.clone(), word);
        }
        expected[at].status = change.status;
        let changed = Self::read(text).ok()?;
        changed.places.iter().map(|place| &place.question).eq(&expected).then_some(changed)
    }

    /// Gives every question an id of its own, counting on from `highest`: of those that share one, the eldest keeps it, and a copy of that goes.
    /// With it comes what was done. Nothing comes back if a question could not be found again afterwards.
    pub(super) fn renumbered(&self, highest: u32) -> Option<(Self, String)> {
        let mut groups: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, place) in self.places.iter().enumerate() {
            groups.entry(number(&place.question.id)?).or_default().push(at);
        }
        let mut next = highest;
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        let mut done = Vec::new();
        for mut group in groups.into_values() {
            let asked = |at: &usize| self.places[*at].question.asked.clone();
            group.sort_by_key(|at| (asked(at).is_none(), asked(at), *at));
            let (eldest, others) = group.split_first()?;
            for place in others.iter().map(|at| &self.places[*at]) {
                // What a person wrote between its lines is not part of a question, and is theirs all the same.
                if self.said_by(place).eq(self.said_by(&self.places[*eldest])) {
                    edits.push((place.range.clone(), String::new()));
                    done.push((place.line, format!("The copy in line {} is removed", place.line)));
                    continue;
                }
                next = next.checked_add(1).filter(|next| *next <= HIGHEST)?;
                let id = &place.question.id;
                let start = place.range.start + self.text[place.range.clone()].find(id.as_str())?;
                edits.push((start..start + id.len(), format!("Q-{next:03}")));
                let title = custos_config::shown::shown(&place.question.title);
                done.push((place.line, format!("{title:?} in line {} is Q-{next:03} now", place.line)));
            }
        }
        edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        let gone = edits.iter().filter(|(_, text)| text.is_empty()).count();
        let mut text = self.text.clone();
        for (range, with) in edits {
            text.replace_range(range, &with);
        }
        done.sort();
        let done = done.into_iter().map(|(_, done)| done).collect::<Vec<_>>().join(". ");
        let changed = Self::read(text).ok()?;
        (changed.places.len() + gone == self.places.len()).then_some((changed, done))
    }

    /// The lines of a question, up to the last that says anything.
    fn said_by(&self, place: &Place) -> impl Iterator<Item = &str> {
        let said = place.range.start..end_of_text(&self.text, place.range.clone());
        lines(&self.text, said).map(|line| line.text)
    }

    /// Parts the archived questions from the others: the file without them, and a file of them. There may be none. The question with the
    /// highest number stays, so that the next one is known from the file alone.
    pub(super) fn without_archived(&self) -> Option<(String, String)> {
        let mut kept = String::with_capacity(self.text.len());
        let mut moved = String::new();
        let mut end = 0;
        let highest = self.highest();
        let leaves = |place: &&Place| {
            place.question.status == Status::Archived && number(&place.question.id) < highest
        };
        for place in self.places.iter().filter(leaves) {
            kept.push_str(&self.text[end..place.range.start]);
            moved.push_str(&format!("\n{}\n", self.text[place.range.clone()].trim_end()));
            end = place.range.end;
        }
        kept.push_str(&self.text[end..]);
        (!moved.is_empty()).then(|| (kept, format!("# Questions\n{moved}")))
    }
}

fn time_of(question: &mut Question, status: Status) -> Option<&mut Option<String>> {
    match status {
        Status::Open => None,
        Status::Answered => Some(&mut question.answered),
        Status::Applied => Some(&mut question.applied),
        Status::Archived => Some(&mut question.archived),
    }
}

impl Question {
    /// Writes a question as it stands in a file. An open one has a place for the answer.
    pub fn to_text(&self) -> String {
        let mut out = format!("## {}: {}\n\n- status: {}\n", self.id, self.title, self.status.word());
        let entries = [
            ("asked", &self.asked),
            ("answered", &self.answered),
            ("applied", &self.applied),
            ("archived", &self.archived),
            ("session", &self.session),
        ];
        for (key, value) in entries {
            if let Some(value) = value {
                out.push_str(&format!("- {key}: {value}\n"));
            }
        }
        for part in Part::ALL {
            let text = part.of(self);
            if !text.is_empty() {
                out.push_str(&format!("\n### {}\n\n{}", part.heading(), quoted(text)));
            } else if part == Part::Answer && self.status == Status::Open {
                out.push_str("\n### Answer\n");
            }
        }
        out
    }
}

/// Reads a line like `## Q-001: Which port?`.
fn question_heading(line: &str) -> Option<(&str, &str)> {
    let heading = line.strip_prefix("## ")?.trim();
    let digits = heading.strip_prefix("Q-")?.bytes().take_while(u8::is_ascii_digit).count();
    let (id, rest) = heading.split_at("Q-".len() + digits);
    number(id)?;
    if rest.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let title = rest.strip_prefix(':').unwrap_or_else(|| rest.trim_start_matches([' ', '-', '–', '—']));
    Some((id, title.trim()))
}

/// Says whether a heading is a question, whatever else it may lack.
fn asks(title: &str) -> bool {
    title.ends_with(['?', '？', '؟', '՞', '⸮'])
}

/// Says whether a line is one that only questions have.
fn is_of_question(line: &str) -> bool {
    let status = line.strip_prefix("- status:").map(str::trim);
    // A heading with more on it may be about how the file works.
    Part::begun_by(line).is_some_and(|(_, said)| said.is_empty())
        || status.is_some_and(|word| Status::of(word).is_some())
}

fn is_upper_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    matches!(line.len() - rest.len(), 1 | 2) && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn quoted(text: &str) -> String {
    text.split('\n')
        .map(|line| if line.is_empty() { ">\n".to_owned() } else { format!("> {line}\n") })
        .collect()
}

fn unquoted(text: &str, part: Range<usize>) -> String {
    let end = end_of_text(text, part.clone());
    let said = lines(text, part.start..end).skip_while(Line::is_blank).map(|line| {
        // Behind the word of the heading nobody quotes: `### Answer: >= 3.10`.
        let is_line = text[..line.start].ends_with('\n');
        let unquoted = line.text.strip_prefix("> ").or_else(|| line.text.strip_prefix('>'));
        unquoted.filter(|_| is_line).unwrap_or(line.text)
    });
    said.collect::<Vec<_>>().join("\n")
}

/// Adds a text after what is there, with a blank line between.
fn add_paragraph(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

/// A block of code that a person wrote without quoting it: a `#` in it is no heading.
#[derive(Debug, Default)]
struct Block {
    fence: Option<(char, usize)>,
}

impl Block {
    /// Takes the next line and tells whether it is in a block of code, the fences included.
    fn holds(&mut self, line: &str) -> bool {
        let marks = line.trim();
        let mark = marks.chars().next().filter(|mark| matches!(mark, '`' | '~')).unwrap_or_default();
        let count = marks.chars().take_while(|c| *c == mark).count();
        if let Some((open, longest)) = self.fence {
            if open == mark && count >= longest && count == marks.len() {
                self.fence = None;
            }
            return true;
        }
        self.fence = (count >= 3 && mark != '\0').then_some((mark, count));
        self.fence.is_some()
    }
}
