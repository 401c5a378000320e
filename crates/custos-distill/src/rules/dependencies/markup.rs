//! Manifests in XML: `pom.xml`, projects of .NET.

use super::{Entry, entry, is_version};

/// Reads the dependencies, plugins and versions of `pom.xml`. A version by itself, without what it is of, gives nothing.
pub(super) fn pom(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let (mut group, mut artifact, mut version, mut scope) = ("", "", "", "");
    let mut flush = |group: &str, artifact: &str, version: &str, scope: &str| {
        if !artifact.is_empty() {
            let name = if group.is_empty() { artifact.to_owned() } else { format!("{group}:{artifact}") };
            found.push(entry(&name, version, matches!(scope, "test" | "provided")));
        }
    };
    let mut properties = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("</dependency>")
            || line.starts_with("</plugin>")
            || line.starts_with("</parent>")
            || line.starts_with("<exclusions>")
        {
            flush(group, artifact, version, scope);
            (group, artifact, version, scope) = ("", "", "", "");
            continue;
        }
        let Some((tag, value)) = element(line) else { continue };
        match tag {
            "groupId" => {
                if !artifact.is_empty() {
                    flush(group, artifact, version, scope);
                    (artifact, version, scope) = ("", "", "");
                }
                group = value;
            }
            "artifactId" => artifact = value,
            "version" => version = value,
            "scope" => scope = value,
            _ if tag.ends_with(".version") && is_version(value) => {
                properties.push(entry(tag.strip_suffix(".version").unwrap_or(tag), value, false));
            }
            _ => {}
        }
    }
    if !version.is_empty() || !group.is_empty() {
        flush(group, artifact, version, scope);
    }
    found.extend(properties);
    found
}

fn element(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('<')?;
    let (tag, rest) = rest.split_once('>')?;
    let (value, end) = rest.split_once("</")?;
    end.starts_with(tag).then(|| (tag, value.trim()))
}

/// Reads the packages of a project of .NET, or of its list of versions.
pub(super) fn project(text: &str) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    let mut is_open = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("<PackageReference")
            || line.starts_with("<PackageVersion")
            || line.starts_with("<package ")
        {
            let Some(name) = attribute(line, "Include")
                .or_else(|| attribute(line, "Update"))
                .or_else(|| attribute(line, "id"))
            else {
                continue;
            };
            let version =
                attribute(line, "Version").or_else(|| attribute(line, "version")).unwrap_or_default();
            found.push(entry(name, version, line.contains("PrivateAssets=\"all\"")));
            is_open = !line.ends_with("/>");
        } else if let Some(("Version", value)) = element(line).filter(|_| is_open)
            && let Some(last) = found.last_mut()
        {
            value.clone_into(&mut last.version);
        } else if line.starts_with("</PackageReference") {
            is_open = false;
        }
    }
    found
}

fn attribute<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let mut rest = line;
    loop {
        let at = rest.find(name)?;
        let after = &rest[at + name.len()..];
        if let Some(value) = after.strip_prefix("=\"")
            && rest[..at].ends_with(' ')
        {
            return value.split('"').next();
        }
        rest = after;
    }
}
