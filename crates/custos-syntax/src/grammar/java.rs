//! Definitions of Java.

use tree_sitter::Node;

use super::{Head, Reading, Seen};
use crate::definition::Definition;

pub(super) fn read<'t>(node: Node<'t>, seen: &Seen<'t>) -> Reading<'t> {
    let name = seen.field(node, "name");
    match node.kind() {
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => Head::of(node, name, Definition::Type),
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => {
            Head::of(node, name, if is_test(node, seen) { Definition::Test } else { Definition::Method })
        }
        "field_declaration" | "constant_declaration" if seen.in_type && is_constant(node, seen) => {
            match node.child_by_field_name("declarator") {
                Some(declarator) => Reading::Wraps(declarator),
                None => Reading::Passes,
            }
        }
        "variable_declarator" => Reading::Defines(Head {
            name: name.to_owned(),
            sort: Definition::Constant,
            body: node.child_by_field_name("value"),
            inside: None,
        }),
        "enum_body_declarations" => Reading::Holds(node),
        _ => Reading::Passes,
    }
}

fn modifiers(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(0).filter(|first| first.kind() == "modifiers")
}

fn is_test(node: Node<'_>, seen: &Seen<'_>) -> bool {
    modifiers(node).is_some_and(|modifiers| {
        modifiers.named_children(&mut modifiers.walk()).any(|annotation| {
            let name = seen.field(annotation, "name");
            matches!(
                name.rsplit('.').next(),
                Some("Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "Property")
            )
        })
    })
}

/// Tells a constant from a field: it is `static final`, or stands in an interface, where all are.
fn is_constant(node: Node<'_>, seen: &Seen<'_>) -> bool {
    let words = modifiers(node).map_or("", |modifiers| seen.of(modifiers));
    let has = |word| words.split_whitespace().any(|one| one == word);
    node.kind() == "constant_declaration" || (has("static") && has("final"))
}
