//! Input that was made to hurt: whatever it is, the answer comes in time that grows with its length.

use rstest::rstest;

use crate::text::{Document, clean_title, equivalent, points_at, similarity, slug, strip_markup, tidy};

#[rstest]
#[case("```a\n")]
#[case("```\n~~~~\n")]
#[case("`")]
#[case("` `` ")]
#[case("# \n")]
#[case("\\")]
#[case("\\\n")]
#[case("- ")]
#[case("1. ")]
#[case("---\n")]
#[case("a:\n")]
#[case("- - ```\n")]
#[case("<")]
#[case("<|a")]
#[case("</parameter>")]
#[case("</parameter>\n</invoke>")]
#[case("<parameter name=")]
#[case("=======\n")]
#[case("\r")]
#[case("\u{200d}👩")]
#[case("e\u{301}\u{301}")]
#[case("D-1 ")]
#[case("é: \"\n")]
#[case("don't ")]
#[case("<private>")]
#[case("## A\n<private>\n")]
#[case("## A\n```a\n")]
#[case("## A\n~~~\n<private>\n")]
fn much_of_the_same(#[case] piece: &str) {
    let text = piece.repeat(60_000 / piece.len());
    let name = slug(&text, 50);
    assert!(name.len() <= 50);
    let _ = clean_title(&text);
    let _ = points_at(&text);
    assert!(equivalent(&text, &text));
    let _ = similarity(&text, "x");
    assert!(strip_markup(&text).len() <= text.len());
    assert!(tidy(&text).len() <= text.len());
    for file in [text.clone(), format!("---\n{text}\n---\n"), format!("---\na: 1\n---\n{text}")] {
        if let Ok(document) = Document::parse(&file) {
            assert_eq!(document.to_text(), file);
            assert!(document.without_secrets().body().len() <= 2 * file.len() + 100);
            let mut longer = document;
            longer.append_to_section("Notes", "```\nx\n```");
            assert_eq!((longer.section("Notes"), longer.unclosed_at()), (Some("```\nx\n```"), None));
        }
    }
    let composed = Document::compose(crate::text::Front::new(), &text, &text, &[("A", &text)]);
    assert_eq!(Document::parse(&composed.to_text()).unwrap().to_text(), composed.to_text());
}

#[test]
fn a_billion_laughs_are_a_problem_of_the_file() {
    let mut yaml = "a: &a [x, x]\n".to_owned();
    for pair in ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].windows(2) {
        yaml.push_str(&format!("{}: &{} [*{}, *{}]\n", pair[1], pair[1], pair[0], pair[0]));
    }
    let problem = Document::parse(&format!("---\n{yaml}---\n")).unwrap_err();
    assert_eq!(problem.line, 3);
}
