//! What a definition is in each language that has a grammar here.
//!
//! A grammar's reader is asked about one node at a time: is it a [definition](Head), does it lend its name to what is inside, is it worth
//! looking into, or is it how something works? Most of a tree is the last, and is never walked.
//!
//! TSX stands for all of JavaScript and TypeScript: a second grammar of that size for the sake of casts is not worth its 1.4 MB
//! (see [`script::without_casts`]).

mod go;
mod java;
mod parser;
mod python;
mod rust;
mod script;

use tree_sitter::Node;

use crate::{definition::Definition, language::Language, outline::Place};

/// A language with a grammar.
pub(crate) struct Grammar {
    /// Its place among the parsers.
    slot: usize,
    parser: fn() -> tree_sitter::Language,
    read: for<'t> fn(Node<'t>, &Seen<'t>) -> Reading<'t>,
    /// What stands between the name of a type and that of its member.
    joint: &'static str,
    /// The head that makes members of a type readable where their own is cut off.
    pub class: Option<&'static str>,
    /// What a text is read as, where that is not quite what it says.
    prepare: Option<fn(&str) -> Option<String>>,
}

const COUNT: usize = 6;

static RUST: Grammar = Grammar {
    slot: 0,
    parser: || tree_sitter_rust::LANGUAGE.into(),
    read: rust::read,
    joint: "::",
    class: None,
    prepare: None,
};
static PYTHON: Grammar = Grammar {
    slot: 1,
    parser: || tree_sitter_python::LANGUAGE.into(),
    read: python::read,
    joint: ".",
    class: None,
    prepare: None,
};
static GO: Grammar = Grammar {
    slot: 2,
    parser: || tree_sitter_go::LANGUAGE.into(),
    read: go::read,
    joint: ".",
    class: None,
    prepare: None,
};
static JAVA: Grammar = Grammar {
    slot: 3,
    parser: || tree_sitter_java::LANGUAGE.into(),
    read: java::read,
    joint: ".",
    class: Some("class _ {"),
    prepare: None,
};
static TSX: Grammar = Grammar {
    slot: 4,
    parser: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    read: script::read,
    joint: ".",
    class: Some("class _ {"),
    prepare: None,
};
static TYPESCRIPT: Grammar = Grammar {
    slot: 5,
    parser: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    read: script::read,
    joint: ".",
    class: Some("class _ {"),
    prepare: Some(script::without_casts),
};

/// Returns the grammar of a language.
pub(crate) fn of(language: Language) -> Option<&'static Grammar> {
    match language {
        Language::Rust => Some(&RUST),
        Language::TypeScript => Some(&TYPESCRIPT),
        Language::Tsx | Language::JavaScript => Some(&TSX),
        Language::Python => Some(&PYTHON),
        Language::Go => Some(&GO),
        Language::Java => Some(&JAVA),
        _ => None,
    }
}

/// What a reader may know of a node beside the node itself.
pub(crate) struct Seen<'t> {
    text: &'t str,
    /// The comments and attributes directly before the node.
    lead: &'t str,
    /// Whether the node stands in a type.
    in_type: bool,
    /// Whether the node stands in nothing: not even in what has no name.
    at_top: bool,
    /// Whether `export` stands before it.
    is_exported: bool,
}

impl<'t> Seen<'t> {
    fn of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn field(&self, node: Node<'_>, field: &str) -> &'t str {
        node.child_by_field_name(field).map_or("", |child| self.of(child))
    }
}

/// What a node is.
pub(crate) enum Reading<'t> {
    /// A definition.
    Defines(Head<'t>),
    /// No definition, but what is inside belongs to this name.
    Lends(String, Node<'t>),
    /// A definition with something around it that belongs to it: `export`, decorators.
    Wraps(Node<'t>),
    /// Something that may have definitions in it.
    Holds(Node<'t>),
    /// How something works.
    Passes,
}

/// A definition, as a reader tells it.
pub(crate) struct Head<'t> {
    name: String,
    sort: Definition,
    body: Option<Node<'t>>,
    /// Where more definitions may stand, for a type or a module.
    inside: Option<Node<'t>>,
}

impl<'t> Head<'t> {
    /// Tells of a definition by the fields that most grammars have.
    fn of(node: Node<'t>, name: &str, sort: Definition) -> Reading<'t> {
        let body = node.child_by_field_name("body");
        let has_members = matches!(sort, Definition::Type | Definition::Trait | Definition::Module);
        Reading::Defines(Self { name: name.to_owned(), sort, body, inside: body.filter(|_| has_members) })
    }
}

/// What a parser made of a text.
pub(crate) struct Parsed {
    pub places: Vec<Place>,
    pub has_error: bool,
}

/// Finds the definitions of a text; none where the parser gave up on it.
pub(crate) fn places(grammar: &Grammar, text: &str) -> Option<Vec<Place>> {
    parse(grammar, text, false).map(|parsed| parsed.places)
}

/// Parses a text; `in_class` where it begins with [`Grammar::class`], which is not of the text then.
pub(crate) fn parse(grammar: &Grammar, text: &str, in_class: bool) -> Option<Parsed> {
    let prepared = grammar.prepare.and_then(|prepare| prepare(text));
    parser::with(grammar, prepared.as_deref().unwrap_or(text), |tree| {
        let root = tree.root_node();
        let mut walk = Walk { grammar, text, places: Vec::new() };
        let inside = if in_class { class_body(root) } else { Some(root) };
        if let Some(inside) = inside {
            walk.inside(
                inside,
                &Scope { name: "", in_type: in_class, within: None, depth: 0, at_top: !in_class },
            );
        }
        Parsed { places: walk.places, has_error: root.has_error() }
    })
}

/// The body of the one class that a text was put into, where it is still one.
fn class_body(root: Node<'_>) -> Option<Node<'_>> {
    let class = root.named_child(0).filter(|class| class.kind() == "class_declaration")?;
    class.child_by_field_name("body").filter(|body| body.end_byte() >= root.end_byte())
}

/// How deep the nodes are walked. Definitions do not stand deeper, and a text of nothing but brackets may be as deep as it is long.
const DEEPEST: usize = 60;

struct Walk<'g, 't> {
    grammar: &'g Grammar,
    text: &'t str,
    places: Vec<Place>,
}

/// What stands around a node.
#[derive(Clone, Copy)]
struct Scope<'s> {
    name: &'s str,
    in_type: bool,
    within: Option<usize>,
    depth: usize,
    at_top: bool,
}

impl<'t> Walk<'_, 't> {
    /// Reads the nodes inside one.
    fn inside(&mut self, node: Node<'t>, scope: &Scope<'_>) {
        if scope.depth >= DEEPEST {
            return;
        }
        let scope = Scope { depth: scope.depth + 1, ..*scope };
        let mut lead: Option<Node<'t>> = None;
        let mut last_row = None;
        let mut row_before = None;
        for child in node.named_children(&mut node.walk()) {
            let begins = child.start_position().row;
            // A comment behind something on the same line belongs to that.
            if is_lead(child.kind()) && row_before != Some(begins) {
                let is_near = last_row.is_some_and(|row: usize| begins <= row + 1);
                lead = lead.filter(|_| is_near).or(Some(child));
                last_row = Some(last_row_of(child));
                continue;
            }
            let is_near = last_row.is_some_and(|row: usize| begins <= row + 1);
            let start = lead.take().filter(|_| is_near).map_or(child.start_byte(), |lead| lead.start_byte());
            (last_row, row_before) = (None, Some(last_row_of(child)));
            self.node(child, child, start, &scope);
        }
    }

    fn node(&mut self, node: Node<'t>, outer: Node<'t>, start: usize, scope: &Scope<'_>) {
        let lead = self.text.get(start..outer.start_byte()).unwrap_or_default();
        let seen = Seen {
            text: self.text,
            lead,
            in_type: scope.in_type,
            at_top: scope.at_top,
            is_exported: outer.kind() == "export_statement",
        };
        let reading = if node.is_error() { Reading::Holds(node) } else { (self.grammar.read)(node, &seen) };
        match reading {
            Reading::Wraps(inner) if scope.depth < DEEPEST => {
                self.node(inner, outer, start, &Scope { depth: scope.depth + 1, ..*scope });
            }
            Reading::Wraps(_) | Reading::Passes => {}
            Reading::Holds(inside) => self.inside(inside, scope),
            Reading::Lends(name, inside) => {
                let name = self.qualified(scope.name, &name);
                self.inside(inside, &Scope { name: &name, in_type: true, at_top: false, ..*scope });
            }
            Reading::Defines(head) => self.definition(head, node, outer, start, scope),
        }
    }

    fn definition(
        &mut self,
        head: Head<'t>,
        node: Node<'t>,
        outer: Node<'t>,
        start: usize,
        scope: &Scope<'_>,
    ) {
        if !is_whole(node, &head) {
            if let Some(inside) = head.inside {
                self.inside(inside, scope);
            }
            return;
        }
        let end = outer.end_byte();
        let begins = head_start(outer).clamp(start, end);
        let is_test = head.sort == Definition::Test;
        let name = if is_test && head.inside.is_some() {
            head.name.clone()
        } else {
            self.qualified(scope.name, &head.name)
        };
        let within = Some(self.places.len());
        self.places.push(Place {
            name: name.clone(),
            // The name of a Go method comes with its receiver's.
            short: if is_test { head.name } else { last_part(&head.name).to_owned() },
            sort: head.sort,
            span: start..end,
            head: begins,
            body: head.body.map_or(end, |body| body.start_byte()).clamp(begins, end),
            within: scope.within,
        });
        if let Some(inside) = head.inside {
            // A group of tests lends no name: each test is called what its string says.
            let name = if is_test { "" } else { &name };
            let in_type = !matches!(head.sort, Definition::Module | Definition::Test);
            self.inside(inside, &Scope { name, in_type, within, at_top: false, ..*scope });
        }
    }

    fn qualified(&self, scope: &str, name: &str) -> String {
        if scope.is_empty() { name.to_owned() } else { format!("{scope}{}{name}", self.grammar.joint) }
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The last row that a node has anything on: some comments end with their line, which is where the next row begins.
fn last_row_of(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 { end.row.saturating_sub(1) } else { end.row }
}

/// Tells whether nodes of a kind belong to the definition after them.
fn is_lead(kind: &str) -> bool {
    matches!(kind, "line_comment" | "block_comment" | "comment" | "attribute_item" | "decorator")
}

/// Where the head begins: after decorators and annotations.
fn head_start(node: Node<'_>) -> usize {
    let mut start = node.start_byte();
    let mut node = node;
    // Java keeps annotations among the modifiers; Python keeps a definition in a node with its decorators.
    for _ in 0..2 {
        let mut cursor = node.walk();
        let first = node.children(&mut cursor).find(|child| {
            !matches!(
                child.kind(),
                "decorator"
                    | "comment"
                    | "line_comment"
                    | "block_comment"
                    | "marker_annotation"
                    | "annotation"
            )
        });
        let Some(first) = first else { break };
        start = first.start_byte();
        if first.kind() != "modifiers" {
            break;
        }
        if first.named_child_count() > 0 && first.named_child_count() == first.child_count() as usize {
            // Nothing but annotations.
            return first.next_sibling().map_or(start, |next| next.start_byte());
        }
        node = first;
    }
    start
}

/// Tells whether the head of a definition is all there.
fn is_whole(node: Node<'_>, head: &Head<'_>) -> bool {
    let is_sound = |field: &str| {
        node.child_by_field_name(field).is_none_or(|part| !part.has_error() && !part.is_missing())
    };
    let ends = head.body.is_some()
        || node.child(node.child_count().saturating_sub(1)).is_none_or(|last| !last.is_missing());
    !head.name.trim().is_empty() && ends && ["name", "parameters", "receiver"].into_iter().all(is_sound)
}
