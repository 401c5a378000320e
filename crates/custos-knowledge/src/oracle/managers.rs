//! Package managers and build systems, by the files that only they write.

use super::findings::Topic;
use super::notes::Notes;
use super::walk::{Tree, extension_of, is_aside, name_of};

/// A manager, and its files: those that prove it best first. `*.x` stands for an ending.
const MANAGERS: &[(&str, &[&str])] = &[
    ("Autotools", &["configure.ac", "configure.in"]),
    ("Bazel", &["MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel"]),
    ("Bun", &["bun.lock", "bun.lockb"]),
    ("Bundler", &["Gemfile.lock", "Gemfile"]),
    ("CMake", &["CMakeLists.txt"]),
    ("Cargo", &["Cargo.lock", "Cargo.toml"]),
    ("CocoaPods", &["Podfile.lock", "Podfile"]),
    ("Composer", &["composer.lock", "composer.json"]),
    ("Conan", &["conan.lock", "conanfile.txt", "conanfile.py"]),
    ("Deno", &["deno.lock", "deno.json", "deno.jsonc"]),
    ("Go modules", &["go.sum", "go.mod"]),
    (
        "Gradle",
        &["gradle.lockfile", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
    ),
    ("Hex", &["mix.lock", "mix.exs"]),
    ("Maven", &["pom.xml"]),
    ("Meson", &["meson.build"]),
    ("Nix", &["flake.lock", "flake.nix"]),
    ("NuGet", &["packages.lock.json", "Directory.Packages.props", "*.csproj", "*.fsproj", "*.vbproj"]),
    ("PDM", &["pdm.lock"]),
    ("Pipenv", &["Pipfile.lock", "Pipfile"]),
    ("Poetry", &["poetry.lock"]),
    ("SwiftPM", &["Package.resolved", "Package.swift"]),
    ("Yarn", &["yarn.lock"]),
    ("conda", &["environment.yml", "environment.yaml"]),
    ("npm", &["package-lock.json", "npm-shrinkwrap.json"]),
    ("pip", &["requirements.txt", "requirements.in", "requirements/base.txt"]),
    ("pnpm", &["pnpm-lock.yaml", "pnpm-workspace.yaml"]),
    ("pub", &["pubspec.lock", "pubspec.yaml"]),
    ("uv", &["uv.lock"]),
    ("vcpkg", &["vcpkg.json", "vcpkg-configuration.json"]),
];

/// Notes the managers of a tree, each with the best proof that is nearest to the root.
pub(super) fn managers(tree: &Tree, notes: &mut Notes) {
    for (manager, files) in MANAGERS {
        let proof = files
            .iter()
            .find_map(|file| tree.files.iter().find(|path| is_named(path, file) && !is_aside(path)));
        if let Some(path) = proof {
            notes.manager(manager, None, super::foreign::source(path, None));
        }
    }
    // What a manifest declares has its own spelling, and the version; it stands for both.
    for finding in notes.stack.iter_mut().filter(|finding| finding.topic == Topic::Manager) {
        if let Some((name, _)) = MANAGERS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&finding.name)) {
            finding.name = (*name).to_owned();
        }
    }
}

fn is_named(path: &str, file: &str) -> bool {
    match file.strip_prefix("*.") {
        Some(extension) => extension_of(path) == extension,
        None if file.contains('/') => {
            path.strip_suffix(file).is_some_and(|above| above.is_empty() || above.ends_with('/'))
        }
        None => name_of(path) == file,
    }
}
