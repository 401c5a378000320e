//! The words that mean something to the shell itself, where a command may begin.

use super::parser::Parser;

/// A reserved word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reserved {
    If,
    Then,
    Elif,
    Else,
    Fi,
    While,
    Until,
    For,
    Select,
    Do,
    Done,
    Case,
    Esac,
    Function,
    Open,
    Close,
    Not,
    Test,
    Time,
    Coprocess,
}

impl Reserved {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"if" => Self::If,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"for" => Self::For,
            b"select" => Self::Select,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            b"function" => Self::Function,
            b"{" => Self::Open,
            b"}" => Self::Close,
            b"!" => Self::Not,
            b"[[" => Self::Test,
            b"time" => Self::Time,
            b"coproc" => Self::Coprocess,
            _ => return None,
        })
    }

    /// Says whether no command begins with it: it goes on with one or ends it.
    pub(super) fn closes(self) -> bool {
        matches!(
            self,
            Self::Then
                | Self::Elif
                | Self::Else
                | Self::Fi
                | Self::Do
                | Self::Done
                | Self::Esac
                | Self::Close
        )
    }

    /// Says whether a compound command begins with it.
    pub(super) fn opens(self) -> bool {
        !self.closes() && !matches!(self, Self::Not | Self::Time | Self::Coprocess | Self::Function)
    }
}

/// Says whether a word ends before this byte.
#[inline]
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>')
}

impl Parser<'_> {
    /// The reserved word here, and where it ends.
    pub(super) fn reserved(&mut self) -> Option<(Reserved, usize)> {
        // Most commands begin with none; `function`, the longest, has eight letters.
        if !matches!(
            self.peek()?,
            b'i' | b't' | b'e' | b'f' | b'w' | b'u' | b's' | b'd' | b'c' | b'{' | b'}' | b'!' | b'['
        ) {
            return None;
        }
        let mut word = [0_u8; 8];
        let end = self.bare_word(&mut word)?;
        let length = word.iter().position(|&byte| byte == 0).unwrap_or(word.len());
        Some((Reserved::of(word.get(..length)?)?, end))
    }

    /// Goes past this reserved word, or notes that it is missing.
    pub(super) fn expect(&mut self, wanted: Reserved) -> bool {
        self.newlines();
        match self.reserved() {
            Some((found, end)) if found == wanted => {
                self.pos = end;
                true
            }
            _ => {
                self.missing();
                false
            }
        }
    }

    /// Goes past `in`, if it is the word here.
    pub(super) fn eat_in(&mut self) -> bool {
        let mut word = [0_u8; 2];
        let end = if self.peek() == Some(b'i') { self.bare_word(&mut word) } else { None };
        match end {
            Some(end) if word == *b"in" => {
                self.pos = end;
                true
            }
            _ => false,
        }
    }

    /// Copies the word here to `word`, if it has room for it and the word has no quotes, and says where it ends.
    fn bare_word(&self, word: &mut [u8]) -> Option<usize> {
        let mut at = self.pos;
        let mut room = word.iter_mut();
        loop {
            match self.bytes.get(at) {
                None => return Some(at),
                // A process substitution is part of a word.
                Some(b'<' | b'>') if self.bytes.get(self.after(at)) == Some(&b'(') => return None,
                Some(&byte) if ends_word(byte) => return Some(at),
                Some(b'\r') if self.ends_line(at) => return Some(at),
                Some(b'\\') if self.bytes.get(at + 1) == Some(&b'\n') => at += 2,
                Some(&byte) => {
                    *room.next()? = byte;
                    at += 1;
                }
            }
        }
    }
}
