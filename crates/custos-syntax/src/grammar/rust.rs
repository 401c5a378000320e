//! Definitions of Rust.

use tree_sitter::Node;

use super::{Head, Reading, Seen};
use crate::definition::Definition;

pub(super) fn read<'t>(node: Node<'t>, seen: &Seen<'t>) -> Reading<'t> {
    let name = seen.field(node, "name");
    match node.kind() {
        "function_item" | "function_signature_item" => Head::of(node, name, function(node, seen)),
        "struct_item" | "enum_item" | "union_item" | "type_item" | "associated_type" => {
            let Reading::Defines(head) = Head::of(node, name, Definition::Type) else {
                return Reading::Passes;
            };
            Reading::Defines(Head { inside: None, ..head })
        }
        "trait_item" => Head::of(node, name, Definition::Trait),
        "mod_item" => Head::of(node, name, Definition::Module),
        "const_item" | "static_item" => {
            let body = node.child_by_field_name("value");
            Reading::Defines(Head { name: name.to_owned(), sort: Definition::Constant, body, inside: None })
        }
        "macro_definition" => Reading::Defines(Head {
            name: if name.is_empty() { String::new() } else { format!("{name}!") },
            sort: Definition::Function,
            body: node.named_child(1),
            inside: None,
        }),
        "impl_item" => match (node.child_by_field_name("type"), node.child_by_field_name("body")) {
            (Some(implementor), Some(body)) => Reading::Lends(base(seen.of(implementor)).to_owned(), body),
            _ => Reading::Passes,
        },
        "foreign_mod_item" => node.child_by_field_name("body").map_or(Reading::Passes, Reading::Holds),
        "declaration_list" => Reading::Holds(node),
        _ => Reading::Passes,
    }
}

fn function(node: Node<'_>, seen: &Seen<'_>) -> Definition {
    if is_test(seen.lead) {
        return Definition::Test;
    }
    let takes_self = node.child_by_field_name("parameters").is_some_and(|parameters| {
        parameters
            .named_children(&mut parameters.walk())
            .any(|parameter| parameter.kind() == "self_parameter")
    });
    if takes_self || seen.in_type { Definition::Method } else { Definition::Function }
}

/// Tells whether attributes make a test of a function: `#[test]`, `#[tokio::test(flavor = "…")]`, `#[rstest]`.
fn is_test(lead: &str) -> bool {
    lead.lines().filter_map(|line| line.trim_start().strip_prefix("#[")).any(|attribute| {
        let path = attribute.split(['(', ']', ' ']).next().unwrap_or_default();
        matches!(
            path.rsplit("::").next(),
            Some("test" | "rstest" | "test_case" | "quickcheck" | "bench" | "wasm_bindgen_test")
        )
    })
}

/// The name of a type without references, paths and arguments: `&mut log::Reader<'_, R>` is `Reader`.
fn base(name: &str) -> &str {
    let name = name.split(['<', '(', '[']).next().unwrap_or_default().trim();
    let name = name.rsplit([' ', '&', '*']).next().unwrap_or_default();
    name.rsplit("::").next().unwrap_or_default()
}
