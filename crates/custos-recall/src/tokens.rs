//! How much of a model's context a text takes, and how much room there is left.
//!
//! Every client has another tokenizer and none of them is here, so tokens are estimated: by what a character costs in the tokenizers that
//! are in use, and rather too much than too little, because a ceiling that is only mostly kept is none. English runs at four letters a token;
//! digits, signs and other alphabets are cut finer; a character of Chinese or Japanese is a token, an emoji is two.
//!
//! Costs are counted in twelfths, so that they add up exactly: the cost of a text is the sum of the costs of its parts, and whatever fits
//! piece by piece fits as a whole.

/// The twelfths of a token that a character costs.
const fn cost(c: char) -> u64 {
    match c {
        'a'..='z' | 'A'..='Z' | ' ' => 3,
        '\0'..='\u{8ff}' => 6,
        '\u{900}'..='\u{ffff}' => 12,
        _ => 24,
    }
}

fn twelfths(text: &str) -> u64 {
    text.chars().map(cost).sum()
}

/// Estimates how many tokens a text takes; it takes fewer in practice.
pub fn estimate(text: &str) -> u64 {
    twelfths(text).div_ceil(12)
}

/// Estimates how many tokens a text of so many characters takes that goes on as its excerpt does.
pub fn of_sample(excerpt: &str, chars: u32) -> u32 {
    let sampled = excerpt.chars().count() as u64;
    let (cost, sampled) = if sampled == 0 { (3, 1) } else { (twelfths(excerpt), sampled) };
    u32::try_from((cost * u64::from(chars)).div_ceil(12 * sampled)).unwrap_or(u32::MAX)
}

/// Counts a text as clients written in JavaScript do: most emoji are two.
pub fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The room that a context has: in tokens, and in the characters that its client takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    twelfths: u64,
    units: usize,
}

impl Room {
    /// Makes a room of so many tokens and so many characters.
    pub const fn new(tokens: u64, units: usize) -> Self {
        Self { twelfths: tokens.saturating_mul(12), units }
    }

    /// Gives the tokens that are left.
    pub const fn tokens(&self) -> u64 {
        self.twelfths / 12
    }

    /// Gives the characters that are left, as the client counts them.
    pub const fn characters(&self) -> usize {
        self.units
    }

    /// Says whether a text fits.
    pub fn has(&self, text: &str) -> bool {
        twelfths(text) <= self.twelfths && units(text) <= self.units
    }

    /// Takes the room of a text, if it fits.
    #[must_use = "what does not fit must not be said"]
    pub fn take(&mut self, text: &str) -> bool {
        let fits = self.has(text);
        if fits {
            self.twelfths -= twelfths(text);
            self.units -= units(text);
        }
        fits
    }

    /// Makes the room smaller by what somebody else says.
    #[must_use]
    pub fn without(mut self, text: &str) -> Self {
        self.twelfths = self.twelfths.saturating_sub(twelfths(text));
        self.units = self.units.saturating_sub(units(text));
        self
    }

    /// Gives the longest beginning of a text that fits, at a line's end where there is one near.
    pub fn beginning<'t>(&self, text: &'t str) -> &'t str {
        let (mut spent, mut counted) = (0, 0);
        let over = text.char_indices().find(|(_, c)| {
            spent += cost(*c);
            counted += c.len_utf16();
            spent > self.twelfths || counted > self.units
        });
        let Some((end, _)) = over else { return text };
        let cut = &text[..end];
        match cut.rfind('\n') {
            Some(line) if line > end / 2 => &cut[..line],
            _ => cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prose_is_a_quarter_and_everything_else_is_more() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("the session store was moved"), 7);
        assert_eq!(estimate("0193f0a1-7c00"), 6);
        assert_eq!(estimate("Größe"), 2);
        assert_eq!(estimate("日本語"), 3);
        assert_eq!(estimate("🚀"), 2);
    }

    #[test]
    fn a_text_goes_on_as_its_excerpt_does() {
        assert_eq!(of_sample("the session store was moved", 27), 7);
        assert_eq!(of_sample("the session", 4_000), 1_000);
        assert_eq!(of_sample("日本語", 300), 300);
        assert_eq!((of_sample("", 40), of_sample("", 0), of_sample("🚀", u32::MAX)), (10, 0, u32::MAX));
    }

    proptest! {
        #[test]
        fn what_fits_piece_by_piece_fits_as_a_whole(pieces in prop::collection::vec(".{0,60}", 0..12), tokens in 0u64..80, characters in 0usize..400) {
            let mut room = Room::new(tokens, characters);
            let whole: String = pieces.into_iter().filter(|piece| room.take(piece)).collect();
            prop_assert!(estimate(&whole) <= tokens);
            prop_assert!(units(&whole) <= characters);
        }

        #[test]
        fn a_beginning_fits_and_is_one(text in "(?s).{0,300}", tokens in 0u64..80, characters in 0usize..200) {
            let room = Room::new(tokens, characters);
            let cut = room.beginning(&text);
            prop_assert!(room.has(cut) && text.starts_with(cut));
            prop_assert!(cut == text || !room.has(&text));
        }
    }
}
