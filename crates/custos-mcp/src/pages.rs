//! Long answers in pages.
//!
//! Clients cut what is too long, each in its own way and some in the middle, so an answer is cut here: on whole lines, never right after a
//! heading, and with the number of the next page at its end.
//!
//! A list is cut between its items, and the page says which of them it shows: the data beside it holds the same items and no others, and of
//! an item that is cut itself the same part.
//!
//! Every page is read by itself, by somebody who may have forgotten the one before. So each begins with what holds for all of them (such as
//! that nobody has vouched for these texts), and one that begins within a section repeats its heading. A block of code that is cut ends with
//! the page and begins again on the next one; the data have its parts as they are, for whoever puts them together.

mod cutting;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use cutting::{Code, Outline};
use serde_json::Value;

use crate::answer::one_line;

/// The longest page, in bytes: what every client shows whole. Copilot cuts at 20 KB, Codex and OpenCode at some 50, and all of them count bytes,
/// so a page in another script has fewer characters.
pub const PAGE: usize = 20_000;

/// How much of it is for the words about its number.
const TURN: usize = 100;

/// One page of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The text; once it is [turned](Self::turned), with a line about the next page if there is one.
    pub text: String,
    /// Which it is, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
    /// The items of the list that begin on it.
    pub items: Range<usize>,
    /// The item that goes on from the page before.
    pub continued: Option<usize>,
    /// The parts that it shows of items that are on several pages, each with its item.
    parts: Vec<(usize, String)>,
}

impl Page {
    /// Says at its end how to get the next one.
    #[must_use]
    pub fn turned(mut self) -> Self {
        let Self { number, of, .. } = self;
        if of > 1 {
            let next = if number < of {
                format!("; send page: {} for more", number + 1)
            } else {
                "; the last".to_owned()
            };
            self.text.push_str(&format!("\n\n(page {number} of {of}{next})"));
        }
        self
    }

    /// Says that a page that was asked for is not there, if so.
    pub fn beyond(&self, asked: Option<usize>) -> Option<String> {
        let missing = asked.filter(|asked| *asked > self.of)?;
        Some(format!("(there is no page {missing}; the last one is {})", self.of))
    }

    /// The items of which it shows something.
    pub fn shown(&self) -> impl Iterator<Item = usize> + use<> {
        self.continued.into_iter().chain(self.items.clone())
    }

    /// Adds to the data of an item what the page shows of its texts: these fields if that is all, else the part as `text`.
    pub fn add_texts(&self, item: usize, data: &mut Value, texts: &[(&str, Value)]) {
        let Value::Object(fields) = data else { return };
        // Several may be on one page, where an item is hardly longer than that.
        let parts: Vec<&str> =
            self.parts.iter().filter(|(of, _)| *of == item).map(|(_, part)| part.as_str()).collect();
        if !parts.is_empty() {
            fields.insert("text".to_owned(), parts.join("\n").into());
        } else if self.items.contains(&item) {
            fields.extend(texts.iter().map(|(name, text)| ((*name).to_owned(), text.clone())));
        }
    }
}

/// Gives a page of a text, as [`List::page`] does.
pub fn page(text: &str, number: Option<usize>) -> Page {
    let mut list = List::default();
    list.say(text);
    list.page(number)
}

/// A text that is made of items, with words around them.
#[derive(Debug, Default)]
pub struct List<'a> {
    /// What every page begins with.
    preamble: String,
    pieces: Vec<Piece<'a>>,
    /// The headings of the sections, as a page repeats them.
    headings: Vec<String>,
    /// What was said since the last item: it stays with the next one, so that no heading is left behind.
    said: String,
}

/// An item, with what was said before it.
#[derive(Debug)]
struct Piece<'a> {
    text: Cow<'a, str>,
    /// Where the item itself begins.
    item: usize,
    /// Its section, if it has one.
    section: Option<usize>,
    /// Whether it is the first of its section.
    is_first: bool,
}

impl<'a> List<'a> {
    /// Makes a list of which every page begins with this.
    pub fn beginning_with(preamble: String) -> Self {
        Self { preamble, ..Self::default() }
    }

    /// Says something between two items.
    pub fn say(&mut self, text: &str) {
        self.said.push_str(text);
    }

    /// Says a heading: the items that follow are below it, and a page that begins with one of them, or within one, repeats it.
    pub fn section(&mut self, heading: &str) {
        self.say(heading);
        self.headings.push(continued(heading));
    }

    /// Adds an item.
    pub fn item(&mut self, text: impl Into<Cow<'a, str>>) {
        let text = text.into();
        let section = self.headings.len().checked_sub(1);
        let is_first = self.pieces.last().is_none_or(|before| before.section != section);
        let item = self.said.len();
        let text = if item == 0 { text } else { Cow::Owned(std::mem::take(&mut self.said) + &text) };
        self.pieces.push(Piece { text, item, section, is_first });
    }

    /// Gives a page. One that does not exist says so, and nothing else: whoever reads on until nothing comes is to come to an end.
    pub fn page(&self, number: Option<usize>) -> Page {
        let page = self.sheet(number, PAGE - TURN);
        match page.beyond(number) {
            None => page.turned(),
            Some(text) => {
                let number = number.unwrap_or(page.number);
                Page { text, number, items: 0..0, continued: None, parts: Vec::new(), ..page }
            }
        }
    }

    /// Gives all of it on one page.
    pub fn whole(&self) -> Page {
        self.sheet(None, usize::MAX)
    }

    /// Gives a page of so many bytes at most, for whoever says something around it before it is [turned](Page::turned).
    pub fn sheet(&self, number: Option<usize>, most: usize) -> Page {
        // Whatever stands above them, the items have most of the page.
        let room = most.saturating_sub(self.preamble.len()).max(most / 2);
        let mut sheets = vec![Sheet::default()];
        for (at, piece) in self.pieces.iter().enumerate() {
            let heading = piece.section.map_or("", |section| &self.headings[section]);
            put(&mut sheets, piece, heading, room, at..at + 1);
        }
        let count = self.pieces.len();
        let last = Piece { text: Cow::Borrowed(&*self.said), item: 0, section: None, is_first: true };
        put(&mut sheets, &last, "", room, count..count);
        let of = sheets.len();
        let number = number.unwrap_or(1).clamp(1, of);
        let sheet = sheets.swap_remove(number - 1);
        let text = sheet.texts.concat();
        let below = repeated(sheet.below);
        let reopening = sheet.begins_in.map(Code::reopening).unwrap_or_default();
        // Blank lines at the beginning are a part of code, and of nothing else.
        let text = if reopening.is_empty() { text.trim_start_matches('\n') } else { &text };
        let text = [&self.preamble, sheet.heading, &below, &reopening, text].concat();
        let closing = sheet.ends_in.map(Code::closing).unwrap_or_default();
        let parts = sheet
            .parts
            .into_iter()
            .map(|(item, part)| (item, part.trim_start_matches('\n').trim_end().to_owned()))
            .collect();
        Page {
            text: [text.trim_end(), &closing].concat(),
            number,
            of,
            items: sheet.items,
            continued: sheet.continued,
            parts,
        }
    }
}

/// Spells a heading for a page that begins below it.
fn continued(heading: &str) -> String {
    let line = heading.trim_end();
    match line.strip_suffix(" -->") {
        Some(label) => format!("{label} (continued) -->\n"),
        None => format!("{line} (continued)\n\n"),
    }
}

/// The longest heading of an item that is repeated, in characters.
const LONGEST_HEADING: usize = 100;

/// Spells a heading of an item for a page that begins below it; nothing where there is none.
fn repeated(heading: &str) -> String {
    if heading.is_empty() { String::new() } else { continued(&one_line(heading, LONGEST_HEADING)) }
}

/// What goes on one page. Of many only one is shown, so that none is spelt before.
#[derive(Default)]
struct Sheet<'a> {
    /// The heading that it repeats.
    heading: &'a str,
    /// The heading within an item that it begins below.
    below: &'a str,
    /// The block of code that it begins within, and the one that it ends within.
    begins_in: Option<Code<'a>>,
    ends_in: Option<Code<'a>>,
    texts: Vec<&'a str>,
    length: usize,
    items: Range<usize>,
    continued: Option<usize>,
    parts: Vec<(usize, &'a str)>,
}

/// Puts a piece on the last sheet, or on new ones where it does not fit. Its item, if there is one, is that of the sheet on which it begins.
fn put<'a>(
    sheets: &mut Vec<Sheet<'a>>,
    piece: &'a Piece<'_>,
    heading: &'a str,
    most: usize,
    items: Range<usize>,
) {
    let above = heading.len();
    let text: &str = &piece.text;
    // What is cut may be cut below a heading of its own, and within a block of code.
    let is_long = text.len() > most.saturating_sub(above);
    let outline = if is_long { Outline::of(text, piece.item) } else { Outline::default() };
    let within = outline.headings.iter().map(|(_, heading)| repeated(heading).len()).max().unwrap_or(0);
    let room = most.saturating_sub(above + within + outline.room_for_code()).max(most / 2);
    let cut = outline.cut(text, room);
    let is_cut = cut.len() > 1 && !items.is_empty();
    let mut begin = 0;
    for (at, part) in cut.into_iter().enumerate() {
        let (below, begins_in) = (outline.below(begin, part), outline.code_at(begin));
        begin += part.len();
        let closing = outline.code_at(begin).map_or(0, |code| code.closing().len());
        let fits = |sheet: &Sheet<'_>| sheet.texts.is_empty() || sheet.length + part.len() + closing <= most;
        if !sheets.last().is_some_and(fits) {
            if let Some(before) = sheets.last_mut() {
                before.ends_in = begins_in;
            }
            let goes_on = at > 0 && is_cut;
            let is_repeated = at > 0 || !piece.is_first;
            let from = if at == 0 { items.start } else { items.end };
            sheets.push(Sheet {
                heading: if is_repeated { heading } else { "" },
                below,
                begins_in,
                length: if is_repeated { above } else { 0 }
                    + if below.is_empty() { 0 } else { within }
                    + begins_in.map_or(0, |code| code.reopening().len()),
                items: from..from,
                continued: goes_on.then_some(items.start),
                ..Sheet::default()
            });
        }
        if let Some(sheet) = sheets.last_mut() {
            sheet.texts.push(part);
            sheet.length += part.len();
            sheet.items.end = items.end;
            if is_cut {
                let from = if at == 0 { piece.item } else { 0 };
                sheet.parts.push((items.start, part.get(from..).unwrap_or_default()));
            }
        }
    }
}
