//! Text of the repo, made harmless.
//!
//! Names, scripts and sentences come from files that a clone may have brought. They end in files that people and models read, between
//! markers that a rescan looks for. So each becomes one short line: no control characters, nothing invisible or reordering, no secret,
//! and nothing that opens or closes a comment.

use super::findings::Source;

/// The longest piece of text.
pub(super) const LONGEST: usize = 160;
/// The longest path; one that is cut is of little use, so there is more room.
const LONGEST_PATH: usize = 240;
/// The most bytes that are looked at; more than any line that is worth showing.
const MOST_BYTES: usize = 4096;

/// Makes one harmless line of a text.
pub(super) fn line(text: &str) -> String {
    shortened(&without_secrets(text), LONGEST)
}

/// Makes one harmless line of a text that is of no use when it is cut, such as a command.
pub(super) fn whole_line(text: &str) -> Option<String> {
    let flat = without_secrets(text);
    (flat.chars().count() <= LONGEST && !flat.is_empty()).then_some(flat)
}

/// Makes a path harmless.
pub(super) fn path(path: &str) -> String {
    shortened(&flat(&visible(head(path, MOST_BYTES))), LONGEST_PATH)
}

/// Names a file as the proof of something.
pub(super) fn source(file: &str, line: Option<usize>) -> Source {
    Source { file: path(file), line }
}

/// The beginning of a text, cut between characters.
pub(super) fn head(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{}…", kept.trim_end())
}

/// Puts a text on one line, without secrets. What is not seen goes first: dropped afterwards, it would put a secret together again.
fn without_secrets(text: &str) -> String {
    flat(&custos_redact::redact(&visible(head(text, MOST_BYTES))))
}

/// Drops what is not seen.
fn visible(text: &str) -> String {
    text.chars().filter(|c| c.is_whitespace() || !is_hidden(*c)).collect()
}

/// Puts a text without invisible characters on one line.
fn flat(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
    }
    // After the invisible characters are gone: one between the signs must not hide them.
    out.replace("<!--", "<! --").replace("-->", "-- >").trim_end().to_owned()
}

/// Tells whether a character is a control or is not seen: marks of direction, joiners, tags, fillers.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_something_unseen_stands_in_is_taken_out() {
        for unseen in ["\u{200b}", "\u{ad}", "\u{feff}", "\u{7}"] {
            let split = ["ghp", "_16C7e42F29", unseen, "2c6912E7710c838347Ae178B4a"].concat();
            let command = format!("deploy --with {split}");
            assert_eq!(line(&command), "deploy --with [redacted:github-token]");
            assert_eq!(whole_line(&command).as_deref(), Some("deploy --with [redacted:github-token]"));
        }
    }

    #[test]
    fn a_comment_is_neither_opened_nor_closed() {
        assert_eq!(line("a <!\u{200b}-- b\n\n--> c"), "a <! -- b -- > c");
        assert_eq!(path("src/\u{202e}x"), "src/x");
    }
}
