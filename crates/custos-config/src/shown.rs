//! Foreign text in a message. It comes from files that may be hostile, so it is made harmless before it reaches a terminal or a model.

use std::path::Path;

/// The longest piece of foreign text in a message.
const LONGEST_SHOWN: usize = 80;

/// Makes foreign text safe to show: control and invisible characters escaped, and cut to a readable length.
pub fn shown(text: &str) -> String {
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == LONGEST_SHOWN {
            out.push('…');
            break;
        }
        escape_into(&mut out, c);
    }
    out
}

/// Makes a path safe to show. Paths are not cut: a cut path is of no use.
pub fn shown_path(path: &Path) -> String {
    let mut out = String::new();
    for c in path.to_string_lossy().chars() {
        escape_into(&mut out, c);
    }
    out
}

/// Spells a word as a person types it in a shell, for a command that they are asked to run.
pub fn typed(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

fn escape_into(out: &mut String, c: char) {
    match c {
        // `escape_debug` would double these, which helps nobody outside a string literal.
        '\\' | '\'' | '"' => out.push(c),
        // Behind another character a mark belongs to it; alone it would join whatever stands before the text.
        _ if !out.is_empty() => out.extend(format!("x{c}").escape_debug().skip(1)),
        _ => out.extend(c.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stay_with_their_letters_and_what_hides_is_spelt() {
        assert_eq!(shown("e\u{301}clair हिन्दी \"x\""), "e\u{301}clair हिन्दी \"x\"");
        assert_eq!(shown("\u{301}a\u{202e}b\u{1b}[31m\n"), "\\u{301}a\\u{202e}b\\u{1b}[31m\\n");
    }
}
