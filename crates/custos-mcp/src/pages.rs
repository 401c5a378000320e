//! Long answers in pages.
//!
//! Clients cut what is too long, each in its own way and some in the middle, so an answer is cut here: on whole lines, never right after a
//! heading, and with the number of the next page at its end.
//!
//! A list is cut between its items, and the page says which of them it shows: the data beside it holds the same items and no others, and of
//! an item that is cut itself the same part.
//!
//! Every page is read by itself, by somebody who may have forgotten the one before. So each begins with what holds for all of them (such as
//! that nobody has vouched for these texts), and one that begins within a section repeats its heading.

use std::borrow::Cow;
use std::ops::Range;

use custos_knowledge::text::Fences;
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
        let text = [&self.preamble, sheet.heading, &below, text.trim_start_matches('\n')].concat();
        let parts = sheet.parts.into_iter().map(|(item, part)| (item, part.trim().to_owned())).collect();
        Page {
            text: text.trim_end().to_owned(),
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

/// Finds the headings of a text from a place on, each with where it begins. In a block of code a `#` begins something else.
fn headings(text: &str, mut from: usize) -> Vec<(usize, &str)> {
    let (mut found, mut fences) = (Vec::new(), Fences::default());
    for whole in text.get(from..).unwrap_or_default().split_inclusive('\n') {
        let line = whole.trim_end_matches(['\r', '\n']);
        let behind = line.trim_start_matches('#');
        if !fences.holds(line) && behind.len() < line.len() && behind.starts_with(' ') {
            found.push((from, line));
        }
        from += whole.len();
    }
    found
}

/// Finds the heading that a part begins below, which begins at `begin`; nothing where it begins with one itself.
fn below<'a>(headings: &[(usize, &'a str)], begin: usize, part: &str) -> &'a str {
    let (before, behind) = headings.split_at(headings.partition_point(|(at, _)| *at < begin));
    let first = begin + part.len() - part.trim_start_matches('\n').len();
    match behind.first() {
        Some((at, _)) if *at == first => "",
        _ => before.last().map_or("", |(_, heading)| heading),
    }
}

/// What goes on one page. Of many only one is shown, so that none is spelt before.
#[derive(Default)]
struct Sheet<'a> {
    /// The heading that it repeats.
    heading: &'a str,
    /// The heading within an item that it begins below.
    below: &'a str,
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
    // What is cut may be cut below a heading of its own.
    let is_long = text.len() > most.saturating_sub(above);
    let headings = if is_long { headings(text, piece.item) } else { Vec::new() };
    let within = headings.iter().map(|(_, heading)| repeated(heading).len()).max().unwrap_or(0);
    let room = most.saturating_sub(above + within).max(most / 2);
    let cut = cut(text, room);
    let is_cut = cut.len() > 1 && !items.is_empty();
    let mut begin = 0;
    for (at, part) in cut.into_iter().enumerate() {
        let below = below(&headings, begin, part);
        begin += part.len();
        let fits = |sheet: &Sheet<'_>| sheet.texts.is_empty() || sheet.length + part.len() <= most;
        if !sheets.last().is_some_and(fits) {
            let goes_on = at > 0 && is_cut;
            let is_repeated = at > 0 || !piece.is_first;
            let from = if at == 0 { items.start } else { items.end };
            sheets.push(Sheet {
                heading: if is_repeated { heading } else { "" },
                below,
                length: if is_repeated { above } else { 0 } + if below.is_empty() { 0 } else { within },
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

/// Cuts a text into pieces of at most so many bytes; at least one.
fn cut(text: &str, most: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() > most {
        // One character at least, however little room there is.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let at = good_end(rest, rest.floor_char_boundary(most).max(first));
        let (piece, after) = rest.split_at(at);
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// Finds the best place to cut before `end`: after a whole line, and not after a heading or what leads up to one. A line that would leave
/// most of the page empty is cut itself.
fn good_end(text: &str, end: usize) -> usize {
    let earliest = end / 4;
    let line = text[..end].rfind('\n').map(|at| at + 1).filter(|at| *at > earliest);
    let Some(line) = line else { return end };
    let mut at = line;
    while at > earliest {
        let last = text[..at].trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
        if !last.starts_with('#') {
            return at;
        }
        let before = text[..at].trim_end_matches('\n').len() - last.len();
        if before == 0 {
            break;
        }
        at = before;
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_short_text_is_one_page_and_says_nothing_about_it() {
        let only = |text: &str| Page {
            text: text.to_owned(),
            number: 1,
            of: 1,
            items: 0..0,
            continued: None,
            parts: Vec::new(),
        };
        assert_eq!(page("a\nb\n", Some(1)), only("a\nb"));
        let beyond = Page { number: 9, ..only("(there is no page 9; the last one is 1)") };
        assert_eq!(page("a\nb\n", Some(9)), beyond);
        assert_eq!(page("", None), only(""));
    }

    #[test]
    fn pages_are_cut_on_lines_and_leave_no_heading_behind() {
        let text = "one\ntwo\nthree\nfour\n## Five\nsix\n";
        assert_eq!(cut(text, 27), ["one\ntwo\nthree\nfour\n", "## Five\nsix\n"]);
    }

    #[test]
    fn all_pages_together_are_the_whole_text() {
        let line = "ä long line with words in it, again and again\n";
        let text = format!("{}{}", "## Heading\n\n".repeat(40), line.repeat(3_000));
        assert_eq!(cut(&text, PAGE).concat(), text);
        assert!(cut(&text, PAGE).iter().all(|piece| piece.len() <= PAGE));
        let beyond = page(&text, Some(99));
        assert_eq!(
            (beyond.number, beyond.of, beyond.text.as_str()),
            (99, 8, "(there is no page 99; the last one is 8)")
        );
        assert!(page(&text, Some(8)).text.ends_with("(page 8 of 8; the last)"));
        let longest = (1..=8).map(|number| page(&text, Some(number)).text.len()).max();
        assert!(longest <= Some(PAGE), "{longest:?}");
    }

    #[test]
    fn a_list_is_cut_between_its_items_and_every_page_names_its_own() {
        let lengths = [9_000, 8_000, 5_000, 14_000, 45_000, 10, 10];
        let mut list = List::default();
        for (at, length) in lengths.iter().enumerate() {
            list.say(&format!("## Item {at}\n\n"));
            list.item(format!("{}\n\n", "x".repeat(*length)));
        }
        list.say("The end.");
        let pages: Vec<Page> = (1..=list.page(None).of).map(|number| list.page(Some(number))).collect();
        let items: Vec<_> = pages.iter().map(|page| page.items.clone()).collect();
        assert_eq!(items, [0..2, 2..4, 4..5, 5..5, 5..7]);
        let continued: Vec<_> = pages.iter().map(|page| page.continued).collect();
        assert_eq!(continued, [None, None, None, Some(4), Some(4)]);
        for page in &pages {
            assert!(page.text.len() <= PAGE);
            let headings = page.text.lines().filter_map(|line| line.strip_prefix("## Item ")?.parse().ok());
            assert_eq!(headings.collect::<Vec<usize>>(), page.items.clone().collect::<Vec<_>>());
        }
        assert!(pages[4].text.ends_with("The end.\n\n(page 5 of 5; the last)"));
    }

    #[test]
    fn every_page_says_whose_its_items_are() {
        let mut list = List::beginning_with("> Of a stranger.\n\n".to_owned());
        for (section, count) in [("## Mine", 300), ("## Yours", 500)] {
            list.section(&format!("{section}\n\n"));
            for number in 0..count {
                list.item(format!("- {section} {number} {}\n", "x".repeat(60)));
            }
            list.say("\n");
        }
        list.section("<!-- map -->\n");
        list.item("way\n".repeat(9_000));
        list.say("The end.");
        let pages: Vec<Page> = (1..=list.page(None).of).map(|number| list.page(Some(number))).collect();
        let head = |page: &Page| page.text.lines().take(4).collect::<Vec<_>>().join("\n");
        assert_eq!(
            pages.iter().map(head).collect::<Vec<_>>(),
            [
                "> Of a stranger.\n\n## Mine\n",
                "> Of a stranger.\n\n## Mine (continued)\n",
                "> Of a stranger.\n\n## Yours (continued)\n",
                "> Of a stranger.\n\n## Yours (continued)\n",
                "> Of a stranger.\n\n<!-- map -->\nway",
                "> Of a stranger.\n\n<!-- map (continued) -->\nway",
            ]
        );
        assert!(pages.iter().all(|page| page.text.len() <= PAGE));
    }

    #[test]
    fn a_page_that_begins_within_an_item_repeats_the_heading_that_it_begins_below() {
        let mut list = List::default();
        list.section("# D-101: Long\n\n");
        let [why, code] = ["because\n".repeat(3_000), "```\n# no heading\n```\n".repeat(900)];
        list.item(format!("Text.\n\n## Reasoning\n\n{why}### Proof of {}\n\n{code}", "it ".repeat(200)));
        let pages: Vec<Page> = (1..=list.page(None).of).map(|number| list.page(Some(number))).collect();
        let head = |page: &Page| {
            page.text.lines().take(5).map(|line| one_line(line, 25)).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(
            pages.iter().map(head).collect::<Vec<_>>(),
            [
                "# D-101: Long\n\nText.\n\n## Reasoning",
                "# D-101: Long (continued)\n\n## Reasoning (continued)\n\nbecause",
                "# D-101: Long (continued)\n\n### Proof of it it it it…\n\n# no heading",
            ]
        );
        assert!(pages.iter().all(|page| page.text.len() <= PAGE));
    }

    #[test]
    fn a_block_of_code_may_show_another() {
        let mut list = List::default();
        let code = "````\n```\n# no heading\n```\n````\n";
        list.item(format!("## Shown\n\n{}## Last\n\n{}", code.repeat(900), "text\n".repeat(4_000)));
        let heads: Vec<String> = (1..=list.page(None).of)
            .map(|number| list.page(Some(number)).text.lines().next().unwrap().to_owned())
            .collect();
        assert_eq!(heads, ["## Shown", "## Shown (continued)", "## Last (continued)"]);
        // A line that is cut is one line: what its rest begins with is no heading.
        let text = format!("## One\n\n{}# no heading\n```\n## Two\n\nlast\n", "x".repeat(PAGE));
        let found = headings(&text, 0);
        assert_eq!(found.iter().map(|(_, heading)| *heading).collect::<Vec<_>>(), ["## One"]);
        let [within, at_two] = ["# no heading", "## Two"].map(|place| text.find(place).unwrap());
        assert_eq!(below(&found, within, &text[within..]), "## One");
        assert_eq!(below(&headings(&text.replace("```", "xxx"), 0), at_two, &text[at_two..]), "");
    }

    #[test]
    fn what_follows_the_last_section_is_not_of_it() {
        let mut list = List::default();
        list.section("## Mine\n\n");
        list.item("x\n".repeat(9_900));
        list.say("y\n".repeat(200).as_str());
        let last = list.page(Some(2));
        assert_eq!((last.of, last.text.starts_with("y\ny\n")), (2, true), "{}", last.text);
    }

    #[test]
    fn the_data_hold_what_the_page_shows() {
        let mut list = List::default();
        let texts = ["short".to_owned(), "word\n".repeat(5_000), "last".to_owned()];
        for text in &texts {
            list.section("# Item\n\n");
            list.item(format!("{text}\n"));
        }
        let mut data = Vec::new();
        for number in 1..=list.page(None).of {
            let page = list.page(Some(number));
            for item in page.shown() {
                let mut of_item = json!({ "item": item });
                page.add_texts(item, &mut of_item, &[("whole", json!(texts[item]))]);
                data.push(of_item);
            }
        }
        let [first, parts @ .., last] = &data[..] else { panic!("{data:?}") };
        assert_eq!(*first, json!({ "item": 0, "whole": "short" }));
        assert_eq!(*last, json!({ "item": 2, "whole": "last" }));
        let parts: Vec<&str> = parts.iter().map(|part| part["text"].as_str().unwrap()).collect();
        assert_eq!((parts.len(), parts.join("\n")), (2, texts[1].trim_end().to_owned()));
    }

    #[test]
    fn a_line_longer_than_a_page_is_cut_where_it_must() {
        let text = "語".repeat(PAGE / 3 + 5);
        assert_eq!(
            cut(&text, PAGE).iter().map(|piece| piece.chars().count()).collect::<Vec<_>>(),
            [PAGE / 3, 5]
        );
    }
}
