//! Long answers in pages.
//!
//! Clients cut what is too long, each in its own way and some in the middle, so an answer is cut here: on whole lines, never right after a
//! heading, and with the number of the next page at its end.
//!
//! A list is cut between its items, and the page says which of them it shows: the data beside it holds the same items and no others.

use std::borrow::Cow;
use std::ops::Range;

/// The longest page, in characters: what every client shows whole.
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
}

/// Gives a page of a text. One that does not exist is the last one.
pub fn page(text: &str, number: Option<usize>) -> Page {
    let mut list = List::default();
    list.say(text);
    list.page(number)
}

/// A text that is made of items, with words around them.
#[derive(Debug, Default)]
pub struct List<'a> {
    pieces: Vec<Cow<'a, str>>,
    /// What was said since the last item: it stays with the next one, so that no heading is left behind.
    said: String,
}

impl<'a> List<'a> {
    /// Says something between two items, such as a heading.
    pub fn say(&mut self, text: &str) {
        self.said.push_str(text);
    }

    /// Adds an item.
    pub fn item(&mut self, text: impl Into<Cow<'a, str>>) {
        let text = text.into();
        if self.said.is_empty() {
            self.pieces.push(text);
        } else {
            let said = std::mem::take(&mut self.said);
            self.pieces.push(Cow::Owned(said + &text));
        }
    }

    /// Gives a page. One that does not exist is the last one, which says so.
    pub fn page(&self, number: Option<usize>) -> Page {
        let mut page = self.sheet(number, PAGE - TURN).turned();
        if let Some(missing) = number.filter(|number| *number > page.of) {
            page.text.push_str(&format!("\n(there is no page {missing})"));
        }
        page
    }

    /// Gives a page of so many characters at most, for whoever says something around it before it is [turned](Page::turned).
    pub fn sheet(&self, number: Option<usize>, most: usize) -> Page {
        let mut sheets = vec![Sheet::from(0, None)];
        for (at, piece) in self.pieces.iter().enumerate() {
            put(&mut sheets, piece, most, at, at + 1);
        }
        put(&mut sheets, &self.said, most, self.pieces.len(), self.pieces.len());
        let of = sheets.len();
        let number = number.unwrap_or(1).clamp(1, of);
        let sheet = sheets.swap_remove(number - 1);
        let text = sheet.parts.concat();
        let text = text.trim_start_matches('\n').trim_end().to_owned();
        Page { text, number, of, items: sheet.items, continued: sheet.continued }
    }
}

/// What goes on one page. Of many only one is shown, so that none is spelt before.
struct Sheet<'a> {
    parts: Vec<&'a str>,
    characters: usize,
    items: Range<usize>,
    continued: Option<usize>,
}

impl Sheet<'_> {
    /// An empty one, before an item, and perhaps within another.
    fn from(item: usize, continued: Option<usize>) -> Self {
        Self { parts: Vec::new(), characters: 0, items: item..item, continued }
    }
}

/// Puts a piece on the last sheet, or on new ones where it does not fit. Its item is that of the sheet on which it begins.
fn put<'a>(sheets: &mut Vec<Sheet<'a>>, piece: &'a str, most: usize, item: usize, after: usize) {
    // No more bytes than a page has characters: it need not be cut.
    let (whole, cut) = if piece.len() <= most { (Some(piece), Vec::new()) } else { (None, cut(piece, most)) };
    for (at, part) in whole.into_iter().chain(cut).enumerate() {
        let characters = part.chars().count();
        if sheets.last().is_none_or(|sheet| sheet.characters > 0 && sheet.characters + characters > most) {
            let goes_on = at > 0 && item < after;
            sheets.push(Sheet::from(if at == 0 { item } else { after }, goes_on.then_some(item)));
        }
        if let Some(sheet) = sheets.last_mut() {
            sheet.parts.push(part);
            sheet.characters += characters;
            sheet.items.end = after;
        }
    }
}

/// Cuts a text into pieces of at most so many characters; at least one.
fn cut(text: &str, most: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.char_indices().nth(most).map(|(at, _)| at) {
        let at = good_end(rest, end);
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
    use super::*;

    #[test]
    fn a_short_text_is_one_page_and_says_nothing_about_it() {
        assert_eq!(
            page("a\nb\n", Some(9)),
            Page {
                text: "a\nb\n(there is no page 9)".to_owned(),
                number: 1,
                of: 1,
                items: 0..0,
                continued: None
            }
        );
        let empty = Page { text: String::new(), number: 1, of: 1, items: 0..0, continued: None };
        assert_eq!(page("", None), empty);
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
        assert!(cut(&text, PAGE).iter().all(|piece| piece.chars().count() <= PAGE));
        let last = page(&text, Some(99));
        assert_eq!((last.number, last.of), (7, 7));
        let end = "(page 7 of 7; the last)\n(there is no page 99)";
        assert!(last.text.ends_with(end), "{}", &last.text[last.text.len() - 60..]);
        let longest = (1..=7).map(|number| page(&text, Some(number)).text.chars().count()).max();
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
            assert!(page.text.chars().count() <= PAGE);
            let headings = page.text.lines().filter_map(|line| line.strip_prefix("## Item ")?.parse().ok());
            assert_eq!(headings.collect::<Vec<usize>>(), page.items.clone().collect::<Vec<_>>());
        }
        assert!(pages[4].text.ends_with("The end.\n\n(page 5 of 5; the last)"));
    }

    #[test]
    fn a_line_longer_than_a_page_is_cut_where_it_must() {
        let text = "é".repeat(PAGE + 5);
        assert_eq!(cut(&text, PAGE).iter().map(|piece| piece.chars().count()).collect::<Vec<_>>(), [PAGE, 5]);
    }
}
