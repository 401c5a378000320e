use proptest::prelude::*;
use rstest::rstest;

use super::{TITLES, any_text};
use crate::text::canonical;
use crate::text::entry::{Entry, Value, read_yaml};
use crate::text::{Field, Front, FrontProblem, split};

fn front(yaml: &str) -> Front {
    read(yaml).unwrap()
}

fn read(yaml: &str) -> Result<Front, FrontProblem> {
    let text = format!("---\n{yaml}---\n");
    Front::parse(&split(&text)?.front.unwrap())
}

/// What entries say, apart from how they are kept.
fn said(source: &str, entries: &[Entry]) -> Vec<(String, String, String)> {
    let value = |value: &Value| match value {
        Value::Empty => "nothing".to_owned(),
        Value::Text(text) => format!("text {:?}", text.of(source)),
        Value::List(items) => {
            format!("list {:?}", items.iter().map(|item| item.of(source)).collect::<Vec<_>>())
        }
        Value::Nested => "nested".to_owned(),
    };
    let said = |entry: &Entry| {
        (entry.key.of(source).to_owned(), value(&entry.value), source[entry.lines.clone()].to_owned())
    };
    entries.iter().map(said).collect()
}

fn assert_quick_is_right(source: &str) {
    if let Some(quick) = canonical::read(source) {
        let slow = read_yaml(source).unwrap_or_else(|problem| panic!("{source:?}: {problem}"));
        assert_eq!(said(source, &quick), said(source, &slow), "{source:?}");
    }
}

#[test]
fn our_own_form_is_read_quickly() {
    let source = "id: D-001\ntitle: \"a: \\\"b\\\"\"\ndate: 2026-11-15T20:55:09Z\nscope: []\nkeywords: [utc, \"a, b\"]\nlong:\n  - one\n  - \"two: x\"\nempty:\n";
    let quick = canonical::read(source).expect("our own form");
    assert_eq!(quick.len(), 7);
    assert_quick_is_right(source);
}

#[test]
fn every_kind_of_value_is_read() {
    let front = front(
        "# about this\nid: D-001 # its id\ntitle: >-\n  folded\n  text\ncount: 12\nnothing: ~\n'quoted key': x\nkeywords:\n- a\n- 'b'\nguard:\n  deny:\n    - rm -rf\n",
    );
    let entries: Vec<_> = front.entries().collect();
    assert_eq!(
        entries,
        [
            ("id", Field::Text("D-001")),
            ("title", Field::Text("folded text")),
            ("count", Field::Text("12")),
            ("nothing", Field::Empty),
            ("quoted key", Field::Text("x")),
            ("keywords", Field::List(vec!["a", "b"])),
            ("guard", Field::Nested("guard:\n  deny:\n    - rm -rf\n")),
        ]
    );
    assert_eq!(front.text("count"), Some("12"));
    assert_eq!(front.text("nothing"), None);
    assert_eq!(front.text("keywords"), None);
    assert_eq!(front.list("count"), ["12"]);
    assert_eq!(front.list("guard"), [] as [&str; 0]);
    assert_eq!((front.has("guard"), front.has("nothing"), front.has("other")), (true, false, false));
    assert_eq!(front.line_of("count"), Some(7));
    assert!(front.node("guard").is_some());
}

#[rstest]
#[case::text("a: 1\nb: 2 # why\n# end\n", "a: 1\nb: x # why\n# end\n")]
#[case::odd_blank("b: \u{2028} # why\n", "b: x # why\n")]
#[case::none("a: 1\nb: # why\n", "a: 1\nb: x # why\n")]
#[case::missing("a: 1 # one\n# end\n", "a: 1 # one\n# end\nb: x\n")]
#[case::empty("", "b: x\n")]
#[case::comment("# only\n", "# only\nb: x\n")]
#[case::list("b:\n  - 1\n  - 2\n\n# c\nc: 3\n", "b: x\n\n# c\nc: 3\n")]
#[case::block("b: |\n  # no comment\n  two\nc: 3\n", "b: x\nc: 3\n")]
#[case::kept_blanks("b: |+\n  two\n\n\nc: 3\n", "b: x\nc: 3\n")]
#[case::blank_lines("a: |+\n  two\n\n\nb: 3\n", "a: |+\n  two\n\n\nb: x\n")]
#[case::nested("b: {c: [1,\n   2]}\n", "b: x\n")]
#[case::quoted_key("\"b\": 1\nc: '2'\n", "b: x\nc: '2'\n")]
#[case::explicit_key("? b\n: 1\nc: 2\n", "b: x\nc: 2\n")]
#[case::indented("  a: 1\n  b: 2\n", "  a: 1\n  b: x\n")]
#[case::indented_end("  a: 1\n", "  a: 1\n  b: x\n")]
#[case::anchors("a: &x [1]\nb: &y 2\n", "a: &x [1]\nb: x\n")]
fn a_change_touches_its_own_lines(#[case] before: &str, #[case] after: &str) {
    let mut changed = front(before);
    changed.set_text("b", "x");
    assert_eq!(changed.to_text(), after);
    assert_eq!(front(after).entries().collect::<Vec<_>>(), changed.entries().collect::<Vec<_>>());
}

#[test]
fn the_same_value_changes_nothing() {
    let yaml = "a: 'x'   # as written\nb: [ 1,2 ]\n";
    let mut same = front(yaml);
    same.set_text("a", "x");
    same.set_list("b", &["1", "2"]);
    assert_eq!(same.to_text(), yaml);
}

#[test]
fn a_removed_key_leaves_the_rest() {
    let mut rest = front("# one\na: 1\n# two\nb:\n  - 2\n\n# three\nc: 3\n");
    rest.remove("b");
    rest.remove("missing");
    assert_eq!(rest.to_text(), "# one\na: 1\n# two\n\n# three\nc: 3\n");
    assert_eq!(rest.text("c"), Some("3"));
    rest.remove("a");
    rest.remove("c");
    assert_eq!(rest.to_text(), "# one\n# two\n\n# three\n");
    assert!(rest.is_empty());
}

#[test]
fn a_long_list_has_a_line_for_each_item() {
    let mut front = Front::new();
    let items: Vec<String> = (0..20).map(|n| format!("item {n}")).collect();
    front.set_list("tags", &["a", "b: c", "-"]);
    front.set_list("long", &items[..9]);
    front.set_list("longer", &items[..12]);
    let longer: String = items[..12].iter().map(|item| format!("  - {item}\n")).collect();
    let long = items[..9].join(", ");
    assert_eq!(front.to_text(), format!("tags: [a, \"b: c\", \"-\"]\nlong: [{long}]\nlonger:\n{longer}"));
}

#[rstest]
#[case::mapping("deny:\n  - rm\n\nallow: []\n", "guard:\n  deny:\n    - rm\n\n  allow: []\n")]
#[case::flow("{deny: [rm]}", "guard: {deny: [rm]}\n")]
#[case::text("plain", "guard: plain\n")]
#[case::literal("|\n  a\n  b\n", "guard:\n  |\n    a\n    b\n")]
#[case::nothing("", "guard:\n")]
fn raw_values_are_put_in_place(#[case] value: &str, #[case] lines: &str) {
    let mut front = front("a: 1\nguard: old\nz: 2\n");
    front.set_raw("guard", value).unwrap();
    assert_eq!(front.to_text(), format!("a: 1\n{lines}z: 2\n"));
    assert_eq!(front.raw("guard"), Some(lines));
    assert_eq!(front.text("z"), Some("2"));
}

#[rstest]
#[case("a: [")]
#[case("a: 1\n---\nb: 2\n")]
#[case("*x")]
fn raw_values_must_be_yaml(#[case] value: &str) {
    let mut same = front("a: 1\n");
    assert!(same.set_raw("guard", value).is_err());
    assert_eq!(same.to_text(), "a: 1\n");
}

#[rstest]
#[case::broken("a: 1\nb: \"x\nc: 2\n", 4)]
#[case::twice("a: 1\nb: 2\na: 3\n", 4)]
#[case::list("- a\n- b\n", 2)]
#[case::text("just text\n", 2)]
#[case::braces("{a: 1}\n", 2)]
#[case::alias("a: &x 1\nb: *x\n", 3)]
#[case::complex_key("? [a]\n: 1\n", 2)]
#[case::end("a: 1\n...\nb: 2\n", 3)]
#[case::tab("a:\n\t- b\n", 3)]
fn a_problem_has_its_line(#[case] yaml: &str, #[case] line: usize) {
    let problem = read(yaml).unwrap_err();
    assert_eq!(problem.line, line, "{problem}");
}

#[test]
fn a_key_that_is_there_twice_is_named() {
    let problem = read("a: 1\nb: 2\na: 3\n").unwrap_err();
    assert_eq!(problem.to_string(), "line 4: the key `a` is there already, in line 2");
}

#[test]
fn every_title_survives() {
    for title in TITLES {
        let mut written = Front::new();
        written.set_text("title", title);
        written.set_list("one", &[title]);
        written.set_list("many", &[title; 40]);
        let read = front(written.to_text());
        assert_eq!(read.get("title"), Some(Field::Text(title)), "{}", written.to_text());
        assert_eq!(read.list("one"), [*title]);
        assert_eq!(read.list("many"), [*title; 40]);
        assert_quick_is_right(written.to_text());
    }
}

#[rstest]
#[case("2026-11-15T20:55:09Z", "2026-11-15T20:55:09Z")]
#[case("2026-11-15", "2026-11-15")]
#[case("D-001", "D-001")]
#[case("Use UTC (always)", "Use UTC (always)")]
#[case("https://example.org/a#b", "https://example.org/a#b")]
#[case("Don't, ever", "Don't, ever")]
#[case("Время", "Время")]
#[case("12", "\"12\"")]
#[case("1e3", "\"1e3\"")]
#[case("yes", "\"yes\"")]
#[case("a: b", "\"a: b\"")]
#[case("- a", "\"- a\"")]
#[case("a\nb", "\"a\\nb\"")]
#[case("a\u{202e}b", "\"a\\u202eb\"")]
fn quotes_stand_where_they_are_needed(#[case] text: &str, #[case] yaml: &str) {
    let mut front = Front::new();
    front.set_text("x", text);
    assert_eq!(front.to_text(), format!("x: {yaml}\n"));
}

/// Lines that are, or nearly are, in our own form.
fn near_our_form() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        any_text().prop_map(|text| text.replace(['\n', '\r'], " ")),
        any_text().prop_map(|text| format!("\"{}\"", text.replace(['\n', '\r'], " "))),
        proptest::collection::vec("[a-z \"',:#-]{0,5}", 0..4)
            .prop_map(|items| format!("[{}]", items.join(", "))),
        Just(String::new()),
        "[ -~]{0,12}",
    ];
    let line = (0..4, "[a-z_-]{1,3}", value).prop_map(|(form, key, value)| match form {
        0 => format!("{key}:"),
        1 => format!("  - {value}"),
        _ => format!("{key}: {value}"),
    });
    (proptest::collection::vec(line, 0..6), any::<bool>()).prop_map(|(lines, crlf)| {
        let newline = if crlf { "\r\n" } else { "\n" };
        lines.into_iter().map(|line| line + newline).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_quick_way_reads_what_yaml_reads(source in near_our_form()) {
        assert_quick_is_right(&source);
    }

    #[test]
    fn what_is_written_is_read(
        texts in proptest::collection::btree_map("[a-z]{1,4}|[a-z \"é:#-]{1,6}", any_text(), 0..4),
        lists in proptest::collection::btree_map("[A-Z]{1,4}", proptest::collection::vec(any_text(), 0..5), 0..4),
    ) {
        let mut written = Front::new();
        for (key, text) in &texts {
            written.set_text(key, text);
        }
        for (key, items) in &lists {
            written.set_list(key, items);
        }
        let read = front(written.to_text());
        prop_assert_eq!(read.entries().collect::<Vec<_>>(), written.entries().collect::<Vec<_>>());
        for (key, text) in &texts {
            prop_assert_eq!(read.get(key), Some(Field::Text(text)));
        }
        for (key, items) in &lists {
            prop_assert_eq!(&read.list(key), items);
        }
        assert_quick_is_right(written.to_text());
    }

    #[test]
    fn any_source_is_changed_in_one_place(source in near_our_form(), comment in "[a-z]{3}", text in any_text(), remove in any::<bool>()) {
        let source = format!("# {comment}\n{source}# end\n");
        let Ok(before) = read(&source) else { return Ok(()) };
        prop_assert_eq!(before.to_text(), &source);
        let Some(key) = before.entries().map(|(key, _)| key.to_owned()).last() else { return Ok(()) };
        let mut after = before.clone();
        if remove {
            after.remove(&key);
        } else {
            after.set_text(&key, &text);
        }
        let reread = front(after.to_text());
        prop_assert_eq!(reread.entries().collect::<Vec<_>>(), after.entries().collect::<Vec<_>>());
        let others = |front: &Front| -> Vec<String> {
            front.entries().filter(|(other, _)| *other != key).map(|(other, _)| front.raw(other).unwrap().to_owned()).collect()
        };
        prop_assert_eq!(others(&before), others(&reread));
        prop_assert!(after.to_text().ends_with("# end\n"));
        prop_assert_eq!(reread.get(&key), (!remove).then_some(Field::Text(&text)));
    }

    #[test]
    fn crlf_stays(texts in proptest::collection::vec(any_text(), 1..4)) {
        let text = "---\r\na: 1\r\nb:\r\n  - 2\r\n---\r\n";
        let mut front = Front::parse(&split(text).unwrap().front.unwrap()).unwrap();
        for (at, text) in texts.iter().enumerate() {
            front.set_text(&format!("k{at}"), text);
        }
        front.set_list("long", &vec![texts.concat(); 30]);
        prop_assert_eq!(front.to_text().matches('\n').count(), front.to_text().matches("\r\n").count());
        prop_assert!(front.to_text().starts_with("a: 1\r\nb:\r\n  - 2\r\nk0:"));
    }
}

#[rstest]
#[case(
    "keywords:\n  - make # why\n  # group two\n  - build\nx: 1\n",
    "keywords:\n  - make # why\n  # group two\n  - build\n  - test\nx: 1\n"
)]
#[case("# all\nkeywords: # these\n- make\n- build", "# all\nkeywords: # these\n- make\n- build\n- test")]
#[case("keywords: [make, build] # both\n", "keywords: [make, build, test] # both\n")]
fn what_comes_to_a_list_leaves_its_comments(#[case] before: &str, #[case] after: &str) {
    let mut front = front(&format!("{before}\n"));
    front.set_list("keywords", &["make", "build", "test"]);
    assert_eq!(front.to_text().trim_end(), after.trim_end());
}
