//! A JSON text, parsed and found fit to be changed.

use std::collections::HashSet;
use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::super::text::Spot;
use super::JsonError;
use super::trivia::last_comment;

/// The most levels that are read: as many as serde_json reads, far more than a settings file has.
const DEEPEST: usize = 128;

/// Comments and trailing commas, as the clients allow them, and nothing else beyond JSON.
const DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
};

/// A text that can be changed: well formed, not too deep, no key twice, the root an object or nothing.
pub(super) struct Document<'t> {
    pub(super) text: &'t str,
    pub(super) root: Option<ast::Value<'t>>,
}

/// What a container is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
}

/// What is at the end of a way of keys.
pub(super) enum Found<'d, 't> {
    /// The container.
    Node(Node<'d, 't>),
    /// The way ends at this object, after so many keys.
    Missing { depth: usize, node: Node<'d, 't> },
    /// The text holds no value at all.
    Nothing,
}

impl<'t> Document<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self, JsonError> {
        check_depth(text)?;
        let parsed = parse_to_ast(text, &CollectOptions::default(), &DIALECT).map_err(|error| {
            let at = Spot::of(text, error.range().start);
            JsonError::Syntax { at, reason: error.kind().to_string().to_lowercase() }
        })?;
        let document = Self { text, root: parsed.value };
        if let Some(root) = &document.root {
            document.check(root)?;
            if !matches!(root, ast::Value::Object(_)) {
                return Err(document.wrong(Node(root), &[], Kind::Object));
            }
        }
        Ok(document)
    }

    pub(super) fn value(&self) -> Value {
        self.root.as_ref().map_or(Value::Null, |root| Node(root).value())
    }

    /// Follows the keys to a container of this kind.
    pub(super) fn find(&self, at: &[String], kind: Kind) -> Result<Found<'_, 't>, JsonError> {
        let Some(root) = &self.root else { return Ok(Found::Nothing) };
        let mut node = Node(root);
        for (depth, key) in at.iter().enumerate() {
            if node.kind() != Some(Kind::Object) {
                return Err(self.wrong(node, &at[..depth], Kind::Object));
            }
            match node.member(key) {
                Some(member) => node = member,
                None => return Ok(Found::Missing { depth, node }),
            }
        }
        if node.kind() == Some(kind) { Ok(Found::Node(node)) } else { Err(self.wrong(node, at, kind)) }
    }

    /// Follows the keys to a container of any kind.
    pub(super) fn node(&self, at: &[String]) -> Option<Node<'_, 't>> {
        let root = self.root.as_ref().map(Node)?;
        at.iter().try_fold(root, |node, key| node.member(key)).filter(|node| node.kind().is_some())
    }

    fn wrong(&self, node: Node<'_, '_>, at: &[String], expected: Kind) -> JsonError {
        JsonError::WrongType {
            at: Spot::of(self.text, node.range().start),
            path: if at.is_empty() { "the whole file".to_owned() } else { format!("`{}`", at.join(".")) },
            expected: match expected {
                Kind::Object => "an object",
                Kind::Array => "an array",
            },
            found: match node.0 {
                ast::Value::Object(_) => "an object",
                ast::Value::Array(_) => "an array",
                ast::Value::StringLit(_) => "a string",
                ast::Value::NumberLit(_) => "a number",
                ast::Value::BooleanLit(_) => "true or false",
                ast::Value::NullKeyword(_) => "null",
            },
        }
    }

    /// Refuses what the parser lets pass: keys that stand twice, and line ends in strings.
    fn check(&self, value: &ast::Value<'_>) -> Result<(), JsonError> {
        match value {
            ast::Value::StringLit(string) => self.check_string(string.range()),
            ast::Value::Array(array) => array.elements.iter().try_for_each(|element| self.check(element)),
            ast::Value::Object(object) => {
                let mut keys = HashSet::new();
                object.properties.iter().try_for_each(|member| {
                    let (key, range) = (member.name.as_str(), member.name.range());
                    self.check_string(range)?;
                    if !keys.insert(key) {
                        let at = Spot::of(self.text, range.start);
                        return Err(JsonError::DuplicateKey { at, key: key.to_owned() });
                    }
                    self.check(&member.value)
                })
            }
            _ => Ok(()),
        }
    }

    fn check_string(&self, range: jsonc_parser::common::Range) -> Result<(), JsonError> {
        match self.text[range.start..range.end].find(|char: char| char < ' ') {
            Some(at) => Err(JsonError::Syntax {
                at: Spot::of(self.text, range.start + at),
                reason: "a control character in a string".to_owned(),
            }),
            None => Ok(()),
        }
    }
}

/// Refuses text that would take a parser too deep, before one sees it.
fn check_depth(text: &str) -> Result<(), JsonError> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(bytes.len(), |newline| at + newline);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + end + 3);
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(JsonError::TooDeep { at: Spot::of(text, at), limit: DEEPEST });
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// A value in its text.
#[derive(Clone, Copy)]
pub(super) struct Node<'d, 't>(pub(super) &'d ast::Value<'t>);

impl<'d, 't> Node<'d, 't> {
    pub(super) fn kind(self) -> Option<Kind> {
        match self.0 {
            ast::Value::Object(_) => Some(Kind::Object),
            ast::Value::Array(_) => Some(Kind::Array),
            _ => None,
        }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.0.start()..self.0.end()
    }

    pub(super) fn value(self) -> Value {
        self.0.clone().into()
    }

    pub(super) fn member(self, key: &str) -> Option<Self> {
        self.0.as_object()?.get(key).map(|member| Self(&member.value))
    }

    pub(super) fn position(self, key: &str) -> Option<usize> {
        self.0.as_object()?.properties.iter().position(|member| member.name.as_str() == key)
    }

    pub(super) fn elements(self) -> impl Iterator<Item = Node<'d, 't>> {
        self.0.as_array().map(|array| array.elements.as_slice()).unwrap_or_default().iter().map(Node)
    }

    /// What is between the brackets of a container; of anything else, nothing.
    pub(super) fn inside(self) -> Inside {
        let items = match self.0 {
            ast::Value::Object(object) => {
                object.properties.iter().map(|item| item.start()..item.end()).collect()
            }
            ast::Value::Array(array) => array.elements.iter().map(|item| item.start()..item.end()).collect(),
            _ => Vec::new(),
        };
        Inside { open: self.0.start() + 1, close: self.0.end() - 1, items }
    }
}

/// What is between the brackets of a container.
pub(super) struct Inside {
    /// After the opening bracket.
    pub(super) open: usize,
    /// Before the closing bracket.
    pub(super) close: usize,
    /// The members or elements, without commas.
    pub(super) items: Vec<Range<usize>>,
}

impl Inside {
    /// The space between the brackets, if there is nothing else.
    pub(super) fn space<'t>(&self, text: &'t str) -> Option<&'t str> {
        let empty = self.items.is_empty() && last_comment(text, self.open..self.close).is_none();
        empty.then(|| &text[self.open..self.close])
    }
}
