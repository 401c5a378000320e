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
mod versions;
mod xml;

use super::ci;
use super::notes::{Notes, Page};
use super::tasks;
use super::walk::{extension_of, folder_of, is_aside, name_of};

use Read::{Parse, Skim};

/// How a page is read.
#[derive(Clone, Copy)]
pub(super) enum Read {
    /// By its grammar, which it may break; an error is the end of a sentence that says where.
    Parse(fn(&Page<'_>, &mut Notes) -> Result<(), String>),
    /// Line by line, for what plainly stands there.
    Skim(fn(&Page<'_>, &mut Notes)),
}

impl Read {
    /// Reads a page.
    pub(super) fn read(self, page: &Page<'_>, notes: &mut Notes) -> Result<(), String> {
        match self {
            Parse(parse) => parse(page, notes),
            Skim(skim) => {
                skim(page, notes);
                Ok(())
            }
        }
    }
}

/// Readers by the file's name.
const BY_NAME: &[(&str, Read)] = &[
    (".java-version", Skim(jvm::version_file)),
    (".node-version", Skim(node::version_file)),
    (".nvmrc", Skim(node::version_file)),
    (".python-version", Skim(python::version_file)),
    (".ruby-version", Skim(ruby::version_file)),
    (".swift-version", Skim(swift::version_file)),
    (".tool-versions", Skim(versions::tools)),
    ("BUILD.bazel", Skim(native::bazel)),
    ("CMakeLists.txt", Skim(native::cmake)),
    ("CMakePresets.json", Parse(native::presets)),
    ("Cargo.toml", Parse(rust::cargo)),
    ("Directory.Build.props", Parse(dotnet::project)),
    ("Directory.Packages.props", Parse(dotnet::project)),
    ("GNUmakefile", Skim(tasks::make)),
    ("Gemfile", Skim(ruby::gemfile)),
    ("Justfile", Skim(tasks::just)),
    ("MODULE.bazel", Skim(native::bazel)),
    ("Makefile", Skim(tasks::make)),
    ("Makefile.am", Skim(native::automake)),
    ("Package.swift", Skim(swift::package)),
    ("Pipfile", Parse(python::pipfile)),
    ("Podfile", Skim(swift::podfile)),
    ("Rakefile", Skim(ruby::rakefile)),
    ("Taskfile.yaml", Parse(tasks::taskfile)),
    ("Taskfile.yml", Parse(tasks::taskfile)),
    ("WORKSPACE", Skim(native::bazel)),
    ("build.gradle", Skim(jvm::gradle)),
    ("build.gradle.kts", Skim(jvm::gradle)),
    ("composer.json", Parse(php::composer)),
    ("conanfile.py", Skim(native::conan)),
    ("conanfile.txt", Skim(native::conan)),
    ("configure.ac", Skim(native::autoconf)),
    ("configure.in", Skim(native::autoconf)),
    ("deno.json", Parse(node::deno)),
    ("deno.jsonc", Parse(node::deno)),
    ("global.json", Parse(dotnet::global)),
    ("go.mod", Skim(go::module)),
    ("justfile", Skim(tasks::just)),
    ("libs.versions.toml", Parse(jvm::catalogue)),
    ("makefile", Skim(tasks::make)),
    ("manage.py", Skim(python::manage)),
    ("meson.build", Skim(native::meson)),
    ("noxfile.py", Skim(python::nox)),
    ("package.json", Parse(node::package)),
    ("pnpm-workspace.yaml", Parse(node::pnpm_workspace)),
    ("pom.xml", Parse(jvm::maven)),
    ("pyproject.toml", Parse(python::pyproject)),
    ("rust-toolchain", Parse(rust::toolchain)),
    ("rust-toolchain.toml", Parse(rust::toolchain)),
    ("settings.gradle", Skim(jvm::settings)),
    ("settings.gradle.kts", Skim(jvm::settings)),
    ("setup.cfg", Skim(python::setup_cfg)),
    ("setup.py", Skim(python::setup_py)),
    ("taskfile.yml", Parse(tasks::taskfile)),
    ("tox.ini", Skim(python::tox)),
    ("tsconfig.json", Parse(node::typescript)),
    ("vcpkg.json", Parse(native::vcpkg)),
];

/// Pipelines of continuous integration. Only those at the root of a repository run.
const PIPELINES: &[(&str, Read)] = &[
    (".buildkite/pipeline.yml", Parse(ci::pipeline)),
    (".circleci/config.yml", Parse(ci::pipeline)),
    (".cirrus.yml", Parse(ci::pipeline)),
    (".drone.yml", Parse(ci::pipeline)),
    (".gitlab-ci.yml", Parse(ci::pipeline)),
    (".travis.yml", Parse(ci::pipeline)),
    (".woodpecker.yml", Parse(ci::pipeline)),
    ("Jenkinsfile", Skim(ci::jenkins)),
    ("azure-pipelines.yml", Parse(ci::pipeline)),
    ("bitbucket-pipelines.yml", Parse(ci::pipeline)),
];

/// Readers by the end of the name.
const BY_EXTENSION: &[(&str, Read)] = &[
    ("csproj", Parse(dotnet::project)),
    ("fsproj", Parse(dotnet::project)),
    ("vbproj", Parse(dotnet::project)),
    ("sln", Skim(dotnet::solution)),
    ("slnx", Skim(dotnet::solution)),
    ("gemspec", Skim(ruby::gemspec)),
    ("pro", Skim(native::qmake)),
];

/// Finds the reader of a file of a repository, which is named as [`Tree::repo_of`] does; most files have none.
///
/// [`Tree::repo_of`]: super::walk::Tree::repo_of
pub(super) fn reader_of(path: &str, repo: &str) -> Option<Read> {
    if is_aside(path) {
        return None;
    }
    let path = path.strip_prefix(repo).unwrap_or(path);
    let name = name_of(path);
    if let Ok(row) = BY_NAME.binary_search_by(|(known, _)| (*known).cmp(name)) {
        return Some(BY_NAME[row].1);
    }
    if let Some((_, read)) = PIPELINES.iter().find(|(known, _)| *known == path) {
        return Some(*read);
    }
    if matches!(name, "config.toml" | "config") && name_of(folder_of(path)) == ".cargo" {
        return Some(Parse(rust::cargo_config));
    }
    if name == "nextest.toml" && path.ends_with(".config/nextest.toml") {
        return Some(Parse(rust::nextest));
    }
    if is_in(path, &[".github/workflows/", ".gitea/workflows/", ".forgejo/workflows/", ".woodpecker/"]) {
        return matches!(extension_of(path), "yml" | "yaml").then_some(Parse(ci::pipeline));
    }
    if is_in(path, &[".ci/", "ci/"]) && matches!(extension_of(path), "" | "sh" | "bash") {
        return Some(Skim(ci::shell));
    }
    let listed = name.starts_with("requirements") || name_of(folder_of(path)) == "requirements";
    if listed && extension_of(name) == "txt" {
        return Some(Skim(python::requirements));
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
