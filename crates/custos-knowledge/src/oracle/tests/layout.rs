//! What the layout of a tree shows, and what it does not.

use rstest::rstest;

use super::{Project, Topic};

#[rstest]
#[case::root("test_top.py", &["tests beside the code, `test_*.py` 1 file (test_top.py)"])]
#[case::folder("tests/test_top.py", &["tests in `tests`, `test_*.py` 1 file (tests/test_top.py)"])]
#[case::short_folder("test/test_top.py", &["tests in `test`, `test_*.py` 1 file (test/test_top.py)"])]
#[case::php("src/FooTest.php", &[])]
#[case::ruby("lib/x_spec.rb", &[])]
fn tests_are_where_they_lie(#[case] path: &str, #[case] found: &[&str]) {
    assert_eq!(Project::new(&[(path, "")]).on(Topic::Testing), found);
}

#[rstest]
#[case::files(&["app/services/pay.rb", "app/services/ship.rb"], "services")]
#[case::files_and_folders(&["app/services/pay.rb", "app/services/mail/send.rb"], "services")]
#[case::folders(&["app/services/README", "app/services/mail/send.rb"], "services, one folder each")]
fn a_folder_is_divided_where_it_has_folders(#[case] files: &[&str], #[case] what: &str) {
    let files: Vec<(&str, &str)> = files.iter().map(|file| (*file, "")).collect();
    let scan = Project::new(&files).scan();
    let told = scan.structure.iter().find(|folder| folder.path == "app/services").unwrap();
    assert_eq!(told.what, what);
}

#[test]
fn below_tests_a_name_stands_for_what_is_tested() {
    let files = [
        "app/models/berth.rb",
        "spec/models/berth_spec.rb",
        "test/controllers/berths_test.rb",
        "tests/fixtures/berths.py",
        "tests/pages/berths.py",
        "tests/services/test_berths.py",
    ];
    let scan = Project::new(&files.map(|file| (file, ""))).scan();
    let told: Vec<String> =
        scan.structure.iter().map(|folder| format!("{}: {}", folder.path, folder.what)).collect();
    assert_eq!(
        told,
        [
            "app: the application",
            "app/models: models",
            "spec: specs",
            "spec/models: tests of models",
            "test: tests",
            "test/controllers: tests of controllers",
            "tests: tests",
            "tests/fixtures: fixtures of tests",
            "tests/pages: 1 file, Python",
            "tests/services: tests of services",
        ]
    );
}

#[test]
fn the_words_of_the_code_are_those_that_it_declares() {
    let project = Project::new(&[
        ("a.kt", "fun interface Winch {}\n"),
        ("b.kt", "@Serializable data class WinchState(val x: Int)\n"),
        ("c.rb", "class Harbor::Pilot\nend\n"),
        ("d.rb", "module Harbor\n  class Pilot\n  end\nend\n"),
        ("polls/migrations/0001_a.py", "class Migration(migrations.Migration):\n"),
        ("polls/migrations/0002_b.py", "class Migration(migrations.Migration):\n"),
        ("use.c", "static struct widget *f(int x)\n{\n}\n"),
        ("widget.h", "struct widget {\n  int x;\n};\n"),
        ("gadget.h", "struct widget_list {\n};\n"),
        ("e.go", "package e\n\ntype (\n\tBerth struct {\n\t\tQuay int\n\t}\n)\n"),
        ("f.go", "package e\n\ntype BerthPlan struct{}\n"),
    ]);
    let words: Vec<String> = project
        .scan()
        .glossary
        .into_iter()
        .map(|term| format!("{} ({}) {}", term.name, term.source, term.files))
        .collect();
    assert_eq!(words, ["Berth (e.go:4) 2", "Pilot (c.rb:1) 2", "widget (widget.h:1) 2", "Winch (a.kt:1) 2"]);
}
