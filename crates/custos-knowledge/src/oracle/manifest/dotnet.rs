//! .NET: project files, solutions, `global.json`.

use serde_json::Value;

use super::super::findings::Topic;
use super::super::notes::{Ecosystem, Notes, Page};
use super::json::Manifest;
use super::xml::elements;

/// Settings that make the compiler stricter: the element, its value, what that means.
const STRICT: &[(&str, &str, &str)] = &[
    ("EnforceCodeStyleInBuild", "true", "code style is enforced in the build"),
    ("Nullable", "enable", "nullable reference types are on"),
    ("TreatWarningsAsErrors", "true", "warnings are errors"),
];

/// Reads a project file, or the properties that several share.
pub(super) fn project(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    if !page.text.contains("<Project") {
        return Err("there is no `<Project>` in it".to_owned());
    }
    if page.path.ends_with("proj") {
        notes.ecosystem(Ecosystem::DotNet, page);
    }
    for element in elements(page.text).filter(|element| !element.closes) {
        let source = page.at(element.at);
        match element.name {
            "Project" => {
                if let Some(sdk) = element.attribute("Sdk") {
                    notes.depends(Ecosystem::DotNet, sdk, None, source);
                }
            }
            "TargetFramework" | "TargetFrameworks" => notes.version(".NET", element.text, source),
            "LangVersion" => notes.version("C#", element.text, source),
            "Description" => notes.about(page.folder(), element.text, source),
            "PackageLicenseExpression" => notes.licence(element.text, source),
            "OutputType" if element.text.eq_ignore_ascii_case("exe") => {
                notes.entry(page.path, "program", source);
            }
            "PackageReference" | "PackageVersion" | "FrameworkReference" => {
                if let Some(name) = element.attribute("Include") {
                    notes.depends(Ecosystem::DotNet, name, element.attribute("Version"), source);
                }
            }
            name => {
                let strict = STRICT.iter().find(|(known, value, _)| *known == name && element.text == *value);
                if let Some((.., what)) = strict {
                    notes.pattern(Topic::Strictness, what, None, source);
                }
            }
        }
    }
    Ok(())
}

/// Reads a solution: that it is there is what matters.
pub(super) fn solution(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::DotNet, page);
}

/// Reads `global.json`.
pub(super) fn global(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    if let Some(version) = manifest.value("sdk").and_then(|sdk| sdk.get("version")).and_then(Value::as_str) {
        notes.version(".NET SDK", version, manifest.source(&["sdk", "version"]));
    }
    Ok(())
}
