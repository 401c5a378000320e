//! Habits that show in the layout of a tree and in a few texts: where tests and migrations are, how commits are written, the licence.

use super::findings::Topic;
use super::foreign;
use super::languages::language_of;
use super::licences::licences;
use super::notes::Notes;
use super::reading::Reader;
use super::walk::{Tree, extension_of, folder_of, is_aside, name_of};

/// A layout: what it is called, and which files show it.
type Layout = (&'static str, fn(&str) -> bool);

const TESTS: &[Layout] = &[
    ("tests beside the code, `*_test.go`", |path| path.ends_with("_test.go")),
    ("tests beside the code, `*.test.*`", |path| is_script_test(path, ".test.") && !is_apart(path)),
    ("tests beside the code, `*.spec.*`", |path| is_script_test(path, ".spec.") && !is_apart(path)),
    ("tests in `__tests__`", |path| is_script(path) && is_in(path, "__tests__")),
    ("tests in `test`, `*.test.*`", |path| is_script_test(path, ".test.") && is_in(path, "test")),
    ("tests in `tests`, `*.test.*`", |path| is_script_test(path, ".test.") && is_in(path, "tests")),
    ("tests in `test`, `*.spec.*`", |path| is_script_test(path, ".spec.") && is_in(path, "test")),
    ("tests in `tests`, `*.spec.*`", |path| is_script_test(path, ".spec.") && is_in(path, "tests")),
    ("tests in `spec`, `*.spec.*`", |path| is_script_test(path, ".spec.") && is_in(path, "spec")),
    ("tests in `e2e`", |path| {
        [".test.", ".spec.", ".cy."].iter().any(|mark| is_script_test(path, mark)) && is_in(path, "e2e")
    }),
    ("integration tests in `tests`", |path| extension_of(path) == "rs" && is_in(path, "tests")),
    ("tests beside the code, `test_*.py`", |path| {
        is_python_test(path) && !is_in(path, "tests") && !is_in(path, "test")
    }),
    ("tests in `test`, `test_*.py`", |path| is_python_test(path) && is_in(path, "test")),
    ("tests in `tests`, `test_*.py`", |path| is_python_test(path) && is_in(path, "tests")),
    ("tests in `src/test`", |path| {
        matches!(extension_of(path), "java" | "kt") && format!("/{path}").contains("/src/test/")
    }),
    ("tests in projects of their own", |path| {
        extension_of(path) == "cs"
            && folder_of(path).split('/').any(|part| part.ends_with("Tests") || part.ends_with(".Test"))
    }),
    ("specs in `spec`", |path| path.ends_with("_spec.rb") && is_in(path, "spec")),
    ("tests in `test`, `*_test.rb`", |path| path.ends_with("_test.rb") && is_in(path, "test")),
    ("tests in `tests`, `*Test.php`", |path| path.ends_with("Test.php") && is_in(path, "tests")),
    ("tests in `Tests`", |path| extension_of(path) == "swift" && is_in(path, "Tests")),
];

/// Folders of migrations, by how their paths end.
const MIGRATIONS: &[(&str, &str)] = &[
    ("alembic/versions", "Alembic"),
    ("database/migrations", "Laravel migrations"),
    ("db/changelog", "Liquibase"),
    ("db/migrate", "Rails migrations"),
    ("db/migration", "Flyway"),
    ("prisma/migrations", "Prisma"),
    ("migrations", "by the folder's name"),
    ("Migrations", "by the folder's name"),
];

/// Texts that name a habit: the start of the file's name, what is in it, the habit.
const SAYINGS: &[(&str, &str, &str)] = &[
    ("CONTRIBUTING", "conventional commits", "Conventional Commits"),
    ("CONTRIBUTING", "conventionalcommits.org", "Conventional Commits"),
    ("CONTRIBUTING", "signed-off-by", "commits are signed off"),
    ("CHANGELOG", "keepachangelog.com", "Keep a Changelog"),
];

/// Notes the habits of a tree.
pub(super) fn conventions(tree: &Tree, reader: &mut Reader<'_>, notes: &mut Notes) {
    for (name, shows) in TESTS {
        let mut files = tree.files.iter().filter(|path| shows(path) && !is_aside(path));
        if let Some(first) = files.next() {
            let count = files.count() + 1;
            let files = if count == 1 { "file" } else { "files" };
            notes.pattern(
                Topic::Testing,
                name,
                Some(&format!("{count} {files}")),
                foreign::source(first, None),
            );
        }
    }
    migrations(tree, notes);
    let root: Vec<&String> = tree.files.iter().filter(|path| !path.contains('/')).collect();
    licences(&root, reader, notes);
    for path in root.iter().filter(|path| SAYINGS.iter().any(|(start, ..)| path.starts_with(start))) {
        let Ok(text) = reader.text(path) else { continue };
        for (_, saying, habit) in SAYINGS.iter().filter(|(start, ..)| path.starts_with(start)) {
            let line = text.lines().position(|line| line.to_lowercase().contains(saying));
            if let Some(line) = line {
                notes.pattern(Topic::Commits, habit, None, foreign::source(path, Some(line + 1)));
            }
        }
    }
}

fn migrations(tree: &Tree, notes: &mut Notes) {
    let holds = |folder: &str| {
        tree.files.iter().any(|path| folder_of(path).starts_with(folder) && language_of(path).is_some())
    };
    for folder in tree.folders.iter().filter(|folder| !is_aside(&format!("{folder}/x"))) {
        let known = MIGRATIONS.iter().find(|(end, _)| folder == end || folder.ends_with(&format!("/{end}")));
        if let Some((_, tool)) = known.filter(|_| holds(folder)) {
            let shown = foreign::path(folder);
            notes.pattern(
                Topic::Migrations,
                &shown,
                Some(tool),
                foreign::source(&format!("{folder}/"), None),
            );
        }
    }
}

fn is_python_test(path: &str) -> bool {
    extension_of(path) == "py" && name_of(path).starts_with("test_")
}

fn is_script(path: &str) -> bool {
    matches!(language_of(path), Some("JavaScript" | "TypeScript"))
}

fn is_script_test(path: &str, mark: &str) -> bool {
    is_script(path) && name_of(path).contains(mark)
}

/// Says whether a test has a folder of its own, and is not beside the code.
fn is_apart(path: &str) -> bool {
    ["__tests__", "e2e", "spec", "test", "tests"].iter().any(|folder| is_in(path, folder))
}

fn is_in(path: &str, folder: &str) -> bool {
    folder_of(path).split('/').any(|part| part == folder)
}
