//! Any text in, a vector out.

use custos_embed::MiniLm;
use proptest::collection::vec;
use proptest::prelude::*;

/// Asserts that a text has a direction like any other.
fn assert_embeds(text: &str, max_tokens: usize) {
    let model = MiniLm::new();
    let embedding = model.embedding(text, max_tokens);
    let square: f32 = embedding.iter().map(|number| number * number).sum();
    assert!((square - 1.0).abs() < 1e-4, "{square} for {:?}", text.chars().take(80).collect::<String>());
    let vector = model.vector(text, max_tokens);
    assert!((vector.similarity(&vector).unwrap() - 1.0).abs() < 1e-5);
}

#[test]
fn texts_that_are_hardly_texts_are_embedded() {
    let texts = [
        "",
        " ",
        "\0",
        "\u{1b}[31mred\u{1b}[0m \u{7}\u{8}\u{7f}",
        "👩‍👩‍👧‍👦🏳️‍🌈 🇩🇪",
        "Z̸̡͓̓a̵̛͕l̶̰̈́g̵͉̀o̸̲͝",
        "\u{301}\u{301}\u{301}",
        "\u{202e}drowkcab\u{202c} \u{feff}\u{2066}",
        "漢字かなカナ한글 ไทย العربية עברית",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ﷽ ﬃ \u{10ffff}\u{e000}",
        "[CLS] [SEP] [MASK] [PAD] [UNK] ##ing",
        "' OR 1=1; DROP TABLE memories; -- \" NEAR( * ^",
    ];
    for text in texts {
        for max_tokens in [0, 1, 2, 3, 32] {
            assert_embeds(text, max_tokens);
        }
    }
}

#[test]
fn a_megabyte_is_embedded() {
    for unit in ["a", "a ", "word ", " ", "\u{301}", "漢", "👍", "\u{fffd}", "a\u{301}-"] {
        let text = unit.repeat((1 << 20) / unit.len());
        assert_embeds(&text, 32);
    }
    assert_embeds(&"the longest that is read ".repeat(1000), usize::MAX);
}

#[test]
fn what_comes_after_the_limit_does_not_matter() {
    let model = MiniLm::new();
    let start = "one two three four five six seven eight";
    let (short, long) = (model.vector(start, 8), model.vector(&format!("{start} nine ten"), 8));
    assert_eq!(short, long);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_is_embedded(text in any::<String>(), max_tokens in 0..24_usize) {
        assert_embeds(&text, max_tokens);
    }

    #[test]
    fn any_bytes_are_embedded_as_far_as_they_are_text(bytes in vec(any::<u8>(), 0..200)) {
        assert_embeds(&String::from_utf8_lossy(&bytes), 24);
    }
}
