//! One look into each source file: where programs begin, which tools the code itself names, and the names it declares.
//!
//! The look goes line by line and knows no grammar: a declaration is a line that begins like one. That finds what a reader would find
//! by skimming, in any of a dozen languages, at the speed of reading the file.

use super::findings::Topic;
use super::foreign;
use super::glossary::Glossary;
use super::languages::language_of;
use super::manifest::quoted::call;
use super::notes::{Ecosystem, Notes};
use super::reading::{Reader, Refusal};
use super::walk::{Tree, extension_of, folder_of, is_aside, join, name_of};

/// The most files that are looked into; the ones nearest to the root come first.
const MOST_FILES: usize = 4000;
/// The most lines of one file.
const MOST_LINES: usize = 20_000;

/// Files that are entry points by their place: how the path ends, and what begins there.
const BY_PATH: &[(&str, &str)] = &[
    ("Program.cs", "program"),
    ("config.ru", "Rack application"),
    ("main.swift", "program"),
    ("public/index.php", "web front controller"),
    ("src/App.tsx", "user interface"),
    ("src/index.js", "first module"),
    ("src/index.jsx", "first module"),
    ("src/index.ts", "first module"),
    ("src/index.tsx", "first module"),
    ("src/lib.rs", "library"),
    ("src/main.js", "first module"),
    ("src/main.jsx", "first module"),
    ("src/main.rs", "program"),
    ("src/main.ts", "first module"),
    ("src/main.tsx", "first module"),
];

/// Lines that begin a program: the languages, how the line begins, what begins there.
const BY_LINE: &[(&[&str], &str, &str)] = &[
    (&["C", "C++"], "int main(", "program"),
    (&["C", "C++"], "int main (", "program"),
    (&["C#"], "static void Main(", "program"),
    (&["C#"], "static int Main(", "program"),
    (&["C#"], "static async Task Main(", "program"),
    (&["C#"], "public static void Main(", "program"),
    (&["C#"], "public static async Task Main(", "program"),
    (&["Go"], "func main()", "program"),
    (&["Java", "Kotlin"], "@SpringBootApplication", "Spring Boot application"),
    (&["Java", "Kotlin"], "@QuarkusMain", "Quarkus application"),
    (&["Java"], "public static void main(", "program"),
    (&["Kotlin"], "fun main(", "program"),
    (&["Python"], "api = FastAPI(", "FastAPI application"),
    (&["Python"], "app = FastAPI(", "FastAPI application"),
    (&["Python"], "app = Flask(", "Flask application"),
    (&["Python"], "application = get_asgi_application(", "ASGI application"),
    (&["Python"], "application = get_wsgi_application(", "WSGI application"),
    (&["Python"], "if __name__ == ", "script"),
    (&["Swift"], "@main", "program"),
];

/// Lines that name a library which manifests need not name.
const IMPORTS: &[(&[&str], &str, &str, Topic)] = &[
    (&["Swift"], "import SwiftUI", "SwiftUI", Topic::Framework),
    (&["Swift"], "import UIKit", "UIKit", Topic::Framework),
    (&["Swift"], "import XCTest", "XCTest", Topic::TestLibrary),
    (&["Swift"], "import Testing", "Swift Testing", Topic::TestLibrary),
    (&["C++"], "#include <gtest/gtest.h>", "GoogleTest", Topic::TestLibrary),
    (&["C++"], "#include <catch2/", "Catch2", Topic::TestLibrary),
    (&["Python"], "import unittest", "unittest", Topic::TestLibrary),
];

/// What a look into the sources came to.
pub(super) struct Looked {
    /// The words of the names.
    pub(super) glossary: Glossary,
    /// How many files were looked into, and how many there are.
    pub(super) files: (usize, usize),
}

/// Looks into the source files of a tree.
pub(super) fn look(tree: &Tree, reader: &mut Reader<'_>, notes: &mut Notes) -> Looked {
    for path in tree.files.iter().filter(|path| !is_code(path) && !path.starts_with('.') && !is_aside(path)) {
        by_path(path, notes);
    }
    let sources = || tree.files.iter().filter(|path| is_code(path) && !is_aside(path));
    let mut looked = Looked { glossary: Glossary::default(), files: (0, sources().count()) };
    let mut inline_tests = None;
    let next = folders_of_next(notes);
    for path in sources() {
        by_path(path, notes);
        by_router(path, &next, notes);
        if looked.files.0 >= MOST_FILES {
            continue;
        }
        let text = match reader.text(path) {
            Ok(text) => text,
            // The places of the remaining files still tell something.
            Err(Refusal::Spent) => continue,
            Err(Refusal::File(_)) => {
                looked.files.0 += 1;
                continue;
            }
        };
        looked.files.0 += 1;
        let language = language_of(path).unwrap_or_default();
        let test = is_test(path);
        looked.glossary.begin();
        let mut before = "";
        for (index, line) in text.lines().take(MOST_LINES).enumerate() {
            let line = line.trim_start();
            if line.starts_with("#[cfg(test)]") && language == "Rust" {
                inline_tests.get_or_insert((path, index + 1));
                break;
            }
            by_line(path, language, line, index + 1, test, notes);
            // The type may stand on a line of its own.
            if !test && language == "C" && before == "int" && call(line, "main").is_some() {
                notes.entry(path, "program", foreign::source(path, Some(index + 1)));
            }
            before = line.trim_end();
            if !test {
                looked.glossary.read(path, language, line, index + 1);
            }
        }
    }
    if let Some((path, line)) = inline_tests {
        let source = foreign::source(path, Some(line));
        notes.pattern(Topic::Testing, "unit tests inside the code, `#[cfg(test)]`", None, source);
    }
    looked
}

fn by_path(path: &str, notes: &mut Notes) {
    let source = foreign::source(path, None);
    let known = BY_PATH.iter().find(|(end, _)| {
        path.strip_suffix(end).is_some_and(|above| above.is_empty() || above.ends_with('/'))
    });
    if let Some((_, what)) = known {
        notes.entry(path, what, source);
    } else if folder_of(path).ends_with("src/bin") && extension_of(path) == "rs" {
        notes.entry(path, &format!("program {}", name_of(path).trim_end_matches(".rs")), source);
    } else if name_of(path) == "__main__.py" && !is_test(path) {
        // `python -m toolbox` begins here.
        let package = name_of(folder_of(path));
        let what = if package.is_empty() { "program".to_owned() } else { format!("program {package}") };
        notes.entry(path, &what, source);
    }
}

/// The folders whose manifest depends on Next.js.
fn folders_of_next(notes: &Notes) -> Vec<String> {
    let next = notes.dependencies.iter().filter(|one| one.ecosystem == Ecosystem::Node && one.name == "next");
    next.map(|dependency| folder_of(&dependency.source.file).to_owned()).collect()
}

/// Notes where the app router of Next.js begins; its files have names that others have too.
fn by_router(path: &str, next: &[String], notes: &mut Notes) {
    let folder = folder_of(path);
    let is_root = || next.iter().any(|at| folder == join(at, "app") || folder == join(at, "src/app"));
    let what = match name_of(path).split_once('.') {
        Some(("layout", "js" | "jsx" | "ts" | "tsx")) => "root layout of Next.js",
        Some(("page", "js" | "jsx" | "ts" | "tsx")) => "first page of Next.js",
        _ => return,
    };
    if is_root() {
        notes.entry(path, what, foreign::source(path, None));
    }
}

fn by_line(path: &str, language: &str, line: &str, number: usize, test: bool, notes: &mut Notes) {
    if !test
        && let Some((.., what)) =
            BY_LINE.iter().find(|(known, start, _)| known.contains(&language) && line.starts_with(start))
    {
        // `cmd/server/main.go` is the program `server`.
        let what = match folder_of(path).rsplit_once("cmd/") {
            Some((_, name)) if language == "Go" => format!("program {name}"),
            _ => (*what).to_owned(),
        };
        notes.entry(path, &what, foreign::source(path, Some(number)));
    }
    let import =
        IMPORTS.iter().find(|(known, start, ..)| known.contains(&language) && line.starts_with(start));
    if let Some((_, _, name, topic)) = import {
        notes.framework(*topic, name, None, foreign::source(path, Some(number)));
    }
}

fn is_code(path: &str) -> bool {
    !path.starts_with('.')
        && language_of(path)
            .is_some_and(|language| !matches!(language, "CSS" | "SCSS" | "HTML" | "SQL" | "Terraform"))
}

/// Tells whether a file holds tests: their names are sentences, not words of the domain.
fn is_test(path: &str) -> bool {
    const FOLDERS: &[&str] =
        &["test", "tests", "Tests", "spec", "specs", "__tests__", "e2e", "benches", "fuzz", "testing"];
    const ENDS: &[&str] = &["_test", "_tests", "_spec", "Test", "Tests", "Spec", "IT", ".test", ".spec"];
    let name = name_of(path);
    let stem = name.rfind('.').map_or(name, |at| &name[..at]);
    stem.starts_with("test_")
        || matches!(stem, "tests" | "conftest")
        || ENDS.iter().any(|end| stem.ends_with(end))
        || folder_of(path).split('/').any(|part| FOLDERS.contains(&part) || part.ends_with("Tests"))
}
