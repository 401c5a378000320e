use custos_knowledge::text::Fences;
use rstest::rstest;
use serde_json::json;

use super::*;

fn cut(text: &str, most: usize) -> Vec<&str> {
    Outline::of(text, 0).cut(text, most)
}

fn pages(list: &List<'_>) -> Vec<Page> {
    (1..=list.page(None).of).map(|number| list.page(Some(number))).collect()
}

#[test]
fn a_short_text_is_one_page_and_says_nothing_about_it() {
    let only = |text: &str| Page {
        text: text.to_owned(),
        number: 1,
        of: 1,
        items: 0..0,
        continued: None,
        parts: Vec::new(),
    };
    assert_eq!(page("a\nb\n", Some(1)), only("a\nb"));
    let beyond = Page { number: 9, ..only("(there is no page 9; the last one is 1)") };
    assert_eq!(page("a\nb\n", Some(9)), beyond);
    assert_eq!(page("", None), only(""));
}

#[test]
fn pages_are_cut_on_lines_and_leave_no_heading_behind() {
    let text = "one\ntwo\nthree\nfour\n## Five\nsix\n";
    assert_eq!(cut(text, 27), ["one\ntwo\nthree\nfour\n", "## Five\nsix\n"]);
}

#[test]
fn all_pages_together_are_the_whole_text() {
    let line = "ä long line with words in it, again and again\n";
    let text = format!("{}{}", "## Heading\n\n".repeat(40), line.repeat(3_000));
    assert_eq!(cut(&text, PAGE).concat(), text);
    assert!(cut(&text, PAGE).iter().all(|piece| piece.len() <= PAGE));
    let beyond = page(&text, Some(99));
    assert_eq!(
        (beyond.number, beyond.of, beyond.text.as_str()),
        (99, 8, "(there is no page 99; the last one is 8)")
    );
    assert!(page(&text, Some(8)).text.ends_with("(page 8 of 8; the last)"));
    let longest = (1..=8).map(|number| page(&text, Some(number)).text.len()).max();
    assert!(longest <= Some(PAGE), "{longest:?}");
}

#[test]
fn a_list_is_cut_between_its_items_and_every_page_names_its_own() {
    let lengths = [9_000, 8_000, 5_000, 14_000, 45_000, 10, 10];
    let mut list = List::default();
    for (at, length) in lengths.iter().enumerate() {
        list.say(&format!("## Item {at}\n\n"));
        list.item(format!("{}\n\n", "x".repeat(*length)));
    }
    list.say("The end.");
    let pages = pages(&list);
    let items: Vec<_> = pages.iter().map(|page| page.items.clone()).collect();
    assert_eq!(items, [0..2, 2..4, 4..5, 5..5, 5..7]);
    let continued: Vec<_> = pages.iter().map(|page| page.continued).collect();
    assert_eq!(continued, [None, None, None, Some(4), Some(4)]);
    for page in &pages {
        assert!(page.text.len() <= PAGE);
        let headings = page.text.lines().filter_map(|line| line.strip_prefix("## Item ")?.parse().ok());
        assert_eq!(headings.collect::<Vec<usize>>(), page.items.clone().collect::<Vec<_>>());
    }
    assert!(pages[4].text.ends_with("The end.\n\n(page 5 of 5; the last)"));
}

#[test]
fn every_page_says_whose_its_items_are() {
    let mut list = List::beginning_with("> Of a stranger.\n\n".to_owned());
    for (section, count) in [("## Mine", 300), ("## Yours", 500)] {
        list.section(&format!("{section}\n\n"));
        for number in 0..count {
            list.item(format!("- {section} {number} {}\n", "x".repeat(60)));
        }
        list.say("\n");
    }
    list.section("<!-- map -->\n");
    list.item("way\n".repeat(9_000));
    list.say("The end.");
    let pages = pages(&list);
    let head = |page: &Page| page.text.lines().take(4).collect::<Vec<_>>().join("\n");
    assert_eq!(
        pages.iter().map(head).collect::<Vec<_>>(),
        [
            "> Of a stranger.\n\n## Mine\n",
            "> Of a stranger.\n\n## Mine (continued)\n",
            "> Of a stranger.\n\n## Yours (continued)\n",
            "> Of a stranger.\n\n## Yours (continued)\n",
            "> Of a stranger.\n\n<!-- map -->\nway",
            "> Of a stranger.\n\n<!-- map (continued) -->\nway",
        ]
    );
    assert!(pages.iter().all(|page| page.text.len() <= PAGE));
}

#[test]
fn a_page_that_begins_within_an_item_repeats_the_heading_that_it_begins_below() {
    let mut list = List::default();
    list.section("# D-101: Long\n\n");
    let [why, code] = ["because\n".repeat(3_000), "```\n# no heading\n```\n".repeat(900)];
    list.item(format!("Text.\n\n## Reasoning\n\n{why}### Proof of {}\n\n{code}", "it ".repeat(200)));
    let pages = pages(&list);
    let head =
        |page: &Page| page.text.lines().take(5).map(|line| one_line(line, 25)).collect::<Vec<_>>().join("\n");
    assert_eq!(
        pages.iter().map(head).collect::<Vec<_>>(),
        [
            "# D-101: Long\n\nText.\n\n## Reasoning",
            "# D-101: Long (continued)\n\n## Reasoning (continued)\n\nbecause",
            "# D-101: Long (continued)\n\n### Proof of it it it it…\n\n```",
        ]
    );
    assert!(pages.iter().all(|page| page.text.len() <= PAGE));
}

#[test]
fn a_block_of_code_may_show_another() {
    let mut list = List::default();
    let code = "````\n```\n# no heading\n```\n````\n";
    list.item(format!("## Shown\n\n{}## Last\n\n{}", code.repeat(900), "text\n".repeat(4_000)));
    let heads: Vec<String> = (1..=list.page(None).of)
        .map(|number| list.page(Some(number)).text.lines().next().unwrap().to_owned())
        .collect();
    assert_eq!(heads, ["## Shown", "## Shown (continued)", "## Last (continued)"]);
    // A line that is cut is one line: what its rest begins with is no heading.
    let text = format!("## One\n\n{}# no heading\n```\n## Two\n\nlast\n", "x".repeat(PAGE));
    let found = Outline::of(&text, 0);
    assert_eq!(found.headings.iter().map(|(_, heading)| *heading).collect::<Vec<_>>(), ["## One"]);
    let [within, at_two] = ["# no heading", "## Two"].map(|place| text.find(place).unwrap());
    assert_eq!(found.below(within, &text[within..]), "## One");
    assert_eq!(Outline::of(&text.replace("```", "xxx"), 0).below(at_two, &text[at_two..]), "");
}

#[rstest]
#[case::backticks("```rust", "```", "```")]
#[case::many_of_them("`````", "`````", "`````")]
#[case::tildes("~~~~ text, and more", "~~~~~  ", "~~~~")]
#[case::indented("   ```rust", "  ```", "```")]
#[case::in_a_list("- ```rust", "  ```", "  ```")]
fn every_page_of_a_long_block_of_code_is_a_block(
    #[case] opening: &str,
    #[case] last: &str,
    #[case] closing: &str,
) {
    let code: String = (0..2_000).map(|line| format!("    let x{line} = 1; # no heading\n")).collect();
    let mut list = List::default();
    list.item(format!("Text.\n\n## Code\n\n{opening}\n{code}{last}\n\n## Behind\n\nThe end.\n"));
    let found = pages(&list);
    let around = |page: &Page| {
        let (text, _) = page.text.rsplit_once("\n\n(page ").unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let is_code = |line: &&&str| line.starts_with("    let");
        let begin = lines.iter().take_while(|line| !is_code(line)).copied().collect::<Vec<_>>().join("\n");
        let end = lines.iter().rev().take_while(|line| !is_code(line)).copied().collect::<Vec<_>>();
        (begin, end.into_iter().rev().collect::<Vec<_>>().join("\n"))
    };
    let (first, again) =
        (format!("Text.\n\n## Code\n\n{opening}"), format!("## Code (continued)\n\n{opening}"));
    let behind = format!("{last}\n\n## Behind\n\nThe end.");
    let [closing, behind] = [closing.to_owned(), behind];
    let expected = [
        (first, closing.clone()),
        (again.clone(), closing.clone()),
        (again.clone(), closing),
        (again, behind),
    ];
    assert_eq!(found.iter().map(around).collect::<Vec<_>>(), expected);
    let shown = found.iter().flat_map(|page| page.text.lines()).filter(|line| line.starts_with("    let"));
    assert_eq!(shown.map(|line| format!("{line}\n")).collect::<String>(), code);
    assert!(found.iter().all(|page| page.text.len() <= PAGE));
    // The data hold the text itself.
    let parts: Vec<&str> = found.iter().flat_map(|page| &page.parts).map(|(_, part)| part.as_str()).collect();
    assert!(!parts[1].starts_with(opening.trim_start()) && parts[3].contains(last.trim()), "{}", parts[1]);
}

#[test]
fn a_block_of_code_stays_whole_where_it_almost_does() {
    let cut = |text: &str, most: usize| cut(text, most).into_iter().map(str::to_owned).collect::<Vec<_>>();
    // Behind its first line, before its last one, and right behind it.
    let text = "one\ntwo\nthree\n```\ncode\n```\nfour\n";
    assert_eq!(cut(text, 18), ["one\ntwo\nthree\n", "```\ncode\n```\nfour\n"]);
    assert_eq!(cut(text, 24), ["one\ntwo\nthree\n```\ncode\n```\n", "four\n"]);
    assert_eq!(cut(text, 27), ["one\ntwo\nthree\n```\ncode\n```\n", "four\n"]);
    // A comment leads up to nothing, and a heading before the block goes with it.
    let text = "one\ntwo\n```\n# three\nfour\n```\n";
    assert_eq!(cut(text, 21), ["one\ntwo\n```\n# three\n", "four\n```\n"]);
    let text = "one\ntwo\n## Three\n\n```\nfour\n```\n";
    assert_eq!(cut(text, 22), ["one\ntwo\n", "## Three\n\n```\nfour\n```\n"]);
}

#[rstest]
#[case::of_lines("```\n", "line\n", 9_000)]
#[case::of_one_line("```\n", "word ", 9_000)]
#[case::with_a_long_first_line(
    "```rust words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words words\n",
    "line\n",
    9_000
)]
#[case::that_nothing_ends("Text.\n\n~~~\n", "line\n", 9_000)]
fn no_page_leaves_a_block_of_code_open(#[case] opening: &str, #[case] line: &str, #[case] count: usize) {
    let end = if opening.contains('~') { "" } else { "\n```\n\nText.\n" };
    let text = format!("{opening}{}{end}", line.repeat(count));
    let of = page(&text, None).of;
    for number in 1..=of {
        let page = page(&text, Some(number));
        let mut fences = Fences::default();
        let said = page.text.rsplit_once("\n\n(page ").unwrap().0;
        let in_code = said.lines().filter(|line| fences.holds(line)).count();
        let is_over = fences.open().is_none() || (number == of && end.is_empty());
        assert!(is_over && in_code > 2 && page.text.len() <= PAGE, "{number}: {said}");
    }
    assert_eq!(of, 3);
}

#[test]
fn marks_without_number_are_left_alone() {
    let marks = "`".repeat(9_000);
    let text = format!("{marks}\n{}{marks}\n", "line\n".repeat(4_000));
    let said: Vec<String> = (1..=page(&text, None).of).map(|number| page(&text, Some(number)).text).collect();
    assert!(said.iter().all(|page| page.len() <= PAGE));
    assert_eq!(said.iter().map(|page| page.matches('`').count()).sum::<usize>(), 18_000);
}

#[test]
fn what_follows_the_last_section_is_not_of_it() {
    let mut list = List::default();
    list.section("## Mine\n\n");
    list.item("x\n".repeat(9_900));
    list.say("y\n".repeat(200).as_str());
    let last = list.page(Some(2));
    assert_eq!((last.of, last.text.starts_with("y\ny\n")), (2, true), "{}", last.text);
}

#[test]
fn the_data_hold_what_the_page_shows() {
    let mut list = List::default();
    let texts = ["short".to_owned(), "word\n".repeat(5_000), "last".to_owned()];
    for text in &texts {
        list.section("# Item\n\n");
        list.item(format!("{text}\n"));
    }
    let mut data = Vec::new();
    for number in 1..=list.page(None).of {
        let page = list.page(Some(number));
        for item in page.shown() {
            let mut of_item = json!({ "item": item });
            page.add_texts(item, &mut of_item, &[("whole", json!(texts[item]))]);
            data.push(of_item);
        }
    }
    let [first, parts @ .., last] = &data[..] else { panic!("{data:?}") };
    assert_eq!(*first, json!({ "item": 0, "whole": "short" }));
    assert_eq!(*last, json!({ "item": 2, "whole": "last" }));
    let parts: Vec<&str> = parts.iter().map(|part| part["text"].as_str().unwrap()).collect();
    assert_eq!((parts.len(), parts.join("\n")), (2, texts[1].trim_end().to_owned()));
}

#[test]
fn a_line_longer_than_a_page_is_cut_where_it_must() {
    let text = "語".repeat(PAGE / 3 + 5);
    assert_eq!(cut(&text, PAGE).iter().map(|piece| piece.chars().count()).collect::<Vec<_>>(), [PAGE / 3, 5]);
}
