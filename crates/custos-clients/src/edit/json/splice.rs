//! Puts something into a container and takes it out again.
//!
//! Whatever [`insert`] adds, [`cut`] takes away, byte for byte. That works because only bytes are added: a comma after
//! the last item, which stays with its comments, and the new item on a line of its own or on the same line, as the others
//! are. The exception is a container with nothing but space in it, where the space gives way; the caller remembers it.

use std::ops::Range;

use serde_json::Value;

use super::super::text::spliced;
use super::document::{Document, Inside, Node};
use super::render::{Piece, Style, indent_at};
use super::trivia::{Trivia, after_trivia, comma_after, last_comment, trivia};

/// Adds an item at the end of a container.
pub(super) fn insert(text: &str, inside: &Inside, style: &Style, piece: Piece<'_>) -> String {
    let deeper = || [indent_at(text, inside.open), &style.unit].concat();
    if let Some(last) = inside.items.last() {
        let comma = comma_after(text, last.end);
        let line = rest_of_line(text, comma.map_or(last.end, |comma| comma + 1));
        let before = inside.items.iter().nth_back(1).map_or(inside.open, |item| item.end);
        let own_line = text[before..last.start].contains('\n');
        let indent = if own_line {
            Some(indent_at(text, last.start).to_owned())
        } else {
            // Behind a comment to the end of the line, there is only the next line.
            line.ends_in_line_comment.then(deeper)
        };
        let (missing, trailing) = if comma.is_some() { ("", ",") } else { (",", "") };
        let new = on_its_place(style, piece, indent.as_deref());
        return [&text[..last.end], missing, &text[last.end..line.end], &new, trailing, &text[line.end..]]
            .concat();
    }
    if let Some((_, comment)) = last_comment(text, inside.open..inside.close) {
        let indent = if text[inside.open..comment.start].contains('\n') {
            Some(indent_at(text, comment.start).to_owned())
        } else {
            text[inside.open..inside.close].contains('\n').then(deeper)
        };
        return spliced(text, comment.end..comment.end, &on_its_place(style, piece, indent.as_deref()));
    }
    let new = if style.one_line {
        style.piece(piece, None)
    } else {
        let indent = deeper();
        [
            style.newline,
            &indent,
            &style.piece(piece, Some(&indent)),
            style.newline,
            indent_at(text, inside.open),
        ]
        .concat()
    };
    spliced(text, inside.open..inside.close, &new)
}

fn on_its_place(style: &Style, piece: Piece<'_>, indent: Option<&str>) -> String {
    let new = style.piece(piece, indent);
    match indent {
        Some(indent) => [style.newline, indent, &new].concat(),
        None => [style.gap(), &new].concat(),
    }
}

/// Takes an item out, with its comma and the space before it. Comments stay: they are not ours.
pub(super) fn cut(text: &str, inside: &Inside, index: usize) -> String {
    let item = &inside.items[index];
    let previous = index.checked_sub(1).map(|before| inside.items[before].end);
    let previous_comma = previous.and_then(|end| comma_after(text, end));
    let comma = comma_after(text, item.end);
    let after = match comma {
        Some(comma) if last_comment(text, item.end..comma).is_none() => comma + 1,
        _ => item.end,
    };
    let mut gone =
        vec![with_space(text, previous_comma.map_or(inside.open, |comma| comma + 1), item.start..after)];
    // A comma behind a comment; or, as the last item goes, the one that now would lead to nothing.
    match comma {
        Some(comma) if comma >= after => gone.push(comma..comma + 1),
        Some(_) => {}
        None => gone.extend(previous_comma.map(|comma| comma..comma + 1)),
    }
    gone.sort_by_key(|range| range.start);
    gone.into_iter().rev().fold(text.to_owned(), |text, range| spliced(&text, range, ""))
}

/// Widens what is cut by the space that belongs to it: before it, or, if something else follows on its line, after it.
fn with_space(text: &str, boundary: usize, item: Range<usize>) -> Range<usize> {
    let comment = last_comment(text, boundary..item.start);
    let spaces = match trivia(text, item.end).next() {
        Some((Trivia::Space, range)) => range.end,
        _ => item.end,
    };
    let rest = &text[spaces..];
    let line_ends = rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n");
    let in_line_comment = matches!(comment, Some((Trivia::LineComment, _)));
    if line_ends || (rest.starts_with(['}', ']']) && !in_line_comment) {
        comment.map_or(boundary, |(_, range)| range.end)..item.end
    } else {
        item.start..spaces
    }
}

/// Replaces a value, on one line or on several as the old one was.
pub(super) fn replace(text: &str, old: Range<usize>, style: &Style, value: &Value) -> String {
    let indent = text[old.clone()].contains('\n').then(|| indent_at(text, old.start));
    spliced(text, old.clone(), &style.piece(Piece::Element(value), indent))
}

/// Gives an empty container its space back.
pub(super) fn emptied(text: &str, inside: &Inside, space: &str) -> String {
    spliced(text, inside.open..inside.close, space)
}

/// Adds the value to a text that has none, after its comments.
pub(super) fn with_root(document: &Document<'_>, style: &Style, root: &Value) -> String {
    let (text, root) = (document.text, style.piece(Piece::Element(root), Some("")));
    match last_comment(text, 0..text.len()) {
        Some((_, comment)) => spliced(text, comment.end..comment.end, &[style.newline, &root].concat()),
        None => [&root, style.newline].concat(),
    }
}

/// Takes the value out of a text that had none: the inverse of [`with_root`].
pub(super) fn without_root(document: &Document<'_>, blank: &str) -> String {
    let text = document.text;
    let Some(root) = document.root.as_ref().map(|root| Node(root).range()) else { return text.to_owned() };
    let rest = spliced(text, with_space(text, 0, root), "");
    if after_trivia(&rest, 0) == rest.len() && last_comment(&rest, 0..rest.len()).is_none() {
        return blank.to_owned();
    }
    rest
}

struct RestOfLine {
    /// The end of the last comment on the line, or where it was begun to look.
    end: usize,
    ends_in_line_comment: bool,
}

/// The comments that follow on the same line, and so belong to what they follow.
fn rest_of_line(text: &str, from: usize) -> RestOfLine {
    let line = trivia(text, from).take_while(|(kind, _)| *kind != Trivia::Newline);
    match line.filter(|(kind, _)| kind.is_comment()).last() {
        Some((kind, range)) => {
            RestOfLine { end: range.end, ends_in_line_comment: kind == Trivia::LineComment }
        }
        None => RestOfLine { end: from, ends_in_line_comment: false },
    }
}
