//! Definitions of Python.

use tree_sitter::Node;

use super::{Head, Reading, Seen};
use crate::definition::Definition;

pub(super) fn read<'t>(node: Node<'t>, seen: &Seen<'t>) -> Reading<'t> {
    let name = seen.field(node, "name");
    match node.kind() {
        "decorated_definition" => {
            node.child_by_field_name("definition").map_or(Reading::Passes, Reading::Wraps)
        }
        "function_definition" => Head::of(node, name, function(node, name, seen)),
        "class_definition" => Head::of(node, name, Definition::Type),
        "type_alias_statement" => match (node.child_by_field_name("left"), node.child_by_field_name("right"))
        {
            (Some(left), body) => {
                let name = seen.of(left).split('[').next().unwrap_or_default().trim().to_owned();
                Reading::Defines(Head { name, sort: Definition::Type, body, inside: None })
            }
            _ => Reading::Passes,
        },
        "expression_statement" if node.named_child_count() == 1 => {
            let assignment = node.named_child(0).filter(|child| child.kind() == "assignment");
            assignment.map_or(Reading::Passes, Reading::Wraps)
        }
        "assignment" => match node.child_by_field_name("left").filter(|left| left.kind() == "identifier") {
            Some(left) if is_constant(seen.of(left)) => Reading::Defines(Head {
                name: seen.of(left).to_owned(),
                sort: Definition::Constant,
                body: node.child_by_field_name("right"),
                inside: None,
            }),
            _ => Reading::Passes,
        },
        // `if TYPE_CHECKING:`, `try: import …`: what is defined there is defined for the module.
        "if_statement" | "try_statement" | "else_clause" | "elif_clause" | "except_clause" | "block"
        | "with_statement" => Reading::Holds(node),
        _ => Reading::Passes,
    }
}

fn function(node: Node<'_>, name: &str, seen: &Seen<'_>) -> Definition {
    if name.starts_with("test_") || (seen.in_type && name.starts_with("test")) {
        return Definition::Test;
    }
    let first = node.child_by_field_name("parameters").and_then(|parameters| parameters.named_child(0));
    let takes_self = first.is_some_and(|first| matches!(seen.of(first), "self" | "cls"));
    if takes_self || seen.in_type { Definition::Method } else { Definition::Function }
}

/// Tells whether a name is written as Python writes constants.
fn is_constant(name: &str) -> bool {
    name.len() > 1
        && name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
        && name.bytes().any(|byte| byte.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
