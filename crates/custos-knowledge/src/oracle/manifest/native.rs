//! C and C++: Autotools, CMake, Meson, Bazel, qmake, Conan, vcpkg.

use serde_json::Value;

use super::super::findings::{Origin, Purpose, Topic};
use super::super::foreign;
use super::super::notes::{Ecosystem, Notes, Page};
use super::super::purpose::is_one_word;
use super::super::walk::{extension_of, folder_of};
use super::json::Manifest;
use super::quoted::{call, first, texts};

/// The most programs of one build file of Meson; for each, its tests are looked through.
const MOST_PROGRAMS: usize = 200;

/// Reads `configure.ac`: that it is there is what matters.
pub(super) fn autoconf(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::Autotools, page);
}

/// Reads `Makefile.am`: its programs, and whether it has tests, which are run from where the configuration is.
pub(super) fn automake(page: &Page<'_>, notes: &mut Notes) {
    let configuration = page.tree.nearest(page.folder(), &["configure.ac", "configure.in"]);
    let root = configuration.as_ref().map_or(page.folder(), |(path, _)| folder_of(path));
    let mut is_tested = false;
    for (number, line) in page.lines() {
        let Some((variable, value)) = line.split_once('=') else { continue };
        let value = value.trim().trim_end_matches('\\');
        match variable.trim_end_matches('+').trim() {
            "TESTS" if !is_tested => {
                is_tested = true;
                let command = ("make check", None);
                notes.command(Purpose::Test, Origin::Configured, root, command, page.line(number));
            }
            "bin_PROGRAMS" => {
                for name in value.split_whitespace().filter(|name| !name.contains('$')) {
                    notes.entry(page.path, &format!("program {name}"), page.line(number));
                }
            }
            _ => {}
        }
    }
}

/// Reads `CMakeLists.txt`.
pub(super) fn cmake(page: &Page<'_>, notes: &mut Notes) {
    notes.ecosystem(Ecosystem::CMake, page);
    let lines: Vec<&str> = page.text.lines().map(str::trim).collect();
    for (number, line) in page.lines() {
        let source = page.line(number);
        // The arguments may begin on the next line.
        let next = lines.get(number).copied().filter(|_| line.ends_with('(')).unwrap_or_default();
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
            let name = word(if rest.is_empty() { next } else { rest });
            notes.depends(Ecosystem::Native, &name.to_lowercase(), None, source);
        } else if let Some(rest) = arguments("add_executable") {
            // A name that is computed says nothing, and programs of tests are many.
            let name = word(if rest.is_empty() { next } else { rest });
            if !name.is_empty() && !name.contains('$') && !name.to_lowercase().contains("test") {
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
        if let Some(version) = line.split("meson_version").nth(1).and_then(first) {
            notes.version("Meson", version, page.line(number));
        }
    }
    for (at, call) in page.text.match_indices("executable(").take(MOST_PROGRAMS) {
        let name = first(foreign::head(&page.text[at + call.len()..], 256));
        let before = &page.text[..at];
        if let Some(name) = name.filter(|name| !name.contains("test"))
            && before.lines().next_back().is_none_or(|line| !line.contains('#'))
            && !is_for_tests(before, page.text)
        {
            notes.entry(page.path, &format!("program {name}"), page.at(at));
        }
    }
}

/// Tells whether what is made after this text is made for a test: in the brackets of one, or under a name that one is given.
fn is_for_tests(before: &str, text: &str) -> bool {
    const TESTS: [&str; 2] = ["test(", "benchmark("];
    let statement = tail(before, 1024);
    let opened = TESTS.iter().filter_map(|call| statement.rfind(call)).max();
    let inside = opened.is_some_and(|at| {
        let since = &statement[at..];
        since.matches('(').count() > since.matches(')').count()
    });
    let name = before.trim_end().strip_suffix('=').map(str::trim_end);
    let name = name.and_then(|name| name.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next());
    let given = |name: &str| {
        text.lines().any(|line| {
            TESTS.iter().any(|call| line.trim_start().starts_with(call))
                && line.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
        })
    };
    inside || name.filter(|name| !name.is_empty()).is_some_and(given)
}

/// The end of a text, cut between characters.
fn tail(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
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
