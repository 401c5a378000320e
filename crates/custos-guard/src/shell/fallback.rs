//! What can still be said of a text that nobody can parse: which words stand in it, one after the other.

/// Words after which a command begins.
const BEFORE_COMMANDS: &[&str] =
    &["if", "then", "elif", "else", "while", "until", "do", "!", "time", "coproc"];

/// Cuts any text into lists of words that look like commands: at line ends, `;`, `&`, `|`, parentheses, braces and backticks.
///
/// Quotes may be where the trouble is, so they are taken both ways: as if they were not there (`rm -rf "/`), and as the beginning of a
/// command of its own (`sh -c "rm -rf /`). Backslashes are taken for what they hide.
pub fn tokens(text: &str) -> impl Iterator<Item = Vec<String>> {
    let mut before = '\0';
    // The braces of `${name}` belong to the word.
    let mut in_parameter = false;
    let separates = move |character: char| {
        let after_dollar = std::mem::replace(&mut before, character) == '$';
        match character {
            '{' if after_dollar => {
                in_parameter = true;
                false
            }
            '}' if in_parameter => {
                in_parameter = false;
                false
            }
            '\n' | ';' | '&' | '|' | '(' | ')' | '{' | '}' | '`' => {
                in_parameter = false;
                true
            }
            _ => false,
        }
    };
    text.split(separates).flat_map(readings).filter(|words| !words.is_empty())
}

/// The words of a piece without separators: all of them, and those after each quote.
fn readings(piece: &str) -> Vec<Vec<String>> {
    let quotes = ['\'', '"'];
    if !piece.contains(quotes) {
        return vec![words(piece)];
    }
    let whole = words(&piece.replace(quotes, ""));
    std::iter::once(whole).chain(piece.split(quotes).skip(1).map(words)).collect()
}

fn words(piece: &str) -> Vec<String> {
    piece
        .split_whitespace()
        .map(|word| word.replace('\\', ""))
        .skip_while(|word| word.is_empty() || BEFORE_COMMANDS.contains(&word.as_str()))
        .collect()
}
