//! C and C++: CMake, Meson, Bazel, qmake, Conan, vcpkg.

use serde_json::Value;

use super::super::findings::{Origin, Purpose, Topic};
use super::super::notes::{Ecosystem, Notes, Page};
use super::super::purpose::is_one_word;
use super::super::walk::extension_of;
use super::json::Manifest;
use super::quoted::{call, first, texts};

/// Reads `CMakeLists.txt`.
pub(super) fn cmake(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::CMake, page);
    for (number, line) in page.lines() {
        let source = page.line(number);
        // Commands of CMake are read in any case; their arguments keep theirs, and the lengths agree.
        let lower = line.to_ascii_lowercase();
        let arguments = |name: &str| {
            call(&lower, name).map(|rest| line.get(line.len() - rest.len()..).unwrap_or_default())
        };
        if let Some(rest) = arguments("cmake_minimum_required") {
            let version = word_after(rest, "VERSION").unwrap_or_default();
            notes.version(
                "CMake",
                &format!("at least {}", version.split("...").next().unwrap_or(version)),
                source,
            );
        } else if let Some(rest) = arguments("find_package").or_else(|| arguments("fetchcontent_declare")) {
            notes.depends(Ecosystem::Native, &word(rest).to_lowercase(), None, source);
        } else if let Some(rest) = arguments("add_executable") {
            // A name that is computed says nothing, and programs of tests are many.
            let name = word(rest);
            if !name.contains('$') && !name.to_lowercase().contains("test") {
                notes.entry(page.path, &format!("program {name}"), source);
            }
        } else if let Some(rest) = arguments("set") {
            for (variable, language) in [("CMAKE_CXX_STANDARD", "C++"), ("CMAKE_C_STANDARD", "C")] {
                if word(rest) == variable {
                    notes.version(language, word_after(rest, variable).unwrap_or_default(), source.clone());
                }
            }
        } else if arguments("enable_testing").is_some() || lower.starts_with("include(ctest") {
            notes.pattern(Topic::Testing, "CTest", None, source);
        } else if let Some(text) = line.split("DESCRIPTION").nth(1).and_then(first) {
            notes.about(page.folder(), text, source);
        }
    }
}

/// The first word of arguments.
fn word(arguments: &str) -> &str {
    arguments.split([' ', ')', '\t', '"']).find(|word| !word.is_empty()).unwrap_or_default()
}

fn word_after<'a>(arguments: &'a str, key: &str) -> Option<&'a str> {
    arguments.split_once(key).map(|(_, rest)| word(rest))
}

/// Reads `CMakePresets.json`: each preset is a command that the project has named.
pub(super) fn presets(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    for (list, purpose, command) in [
        ("configurePresets", Purpose::Build, "cmake --preset"),
        ("buildPresets", Purpose::Build, "cmake --build --preset"),
        ("testPresets", Purpose::Test, "ctest --preset"),
    ] {
        for preset in manifest.value(list).and_then(Value::as_array).into_iter().flatten() {
            let hidden = preset.get("hidden").and_then(Value::as_bool).unwrap_or(false);
            if let Some(name) =
                preset.get("name").and_then(Value::as_str).filter(|name| !hidden && is_one_word(name))
            {
                let command = format!("{command} {name}");
                notes.command(
                    purpose,
                    Origin::Named,
                    page.folder(),
                    (&command, None),
                    manifest.source(&[list]),
                );
            }
        }
    }
    Ok(())
}

/// Reads `meson.build`.
pub(super) fn meson(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Meson, page);
    for (number, line) in page.lines() {
        if let Some(name) = line.split("dependency(").nth(1).and_then(first) {
            notes.depends(Ecosystem::Native, &name.to_lowercase(), None, page.line(number));
        }
        if let Some(name) =
            line.split("executable(").nth(1).and_then(first).filter(|name| !name.contains("test"))
        {
            notes.entry(page.path, &format!("program {name}"), page.line(number));
        }
        if let Some(version) = line.split("meson_version").nth(1).and_then(first) {
            notes.version("Meson", version, page.line(number));
        }
    }
}

/// Reads `MODULE.bazel` and marks a project of Bazel.
pub(super) fn bazel(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Bazel, page);
    for (number, line) in page.lines() {
        let Some(rest) = call(line, "bazel_dep") else { continue };
        let mut quoted = texts(rest);
        if let Some(name) = quoted.next() {
            notes.depends(Ecosystem::Native, &name.to_lowercase(), quoted.next(), page.line(number));
        }
    }
}

/// Reads a project of qmake: only Qt has those, so other files with this ending say nothing.
pub(super) fn qmake(page: &Page<'_>, notes: &mut Notes) {
    let modules = page.lines().find_map(|(number, line)| {
        Some((number, line.strip_prefix("QT")?.trim_start().strip_prefix("+=")?.trim()))
    });
    if let Some((number, modules)) = modules {
        notes.framework(Topic::Framework, "Qt", Some(modules), page.line(number));
        notes.manager("qmake", None, page.source());
    }
}

/// Reads `conanfile.txt`, and what plainly stands in `conanfile.py`.
pub(super) fn conan(page: &Page<'_>, notes: &mut Notes) {
    let program = extension_of(page.path) == "py";
    let mut section = "";
    for (number, line) in page.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let references: Vec<&str> = match (program, section) {
            (true, _) if line.contains("requires") => texts(line).collect(),
            (false, "[requires]" | "[test_requires]" | "[tool_requires]") => vec![line],
            _ => continue,
        };
        for (name, version) in references.iter().filter_map(|reference| reference.split_once('/')) {
            let version = version.split('@').next();
            notes.depends(Ecosystem::Native, &name.to_lowercase(), version, page.line(number));
        }
    }
}

/// Reads `vcpkg.json`.
pub(super) fn vcpkg(page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
    let manifest = Manifest::read(page)?;
    if let Some(text) = manifest.text("description") {
        notes.about(page.folder(), text, manifest.source(&["description"]));
    }
    for dependency in manifest.value("dependencies").and_then(Value::as_array).into_iter().flatten() {
        let name = dependency.as_str().or_else(|| dependency.get("name")?.as_str());
        let version = dependency.get("version>=").and_then(Value::as_str);
        if let Some(name) = name {
            notes.depends(Ecosystem::Native, name, version, manifest.source(&["dependencies"]));
        }
    }
    Ok(())
}
