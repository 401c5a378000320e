//! Manifests in TOML: `Cargo.toml`, `pyproject.toml`, `Pipfile`, Gradle's catalogue of versions.

use super::{Entry, entry, is_version, requirement};

/// What the section that a line stands in holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    /// The fragment begins inside of one.
    Unknown,
    /// Packages, one to a line.
    Packages { dev: bool },
    /// One package, named by the section.
    One,
    /// Lists of packages: `dev = ["pytest>=8"]`.
    Lists { dev: bool },
    /// Something else; lists of packages may still stand in it by name.
    Other,
}

/// Keys that have versions and are no packages.
const NOT_PACKAGES: [&str; 16] = [
    "version",
    "edition",
    "rust-version",
    "resolver",
    "python",
    "requires-python",
    "name",
    "description",
    "license",
    "target-version",
    "python_version",
    "minversion",
    "line-length",
    "msrv",
    "channel",
    "readme",
];

/// Reads the packages of a manifest in TOML.
pub(super) fn read(text: &str) -> Vec<Entry> {
    let mut section = Section::Unknown;
    let mut one: Option<Entry> = None;
    let mut list: Option<bool> = None;
    let mut found = Vec::new();
    for line in text.lines() {
        let line = without_comment(line).trim();
        if let Some(dev) = list {
            items(line, dev, true, &mut found);
            if line.ends_with(']') || line == "]," {
                list = None;
            }
            continue;
        }
        if let Some(header) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .filter(|rest| !rest.contains('"') || rest.contains('.'))
        {
            found.extend(one.take());
            (section, one) = sort(header.trim_matches(['[', ']']));
            continue;
        }
        if line.starts_with(['"', '\'']) && !line.contains(" = ") {
            let takes_plain = matches!(section, Section::Lists { .. });
            let dev = matches!(section, Section::Lists { dev: true });
            items(line, dev, takes_plain, &mut found);
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim().trim_matches(['"', '\'']), value.trim());
        match section {
            Section::One => {
                if let Some(one) = &mut one
                    && let Some(version) = version_of(key, value)
                {
                    one.version = version;
                }
            }
            Section::Lists { dev } => {
                let dev = dev || is_dev(key);
                open_list(value, dev, &mut list, &mut found);
            }
            Section::Packages { dev } => package(key, value, dev, true, &mut found),
            Section::Unknown | Section::Other => {
                if matches!(key, "dependencies" | "requires" | "dev-dependencies" | "dev")
                    && value.starts_with('[')
                {
                    open_list(value, key.contains("dev"), &mut list, &mut found);
                } else if section == Section::Unknown && !NOT_PACKAGES.contains(&key) {
                    package(key, value, false, false, &mut found);
                }
            }
        }
    }
    found.extend(one);
    found
}

fn open_list(value: &str, dev: bool, list: &mut Option<bool>, found: &mut Vec<Entry>) {
    let Some(inside) = value.strip_prefix('[') else { return };
    items(inside, dev, true, found);
    if !inside.trim_end().ends_with(']') {
        *list = Some(dev);
    }
}

/// Says what a section holds, by its name.
fn sort(header: &str) -> (Section, Option<Entry>) {
    let header = header.trim();
    if matches!(header, "versions" | "plugins" | "packages") {
        return (Section::Packages { dev: false }, None);
    }
    if header == "dev-packages" {
        return (Section::Packages { dev: true }, None);
    }
    if matches!(header, "dependency-groups" | "project.optional-dependencies") {
        return (Section::Lists { dev: false }, None);
    }
    let dev = header.contains("dev") || header.contains("group.test") || header.contains("group.lint");
    if let Some(last) = header.rsplit('.').next()
        && matches!(last, "dependencies" | "dev-dependencies" | "build-dependencies" | "pypi-dependencies")
    {
        return (Section::Packages { dev }, None);
    }
    if let Some((before, name)) = header.rsplit_once('.')
        && (before.ends_with("dependencies"))
    {
        return (Section::One, Some(entry(name.trim_matches(['"', '\'']), "", dev)));
    }
    (Section::Other, None)
}

fn is_dev(group: &str) -> bool {
    ["dev", "test", "tests", "lint", "docs", "typing"].contains(&group)
}

/// Reads `key = value` as a package; where the section is not known, only what is written like one.
fn package(key: &str, value: &str, dev: bool, is_certain: bool, found: &mut Vec<Entry>) {
    if key == "python" || key.is_empty() {
        return;
    }
    if let Some((name, field)) = key.split_once('.') {
        if let Some(version) = version_of(field, value).filter(|_| is_certain || field == "workspace") {
            found.push(entry(name, &version, dev));
        }
        return;
    }
    if let Some(table) = value.strip_prefix('{') {
        let mut version = None;
        for (name, field) in fields(table) {
            // A version says more than a place, and a place more than nothing.
            if name == "version" || version.is_none() {
                version = version_of(name, field).or(version);
            }
        }
        if is_certain || version.is_some() {
            found.push(entry(key, &version.unwrap_or_default(), dev));
        }
        return;
    }
    let Some(version) = string(value) else { return };
    if is_certain || (is_version(version) && (version.contains('.') || version.len() <= 4)) {
        found.push(entry(key, version, dev));
    }
}

/// The fields of an inline table; commas inside of brackets and quotes belong to a value.
fn fields(table: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    let (mut depth, mut in_quotes) = (0_i32, false);
    for (at, c) in table.char_indices() {
        match c {
            '"' | '\'' => in_quotes = !in_quotes,
            '[' | '{' if !in_quotes => depth += 1,
            ']' | '}' if !in_quotes => depth -= 1,
            _ => {}
        }
        if (c == ',' && depth == 0 && !in_quotes) || (c == '}' && depth < 0) {
            if let Some((key, value)) = table[from..at].split_once('=') {
                found.push((key.trim(), value.trim()));
            }
            from = at + 1;
        }
    }
    if let Some((key, value)) = table.get(from..).and_then(|rest| rest.split_once('=')) {
        found.push((key.trim(), value.trim()));
    }
    found
}

/// What a field says about the version of its package.
fn version_of(field: &str, value: &str) -> Option<String> {
    match field {
        "version" | "version.ref" => string(value).map(str::to_owned),
        "workspace" if value.starts_with("true") => Some("workspace".to_owned()),
        "path" => string(value).map(|path| format!("path {path}")),
        "git" => string(value).map(|_| "git".to_owned()),
        "tag" | "rev" | "branch" => string(value).map(|place| format!("git {place}")),
        _ => None,
    }
}

fn string(value: &str) -> Option<&str> {
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = &value[1..];
    inner.find(quote).map(|end| &inner[..end])
}

/// Reads requirements in quotes: a line of a list, or a list on one line.
fn items(line: &str, dev: bool, takes_plain: bool, found: &mut Vec<Entry>) {
    let mut rest = line;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..=start];
        let inner = &rest[start + 1..];
        let Some(end) = inner.find(quote) else { return };
        if let Some((name, version)) = requirement(&inner[..end])
            && (takes_plain || !version.is_empty())
        {
            found.push(entry(name, version, dev));
        }
        rest = &inner[end + 1..];
    }
}

fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return &line[..at],
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    line
}
