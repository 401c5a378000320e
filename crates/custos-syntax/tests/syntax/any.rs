//! What holds for any text: no panic, the same answer twice, nothing to say about what did not change.

use custos_syntax::{How, around, compare};
use proptest::prelude::*;

const PATHS: [&str; 17] = [
    "a.rs", "a.ts", "a.tsx", "a.js", "a.py", "a.go", "a.java", "a.c", "a.cpp", "a.cs", "a.rb", "a.php",
    "a.kt", "a.swift", "a.scala", "a.sh", "a.sql",
];

/// Pieces that code is made of, so that generated texts come near to it.
const PIECES: [&str; 44] = [
    "fn ",
    "def ",
    "class ",
    "func ",
    "function ",
    "const ",
    "impl ",
    "describe(\"",
    "it('",
    "@Test\n",
    "#[test]\n",
    "struct ",
    "A",
    "b",
    "é",
    "世",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "=> ",
    "= ",
    ":",
    ";\n",
    "\n",
    "    ",
    "\t",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "/*",
    "*/",
    "//",
    "# ",
    "CREATE TABLE ",
    "r#\"",
    "\\",
    "self",
    "\r\n",
];

fn code() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60).prop_map(|pieces| pieces.concat()),
        1 => "\\PC{0,80}",
        1 => prop::collection::vec(any::<u8>(), 0..120).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_one_answer(path in prop::sample::select(&PATHS[..]), before in code(), after in code()) {
        let touched = compare(path, &before, &after);
        prop_assert_eq!(&touched, &compare(path, &before, &after));
        prop_assert!(touched.iter().all(|one| !one.name.trim().is_empty()));
        prop_assert_eq!(compare(path, &after, &after), []);
        prop_assert!(compare(path, "", &after).iter().all(|one| one.how == How::Added));
        prop_assert!(compare(path, &before, "").iter().all(|one| one.how == How::Removed));
        around(path, &after, &before);
    }

    #[test]
    fn a_text_may_be_cut_anywhere(path in prop::sample::select(&PATHS[..]), start in 0_usize..1200, length in 0_usize..1200) {
        let text = include_str!("script.rs");
        let cut: String = text.chars().skip(start).take(length).collect();
        compare(path, &cut, text);
        around(path, text, &cut);
    }
}

#[test]
fn large_and_deep_texts_are_bounded() {
    for path in ["a.rs", "a.ts", "a.js", "a.py", "a.go", "a.java", "a.cpp", "a.sql"] {
        for piece in
            ["{", "(", "fn a() {", "class A {\n", "\"", "`\\", "r#\"", "/*", "a", "\n", "def a():\n ", "<T>("]
        {
            compare(path, "", &piece.repeat(20_000 / piece.len()));
            compare(path, "", &piece.repeat(1_000_000 / piece.len()));
        }
    }
}

#[test]
fn brackets_in_brackets_do_not_exhaust_the_stack() {
    for (path, piece) in
        [("a.tsx", "<T>("), ("a.ts", "a<"), ("a.js", "("), ("a.rs", "{"), ("a.java", "(a"), ("a.go", "a[")]
    {
        compare(path, "", &piece.repeat(250_000 / piece.len()));
    }
}

#[test]
fn a_text_too_large_to_parse_is_still_read() {
    let filler = "// nothing but a comment, again and again\n".repeat(8_000);
    let cases = [
        ("a.rs", "pub(crate) fn load(path: &str) -> u8 {\n    1\n}\n", "load"),
        ("a.ts", "export async function load(path: string) {\n  return 1;\n}\n", "load"),
        ("a.go", "func (s *Server) Load(path string) int {\n\treturn 1\n}\n", "Server.Load"),
        ("a.java", "    public int load(String path) {\n        return 1;\n    }\n", "load"),
    ];
    for (path, code, name) in cases {
        let before = format!("{filler}{code}");
        let touched = compare(path, &before, &before.replace('1', "2"));
        let names: Vec<(&str, &How)> = touched.iter().map(|one| (one.name.as_str(), &one.how)).collect();
        assert_eq!(names, [(name, &How::Changed)], "{path}");
    }
}

#[test]
fn what_is_no_code_has_no_definitions() {
    assert_eq!(compare("README.md", "class A {}", "class B {}"), []);
    assert_eq!(compare("data.json", "{\"function\": 1}", "{}"), []);
}
