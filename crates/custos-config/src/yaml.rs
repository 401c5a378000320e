//! A YAML document as a tree in which everything knows where it stands.
//!
//! The tree is built from the parser's events rather than through serde: a file of a person is answered with
//! *all* its problems and their lines, not with the first; of a key that is there twice both lines are
//! wanted; and an edit has to know the bytes of each value, which only the events tell.
//!
//! A hostile document costs no more than reading it. An alias shares the node it names instead of copying
//! it, so that a billion laughs are a few dozen nodes; nesting, also by way of aliases, ends at
//! [`DEEPEST`], and the number of events at [`MOST_EVENTS`].

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use serde_saphyr::granit_parser::{
    ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle, options,
};

use crate::shown::shown;

/// The deepest nesting; settings need three, rules four.
const DEEPEST: usize = 16;
/// The most events of a document; the largest sensible file has a thousand.
const MOST_EVENTS: usize = 20_000;

/// A place in a document, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// Why a document is not usable, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Where it shows.
    pub at: Position,
    /// Why, as the end of a sentence.
    pub why: String,
}

/// A value in a document.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where it begins; an alias is where the alias is.
    pub at: Position,
    /// The bytes of the text that it takes up, without anchor and tag; empty where there is nothing.
    pub bytes: Range<usize>,
    /// Whether it is written in one piece, with quotes or brackets, rather than by indentation.
    pub flow: bool,
    content: Rc<Content>,
    height: usize,
}

/// What a value is.
#[derive(Debug)]
pub enum Content {
    /// A word or a text.
    Scalar {
        /// The text.
        text: String,
        /// Whether it stands without quotes.
        plain: bool,
    },
    /// A list.
    Sequence(Vec<Node>),
    /// Keys with values, in the order of the document.
    Mapping(Vec<Pair>),
    /// Anything with an explicit tag. Nothing here takes one.
    Tagged,
}

/// A key and its value.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The key.
    pub key: Node,
    /// The value.
    pub value: Node,
}

impl Pair {
    /// Says whether the key spells a name.
    pub fn is_named(&self, name: &str) -> bool {
        self.key.text() == Some(name)
    }
}

impl Node {
    /// What it is.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match self.content() {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Tells whether this is YAML's null, in any of its spellings.
    pub fn is_null(&self) -> bool {
        matches!(self.content(), Content::Scalar { text, plain: true }
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Says in words what this is.
    pub fn describe(&self) -> String {
        match self.content() {
            _ if self.is_null() => "empty".to_owned(),
            Content::Scalar { text, plain } => {
                let number = *plain && text.parse::<f64>().is_ok_and(f64::is_finite);
                let text = shown(text);
                if number { format!("the number {text}") } else { format!("the text \"{text}\"") }
            }
            Content::Sequence(_) => "a list".to_owned(),
            Content::Mapping(_) => "a mapping".to_owned(),
            Content::Tagged => "a value with a tag (`!`)".to_owned(),
        }
    }
}

/// Reads a document; one without any content is `None`.
pub fn parse(text: &str) -> Result<Option<Node>, Broken> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::new(text.len() - body.len());
    for (count, event) in Parser::new_from_str_with_options(body, limits()).enumerate() {
        let (event, span) = event.map_err(|error| refusal(&error))?;
        if count >= MOST_EVENTS {
            let why = format!("it has more than {MOST_EVENTS} parts");
            return Err(Broken { at: position(&span), why });
        }
        builder.take(&event, &span)?;
    }
    Ok(builder.root)
}

fn limits() -> Options {
    options! {
        emit_comments: false,
        disallow_directives: true,
        flow_nesting_limit: DEEPEST,
        block_nesting_limit: DEEPEST,
    }
}

fn refusal(error: &ScanError) -> Broken {
    let mark = error.marker();
    let why = match error.kind() {
        ErrorKind::RecursionLimitExceeded => too_deep(),
        // The one mistake that lists of patterns invite.
        ErrorKind::MissingAnchorOrAliasName => {
            "`*` and `&` begin a name here; write \"*\" in quotes".to_owned()
        }
        _ => shown(&error.info()),
    };
    Broken { at: Position { line: mark.line(), column: mark.col() + 1 }, why }
}

fn too_deep() -> String {
    format!("it is nested deeper than {DEEPEST}")
}

fn position(span: &Span) -> Position {
    Position { line: span.start.line(), column: span.start.col() + 1 }
}

/// A collection that has begun and not ended.
struct Open {
    at: Position,
    start: usize,
    flow: bool,
    anchor: usize,
    tagged: bool,
    mapping: bool,
    /// The items; of a mapping, keys and values in turn.
    items: Vec<Node>,
}

struct Builder {
    /// The bytes before the text that the parser sees.
    offset: usize,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Node>,
    root: Option<Node>,
    documents: usize,
}

impl Builder {
    fn new(offset: usize) -> Self {
        Self { offset, open: Vec::new(), anchors: BTreeMap::new(), root: None, documents: 0 }
    }

    fn take(&mut self, event: &Event<'_>, span: &Span) -> Result<(), Broken> {
        let at = position(span);
        let bytes = self.bytes(span);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Broken { at, why: "a second document begins here".to_owned() });
                }
            }
            Event::Alias(anchor) => {
                let Some(target) = self.anchors.get(anchor) else {
                    return Err(Broken { at, why: "this alias is inside what it stands for".to_owned() });
                };
                self.add(Node { at, bytes, flow: true, ..target.clone() })?;
            }
            Event::Scalar(text, style, anchor, tag) => {
                let content = match tag {
                    Some(_) => Content::Tagged,
                    None => Content::Scalar { text: text.to_string(), plain: *style == ScalarStyle::Plain },
                };
                let flow = !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                self.finish(Node { at, bytes, flow, content: Rc::new(content), height: 0 }, *anchor)?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.begin(at, &bytes, *style, *anchor, tag.is_some(), false);
            }
            Event::MappingStart(style, anchor, tag) => {
                self.begin(at, &bytes, *style, *anchor, tag.is_some(), true);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    let anchor = open.anchor;
                    self.finish(open.close(bytes.end), anchor)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn bytes(&self, span: &Span) -> Range<usize> {
        let range = span.byte_range().unwrap_or(0..0);
        range.start + self.offset..range.end + self.offset
    }

    fn begin(
        &mut self,
        at: Position,
        bytes: &Range<usize>,
        style: StructureStyle,
        anchor: usize,
        tagged: bool,
        mapping: bool,
    ) {
        let flow = style == StructureStyle::Flow;
        self.open.push(Open { at, start: bytes.start, flow, anchor, tagged, mapping, items: Vec::new() });
    }

    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), Broken> {
        // Zero is the parser's way of saying that there is no anchor.
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.add(node)
    }

    fn add(&mut self, node: Node) -> Result<(), Broken> {
        // Aliases of aliases nest without any bracket that the parser could count.
        if node.height + self.open.len() > DEEPEST {
            return Err(Broken { at: node.at, why: too_deep() });
        }
        match self.open.last_mut() {
            Some(open) => open.items.push(node),
            None => self.root = Some(node).filter(|node| !node.is_null()),
        }
        Ok(())
    }
}

impl Open {
    fn close(self, flow_end: usize) -> Node {
        // What is written by indentation ends with its last item; its end event comes after the comments.
        let end =
            if self.flow { flow_end } else { self.items.last().map_or(self.start, |item| item.bytes.end) };
        let height = 1 + self.items.iter().map(|item| item.height).max().unwrap_or(0);
        let content = if self.tagged {
            Content::Tagged
        } else if self.mapping {
            Content::Mapping(pairs(self.items))
        } else {
            Content::Sequence(self.items)
        };
        Node { at: self.at, bytes: self.start..end, flow: self.flow, content: Rc::new(content), height }
    }
}

fn pairs(items: Vec<Node>) -> Vec<Pair> {
    let mut items = items.into_iter();
    let mut pairs = Vec::new();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        pairs.push(Pair { key, value });
    }
    pairs
}
