use proptest::prelude::*;
use rstest::rstest;

use super::{TITLES, any_text};
use crate::text::{Document, Front, FrontProblem, Section, split};

fn front(title: &str) -> Front {
    let mut front = Front::new();
    front.set_text("id", "D-001");
    front.set_text("title", title);
    front
}

/// What is left of a text in a document: its lines end with `\n`, and it has no blank lines around it.
fn kept(text: &str) -> String {
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut rest = unix.trim_end();
    while let Some((line, below)) = rest.split_once('\n')
        && line.trim().is_empty()
    {
        rest = below;
    }
    rest.to_owned()
}

#[test]
fn a_canonical_document() {
    let document = Document::compose(
        front("Use UTC"),
        "Use UTC",
        "Everywhere.\n",
        &[("Reasoning", "One clock."), ("Notes", "")],
    );
    let text = "---\nid: D-001\ntitle: Use UTC\n---\n\n# Use UTC\n\nEverywhere.\n\n## Reasoning\n\nOne clock.\n\n## Notes\n";
    assert_eq!(document.to_text(), text);
    let read = Document::parse(text).unwrap();
    assert_eq!((read.title(), read.lead()), ("Use UTC", "Everywhere."));
    assert_eq!(
        read.sections().collect::<Vec<_>>(),
        [Section { heading: "Reasoning", text: "One clock." }, Section { heading: "Notes", text: "" }]
    );
    assert_eq!(read.section("reasoning"), Some("One clock."));
    assert_eq!(read.section("Details"), None);
}

#[test]
fn text_that_looks_like_structure_stays_text() {
    let lead = "# x\n## Details\n### deeper\n---\n#tag\n\\# y\n<<<<<<< HEAD\n=======\n>>>>>>>> b\n========\n```\n# code\n\\# code\n<<<<<<< code\n```\n- ```\nopen";
    let document = Document::compose(front("T"), "T", lead, &[("Details", "~~~ open")]);
    assert_eq!(
        document.body(),
        "\n# T\n\n\\# x\n\\## Details\n### deeper\n---\n#tag\n\\\\# y\n\\<<<<<<< HEAD\n\\=======\n\\>>>>>>>> b\n========\n```\n# code\n\\# code\n<<<<<<< code\n```\n- \\```\nopen\n\n## Details\n\n\\~~~ open\n"
    );
    let read = Document::parse(&document.to_text()).unwrap();
    assert_eq!(read.lead(), lead);
    assert_eq!(read.sections().collect::<Vec<_>>(), [Section { heading: "Details", text: "~~~ open" }]);
}

#[rstest]
#[case::nothing("")]
#[case::no_front("# T\n\nlead\n")]
#[case::bom("\u{feff}---\nid: 1\n---\n# T\n")]
#[case::crlf("---\r\nid: 1\r\n---\r\n\r\n# T\r\n\r\nlead\r\n\r\n## A\r\ntext\r\n")]
#[case::no_end("---\nid: 1\n---")]
#[case::empty_front("---\n---\ntext")]
#[case::rule_with_blanks("--- \nid: 1\n---\t\nx")]
#[case::rules_in_body("---\nid: 1\n---\n\n---\n\ntext\n\n---\n")]
#[case::comments("---\n# c\nid:   1 # d\nx: {a: [1]}\n---\n\n\n#  T  \nlead\n##\n##  A  \n\n\n")]
#[case::setext("Heading\n=======\n\ntext\n")]
#[case::open_fence("# T\n\n```\n## no section\n")]
fn an_untouched_file_is_written_back(#[case] text: &str) {
    assert_eq!(Document::parse(text).unwrap().to_text(), text);
}

#[test]
fn parts_of_a_hand_written_file() {
    let read = Document::parse("\u{feff}---\r\nid: 1\r\n---\r\n#  T \r\n    code\r\nlead\r\n\r\n# not a title\r\n## A\r\ntext\r\n\r\n").unwrap();
    assert_eq!((read.title(), read.lead()), ("T", "    code\nlead\n\n# not a title"));
    assert_eq!(read.sections().collect::<Vec<_>>(), [Section { heading: "A", text: "text" }]);
    let bare = Document::parse("text\n# later\n").unwrap();
    assert_eq!((bare.title(), bare.lead(), bare.has_front()), ("", "text\n# later", false));
}

const NO_OPENING: &str = "the front matter begins here without the line `---` that belongs above it";

#[test]
fn no_front_matter_is_no_problem() {
    assert!(split("# T\n").unwrap().front.is_none());
    // A rule below a blank line begins front matter only if that is what follows.
    for body in ["\n---\n\nText below a rule\n---\n", "\n---\n", "\n\n---\n# T\n---\n"] {
        assert!(split(body).unwrap().front.is_none(), "{body:?}");
    }
    for body in ["Heading: one\n---\n", "a: 1\n", "a: 1\n\nText.\n\n---\n", "Note: this\nis text\n---\n"] {
        assert!(split(body).unwrap().front.is_none(), "{body:?}");
    }
    assert_eq!(split("---\na: 1\n---\nb\n").unwrap().body_line, 4);
}

#[rstest]
#[case::blank_line("\n---\na: 1\nb: 2\n---\n# T\n")]
#[case::more_of_them("  \r\n\t\r\n---\r\na: 1\r\nb: 2\r\n---\r\n# T\r\n")]
#[case::byte_order_mark("\u{feff}\n\u{feff}---\na: 1\nb: 2\n---\n# T\n")]
#[case::comment("\n---\n# about it\na: 1\nb: 2\n---\n# T\n")]
fn blank_lines_above_front_matter_do_not_hide_it(#[case] text: &str) {
    let mut read = Document::parse(text).unwrap();
    assert_eq!(read.front().text("b"), Some("2"));
    assert_eq!((read.title(), read.to_text()), ("T", text.to_owned()));
    let line = text.lines().position(|line| line.starts_with("b:")).unwrap() + 1;
    assert_eq!(read.front().line_of("b"), Some(line));
    assert_eq!(split(text).unwrap().body_line, line + 2);
    read.front_mut().set_text("b", "x");
    assert_eq!(read.to_text(), text.replace("b: 2", "b: x"));
}

#[test]
fn a_problem_below_blank_lines_has_the_line_of_the_file() {
    for (text, line) in [
        ("\n\n---\na: 1\nb: [\n---\n", 5),
        ("\n---\na: 1\na: 2\n---\n", 4),
        ("\n---\na: 1\n=======\n---\n", 4),
        ("\n---\na: 1\n", 2),
    ] {
        assert_eq!(Document::parse(text).unwrap_err().line, line, "{text:?}");
    }
}

#[test]
fn text_that_looks_like_front_matter_stays_text() {
    for lead in ["---\na: 1\n---\nb", "a: 1\nb: 2\n---\nc"] {
        let text = Document::compose(Front::new(), "", lead, &[("A", "b")]).to_text();
        let read = Document::parse(&text).unwrap();
        assert_eq!((read.lead(), read.front().is_empty(), read.to_text()), (lead, true, text));
    }
}

#[rstest]
#[case::opening("id: D-001\ntitle: T\n---\n# T\n", 1, NO_OPENING)]
#[case::one_key("title: T\n---\n", 1, NO_OPENING)]
#[case::below_blanks(
    "\u{feff}\n\nId: D-001\nguard:\n  command: x\n  must_block:\n  - y\n---\n",
    3,
    NO_OPENING
)]
#[case::endless(
    "---\na: 1\n",
    1,
    "the front matter begins here and never ends: the line `---` behind it is missing"
)]
#[case::front(
    "---\na: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n---\n",
    3,
    "has an unresolved merge conflict"
)]
#[case::in_front_of_it("<<<<<<< HEAD\n---\na: 1\n", 1, "has an unresolved merge conflict")]
#[case::before_the_end("---\na: 1\n<<<<<<< HEAD\nb: 1\n", 3, "has an unresolved merge conflict")]
#[case::body("---\r\na: 1\r\n---\r\n\r\ntext\r\n<<<<<<< HEAD\r\n", 6, "has an unresolved merge conflict")]
#[case::half("text\n\n=======\n", 3, "has an unresolved merge conflict")]
#[case::other_half("text\n>>>>>>> branch\n", 2, "has an unresolved merge conflict")]
#[case::of_a_conflict_in_a_conflict(
    "text\n<<<<<<<< HEAD:a.md\none\n========\ntwo\n>>>>>>>> x:b.md\n",
    2,
    "has an unresolved merge conflict"
)]
#[case::longer_half("text\n>>>>>>>>> branch\n", 2, "has an unresolved merge conflict")]
#[case::longer_in_front("---\na: 1\n<<<<<<<< HEAD:a.md\nb: 1\n", 3, "has an unresolved merge conflict")]
#[case::open_fence("```\n<<<<<<< HEAD\n", 2, "has an unresolved merge conflict")]
fn a_file_that_cannot_be_read(#[case] text: &str, #[case] line: usize, #[case] reason: &str) {
    assert_eq!(Document::parse(text).unwrap_err(), FrontProblem { line, reason: reason.to_owned() });
}

#[rstest]
#[case::shown("```\n<<<<<<< HEAD\n=======\n>>>>>>> x\n```\n")]
#[case::indented("    <<<<<<< HEAD\n")]
#[case::heading("Seven\n=======\n")]
#[case::longer_heading("Eight\n========\n")]
#[case::longer_line("text\n\n==========\n")]
#[case::shorter("<<<<<< x\n")]
#[case::no_mark("<<<<<<<<x\n")]
fn not_every_mark_is_a_conflict(#[case] text: &str) {
    assert!(Document::parse(text).is_ok());
}

#[test]
fn changes_leave_the_rest_alone() {
    let text = "---\nid: 1 # one\n---\n\n#  T\n\n\nlead *text*\n## A\nfirst\n\n\n## B\n\nsecond";
    let mut document = Document::parse(text).unwrap();
    document.replace_section("a", "new\n# line");
    document.append_to_section("B", "third");
    assert_eq!(
        document.to_text(),
        "---\nid: 1 # one\n---\n\n#  T\n\n\nlead *text*\n## A\n\nnew\n\\# line\n\n## B\n\nsecond\n\nthird\n"
    );
    document.replace_lead("");
    document.replace_title("New\ntitle");
    document.append_to_section("C", "fourth");
    document.replace_section("D", "");
    document.append_to_section("B", " \n");
    document.front_mut().set_text("id", "2");
    assert_eq!(
        document.to_text(),
        "---\nid: \"2\" # one\n---\n\n# New title\n\n## A\n\nnew\n\\# line\n\n## B\n\nsecond\n\nthird\n\n## C\n\nfourth\n\n## D\n"
    );
}

#[test]
fn crlf_stays() {
    let mut document = Document::parse("---\r\nid: 1\r\n---\r\n\r\n# T\r\n\r\n## A\r\n\r\none").unwrap();
    document.front_mut().set_text("x", "z");
    document.append_to_section("A", "two\nthree");
    document.replace_section("B", "four");
    document.replace_lead("lead\nlead");
    assert_eq!(
        document.to_text(),
        "---\r\nid: 1\r\nx: z\r\n---\r\n\r\n# T\r\n\r\nlead\r\nlead\r\n\r\n## A\r\n\r\none\r\n\r\ntwo\r\nthree\r\n\r\n## B\r\n\r\nfour\r\n"
    );
    assert_eq!(document.section("A"), Some("one\n\ntwo\nthree"));
}

#[test]
fn an_open_fence_is_closed_before_something_follows() {
    let mut document = Document::parse("# T\n\n## A\n\n- ```sh\n  # x\n").unwrap();
    document.append_to_section("A", "below");
    document.append_to_section("B", "more");
    assert_eq!(document.to_text(), "# T\n\n## A\n\n- ```sh\n  # x\n  ```\n\nbelow\n\n## B\n\nmore\n");
}

#[test]
fn a_file_without_front_matter_gets_some() {
    let mut document = Document::parse("text\n").unwrap();
    document.replace_title("T");
    assert_eq!(document.to_text(), "# T\n\ntext\n");
    document.front_mut().set_text("id", "x");
    assert_eq!(document.to_text(), "---\nid: x\n---\n# T\n\ntext\n");
    let mut cut_short = Document::parse("---\nid: x\n---").unwrap();
    cut_short.replace_lead("text");
    assert_eq!(cut_short.to_text(), "---\nid: x\n---\n\ntext\n");
}

#[test]
fn every_title_survives() {
    for title in TITLES {
        let document = Document::compose(front(title), title, title, &[(title, title)]);
        let read = Document::parse(&document.to_text()).unwrap();
        assert_eq!(read.front().text("title"), Some(*title));
        assert_eq!(read.lead(), kept(title), "{title:?}");
        assert_eq!(
            read.sections().map(|section| section.text).collect::<Vec<_>>(),
            [kept(title)],
            "{title:?}"
        );
        assert_eq!((read.title(), read.to_text()), (document.title(), document.to_text()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_file_is_written_back(text in any_text(), front in any_text(), crlf in any::<bool>()) {
        for text in [text.clone(), format!("---\n{front}\n---\n{text}"), format!("\u{feff}---\na: 1\n---\n\n# T\n\n{text}")] {
            let text = if crlf { text.replace('\n', "\r\n") } else { text };
            if let Ok(document) = Document::parse(&text) {
                prop_assert_eq!(document.to_text(), text);
            }
        }
    }

    #[test]
    fn what_is_composed_is_read(
        title in any_text(),
        lead in any_text(),
        sections in proptest::collection::vec(("[A-Za-z# ]{0,6}", any_text()), 0..4),
        with_front in any::<bool>(),
    ) {
        let front = if with_front { front(&title) } else { Front::new() };
        let composed = Document::compose(front, &title, &lead, &sections);
        let read = Document::parse(&composed.to_text()).unwrap();
        prop_assert_eq!(read.to_text(), composed.to_text());
        prop_assert_eq!(read.title(), composed.title());
        prop_assert_eq!(read.lead(), kept(&lead));
        let texts: Vec<_> = read.sections().map(|section| (section.heading.to_owned(), section.text.to_owned())).collect();
        let wanted = |(heading, text): &(String, String)| (heading.split_whitespace().collect::<Vec<_>>().join(" "), kept(text));
        prop_assert_eq!(texts, sections.iter().map(wanted).collect::<Vec<_>>());
    }

    #[test]
    fn any_file_can_be_changed(text in any_text(), crlf in any::<bool>(), lead in any_text(), section in any_text(), more in any_text()) {
        let text = if crlf { format!("# T\n{text}").replace('\n', "\r\n") } else { text };
        let Ok(mut document) = Document::parse(&text) else { return Ok(()) };
        let others = |document: &Document| -> Vec<(String, String)> {
            document.sections().map(|section| (section.heading.to_owned(), section.text.to_owned())).filter(|(heading, _)| heading != "Mine").collect()
        };
        let before = others(&document);
        document.replace_section("Mine", &section);
        let alone = Some(kept(&section));
        prop_assert_eq!(document.section("Mine"), alone.as_deref());
        document.replace_lead(&lead);
        document.append_to_section("Mine", &more);
        let read = Document::parse(&document.to_text()).unwrap();
        let parts = [kept(&section), kept(&more)];
        let both = parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n\n");
        prop_assert_eq!(read.section("Mine"), Some(both.as_str()));
        prop_assert_eq!(read.lead(), kept(&lead));
        let open = before.iter().any(|(_, text)| text.contains("```") || text.contains("~~~"));
        if !open {
            prop_assert_eq!(others(&read), before);
        }
    }
}

#[test]
fn an_endless_block_of_code_ends_where_a_section_begins() {
    let text = "# A\n\nRun this:\n```sh\nmake all\n\n## Details\n\nMuch.\n";
    let mut document = Document::parse(text).unwrap();
    assert_eq!((document.unclosed_at(), document.section("Details")), (Some(3), Some("Much.")));
    assert_eq!(document.lead(), "Run this:\n```sh\nmake all");
    document.append_to_section("Details", " \n");
    assert_eq!(document.to_text(), text);
    document.replace_lead("Run make.");
    assert_eq!(document.to_text(), "# A\n\nRun make.\n\n## Details\n\nMuch.\n");
    assert_eq!((document.unclosed_at(), document.section("Details")), (None, Some("Much.")));
}

#[rstest]
#[case::lf("\n")]
#[case::crlf("\r\n")]
fn whatever_is_added_leaves_the_sections_below_an_endless_block_of_code(#[case] newline: &str) {
    let text =
        "# A\n\nRun this:\n```sh\nmake all\n\n## Notes\n\nOne.\n\n## Details\n\n~~~\nMuch.\n\n## More\n";
    let mut document = Document::parse(&text.replace('\n', newline)).unwrap();
    let note = "Try:\n\n```\nmake -k\n```";
    document.append_to_section("Notes", note);
    document.append_to_section("Notes", "Three.");
    document.append_to_section("Later", "x");
    let written = document.to_text();
    let mended = format!(
        "# A\n\nRun this:\n```sh\nmake all\n```\n\n## Notes\n\nOne.\n\n{note}\n\nThree.\n\n## Details\n\n~~~\nMuch.\n~~~\n\n## More\n\n## Later\n\nx\n"
    );
    assert_eq!(written, mended.replace('\n', newline));
    let read = Document::parse(&written).unwrap();
    assert_eq!(read.unclosed_at(), None);
    assert_eq!(read.section("Notes"), Some(format!("One.\n\n{note}\n\nThree.").as_str()));
    let headings: Vec<_> = read.sections().map(|section| section.heading).collect();
    assert_eq!(headings, ["Notes", "Details", "More", "Later"]);
    // The same goes for a section that is replaced.
    let mut document = Document::parse(text).unwrap();
    document.replace_section("Details", note);
    assert_eq!((document.section("Notes"), document.section("Details")), (Some("One."), Some(note)));
}

#[test]
fn what_is_secret_is_taken_out_and_nothing_else() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!(
        "---\ntitle: {token}\nkeywords: [a, {token}] # both\nother: x\n---\n\n# A\n\nUse {token}.\n\n## More\n\n<private>mine</private> and yours.\n"
    );
    let document = Document::parse(&text).unwrap();
    let clean = document.without_secrets();
    assert_eq!(document.to_text(), text);
    let mark = custos_redact::redact(&token).into_owned();
    assert_eq!(clean.front().text("title"), Some(mark.as_str()));
    assert_eq!(clean.front().list("keywords"), ["a", &mark]);
    assert_eq!(clean.lead(), format!("Use {mark}."));
    assert!(!clean.to_text().contains("ghp_") && !clean.to_text().contains("mine"), "{}", clean.to_text());
    assert!(clean.to_text().ends_with(" and yours.\n"));
    // Nearly all files have none, and are not copied.
    let plain = Document::parse("---\ntitle: A\n---\n\n# A\n\nText.\n").unwrap();
    assert!(matches!(plain.without_secrets(), std::borrow::Cow::Borrowed(_)));
}

#[test]
fn a_private_tag_that_nobody_closed_hides_no_more_than_its_part() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!(
        "---\ntitle: A\n---\n\n# Say what <private> does\n\nLead.\n\n## Notes\n\n```\n<private>\nmine\n```\nmine too\n\n## Details\n\nA {token}, <private>mine</private> and yours.\n\n```\n## Code\n```\n"
    );
    let document = Document::parse(&text).unwrap();
    let clean = document.without_secrets();
    assert_eq!((clean.title(), clean.lead()), ("Say what [redacted:private]", "Lead."));
    assert_eq!(clean.section("Notes"), Some("```\n[redacted:private]\n```"));
    let mark = custos_redact::redact(&token).into_owned();
    let details = format!("A {mark}, [redacted:private] and yours.\n\n```\n## Code\n```");
    assert_eq!(clean.section("Details"), Some(details.as_str()));
    assert_eq!(clean.sections().count(), 2);
    // One that is closed hides all that is between, in whatever part it ends.
    let closed = Document::parse("# A\n\n<private>\n\n## B\n\nmine\n\n## C\n\n</private> yours\n").unwrap();
    assert_eq!(closed.without_secrets().body(), "# A\n\n[redacted:private] yours\n");
    let last = Document::parse("# A\n\nYours.\n\n## B\n\n<private>\n\n## C\n\nmine</private>").unwrap();
    assert_eq!(last.without_secrets().body(), "# A\n\nYours.\n\n## B\n\n[redacted:private]");
    // Which of two tags the end belongs to nobody can tell.
    let one_end = "# A\n\nUse the <private> tag.\n\n<private>\nmine\n\n## B\n\nmine2\n</private>\n";
    let clean = Document::parse(one_end).unwrap().without_secrets().body().to_owned();
    assert_eq!(clean, "# A\n\nUse the [redacted:private]");
}

#[rstest]
#[case::a_tag_over_two_parts("# A\n\n<private\n## B>\n\nmine\n")]
#[case::more_of_them_than_anybody_speaks_of(&"## A\n\n<private>mine\n\n".repeat(40))]
#[case::another_spelling("# A\n\n&lt;private&gt; mine</private>\nmine\n\n## B\n\nyours\n")]
fn what_stands_behind_a_private_tag_is_never_shown(#[case] text: &str) {
    let document = Document::parse(text).unwrap();
    let clean = document.without_secrets();
    assert!(!clean.body().contains("mine"), "{}", clean.body());
}
