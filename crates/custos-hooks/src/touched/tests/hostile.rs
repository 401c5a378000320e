//! Input that nobody means well with: it costs little, and never a panic.

use proptest::prelude::*;
use rstest::rstest;

use super::super::effort::spent;
use super::super::walk::LONGEST_SCRIPT;
use super::super::{Touched, by_patch};
use super::{expected, touched};

/// The most looks at each byte that any script may cause: four levels, each with a few passes and a table.
const MOST_LOOKS: usize = 150;

#[rstest]
#[case("(")]
#[case(")")]
#[case("( ")]
#[case("{ ")]
#[case("{")]
#[case("[")]
#[case("[[ ")]
#[case("'")]
#[case("\"")]
#[case("\\")]
#[case("`")]
#[case("$")]
#[case("$(")]
#[case("$( ")]
#[case("\"$(")]
#[case("${")]
#[case("$((")]
#[case("$'")]
#[case("<(")]
#[case("<<")]
#[case("<<a ")]
#[case("<<a\n")]
#[case("<<- a\n\t")]
#[case("<<<")]
#[case(">")]
#[case("1")]
#[case("1>")]
#[case("&")]
#[case("|")]
#[case(";;")]
#[case("#")]
#[case("\n")]
#[case("~")]
#[case("=")]
#[case("a=(")]
#[case("-")]
#[case("\0")]
#[case("\u{feff}")]
#[case("é")]
#[case("if ")]
#[case("case a in ")]
#[case("case a in b) ")]
#[case("for ")]
#[case("function ")]
#[case("f() { ")]
#[case("fi;")]
#[case("sudo ")]
#[case("env -u ")]
#[case("cat a ")]
#[case("cat a;")]
#[case("cat 'a' \"b\" ")]
#[case("cd a;")]
#[case("(cd a;")]
#[case("cd a && (")]
#[case("bash -c 'bash -c \"")]
#[case("bash -c $(")]
#[case("mv -t a ")]
#[case("grep -rrrrrr ")]
#[case("curl -o a --output b -d @c ")]
#[case("git -C a ")]
#[case("bash <<a\n")]
#[case("apply_patch <<a\n*** Add File: a\na\n")]
#[case("echo $(cat <(cat $(cat a))) ")]
fn repetition_costs_no_more_than_its_length(#[case] piece: &str) {
    for before in ["", "cat ", "echo \"", "bash -c '", "rm a; echo $("] {
        let script = format!("{before}{}", piece.repeat((1 << 20) / piece.len()));
        let looks = spent(|| drop(touched(&script)));
        assert!(
            looks <= MOST_LOOKS * LONGEST_SCRIPT,
            "{before}{piece}: {} looks a byte",
            looks / LONGEST_SCRIPT
        );
    }
}

#[test]
fn only_the_beginning_of_a_long_script_is_read() {
    let script = format!("cat a; echo {}; cat b", "x".repeat(LONGEST_SCRIPT));
    assert_eq!(touched(&script), expected("a", ""));
    let before = format!("cat a; echo {}; cat ", "x".repeat(LONGEST_SCRIPT - 20));
    assert_eq!(touched(&format!("{before}bc")), expected("a,bc", ""));
    assert_eq!(touched(&format!("{before}bcd")), expected("a", ""), "the name was cut");
    assert_eq!(touched(&format!("{before}bé")), expected("a", ""), "the cut is in a character");
}

#[test]
fn nesting_has_an_end() {
    let nested = |depth: usize| format!("cat a; {}cat b{}", "( ".repeat(depth), " )".repeat(depth));
    assert_eq!(touched(&nested(64)), expected("a,b", ""));
    assert_eq!(touched(&nested(65)), expected("a", ""));
}

/// Pieces that scripts are made of, and some that they should not be.
const PIECES: &str = "cat rm mv cp ln sed grep rg git bash cd sudo env apply_patch patch curl perl awk jq dd chmod \
                      ; & | || && ( ) { } < > << <<- <<< EOF ' \" ` $ $( ${ $(( $' \\ # ~ ~/ * ? [ [[ ]] = - -- -c -i -e -t \
                      -o -C + @ ! : , .. . / a b/ é \u{301} \0 if then else fi case in esac for do done function 1 2> &> \
                      if= of= restore checkout";
const SPACED_PIECES: [&str; 12] = [
    " ",
    " ",
    " ",
    "\n",
    "\n",
    "\r",
    "\t",
    "*** Begin Patch\n",
    "*** Add File: ",
    "--- a/",
    "+++ b/",
    "@@ -1 +1 @@\n",
];

fn pieces() -> impl Strategy<Value = String> {
    // Half of them are blanks and the like, or few commands would ever end.
    let piece = prop_oneof![
        prop::sample::select(PIECES.split(' ').collect::<Vec<_>>()),
        prop::sample::select(SPACED_PIECES.to_vec())
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn is_clean(touched: &Touched) -> bool {
    let lists = [&touched.read, &touched.changed];
    lists.iter().all(|list| {
        list.len() <= 64
            && list.iter().all(|path| {
                is_rooted(path)
                    && path.len() <= 1024
                    && !path.contains(char::is_control)
                    && !path.split('/').skip(1).any(|part| matches!(part, "" | "." | ".."))
            })
            && (1..list.len()).all(|at| !list[..at].contains(&list[at]))
    })
}

/// A drive is a root in every directory: the shells of Windows know directories by both kinds of names.
fn is_rooted(path: &str) -> bool {
    let has_drive = matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic());
    path.starts_with('/') || has_drive
}

#[test]
fn a_drive_is_read_cleanly() {
    let out = touched("<a:/a");
    assert_eq!(out, Touched { read: vec!["a:/a".to_owned()], changed: Vec::new() });
    assert!(is_clean(&out));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn any_script_is_read_cleanly_and_at_a_bounded_cost(script in pieces()) {
        let mut out = Touched::default();
        let looks = spent(|| out = touched(&script));
        prop_assert!(is_clean(&out), "{:?}", out);
        prop_assert!(looks <= MOST_LOOKS * (script.len() + 1), "{} looks", looks);
    }

    #[test]
    fn any_patch_is_read_cleanly(patch in pieces()) {
        let mut out = Touched::default();
        by_patch(&patch, "/w", &mut out);
        prop_assert!(is_clean(&out), "{:?}", out);
    }

    #[test]
    fn any_text_is_read_cleanly(text in ".*") {
        let mut out = touched(&text);
        by_patch(&text, "/w", &mut out);
        prop_assert!(is_clean(&out), "{:?}", out);
    }

    #[test]
    fn what_is_quoted_is_told_as_it_is(name in "[^'\\p{Cc}/+-][^'\\p{Cc}/:]{0,20}") {
        prop_assume!(!matches!(name.as_str(), "." | ".."));
        let path = [format!("/w/{name}")];
        let told = Touched { read: path.to_vec(), changed: path.to_vec() };
        prop_assert_eq!(touched(&format!("cat '{name}' > '{name}'")), told);
    }
}
