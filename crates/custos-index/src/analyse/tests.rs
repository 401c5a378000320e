use proptest::prelude::*;
use rstest::rstest;

use super::*;

fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    Analyser::default().analyse(text, |token| tokens.push(token.to_owned()));
    tokens
}

fn sorted(text: &str) -> Vec<String> {
    let mut tokens = Analyser::default().distinct(text, usize::MAX);
    tokens.sort();
    tokens
}

/// One row: text → exactly these tokens, in order.
#[rstest]
#[case::words("The tokens were refreshed", "the token were refresh")]
#[case::camel("refreshToken", "refresh token refreshtoken")]
#[case::pascal("RefreshTokens", "refresh token refreshtoken")]
#[case::snake("refresh_token", "refresh token refreshtoken")]
#[case::screaming("REFRESH_TOKEN", "refresh token refreshtoken")]
#[case::kebab("refresh-token", "refresh token refreshtoken")]
#[case::acronym("HTTPServer parseJSONFile", "http server httpserver pars json file parsejsonfil")]
#[case::two_cases("HTTPServer_v2.rs", "http server httpserver v2 rs httpserverv2rs")]
#[case::path("src/auth/token.rs", "src auth token rs tokenr")]
#[case::rust_path("std::fs::File", "std fs file")]
#[case::digits("sha256 utf8 v2 x86_64", "sha 256 sha256 utf utf8 v2 86 x86 64 x8664")]
#[case::version("1.95.0", "1 95 0 1950")]
#[case::commit("a3f9c2e1b07d", "a3f9c2e1b07d")]
#[case::sentence("It failed. Then it passed.", "it fail then it pass")]
#[case::trailing("--force -x foo_ _bar", "forc x foo bar")]
#[case::apostrophe("don't touch the user's file", "don touch the user file")]
#[case::typographic("user’s", "user")]
#[case::german("Größe Straße Übung MÜNCHEN", "gross strass ubung munchen")]
#[case::composed_or_not("cafe\u{301} caf\u{e9}", "cafe cafe")]
#[case::ligature("ﬁle Æther ＡＢＣ", "file aether abc")]
#[case::greek("Σίσυφος ΣΊΣΥΦΟΣ", "σισυφοσ σισυφοσ")]
#[case::cyrillic("Ёлка", "елка")]
#[case::turkish("İstanbul ısı", "istanbul isi")]
#[case::hindi("हिन्दी", "हिनदी")]
#[case::chinese("令牌", "令 牌 令牌")]
#[case::japanese("トークンを更新", "ト ー トー ク ーク ン クン を ンを 更 を更 新 更新")]
#[case::half_width("ｶﾞｷ", "ガ キ ガキ")]
#[case::korean("토큰", "토 큰 토큰")]
#[case::korean_jamo("\u{1112}\u{1161}\u{11ab}", "한")]
#[case::thai("ไทย", "ไ ท ไท ย ทย")]
#[case::mixed("iPhone版token", "phone iphon 版 token")]
#[case::emoji("🚀 launch 👩‍💻 done ✅", "launch done")]
#[case::private_use("\u{e000}pabc", "pabc")]
#[case::symbols("\"quoted\" AND (a OR b) NEAR/2 * ^", "quot and a or b near 2")]
#[case::sql("'; DROP TABLE prompts;--", "drop tabl prompt")]
#[case::nothing(" \t\n…—«»", "")]
fn the_table(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(tokens(text).join(" "), expected);
}

#[test]
fn one_name_in_five_spellings_gives_the_same_tokens() {
    let expected = sorted("refreshToken");
    for spelling in ["RefreshToken", "refresh_token", "refresh-token", "REFRESH_TOKEN", "refresh.token"] {
        assert_eq!(sorted(spelling), expected, "{spelling}");
    }
}

#[test]
fn a_long_token_is_cut_and_still_told_apart() {
    let (a, b) = (tokens(&"a".repeat(500)), tokens(&"a".repeat(501)));
    assert_eq!((a.len(), a[0].len()), (1, MAX_TOKEN));
    assert_ne!(a, b);
}

#[test]
fn a_huge_text_is_looked_at_up_to_the_limit() {
    let text = "word ".repeat(1_000_000);
    assert_eq!(tokens(&text).len(), MAX_TEXT.div_ceil(5));
}

#[test]
fn a_key_is_not_taken_apart() {
    assert_eq!(tokens("aGVsbG8gd29ybGQhIQxYzAbCdEf").len(), 1);
}

#[test]
fn the_hash_of_a_token_never_changes() {
    assert_eq!(term_hash("token"), 4_785_635_767_725_932_824);
}

proptest! {
    #[test]
    fn any_text_gives_tokens_that_fts5_takes_whole(text in "\\PC{0,200}|(?s).{0,200}") {
        for token in tokens(&text) {
            prop_assert!(!token.is_empty() && token.len() <= MAX_TOKEN, "{token:?}");
            prop_assert!(
                token.chars().all(|c| !c.is_ascii() || c.is_ascii_lowercase() || c.is_ascii_digit()),
                "{token:?}"
            );
            let marked = token.contains('\u{e000}');
            prop_assert!(!marked);
        }
    }

    #[test]
    fn case_and_composition_do_not_count(text in "[a-zäöüéñ ]{0,60}") {
        let decomposed: String = unicode_normalization::UnicodeNormalization::nfd(text.as_str()).collect();
        prop_assert_eq!(tokens(&text), tokens(&decomposed));
        prop_assert_eq!(tokens(&text), tokens(&text.to_uppercase()));
    }

    #[test]
    fn every_part_of_a_name_is_found_alone(parts in proptest::collection::vec("[a-z]{2,8}", 1..5)) {
        let name = tokens(&parts.join("_"));
        for part in &parts {
            for token in tokens(part) {
                prop_assert!(name.contains(&token), "{:?} has no {}", name, token);
            }
        }
    }
}
