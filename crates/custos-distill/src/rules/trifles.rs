//! Changes that nobody needs to know of the day after: the words on a button, a comment, white space, the project's own version.
//!
//! They are told apart by what is left when those are taken out of both sides of an edit: the same.

use super::net::{Change, Piece};
use super::story::{Story, is_noise, is_prose};
use crate::turn::Fate;

/// Says whether a story changed nothing but trifles.
pub(crate) fn only(story: &Story<'_>) -> bool {
    let changes: Vec<&Change> = story.net.changes.iter().filter(|change| !is_noise(&change.path)).collect();
    !changes.is_empty()
        && story.packages.is_empty()
        && changes.iter().all(|change| {
            change.fate == Fate::Changed
                && !is_prose(&change.path)
                && !change.pieces.is_empty()
                && change.pieces.iter().all(is_trifle)
        })
}

fn is_trifle(piece: &Piece) -> bool {
    // A sentence that was put in where there was none is more than another word for the same.
    let (before, after) = (bare(&piece.before), bare(&piece.after));
    before == after
}

/// Gives a text without what is only there for people: white space, comments, words in quotes and between tags, the own version.
fn bare(text: &str) -> String {
    let mut rest = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.trim();
        if is_comment(line) || is_version(line) {
            continue;
        }
        without_words(line, &mut rest);
    }
    rest
}

fn is_comment(line: &str) -> bool {
    ["// ", "/// ", "//!", "# ", "* ", "/*", "*/", "<!--", "-- ", "\"\"\""]
        .iter()
        .any(|mark| line.starts_with(mark))
}

/// `version = "1.4.0"`, `"version": "1.4.0",`
fn is_version(line: &str) -> bool {
    let bare: String = line.chars().filter(|c| !c.is_whitespace() && !"\"'".contains(*c)).collect();
    ["version=", "version:"].iter().any(|start| {
        bare.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })
}

/// Copies a line without its white space and its words for people.
fn without_words(line: &str, rest: &mut String) {
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        rest.push(c);
        let close = match c {
            '"' | '\'' | '`' => c,
            '>' => '<',
            _ => continue,
        };
        let inner = &line[at + c.len_utf8()..];
        if let Some(end) = inner.find(close).filter(|end| is_wording(&inner[..*end])) {
            while chars.as_str().len() > inner.len() - end {
                chars.next();
            }
        }
    }
}

/// Recognises words for people: letters and spaces, with a capital or a space in them, and no sign of a name.
fn is_wording(text: &str) -> bool {
    let text = text.trim();
    let is_plain = |c: char| c.is_alphabetic() || c == ' ' || ".,!?'’-…()%&".contains(c);
    let is_shout = text.len() > 1 && text.chars().all(|c| !c.is_lowercase());
    let starts_big = text.starts_with(char::is_uppercase) && !text[1..].contains(char::is_uppercase);
    text.chars().any(char::is_alphabetic)
        && text.chars().all(is_plain)
        && !text.contains("::")
        && (text.contains(' ') || starts_big && text.is_ascii() || !text.is_ascii())
        && (!is_shout || text.contains(' ') || !text.is_ascii())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{Piece, is_trifle};

    #[rstest]
    #[case::a_label("<Tab>Orders</Tab>", "<Tab>My orders</Tab>", true)]
    #[case::a_text("title: 'Save changes',", "title: 'Save',", true)]
    #[case::a_typo("// recieve the mail\nsend();", "// receive the mail\nsend();", true)]
    #[case::form("if(a){b()}", "if (a) {\n  b()\n}", true)]
    #[case::own_version("version = \"1.4.0\"", "version = \"1.4.1\"", true)]
    #[case::a_zone("'zone' => 'UTC',", "'zone' => 'Europe/Berlin',", false)]
    #[case::a_mode("mode: \"strict\"", "mode: \"loose\"", false)]
    #[case::a_condition("if a < b {", "if a <= b {", false)]
    #[case::an_argument("open(\"Main window\", 1)", "open(\"Main window\", 2)", false)]
    #[case::generics("let a: Vec<String> = b;", "let a: Vec<Path> = b;", false)]
    fn tells_words_from_code(#[case] before: &str, #[case] after: &str, #[case] expected: bool) {
        assert_eq!(is_trifle(&Piece { before: before.to_owned(), after: after.to_owned() }), expected);
    }
}
