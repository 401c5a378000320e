//! Texts in quotes on a line of a manifest that is a program: Gradle, Gemfile, Podfile, CMake, Package.swift.
//!
//! Such files are not run and not parsed. A line that plainly says something is taken at its word; one that computes is passed by.

/// Returns the texts in quotes of a line, single or double.
pub(in crate::oracle) fn texts(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let open = rest.find(['"', '\''])?;
        let quote = rest[open..].chars().next()?;
        let inner = &rest[open + 1..];
        let close = inner.find(quote)?;
        rest = &inner[close + 1..];
        Some(&inner[..close])
    })
}

/// Returns the first text in quotes of a line.
pub(in crate::oracle) fn first(line: &str) -> Option<&str> {
    texts(line).next()
}

/// Returns what follows a call's name and its opening bracket or blank: `gem "rails"`, `find_package(Qt6 …)`.
pub(in crate::oracle) fn call<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(name)?;
    let inner = rest.trim_start();
    if let Some(inner) = inner.strip_prefix('(') {
        return Some(inner.trim_start());
    }
    (inner.len() < rest.len()).then_some(inner)
}

/// Returns the value of an assignment: `name = value`, `name value` or `name: value`.
pub(in crate::oracle) fn assigned<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(name)?;
    let value = rest.trim_start().trim_start_matches(['=', ':']).trim_start();
    (value.len() < rest.len()).then_some(value.trim_end_matches([',', ';']).trim_end())
}

/// Takes the quotes off a value, if it has any.
pub(in crate::oracle) fn unquoted(value: &str) -> &str {
    value.trim().trim_matches(['"', '\''])
}
