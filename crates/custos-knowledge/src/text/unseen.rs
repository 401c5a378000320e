//! Characters that nobody sees: controls, marks of direction, joiners, fillers and tags.
//!
//! They make two titles look the same that are not, turn a line around, or carry text past a reader that a model still reads.

use std::ops::RangeInclusive;

/// Drops from a text what nobody sees; blanks, line breaks and tabs stay, and every line ends with `\n`.
pub fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            c if is_joiner(c) => {
                let neighbours = [out.chars().next_back(), rest.peek().copied()];
                if neighbours.into_iter().all(|c| c.is_some_and(is_joined)) {
                    out.push(c);
                }
            }
            c if is_unseen(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// Tells whether a character may stand beside a joiner.
pub(super) fn is_joined(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !is_unseen(c)
}

/// What is drawn as nothing, or only changes how its neighbours are drawn, in order.
///
/// The two selectors between text and emoji are not among them: without them an emoji changes its looks.
const UNSEEN: &[RangeInclusive<char>] = &[
    '\0'..='\u{1f}',
    '\u{7f}'..='\u{9f}',
    '\u{ad}'..='\u{ad}', // soft hyphen
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',   // mark of direction
    '\u{115f}'..='\u{1160}', // fillers
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}', // zero width, joiners, marks of direction
    '\u{2028}'..='\u{202e}', // ends of lines, turns of direction
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0d}', // selectors of variants
    '\u{feff}'..='\u{feff}', // byte order mark
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}', // tags, more selectors
];

/// Tells whether nobody sees a character. Blanks are not meant, except where they end a line.
pub(super) fn is_unseen(c: char) -> bool {
    if matches!(c, ' '..='~') {
        return false;
    }
    let code = u32::from(c);
    let is_no_character = code & 0xfffe == 0xfffe;
    is_no_character || UNSEEN.iter().any(|range| range.contains(&c))
}

/// Tells whether a character joins its neighbours, or keeps them apart: part of the spelling of emoji, of Persian and of the scripts of
/// India, and a disguise anywhere else.
pub(super) fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Tells whether a character selects how the one before it is drawn, as text or as emoji.
pub(super) fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}
