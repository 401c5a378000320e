//! Definitions of Go.

use tree_sitter::Node;

use super::{Head, Reading, Seen};
use crate::definition::Definition;

pub(super) fn read<'t>(node: Node<'t>, seen: &Seen<'t>) -> Reading<'t> {
    let name = seen.field(node, "name");
    match node.kind() {
        "function_declaration" => {
            Head::of(node, name, if is_test(name) { Definition::Test } else { Definition::Function })
        }
        "method_declaration" => {
            let receiver =
                node.child_by_field_name("receiver").map_or("", |receiver| base(seen.of(receiver)));
            let name = if receiver.is_empty() { name.to_owned() } else { format!("{receiver}.{name}") };
            Head::of(node, &name, Definition::Method)
        }
        "type_declaration" | "const_declaration" | "var_declaration" if is_of_the_package(node, seen) => {
            let is_single =
                node.named_child_count() == 1 && node.child(1).is_some_and(|next| next.is_named());
            match node.named_child(0).filter(|_| is_single && node.kind() != "var_declaration") {
                Some(one) => Reading::Wraps(one),
                None => Reading::Holds(node),
            }
        }
        "var_spec_list" => Reading::Holds(node),
        "type_spec" | "type_alias" => Reading::Defines(Head {
            name: name.to_owned(),
            sort: Definition::Type,
            body: node.child_by_field_name("type"),
            inside: None,
        }),
        "const_spec" | "var_spec" if name != "_" => Reading::Defines(Head {
            name: name.to_owned(),
            sort: Definition::Constant,
            body: node.child_by_field_name("value"),
            inside: None,
        }),
        _ => Reading::Passes,
    }
}

/// Tells a declaration of the package from one in the body of a function whose head was cut off: `gofmt` indents those.
fn is_of_the_package(node: Node<'_>, seen: &Seen<'_>) -> bool {
    if node.start_position().column != 0 {
        return false;
    }
    // The first line may have lost its indentation to the cut. It is trusted if the rest is not indented more than a block would be.
    let rest = seen.text.get(node.end_byte()..).unwrap_or_default();
    let next = rest.lines().skip(1).find(|line| !line.trim().is_empty());
    node.start_byte() > 0 || next.is_none_or(|line| !line.starts_with(['\t', ' ']))
}

fn is_test(name: &str) -> bool {
    ["Test", "Benchmark", "Fuzz"].iter().any(|prefix| {
        name.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(|next: char| next.is_lowercase()))
    })
}

/// The type of a receiver: `(s *Server[T])` is `Server`.
fn base(receiver: &str) -> &str {
    let inner = receiver.trim_matches(['(', ')']).split('[').next().unwrap_or_default().trim_end();
    inner.rsplit([' ', '*', '\t']).next().unwrap_or_default()
}
