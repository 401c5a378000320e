//! The definitions of a text, in its order.
//!
//! Each knows its own text, head and body, without what is defined inside it: when a method changes, its class does not. Functions inside
//! functions are no definitions; they are part of how the outer one works.

use std::ops::Range;

use crate::{
    definition::Definition,
    fragment,
    grammar::{self, Grammar},
    language::Language,
    lines,
    normal::normal,
};

/// The largest text that is parsed, in bytes. Nobody writes such a file by hand, and above it the time a parser takes to recover shows.
const PARSED: usize = 256 * 1024;

/// A definition in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The name, qualified as far as the text shows it.
    pub name: String,
    /// The last part of the name.
    pub short: String,
    /// What it is.
    pub sort: Definition,
    /// Where it stands in the text that was read, with the comments and attributes before it.
    pub span: Range<usize>,
    /// What others see of it, as it is compared.
    pub head: String,
    /// All of it but what is defined inside, as it is compared.
    pub own: String,
    /// The part of `own` that comes after the head.
    pub body: String,
}

/// A definition as a reader meets it: places in a text.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub name: String,
    pub short: String,
    pub sort: Definition,
    /// All of it, with the comments and attributes before it.
    pub span: Range<usize>,
    /// Where the head begins, after these.
    pub head: usize,
    /// Where the body begins; the end, where there is none.
    pub body: usize,
    /// The definition around it, by its place in the list.
    pub within: Option<usize>,
}

/// Reads the definitions of a whole file.
pub(crate) fn of_file(language: Language, text: &str) -> Vec<Found> {
    let places = match parsed(language, text) {
        Some(grammar) => grammar::places(grammar, text).unwrap_or_else(|| lines::places(language, text)),
        None => lines::places(language, text),
    };
    settle(language, text, places)
}

/// Reads the definitions of a text that may be a file, or be cut out of one.
pub(crate) fn of_fragment(language: Language, text: &str) -> Vec<Found> {
    match parsed(language, text) {
        Some(grammar) => fragment::read(language, grammar, text)
            .unwrap_or_else(|| settle(language, text, lines::places(language, text))),
        None => settle(language, text, lines::places(language, text)),
    }
}

fn parsed(language: Language, text: &str) -> Option<&'static Grammar> {
    grammar::of(language).filter(|_| text.len() <= PARSED)
}

/// Cuts the text of each definition out, without what is defined inside it. Places come in the order of the text, outer ones first.
pub(crate) fn settle(language: Language, text: &str, places: Vec<Place>) -> Vec<Found> {
    let mut owned: Vec<String> = vec![String::new(); places.len()];
    let mut copied: Vec<usize> = places.iter().map(|place| place.span.start).collect();
    for place in &places {
        let Some(outer) = place.within else { continue };
        owned[outer].push_str(text.get(copied[outer]..place.span.start).unwrap_or_default());
        // The comma after a member of an object belongs to the member.
        let rest = text.get(place.span.end..).unwrap_or_default();
        let comma =
            rest.find(|character: char| !character.is_whitespace()).filter(|at| rest[*at..].starts_with(','));
        copied[outer] = place.span.end + comma.map_or(0, |at| at + 1);
    }
    let found = places.into_iter().zip(owned).zip(copied).map(|((place, mut own), copied)| {
        own.push_str(text.get(copied..place.span.end).unwrap_or_default());
        let line = text.get(..place.head).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let column = place.head - line;
        let head = text.get(place.head..place.body).unwrap_or_default();
        // Nothing is defined before the body, so nothing was cut out there.
        let body = own.get(place.body - place.span.start..).unwrap_or_default();
        Found {
            head: normal(language, head, column),
            body: normal(language, body, column),
            own: normal(language, &own, column),
            name: place.name,
            short: place.short,
            sort: place.sort,
            span: place.span,
        }
    });
    found.collect()
}
