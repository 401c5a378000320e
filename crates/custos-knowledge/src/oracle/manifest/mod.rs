//! One reader for each kind of file that says what a project is made of and how it is worked on.

mod dotnet;
mod go;
mod json;
mod jvm;
mod native;
mod node;
mod php;
mod python;
pub(super) mod quoted;
mod ruby;
mod rust;
mod swift;
mod toml;
mod xml;

use super::ci;
use super::notes::{Notes, Page};
use super::tasks;
use super::walk::{extension_of, is_aside, name_of};

/// Reads a page; an error is the end of a sentence that says what is wrong with it.
pub(super) type Read = fn(&Page<'_>, &mut Notes) -> Result<(), String>;

/// Readers by the file's name.
const BY_NAME: &[(&str, Read)] = &[
    (".cirrus.yml", ci::pipeline),
    (".drone.yml", ci::pipeline),
    (".gitlab-ci.yml", ci::pipeline),
    (".java-version", jvm::version_file),
    (".node-version", node::version_file),
    (".nvmrc", node::version_file),
    (".python-version", python::version_file),
    (".ruby-version", ruby::version_file),
    (".swift-version", swift::version_file),
    (".travis.yml", ci::pipeline),
    (".woodpecker.yml", ci::pipeline),
    ("BUILD.bazel", native::bazel),
    ("CMakeLists.txt", native::cmake),
    ("CMakePresets.json", native::presets),
    ("Cargo.toml", rust::cargo),
    ("Directory.Build.props", dotnet::project),
    ("Directory.Packages.props", dotnet::project),
    ("GNUmakefile", tasks::make),
    ("Gemfile", ruby::gemfile),
    ("Jenkinsfile", ci::jenkins),
    ("Justfile", tasks::just),
    ("MODULE.bazel", native::bazel),
    ("Makefile", tasks::make),
    ("Package.swift", swift::package),
    ("Pipfile", python::pipfile),
    ("Podfile", swift::podfile),
    ("Rakefile", ruby::rakefile),
    ("Taskfile.yaml", tasks::taskfile),
    ("Taskfile.yml", tasks::taskfile),
    ("WORKSPACE", native::bazel),
    ("azure-pipelines.yml", ci::pipeline),
    ("bitbucket-pipelines.yml", ci::pipeline),
    ("build.gradle", jvm::gradle),
    ("build.gradle.kts", jvm::gradle),
    ("composer.json", php::composer),
    ("conanfile.py", native::conan),
    ("conanfile.txt", native::conan),
    ("deno.json", node::deno),
    ("global.json", dotnet::global),
    ("go.mod", go::module),
    ("justfile", tasks::just),
    ("libs.versions.toml", jvm::catalogue),
    ("makefile", tasks::make),
    ("manage.py", python::manage),
    ("meson.build", native::meson),
    ("noxfile.py", python::nox),
    ("package.json", node::package),
    ("pom.xml", jvm::maven),
    ("pyproject.toml", python::pyproject),
    ("rust-toolchain", rust::toolchain),
    ("rust-toolchain.toml", rust::toolchain),
    ("settings.gradle", jvm::settings),
    ("settings.gradle.kts", jvm::settings),
    ("setup.cfg", python::setup_cfg),
    ("setup.py", python::setup_py),
    ("taskfile.yml", tasks::taskfile),
    ("tox.ini", python::tox),
    ("tsconfig.json", node::typescript),
    ("vcpkg.json", native::vcpkg),
];

/// Readers by the end of the name.
const BY_EXTENSION: &[(&str, Read)] = &[
    ("csproj", dotnet::project),
    ("fsproj", dotnet::project),
    ("vbproj", dotnet::project),
    ("sln", dotnet::solution),
    ("slnx", dotnet::solution),
    ("gemspec", ruby::gemspec),
    ("pro", native::qmake),
];

/// Finds the reader of a file; most files have none.
pub(super) fn reader_of(path: &str) -> Option<Read> {
    if is_aside(path) {
        return None;
    }
    let name = name_of(path);
    if let Ok(row) = BY_NAME.binary_search_by(|(known, _)| (*known).cmp(name)) {
        return Some(BY_NAME[row].1);
    }
    match path {
        ".cargo/config.toml" | ".cargo/config" => return Some(rust::cargo_config),
        ".circleci/config.yml" | ".buildkite/pipeline.yml" => return Some(ci::pipeline),
        _ => {}
    }
    if name == "nextest.toml" && path.ends_with(".config/nextest.toml") {
        return Some(rust::nextest);
    }
    if is_in(path, &[".github/workflows/", ".gitea/workflows/", ".forgejo/workflows/", ".woodpecker/"]) {
        return matches!(extension_of(path), "yml" | "yaml").then_some(ci::pipeline as Read);
    }
    if is_in(path, &[".ci/", "ci/"]) && matches!(extension_of(path), "" | "sh" | "bash") {
        return Some(ci::shell);
    }
    if name.starts_with("requirements") && extension_of(name) == "txt" {
        return Some(python::requirements);
    }
    let extension = extension_of(name);
    BY_EXTENSION.iter().find(|(known, _)| *known == extension).map(|(_, read)| *read)
}

fn is_in(path: &str, folders: &[&str]) -> bool {
    folders.iter().any(|folder| path.strip_prefix(folder).is_some_and(|rest| !rest.contains('/')))
}

#[cfg(test)]
mod tests {
    use super::BY_NAME;

    #[test]
    fn names_are_sorted_for_the_search() {
        assert!(BY_NAME.is_sorted_by(|a, b| a.0 < b.0));
    }
}
