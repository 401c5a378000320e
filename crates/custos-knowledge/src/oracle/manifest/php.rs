//! PHP: `composer.json`.

use serde_json::Value;

use super::super::findings::{Origin, Purpose};
use super::super::notes::{Ecosystem, Notes, Page};
use super::super::purpose;
use super::super::walk::join;
use super::json::Manifest;

/// Reads `composer.json`.
pub(super) fn composer(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    notes.ecosystem(Ecosystem::Php, page);
    if let Some(text) = manifest.text("description") {
        notes.about(page.folder(), text, manifest.source(&["description"]));
    }
    if let Some(licence) = manifest.text("license") {
        notes.licence(licence, manifest.source(&["license"]));
    }
    for table in ["require", "require-dev"] {
        for (name, version) in manifest.texts(table) {
            let source = manifest.source(&[table, name]);
            match name {
                "php" => notes.version("PHP", version, source),
                _ => notes.depends(Ecosystem::Php, name, Some(version), source),
            }
        }
    }
    let scripts = manifest.value("scripts").and_then(Value::as_object);
    for (name, script) in scripts.into_iter().flatten() {
        let Some(purpose) = purpose::of_name(name) else { continue };
        let list = script
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" && ");
        let runs = script.as_str().unwrap_or(&list);
        let source = manifest.source(&["scripts", name]);
        notes.command(
            purpose,
            Origin::Named,
            page.folder(),
            (&format!("composer {name}"), Some(runs)),
            source,
        );
    }
    for program in
        manifest.value("bin").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        notes.entry(&join(page.folder(), program), "program", manifest.source(&["bin"]));
    }
    phpunit(page, &manifest, notes);
    if page.beside("artisan") {
        for (purpose, command) in [(Purpose::Test, "php artisan test"), (Purpose::Run, "php artisan serve")] {
            let source = super::super::foreign::source(&join(page.folder(), "artisan"), None);
            notes.command(purpose, Origin::Configured, page.folder(), (command, None), source);
        }
    }
    Ok(())
}

/// Notes how PHPUnit is called where it is required and has no settings of its own, nor something that calls it.
fn phpunit(page: &Page<'_>, manifest: &Manifest<'_, '_>, notes: &mut Notes) {
    const ELSEWHERE: &[&str] = &["artisan", "phpunit.dist.xml", "phpunit.xml", "phpunit.xml.dist"];
    let requires = |package: &str| manifest.texts("require-dev").any(|(name, _)| name == package);
    let is_called_elsewhere = requires("pestphp/pest") || ELSEWHERE.iter().any(|file| page.beside(file));
    if requires("phpunit/phpunit") && !is_called_elsewhere {
        let source = manifest.source(&["require-dev", "phpunit/phpunit"]);
        let command = ("vendor/bin/phpunit", None);
        notes.command(Purpose::Test, Origin::Configured, page.folder(), command, source);
    }
}
