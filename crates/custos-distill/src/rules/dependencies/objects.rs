//! Manifests in JSON: `package.json`, `composer.json`.

use super::{Entry, entry, is_version};

/// Keys of `package.json` whose value looks like a version without being a package's.
const NOT_PACKAGES: [&str; 20] = [
    "version",
    "node",
    "npm",
    "pnpm",
    "yarn",
    "vscode",
    "name",
    "main",
    "module",
    "types",
    "license",
    "packageManager",
    "type",
    "description",
    "lockfileVersion",
    "browserslist",
    "$schema",
    "author",
    "engine",
    "typescript-version",
];

/// Reads the packages of `package.json`.
pub(super) fn package_json(text: &str) -> Vec<Entry> {
    read(
        text,
        &["dependencies", "peerDependencies", "optionalDependencies", "overrides", "resolutions", "catalog"],
        &["devDependencies"],
        |key| !NOT_PACKAGES.contains(&key),
    )
}

/// Reads the packages of `composer.json`.
pub(super) fn composer_json(text: &str) -> Vec<Entry> {
    read(text, &["require"], &["require-dev"], |key| key.contains('/'))
}

/// Reads `"key": "value"` by lines; `None` as section means that the fragment begins inside of something.
fn read(text: &str, normal: &[&str], dev: &[&str], may_be: impl Fn(&str) -> bool) -> Vec<Entry> {
    let mut section: Option<Option<bool>> = None;
    let mut found = Vec::new();
    for line in text.lines() {
        let mut rest = line.trim();
        // `"dependencies": { "a": "1", "b": "2" }` may stand on one line.
        while let Some((key, after)) = quoted(rest) {
            let Some(value) = after.trim_start().strip_prefix(':').map(str::trim_start) else { break };
            if let Some(inside) = value.strip_prefix('{') {
                let is_section = normal.contains(&key) || dev.contains(&key);
                section = Some(is_section.then_some(dev.contains(&key)));
                rest = inside.trim_start();
                continue;
            }
            let Some((version, behind)) = quoted(value) else { break };
            let takes = match section {
                None => is_version(version) && may_be(key),
                Some(None) => false,
                Some(Some(_)) => may_be(key),
            };
            if takes {
                found.push(entry(key, version, section.flatten().unwrap_or(false)));
            }
            rest = behind.trim_start().trim_start_matches(',').trim_start();
            if rest.starts_with('}') {
                section = Some(None);
            }
        }
        if rest.starts_with('}') {
            section = if section.is_none() { None } else { Some(None) };
        }
    }
    found
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('"')?;
    let end = inner.find('"')?;
    Some((&inner[..end], &inner[end + 1..]))
}
