//! JavaScript and TypeScript: `package.json`, Deno, `tsconfig.json`, version files.

use custos_config::yaml;
use serde_json::Value;

use super::super::findings::{Origin, Topic, Unread};
use super::super::notes::{Ecosystem, Notes, Page};
use super::super::packages::{self, Manager};
use super::super::purpose;
use super::super::walk::join;
use super::json::Manifest;

/// Tables of dependencies.
const DEPENDENCIES: &[&str] =
    &["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/// Keys of tools that are configured inside of `package.json`.
const TOOLS: &[(&str, Topic, &str)] = &[
    ("ava", Topic::Testing, "AVA"),
    ("commitlint", Topic::Commits, "commitlint"),
    ("eslintConfig", Topic::Linting, "ESLint"),
    ("husky", Topic::Commits, "husky hooks"),
    ("jest", Topic::Testing, "Jest"),
    ("lint-staged", Topic::Commits, "lint-staged"),
    ("mocha", Topic::Testing, "Mocha"),
    ("nyc", Topic::Testing, "nyc"),
    ("prettier", Topic::Formatting, "Prettier"),
    ("release", Topic::Release, "semantic-release"),
    ("stylelint", Topic::Linting, "Stylelint"),
    ("xo", Topic::Linting, "XO"),
];

/// Reads `package.json`.
pub(super) fn package(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    notes.ecosystem(Ecosystem::Node, page);
    if let Some(text) = manifest.text("description") {
        notes.about(page.folder(), text, manifest.source(&["description"]));
    }
    if let Some(licence) = manifest.text("license") {
        notes.licence(licence, manifest.source(&["license"]));
    }
    for (engine, version) in manifest.texts("engines") {
        let name = if engine == "node" { "Node.js" } else { engine };
        notes.version(name, version, manifest.source(&["engines", engine]));
    }
    let declared = manifest.text("packageManager").and_then(|text| text.split_once('@'));
    if let Some((name, version)) = declared {
        let version = version.split('+').next();
        notes.manager(name, version, manifest.source(&["packageManager"]));
        notes.packages.declare(page.folder(), name);
    }
    let workspaces = manifest.value("workspaces").filter(|value| value.is_array() || value.is_object());
    if let Some(workspaces) = workspaces {
        notes.members(page, packages::members(workspaces));
    }
    let manager = notes.packages.manager(page.tree, page.folder());
    if workspaces.is_some() {
        let known = manager.proven().and_then(|program| program.workspaces);
        let name = known.unwrap_or("workspaces in package.json");
        notes.pattern(Topic::Monorepo, name, None, manifest.source(&["workspaces"]));
    }
    if manifest.text("type") == Some("module") {
        notes.pattern(
            Topic::Strictness,
            "JavaScript is written as ES modules",
            None,
            manifest.source(&["type"]),
        );
    }
    for table in DEPENDENCIES {
        for (name, version) in manifest.texts(table) {
            notes.depends(Ecosystem::Node, name, Some(version), manifest.source(&[table, name]));
        }
    }
    for (key, topic, tool) in TOOLS.iter().filter(|(key, ..)| manifest.value(key).is_some()) {
        notes.pattern(*topic, tool, None, manifest.source(&[key]));
    }
    if let Manager::Open(rivals) = &manager
        && rivals.iter().any(|lock| page.beside(lock))
    {
        let why = format!("it is open which program runs its scripts: {} are beside it", rivals.join(", "));
        notes.unread.push(Unread { file: page.source().file, why });
    }
    // Where nothing is proven npm is usual, and no more than that.
    let runner = manager.proven().map_or(("npm", Origin::Default), |program| (program.word, Origin::Named));
    scripts(page, &manifest, runner, notes);
    entries(page, &manifest, notes);
    Ok(())
}

fn scripts(
    page: &Page<'_>,
    manifest: &Manifest<'_, '_>,
    (runner, origin): (&str, Origin),
    notes: &mut Notes,
) {
    for (name, runs) in manifest.texts("scripts") {
        // What `npm init` writes is no test.
        if runs.contains("no test specified") {
            continue;
        }
        let Some(purpose) = purpose::of_name(name) else { continue };
        let command = match name {
            "test" | "start" if runner != "bun" => format!("{runner} {name}"),
            _ => format!("{runner} run {name}"),
        };
        let source = manifest.source(&["scripts", name]);
        if let Some(file) = started(runs).map(|file| join(page.folder(), file)).filter(|_| name == "start")
            && page.tree.has(&file)
        {
            notes.entry(&file, "program", source.clone());
        }
        notes.command(purpose, origin, page.folder(), (&command, Some(runs)), source);
    }
}

/// The file that a script has Node run.
fn started(runs: &str) -> Option<&str> {
    let mut words = runs.strip_prefix("node ")?.split_whitespace();
    let file = words.find(|word| !word.starts_with('-'))?;
    Some(file.strip_prefix("./").unwrap_or(file))
}

fn entries(page: &Page<'_>, manifest: &Manifest<'_, '_>, notes: &mut Notes) {
    let mut enter = |path: &str, what: &str, keys: &[&str]| {
        let path = path.strip_prefix("./").unwrap_or(path);
        notes.entry(&join(page.folder(), path), what, manifest.source(keys));
    };
    for key in ["main", "module", "browser"] {
        if let Some(path) = manifest.text(key) {
            enter(path, "library", &[key]);
        }
    }
    match manifest.value("bin") {
        Some(Value::String(path)) => enter(path, "program", &["bin"]),
        Some(Value::Object(_)) => {
            for (name, path) in manifest.texts("bin") {
                enter(path, &format!("program {name}"), &["bin", name]);
            }
        }
        _ => {}
    }
    match manifest.value("exports") {
        Some(Value::String(path)) => enter(path, "library", &["exports"]),
        Some(Value::Object(exports)) => {
            for (name, target) in exports {
                if let Some(path) = target_of(target, 0) {
                    enter(path, &format!("export {name}"), &["exports", name]);
                }
            }
        }
        _ => {}
    }
}

/// The file behind an export: conditions may be nested, and the usual ones are asked first.
fn target_of(target: &Value, depth: usize) -> Option<&str> {
    match target {
        Value::String(path) => Some(path),
        Value::Object(conditions) if depth < 4 => ["import", "default", "require", "node"]
            .into_iter()
            .find_map(|condition| target_of(conditions.get(condition)?, depth + 1)),
        _ => None,
    }
}

/// Reads `pnpm-workspace.yaml`, for the packages that it names.
pub(super) fn pnpm_workspace(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let root = yaml::parse(page.text).map_err(|broken| format!("line {}: {}", broken.at.line, broken.why))?;
    if let Some(workspace) = &root {
        notes.members(page, packages::members_of_pnpm(workspace));
    }
    Ok(())
}

/// Reads `deno.json` and `deno.jsonc`.
pub(super) fn deno(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read_commented(page)?;
    notes.ecosystem(Ecosystem::Deno, page);
    for (name, runs) in manifest.texts("tasks") {
        if let Some(purpose) = purpose::of_name(name) {
            let source = manifest.source(&["tasks", name]);
            notes.command(
                purpose,
                Origin::Named,
                page.folder(),
                (&format!("deno task {name}"), Some(runs)),
                source,
            );
        }
    }
    for (name, target) in manifest.texts("imports") {
        let package = target.trim_start_matches("npm:").trim_start_matches("jsr:");
        let (package, version) = package
            .rfind('@')
            .filter(|at| *at > 0)
            .map_or((name, None), |at| (&package[..at], Some(&package[at + 1..])));
        notes.depends(Ecosystem::Node, package, version, manifest.source(&["imports", name]));
    }
    Ok(())
}

/// Reads `tsconfig.json`. To the compiler an empty one is as good as none.
pub(super) fn typescript(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    if page.text.trim().is_empty() {
        return Ok(());
    }
    let manifest = Manifest::read_commented(page)?;
    let options = manifest.value("compilerOptions");
    for (key, what) in
        [("strict", "TypeScript is strict"), ("noUncheckedIndexedAccess", "indexed access may be undefined")]
    {
        if options.and_then(|options| options.get(key)).and_then(Value::as_bool) == Some(true) {
            notes.pattern(Topic::Strictness, what, None, manifest.source(&["compilerOptions", key]));
        }
    }
    Ok(())
}

/// Reads `.nvmrc` and `.node-version`.
pub(super) fn version_file(page: &Page<'_>, notes: &mut Notes) {
    notes.version(
        "Node.js",
        page.text.lines().next().unwrap_or_default().trim_start_matches('v'),
        page.source(),
    );
}
