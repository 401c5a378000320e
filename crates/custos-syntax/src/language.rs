//! The language of a file, and whether it holds tests, by its name alone.

/// A language whose definitions are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust.
    Rust,
    /// TypeScript without JSX.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// JavaScript, with or without JSX.
    JavaScript,
    /// Python.
    Python,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C, and headers that may be C++.
    C,
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Kotlin.
    Kotlin,
    /// Swift.
    Swift,
    /// Scala.
    Scala,
    /// A POSIX shell and its relatives.
    Shell,
    /// SQL.
    Sql,
}

/// Tells the language of a file from its name.
pub fn language(path: &str) -> Option<Language> {
    let name = file_name(path);
    let Some((_, extension)) = name.rsplit_once('.') else {
        return match name {
            "Rakefile" | "Gemfile" => Some(Language::Ruby),
            _ => None,
        };
    };
    Some(match extension.to_ascii_lowercase().as_str() {
        "rs" => Language::Rust,
        "ts" | "mts" | "cts" => Language::TypeScript,
        "tsx" => Language::Tsx,
        "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
        "py" | "pyi" => Language::Python,
        "go" => Language::Go,
        "java" => Language::Java,
        "c" | "h" => Language::C,
        "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => Language::Cpp,
        "cs" => Language::CSharp,
        "rb" | "rake" => Language::Ruby,
        "php" => Language::Php,
        "kt" | "kts" => Language::Kotlin,
        "swift" => Language::Swift,
        "scala" | "sc" => Language::Scala,
        "sh" | "bash" | "zsh" | "ksh" | "bats" => Language::Shell,
        "sql" => Language::Sql,
        _ => return None,
    })
}

/// Directories that hold tests by convention, whatever the language.
const TEST_DIRECTORIES: [&str; 7] = ["test", "tests", "__tests__", "spec", "specs", "e2e", "androidTest"];

/// Tells whether a file of code holds tests, or exists for them.
///
/// By convention only: a Rust file with tests at its end is not a test file.
pub fn is_test(path: &str) -> bool {
    let Some(language) = language(path) else { return false };
    let mut directories = path.split(['/', '\\']).rev().skip(1);
    if directories.any(|directory| TEST_DIRECTORIES.contains(&directory)) {
        return true;
    }
    let name = file_name(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match language {
        Language::Rust => matches!(stem, "tests" | "test") || ends(stem, &["_test", "_tests"]),
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            ends(stem, &[".test", ".spec", ".e2e", ".cy"])
        }
        Language::Python => stem.starts_with("test_") || stem.ends_with("_test") || stem == "conftest",
        Language::Go => stem.ends_with("_test"),
        Language::Java
        | Language::Kotlin
        | Language::Scala
        | Language::CSharp
        | Language::Swift
        | Language::Php => ends(stem, &["Test", "Tests", "IT", "Spec", "TestCase"]),
        Language::Ruby => ends(stem, &["_test", "_spec"]),
        Language::C | Language::Cpp => {
            stem.starts_with("test_") || ends(stem, &["_test", "_tests", "_unittest"])
        }
        Language::Shell => name.rsplit_once('.').is_some_and(|(_, extension)| extension == "bats"),
        Language::Sql => false,
    }
}

fn ends(stem: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| stem.len() > ending.len() && stem.ends_with(ending))
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("src/lib.rs", Some(Language::Rust), false)]
    #[case("src/log/tests.rs", Some(Language::Rust), true)]
    #[case("crates/log/tests/story.rs", Some(Language::Rust), true)]
    #[case("src/attest.rs", Some(Language::Rust), false)]
    #[case("web/App.TSX", Some(Language::Tsx), false)]
    #[case("web/app.test.tsx", Some(Language::Tsx), true)]
    #[case("web/__tests__/app.js", Some(Language::JavaScript), true)]
    #[case("latest.ts", Some(Language::TypeScript), false)]
    #[case("test_api.py", Some(Language::Python), true)]
    #[case("contest.py", Some(Language::Python), false)]
    #[case("server_test.go", Some(Language::Go), true)]
    #[case("src/main/java/Session.java", Some(Language::Java), false)]
    #[case("src/SessionTest.java", Some(Language::Java), true)]
    #[case(r"C:\work\tests\a.cs", Some(Language::CSharp), true)]
    #[case("tests/README.md", None, false)]
    #[case("Rakefile", Some(Language::Ruby), false)]
    #[case("", None, false)]
    #[case(".", None, false)]
    fn by_name(#[case] path: &str, #[case] expected: Option<Language>, #[case] test: bool) {
        assert_eq!((language(path), is_test(path)), (expected, test));
    }
}
