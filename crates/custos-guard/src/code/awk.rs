//! awk: `system`, pipes to and from commands, and redirected prints.
//!
//! awk puts texts together by writing them side by side, and its `>` compares or redirects depending on where it stands, so it is read by
//! its own rules, a statement at a time.

use std::collections::BTreeMap;

use super::value;
use super::{Deed, likeness};
use crate::invocation::UNKNOWN;

/// How many tokens are looked at as one operand, so that a row of pipes costs no more than its length.
const WIDEST: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'a> {
    Text(String),
    Word(&'a str),
    Sign(&'a str),
}

/// Finds what an awk program does.
pub(super) fn deeds(text: &str, effort: &mut dyn FnMut(usize) -> bool) -> Vec<Deed> {
    if !effort(text.len()) {
        return Vec::new();
    }
    let tokens = tokens(text);
    let mut found = Vec::new();
    let connects = tokens.iter().any(|token| matches!(token, Token::Text(text) if text.starts_with("/inet")));
    let talks =
        tokens.windows(2).filter(|pair| matches!(pair, [Token::Sign("|&"), Token::Word("getline")])).count();
    if connects && talks > 1 {
        // One conversation is with the network, the other with a command.
        found.push(Deed::Script(likeness::remote_shell()));
    }
    let mut variables: BTreeMap<&str, String> = BTreeMap::new();
    for statement in tokens.split(|token| matches!(token, Token::Sign(";" | "{" | "}" | "\n"))) {
        if let [Token::Word(name), Token::Sign("="), rest @ ..] = statement
            && let Some(value) = joined(rest, &variables, effort)
        {
            variables.insert(name, value);
        }
        read(statement, &variables, &mut found, effort);
    }
    found
}

/// Looks at one statement.
fn read(
    statement: &[Token<'_>],
    variables: &BTreeMap<&str, String>,
    found: &mut Vec<Deed>,
    effort: &mut dyn FnMut(usize) -> bool,
) {
    let mut printed = None;
    let mut depth = 0_usize;
    for (at, token) in statement.iter().enumerate() {
        let after = statement.get(at + 1..).unwrap_or_default();
        match token {
            Token::Word("print" | "printf") => {
                printed = Some(at);
                depth = 0;
            }
            Token::Word("system") if after.first() == Some(&Token::Sign("(")) => {
                let end = after
                    .iter()
                    .take(WIDEST)
                    .position(|token| *token == Token::Sign(")"))
                    .unwrap_or(after.len());
                if let Some(script) = joined(&after[1..end], variables, effort) {
                    found.push(Deed::Script(value::script(&script)));
                }
            }
            Token::Word("getline") => {
                let from = after.iter().take(3).position(|token| *token == Token::Sign("<"));
                if let Some(path) =
                    from.and_then(|from| joined(operand(&after[from + 1..]), variables, effort))
                {
                    found.push(Deed::Read(value::word(&path)));
                }
            }
            Token::Sign("(" | "[") => depth += 1,
            Token::Sign(")" | "]") => depth = depth.saturating_sub(1),
            Token::Sign("|" | "|&") if after.first() == Some(&Token::Word("getline")) => {
                let nearest = at.saturating_sub(WIDEST);
                let start = statement[nearest..at]
                    .iter()
                    .rposition(|token| {
                        matches!(
                            token,
                            Token::Sign("(" | "=" | "&&" | "||" | "!") | Token::Word("while" | "if")
                        )
                    })
                    .map_or(nearest, |before| nearest + before + 1);
                if let Some(script) = joined(&statement[start..at], variables, effort) {
                    found.push(Deed::Script(value::script(&script)));
                }
            }
            Token::Sign("|" | "|&") => {
                let Some(command) = joined(after, variables, effort) else { continue };
                let is_shell = matches!(
                    command.split_whitespace().next(),
                    Some("sh" | "bash" | "/bin/sh" | "/bin/bash" | "zsh" | "dash")
                );
                let input =
                    printed.and_then(|printed| joined(&statement[printed + 1..at], variables, effort));
                found.push(match input {
                    Some(input) if is_shell => Deed::Script(value::script(&input)),
                    _ => Deed::Script(value::script(&command)),
                });
            }
            Token::Sign(">" | ">>") if printed.is_some() && depth == 0 => {
                if let Some(path) = joined(operand(after), variables, effort) {
                    found.push(Deed::Write(value::word(&path)));
                }
            }
            _ => {}
        }
    }
}

/// The texts and variables that stand side by side from here on.
fn operand<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let end = tokens
        .iter()
        .position(|token| matches!(token, Token::Sign(")" | "|" | "&&" | "||" | "," | ">" | "<")))
        .unwrap_or(tokens.len());
    &tokens[..end]
}

/// What stands side by side, put together; `None` for nothing.
fn joined(
    tokens: &[Token<'_>],
    variables: &BTreeMap<&str, String>,
    effort: &mut dyn FnMut(usize) -> bool,
) -> Option<String> {
    let tokens = &tokens[..tokens.len().min(WIDEST)];
    let mut text = String::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            // The key of `ENVIRON["HOME"]` is no text of its own.
            Token::Text(_) if at > 0 && tokens[at - 1] == Token::Sign("[") => {}
            Token::Text(literal) if effort(literal.len()) => text.push_str(literal),
            Token::Text(_) => return None,
            Token::Word("ENVIRON") if matches!(tokens.get(at + 2), Some(Token::Text(key)) if key == "HOME") =>
            {
                text.push(value::HOME);
            }
            Token::Word(_) if at > 0 && tokens[at - 1] == Token::Sign("$") => {}
            Token::Word(name) => match variables.get(name) {
                Some(value) if effort(value.len()) => text.push_str(value),
                _ => text.push(UNKNOWN),
            },
            Token::Sign("$") if !text.ends_with(UNKNOWN) => text.push(UNKNOWN),
            Token::Sign(_) => {}
        }
    }
    (!tokens.is_empty()).then_some(text)
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut no_pattern_before = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let (literal, end) = string(text, at + 1);
                tokens.push(Token::Text(literal));
                at = end;
            }
            b'#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => at += 2,
            b'/' if at >= no_pattern_before && pattern_may_begin(tokens.last()) => {
                if text[at + 1..].contains(['/', '\n']) {
                    at = pattern_end(bytes, at + 1);
                } else {
                    no_pattern_before = text.len();
                    at += 1;
                }
                tokens.push(Token::Sign("/"));
            }
            byte if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                let end = text[at..]
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .map_or(text.len(), |end| at + end);
                tokens.push(Token::Word(&text[at..end]));
                at = end;
            }
            b'\n' => {
                tokens.push(Token::Sign("\n"));
                at += 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let two = text
                    .get(at..at + 2)
                    .filter(|two| matches!(*two, "&&" | "||" | ">>" | "|&" | "==" | ">=" | "<=" | "!="));
                let length =
                    two.map_or_else(|| text[at..].chars().next().map_or(1, char::len_utf8), str::len);
                tokens.push(Token::Sign(&text[at..at + length]));
                at += length;
            }
        }
    }
    tokens
}

fn pattern_may_begin(before: Option<&Token<'_>>) -> bool {
    match before {
        None => true,
        Some(Token::Sign(sign)) => !matches!(*sign, ")" | "]" | "$"),
        Some(_) => false,
    }
}

fn pattern_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'/' => return at + 1,
            b'\n' => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Reads a text up to its closing quote, and gives where it ends.
pub(super) fn string(text: &str, start: usize) -> (String, usize) {
    let mut literal = String::new();
    let mut chars = text[start..].char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (literal, start + at + 1),
            '\\' => match chars.next() {
                Some((_, 'n')) => literal.push('\n'),
                Some((_, 't')) => literal.push('\t'),
                Some((_, other)) => literal.push(other),
                None => break,
            },
            other => literal.push(other),
        }
    }
    (literal, text.len())
}
