mod languages;
mod programs;

use super::*;

/// A tool, what it printed, and the cause: message, code, file and line, failing tests.
type Case = (
    &'static str,
    &'static str,
    (&'static str, Option<&'static str>, Option<(&'static str, u32)>, &'static [&'static str]),
);

fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (tool, output, (message, code, place, tests)) in cases {
        let expected = Failure {
            message: (*message).to_owned(),
            code: code.map(str::to_owned),
            place: place.map(|(file, line)| (file.to_owned(), (line > 0).then_some(line))),
            tests: tests.iter().map(|test| (*test).to_owned()).collect(),
        };
        let found = failure(output);
        if found.as_ref() != Some(&expected) {
            wrong.push(format!("{tool}\n  found:    {found:?}\n  expected: {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn says_nothing_where_nothing_failed() {
    for output in [
        "",
        "ok",
        "Finished `dev` profile in 0.1s\n",
        "src/a.rs\nsrc/b.rs\n",
        "3 files changed, 12 insertions(+)\n",
    ] {
        assert_eq!(failure(output), None, "{output}");
    }
}

#[test]
fn leaves_out_what_differs_from_run_to_run() {
    let cases = [
        ("Error: bad pointer 0x7f3b2c1d5e50 at start", "Error: bad pointer 0x… at start"),
        ("Error: cannot open /tmp/pytest-of-user/pytest-12/x.db", "Error: cannot open /tmp/…/x.db"),
        ("Error: job 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed", "Error: job … failed"),
        ("Error: timed out in 5.003s waiting", "Error: timed out waiting"),
        ("Error: at 2024-05-01T10:00:00Z it broke", "Error: at … it broke"),
        ("Error: 3 of 4 shards", "Error: 3 of 4 shards"),
        ("Error: timeout after 30s", "Error: timeout after 30s"),
    ];
    for (output, expected) in cases {
        assert_eq!(failure(output).map(|found| found.message), Some(expected.to_owned()));
    }
    let long = failure(&format!("Error: {}", "ä".repeat(400))).unwrap();
    assert_eq!(long.message.chars().count(), 200);
}

#[test]
fn knows_the_same_trouble_again() {
    let of = |message: &str, code: Option<&str>, file: Option<&str>, tests: &[&str]| Failure {
        message: message.to_owned(),
        code: code.map(str::to_owned),
        place: file.map(|file| (file.to_owned(), Some(1))),
        tests: tests.iter().map(|test| (*test).to_owned()).collect(),
    };
    let a = of("assertion failed: left 3, right 4", None, Some("a.rs"), &["t::a"]);
    assert!(same(&a, &of("assertion failed: left 5, right 4", None, Some("b.rs"), &["t::a", "t::b"])));
    assert!(!same(&a, &of("assertion failed: left 3, right 4", None, Some("a.rs"), &["t::b"])));
    assert!(!same(&a, &of("index out of bounds: the len is 3", None, Some("a.rs"), &["t::a"])));
    let b = of("TS2345: Argument of type 'A' is not assignable", Some("TS2345"), Some("a.ts"), &[]);
    assert!(same(
        &b,
        &of("TS2345: Argument of type 'A' is not assignable", Some("TS2345"), Some("a.ts"), &[])
    ));
    assert!(!same(&b, &of("TS2304: Cannot find name 'x'", Some("TS2304"), Some("a.ts"), &[])));
    assert!(!same(
        &b,
        &of("TS2345: Argument of type 'A' is not assignable", Some("TS2345"), Some("b.ts"), &[])
    ));
    assert!(same(&of("port 8080 is in use", None, None, &[]), &of("port 8081 is in use", None, None, &[])));
}

/// What texts are made of that are hard to read.
const PIECES: &[&str] = &[
    "error",
    "[E0001]: ",
    ": ",
    "Error: ",
    "    at f (a.ts:1:2)\n",
    "\n",
    "--> a.rs:1:2\n",
    "panicked at ",
    "Traceback (most recent call last):\n",
    "  File \"a.py\", line 1\n",
    "E   x\n",
    "FAILED a.py::b\n",
    "● a\n",
    "FAIL  a > b\n",
    "1) ",
    "--- FAIL: T\n",
    "npm ERR! ",
    "│ Error: ",
    "0x",
    "/tmp/",
    "ä",
    "a.go:1:2: ",
    "(1,2): ",
    "🦀",
    "\u{1b}[1m",
    "\r",
    "#1 2.0 ",
    "Caused by: ",
    "Expected: ",
    "left: ",
    "right: ",
    "assertion `left == right` failed\n",
];

proptest::proptest! {
    #[test]
    fn takes_any_text(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24), any in ".{0,40}") {
        let text = pieces.concat() + &any;
        if let Some(found) = failure(&text) {
            proptest::prop_assert!(found.message.chars().count() <= 200 && !found.message.contains('\n'));
            proptest::prop_assert!(same(&found, &found) || found.message.is_empty());
        }
    }
}
