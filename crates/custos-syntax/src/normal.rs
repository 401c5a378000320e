//! Texts as they are compared: without the white space that means nothing.

use crate::language::Language;

/// Writes a text as it is compared with others of its language.
///
/// `column` is where the definition begins in its line: Python's indentation counts from there.
pub(crate) fn normal(language: Language, text: &str, column: usize) -> String {
    let mut written = String::with_capacity(text.len());
    if language != Language::Python {
        squeeze(text, &mut written);
        return written;
    }
    for (number, line) in text.lines().enumerate() {
        let code = line.trim_start();
        if code.is_empty() {
            continue;
        }
        if number > 0 {
            let depth = (line.len() - code.len()).saturating_sub(column);
            written.push('\n');
            written.extend(std::iter::repeat_n(' ', depth));
        }
        squeeze(code, &mut written);
    }
    written
}

/// Appends a text without its white space, except where that keeps two words apart.
fn squeeze(text: &str, written: &mut String) {
    let mut gap = false;
    let mut last_is_word = false;
    for character in text.chars() {
        if character.is_whitespace() {
            gap = true;
            continue;
        }
        let is_word = is_word(character);
        if gap && last_is_word && is_word {
            written.push(' ');
        }
        written.push(character);
        (gap, last_is_word) = (false, is_word);
    }
}

/// Replaces a name wherever it stands as a word of its own.
pub(crate) fn replace_word(text: &str, name: &str, with: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = (!name.is_empty()).then(|| rest.find(name)).flatten() {
        let (before, found) = rest.split_at(at);
        let after = &found[name.len()..];
        written.push_str(before);
        let is_apart =
            !written.chars().next_back().is_some_and(is_word) && !after.chars().next().is_some_and(is_word);
        written.push_str(if is_apart { with } else { name });
        rest = after;
    }
    written.push_str(rest);
    written
}

/// Tells whether a text is long enough for another one that reads the same to be no accident.
pub(crate) fn says_much(normal: &str) -> bool {
    normal.chars().filter(|character| character.is_alphanumeric()).count() >= 12
}

pub(crate) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_that_means_something_is_kept() {
        let rust = |text| normal(Language::Rust, text, 0);
        assert_eq!(rust("fn  a( x : u8 )\n{\n\treturn x ;\n}"), "fn a(x:u8){return x;}");
        let python = |text, column| normal(Language::Python, text, column);
        assert_eq!(
            python("def a( x ):\n\n        if x:\n            pass\n        return x", 4),
            "def a(x):\n    if x:\n        pass\n    return x"
        );
    }

    #[test]
    fn names_are_replaced_as_words() {
        assert_eq!(replace_word("a(ab, a.a, ba, a)", "a", "xyz"), "xyz(ab, xyz.xyz, ba, xyz)");
        assert_eq!(replace_word("aaa", "a", "b"), "aaa");
        assert_eq!(replace_word("text", "", "b"), "text");
    }
}
