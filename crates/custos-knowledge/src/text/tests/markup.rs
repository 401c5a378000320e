use std::borrow::Cow;

use proptest::prelude::*;
use rstest::rstest;

use super::any_text;
use crate::text::strip_markup;

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
#[case::text_behind("One.</parameter>\nTwo.", "One.\nTwo.")]
#[case::text_between("One.</parameter> two <parameter name=\"x\">three", "One. two three")]
#[case::later("One.</parameter> two.</parameter><parameter name=\"x\">three", "One. two.")]
#[case::beginning("<parameter name=\"title\">One", "One")]
#[case::beginning_of_call("<§function_calls>\n<§invoke name=\"x\">One", "\nOne")]
#[case::tool_call("One<tool_call></tool_call>", "One")]
#[case::tokens("One<|im_end|>\n<|endoftext|>", "One")]
#[case::wide_token("One<｜tool▁calls▁begin｜>two", "Onetwo")]
#[case::open_backtick("it`s so</parameter>", "it`s so")]
#[case::after_code("`a`</parameter>", "`a`")]
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
fn anything_else_stays(#[case] text: &str) {
    assert!(matches!(strip_markup(text), Cow::Borrowed(same) if same == text));
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
