use proptest::prelude::*;
use rstest::rstest;

use super::*;

const BLOCK: &str = "<!-- custos:begin -->\none\ntwo\n<!-- custos:end -->";

#[rstest]
#[case::nothing("", &format!("{BLOCK}\n"))]
#[case::lines("# Title\n", &format!("# Title\n\n{BLOCK}\n"))]
#[case::blank_line_already("# Title\n\n", &format!("# Title\n\n\n{BLOCK}\n"))]
#[case::no_line_end("# Title", &format!("# Title\n\n{BLOCK}"))]
#[case::blank("\n", &format!("\n\n{BLOCK}\n"))]
#[case::byte_order_mark("\u{feff}", &format!("\u{feff}{BLOCK}\n"))]
#[case::carriage_returns("# Title\r\n", &format!("# Title\n\n{BLOCK}\n").replace('\n', "\r\n"))]
#[case::marker_in_a_sentence("See `<!-- custos:begin -->`.\n", &format!("See `<!-- custos:begin -->`.\n\n{BLOCK}\n"))]
fn the_block_is_appended_and_comes_out_without_a_trace(#[case] before: &str, #[case] after: &str) {
    assert_eq!(put(Some(before), "one\ntwo\n").unwrap(), after);
    assert_eq!(put(Some(after), "one\ntwo").unwrap(), after);
    assert_eq!(remove(after).unwrap(), before);
}

#[test]
fn the_block_is_replaced_where_it_is() {
    let text = format!("above\n\n{BLOCK}\nbelow\n");
    let new = put(Some(&text), "three").unwrap();
    assert_eq!(new, "above\n\n<!-- custos:begin -->\nthree\n<!-- custos:end -->\nbelow\n");
    // Without the blank line, two paragraphs would become one.
    assert_eq!(remove(&new).unwrap(), "above\n\nbelow\n");
    assert_eq!(remove(&format!("above\n\n{BLOCK}\n\nbelow\n")).unwrap(), "above\n\nbelow\n");
    assert_eq!(remove(&format!("```\n{BLOCK}\n```\n")).unwrap(), "```\n```\n");
    assert_eq!(remove("nothing of ours\n").unwrap(), "nothing of ours\n");
}

#[rstest]
#[case("a\n<!-- custos:begin -->\nb\n", BlockError::Unclosed { at: Spot { line: 2, column: 1 } })]
#[case("a\n<!-- custos:end -->\n", BlockError::Unopened { at: Spot { line: 2, column: 1 } })]
#[case(&format!("{BLOCK}\n{BLOCK}\n"), BlockError::Second { at: Spot { line: 5, column: 1 } })]
#[case("<!-- custos:begin -->\n<!-- custos:begin -->\n<!-- custos:end -->", BlockError::Second { at: Spot { line: 2, column: 1 } })]
fn broken_markers_are_an_error(#[case] text: &str, #[case] error: BlockError) {
    assert_eq!(put(Some(text), "x"), Err(error.clone()));
    assert_eq!(remove(text), Err(error));
}

#[test]
fn a_body_with_a_marker_is_an_error() {
    assert_eq!(put(None, "a\n <!-- custos:end -->\n"), Err(BlockError::MarkerInside));
}

proptest! {
    #[test]
    fn any_text_comes_back(text in "(\u{feff})?([a# ]{0,3}\n){0,4}[a ]{0,2}|([a# ]{0,3}\r\n){0,4}[a ]{0,2}") {
        let once = put(Some(&text), "body").unwrap();
        prop_assert_eq!(&put(Some(&once), "body").unwrap(), &once);
        prop_assert_eq!(remove(&once).unwrap(), text);
    }
}
