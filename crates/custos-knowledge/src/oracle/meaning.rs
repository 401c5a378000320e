//! What folders with well-known names are for.

/// How a meaning ends that only holds where a folder is divided.
pub(super) const DIVIDED: &str = ", one folder each";

/// Sorted by name.
const MEANINGS: &[(&str, &str)] = &[
    (".cargo", "settings of Cargo"),
    (".changeset", "changes that wait for a release"),
    (".ci", "what continuous integration runs"),
    (".circleci", "continuous integration"),
    (".config", "settings of tools"),
    (".devcontainer", "container for development"),
    (".github", "GitHub: workflows and templates"),
    (".husky", "git hooks"),
    ("__mocks__", "stand-ins for tests"),
    ("__tests__", "tests"),
    ("api", "programming interface"),
    ("app", "the application"),
    ("apps", "applications, one folder each"),
    ("assets", "images, fonts and other static files"),
    ("bench", "benchmarks"),
    ("benches", "benchmarks"),
    ("benchmarks", "benchmarks"),
    ("bin", "programs and scripts"),
    ("charts", "Helm charts"),
    ("ci", "continuous integration"),
    ("cmake", "modules of CMake"),
    ("cmd", "programs, one folder each"),
    ("components", "components of the user interface"),
    ("config", "configuration"),
    ("configs", "configuration"),
    ("contrib", "contributions beside the core"),
    ("controllers", "controllers"),
    ("crates", "Rust crates, one folder each"),
    ("data", "data"),
    ("database", "database: schema, migrations, seeds"),
    ("db", "database: schema, migrations, seeds"),
    ("deploy", "deployment"),
    ("deployment", "deployment"),
    ("deployments", "deployment"),
    ("doc", "documentation"),
    ("docker", "container images"),
    ("docs", "documentation"),
    ("e2e", "end-to-end tests"),
    ("examples", "examples"),
    ("features", "features, one folder each"),
    ("fixtures", "fixtures of tests"),
    ("fuzz", "fuzz targets"),
    ("hooks", "hooks"),
    ("i18n", "translations"),
    ("include", "public headers"),
    ("infra", "infrastructure"),
    ("infrastructure", "infrastructure"),
    ("integration", "integration tests"),
    ("internal", "packages that are not for others"),
    ("k8s", "Kubernetes manifests"),
    ("kubernetes", "Kubernetes manifests"),
    ("lib", "library code"),
    ("libs", "libraries, one folder each"),
    ("locale", "translations"),
    ("locales", "translations"),
    ("middleware", "middleware"),
    ("migrations", "changes of the database's schema"),
    ("models", "models"),
    ("modules", "modules, one folder each"),
    ("packages", "packages, one folder each"),
    ("pages", "pages of the user interface"),
    ("pkg", "packages that others may import"),
    ("plugins", "plugins"),
    ("proto", "Protocol Buffers"),
    ("protos", "Protocol Buffers"),
    ("public", "files that the web server hands out"),
    ("resources", "resources"),
    ("routes", "routes"),
    ("samples", "examples"),
    ("schemas", "schemas"),
    ("scripts", "scripts for development"),
    ("server", "the server"),
    ("services", "services, one folder each"),
    ("spec", "specs"),
    ("src", "source code"),
    ("static", "static files"),
    ("storage", "stored files"),
    ("styles", "style sheets"),
    ("templates", "templates"),
    ("terraform", "infrastructure in Terraform"),
    ("test", "tests"),
    ("testdata", "data of tests"),
    ("tests", "tests"),
    ("third_party", "other people's code"),
    ("tools", "tools for development"),
    ("types", "types"),
    ("ui", "user interface"),
    ("utils", "small functions"),
    ("vendor", "other people's code"),
    ("views", "views"),
    ("web", "web front end"),
    ("website", "website"),
    ("workflows", "workflows"),
];

/// Names that mean something only to Go; elsewhere they are any folder.
const OF_GO: &[&str] = &["cmd", "internal", "pkg"];

/// Names of folders with tests.
const OF_TESTS: &[&str] = &["__tests__", "e2e", "spec", "specs", "test", "tests"];

/// Names of parts of a program that its tests repeat.
const TESTED: &[&str] = &["components", "controllers", "middleware", "models", "routes", "services", "views"];

/// Names that mean the same below a folder of tests as anywhere.
const OF_ALL: &[&str] = &[
    "__mocks__",
    "__tests__",
    "assets",
    "bench",
    "benches",
    "benchmarks",
    "config",
    "configs",
    "data",
    "docker",
    "e2e",
    "fixtures",
    "fuzz",
    "integration",
    "proto",
    "protos",
    "resources",
    "schemas",
    "scripts",
    "spec",
    "static",
    "templates",
    "test",
    "testdata",
    "tests",
    "utils",
];

/// Tells whether a folder of this name holds tests.
pub(super) fn is_of_tests(name: &str) -> bool {
    OF_TESTS.contains(&name)
}

/// Returns what a folder of this name is usually for below a folder of tests: the models are elsewhere, and their tests are here. Of most
/// names it is open there.
pub(super) fn below_tests(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    if TESTED.contains(&name.as_str()) {
        return Some(format!("tests of {name}"));
    }
    of_name(&name, false).filter(|_| OF_ALL.contains(&name.as_str())).map(str::to_owned)
}

/// Returns what a folder of this name is usually for.
pub(super) fn of_name(name: &str, is_go: bool) -> Option<&'static str> {
    let name = name.to_lowercase();
    if !is_go && OF_GO.contains(&name.as_str()) {
        return None;
    }
    MEANINGS.binary_search_by(|(known, _)| (*known).cmp(&name)).ok().map(|row| MEANINGS[row].1)
}

#[cfg(test)]
mod tests {
    use super::MEANINGS;

    #[test]
    fn names_are_sorted_for_the_search() {
        assert!(MEANINGS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
