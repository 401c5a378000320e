//! Time and space stay in proportion, whatever the text.

use proptest::prelude::*;

use super::super::fuzz_deeds;
use super::{Language, deeds};

/// Counts the effort that a text takes.
fn effort(language: Language, text: &str) -> usize {
    let mut spent = 0;
    deeds(language, text, &mut |amount| {
        spent += amount;
        spent < 64 << 20
    });
    spent
}

#[test]
fn effort_is_asked_for() {
    for language in Language::ALL {
        let found = deeds(language, "os.system('x')", &mut |_| false);
        assert_eq!(found, [], "{language:?}");
    }
}

#[test]
fn repeated_beginnings_stay_linear() {
    let seeds = [
        "(",
        "[",
        "{",
        "((a",
        "f(",
        "\"",
        "'",
        "`",
        "`${",
        "f'{",
        "\"#{",
        "\"@{[",
        "/[",
        "(/",
        "s/",
        "q(",
        "<<A",
        "<<~A\n",
        "a.",
        "a=",
        "a=a+a;",
        "x='y'*9;",
        "%w(",
        "a|",
        "system(",
        "\"x\"|getline ",
        "[[",
        "--[[",
        "/*",
        "=begin\n",
        "for x in ",
        "lambda x:",
        "x=>",
        "def f(a,",
        "def f(a):\n",
        "f(f(",
        "eval('",
        "a?b:",
        "if ",
        "not ",
        "do |x|",
        "$x{",
        "print >",
        "iex (",
        "a,b,",
        "$",
        "do shell script \"a\" & ",
        "import {a as b} from 'fs';",
        "const {a} = ",
        "function f(a) {",
        "{a:",
        "x[",
        "'{}'.format(",
        "\\",
        "system ",
        "{for x in ",
        "a().b.",
        "x=[x];",
        "x => y => ",
    ];
    for language in Language::ALL {
        for seed in seeds {
            let short = effort(language, &seed.repeat(512));
            let long = effort(language, &seed.repeat(4096));
            assert!(long <= short * 12 + 4096, "{language:?} {seed:?}: {short}, then {long}");
        }
    }
}

#[test]
fn broken_comprehensions_are_not_walked_twice_at_every_level() {
    let text = "(-for (-for ".repeat(64) + &") in x)".repeat(128);
    assert!(effort(Language::Python, &text) < 64 << 20);
    fuzz_deeds(text.as_bytes());
    fuzz_deeds(b"\"\\");
}

#[test]
fn texts_that_double_are_stopped() {
    let doubling = format!("a = 'x'\n{}os.system(a)", "a = a + a\n".repeat(64));
    assert!(effort(Language::Python, &doubling) < 4 << 20);
    let doubling = format!("$a = 'x'; {}", "$a = $a . $a;".repeat(64));
    assert!(effort(Language::Perl, &doubling) < 4 << 20);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_survived(data in proptest::collection::vec(any::<u8>(), 0..200)) {
        fuzz_deeds(&data);
    }

    #[test]
    fn any_code_is_survived(text in "(os\\.system|eval|open|for|in|def|x|é|\u{FFFF}|[-()\\[\\]{}'\"`$@%#/\\\\.,;:=|<>*~\n ]|<<A|qq|=>|%w|f'|\\$\\{){0,60}") {
        fuzz_deeds(text.as_bytes());
    }
}
