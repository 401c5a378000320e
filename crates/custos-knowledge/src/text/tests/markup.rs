use std::borrow::Cow;

use proptest::prelude::*;
use rstest::rstest;

use super::any_text;
use crate::text::{Leaked, leaked, strip_markup};

/// One vendor's prefix of the same elements is written `§` here.
fn prefixed(text: &str) -> String {
    text.replace('§', "antml:")
}

#[rstest]
#[case::end("Use UTC.</parameter>", "Use UTC.")]
#[case::ends("Use UTC.\n</parameter>\n</invoke>\n</function_calls>\n", "Use UTC.")]
#[case::next_argument("Use UTC.</parameter>\n<parameter name=\"keywords\">[\"time\"]", "Use UTC.")]
#[case::next_argument_prefixed(
    "Use UTC.</§parameter>\n<§parameter name=\"keywords\">[\"time\"]</§parameter>",
    "Use UTC."
)]
#[case::next_call(
    "One.</parameter>\n</invoke>\n<invoke name=\"save\">\n<parameter name=\"title\">Two",
    "One."
)]
#[case::own_end("Do X.</description>\n<parameter name=\"body\">Details", "Do X.")]
#[case::own_end_prefixed("Do X.</description>\n<§parameter name=\"body\">Details</§parameter>", "Do X.")]
#[case::own_end_of_call("Do X.</description>\n</invoke>", "Do X.")]
#[case::text_behind("One.</parameter>\nTwo.", "One.\nTwo.")]
#[case::later("One.</parameter> two.</parameter><parameter name=\"x\">three", "One. two.")]
#[case::beginning("<parameter name=\"title\">One", "One")]
#[case::beginning_of_call("<§function_calls>\n<§invoke name=\"x\">One", "\nOne")]
#[case::tool_call("One<tool_call></tool_call>", "One")]
#[case::tokens("One<|im_end|>\n<|endoftext|>", "One")]
#[case::wide_token("One<｜tool▁calls▁begin｜>two", "Onetwo")]
#[case::open_backtick("it`s so</parameter>", "it`s so")]
#[case::after_code("`a`</parameter>", "`a`")]
#[case::alone_on_a_line("One.\n</parameter>\nTwo.", "One.\n\nTwo.")]
#[case::beginning_of_a_line("One.\n<parameter name=\"colour\">red</parameter>", "One.\nred")]
#[case::beginning_and_end("<parameter name=\"x\">a</parameter>", "a")]
fn leaked_markup_is_taken_out(#[case] text: &str, #[case] clean: &str) {
    assert_eq!(strip_markup(&prefixed(text)), clean);
}

#[rstest]
#[case::plain("Use UTC.")]
#[case::comparison("a < b and c > d")]
#[case::operator("x <| f |> g")]
#[case::other_xml("<parameter>1</param> <invoker name=\"x\"> <parameters>")]
#[case::span("Close it with `</parameter>`, always.")]
#[case::wide_span("Write ``a ` </parameter>`` so.")]
#[case::block("Like this:\n\n```xml\n</parameter>\n<parameter name=\"x\">\n```\n\nDone.")]
#[case::tildes("~~~\n</invoke>\n~~~")]
#[case::unfinished("a </parameter")]
#[case::broken("</parameter\n>")]
#[case::sentence("Never emit </parameter> in output")]
#[case::begins_a_sentence("</parameter> is never emitted")]
#[case::several_in_a_sentence("Close it with </parameter></invoke> as ever.\nAlways.")]
#[case::with_a_name("Send <parameter name=\"scope\"> as a list")]
#[case::pair_in_a_sentence("Write <parameter name=\"x\">1</parameter>")]
#[case::somebodys_xml("<b>Do</b> <parameter name=\"x\">it")]
#[case::text_between("One.</parameter> two <parameter name=\"x\">three")]
fn anything_else_stays(#[case] text: &str) {
    assert!(matches!(strip_markup(text), Cow::Borrowed(same) if same == text));
}

#[rstest]
#[case::one("Do X.</parameter>\n<parameter name=\"body\">Details", &[(Some("body"), "Details")])]
#[case::own_end("Do X.</description>\n<§parameter name=\"body\">Details</§parameter>\n</§invoke>", &[(Some("body"), "Details")])]
#[case::two(
    "Do X.</parameter>\n<parameter name='body'>A\nB</body>\n<parameter name=\"keywords\">[\"c\"]",
    &[(Some("body"), "A\nB"), (Some("keywords"), "[\"c\"]")]
)]
#[case::another_call(
    "X.</parameter></invoke><invoke name=\"save\"><parameter name=\"title\">T</parameter>",
    &[(None, "T")]
)]
fn what_is_cut_off_is_told(#[case] text: &str, #[case] others: &[(Option<&'static str>, &str)]) {
    let text = prefixed(text);
    let told = |(name, text): &(Option<&'static str>, &str)| Leaked { name: *name, text: (*text).to_owned() };
    let (end, all) = leaked(&text, |_| false).unwrap();
    assert_eq!(all, others.iter().map(told).collect::<Vec<_>>());
    assert_eq!(strip_markup(&text), strip_markup(&text[..end]));
}

#[test]
fn nothing_leaks_out_of_a_text_that_is_not_cut() {
    for text in [
        "Use UTC.",
        "Use UTC.</parameter>",
        "a</parameter> b <parameter name=\"x\">c",
        "`</a><parameter name=\"x\">`",
    ] {
        assert_eq!(leaked(text, |_| false), None);
    }
}

#[rstest]
#[case::closed("Do X.\n<parameter name=\"scope\">[\"user\"]</parameter>", Some((6, "[\"user\"]")))]
#[case::prefixed("Do X.\n<§parameter name=\"scope\">[\"user\"]</§parameter>\n</§invoke>", Some((6, "[\"user\"]")))]
#[case::not_closed("Do X.\n  <parameter name=\"scope\">all", Some((8, "all")))]
#[case::in_the_line("Do X.<parameter name=\"scope\">all</parameter>", Some((5, "all")))]
#[case::in_a_sentence("Send <parameter name=\"scope\"> as a list", None)]
#[case::in_the_midst("Do X.\n<parameter name=\"scope\">all</parameter>\nThen Y.", None)]
#[case::at_the_beginning("\n<parameter name=\"scope\">Do X.</parameter>", None)]
#[case::of_something_else("Do X.\n<parameter name=\"colour\">red</parameter>", None)]
#[case::in_code("Do X.\n`<parameter name=\"scope\">all</parameter>`", None)]
fn another_argument_counts_also_where_nothing_ended_the_text(
    #[case] text: &str,
    #[case] scope: Option<(usize, &str)>,
) {
    let text = prefixed(text);
    let told = |(at, text): (usize, &str)| (at, vec![Leaked { name: Some("scope"), text: text.to_owned() }]);
    assert_eq!(leaked(&text, |name| name == "scope"), scope.map(told));
}

proptest! {
    #[test]
    fn text_without_tags_is_not_touched(text in any_text()) {
        prop_assert_eq!(strip_markup(&text), text.as_str());
    }

    #[test]
    fn what_comes_before_a_leak_stays(text in "[a-z .\n]{0,20}[a-z]", rest in any_text()) {
        let leaked = format!("{text}</parameter>\n<parameter name=\"x\">{rest}");
        prop_assert_eq!(strip_markup(&leaked), text);
    }
}

#[test]
fn a_text_of_nothing_but_tags_is_looked_through_once() {
    // With a look back to the beginning at each of them this would take minutes.
    let text = "<parameter name=\"a\">x".repeat(50_000);
    assert_eq!(strip_markup(&text), text["<parameter name=\"a\">".len()..]);
    let text = "a</parameter>\n".repeat(50_000);
    assert_eq!(strip_markup(&text), "a\n".repeat(50_000).trim_end());
    assert_eq!(leaked(&text, |_| true), None);
}
