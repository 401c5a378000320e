//! Behind a prefix that cannot be mistaken, a tail is a token however it looks; only what is plainly filling stays.

use custos_redact::redact;
use rstest::rstest;

#[rstest]
#[case::three_letters("ghp_", "Zq7", 12, "github-token")]
#[case::four_letters("ghp_", "A1b2", 9, "github-token")]
#[case::one_letter("ghp_", "a", 36, "github-token")]
#[case::one_digit("gho_", "1", 36, "github-token")]
#[case::in_order("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789", 1, "github-token")]
#[case::fine_grained("github_pat_", "11ABCDEFG0_", 8, "github-fine-grained-token")]
#[case::gitlab("glpat-", "a", 20, "gitlab-token")]
#[case::gitlab_letters("glpat-", "abcdefghijklmnopqrst", 1, "gitlab-token")]
#[case::slack("xoxb-", "1111111111-", 3, "slack-token")]
#[case::slack_letters("xoxb-", "abcdefghij-", 3, "slack-token")]
#[case::aws("AKIA", "A", 16, "aws-access-key-id")]
#[case::aws_example("AKIA", "IOSFODNN7EXAMPLE", 1, "aws-access-key-id")]
#[case::anthropic("sk-ant-api03-", "a", 93, "anthropic-key")]
#[case::anthropic_letters("sk-ant-api03-", "abcdefghijklmnopqrstuvwxyz", 1, "anthropic-key")]
#[case::anthropic_words("sk-ant-", "fake-key-for-testing-only", 1, "anthropic-key")]
#[case::openai("sk-proj-", "test", 6, "openai-key")]
#[case::stripe("sk_live_", "42", 12, "stripe-key")]
#[case::npm("npm_", "ab", 18, "npm-token")]
#[case::hugging_face("hf_", "a", 34, "huggingface-token")]
#[case::google("AIza", "Sy012", 7, "gcp-api-key")]
#[case::google_one_letter("AIza", "a", 35, "gcp-api-key")]
#[case::digital_ocean("dop_v1_", "ab", 32, "digitalocean-token")]
#[case::shopify("shpat_", "ab", 16, "shopify-token")]
#[case::linear("lin_api_", "abcd", 10, "linear-key")]
#[case::groq("gsk_", "abc", 18, "groq-key")]
#[case::vault("hvs.", "a", 30, "vault-token")]
#[case::figma("figd_", "a", 40, "figma-token")]
fn a_repetitive_tail_is_taken(
    #[case] prefix: &str,
    #[case] piece: &str,
    #[case] times: usize,
    #[case] kind: &str,
) {
    let tail = piece.repeat(times);
    let tail = tail.trim_end_matches(['-', '_']);
    assert_eq!(redact(&format!("{prefix}{tail}")), format!("[redacted:{kind}]"));
    assert_eq!(redact(&format!("use {prefix}{tail}, then")), format!("use [redacted:{kind}], then"));
}

#[test]
fn parts_of_a_token_may_repeat_too() {
    let token = format!("SG.{}.{}", "a".repeat(22), "b".repeat(43));
    assert_eq!(redact(&token), "[redacted:sendgrid-key]");
}

#[rstest]
#[case("ghp_", "x", 36)]
#[case("ghp_", "X", 36)]
#[case("ghp_", "0", 36)]
#[case("ghp_", "_", 36)]
#[case("AKIA", "X", 16)]
#[case("glpat-", "x", 20)]
#[case("xoxb-", "xxxxxxxxxxxx-", 2)]
#[case("sk_live_", "x", 24)]
#[case("hf_", "x", 34)]
#[case("npm_", "0", 36)]
#[case("sk-ant-api03-", "x", 93)]
#[case("sk-ant-", "your-api-key-goes-here", 1)]
#[case("glpat-", "your-access-token-here", 1)]
#[case("github_pat_", "your_fine_grained_token_goes_here_please", 1)]
#[case("xoxb-", "replace-with-your-token", 1)]
// Short or ambiguous prefixes: the tail must look drawn.
#[case("sk-", "a", 48)]
#[case("SK", "a", 32)]
#[case("AC", "0", 32)]
#[case("key-", "ab", 16)]
#[case("EAAA", "A", 60)]
fn filling_stays(#[case] prefix: &str, #[case] piece: &str, #[case] times: usize) {
    let text = format!("{prefix}{}", piece.repeat(times));
    assert_eq!(redact(&text), text);
}
