//! The head of a definition in the lines of a text.

use super::{
    Line,
    dialect::{Dialect, Functions},
    is_attribute,
};
use crate::{definition::Definition, outline::Place};

/// A head that was found.
pub(super) struct Head {
    pub name: String,
    pub sort: Definition,
    /// How many lines it takes.
    pub lines: usize,
    /// Whether it belongs to the type, not to an instance of it.
    pub is_static: bool,
    /// Whether there is no body.
    pub ends_there: bool,
}

/// How many lines the parameters of a function may take.
const LONGEST: usize = 12;

/// Reads the head that begins in a line, if one does.
pub(super) fn read(
    dialect: &Dialect,
    lines: &[Line<'_>],
    number: usize,
    outer: Option<&Place>,
) -> Option<Head> {
    let first = lines[number].text.trim_start();
    if let Some(name) = told_test(first) {
        return Some(Head { name, sort: Definition::Test, lines: 1, is_static: true, ends_there: false });
    }
    let in_type = outer.is_some_and(|outer| matches!(outer.sort, Definition::Type | Definition::Trait));
    // What stands in the parentheses of a table is its body.
    let (text, taken) =
        if dialect.ends_with_semicolon { (first.to_owned(), 1) } else { joined(lines, number) };
    let text = text.as_str();
    let (rest, modified) = after_modifiers(dialect, text);
    let found = match dialect
        .words
        .iter()
        .find_map(|(word, sort)| after_word(dialect, rest, word).map(|rest| (rest, *sort)))
    {
        Some((after, sort)) => named(dialect, after, sort, outer.is_some()),
        None => bare_function(dialect, rest, modified, in_type, lines.get(number + taken)),
    };
    let (name, mut sort, is_static) = found?;
    // `CREATE` is what makes a definition of a table; `ALTER TABLE` is none.
    if dialect.ends_with_semicolon && modified == 0 {
        return None;
    }
    if sort == Definition::Function && (in_type || (outer.is_some() && dialect.member_joint.is_some())) {
        sort = Definition::Method;
    }
    if matches!(sort, Definition::Function | Definition::Method) && is_test(&name, lines, number) {
        sort = Definition::Test;
    }
    let ends_there = text.ends_with(';') && !text.contains('{')
        || sort == Definition::Constant && !text.ends_with(['{', '(', '[', '\\']);
    Some(Head { name, sort, lines: taken, is_static, ends_there })
}

/// A test that is a call with a string: `it "works" do`, `test("works") {`.
fn told_test(line: &str) -> Option<String> {
    let words = ["it", "test", "describe", "context", "specify", "RSpec.describe", "@test", "scenario"];
    let rest =
        words.iter().find_map(|word| line.strip_prefix(word).filter(|rest| rest.starts_with([' ', '('])))?;
    let rest = rest.trim_start_matches([' ', '(']);
    let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let (name, after) = rest[1..].split_once(quote)?;
    let opens = after.ends_with(['{', '|']) || after.ends_with(" do") || after.ends_with("=>");
    (opens && !name.is_empty()).then(|| name.to_owned())
}

/// The line, and those after it as long as its parentheses are open.
fn joined(lines: &[Line<'_>], number: usize) -> (String, usize) {
    let mut text = String::new();
    let mut depth = 0_i32;
    for (taken, line) in lines[number..].iter().take(LONGEST).enumerate() {
        if taken > 0 {
            text.push(' ');
        }
        text.push_str(line.text.trim());
        depth += i32::try_from(line.text.matches('(').count()).unwrap_or(0);
        depth -= i32::try_from(line.text.matches(')').count()).unwrap_or(0);
        if depth <= 0 {
            return (text, taken + 1);
        }
    }
    (lines[number].text.trim().to_owned(), 1)
}

fn after_modifiers<'t>(dialect: &Dialect, text: &'t str) -> (&'t str, usize) {
    let mut rest = text;
    let mut count = 0;
    while let Some((word, after)) = rest.split_once(' ') {
        // `pub(crate)`, `private[this]`
        let bare = word.split(['(', '[']).next().unwrap_or_default();
        let is_one = |modifier: &&str| {
            if dialect.ignores_case { modifier.eq_ignore_ascii_case(bare) } else { **modifier == *bare }
        };
        if bare.is_empty() || !dialect.modifiers.iter().any(is_one) {
            break;
        }
        rest = after.trim_start();
        count += 1;
    }
    (rest, count)
}

fn after_word<'t>(dialect: &Dialect, text: &'t str, word: &str) -> Option<&'t str> {
    let start = text.get(..word.len())?;
    let is_word = if dialect.ignores_case { start.eq_ignore_ascii_case(word) } else { start == word };
    let rest = &text[word.len()..];
    (is_word && rest.starts_with([' ', '<', '('])).then(|| rest.trim_start())
}

/// The name after a word that defines.
fn named(
    dialect: &Dialect,
    after: &str,
    sort: Definition,
    is_inside: bool,
) -> Option<(String, Definition, bool)> {
    // Type parameters before the name are Kotlin's, a receiver in parentheses is Go's.
    let (after, owner) = match after.as_bytes().first()? {
        b'<' => (after.split_once('>')?.1.trim_start(), None),
        b'(' => {
            let (receiver, after) = after[1..].split_once(')')?;
            let base = receiver.split('[').next()?.rsplit([' ', '*']).next()?;
            (after.trim_start(), Some(base))
        }
        b'&' => (&after[1..], None),
        _ => (after, None),
    };
    if let Some(quoted) = after.strip_prefix('`') {
        return quoted.split_once('`').map(|(name, _)| (name.to_owned(), sort, false));
    }
    let length = length_of_name(after, sort);
    let (name, rest) = after.split_at(length);
    let (name, rest) = tidied(dialect, name, rest);
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || !may_follow(rest, sort) {
        return None;
    }
    let is_static = name.starts_with("self.");
    let name = name.strip_prefix("self.").unwrap_or(&name).to_owned();
    match owner {
        Some(owner) => Some((format!("{owner}.{name}"), Definition::Method, is_static)),
        None => Some((name, sort, is_static || !is_inside)),
    }
}

/// How far a name reaches, with the names before it that it is qualified with.
fn length_of_name(text: &str, sort: Definition) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let is_part = match character {
            '_' | '$' => true,
            '.' | '"' | '[' | ']' => sort != Definition::Constant,
            // One alone begins what the name is a kind of.
            ':' if text[at..].starts_with("::") => characters.next().is_some(),
            character => character.is_alphanumeric(),
        };
        if !is_part {
            return at;
        }
    }
    text.len()
}

/// Takes quotes and what is no part of a name off it.
fn tidied<'t>(dialect: &Dialect, name: &str, rest: &'t str) -> (String, &'t str) {
    if dialect.ends_with_semicolon {
        return (name.replace(['"', '[', ']'], ""), rest);
    }
    let end = name.find(['"', '[', ']']).unwrap_or(name.len());
    let name = name[..end].trim_end_matches([':', '.']);
    // `def ready?`, `def name=(value)`
    match rest.chars().next() {
        Some(mark @ ('?' | '!')) if dialect.member_joint.is_some() => (format!("{name}{mark}"), &rest[1..]),
        _ => (name.to_owned(), rest),
    }
}

/// Tells whether a head can go on like this after the name.
fn may_follow(rest: &str, sort: Definition) -> bool {
    let rest = rest.trim_start();
    let word = rest.split([' ', '(', '{', '<']).next().unwrap_or_default();
    match sort {
        Definition::Function | Definition::Method => {
            rest.is_empty()
                || rest.starts_with(['(', '<', '[', ':', '=', '{', ';'])
                || matches!(word, "is" | "as" | "before" | "after" | "BEFORE" | "AFTER" | "AS")
        }
        Definition::Constant => true,
        _ => {
            const WORDS: [&str; 16] = [
                "extends",
                "implements",
                "where",
                "with",
                "final",
                "private",
                "internal",
                "permits",
                "derives",
                "AS",
                "as",
                "struct",
                "interface",
                "func",
                "map",
                "protected",
            ];
            rest.is_empty()
                || rest.starts_with(['{', '(', '<', ':', ';', '=', '[', '*'])
                || WORDS.contains(&word)
        }
    }
}

/// A function of a language that has no word for one.
fn bare_function(
    dialect: &Dialect,
    text: &str,
    modified: usize,
    in_type: bool,
    next: Option<&Line<'_>>,
) -> Option<(String, Definition, bool)> {
    const NEVER: [&str; 16] = [
        "if", "for", "while", "switch", "return", "else", "do", "case", "new", "throw", "delete", "using",
        "lock", "foreach", "catch", "await",
    ];
    let (before, after) = text.split_once('(')?;
    let is_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | ':' | '~');
    let start = before
        .rfind(|character: char| !is_name(character))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let (kind, name) = before.split_at(start);
    let first = kind.split_whitespace().next().unwrap_or(name);
    let opens = text.ends_with('{')
        || text.ends_with('}')
        || next.is_some_and(|next| next.text.trim_start().starts_with('{'));
    if name.is_empty()
        || name.ends_with(':')
        || NEVER.contains(&first)
        || NEVER.contains(&name)
        || kind.contains(['=', '"', '.', '#'])
    {
        return None;
    }
    let (function, sort) =
        (Definition::Function, if in_type { Definition::Method } else { Definition::Function });
    match dialect.functions {
        Functions::None => None,
        Functions::Shell => {
            let is_head = kind.is_empty() && after.trim_start().starts_with(')') && opens;
            is_head.then(|| (name.to_owned(), function, true))
        }
        Functions::AfterType => {
            let is_constructor = in_type && kind.is_empty();
            let has_type = !kind.trim().is_empty() || name.contains("::");
            let sort = if name.contains("::") { Definition::Method } else { sort };
            (opens && (has_type || is_constructor) && after.contains(')'))
                .then(|| (name.to_owned(), sort, true))
        }
        Functions::AfterModifier => {
            let is_head =
                modified > 0 && (opens || text.ends_with(';') || text.contains("=>")) && !name.contains(':');
            is_head.then(|| (name.to_owned(), Definition::Method, true))
        }
    }
}

/// Tells whether a function is a test by its name or by the attributes before it.
fn is_test(name: &str, lines: &[Line<'_>], number: usize) -> bool {
    let own = name
        .strip_prefix("test")
        .is_some_and(|rest| rest.starts_with(|next: char| next.is_uppercase() || next == '_'));
    let attributes = lines[..number]
        .iter()
        .rev()
        .map(|line| line.text.trim_start())
        .take_while(|text| is_attribute(text))
        .take(4);
    let here = std::iter::once(lines[number].text.trim_start());
    own || attributes.chain(here).any(|text| {
        let word =
            text.trim_start_matches(['@', '[', '#']).split(['(', ']', ' ', ',']).next().unwrap_or_default();
        is_attribute(text)
            && matches!(
                word,
                "Test" | "Fact" | "Theory" | "TestMethod" | "TestCase" | "ParameterizedTest" | "test"
            )
    })
}
