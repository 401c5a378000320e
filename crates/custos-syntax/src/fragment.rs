//! Texts that were cut out of a file.
//!
//! A text that parses as it is needs little of this. Otherwise it is taken apart at the brackets that close what it never opened: between
//! two of these stand siblings, whatever they are siblings of, and no grammar has to recover from a bracket too many. What the last piece
//! leaves open is closed, so that the head of a function whose end is cut off is still the head of a function. A piece that makes
//! no sense by itself is read once more as the inside of a class: a method of JavaScript or Java is nothing without one.
//!
//! Python has no braces to go by. Its cuts show in the first line, which mostly lost its indentation, and in a string that only ends.

use std::{borrow::Cow, ops::Range};

use crate::{
    grammar::{self, Grammar},
    language::Language,
    normal::is_word,
    outline::{Found, settle},
};

mod brackets;

/// How many pieces are worth reading. A text that falls into more is no code of this language.
const MOST_PIECES: usize = 64;

/// The largest text that is taken for a fragment, in bytes; more is a file with an error in it.
const LARGEST: usize = 64 * 1024;

/// The largest text, in bytes, that is read by its pieces alone where it is surely cut; a file is not cut because a bracket is missing.
const SMALL: usize = 4 * 1024;

/// Reads the definitions of a text; none where the parser gave up on it.
pub(crate) fn read(language: Language, grammar: &Grammar, text: &str) -> Option<Vec<Found>> {
    let text = if language == Language::Python { straightened(text) } else { Cow::Borrowed(text) };
    let mended = after_cut_comment(language, &text);
    let cut = brackets::pieces(language, &mended);
    // A parser takes longest over what it has to recover from. A text that is surely cut is not given to it whole.
    if text.len() < SMALL && cut.is_sure && !cut.is_whole() {
        let found = all_of(language, grammar, &mended, &cut.pieces)?;
        if !found.is_empty() {
            return Some(found);
        }
    }
    let plain = grammar::parse(grammar, &text, false)?;
    if !plain.has_error || text.len() > LARGEST || cut.pieces.len() > MOST_PIECES {
        return Some(settle(language, &text, plain.places));
    }
    let found = all_of(language, grammar, &mended, &cut.pieces)?;
    // Of two that show as much, the one that did not have to recover has more of each definition's body.
    Some(if found.len() >= plain.places.len() { found } else { settle(language, &text, plain.places) })
}

fn all_of(language: Language, grammar: &Grammar, text: &str, pieces: &[Piece]) -> Option<Vec<Found>> {
    let mut found = Vec::new();
    for piece in pieces.iter().take(MOST_PIECES) {
        found.extend(piece_of(language, grammar, text, piece)?);
    }
    Some(found)
}

/// What a text falls into.
struct Cut {
    pieces: Vec<Piece>,
    /// Whether every quote in it had its end, so that no bracket was counted that is none.
    is_sure: bool,
}

impl Cut {
    /// Whether all brackets match.
    fn is_whole(&self) -> bool {
        self.pieces.len() == 1 && self.pieces.iter().all(|piece| piece.closers.is_empty())
    }
}

/// A part of a text in which every bracket that closes was opened, and what closes the others.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    range: Range<usize>,
    closers: String,
}

/// Reads one piece, as it is or as the inside of a class.
fn piece_of(language: Language, grammar: &Grammar, text: &str, piece: &Piece) -> Option<Vec<Found>> {
    let text = text.get(piece.range.clone()).unwrap_or_default();
    if !text.contains(char::is_alphanumeric) {
        return Some(Vec::new());
    }
    let text = if language == Language::Python { straightened(text) } else { Cow::Borrowed(text) };
    // On a line of its own, lest a comment swallow it.
    let closed = format!("{text}\n{}", piece.closers);
    let in_class = || {
        let inside = format!("{}\n{closed}\n}}", grammar.class?);
        grammar::parse(grammar, &inside, true).map(|members| (inside, members))
    };
    let mut members = if begins_with_member(&text) { in_class() } else { None };
    if let Some((inside, members)) = members.take_if(|(_, members)| !members.has_error) {
        return Some(settle(language, &inside, members.places));
    }
    let plain = grammar::parse(grammar, &closed, false)?;
    if plain.has_error
        && let Some((inside, members)) = members.or_else(in_class)
        && members.places.len() > plain.places.len()
    {
        return Some(settle(language, &inside, members.places));
    }
    Some(settle(language, &closed, plain.places))
}

/// Tells whether the first line of a text looks like the head of a method or a constructor: nothing but modifiers before the name.
fn begins_with_member(text: &str) -> bool {
    const MODIFIERS: [&str; 9] =
        ["async", "static", "public", "private", "protected", "get", "set", "override", "abstract"];
    let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
    let mut words = line.split(' ').skip_while(|word| MODIFIERS.contains(word));
    let name = words.next().and_then(|word| word.split_once('(')).map_or("", |(name, _)| name);
    let is_name = !name.is_empty() && name.chars().all(is_word);
    is_name
        && line.ends_with('{')
        && !matches!(name, "if" | "for" | "while" | "switch" | "function" | "catch")
}

/// Leaves out the rest of a comment or a string that began before the text.
fn after_cut_comment(language: Language, text: &str) -> Cow<'_, str> {
    let (opens, closes) = match language {
        Language::Python => {
            let quotes = "\"\"\"";
            let ends = text.find(quotes).filter(|_| text.matches(quotes).count() % 2 == 1);
            // An odd one out may also be the beginning of a string that goes on after the text: then code stands before it.
            return match ends {
                Some(at) if !text[..at].lines().any(is_head_of_block) => {
                    Cow::Owned(text[at + quotes.len()..].to_owned())
                }
                _ => Cow::Borrowed(text),
            };
        }
        _ => ("/*", "*/"),
    };
    match (text.find(opens), text.find(closes)) {
        (None, Some(end)) => Cow::Borrowed(&text[end + closes.len()..]),
        (Some(start), Some(end)) if end < start => Cow::Borrowed(&text[end + closes.len()..]),
        _ => Cow::Borrowed(text),
    }
}

fn is_head_of_block(line: &str) -> bool {
    let line = line.trim_start();
    ["def ", "class ", "async def ", "@"].iter().any(|head| line.starts_with(head))
}

/// Gives the first line of a text of Python the indentation that it had before the cut, and all lines that much less.
fn straightened(text: &str) -> Cow<'_, str> {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else { return Cow::Borrowed(text) };
    let rest: Vec<usize> = lines.map(indent).collect();
    let (Some(next), Some(least)) = (rest.first().copied(), rest.iter().min().copied()) else {
        return Cow::Owned(text.trim_start().to_owned());
    };
    let was_cut = indent(first) == 0 && least > 0;
    let starts_at = match was_cut {
        false => indent(first),
        // The head of a block is less indented than the block, by as much as another line shows.
        true if first.trim_end().ends_with([':', '(']) => {
            rest.iter().copied().filter(|depth| *depth < next).max().unwrap_or(0)
        }
        true => next,
    };
    let less = least.min(starts_at);
    if less == 0 && !was_cut {
        return Cow::Borrowed(text);
    }
    let mut straight = String::with_capacity(text.len() + starts_at);
    let mut is_first = true;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            straight.push_str(line);
        } else if std::mem::take(&mut is_first) {
            straight.extend(std::iter::repeat_n(' ', starts_at - less));
            straight.push_str(line.trim_start_matches([' ', '\t']));
        } else {
            straight.push_str(line.get(less.min(indent(line))..).unwrap_or_default());
        }
    }
    Cow::Owned(straight)
}
