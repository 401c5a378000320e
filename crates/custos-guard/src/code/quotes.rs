//! Strings without quotes: Perl's and Ruby's quote operators, heredocs, Lua's long brackets.

use std::borrow::Cow;

use super::Language;
use super::lexer::{Kind, Lexer, Pending, Piece};
use super::literal::{Escapes, Inserts, Style};

fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        other => other,
    }
}

impl<'a> Lexer<'a> {
    /// Reads what follows Perl's `q`, `qq`, `qw`, `qx`, `m`, `qr`, `s`, `tr` or `y`, of which the name was read.
    pub(super) fn perl_quote(&mut self, name: &str, start: usize) -> bool {
        let is_operator = matches!(name, "q" | "qq" | "qw" | "qx" | "m" | "qr" | "s" | "tr" | "y");
        if !is_operator || matches!(self.tokens.last().map(|token| &token.kind), Some(Kind::Sign("->"))) {
            return false;
        }
        let back = self.at;
        while self.byte(0) == b' ' {
            self.at += 1;
        }
        let open = self.byte(0);
        let is_delimiter =
            open.is_ascii_punctuation() && !matches!(open, b',' | b';' | b')' | b'=' | b'_' | b'$' | b'\\');
        let is_key = open == b'}' || open == b'-' && self.byte(1) == b'>';
        if !is_delimiter || is_key || self.at > back && open == b'#' {
            self.at = back;
            return false;
        }
        let inserts =
            if matches!(name, "qq" | "qx") && open != b'\'' { Inserts::Sigil } else { Inserts::None };
        let escapes = if inserts == Inserts::Sigil { Escapes::Full } else { Escapes::Delimiter };
        let Some(first) = self.delimited(open, escapes, inserts) else {
            self.at = back;
            return false;
        };
        let kind = match name {
            "q" | "qq" => Kind::Text(first),
            "qx" => Kind::Command(first),
            "qw" => words(&first),
            "m" | "qr" => self.flags(),
            _ => {
                let raw_start = self.at;
                let is_closed = self.text.as_bytes().get(self.at - 1) == Some(&closing(open));
                let second = if !is_closed {
                    None
                } else if closing(open) == open {
                    // The delimiter in the middle serves both.
                    self.at -= 1;
                    self.delimited(open, Escapes::Delimiter, Inserts::None)
                } else {
                    while self.byte(0).is_ascii_whitespace() {
                        self.at += 1;
                    }
                    let open = self.byte(0);
                    self.delimited(open, Escapes::Delimiter, Inserts::None)
                };
                let raw_end = self.at;
                let flags = self.at;
                let _ = self.flags();
                let runs = name == "s"
                    && self.text.get(flags..self.at).is_some_and(|flags| flags.contains('e'))
                    && second.is_some();
                if runs {
                    // `s/…/code/e`: the replacement is an expression.
                    let code = self.text.get(raw_start..raw_end.saturating_sub(1)).unwrap_or_default();
                    Kind::Text(vec![Piece::Code(code.trim_start_matches(['{', '(', '[', ' ']))])
                } else {
                    Kind::Opaque
                }
            }
        };
        self.push(kind, start);
        true
    }

    fn flags(&mut self) -> Kind<'a> {
        while self.byte(0).is_ascii_alphabetic() {
            self.at += 1;
        }
        Kind::Opaque
    }

    /// Reads what stands between a delimiter, which is next, and its counterpart; `None` if that is missing.
    fn delimited(&mut self, open: u8, escapes: Escapes, inserts: Inserts) -> Option<Vec<Piece<'a>>> {
        let close = closing(open);
        let slot = usize::from(close);
        if !close.is_ascii() || close == 0 || *self.unclosed.get(slot)? {
            return None;
        }
        if !self.text.get(self.at + 1..)?.contains(char::from(close)) {
            self.unclosed[slot] = true;
            return None;
        }
        self.at += 1;
        let mut style = Style::between(close, escapes, inserts);
        style.open = (open != close).then_some(open);
        Some(self.pieces(&style))
    }

    /// Reads Ruby's `%x( … )`, `%w[ … ]`, `%q{ … }`.
    pub(super) fn ruby_percent(&mut self, start: usize) -> bool {
        let letter = self.byte(1);
        let is_value = match self.tokens.last().map(|token| &token.kind) {
            None | Some(Kind::Line | Kind::Sign(_)) => true,
            Some(Kind::Word(_)) => start > 0 && self.text.as_bytes()[start - 1] == b' ',
            _ => false,
        };
        let skip = if letter.is_ascii_alphabetic() { 2 } else { 1 };
        let open = self.byte(skip);
        if !is_value || !matches!(open, b'(' | b'[' | b'{' | b'<' | b'|' | b'!' | b'/') {
            return false;
        }
        let (escapes, inserts) = match letter {
            b'q' | b'w' | b'i' => (Escapes::Delimiter, Inserts::None),
            _ => (Escapes::Full, Inserts::Hash),
        };
        let back = self.at;
        self.at += skip;
        let Some(pieces) = self.delimited(open, escapes, inserts) else {
            self.at = back;
            return false;
        };
        let kind = match letter {
            b'w' | b'W' | b'i' | b'I' => words(&pieces),
            b'x' => Kind::Command(pieces),
            b'r' => Kind::Opaque,
            _ => Kind::Text(pieces),
        };
        self.push(kind, start);
        true
    }

    /// Reads Lua's `[[ … ]]` and `[=[ … ]=]`.
    pub(super) fn long_bracket(&mut self, start: usize) -> bool {
        let rest = self.rest();
        let level = rest[1..].bytes().take_while(|byte| *byte == b'=').take(8).count();
        if rest.as_bytes().get(1 + level) != Some(&b'[') {
            return false;
        }
        let body = &rest[2 + level..];
        let close = format!("]{}]", &rest[1..=level]);
        let end = body.find(&close).unwrap_or(body.len());
        self.at = (self.at + 2 + level + end + close.len()).min(self.text.len());
        let body = &body[..end];
        self.push(
            Kind::Text(vec![Piece::Literal(Cow::Borrowed(body.strip_prefix('\n').unwrap_or(body)))]),
            start,
        );
        true
    }

    /// Reads `<<TAG` and its relatives; the body is read where it stands.
    pub(super) fn heredoc(&mut self, start: usize) -> bool {
        let rest = self.rest();
        let after = match self.language {
            Language::Php => rest.strip_prefix("<<<").map(str::trim_start),
            Language::Perl | Language::Ruby => {
                rest.strip_prefix("<<").map(|rest| rest.trim_start_matches(['~', '-']))
            }
            _ => None,
        };
        let Some(after) = after else { return false };
        let quote = after.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''));
        let name = &after[usize::from(quote.is_some())..];
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        let tag = &name[..end];
        let is_tag = !tag.is_empty()
            && (quote.is_some() || tag.starts_with(|c: char| c.is_ascii_uppercase() || c == '_'));
        if !is_tag {
            return false;
        }
        let inserts = match self.language {
            _ if quote == Some(b'\'') => Inserts::None,
            Language::Ruby => Inserts::Hash,
            _ => Inserts::Sigil,
        };
        let escapes = if inserts == Inserts::None { Escapes::Raw } else { Escapes::Full };
        let close = usize::from(quote.is_some_and(|quote| name.as_bytes().get(end) == Some(&quote)));
        self.at = self.text.len() - name.len() + end + close;
        self.pending.push(Pending {
            token: self.tokens.len(),
            tag,
            style: Style::between(0, escapes, inserts),
        });
        self.push(Kind::Text(Vec::new()), start);
        true
    }

    /// Reads the bodies of the heredocs that were opened on the line that ends here.
    pub(super) fn heredoc_bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.at;
            let mut end = self.text.len();
            let mut after = end;
            let mut line_start = start;
            for line in self.text[start..].split_inclusive('\n') {
                let is_end = line.trim().trim_end_matches([';', ')', ',']).trim_end() == pending.tag;
                if is_end {
                    end = line_start;
                    // What follows the tag on its line is code.
                    after = line_start + line.find(pending.tag).unwrap_or_default() + pending.tag.len();
                    break;
                }
                line_start += line.len();
            }
            let mut body = Lexer {
                text: &self.text[..end],
                at: start,
                language: self.language,
                tokens: Vec::new(),
                pending: Vec::new(),
                brackets: 0,
                no_pattern_before: 0,
                unclosed: [false; 128],
            };
            let pieces = body.pieces(&pending.style);
            if let Some(token) = self.tokens.get_mut(pending.token) {
                token.kind = Kind::Text(pieces);
            }
            self.at = after;
        }
    }
}

fn words<'a>(pieces: &[Piece<'a>]) -> Kind<'a> {
    let mut words = Vec::new();
    for piece in pieces {
        if let Piece::Literal(Cow::Borrowed(text)) = piece {
            words.extend(text.split_whitespace());
        }
    }
    Kind::Words(words)
}
