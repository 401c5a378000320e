//! Long answers in pages.
//!
//! Clients cut what is too long, each in its own way and some in the middle, so an answer is cut here: on whole lines, never right after a
//! heading, and with the number of the next page at its end.

/// The longest page, in characters: what every client shows whole.
pub const PAGE: usize = 20_000;

/// One page of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The text, with a line about the next page if there is one.
    pub text: String,
    /// Which it is, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

/// Gives a page of a text. One that does not exist is the last one.
pub fn page(text: &str, number: Option<usize>) -> Page {
    let pieces = cut(text, PAGE);
    let of = pieces.len();
    let number = number.unwrap_or(1).clamp(1, of);
    let mut text = pieces[number - 1].trim_end().to_owned();
    if of > 1 {
        let next = if number < of {
            format!("; send page: {} for more", number + 1)
        } else {
            "; the last".to_owned()
        };
        text.push_str(&format!("\n\n(page {number} of {of}{next})"));
    }
    Page { text, number, of }
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

/// Finds the best place to cut before `end`: after a whole line, and not after a heading or what leads up to one.
fn good_end(text: &str, end: usize) -> usize {
    let Some(mut at) = text[..end].rfind('\n').map(|at| at + 1) else { return end };
    let earliest = end / 2;
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
    text[..end].rfind('\n').map_or(end, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_page_and_says_nothing_about_it() {
        assert_eq!(page("a\nb\n", Some(9)), Page { text: "a\nb".to_owned(), number: 1, of: 1 });
        assert_eq!(page("", None), Page { text: String::new(), number: 1, of: 1 });
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
        let last = page(&text, Some(usize::MAX));
        assert_eq!((last.number, last.of), (7, 7));
        assert!(last.text.ends_with("(page 7 of 7; the last)"), "{}", &last.text[last.text.len() - 60..]);
    }

    #[test]
    fn a_line_longer_than_a_page_is_cut_where_it_must() {
        let text = "é".repeat(PAGE + 5);
        assert_eq!(cut(&text, PAGE).iter().map(|piece| piece.chars().count()).collect::<Vec<_>>(), [PAGE, 5]);
    }
}
