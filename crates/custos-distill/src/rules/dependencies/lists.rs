//! Manifests with one package to a line: requirements, `go.mod`, Gradle, Gemfile, pubspec, mix.

use super::{Entry, entry, is_version, requirement};

/// Reads a file of requirements.
pub(super) fn requirements(text: &str) -> Vec<Entry> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.starts_with(['#', '-']) && !line.contains("://"))
        .filter_map(requirement)
        .map(|(name, version)| entry(name, version, false))
        .collect()
}

/// Reads `go.mod`; what is only needed by others is left out.
pub(super) fn go_mod(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.contains("// indirect")
            || line.contains("=>")
            || line.starts_with("//")
            || line.starts_with("exclude")
        {
            continue;
        }
        let line = line.strip_prefix("require").map_or(line, str::trim_start);
        let mut words = line.split_whitespace();
        if let (Some(module), Some(version)) = (words.next(), words.next())
            && module.contains('.')
            && version.starts_with('v')
            && version[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            found.push(entry(module, version, false));
        }
    }
    found
}

/// Reads a build file of Gradle: `implementation("group:name:1.0")`, `id("plugin") version "1.0"`.
pub(super) fn gradle(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        let word_end = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
        let word = &line[..word_end];
        let dev = word.starts_with("test") || word.starts_with("androidTest");
        let quoted = quoted(line);
        if word == "id" || word == "kotlin" {
            if let [plugin, version, ..] = quoted.as_slice()
                && line.contains("version")
            {
                found.push(entry(plugin, version, false));
            }
            continue;
        }
        let Some(first) = quoted.first() else { continue };
        let parts: Vec<&str> = first.split(':').collect();
        let is_configuration = [
            "implementation",
            "api",
            "compile",
            "runtime",
            "kapt",
            "ksp",
            "classpath",
            "annotation",
            "platform",
            "processor",
            "only",
            "debug",
            "release",
        ]
        .iter()
        .any(|name| line[..word_end].to_ascii_lowercase().contains(name));
        if let [group, name, rest @ ..] = parts.as_slice()
            && is_configuration
            && !group.is_empty()
            && !name.is_empty()
        {
            found.push(entry(&format!("{group}:{name}"), rest.first().copied().unwrap_or_default(), dev));
        }
    }
    found
}

/// Reads a Gemfile or a gemspec.
pub(super) fn gemfile(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut in_dev_group = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("group ") {
            in_dev_group = line.contains(":development") || line.contains(":test");
        } else if line == "end" {
            in_dev_group = false;
        }
        let call = [
            "gem ",
            "gem(",
            "spec.add_dependency",
            "s.add_dependency",
            "spec.add_development_dependency",
            "spec.add_runtime_dependency",
            "s.add_development_dependency",
        ]
        .iter()
        .find(|call| line.starts_with(**call));
        let Some(call) = call else { continue };
        let quoted = quoted(line);
        let Some((name, rest)) = quoted.split_first() else { continue };
        let versions: Vec<&str> = rest.iter().copied().filter(|value| is_version(value)).collect();
        let dev = in_dev_group
            || call.contains("development")
            || line.contains("group: :development")
            || line.contains("group: :test");
        found.push(entry(name, &versions.join(", "), dev));
    }
    found
}

/// Reads `pubspec.yaml`.
pub(super) fn pubspec(text: &str) -> Vec<Entry> {
    let mut section: Option<Option<bool>> = None;
    let mut found = Vec::new();
    for line in text.lines() {
        if !line.starts_with(' ') {
            section = match line.trim_end().trim_end_matches(':') {
                "dependencies" | "dependency_overrides" => Some(Some(false)),
                "dev_dependencies" => Some(Some(true)),
                "" => section,
                _ => Some(None),
            };
            continue;
        }
        let Some((name, version)) = line.trim().split_once(':') else { continue };
        let version = version.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        if section != Some(None) && is_version(version) && !matches!(name, "sdk" | "flutter" | "version") {
            found.push(entry(name, version, section.flatten().unwrap_or(false)));
        }
    }
    found
}

/// Reads the dependencies of `mix.exs`: `{:phoenix, "~> 1.7"}`.
pub(super) fn mix(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        let Some(rest) = line.strip_prefix('[').unwrap_or(line).strip_prefix("{:") else { continue };
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let version = quoted(rest).into_iter().next().filter(|value| is_version(value)).unwrap_or_default();
        let dev = line.contains("only:") && !line.contains(":prod");
        found.push(entry(&rest[..end], version, dev));
    }
    found
}

/// The texts in quotes of a line.
fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..=start];
        let inner = &rest[start + 1..];
        let Some(end) = inner.find(quote) else { break };
        found.push(&inner[..end]);
        rest = &inner[end + 1..];
    }
    found
}
