//! Packages that an edit of a manifest added, took away, or moved to another version.
//!
//! An edit shows a fragment, cut anywhere: no manifest can be parsed as a whole. So both sides are read by lines for what names a package
//! and its version, as far as the fragment shows the section it stands in, and then compared; order and form do not matter.
//! Lock files follow from manifests, and give nothing.

mod lists;
mod markup;
mod objects;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

/// A package, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    /// Its name, as the manifest writes it.
    pub(crate) name: String,
    /// The version that was asked for; none where it was not there.
    pub(crate) from: Option<String>,
    /// The version that is asked for now; none where it is gone, or any will do.
    pub(crate) to: Option<String>,
    /// Whether it is for development only.
    pub(crate) dev: bool,
}

/// A package of one side. A version that is not written is `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    version: String,
    dev: bool,
}

/// How a manifest is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    PackageJson,
    ComposerJson,
    Toml,
    Requirements,
    GoMod,
    Pom,
    Gradle,
    Gemfile,
    Project,
    Pubspec,
    Mix,
}

/// Manifests larger than this are generated.
const LARGEST: usize = 512 * 1024;

/// Tells which packages an edit of a manifest concerns, in the order of the new text, those that are gone at the end.
pub(crate) fn dependencies(path: &str, before: &str, after: &str) -> Vec<Package> {
    let Some(form) = form(path) else { return Vec::new() };
    if before.len() > LARGEST || after.len() > LARGEST || before == after {
        return Vec::new();
    }
    let dev_file = is_for_development(path);
    let (old, new) = (entries(form, before, dev_file), entries(form, after, dev_file));
    let was: HashMap<&str, &Entry> = old.iter().rev().map(|entry| (entry.name.as_str(), entry)).collect();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut found = Vec::new();
    for entry in &new {
        let was = was.get(entry.name.as_str());
        if !seen.insert(&entry.name) || was.is_some_and(|was| was.version == entry.version) {
            continue;
        }
        found.push(Package {
            name: entry.name.clone(),
            from: was.map(|was| was.version.clone()),
            to: Some(entry.version.clone()),
            dev: entry.dev,
        });
    }
    for entry in old.iter().filter(|entry| seen.insert(&entry.name)) {
        found.push(Package {
            name: entry.name.clone(),
            from: Some(entry.version.clone()),
            to: None,
            dev: entry.dev,
        });
    }
    found
}

/// Tells whether a file names the packages of a project.
pub(crate) fn is_manifest(path: &str) -> bool {
    form(path).is_some()
}

/// Tells whether a file is written by a package manager.
pub(crate) fn is_lock_file(path: &str) -> bool {
    matches!(
        file_name(path),
        "package-lock.json"
            | "npm-shrinkwrap.json"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "bun.lock"
            | "bun.lockb"
            | "deno.lock"
            | "Cargo.lock"
            | "poetry.lock"
            | "uv.lock"
            | "pdm.lock"
            | "pixi.lock"
            | "Pipfile.lock"
            | "conda-lock.yml"
            | "Gemfile.lock"
            | "composer.lock"
            | "go.sum"
            | "go.work.sum"
            | "mix.lock"
            | "pubspec.lock"
            | "packages.lock.json"
            | "gradle.lockfile"
            | "flake.lock"
            | "Podfile.lock"
            | "Package.resolved"
            | ".terraform.lock.hcl"
            | "Cartfile.resolved"
            | "MODULE.bazel.lock"
            | "Chart.lock"
            | "project.assets.json"
    )
}

/// Names the packages that a manifest shows.
pub(super) fn names(path: &str, text: &str) -> Vec<String> {
    match form(path) {
        Some(form) if text.len() <= LARGEST => {
            entries(form, text, false).into_iter().map(|entry| entry.name).collect()
        }
        _ => Vec::new(),
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn form(path: &str) -> Option<Form> {
    let name = file_name(path);
    Some(match name {
        "package.json" => Form::PackageJson,
        "composer.json" => Form::ComposerJson,
        "Cargo.toml" | "pyproject.toml" | "Pipfile" | "libs.versions.toml" => Form::Toml,
        "go.mod" => Form::GoMod,
        "pom.xml" => Form::Pom,
        "build.gradle" | "build.gradle.kts" | "settings.gradle" | "settings.gradle.kts" => Form::Gradle,
        "Gemfile" | "gems.rb" => Form::Gemfile,
        "pubspec.yaml" => Form::Pubspec,
        "mix.exs" => Form::Mix,
        "Directory.Packages.props" | "packages.config" => Form::Project,
        _ if name.ends_with(".csproj") || name.ends_with(".fsproj") || name.ends_with(".vbproj") => {
            Form::Project
        }
        _ if name.ends_with(".gemspec") => Form::Gemfile,
        _ if is_requirements(path, name) => Form::Requirements,
        _ => return None,
    })
}

fn is_requirements(path: &str, name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".in")) else { return false };
    stem.contains("requirements") || stem == "constraints" || path.contains("requirements/")
}

fn is_for_development(path: &str) -> bool {
    let name = file_name(path);
    ["dev", "test", "lint", "docs"].iter().any(|word| name.contains(word)) && name.contains("requirements")
        || path.contains("requirements/")
            && ["dev.", "test.", "tests.", "lint.", "docs."].iter().any(|word| name.starts_with(word))
}

fn entries(form: Form, text: &str, dev_file: bool) -> Vec<Entry> {
    let mut found = match form {
        Form::PackageJson => objects::package_json(text),
        Form::ComposerJson => objects::composer_json(text),
        Form::Toml => tables::read(text),
        Form::Requirements => lists::requirements(text),
        Form::GoMod => lists::go_mod(text),
        Form::Gradle => lists::gradle(text),
        Form::Gemfile => lists::gemfile(text),
        Form::Pubspec => lists::pubspec(text),
        Form::Mix => lists::mix(text),
        Form::Pom => markup::pom(text),
        Form::Project => markup::project(text),
    };
    if dev_file {
        for entry in &mut found {
            entry.dev = true;
        }
    }
    found
}

fn entry(name: &str, version: &str, dev: bool) -> Entry {
    let version = version.trim();
    Entry {
        name: name.trim().to_owned(),
        version: if version.is_empty() { "*" } else { version }.to_owned(),
        dev,
    }
}

/// Tells whether a value can be a version or stands for one: `^1.2`, `>=3,<4`, `workspace:*`, `latest`.
fn is_version(value: &str) -> bool {
    let value = value.trim();
    let bare = value.trim_start_matches(['^', '~', '=', '>', '<', '!', 'v', ' ']);
    bare.starts_with(|c: char| c.is_ascii_digit())
        || matches!(value, "*" | "latest" | "next" | "canary" | "x")
        || [
            "workspace:",
            "npm:",
            "file:",
            "link:",
            "git+",
            "github:",
            "catalog:",
            "patch:",
            "portal:",
            "git:",
            "jsr:",
        ]
        .iter()
        .any(|mark| value.starts_with(mark))
}

/// Splits `name[extra]>=1.2; marker` of Python into its name and version.
fn requirement(text: &str) -> Option<(&str, &str)> {
    let text = text.split(" #").next()?.split(';').next()?.trim();
    let end =
        text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if !name.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let mut rest = rest.trim_start();
    if let Some(extras) = rest.strip_prefix('[') {
        rest = extras.split_once(']')?.1.trim_start();
    }
    let rest = rest.trim_start_matches('(').trim_end_matches(')');
    if rest.is_empty() {
        return Some((name, ""));
    }
    if !rest.starts_with(['=', '>', '<', '~', '!', '@']) {
        return None;
    }
    let version = rest.strip_prefix("===").or_else(|| rest.strip_prefix("==")).unwrap_or(rest);
    Some((name, version.split(" --hash").next().unwrap_or(version).trim_end_matches('\\').trim()))
}
