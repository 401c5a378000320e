//! Tokens: what is a name, what is text, what is a comment.
//!
//! One lexer serves all languages with C-like expressions; where they differ, it asks which one it reads. It never fails: what is not
//! closed ends with the text, and what means nothing is a sign. Each byte is looked at a bounded number of times.

use std::borrow::Cow;

use super::Language;
use super::literal::Style;

/// A part of a text.
#[derive(Debug, Clone)]
pub(super) enum Piece<'a> {
    /// It means itself; escapes are resolved.
    Literal(Cow<'a, str>),
    /// An expression whose value is put there.
    Code(&'a str),
}

/// The kinds of token.
#[derive(Debug, Clone)]
pub(super) enum Kind<'a> {
    /// A name or keyword, with its sigil.
    Word(&'a str),
    /// A string.
    Text(Vec<Piece<'a>>),
    /// A string that is given to a shell: backticks and their kin.
    Command(Vec<Piece<'a>>),
    /// A list of words: `qw( … )`, `%w[ … ]`.
    Words(Vec<&'a str>),
    /// A number, as it is written.
    Number(&'a str),
    /// A pattern or something else without meaning here.
    Opaque,
    /// Punctuation.
    Sign(&'a str),
    /// A line's end, in languages where it ends a statement.
    Line,
}

/// A token.
#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    /// What it is.
    pub(super) kind: Kind<'a>,
    /// Whether nothing stands between it and the one before.
    pub(super) glued: bool,
    /// For an opening bracket, the index of the closing one.
    closing: Option<u32>,
    /// For an opening bracket in Python, the index of the first `for` directly inside: it is a comprehension.
    comprehension: Option<u32>,
}

impl Token<'_> {
    /// For an opening bracket, the index of the closing one.
    pub(super) fn closing(&self) -> Option<usize> {
        self.closing.map(|index| index as usize)
    }

    /// For the opening bracket of a comprehension, the index of its first `for`. It is given once: in broken code the clause may hold
    /// what the body holds, and walking through both at every level would double the work with each.
    pub(super) fn take_comprehension(&mut self) -> Option<usize> {
        self.comprehension.take().map(|index| index as usize)
    }
}

/// A heredoc whose body begins on the next line.
pub(super) struct Pending<'a> {
    pub(super) token: usize,
    pub(super) tag: &'a str,
    pub(super) style: Style,
}

/// Reads tokens.
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) language: Language,
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) pending: Vec<Pending<'a>>,
    /// How many brackets are open.
    pub(super) brackets: usize,
    /// Up to where a `/` is known to be no pattern's beginning, because the pattern would have no end.
    pub(super) no_pattern_before: usize,
    /// Delimiters of which no closing one follows any more.
    pub(super) unclosed: [bool; 128],
}

/// The signs of more than one character, the longer ones first.
const SIGNS: &[&str] = &[
    "...", "===", "!==", "**=", "||=", "&&=", "??=", "<=>", "..=", ">>=", "<<=", "=>", "->", "::", "?.",
    "&.", "==", "!=", "<=", ">=", "&&", "||", "??", "+=", "-=", "*=", "/=", ".=", "%=", "|=", ":=", "..",
    "**", "//", "=~", "!~", "<<", ">>", "++", "--", "~=", "|&",
];

/// Words after which a `/` begins a pattern.
const BEFORE_PATTERN: &[&str] = &[
    "return", "typeof", "case", "in", "of", "and", "or", "not", "if", "unless", "while", "until", "split",
    "grep", "when", "do", "else", "elsif", "void", "delete", "await", "yield", "x", "map", "join", "push",
];

/// Reads a text into tokens.
pub(super) fn tokens(language: Language, text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer {
        text,
        at: 0,
        language,
        tokens: Vec::with_capacity(text.len() / 8),
        pending: Vec::new(),
        brackets: 0,
        no_pattern_before: 0,
        unclosed: [false; 128],
    };
    if language == Language::Php {
        // `php -r` begins in code, a file in text.
        if let Some(open) = text.find("<?") {
            lexer.at = open;
        }
    }
    while lexer.at < text.len() {
        lexer.token();
    }
    let mut tokens = lexer.tokens;
    pair_brackets(&mut tokens, language);
    tokens
}

fn pair_brackets(tokens: &mut [Token<'_>], language: Language) {
    let mut open: Vec<usize> = Vec::new();
    for index in 0..tokens.len() {
        match tokens[index].kind {
            Kind::Sign("(" | "[" | "{") => open.push(index),
            Kind::Sign(")" | "]" | "}") => {
                if let Some(start) = open.pop() {
                    tokens[start].closing = u32::try_from(index).ok();
                }
            }
            Kind::Word("for") if language == Language::Python => {
                if let Some(start) = open.last().copied() {
                    tokens[start].comprehension =
                        tokens[start].comprehension.or_else(|| u32::try_from(index).ok());
                }
            }
            _ => {}
        }
    }
}

impl<'a> Lexer<'a> {
    /// What is left.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The byte after so many others.
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or_default()
    }

    pub(super) fn push(&mut self, kind: Kind<'a>, start: usize) {
        let glued = start > 0 && !self.text.as_bytes()[start - 1].is_ascii_whitespace();
        self.tokens.push(Token { kind, glued, closing: None, comprehension: None });
    }

    fn token(&mut self) {
        let start = self.at;
        let byte = self.byte(0);
        match byte {
            b'\n' => self.line_end(start),
            b'\\' if self.byte(1) == b'\n' => self.at += 2,
            byte if byte.is_ascii_whitespace() => self.at += 1,
            _ if self.comment(byte) => {}
            b'0'..=b'9' => {
                let rest = self.rest();
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                self.at += end;
                self.push(Kind::Number(&rest[..end]), start);
            }
            b'"' | b'\'' | b'`' => self.quoted(byte, start),
            b'[' if self.language == Language::Lua && self.long_bracket(start) => {}
            b'/' if self.pattern_may_begin() && self.pattern(start) => {}
            b'<' if self.heredoc(start) => {}
            b'%' if self.language == Language::Ruby && self.ruby_percent(start) => {}
            b':' if self.language == Language::Ruby && self.symbol(start) => {}
            byte if is_word_byte(byte) || self.sigil(byte) => self.word(start),
            _ => self.sign(start),
        }
    }

    fn line_end(&mut self, start: usize) {
        self.at += 1;
        let ends = match self.language {
            Language::Python => self.brackets == 0,
            Language::JavaScript | Language::Ruby => true,
            _ => false,
        };
        if ends {
            self.push(Kind::Line, start);
        }
        self.heredoc_bodies();
    }

    /// Skips a comment, if one begins here.
    fn comment(&mut self, byte: u8) -> bool {
        let rest = self.rest();
        let is_line = match self.language {
            Language::Ruby if rest.starts_with("=begin") && self.at_line_start() => {
                self.at += rest.find("\n=end").map_or(rest.len(), |end| end + 5);
                return true;
            }
            Language::Perl if byte == b'=' && self.at_line_start() && self.byte(1).is_ascii_lowercase() => {
                self.at += rest.find("\n=cut").map_or(rest.len(), |end| end + 5);
                return true;
            }
            Language::Python | Language::Ruby | Language::Perl => byte == b'#',
            Language::Lua if rest.starts_with("--[[") => {
                self.at += rest.find("]]").map_or(rest.len(), |end| end + 2);
                return true;
            }
            Language::Lua => rest.starts_with("--"),
            Language::JavaScript if rest.starts_with("#!") => self.at == 0,
            Language::JavaScript | Language::Php => {
                if rest.starts_with("/*") {
                    self.at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                    return true;
                }
                rest.starts_with("//")
                    || byte == b'#' && self.language == Language::Php && !rest.starts_with("#[")
            }
            _ => false,
        };
        if is_line {
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
        is_line
    }

    fn at_line_start(&self) -> bool {
        self.at == 0 || self.text.as_bytes()[self.at - 1] == b'\n'
    }

    /// Says whether a byte begins a name here, as `$` does in Perl.
    fn sigil(&self, byte: u8) -> bool {
        let next = self.byte(1);
        match self.language {
            Language::Perl => matches!(byte, b'$' | b'@') && (is_word_byte(next) || next == b'_'),
            Language::Php => byte == b'$' && is_word_byte(next),
            Language::Ruby => matches!(byte, b'@' | b'$') && (is_word_byte(next) || next == b'@'),
            Language::JavaScript => byte == b'$',
            _ => false,
        }
    }

    fn word(&mut self, start: usize) {
        let rest = self.rest();
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let tail = rest[first..]
            .find(|c: char| !(is_word_char(c) || c == '$' && self.language == Language::JavaScript));
        let mut end = tail.map_or(rest.len(), |end| end + first);
        if self.language == Language::Ruby && rest.starts_with("@@") {
            end = rest[2..].find(|c: char| !is_word_char(c)).map_or(rest.len(), |end| end + 2);
        }
        let name = &rest[..end];
        self.at += end;
        let is_done = match self.language {
            Language::Python => self.prefixed_string(name, start),
            Language::Perl => self.perl_quote(name, start),
            _ => false,
        };
        if is_done {
            return;
        }
        if self.language == Language::Ruby
            && matches!(self.byte(0), b'?' | b'!')
            && self.byte(1) != b'='
            && end > 1
        {
            self.at += 1;
        }
        self.push(Kind::Word(name), start);
    }

    fn sign(&mut self, start: usize) {
        let rest = self.rest();
        // Most signs stand alone, and the byte after them shows it.
        let may_be_long = matches!(
            self.byte(1),
            b'=' | b'>' | b':' | b'.' | b'&' | b'|' | b'?' | b'*' | b'/' | b'~' | b'<' | b'+' | b'-'
        );
        let long = SIGNS.iter().find(|sign| may_be_long && rest.starts_with(**sign));
        let length = long.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), |sign| sign.len());
        self.at += length;
        match &rest[..length] {
            "(" | "[" | "{" => self.brackets += 1,
            ")" | "]" | "}" => self.brackets = self.brackets.saturating_sub(1),
            _ => {}
        }
        self.push(Kind::Sign(&rest[..length]), start);
    }

    /// Says whether a `/` here would begin a pattern rather than divide.
    fn pattern_may_begin(&self) -> bool {
        if self.at < self.no_pattern_before
            || matches!(self.language, Language::Python | Language::Php | Language::Lua)
        {
            return false;
        }
        let spaced =
            self.at > 0 && self.text.as_bytes()[self.at - 1] == b' ' && !matches!(self.byte(1), b' ' | b'=');
        match self.tokens.last().map(|token| &token.kind) {
            None | Some(Kind::Line) => true,
            Some(Kind::Sign(sign)) => !matches!(*sign, ")" | "]" | "}"),
            Some(Kind::Word(word)) => {
                BEFORE_PATTERN.contains(word)
                    || spaced && self.language != Language::JavaScript && !word.starts_with('$')
            }
            _ => false,
        }
    }

    fn pattern(&mut self, start: usize) -> bool {
        let mut in_class = false;
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\n' if self.language != Language::Perl => break,
                b'[' if self.language != Language::Perl => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    at += 1;
                    while bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
                        at += 1;
                    }
                    self.at = at;
                    self.push(Kind::Opaque, start);
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        self.no_pattern_before = at;
        false
    }

    /// Reads `:name` as the text that it nearly is.
    fn symbol(&mut self, start: usize) -> bool {
        let before = start.checked_sub(1).map_or(b' ', |before| self.text.as_bytes()[before]);
        let next = self.byte(1);
        if is_word_byte(before) || before == b':' || !(next.is_ascii_alphabetic() || next == b'_') {
            return false;
        }
        let rest = &self.rest()[1..];
        let end = rest.find(|c: char| !is_word_char(c)).unwrap_or(rest.len());
        self.at += end + 1;
        self.push(Kind::Text(vec![Piece::Literal(Cow::Borrowed(&rest[..end]))]), start);
        true
    }
}

/// Says whether a text is known and meets a condition.
pub(super) fn is_text(pieces: &[Piece<'_>], condition: impl Fn(&str) -> bool) -> bool {
    matches!(pieces, [Piece::Literal(text)] if condition(text))
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
