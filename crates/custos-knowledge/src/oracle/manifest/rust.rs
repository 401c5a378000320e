//! Rust: `Cargo.toml`, Cargo's settings, the toolchain, nextest.

use toml_edit::Item;

use super::super::findings::{Origin, Purpose, Topic};
use super::super::notes::{Ecosystem, Notes, Page};
use super::super::purpose;
use super::super::walk::{folder_of, join};
use super::toml::{Manifest, texts, version};

/// Tables of dependencies, anywhere in a manifest.
const DEPENDENCIES: &[&[&str]] =
    &[&["workspace", "dependencies"], &["dependencies"], &["dev-dependencies"], &["build-dependencies"]];

/// Reads `Cargo.toml`.
pub(super) fn cargo(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    notes.ecosystem(Ecosystem::Rust, page);
    if manifest.item(&["workspace", "members"]).is_some() {
        notes.pattern(Topic::Monorepo, "Cargo workspace", None, manifest.source(&["workspace"]));
    }
    for table in [["package"].as_slice(), &["workspace", "package"]] {
        let found = |key| {
            let keys = [table, &[key]].concat();
            manifest.text(&keys).map(|text| (text, manifest.source(&keys)))
        };
        if let Some((version, source)) = found("rust-version") {
            notes.version("Rust", &format!("at least {version}"), source);
        }
        if let Some((edition, source)) = found("edition") {
            notes.version("Rust edition", edition, source);
        }
        if let Some((licence, source)) = found("license") {
            notes.licence(licence, source);
        }
        if let Some((text, source)) = found("description") {
            notes.about(page.folder(), text, source);
        }
    }
    for table in DEPENDENCIES {
        for (name, item) in manifest.entries(table) {
            let source = manifest.source(&[*table, &[name]].concat());
            // A dependency may be renamed; its own name is what is known.
            let package = item.as_table_like().and_then(|table| table.get("package")?.as_str());
            notes.depends(Ecosystem::Rust, package.unwrap_or(name), version(item), source);
        }
    }
    programs(page, &manifest, notes);
    for table in [["lints"].as_slice(), &["workspace", "lints"]] {
        lints(&manifest, table, notes);
    }
    Ok(())
}

fn programs(page: &Page<'_>, manifest: &Manifest<'_, '_>, notes: &mut Notes) {
    let Some(Item::ArrayOfTables(programs)) = manifest.item(&["bin"]) else { return };
    for program in programs {
        let name = program.get("name").and_then(Item::as_str).unwrap_or_default();
        let Some(path) = program.get("path").and_then(Item::as_str) else { continue };
        let source = program.span().map_or_else(|| page.source(), |span| page.at(span.start));
        notes.entry(&join(page.folder(), path), &format!("program {name}"), source);
    }
}

fn lints(manifest: &Manifest<'_, '_>, table: &[&str], notes: &mut Notes) {
    let level = |item: &Item| {
        let text = item.as_str().or_else(|| item.as_table_like()?.get("level")?.as_str())?;
        Some(text.to_owned())
    };
    for (tool, name, what) in [
        ("rust", "unsafe_code", "`unsafe` code is refused"),
        ("rust", "missing_docs", "public items are documented"),
        ("clippy", "pedantic", "Clippy's pedantic lints are on"),
        ("clippy", "unwrap_used", "`unwrap` is linted against"),
    ] {
        let keys = [table, &[tool, name]].concat();
        if let Some(level) = manifest.item(&keys).and_then(level).filter(|level| level != "allow") {
            notes.pattern(Topic::Strictness, what, Some(&level), manifest.source(&keys));
        }
    }
}

/// Reads Cargo's settings: its aliases are commands that the project has named, for the folder that the settings are in and those below.
pub(super) fn cargo_config(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    let folder = folder_of(page.folder());
    for (name, item) in manifest.entries(&["alias"]) {
        let runs = item.as_str().map_or_else(|| texts(item).join(" "), str::to_owned);
        let runs = format!("cargo {runs}");
        if let Some(purpose) = purpose::of_name(name).or_else(|| purpose::of_command(&runs)) {
            let source = manifest.source(&["alias", name]);
            let command = format!("cargo {name}");
            notes.command(purpose, Origin::Named, folder, (&command, Some(&runs)), source);
        }
    }
    Ok(())
}

/// Reads nextest's settings: whoever has them runs the tests with it.
pub(super) fn nextest(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let folder = page.folder().trim_end_matches(".config").trim_end_matches('/');
    notes.command(Purpose::Test, Origin::Configured, folder, ("cargo nextest run", None), page.source());
    notes.pattern(Topic::Testing, "cargo-nextest", None, page.source());
    Manifest::read(page).map(drop)
}

/// Reads the toolchain that is pinned.
pub(super) fn toolchain(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    if page.text.contains('[') {
        let manifest = Manifest::read(page)?;
        if let Some(channel) = manifest.text(&["toolchain", "channel"]) {
            notes.version("Rust toolchain", channel, manifest.source(&["toolchain", "channel"]));
        }
    } else {
        notes.version("Rust toolchain", page.text.trim(), page.source());
    }
    Ok(())
}
