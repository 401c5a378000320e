//! Title, lead and sections of a body.
//!
//! A knowledge file is front matter, `# Title`, the lead (the text that is loaded with the catalogue), and sections under `## Heading` that
//! are fetched on demand. The body is kept as it stands in the file, and the parts are ranges in it: a document that nobody changed is
//! written back byte for byte, and a change of one part leaves the others alone. There is one exception: a block of code that nobody closed is
//! closed where its part ends before anything is written beside it. A fence in what is added would end it, and begin another in its place
//! that swallows the sections below.
//!
//! Every body has this form in some way: one without a title has an empty one, and one without headings is all lead.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;

use super::code::{Fences, lines};
use super::entry::Piece;
use super::escape::{escaped, heading, unescaped, without_blank_start};
use super::front::Front;
use super::hidden::hidden;
use super::split::{FrontProblem, looks_like_front, split};
use super::title::one_line;

/// A knowledge file.
#[derive(Debug, Clone)]
pub struct Document {
    bom: bool,
    /// The lines before and behind the front matter, if the file has them.
    rules: Option<(Cow<'static, str>, Cow<'static, str>)>,
    front: Front,
    body: String,
    outline: Outline,
}

/// A part of a document under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section<'a> {
    /// The heading, without its `##`.
    pub heading: &'a str,
    /// The text below it, without the blank lines around it.
    pub text: &'a str,
}

impl Section<'_> {
    /// Takes the first section with a heading out of some, in whatever case, and gives its text.
    pub(crate) fn take<'a>(sections: &mut Vec<Section<'a>>, heading: &str) -> Option<&'a str> {
        let at = sections.iter().position(|section| section.heading.eq_ignore_ascii_case(heading))?;
        Some(sections.remove(at).text)
    }
}

/// A section that an item keeps although it has no field of its own for it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Passage {
    /// The heading, without its `##`.
    pub heading: String,
    /// The text below it.
    pub text: String,
}

impl Passage {
    /// Spells the texts of an item: what it leads with, the section that it has a field for, and the others.
    pub(crate) fn outlined(lead: &str, own: Section<'_>, others: &[Self]) -> String {
        let others = others.iter().map(|Self { heading, text }| Section { heading, text });
        outlined(lead, Some(own).filter(|own| !own.text.is_empty()).into_iter().chain(others))
    }
}

/// Spells a text and the sections below it.
fn outlined<'a>(lead: &str, sections: impl Iterator<Item = Section<'a>>) -> String {
    let mut parts = vec![lead.to_owned()];
    for Section { heading, text } in sections {
        parts.extend([format!("## {heading}").trim_end().to_owned(), text.to_owned()]);
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

impl From<Section<'_>> for Passage {
    fn from(section: Section<'_>) -> Self {
        Self { heading: section.heading.to_owned(), text: section.text.to_owned() }
    }
}

/// Where the parts of a body stand in it.
#[derive(Debug, Clone, Default)]
struct Outline {
    /// The line of the title, without its end.
    title_line: Option<Range<usize>>,
    title: Range<usize>,
    lead: Part,
    sections: Vec<Part>,
    /// Where a block of code begins that nobody closed.
    endless: Option<usize>,
}

/// A part of a body.
#[derive(Debug, Clone, Default)]
struct Part {
    /// The text of its heading; empty for the lead.
    heading: Range<usize>,
    /// Everything below the heading.
    range: Range<usize>,
    /// What that says.
    text: Piece,
}

impl Outline {
    /// Gives its body without what is secret or private in it.
    fn without_secrets<'b>(&self, body: &'b str) -> Cow<'b, str> {
        hidden(body, |at| self.end_behind(at))
    }

    /// Reads a body. A block of code that nobody closed ends where a section begins: else it would swallow all of them.
    fn of(body: &str) -> Self {
        let (whole, endless) = Self::with_code_up_to(body, usize::MAX);
        let Some(begin) = endless else { return whole };
        let (outline, _) = Self::with_code_up_to(body, begin);
        Self { endless: Some(begin), ..outline }
    }

    /// Reads a body in which no line from `most` on is code, and says where the block of code begins that is still open at its end.
    fn with_code_up_to(body: &str, most: usize) -> (Self, Option<usize>) {
        let mut outline = Self::default();
        let mut fences = Fences::default();
        let (mut has_begun, mut code) = (false, 0);
        for line in lines(body) {
            let was_open = fences.open().is_some();
            let in_code = fences.holds(line.text) && line.start < most;
            code = if was_open { code } else { line.start };
            match heading(line.text).filter(|_| !in_code) {
                Some((1, text)) if !has_begun => {
                    outline.title_line = Some(line.start..line.start + line.text.len());
                    outline.title = line.start + text.start..line.start + text.end;
                    outline.lead.range = line.next..line.next;
                }
                Some((2, text)) => {
                    outline.end_part(body, line.start);
                    let heading = line.start + text.start..line.start + text.end;
                    outline.sections.push(Part {
                        heading,
                        range: line.next..line.next,
                        text: Piece::default(),
                    });
                }
                _ => {}
            }
            has_begun |= !line.is_blank();
        }
        outline.end_part(body, body.len());
        (outline, fences.open().map(|_| code))
    }

    /// The lead and the sections.
    fn parts(&self) -> impl Iterator<Item = &Part> {
        [&self.lead].into_iter().chain(&self.sections)
    }

    /// The end of the part that a place is in; the line of the title is one of its own.
    fn end_behind(&self, at: usize) -> usize {
        let title = self.title_line.as_ref().map(|line| line.end);
        let mut ends = title.into_iter().chain(self.parts().map(|part| part.range.end));
        ends.find(|end| *end > at).unwrap_or(usize::MAX)
    }

    fn end_part(&mut self, body: &str, end: usize) {
        let part = self.sections.last_mut().unwrap_or(&mut self.lead);
        part.range.end = end;
        let start = part.range.start + body[part.range.clone()].len()
            - without_blank_start(&body[part.range.clone()]).len();
        part.text = match unescaped(&body[part.range.clone()]) {
            Cow::Borrowed(text) => Piece::Here(start..start + text.len()),
            Cow::Owned(text) => Piece::Made(text),
        };
    }
}

/// Keeps a line before or behind front matter; nearly all are alike.
fn rule(line: &str) -> Cow<'static, str> {
    const USUAL: &str = "---\n";
    if line == USUAL { Cow::Borrowed(USUAL) } else { Cow::Owned(line.to_owned()) }
}

impl Document {
    /// Reads a file.
    pub fn parse(text: &str) -> Result<Self, FrontProblem> {
        let parts = split(text)?;
        let crlf = text.find('\n').is_some_and(|newline| text[..newline].ends_with('\r'));
        let front =
            parts.front.as_ref().map(Front::parse).transpose()?.unwrap_or_default().with_newlines(crlf);
        let rules = parts.front.map(|block| (rule(block.opening), rule(block.closing)));
        let outline = Outline::of(parts.body);
        Ok(Self { bom: parts.bom, rules, front, body: parts.body.to_owned(), outline })
    }

    /// Makes a file of its parts, in the canonical form. Title and headings become single lines; without a title there is no line for it.
    pub fn compose(
        front: Front,
        title: &str,
        lead: &str,
        sections: &[(impl AsRef<str>, impl AsRef<str>)],
    ) -> Self {
        let mut parts = Vec::new();
        let title = one_line(title);
        if !title.is_empty() {
            parts.push(format!("# {title}"));
        }
        parts.push(escaped(lead));
        for (heading, text) in sections {
            parts.push(heading_line(heading.as_ref()));
            parts.push(escaped(text.as_ref()));
        }
        parts.retain(|part| !part.is_empty());
        let newline = front.newline();
        // A title may begin a file without front matter; anything else stands below a blank line.
        let margin = if front.to_text().is_empty() && !title.is_empty() { "" } else { "\n" };
        let body = format!("{margin}{}\n", parts.join("\n\n"));
        let mut document =
            Self { bom: false, rules: None, front, body: String::new(), outline: Outline::default() };
        document.change(body.replace('\n', newline));
        document
    }

    /// Gives the file as it is to be written.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.front.to_text().len() + self.body.len() + 16);
        if self.bom {
            text.push('\u{feff}');
        }
        let newline = self.front.newline();
        match &self.rules {
            Some((opening, closing)) => text.extend([opening, self.front.to_text(), &**closing]),
            // A body may begin as front matter does: then there has to be some above it.
            None if self.front.to_text().is_empty() => {
                if looks_like_front(&self.body) {
                    text.extend(["---", newline, "---", newline]);
                }
            }
            None => text.extend(["---", newline, self.front.to_text(), "---", newline]),
        }
        if !self.body.is_empty() && !text.is_empty() && !text.ends_with(['\n', '\u{feff}']) {
            text.push_str(newline);
        }
        text.push_str(&self.body);
        text
    }

    /// The front matter; that of a file without any is empty.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// The front matter, to be changed.
    pub fn front_mut(&mut self) -> &mut Front {
        &mut self.front
    }

    /// Tells whether the file has front matter, if only an empty one.
    pub fn has_front(&self) -> bool {
        self.rules.is_some() || !self.front.to_text().is_empty()
    }

    /// Tells whether there is nothing in the file.
    pub fn is_blank(&self) -> bool {
        !self.has_front() && self.body.trim().is_empty()
    }

    /// The same without what is secret or private, for whoever shows it or keeps it elsewhere: what a person wrote into a file by hand is theirs,
    /// and nobody else is told it.
    pub fn without_secrets(&self) -> Cow<'_, Self> {
        let (front, body) = (self.front.without_secrets(), self.outline.without_secrets(&self.body));
        if front.is_none() && matches!(body, Cow::Borrowed(_)) {
            return Cow::Borrowed(self);
        }
        let mut clean = Self { front: front.unwrap_or_else(|| self.front.clone()), ..self.clone() };
        clean.change(body.into_owned());
        Cow::Owned(clean)
    }

    /// Everything behind the front matter, as it stands in the file.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The title: the heading that the body begins with, or nothing.
    pub fn title(&self) -> &str {
        &self.body[self.outline.title.clone()]
    }

    /// The text before the first section, without the blank lines around it.
    pub fn lead(&self) -> &str {
        self.outline.lead.text.of(&self.body)
    }

    /// The sections in their order.
    pub fn sections(&self) -> impl Iterator<Item = Section<'_>> {
        let section = |part| Section { heading: self.heading(part), text: part.text.of(&self.body) };
        self.outline.sections.iter().map(section)
    }

    /// Everything below the front matter, for whoever is shown an item in full: all sections in the file's order, and the first heading unless
    /// it only repeats the title.
    pub fn below(&self, title: &str) -> String {
        let heading = Some(self.title()).filter(|heading| !heading.is_empty() && *heading != title);
        let mut parts: Vec<String> = heading.map(|heading| format!("# {heading}")).into_iter().collect();
        parts.push(outlined(self.lead(), self.sections()));
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n")
    }

    /// The text of the first section with a heading, in whatever case.
    pub fn section(&self, heading: &str) -> Option<&str> {
        self.find(heading).map(|part| part.text.of(&self.body))
    }

    /// Puts another title in the place of the title, or at the beginning of the body.
    pub fn replace_title(&mut self, title: &str) {
        let title = one_line(title);
        if title == self.title() {
            return;
        }
        let newline = self.front.newline();
        let body = if let Some(line) = &self.outline.title_line {
            [&self.body[..line.start], "# ", &title, &self.body[line.end..]].concat()
        } else {
            let margin = if self.has_front() { newline } else { "" };
            let gap = if self.body.starts_with(['\n', '\r']) { "" } else { newline };
            [margin, "# ", &title, newline, gap, &self.body].concat()
        };
        self.change(body);
    }

    /// Puts another text in the place of the lead.
    pub fn replace_lead(&mut self, text: &str) {
        self.close_code();
        self.replace(self.outline.lead.range.clone(), text);
    }

    /// Puts another text below a heading, which is added at the end if it is not there.
    pub fn replace_section(&mut self, heading: &str, text: &str) {
        self.close_code();
        match self.find(heading).map(|part| part.range.clone()) {
            Some(range) => self.replace(range, text),
            None => self.add_section(heading, text),
        }
    }

    /// Adds a paragraph below a heading, which is added at the end if it is not there.
    pub fn append_to_section(&mut self, heading: &str, text: &str) {
        let escaped = escaped(text);
        if escaped.is_empty() && self.find(heading).is_some() {
            return;
        }
        self.close_code();
        let Some(end) = self.find(heading).map(|part| part.range.end) else {
            return self.add_section(heading, text);
        };
        let newline = self.front.newline();
        let (before, behind) = self.body.split_at(end);
        let gap = self.gap_behind(end);
        let body = [before.trim_end(), newline, newline, &self.in_our_lines(&escaped), newline, gap, behind]
            .concat();
        self.change(body);
    }

    /// The line of the body, from 0, in which a block of code begins that nobody closed.
    pub fn unclosed_at(&self) -> Option<usize> {
        self.outline.endless.map(|code| self.body[..code].matches('\n').count())
    }

    fn find(&self, heading: &str) -> Option<&Part> {
        let wanted = one_line(heading).to_lowercase();
        self.outline.sections.iter().find(|part| self.heading(part).to_lowercase() == wanted)
    }

    fn heading(&self, part: &Part) -> &str {
        &self.body[part.heading.clone()]
    }

    fn replace(&mut self, range: Range<usize>, text: &str) {
        let newline = self.front.newline();
        let text = self.in_our_lines(&escaped(text)).into_owned();
        let before = &self.body[..range.start];
        // A heading may be the last thing in a file, without the end of its line.
        let ended = if before.is_empty() || before.ends_with('\n') { "" } else { newline };
        let gap = self.gap_behind(range.end);
        let body = if text.is_empty() {
            [before, ended, gap, &self.body[range.end..]].concat()
        } else {
            [before, ended, newline, &text, newline, gap, &self.body[range.end..]].concat()
        };
        self.change(body);
    }

    /// Adds a section to a body without open blocks of code.
    fn add_section(&mut self, heading: &str, text: &str) {
        let newline = self.front.newline();
        let text = escaped(text);
        let part = [heading_line(heading), text].join("\n\n");
        let body =
            [self.body.trim_end(), newline, newline, &self.in_our_lines(part.trim_end()), newline].concat();
        self.change(body);
    }

    /// Closes the blocks of code that nobody closed where their parts end. The parts stay what they are.
    fn close_code(&mut self) {
        if self.outline.endless.is_none() {
            return;
        }
        let newline = self.front.newline();
        let mut body = String::with_capacity(self.body.len() + 16);
        let mut from = 0;
        for part in self.outline.parts() {
            let (mut fences, mut end) = (Fences::default(), part.range.start);
            for line in lines(&self.body[part.range.clone()]) {
                fences.holds(line.text);
                if !line.is_blank() {
                    end = part.range.start + line.next;
                }
            }
            if let Some(fence) = fences.open() {
                body.push_str(&self.body[from..end]);
                if !body.ends_with('\n') {
                    body.push_str(newline);
                }
                body.extend([&fence.closing_line(), newline]);
                from = end;
            }
        }
        body.push_str(&self.body[from..]);
        self.change(body);
    }

    /// The blank line between a part and the next one.
    fn gap_behind(&self, end: usize) -> &'static str {
        if end < self.body.len() { self.front.newline() } else { "" }
    }

    fn in_our_lines<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.front.newline() {
            "\n" => Cow::Borrowed(text),
            newline => Cow::Owned(text.replace('\n', newline)),
        }
    }

    fn change(&mut self, body: String) {
        self.outline = Outline::of(&body);
        self.body = body;
    }
}

/// Gives a text without what is secret or private in it; its parts are those of a body.
pub(crate) fn without_secrets(text: &str) -> Cow<'_, str> {
    Outline::of(text).without_secrets(text)
}

fn heading_line(heading: &str) -> String {
    format!("## {}", one_line(heading)).trim_end().to_owned()
}
