//! Characters that nobody sees: controls, marks of direction, joiners, fillers and tags.
//!
//! They make two titles look the same that are not, turn a line around, or carry text past a reader that a model still reads.

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

/// Tells whether a character is drawn as nothing, or only changes how its neighbours are drawn. Blanks are not meant, except where they end
/// a line.
///
/// The two selectors between text and emoji are let through: without them an emoji changes its looks.
pub(super) fn is_unseen(c: char) -> bool {
    match c {
        ' '..='~' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' => true,
        '\u{a0}'..='\u{34e}' => false,
        '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' => true,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' => true,
        '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        c => u32::from(c) & 0xfffe == 0xfffe, // Not a character at all, by definition.
    }
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
