//! Where the parser stands, and the moves that all of its parts share.
//!
//! There is no table of tokens: what a byte means depends on where it stands (`)` ends a subshell, a pattern of `case`, or nothing), so
//! the grammar reads the bytes itself. A backslash before a line's end is skipped by [`Parser::peek`], so that no rule has to know of it;
//! only quotes and heredocs, where it is text, look at the bytes directly.
//!
//! Two things keep the time linear. Nothing is read twice, except by the few looks ahead that bash takes as well (where does this `((`
//! close? where does this heredoc end?), and those draw on one allowance in proportion to the text. And nothing is nested deeper than
//! [`DEEPEST`]: what lies below is cut into words without regard to its structure, and said to be. Memory has a bound of its own: a tree
//! of more than [`MOST_COMMANDS`] is cut off, which is noted the same way.

use std::ops::Range;

use super::fallback;
use super::heredoc::Heredoc;
use super::syntax::{Command, Flaw, FlawKind, Kind, Link, Parsed, Part, Script, Simple, Word};

/// How deep commands and expansions may be nested. Bash has no limit; no person writes ten.
pub(super) const DEEPEST: u32 = 64;

/// How many commands a tree may have: a quarter of a megabyte of text in earnest has a third of it.
const MOST_COMMANDS: usize = 1 << 15;

/// How many bytes may be looked at ahead for each byte of the text, and how many in any case.
const FORESIGHT: (usize, usize) = (4, 4096);

/// Flaws of one kind beyond this many say nothing new.
const MOST_FLAWS: usize = 64;

/// A text that is being parsed.
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    /// The text's bytes up to the end that is in force: that of the text, or that of a part of it which is read by itself.
    pub(super) bytes: &'t [u8],
    pub(super) pos: usize,
    pub(super) flaws: Vec<Flaw>,
    /// Heredocs whose bodies begin after this line.
    pub(super) pending: Vec<Heredoc>,
    /// The bodies of heredocs, by number, until they are put in their places.
    pub(super) bodies: Vec<Word>,
    /// Whether a `)` ends the substitution that is being read, as far as heredocs care.
    pub(super) in_substitution: bool,
    depth: u32,
    foresight: usize,
    commands_left: usize,
    /// Set if the text is an unescaped copy: the place of the original, which then stands for every place within.
    original: Option<Range<usize>>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            flaws: Vec::new(),
            pending: Vec::new(),
            bodies: Vec::new(),
            in_substitution: false,
            depth: 0,
            foresight: text.len() * FORESIGHT.0 + FORESIGHT.1,
            commands_left: MOST_COMMANDS,
            original: None,
        }
    }

    /// A parser for an unescaped copy of what stands at `place`. When it is done, [`Parser::take_over`] has to follow.
    pub(super) fn for_copy<'c>(&self, copy: &'c str, place: Range<usize>) -> Parser<'c> {
        Parser {
            depth: self.depth,
            foresight: self.foresight,
            commands_left: self.commands_left,
            original: Some(self.original.clone().unwrap_or(place)),
            ..Parser::new(copy)
        }
    }

    /// Takes over what the parser of a copy has used up and found.
    pub(super) fn take_over(&mut self, copy: Parser<'_>) {
        self.foresight = copy.foresight;
        self.commands_left = copy.commands_left;
        for flaw in copy.flaws {
            self.note(flaw.kind, flaw.at);
        }
    }

    /// Reads the part of the text that ends at `end` with `read`, and goes on there.
    pub(super) fn within<T>(&mut self, end: usize, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer_bytes = self.bytes;
        let outer_pending = std::mem::take(&mut self.pending);
        let outer_substitution = std::mem::take(&mut self.in_substitution);
        self.bytes = self.bytes.get(..end).unwrap_or(self.bytes);
        let result = read(self);
        self.finish_heredocs();
        self.pos = end.min(outer_bytes.len());
        self.bytes = outer_bytes;
        self.pending = outer_pending;
        self.in_substitution = outer_substitution;
        result
    }

    /// Reads something one level deeper, or says that this is too deep.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        Some(result)
    }

    /// Cuts the rest into the words of simple commands, because nobody will follow its structure.
    pub(super) fn flatten_rest(&mut self) -> Script {
        let start = self.pos;
        self.note(FlawKind::TooDeep, start);
        self.pos = self.bytes.len();
        let commands: Vec<Command> = fallback::tokens(self.slice(start, self.pos))
            .take(self.commands_left)
            .map(|words| {
                let words = words.into_iter().map(|word| Word { parts: vec![Part::Bare(word)] }).collect();
                self.command(Kind::Simple(Simple { words, ..Simple::default() }), start)
            })
            .collect();
        self.commands_left -= commands.len();
        Script { commands }
    }

    /// Allows one more command, or ends the text here.
    pub(super) fn has_room(&mut self) -> bool {
        let left = self.commands_left.checked_sub(1);
        if left.is_none() {
            self.note(FlawKind::TooDeep, self.pos);
            self.pos = self.bytes.len();
        }
        self.commands_left = left.unwrap_or_default();
        left.is_some()
    }

    /// The bytes from `start` that may be looked at ahead.
    pub(super) fn foreseeable(&self, start: usize) -> &'t [u8] {
        let rest = self.bytes.get(start..).unwrap_or_default();
        rest.get(..self.foresight).unwrap_or(rest)
    }

    /// Takes so many bytes off the allowance, and says whether it had them.
    pub(super) fn foresee(&mut self, bytes: usize) -> bool {
        let left = self.foresight.checked_sub(bytes);
        self.foresight = left.unwrap_or_default();
        left.is_some()
    }

    /// A command that began at `start` and ends here.
    pub(super) fn command(&self, kind: Kind, start: usize) -> Command {
        self.command_between(kind, start, self.pos)
    }

    pub(super) fn command_between(&self, kind: Kind, start: usize, end: usize) -> Command {
        Command { kind, redirects: Vec::new(), link: Link::Then, span: self.span(start, end) }
    }

    /// The place of what stands between two places, in the text that the caller knows.
    pub(super) fn span(&self, start: usize, end: usize) -> Range<usize> {
        self.original.clone().unwrap_or(start..end.max(start))
    }

    /// The text between two places.
    pub(super) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    // Flaws.

    pub(super) fn note(&mut self, kind: FlawKind, at: usize) {
        if self.flaws.len() < MOST_FLAWS || !self.flaws.iter().any(|flaw| flaw.kind == kind) {
            let at = self.original.as_ref().map_or(at, |place| place.start);
            self.flaws.push(Flaw { kind, at });
        }
    }

    /// Notes that what is needed is not here: because the text has ended, or because something else is.
    pub(super) fn missing(&mut self) {
        let kind = if self.pos >= self.bytes.len() { FlawKind::Unclosed } else { FlawKind::Unexpected };
        self.note(kind, self.pos);
    }

    pub(super) fn unexpected(&mut self) {
        self.note(FlawKind::Unexpected, self.pos);
    }

    // Moves.

    /// The byte here, past any line continuations.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.pos) {
                Some(b'\\') if self.bytes.get(self.pos + 1) == Some(&b'\n') => self.pos += 2,
                byte => return byte.copied(),
            }
        }
    }

    /// The place after the byte at `at`, past any line continuations.
    #[inline]
    pub(super) fn after(&self, at: usize) -> usize {
        let mut next = at + 1;
        while self.bytes.get(next) == Some(&b'\\') && self.bytes.get(next + 1) == Some(&b'\n') {
            next += 2;
        }
        next
    }

    /// The byte after the one here, past any line continuations.
    #[inline]
    pub(super) fn second(&self) -> Option<u8> {
        self.bytes.get(self.after(self.pos)).copied()
    }

    /// Goes past the byte here, if it is this one.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        if here {
            self.pos += 1;
        }
        here
    }

    /// Goes past these two bytes, if they are here.
    pub(super) fn eat_both(&mut self, first: u8, second: u8) -> bool {
        let here = self.peek() == Some(first) && self.second() == Some(second);
        if here {
            self.pos = self.after(self.pos) + 1;
        }
        here
    }

    /// Says whether a carriage return at `at` only belongs to the line's end.
    #[inline]
    pub(super) fn ends_line(&self, at: usize) -> bool {
        matches!(self.bytes.get(at + 1), None | Some(b'\n'))
    }

    /// Skips blanks and a comment. Only between words: within one, `#` is a character like others.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\r') if self.ends_line(self.pos) => self.pos += 1,
                Some(b'#') => {
                    let rest = self.bytes.get(self.pos..).unwrap_or_default();
                    self.pos += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Skips blanks, comments and line ends, and reads the bodies of the heredocs that begin there.
    pub(super) fn newlines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.pos += 1;
            if !self.pending.is_empty() {
                self.read_heredocs();
            }
        }
    }
}

/// Parses a script. There is always a tree; whether it can be trusted is said by the flaws beside it.
pub fn parse(text: &str) -> Parsed {
    let mut parser = Parser::new(text);
    let Some(zero) = text.bytes().position(|byte| byte == 0) else {
        let script = parser.whole();
        return Parsed { script, flaws: parser.flaws };
    };
    // Bash drops zero bytes, so that what stands around them comes together.
    parser.note(FlawKind::Nul, zero);
    let cleaned = text.replace('\0', "");
    let mut copy = parser.for_copy(&cleaned, 0..text.len());
    let script = copy.whole();
    parser.take_over(copy);
    Parsed { script, flaws: parser.flaws }
}

/// Parses text as if it stood within double quotes, for instance the body of a heredoc or an index as it is written.
pub fn parse_word_text(text: &str) -> Word {
    let mut parser = Parser::new(text);
    let mut word = parser.text_to_end();
    parser.place_bodies_in_word(&mut word);
    word
}

/// Parses whatever it is given: the entry point for fuzzing.
pub fn fuzz_parse(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let _ = parse(&text);
    let _ = parse_word_text(&text);
    let _ = fallback::tokens(&text);
}
