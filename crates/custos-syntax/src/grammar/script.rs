//! Definitions of JavaScript and TypeScript.
//!
//! Most functions here are values: of a constant, a property, a field, an export. They are definitions where they have a name that others
//! use; a callback has none.

use tree_sitter::Node;

use super::{Head, Reading, Seen};
use crate::definition::Definition;

pub(super) fn read<'t>(node: Node<'t>, seen: &Seen<'t>) -> Reading<'t> {
    let name = seen.field(node, "name");
    match node.kind() {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            Head::of(node, name, Definition::Function)
        }
        "class_declaration" | "abstract_class_declaration" => Head::of(node, name, Definition::Type),
        "interface_declaration" | "enum_declaration" => {
            leaf(name, Definition::Type, node.child_by_field_name("body"))
        }
        "type_alias_declaration" => leaf(name, Definition::Type, node.child_by_field_name("value")),
        "internal_module" | "module" => Head::of(node, name.trim_matches(['"', '\'']), Definition::Module),
        "method_definition" => method(node, name),
        // Without a body it is a declaration, or a call that only looks like one.
        "method_signature" | "abstract_method_signature" if seen.in_type => {
            leaf(name, Definition::Method, None)
        }
        "public_field_definition" | "pair" => property(node, seen),
        "export_statement" => exported(node),
        "lexical_declaration" | "variable_declaration" if node.named_child_count() == 1 => {
            node.named_child(0).map_or(Reading::Passes, Reading::Wraps)
        }
        "lexical_declaration" | "variable_declaration" | "ambient_declaration" | "object" => {
            Reading::Holds(node)
        }
        "variable_declarator" => variable(node, name, seen),
        "expression_statement" => match node.named_child(0) {
            Some(only)
                if matches!(only.kind(), "assignment_expression" | "call_expression" | "internal_module") =>
            {
                Reading::Wraps(only)
            }
            _ => Reading::Passes,
        },
        "assignment_expression" => assignment(node, seen),
        "call_expression" => call(node, seen),
        "arrow_function" | "function_expression" | "class" => {
            value("default", node, seen).unwrap_or(Reading::Passes)
        }
        _ => Reading::Passes,
    }
}

fn leaf<'t>(name: &str, sort: Definition, body: Option<Node<'t>>) -> Reading<'t> {
    Reading::Defines(Head { name: name.to_owned(), sort, body, inside: None })
}

fn method<'t>(node: Node<'t>, name: &str) -> Reading<'t> {
    // In a text cut from a function, `if (ready) { … }` is where a method could be.
    const NEVER: [&str; 10] =
        ["if", "for", "while", "switch", "catch", "with", "function", "return", "else", "do"];
    if NEVER.contains(&name) { Reading::Passes } else { Head::of(node, name, Definition::Method) }
}

/// A member of a class or an object.
fn property<'t>(node: Node<'t>, seen: &Seen<'t>) -> Reading<'t> {
    let key = if node.kind() == "pair" { "key" } else { "name" };
    let name = seen.field(node, key).trim_matches(['"', '\'']);
    let Some(value) = node.child_by_field_name("value") else { return Reading::Passes };
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => {
            leaf(name, Definition::Method, value.child_by_field_name("body"))
        }
        "object" => Reading::Lends(name.to_owned(), value),
        _ => Reading::Passes,
    }
}

fn exported(node: Node<'_>) -> Reading<'_> {
    let declared = node.child_by_field_name("declaration").or_else(|| node.child_by_field_name("value"));
    declared.map_or(Reading::Passes, Reading::Wraps)
}

fn variable<'t>(node: Node<'t>, name: &str, seen: &Seen<'t>) -> Reading<'t> {
    let Some(given) = node.child_by_field_name("value") else { return Reading::Passes };
    if let Some(reading) = value(name, given, seen) {
        return reading;
    }
    let is_object = given.kind() == "object";
    if is_constant(name) || seen.is_exported {
        return Reading::Defines(Head {
            name: name.to_owned(),
            sort: Definition::Constant,
            body: Some(given),
            inside: Some(given).filter(|_| is_object),
        });
    }
    if is_object { Reading::Lends(name.to_owned(), given) } else { Reading::Passes }
}

/// A function or a class under the name that it is given.
fn value<'t>(name: &str, given: Node<'t>, seen: &Seen<'t>) -> Option<Reading<'t>> {
    match given.kind() {
        "arrow_function" | "function_expression" | "generator_function" => {
            let sort = if seen.in_type { Definition::Method } else { Definition::Function };
            Some(leaf(name, sort, given.child_by_field_name("body")))
        }
        "class" => Some(Head::of(given, name, Definition::Type)),
        // `memo(() => …)`, `asyncHandler(async (request) => …)`: still the function, with something around it.
        "call_expression" => {
            let around = seen.field(given, "function").rsplit('.').next()?.split('<').next()?;
            let inner = callback(given).filter(|_| WRAPPERS.contains(&around))?;
            Some(leaf(name, Definition::Function, inner.child_by_field_name("body")))
        }
        _ => None,
    }
}

/// Functions that give back the function that they are given.
const WRAPPERS: [&str; 14] = [
    "asyncHandler",
    "cache",
    "catchAsync",
    "createAsyncThunk",
    "createSelector",
    "debounce",
    "defineComponent",
    "defineStore",
    "forwardRef",
    "memo",
    "memoize",
    "observer",
    "throttle",
    "useCallback",
];

fn assignment<'t>(node: Node<'t>, seen: &Seen<'t>) -> Reading<'t> {
    let target = seen.field(node, "left");
    let Some(given) = node.child_by_field_name("right") else { return Reading::Passes };
    let name = ["module.exports", "exports", "this", "window", "globalThis"]
        .iter()
        .find_map(|owner| target.strip_prefix(owner).filter(|rest| rest.is_empty() || rest.starts_with('.')))
        .unwrap_or(target);
    let name = name.trim_start_matches('.').replace(".prototype.", ".");
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')) {
        return Reading::Passes;
    }
    if name.is_empty() {
        return match given.kind() {
            "object" => Reading::Holds(given),
            _ => value("default", given, seen).unwrap_or(Reading::Passes),
        };
    }
    let is_own = target.contains('.') || seen.at_top;
    value(&name, given, seen).filter(|_| is_own).unwrap_or(Reading::Passes)
}

/// A test, a group of tests, or a function that is called where it stands.
fn call<'t>(node: Node<'t>, seen: &Seen<'t>) -> Reading<'t> {
    let Some(called) = node.child_by_field_name("function") else { return Reading::Passes };
    if called.kind() == "parenthesized_expression" {
        let body = called.named_child(0).and_then(|inner| inner.child_by_field_name("body"));
        return body.filter(|body| body.kind() == "statement_block").map_or(Reading::Passes, Reading::Holds);
    }
    let word = seen.of(called).split(['.', '(', '`', '<']).next().unwrap_or_default();
    let is_group = matches!(word, "describe" | "suite" | "context" | "fdescribe" | "xdescribe");
    let is_test = is_group
        || matches!(word, "it" | "test" | "specify" | "fit" | "xit")
        || seen.of(called) == "Deno.test";
    let first = node.child_by_field_name("arguments").and_then(|arguments| arguments.named_child(0));
    let Some(told) = first.filter(|first| is_test && matches!(first.kind(), "string" | "template_string"))
    else {
        return Reading::Passes;
    };
    let quoted = seen.of(told);
    let name = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned();
    let body = callback(node).and_then(|callback| callback.child_by_field_name("body"));
    Reading::Defines(Head { name, sort: Definition::Test, body, inside: body.filter(|_| is_group) })
}

/// The first function among the arguments of a call.
fn callback(call: Node<'_>) -> Option<Node<'_>> {
    let arguments = call.child_by_field_name("arguments")?;
    let mut cursor = arguments.walk();
    arguments
        .named_children(&mut cursor)
        .find(|argument| matches!(argument.kind(), "arrow_function" | "function_expression"))
}

fn is_constant(name: &str) -> bool {
    name.len() > 1
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Blanks the casts (`<T>value`) and the type parameters of arrow functions (`<T>(value: T) => …`) in a text of TypeScript without JSX,
/// where TSX would see elements. Offsets stay; none where there are none.
pub(super) fn without_casts(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut blanked: Option<Vec<u8>> = None;
    let mut from = 0;
    while let Some(at) =
        bytes.get(from..).and_then(|rest| rest.iter().position(|byte| *byte == b'<')).map(|at| from + at)
    {
        from = at + 1;
        let before = text[..at].trim_end();
        let is_operand = before.ends_with(['=', '(', ',', '?', ':', '[', '{', '&', '|', '>', ';'])
            || before.ends_with("return")
            || before.ends_with("async")
            || before.ends_with("await");
        if !is_operand {
            continue;
        }
        let Some(end) = closing(bytes, at) else { continue };
        let copy = blanked.get_or_insert_with(|| bytes.to_vec());
        copy[at..=end].fill(b' ');
        from = end + 1;
    }
    String::from_utf8(blanked?).ok()
}

/// The place of the `>` that closes a `<` in the same line.
fn closing(bytes: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in bytes[at..].iter().take(200).enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if bytes[at + offset - 1] != b'=' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + offset);
                }
            }
            b'\n' | b';' | b'/' | b'"' | b'`' => return None,
            _ => {}
        }
    }
    None
}
