//! The name that a line declares, in the languages that are known.
//!
//! No grammar is asked: a declaration is a line that begins like one. What only looks so, such as a use of `struct widget` as a type, is told
//! apart by what follows the name.

/// How a language declares: the words before types, and those before functions.
const DECLARATIONS: &[(&str, &[&str], &[&str])] = &[
    ("C", &["struct", "enum", "union"], &[]),
    ("C#", &["class", "interface", "enum", "record", "struct"], &[]),
    ("C++", &["class", "struct", "enum", "namespace"], &[]),
    ("Dart", &["class", "enum", "mixin"], &[]),
    ("Elixir", &["defmodule"], &["def"]),
    ("Go", &["type"], &["func"]),
    ("Java", &["class", "interface", "enum", "record"], &[]),
    ("JavaScript", &["class"], &["function"]),
    ("Kotlin", &["class", "interface", "object"], &["fun"]),
    ("PHP", &["class", "interface", "trait", "enum"], &["function"]),
    ("Protocol Buffers", &["message", "service", "enum"], &["rpc"]),
    ("Python", &["class"], &["def"]),
    ("Ruby", &["class", "module"], &["def"]),
    ("Rust", &["struct", "enum", "trait", "type", "union"], &["fn"]),
    ("Scala", &["class", "trait", "object"], &["def"]),
    ("Swift", &["class", "struct", "enum", "protocol", "actor"], &["func"]),
    ("TypeScript", &["class", "interface", "type", "enum"], &["function"]),
];

/// Words that may stand before a declaration.
const MODIFIERS: &[&str] = &[
    "abstract",
    "actual",
    "annotation",
    "async",
    "const",
    "data",
    "declare",
    "default",
    "enum",
    "expect",
    "export",
    "extern",
    "fileprivate",
    "final",
    "indirect",
    "inline",
    "inner",
    "internal",
    "open",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "sealed",
    "static",
    "suspend",
    "typedef",
    "unsafe",
    "value",
    "virtual",
];

/// Names that a framework makes everybody declare.
const BOILERPLATE: &[(&str, &str)] = &[("Python", "Migration")];

/// Languages whose annotations begin with `@` and may stand on the same line.
const ANNOTATED: &[&str] = &["Dart", "Java", "JavaScript", "Kotlin", "Scala", "Swift", "TypeScript"];

/// Reads the lines of one file.
#[derive(Default)]
pub(super) struct Declarations {
    /// How many brackets are open inside of `type ( … )`, if it is in one.
    group: Option<usize>,
}

impl Declarations {
    /// The name that the next line declares, and whether it is a type's.
    pub(super) fn of<'a>(&mut self, language: &str, line: &'a str) -> Option<(&'a str, bool)> {
        if language == "Go" {
            if let Some(open) = self.group {
                return self.in_group(open, line);
            }
            if line.starts_with("type (") {
                self.group = Some(0);
                return None;
            }
        }
        let found = declared(language, line)?;
        (!BOILERPLATE.contains(&(language, found.0))).then_some(found)
    }

    fn in_group<'a>(&mut self, open: usize, line: &'a str) -> Option<(&'a str, bool)> {
        let code = line.split("//").next().unwrap_or_default();
        let (opened, closed) = (code.matches(['{', '(']).count(), code.matches(['}', ')']).count());
        // The bracket that closes more than was opened is the group's own.
        self.group = (open + opened).checked_sub(closed);
        identifier(code).filter(|_| open == 0).map(|(name, _)| (name, true))
    }
}

fn declared<'a>(language: &str, line: &'a str) -> Option<(&'a str, bool)> {
    let (_, types, functions) = DECLARATIONS.iter().find(|(known, ..)| *known == language)?;
    let mut rest = line;
    let mut is_exported = false;
    for _ in 0..8 {
        rest = without_annotation(language, rest)?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_type = types.contains(&word);
        // Kotlin has interfaces of one function.
        let is_introduction = word == "fun" && after.trim_start().starts_with("interface ");
        if (is_type || functions.contains(&word)) && !is_introduction {
            return named(after, language).map(|name| (name, is_type));
        }
        if !MODIFIERS.contains(&word) && !is_introduction && !rest.starts_with('@') {
            return None;
        }
        is_exported |= word == "export";
        if word == "const" && is_exported && !after.trim_start().starts_with("enum ") {
            return function_in(after).map(|name| (name, false));
        }
        // `pub(crate)` and the like.
        rest =
            after.strip_prefix('(').and_then(|inner| inner.split_once(')')).map_or(after, |(_, rest)| rest);
        rest = rest.trim_start();
    }
    None
}

/// Passes by what is said of a declaration on its line: `@Serializable`, `[Serializable]`, `#[derive(Debug)]`. Nothing where that does not end.
fn without_annotation<'a>(language: &str, line: &'a str) -> Option<&'a str> {
    let mut rest = line;
    for _ in 0..8 {
        let after = match language {
            // To declare one, Java has `@interface`.
            "Java" if rest.starts_with("@interface ") => return Some(&rest[1..]),
            language if rest.starts_with('@') && ANNOTATED.contains(&language) => {
                let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
                let after = rest[1..].trim_start_matches(name);
                if after.starts_with('(') { behind_brackets(after)? } else { after }
            }
            "C#" if rest.starts_with('[') => behind_brackets(rest)?,
            "PHP" | "Rust" if rest.starts_with("#[") => behind_brackets(&rest[1..])?,
            _ => return Some(rest),
        };
        rest = after.trim_start();
    }
    Some(rest)
}

/// What follows the brackets that a text begins with; what stands in quotes opens and closes none.
fn behind_brackets(text: &str) -> Option<&str> {
    let mut open = 0_usize;
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(mark), _) => quote = Some(mark).filter(|mark| *mark != byte),
            (None, b'"') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => open += 1,
            (None, b')' | b']' | b'}') => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(&text[at + 1..]);
                }
            }
            _ => {}
        }
    }
    None
}

/// The name of a constant that is a function: `Warehouse = () => …`.
fn function_in(after: &str) -> Option<&str> {
    const STARTS: &[&str] =
        &["async ", "function", "forwardRef(", "memo(", "React.forwardRef(", "React.memo("];
    let (name, rest) = identifier(after.trim_start())?;
    // In a type that stands before it there may be arrows.
    let at = rest.match_indices('=').map(|(at, _)| at).find(|at| !rest[at + 1..].starts_with('>'))?;
    let value = rest[at + 1..].trim_start();
    let is_open = value.starts_with('(') && behind_brackets(value).is_none();
    (value.contains("=>") || is_open || STARTS.iter().any(|start| value.starts_with(start))).then_some(name)
}

/// The identifier after the word that declares.
fn named<'a>(after: &'a str, language: &str) -> Option<&'a str> {
    let mut rest = after.strip_prefix([' ', '\t', '*'])?.trim_start();
    // Go puts the receiver between `func` and the name.
    if language == "Go" && rest.starts_with('(') {
        rest = rest.split_once(')')?.1.trim_start();
    }
    // `class << self`, `enum class Colour`, `def self.find`.
    rest = rest.strip_prefix("class ").or_else(|| rest.strip_prefix("self.")).unwrap_or(rest);
    let (mut name, mut rest) = identifier(rest)?;
    if matches!(language, "C" | "C++") {
        (name, rest) = defined(name, rest)?;
    }
    // The name of what it is in comes first: `class Harbor::Pilot`.
    let joint = match language {
        "Ruby" => "::",
        "Elixir" => ".",
        _ => return Some(name),
    };
    while let Some(inner) = rest.strip_prefix(joint).and_then(identifier) {
        (name, rest) = inner;
    }
    Some(name)
}

/// The name that C defines here. What is followed by anything but its body is a use of it, or the promise of a body elsewhere; attributes and
/// macros may come first, and in C++ the name of what it is in.
fn defined<'a>(name: &'a str, rest: &'a str) -> Option<(&'a str, &'a str)> {
    let (mut name, mut rest) = (name, rest);
    for _ in 0..8 {
        let after = rest.trim_start();
        if let Some(inner) = after.strip_prefix("::") {
            (name, rest) = identifier(inner)?;
        } else if after.starts_with('(') {
            (name, rest) = identifier(behind_brackets(after)?.trim_start())?;
        } else if after.is_empty() || after.starts_with(['{', ':', '/']) || after.starts_with("final") {
            return Some((name, after));
        } else if !name.contains(char::is_lowercase) {
            (name, rest) = identifier(after)?;
        } else {
            return None;
        }
    }
    None
}

/// The identifier that a text begins with, and what follows.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (end <= 80 && name.starts_with(|c: char| c.is_alphabetic() || c == '_')).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::Declarations;

    #[rstest]
    #[case("Rust", "pub(crate) struct Order<T> {", Some(("Order", true)))]
    #[case("Rust", "pub async unsafe fn pay(&self)", Some(("pay", false)))]
    #[case("Rust", "#[derive(Debug)] struct Berth;", Some(("Berth", true)))]
    #[case("Rust", "// struct of arrays", None)]
    #[case("Rust", "structure()", None)]
    #[case("Go", "func (o *Order) Pay() error {", Some(("Pay", false)))]
    #[case("TypeScript", "export default class Cart extends Base {", Some(("Cart", true)))]
    #[case("TypeScript", "@Injectable({ scope: X }) export class Cart {", Some(("Cart", true)))]
    #[case("TypeScript", "export const enum Colour {", Some(("Colour", true)))]
    #[case("TypeScript", "export const Warehouse = () => {", Some(("Warehouse", false)))]
    #[case("TypeScript", "export const Warehouse: React.FC<Props> = ({ a }) => {", Some(("Warehouse", false)))]
    #[case("TypeScript", "export const load: (x: number) => void = async (", Some(("load", false)))]
    #[case("TypeScript", "export const Shelf = forwardRef((props, ref) => {", Some(("Shelf", false)))]
    #[case("TypeScript", "export const LIMIT = (1 + 2) * 3;", None)]
    #[case("TypeScript", "const handle = () => {", None)]
    #[case("Ruby", "def self.find_by(x)", Some(("find_by", false)))]
    #[case("Ruby", "class Harbor::Pilot < Base", Some(("Pilot", true)))]
    #[case("Elixir", "defmodule Harbor.Pilot do", Some(("Pilot", true)))]
    #[case("C++", "enum class Colour : int {", Some(("Colour", true)))]
    #[case("C++", "class HARBOR_API Crane final : public Base {", Some(("Crane", true)))]
    #[case("C++", "class Crane;", None)]
    #[case("C", "struct widget {", Some(("widget", true)))]
    #[case("C", "typedef struct widget {", Some(("widget", true)))]
    #[case("C", "struct widget", Some(("widget", true)))]
    #[case("C", "struct __attribute__((packed)) widget {", Some(("widget", true)))]
    #[case("C", "static struct widget *f(int x)", None)]
    #[case("C", "struct widget w = { 0 };", None)]
    #[case("C", "typedef struct widget widget_t;", None)]
    #[case("Kotlin", "data class Invoice(", Some(("Invoice", true)))]
    #[case("Kotlin", "@Serializable data class Invoice(", Some(("Invoice", true)))]
    #[case("Kotlin", "fun interface Winch {", Some(("Winch", true)))]
    #[case("Kotlin", "enum class Colour {", Some(("Colour", true)))]
    #[case("Kotlin", "fun haul() {", Some(("haul", false)))]
    #[case("Swift", "@MainActor final class Dock {", Some(("Dock", true)))]
    #[case("Swift", "@available(iOS 16, *) public struct Dock {", Some(("Dock", true)))]
    #[case("Swift", "@main", None)]
    #[case("C#", "[Serializable] public class Dock", Some(("Dock", true)))]
    #[case("C#", "[Route(\"a]b\")] [ApiController] public sealed class Dock", Some(("Dock", true)))]
    #[case("Java", "@Entity @Table(name = \"docks\") public class Dock {", Some(("Dock", true)))]
    #[case("Java", "public @interface Moored {", Some(("Moored", true)))]
    #[case("PHP", "#[ORM\\Entity] final class Dock", Some(("Dock", true)))]
    #[case("Python", "class", None)]
    #[case("Python", "class Migration(migrations.Migration):", None)]
    #[case("Markdown", "class Order", None)]
    fn a_declaration_is_a_line_that_begins_like_one(
        #[case] language: &str,
        #[case] line: &str,
        #[case] found: Option<(&str, bool)>,
    ) {
        assert_eq!(Declarations::default().of(language, line), found);
    }

    #[test]
    fn types_of_go_may_be_declared_in_a_group() {
        let source = "type (\n// Berth is (one\nBerth struct {\nLength int\nMoor func(x int) error\n}\n\nTide = int\n)\nvar x = 1\ntype Quay struct{}\n";
        let mut declarations = Declarations::default();
        let found: Vec<&str> =
            source.lines().filter_map(|line| declarations.of("Go", line)).map(|(name, _)| name).collect();
        assert_eq!(found, ["Berth", "Tide", "Quay"]);
    }
}
